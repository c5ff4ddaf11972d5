//! Lowers a module's functions, one after the other.

use std::collections::HashMap;

use gusset_abi::{Convention, Role};
use gusset_codegen::ir::{
    Block, Callee, Function, FunctionBuilder, Inst, InstData, MemFlags, Opcode, Personality, Slot, SlotKind, Type,
    Value,
};
use gusset_codegen::libcall::LibCall;
use gusset_program::{
    Arguments, FnAttrs, FunctionStart, I32, I64, Interrupt, Leaf, PTR, Profiler, Refusal, Request, Result, TypeId,
    TypeTable, VOID, Val, refuse_if,
};

use crate::constants::fit;
use crate::contents::Contents;
use crate::facts::Facts;
use crate::funclets::Funclets;
use crate::signatures::SigCache;
use crate::stack_maps::StackMaps;
use crate::swift::{errors_are_addresses, pass_addresses};
use crate::verify::Forwarded;
use crate::wide::WidePhi;

/// The block of a `llvm.call.preallocated.setup`.
pub(crate) struct Preallocated {
    /// The stack pointer from before.
    pub saved: Value,
    pub open: Inst,
    /// Number of arguments that the call will have.
    pub count: u32,
    /// Addresses of arguments: the argument's index, the addition that computes the address, its size and alignment.
    pub args: Vec<(u32, Inst, u64, u32)>,
    /// The call has been read.
    pub called: bool,
}

/// Tables of a function, used again for the next one.
#[derive(Default)]
pub(crate) struct Scratch {
    pub aggregates: Vec<Value>,
    /// The program's block that each edge leaves; parallel to the function's edges.
    pub edge_from: Vec<Block>,
    pub leaves: Vec<Leaf>,
    pub args: Vec<Value>,
    /// The current call or header.
    pub call: Box<Arguments>,
    /// Blocks of preallocated arguments, by their tokens.
    pub preallocated: Vec<Preallocated>,
    /// The signature of a call that the program itself does not contain.
    pub own_request: Request,
    pub numbers: Vec<u128>,
    /// Slots for the handles of trampolines in the pool, and the variables to which those met so far belong.
    pub handles: Vec<Slot>,
    pub hosts: Vec<Slot>,
    /// How a stack protector classifies structs, as far as that was computed.
    pub slot_kinds: HashMap<TypeId, SlotKind>,
    pub funclets: Funclets,
    pub stack_maps: StackMaps,
    /// Aggregates that are data.
    pub contents: Contents,
    /// Phis of wide integers whose copies are still to be made.
    pub wide_phis: Vec<WidePhi>,
}

impl Scratch {
    /// Forgets what was about the last function.
    pub fn begin_function(&mut self) {
        self.aggregates.clear();
        self.preallocated.clear();
        self.edge_from.clear();
        self.slot_kinds.clear();
        self.funclets.clear();
        self.stack_maps.clear();
        self.wide_phis.clear();
    }
}

/// Lowers functions, one after the other. Every thread has its own.
pub struct Lowering<'m> {
    facts: &'m Facts,
    types: TypeTable,
    scratch: Scratch,
    sigs: SigCache,
}

