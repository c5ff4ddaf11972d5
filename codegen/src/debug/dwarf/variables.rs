//! Variables: entries of local ones with their places, and global ones.

use std::ops::Range;

use gimli::constants as dw;

use super::entries::Value;
use super::expression::{self, FrameBase};
use super::lists::{Stretch, Stretches};
use super::operations::Lost;
use super::sections::{CodeAddress, DwarfWriter};
use super::units::{Builder, Entry};
use crate::debug::copies::VariableCopy;
use crate::debug::scopes::ScopeTree;
use crate::debug::{
    DebugFunction, DiGlobalVariableExpression, DiGlobalVariableId, DiString, DiTypeId, Fragment, VariableOperand,
    VariableRange, di_flags, sign_extended,
};
use crate::ir::SymbolId;

/// The most words of a location before DWARF 5, whose lists have 16 bits for the length of each: a word becomes 16 bytes at most.
const MOST_WORDS: usize = 65_535 / 16;

/// Where a function's scopes and variables are described.
pub(super) struct DescribedFunction<'f> {
    pub function: &'f DebugFunction,
    pub unit: u32,
    pub tree: ScopeTree,
    /// The entry of each scope; of one without an entry, that of the scope around it.
    pub entries: Vec<Entry>,
    pub frame: FrameBase,
    /// Is the function described once for all its copies?
    pub is_copy: bool,
}

