//! 32-bit x86 on ELF and Apple's systems, from C signatures: one test per rule, the expected line as clang 19 and GCC 12 place
//! things, or, where they differ, as the table at the head of the convention's source says.

mod line;

use gusset_abi::*;
use line::{F32, F64, I32, I64, PTR, VOID, f, on, s, vector};

const LINUX: AbiTarget = AbiTarget { arch: Arch::X86, ..AbiTarget::X86_64_LINUX };
const BSD: AbiTarget = AbiTarget { os: Os::Bsd, ..LINUX };
const NETBSD: AbiTarget = AbiTarget { os: Os::NetBsd, ..LINUX };
const DARWIN: AbiTarget = AbiTarget { os: Os::Darwin, ..LINUX };

#[track_caller]
fn check(signature: Signature, expected: &str) {
    on(LINUX, signature, expected);
}

#[track_caller]
fn with(convention: Convention, signature: Signature, expected: &str) {
    check(signature.with_convention(convention), expected);
}

#[test]
fn scalars_lie_in_slots_of_four_bytes() {
    check(
        f(I32, [CType::I8, I64, CType::U16, F32, F64, CType::BOOL, PTR]),
        "r: [0..4)@eax; a1: [0..1)@sp+0 sx8:32; a2: [0..8)@sp+4; a3: [0..2)@sp+12 zx16:32; a4: [0..4)@sp+16; a5: [0..8)@sp+20; a6: [0..1)@sp+28 zx1:32; a7: [0..4)@sp+32; stack 36; pop 0",
    );
    check(
        f(I64, [CType::LONG_DOUBLE, I32]),
        "r: [0..4)@eax, [4..8)@edx; a1: [0..10)@sp+0; a2: [0..4)@sp+12; stack 16; pop 0",
    );
    on(
        DARWIN,
        f(I64, [CType::LONG_DOUBLE, I32]),
        "r: [0..4)@eax, [4..8)@edx; a1: [0..10)@sp+0; a2: [0..4)@sp+16; stack 20; pop 0",
    );
    check(f(CType::F16, [CType::F16, I32]), "r: [0..2)@xmm0; a1: [0..2)@sp+0; a2: [0..4)@sp+4; stack 8; pop 0");
    check(f(VOID, [I32, CType::F128]), "r: -; a1: [0..4)@sp+0; a2: [0..16)@sp+16; stack 32; pop 0");
    check(f(CType::I128, []), "result: the target has no integer type of 128 bits");
}

#[test]
fn results_have_registers_of_their_own() {
    check(f(F32, []), "r: [0..4)@st0; pop 0");
    check(f(F64, []), "r: [0..8)@st0; pop 0");
    check(f(CType::LONG_DOUBLE, []), "r: [0..10)@st0; pop 0");
    check(f(CType::BOOL, []), "r: [0..1)@eax zx1:8; pop 0");
    check(f(CType::I16, []), "r: [0..2)@eax; pop 0");
    on(DARWIN, f(CType::I16, []), "r: [0..2)@eax sx16:32; pop 0");
    check(f(CType::complex(FloatKind::F32), []), "r: [0..4)@eax, [4..8)@edx; pop 0");
    check(f(CType::complex(FloatKind::F64), []), "r: &[0..16)@sp+0 -> eax; stack 4; pop 4");
    check(f(CType::complex(FloatKind::F16), []), "r: [0..4)@xmm0; pop 0");
}

#[test]
fn records_are_copied_and_returned_in_memory() {
    let p = s([F32, F32]);
    check(
        f(p.clone(), [I32, p.clone(), s([CType::I8; 3])]),
        "r: &[0..8)@sp+0 -> eax; a1: [0..4)@sp+4; a2: copy [0..8)@sp+8; a3: copy [0..3)@sp+16; stack 20; pop 4",
    );
    check(f(s([]), [s([]), I32]), "r: &[0..0)@sp+0 -> eax; a1: -; a2: [0..4)@sp+4; stack 8; pop 4");
    on(NETBSD, f(p.clone(), []), "r: &[0..8)@sp+0 -> eax; stack 4; pop 4");
    on(BSD, f(p.clone(), []), "r: [0..4)@eax, [4..8)@edx; pop 0");
    on(DARWIN, f(p, []), "r: [0..4)@eax, [4..8)@edx; pop 0");
    on(BSD, f(s([F32]), []), "r: [0..4)@st0; pop 0");
    on(BSD, f(s([F64]), []), "r: [0..8)@st0; pop 0");
    on(BSD, f(s([CType::I8; 3]), []), "r: &[0..3)@sp+0 -> eax; stack 4; pop 4");
    on(BSD, f(s([s([CType::I8; 3]), CType::I8]), []), "r: &[0..4)@sp+0 -> eax; stack 4; pop 4");
    on(BSD, f(s([]), []), "r: -; pop 0");
    let class = CType::record(Record::structure(vec![Field::new(I32)]).cxx(Class::NON_TRIVIAL));
    check(f(class.clone(), [class.clone()]), "r: &[0..4)@sp+0 -> eax; a1: &[0..4)@sp+4; stack 8; pop 4");
    on(BSD, f(class.clone(), [I32]), "r: &[0..4)@sp+0 -> eax; a1: [0..4)@sp+4; stack 8; pop 4");
}

