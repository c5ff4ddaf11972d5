//! From an `FnAbi` to the tables that `runtime/runtime.c` walks: where which bytes have to be on either side of a call.

use gusset_abi::{Arch, Extension, FnAbi, PassMode, Piece, Place, Reg, RegClass};

/// A value of a parameter or result.
#[derive(Clone, Default)]
pub struct Value {
    /// Its bytes in memory.
    pub bytes: Vec<u8>,
    /// The bits of them that have meaning.
    pub mask: Vec<u8>,
    /// What the judge's functions copy in and out: the same, but small integers widened to eight bytes.
    pub image: Vec<u8>,
    /// The bits of it that have meaning.
    pub image_mask: Vec<u8>,
    /// Offset and bits of a lane of each scalar or vector of an LLVM type, in the order of [`Piece::scalar`].
    pub leaves: Vec<(u32, u32)>,
}

impl Value {
    /// A value that the judge's functions handle as it is in memory.
    pub fn plain(bytes: Vec<u8>, mask: Vec<u8>) -> Value {
        Value { image: bytes.clone(), image_mask: mask.clone(), bytes, mask, leaves: Vec::new() }
    }
}

/// Offsets in a state, as in `runtime/runtime.h`.
const FLOATS: u32 = 256;
const X87: u32 = 2304;
const REGISTERS: usize = 2304;
const STACK: u32 = 4096;
/// Bytes of stack arguments that a state has room for.
pub const MAX_STACK: u32 = 28672;
/// Bytes of values that a test may have, as in `runtime/runtime.h`.
pub const MAX_VALUES: usize = 65536;

/// `enum kind` of the runtime.
const BYTES: u32 = 0;
const POINTER: u32 = 1;
const RESULT_MEMORY: u32 = 2;
const RESULT_POINTER: u32 = 3;

/// What messages call the number of vector registers.
pub const VECTOR_COUNT: u32 = 1000;

/// The tables of a program in the making.
#[derive(Default)]
pub struct Script {
    data: Vec<u8>,
    tests: Vec<Vec<u32>>,
    saved: Vec<(Vec<u8>, u32)>,
    /// The judge's functions by symbol: of each call the caller and the callee.
    pub functions: Vec<String>,
}

/// A list of operations: kind, item, place, data, mask, size, alignment.
type Ops = Vec<[u32; 7]>;

impl Script {
    /// Tables without tests.
    pub fn new() -> Script {
        // The runtime's header: a mark whose last byte turns on tracing, the number of tests, where they are.
        Script { data: vec![0; 16], ..Script::default() }
    }

    /// The bytes of the tables.
    pub fn finish(mut self) -> Vec<u8> {
        self.align();
        let start = self.data.len() as u32;
        for test in &self.tests {
            test.iter().for_each(|word| self.data.extend(word.to_le_bytes()));
        }
        self.data[..8].copy_from_slice(TRACE_OFF);
        self.data[8..12].copy_from_slice(&(self.tests.len() as u32).to_le_bytes());
        self.data[12..16].copy_from_slice(&start.to_le_bytes());
        self.data
    }

    fn align(&mut self) {
        self.data.resize(self.data.len().next_multiple_of(4), 0);
    }

    fn bytes(&mut self, bytes: &[u8]) -> u32 {
        let at = self.data.len() as u32;
        self.data.extend_from_slice(bytes);
        at
    }

    fn ops(&mut self, ops: &Ops) -> [u32; 2] {
        self.align();
        let at = self.data.len() as u32;
        ops.iter().flatten().for_each(|word| self.data.extend(word.to_le_bytes()));
        [at, ops.len() as u32]
    }

