//! Stack maps as values: what `.llvm_stackmaps` says (LLVM, "Stack maps and patch points in LLVM", "Stack Map Format", version 3).

use std::fmt;

pub use gusset_codegen::stack_map::{LiveOut as StackMapLiveOut, Location as StackMapLocation};

/// What a stack map says of one address.
///
/// ```
/// # fn frames(module: &gusset_memory::Module) -> Result<(), gusset_memory::StackMapError> {
/// use std::collections::HashMap;
///
/// let records = module.stack_maps()?;
/// let by_return_address: HashMap<usize, _> = records.into_iter().map(|record| (record.address, record)).collect();
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StackMapRecord {
    /// The address: of a safepoint or statepoint, where its call returns to.
    pub address: usize,
    /// The number that whoever asked for the record has given it.
    pub id: u64,
    /// Bytes from the stack pointer up to the return address that the call has pushed (x86), or to the stack pointer of the caller (Arm);
    /// `None` if that changes while the function runs.
    pub frame_size: Option<u64>,
    /// Where values are. Those of a statepoint are said by [`pairs`](Self::pairs).
    pub locations: Vec<StackMapLocation>,
    /// Registers that are live after a patch point.
    pub live_outs: Vec<StackMapLiveOut>,
}

/// A table of stack maps that is not one. An example is at [`StackMapRecord`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackMapError {
    offset: usize,
    reason: &'static str,
}

impl fmt::Display for StackMapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stack maps: {} at byte {}", self.reason, self.offset)
    }
}

impl std::error::Error for StackMapError {}

impl StackMapRecord {
    /// The references of a safepoint or statepoint: for each where its object's reference is (the base), and where it is itself. They come
    /// after three constants, the last of which is the number of the values for deoptimization, and after these values.
    pub fn pairs(&self) -> impl Iterator<Item = (StackMapLocation, StackMapLocation)> + '_ {
        let values = match self.locations.get(2) {
            Some(StackMapLocation::Constant(count)) => usize::try_from(*count).unwrap_or(usize::MAX),
            _ => usize::MAX,
        };
        let rest = self.locations.get(values.saturating_add(3)..).unwrap_or_default();
        rest.chunks_exact(2).map(|pair| (pair[0], pair[1]))
    }
}

struct Cursor<'t> {
    table: &'t [u8],
    at: usize,
}

impl Cursor<'_> {
    fn error<T>(&self, reason: &'static str) -> Result<T, StackMapError> {
        Err(StackMapError { offset: self.at, reason })
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], StackMapError> {
        match self.table.get(self.at..).and_then(|rest| rest.first_chunk()) {
            Some(bytes) => {
                self.at += N;
                Ok(*bytes)
            }
            None => self.error("the end of the table"),
        }
    }

    fn u8(&mut self) -> Result<u8, StackMapError> {
        self.bytes().map(u8::from_le_bytes)
    }

    fn u16(&mut self) -> Result<u16, StackMapError> {
        self.bytes().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, StackMapError> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, StackMapError> {
        self.bytes().map(u64::from_le_bytes)
    }

    fn align(&mut self) -> Result<(), StackMapError> {
        while !self.at.is_multiple_of(8) {
            self.u8()?;
        }
        Ok(())
    }

    fn location(&mut self, constants: &[i64]) -> Result<StackMapLocation, StackMapError> {
        let (kind, _, size, register, _) = (self.u8()?, self.u8()?, self.u16()?, self.u16()?, self.u16()?);
        let offset = self.u32()?.cast_signed();
        Ok(match kind {
            1 => StackMapLocation::Register { register, size },
            2 => StackMapLocation::Direct { register, offset, size },
            3 => StackMapLocation::Indirect { register, offset, size },
            4 => StackMapLocation::Constant(offset.into()),
            5 => match constants.get(offset as usize) {
                Some(constant) => StackMapLocation::Constant(*constant),
                None => return self.error("a constant that is not there"),
            },
            _ => return self.error("an unknown kind of location"),
        })
    }

    fn record(
        &mut self,
        constants: &[i64],
    ) -> Result<(u64, u32, Vec<StackMapLocation>, Vec<StackMapLiveOut>), StackMapError> {
        let (id, offset, _, count) = (self.u64()?, self.u32()?, self.u16()?, self.u16()?);
        let locations = (0..count).map(|_| self.location(constants)).collect::<Result<_, _>>()?;
        self.align()?;
        let (_, count) = (self.u16()?, self.u16()?);
        let live_out = |_| Ok(StackMapLiveOut { register: self.u16()?, size: (self.u8()?, self.u8()?).1 });
        let live_outs = (0..count).map(live_out).collect::<Result<_, _>>()?;
        self.align()?;
        Ok((id, offset, locations, live_outs))
    }

    /// One object's table.
    fn object(&mut self, records: &mut Vec<StackMapRecord>) -> Result<(), StackMapError> {
        if self.bytes()? != [3, 0, 0, 0] {
            return self.error("another version than 3");
        }
        let [functions, constants, all] = [self.u32()?, self.u32()?, self.u32()?];
        let mut function = || Ok([self.u64()?, self.u64()?, self.u64()?]);
        let functions = (0..functions).map(|_| function()).collect::<Result<Vec<_>, _>>()?;
        let constants = (0..constants).map(|_| Ok(self.u64()?.cast_signed())).collect::<Result<Vec<_>, _>>()?;
        let before = records.len();
        for [start, size, count] in functions {
            for _ in 0..count {
                let (id, offset, locations, live_outs) = self.record(&constants)?;
                let address = (start as usize).wrapping_add(offset as usize);
                let frame_size = (size != u64::MAX).then_some(size);
                records.push(StackMapRecord { address, id, frame_size, locations, live_outs });
            }
        }
        if records.len() - before != all as usize {
            return self.error("functions with another number of records than the table");
        }
        Ok(())
    }
}

