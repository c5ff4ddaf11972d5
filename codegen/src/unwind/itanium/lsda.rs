//! The table that a function's personality routine reads during unwinding: the language-specific data area (Itanium C++
//! ABI, "Exception Handling Tables"; Linux Standard Base, "Exception Frames", for the encoding of addresses).
//!
//! It has a header, the call sites with the landing pad of each, the chains of what the pads catch, the types in
//! descending order up to a base, and the lists of exception specifications after that base.

use std::collections::HashMap;
use std::ops::Range;

use gimli::constants as dw;
use gimli::leb128::write::{self as leb128, sleb128_size, uleb128_size};

use crate::compiled::CompiledFunction;
use crate::ir::Clause;

/// A range of code in which all calls have the same landing pad. Offsets are those of the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Site {
    pub start: u32,
    pub end: u32,
    /// Offset of the landing pad; `None`: exceptions leave the function.
    pub pad: Option<u32>,
    /// Offset of the first action, counted from 1; 0: the pad only cleans up.
    pub action: u32,
}

/// A step of a pad: a type's number, 0 for a cleanup, or a negative number for a list of types; then the distance from
/// that field to the next action, or 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Action {
    pub value: i64,
    pub next: i64,
}

/// The table of a function, without its addresses.
#[derive(Debug, Default)]
pub(crate) struct Lsda {
    /// Offset of the code from which call sites and pads are counted.
    pub base: u32,
    /// Where the part of the code begins that the pads are in, if it is another section's: pads are counted from the byte before it.
    pub pads: Option<u32>,
    /// The number of the part.
    pub part: usize,
    pub sites: Vec<Site>,
    pub actions: Vec<Action>,
    /// Lists of type numbers, each followed by a zero.
    pub filters: Vec<u32>,
    /// The lists hold addresses instead of numbers.
    pub addressed: bool,
    /// Some action names a type, so there is a table of types.
    pub typed: bool,
}

/// Bytes of a table, and where addresses go.
pub(crate) struct Encoded {
    pub bytes: Vec<u8>,
    /// Offset of the types; the type with the highest number comes first.
    pub types: usize,
}

impl Lsda {
    /// The table of a function; `None` if no call has a landing pad. `addressed`: lists of types hold addresses.
    pub fn of(f: &CompiledFunction, addressed: bool) -> Option<Lsda> {
        if !f.has_landing_pads() {
            return None;
        }
        Some(Lsda::of_calls(f, f.limit_call.end..f.code.len() as u32 + 1, addressed))
    }

    /// The same of a part of a function whose parts are in sections of their own, of which each has at most one pad for its calls.
    pub fn of_part(f: &CompiledFunction, part: Range<u32>) -> Option<Lsda> {
        let mut pads = f.call_sites.iter().filter(|site| part.contains(&site.start)).filter_map(|site| site.landing);
        let (pad, _) = pads.next().filter(|_| f.has_landing_pads())?;
        let start = f.parts.iter().rev().copied().find(|&start| start <= pad).unwrap_or(0);
        let part_number = f.parts.partition_point(|&start| start <= part.start);
        Some(Lsda { pads: Some(start), part: part_number, ..Lsda::of_calls(f, part, false) })
    }

    /// The table of the calls in a range, counted from its start.
    fn of_calls(f: &CompiledFunction, range: Range<u32>, addressed: bool) -> Lsda {
        let mut table = Lsda { base: range.start, addressed, ..Lsda::default() };
        let mut chains = Chains::default();
        let mut first = vec![None; f.exceptions.pad_count()];
        for site in f.call_sites.iter().filter(|site| f.parts.is_empty() || range.contains(&site.start)) {
            let (pad, action) = match site.landing {
                Some((at, pad)) => {
                    let action = *first[pad.index()].get_or_insert_with(|| table.chain(&mut chains, f, pad));
                    (Some(at), action)
                }
                None => (None, 0),
            };
            match table.sites.last_mut() {
                Some(last) if last.pad == pad && last.action == action => last.end = site.end,
                _ => table.sites.push(Site { start: site.start, end: site.end, pad, action }),
            }
        }
        table
    }

    /// The offset of a pad's first action.
    fn chain(&mut self, chains: &mut Chains, f: &CompiledFunction, pad: crate::ir::Pad) -> u32 {
        let clauses = f.exceptions.clauses(pad);
        if clauses.is_empty() {
            return 0;
        }
        self.typed = true;
        let mut next = 0;
        if f.exceptions.is_cleanup(pad) {
            next = chains.action(&mut self.actions, 0, 0);
        }
        for &clause in clauses.iter().rev() {
            let value = match clause {
                Clause::Catch(number) => number.into(),
                Clause::Filter { start, len } => self.filter(chains, f.exceptions.filter(start, len)),
            };
            next = chains.action(&mut self.actions, value, next);
        }
        next
    }

