//! Modules that IREE's virtual machine loads (`iree-run-module --module=k.so`), made of functions with C signatures.
//!
//! The object has one exported symbol, by which the host creates the module. Everything else is internal: the 144 bytes
//! of its interface, tables, and a thunk for each function, all made with [`ObjectBuilder`]. The module imports what it
//! needs of the runtime as functions of the virtual machine; it links to no symbol of it.

mod arrays;
pub(super) mod emit;
mod fences;
mod guard;
mod hal;
mod interface;
mod lists;
mod number;
mod parts;
mod thunk;

use std::collections::HashSet;

pub(crate) use self::arrays::{alike, element_bytes, has_arrays_of, known_bytes};
pub(crate) use self::number::Number;

use crate::Entry;
use crate::wrapper::converter;

pub(crate) use guard::FAIL;
use gusset_compiler::{Error, ObjectBuilder};
pub use hal::Hal;
use interface::Row;
use parts::Parts;

/// Builds a module.
///
/// ```
/// use gusset_abi::{CType, Signature};
/// use gusset_codegen::ir::Opcode;
/// use gusset_compiler::{BuilderOptions, Features, Linkage, ObjectBuilder, Relocation, Target};
/// use gusset_iree::{Entry, Hal, ModuleBuilder, Reflection};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
/// let options = BuilderOptions::new().relocation(Relocation::Pic);
/// let mut object = ObjectBuilder::new(&target, &options);
/// // C's `int add(int, int)`.
/// let add = object.declare("add", Signature::c(CType::I32).param(CType::I32).param(CType::I32), Linkage::Local)?;
/// object.define(add, |b| {
///     let (x, y) = (b.param(0), b.param(1));
///     let sum = b.binary(Opcode::Iadd, x, y);
///     b.ret(Some(sum));
/// })?;
/// let mut module = ModuleBuilder::new("sums", Hal::Device)?;
/// module.export(Entry::new("add", "add", Reflection::parse(r#"{"a": ["i32", "i32"], "r": ["i32"]}"#)?))?;
/// module.define(&mut object)?;
/// let bytes = object.finish()?; // cc -shared sums.o -o sums.so; iree-run-module --module=./sums.so --function=add ...
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ModuleBuilder {
    name: String,
    symbol: String,
    hal: Hal,
    exports: Vec<Entry>,
    /// Their names.
    names: HashSet<String>,
    imports: Vec<Entry>,
    fails: bool,
    index_bits: Option<u32>,
}

/// The default symbol by which hosts create a module.
pub const CREATE: &str = "iree_vm_dynamic_module_create";

impl ModuleBuilder {
    /// A module without functions.
    ///
    /// # Errors
    /// The name is empty, contains `.`, `@` or a zero byte, or is that of a module of the host.
    pub fn new(name: &str, hal: Hal) -> Result<ModuleBuilder, Error> {
        let taken = ["hal", "hal_inline", "hal_loader", "vmvx", "check", "io_parameters"];
        if name.is_empty() || name.contains(['.', '@', '\0']) || taken.contains(&name) {
            return Err(Error::unsupported(name, "a module cannot have this name"));
        }
        Ok(ModuleBuilder {
            name: name.into(),
            symbol: CREATE.into(),
            hal,
            exports: Vec::new(),
            names: HashSet::new(),
            imports: Vec::new(),
            fails: false,
            index_bits: None,
        })
    }

    /// Sets the symbol by which hosts create the module: `--module=./k.so@symbol`. The default is [`CREATE`].
    pub fn symbol(&mut self, symbol: &str) -> &mut Self {
        self.symbol = symbol.into();
        self
    }

    /// Allows functions to fail: C calls `_Noreturn void f(const char *message)` by the symbol `iree.fail`, which the
    /// module defines.
    pub fn can_fail(&mut self) -> &mut Self {
        self.fails = true;
        self
    }

    /// Sets the bits of sizes and strides in descriptors; the default is those of pointers.
    pub fn index_bits(&mut self, bits: Option<u32>) -> &mut Self {
        self.index_bits = bits;
        self
    }

    /// Adds an exported function. The object defines its symbol, or imports it from what it is linked with.
    ///
    /// # Errors
    /// Another function has its name; or there are 65,536 already.
    pub fn export(&mut self, entry: Entry) -> Result<&mut Self, Error> {
        if self.names.contains(&entry.name) {
            return Err(Error::unsupported(&entry.name, "another function of the module has this name"));
        }
        if entry.name.is_empty() || self.exports.len() > usize::from(u16::MAX) {
            return Err(Error::unsupported(&entry.name, "a module has at most 65,536 functions, and they have names"));
        }
        self.names.insert(entry.name.clone());
        self.exports.push(entry);
        Ok(self)
    }

    /// Adds a function of another module, `module.function`, that functions of this one call by its symbol, which this
    /// object defines. If it has fences, the call waits until its own fence is signalled.
    ///
    /// # Errors
    /// The name does not have that form; or the function is imported already.
    pub fn import(&mut self, entry: Entry) -> Result<&mut Self, Error> {
        let named =
            entry.name.split_once('.').is_some_and(|(module, function)| !module.is_empty() && !function.is_empty());
        if !named {
            return Err(Error::unsupported(&entry.name, "what is imported has a name of the form `module.function`"));
        }
        if self.imports.iter().any(|known| known.name == entry.name) {
            return Err(Error::unsupported(&entry.name, "it is imported already"));
        }
        self.imports.push(entry);
        Ok(self)
    }

    /// Defines the module in an object, which must be position-independent, as the module's code is.
    ///
    /// # Errors
    /// An entry has values that cannot be passed; the error names it. Or a symbol is taken.
    pub fn define(&self, object: &mut ObjectBuilder<'_>) -> Result<(), Error> {
        let converter = converter(object.target(), self.index_bits)?;
        let mut parts = Parts::new(object, converter, self.hal)?;
        let guarded = self.fails || !self.imports.is_empty();
        let mut rows = Vec::new();
        for (number, entry) in self.exports.iter().enumerate() {
            let attributes = entry.attribute_pairs().map_err(|e| Error::unsupported(&entry.name, e.to_string()))?;
            let export = parts.export(number, entry, guarded)?;
            rows.push(Row { name: entry.name.clone(), export, attributes });
        }
        for (number, entry) in self.imports.iter().enumerate() {
            parts.import(number, entry)?;
        }
        if self.fails {
            parts.define_fail()?;
        }
        let mut seen = HashSet::new();
        let modules = parts.imports.iter().filter_map(|import| Some(import.name.split_once('.')?.0.to_string()));
        let needed: Vec<String> = modules.filter(|name| seen.insert(name.clone())).collect();
        parts.interface(&self.name, &self.symbol, &rows, &needed)
    }
}
