//! Rewrites a function so that it only has types and operations that the target has.
//!
//! What holds afterwards:
//! - Integers are 1, 8, 16, 32, 64 or 128 bits wide, and take at most two registers. A narrower value is in the next
//!   wider type with undefined upper bits; where an operation would see these, they are cleared or filled first. An
//!   integer of more than two registers is a list of *limbs* as wide as a register, the lowest first; the last limb may
//!   have undefined upper bits.
//! - Values of type `i1` are 0 or 1. Only `and or xor select icmp br zext sext trunc load store freeze opaque bitcast`,
//!   block parameters and calls remain for them; of `icmp`, only equality and the unsigned comparisons.
//! - Vectors are 16 bytes wide, with lanes of i8 to i64, f32 or f64. Wider ones are split into several; in narrower
//!   ones, and in the last of several, the lanes beyond the source's are undefined. Vectors of other lanes become lists
//!   of scalars or of their limbs, and so do all vectors on machines without vector registers.
//! - Vectors of `i1` are *lane masks*: integer lanes of some width, all ones or all zeros. Vector comparisons give a
//!   mask of the compared width, and `select` takes a mask of the selected width, never an `i1`.
//! - These operations on vectors may occur with any legal type: `load store bitcast and or xor shuffle splat freeze
//!   opaque`, and `extract_lane` and `insert_lane` at constant lanes. Others only occur if [`Machine::has_vector_op`]
//!   says so; if only [`Machine::has_uniform_shift`] does, shifts are by a constant with equal lanes. A `shuffle` has
//!   operands and a result of one type and any mask.
//! - `bf16` has no arithmetic, and neither has `f16` unless the machine has it: values are widened to `f32` and back.
//!   `bf16` is widened by shifting.
//! - `fptosi_sat`, `fptoui_sat`, `ushl_sat`, `sshl_sat`, `fminimum`, `fmaximum` and `reduce` are gone.
//! - In a register, lane 0 of a vector has the lowest bits, whatever the order of bytes in memory; see `order`. A `bitcast` between
//!   vectors, or between a vector and another type, leaves the register as it is.
//! - Signatures are split like the values: IR value *i* is still argument *i* of the `FnAbi` (see `SigData::split`).
//!
//! When all this holds and the library's functions are called, [`Legalizer::split_pairs`] makes two values of each
//! integer of two registers. Pairs then remain where a machine works on two registers at once, between `iconcat` and
//! `isplit`; see `pairs`.
//!
//! Blocks keep their numbers; new blocks are loops that stand for divisions. If a value is used above its definition in
//! the layout, the layout becomes the reverse postorder; otherwise it is kept, without unreachable blocks.

mod convert;
mod debug;
mod emit;
mod lanes;
mod limbs;
mod memory;
mod narrow;
mod order;
mod pairs;
mod reduce;
mod scalar;
mod sig;
mod vector;
mod wide;

use std::fmt;

use gusset_abi::{Endian, InlineVec, Reg, RegClass};

use super::library::{Candidates, MAY_BE};
use super::power_of_two;
use crate::ir::{
    Block, Carry, ConstData, Edge, FloatCc, Function, InLlvm, Inst, InstData, IntCc, OPCODES, Opcode, SigId, SwitchId,
    Type, TypeInLlvm, Value, ValueDef, reverse_postorder,
};
use crate::machine::{Machine, PartKind};

/// What a target has; a view of [`Machine`].
trait Legal {
    fn has(&self, op: Opcode, ty: Type) -> bool;
    fn has_uniform_shift(&self, op: Opcode, ty: Type) -> bool;
    /// Does it have vector registers?
    fn has_vectors(&self) -> bool;
    /// Is this a type of its vectors?
    fn is_vector(&self, reg: Reg) -> bool;
    /// May two registers be loaded or stored at once?
    fn has_pair_access(&self) -> bool;
    /// Is the operation on `f16` there?
    fn has_half(&self, op: Opcode) -> bool;
    /// The feature that brings registers for vectors of so many bytes.
    fn vector_feature(&self, bytes: u32) -> Option<&'static str>;
}

