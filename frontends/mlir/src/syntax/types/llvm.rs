//! The types of the dialect `llvm`, which have no prefix inside each other.
//!
//! MLIR, "'llvm' Dialect", "Types".

use gusset_program::{
    BF16, F16, F32, F64, F80, F128, Foreign, I64, Kind as LlvmKind, LABEL, MAX_DEPTH, METADATA, PTR, TOKEN, TypeId,
    TypeTable, VOID,
};
use gusset_text::{Placed, Result, Source};

use super::{Pointee, Ty, Types};
use crate::syntax::lexer::{Cursor, Tokens};

impl Types {
    /// Reads a type inside one of LLVM's, where these need no prefix.
    pub fn llvm_inner(&mut self, llvm: &mut TypeTable, c: &mut Cursor) -> Result<TypeId> {
        let pos = c.pos;
        let word = c.peek_word();
        let own = [
            &b"ptr"[..],
            b"struct",
            b"array",
            b"vec",
            b"func",
            b"void",
            b"token",
            b"metadata",
            b"label",
            b"x86_amx",
            b"x86_mmx",
            b"ppc_fp128",
            b"target",
            b"float",
            b"double",
            b"half",
            b"bfloat",
        ];
        if own.contains(&word) {
            c.bump(word.len());
            return self.llvm_named(llvm, word, c, pos);
        }
        let ty = self.parse(llvm, c)?;
        match self.foreign(ty) {
            Some((why, _)) => Err(c.error_at(pos, why)),
            None => {
                self.converted |= ty.llvm().is_none();
                Ok(self.whole(ty))
            }
        }
    }

    pub(super) fn llvm_named(
        &mut self,
        llvm: &mut TypeTable,
        word: &[u8],
        c: &mut Cursor,
        pos: usize,
    ) -> Result<TypeId> {
        if self.depth >= MAX_DEPTH {
            return Err(c.error(format!("the type is nested deeper than {MAX_DEPTH}")));
        }
        self.depth += 1;
        let ty = self.llvm_type(llvm, word, c, pos);
        self.depth -= 1;
        ty
    }

    pub fn llvm_type(&mut self, llvm: &mut TypeTable, word: &[u8], c: &mut Cursor, pos: usize) -> Result<TypeId> {
        match word {
            b"ptr" => self.pointer(llvm, c, pos),
            b"struct" => self.structure(llvm, c, pos),
            b"array" => {
                c.expect(b'<')?;
                let len = c.number()?;
                c.expect_word("x").or_else(|_| self.times(c))?;
                let element = self.llvm_inner(llvm, c)?;
                c.expect(b'>')?;
                llvm.array(element, len).at(c.src, pos)
            }
            b"vec" => {
                c.expect(b'<')?;
                let scalable = c.peek() == b'?';
                c.refuse_if(scalable && !llvm.carries(), pos, gusset_program::refusals::SCALABLE)?;
                if scalable {
                    c.bump(1);
                    c.expect_word("x").or_else(|_| self.times(c))?;
                }
                let len = c.number32()?;
                c.expect_word("x").or_else(|_| self.times(c))?;
                let lane = self.llvm_inner(llvm, c)?;
                c.expect(b'>')?;
                let made =
                    if scalable { llvm.foreign_type(Foreign::Scalable { lane, len }) } else { llvm.vector(lane, len) };
                made.at(c.src, pos)
            }
            b"x86_amx" if llvm.carries() => llvm.foreign_type(Foreign::Named("x86_amx")).at(c.src, pos),
            b"x86_mmx" if llvm.carries() => llvm.foreign_type(Foreign::Named("x86_mmx")).at(c.src, pos),
            b"ppc_fp128" if llvm.carries() => llvm.foreign_type(Foreign::Named("ppc_fp128")).at(c.src, pos),
            b"target" if llvm.carries() => self.target_type(llvm, c, pos),
            // A function type is only used as a pointee.
            b"func" => {
                c.skip_group()?;
                Ok(PTR)
            }
            // As LLVM 20 reads it.
            b"x86_mmx" => llvm.vector(I64, 1).at(c.src, pos),
            b"void" => Ok(VOID),
            b"token" => Ok(TOKEN),
            b"metadata" => Ok(METADATA),
            b"label" => Ok(LABEL),
            b"half" => Ok(F16),
            b"bfloat" => Ok(BF16),
            b"float" => Ok(F32),
            b"double" => Ok(F64),
            b"fp128" => Ok(F128),
            b"x86_fp80" => Ok(F80),
            _ if word.first() == Some(&b'i') => {
                let bits = std::str::from_utf8(&word[1..]).ok().and_then(|n| n.parse().ok());
                let bits = bits.ok_or_else(|| c.expected_at(pos, "a type"))?;
                llvm.integer(bits).at(c.src, pos)
            }
            _ => {
                let name = String::from_utf8_lossy(word);
                Err(c.error_at(pos, format!("values of type `!llvm.{name}` are not supported")))
            }
        }
    }

