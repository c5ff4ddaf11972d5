//! AArch64 from C signatures: one test per rule, the expected line as clang 19 and GCC 12 place things.

mod line;

use gusset_abi::*;
use line::*;

const FEATURES: AbiFeatures = AbiFeatures::DEFAULT;
const LINUX: AbiTarget =
    AbiTarget { arch: Arch::Aarch64, os: Os::Linux, env: Env::Gnu, features: FEATURES, ..AbiTarget::X86_64_LINUX };
const APPLE: AbiTarget = AbiTarget { os: Os::Darwin, ..LINUX };
const WINDOWS: AbiTarget = AbiTarget { os: Os::Windows, env: Env::Msvc, ..LINUX };

#[track_caller]
fn check(signature: Signature, expected: &str) {
    on(LINUX, signature, expected);
}

fn fields<const N: usize>(fields: [Field; N]) -> Record {
    Record::structure(fields.into())
}

#[test]
fn scalars() {
    check(
        f(I32, [I8, CType::U16, I32, I64, PTR, CType::BOOL, CType::F16, CType::BF16, F32, F64, CType::LONG_DOUBLE]),
        "r: [0..4)@x0; a1: [0..1)@x0; a2: [0..2)@x1; a3: [0..4)@x2; a4: [0..8)@x3; a5: [0..8)@x4; a6: [0..1)@x5 \
         zx1:8; \
         a7: [0..2)@h0; a8: [0..2)@h1; a9: [0..4)@s2; a10: [0..8)@d3; a11: [0..16)@q4; pop 0",
    );
    check(
        f(CType::BOOL, [I64; 8]).param(I8).param(CType::BOOL).param(I32),
        "r: [0..1)@x0 zx1:8; a1: [0..8)@x0; a2: [0..8)@x1; a3: [0..8)@x2; a4: [0..8)@x3; a5: [0..8)@x4; a6: \
         [0..8)@x5; a7: [0..8)@x6; a8: [0..8)@x7; a9: [0..1)@sp+0; a10: [0..1)@sp+8 zx1:8; a11: [0..4)@sp+16; stack \
         24; pop 0",
    );
    check(
        f(F32, [F64; 8]).param(F32).param(CType::LONG_DOUBLE).param(CType::F16),
        "r: [0..4)@s0; a1: [0..8)@d0; a2: [0..8)@d1; a3: [0..8)@d2; a4: [0..8)@d3; a5: [0..8)@d4; a6: [0..8)@d5; a7: \
         [0..8)@d6; a8: [0..8)@d7; a9: [0..4)@sp+0; a10: [0..16)@sp+16; a11: [0..2)@sp+32; stack 40; pop 0",
    );
}

#[test]
fn values_of_16_bytes_in_general_registers() {
    check(
        f(I128, [I32, I128, I32, I128, I32]),
        "r: [0..8)@x0, [8..16)@x1; a1: [0..4)@x0; a2: [0..8)@x2, [8..16)@x3; a3: [0..4)@x4; a4: [0..8)@x6, \
         [8..16)@x7; a5: [0..4)@sp+0; stack 8; pop 0",
    );
    check(
        f(VOID, [I64; 7]).param(I128).param(I32),
        "r: -; a1: [0..8)@x0; a2: [0..8)@x1; a3: [0..8)@x2; a4: [0..8)@x3; a5: [0..8)@x4; a6: [0..8)@x5; a7: \
         [0..8)@x6; a8: [0..8)@sp+0, [8..16)@sp+8; a9: [0..4)@sp+16; stack 24; pop 0",
    );
    let aligned = CType::record(fields([Field::new(I64), Field::new(I64)]).aligned(16));
    let inner = CType::record(fields([Field::new(I64).aligned(16)]));
    let sig = f(VOID, [I32, aligned.clone(), inner.clone(), s([I128])]);
    check(
        sig.clone(),
        "r: -; a1: [0..4)@x0; a2: [0..8)@x1, [8..16)@x2; a3: [0..8)@x4, [8..16)@x5; a4: [0..8)@x6, [8..16)@x7; pop 0",
    );
    on(
        APPLE,
        sig.clone(),
        "r: -; a1: [0..4)@x0; a2: [0..8)@x1, [8..16)@x2; a3: [0..8)@x3, [8..16)@x4; a4: [0..8)@x5, [8..16)@x6; pop 0",
    );
    on(
        WINDOWS,
        sig,
        "r: -; a1: [0..4)@x0; a2: [0..8)@x2, [8..16)@x3; a3: [0..8)@x4, [8..16)@x5; a4: [0..8)@x6, [8..16)@x7; pop 0",
    );
    check(
        f(s([I64, I32]), [I32, s([I64, I32]), s([I8, I8, I8])]),
        "r: [0..8)@x0, [8..16)@x1; a1: [0..4)@x0; a2: [0..8)@x1, [8..16)@x2; a3: [0..3)@x3; pop 0",
    );
    check(
        f(VOID, [I64; 7]).param(s([I64, I8])).param(I8).param(s([I8])),
        "r: -; a1: [0..8)@x0; a2: [0..8)@x1; a3: [0..8)@x2; a4: [0..8)@x3; a5: [0..8)@x4; a6: [0..8)@x5; a7: \
         [0..8)@x6; a8: copy [0..16)@sp+0; a9: [0..1)@sp+16; a10: copy [0..1)@sp+24; stack 32; pop 0",
    );
    let bits = |bits| CType::BitInt { bits, signed: true };
    check(
        f(bits(100), [I8, bits(100), bits(40), bits(7), bits(129)]),
        "r: [0..8)@x0, [8..16)@x1; a1: [0..1)@x0; a2: [0..8)@x2, [8..16)@x3; a3: [0..8)@x4; a4: [0..1)@x5; a5: \
         &[0..32)@x6; pop 0",
    );
}

