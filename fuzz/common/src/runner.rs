//! Runs code in a process of its own, for every platform alike: `runner/runner.c`, here, by QEMU or by Wine.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use gusset_abi::Arch;
use gusset_codegen::libcall::{LIBCALLS, LibCall};
use gusset_codegen::object::{ImageSectionKind, ImageSymbol, ObjectFormat, ObjectImage};
use gusset_memory::{Addresses, Extent, Layout, Resolved};
use gusset_tests::tools::{Failure, limited, run, work_folder};
use gusset_tests::{machine, microsoft, wine};

use crate::platform::Platform;

/// The longest that code may run.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest that a runner lives, in seconds: a limit for one that nobody ends.
const LIFE: u32 = 1_000_000;
/// The distance that separates what is written from code.
const PAGE: u64 = 4096;
const SOURCE: &str = include_str!("runner/runner.c");

/// A process that runs what it is given.
pub struct Runner {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    base: u64,
    size: u64,
    library: HashMap<&'static str, u64>,
}

/// An object in memory.
#[derive(Debug, Default)]
pub struct Placed {
    /// What belongs to the address that it was placed at, and after it.
    pub bytes: Vec<u8>,
    /// Offsets of the symbols that it defines, by the names that C has for them.
    pub symbols: HashMap<String, u64>,
    /// The table by which its functions are unwound.
    pub unwind: Extent,
}

/// The name of a function in C.
fn c_name<'n>(format: &ObjectFormat, name: &'n str) -> &'n str {
    let underscores = format.coff.as_ref().is_some_and(|coff| coff.underscores);
    if underscores { name.strip_prefix('_').unwrap_or(name) } else { name }
}

/// What code is called with, and what is wanted of memory afterwards, as offsets in what was placed.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The function.
    pub entry: u64,
    /// Its argument, the address of this place.
    pub argument: u64,
    /// Start of what is wanted.
    pub wanted: u64,
    /// Size of it.
    pub wanted_size: u64,
}

/// C++'s personality routine of 32-bit Windows, for the runner.
const KEEP_STACK: &str = include_str!("../../../tests/programs/microsoft/keep_stack.h");

/// What moves references, and what throws and catches exceptions: functions of the runner's and of the C++ library, and information on types.
const RUNNER: [&str; 13] = [
    "fuzz_collect",
    "fuzz_throw",
    "fuzz_caught",
    "__gxx_personality_v0",
    "__gxx_personality_seh0",
    "_ZTIi",
    "_ZTIc",
    "_ZTId",
    "__CxxFrameHandler3",
    "_CxxThrowException",
    "fuzz_type_int",
    "fuzz_type_char",
    "fuzz_type_double",
];

/// The functions that generated code may call, and data that it names.
fn names() -> impl Iterator<Item = &'static str> {
    // What is no function, what takes part in starting threads, and what tells Microsoft's `_setjmp3` how to unwind.
    let strange = [
        LibCall::GlobalOffsetTable,
        LibCall::TlsGetAddr,
        LibCall::TlsGetAddrRegister,
        LibCall::Fentry,
        LibCall::CxxLongjmpUnwind,
        LibCall::SehLongjmpUnwind,
        LibCall::SehLongjmpUnwind4,
    ];
    let calls = LIBCALLS.iter().filter(move |call| !strange.contains(call)).map(|call| call.symbol());
    calls.chain(RUNNER)
}

