//! Addresses of thread-local variables (ELF for the Arm 64-bit Architecture, section "Thread Local Storage"; Windows
//! has its own way).

use gusset_codegen::buffer::RelocTarget;
use gusset_codegen::ir::{Module, SymbolId, TlsModel, Value};
use gusset_codegen::libcall::LibCall;
use gusset_codegen::machine::PReg;
use gusset_codegen::plan::Clobbers;

use super::operand::*;
use crate::aarch64::encode::ops::*;
use crate::aarch64::encode::{Asm, TEMP};
use crate::aarch64::machine::{Aarch64, Reach, gpr};
use crate::aarch64::reg::{Extend, Gpr, Mem, Width};
use crate::aarch64::registers::{LINK, PLATFORM};
use crate::aarch64::reloc;
use crate::shared::tls;

fn model(target: &Aarch64, module: &Module, s: SymbolId) -> TlsModel {
    tls::model(module, s, target.pic, target.pie)
}

/// Does computing the address take a call?
pub(crate) fn calls(target: &Aarch64, module: &Module, symbol: SymbolId) -> bool {
    target.windows.is_none()
        && matches!(model(target, module, symbol), TlsModel::GeneralDynamic | TlsModel::LocalDynamic)
}

/// Computes the address of a thread-local variable, if its distance from the thread pointer is known when the program begins.
pub(crate) fn address_without_call(target: &Aarch64, e: &mut Asm<'_>, module: &Module, g: Gpr, s: SymbolId) -> bool {
    let (symbol, thread) = (RelocTarget::Symbol(s.0), target.thread_register());
    match model(target, module, s) {
        TlsModel::LocalExec => {
            e.read_system(thread, g);
            match target.tls_bits {
                12 => e.add_low(g, g, reloc::OFFSET_ALL, symbol, 0),
                24 => {
                    e.add_high(g, g, reloc::OFFSET_HIGH, symbol, 0);
                    e.add_low(g, g, reloc::OFFSET_LOW, symbol, 0);
                }
                _ => {
                    let long = target.tls_bits > 32 && target.reach == Reach::Anywhere;
                    let moves = if long { &reloc::LONG_OFFSET_MOVES[..] } else { &reloc::OFFSET_MOVES };
                    for (k, &kind) in moves.iter().enumerate() {
                        // The linker makes the first one `movz` or `movn`, depending on the sign.
                        let op = if k == 0 { MOVN } else { MOVK };
                        let part = (moves.len() - 1 - k) as u32;
                        e.put_reloc(op.0 | Width::X.sf() | part << 21 | u32::from(TEMP.0), kind, symbol, 0);
                    }
                    e.add_rr(ADD, Width::X, g, g, TEMP);
                }
            }
        }
        TlsModel::InitialExec => {
            if target.reach == Reach::Tiny {
                e.literal(LDR_LITERAL_X, g, reloc::ENTRY_LITERAL, symbol);
            } else {
                e.adrp(g, reloc::ENTRY_PAGE, symbol, 0);
                e.access(LDR_X, g, Mem::Page(g, reloc::ENTRY_LOW, symbol, 0));
            }
            e.read_system(thread, TEMP);
            e.add_rr(ADD, Width::X, g, g, TEMP);
        }
        TlsModel::GeneralDynamic | TlsModel::LocalDynamic => return false,
    }
    true
}

/// The address of a thread-local variable.
pub(crate) fn address(cx: &mut Cx<'_>, d: &Node) -> Result {
    let s = SymbolId(d.a.0);
    let symbol = RelocTarget::Symbol(s.0);
    if cx.target.windows.is_some() {
        return in_image(cx, d.r, symbol);
    }
    match model(cx.target, cx.module, s) {
        TlsModel::LocalExec | TlsModel::InitialExec => {
            let dst = cx.def(d.r, 0)?;
            let (target, module) = (cx.target, cx.module);
            address_without_call(target, &mut asm(cx), module, gpr(dst), s);
            cx.set(d.r, 0, dst)
        }
        // A descriptor for each variable, as in LLVM: the address of the module's block would take two more
        // instructions.
        TlsModel::GeneralDynamic | TlsModel::LocalDynamic => by_descriptor(cx, d.r, symbol),
    }
}

/// In the block of this image, which is found in the thread's list of blocks (Microsoft, "PE Format", "The .tls
/// Section"; the list is at 58h in the thread's environment block).
fn in_image(cx: &mut Cx<'_>, r: Value, symbol: RelocTarget) -> Result {
    let dst = cx.def(r, 0)?;
    let (g, index) = (gpr(dst), RelocTarget::LibCall(LibCall::TlsIndex));
    let mut e = asm(cx);
    e.adrp(TEMP, reloc::PAGE, index, 0);
    e.access(LDR_W, TEMP, Mem::Page(TEMP, reloc::low_access(2), index, 0));
    e.access(LDR_X, g, Mem::Base(gpr(PLATFORM), 0x58));
    e.access(LDR_X, g, Mem::Index(g, TEMP, Extend::Uxtx, true));
    e.add_high(g, g, reloc::SECTION_HIGH, symbol, 0);
    e.add_low(g, g, reloc::SECTION_LOW, symbol, 0);
    cx.set(r, 0, dst)
}

/// Calls the function of the variable's descriptor, which only changes the registers of the sequence.
fn by_descriptor(cx: &mut Cx<'_>, r: Value, symbol: RelocTarget) -> Result {
    let (x0, x1) = (PReg::int(0), PReg::int(1));
    let clobbers = Clobbers::whole(x0.mask() | x1.mask() | LINK.mask());
    cx.save_across(clobbers)?;
    let thread = cx.target.thread_register();
    descriptor_call(&mut asm(cx), symbol, (gpr(x0), gpr(x1)), thread);
    cx.after_call(clobbers);
    cx.pin(x0);
    cx.set(r, 0, x0)
}

/// The sequence that linkers recognize.
fn descriptor_call(e: &mut Asm<'_>, symbol: RelocTarget, (x0, x1): (Gpr, Gpr), thread: ReadSystem) {
    e.adrp(x0, reloc::DESCRIPTOR_PAGE, symbol, 0);
    e.access(LDR_X, x1, Mem::Page(x0, reloc::DESCRIPTOR_LOAD, symbol, 0));
    e.add_low(x0, x0, reloc::DESCRIPTOR_LOW, symbol, 0);
    e.put_reloc(BLR.0 | u32::from(x1.0) << 5, reloc::DESCRIPTOR_CALL, symbol, 0);
    e.read_system(thread, TEMP);
    e.add_rr(ADD, Width::X, x0, x0, TEMP);
}
