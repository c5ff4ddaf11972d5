//! Addresses of thread-local variables (Drepper, "ELF Handling for Thread-Local Storage", section 4.4.6; psABI x86-64).

use gusset_codegen::buffer::{CodeBuffer, RelocTarget};
use gusset_codegen::ir::{Module, SymbolId, TlsModel};
use gusset_codegen::libcall::LibCall;
use gusset_codegen::plan::Clobbers;

use super::operand::*;
use crate::shared::tls;
use crate::x86::encode::ops::*;
use crate::x86::machine::{X86, gpr};
use crate::x86::reg::{Gpr, Mem, Segment};
use crate::x86::registers::{RAX, RBX};
use crate::x86::reloc;

fn model(target: &X86, module: &Module, s: SymbolId) -> TlsModel {
    tls::model(module, s, target.pic, target.pie)
}

/// Does computing the address take a call?
pub(crate) fn calls(target: &X86, module: &Module, symbol: SymbolId) -> bool {
    !target.windows && matches!(model(target, module, symbol), TlsModel::GeneralDynamic | TlsModel::LocalDynamic)
}

/// Computes the address of a thread-local variable whose distance from the thread pointer is known when the program begins.
pub(crate) fn address_without_call(target: &X86, buf: &mut CodeBuffer, module: &Module, g: Gpr, s: SymbolId) -> bool {
    let w = target.word_size();
    // On i386 the thread pointer is at `gs:0` (section 4.4.2 there).
    let (segment, offset) = match target.is_32() {
        true => (Segment::Gs, reloc::NTPOFF),
        false => (Segment::Fs, reloc::TPOFF32),
    };
    let mut e = target.asm(buf);
    e.mov(w, g, Mem::absolute(0).in_segment(segment));
    if model(target, module, s) == TlsModel::LocalExec {
        e.lea(w, g, Mem::at(g, 0).with_reloc(offset, RelocTarget::Symbol(s.0)));
    } else {
        e.alu(AluOp::Add, w, g, Mem::got_tpoff(s.0));
    }
    true
}

/// The address of a thread-local variable.
pub(crate) fn address(cx: &mut Cx<'_>, d: &Node) -> Result {
    if cx.target.windows {
        return crate::x86::windows::tls_address(cx, d);
    }
    let s = SymbolId(d.a.0);
    let model = model(cx.target, cx.module, s);
    let symbol = RelocTarget::Symbol(s.0);
    let (is_32, w, by_table) = (cx.target.is_32(), cx.target.word_size(), cx.target.library_by_table);
    if matches!(model, TlsModel::LocalExec | TlsModel::InitialExec) {
        let dst = cx.def(d.r, 0)?;
        address_without_call(cx.target, cx.buf, cx.module, gpr(dst), s);
        return cx.set(d.r, 0, dst);
    }
    let clobbers = Clobbers::whole(cx.target.facts.registers.library_clobbers);
    cx.save_across(clobbers)?;
    // Linkers know the form of the calls that compute an address.
    let (a, b) = (gpr(RAX), gpr(RBX));
    let mut e = asm(cx);
    if is_32 {
        // Descriptors are accessed through the global offset table.
        let m = match model {
            // In the form that linkers recognize by its length: an index without a base.
            TlsModel::GeneralDynamic => Mem::index_alone(b).with_reloc(reloc::TLSGD_GOT, symbol),
            _ => Mem::at(b, 0).with_reloc(reloc::TLSLDM_GOT, symbol),
        };
        e.lea(w, a, m);
        let getter = RelocTarget::LibCall(LibCall::TlsGetAddrRegister);
        match by_table {
            true => e.call_to(Mem::rip(reloc::GOTPCREL, getter, 0)),
            false => e.call_target(reloc::PLT32, getter),
        }
    } else {
        let getter = RelocTarget::LibCall(LibCall::TlsGetAddr);
        match model {
            TlsModel::GeneralDynamic => e.tls_general_dynamic(s.0, getter, by_table),
            _ => e.tls_local_dynamic(s.0, getter, by_table),
        }
    }
    if model == TlsModel::LocalDynamic {
        e.lea(w, a, Mem::at(a, 0).with_reloc(reloc::DTPOFF32, symbol));
    }
    cx.after_call(clobbers);
    cx.pin(RAX);
    cx.set(d.r, 0, RAX)
}
