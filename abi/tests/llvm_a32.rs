//! 32-bit ARM from LLVM signatures: every line as llc 19 places things, but for what `llvm/arm.rs` says it does otherwise.

mod llvm_line;

use gusset_abi::*;
use llvm_line::*;

const T: AbiTarget = AbiTarget { arch: Arch::Arm, ..AbiTarget::X86_64_LINUX };
const SOFT: AbiTarget = AbiTarget { features: AbiFeatures { hard_float: false, ..AbiFeatures::DEFAULT }, ..T };
const NO_NEON: AbiTarget = AbiTarget { features: AbiFeatures { vector_bytes: 8, ..AbiFeatures::DEFAULT }, ..T };
const NO_VFP: AbiTarget =
    AbiTarget { features: AbiFeatures { vector_bytes: 0, hard_float: false, ..AbiFeatures::DEFAULT }, ..T };
const EABI: AbiTarget = AbiTarget { os: Os::None, ..T };

fn s<const N: usize>(members: [LlvmType; N]) -> LlvmType {
    LlvmType::structure(DataLayout::new(&T).llvm_struct(members, false).unwrap())
}

fn array(len: u64, element: LlvmType) -> LlvmType {
    LlvmType::array(element, len)
}

#[track_caller]
fn check(signature: Signature, expected: &str) {
    on(T, signature, expected);
}

#[test]
fn integers_of_any_width() {
    check(
        f(LlvmType::int(24), [LlvmType::int(1), LlvmType::int(33)]),
        "r: [0..3)@r0; a1: [0..1)@r0; a2: [0..4)@r2, [4..5)@r3; pop 0",
    );
    // What is aligned to 8 bytes begins at an even register, and does not take r3 alone; of fp128, aligned to 16, any.
    check(
        f(I64, [I32, I64, I32]),
        "r: [0..4)@r0, [4..8)@r1; a1: [0..4)@r0; a2: [0..4)@r2, [4..8)@r3; a3: [0..4)@sp+0; stack 4; pop 0",
    );
    check(
        f(VOID, [I32, I32, I32, I64, I32]),
        "r: -; a1: [0..4)@r0; a2: [0..4)@r1; a3: [0..4)@r2; a4: [0..4)@sp+0, [4..8)@sp+4; a5: [0..4)@sp+8; stack 12; \
         pop 0",
    );
    check(
        f(VOID, [I32, I128]),
        "r: -; a1: [0..4)@r0; a2: [0..4)@r2, [4..8)@r3, [8..12)@sp+0, [12..16)@sp+4; stack 8; pop 0",
    );
    check(
        f(FP128, [I32, FP128]),
        "r: [0..4)@r0, [4..8)@r1, [8..12)@r2, [12..16)@r3; a1: [0..4)@r0; a2: [0..4)@r1, [4..8)@r2, [8..12)@r3, \
         [12..16)@sp+0; stack 4; pop 0",
    );
    let (zero, sign) = (|bits| with(LlvmType::int(bits), Widen::Zero), |bits| with(LlvmType::int(bits), Widen::Sign));
    check(
        Signature::c(sign(8)).param(zero(1)).param(sign(33)).param(zero(16)),
        "r: [0..1)@r0 sx8:32; a1: [0..1)@r0 zx1:32; a2: [0..4)@r2, [4..5)@r3 sx1:32; a3: [0..2)@sp+0 zx16:32; stack 4; \
         pop 0",
    );
    check(f(VOID, [LlvmType::int(0)]), "argument 0: i0 does not exist");
}

#[test]
fn floating_point_registers_are_filled_behind_gaps_until_one_value_finds_none() {
    check(
        f(FLOAT, [FLOAT, DOUBLE, FLOAT, v(4, LlvmScalar::Float), HALF, BFLOAT, DOUBLE]),
        "r: [0..4)@s0; a1: [0..4)@s0; a2: [0..8)@d1; a3: [0..4)@s1; a4: [0..16)@q1; a5: [0..2)@s8; a6: [0..2)@s9; a7: \
         [0..8)@d5; pop 0",
    );
    let seven = || f(VOID, [DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE]);
    check(
        seven().param(FLOAT).param(DOUBLE).param(FLOAT),
        "r: -; a1: [0..8)@d0; a2: [0..8)@d1; a3: [0..8)@d2; a4: [0..8)@d3; a5: [0..8)@d4; a6: [0..8)@d5; a7: \
         [0..8)@d6; a8: [0..4)@s14; a9: [0..8)@sp+0; a10: [0..4)@sp+8; stack 12; pop 0",
    );
}

