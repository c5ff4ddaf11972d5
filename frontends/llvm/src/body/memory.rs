//! Reads memory instructions: allocation, access, address arithmetic, atomics.

use gusset_codegen::ir::{Ordering, RmwOp};
use gusset_lower::check_fence;
use gusset_program::{Atomic, I32, I64, Index, Kind, Op, PTR, Sink, TypeId, Val};
use gusset_text::{Placed, Result};

use super::reader::Reader;
use super::values::integer;
use crate::attributes::parse_align;
use crate::lexer::{Cursor, Tokens, unescape};
use crate::types::TypeNames;

impl<'r, E: Sink> Reader<'r, E> {
    /// Reads `, align n`, if it is next.
    #[inline(always)]
    fn align_clause(&mut self) -> Result<Option<u32>> {
        // As printed, with one digit.
        const PRINTED: u64 = u64::from_le_bytes(*b", align ");
        if self.c.eight() == Some(PRINTED)
            && let digit @ (b'1' | b'2' | b'4' | b'8') = self.c.ahead(8)
            && !self.c.ahead(9).is_ascii_digit()
        {
            self.c.pos += 9;
            if !self.c.eat_line_end() {
                self.c.ws();
            }
            return Ok(Some(u32::from(digit - b'0')));
        }
        if self.c.peek() == b',' { self.other_align_clause() } else { Ok(None) }
    }

    #[inline(never)]
    fn other_align_clause(&mut self) -> Result<Option<u32>> {
        let mut next = self.c;
        if next.eat(b',') && next.eat_word(b"align") {
            self.c = next;
            // Code cannot have 4 GB.
            let wide = E::PRESERVES_METADATA && self.c.starts_with(b"4294967296");
            self.c.refuse_if(wide, self.c.pos, "an alignment of 4 GB is not translated")?;
            return parse_align(&mut self.c).map(Some);
        }
        Ok(None)
    }

    /// Reads an `alloca`, after its keyword.
    pub(super) fn alloca(&mut self) -> Result<(TypeId, Val)> {
        let in_block = self.c.eat_word(b"inalloca");
        let error = self.flag(b"swifterror");
        let pos = self.c.pos;
        let of = self.ty()?;
        self.c.refuse_if(!self.is_sized(of), pos, "the type has no size")?;
        let mut align = if E::PRESERVES_METADATA { 0 } else { self.l.types().preferred_align(of) };
        let (mut count, mut ty) = (None, PTR);
        loop {
            if let Some(n) = self.align_clause()? {
                align = n;
                continue;
            }
            let mut next = self.c;
            if !next.eat(b',') || next.peek() == b'!' {
                break;
            }
            if next.eat_word(b"addrspace") {
                let at = next.pos;
                let space = TypeNames::address_space(self.l.types_mut(), &mut next)?;
                if E::PRESERVES_METADATA {
                    ty = space;
                }
                next.refuse_if(space != ty, at, "there is no stack relative to this segment register")?;
                self.c = next;
                continue;
            }
            if count.is_some() {
                break;
            }
            self.c = next;
            let at = self.c.pos;
            let (counted, v) = self.typed_scalar()?;
            if self.l.types().get(counted).kind != Kind::Int {
                return Err(self.c.error_at(at, "the number of elements must be an integer"));
            }
            count = Some(v);
        }
        let fits = !error || count.is_none() && self.l.types().get(of).kind == Kind::Ptr;
        self.c.refuse_if(!fits, pos, "a `swifterror` variable is one pointer")?;
        self.l.op(Op::Alloca { ty, of, count, align, in_block }).at(self.c.src, pos)
    }

    /// Whether values of a type may be in memory. Translation accepts types that are not known here.
    #[inline]
    fn is_sized(&self, ty: TypeId) -> bool {
        E::PRESERVES_METADATA || self.l.types().is_sized(ty)
    }

    /// The alignment of an access without one to a type; 0 to keep it without one.
    #[inline(always)]
    fn own_align(&self, ty: TypeId) -> u32 {
        if E::PRESERVES_METADATA { 0 } else { self.l.types().get(ty).align }
    }

    /// Moves over the comma between the accessed type and the pointer.
    #[inline(always)]
    fn pointed_type(&mut self) -> Result<()> {
        if self.names.pointee(&self.c).is_some() && self.c.peek() != b',' {
            let m = "the type that is accessed must stand before the pointer: `T, T* %p`";
            return Err(self.c.error(m));
        }
        self.c.expect(b',')
    }

