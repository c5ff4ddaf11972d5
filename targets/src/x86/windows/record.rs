//! The registration record of 32-bit Windows (`unwind::microsoft::registration` of `gusset_codegen` describes it).

use gusset_codegen::buffer::{CodeBuffer, RelocTarget};
use gusset_codegen::libcall::LibCall;
use gusset_codegen::machine::{FrameAddr, PReg, RecordOp};

use crate::x86::encode::ops::AluOp;
use crate::x86::machine::{X86, frame_mem, gpr};
use crate::x86::reg::{Mem, Segment, Size};
use crate::x86::registers::{RAX, RBP, RCX, RDX, RSP};
use crate::x86::reloc;

/// The head of the thread's list of records, in its block (`NT_TIB`, `ExceptionList`).
const LIST: Mem = Mem::absolute(0).in_segment(Segment::Fs);

/// See [`RecordOp`].
pub(in crate::x86) fn record(target: &X86, buf: &mut CodeBuffer, op: RecordOp) {
    let (w, sp) = (Size::B4, gpr(RSP));
    let mut a = target.asm(buf);
    match op {
        RecordOp::Link { routine, state } => {
            a.push_ri(state);
            a.push_reloc(reloc::ABS32, RelocTarget::SafeSehHandler);
            if let Some(routine) = routine {
                a.push_reloc(reloc::ABS32, RelocTarget::Symbol(routine.0));
            }
            a.push_m(LIST);
            a.mov_m(w, LIST, sp);
            // Room for what is below.
            for _ in 0..if routine.is_some() { 2 } else { 1 } {
                a.push_r(gpr(RAX));
            }
        }
        RecordOp::Mask { table, guard, live } => {
            let free = [RAX, RCX, RDX].into_iter().find(|r| live & r.mask() == 0);
            let by: PReg = free.unwrap_or(RAX);
            if free.is_none() {
                a.push_r(gpr(by));
            }
            a.mov(w, gpr(by), Mem::rip(reloc::PC32, RelocTarget::LibCall(LibCall::SecurityCookie), 0));
            a.alu_m(AluOp::Xor, w, frame_mem(table), gpr(by));
            a.alu(AluOp::Xor, w, gpr(by), gpr(RBP));
            a.mov_m(w, frame_mem(guard), gpr(by));
            if free.is_none() {
                a.pop_r(gpr(by));
            }
        }
        RecordOp::SetJump { levels, arguments, state, at } => {
            let argument = |k: i32| frame_mem(FrameAddr { disp: arguments.disp + 4 * k, ..arguments });
            let ax = gpr(RAX);
            let (function, count) = match levels {
                None => (LibCall::CxxLongjmpUnwind, 3),
                Some(4) => (LibCall::SehLongjmpUnwind4, 3),
                Some(_) => (LibCall::SehLongjmpUnwind, 2),
            };
            a.mov_m(w, argument(0), count);
            a.mov_ri_reloc(ax, reloc::ABS32, RelocTarget::LibCall(function), 0);
            a.mov_m(w, argument(1), ax);
            match state {
                Some(state) => a.mov_m(w, argument(2), state),
                None => {
                    a.mov(w, ax, frame_mem(at));
                    a.mov_m(w, argument(2), ax);
                }
            }
            match levels {
                None => a.mov_ri_reloc(ax, reloc::ABS32, RelocTarget::HandlerTables, 0),
                Some(4) => a.mov(w, ax, Mem::rip(reloc::PC32, RelocTarget::LibCall(LibCall::SecurityCookie), 0)),
                Some(_) => return,
            }
            a.mov_m(w, argument(3), ax);
        }
        RecordOp::Unlink(next) => {
            a.push_m(frame_mem(next));
            a.pop_m(LIST);
        }
        RecordOp::KeepStack(at) => a.mov_m(w, frame_mem(at), sp),
        RecordOp::FindStack(at) => a.mov(w, sp, frame_mem(at)),
    }
}
