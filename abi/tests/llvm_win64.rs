//! Windows x64 from LLVM signatures: every line as llc 19 places things.

use gusset_abi::*;

const MSVC: AbiTarget = AbiTarget { os: Os::Windows, env: Env::Msvc, ..AbiTarget::X86_64_LINUX };
const VOID: LlvmType = LlvmType::Void;
const PTR: LlvmType = LlvmType::PTR;
const I8: LlvmType = LlvmType::int(8);
const I32: LlvmType = LlvmType::int(32);
const I64: LlvmType = LlvmType::int(64);
const I128: LlvmType = LlvmType::int(128);
const HALF: LlvmType = LlvmType::Scalar(LlvmScalar::Half);
const FLOAT: LlvmType = LlvmType::Scalar(LlvmScalar::Float);
const DOUBLE: LlvmType = LlvmType::Scalar(LlvmScalar::Double);
const FP80: LlvmType = LlvmType::Scalar(LlvmScalar::X86Fp80);
const FP128: LlvmType = LlvmType::Scalar(LlvmScalar::Fp128);
const V4: LlvmType = LlvmType::Vector { lane: LlvmScalar::Float, lanes: 4 };
const V8: LlvmType = LlvmType::Vector { lane: LlvmScalar::Float, lanes: 8 };

fn f<const N: usize>(ret: LlvmType, params: [LlvmType; N]) -> Signature {
    params.into_iter().fold(Signature::c(ret), Signature::param)
}

fn s<const N: usize>(members: [LlvmType; N]) -> LlvmType {
    LlvmType::structure(DataLayout::new(&MSVC).llvm_struct(members, false).unwrap())
}

fn reg(ty: LlvmType) -> Param {
    Param::llvm(ty, Attrs { in_reg: true, ..Attrs::default() })
}

fn role(role: Role) -> Param {
    Param::llvm(PTR, Attrs { role, ..Attrs::default() })
}

