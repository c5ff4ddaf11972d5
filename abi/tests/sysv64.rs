//! System V x86-64 from C signatures: one test per rule, the expected line as clang 19 and GCC 12 place things.

mod line;

use gusset_abi::*;
use line::*;

const T: AbiTarget = AbiTarget::X86_64_LINUX;

fn wide(vector_bytes: u8) -> AbiTarget {
    AbiTarget { features: AbiFeatures { vector_bytes, ..T.features }, ..T }
}

#[track_caller]
fn check(signature: Signature, expected: &str) {
    on(T, signature, expected);
}

#[test]
fn scalars() {
    check(
        f(I32, [CType::I8, CType::U16, I32, I64, PTR, CType::BOOL, I32]),
        "r: [0..4)@rax; a1: [0..1)@rdi sx8:32; a2: [0..2)@rsi zx16:32; a3: [0..4)@rdx; a4: [0..8)@rcx; a5: [0..8)@r8; \
         a6: [0..1)@r9 zx1:32; a7: [0..4)@sp+0; stack 8; pop 0",
    );
    check(
        f(F32, [CType::F16, CType::BF16, F32, F64, CType::F128]),
        "r: [0..4)@xmm0; a1: [0..2)@xmm0; a2: [0..2)@xmm1; a3: [0..4)@xmm2; a4: [0..8)@xmm3; a5: [0..16)@xmm4; pop 0",
    );
    check(
        f(VOID, [F64; 9]).param(I32),
        "r: -; a1: [0..8)@xmm0; a2: [0..8)@xmm1; a3: [0..8)@xmm2; a4: [0..8)@xmm3; a5: [0..8)@xmm4; a6: [0..8)@xmm5; \
         a7: [0..8)@xmm6; a8: [0..8)@xmm7; a9: [0..8)@sp+0; a10: [0..4)@rdi; stack 8; pop 0",
    );
    check(f(CType::I128, [CType::U128]), "r: [0..8)@rax, [8..16)@rdx; a1: [0..8)@rdi, [8..16)@rsi; pop 0");
    check(f(CType::F128, []), "r: [0..16)@xmm0; pop 0");
    // The caller's bits above a small result are not widened, those of _Bool fill its byte.
    check(f(CType::I8, []), "r: [0..1)@rax; pop 0");
    check(f(CType::BOOL, []), "r: [0..1)@rax zx1:8; pop 0");
}

#[test]
fn bit_precise_integers() {
    let bits = |bits, signed| CType::BitInt { bits, signed };
    check(
        f(bits(7, true), [bits(7, true), bits(24, false), bits(48, true), bits(100, true), bits(129, true)]),
        "r: [0..1)@rax sx7:8; a1: [0..1)@rdi sx7:32; a2: [0..4)@rsi zx24:32; a3: [0..8)@rdx; a4: [0..8)@rcx, [8..16)@r8; \
         a5: copy [0..24)@sp+0; stack 24; pop 0",
    );
    // On the stack, nothing above its bytes is made.
    check(
        f(bits(24, false), [I64; 6]).param(bits(7, true)),
        "r: [0..4)@rax zx24:32; a1: [0..8)@rdi; a2: [0..8)@rsi; a3: [0..8)@rdx; a4: [0..8)@rcx; a5: [0..8)@r8; \
         a6: [0..8)@r9; a7: [0..1)@sp+0; stack 8; pop 0",
    );
    check(f(bits(0, false), []), "result: _BitInt(0) does not exist");
}

#[test]
fn long_double_is_in_memory_and_comes_back_on_the_x87_stack() {
    check(
        f(CType::LONG_DOUBLE, [CType::LONG_DOUBLE, I32, CType::LONG_DOUBLE]),
        "r: [0..10)@st0; a1: [0..10)@sp+0; a2: [0..4)@rdi; a3: [0..10)@sp+16; stack 32; pop 0",
    );
    check(
        f(s([CType::LONG_DOUBLE]), [s([CType::LONG_DOUBLE])]),
        "r: [0..10)@st0; a1: copy [0..16)@sp+0; stack 16; pop 0",
    );
    let complex = CType::complex(FloatKind::Long);
    check(f(complex.clone(), []), "r: [0..10)@st0, [16..26)@st1; pop 0");
    check(f(s([complex.clone()]), []), "r: &[0..32)@rdi -> rax; pop 0");
    check(f(VOID, [complex]), "r: -; a1: copy [0..32)@sp+0; stack 32; pop 0");
    // Integer and x87 merge to integer, which leaves X87UP without X87: memory.
    let union = CType::union([CType::LONG_DOUBLE, I64]);
    check(f(union.clone(), [union]), "r: &[0..16)@rdi -> rax; a1: copy [0..16)@sp+0; stack 16; pop 0");
    check(f(s([CType::LONG_DOUBLE, F32]), []), "r: &[0..32)@rdi -> rax; pop 0");
}