#[test]
fn lanes_of_a_bit_each_are_words_that_do_not_stay_together() {
    let mask = |lanes| v(lanes, LlvmScalar::Int(1));
    let vectors = [v(16, LlvmScalar::Float), LlvmType::int(1), v(16, LlvmScalar::Float), v(1, LlvmScalar::Int(32))];
    let all = vectors.into_iter().chain([mask(3), LlvmType::int(256), LlvmType::int(16)]);
    let text = classify(&T, &all.fold(Signature::c(mask(3)), Signature::param)).unwrap().to_string();
    assert!(text.contains("a5: [0..1)@r2, [1..2)@r3, [2..3)@sp+64;"), "{text}");
    assert!(text.starts_with("r: [0..1)@r0, [1..2)@r1, [2..3)@r2;"), "{text}");
    // Of 33 lanes the first is aligned as the vector is.
    check(
        f(VOID, [I32, I32, I32, s([mask(3)])]),
        "r: -; a1: [0..4)@r0; a2: [0..4)@r1; a3: [0..4)@r2; a4: [0..1)@r3, \
         [1..2)@sp+0, [2..3)@sp+4; stack 8; pop 0",
    );
    let long = classify(&T, &f(VOID, [I32, mask(33)])).unwrap().to_string();
    assert!(long.contains("a2: [0..1)@r2, [1..2)@r3, [2..3)@sp+0"), "{long}");
    on(
        SOFT,
        f(mask(4), [I32, mask(8)]),
        "r: [0..2)@r0 lanes1:16, [2..4)@r1 lanes1:16; a1: [0..4)@r0; a2: [0..4)@r2 lanes1:8, [4..8)@r3 lanes1:8; pop 0",
    );
    on(NO_VFP, f(mask(2), [mask(2)]), "r: [0..1)@r0, [1..2)@r1; a1: [0..1)@r0, [1..2)@r1; pop 0");
}

#[test]
fn the_base_standard_uses_core_registers_for_all() {
    on(
        SOFT,
        f(DOUBLE, [FLOAT, DOUBLE, HALF]),
        "r: [0..4)@r0, [4..8)@r1; a1: [0..4)@r0; a2: [0..4)@r2, [4..8)@r3; a3: [0..2)@sp+0; stack 4; pop 0",
    );
    on(
        SOFT,
        f(v(4, int(32)), [I32, v(4, int(32))]),
        "r: [0..4)@r0, [4..8)@r1, [8..12)@r2, [12..16)@r3; a1: [0..4)@r0; a2: [0..4)@r2, [4..8)@r3, [8..16)@sp+0; \
         stack 8; pop 0",
    );
    on(
        SOFT,
        f(VOID, [v(4, int(8)), v(2, int(24))]),
        "r: -; a1: [0..2)@r0 lanes8:16, [2..4)@r1 lanes8:16; a2: [0..3)@r2 lanes24:32, [3..6)@r3 lanes24:32; pop 0",
    );
    on(SOFT, f(VOID, [v(8, int(1))]), "r: -; a1: [0..4)@r0 lanes1:8, [4..8)@r1 lanes1:8; pop 0");
    check(
        f(FLOAT, [FLOAT, DOUBLE]).ellipsis().param(DOUBLE),
        "r: [0..4)@r0; a1: [0..4)@r0; a2: [0..4)@r2, [4..8)@r3; a3: [0..8)@sp+0; stack 8; pop 0",
    );
    check(f(FLOAT, [FLOAT]).with_convention(Convention::AapcsBase), "r: [0..4)@r0; a1: [0..4)@r0; pop 0");
    on(SOFT, f(FLOAT, [FLOAT]).with_convention(Convention::AapcsVfp), "r: [0..4)@s0; a1: [0..4)@s0; pop 0");
    // Pairs of results begin at even registers where the processor has `double`, and what comes later fills the gap.
    on(SOFT, f(s([I32, DOUBLE, I32]), []), "r: [0..4)@r0, [8..12)@r2, [12..16)@r3, [16..20)@r1; pop 0");
    on(NO_VFP, f(s([I32, DOUBLE, LlvmType::int(16)]), []), "r: [0..4)@r0, [8..12)@r1, [12..16)@r2, [16..18)@r3; pop 0");
    on(SOFT, f(s([I32, DOUBLE, DOUBLE]), [I32]), "r: &[0..24)@r0; a1: [0..4)@r1; pop 0");
}

