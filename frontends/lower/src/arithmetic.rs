//! Intrinsics of arithmetic that become several instructions.

use gusset_abi::Arch;
use gusset_codegen::ir::{FunctionBuilder, IntCc, Opcode, Type, Value};
use gusset_program::{Refusal, Result, mismatch_if, refuse_if};

use crate::constants::zero_of;
use crate::expand::int_splat;
use crate::function::FunctionLowering;

impl FunctionLowering<'_> {
    /// `llvm.smul.fix` and similar intrinsics (LangRef, "Fixed Point Arithmetic Intrinsics"): computed with twice the
    /// bits, so that nothing overflows. Quotients are rounded down, as in LLVM.
    pub(crate) fn fixed_point(&mut self, divide: bool, signed: bool, saturate: bool) -> Result<Value> {
        let (_, v) = self.alike(Opcode::Iadd, 2)?;
        let scale = self.constant_operand(2)?;
        let ty = self.b.func.value_type(v[0]);
        let bits = ty.lane_bits();
        let double = (2 * bits).next_power_of_two().max(8);
        let wide = Type::int(double).and_then(|lane| ty.with_lane(lane)).filter(|_| double <= 128);
        let Some(wide) = wide else {
            let m = format!("fixed-point arithmetic on integers of {bits} bits is not supported");
            return Err(Refusal::new(m));
        };
        mismatch_if(scale > u128::from(bits))?;
        let extend = if signed { Opcode::Sext } else { Opcode::Zext };
        let (a, b) = (self.b.convert(extend, v[0], wide), self.b.convert(extend, v[1], wide));
        let scale = int_splat(&mut self.b, wide, scale as i128);
        let mut result = if divide {
            let a = self.b.binary(Opcode::Shl, a, scale);
            quotient(&mut self.b, a, b, signed, wide)
        } else {
            let product = self.b.binary(Opcode::Imul, a, b);
            self.b.binary(if signed { Opcode::Ashr } else { Opcode::Lshr }, product, scale)
        };
        if saturate {
            let most = int_splat(&mut self.b, wide, if signed { (1 << (bits - 1)) - 1 } else { (1 << bits) - 1 });
            result = self.b.binary(if signed { Opcode::Smin } else { Opcode::Umin }, result, most);
            if signed {
                let least = int_splat(&mut self.b, wide, -1 << (bits - 1));
                result = self.b.binary(Opcode::Smax, result, least);
            }
        }
        Ok(self.b.convert(Opcode::Trunc, result, ty))
    }

    /// `llvm.convert.to.fp16` and `llvm.convert.from.fp16`: halves as integers.
    pub(crate) fn half_bits(&mut self, to: bool, ret: Type) -> Result<Value> {
        let (_, v) = self.operand(0)?;
        let from = self.b.func.value_type(v);
        let (float, bits) = if to { (from, ret) } else { (ret, from) };
        mismatch_if(!float.is_float() || float.bits() <= 16 || bits != Type::I16)?;
        if to {
            let half = self.b.convert(Opcode::Fptrunc, v, Type::F16);
            return Ok(self.b.convert(Opcode::Bitcast, half, Type::I16));
        }
        let half = self.b.convert(Opcode::Bitcast, v, Type::F16);
        Ok(self.b.convert(Opcode::Fpext, half, ret))
    }

    /// `llvm.sponentry`.
    pub(crate) fn entry_sp(&mut self) -> Value {
        self.b.push1(Opcode::EntrySp, 0, self.ptr, [0; 3], self.ptr)
    }

    /// `llvm.addressofreturnaddress` and `llvm.eh.dwarf.cfa`: an address above the saved frame pointer.
    pub(crate) fn caller_frame(&mut self, words: u8) -> Result<Value> {
        if self.m.target.os == gusset_abi::Os::Windows {
            let pushed = matches!(self.m.target.arch, Arch::X86 | Arch::X86_64);
            refuse_if(!pushed || words != 1, "the place of the return address is not known on this target")?;
            let entry = self.entry_sp();
            return self.add_constant(entry, -i64::from(self.ptr.store_bytes()));
        }
        let frame = self.b.push1(Opcode::FrameAddr, 0, self.ptr, [0; 3], self.ptr);
        let more = match self.operand(0) {
            Ok((_, v)) if words == 2 => self.b.func.int_constant_signed(v).unwrap_or(0),
            _ => 0,
        };
        let offset = i64::from(words) * i64::from(self.ptr.store_bytes()) + more;
        self.add_constant(frame, offset)
    }
}

/// The quotient rounded down.
fn quotient(b: &mut FunctionBuilder<'_>, x: Value, y: Value, signed: bool, ty: Type) -> Value {
    if !signed {
        return b.binary(Opcode::Udiv, x, y);
    }
    let quotient = b.binary(Opcode::Sdiv, x, y);
    let rest = b.binary(Opcode::Srem, x, y);
    let zero = zero_of(b, ty);
    let signs = b.binary(Opcode::Xor, x, y);
    let (inexact, negative) = (b.icmp(IntCc::Ne, rest, zero), b.icmp(IntCc::Slt, signs, zero));
    let above = b.binary(Opcode::And, inexact, negative);
    let above = b.convert(Opcode::Zext, above, ty);
    b.binary(Opcode::Isub, quotient, above)
}