impl<T: Machine> Legal for T {
    fn has(&self, op: Opcode, ty: Type) -> bool {
        self.has_vector_op(op, ty)
    }
    fn has_uniform_shift(&self, op: Opcode, ty: Type) -> bool {
        Machine::has_uniform_shift(self, op, ty)
    }
    fn has_vectors(&self) -> bool {
        Type::vector(Type::I8, VECTOR_BYTES).is_some_and(|ty| self.parts(ty).kind == PartKind::V128)
    }
    fn is_vector(&self, reg: Reg) -> bool {
        reg.class == RegClass::Float && self.abi_register(reg, VECTOR_BYTES).is_some()
    }
    fn has_pair_access(&self) -> bool {
        self.facts().has_pair_access
    }
    fn has_half(&self, op: Opcode) -> bool {
        self.facts().has_half && LOOK[op as usize] & ANY == IF_HALF && !matches!(op, Opcode::Frem | Opcode::Fcopysign)
    }
    fn vector_feature(&self, bytes: u32) -> Option<&'static str> {
        (self.facts().vector_feature)(bytes)
    }
}

/// Bytes of a legal vector.
const VECTOR_BYTES: u32 = 16;

/// Why a function cannot be legalized.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LegalizeError {
    /// The instruction at fault; `None` for the function's own signature.
    pub inst: Option<Inst>,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for LegalizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)?;
        match self.inst {
            Some(i) => write!(f, " (instruction {i})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for LegalizeError {}

type Result<T> = std::result::Result<T, LegalizeError>;

/// The values that replace a source value.
type Parts = InlineVec<Value, 4>;

/// What holds a value: its parts, and if it is a mask the width of their lanes.
type Held = (Parts, u8);

/// How a source value is represented.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    /// By itself.
    Same,
    /// By an integer of another width, of this type.
    Odd(Type),
    /// By limbs: an integer of more than two registers.
    Limbs,
    /// By vectors of this type: a vector of legal lanes.
    Vector(Type),
    /// A vector of `i1`.
    Mask,
    /// By scalars: a vector of other lanes, or any vector if there are no vector registers.
    List,
}

/// The parts that represent a source value.
#[derive(Clone, Copy)]
struct Mapped {
    start: u32,
    len: u16,
    /// Lane width of a mask in bits; 0 for other values.
    width: u8,
}

const UNMAPPED: Mapped = Mapped { start: 0, len: 0, width: 0 };

/// Legalizes functions one after another, and keeps its tables.
#[derive(Default)]
pub struct Legalizer {
    out: Function,
    map: Vec<Mapped>,
    parts: Vec<Value>,
    sigs: Vec<Option<SigId>>,
    splats: Vec<(Type, u128, Value)>,
    /// The function may have integers of two registers.
    may_have_pairs: bool,
}

impl Legalizer {
    /// A legalizer.
    pub fn new() -> Legalizer {
        Legalizer::default()
    }

    /// Makes `func` legal. False if it was legal already; then its candidates for library calls are known.
    ///
    /// # Errors
    /// An operation or signature that cannot be made legal; `func` is then unchanged.
    pub fn run<T: Machine>(&mut self, target: &T, func: &mut Function, calls: &mut Candidates) -> Result<bool> {
        let words = target.facts().pointer == Type::I32;
        let mut has_widest = false;
        let works = needs_work(target, func, calls, &mut has_widest);
        self.may_have_pairs = works || words || has_widest;
        if !(works || words && has_pairs_of_words(func)) {
            return Ok(false);
        }
        self.rewrite(target, func, false)?;
        Ok(true)
    }

    /// Splits integers of two registers, and those that numbers have become; false if there are none. `changed`: another pass has changed
    /// types since [`Legalizer::run`].
    ///
    /// # Errors
    /// As [`Legalizer::run`].
    pub fn split_pairs<T: Machine>(&mut self, target: &T, func: &mut Function, changed: bool) -> Result<bool> {
        if !(changed || self.may_have_pairs) {
            return Ok(false);
        }
        // Few types of integers are wider than a register.
        let pair = if target.facts().pointer == Type::I32 { Type::I64 } else { Type::I128 };
        let splits = func.value_types().any(|ty| ty == pair || ty == Type::I128);
        if splits {
            self.rewrite(target, func, true)?;
        }
        Ok(splits)
    }

    fn rewrite<T: Machine>(&mut self, target: &T, func: &mut Function, splits_pairs: bool) -> Result<()> {
        self.out.clear();
        self.map.clear();
        self.map.resize(func.value_count(), UNMAPPED);
        self.parts.clear();
        self.sigs.clear();
        self.sigs.resize(func.sigs.len(), None);
        self.splats.clear();
        let mut cx = Cx {
            legal: target,
            src: func,
            out: &mut self.out,
            map: &mut self.map,
            parts: &mut self.parts,
            sigs: &mut self.sigs,
            splats: &mut self.splats,
            ptr: target.facts().pointer,
            bytes: VECTOR_BYTES,
            endian: target.facts().endian(),
            unit: target.facts().vector_unit,
            limb: target.facts().pointer,
            splits_pairs,
            has_vectors: target.has_vectors() && !func.attrs.no_vectors,
            block: Block(0),
            home: Block(0),
            at: None,
        };
        cx.function()?;
        std::mem::swap(func, &mut self.out);
        Ok(())
    }
}

#[inline(always)]
fn plain_type(ty: Type) -> bool {
    match ty {
        Type::VOID | Type::I1 | Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::I128 => true,
        _ => ty.is_float(),
    }
}

/// When an instruction needs a closer look: because of its opcode, a type of `i1`, or a type of half width.
const ALWAYS: u8 = 1;
const IF_BIT: u8 = 2;
const IF_HALF: u8 = 4;
const ANY: u8 = ALWAYS | IF_BIT | IF_HALF;

/// For each opcode, when it may not be legal, and what it may be to a library.
const LOOK: [u8; OPCODES.len()] = {
    let mut look = [0; OPCODES.len()];
    let mut k = 0;
    while k < OPCODES.len() {
        use Opcode::*;
        look[k] = match OPCODES[k] {
            FptosiSat | FptouiSat | UshlSat | SshlSat | Fminimum | Fmaximum | Reduce | Splat | Shuffle => ALWAYS,
            Sitofp | Uitofp | Fptrunc | Fpext | Fptosi | Fptoui => ALWAYS,
            Iadd | Isub | Imul | Udiv | Sdiv | Urem | Srem | Shl | Lshr | Ashr | Umin | Umax | Smin | Smax
            | UaddSat | UsubSat | SaddSat | SsubSat | UaddOv | SaddOv | UsubOv | SsubOv | UmulOv | SmulOv | Ctlz
            | Cttz | Ctpop | Bitreverse | Iabs | Fshl | Fshr | Switch | Icmp => IF_BIT,
            Fadd | Fsub | Fmul | Fdiv | Frem | Fcopysign | Fminnum | Fmaxnum | Fma | Fneg | Fabs | Fsqrt | Ffloor
            | Fceil | Ftrunc | Frint | Fnearbyint | Fround | Froundeven | Fcmp => IF_HALF,
            _ => 0,
        } | MAY_BE[k];
        k += 1;
    }
    look
};

/// Is anything not legal? If all is legal, `calls` is complete afterwards, and `has_widest` tells whether a value is an integer of 128 bits.
fn needs_work<T: Machine>(target: &T, f: &Function, calls: &mut Candidates, has_widest: &mut bool) -> bool {
    let half = |ty: Type| matches!(ty, Type::F16 | Type::BF16);
    let bad_inst = |d: &InstData, look: u8| {
        let now = ALWAYS | if d.ty == Type::I1 { IF_BIT } else { 0 } | if half(d.ty) { IF_HALF } else { 0 };
        if look & now == 0 {
            return false;
        }
        let from = || f.value_type(Value(d.a));
        match d.op {
            Opcode::Icmp => IntCc::from_u8(d.flags).is_some_and(IntCc::is_signed),
            Opcode::Sitofp | Opcode::Uitofp => half(d.ty) || from() == Type::I1,
            Opcode::Fptrunc | Opcode::Fpext => d.ty == Type::BF16 || half(from()),
            Opcode::Fptosi | Opcode::Fptoui => d.ty == Type::I1 || half(from()),
            op if d.ty == Type::F16 => !target.has_half(op),
            _ => true,
        }
    };
    calls.clear();
    let mut has_bad = |b: &Block| {
        let data = &f.blocks[b.index()];
        let mut seen = 0;
        let bad = f.insts[data.first as usize..data.end as usize].iter().any(|d| {
            let look = LOOK[d.op as usize];
            seen |= look;
            look & ANY != 0 && bad_inst(d, look)
        });
        calls.note(*b, seen);
        bad
    };
    let mut is_bad = |ty: Type| {
        *has_widest |= ty == Type::I128;
        !plain_type(ty)
    };
    f.value_types().any(&mut is_bad)
        || f.layout.iter().any(&mut has_bad)
        || f.sigs.iter().any(|s| s.params.iter().chain(&s.results).any(|&t| !plain_type(t)))
}

/// Are there integers of 128 bits? They are wide on machines with 32-bit registers.
fn has_pairs_of_words(f: &Function) -> bool {
    let is_wide = |ty: Type| ty.lane() == Type::I128;
    f.value_types().any(is_wide) || f.sigs.iter().any(|s| s.params.iter().chain(&s.results).any(|&t| is_wide(t)))
}

/// The integer type that holds `bits` bits.
fn promoted(bits: u32) -> Type {
    match bits {
        0..=8 => Type::I8,
        9..=16 => Type::I16,
        17..=32 => Type::I32,
        33..=64 => Type::I64,
        _ => Type::I128,
    }
}

/// One function while it is legalized.
struct Cx<'a> {
    legal: &'a dyn Legal,
    src: &'a Function,
    out: &'a mut Function,
    map: &'a mut Vec<Mapped>,
    parts: &'a mut Vec<Value>,
    sigs: &'a mut Vec<Option<SigId>>,
    /// Recent vector constants with equal lanes.
    splats: &'a mut Vec<(Type, u128, Value)>,
    ptr: Type,
    /// Bytes of a vector.
    bytes: u32,
    /// The order of bytes in memory, and [`MachineFacts::vector_unit`](crate::machine::MachineFacts::vector_unit).
    endian: Endian,
    unit: u32,
    /// The integer type of a register, as wide as a pointer.
    limb: Type,
    /// Integers of two registers are split, too.
    splits_pairs: bool,
    /// Vectors are in registers, not taken apart.
    has_vectors: bool,
    /// The block that is being filled, and the source block that it belongs to.
    block: Block,
    home: Block,
    /// The source instruction at hand.
    at: Option<Inst>,
}

