//! Calls as readers hand them over, with their [arguments](crate::Arguments).

use gusset_codegen::ir::{Callee, SymbolId, TailKind};

use crate::attributes::FnAttrs;
use crate::function::CallEnd;
use crate::intrinsic::Intrinsic;
use crate::op::Borrowed;
use crate::value::Val;

/// What a call is besides its arguments.
pub struct CallSite<'a> {
    /// What is called.
    pub target: CallTarget<'a>,
    /// Attributes of the call and of the called function.
    pub attrs: FnAttrs,
    /// Whether it is a tail call.
    pub tail: TailKind,
    /// Number of named parameters, if the function type is variadic.
    pub variadic: Option<usize>,
    /// The token of `llvm.call.preallocated.setup` whose block it takes.
    pub token: Option<Val>,
    /// The pad of the funclet that contains it, if its bundle gives one.
    pub within: Option<Val>,
    /// The operand of its bundle `kcfi`: the number of the type that the function at an address must have.
    pub type_id: Option<Val>,
    /// The name of the function that it calls instead, if it is a trap with [`FnAttrs::NAMES_TRAP`].
    pub trap: Option<&'a [u8]>,
    /// The signature, if it is known to be that of an earlier call.
    pub known: Option<EntryId>,
    /// Its targets, if it is a terminator.
    pub end: CallEnd<Borrowed<'a>>,
}

/// What a [`CallSite`] calls.
#[derive(Clone, Copy)]
pub enum CallTarget<'a> {
    /// A function by its symbol or address. Where metadata is [preserved](crate::MetadataSink::PRESERVES_METADATA), also an
    /// intrinsic that the module has a symbol for.
    Function(Callee),
    /// An intrinsic, and the C library's function that implements it.
    Intrinsic(Intrinsic, Option<SymbolId>),
    /// An intrinsic that the module has no symbol for, by its full name. Only translations accept it.
    NamedIntrinsic(&'a [u8]),
    /// Inline assembly.
    Assembly {
        /// The template.
        template: &'a [u8],
        /// The constraints.
        constraints: &'a str,
        /// The words after `asm`.
        words: &'a [&'static str],
    },
}

impl<'a> CallSite<'a> {
    /// A plain call of a target.
    pub fn of(target: CallTarget<'a>) -> CallSite<'a> {
        let (attrs, tail, end) = (FnAttrs::default(), TailKind::None, CallEnd::None);
        CallSite {
            target,
            attrs,
            tail,
            variadic: None,
            token: None,
            within: None,
            type_id: None,
            trap: None,
            known: None,
            end,
        }
    }

    /// Whether it is an `invoke`.
    pub fn is_invoke(&self) -> bool {
        matches!(self.end, CallEnd::Invoke(..))
    }
}

/// The result of making a call.
#[derive(Clone, Copy)]
pub struct Called {
    /// The call's value; 0 if it has none.
    pub val: Val,
    /// The signature, if calls of the same spelling have the same signature in every function.
    pub entry: Option<EntryId>,
}

/// A signature that the sink has classified.
#[derive(Clone, Copy)]
pub struct EntryId(pub usize);
