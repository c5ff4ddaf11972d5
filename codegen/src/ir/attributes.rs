//! What holds for a function as a whole, with its text form.

use std::fmt::Write;

use super::module::SymbolId;
use crate::words;

words! {
    /// What a stack protector thinks of a stack slot, the least dangerous first.
    #[derive(Default)]
    SlotKind {
        /// The front end's or the code generator's own, of which the source knows nothing.
        Temporary "temporary",
        /// A variable.
        #[default]
        Variable "",
        /// A variable whose address goes where it is not seen any more.
        Taken "taken",
        /// A variable with an array in it.
        SmallArray "small_array",
        /// A variable with an array in it that asks for protection by its size.
        LargeArray "large_array",
    }
}

words! {
    /// Which functions get a stack guard: a word above their variables that nobody outside knows, and that is looked at again
    /// before they are left (LLVM LangRef, "Function Attributes").
    #[derive(Default)]
    StackProtector {
        /// None.
        #[default]
        None "",
        /// Those with [`SlotKind::LargeArray`] or with stack objects of a size that is not known (`ssp`).
        Arrays "protect_arrays",
        /// Those with any array, or with a variable whose address is taken (`sspstrong`).
        Strong "protect_strong",
        /// All (`sspreq`).
        Always "protect_always",
    }
}

words! {
    /// Whether a function has a frame pointer that it does not need.
    #[derive(Default)]
    FramePointer {
        /// No.
        #[default]
        Omit "",
        /// If it calls anything.
        NonLeaf "frame_pointer_non_leaf",
        /// Yes.
        Keep "frame_pointer",
    }
}

words! {
    /// Whether a function signs the address that it returns to, and looks at it before it does.
    #[derive(Default)]
    ReturnSigning {
        /// No.
        #[default]
        None "",
        /// If it saves that address.
        NonLeaf "sign_return_non_leaf",
        /// Yes.
        All "sign_return",
    }
}

words! {
    /// Which of the registers that callers do not want back are zero when the function returns (LLVM LangRef, "Function Attributes",
    /// `zero-call-used-regs`).
    #[derive(Default)]
    ZeroRegisters {
        /// None.
        #[default]
        None "skip",
        /// General-purpose ones that its arguments came in.
        UsedGprArg "used-gpr-arg",
        /// General-purpose ones that it uses.
        UsedGpr "used-gpr",
        /// Those that its arguments came in.
        UsedArg "used-arg",
        /// Those that it uses.
        Used "used",
        /// General-purpose ones in which arguments may travel.
        AllGprArg "all-gpr-arg",
        /// General-purpose ones.
        AllGpr "all-gpr",
        /// Those in which arguments may travel.
        AllArg "all-arg",
        /// All.
        All "all",
    }
}

impl ZeroRegisters {
    /// Those alone that the function uses?
    pub fn used_only(self) -> bool {
        use ZeroRegisters::*;
        matches!(self, UsedGprArg | UsedGpr | UsedArg | Used)
    }
    /// General-purpose ones alone?
    pub fn gpr_only(self) -> bool {
        use ZeroRegisters::*;
        matches!(self, UsedGprArg | UsedGpr | AllGprArg | AllGpr)
    }
    /// Those alone in which arguments travel?
    pub fn arguments_only(self) -> bool {
        use ZeroRegisters::*;
        matches!(self, UsedGprArg | UsedArg | AllGprArg | AllArg)
    }
}