impl<'m> Lowering<'m> {
    /// Makes a lowering for functions of a module whose types are known.
    pub fn new(facts: &'m Facts, types: TypeTable) -> Lowering<'m> {
        Lowering { facts, types, scratch: Scratch::default(), sigs: SigCache::new(facts) }
    }

    /// Begins to lower a function, or only constants, into `func`, which is cleared first.
    pub fn function<'r>(&'r mut self, func: &'r mut Function) -> FunctionLowering<'r> {
        func.clear();
        self.scratch.begin_function();
        self.sigs.begin_function();
        let builder = FunctionBuilder::new(func, self.types.pointer());
        FunctionLowering::new(self.facts, builder, &mut self.scratch, &mut self.sigs, &mut self.types)
    }

    /// Frees the tables of the function that was lowered last.
    pub fn release(&mut self) {
        self.scratch = Scratch::default();
    }
}

/// A function that is being lowered from the program's instructions to those of the IR.
///
/// The program's blocks are blocks of the IR; the lowering adds others, and then continues in one of these.
pub struct FunctionLowering<'r> {
    pub(crate) m: &'r Facts,
    /// Builds the function. The reader of the program makes its blocks, parameters and edges through this.
    pub b: FunctionBuilder<'r>,
    /// The module's types.
    pub types: &'r mut TypeTable,
    pub(crate) s: &'r mut Scratch,
    pub(crate) sigs: &'r mut SigCache,
    /// The IR's type of a pointer.
    pub(crate) ptr: Type,
    /// The function's result type.
    pub(crate) ret: TypeId,
    /// The address for a result that does not fit the registers.
    pub(crate) sret: Option<Value>,
    /// The slot for results of calls that do not fit the registers.
    pub(crate) results: Option<Slot>,
    /// The current block of the program.
    pub(crate) block: Block,
    /// The block of the function's parameters.
    pub(crate) entry: Block,
    /// No instruction may be made now.
    pub(crate) frozen: bool,
    /// An instruction was requested nevertheless.
    pub(crate) refused: bool,
    /// Aggregates are data.
    pub(crate) contents: bool,
    /// Bytes from which on an array requires a stack guard.
    pub(crate) guarded_array: u32,
    /// The function to call where this one returns.
    pub(crate) on_exit: Option<Profiler>,
    /// A result is not defined in every block after the one that computes it.
    pub(crate) scattered: bool,
    /// The last `musttail` call, if its `ret` has not come yet.
    pub(crate) forwarded: Option<Forwarded>,
    /// Its processor has no vector registers, although other functions of the module use them.
    pub(crate) without_vectors: bool,
    /// Its processor has no floating-point registers for arguments either.
    without_floats: bool,
    /// The function contains exception instructions.
    pub(crate) unwinds: bool,
    /// The block in which exceptions free trampolines before they leave the function.
    pub(crate) cleanup: Option<Block>,
    /// The function explicitly has no personality routine.
    pub(crate) passes: bool,
    /// Who reads its tables.
    pub(crate) personality: Personality,
    /// Its variables have escaped.
    pub(crate) escaped: bool,
    /// Address of the error of a function with a `swifterror` parameter.
    pub(crate) error: Option<Value>,
    /// The error that a `musttail` call returns, which its `ret` passes on.
    pub(crate) error_passed: Option<Value>,
    /// A stand-in has met its definition.
    pub(crate) aliased: bool,
    /// The number of instructions that have locations.
    pub(crate) located: usize,
    /// The number of instructions before those that the last instruction of the program has become, if the reader says.
    pub(crate) begun: Option<usize>,
    /// The function's attributes.
    pub(crate) attrs: FnAttrs,
}

impl<'r> FunctionLowering<'r> {
    /// Begins to lower into the function of a builder.
    pub(crate) fn new(
        facts: &'r Facts,
        builder: FunctionBuilder<'r>,
        s: &'r mut Scratch,
        sigs: &'r mut SigCache,
        types: &'r mut TypeTable,
    ) -> FunctionLowering<'r> {
        let ptr = types.pointer();
        FunctionLowering {
            m: facts,
            b: builder,
            s,
            sigs,
            types,
            ptr,
            ret: VOID,
            sret: None,
            results: None,
            block: Block(0),
            entry: Block(0),
            frozen: true,
            refused: false,
            contents: false,
            guarded_array: 0,
            on_exit: None,
            scattered: false,
            forwarded: None,
            without_vectors: false,
            without_floats: false,
            unwinds: false,
            cleanup: None,
            passes: false,
            personality: Personality::Landing,
            escaped: false,
            error: None,
            error_passed: None,
            aliased: false,
            located: 0,
            begun: None,
            attrs: FnAttrs::default(),
        }
    }
}

/// Takes the parameters of an interrupt's handler out of its signature; how many there are, 0 if it is none (LLVM,
/// `X86TargetLowering::LowerFormalArguments`).
fn interrupt_parameters(request: &mut Request, word: Type) -> Result<usize> {
    if request.convention != Convention::Interrupt {
        return Ok(0);
    }
    let params = std::mem::take(&mut request.params);
    let code = if word == Type::I32 { I32 } else { I64 };
    let fits = match &params[..] {
        [(PTR, frame), rest @ ..] => {
            let rest = rest.is_empty() || rest.len() == 1 && rest[0].0 == code;
            matches!(frame.role, Role::ByVal { .. }) && rest && request.variadic.is_none()
        }
        _ => false,
    };
    refuse_if(!fits, "an interrupt's handler takes its frame by `byval` and the code of an error")?;
    refuse_if(request.ret.is_some_and(|ret| ret.0 != VOID), "an interrupt's handler returns nothing")?;
    Ok(params.len())
}

