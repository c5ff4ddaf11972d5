//! Functions with code: their entries, those of blocks and inlined calls in them, and what inlined functions are copies of.

use gimli::constants as dw;
use std::ops::Range;

use super::entries::Value;
use super::expression::FrameBase;
use super::sections::CodeAddress;
use super::units::{Builder, Entry};
use super::variables::DescribedFunction;
use crate::debug::copies::{VariableCopy, argument_order, variable_copies};
use crate::debug::scopes::{ScopeTree, ScopeTrees};
use crate::debug::{
    DebugFunction, DebugInfo, DiEntity, DiImportedEntityId, DiLexicalScopeKind, DiLocalVariableId, DiScope,
    DiSubprogramId, EmissionKind, LabelPlace, di_flags,
};

/// What is known of the functions of a module before their entries are made.
pub(super) struct Inlined {
    /// Functions that were inlined somewhere.
    pub functions: Vec<bool>,
    /// Their variables that are described somewhere.
    variables: Vec<bool>,
}

/// What is declared in the scopes of a function: variables, labels with their offsets, names taken from elsewhere, each with its scope.
#[derive(Default)]
pub(super) struct Declared {
    copies: Vec<VariableCopy>,
    labels: Vec<(u32, LabelPlace, u32)>,
    imports: Vec<(u32, DiImportedEntityId)>,
}

impl Declared {
    /// What is declared in a function. The tree is the last one of `trees`.
    pub fn new(info: &DebugInfo, function: &DebugFunction, (trees, tree): (&ScopeTrees<'_>, &ScopeTree)) -> Declared {
        let copies = variable_copies(info, function, (trees, tree), &[]);
        Declared { copies, labels: labels(info, function, trees), imports: local_imports(info, function, trees) }
    }

    /// How many entries there are.
    pub fn entries(&self) -> usize {
        self.copies.len() + self.labels.len() + self.imports.len()
    }
}

/// A function with code, its unit, the scopes in it, and what is declared in these.
pub(super) type FunctionScopes<'a> = (u32, &'a DebugFunction, ScopeTree, Declared);

