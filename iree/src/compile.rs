//! An `.mlir` file's functions and what makes a module of them, in one object.

use gusset_abi::CType;
use gusset_codegen::ir::{InstData, Linkage, Opcode, Type};
use gusset_mlir::ReadError;

use super::module::emit::{error, signature};
use super::module::{FAIL, Hal, ModuleBuilder};
use super::source::{IreeSource, entries};
use super::wrapper::{Loader, Route, Wrapper};
use gusset_compiler::{
    Compilation, EmbeddedMlir, Error, MlirOptions, ObjectBuilder, Options, Progress, Relocation, Source, Target,
};

/// What a module is called, and what it is made for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IreeOptions {
    /// Its name.
    pub name: String,
    /// The symbol by which hosts create it, if it is not the one that they look for: `--module=./k.so@symbol`.
    pub symbol: Option<String>,
    /// Where arrays are.
    pub hal: Hal,
    /// Arguments have their names (`iree.abi.name`) in the records that are made, too. IREE's invoker in Python takes such arguments
    /// by name alone.
    pub names: bool,
    /// How its functions get into a program.
    pub route: Route,
    /// Who loads that program's executable, if they do not get there as a module.
    pub loader: Loader,
}

impl IreeOptions {
    /// A module of a name, as IREE's tools expect it.
    pub fn new(name: impl Into<String>) -> IreeOptions {
        IreeOptions {
            name: name.into(),
            symbol: None,
            hal: Hal::default(),
            names: false,
            route: Route::default(),
            loader: Loader::default(),
        }
    }
}

/// Compiles an `.mlir` file to a module for IREE's runtime: its public functions of `func` are the module's, and external functions
/// with names `module.function` are those of other modules. The object is to be linked to a shared library. Types must be such
/// as have records (numbers, memrefs of numbers), else the attribute `iree.abi` says what they are; `iree.reflection`, `iree.abi`,
/// `iree.abi.declaration` and `iree.abi.model` of functions count, and of arguments and results `iree.abi.name`, `iree.abi.encoding`,
/// `iree.abi.output`, `iree.abi.tied`, and `gusset.result` of arguments that are to become results. `progress` is as with
/// [`compile_mlir`](gusset_compiler::compile_mlir). By another route than [`Route::Module`] the functions are dispatched by programs of IREE's:
/// see [`Wrapper`]. A `cf.assert` whose condition is false ends the process there, with its message if there is a C library.
///
/// # Errors
/// No module can have the name; a function has a type or an attribute that is not supported; the options make code that no
/// module can have; as [`compile_mlir`](gusset_compiler::compile_mlir).
pub fn compile_iree(
    source: Source<'_>,
    target: &Target,
    options: &Options,
    iree: &IreeOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<Compilation, Error> {
    let found = entries(source, target, options.mlir.index_bits, iree.names)?;
    if iree.route != Route::Module {
        return compile_dispatched((source, &found), target, options, iree, progress);
    }
    let mut module = ModuleBuilder::new(&iree.name, iree.hal)?;
    if let Some(symbol) = &iree.symbol {
        module.symbol(symbol);
    }
    module.index_bits(Some(found.index_bits));
    for entry in &found.entries {
        module.export(entry.clone())?;
    }
    for import in &found.imports {
        module.import(import.clone())?;
    }
    // Only `cf.assert` makes functions fail, by whatever name.
    if memchr::memmem::find(source.text, b"assert").is_some() {
        module.can_fail();
    }
    let define = |object: &mut ObjectBuilder<'_>| module.define(object).map_err(|e| found.placed(e, source));
    compile_entries(
        (source, &found),
        target,
        options,
        Around { failure: Some(FAIL), no_library: false },
        &define,
        progress,
    )
}

/// Compiles functions that are dispatched.
fn compile_dispatched(
    (source, found): (Source<'_>, &IreeSource),
    target: &Target,
    options: &Options,
    iree: &IreeOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<Compilation, Error> {
    let wrapper = wrapper((source, found), options, iree)?;
    let asserts = memchr::memmem::find(source.text, b"assert").is_some();
    // Else C's functions say what is wrong and end the process.
    let alone = iree.loader == Loader::Embedded;
    let own = asserts && alone;
    let define = |object: &mut ObjectBuilder<'_>| {
        if own {
            let signature = signature(CType::Void, &[CType::PTR]);
            let func = object.declare(FAIL, signature, Linkage::Private)?;
            object.define(func, |b| {
                b.push(InstData { op: Opcode::Trap, flags: 0, ty: Type::VOID, a: 0, b: 0, c: 0 }, &[]);
                b.unreachable();
            })?;
        }
        wrapper.define(object).map_err(|e| found.placed(e, source))
    };
    let around = Around { failure: own.then_some(FAIL), no_library: alone };
    compile_entries((source, found), target, options, around, &define, progress)
}

/// The functions of a file for programs that dispatch them.
fn wrapper<'w>(
    (source, found): (Source<'_>, &'w IreeSource),
    options: &Options,
    iree: &'w IreeOptions,
) -> Result<Wrapper<'w>, Error> {
    if let Some(import) = found.imports.first() {
        let error = error(&import.name, "functions that are dispatched cannot call those of other modules");
        return Err(found.placed(error, source));
    }
    Ok(Wrapper {
        loader: iree.loader,
        allocation: options.mlir.allocation,
        index_bits: Some(found.index_bits),
        ..Wrapper::new(&iree.name, &found.entries, iree.route)
    })
}

