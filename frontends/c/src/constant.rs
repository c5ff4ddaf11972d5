//! Integer constant expressions.

use lang_c::ast::{
    BinaryOperator, Constant, Expression, Integer, IntegerBase, IntegerSize, OffsetMember, OffsetOfExpression,
    UnaryOperator,
};
use lang_c::span::Node;

use crate::fault::Checked;
use crate::reader::Reader;
use crate::types::TypeKind;
use gusset_abi::{CType, Scalar};

/// A value of an integer type of 32 or 64 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Value {
    pub value: i128,
    pub bits: u32,
    pub signed: bool,
}

impl Value {
    pub const fn int(value: i128) -> Value {
        Value { value, bits: 32, signed: true }
    }

    fn of(value: i128, bits: u32, signed: bool) -> Value {
        let width = bits.clamp(1, 64);
        let low = (value as u128) & ((1u128 << width) - 1);
        let negative = signed && low >> (width - 1) & 1 != 0;
        let value = if negative { low as i128 - (1i128 << width) } else { low as i128 };
        Value { value, bits: width, signed }
    }

    fn promoted(self) -> Value {
        if self.bits < 32 { Value { bits: 32, signed: true, ..self } } else { self }
    }

    /// C11, 6.3.1.8, for integers.
    fn common(self, other: Value) -> (u32, bool) {
        let (a, b) = (self.promoted(), other.promoted());
        let bits = a.bits.max(b.bits);
        let unsigned = [a, b].iter().any(|v| !v.signed && v.bits == bits);
        (bits, !unsigned)
    }
}

impl Reader<'_> {
    /// The value of a constant expression that must be an unsigned number of at most `most`.
    pub(crate) fn number(&mut self, node: &Node<Expression>, what: &str, most: u64) -> Checked<u64> {
        let value = self.constant(node)?.value;
        match u64::try_from(value) {
            Ok(n) if n <= most => Ok(n),
            _ => Err(self.fault(node.span, format!("{what} of {value} is not possible"))),
        }
    }

    /// The value of an integer constant expression.
    pub(crate) fn constant(&mut self, node: &Node<Expression>) -> Checked<Value> {
        let size = 8 * self.target.pointer_bytes();
        let unsigned = |value: u64| Value::of(value.into(), size, false);
        match &node.node {
            Expression::Constant(constant) => match &constant.node {
                Constant::Integer(integer) => self.integer(integer).map_err(|why| self.fault(node.span, why)),
                Constant::Character(text) => {
                    character(text).ok_or_else(|| self.fault(node.span, "this character constant is not supported"))
                }
                Constant::Float(_) => Err(self.fault(node.span, "an integer is needed here")),
            },
            Expression::Identifier(name) => {
                let found = self.constants.get(&name.node.name).copied();
                found.ok_or_else(|| self.fault(node.span, format!("`{}` is no constant", name.node.name)))
            }
            Expression::SizeOfTy(ty) => {
                let ty = self.type_name(&ty.node.0)?;
                Ok(unsigned(self.layout_of(&ty, node.span)?.size))
            }
            Expression::SizeOfVal(value) => {
                let value = self.constant(&value.node.0)?;
                Ok(unsigned(value.promoted().bits as u64 / 8))
            }
            Expression::AlignOf(ty) => {
                let ty = self.type_name(&ty.node.0)?;
                Ok(unsigned(self.align_of(&ty, node.span)? as u64))
            }
            Expression::OffsetOf(of) => Ok(unsigned(self.offset_of(&of.node, node)?)),
            Expression::Cast(cast) => {
                let value = self.constant(&cast.node.expression)?;
                let ty = self.type_name(&cast.node.type_name)?;
                let at = self.at(cast.node.type_name.span);
                match self.value_type(&ty, at)? {
                    CType::Scalar(Scalar::Int { bits, signed }) if bits <= 64 => {
                        Ok(Value::of(value.value, bits.into(), signed))
                    }
                    CType::BOOL => Ok(Value { value: (value.value != 0).into(), bits: 8, signed: false }),
                    _ => Err(self.fault(node.span, "only casts to integers are supported in constants")),
                }
            }
            Expression::UnaryOperator(unary) => {
                let value = self.constant(&unary.node.operand)?.promoted();
                let of = |v| Value::of(v, value.bits, value.signed);
                match unary.node.operator.node {
                    UnaryOperator::Plus => Ok(value),
                    UnaryOperator::Minus => Ok(of(-value.value)),
                    UnaryOperator::Complement => Ok(of(!value.value)),
                    UnaryOperator::Negate => Ok(Value::int((value.value == 0).into())),
                    _ => Err(self.fault(node.span, "this operator is not for constants")),
                }
            }
            Expression::BinaryOperator(binary) => {
                let lhs = self.constant(&binary.node.lhs)?;
                let rhs = self.constant(&binary.node.rhs)?;
                let result = apply(&binary.node.operator.node, lhs, rhs);
                result.map_err(|why| self.fault(binary.node.operator.span, why))
            }
            Expression::Conditional(conditional) => {
                let conditional = &conditional.node;
                let taken = self.constant(&conditional.condition)?.value != 0;
                let then = self.constant(&conditional.then_expression)?;
                let other = self.constant(&conditional.else_expression)?;
                let (bits, signed) = then.common(other);
                Ok(Value::of(if taken { then.value } else { other.value }, bits, signed))
            }
            _ => Err(self.fault(node.span, "this is not supported in a constant expression")),
        }
    }

    fn integer(&self, integer: &Integer) -> Result<Value, String> {
        let (radix, digits) = match integer.base {
            IntegerBase::Decimal => (10, &*integer.number),
            IntegerBase::Octal => (8, if integer.number.is_empty() { "0" } else { &*integer.number }),
            IntegerBase::Hexadecimal => (16, &*integer.number),
            IntegerBase::Binary => (2, &*integer.number),
        };
        let value = u64::from_str_radix(digits, radix).map_err(|_| "this number is too large".to_string())?;
        let least = match integer.suffix.size {
            IntegerSize::Int => 32,
            IntegerSize::Long => gusset_abi::c_types::long_bits(&self.target) as u32,
            IntegerSize::LongLong => 64,
        };
        // C11, 6.4.4.1: the first type of the list that can hold the value.
        for bits in [32, 64] {
            for signed in [true, false] {
                let allowed = if signed { !integer.suffix.unsigned } else { integer.suffix.unsigned || radix != 10 };
                let most = if signed { u64::MAX >> (65 - bits) } else { u64::MAX >> (64 - bits) };
                if bits >= least && allowed && value <= most {
                    return Ok(Value { value: value.into(), bits, signed });
                }
            }
        }
        Ok(Value { value: value.into(), bits: 64, signed: false })
    }

    fn offset_of(&mut self, of: &OffsetOfExpression, node: &Node<Expression>) -> Checked<u64> {
        let mut ty = self.type_name(&of.type_name)?;
        let mut bits = 0;
        let base = std::iter::once((Some(&of.designator.node.base), None));
        let rest = of.designator.node.members.iter().map(|member| match &member.node {
            OffsetMember::Member(name) | OffsetMember::IndirectMember(name) => (Some(name), None),
            OffsetMember::Index(index) => (None, Some(index)),
        });
        for step in base.chain(rest) {
            match step {
                (Some(name), _) => {
                    let found = self.member(&ty, &name.node.name, node.span)?;
                    let Some((offset, member)) = found else {
                        return Err(self.fault(name.span, format!("there is no member `{}`", name.node.name)));
                    };
                    bits += offset;
                    ty = member;
                }
                (None, Some(index)) => {
                    let TypeKind::Array(of, _) = ty.resolved().kind() else {
                        return Err(self.fault(index.span, "only arrays have elements"));
                    };
                    let of = of.clone();
                    let index = self.number(index, "an index", 1 << 31)?;
                    bits += 8 * index * self.layout_of(&of, node.span)?.size;
                    ty = of;
                }
                (None, None) => {}
            }
        }
        Ok(bits / 8)
    }
}

