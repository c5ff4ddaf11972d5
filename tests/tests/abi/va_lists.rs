//! A `va_list` of C passes between functions of the library's builder and those of C compilers, wherever it is passed in another way.

use gusset::abi::{CType, Signature};
use gusset::{BuilderOptions, Features, Linkage, ObjectBuilder, Target};
use gusset_tests::calls::matrix::{A32, AARCH64, ARM_SOFT, LINUX, LINUX32, MINGW32, MINGW64, System};
use gusset_tests::tools::{Failure, cc, limited, run, succeed, work_folder};
use gusset_tests::wine;

const PROGRAM: &str = r#"
        #include <stdarg.h>
        #include <string.h>
        int print(char *, const char *, ...);
        double second(va_list);
        static double pass(int n, ...) { va_list l; va_start(l, n); double d = second(l); va_end(l); return d; }
        int main(void) {
            char text[100];
            if (print(text, "%d %.2f %s", 7, 2.5, "word") != 11 || strcmp(text, "7 2.50 word")) return 1;
            return pass(1, 2, 3.5) == 3.5 ? 0 : 2;
        }"#;

/// Functions that hand a `va_list` on and receive one: `print` calls `vsnprintf`, `second` gives the second argument.
fn lists(target: &Target) -> Result<Vec<u8>, gusset::Error> {
    let mut object = ObjectBuilder::new(target, &BuilderOptions::new());
    let c = object.c_types();
    let list = Signature::c(CType::I32).param(CType::PTR).param(c.size_t).param(CType::PTR).param(c.va_list.clone());
    let vsnprintf = object.declare("vsnprintf", list, Linkage::Import)?;
    let variadic = Signature::c(CType::I32).param(CType::PTR).param(CType::PTR).ellipsis();
    let print = object.declare("print", variadic, Linkage::Export)?;
    object.define(print, |b| {
        let (to, format, list) = (b.param(0), b.param(1), b.va_start());
        let kept = b.va_copy(list);
        let (size, first) = (b.ptr_const(100), b.va_list_argument(list));
        b.call(vsnprintf, &[to, size, format, first]);
        let (size, again) = (b.ptr_const(100), b.va_list_argument(kept));
        let result = b.call(vsnprintf, &[to, size, format, again]);
        b.ret(result);
    })?;
    let second = object.declare("second", Signature::c(CType::F64).param(c.va_list), Linkage::Export)?;
    object.define(second, |b| {
        let received = b.param(0);
        let list = b.va_list_parameter(received);
        b.va_arg(list, &CType::I32);
        let second = b.va_arg(list, &CType::F64);
        b.ret(Some(second));
    })?;
    object.finish()
}

/// Links the functions with a C program, and runs it.
fn check(system: &System) -> Result<(), Failure> {
    let failed = |e: gusset::Error| Failure::new(e.to_string()).at(system.triple);
    let target = Target::from_triple(system.triple, &Features::default()).map_err(failed)?;
    let folder = work_folder(&format!("va-lists/{}", system.triple));
    let program = folder.join("program.exe");
    std::fs::write(folder.join("lists.o"), lists(&target).map_err(failed)?)?;
    std::fs::write(folder.join("main.c"), PROGRAM)?;
    let mut command = limited(60, system.gcc.map_or_else(cc, str::to_string));
    command.args(system.gcc_flags).args(["-O1", "-w"]).args((!system.windows).then_some("-static"));
    succeed(command.arg(folder.join("main.c")).arg(folder.join("lists.o")).arg("-o").arg(&program))?;
    let outcome = match system.windows {
        true => run(wine::command(60)?.arg(&program))?,
        false => run(&mut system.mode.runner(30, &program))?,
    };
    match outcome.code {
        0 => Ok(()),
        code => Err(Failure::new(format!("{}: exit code {code}", program.display())).at(system.triple)),
    }
}

#[test]
fn lists_are_handed_on() -> Result<(), Failure> {
    [LINUX, LINUX32, A32, ARM_SOFT, AARCH64, MINGW64, MINGW32].iter().try_for_each(check)
}
