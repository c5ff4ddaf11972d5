//! Runs programs of finished objects in memory: `objects [--target TRIPLE] [--lib LIB]... OBJECT [ARGUMENTS]...` calls the object's
//! `main`. Objects of several files are joined by `ld -r` first.

use std::error::Error;
use std::ffi::{CString, c_char, c_int};

use gusset_compiler::{Features, Target, host_triple};
use gusset_memory::Memory;
use libloading::Library;

type Main = extern "C" fn(c_int, *const *const c_char) -> c_int;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let (mut triple, mut libraries) = (host_triple(), Vec::new());
    while words.first().is_some_and(|word| word.starts_with("--")) && words.len() > 2 {
        let rest = words.split_off(2);
        match words[0].as_str() {
            "--target" => triple = words.remove(1),
            // SAFETY: the user names it for the program to call.
            "--lib" => libraries.push(unsafe { Library::new(&words[1]) }?),
            other => return Err(format!("unknown option `{other}`").into()),
        }
        words = rest;
    }
    let Some(file) = words.first() else { return Err("an object is missing".into()) };
    let target = Target::from_triple(&triple, &Features::default())?;
    let memory = Memory::options().symbols(move |name| {
        // SAFETY: the address is not used as anything here.
        let find = |library: &Library| unsafe { Some(*library.get::<*const ()>(name.as_bytes()).ok()?) };
        libraries.iter().find_map(find)
    });
    let module = memory.build().add_object(target.object_format(), &std::fs::read(file)?)?;
    let main = if cfg!(all(windows, target_arch = "x86")) { "_main" } else { "main" };
    // SAFETY: it is a program of C's.
    let main = unsafe { module.function::<Main>(main) }?;
    let arguments = words.iter().map(|word| CString::new(word.as_str())).collect::<Result<Vec<_>, _>>()?;
    let mut pointers: Vec<*const c_char> = arguments.iter().map(|word| word.as_ptr()).collect();
    pointers.push(std::ptr::null());
    let code = main(arguments.len() as c_int, pointers.as_ptr());
    drop(module);
    // The program's own output may still be in the C library's buffers.
    std::process::exit(code)
}
