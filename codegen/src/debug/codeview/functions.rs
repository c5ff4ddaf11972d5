//! Functions: frames, local variables, blocks, and calls that were inlined.

use std::ops::Range;

use super::Builder;
use super::bytes::{MAX_RECORD, Output};
use super::grouped::Grouped;
use super::lines::FunctionLines;
use super::names::string;
use super::places;
use super::records::{frame, procedure, subsection, symbol};
use super::types::Key;
use super::{frame_data, globals};
use crate::debug::copies::{VariableCopy, variable_copies};
use crate::debug::scopes::ScopeTree;
use crate::debug::sections::{DebugSectionId, DebugTarget};
use crate::debug::{DebugFunction, DiGlobalVariableExpression, DiScope, DiSubprogram, DiSubprogramId, di_flags};
use crate::ir::{Inlining, Linkage, Personality, StackProtector};

/// Registers that the description of a frame names.
const STACK_POINTER: u32 = 1;
const FRAME_POINTER: u32 = 2;

/// A function while it is described.
struct Described<'f> {
    function: &'f DebugFunction,
    tree: ScopeTree,
    lines: FunctionLines,
    /// Variables and static ones by the number of the scope whose record has them.
    copies: Grouped<VariableCopy>,
    globals: Grouped<&'f DiGlobalVariableExpression>,
    /// Blocks that have a record of their own, by the scope whose record they are in.
    blocks: Grouped<u32>,
    /// Inlined calls with code, by the one that they are in.
    sites: Grouped<u32>,
    /// The register of variables and that of parameters that the frame's description names.
    frame_register: Option<u16>,
}

impl<'a> Builder<'a> {
    /// Describes a function, if it has lines.
    pub fn function(&mut self, function: &'a DebugFunction, id: DiSubprogramId) {
        let info = self.input.info;
        let node = &info.subprograms[id.index()];
        let mut out = Output::default();
        self.types.function = Some(id);
        if node.flags & di_flags::THUNK != 0 {
            self.thunk(&mut out, function, node);
        } else {
            let tree = self.trees.tree(id, &function.debug, function.len);
            let scopes = (&self.trees, &tree);
            let Some(lines) = FunctionLines::new(info, function, scopes, &mut self.files) else { return };
            let full = self.is_full(node);
            let copies = match full {
                true => variable_copies(info, function, scopes, &function.debug.nowhere),
                false => Vec::new(),
            };
            let globals = if full { self.take_static_variables(&tree) } else { Vec::new() };
            let holders = holders(&tree, &lines, &copies, &globals);
            let holder = |scope: u32| holders[scope as usize];
            let inner = || tree.nodes.iter().zip(0..).skip(1);
            let blocks = inner().filter(|&(node, number)| node.inlined_at.is_none() && holder(number) == number);
            let sites = inner().filter(|(node, number)| {
                node.inlined_function().is_some() && !lines.sites[*number as usize].is_empty()
            });
            let described = Described {
                function,
                copies: Grouped::new(copies.into_iter().map(|copy| (holder(copy.scope), copy))),
                globals: Grouped::new(globals.into_iter().map(|(scope, variable)| (holder(scope), variable))),
                blocks: Grouped::new(blocks.map(|(node, number)| (holder(node.parent), number))),
                sites: Grouped::new(sites.map(|(node, number)| (site_around(&tree, node.parent), number))),
                frame_register: self.frame_register(function),
                tree,
                lines,
            };
            self.described(&mut out, &described, id);
        }
        self.types.function = None;
        let section = self.section_of(function.symbol);
        self.section(section).append(out);
    }