#[test]
fn vectors_depend_on_the_registers_there_are() {
    check(
        f(VOID, [v(2, int(32)), v(3, LlvmScalar::Float), v(2, int(8)), v(1, int(64))]),
        "r: -; a1: [0..8)@d0; a2: [0..12)@q1; a3: [0..2)@d1 lanes8:32; a4: [0..8)@d4; pop 0",
    );
    check(
        f(VOID, [v(8, int(32)), v(3, int(64))]),
        "r: -; a1: [0..16)@q0, [16..32)@q1; a2: [0..8)@d4, [8..16)@d5, [16..24)@d6; pop 0",
    );
    check(
        f(VOID, [v(4, LlvmScalar::Half), v(3, int(8))]),
        "r: -; a1: [0..2)@s0, [2..4)@s1, [4..6)@s2, [6..8)@s3; a2: [0..1)@r0, [1..2)@r1, [2..3)@r2; pop 0",
    );
    check(f(VOID, [v(1, LlvmScalar::Half)]), "r: -; a1: [0..2)@s0 lanes16:32; pop 0");
    let refused = "argument 0: a vector of one 16-bit floating-point lane, which llc converts";
    check(f(VOID, [v(1, LlvmScalar::BFloat)]), refused);
    on(NO_NEON, f(VOID, [v(1, LlvmScalar::Half)]), refused);
    on(
        NO_NEON,
        f(VOID, [v(2, int(32)), v(2, LlvmScalar::Float), v(4, int(16))]),
        "r: -; a1: [0..4)@r0, [4..8)@r1; a2: [0..4)@s0, [4..8)@s1; a3: [0..2)@r2, [2..4)@r3, [4..6)@sp+0, [6..8)@sp+4; \
         stack 8; pop 0",
    );
    on(
        NO_NEON,
        f(VOID, [I32, v(2, int(64))]),
        "r: -; a1: [0..4)@r0; a2: [0..4)@r2, [4..8)@r3, [8..12)@sp+0, [12..16)@sp+4; stack 8; pop 0",
    );
}

