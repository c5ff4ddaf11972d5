//! Levels of optimization: whichever way a program comes, its code is that of `gusset compile` at the same level.

use std::path::{Path, PathBuf};

use gusset_tests::tools::{Failure, clang, gusset, limited, run, succeed, work_folder};

use super::driver::{by, driver};

/// `f` is optimized from `-O1` on, and the same function as `never` is not. The program's code says how long `f` is.
const MODULE: &str = "
define i32 @f(i32 %a, i32 %b, i32 %c, i32 %d) SIZE {
  BODY
}
define i32 @never(i32 %a, i32 %b, i32 %c, i32 %d) noinline optnone {
  BODY
}
define i32 @main() {
  %n = sub i64 ptrtoint (ptr @never to i64), ptrtoint (ptr @f to i64)
  %r = trunc i64 %n to i32
  ret i32 %r
}
";

const BODY: &str = "%x = icmp slt i32 %a, %b
  %y = icmp slt i32 %c, %d
  %z = and i1 %x, %y
  br i1 %z, label %t, label %e
t:
  %s = add i32 %a, %c
  ret i32 %s
e:
  ret i32 %d";

const SOURCE: &str = "int f(int a, int b, int c, int d) { if (a < b && c < d) return a + c; return d; }\n";

/// The folder of a test with the module and the source.
fn prepared(name: &str) -> Result<PathBuf, Failure> {
    let folder = work_folder(&format!("levels/{name}"));
    for (file, size) in [("m.ll", ""), ("size.ll", "optsize")] {
        std::fs::write(folder.join(file), MODULE.replace("SIZE", size).replace("BODY", BODY))?;
    }
    std::fs::write(folder.join("s.c"), SOURCE)?;
    Ok(folder)
}

/// What the command writes to standard output, called in the folder.
fn output(folder: &Path, words: &[&str]) -> Result<String, Failure> {
    Ok(succeed(limited(60, gusset()?).args(words).current_dir(folder))?.text())
}

/// The assembly text of `gusset compile` at a level.
fn compiled(folder: &Path, level: &str, file: &str) -> Result<String, Failure> {
    output(folder, &["compile", "--pic", level, "--emit", "asm", "-o", "-", file])
}

