//! What the passes make of small functions, as text.

use super::{Promote, Records, fold_offsets};
use crate::analysis::Cfg;
use crate::ir::tests::read;
use crate::ir::{Function, Module, Printer, Type, verify};

const HEAD: &str =
    "module \"t\"\ns0 = export function @f\nfunction @f sig0 {\n  sig0 = (i64, i8) -> (i64) = c (i64, u8) -> i64\n";

fn function(body: &str) -> (Module, Function) {
    let (module, mut functions) = read(&format!("{HEAD}{body}}}\n")).unwrap_or_else(|e| panic!("{e}"));
    let f = functions.remove(0);
    verify(&module, &f).unwrap_or_else(|e| panic!("{e}"));
    (module, f)
}

/// The function after promotion and simplification; it verifies.
fn simplified(body: &str) -> String {
    let (module, mut f) = function(body);
    let mut cfg = Cfg::default();
    Records::default().run(&mut f, Type::I64);
    verify(&module, &f).unwrap_or_else(|e| panic!("{e}"));
    cfg.compute(&f);
    Promote::default().run(&mut f, &mut cfg);
    fold_offsets(&mut f, Type::I64);
    verify(&module, &f).unwrap_or_else(|e| panic!("{e}"));
    let starts = cfg.start.clone();
    cfg.compute(&f);
    assert_eq!(starts, cfg.start, "the positions that promotion leaves");
    Printer::new(&module).function(&f)
}

#[test]
fn a_variable_that_is_written_before_it_is_read_in_each_turn_is_promoted() {
    let text = simplified(
        "  ss0 = 8 align 8\n  ss1 = 8 align 8\nb0(v0: i64, v1: i8):\n  store i64 v0, ss1, 0, align 8\n  jump b1\nb1:\n  \
         v2: i64 = load ss1, 0, align 8\n  v3: i1 = icmp ult i64 v2, 9:i64\n  br v3, b2, b3\nb2:\n  store i64 1:i64, ss0, 0, \
         align 8\n  jump b4\nb3:\n  store i64 2:i64, ss0, 0, align 8\n  jump b4\nb4:\n  v4: i64 = load ss0, 0, align 8\n  \
         v5: i64 = iadd v2, v4\n  store i64 v5, ss1, 0, align 8\n  v6: i1 = icmp ult i64 v5, 99:i64\n  br v6, b1, b5\nb5:\n  \
         v7: i64 = load ss1, 0, align 8\n  return v7\n",
    );
    assert!(!text.contains("load") && !text.contains("store"), "{text}");
}

#[test]
fn a_block_that_nothing_reaches_passes_no_variable_on() {
    let text = simplified(
        "  ss0 = 8 align 8\nb0(v0: i64, v1: i8):\n  store i64 v0, ss0, 0, align 8\n  jump b1\nb1:\n  v2: i64 = load ss0, 0, \
         align 8\n  v3: i64 = iadd v2, 1:i64\n  store i64 v3, ss0, 0, align 8\n  v4: i1 = icmp ult i64 v3, 9:i64\n  br v4, b1, \
         b3\nb2:\n  store i64 0:i64, ss0, 0, align 8\n  jump b1\nb3:\n  return v3\n",
    );
    assert!(!text.contains("load") && !text.contains("store") && text.matches("jump").count() == 1, "{text}");
}

#[test]
fn a_variable_that_a_turn_may_read_unwritten_stays_in_memory() {
    let text = simplified(
        "  ss0 = 8 align 8\n  ss1 = 8 align 8\nb0(v0: i64, v1: i8):\n  store i64 v0, ss1, 0, align 8\n  jump b1\nb1:\n  \
         v2: i64 = load ss1, 0, align 8\n  v3: i1 = icmp ult i64 v2, 9:i64\n  br v3, b2, b4\nb2:\n  store i64 1:i64, ss0, 0, \
         align 8\n  jump b4\nb4:\n  v4: i64 = load ss0, 0, align 8\n  v5: i64 = iadd v2, v4\n  store i64 v5, ss1, 0, align \
         8\n  v6: i1 = icmp ult i64 v5, 99:i64\n  br v6, b1, b5\nb5:\n  v7: i64 = load ss1, 0, align 8\n  return v7\n",
    );
    assert!(text.matches("load").count() == 1 && text.matches("store").count() == 1, "{text}");
}

