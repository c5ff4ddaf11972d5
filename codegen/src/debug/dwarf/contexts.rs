//! Entries around others: namespaces, modules, common blocks and types; and names that scopes take from elsewhere.

use gimli::DwAt;
use gimli::DwTag;
use gimli::constants as dw;

use super::units::{Builder, Entry};
use crate::debug::{DiEntity, DiImportedEntityId, DiLexicalScopeId, DiLexicalScopeKind, DiScope, DiString, di_flags};

/// LLVM's attribute for the notes of a module's interface.
const APINOTES: DwAt = DwAt(0x3e07);

impl Builder<'_> {
    /// The entry of a scope in which something lies. What is not known yet is made in `unit`.
    pub fn context(&mut self, unit: u32, scope: Option<DiScope>) -> Entry {
        let mut around = Vec::new();
        let mut at = scope;
        // A damaged chain of scopes might be a cycle.
        let limit = self.info.scopes.len() + self.info.types.len() + self.info.subprograms.len();
        let mut entry = loop {
            let Some(scope) = at.filter(|_| around.len() <= limit) else { break self.units[unit as usize].root };
            if let Some(known) = self.known(scope) {
                break known;
            }
            at = match scope {
                DiScope::File(_) | DiScope::CompileUnit(_) => None,
                DiScope::Type(ty) => {
                    around.push(scope);
                    self.info.types[ty.index()].scope
                }
                DiScope::Subprogram(function) => {
                    around.push(scope);
                    self.info.subprograms[function.index()].scope
                }
                DiScope::Lexical(inner) => {
                    let node = &self.info.scopes[inner.index()];
                    if !is_block(node.kind) {
                        around.push(scope);
                    }
                    node.scope
                }
            };
        };
        while let Some(scope) = around.pop() {
            entry = match (self.known(scope), scope) {
                (Some(known), _) => known,
                (None, DiScope::Type(ty)) => self.new_type(entry, ty),
                (None, DiScope::Subprogram(function)) => {
                    // A definition whose declaration is in a class lies in the unit.
                    let declared = self.info.subprograms[function.index()].declaration.is_some();
                    let around = if declared { self.units[unit as usize].root } else { entry };
                    self.new_subprogram(around, function)
                }
                (None, DiScope::Lexical(scope)) => self.new_scope(entry, scope),
                (None, DiScope::File(_) | DiScope::CompileUnit(_)) => entry,
            };
        }
        entry
    }

    fn known(&self, scope: DiScope) -> Option<Entry> {
        match scope {
            DiScope::Type(ty) => self.types.get(ty.index()),
            DiScope::Subprogram(function) => self.subprograms.get(function.index()),
            DiScope::Lexical(scope) if !is_block(self.info.scopes[scope.index()].kind) => self.scope(scope),
            DiScope::Lexical(_) | DiScope::File(_) | DiScope::CompileUnit(_) => None,
        }
    }

    /// A namespace, module or common block.
    fn new_scope(&mut self, around: Entry, id: DiLexicalScopeId) -> Entry {
        let node = &self.info.scopes[id.index()];
        let tag = match node.kind {
            DiLexicalScopeKind::Module { .. } => dw::DW_TAG_module,
            DiLexicalScopeKind::CommonBlock { .. } => dw::DW_TAG_common_block,
            _ => dw::DW_TAG_namespace,
        };
        let entry = self.add(around, tag);
        self.scopes.set(id.index(), entry);
        self.string(entry, dw::DW_AT_name, node.name);
        self.index(entry, node.name, tag);
        match node.kind {
            DiLexicalScopeKind::Namespace { export_symbols } => {
                self.flag(entry, dw::DW_AT_export_symbols, export_symbols && self.facts.version >= 5);
            }
            DiLexicalScopeKind::Module { configuration_macros, include_path, api_notes, declaration } => {
                self.string(entry, dw::DW_AT_LLVM_config_macros, configuration_macros);
                self.string(entry, dw::DW_AT_LLVM_include_path, include_path);
                self.string(entry, APINOTES, api_notes);
                self.position(entry, node.file, node.line);
                self.flag(entry, dw::DW_AT_declaration, declaration);
            }
            DiLexicalScopeKind::CommonBlock { variable } => {
                self.position(entry, node.file, node.line);
                if let Some(variable) = variable {
                    self.common_blocks.insert(variable, entry);
                }
            }
            DiLexicalScopeKind::Block { .. } | DiLexicalScopeKind::BlockFile { .. } => {}
        }
        entry
    }

    /// A name that a scope takes from another; `None` if what it takes is not described.
    pub fn imported_entity(&mut self, unit: u32, id: DiImportedEntityId, around: Option<Entry>) -> Option<Entry> {
        if let Some(known) = self.import(id) {
            return Some(known);
        }
        let node = &self.info.imported[id.index()];
        let to = self.entity(unit, node.entity?)?;
        let around = around.unwrap_or_else(|| self.context(unit, node.scope));
        let tag = DwTag(node.tag);
        let entry = self.add(around, tag);
        self.imported.set(id.index(), entry);
        self.position(entry, node.file, node.line);
        self.refer(entry, dw::DW_AT_import, to);
        self.string(entry, dw::DW_AT_name, node.name);
        if node.name != DiString(0) {
            self.index(entry, node.name, tag);
        }
        for &element in &node.elements {
            let element = &self.info.imported[element.index()];
            if let Some(to) = element.entity.and_then(|entity| self.entity(unit, entity)) {
                let inner = self.add(entry, DwTag(element.tag));
                self.position(inner, element.file, element.line);
                self.refer(inner, dw::DW_AT_import, to);
                self.string(inner, dw::DW_AT_name, element.name);
            }
        }
        Some(entry)
    }

    fn entity(&mut self, unit: u32, entity: DiEntity) -> Option<Entry> {
        match entity {
            DiEntity::Scope(DiScope::Type(ty)) => Some(self.type_entry(unit, ty)),
            DiEntity::Scope(DiScope::Subprogram(function)) => Some(self.subprogram_entry(unit, function)),
            DiEntity::Scope(scope @ DiScope::Lexical(_)) => Some(self.context(unit, Some(scope))),
            DiEntity::Scope(DiScope::File(_) | DiScope::CompileUnit(_)) => None,
            DiEntity::GlobalVariable(variable) => Some(self.global_entry(unit, variable)),
            DiEntity::LocalVariable(variable) => self.variable(variable),
            DiEntity::Label(_) => None,
            DiEntity::ImportedEntity(entity) => self.import(entity),
        }
    }

    /// Sets who may access a member.
    pub fn access(&mut self, entry: Entry, flags: u32) {
        let access = match flags & di_flags::ACCESSIBILITY {
            1 => dw::DW_ACCESS_private,
            2 => dw::DW_ACCESS_protected,
            3 => dw::DW_ACCESS_public,
            _ => return,
        };
        self.number(entry, dw::DW_AT_accessibility, access.0.into());
    }
}

fn is_block(kind: DiLexicalScopeKind) -> bool {
    matches!(kind, DiLexicalScopeKind::Block { .. } | DiLexicalScopeKind::BlockFile { .. })
}
