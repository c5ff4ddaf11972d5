//! The calling convention of AArch64 on Linux, the BSDs and bare ELF.
//!
//! Source: "Procedure Call Standard for the Arm 64-bit Architecture" ("AAPCS64"), sections and rules named at each place.
//! Classification is in `a64.rs`, with a table of what the compilers do differently. Beyond that:
//!
//! | case | followed | the other |
//! |---|---|---|
//! | `va_arg` of a homogeneous aggregate with a member aligned to more than 16 bytes | AAPCS64, and clang's caller: the stack slot is aligned to 16 | clang's `va_arg` rounds further |

use crate::conventions::a64::{self, Classifier, Shape};
use crate::engine::Engine;
use crate::error::AbiError;
use crate::fnabi::*;
use crate::inline::InlineVec;
use crate::layout::Layout;
use crate::llvm;
use crate::llvm::aarch64::Call;
use crate::reg::RegClass;
use crate::signature::{Attrs, Convention, Signature, Type};
use crate::target::Target;
use crate::types::{CType, LlvmType};
use crate::vararg::{VaArg, VaCounter, VaPiece, VaRegs};
use crate::walk::{self, Argument, Rules, walk};
use alloc::vec::Vec;

/// AAPCS64, appendix "Variable argument lists": the areas for x0 to x7 and v0 to v7.
const SAVE_INT_BYTES: u32 = 64;
const SAVE_BYTES: u32 = 192;

/// `va_list`, AAPCS64, appendix "Variable argument lists": `__stack`, `__gr_top`, `__vr_top`, `__gr_offs`, `__vr_offs`.
const STACK: u32 = 0;
pub(crate) const GR_TOP: u32 = 8;
pub(crate) const VR_TOP: u32 = 16;
pub(crate) const GR_OFFS: u32 = 24;
pub(crate) const VR_OFFS: u32 = 28;

struct Aapcs64 {
    classifier: Classifier,
    call: Call,
    engine: Engine,
}

/// Size and alignment of a value's stack slot, rules C.3 to C.5, C.8 and C.14.
fn slot(classifier: &Classifier, ty: &CType, size: u64) -> Result<Layout, AbiError> {
    let align = if classifier.align(ty)? >= 16 { 16 } else { 8 };
    Ok(Layout { size, align })
}

impl Rules for Aapcs64 {
    fn c_result(&mut self, ty: &CType, layout: Layout) -> Result<PassMode, AbiError> {
        a64::result(&self.classifier, ty, layout)
    }

    fn c_argument(&mut self, ty: &CType, argument: &Argument) -> Result<PassMode, AbiError> {
        let size = argument.layout.size;
        let shape = self.classifier.argument(ty, argument.layout)?;
        if shape == Shape::Address {
            return a64::address(&mut self.engine, argument.layout);
        }
        let slot = slot(&self.classifier, ty, size)?;
        let mut mode = a64::place(&mut self.engine, ty, size, shape, slot)?;
        a64::extend(&self.classifier, ty, &mut mode);
        Ok(mode)
    }

    fn llvm_result(&mut self, ty: &LlvmType, attrs: &Attrs) -> Result<PassMode, AbiError> {
        self.call.result(ty, attrs, &mut self.engine)
    }

    fn llvm_argument(&mut self, ty: &LlvmType, attrs: &Attrs, argument: &Argument) -> Result<PassMode, AbiError> {
        self.call.argument(ty, attrs, argument, &mut self.engine)
    }

    fn var_area(&mut self) -> VarArea {
        var_area(&self.engine)
    }
}

/// The ABI of a function or call.
pub(crate) fn classify(target: &Target, signature: &Signature) -> Result<FnAbi, AbiError> {
    a64::check(target, signature)?;
    let call = Call::new(target, signature)?;
    let mut rules = Aapcs64 { classifier: Classifier::new(target), engine: call.engine(8), call };
    let walked = walk(target, signature, &mut rules)?;
    Ok(a64::finish(target, signature, walked, &rules.engine))
}

/// AAPCS64, appendix "Variable argument lists".
fn var_area(engine: &Engine) -> VarArea {
    let field = |offset, size, init| VaField { offset, size, init };
    let ints = engine.rest(RegClass::Int).map(|(i, reg)| SaveSlot { offset: 8 * i, size: 8, reg });
    let floats =
        engine.rest(RegClass::Float).map(|(i, reg)| SaveSlot { offset: SAVE_INT_BYTES + 16 * i, size: 16, reg });
    VarArea {
        va_list_size: 32,
        va_list_align: 8,
        fields: [
            field(STACK, 8, VaInit::StackArgs { offset: engine.stack_bytes() }),
            field(GR_TOP, 8, VaInit::SaveArea { offset: SAVE_INT_BYTES }),
            field(VR_TOP, 8, VaInit::SaveArea { offset: SAVE_BYTES }),
            field(GR_OFFS, 4, VaInit::Const(-8 * engine.free(RegClass::Int) as i32)),
            field(VR_OFFS, 4, VaInit::Const(-16 * engine.free(RegClass::Float) as i32)),
        ]
        .into_iter()
        .collect(),
        save_area: Some(SaveArea {
            place: SaveAreaPlace::Frame,
            size: SAVE_BYTES,
            align: 16,
            slots: ints.chain(floats).collect(),
            float_guard: None,
        }),
    }
}

/// AAPCS64, appendix B.
pub(crate) fn va_arg(target: &Target, convention: Convention, ty: &Type) -> Result<Vec<VaArg>, AbiError> {
    let ty = match ty {
        Type::C(ty) => ty,
        Type::Llvm(ty) => return llvm::aarch64::va_arg(target, convention, ty),
    };
    let classifier = Classifier::new(target);
    let layout = walk::value(&classifier.layout, ty)?;
    let shape = classifier.argument(ty, layout)?;
    let indirect = shape == Shape::Address;
    // Of a value behind an address, the address is fetched.
    let (fetched, shape) = if indirect { (8, Shape::Int { pair: false }) } else { (layout.size, shape) };
    let align = if indirect { 8 } else { slot(&classifier, ty, fetched)?.align };
    let counter = |field, step, align, base| VaCounter { field, step, limit: 0, align, base };
    let regs = match shape {
        Shape::Nothing | Shape::Address => None,
        Shape::Int { pair } => {
            let words = fetched.next_multiple_of(8) as u32;
            let piece = |p: &Piece| VaPiece { offset: p.offset, size: p.size, counter: 0, at: p.offset };
            Some((
                counter(GR_OFFS, words, if pair { 16 } else { 1 }, GR_TOP),
                a64::int_pieces(fetched).iter().map(piece).collect::<InlineVec<_, 4>>(),
            ))
        }
        Shape::Float(members) => {
            let at = |i| VaPiece { offset: i * members.size, size: members.size, counter: 0, at: 16 * i };
            Some((counter(VR_OFFS, 16 * members.count, 1, VR_TOP), (0..members.count).map(at).collect()))
        }
    };
    let nothing = shape == Shape::Nothing;
    Ok(alloc::vec![VaArg {
        offset: 0,
        size: layout.size,
        regs: regs.map(|(counter, pieces)| VaRegs {
            counters: InlineVec::one(counter),
            contiguous: pieces.iter().all(|p| p.at == p.offset),
            pieces,
            exhausts: true,
        }),
        overflow_field: STACK,
        overflow_align: if nothing { 1 } else { align },
        overflow_step: if nothing { 0 } else { fetched.next_multiple_of(8) },
        slot: 8,
        indirect,
    }])
}
