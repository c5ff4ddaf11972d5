//! Windows x64 and `__vectorcall`: places that clang 19 (MSVC targets) and MinGW GCC 12 were seen to use.

mod line;

use gusset_abi::*;
use line::*;

const V4: CType = CType::Vector { lane: Scalar::Float(FloatKind::F32), lanes: 4 };

const MSVC: AbiTarget = AbiTarget { os: Os::Windows, env: Env::Msvc, ..AbiTarget::X86_64_LINUX };
const MINGW: AbiTarget = AbiTarget { os: Os::Windows, env: Env::Gnu, ..AbiTarget::X86_64_LINUX };

fn class(members: impl IntoIterator<Item = CType>, class: Class) -> CType {
    CType::record(Record::structure(members.into_iter().map(Field::new).collect()).cxx(class))
}

#[track_caller]
fn check(target: &AbiTarget, signature: &Signature, expected: &str) {
    let got = match classify(target, signature) {
        Ok(abi) => abi.to_string(),
        Err(error) => error.to_string(),
    };
    assert_eq!(got, expected);
}

#[track_caller]
fn both(signature: &Signature, expected: &str) {
    check(&MSVC, signature, expected);
    check(&MINGW, signature, expected);
}

#[test]
fn registers_by_position() {
    both(
        &f(I32, [I32, F64, CType::I8, F32, I32, F64]),
        "r: [0..4)@rax; a1: [0..4)@rcx; a2: [0..8)@xmm1; a3: [0..1)@r8; a4: [0..4)@xmm3; a5: [0..4)@sp+32; \
         a6: [0..8)@sp+40; stack 48; pop 0",
    );
    both(&f(CType::BOOL, [CType::BOOL]), "r: [0..1)@rax zx1:8; a1: [0..1)@rcx zx1:8; stack 32; pop 0");
}

#[test]
fn records_by_size() {
    both(&f(s([F32]), [s([F32, F32])]), "r: [0..4)@rax; a1: [0..8)@rcx; stack 32; pop 0");
    let three = s([CType::array(CType::I8, 3)]);
    both(&f(three.clone(), [I32, three]), "r: &[0..3)@rcx -> rax; a1: [0..4)@rdx; a2: &[0..3)@r8; stack 32; pop 0");
    check(&MINGW, &f(s([]), [s([]), I32]), "r: -; a1: &[0..0)@rcx; a2: [0..4)@rdx; stack 32; pop 0");
    both(&f(CType::complex(FloatKind::F32), []), "r: [0..8)@rax; stack 32; pop 0");
    both(&f(CType::complex(FloatKind::F64), []), "r: &[0..16)@rcx -> rax; stack 32; pop 0");
}

#[test]
fn wide_scalars_and_vectors() {
    both(&f(CType::I128, [CType::I128]), "r: [0..16)@xmm0; a1: &[0..16)@rcx; stack 32; pop 0");
    both(&f(V4, [I32, V4]), "r: [0..16)@xmm0; a1: [0..4)@rcx; a2: &[0..16)@rdx; stack 32; pop 0");
    let long = CType::LONG_DOUBLE;
    check(&MSVC, &f(long.clone(), [long.clone()]), "r: [0..8)@xmm0; a1: [0..8)@xmm0; stack 32; pop 0");
    check(&MINGW, &f(long.clone(), [long]), "r: &[0..16)@rcx -> rax; a1: &[0..16)@rdx; stack 32; pop 0");
    let two = CType::Vector { lane: Scalar::Float(FloatKind::F32), lanes: 2 };
    check(&MSVC, &f(two.clone(), [two.clone()]), "r: [0..8)@xmm0; a1: &[0..8)@rcx; stack 32; pop 0");
    check(&MINGW, &f(two.clone(), [two]), "r: [0..8)@rax; a1: [0..8)@rcx; stack 32; pop 0");
    let wide = CType::Vector { lane: Scalar::Float(FloatKind::F32), lanes: 8 };
    both(&f(VOID, [wide]), "argument 0: a vector of 32 bytes, wider than the enabled registers");
}

