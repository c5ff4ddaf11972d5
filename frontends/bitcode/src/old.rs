//! Records of functions from before LLVM 3.7, which leave out the types that pointers point to, as later versions write them.
//!
//! Pointers have no types here, so the types of a function's values are followed by their numbers in the file (`BitcodeReader.cpp`,
//! `parseFunctionBody`, with its type IDs).

use gusset_text::Result;

use crate::bits::{Bits, Entry};
use crate::codes::{block, function as code, is_no_instruction, types as of_type};
use crate::old_types::{Known, NONE, OldTypes, What, known_constants, number};
use crate::tables::Tables;
use crate::types::FunctionType;

/// The records of a function that lack types, as later versions write them.
#[derive(Default, Debug)]
pub(crate) struct Modern {
    /// In the order of the file: the place of the record in bits, its code now, and the end of its fields in the list of all.
    places: Vec<(usize, u64, usize)>,
    fields: Vec<u64>,
    /// The personality routine that the first landing pad names, by the number of its value.
    pub personality: Option<u32>,
}

impl Modern {
    /// Reads the block of a function of a type.
    pub fn of(c: &mut Bits<'_>, head: usize, ty: &FunctionType, tables: &Tables<'_>) -> Result<Modern> {
        let old = tables.old_types()?;
        let locals = ty.params.iter().map(|&ty| Known { ty, what: What::Other }).collect();
        let mut walk = Walk { m: tables, old, locals, made: Modern::default() };
        c.enter_at(head, block::FUNCTION)?;
        loop {
            match c.next()? {
                Entry::End => return Ok(walk.made),
                Entry::Block(block::CONSTANTS) => {
                    c.enter(block::CONSTANTS)?;
                    known_constants(c, &mut walk.locals)?;
                }
                Entry::Block(_) => c.pass_over()?,
                Entry::Record if c.code == code::DECLAREBLOCKS || is_no_instruction(c.code) => {}
                Entry::Record => {
                    if let Some(ty) = walk.instruction(c) {
                        walk.locals.push(Known { ty, what: What::Other });
                    }
                }
            }
        }
    }

    /// The code and fields of the record at a place, if it lacks types.
    pub fn get(&self, place: usize) -> Option<(u64, &[u64])> {
        let at = self.places.binary_search_by_key(&place, |known| known.0).ok()?;
        let start = at.checked_sub(1).map_or(0, |before| self.places[before].2);
        let (_, code, end) = self.places[at];
        Some((code, &self.fields[start..end]))
    }
}

/// The walk over a function.
struct Walk<'t> {
    m: &'t Tables<'t>,
    old: &'t OldTypes,
    /// The function's own values so far.
    locals: Vec<Known>,
    made: Modern,
}

/// An operand: its type, and where its fields end.
type Operand = (u32, usize);

