//! Conformance of calls: random C signatures, each a caller and a callee in files of their own, made by Gusset, by GCC
//! and by clang, in every pairing that has Gusset on one side. Gusset makes each side three times: from clang's IR at
//! `-O0` and at `-O1`, which clang has lowered to what LLVM passes, and through its own library from the C signature. Every bit of every
//! argument and result that has a meaning is compared, the alignment of the stack and of what lies on it, the widening
//! of small integers, and that the callee's writes to its parameters do not reach the caller's variables.
//!
//! Conventions that only one of GCC and clang has, and Microsoft's targets, are in `alone.rs`.
//!
//! `GUSSET_CALLS=50000` compares more signatures than the usual 1000 (400 in 32-bit mode, 200 for Windows, under Wine); `GUSSET_CALLS_SEED=1000` starts elsewhere.
//!
//! A batch in which a judge crashes is left out.
//!
//! # Where GCC and clang differ
//!
//! Each batch is first run between GCC and clang, and between levels of clang. They are known to differ in what
//! [`Dispute`] lists; everything else on which they differ is a failure, for then the generator makes something whose
//! meaning is not settled. Of the signatures on which they do differ, those with a 16-byte integer are compared with GCC
//! alone, which Gusset follows (System V AMD64 psABI 3.2.3: an argument that does not fit leaves the registers free for those
//! after it); the others are not compared.
//!
//! Not generated, because they would differ every time:
//! - a vector of 32 bytes returned without AVX: GCC returns it in memory, clang in two registers;
//! - structs whose members have no names, which C leaves undefined (C17 6.7.2.1, paragraph 8);
//! - bit-fields without a name that have a width: GCC counts them as integers, clang does not count them;
//! - bit-fields of width zero in unions.

mod alone;
mod lower;

use std::collections::{BTreeMap, BTreeSet};

use gusset_tests::calls::matrix::{
    A32, AARCH64, ARM_SOFT, ARM_V5, Compiler, LINUX, LINUX_X87, LINUX32, MINGW32, MINGW64, Report, Run, System, T32,
};
use gusset_tests::calls::model::{Batch, Dispute, Scalar, Signature};
use gusset_tests::calls::random::{Limits, batch};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, work_folder};

const LIMITS: Limits = Limits {
    params: 20,
    vector: 32,
    passed_vector: 32,
    returned_vector: 16,
    least_vector: 8,
    align: 64,
    vector_members: true,
    empty: true,
    conventions: &[],
    without: &[],
};

/// On 32-bit x86 there are no 16-byte integers, and the compilers disagree on `__float128`, on vectors narrower than a register
/// and on arguments aligned to more than 16 bytes.
const NARROW_LIMITS: Limits = Limits {
    align: 16,
    vector: 16,
    passed_vector: 16,
    least_vector: 16,
    conventions: &["stdcall", "fastcall", "thiscall", "regparm(1)", "regparm(2)", "regparm(3)"],
    without: &[
        Scalar::F16,
        Scalar::F128,
        Scalar::Int { bytes: 16, signed: true },
        Scalar::Int { bytes: 16, signed: false },
    ],
    ..LIMITS
};

/// Without SSE there are no registers for vectors.
const X87_LIMITS: Limits = Limits { vector: 0, passed_vector: 0, vector_members: false, ..NARROW_LIMITS };

/// On Windows the compilers disagree on `_Float16`, on `__float128`, on vectors narrower than a register, on empty structs, and on the alignment
/// of copies beyond 16 bytes.
const WINDOWS_LIMITS: Limits = Limits {
    vector: 16,
    passed_vector: 16,
    least_vector: 16,
    align: 16,
    empty: false,
    conventions: &["sysv_abi"],
    without: &[Scalar::F16, Scalar::F128],
    ..LIMITS
};

/// Functions of Windows on Linux, where the compilers disagree on results of `long double`, too.
const CROSSING_LIMITS: Limits =
    Limits { conventions: &["ms_abi"], without: &[Scalar::F16, Scalar::F80, Scalar::F128], ..WINDOWS_LIMITS };