#[test]
fn homogeneous_aggregates_and_arrays_of_integers_stay_together() {
    check(
        f(VOID, [FLOAT, s([DOUBLE, DOUBLE]), array(3, FLOAT), array(4, DOUBLE), FLOAT]),
        "r: -; a1: [0..4)@s0; a2: [0..8)@d1, [8..16)@d2; a3: [0..4)@s6, [4..8)@s7, [8..12)@s8; a4: [0..8)@sp+0, \
         [8..16)@sp+8, [16..24)@sp+16, [24..32)@sp+24; a5: [0..4)@sp+32; stack 36; pop 0",
    );
    check(
        f(VOID, [s([v(2, int(32)), v(8, int(8))]), array(2, v(4, int(32)))]),
        "r: -; a1: [0..8)@d0, [8..16)@d1; a2: [0..16)@q1, [16..32)@q2; pop 0",
    );
    // Not homogeneous: five members, an empty one, `half`.
    check(
        f(VOID, [array(12, FLOAT), array(5, FLOAT)]),
        "r: -; a1: [0..4)@s0, [4..8)@s1, [8..12)@s2, [12..16)@s3, [16..20)@s4, [20..24)@s5, [24..28)@s6, [28..32)@s7, \
         [32..36)@s8, [36..40)@s9, [40..44)@s10, [44..48)@s11; a2: [0..4)@s12, [4..8)@s13, [8..12)@s14, [12..16)@s15, \
         [16..20)@sp+0; stack 4; pop 0",
    );
    check(
        f(VOID, [array(13, FLOAT), s([s([]), FLOAT, FLOAT, FLOAT, FLOAT])]),
        "r: -; a1: [0..4)@s0, [4..8)@s1, [8..12)@s2, [12..16)@s3, [16..20)@s4, [20..24)@s5, [24..28)@s6, [28..32)@s7, \
         [32..36)@s8, [36..40)@s9, [40..44)@s10, [44..48)@s11, [48..52)@s12; a2: [0..4)@s13, [4..8)@s14, [8..12)@s15, \
         [12..16)@sp+0; stack 4; pop 0",
    );
    // clang's records: split between registers and stack while nothing is on the stack.
    check(
        f(VOID, [I32, array(5, I32), I32]),
        "r: -; a1: [0..4)@r0; a2: [0..4)@r1, [4..8)@r2, [8..12)@r3, [12..16)@sp+0, [16..20)@sp+4; a3: [0..4)@sp+8; \
         stack 12; pop 0",
    );
    check(
        f(VOID, [I32, array(2, I64), I32]),
        "r: -; a1: [0..4)@r0; a2: [0..4)@r2, [4..8)@r3, [8..12)@sp+0, [12..16)@sp+4; a3: [0..4)@sp+8; stack 12; pop 0",
    );
    let full = || f(VOID, [array(4, DOUBLE), array(4, DOUBLE), DOUBLE]);
    check(
        full().param(I32).param(array(4, I32)).param(I32),
        "r: -; a1: [0..8)@d0, [8..16)@d1, [16..24)@d2, [24..32)@d3; a2: [0..8)@d4, [8..16)@d5, [16..24)@d6, \
         [24..32)@d7; a3: [0..8)@sp+0; a4: [0..4)@r0; a5: [0..4)@sp+8, [4..8)@sp+12, [8..12)@sp+16, [12..16)@sp+20; \
         a6: [0..4)@sp+24; stack 28; pop 0",
    );
    check(
        full().param(I32).param(s([I32, I32, I32, I32])).param(I32),
        "r: -; a1: [0..8)@d0, [8..16)@d1, [16..24)@d2, [24..32)@d3; a2: [0..8)@d4, [8..16)@d5, [16..24)@d6, \
         [24..32)@d7; a3: [0..8)@sp+0; a4: [0..4)@r0; a5: [0..4)@r1, [4..8)@r2, [8..12)@r3, [12..16)@sp+8; a6: \
         [0..4)@sp+12; stack 16; pop 0",
    );
    let aligned = Attrs { stack_align: Some(8), ..Attrs::default() };
    on(
        EABI,
        full().param(FLOAT).param(Param::llvm(array(4, FLOAT), aligned)),
        "r: -; a1: [0..8)@d0, [8..16)@d1, [16..24)@d2, [24..32)@d3; a2: [0..8)@d4, [8..16)@d5, [16..24)@d6, \
         [24..32)@d7; a3: [0..8)@sp+0; a4: [0..4)@sp+8; a5: [0..4)@sp+16, [4..8)@sp+20, [8..12)@sp+24, [12..16)@sp+28; \
         stack 32; pop 0",
    );
    check(
        full().param(FLOAT).param(Param::llvm(array(4, FLOAT), aligned)),
        "r: -; a1: [0..8)@d0, [8..16)@d1, [16..24)@d2, [24..32)@d3; a2: [0..8)@d4, [8..16)@d5, [16..24)@d6, \
         [24..32)@d7; a3: [0..8)@sp+0; a4: [0..4)@sp+8; a5: [0..4)@sp+12, [4..8)@sp+16, [8..12)@sp+20, [12..16)@sp+24; \
         stack 28; pop 0",
    );
    check(
        f(VOID, [s([v(2, int(32)), v(4, LlvmScalar::Half)])]),
        "argument 0: a homogeneous aggregate of vectors, some in one register and some in several",
    );
}

