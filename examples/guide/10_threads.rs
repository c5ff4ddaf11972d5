//! Chapter 10: threads. Several threads define the functions of one object.

use gusset::abi::{CType, Signature};
use gusset::{BuilderOptions, Func, Linkage, ObjectBuilder, Target};

use super::{Result, define_main, link_and_run};

/// What a thread returns. The error can be sent to another thread.
type Outcome = std::result::Result<(), gusset::Error>;

/// The number of functions.
const COUNT: usize = 256;

pub fn run() -> Result {
    let (alone, together) = (build(1)?, build(4)?);
    println!("the same bytes: {}", alone == together);
    link_and_run(&together, &[])
}

fn build(threads: usize) -> Result<Vec<u8>> {
    let target = Target::host()?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());

    // Declaring needs the builder alone.
    let mut functions = Vec::new();
    for i in 0..COUNT {
        let signature = Signature::c(CType::I64).param(CType::I64);
        functions.push(object.declare(&format!("plus_{i}"), signature, Linkage::Export)?);
    }

    // Defining does not: the threads share it.
    let outcomes: Vec<Outcome> = std::thread::scope(|scope| {
        let (object, functions) = (&object, &functions);
        let start = |first| scope.spawn(move || define_some(object, functions, first, threads));
        let workers: Vec<_> = (0..threads).map(start).collect();
        workers.into_iter().map(|worker| worker.join().expect("no panic")).collect()
    });
    outcomes.into_iter().collect::<Outcome>()?;

    define_main(&mut object, &[("plus_200(1)", functions[200], &[1])])?;
    Ok(object.finish()?)
}

/// Defines every `step`th function.
fn define_some(object: &ObjectBuilder<'_>, functions: &[Func], first: usize, step: usize) -> Outcome {
    for i in (first..functions.len()).step_by(step) {
        object.define(functions[i], |b| {
            let (x, i) = (b.param(0), b.i64_const(i as i64));
            let sum = b.iadd(x, i);
            b.ret(Some(sum));
        })?;
    }
    Ok(())
}
