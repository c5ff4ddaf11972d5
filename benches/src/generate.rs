//! Generated functions of any size and shape, printed as LLVM IR here and built as Cranelift's IR in `peers`.
//!
//! Every value is an `i64`. A function gets a pointer to memory and one integer, the value 0. Blocks have parameters.

use std::fmt::Write;

/// A value's number.
pub type Value = u32;

/// What computes a value.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// `left + right`
    Add(Value, Value),
    /// `left - right`
    Sub(Value, Value),
    /// `left * right`
    Mul(Value, Value),
    /// `left ^ right`
    Xor(Value, Value),
    /// `value + constant`
    AddConst(Value, i32),
    /// `value >> constant`, arithmetically
    ShiftRight(Value, u8),
    /// The word at this offset of the memory.
    Load(u16),
    /// Stores a value at this offset of the memory; the "result" is not used.
    Store(Value, u16),
}

/// How a block ends.
#[derive(Clone, Debug)]
pub enum End {
    /// To a block with arguments.
    Jump(u32, Vec<Value>),
    /// `if left < right` (signed) to the first block, else to the second; neither has parameters.
    Less(Value, Value, u32, u32),
    /// To the block of the number, or to the last one; `stride` is the distance of the case values.
    Switch(Value, Vec<u32>, u64),
    /// Returns a value.
    Return(Value),
}

/// A block.
#[derive(Clone, Debug)]
pub struct Block {
    /// The values that its parameters are.
    pub params: Vec<Value>,
    /// Its operations; each defines the next number after those before it in the text.
    pub ops: Vec<(Value, Op)>,
    /// Its end.
    pub end: End,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// The blocks, the entry first.
    pub blocks: Vec<Block>,
}

/// The shapes that are measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// One block.
    Straight,
    /// Loops, eight deep each, one nest after the other.
    Loops,
    /// All loops in one nest.
    DeepLoops,
    /// A block for ten instructions: conditional branches that join again.
    Blocks,
    /// One switch over dense numbers, ten instructions a case.
    Switch,
    /// The same over numbers far apart.
    SparseSwitch,
}

/// All of them.
pub const SHAPES: [Shape; 6] =
    [Shape::Straight, Shape::Loops, Shape::DeepLoops, Shape::Blocks, Shape::Switch, Shape::SparseSwitch];

/// The text of a file with `count` functions.
pub fn module(functions: &[Function]) -> String {
    let mut out = String::from("target triple = \"x86_64-unknown-linux-gnu\"\n");
    for (i, f) in functions.iter().enumerate() {
        f.print(i, &mut out);
    }
    out
}

/// A function of about `size` LLVM instructions. `seed` makes it differ from others of its shape, so that processors cannot
/// learn a file of many small functions by heart.
pub fn function(shape: Shape, size: usize, seed: u64) -> Function {
    let state = (0x9e37_79b9 + size as u64) ^ seed << 40;
    let mut maker = Maker { next: 1, state, blocks: Vec::new() };
    match shape {
        Shape::Straight => maker.straight(size),
        Shape::Loops => maker.loops(size, 8),
        Shape::DeepLoops => maker.loops(size, usize::MAX),
        Shape::Blocks => maker.diamonds(size),
        Shape::Switch => maker.switch(size, 1),
        Shape::SparseSwitch => maker.switch(size, 1009),
    }
    Function { blocks: maker.blocks }
}

struct Maker {
    next: Value,
    state: u64,
    blocks: Vec<Block>,
}

