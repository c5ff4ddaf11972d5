//! Addresses of thread-local variables (ELF for the Arm Architecture, section "Thread-local storage").

use gusset_codegen::buffer::RelocTarget;
use gusset_codegen::ir::{Module, SymbolId, TlsModel};

use super::operand::*;
use crate::arm::encode::ops::*;
use crate::arm::machine::{Arm, gpr};
use crate::arm::reg::{Flags, Mem};
use crate::arm::reloc;
use crate::shared::tls;

fn model(target: &Arm, module: &Module, s: SymbolId) -> TlsModel {
    tls::model(module, s, target.pic, target.pie)
}

/// Does the address take a call?
pub(crate) fn calls(target: &Arm, module: &Module, symbol: SymbolId) -> bool {
    let dynamic = matches!(model(target, module, symbol), TlsModel::GeneralDynamic | TlsModel::LocalDynamic);
    dynamic || !target.features.thread_register
}

/// The address of a thread-local variable.
pub(crate) fn address(cx: &mut Cx<'_>, d: &Node) -> Done {
    let s = SymbolId(d.a.0);
    let symbol = RelocTarget::Symbol(s.0);
    if calls(cx.target, cx.module, s) {
        return not_yet(cx, d);
    }
    let dst = cx.def(d.r, 0)?;
    let g = gpr(dst);
    let model = model(cx.target, cx.module, s);
    let mut e = asm(cx);
    let t = e.temp();
    match model {
        TlsModel::LocalExec => e.literal_address(g, reloc::TLS_LE32, symbol, 0),
        _ => {
            e.literal_place(g, reloc::TLS_IE32, symbol, 0);
            e.access(LDR, g, Mem::Base(g, 0));
        }
    }
    e.thread_pointer(t);
    e.data(ADD, Flags::Keep, g, g, t);
    cx.set(d.r, 0, dst)
}
