//! `.debug_names` (DWARF 5, section 6.1.1): an index of the names of a unit, as LLVM's.

use foldhash::{HashMap, HashMapExt, HashSet};

use gimli::write::{self, DebugInfoOffsets, DebugStrOffsets, EndianVec, UnitEntryId, Writer};
use gimli::{DwTag, LittleEndian, constants as dw};

use super::sections::SectionWriter;
use super::units::{Builder, Entry, IndexedName};
use crate::debug::sections::DebugSectionId;

/// What identifies the form of the table to debuggers.
const AUGMENTATION: &[u8; 8] = b"LLVM0700";

/// What an entry of the index says of the entry around it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Around {
    /// Nothing.
    Unknown,
    /// It is not in the index.
    NotIndexed,
    /// Where it is in the index.
    Indexed,
}

/// A name with its entries, in `sorted`.
struct Name {
    hash: u32,
    /// The place of the string.
    place: usize,
    first: usize,
    count: usize,
}

impl Builder<'_> {
    /// Writes the index of all units that want one.
    pub fn write_names(
        &mut self,
        w: &mut SectionWriter,
        info: &DebugInfoOffsets,
        strings: &DebugStrOffsets,
    ) -> write::Result<()> {
        let mut sorted = std::mem::take(&mut self.names);
        if sorted.is_empty() {
            return Ok(());
        }
        let units: Vec<u32> = (0..self.units.len() as u32).filter(|&unit| self.wants_names(unit)).collect();
        sorted.sort_by_key(|name| strings.get(name.name).0);
        let mut names: Vec<Name> = Vec::new();
        let mut first = 0;
        for chunk in sorted.chunk_by(|a, b| a.name == b.name) {
            let (name, count) = (chunk[0].name, chunk.len());
            let hash = hash(self.strings.get(name));
            names.push(Name { hash, place: strings.get(name).0, first, count });
            first += count;
        }
        let mut hashes: Vec<u32> = names.iter().map(|name| name.hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        let buckets = match hashes.len() {
            count @ 1025.. => count / 4,
            count @ 17.. => count / 2,
            count => count.max(1),
        } as u32;
        names.sort_by_key(|name| (name.hash % buckets, name.hash, name.place));
        let pool = self.entry_pool(&names, &sorted, &units, info)?;

        w.write_u32(0)?;
        w.write_u16(5)?;
        w.write_u16(0)?;
        let numbers = [units.len(), 0, 0, buckets as usize, names.len(), pool.abbreviations.len(), AUGMENTATION.len()];
        numbers.into_iter().try_for_each(|number| w.write_u32(number as u32))?;
        w.write(AUGMENTATION)?;
        for &unit in &units {
            w.offset_in(DebugSectionId::Info, info.unit(self.units[unit as usize].id).0)?;
        }
        let mut next = 0;
        for bucket in 0..buckets {
            let here = names[next..].iter().take_while(|name| name.hash % buckets == bucket).count();
            w.write_u32(if here == 0 { 0 } else { next as u32 + 1 })?;
            next += here;
        }
        names.iter().try_for_each(|name| w.write_u32(name.hash))?;
        names.iter().try_for_each(|name| w.offset_in(DebugSectionId::Str, name.place))?;
        pool.starts.iter().try_for_each(|&start| w.write_u32(start))?;
        w.write(pool.abbreviations.slice())?;
        w.write(&pool.bytes)?;
        let length = w.len() - 4;
        w.write_u32_at(0, length as u32)
    }

    /// The entries of the names, in order.
    fn entry_pool(
        &mut self,
        names: &[Name],
        sorted: &[IndexedName],
        units: &[u32],
        info: &DebugInfoOffsets,
    ) -> write::Result<Pool> {
        let mut pool = Pool {
            abbreviations: EndianVec::new(LittleEndian),
            bytes: Vec::new(),
            starts: Vec::with_capacity(names.len()),
        };
        let mut codes: HashMap<(DwTag, Around), u8> = HashMap::new();
        // Where each entry of the tree is first in the pool, and the fields that refer to such places.
        let mut places: HashMap<(u32, UnitEntryId), u32> = HashMap::with_capacity(sorted.len());
        let indexed: HashSet<_> = sorted.iter().map(|name| (name.entry.unit, name.entry.id)).collect();
        let mut fields: Vec<(usize, (u32, UnitEntryId))> = Vec::new();
        for name in names {
            pool.starts.push(pool.bytes.len() as u32);
            for indexed_name in &sorted[name.first..name.first + name.count] {
                let entry = indexed_name.entry;
                let unit = self.units[entry.unit as usize].id;
                let around = self.around(entry).map(|around| (entry.unit, around));
                let kind = match around {
                    None => Around::Unknown,
                    Some(around) if indexed.contains(&around) => Around::Indexed,
                    Some(_) => Around::NotIndexed,
                };
                let new = codes.len() as u8 + 1;
                let code = *codes.entry((indexed_name.tag, kind)).or_insert(new);
                if code == new {
                    pool.abbreviation(code, indexed_name.tag, kind, units.len() > 1)?;
                }
                places.entry((entry.unit, entry.id)).or_insert(pool.bytes.len() as u32);
                pool.bytes.push(code);
                if units.len() > 1 {
                    let number = units.binary_search(&entry.unit).unwrap_or(0);
                    pool.bytes.extend((number as u32).to_le_bytes());
                }
                let offset = info.entry(unit, entry.id).ok_or(write::Error::InvalidReference)?.0 - info.unit(unit).0;
                pool.bytes.extend((offset as u32).to_le_bytes());
                if let Some(around) = around.filter(|_| kind == Around::Indexed) {
                    fields.push((pool.bytes.len(), around));
                    pool.bytes.extend([0; 4]);
                }
            }
            pool.bytes.push(0);
        }
        for (at, around) in fields {
            let place = places.get(&around).copied().unwrap_or(0);
            pool.bytes[at..at + 4].copy_from_slice(&place.to_le_bytes());
        }
        pool.abbreviations.write_u8(0)?;
        Ok(pool)
    }

    /// The entry around another; `None` if it only declares something.
    fn around(&mut self, entry: Entry) -> Option<UnitEntryId> {
        let unit = self.gimli_unit(entry.unit);
        let id = unit.get(entry.id).parent()?;
        let declares = unit.get(id).get(dw::DW_AT_declaration).is_some();
        (!declares).then_some(id)
    }
}

