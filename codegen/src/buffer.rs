//! The machine code of one function, with everything in it that has an address.
//!
//! A [`CodeBuffer`] takes bytes from a target's encoder and records labels, branches, relocations and unwind marks by
//! offset. [`CodeBuffer::finish`] then picks the shortest form for every branch, drops branches to the very next
//! instruction, closes the gaps, and moves every record along. After that all lists are sorted by offset and all
//! offsets are final. One buffer serves one function after another.
//!
//! The buffer knows no instruction set: [`CodeFacts`] says how branches look and how fields are written.

mod accesses;
mod bytes;
mod cfa;
mod cfi;
mod cfi_state;
mod constants;
mod displaced;
mod island;
mod label;
mod lines;
mod parts;
mod relax;
mod reloc;
mod tails;
#[cfg(test)]
mod tests;

pub use bytes::ROOM;
pub(crate) use cfi::Cfa;
pub use cfi::{CfiOp, SehOp};
pub(crate) use cfi_state::CfiState;
pub use constants::{ConstantId, ConstantPool};
pub use label::{JumpTableId, Label};
pub use lines::LineEntry;
pub(crate) use lines::VariableEvent;
pub use reloc::{Field, Origin, Referent, Reloc, RelocKind, RelocTarget};
pub(crate) use tails::notes::Tails;

use gusset_abi::Endian;
use gusset_abi::features::Hardening;

use crate::block_sections::BlockSpot;
use crate::debug::{CallArgument, DebugCall, LabelPlace, VariableOperand};
use crate::ir::Pad;
use crate::stack_map::StackMaps;
use bytes::Bytes;
use cfi::KnownCfa;
use std::fmt;
use std::ops::Range;

/// One of the forms in which a branch instruction can be written.
///
/// Displacements are in bytes, from the first byte of the branch to the first byte of its target.
#[derive(Clone, Copy, Debug)]
pub struct BranchForm {
    /// Its bytes, at most 8. It may have more than one instruction, for example a branch past a jump that reaches
    /// farther.
    pub len: u8,
    /// The least displacement that it can express.
    pub min: i32,
    /// The greatest displacement that it can express.
    pub max: i32,
    /// Turns a branch of the longest form into this one, in its first `len` bytes.
    pub shorten: fn(&mut [u8]),
    /// Writes a displacement into a branch of this form.
    pub patch: fn(&mut [u8], i32),
}

/// What a sled is for, with the number of its kind in tables (compiler-rt, `XRayEntryType`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum SledKind {
    /// The function begins.
    Entry = 0,
    /// It returns.
    Exit = 1,
    /// It jumps to another function.
    Tail = 2,
    /// It begins, and its first argument is told.
    EntryWithArgument = 3,
    /// The program tells of something.
    Event = 4,
    /// The same with a type.
    TypedEvent = 5,
}

/// What an unconditional branch looks like.
#[derive(Clone, Copy, Debug)]
pub struct JumpFacts {
    /// Its index in the machine's [`branches`](CodeFacts::branches).
    pub kind: u8,
    /// Its longest form with a zero displacement.
    pub insn: u64,
    /// Is a branch of that kind unconditional?
    pub is_jump: fn(&[u8]) -> bool,
    /// The length in bytes of the instruction at the start of the code. Instructions that must stay together count as one; 0: none is known.
    pub instruction_len: fn(&[u8]) -> usize,
}

/// What a buffer has to know about a machine's code.
#[derive(Debug)]
pub struct CodeFacts {
    /// What unconditional branches look like; `None`: ends of code are not merged.
    pub jump: Option<JumpFacts>,
    /// The forms of each kind of branch, from the shortest to the longest.
    pub branches: &'static [&'static [BranchForm]],
    /// Size of a function, in bytes, within which the longest form of every branch reaches everything.
    pub reach: u32,
    /// Alignment of functions in bytes, a power of two.
    pub align: u32,
    /// The order of the bytes of numbers in data, also in the data that is part of the code.
    pub endian: Endian,
    /// How far constants may lie from the instructions that refer to them, in bytes, if they are part of the code;
    /// `None` if they are in sections of their own.
    pub island_reach: Option<u32>,
    /// Writes a value into the field at the start of the bytes, lowest byte first. `false` if the field cannot hold it. Of an address that
    /// several fields hold in parts, it is the addend.
    pub patch: fn(RelocKind, &mut [u8], i64) -> bool,
    /// How many bytes a field of data has; 0 for fields of instructions.
    pub data_bytes: fn(RelocKind) -> usize,
    /// Writes the final value of a field like a linker: of an address that several fields hold in parts, the field's
    /// part. The value is that of the whole address.
    pub apply: fn(RelocKind, &mut [u8], i64) -> bool,
    /// If code of a function may be in several sections: the kind of the field of four bytes at the end of the longest form of every
    /// branch, and the addend with which it leads to the very place.
    pub far_branch: Option<(RelocKind, i64)>,
    /// Reads the addend that `patch` wrote.
    pub addend: fn(RelocKind, &[u8]) -> i64,
    /// Whether the instruction at the start of the bytes can have a field of this kind: COFF has one number for several kinds.
    pub holds: fn(RelocKind, &[u8]) -> bool,
}

