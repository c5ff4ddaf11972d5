//! The programs of the guide in `docs/guide`, one for each chapter.
//!
//! `cargo run --features c,llvm,memory --example guide -- 04_structs` runs that of chapter 4. A program compiles a part of
//! the small language Tern, links it with `cc` and runs it; those of chapters 13 and 14 do without `cc`.

use std::process::Command;

use gusset::abi::CType;
use gusset::{Func, Linkage, ObjectBuilder};

#[path = "06_callbacks.rs"]
mod callbacks;
#[path = "05_calls_to_c.rs"]
mod calls_to_c;
#[path = "08_closures.rs"]
mod closures;
#[path = "14_collector.rs"]
mod collector;
#[path = "11_debugging.rs"]
mod debugging;
#[path = "09_exceptions.rs"]
mod exceptions;
#[path = "01_expressions.rs"]
mod expressions;
#[path = "02_loops.rs"]
mod loops;
#[path = "13_memory.rs"]
mod memory;
#[path = "12_other_targets.rs"]
mod other_targets;
#[path = "03_strings.rs"]
mod strings;
#[path = "04_structs.rs"]
mod structs;
mod syntax;
#[path = "10_threads.rs"]
mod threads;
#[path = "07_variadic.rs"]
mod variadic;

/// What the programs return: any error.
type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A chapter's name, and its program.
type Chapter = (&'static str, fn() -> Result);

const CHAPTERS: [Chapter; 14] = [
    ("01_expressions", expressions::run),
    ("02_loops", loops::run),
    ("03_strings", strings::run),
    ("04_structs", structs::run),
    ("05_calls_to_c", calls_to_c::run),
    ("06_callbacks", callbacks::run),
    ("07_variadic", variadic::run),
    ("08_closures", closures::run),
    ("09_exceptions", exceptions::run),
    ("10_threads", threads::run),
    ("11_debugging", debugging::run),
    ("12_other_targets", other_targets::run),
    ("13_memory", memory::run),
    ("14_collector", collector::run),
];

/// Links an object with what `with` names, libraries or sources in C, and runs the program.
fn link_and_run(object: &[u8], with: &[&str]) -> Result {
    let folder = std::env::temp_dir().join(format!("gusset-guide-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("tern.o"), object)?;
    let linked = Command::new("cc").current_dir(&folder).args(["tern.o", "-o", "tern"]).args(with).status()?;
    let ran = linked.success().then(|| Command::new(folder.join("tern")).status()).transpose()?;
    std::fs::remove_dir_all(&folder)?;
    match ran {
        Some(status) if status.success() => Ok(()),
        Some(status) => Err(format!("the program ends with {status}").into()),
        None => Err("cc cannot link the object".into()),
    }
}

/// The same with a main program in C.
fn run_with_c(object: &[u8], source: &str, flags: &[&str]) -> Result {
    let path = std::env::temp_dir().join(format!("gusset-guide-{}.c", std::process::id()));
    std::fs::write(&path, source)?;
    let name = path.to_string_lossy();
    let with: Vec<&str> = std::iter::once(&*name).chain(flags.iter().copied()).collect();
    let result = link_and_run(object, &with);
    std::fs::remove_file(&path)?;
    result
}

/// Defines a C `main` that calls functions of Tern and prints what they return.
fn define_main(object: &mut ObjectBuilder<'_>, calls: &[(&str, Func, &[i64])]) -> Result {
    let printf = object.declare_c("int printf(const char *, ...);")?;
    let main = object.c_signature("int main(void);")?;
    let main = object.declare("main", main, Linkage::Export)?;
    object.define(main, |b| {
        for &(label, func, args) in calls {
            let args: Vec<_> = args.iter().map(|&n| b.i64_const(n)).collect();
            let result = b.call(func, &args).ok_or("a function of Tern returns a number")?;
            let format = b.text(format!("{label} = %lld\n\0").as_bytes());
            b.call_variadic(printf, &[format], &[(CType::I64, result)]);
        }
        let zero = b.i32_const(0);
        b.ret(Some(zero));
        Ok(())
    })
}

fn main() -> Result {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    for (name, run) in CHAPTERS {
        if name == wanted {
            return run();
        }
    }
    let names = CHAPTERS.map(|(name, _)| name);
    Err(format!("say which chapter: {}", names.join(", ")).into())
}
