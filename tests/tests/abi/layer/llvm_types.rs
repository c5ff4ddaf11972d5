//! Value LLVM types, their text and values, for the tests of signatures that no C compiler makes.

use fastrand::Rng;
use gusset_abi::{AbiError, Attrs, DataLayout, Endian, FnAbi, LlvmScalar, LlvmType, PassMode, Role, Signature, Widen};

/// An LLVM type and its text.
pub struct Spelled {
    pub ty: LlvmType,
    pub text: String,
}

/// A parameter or result with its value.
pub struct Value {
    pub spelled: Spelled,
    pub attrs: Attrs,
    pub bytes: Vec<u8>,
    /// The bits that have meaning.
    pub mask: Vec<u8>,
}

/// What x86-64 has beside the scalars of every target. Not `bfloat`: llc converts it with a helper that libraries lack.
pub const X86_64_SCALARS: &[(LlvmScalar, &str)] =
    &[(LlvmScalar::Half, "half"), (LlvmScalar::X86Fp80, "x86_fp80"), (LlvmScalar::Fp128, "fp128")];

/// Integers that are no machine's, as lanes: they become wider ones in registers, or travel one by one.
pub const ODD_LANES: &[(LlvmScalar, &str)] = &[
    (LlvmScalar::Int(1), "i1"),
    (LlvmScalar::Int(2), "i2"),
    (LlvmScalar::Int(4), "i4"),
    (LlvmScalar::Int(7), "i7"),
    (LlvmScalar::Int(12), "i12"),
    (LlvmScalar::Int(17), "i17"),
    (LlvmScalar::Int(24), "i24"),
    (LlvmScalar::Int(33), "i33"),
    (LlvmScalar::Int(40), "i40"),
    (LlvmScalar::Int(48), "i48"),
    (LlvmScalar::Int(65), "i65"),
    (LlvmScalar::Int(96), "i96"),
    (LlvmScalar::Int(128), "i128"),
    (LlvmScalar::Int(130), "i130"),
];

/// Those that begin bytes, and masks.
pub const BYTE_LANES: &[(LlvmScalar, &str)] = &[
    (LlvmScalar::Int(1), "i1"),
    (LlvmScalar::Int(24), "i24"),
    (LlvmScalar::Int(40), "i40"),
    (LlvmScalar::Int(48), "i48"),
    (LlvmScalar::Int(96), "i96"),
    (LlvmScalar::Int(128), "i128"),
];

/// Does a type have vectors of [`ODD_LANES`] that the machine has not?
pub fn has_odd_lanes(ty: &LlvmType) -> bool {
    match ty {
        LlvmType::Vector { lane: LlvmScalar::Int(bits), .. } => !matches!(bits, 1 | 8 | 16 | 32 | 64 | 128),
        LlvmType::Array { element, .. } => has_odd_lanes(element),
        LlvmType::Struct(body) => body.fields.iter().any(|(_, field)| has_odd_lanes(field)),
        _ => false,
    }
}

/// Whether llc 19 loads and stores a vector as it is in memory: it takes one whose lanes share bytes apart as if they did not, if all
/// of it is a number of bytes and no register holds it.
fn llc_has_in_memory(lane: LlvmScalar, lanes: u32) -> bool {
    let LlvmScalar::Int(bits) = lane else { return true };
    let shares = bits != 1 && !bits.is_multiple_of(8) && (bits * lanes).is_multiple_of(8);
    let register = lanes.is_power_of_two() && lanes > 1 && lanes * bits.next_power_of_two().max(8) <= 128;
    !shares || register
}

/// Makes them.
pub struct Make {
    pub rng: Rng,
    pub layout: DataLayout,
    /// Width of a pointer.
    pub pointer_bits: u32,
    /// The order of bytes in memory.
    pub endian: Endian,
    /// Scalars that the target has beside integers, pointers, `float` and `double`.
    pub scalars: &'static [(LlvmScalar, &'static str)],
    /// Are there vectors?
    pub vectors: bool,
    /// Is one `half` as a vector converted to a `float`, so that other bytes arrive?
    pub converts_half: bool,
    /// Lanes of vectors that the target has beside those of every target.
    pub lanes: &'static [(LlvmScalar, &'static str)],
}