    fn described(&mut self, out: &mut Output, of: &Described<'_>, id: DiSubprogramId) {
        let function = of.function;
        if let Some(facts) = &self.input.facts.moving_stack {
            frame_data::write(out, &mut self.files, facts, function);
        }
        let mut symbols = Output::default();
        self.procedure(&mut symbols, function, id);
        self.frame(&mut symbols, function);
        self.inlinees(&mut symbols, of);
        self.variables(&mut symbols, of, 0);
        self.blocks(&mut symbols, of, 0);
        self.sites(&mut symbols, of, 0);
        let names = std::mem::take(&mut self.types.local_names);
        self.named_types(&mut symbols, &names);
        symbols.symbol(symbol::PROC_ID_END, |_| {});
        out.subsection(subsection::SYMBOLS, symbols);
        of.lines.write(out, function, DebugTarget::Symbol(function.symbol));
    }

    /// The name of a function with the scopes around it.
    fn function_name(&mut self, function: &DebugFunction, node: &DiSubprogram) -> Vec<u8> {
        let info = self.input.info;
        match string(info, node.name) {
            [] => self.input.module.symbol(function.symbol).name.clone().into_bytes(),
            name => self.types.qualified_now(node.scope, name),
        }
    }

    fn procedure(&mut self, out: &mut Output, function: &DebugFunction, id: DiSubprogramId) {
        let node = &self.input.info.subprograms[id.index()];
        let ty = self.types.number(Key::Function(id));
        let name = self.function_name(function, node);
        let description = &function.debug.description;
        let mut flags = procedure::OPTIMIZED_DEBUG_INFO;
        let facts = [
            (description.frame_pointer.is_some() && description.frame_bytes > 0, procedure::FRAME_POINTER),
            (description.noreturn, procedure::NO_RETURN),
            (description.inlining == Inlining::Never, procedure::NO_INLINE),
        ];
        facts.into_iter().filter(|fact| fact.0).for_each(|fact| flags |= fact.1);
        let is_local = matches!(self.input.module.symbol(function.symbol).linkage, Linkage::Local | Linkage::Private);
        out.symbol(if is_local { symbol::LPROC32_ID } else { symbol::GPROC32_ID }, |out| {
            // Linkers fill in the places of the scope around it, of its end and of the next one.
            [0, 0, 0, function.len, 0, 0, ty].into_iter().for_each(|word| out.bytes.u32(word));
            out.place(DebugTarget::Symbol(function.symbol), 0);
            out.bytes.u8(flags);
            out.name(&name);
        });
    }

    fn frame(&self, out: &mut Output, function: &DebugFunction) {
        let of = &function.debug.description;
        let register = match of.frame_pointer {
            _ if of.frame_bytes == 0 => 0,
            Some(_) => FRAME_POINTER,
            None => STACK_POINTER,
        };
        let mut flags = register << frame::LOCALS | register << frame::PARAMETERS;
        let (wanted, guarded) = of.guard;
        let facts = [
            (of.takes_areas, frame::ALLOCA),
            (of.calls_returns_twice, frame::SETJMP),
            (matches!(of.personality, Some(Personality::Cxx | Personality::Landing)), frame::EXCEPTIONS),
            (
                matches!(of.personality, Some(Personality::Scopes | Personality::TryLevels(_))),
                frame::STRUCTURED_EXCEPTIONS,
            ),
            (of.inlining == Inlining::Hint, frame::INLINE_HINT),
            (guarded, frame::SECURITY_CHECKS),
            (
                guarded && matches!(wanted, StackProtector::Strong | StackProtector::Always),
                frame::STRICT_SECURITY_CHECKS,
            ),
            (!guarded && wanted == StackProtector::None, frame::SAFE_BUFFERS),
            (of.fast, frame::OPTIMIZED),
        ];
        facts.into_iter().filter(|fact| fact.0).for_each(|fact| flags |= fact.1);
        out.symbol(symbol::FRAMEPROC, |out| {
            let bytes = of.frame_bytes.saturating_sub(of.pushed_bytes);
            [bytes, 0, 0, of.pushed_bytes, 0].into_iter().for_each(|word| out.bytes.u32(word));
            out.bytes.u16(0);
            out.bytes.u32(flags);
        });
    }

