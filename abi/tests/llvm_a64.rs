//! AArch64 from LLVM signatures: every line as llc 19 places things, but for what `llvm/aarch64.rs` says it does otherwise.

mod llvm_line;

use gusset_abi::*;
use llvm_line::*;

const T: AbiTarget = AbiTarget { arch: Arch::Aarch64, ..AbiTarget::X86_64_LINUX };
const APPLE: AbiTarget = AbiTarget { os: Os::Darwin, ..T };
const WINDOWS: AbiTarget = AbiTarget { os: Os::Windows, env: Env::Msvc, ..T };

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
        f(LlvmType::int(24), [LlvmType::int(1), LlvmType::int(33), LlvmType::int(65)]),
        "r: [0..3)@x0; a1: [0..1)@x0; a2: [0..5)@x1; a3: [0..8)@x2, [8..9)@x3; pop 0",
    );
    // The first of several registers is an even one, of results not.
    check(
        f(s([I8, I128]), [I64, I128, LlvmType::int(192)]),
        "r: [0..1)@x0, [16..24)@x1, [24..32)@x2; a1: [0..8)@x0; a2: [0..8)@x2, [8..16)@x3; a3: [0..8)@x4, [8..16)@x5, \
         [16..24)@x6; pop 0",
    );
    // None of it is left in x7 alone.
    check(
        f(VOID, [I64, I64, I64, I64, I64, I64, I64, I128, I64]),
        "r: -; a1: [0..8)@x0; a2: [0..8)@x1; a3: [0..8)@x2; a4: [0..8)@x3; a5: [0..8)@x4; a6: [0..8)@x5; a7: \
         [0..8)@x6; a8: [0..8)@sp+0, [8..16)@sp+8; a9: [0..8)@sp+16; stack 24; pop 0",
    );
    on(
        APPLE,
        f(VOID, [I64, I128, I64, I64, I64, I64, I128]),
        "r: -; a1: [0..8)@x0; a2: [0..8)@x1, [8..16)@x2; a3: [0..8)@x3; a4: [0..8)@x4; a5: [0..8)@x5; a6: [0..8)@x6; \
         a7: [0..8)@sp+0, [8..16)@sp+8; stack 16; pop 0",
    );
    check(f(VOID, [LlvmType::int(0)]), "argument 0: i0 does not exist");
}

#[test]
fn extension_by_attribute() {
    let (zero, sign) = (|bits| with(LlvmType::int(bits), Widen::Zero), |bits| with(LlvmType::int(bits), Widen::Sign));
    check(
        Signature::c(sign(8)).param(zero(1)).param(sign(16)).param(zero(33)).param(sign(65)),
        "r: [0..1)@x0 sx8:32; a1: [0..1)@x0 zx1:32; a2: [0..2)@x1 sx16:32; a3: [0..5)@x2 zx33:64; a4: [0..8)@x4, \
         [8..9)@x5 sx1:64; pop 0",
    );
    // On the stack no more than the type is stored.
    let full = || f(VOID, [I64, I64, I64, I64, I64, I64, I64, I64]);
    check(
        full().param(zero(1)).param(sign(8)).param(sign(24)),
        "r: -; a1: [0..8)@x0; a2: [0..8)@x1; a3: [0..8)@x2; a4: [0..8)@x3; a5: [0..8)@x4; a6: [0..8)@x5; a7: \
         [0..8)@x6; a8: [0..8)@x7; a9: [0..1)@sp+0 zx1:8; a10: [0..1)@sp+8; a11: [0..3)@sp+16 sx24:32; stack 24; pop 0",
    );
    on(
        APPLE,
        full().param(zero(1)).param(sign(8)).param(sign(24)),
        "r: -; a1: [0..8)@x0; a2: [0..8)@x1; a3: [0..8)@x2; a4: [0..8)@x3; a5: [0..8)@x4; a6: [0..8)@x5; a7: \
         [0..8)@x6; a8: [0..8)@x7; a9: [0..1)@sp+0 zx1:8; a10: [0..1)@sp+1; a11: [0..3)@sp+4 sx24:32; stack 8; pop 0",
    );
    check(Signature::c(with(FLOAT, Widen::Zero)), "result: zeroext and signext need an integer");
}

