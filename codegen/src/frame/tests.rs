//! Frames of machines that differ in what a call leaves where, what is pushed together, and where the frame pointer points.

use super::ops::Steps;
use super::*;
use crate::buffer::{CfiOp, CodeBuffer, CodeFacts};
use crate::machine::{FrameOp, Signing, Unwinding};

const FP: PReg = PReg::int(29);
const LR: PReg = PReg::int(30);

fn lowest(set: u64, count: u32) -> u64 {
    each_register(set).take(count as usize).fold(0, |set, r| set | r.mask())
}

/// AArch64: pairs, the frame record first, of which the frame pointer holds the address; of vector registers callees keep eight
/// bytes. Numbers are DWARF's, but for vectors.
const A64: FrameRules = FrameRules {
    stack_pointer: PReg::int(31),
    frame_pointer: FP,
    link: 0,
    link_register: Some(LR),
    pushed: !0,
    next_push: |set, base| {
        let framed = base.is_framed();
        let record = FP.mask() | LR.mask();
        let (ints, vectors) = (set & 0xffff_ffff, set >> 32 << 32);
        match ints {
            _ if framed && set & record == record => record,
            0 => lowest(vectors, 2),
            _ => lowest(ints, 2),
        }
    },
    push_unit: 16,
    word: 8,
    vector: 8,
    low_frame_pointer: None,
    reaches_up: true,
    leaf_frame_pointer: true,
    has_leave: false,
    page: 4096,
    signing: Signing::InPlace,
    probe_changes: 0,
    unwinding: Unwinding::Dwarf(|r| Some(r.num() as u16 + if r.is_float() { 64 } else { 0 })),
    funclets: None,
};

/// Thumb: one list, in the middle of which is the frame pointer, r7.
const THUMB: FrameRules = FrameRules {
    stack_pointer: PReg::int(13),
    frame_pointer: PReg::int(7),
    link_register: Some(PReg::int(14)),
    next_push: |set, _| if set as u32 != 0 { set & 0xffff_ffff } else { set },
    push_unit: 4,
    word: 4,
    ..A64
};

/// Nothing is emitted here.
static CODE: CodeFacts = CodeFacts { align: 16, ..CodeFacts::NONE };

fn set(registers: &[PReg]) -> u64 {
    registers.iter().fold(0, |set, r| set | r.mask())
}

/// A frame with a local of 24 bytes.
fn frame(rules: FrameRules, base: FrameBase, saved: u64) -> (Frame, FramePlace) {
    let mut frame = Frame::new(rules);
    frame.begin(rules, base, saved, true, 0, None);
    let local = frame.add(24, 8).unwrap();
    frame.fix_size(0, true);
    (frame, local)
}

fn marks(steps: &mut Steps<'_>, ops: &[FrameOp], buf: &mut CodeBuffer) -> Vec<CfiOp> {
    let before = buf.cfi().len();
    ops.iter().for_each(|&op| steps.record(buf, op));
    buf.cfi()[before..].iter().map(|m| m.value).collect()
}