    /// Reads `!llvm.func<i32 (ptr, ...)>` as the function type that it is.
    pub fn function_type(&mut self, llvm: &mut TypeTable, c: &mut Cursor) -> Result<TypeId> {
        let pos = c.pos;
        c.bump(b"!llvm.func".len());
        c.expect(b'<')?;
        let ret = self.llvm_inner(llvm, c)?;
        let (mut params, mut variadic) = (Vec::new(), false);
        c.expect(b'(')?;
        let mut more = !c.eat(b')');
        while more {
            if c.starts_with(b"...") {
                c.bump(3);
                variadic = true;
            } else {
                params.push(self.llvm_inner(llvm, c)?);
            }
            more = c.more(b')')?;
        }
        c.expect(b'>')?;
        llvm.foreign_type(Foreign::Function { ret, params, variadic }).at(c.src, pos)
    }

    /// Reads what follows `target`: `<"name", types, numbers>`.
    fn target_type(&mut self, llvm: &mut TypeTable, c: &mut Cursor, pos: usize) -> Result<TypeId> {
        c.expect(b'<')?;
        let mut text = vec![b'"'];
        text.extend_from_slice(c.quoted()?);
        text.push(b'"');
        while c.eat(b',') {
            text.extend_from_slice(b", ");
            if c.peek().is_ascii_digit() {
                text.extend_from_slice(c.number()?.to_string().as_bytes());
                continue;
            }
            let at = c.pos;
            let ty = self.llvm_inner(llvm, c)?;
            match (llvm.get(ty).kind, ty.word()) {
                (LlvmKind::Int, _) => text.extend_from_slice(format!("i{}", llvm.bits(ty)).as_bytes()),
                (LlvmKind::Void | LlvmKind::Float, Some(word)) => text.extend_from_slice(word.as_bytes()),
                (LlvmKind::Ptr, Some(word)) if ty == PTR => text.extend_from_slice(word.as_bytes()),
                _ => return Err(c.error_at(at, "a target's type of such a type is not supported")),
            }
        }
        c.expect(b'>')?;
        llvm.foreign_type(Foreign::Target(text)).at(c.src, pos)
    }

    /// Takes an `x` directly before a word, as in `4 xi32`.
    fn times(&self, c: &mut Cursor) -> Result<()> {
        c.unexpected_if(c.peek() != b'x', c.pos, "`x`")?;
        c.pos += 1;
        c.ws();
        Ok(())
    }

    /// Reads what follows `ptr`: an address space, or an old-style pointee, which is dropped.
    fn pointer(&mut self, llvm: &mut TypeTable, c: &mut Cursor, pos: usize) -> Result<TypeId> {
        let mut space = 0;
        if c.peek() == b'<' {
            c.expect(b'<')?;
            if c.peek().is_ascii_digit() {
                space = c.number32()?;
            } else {
                self.pointee = self.pointee.or(Some(Pointee::Spelled(c.pos)));
                c.skip_untyped()?;
                while c.peek() == b'*' {
                    c.bump(1);
                }
                if c.eat(b',') {
                    space = c.number32()?;
                }
            }
            c.expect(b'>')?;
        }
        llvm.pointer_into(space).at(c.src, pos)
    }

    /// Reads a struct after the word, or finds it among earlier ones of the same spelling.
    fn structure(&mut self, llvm: &mut TypeTable, c: &mut Cursor, pos: usize) -> Result<TypeId> {
        let start = c.pos;
        let ty = self.spelled(c, start, |types, c| types.new_structure(llvm, c, pos).map(Ty::of))?;
        Ok(self.whole(ty))
    }

