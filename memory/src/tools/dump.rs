//! `perf`'s format `jitdump` (Linux, `tools/perf/Documentation/jitdump-specification.txt`): code with its lines.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use gimli::{Dwarf, EndianSlice, LittleEndian, SectionId, Unit};

use super::{CodeModule, CodeSymbol};

const JIT_CODE_LOAD: u32 = 0;
const JIT_CODE_DEBUG_INFO: u32 = 2;

/// A file of `perf`'s format `jitdump` (Linux, `tools/perf/Documentation/jitdump-specification.txt`).
#[derive(Debug)]
pub(super) struct Dump {
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
    pub fn new(folder: &Path) -> io::Result<Dump> {
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

    /// Adds the functions of a module with their lines.
    pub fn module(&mut self, module: &CodeModule<'_>) -> io::Result<()> {
        let rows = rows(module);
        for function in &module.functions {
            let end = function.address + function.size;
            let first = rows.partition_point(|row| row.address < function.address);
            let count = rows[first..].partition_point(|row| row.address < end);
            self.lines(function, &rows[first..first + count])?;
            self.function(function)?;
        }
        Ok(())
    }

    /// Writes a record; `body` comes after its header.
    fn record(&mut self, id: u32, body: &[u8]) -> io::Result<()> {
        const HEADER: usize = 16;
        let mut record = Vec::with_capacity(HEADER + body.len());
        record.extend(id.to_le_bytes());
        record.extend(((HEADER + body.len()) as u32).to_le_bytes());
        record.extend(now().to_le_bytes());
        record.extend(body);
        self.file.write_all(&record)
    }

    /// The lines of a function, which have to come before it.
    fn lines(&mut self, f: &CodeSymbol<'_>, rows: &[Row]) -> io::Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut body = Vec::new();
        body.extend(f.address.to_le_bytes());
        body.extend((rows.len() as u64).to_le_bytes());
        for row in rows {
            body.extend(row.address.to_le_bytes());
            body.extend(row.line.to_le_bytes());
            body.extend(row.discriminator.to_le_bytes());
            body.extend(row.file.as_bytes());
            body.push(0);
        }
        self.record(JIT_CODE_DEBUG_INFO, &body)
    }

    fn function(&mut self, f: &CodeSymbol<'_>) -> io::Result<()> {
        // SAFETY: a function that has been placed there.
        let code = unsafe { std::slice::from_raw_parts(f.address as usize as *const u8, f.size as usize) };
        let mut body = Vec::with_capacity(64 + f.name.len() + code.len());
        body.extend(std::process::id().to_le_bytes());
        body.extend(std::process::id().to_le_bytes());
        for word in [f.address, f.address, f.size, self.count] {
            body.extend(word.to_le_bytes());
        }
        body.extend(f.name.as_bytes());
        body.push(0);
        body.extend(code);
        self.count += 1;
        self.record(JIT_CODE_LOAD, &body)
    }
}

/// A line of the source program from an address on.
struct Row {
    address: u64,
    line: u32,
    discriminator: u32,
    file: Rc<str>,
}

/// The lines of a module's code by address, as its debug information says. Where that cannot be read, there are no lines.
fn rows(module: &CodeModule<'_>) -> Vec<Row> {
    let mut out = Vec::new();
    let section = |id: SectionId| {
        let found = module.debug.iter().find(|(name, _)| *name == id.name());
        EndianSlice::new(found.map_or(&[], |(_, bytes)| &bytes[..]), LittleEndian)
    };
    let Ok(dwarf) = Dwarf::load(|id| Ok::<_, Infallible>(section(id)));
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        if let Ok(unit) = dwarf.unit(header) {
            // What cannot be read has no lines.
            let _ = unit_rows(&dwarf, &unit, &mut out);
        }
    }
    out.sort_by_key(|row| row.address);
    out
}

type Bytes<'b> = EndianSlice<'b, LittleEndian>;

/// Adds the lines of a unit. A line holds until the next one, so that the end of a stretch needs none.
fn unit_rows(dwarf: &Dwarf<Bytes<'_>>, unit: &Unit<Bytes<'_>>, out: &mut Vec<Row>) -> gimli::Result<()> {
    let Some(program) = unit.line_program.clone() else { return Ok(()) };
    let mut names: HashMap<u64, Rc<str>> = HashMap::new();
    let mut rows = program.rows();
    while let Some((header, row)) = rows.next_row()? {
        let Some(line) = row.line().filter(|_| !row.end_sequence()) else { continue };
        let name = match names.get(&row.file_index()) {
            Some(known) => known.clone(),
            None => {
                let Some(file) = row.file(header) else { continue };
                let directory = file.directory(header);
                let directory = directory.map(|directory| dwarf.attr_string(unit, directory)).transpose()?;
                let name = dwarf.attr_string(unit, file.path_name())?.to_string_lossy();
                let parts = [unit.comp_dir, directory].into_iter().flatten().map(|part| part.to_string_lossy());
                let path = parts.chain([name]).fold(PathBuf::new(), |path, part| path.join(&*part));
                let name: Rc<str> = path.to_string_lossy().into();
                names.insert(row.file_index(), name.clone());
                name
            }
        };
        let (address, line, discriminator) = (row.address(), line.get() as u32, row.discriminator() as u32);
        out.push(Row { address, line, discriminator, file: name });
    }
    Ok(())
}
