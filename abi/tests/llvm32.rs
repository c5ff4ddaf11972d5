//! 32-bit x86 from LLVM signatures: every line as llc 19 places things, with SSE2.

use gusset_abi::*;

const LINUX: AbiTarget = AbiTarget { arch: Arch::X86, ..AbiTarget::X86_64_LINUX };
const MSVC: AbiTarget = AbiTarget { os: Os::Windows, env: Env::Msvc, ..LINUX };
const MINGW: AbiTarget = AbiTarget { os: Os::Windows, ..LINUX };
const CYGWIN: AbiTarget = AbiTarget { env: Env::Cygnus, ..MINGW };
const ITANIUM: AbiTarget = AbiTarget { env: Env::Itanium, ..MINGW };
const VOID: LlvmType = LlvmType::Void;
const PTR: LlvmType = LlvmType::PTR;
const I8: LlvmType = LlvmType::int(8);
const I16: LlvmType = LlvmType::int(16);
const I32: LlvmType = LlvmType::int(32);
const I64: LlvmType = LlvmType::int(64);
const HALF: LlvmType = LlvmType::Scalar(LlvmScalar::Half);
const FLOAT: LlvmType = LlvmType::Scalar(LlvmScalar::Float);
const DOUBLE: LlvmType = LlvmType::Scalar(LlvmScalar::Double);
const FP80: LlvmType = LlvmType::Scalar(LlvmScalar::X86Fp80);
const FP128: LlvmType = LlvmType::Scalar(LlvmScalar::Fp128);
const V4: LlvmType = LlvmType::Vector { lane: LlvmScalar::Float, lanes: 4 };

fn f<const N: usize>(ret: LlvmType, params: [LlvmType; N]) -> Signature {
    params.into_iter().fold(Signature::c(ret), Signature::param)
}

fn s<const N: usize>(members: [LlvmType; N]) -> LlvmType {
    LlvmType::structure(DataLayout::new(&LINUX).llvm_struct(members, false).unwrap())
}

fn reg(ty: LlvmType) -> Param {
    Param::llvm(ty, Attrs { in_reg: true, ..Attrs::default() })
}

fn role(role: Role) -> Param {
    Param::llvm(PTR, Attrs { role, ..Attrs::default() })
}

fn byval(size: u64, align: u32) -> Param {
    role(Role::ByVal { size, align })
}