#[test]
fn unnamed_floats_are_in_both_registers() {
    both(
        &f(VOID, [I32, F32]).ellipsis().param(F64).param(I32).param(F64),
        "r: -; a1: [0..4)@rcx; a2: [0..4)@xmm1; a3: [0..8)@xmm2+r8; a4: [0..4)@r9; a5: [0..8)@sp+32; stack 40; pop 0",
    );
    let abi = classify(&MSVC, &f(VOID, [I32, F32]).ellipsis()).unwrap();
    let area = abi.variadic.unwrap();
    assert_eq!(area.fields[0].init, VaInit::StackArgs { offset: 16 });
    let save = area.save_area.unwrap();
    assert_eq!((save.place, save.slots.len(), save.slots[0].offset), (SaveAreaPlace::HomeSpace, 2, 16));
    let step = |ty: CType| va_arg(&MSVC, Convention::C, &ty.into()).unwrap()[0].clone();
    assert!(step(s([F64, F64])).indirect && !step(s([F64])).indirect);
}

#[test]
fn classes() {
    let plain = class([I32], Class::PLAIN);
    let private = class([I32], Class { aggregate: false, ..Class::PLAIN });
    let owning = class([I32], Class::NON_TRIVIAL);
    both(&f(plain.clone(), []), "r: [0..4)@rax; stack 32; pop 0");
    check(&MSVC, &f(private.clone(), []), "r: &[0..4)@rcx -> rax; stack 32; pop 0");
    check(&MINGW, &f(private.clone(), [private]), "r: [0..4)@rax; a1: [0..4)@rcx; stack 32; pop 0");
    both(&f(owning.clone(), [owning.clone()]), "r: &[0..4)@rcx -> rax; a1: &[0..4)@rdx; stack 32; pop 0");
    let method = f(plain, [CType::PTR, I32]).member(Member::Method);
    check(&MSVC, &method, "r: &[0..4)@rdx -> rax; a1: [0..8)@rcx; a2: [0..4)@r8; stack 32; pop 0");
    check(&MINGW, &method, "r: [0..4)@rax; a1: [0..8)@rcx; a2: [0..4)@rdx; stack 32; pop 0");
    let method = f(owning, [CType::PTR]).member(Member::Method);
    check(&MINGW, &method, "r: &[0..4)@rcx -> rax; a1: [0..8)@rdx; stack 32; pop 0");
    let constructor = f(VOID, [CType::PTR]).member(Member::Constructor);
    assert_eq!(classify(&MSVC, &constructor).unwrap().returns_this, Some(x86::RAX));
    assert_eq!(classify(&MINGW, &constructor).unwrap().returns_this, None);
}