#[test]
fn small_structs() {
    check(f(s([F32, F32]), [s([F32, F32])]), "r: [0..8)@xmm0; a1: [0..8)@xmm0; pop 0");
    check(f(s([F32, F32, F32]), []), "r: [0..8)@xmm0, [8..12)@xmm1; pop 0");
    check(f(s([F64, I64]), [s([I64, F64])]), "r: [0..8)@xmm0, [8..16)@rax; a1: [0..8)@rdi, [8..16)@xmm0; pop 0");
    check(f(s([I64, F64]), []), "r: [0..8)@rax, [8..16)@xmm0; pop 0");
    check(f(s([I64, I64]), []), "r: [0..8)@rax, [8..16)@rdx; pop 0");
    check(f(VOID, [s([F32, I32])]), "r: -; a1: [0..8)@rdi; pop 0");
    check(f(VOID, [s([CType::F16, CType::F16, CType::F16])]), "r: -; a1: [0..6)@xmm0; pop 0");
    check(f(VOID, [s([CType::array(CType::I8, 3)])]), "r: -; a1: [0..3)@rdi; pop 0");
    check(f(VOID, [s([CType::array(F32, 4)])]), "r: -; a1: [0..8)@xmm0, [8..16)@xmm1; pop 0");
    check(f(VOID, [s([s([F32]), s([s([F32]), I64])])]), "r: -; a1: copy [0..24)@sp+0; stack 24; pop 0");
    check(f(VOID, [s([I32, s([F32, F64])])]), "r: -; a1: copy [0..24)@sp+0; stack 24; pop 0");
    check(f(s([CType::F128]), [s([CType::F128])]), "r: [0..16)@xmm0; a1: [0..16)@xmm0; pop 0");
    check(f(s([I64, I64, CType::I8]), []), "r: &[0..24)@rdi -> rax; pop 0");
    check(f(VOID, [CType::union([F64, F32])]), "r: -; a1: [0..8)@xmm0; pop 0");
    check(f(VOID, [CType::union([F64, CType::I8])]), "r: -; a1: [0..8)@rdi; pop 0");
    // Only padding in the second eightbyte: nothing travels for it.
    let aligned = CType::record(Record::structure(vec![Field::new(I64)]).aligned(16));
    check(f(aligned.clone(), [aligned, I64]), "r: [0..8)@rax; a1: [0..8)@rdi; a2: [0..8)@rsi; pop 0");
}

#[test]
fn empty_structs_take_nothing() {
    let cxx = CType::record(Record::structure(vec![]).cxx(Class::PLAIN));
    check(f(s([]), [s([]), cxx.clone(), I32]), "r: -; a1: -; a2: -; a3: [0..4)@rdi; pop 0");
    check(f(VOID, [s([CType::array(I32, 0)]), s([s([]), F64])]), "r: -; a1: -; a2: [0..8)@xmm0; pop 0");
    assert_eq!(DataLayout::new(&T).layout(&cxx).unwrap().size, 1);
    // A flexible array member counts for nothing.
    check(f(VOID, [s([I32, CType::array(CType::I8, 0)])]), "r: -; a1: [0..4)@rdi; pop 0");
}

#[test]
fn packed_members_that_are_misaligned_mean_memory() {
    let packed =
        |members: Vec<CType>| CType::record(Record::structure(members.into_iter().map(Field::new).collect()).packed());
    check(f(VOID, [packed(vec![I32, I64])]), "r: -; a1: copy [0..12)@sp+0; stack 16; pop 0");
    check(f(VOID, [packed(vec![I64, CType::I8])]), "r: -; a1: [0..8)@rdi, [8..9)@rsi; pop 0");
    check(f(VOID, [packed(vec![CType::I8, s([F32])])]), "r: -; a1: copy [0..5)@sp+0; stack 8; pop 0");
    // A member without size may be misaligned just as well.
    let empty = CType::record(Record::structure(vec![]).aligned(32));
    check(f(VOID, [packed(vec![CType::I8, empty])]), "r: -; a1: copy [0..1)@sp+0; stack 8; pop 0");
    check(f(VOID, [packed(vec![CType::I8, CType::array(I32, 2)])]), "r: -; a1: copy [0..9)@sp+0; stack 16; pop 0");
}