#[test]
fn vectors_are_promoted_widened_split_or_taken_apart() {
    check(f(VOID, [v(4, int(8))]), "r: -; a1: [0..4)@d0 lanes8:16; pop 0");
    check(f(VOID, [v(8, int(1))]), "r: -; a1: [0..8)@d0 lanes1:8; pop 0");
    check(f(VOID, [v(2, int(24))]), "r: -; a1: [0..6)@d0 lanes24:32; pop 0");
    check(f(VOID, [v(1, int(32))]), "r: -; a1: [0..4)@s0; pop 0");
    check(f(VOID, [v(1, int(64))]), "r: -; a1: [0..8)@d0; pop 0");
    check(f(VOID, [v(1, LlvmScalar::Half)]), "r: -; a1: [0..2)@h0; pop 0");
    check(f(VOID, [v(3, LlvmScalar::Float)]), "r: -; a1: [0..12)@q0; pop 0");
    check(f(VOID, [v(3, int(8))]), "r: -; a1: [0..1)@x0, [1..2)@x1, [2..3)@x2; pop 0");
    check(f(VOID, [v(5, int(8))]), "r: -; a1: [0..5)@d0; pop 0");
    check(
        f(VOID, [v(6, LlvmScalar::Float)]),
        "r: -; a1: [0..4)@s0, [4..8)@s1, [8..12)@s2, [12..16)@s3, [16..20)@s4, [20..24)@s5; pop 0",
    );
    check(f(VOID, [v(3, int(64))]), "r: -; a1: [0..8)@d0, [8..16)@d1, [16..24)@d2; pop 0");
    check(f(VOID, [v(8, LlvmScalar::Float)]), "r: -; a1: [0..16)@q0, [16..32)@q1; pop 0");
    check(f(VOID, [v(2, LlvmScalar::Ptr)]), "r: -; a1: [0..16)@q0; pop 0");
    check(f(VOID, [v(4, LlvmScalar::BFloat)]), "r: -; a1: [0..8)@d0; pop 0");
    check(f(VOID, [v(2, int(128))]), "r: -; a1: [0..8)@x0, [8..16)@x1, [16..24)@x2, [24..32)@x3; pop 0");
    check(f(VOID, [v(3, int(1))]), "r: -; a1: [0..1)@x0, [1..2)@x1, [2..3)@x2; pop 0");
}

#[test]
fn results_have_eight_registers_of_each_class_or_memory() {
    check(
        f(s([LlvmType::PTR, FLOAT, I32, DOUBLE, HALF, FP128]), []),
        "r: [0..8)@x0, [8..12)@s0, [12..16)@x1, [16..24)@d1, [24..26)@h2, [32..48)@q3; pop 0",
    );
    check(
        f(array(8, I64), []),
        "r: [0..8)@x0, [8..16)@x1, [16..24)@x2, [24..32)@x3, [32..40)@x4, [40..48)@x5, [48..56)@x6, [56..64)@x7; pop 0",
    );
    check(f(array(9, I64), [I64]), "r: &[0..72)@x8; a1: [0..8)@x0; pop 0");
    check(f(s([v(32, LlvmScalar::Float), FLOAT]), []), "r: &[0..256)@x8; pop 0");
    check(f(s([]), [s([])]), "r: -; a1: -; pop 0");
}