impl CodeFacts {
    /// The facts of a machine without branches and fields.
    pub const NONE: CodeFacts = CodeFacts {
        jump: None,
        branches: &[],
        reach: 0,
        align: 1,
        endian: Endian::Little,
        island_reach: None,
        patch: |_, _, _| false,
        data_bytes: |_| 0,
        apply: |_, _, _| false,
        far_branch: None,
        addend: |_, _| 0,
        holds: |_, _| true,
    };
}

impl CodeFacts {
    /// The forms of a kind of branch; none if it is not one.
    pub(crate) fn forms(&self, kind: u8) -> &'static [BranchForm] {
        self.branches.get(kind as usize).copied().unwrap_or_default()
    }

    /// Writes a value into a field, as [`patch`](Self::patch) does, in the order of bytes that the field has.
    #[inline]
    pub(crate) fn write(&self, kind: RelocKind, bytes: &mut [u8], value: i64) -> bool {
        if !self.endian.is_big() {
            return (self.patch)(kind, bytes, value);
        }
        let size = (self.data_bytes)(kind).min(bytes.len());
        bytes[..size].reverse();
        let fits = (self.patch)(kind, bytes, value);
        bytes[..size].reverse();
        fits
    }
}

impl Default for &'static CodeFacts {
    fn default() -> &'static CodeFacts {
        &CodeFacts::NONE
    }
}

/// A constant in the code that is an address.
#[derive(Clone, Copy, Debug)]
pub struct AddressConstant {
    /// How the value is computed and stored.
    pub kind: RelocKind,
    /// What the address is of.
    pub target: RelocTarget,
    /// Added to the address.
    pub addend: i64,
    /// The place that a distance is counted from; `None`: the constant.
    pub place: Option<Label>,
}

/// Why the code of a function cannot be completed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BufferError {
    /// The code is longer than the machine's branches reach.
    TooLarge {
        /// Bytes of code, before branches were shortened.
        bytes: usize,
        /// How far branches reach, in bytes.
        reach: u32,
    },
    /// A field cannot hold its distance from a label.
    OutOfReach {
        /// Offset of the field.
        offset: u32,
    },
    /// A label is used but was never bound.
    UnboundLabel(Label),
}

impl fmt::Display for BufferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { bytes, reach } => {
                write!(f, "the function's code is {bytes} bytes, more than the {reach} that branches reach")
            }
            Self::OutOfReach { offset } => {
                write!(f, "the field at {offset} is too far from the label that it refers to")
            }
            Self::UnboundLabel(label) => write!(f, "label {} is used but not bound", label.0),
        }
    }
}

impl std::error::Error for BufferError {}

/// A record with an offset that moves along with the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark<T> {
    /// Offset of the instruction from which on, or after which, the record holds.
    pub offset: u32,
    /// What is recorded.
    pub value: T,
}

/// A call that an exception may leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallMark {
    /// Offset of the call instruction, or of the instructions that prepare it.
    pub offset: u32,
    /// Bytes from there to the return address; there is no branch among them.
    pub bytes: u32,
    /// Where the exception continues, and with which clauses.
    pub landing: Option<(Label, Pad)>,
}

const UNBOUND: u32 = u32::MAX;

/// Where a label is bound: its offset, and how many gaps were recorded before it.
#[derive(Clone, Copy)]
struct Binding {
    offset: u32,
    gaps: u32,
}

/// A range of code whose final length may be less than the length it was emitted with.
#[derive(Clone, Copy)]
struct Gap {
    offset: u32,
    /// The branch's target.
    label: u32,
    /// Bytes emitted.
    len: u32,
    /// Bytes that stay.
    keep: u32,
    /// Of branch.
    kind: u8,
    /// The label is in another part of the code.
    far: bool,
}

/// A part of the code.
#[derive(Clone, Copy)]
struct Part {
    /// Where it begins.
    start: Label,
    spot: BlockSpot,
}

