//! Debuggers and profilers: `gdb`'s interface for code in memory, `perf`'s map and `jitdump`.

use std::cell::LazyCell;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

mod dump;
mod gdb;

/// A function in memory.
pub(crate) struct CodeSymbol<'s> {
    pub name: &'s str,
    pub address: u64,
    pub size: u64,
}

/// Sections by name.
type Sections<'s> = Vec<(&'s str, Vec<u8>)>;

/// What is told of a module.
pub(crate) struct CodeModule<'s> {
    pub machine: u16,
    /// The lowest bit of functions' addresses, which says in which instruction set they are.
    pub function_bit: u8,
    /// Address and size of the code.
    pub code: (u64, u64),
    /// Address and size of `.eh_frame`.
    pub unwind: Option<(u64, u64)>,
    pub functions: Vec<CodeSymbol<'s>>,
    /// The sections of debug information, by name.
    pub debug: LazyCell<Sections<'s>, Box<dyn FnOnce() -> Sections<'s> + 's>>,
}

/// Who is told.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    any: AtomicBool,
    gdb: AtomicBool,
    map: Mutex<Option<File>>,
    dump: Mutex<Option<dump::Dump>>,
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
        let dump = dump::Dump::new(folder)?;
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
            && file.module(&module).is_err()
        {
            *dump = None;
        }
        drop(dump);
        let gdb = self.gdb.load(Ordering::Acquire).then(|| gdb::Registered::new(&module)).flatten();
        gdb.map(|gdb| Entry { gdb: Some(gdb) })
    }
}