#[test]
fn arrays_stay_together() {
    // clang's `[2 x i64]` and homogeneous aggregates; a struct of the same does not stay together.
    check(
        f(VOID, [I64, I64, I64, I64, I64, I64, I64, array(2, I64), I64]),
        "r: -; a1: [0..8)@x0; a2: [0..8)@x1; a3: [0..8)@x2; a4: [0..8)@x3; a5: [0..8)@x4; a6: [0..8)@x5; a7: \
         [0..8)@x6; a8: [0..8)@sp+0, [8..16)@sp+8; a9: [0..8)@sp+16; stack 24; pop 0",
    );
    check(
        f(VOID, [I64, I64, I64, I64, I64, I64, I64, s([I64, I64]), I64]),
        "r: -; a1: [0..8)@x0; a2: [0..8)@x1; a3: [0..8)@x2; a4: [0..8)@x3; a5: [0..8)@x4; a6: [0..8)@x5; a7: \
         [0..8)@x6; a8: [0..8)@x7, [8..16)@sp+0; a9: [0..8)@sp+8; stack 16; pop 0",
    );
    check(
        f(VOID, [array(3, FLOAT), array(4, FLOAT), array(2, FLOAT), FLOAT]),
        "r: -; a1: [0..4)@s0, [4..8)@s1, [8..12)@s2; a2: [0..4)@s3, [4..8)@s4, [8..12)@s5, [12..16)@s6; a3: \
         [0..4)@sp+0, [4..8)@sp+4; a4: [0..4)@sp+8; stack 16; pop 0",
    );
    check(
        f(VOID, [array(4, v(4, LlvmScalar::Float)), array(2, s([DOUBLE, DOUBLE])), array(2, FP128)]),
        "r: -; a1: [0..16)@q0, [16..32)@q1, [32..48)@q2, [48..64)@q3; a2: [0..8)@d4, [8..16)@d5, [16..24)@d6, \
         [24..32)@d7; a3: [0..16)@sp+0, [16..32)@sp+16; stack 32; pop 0",
    );
    check(
        f(VOID, [array(3, I8), array(2, s([I64, DOUBLE]))]),
        "r: -; a1: [0..1)@x0, [1..2)@x1, [2..3)@x2; a2: [0..8)@x3, [8..16)@d0, [16..24)@x4, [24..32)@d1; pop 0",
    );
    let aligned = Attrs { stack_align: Some(16), ..Attrs::default() };
    check(
        f(VOID, [array(8, I64), I64]).param(Param::llvm(array(2, I64), aligned)).param(I64),
        "r: -; a1: [0..8)@x0, [8..16)@x1, [16..24)@x2, [24..32)@x3, [32..40)@x4, [40..48)@x5, [48..56)@x6, \
         [56..64)@x7; a2: [0..8)@sp+0; a3: [0..8)@sp+16, [8..16)@sp+24; a4: [0..8)@sp+32; stack 40; pop 0",
    );
    on(
        APPLE,
        f(VOID, [array(4, DOUBLE), array(3, DOUBLE), array(3, FLOAT), array(2, FLOAT)]),
        "r: -; a1: [0..8)@d0, [8..16)@d1, [16..24)@d2, [24..32)@d3; a2: [0..8)@d4, [8..16)@d5, [16..24)@d6; a3: \
         [0..4)@sp+0, [4..8)@sp+4, [8..12)@sp+8; a4: [0..4)@sp+12, [4..8)@sp+16; stack 20; pop 0",
    );
}

#[test]
fn apple_packs_named_arguments_and_puts_others_on_the_stack() {
    let full = || f(VOID, [I64, I64, I64, I64, I64, I64, I64, I64]);
    on(
        APPLE,
        full().param(I8).param(LlvmType::int(16)).param(I8).param(I32).param(s([I8, I8])).param(I64),
        "r: -; a1: [0..8)@x0; a2: [0..8)@x1; a3: [0..8)@x2; a4: [0..8)@x3; a5: [0..8)@x4; a6: [0..8)@x5; a7: \
         [0..8)@x6; a8: [0..8)@x7; a9: [0..1)@sp+0; a10: [0..2)@sp+2; a11: [0..1)@sp+4; a12: [0..4)@sp+8; a13: \
         [0..1)@sp+12, [1..2)@sp+16; a14: [0..8)@sp+24; stack 32; pop 0",
    );
    on(
        APPLE,
        f(I32, [LlvmType::PTR]).ellipsis().param(I32).param(array(3, I32)).param(I128).param(DOUBLE),
        "r: [0..4)@x0; a1: [0..8)@x0; a2: [0..4)@sp+0; a3: [0..4)@sp+8, [4..8)@sp+12, [8..12)@sp+16; a4: [0..8)@sp+32, \
         [8..16)@sp+40; a5: [0..8)@sp+48; stack 56; pop 0",
    );
    on(
        APPLE,
        f(VOID, [LlvmType::PTR]).ellipsis().param(FLOAT),
        "argument 1: an unnamed argument of a type smaller than double: pass it as double",
    );
}