    /// Reads a `load`, after its keyword.
    #[inline]
    pub(super) fn load(&mut self) -> Result<(TypeId, Val)> {
        let (atomic, volatile) = access_words(&mut self.c);
        let pos = self.c.pos;
        let ty = self.ty()?;
        self.pointed_type()?;
        let (addr, space) = self.spaced_pointer()?;
        if atomic {
            let (scope, access) = self.atomic_access(volatile, space)?;
            let op = Op::AtomicLoad { ty, addr, access, scope: scope.as_deref() };
            return self.l.op(op).at(self.c.src, pos);
        }
        let align = self.align_clause()?.unwrap_or(self.own_align(ty));
        self.l.op(Op::Load { ty, addr, align, volatile, space }).at(self.c.src, pos)
    }

    /// Reads a `store`, after its keyword.
    #[inline]
    pub(super) fn store(&mut self) -> Result<(TypeId, Val)> {
        let (atomic, volatile) = access_words(&mut self.c);
        let pos = self.c.pos;
        let ty = self.ty()?;
        let val = self.value(ty)?;
        self.c.expect(b',')?;
        let (addr, space) = self.spaced_pointer()?;
        let done = if atomic {
            let (scope, access) = self.atomic_access(volatile, space)?;
            self.l.op(Op::AtomicStore { ty, val, addr, access, scope: scope.as_deref() })
        } else {
            let align = self.align_clause()?.unwrap_or(self.own_align(ty));
            self.l.op(Op::Store { ty, val, addr, align, volatile, space })
        };
        done.at(self.c.src, pos)
    }

    // Address arithmetic.

    /// Reads the flags of a `getelementptr`; returns the bounds of `inrange`, if it is next and preserved.
    #[inline]
    fn gep_flags(&mut self) -> Result<Option<[i128; 2]>> {
        let mut in_range = None;
        while matches!(self.c.peek(), b'i' | b'n') {
            if [b"inbounds" as &[u8], b"nuw", b"nusw"].into_iter().any(|flag| self.flag(flag)) {
                continue;
            }
            if !self.c.eat_word(b"inrange") {
                break;
            }
            if self.c.peek() == b'(' && E::PRESERVES_METADATA {
                self.c.expect(b'(')?;
                let start = integer(&mut self.c)?;
                self.c.expect(b',')?;
                let end = integer(&mut self.c)?;
                self.c.expect(b')')?;
                in_range = Some([start, end]);
            } else if self.c.peek() == b'(' {
                self.c.skip_group()?;
            }
        }
        Ok(in_range)
    }

    /// Reads a `getelementptr` after its keyword, as an instruction or as an expression in parentheses.
    pub(super) fn gep(&mut self, expression: bool) -> Result<(TypeId, Val)> {
        let in_range = self.gep_flags()?;
        if expression {
            self.c.expect(b'(')?;
        }
        let pos = self.c.pos;
        let of = self.ty()?;
        self.c.refuse_if(!self.is_sized(of), pos, "the type has no size")?;
        self.pointed_type()?;
        let base = self.base()?;
        // Constant expressions among the indexes have indexes of their own.
        let first = self.s.indices.len();
        loop {
            if let Some((n, wide)) = self.c.short_index() {
                self.s.indices.push(Index::Number(if wide { I64 } else { I32 }, n.into()));
                continue;
            }
            let mut next = self.c;
            if !next.eat(b',') || next.peek() == b'!' {
                break;
            }
            self.c = next;
            if expression {
                self.c.eat_word(b"inrange");
            }
            let index = self.index()?;
            self.s.indices.push(index);
        }
        if expression {
            self.c.expect(b')')?;
        }
        let (indices, in_range) = (&self.s.indices[first..], in_range.as_ref().map(|bounds| &bounds[..]));
        let done = self.l.op(Op::GetElementPtr { of, base, indices, in_range });
        self.s.indices.truncate(first);
        done.at(self.c.src, pos)
    }

    /// Reads the pointer, or vector of pointers, to which addresses are relative.
    #[inline]
    fn base(&mut self) -> Result<(TypeId, Val)> {
        if let Some(v) = self.local_pointer()? {
            return Ok((PTR, v));
        }
        let at = self.c.pos;
        let base = self.ty()?;
        self.c.unexpected_if(!self.l.types().is_pointer_or_vector(base), at, "`ptr` or a vector of it")?;
        Ok((base, self.value(base)?))
    }

