//! Compiles an `.mlir` file's functions, and the module that makes them callable, into one object.

use std::collections::HashSet;

use gusset_abi::CType;
use gusset_codegen::ir::{InstData, Linkage, Opcode, Type};
use gusset_mlir::ReadError;

use super::module::emit::signature;
use super::module::{FAIL, Hal, ModuleBuilder};
use super::source::{IreeSource, entries};
use super::wrapper::{Loader, Route, Wrapper};
use gusset_compiler::{Compilation, EmbeddedMlir, Error, ObjectBuilder, Options, Progress, Relocation, Source, Target};

/// The name of a module, and what it is made for. An example is at [the crate's page](crate).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IreeOptions {
    /// Its name.
    pub name: String,
    /// The symbol by which hosts create the module, if it is not the default one: `--module=./k.so@symbol`.
    pub symbol: Option<String>,
    /// The host's module for arrays.
    pub hal: Hal,
    /// Records that are made from types name arguments that have a name (`iree.abi.name`), too. IREE's invoker in
    /// Python then takes such arguments by name only.
    pub names: bool,
    /// How the functions get into a program.
    pub route: Route,
    /// The loader of that program's executable, unless the route is [`Route::Module`].
    pub loader: Loader,
}

impl IreeOptions {
    /// Options for a module called `name`, as IREE's tools expect it.
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

/// Compiles an `.mlir` file to a module for IREE's runtime. The module exports the file's public functions of `func`;
/// external functions called `module.function` are functions of other modules. The object is to be linked to a shared
/// library. A type must have a record (numbers, memrefs of numbers), or the attribute `iree.abi` gives one. The
/// attributes `iree.reflection`, `iree.abi`, `iree.abi.declaration` and `iree.abi.model` of functions count, and of
/// arguments and results `iree.abi.name`, `iree.abi.encoding`, `iree.abi.output`, `iree.abi.tied`, and `gusset.result`
/// of arguments that are to become results. `progress` is called as by [`compile_mlir`](gusset_compiler::compile_mlir).
/// By any other route than [`Route::Module`], IREE's programs dispatch the functions: see [`Wrapper`]. There, a
/// `cf.assert` whose condition is false ends the process, with its message if there is a C library.
///
/// # Errors
/// No module can have the name; a function has a type or an attribute that is not supported; the options ask for code
/// that no module can contain; or any error of [`compile_mlir`](gusset_compiler::compile_mlir).
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
    // Only `cf.assert` makes a function fail, in whatever syntax.
    if memchr::memmem::find(source.text, b"assert").is_some() {
        module.can_fail();
    }
    let define = |object: &mut ObjectBuilder<'_>| module.define(object).map_err(|e| found.placed(e, source));
    let failure = Some(FAIL.to_string());
    let embedded = EmbeddedMlir { wrapped: HashSet::new(), failure, no_library: false, define: &define };
    compile_entries((source, &found), target, options, embedded, progress)
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
    // Otherwise C's functions print the message and end the process.
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
    let failure = own.then(|| FAIL.to_string());
    let embedded = EmbeddedMlir { wrapped: HashSet::new(), failure, no_library: alone, define: &define };
    compile_entries((source, found), target, options, embedded, progress)
}

/// The wrapper around the functions of a file that are dispatched.
fn wrapper<'w>(
    (source, found): (Source<'_>, &'w IreeSource),
    options: &Options,
    iree: &'w IreeOptions,
) -> Result<Wrapper<'w>, Error> {
    if let Some(import) = found.imports.first() {
        let error =
            Error::unsupported(&import.name, "functions that are dispatched cannot call those of other modules");
        return Err(found.placed(error, source));
    }
    Ok(Wrapper {
        loader: iree.loader,
        allocation: options.mlir.allocation,
        index_bits: Some(found.index_bits),
        ..Wrapper::new(&iree.name, &found.entries, iree.route)
    })
}

/// The program for `iree-compile` around the functions of an `.mlir` file ([`Wrapper::text`]), with the options of
/// [`compile_iree`]. `objects` are the paths of the objects that it compiles to, if they are linked into the program's
/// executable.
///
/// # Errors
/// Those of [`compile_iree`]; or the route has no such program.
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
    /// An error about a function of the file, with the function's position.
    fn placed(&self, error: Error, source: Source<'_>) -> Error {
        let Error::Build(build) = &error else { return error };
        let function = &build.item;
        // The function's name may be followed by the value that the error is about.
        let name = function.split_once(": ").map_or(function.as_str(), |(name, _)| name);
        let Some(&place) = self.places.get(name) else { return error };
        let message = build.to_string();
        ReadError::new(source.text, place, message).in_file(source.name).into()
    }
}

/// Compiles a file whose entries have been read, with what `embedded` adds to the same object. The C functions of
/// the entries are in the object; what is added has to define the functions that imports call. No symbol of the file is
/// visible outside of the shared library or executable.
///
/// # Errors
/// There is nothing to export; the options ask for code that no module can contain; or any error of
/// [`compile_mlir`](gusset_compiler::compile_mlir).
fn compile_entries(
    (source, found): (Source<'_>, &IreeSource),
    target: &Target,
    options: &Options,
    embedded: EmbeddedMlir<'_>,
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
    // The entries' types assume this.
    let mlir = options.mlir.clone().c_values(true);
    let options = options.clone().relocation(Relocation::Pic).mlir(mlir);
    let wrapped = found.entries.iter().chain(&found.imports).map(|entry| entry.name.clone()).collect();
    EmbeddedMlir { wrapped, ..embedded }.compile(source, target, &options, progress)
}
