//! 32-bit Windows from C signatures: one test per rule, the expected line as clang 19 places things for MSVC and for MinGW.

mod line;

use gusset_abi::*;
use line::{F32, F64, I32, I64, PTR, VOID, f, on, s, vector};

const MSVC: AbiTarget = AbiTarget { arch: Arch::X86, os: Os::Windows, env: Env::Msvc, ..AbiTarget::X86_64_LINUX };
const MINGW: AbiTarget = AbiTarget { env: Env::Gnu, ..MSVC };

#[track_caller]
fn msvc(convention: Convention, signature: Signature, expected: &str) {
    on(MSVC, signature.with_convention(convention), expected);
}

#[track_caller]
fn mingw(convention: Convention, signature: Signature, expected: &str) {
    on(MINGW, signature.with_convention(convention), expected);
}

use Convention::{C, Fastcall, Stdcall, Thiscall, Vectorcall};

fn class(class: Class, members: &[CType]) -> CType {
    CType::record(Record::structure(members.iter().cloned().map(Field::new).collect()).cxx(class))
}

fn aligned(members: &[CType], bytes: u32) -> CType {
    CType::record(Record::structure(members.iter().cloned().map(Field::new).collect()).aligned(bytes))
}

fn name(convention: Convention, signature: Signature) -> String {
    classify(&MSVC, &signature.with_convention(convention)).unwrap().decoration.apply("f")
}

#[test]
fn names_count_declared_bytes_and_the_callee_pops_pushed_ones() {
    assert_eq!(name(C, f(VOID, [I32])), "_f");
    assert_eq!(name(Stdcall, f(VOID, [I32, CType::I8, F64])), "_f@16");
    assert_eq!(name(Stdcall, f(s([I32; 3]), [I32, CType::I8, F64])), "_f@16");
    assert_eq!(name(Stdcall, f(VOID, [I32]).ellipsis()), "_f");
    assert_eq!(name(Fastcall, f(VOID, [I32, I32, I32])), "@f@12");
    assert_eq!(name(Vectorcall, f(VOID, [I32, F64])), "f@@12");
    assert_eq!(name(Thiscall, f(VOID, [PTR])), "_f");
    msvc(
        Stdcall,
        f(s([I32; 3]), [I32, CType::I8, F64]),
        "r: &[0..12)@sp+0 -> eax; a1: [0..4)@sp+4; a2: [0..1)@sp+8 sx8:32; a3: [0..8)@sp+12; stack 20; pop 20",
    );
    msvc(
        Fastcall,
        f(s([I32; 3]), [I32, I32, I32]),
        "r: &[0..12)@sp+0 -> eax; a1: [0..4)@ecx; a2: [0..4)@edx; a3: [0..4)@sp+4; stack 8; pop 8",
    );
    msvc(
        Fastcall,
        f(VOID, [CType::I8, I64, CType::I16]),
        "r: -; a1: [0..1)@ecx sx8:32; a2: [0..8)@sp+0; a3: [0..2)@edx sx16:32; stack 8; pop 8",
    );
}

#[test]
fn small_records_come_back_in_registers() {
    msvc(C, f(s([F32]), []), "r: [0..4)@eax; pop 0");
    mingw(C, f(s([F32]), []), "r: [0..4)@st0; pop 0");
    msvc(C, f(s([F64]), []), "r: [0..4)@eax, [4..8)@edx; pop 0");
    mingw(C, f(s([F64]), []), "r: [0..8)@st0; pop 0");
    msvc(C, f(s([CType::I8; 3]), []), "r: &[0..3)@sp+0 -> eax; stack 4; pop 0");
    msvc(
        C,
        f(class(Class::PLAIN, &[]), [class(Class::PLAIN, &[]), I32]),
        "r: -; a1: copy [0..1)@sp+0; a2: [0..4)@sp+4; stack 8; pop 0",
    );
    mingw(
        C,
        f(class(Class::PLAIN, &[]), [class(Class::PLAIN, &[]), I32]),
        "r: -; a1: -; a2: [0..4)@sp+0; stack 4; pop 0",
    );
    msvc(C, f(class(Class { aggregate: false, ..Class::PLAIN }, &[I32]), []), "r: &[0..4)@sp+0 -> eax; stack 4; pop 0");
    mingw(C, f(class(Class { aggregate: false, ..Class::PLAIN }, &[I32]), []), "r: [0..4)@eax; pop 0");
    msvc(C, f(CType::LONG_DOUBLE, [CType::LONG_DOUBLE]), "r: [0..8)@st0; a1: [0..8)@sp+0; stack 8; pop 0");
    mingw(C, f(CType::LONG_DOUBLE, [CType::LONG_DOUBLE]), "r: [0..10)@st0; a1: [0..10)@sp+0; stack 12; pop 0");
    // Not what holds a flexible array, wherever it is.
    let flexible = s([CType::I16, CType::flexible_array(CType::I8)]);
    for check in [msvc, mingw] {
        check(C, f(s([CType::array(flexible.clone(), 2)]), []), "r: &[0..4)@sp+0 -> eax; stack 4; pop 0");
        check(C, f(s([flexible.clone()]), []), "r: &[0..2)@sp+0 -> eax; stack 4; pop 0");
    }
}

