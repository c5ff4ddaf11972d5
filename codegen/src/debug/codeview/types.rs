//! Numbers of types, functions and scopes: each gets a record when something refers to it.
//!
//! A record refers only to records before it. So what it needs is made first, from a list, and no depth of types costs stack. Of a
//! class only a declaration is needed; its members follow when the records at hand are done, in the order in which classes were met.

use std::collections::{HashMap, HashSet, VecDeque};

use gimli::{DwTag, constants as dw};

use super::names::{
    Parents, around, is_class, is_composite, parents, scope_name, string, type_name, without_arguments,
};
use super::records::{leaf, simple};
use super::type_table::{Record, TypeTable};
use crate::debug::{DebugInfo, DiScope, DiSubprogramId, DiTypeId, DiTypeKind, di_flags};

/// What a number of a type stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Key {
    /// A type; of a class its declaration.
    Type(DiTypeId),
    /// The type of a function as that of a method of a class.
    MethodType(DiTypeId, DiTypeId),
    /// A pointer to the object in the type of a method.
    This(DiTypeId, DiTypeId),
    /// A class or union with its members.
    Complete(DiTypeId),
    /// A reference to a type.
    Reference(DiTypeId),
    /// The type of a method of a class.
    Method(DiSubprogramId, DiTypeId),
    /// A function.
    Function(DiSubprogramId),
    /// A namespace.
    Scope(DiScope),
}

/// A type that has a name of its own for debuggers.
pub(super) type NamedType = (Vec<u8>, DiTypeId);

/// The types of a module.
pub(super) struct Types<'a> {
    pub info: &'a DebugInfo,
    pub pointer_bytes: u8,
    /// Indices begin at 1.
    pub fortran: bool,
    pub table: TypeTable,
    known: HashMap<Key, u32>,
    /// What is being made.
    open: HashSet<Key>,
    /// What the record at hand needs and what is not there yet.
    missing: Vec<Key>,
    /// Classes whose members are still to be described.
    deferred: VecDeque<DiTypeId>,
    /// Those that are among them or have been.
    is_deferred: Vec<bool>,
    /// For each type, whether it is defined through and through, if that is known.
    defined: Vec<Option<bool>>,
    /// For each typedef, what it finally stands for, if that is known.
    targets: HashMap<DiTypeId, Option<DiTypeId>>,
    /// The function at hand.
    pub function: Option<DiSubprogramId>,
    /// Names of types in the function at hand.
    pub local_names: Vec<NamedType>,
    /// Names of other types.
    pub global_names: Vec<NamedType>,
    /// Static members that are constants.
    pub constants: Vec<DiTypeId>,
}

