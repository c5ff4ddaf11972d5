//! Conventions that one of the judges has alone: `vectorcall` is clang's and `sseregparm` GCC's, and Microsoft's targets are
//! clang's as a whole. The judge at another level stands in for the second one.

use std::collections::BTreeSet;

use gusset_tests::calls::matrix::{
    A32_BE, AARCH64_BE, Compiler, LINUX32, MICROSOFT_ARM, MICROSOFT_ARM64, MICROSOFT32, MICROSOFT64, MINGW32, MINGW64,
    Report, Run, Side, System, T32_BE,
};
use gusset_tests::calls::model::{Batch, Scalar, Signature, Type};
use gusset_tests::calls::random::{Limits, batch};
use gusset_tests::tools::{Failure, work_folder};

use super::{
    AARCH64_LIMITS, ARM_LIMITS, JUDGE_BREAKS, SIGNATURES, TYPES, Tally, WINDOWS_LIMITS, WINDOWS_NARROW_LIMITS,
    all_batches, is_narrow, lower,
};

/// Who makes the other side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Judge {
    Clang,
    Gcc,
}

/// Runs one batch between Gusset in these forms, the judge and itself.
fn check(system: &System, limits: &Limits, seed: u64, forms: &[Compiler], judge: Judge) -> Result<Tally, Failure> {
    let batch = batch(seed, TYPES, SIGNATURES, limits);
    let folder = work_folder(&format!("calls/{}{}-{}-{seed}", system.name, limits.conventions.concat(), forms[0]));
    let level = |n: u64| match judge {
        Judge::Clang => Compiler::Clang((n % 2) as u8),
        Judge::Gcc => Compiler::Gcc((n % 3) as u8),
    };
    let judges = [level(seed), level(seed + 1)];
    let mut run = Run::new(system, &folder, &batch, seed)?;
    let described = *system;
    let library = move |batch: &Batch, seed: u64, side: Side| lower::object(&described, batch, seed, side);
    run.library = Some(&library);

    let mut disputed = BTreeSet::new();
    if system.microsoft.is_some() && !system.triple.starts_with("x86_64") {
        // On 32-bit x86 clang's callers do not align what its variadic callees want aligned, on AArch64 its callees do not look where callers
        // put it.
        let vector = |ty: &Type| matches!(ty, Type::Vector(..));
        let unaligned = |s: &Signature| s.variable.as_ref().is_some_and(|more| s.params.iter().chain(more).any(vector));
        disputed.extend((0..SIGNATURES).filter(|&i| unaligned(&batch.signatures[i])));
    }
    if forms.contains(&Compiler::Library) && is_narrow(system) {
        // Of these, clang has what is floating-point in vector registers, Microsoft does not: a row of `abi/DIFFERENCES.md`.
        disputed.extend(lower::short_copies(system.triple, &batch)?);
    }
    if forms.contains(&Compiler::Library) && system.name == MICROSOFT_ARM.name {
        // On the stack clang aligns these as their members would be: a row of `abi/DIFFERENCES.md`.
        disputed.extend((0..SIGNATURES).filter(|&i| batch.passes_packed_floats(&batch.signatures[i])));
    }
    run.left_out = disputed.clone();
    for report in run.pairs(&[(judges[0], judges[1]), (judges[1], judges[0])]) {
        if report.broken.is_some() {
            return Err(Failure::new(format!("{JUDGE_BREAKS}{}", report.explain(&batch, 0))));
        }
        disputed.extend(report.faults.iter().map(|f| f.signature));
    }
    if disputed.len() > SIGNATURES / 3 {
        return Err(Failure::new(format!("the judges differ on {} signatures", disputed.len())));
    }
    // A function that expects its callee to remove less than it does comes back to no caller.
    run.left_out = disputed.clone();

    let mut pairs: Vec<_> = forms.windows(2).map(|pair| (pair[0], pair[1])).collect();
    for &us in forms {
        pairs.extend(judges.iter().flat_map(|&judge| [(us, judge), (judge, us)]));
    }
    let reports: Vec<Report> = run.pairs(&pairs);
    let explained: String = reports.iter().map(|r| r.explain(&batch, 3)).collect();
    if !explained.is_empty() {
        return Err(Failure::new(format!("{explained}see {}", folder.display())));
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(Tally { leaves: reports.iter().map(|r| r.checked).sum(), disputed: disputed.len() })
}

fn check_all(system: &System, limits: &Limits, forms: &[Compiler], judge: Judge) {
    all_batches(200, |seed| check(system, limits, seed, forms, judge));
}

const FROM_IR: [Compiler; 2] = [Compiler::Gusset(0), Compiler::Gusset(1)];

/// Microsoft's `long double` is a `double`.
const WITHOUT: &[Scalar] = &[Scalar::F16, Scalar::F80, Scalar::F128];

/// On 32-bit Windows.
const NARROW_WITHOUT: &[Scalar] = &[
    Scalar::F16,
    Scalar::F80,
    Scalar::F128,
    Scalar::Int { bytes: 16, signed: true },
    Scalar::Int { bytes: 16, signed: false },
];
const VECTORCALL: &[&str] = &["vectorcall"];

#[test]
fn big_endian_aarch64() {
    check_all(&AARCH64_BE, &AARCH64_LIMITS, &FROM_IR, Judge::Clang);
    check_all(&AARCH64_BE, &AARCH64_LIMITS, &[Compiler::Library], Judge::Clang);
}

#[test]
fn big_endian_arm() {
    check_all(&A32_BE, &ARM_LIMITS, &FROM_IR, Judge::Clang);
    check_all(&T32_BE, &ARM_LIMITS, &[Compiler::Library], Judge::Clang);
}

#[test]
fn microsoft_64() {
    let limits = Limits { conventions: VECTORCALL, without: WITHOUT, ..WINDOWS_LIMITS };
    check_all(&MICROSOFT64, &limits, &FROM_IR, Judge::Clang);
    check_all(&MICROSOFT64, &limits, &[Compiler::Library], Judge::Clang);
}

#[test]
fn microsoft_arm64() {
    let limits = Limits { conventions: &[], without: WITHOUT, vector_members: false, ..WINDOWS_LIMITS };
    check_all(&MICROSOFT_ARM64, &limits, &FROM_IR, Judge::Clang);
    check_all(&MICROSOFT_ARM64, &limits, &[Compiler::Library], Judge::Clang);
}

#[test]
fn microsoft_arm() {
    let limits = Limits { conventions: &[], without: NARROW_WITHOUT, vector_members: false, ..WINDOWS_LIMITS };
    check_all(&MICROSOFT_ARM, &limits, &FROM_IR, Judge::Clang);
    check_all(&MICROSOFT_ARM, &limits, &[Compiler::Library], Judge::Clang);
}

#[test]
fn microsoft_32() {
    let conventions = &["vectorcall", "vectorcall", "stdcall", "fastcall", "thiscall"];
    let limits = Limits { conventions, without: NARROW_WITHOUT, ..WINDOWS_NARROW_LIMITS };
    check_all(&MICROSOFT32, &limits, &FROM_IR, Judge::Clang);
    check_all(&MICROSOFT32, &limits, &[Compiler::Library], Judge::Clang);
}

#[test]
fn vectorcall_of_mingw_64() {
    let limits = Limits { conventions: VECTORCALL, without: WITHOUT, ..WINDOWS_LIMITS };
    check_all(&MINGW64, &limits, &FROM_IR, Judge::Clang);
    check_all(&MINGW64, &limits, &[Compiler::Library], Judge::Clang);
}

#[test]
fn vectorcall_of_mingw_32() {
    let limits = Limits { conventions: VECTORCALL, without: NARROW_WITHOUT, ..WINDOWS_NARROW_LIMITS };
    check_all(&MINGW32, &limits, &FROM_IR, Judge::Clang);
    check_all(&MINGW32, &limits, &[Compiler::Library], Judge::Clang);
}

#[test]
fn sseregparm() {
    // GCC aligns what is on the stack for the vectors in it.
    let limits = Limits {
        conventions: &["sseregparm"],
        without: NARROW_WITHOUT,
        vector_members: false,
        align: 8,
        ..WINDOWS_NARROW_LIMITS
    };
    check_all(&LINUX32, &limits, &[Compiler::Library], Judge::Gcc);
}
