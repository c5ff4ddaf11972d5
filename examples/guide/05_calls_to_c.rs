//! Chapter 5: calls to C. Functions of the C library, declared by C's own text.

use gusset::abi::CType;
use gusset::{BuilderOptions, Linkage, ObjectBuilder, Target};

use super::{Result, link_and_run};

const HEADER: &str = "
    typedef struct { int quot; int rem; } div_t;
    div_t div(int numerator, int denominator);
    double hypot(double, double);
    int snprintf(char *buffer, size_t size, const char *format, ...);
    int puts(const char *);
";

pub fn run() -> Result {
    let target = Target::host()?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());

    let functions = object.declare_c_header(HEADER)?;
    let find = |name: &str| functions.iter().find(|(known, _)| known == name).map(|&(_, func)| func);
    let div = find("div").ok_or("no `div`")?;
    let hypot = find("hypot").ok_or("no `hypot`")?;
    let snprintf = find("snprintf").ok_or("no `snprintf`")?;
    let puts = find("puts").ok_or("no `puts`")?;
    let result_of_div = object.c_type(HEADER, Some("div_t"))?;
    let fields = object.offsets(&result_of_div)?;

    let signature = object.c_signature("int main(int argc, char **argv);")?;
    let main = object.declare("main", signature, Linkage::Export)?;
    object.define(main, |b| {
        // The result of `div` is a struct: what the call gives is the address of a fresh one.
        let (numerator, denominator) = (b.i32_const(47), b.i32_const(10));
        let divided = b.call(div, &[numerator, denominator]).ok_or("`div` returns a struct")?;
        let (quotient, rest) = (b.load_i32(divided, fields[0]), b.load_i32(divided, fields[1]));

        let (x, y) = (b.f64_const(3.0), b.f64_const(4.0));
        let length = b.call(hypot, &[x, y]).ok_or("`hypot` returns a number")?;

        // Unnamed arguments have the types that the call gives them.
        let buffer = b.local(&CType::array(CType::I8, 80));
        let (size, format) = (b.ptr_const(80), b.text(b"47 = 10 * %d + %d, hypot %g\0"));
        let unnamed = [(CType::I32, quotient), (CType::I32, rest), (CType::F64, length)];
        b.call_variadic(snprintf, &[buffer, size, format], &unnamed);
        b.call(puts, &[buffer]);

        let zero = b.i32_const(0);
        b.ret(Some(zero));
        Result::Ok(())
    })?;

    link_and_run(&object.finish()?, &["-lm"])
}
