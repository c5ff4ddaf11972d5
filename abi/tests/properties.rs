//! What holds for every signature, on random ones.

use gusset_abi::*;
use std::collections::BTreeSet;

/// Marsaglia's xorshift, with a fixed seed: the same signatures on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % n
    }

    fn scalar(&mut self) -> Scalar {
        const FLOATS: [FloatKind; 6] =
            [FloatKind::F16, FloatKind::BF16, FloatKind::F32, FloatKind::F64, FloatKind::Long, FloatKind::F128];
        match self.below(8) {
            0 => Scalar::Bool,
            1 => Scalar::Pointer,
            2..5 => Scalar::Int { bits: 8 << self.below(5), signed: self.below(2) == 0 },
            _ => Scalar::Float(FLOATS[self.below(6) as usize]),
        }
    }

    fn ty(&mut self, depth: u64) -> CType {
        match self.below(if depth == 0 { 9 } else { 16 }) {
            0..6 => self.scalar().into(),
            6 => CType::Complex(self.scalar_of(&[FloatKind::F32, FloatKind::F64, FloatKind::Long])),
            7 => CType::Vector { lane: Scalar::Int { bits: 32, signed: true }, lanes: 2 << self.below(4) },
            8 => CType::BitInt { bits: 2 + self.below(200) as u32, signed: self.below(2) == 0 },
            _ => {
                let fields = (0..self.below(5)).map(|_| self.field(depth - 1)).collect();
                let mut record = if self.below(5) == 0 { Record::union(fields) } else { Record::structure(fields) };
                if self.below(6) == 0 {
                    record = record.packed();
                }
                if self.below(6) == 0 {
                    record = record.aligned(1 << self.below(7));
                }
                if self.below(6) == 0 {
                    record = record.pragma_pack(1 << self.below(4));
                }
                if self.below(8) == 0 {
                    record = record.cxx(Class { non_trivial: self.below(3) == 0, aggregate: self.below(2) == 0 });
                }
                CType::record(record)
            }
        }
    }

    fn scalar_of(&mut self, kinds: &[FloatKind]) -> Scalar {
        Scalar::Float(kinds[self.below(kinds.len() as u64) as usize])
    }

    fn field(&mut self, depth: u64) -> Field {
        match self.below(6) {
            0 => {
                let bits = 8 << self.below(4);
                Field::bit_field(CType::int(bits, true), 1 + self.below(bits.into()) as u32)
            }
            1 => Field::unnamed_bit_field(CType::I32, self.below(33) as u32),
            2 => Field::new(CType::array(self.ty(depth), self.below(4))),
            _ => Field::new(self.ty(depth)),
        }
    }

    fn signature(&mut self) -> Signature {
        let ret = if self.below(5) == 0 { CType::Void } else { self.ty(3) };
        let mut signature = Signature::c(ret);
        let count = self.below(14);
        let named = if self.below(3) == 0 { self.below(count + 1) } else { u64::MAX };
        for i in 0..count {
            if i == named {
                signature = signature.ellipsis();
            }
            signature = signature.param(self.ty(3));
        }
        signature
    }
}

/// Which bits of a value have meaning, byte by byte.
fn meaning(layout: &DataLayout, ty: &CType, at: u64, mask: &mut [u8]) {
    let size = layout.layout(ty).unwrap().size;
    match ty {
        CType::Scalar(Scalar::Float(FloatKind::Long)) => mask[at as usize..][..10].fill(0xff),
        CType::Complex(Scalar::Float(FloatKind::Long)) => {
            mask[at as usize..][..10].fill(0xff);
            mask[at as usize + 16..][..10].fill(0xff);
        }
        CType::Array(array) => {
            let each = layout.layout(array.element()).unwrap().size;
            (0..array.len()).for_each(|i| meaning(layout, array.element(), at + i * each, mask));
        }
        CType::Record(record) => {
            let offsets = layout.record(record).unwrap().bit_offsets;
            for (field, offset) in record.fields().iter().zip(offsets) {
                match field.bits {
                    None => meaning(layout, &field.ty, at + offset / 8, mask),
                    Some(bits) if field.named => (offset..offset + u64::from(bits))
                        .for_each(|bit| mask[(at + bit / 8) as usize] |= 1 << (bit % 8)),
                    Some(_) => {}
                }
            }
        }
        _ => mask[at as usize..][..size as usize].fill(0xff),
    }
}

fn check_value(layout: &DataLayout, ty: &CType, mode: &PassMode) {
    let Ok(Layout { size, .. }) = layout.layout(ty) else { return };
    let mut mask = vec![0; size as usize];
    meaning(layout, ty, 0, &mut mask);
    match mode {
        PassMode::Ignore => {}
        PassMode::Direct(pieces) => {
            let mut end = 0;
            for piece in pieces {
                assert!(piece.offset >= end && piece.size > 0, "pieces are in order and do not overlap");
                end = piece.offset + piece.size;
                mask[piece.offset as usize..end as usize].fill(0);
            }
        }
        PassMode::Indirect { size: whole, .. } | PassMode::StackCopy { size: whole, .. } => {
            assert_eq!(*whole, size);
            mask.fill(0);
        }
        PassMode::InBlock { .. } => panic!("this convention has no argument block"),
    }
    assert!(mask.iter().all(|b| *b == 0), "every bit that has meaning travels");
}

fn claim(abi: &FnAbi, registers: &mut RegSet, stack: &mut BTreeSet<(u32, u32)>, place: Place, size: u32) {
    match place {
        Place::Reg(reg) => {
            assert!(!registers.contains(reg), "a register is handed out once");
            assert!(!abi.preserved.contains(reg) && abi.clobbers.contains(reg) && Some(reg) != abi.static_chain);
            registers.insert(reg);
        }
        Place::Stack { offset } => {
            assert!(offset + size <= abi.stack_arg_bytes, "stack arguments stay inside their area");
            assert!(size == 0 || stack.insert((offset, offset + size)));
        }
        Place::RegPlus { .. } => panic!("this convention duplicates nothing"),
    }
}