impl Walk<'_> {
    fn next(&self) -> u32 {
        self.m.first_local().wrapping_add(self.locals.len() as u32)
    }

    /// The value with a number.
    fn known(&self, id: u32) -> Known {
        let other = |ty| Known { ty, what: What::Other };
        if let Some(at) = id.checked_sub(self.m.first_local()) {
            return self.locals.get(at as usize).copied().unwrap_or(other(NONE));
        }
        match self.m.globals.get(id as usize) {
            Some(global) => other(self.old.number(of_type::POINTER, &[global.ty.into(), global.space.into()])),
            None => self.old.constants.get(id as usize - self.m.globals.len()).copied().unwrap_or(other(NONE)),
        }
    }

    /// The operand whose number is at an index, with its type after it if it is defined later.
    fn operand(&self, words: &[u64], at: usize) -> Option<Operand> {
        let id = self.next().wrapping_sub(*words.get(at)? as u32);
        match id < self.next() {
            true => Some((self.known(id).ty, at + 1)),
            false => Some((number(*words.get(at + 1)?), at + 2)),
        }
    }

    /// Puts the record at hand into the list: its fields with those between two indices replaced.
    fn put(&mut self, c: &Bits<'_>, code: u64, (start, end): (usize, usize), fields: &[u64]) {
        self.made.fields.extend_from_slice(&c.record()[..start]);
        self.made.fields.extend_from_slice(fields);
        self.made.fields.extend_from_slice(&c.record()[end..]);
        self.made.places.push((c.start, code, self.made.fields.len()));
    }

    /// Takes an instruction, whose record is put into the list if it lacks types. Returns the type of its result if it has one. What is too short
    /// is refused by the reader.
    fn instruction(&mut self, c: &Bits<'_>) -> Option<u32> {
        let words = c.record();
        let field = |at: usize| words.get(at).copied();
        Some(match c.code {
            code::RET | code::BR | code::SWITCH | code::INDIRECTBR | code::UNREACHABLE | code::FENCE => return None,
            code::STORE | code::STOREATOMIC | code::RESUME | code::CLEANUPRET | code::CATCHRET => return None,
            code::CALL | code::INVOKE | code::CALLBR => return self.call(c),
            code::BINOP | code::UNOP | code::FREEZE | code::VSELECT | code::INSERTVAL | code::INSERTELT => {
                self.operand(words, 0)?.0
            }
            code::CAST => number(field(self.operand(words, 0)?.1)?),
            code::CMP | code::CMP2 => self.old.truth(self.operand(words, 0)?.0),
            code::PHI | code::LANDINGPAD => number(field(0)?),
            code::VAARG => number(field(2)?),
            code::EXTRACTELT => self.old.member(self.operand(words, 0)?.0, None),
            code::SHUFFLEVEC => self.shuffle(words)?,
            code::EXTRACTVAL => {
                let (ty, at) = self.operand(words, 0)?;
                words[at..].iter().fold(ty, |ty, &index| self.old.member(ty, Some(index)))
            }
            code::ALLOCA => self.alloca(words)?,
            code::GEP => self.address(words, 2)?,
            code::GEP_OLD | code::INBOUNDS_GEP_OLD => {
                let flags = u64::from(c.code == code::INBOUNDS_GEP_OLD);
                let of = self.old.pointee(self.operand(words, 0)?.0);
                self.put(c, code::GEP, (0, 0), &[flags, of.into()]);
                self.address(words, 0)?
            }
            code::LOAD | code::LOADATOMIC => {
                let (ty, at) = self.operand(words, 0)?;
                let rest = if c.code == code::LOAD { 2 } else { 4 };
                if words.len() != at + rest {
                    return field(at).map(number);
                }
                let of = self.old.pointee(ty);
                self.put(c, c.code, (at, at), &[of.into()]);
                of
            }
            code::STORE_OLD | code::STOREATOMIC_OLD => {
                let now = if c.code == code::STORE_OLD { code::STORE } else { code::STOREATOMIC };
                self.value_of_pointer(c, now)?;
                return None;
            }
            code::ATOMICRMW_OLD => self.value_of_pointer(c, code::ATOMICRMW)?.0,
            code::ATOMICRMW => self.operand(words, self.operand(words, 0)?.1)?.0,
            code::CMPXCHG_OLD => self.exchange(c)?,
            code::CMPXCHG => {
                let (ty, _) = self.operand(words, self.operand(words, 0)?.1)?;
                self.pair(ty)
            }
            code::LANDINGPAD_OLD => {
                let (_, end) = self.operand(words, 1)?;
                let routine = self.next().wrapping_sub(field(1)? as u32);
                self.made.personality.get_or_insert(self.uncast(routine));
                self.put(c, code::LANDINGPAD, (1, end), &[]);
                number(field(0)?)
            }
            _ => NONE,
        })
    }

    /// The constant that a conversion converts.
    fn uncast(&self, mut id: u32) -> u32 {
        for _ in 0..8 {
            let What::Cast(of) = self.known(id).what else { break };
            id = number(of);
        }
        id
    }

    /// The result of a `cmpxchg`.
    fn pair(&self, ty: u32) -> u32 {
        let one = self.old.number(of_type::INTEGER, &[1]);
        self.old.number(of_type::STRUCT_ANON, &[0, ty.into(), one.into()])
    }

    /// Gives the value that stands after a pointer its type, which is what the pointer points to, if it is defined later. Returns the type, and
    /// where the value's fields end.
    fn value_of_pointer(&mut self, c: &Bits<'_>, code: u64) -> Option<Operand> {
        let (ty, at) = self.operand(c.record(), 0)?;
        let of = self.old.pointee(ty);
        let id = self.next().wrapping_sub(*c.record().get(at)? as u32);
        let later: &[u64] = if id < self.next() { &[] } else { &[of.into()] };
        self.put(c, code, (at + 1, at + 1), later);
        Some((of, at + 1))
    }

    /// Before LLVM 3.5 there was one ordering, and before LLVM 3.6 the result was the value alone.
    fn exchange(&mut self, c: &Bits<'_>) -> Option<u32> {
        const RELEASE: u64 = 4;
        const ACQUIRE_RELEASE: u64 = 5;
        let alone = c.record().len() < 8;
        let (ty, at) = self.value_of_pointer(c, if alone { code::CMPXCHG_VALUE } else { code::CMPXCHG })?;
        if alone {
            // The new value, whether it is volatile, the ordering, the scope.
            let [_, _, success, _, ref failure @ ..] = c.record()[at..] else { return Some(ty) };
            if failure.is_empty() {
                self.made.fields.push(if let RELEASE | ACQUIRE_RELEASE = success { success - 2 } else { success });
            }
            self.made.fields.push(0);
            if let Some(last) = self.made.places.last_mut() {
                last.2 = self.made.fields.len();
            }
            return Some(ty);
        }
        Some(self.pair(ty))
    }

    fn shuffle(&self, words: &[u64]) -> Option<u32> {
        let (ty, at) = self.operand(words, 0)?;
        let (mask, _) = self.operand(words, at + 1)?;
        match self.old.get(mask) {
            (of_type::VECTOR, &[len, _, ref rest @ ..]) => {
                let fields: Vec<u64> = [len, self.old.member(ty, None).into()].iter().chain(rest).copied().collect();
                Some(self.old.number(of_type::VECTOR, &fields))
            }
            _ => Some(NONE),
        }
    }

    fn alloca(&self, words: &[u64]) -> Option<u32> {
        let &[of, _, _, flags, ref rest @ ..] = words else { return None };
        let explicit = flags >> 6 & 1 == 1;
        let space = rest.first().copied().unwrap_or(0);
        Some(if explicit { self.old.number(of_type::POINTER, &[of, space]) } else { number(of) })
    }

    /// The type of a `getelementptr` whose operands begin at an index.
    fn address(&self, words: &[u64], at: usize) -> Option<u32> {
        let (base, mut at) = self.operand(words, at)?;
        let (mut of, mut first, mut lanes) = (self.old.pointee(base), true, None);
        let vector = |ty| match self.old.get(ty) {
            (of_type::VECTOR, &[len, ..]) => Some(len),
            _ => None,
        };
        lanes = lanes.or(vector(base));
        while at < words.len() {
            let id = self.next().wrapping_sub(words[at] as u32);
            let (ty, end) = self.operand(words, at)?;
            lanes = lanes.or(vector(ty));
            if !std::mem::take(&mut first) {
                let index = if let What::Number(index) = self.known(id).what { Some(index) } else { None };
                of = self.old.member(of, index);
            }
            at = end;
        }
        let scalar = if vector(base).is_some() { self.old.member(base, None) } else { base };
        let space = match self.old.get(scalar) {
            (of_type::POINTER, &[_, space]) => space,
            _ => 0,
        };
        let pointer = self.old.number(of_type::POINTER, &[of.into(), space]);
        Some(lanes.map_or(pointer, |len| self.old.number(of_type::VECTOR, &[len, pointer.into()])))
    }

    /// Takes a call. Its type is that of the callee.
    fn call(&mut self, c: &Bits<'_>) -> Option<u32> {
        let words = c.record();
        let word = *words.get(1)?;
        let (at, bit) = match c.code {
            code::CALL => (2 + usize::from(word >> 17 & 1 == 1), 15),
            code::INVOKE => (4, 13),
            _ => (4usize.checked_add(usize::try_from(*words.get(3)?).ok()?)?, 15),
        };
        let ty = if word >> bit & 1 == 1 {
            number(*words.get(at)?)
        } else {
            let ty = self.old.pointee(self.operand(words, at)?.0);
            self.put(c, c.code, (at, at), &[ty.into()]);
            let start = self.made.fields.len() - words.len() - 1;
            self.made.fields[start + 1] |= 1 << bit;
            ty
        };
        match self.old.get(ty) {
            (of_type::FUNCTION, &[_, ret, ..]) if self.old.get(number(ret)).0 == of_type::VOID => None,
            (of_type::FUNCTION, &[_, ret, ..]) => Some(number(ret)),
            _ => Some(NONE),
        }
    }
}