#[test]
fn vectors() {
    let v4 = vector(I32, 4);
    check(
        f(v4.clone(), [v4.clone(), I32, v4.clone(), v4.clone(), v4.clone(), I32]),
        "r: [0..16)@xmm0; a1: [0..16)@xmm0; a2: [0..4)@sp+0; a3: [0..16)@xmm1; a4: [0..16)@xmm2; a5: [0..16)@sp+16; a6: [0..4)@sp+32; stack 36; pop 0",
    );
    on(
        DARWIN,
        f(VOID, [v4.clone(), v4.clone(), v4.clone(), v4.clone()]),
        "r: -; a1: [0..16)@xmm0; a2: [0..16)@xmm1; a3: [0..16)@xmm2; a4: [0..16)@xmm3; pop 0",
    );
    check(f(VOID, [v4.clone()]).ellipsis(), "r: -; a1: [0..16)@sp+0; stack 16; pop 0");
    check(f(VOID, [I32, s([v4.clone()])]), "r: -; a1: [0..4)@sp+0; a2: copy [0..16)@sp+4; stack 20; pop 0");
    on(DARWIN, f(VOID, [I32, s([v4])]), "r: -; a1: [0..4)@sp+0; a2: copy [0..16)@sp+16; stack 32; pop 0");
    check(
        f(vector(I32, 2), [vector(I32, 2), vector(F32, 2)]),
        "r: [0..8)@xmm0; a1: [0..8)@sp+0; a2: [0..8)@xmm0; stack 8; pop 0",
    );
    check(f(VOID, [vector(F32, 8)]), "argument 0: a vector of 32 bytes, wider than the enabled registers");
    let avx = AbiTarget { features: AbiFeatures { vector_bytes: 32, ..LINUX.features }, ..LINUX };
    on(avx, f(vector(F32, 8), [vector(F32, 8)]), "r: [0..32)@xmm0; a1: [0..32)@xmm0; pop 0");
}

#[test]
fn registers_for_arguments() {
    let three = |signature: Signature| signature.regparm(3);
    check(
        three(f(I32, [CType::I8, I64, I32])),
        "r: [0..4)@eax; a1: [0..1)@eax sx8:32; a2: [0..4)@edx, [4..8)@ecx; a3: [0..4)@sp+0; stack 4; pop 0",
    );
    check(
        three(f(I32, [I32, I64, I32])),
        "r: [0..4)@eax; a1: [0..4)@eax; a2: [0..4)@edx, [4..8)@ecx; a3: [0..4)@sp+0; stack 4; pop 0",
    );
    check(
        three(f(I32, [I32, I32, I64, I32])),
        "r: [0..4)@eax; a1: [0..4)@eax; a2: [0..4)@edx; a3: [0..8)@sp+0; a4: [0..4)@sp+8; stack 12; pop 0",
    );
    check(
        three(f(s([I32, I32]), [s([I32, I32]), I32])),
        "r: &[0..8)@eax -> eax; a1: [0..4)@edx, [4..8)@ecx; a2: [0..4)@sp+0; stack 4; pop 0",
    );
    check(
        three(f(VOID, [F32, s([F64]), I32])),
        "r: -; a1: [0..4)@sp+0; a2: copy [0..8)@sp+4; a3: [0..4)@eax; stack 12; pop 0",
    );
    check(three(f(VOID, [CType::LONG_DOUBLE, I32])), "r: -; a1: [0..10)@sp+0; a2: [0..4)@sp+12; stack 16; pop 0");
    check(
        three(f(s([I32, I32]), [I32])).ellipsis().param(I32),
        "r: &[0..8)@sp+0 -> eax; a1: [0..4)@sp+4; a2: [0..4)@sp+8; stack 12; pop 0",
    );
    check(f(VOID, [I32]).regparm(4), "signature: regparm goes up to 3");
    check(
        f(VOID, [I32]).regparm(1).with_convention(Convention::Fastcall),
        "signature: regparm and sseregparm change the C convention and __stdcall only",
    );
    let mut sse = f(F32, [F32, F64, I32, F32, F32]);
    sse.modifiers.sse_regparm = true;
    check(
        sse,
        "r: [0..4)@xmm0; a1: [0..4)@xmm0; a2: [0..8)@xmm1; a3: [0..4)@sp+0; a4: [0..4)@xmm2; a5: [0..4)@sp+4; stack 8; pop 0",
    );
    let mut abi = classify(&LINUX, &three(f(VOID, [I32; 3]))).unwrap();
    assert_eq!(abi.static_chain, None, "ecx holds an argument");
    abi = classify(&LINUX, &three(f(VOID, [I32; 2]))).unwrap();
    assert_eq!(abi.static_chain, Some(x86::RCX));
    abi = classify(&LINUX, &f(I32, [I32]).with_convention(Convention::Fastcall)).unwrap();
    assert_eq!(abi.static_chain, Some(x86::RAX), "a result does not disturb the chain");
}

