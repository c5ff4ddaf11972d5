//! Windows' exceptions: handlers and cleanups that are funclets, the tokens that name them, and scopes in which faults
//! are caught.
//!
//! LLVM LangRef, `catchswitch`, `catchpad`, `cleanuppad`, `catchret`, `cleanupret`, "Funclet Operand Bundles";
//! "Exception Handling in LLVM". The meaning of a pad's operands depends on the personality routine (clang,
//! `MicrosoftCXXABI.cpp`, `CGException.cpp`).

use std::collections::HashMap;

use gusset_codegen::ir::{ConstData, Edge, FunctionBuilder, Opcode, Pad, PadKind, Personality, SymbolId, Type, Value};
use gusset_program::{Argument, Refusal, Result, Val, refuse_if};

use crate::function::{FunctionLowering, Scratch};

/// Set in tokens of pads, and not in those of argument blocks.
const TOKEN_OF_PAD: u32 = 1 << 31;
/// Set in the numbers of stand-ins for pads whose instructions come later.
const STANDS_IN: u32 = 1 << 30;
/// The token `none`.
const NONE: Val = Val(u32::MAX);

/// State about the pads of a function.
#[derive(Default)]
pub(crate) struct Funclets {
    /// For each stand-in, the token that it stands for.
    later: Vec<Option<Val>>,
    /// Handlers with the codes of the exceptions that they caught.
    codes: HashMap<Pad, Value>,
    /// Uses of codes by handlers that precede their definition.
    wanted: Vec<(Pad, Value)>,
    /// A stand-in for a pad's token turned out to stand for something else.
    no_pad: bool,
}

impl Funclets {
    pub fn clear(&mut self) {
        self.later.clear();
        self.codes.clear();
        self.wanted.clear();
        self.no_pad = false;
    }
}

fn no_pad() -> Refusal {
    Refusal::new("the token is none of a `catchpad` or `cleanuppad`")
}