/// The code of one function under construction, then complete.
#[derive(Default)]
pub struct CodeBuffer {
    /// Those registers that the code changes which the machine's encoder notes, as a set of
    /// [`PReg`](crate::machine::PReg) numbers; see [`RegisterFile::noted`](crate::machine::RegisterFile::noted).
    pub changed: u64,
    /// Number of bytes by which the stack pointer is below where the prologue leaves it. Displacements from the stack
    /// pointer count from there; the encoder adds the depth.
    pub stack_depth: i32,
    /// What the code does against speculative execution.
    pub hardening: Hardening,
    /// Loads and stores may be combined.
    pub(crate) combines: bool,
    /// Where they are, as far as they may be.
    accesses: Vec<u32>,
    /// What the merging of ends has to know.
    pub(crate) tails: Tails,
    bytes: Bytes,
    machine: &'static CodeFacts,
    labels: Vec<Binding>,
    gaps: Vec<Gap>,
    /// `saved[i]`: bytes removed before gap `i`.
    saved: Vec<u32>,
    relocs: Vec<Reloc>,
    label_refs: Vec<Reloc>,
    /// References to constants that are not in the code yet.
    pub(crate) waiting: Vec<Reloc>,
    cfi: Vec<Mark<CfiOp>>,
    known: KnownCfa,
    remembered: Option<KnownCfa>,
    /// Sorted offsets that somebody else keeps: they are moved along.
    pub watched: Vec<u32>,
    /// Places where control continues after handlers.
    pub continuations: Vec<Label>,
    /// Where calls return that may return again, if that is listed.
    pub returns_twice: Vec<Label>,
    /// Where checks of types trap, if that is listed.
    pub type_traps: Vec<Label>,
    /// Where tools can write calls.
    pub(crate) sleds: Vec<(Label, SledKind)>,
    /// There is room for alignment in the code.
    padded: bool,
    /// Where the second part of the code and those after it begin, and where they go.
    parts: Vec<Part>,
    /// The parts have been put in order.
    arranged: bool,
    /// Start and end of the code that calls the handler of the stack limit, if unwind tables describe it separately.
    pub(crate) limit_call: Option<[Label; 2]>,
    /// The end of the prologue, if debuggers are told.
    pub(crate) prologue_end: Option<Label>,
    pub(crate) calls: Vec<CallMark>,
    pub(crate) stack_maps: StackMaps,
    /// The locations of the code, sorted by offset once finished.
    pub(crate) lines: Vec<Mark<LineEntry>>,
    /// Where variables are, sorted by offset.
    pub(crate) variables: Vec<Mark<VariableEvent>>,
    pub(crate) variable_operands: Vec<VariableOperand>,
    /// Labels of the source program, sorted by offset.
    pub(crate) source_labels: Vec<Mark<LabelPlace>>,
    /// Calls, by where they end.
    pub(crate) debug_calls: Vec<Mark<DebugCall>>,
    pub(crate) call_arguments: Vec<CallArgument>,
    constants: ConstantPool,
    /// Constants that are addresses, in order; and those of them that are in the code, with the places that they count
    /// from.
    addresses: Vec<(ConstantId, AddressConstant)>,
    placed: Vec<(Label, Label)>,
    /// End of each jump table in `table_labels`.
    table_ends: Vec<u32>,
    table_labels: Vec<Label>,
    /// Stretches that are data.
    data: Vec<Range<u32>>,
}

impl CodeBuffer {
    /// An empty buffer for the code of a machine.
    pub fn new(machine: &'static CodeFacts) -> Self {
        CodeBuffer { machine, ..CodeBuffer::default() }
    }

    /// Forgets everything, and keeps the memory for the next function.
    pub fn clear(&mut self) {
        self.stack_depth = 0;
        self.combines = false;
        self.accesses.clear();
        self.tails.clear();
        self.bytes.clear();
        self.labels.clear();
        self.gaps.clear();
        self.saved.clear();
        self.relocs.clear();
        self.label_refs.clear();
        self.waiting.clear();
        self.cfi.clear();
        self.calls.clear();
        self.stack_maps.clear();
        self.lines.clear();
        self.variables.clear();
        self.variable_operands.clear();
        self.source_labels.clear();
        self.debug_calls.clear();
        self.call_arguments.clear();
        self.continuations.clear();
        self.returns_twice.clear();
        self.type_traps.clear();
        self.sleds.clear();
        self.padded = false;
        self.parts.clear();
        self.arranged = false;
        self.limit_call = None;
        self.prologue_end = None;
        self.constants.clear();
        self.addresses.clear();
        self.placed.clear();
        self.table_ends.clear();
        self.table_labels.clear();
        self.data.clear();
        self.changed = 0;
    }