    /// Adds both sides of a call, numbered `number` in messages. `ret` is empty for a function without result.
    pub fn call(&mut self, number: usize, abi: &FnAbi, args: &[Value], ret: &Value, symbols: [String; 2]) {
        let function = self.functions.len() as u32;
        self.functions.extend(symbols);
        let all = || args.iter().chain([ret]);
        let image: Vec<u8> = all().flat_map(|v| v.image.iter().copied()).collect();
        let mask: Vec<u8> = all().flat_map(|v| v.image_mask.iter().copied()).collect();
        let result_at = (image.len() - ret.image.len()) as u32;
        let (image_at, mask_at) = (self.bytes(&image), self.bytes(&mask));
        let mut arguments = Ops::new();
        for (i, (arg, value)) in abi.args.iter().zip(args).enumerate() {
            self.argument(&mut arguments, abi.arch, &arg.mode, i as u32 + 1, arg.layout.align, value);
        }
        let mut results = Ops::new();
        match &abi.ret.mode {
            PassMode::Indirect { pointer, size, align } => {
                let [data, mask] = [self.bytes(&ret.bytes), self.bytes(&ret.mask)];
                arguments.push([RESULT_MEMORY, 0, place(abi.arch, pointer.place), data, mask, *size as u32, *align]);
                if let Some(reg) = abi.sret_return_reg {
                    results.push([RESULT_POINTER, 0, place(abi.arch, Place::Reg(reg)), 0, 0, 0, 0]);
                }
            }
            mode => mode.pieces().iter().for_each(|piece| self.piece(&mut results, abi.arch, piece, 0, ret)),
        }
        if let Some(reg) = abi.returns_this {
            let this = Piece { size: args[0].bytes.len() as u32, place: Place::Reg(reg), ..Piece::default() };
            self.piece(&mut results, abi.arch, &this, 1, &args[0]);
        }
        if let (Some(param), Some(reg)) = (abi.sret_param, abi.sret_return_reg) {
            let address = &args[param as usize];
            let back = Piece { size: address.bytes.len() as u32, place: Place::Reg(reg), ..Piece::default() };
            self.piece(&mut results, abi.arch, &back, param + 1, address);
        }
        if let Some((reg, count)) = abi.vector_count {
            let [data, mask] = [self.bytes(&[count]), self.bytes(&[0xff])];
            arguments.push([BYTES, VECTOR_COUNT, place(abi.arch, Place::Reg(reg)), data, mask, 1, 1]);
        }
        let x87 = abi.ret.mode.pieces().iter().filter(|p| p.reg().is_some_and(|r| r.class == RegClass::X87)).count();
        let saved = self.saved(abi);
        let [arguments, argument_count] = self.ops(&arguments);
        let [results, result_count] = self.ops(&results);
        self.tests.push(vec![
            number as u32,
            function,
            0,
            image_at,
            mask_at,
            image.len() as u32,
            result_at,
            abi.stack_arg_bytes,
            abi.stack_align,
            abi.callee_pop_bytes,
            abi.entry_bias,
            x87 as u32,
            saved,
            arguments,
            argument_count,
            results,
            result_count,
        ]);
    }

    /// Adds a function that fills `seen` with records, which have to be `image` where `mask` says.
    pub fn layout(&mut self, number: usize, image: &[u8], mask: &[u8], symbol: String) {
        let function = self.functions.len() as u32;
        self.functions.push(symbol);
        let (image_at, mask_at) = (self.bytes(image), self.bytes(mask));
        let mut test = vec![number as u32, function, 1, image_at, mask_at, image.len() as u32];
        test.resize(17, 0);
        self.tests.push(test);
    }