/// The program for `iree-compile` around the functions of an `.mlir` file ([`Wrapper::text`]), with the choices of [`compile_iree`].
/// `objects`: the paths of what that makes, if it is linked into the program's executable.
///
/// # Errors
/// As [`compile_iree`]; the route has no such program.
pub fn iree_wrapper(
    source: Source<'_>,
    target: &Target,
    options: &Options,
    iree: &IreeOptions,
    objects: &[&str],
) -> Result<String, Error> {
    let found = entries(source, target, options.mlir.index_bits, iree.names)?;
    let wrapper = wrapper((source, &found), options, iree)?;
    wrapper.text(target, objects).map_err(|e| found.placed(e, source))
}

impl IreeSource {
    /// An error of a function of the file, with the place where that stands.
    fn placed(&self, error: Error, source: Source<'_>) -> Error {
        let Error::Ir { function, message } = &error else { return error };
        // Behind the function's name may stand what is meant of it.
        let name = function.split_once(": ").map_or(function.as_str(), |(name, _)| name);
        let Some(&place) = self.places.get(name) else { return error };
        let message = format!("in function `{function}`: {message}");
        ReadError::new(source.text, place, message).in_file(source.name).into()
    }
}

/// What is around the functions of a file.
#[derive(Clone, Copy, Default)]
pub(crate) struct Around<'n> {
    /// If the condition of a `cf.assert` is false, its message goes to this function, which does not return, else to C's.
    pub failure: Option<&'n str>,
    /// There is no library, C's least of all.
    pub no_library: bool,
}

/// Compiles a file whose entries have been read, with what `define` makes of them in the same object. The C functions of entries
/// are there, and so are those that imports call, which `define` is to define. Nothing of the file is seen from outside
/// of what the object is linked to.
///
/// # Errors
/// There is nothing to export; the options make code that no module can have; as [`compile_mlir`](gusset_compiler::compile_mlir).
pub(crate) fn compile_entries(
    (source, found): (Source<'_>, &IreeSource),
    target: &Target,
    options: &Options,
    around: Around<'_>,
    define: &dyn Fn(&mut ObjectBuilder<'_>) -> Result<(), Error>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Compilation, Error> {
    if found.entries.is_empty() {
        let m = "there is nothing to export: functions of a module are public ones of `func` with a body";
        return Err(ReadError::new(source.text, 0, m).in_file(source.name).into());
    }
    if options.relocation == Relocation::Static {
        return Err(Error::Target("a module is loaded at any address: its code cannot be static".into()));
    }
    if options.mlir.bare_pointers {
        return Err(Error::Target("a module's functions take descriptors of memrefs, not bare pointers".into()));
    }
    if options.mlir.allocation.generic {
        return Err(Error::Target(
            "a module's memory is that of `malloc` and `free`, not that of other functions".into(),
        ));
    }
    // As the types of entries have it.
    let mlir = MlirOptions { c_values: true, ..options.mlir.clone() };
    let options = Options { relocation: Relocation::Pic, mlir, ..options.clone() };
    let wrapped = found.entries.iter().chain(&found.imports).map(|entry| entry.name.clone()).collect();
    let failure = around.failure.map(str::to_string);
    let embedded = EmbeddedMlir { wrapped, failure, no_library: around.no_library, define };
    embedded.compile(source, target, &options, progress)
}