impl Make {
    fn scalar(&mut self) -> (LlvmScalar, String) {
        match self.rng.u32(0..14) {
            0..4 if !self.scalars.is_empty() => {
                let (scalar, text) = self.scalars[self.rng.usize(0..self.scalars.len())];
                (scalar, text.into())
            }
            0..6 => [(LlvmScalar::Float, "float".into()), (LlvmScalar::Double, "double".into())][self.rng.usize(0..2)]
                .clone(),
            6 => (LlvmScalar::Ptr, "ptr".into()),
            _ => {
                let bits: u32 =
                    [1, 7, 8, 16, 24, 32, 33, 64, 64, 65, 96, 128, 129, 168, 192, 256][self.rng.usize(0..16)];
                (LlvmScalar::Int(bits), format!("i{bits}"))
            }
        }
    }

    fn ty(&mut self, depth: u32) -> Result<Spelled, AbiError> {
        match self.rng.u32(0..if depth == 0 { 7 } else { 12 }) {
            5..7 if self.vectors => {
                let half = self.scalars.iter().any(|(s, _)| *s == LlvmScalar::Half);
                let (lane, text) = match self.rng.u32(0..7) {
                    _ if !self.lanes.is_empty() && self.rng.u32(0..4) == 0 => {
                        self.lanes[self.rng.usize(0..self.lanes.len())]
                    }
                    0 => (LlvmScalar::Int(8), "i8"),
                    1 => (LlvmScalar::Int(16), "i16"),
                    2 => (LlvmScalar::Int(32), "i32"),
                    3 => (LlvmScalar::Int(64), "i64"),
                    4 if half => (LlvmScalar::Half, "half"),
                    5 => (LlvmScalar::Double, "double"),
                    _ => (LlvmScalar::Float, "float"),
                };
                let mut lanes = self.rng.u32(1..10) * if self.rng.u32(0..3) == 0 { 2 } else { 1 };
                let converts = |lanes| self.converts_half && (lane, lanes) == (LlvmScalar::Half, 1);
                while !llc_has_in_memory(lane, lanes) || converts(lanes) {
                    lanes += 1;
                }
                Ok(Spelled { ty: LlvmType::Vector { lane, lanes }, text: format!("<{lanes} x {text}>") })
            }
            0..7 => {
                let (scalar, text) = self.scalar();
                Ok(Spelled { ty: scalar.into(), text })
            }
            7..10 => {
                let packed = self.rng.u32(0..5) == 0;
                let members: Vec<Spelled> =
                    (0..self.rng.u32(0..4)).map(|_| self.ty(depth - 1)).collect::<Result<_, _>>()?;
                let texts: Vec<&str> = members.iter().map(|m| m.text.as_str()).collect();
                let text = texts.join(", ");
                let text = if packed { format!("<{{ {text} }}>") } else { format!("{{ {text} }}") };
                let types: Vec<LlvmType> = members.iter().map(|m| m.ty.clone()).collect();
                Ok(Spelled { ty: LlvmType::structure(self.layout.llvm_struct(types, packed)?), text })
            }
            _ => {
                let element = self.ty(depth - 1)?;
                let len = self.rng.u64(0..4);
                let text = format!("[{len} x {}]", element.text);
                Ok(Spelled { ty: LlvmType::array(element.ty, len), text })
            }
        }
    }

    /// A parameter or result.
    pub fn value(&mut self, is_result: bool) -> Result<Value, AbiError> {
        let mut attrs = Attrs::default();
        let mut spelled = self.ty(2)?;
        if let LlvmType::Scalar(LlvmScalar::Int(_)) = spelled.ty {
            attrs.widen = [Widen::None, Widen::Zero, Widen::Sign][self.rng.usize(0..3)];
        }
        if !is_result && self.rng.u32(0..12) == 0 {
            // The type after a byval pointer stands for the parameter's.
            let layout = self.layout.llvm(&spelled.ty)?;
            let align = layout.align.max(1 << self.rng.u32(0..6));
            attrs = Attrs { role: Role::ByVal { size: layout.size, align }, ..Attrs::default() };
        }
        let mut mask = vec![0; self.layout.llvm(&spelled.ty)?.size as usize];
        let mut bytes: Vec<u8> = mask.iter().map(|_| self.rng.u8(..)).collect();
        self.mark(&spelled.ty, 0, &mut mask, &mut bytes);
        bytes.iter_mut().zip(&mask).for_each(|(b, m)| *b &= m);
        if matches!(attrs.role, Role::ByVal { .. }) {
            spelled.ty = LlvmType::PTR;
        }
        Ok(Value { spelled, attrs, bytes, mask })
    }