#[test]
fn homogeneous_aggregates() {
    // What holds a flexible array is none, wherever it is.
    let flexible = CType::structure([CType::structure([]), CType::flexible_array(I32)]);
    check(f(VOID, [CType::structure([flexible, F32, F32])]), "r: -; a1: [0..8)@x0; pop 0");
    check(
        f(s([F32, F32]), [s([F32, F32, F32]), s([F64]), CType::complex(FloatKind::F64)]),
        "r: [0..4)@s0, [4..8)@s1; a1: [0..4)@s0, [4..8)@s1, [8..12)@s2; a2: [0..8)@d3; a3: [0..8)@d4, [8..16)@d5; \
         pop 0",
    );
    check(
        f(s([F32, F32, F32, F32]), [s([F32; 4]), s([F32; 4]), s([F32]), F32]),
        "r: [0..4)@s0, [4..8)@s1, [8..12)@s2, [12..16)@s3; a1: [0..4)@s0, [4..8)@s1, [8..12)@s2, [12..16)@s3; a2: \
         [0..4)@s4, [4..8)@s5, [8..12)@s6, [12..16)@s7; a3: copy [0..4)@sp+0; a4: [0..4)@sp+8; stack 16; pop 0",
    );
    check(
        f(VOID, [s([F64; 4]), F32, s([F64; 4]), s([F64]), F32, I32]),
        "r: -; a1: [0..8)@d0, [8..16)@d1, [16..24)@d2, [24..32)@d3; a2: [0..4)@s4; a3: copy [0..32)@sp+0; a4: copy \
         [0..8)@sp+32; a5: [0..4)@sp+40; a6: [0..4)@x0; stack 48; pop 0",
    );
    check(
        f(VOID, [s([F32; 5]), s([F32, F64]), s([F32, I32])]),
        "r: -; a1: &[0..20)@x0; a2: [0..8)@x1, [8..16)@x2; a3: [0..8)@x3; pop 0",
    );
    check(
        f(
            VOID,
            [
                s([CType::LONG_DOUBLE; 4]),
                CType::complex(FloatKind::Long),
                CType::LONG_DOUBLE,
                s([CType::LONG_DOUBLE; 2]),
            ],
        ),
        "r: -; a1: [0..16)@q0, [16..32)@q1, [32..48)@q2, [48..64)@q3; a2: [0..16)@q4, [16..32)@q5; a3: [0..16)@q6; \
         a4: copy [0..32)@sp+0; stack 32; pop 0",
    );
    check(
        f(VOID, [s([CType::F16; 3]), s([CType::array(s([F32, F32]), 2)]), CType::union([F32, s([F32, F32])])]),
        "r: -; a1: [0..2)@h0, [2..4)@h1, [4..6)@h2; a2: [0..4)@s3, [4..8)@s4, [8..12)@s5, [12..16)@s6; a3: copy \
         [0..8)@sp+0; stack 8; pop 0",
    );
    let v = vector(I32, 4);
    check(
        f(
            s([v.clone(), v.clone()]),
            [
                s([v.clone(), v.clone(), v.clone()]),
                vector(F32, 2),
                v.clone(),
                s([vector(I8, 8), vector(CType::I16, 4)]),
            ],
        ),
        "r: [0..16)@q0, [16..32)@q1; a1: [0..16)@q0, [16..32)@q1, [32..48)@q2; a2: [0..8)@d3; a3: [0..16)@q4; a4: \
         [0..8)@d5, [8..16)@d6; pop 0",
    );
    check(
        f(vector(F64, 4), [vector(F64, 4), vector(I8, 4), vector(I8, 2), vector(F32, 1)]),
        "r: &[0..32)@x8; a1: &[0..32)@x0; a2: [0..4)@x1; a3: [0..2)@x2; a4: [0..4)@x3; pop 0",
    );
    check(f(vector(I8, 4), []), "r: [0..4)@x0; pop 0");
    let wide = CType::record(fields([Field::new(F32).aligned(16), Field::new(F32), Field::new(F32), Field::new(F32)]));
    let sig = f(VOID, [F64; 7]).param(F32).param(F32).param(wide);
    check(
        sig.clone(),
        "r: -; a1: [0..8)@d0; a2: [0..8)@d1; a3: [0..8)@d2; a4: [0..8)@d3; a5: [0..8)@d4; a6: [0..8)@d5; a7: \
         [0..8)@d6; a8: [0..4)@s7; a9: [0..4)@sp+0; a10: copy [0..16)@sp+16; stack 32; pop 0",
    );
    on(
        APPLE,
        sig.clone(),
        "r: -; a1: [0..8)@d0; a2: [0..8)@d1; a3: [0..8)@d2; a4: [0..8)@d3; a5: [0..8)@d4; a6: [0..8)@d5; a7: \
         [0..8)@d6; a8: [0..4)@s7; a9: [0..4)@sp+0; a10: copy [0..16)@sp+4; stack 20; pop 0",
    );
    on(
        WINDOWS,
        sig,
        "r: -; a1: [0..8)@d0; a2: [0..8)@d1; a3: [0..8)@d2; a4: [0..8)@d3; a5: [0..8)@d4; a6: [0..8)@d5; a7: \
         [0..8)@d6; a8: [0..4)@s7; a9: [0..4)@sp+0; a10: copy [0..16)@sp+8; stack 24; pop 0",
    );
}