/// 32-bit Windows.
const WINDOWS_NARROW_LIMITS: Limits =
    Limits { empty: false, conventions: &["stdcall", "fastcall", "thiscall"], ..NARROW_LIMITS };

/// The library refuses to pass a vector that is wider than the enabled features' registers by itself; clang has split such
/// a vector, or put it into memory, before Gusset sees it.
const LIBRARY_LIMITS: Limits = Limits { passed_vector: 16, ..LIMITS };

/// On AArch64 `long double` is binary128, and a second name of this would say nothing. GCC's callers do not align copies of
/// what is aligned to more than 16 bytes.
const AARCH64_LIMITS: Limits = Limits {
    align: 16,
    vector: 16,
    passed_vector: 16,
    conventions: &["aarch64_vector_pcs"],
    without: &[Scalar::F80],
    ..LIMITS
};

/// On 32-bit ARM `long double` is a `double`, and GCC has no `_Float16`. Alignment beyond 8 bytes is none for arguments.
const ARM_LIMITS: Limits = Limits {
    align: 8,
    vector: 16,
    passed_vector: 16,
    conventions: &[],
    without: &[
        Scalar::F16,
        Scalar::F80,
        Scalar::F128,
        Scalar::Int { bytes: 16, signed: true },
        Scalar::Int { bytes: 16, signed: false },
    ],
    ..LIMITS
};

/// Without registers for vectors the compilers disagree on these.
const ARM_SOFT_LIMITS: Limits = Limits { vector: 0, passed_vector: 0, vector_members: false, ..ARM_LIMITS };

/// Signatures, and types for them, in one batch: few enough for a readable folder, enough to spread the cost of linking.
const SIGNATURES: usize = 200;
const TYPES: usize = 60;

fn number(variable: &str, default: usize) -> usize {
    std::env::var(variable)
        .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable} is to be a number, not {text}")))
}

/// Is it 32-bit x86?
fn is_narrow(system: &System) -> bool {
    system.triple.starts_with("i686")
}

/// Where clang's callees remove another number of bytes than its callers think ([`Dispute::Pops`]), a program may end.
const JUDGE_BREAKS: &str = "clang does not survive its own calls: ";

/// The signatures on which the judges differ, with the reason known.
fn disputed(
    system: &System,
    windows: bool,
    batch: &Batch,
    reports: &[Report],
) -> Result<BTreeMap<usize, Dispute>, Failure> {
    use Compiler::Clang;
    let mut disputed = BTreeMap::new();
    for report in reports {
        if report.broken.is_some() {
            let by_clang = matches!((report.caller, report.callee), (Clang(_), Clang(_)));
            let why = if windows && is_narrow(system) && by_clang { JUDGE_BREAKS } else { "" };
            return Err(Failure::new(format!("{why}{}", report.explain(batch, 0))));
        }
        for fault in &report.faults {
            match batch.dispute(&batch.signatures[fault.signature]) {
                _ if is_narrow(system) && matches!((report.caller, report.callee), (Clang(_), Clang(_))) => {
                    disputed.insert(fault.signature, Dispute::Pops);
                }
                _ if is_narrow(system) => drop(disputed.insert(fault.signature, Dispute::Narrow)),
                None if windows => drop(disputed.insert(fault.signature, Dispute::Windows)),
                Some(reason) => drop(disputed.insert(fault.signature, reason)),
                None => {
                    let mut alone = report.explain_one(batch, fault);
                    alone.insert_str(0, "the judges differ: ");
                    return Err(Failure::new(alone));
                }
            }
        }
    }
    // On 32-bit x86 they follow different documents: a quarter of what they make differs.
    if disputed.len() > if is_narrow(system) { SIGNATURES / 2 } else { SIGNATURES / 10 } {
        return Err(Failure::new(format!("the judges differ on {} signatures", disputed.len())));
    }
    Ok(disputed)
}

struct Tally {
    leaves: u64,
    disputed: usize,
}

/// What GCC finds on the stack of 32-bit Windows, it leaves there, where nothing is aligned to more than a word.
fn without_misaligned(report: &mut Report) {
    report.faults.iter_mut().for_each(|f| f.what.retain(|what| !what.ends_with(" misaligned")));
    report.faults.retain(|f| !f.what.is_empty());
}

