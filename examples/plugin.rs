//! A host whose plug-in is replaced while it runs: `cargo run --features llvm,memory --example plugin` reads commands from standard input.
//!
//! `load FILE.ll` compiles a plug-in, a file of LLVM IR that defines `i64 @step(i64)`, and puts it in the place of the one before; `call N` prints
//! what `step` makes of a number. A second thread calls `step` all the time. What it runs at that moment stays until it has returned: the
//! host keeps the modules of earlier plug-ins.

use std::io::BufRead;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gusset::memory::{Module, ObjectImage};
use gusset::{Emit, Memory, Options, Source, Target, compile_llvm};

type Error = Box<dyn std::error::Error>;
type Step = extern "C" fn(i64) -> i64;

/// The plug-in before any is loaded.
const FIRST: &str = "define i64 @step(i64 %x) { ret i64 %x }";

fn compiled(name: &str, text: &str, target: &Target) -> Result<ObjectImage, Error> {
    let options = Options::new().emit(Emit::Image);
    let done = compile_llvm(Source { name, text: text.as_bytes() }, target, &options, &mut |_| {})?;
    done.image.ok_or_else(|| "nothing was compiled".into())
}

/// Compiles a file and replaces the plug-in by it.
fn load(file: &str, target: &Target, memory: &Memory) -> Result<Module, Error> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let image = compiled(file, &text, target)?;
    if !image.symbols.iter().any(|symbol| symbol.name == "step" && symbol.place.is_some()) {
        return Err(format!("{file}: it defines no `step`").into());
    }
    // SAFETY: all modules stay until the program ends.
    Ok(unsafe { memory.replace(image)? })
}

fn main() -> Result<(), Error> {
    let target = Target::host()?;
    let memory = Memory::options().replaceable(|name| name == "step").build();
    let mut modules = vec![memory.add(compiled("first", FIRST, &target)?)?];
    // SAFETY: plug-ins define it so. The address is that of a stub, which leads to the newest plug-in.
    let step: Step = *unsafe { modules[0].function::<Step>("step")? };
    let (stop, calls) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                step(1);
                calls.fetch_add(1, Ordering::Relaxed);
            }
        });
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            match line.split_once(' ') {
                Some(("load", file)) => match load(file, &target, &memory) {
                    Ok(module) => modules.push(module),
                    Err(error) => println!("{error}"),
                },
                Some(("call", number)) => println!("{}", step(number.parse().unwrap_or(0))),
                _ => println!("commands are `load FILE` and `call NUMBER`"),
            }
        }
        while calls.load(Ordering::Relaxed) == 0 {
            std::thread::yield_now();
        }
        stop.store(true, Ordering::Relaxed);
    });
    println!("the second thread has called it, too");
    Ok(())
}