#[test]
fn complex() {
    check(
        f(CType::complex(FloatKind::F32), [CType::complex(FloatKind::F32)]),
        "r: [0..8)@xmm0; a1: [0..8)@xmm0; pop 0",
    );
    let double = CType::complex(FloatKind::F64);
    check(f(double.clone(), [double]), "r: [0..8)@xmm0, [8..16)@xmm1; a1: [0..8)@xmm0, [8..16)@xmm1; pop 0");
    check(f(VOID, [CType::complex(FloatKind::F16)]), "r: -; a1: [0..4)@xmm0; pop 0");
    check(f(CType::complex(FloatKind::F128), []), "r: &[0..32)@rdi -> rax; pop 0");
    check(f(VOID, [s([F32, CType::complex(FloatKind::F32)])]), "r: -; a1: [0..8)@xmm0, [8..12)@xmm1; pop 0");
    check(f(VOID, [CType::Complex(Scalar::Int { bits: 32, signed: true })]), "r: -; a1: [0..8)@rdi; pop 0");
}

#[test]
fn vectors() {
    check(f(vector(F32, 4), [vector(F64, 2)]), "r: [0..16)@xmm0; a1: [0..16)@xmm0; pop 0");
    check(
        f(VOID, [vector(F32, 2), vector(I64, 1), vector(CType::I8, 4), vector(CType::I16, 1)]),
        "r: -; a1: [0..8)@xmm0; a2: [0..8)@xmm1; a3: [0..4)@rdi; a4: [0..2)@rsi; pop 0",
    );
    check(f(VOID, [vector(F64, 1)]), "r: -; a1: [0..8)@sp+0; stack 8; pop 0");
    check(f(VOID, [vector(F32, 8), I32]), "r: -; a1: [0..32)@sp+0; a2: [0..4)@rdi; stack 32; align 32; pop 0");
    on(wide(32), f(vector(F32, 8), [s([vector(F32, 8)])]), "r: [0..32)@xmm0; a1: [0..32)@xmm0; pop 0");
    on(wide(32), f(VOID, [vector(F32, 16)]), "r: -; a1: [0..64)@sp+0; stack 64; align 64; pop 0");
    on(wide(64), f(vector(I64, 8), [vector(F32, 16)]), "r: [0..64)@xmm0; a1: [0..64)@xmm0; pop 0");
    // One vector has to fill a record of more than 16 bytes, members without size aside.
    on(wide(32), f(VOID, [s([s([]), vector(F32, 8)])]), "r: -; a1: [0..32)@xmm0; pop 0");
    let padded = CType::record(Record::union(vec![Field::new(vector(F32, 4))]).aligned(32));
    on(wide(32), f(VOID, [padded]), "r: -; a1: copy [0..32)@sp+0; stack 32; align 32; pop 0");
    on(wide(32), f(VOID, [CType::union([vector(F32, 8), F64])]), "r: -; a1: [0..32)@xmm0; pop 0");
    check(f(s([vector(F32, 8)]), []), "r: &[0..32)@rdi -> rax; pop 0");
    on(wide(32), f(VOID, [s([vector(F32, 4), vector(F32, 4)])]), "r: -; a1: copy [0..32)@sp+0; stack 32; pop 0");
    check(
        f(vector(F32, 8), []),
        "result: compilers disagree on how a vector of 32 bytes is returned with the enabled features",
    );
    check(f(vector(F32, 32), []), "r: &[0..128)@rdi -> rax; pop 0");
    // Unnamed wide vectors go to memory even with the feature.
    on(
        wide(32),
        Signature::c(VOID).param(vector(F32, 8)).ellipsis().param(vector(F32, 8)),
        "r: -; a1: [0..32)@xmm0; a2: [0..32)@sp+0; stack 32; align 32; vectors rax=1; pop 0",
    );
    // One and the same record type, too.
    let record = s([vector(F32, 8)]);
    on(
        wide(32),
        Signature::c(VOID).param(record.clone()).ellipsis().param(record),
        "r: -; a1: [0..32)@xmm0; a2: copy [0..32)@sp+0; stack 32; align 32; vectors rax=1; pop 0",
    );
}

