//! How LLVM's back end for x86-64 passes LLVM IR types in Windows x64 conventions, so that objects mix with llc's.
//!
//! Source: LLVM's X86CallingConv.td (`CC_X86_Win64_C`, `CC_X86_Win64_VectorCall`), `X86Subtarget::isCallingConvWin64`, and
//! what llc 19 was seen to do. Where it is not followed:
//!
//! | case | followed | llc 19 |
//! |---|---|---|
//! | `fp128` | GCC, LLVM 21: by address, result in memory | vector registers of System V, result in xmm0 |
//! | an aggregate or wide vector of which only a part travels by address | refused | an address for each such part |
//! | mask (vector of `i1`) | refused | the address of a vector with wider lanes |
//! | `x86_fp80` of `__vectorcall` | refused | a vector register, in which no such value can be |
//! | `va_arg` | as calls pass the type, 8 bytes a slot | reads the type's own size, also of what is passed by address |

use crate::families::x86_64::common::role_register;
use crate::families::x86_64::positions::{BANKS, Win64};
use crate::ground::*;
use crate::llvm::result::{Returns, registers};
use crate::llvm::split::{Kind, Least, Part, Splitter, by_value_slot};
use crate::walk::Argument;

/// Whether a part travels by the address of a copy.
fn by_address(kind: Kind) -> bool {
    matches!(kind, Kind::Vector(_) | Kind::Fp80 | Kind::Fp128)
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
            // LLVM's `__vectorcall` passes over a vector register all the same.
            if self.vectorcall && self.engine.free(RegClass::Int) == 0 {
                self.engine.take(RegClass::Float, usize::MAX);
            }
            return Ok(PassMode::pointer(8, reg));
        }
        let parts = Splitter::new(self.target, attrs.widen, Least::Byte).parts(ty)?;
        if self.vectorcall && attrs.in_reg && ty.is_aggregate() {
            return self.homogeneous_parts(parts, argument.index);
        }
        if let [part] = parts[..]
            && (part.offset == 0)
            && by_address(part.kind)
        {
            return self.llvm_vector(&part);
        }
        let mut pieces = Pieces::new();
        for part in parts {
            let place = match part.kind {
                Kind::Int => self.int()?,
                // In variadic calls the general register of the position has it too, whether it is named or not.
                Kind::Half | Kind::Float => match self.float_place(self.variadic)? {
                    Some(place) => place,
                    None => Place::Stack { offset: self.engine.stack(8, 8)? },
                },
                Kind::Vector(_) | Kind::Fp128 if self.vectorcall => match self.float_register()? {
                    Some(reg) => self.fill(reg),
                    None => return Err(parts_by_address()),
                },
                Kind::Vector(_) | Kind::Fp128 | Kind::Fp80 => return Err(parts_by_address()),
            };
            pieces.push(part.piece(place));
        }
        Ok(PassMode::direct(pieces))
    }

    /// A single vector, `fp128` or `x86_fp80`.
    fn llvm_vector(&mut self, part: &Part) -> Result<PassMode, AbiError> {
        if self.vectorcall {
            if part.kind == Kind::Fp80 {
                return Err(AbiError::ty("x86_fp80 cannot be passed in __vectorcall"));
            }
            if let Some(reg) = self.float_register()? {
                return Ok(PassMode::Direct(Pieces::one(part.piece(self.fill(reg)))));
            }
        }
        if part.is_mask() {
            return Err(AbiError::ty("a mask, which LLVM passes by the address of a wider vector, is not supported"));
        }
        let align = match part.kind {
            Kind::Vector(bytes) => bytes,
            _ => 16,
        };
        self.address(part.size.into(), align)
    }

    /// A homogeneous aggregate of `__vectorcall`, which `inreg` marks: it gets the vector registers that are left behind all
    /// other arguments, while its position is taken now.
    fn homogeneous_parts(&mut self, parts: Vec<Part>, index: usize) -> Result<PassMode, AbiError> {
        if parts.iter().any(|part| matches!(part.kind, Kind::Int | Kind::Fp80)) {
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

fn parts_by_address() -> AbiError {
    AbiError::ty("LLVM passes each vector or x86_fp80 in it by an address of its own, which is not supported")
}

/// The steps that fetch an argument of this type: a slot for each part.
pub(crate) fn va_arg(target: &Target, ty: &LlvmType) -> Result<Vec<VaArg>, AbiError> {
    let parts = Splitter::new(target, Widen::None, Least::Byte).parts(ty)?;
    let indirect = parts.len() == 1 && parts[0].offset == 0 && by_address(parts[0].kind);
    if !indirect && parts.iter().any(|part| by_address(part.kind)) {
        return Err(parts_by_address());
    }
    let step =
        |part: &Part| VaArg { offset: part.offset.into(), ..VaArg::in_slots(part.size.into(), 8, 8, 8, indirect) };
    Ok(parts.iter().map(step).collect())
}
