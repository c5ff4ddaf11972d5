//! Exceptions: `invoke`, `landingpad`, `resume`, personality routines and the numbers of types.
//!
//! LLVM LangRef, `invoke`, `landingpad`, `resume`, "Personality Function"; "Exception Handling in LLVM". Windows' own exceptions,
//! whose handlers are functions within functions, are refused.

use gusset_codegen::ir::{ConstData, Opcode, SymbolId, TailKind, Type, Value, check_unwinding};

use crate::body::{Reader, Val};
use crate::error::{ReadError, Result};
use crate::instructions::NOTHING;
use crate::types::{PTR, TypeId};

impl Reader<'_> {
    /// Reads an `invoke` behind its keyword.
    pub fn invoke(&mut self) -> Result<(TypeId, Val)> {
        // Its results are not known everywhere behind it.
        self.far = true;
        self.invoking = true;
        let result = self.call(TailKind::None);
        let throws = std::mem::take(&mut self.invoking);
        let result = result?;
        self.c.expect_word("to")?;
        let normal = self.label()?;
        self.c.expect_word("unwind")?;
        let unwind = self.label()?;
        let (n, u) = (self.edge(normal), self.edge(unwind));
        if throws && !self.passes {
            self.unwinds = true;
            self.b.end_invoke(n, u);
        } else {
            // Neither intrinsics nor assembly throw, and without a personality routine nothing is caught. The other edge only stands for what phis say of it.
            self.push0(Opcode::Jump, 0, Type::VOID, [n.0, 0, 0]);
        }
        Ok(result)
    }

    /// The symbol behind a constant that names a type's information; `None` for `null`.
    fn type_symbol(&self, v: Value, pos: usize) -> Result<Option<SymbolId>> {
        match self.b.func.constant(v) {
            Some(ConstData::Symbol(symbol, 0)) => Ok(Some(symbol)),
            Some(ConstData::Int(0)) => Ok(None),
            _ => Err(ReadError::new(self.c.src, pos, "the type of an exception must be a symbol or `null`")),
        }
    }

    /// Reads a `landingpad` behind its keyword.
    pub fn landing_pad(&mut self) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        self.unwinds |= !self.passes;
        let ty = self.types.parse(&mut self.c)?;
        let mut leaves = Vec::new();
        if self.types.ir(ty) == Type::VOID && self.types.is_sized(ty) && self.scalars(ty) == 2 {
            self.types.flatten(ty, 0, &mut leaves);
        }
        if !matches!(leaves[..], [a, b] if a.ty == PTR && b.ir == Type::I32) {
            return Err(ReadError::new(self.c.src, pos, "the type of a landing pad must be `{ ptr, i32 }`"));
        }
        let cleanup = self.c.eat_word(b"cleanup");
        let pad = self.b.func.exceptions.make_pad(cleanup);
        loop {
            if self.c.eat_word(b"catch") {
                let at = self.c.pos;
                let v = self.pointer()?;
                let symbol = self.type_symbol(v, at)?;
                self.b.func.exceptions.append_catch(symbol);
            } else if self.c.eat_word(b"filter") {
                let at = self.c.pos;
                let array = self.types.parse(&mut self.c)?;
                if self.types.ir(array) != Type::VOID {
                    return Err(ReadError::expected(self.c.src, at, "an array"));
                }
                self.check_aggregate(array, at)?;
                let val = self.constant(array)?;
                let mut symbols = Vec::new();
                for i in 0..self.scalars(array) {
                    symbols.push(self.type_symbol(self.part(array, val, i), at)?);
                }
                self.b.func.exceptions.append_filter(&symbols);
            } else {
                break;
            }
        }
        let (exception, selector) = match self.passes {
            true => (self.b.poison(self.ptr), self.b.poison(Type::I32)),
            false => self.b.landing_pad(pad),
        };
        let start = self.s.aggregates.len();
        self.s.aggregates.extend([exception, selector]);
        Ok((ty, start as Val))
    }

    /// Reads a `resume` behind its keyword.
    pub fn resume(&mut self) -> Result<(TypeId, Val)> {
        let pos = self.c.pos;
        self.unwinds = true;
        let ty = self.types.parse(&mut self.c)?;
        if self.types.ir(ty) != Type::VOID || !self.types.is_sized(ty) || self.scalars(ty) != 2 {
            return Err(ReadError::new(self.c.src, pos, "what is resumed must be the value of a landing pad"));
        }
        let val = self.value(ty)?;
        let exception = self.part(ty, val, 0);
        if self.b.func.value_type(exception) != self.ptr {
            return Err(ReadError::new(self.c.src, pos, "what is resumed must be the value of a landing pad"));
        }
        self.close_trampolines(pos)?;
        self.b.resume(exception);
        Ok(NOTHING)
    }

    /// Reads the personality routine behind the keyword in a function's header.
    pub fn personality(&mut self) -> Result<()> {
        let pos = self.c.pos;
        let v = self.pointer()?;
        match self.b.func.constant(v) {
            Some(ConstData::Symbol(symbol, 0)) => self.b.func.exceptions.personality = Some(symbol),
            // None at all: exceptions pass through the function.
            Some(ConstData::Int(0) | ConstData::Poison) => self.passes = true,
            _ => return Err(ReadError::new(self.c.src, pos, "the personality routine must be a function's symbol")),
        }
        Ok(())
    }

    /// `llvm.eh.typeid.for`, whose argument has been read.
    pub fn type_number(&mut self, pos: usize) -> Result<Value> {
        let (_, v) = self.operand(0, pos)?;
        let symbol = self.type_symbol(v, pos)?;
        let n = self.b.func.exceptions.type_number(symbol);
        Ok(self.b.iconst(Type::I32, n.into()))
    }

    /// At the function's end: exceptions go from invokes to landing pads and nowhere else. A personality routine without landing
    /// pads has nothing to do.
    pub fn settle_unwinding(&mut self) -> Result<()> {
        if !self.unwinds {
            self.b.func.exceptions.personality = None;
            return Ok(());
        }
        check_unwinding(self.b.func).map_err(|(block, _, why)| {
            let pos = self.s.block_pos.get(block.index()).copied().unwrap_or(self.c.pos);
            ReadError::new(self.c.src, pos, format!("exceptions in this block: {why}"))
        })
    }
}
