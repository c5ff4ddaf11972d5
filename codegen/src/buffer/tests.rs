//! Relaxation against a plain model, records that move along, and the errors.

use super::*;

/// The branches that remain and their targets, as (offset of the instruction, label), in order.
fn branches(buffer: &CodeBuffer) -> impl Iterator<Item = (u32, Label)> + '_ {
    buffer.gaps.iter().filter(|gap| gap.keep != 0 && gap.is_branch()).map(|gap| (gap.offset, Label(gap.label)))
}

fn shorten(insn: &mut [u8]) {
    insn[0] = if insn[0] == 0x0f { insn[1] - 0x10 } else { 0xeb };
}

fn patch_long(insn: &mut [u8], displacement: i32) {
    let len = insn.len().min(if insn[0] == 0x0f { 6 } else { 5 });
    insn[len - 4..len].copy_from_slice(&(displacement - len as i32).to_le_bytes());
}

fn patch_short(insn: &mut [u8], displacement: i32) {
    insn[1] = (displacement - 2) as u8;
}

pub(super) const JUMP: u8 = 0;
pub(super) const JUMP_IF: u8 = 1;
/// Of three forms, each of which says what it is.
const JUMP_FAR: u8 = 2;
pub(super) const MACHINE: CodeFacts = CodeFacts {
    branches: &[&[SHORT, long(5)], &[SHORT, long(6)], &[NEAR, MIDDLE, FAR]],
    reach: i32::MAX as u32,
    align: 16,
    island_reach: None,
    patch,
    ..CodeFacts::NONE
};

static PLAIN: CodeFacts = MACHINE;

/// The same with constants among the code.
static ISLANDS: CodeFacts = CodeFacts { island_reach: Some(600), ..MACHINE };

const SHORT: BranchForm = BranchForm { len: 2, min: -126, max: 129, shorten, patch: patch_short };

const fn long(len: u8) -> BranchForm {
    BranchForm { len, min: i32::MIN, max: i32::MAX, shorten: |_| {}, patch: patch_long }
}

const NEAR: BranchForm = BranchForm {
    len: 2,
    min: -20,
    max: 100,
    shorten: |insn| insn[0] = 0xe6,
    patch: |insn, displacement| insn[1] = displacement as u8,
};
const MIDDLE: BranchForm = BranchForm {
    len: 3,
    min: -300,
    max: 400,
    shorten: |insn| insn[0] = 0xe7,
    patch: |insn, displacement| insn[1..3].copy_from_slice(&(displacement as i16).to_le_bytes()),
};
const FAR: BranchForm = BranchForm {
    len: 8,
    min: i32::MIN,
    max: i32::MAX,
    shorten: |_| {},
    patch: |insn, displacement| insn[4..8].copy_from_slice(&displacement.to_le_bytes()),
};

/// Fields are words.
fn patch(kind: RelocKind, bytes: &mut [u8], value: i64) -> bool {
    assert_eq!(kind.field, Field::WORD4);
    bytes[..4].copy_from_slice(&(value as i32).to_le_bytes());
    i32::try_from(value).is_ok()
}

const ABS32: RelocKind = RelocKind::word(4, Origin::Zero);
const ABS64: RelocKind = RelocKind::word(8, Origin::Zero);
pub(super) const PC32: RelocKind = RelocKind::word(4, Origin::Field);

/// A generator of numbers that is the same everywhere (xorshift).
pub(super) struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32 % limit
    }
}

#[derive(Clone, Copy, Debug)]
enum Item {
    Fill(u32),
    Bind(u32),
    Jump {
        form: u8,
        label: u32,
    },
    /// A byte with a relocation and a mark.
    Record,
}

/// A random program: every label bound once, branches to any of them.
fn program(random: &mut Random) -> (Vec<Item>, u32) {
    let count = 1 + random.below(12);
    let spread = [1, 8, 60, 400][random.below(4) as usize];
    let mut items = Vec::new();
    for label in 0..count {
        for _ in 0..random.below(6) {
            match random.below(8) {
                0..4 => items.push(Item::Jump { form: random.below(3) as u8, label: random.below(count) }),
                4 => items.push(Item::Record),
                _ => items.push(Item::Fill(random.below(spread))),
            }
        }
        items.push(Item::Bind(label));
    }
    items.push(Item::Fill(random.below(3)));
    (items, count)
}

fn is_ahead(items: &[Item], i: usize, label: u32) -> bool {
    items[i..].iter().any(|item| matches!(item, Item::Bind(l) if *l == label))
}