/// The entries of an index.
struct Pool {
    abbreviations: EndianVec<LittleEndian>,
    bytes: Vec<u8>,
    /// Where the entries of each name begin.
    starts: Vec<u32>,
}

impl Pool {
    fn abbreviation(&mut self, code: u8, tag: DwTag, around: Around, units: bool) -> write::Result<()> {
        let out = &mut self.abbreviations;
        out.write_uleb128(code.into())?;
        out.write_uleb128(tag.0.into())?;
        let parent = match around {
            Around::Unknown => None,
            Around::NotIndexed => Some((dw::DW_IDX_parent, dw::DW_FORM_flag_present)),
            Around::Indexed => Some((dw::DW_IDX_parent, dw::DW_FORM_ref4)),
        };
        let unit = units.then_some((dw::DW_IDX_compile_unit, dw::DW_FORM_data4));
        for (name, form) in [unit, Some((dw::DW_IDX_die_offset, dw::DW_FORM_ref4)), parent].into_iter().flatten() {
            out.write_uleb128(name.0.into())?;
            out.write_uleb128(form.0.into())?;
        }
        out.write(&[0, 0])
    }
}

/// The hash of a name: Bernstein's, over the name in lower case (DWARF 5, section 6.1.1.4.5 and 7.33).
fn hash(name: &[u8]) -> u32 {
    let step = |hash: u32, byte: u8| hash.wrapping_mul(33).wrapping_add(byte.into());
    match std::str::from_utf8(name) {
        Ok(text) if !name.is_ascii() => text.chars().fold(5381, |hash, c| {
            let mut buffer = [0; 4];
            folded(c).encode_utf8(&mut buffer).bytes().fold(hash, step)
        }),
        _ => name.iter().map(u8::to_ascii_lowercase).fold(5381, step),
    }
}

/// A letter without the difference of capitals. Turkish letters count as `i`.
fn folded(c: char) -> char {
    if matches!(c, '\u{130}' | '\u{131}') {
        return 'i';
    }
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_llvm() {
        // `llvm-dwarfdump --debug-names` of a table that LLVM wrote.
        assert_eq!(hash(b"main"), 0x7c9a_7f6a);
        assert_eq!(hash(b"INT"), hash(b"int"));
        assert_eq!(hash(b"int"), 0x0b88_8030);
    }
}