    // ---- Bytes ----

    /// The offset at which the next byte goes; before [`finish`](Self::finish), offsets are provisional.
    #[inline]
    pub fn offset(&self) -> u32 {
        self.bytes.len() as u32
    }

    /// The code.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The code from an offset on, to be changed in place.
    pub fn bytes_from(&mut self, offset: u32) -> &mut [u8] {
        &mut self.bytes[offset as usize..]
    }

    /// The order of the bytes of numbers in data.
    #[inline]
    pub fn endian(&self) -> Endian {
        self.machine.endian
    }

    /// Appends bytes.
    pub fn put_slice(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The room after the end, where an encoder writes an instruction; [`advance`](Self::advance) then appends it.
    #[inline(always)]
    pub fn room(&mut self) -> &mut [u8; ROOM] {
        self.bytes.room()
    }

    /// Appends the first `len` bytes of what was written to [`room`](Self::room).
    #[inline(always)]
    pub fn advance(&mut self, len: usize) {
        self.bytes.advance(len);
    }

    /// Appends the lowest `len` bytes (at most 8) of a word, lowest first.
    #[inline(always)]
    pub fn put_word(&mut self, word: u64, len: u32) {
        self.bytes.room()[..8].copy_from_slice(&word.to_le_bytes());
        self.bytes.advance(len as usize);
    }

    // ---- Labels and branches ----

    /// Makes a label, not yet bound.
    #[inline]
    pub fn new_label(&mut self) -> Label {
        let label = Label(self.labels.len() as u32);
        self.labels.push(Binding { offset: UNBOUND, gaps: 0 });
        label
    }

    /// Makes `count` labels with consecutive numbers, for example one for each block, and returns the first.
    pub fn new_labels(&mut self, count: u32) -> Label {
        let first = self.labels.len();
        self.labels.resize(first + count as usize, Binding { offset: UNBOUND, gaps: 0 });
        Label(first as u32)
    }

    /// Binds a label to the current offset. A label is bound once.
    #[inline]
    pub fn bind(&mut self, label: Label) {
        debug_assert_eq!(self.labels[label.0 as usize].offset, UNBOUND, "label bound twice");
        self.labels[label.0 as usize] = Binding { offset: self.bytes.len() as u32, gaps: self.gaps.len() as u32 };
    }

    /// Is the label bound?
    pub fn is_bound(&self, label: Label) -> bool {
        self.labels[label.0 as usize].offset != UNBOUND
    }

    /// The offset of a label if it is bound; final after [`finish`](Self::finish).
    pub fn label_offset(&self, label: Label) -> Option<u32> {
        self.labels.get(label.0 as usize).map(|place| place.offset).filter(|&offset| offset != UNBOUND)
    }

    /// Appends a branch to `label`. `insn` is its longest form with a zero displacement, `kind` an index into the
    /// machine's [`branches`](CodeFacts::branches). A backward branch that the shortest form can express is written in
    /// that form at once.
    #[inline]
    pub fn branch(&mut self, kind: u8, insn: u64, label: Label) {
        let forms = self.machine.branches[kind as usize];
        let (shortest, longest) = (&forms[0], &forms[forms.len() - 1]);
        let start = self.bytes.len();
        let mut len = u32::from(longest.len);
        self.put_word(insn, len);
        let place = self.labels[label.0 as usize];
        if place.offset != UNBOUND && forms.len() > 1 {
            // Closing gaps can only bring the two nearer, so what fits now will fit later.
            let displacement = i64::from(place.offset) - start as i64;
            let here = self.parts.is_empty() || place.offset >= self.part_start();
            if here && displacement >= i64::from(shortest.min) && displacement <= i64::from(shortest.max) {
                (shortest.shorten)(&mut self.bytes[start..]);
                len = u32::from(shortest.len);
                self.bytes.truncate(start + len as usize);
            }
        }
        self.gaps.push(Gap { offset: start as u32, label: label.0, len, keep: len, kind, far: false });
    }

    /// Finds again how many gaps are before each label, after gaps or labels have moved.
    fn count_gaps(&mut self) {
        for place in self.labels.iter_mut().filter(|place| place.offset != UNBOUND) {
            place.gaps = self.gaps.partition_point(|gap| gap.offset < place.offset) as u32;
        }
    }

    // ---- Relocations and marks ----

    /// Records that the field at `offset` depends on an address. A position-relative use of a label of this function is
    /// resolved by [`finish`](Self::finish); everything else is left for the object.
    #[inline]
    pub fn reloc(&mut self, offset: u32, kind: RelocKind, target: RelocTarget, addend: i64) {
        let reloc = Reloc { offset, kind, target, addend };
        match target {
            RelocTarget::Label(_) if kind.is_distance() => self.label_refs.push(reloc),
            RelocTarget::Constant(_) if self.has_islands() => self.waiting.push(reloc),
            _ => self.relocs.push(reloc),
        }
    }

    /// The relocations that the object has to contain, sorted by offset once finished.
    pub fn relocs(&self) -> &[Reloc] {
        &self.relocs
    }

    /// Is there a branch at or after `from` whose label is not bound yet?
    pub fn open_branch(&self, from: u32) -> bool {
        self.gaps.iter().rev().take_while(|gap| gap.offset >= from).any(|gap| !self.is_bound(Label(gap.label)))
    }

    /// Records a change of the frame's description, in force from the current offset on.
    pub fn mark_cfi(&mut self, op: CfiOp) {
        self.mark_cfi_at(self.offset(), op);
    }

    /// Like [`mark_cfi`](Self::mark_cfi), from an offset on that is not before those of earlier records.
    pub(crate) fn mark_cfi_at(&mut self, offset: u32, op: CfiOp) {
        self.cfi.push(Mark { offset, value: op });
    }

    /// The changes of the frame's description, sorted by offset once finished.
    pub fn cfi(&self) -> &[Mark<CfiOp>] {
        &self.cfi
    }

    /// The calls that were recorded, in the order of the code.
    pub fn calls(&self) -> &[CallMark] {
        &self.calls
    }

    // ---- Data of the function ----

    /// Says that the code from `start` to the current offset is data, not instructions.
    pub fn mark_data(&mut self, start: u32) {
        if start < self.offset() {
            self.data.push(start..self.offset());
        }
    }

    /// The ranges of the code that are data, in order.
    pub fn data(&self) -> &[Range<u32>] {
        &self.data
    }

    /// The number of a read-only constant: 1 to 16 bytes, a power of two, aligned to its size. Equal constants have one
    /// number.
    pub fn constant(&mut self, bytes: &[u8]) -> ConstantId {
        self.constants.intern(bytes)
    }

    /// A constant of four bytes in the code that is an address.
    pub fn address_constant(&mut self, address: AddressConstant) -> ConstantId {
        let id = self.constants.add();
        self.addresses.push((id, address));
        id
    }

    /// The function's read-only constants.
    pub fn constants(&self) -> &ConstantPool {
        &self.constants
    }

    /// Adds a jump table. An entry is four bytes: the address of the label minus the address of the table.
    pub fn jump_table(&mut self, labels: &[Label]) -> JumpTableId {
        self.table_labels.extend_from_slice(labels);
        self.table_ends.push(self.table_labels.len() as u32);
        JumpTableId((self.table_ends.len() - 1) as u32)
    }

    /// The jump tables in the order of their numbers.
    pub fn jump_tables(&self) -> impl Iterator<Item = &[Label]> + '_ {
        (0..self.table_ends.len()).map(|i| {
            let start = if i == 0 { 0 } else { self.table_ends[i - 1] };
            &self.table_labels[start as usize..self.table_ends[i] as usize]
        })
    }

