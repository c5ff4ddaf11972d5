//! The standard streams, any of which may be closed, full, or a pipe without a reader; and signals while a file is
//! written.

use std::io::{self, Write};

/// Writes to standard output. Rust's own handle ignores that it is closed; this function reports it.
pub(crate) fn write_stdout(contents: &dyn Fn(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        if closed::stdout_was_closed() {
            return Err(io::Error::from_raw_os_error(libc::EBADF));
        }
        contents(&mut std::fs::File::from(io::stdout().as_fd().try_clone_to_owned()?))
    }
    #[cfg(not(unix))]
    {
        let mut out = io::stdout().lock();
        contents(&mut out)?;
        out.flush()
    }
}

/// Writes to standard error if possible. There is no other place to report that it is not.
pub(crate) fn write_stderr(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Was standard output closed when the process began? Rust's start-up code replaces it.
#[cfg(all(unix, target_os = "linux"))]
mod closed {
    use std::sync::atomic::{AtomicBool, Ordering};

    static CLOSED: AtomicBool = AtomicBool::new(false);

    extern "C" fn look() {
        // SAFETY: the call reads the flags of a number that need not be a descriptor.
        #[allow(unsafe_code)]
        let flags = unsafe { libc::fcntl(1, libc::F_GETFD) };
        CLOSED.store(flags < 0, Ordering::Relaxed);
    }

    // SAFETY: the section holds functions of this type, which run before `main`; this one uses nothing that is not
    // initialized yet.
    #[allow(unsafe_code)]
    #[used]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;

    pub fn stdout_was_closed() -> bool {
        CLOSED.load(Ordering::Relaxed)
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
mod closed {
    pub fn stdout_was_closed() -> bool {
        false
    }
}

/// Makes Rust's abort for lack of memory, which has been reported, end the command like other errors. Other aborts are
/// not changed.
pub(crate) fn end_by_errors() {
    #[cfg(unix)]
    {
        #[allow(unsafe_code)]
        extern "C" fn end(_: libc::c_int) {
            // The last failed system call was the allocator's; the report of it succeeded.
            let is_memory = io::Error::last_os_error().raw_os_error() == Some(libc::ENOMEM);
            // SAFETY: the calls end the process and access nothing of it.
            unsafe {
                if is_memory {
                    libc::_exit(1);
                }
                libc::signal(libc::SIGABRT, libc::SIG_DFL);
                libc::abort();
            }
        }
        let end: extern "C" fn(libc::c_int) = end;
        // SAFETY: the handler only calls functions that handlers may call.
        #[allow(unsafe_code)]
        unsafe {
            libc::signal(libc::SIGABRT, end as libc::sighandler_t);
        }
    }
}

/// While this value lives, signals that ask the process to end wait.
pub(crate) struct HoldSignals {
    #[cfg(unix)]
    before: libc::sigset_t,
}

impl HoldSignals {
    #[cfg(unix)]
    #[allow(unsafe_code)]
    pub fn new() -> HoldSignals {
        // SAFETY: sets of signals are plain data that `sigemptyset` initializes; nothing here can fail with valid arguments.
        // Only this thread is left when files are written, so its mask is the process's.
        unsafe {
            let (mut ending, mut before) = (std::mem::zeroed(), std::mem::zeroed());
            libc::sigemptyset(&mut ending);
            libc::sigemptyset(&mut before);
            for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT] {
                libc::sigaddset(&mut ending, signal);
            }
            libc::pthread_sigmask(libc::SIG_BLOCK, &ending, &mut before);
            HoldSignals { before }
        }
    }

    #[cfg(not(unix))]
    pub fn new() -> HoldSignals {
        HoldSignals {}
    }
}

#[cfg(unix)]
impl Drop for HoldSignals {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: the mask is the one that the system gave.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, std::ptr::null_mut());
        }
    }
}
