//! What callers pass, `va_arg` finds: calls with random unnamed arguments of LLVM types, their registers and stack as memory,
//! and a callee that does what [`VarArea`] and [`VaArg`] say.

// The numbers only.
#[allow(dead_code)]
mod random;

use gusset_abi::*;
use random::Random;
use std::collections::BTreeMap;

const fn target(arch: Arch, os: Os, env: Env) -> AbiTarget {
    AbiTarget { arch, os, env, ..AbiTarget::X86_64_LINUX }
}

const ROWS: &[AbiTarget] = &[
    AbiTarget::X86_64_LINUX,
    target(Arch::X86_64, Os::Windows, Env::Msvc),
    target(Arch::X86, Os::Linux, Env::Gnu),
    target(Arch::X86, Os::Windows, Env::Msvc),
    target(Arch::Aarch64, Os::Linux, Env::Gnu),
    target(Arch::Aarch64, Os::Darwin, Env::Gnu),
    target(Arch::Aarch64, Os::Windows, Env::Msvc),
    target(Arch::Arm, Os::Linux, Env::Gnu),
    target(Arch::Arm, Os::Windows, Env::Msvc),
    AbiTarget {
        features: AbiFeatures { vector_bytes: 0, hard_float: false, ..AbiFeatures::DEFAULT },
        ..target(Arch::Arm, Os::Linux, Env::Gnu)
    },
];

/// A byte of an argument: its index, and the offset in its memory image.
type Byte = (usize, u64);

const STACK: u64 = 0x10_0000;
const FRAME: u64 = 0x20_0000;
const COPIES: u64 = 0x30_0000;

/// The memory of a callee, and its registers.
#[derive(Default)]
struct State {
    memory: BTreeMap<u64, Byte>,
    registers: BTreeMap<(Reg, u32), Byte>,
    /// The members of the `va_list` by offset.
    list: BTreeMap<u32, i64>,
}

impl State {
    fn pass(&mut self, index: usize, mode: &PassMode) {
        match mode {
            PassMode::Direct(pieces) => {
                for (piece, i) in pieces.iter().flat_map(|piece| (0..piece.size).map(move |i| (piece, i))) {
                    let byte = (index, u64::from(piece.offset + i));
                    match piece.place {
                        Place::Stack { offset } => {
                            self.memory.insert(STACK + u64::from(offset + i), byte);
                        }
                        Place::Reg(reg) => {
                            self.registers.insert((reg, i), byte);
                        }
                        Place::RegPlus { reg, also } => {
                            self.registers.insert((reg, i), byte);
                            self.registers.insert((also, i), byte);
                        }
                    }
                }
            }
            PassMode::Indirect { pointer, size, .. } => {
                // The address of a copy, whose bytes say what they are.
                let copy = COPIES + 0x1_0000 * index as u64;
                self.memory.extend((0..*size).map(|i| (copy + i, (index, i))));
                self.pass(index, &PassMode::Direct(InlineVec::one(Piece { offset: 0, ..*pointer })));
            }
            _ => {}
        }
    }

    /// `va_start`.
    fn start(&mut self, area: &VarArea) {
        let save = match &area.save_area {
            Some(SaveArea { place: SaveAreaPlace::Frame, .. }) | None => FRAME,
            Some(SaveArea { place: SaveAreaPlace::BelowStackArgs, size, .. }) => STACK - u64::from(*size),
            Some(SaveArea { place: SaveAreaPlace::HomeSpace, .. }) => STACK,
        };
        for slot in area.save_area.iter().flat_map(|save| &save.slots) {
            for i in 0..slot.size {
                if let Some(byte) = self.registers.get(&(slot.reg, i)) {
                    self.memory.insert(save + u64::from(slot.offset + i), *byte);
                }
            }
        }
        for field in area.fields.iter() {
            let value = match field.init {
                VaInit::Const(value) => value.into(),
                VaInit::StackArgs { offset } => (STACK + u64::from(offset)) as i64,
                VaInit::SaveArea { offset } => (save + u64::from(offset)) as i64,
            };
            self.list.insert(field.offset, value);
        }
    }

