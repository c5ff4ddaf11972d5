//! What an object under construction has besides bodies: names, signatures and data. Threads that define functions share it.

use std::collections::HashMap;
use std::sync::Arc;

use gusset_abi::{CType, Signature};
use gusset_codegen::ir::{
    DataObject, DataReloc, Linkage, Module, RelocBase, SigData, Symbol, SymbolId, SymbolKind, TlsModel,
};

use super::items::{Data, Item, ObjectId, Origin};
use super::signatures::Signatures;
use crate::Error;
use crate::error::BuildErrorKind::{Contents, Contradiction, Name, NotDefinable, Redeclared, Redefined};

/// What is known about a symbol besides what the module says.
#[derive(Clone, Debug, Default)]
struct Declared {
    /// How a function is called.
    signature: Option<Arc<SigData>>,
    /// The signature as it was given, for debug information: equal ones may have types of other names.
    given: Option<Box<Signature>>,
    /// It was declared while a body was open. Such symbols are put in order when the object is complete, so that the
    /// object does not depend on which thread was first.
    in_body: bool,
    body: BodyState,
}

/// How far the body of a function is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum BodyState {
    #[default]
    Missing,
    Open,
    Complete,
}

/// All symbols of an object and their data.
pub(super) struct Declarations<'t> {
    pub module: Module,
    pub signatures: Signatures<'t>,
    by_name: HashMap<String, SymbolId>,
    /// By symbol.
    declared: Vec<Declared>,
    /// Constant bytes that functions refer to.
    texts: HashMap<Vec<u8>, SymbolId>,
    object: ObjectId,
    /// It adds to a module that was read from text.
    adds: bool,
    /// How often something was changed that threads may have copied.
    changes: u32,
    keeps_signatures: bool,
}

impl<'t> Declarations<'t> {
    /// Declarations that add to `module`, which is empty or was read from text.
    pub fn new(object: ObjectId, signatures: Signatures<'t>, module: Module, adds: bool) -> Self {
        let ids = || (0..module.symbols.len()).map(SymbolId::new);
        let state = |id| if module.symbol(id).is_defined() { BodyState::Complete } else { BodyState::Missing };
        Declarations {
            by_name: ids().map(|id| (module.symbol(id).name.clone(), id)).collect(),
            declared: ids().map(|id| Declared { body: state(id), ..Declared::default() }).collect(),
            signatures,
            texts: HashMap::new(),
            module,
            object,
            adds,
            changes: 0,
            keeps_signatures: false,
        }
    }

    /// How a function is called; `None` for anything else.
    pub fn signature(&self, symbol: SymbolId) -> Option<&Arc<SigData>> {
        self.declared[symbol.index()].signature.as_ref()
    }

    /// Does it add to a module that was read from text?
    pub fn adds(&self) -> bool {
        self.adds
    }

    /// Keeps signatures as they are given from now on.
    pub fn keep_signatures(&mut self) {
        self.keeps_signatures = true;
    }

    /// The signature of a function as it was given, if such are kept.
    pub fn given_signature(&self, symbol: SymbolId) -> Option<&Signature> {
        self.declared[symbol.index()].given.as_deref()
    }

    /// What copies of the symbols are compared by: they are good as long as this is the same, apart from symbols that are new.
    pub fn version(&self) -> (ObjectId, u32) {
        (self.object, self.changes)
    }

    /// A symbol, to be changed. All changes of symbols go this way.
    pub fn symbol_mut(&mut self, id: SymbolId) -> &mut Symbol {
        self.changes += 1;
        &mut self.module.symbols[id.index()]
    }

    /// Is there a symbol of this name, as C has it?
    pub fn is_declared(&self, name: &str) -> bool {
        let decorated = |prefix: &str| self.by_name.contains_key(&format!("{prefix}{name}"));
        decorated("") || decorated("_")
    }

    /// Was it declared while a body was open?
    pub fn is_of_body(&self, symbol: SymbolId) -> bool {
        self.declared[symbol.index()].in_body
    }

    /// The item of a symbol.
    pub fn item(&self, symbol: SymbolId) -> Item {
        Item { symbol, object: self.object }
    }

    fn add(&mut self, symbol: Symbol, signature: Option<Arc<SigData>>, in_body: bool) -> SymbolId {
        self.declared.push(Declared { signature, in_body, ..Declared::default() });
        self.module.add_symbol(symbol)
    }

    /// Adds a symbol with a name that must be new.
    fn add_named(&mut self, symbol: Symbol, signature: Option<Arc<SigData>>, in_body: bool) -> SymbolId {
        let name = symbol.name.clone();
        let id = self.add(symbol, signature, in_body);
        self.by_name.insert(name, id);
        id
    }

