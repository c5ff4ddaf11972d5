//! The conventions of 32-bit x86 for C types: which rules a call follows, and the resulting ABI.

use crate::chain::static_chain;
use crate::families::i386::call::{Call, Vectorcall, finish};
use crate::families::i386::{argblock, llvm, sysv, vectorcall, windows};
use crate::prelude::*;
use crate::walk::{Argument, Rules, walk};

impl Rules for Call<'_> {
    fn this_first(&self) -> bool {
        self.this_first
    }

    fn c_result(&mut self, ty: &CType, layout: Layout, mode: &mut PassMode) -> Result<(), AbiError> {
        if self.vectorcall.is_some()
            && let Some(found) = vectorcall::result(self, ty)?
        {
            mode.set(found);
            return Ok(());
        }
        mode.set(match self.by_microsoft() {
            true => windows::result(self, ty, layout)?,
            false => sysv::result(self, ty, layout)?,
        });
        Ok(())
    }

    fn c_argument(&mut self, ty: &CType, argument: &Argument, mode: &mut PassMode) -> Result<(), AbiError> {
        mode.set(match self.by_microsoft() {
            true => windows::argument(self, ty, argument)?,
            false => sysv::argument(self, ty, argument)?,
        });
        Ok(())
    }

    fn var_area(&mut self) -> VarArea {
        VarArea::pointer(4, self.engine.stack_bytes())
    }
}

/// The ABI of a function or call in a convention of 32-bit x86.
pub(crate) fn classify(target: &AbiTarget, signature: &Signature, abi: &mut FnAbi) -> Result<(), AbiError> {
    if llvm::is_llvm(signature) {
        return llvm::classify(target, signature, abi);
    }
    let mut call = Call::new(target, signature)?;
    if call.convention == Convention::Vectorcall {
        call.vectorcall = Some(vectorcall::look_ahead(&mut call, signature)?);
    }
    walk(target, signature, &mut call, abi)?;
    if let Some(Vectorcall { waiting, filled, .. }) = call.vectorcall.take() {
        waiting.place(filled, &mut abi.args)?;
    }
    if call.block && call.variadic && signature.params.iter().any(|p| matches!(p.ty, AbiType::C(CType::Vector { .. })))
    {
        return Err(AbiError::new(Subject::Signature, "vectors beside an argument block in a variadic function"));
    }
    let first = abi.args.first().map_or(&[][..], |arg| arg.mode.pieces());
    if call.block && call.convention == Convention::Thiscall && first.iter().all(|piece| piece.reg().is_none()) {
        return Err(AbiError::new(Subject::Param(0), "__thiscall wants `this`, a pointer, before an argument block"));
    }
    let arg_block = call.block.then(|| argblock::build(signature.named(), abi));
    let chain = static_chain(target, call.convention);
    let in_use = |mode: &PassMode| match mode {
        PassMode::Indirect { pointer, .. } => pointer.reg() == Some(chain),
        mode => mode.pieces().iter().any(|piece| piece.reg() == Some(chain)),
    };
    let address_in_use = matches!(abi.ret.mode, PassMode::Indirect { .. }) && in_use(&abi.ret.mode);
    let chain_in_use = address_in_use || abi.args.iter().any(|arg| in_use(&arg.mode));
    abi.callee_pop_bytes = call.popped(&abi.ret.mode);
    abi.arg_block = arg_block;
    finish(target, signature, &call.engine, (!chain_in_use).then_some(chain), abi)
}

/// `va_arg`: a pointer that moves over the slots. It finds what callers pass; clang 19 does not in the cases listed in
/// [`sysv32`](super::sysv).
pub(crate) fn va_arg(target: &AbiTarget, ty: &CType, layout: Layout) -> Result<VaArg, AbiError> {
    // After one slot, an argument's offset is its alignment.
    let signature = Signature::c(CType::Void).ellipsis().param(CType::PTR).param(ty.clone());
    let mut abi = FnAbi::start(target, &signature);
    classify(target, &signature, &mut abi).map_err(AbiError::of_type)?;
    let (offset, indirect) = match &abi.args[1].mode {
        PassMode::StackCopy { offset, .. } => (*offset, false),
        PassMode::Indirect { pointer, .. } => (stack_offset(pointer), true),
        mode => (mode.pieces().first().map_or(4, stack_offset), false),
    };
    Ok(VaArg::in_slots(layout.size, 4, offset, u64::from(abi.stack_arg_bytes - offset), indirect))
}

fn stack_offset(piece: &Piece) -> u32 {
    match piece.place {
        Place::Stack { offset } => offset,
        Place::Reg(_) | Place::RegPlus { .. } => 4,
    }
}
