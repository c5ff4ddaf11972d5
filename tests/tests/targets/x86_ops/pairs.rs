//! Integers of two words in 32-bit mode: the operations on those of x86-64, with half as many bits.

use gusset_tests::ops::Op;

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

/// All of them.
pub fn ops() -> Vec<Op> {
    super::wide::ops().iter().map(halve).filter(is_small).collect()
}
