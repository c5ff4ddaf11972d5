//! Operations on floats, one or in lanes.

use gusset_codegen::ir::{FloatCc, Opcode, Type, Value};

use super::body::Body;
use super::value::is_hard;

const CONDITIONS: [FloatCc; 16] = [
    FloatCc::Oeq,
    FloatCc::Olt,
    FloatCc::Ogt,
    FloatCc::Oge,
    FloatCc::Ole,
    FloatCc::One,
    FloatCc::Ord,
    FloatCc::Uno,
    FloatCc::Ueq,
    FloatCc::Ugt,
    FloatCc::Uge,
    FloatCc::Ult,
    FloatCc::Ule,
    FloatCc::Une,
    FloatCc::False,
    FloatCc::True,
];

impl Body<'_, '_, '_> {
    /// An operation with operands of type `ty`.
    pub fn float(&mut self, ty: Type) {
        use Opcode::*;
        let kind = self.shared.src.below(13);
        let kind = if !is_hard(ty) && matches!(kind, 5 | 7 | 11) { 6 } else { kind };
        let a = self.value(ty);
        let v = match kind {
            0..=3 => {
                let op = self.shared.src.pick(&[Fadd, Fsub, Fmul, Fdiv]);
                let b = self.value(ty);
                self.b.binary(op, a, b)
            }
            4 => {
                // The sign of a NaN is open.
                let b = self.value(ty);
                let b = self.canonical(b);
                self.b.binary(Fcopysign, a, b)
            }
            5 => {
                let op = self.shared.src.pick(&[Fminnum, Fmaxnum, Fminimum, Fmaximum]);
                let b = self.value(ty);
                let (a, b) = (self.quiet(a), self.quiet(b));
                let v = self.b.binary(op, a, b);
                if matches!(op, Fminnum | Fmaxnum) { self.one_zero(v) } else { v }
            }
            6 => {
                let op = self.shared.src.pick(&[Fneg, Fabs]);
                self.b.unary(op, a)
            }
            7 => {
                let op = self.shared.src.pick(&[Fsqrt, Ffloor, Fceil, Ftrunc, Frint, Fnearbyint, Fround, Froundeven]);
                // MinGW's library has no such function.
                let op = if op == Froundeven && self.shared.platform.abi.is_windows() { Frint } else { op };
                self.b.unary(op, a)
            }
            8 => {
                let v = self.float_comparison(ty, a);
                self.keep(v);
                return;
            }
            9 => self.selection(ty, a),
            10 => return self.float_conversion(ty, a),
            11 => match self.shared.src.below(4) {
                // The C library of MinGW rounds twice.
                0 if !self.shared.platform.abi.is_windows() => {
                    let (b, c) = (self.value(ty), self.value(ty));
                    self.b.ternary(Fma, a, b, c)
                }
                1 => {
                    let b = self.value(ty);
                    self.b.binary(Frem, a, b)
                }
                2 => self.b.unary(Freeze, a),
                _ => self.b.unary(Opaque, a),
            },
            _ => return self.reinterpret(a),
        };
        self.keep(v);
    }

    /// No signalling NaN: of such and a number, minima and maxima are open.
    pub fn quiet(&mut self, v: Value) -> Value {
        self.canonical(v)
    }

    /// The sum with zero. It is +0 for either zero: which of them a minimum is, is open.
    pub fn one_zero(&mut self, v: Value) -> Value {
        let ty = self.b.func.value_type(v);
        let zero = self.splat_float(ty, 0.0);
        self.b.binary(Opcode::Fadd, v, zero)
    }

    /// A comparison of `a` with something.
    pub fn float_comparison(&mut self, ty: Type, a: Value) -> Value {
        let cc = self.shared.src.pick(&CONDITIONS);
        let b = if self.shared.src.chance(3) { self.constant(ty) } else { self.value(ty) };
        self.b.fcmp(cc, a, b)
    }

    fn float_conversion(&mut self, ty: Type, a: Value) {
        use Opcode::*;
        let lane = if ty.is_vector() {
            self.shared.src.pick(&[Type::F32, Type::F64, Type::I32, Type::I64, Type::I16, Type::I8])
        } else {
            self.scalar_type()
        };
        let Some(to) = ty.with_lane(lane) else { return };
        let v = if lane == ty.lane() {
            self.b.unary(Fneg, a)
        } else if ty.lane().is_float() && lane.is_float() && lane.bits() == ty.lane_bits() {
            // Two formats of one width: there is no conversion but by way of a third.
            self.b.unary(Fneg, a)
        } else if lane == Type::BF16 && !is_hard(ty) {
            // The library has no such function everywhere.
            self.b.unary(Fabs, a)
        } else if lane.is_float() {
            let op = if lane.bits() < ty.lane_bits() { Fptrunc } else { Fpext };
            // The library takes bits that are no number of the x87 format for other ones than the processor,
            // of which an addition makes usual ones.
            let by_library = ty == Type::F80 && matches!(lane, Type::F16 | Type::F128);
            let a = if by_library { self.one_zero(a) } else { a };
            self.b.convert(op, a, to)
        } else {
            match self.shared.src.below(4) {
                0 => self.b.convert(FptosiSat, a, to),
                1 => self.b.convert(FptouiSat, a, to),
                n => {
                    // Out of range is poison: such numbers become 1.
                    let signed = n == 2;
                    let size = lane.bits() as i32 - signed as i32;
                    // The limit is exact in both formats, if it is not infinite.
                    let most = match ty.lane() {
                        Type::F16 => 15,
                        Type::F32 | Type::BF16 => 127,
                        _ => 1023,
                    };
                    let limit = 2f64.powi(size.min(most));
                    let limit = self.splat_float(ty, limit);
                    let one = self.splat_float(ty, if size == 0 { 0.0 } else { 1.0 });
                    let magnitude = self.b.unary(Fabs, a);
                    let fits = self.b.fcmp(FloatCc::Olt, magnitude, limit);
                    let checked = if signed { a } else { magnitude };
                    let x = self.b.select(fits, checked, one);
                    self.b.convert(if signed { Fptosi } else { Fptoui }, x, to)
                }
            }
        };
        self.keep(v);
    }
}
