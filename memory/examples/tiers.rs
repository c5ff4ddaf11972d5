//! Two tiers of code: a function is compiled at `-O0` when it is first called. That code counts calls, and once there are many, a thread
//! compiles the function at `-O2`, which takes its place while the program goes on.
//!
//! `docs/tiers.md` explains the parts.

use std::error::Error;
use std::fmt::Write;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use gusset_abi::{CType, Signature};
use gusset_codegen::ir::{AtomicInfo, IntCc, Ordering as AccessOrdering, RmwOp, Type};
use gusset_codegen::level::OptimizationLevel;
use gusset_compiler::{Body, BuilderOptions, Data, Func, Linkage, ObjectBuilder, Target};
use gusset_memory::{Memory, MemoryError, Module, ObjectImage};

type Failure = Box<dyn Error + Send + Sync>;

/// With this call a function becomes hot.
const HOT: u32 = 500;

/// A function of the program: from an integer to an integer.
struct Source {
    name: &'static str,
    body: fn(&mut Body<'_, '_>, &[Func]),
}

/// The program. Functions call each other by their places in this list, as a front end would have them in its tables.
const PROGRAM: [Source; 4] = [
    Source { name: "total", body: total },
    Source { name: "steps", body: steps },
    Source { name: "fibonacci", body: fibonacci },
    Source {
        name: "never",
        body: |b, all| {
            let n = b.param(0);
            b.tail_call(all[0], &[n]);
        },
    },
];

/// `steps(1) + … + steps(n)`
fn total(b: &mut Body<'_, '_>, all: &[Func]) {
    let (sum, i) = (b.declare_var(Type::I64), b.declare_var(Type::I64));
    let (zero, one) = (b.i64_const(0), b.i64_const(1));
    b.def_var(sum, zero);
    b.def_var(i, zero);
    let (head, body, end) = (b.create_block(), b.create_block(), b.create_block());
    b.jump(head, &[]);
    b.switch_to(head);
    let (n, at) = (b.param(0), b.use_var(i));
    let more = b.icmp(IntCc::Slt, at, n);
    b.br(more, body, &[], end, &[]);
    b.seal(body);
    b.switch_to(body);
    let at = b.use_var(i);
    let next = b.iadd(at, one);
    b.def_var(i, next);
    let steps = b.call_value(all[1], &[next]);
    let before = b.use_var(sum);
    let after = b.iadd(before, steps);
    b.def_var(sum, after);
    b.jump(head, &[]);
    b.seal(head);
    b.seal(end);
    b.switch_to(end);
    let sum = b.use_var(sum);
    b.ret(Some(sum));
}

/// How often `n` is halved, or tripled and increased, until it is 1 (Collatz).
fn steps(b: &mut Body<'_, '_>, _: &[Func]) {
    let (n, count) = (b.declare_var(Type::I64), b.declare_var(Type::I64));
    let (first, zero, one, three) = (b.param(0), b.i64_const(0), b.i64_const(1), b.i64_const(3));
    b.def_var(n, first);
    b.def_var(count, zero);
    let [head, body, even, odd, end] = std::array::from_fn(|_| b.create_block());
    b.jump(head, &[]);
    b.switch_to(head);
    let value = b.use_var(n);
    let more = b.icmp(IntCc::Sgt, value, one);
    b.br(more, body, &[], end, &[]);
    b.seal(body);
    b.switch_to(body);
    let (before, value) = (b.use_var(count), b.use_var(n));
    let after = b.iadd(before, one);
    b.def_var(count, after);
    let bit = b.and(value, one);
    let is_odd = b.icmp(IntCc::Ne, bit, zero);
    b.br(is_odd, odd, &[], even, &[]);
    b.seal(odd);
    b.switch_to(odd);
    let value = b.use_var(n);
    let tripled = b.imul(value, three);
    let next = b.iadd(tripled, one);
    b.def_var(n, next);
    b.jump(head, &[]);
    b.seal(even);
    b.switch_to(even);
    let value = b.use_var(n);
    let half = b.lshr(value, one);
    b.def_var(n, half);
    b.jump(head, &[]);
    b.seal(head);
    b.seal(end);
    b.switch_to(end);
    let count = b.use_var(count);
    b.ret(Some(count));
}