#[test]
fn this_and_the_address_of_the_result() {
    let method = |ret: CType| f(ret, [PTR, I32]).member(Member::Method);
    let p = class(Class::PLAIN, &[I32]);
    msvc(Thiscall, method(p.clone()), "r: &[0..4)@sp+0 -> eax; a1: [0..4)@ecx; a2: [0..4)@sp+4; stack 8; pop 8");
    msvc(C, method(p.clone()), "r: &[0..4)@sp+4 -> eax; a1: [0..4)@sp+0; a2: [0..4)@sp+8; stack 12; pop 0");
    msvc(Fastcall, method(p.clone()), "r: &[0..4)@edx -> eax; a1: [0..4)@ecx; a2: [0..4)@sp+0; stack 4; pop 4");
    msvc(
        Thiscall,
        method(CType::complex(FloatKind::F64)),
        "r: &[0..16)@sp+0 -> eax; a1: [0..4)@ecx; a2: [0..4)@sp+4; stack 8; pop 8",
    );
    msvc(
        C,
        method(CType::complex(FloatKind::F64)),
        "r: &[0..16)@sp+0 -> eax; a1: [0..4)@sp+4; a2: [0..4)@sp+8; stack 12; pop 0",
    );
    mingw(Thiscall, method(p), "r: [0..4)@eax; a1: [0..4)@ecx; a2: [0..4)@sp+0; stack 4; pop 4");
    mingw(Thiscall, method(s([I32; 3])), "r: &[0..12)@ecx -> eax; a1: [0..4)@sp+0; a2: [0..4)@sp+4; stack 8; pop 8");
    let constructor = f(VOID, [PTR]).with_convention(Thiscall).member(Member::Constructor);
    assert_eq!(classify(&MSVC, &constructor).unwrap().returns_this, Some(x86::RAX));
    assert_eq!(classify(&MINGW, &constructor).unwrap().returns_this, None);
}

#[test]
fn alignment_that_is_asked_for() {
    msvc(C, f(VOID, [I32, aligned(&[I32], 8)]), "r: -; a1: [0..4)@sp+0; a2: &[0..8)@sp+4; stack 8; pop 0");
    mingw(C, f(VOID, [I32, aligned(&[I32], 8)]), "r: -; a1: [0..4)@sp+0; a2: copy [0..8)@sp+4; stack 12; pop 0");
    msvc(C, f(VOID, [I32, aligned(&[I32], 4)]), "r: -; a1: [0..4)@sp+0; a2: copy [0..4)@sp+4; stack 8; pop 0");
    msvc(C, f(VOID, [I32, s([F64])]), "r: -; a1: [0..4)@sp+0; a2: copy [0..8)@sp+4; stack 12; pop 0");
    msvc(
        C,
        f(VOID, [I32]).ellipsis().param(aligned(&[I32], 8)),
        "r: -; a1: [0..4)@sp+0; a2: copy [0..8)@sp+4; stack 12; pop 0",
    );
    msvc(Stdcall, f(VOID, [I32, aligned(&[I32], 16)]), "r: -; a1: [0..4)@sp+0; a2: &[0..16)@sp+4; stack 8; pop 8");
    assert_eq!(name(Stdcall, f(VOID, [I32, aligned(&[I32], 16)])), "_f@20");
}