/// The least fixed point: all branches start absent, and grow while they do not reach. No encoding can be smaller.
fn smallest(items: &[Item], labels: u32) -> u32 {
    let mut lens = vec![0u32; items.len()];
    loop {
        let (mut starts, mut places, mut at) = (vec![0; items.len()], vec![0; labels as usize], 0);
        for (i, item) in items.iter().enumerate() {
            starts[i] = at;
            match *item {
                Item::Fill(len) => at += len,
                Item::Record => at += 1,
                Item::Bind(label) => places[label as usize] = at,
                Item::Jump { .. } => at += lens[i],
            }
        }
        let mut changed = false;
        for (i, item) in items.iter().enumerate() {
            if let Item::Jump { form, label } = *item {
                let displacement = i64::from(places[label as usize]) - i64::from(starts[i]);
                let forward = is_ahead(items, i, label);
                let end = displacement - i64::from(lens[i]);
                let reaches = |form: &&BranchForm| (i64::from(form.min)..=i64::from(form.max)).contains(&displacement);
                let fitting = MACHINE.branches[form as usize].iter().find(reaches);
                let needed = if forward && end == 0 { 0 } else { fitting.map_or(0, |form| form.len.into()) };
                if needed > lens[i] {
                    lens[i] = needed;
                    changed = true;
                }
            }
        }
        if !changed {
            return at;
        }
    }
}

/// Fill bytes are 0x90, so the finished code can be read back without knowing the forms chosen.
fn emit(buffer: &mut CodeBuffer, items: &[Item], labels: u32) {
    buffer.new_labels(labels);
    buffer.watched.clear();
    for (i, item) in items.iter().enumerate() {
        match *item {
            Item::Fill(len) => (0..len).for_each(|_| buffer.put_word(0x90, 1)),
            Item::Bind(label) => {
                buffer.bind(Label(label));
                buffer.watched.push(buffer.offset());
            }
            Item::Jump { form, label } => {
                let insn = [0xe9, 0x840f, 0xe8][form as usize];
                buffer.branch(form, insn, Label(label));
            }
            Item::Record => {
                buffer.mark_cfi(CfiOp::DefCfaOffset(i as i32));
                buffer.reloc(buffer.offset(), ABS32, RelocTarget::Symbol(i as u32), 0);
                buffer.put_word(0xcc, 1);
            }
        }
    }
}

/// Reads the code back item by item and checks that each branch lands on its label.
fn check(buffer: &CodeBuffer, items: &[Item]) {
    let code = buffer.bytes();
    let mut at = 0;
    let mut branches = branches(buffer).peekable();
    let mut relocs = buffer.relocs().iter();
    let mut cfi = buffer.cfi().iter();
    let mut watched = buffer.watched.iter();
    for (i, item) in items.iter().enumerate() {
        match *item {
            Item::Fill(len) => {
                assert!(code[at..at + len as usize].iter().all(|&b| b == 0x90));
                at += len as usize;
            }
            Item::Bind(label) => {
                assert_eq!(buffer.label_offset(Label(label)), Some(at as u32));
                assert_eq!(watched.next(), Some(&(at as u32)));
            }
            Item::Record => {
                assert_eq!(cfi.next(), Some(&Mark { offset: at as u32, value: CfiOp::DefCfaOffset(i as i32) }));
                assert_eq!(code[at], 0xcc);
                let reloc = relocs.next().unwrap();
                assert_eq!((reloc.offset, reloc.target), (at as u32, RelocTarget::Symbol(i as u32)));
                at += 1;
            }
            Item::Jump { form, label } => {
                let target = i64::from(buffer.label_offset(Label(label)).unwrap());
                // A forward branch whose target is where it would stand is gone.
                let gone = target == at as i64 && is_ahead(items, i, label);
                let stays = !gone && branches.next_if_eq(&(at as u32, Label(label))).is_some();
                let (len, displacement) = match code.get(at).filter(|_| stays) {
                    Some(0xeb) if form == JUMP => (2, i64::from(code[at + 1] as i8)),
                    Some(0x74) if form == JUMP_IF => (2, i64::from(code[at + 1] as i8)),
                    Some(0xe9) if form == JUMP => (5, i64::from(read(&code[at + 1..]))),
                    Some(0x0f) if form == JUMP_IF => {
                        assert_eq!(code[at + 1], 0x84);
                        (6, i64::from(read(&code[at + 2..])))
                    }
                    // These count from their start.
                    Some(0xe6) if form == JUMP_FAR => (2, i64::from(code[at + 1] as i8) - 2),
                    Some(0xe7) if form == JUMP_FAR => {
                        (3, i64::from(i16::from_le_bytes([code[at + 1], code[at + 2]])) - 3)
                    }
                    Some(0xe8) if form == JUMP_FAR => (8, i64::from(read(&code[at + 4..])) - 8),
                    _ => (0, 0),
                };
                assert_eq!(at as i64 + len + displacement, target, "item {i}");
                assert_eq!(len != 0, stays, "item {i}");
                at += len as usize;
            }
        }
    }
    assert_eq!(at, code.len());
    assert!(branches.next().is_none() && relocs.next().is_none() && cfi.next().is_none() && watched.next().is_none());
}

