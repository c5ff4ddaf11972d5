//! Chapter 2: local variables and loops. A compiler for all of Tern's statements.

use std::collections::HashMap;

use gusset::abi::{CType, Signature};
use gusset::ir::{IntCc, Type, Value, Variable};
use gusset::{Body, BuilderOptions, Func, Linkage, ObjectBuilder, Target};

use super::syntax::{Expr, Function, Stmt, parse};
use super::{Result, define_main, link_and_run};

const SOURCE: &str = "
    fn gcd(a, b) {
        while b != 0 {
            let rest = a % b;
            a = b;
            b = rest;
        }
        return a;
    }
    fn fibonacci(n) {
        if n < 2 { return n; }
        return fibonacci(n - 1) + fibonacci(n - 2);
    }
";

pub fn run() -> Result {
    let functions = parse(SOURCE)?;
    let target = Target::host()?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let mut known = HashMap::new();
    for function in &functions {
        let result = Signature::c(CType::I64);
        let signature = function.params.iter().fold(result, |signature, _| signature.param(CType::I64));
        known.insert(function.name, object.declare(function.name, signature, Linkage::Export)?);
    }
    for function in &functions {
        object.define(known[function.name], |b| {
            let mut generator = Generator { b, known: &known, variables: HashMap::new() };
            generator.function(function)
        })?;
    }
    define_main(
        &mut object,
        &[("gcd(84, 36)", known["gcd"], &[84, 36]), ("fibonacci(20)", known["fibonacci"], &[20])],
    )?;
    link_and_run(&object.finish()?, &[])
}

/// Makes the body of one function.
struct Generator<'g, 'b, 't, 's> {
    b: &'g mut Body<'b, 't>,
    known: &'g HashMap<&'s str, Func>,
    variables: HashMap<&'s str, Variable>,
}

impl<'s> Generator<'_, '_, '_, 's> {
    fn function(&mut self, function: &Function<'s>) -> Result {
        for (i, name) in function.params.iter().enumerate() {
            let value = self.b.param(i);
            self.declare(name, value);
        }
        self.block(&function.body)?;
        if self.b.current_block().is_some() {
            return Err(format!("`{}` can end without a result", function.name).into());
        }
        Ok(())
    }

    fn declare(&mut self, name: &'s str, value: Value) {
        let variable = self.b.declare_var(Type::I64);
        self.b.def_var(variable, value);
        self.variables.insert(name, variable);
    }

    fn variable(&self, name: &str) -> Result<Variable> {
        Ok(*self.variables.get(name).ok_or_else(|| format!("there is no variable `{name}`"))?)
    }

    fn block(&mut self, statements: &[Stmt<'s>]) -> Result {
        for statement in statements {
            if self.b.current_block().is_none() {
                return Err("a statement is never reached".into());
            }
            self.statement(statement)?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Stmt<'s>) -> Result {
        match statement {
            Stmt::Let(name, expr) => {
                let value = self.expression(expr)?;
                self.declare(name, value);
            }
            Stmt::Assign(name, expr) => {
                let (variable, value) = (self.variable(name)?, self.expression(expr)?);
                self.b.def_var(variable, value);
            }
            Stmt::Return(expr) => {
                let value = self.expression(expr)?;
                self.b.ret(Some(value));
            }
            Stmt::If(condition, inside) => {
                let (then, end) = (self.b.create_block(), self.b.create_block());
                self.branch(condition, [then, end])?;
                self.b.seal(then);
                self.b.switch_to(then);
                self.block(inside)?;
                if self.b.current_block().is_some() {
                    self.b.jump(end, &[]);
                }
                self.b.seal(end);
                self.b.switch_to(end);
            }
            Stmt::While(condition, inside) => {
                let (head, then, end) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
                self.b.jump(head, &[]);
                self.b.switch_to(head);
                self.branch(condition, [then, end])?;
                self.b.seal(then);
                self.b.switch_to(then);
                self.block(inside)?;
                if self.b.current_block().is_some() {
                    self.b.jump(head, &[]);
                }
                // Only now all jumps to the head of the loop are known.
                self.b.seal(head);
                self.b.seal(end);
                self.b.switch_to(end);
            }
        }
        Ok(())
    }

    /// Ends the block: to the first block if the condition is not zero, else to the second.
    fn branch(&mut self, condition: &Expr<'s>, [then, other]: [gusset::ir::Block; 2]) -> Result {
        let (condition, zero) = (self.expression(condition)?, self.b.i64_const(0));
        let holds = self.b.icmp(IntCc::Ne, condition, zero);
        self.b.br(holds, then, &[], other, &[]);
        Ok(())
    }

    fn expression(&mut self, expr: &Expr<'s>) -> Result<Value> {
        Ok(match expr {
            Expr::Number(n) => self.b.i64_const(*n),
            Expr::Name(name) => {
                let variable = self.variable(name)?;
                self.b.use_var(variable)
            }
            Expr::Call(name, args) => {
                let args: Vec<Value> = args.iter().map(|arg| self.expression(arg)).collect::<Result<_>>()?;
                let &callee = self.known.get(name).ok_or_else(|| format!("there is no function `{name}`"))?;
                self.b.call(callee, &args).ok_or("a function of Tern returns a number")?
            }
            Expr::Binary(operator, left, right) => {
                let (left, right) = (self.expression(left)?, self.expression(right)?);
                match *operator {
                    "+" => self.b.iadd(left, right),
                    "-" => self.b.isub(left, right),
                    "*" => self.b.imul(left, right),
                    "/" => self.b.sdiv(left, right),
                    "%" => self.b.srem(left, right),
                    "<" => self.truth(IntCc::Slt, left, right),
                    "==" => self.truth(IntCc::Eq, left, right),
                    _ => self.truth(IntCc::Ne, left, right),
                }
            }
        })
    }

    /// A comparison as a number of Tern, 0 or 1.
    fn truth(&mut self, condition: IntCc, left: Value, right: Value) -> Value {
        let holds = self.b.icmp(condition, left, right);
        self.b.zext(holds, Type::I64)
    }
}