#[test]
fn vectors() {
    let v4 = vector(I32, 4);
    msvc(
        C,
        f(v4.clone(), [v4.clone(), v4.clone(), v4.clone(), v4.clone(), I32]),
        "r: [0..16)@xmm0; a1: [0..16)@xmm0; a2: [0..16)@xmm1; a3: [0..16)@xmm2; a4: &[0..16)@sp+0; a5: [0..4)@sp+4; stack 8; pop 0",
    );
    mingw(
        C,
        f(v4.clone(), [v4.clone(), v4.clone(), v4.clone(), v4, I32]),
        "r: [0..16)@xmm0; a1: [0..16)@xmm0; a2: [0..16)@xmm1; a3: [0..16)@xmm2; a4: [0..16)@sp+0; a5: [0..4)@sp+16; stack 20; pop 0",
    );
    msvc(C, f(VOID, [vector(I64, 1)]), "argument 0: a vector of one integer lane");
}

#[test]
fn vectorcall() {
    let v4 = vector(F32, 4);
    let (two, four) = (s([v4.clone(), v4.clone()]), s([v4.clone(), v4.clone(), v4.clone(), v4.clone()]));
    msvc(
        Vectorcall,
        f(F64, [I32, F32, CType::I8, F64, I32]),
        "r: [0..8)@xmm0; a1: [0..4)@ecx; a2: [0..4)@xmm0; a3: [0..1)@edx sx8:32; a4: [0..8)@xmm1; a5: [0..4)@sp+0; stack 4; pop 4",
    );
    msvc(
        Vectorcall,
        f(two.clone(), [I32, v4.clone(), F64, two, four, I32, v4]),
        "r: [0..16)@xmm0, [16..32)@xmm1; a1: [0..4)@ecx; a2: [0..16)@xmm0; a3: [0..8)@xmm1; a4: [0..16)@xmm3, [16..32)@xmm4; a5: &[0..64)@edx; a6: [0..4)@sp+0; a7: [0..16)@xmm2; stack 4; pop 4",
    );
    msvc(
        Vectorcall,
        f(VOID, [F32; 8]),
        "r: -; a1: [0..4)@xmm0; a2: [0..4)@xmm1; a3: [0..4)@xmm2; a4: [0..4)@xmm3; a5: [0..4)@xmm4; a6: [0..4)@xmm5; a7: [0..4)@sp+0; a8: [0..4)@sp+4; stack 8; pop 8",
    );
    msvc(
        Vectorcall,
        f(VOID, [s([F32, F32]), s([F32, F64]), s([I32])]),
        "r: -; a1: [0..4)@xmm0, [4..8)@xmm1; a2: copy [0..16)@sp+0; a3: copy [0..4)@sp+16; stack 20; pop 20",
    );
    mingw(Vectorcall, f(VOID, [CType::LONG_DOUBLE]), "argument 0: an 80-bit long double in __vectorcall");
    // MSVC has homogeneous classes in registers, be they methods' or have they constructors; other vectors of methods in memory.
    let pair = class(Class { aggregate: false, ..Class::PLAIN }, &[vector(F32, 4), vector(F32, 4)]);
    msvc(Vectorcall, f(pair, []), "r: [0..16)@xmm0, [16..32)@xmm1; pop 0");
    let method = |ty: CType| f(ty, [PTR]).member(Member::Method);
    msvc(Vectorcall, method(vector(F32, 4)), "r: [0..16)@xmm0; a1: [0..4)@ecx; pop 0");
    msvc(Thiscall, method(vector(F32, 4)), "r: &[0..16)@sp+0 -> eax; a1: [0..4)@ecx; stack 4; pop 4");
    msvc(Vectorcall, f(VOID, [vector(F32, 2)]), "argument 0: a vector of less than 16 bytes in __vectorcall");
}