fn read(bytes: &[u8]) -> i32 {
    i32::from_le_bytes(bytes[..4].try_into().unwrap())
}

#[test]
fn random_programs_land_where_they_should_and_are_near_the_smallest() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut buffer = CodeBuffer::new(&PLAIN);
    let (mut total, mut least) = (0, 0);
    for _ in 0..4000 {
        let (items, labels) = program(&mut random);
        buffer.clear();
        emit(&mut buffer, &items, labels);
        buffer.finish().unwrap();
        check(&buffer, &items);
        let smallest = smallest(&items, labels);
        assert!(buffer.offset() >= smallest);
        total += u64::from(buffer.offset());
        least += u64::from(smallest);
    }
    // Branches that would each fit only if the other were short stay long.
    assert!(total * 100 <= least * 101, "{total} bytes where {least} are possible");
}

/// Each branch fits only once the one after it has shrunk: many more rounds than passes, and still right.
#[test]
fn a_chain_of_dependent_branches_stays_valid() {
    let mut items = Vec::new();
    let count = 200;
    for label in 0..count {
        items.push(Item::Jump { form: JUMP, label });
        items.push(Item::Fill(62));
        if label >= 1 {
            items.push(Item::Bind(label - 1));
        }
    }
    items.push(Item::Bind(count - 1));
    let mut buffer = CodeBuffer::new(&PLAIN);
    emit(&mut buffer, &items, count);
    buffer.finish().unwrap();
    check(&buffer, &items);
}

#[test]
fn a_branch_to_the_next_instruction_goes_away() {
    let mut buffer = CodeBuffer::new(&PLAIN);
    let next = buffer.new_label();
    buffer.branch(JUMP, 0xe9, next);
    buffer.branch(JUMP_IF, 0x840f, next);
    buffer.bind(next);
    buffer.put_word(0xc3, 1);
    buffer.finish().unwrap();
    assert_eq!(buffer.bytes(), [0xc3]);
    assert_eq!(branches(&buffer).count(), 0);
}

#[test]
fn a_reference_to_a_label_is_resolved_and_others_are_left() {
    let mut buffer = CodeBuffer::new(&PLAIN);
    let (far, place) = (buffer.new_label(), buffer.new_label());
    buffer.branch(JUMP, 0xe9, far);
    let field = buffer.offset();
    buffer.put_word(0, 4);
    buffer.reloc(field, PC32, RelocTarget::Label(place), -4);
    buffer.put_word(0, 8);
    buffer.reloc(buffer.offset() - 8, ABS64, RelocTarget::Label(place), 3);
    buffer.bind(far);
    buffer.put_word(0x90, 1);
    buffer.bind(place);
    buffer.finish().unwrap();
    assert_eq!(buffer.bytes(), [0xeb, 12, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x90]);
    let left = Reloc { offset: 6, kind: ABS64, target: RelocTarget::Label(place), addend: 3 };
    assert_eq!(buffer.relocs(), [left]);
    assert_eq!(buffer.label_offset(place), Some(15));
}

