//! What holds for every signature, on random ones.

mod meaning;
mod random;

use gusset_abi::*;
use meaning::meaning;
use random::Random;
use std::collections::{BTreeMap, BTreeSet};

const FEATURES: AbiFeatures = AbiFeatures::DEFAULT;

const fn target(arch: Arch, os: Os, env: Env) -> AbiTarget {
    AbiTarget { arch, os, env, features: FEATURES, ..AbiTarget::X86_64_LINUX }
}

const SOFT_ARM: AbiTarget =
    AbiTarget { features: AbiFeatures { hard_float: false, ..FEATURES }, ..target(Arch::Arm, Os::Linux, Env::Gnu) };

/// What everything here holds for.
const CONVENTIONS: [(AbiTarget, Convention); 18] = [
    (target(Arch::X86, Os::Linux, Env::Gnu), Convention::C),
    (target(Arch::X86, Os::Bsd, Env::Gnu), Convention::C),
    (target(Arch::X86, Os::Darwin, Env::Gnu), Convention::C),
    (target(Arch::X86, Os::Windows, Env::Msvc), Convention::C),
    (target(Arch::X86, Os::Windows, Env::Gnu), Convention::Stdcall),
    (AbiTarget::X86_64_LINUX, Convention::C),
    (AbiTarget::X86_64_LINUX, Convention::Win64),
    (target(Arch::X86_64, Os::Windows, Env::Msvc), Convention::C),
    (target(Arch::X86_64, Os::Windows, Env::Gnu), Convention::C),
    (target(Arch::Aarch64, Os::Linux, Env::Gnu), Convention::C),
    (target(Arch::Aarch64, Os::Linux, Env::Gnu), Convention::Win64),
    (target(Arch::Aarch64, Os::Linux, Env::Gnu), Convention::VectorPcs),
    (target(Arch::Aarch64, Os::Darwin, Env::Gnu), Convention::C),
    (target(Arch::Aarch64, Os::Windows, Env::Msvc), Convention::C),
    (target(Arch::Aarch64, Os::Windows, Env::Gnu), Convention::C),
    (target(Arch::Arm, Os::Linux, Env::Gnu), Convention::C),
    (target(Arch::Arm, Os::Windows, Env::Msvc), Convention::C),
    (SOFT_ARM, Convention::C),
];

/// Conventions without `...`.
const NOT_VARIADIC: [(AbiTarget, Convention); 7] = [
    (target(Arch::X86, Os::Linux, Env::Gnu), Convention::Fastcall),
    (target(Arch::X86, Os::Linux, Env::Gnu), Convention::Vectorcall),
    (target(Arch::X86, Os::Windows, Env::Gnu), Convention::Thiscall),
    (target(Arch::X86, Os::Windows, Env::Msvc), Convention::Stdcall),
    (target(Arch::X86, Os::Windows, Env::Msvc), Convention::Fastcall),
    (target(Arch::X86, Os::Windows, Env::Msvc), Convention::Thiscall),
    (target(Arch::X86, Os::Windows, Env::Msvc), Convention::Vectorcall),
];

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
        PassMode::InBlock { size: whole, .. } => {
            assert_eq!(*whole, size);
            mask.fill(0);
        }
        PassMode::Parts(_) => panic!("no value of C travels so"),
    }
    assert!(mask.iter().all(|b| *b == 0), "every bit that has meaning travels");
}

/// The registers that hold `size` bytes from `reg` on: on 32-bit ARM several single-precision registers are a wider one.
fn parts(arch: Arch, reg: Reg, size: u32) -> impl Iterator<Item = Reg> {
    let count = if arch == Arch::Arm && reg.class == RegClass::Float { size.div_ceil(4) as u8 } else { 1 };
    (0..count).map(move |i| Reg { num: reg.num + i, ..reg })
}

fn claim(abi: &FnAbi, registers: &mut RegSet, stack: &mut BTreeSet<(u32, u32)>, place: Place, size: u32) {
    match place {
        Place::Reg(reg) => {
            for reg in parts(abi.arch, reg, size) {
                assert!(!registers.contains(reg), "a register is handed out once");
                assert!(!abi.preserved.contains(reg) && abi.clobbers.contains(reg) && Some(reg) != abi.static_chain);
                registers.insert(reg);
            }
        }
        Place::Stack { offset } => {
            assert!(offset + size <= abi.stack_arg_bytes, "stack arguments stay inside their area");
            assert!(size == 0 || stack.insert((offset, offset + size)));
        }
        Place::RegPlus { reg, also } => {
            claim(abi, registers, stack, Place::Reg(reg), size);
            claim(abi, registers, stack, Place::Reg(also), size);
        }
    }
}