impl<'a> Types<'a> {
    pub fn new(info: &'a DebugInfo, pointer_bytes: u8) -> Types<'a> {
        Types {
            info,
            pointer_bytes,
            fortran: false,
            table: TypeTable::new(),
            known: HashMap::new(),
            open: HashSet::new(),
            missing: Vec::new(),
            deferred: VecDeque::new(),
            is_deferred: vec![false; info.types.len()],
            defined: vec![None; info.types.len()],
            targets: HashMap::new(),
            function: None,
            local_names: Vec::new(),
            global_names: Vec::new(),
            constants: Vec::new(),
        }
    }

    /// The number of a type; `None` is `void`.
    pub fn ty(&mut self, ty: Option<DiTypeId>) -> u32 {
        ty.map_or(simple::VOID, |ty| self.number(Key::Type(ty)))
    }

    /// The number of a type with its members, if it has any.
    pub fn complete(&mut self, ty: Option<DiTypeId>) -> u32 {
        let Some(ty) = ty else { return simple::VOID };
        if DwTag(self.info.types[ty.index()].tag) == dw::DW_TAG_typedef {
            // Its name is listed.
            self.number(Key::Type(ty));
        }
        match self.without_typedefs(ty) {
            Some(target) => self.number(complete_key(self.info, target)),
            None => simple::VOID,
        }
    }

    /// The number of what a key stands for.
    pub fn number(&mut self, key: Key) -> u32 {
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let number = self.resolve(key);
        while let Some(class) = self.deferred.pop_front() {
            if self.info.types[class.index()].flags & di_flags::FORWARD_DECLARATION == 0 {
                self.resolve(complete_key(self.info, class));
            }
        }
        number
    }

    /// Makes a record and those that it needs.
    fn resolve(&mut self, key: Key) -> u32 {
        let mut wanted = vec![key];
        while let Some(&key) = wanted.last() {
            if self.known.contains_key(&key) {
                wanted.pop();
                continue;
            }
            self.open.insert(key);
            self.missing.clear();
            match self.make(key) {
                Some(number) if self.missing.is_empty() => {
                    self.open.remove(&key);
                    self.known.insert(key, number);
                    wanted.pop();
                }
                _ => wanted.extend(self.missing.drain(..).rev()),
            }
        }
        self.known.get(&key).copied().unwrap_or(simple::NONE)
    }

    /// The number of something that the record at hand needs. If it is not known yet, the record is made again when it is. What
    /// needs itself, as only damaged metadata does, is no type.
    pub fn need(&mut self, key: Key) -> u32 {
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        if !self.open.contains(&key) {
            self.missing.push(key);
        }
        simple::NONE
    }

    /// The same for a type; `None` is `void`.
    pub fn need_type(&mut self, ty: Option<DiTypeId>) -> u32 {
        ty.map_or(simple::VOID, |ty| self.need(Key::Type(ty)))
    }

    /// Is everything there that the record at hand needs?
    pub fn has_all(&self) -> bool {
        self.missing.is_empty()
    }

    /// Makes a record, unless something is missing.
    fn make(&mut self, key: Key) -> Option<u32> {
        match key {
            Key::Type(ty) => self.plain_type(ty),
            Key::MethodType(ty, class) => self.plain_method_type(ty, class),
            Key::This(ty, function) => self.this_pointer(ty, function),
            Key::Complete(ty) => self.complete_class(ty),
            Key::Reference(ty) => self.reference_to(ty),
            Key::Method(function, class) => self.method(function, class),
            Key::Function(function) => self.function(function),
            Key::Scope(scope) => {
                let name = self.qualified(around(self.info, scope), scope_name(self.info, scope));
                Some(self.table.string(&name))
            }
        }
    }

    /// A function as such: its type, and the scope or class that it is in.
    fn function(&mut self, id: DiSubprogramId) -> Option<u32> {
        let node = &self.info.subprograms[id.index()];
        let name = without_arguments(string(self.info, node.name));
        if let Some(DiScope::Type(class)) = node.scope
            && is_composite(&self.info.types[class.index()])
        {
            let (in_class, ty) =
                (self.need(Key::Type(class)), self.need(Key::Method(method_key(self.info, id), class)));
            let record = Record::new(leaf::MFUNC_ID).u32(in_class).u32(ty).name(name);
            return self.has_all().then(|| self.table.add(record));
        }
        let scope = match node.scope {
            Some(scope @ DiScope::Lexical(_)) => self.need(Key::Scope(scope)),
            // A function in another one is described as if it were not, as with LLVM: linkers of Microsoft want no such scope.
            _ => simple::NONE,
        };
        let ty = self.need_type(node.ty);
        let record = Record::new(leaf::FUNC_ID).u32(scope).u32(ty).name(name);
        self.has_all().then(|| self.table.add(record))
    }

    /// A name with the scopes around it, whose classes are described, too.
    pub fn qualified(&mut self, scope: Option<DiScope>, name: &[u8]) -> Vec<u8> {
        let around = parents(self.info, scope);
        let name = around.qualified(name);
        self.describe_later(&around);
        name
    }

    fn describe_later(&mut self, around: &Parents<'_>) {
        around.types.iter().for_each(|&ty| self.defer(ty));
    }

    /// Describes the members of a class when the records at hand are done.
    pub fn defer(&mut self, class: DiTypeId) {
        if !std::mem::replace(&mut self.is_deferred[class.index()], true) {
            self.deferred.push_back(class);
        }
    }

    /// A name with the scopes around it, when no record is being made.
    pub fn qualified_now(&mut self, scope: Option<DiScope>, name: &[u8]) -> Vec<u8> {
        let around = parents(self.info, scope);
        around.types.iter().for_each(|&ty| _ = self.complete(Some(ty)));
        around.qualified(name)
    }

    /// Lists the name of a type for debuggers. Names in other functions than that at hand are not listed, as in LLVM.
    pub fn list_name(&mut self, ty: DiTypeId) {
        let node = &self.info.types[ty.index()];
        if string(self.info, node.name).is_empty() || !self.is_named(ty) {
            return;
        }
        let around = parents(self.info, node.scope);
        let name = around.qualified(type_name(self.info, node));
        self.describe_later(&around);
        match around.function {
            None => self.global_names.push((name, ty)),
            function if function == self.function => self.local_names.push((name, ty)),
            _ => {}
        }
    }

    /// Does a type have a name of its own? Typedefs in classes have none, and what is only declared has none.
    fn is_named(&mut self, ty: DiTypeId) -> bool {
        let node = &self.info.types[ty.index()];
        if DwTag(node.tag) == dw::DW_TAG_typedef
            && let Some(DiScope::Type(class)) = node.scope
            && matches!(
                DwTag(self.info.types[class.index()].tag),
                dw::DW_TAG_structure_type | dw::DW_TAG_class_type | dw::DW_TAG_union_type
            )
        {
            return false;
        }
        self.is_defined(ty)
    }

    /// Is a type and what it is made of more than declared?
    fn is_defined(&mut self, ty: DiTypeId) -> bool {
        let (mut path, mut at) = (Vec::new(), ty);
        let defined = loop {
            if let Some(known) = self.defined[at.index()] {
                break known;
            }
            // A damaged chain is a cycle, which comes back to here.
            self.defined[at.index()] = Some(false);
            path.push(at);
            let node = &self.info.types[at.index()];
            match &node.kind {
                _ if node.flags & di_flags::FORWARD_DECLARATION != 0 => break false,
                DiTypeKind::Derived(derived) => match derived.base {
                    Some(base) => at = base,
                    None => break false,
                },
                _ => break true,
            }
        };
        path.into_iter().for_each(|ty| self.defined[ty.index()] = Some(defined));
        defined
    }

    /// What a typedef finally stands for; `None` is `void`.
    fn without_typedefs(&mut self, ty: DiTypeId) -> Option<DiTypeId> {
        let (mut path, mut at) = (Vec::new(), ty);
        let target = loop {
            let node = &self.info.types[at.index()];
            let DiTypeKind::Derived(derived) = &node.kind else { break Some(at) };
            if DwTag(node.tag) != dw::DW_TAG_typedef {
                break Some(at);
            }
            if let Some(&known) = self.targets.get(&at) {
                break known;
            }
            self.targets.insert(at, None);
            path.push(at);
            match derived.base {
                Some(base) => at = base,
                None => break None,
            }
        };
        path.into_iter().for_each(|ty| _ = self.targets.insert(ty, target));
        target
    }
}

/// The key of a type with its members, if it has any.
fn complete_key(info: &DebugInfo, ty: DiTypeId) -> Key {
    let node = &info.types[ty.index()];
    let is_class = is_class(node);
    match is_class && node.flags & di_flags::FORWARD_DECLARATION == 0 {
        true => Key::Complete(ty),
        false => Key::Type(ty),
    }
}

/// The function that the type of a method is made of: its declaration, if it has one, which also knows how the object is adjusted.
pub(super) fn method_key(info: &DebugInfo, id: DiSubprogramId) -> DiSubprogramId {
    info.subprograms[id.index()].declaration.unwrap_or(id)
}
