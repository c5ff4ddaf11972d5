//! The section `.llvm_stackmaps`, version 3 (LLVM, "Stack maps and patch points in LLVM", "Stack Map Format"). Numbers
//! have the machine's order of bytes. On machines with 32 bits, addresses fill the lower halves of their fields.

use std::collections::HashMap;

use gusset_abi::Endian;

use super::Location;
use crate::compiled::CompiledFunction;
use crate::ir::SymbolId;

/// The name of the section.
pub(crate) const NAME: &str = ".llvm_stackmaps";
/// The name of the symbol at its start.
pub(crate) const SYMBOL: &str = "__LLVM_StackMaps";

const VERSION: u8 = 3;
const HEADER: usize = 16;
const REGISTER: u8 = 1;
const DIRECT: u8 = 2;
const INDIRECT: u8 = 3;
const CONSTANT: u8 = 4;
const CONSTANT_INDEX: u8 = 5;

/// What is in the section.
pub(crate) struct Contents {
    pub bytes: Vec<u8>,
    /// The offsets of the fields that hold addresses of functions, and the functions.
    pub fields: Vec<(u32, SymbolId)>,
}

/// The table of a module, while functions are added.
#[derive(Default)]
pub(crate) struct StackMapTable {
    /// Each function that has records, the size of its frame, and their number.
    functions: Vec<(SymbolId, u64, u64)>,
    /// Constants that need more than 32 bits, and their numbers.
    constants: Vec<u64>,
    numbers: HashMap<u64, u32>,
    records: Vec<u8>,
    count: u32,
    endian: Endian,
}

impl StackMapTable {
    /// An empty table.
    pub(crate) fn new(endian: Endian) -> StackMapTable {
        StackMapTable { endian, ..StackMapTable::default() }
    }

    /// Adds the records of a function.
    pub(crate) fn add(&mut self, f: &CompiledFunction) {
        let records = &f.stack_maps.records;
        if records.is_empty() {
            return;
        }
        self.functions.push((f.symbol, f.frame_size, records.len() as u64));
        self.count += records.len() as u32;
        for (record, locations, live_outs) in f.stack_maps.iter() {
            self.records.extend(self.endian.u64(record.id));
            self.records.extend(self.endian.u32(record.offset));
            self.half(0);
            self.half(locations.len() as u16);
            locations.iter().for_each(|&location| self.location(location));
            self.align();
            self.half(0);
            self.half(live_outs.len() as u16);
            for out in live_outs {
                self.half(out.register);
                self.records.extend([0, out.size]);
            }
            self.align();
        }
    }

    fn half(&mut self, n: u16) {
        self.records.extend(self.endian.u16(n));
    }

    fn align(&mut self) {
        self.records.resize(self.records.len().next_multiple_of(8), 0);
    }

    fn location(&mut self, location: Location) {
        let (kind, size, register, offset) = match location {
            Location::Register { register, size } => (REGISTER, size, register, 0),
            Location::Direct { register, offset, size } => (DIRECT, size, register, offset),
            Location::Indirect { register, offset, size } => (INDIRECT, size, register, offset),
            Location::Constant(n) => match i32::try_from(n) {
                Ok(n) => (CONSTANT, 8, 0, n),
                Err(_) => (CONSTANT_INDEX, 8, 0, self.constant(n as u64) as i32),
            },
        };
        self.records.extend([kind, 0]);
        self.half(size);
        self.half(register);
        self.half(0);
        self.records.extend(self.endian.u32(offset as u32));
    }

    fn constant(&mut self, n: u64) -> u32 {
        let next = self.constants.len() as u32;
        let number = *self.numbers.entry(n).or_insert(next);
        if number == next {
            self.constants.push(n);
        }
        number
    }

    /// The section; `None` if no function has records.
    pub(crate) fn finish(&self) -> Option<Contents> {
        if self.functions.is_empty() {
            return None;
        }
        let mut bytes = Vec::with_capacity(HEADER + 24 * self.functions.len() + self.records.len());
        bytes.extend([VERSION, 0, 0, 0]);
        for n in [self.functions.len() as u32, self.constants.len() as u32, self.count] {
            bytes.extend(self.endian.u32(n));
        }
        let mut fields = Vec::with_capacity(self.functions.len());
        for &(symbol, size, records) in &self.functions {
            fields.push((bytes.len() as u32, symbol));
            [0, size, records].into_iter().for_each(|n: u64| bytes.extend(self.endian.u64(n)));
        }
        self.constants.iter().for_each(|&n| bytes.extend(self.endian.u64(n)));
        bytes.extend_from_slice(&self.records);
        Some(Contents { bytes, fields })
    }
}
