//! Steps on top of the builder, with which functions for IREE are made, and the signatures by which the parts call each
//! other.

use std::ops::DerefMut;

use gusset_abi::{CType, Signature};
use gusset_codegen::ir::{FunctionBuilder, IntCc, MemFlags, Opcode, Type, Value};

use gusset_compiler::{Body, Func};

/// Steps that bodies here consist of.
pub(crate) trait Steps<'b>: DerefMut<Target = FunctionBuilder<'b>> {
    /// A constant of pointer width.
    fn word(&mut self, n: i64) -> Value {
        self.ptr_const(n)
    }

    /// Bytes of a word.
    fn word_bytes(&self) -> i32 {
        (self.ptr_type().bits() / 8) as i32
    }

    /// A word at `address + offset`.
    fn load_word(&mut self, address: Value, offset: i32) -> Value {
        let word = self.ptr_type();
        self.deref_mut().load(word, address, offset, MemFlags(0))
    }

    /// Whether `a` equals the constant.
    fn is(&mut self, a: Value, n: i64) -> Value {
        let ty = self.func.value_type(a);
        let n = self.iconst(ty, n.into());
        self.icmp(IntCc::Eq, a, n)
    }

    /// Whether `a` differs from the constant.
    fn is_not(&mut self, a: Value, n: i64) -> Value {
        let ty = self.func.value_type(a);
        let n = self.iconst(ty, n.into());
        self.icmp(IntCc::Ne, a, n)
    }

    /// Emits `then` to run if the condition holds; the code after it runs in either case unless `then` returns.
    fn when(&mut self, condition: Value, then: impl FnOnce(&mut Self)) {
        let (yes, after) = (self.create_block(), self.create_block());
        self.br(condition, yes, &[], after, &[]);
        self.switch_to(yes);
        then(self);
        if self.current_block().is_some() {
            self.jump(after, &[]);
        }
        self.switch_to(after);
    }

    /// Returns a value if a condition holds.
    fn return_if(&mut self, condition: Value, value: impl FnOnce(&mut Self) -> Value) {
        self.when(condition, |b| {
            let value = value(b);
            b.deref_mut().ret(&[value]);
        });
    }

    /// Returns the status unless it is 0.
    fn check(&mut self, status: Value) {
        let failed = self.is_not(status, 0);
        self.return_if(failed, |_| status);
    }

    /// Returns the status 0.
    fn ok(&mut self) {
        self.ret_code(0);
    }

    /// Returns a status without a message.
    fn ret_code(&mut self, code: u32) {
        let status = self.word(code.into());
        self.deref_mut().ret(&[status]);
    }

    /// Returns a status without a message if `n` is not below a limit.
    fn limit(&mut self, n: Value, limit: Value, code: u32) {
        let beyond = self.icmp(IntCc::Uge, n, limit);
        self.return_if(beyond, |b| b.word(code.into()));
    }

    /// Emits `each` to run for each number from 0 to `n`, exclusive; `n` is a word.
    fn count(&mut self, n: Value, each: impl FnOnce(&mut Self, Value)) {
        let word = self.ptr_type();
        let (head, body, after) = (self.create_block(), self.create_block(), self.create_block());
        let i = self.append_param(head, word);
        let zero = self.word(0);
        self.jump(head, &[zero]);
        self.switch_to(head);
        let more = self.icmp(IntCc::Ult, i, n);
        self.br(more, body, &[], after, &[]);
        self.switch_to(body);
        each(self, i);
        if self.current_block().is_some() {
            let one = self.word(1);
            let next = self.add(i, one);
            self.jump(head, &[next]);
        }
        self.switch_to(after);
    }

    /// An integer extended with zeros, or truncated, to a word.
    fn to_word(&mut self, v: Value) -> Value {
        let word = self.ptr_type();
        self.resized(v, word)
    }

    /// An integer extended with zeros, or truncated, to another width.
    fn resized(&mut self, v: Value, ty: Type) -> Value {
        match self.func.value_type(v).bits().cmp(&ty.bits()) {
            std::cmp::Ordering::Less => self.convert(Opcode::Zext, v, ty),
            std::cmp::Ordering::Equal => v,
            std::cmp::Ordering::Greater => self.convert(Opcode::Trunc, v, ty),
        }
    }

    /// `a + b`.
    fn add(&mut self, a: Value, b: Value) -> Value {
        self.binary(Opcode::Iadd, a, b)
    }

    /// `a * b`.
    fn mul(&mut self, a: Value, b: Value) -> Value {
        self.binary(Opcode::Imul, a, b)
    }

    /// Sets the `bytes` bytes at an address to zero.
    fn zero(&mut self, address: Value, bytes: i64) {
        let (zero, bytes) = (self.iconst(Type::I8, 0), self.word(bytes));
        self.mem_op(Opcode::Memset, address, zero, bytes, MemFlags(0));
    }

    /// Copies `bytes` bytes.
    fn copy_bytes(&mut self, to: Value, from: Value, bytes: Value) {
        self.mem_op(Opcode::Memcpy, to, from, bytes, MemFlags(0));
    }
}

impl<'b> Steps<'b> for Body<'b, '_> {}

/// Calls of functions that have results.
pub(crate) trait Calls {
    /// Calls a function; its result.
    fn result(&mut self, func: Func, args: &[Value]) -> Value;

    /// Calls the function at an address; its result.
    fn result_of(&mut self, address: Value, signature: Signature, args: &[Value]) -> Value;

    /// Calls a function that returns a status, and returns that unless it is 0.
    fn checked(&mut self, func: Func, args: &[Value]);
}

impl Calls for Body<'_, '_> {
    fn result(&mut self, func: Func, args: &[Value]) -> Value {
        let word = self.ptr_type();
        self.call(func, args).unwrap_or_else(|| self.poison(word))
    }

    fn result_of(&mut self, address: Value, signature: Signature, args: &[Value]) -> Value {
        let word = self.ptr_type();
        self.call_address(address, signature, args).unwrap_or_else(|| self.poison(word))
    }

    fn checked(&mut self, func: Func, args: &[Value]) {
        let status = self.result(func, args);
        self.check(status);
    }
}

/// The signature of a C function.
pub(crate) fn signature(ret: CType, params: &[CType]) -> Signature {
    params.iter().fold(Signature::c(ret), |signature, ty| signature.param(ty.clone()))
}