/// Compiles the runner for a platform, unless that has been done.
fn program(platform: &Platform) -> Result<PathBuf, String> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let windows = platform.abi.is_windows();
    let compiler = match (platform.is_32(), windows) {
        (false, false) if platform.is_aarch64() => "aarch64-linux-gnu-gcc",
        (false, false) => "gcc",
        (true, false) if platform.is_arm() && platform.abi.features.hard_float => "arm-linux-gnueabihf-gcc",
        (true, false) if platform.is_arm() => "arm-linux-gnueabi-gcc",
        (true, false) => "i686-linux-gnu-gcc",
        (false, true) => "x86_64-w64-mingw32-gcc",
        (true, true) => "i686-w64-mingw32-gcc",
    };
    let mut flags = vec!["-O1", "-w", "-static", "-fno-strict-aliasing", "-fexceptions"];
    match platform.abi.arch {
        Arch::Aarch64 => {}
        Arch::Arm if platform.has_vectors() => flags.extend(["-marm", "-march=armv7-a", "-mfpu=neon"]),
        Arch::Arm => flags.push("-marm"),
        _ => flags.extend(["-msse2", "-mstackrealign"]),
    }
    if platform.is_arm() && platform.has_vectors() && !platform.abi.features.hard_float {
        flags.push("-mfloat-abi=softfp");
    }
    // Near the code: nothing is out of the reach of 32 bits.
    match (platform.is_32(), windows) {
        (false, true) => flags.extend(["-Wl,--image-base,0x10000000", "-Wl,--disable-dynamicbase", "-mno-red-zone"]),
        (true, true) => flags.push("-Wl,--disable-dynamicbase"),
        _ => flags.push("-no-pie"),
    }
    let mut hasher = DefaultHasher::new();
    if platform.has_funclets() {
        flags.push("-DMICROSOFT");
    }
    (SOURCE, KEEP_STACK, &flags, names().collect::<Vec<_>>()).hash(&mut hasher);
    let folder = work_folder(&format!("fuzz-runner/{}-{:016x}", platform.triple, hasher.finish()));
    let done = folder.join("runner.exe");
    if done.exists() {
        return Ok(done);
    }
    // Others may be at it too.
    let own = folder.join(std::process::id().to_string());
    std::fs::create_dir_all(&own).map_err(|e| e.to_string())?;
    let libraries = if platform.has_funclets() { routines(platform).map_err(|f| f.to_string())? } else { Vec::new() };
    let mut missing: Vec<String> = Vec::new();
    loop {
        let mut list = String::new();
        for (number, name) in names().enumerate() {
            let macro_name = if missing.iter().any(|m| m == name) { "MISSING" } else { "FUNCTION" };
            let _ = writeln!(list, "{macro_name}({number}, \"{name}\")");
        }
        let fill = |name: &str, text: &str| std::fs::write(own.join(name), text).map_err(|e| e.to_string());
        fill("runner.c", SOURCE)?;
        fill("names.h", &list)?;
        fill("keep_stack.h", KEEP_STACK)?;
        let mut command = limited(120, compiler);
        command
            .args(&flags)
            .arg(own.join("runner.c"))
            .arg("-o")
            .arg(own.join("runner.exe"))
            .args(&libraries)
            .args(["-lm", "-latomic", "-lstdc++"]);
        let outcome = run(&mut command).map_err(|f| f.to_string())?;
        if outcome.code == 0 {
            break;
        }
        // What the libraries do not have, the linker says.
        let errors = outcome.errors();
        let known = missing.len();
        let said = errors.split("undefined reference to `").skip(1).filter_map(|rest| rest.split_once('\''));
        for (name, _) in said {
            if !missing.iter().any(|m| m == name) {
                missing.push(name.into());
            }
        }
        if missing.len() == known {
            return Err(format!("{compiler}: {errors}"));
        }
    }
    std::fs::rename(own.join("runner.exe"), &done).map_err(|e| e.to_string())?;
    let _ = std::fs::remove_dir_all(&own);
    Ok(done)
}

/// The import libraries of what Microsoft's C++ throws and catches with, in Wine's DLL, and of what its compilers have functions for.
fn routines(platform: &Platform) -> Result<Vec<PathBuf>, Failure> {
    let (machine, lists) = match platform.is_32() {
        true => (
            &machine::I386_WINDOWS,
            &[
                ("vcruntime140", "__CxxFrameHandler\n_CxxThrowException@8\n"),
                ("ntdll", "_alldiv\n_allrem\n_aulldiv\n_aullrem\n"),
            ][..],
        ),
        false => (&machine::X86_64_WINDOWS, &[("vcruntime140", "__CxxFrameHandler3\n_CxxThrowException\n")][..]),
    };
    let library = |&(dll, list): &(&str, &str)| {
        microsoft::exports(machine, dll, &format!("fuzz-{dll}-{}-{}", machine.name, std::process::id()), list)
    };
    lists.iter().map(library).collect()
}

fn start(platform: &Platform, program: &Path) -> Result<Command, String> {
    if platform.abi.is_windows() {
        let mut command = wine::command(LIFE).map_err(|f| f.to_string())?;
        command.arg(program);
        return Ok(command);
    }
    if platform.is_aarch64() {
        let mut command = Command::new("qemu-aarch64");
        command.arg(program);
        return Ok(command);
    }
    if platform.is_arm() {
        let mut command = Command::new("qemu-arm");
        if !platform.has_vectors() {
            command.args(["-cpu", "arm926"]);
        }
        command.arg(program);
        return Ok(command);
    }
    Ok(Command::new(program))
}

impl Runner {
    /// Starts one for a platform. What Wine or QEMU does not start is started again.
    ///
    /// # Errors
    /// It cannot be made or started.
    pub fn new(platform: &Platform) -> Result<Runner, String> {
        let program = program(platform)?;
        let again = || Runner::started(platform, &program);
        again().or_else(|_| again()).or_else(|_| again())
    }

