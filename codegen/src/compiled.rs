//! What the back end hands over for one function: the contract between compiling and writing.
//!
//! A [`CompiledFunction`] owns flat lists only, so that it can be passed between threads and used again for another
//! function: [`CompiledFunction::clear`] keeps the memory.

use std::ops::Range;
use std::sync::Arc;

use crate::block_map::BlockPlace;
use crate::block_sections::BlockSection;
use crate::buffer::{CfiOp, CodeBuffer, Mark, Reloc, RelocTarget, SehOp, SledKind};
use crate::debug::CompiledDebugInfo;
#[cfg(doc)]
use crate::ir::Module;
use crate::ir::{Exceptions, Pad, SymbolId};
use crate::stack_map::StackMaps;
use crate::unwind::microsoft::states::States;

/// A read-only constant of a function: 1, 2, 4, 8 or 16 bytes, aligned to its size.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Constant {
    /// The bytes, lowest first.
    pub bits: u128,
    /// How many of them count.
    pub size: u8,
}

/// A call that an exception may leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallSite {
    /// Offset of the call instruction.
    pub start: u32,
    /// The return address: offset of the next instruction.
    pub end: u32,
    /// Where an exception continues: the code offset of the landing pad, and its clauses in
    /// [`CompiledFunction::exceptions`]. `None`: it passes through the function.
    pub landing: Option<(u32, Pad)>,
}

/// Instructions without effect that may be replaced at run time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patch {
    /// Bytes of them before the function.
    pub before: u32,
    /// Bytes of each.
    pub unit: u32,
    /// Offset of those inside the function.
    pub at: u32,
}

/// Code that the personality routine calls while its function's frame still stands: a handler or a cleanup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Funclet {
    /// Offset of its first byte.
    pub start: u32,
    /// Offset after its last byte.
    pub end: u32,
    /// The pad that it begins with.
    pub pad: Pad,
}

/// Where a pad of a function with funclets is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PadPlace {
    /// Offset of the code that the pad begins: a funclet's, or for a handler of `__except` the place in the function
    /// itself. `None` for a `catchswitch`, and for code that control never reaches.
    pub code: Option<u32>,
    /// For a handler that wants its exception's object: the place of the object, counted like
    /// [`Funclets::unwind_help`].
    pub object: Option<i32>,
}

/// What the tables of a function with funclets say of its frame and code.
#[derive(Clone, Debug, Default)]
pub struct Funclets {
    /// The funclets, in the order of the code. The code before the first one is the function itself, their *host*.
    pub list: Vec<Funclet>,
    /// For each pad of [`CompiledFunction::exceptions`], where it is.
    pub pads: Vec<PadPlace>,
    /// Where personality routines let control continue: after handlers of C++, and at those of `__except`.
    pub continuations: Vec<u32>,
    /// The place of the word that the personality routine writes to: bytes from the stack pointer where the host's prologue leaves it (x86-64),
    /// from where the host found it (AArch64), or from the end of the registration record (32-bit x86).
    pub unwind_help: i32,
    /// Where a handler keeps the address of its host's frame: bytes from its own stack pointer.
    pub parent_frame: i32,
    /// For `_except_handler4`: where the frame's guard is, if it has one, in bytes from the frame pointer, with which
    /// the guard is combined by exclusive or.
    pub guard: Option<i32>,
    /// The same for the guard of the registration record.
    pub record_guard: i32,
}

/// A table of the object that says where those variables of a function are that others find by its frame
/// (`ir::Escapes`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EscapeTable {
    /// Its symbol.
    pub symbol: SymbolId,
    /// Its words of four bytes: the place of the anchor relative to what filters know of the frame, then for each
    /// variable its distance from the anchor and the mask of its address; both are 0 for a variable that does not
    /// exist.
    pub words: Vec<i32>,
}

/// Whether functions of an object check for room: it tells linkers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SplitStacks {
    /// Some are meant to.
    pub some: bool,
    /// Some do not, even if only since they need no stack.
    pub not_all: bool,
}

impl SplitStacks {
    /// Those of a part and of another one.
    pub fn and(self, other: SplitStacks) -> SplitStacks {
        SplitStacks { some: self.some | other.some, not_all: self.not_all | other.not_all }
    }
}

