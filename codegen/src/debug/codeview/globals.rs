//! Global variables, constants and names of types.

use std::collections::HashMap;

use super::Builder;
use super::bytes::{Number, Output};
use super::names::string;
use super::records::{subsection, symbol};
use super::types::NamedType;
use crate::debug::sections::DebugTarget;
use crate::debug::{
    DebugInfo, DiEntity, DiExpression, DiGlobalVariableExpression, DiScope, DiTypeId, DiTypeKind, EmissionKind,
    sign_extended,
};

/// The global variables of a module.
#[derive(Default)]
pub(super) struct Globals<'a> {
    /// Those that are kept or dropped with others of their name.
    apart: Vec<&'a DiGlobalVariableExpression>,
    /// All others, and constants.
    plain: Vec<&'a DiGlobalVariableExpression>,
    /// Static variables of functions, by scope.
    pub of_scopes: HashMap<DiScope, Vec<&'a DiGlobalVariableExpression>>,
}

impl<'a> Builder<'a> {
    /// Finds the global variables.
    pub fn find_globals(&mut self) -> Globals<'a> {
        let (info, module) = (self.input.info, self.input.module);
        let mut all = Globals::default();
        for unit in info.units.iter().filter(|unit| unit.emission == EmissionKind::Full) {
            for variable in &unit.globals {
                let node = &info.globals[variable.variable.index()];
                // Literals have no name.
                if string(info, node.name).is_empty() {
                    continue;
                }
                if variable.symbol.is_some() && offset_of(&variable.expression).is_none() {
                    self.unexpressed += 1;
                    continue;
                }
                match (variable.symbol.map(|symbol| module.symbol(symbol)), node.scope) {
                    (None, _) if variable.expression.constant_value().is_some() => all.plain.push(variable),
                    (Some(symbol), Some(scope @ (DiScope::Subprogram(_) | DiScope::Lexical(_))))
                        if symbol.is_defined() && info.subprogram_of(scope).is_some() =>
                    {
                        all.of_scopes.entry(scope).or_default().push(variable);
                    }
                    (Some(symbol), _) if symbol.is_defined() => match symbol.comdat {
                        Some(_) => all.apart.push(variable),
                        None => all.plain.push(variable),
                    },
                    _ => {}
                }
            }
        }
        all
    }

    /// Describes global variables, and what units list without code that refers to it.
    pub fn globals(&mut self, all: &Globals<'a>) {
        let info = self.input.info;
        // Static members that are constants are found with their classes.
        for variable in all.plain.iter().chain(&all.apart) {
            let node = &info.globals[variable.variable.index()];
            self.types.complete(node.ty);
            self.types.qualified_now(node.scope, b"");
        }
        for unit in info.units.iter().filter(|unit| unit.emission == EmissionKind::Full) {
            for entity in &unit.retained {
                if let &DiEntity::Scope(DiScope::Type(ty)) = entity {
                    self.types.ty(Some(ty));
                }
            }
        }
        let mut symbols = Output::default();
        // What is left are static variables of functions without code.
        let mut left: Vec<_> = std::mem::take(&mut self.static_variables).into_values().flatten().collect();
        left.sort_by_key(|variable| variable.variable);
        for variable in all.plain.iter().copied().chain(left) {
            self.global(&mut symbols, variable);
        }
        let constants = std::mem::take(&mut self.types.constants);
        for &member in &constants {
            self.constant_member(&mut symbols, member);
        }
        if symbols.len() != 0 {
            self.section(super::PLAIN).subsection(subsection::SYMBOLS, symbols);
        }
        for variable in &all.apart {
            let Some(symbol) = variable.symbol else { continue };
            let mut symbols = Output::default();
            self.global(&mut symbols, variable);
            let section = self.section_of(symbol);
            self.section(section).subsection(subsection::SYMBOLS, symbols);
        }
        let names = std::mem::take(&mut self.types.global_names);
        if !names.is_empty() {
            let mut symbols = Output::default();
            self.named_types(&mut symbols, &names);
            self.section(super::PLAIN).subsection(subsection::SYMBOLS, symbols);
        }
    }

    /// Describes a global variable or a constant.
    pub fn global(&mut self, out: &mut Output, variable: &DiGlobalVariableExpression) {
        let (info, module) = (self.input.info, self.input.module);
        let node = &info.globals[variable.variable.index()];
        let name = string(info, node.name);
        // A static member is in its class.
        let scope = node.declaration.map_or(node.scope, |member| info.types[member.index()].scope);
        let is_local = scope.is_some_and(|scope| info.subprogram_of(scope).is_some());
        let name = if is_local || self.types.fortran { name.to_vec() } else { self.types.qualified_now(scope, name) };
        let Some(symbol) = variable.symbol else {
            let Some((bits, _)) = variable.expression.constant_value() else { return };
            let is_float = node.ty.is_some_and(|ty| is_float(info, ty));
            let value = match node.ty.is_none_or(|ty| info.is_unsigned(ty)) || is_float {
                true => Number::Unsigned(bits.into()),
                false => Number::Signed((bits as i64).into()),
            };
            return self.constant_symbol(out, node.ty, value, &name);
        };
        let kind = match (module.symbol(symbol).is_tls(), node.local) {
            (false, false) => symbol::GDATA32,
            (false, true) => symbol::LDATA32,
            (true, false) => symbol::GTHREAD32,
            (true, true) => symbol::LTHREAD32,
        };
        let offset = offset_of(&variable.expression).unwrap_or(0);
        let ty = self.types.complete(node.ty);
        out.symbol(kind, |out| {
            out.bytes.u32(ty);
            out.place(DebugTarget::Symbol(symbol), offset);
            out.name(&name);
        });
    }

    /// A static member that is a constant.
    fn constant_member(&mut self, out: &mut Output, member: DiTypeId) {
        let info = self.input.info;
        let node = &info.types[member.index()];
        let DiTypeKind::Derived(derived) = &node.kind else { return };
        let Some(extra) = derived.extra else { return };
        let value = match extra.float {
            true => Number::Unsigned(extra.bits),
            false => constant(info, derived.base, extra.bits, extra.width),
        };
        let name = self.types.qualified_now(node.scope, string(info, node.name));
        self.constant_symbol(out, derived.base, value, &name);
    }

    pub fn constant_symbol(&mut self, out: &mut Output, ty: Option<DiTypeId>, value: Number, name: &[u8]) {
        let ty = self.types.ty(ty);
        out.symbol(symbol::CONSTANT, |out| {
            out.bytes.u32(ty);
            out.bytes.number(value);
            out.name(name);
        });
    }

    /// Lists names of types. Classes that are found meanwhile are listed with others.
    pub fn named_types(&mut self, out: &mut Output, names: &[NamedType]) {
        for (name, ty) in names {
            let ty = self.types.complete(Some(*ty));
            out.symbol(symbol::UDT, |out| {
                out.bytes.u32(ty);
                out.name(name);
            });
        }
    }
}