impl Builder<'_> {
    /// Makes the entries of variables of one scope. `stretches` is memory.
    pub fn variable_entries(&mut self, of: &DescribedFunction<'_>, copies: &[VariableCopy], stretches: &mut Stretches) {
        for copy in copies {
            let node = &self.info.variables[copy.variable.index()];
            let around = of.entries[copy.scope as usize];
            let tag = if node.argument != 0 { dw::DW_TAG_formal_parameter } else { dw::DW_TAG_variable };
            let entry = self.add(around, tag);
            self.place(of, entry, copy, stretches);
            let is_copy = of.is_copy || of.tree.nodes[copy.scope as usize].inlined_at.is_some();
            match self.abstract_variables.get(copy.variable.index()).filter(|_| is_copy) {
                Some(origin) => self.refer(entry, dw::DW_AT_abstract_origin, origin),
                None => self.variable_attributes(entry, copy.variable),
            }
            self.variables.set(copy.variable.index(), entry);
            if copy.scope == 0 && node.flags & di_flags::OBJECT_POINTER != 0 {
                self.refer(around, dw::DW_AT_object_pointer, entry);
            }
        }
    }

    /// Says where a variable is.
    fn place(&mut self, of: &DescribedFunction<'_>, entry: Entry, copy: &VariableCopy, stretches: &mut Stretches) {
        let ranges = &of.function.debug.variables[copy.ranges.clone()];
        let scope = of.tree.code(copy.scope);
        let (Some(first), Some(last)) = (scope.first(), scope.last()) else { return };
        let covers = |code: &Range<u32>| code.start <= first.start && code.end >= last.end;
        if let [range] = ranges
            && covers(&range.code)
            && let Some(value) = self.constant_of(of, entry.unit, range)
        {
            return self.set(entry, dw::DW_AT_const_value, value);
        }
        self.find_stretches(of, ranges, stretches);
        match &stretches.list[..] {
            [] => {}
            [only] if covers(&only.code) => {
                let place = self.expression_part(entry.unit, &stretches.places, only.start, only.end);
                self.set(entry, dw::DW_AT_location, place);
            }
            _ => {
                let list = self.location_list(of, entry.unit, stretches);
                self.set(entry, dw::DW_AT_location, list);
            }
        }
    }

    fn location_list(&mut self, of: &DescribedFunction<'_>, unit: u32, stretches: &Stretches) -> Value {
        let own = CodeAddress { section: of.function.section, offset: of.function.offset };
        let unit = &mut self.units[unit as usize];
        let base = unit.base.filter(|base| base.section == own.section);
        let start = base.unwrap_or(own).offset;
        let out = &mut unit.locations;
        let list = out.begin();
        let alone = base.is_none() && stretches.list.len() == 1;
        if base.is_none() && !alone {
            out.base(own);
        }
        for Stretch { code, start: from, end: to } in &stretches.list {
            let [begin, end] = [code.start, code.end].map(|at| own.offset + u64::from(at));
            match alone {
                true => out.stretch(CodeAddress { offset: begin, ..own }, end - begin),
                false => out.offsets(begin - start, end - start),
            }
            out.expression(&stretches.places, *from, *to);
        }
        out.end(list)
    }

    /// The constant that a variable is through its whole scope.
    fn constant_of(&mut self, of: &DescribedFunction<'_>, unit: u32, range: &VariableRange) -> Option<Value> {
        let debug = &of.function.debug;
        let operands = &debug.operands[range.operands.start as usize..range.operands.end as usize];
        let &[VariableOperand::Constant { bits, bytes }] = operands else { return None };
        if range.is_address || !debug.expressions[range.expression as usize].0.is_empty() {
            return None;
        }
        let ty = self.info.variables[range.variable.index()].ty;
        Some(match bytes {
            0 => return None,
            1..=8 if self.is_larger(ty, bytes) => return None,
            1..=8 if ty.is_some_and(|ty| self.info.is_unsigned(ty)) => Value::Unsigned(bits as u64),
            1..=8 => Value::Signed(sign_extended(bits as u64, 8 * u32::from(bytes))),
            _ => {
                let bytes = usize::from(bytes.min(16));
                self.block(unit, &self.facts.endian.number(bits, bytes)[..bytes])
            }
        })
    }

    /// Finds the places of a variable by stretches of code.
    fn find_stretches(&mut self, of: &DescribedFunction<'_>, ranges: &[VariableRange], out: &mut Stretches) {
        out.clear();
        of.function.stretches(ranges, |code, parts| self.stretch(of, out, code, parts));
    }

    /// Adds a stretch of code in which a variable has these parts.
    fn stretch(
        &mut self,
        of: &DescribedFunction<'_>,
        out: &mut Stretches,
        code: Range<u32>,
        parts: &[(&VariableRange, Option<Fragment>)],
    ) {
        if code.is_empty() || parts.is_empty() {
            return;
        }
        if self.facts.version < 5 && parts.iter().map(|(range, _)| words(of, range)).sum::<usize>() > MOST_WORDS {
            return self.unexpressed += 1;
        }
        let start = out.places.len();
        match self.parts(of, &mut out.places, parts) {
            true => out.add(code, start),
            false => out.places.truncate(start),
        }
    }

    /// Appends the place of a variable of which these parts are known. Returns whether one of them can be expressed.
    fn parts(
        &mut self,
        of: &DescribedFunction<'_>,
        place: &mut DwarfWriter,
        parts: &[(&VariableRange, Option<Fragment>)],
    ) -> bool {
        let (mut at, mut known) = (0, false);
        for &(range, part) in parts {
            let Some(part) = part else {
                match self.range_place(of, place, range) {
                    Ok(()) => return true,
                    Err(Lost) => self.unexpressed += 1,
                }
                return false;
            };
            if part.offset > at {
                place.op_piece(part.offset - at);
            }
            let start = place.len();
            // A value in two places is described by pieces already.
            let pair = pair_bits(of, range);
            match self.range_place(of, place, range) {
                Ok(()) if pair.is_none_or(|bits| bits == part.size) => {
                    known = true;
                    if pair.is_none() {
                        place.op_piece(part.size);
                    }
                }
                _ => {
                    self.unexpressed += 1;
                    place.truncate(start);
                    place.op_piece(part.size);
                }
            }
            at = part.offset.saturating_add(part.size);
        }
        if known && at > 0 {
            self.rest(place, at, self.info.variables[parts[0].0.variable.index()].ty);
        }
        known
    }

    /// Says that a variable of which the bits up to `at` are described is nowhere beyond: debuggers take what no piece covers for zeros.
    fn rest(&self, place: &mut DwarfWriter, at: u64, ty: Option<DiTypeId>) {
        let size = ty.map_or(0, |ty| self.info.types[self.info.look_through(ty).index()].size_bits);
        if size > at {
            place.op_piece(size - at);
        }
    }

    fn range_place(
        &self,
        of: &DescribedFunction<'_>,
        out: &mut DwarfWriter,
        range: &VariableRange,
    ) -> Result<(), Lost> {
        let debug = &of.function.debug;
        let operands = &debug.operands[range.operands.start as usize..range.operands.end as usize];
        let expression = &debug.expressions[range.expression as usize];
        let (ty, is_address) = (self.info.variables[range.variable.index()].ty, range.is_address);
        self.describe(out, expression::Described { operands, expression, is_address, ty, frame: of.frame })
    }

    /// The entry of a global variable, which is made if it is new. Its place is set apart.
    pub fn global_entry(&mut self, unit: u32, id: DiGlobalVariableId) -> Entry {
        if let Some(known) = self.global(id) {
            return known;
        }
        let node = &self.info.globals[id.index()];
        let around = self.context(unit, node.scope);
        let entry = self.add(around, dw::DW_TAG_variable);
        self.globals.set(id.index(), entry);
        if let Some(declaration) = node.declaration {
            let member = self.type_entry(unit, declaration);
            self.refer(entry, dw::DW_AT_specification, member);
        } else {
            self.string(entry, dw::DW_AT_name, node.name);
            self.ty(entry, node.ty);
            self.flag(entry, dw::DW_AT_external, !node.local);
            self.position(entry, node.file, node.line);
        }
        self.flag(entry, dw::DW_AT_declaration, !node.definition);
        if node.align_bits >= 8 && self.facts.version >= 5 {
            self.number(entry, dw::DW_AT_alignment, (node.align_bits / 8).into());
        }
        self.template_parameters(entry, &node.template_parameters);
        self.string(entry, dw::DW_AT_linkage_name, node.linkage_name);
        entry
    }

    /// Describes the global variables of a unit.
    pub fn global_variables(&mut self, unit: u32, list: &[DiGlobalVariableExpression]) {
        let mut parts: Vec<(DiGlobalVariableId, u64, &DiGlobalVariableExpression)> = Vec::with_capacity(list.len());
        for part in list {
            self.global_entry(unit, part.variable);
            let offset = part.expression.fragment().map_or(0, |part| part.offset);
            parts.push((part.variable, offset, part));
        }
        parts.sort_by_key(|&(variable, offset, _)| (variable, offset));
        for parts in parts.chunk_by(|a, b| a.0 == b.0) {
            let variable = parts[0].0;
            let Some(entry) = self.global(variable) else { continue };
            let node = &self.info.globals[variable.index()];
            if let [(_, _, DiGlobalVariableExpression { expression, symbol: None, .. })] = parts
                && let Some((value, signed)) = expression.constant_value()
                && expression.fragment().is_none()
            {
                let value = if signed { Value::Signed(value as i64) } else { Value::Unsigned(value) };
                self.set(entry, dw::DW_AT_const_value, value);
                continue;
            }
            let mut place = DwarfWriter::default();
            if !self.global_parts(&mut place, parts, node.ty) {
                continue;
            }
            if let Some(block) = self.common_blocks.get(&variable).copied() {
                let place = self.expression_part(block.unit, &place, 0, place.len());
                self.set(block, dw::DW_AT_location, place);
            }
            let place = self.expression_part(entry.unit, &place, 0, place.len());
            self.set(entry, dw::DW_AT_location, place);
            if node.definition {
                self.index(entry, node.name, dw::DW_TAG_variable);
                if node.linkage_name != node.name && node.linkage_name != DiString(0) {
                    self.index(entry, node.linkage_name, dw::DW_TAG_variable);
                }
            }
        }
    }

    /// Appends the place of a global variable with these parts. Returns whether it has one.
    fn global_parts(
        &mut self,
        place: &mut DwarfWriter,
        parts: &[(DiGlobalVariableId, u64, &DiGlobalVariableExpression)],
        ty: Option<DiTypeId>,
    ) -> bool {
        let (mut at, mut known) = (0, false);
        for (_, _, part) in parts {
            let fragment = part.expression.fragment();
            if let Some(fragment) = fragment.filter(|fragment| fragment.offset > at) {
                place.op_piece(fragment.offset - at);
            }
            match self.global_place(place, part) {
                Ok(described) => known |= described,
                Err(Lost) => {
                    self.unexpressed += 1;
                    return false;
                }
            }
            let Some(fragment) = fragment else { break };
            place.op_piece(fragment.size);
            at = fragment.offset.saturating_add(fragment.size);
        }
        if known && at > 0 {
            self.rest(place, at, ty);
        }
        known
    }

    /// Appends the place of a global variable or a part of it. Returns whether there is one.
    fn global_place(&self, out: &mut DwarfWriter, part: &DiGlobalVariableExpression) -> Result<bool, Lost> {
        let frame = FrameBase { register: u16::MAX, to_cfa: None };
        let expression = &part.expression;
        let Some(symbol) = part.symbol else {
            if expression.is_plain() {
                return Ok(false);
            }
            let of = expression::Described { operands: &[], expression, is_address: true, ty: None, frame };
            return self.describe(out, of).map(|()| true);
        };
        if !self.push_symbol(out, symbol) {
            return Ok(false);
        }
        if !expression.is_plain() {
            let of = expression::Described { operands: &[], expression, is_address: true, ty: None, frame };
            self.describe(out, of)?;
        }
        Ok(true)
    }

    /// Pushes the address of a variable in the object; `false` if there is none or it cannot be expressed.
    fn push_symbol(&self, out: &mut DwarfWriter, symbol: SymbolId) -> bool {
        let node = self.module.symbol(symbol);
        match (node.is_tls(), self.facts.thread_local) {
            _ if !node.is_defined() => return false,
            (true, None) => return false,
            (true, Some(form)) => out.op_tls_address(symbol, form),
            (false, _) => out.op_addr(symbol, 0, self.facts.address_bytes),
        }
        true
    }
}

/// The bits of a value that is in two places.
fn pair_bits(of: &DescribedFunction<'_>, range: &VariableRange) -> Option<u64> {
    match of.function.debug.operands[range.operands.start as usize..range.operands.end as usize] {
        [VariableOperand::Value { high: Some(_), bytes, .. }] if !range.is_address => Some(16 * u64::from(bytes)),
        _ => None,
    }
}

/// Words of an expression with its operands, and one for the piece.
fn words(of: &DescribedFunction<'_>, range: &VariableRange) -> usize {
    of.function.debug.expressions[range.expression as usize].0.len() + range.operands.len() + 1
}
