//! Functions as such: declarations, and what definitions and inlined functions say besides their code.

use gimli::DwTag;
use gimli::constants as dw;

use super::units::{Builder, Entry};
use crate::debug::{
    DiElement, DiScope, DiSubprogram, DiSubprogramId, DiTemplateParameter, DiTypeId, DiTypeKind, di_flags,
    di_subprogram_flags,
};

impl<'a> Builder<'a> {
    /// The entry of a function that others refer to. That of a definition is filled when its code is described.
    pub fn subprogram_entry(&mut self, unit: u32, id: DiSubprogramId) -> Entry {
        if let Some(known) = self.subprograms.get(id.index()) {
            return known;
        }
        let node = &self.info.subprograms[id.index()];
        if self.declaration_entry(unit, node).is_some() {
            // The declaration precedes the definition, which lies in the unit.
            let root = self.units[unit as usize].root;
            return self.new_subprogram(root, id);
        }
        let around = match self.units[unit as usize].full {
            true => self.context(unit, node.scope),
            false => self.units[unit as usize].root,
        };
        match self.subprograms.get(id.index()) {
            Some(known) => known,
            None => self.new_subprogram(around, id),
        }
    }

    /// The entry of a definition's declaration in a class, which is made if it is new.
    fn declaration_entry(&mut self, unit: u32, node: &DiSubprogram) -> Option<Entry> {
        let full = self.units[unit as usize].full;
        let id = node.declaration.filter(|_| full && is_definition(node))?;
        let declared = &self.info.subprograms[id.index()];
        if is_definition(declared) {
            return None;
        }
        if self.subprograms.get(id.index()).is_none() {
            let around = self.context(unit, declared.scope);
            self.methods(around, declared.scope);
            if self.subprograms.get(id.index()).is_none() {
                self.new_subprogram(around, id);
            }
        }
        self.subprograms.get(id.index())
    }

    /// Makes the entries of the functions that a class lists, in its order, which is that in which debuggers show them.
    fn methods(&mut self, class: Entry, scope: Option<DiScope>) {
        let Some(DiScope::Type(id)) = scope else { return };
        let info = self.info;
        let DiTypeKind::Composite(composite) = &info.types[id.index()].kind else { return };
        for element in &composite.elements {
            if let DiElement::Subprogram(function) = element
                && self.subprograms.get(function.index()).is_none()
            {
                self.new_subprogram(class, *function);
            }
        }
    }

    /// Makes the entry of a function in `around`.
    pub fn new_subprogram(&mut self, around: Entry, id: DiSubprogramId) -> Entry {
        let node = &self.info.subprograms[id.index()];
        let entry = self.add(around, dw::DW_TAG_subprogram);
        self.set_subprogram(id, entry);
        if is_definition(node) {
            self.unfilled.push(id);
        } else {
            self.subprogram_attributes(entry, node);
        }
        entry
    }

    /// Says what is known of a definition besides its code, if that is not said yet.
    pub fn fill_subprogram(&mut self, id: DiSubprogramId) {
        let node = &self.info.subprograms[id.index()];
        if let Some(entry) = self.subprograms.get(id.index()).filter(|_| is_definition(node))
            && !std::mem::replace(&mut self.filled[id.index()], true)
        {
            self.subprogram_attributes(entry, node);
        }
    }

    /// What is said of a function, of a definition by reference to its declaration.
    fn subprogram_attributes(&mut self, entry: Entry, node: &DiSubprogram) {
        if !self.units[entry.unit as usize].full {
            // Lines and names alone.
            return self.string(entry, dw::DW_AT_name, node.name);
        }
        let known = self.declaration_entry(entry.unit, node);
        let declaration = node.declaration.filter(|_| known.is_some());
        let types = self.signature(node.ty);
        if let Some(declaration) = declaration {
            let declared = &self.info.subprograms[declaration.index()];
            let declared_types = self.signature(declared.ty);
            // A result that is deduced.
            if let (Some(&Some(own)), Some(&other)) = (types.first(), declared_types.first())
                && other != Some(own)
            {
                self.ty(entry, Some(own));
            }
            if let Some(file) = node.file.filter(|_| node.file != declared.file) {
                self.file_number(entry, dw::DW_AT_decl_file, file);
            }
            if node.line != declared.line {
                self.number(entry, dw::DW_AT_decl_line, node.line.into());
            }
        }
        self.template_parameters(entry, &node.template_parameters);
        let declared_name = declaration.map(|declaration| self.info.subprograms[declaration.index()].linkage_name);
        if declared_name != Some(node.linkage_name) {
            self.string(entry, dw::DW_AT_linkage_name, node.linkage_name);
        }
        if let Some(known) = known {
            return self.refer(entry, dw::DW_AT_specification, known);
        }
        self.string(entry, dw::DW_AT_name, node.name);
        self.position(entry, node.file, node.line);
        self.flag(entry, dw::DW_AT_prototyped, node.flags & di_flags::PROTOTYPED != 0 && self.is_c(entry.unit));
        let convention = node.ty.map_or(0, |ty| match &self.info.types[ty.index()].kind {
            DiTypeKind::Subroutine(function) => function.convention,
            _ => 0,
        });
        self.convention(entry, convention);
        self.ty(entry, types.first().copied().flatten());
        self.virtuality(entry, node);
        let has = |flag: u32| node.subprogram_flags & flag != 0;
        if !has(di_subprogram_flags::DEFINITION) {
            self.flag(entry, dw::DW_AT_declaration, true);
            self.signature_parameters(entry, types);
        }
        for &ty in &node.thrown_types {
            let thrown = self.add(entry, dw::DW_TAG_thrown_type);
            self.ty(thrown, Some(ty));
        }
        self.string(entry, dw::DW_AT_trampoline, node.target_name);
        let flags = [
            (dw::DW_AT_artificial, node.flags & di_flags::ARTIFICIAL != 0),
            (dw::DW_AT_external, !has(di_subprogram_flags::LOCAL_TO_UNIT)),
            (dw::DW_AT_reference, node.flags & di_flags::LVALUE_REFERENCE != 0),
            (dw::DW_AT_rvalue_reference, node.flags & di_flags::RVALUE_REFERENCE != 0),
            (dw::DW_AT_noreturn, node.flags & di_flags::NO_RETURN != 0),
            (dw::DW_AT_explicit, node.flags & di_flags::EXPLICIT != 0),
            (dw::DW_AT_main_subprogram, has(di_subprogram_flags::MAIN_SUBPROGRAM)),
            (dw::DW_AT_pure, has(di_subprogram_flags::PURE)),
            (dw::DW_AT_elemental, has(di_subprogram_flags::ELEMENTAL)),
            (dw::DW_AT_recursive, has(di_subprogram_flags::RECURSIVE)),
            (dw::DW_AT_deleted, has(di_subprogram_flags::DELETED) && self.facts.version >= 5),
        ];
        flags.into_iter().for_each(|(name, value)| self.flag(entry, name, value));
        self.access(entry, node.flags);
    }

