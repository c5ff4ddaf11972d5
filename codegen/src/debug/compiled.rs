//! The debug information of a compiled function: lines by offset of the code, and where variables are.

use std::ops::Range;

use super::ids::{DiExpression, DiLabelId, DiLocalVariableId, DiLocationId, DiSubprogramId};
use super::operand::{CallArgument, DebugCall, DebugCallee, LabelPlace, VariableOperand};
use crate::buffer::{LineEntry, Mark};
use crate::ir::{Inlining, Personality, StackProtector, SymbolId};

/// The register from which the frame is addressed in the body of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FrameRegister {
    /// DWARF's number of the register.
    pub register: u16,
    /// Bytes from what it holds to the canonical frame address. `None` if they are not the same everywhere.
    pub to_cfa: Option<i32>,
}

/// A stretch of code through which a variable, or a part of it, is in one place.
#[derive(Clone, Debug)]
pub struct VariableRange {
    /// The variable.
    pub variable: DiLocalVariableId,
    /// The call whose replacement by the callee's body made this copy of the variable.
    pub inlined_at: Option<DiLocationId>,
    /// The stretch.
    pub code: Range<u32>,
    /// The operands, in [`CompiledDebugInfo::operands`].
    pub operands: Range<u32>,
    /// The index of the expression in [`CompiledDebugInfo::expressions`]. It turns the operands into the variable's value or
    /// address, as LLVM's do: `DW_OP_LLVM_arg`, or the only operand comes first.
    pub expression: u32,
    /// The operand is the variable's address, and the variable lies in memory there.
    pub is_address: bool,
}

/// What debuggers are told of a function as a whole.
#[derive(Clone, Copy, Debug, Default)]
pub struct FunctionDescription {
    /// Bytes of code that make its frame.
    pub prologue_bytes: u32,
    /// Bytes of its frame below what the call pushed, with those of registers that are pushed.
    pub frame_bytes: u32,
    /// Bytes of the registers that are pushed.
    pub pushed_bytes: u32,
    /// The frame has a frame pointer, by DWARF's number.
    pub frame_pointer: Option<u16>,
    /// The prologue aligns the stack pointer.
    pub realigned: bool,
    /// The stack pointer also moves by other numbers of bytes.
    pub takes_areas: bool,
    /// It calls functions that may return twice.
    pub calls_returns_twice: bool,
    /// Its stack guard: what it asks for, and whether it has one.
    pub guard: (StackProtector, bool),
    /// It does not return.
    pub noreturn: bool,
    /// Its code is not to be optimized for size, nor to stay as it is for debuggers.
    pub fast: bool,
    /// What it asks of inlining.
    pub inlining: Inlining,
    /// The kind of its personality routine.
    pub personality: Option<Personality>,
    /// Bytes of its arguments on the stack.
    pub argument_bytes: u32,
}

/// The debug information of a compiled function. Offsets are bytes from the start of its code.
#[derive(Clone, Debug, Default)]
pub struct CompiledDebugInfo {
    /// The function of the source program.
    pub subprogram: Option<DiSubprogramId>,
    /// What there is to say of the whole function.
    pub description: FunctionDescription,
    /// Lines, in the order of the code.
    pub lines: Vec<Mark<LineEntry>>,
    /// How the frame is addressed.
    pub frame: FrameRegister,
    /// Where variables are: by call and variable, then by code.
    pub variables: Vec<VariableRange>,
    /// Operands of the variables' locations.
    pub operands: Vec<VariableOperand>,
    /// Expressions of the variables' locations.
    pub expressions: Vec<DiExpression>,
    /// Labels, in the order of the code.
    pub labels: Vec<Mark<LabelPlace>>,
    /// Calls, in the order of the code; none of functions that keep their variables in memory.
    pub calls: Vec<Mark<DebugCall>>,
    /// Arguments of calls.
    pub call_arguments: Vec<CallArgument>,
    /// Variables whose place cannot be expressed, or that have none anywhere.
    pub lost: Vec<(DiLocalVariableId, Option<DiLocationId>)>,
    /// Variables that have records, but are never where it is certain.
    pub nowhere: Vec<(DiLocalVariableId, Option<DiLocationId>)>,
}

