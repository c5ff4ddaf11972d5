//! 32-bit ARM from C signatures: one test per rule, the expected line as clang 19 and GCC 12 place things.

mod line;

use gusset_abi::*;
use line::*;

const HARD: AbiTarget = AbiTarget {
    arch: Arch::Arm,
    os: Os::Linux,
    env: Env::Gnu,
    features: AbiFeatures::DEFAULT,
    ..AbiTarget::X86_64_LINUX
};
const SOFT: AbiTarget = AbiTarget { features: AbiFeatures { hard_float: false, ..HARD.features }, ..HARD };
const WINDOWS: AbiTarget = AbiTarget { os: Os::Windows, env: Env::Msvc, ..HARD };

#[track_caller]
fn base(signature: Signature, expected: &str) {
    on(SOFT, signature.clone(), expected);
    on(HARD, signature.with_convention(Convention::AapcsBase), expected);
}

#[track_caller]
fn vfp(signature: Signature, expected: &str) {
    on(HARD, signature.clone(), expected);
    on(SOFT, signature.with_convention(Convention::AapcsVfp), expected);
}

#[test]
fn integers() {
    base(
        f(I8, [I8, CType::U16, CType::BOOL, PTR]).param(I8).param(CType::I16),
        "r: [0..1)@r0 sx8:32; a1: [0..1)@r0 sx8:32; a2: [0..2)@r1 zx16:32; a3: [0..1)@r2 zx1:32; a4: [0..4)@r3; a5: \
         [0..1)@sp+0 sx8:32; a6: [0..2)@sp+4 sx16:32; stack 8; pop 0",
    );
    base(
        f(I64, [I32, I64, I32]),
        "r: [0..4)@r0, [4..8)@r1; a1: [0..4)@r0; a2: [0..4)@r2, [4..8)@r3; a3: [0..4)@sp+0; stack 4; pop 0",
    );
    base(
        f(VOID, [I64, I32, I64, I32]),
        "r: -; a1: [0..4)@r0, [4..8)@r1; a2: [0..4)@r2; a3: [0..8)@sp+0; a4: [0..4)@sp+8; stack 12; pop 0",
    );
    base(
        f(VOID, [I32, I32, I32, I64, I32]),
        "r: -; a1: [0..4)@r0; a2: [0..4)@r1; a3: [0..4)@r2; a4: [0..8)@sp+0; a5: [0..4)@sp+8; stack 12; pop 0",
    );
    let bits = |bits| CType::BitInt { bits, signed: true };
    base(
        f(bits(7), [bits(7), bits(32), bits(40)]),
        "r: [0..1)@r0 sx7:32; a1: [0..1)@r0 sx7:32; a2: [0..4)@r1; a3: [0..4)@r2, [4..8)@r3; pop 0",
    );
    base(
        f(bits(65), [I32, bits(100), I32]),
        "r: &[0..16)@r0; a1: [0..4)@r1; a2: [0..4)@r2, [4..8)@r3, [8..16)@sp+0; a3: [0..4)@sp+8; stack 12; pop 0",
    );
    base(f(CType::I128, []), "result: the target has no integer type of 128 bits");
}