#[test]
fn places_are_disjoint_and_cover_every_value() {
    let mut random = Random(0x5eed_1234);
    let mut classified = 0;
    for round in 0..20_000 {
        let features = Features { vector_bytes: 16 << (round % 3), ..Features::default() };
        let target = Target { features, ..Target::X86_64_LINUX };
        let layout = DataLayout::new(&target);
        let signature = random.signature();
        let Ok(abi) = classify(&target, &signature) else { continue };
        classified += 1;
        let (mut registers, mut stack) = (RegSet::EMPTY, BTreeSet::new());
        if let PassMode::Indirect { pointer, .. } = &abi.ret.mode {
            claim(&abi, &mut registers, &mut stack, pointer.place, 8);
        }
        for (param, arg) in signature.params.iter().zip(&abi.args) {
            let Type::C(ty) = &param.ty else { unreachable!() };
            check_value(&layout, ty, &arg.mode);
            match &arg.mode {
                PassMode::Indirect { pointer, .. } => claim(&abi, &mut registers, &mut stack, pointer.place, 8),
                PassMode::StackCopy { offset, size, align } => {
                    assert!(offset.is_multiple_of(*align) && abi.stack_align.is_multiple_of(*align));
                    claim(&abi, &mut registers, &mut stack, Place::Stack { offset: *offset }, *size as u32);
                }
                mode => {
                    for piece in mode.pieces() {
                        claim(&abi, &mut registers, &mut stack, piece.place, piece.size);
                    }
                }
            }
        }
        let ends: Vec<_> = stack.iter().zip(stack.iter().skip(1)).collect();
        assert!(ends.iter().all(|(a, b)| a.1 <= b.0), "stack arguments do not overlap: {signature:?}");
        if let Type::C(ty) = &signature.ret.ty {
            check_value(&layout, ty, &abi.ret.mode);
            let mut results = RegSet::EMPTY;
            for reg in abi.ret.mode.pieces().iter().filter_map(Piece::reg) {
                assert!(!results.contains(reg));
                results.insert(reg);
            }
        }
    }
    assert!(classified > 10_000, "only {classified} signatures could be classified");
}

/// The places of `va_arg`'s value, found by running its steps on what `va_start` left.
fn follow(plan: &VaArg, area: &VarArea, counters: &mut [i32; 2], overflow: &mut u64) -> Vec<(u32, u32, Place)> {
    if let Some(regs) = &plan.regs {
        let index = |counter: &VaCounter| (counter.field / 4) as usize;
        let room = |c: &VaCounter| counters[index(c)] + c.step as i32 <= c.limit;
        if regs.counters.iter().all(room) {
            let slots = &area.save_area.as_ref().unwrap().slots;
            let found = regs.pieces.iter().map(|piece| {
                let counter = &regs.counters[piece.counter as usize];
                let at = counters[index(counter)] as u32 + piece.at;
                let slot = slots.iter().find(|slot| slot.offset == at).expect("a slot that was saved");
                (piece.offset, piece.size, Place::Reg(slot.reg))
            });
            let found = found.collect();
            regs.counters.iter().for_each(|c| counters[index(c)] += c.step as i32);
            return found;
        }
    }
    let start = overflow.next_multiple_of(plan.overflow_align.into());
    *overflow = start + plan.overflow_step;
    vec![(0, plan.size as u32, Place::Stack { offset: start as u32 })]
}

#[test]
fn va_arg_finds_what_the_caller_passed() {
    let mut random = Random(0xc0ffee);
    let mut found = 0;
    for _ in 0..20_000 {
        let signature = random.signature();
        let Some(named) = signature.variadic else { continue };
        let Ok(abi) = classify(&Target::X86_64_LINUX, &signature) else { continue };
        let area = abi.variadic.as_ref().unwrap();
        let (mut counters, mut overflow) = ([0; 2], 0);
        for field in &area.fields {
            match (field.offset, field.init) {
                (0 | 4, VaInit::Const(value)) => counters[field.offset as usize / 4] = value,
                (8, VaInit::StackArgs { offset }) => overflow = offset.into(),
                (16, VaInit::SaveArea { offset: 0 }) => {}
                other => panic!("{other:?}"),
            }
        }
        for (param, arg) in signature.params.iter().zip(&abi.args).skip(named) {
            let steps = va_arg(&Target::X86_64_LINUX, Convention::C, &param.ty).unwrap();
            let plan = &steps[0];
            let got = follow(plan, area, &mut counters, &mut overflow);
            match &arg.mode {
                PassMode::Ignore => assert!(plan.regs.is_none() && plan.overflow_step == 0),
                PassMode::Indirect { pointer, .. } => {
                    assert!(plan.indirect);
                    assert_eq!(got[0].2, pointer.place);
                }
                PassMode::StackCopy { offset, size, .. } => {
                    assert_eq!(got, [(0, *size as u32, Place::Stack { offset: *offset })]);
                }
                mode => {
                    let pieces = mode.pieces();
                    let first = (pieces[0].offset, pieces[0].place);
                    assert_eq!((got[0].0, got[0].2), first);
                    if pieces[0].reg().is_some() {
                        let expected: Vec<_> = pieces.iter().map(|p| (p.offset, p.size, p.place)).collect();
                        assert_eq!(got, expected);
                    }
                }
            }
            found += 1;
        }
    }
    assert!(found > 5_000, "only {found} unnamed arguments");
}
