//! Attributes of a function as a whole, with their text form.

use std::fmt::Write;

use gusset_abi::features::Hardening;

use super::module::SymbolId;
use crate::words;

words! {
    /// How dangerous a stack slot is to a stack protector, from the least dangerous kind on.
    #[derive(Default)]
    SlotKind {
        /// Made by the front end or the code generator; the source has no such variable.
        Temporary "temporary",
        /// A variable.
        #[default]
        Variable "",
        /// A variable whose address escapes.
        Taken "taken",
        /// A variable with an array in it.
        SmallArray "small_array",
        /// A variable with an array that is large enough to ask for protection.
        LargeArray "large_array",
        /// The guard itself. Only the code generator makes it, where the guard also lies elsewhere (`passes/safe_stack.rs`).
        Guard "guard",
    }
}

words! {
    /// Which functions get a stack guard: a word above their variables that nobody outside knows, and that is checked
    /// before they are left (LLVM LangRef, "Function Attributes").
    #[derive(Default)]
    StackProtector {
        /// None.
        #[default]
        None "",
        /// Functions with [`SlotKind::LargeArray`] or with stack objects of unknown size (`ssp`).
        Arrays "protect_arrays",
        /// Functions with any array, or with a variable whose address escapes (`sspstrong`).
        Strong "protect_strong",
        /// All (`sspreq`).
        Always "protect_always",
    }
}

words! {
    /// Whether a function has a frame pointer even if it does not need one.
    #[derive(Default)]
    FramePointer {
        /// No.
        #[default]
        Omit "",
        /// No, but nothing else is in its register: chains of frames stay intact.
        Reserve "frame_pointer_reserved",
        /// If it calls another function.
        NonLeaf "frame_pointer_non_leaf",
        /// Yes.
        Keep "frame_pointer",
    }
}

words! {
    /// What a function asks of inlining.
    #[derive(Default)]
    Inlining {
        /// Nothing.
        #[default]
        Free "",
        /// To be inlined rather than others (`inlinehint`).
        Hint "inline_hint",
        /// To be inlined (`alwaysinline`).
        Always "inline_always",
        /// Not to be (`noinline`).
        Never "inline_never",
    }
}

words! {
    /// Whether a function signs its return address on entry and authenticates it before it returns.
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
    /// Which of the registers that callers do not expect to be kept are zero when the function returns (LLVM LangRef,
    /// "Function Attributes", `zero-call-used-regs`).
    #[derive(Default)]
    ZeroRegisters {
        /// None.
        #[default]
        None "skip",
        /// General-purpose registers that its arguments came in.
        UsedGprArg "used-gpr-arg",
        /// General-purpose registers that it uses.
        UsedGpr "used-gpr",
        /// Registers that its arguments came in.
        UsedArg "used-arg",
        /// Registers that it uses.
        Used "used",
        /// General-purpose registers in which arguments can be passed.
        AllGprArg "all-gpr-arg",
        /// General-purpose ones.
        AllGpr "all-gpr",
        /// Registers in which arguments can be passed.
        AllArg "all-arg",
        /// All.
        All "all",
    }
}

impl ZeroRegisters {
    /// Only registers that the function uses?
    pub fn used_only(self) -> bool {
        use ZeroRegisters::*;
        matches!(self, UsedGprArg | UsedGpr | UsedArg | Used)
    }
}

/// Bits of [`FunctionAttrs::sleds`].
pub mod sleds {
    /// At its beginning.
    pub const ENTRY: u32 = 1;
    /// Where it ends.
    pub const EXIT: u32 = 1 << 1;
    /// Tools see its first argument.
    pub const LOGS_ARGUMENT: u32 = 1 << 2;
    /// Loops are no reason for sleds in a small function.
    pub const IGNORES_LOOPS: u32 = 1 << 3;
    /// It has them however small it is, and tools are told so.
    pub const ALWAYS: u32 = 1 << 4;
}

