//! x86-64 System V from LLVM signatures: every line as llc 19 places things.

mod llvm_line;

use gusset_abi::*;
use llvm_line::*;

const T: AbiTarget = AbiTarget::X86_64_LINUX;

fn s<const N: usize>(members: [LlvmType; N]) -> LlvmType {
    LlvmType::structure(DataLayout::new(&T).llvm_struct(members, false).unwrap())
}

#[track_caller]
fn check(signature: Signature, expected: impl AsRef<str>) {
    on(T, signature, expected);
}

#[test]
fn integers_of_any_width() {
    check(
        f(LlvmType::int(24), [LlvmType::int(1), LlvmType::int(24), LlvmType::int(33), LlvmType::int(65)]),
        "r: [0..3)@rax; a1: [0..1)@rdi; a2: [0..3)@rsi; a3: [0..5)@rdx; a4: [0..8)@rcx, [8..9)@r8; pop 0",
    );
    check(
        f(I128, [LlvmType::int(192)]),
        "r: [0..8)@rax, [8..16)@rdx; a1: [0..8)@rdi, [8..16)@rsi, [16..24)@rdx; pop 0",
    );
    check(f(LlvmType::int(192), []), "r: [0..8)@rax, [8..16)@rdx, [16..24)@rcx; pop 0");
    check(f(LlvmType::int(256), []), "r: &[0..32)@rdi -> rax; pop 0");
    check(f(VOID, [LlvmType::int(0)]), "argument 0: i0 does not exist");
}

#[test]
fn extension_by_attribute() {
    let zero = |bits| with(LlvmType::int(bits), Widen::Zero);
    let sign = |bits| with(LlvmType::int(bits), Widen::Sign);
    check(
        Signature::c(VOID).param(zero(1)).param(sign(8)).param(sign(24)).param(zero(33)).param(sign(65)),
        "r: -; a1: [0..1)@rdi zx1:32; a2: [0..1)@rsi sx8:32; a3: [0..3)@rdx sx24:32; a4: [0..5)@rcx zx33:64; \
         a5: [0..8)@r8, [8..9)@r9 sx1:64; pop 0",
    );
    check(Signature::c(sign(32)).param(zero(64)), "r: [0..4)@rax; a1: [0..8)@rdi; pop 0");
    // Results of 8 and 16 bits stay as they are.
    let ret = |param| Signature::c(param);
    check(ret(zero(1)), "r: [0..1)@rax zx1:8; pop 0");
    check(ret(zero(8)), "r: [0..1)@rax; pop 0");
    check(ret(sign(16)), "r: [0..2)@rax; pop 0");
    check(ret(zero(24)), "r: [0..3)@rax zx24:32; pop 0");
    check(ret(zero(33)), "r: [0..5)@rax zx33:64; pop 0");
}

#[test]
fn a_pair_of_halves_travels_together_only_if_it_is_i128_itself() {
    let five = f(VOID, [I64, I64, I64, I64, I64]);
    let regs = "r: -; a1: [0..8)@rdi; a2: [0..8)@rsi; a3: [0..8)@rdx; a4: [0..8)@rcx; a5: [0..8)@r8";
    check(
        five.clone().param(I64).param(I128),
        format!("{regs}; a6: [0..8)@r9; a7: [0..8)@sp+0, [8..16)@sp+8; stack 16; pop 0"),
    );
    check(
        five.param(I128).param(I64),
        format!("{regs}; a6: [0..8)@sp+0, [8..16)@sp+8; a7: [0..8)@r9; stack 16; pop 0"),
    );
}