/// The machine code of one function, with everything that an object or an assembly text says about it. Offsets are
/// bytes from the start of the code; all lists of places are sorted.
#[derive(Clone, Debug, Default)]
pub struct CompiledFunction {
    /// Its symbol.
    pub symbol: SymbolId,
    /// The code.
    pub code: Vec<u8>,
    /// Stretches of the code that are data, not instructions.
    pub data: Vec<Range<u32>>,
    /// Where it can be patched.
    pub patch: Option<Patch>,
    /// Alignment of the code in bytes, a power of two; the symbol may ask for more.
    pub align: u32,
    /// References to addresses outside the code. Targets that are constants or jump tables are those of the lists
    /// below.
    pub relocs: Vec<Reloc>,
    /// Read-only constants, by number.
    pub constants: Vec<Constant>,
    /// For each jump table, the end of its entries in `table_entries`.
    pub table_ends: Vec<u32>,
    /// Code offsets: the entries of all jump tables. An entry is stored in four bytes as the address of its code minus
    /// the address of the table.
    pub table_entries: Vec<u32>,
    /// Blocks whose address is taken: symbol and code offset.
    pub block_symbols: Vec<(SymbolId, u32)>,
    /// Does it compute with floating-point numbers?
    pub uses_float: bool,
    /// Does the function get an entry in the unwind table?
    pub unwind: bool,
    /// The code that calls the handler of the stack limit, before the prologue, if unwind tables describe it separately;
    /// else an empty range at the start.
    pub limit_call: Range<u32>,
    /// How the frame's description changes along the code, from the target's initial rules on.
    pub cfi: Vec<Mark<CfiOp>>,
    /// What it catches. Without a personality routine nothing is written.
    pub exceptions: Exceptions,
    /// If it has a personality routine: the calls that an exception may leave, in the order of the code. Exceptions
    /// come from no other place.
    pub call_sites: Vec<CallSite>,
    /// Its funclets, if it has any, which lie after its own code.
    pub funclets: Funclets,
    /// Where the values are that its stack maps list.
    pub stack_maps: StackMaps,
    /// Bytes of its frame, if it has stack maps; `u64::MAX` if the number changes.
    pub frame_size: u64,
    /// Its variables that others find by its frame.
    pub escapes: Option<EscapeTable>,
    /// If exceptions are caught that no call raises: ranges of the code by their first offsets, in order, with the
    /// state of each.
    pub faults: Vec<(u32, i32)>,
    /// The states of its calls, if it has funclets.
    pub states: States,
    /// If the object lists them: functions whose addresses it takes.
    pub taken: Vec<SymbolId>,
    /// The same for places where calls return that may return again.
    pub returns_twice: Vec<u32>,
    /// Where checks of types trap, if that is listed.
    pub type_traps: Vec<u32>,
    /// Whether it checks for room on its stack.
    pub split_stacks: SplitStacks,
    /// Where tools can write calls, in order.
    pub sleds: Vec<(u32, SledKind)>,
    /// These are there whatever the size of the function.
    pub always_sleds: bool,
    /// Offsets at which parts of the code begin that are in sections of their own; the first part begins with the code.
    pub parts: Vec<u32>,
    /// The sections of these parts.
    pub part_sections: Vec<BlockSection>,
    /// Its basic blocks, if the object says where they are.
    pub blocks: Vec<BlockPlace>,
    /// Bytes of stack that it takes, if the object says so and the number does not change.
    pub stack_bytes: Option<u64>,
    /// Its debug information, if it has any. Shared with what writes it when all functions are there.
    pub debug: Option<Arc<CompiledDebugInfo>>,
}

impl CompiledFunction {
    /// Forgets everything but the memory.
    pub fn clear(&mut self) {
        self.symbol = SymbolId(0);
        self.code.clear();
        self.data.clear();
        self.patch = None;
        self.align = 1;
        self.relocs.clear();
        self.constants.clear();
        self.table_ends.clear();
        self.table_entries.clear();
        self.block_symbols.clear();
        self.unwind = false;
        self.limit_call = 0..0;
        self.uses_float = false;
        self.cfi.clear();
        self.exceptions.clear();
        self.call_sites.clear();
        self.stack_maps.clear();
        self.frame_size = 0;
        self.escapes = None;
        self.faults.clear();
        self.funclets.list.clear();
        self.funclets.pads.clear();
        self.funclets.continuations.clear();
        self.states.clear();
        self.taken.clear();
        self.returns_twice.clear();
        self.type_traps.clear();
        self.sleds.clear();
        self.parts.clear();
        self.part_sections.clear();
        self.blocks.clear();
        self.stack_bytes = None;
        self.debug = None;
    }