impl FunctionLowering<'_> {
    // The function.

    /// Begins a function whose parameters have been taken.
    pub(crate) fn begin_with_call(&mut self, start: &FunctionStart<'_>) -> Result<Vec<Val>> {
        let FunctionStart { symbol, attrs, values, .. } = *start;
        self.sigs.soft = self.m.is_soft(attrs);
        self.sigs.avx = attrs.has(FnAttrs::AVX) || self.m.target.features.wide_vectors;
        self.sigs.half_vectors = attrs.has(FnAttrs::HALF_VECTORS) || self.m.target.features.half_vectors;
        self.sigs.brain_vectors = attrs.has(FnAttrs::BRAIN_VECTORS) || self.m.target.features.brain_vectors;
        self.ret = self.s.call.ret();
        self.s.call.check_block_is_last()?;
        let request = &mut self.s.call.request;
        // A method that only forwards its arguments (Microsoft's thunks of virtual functions); C++ has no others.
        let thunk = request.convention == Convention::Thiscall && self.ptr == Type::I32;
        request.variadic = request.variadic.filter(|_| !thunk);
        self.frozen = false;
        request.preserves = attrs.preserves();
        let pushed = interrupt_parameters(request, self.ptr)?;
        // The processor calls a microcontroller's handlers as C functions.
        let handled = values.and_then(|v| v.interrupt).filter(|_| !self.m.target.features.microcontroller);
        if let Some(interrupt) = handled {
            let nothing = request.params.is_empty() && request.variadic.is_none() && self.ret == VOID;
            refuse_if(!nothing, "an interrupt's handler (`\"interrupt\"`) takes and returns nothing")?;
            let fast = interrupt == Interrupt::Fast;
            request.convention = if fast { Convention::ArmFastInterrupt } else { Convention::ArmInterrupt };
        }
        let by_address = request.params.iter().any(|(_, param)| param.role == Role::StructReturn);
        refuse_if(by_address && self.ret != VOID, "functions with `sret` must return void")?;
        if errors_are_addresses(&self.m.target) {
            pass_addresses(&mut self.s.call.request);
        }
        let known = self.sigs.import(&self.s.call.request, self.types, self.b.func)?;
        let data = self.b.func.sigs[known.sig.index()].clone();
        self.block = self.b.begin(symbol, data);
        self.entry = self.block;
        let mut at = 0;
        if known.demoted.is_some() {
            self.sret = Some(self.b.func.params(self.block)[0]);
            at = 1;
        }
        let mut vals = Vec::with_capacity(self.s.call.vals.len());
        for i in 0..self.s.call.request.params.len() {
            let (ty, param) = self.s.call.request.params[i];
            let n = self.scalars(ty);
            let came = if param.role == Role::SwiftError {
                let value = self.b.func.params(self.block)[at];
                self.receive_error(value).into()
            } else if self.types.ir(ty) != Type::VOID {
                self.b.func.params(self.block)[at].into()
            } else if self.types.dissolves() {
                let values = self.b.func.params(self.block)[at..].to_vec();
                let (val, count) = self.receive_lanes(ty, &values)?;
                at += count;
                vals.push(val);
                continue;
            } else {
                let start = self.s.aggregates.len();
                self.s.aggregates.extend_from_slice(&self.b.func.params(self.block)[at..at + n]);
                Val::run(start)
            };
            at += n;
            vals.push(came);
        }
        self.b.func.attrs = self.m.function_attrs(attrs, values);
        self.b.func.attrs.skips_word = handled.is_some_and(|interrupt| interrupt != Interrupt::ByInstruction);
        if pushed > 0 {
            vals = self.begin_interrupt(pushed == 2)?;
        }
        self.attrs = attrs;
        // On a machine without them values are passed so anyway.
        let bytes = self.m.target.features.vector_bytes;
        self.without_floats = attrs.has(FnAttrs::NO_FLOATS) && bytes > 0;
        let scalars = attrs.has(FnAttrs::SCALAR_FLOATS) && bytes > 8 && !self.sigs.soft;
        self.without_vectors = self.without_floats || scalars;
        self.check_registers(self.ret)?;
        self.guarded_array = values.and_then(|v| v.guarded_array).unwrap_or(8);
        self.on_exit = values.and_then(|v| v.exit_profiler);
        if self.m.is_main(self.b.func.symbol) {
            self.runtime_call(Callee::Library(LibCall::Main), VOID, &[])?;
        }
        self.profile(values.and_then(|v| v.entry_profiler))?;
        self.open_trampolines(start.trampolines);
        Ok(vals)
    }

    /// The parameters of an interrupt's handler, which are what the processor has pushed: the address of the frame of the
    /// interrupted function and, if there is one, the code of the error, which was pushed last.
    fn begin_interrupt(&mut self, has_code: bool) -> Result<Vec<Val>> {
        let attrs = &mut self.b.func.attrs;
        // The code was pushed onto an aligned stack. Interrupts of 32-bit code find any stack.
        attrs.realign_stack |= has_code || self.ptr == Type::I32;
        // Nothing says that another interrupt leaves what is below the stack.
        (attrs.skips_word, attrs.no_red_zone) = (has_code, true);
        let above = self.entry_sp();
        let last = self.add_constant(above, -i64::from(self.ptr.store_bytes()))?;
        if !has_code {
            return Ok(vec![last.into()]);
        }
        let code = self.b.load(self.ptr, last, 0, MemFlags::new(self.ptr.store_bytes(), false));
        Ok(vec![above.into(), code.into()])
    }

    /// Checks that a function without vector or floating-point registers passes nothing in them: other compilers would
    /// pass it differently from the module's other functions.
    pub(crate) fn check_registers(&mut self, ret: TypeId) -> Result<()> {
        if !self.without_vectors {
            return Ok(());
        }
        let mut leaves = Vec::new();
        let params = self.s.call.request.params.iter().map(|p| p.0);
        params.chain([ret]).for_each(|ty| self.types.flatten(ty, 0, &mut leaves));
        refuse_if(
            leaves.iter().any(|leaf| leaf.ir.is_vector()),
            "a vector as argument or result where the function's `target-features` have no registers for it is not supported: \
             it takes `+sse2` on x86 and `+neon` on Arm",
        )?;
        let of_register = |ty: Type| ty.is_float() && ty != Type::F80;
        refuse_if(
            self.without_floats && leaves.iter().any(|leaf| of_register(leaf.ir)),
            "a floating-point number as argument or result where the function's `target-features` have no registers for it is \
             not supported: it takes `+sse2` on x86, `+fp-armv8` on AArch64 and `+vfp2` on ARM",
        )
    }

    /// Whether some result is not defined in every block after the program's block that computes it.
    pub fn is_scattered(&self) -> bool {
        self.scattered
    }

    // Helpers for the other files.

    pub(crate) fn new_block(&mut self) -> Block {
        self.b.create_block()
    }

    /// Appends an instruction without result.
    #[inline(always)]
    pub(crate) fn push0(&mut self, op: Opcode, flags: u8, ty: Type, words: [u32; 3]) {
        let [a, b, c] = words;
        self.b.push(InstData { op, flags, ty, a, b, c }, &[]);
    }

    /// Checks that instructions may be made here.
    #[inline]
    pub(crate) fn check_unfrozen(&mut self) -> Result<()> {
        if self.frozen {
            self.refused = true;
            return Err(Refusal::new("this constant expression is not supported here"));
        }
        Ok(())
    }

    /// `v` as an integer of pointer width, extended or truncated.
    pub(crate) fn at_pointer_width(&mut self, v: Value, signed: bool) -> Result<Value> {
        if self.b.func.value_type(v) != self.ptr && self.b.func.int_constant(v).is_none() {
            self.check_unfrozen()?;
        }
        Ok(fit(&mut self.b, v, self.ptr, signed))
    }

    /// Number of scalars of a type.
    #[inline]
    pub fn scalars(&self, ty: TypeId) -> usize {
        self.types.get(ty).scalars as usize
    }

    /// Scalar `i` of a value.
    #[inline]
    pub fn part(&self, ty: TypeId, val: Val, i: usize) -> Value {
        if self.types.ir(ty) != Type::VOID { val.value() } else { self.s.aggregates[val.start() + i] }
    }

    /// Makes a value for every scalar of an aggregate type.
    pub fn each_leaf(&mut self, ty: TypeId, mut f: impl FnMut(&mut Self, Leaf) -> Value) -> Val {
        let mut leaves = std::mem::take(&mut self.s.leaves);
        leaves.clear();
        self.types.flatten(ty, 0, &mut leaves);
        let start = self.s.aggregates.len();
        self.s.aggregates.resize(start + leaves.len(), Value(0));
        for (i, leaf) in leaves.iter().enumerate() {
            self.s.aggregates[start + i] = f(self, *leaf);
        }
        self.s.leaves = leaves;
        Val::run(start)
    }
}