#[test]
fn first_class_aggregates_are_flattened() {
    check(
        f(s([I64, I128]), [s([I64, I128]), s([FLOAT, FLOAT])]),
        "r: [0..8)@rax, [16..24)@rdx, [24..32)@rcx; a1: [0..8)@rdi, [16..24)@rsi, [24..32)@rdx; \
         a2: [0..4)@xmm0, [4..8)@xmm1; pop 0",
    );
    let abi = classify(&T, &f(VOID, [s([I64, I128])])).unwrap();
    let scalars: Vec<_> = abi.args[0].mode.pieces().iter().map(|p| p.scalar).collect();
    assert_eq!(scalars, [0, 1, 1]);
    check(f(s([]), [s([])]), "r: -; a1: -; pop 0");
    check(f(s([LlvmType::PTR, LlvmType::PTR, I64]), []), "r: [0..8)@rax, [8..16)@rdx, [16..24)@rcx; pop 0");
    check(f(s([I64, I64, I64, I64]), []), "r: &[0..32)@rdi -> rax; pop 0");
    check(
        f(s([LlvmType::int(8), LlvmType::int(32), LlvmType::int(16)]), []),
        "r: [0..1)@rax, [4..8)@rdx, [8..10)@rcx; pop 0",
    );
    let array = LlvmType::array(DOUBLE, 3);
    check(f(VOID, [array]), "r: -; a1: [0..8)@xmm0, [8..16)@xmm1, [16..24)@xmm2; pop 0");
}

#[test]
fn floating_point_results_use_two_xmm_registers_and_then_the_x87_stack() {
    check(f(s([FLOAT, DOUBLE]), []), "r: [0..4)@xmm0, [8..16)@xmm1; pop 0");
    check(f(s([FLOAT, FLOAT, FLOAT]), []), "r: [0..4)@xmm0, [4..8)@xmm1, [8..12)@st0; pop 0");
    check(f(s([FLOAT, FLOAT, FLOAT, FP80]), []), "r: [0..4)@xmm0, [4..8)@xmm1, [8..12)@st0, [16..26)@st1; pop 0");
    check(f(s([FLOAT, FLOAT, FLOAT, FLOAT, FLOAT]), []), "r: &[0..20)@rdi -> rax; pop 0");
    check(f(s([FLOAT, FLOAT, HALF]), []), "r: [0..4)@xmm0, [4..8)@xmm1, [8..10)@xmm2; pop 0");
    let vector = v(4, LlvmScalar::Float);
    check(f(s([vector.clone(), vector.clone(), vector, HALF]), []), "r: &[0..64)@rdi -> rax; pop 0");
    check(f(s([FLOAT, FLOAT, FP128]), []), "r: &[0..32)@rdi -> rax; pop 0");
    check(f(s([v(4, LlvmScalar::Float), FLOAT]), []), "r: [0..16)@xmm0, [16..20)@xmm1; pop 0");
    check(
        f(s([v(4, LlvmScalar::Float), v(4, LlvmScalar::Float), FLOAT]), []),
        "r: [0..16)@xmm0, [16..32)@xmm1, [32..36)@st0; pop 0",
    );
    check(f(s([FP80, FP80]), []), "r: [0..10)@st0, [16..26)@st1; pop 0");
    check(f(s([FP80, FP80, FP80]), []), "r: &[0..48)@rdi -> rax; pop 0");
    check(f(s([FP128, FP128]), []), "r: [0..16)@xmm0, [16..32)@xmm1; pop 0");
}