    /// Declares a function, see [`ObjectBuilder::declare`](super::ObjectBuilder::declare). `in_body`: a body is open.
    pub fn declare(
        &mut self,
        name: &str,
        signature: Signature,
        linkage: Linkage,
        in_body: bool,
    ) -> Result<SymbolId, Error> {
        let sig = self.signatures.get(name, &signature)?;
        let name = sig.abi.decoration.apply(name);
        check_name(&name)?;
        let symbol = Symbol::new(name, SymbolKind::Function, linkage);
        let Some(&known) = self.by_name.get(&symbol.name) else {
            let added = self.add_named(symbol, Some(sig), in_body);
            self.declared[added.index()].given = self.keeps_signatures.then(|| Box::new(signature));
            return Ok(added);
        };
        let name = &symbol.name;
        let function = self.module.symbol(known).kind == SymbolKind::Function;
        let declared = &mut self.declared[known.index()];
        let same = match &declared.signature {
            Some(declared) => declared.source == sig.source,
            // Text says nothing of C.
            None if function && self.adds => {
                declared.signature = Some(sig);
                self.changes += 1;
                true
            }
            None => false,
        };
        if !same {
            return Err(Error::build(Redeclared, name, "the name is declared already, as something else"));
        }
        let before = self.module.symbol(known);
        if before.linkage == linkage {
            return Ok(known);
        }
        if in_body {
            // Which of several bodies comes first must not matter.
            return match (declared.in_body, linkage) {
                (false, Linkage::Import | Linkage::ImportWeak) => Ok(known),
                _ => Err(Error::build(
                    Redeclared,
                    name,
                    "the name is declared with another linkage: declare it before bodies are open",
                )),
            };
        }
        if !before.is_defined() {
            let new = relinked(before, linkage);
            if let Some(reason) = new.contradiction() {
                return Err(Error::build(Contradiction, name, reason));
            }
            *self.symbol_mut(known) = new;
        } else if symbol.is_defined() {
            return Err(Error::build(Redeclared, name, "the name is declared already, with another linkage"));
        }
        Ok(known)
    }

    /// Declares a name that is not used yet.
    pub fn declare_new(
        &mut self,
        name: &str,
        signature: Signature,
        linkage: Linkage,
        kind: SymbolKind,
    ) -> Result<SymbolId, Error> {
        let sig = self.signatures.get(name, &signature)?;
        let name = self.new_name(sig.abi.decoration.apply(name))?;
        let id = self.add_named(Symbol::new(name, kind, linkage), Some(sig), false);
        // Nobody defines it by a body.
        self.declared[id.index()].body = BodyState::Complete;
        Ok(id)
    }

    /// The name, if nothing has it yet.
    fn new_name(&self, name: String) -> Result<String, Error> {
        check_name(&name)?;
        match self.by_name.contains_key(&name) {
            true => Err(Error::build(Redeclared, &name, "the name is declared already")),
            false => Ok(name),
        }
    }

    /// Declares or defines data, see [`ObjectBuilder::data`](super::ObjectBuilder::data).
    pub fn data(&mut self, name: &str, linkage: Linkage, data: Data, in_body: bool) -> Result<SymbolId, Error> {
        // Decorated like functions of C's own convention.
        let name = self.signatures.get(name, &Signature::c(CType::Void))?.abi.decoration.apply(name);
        let name = self.new_name(name)?;
        let kind = if data.thread_local { SymbolKind::Tls(TlsModel::GeneralDynamic) } else { SymbolKind::Data };
        let symbol = Symbol::new(name, kind, linkage);
        let has_contents = !data.bytes.is_empty() || !data.addresses.is_empty();
        if !symbol.is_defined() && has_contents {
            return Err(Error::build(Contents, &symbol.name, "it is declared as an import and has contents"));
        }
        self.check_data(&symbol.name, &data)?;
        let defined = symbol.is_defined();
        let id = self.add_named(symbol, None, in_body);
        if defined {
            self.define_data(id, data);
        }
        Ok(id)
    }

    fn check_data(&self, name: &str, data: &Data) -> Result<(), Error> {
        let wrong = |message: &str| Err(Error::build(Contents, name, message));
        if data.misplaced || data.size < data.bytes.len() as u64 {
            return wrong("its bytes are more than its size");
        }
        if !data.align.max(1).is_power_of_two() {
            return wrong("its alignment is not a power of two");
        }
        for address in &data.addresses {
            self.object.own(address.of)?;
            if let Origin::Item(from) = address.from
                && !self.module.symbol(self.object.own(from)?).is_defined()
            {
                return wrong("a distance is counted from something that is defined in the object");
            }
            let size = address.size.unwrap_or(self.pointer_bytes());
            if !matches!(size, 4 | 8) {
                return wrong("an address or a distance takes 4 or 8 bytes");
            }
            if address.offset.checked_add(size.into()).is_none_or(|end| end > data.size) {
                return wrong("an address lies beyond its end");
            }
        }
        Ok(())
    }

    fn pointer_bytes(&self) -> u8 {
        self.signatures.pointer().store_bytes() as u8
    }

