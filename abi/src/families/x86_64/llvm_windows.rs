//! How LLVM's back end for x86-64 passes LLVM IR types in Windows x64 conventions, so that objects mix with llc's.
//!
//! Source: LLVM's X86CallingConv.td (`CC_X86_Win64_C`, `CC_X86_Win64_VectorCall`), `X86Subtarget::isCallingConvWin64`, and
//! what llc 19 was seen to do. Where it is not followed:
//!
//! | case | followed | llc 19 |
//! |---|---|---|
//! | `fp128` | GCC, LLVM 21: by address, result in memory | vector registers of System V, result in xmm0 |
//! | `x86_fp80` of `__vectorcall` | refused | fails |
//! | `va_arg` | as calls pass the type, 8 bytes a slot | reads the type's own size, also of what is passed by address |

use crate::families::x86_64::common::role_register;
use crate::families::x86_64::positions::{BANKS, Win64};
use crate::llvm::legalize::{Kind, Part};
use crate::llvm::result::{Returns, registers};
use crate::llvm::x86::{Least, by_value_slot, parts};
use crate::prelude::*;
use crate::walk::Argument;

/// Is a part passed by the address of a copy?
fn by_address(kind: Kind) -> bool {
    matches!(kind, Kind::Vector(_) | Kind::Fp80 | Kind::Quad)
}

impl Win64<'_> {
    /// Where a result goes.
    pub(crate) fn llvm_result_mode(&mut self, ty: &LlvmType, attrs: &Attrs) -> Result<PassMode, AbiError> {
        let returns = Returns::of_x86_64(self.target, self.convention, true);
        if let Some(mode) = registers(self.target, ty, attrs, &returns)? {
            return Ok(mode);
        }
        let layout = DataLayout::new(self.target).llvm(ty)?;
        Ok(PassMode::indirect(Piece::whole(8, self.result_address()?), layout))
    }

    /// The place of `sret`, which leaves rcx to `this` in `x86_thiscallcc`.
    fn result_address(&mut self) -> Result<Place, AbiError> {
        if self.convention == Convention::Thiscall
            && let Some(at) = (1..4).find(|at| self.engine.take_at(RegClass::Int, *at).is_some())
        {
            let _ = self.engine.take_at(RegClass::Float, at);
            return Ok(Place::Reg(Reg::int(BANKS[RegClass::Int as usize][at])));
        }
        self.int()
    }

    /// Where an argument goes.
    pub(crate) fn llvm_argument_mode(
        &mut self,
        ty: &LlvmType,
        attrs: &Attrs,
        argument: &Argument,
    ) -> Result<PassMode, AbiError> {
        match attrs.role {
            Role::Value => {}
            Role::StructReturn => {
                return Ok(PassMode::piece(Piece::whole(8, self.result_address()?)));
            }
            // The caller makes the copy in a place of its own.
            Role::ByVal { size, align } => {
                let (_, align) = by_value_slot(attrs, size, align, 16);
                return self.address(size, align);
            }
            Role::InAlloca { .. } => return Err(AbiError::ty("x86-64 has no inalloca argument block")),
            Role::Preallocated { .. } => return Err(AbiError::ty("x86-64 has no preallocated arguments")),
            _ => {}
        }
        if let Some(reg) = role_register(attrs.role) {
            // LLVM's `__vectorcall` skips a vector register all the same.
            if self.vectorcall && self.engine.free(RegClass::Int) == 0 {
                self.engine.take(RegClass::Float, usize::MAX);
            }
            return Ok(PassMode::pointer(8, reg));
        }
        let parts = parts(self.target, ty, attrs.widen, Least::Byte)?;
        if self.vectorcall && attrs.in_reg && ty.is_aggregate() {
            return self.homogeneous_parts(parts, argument.index);
        }
        if parts.iter().any(|part| by_address(part.kind)) {
            return self.parts_by_address(&parts);
        }
        let mut pieces = Pieces::new();
        for part in &parts {
            pieces.push(part.piece(self.part(part)?));
        }
        Ok(PassMode::direct(pieces))
    }

    /// The place of a part that is not passed by address.
    fn part(&mut self, part: &Part) -> Result<Place, AbiError> {
        if let Kind::Int(_) = part.kind {
            return self.int();
        }
        // In variadic calls the general register of the position holds it too, whether it is named or not.
        match self.float_place(self.variadic)? {
            Some(place) => Ok(place),
            None => Ok(Place::Stack { offset: self.engine.stack(8, 8)? }),
        }
    }

    /// Passes a value that has vectors, `fp128` or `x86_fp80` in it: LLVM passes each of these by the address of a copy where the
    /// convention has no vector register for it.
    fn parts_by_address(&mut self, parts: &[Part]) -> Result<PassMode, AbiError> {
        let mut modes = Vec::with_capacity(parts.len());
        for part in parts {
            modes.push(match part.kind {
                Kind::Int(_) | Kind::Half | Kind::Float | Kind::Double => PassMode::piece(part.piece(self.part(part)?)),
                _ => self.vector(part)?,
            });
        }
        Ok(PassMode::of_parts(modes))
    }

    /// A vector, `fp128` or `x86_fp80`.
    fn vector(&mut self, part: &Part) -> Result<PassMode, AbiError> {
        if self.vectorcall {
            if part.kind == Kind::Fp80 {
                return Err(AbiError::ty("x86_fp80 cannot be passed in __vectorcall"));
            }
            if let Some(reg) = self.float_register()? {
                return Ok(PassMode::piece(part.piece(self.fill(reg))));
            }
        }
        let align = match part.kind {
            Kind::Vector(bytes) => bytes.into(),
            _ => 16,
        };
        let pointer = Piece { size: 8, ext: Extension::None, ..part.piece(self.int()?) };
        Ok(PassMode::Indirect { pointer, size: part.copied_bytes(), align })
    }

    /// A homogeneous aggregate of `__vectorcall`, marked by `inreg`. It gets the vector registers that all other
    /// arguments leave, while its position is taken now.
    fn homogeneous_parts(&mut self, parts: Vec<Part>, index: usize) -> Result<PassMode, AbiError> {
        if parts.iter().any(|part| matches!(part.kind, Kind::Int(_) | Kind::Fp80)) {
            return Err(AbiError::ty("inreg marks homogeneous aggregates of vectors or floating-point numbers here"));
        }
        if !parts.is_empty() {
            // LLVM takes a position for each part of the first member.
            for _ in parts.iter().filter(|part| part.scalar == 0) {
                self.float_register()?;
            }
            self.waiting.push(index, parts.iter().map(|part| part.piece(Place::default())).collect());
        }
        Ok(PassMode::Ignore)
    }
}

/// The steps that fetch an argument of this type: a slot for each part, with its address where callers pass that.
pub(crate) fn va_arg(target: &AbiTarget, ty: &LlvmType) -> Result<Vec<VaArg>, AbiError> {
    let parts = parts(target, ty, Widen::None, Least::Byte)?;
    let step = |part: &Part| {
        let indirect = by_address(part.kind);
        VaArg { offset: part.offset.into(), ..VaArg::in_slots(part.size.into(), 8, 8, 8, indirect) }
    };
    parts.iter().try_for_each(Part::check_va_arg)?;
    Ok(parts.iter().map(step).collect())
}
