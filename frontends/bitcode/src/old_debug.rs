//! Debug information of older versions, as LLVM's reader completes it (`MetadataLoader.cpp`): before LLVM 4 global variables named what
//! they are in place of an expression that says it, before LLVM 3.9 units listed their subprograms, and these named their functions.

use std::collections::HashMap;

use crate::codes::metadata as code;
use crate::metadata::{Metadata, Node};
use crate::module::Parts;
use crate::tables::Tables;

/// The version of the record of a variable that has parameters of a template.
const VARIABLE: u64 = 2 << 1;
/// The version of expressions.
const EXPRESSION: u64 = 3 << 1;
const CONSTU: u64 = 0x10;
const STACK_VALUE: u64 = 0x9f;

/// The bit of a record of a type that says that nothing refers to the type by its identifier.
const NO_REFERENCE: u64 = 2;

/// Whether a node has to be completed, or others that refer to it.
fn is_old(all: &Metadata, node: Node) -> bool {
    let words = all.fields(node);
    let flags = words.first().copied().unwrap_or(0);
    match u64::from(node.code) {
        code::GLOBAL_VAR => flags < 2,
        code::SUBPROGRAM => flags & 6 == 0,
        code::COMPOSITE_TYPE => flags & NO_REFERENCE == 0 && words.get(15).is_some_and(|&identifier| identifier > 0),
        _ => false,
    }
}

/// What an old record says of a variable.
enum Described {
    Nothing,
    /// It is the one with this number among values.
    Variable(u64),
    /// The node of an expression.
    Expression(u64),
    Number(u64),
}

/// Nodes that no file has. They follow the nodes of all functions.
struct Made {
    nodes: Metadata,
    /// The number of the module's nodes: those made have the next numbers where they refer to each other.
    own: u64,
    /// The number of the first one among all nodes.
    first: u64,
}

impl Made {
    /// Adds a node; its place among those made.
    fn add(&mut self, of: u64, fields: &[u64]) -> u64 {
        self.nodes.add(of, fields);
        self.nodes.nodes.len() as u64 - 1
    }

    /// Adds the expression of a variable with a number that is nothing but the variable; its number among all nodes.
    fn wrap(&mut self, variable: u64) -> u64 {
        let expression = self.add(code::EXPRESSION, &[EXPRESSION]);
        self.first + self.add(code::GLOBAL_VAR_EXPR, &[1, variable + 1, self.own + expression + 1])
    }
}