#[test]
fn pairs_and_a_link_register() {
    let (x19, x20, x21) = (PReg::int(19), PReg::int(20), PReg::int(21));
    let (d8, d9) = (PReg::float(8), PReg::float(9));
    let (frame, local) = frame(A64, FrameBase::Fp, set(&[x19, x20, x21, d8, d9]));
    let pushes = [set(&[FP, LR]), set(&[x19, x20]), set(&[x21]), set(&[d8, d9])];
    let [record, a, b, c] = pushes.map(FrameOp::Push);
    let allocate = FrameOp::Allocate { bytes: 32, probe: Probe::default() };
    let prologue = frame.prologue();
    assert_eq!(prologue, [record, FrameOp::SetFramePointer { up: 0 }, a, b, c, allocate, FrameOp::EndPrologue]);
    let [record, a, b, c] = pushes.map(FrameOp::Pop);
    let epilogue = frame.epilogue(0, 0);
    assert_eq!(epilogue, [FrameOp::BeginEpilogue, FrameOp::RestoreStack { disp: -48 }, c, b, a, record]);
    // The caller's arguments are after the record, the local is below what is pushed.
    assert_eq!(frame.incoming(0), FrameAddr { base: FP, disp: 16 });
    assert_eq!(frame.addr(local, 0), FrameAddr { base: FP, disp: -72 });
    assert_eq!(frame.restored(), set(&[x19, x20, x21, LR]));

    let mut buf = CodeBuffer::new(&CODE);
    let mut steps = Steps::begin(&frame, &mut buf, 0);
    let at = |register, offset| CfiOp::Offset { register, offset };
    let saved = [at(19, -32), at(20, -24), at(21, -48), at(72, -64), at(73, -56)];
    let first = [CfiOp::DefCfaOffset(16), at(29, -16), at(30, -8), CfiOp::DefCfaRegister(29)];
    assert_eq!(marks(&mut steps, &prologue, &mut buf), [&first[..], &saved].concat());
    let back = [CfiOp::RememberState, CfiOp::DefCfa { register: 31, offset: 0 }];
    assert_eq!(marks(&mut steps, &epilogue, &mut buf), back);
    buf.restore_cfa();
    assert_eq!(buf.cfi().last().map(|m| m.value), Some(CfiOp::RestoreState));
}

#[test]
fn a_frame_pointer_within_one_list() {
    let saved = set(&[4, 5, 6].map(PReg::int));
    let (frame, local) = frame(THUMB, FrameBase::Fp, saved);
    let list = saved | set(&[7, 14].map(PReg::int));
    let prologue = frame.prologue();
    assert_eq!(prologue[..2], [FrameOp::Push(list), FrameOp::SetFramePointer { up: 12 }]);
    assert_eq!(frame.epilogue(0, 0)[1..], [FrameOp::RestoreStack { disp: -12 }, FrameOp::Pop(list)]);
    let fp = PReg::int(7);
    assert_eq!(frame.incoming(0), FrameAddr { base: fp, disp: 8 });
    assert_eq!(frame.addr(local, 0), FrameAddr { base: fp, disp: -40 });
    let mut buf = CodeBuffer::new(&CODE);
    let mut steps = Steps::begin(&frame, &mut buf, 0);
    let told = marks(&mut steps, &prologue, &mut buf);
    assert_eq!(told[4..], [at(7, -8), at(14, -4), CfiOp::DefCfa { register: 7, offset: 8 }]);

    fn at(register: u16, offset: i32) -> CfiOp {
        CfiOp::Offset { register, offset }
    }
}

/// Without a frame pointer everything is found from the stack pointer, whose moves tables follow.
#[test]
fn moves_of_the_stack_pointer() {
    let (frame, local) = frame(A64, FrameBase::Sp, PReg::int(19).mask());
    let sp = A64.stack_pointer;
    // One pair: x19 and the link register; the local is above the outgoing arguments, of which there are none.
    assert_eq!(frame.incoming(0), FrameAddr { base: sp, disp: 48 });
    assert_eq!(frame.addr(local, 0), FrameAddr { base: sp, disp: 0 });
    let mut buf = CodeBuffer::new(&CODE);
    let mut steps = Steps::begin(&frame, &mut buf, 0);
    let prologue = frame.prologue();
    let told = marks(&mut steps, &prologue, &mut buf);
    assert_eq!(told.last(), Some(&CfiOp::DefCfaOffset(48)));
    frame.set_stack_depth(&mut buf, 64);
    frame.set_stack_depth(&mut buf, 64);
    let place = frame.above_outgoing(64, 64);
    assert_eq!(frame.addr(place, 0), FrameAddr { base: sp, disp: -64 });
    assert_eq!(frame.outgoing_addr(0, buf.stack_depth), FrameAddr { base: sp, disp: -64 });
    let told: Vec<CfiOp> = buf.cfi().iter().map(|m| m.value).collect();
    assert_eq!(told[told.len() - 2..], [CfiOp::DefCfaOffset(48), CfiOp::DefCfaOffset(112)]);
    assert_eq!(frame.epilogue(buf.stack_depth, 0)[1], FrameOp::MoveStack(-96));
}