    fn virtuality(&mut self, entry: Entry, node: &DiSubprogram) {
        let virtuality = node.subprogram_flags & di_subprogram_flags::VIRTUALITY;
        if virtuality == 0 {
            return;
        }
        self.number(entry, dw::DW_AT_virtuality, virtuality.into());
        if node.virtual_index != u32::MAX {
            // gdb takes a function for virtual only if its place begins with this operation, not with a shorter one.
            let place = self.known_expression(entry.unit, |out| {
                out.op(dw::DW_OP_constu);
                out.uleb128(node.virtual_index.into());
            });
            self.set(entry, dw::DW_AT_vtable_elem_location, place);
        }
        self.type_as(entry, dw::DW_AT_containing_type, node.containing_type);
    }

    /// Result and parameters of a function's type.
    pub fn signature(&self, ty: Option<DiTypeId>) -> &'a [Option<DiTypeId>] {
        let info = self.info;
        match ty.map(|ty| &info.types[ty.index()].kind) {
            Some(DiTypeKind::Subroutine(function)) => &function.types,
            _ => &[],
        }
    }

    /// The parameters of a declaration or a function's type.
    pub fn signature_parameters(&mut self, entry: Entry, types: &[Option<DiTypeId>]) {
        for ty in types.iter().skip(1) {
            let Some(ty) = *ty else {
                self.add(entry, dw::DW_TAG_unspecified_parameters);
                continue;
            };
            let parameter = self.add(entry, dw::DW_TAG_formal_parameter);
            self.ty(parameter, Some(ty));
            self.flag(parameter, dw::DW_AT_artificial, self.info.types[ty.index()].flags & di_flags::ARTIFICIAL != 0);
        }
    }

    pub fn convention(&mut self, entry: Entry, convention: u8) {
        if convention != 0 && convention != dw::DW_CC_normal.0 {
            self.number(entry, dw::DW_AT_calling_convention, convention.into());
        }
    }

    /// Is the language of a unit C or one of its relatives with prototypes?
    pub fn is_c(&self, unit: u32) -> bool {
        let language = gimli::DwLang(self.info.units[self.units[unit as usize].node.index()].language);
        matches!(
            language,
            dw::DW_LANG_C89 | dw::DW_LANG_C | dw::DW_LANG_ObjC | dw::DW_LANG_C99 | dw::DW_LANG_C11 | dw::DW_LANG_C17
        )
    }

    /// The arguments of a template.
    pub fn template_parameters(&mut self, entry: Entry, list: &[DiTemplateParameter]) {
        for parameter in list {
            match parameter {
                DiTemplateParameter::Type { name, ty, default } => {
                    let inner = self.add(entry, dw::DW_TAG_template_type_parameter);
                    self.ty(inner, *ty);
                    self.string(inner, dw::DW_AT_name, *name);
                    self.flag(inner, dw::DW_AT_default_value, *default && self.facts.version >= 5);
                }
                DiTemplateParameter::Value { name, ty, value, default } => {
                    let inner = self.add(entry, dw::DW_TAG_template_value_parameter);
                    self.ty(inner, *ty);
                    self.string(inner, dw::DW_AT_name, *name);
                    self.flag(inner, dw::DW_AT_default_value, *default && self.facts.version >= 5);
                    if let Some(value) = value {
                        let value = self.constant(inner.unit, *ty, value);
                        self.set(inner, dw::DW_AT_const_value, value);
                    }
                }
                DiTemplateParameter::Template { name, template } => {
                    let inner = self.add(entry, dw::DW_TAG_GNU_template_template_param);
                    self.string(inner, dw::DW_AT_name, *name);
                    self.string(inner, dw::DW_AT_GNU_template_name, *template);
                }
                DiTemplateParameter::Pack { name, arguments } => {
                    let inner = self.add(entry, DwTag(dw::DW_TAG_GNU_template_parameter_pack.0));
                    self.string(inner, dw::DW_AT_name, *name);
                    self.template_parameters(inner, arguments);
                }
            }
        }
    }
}

fn is_definition(node: &DiSubprogram) -> bool {
    node.subprogram_flags & di_subprogram_flags::DEFINITION != 0
}