#[test]
fn windows_has_no_floating_point_registers_in_variadic_functions() {
    on(
        WINDOWS,
        f(DOUBLE, [FLOAT]).ellipsis().param(DOUBLE).param(array(2, FLOAT)).param(v(2, int(32))),
        "r: [0..8)@d0; a1: [0..4)@x0; a2: [0..8)@x1; a3: [0..4)@x2, [4..8)@x3; a4: [0..8)@d0; pop 0",
    );
    on(WINDOWS, f(VOID, [HALF]).ellipsis(), "argument 0: a 16-bit floating-point number in a variadic function");
    let visible = Attrs { role: Role::StructReturn, in_reg: true, ..Attrs::default() };
    on(
        WINDOWS,
        f(VOID, [LlvmType::PTR]).param(Param::llvm(LlvmType::PTR, visible)).param(I64),
        "r: -; a1: [0..8)@x0; a2: [0..8)@x1 -> x0; a3: [0..8)@x2; pop 0",
    );
    on(
        WINDOWS,
        Signature::c(VOID).param(role(Role::StructReturn)).param(I64),
        "r: -; a1: [0..8)@x8; a2: [0..8)@x0; pop 0",
    );
}

#[test]
fn attributes_of_pointers() {
    let byval = |size, align| role(Role::ByVal { size, align });
    check(
        Signature::c(VOID).param(byval(3, 1)).param(byval(16, 16)).param(byval(8, 32)).param(byval(0, 1)),
        "r: -; a1: copy [0..3)@sp+0; a2: copy [0..16)@sp+16; a3: copy [0..8)@sp+32; a4: copy [0..0)@sp+40; stack 48; \
         align 32; pop 0",
    );
    check(
        Signature::c(VOID).param(role(Role::StructReturn)).param(role(Role::Nest)).param(I64),
        "r: -; a1: [0..8)@x8; a2: [0..8)@x15; a3: [0..8)@x0; pop 0",
    );
    let swift = f(VOID, [I64]).with_convention(Convention::Swift);
    let swift = swift.param(role(Role::SwiftSelf)).param(role(Role::SwiftError)).param(role(Role::SwiftAsync));
    let abi = classify(&T, &swift).unwrap();
    assert_eq!(abi.to_string(), "r: -; a1: [0..8)@x0; a2: [0..8)@x20; a3: [0..8)@x21; a4: [0..8)@x22; pop 0");
    assert!(!abi.preserved.contains(aarch64::X21) && abi.preserved.contains(aarch64::X20));
    check(Signature::c(VOID).param(byval(8, 3)), "argument 0: alignment 3 is not a power of two");
    check(
        Signature::c(VOID).param(role(Role::InAlloca { size: 8 })),
        "argument 0: AArch64 has no inalloca argument block",
    );
    let nest = Param::llvm(I64, Attrs { role: Role::Nest, ..Attrs::default() });
    check(Signature::c(VOID).param(nest), "argument 0: this attribute needs a pointer");
}

