//! Operations that x86-64 has no single instruction for, compared with `llc` on edge values and random ones, among few
//! values and among more than there are registers.

use gusset_tests::ops::{Op, check};
use gusset_tests::tools::Failure;

mod x86_ops {
    pub mod atomic;
    pub mod soft;
    pub mod wide;
}

use x86_ops::{atomic, soft, wide};

#[test]
fn wide_integers() -> Result<(), Failure> {
    check("wide", &wide::ops(), "", &[])
}

#[test]
fn wide_integers_with_bit_counting() -> Result<(), Failure> {
    let counting: Vec<Op> = wide::ops().into_iter().filter(|op| op.name.starts_with("ct")).collect();
    check("wide_counting", &counting, "", &["popcnt", "lzcnt", "bmi"])
}

#[test]
fn atomics() -> Result<(), Failure> {
    check("atomic", &atomic::ops(), "", &[])
}

#[test]
fn wide_atomics() -> Result<(), Failure> {
    check("atomic_wide", &atomic::wide(), "", &["cx16"])
}

#[test]
fn wide_atomics_by_the_library() -> Result<(), Failure> {
    check("atomic_library", &atomic::wide(), "", &[])
}

#[test]
fn formats_without_instructions() -> Result<(), Failure> {
    check("soft", &soft::ops(), "", &[])
}
