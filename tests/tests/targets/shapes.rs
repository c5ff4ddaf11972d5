//! Functions and modules of which one thing is very large: cost is linear in it, which limits of memory and of time show that are far
//! above what it takes, and far below what a quadratic cost of so many would be.

use std::fmt::Write;
use std::path::Path;

use gusset_tests::tools::{Failure, gusset, limited, run, work_folder};

/// Machines of every architecture, in both instruction sets of ARM.
const TARGETS: [&str; 5] =
    ["x86_64-linux-gnu", "i686-linux-gnu", "aarch64-linux-gnu", "armv7-linux-gnueabihf", "thumbv7-linux-gnueabihf"];

/// Compiles a module for a machine with 400 MB of address space; the bytes of code that it becomes.
fn code(file: &Path, target: &str, options: &str) -> Result<u64, Failure> {
    let line = format!(
        "ulimit -v 400000; exec $GUSSET compile --threads 1 --time {options} --target {target} {} -o /dev/null",
        file.display()
    );
    let done = run(limited(100, "bash").args(["-c", &line]).env("GUSSET", gusset()?))?;
    let errors = done.errors();
    assert_eq!(done.code, 0, "{} {target}: {errors}", file.display());
    let bytes = errors.lines().find_map(|line| line.trim().strip_prefix("bytes of code "));
    let bytes = bytes.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    bytes.ok_or_else(|| Failure::new(errors))
}

/// `n` values of a loop, each of which becomes its neighbour's.
fn rotation(n: usize, ty: &str, first: impl Fn(usize) -> String) -> String {
    let mut text =
        format!("define {ty} @f(i32 %n) {{\nentry:\n  br label %h\nh:\n  %i = phi i32 [0, %entry], [%i1, %h]\n");
    for k in 0..n {
        let _ = writeln!(text, "  %p{k} = phi {ty} [{}, %entry], [%p{}, %h]", first(k), (k + 1) % n);
    }
    let _ = write!(
        text,
        "  %i1 = add i32 %i, 1\n  %c = icmp slt i32 %i1, %n\n  br i1 %c, label %h, label %e\ne:\n  ret {ty} %p0\n}}\n"
    );
    text
}

/// The same as a loop of MLIR's.
fn rotation_in_mlir(n: usize) -> String {
    let list = |f: &dyn Fn(usize) -> String| (0..n).map(f).collect::<Vec<_>>().join(", ");
    let (names, types) = (list(&|k| format!("%p{k} = %x")), list(&|_| "i32".into()));
    let next = list(&|k| format!("%p{}", (k + 1) % n));
    format!(
        "func.func @f(%n: index, %x: i32) -> i32 {{\n  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  \
         %r:{n} = scf.for %i = %c0 to %n step %c1 iter_args({names}) -> ({types}) {{\n    scf.yield {next} : {types}\n  }}\n  \
         return %r#0 : i32\n}}\n"
    )
}

/// A switch to as many blocks, whose values meet.
fn switch(n: usize) -> String {
    let mut text = String::from("define i32 @f(i32 %x) {\nentry:\n  switch i32 %x, label %d [\n");
    (0..n).for_each(|k| _ = writeln!(text, "    i32 {k}, label %b{k}"));
    text.push_str("  ]\n");
    (0..n).for_each(|k| _ = writeln!(text, "b{k}:\n  %v{k} = mul i32 %x, {k}\n  br label %e"));
    let values: String = (0..n).map(|k| format!(", [%v{k}, %b{k}]")).collect();
    text + &format!("d:\n  br label %e\ne:\n  %r = phi i32 [0, %d]{values}\n  ret i32 %r\n}}\n")
}

/// Values that all live at once, and then are added.
fn alive(n: usize) -> String {
    let mut text = String::from("define i32 @f(ptr %p) {\n  %s0 = add i32 0, 0\n");
    (0..n).for_each(|k| _ = writeln!(text, "  %v{k} = load volatile i32, ptr %p"));
    (0..n).for_each(|k| _ = writeln!(text, "  %s{} = add i32 %s{k}, %v{k}", k + 1));
    text + &format!("  ret i32 %s{n}\n}}\n")
}

/// A call with as many arguments, and the function that takes them.
fn parameters(n: usize) -> String {
    let list = |f: &dyn Fn(usize) -> String| (0..n).map(f).collect::<Vec<_>>().join(", ");
    let (taken, passed) = (list(&|k| format!("i32 %p{k}")), list(&|_| "i32 %x".into()));
    let f = format!("define i32 @f({taken}) {{\n  ret i32 %p{}\n}}\n", n - 1);
    f + &format!("define i32 @g(i32 %x) {{\n  %r = call i32 @f({passed})\n  ret i32 %r\n}}\n")
}

