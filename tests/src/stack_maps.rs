//! What stack maps say, read from the section that compilers write (LLVM, "Stack Map Format", version 3).

use goblin::elf::Elf;

use crate::tools::Failure;

/// A location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Location {
    /// DWARF's number of a register.
    Register(u16),
    /// The address register + offset.
    Direct(u16, i32),
    /// What is at register + offset.
    Indirect(u16, i32),
    /// A number.
    Constant(i64),
}

/// A record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The program's number of it.
    pub id: u64,
    /// Offset in its function.
    pub offset: u32,
    /// Locations, each with its size.
    pub locations: Vec<(Location, u16)>,
    /// Registers that are live after it.
    pub live_outs: usize,
}

/// A function's records.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Size of its frame.
    pub size: u64,
    /// The records.
    pub records: Vec<Record>,
}

struct Reader<'a>(&'a [u8], usize);

impl Reader<'_> {
    fn number(&mut self, bytes: usize) -> Result<u64, Failure> {
        let range = self.1..self.1 + bytes;
        let found = self.0.get(range).ok_or_else(|| Failure::new("the stack maps end too early"))?;
        self.1 += bytes;
        Ok(found.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b)))
    }

    fn align(&mut self) {
        self.1 = self.1.next_multiple_of(8);
    }
}

/// The stack maps of an object, function by function.
///
/// # Errors
/// They are not in LLVM's format, or end before or after the section.
pub fn read(object: &[u8]) -> Result<Vec<Function>, Failure> {
    let elf = Elf::parse(object).map_err(|e| Failure::new(e.to_string()))?;
    let named = |s: &&goblin::elf::SectionHeader| elf.shdr_strtab.get_at(s.sh_name) == Some(".llvm_stackmaps");
    let section = elf.section_headers.iter().find(named).ok_or_else(|| Failure::new("there are no stack maps"))?;
    let mut r = Reader(&object[section.file_range().unwrap_or_default()], 0);
    let header = [r.number(4)?, r.number(4)?, r.number(4)?, r.number(4)?];
    let mut functions = Vec::new();
    for _ in 0..header[1] {
        let (_, size, count) = (r.number(8)?, r.number(8)?, r.number(8)?);
        functions.push((Function { size, records: Vec::new() }, count));
    }
    let mut constants = Vec::new();
    for _ in 0..header[2] {
        constants.push(r.number(8)? as i64);
    }
    let mut total = 0;
    for (function, count) in &mut functions {
        for _ in 0..*count {
            function.records.push(record(&mut r, &constants)?);
            total += 1;
        }
    }
    if (header[0], header[3], r.1) != (3, total, r.0.len()) {
        return Err(Failure::new(format!("bad stack maps: {header:?}, {total} records, {} of {}", r.1, r.0.len())));
    }
    Ok(functions.into_iter().map(|f| f.0).collect())
}

fn record(r: &mut Reader<'_>, constants: &[i64]) -> Result<Record, Failure> {
    let (id, offset, _) = (r.number(8)?, r.number(4)? as u32, r.number(2)?);
    let mut locations = Vec::new();
    for _ in 0..r.number(2)? {
        let (kind, size) = (r.number(2)?, r.number(2)? as u16);
        let (register, _, offset) = (r.number(2)? as u16, r.number(2)?, r.number(4)? as i32);
        let location = match kind {
            1 => Location::Register(register),
            2 => Location::Direct(register, offset),
            3 => Location::Indirect(register, offset),
            4 => Location::Constant(offset.into()),
            5 => Location::Constant(constants[offset as usize]),
            _ => return Err(Failure::new(format!("a location of kind {kind}"))),
        };
        locations.push((location, size));
    }
    r.align();
    r.number(2)?;
    let live_outs = r.number(2)? as usize;
    for _ in 0..live_outs {
        r.number(4)?;
    }
    r.align();
    Ok(Record { id, offset, locations, live_outs })
}