impl Builder<'_> {
    /// Finds which functions were inlined, and makes the entries that their copies refer to.
    pub fn inlined_functions(&mut self, functions: &[FunctionScopes<'_>]) -> Inlined {
        let info = self.info;
        let mut inlined =
            Inlined { functions: vec![false; info.subprograms.len()], variables: vec![false; info.variables.len()] };
        // The unit in which a function was first inlined.
        let mut order: Vec<(DiSubprogramId, u32)> = Vec::new();
        for (unit, _, tree, _) in functions {
            for function in tree.nodes.iter().filter_map(|node| node.inlined_function()) {
                if !std::mem::replace(&mut inlined.functions[function.index()], true) {
                    order.push((function, *unit));
                }
            }
        }
        if order.is_empty() {
            return inlined;
        }
        for &(unit, function, ..) in functions {
            if self.units[unit as usize].full {
                let ranges = function.debug.variables.iter().map(|range| range.variable);
                let lost = function.debug.lost.iter().map(|&(variable, _)| variable);
                ranges.chain(lost).for_each(|variable| inlined.variables[variable.index()] = true);
            }
        }
        for &(function, unit) in &order {
            // The function belongs to its own unit, if that is described.
            let own = info.subprograms[function.index()].unit.and_then(|unit| self.unit(unit));
            let unit = own.unwrap_or(unit);
            let node = &info.subprograms[function.index()];
            let entry = self.subprogram_entry(unit, function);
            self.fill_subprogram(function);
            self.number(entry, dw::DW_AT_inline, dw::DW_INL_inlined.0.into());
            for entity in &node.retained {
                if let &DiEntity::LocalVariable(variable) = entity {
                    inlined.variables[variable.index()] = true;
                }
            }
        }
        self.abstract_variables(&inlined);
        inlined
    }

    /// Describes the variables of inlined functions, parameters first.
    fn abstract_variables(&mut self, inlined: &Inlined) {
        let mut list: Vec<(DiSubprogramId, u32, DiLocalVariableId)> = Vec::new();
        for variable in (0..inlined.variables.len()).filter(|&variable| inlined.variables[variable]) {
            let node = &self.info.variables[variable];
            let function = node.scope.and_then(|scope| self.info.subprogram_of(scope));
            if let Some(function) = function.filter(|function| inlined.functions[function.index()]) {
                list.push((function, argument_order(node.argument), DiLocalVariableId::new(variable)));
            }
        }
        list.sort_unstable();
        for (function, _, variable) in list {
            let node = &self.info.variables[variable.index()];
            let Some(function) = self.subprograms.get(function.index()) else { continue };
            if !self.units[function.unit as usize].full {
                continue;
            }
            let around = node.scope.map_or(function, |scope| self.abstract_block(function, scope));
            let tag = if node.argument != 0 { dw::DW_TAG_formal_parameter } else { dw::DW_TAG_variable };
            let entry = self.add(around, tag);
            self.abstract_variables.set(variable.index(), entry);
            self.variable_attributes(entry, variable);
        }
    }

    /// The entry of a block of an inlined function.
    fn abstract_block(&mut self, function: Entry, scope: DiScope) -> Entry {
        let mut around = Vec::new();
        let mut at = scope;
        let mut entry = loop {
            let DiScope::Lexical(block) = at else { break function };
            let node = &self.info.scopes[block.index()];
            if let Some(known) = self.scope(block) {
                break known;
            }
            if matches!(node.kind, DiLexicalScopeKind::Block { .. }) {
                around.push(block);
            }
            match node.scope.filter(|_| around.len() <= self.info.scopes.len()) {
                Some(scope) => at = scope,
                None => break function,
            }
        };
        while let Some(block) = around.pop() {
            entry = self.add(entry, dw::DW_TAG_lexical_block);
            self.scopes.set(block.index(), entry);
        }
        entry
    }

    /// Describes a function with code.
    pub fn function(
        &mut self,
        unit: u32,
        function: &DebugFunction,
        (tree, declared): (ScopeTree, Declared),
        inlined: &Inlined,
    ) {
        let Some(id) = function.debug.subprogram else { return };
        let info = self.info;
        let node = &info.subprograms[id.index()];
        let origin = self.subprogram_entry(unit, id);
        let is_copy = inlined.functions[id.index()] || self.has(origin, dw::DW_AT_low_pc);
        let entry = match is_copy {
            true => {
                let root = self.units[unit as usize].root;
                let entry = self.add(root, dw::DW_TAG_subprogram);
                self.refer(entry, dw::DW_AT_abstract_origin, origin);
                entry
            }
            false => {
                self.fill_subprogram(id);
                origin
            }
        };
        self.code_range(entry, function.section, function.offset, function.offset + u64::from(function.len));
        let frame = FrameBase::new(function.debug.frame, self.facts.frame_by_cfa);
        let full = self.units[unit as usize].full;
        if full {
            let base = self.known_expression(entry.unit, |out| frame.expression(out));
            self.set(entry, dw::DW_AT_frame_base, base);
        }
        self.index(entry, node.name, dw::DW_TAG_subprogram);
        if node.linkage_name != node.name {
            self.index(entry, node.linkage_name, dw::DW_TAG_subprogram);
        }
        let mut entries = Vec::with_capacity(tree.nodes.len());
        entries.push(entry);
        let mut described = DescribedFunction { function, unit, tree, entries, frame, is_copy };
        self.scope_entries(&mut described, &declared);
        let types = self.signature(node.ty);
        if full && !is_copy && types.len() > 1 && types.last() == Some(&None) {
            self.add(entry, dw::DW_TAG_unspecified_parameters);
        }
        if full {
            self.calls(entry, &described, id);
        }
    }

    /// Makes the entries of blocks and inlined calls, each with what is declared in it. A block in which nothing is has none.
    fn scope_entries(&mut self, of: &mut DescribedFunction<'_>, declared: &Declared) {
        let mut declares = vec![false; of.tree.nodes.len()];
        declared.copies.iter().for_each(|copy| declares[copy.scope as usize] = true);
        declared.labels.iter().for_each(|label| declares[label.0 as usize] = true);
        declared.imports.iter().for_each(|import| declares[import.0 as usize] = true);
        let mut stretches = std::mem::take(&mut self.stretches);
        let mut copies = declared.copies.chunk_by(|a, b| a.scope == b.scope).peekable();
        let mut labels = declared.labels.iter().peekable();
        let mut imports = declared.imports.iter().peekable();
        for (number, &declares) in declares.iter().enumerate() {
            if number != 0 {
                let entry = self.scope_entry(of, number, declares);
                of.entries.push(entry);
            }
            let here = |scope: u32| scope as usize == number;
            if let Some(copies) = copies.next_if(|copies| here(copies[0].scope)) {
                self.variable_entries(of, copies, &mut stretches);
            }
            let entry = of.entries[number];
            while let Some(&(_, label, offset)) = labels.next_if(|label| here(label.0)) {
                self.label(entry, of.function, label, offset);
            }
            while let Some(&(_, import)) = imports.next_if(|import| here(import.0)) {
                self.imported_entity(of.unit, import, Some(entry));
            }
        }
        self.stretches = stretches;
    }

    fn scope_entry(&mut self, of: &DescribedFunction<'_>, number: usize, declares: bool) -> Entry {
        let node = &of.tree.nodes[number];
        let around = of.entries[node.parent as usize];
        match node.inlined_function() {
            _ if of.tree.code(number as u32).is_empty() => around,
            // A function of which nothing is described has no entry to refer to.
            Some(callee) => match self.subprograms.get(callee.index()) {
                Some(origin) => self.inlined_call(of, around, number, origin),
                None => around,
            },
            None if declares => {
                let entry = self.add(around, dw::DW_TAG_lexical_block);
                self.ranges(entry, of.function, of.tree.code(number as u32));
                entry
            }
            None => around,
        }
    }

    fn inlined_call(&mut self, of: &DescribedFunction<'_>, around: Entry, number: usize, origin: Entry) -> Entry {
        let info = self.info;
        let node = &of.tree.nodes[number];
        let entry = self.add(around, dw::DW_TAG_inlined_subroutine);
        self.refer(entry, dw::DW_AT_abstract_origin, origin);
        self.ranges(entry, of.function, of.tree.code(number as u32));
        if let Some(call) = node.inlined_at.map(|location| info.locations[location.index()]) {
            if let Some(file) = call.scope.and_then(|scope| info.file_of(scope)) {
                self.file_number(entry, dw::DW_AT_call_file, file);
            }
            self.number(entry, dw::DW_AT_call_line, call.line.into());
            if call.column != 0 {
                self.number(entry, dw::DW_AT_call_column, call.column.into());
            }
        }
        if let Some(callee) = node.inlined_function().map(|callee| &info.subprograms[callee.index()]) {
            self.index(entry, callee.name, dw::DW_TAG_inlined_subroutine);
            if callee.linkage_name != callee.name {
                self.index(entry, callee.linkage_name, dw::DW_TAG_inlined_subroutine);
            }
        }
        entry
    }

    /// Says which stretches of a function's code an entry describes.
    fn ranges(&mut self, entry: Entry, function: &DebugFunction, code: &[Range<u32>]) {
        let at = |offset: u32| function.offset + u64::from(offset);
        if let [only] = code {
            return self.code_range(entry, function.section, at(only.start), at(only.end));
        }
        let own = CodeAddress { section: function.section, offset: function.offset };
        let unit = &mut self.units[entry.unit as usize];
        let base = unit.base.filter(|base| base.section == function.section);
        let start = base.unwrap_or(own).offset;
        let list = unit.ranges.begin();
        if base.is_none() {
            unit.ranges.base(own);
        }
        code.iter().for_each(|code| unit.ranges.offsets(at(code.start) - start, at(code.end) - start));
        let list = unit.ranges.end(list);
        self.set(entry, dw::DW_AT_ranges, list);
    }

    fn label(&mut self, around: Entry, function: &DebugFunction, place: LabelPlace, offset: u32) {
        let node = &self.info.labels[place.label.index()];
        let entry = self.add(around, dw::DW_TAG_label);
        self.string(entry, dw::DW_AT_name, node.name);
        self.position(entry, node.file, node.line);
        self.flag(entry, dw::DW_AT_artificial, node.artificial);
        let address = Value::Address { section: function.section, offset: function.offset + u64::from(offset) };
        self.set(entry, dw::DW_AT_low_pc, address);
        self.index(entry, node.name, dw::DW_TAG_label);
    }

    /// The unit of a function, if it is to be described.
    pub fn unit_of_function(&mut self, function: &DebugFunction) -> Option<u32> {
        let node = &self.info.subprograms[function.debug.subprogram?.index()];
        let unit = node.unit?;
        match self.info.units[unit.index()].emission {
            EmissionKind::None | EmissionKind::DirectivesOnly => None,
            EmissionKind::Full | EmissionKind::LineTablesOnly => self.unit(unit),
        }
    }

    /// What is said of a variable wherever its copies are.
    pub fn variable_attributes(&mut self, entry: Entry, variable: DiLocalVariableId) {
        let node = &self.info.variables[variable.index()];
        self.string(entry, dw::DW_AT_name, node.name);
        if node.align_bits >= 8 && self.facts.version >= 5 {
            self.number(entry, dw::DW_AT_alignment, (node.align_bits / 8).into());
        }
        self.position(entry, node.file, node.line);
        self.ty(entry, node.ty);
        self.flag(entry, dw::DW_AT_artificial, node.flags & di_flags::ARTIFICIAL != 0);
    }
}

/// Names that blocks of a function take from elsewhere.
fn local_imports(info: &DebugInfo, function: &DebugFunction, trees: &ScopeTrees<'_>) -> Vec<(u32, DiImportedEntityId)> {
    let mut list = Vec::new();
    for entity in function.debug.subprogram.into_iter().flat_map(|id| &info.subprograms[id.index()].retained) {
        if let &DiEntity::ImportedEntity(import) = entity {
            let scope = info.imported[import.index()].scope;
            let node = scope.and_then(|scope| trees.find(scope, None));
            list.push((node.unwrap_or(0), import));
        }
    }
    list.sort_by_key(|&(scope, _)| scope);
    list
}

/// The labels of a function with the scopes that they are in.
fn labels(info: &DebugInfo, function: &DebugFunction, trees: &ScopeTrees<'_>) -> Vec<(u32, LabelPlace, u32)> {
    let mut list = Vec::new();
    for mark in &function.debug.labels {
        let scope = info.labels[mark.value.label.index()].scope;
        if let Some(node) = scope.and_then(|scope| trees.find(scope, mark.value.inlined_at)) {
            list.push((node, mark.value, mark.offset));
        }
    }
    list.sort_by_key(|&(scope, ..)| scope);
    list
}
