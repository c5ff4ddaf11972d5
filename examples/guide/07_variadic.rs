//! Chapter 7: variadic definitions. C calls functions of Tern with any number of arguments.

use gusset::abi::{CType, Signature};
use gusset::ir::{IntCc, Type};
use gusset::{BuilderOptions, Linkage, ObjectBuilder, Target};

use super::{Result, run_with_c};

const MAIN: &str = r#"
    #include <stdio.h>
    int say(const char *format, ...);
    double sum(int count, ...);

    int main(void) {
        int printed = say("%s has %d legs and %g wings\n", "a tern", 2, 2.0);
        printf("%d characters, sum %g\n", printed, sum(3, 1.5, 2.25, 4.0));
        return 0;
    }
"#;

pub fn run() -> Result {
    let target = Target::host()?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());

    // fn say(format: text, ...) -> int { return vprintf(format, ...); }
    let vprintf = object.declare_c("int vprintf(const char *, va_list);")?;
    let signature = Signature::c(CType::I32).param(CType::PTR).ellipsis();
    let say = object.declare("say", signature, Linkage::Export)?;
    object.define(say, |b| {
        let format = b.param(0);
        let list = b.va_start();
        let list = b.va_list_argument(list);
        let printed = b.call(vprintf, &[format, list]);
        b.ret(printed);
    })?;

    // fn sum(count: int, ...) -> double { … }
    let signature = Signature::c(CType::F64).param(CType::I32).ellipsis();
    let sum = object.declare("sum", signature, Linkage::Export)?;
    object.define(sum, |b| {
        let list = b.va_start();
        let (left, total) = (b.declare_var(Type::I32), b.declare_var(Type::F64));
        let (count, zero) = (b.param(0), b.f64_const(0.0));
        b.def_var(left, count);
        b.def_var(total, zero);

        let (head, inside, end) = (b.create_block(), b.create_block(), b.create_block());
        b.jump(head, &[]);
        b.switch_to(head);
        let (now, none) = (b.use_var(left), b.i32_const(0));
        let more = b.icmp(IntCc::Sgt, now, none);
        b.br(more, inside, &[], end, &[]);
        b.seal(inside);
        b.seal(end);

        b.switch_to(inside);
        let number = b.va_arg(list, &CType::F64);
        let so_far = b.use_var(total);
        let so_far = b.fadd(so_far, number);
        b.def_var(total, so_far);
        let (now, one) = (b.use_var(left), b.i32_const(1));
        let now = b.isub(now, one);
        b.def_var(left, now);
        b.jump(head, &[]);
        b.seal(head);

        b.switch_to(end);
        let result = b.use_var(total);
        b.ret(Some(result));
    })?;

    run_with_c(&object.finish()?, MAIN, &[])
}
