//! A method for each operation, with its name. What an operation does is said at its [`Opcode`].

use super::FunctionBuilder;
use crate::ir::entities::Value;
use crate::ir::function::ConstData;
use crate::ir::inst::Opcode;
use crate::ir::types::Type;

/// Methods for operations of one form.
macro_rules! operations {
    (unary: $($name:ident $op:ident)*) => {
        $(#[doc = concat!("[`Opcode::", stringify!($op), "`] of a value.")]
        pub fn $name(&mut self, a: Value) -> Value {
            self.unary(Opcode::$op, a)
        })*
    };
    (binary: $($name:ident $op:ident)*) => {
        $(#[doc = concat!("[`Opcode::", stringify!($op), "`] of two values of one type.")]
        pub fn $name(&mut self, a: Value, b: Value) -> Value {
            self.binary(Opcode::$op, a, b)
        })*
    };
    (ternary: $($name:ident $op:ident)*) => {
        $(#[doc = concat!("[`Opcode::", stringify!($op), "`] of three values of one type.")]
        pub fn $name(&mut self, a: Value, b: Value, c: Value) -> Value {
            self.ternary(Opcode::$op, a, b, c)
        })*
    };
    (overflow: $($name:ident $op:ident)*) => {
        $(#[doc = concat!("[`Opcode::", stringify!($op), "`] of two values of one type: the result, and the flag as an `i1`.")]
        pub fn $name(&mut self, a: Value, b: Value) -> (Value, Value) {
            self.overflow(Opcode::$op, a, b)
        })*
    };
    (conversion: $($name:ident $op:ident)*) => {
        $(#[doc = concat!("[`Opcode::", stringify!($op), "`] of a value, to the type `to`.")]
        pub fn $name(&mut self, a: Value, to: Type) -> Value {
            self.convert(Opcode::$op, a, to)
        })*
    };
}

impl FunctionBuilder<'_> {
    operations! { binary:
        iadd Iadd isub Isub imul Imul udiv Udiv sdiv Sdiv urem Urem srem Srem
        and And or Or xor Xor shl Shl lshr Lshr ashr Ashr
        umin Umin umax Umax smin Smin smax Smax
        uadd_sat UaddSat usub_sat UsubSat sadd_sat SaddSat ssub_sat SsubSat ushl_sat UshlSat sshl_sat SshlSat
        fadd Fadd fsub Fsub fmul Fmul fdiv Fdiv frem Frem fcopysign Fcopysign
        fminnum Fminnum fmaxnum Fmaxnum fminimum Fminimum fmaximum Fmaximum
    }
    operations! { unary:
        ctlz Ctlz cttz Cttz ctpop Ctpop bswap Bswap bitreverse Bitreverse iabs Iabs freeze Freeze
        fneg Fneg fabs Fabs fsqrt Fsqrt ffloor Ffloor fceil Fceil ftrunc Ftrunc frint Frint fnearbyint Fnearbyint
        fround Fround froundeven Froundeven
    }
    operations! { ternary: fshl Fshl fshr Fshr fma Fma }
    operations! { overflow:
        uadd_ov UaddOv sadd_ov SaddOv usub_ov UsubOv ssub_ov SsubOv umul_ov UmulOv smul_ov SmulOv
    }
    operations! { conversion:
        trunc Trunc zext Zext sext Sext fptrunc Fptrunc fpext Fpext fptosi Fptosi fptoui Fptoui
        fptosi_sat FptosiSat fptoui_sat FptouiSat sitofp Sitofp uitofp Uitofp bitcast Bitcast splat Splat
    }

    /// The value with its sign changed, wrapping.
    pub fn ineg(&mut self, a: Value) -> Value {
        let ty = self.type_of(a);
        let zero = self.zero(ty);
        self.isub(zero, a)
    }

    /// The value with all bits inverted.
    pub fn not(&mut self, a: Value) -> Value {
        let ty = self.type_of(a);
        let ones = self.int_of(ty, -1);
        self.xor(a, ones)
    }

    /// An integer of any width, sign-extended or cut to another.
    pub fn sext_or_trunc(&mut self, a: Value, to: Type) -> Value {
        self.resize(Opcode::Sext, a, to)
    }

    /// An integer of any width, zero-extended or cut to another.
    pub fn zext_or_trunc(&mut self, a: Value, to: Type) -> Value {
        self.resize(Opcode::Zext, a, to)
    }

    fn resize(&mut self, widen: Opcode, a: Value, to: Type) -> Value {
        let from = self.type_of(a);
        match from.lane_bits().cmp(&to.lane_bits()) {
            std::cmp::Ordering::Less => self.convert(widen, a, to),
            std::cmp::Ordering::Equal => a,
            std::cmp::Ordering::Greater => self.trunc(a, to),
        }
    }

    /// Zero, or a vector of zeros.
    pub fn zero(&mut self, ty: Type) -> Value {
        if ty.lane().is_float() {
            let lane = self.func.make_const(ty.lane(), ConstData::Float(0));
            return self.all_lanes(ty, lane);
        }
        self.int_of(ty, 0)
    }

    /// An integer constant, or a vector of it.
    fn int_of(&mut self, ty: Type, n: i128) -> Value {
        let lane = self.iconst(ty.lane(), n);
        self.all_lanes(ty, lane)
    }

    fn all_lanes(&mut self, ty: Type, lane: Value) -> Value {
        if ty.is_vector() { self.func.make_vector(ty, &vec![lane; ty.lanes() as usize]) } else { lane }
    }

    /// A vector constant of the type `ty`, from a constant for each lane.
    pub fn vector_const(&mut self, ty: Type, lanes: &[Value]) -> Value {
        let is_lane = |v: &Value| self.func.known_type(*v) == Some(ty.lane()) && self.func.constant(*v).is_some();
        if !ty.is_vector() || lanes.len() != ty.lanes() as usize || !lanes.iter().all(is_lane) {
            self.mistake(format!("a constant of type {ty} has a constant of type {} for each lane", ty.lane()));
            return self.poison(ty);
        }
        self.func.make_vector(ty, lanes)
    }

    /// An `i1` constant.
    pub fn bool_const(&mut self, b: bool) -> Value {
        self.iconst(Type::I1, b.into())
    }

    /// An `i32` constant.
    pub fn i32_const(&mut self, n: i32) -> Value {
        self.iconst(Type::I32, n.into())
    }

    /// An `i64` constant.
    pub fn i64_const(&mut self, n: i64) -> Value {
        self.iconst(Type::I64, n.into())
    }

    /// An `f32` constant.
    pub fn f32_const(&mut self, x: f32) -> Value {
        self.float_const(Type::F32, x.to_bits().into())
    }

    /// An `f64` constant.
    pub fn f64_const(&mut self, x: f64) -> Value {
        self.float_const(Type::F64, x.to_bits().into())
    }

    /// A constant of any floating-point type, as its bits.
    pub fn float_const(&mut self, ty: Type, bits: u128) -> Value {
        if !ty.is_float() || ty.is_vector() {
            self.mistake(format!("a constant of type {ty} is no floating-point number"));
            return self.poison(ty);
        }
        self.func.make_const(ty, ConstData::Float(bits))
    }
}