    /// The (negative) number of a list of types; equal lists are kept once.
    fn filter(&mut self, chains: &mut Chains, types: &[u32]) -> i64 {
        if let Some(&known) = chains.filters.get(types) {
            return known;
        }
        // In the units of the lists.
        let value = -1 - chains.filters_len as i64;
        for &number in types.iter().chain(&[0]) {
            self.filters.push(number);
            chains.filters_len += if self.addressed { 1 } else { uleb128_size(number.into()) };
        }
        chains.filters.insert(types.to_vec(), value);
        value
    }

    /// The lists of numbers as the table has them.
    pub fn filter_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.filters.iter().for_each(|&t| uleb(&mut bytes, t.into()));
        bytes
    }

    /// Bytes of the call sites.
    pub fn sites_len(&self) -> usize {
        self.sites.iter().flat_map(|s| self.site_numbers(s)).map(|n| uleb128_size(n.into())).sum()
    }

    /// The number that stands for a landing pad.
    pub fn pad_number(&self, pad: u32) -> u32 {
        match self.pads {
            Some(start) => pad - start + 1,
            None => pad - self.base,
        }
    }

    /// The numbers that describe a call site.
    fn site_numbers(&self, s: &Site) -> [u32; 4] {
        [s.start - self.base, s.end - s.start, s.pad.map_or(0, |pad| self.pad_number(pad)), s.action]
    }

    /// The bytes of the table, with `types` types of `width` bytes each, encoded as `encoding` (`DW_EH_PE_*`). If pads are in another
    /// section, the place of the address of that is after the first byte, and has the encoding `direct`.
    pub fn encode(&self, types: usize, encoding: u8, width: usize, direct: u8) -> Encoded {
        // Landing pads are counted from the start of the function.
        let mut bytes = vec![dw::DW_EH_PE_omit.0];
        if self.pads.is_some() {
            bytes[0] = direct;
            // Four or eight bytes, so that what is said below of alignment holds.
            bytes.resize(1 + width, 0);
        }
        let sites_len = self.sites_len();
        let actions_len: usize = self.actions.iter().map(|a| sleb128_size(a.value) + sleb128_size(a.next)).sum();
        let rest = 1 + uleb128_size(sites_len as u64) + sites_len + actions_len;
        if self.typed {
            bytes.push(encoding);
            // The types are aligned, so the distance to their end depends on how many bytes encode it.
            let mut len = 1;
            let distance = loop {
                let padding = (4 - (2 + len + rest) % 4) % 4;
                let distance = (rest + padding + types * width) as u64;
                if uleb128_size(distance) <= len {
                    break distance;
                }
                len = uleb128_size(distance);
            };
            padded_uleb(&mut bytes, distance, len);
        } else {
            bytes.push(dw::DW_EH_PE_omit.0);
        }
        bytes.push(dw::DW_EH_PE_uleb128.0);
        uleb(&mut bytes, sites_len as u64);
        for s in &self.sites {
            for number in self.site_numbers(s) {
                uleb(&mut bytes, number.into());
            }
        }
        for action in &self.actions {
            sleb(&mut bytes, action.value);
            sleb(&mut bytes, action.next);
        }
        if !self.typed {
            return Encoded { types: bytes.len(), bytes };
        }
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let at = bytes.len();
        bytes.resize(at + types * width, 0);
        if self.addressed {
            bytes.resize(bytes.len() + self.filters.len() * width, 0);
        } else {
            bytes.extend(self.filter_bytes());
        }
        Encoded { bytes, types: at }
    }
}

/// Actions by their value and the next action, which is earlier in the table; lists of types by their contents.
#[derive(Default)]
struct Chains {
    places: HashMap<(i64, u32), u32>,
    filters: HashMap<Vec<u32>, i64>,
    filters_len: usize,
    len: usize,
}

impl Chains {
    /// The offset, counted from 1, of an action that is followed by another (0: by none).
    fn action(&mut self, actions: &mut Vec<Action>, value: i64, following: u32) -> u32 {
        if let Some(&known) = self.places.get(&(value, following)) {
            return known;
        }
        let place = self.len as u32 + 1;
        let field = i64::from(place) + sleb128_size(value) as i64;
        let next = if following == 0 { 0 } else { i64::from(following) - field };
        actions.push(Action { value, next });
        self.len += sleb128_size(value) + sleb128_size(next);
        self.places.insert((value, following), place);
        place
    }
}

fn uleb(out: &mut Vec<u8>, value: u64) {
    // Writing to memory does not fail.
    let _ = leb128::unsigned(out, value);
}

fn sleb(out: &mut Vec<u8>, value: i64) {
    // As above.
    let _ = leb128::signed(out, value);
}

