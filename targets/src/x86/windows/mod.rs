//! What Windows needs in x86 code: the function that probes the stack, thread-local variables, the frame's address, the
//! registration record.

mod record;

pub(super) use record::record;

use gusset_codegen::buffer::RelocTarget;
use gusset_codegen::error::Result;
use gusset_codegen::ir::{SymbolId, Value};
use gusset_codegen::libcall::LibCall;
use gusset_codegen::machine::{Machine, PReg};

use crate::shared::Node;
use crate::x86::machine::{X86, frame_mem, gpr};
use crate::x86::reg::{Mem, Segment, Size};
use crate::x86::reloc;
use crate::x86::select::operand::{Cx, asm};

/// The run-time library function that probes as many bytes below the stack pointer as `rax` says, and changes only
/// flags.
pub(crate) fn probe(target: &X86) -> LibCall {
    if target.has_microsoft_library() { LibCall::Chkstk } else { LibCall::ChkstkMs }
}

/// The address of a thread-local variable: in the block of this image, which is found in the thread's list of blocks
/// (Microsoft, "PE Format", "The .tls Section"; the list is at 58h in the thread's environment block, at 2ch on 32-bit
/// Windows).
pub(crate) fn tls_address(cx: &mut Cx<'_>, d: &Node) -> Result {
    let s = SymbolId(d.a.0);
    let t = cx.temp(false, None)?;
    let dst = cx.def(d.r, 0)?;
    let (index, g, w) = (gpr(t), gpr(dst), cx.target.word_size());
    let list = if cx.target.is_32() {
        Mem::absolute(0x2c).in_segment(Segment::Fs)
    } else {
        Mem::absolute(0x58).in_segment(Segment::Gs)
    };
    let mut e = asm(cx);
    e.mov(Size::B4, index, Mem::rip(reloc::PC32, RelocTarget::LibCall(LibCall::TlsIndex), 0));
    e.mov(w, g, list);
    e.mov(w, g, Mem::indexed(g, index, w.bytes() as u8, 0));
    e.lea(w, g, Mem::at(g, 0).with_reloc(reloc::SECREL32, RelocTarget::Symbol(s.0)));
    cx.set(d.r, 0, dst)
}

/// The address of the frame, or its return address. There is no chain of frame pointers here: only the function's own
/// frame is known.
pub(crate) fn frame_address(cx: &mut Cx<'_>, d: &Node, r: Value, dst: PReg, ret: bool) -> Result {
    if d.a.0 > 0 {
        asm(cx).mov_ri(Size::B4, gpr(dst), 0);
    } else if ret {
        let at = cx.frame.incoming(-8);
        asm(cx).mov(Size::B8, gpr(dst), frame_mem(at));
    } else {
        // Unwinding, and `longjmp` with it, identify the frame by this.
        let at = cx.frame.lowest();
        match at.disp {
            0 => asm(cx).mov(Size::B8, gpr(dst), gpr(at.base)),
            _ => cx.target.emit_frame_address(cx.buf, dst, at, 0, true),
        }
    }
    cx.set(r, 0, dst)
}