fn is(target: AbiTarget, signature: Signature) -> String {
    match classify(&target, &signature) {
        Ok(abi) => abi.to_string(),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn check(signature: Signature, expected: &str) {
    assert_eq!(is(MSVC, signature), expected);
}

#[track_caller]
fn with(convention: Convention, signature: Signature, expected: &str) {
    check(signature.with_convention(convention), expected);
}

#[test]
fn registers_by_position() {
    check(
        f(s([FLOAT, I64]), [s([I64, DOUBLE, I32]), I8, FLOAT]),
        "r: [0..4)@xmm0, [8..16)@rax; a1: [0..8)@rcx, [8..16)@xmm1, [16..20)@r8; a2: [0..1)@r9; a3: [0..4)@sp+32; \
         stack 40; pop 0",
    );
    check(
        f(I128, [I64, I128]),
        "r: [0..8)@rax, [8..16)@rdx; a1: [0..8)@rcx; a2: [0..8)@rdx, [8..16)@r8; stack 32; pop 0",
    );
    let small = |bits, widen| Param::llvm(LlvmType::int(bits), Attrs { widen, ..Attrs::default() });
    check(
        Signature::c(VOID)
            .param(small(8, Widen::Zero))
            .param(small(1, Widen::Sign))
            .param(small(9, Widen::Zero))
            .param(small(24, Widen::Zero)),
        "r: -; a1: [0..1)@rcx; a2: [0..1)@rdx sx1:8; a3: [0..2)@r8 zx9:16; a4: [0..3)@r9 zx24:32; stack 32; pop 0",
    );
    check(f(HALF, [HALF, DOUBLE]), "r: [0..2)@xmm0; a1: [0..2)@xmm0; a2: [0..8)@xmm1; stack 32; pop 0");
}

#[test]
fn vectors_and_long_doubles_by_address() {
    check(f(V4, [I64, V4]), "r: [0..16)@xmm0; a1: [0..8)@rcx; a2: &[0..16)@rdx; stack 32; pop 0");
    check(f(FP80, [FP80]), "r: &[0..16)@rcx -> rax; a1: &[0..10)@rdx; stack 32; pop 0");
    // GCC and LLVM 21.
    check(f(FP128, [FP128]), "r: &[0..16)@rcx -> rax; a1: &[0..16)@rdx; stack 32; pop 0");
    let ms_abi = f(FP80, [FP80]).with_convention(Convention::Win64);
    assert_eq!(is(AbiTarget::X86_64_LINUX, ms_abi), "r: [0..10)@st0; a1: &[0..10)@rcx; stack 32; pop 0");
    check(f(VOID, [s([I32, V4])]), "r: -; a1: [0..4)@rcx, &[16..32)@rdx; stack 32; pop 0");
    check(
        f(V8, [I32, V8]),
        "r: [0..16)@xmm0, [16..32)@xmm1; a1: [0..4)@rcx; a2: &[0..16)@rdx, &[16..32)@r8; stack 32; pop 0",
    );
    let five = f(VOID, [V4, V4, V4, V4, V4, V8]);
    with(
        Convention::Vectorcall,
        five,
        "r: -; a1: [0..16)@xmm0; a2: [0..16)@xmm1; a3: [0..16)@xmm2; a4: [0..16)@xmm3; a5: [0..16)@xmm4; \
         a6: [0..16)@xmm5, &[16..32)@sp+48; stack 56; pop 0",
    );
    let avx = AbiTarget { features: AbiFeatures { vector_bytes: 32, ..MSVC.features }, ..MSVC };
    assert_eq!(is(avx, f(V8, [V8])), "r: [0..32)@xmm0; a1: &[0..32)@rcx; stack 32; pop 0");
    let mask = LlvmType::Vector { lane: LlvmScalar::Int(1), lanes: 4 };
    check(f(VOID, [mask]), "r: -; a1: &[0..16)@rcx; stack 32; pop 0");
    // Elsewhere there is no home space, and callees keep what System V has them keep.
    let linux = f(V4, [I32, V4, FLOAT]).with_convention(Convention::Vectorcall);
    let linux = classify(&AbiTarget::X86_64_LINUX, &linux).unwrap();
    assert_eq!(linux.to_string(), "r: [0..16)@xmm0; a1: [0..4)@rcx; a2: [0..16)@xmm1; a3: [0..4)@xmm2; pop 0");
    assert_eq!(linux.decoration.apply("f"), "f@@32");
    assert!(linux.clobbers.contains(x86::RSI) && linux.preserved.contains(x86::RBX));
}

#[test]
fn results() {
    check(f(s([I64, I64, I64]), []), "r: [0..8)@rax, [8..16)@rdx, [16..24)@rcx; stack 32; pop 0");
    check(f(s([I64, I64, I64, I64]), [I64]), "r: &[0..32)@rcx -> rax; a1: [0..8)@rdx; stack 32; pop 0");
    check(
        f(s([FLOAT, FLOAT, FLOAT, FLOAT]), []),
        "r: [0..4)@xmm0, [4..8)@xmm1, [8..12)@st0, [12..16)@st1; stack 32; pop 0",
    );
    check(f(s([FLOAT, FLOAT, HALF, HALF]), []), "r: &[0..12)@rcx -> rax; stack 32; pop 0");
    check(f(V8, []), "r: [0..16)@xmm0, [16..32)@xmm1; stack 32; pop 0");
}

#[test]
fn attributes_of_pointers() {
    let byval = role(Role::ByVal { size: 12, align: 4 });
    let signature = Signature::c(VOID).param(role(Role::StructReturn)).param(byval).param(role(Role::Nest)).param(I64);
    check(signature, "r: -; a1: [0..8)@rcx -> rax; a2: &[0..12)@rdx; a3: [0..8)@r10; a4: [0..8)@r8; stack 32; pop 0");
    check(
        Signature::c(VOID).param(role(Role::InAlloca { size: 8 })),
        "argument 0: x86-64 has no inalloca argument block",
    );
    let contexts = f(VOID, [I64]).param(role(Role::SwiftSelf)).param(role(Role::SwiftAsync));
    check(contexts, "r: -; a1: [0..8)@rcx; a2: [0..8)@r13; a3: [0..8)@r14; stack 32; pop 0");
    let swift = Signature::c(VOID).param(role(Role::StructReturn));
    with(Convention::Swift, swift, "r: -; a1: [0..8)@rcx; stack 32; pop 0");
    // `this` keeps rcx, and an integer after finds it.
    let this = Signature::c(VOID).param(role(Role::StructReturn)).param(PTR).param(I32);
    with(Convention::Thiscall, this, "r: -; a1: [0..8)@rdx -> rax; a2: [0..8)@rcx; a3: [0..4)@r8; stack 32; pop 0");
}

#[test]
fn variadic_calls_duplicate_numbers() {
    check(
        f(VOID, [I64, DOUBLE]).ellipsis().param(FLOAT).param(V4).param(DOUBLE),
        "r: -; a1: [0..8)@rcx; a2: [0..8)@xmm1+rdx; a3: [0..4)@xmm2+r8; a4: &[0..16)@r9; a5: [0..8)@sp+32; stack 40; pop 0",
    );
    let steps = |ty| va_arg(&MSVC, Convention::C, &AbiType::Llvm(ty)).unwrap();
    let brief = |ty| -> Vec<_> { steps(ty).iter().map(|s| (s.offset, s.size, s.overflow_step, s.indirect)).collect() };
    assert_eq!(brief(I32), [(0, 4, 8, false)]);
    assert_eq!(brief(V4), [(0, 16, 8, true)]);
    assert_eq!(brief(FP80), [(0, 10, 8, true)]);
    assert_eq!(brief(I128), [(0, 8, 8, false), (8, 8, 8, false)]);
}

#[test]
fn vectorcall() {
    with(
        Convention::Vectorcall,
        f(s([DOUBLE, V4]), [I32, I32, FLOAT, FLOAT, I32, V4, FLOAT]),
        "r: [0..8)@xmm0, [16..32)@xmm1; a1: [0..4)@rcx; a2: [0..4)@rdx; a3: [0..4)@xmm2; a4: [0..4)@xmm3; \
         a5: [0..4)@sp+32; a6: [0..16)@xmm5; a7: [0..4)@sp+48; stack 56; pop 0",
    );
    with(
        Convention::Vectorcall,
        f(VOID, [I32, I32, I32, I32, I32]).param(reg(s([FLOAT, FLOAT, FLOAT, FLOAT]))),
        "r: -; a1: [0..4)@rcx; a2: [0..4)@rdx; a3: [0..4)@r8; a4: [0..4)@r9; a5: [0..4)@sp+32; \
         a6: [0..4)@xmm0, [4..8)@xmm1, [8..12)@xmm2, [12..16)@xmm3; stack 48; pop 0",
    );
    let all = || f(VOID, [V4, V4, V4, V4, V4, V4]);
    with(Convention::Vectorcall, all().param(reg(s([V4]))), "argument 6: no vector registers are left for it");
    let abi = classify(&MSVC, &all().param(V4).with_convention(Convention::Vectorcall)).unwrap();
    let PassMode::Indirect { pointer, .. } = &abi.args[6].mode else { panic!("{abi}") };
    assert_eq!(pointer.place, Place::Stack { offset: 48 });
    assert_eq!(abi.decoration, Decoration::Vectorcall(112));
}

#[test]
fn llvms_own_conventions() {
    let five = || f(s([FLOAT, I64]), [I64, DOUBLE, I8, FLOAT, I64]);
    let args = "a1: [0..8)@rcx; a2: [0..8)@xmm1; a3: [0..1)@r8; a4: [0..4)@xmm3";
    let ret = "r: [0..4)@xmm0, [8..16)@rax";
    with(Convention::Fast, five(), &format!("{ret}; {args}; a5: [0..8)@sp+32; stack 40; pop 0"));
    with(Convention::Tail, five(), &format!("{ret}; {args}; a5: [0..8)@sp+32; stack 40; pop 40"));
    // These leave no home space.
    for convention in [Convention::Cold, Convention::PreserveMost, Convention::PreserveAll] {
        with(convention, five(), &format!("{ret}; {args}; a5: [0..8)@sp+0; stack 8; pop 0"));
        assert_eq!(classify(&MSVC, &five().with_convention(convention)).unwrap().home_space, 0);
    }
    with(
        Convention::PreserveNone,
        f(s([I64, I64, I64]), [I64, I32, DOUBLE, I8, V4, FP80]),
        "r: [0..8)@rax, [8..16)@rdx, [16..24)@rcx; a1: [0..8)@r12; a2: [0..4)@r13; a3: [0..8)@xmm0; a4: [0..1)@rdi; \
         a5: [0..16)@xmm1; a6: [0..10)@sp+0; stack 16; pop 0",
    );
    with(Convention::Ghc, f(VOID, [I64, DOUBLE]), "r: -; a1: [0..8)@r13; a2: [0..8)@xmm1; pop 0");
    with(Convention::SysV64, f(FP80, [V4]), "r: &[0..16)@rdi -> rax; a1: [0..16)@xmm0; pop 0");
    let most = classify(&MSVC, &five().with_convention(Convention::PreserveMost)).unwrap().preserved;
    assert!(most.contains(x86::R10) && most.contains(Reg::float(6)) && !most.contains(Reg::float(5)));
    let c = Signature::c(CType::I32).with_convention(Convention::PreserveNone);
    check(c, "result: preserve_none takes LLVM types only on Windows");
}
