//! Chapter 1: expressions. A compiler for functions that return an expression of their parameters.

use std::collections::HashMap;

use gusset::abi::{CType, Signature};
use gusset::ir::Value;
use gusset::{Body, BuilderOptions, Func, Linkage, ObjectBuilder, Target};

use super::syntax::{Expr, Function, Stmt, parse};
use super::{Result, define_main, link_and_run};

const SOURCE: &str = "
    fn area(w, h) { return w * h; }
    fn border(w, h) { return area(w + 2, h + 2) - area(w, h); }
";

pub fn run() -> Result {
    let functions = parse(SOURCE)?;

    let target = Target::host()?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());

    // All functions are declared before the first is defined, so that each can call each.
    let mut known = HashMap::new();
    for function in &functions {
        let result = Signature::c(CType::I64);
        let signature = function.params.iter().fold(result, |signature, _| signature.param(CType::I64));
        known.insert(function.name, object.declare(function.name, signature, Linkage::Export)?);
    }
    for function in &functions {
        object.define(known[function.name], |b| body(b, function, &known))?;
    }

    define_main(&mut object, &[("border(6, 7)", known["border"], &[6, 7])])?;
    link_and_run(&object.finish()?, &[])
}

/// Fills the body of a function.
fn body(b: &mut Body<'_, '_>, function: &Function<'_>, known: &HashMap<&str, Func>) -> Result {
    let [Stmt::Return(result)] = &function.body[..] else {
        return Err(format!("`{}` is not a single `return`", function.name).into());
    };
    let result = expression(b, function, known, result)?;
    b.ret(Some(result));
    Ok(())
}

/// Makes the instructions of an expression, and gives its value.
fn expression(
    b: &mut Body<'_, '_>,
    function: &Function<'_>,
    known: &HashMap<&str, Func>,
    expr: &Expr<'_>,
) -> Result<Value> {
    Ok(match expr {
        Expr::Number(n) => b.i64_const(*n),
        Expr::Name(name) => {
            let position = function.params.iter().position(|param| param == name);
            b.param(position.ok_or_else(|| format!("there is no `{name}`"))?)
        }
        Expr::Call(name, args) => {
            let args: Vec<Value> = args.iter().map(|arg| expression(b, function, known, arg)).collect::<Result<_>>()?;
            let &callee = known.get(name).ok_or_else(|| format!("there is no function `{name}`"))?;
            b.call(callee, &args).ok_or("a function of Tern returns a number")?
        }
        Expr::Binary(operator, left, right) => {
            let left = expression(b, function, known, left)?;
            let right = expression(b, function, known, right)?;
            match *operator {
                "+" => b.iadd(left, right),
                "-" => b.isub(left, right),
                "*" => b.imul(left, right),
                "/" => b.sdiv(left, right),
                "%" => b.srem(left, right),
                other => return Err(format!("chapter 1 has no `{other}`").into()),
            }
        }
    })
}