#[test]
fn floats_of_the_base_standard() {
    base(
        f(F32, [F32, F64, F32]),
        "r: [0..4)@r0; a1: [0..4)@r0; a2: [0..4)@r2, [4..8)@r3; a3: [0..4)@sp+0; stack 4; pop 0",
    );
    base(
        f(F64, [CType::F16, CType::LONG_DOUBLE, CType::BF16]),
        "r: [0..4)@r0, [4..8)@r1; a1: [0..2)@r0; a2: [0..4)@r2, [4..8)@r3; a3: [0..2)@sp+0; stack 4; pop 0",
    );
    base(
        f(CType::F16, [vector(F32, 2), vector(I32, 4)]),
        "r: [0..2)@r0; a1: [0..4)@r0, [4..8)@r1; a2: [0..4)@r2, [4..8)@r3, [8..16)@sp+0; stack 8; pop 0",
    );
    base(
        f(vector(I32, 4), [I32, vector(I32, 4), I32]),
        "r: [0..4)@r0, [4..8)@r1, [8..12)@r2, [12..16)@r3; a1: [0..4)@r0; a2: [0..4)@r2, [4..8)@r3, [8..16)@sp+0; \
         a3: [0..4)@sp+8; stack 12; pop 0",
    );
    base(
        f(vector(I8, 8), [I32, I32, vector(I32, 4), vector(I32, 8)]),
        "r: [0..4)@r0, [4..8)@r1; a1: [0..4)@r0; a2: [0..4)@r1; a3: [0..4)@r2, [4..8)@r3, [8..16)@sp+0; a4: \
         [0..32)@sp+8; stack 40; pop 0",
    );
    base(
        f(CType::complex(FloatKind::F32), [CType::complex(FloatKind::F32), CType::complex(FloatKind::F64)]),
        "r: &[0..8)@r0; a1: [0..4)@r1, [4..8)@r2; a2: copy [0..16)@sp+0; stack 16; pop 0",
    );
    base(
        f(s([F32]), [s([F32, F32]), s([F64])]),
        "r: [0..4)@r0; a1: [0..4)@r0, [4..8)@r1; a2: [0..4)@r2, [4..8)@r3; pop 0",
    );
}

#[test]
fn composites_in_core_registers() {
    base(
        f(s([I8, I8, I8]), [s([I8, I8, I8]), s([I32, I8]), I32]),
        "r: [0..3)@r0; a1: [0..3)@r0; a2: [0..4)@r1, [4..8)@r2; a3: [0..4)@r3; pop 0",
    );
    base(
        f(s([I32, I32]), [I32, s([I32; 5]), I32]),
        "r: &[0..8)@r0; a1: [0..4)@r1; a2: [0..4)@r2, [4..8)@r3, [8..20)@sp+0; a3: [0..4)@sp+12; stack 16; pop 0",
    );
    base(
        f(VOID, [I32, I32, I32, s([I32, I64]), I32]),
        "r: -; a1: [0..4)@r0; a2: [0..4)@r1; a3: [0..4)@r2; a4: copy [0..16)@sp+0; a5: [0..4)@sp+16; stack 20; pop 0",
    );
    base(
        f(VOID, [I32, I32, I32, I64, s([I32, I32, I32])]),
        "r: -; a1: [0..4)@r0; a2: [0..4)@r1; a3: [0..4)@r2; a4: [0..8)@sp+0; a5: copy [0..12)@sp+8; stack 20; pop 0",
    );
    let aligned = CType::record(Record::structure(vec![Field::new(I32), Field::new(I32)]).aligned(8));
    let inner = CType::record(Record::structure(vec![Field::new(I32).aligned(16), Field::new(I32)]));
    base(f(VOID, [I32, aligned]), "r: -; a1: [0..4)@r0; a2: [0..4)@r1, [4..8)@r2; pop 0");
    base(
        f(VOID, [I32, inner.clone(), inner]),
        "r: -; a1: [0..4)@r0; a2: [0..4)@r2, [4..8)@r3, [8..16)@sp+0; a3: copy [0..16)@sp+8; stack 24; pop 0",
    );
    base(
        f(VOID, [s([CType::array(I8, 100)]), I32]),
        "r: -; a1: [0..4)@r0, [4..8)@r1, [8..12)@r2, [12..16)@r3, [16..100)@sp+0; a2: [0..4)@sp+84; stack 88; pop 0",
    );
    base(
        f(VOID, [I32, s([CType::array(I8, 100)]), I64]),
        "r: -; a1: [0..4)@r0; a2: [0..4)@r1, [4..8)@r2, [8..12)@r3, [12..100)@sp+0; a3: [0..8)@sp+88; stack 96; pop 0",
    );
    base(f(s([]), [s([]), I32]), "r: -; a1: -; a2: [0..4)@r0; pop 0");
}