/// How far a variable is from its symbol, as one of a common block (Fortran) is; `None` if it is not there as a whole.
fn offset_of(expression: &DiExpression) -> Option<i64> {
    match *expression.0 {
        [] => Some(0),
        [operation, offset] if operation == u64::from(gimli::DW_OP_plus_uconst.0) => i64::try_from(offset).ok(),
        _ => None,
    }
}

/// A constant of a type, of which this many bits are given.
pub(super) fn constant(info: &DebugInfo, ty: Option<DiTypeId>, bits: u128, width: u16) -> Number {
    match ty.is_some_and(|ty| !info.is_unsigned(ty)) {
        true if width <= 64 => Number::Signed(sign_extended(bits as u64, width.into()).into()),
        true => Number::Signed(bits as i128),
        false => Number::Unsigned(bits),
    }
}

/// Is a type one of numbers, pointers or enumerations, of which debuggers know constants?
pub(super) fn is_number(info: &DebugInfo, ty: DiTypeId) -> bool {
    let node = &info.types[info.look_through(ty).index()];
    match node.kind {
        DiTypeKind::Composite(_) => gimli::DwTag(node.tag) == gimli::DW_TAG_enumeration_type,
        _ => !is_float(info, ty),
    }
}

fn is_float(info: &DebugInfo, ty: DiTypeId) -> bool {
    let node = &info.types[info.look_through(ty).index()];
    matches!(node.kind, DiTypeKind::Basic { encoding } if gimli::DwAte(encoding) == gimli::DW_ATE_float)
}