    /// Reads an index.
    #[inline]
    fn index(&mut self) -> Result<Index> {
        let ty = self.ty()?;
        if matches!(self.c.peek(), b'0'..=b'9' | b'-') && self.l.types().get(ty).kind == Kind::Int {
            let n = integer(&mut self.c)?;
            let shift = 64 - self.l.types().ir(ty).bits().min(64);
            return Ok(Index::Number(ty, (n as i64) << shift >> shift));
        }
        Ok(Index::Value(ty, self.value(ty)?))
    }

    // Atomics.

    /// Reads the scope, ordering and alignment of an atomic access.
    fn atomic_access(&mut self, volatile: bool, space: u8) -> Result<(Option<Vec<u8>>, Atomic)> {
        let scope = sync_scope(&mut self.c)?;
        let ordering = ordering(&mut self.c)?;
        Ok((scope, Atomic { ordering, align: self.align_clause()?, volatile, space }))
    }

    /// Reads a `fence`, after its keyword.
    pub(super) fn fence(&mut self) -> Result<(TypeId, Val)> {
        let scope = sync_scope(&mut self.c)?;
        let pos = self.c.pos;
        let ordering = ordering(&mut self.c)?;
        check_fence(ordering).at(self.c.src, pos)?;
        self.l.op(Op::Fence { ordering, scope: scope.as_deref() }).at(self.c.src, pos)
    }

    /// Reads a `cmpxchg`, after its keyword.
    pub(super) fn cmpxchg(&mut self) -> Result<(TypeId, Val)> {
        self.flag(b"weak");
        let volatile = self.c.eat_word(b"volatile");
        let (addr, space) = self.spaced_pointer()?;
        self.c.expect(b',')?;
        let pos = self.c.pos;
        let (of, expected) = self.typed_scalar()?;
        self.c.expect(b',')?;
        let new = self.same_type(of)?;
        let scope = sync_scope(&mut self.c)?;
        let (success, failure) = (ordering(&mut self.c)?, ordering(&mut self.c)?);
        let access = Atomic { ordering: success, align: self.align_clause()?, volatile, space };
        let op = Op::CmpXchg { of, addr, expected, new, access, failure, scope: scope.as_deref() };
        self.l.op(op).at(self.c.src, pos)
    }

    /// Reads an `atomicrmw`, after its keyword.
    pub(super) fn atomicrmw(&mut self) -> Result<(TypeId, Val)> {
        let volatile = self.c.eat_word(b"volatile");
        let word = self.c.peek_text();
        let Some(op) = RmwOp::from_name(word) else {
            return Err(match gusset_program::refusals::atomic_operation(word) {
                Some(why) => self.c.error(why),
                None => self.c.expected("an atomic operation"),
            });
        };
        self.c.bump(word.len());
        let (addr, space) = self.spaced_pointer()?;
        self.c.expect(b',')?;
        let pos = self.c.pos;
        let (ty, val) = self.typed_scalar()?;
        let (scope, access) = self.atomic_access(volatile, space)?;
        let op = Op::AtomicRmw { op, ty, addr, val, access, scope: scope.as_deref() };
        self.l.op(op).at(self.c.src, pos)
    }

    /// Reads a `va_arg`, after its keyword.
    pub(super) fn va_arg(&mut self) -> Result<(TypeId, Val)> {
        let list = self.pointer()?;
        self.c.expect(b',')?;
        let pos = self.c.pos;
        let ty = self.ty()?;
        self.l.op(Op::VaArg { ty, list }).at(self.c.src, pos)
    }
}

fn ordering(c: &mut Cursor<'_>) -> Result<Ordering> {
    let word = c.peek_text();
    let ordering = Ordering::from_name(word).filter(|&o| o != Ordering::NotAtomic);
    let ordering = ordering.ok_or_else(|| c.expected("a memory ordering"))?;
    c.bump(word.len());
    Ok(ordering)
}

/// Reads an optional `syncscope`.
fn sync_scope(c: &mut Cursor<'_>) -> Result<Option<Vec<u8>>> {
    if !c.eat_word(b"syncscope") {
        return Ok(None);
    }
    c.expect(b'(')?;
    let scope = unescape(c.string()?);
    c.expect(b')')?;
    Ok(Some(scope))
}

/// Reads the words at the beginning of an access; returns whether it is atomic, and whether it is volatile.
#[inline(always)]
fn access_words(c: &mut Cursor<'_>) -> (bool, bool) {
    let atomic = c.peek() == b'a' && c.eat_word(b"atomic");
    (atomic, c.peek() == b'v' && c.eat_word(b"volatile"))
}
