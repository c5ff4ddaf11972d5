//! Arguments of calls and parameters of functions, as readers collect and hand them over.

use gusset_abi::{Convention, Preserves, Role};
use gusset_codegen::ir::{FloatCc, IntCc, SymbolId};

use crate::attributes::{FnAttrs, ParamAttrs, Values};
use crate::function::Argument;
use crate::module::Attribute;
use crate::refusal::{Result, refuse_if};
use crate::types::{METADATA, TypeId, VOID};
use crate::value::Val;

/// A function type with its attributes, from a header or a call site.
#[derive(Clone, Default)]
pub struct Request {
    /// The convention.
    pub convention: Convention,
    /// The result's type and attributes.
    pub ret: Option<(TypeId, ParamAttrs)>,
    /// The parameters' types and attributes.
    pub params: Vec<(TypeId, ParamAttrs)>,
    /// The number of named parameters of a variadic function.
    pub variadic: Option<usize>,
    /// The registers that the function preserves.
    pub preserves: Preserves,
}

impl Request {
    /// Begins a function type without parameters.
    pub fn clear(&mut self, convention: Convention, ret: TypeId, attrs: ParamAttrs) {
        self.convention = convention;
        self.ret = Some((ret, attrs));
        self.params.clear();
        self.variadic = None;
        self.preserves = Preserves::Usual;
    }
}

/// The arguments of a call with their types and attributes, or the parameters of a function. A reader collects them, hands them
/// over with the call, and reuses the lists for the next one.
#[derive(Default)]
pub struct Arguments {
    /// The function type that they make.
    pub request: Request,
    /// The values. For parameters they have no meaning.
    pub vals: Vec<Val>,
    /// What only translations need.
    pub metadata: CallMetadata,
    /// The `swifterror` argument.
    pub error: Option<usize>,
    /// The `inalloca` argument.
    block: Option<usize>,
    /// The call passes on the unnamed arguments of its function. Those on the stack are in their places already; the call
    /// passes those in registers.
    pub forwards: bool,
    /// The content of metadata operands.
    pub state: FloatState,
    /// The name of the register that the call reads or writes.
    pub register: Vec<u8>,
    /// Of a statepoint: how many operands the bundles `deopt` and `gc-live` have, which follow the arguments in this order.
    pub bundled: [usize; 2],
}

/// What translations keep of a call besides its values. Making the call takes it.
#[derive(Default)]
pub struct CallMetadata {
    /// The word for the convention, where that is known only as text.
    pub convention: Vec<u8>,
    /// Attributes of the result.
    pub ret_attrs: Vec<Attribute>,
    /// The arguments, with attributes and with those that are metadata.
    pub args: Vec<Argument>,
    /// Attributes of the call.
    pub attrs: Vec<Attribute>,
    /// Operand bundles.
    pub bundles: Vec<(Vec<u8>, Vec<Argument>)>,
}

impl Arguments {
    /// Begins the arguments of a call whose function type has this result, or the parameters of a function.
    #[inline]
    pub fn begin(&mut self, convention: Convention, ret: TypeId, attrs: ParamAttrs) {
        self.request.clear(convention, ret, attrs);
        self.vals.clear();
        self.error = None;
        self.block = None;
        self.forwards = false;
        self.state = FloatState::default();
    }

    /// Appends an argument, or a parameter.
    #[inline]
    pub fn push(&mut self, ty: TypeId, attrs: ParamAttrs, val: Val) {
        match attrs.role {
            Role::SwiftError => self.error = Some(self.vals.len()),
            Role::InAlloca { .. } => self.block = self.block.or(Some(self.vals.len())),
            _ => {}
        }
        self.request.params.push((ty, attrs));
        self.vals.push(val);
    }

    /// Removes the arguments after the first `count`.
    pub fn truncate(&mut self, count: usize) {
        self.request.params.truncate(count);
        self.vals.truncate(count);
    }

    /// Appends an argument that is metadata: the text of a string, or else an empty text.
    pub fn push_metadata(&mut self, text: &[u8]) {
        self.state.take(text);
        self.push(METADATA, ParamAttrs::default(), Val::default());
    }

    /// The function is variadic: the parameters appended so far are the named ones.
    pub fn take_more(&mut self) {
        self.request.variadic = Some(self.vals.len());
    }

    /// Nothing may follow an `inalloca` parameter or argument, the unnamed ones included.
    #[inline]
    pub fn check_block_is_last(&self) -> Result<()> {
        refuse_if(
            self.block.is_some_and(|i| i + 1 != self.vals.len()),
            "an `inalloca` argument must be the last, and this follows one",
        )
    }

    /// The type of the result.
    #[inline]
    pub fn ret(&self) -> TypeId {
        self.request.ret.map_or(VOID, |ret| ret.0)
    }
}

/// What begins a function besides its parameters.
#[derive(Clone, Copy, Default)]
pub struct FunctionStart<'a> {
    /// Its symbol.
    pub symbol: SymbolId,
    /// Its attributes.
    pub attrs: FnAttrs,
    /// Values of attributes.
    pub values: Option<&'a Values>,
    /// Number of trampolines that it makes.
    pub trampolines: usize,
}

/// The content of an intrinsic's metadata operands.
#[derive(Clone, Copy, Default)]
pub struct FloatState {
    /// The condition of a comparison.
    pub condition: Option<FloatCc>,
    /// The condition of a comparison of integers.
    pub integer_condition: Option<IntCc>,
    /// Exceptions are watched.
    pub strict: bool,
    /// An operand names a rounding mode or an exception behaviour that LLVM does not have.
    pub unknown: bool,
}

/// Rounding modes and exception behaviours (LangRef, "Constrained Floating-Point Intrinsics").
const FLOAT_STATES: [&[u8]; 9] = [
    b"round.dynamic",
    b"round.tonearest",
    b"round.tonearestaway",
    b"round.downward",
    b"round.upward",
    b"round.towardzero",
    b"fpexcept.ignore",
    b"fpexcept.maytrap",
    b"fpexcept.strict",
];

impl FloatState {
    /// Takes a string operand.
    fn take(&mut self, text: &[u8]) {
        if text.starts_with(b"round.") || text.starts_with(b"fpexcept.") {
            self.strict |= text == b"fpexcept.strict";
            self.unknown |= !FLOAT_STATES.contains(&text);
        } else if let Ok(name) = std::str::from_utf8(text) {
            self.condition = self.condition.or_else(|| FloatCc::from_name(name));
            self.integer_condition = self.integer_condition.or_else(|| IntCc::from_name(name));
        }
    }
}