fn fibonacci(b: &mut Body<'_, '_>, all: &[Func]) {
    let (n, one, two) = (b.param(0), b.i64_const(1), b.i64_const(2));
    let (small, large) = (b.create_block(), b.create_block());
    let is_small = b.icmp(IntCc::Slt, n, two);
    b.br(is_small, small, &[], large, &[]);
    b.seal(small);
    b.switch_to(small);
    b.ret(Some(n));
    b.seal(large);
    b.switch_to(large);
    let (first, second) = (b.isub(n, one), b.isub(n, two));
    let (first, second) = (b.call_value(all[2], &[first]), b.call_value(all[2], &[second]));
    let sum = b.iadd(first, second);
    b.ret(Some(sum));
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tier {
    /// At the first call.
    First,
    /// Of hot functions.
    Hot,
}

/// What compilers and code share.
struct Shared {
    target: Target,
    /// How often the first tier's code of each function was called.
    calls: [AtomicU32; PROGRAM.len()],
    /// Tells the compiler of hot functions their numbers; `None`: it is to end.
    hot: Mutex<Option<Sender<usize>>>,
    /// What was compiled, in order.
    compiled: Mutex<Vec<(usize, Tier)>>,
}

/// Called by code of the first tier when a function has become hot.
extern "C" fn tell_hot(shared: &Shared, number: u32) {
    let hot = shared.hot.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(hot) = &*hot {
        // If nobody compiles any more, the code stays.
        let _ = hot.send(number as usize);
    }
}

impl Shared {
    /// Compiles a function.
    fn image(&self, number: usize, tier: Tier) -> Result<ObjectImage, Failure> {
        let level = if tier == Tier::First { OptimizationLevel::O0 } else { OptimizationLevel::O2 };
        let mut object = ObjectBuilder::new(&self.target, &BuilderOptions::new().level(level));
        let linkage = |other| if other == number { Linkage::Export } else { Linkage::Import };
        let signature = || Signature::c(CType::I64).param(CType::I64);
        let all = PROGRAM.iter().enumerate().map(|(n, source)| object.declare(source.name, signature(), linkage(n)));
        let all = all.collect::<Result<Vec<Func>, _>>()?;
        let told = Signature::c(CType::Void).param(CType::PTR).param(CType::U32);
        let tell_hot = object.declare("tell_hot", told, Linkage::Import)?;
        let calls = object.data("calls", Linkage::Import, Data::zeroed(0, 4))?;
        let shared = object.data("shared", Linkage::Import, Data::zeroed(0, 8))?;
        object.define(all[number], |b| {
            if tier == Tier::First {
                // Counts the call. Several threads may do so.
                let calls = b.address(calls);
                let (counter, one) = (b.offset(calls, 4 * number as i32), b.i32_const(1));
                let info = AtomicInfo::new(AccessOrdering::Monotonic, 4, false);
                let before = b.atomic_rmw(RmwOp::Add, counter, one, info);
                let (limit, number) = (b.i32_const(HOT as i32 - 1), b.i32_const(number as i32));
                let (hot, rest) = (b.create_block(), b.create_block());
                let is_hot = b.icmp(IntCc::Eq, before, limit);
                b.br(is_hot, hot, &[], rest, &[]);
                b.seal(hot);
                b.switch_to(hot);
                let shared = b.address(shared);
                b.call(tell_hot, &[shared, number]);
                b.jump(rest, &[]);
                b.seal(rest);
                b.switch_to(rest);
            }
            (PROGRAM[number].body)(b, &all);
        })?;
        let image = object.finish_image()?;
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner).push((number, tier));
        Ok(image)
    }
}

/// The program in memory.
struct Tiers {
    shared: Arc<Shared>,
    /// The modules by which functions are called for the first time.
    functions: Vec<Module>,
    /// Those with the code of hot functions, once their compiler has ended.
    hot: Vec<Module>,
    compiler: Option<JoinHandle<Result<Vec<Module>, Failure>>>,
}

impl Tiers {
    fn new() -> Result<Tiers, Failure> {
        let (sender, hot) = channel();
        let shared = Arc::new(Shared {
            target: Target::host()?,
            calls: Default::default(),
            hot: Mutex::new(Some(sender)),
            compiled: Mutex::default(),
        });
        let known = Arc::clone(&shared);
        let symbols = move |name: &str| match name.trim_start_matches('_') {
            "calls" => Some(known.calls.as_ptr().cast()),
            "shared" => Some(Arc::as_ptr(&known).cast()),
            "tell_hot" => Some(tell_hot as *const ()),
            _ => None,
        };
        let memory = Memory::options().symbols(symbols).build();
        let format = shared.target.object_format();
        let mut functions = Vec::new();
        for (number, source) in PROGRAM.iter().enumerate() {
            let shared = Arc::clone(&shared);
            let decorated = if cfg!(all(windows, target_arch = "x86")) { "_" } else { "" };
            let name = format!("{decorated}{}", source.name);
            functions.push(memory.add_lazy(format, &name, move || shared.image(number, Tier::First))?);
        }
        let (compiling, memory) = (Arc::clone(&shared), memory.clone());
        let compiler = std::thread::spawn(move || compile_hot(&compiling, &memory, &hot));
        Ok(Tiers { shared, functions, hot: Vec::new(), compiler: Some(compiler) })
    }