    /// A step of `va_arg`: the bytes that it finds, by offset in the argument.
    fn step(&mut self, step: &VaArg, found: &mut BTreeMap<u64, Byte>) {
        if let Some(regs) = &step.regs {
            let up = |counter: &VaCounter, list: &BTreeMap<u32, i64>| {
                let align = i64::from(counter.align);
                (list[&counter.field] + align - 1).div_euclid(align) * align
            };
            let at: Vec<i64> = regs.counters.iter().map(|counter| up(counter, &self.list)).collect();
            let room = regs.counters.iter().zip(&at).all(|(c, at)| at + i64::from(c.step) <= i64::from(c.limit));
            if room || regs.exhausts {
                for (counter, at) in regs.counters.iter().zip(&at) {
                    self.list.insert(counter.field, at + i64::from(counter.step));
                }
            }
            if room {
                for piece in regs.pieces.iter() {
                    let which = piece.counter as usize;
                    let start = self.list[&regs.counters[which].base] + at[which] + i64::from(piece.at);
                    self.collect(start as u64, step.offset + u64::from(piece.offset), piece.size.into(), found);
                }
                return;
            }
        }
        if step.overflow_step == 0 {
            return;
        }
        let pointer = self.list[&step.overflow_field] as u64;
        let pointer = pointer.next_multiple_of(step.overflow_align.max(step.slot).into());
        self.list.insert(step.overflow_field, (pointer + step.overflow_step) as i64);
        match (step.indirect, self.memory.get(&pointer)) {
            (false, _) => self.collect(pointer, step.offset, step.size, found),
            (true, Some((index, _))) => self.collect(COPIES + 0x1_0000 * *index as u64, step.offset, step.size, found),
            (true, None) => {}
        }
    }

    fn collect(&self, from: u64, offset: u64, size: u64, found: &mut BTreeMap<u64, Byte>) {
        for i in 0..size {
            if let Some(byte) = self.memory.get(&(from + i)) {
                found.insert(offset + i, *byte);
            }
        }
    }
}

fn scalar(random: &mut Random) -> LlvmScalar {
    use LlvmScalar::*;
    let ints = [1, 8, 16, 24, 32, 33, 64, 64, 65, 96, 128, 129, 192];
    match random.below(10) {
        0 => Half,
        1 => Float,
        2 | 3 => Double,
        4 => Fp128,
        5 => X86Fp80,
        6 => Ptr,
        _ => Int(ints[random.below(ints.len() as u64) as usize]),
    }
}

fn ty(layout: &DataLayout, random: &mut Random, depth: u32) -> Result<LlvmType, AbiError> {
    match random.below(if depth == 0 { 5 } else { 8 }) {
        0..4 => Ok(scalar(random).into()),
        4 => Ok(LlvmType::Vector { lane: scalar(random), lanes: 1 + random.below(8) as u32 }),
        5 => Ok(LlvmType::array(ty(layout, random, depth - 1)?, random.below(5))),
        _ => {
            let members: Vec<_> =
                (0..random.below(4)).map(|_| ty(layout, random, depth - 1)).collect::<Result<_, _>>()?;
            layout.llvm_struct(members, random.below(6) == 0).map(LlvmType::structure)
        }
    }
}

/// A type that callers pass and `va_arg` fetches.
fn fetched(target: &AbiTarget, random: &mut Random) -> LlvmType {
    let layout = DataLayout::new(target);
    loop {
        let Ok(ty) = ty(&layout, random, 2) else { continue };
        let call = Signature::c(LlvmType::Void).ellipsis().param(ty.clone());
        if classify(target, &call).is_ok() && va_arg(target, Convention::C, &AbiType::Llvm(ty.clone())).is_ok() {
            return ty;
        }
    }
}

#[test]
fn va_arg_finds_what_callers_pass() {
    for target in ROWS {
        let mut random = Random(0x7661_5f61_7267);
        for _ in 0..2000 {
            let mut signature = Signature::c(LlvmType::Void).param(LlvmType::PTR);
            for _ in 0..random.below(6) {
                signature = signature.param(fetched(target, &mut random));
            }
            let named = signature.params.len();
            let callee = classify(target, &signature.clone().ellipsis()).expect("a callee");
            signature = signature.ellipsis();
            for _ in 0..random.below(8) {
                signature = signature.param(fetched(target, &mut random));
            }
            let Ok(caller) = classify(target, &signature) else { continue };
            let mut state = State::default();
            caller.args.iter().enumerate().for_each(|(i, arg)| state.pass(i, &arg.mode));
            state.start(callee.variadic.as_ref().expect("a variadic function"));
            for (index, arg) in caller.args.iter().enumerate().skip(named) {
                let mut found = BTreeMap::new();
                for step in va_arg(target, Convention::C, &signature.params[index].ty).expect("steps") {
                    state.step(&step, &mut found);
                }
                let offsets: Vec<u64> = match &arg.mode {
                    PassMode::Indirect { size, .. } => (0..*size).collect(),
                    mode => {
                        let bytes = mode.pieces().iter().flat_map(|p| p.offset..p.offset + p.size);
                        bytes.map(u64::from).collect()
                    }
                };
                for offset in offsets {
                    assert_eq!(
                        found.get(&offset),
                        Some(&(index, offset)),
                        "{target:?}: byte {offset} of argument {} of\n{caller}\n{:?}",
                        index + 1,
                        signature.params[index].ty
                    );
                }
            }
        }
    }
}
