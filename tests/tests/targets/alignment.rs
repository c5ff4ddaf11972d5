//! Functions that want no unaligned accesses (`+strict-align`), and versions of ARM that have none: numbers and vectors of every
//! alignment are copied by QEMU, and the text shows no access that is wider than what it goes to is aligned.

use std::fmt::Write as _;

use gusset_tests::build::{Mode, Unit, by_clang, compile_in};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, gusset, limited, run, succeed, work_folder};

const TYPES: [(&str, u32); 12] = [
    ("i16", 2),
    ("i24", 3),
    ("i32", 4),
    ("i64", 8),
    ("i96", 12),
    ("i128", 16),
    ("half", 2),
    ("float", 4),
    ("double", 8),
    ("<4 x i32>", 16),
    ("<2 x double>", 16),
    ("<3 x i16>", 6),
];

const MODES: [Mode; 4] = [Mode::Aarch64, Mode::A32, Mode::T32, Mode::V5];

/// `copyK_A` copies the K-th type between places of alignment A.
fn module(mode: Mode) -> String {
    let mut ir = format!("target triple = \"{}\"\n", mode.triple());
    for (k, (ty, _)) in TYPES.iter().enumerate() {
        for align in [1, 2, 4, 8] {
            let _ = writeln!(
                ir,
                "define void @copy{k}_{align}(ptr %p, ptr %q) #0 {{\n %v = load {ty}, ptr %p, align {align}\n \
                 %more = getelementptr i8, ptr %q, i32 16\n store {ty} %v, ptr %more, align {align}\n ret void\n}}"
            );
        }
    }
    ir + "attributes #0 = { nounwind \"target-features\"=\"+strict-align\" }\n"
}

fn driver() -> String {
    let (mut calls, mut rows) = (String::new(), String::new());
    for (k, (_, size)) in TYPES.iter().enumerate() {
        for align in [1, 2, 4, 8] {
            let _ = writeln!(calls, "void copy{k}_{align}(const void *, void *);");
            let _ = writeln!(rows, "    {{copy{k}_{align}, {align}, {size}}},");
        }
    }
    format!(
        "#include <string.h>\n{calls}static const struct {{ void (*copy)(const void *, void *); int align, size; }} rows[] = {{\n\
         {rows}}};\nstatic unsigned char from[64] __attribute__((aligned(16))), to[64] __attribute__((aligned(16)));\n\
         int main(void) {{\n    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {{\n\
         for (int k = 0; k < 64; k++) from[k] = 7 * k + 3 * i, to[k] = 0;\n\
         int a = rows[i].align; rows[i].copy(from + a, to + a);\n\
         if (memcmp(from + a, to + a + 16, rows[i].size) || to[a + 15] || to[a + 16 + rows[i].size]) return i + 1;\n    }}\n\
         return 0;\n}}\n"
    )
}

/// Bytes that an instruction accesses at once, if it is an access of other memory than the stack.
fn width(line: &str) -> Option<u32> {
    let (name, operands) = line.trim().split_once('\t')?;
    let base = operands.split_once('[').map(|(_, rest)| rest);
    if base.is_none_or(|base| base.starts_with("sp") || base.starts_with("x29")) {
        let many = name.starts_with("ldm") || name.starts_with("stm");
        return (many && !operands.starts_with("sp")).then_some(4);
    }
    let register = |c| operands.starts_with(c);
    Some(match name.trim_end_matches(".w") {
        "ldrb" | "strb" | "ldrsb" | "ldurb" | "sturb" | "vld1.8" | "vst1.8" => 1,
        "ldrh" | "strh" | "ldrsh" | "ldurh" | "sturh" => 2,
        "ldr" | "str" | "ldur" | "stur" if register('h') => 2,
        "ldr" | "str" | "ldur" | "stur" | "ldp" | "stp" if register('x') || register('d') => 8,
        "ldr" | "str" | "ldur" | "stur" if register('q') => 16,
        // Theirs is that of words.
        "ldr" | "str" | "ldur" | "stur" | "vldr" | "vstr" | "ldrd" | "strd" => 4,
        name if name.starts_with("ld")
            || name.starts_with("st")
            || name.starts_with("vld")
            || name.starts_with("vst") =>
        {
            16
        }
        _ => return None,
    })
}

fn check(mode: Mode) -> Result<(), Failure> {
    let folder = work_folder(&format!("alignment/{mode:?}"));
    let file = |name: &str| folder.join(name);
    std::fs::write(file("module.ll"), module(mode))?;
    std::fs::write(file("driver.c"), driver())?;
    compile_in(mode, &file("module.ll"), &file("module.o"))?;
    let flags = [mode.clang_flags(), &["-O1"]].concat();
    let driver = by_clang(&Unit { source: file("driver.c"), flags: Vec::new() }, &flags)?;
    mode.link(&[driver, file("module.o")], &[], &file("program"))?;
    let outcome = run(&mut mode.runner(20, &file("program")))?;
    if outcome.code != 0 {
        return Err(Failure::new(format!("{mode:?}: row {} of the driver is not copied", outcome.code)));
    }
    let mut command = limited(20, gusset()?);
    let text = succeed(command.args(["compile", "--emit", "asm", "-o", "-"]).arg(file("module.ll")))?.text();
    let (mut align, mut seen) = (0, 0);
    for line in text.lines() {
        if let Some(name) = line.strip_suffix(':').filter(|name| name.starts_with("copy")) {
            align = name.rsplit('_').next().and_then(|n| n.parse().ok()).unwrap_or(0);
        } else if let Some(width) = width(line) {
            seen += 1;
            if width > align {
                return Err(Failure::new(format!("{mode:?}: {width} bytes where {align} are aligned: {line}")));
            }
        }
    }
    assert!(seen > 200, "{mode:?}: only {seen} accesses");
    Ok(())
}

#[test]
fn accesses_are_aligned() -> Result<(), Failure> {
    parallel::map(MODES.len(), |i| check(MODES[i])).into_iter().collect()
}