#[test]
fn vectorcall() {
    let v = |ret, params: &[&CType]| {
        let start = Signature::c(ret).with_convention(Convention::Vectorcall);
        params.iter().fold(start, |s, p| s.param((*p).clone()))
    };
    let (h2, h4, d2) = (s([V4, V4]), s([V4, V4, V4, V4]), s([F64, F64]));
    let (f1, f3, d4) = (s([F32]), s([F32, F32, F32]), s([F64, F64, F64, F64]));
    let first = v(VOID, &[&I32, &V4, &F64, &h2, &h4, &I32, &V4]);
    both(
        &first,
        "r: -; a1: [0..4)@rcx; a2: [0..16)@xmm1; a3: [0..8)@xmm2; a4: [0..16)@xmm0, [16..32)@xmm3; a5: &[0..64)@sp+32; \
         a6: [0..4)@sp+40; a7: &[0..16)@sp+48; stack 56; pop 0",
    );
    assert_eq!(classify(&MSVC, &first).unwrap().decoration.apply("f"), "f@@152");
    both(
        &v(VOID, &[&d2, &d2, &d2, &f3, &I32, &F64, &f1]),
        "r: -; a1: [0..8)@xmm0, [8..16)@xmm1; a2: [0..8)@xmm2, [8..16)@xmm3; a3: &[0..16)@r8; a4: &[0..12)@r9; \
         a5: [0..4)@sp+32; a6: [0..8)@xmm5; a7: [0..4)@xmm4; stack 48; pop 0",
    );
    both(
        &v(VOID, &[&I32, &I32, &I32, &I32, &I32, &d2, &d2, &d4, &f1]),
        "r: -; a1: [0..4)@rcx; a2: [0..4)@rdx; a3: [0..4)@r8; a4: [0..4)@r9; a5: [0..4)@sp+32; \
         a6: [0..8)@xmm0, [8..16)@xmm1; a7: [0..8)@xmm2, [8..16)@xmm3; a8: &[0..32)@sp+48; a9: [0..4)@xmm4; stack 56; pop 0",
    );
    both(&v(d4, &[]), "r: [0..8)@xmm0, [8..16)@xmm1, [16..24)@xmm2, [24..32)@xmm3; stack 32; pop 0");
    both(&v(s([F32, F64]), &[]), "r: &[0..16)@rcx -> rax; stack 32; pop 0");
    let short = CType::Vector { lane: Scalar::Float(FloatKind::F32), lanes: 2 };
    both(&v(short.clone(), &[&I32, &short]), "r: [0..8)@xmm0; a1: [0..4)@rcx; a2: [0..8)@xmm1; stack 32; pop 0");
    let many = v(VOID, &[&V4, &V4, &V4, &V4, &V4, &V4, &short]);
    assert!(classify(&MSVC, &many).unwrap().to_string().contains("a7: &[0..8)@sp+48"));
    // MSVC: a class in vector registers though it has a constructor; vectors that other methods return in memory.
    let pair = class([V4, V4], Class { aggregate: false, ..Class::PLAIN });
    both(&v(pair.clone(), &[]), "r: [0..16)@xmm0, [16..32)@xmm1; stack 32; pop 0");
    let method = |ret: &CType| Signature::c(ret.clone()).param(CType::PTR).member(Member::Method);
    let in_vectorcall = |ret: &CType| method(ret).with_convention(Convention::Vectorcall);
    check(&MSVC, &in_vectorcall(&pair), "r: [0..16)@xmm0, [16..32)@xmm1; a1: [0..8)@rcx; stack 32; pop 0");
    check(&MSVC, &in_vectorcall(&V4), "r: [0..16)@xmm0; a1: [0..8)@rcx; stack 32; pop 0");
    check(&MSVC, &in_vectorcall(&short), "r: &[0..8)@rdx -> rax; a1: [0..8)@rcx; stack 32; pop 0");
    check(&MSVC, &method(&V4), "r: &[0..16)@rdx -> rax; a1: [0..8)@rcx; stack 32; pop 0");
    check(&MINGW, &method(&V4), "r: [0..16)@xmm0; a1: [0..8)@rcx; stack 32; pop 0");
    both(&v(VOID, &[]).ellipsis(), "signature: a variadic function cannot be __vectorcall");
}

#[test]
fn ms_abi_elsewhere() {
    let signature = f(VOID, [F64, I32]).with_convention(Convention::Win64);
    check(&AbiTarget::X86_64_LINUX, &signature, "r: -; a1: [0..8)@xmm0; a2: [0..4)@rdx; stack 32; pop 0");
    let sysv = f(VOID, [F64, I32]).with_convention(Convention::SysV64);
    both(&sysv, "r: -; a1: [0..8)@xmm0; a2: [0..4)@rdi; pop 0");
    let abi = classify(&AbiTarget::X86_64_LINUX, &signature).unwrap();
    assert!(abi.preserved.contains(Reg::float(6)) && abi.preserved.contains(x86::RSI) && abi.red_zone == 0);
}