    fn argument(&mut self, ops: &mut Ops, arch: Arch, mode: &PassMode, item: u32, align: u32, value: &Value) {
        if let PassMode::Parts(parts) = mode {
            for part in parts {
                match *part {
                    PassMode::Indirect { pointer, size, align } => {
                        let range = pointer.offset as usize..pointer.offset as usize + size as usize;
                        let copied = Value::plain(value.bytes[range.clone()].to_vec(), value.mask[range].to_vec());
                        let alone = PassMode::Indirect { pointer: Piece { offset: 0, ..pointer }, size, align };
                        self.argument(ops, arch, &alone, item, align, &copied);
                    }
                    _ => self.argument(ops, arch, part, item, align, value),
                }
            }
            return;
        }
        let mut whole = |kind, place, size: u64, align: u32| {
            let [data, mask] = [self.bytes(&value.bytes), self.bytes(&value.mask)];
            ops.push([kind, item, place, data, mask, size as u32, align]);
        };
        match mode {
            PassMode::Ignore | PassMode::Parts(_) => {}
            PassMode::Direct(pieces) => pieces.iter().for_each(|piece| self.piece(ops, arch, piece, item, value)),
            PassMode::Indirect { pointer, size, align } => whole(POINTER, place(arch, pointer.place), *size, *align),
            PassMode::StackCopy { offset, size, .. } => whole(BYTES, STACK + offset, *size, 1),
            PassMode::InBlock { offset, size, indirect: false } => whole(BYTES, STACK + offset, *size, 1),
            PassMode::InBlock { offset, indirect: true, .. } => {
                whole(POINTER, STACK + offset, value.bytes.len() as u64, align);
            }
        }
    }

    fn piece(&mut self, ops: &mut Ops, arch: Arch, piece: &Piece, item: u32, value: &Value) {
        let [mut bytes, mut mask] = carried(piece, value);
        if piece.size < 10 && piece.reg().is_some_and(|r| r.class == RegClass::X87) {
            (bytes, mask) = (extended(&bytes), vec![0xff; 10]);
        }
        match piece.ext {
            Extension::None => {}
            Extension::Zero { from, to } => widen(&mut bytes, &mut mask, from, to, false),
            Extension::Sign { from, to } => widen(&mut bytes, &mut mask, from, to, true),
            Extension::Lanes { from, to } => {
                [bytes, mask] = [bytes, mask].map(|bytes| lanes(bytes, from.div_ceil(8).into(), to.div_ceil(8).into()));
            }
        }
        let [data, mask] = [self.bytes(&bytes), self.bytes(&mask)];
        let mut at = |p| ops.push([BYTES, item, place(arch, p), data, mask, bytes.len() as u32, 1]);
        match piece.place {
            Place::RegPlus { reg, also } => [reg, also].into_iter().for_each(|r| at(Place::Reg(r))),
            single => at(single),
        }
    }

    /// For each byte of a state's registers: 1 if a callee keeps it, 2 if it may change it, 0 if neither is said.
    fn saved(&mut self, abi: &FnAbi) -> u32 {
        let mut table = vec![0; REGISTERS];
        let mut mark = |reg: Reg, from: u32, to: u32, how: u8| {
            let at = place(abi.arch, Place::Reg(reg));
            if reg.class != RegClass::X87 {
                table[(at + from) as usize..(at + to) as usize].fill(how);
            }
        };
        let width = |reg: Reg| match (reg.class, abi.arch) {
            (RegClass::Int, Arch::X86 | Arch::Arm) => 4,
            (RegClass::Int, _) => 8,
            (_, Arch::Arm) => 4,
            (_, Arch::Aarch64) => 16,
            _ => 64,
        };
        abi.clobbers.iter().for_each(|reg| mark(reg, 0, width(reg), 2));
        for reg in abi.preserved.iter() {
            // Of a wider vector register only what every processor has is kept.
            mark(reg, 0, width(reg), 2);
            mark(reg, 0, width(reg).min(16), 1);
        }
        abi.preserved_low64.iter().for_each(|reg| mark(reg, 0, 8, 1));
        if let Some((_, at)) = self.saved.iter().find(|(known, _)| *known == table) {
            return *at;
        }
        let at = self.bytes(&table);
        self.saved.push((table, at));
        at
    }
}

/// The mark at the start of the tables, and what it is changed to for a trace.
pub const TRACE_OFF: &[u8; 8] = b"GUSSET:0";
pub const TRACE_ON: &[u8; 8] = b"GUSSET:1";