    /// Calls a function.
    fn call(&self, name: &str, argument: i64) -> Result<i64, Failure> {
        let number = PROGRAM.iter().position(|source| source.name == name);
        let module = number.and_then(|number| self.functions.get(number));
        let module = module.ok_or_else(|| MemoryError::NotFound { symbol: name.to_string() })?;
        // SAFETY: all functions of the program have this signature.
        let function = unsafe { module.function::<extern "C" fn(i64) -> i64>(name) }?;
        Ok(function(argument))
    }

    /// Lets the compiler of hot functions do what it was told, and ends it: what becomes hot from now on stays as it is.
    fn finish(&mut self) -> Result<(), Failure> {
        self.shared.hot.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(compiler) = self.compiler.take() {
            self.hot = compiler.join().map_err(|_| "the compiler of hot functions has panicked")??;
        }
        Ok(())
    }

    /// What was compiled, in order: the functions' names, and for which tier.
    fn compiled(&self) -> Vec<(&'static str, Tier)> {
        let compiled = self.shared.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        compiled.iter().map(|&(number, tier)| (PROGRAM[number].name, tier)).collect()
    }

    /// How often the first tier's code of a function was called.
    fn calls(&self, name: &str) -> u32 {
        let number = PROGRAM.iter().position(|source| source.name == name);
        number.map_or(0, |number| self.shared.calls[number].load(Ordering::Relaxed))
    }
}

/// Compiles hot functions until nobody can tell of one. The code of the first tier stays, since threads may be in it.
fn compile_hot(shared: &Shared, memory: &Memory, hot: &Receiver<usize>) -> Result<Vec<Module>, Failure> {
    let mut modules = Vec::new();
    for number in hot {
        let image = shared.image(number, Tier::Hot)?;
        // SAFETY: the modules are kept as long as code runs, and those with the code of the first tier by that of `functions`.
        modules.push(unsafe { memory.replace(image) }?);
    }
    Ok(modules)
}

/// Runs the program, and says what it gives and what was compiled.
fn report() -> Result<String, Failure> {
    let (mut tiers, mut report) = (Tiers::new()?, String::new());
    for (name, argument) in [("total", 20_000), ("fibonacci", 30)] {
        writeln!(report, "{name}({argument}) = {}", tiers.call(name, argument)?)?;
    }
    tiers.finish()?;
    for (name, tier) in tiers.compiled() {
        let why = if tier == Tier::First { "at -O0 when it was called" } else { "at -O2 when it was hot" };
        writeln!(report, "{name}: compiled {why}")?;
    }
    for Source { name, .. } in PROGRAM {
        writeln!(report, "{name}: {} calls of the first code", tiers.calls(name))?;
    }
    Ok(report)
}

fn main() -> Result<(), Failure> {
    print!("{}", report()?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Its lines are those of `docs/tiers.md`, where `…` stands for what depends on when threads run; so may their order.
    #[test]
    fn the_report_says_what_was_compiled() {
        let page = include_str!("../../docs/tiers.md");
        let shown = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let report = report().unwrap();
        assert!(shown.lines().all(|line| line == "…" || report.lines().any(|own| own == line)), "{report}");
        assert_eq!((shown.lines().count(), report.lines().count()), (10, 11), "{report}");
    }

    #[test]
    fn hot_functions_are_compiled_again() {
        let steps = |first: i64| {
            let next = |&n: &i64| (n > 1).then(|| if n % 2 == 0 { n / 2 } else { 3 * n + 1 });
            std::iter::successors(Some(first), next).count() as i64 - 1
        };
        let mut tiers = Tiers::new().unwrap();
        assert_eq!(tiers.compiled(), []);
        let few = i64::from(HOT) - 1;
        assert_eq!(tiers.call("total", few).unwrap(), (1..=few).map(steps).sum());
        assert_eq!(tiers.compiled(), [("total", Tier::First), ("steps", Tier::First)]);
        assert_eq!(tiers.call("steps", 27).unwrap(), 111);
        assert_eq!(tiers.call("fibonacci", 15).unwrap(), 610);
        tiers.finish().unwrap();
        let hot = |name| tiers.compiled().iter().filter(|known| **known == (name, Tier::Hot)).count();
        assert_eq!(["total", "steps", "fibonacci", "never"].map(hot), [0, 1, 1, 0]);
        // The new code is called now, and counts nothing; the same from within the first code of `total`, and from itself.
        let before = ["steps", "fibonacci"].map(|name| tiers.calls(name));
        assert!(before.iter().all(|calls| *calls >= HOT), "{before:?}");
        assert_eq!(tiers.call("total", 1000).unwrap(), (1..=1000).map(steps).sum());
        assert_eq!(tiers.call("fibonacci", 20).unwrap(), 6765);
        assert_eq!(["steps", "fibonacci"].map(|name| tiers.calls(name)), before);
        assert_eq!((tiers.calls("total"), tiers.calls("never")), (2, 0));
    }
}