#[test]
fn results_that_find_no_registers_are_in_memory() {
    check(
        f(s([LlvmType::PTR, I32, I8, LlvmType::int(16)]), []),
        "r: [0..4)@r0, [4..8)@r1, [8..9)@r2, [10..12)@r3; pop 0",
    );
    check(f(array(5, I32), [I32]), "r: &[0..20)@r0; a1: [0..4)@r1; pop 0");
    check(
        f(s([FLOAT, DOUBLE, v(4, int(32)), I64]), []),
        "r: [0..4)@s0, [8..16)@d1, [16..32)@q1, [32..36)@r0, [36..40)@r1; pop 0",
    );
    check(f(array(9, DOUBLE), [I32]), "r: &[0..72)@r0; a1: [0..4)@r1; pop 0");
    check(f(s([]), [s([])]), "r: -; a1: -; pop 0");
}

#[test]
fn byval_is_in_registers_and_on_the_stack() {
    let byval = |size, align| role(Role::ByVal { size, align });
    check(
        Signature::c(VOID).param(I32).param(byval(20, 4)).param(I32),
        "r: -; a1: [0..4)@r0; a2: [0..4)@r1, [4..8)@r2, [8..12)@r3, [12..20)@sp+0; a3: [0..4)@sp+8; stack 12; pop 0",
    );
    check(
        Signature::c(VOID).param(I32).param(byval(8, 8)).param(byval(8, 4)),
        "r: -; a1: [0..4)@r0; a2: [0..4)@r2, [4..8)@r3; a3: copy [0..8)@sp+0; stack 8; pop 0",
    );
    check(
        Signature::c(VOID).param(I32).param(byval(24, 16)).param(I32),
        "r: -; a1: [0..4)@r0; a2: copy [0..24)@sp+0; a3: [0..4)@sp+24; stack 28; pop 0",
    );
    check(
        f(VOID, [array(9, DOUBLE)]).param(I32).param(byval(16, 4)).param(I32),
        "r: -; a1: [0..8)@d0, [8..16)@d1, [16..24)@d2, [24..32)@d3, [32..40)@d4, [40..48)@d5, [48..56)@d6, \
         [56..64)@d7, [64..72)@sp+0; a2: [0..4)@r0; a3: copy [0..16)@sp+8; a4: [0..4)@sp+24; stack 28; pop 0",
    );
    check(
        Signature::c(VOID).param(byval(6, 2)).param(byval(0, 1)).param(I32),
        "r: -; a1: [0..4)@r0, [4..6)@r1; a2: -; a3: [0..4)@r3; pop 0",
    );
    check(Signature::c(VOID).param(byval(8, 3)), "argument 0: alignment 3 is not a power of two");
}

#[test]
fn attributes_of_pointers() {
    check(
        Signature::c(VOID).param(role(Role::StructReturn)).param(role(Role::Nest)).param(FLOAT),
        "r: -; a1: [0..4)@r0; a2: [0..4)@r12; a3: [0..4)@s0; pop 0",
    );
    on(SOFT, Signature::c(VOID).param(role(Role::Nest)).param(I32), "r: -; a1: [0..4)@r12; a2: [0..4)@r0; pop 0");
    let swift = f(VOID, [I32, FLOAT]).with_convention(Convention::Swift);
    let swift = swift.param(role(Role::SwiftSelf)).param(role(Role::SwiftError)).param(role(Role::SwiftAsync));
    let abi = classify(&SOFT, &swift).unwrap();
    assert_eq!(
        abi.to_string(),
        "r: -; a1: [0..4)@r0; a2: [0..4)@s0; a3: [0..4)@r10; a4: [0..4)@r8; a5: [0..4)@r1; pop 0"
    );
    assert!(!abi.preserved.contains(arm::R8) && abi.preserved.contains(arm::R10));
    check(Signature::c(VOID).param(role(Role::InAlloca { size: 8 })), "argument 0: ARM has no inalloca argument block");
    on(
        AbiTarget { os: Os::Darwin, ..T },
        f(VOID, [I32]),
        "result: 32-bit ARM conventions of Apple's systems are not supported",
    );
}