#[test]
fn conventions_of_llvm_alone() {
    let ghc = f(VOID, [I64, FLOAT, DOUBLE, v(4, int(32)), v(2, int(32)), FP128]).param(with(I8, Widen::Zero));
    check(
        ghc.with_convention(Convention::Ghc),
        "r: -; a1: [0..8)@x19; a2: [0..4)@s8; a3: [0..8)@d12; a4: [0..16)@q4; a5: [0..8)@d13; a6: [0..16)@q5; a7: \
         [0..1)@x20 zx8:64; pop 0",
    );
    check(f(VOID, [HALF]).with_convention(Convention::Ghc), "argument 0: ghccc has no registers for this type");
    check(
        f(VOID, [I64, I64, I64, I64, I64, I64, I64, I64, I64, I128, I8]).with_convention(Convention::PreserveNone),
        "r: -; a1: [0..8)@x20; a2: [0..8)@x21; a3: [0..8)@x22; a4: [0..8)@x23; a5: [0..8)@x24; a6: [0..8)@x25; a7: \
         [0..8)@x26; a8: [0..8)@x27; a9: [0..8)@x28; a10: [0..8)@x0, [8..16)@x1; a11: [0..1)@x2; pop 0",
    );
    let tail = f(VOID, [array(9, I64)]).with_convention(Convention::Tail);
    check(
        tail.clone(),
        "r: -; a1: [0..8)@sp+0, [8..16)@sp+8, [16..24)@sp+16, [24..32)@sp+24, [32..40)@sp+32, [40..48)@sp+40, \
         [48..56)@sp+48, [56..64)@sp+56, [64..72)@sp+64; stack 72; pop 80",
    );
    check(
        tail.with_convention(Convention::SwiftTail),
        "r: -; a1: [0..8)@sp+0, [8..16)@sp+8, [16..24)@sp+16, [24..32)@sp+24, [32..40)@sp+32, [40..48)@sp+40, \
         [48..56)@sp+48, [56..64)@sp+56, [64..72)@sp+64; stack 72; pop 80",
    );
    check(
        Signature::c(CType::I32).with_convention(Convention::Swift),
        "signature: the convention `swiftcc` takes LLVM types only",
    );
    check(f(BFLOAT, [BFLOAT]).with_convention(Convention::VectorPcs), "r: [0..2)@h0; a1: [0..2)@h0; pop 0");
    let kept = |convention| classify(&T, &f(VOID, []).with_convention(convention)).unwrap().preserved;
    assert_eq!(kept(Convention::Ghc), RegSet::EMPTY);
    assert_eq!(kept(Convention::PreserveNone), RegSet::of(&[Reg::int(29)]));
    assert!(!kept(Convention::SwiftTail).contains(aarch64::X20));
}

#[test]
fn va_arg_takes_a_step_for_each_part_that_travels_by_itself() {
    // Offset, size, the counter's step and alignment, size and alignment on the stack.
    let brief = |target: &AbiTarget, ty: LlvmType| -> Vec<(u64, u64, u32, u32, u64, u32)> {
        let steps = va_arg(target, Convention::C, &AbiType::Llvm(ty)).unwrap();
        let brief = |s: &VaArg| {
            let counter = s.regs.as_ref().map(|regs| regs.counters[0]).unwrap_or_default();
            (s.offset, s.size, counter.step, counter.align, s.overflow_step, s.overflow_align)
        };
        steps.iter().map(brief).collect()
    };
    assert_eq!(brief(&T, I32), [(0, 4, 8, 1, 8, 8)]);
    assert_eq!(brief(&T, I128), [(0, 8, 8, 16, 8, 16), (8, 8, 8, 1, 8, 8)]);
    assert_eq!(brief(&T, DOUBLE), [(0, 8, 16, 1, 8, 8)]);
    assert_eq!(brief(&T, array(3, FLOAT)), [(0, 12, 48, 1, 16, 8)]);
    assert_eq!(brief(&T, s([I64, FP128])), [(0, 8, 8, 1, 8, 8), (16, 16, 16, 1, 16, 16)]);
    assert_eq!(brief(&APPLE, array(3, I32)), [(0, 12, 0, 0, 16, 8)]);
    assert_eq!(brief(&APPLE, I128), [(0, 8, 0, 0, 8, 16), (8, 8, 0, 0, 8, 8)]);
    assert_eq!(brief(&WINDOWS, DOUBLE), [(0, 8, 0, 0, 8, 8)]);
    assert!(va_arg(&WINDOWS, Convention::C, &AbiType::Llvm(FP128)).is_err());
    assert!(va_arg(&APPLE, Convention::C, &AbiType::Llvm(FLOAT)).is_err());
    assert!(va_arg(&T, Convention::C, &AbiType::Llvm(v(4, int(8)))).is_err());
}
