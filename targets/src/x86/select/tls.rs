//! Addresses of thread-local variables (Drepper, "ELF Handling for Thread-Local Storage", section 4.4.6; psABI x86-64).

use gusset_codegen::buffer::{CodeBuffer, RelocTarget};
use gusset_codegen::ir::{Module, SymbolId, SymbolKind, TlsModel, Value};
use gusset_codegen::libcall::LibCall;
use gusset_codegen::plan::Clobbers;

use super::operand::*;
use crate::x86::encode::ops::*;
use crate::x86::machine::{X86, gpr};
use crate::x86::reg::{Mem, Segment, Size};
use crate::x86::registers::{RAX, RBX};
use crate::x86::reloc;

/// The model for a symbol: the most restricted of the one it was given and the one that follows from where it is and what
/// is made.
fn model(target: &X86, module: &Module, s: SymbolId) -> TlsModel {
    let symbol = module.symbol(s);
    let shared = target.pic && !target.pie;
    let local = symbol.dso_local || !target.pic && symbol.is_defined();
    let implied = match (shared, local) {
        (true, false) => TlsModel::GeneralDynamic,
        (true, true) => TlsModel::LocalDynamic,
        (false, false) => TlsModel::InitialExec,
        (false, true) => TlsModel::LocalExec,
    };
    match symbol.kind {
        SymbolKind::Tls(given) if given as u8 > implied as u8 => given,
        _ => implied,
    }
}

/// Does the address take a call?
pub(crate) fn calls(target: &X86, module: &Module, symbol: SymbolId) -> bool {
    !target.windows && matches!(model(target, module, symbol), TlsModel::GeneralDynamic | TlsModel::LocalDynamic)
}

/// The address of a thread-local variable.
pub(crate) fn address(cx: &mut Cx<'_>, d: &Node) -> Done {
    if cx.target.windows {
        return crate::x86::windows::tls_address(cx, d);
    }
    let s = SymbolId(d.a.0);
    let model = model(cx.target, cx.module, s);
    let symbol = RelocTarget::Symbol(s.0);
    if cx.target.is_32() {
        return address_32(cx, s, d.r, model);
    }
    let thread_pointer = Mem::absolute(0).in_segment(Segment::Fs);
    match model {
        TlsModel::LocalExec | TlsModel::InitialExec => {
            let dst = cx.def(d.r, 0)?;
            let g = gpr(dst);
            let mut e = asm(cx);
            e.mov(Size::B8, g, thread_pointer);
            if model == TlsModel::LocalExec {
                e.lea(Size::B8, g, Mem::at(g, 0).with_reloc(reloc::TPOFF32, symbol));
            } else {
                e.alu(AluOp::Add, Size::B8, g, Mem::got_tpoff(s.0));
            }
            cx.set(d.r, 0, dst)
        }
        TlsModel::GeneralDynamic | TlsModel::LocalDynamic => {
            let getter = RelocTarget::LibCall(LibCall::TlsGetAddr);
            let target = cx.target;
            let emit = |buf: &mut CodeBuffer| {
                let mut e = target.asm(buf);
                if model == TlsModel::GeneralDynamic {
                    e.tls_general_dynamic(s.0, getter);
                } else {
                    e.tls_local_dynamic(s.0, getter);
                    e.lea(Size::B8, gpr(RAX), Mem::at(gpr(RAX), 0).with_reloc(reloc::DTPOFF32, symbol));
                }
            };
            call(cx, d.r, emit)
        }
    }
}

/// The same on i386, whose thread pointer is at `gs:0` and whose descriptors are found by the global offset table (section
/// 4.4.2 to 4.4.5 there).
fn address_32(cx: &mut Cx<'_>, s: SymbolId, r: Value, model: TlsModel) -> Done {
    let symbol = RelocTarget::Symbol(s.0);
    let thread_pointer = Mem::absolute(0).in_segment(Segment::Gs);
    match model {
        TlsModel::LocalExec | TlsModel::InitialExec => {
            let dst = cx.def(r, 0)?;
            let g = gpr(dst);
            let mut e = asm(cx);
            e.mov(Size::B4, g, thread_pointer);
            if model == TlsModel::LocalExec {
                e.lea(Size::B4, g, Mem::at(g, 0).with_reloc(reloc::NTPOFF, symbol));
            } else {
                e.alu(AluOp::Add, Size::B4, g, Mem::got_tpoff(s.0));
            }
            cx.set(r, 0, dst)
        }
        TlsModel::GeneralDynamic | TlsModel::LocalDynamic => {
            let getter = RelocTarget::LibCall(LibCall::TlsGetAddrRegister);
            let (a, b) = (gpr(RAX), gpr(RBX));
            let target = cx.target;
            let emit = |buf: &mut CodeBuffer| {
                let mut e = target.asm(buf);
                if model == TlsModel::GeneralDynamic {
                    // With a base alone in the form that linkers know by its length: an index without one.
                    e.lea(Size::B4, a, Mem::index_alone(b).with_reloc(reloc::TLSGD_GOT, symbol));
                    e.call_target(reloc::PLT32, getter);
                } else {
                    e.lea(Size::B4, a, Mem::at(b, 0).with_reloc(reloc::TLSLDM_GOT, symbol));
                    e.call_target(reloc::PLT32, getter);
                    e.lea(Size::B4, a, Mem::at(a, 0).with_reloc(reloc::DTPOFF32, symbol));
                }
            };
            call(cx, r, emit)
        }
    }
}

/// Calls the function that finds an address, by code of a form that linkers know.
fn call(cx: &mut Cx<'_>, result: Value, emit: impl FnOnce(&mut CodeBuffer)) -> Done {
    let clobbers = Clobbers::whole(cx.target.facts.registers.library_clobbers);
    cx.save_across(clobbers)?;
    emit(cx.buf);
    cx.after_call(clobbers);
    cx.pin(RAX);
    cx.set(result, 0, RAX)
}
