//! Operations that x86 has no single instruction for, compared with `llc` on edge values and random ones, among few
//! values and among more than there are registers, in both modes.

use gusset_tests::ops::{Mode, Op, check, check_in};
use gusset_tests::tools::{Failure, gusset, limited, llc, succeed, work_folder};

mod atomic;
mod fixed;
mod float;
mod int;
mod legal;
mod machine;
mod memory;
mod mmx;
mod pairs;
mod soft;
mod strict;
mod wide;
mod wide_lanes;
mod wider;

#[test]
fn wide_integers() -> Result<(), Failure> {
    check("wide", &wide::ops(), "", &[])
}

#[test]
fn wider_integers() -> Result<(), Failure> {
    check("wider", &wider::ops(), "", &[])
}

#[test]
fn lanes_of_two_registers() -> Result<(), Failure> {
    check("wide_lanes", &wide_lanes::ops(), "", &[])
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
fn unaligned_atomics() -> Result<(), Failure> {
    check("atomic_unaligned", &atomic::unaligned(), "", &[])
}

#[test]
fn formats_without_instructions() -> Result<(), Failure> {
    check("soft", &soft::ops(), "", &[])
}

#[test]
fn integers() -> Result<(), Failure> {
    check("int", &int::ops(), "", &[])
}

#[test]
fn quotients_by_constants() -> Result<(), Failure> {
    check("divisors", &int::divisors(), "", &[])
}

#[test]
fn integers_with_extensions() -> Result<(), Failure> {
    let affected = ["ct", "shl", "lshr", "ashr"];
    let ops: Vec<Op> = int::ops().into_iter().filter(|op| affected.iter().any(|a| op.name.starts_with(a))).collect();
    check("int_extensions", &ops, "", &["popcnt", "lzcnt", "bmi", "bmi2"])
}

#[test]
fn floats() -> Result<(), Failure> {
    check("float", &float::ops(), "", &[])
}

#[test]
fn floats_with_rounding() -> Result<(), Failure> {
    let names = ["floor", "ceil", "trunc", "rint", "nearbyint", "round"];
    let ops: Vec<Op> = float::ops().into_iter().filter(|op| names.iter().any(|n| op.name.starts_with(n))).collect();
    check("float_rounding", &ops, "", &["sse4.1"])
}

#[test]
fn blocks_of_memory() -> Result<(), Failure> {
    check("memory", &memory::ops(), "", &[])
}

#[test]
fn what_is_rewritten() -> Result<(), Failure> {
    check("legal", &legal::ops(), "", &[])
}

#[test]
fn strict_floats() -> Result<(), Failure> {
    check("strict", &strict::ops(), "", &[])
}

#[test]
fn fixed_point() -> Result<(), Failure> {
    check("fixed", &fixed::ops(64), "", &[])
}

#[test]
fn vectors_of_64_bits() -> Result<(), Failure> {
    check("mmx", &mmx::ops(), "", &["mmx", "ssse3"])
}

const MACHINE: &[&str] = &["sse4.2", "crc32", "bmi", "bmi2", "popcnt"];

#[test]
fn operations_of_the_machine() -> Result<(), Failure> {
    check("machine", &[machine::vectors(), machine::integers(true)].concat(), "", MACHINE)
}

#[test]
fn ciphers() -> Result<(), Failure> {
    check("ciphers", &machine::ciphers(), "", &["aes", "pclmul", "sha", "gfni", "fma"])
}

/// What does more than its result says is done even if nothing uses that, as llc does it.
#[test]
fn unused_results_of_the_machine() -> Result<(), Failure> {
    let operations = [
        ("xbegin", "i32 @llvm.x86.xbegin()"),
        ("xtest", "i32 @llvm.x86.xtest()"),
        ("tpause", "i8 @llvm.x86.tpause(i32 1, i32 2, i32 3)"),
        ("umwait", "i8 @llvm.x86.umwait(i32 1, i32 2, i32 3)"),
        ("testui", "i8 @llvm.x86.testui()"),
        ("xgetbv", "i64 @llvm.x86.xgetbv(i32 0)"),
        ("rdpkru", "i32 @llvm.x86.rdpkru()"),
        ("rdpid", "i32 @llvm.x86.rdpid()"),
        ("rdpmc", "i64 @llvm.x86.rdpmc(i32 0)"),
        ("rdfsbase", "i64 @llvm.x86.rdfsbase.64()"),
    ];
    let calls: String = operations.iter().map(|(_, call)| format!("  call {call}\n")).collect();
    let plain = |call: &str| call.replace(" 0)", ")").replace(" 1, i32 2, i32 3)", ", i32, i32)");
    let declared: String = operations.iter().map(|(_, call)| format!("declare {}\n", plain(call))).collect();
    let folder = work_folder("unused-results");
    let input = folder.join("module.ll");
    std::fs::write(&input, format!("{declared}define void @f() {{\n{calls}  ret void\n}}\n"))?;
    let features = "+rtm,+waitpkg,+uintr,+xsave,+pku,+rdpid,+fsgsbase";
    let attr = format!("--attr={features}");
    let ours = ["compile", "--target", "x86_64-linux-gnu", "--emit", "asm", &attr, "-o", "-"];
    let ours = succeed(limited(20, gusset()?).args(ours).arg(&input))?.text();
    let theirs = ["-mtriple=x86_64-linux-gnu", &format!("-mattr={features}"), "-o", "-"];
    let theirs = succeed(limited(20, llc()).args(theirs).arg(&input))?.text();
    for (name, _) in operations {
        assert!(theirs.contains(name) && ours.contains(name), "{name} is missing:\n{ours}");
    }
    Ok(())
}

/// The same in 32-bit mode, where that makes sense.
mod bits_32 {
    use super::*;

    fn check_32(name: &str, ops: Vec<Op>, features: &[&str]) -> Result<(), Failure> {
        // The list of arguments is x86-64's; distances are of 64 bits; nobody converts numbers of 128 bits there; LLVM 19 calls
        // functions on `fp128` otherwise than GCC's library expects them.
        let none = |op: &Op| {
            let starts = |names: &[&str]| names.iter().any(|n| op.name.starts_with(n));
            let wide = op.body.contains("i128") || op.body.contains("i65");
            let converts = ["fptosi", "fptoui", "sitofp", "uitofp"].iter().any(|n| op.name.starts_with(n));
            // Shifts of odd widths have counts modulo these.
            let counts = ["shl_i65", "shl_i100", "hr_i65", "hr_i100"].iter().any(|n| op.name.contains(n));
            let quad = op.body.contains("fp128") && !starts(&["freeze", "bits", "fneg", "fabs", "copysign", "select_"]);
            starts(&["va_arg", "index_"]) || quad || wide && (converts || counts || starts(&["switch"]))
        };
        // A longer run has all surroundings.
        let all = std::env::var_os("GUSSET_OPS_ROUNDS").is_some();
        let ops = ops.into_iter().filter(|op| !none(op)).map(|op| if all { op } else { op.in_few() });
        check_in(Mode::Bits32, &format!("{name}_32"), &ops.collect::<Vec<_>>(), "", features)
    }

    #[test]
    fn integers() -> Result<(), Failure> {
        check_32("int", int::ops(), &[])
    }

    #[test]
    fn quotients_by_constants() -> Result<(), Failure> {
        check_32("divisors", int::divisors().into_iter().filter(|op| op.operands[0].0 != "i64").collect(), &[])
    }

    #[test]
    fn integers_with_extensions() -> Result<(), Failure> {
        let affected = ["ct", "shl", "lshr", "ashr"];
        let ops = int::ops().into_iter().filter(|op| affected.iter().any(|a| op.name.starts_with(a))).collect();
        check_32("int_extensions", ops, &["popcnt", "lzcnt", "bmi", "bmi2"])
    }

    #[test]
    fn operations_of_the_machine() -> Result<(), Failure> {
        let vectors = machine::vectors().into_iter().step_by(3);
        check_32("machine", vectors.chain(machine::integers(false)).collect(), MACHINE)
    }

    #[test]
    fn vectors_of_64_bits() -> Result<(), Failure> {
        check_32("mmx", mmx::ops().into_iter().step_by(2).collect(), &["mmx", "ssse3"])
    }

    #[test]
    fn fixed_point() -> Result<(), Failure> {
        check_32("fixed", fixed::ops(32), &[])
    }

    #[test]
    fn pairs_of_words() -> Result<(), Failure> {
        check_32("pairs", pairs::ops(), &[])
    }

    #[test]
    fn pairs_of_words_with_bit_counting() -> Result<(), Failure> {
        let counting = pairs::ops().into_iter().filter(|op| op.name.starts_with("ct")).collect();
        check_32("pairs_counting", counting, &["popcnt", "lzcnt", "bmi"])
    }

    /// One register less, and no scratch register with a byte form beyond three.
    #[test]
    fn code_for_any_address() -> Result<(), Failure> {
        let pic = "!llvm.module.flags = !{!0}\n!0 = !{i32 8, !\"PIC Level\", i32 2}\n";
        let few = |ops: Vec<Op>, step: usize| ops.into_iter().step_by(step).collect::<Vec<_>>();
        let fits = |op: &Op| !["va_arg", "index_"].iter().any(|n| op.name.starts_with(n)) && !op.body.contains("i128");
        let ops = [few(int::ops(), 3), few(atomic::ops(), 4), few(pairs::ops(), 2)].concat();
        let mut names = std::collections::BTreeSet::new();
        let ops: Vec<Op> = ops.into_iter().filter(|op| fits(op) && names.insert(op.name.clone())).collect();
        check_in(Mode::Bits32, "pic_32", &ops, pic, &[])
    }

    #[test]
    fn wide_integers() -> Result<(), Failure> {
        check_32("wide", wide::ops(), &[])
    }

    #[test]
    fn wider_integers() -> Result<(), Failure> {
        check_32("wider", wider::ops(), &[])
    }

    #[test]
    fn lanes_of_four_registers() -> Result<(), Failure> {
        check_32("wide_lanes", wide_lanes::ops(), &[])
    }

    #[test]
    fn atomics() -> Result<(), Failure> {
        check_32("atomic", atomic::ops(), &[])
    }

    #[test]
    fn unaligned_atomics() -> Result<(), Failure> {
        let ops = atomic::unaligned().into_iter().filter(|op| op.operands.iter().all(|o| o.0 != "i128"));
        check_32("atomic_unaligned", ops.filter(|op| !op.name.contains("i128")).collect(), &[])
    }

    #[test]
    fn formats_without_instructions() -> Result<(), Failure> {
        check_32("soft", soft::ops(), &[])
    }

    #[test]
    fn floats() -> Result<(), Failure> {
        check_32("float", float::ops(), &[])
    }

    #[test]
    fn blocks_of_memory() -> Result<(), Failure> {
        check_32("memory", memory::ops(), &[])
    }

    #[test]
    fn what_is_rewritten() -> Result<(), Failure> {
        check_32("legal", legal::ops(), &[])
    }
}

/// In 32-bit mode without SSE: on the x87, bit for bit as `llc` does single operations there.
mod x87 {
    use super::*;

    fn check_x87(name: &str, ops: Vec<Op>) -> Result<(), Failure> {
        // Lists of arguments and distances are x86-64's; the formats of 16 and 128 bits and vectors need SSE here.
        let none = |op: &Op| {
            let starts = |names: &[&str]| names.iter().any(|n| op.name.starts_with(n));
            let soft = ["half", "bfloat", "fp128", " x i", " x float", " x double", "i128", "i65", "i100"];
            // LLVM 19 has no code for `llvm.minimum` and `llvm.maximum` of `double` here, and forgets NaNs in that of `float`.
            starts(&["va_arg", "index_", "minimum_", "maximum_"]) || soft.iter().any(|n| op.body.contains(n))
        };
        let all = std::env::var_os("GUSSET_OPS_ROUNDS").is_some();
        let ops = ops.into_iter().filter(|op| !none(op)).map(|op| if all { op } else { op.in_few() });
        check_in(Mode::X87, &format!("{name}_x87"), &ops.collect::<Vec<_>>(), "", &[])
    }

    #[test]
    fn floats() -> Result<(), Failure> {
        check_x87("float", float::ops())
    }

    #[test]
    fn extended_floats() -> Result<(), Failure> {
        check_x87("soft", soft::ops())
    }

    #[test]
    fn integers() -> Result<(), Failure> {
        check_x87("int", int::ops().into_iter().step_by(5).collect())
    }

    #[test]
    fn pairs_of_words() -> Result<(), Failure> {
        check_x87("pairs", pairs::ops())
    }

    #[test]
    fn atomics() -> Result<(), Failure> {
        check_x87("atomic", atomic::ops())
    }

    #[test]
    fn unaligned_atomics() -> Result<(), Failure> {
        check_x87("atomic_unaligned", atomic::unaligned())
    }

    #[test]
    fn blocks_of_memory() -> Result<(), Failure> {
        check_x87("memory", memory::ops())
    }

    #[test]
    fn what_is_rewritten() -> Result<(), Failure> {
        check_x87("legal", legal::ops())
    }
}
