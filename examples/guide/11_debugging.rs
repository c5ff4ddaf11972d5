//! Chapter 11: debugging. What debuggers and profilers see: names, and the way back through the stack.

use gusset::{BuilderOptions, Error, Linkage, ObjectBuilder, Stage, Target};

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

pub fn run() -> Result {
    let target = Target::host()?;
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

/// A mistake of the front end: an error that says which instruction is wrong, and why.
fn mistake(target: &Target) -> Result<Error> {
    let mut object = ObjectBuilder::new(target, &BuilderOptions::new());
    let signature = object.c_signature("long long wrong(int);")?;
    let wrong = object.declare("wrong", signature, Linkage::Export)?;
    let defined = object.define(wrong, |b| {
        let (n, one) = (b.param(0), b.i64_const(1));
        let sum = b.iadd(n, one);
        b.ret(Some(sum));
    });
    defined.err().ok_or_else(|| "the mistake is not found".into())
}
