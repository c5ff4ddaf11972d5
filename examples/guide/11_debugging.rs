//! Chapter 11: debugging. What debuggers and profilers see: names, and the way back through the stack.

use std::process::Command;

use gusset::abi::CType;
use gusset::{BuilderOptions, DebugFunction, DebugOptions, Error, Linkage, ObjectBuilder, Stage, Target};

use super::{Result, run_with_c};

/// `backtrace` prints the names of the functions that have called it.
const MAIN: &str = r#"
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <stdio.h>
    #include <string.h>
    #include <unwind.h>

    static _Unwind_Reason_Code frame(struct _Unwind_Context *context, void *unused) {
        Dl_info info;
        if (!dladdr((void *)_Unwind_GetIP(context), &info) || !info.dli_sname) return _URC_END_OF_STACK;
        printf("  %s\n", info.dli_sname);
        return strcmp(info.dli_sname, "main") ? _URC_NO_REASON : _URC_END_OF_STACK;
    }
    void backtrace(void) { puts("backtrace:"); _Unwind_Backtrace(frame, 0); }
    int outer(int);
    int main(void) { return outer(41) != 42; }
"#;

/// A function of Tern, which debuggers show.
const GROW: &str = "\
fn grow(p: *Point, by: int) -> int {
    let area = p.x * p.y;
    p.x = p.x + by;
    return p.x * p.y - area;
}
";

/// Its caller.
const CALLER: &str = "
    struct Point { long long x, y; };
    long long grow(struct Point *p, long long by);
    int main(void) { struct Point p = {3, 4}; return grow(&p, 2) != 8; }
";

/// What gdb is asked.
const COMMANDS: [&str; 10] = [
    "set startup-with-shell off",
    "set print frame-arguments none",
    "break grow",
    "run",
    "print by",
    "next",
    "print area",
    "print *p",
    "next",
    "print *p",
];

pub fn run() -> Result {
    let target = Target::host()?;
    show(&grow(&target)?)?;
    let options = BuilderOptions::new().debug_frame(true);
    run_with_c(&build(&target, &options)?.finish()?, MAIN, &["-rdynamic", "-ldl"])?;

    // The same functions as text of the IR.
    let text = build(&target, &BuilderOptions::new().keep_ir(true))?.finish_ir()?;
    let calls = text.lines().filter(|line| line.contains("call")).count();
    println!("{calls} calls in the IR");
    // And at a stage on the way to machine code.
    let text = build(&target, &BuilderOptions::new().stage(Some(Stage::Code)))?.finish_stage()?;
    println!("machine code as text: {}", !text.is_empty());
    println!("{}", mistake(&target)?);
    Ok(())
}

/// `grow`, with the lines and variables of its source.
fn grow(target: &Target) -> Result<Vec<u8>> {
    let mut object = ObjectBuilder::new(target, &BuilderOptions::new());
    let file = object.debug_info(&DebugOptions::new("grow.tern").producer("tern 0.1"))?;
    // C's text gives names to the parameters and to the struct.
    let signature = object.c_signature(
        "struct Point { long long x, y; };
         long long grow(struct Point *p, long long by);",
    )?;
    let grow = object.declare("grow", signature, Linkage::Export)?;
    object.describe(grow, DebugFunction::new().at(file, 1))?;
    object.define(grow, |b| {
        let (p, by) = (b.param(0), b.param(1));
        b.set_location(2, 16);
        let (x, y) = (b.load_i64(p, 0), b.load_i64(p, 8));
        let area = b.imul(x, y);
        let variable = b.debug_variable("area", &CType::I64);
        b.debug_value(variable, area);
        b.set_location(3, 11);
        let wider = b.iadd(x, by);
        b.store(wider, p, 0);
        b.set_location(4, 12);
        let now = b.imul(wider, y);
        let more = b.isub(now, area);
        b.ret(Some(more));
    })?;
    Ok(object.finish()?)
}

/// Prints what gdb shows of a program.
fn show(object: &[u8]) -> Result {
    let folder = std::env::temp_dir().join(format!("gusset-guide-gdb-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    for (name, contents) in [("grow.tern", GROW.as_bytes()), ("grow.o", object), ("main.c", CALLER.as_bytes())] {
        std::fs::write(folder.join(name), contents)?;
    }
    let linked = Command::new("cc").current_dir(&folder).args(["main.c", "grow.o", "-o", "grow"]).status()?;
    if !linked.success() {
        return Err("cc cannot link the object".into());
    }
    let asked = COMMANDS.iter().flat_map(|&command| ["-ex", command]);
    let mut gdb = Command::new("gdb");
    gdb.current_dir(&folder).args(["-nx", "-batch"]).args(asked).arg("grow").env("LC_ALL", "C");
    let said = String::from_utf8_lossy(&gdb.output()?.stdout).into_owned();
    std::fs::remove_dir_all(&folder)?;
    // From the breakpoint on, without addresses.
    let from = said.lines().skip_while(|line| !line.starts_with("Breakpoint 1, ")).filter(|line| !line.is_empty());
    from.for_each(|line| println!("{}", line.replace('\t', " ")));
    Ok(())
}

fn build<'t>(target: &'t Target, options: &BuilderOptions) -> Result<ObjectBuilder<'t>> {
    let mut object = ObjectBuilder::new(target, options);
    object.source_name("road.tern");
    object.producer("tern 0.1");
    let backtrace = object.declare_c("void backtrace(void);")?;
    let signature = object.c_signature("int function(int);")?;
    let inner = object.declare("inner", signature.clone(), Linkage::Export)?;
    let outer = object.declare("outer", signature, Linkage::Export)?;

    // fn inner(n: int) -> int { backtrace(); return n; }
    object.define(inner, |b| {
        let n = b.param(0);
        b.call(backtrace, &[]);
        b.ret(Some(n));
    })?;
    // fn outer(n: int) -> int { return inner(n) + 1; }
    object.define(outer, |b| {
        let n = b.param(0);
        let result = b.call(inner, &[n]).ok_or("`inner` returns a number")?;
        let one = b.i32_const(1);
        let sum = b.iadd(result, one);
        b.ret(Some(sum));
        Result::Ok(())
    })?;
    Ok(object)
}

/// A mistake of the front end: an error that says which instruction is wrong, what it was made of, and why.
fn mistake(target: &Target) -> Result<Error> {
    let mut object = ObjectBuilder::new(target, &BuilderOptions::new());
    object.debug_info(&DebugOptions::new("wrong.tern"))?;
    let signature = object.c_signature("long long wrong(int);")?;
    let wrong = object.declare("wrong", signature, Linkage::Export)?;
    let defined = object.define(wrong, |b| {
        b.set_location(2, 14);
        let (n, one) = (b.param(0), b.i64_const(1));
        let sum = b.iadd(n, one);
        b.ret(Some(sum));
    });
    defined.err().ok_or_else(|| "the mistake is not found".into())
}