#[test]
fn conventions_of_llvm_alone() {
    let ghc = f(VOID, [I32, FLOAT, DOUBLE, v(4, int(32)), I8]);
    check(
        ghc.clone().with_convention(Convention::Ghc),
        "r: -; a1: [0..4)@r4; a2: [0..4)@s16; a3: [0..8)@d9; a4: [0..16)@q5; a5: [0..1)@r5; pop 0",
    );
    check(
        ghc.param(v(4, int(32))).with_convention(Convention::Ghc),
        "argument 5: ghccc has no register left, and no other place",
    );
    on(SOFT, f(FLOAT, [FLOAT]).with_convention(Convention::Fast), "r: [0..4)@s0; a1: [0..4)@s0; pop 0");
    on(NO_VFP, f(FLOAT, [FLOAT]).with_convention(Convention::Fast), "r: [0..4)@r0; a1: [0..4)@r0; pop 0");
    check(f(FLOAT, [FLOAT]).with_convention(Convention::PreserveMost), "r: [0..4)@r0; a1: [0..4)@r0; pop 0");
    check(
        f(VOID, [array(7, I32)]).with_convention(Convention::Tail),
        "r: -; a1: [0..4)@r0, [4..8)@r1, [8..12)@r2, [12..16)@r3, [16..20)@sp+0, [20..24)@sp+4, [24..28)@sp+8; stack \
         12; pop 16",
    );
    check(
        f(VOID, []).with_convention(Convention::PreserveNone),
        "signature: the convention `preserve_nonecc` does not exist on 32-bit ARM with Linux",
    );
    check(
        Signature::c(CType::I32).with_convention(Convention::Swift),
        "signature: the convention `swiftcc` takes LLVM types only",
    );
}

#[test]
fn va_arg_takes_a_step_for_each_part_that_travels_by_itself() {
    // Offset, size, size and alignment on the stack.
    let brief = |ty: LlvmType| -> Vec<(u64, u64, u64, u32)> {
        let steps = va_arg(&T, Convention::C, &AbiType::Llvm(ty)).unwrap();
        steps.iter().map(|s| (s.offset, s.size, s.overflow_step, s.overflow_align)).collect()
    };
    assert_eq!(brief(I8), [(0, 1, 4, 4)]);
    assert_eq!(brief(I64), [(0, 4, 4, 8), (4, 4, 4, 4)]);
    assert_eq!(brief(DOUBLE), [(0, 8, 8, 8)]);
    assert_eq!(brief(FP128), [(0, 4, 4, 4), (4, 4, 4, 4), (8, 4, 4, 4), (12, 4, 4, 4)]);
    assert_eq!(brief(v(4, int(32))), [(0, 16, 16, 8)]);
    assert_eq!(brief(s([I8, DOUBLE])), [(0, 1, 4, 4), (8, 8, 8, 8)]);
    assert!(va_arg(&T, Convention::C, &AbiType::Llvm(v(4, int(8)))).is_err());
}

#[test]
fn nothing_is_aligned_to_eight_bytes_in_the_oldest_abi() {
    let apcs = |signature: Signature| signature.with_convention(Convention::Apcs);
    check(
        apcs(f(DOUBLE, [I32, I64, DOUBLE])),
        "r: [0..4)@r0, [4..8)@r1; a1: [0..4)@r0; a2: [0..4)@r1, [4..8)@r2; a3: [0..4)@r3, [4..8)@sp+0; stack 4; pop 0",
    );
    check(
        apcs(f(VOID, [array(3, I32), v(4, int(32)), I64])),
        "r: -; a1: [0..4)@r0, [4..8)@r1, [8..12)@r2; a2: [0..4)@r3, [4..8)@sp+0, [8..16)@sp+4; a3: [0..4)@sp+12, \
         [4..8)@sp+16; stack 20; pop 0",
    );
    // The ABI makes it the convention of all functions, and aligns memory accordingly.
    const APCS: AbiTarget = AbiTarget { features: AbiFeatures { apcs: true, ..SOFT.features }, ..T };
    on(APCS, f(VOID, [I32, I64]), "r: -; a1: [0..4)@r0; a2: [0..4)@r1, [4..8)@r2; pop 0");
    let fast = f(FLOAT, [FLOAT, DOUBLE, I64]).with_convention(Convention::Fast);
    on(APCS, fast, "r: [0..4)@s0; a1: [0..4)@s0; a2: [0..8)@d1; a3: [0..4)@r0, [4..8)@r1; pop 0");
    let layout = DataLayout::new(&APCS);
    assert_eq!([layout.llvm(&I64), layout.llvm(&v(4, int(32)))].map(|l| l.map(|l| l.align)), [Ok(4), Ok(4)]);
}
