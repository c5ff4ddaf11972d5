//! Modules of LLVM IR for the machine that runs the test.

use gusset_codegen::object::ObjectFormat;
use gusset_compiler::{Emit, Features, Options, Relocation, Source, Target, compile_llvm, host_triple};
use gusset_memory::{Memory, ObjectImage};

fn target() -> Target {
    Target::from_triple(&host_triple(), &Features::default()).unwrap()
}

fn compile(text: &str, options: &Options) -> gusset_compiler::Compilation {
    let source = Source { name: "test.ll", text: text.as_bytes() };
    compile_llvm(source, &target(), options, &mut |_| {}).unwrap_or_else(|e| panic!("{e}"))
}

/// The image of a module.
pub fn image(text: &str) -> ObjectImage {
    compile(text, &Options::new().emit(Emit::Image)).image.unwrap()
}

/// The format of this machine's objects.
#[allow(dead_code)]
pub fn format() -> &'static ObjectFormat {
    target().object_format()
}

/// The finished object of a module, and its format.
#[allow(dead_code)]
pub fn object(text: &str) -> (&'static ObjectFormat, Vec<u8>) {
    let options = Options::new().relocation(Relocation::Pic);
    (target().object_format(), compile(text, &options).bytes.into_vec().unwrap())
}

/// The module, or the error as the panic's message.
#[allow(dead_code)]
pub fn ok<T, E: std::fmt::Display>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|e| panic!("{e}"))
}

/// A memory in which modules find these functions.
#[allow(dead_code)]
pub fn memory_of(functions: &[(&'static str, *const ())]) -> Memory {
    let functions: Vec<(&str, usize)> = functions.iter().map(|&(name, at)| (name, at as usize)).collect();
    let find = move |name: &str| {
        let bare = if cfg!(all(windows, target_arch = "x86")) { name.strip_prefix('_').unwrap_or(name) } else { name };
        functions.iter().find(|(known, _)| *known == bare).map(|&(_, at)| at as *const ())
    };
    Memory::options().symbols(find).build()
}