/// Gives the nodes of functions their final numbers. `None`: there is no such node.
pub trait NodeNumbers {
    /// Why the numbers cannot be told.
    type Error;
    /// The number of a function.
    ///
    /// # Errors
    /// As the front end says; the same for the others.
    fn subprogram(&mut self, node: DiSubprogramId) -> Result<Option<DiSubprogramId>, Self::Error>;
    /// The number of a location.
    ///
    /// # Errors
    /// As for functions.
    fn location(&mut self, node: DiLocationId) -> Result<Option<DiLocationId>, Self::Error>;
    /// The number of a local variable or parameter.
    ///
    /// # Errors
    /// As for functions.
    fn local_variable(&mut self, node: DiLocalVariableId) -> Result<Option<DiLocalVariableId>, Self::Error>;
    /// The function that a symbol is in the source program, if that is known.
    ///
    /// # Errors
    /// As for functions.
    fn callee(&mut self, symbol: SymbolId) -> Result<Option<DiSubprogramId>, Self::Error>;
    /// The number of a label.
    ///
    /// # Errors
    /// As for functions.
    fn label(&mut self, node: DiLabelId) -> Result<Option<DiLabelId>, Self::Error>;
}

impl CompiledDebugInfo {
    /// Replaces a front end's own numbers of nodes by the final ones. What refers to no node is left out. Front ends number nodes as they
    /// come, on several threads; final numbers follow the order of functions.
    ///
    /// # Errors
    /// Those of `numbers`.
    pub fn renumber<N: NodeNumbers>(&mut self, numbers: &mut N) -> Result<(), N::Error> {
        if let Some(node) = self.subprogram {
            self.subprogram = numbers.subprogram(node)?;
        }
        let location = |numbers: &mut N, location: &mut Option<DiLocationId>| -> Result<(), N::Error> {
            if let Some(node) = *location {
                *location = numbers.location(node)?;
            }
            Ok(())
        };
        for line in &mut self.lines {
            location(numbers, &mut line.value.location)?;
        }
        let mut last = None;
        for range in &mut self.variables {
            let node = range.variable;
            let known = match last {
                Some((of, known)) if of == node => known,
                _ => numbers.local_variable(node)?,
            };
            last = Some((node, known));
            // An empty stretch is one that nobody describes.
            match known {
                Some(variable) => range.variable = variable,
                None => range.code = 0..0,
            }
            location(numbers, &mut range.inlined_at)?;
        }
        self.variables.retain(|range| !range.code.is_empty());
        let mut labels = Vec::with_capacity(self.labels.len());
        for mut label in std::mem::take(&mut self.labels) {
            if let Some(known) = numbers.label(label.value.label)? {
                label.value.label = known;
                location(numbers, &mut label.value.inlined_at)?;
                labels.push(label);
            }
        }
        self.labels = labels;
        for call in &mut self.calls {
            if let DebugCallee::Symbol(symbol, function) = &mut call.value.callee {
                *function = numbers.callee(*symbol)?;
            }
        }
        for list in [&mut self.lost, &mut self.nowhere] {
            let mut kept = Vec::with_capacity(list.len());
            for (node, mut inlined_at) in std::mem::take(list) {
                if let Some(variable) = numbers.local_variable(node)? {
                    location(numbers, &mut inlined_at)?;
                    kept.push((variable, inlined_at));
                }
            }
            *list = kept;
        }
        Ok(())
    }

    /// Renumbers the symbols whose addresses variables have.
    pub(crate) fn renumber_symbols(&mut self, new: &[SymbolId]) {
        let mut callees = Vec::new();
        for call in &mut self.calls {
            match &mut call.value.callee {
                DebugCallee::Symbol(symbol, _) => *symbol = new[symbol.index()],
                DebugCallee::Value(operand) => callees.push(operand),
                DebugCallee::Clobbered(_) => {}
            }
        }
        let arguments = self.call_arguments.iter_mut().map(|argument| &mut argument.value);
        for operand in self.operands.iter_mut().chain(arguments).chain(callees) {
            if let VariableOperand::Symbol(symbol, _) = operand {
                *symbol = new[symbol.index()];
            }
        }
    }

    /// Adds a stretch of code in which a variable has these operands.
    pub(crate) fn add(&mut self, range: VariableRange, operands: impl IntoIterator<Item = VariableOperand>) {
        let start = self.operands.len() as u32;
        self.operands.extend(operands);
        let operands = start..self.operands.len() as u32;
        self.variables.push(VariableRange { operands, ..range });
    }

    /// Forgets everything but the memory.
    pub fn clear(&mut self) {
        self.subprogram = None;
        self.description = FunctionDescription::default();
        self.lines.clear();
        self.frame = FrameRegister::default();
        self.variables.clear();
        self.operands.clear();
        self.expressions.clear();
        self.labels.clear();
        self.calls.clear();
        self.call_arguments.clear();
        self.lost.clear();
        self.nowhere.clear();
    }
}
