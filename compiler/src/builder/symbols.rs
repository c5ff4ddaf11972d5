//! What objects say about symbols besides their names: sections, groups, visibility, aliases, constructors.

use gusset_abi::Signature;
use gusset_codegen::ir::{
    AliasData, Comdat, ComdatId, ComdatKind, DllStorage, Linkage, Structor, Symbol, SymbolId, SymbolKind, TlsModel,
    Visibility,
};

use super::items::ObjectId;
use super::{Data, Func, Global, Item, ObjectBuilder, own};
use crate::Error;
use crate::error::BuildErrorKind::{Contents, Contradiction, Foreign, Name, NotDefinable};

/// A group of definitions of which linkers keep one, with all of its members, by the group's name: a COMDAT.
///
/// ```
/// # use gusset_abi::{CType, Signature};
/// # use gusset_compiler::{BuilderOptions, ComdatKind, Features, Linkage, ObjectBuilder, Target};
/// # let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
/// # let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
/// // C++'s `inline int f() { return 1; }`: each object has it, programs keep one.
/// let f = object.declare("_Z1fv", Signature::c(CType::I32), Linkage::Weak)?;
/// let group = object.comdat("_Z1fv", ComdatKind::Any);
/// object.set_comdat(f, group)?;
/// object.define(f, |b| {
///     let one = b.i32_const(1);
///     b.ret(Some(one));
/// })?;
/// assert!(object.finish().is_ok());
/// # Ok::<(), gusset_compiler::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ComdatGroup {
    group: ComdatId,
    object: ObjectId,
}

/// The priority of constructors and destructors that do not say one.
const DEFAULT_PRIORITY: u32 = 65535;

