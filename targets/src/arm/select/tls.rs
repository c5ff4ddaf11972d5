//! Addresses of thread-local variables (ELF for the Arm Architecture, section "Thread-local storage").

use gusset_codegen::buffer::RelocTarget;
use gusset_codegen::ir::{Module, SymbolId, TlsModel};
use gusset_codegen::libcall::LibCall;
use gusset_codegen::machine::PReg;
use gusset_codegen::plan::Clobbers;

use super::constant;
use super::operand::*;
use crate::arm::encode::ops::*;
use crate::arm::machine::{Arm, Place, gpr};
use crate::arm::reg::{Flags, Mem};
use crate::arm::registers::{IP, LINK};
use crate::arm::reloc;
use crate::shared::tls;

fn model(target: &Arm, module: &Module, s: SymbolId) -> TlsModel {
    tls::model(module, s, target.pic, target.pie)
}

/// Does computing the address take a call?
pub(crate) fn calls(target: &Arm, module: &Module, symbol: SymbolId) -> bool {
    let dynamic = matches!(model(target, module, symbol), TlsModel::GeneralDynamic | TlsModel::LocalDynamic);
    target.windows.is_none() && (dynamic || target.thread_register().is_none())
}

/// The thread pointer.
pub(crate) fn pointer(cx: &mut Cx<'_>, d: &Node) -> Result {
    if let Some(register) = cx.target.thread_register() {
        return define(cx, d.r, |cx, dst| asm(cx).thread_pointer(gpr(dst), register));
    }
    let (result, clobbers) = (PReg::int(0), reader_clobbers());
    cx.save_across(clobbers)?;
    asm(cx).call(RelocTarget::LibCall(LibCall::AeabiReadTp));
    cx.after_call(clobbers);
    cx.pin(result);
    cx.set(d.r, 0, result)
}

/// What the function that returns the thread pointer changes ("Run-time ABI for the Arm Architecture", section 5.3.5).
fn reader_clobbers() -> Clobbers {
    Clobbers::whole(PReg::int(0).mask() | IP.mask() | LINK.mask())
}

/// The address of a thread-local variable.
pub(crate) fn address(cx: &mut Cx<'_>, d: &Node) -> Result {
    let s = SymbolId(d.a.0);
    let symbol = RelocTarget::Symbol(s.0);
    if cx.target.windows.is_some() {
        return in_image(cx, d, symbol);
    }
    let model = model(cx.target, cx.module, s);
    let dynamic = matches!(model, TlsModel::GeneralDynamic | TlsModel::LocalDynamic);
    let register = cx.target.thread_register().filter(|_| !dynamic);
    let by_call = register.is_none();
    let result = PReg::int(0);
    let clobbers = match dynamic {
        true => Clobbers::whole(cx.target.facts.registers.library_clobbers),
        false => reader_clobbers(),
    };
    let dst = if by_call { result } else { cx.def(d.r, 0)? };
    if by_call {
        cx.save_across(clobbers)?;
    }
    let g = gpr(dst);
    let mut e = asm(cx);
    if dynamic {
        let kind = if model == TlsModel::LocalDynamic { reloc::TLS_LDM32 } else { reloc::TLS_GD32 };
        e.literal_place(g, kind, symbol, 0);
        e.call(RelocTarget::LibCall(LibCall::TlsGetAddr));
    } else if let Some(register) = register {
        e.thread_pointer(g, register);
    } else {
        e.call(RelocTarget::LibCall(LibCall::AeabiReadTp));
    }
    let t = gpr(IP);
    match model {
        TlsModel::GeneralDynamic => {}
        TlsModel::LocalDynamic => e.literal_address(t, reloc::TLS_LDO32, symbol, 0),
        TlsModel::LocalExec => e.literal_address(t, reloc::TLS_LE32, symbol, 0),
        TlsModel::InitialExec => {
            e.literal_place(t, reloc::TLS_IE32, symbol, 0);
            e.access(LDR, t, Mem::Base(t, 0));
        }
    }
    if model != TlsModel::GeneralDynamic {
        e.data(ADD, Flags::Keep, g, g, t);
    }
    if by_call {
        cx.after_call(clobbers);
        cx.pin(result);
    }
    cx.set(d.r, 0, dst)
}

/// In the block of this image, which is found in the thread's list of blocks (Microsoft, "PE Format", "The .tls
/// Section"; the list is at 2Ch in the thread's environment block).
fn in_image(cx: &mut Cx<'_>, d: &Node, symbol: RelocTarget) -> Result {
    let dst = cx.def(d.r, 0)?;
    let (g, t, target) = (gpr(dst), gpr(IP), cx.target);
    let mut e = asm(cx);
    constant::address(target, &mut e, t, RelocTarget::LibCall(LibCall::TlsIndex), 0, Place::Near);
    e.access(LDR, t, Mem::Base(t, 0));
    e.coprocessor(MRC, (15, 0), g, (13, 0), 2);
    e.access(LDR, g, Mem::Base(g, 0x2c));
    e.access(LDR, g, Mem::Index(g, t, 2));
    e.literal_address(t, reloc::SECREL, symbol, 0);
    e.data(ADD, Flags::Keep, g, g, t);
    cx.set(d.r, 0, dst)
}