#[test]
fn vfp_registers_fill_gaps() {
    vfp(
        f(F32, [F32, F64, F32, F64, F32]),
        "r: [0..4)@s0; a1: [0..4)@s0; a2: [0..8)@d1; a3: [0..4)@s1; a4: [0..8)@d2; a5: [0..4)@s6; pop 0",
    );
    vfp(
        f(F64, [F64; 8]).param(F32).param(F32).param(I32),
        "r: [0..8)@d0; a1: [0..8)@d0; a2: [0..8)@d1; a3: [0..8)@d2; a4: [0..8)@d3; a5: [0..8)@d4; a6: [0..8)@d5; a7: \
         [0..8)@d6; a8: [0..8)@d7; a9: [0..4)@sp+0; a10: [0..4)@sp+4; a11: [0..4)@r0; stack 8; pop 0",
    );
    vfp(
        f(VOID, [F32, F64, F64, F64, F64, F64, F64, F64]).param(F64).param(F32),
        "r: -; a1: [0..4)@s0; a2: [0..8)@d1; a3: [0..8)@d2; a4: [0..8)@d3; a5: [0..8)@d4; a6: [0..8)@d5; a7: \
         [0..8)@d6; a8: [0..8)@d7; a9: [0..8)@sp+0; a10: [0..4)@sp+8; stack 12; pop 0",
    );
    vfp(
        f(CType::F16, [CType::F16, CType::BF16, F32, I8, I64]),
        "r: [0..2)@s0; a1: [0..2)@s0; a2: [0..2)@s1; a3: [0..4)@s2; a4: [0..1)@r0 sx8:32; a5: [0..4)@r2, [4..8)@r3; \
         pop 0",
    );
    vfp(
        f(s([F32, F32]), [F32, s([F32, F32, F32]), s([F64, F64]), s([F32]), CType::complex(FloatKind::F32)]),
        "r: [0..4)@s0, [4..8)@s1; a1: [0..4)@s0; a2: [0..4)@s1, [4..8)@s2, [8..12)@s3; a3: [0..8)@d2, [8..16)@d3; \
         a4: [0..4)@s8; a5: [0..4)@s9, [4..8)@s10; pop 0",
    );
    vfp(
        f(s([F64; 4]), [s([F64; 4]), F32, s([F64; 4]), F32, s([F64])]),
        "r: [0..8)@d0, [8..16)@d1, [16..24)@d2, [24..32)@d3; a1: [0..8)@d0, [8..16)@d1, [16..24)@d2, [24..32)@d3; \
         a2: [0..4)@s8; a3: copy [0..32)@sp+0; a4: [0..4)@sp+32; a5: copy [0..8)@sp+40; stack 48; pop 0",
    );
    vfp(
        f(s([I32, I32]), [s([F32, I32]), s([CType::F16, CType::F16]), CType::union([F32, I32])]),
        "r: &[0..8)@r0; a1: [0..4)@r1, [4..8)@r2; a2: [0..4)@r3; a3: copy [0..4)@sp+0; stack 4; pop 0",
    );
    let v = vector(I32, 4);
    vfp(
        f(s([v.clone(), v.clone()]), [F32, v.clone(), s([v.clone(), v.clone()]), F64, v.clone(), F32]),
        "r: [0..16)@q0, [16..32)@q1; a1: [0..4)@s0; a2: [0..16)@q1; a3: [0..16)@q2, [16..32)@q3; a4: [0..8)@d1; a5: \
         [0..16)@sp+0; a6: [0..4)@sp+16; stack 20; pop 0",
    );
    vfp(
        f(vector(F64, 4), [vector(F32, 2), vector(I32, 8), vector(I32, 16), vector(I8, 4)]),
        "r: &[0..32)@r0; a1: [0..8)@d0; a2: [0..16)@q1, [16..32)@q2; a3: [0..16)@q3, [16..32)@sp+0, [32..48)@sp+16, \
         [48..64)@sp+32; a4: [0..4)@r1; stack 48; pop 0",
    );
    vfp(f(vector(I8, 2), [vector(I8, 4); 1]), "r: [0..2)@r0; a1: [0..4)@r0; pop 0");
}

