//! Debuggers and profilers: `gdb`'s interface for code in memory, `perf`'s map and `jitdump`.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

mod gdb;

/// A function in memory.
pub(crate) struct CodeSymbol<'s> {
    pub name: &'s str,
    pub address: u64,
    pub size: u64,
}

/// What is told of a module.
pub(crate) struct CodeModule<'s> {
    pub machine: u16,
    /// Address and size of the code.
    pub code: (u64, u64),
    /// Address and size of `.eh_frame`.
    pub unwind: Option<(u64, u64)>,
    pub functions: Vec<CodeSymbol<'s>>,
}

/// Who is told.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    any: AtomicBool,
    gdb: AtomicBool,
    map: Mutex<Option<File>>,
    dump: Mutex<Option<Dump>>,
}

/// A module that `gdb` knows.
#[derive(Debug)]
pub(crate) struct Entry {
    gdb: Option<gdb::Registered>,
}

impl Entry {
    /// Makes `gdb` forget the module.
    pub fn forget(&mut self) {
        self.gdb = None;
    }
}

impl Tools {
    pub fn tell_gdb(&self) {
        self.gdb.store(true, Ordering::Release);
        self.any.store(true, Ordering::Release);
    }

    pub fn write_perf_map(&self) -> io::Result<()> {
        let path = format!("/tmp/perf-{}.map", std::process::id());
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        *self.map.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
        self.any.store(true, Ordering::Release);
        Ok(())
    }

    pub fn write_jit_dump(&self, folder: &Path) -> io::Result<()> {
        let dump = Dump::new(folder)?;
        *self.dump.lock().unwrap_or_else(PoisonError::into_inner) = Some(dump);
        self.any.store(true, Ordering::Release);
        Ok(())
    }

    /// Tells of a module that has come. A profiler's file that cannot be written is given up.
    pub fn added<'s>(&self, module: impl FnOnce() -> CodeModule<'s>) -> Option<Entry> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        let module = module();
        let mut map = self.map.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = map.as_mut() {
            let lines = module.functions.iter().map(|f| format!("{:x} {:x} {}\n", f.address, f.size, f.name));
            if file.write_all(lines.collect::<String>().as_bytes()).is_err() {
                *map = None;
            }
        }
        drop(map);
        let mut dump = self.dump.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = dump.as_mut()
            && module.functions.iter().try_for_each(|f| file.function(f)).is_err()
        {
            *dump = None;
        }
        drop(dump);
        let gdb = self.gdb.load(Ordering::Acquire).then(|| gdb::Registered::new(&module)).flatten();
        gdb.map(|gdb| Entry { gdb: Some(gdb) })
    }
}

/// A file of `perf`'s format `jitdump` (Linux, `tools/perf/Documentation/jitdump-specification.txt`).
#[derive(Debug)]
struct Dump {
    file: File,
    count: u64,
    /// By this mapping `perf` learns of the file.
    #[cfg(target_os = "linux")]
    _mark: memmap2::Mmap,
}

/// Nanoseconds of the clock that `perf record -k mono` uses.
fn now() -> u64 {
    #[cfg(unix)]
    {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: it writes the time.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    }
    #[cfg(not(unix))]
    0
}

impl Dump {
    fn new(folder: &Path) -> io::Result<Dump> {
        let path = folder.join(format!("jit-{}.dump", std::process::id()));
        let mut file = OpenOptions::new().create(true).truncate(true).read(true).write(true).open(path)?;
        let machine: u32 = match () {
            () if cfg!(target_arch = "x86_64") => 62,
            () if cfg!(target_arch = "x86") => 3,
            () if cfg!(target_arch = "aarch64") => 183,
            () => 40,
        };
        let mut header = Vec::new();
        for word in [0x4a69_5444, 1, 40, machine, 0, std::process::id()] {
            header.extend(word.to_le_bytes());
        }
        header.extend(now().to_le_bytes());
        header.extend(0u64.to_le_bytes());
        file.write_all(&header)?;
        #[cfg(target_os = "linux")]
        // SAFETY: nobody reads the mapping.
        let _mark = unsafe { memmap2::MmapOptions::new().len(header.len()).map_exec(&file)? };
        Ok(Dump {
            file,
            count: 0,
            #[cfg(target_os = "linux")]
            _mark,
        })
    }

    fn function(&mut self, f: &CodeSymbol<'_>) -> io::Result<()> {
        const HEADER: usize = 56;
        // SAFETY: a function that has been placed there.
        let code = unsafe { std::slice::from_raw_parts(f.address as usize as *const u8, f.size as usize) };
        let total = HEADER + f.name.len() + 1 + code.len();
        let mut record = Vec::with_capacity(total);
        // JIT_CODE_LOAD.
        record.extend(0u32.to_le_bytes());
        record.extend((total as u32).to_le_bytes());
        record.extend(now().to_le_bytes());
        record.extend(std::process::id().to_le_bytes());
        record.extend(std::process::id().to_le_bytes());
        for word in [f.address, f.address, f.size, self.count] {
            record.extend(word.to_le_bytes());
        }
        record.extend(f.name.as_bytes());
        record.push(0);
        record.extend(code);
        self.count += 1;
        self.file.write_all(&record)
    }
}
