//! The calling convention of Windows on ARM64, of MSVC and of MinGW; also `ms_abi` functions on other systems.
//!
//! Source: Microsoft, "Overview of ARM64 ABI conventions" ("MS" below, sections named at each rule), which builds on AAPCS64.
//! Classification is in `common.rs`.
//!
//! | case | followed | the other |
//! |---|---|---|
//! | record of 16 bytes of which x7 is left, in a variadic function | MS: half of it in x7 | clang 19's caller: on the stack, where its own `va_arg` does not look |
//! | vector as an argument of a variadic function | MS: general registers | clang's caller: a vector register, where its own `va_arg` does not look |
//! | vector of more than 16 bytes through `va_arg` | its caller, also clang's: by address | clang's `va_arg` reads the value itself |
//! | `va_arg` of a value aligned to 16 bytes | MS, LLVM 20 and later: an aligned slot | clang 19's `va_arg` does not align |
//! | empty C record as an unnamed argument | clang's caller: it does not travel | clang's `va_arg` passes over a slot |
//! | address of a result that came as an argument | MS, clang: returned in x0 | clang 19 without optimization: not returned |
//! | `ms_abi` on Linux | clang: variadic functions as on Windows, x18 is kept, all else as AAPCS64 | GCC has none |

use crate::engine::Engine;
use crate::error::AbiError;
use crate::families::aarch64::common::{self, Classifier, Shape};
use crate::families::aarch64::llvm::Call;
use crate::fnabi::*;
use crate::measure::Layout;
use crate::reg::RegClass;
use crate::signature::{Attrs, Member, Signature};
use crate::target::Target;
use crate::types::{CType, LlvmType};
use crate::vararg::VaArg;
use crate::walk::{Argument, Rules, walk};

struct WinArm64 {
    classifier: Classifier,
    call: Call,
    engine: Engine,
    variadic: bool,
    member: Member,
}

/// How an argument of a variadic function travels. MS, "Addendum: Variadic functions": composites are all alike, and there
/// are no vector registers.
fn variadic_shape(classifier: &Classifier, ty: &CType, layout: Layout) -> Result<Shape, AbiError> {
    Ok(match classifier.argument(ty, layout)? {
        Shape::Float(_) if layout.size > 16 => Shape::Address,
        Shape::Float(_) => Shape::Int { pair: classifier.align(ty)? >= 16 },
        other => other,
    })
}

impl WinArm64 {
    /// MS, "Addendum: Variadic functions": the arguments lie in one array, whose first 64 bytes are in x0 to x7.
    fn variadic(&mut self, ty: &CType, shape: Shape, size: u64) -> Result<PassMode, AbiError> {
        let pair = shape == Shape::Int { pair: true };
        if pair {
            self.engine.align_to_pair(RegClass::Int);
        }
        let mut pieces = common::int_pieces(size);
        if self.engine.free(RegClass::Int) == 0 {
            let slot = Layout { size, align: if pair { 16 } else { 8 } };
            return common::on_stack(&mut self.engine, ty, size, pieces, slot);
        }
        for piece in pieces.iter_mut() {
            piece.place = match self.engine.take(RegClass::Int, usize::MAX) {
                Some(reg) => Place::Reg(reg),
                None => Place::Stack { offset: self.engine.stack(piece.size.into(), 8)? },
            };
        }
        Ok(PassMode::Direct(pieces))
    }
}

impl Rules for WinArm64 {
    /// MS, "Return values": a method finds `this` in x0, and the address for its result in x1.
    fn this_first(&self) -> bool {
        self.classifier.is_msvc()
    }

    fn c_result(&mut self, ty: &CType, layout: Layout) -> Result<PassMode, AbiError> {
        if common::returned_as_microsoft_class(&self.classifier, ty, self.member)? {
            return Ok(PassMode::indirect(self.engine.pointer(8)?, layout));
        }
        common::result(&self.classifier, ty, layout)
    }

    fn c_argument(&mut self, ty: &CType, argument: &Argument) -> Result<PassMode, AbiError> {
        let layout = argument.layout;
        let shape = match self.variadic {
            true => variadic_shape(&self.classifier, ty, layout)?,
            false => self.classifier.argument(ty, layout)?,
        };
        let mut mode = match shape {
            Shape::Nothing => return Ok(PassMode::Ignore),
            Shape::Address => return Ok(PassMode::indirect(self.engine.pointer(8)?, layout)),
            _ if self.variadic => self.variadic(ty, shape, layout.size)?,
            _ => {
                let align = match shape {
                    Shape::Float(members) if self.classifier.target.is_windows() => members.size,
                    _ => self.classifier.align(ty)?,
                };
                let slot = Layout { size: layout.size, align: if align >= 16 { 16 } else { 8 } };
                common::place(&mut self.engine, ty, layout.size, shape, slot)?
            }
        };
        common::extend(&self.classifier, ty, &mut mode);
        Ok(mode)
    }

    fn llvm_result(&mut self, ty: &LlvmType, attrs: &Attrs) -> Result<PassMode, AbiError> {
        self.call.result(ty, attrs, &mut self.engine)
    }

    fn llvm_argument(&mut self, ty: &LlvmType, attrs: &Attrs, argument: &Argument) -> Result<PassMode, AbiError> {
        self.call.argument(ty, attrs, argument, &mut self.engine)
    }

    /// MS, "Addendum: Variadic functions": `va_list` is a pointer into the array, whose first part the callee stores below
    /// the rest.
    fn var_area(&mut self) -> VarArea {
        self.engine.array_with_stack(8)
    }
}

/// The ABI of a function or call.
pub(crate) fn classify(target: &Target, signature: &Signature) -> Result<FnAbi, AbiError> {
    common::check(target, signature)?;
    let call = Call::new(target, signature)?;
    let mut rules = WinArm64 {
        classifier: Classifier::new(target),
        engine: call.engine(8),
        call,
        variadic: signature.variadic.is_some(),
        member: signature.modifiers.member,
    };
    let walked = walk(target, signature, &mut rules)?;
    common::finish(target, signature, walked, &rules.engine)
}

/// MS, "Addendum: Variadic functions".
pub(crate) fn va_arg(target: &Target, ty: &CType, layout: Layout) -> Result<VaArg, AbiError> {
    let shape = variadic_shape(&Classifier::new(target), ty, layout)?;
    let align = if shape == (Shape::Int { pair: true }) { 16 } else { 8 };
    Ok(common::va_slot(shape, layout.size, Layout { size: layout.size, align }))
}