#[test]
fn variadic_functions_follow_the_base_standard() {
    let sig = f(F32, [F32, F64]).ellipsis().param(F64).param(s([F32, F32])).param(I32).param(I64);
    base(
        sig.clone(),
        "r: [0..4)@r0; a1: [0..4)@r0; a2: [0..4)@r2, [4..8)@r3; a3: [0..8)@sp+0; a4: copy [0..8)@sp+8; a5: \
         [0..4)@sp+16; a6: [0..8)@sp+24; stack 32; pop 0",
    );
    vfp(
        sig,
        "r: [0..4)@r0; a1: [0..4)@r0; a2: [0..4)@r2, [4..8)@r3; a3: [0..8)@sp+0; a4: copy [0..8)@sp+8; a5: \
         [0..4)@sp+16; a6: [0..8)@sp+24; stack 32; pop 0",
    );
}

#[test]
fn classes() {
    let class = |members: &[CType], class| {
        CType::record(Record::structure(members.iter().cloned().map(Field::new).collect()).cxx(class))
    };
    let owner = class(&[PTR], Class::NON_TRIVIAL);
    let guarded = class(&[I32], Class { aggregate: false, ..Class::PLAIN });
    let empty = class(&[], Class::PLAIN);
    let sig = f(owner.clone(), [I32, owner, empty, I32]);
    vfp(sig.clone(), "r: &[0..4)@r0; a1: [0..4)@r1; a2: &[0..4)@r2; a3: -; a4: [0..4)@r3; pop 0");
    on(WINDOWS, sig, "r: &[0..4)@r0; a1: [0..4)@r1; a2: &[0..4)@r2; a3: -; a4: [0..4)@r3; pop 0");
    let sig = f(guarded.clone(), [guarded]);
    vfp(sig.clone(), "r: [0..4)@r0; a1: [0..4)@r0; pop 0");
    on(WINDOWS, sig, "r: &[0..4)@r0; a1: [0..4)@r1; pop 0");
    let method = f(s([I32]), [PTR, I32]).member(Member::Method);
    vfp(method.clone(), "r: [0..4)@r0; a1: [0..4)@r0; a2: [0..4)@r1; pop 0");
    on(WINDOWS, method, "r: &[0..4)@r1; a1: [0..4)@r0; a2: [0..4)@r2; pop 0");
    vfp(f(s([I32, I32]), [PTR, I32]).member(Member::Method), "r: &[0..8)@r0; a1: [0..4)@r1; a2: [0..4)@r2; pop 0");
    let constructor = f(VOID, [PTR, F32]).member(Member::Constructor);
    vfp(constructor.clone(), "r: -; a1: [0..4)@r0; a2: [0..4)@s0; this -> r0; pop 0");
    on(WINDOWS, constructor, "r: -; a1: [0..4)@r0; a2: [0..4)@s0; this -> r0; pop 0");
    let destructor = f(VOID, [PTR]).member(Member::Destructor);
    vfp(destructor.clone(), "r: -; a1: [0..4)@r0; this -> r0; pop 0");
    on(WINDOWS, destructor, "r: -; a1: [0..4)@r0; pop 0");
}

#[test]
fn what_there_is_not() {
    on(HARD, f(VOID, [CType::F128]), "argument 0: the target has no __float128");
    on(
        HARD,
        f(VOID, []).with_convention(Convention::Stdcall),
        "signature: the convention `x86_stdcallcc` does not exist on 32-bit ARM with Linux",
    );
    on(HARD, f(VOID, []).regparm(2), "signature: regparm and sseregparm belong to 32-bit x86");
    on(
        HARD,
        f(VOID, [I32]).member(Member::Method),
        "signature: a member function's first parameter is `this`, a pointer",
    );
}

#[test]
fn registers_that_calls_change() {
    let abi = classify(&HARD, &f(VOID, [])).unwrap();
    assert!(abi.clobbers.contains(arm::LR) && abi.clobbers.contains(arm::R12) && !abi.clobbers.contains(arm::SP));
    assert!(abi.preserved.contains(Reg::int(11)) && abi.preserved.contains(Reg::float(16)));
    assert!(abi.clobbers.contains(Reg::float(15)) && abi.clobbers.contains(Reg::float(32)));
    assert_eq!(abi.stack_align, 8);
    assert_eq!(runtime_helper_clobbers("__aeabi_cdcmpeq"), RegSet::of(&[arm::R12, arm::LR]));
    assert_eq!(runtime_helper_clobbers("__aeabi_idiv"), abi.clobbers);
}
