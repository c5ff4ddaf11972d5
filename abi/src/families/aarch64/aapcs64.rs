//! The calling convention of AArch64 on Linux, the BSDs and bare ELF.
//!
//! Source: "Procedure Call Standard for the Arm 64-bit Architecture" ("AAPCS64"), sections and rules named at each place.
//! Classification is in `common.rs`, with a table of what the compilers do differently. Beyond that:
//!
//! | case | followed | the other |
//! |---|---|---|
//! | `va_arg` of a homogeneous aggregate with a member aligned to more than 16 bytes | AAPCS64, and clang's caller: the stack slot is aligned to 16 | clang's `va_arg` rounds further |

use crate::engine::Engine;
use crate::error::AbiError;
use crate::families::aarch64::common::{
    self, Classifier, GR_OFFS, GR_TOP, SAVE_BYTES, SAVE_INT_BYTES, STACK, Shape, VR_OFFS, VR_TOP,
};
use crate::families::aarch64::llvm::Call;
use crate::fnabi::*;
use crate::measure::Layout;
use crate::reg::RegClass;
use crate::signature::{Attrs, Signature};
use crate::target::Target;
use crate::types::{CType, LlvmType};
use crate::vararg::VaArg;
use crate::walk::{Argument, Rules, walk};

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
        common::result(&self.classifier, ty, layout)
    }

    fn c_argument(&mut self, ty: &CType, argument: &Argument) -> Result<PassMode, AbiError> {
        let size = argument.layout.size;
        let shape = self.classifier.argument(ty, argument.layout)?;
        if shape == Shape::Address {
            return Ok(PassMode::indirect(self.engine.pointer(8)?, argument.layout));
        }
        let slot = slot(&self.classifier, ty, size)?;
        let mut mode = common::place(&mut self.engine, ty, size, shape, slot)?;
        common::extend(&self.classifier, ty, &mut mode);
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
    common::check(target, signature)?;
    let call = Call::new(target, signature)?;
    let mut rules = Aapcs64 { classifier: Classifier::new(target), engine: call.engine(8), call };
    let walked = walk(target, signature, &mut rules)?;
    common::finish(target, signature, walked, &rules.engine)
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
pub(crate) fn va_arg(target: &Target, ty: &CType, layout: Layout) -> Result<VaArg, AbiError> {
    let classifier = Classifier::new(target);
    let travels = classifier.argument(ty, layout)?;
    // Of a value behind an address, the address is fetched.
    let (fetched, shape, align) = match travels {
        Shape::Address => (8, Shape::Int { pair: false }, 8),
        Shape::Nothing => return Ok(common::va_slot(travels, layout.size, layout)),
        _ => (layout.size, travels, slot(&classifier, ty, layout.size)?.align),
    };
    let class = if let Shape::Float(_) = shape { RegClass::Float } else { RegClass::Int };
    let pair = shape == Shape::Int { pair: true };
    let pieces = common::pieces(shape, fetched);
    let regs = common::va_regs(class, pair, pieces.iter().map(|piece| (piece.offset, piece.size)));
    let on_stack = VaArg::in_slots(layout.size, 8, align, fetched.next_multiple_of(8), travels == Shape::Address);
    Ok(VaArg { regs: Some(regs), overflow_field: STACK, ..on_stack })
}