#[test]
fn classes_are_built_in_the_argument_block() {
    let class = |members: &[CType]| class(Class::NON_TRIVIAL, members);
    let nt = class(&[I32]);
    msvc(
        C,
        f(I32, [I32, nt.clone(), CType::I8, s([CType::I8; 3]), F64, aligned(&[I32], 8), F32]),
        "r: [0..4)@eax; a1: block [0..4)@block+0; a2: block [0..4)@block+4; a3: block [0..1)@block+8; a4: block [0..3)@block+12; a5: block [0..8)@block+16; a6: block &[0..8)@block+24; a7: block [0..4)@block+28; block 32 align 4; stack 32; pop 0",
    );
    msvc(
        Stdcall,
        f(s([I32; 3]), [CType::I16, nt.clone()]),
        "r: &[0..12)@sp+0 -> eax; a1: block [0..2)@block+4; a2: block [0..4)@block+8; block 12 align 4; stack 12; pop 12",
    );
    msvc(
        Thiscall,
        f(s([I32; 3]), [PTR, nt.clone(), I32]).member(Member::Method),
        "r: &[0..12)@sp+0 -> eax; a1: [0..4)@ecx; a2: block [0..4)@block+4; a3: block [0..4)@block+8; block 12 align 4; stack 12; pop 12",
    );
    msvc(
        C,
        f(s([I32; 3]), [PTR, nt.clone(), I32]).member(Member::Method),
        "r: &[0..12)@sp+4 -> eax; a1: block [0..4)@block+0; a2: block [0..4)@block+8; a3: block [0..4)@block+12; block 16 align 4; stack 16; pop 0",
    );
    msvc(
        Fastcall,
        f(VOID, [I32, nt.clone(), CType::I8, CType::I8]),
        "r: -; a1: [0..4)@ecx; a2: block [0..4)@block+0; a3: [0..1)@edx sx8:32; a4: block [0..1)@block+4; block 8 align 4; stack 8; pop 8",
    );
    msvc(
        C,
        f(VOID, [nt.clone(), I32]).ellipsis().param(I32).param(F64),
        "r: -; a1: block [0..4)@block+0; a2: block [0..4)@block+4; a3: [0..4)@sp+8; a4: [0..8)@sp+12; block 8 align 4; stack 20; pop 0",
    );
    msvc(
        C,
        f(VOID, [I32]).ellipsis().param(nt.clone()),
        "argument 1: a class that cannot be copied bitwise cannot stand after `...`",
    );
    msvc(
        Thiscall,
        f(VOID, [F32, I32, nt.clone()]),
        "argument 0: __thiscall wants `this`, a pointer, before an argument block",
    );
    mingw(
        C,
        f(nt.clone(), [I32, nt.clone()]),
        "r: &[0..4)@sp+0 -> eax; a1: [0..4)@sp+4; a2: &[0..4)@sp+8; stack 12; pop 0",
    );
    let signature = f(s([I32; 3]), [nt.clone(), vector(I32, 4), CType::I8, aligned(&[I32], 8)]);
    let abi = classify(&MSVC, &signature).unwrap();
    let field = |item, offset, size, indirect| BlockField { item, offset, size, indirect };
    assert_eq!(
        abi.block_fields(),
        [
            field(BlockItem::Result, 0, 4, true),
            field(BlockItem::Param(0), 4, 4, false),
            field(BlockItem::Param(2), 8, 1, false),
            field(BlockItem::Param(3), 12, 4, true),
        ]
    );
    let plain = classify(&MSVC, &f(VOID, [I32])).unwrap();
    assert!(plain.arg_block.is_none() && plain.block_fields().is_empty());
}

/// A bit-field of width zero takes the next member back into a storage unit that `#pragma pack` let end early, but the record
/// has the unit whole.
#[test]
fn packed_storage_units() {
    let target = AbiTarget { os: Os::Windows, ..AbiTarget::X86_64_LINUX };
    let unit = |bits| Field::bit_field(CType::U64, bits);
    let end = Field::unnamed_bit_field(CType::U64, 0);
    let fields = vec![Field::new(I64), Field::bit_field(CType::BOOL, 1), unit(4), end];
    let record = Record::structure(fields).pragma_pack(1);
    let layout = DataLayout::new(&target).record(&record).unwrap();
    assert_eq!((layout.size, layout.align, layout.bit_offsets), (24, 8, vec![0, 64, 72, 128]));
}