#[test]
fn vectors_are_widened_split_or_taken_apart() {
    let one = |ty, expected: &str| check(f(VOID, [ty]), format!("r: -; a1: {expected}; pop 0"));
    one(v(2, LlvmScalar::Float), "[0..8)@xmm0");
    one(v(4, int(8)), "[0..4)@xmm0");
    one(v(2, int(32)), "[0..8)@xmm0");
    one(v(1, int(64)), "[0..8)@rdi");
    one(v(1, LlvmScalar::Float), "[0..4)@xmm0");
    one(v(2, LlvmScalar::Ptr), "[0..16)@xmm0");
    one(v(3, LlvmScalar::Float), "[0..12)@xmm0");
    one(v(3, LlvmScalar::Half), "[0..6)@xmm0");
    one(v(6, int(16)), "[0..12)@xmm0");
    one(v(3, int(16)), "[0..2)@rdi, [2..4)@rsi, [4..6)@rdx");
    one(v(3, int(64)), "[0..8)@rdi, [8..16)@rsi, [16..24)@rdx");
    one(v(6, LlvmScalar::Float), "[0..4)@xmm0, [4..8)@xmm1, [8..12)@xmm2, [12..16)@xmm3, [16..20)@xmm4, [20..24)@xmm5");
    one(v(8, LlvmScalar::Float), "[0..16)@xmm0, [16..32)@xmm1");
    one(v(16, LlvmScalar::Half), "[0..16)@xmm0, [16..32)@xmm1");
    one(v(4, int(1)), "[0..16)@xmm0");
    one(v(2, LlvmScalar::Fp128), "[0..16)@xmm0, [16..32)@xmm1");
    check(f(VOID, [v(2, LlvmScalar::X86Fp80)]), "r: -; a1: [0..10)@sp+0, [10..20)@sp+16; stack 32; pop 0");
    check(f(v(16, LlvmScalar::Float), []), "r: [0..16)@xmm0, [16..32)@xmm1, [32..48)@xmm2, [48..64)@xmm3; pop 0");
    check(f(v(32, LlvmScalar::Float), []), "r: &[0..128)@rdi -> rax; pop 0");
    check(f(v(6, LlvmScalar::Float), []), "r: &[0..32)@rdi -> rax; pop 0");
    let avx = AbiTarget { features: AbiFeatures { vector_bytes: 32, ..T.features }, ..T };
    on(avx, f(VOID, [v(16, LlvmScalar::Float)]), "r: -; a1: [0..32)@xmm0, [32..64)@xmm1; pop 0");
    on(avx, f(VOID, [v(6, LlvmScalar::Float)]), "r: -; a1: [0..24)@xmm0; pop 0");
    // Wide registers are not used in variadic functions, not even for named arguments.
    on(
        avx,
        f(VOID, [v(8, LlvmScalar::Float)]).ellipsis(),
        "r: -; a1: [0..32)@sp+0; stack 32; align 32; vectors rax=0; pop 0",
    );
    one(v(4, int(24)), "[0..12)@xmm0 lanes24:32");
    one(v(2, int(33)), "[0..10)@xmm0 lanes33:64");
    one(v(4, int(33)), "[0..5)@rdi, [5..10)@rsi, [10..15)@rdx, [15..20)@rcx");
    one(v(3, int(12)), "[0..2)@rdi, [2..4)@rsi, [4..6)@rdx");
    // A lane of three registers takes four.
    one(v(1, int(130)), "[0..8)@rdi, [8..16)@rsi, [16..17)@rdx, [17..17)@rcx");
    on(avx, f(VOID, [v(4, int(33))]), "r: -; a1: [0..20)@xmm0 lanes33:64; pop 0");
    one(v(3, int(1)), "[0..1)@rdi, [1..2)@rsi, [2..3)@rdx");
    check(f(v(64, int(1)), []), "r: &[0..8)@rdi -> rax; pop 0");
}

#[test]
fn stack_slots() {
    let full = f(VOID, [DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE]);
    let abi =
        classify(&T, &full.param(HALF).param(v(4, LlvmScalar::Float)).param(FLOAT).param(FP128).param(FP80)).unwrap();
    let places: Vec<Place> = abi.args[8..].iter().map(|a| a.mode.pieces()[0].place).collect();
    assert_eq!(places, [0, 16, 32, 48, 64].map(|offset| Place::Stack { offset }));
    assert_eq!(abi.stack_arg_bytes, 80);
    // A single half as a vector takes a vector's slot.
    let full = f(VOID, [DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE]);
    let abi = classify(&T, &full.param(HALF).param(v(1, LlvmScalar::Half)).param(HALF)).unwrap();
    assert_eq!(abi.args[9].mode.pieces()[0].place, Place::Stack { offset: 16 });
    assert_eq!(abi.args[10].mode.pieces()[0].place, Place::Stack { offset: 32 });
}