impl Maker {
    fn random(&mut self, below: u32) -> u32 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.state >> 33) as u32) % below
    }

    fn fresh(&mut self) -> Value {
        self.next += 1;
        self.next - 1
    }

    /// `count` operations over `known` values, mostly the last few; they become known.
    fn ops(&mut self, count: usize, known: &mut Vec<Value>) -> Vec<(Value, Op)> {
        let mut ops = Vec::with_capacity(count);
        for _ in 0..count {
            let reach = if self.random(10) == 0 { 30 } else { 6 }.min(known.len() as u32);
            let (a, b) = (self.random(reach), self.random(reach));
            let (a, b) = (known[known.len() - 1 - a as usize], known[known.len() - 1 - b as usize]);
            let op = match self.random(12) {
                0..3 => Op::Add(a, b),
                3..5 => Op::Sub(a, b),
                5 => Op::Mul(a, b),
                6 | 7 => Op::Xor(a, b),
                8 => Op::AddConst(a, self.state as i32 >> 12),
                9 => Op::ShiftRight(a, 1 + self.random(60) as u8),
                10 => Op::Load(8 * self.random(512) as u16),
                _ => Op::Store(a, 8 * self.random(512) as u16),
            };
            let value = self.fresh();
            if !matches!(op, Op::Store(..)) {
                known.push(value);
            }
            ops.push((value, op));
        }
        ops
    }

    fn straight(&mut self, size: usize) {
        let mut known = vec![0];
        // A sixth of the operations are two instructions, a load or store and its address.
        let ops = self.ops(size * 6 / 7, &mut known);
        let last = known[known.len() - 1];
        self.blocks.push(Block { params: vec![], ops, end: End::Return(last) });
    }

    /// Nests of loops, each nest `depth` deep. A level is a head with the counter and a sum, and a tail after the inner loops.
    fn loops(&mut self, size: usize, depth: usize) {
        const LEVEL: usize = 24;
        let mut levels = (size / LEVEL).max(1);
        self.blocks.push(Block { params: vec![], ops: vec![], end: End::Jump(1, vec![0, 0]) });
        while levels > 0 {
            let nest = depth.min(levels);
            levels -= nest;
            let first = self.blocks.len() as u32;
            // Heads are blocks first, first + 1, ...; the tail of head k is block first + 2 * nest - 1 - k.
            let mut counters = Vec::new();
            for k in 0..nest as u32 {
                let (counter, sum) = (self.fresh(), self.fresh());
                let mut known = vec![0, counter, sum];
                let ops = self.ops(8, &mut known);
                let last = known[known.len() - 1];
                let inner = if k + 1 < nest as u32 {
                    End::Jump(first + k + 1, vec![0, last])
                } else {
                    End::Jump(first + nest as u32, vec![last])
                };
                self.blocks.push(Block { params: vec![counter, sum], ops, end: inner });
                counters.push(counter);
            }
            // The tails, from the innermost outwards, then two blocks for each: back to its head with the next counter, and
            // out to the next tail with the sum.
            let tails = first + nest as u32;
            let ways_out = tails + nest as u32;
            let after = ways_out + 2 * nest as u32;
            let mut ways = Vec::new();
            for i in 0..nest as u32 {
                let (head, sum) = (nest as u32 - 1 - i, self.fresh());
                let counter = counters[head as usize];
                let mut known = vec![0, counter, sum];
                let mut ops = self.ops(5, &mut known);
                let total = known[known.len() - 1];
                let next = self.fresh();
                ops.push((next, Op::AddConst(counter, 1)));
                self.blocks.push(Block {
                    params: vec![sum],
                    ops,
                    end: End::Less(next, 0, ways_out + 2 * i, ways_out + 2 * i + 1),
                });
                ways.push(End::Jump(first + head, vec![next, total]));
                ways.push(End::Jump(if i + 1 < nest as u32 { tails + i + 1 } else { after }, vec![total]));
            }
            self.blocks.extend(ways.into_iter().map(|end| Block { params: vec![], ops: vec![], end }));
            // The block that goes on: its parameter is the nest's sum.
            let sum = self.fresh();
            self.blocks.push(Block { params: vec![sum], ops: vec![], end: End::Jump(after + 1, vec![0, sum]) });
        }
        let Some(last) = self.blocks.last_mut() else { return };
        let value = last.params[0];
        last.end = End::Return(value);
    }

    fn diamonds(&mut self, size: usize) {
        // Four blocks, about forty instructions.
        let mut value = 0;
        for _ in 0..(size / 40).max(1) {
            let at = self.blocks.len() as u32;
            let mut known = vec![0, value];
            let ops = self.ops(8, &mut known);
            let (a, b) = (known[known.len() - 1], known[known.len() - 2]);
            self.blocks.push(Block { params: vec![], ops, end: End::Less(a, b, at + 1, at + 2) });
            for _ in 0..2 {
                let mut known = known.clone();
                let ops = self.ops(8, &mut known);
                let last = known[known.len() - 1];
                self.blocks.push(Block { params: vec![], ops, end: End::Jump(at + 3, vec![last]) });
            }
            value = self.fresh();
            let mut known = vec![0, value];
            let ops = self.ops(6, &mut known);
            self.blocks.push(Block { params: vec![value], ops, end: End::Jump(at + 4, vec![]) });
            value = known[known.len() - 1];
        }
        self.blocks.push(Block { params: vec![], ops: vec![], end: End::Return(value) });
    }

    fn switch(&mut self, size: usize, stride: u64) {
        let cases = (size / 10).max(1) as u32;
        let join = cases + 2;
        let targets = (1..=cases + 1).collect();
        self.blocks.push(Block { params: vec![], ops: vec![], end: End::Switch(0, targets, stride) });
        for _ in 0..=cases {
            let mut known = vec![0];
            let ops = self.ops(7, &mut known);
            let last = known[known.len() - 1];
            self.blocks.push(Block { params: vec![], ops, end: End::Jump(join, vec![last]) });
        }
        let value = self.fresh();
        self.blocks.push(Block { params: vec![value], ops: vec![], end: End::Return(value) });
    }
}