    /// The contents of data that has been checked, for a symbol.
    fn contents(&self, id: SymbolId, data: Data) -> DataObject {
        let relocs = data.addresses.iter().map(|address| DataReloc {
            offset: address.offset,
            size: address.size.unwrap_or(self.pointer_bytes()),
            symbol: address.of.symbol,
            addend: address.addend,
            base: match address.from {
                Origin::Zero => RelocBase::Zero,
                Origin::Field => RelocBase::Field,
                Origin::Item(item) => RelocBase::Symbol(item.symbol),
            },
        });
        let relocs = relocs.collect();
        let object = DataObject::new(id, data.bytes, data.size, data.align.max(1));
        DataObject { constant: data.constant, mergeable: data.mergeable, relocs, ..object }
    }

    /// Defines data that has been checked.
    fn define_data(&mut self, id: SymbolId, data: Data) {
        let contents = self.contents(id, data);
        self.module.add_data(contents);
    }

    /// Defines data that was declared as an import.
    pub fn define_declared(&mut self, id: SymbolId, linkage: Linkage, data: Data) -> Result<(), Error> {
        let before = self.module.symbol(id);
        let new = relinked(before, linkage);
        let reason = match before.kind {
            _ if before.is_defined() => Some("it is defined already"),
            _ if !new.is_defined() => Some("an import is not defined here"),
            SymbolKind::Tls(_) if !data.thread_local => Some("it is declared as thread-local"),
            SymbolKind::Data if data.thread_local => Some("it is not declared as thread-local"),
            SymbolKind::Data | SymbolKind::Tls(_) => new.contradiction(),
            _ => Some("it is not data"),
        };
        if let Some(reason) = reason {
            return Err(Error::build(NotDefinable, &before.name, reason));
        }
        // Distances may be counted from the data itself.
        let before = std::mem::replace(self.symbol_mut(id), new);
        let checked = self.check_data(&before.name, &data);
        match checked {
            Ok(()) => self.define_data(id, data),
            Err(_) => *self.symbol_mut(id) = before,
        }
        checked
    }

    /// Puts data in front of a function's code.
    pub fn set_prefix_data(&mut self, function: SymbolId, data: Data) -> Result<(), Error> {
        let name = &self.module.symbol(function).name;
        self.check_data(name, &data)?;
        if self.declared[function.index()].body != BodyState::Missing {
            return Err(Error::build(Redefined, name, "it is defined already"));
        }
        let contents = self.contents(function, data);
        self.changes += 1;
        match self.module.prefixes.binary_search_by_key(&function, |data| data.symbol) {
            Ok(at) => self.module.prefixes[at] = contents,
            Err(at) => self.module.prefixes.insert(at, contents),
        }
        Ok(())
    }

    /// The symbol of constant bytes; equal bytes are one object. Its name follows from the bytes, so that it does not
    /// depend on which thread was first.
    pub fn text(&mut self, bytes: &[u8], in_body: bool) -> SymbolId {
        if let Some(&known) = self.texts.get(bytes) {
            // It has its place among those that are declared while no body is open.
            self.declared[known.index()].in_body &= in_body;
            return known;
        }
        let mut name = format!("text.{:016x}", fnv1a(bytes));
        while self.by_name.contains_key(&name) {
            name.push('x');
        }
        let id = self.add_named(Symbol::new(name, SymbolKind::Data, Linkage::Private), None, in_body);
        self.define_data(id, Data::constant(bytes).mergeable(true));
        self.texts.insert(bytes.to_vec(), id);
        id
    }

    /// Opens the body of a function. Gives its signature and name.
    ///
    /// # Errors
    /// It is an import or no function; its body is open or complete.
    pub fn open(&mut self, function: SymbolId) -> Result<(Arc<SigData>, String), Error> {
        let symbol = self.module.symbol(function);
        let wrong = |kind, message| Err(Error::build(kind, &symbol.name, message));
        if !symbol.is_defined() {
            return wrong(NotDefinable, "it is declared as an import");
        }
        let declared = &mut self.declared[function.index()];
        let Some(signature) = &declared.signature else {
            return wrong(NotDefinable, "it is not a function");
        };
        match declared.body {
            BodyState::Missing => declared.body = BodyState::Open,
            BodyState::Open => return wrong(Redefined, "its body is open already"),
            BodyState::Complete => return wrong(Redefined, "it is defined already"),
        }
        Ok((Arc::clone(signature), symbol.name.clone()))
    }

    /// Says that the body of a function is complete, or, after an error, that it may be defined again.
    pub fn close(&mut self, function: SymbolId, complete: bool) {
        self.declared[function.index()].body = if complete { BodyState::Complete } else { BodyState::Missing };
    }
}

/// The symbol with another linkage, and with all else that was said of it.
fn relinked(before: &Symbol, linkage: Linkage) -> Symbol {
    let dso_local = before.dso_local || Symbol::new("", before.kind, linkage).dso_local;
    Symbol { linkage, dso_local, ..before.clone() }
}

/// A hash that is the same everywhere and always (Fowler, Noll, Vo; FNV-1a with 64 bits).
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// An error for a name with a zero byte, which symbol tables cannot hold.
fn check_name(name: &str) -> Result<(), Error> {
    match name {
        "" => Err(Error::build(Name, name, "a name is needed")),
        _ if name.contains('\0') => Err(Error::build(Name, name, "a name cannot have a zero byte in it")),
        _ => Ok(()),
    }
}