/// Code is twice as long if there is twice as much of something, and not much longer.
#[test]
fn code_is_linear() -> Result<(), Failure> {
    let folder = work_folder("shapes");
    let shapes: [(&str, &dyn Fn(usize) -> String); 5] = [
        ("rotation.ll", &|n| rotation(n, "i32", |k| k.to_string())),
        ("rotation.mlir", &rotation_in_mlir),
        ("switch.ll", &switch),
        ("alive.ll", &alive),
        ("parameters.ll", &parameters),
    ];
    for (name, text) in shapes {
        let files = [10_000, 20_000].map(|n| (n, folder.join(format!("{n}-{name}"))));
        for (n, path) in &files {
            std::fs::write(path, text(*n))?;
        }
        for target in TARGETS {
            let [one, two] = [code(&files[0].1, target, "")?, code(&files[1].1, target, "")?];
            assert!(two < 5 * one / 2, "{name} {target}: {one} and {two} bytes");
        }
    }
    Ok(())
}

/// A loop of very many values is no worse.
#[test]
fn many_values_of_a_loop() -> Result<(), Failure> {
    let path = work_folder("shapes").join("many.ll");
    std::fs::write(&path, rotation(200_000, "i32", |k| k.to_string()))?;
    for target in ["x86_64-linux-gnu", "aarch64-linux-gnu"] {
        code(&path, target, "")?;
    }
    Ok(())
}

/// An edge passes more constants than stand in reach of one place among ARM's code.
#[test]
fn many_constants_at_once() -> Result<(), Failure> {
    let folder = work_folder("shapes");
    for ty in ["double", "float"] {
        let path = folder.join(format!("{ty}.ll"));
        std::fs::write(&path, rotation(600, ty, |k| format!("{k}.25e0")))?;
        for target in TARGETS {
            code(&path, target, "--verify")?;
        }
    }
    Ok(())
}

/// Sizes beyond what addresses reach are errors, and not zero.
#[test]
fn sizes_beyond_addresses() -> Result<(), Failure> {
    let folder = work_folder("shapes");
    let cases = [
        ("global.ll", "@a = global [4294967296 x i8] zeroinitializer\n", "4 GiB or more"),
        ("sum.ll", "@a = global { [4294967295 x i8], i32 } zeroinitializer\n", "4 GiB or more"),
        ("tls.ll", "@a = thread_local global [4294967296 x i8] zeroinitializer\n", "4 GiB or more"),
        ("alloca.ll", "define ptr @f() {\n  %a = alloca [4294967296 x i8]\n  ret ptr %a\n}\n", "4 GB and more"),
        ("huge.ll", "@a = global [18446744073709551615 x i16] zeroinitializer\n", "larger than 2^60 bytes"),
        ("global.mlir", "memref.global @a : memref<65536x65536xi8> = dense<0>\n", "4 GiB or more"),
        ("huge.mlir", "memref.global @a : memref<4294967296x4294967296xi32> = uninitialized\n", "2^64 elements"),
        (
            "alloc.mlir",
            "func.func @f() -> memref<4294967296xi8> {\n  %0 = memref.alloc() : memref<4294967296xi8>\n  \
             return %0 : memref<4294967296xi8>\n}\n",
            "more bytes than",
        ),
        (
            "alloca.mlir",
            "func.func @f(%n: index) {\n  %0 = memref.alloca(%n) : memref<65536x?x16384xi32>\n  return\n}\n",
            "more bytes than",
        ),
        (
            "strided.mlir",
            "func.func @f() {\n  %0 = memref.alloc() : memref<2x8xi64, strided<[1073741824, 1]>>\n  return\n}\n",
            "more bytes than",
        ),
    ];
    for (name, text, reason) in cases {
        let path = folder.join(name);
        std::fs::write(&path, text)?;
        for target in ["i686-linux-gnu", "armv7-linux-gnueabihf"] {
            let command = &mut limited(60, gusset()?);
            let done = run(command.args(["compile", "--target", target]).arg(&path).args(["-o", "/dev/null"]))?;
            assert!(done.code == 1 && done.errors().contains(reason), "{name} {target}: {}", done.errors());
        }
    }
    Ok(())
}