#[test]
fn attributes_of_pointers() {
    let byval = |size, align| role(Role::ByVal { size, align });
    check(
        Signature::c(VOID).param(byval(3, 1)).param(byval(16, 16)).param(byval(16, 2)).param(LlvmType::PTR),
        "r: -; a1: copy [0..3)@sp+0; a2: copy [0..16)@sp+16; a3: copy [0..16)@sp+32; a4: [0..8)@rdi; stack 48; pop 0",
    );
    check(
        Signature::c(VOID).param(role(Role::StructReturn)).param(role(Role::Nest)).param(I64),
        "r: -; a1: [0..8)@rdi -> rax; a2: [0..8)@r10; a3: [0..8)@rsi; pop 0",
    );
    let block = |size| role(Role::InAlloca { size });
    check(
        Signature::c(VOID).param(I64).param(block(12)),
        "r: -; a1: [0..8)@rdi; a2: block [0..12)@block+0; block 16 align 8; stack 16; pop 0",
    );
    check(
        Signature::c(VOID).param(byval(8, 8)).param(block(8)),
        "argument 1: an inalloca argument has to be the only one in memory",
    );
    check(Signature::c(VOID).param(block(8)).param(I64), "argument 1: an inalloca argument has to be the last");
    check(Signature::c(VOID).param(block(u64::MAX)), "argument 0: the value is larger than 2^31 bytes");
    let empty = Signature::c(VOID).param(byval(0, 1)).param(byval(8, 8));
    check(empty, "r: -; a1: copy [0..0)@sp+0; a2: copy [0..8)@sp+8; stack 16; pop 0");
    check(Signature::c(VOID).param(byval(8, 3)), "argument 0: alignment 3 is not a power of two");
    check(Signature::c(VOID).param(byval(u64::MAX, 8)), "argument 0: the value is larger than 2^31 bytes");
    let twice = Signature::c(VOID).param(role(Role::StructReturn)).param(role(Role::StructReturn));
    check(twice, "argument 1: a second address for the result");
    let nest = Param::llvm(I64, Attrs { role: Role::Nest, ..Attrs::default() });
    check(Signature::c(VOID).param(nest), "argument 0: this attribute needs a pointer");
}

#[test]
fn variadic_calls_count_vector_registers() {
    check(
        f(VOID, [I64, DOUBLE]).ellipsis().param(FLOAT).param(v(4, LlvmScalar::Float)).param(FP80),
        "r: -; a1: [0..8)@rdi; a2: [0..8)@xmm0; a3: [0..4)@xmm1; a4: [0..16)@xmm2; a5: [0..10)@sp+0; \
         stack 16; vectors rax=3; pop 0",
    );
}

#[test]
fn preserve_none_starts_with_r12() {
    let params = [I64, I64, I64, I64, I64, I64, I64, I64, I64, I64, I64, I64, I64];
    let abi = classify(&T, &f(VOID, params).with_convention(Convention::PreserveNone)).unwrap();
    let regs: Vec<_> = abi.args.iter().filter_map(|a| a.mode.pieces()[0].reg()).map(|r| r.num).collect();
    assert_eq!(regs, [12, 13, 14, 15, 7, 6, 2, 1, 8, 9, 11, 0]);
    assert_eq!((abi.stack_arg_bytes, abi.preserved), (8, RegSet::of(&[x86::RBP])));
}

#[test]
fn va_arg_takes_a_step_for_each_part_that_travels_by_itself() {
    let steps = |ty| va_arg(&T, Convention::C, &AbiType::Llvm(ty)).unwrap();
    // Offset, size, the counter's step in the general and vector registers, size and alignment on the stack.
    let brief = |ty| -> Vec<_> {
        let brief = |s: &VaArg| {
            let step = |field| {
                let counters = s.regs.iter().flat_map(|r| &r.counters);
                counters.filter(|c| c.field == field).map(|c| c.step).sum::<u32>()
            };
            (s.offset, s.size, step(0), step(4), s.overflow_step, s.overflow_align)
        };
        steps(ty).iter().map(brief).collect()
    };
    assert_eq!(brief(LlvmType::int(32)), [(0, 4, 8, 0, 8, 8)]);
    assert_eq!(brief(DOUBLE), [(0, 8, 0, 16, 8, 8)]);
    assert_eq!(brief(FP80), [(0, 10, 0, 0, 16, 16)]);
    assert_eq!(brief(I128), [(0, 16, 16, 0, 16, 16)]);
    assert_eq!(brief(LlvmType::int(96)), [(0, 8, 8, 0, 8, 8), (8, 4, 8, 0, 8, 8)]);
    assert_eq!(brief(s([I128])), [(0, 8, 8, 0, 8, 8), (8, 8, 8, 0, 8, 8)]);
    assert_eq!(brief(s([I64, DOUBLE])), [(0, 8, 8, 0, 8, 8), (8, 8, 0, 16, 8, 8)]);
    assert_eq!(brief(v(2, LlvmScalar::Float)), [(0, 8, 0, 16, 16, 16)]);
    assert_eq!(brief(v(8, LlvmScalar::Float)), [(0, 16, 0, 16, 16, 16), (16, 16, 0, 16, 16, 16)]);
    assert_eq!(brief(s([])), []);
    assert!(va_arg(&T, Convention::C, &AbiType::Llvm(v(4, int(1)))).is_err());
}

