//! The calling convention of Apple's systems on arm64.
//!
//! Source: Apple, "Writing ARM64 code for Apple platforms" ("Apple" below), which says where it departs from AAPCS64; what it
//! leaves open is as clang does it. Classification is in `common.rs`.
//!
//! | case | followed | the other |
//! |---|---|---|
//! | record of less than 8 bytes on the stack | clang: a slot of 8 bytes, as an integer would have it | Apple: its own size |
//! | `_BitInt` of less than 32 bits on the stack, neither 8 nor 16 wide | clang: a slot of 4 bytes | – |
//! | `__int128` and records aligned to 16 in registers | clang: any two that follow each other | AAPCS64: the first is even |
//! | unnamed homogeneous record aligned to 16 bytes or more | clang's `va_arg`, AAPCS64: a slot aligned to 16 | clang's caller aligns to 8, its `va_arg` beyond 16 |
//! | unnamed `_Float16` or `__bf16` | refused: clang makes it a `double` that `va_arg` takes back | – |

use crate::engine::Engine;
use crate::error::AbiError;
use crate::families::aarch64::common::{self, Classifier, Shape};
use crate::families::aarch64::llvm::Call;
use crate::fnabi::*;
use crate::inline::InlineVec;
use crate::measure::Layout;
use crate::signature::{Attrs, Signature};
use crate::target::Target;
use crate::types::{CType, FloatKind, LlvmType, Scalar};
use crate::vararg::VaArg;
use crate::walk::{Argument, Rules, walk};

struct Apple64 {
    classifier: Classifier,
    call: Call,
    engine: Engine,
}

/// Size and alignment of a named argument's place on the stack. Apple, "Pass arguments to functions correctly": arguments take
/// as much as they need.
fn packed(ty: &CType, shape: Shape, layout: Layout) -> Layout {
    match (shape, ty) {
        (Shape::Float(members), _) => Layout { size: layout.size, align: members.size },
        (_, CType::Scalar(_)) => layout,
        (_, CType::Vector { .. }) => Layout { size: 4, align: 4 },
        (_, CType::BitInt { bits: 1..=7 | 9..=15 | 17..=31, .. }) => Layout { size: 4, align: 4 },
        (_, CType::BitInt { bits: 8 | 16 | 32, .. }) => layout,
        (Shape::Int { pair: true }, _) => Layout { size: layout.size, align: 16 },
        _ => Layout { size: layout.size.next_multiple_of(8), align: 8 },
    }
}

/// Size and alignment of an unnamed argument's place. Apple, "Update code that passes arguments to variadic functions": on the
/// stack, in slots of 8 bytes.
fn unnamed(layout: Layout) -> Layout {
    Layout { size: layout.size.next_multiple_of(8), align: if layout.align >= 16 { 16 } else { 8 } }
}

fn check_unnamed(ty: &CType) -> Result<(), AbiError> {
    match ty {
        CType::Scalar(Scalar::Float(FloatKind::F16 | FloatKind::BF16)) => {
            Err(AbiError::ty("an unnamed argument of 16-bit floating-point type: pass it as double"))
        }
        _ => Ok(()),
    }
}

impl Rules for Apple64 {
    fn c_result(&mut self, ty: &CType, layout: Layout) -> Result<PassMode, AbiError> {
        common::result(&self.classifier, ty, layout)
    }

    fn c_argument(&mut self, ty: &CType, argument: &Argument) -> Result<PassMode, AbiError> {
        let layout = argument.layout;
        let shape = self.classifier.argument(ty, layout)?;
        let mut mode = match (shape, argument.named) {
            (Shape::Nothing, _) => PassMode::Ignore,
            (Shape::Address, true) => {
                // An address is aligned, whatever the arguments before it are.
                return Ok(PassMode::indirect(self.engine.pointer(8)?, layout));
            }
            (Shape::Address, false) => {
                let place = Place::Stack { offset: self.engine.stack(8, 8)? };
                return Ok(PassMode::indirect(Piece::whole(8, place), layout));
            }
            (_, true) => {
                let slot = packed(ty, shape, layout);
                // Apple's compiler begins pairs at odd registers too.
                let shape = if let Shape::Int { .. } = shape { Shape::Int { pair: false } } else { shape };
                common::place(&mut self.engine, ty, layout.size, shape, slot)?
            }
            (_, false) => {
                check_unnamed(ty)?;
                let pieces = common::pieces(shape, layout.size);
                common::on_stack(&mut self.engine, ty, layout.size, pieces, unnamed(layout))?
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

    /// Apple, "Update code that passes arguments to variadic functions": `va_list` is a pointer to the first unnamed argument.
    fn var_area(&mut self) -> VarArea {
        let offset = self.engine.stack_bytes().next_multiple_of(8);
        VarArea {
            va_list_size: 8,
            va_list_align: 8,
            fields: InlineVec::one(VaField { offset: 0, size: 8, init: VaInit::StackArgs { offset } }),
            save_area: None,
        }
    }
}

/// The ABI of a function or call.
pub(crate) fn classify(target: &Target, signature: &Signature) -> Result<FnAbi, AbiError> {
    common::check(target, signature)?;
    let call = Call::new(target, signature)?;
    let mut rules = Apple64 { classifier: Classifier::new(target), engine: call.engine(1), call };
    let walked = walk(target, signature, &mut rules)?;
    common::finish(target, signature, walked, &rules.engine)
}

/// Apple, "Update code that passes arguments to variadic functions".
pub(crate) fn va_arg(target: &Target, ty: &CType, layout: Layout) -> Result<VaArg, AbiError> {
    check_unnamed(ty)?;
    let shape = Classifier::new(target).argument(ty, layout)?;
    Ok(common::va_slot(shape, layout.size, unnamed(layout)))
}