fn is(target: AbiTarget, signature: Signature) -> String {
    match classify(&target, &signature) {
        Ok(abi) => abi.to_string(),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn check(signature: Signature, expected: &str) {
    assert_eq!(is(LINUX, signature), expected);
}

#[track_caller]
fn with(convention: Convention, signature: Signature, expected: &str) {
    check(signature.with_convention(convention), expected);
}

#[test]
fn results() {
    check(f(s([I64, I32]), []), "r: [0..4)@eax, [4..8)@edx, [8..12)@ecx; pop 0");
    check(f(s([I64, I64]), []), "r: &[0..16)@sp+0 -> eax; stack 4; pop 4");
    assert_eq!(is(MSVC, f(s([I64, I64]), [])), "r: &[0..16)@sp+0 -> eax; stack 4; pop 0");
    check(f(s([FLOAT, DOUBLE]), []), "r: [0..4)@st0, [4..12)@st1; pop 0");
    check(f(s([FP80, FLOAT]), []), "r: [0..10)@st0, [12..16)@st1; pop 0");
    check(f(s([FLOAT, DOUBLE, FLOAT]), []), "r: &[0..16)@sp+0 -> eax; stack 4; pop 4");
    check(f(s([HALF, HALF, FLOAT, FLOAT]), []), "r: [0..2)@xmm0, [2..4)@xmm1, [4..8)@st0, [8..12)@st1; pop 0");
    check(f(s([HALF, HALF, HALF, HALF]), []), "r: &[0..8)@sp+0 -> eax; stack 4; pop 4");
    check(f(s([V4, V4, V4, V4]), []), "r: [0..16)@xmm0, [16..32)@xmm1, [32..48)@xmm2, [48..64)@xmm3; pop 0");
    check(f(FP128, []), "r: &[0..16)@sp+0 -> eax; stack 4; pop 4");
    check(f(s([I8, I8, I8]), []), "r: [0..1)@eax, [1..2)@edx, [2..3)@ecx; pop 0");
    check(Signature::c(reg(s([FLOAT, DOUBLE, FLOAT]))), "r: [0..4)@xmm0, [4..12)@xmm1, [12..16)@xmm2; pop 0");
    with(
        Convention::Fast,
        f(s([FLOAT, FLOAT, FLOAT, FLOAT]), []),
        "r: [0..4)@xmm0, [4..8)@xmm1, [8..12)@xmm2, [12..16)@st0; pop 0",
    );
    with(
        Convention::Vectorcall,
        f(s([FLOAT, FLOAT, FLOAT, FLOAT, FLOAT, DOUBLE]), []),
        "r: [0..4)@xmm0, [4..8)@xmm1, [8..12)@xmm2, [12..16)@xmm3, [16..20)@st0, [20..28)@st1; pop 0",
    );
}

#[test]
fn the_c_convention_has_registers_for_vectors_and_inreg() {
    check(
        Signature::c(VOID).param(reg(I64)).param(reg(I64)).param(reg(I32)),
        "r: -; a1: [0..4)@eax, [4..8)@edx; a2: [0..4)@ecx, [4..8)@sp+0; a3: [0..4)@sp+4; stack 8; pop 0",
    );
    check(
        Signature::c(VOID).param(reg(FLOAT)).param(reg(DOUBLE)).param(reg(HALF)).param(reg(FLOAT)),
        "r: -; a1: [0..4)@xmm0; a2: [0..8)@xmm1; a3: [0..2)@xmm2; a4: [0..4)@sp+0; stack 4; pop 0",
    );
    check(
        f(VOID, [V4, V4, V4, I8, V4, I32]),
        "r: -; a1: [0..16)@xmm0; a2: [0..16)@xmm1; a3: [0..16)@xmm2; a4: [0..1)@sp+0; a5: [0..16)@sp+16; \
         a6: [0..4)@sp+32; stack 36; pop 0",
    );
    check(
        f(VOID, [FP80, I32, FP80, DOUBLE]),
        "r: -; a1: [0..10)@sp+0; a2: [0..4)@sp+12; a3: [0..10)@sp+16; a4: [0..8)@sp+28; stack 36; pop 0",
    );
    let fp80 = f(VOID, [FP80, I32, FP80, DOUBLE]);
    assert_eq!(
        is(MSVC, fp80),
        "r: -; a1: [0..10)@sp+0; a2: [0..4)@sp+16; a3: [0..10)@sp+32; a4: [0..8)@sp+48; stack 56; pop 0"
    );
    let pieces = "[0..4)@sp+0, [4..8)@sp+4, [8..12)@sp+8, [12..16)@sp+12";
    check(f(VOID, [FP128]), &format!("r: -; a1: {pieces}; stack 16; pop 0"));
    // LLVM 20 and later.
    let abi = classify(&LINUX, &f(VOID, [I32, LlvmType::int(128), I32, FP128])).unwrap();
    let starts: Vec<_> = abi.args.iter().map(|arg| arg.mode.pieces()[0].place).collect();
    assert_eq!(starts, [0, 16, 32, 48].map(|offset| Place::Stack { offset }));
    let signed = Param::llvm(I8, Attrs { widen: Widen::Sign, ..Attrs::default() });
    check(Signature::c(signed.clone()).param(signed), "r: [0..1)@eax; a1: [0..1)@sp+0 sx8:32; stack 4; pop 0");
}

#[test]
fn variadic_functions_use_the_stack_alone() {
    let signature = || f(VOID, [I32, V4]).param(reg(FLOAT)).param(reg(I32)).ellipsis();
    let rest = "a3: [0..4)@sp+32; a4: [0..4)@sp+36; stack 40; pop 0";
    check(signature(), &format!("r: -; a1: [0..4)@sp+0; a2: [0..16)@sp+16; {rest}"));
    assert_eq!(
        is(MSVC, signature()),
        "r: -; a1: [0..4)@sp+0; a2: [0..16)@sp+4; a3: [0..4)@sp+20; a4: [0..4)@sp+24; stack 28; pop 0"
    );
    let steps = |ty| va_arg(&LINUX, Convention::C, &AbiType::Llvm(ty)).unwrap();
    let brief =
        |ty| steps(ty).iter().map(|s| (s.offset, s.size, s.overflow_step, s.overflow_align)).collect::<Vec<_>>();
    assert_eq!(brief(I64), [(0, 4, 4, 4), (4, 4, 4, 4)]);
    assert_eq!(brief(DOUBLE), [(0, 8, 8, 4)]);
    assert_eq!(brief(FP80), [(0, 10, 12, 4)]);
    assert_eq!(brief(V4), [(0, 16, 16, 16)]);
    let fast = f(VOID, []).ellipsis().with_convention(Convention::Fast);
    check(fast, "signature: functions of this convention cannot be variadic");
    // Callers expect all arguments to be removed.
    let this = f(VOID, [PTR, I32]).ellipsis().param(I32).with_convention(Convention::Thiscall);
    check(this, "r: -; a1: [0..4)@ecx; a2: [0..4)@sp+0; a3: [0..4)@sp+4; stack 8; pop 8");
}

#[test]
fn addresses_of_results() {
    let sret = || Signature::c(VOID).param(role(Role::StructReturn)).param(I32);
    check(sret(), "r: -; a1: [0..4)@sp+0 -> eax; a2: [0..4)@sp+4; stack 8; pop 4");
    let inreg = Param::llvm(PTR, Attrs { role: Role::StructReturn, in_reg: true, ..Attrs::default() });
    check(Signature::c(VOID).param(inreg), "r: -; a1: [0..4)@eax -> eax; pop 0");
    // Only the first argument is removed.
    let late = Signature::c(VOID).param(role(Role::Nest)).param(role(Role::StructReturn));
    check(late, "r: -; a1: [0..4)@ecx; a2: [0..4)@sp+0 -> eax; stack 4; pop 0");
    check(
        Signature::c(VOID).param(s([])).param(role(Role::StructReturn)),
        "r: -; a1: -; a2: [0..4)@sp+0 -> eax; stack 4; pop 4",
    );
    with(Convention::Fast, sret(), "r: -; a1: [0..4)@ecx -> eax; a2: [0..4)@edx; pop 0");
    with(Convention::Cold, sret(), "r: -; a1: [0..4)@sp+0 -> eax; a2: [0..4)@sp+4; stack 8; pop 4");
    with(Convention::Swift, sret(), "r: -; a1: [0..4)@sp+0; a2: [0..4)@sp+4; stack 8; pop 4");
    let this = || Signature::c(VOID).param(role(Role::StructReturn)).param(PTR).with_convention(Convention::Thiscall);
    check(this(), "r: -; a1: [0..4)@sp+0 -> eax; a2: [0..4)@ecx; stack 4; pop 4");
    assert_eq!(is(MINGW, this()), "r: -; a1: [0..4)@ecx -> eax; a2: [0..4)@sp+0; stack 4; pop 4");
}

#[test]
fn microsofts_conventions() {
    with(
        Convention::Stdcall,
        f(I64, [I8, I64]),
        "r: [0..4)@eax, [4..8)@edx; a1: [0..1)@sp+0; a2: [0..4)@sp+4, [4..8)@sp+8; stack 12; pop 12",
    );
    with(
        Convention::Fastcall,
        f(I32, []).param(reg(I32)).param(reg(I8)).param(I16).param(I8),
        "r: [0..4)@eax; a1: [0..4)@ecx; a2: [0..1)@edx; a3: [0..2)@sp+0; a4: [0..1)@sp+4; stack 8; pop 8",
    );
    // What finds no place in fastcall's table goes on to the C convention's.
    with(
        Convention::Fastcall,
        f(VOID, []).param(reg(I8)).param(reg(I8)).param(reg(I8)).param(reg(I16)).param(reg(I32)),
        "r: -; a1: [0..1)@ecx; a2: [0..1)@edx; a3: [0..1)@eax; a4: [0..2)@sp+0; a5: [0..4)@sp+4; stack 8; pop 8",
    );
    with(
        Convention::Thiscall,
        f(VOID, [PTR, I8, I64]),
        "r: -; a1: [0..4)@ecx; a2: [0..1)@sp+0; a3: [0..4)@sp+4, [4..8)@sp+8; stack 12; pop 12",
    );
    with(
        Convention::Thiscall,
        f(VOID, [I64, PTR]),
        "r: -; a1: [0..4)@ecx, [4..8)@sp+0; a2: [0..4)@sp+4; stack 8; pop 8",
    );
    with(
        Convention::Thiscall,
        Signature::c(VOID).param(role(Role::ByVal { size: 12, align: 4 })).param(I32),
        "r: -; a1: &[0..12)@ecx; a2: [0..4)@sp+0; stack 4; pop 4",
    );
    with(
        Convention::Vectorcall,
        f(VOID, []).param(reg(s([FLOAT, FLOAT, FLOAT]))).param(reg(I32)).param(FLOAT).param(reg(s([FLOAT, FLOAT]))),
        "r: -; a1: [0..4)@xmm1, [4..8)@xmm2, [8..12)@xmm3; a2: [0..4)@ecx; a3: [0..4)@xmm0; \
         a4: [0..4)@xmm4, [4..8)@xmm5; pop 0",
    );
    let six = || f(VOID, [FLOAT, FLOAT, FLOAT, FLOAT, FLOAT, FLOAT]).with_convention(Convention::Vectorcall);
    let start =
        "r: -; a1: [0..4)@xmm0; a2: [0..4)@xmm1; a3: [0..4)@xmm2; a4: [0..4)@xmm3; a5: [0..4)@xmm4; a6: [0..4)@xmm5";
    check(six().param(FLOAT).param(V4), &format!("{start}; a7: [0..4)@sp+0; a8: [0..16)@sp+16; stack 32; pop 32"));
    let ints = LlvmType::Vector { lane: LlvmScalar::Int(32), lanes: 4 };
    check(six().param(ints), &format!("{start}; a7: &[0..16)@ecx; pop 0"));
    let wide = LlvmType::Vector { lane: LlvmScalar::Int(32), lanes: 16 };
    let parts = "&[0..16)@ecx, &[16..32)@edx, &[32..48)@sp+0, &[48..64)@sp+4; stack 8; pop 8";
    check(six().param(wide), &format!("{start}; a7: {parts}"));
    check(six().param(reg(s([FLOAT]))), "argument 6: no vector registers are left for it");
    with(Convention::Vectorcall, f(VOID, [FP80]), "argument 0: x86_fp80 cannot be passed in x86_vectorcallcc");
}

#[test]
fn decorations_count_what_pointers_stand_for() {
    let spelled = |convention, signature: Signature| {
        classify(&MSVC, &signature.with_convention(convention)).unwrap().decoration.apply("f")
    };
    let bytes = || Signature::c(VOID).param(role(Role::StructReturn)).param(I8).param(byval(6, 4)).param(I64);
    assert_eq!(spelled(Convention::Stdcall, bytes()), "_f@20");
    assert_eq!(spelled(Convention::Fastcall, bytes()), "@f@20");
    assert_eq!(spelled(Convention::Vectorcall, bytes()), "f@@20");
    assert_eq!(spelled(Convention::C, bytes()), "_f");
}

#[test]
fn llvms_own_conventions() {
    let many = || f(s([I64, I32]), [I32, I8, FLOAT, DOUBLE, I64]).param(role(Role::Nest));
    let ret = "r: [0..4)@eax, [4..8)@edx, [8..12)@ecx";
    let fast = "a1: [0..4)@ecx; a2: [0..1)@edx; a3: [0..4)@xmm0; a4: [0..8)@xmm1; a5: [0..4)@sp+0, [4..8)@sp+4; \
                a6: [0..4)@eax; stack 8";
    with(Convention::Fast, many(), &format!("{ret}; {fast}; pop 0"));
    with(Convention::Tail, many(), &format!("{ret}; {fast}; pop 12"));
    let c = "a1: [0..4)@sp+0; a2: [0..1)@sp+4; a3: [0..4)@sp+8; a4: [0..8)@sp+12; a5: [0..4)@sp+20, [4..8)@sp+24; \
             a6: [0..4)@ecx; stack 28";
    with(Convention::Cold, many(), &format!("{ret}; {c}; pop 0"));
    with(Convention::Swift, many(), &format!("{ret}; {c}; pop 0"));
    with(Convention::SwiftTail, many(), &format!("{ret}; {c}; pop 28"));
    assert_eq!(
        is(MSVC, f(VOID, [I32]).with_convention(Convention::SwiftTail)),
        "r: -; a1: [0..4)@sp+0; stack 4; pop 4"
    );
    // Doubles of fastcc are aligned when no register is left.
    with(
        Convention::Fast,
        f(VOID, [FLOAT, FLOAT, FLOAT, FLOAT, DOUBLE]),
        "r: -; a1: [0..4)@xmm0; a2: [0..4)@xmm1; a3: [0..4)@xmm2; a4: [0..4)@sp+0; a5: [0..8)@sp+8; stack 16; pop 0",
    );
    let swift = || f(VOID, []).param(role(Role::SwiftSelf)).param(role(Role::SwiftAsync)).param(I32);
    with(Convention::Swift, swift(), "r: -; a1: [0..4)@sp+0; a2: [0..4)@sp+4; a3: [0..4)@sp+8; stack 12; pop 0");
    with(Convention::SwiftTail, swift(), "r: -; a1: [0..4)@ecx; a2: [0..4)@sp+0; a3: [0..4)@sp+4; stack 8; pop 12");
    let ghc = f(VOID, [I32, I8, I64]).with_convention(Convention::Ghc);
    check(ghc.clone(), "r: -; a1: [0..4)@ebx; a2: [0..1)@ebp; a3: [0..4)@edi, [4..8)@esi; pop 0");
    check(ghc.clone().param(I8), "argument 3: ghccc has no register left");
    assert_eq!(classify(&LINUX, &ghc).unwrap().preserved, RegSet::EMPTY);
    with(
        Convention::PreserveMost,
        f(VOID, []),
        "signature: the convention `preserve_mostcc` does not exist on 32-bit x86 with Linux",
    );
}

#[test]
fn memory_arguments() {
    check(
        Signature::c(VOID)
            .param(I32)
            .param(byval(4, 16))
            .param(byval(3, 1))
            .param(byval(16, 16))
            .param(byval(0, 1))
            .param(I32),
        "r: -; a1: [0..4)@sp+0; a2: copy [0..4)@sp+16; a3: copy [0..3)@sp+20; a4: copy [0..16)@sp+32; \
         a5: copy [0..0)@sp+48; a6: [0..4)@sp+52; stack 56; pop 0",
    );
    let stack =
        Param::llvm(PTR, Attrs { role: Role::ByVal { size: 4, align: 4 }, stack_align: Some(32), ..Attrs::default() });
    check(
        Signature::c(VOID).param(I32).param(stack),
        "r: -; a1: [0..4)@sp+0; a2: copy [0..4)@sp+32; stack 36; align 32; pop 0",
    );
    let preallocated = |size| role(Role::Preallocated { size, align: 4 });
    check(
        f(VOID, [I32]).param(preallocated(16)).param(I64).param(preallocated(3)),
        "r: -; a1: [0..4)@sp+0; a2: block [0..16)@block+4; a3: [0..4)@sp+20, [4..8)@sp+24; a4: block [0..3)@block+28; \
         block 32 align 16; stack 32; pop 0",
    );
}

#[test]
fn the_argument_block() {
    let block = |size| role(Role::InAlloca { size });
    let method = f(PTR, [PTR]).param(block(12)).with_convention(Convention::Thiscall);
    let abi = classify(&MSVC, &method).unwrap();
    assert_eq!(
        abi.to_string(),
        "r: [0..4)@eax; a1: [0..4)@ecx; a2: block [0..12)@block+0; block 12 align 4; stack 12; pop 12"
    );
    assert_eq!(abi.arg_block.unwrap().param, Some(1));
    check(f(VOID, [I32]).param(block(12)), "argument 1: an inalloca argument has to be the only one in memory");
    check(f(VOID, []).param(block(12)).param(I32), "argument 1: an inalloca argument has to be the last");
    let variadic = f(VOID, []).param(block(12)).ellipsis().param(I32);
    check(variadic, "r: -; a1: block [0..12)@block+0; a2: [0..4)@sp+12; block 12 align 4; stack 16; pop 0");
    let early = f(VOID, []).param(block(12)).with_convention(Convention::Thiscall);
    check(early, "argument 0: x86_thiscallcc wants `this`, a pointer, before this");
}

#[test]
fn nest() {
    let three = f(VOID, []).param(reg(I32)).param(reg(I32)).param(reg(I32));
    check(three.param(role(Role::Nest)), "argument 3: the register of `nest` has another argument");
    // LLVM passes it like an argument, and has trampolines load eax.
    let this = f(VOID, [PTR]).param(role(Role::Nest)).with_convention(Convention::Thiscall);
    check(this, "r: -; a1: [0..4)@ecx; a2: [0..4)@eax; pop 0");
    check(Signature::c(VOID).param(role(Role::SwiftError)), "argument 0: 32-bit x86 has no register for swifterror");
}

#[test]
fn c_types_stay_with_c_conventions() {
    let mixed = Signature::c(CType::I32).param(I32);
    check(mixed, "result: types of C and LLVM in one signature or convention");
    let fast = Signature::c(CType::I32).with_convention(Convention::Fast);
    check(fast, "result: types of C and LLVM in one signature or convention");
}

/// Of Windows' environments only Cygwin has callees that remove the address of the result; its `thiscall` is MinGW's.
#[test]
fn environments_of_windows() {
    let by_address = || f(VOID, []).param(role(Role::StructReturn));
    let this = || by_address().with_convention(Convention::Thiscall);
    let mingw_this = is(MINGW, this());
    for (target, popped) in [(MSVC, 0), (MINGW, 0), (ITANIUM, 0), (CYGWIN, 4)] {
        let abi = classify(&target, &by_address()).unwrap();
        assert_eq!(abi.callee_pop_bytes, popped, "{target:?}");
        assert_eq!(is(target, this()) == mingw_this, matches!(target.env, Env::Gnu | Env::Cygnus), "{target:?}");
    }
}