impl Tables<'_> {
    /// Completes the debug information, once the nodes of all functions are known.
    pub(crate) fn upgrade_debug_nodes(&mut self) {
        if !self.metadata.nodes.iter().any(|&node| is_old(&self.metadata, node)) {
            return;
        }
        for number in 0..self.metadata.nodes.len() as u32 {
            if let Some(value) = self.function_of(number) {
                self.debug.upgraded.push((value as u32, number));
            }
        }
        for (list, unit) in self.lists(code::COMPILE_UNIT, 11) {
            let listed = self.words_of(list, code::NODE).unwrap_or_default().iter();
            let listed: Vec<u32> = listed.filter_map(|node| Some(node.checked_sub(1)? as u32)).collect();
            self.debug.units.extend(listed.into_iter().map(|node| (node, unit as u32)));
        }
        self.upgrade_types();
        self.upgrade_variables();
    }

    /// The tuples in a field of nodes that have a code, in order, each with one of these nodes.
    fn lists(&self, of: u64, field: usize) -> Vec<(u64, u64)> {
        let list = |number| self.words_of(number, of)?.get(field)?.checked_sub(1);
        let numbers = 0..self.metadata.nodes.len() as u64;
        let mut all: Vec<_> = numbers.filter_map(|number| Some((list(number)?, number))).collect();
        all.sort_unstable();
        all.dedup_by_key(|pair| pair.0);
        all.retain(|pair| self.words_of(pair.0, code::NODE).is_some());
        all
    }

    /// Finds the types to which nodes refer by identifiers, and puts them into lists of types. Definitions count more than declarations.
    fn upgrade_types(&mut self) {
        const DECLARATION: u64 = 1 << 2;
        let mut identifiers = HashMap::new();
        for number in 0..self.metadata.nodes.len() as u64 {
            let Some(words) = self.words_of(number, code::COMPOSITE_TYPE) else { continue };
            let word = |at: usize| words.get(at).copied().unwrap_or(0);
            if let (0, Some(name)) = (word(0) & NO_REFERENCE, self.text(word(15))) {
                let ty = number as u32;
                let known = identifiers.entry(name.to_vec()).or_insert(ty);
                *known = if word(10) & DECLARATION == 0 { ty } else { *known };
            }
        }
        for (list, _) in self.lists(code::SUBROUTINE_TYPE, 2) {
            let known = |word: &u64| self.text(*word).and_then(|name| identifiers.get(name));
            let words = self.words_of(list, code::NODE).unwrap_or_default().iter();
            let words: Vec<u64> = words.map(|word| known(word).map_or(*word, |&ty| u64::from(ty) + 1)).collect();
            self.metadata.replace(list, code::NODE, &words);
        }
        self.debug.identifiers = identifiers;
    }

    /// Gives variables the expressions that they have since LLVM 4.
    fn upgrade_variables(&mut self) {
        let own = self.metadata.nodes.len() as u64;
        let is_variable = |t: &Self, number: u64| t.words_of(number, code::GLOBAL_VAR).is_some();
        let mut made = Made { nodes: Metadata::default(), own, first: self.debug.count.into() };
        for number in 0..own {
            if self
                .words_of(number, code::GLOBAL_VAR)
                .is_some_and(|words| words.first().is_some_and(|flags| *flags < 2))
            {
                self.upgrade_variable(number, &mut made);
            }
        }
        for (list, _) in self.lists(code::COMPILE_UNIT, 12) {
            let mut words = self.words_of(list, code::NODE).unwrap_or_default().to_vec();
            for word in words.iter_mut().filter(|word| **word > 0 && is_variable(self, **word - 1)) {
                *word = made.wrap(*word - 1) + 1;
            }
            self.metadata.replace(list, code::NODE, &words);
        }
        let mut attached = std::mem::take(&mut self.metadata.attached);
        for (value, pairs) in &mut attached {
            pairs.retain(|&(kind, node)| {
                let named = self.kinds.get(kind as usize).is_some_and(|name| name == b"dbg");
                let wraps = named && is_variable(self, node);
                if wraps {
                    self.debug.upgraded.push((*value as u32, made.wrap(node) as u32));
                }
                !wraps
            });
        }
        self.metadata.attached = attached;
        self.debug.add_nodes(u32::MAX, made.nodes, HashMap::new());
    }

    /// The string that a field names.
    fn text(&self, field: u64) -> Option<&[u8]> {
        self.metadata.string(*self.metadata.nodes.get(usize::try_from(field.checked_sub(1)?).ok()?)?)
    }

    /// The fields of a node of the module that has a code.
    fn words_of(&self, number: u64, of: u64) -> Option<&[u64]> {
        let node = *self.metadata.nodes.get(usize::try_from(number).ok()?)?;
        (u64::from(node.code) == of).then(|| self.metadata.fields(node))
    }

    /// Makes a variable's record one of now, with an expression in its place if there is one.
    fn upgrade_variable(&mut self, number: u64, made: &mut Made) {
        let mut words = self.words_of(number, code::GLOBAL_VAR).unwrap_or_default().to_vec();
        words.resize(words.len().max(12), 0);
        let described = self.described(words[9]);
        (words[0], words[9], words[10]) = (words[0] & 1 | VARIABLE, words[10], 0);
        let expression = match described {
            Described::Expression(node) => node,
            Described::Number(n) => made.first + made.add(code::EXPRESSION, &[EXPRESSION, CONSTU, n, STACK_VALUE]),
            Described::Nothing | Described::Variable(_) => {
                self.metadata.replace(number, code::GLOBAL_VAR, &words);
                if let Described::Variable(value) = described {
                    self.debug.upgraded.push((value as u32, made.wrap(number) as u32));
                }
                return;
            }
        };
        let variable = made.first + made.add(code::GLOBAL_VAR, &words);
        self.metadata.replace(number, code::GLOBAL_VAR_EXPR, &[1, variable + 1, expression + 1]);
    }

    /// What a field says of a variable.
    fn described(&self, field: u64) -> Described {
        let Some(number) = field.checked_sub(1) else { return Described::Nothing };
        if self.words_of(number, code::EXPRESSION).is_some() {
            return Described::Expression(number);
        }
        let Some(&[ty, value]) = self.words_of(number, code::VALUE) else { return Described::Nothing };
        match self.globals.get(value as usize) {
            Some(global) if matches!(global.parts, Parts::Variable { .. }) => return Described::Variable(value),
            Some(_) => return Described::Nothing,
            None => {}
        }
        let constant = self.constants.list.get((value as usize).wrapping_sub(self.globals.len()));
        let number = constant.and_then(|&constant| self.constants.number(constant));
        match (number, self.table.get(ty)) {
            (Some(number), Ok(ty)) => {
                let width = self.types.ir(ty).bits().clamp(1, 64);
                Described::Number(number as u64 & u64::MAX >> (64 - width))
            }
            _ => Described::Nothing,
        }
    }
}