#[test]
fn places_are_disjoint_and_cover_every_value() {
    for (target, convention) in CONVENTIONS.into_iter().chain(NOT_VARIADIC) {
        let mut random = Random(0x5eed_1234);
        let mut classified = 0;
        for round in 0..4_000 {
            let wide = if target.arch == Arch::X86_64 { round % 3 } else { 0 };
            let features = AbiFeatures { vector_bytes: 16 << wide, ..target.features };
            let target = AbiTarget { features, ..target };
            let mut signature = random.signature().with_convention(convention);
            if NOT_VARIADIC.contains(&(target, convention)) {
                signature.variadic = None;
                signature.params.insert(0, CType::PTR.into());
            } else if target.arch == Arch::X86 && convention == Convention::C {
                signature = signature.regparm((round % 4) as u8);
            }
            let Ok(abi) = classify(&target, &signature) else { continue };
            classified += 1;
            check_signature(&target, &signature, &abi);
        }
        assert!(classified > 1_200, "{target:?}: only {classified} signatures could be classified");
    }
}

/// Records keep what was found out about them: it must not show, whatever they were asked before.
#[test]
fn classified_types_are_as_good_as_new() {
    for round in 0..2_000 {
        let fresh = || Random(0x9e37_79b9 * (round + 1)).signature();
        let used = fresh();
        for wide in [16, 64, 32, 16] {
            for (target, convention) in CONVENTIONS {
                let target = AbiTarget { features: AbiFeatures { vector_bytes: wide, ..target.features }, ..target };
                let [used, new] = [used.clone(), fresh()].map(|s| classify(&target, &s.with_convention(convention)));
                assert_eq!(used, new, "{target:?} {convention:?}");
            }
        }
    }
}

fn check_signature(target: &AbiTarget, signature: &Signature, abi: &FnAbi) {
    let layout = DataLayout::new(target);
    let pointer_bytes = target.pointer_bytes();
    let (mut registers, mut stack) = (RegSet::EMPTY, BTreeSet::new());
    if let PassMode::Indirect { pointer, .. } = &abi.ret.mode {
        claim(abi, &mut registers, &mut stack, pointer.place, pointer_bytes);
    }
    for (param, arg) in signature.params.iter().zip(&abi.args) {
        let AbiType::C(ty) = &param.ty else { unreachable!() };
        check_value(&layout, ty, &arg.mode);
        match &arg.mode {
            PassMode::Indirect { pointer, .. } => {
                claim(abi, &mut registers, &mut stack, pointer.place, pointer_bytes);
            }
            PassMode::StackCopy { offset, size, align } => {
                assert!(offset.is_multiple_of(*align) && abi.stack_align.is_multiple_of(*align));
                claim(abi, &mut registers, &mut stack, Place::Stack { offset: *offset }, *size as u32);
            }
            PassMode::InBlock { offset, size, indirect } => {
                let block = abi.arg_block.expect("there is a block");
                let size = if *indirect { pointer_bytes } else { *size as u32 };
                assert!(u64::from(offset + size) <= block.size && block.size <= abi.stack_arg_bytes.into());
                claim(abi, &mut registers, &mut stack, Place::Stack { offset: *offset }, size);
            }
            mode => {
                for piece in mode.pieces() {
                    claim(abi, &mut registers, &mut stack, piece.place, piece.size);
                }
            }
        }
    }
    let fields = abi.block_fields();
    assert!(fields.windows(2).all(|pair| u64::from(pair[0].offset) + pair[0].size <= pair[1].offset.into()));
    let ends: Vec<_> = stack.iter().zip(stack.iter().skip(1)).collect();
    assert!(ends.iter().all(|(a, b)| a.1 <= b.0), "stack arguments do not overlap: {signature:?}");
    if let AbiType::C(ty) = &signature.ret.ty {
        check_value(&layout, ty, &abi.ret.mode);
        let mut results = RegSet::EMPTY;
        for piece in abi.ret.mode.pieces() {
            for reg in piece.reg().into_iter().flat_map(|reg| parts(abi.arch, reg, piece.size)) {
                assert!(!results.contains(reg) && !abi.preserved.contains(reg));
                results.insert(reg);
            }
        }
    }
}

/// Where a byte of an argument is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Byte {
    /// This byte of a register.
    Reg(Reg, u32),
    /// This many bytes above the stack pointer at the call.
    Stack(u32),
}

/// A variadic function at work: its `va_list`, and what its memory holds.
struct Callee<'a> {
    area: &'a VarArea,
    /// The members of the `va_list` by offset.
    list: BTreeMap<u32, i64>,
    /// Address of the register save area.
    saved: i64,
}

/// Address of the stack arguments.
const STACK_ARGS: i64 = 1 << 24;