    /// Marks the bits with meaning, and keeps floating-point numbers from being NaN: a conversion on the x87 stack
    /// changes those.
    fn mark(&self, ty: &LlvmType, start: usize, mask: &mut [u8], bytes: &mut [u8]) {
        let mut leaf = |lane: LlvmScalar, lanes: u32, at: usize| {
            let bits = match lane {
                LlvmScalar::Int(bits) => bits,
                LlvmScalar::Half | LlvmScalar::BFloat => 16,
                LlvmScalar::Float => 32,
                LlvmScalar::Double => 64,
                LlvmScalar::Ptr => self.pointer_bits,
                LlvmScalar::X86Fp80 => 80,
                LlvmScalar::Fp128 => 128,
            } as usize;
            let all = bits * lanes as usize;
            let place = |b: usize| self.endian.place(b as u32 / 8, 1, all.div_ceil(8) as u32) as usize;
            (0..all).for_each(|b| mask[at + place(b)] |= 1 << (b % 8));
            for i in 0..lanes as usize {
                let end = if self.endian.is_big() { at + i * bits / 8 + 1 } else { at + (i + 1) * bits / 8 };
                match lane {
                    LlvmScalar::Half | LlvmScalar::Float | LlvmScalar::Double => bytes[end - 1] &= 0xbf,
                    LlvmScalar::X86Fp80 => {
                        bytes[end - 3] |= 0x80;
                        bytes[end - 2] |= 1;
                        bytes[end - 1] &= 0xbf;
                    }
                    _ => {}
                }
            }
        };
        match ty {
            LlvmType::Void => {}
            LlvmType::Scalar(lane) => leaf(*lane, 1, start),
            LlvmType::Vector { lane, lanes } => leaf(*lane, *lanes, start),
            LlvmType::Array { element, len } => {
                let step = self.layout.llvm(element).map_or(0, |layout| layout.size as usize);
                (0..*len as usize).for_each(|i| self.mark(element, start + i * step, mask, bytes));
            }
            LlvmType::Struct(body) => {
                body.fields.iter().for_each(|(at, field)| self.mark(field, start + *at as usize, mask, bytes));
            }
        }
    }
}

/// System V x86-64, LLVM 19: it keeps the first part of an integer of several out of r9, and takes r9 away when that part goes
/// to the stack; later versions do not.
pub fn llc_differs(mode: &PassMode) -> bool {
    let pieces = mode.pieces();
    pieces.windows(2).any(|w| w[0].scalar == w[1].scalar && w[0].reg().is_none_or(|r| r == gusset_abi::x86::R9))
}

/// What LLVM 19 gets wrong on ARM:
/// - of a `byval` copy in core registers, callers pass whole words, and write the rest over their own frames;
/// - of large calls with aligned copies, callers do not align the stack;
/// - after calls whose callee removes its arguments, callers lower the stack pointer by twice as much.
pub fn llc_differs_on_arm(signature: &Signature, abi: &FnAbi) -> bool {
    let cut = signature.params.iter().zip(&abi.args).any(|(param, arg)| match (param.attrs.role, &arg.mode) {
        (Role::ByVal { size, .. }, PassMode::Direct(_)) => !size.is_multiple_of(4),
        _ => false,
    });
    cut || abi.callee_pop_bytes > 0 || abi.stack_align > 8 && abi.stack_arg_bytes > 2000
}

/// Its attributes after the type.
pub fn attributes(value: &Value) -> String {
    let mut text = match value.attrs.widen {
        Widen::None => "",
        Widen::Zero => " zeroext",
        Widen::Sign => " signext",
    }
    .to_string();
    if value.attrs.in_reg {
        text += " inreg";
    }
    text += match value.attrs.role {
        Role::StructReturn => " sret(i32)",
        Role::Nest => " nest",
        Role::SwiftSelf => " swiftself",
        Role::SwiftAsync => " swiftasync",
        _ => "",
    };
    if let Role::ByVal { .. } = value.attrs.role {
        text += &format!(" byval({})", value.spelled.text);
    }
    text + &alignments(value)
}

/// Those of them that llc's callers take from the call alone, whatever the function says that is called.
pub fn alignments(value: &Value) -> String {
    let mut text = String::new();
    if let Some(align) = value.attrs.stack_align {
        text += &format!(" alignstack({align})");
    }
    if let Role::ByVal { align, .. } = value.attrs.role {
        text += &format!(" align {align}");
    }
    text
}

/// Is it given by the address of a copy?
pub fn is_by_value(value: &Value) -> bool {
    matches!(value.attrs.role, Role::ByVal { .. })
}
