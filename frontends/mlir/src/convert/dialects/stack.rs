//! Stack memory of regions, and when it is released.
//!
//! MLIR, "'memref' Dialect", `memref.alloca`: the memory is released when control leaves the region of the closest
//! surrounding operation with the trait `AutomaticAllocationScope`. Those are functions, `memref.alloca_scope`,
//! `scf.for`, `scf.forall`, `scf.parallel`, `affine.for` and `affine.parallel`; `scf.while` is not one.

use gusset_program::{Kind as LlvmKind, PTR, Sink, VOID};
use gusset_text::Result;

use crate::convert::reader::{Ending, Reader};
use crate::convert::region_stack::OnStack;
use crate::syntax::braces::Braces;
use crate::syntax::lexer::{Cursor, Tokens};
use crate::syntax::op::Value;
use crate::syntax::types::Kind;

impl<'r, E: Sink> Reader<'r, E> {
    /// Begins a region whose brace is at `open`; returns the state of the surrounding region.
    pub fn begin_stack(&mut self, open: usize, ending: &Ending, pos: usize) -> Result<OnStack> {
        let (scope, first) = (matches!(ending, Ending::Iterate), self.begin_value());
        let ends = scope || matches!(ending, Ending::Yield);
        let own = OnStack { ends, scope, first, ..OnStack::default() };
        let around = std::mem::replace(&mut self.on_stack, own);
        if scope && self.allocating.binary_search(&open).is_ok() {
            self.save_stack(pos)?;
        }
        Ok(around)
    }

    /// At the end of a region: releases its stack memory, unless a value that it yields may point there. `around`: the
    /// state of the surrounding region.
    pub fn leave_stack(&mut self, around: OnStack, pos: usize) -> Result<()> {
        let own = std::mem::replace(&mut self.on_stack, around);
        let leads_there = |v: &Value| {
            let pointer = v.ty.llvm().is_some_and(|ty| matches!(self.l.types().get(ty).kind, LlvmKind::Ptr));
            let described =
                matches!(self.t.own(v.ty), Some(Kind::Memref(_) | Kind::Unranked { .. } | Kind::Function { .. }));
            v.at >= own.first && (pointer || described)
        };
        let yields = self.ended.as_ref().is_some_and(|(_, values)| values.iter().any(leads_there));
        self.on_stack.stays |= own.stays;
        let releases = if own.allocated { own.scope } else { own.ends && own.described };
        match own.top {
            Some(top) if releases && !own.stays && !yields && self.l.current_block().is_some() => {
                self.call_intrinsic("stackrestore", VOID, &[(PTR, top)], pos).map(drop)
            }
            _ => {
                self.on_stack.allocated |= own.allocated;
                Ok(())
            }
        }
    }

    /// Notes that a descriptor is put on the stack that is needed only inside the current region.
    pub fn enter_stack(&mut self, pos: usize) -> Result<()> {
        self.on_stack.described = true;
        self.save_stack(pos)
    }

    fn save_stack(&mut self, pos: usize) -> Result<()> {
        if self.on_stack.ends && self.on_stack.top.is_none() {
            self.on_stack.top = Some(self.call_intrinsic("stacksave", PTR, &[], pos)?);
        }
        Ok(())
    }

    /// Notes that something is put on the stack that a surrounding scope releases.
    pub fn allocate_on_stack(&mut self) {
        self.on_stack.allocated = true;
    }

    /// After a region whose operation has released what `memref.alloca` allocated there; `before`: whether something
    /// was allocated before it.
    pub fn released_stack(&mut self, before: OnStack) {
        self.on_stack.allocated = before.allocated;
    }
}

const ALLOCA: &[u8] = b"memref.alloca";

fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$')
}

/// The opening braces in `src[from..]`, in order, around some `memref.alloca`. A brace is at `from`.
pub(crate) fn allocating_braces(braces: &mut Braces, src: &[u8], from: usize) -> Vec<usize> {
    let mut places = Vec::new();
    for at in memchr::memmem::find_iter(&src[from..], ALLOCA).map(|at| from + at) {
        if src.get(at + ALLOCA.len()).is_some_and(|&b| is_name(b)) {
            continue;
        }
        let line = &src[..at];
        let line = &line[memchr::memrchr(b'\n', line).map_or(0, |n| n + 1)..];
        if memchr::memchr2(b'"', b'/', line).is_some() || line.last().is_some_and(|&b| is_name(b)) {
            // The word may be in a string or a comment.
            return allocating_by_tokens(src, from);
        }
        places.push(at);
    }
    match places.is_empty() || braces.skip_region(&mut Cursor::new(src, from)).is_err() {
        true => Vec::new(),
        false => around(braces.pairs(), &places),
    }
}

/// The opening braces of pairs around any of these positions. Both lists are in order.
fn around(pairs: &[(usize, usize)], places: &[usize]) -> Vec<usize> {
    let (mut open, mut found, mut next): (Vec<(usize, bool)>, Vec<usize>, usize) = (Vec::new(), Vec::new(), 0);
    for &place in places {
        while let Some(&(at, _)) = pairs.get(next).filter(|pair| pair.0 < place) {
            open.retain(|&(i, _)| pairs[i].1 > at);
            open.push((next, false));
            next += 1;
        }
        open.retain(|&(i, _)| pairs[i].1 > place);
        for (i, known) in open.iter_mut().rev() {
            if std::mem::replace(known, true) {
                break;
            }
            found.push(pairs[*i].0);
        }
    }
    found.sort_unstable();
    found
}

/// Finds the braces around some `memref.alloca` token by token.
fn allocating_by_tokens(src: &[u8], from: usize) -> Vec<usize> {
    // Open braces, and whether each is found already; then those around it are, too.
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut found = Vec::new();
    let mut mark = |open: &mut Vec<(usize, bool)>| {
        for (at, known) in open.iter_mut().rev() {
            if std::mem::replace(known, true) {
                break;
            }
            found.push(*at);
        }
    };
    let mut c = Cursor::new(src, from);
    while !c.at_end() {
        match c.peek() {
            b'"' => match c.quoted() {
                Ok(ALLOCA) => mark(&mut open),
                Ok(_) => {}
                Err(_) => break,
            },
            b'/' if c.ahead(1) == b'/' => c.skip_line(),
            b'{' => {
                open.push((c.pos, false));
                c.pos += 1;
            }
            b'}' => {
                open.pop();
                c.pos += 1;
            }
            b if is_name(b) => {
                let word = c.src[c.pos..].iter().take_while(|&&b| is_name(b)).count();
                if &c.src[c.pos..c.pos + word] == ALLOCA {
                    mark(&mut open);
                }
                c.pos += word;
            }
            _ => c.pos += 1,
        }
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_are_found_by_places_as_by_tokens() {
        let text = b"{ a { %0 = memref.alloca() {x = 1} : m { } } b { c { memref.alloca_scope { } } }
            d { e { memref.alloca } f { memref.alloca } memref.alloca } }";
        let found = allocating_braces(&mut Braces::default(), text, 0);
        assert_eq!(found, allocating_by_tokens(text, 0));
        assert_eq!(found.len(), 5);
        let comment = b"{ { // memref.alloca
            } { \"memref.alloca\" } }";
        assert_eq!(allocating_braces(&mut Braces::default(), comment, 0).len(), 2);
    }
}
