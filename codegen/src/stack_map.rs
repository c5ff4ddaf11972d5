//! Stack maps: where the values that a program's stack maps list are, at offsets of the code.
//!
//! `record` adds a record while code is made; offsets move along with the code, as those of calls do. `section` lays
//! the records of a module's functions out as LLVM does.

pub(crate) mod record;
pub(crate) mod section;

/// Where a value is (LLVM, "Stack maps and patch points in LLVM", "Stack Map Format").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Location {
    /// In a register.
    Register {
        /// DWARF's number of the register.
        register: u16,
        /// Bytes that count.
        size: u16,
    },
    /// It is the address `register + offset`: a variable of the frame.
    Direct {
        /// DWARF's number of the register.
        register: u16,
        /// Bytes added to it.
        offset: i32,
        /// Bytes of the address.
        size: u16,
    },
    /// In memory at `register + offset`.
    Indirect {
        /// DWARF's number of the register.
        register: u16,
        /// Bytes added to it.
        offset: i32,
        /// Bytes that count.
        size: u16,
    },
    /// It is a number.
    Constant(i64),
}

/// A register that holds something after the code of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LiveOut {
    /// DWARF's number of the register.
    pub register: u16,
    /// Its bytes.
    pub size: u8,
}

/// A record of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// The number that the program gave it.
    pub id: u64,
    /// Offset in the code: the address that the call returns to, or the first byte of the code that may be patched.
    pub offset: u32,
    /// The end of its locations in [`StackMaps::locations`].
    locations: u32,
    /// The end of its registers in [`StackMaps::live_outs`].
    live_outs: u32,
}

/// The records of a function, in the order of the code.
#[derive(Clone, Default, Debug)]
pub struct StackMaps {
    /// The records.
    pub records: Vec<Record>,
    locations: Vec<Location>,
    live_outs: Vec<LiveOut>,
}

impl StackMaps {
    /// Forgets everything but the memory.
    pub(crate) fn clear(&mut self) {
        self.records.clear();
        self.locations.clear();
        self.live_outs.clear();
    }

    /// Takes the place of other records.
    pub(crate) fn copy_from(&mut self, other: &StackMaps) {
        self.clear();
        self.records.extend_from_slice(&other.records);
        self.locations.extend_from_slice(&other.locations);
        self.live_outs.extend_from_slice(&other.live_outs);
    }

    /// Ends a record whose locations and registers have been appended.
    fn end(&mut self, id: u64, offset: u32) {
        let (locations, live_outs) = (self.locations.len() as u32, self.live_outs.len() as u32);
        self.records.push(Record { id, offset, locations, live_outs });
    }

    /// Each record with its locations, and the registers that hold something after its code.
    pub fn iter(&self) -> impl Iterator<Item = (&Record, &[Location], &[LiveOut])> {
        let mut from = (0, 0);
        self.records.iter().map(move |record| {
            let to = (record.locations as usize, record.live_outs as usize);
            let from = std::mem::replace(&mut from, to);
            (record, &self.locations[from.0..to.0], &self.live_outs[from.1..to.1])
        })
    }
}