impl FunctionLowering<'_> {
    // Tokens.

    /// `none`, the token.
    pub(crate) fn none_token(&self) -> Val {
        NONE
    }

    /// The pad of a token; none for `none`.
    fn pad_or_none(&self, token: Val) -> Result<Option<Pad>> {
        match token {
            NONE => Ok(None),
            Val(n) if n & TOKEN_OF_PAD != 0 => Ok(Some(Pad(n & !TOKEN_OF_PAD))),
            _ => Err(no_pad()),
        }
    }

    /// The pad of a token.
    pub(crate) fn pad_of(&self, token: Val) -> Result<Pad> {
        self.pad_or_none(token)?.ok_or_else(no_pad)
    }

    fn token(pad: Pad) -> Val {
        Val(TOKEN_OF_PAD | pad.0)
    }

    // Pads.

    /// Checks that the personality routine is one whose pads are known.
    fn check_funclets(&mut self) -> Result<()> {
        self.unwinds = true;
        refuse_if(
            !self.personality.has_funclets(),
            "handlers and cleanups as funclets are supported with the personality routines `__CxxFrameHandler3`, \
             `__C_specific_handler`, `_except_handler3` and `_except_handler4` alone",
        )
    }

    /// `catchswitch` in a parent, with its handlers and its unwind target, none for the caller; returns its token.
    pub fn catch_switch(&mut self, parent: Val, handlers: &[Edge], unwind: Option<Edge>) -> Result<Val> {
        self.check_funclets()?;
        let parent = self.pad_or_none(parent)?;
        let pad = self.b.func.exceptions.make_funclet_pad(PadKind::Switch { parent });
        self.b.catch_switch(pad, handlers, unwind);
        Ok(Self::token(pad))
    }

    /// `catchpad` or `cleanuppad` in a parent, with scalar operands; returns its token.
    pub fn funclet_pad(&mut self, catch: bool, parent: Val, operands: &[Argument]) -> Result<Val> {
        self.check_funclets()?;
        let values: Vec<Value> = operands
            .iter()
            .filter_map(|operand| if let Argument::Value(val, _) = operand { Some(val.value()) } else { None })
            .collect();
        if !catch {
            refuse_if(!operands.is_empty(), "the `cleanuppad` of this personality routine takes no operands")?;
            let parent = self.pad_or_none(parent)?;
            let pad = self.b.func.exceptions.make_funclet_pad(PadKind::Cleanup { parent });
            self.b.cleanup_pad(pad);
            return Ok(Self::token(pad));
        }
        let switch = self.pad_of(parent)?;
        let (what, adjectives, object) = match (self.personality, values[..].len() == operands.len(), &values[..]) {
            (Personality::Cxx, true, &[what, adjectives, object]) => {
                let adjectives = self.b.func.int_constant(adjectives).and_then(|n| u32::try_from(n).ok());
                (what, adjectives.ok_or_else(|| Refusal::new("a handler's adjectives must be a constant"))?, object)
            }
            // Old compilers add C++'s operands after the filter; LLVM reads only the filter.
            (Personality::Scopes | Personality::TryLevels(_), true, &[what, ..]) => (what, 0, self.b.ptr_const(0)),
            (Personality::Cxx, ..) => {
                return Err(Refusal::new("the `catchpad` of C++ has a type, adjectives and the place of the object"));
            }
            _ => return Err(Refusal::new("the `catchpad` of `__except` has a filter")),
        };
        let what = descriptor(&self.b, what)?;
        let pad = self.b.func.exceptions.make_funclet_pad(PadKind::Catch { switch, what, adjectives });
        let code = self.b.catch_pad(pad, object);
        self.s.funclets.codes.insert(pad, code);
        Ok(Self::token(pad))
    }

    /// `catchret`.
    pub fn catch_ret(&mut self, pad: Val, to: Edge) -> Result<()> {
        self.check_funclets()?;
        let pad = self.pad_of(pad)?;
        self.b.catch_ret(pad, to);
        Ok(())
    }

    /// `cleanupret`, to the caller if `to` is none.
    pub fn cleanup_ret(&mut self, pad: Val, to: Option<Edge>) -> Result<()> {
        self.check_funclets()?;
        let pad = self.pad_of(pad)?;
        self.b.cleanup_ret(pad, to);
        Ok(())
    }

    /// `llvm.eh.exceptioncode` of a handler of `__except`.
    pub(crate) fn exception_code(&mut self, token: Val) -> Result<Val> {
        let pad = self.pad_of(token)?;
        refuse_if(
            !matches!(self.personality, Personality::Scopes | Personality::TryLevels(_)),
            "only handlers of `__except` get a code",
        )?;
        // The code is known from the handler's beginning on, not only where the program reads it.
        self.scattered = true;
        if let Some(&code) = self.s.funclets.codes.get(&pad) {
            return Ok(code.into());
        }
        let code = self.b.func.make_pending(Type::I32);
        self.s.funclets.wanted.push((pad, code));
        Ok(code.into())
    }

    /// The beginning of a scope in which exceptions that no call raises go to a pad, or its end: an invoked `llvm.seh.scope.begin`, `.end`,
    /// `llvm.seh.try.begin`, `.end`, the latter two of a `try` block.
    pub(crate) fn scope(&mut self, begins: bool, of_try: bool, normal: Edge, unwind: Edge) {
        let kept = match self.personality {
            _ if self.passes || !self.m.asynchronous => false,
            // C++ cleanups in a function with `__try` are not among its scopes (LLVM, `calculateSEHStateForAsynchEH`).
            Personality::Scopes | Personality::TryLevels(_) => of_try,
            Personality::Cxx => true,
            Personality::Landing => false,
        };
        if !kept {
            return self.push0(Opcode::Jump, 0, Type::VOID, [normal.0, 0, 0]);
        }
        self.unwinds = true;
        match begins {
            true => self.b.begin_scope(normal, unwind),
            false => self.b.end_scope(normal, unwind),
        }
    }

    // The end.

    /// At the end of the function: replaces stand-ins by their pads.
    pub(crate) fn resolve_pads(&mut self) -> Result<()> {
        if !self.b.func.exceptions.has_funclets() {
            // Stand-ins for something else are of no use either.
            return if self.s.funclets.later.is_empty() { Ok(()) } else { Err(no_pad()) };
        }
        if self.s.funclets.no_pad {
            return Err(no_pad());
        }
        self.b.func.exceptions.asynchronous = self.m.asynchronous;
        if !self.s.funclets.later.is_empty() {
            self.rename_pads()?;
        }
        let wanted = std::mem::take(&mut self.s.funclets.wanted);
        for &(pad, code) in &wanted {
            let pad = self.s.renamed(pad).ok_or_else(no_pad)?;
            let known = self.s.funclets.codes.get(&pad);
            let &value = known.ok_or_else(|| Refusal::new("only handlers of `__except` get a code"))?;
            self.b.func.alias(code, value);
        }
        if !wanted.is_empty() {
            self.b.func.resolve_operands();
        }
        Ok(())
    }

    fn rename_pads(&mut self) -> Result<()> {
        let names: Option<Vec<Pad>> =
            (0..self.s.funclets.later.len()).map(|i| self.s.renamed(Pad(STANDS_IN | i as u32))).collect();
        let names = names.ok_or_else(no_pad)?;
        let renamed = |pad: Pad| if pad.0 & STANDS_IN == 0 { pad } else { names[(pad.0 & !STANDS_IN) as usize] };
        let f = &mut *self.b.func;
        f.exceptions.rename_parents(renamed);
        for call in &mut f.calls {
            call.within = call.within.map(renamed);
        }
        for d in &mut f.insts {
            if matches!(d.op, Opcode::CatchRet | Opcode::CleanupRet) {
                d.a = renamed(Pad(d.a)).0;
            }
        }
        Ok(())
    }
}

impl Scratch {
    /// A stand-in for a token that comes later.
    pub(crate) fn pending_token(&mut self) -> Val {
        self.funclets.later.push(None);
        // Each takes a few bytes of text.
        Val(TOKEN_OF_PAD | STANDS_IN | (self.funclets.later.len() as u32 - 1))
    }

    /// A stand-in meets its token.
    pub(crate) fn meet_token(&mut self, stand_in: Val, token: Val) {
        let s = &mut self.funclets;
        s.no_pad |= token.0 & TOKEN_OF_PAD == 0;
        if let Some(later) = s.later.get_mut((stand_in.0 & !(TOKEN_OF_PAD | STANDS_IN)) as usize) {
            *later = Some(token);
        }
    }

    /// The pad that a stand-in stands for, or the pad itself.
    pub(crate) fn renamed(&self, pad: Pad) -> Option<Pad> {
        if pad.0 & STANDS_IN == 0 {
            return Some(pad);
        }
        let token = self.funclets.later.get((pad.0 & !STANDS_IN) as usize).copied().flatten()?;
        let pad = Pad(token.0 & !TOKEN_OF_PAD);
        (token != NONE && pad.0 & STANDS_IN == 0).then_some(pad)
    }
}

/// The symbol of a handler's operand: a type descriptor or a filter.
fn descriptor(b: &FunctionBuilder<'_>, v: Value) -> Result<Option<SymbolId>> {
    match b.func.constant(v) {
        Some(ConstData::Symbol(symbol, 0)) => Ok(Some(symbol)),
        Some(ConstData::Int(0)) => Ok(None),
        _ => Err(Refusal::new("what a `catchpad` takes must be a symbol or `null`")),
    }
}