#[test]
fn other_conventions() {
    with(
        Convention::Stdcall,
        f(s([I32; 3]), [I32, F64]),
        "r: &[0..12)@sp+0 -> eax; a1: [0..4)@sp+4; a2: [0..8)@sp+8; stack 16; pop 16",
    );
    with(Convention::Stdcall, f(VOID, [I32]).ellipsis(), "r: -; a1: [0..4)@sp+0; stack 4; pop 0");
    with(
        Convention::Fastcall,
        f(I32, [F32, CType::I8, I64, CType::I16, I32]),
        "r: [0..4)@eax; a1: [0..4)@sp+0; a2: [0..1)@ecx sx8:32; a3: [0..8)@sp+4; a4: [0..2)@edx sx16:32; a5: [0..4)@sp+12; stack 16; pop 16",
    );
    with(
        Convention::Fastcall,
        f(s([I32; 3]), [I32, I32]),
        "r: &[0..12)@sp+0 -> eax; a1: [0..4)@ecx; a2: [0..4)@edx; stack 4; pop 4",
    );
    with(
        Convention::Fastcall,
        f(VOID, [s([I32]), I32, I32]),
        "r: -; a1: copy [0..4)@sp+0; a2: [0..4)@edx; a3: [0..4)@sp+4; stack 8; pop 8",
    );
    with(
        Convention::Fastcall,
        f(VOID, [s([CType::I8; 4]), I32, I32]),
        "r: -; a1: copy [0..4)@sp+0; a2: [0..4)@ecx; a3: [0..4)@sp+4; stack 8; pop 8",
    );
    with(
        Convention::Fastcall,
        f(VOID, [I32]).ellipsis(),
        "signature: a variadic function cannot remove its arguments from the stack",
    );
    with(Convention::Thiscall, f(I32, [PTR, I32]), "r: [0..4)@eax; a1: [0..4)@ecx; a2: [0..4)@sp+0; stack 4; pop 4");
    with(
        Convention::Thiscall,
        f(s([I32; 3]), [PTR, I32]),
        "r: &[0..12)@sp+0 -> eax; a1: [0..4)@ecx; a2: [0..4)@sp+4; stack 8; pop 8",
    );
    with(
        Convention::Thiscall,
        f(VOID, [I64, PTR]),
        "argument 0: __thiscall wants `this`, a pointer, before aggregates and 64-bit integers",
    );
}

#[test]
fn bit_precise_integers() {
    let bits = |bits, signed| CType::BitInt { bits, signed };
    check(
        f(bits(7, true), [bits(7, true), bits(33, false), bits(64, true), bits(65, true)]),
        "r: [0..1)@eax sx7:8; a1: [0..1)@sp+0 sx7:32; a2: [0..8)@sp+4; a3: [0..8)@sp+12; a4: &[0..12)@sp+20; stack 24; pop 0",
    );
    check(f(bits(65, false), []), "r: &[0..12)@sp+0 -> eax; stack 4; pop 4");
}

#[test]
fn variadic_functions_walk_over_the_slots() {
    let signature = f(VOID, [PTR]).ellipsis().param(I32).param(F64).param(vector(I32, 4)).param(s([CType::I8; 5]));
    check(
        signature.clone(),
        "r: -; a1: [0..4)@sp+0; a2: [0..4)@sp+4; a3: [0..8)@sp+8; a4: [0..16)@sp+16; a5: copy [0..5)@sp+32; stack 40; pop 0",
    );
    let abi = classify(&LINUX, &signature).unwrap();
    let area = abi.variadic.unwrap();
    assert_eq!((area.va_list_size, area.fields[0].init), (4, VaInit::StackArgs { offset: 4 }));
    let step = |ty: CType| {
        let plan = va_arg(&LINUX, Convention::C, &AbiType::C(ty)).unwrap().remove(0);
        (plan.overflow_align, plan.overflow_step, plan.indirect)
    };
    assert_eq!(step(F64), (4, 8, false));
    assert_eq!(step(CType::LONG_DOUBLE), (4, 12, false));
    assert_eq!(step(vector(I32, 4)), (16, 16, false));
    assert_eq!(step(s([CType::I8; 5])), (4, 8, false));
    assert_eq!(step(CType::BitInt { bits: 100, signed: true }), (4, 4, true));
    assert_eq!(step(s([])), (4, 0, false));
}
