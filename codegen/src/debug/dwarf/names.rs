//! `.debug_names` (DWARF 5, section 6.1.1): an index of the names of a unit, as LLVM's.

use foldhash::{HashMap, HashMapExt};

use gimli::{DwTag, constants as dw};

use super::entries::{EntryId, UnitPlaces};
use super::sections::DwarfWriter;
use super::units::{Builder, Entry, IndexedName};
use crate::debug::sections::DebugSectionId;
use crate::debug::to_zero;

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
    place: u32,
    first: usize,
    count: usize,
}

impl Builder<'_> {
    /// Writes the index of all units that want one.
    pub fn write_names(&mut self, w: &mut DwarfWriter, places: &[UnitPlaces]) {
        let mut sorted = std::mem::take(&mut self.names);
        if sorted.is_empty() {
            return;
        }
        let units: Vec<u32> = (0..self.units.len() as u32).filter(|&unit| self.wants_names(unit)).collect();
        sorted.sort_by_key(|name| name.name);
        let mut names: Vec<Name> = Vec::new();
        let mut first = 0;
        for chunk in sorted.chunk_by(|a, b| a.name == b.name) {
            let (place, count) = (chunk[0].name, chunk.len());
            let hash = hash(to_zero(&self.strings.out.bytes[place as usize..]));
            names.push(Name { hash, place, first, count });
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
        names.sort_unstable_by_key(|name| (name.hash % buckets, name.hash, name.place));
        let pool = self.entry_pool(&names, &sorted, &units, places);

        let start = w.begin_length();
        w.u16(5);
        w.u16(0);
        let numbers = [units.len(), 0, 0, buckets as usize, names.len(), pool.abbreviations.len(), AUGMENTATION.len()];
        numbers.into_iter().for_each(|number| w.u32(number as u32));
        w.bytes.extend(AUGMENTATION);
        units.iter().for_each(|&unit| w.offset_in(DebugSectionId::Info, places[unit as usize].unit));
        let mut next = 0;
        for bucket in 0..buckets {
            let here = names[next..].iter().take_while(|name| name.hash % buckets == bucket).count();
            w.u32(if here == 0 { 0 } else { next as u32 + 1 });
            next += here;
        }
        names.iter().for_each(|name| w.u32(name.hash));
        names.iter().for_each(|name| w.offset_in(DebugSectionId::Str, name.place as usize));
        pool.starts.iter().for_each(|&start| w.u32(start));
        w.append(&pool.abbreviations);
        w.append(&pool.entries);
        w.end_length(start);
    }

    /// The entries of the names, in order.
    fn entry_pool(&self, names: &[Name], sorted: &[IndexedName], units: &[u32], places: &[UnitPlaces]) -> Pool {
        let mut pool = Pool {
            abbreviations: DwarfWriter::new(self.facts.endian),
            entries: DwarfWriter::new(self.facts.endian),
            starts: Vec::with_capacity(names.len()),
        };
        let mut codes: HashMap<(DwTag, Around), u8> = HashMap::new();
        // Where each entry of the tree is first in the pool, and the fields that refer to such places.
        let mut first: HashMap<Entry, Option<u32>> = sorted.iter().map(|name| (name.entry, None)).collect();
        let mut fields: Vec<(usize, Entry)> = Vec::new();
        for name in names {
            pool.starts.push(pool.entries.len() as u32);
            for &IndexedName { entry, tag, .. } in &sorted[name.first..name.first + name.count] {
                let around = self.around(entry).map(|id| Entry { id, ..entry });
                let kind = match around {
                    None => Around::Unknown,
                    Some(around) if first.contains_key(&around) => Around::Indexed,
                    Some(_) => Around::NotIndexed,
                };
                let new = codes.len() as u8 + 1;
                let code = *codes.entry((tag, kind)).or_insert(new);
                if code == new {
                    pool.abbreviation(code, tag, kind, units.len() > 1);
                }
                let out = &mut pool.entries;
                first.entry(entry).or_default().get_or_insert(out.len() as u32);
                out.u8(code);
                if units.len() > 1 {
                    out.u32(units.binary_search(&entry.unit).unwrap_or(0) as u32);
                }
                out.u32(places[entry.unit as usize].entries[entry.id.index()]);
                if let Some(around) = around.filter(|_| kind == Around::Indexed) {
                    fields.push((out.len(), around));
                    out.u32(0);
                }
            }
            pool.entries.u8(0);
        }
        for (at, around) in fields {
            pool.entries.set_u32(at, first.get(&around).copied().flatten().unwrap_or(0));
        }
        pool.abbreviations.u8(0);
        pool
    }

    /// The entry around another; `None` if it only declares something.
    fn around(&self, entry: Entry) -> Option<EntryId> {
        let entries = &self.units[entry.unit as usize].entries;
        entries.parent(entry.id).filter(|&id| !entries.has(id, dw::DW_AT_declaration))
    }
}

/// The entries of an index.
struct Pool {
    abbreviations: DwarfWriter,
    entries: DwarfWriter,
    /// Where the entries of each name begin.
    starts: Vec<u32>,
}

impl Pool {
    fn abbreviation(&mut self, code: u8, tag: DwTag, around: Around, units: bool) {
        let out = &mut self.abbreviations;
        out.uleb128(code.into());
        out.uleb128(tag.0.into());
        let parent = match around {
            Around::Unknown => None,
            Around::NotIndexed => Some((dw::DW_IDX_parent, dw::DW_FORM_flag_present)),
            Around::Indexed => Some((dw::DW_IDX_parent, dw::DW_FORM_ref4)),
        };
        let unit = units.then_some((dw::DW_IDX_compile_unit, dw::DW_FORM_data4));
        for (name, form) in [unit, Some((dw::DW_IDX_die_offset, dw::DW_FORM_ref4)), parent].into_iter().flatten() {
            out.uleb128(name.0.into());
            out.uleb128(form.0.into());
        }
        out.u16(0);
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