#[test]
fn memory() {
    check(
        f(s([I64; 3]), [s([I64; 3]), CType::record(fields([Field::new(I8)]).aligned(64))]),
        "r: &[0..24)@x8; a1: &[0..24)@x0; a2: &[0..64)@x1; pop 0",
    );
    check(
        f(VOID, [I64; 8]).param(s([I64; 3])),
        "r: -; a1: [0..8)@x0; a2: [0..8)@x1; a3: [0..8)@x2; a4: [0..8)@x3; a5: [0..8)@x4; a6: [0..8)@x5; a7: \
         [0..8)@x6; a8: [0..8)@x7; a9: &[0..24)@sp+0; stack 8; pop 0",
    );
    check(f(s([]), [s([]), I32]), "r: -; a1: -; a2: [0..4)@x0; pop 0");
    check(f(VOID, [CType::array(I32, 2)]), "argument 0: an array is not passed by value; pass a pointer");
}

#[test]
fn classes() {
    let class = |members: &[CType], class| {
        CType::record(Record::structure(members.iter().cloned().map(Field::new).collect()).cxx(class))
    };
    let owner = class(&[PTR], Class::NON_TRIVIAL);
    let guarded = class(&[I32], Class { aggregate: false, ..Class::PLAIN });
    let empty = class(&[], Class::PLAIN);
    let class = f(owner.clone(), [owner, empty.clone(), I32]);
    check(class.clone(), "r: &[0..8)@x8; a1: &[0..8)@x0; a2: [0..1)@x1; a3: [0..4)@x2; pop 0");
    on(APPLE, class.clone(), "r: &[0..8)@x8; a1: &[0..8)@x0; a2: -; a3: [0..4)@x1; pop 0");
    on(WINDOWS, class, "r: &[0..8)@x0 -> x0; a1: &[0..8)@x1; a2: [0..1)@x2; a3: [0..4)@x3; pop 0");
    let class = f(guarded.clone(), [guarded]);
    check(class.clone(), "r: [0..4)@x0; a1: [0..4)@x0; pop 0");
    on(APPLE, class.clone(), "r: [0..4)@x0; a1: [0..4)@x0; pop 0");
    on(WINDOWS, class, "r: &[0..4)@x0 -> x0; a1: [0..4)@x1; pop 0");
    // A class with private data is an argument in vector registers, one with a default constructor of its own is not.
    let private =
        Record::structure(vec![Field::new(F32), Field::new(F32)]).cxx(Class { aggregate: false, ..Class::PLAIN });
    on(
        WINDOWS,
        f(VOID, [CType::record(private.clone()), CType::record(private.clone().never_homogeneous())]),
        "r: -; a1: [0..4)@s0, [4..8)@s1; a2: [0..8)@x0; pop 0",
    );
    check(f(VOID, [CType::record(private.never_homogeneous())]), "r: -; a1: [0..4)@s0, [4..8)@s1; pop 0");
    // An empty class beside the members is no obstacle, where it takes no room.
    let union = Record::union(vec![Field::new(empty.clone()), Field::new(CType::array(F32, 4))]).cxx(Class::PLAIN);
    let apart = Record::structure(vec![Field::new(empty.clone()), Field::new(F32)]).cxx(Class::PLAIN);
    on(
        WINDOWS,
        f(VOID, [CType::record(union), CType::record(apart)]),
        "r: -; a1: [0..4)@s0, [4..8)@s1, [8..12)@s2, [12..16)@s3; a2: [0..8)@x0; pop 0",
    );
    let method = f(s([I32]), [PTR, I32]).member(Member::Method);
    check(method.clone(), "r: [0..4)@x0; a1: [0..8)@x0; a2: [0..4)@x1; pop 0");
    on(APPLE, method.clone(), "r: [0..4)@x0; a1: [0..8)@x0; a2: [0..4)@x1; pop 0");
    on(WINDOWS, method, "r: &[0..4)@x1 -> x0; a1: [0..8)@x0; a2: [0..4)@x2; pop 0");
    let constructor = f(VOID, [PTR, I32]).member(Member::Constructor);
    check(constructor.clone(), "r: -; a1: [0..8)@x0; a2: [0..4)@x1; pop 0");
    on(APPLE, constructor.clone(), "r: -; a1: [0..8)@x0; a2: [0..4)@x1; this -> x0; pop 0");
    on(WINDOWS, constructor, "r: -; a1: [0..8)@x0; a2: [0..4)@x1; this -> x0; pop 0");
    let destructor = f(VOID, [PTR]).member(Member::Destructor);
    check(destructor.clone(), "r: -; a1: [0..8)@x0; pop 0");
    on(APPLE, destructor.clone(), "r: -; a1: [0..8)@x0; this -> x0; pop 0");
    on(WINDOWS, destructor, "r: -; a1: [0..8)@x0; pop 0");
    check(f(empty, []), "r: -; pop 0");
}

