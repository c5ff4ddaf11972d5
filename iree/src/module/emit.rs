//! Steps on top of the builder, with which functions for IREE are made, and the signatures by which the parts call each
//! other.

use gusset_abi::{CType, Signature};
use gusset_codegen::ir::{IntCc, Opcode, Type, Value};

use gusset_compiler::{Body, Error};

/// Steps that bodies here consist of.
pub(crate) trait Steps {
    /// A constant of pointer width.
    fn word(&mut self, n: i64) -> Value;
    /// A word at `address + offset`.
    fn load_word(&mut self, address: Value, offset: i32) -> Value;
    /// Whether `a` equals the constant.
    fn is(&mut self, a: Value, n: i64) -> Value;
    /// Whether `a` differs from the constant.
    fn is_not(&mut self, a: Value, n: i64) -> Value;
    /// Emits `then` to run if the condition holds; the code after it runs in either case unless `then` returns.
    fn when(&mut self, condition: Value, then: impl FnOnce(&mut Self));
    /// Returns a value if a condition holds.
    fn return_if(&mut self, condition: Value, value: impl FnOnce(&mut Self) -> Value);
    /// Returns the status unless it is 0.
    fn check(&mut self, status: Value);
    /// Returns the status 0.
    fn ok(&mut self);
    /// Emits `each` to run for each number from 0 to `n`, exclusive; `n` is a word.
    fn count(&mut self, n: Value, each: impl FnOnce(&mut Self, Value));
    /// An integer extended with zeros, or truncated, to a word.
    fn to_word(&mut self, v: Value) -> Value;
    /// An integer extended with zeros, or truncated, to another width.
    fn resized(&mut self, v: Value, ty: Type) -> Value;
    /// `a + b`.
    fn add(&mut self, a: Value, b: Value) -> Value;
    /// `a * b`.
    fn mul(&mut self, a: Value, b: Value) -> Value;
    /// Sets the `bytes` bytes at an address to zero.
    fn zero(&mut self, address: Value, bytes: i64);
}

impl Steps for Body<'_, '_> {
    fn word(&mut self, n: i64) -> Value {
        self.ptr_const(n)
    }

    fn load_word(&mut self, address: Value, offset: i32) -> Value {
        let word = self.ptr_type();
        self.load(word, address, offset)
    }

    fn is(&mut self, a: Value, n: i64) -> Value {
        let n = {
            let ty = self.func.value_type(a);
            self.iconst(ty, n.into())
        };
        self.icmp(IntCc::Eq, a, n)
    }

    fn is_not(&mut self, a: Value, n: i64) -> Value {
        let n = {
            let ty = self.func.value_type(a);
            self.iconst(ty, n.into())
        };
        self.icmp(IntCc::Ne, a, n)
    }

    fn when(&mut self, condition: Value, then: impl FnOnce(&mut Self)) {
        let (yes, behind) = (self.create_block(), self.create_block());
        self.br(condition, yes, &[], behind, &[]);
        self.switch_to(yes);
        then(self);
        if self.current_block().is_some() {
            self.jump(behind, &[]);
        }
        self.switch_to(behind);
    }

    fn return_if(&mut self, condition: Value, value: impl FnOnce(&mut Self) -> Value) {
        self.when(condition, |b| {
            let value = value(b);
            b.ret(Some(value));
        });
    }

    fn check(&mut self, status: Value) {
        let failed = self.is_not(status, 0);
        self.return_if(failed, |_| status);
    }

    fn ok(&mut self) {
        let zero = self.word(0);
        self.ret(Some(zero));
    }

    fn count(&mut self, n: Value, each: impl FnOnce(&mut Self, Value)) {
        let word = self.ptr_type();
        let (head, body, behind) = (self.create_block(), self.create_block(), self.create_block());
        let i = self.append_param(head, word);
        let zero = self.word(0);
        self.jump(head, &[zero]);
        self.switch_to(head);
        let more = self.icmp(IntCc::Ult, i, n);
        self.br(more, body, &[], behind, &[]);
        self.switch_to(body);
        each(self, i);
        if self.current_block().is_some() {
            let next = self.offset(i, 1);
            self.jump(head, &[next]);
        }
        self.switch_to(behind);
    }

    fn to_word(&mut self, v: Value) -> Value {
        let word = self.ptr_type();
        self.resized(v, word)
    }

    fn resized(&mut self, v: Value, ty: Type) -> Value {
        let (from, to) = (self.func.value_type(v).bits(), ty.bits());
        match from.cmp(&to) {
            std::cmp::Ordering::Less => self.convert(Opcode::Zext, v, ty),
            std::cmp::Ordering::Equal => v,
            std::cmp::Ordering::Greater => self.convert(Opcode::Trunc, v, ty),
        }
    }

    fn add(&mut self, a: Value, b: Value) -> Value {
        self.binary(Opcode::Iadd, a, b)
    }

    fn mul(&mut self, a: Value, b: Value) -> Value {
        self.binary(Opcode::Imul, a, b)
    }

    fn zero(&mut self, address: Value, bytes: i64) {
        let (zero, bytes) = (self.iconst(Type::I8, 0), self.word(bytes));
        self.mem_op(Opcode::Memset, address, zero, bytes, gusset_codegen::ir::MemFlags(0));
    }
}

/// The signature of a C function.
pub(crate) fn signature(ret: CType, params: &[CType]) -> Signature {
    params.iter().fold(Signature::c(ret), |signature, ty| signature.param(ty.clone()))
}

/// An error about part of a module.
pub(crate) fn error(what: &str, message: impl Into<String>) -> Error {
    Error::ir(what, message)
}