impl Function {
    /// Writes the function `f{number}` as LLVM IR.
    pub fn print(&self, number: usize, out: &mut String) {
        let _ = writeln!(out, "define i64 @f{number}(ptr %m, i64 %v0) {{");
        let mut incoming: Vec<Vec<(usize, &[Value])>> = vec![Vec::new(); self.blocks.len()];
        for (i, block) in self.blocks.iter().enumerate() {
            if let End::Jump(to, arguments) = &block.end {
                incoming[*to as usize].push((i, arguments));
            }
        }
        for (i, block) in self.blocks.iter().enumerate() {
            let _ = writeln!(out, "b{i}:");
            for (p, param) in block.params.iter().enumerate() {
                let ways: Vec<String> =
                    incoming[i].iter().map(|(from, list)| format!("[ %v{}, %b{from} ]", list[p])).collect();
                let _ = writeln!(out, "  %v{param} = phi i64 {}", ways.join(", "));
            }
            for (value, op) in &block.ops {
                let _ = match op {
                    Op::Add(a, b) => writeln!(out, "  %v{value} = add i64 %v{a}, %v{b}"),
                    Op::Sub(a, b) => writeln!(out, "  %v{value} = sub i64 %v{a}, %v{b}"),
                    Op::Mul(a, b) => writeln!(out, "  %v{value} = mul i64 %v{a}, %v{b}"),
                    Op::Xor(a, b) => writeln!(out, "  %v{value} = xor i64 %v{a}, %v{b}"),
                    Op::AddConst(a, c) => writeln!(out, "  %v{value} = add i64 %v{a}, {c}"),
                    Op::ShiftRight(a, c) => writeln!(out, "  %v{value} = ashr i64 %v{a}, {c}"),
                    Op::Load(at) => writeln!(
                        out,
                        "  %a{value} = getelementptr i8, ptr %m, i64 {at}\n  %v{value} = load i64, ptr %a{value}, align 8"
                    ),
                    Op::Store(a, at) => writeln!(
                        out,
                        "  %a{value} = getelementptr i8, ptr %m, i64 {at}\n  store i64 %v{a}, ptr %a{value}, align 8"
                    ),
                };
            }
            let _ = match &block.end {
                End::Jump(to, _) => writeln!(out, "  br label %b{to}"),
                End::Less(a, b, yes, no) => {
                    writeln!(out, "  %c{i} = icmp slt i64 %v{a}, %v{b}\n  br i1 %c{i}, label %b{yes}, label %b{no}")
                }
                End::Return(a) => writeln!(out, "  ret i64 %v{a}"),
                End::Switch(a, targets, stride) => {
                    let (default, cases) = targets.split_last().expect("a switch has its default");
                    let _ = writeln!(out, "  switch i64 %v{a}, label %b{default} [");
                    for (k, to) in cases.iter().enumerate() {
                        let _ = writeln!(out, "    i64 {}, label %b{to}", k as u64 * stride);
                    }
                    writeln!(out, "  ]")
                }
            };
        }
        out.push_str("}\n");
    }
}