#[test]
fn variadic() {
    let sig = f(F64, [I32, F64])
        .ellipsis()
        .param(I32)
        .param(F64)
        .param(s([I64, I64]))
        .param(s([F32, F32]))
        .param(I128)
        .param(s([F64; 4]))
        .param(s([I64; 3]))
        .param(vector(I32, 4))
        .param(I32);
    check(
        sig.clone(),
        "r: [0..8)@d0; a1: [0..4)@x0; a2: [0..8)@d0; a3: [0..4)@x1; a4: [0..8)@d1; a5: [0..8)@x2, [8..16)@x3; a6: \
         [0..4)@s2, [4..8)@s3; a7: [0..8)@x4, [8..16)@x5; a8: [0..8)@d4, [8..16)@d5, [16..24)@d6, [24..32)@d7; a9: \
         &[0..24)@x6; a10: [0..16)@sp+0; a11: [0..4)@x7; stack 16; pop 0",
    );
    on(
        APPLE,
        sig.clone(),
        "r: [0..8)@d0; a1: [0..4)@x0; a2: [0..8)@d0; a3: [0..4)@sp+0; a4: [0..8)@sp+8; a5: copy [0..16)@sp+16; a6: \
         copy [0..8)@sp+32; a7: [0..8)@sp+48, [8..16)@sp+56; a8: copy [0..32)@sp+64; a9: &[0..24)@sp+96; a10: \
         [0..16)@sp+112; a11: [0..4)@sp+128; stack 136; pop 0",
    );
    on(
        WINDOWS,
        sig.clone(),
        "r: [0..8)@d0; a1: [0..4)@x0; a2: [0..8)@x1; a3: [0..4)@x2; a4: [0..8)@x3; a5: [0..8)@x4, [8..16)@x5; a6: \
         [0..8)@x6; a7: [0..8)@sp+0, [8..16)@sp+8; a8: &[0..32)@sp+16; a9: &[0..24)@sp+24; a10: [0..8)@sp+32, \
         [8..16)@sp+40; a11: [0..4)@sp+48; stack 56; pop 0",
    );
    on(
        LINUX,
        sig.with_convention(Convention::Win64),
        "r: [0..8)@d0; a1: [0..4)@x0; a2: [0..8)@x1; a3: [0..4)@x2; a4: [0..8)@x3; a5: [0..8)@x4, [8..16)@x5; a6: \
         [0..8)@x6; a7: [0..8)@sp+0, [8..16)@sp+8; a8: &[0..32)@sp+16; a9: &[0..24)@sp+24; a10: [0..8)@sp+32, \
         [8..16)@sp+40; a11: [0..4)@sp+48; stack 56; pop 0",
    );
    on(
        WINDOWS,
        f(VOID, [I64; 7]).ellipsis().param(s([I64, I64])).param(I32),
        "r: -; a1: [0..8)@x0; a2: [0..8)@x1; a3: [0..8)@x2; a4: [0..8)@x3; a5: [0..8)@x4; a6: [0..8)@x5; a7: \
         [0..8)@x6; a8: [0..8)@x7, [8..16)@sp+0; a9: [0..4)@sp+8; stack 16; pop 0",
    );
    on(
        WINDOWS,
        f(VOID, [I64; 7]).ellipsis().param(I128).param(I32),
        "r: -; a1: [0..8)@x0; a2: [0..8)@x1; a3: [0..8)@x2; a4: [0..8)@x3; a5: [0..8)@x4; a6: [0..8)@x5; a7: \
         [0..8)@x6; a8: [0..8)@sp+0, [8..16)@sp+8; a9: [0..4)@sp+16; stack 24; pop 0",
    );
}

