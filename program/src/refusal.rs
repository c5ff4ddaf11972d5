//! Why something cannot be lowered.

use gusset_codegen::sparse::OutOfMemory;

/// Why something in a program cannot be lowered. The reader knows the place and adds it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal(Box<Reason>);

/// One word wide in results.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Reason(String);

/// A result, or the reason why something cannot be lowered.
pub type Result<T> = std::result::Result<T, Refusal>;

impl Refusal {
    /// A refusal with its reason, a phrase.
    #[cold]
    pub fn new(reason: impl Into<String>) -> Refusal {
        Refusal(Box::new(Reason(reason.into())))
    }

    /// The reason, a phrase without a full stop.
    #[cold]
    pub fn reason(self) -> String {
        self.0.0
    }
}

impl From<Refusal> for String {
    #[cold]
    fn from(refusal: Refusal) -> String {
        refusal.reason()
    }
}

impl From<OutOfMemory> for Refusal {
    #[cold]
    fn from(error: OutOfMemory) -> Refusal {
        Refusal::new(error.to_string())
    }
}

/// The error that an operation does not work on operands of these types.
#[cold]
pub fn wrong_operands() -> Refusal {
    Refusal::new("the operands of this instruction have a type that it does not work on")
}

/// The same for an intrinsic.
#[cold]
pub fn intrinsic_mismatch() -> Refusal {
    Refusal::new("the intrinsic does not take or give values of these types")
}

/// A refusal, if a condition holds.
#[inline(always)]
pub fn refuse_if(is: bool, reason: &'static str) -> Result<()> {
    if is { Err(Refusal::new(reason)) } else { Ok(()) }
}

/// The refusal of an intrinsic's types, if a condition holds.
#[inline(always)]
pub fn mismatch_if(is: bool) -> Result<()> {
    if is { Err(intrinsic_mismatch()) } else { Ok(()) }
}