    /// Takes code, relocations, constants, jump tables and unwind marks from a finished buffer; this value must be
    /// empty. The caller sets the rest (symbol, alignment, block symbols, `unwind`). A jump table's label that was
    /// never bound cannot occur in a finished buffer.
    pub fn fill_from(&mut self, buffer: &CodeBuffer) {
        self.code.extend_from_slice(buffer.bytes());
        // Of those without code the last one counts: it begins where all do.
        for (start, section) in buffer.parts().filter(|part| part.0 < buffer.bytes().len() as u32) {
            if self.parts.last() == Some(&start) {
                self.parts.pop();
                self.part_sections.pop();
            }
            self.parts.push(start);
            self.part_sections.push(section);
        }
        self.data.extend_from_slice(buffer.data());
        self.relocs.extend(buffer.relocs().iter().map(|reloc| match reloc.target {
            // Which part of the code the place is in counts.
            RelocTarget::Label(label) if !self.parts.is_empty() => {
                Reloc { target: RelocTarget::Place(buffer.label_offset(label).unwrap_or(0)), ..*reloc }
            }
            RelocTarget::Label(label) => {
                let at = buffer.label_offset(label).map_or(0, i64::from);
                Reloc { target: RelocTarget::Code, addend: reloc.addend + at, ..*reloc }
            }
            _ => *reloc,
        }));
        if !buffer.has_islands() {
            let constants = buffer.constants().iter();
            self.constants.extend(constants.map(|(size, bytes)| Constant { bits: u128::from_le_bytes(bytes), size }));
        }
        for table in buffer.jump_tables() {
            self.table_entries.extend(table.iter().filter_map(|&label| buffer.label_offset(label)));
            self.table_ends.push(self.table_entries.len() as u32);
        }
        self.cfi.extend_from_slice(buffer.cfi());
        if let Some([start, end]) = buffer.limit_call.map(|ends| ends.map(|label| buffer.label_offset(label))) {
            self.limit_call = start.unwrap_or(0)..end.unwrap_or(0);
        }
        self.stack_maps.copy_from(&buffer.stack_maps);
        self.sleds.extend(buffer.sleds.iter().filter_map(|&(label, kind)| Some((buffer.label_offset(label)?, kind))));
        self.type_traps.extend(buffer.type_traps.iter().filter_map(|&label| buffer.label_offset(label)));
        self.call_sites.extend(buffer.calls().iter().map(|call| CallSite {
            start: call.offset,
            end: call.offset + call.bytes,
            landing: call.landing.and_then(|(label, pad)| Some((buffer.label_offset(label)?, pad))),
        }));
    }

    /// Renumbers the symbols that it mentions by what [`Module::reorder_symbols`] gives.
    pub fn renumber_symbols(&mut self, new: &[SymbolId]) {
        let renumber = |symbol: &mut SymbolId| *symbol = new[symbol.index()];
        renumber(&mut self.symbol);
        for reloc in &mut self.relocs {
            if let RelocTarget::Symbol(symbol) = &mut reloc.target {
                *symbol = new[*symbol as usize].0;
            }
        }
        self.block_symbols.iter_mut().for_each(|(symbol, _)| renumber(symbol));
        self.exceptions.for_each_symbol(renumber);
        self.taken.iter_mut().for_each(renumber);
        if let Some(escapes) = &mut self.escapes {
            renumber(&mut escapes.symbol);
        }
        self.debug.iter_mut().for_each(|debug| Arc::make_mut(debug).renumber_symbols(new));
    }

    /// Does the function have a frame or landing pads that Windows' unwinder must know? A function without is unwound
    /// by its return address alone.
    pub fn has_function_table(&self) -> bool {
        let frame = |mark: &Mark<CfiOp>| match mark.value {
            CfiOp::Seh { op, .. } => {
                !matches!(op, SehOp::Nop | SehOp::EndPrologue | SehOp::BeginEpilogue | SehOp::EndEpilogue)
            }
            _ => false,
        };
        self.unwind && (self.cfi.iter().any(frame) || self.has_landing_pads() || !self.states.is_empty())
    }

    /// Does the function have landing pads that exceptions reach? Otherwise they pass through it as if it had no
    /// personality routine, unless there are funclets.
    pub fn has_landing_pads(&self) -> bool {
        let all = &self.exceptions;
        all.personality.is_some() && !all.has_funclets() && self.call_sites.iter().any(|s| s.landing.is_some())
    }

    /// The jump tables in the order of their numbers, each a list of code offsets.
    pub fn jump_tables(&self) -> impl Iterator<Item = &[u32]> + '_ {
        (0..self.table_ends.len()).map(|i| {
            let start = if i == 0 { 0 } else { self.table_ends[i - 1] };
            &self.table_entries[start as usize..self.table_ends[i] as usize]
        })
    }
}