impl Callee<'_> {
    fn new(area: &VarArea) -> Callee<'_> {
        let saved = area.save_area.as_ref().map_or(0, |save| match save.place {
            SaveAreaPlace::Frame => 1 << 16,
            SaveAreaPlace::BelowStackArgs => STACK_ARGS - i64::from(save.size),
            SaveAreaPlace::HomeSpace => STACK_ARGS,
        });
        let init = |init| match init {
            VaInit::Const(value) => i64::from(value),
            VaInit::StackArgs { offset } => STACK_ARGS + i64::from(offset),
            VaInit::SaveArea { offset } => saved + i64::from(offset),
        };
        Callee { area, list: area.fields.iter().map(|f| (f.offset, init(f.init))).collect(), saved }
    }

    fn byte(&self, address: i64) -> Byte {
        let in_slot =
            |slot: &&SaveSlot| (0..i64::from(slot.size)).contains(&(address - self.saved - i64::from(slot.offset)));
        let slots = self.area.save_area.as_ref().map_or(&[][..], |save| &save.slots);
        match slots.iter().find(in_slot) {
            Some(slot) => Byte::Reg(slot.reg, (address - self.saved) as u32 - slot.offset),
            None if address >= STACK_ARGS => Byte::Stack((address - STACK_ARGS) as u32),
            None => panic!("va_arg reads what nobody stored"),
        }
    }

    /// Runs a step: the value's bytes, or those of its address, by offset.
    fn va_arg(&mut self, plan: &VaArg, pointer_bytes: u32) -> BTreeMap<u32, Byte> {
        let mut found = BTreeMap::new();
        let mut take = |this: &Self, offset: u32, size: u32, address: i64| {
            found.extend((0..size).map(|i| (offset + i, this.byte(address + i64::from(i)))));
        };
        let size = if plan.indirect { pointer_bytes } else { plan.size as u32 };
        if let Some(regs) = &plan.regs {
            let round = |value: i64, align: u32| (value + i64::from(align) - 1) & -i64::from(align);
            let at: Vec<i64> = regs.counters.iter().map(|c| round(self.list[&c.field], c.align)).collect();
            let room = regs.counters.iter().zip(&at).all(|(c, at)| at + i64::from(c.step) <= i64::from(c.limit));
            if room {
                for piece in &regs.pieces {
                    let base = self.list[&regs.counters[piece.counter as usize].base];
                    take(self, piece.offset, piece.size, base + at[piece.counter as usize] + i64::from(piece.at));
                }
            }
            if room || regs.exhausts {
                for (counter, at) in regs.counters.iter().zip(at) {
                    self.list.insert(counter.field, at + i64::from(counter.step));
                }
            }
            if room {
                return found;
            }
        }
        let align = i64::from(plan.overflow_align.max(1));
        let start = (self.list[&plan.overflow_field] + align - 1) & -align;
        self.list.insert(plan.overflow_field, start + plan.overflow_step as i64);
        if plan.overflow_step > 0 {
            take(self, 0, size, start);
        }
        found
    }
}

/// Where the bytes of an argument are, or those of its address.
fn passed(mode: &PassMode, pointer_bytes: u32) -> BTreeMap<u32, Byte> {
    let mut bytes = BTreeMap::new();
    let mut put = |offset: u32, size: u32, place: Place| {
        for i in 0..size {
            bytes.insert(
                offset + i,
                match place {
                    // `va_arg` of such an argument looks for the second one.
                    Place::Reg(reg) | Place::RegPlus { also: reg, .. } => Byte::Reg(reg, i),
                    Place::Stack { offset } => Byte::Stack(offset + i),
                },
            );
        }
    };
    match mode {
        PassMode::Indirect { pointer, .. } => put(0, pointer_bytes, pointer.place),
        PassMode::StackCopy { offset, size, .. } => put(0, *size as u32, Place::Stack { offset: *offset }),
        mode => mode.pieces().iter().for_each(|p| put(p.offset, p.size, p.place)),
    }
    bytes
}

#[test]
fn va_arg_finds_what_the_caller_passed() {
    for (target, convention) in CONVENTIONS {
        let mut random = Random(0xc0ffee);
        let mut found = 0;
        let pointer_bytes = target.pointer_bytes();
        for _ in 0..4_000 {
            let signature = random.signature().with_convention(convention);
            let Some(named) = signature.variadic else { continue };
            let Ok(abi) = classify(&target, &signature) else { continue };
            let mut callee = Callee::new(abi.variadic.as_ref().unwrap());
            for (param, arg) in signature.params.iter().zip(&abi.args).skip(named) {
                let steps = va_arg(&target, convention, &param.ty).unwrap();
                let got = callee.va_arg(&steps[0], pointer_bytes);
                assert_eq!(steps[0].indirect, matches!(arg.mode, PassMode::Indirect { .. }));
                for (offset, byte) in passed(&arg.mode, pointer_bytes) {
                    assert_eq!(got.get(&offset), Some(&byte), "{target:?} {convention:?} {abi}\n{param:?}");
                }
                found += 1;
            }
        }
        assert!(found > 800, "{target:?} {convention:?}: only {found} unnamed arguments");
    }
}
