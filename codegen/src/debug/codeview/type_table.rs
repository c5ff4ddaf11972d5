//! The table of types: records with numbers, each record once.

use std::collections::HashMap;

use super::bytes::{Bytes, MAX_RECORD};
use super::records::{SIGNATURE, leaf, simple};

/// Bytes of a record's length and kind.
const PREFIX: usize = 4;
/// Bytes of the member that refers to the rest of a list.
const CONTINUATION: usize = 8;
/// The most bytes of a name that is cut because its class has a long name for linkers, too (LLVM, `mapNameAndUniqueName`).
const MAX_HASHED_NAME: usize = 4096;

/// A record under construction.
pub(super) struct Record {
    bytes: Bytes,
}

impl Record {
    pub fn new(kind: u16) -> Record {
        let mut bytes = Bytes::default();
        bytes.u16(0);
        bytes.u16(kind);
        Record { bytes }
    }

    pub fn u8(mut self, value: u8) -> Record {
        self.bytes.u8(value);
        self
    }

    pub fn u16(mut self, value: u16) -> Record {
        self.bytes.u16(value);
        self
    }

    pub fn u32(mut self, value: u32) -> Record {
        self.bytes.u32(value);
        self
    }

    pub fn size(mut self, value: u64) -> Record {
        self.bytes.size(value);
        self
    }

    /// A name, which is cut if the record would be too long.
    pub fn name(mut self, name: &[u8]) -> Record {
        let room = MAX_RECORD - self.bytes.0.len();
        self.bytes.name(name, room - 1);
        self
    }

    /// The name of a class, and the name by which linkers know it, if it has one. Both are replaced by hashes if the record would
    /// be too long.
    pub fn names(mut self, name: &[u8], unique: &[u8]) -> Record {
        if unique.is_empty() {
            return self.name(name);
        }
        let room = MAX_RECORD - self.bytes.0.len();
        if name.len() + unique.len() + 2 <= room {
            self.bytes.name(name, usize::MAX);
            self.bytes.name(unique, usize::MAX);
            return self;
        }
        let unique = [b"??@", &*hex(&md5::compute(unique).0), b"@"].concat();
        let most = MAX_HASHED_NAME.min(room - unique.len() - 2) - 32;
        let name = [&name[..name.len().min(most)], &hex(&md5::compute(name).0)].concat();
        self.bytes.name(&name, usize::MAX);
        self.bytes.name(&unique, usize::MAX);
        self
    }
}

fn hex(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect()
}

/// Pads a record or a member as `cvinfo.h` wants it: each byte says how many are left.
fn pad(bytes: &mut Vec<u8>) {
    for left in (1..=bytes.len().next_multiple_of(4) - bytes.len()).rev() {
        bytes.push(0xf0 + left as u8);
    }
}

/// A list of members, in as many records as it needs.
pub(super) struct FieldList {
    /// Finished records without their references to the next ones.
    segments: Vec<Vec<u8>>,
    bytes: Vec<u8>,
}

impl FieldList {
    pub fn new() -> FieldList {
        FieldList { segments: Vec::new(), bytes: FieldList::start() }
    }

    fn start() -> Vec<u8> {
        Record::new(leaf::FIELDLIST).bytes.0
    }

    /// Adds a member of a kind. `name` comes last.
    pub fn member(&mut self, kind: u16, name: Option<&[u8]>, fill: impl FnOnce(&mut Bytes)) {
        let mut member = Bytes::default();
        member.u16(kind);
        fill(&mut member);
        if let Some(name) = name {
            let room = MAX_RECORD - PREFIX - CONTINUATION - (member.0.len() - 2);
            member.name(name, room - 1);
        }
        pad(&mut member.0);
        if self.bytes.len() + member.0.len() > MAX_RECORD - CONTINUATION {
            self.segments.push(std::mem::replace(&mut self.bytes, FieldList::start()));
        }
        self.bytes.extend(member.0);
    }
}

/// The table of types.
pub(super) struct TypeTable {
    bytes: Vec<u8>,
    count: u32,
    numbers: HashMap<Box<[u8]>, u32>,
}

impl TypeTable {
    pub fn new() -> TypeTable {
        TypeTable { bytes: Vec::new(), count: 0, numbers: HashMap::new() }
    }

    /// The number of a record, which is added if it is new.
    pub fn add(&mut self, record: Record) -> u32 {
        self.add_bytes(record.bytes.0)
    }

    fn add_bytes(&mut self, mut bytes: Vec<u8>) -> u32 {
        pad(&mut bytes);
        let len = (bytes.len() - 2) as u16;
        bytes[..2].copy_from_slice(&len.to_le_bytes());
        if let Some(&known) = self.numbers.get(&bytes[..]) {
            return known;
        }
        let number = simple::FIRST_RECORD + self.count;
        self.count += 1;
        self.bytes.extend_from_slice(&bytes);
        self.numbers.insert(bytes.into(), number);
        number
    }

    /// Adds a list of members. A record only refers to those before it, so the last part comes first.
    pub fn add_list(&mut self, list: FieldList) -> u32 {
        let mut next = self.add_bytes(list.bytes);
        for mut segment in list.segments.into_iter().rev() {
            let mut rest = Bytes(std::mem::take(&mut segment));
            rest.u16(leaf::INDEX);
            rest.u16(0);
            rest.u32(next);
            next = self.add_bytes(rest.0);
        }
        next
    }

    /// A string.
    pub fn string(&mut self, text: &[u8]) -> u32 {
        self.add(Record::new(leaf::STRING_ID).u32(0).name(text))
    }

    /// The bytes of the section; `None` if there are no types.
    pub fn finish(self) -> Option<Vec<u8>> {
        (self.count > 0).then(|| [&SIGNATURE.to_le_bytes()[..], &self.bytes].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_there_once_and_padded() {
        let mut table = TypeTable::new();
        assert_eq!(table.string(b"ab"), 0x1000);
        assert_eq!(table.string(b"abc"), 0x1001);
        assert_eq!(table.string(b"ab"), 0x1000);
        let bytes = table.finish().unwrap_or_default();
        assert_eq!(bytes[4..16], [10, 0, 5, 0x16, 0, 0, 0, 0, b'a', b'b', 0, 0xf1]);
    }

    #[test]
    fn long_lists_go_on_in_further_records() {
        let mut list = FieldList::new();
        for _ in 0..3 {
            list.member(leaf::ENUMERATE, Some(&[b'x'; 0x8000]), |out| out.u16(3));
        }
        let mut table = TypeTable::new();
        // The first part is not the same as the last one, because it refers to it.
        assert_eq!(table.add_list(list), 0x1002);
    }
}