#[test]
fn aggregates_lay_out_like_llvm() {
    let layout = DataLayout::new(&T);
    let of = |ty: &LlvmType| layout.llvm(ty).map(|l| (l.size, l.align)).unwrap();
    assert_eq!(of(&LlvmType::int(24)), (4, 4));
    assert_eq!(of(&LlvmType::int(65)), (16, 16));
    assert_eq!(of(&I128), (16, 16));
    assert_eq!(of(&FP80), (16, 16));
    assert_eq!(of(&v(3, LlvmScalar::Float)), (16, 16));
    assert_eq!(of(&v(8, int(1))), (1, 1));
    assert_eq!(of(&s([LlvmType::int(8), I64, LlvmType::int(8)])), (24, 8));
    let packed = layout.llvm_struct([LlvmType::int(8), I64], true).unwrap();
    assert_eq!(of(&LlvmType::structure(packed)), (9, 1));
    assert!(layout.llvm(&LlvmType::array(I64, 1 << 40)).is_err());
    check(f(VOID, [LlvmType::array(s([]), u64::MAX)]), "r: -; a1: -; pop 0");
    let error = classify(&T, &f(VOID, [LlvmType::array(I64, 1 << 20)])).unwrap_err();
    assert_eq!(error.reason(), "a first-class aggregate of more than 65536 scalars");
}

#[test]
fn swift_has_four_registers_for_results_and_its_own_for_contexts() {
    let swift = |s: Signature| s.with_convention(Convention::Swift);
    let four = || s([I64, I64, I64, I64]);
    let contexts = swift(f(four(), [])).param(role(Role::SwiftSelf)).param(role(Role::SwiftAsync)).param(I64);
    check(
        contexts,
        "r: [0..8)@rax, [8..16)@rdx, [16..24)@rcx, [24..32)@r8; a1: [0..8)@r13; a2: [0..8)@r14; a3: [0..8)@rdi; pop 0",
    );
    check(
        swift(f(s([FLOAT, DOUBLE, HALF, FP80, FLOAT, FLOAT]), [])),
        "r: [0..4)@xmm0, [8..16)@xmm1, [16..18)@xmm2, [32..42)@st0, [48..52)@xmm3, [52..56)@st1; pop 0",
    );
    // The address of a result comes in rax, and does not go back.
    check(swift(f(s([I64, I64, I64, I64, I64]), [I64])), "r: &[0..40)@rax; a1: [0..8)@rdi; pop 0");
    check(swift(f(s([HALF, HALF, HALF, HALF]), [])), "r: &[0..8)@rax; pop 0");
    let sret = Signature::c(VOID).param(role(Role::StructReturn)).param(I64);
    check(swift(sret.clone()), "r: -; a1: [0..8)@rax; a2: [0..8)@rdi; pop 0");
    let tail = sret.with_convention(Convention::SwiftTail);
    check(tail.clone(), "r: -; a1: [0..8)@rax; a2: [0..8)@rdi; pop 8");
    let preserved = |s| classify(&T, &s).unwrap().preserved;
    assert_eq!(preserved(tail), RegSet::of(&[x86::RBX, x86::RBP, x86::R12, x86::R15]));
    let error = swift(Signature::c(VOID).param(role(Role::SwiftError)));
    assert_eq!(preserved(error), RegSet::of(&[x86::RBX, x86::RBP, x86::R13, x86::R14, x86::R15]));
    check(swift(Signature::c(CType::I32).param(CType::PTR)), "r: [0..4)@rax; a1: [0..8)@rdi; pop 0");
    let record = swift(Signature::c(CType::structure([CType::I32])));
    check(record, "result: Swift's conventions take scalars and LLVM types only");
}