    /// Lists the functions that were inlined in the function itself.
    fn inlinees(&mut self, out: &mut Output, of: &Described<'_>) {
        /// How many fit a record.
        const MOST: usize = (MAX_RECORD - 8) / 4;
        let mut list = Vec::new();
        let callees = of.sites.of(0).filter_map(|&number| of.tree.nodes[number as usize].inlined_function());
        for callee in callees {
            list.push(self.types.number(Key::Function(callee)));
        }
        list.sort_unstable();
        list.dedup();
        for part in list.chunks(MOST) {
            out.symbol(symbol::INLINEES, |out| {
                out.bytes.u32(part.len() as u32);
                part.iter().for_each(|&ty| out.bytes.u32(ty));
            });
        }
    }

    /// The register that the description of a frame names.
    fn frame_register(&self, function: &DebugFunction) -> Option<u16> {
        let of = &function.debug.description;
        let [stack, pointer, base] = self.input.facts.frame_registers?;
        let Some(own) = of.frame_pointer.filter(|_| of.frame_bytes > 0) else {
            return (of.frame_bytes > 0).then_some(stack);
        };
        let own = (self.input.facts.register)(own, self.input.pointer_bytes.into());
        own.filter(|&own| own == pointer || own == base)
    }

    /// Variables of a scope, parameters first, and static ones.
    fn variables(&mut self, out: &mut Output, of: &Described<'_>, holder: u32) {
        for parameters in [true, false] {
            for copy in of.copies.of(holder) {
                if (self.input.info.variables[copy.variable.index()].argument != 0) == parameters {
                    self.variable(out, of, copy);
                }
            }
        }
        for variable in of.globals.of(holder) {
            self.global(out, variable);
        }
    }

    fn variable(&mut self, out: &mut Output, of: &Described<'_>, copy: &VariableCopy) {
        const PARAMETER: u16 = 1;
        const OPTIMIZED_OUT: u16 = 0x100;
        let info = self.input.info;
        let node = &info.variables[copy.variable.index()];
        let ranges = &of.function.debug.variables[copy.ranges.clone()];
        let scope = of.tree.code(copy.scope);
        let found = places::locations(&self.input, of.function, ranges, scope);
        self.unexpressed += found.lost;
        let name = string(info, node.name);
        let is_parameter = node.argument != 0;
        let constant = found.constant.filter(|_| found.list.is_empty() && !is_parameter);
        if let Some((bits, bytes)) = constant.filter(|_| node.ty.is_some_and(|ty| globals::is_number(info, ty))) {
            let value = globals::constant(info, node.ty, bits, 8 * bytes);
            return self.constant_symbol(out, node.ty, value, name);
        }
        let ty = match node.ty.filter(|_| found.by_reference) {
            Some(ty) => self.types.number(Key::Reference(ty)),
            None => self.types.complete(node.ty),
        };
        let mut flags = if is_parameter { PARAMETER } else { 0 };
        if found.list.is_empty() {
            flags |= OPTIMIZED_OUT;
        }
        out.symbol(symbol::LOCAL, |out| {
            out.bytes.u32(ty);
            out.bytes.u16(flags);
            out.name(name);
        });
        for place in &found.list {
            places::write(out, of.function, of.frame_register, place);
        }
    }

    /// Blocks in a scope. They are nested at most as deep as a tree of scopes.
    fn blocks(&mut self, out: &mut Output, of: &Described<'_>, holder: u32) {
        for &number in of.blocks.of(holder) {
            let Some(Range { start, end }) = of.tree.code(number).first().cloned() else { continue };
            out.symbol(symbol::BLOCK32, |out| {
                [0, 0, end - start].into_iter().for_each(|word| out.bytes.u32(word));
                out.place(DebugTarget::Section(of.function.section), of.function.offset as i64 + i64::from(start));
                out.name(b"");
            });
            self.variables(out, of, number);
            self.blocks(out, of, number);
            out.symbol(symbol::END, |_| {});
        }
    }