#[test]
fn an_argument_is_in_registers_as_a_whole_or_not_at_all() {
    // The register that an argument could not use stays free for the next.
    check(
        f(VOID, [I64, I64, I64, I64, I64, CType::I128, I64]),
        "r: -; a1: [0..8)@rdi; a2: [0..8)@rsi; a3: [0..8)@rdx; a4: [0..8)@rcx; a5: [0..8)@r8; \
         a6: [0..8)@sp+0, [8..16)@sp+8; a7: [0..8)@r9; stack 16; pop 0",
    );
    check(
        f(VOID, [I64, I64, I64, I64, I64, I64, s([F64, I64]), F64]),
        "r: -; a1: [0..8)@rdi; a2: [0..8)@rsi; a3: [0..8)@rdx; a4: [0..8)@rcx; a5: [0..8)@r8; a6: [0..8)@r9; \
         a7: copy [0..16)@sp+0; a8: [0..8)@xmm0; stack 16; pop 0",
    );
}

#[test]
fn stack_slots_are_aligned_to_what_is_in_them() {
    let six = f(VOID, [I64; 6]);
    let regs = "r: -; a1: [0..8)@rdi; a2: [0..8)@rsi; a3: [0..8)@rdx; a4: [0..8)@rcx; a5: [0..8)@r8; a6: [0..8)@r9";
    check(
        six.clone().param(I32).param(CType::I128).param(I32),
        &format!("{regs}; a7: [0..4)@sp+0; a8: [0..8)@sp+16, [8..16)@sp+24; a9: [0..4)@sp+32; stack 40; pop 0"),
    );
    let big = CType::record(Record::structure(vec![Field::new(CType::array(I64, 3))]).aligned(64));
    check(
        six.param(I32).param(big),
        &format!("{regs}; a7: [0..4)@sp+0; a8: copy [0..64)@sp+64; stack 128; align 64; pop 0"),
    );
}

#[test]
fn bit_fields_are_classified_by_the_bits_they_cover() {
    let bits = |ty, n| Field::bit_field(ty, n);
    let mixed = Record::structure(vec![Field::new(F32), bits(I32, 5), Field::new(F64)]);
    check(f(VOID, [CType::record(mixed)]), "r: -; a1: [0..8)@rdi, [8..16)@xmm0; pop 0");
    // An unnamed bit-field is padding.
    let padded = Record::structure(vec![Field::new(F32), Field::unnamed_bit_field(I32, 32), Field::new(F64)]);
    check(f(VOID, [CType::record(padded)]), "r: -; a1: [0..8)@xmm0, [8..16)@xmm1; pop 0");
    let packed = Record::structure(vec![bits(I64, 40), bits(I64, 40)]).packed();
    check(f(VOID, [CType::record(packed)]), "r: -; a1: [0..8)@rdi, [8..10)@rsi; pop 0");
    let zero = Record::union(vec![Field::new(F32), Field::unnamed_bit_field(CType::I8, 0)]);
    check(f(VOID, [CType::record(zero)]), "r: -; a1: [0..4)@xmm0; pop 0");
}

#[test]
fn results_in_memory() {
    let big = s([I64, I64, I64]);
    check(f(big.clone(), [I64, big]), "r: &[0..24)@rdi -> rax; a1: [0..8)@rsi; a2: copy [0..24)@sp+0; stack 24; pop 0");
}

#[test]
fn non_trivial_classes_go_by_the_address_of_the_object() {
    let class = CType::record(Record::structure(vec![Field::new(I32)]).cxx(Class::NON_TRIVIAL));
    check(f(class.clone(), [class]), "r: &[0..4)@rdi -> rax; a1: &[0..4)@rsi; pop 0");
}