#[test]
fn ghc_has_registers_only() {
    let ghc = |s: Signature| s.with_convention(Convention::Ghc);
    check(
        ghc(f(I64, [I64, LlvmType::int(8), DOUBLE, I128, FLOAT])),
        "r: [0..8)@rax; a1: [0..8)@r13; a2: [0..1)@rbp; a3: [0..8)@xmm1; a4: [0..8)@r12, [8..16)@rbx; a5: [0..4)@xmm2; pop 0",
    );
    let sret = Signature::c(VOID).param(role(Role::StructReturn));
    check(ghc(sret), "r: -; a1: [0..8)@r13 -> rax; pop 0");
    check(ghc(f(VOID, [HALF])), "argument 0: ghccc has no registers for this type");
    check(ghc(f(VOID, [I128, I128, I128, I128, I128, I64])), "argument 5: ghccc has no register left");
    check(ghc(Signature::c(VOID).param(role(Role::Nest))), "argument 0: ghccc has no such attribute");
    check(ghc(Signature::c(CType::I32)), "result: ghccc takes LLVM types only");
    let abi = classify(&T, &ghc(f(VOID, []))).unwrap();
    assert_eq!((abi.preserved, abi.static_chain), (RegSet::EMPTY, None));
}

#[test]
fn fastcc_has_one_more_vector_register_for_results() {
    let three = || f(s([FLOAT, FLOAT, DOUBLE, FLOAT]), []);
    check(three(), "r: [0..4)@xmm0, [4..8)@xmm1, [8..16)@st0, [16..20)@st1; pop 0");
    let fast = three().with_convention(Convention::Fast);
    check(fast, "r: [0..4)@xmm0, [4..8)@xmm1, [8..16)@xmm2, [16..20)@st0; pop 0");
    let inreg = Param::llvm(s([FLOAT, FLOAT, FLOAT]), Attrs { in_reg: true, ..Attrs::default() });
    check(Signature::c(inreg), "r: [0..4)@xmm0, [4..8)@xmm1, [8..12)@xmm2; pop 0");
}

#[test]
fn preserve_none_passes_small_integers_as_c_does() {
    let params = [LlvmType::int(8), I64, LlvmType::int(16), LlvmType::int(32)];
    let none = f(VOID, params).with_convention(Convention::PreserveNone);
    check(none, "r: -; a1: [0..1)@rdi; a2: [0..8)@r12; a3: [0..2)@rsi; a4: [0..4)@r13; pop 0");
    let byval = role(Role::ByVal { size: 8, align: 8 });
    let none = Signature::c(VOID).param(byval).with_convention(Convention::PreserveNone);
    check(none, "argument 0: byval in preserve_nonecc");
}

#[test]
fn functions_that_keep_rax_do_not_return_addresses() {
    for convention in [Convention::PreserveMost, Convention::PreserveAll] {
        let abi = classify(&T, &f(s([I64, I64, I64, I64]), []).with_convention(convention)).unwrap();
        assert_eq!((abi.sret_return_reg, abi.preserved.contains(x86::RAX)), (None, true));
    }
}

#[test]
fn alignstack_moves_copies_only() {
    let with = |role, bytes| Attrs { role, stack_align: Some(bytes), ..Attrs::default() };
    let six = || f(VOID, [I64, I64, I64, I64, I64, I64]);
    let signature = six().param(I64).param(Param::llvm(I64, with(Role::Value, 32)));
    let abi = classify(&T, &signature).unwrap();
    assert_eq!(abi.args[7].mode.pieces()[0].place, Place::Stack { offset: 8 });
    let copy = Param::llvm(LlvmType::PTR, with(Role::ByVal { size: 8, align: 8 }, 32));
    let abi = classify(&T, &six().param(I64).param(copy)).unwrap();
    assert_eq!((&abi.args[7].mode, abi.stack_align), (&PassMode::StackCopy { offset: 32, size: 8, align: 32 }, 32));
    let bad = Signature::c(VOID).param(Param::llvm(I64, with(Role::Value, 3)));
    check(bad, "argument 0: alignment 3 is not a power of two");
}
