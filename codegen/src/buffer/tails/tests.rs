//! Random programs do the same with merged ends: every path executes the same instructions, with the same references, and unwinding is told the
//! same at each of them.

use super::super::tests::{JUMP, JUMP_IF, MACHINE, PC32, Random};
use super::super::{CfiOp, CodeBuffer, CodeFacts, JumpFacts, Label, LineEntry, Mark, RelocTarget};
use crate::debug::DiLocationId;

/// Instructions of one byte, of two, of five with a field, and one that leaves the function.
const ONE: u8 = 0x01;
const TWO: u8 = 0x11;
const FIELD: u8 = 0x21;
const LEAVE: u8 = 0x31;

static FACTS: CodeFacts =
    CodeFacts { jump: Some(JumpFacts { kind: JUMP, insn: 0xe9, is_jump: |_| true, instruction_len: len }), ..MACHINE };

fn len(code: &[u8]) -> usize {
    match code.first().map_or(0, |first| first >> 4) {
        0 => 1,
        1 => 2,
        2 => 5,
        3 => 1,
        _ => 0,
    }
}

#[derive(Clone, Copy)]
enum Item {
    Bind(u32),
    Plain(u8, u8),
    Jump(u8, u32),
    /// Pops this many words, then leaves.
    Leave(u8),
}

/// Blocks of few different instructions, so that many ends are equal.
fn program(random: &mut Random) -> (Vec<Item>, u32) {
    let count = 2 + random.below(14);
    let mut items = Vec::new();
    for label in 0..count {
        items.push(Item::Bind(label));
        for _ in 0..random.below(8) {
            items.push(match random.below(4) {
                0 => Item::Plain(ONE + random.below(2) as u8, 0),
                1 => Item::Plain(TWO, random.below(2) as u8),
                2 => Item::Plain(FIELD, random.below(2) as u8),
                _ => Item::Plain(ONE, 0),
            });
        }
        if random.below(3) == 0 {
            items.push(Item::Jump(JUMP_IF, random.below(count)));
        }
        match random.below(4) {
            0 => items.push(Item::Leave(random.below(2) as u8)),
            1 => {}
            _ => items.push(Item::Jump(JUMP, random.below(count.min(3)))),
        }
    }
    items.push(Item::Leave(0));
    (items, count)
}

fn emit(items: &[Item], labels: u32, merged: bool) -> CodeBuffer {
    let mut buffer = CodeBuffer::new(&FACTS);
    (buffer.tails.are_merged, buffer.tails.for_size) = (merged, labels.is_multiple_of(2));
    buffer.new_labels(labels);
    buffer.mark_cfi(CfiOp::DefCfaOffset(16));
    for item in items {
        match *item {
            Item::Bind(label) => {
                buffer.bind(Label(label));
                buffer.note_block(0.01);
            }
            Item::Plain(opcode, operand) => {
                buffer.put_word(u64::from(opcode), 1);
                if opcode == TWO {
                    buffer.put_word(u64::from(operand), 1);
                } else if opcode == FIELD {
                    buffer.reloc(buffer.offset(), PC32, RelocTarget::Symbol(operand.into()), 0);
                    buffer.put_word(0, 4);
                }
            }
            Item::Jump(kind, label) => buffer.branch(kind, if kind == JUMP { 0xe9 } else { 0x840f }, Label(label)),
            Item::Leave(pops) => {
                buffer.mark_cfi(CfiOp::RememberState);
                for k in 0..pops {
                    buffer.put_word(u64::from(ONE + 4), 1);
                    buffer.mark_cfi(CfiOp::DefCfaOffset(8 - i32::from(k)));
                }
                buffer.put_word(u64::from(LEAVE), 1);
                buffer.mark_cfi(CfiOp::RestoreState);
                buffer.note_leave();
            }
        }
    }
    buffer.merge_tails();
    buffer.finish().unwrap();
    buffer
}

/// What is executed: the instruction, what its field refers to, and the frame there. Conditions are random.
fn run(buffer: &CodeBuffer, seed: u64) -> Vec<(u8, Option<RelocTarget>, i32)> {
    let (mut random, mut at, mut trace) = (Random(seed), 0usize, Vec::new());
    let code = buffer.bytes();
    let target = |at: usize, len: usize, wide: bool| {
        let field = &code[at + len - if wide { 4 } else { 1 }..];
        let displacement =
            if wide { i32::from_le_bytes(field[..4].try_into().unwrap()) } else { i32::from(field[0] as i8) };
        (at as i32 + len as i32 + displacement) as usize
    };
    // Some loops have no instructions.
    for _ in 0..1000 {
        if trace.len() == 100 {
            break;
        }
        match code[at] {
            0xeb => at = target(at, 2, false),
            0xe9 => at = target(at, 5, true),
            0x74 | 0x0f => {
                let len = if code[at] == 0x74 { 2 } else { 6 };
                at = if random.below(2) == 0 { at + len } else { target(at, len, len == 6) };
            }
            opcode => {
                let operand = buffer.relocs().iter().find(|r| r.offset as usize == at + 1).map(|r| r.target);
                let number = if opcode == TWO { i32::from(code[at + 1]) << 16 } else { 0 };
                trace.push((opcode, operand, frame_at(buffer.cfi(), at as u32) | number));
                if opcode == LEAVE {
                    return trace;
                }
                at += len(&code[at..]);
            }
        }
    }
    trace
}