impl Cx<'_> {
    fn unsupported<T>(&self, what: impl Into<String>) -> Result<T> {
        Err(LegalizeError { inst: self.at, reason: what.into() })
    }

    fn function(&mut self) -> Result<()> {
        let src = self.src;
        self.out.symbol = src.symbol;
        self.out.attrs = src.attrs;
        for s in &src.slots {
            let slot = self.out.make_slot(s.size, s.align);
            self.out.slots[slot.index()].kind = s.kind;
        }
        for _ in &src.blocks {
            self.out.make_block();
        }
        self.out.exceptions.copy_from(&src.exceptions);
        self.out.escapes.clone_from(&src.escapes);
        self.out.stack_maps.clone_from(&src.stack_maps);
        self.out.block_symbols.extend_from_slice(&src.block_symbols);
        self.out.sig = self.signature(src.sig)?;
        let (order, rank) = reverse_postorder(src);
        let entry = src.layout[0];
        for &b in &order {
            if b != entry {
                self.params(b);
            }
        }
        if self.layout_defines_first(&rank) {
            let src = self.src;
            self.blocks(src.layout.iter().copied().filter(|b| rank[b.index()] != u32::MAX))
        } else {
            self.blocks(order.iter().copied())
        }
    }

    /// Does every block but the entry have a predecessor above it in the layout? Then all its dominators are above it,
    /// too.
    fn layout_defines_first(&self, rank: &[u32]) -> bool {
        let src = self.src;
        let mut reached = vec![false; src.blocks.len()];
        reached[src.layout[0].index()] = true;
        src.layout.iter().filter(|b| rank[b.index()] != u32::MAX).all(|&b| {
            let ok = reached[b.index()];
            src.for_each_edge(src.inst(src.terminator(b)), |e| reached[src.edge_to(e).index()] = true);
            ok
        })
    }

    fn blocks(&mut self, order: impl Iterator<Item = Block>) -> Result<()> {
        let src = self.src;
        let mut carry = Carry::new(&src.debug);
        for b in order {
            let start = self.out.insts.len() as u32;
            self.out.layout.push(b);
            self.out.blocks[b.index()].first = start;
            (self.block, self.home) = (b, b);
            if b == src.layout[0] {
                self.entry(b)?;
            }
            if let Some(carry) = &mut carry {
                carry.begin_block(
                    Inst(src.blocks[b.index()].first),
                    Inst::new(self.out.insts.len()),
                    &mut self.out.debug,
                );
            }
            for i in src.block_insts(b) {
                if let Some(carry) = &mut carry {
                    carry.step(i, Inst::new(self.out.insts.len()), &mut self.out.debug);
                }
                self.at = Some(i);
                self.inst(i)?;
            }
            self.out.blocks[self.block.index()].end = self.out.insts.len() as u32;
        }
        self.debug_operands();
        Ok(())
    }

    /// Replaces the parameters of a block other than the entry: a parameter for every part.
    fn params(&mut self, b: Block) {
        let src = self.src;
        for &p in src.params(b) {
            let ty = src.value_type(p);
            let (part, n, width) = self.part_type(ty);
            let parts: Parts = (0..n).map(|_| self.out.append_param(b, part)).collect();
            self.define(p, &parts, width);
        }
    }

    // Representations of values.

    fn shape(&self, ty: Type) -> Shape {
        if self.is_plain(ty) {
            return Shape::Same;
        }
        if ty.is_int() {
            let fits = ty.bits() <= self.most_bits();
            return if fits { Shape::Odd(promoted(ty.bits())) } else { Shape::Limbs };
        }
        match ty.lane() {
            _ if !self.has_vectors => Shape::List,
            Type::I1 => Shape::Mask,
            lane @ (Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::F32 | Type::F64) => {
                Shape::Vector(self.full(lane))
            }
            _ => Shape::List,
        }
    }

    /// Are values of this type represented by themselves?
    fn is_plain(&self, ty: Type) -> bool {
        // All that is not split is legal when pairs are.
        (self.splits_pairs || plain_type(ty)) && !(ty.is_int() && ty.bits() > self.most_bits())
    }

    /// Bits of the widest integer that is one value.
    fn most_bits(&self) -> u32 {
        self.limb.bits() << u32::from(!self.splits_pairs)
    }

    /// The legal vector type with these lanes.
    fn full(&self, lane: Type) -> Type {
        // A legal vector never has more than 1023 lanes.
        Type::vector(lane, self.bytes * 8 / lane.bits()).unwrap_or(lane)
    }

    /// Type and number of the parts of a value of type `ty`; for masks also the lane width, if no other is asked for.
    fn part_type(&self, ty: Type) -> (Type, u32, u8) {
        match self.shape(ty) {
            Shape::Same => (ty, 1, 0),
            Shape::Odd(wide) => (wide, 1, 0),
            Shape::Limbs => (self.limb, self.limb_count(ty), 0),
            Shape::Vector(vt) => (vt, ty.lanes().div_ceil(vt.lanes()), 0),
            Shape::List => {
                let (part, n, _) = self.part_type(ty.lane());
                if n > 1 { (part, n * ty.lanes(), 0) } else { (ty.lane(), ty.lanes(), 0) }
            }
            Shape::Mask => {
                let width = self.mask_width(ty.lanes());
                let vt = self.mask_type(width);
                (vt, ty.lanes().div_ceil(vt.lanes()), width)
            }
        }
    }

    /// For a vector whose lanes are in limbs: the number of limbs of each lane.
    fn limbs_of_lanes(&self, ty: Type) -> Option<usize> {
        let wide = ty.is_vector() && !self.splits_pairs && self.shape(ty.lane()) == Shape::Limbs;
        wide.then(|| self.limb_count(ty.lane()) as usize)
    }

    /// Lane width of masks of `n` lanes in block parameters, calls and the like: the largest that fits one vector.
    fn mask_width(&self, n: u32) -> u8 {
        (self.bytes * 8 / n.next_power_of_two()).clamp(8, 64) as u8
    }

    fn mask_type(&self, width: u8) -> Type {
        self.full(promoted(width as u32))
    }

    fn define(&mut self, v: Value, parts: &[Value], width: u8) {
        let start = self.parts.len() as u32;
        self.parts.extend_from_slice(parts);
        self.map[v.index()] = Mapped { start, len: parts.len() as u16, width };
    }

    fn define1(&mut self, v: Value, part: Value) {
        self.define(v, &[part], 0);
    }

    /// The parts of a source value, and its mask width.
    fn get(&mut self, v: Value) -> Result<Held> {
        let v = self.src.resolve(v);
        let m = self.map[v.index()];
        if m.len != 0 {
            let parts = self.parts[m.start as usize..m.start as usize + m.len as usize].iter().copied().collect();
            return Ok((parts, m.width));
        }
        self.constant(v)
    }

    /// The only part of a scalar.
    fn one(&mut self, v: Value) -> Result<Value> {
        Ok(self.get(v)?.0[0])
    }

    /// The parts of a mask, in lanes of `width` bits.
    fn mask(&mut self, v: Value, width: u8) -> Result<Parts> {
        let n = self.src.value_type(v).lanes();
        let (parts, from) = self.get(v)?;
        Ok(self.mask_to(&parts, n, from, width))
    }

    /// The parts of a value in the form that block parameters have.
    fn passed(&mut self, v: Value) -> Result<Parts> {
        let (parts, width) = self.get(v)?;
        if width == 0 {
            return Ok(parts);
        }
        let n = self.src.value_type(v).lanes();
        let to = self.mask_width(n);
        Ok(self.mask_to(&parts, n, width, to))
    }

    fn edge(&mut self, e: Edge) -> Result<Edge> {
        let src = self.src;
        let new = self.out.make_edge(src.edge_to(e));
        if src.edge_weight(e) != 0 {
            self.out.set_edge_weight(new, src.edge_weight(e));
        }
        for &a in src.edge_args(e) {
            for &p in self.passed(a)?.iter() {
                self.out.append_edge_arg(new, p);
            }
        }
        Ok(new)
    }

    // Instructions.

    fn inst(&mut self, i: Inst) -> Result<()> {
        use Opcode::*;
        let src = self.src;
        let d = *src.inst(i);
        let (a, b, c) = (Value(d.a), Value(d.b), Value(d.c));
        if self.splits_pairs && self.stays(i, &d) {
            return self.copy_with_pairs(i, &d);
        }
        let (parts, width) = match d.op {
            Nop => return Ok(()),
            Call => return self.call(i, &d),
            Return if src.follows_tail_call(i) => return Ok(()),
            Return => return self.ret(&d),
            StackMap => return self.stack_map(&d),
            Jump => {
                let e = self.edge(Edge(d.a))?;
                self.push(InstData { a: e.0, ..d }, &[]);
                return Ok(());
            }
            Br => {
                let cond = self.one(a)?;
                let (then, other) = (self.edge(Edge(d.b))?, self.edge(Edge(d.c))?);
                self.push(InstData { a: cond.0, b: then.0, c: other.0, ..d }, &[]);
                return Ok(());
            }
            Invoke | ScopeBegin | ScopeEnd => {
                let (normal, unwind) = (self.edge(Edge(d.a))?, self.edge(Edge(d.b))?);
                self.push(InstData { a: normal.0, b: unwind.0, ..d }, &[]);
                return Ok(());
            }
            Switch => return self.switch(&d),
            IndirectBr | CatchSwitch | CatchRet | CleanupRet => {
                let a = if d.op == IndirectBr { self.one(a)?.0 } else { d.a };
                let mut edges = Vec::with_capacity(d.c as usize);
                for e in src.pool_edges(d.b, d.c) {
                    edges.push(self.edge(e)?.0);
                }
                let b = self.out.push_words(edges);
                self.push(InstData { a, b, ..d }, &[]);
                return Ok(());
            }
            Store => return self.store(&d),
            Load => self.load(&d)?,
            ExtractLane | InsertLane | Shuffle | Splat if !self.splits_pairs => self.lane_inst(&d)?,
            Reduce => (self.reduce(&d)?, 0),
            Icmp | Fcmp => self.compare(i, &d)?,
            Select => self.select(&d)?,
            Bitcast => self.bitcast(&d)?,
            Trunc | Zext | Sext | Fptrunc | Fpext | Fptosi | Fptoui | FptosiSat | FptouiSat | Sitofp | Uitofp => {
                self.conversion(&d)?
            }
            Freeze | Opaque => {
                let (parts, width) = self.get(a)?;
                (parts.iter().map(|&p| self.un(d.op, p)).collect(), width)
            }
            UaddOv | SaddOv | UsubOv | SsubOv | UmulOv | SmulOv => self.overflow(i, &d)?,
            // Lane by lane; operands and result have one type.
            _ if d.op <= Froundeven => self.lanewise(&d, &[a, b, c][..d.op.arity()])?,
            Index if d.ty.is_vector() => self.index(&d)?,
            _ if self.splits_pairs => return self.copy_with_pairs(i, &d),
            _ => return self.copy(i, &d),
        };
        self.define(src.result(i), &parts, width);
        Ok(())
    }

    /// Copies the instruction, with the only parts of its operands. An operation of the machine only has legal types.
    fn copy(&mut self, i: Inst, d: &InstData) -> Result<()> {
        let src = self.src;
        let machine = matches!(d.op, Opcode::Machine | Opcode::MachineEffect);
        let legal = |cx: &Self, ty: Type| match cx.shape(ty) {
            Shape::Same => true,
            Shape::Vector(vt) => machine && vt == ty,
            _ => false,
        };
        let mut new = *d;
        let operands = new.operand_words().map(|w| src.value_type(Value(*w)));
        let types: Vec<Type> = src.results(i).map(|v| src.value_type(v)).collect();
        let all: Vec<Type> = types.iter().copied().chain([d.ty]).chain(operands.filter(|_| machine)).collect();
        if let Some(t) = all.into_iter().find(|&t| !legal(self, t)) {
            return self.unsupported(match machine {
                true => self.no_registers(t),
                false => format!("{} is not supported", InLlvm(d.op, t)),
            });
        }
        for word in new.operand_words() {
            *word = self.one(Value(*word))?.0;
        }
        let made = self.push(new, &types);
        for (from, to) in src.results(i).zip(self.out.results(made)) {
            self.define1(from, to);
        }
        Ok(())
    }

    /// The message about an operand that no register holds.
    fn no_registers(&self, t: Type) -> String {
        match self.legal.vector_feature(t.store_bytes()).filter(|_| t.is_vector()) {
            Some(feature) => {
                format!("the target has no registers for `{}`, which the feature `{feature}` brings", TypeInLlvm(t))
            }
            None => format!("the target has no registers for `{}`", TypeInLlvm(t)),
        }
    }

    /// The verifier admits only operands that are legal.
    fn stack_map(&mut self, d: &InstData) -> Result<()> {
        let src = self.src;
        let mut words = Vec::with_capacity(d.b as usize);
        for &v in src.pool_values(d.a, d.b) {
            words.push(self.one(v)?.0);
        }
        let a = self.out.push_words(words);
        self.push(InstData { a, ..*d }, &[]);
        Ok(())
    }

    fn switch(&mut self, d: &InstData) -> Result<()> {
        let src = self.src;
        let value = self.one(Value(d.a))?;
        let wide = match self.shape(d.ty) {
            Shape::Limbs => return self.wide_switch(d),
            Shape::Odd(wide) => wide,
            _ => d.ty,
        };
        if d.ty == Type::I1 {
            return self.switch_bool(d, value);
        }
        let value = self.zx(value, d.ty.bits());
        let mut cases = Vec::new();
        for (c, e) in src.switch_cases(SwitchId(d.b)) {
            let n = src.int_constant(src.resolve(c)).unwrap_or(0);
            let c = self.out.make_int(wide, n as i128);
            cases.extend([c.0, self.edge(e)?.0]);
        }
        let default = self.edge(src.switches[d.b as usize].default)?;
        let len = cases.len() as u32 / 2;
        let start = self.out.push_words(cases);
        let s = self.out.switches.len() as u32;
        self.out.switches.push(crate::ir::SwitchData { start, len, default });
        self.push(InstData { ty: wide, a: value.0, b: s, ..*d }, &[]);
        Ok(())
    }

    /// A switch on a truth value becomes a two-way branch.
    fn switch_bool(&mut self, d: &InstData, value: Value) -> Result<()> {
        let src = self.src;
        let default = src.switches[d.b as usize].default;
        let mut to = [default; 2];
        for (c, e) in src.switch_cases(SwitchId(d.b)) {
            to[(src.int_constant(src.resolve(c)).unwrap_or(0) & 1) as usize] = e;
        }
        let (then, other) = (self.edge(to[1])?, self.edge(to[0])?);
        self.push(InstData { op: Opcode::Br, flags: 0, ty: Type::VOID, a: value.0, b: then.0, c: other.0 }, &[]);
        Ok(())
    }
}