/// The instructions of a function, without its labels' names.
fn code(text: &str, name: &str) -> String {
    let start = text.find(&format!("{name}:\n")).unwrap_or(text.len());
    let end = text[start..].find(".size").map_or(text.len(), |at| start + at);
    let lines = text[start..end].lines().skip(1).filter(|line| !line.contains(':') && !line.trim().starts_with(".cfi"));
    lines.map(|line| line.split(".LBB").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

#[test]
fn of_functions() -> Result<(), Failure> {
    let folder = prepared("functions")?;
    let [plain, better] = ["-O0", "-O2"].map(|level| compiled(&folder, level, "m.ll"));
    let (plain, better) = (plain?, better?);
    assert_ne!(code(&plain, "f"), code(&better, "f"));
    assert_eq!(code(&plain, "never"), code(&better, "never"));
    assert_eq!(code(&plain, "never"), code(&plain, "f"));
    assert_eq!(code(&compiled(&folder, "-O2", "size.ll")?, "f"), code(&compiled(&folder, "-Os", "m.ll")?, "f"));
    // Gusset's IR keeps what is said of a function.
    let ir = output(&folder, &["compile", "--pic", "--emit", "ir", "-o", "-", "m.ll"])?;
    std::fs::write(folder.join("m.gir"), ir)?;
    assert_eq!(compiled(&folder, "-O2", "m.gir")?, better);
    Ok(())
}

#[test]
fn of_llc() -> Result<(), Failure> {
    let folder = prepared("llc")?;
    let pic = "-relocation-model=pic";
    for (words, level) in [
        (&[][..], "-O2"),
        (&["-O0"], "-O0"),
        (&["-O1"], "-O1"),
        (&["-O=2"], "-O2"),
        (&["-O", "3"], "-O2"),
        (&["-O3", "-O0"], "-O0"),
    ] {
        let text = output(&folder, &[&["llc", pic, "m.ll", "-o", "-"], words].concat())?;
        assert_eq!(text, compiled(&folder, level, "m.ll")?, "{words:?}");
    }
    Ok(())
}

#[test]
fn of_the_compilers() -> Result<(), Failure> {
    let folder = prepared("compilers")?;
    let (ours, plain) = (driver("gusset-cc")?, ["-Xclang", "-disable-llvm-passes", "-Xclang", "-disable-O0-optnone"]);
    let mut codes = Vec::new();
    for (words, level) in [
        (&[][..], "-O0"),
        (&["-O0"], "-O0"),
        (&["-O"], "-O1"),
        (&["-Og"], "-O1"),
        (&["-O3"], "-O2"),
        (&["-Ofast", "-Wno-deprecated"], "-O2"),
        (&["-Oz"], "-Os"),
        (&["-O2", "-O0"], "-O0"),
    ] {
        let front = [&["-S", "s.c"], &plain[..], words].concat();
        let ir = ["-emit-llvm", "-o", "s.ll"];
        succeed(limited(60, clang()).args(&front).args(ir).current_dir(&folder))?;
        let text = succeed(by(60, &ours).args(&front).args(["-o", "-"]).current_dir(&folder))?.text();
        assert_eq!(text, compiled(&folder, level, "s.ll")?, "{words:?}");
        codes.push(code(&text, "f"));
    }
    assert_ne!(codes[0], codes[4]);
    Ok(())
}

/// The levels of LLVM's linkers: that of the plugin's option, else that of the driver's, else 2.
#[test]
fn of_links() -> Result<(), Failure> {
    let folder = prepared("links")?;
    let flags = ["-O1", "-Xclang", "-disable-llvm-passes", "-flto", "-c", "s.c", "-o", "s.o"];
    succeed(limited(60, clang()).args(flags).current_dir(&folder))?;
    let size = |words: &[&str]| {
        let mut link = by(60, &driver("gusset-cc")?);
        link.args(["-r", "-nostdlib", "s.o", "-o", "r.o"]).args(words).env("GUSSET_CACHE_DIR", "");
        succeed(link.current_dir(&folder))?;
        symbol_size(&folder, "r.o")
    };
    let expected = |level: &str| {
        output(&folder, &["compile", level, "s.o", "-o", "plain.o"])?;
        symbol_size(&folder, "plain.o")
    };
    let [plain, better] = [expected("-O0")?, expected("-O2")?];
    assert_ne!(plain, better);
    for (words, level) in [
        (&[][..], &better),
        (&["-O0"], &plain),
        (&["-O0", "-Wl,-plugin-opt=O2"], &better),
        (&["-O3", "-Wl,-plugin-opt=O0"], &plain),
        (&["-Xlinker", "-plugin-opt=O1"], &better),
    ] {
        assert_eq!(&size(words)?, level, "{words:?}");
    }
    Ok(())
}

/// How many bytes the function `f` of an object has.
fn symbol_size(folder: &Path, object: &str) -> Result<String, Failure> {
    let listed = succeed(limited(20, "llvm-nm-19").args(["-S", object]).current_dir(folder))?.text();
    let line = listed.lines().find(|line| line.ends_with(" f")).ok_or_else(|| Failure::new(listed.clone()))?;
    Ok(line.split(' ').nth(1).unwrap_or_default().to_string())
}

#[test]
fn of_programs_that_run() -> Result<(), Failure> {
    let folder = prepared("run")?;
    let code = |words: &[&str]| {
        let words = [&["run", "--verify"], words].concat();
        Ok::<_, Failure>(run(limited(60, gusset()?).args(words).current_dir(&folder))?.code)
    };
    let plain = code(&["m.ll"])?;
    assert_eq!(plain, code(&["-O0", "m.ll"])?);
    let better = code(&["-O2", "m.ll"])?;
    assert!(0 < better && better < plain, "{better} of {plain}");
    Ok(())
}

/// MLIR, and modules for IREE.
#[test]
fn of_mlir() -> Result<(), Failure> {
    let folder = prepared("mlir")?;
    let module = "func.func @f(%a: i32, %b: i32, %c: i32, %d: i32) -> i32 {
  %x = arith.cmpi slt, %a, %b : i32
  %y = arith.cmpi slt, %c, %d : i32
  %z = arith.andi %x, %y : i1
  cf.cond_br %z, ^t, ^e
^t:
  %s = arith.addi %a, %c : i32
  return %s : i32
^e:
  return %d : i32
}\n";
    std::fs::write(folder.join("m.mlir"), module)?;
    let ll = compiled(&folder, "-O2", "m.ll")?;
    assert_eq!(code(&compiled(&folder, "-O2", "m.mlir")?, "f"), code(&ll, "f"));
    assert_ne!(code(&compiled(&folder, "-O0", "m.mlir")?, "f"), code(&ll, "f"));
    let iree =
        |level: &str| output(&folder, &["compile", level, "--iree-module", "m", "--emit", "asm", "-o", "-", "m.mlir"]);
    assert_ne!(iree("-O0")?, iree("-O2")?);
    Ok(())
}

/// `LINES` make functions too large to be inlined without asking for it: in functions that are to be small, everywhere unless they hint that
/// they want to be inlined, and at all.
const ATTRIBUTES: &str = "
define internal i32 @medium(i32 %x) {
  %v = alloca i32
  store i32 %x, ptr %v
  %a0 = load i32, ptr %v
  LINES_12
  ret i32 %a12
}
define internal i32 @hinted(i32 %x) inlinehint {
  %a0 = add i32 %x, 1
  LINES_36
  ret i32 %a36
}
define internal i32 @large(i32 %x) {
  %a0 = add i32 %x, 1
  LINES_36
  ret i32 %a36
}
define internal i32 @always(i32 %x) alwaysinline {
  %a0 = add i32 %x, 1
  LINES_60
  ret i32 %a60
}
define internal i32 @tiny(i32 %x) {
  %y = mul i32 %x, 3
  ret i32 %y
}
define internal i32 @never(i32 %x) noinline {
  ret i32 %x
}
define internal i32 @none(i32 %x) noinline optnone {
  ret i32 %x
}
define internal i32 @cold(i32 %x) cold {
  ret i32 %x
}
define internal i32 @hot(i32 %x) noinline hot {
  ret i32 %x
}
define i32 @caller(i32 %x) { BODY }
define i32 @size(i32 %x) optsize { BODY }
define i32 @least(i32 %x) minsize { BODY }
define i32 @unoptimized(i32 %x) noinline optnone { BODY }
define i32 @sites(i32 %x) {
  %a = call i32 @tiny(i32 %x) noinline
  %b = call i32 @never(i32 %a) alwaysinline
  %c = call i32 @tiny(i32 %b) cold
  %d = call i32 @tiny(i32 %c) cold alwaysinline
  %e = call i32 @always(i32 %d) noinline
  ret i32 %e
}
";

/// What attributes ask for is obeyed at `-O2`, in text, bitcode and MLIR.
#[test]
fn attributes_are_obeyed() -> Result<(), Failure> {
    let folder = work_folder("levels/attributes");
    let lines = |n: usize| {
        let line = |k: usize| format!("%a{} = {} i32 %a{k}, %x", k + 1, ["xor", "add"][k % 2]);
        (0..n).map(line).collect::<Vec<_>>().join("\n  ")
    };
    let names = ["medium", "hinted", "large", "always", "tiny", "never", "none", "cold", "hot"];
    let call = |(k, name): (usize, &&str)| format!("%c{} = call i32 @{name}(i32 %c{k})\n  ", k + 1);
    let body =
        format!("\n  %c0 = add i32 %x, 1\n  {}ret i32 %c9\n", names.iter().enumerate().map(call).collect::<String>());
    let mut module = ATTRIBUTES.replace("BODY", &body);
    for n in [12, 36, 60] {
        module = module.replace(&format!("LINES_{n}\n"), &format!("{}\n", lines(n)));
    }
    std::fs::write(folder.join("m.ll"), &module)?;
    succeed(limited(20, "llvm-as-19").args(["m.ll", "-o", "m.bc"]).current_dir(&folder))?;
    output(&folder, &["translate", "m.ll", "-o", "m.mlir"])?;
    for (file, sites) in [("m.ll", true), ("m.bc", true), ("m.mlir", false)] {
        let words = ["compile", "--target", "linux64", "-O2", "--remarks", "-o", "m.o", file];
        let text = succeed(limited(60, gusset()?).args(words).current_dir(&folder))?.errors();
        let inlined = |caller: &str| -> Vec<&str> {
            let start = format!("{file}/{caller}: remark: inlined @");
            text.lines().filter_map(|line| line.strip_prefix(&start)?.split(',').next()).collect()
        };
        assert_eq!(inlined("caller"), ["medium", "hinted", "always", "tiny"], "{file}\n{text}");
        assert_eq!(inlined("size"), ["always", "tiny"], "{file}\n{text}");
        assert_eq!(inlined("least"), ["always", "tiny"], "{file}\n{text}");
        assert!(!text.contains("/unoptimized: "), "{file}\n{text}");
        if sites {
            assert_eq!(inlined("sites"), ["never", "tiny"], "{file}\n{text}");
        }
        let sections = succeed(limited(20, "llvm-readelf-19").args(["-sS", "m.o"]).current_dir(&folder))?.text();
        let section_of = |name: &str| {
            let line = sections.lines().find(|line| line.ends_with(&format!(" {name}")))?;
            let number = line.split_whitespace().nth(6)?;
            let section = sections.lines().find(|line| line.replace(' ', "").starts_with(&format!("[{number}]")))?;
            section.split_once("] ")?.1.split_whitespace().next()
        };
        let found = ["cold", "hot", "caller", "none"].map(section_of);
        assert_eq!(
            found,
            [Some(".text.unlikely."), Some(".text.hot."), Some(".text"), Some(".text")],
            "{file}\n{sections}"
        );
    }
    let llc = succeed(limited(20, "llc-19").args(["-O2", "m.ll", "-o", "-"]).current_dir(&folder))?.text();
    assert!(llc.contains(".text.unlikely.") && llc.contains(".text.hot."), "{llc}");
    Ok(())
}

/// The same of attributes that only MLIR spells so.
#[test]
fn attributes_of_mlir_are_obeyed() -> Result<(), Failure> {
    const MODULE: &str = "
llvm.func internal @never(%x: i64) -> i64 attributes {no_inline} { llvm.return %x : i64 }
llvm.func internal @none(%x: i64) -> i64 attributes {no_inline, optimize_none} { llvm.return %x : i64 }
llvm.func internal @said(%x: i64) -> i64 attributes {passthrough = [\"noinline\"]} { llvm.return %x : i64 }
llvm.func internal @cold(%x: i64) -> i64 attributes {passthrough = [\"cold\"]} { llvm.return %x : i64 }
llvm.func internal @tiny(%x: i64) -> i64 { llvm.return %x : i64 }
llvm.func internal @always(%x: i64) -> i64 attributes {always_inline} {
  LINES
  llvm.return %a60 : i64
}
llvm.func internal @hinted(%x: i64) -> i64 attributes {inline_hint} {
  LINES_36
  llvm.return %a36 : i64
}
llvm.func @caller(%x: i64) -> i64 {
  %a = llvm.call @never(%x) : (i64) -> i64
  %b = llvm.call @none(%a) : (i64) -> i64
  %c = llvm.call @said(%b) : (i64) -> i64
  %d = llvm.call @cold(%c) : (i64) -> i64
  %e = llvm.call @tiny(%d) {no_inline} : (i64) -> i64
  %f = llvm.call @never(%e) {always_inline} : (i64) -> i64
  %g = llvm.call @always(%f) : (i64) -> i64
  %h = llvm.call @hinted(%g) : (i64) -> i64
  %i = llvm.call @tiny(%h) : (i64) -> i64
  llvm.return %i : i64
}
";
    let folder = work_folder("levels/mlir_attributes");
    let lines = |n: usize| {
        let line = |k: usize| match k {
            0 => "%a1 = llvm.xor %x, %x : i64".to_string(),
            _ => format!("%a{} = llvm.{} %a{k}, %x : i64", k + 1, ["xor", "add"][k % 2]),
        };
        (0..n).map(line).collect::<Vec<_>>().join("\n  ")
    };
    let module = MODULE.replace("LINES_36", &lines(36)).replace("LINES", &lines(60));
    std::fs::write(folder.join("m.mlir"), module)?;
    let words = ["compile", "--target", "linux64", "-O2", "--remarks", "-o", "m.o", "m.mlir"];
    let text = succeed(limited(60, gusset()?).args(words).current_dir(&folder))?.errors();
    let start = "m.mlir/caller: remark: inlined @";
    let inlined: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix(start)?.split(',').next()).collect();
    assert_eq!(inlined, ["never", "always", "hinted", "tiny"], "{text}");
    let ir = output(&folder, &["compile", "--emit", "ir", "-o", "-", "m.mlir"])?;
    assert!(ir.lines().any(|line| line.starts_with("function @none ") && line.contains(" optimize_none")), "{ir}");
    Ok(())
}

/// Functions that are inlined or not, and one with more values than there are registers.
const CALLS: &str = "
define internal i32 @small(i32 %x) {
  %y = mul i32 %x, 3
  ret i32 %y
}
define internal i32 @never(i32 %x) noinline {
  ret i32 %x
}
declare void @elsewhere()
define i32 @caller(i32 %x) {
  %a = call i32 @small(i32 %x)
  %b = call i32 @never(i32 %a)
  call void @elsewhere()
  %c = call i32 @caller(i32 %b)
  ret i32 %c
}
define void @full(ptr %p) {
  BODY
  ret void
}
";

#[test]
fn remarks_say_what_was_inlined_and_what_is_in_the_frame() -> Result<(), Failure> {
    let folder = work_folder("levels/remarks");
    let each = |line: fn(usize) -> String| (0..30).map(line).collect::<Vec<_>>().join("\n  ");
    let loads = each(|k| format!("%a{k} = getelementptr i64, ptr %p, i64 {k}\n  %v{k} = load volatile i64, ptr %a{k}"));
    let stores = each(|k| format!("store volatile i64 %v{k}, ptr %a{k}"));
    let module = CALLS.replace("BODY", &format!("{loads}\n  {stores}"));
    std::fs::write(folder.join("m.ll"), module)?;
    let remarks = |more: &[&str]| -> Result<String, Failure> {
        let words = [&["compile", "--target", "linux64", "-O2", "--remarks", "-o", "/dev/null", "m.ll"], more].concat();
        Ok(succeed(limited(60, gusset()?).args(words).current_dir(&folder))?.errors())
    };
    let text = remarks(&[])?;
    let is_of_caller = |line: &&str| line.starts_with("m.ll/caller: ") && line.contains("inlined");
    let of_caller: Vec<&str> = text.lines().filter(is_of_caller).collect();
    let expected = [
        "m.ll/caller: remark: inlined @small, cost 1",
        "m.ll/caller: remark: not inlined @never: it is `noinline`",
        "m.ll/caller: remark: not inlined @caller: it calls itself",
    ];
    assert_eq!(of_caller, expected, "{text}");
    let in_frame =
        text.lines().filter(|line| line.starts_with("m.ll/full: remark: v") && line.ends_with("used 1 times"));
    assert!(in_frame.clone().count() >= 14 && in_frame.clone().all(|l| l.contains(": i64 is in the frame")), "{text}");
    assert_eq!(remarks(&["--threads", "4"])?, text);
    assert_eq!(remarks(&["--passes", "gvn"])?.lines().filter(|line| line.contains("inlined")).count(), 0);
    Ok(())
}
