//! The bodies of functions that are made for IREE, and the signatures by which they call each other.

use std::cell::RefCell;
use std::cmp::Ordering;

use gusset_abi::{CType, Signature};
use gusset_codegen::ir::{Block, IntCc, MemFlags, Opcode, Type, Value};
use gusset_compiler::{Body, Error, Func, Item, ObjectBuilder};

/// The body of a function that is being made. Steps take it by a shared reference, so that a step can be the operand of
/// another one.
pub(crate) struct Code<'c, 'b, 't>(RefCell<&'c mut Body<'b, 't>>);

/// Defines a function of an object. `build` gets the function's parameters. If it leaves the last block open, the
/// function returns there: zero, which is also the status of success, or nothing.
pub(crate) fn build_function<'t, const N: usize>(
    object: &mut ObjectBuilder<'t>,
    func: Func,
    build: impl FnOnce(&Code<'_, '_, 't>, [Value; N]),
) -> Result<Func, Error> {
    object.define(func, |body| {
        let params = std::array::from_fn(|i| body.param(i));
        build(&Code(RefCell::new(&mut *body)), params);
        if body.current_block().is_some() {
            let nothing = body.zero_result();
            body.ret(nothing);
        }
    })?;
    Ok(func)
}

impl<'b, 't> Code<'_, 'b, 't> {
    /// Does something with the body that no method here does. In the meantime, other methods must not be called.
    pub fn with<R>(&self, step: impl FnOnce(&mut Body<'b, 't>) -> R) -> R {
        step(&mut self.0.borrow_mut())
    }

    /// Parameter `i` of the function.
    pub fn param(&self, i: usize) -> Value {
        self.with(|b| b.param(i))
    }

    /// The address of a new local variable.
    pub fn local(&self, ty: &CType) -> Value {
        self.with(|b| b.local(ty))
    }

    /// The address of a function or of data.
    pub fn address(&self, of: impl Into<Item>) -> Value {
        self.with(|b| b.address(of))
    }

    /// The address of a text for C.
    pub fn text(&self, text: &str) -> Value {
        self.with(|b| b.text(&[text.as_bytes(), &[0]].concat()))
    }

    /// The type of a word, which is as wide as a pointer.
    pub fn word_type(&self) -> Type {
        self.with(|b| b.ptr_type())
    }

    /// Bytes of a word.
    pub fn word_bytes(&self) -> i32 {
        (self.word_type().bits() / 8) as i32
    }

    /// An integer constant.
    pub fn iconst(&self, ty: Type, n: i128) -> Value {
        self.with(|b| b.iconst(ty, n))
    }

    /// A constant of pointer width.
    pub fn word(&self, n: i64) -> Value {
        self.with(|b| b.ptr_const(n))
    }

    /// The value at `address + offset`.
    pub fn load(&self, ty: Type, address: Value, offset: i32) -> Value {
        self.with(|b| b.load(ty, address, offset))
    }

    /// The value at `address + offset`, where nothing is aligned.
    pub fn load_packed(&self, ty: Type, address: Value, offset: i32) -> Value {
        self.with(|b| b.load_aligned(ty, address, offset, 1))
    }

    /// Stores a value at `address + offset`, where nothing is aligned.
    pub fn store_packed(&self, v: Value, address: Value, offset: i32) {
        self.with(|b| b.store_aligned(v, address, offset, 1));
    }

    /// A word at `address + offset`.
    pub fn load_word(&self, address: Value, offset: i32) -> Value {
        self.load(self.word_type(), address, offset)
    }

    /// Stores a value at `address + offset`.
    pub fn store(&self, v: Value, address: Value, offset: i32) {
        self.with(|b| b.store(v, address, offset));
    }

    /// Copies an object of a C type.
    pub fn copy(&self, to: Value, from: Value, ty: &CType) {
        self.with(|b| b.copy(to, from, ty));
    }

    /// Copies `bytes` bytes.
    pub fn copy_bytes(&self, to: Value, from: Value, bytes: Value) {
        self.with(|b| b.mem_op(Opcode::Memcpy, to, from, bytes, MemFlags(0)));
    }

    /// Sets the `bytes` bytes at an address to zero.
    pub fn zero(&self, address: Value, bytes: Value) {
        let zero = self.iconst(Type::I8, 0);
        self.with(|b| b.mem_op(Opcode::Memset, address, zero, bytes, MemFlags(0)));
    }

    /// An address plus some bytes.
    pub fn offset(&self, address: Value, bytes: i32) -> Value {
        self.with(|b| b.offset(address, bytes))
    }

    /// The address of an element of an array, whose elements have `bytes` bytes.
    pub fn index(&self, array: Value, index: Value, bytes: i32) -> Value {
        self.with(|b| b.index(array, index, bytes))
    }

    /// The result of an operation with two operands.
    pub fn binary(&self, op: Opcode, x: Value, y: Value) -> Value {
        self.with(|b| b.binary(op, x, y))
    }

    /// `x + y`.
    pub fn add(&self, x: Value, y: Value) -> Value {
        self.binary(Opcode::Iadd, x, y)
    }

    /// `x * y`.
    pub fn mul(&self, x: Value, y: Value) -> Value {
        self.binary(Opcode::Imul, x, y)
    }

    /// `x & y`.
    pub fn and(&self, x: Value, y: Value) -> Value {
        self.binary(Opcode::And, x, y)
    }

    /// The result of a conversion.
    pub fn convert(&self, op: Opcode, v: Value, ty: Type) -> Value {
        self.with(|b| b.convert(op, v, ty))
    }

    /// An integer extended with zeros, or truncated, to a word.
    pub fn to_word(&self, v: Value) -> Value {
        self.resized(v, self.word_type())
    }

    /// An integer extended with zeros, or truncated, to another width.
    pub fn resized(&self, v: Value, ty: Type) -> Value {
        match self.type_of(v).bits().cmp(&ty.bits()) {
            Ordering::Less => self.convert(Opcode::Zext, v, ty),
            Ordering::Equal => v,
            Ordering::Greater => self.convert(Opcode::Trunc, v, ty),
        }
    }

    /// The type of a value.
    pub fn type_of(&self, v: Value) -> Type {
        self.with(|b| b.func.value_type(v))
    }

    /// Whether a comparison holds.
    pub fn icmp(&self, cc: IntCc, x: Value, y: Value) -> Value {
        self.with(|b| b.icmp(cc, x, y))
    }

    /// Whether `v` equals the constant.
    pub fn is(&self, v: Value, n: i64) -> Value {
        self.icmp(IntCc::Eq, v, self.iconst(self.type_of(v), n.into()))
    }

    /// Whether `v` differs from the constant.
    pub fn is_not(&self, v: Value, n: i64) -> Value {
        self.icmp(IntCc::Ne, v, self.iconst(self.type_of(v), n.into()))
    }

    /// `x` if the condition holds, else `y`.
    pub fn select(&self, condition: Value, x: Value, y: Value) -> Value {
        self.with(|b| b.select(condition, x, y))
    }

    /// A new block.
    pub fn block(&self) -> Block {
        self.with(|b| b.create_block())
    }

    /// A parameter of a block.
    pub fn block_param(&self, block: Block, ty: Type) -> Value {
        self.with(|b| b.append_param(block, ty))
    }

    /// Continues at a block.
    pub fn jump(&self, to: Block, args: &[Value]) {
        self.with(|b| b.jump(to, args));
    }

    /// Continues at `yes` if the condition holds, else at `no`.
    pub fn br(&self, condition: Value, yes: Block, no: Block) {
        self.with(|b| b.br(condition, yes, &[], no, &[]));
    }

    /// Makes a block the one to which steps are added.
    pub fn switch_to(&self, block: Block) {
        self.with(|b| b.switch_to(block));
    }

    /// Whether steps can be added to the current block.
    fn is_open(&self) -> bool {
        self.with(|b| b.current_block()).is_some()
    }

    /// Emits `then` to run if the condition holds; the code after it runs in either case unless `then` returns.
    pub fn when(&self, condition: Value, then: impl FnOnce()) {
        let (yes, after) = (self.block(), self.block());
        self.br(condition, yes, after);
        self.switch_to(yes);
        then();
        if self.is_open() {
            self.jump(after, &[]);
        }
        self.switch_to(after);
    }

    /// Emits `each` to run for each number from 0 to `n`, exclusive; `n` is a word.
    pub fn count(&self, n: Value, each: impl FnOnce(Value)) {
        let (head, body, after) = (self.block(), self.block(), self.block());
        let i = self.block_param(head, self.word_type());
        self.jump(head, &[self.word(0)]);
        self.switch_to(head);
        self.br(self.icmp(IntCc::Ult, i, n), body, after);
        self.switch_to(body);
        each(i);
        if self.is_open() {
            self.jump(head, &[self.add(i, self.word(1))]);
        }
        self.switch_to(after);
    }

    /// Calls a function; its result, if it has one.
    pub fn call(&self, func: Func, args: &[Value]) -> Option<Value> {
        self.with(|b| b.call(func, args))
    }

    /// Calls a function that has a result.
    pub fn result(&self, func: Func, args: &[Value]) -> Value {
        self.call(func, args).unwrap_or_else(|| self.poison(self.word_type()))
    }

    /// Calls the function at an address, which has a result.
    pub fn result_of(&self, address: Value, signature: Signature, args: &[Value]) -> Value {
        self.with(|b| b.call_address(address, signature, args)).unwrap_or_else(|| self.poison(self.word_type()))
    }

    /// A value without meaning.
    pub fn poison(&self, ty: Type) -> Value {
        self.with(|b| b.poison(ty))
    }

    /// Calls a function that returns a status, and returns that unless it is 0.
    pub fn checked(&self, func: Func, args: &[Value]) {
        self.check(self.result(func, args));
    }

    /// Returns the status unless it is 0.
    pub fn check(&self, status: Value) {
        self.return_if(self.is_not(status, 0), || status);
    }

    /// Returns a value.
    pub fn ret(&self, value: Value) {
        self.ret_option(Some(value));
    }

    /// Returns a value, or nothing.
    pub fn ret_option(&self, value: Option<Value>) {
        self.with(|b| b.ret(value));
    }

    /// Returns a value if a condition holds.
    pub fn return_if(&self, condition: Value, value: impl FnOnce() -> Value) {
        self.when(condition, || self.ret(value()));
    }

    /// Returns a status without a message, or 0 for success.
    pub fn ret_code(&self, code: u32) {
        self.ret(self.word(code.into()));
    }

    /// Returns a status without a message if `n` is not below a limit.
    pub fn limit(&self, n: Value, limit: Value, code: u32) {
        self.when(self.icmp(IntCc::Uge, n, limit), || self.ret_code(code));
    }
}

/// The signature of a C function.
pub(crate) fn signature(ret: CType, params: &[CType]) -> Signature {
    params.iter().fold(Signature::c(ret), |signature, ty| signature.param(ty.clone()))
}