fn apply(operator: &BinaryOperator, lhs: Value, rhs: Value) -> Result<Value, String> {
    let (bits, signed) = lhs.common(rhs);
    let (a, b) = (Value::of(lhs.value, bits, signed).value, Value::of(rhs.value, bits, signed).value);
    let of = |value| Ok(Value::of(value, bits, signed));
    let truth = |value: bool| Ok(Value::int(value.into()));
    let shifted = |value: i128| {
        let lhs = lhs.promoted();
        Ok(Value::of(value, lhs.bits, lhs.signed))
    };
    let distance = || match u32::try_from(rhs.value) {
        Ok(n) if n < lhs.promoted().bits => Ok(n),
        _ => Err("this shift is too far".to_string()),
    };
    match operator {
        BinaryOperator::Plus => of(a + b),
        BinaryOperator::Minus => of(a - b),
        BinaryOperator::Multiply => of(a.wrapping_mul(b)),
        BinaryOperator::Divide | BinaryOperator::Modulo if b == 0 => Err("this divides by zero".into()),
        BinaryOperator::Divide => of(a / b),
        BinaryOperator::Modulo => of(a % b),
        BinaryOperator::ShiftLeft => shifted(lhs.value << distance()?),
        BinaryOperator::ShiftRight => shifted(lhs.value >> distance()?),
        BinaryOperator::Less => truth(a < b),
        BinaryOperator::Greater => truth(a > b),
        BinaryOperator::LessOrEqual => truth(a <= b),
        BinaryOperator::GreaterOrEqual => truth(a >= b),
        BinaryOperator::Equals => truth(a == b),
        BinaryOperator::NotEquals => truth(a != b),
        BinaryOperator::BitwiseAnd => of(a & b),
        BinaryOperator::BitwiseXor => of(a ^ b),
        BinaryOperator::BitwiseOr => of(a | b),
        BinaryOperator::LogicalAnd => truth(lhs.value != 0 && rhs.value != 0),
        BinaryOperator::LogicalOr => truth(lhs.value != 0 || rhs.value != 0),
        _ => Err("this operator is not for constants".into()),
    }
}

/// The value of a character constant of one character; `text` includes the quotes.
fn character(text: &str) -> Option<Value> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let value = match inner.strip_prefix('\\') {
        None => {
            let mut chars = inner.bytes();
            let only = chars.next().filter(|_| chars.next().is_none())?;
            only as i8 as i128
        }
        Some(escape) => match (escape, escape.strip_prefix('x')) {
            ("n", _) => 10,
            ("t", _) => 9,
            ("r", _) => 13,
            ("a", _) => 7,
            ("b", _) => 8,
            ("f", _) => 12,
            ("v", _) => 11,
            ("e", _) => 27,
            ("\\" | "'" | "\"" | "?", _) => escape.bytes().next()?.into(),
            (_, Some(hex)) => u8::from_str_radix(hex, 16).ok()? as i8 as i128,
            (octal, None) => u8::from_str_radix(octal, 8).ok()? as i8 as i128,
        },
    };
    Some(Value::int(value))
}