/// Attributes of the function as a whole. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FunctionAttrs {
    /// Whether it has a frame pointer even if it does not need one.
    pub frame_pointer: FramePointer,
    /// Whether it gets a stack guard.
    pub stack_protector: StackProtector,
    /// What it asks of inlining.
    pub inlining: Inlining,
    /// Whether it signs its return address.
    pub return_signing: ReturnSigning,
    /// It signs with the second of the machine's keys.
    pub second_return_key: bool,
    /// It does not use the register that the platform reserves.
    pub platform_register_reserved: bool,
    /// All its accesses are aligned, even if the machine does not need it.
    pub strict_alignment: bool,
    /// It does not use the machine's vector registers.
    pub no_vectors: bool,
    /// It has no prologue and no epilogue, and so no frame.
    pub naked: bool,
    /// Its floating-point numbers are in general-purpose registers, and the run-time library computes with them.
    pub soft_float: bool,
    /// Its atomic operations are calls of run-time library functions that look at the processor's features.
    pub outline_atomics: bool,
    /// It calls a function that may return twice.
    pub calls_returns_twice: bool,
    /// Write unwind tables.
    pub unwind_tables: bool,
    /// It never returns.
    pub noreturn: bool,
    /// Optimize for size.
    pub optimize_size: bool,
    /// Do not optimize, whatever the level is.
    pub optimize_none: bool,
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
    /// Its first instruction has at least two bytes, so that a jump can be written over it.
    pub redirectable: bool,
    /// Number of the shortest instructions without effect at its beginning, to be replaced at run time.
    pub patchable_entry: u32,
    /// Number of such instructions before it.
    pub patchable_prefix: u32,
    /// Its stack is made of pieces: it asks for one when it begins, if there is too little left.
    pub split_stack: bool,
    /// Where tools can write calls while the program runs: bits of [`sleds`].
    pub sleds: u32,
    /// The function has these places if it has no fewer instructions.
    pub sled_threshold: u32,
    /// The stack may grow by any number of bytes without being probed.
    pub no_stack_probes: bool,
    /// Bytes by which the stack may grow before it is probed; 0: the usual page.
    pub probe_bytes: u32,
    /// The function that probes the stack, if not the target's usual one.
    pub probe_function: Option<SymbolId>,
    /// The variable that holds the lowest address the stack pointer may have. It is checked when the function begins.
    pub stack_limit: Option<SymbolId>,
    /// The thread's variable that points to a second stack, to which variables are moved that pointers reach (`safestack`).
    pub unsafe_stack: Option<SymbolId>,
    /// The function to call when the stack pointer would be lower.
    pub stack_limit_handler: Option<SymbolId>,
    /// It may be left for a handler of an exception: the registers of exceptions have places in its frame, and get what is there
    /// when it is left so.
    pub returns_to_handler: bool,
    /// Callers may have aligned the stack to a word only.
    pub realign_stack: bool,
    /// Of an interrupt: before the function returns it drops a word, which the processor has pushed after the address to
    /// return to, or takes a word off that address, if it is in the link register.
    pub skips_word: bool,
    /// The least alignment of the stack pointer at its calls, in bytes; 0: what the calls' conventions ask for.
    pub frame_align: u32,
    /// Its switches have no jump tables.
    pub no_jump_tables: bool,
    /// Calls become jumps only if they have to.
    pub no_tail_calls: bool,
    /// It also keeps its return address on a stack of such addresses, and returns to that one.
    pub shadow_call_stack: bool,
    /// What it does against speculative execution.
    pub hardening: Hardening,
}

/// The bits of hardening, with their words.
fn hardening_words() -> impl Iterator<Item = (Hardening, &'static str)> {
    Hardening::WORDS.into_iter().enumerate().map(|(i, word)| (Hardening(1 << i), word))
}