#[test]
fn variadic_callers_and_definitions() {
    let call = Signature::c(I32).param(PTR).ellipsis().param(F64).param(I32).param(s([F64, F64]));
    check(
        call,
        "r: [0..4)@rax; a1: [0..8)@rdi; a2: [0..8)@xmm0; a3: [0..4)@rsi; a4: [0..8)@xmm1, [8..16)@xmm2; vectors rax=3; pop 0",
    );
    let definition = f(VOID, [PTR, F64, CType::LONG_DOUBLE]).ellipsis();
    let abi = classify(&T, &definition).unwrap();
    let area = abi.variadic.unwrap();
    assert_eq!((area.va_list_size, area.va_list_align), (24, 8));
    let inits: Vec<_> = area.fields.iter().map(|f| (f.offset, f.size, f.init)).collect();
    assert_eq!(
        inits,
        [
            (0, 4, VaInit::Const(8)),
            (4, 4, VaInit::Const(64)),
            (8, 8, VaInit::StackArgs { offset: 16 }),
            (16, 8, VaInit::SaveArea { offset: 0 })
        ]
    );
    let save = area.save_area.unwrap();
    assert_eq!((save.size, save.align, save.float_guard), (176, 16, Some(x86::RAX)));
    let slots: Vec<_> = save.slots.iter().map(|s| (s.offset, s.reg)).collect();
    assert_eq!(slots.len(), 5 + 7);
    assert_eq!(slots[0], (8, x86::RSI));
    assert_eq!(slots[5], (64, Reg::float(1)));
    // A call that passes unnamed arguments agrees with the definition on where they start.
    let call = f(VOID, [PTR, F64, CType::LONG_DOUBLE]).ellipsis().param(I64).param(F64);
    assert_eq!(classify(&T, &call).unwrap().variadic.unwrap().fields, area.fields);
}

fn plan(ty: CType) -> VaArg {
    let steps = va_arg(&T, Convention::C, &AbiType::C(ty)).unwrap();
    assert_eq!((steps.len(), steps[0].offset), (1, 0));
    steps[0].clone()
}

#[test]
fn va_arg_plans() {
    let int = plan(I32);
    let regs = int.regs.unwrap();
    assert_eq!(&regs.counters[..], [VaCounter { field: 0, step: 8, limit: 48, align: 1, base: 16 }]);
    assert!(regs.contiguous);
    assert_eq!((int.overflow_field, int.overflow_align, int.overflow_step), (8, 8, 8));
    let both = plan(s([F64, I64])).regs.unwrap();
    assert_eq!(
        &both.counters[..],
        [
            VaCounter { field: 0, step: 8, limit: 48, align: 1, base: 16 },
            VaCounter { field: 4, step: 16, limit: 176, align: 1, base: 16 }
        ]
    );
    assert_eq!(
        &both.pieces[..],
        [VaPiece { offset: 0, size: 8, counter: 1, at: 0 }, VaPiece { offset: 8, size: 8, counter: 0, at: 0 }]
    );
    assert!(!both.contiguous);
    // Two vector registers lie 16 bytes apart in the save area, two general ones 8.
    let floats = plan(s([F64, F64])).regs.unwrap();
    assert_eq!((floats.counters[0].step, floats.pieces[1].at, floats.contiguous), (32, 16, false));
    assert!(plan(CType::I128).regs.unwrap().contiguous);
    let long_double = plan(CType::LONG_DOUBLE);
    assert!(long_double.regs.is_none());
    assert_eq!((long_double.overflow_align, long_double.overflow_step), (16, 16));
    let big = plan(s([I64, I64, I64]));
    assert!(big.regs.is_none());
    assert_eq!((big.overflow_align, big.overflow_step), (8, 24));
    assert_eq!(plan(s([])).overflow_step, 0);
    let class = plan(CType::record(Record::structure(vec![Field::new(CType::array(I64, 9))]).cxx(Class::NON_TRIVIAL)));
    assert_eq!((class.indirect, class.size, class.overflow_step), (true, 72, 8));
}

#[test]
fn registers_kept_and_changed() {
    let abi = classify(&T, &f(I32, [])).unwrap();
    assert_eq!(abi.preserved, RegSet::of(&[x86::RBX, x86::RBP, x86::R12, x86::R13, x86::R14, x86::R15]));
    assert!(
        abi.clobbers.contains(x86::R11) && abi.clobbers.contains(Reg::float(15)) && abi.clobbers.contains(Reg::x87(7))
    );
    assert!(abi.clobbers.intersection(abi.preserved).is_empty());
    assert!(!abi.clobbers.contains(x86::RSP) && !abi.clobbers.contains(Reg::float(16)));
    assert_eq!((abi.stack_align, abi.entry_bias, abi.red_zone, abi.home_space), (16, 8, 128, 0));
    assert_eq!(abi.static_chain, Some(x86::R10));
    let most = classify(&T, &f(I32, []).with_convention(Convention::PreserveMost)).unwrap();
    assert!(most.preserved.contains(x86::R10) && !most.preserved.contains(x86::R11));
    // A result register is never kept.
    assert!(!most.preserved.contains(x86::RAX) && most.clobbers.contains(x86::RAX));
    let most = classify(&T, &f(VOID, []).with_convention(Convention::PreserveMost)).unwrap();
    assert!(most.preserved.contains(x86::RAX));
}