/// Random code with uses of constants among branches that change their lengths: every field is the distance to an aligned copy of
/// its constant, not too far away, and nothing but islands is data.
#[test]
fn constants_lie_within_reach() {
    let mut random = Random(0x5eed_0f15_1a2d_5eed);
    let mut buffer = CodeBuffer::new(&ISLANDS);
    let mut islands = 0;
    for _ in 0..500 {
        buffer.clear();
        let mut uses = Vec::new();
        let mut ahead: Vec<Label> = Vec::new();
        for _ in 0..200 {
            if buffer.island_due(40) {
                let over = buffer.new_label();
                buffer.branch(JUMP, 0xe9, over);
                buffer.write_island();
                buffer.bind(over);
            }
            match random.below(4) {
                0 => {
                    let size = 1 << random.below(5);
                    let bytes = [random.below(6) as u8 + 1; 16];
                    let constant = buffer.constant(&bytes[..size]);
                    buffer.mark_cfi(CfiOp::DefCfaOffset(0));
                    uses.push((size, bytes[0]));
                    buffer.reloc(buffer.offset(), PC32, RelocTarget::Constant(constant), 0);
                    buffer.put_word(0, 4);
                }
                1 => {
                    let label = buffer.new_label();
                    ahead.push(label);
                    let kind = random.below(3);
                    buffer.branch(kind as u8, [0xe9, 0x840f, 0xe8][kind as usize], label);
                }
                2 => ahead.drain(..).for_each(|label| buffer.bind(label)),
                _ => (0..random.below(30)).for_each(|_| buffer.put_word(0x90, 1)),
            }
        }
        ahead.drain(..).for_each(|label| buffer.bind(label));
        buffer.finish().unwrap();
        let code = buffer.bytes();
        assert_eq!(buffer.cfi().len(), uses.len());
        for (mark, (size, byte)) in buffer.cfi().iter().zip(&uses) {
            let distance = read(&code[mark.offset as usize..]);
            let at = mark.offset as usize + distance as usize;
            assert!(
                distance > 0 && distance <= 600 && at.is_multiple_of(*size),
                "{distance} bytes from {}",
                mark.offset
            );
            assert!(code[at..at + size].iter().all(|b| b == byte));
            assert!(buffer.data().iter().any(|data| data.contains(&(at as u32))));
        }
        islands += buffer.data().len();
        assert!(buffer.relocs().is_empty());
    }
    assert!(islands > 1000, "{islands} islands");
}

#[test]
fn mistakes_are_errors() {
    let mut buffer = CodeBuffer::new(&PLAIN);
    let label = buffer.new_label();
    buffer.branch(JUMP, 0xe9, label);
    assert_eq!(buffer.finish(), Err(BufferError::UnboundLabel(label)));
    buffer.clear();
    let label = buffer.new_label();
    buffer.jump_table(&[label]);
    assert_eq!(buffer.finish(), Err(BufferError::UnboundLabel(label)));
    buffer.clear();
    assert_eq!(buffer.finish(), Ok(()));
}

#[test]
fn equal_constants_are_one_and_clearing_forgets_them() {
    let mut buffer = CodeBuffer::new(&PLAIN);
    for round in 0..3u32 {
        buffer.clear();
        let count = [1000, 3, 700][round as usize];
        for i in 0..count {
            assert_eq!(buffer.constant(&(i + round).to_le_bytes()), ConstantId(2 * i));
            assert_eq!(buffer.constant(&u64::from(i + round).to_le_bytes()), ConstantId(2 * i + 1));
        }
        for i in 0..count {
            assert_eq!(buffer.constant(&(i + round).to_le_bytes()), ConstantId(2 * i));
        }
        assert_eq!(buffer.constants().iter().count(), 2 * count as usize);
        let (size, bytes) = buffer.constants().iter().nth(1).unwrap();
        assert_eq!((size, &bytes[..8]), (8, &u64::from(round).to_le_bytes()[..]));
    }
}

#[test]
fn jump_tables_keep_their_labels() {
    let mut buffer = CodeBuffer::new(&PLAIN);
    let (a, b) = (buffer.new_label(), buffer.new_label());
    buffer.jump_table(&[a, b, a]);
    buffer.jump_table(&[b]);
    buffer.bind(a);
    buffer.bind(b);
    buffer.finish().unwrap();
    assert_eq!(buffer.jump_tables().collect::<Vec<_>>(), [&[a, b, a][..], &[b]]);
}

#[test]
fn variables_are_nowhere_in_code_whose_registers_have_been_displaced() {
    let mut buffer = CodeBuffer::new(&PLAIN);
    let mut mark = |offset, key, record: Option<u32>, registers| {
        buffer.variables.push(Mark { offset, value: VariableEvent { key, record, operands: 0..0, registers } });
    };
    mark(0, 0, Some(7), 1);
    mark(0, 1, Some(8), 2);
    mark(40, 0, Some(9), 1);
    mark(90, 0, None, 0);
    buffer.displace(vec![(12..20, 1), (16..24, 3), (36..48, 1), (88..100, 1), (50..60, 4)]);
    let of = |key| {
        let events = buffer.variables.iter().filter(move |mark| mark.value.key == key);
        events.map(|mark| (mark.offset, mark.value.record)).collect::<Vec<_>>()
    };
    let (first, second) = ((0, Some(7)), (0, Some(8)));
    let at_forty = [(40, Some(9)), (40, None), (48, Some(9))];
    let expected = [&[first, (12, None), (24, Some(7)), (36, None)], &at_forty[..], &[(88, None), (90, None)]].concat();
    assert_eq!(of(0), expected);
    assert_eq!(of(1), [second, (16, None), (24, Some(8))]);
    assert!(buffer.variables.is_sorted_by_key(|mark| mark.offset));
}