/// What holds for the function as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FunctionAttrs {
    /// Whether it has a frame pointer at any rate.
    pub frame_pointer: FramePointer,
    /// Whether it gets a stack guard.
    pub stack_protector: StackProtector,
    /// Whether it signs the address that it returns to.
    pub return_signing: ReturnSigning,
    /// It does so by the second of the machine's keys.
    pub second_return_key: bool,
    /// It leaves the register alone that the platform has for itself.
    pub platform_register_reserved: bool,
    /// Its accesses are aligned, also where the machine asks for less.
    pub strict_alignment: bool,
    /// It does without the machine's registers for vectors.
    pub no_vectors: bool,
    /// Its atomic operations are done by functions of the run-time library that look at what the processor has.
    pub outline_atomics: bool,
    /// It calls a function that may return twice.
    pub calls_returns_twice: bool,
    /// Write unwind tables.
    pub unwind_tables: bool,
    /// It never returns.
    pub noreturn: bool,
    /// Optimize for size.
    pub optimize_size: bool,
    /// Do not use red zone, as in kernels.
    pub no_red_zone: bool,
    /// Do not use floating-point or vector registers implicitly.
    pub no_implicit_float: bool,
    /// Entry marker for control-flow protection.
    pub indirect_branch_marker: bool,
    /// Which registers are zero when it returns.
    pub zero_registers: ZeroRegisters,
    /// It begins with a call of `__fentry__`.
    pub entry_call: bool,
    /// Its first instruction has two bytes or more, for a jump to be put there.
    pub redirectable: bool,
    /// Bytes of instructions without effect that it begins with, to be replaced at run time.
    pub patchable_entry: u32,
    /// Bytes of such instructions in front of it.
    pub patchable_prefix: u32,
    /// The stack grows by any number of bytes without a word.
    pub no_stack_probes: bool,
    /// Bytes by which the stack may grow before it is touched; 0: the usual page.
    pub probe_bytes: u32,
    /// The function that touches the stack, where the target's usual way is not wanted.
    pub probe_function: Option<SymbolId>,
    /// Callers may have aligned the stack to no more than a word.
    pub realign_stack: bool,
    /// Its switches have no jump tables.
    pub no_jump_tables: bool,
    /// Calls become jumps only if they must.
    pub no_tail_calls: bool,
}

/// The words of the text form that say nothing but that something holds.
macro_rules! flags {
    ($($name:ident)*) => {
        fn flags(&self) -> impl Iterator<Item = &'static str> {
            [$((self.$name, stringify!($name)),)*].into_iter().filter(|(on, _)| *on).map(|(_, name)| name)
        }

        fn flag(&mut self, word: &str) -> Option<&mut bool> {
            match word {
                $(stringify!($name) => Some(&mut self.$name),)*
                _ => None,
            }
        }
    };
}

impl FunctionAttrs {
    flags! {
        calls_returns_twice unwind_tables noreturn optimize_size no_red_zone no_implicit_float indirect_branch_marker
        second_return_key platform_register_reserved entry_call redirectable no_stack_probes realign_stack no_jump_tables
        outline_atomics strict_alignment no_vectors no_tail_calls
    }

    /// The attributes that are numbers, 0 for what has none, by their words.
    fn numbers(&self) -> [(u32, &'static str); 3] {
        [
            (self.patchable_entry, "patchable_entry"),
            (self.patchable_prefix, "patchable_prefix"),
            (self.probe_bytes, "probe_bytes"),
        ]
    }

    /// The attribute of that word, if it is a number.
    pub(super) fn number(&mut self, word: &str) -> Option<&mut u32> {
        match word {
            "patchable_entry" => Some(&mut self.patchable_entry),
            "patchable_prefix" => Some(&mut self.patchable_prefix),
            "probe_bytes" => Some(&mut self.probe_bytes),
            _ => None,
        }
    }

    /// Appends the attributes' words, each after a space.
    pub(super) fn write(&self, out: &mut String) {
        let kinds = [self.frame_pointer.name(), self.stack_protector.name(), self.return_signing.name()];
        for word in kinds.into_iter().filter(|word| !word.is_empty()).chain(self.flags()) {
            // Writing to a string cannot fail.
            let _ = write!(out, " {word}");
        }
        for (number, word) in self.numbers().into_iter().filter(|&(number, _)| number != 0) {
            let _ = write!(out, " {word} {number}");
        }
        if self.zero_registers != ZeroRegisters::None {
            let word = self.zero_registers.name();
            let _ = write!(out, " zero_{}", word.replace('-', "_"));
        }
        if let Some(function) = self.probe_function {
            let _ = write!(out, " probe_function {function}");
        }
    }

    /// Takes an attribute by its word; false if there is none of it.
    pub(super) fn take(&mut self, word: &str) -> bool {
        if let Some(kind) = FramePointer::from_name(word) {
            self.frame_pointer = kind;
        } else if let Some(kind) = StackProtector::from_name(word) {
            self.stack_protector = kind;
        } else if let Some(kind) = ReturnSigning::from_name(word) {
            self.return_signing = kind;
        } else if let Some(kind) =
            word.strip_prefix("zero_").and_then(|word| ZeroRegisters::from_name(&word.replace('_', "-")))
        {
            self.zero_registers = kind;
        } else if let Some(flag) = self.flag(word) {
            *flag = true;
        } else {
            return false;
        }
        true
    }
}