/// Runs one batch in all pairings of Gusset in these forms with the judges and with itself.
fn check(system: &System, limits: &Limits, seed: u64, forms: &[Compiler]) -> Result<Tally, Failure> {
    use Compiler::{Clang, Gcc};
    let batch = batch(seed, TYPES, SIGNATURES, limits);
    let crossing = if limits.conventions.contains(&"ms_abi") { "crossing-" } else { "" };
    let folder = work_folder(&format!("calls/{}{crossing}{}-{seed}", system.name, forms[0]));
    let windows = system.windows || !crossing.is_empty();
    let (gcc, clang) = (Gcc((seed % 3) as u8), Clang((seed / 3 % 2) as u8));

    let judges = [(gcc, clang), (clang, gcc), (Clang(0), Clang(1))];
    let mut run = Run::new(system, &folder, &batch, seed)?;
    let described = *system;
    let library = move |batch: &Batch, seed: u64, side| lower::object(&described, batch, seed, side);
    run.library = Some(&library);
    let judged = run.pairs(&judges);
    // Where GCC's calls of what clang made end the program, or the reverse, clang alone is the judge.
    let by_gcc = |caller: Compiler, callee: Compiler| caller == gcc || callee == gcc;
    let gcc_fails = judged
        .iter()
        .filter(|r| by_gcc(r.caller, r.callee))
        .any(|r| windows && r.broken.is_some() || is_narrow(system) && r.faults.len() > SIGNATURES / 2);
    let mut judged: Vec<Report> = judged.into_iter().filter(|r| !(gcc_fails && by_gcc(r.caller, r.callee))).collect();
    if system.windows && is_narrow(system) {
        judged.iter_mut().filter(|r| by_gcc(r.caller, r.callee)).for_each(without_misaligned);
    }
    let mut disputed = disputed(system, windows, &batch, &judged)?;
    if windows {
        // Bit-fields of packed structs lie elsewhere with GCC: whether that shows is up to what is in the gaps.
        let packed = |(_, s): &(usize, &Signature)| batch.dispute(s) == Some(Dispute::Packed);
        disputed.extend(batch.signatures.iter().enumerate().filter(packed).map(|(i, _)| (i, Dispute::Packed)));
        // clang's known fault in System V calls.
        let wide =
            |(_, s): &(usize, &Signature)| batch.dispute(s) == Some(Dispute::WideInteger) && s.convention.is_some();
        disputed.extend(batch.signatures.iter().enumerate().filter(wide).map(|(i, _)| (i, Dispute::WideInteger)));
        // Those of unions count otherwise, too.
        let fields = batch.signatures.iter().enumerate().filter(|(_, s)| batch.has_bit_field(s));
        for (i, _) in fields {
            disputed.entry(i).or_insert(Dispute::Windows);
        }
    }

    let mut ours: Vec<_> = forms.windows(2).map(|pair| (pair[0], pair[1])).collect();
    for &us in forms {
        ours.extend(
            [(us, gcc), (gcc, us), (us, clang), (clang, us)].iter().filter(|p| !(gcc_fails && by_gcc(p.0, p.1))),
        );
    }
    let (with_gcc, others): (Vec<_>, Vec<_>) = ours.into_iter().partition(|p| by_gcc(p.0, p.1));
    let mut reports = run.pairs(&others);
    // A function that expects its callee to remove less than it does comes back to no caller: whatever then happens is no
    // answer. clang, on the same signatures, agrees with itself.
    let pops = |i: &&usize| matches!(batch.signatures[**i].convention, Some("stdcall" | "fastcall" | "thiscall"));
    if is_narrow(system) {
        run.left_out = disputed.keys().filter(pops).copied().collect();
    }
    reports.extend(run.pairs(&with_gcc));
    // What the library makes of C signatures follows one of the judges where they differ.
    let wrong_with = |judge: Compiler| -> BTreeSet<usize> {
        let theirs = reports.iter().filter(|r| r.caller == judge || r.callee == judge);
        theirs.flat_map(|r| r.faults.iter().map(|f| f.signature)).collect()
    };
    let follows_one: BTreeSet<usize> = if forms.contains(&Compiler::Library) {
        let (with_gcc, with_clang) = (wrong_with(gcc), wrong_with(clang));
        with_gcc.symmetric_difference(&with_clang).copied().collect()
    } else {
        BTreeSet::new()
    };
    for report in &mut reports {
        let with_clang = report.caller == clang || report.callee == clang;
        let with_gcc = report.caller == gcc || report.callee == gcc;
        if with_gcc && system.windows && is_narrow(system) {
            without_misaligned(report);
        }
        report.faults.retain(|fault| match disputed.get(&fault.signature) {
            None => true,
            // Gusset's own sides have to agree with each other, too, unless clang has written out the `va_arg`.
            Some(Dispute::WideInteger) => with_gcc || !with_clang,
            Some(Dispute::Narrow) if follows_one.contains(&fault.signature) => false,
            Some(Dispute::Windows | Dispute::Narrow) => !with_gcc,
            Some(_) => false,
        });
    }
    let explained: String = reports.iter().map(|r| r.explain(&batch, 3)).collect();
    if !explained.is_empty() {
        return Err(Failure::new(format!("{explained}see {}", folder.display())));
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(Tally { leaves: reports.iter().map(|r| r.checked).sum(), disputed: disputed.len() })
}

/// Checks batches enough for `usual` signatures, or as many as are asked for; `check` is given a batch's seed.
fn all_batches(usual: usize, check: impl Fn(u64) -> Result<Tally, Failure> + Sync) {
    let (wanted, first) = (number("GUSSET_CALLS", usual), number("GUSSET_CALLS_SEED", 0));
    let batches = wanted.div_ceil(SIGNATURES);
    let (mut leaves, mut disputed, mut crashed, mut failures) = (0, 0, 0, Vec::new());
    for (i, result) in parallel::map(batches, |i| check((first + i) as u64)).into_iter().enumerate() {
        match result {
            Ok(tally) => {
                leaves += tally.leaves;
                disputed += tally.disputed;
            }
            // Clang 19 does not survive every union, and says so.
            Err(f) if ["PLEASE submit a bug report", JUDGE_BREAKS].iter().any(|text| f.to_string().contains(text)) => {
                println!("left out: {f}");
                crashed += 1;
            }
            Err(f) => failures.push(format!("batch {}: {f}", first + i)),
        }
    }
    assert!(crashed <= 1 + batches / 100 && crashed < batches, "{crashed} of {batches} batches crash a judge");
    let compared = (batches - crashed) * SIGNATURES;
    println!("{compared} signatures, {leaves} leaves compared, {disputed} signatures disputed");
    let shown: Vec<_> = failures.iter().take(4).map(String::as_str).collect();
    assert!(failures.is_empty(), "{} of {batches} batches fail; the first:\n{}", failures.len(), shown.join("\n"));
}

fn check_all(system: &System, limits: &Limits, forms: &[Compiler], usual: usize) {
    all_batches(usual, |seed| check(system, limits, seed, forms));
}

#[test]
fn compiled_from_ir() {
    check_all(&LINUX, &LIMITS, &[Compiler::Gusset(0), Compiler::Gusset(1)], 1000);
}

#[test]
fn built_from_c_signatures() {
    check_all(&LINUX, &LIBRARY_LIMITS, &[Compiler::Library], 1000);
}

#[test]
fn compiled_from_ir_for_windows() {
    check_all(&MINGW64, &WINDOWS_LIMITS, &[Compiler::Gusset(0), Compiler::Gusset(1)], 200);
}

#[test]
fn built_from_c_signatures_for_windows() {
    check_all(&MINGW64, &WINDOWS_LIMITS, &[Compiler::Library], 200);
}

#[test]
fn compiled_from_ir_for_windows_in_32_bits() {
    check_all(&MINGW32, &WINDOWS_NARROW_LIMITS, &[Compiler::Gusset(0), Compiler::Gusset(1)], 200);
}

#[test]
fn built_from_c_signatures_for_windows_in_32_bits() {
    check_all(&MINGW32, &WINDOWS_NARROW_LIMITS, &[Compiler::Library], 200);
}

#[test]
fn functions_of_windows_on_linux() {
    check_all(&LINUX, &CROSSING_LIMITS, &[Compiler::Gusset(0), Compiler::Gusset(1)], 200);
    check_all(&LINUX, &CROSSING_LIMITS, &[Compiler::Library], 200);
}

#[test]
fn compiled_from_ir_in_32_bits() {
    check_all(&LINUX32, &NARROW_LIMITS, &[Compiler::Gusset(0), Compiler::Gusset(1)], 400);
}

#[test]
fn built_from_c_signatures_in_32_bits() {
    check_all(&LINUX32, &NARROW_LIMITS, &[Compiler::Library], 400);
}

#[test]
fn compiled_from_ir_without_sse() {
    check_all(&LINUX_X87, &X87_LIMITS, &[Compiler::Gusset(0), Compiler::Gusset(1)], 200);
}

#[test]
fn built_from_c_signatures_without_sse() {
    check_all(&LINUX_X87, &X87_LIMITS, &[Compiler::Library], 200);
}

#[test]
fn compiled_from_ir_for_aarch64() {
    check_all(&AARCH64, &AARCH64_LIMITS, &[Compiler::Gusset(0), Compiler::Gusset(1)], 200);
}

#[test]
fn built_from_c_signatures_for_aarch64() {
    check_all(&AARCH64, &AARCH64_LIMITS, &[Compiler::Library], 200);
}

#[test]
fn compiled_from_ir_for_arm() {
    check_all(&A32, &ARM_LIMITS, &[Compiler::Gusset(0), Compiler::Gusset(1)], 200);
    check_all(&ARM_SOFT, &ARM_SOFT_LIMITS, &[Compiler::Gusset(0), Compiler::Gusset(1)], 200);
}

#[test]
fn built_from_c_signatures_for_arm() {
    check_all(&T32, &ARM_LIMITS, &[Compiler::Library], 200);
    check_all(&ARM_V5, &ARM_SOFT_LIMITS, &[Compiler::Library], 200);
}

/// The functions of both sides are in memory, the judges' too.
#[test]
fn in_memory() {
    const fn placed(name: &'static str, system: System) -> System {
        System { name, in_memory: true, ..system }
    }
    let (ir, library) = (&[Compiler::Gusset(1)], &[Compiler::Library]);
    check_all(&placed("memory-", LINUX), &LIMITS, ir, 60);
    check_all(&placed("memory-crossing-", LINUX), &CROSSING_LIMITS, library, 60);
    check_all(&placed("memory32-", LINUX32), &NARROW_LIMITS, ir, 60);
    check_all(&placed("memory-aarch64-", AARCH64), &AARCH64_LIMITS, ir, 60);
    check_all(&placed("memory-a32-", A32), &ARM_LIMITS, ir, 60);
    check_all(&placed("memory-t32-", T32), &ARM_LIMITS, library, 60);
}

/// The checks are able to fail: callees that expect and return other values are noticed in every signature that passes any.
#[test]
fn wrong_values_are_noticed() -> Result<(), Failure> {
    let seed = 900_000;
    let batch = batch(seed, 20, 60, &LIMITS);
    let folder = work_folder("calls/skewed");
    let mut run = Run::new(&LINUX, &folder, &batch, seed)?;
    run.callee_flags = &["-DGT_SKEW=1"];
    let reports = run.pairs(&[(Compiler::Clang(1), Compiler::Gcc(1))]);
    let noticed: BTreeSet<usize> = reports[0].faults.iter().map(|f| f.signature).collect();
    for (i, signature) in batch.signatures.iter().enumerate() {
        let types = signature.params.iter().chain(signature.variable.iter().flatten()).chain(&signature.result);
        // Two bits or so may come out the same by chance; 8 bytes do not.
        let leaves = types.filter(|ty| batch.has_value(ty) && batch.rough_size(ty) >= 8).count();
        assert!(leaves == 0 || noticed.contains(&i), "signature {i} passes unnoticed; see {}", folder.display());
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
