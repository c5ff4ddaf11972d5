//! Operations in 32-bit mode, compared with `llc` on edge values and random ones; see `x86_ops`.

use gusset_tests::ops::{I386, I386_PIC, Op, check_on};
use gusset_tests::tools::Failure;

mod x86_ops {
    pub mod atomic;
    pub mod float;
    pub mod int;
    pub mod legal;
    pub mod memory;
    pub mod wide;
}

use x86_ops::{atomic, float, int, legal, memory, wide};

/// Is it something that this machine can do? `va_arg` is tried on lists of x86-64, no library of 32-bit machines divides or
/// converts integers of more than 64 bits, and none accesses them at once.
fn fits(op: &Op) -> bool {
    let calls = ["div ", "rem ", "itofp ", "fpto", "atomic", "cmpxchg", ".fpto", "switch "];
    let wide = |line: &str| {
        line.split(|c: char| !c.is_ascii_alphanumeric())
            .filter_map(|word| word.strip_prefix('i')?.parse::<u32>().ok())
            .any(|bits| bits > 64)
    };
    let refused = |line: &str| line.contains("va_arg") || calls.iter().any(|c| line.contains(c)) && wide(line);
    !op.body.lines().any(refused)
}

fn fitting(ops: Vec<Op>) -> Vec<Op> {
    ops.into_iter().filter(fits).collect()
}

#[test]
fn integers() -> Result<(), Failure> {
    check_on(&I386, "i386_int", &fitting(int::ops()), "", &[])
}

#[test]
fn integers_with_extensions() -> Result<(), Failure> {
    let affected = ["ct", "shl", "lshr", "ashr"];
    let ops: Vec<Op> = int::ops().into_iter().filter(|op| affected.iter().any(|a| op.name.starts_with(a))).collect();
    check_on(&I386, "i386_int_extensions", &ops, "", &["popcnt", "lzcnt", "bmi", "bmi2"])
}

#[test]
fn floats() -> Result<(), Failure> {
    check_on(&I386, "i386_float", &fitting(float::ops()), "", &[])
}

#[test]
fn atomics() -> Result<(), Failure> {
    check_on(&I386, "i386_atomic", &fitting(atomic::ops()), "", &[])
}

#[test]
fn unaligned_atomics() -> Result<(), Failure> {
    check_on(&I386, "i386_atomic_unaligned", &fitting(atomic::unaligned()), "", &[])
}

#[test]
fn blocks_of_memory() -> Result<(), Failure> {
    check_on(&I386, "i386_memory", &fitting(memory::ops()), "", &[])
}

#[test]
fn what_is_rewritten() -> Result<(), Failure> {
    check_on(&I386, "i386_legal", &fitting(legal::ops()), "", &[])
}

#[test]
fn wide_integers() -> Result<(), Failure> {
    check_on(&I386, "i386_wide", &fitting(wide::ops()), "", &[])
}

/// A word of an operation on 128 and 64 bits, for 64 and 32.
fn halved(word: &str) -> &str {
    match word {
        "i128" => "i64",
        "i64" => "i32",
        "63" => "31",
        "64" => "32",
        "65" => "33",
        "100" => "50",
        "127" => "63",
        "4294967296" => "65536",
        "9223372036854775808" => "2147483648",
        "9223372036854775809" => "2147483649",
        "18446744073709551615" => "4294967295",
        "18446744073709551616" => "4294967296",
        "36893488147419103239" => "8589934599",
        "170141183460469231731687303715884105727" => "9223372036854775807",
        other => other,
    }
}

/// An operation on integers of two words of x86-64 as one on those of this machine.
fn halve(op: &Op) -> Op {
    let mut body = String::new();
    for piece in op.body.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        let end = piece.trim_end_matches(|c: char| !c.is_ascii_alphanumeric() && c != '_').len();
        body.push_str(halved(&piece[..end]));
        body.push_str(&piece[end..]);
    }
    let mut op = op.clone();
    op.body = body;
    for (ty, kind) in &mut op.operands {
        *ty = halved(ty);
        *kind = if *kind == 'S' { 's' } else { *kind };
    }
    op.results.iter_mut().for_each(|ty| *ty = halved(ty));
    op
}

/// Is there still something that only x86-64 has?
fn is_small(op: &Op) -> bool {
    let digits = |word: &str| word.bytes().all(|b| b.is_ascii_digit()) && word.len() > 19;
    let same = |line: &str| ["ext i32 ", "trunc i32 "].iter().any(|t| line.contains(t)) && line.ends_with("to i32");
    !op.body.split(|c: char| !c.is_ascii_alphanumeric()).any(digits) && !op.body.lines().any(same)
}

#[test]
fn integers_of_two_words() -> Result<(), Failure> {
    let ops: Vec<Op> = wide::ops().iter().map(halve).filter(is_small).collect();
    check_on(&I386, "i386_pairs", &ops, "", &[])
}

#[test]
fn integers_of_two_words_with_bit_counting() -> Result<(), Failure> {
    let ops: Vec<Op> = wide::ops().iter().filter(|op| op.name.starts_with("ct")).map(halve).collect();
    check_on(&I386, "i386_pairs_counting", &ops, "", &["popcnt", "lzcnt", "bmi"])
}

#[test]
fn code_for_any_address() -> Result<(), Failure> {
    check_on(&I386_PIC, "i386_pic_int", &fitting(int::ops()), "", &[])?;
    check_on(&I386_PIC, "i386_pic_atomic", &fitting(atomic::ops()), "", &[])?;
    let pairs: Vec<Op> = wide::ops().iter().map(halve).filter(is_small).collect();
    check_on(&I386_PIC, "i386_pic_pairs", &pairs, "", &[])
}