    /// Completes the code, as the head of this module describes. To be called once.
    pub fn finish(&mut self) -> Result<(), BufferError> {
        self.write_island();
        let (bytes, reach) = (self.bytes.len(), self.machine.reach);
        if bytes > reach as usize {
            return Err(BufferError::TooLarge { bytes, reach });
        }
        self.check_labels()?;
        if !self.parts.is_empty() {
            self.arrange_parts();
            self.mark_far_branches();
        }
        self.relax();
        if self.padded {
            self.fix_padding();
        }
        self.compact();
        self.count_from_places();
        self.resolve_label_refs()
    }

    fn check_labels(&self) -> Result<(), BufferError> {
        let branches = self.gaps.iter().map(|gap| Label(gap.label));
        let tables = self.table_labels.iter().copied();
        let refs = self.relocs.iter().chain(&self.label_refs).filter_map(|reloc| match reloc.target {
            RelocTarget::Label(label) => Some(label),
            _ => None,
        });
        let landings = self.calls.iter().filter_map(|call| call.landing).map(|(label, _)| label);
        match branches.chain(landings).chain(tables).chain(refs).find(|&label| self.label_offset(label).is_none()) {
            Some(label) => Err(BufferError::UnboundLabel(label)),
            None => Ok(()),
        }
    }
}