impl ObjectBuilder<'_> {
    /// The symbol of an item, to be changed.
    fn symbol_mut(&mut self, of: impl Into<Item>) -> Result<(SymbolId, &mut Symbol), Error> {
        let id = self.id.own(of)?;
        Ok((id, own(&mut self.declarations).symbol_mut(id)))
    }

    /// Changes a symbol, whose properties must not exclude each other then.
    fn change(&mut self, of: impl Into<Item>, change: impl FnOnce(&mut Symbol)) -> Result<(), Error> {
        let (_, symbol) = self.symbol_mut(of)?;
        let before = symbol.clone();
        change(symbol);
        match symbol.contradiction() {
            None => Ok(()),
            Some(reason) => {
                *symbol = before;
                Err(Error::build(Contradiction, &symbol.name, reason))
            }
        }
    }

    /// Sets who sees a function or data object outside of the library or program that it is linked into.
    ///
    /// # Errors
    /// The item belongs to another object; its linkage or import excludes it.
    pub fn set_visibility(&mut self, of: impl Into<Item>, visibility: Visibility) -> Result<(), Error> {
        self.change(of, |symbol| {
            symbol.visibility = visibility;
            symbol.dso_local |= visibility != Visibility::Default && symbol.linkage != Linkage::ImportWeak;
        })
    }

    /// Says that a function or data object is in the same library or program, so that code need not look for it in the
    /// global offset table.
    ///
    /// # Errors
    /// The item belongs to another object, or is imported from another image.
    pub fn set_dso_local(&mut self, of: impl Into<Item>) -> Result<(), Error> {
        self.change(of, |symbol| symbol.dso_local = true)
    }

    /// Sets whether a function or data object is imported from another image or exported from this one, on Windows.
    ///
    /// # Errors
    /// The item belongs to another object; its linkage or visibility excludes it.
    pub fn set_dll_storage(&mut self, of: impl Into<Item>, storage: DllStorage) -> Result<(), Error> {
        self.change(of, |symbol| symbol.dll = storage)
    }

    /// Sets the section that a function or data object is put into.
    ///
    /// # Errors
    /// The item belongs to another object; the name is empty or has a zero byte.
    pub fn set_section(&mut self, of: impl Into<Item>, name: &str) -> Result<(), Error> {
        if name.is_empty() || name.contains('\0') {
            return Err(Error::build(Name, "", format!("`{}` is no name of a section", name.escape_debug())));
        }
        self.change(of, |symbol| symbol.section = Some(name.to_string()))
    }

    /// Sets the least alignment of a function's code, in bytes. That of data is in [`Data`].
    ///
    /// # Errors
    /// The function belongs to another object; the alignment is no power of two.
    pub fn set_alignment(&mut self, of: Func, align: u32) -> Result<(), Error> {
        if !align.is_power_of_two() {
            return Err(Error::build(Contents, "", "an alignment is a power of two"));
        }
        self.change(of, |symbol| symbol.align = align)
    }

    /// Sets how code finds thread-local data.
    ///
    /// # Errors
    /// The data belongs to another object or is not thread-local.
    pub fn set_tls_model(&mut self, of: Global, model: TlsModel) -> Result<(), Error> {
        let (_, symbol) = self.symbol_mut(of)?;
        if !symbol.is_tls() {
            return Err(Error::build(NotDefinable, &symbol.name, "it is not thread-local"));
        }
        symbol.kind = SymbolKind::Tls(model);
        Ok(())
    }

    /// A new group of definitions of which linkers keep one, by its name. In COFF one of its members has that name.
    pub fn comdat(&mut self, name: &str, kind: ComdatKind) -> ComdatGroup {
        let comdats = &mut own(&mut self.declarations).module.comdats;
        comdats.push(Comdat { name: name.to_string(), kind });
        ComdatGroup { group: ComdatId::new(comdats.len() - 1), object: self.id }
    }

    /// Puts a definition into a group.
    ///
    /// # Errors
    /// The item or the group belongs to another object; the item is not defined here.
    pub fn set_comdat(&mut self, of: impl Into<Item>, group: ComdatGroup) -> Result<(), Error> {
        let object = self.id;
        let (_, symbol) = self.symbol_mut(of)?;
        if group.object != object {
            return Err(Error::build(Foreign, &symbol.name, "the group is one of another object"));
        }
        if !symbol.is_defined() {
            return Err(Error::build(NotDefinable, &symbol.name, "what is defined elsewhere is in no group"));
        }
        symbol.comdat = Some(group.group);
        Ok(())
    }

    /// Makes linkers keep a definition although nothing refers to it (`__attribute__((used, retain))`).
    ///
    /// # Errors
    /// The item belongs to another object.
    pub fn retain(&mut self, of: impl Into<Item>) -> Result<(), Error> {
        let (id, _) = self.symbol_mut(of)?;
        own(&mut self.declarations).module.used.push(id);
        Ok(())
    }

    /// Makes a function run before `main`. Those with lower priorities run earlier, those without one last.
    ///
    /// # Errors
    /// The function belongs to another object; the priority is above 65535.
    pub fn constructor(&mut self, function: Func, priority: Option<u32>) -> Result<(), Error> {
        let structor = self.structor(function, priority)?;
        own(&mut self.declarations).module.ctors.push(structor);
        Ok(())
    }

    /// Makes a function run after `main`. Those with lower priorities run later, those without one first.
    ///
    /// # Errors
    /// As for [`constructor`](Self::constructor).
    pub fn destructor(&mut self, function: Func, priority: Option<u32>) -> Result<(), Error> {
        let structor = self.structor(function, priority)?;
        own(&mut self.declarations).module.dtors.push(structor);
        Ok(())
    }

    fn structor(&mut self, function: Func, priority: Option<u32>) -> Result<Structor, Error> {
        let (function, symbol) = self.symbol_mut(function)?;
        let priority = priority.unwrap_or(DEFAULT_PRIORITY);
        if priority > DEFAULT_PRIORITY {
            return Err(Error::build(Contents, &symbol.name, "a priority is at most 65535"));
        }
        Ok(Structor { priority, function, with: None })
    }

    /// Declares another name for a function of this object.
    ///
    /// # Errors
    /// The name is used already; the function belongs to another object or is not defined here.
    pub fn alias(&mut self, name: &str, of: Func, linkage: Linkage) -> Result<Func, Error> {
        let signature = self.signature_of(of)?;
        let target = self.alias_target(of, linkage)?;
        let declarations = own(&mut self.declarations);
        let symbol = declarations.declare_new(name, signature, linkage, SymbolKind::Function)?;
        declarations.module.aliases.push(AliasData { symbol, target, offset: 0 });
        Ok(Func(declarations.item(symbol)))
    }

    /// Declares a name for the place `offset` bytes after the beginning of data of this object.
    ///
    /// # Errors
    /// The name is used already; the data belongs to another object or is not defined here.
    pub fn data_alias(&mut self, name: &str, of: Global, offset: u64, linkage: Linkage) -> Result<Global, Error> {
        let target = self.alias_target(of, linkage)?;
        let declarations = own(&mut self.declarations);
        let thread_local = declarations.module.symbol(target).is_tls();
        let symbol = declarations.data(name, Linkage::Import, Data::default().thread_local(thread_local), false)?;
        let new = declarations.symbol_mut(symbol);
        *new = Symbol::new(std::mem::take(&mut new.name), new.kind, linkage);
        declarations.module.aliases.push(AliasData { symbol, target, offset });
        Ok(Global(declarations.item(symbol)))
    }

    fn alias_target(&mut self, of: impl Into<Item>, linkage: Linkage) -> Result<SymbolId, Error> {
        let (target, symbol) = self.symbol_mut(of)?;
        let alias = Symbol::new("", SymbolKind::Data, linkage);
        if !symbol.is_defined() || !alias.is_defined() || linkage == Linkage::Common {
            return Err(Error::build(
                NotDefinable,
                &symbol.name,
                "an alias is defined here, and stands for something defined here",
            ));
        }
        Ok(target)
    }

    /// Declares a function that another function chooses when the program is loaded: `resolver` takes nothing and gives
    /// the address of the function (ELF).
    ///
    /// # Errors
    /// The name is used already; the resolver belongs to another object or is not defined here; the signature cannot be
    /// expressed.
    pub fn ifunc(&mut self, name: &str, signature: Signature, linkage: Linkage, resolver: Func) -> Result<Func, Error> {
        let target = self.alias_target(resolver, linkage)?;
        let declarations = own(&mut self.declarations);
        let symbol = declarations.declare_new(name, signature, linkage, SymbolKind::Ifunc)?;
        declarations.module.aliases.push(AliasData { symbol, target, offset: 0 });
        Ok(Func(declarations.item(symbol)))
    }

    /// Puts read-only data in front of a function's code, where its address minus the size finds it (LLVM's prefix
    /// data). The function must not be defined yet.
    ///
    /// # Errors
    /// The function belongs to another object; the contents are inconsistent.
    pub fn set_prefix_data(&mut self, of: Func, data: Data) -> Result<(), Error> {
        let id = self.id.own(of)?;
        own(&mut self.declarations).set_prefix_data(id, data)
    }

    /// Adds an option for the linker, as `.linker-options` of ELF and `.drectve` of COFF have them.
    pub fn linker_option(&mut self, option: &str) {
        own(&mut self.declarations).module.linker_options.push(option.to_string());
    }

    /// Adds the name of the front end to the object's `.comment` (ELF).
    pub fn producer(&mut self, name: &str) {
        own(&mut self.declarations).module.idents.push(name.to_string());
    }
}