/// Attributes of the text form that are a single word.
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
        calls_returns_twice unwind_tables noreturn optimize_size optimize_none no_red_zone no_implicit_float indirect_branch_marker
        second_return_key platform_register_reserved entry_call redirectable no_stack_probes realign_stack no_jump_tables
        outline_atomics strict_alignment no_vectors soft_float returns_to_handler no_tail_calls skips_word shadow_call_stack
        split_stack naked
    }

    /// The attributes that are numbers, by their words; 0 if not set.
    fn numbers(&self) -> [(u32, &'static str); 6] {
        [
            (self.patchable_entry, "patchable_entry"),
            (self.patchable_prefix, "patchable_prefix"),
            (self.sleds, "sleds"),
            (self.sled_threshold, "sled_threshold"),
            (self.probe_bytes, "probe_bytes"),
            (self.frame_align, "frame_align"),
        ]
    }

    /// The attribute with that word, if it is a number.
    pub(super) fn number(&mut self, word: &str) -> Option<&mut u32> {
        match word {
            "patchable_entry" => Some(&mut self.patchable_entry),
            "patchable_prefix" => Some(&mut self.patchable_prefix),
            "sleds" => Some(&mut self.sleds),
            "sled_threshold" => Some(&mut self.sled_threshold),
            "probe_bytes" => Some(&mut self.probe_bytes),
            "frame_align" => Some(&mut self.frame_align),
            _ => None,
        }
    }

    /// The attributes that are symbols, by their words.
    pub(super) fn symbols(&self) -> [(Option<SymbolId>, &'static str); 4] {
        [
            (self.probe_function, "probe_function"),
            (self.stack_limit, "stack_limit"),
            (self.unsafe_stack, "unsafe_stack"),
            (self.stack_limit_handler, "stack_limit_handler"),
        ]
    }

    /// All of them.
    pub(super) fn symbols_mut(&mut self) -> [&mut Option<SymbolId>; 4] {
        [&mut self.probe_function, &mut self.stack_limit, &mut self.unsafe_stack, &mut self.stack_limit_handler]
    }

    /// The attribute with that word, if it is a symbol.
    pub(super) fn symbol(&mut self, word: &str) -> Option<&mut Option<SymbolId>> {
        match word {
            "probe_function" => Some(&mut self.probe_function),
            "stack_limit" => Some(&mut self.stack_limit),
            "unsafe_stack" => Some(&mut self.unsafe_stack),
            "stack_limit_handler" => Some(&mut self.stack_limit_handler),
            _ => None,
        }
    }

    /// Appends the attributes' words, each after a space.
    pub(super) fn write(&self, out: &mut String) {
        let kinds =
            [self.frame_pointer.name(), self.stack_protector.name(), self.return_signing.name(), self.inlining.name()];
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
        for (_, word) in hardening_words().filter(|(bit, _)| self.hardening.has(*bit)) {
            let _ = write!(out, " {word}");
        }
        for (symbol, word) in self.symbols() {
            if let Some(symbol) = symbol {
                let _ = write!(out, " {word} {symbol}");
            }
        }
    }

    /// Sets the attribute with that word; `false` if there is none.
    pub(super) fn take(&mut self, word: &str) -> bool {
        if let Some(kind) = FramePointer::from_name(word) {
            self.frame_pointer = kind;
        } else if let Some(kind) = StackProtector::from_name(word) {
            self.stack_protector = kind;
        } else if let Some(kind) = ReturnSigning::from_name(word) {
            self.return_signing = kind;
        } else if let Some(kind) = Inlining::from_name(word) {
            self.inlining = kind;
        } else if let Some(kind) =
            word.strip_prefix("zero_").and_then(|word| ZeroRegisters::from_name(&word.replace('_', "-")))
        {
            self.zero_registers = kind;
        } else if let Some((bit, _)) = hardening_words().find(|(_, name)| *name == word) {
            self.hardening = self.hardening.and(bit);
        } else if let Some(flag) = self.flag(word) {
            *flag = true;
        } else {
            return false;
        }
        true
    }
}