    fn new_structure(&mut self, llvm: &mut TypeTable, c: &mut Cursor, pos: usize) -> Result<TypeId> {
        c.expect(b'<')?;
        if c.peek() == b'"' {
            let mut name = crate::syntax::lexer::unescape(c.quoted()?);
            if !c.eat(b',') || c.eat_word(b"opaque") {
                c.expect(b'>')?;
                return Ok(self.named_structure(llvm, name));
            }
            let (members, packed) = self.members(llvm, c)?;
            // A part of the module may use the form that MLIR's conversion has made of it already.
            if self.converted {
                name.splice(0..0, *b"_Converted.");
            }
            let id = self.named_structure(llvm, name);
            if matches!(llvm.get(id).kind, LlvmKind::Opaque) {
                llvm.define(id, &members, packed).at(c.src, pos)?;
            } else if !self.is_struct(llvm, id, &members, packed) {
                return Err(c.error_at(pos, "a struct of this name has other members elsewhere"));
            }
            c.expect(b'>')?;
            return Ok(id);
        }
        let (members, packed) = self.members(llvm, c)?;
        c.expect(b'>')?;
        llvm.structure(&members, packed).at(c.src, pos)
    }

    /// The struct with a name, which has members as soon as they are known.
    fn named_structure(&mut self, llvm: &mut TypeTable, name: Vec<u8>) -> TypeId {
        *self.structs.entry(name).or_insert_with_key(|name| {
            let id = llvm.opaque();
            llvm.set_name(id, name);
            id
        })
    }

    fn is_struct(&self, llvm: &TypeTable, id: TypeId, wanted: &[TypeId], tight: bool) -> bool {
        match llvm.get(id).kind {
            LlvmKind::Struct { start, len, packed } => {
                let members = llvm.members(start, len).iter().map(|m| m.ty);
                packed == tight && members.eq(wanted.iter().copied())
            }
            _ => false,
        }
    }

    fn members(&mut self, llvm: &mut TypeTable, c: &mut Cursor) -> Result<(Vec<TypeId>, bool)> {
        let packed = c.eat_word(b"packed");
        c.expect(b'(')?;
        let mut members = Vec::new();
        let mut more = !c.eat(b')');
        while more {
            members.push(self.llvm_inner(llvm, c)?);
            more = c.more(b')')?;
        }
        Ok((members, packed))
    }

    /// The type in the spelling of LLVM's own text, with typed pointers: `i8*`.
    pub(super) fn quoted(&mut self, llvm: &mut TypeTable, text: &[u8], c: &Cursor, pos: usize) -> Result<TypeId> {
        if text.ends_with(b"*") {
            // The text is part of the source.
            let from = text.as_ptr().addr() - c.src.as_ptr().addr();
            self.pointee = self.pointee.or(Some(Pointee::Text(from, from + text.len() - 1)));
            return Ok(PTR);
        }
        self.whole_text(llvm, text).map_err(|_| c.error_at(pos, "this spelling of a type is not supported"))
    }

    fn whole_text(&mut self, llvm: &mut TypeTable, text: &[u8]) -> Result<TypeId> {
        let mut inner = Cursor::new(text, 0);
        inner.ws();
        let ty = self.text_type(llvm, &mut inner, 0)?;
        inner.unexpected_if(!inner.at_end(), inner.pos, "the end of the type")?;
        Ok(ty)
    }

    /// Reads all named structs of a text, so that they precede what is read later. Anything else is left to its reader.
    pub fn read_named_structs(&mut self, llvm: &mut TypeTable, src: Source) {
        for at in memchr::memmem::find_iter(src.text, b"struct<\"") {
            let _ = self.llvm_inner(llvm, &mut Cursor::new(src.text, at));
        }
    }

    /// The pointee of a pointer.
    pub fn pointed_to(&mut self, llvm: &mut TypeTable, src: Source, pointee: Pointee) -> Result<Ty> {
        match pointee {
            Pointee::Spelled(at) => self.llvm_inner(llvm, &mut Cursor::new(src.text, at)).map(Ty::of),
            Pointee::Text(from, to) => {
                let text = src.text.get(from..to).unwrap_or_default();
                let unknown = |_| src.error(from, "this spelling of a type is not supported");
                self.whole_text(llvm, text).map(Ty::of).map_err(unknown)
            }
        }
    }
}