/// A number in this many bytes, which may be more than it needs.
fn padded_uleb(out: &mut Vec<u8>, mut value: u64, len: usize) {
    for i in 1..=len {
        let more = if i == len { 0 } else { 0x80 };
        out.push(value as u8 & 0x7f | more);
        value >>= 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiled::CallSite;
    use crate::ir::SymbolId;

    fn site(start: u32, end: u32, landing: Option<(u32, crate::ir::Pad)>) -> CallSite {
        CallSite { start, end, landing }
    }

    /// Three types in two pads that end alike, one of them of cleanups too; what clang-19 writes for the same.
    #[test]
    fn chains_are_shared() {
        let mut f = CompiledFunction::default();
        f.exceptions.personality = Some(SymbolId(0));
        let some = |n| Some(SymbolId(n));
        f.exceptions.type_number(None);
        let all = f.exceptions.make_pad(false);
        f.exceptions.append_catch(None);
        let three = f.exceptions.make_pad(false);
        [some(2), some(3), None].into_iter().for_each(|s| f.exceptions.append_catch(s));
        let cleanup = f.exceptions.make_pad(true);
        f.call_sites = vec![
            site(0x10, 0x15, None),
            site(0x20, 0x25, Some((0x80, three))),
            site(0x30, 0x35, Some((0x80, three))),
            site(0x38, 0x3d, Some((0x90, all))),
            site(0x40, 0x45, Some((0xa0, cleanup))),
        ];
        let table = Lsda::of(&f, false).unwrap();
        assert_eq!(table.sites.len(), 4, "neighbours of the same pad are one");
        let action = |value, next| Action { value, next };
        // Types 2 and 3 were first asked for in this order; the chain ends where that of the other pad begins.
        assert_eq!(table.actions, [action(1, 0), action(3, -3), action(2, -3)]);
        assert_eq!(table.sites.iter().map(|s| s.action).collect::<Vec<_>>(), [0, 5, 1, 0]);
        let encoded = table.encode(3, 0x9b, 4, 0);
        assert_eq!(encoded.types % 4, 0);
        assert_eq!(encoded.bytes.len(), encoded.types + 12);
        assert_eq!(usize::from(encoded.bytes[2]), encoded.bytes.len() - 3, "distance to the end of the types");
    }

    #[test]
    fn lists_of_types_go_by_place() {
        let mut f = CompiledFunction::default();
        f.exceptions.personality = Some(SymbolId(0));
        let pad = f.exceptions.make_pad(true);
        f.exceptions.append_filter(&[Some(SymbolId(1)), Some(SymbolId(2))]);
        f.exceptions.append_filter(&[]);
        f.exceptions.append_filter(&[Some(SymbolId(1)), Some(SymbolId(2))]);
        f.call_sites = vec![site(4, 9, Some((20, pad)))];
        let table = Lsda::of(&f, false).unwrap();
        assert_eq!(table.filters, [1, 2, 0, 0]);
        let values: Vec<i64> = table.actions.iter().map(|a| a.value).collect();
        assert_eq!(values, [0, -1, -4, -1]);
        // In words of addresses the places are the same as long as a number takes a byte.
        let words = Lsda::of(&f, true).unwrap();
        assert_eq!(
            (words.filters.len(), words.encode(2, 0, 4, 0).bytes.len()),
            (4, table.encode(2, 0, 4, 0).bytes.len() + 12)
        );
    }

    /// The distance to the types' end may need a second byte only because of the first one's padding.
    #[test]
    fn the_distance_tells_its_own_length() {
        for count in 1..200u32 {
            let mut f = CompiledFunction::default();
            f.exceptions.personality = Some(SymbolId(0));
            let pad = f.exceptions.make_pad(false);
            (0..count).for_each(|n| f.exceptions.append_catch(Some(SymbolId(n))));
            f.call_sites = vec![site(4, 9, Some((20, pad)))];
            let encoded = Lsda::of(&f, false).unwrap().encode(count as usize, 0x9b, 4, 0);
            let (mut distance, mut at) = (0usize, 2);
            for shift in (0..).step_by(7) {
                distance |= usize::from(encoded.bytes[at] & 0x7f) << shift;
                at += 1;
                if encoded.bytes[at - 1] < 0x80 {
                    break;
                }
            }
            assert_eq!(at + distance, encoded.types + 4 * count as usize, "{count} types");
            assert_eq!(encoded.types % 4, 0);
        }
    }

    #[test]
    fn no_pads_no_table() {
        let mut f = CompiledFunction::default();
        f.exceptions.personality = Some(SymbolId(0));
        f.call_sites = vec![site(4, 9, None)];
        assert!(Lsda::of(&f, false).is_none());
    }
}