    fn started(platform: &Platform, program: &Path) -> Result<Runner, String> {
        let mut command = start(platform, program)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|e| format!("{}: {e}", program.display()))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else { return Err("a child without pipes".into()) };
        let mut runner = Runner { child, input, output, base: 0, size: 0, library: HashMap::new() };
        let mut words = vec![0; 8 * (2 + names().count())];
        // Wine takes its time when it starts.
        runner.read(&mut words, 12 * PATIENCE).map_err(|e| format!("{} does not start: {e}", program.display()))?;
        let mut words = words.chunks_exact(8).map(|w| u64::from_le_bytes(std::array::from_fn(|k| w[k])));
        (runner.base, runner.size) = (words.next().unwrap_or(0), words.next().unwrap_or(0));
        runner.library = names().zip(words).filter(|(_, at)| *at != 0).collect();
        Ok(runner)
    }

    /// Links an image for the place where code is run.
    ///
    /// # Errors
    /// What cannot be resolved.
    pub fn place(&self, image: &ObjectImage) -> Result<Placed, String> {
        let format = image.format;
        let library = |symbol: &ImageSymbol| {
            let name = symbol.name.as_str();
            // A module's own names are as objects have them. Its weak definitions stay.
            let known = self.library.get(name).or_else(|| self.library.get(c_name(format, name)));
            known.filter(|_| symbol.place.is_none()).map(|&address| Resolved::Address(address))
        };
        let layout = Layout::new(image, library, |_| false).map_err(|e| e.to_string())?;
        // What is written lies apart from the code. The image is taken to begin at 0 and so has the libraries' functions too.
        let start = layout.fixed().0.next_multiple_of(PAGE.max(layout.written().1));
        let at = Addresses { fixed: self.base, written: self.base + start, ..Addresses::default() };
        let (mut bytes, written) = layout.link(&at).map_err(|e| e.to_string())?;
        bytes.resize(start as usize, 0);
        bytes.extend(written);
        let own = image.symbols.iter().zip(0..).filter(|(symbol, _)| symbol.place.is_some());
        let symbols = own.map(|(symbol, number)| {
            let name = c_name(format, &symbol.name).to_string();
            (name, layout.symbol_address(&at, number) - self.base)
        });
        let is_table = |kind| {
            use ImageSectionKind::{FunctionTable, Index, Unwind};
            matches!(kind, Unwind | FunctionTable | Index { .. })
        };
        let unwind = layout.extent(is_table).unwrap_or_default();
        Ok(Placed { bytes, symbols: symbols.collect(), unwind })
    }

    /// Runs code and gives the memory that is wanted.
    ///
    /// # Errors
    /// It crashes, does not end, or changes what it must keep; then this runner may be of no more use.
    pub fn run(&mut self, placed: &Placed, call: Call) -> Result<Vec<u8>, String> {
        if placed.bytes.len() as u64 > self.size {
            return Err("it is too large".into());
        }
        let mut request = Vec::with_capacity(32 + placed.bytes.len());
        let words = [
            placed.bytes.len() as u64,
            call.entry,
            call.argument,
            call.wanted,
            call.wanted_size,
            placed.unwind.offset,
            placed.unwind.size,
            0,
        ];
        words.iter().for_each(|w| request.extend_from_slice(&(*w as u32).to_le_bytes()));
        request.extend_from_slice(&placed.bytes);
        let mut answer = vec![0; 16 + call.wanted_size as usize];
        let sent = self.input.write_all(&request).and_then(|()| self.input.flush());
        sent.and_then(|()| self.read(&mut answer, PATIENCE)).map_err(|e| match e.kind() {
            std::io::ErrorKind::TimedOut => "hang: it does not end".to_string(),
            _ => format!("crash: {}", self.child.wait().map_or_else(|e| e.to_string(), |status| status.to_string())),
        })?;
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|k| answer[at + k]));
        let value = u64::from_le_bytes(std::array::from_fn(|k| answer[8 + k]));
        let what = match word(0) {
            0 => return Ok(answer.split_off(16)),
            1 => format!("register {} of those that callees keep", word(4)),
            2 => format!("vector register {}", word(4)),
            3 => "the move of the stack pointer".into(),
            4 => "the flags".into(),
            5 => "MXCSR or FPCR".into(),
            6 => "the x87 control word".into(),
            _ => "the x87 status word".into(),
        };
        Err(format!("{what} is {value:#x} after the call"))
    }

    fn read(&mut self, bytes: &mut [u8], patience: Duration) -> std::io::Result<()> {
        let mut at = 0;
        while at < bytes.len() {
            let mut poll = libc::pollfd { fd: self.output.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            // SAFETY: one descriptor, which is open.
            match unsafe { libc::poll(&mut poll, 1, patience.as_millis() as i32) } {
                0 => return Err(std::io::ErrorKind::TimedOut.into()),
                -1 => {
                    let error = std::io::Error::last_os_error();
                    if error.kind() != std::io::ErrorKind::Interrupted {
                        return Err(error);
                    }
                }
                _ => match self.output.read(&mut bytes[at..])? {
                    0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
                    n => at += n,
                },
            }
        }
        Ok(())
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        // It may have ended by itself. What Wine is started by passes this signal on.
        // SAFETY: nobody has waited for the child yet, or it is dead and its number is not taken again so soon.
        unsafe { libc::kill(self.child.id() as i32, libc::SIGTERM) };
        let _ = self.child.wait();
    }
}