fn frame_at(marks: &[Mark<CfiOp>], at: u32) -> i32 {
    let (mut frame, mut saved) = (0, Vec::new());
    for mark in marks.iter().take_while(|mark| mark.offset <= at) {
        match mark.value {
            CfiOp::DefCfaOffset(offset) => frame = offset,
            CfiOp::RememberState => saved.push(frame),
            CfiOp::RestoreState => frame = saved.pop().unwrap(),
            _ => {}
        }
    }
    frame
}

#[test]
fn random_programs_execute_the_same_and_are_smaller() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let (mut before, mut after) = (0, 0);
    for _ in 0..4000 {
        let (items, labels) = program(&mut random);
        let (plain, merged) = (emit(&items, labels, false), emit(&items, labels, true));
        assert!(merged.offset() <= plain.offset());
        (before, after) = (before + plain.offset(), after + merged.offset());
        for seed in 1..9 {
            let (expected, found) = (run(&plain, seed), run(&merged, seed));
            let same = expected.iter().zip(&found).take_while(|(a, b)| a == b).count();
            assert!(expected == found, "after {same} instructions: {:?}, {:?}", expected.get(same), found.get(same));
        }
    }
    assert!(after < before, "{before} bytes became {after}");
}

/// Two blocks with the same two instructions before a jump to a third one.
fn two_blocks(prepare: impl Fn(&mut CodeBuffer, u32)) -> CodeBuffer {
    let mut buffer = CodeBuffer::new(&FACTS);
    buffer.tails.are_merged = true;
    buffer.new_labels(4);
    for block in 0..3 {
        buffer.bind(Label(block));
        buffer.note_block(0.01);
        buffer.put_word(u64::from(ONE) + u64::from(block), 1);
        if block == 2 {
            break;
        }
        prepare(&mut buffer, block);
        (0..6).for_each(|_| buffer.put_word(u64::from(TWO), 2));
        buffer.branch(JUMP, 0xe9, Label(3));
    }
    buffer.put_word(u64::from(LEAVE), 1);
    buffer.note_leave();
    buffer.bind(Label(3));
    buffer.note_block(0.01);
    buffer.put_word(u64::from(LEAVE), 1);
    buffer.note_leave();
    buffer.merge_tails();
    buffer.finish().unwrap();
    buffer
}

#[test]
fn the_second_end_becomes_a_jump_and_labels_move_along() {
    let merged = two_blocks(|_, _| {});
    // An instruction and the end of the first block; an instruction and a jump; two instructions; the last block.
    assert_eq!(merged.bytes().len(), 1 + 12 + 2 + 1 + 2 + 2 + 1);
    let labeled = two_blocks(|buffer, block| {
        if block == 1 {
            let label = buffer.new_label();
            buffer.bind(label);
            buffer.jump_table(&[label]);
        }
    });
    assert_eq!(labeled.bytes(), merged.bytes());
    assert_eq!(labeled.label_offset(Label(4)), Some(1), "it is bound to the end that stays");
}

#[test]
fn an_end_whose_address_the_program_knows_stays() {
    let pinned = two_blocks(|buffer, block| {
        if block == 1 {
            let label = buffer.new_label();
            buffer.bind(label);
            buffer.pin(label);
        }
    });
    // All but what the label leads to is merged.
    assert_eq!(pinned.label_offset(Label(4)), Some(1 + 12 + 2 + 1));
}

#[test]
fn code_of_different_lines_is_of_none() {
    let line = |id| LineEntry { location: Some(DiLocationId(id)), epilogue_begin: false };
    let merged = two_blocks(|buffer, block| {
        let offset = buffer.offset();
        buffer.lines.push(Mark { offset, value: line(block) });
    });
    let lines: Vec<(u32, Option<u32>)> =
        merged.lines.iter().map(|mark| (mark.offset, mark.value.location.map(|id| id.0))).collect();
    assert_eq!(lines, [(1, None), (13, Some(0)), (16, Some(1))]);
}