#[test]
fn tail_convention_pops_whole_alignment_units() {
    let pop = |n| {
        let signature = (0..n).fold(Signature::c(I64), |s, _| s.param(I64)).with_convention(Convention::Tail);
        classify(&T, &signature).unwrap().callee_pop_bytes
    };
    assert_eq!([0, 6, 7, 8, 9].map(pop), [8, 8, 8, 24, 24]);
}

#[test]
fn what_cannot_be_passed_is_named() {
    check(f(VOID, [I32, VOID]), "argument 1: void is not a value");
    check(f(VOID, [CType::array(I32, 2)]), "argument 0: an array is not passed by value; pass a pointer");
    check(f(VOID, [CType::int(24, true)]), "argument 0: the target has no integer type of 24 bits");
    let huge = s([CType::array(I64, 1 << 40)]);
    check(f(VOID, [huge]), "argument 0: the type is larger than 2^31 bytes");
    check(f(VOID, [s([CType::array(I64, u64::MAX)])]), "argument 0: the type is larger than 2^31 bytes");
    let bad = Record::structure(vec![Field::bit_field(I32, 33)]);
    check(f(VOID, [CType::record(bad)]), "argument 0: a bit-field of 33 bits does not fit its type");
    let bad = Record::structure(vec![]).aligned(3);
    check(f(VOID, [CType::record(bad)]), "argument 0: aligned(3) is not a power of two up to 2^28");
    let half = CType::array(CType::I8, 1 << 30);
    check(f(VOID, [s([half.clone(), half.clone(), half])]), "argument 0: the type is larger than 2^31 bytes");
    let mut variadic = f(VOID, [I32]);
    variadic.variadic = Some(2);
    check(variadic, "signature: more named parameters than parameters");
    let windows = f(VOID, []).with_convention(Convention::AapcsBase);
    check(windows, "signature: the convention `arm_aapcscc` does not exist on x86-64 with Linux");
    let attributed = Param { ty: I32.into(), attrs: Attrs { widen: Widen::Sign, ..Attrs::default() } };
    check(f(VOID, []).param(attributed), "argument 0: a C type takes no LLVM attributes");
}

#[test]
fn nasty_types_end_quickly() {
    let mut deep = I32;
    let mut doubled = s([]);
    for _ in 0..100_000 {
        deep = s([deep]);
        doubled = s([doubled.clone(), doubled]);
    }
    let reason = "argument 0: the record is nested too deeply or has too many members";
    check(f(VOID, [deep]), reason);
    check(f(VOID, [doubled]), reason);
    check(f(VOID, [s([CType::array(s([]), u64::MAX)])]), "r: -; a1: -; pop 0");
    // Deep, but within the limit.
    let mut nested = s([F64, F32]);
    for _ in 0..150 {
        nested = s([nested]);
    }
    check(f(VOID, [nested]), "r: -; a1: [0..8)@xmm0, [8..16)@xmm1; pop 0");
}

#[test]
fn preserve_none_keeps_its_first_registers_from_small_integers() {
    let none = Signature::c(CType::Void).with_convention(Convention::PreserveNone);
    let pair = CType::structure([CType::I64, CType::I32]);
    let signature = none.clone().param(CType::I8).param(CType::I64).param(CType::I16).param(pair);
    let abi = classify(&AbiTarget::X86_64_LINUX, &signature).unwrap();
    let regs: Vec<_> = abi.args.iter().flat_map(|a| a.mode.pieces()).map(|p| p.reg().unwrap()).collect();
    assert_eq!(regs, [x86::RDI, x86::R12, x86::RSI, x86::R13, x86::R14]);
    let padded = classify(&AbiTarget::X86_64_LINUX, &none.param(CType::structure([CType::I64, CType::I8])));
    let reason = "argument 0: padding after a small integer of a record in preserve_none";
    assert_eq!(padded.unwrap_err().to_string(), reason);
}