/// A function with slots of two words: `ss0` is stored to, copied to `ss1` and loaded from there, with `lines` between.
fn record(lines: &str) -> String {
    simplified(&format!(
        "  ss0 = 16 align 8\n  ss1 = 16 align 8\nb0(v0: i64, v1: i8):\n  store i64 v0, ss0, 0, align 8\n  v2: i64 = iadd ss0, \
         8:i64\n  store i64 5:i64, v2, 0, align 8\n{lines}  memcpy ss1, ss0, 16:i64, align 8\n  v8: i64 = load ss1, 8, align \
         8\n  return v8\n"
    ))
}

#[test]
fn records_that_are_only_copied_and_accessed_by_words_become_values() {
    let text = record("");
    assert!(text.contains("return 5:i64") && !text.contains("store") && !text.contains("memcpy"), "{text}");
    // A float and the low end of a word are read out of it.
    let text = record("  v3: f64 = load ss0, 0, align 8\n  v4: i32 = load ss0, 8, align 4\n  v5: i64 = fptosi v3\n");
    assert!(text.contains("bitcast") && text.contains("trunc") && !text.contains("load"), "{text}");
    // Copies to and from other memory are accesses to that.
    let text = record("  memcpy v0, ss0, 16:i64, align 8\n  memcpy ss0, v0, 16:i64, align 4\n");
    assert!(text.contains("store i64 5:i64, v0, 8, align 8") && text.contains("load v0, 8, align 4"), "{text}");
}

#[test]
fn records_stay_in_memory_where_their_words_are_not_whole() {
    for line in [
        "store i32 1:i32, ss0, 0, align 8",
        "v3: i32 = load ss0, 4, align 4",
        "v3: i64 = load ss0, 4, align 4",
        "v3: i64 = load ss0, 12, align 4",
        "v3: i64 = load ss0, 0, align 8, volatile",
        "memcpy v0, ss0, 12:i64, align 4",
        "memcpy v0, ss0, v0, align 8",
        "store i64 v2, v0, 0, align 8",
        "memset ss0, 0:i8, 16:i64, align 8",
    ] {
        let text = record(&format!("  {line}\n"));
        assert!(text.contains("store i64 5:i64") && !text.contains("return 5:i64"), "{line}: {text}");
    }
}

#[test]
fn comparisons_of_widened_values_are_narrow() {
    let compare = |lines: &str| {
        let text = simplified(&format!("b0(v0: i64, v1: i8):\n{lines}  v9: i64 = zext v8\n  return v9\n"));
        let line = text.lines().rfind(|l| l.contains("icmp")).unwrap_or("").trim();
        line.split_once("icmp ").map_or(String::new(), |(_, rest)| rest.to_string())
    };
    let zext = "  v2: i32 = zext v1\n";
    let sext = "  v2: i32 = sext v1\n";
    assert_eq!(compare(&format!("{zext}  v8: i1 = icmp slt i32 v2, 200:i32\n")), "ult i8 v1, -56:i8");
    assert_eq!(compare(&format!("{zext}  v8: i1 = icmp slt i32 v2, 256:i32\n")), "slt i32 v2, 256:i32");
    assert_eq!(compare(&format!("{zext}  v8: i1 = icmp sgt i32 v2, -1:i32\n")), "sgt i32 v2, -1:i32");
    assert_eq!(compare(&format!("{sext}  v8: i1 = icmp slt i32 v2, -3:i32\n")), "slt i8 v1, -3:i8");
    assert_eq!(compare(&format!("{sext}  v8: i1 = icmp ult i32 v2, -3:i32\n")), "ult i8 v1, -3:i8");
    assert_eq!(compare(&format!("{sext}  v8: i1 = icmp eq i32 v2, 200:i32\n")), "eq i32 v2, 200:i32");
    let truth = "  v3: i1 = icmp ule i64 v0, 5:i64\n  v4: i32 = zext v3\n  v5: i64 = sext v4\n";
    assert_eq!(compare(&format!("{truth}  v8: i1 = icmp ne i64 v5, 0:i64\n")), "ule i64 v0, 5:i64");
    assert_eq!(compare(&format!("{truth}  v8: i1 = icmp eq i64 v5, 0:i64\n")), "ugt i64 v0, 5:i64");
    assert_eq!(
        compare(&format!("{truth}  v6: i1 = xor v3, 1:i1\n  v8: i1 = icmp eq i1 v6, 1:i1\n")),
        "ugt i64 v0, 5:i64"
    );
}