#[test]
fn apple_packs_the_stack() {
    on(
        APPLE,
        f(I8, [I64; 8])
            .param(I8)
            .param(s([I8]))
            .param(I8)
            .param(CType::I16)
            .param(CType::BitInt { bits: 7, signed: true })
            .param(I8)
            .param(CType::BOOL)
            .param(s([I64; 3]))
            .param(I8)
            .param(I128),
        "r: [0..1)@x0 sx8:32; a1: [0..8)@x0; a2: [0..8)@x1; a3: [0..8)@x2; a4: [0..8)@x3; a5: [0..8)@x4; a6: \
         [0..8)@x5; a7: [0..8)@x6; a8: [0..8)@x7; a9: [0..1)@sp+0; a10: copy [0..1)@sp+8; a11: [0..1)@sp+16; a12: \
         [0..2)@sp+18; a13: [0..1)@sp+20 sx7:32; a14: [0..1)@sp+24; a15: [0..1)@sp+25 zx1:8; a16: &[0..24)@sp+32; a17: \
         [0..1)@sp+40; a18: [0..8)@sp+48, [8..16)@sp+56; stack 64; pop 0",
    );
    on(
        APPLE,
        f(I8, [F64; 8]).param(I8).param(F32).param(s([F32; 3])).param(CType::F16).param(vector(I32, 4)),
        "r: [0..1)@x0 sx8:32; a1: [0..8)@d0; a2: [0..8)@d1; a3: [0..8)@d2; a4: [0..8)@d3; a5: [0..8)@d4; a6: \
         [0..8)@d5; a7: [0..8)@d6; a8: [0..8)@d7; a9: [0..1)@x0 sx8:32; a10: [0..4)@sp+0; a11: copy [0..12)@sp+4; \
         a12: [0..2)@sp+16; a13: [0..16)@sp+32; stack 48; pop 0",
    );
    on(
        APPLE,
        f(I8, [I8, CType::BOOL, CType::U16, I32, I128]),
        "r: [0..1)@x0 sx8:32; a1: [0..1)@x0 sx8:32; a2: [0..1)@x1 zx1:32; a3: [0..2)@x2 zx16:32; a4: [0..4)@x3; a5: \
         [0..8)@x4, [8..16)@x5; pop 0",
    );
}