    /// Calls that were inlined in a function, or in another such call.
    fn sites(&mut self, out: &mut Output, of: &Described<'_>, around: u32) {
        let info = self.input.info;
        for &number in of.sites.of(around) {
            let Some(callee) = of.tree.nodes[number as usize].inlined_function() else { continue };
            let ty = self.types.number(Key::Function(callee));
            self.inlined.insert(callee, ty);
            let function = &info.subprograms[callee.index()];
            let start = (self.files.file(function.file), function.line);
            out.symbol(symbol::INLINESITE, |out| {
                [0, 0, ty].into_iter().for_each(|word| out.bytes.u32(word));
                of.lines.sites[number as usize].write(out, start);
            });
            self.variables(out, of, number);
            self.sites(out, of, number);
            out.symbol(symbol::INLINESITE_END, |_| {});
        }
    }

    /// A function that only calls another one, which debuggers step over.
    fn thunk(&mut self, out: &mut Output, function: &DebugFunction, node: &DiSubprogram) {
        let name = self.function_name(function, node);
        let mut symbols = Output::default();
        symbols.symbol(symbol::THUNK32, |out| {
            [0, 0, 0].into_iter().for_each(|word| out.bytes.u32(word));
            out.place(DebugTarget::Symbol(function.symbol), 0);
            out.bytes.u16(function.len.min(0xffff) as u16);
            // Of no special kind.
            out.bytes.u8(0);
            out.name(&name);
        });
        symbols.symbol(symbol::PROC_ID_END, |_| {});
        out.subsection(subsection::SYMBOLS, symbols);
    }

    /// Static variables that belong to scopes of a function.
    fn take_static_variables(&mut self, tree: &ScopeTree) -> Vec<(u32, &'a DiGlobalVariableExpression)> {
        let mut taken = Vec::new();
        let mut scopes: Vec<(DiScope, u32)> = Vec::new();
        for (number, node) in tree.nodes.iter().enumerate() {
            if self.static_variables.contains_key(&node.scope) {
                scopes.push((node.scope, number as u32));
            }
        }
        for (scope, number) in scopes {
            // Those of an inlined function are described once.
            let list = self.static_variables.remove(&scope).unwrap_or_default();
            taken.extend(list.into_iter().map(|variable| (number, variable)));
        }
        taken.sort_by_key(|&(scope, _)| scope);
        taken
    }

    /// Where the symbols of what belongs to a symbol go.
    pub fn section_of(&self, symbol: crate::ir::SymbolId) -> DebugSectionId {
        let node = self.input.module.symbol(symbol);
        let is_apart = node.comdat.is_some() || crate::object::is_alone(node);
        DebugSectionId::CodeViewSymbols(is_apart.then_some(symbol))
    }
}

/// For each scope the one whose record has its variables: blocks that have variables and one stretch of code, inlined calls, and the
/// function itself. Debuggers know no block of several stretches.
fn holders(
    tree: &ScopeTree,
    lines: &FunctionLines,
    copies: &[VariableCopy],
    globals: &[(u32, &DiGlobalVariableExpression)],
) -> Vec<u32> {
    let mut has_variables = vec![false; tree.nodes.len()];
    copies.iter().for_each(|copy| has_variables[copy.scope as usize] = true);
    globals.iter().for_each(|&(scope, _)| has_variables[scope as usize] = true);
    let mut holders = Vec::with_capacity(tree.nodes.len());
    for (number, node) in tree.nodes.iter().enumerate() {
        let own = match (node.inlined_at, node.inlined_function()) {
            _ if number == 0 => true,
            (None, _) => has_variables[number] && tree.code(number as u32).len() == 1,
            (Some(_), Some(_)) => !lines.sites[number].is_empty(),
            (Some(_), None) => false,
        };
        holders.push(if own { number as u32 } else { holders[node.parent as usize] });
    }
    holders
}

/// The inlined call that a scope is in; 0 is the function itself.
fn site_around(tree: &ScopeTree, mut at: u32) -> u32 {
    while at != 0 && tree.nodes[at as usize].inlined_function().is_none() {
        at = tree.nodes[at as usize].parent;
    }
    at
}