/// Reads stack maps: one table, or several that a linker has put one after another, each aligned to eight bytes.
///
/// # Errors
/// It is not such a table.
pub fn read_stack_maps(table: &[u8]) -> Result<Vec<StackMapRecord>, StackMapError> {
    let mut cursor = Cursor { table, at: 0 };
    let mut records = Vec::new();
    while cursor.at < table.len() {
        cursor.object(&mut records)?;
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Vec<u8> {
        let mut bytes = vec![3, 0, 0, 0];
        for number in [1u32, 1, 1] {
            bytes.extend(number.to_le_bytes());
        }
        for number in [0x1000u64, 24, 1, u64::MAX - 4] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(7u64.to_le_bytes());
        bytes.extend(16u32.to_le_bytes());
        bytes.extend([0, 0, 6, 0]);
        // Three constants, one of which has a value for deoptimization, that value, and a pair.
        for (kind, size, register, offset) in
            [(4, 8, 0, 0), (4, 8, 0, 0), (4, 8, 0, 1), (5, 8, 0, 0), (3, 8, 7, 8), (3, 8, 7, -8)]
        {
            bytes.extend([kind, 0, size, 0, register, 0, 0, 0]);
            bytes.extend(i32::to_le_bytes(offset));
        }
        bytes.extend([0, 0, 1, 0, 3, 0, 0, 8]);
        bytes
    }

    #[test]
    fn reads_a_table() {
        let (record, one) = (read_stack_maps(&table()).unwrap(), table());
        let [record] = &record[..] else { panic!("{record:?}") };
        assert_eq!((record.address, record.id, record.frame_size), (0x1010, 7, Some(24)));
        assert_eq!(record.locations[3], StackMapLocation::Constant(-5));
        let indirect = |offset| StackMapLocation::Indirect { register: 7, offset, size: 8 };
        assert_eq!(record.pairs().collect::<Vec<_>>(), [(indirect(8), indirect(-8))]);
        assert_eq!(record.live_outs, [StackMapLiveOut { register: 3, size: 8 }]);
        assert_eq!(read_stack_maps(&[&one[..], &one[..]].concat()).map(|records| records.len()), Ok(2));
    }

    #[test]
    fn refuses_what_is_no_table() {
        let whole = table();
        for end in 1..whole.len() {
            assert!(read_stack_maps(&whole[..end]).is_err(), "{end}");
        }
        for (at, reason) in
            [(0, "version"), (12, "number of records"), (64, "kind of location"), (64 + 3 * 12 + 8, "constant")]
        {
            let mut broken = whole.clone();
            broken[at] = 9;
            let error = read_stack_maps(&broken).unwrap_err().to_string();
            assert!(error.contains(reason), "{at}: {error}");
        }
    }
}