fn place(arch: Arch, place: Place) -> u32 {
    match place {
        Place::Stack { offset } => STACK + offset,
        Place::Reg(reg) | Place::RegPlus { reg, .. } => match reg.class {
            RegClass::Int => 8 * reg.num as u32,
            RegClass::Float if arch == Arch::Arm => FLOATS + 4 * reg.num as u32,
            RegClass::Float => FLOATS + 64 * reg.num as u32,
            RegClass::X87 => X87 + 16 * reg.num as u32,
        },
    }
}

/// The bytes of a value that a piece carries, and which of their bits have meaning.
fn carried(piece: &Piece, value: &Value) -> [Vec<u8>; 2] {
    let all = [&value.bytes, &value.mask];
    let (offset, size) = (piece.offset as usize, piece.size as usize);
    match value.leaves.get(piece.scalar as usize) {
        // Lanes that share bytes in memory count as if each began a byte of its own.
        Some(&(start, bits)) if bits % 8 != 0 => {
            let bytes = bits.div_ceil(8) as usize;
            let bit = |memory: &[u8], at: usize| memory[at / 8] >> (at % 8) & 1;
            let byte = |memory: &[u8], at: usize| {
                let (lane, first) = (at / bytes, at % bytes * 8);
                let bits = bits as usize;
                let first_bit = 8 * start as usize + lane * bits;
                (first..bits.min(first + 8)).map(|i| bit(memory, first_bit + i) << (i - first)).sum()
            };
            let first = offset - start as usize;
            all.map(|memory| (first..first + size).map(|at| byte(memory, at)).collect())
        }
        _ => all.map(|memory| memory[offset..offset + size].to_vec()),
    }
}

/// Lanes of `from` bytes, each in `to` bytes; those above are 0, which as a mask says that they have no meaning. A part of a lane stays
/// as it is.
fn lanes(bytes: Vec<u8>, from: usize, to: usize) -> Vec<u8> {
    if bytes.len() < from {
        return bytes;
    }
    let wide = |lane: &[u8]| lane.iter().copied().chain(std::iter::repeat_n(0, to - from)).collect::<Vec<_>>();
    bytes.chunks(from).flat_map(wide).collect()
}

/// Extends the low `from` bits to `to` bits, all of which then have meaning.
fn widen(bytes: &mut Vec<u8>, mask: &mut Vec<u8>, from: u16, to: u16, signed: bool) {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    let top = 64 - from as u32;
    let raw = u64::from_le_bytes(word) << top;
    let wide = if signed { (raw as i64 >> top) as u64 } else { raw >> top };
    *bytes = wide.to_le_bytes()[..to as usize / 8].to_vec();
    *mask = vec![0xff; to as usize / 8];
}

/// A `float` or `double` as the x87 registers hold it.
fn extended(bytes: &[u8]) -> Vec<u8> {
    let (bits, exponent_bits, fraction_bits) = match bytes.len() {
        4 => (u32::from_le_bytes(bytes.try_into().expect("four bytes")) as u64, 8, 23),
        _ => (u64::from_le_bytes(bytes.try_into().expect("a double has eight bytes")), 11, 52),
    };
    let sign = bits >> (exponent_bits + fraction_bits);
    let exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
    let fraction = (bits & ((1 << fraction_bits) - 1)) << (63 - fraction_bits);
    let bias = (1 << (exponent_bits - 1)) - 1;
    let (exponent, significand) = match (exponent, fraction) {
        (0, 0) => (0, 0),
        (0, _) => {
            let shift = fraction.leading_zeros();
            (16383 - bias + 1 - shift as u64, fraction << shift)
        }
        _ => (exponent + 16383 - bias, fraction | 1 << 63),
    };
    let top = (sign << 15 | exponent) as u16;
    significand.to_le_bytes().into_iter().chain(top.to_le_bytes()).collect()
}
