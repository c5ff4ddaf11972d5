//! Attributes of functions, calls, parameters and results.

use gusset_abi::features::{self, Hardening, Meaning, Request};
use gusset_abi::{AbiTarget, Arch, Os, Preserves, Role, Widen};
use gusset_codegen::ir::{Inlining, SymbolId, ZeroRegisters, sleds};

use crate::attribute_upgrade;
use crate::module::{Attribute, AttributeValue};
use crate::refusal::{Refusal, Result, refuse_if};
use crate::refusals;
use crate::types::{TypeId, TypeTable, VOID};

/// The largest alignment of a frame, in bytes.
pub const MOST_ALIGNED: u32 = 1 << 16;

/// Attributes of a function or a call that have an effect here, as bits.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct FnAttrs(pub u64);

impl FnAttrs {
    /// `"frame-pointer"="all"`.
    pub const FRAME_POINTER: u64 = 1;
    /// `uwtable`.
    pub const UWTABLE: u64 = 1 << 1;
    /// `returns_twice`.
    pub const RETURNS_TWICE: u64 = 1 << 2;
    /// `noreturn`.
    pub const NORETURN: u64 = 1 << 3;
    /// `optsize`, `minsize`.
    pub const OPTIMIZE_SIZE: u64 = 1 << 4;
    /// `nonlazybind`.
    pub const NON_LAZY_BIND: u64 = 1 << 5;
    /// `noredzone`.
    pub const NO_RED_ZONE: u64 = 1 << 6;
    /// `noimplicitfloat`, if the function also has no floating-point registers.
    pub const NO_IMPLICIT_FLOAT: u64 = 1 << 7;
    /// `nocf_check`.
    pub const NO_CF_CHECK: u64 = 1 << 8;
    /// Calls of the function are errors.
    pub const NO_CALLS: u64 = 1 << 9;
    /// `nounwind`.
    pub const NOUNWIND: u64 = 1 << 10;
    /// Vectors are passed in wider registers than here: the feature `avx` and those that include it.
    pub const AVX: u64 = 1 << 11;
    /// `ssp`.
    pub const SSP: u64 = 1 << 12;
    /// `sspstrong`.
    pub const SSPSTRONG: u64 = 1 << 13;
    /// `sspreq`.
    pub const SSPREQ: u64 = 1 << 14;
    /// `"frame-pointer"="non-leaf"`.
    pub const FRAME_POINTER_NON_LEAF: u64 = 1 << 15;
    /// `"frame-pointer"="reserved"`.
    pub const FRAME_POINTER_RESERVED: u64 = 1 << 60;
    /// ARM's feature `fullfp16`.
    pub const HALF_VECTORS: u64 = 1 << 61;
    /// Of a call: `"cmse_nonsecure_call"`.
    pub const NON_SECURE: u64 = 1 << 63;
    /// ARM's feature `bf16`.
    pub const BRAIN_VECTORS: u64 = 1 << 62;
    /// `cold`.
    pub const COLD: u64 = 1 << 16;
    /// `alwaysinline`.
    pub const ALWAYS_INLINE: u64 = 1 << 17;
    /// `"no-jump-tables"`.
    pub const NO_JUMP_TABLES: u64 = 1 << 20;
    /// `alignstack`, `"stackrealign"`.
    pub const REALIGN: u64 = 1 << 18;
    /// The feature `execute-only`.
    pub const EXECUTE_ONLY: u64 = 1 << 19;
    /// `hot`.
    pub const HOT: u64 = 1 << 21;
    /// Traps call a function.
    pub const NAMES_TRAP: u64 = 1 << 22;

    /// `"disable-tail-calls"`.
    pub const NO_TAIL_CALLS: u64 = 1 << 31;
    /// `"branch-target-enforcement"`.
    pub const BRANCH_TARGETS: u64 = 1 << 23;
    /// `"sign-return-address"="non-leaf"`.
    pub const SIGN_NON_LEAF: u64 = 1 << 24;
    /// `"sign-return-address"="all"`.
    pub const SIGN_ALL: u64 = 1 << 25;
    /// `"sign-return-address-key"="b_key"`.
    pub const SECOND_KEY: u64 = 1 << 26;

    /// Not the feature `neon`.
    pub const NO_VECTORS: u64 = 1 << 30;
    /// The feature `strict-align`.
    pub const STRICT_ALIGN: u64 = 1 << 29;
    /// The feature `reserve-x18` or `reserve-r9`.
    pub const PLATFORM_REGISTER: u64 = 1 << 27;
    /// The feature `outline-atomics`.
    pub const OUTLINE_ATOMICS: u64 = 1 << 28;

    /// `"target-features"` are said.
    pub const SAYS_FEATURES: u64 = 1 << 41;
    /// Floating point is done by library functions.
    pub const SOFT_FLOAT: u64 = 1 << 32;
    /// The feature `tagged-globals`.
    pub const TAGGED_GLOBALS: u64 = 1 << 33;
    /// The feature `fix-cortex-a53-835769`.
    pub const SEPARATE_PRODUCTS: u64 = 1 << 34;
    /// The feature `long-calls`.
    pub const LONG_CALLS: u64 = 1 << 35;
    /// The feature `no-movt`.
    pub const NO_MOVT: u64 = 1 << 36;
    /// Position of the three bits with the number of the thread pointer's register; 0 if none is given.
    pub const THREAD_REGISTER: u32 = 37;
    /// `sanitize_memtag`.
    pub const TAGGED_MEMORY: u64 = 1 << 40;

    /// The feature `sse`, `sse2` or the like is switched off: no floating-point registers.
    pub const NO_FLOATS: u64 = 1 << 43;
    /// These registers hold only scalars, no vectors.
    pub const SCALAR_FLOATS: u64 = 1 << 44;
    /// `optnone`.
    pub const OPTNONE: u64 = 1 << 45;
    /// `noinline`.
    pub const NO_INLINE: u64 = 1 << 46;
    /// `inlinehint`.
    pub const INLINE_HINT: u64 = 1 << 47;
    /// `"frame-pointer"` is said, with whatever value.
    pub const SAYS_FRAME_POINTER: u64 = 1 << 48;
    /// `"no_caller_saved_registers"`.
    pub const PRESERVES_ALL: u64 = 1 << 49;
    /// `"no_callee_saved_registers"`.
    pub const PRESERVES_NOTHING: u64 = 1 << 50;
    /// Position of the bits of [`Hardening`], which are seven.
    pub const HARDENING: u32 = 51;
    /// `nomerge`.
    pub const NO_MERGE: u64 = 1 << 59;
    /// Of a call: `"guard_nocf"`.
    pub const NO_GUARD: u64 = 1 << 58;
    /// Of a call: the fast-math flag `reassoc`.
    pub const REASSOCIATES: u64 = 1 << 42;

    /// Whether one of these attributes is set.
    #[inline]
    pub fn has(self, bits: u64) -> bool {
        self.0 & bits != 0
    }

    /// What the function's code does against speculative execution.
    #[inline]
    pub fn hardening(self) -> Hardening {
        Hardening((self.0 >> FnAttrs::HARDENING) as u8 & 0x7f)
    }

    fn harden(bits: Hardening) -> u64 {
        u64::from(bits.0) << FnAttrs::HARDENING
    }

    /// Takes an attribute at `place` of a function for this machine. The caller deals with the attributes of a group.
    pub fn take(&mut self, attribute: &Attribute, values: &mut Values, (place, arch): (usize, Arch)) -> Result<()> {
        let Attribute { name, value } = attribute;
        match value {
            AttributeValue::Group(_) => {}
            AttributeValue::Key => self.string(name, b"", values, (place, arch))?,
            AttributeValue::String(text) => self.string(name, text, values, (place, arch))?,
            _ => self.word(name, values, place),
        }
        if let (b"alignstack", AttributeValue::Number(bytes)) = (&name[..], value) {
            self.align_stack((*bytes).min(1 << 31) as u32, values, place);
        }
        Ok(())
    }

    /// What they say of the function's calls, which have their own wishes about inlining.
    #[inline]
    pub fn of_calls(self) -> FnAttrs {
        FnAttrs(self.0 & !(FnAttrs::NO_INLINE | FnAttrs::ALWAYS_INLINE | FnAttrs::INLINE_HINT))
    }

    /// What is asked of inlining. `noinline` goes before the others.
    pub fn inlining(self) -> Inlining {
        match () {
            () if self.has(FnAttrs::NO_INLINE) => Inlining::Never,
            () if self.has(FnAttrs::ALWAYS_INLINE) => Inlining::Always,
            () if self.has(FnAttrs::INLINE_HINT) => Inlining::Hint,
            () => Inlining::Free,
        }
    }

    /// The registers that a function with these attributes preserves.
    #[inline]
    pub fn preserves(self) -> Preserves {
        match () {
            () if self.has(FnAttrs::PRESERVES_NOTHING) => Preserves::Nothing,
            () if self.has(FnAttrs::PRESERVES_ALL) => Preserves::All,
            () => Preserves::Usual,
        }
    }

    /// Takes an attribute at `place` that is a word.
    pub fn word(&mut self, word: &[u8], values: &mut Values, place: usize) {
        self.0 |= match word {
            b"uwtable" => FnAttrs::UWTABLE,
            b"returns_twice" => FnAttrs::RETURNS_TWICE,
            b"noreturn" => FnAttrs::NORETURN,
            b"optsize" | b"minsize" => FnAttrs::OPTIMIZE_SIZE,
            b"nonlazybind" => FnAttrs::NON_LAZY_BIND,
            b"noredzone" => FnAttrs::NO_RED_ZONE,
            b"noimplicitfloat" => FnAttrs::NO_IMPLICIT_FLOAT,
            b"nocf_check" => FnAttrs::NO_CF_CHECK,
            b"nounwind" => FnAttrs::NOUNWIND,
            b"ssp" => FnAttrs::SSP,
            b"sspstrong" => FnAttrs::SSPSTRONG,
            b"sspreq" => FnAttrs::SSPREQ,
            b"sanitize_memtag" => FnAttrs::TAGGED_MEMORY,
            b"optnone" => FnAttrs::OPTNONE,
            b"noinline" => FnAttrs::NO_INLINE,
            b"inlinehint" => FnAttrs::INLINE_HINT,
            b"nomerge" => FnAttrs::NO_MERGE,
            b"cold" => FnAttrs::COLD,
            b"hot" => FnAttrs::HOT,
            b"alwaysinline" => FnAttrs::ALWAYS_INLINE,
            b"shadowcallstack" => {
                values.shadow_call_stack = true;
                0
            }
            b"safestack" => {
                values.safe_stack = true;
                0
            }
            b"naked" => {
                values.naked = true;
                0
            }
            b"fn_ret_thunk_extern" => FnAttrs::harden(Hardening::RETURN_THUNKS),
            _ => 0,
        };
        values.refuse_word(word, place);
    }

    /// Takes a string attribute at `place` of a function for this machine.
    pub fn string(
        &mut self,
        name: &[u8],
        value: &[u8],
        values: &mut Values,
        (place, arch): (usize, Arch),
    ) -> Result<()> {
        match (name, value) {
            (b"frame-pointer", b"all") => self.0 |= FnAttrs::SAYS_FRAME_POINTER | FnAttrs::FRAME_POINTER,
            // The second one since LLVM 22.
            (b"frame-pointer", b"non-leaf" | b"non-leaf-no-reserve") => {
                self.0 |= FnAttrs::SAYS_FRAME_POINTER | FnAttrs::FRAME_POINTER_NON_LEAF;
            }
            (b"frame-pointer", b"reserved") => {
                self.0 |= FnAttrs::SAYS_FRAME_POINTER | FnAttrs::FRAME_POINTER_RESERVED;
            }
            (b"frame-pointer", b"none") => self.0 |= FnAttrs::SAYS_FRAME_POINTER,
            (b"frame-pointer", _) => return Err(unknown_value(name, value)),
            (b"patchable-function-entry", _) => values.patchable_entry = Some(number(name, value)?),
            (b"patchable-function-prefix", _) => values.patchable_prefix = Some(number(name, value)?),
            (b"patchable-function", b"prologue-short-redirect") => values.redirectable = true,
            (b"patchable-function", _) => return Err(unknown_value(name, value)),
            (b"fentry-call", b"true") => values.entry_call = true,
            (b"instrument-function-entry-inlined", _) => values.on_entry = Some(value.to_vec()),
            (b"instrument-function-exit-inlined", _) => values.on_exit = Some(value.to_vec()),
            (b"target-features", _) => self.features(value, values, (place, arch)),
            (b"branch-target-enforcement", b"" | b"true") => self.0 |= FnAttrs::BRANCH_TARGETS,
            (b"sign-return-address", b"non-leaf") => self.0 |= FnAttrs::SIGN_NON_LEAF,
            (b"sign-return-address", b"all") => self.0 |= FnAttrs::SIGN_ALL,
            (b"sign-return-address-key", b"b_key") => self.0 |= FnAttrs::SECOND_KEY,
            (b"no-jump-tables", b"true") => self.0 |= FnAttrs::NO_JUMP_TABLES,
            (b"disable-tail-calls", b"true") => self.0 |= FnAttrs::NO_TAIL_CALLS,
            // Stack growth always touches every page.
            (b"probe-stack", b"inline-asm") => {}
            (b"probe-stack", _) => values.probe = Some(value.to_vec()),
            (b"stack-probe-size", _) => values.probe_bytes = Some(number(name, value)?),
            (b"stack-limit", _) => values.limit = Some(value.to_vec()),
            (b"stack-limit-handler", _) => values.limit_handler = Some(value.to_vec()),
            (b"no-stack-arg-probe", _) => values.no_probes = true,
            (b"stackrealign", _) => self.0 |= FnAttrs::REALIGN,
            (b"dontcall-error", _) => self.0 |= FnAttrs::NO_CALLS,
            (b"no_caller_saved_registers", _) if is_x86(arch) => self.0 |= FnAttrs::PRESERVES_ALL,
            (b"no_callee_saved_registers", _) if is_x86(arch) => self.0 |= FnAttrs::PRESERVES_NOTHING,
            (b"guard_nocf", _) => self.0 |= FnAttrs::NO_GUARD,
            (b"cmse_nonsecure_call", _) => self.0 |= FnAttrs::NON_SECURE,
            (b"function-instrument", b"xray-always") => values.sleds |= sleds::ALWAYS,
            (b"function-instrument", b"xray-never") => values.no_sleds |= sleds::ENTRY | sleds::EXIT,
            (b"xray-instruction-threshold", _) => values.sled_threshold = Some(number(name, value)?),
            (b"xray-ignore-loops", _) => values.sleds |= sleds::IGNORES_LOOPS,
            (b"xray-log-args", _) => values.sleds |= sleds::LOGS_ARGUMENT,
            (b"xray-skip-entry", _) => values.no_sleds |= sleds::ENTRY,
            (b"xray-skip-exit", _) => values.no_sleds |= sleds::EXIT,
            (b"split-stack", _) => values.split_stack = true,
            (b"interrupt", _) if arch == Arch::Arm => {
                values.interrupt = Some(match value {
                    b"" | b"IRQ" | b"ABORT" => Interrupt::Usual,
                    b"FIQ" => Interrupt::Fast,
                    b"SWI" | b"UNDEF" => Interrupt::ByInstruction,
                    _ => return Err(unknown_value(name, value)),
                });
            }
            (b"interrupt", _) => values.refuse(place, refusals::unsupported(name)),
            (b"trap-func-name", b"") => {}
            (b"trap-func-name", _) => {
                self.0 |= FnAttrs::NAMES_TRAP;
                values.trap = Some(value.to_vec());
            }
            (b"no-frame-pointer-elim" | b"no-frame-pointer-elim-non-leaf", _) => {
                if let Some(now) = attribute_upgrade::frame_pointer(name, value) {
                    self.string(b"frame-pointer", now, values, (place, arch))?;
                }
            }
            (b"zero-call-used-regs", _) => {
                let kind = std::str::from_utf8(value).ok().and_then(ZeroRegisters::from_name);
                values.zero_registers = Some(kind.ok_or_else(|| unknown_value(name, value))?);
            }
            (b"stack-protector-buffer-size", _) => values.guarded_array = Some(number(name, value)?),
            _ if refusals::names_section(name) => values.names_section = true,
            _ => {}
        }
        if let Some(message) = refusals::string(name, value) {
            values.refuse(place, message);
        }
        match arch {
            _ if (name, value) != (b"use-soft-float", b"true") => {}
            Arch::Aarch64 => values.refuse(place, "the attribute `use-soft-float` is not supported".into()),
            _ => self.0 |= FnAttrs::SOFT_FLOAT,
        }
        Ok(())
    }

    /// `alignstack`: the function aligns its stack itself.
    pub fn align_stack(&mut self, bytes: u32, values: &mut Values, place: usize) {
        self.0 |= FnAttrs::REALIGN;
        values.frame_align = Some(bytes);
        if bytes > MOST_ALIGNED {
            values.refuse(place, format!("frames aligned to {bytes} bytes (`alignstack`) are not supported"));
        }
    }

    /// Takes a list of features, and ignores unknown names, as LLVM does.
    fn features(&mut self, list: &[u8], values: &mut Values, at: (usize, Arch)) {
        self.0 |= FnAttrs::SAYS_FEATURES;
        for (name, on) in features::each(list) {
            match features::meaning(at.1, name, on) {
                Some(Meaning::Refused) => {
                    values.refuse(at.0, format!("the feature `{name}` of a function is not supported"));
                }
                Some(Meaning::Done(request)) => self.request(request),
                // A list may take back what stands before it.
                _ => {
                    if let Some(Meaning::Done(Request::Harden(bits))) = features::meaning(at.1, name, !on) {
                        self.0 &= !FnAttrs::harden(bits.of_feature(name));
                    }
                }
            }
        }
    }

    fn request(&mut self, request: Request) {
        self.0 |= match request {
            Request::WideVectors => FnAttrs::AVX,
            Request::HalfVectors => FnAttrs::HALF_VECTORS,
            Request::BrainVectors => FnAttrs::BRAIN_VECTORS,
            Request::NoFloats => FnAttrs::NO_IMPLICIT_FLOAT | FnAttrs::NO_FLOATS,
            Request::ScalarFloats => FnAttrs::NO_IMPLICIT_FLOAT | FnAttrs::SCALAR_FLOATS,
            Request::NoVectors => FnAttrs::NO_VECTORS,
            Request::SoftFloat => FnAttrs::SOFT_FLOAT,
            Request::StrictAlignment => FnAttrs::STRICT_ALIGN,
            Request::ReservePlatformRegister => FnAttrs::PLATFORM_REGISTER,
            Request::OutlineAtomics => FnAttrs::OUTLINE_ATOMICS,
            Request::TaggedGlobals => FnAttrs::TAGGED_GLOBALS,
            Request::SeparateProducts => FnAttrs::SEPARATE_PRODUCTS,
            Request::LongCalls => FnAttrs::LONG_CALLS,
            Request::NoMovt => FnAttrs::NO_MOVT,
            Request::ExecuteOnly => FnAttrs::EXECUTE_ONLY,
            Request::Harden(bits) => FnAttrs::harden(bits),
            Request::Thread(register) => {
                self.0 &= !(7 << FnAttrs::THREAD_REGISTER);
                (register as u64) << FnAttrs::THREAD_REGISTER
            }
        };
    }
}

/// Is it one of the architectures whose functions choose the registers that they preserve?
fn is_x86(arch: Arch) -> bool {
    matches!(arch, Arch::X86 | Arch::X86_64)
}

fn unknown_value(name: &[u8], value: &[u8]) -> Refusal {
    let [name, value] = [name, value].map(String::from_utf8_lossy);
    Refusal::new(format!("the value `{value}` of `{name}` is not known"))
}

/// The number that is a string attribute's value.
fn number(name: &[u8], value: &[u8]) -> Result<u32> {
    let number = std::str::from_utf8(value).ok().and_then(|v| v.parse().ok());
    number.ok_or_else(|| Refusal::new(format!("the value of `{}` must be a number", String::from_utf8_lossy(name))))
}

/// Exceptions of 32-bit ARM whose handlers are different (Arm Architecture Reference Manual, "Processor mode on taking exceptions").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interrupt {
    /// An interrupt, an abort, or what is not known; what was interrupted goes on a word before the link register.
    Usual,
    /// A fast interrupt: the same, with registers of its own.
    Fast,
    /// An instruction asked for it, or is undefined; control goes on behind it.
    ByInstruction,
}

/// A function of a profiler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Profiler {
    /// Its symbol.
    pub symbol: SymbolId,
    /// The function gets the addresses of the profiled function and of its return address.
    pub informed: bool,
}

/// Attributes with values, which only affect definitions.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Values {
    /// Bytes from which on an array requires a stack guard.
    pub guarded_array: Option<u32>,
    /// Number of instructions to be patched at the start of the function.
    pub patchable_entry: Option<u32>,
    /// Number of instructions to be patched before the function.
    pub patchable_prefix: Option<u32>,
    /// Registers that are zeroed before the function returns.
    pub zero_registers: Option<ZeroRegisters>,
    /// Return addresses are also on a stack of their own (`shadowcallstack`).
    pub shadow_call_stack: bool,
    /// Variables that pointers reach are on a second stack (`safestack`).
    pub safe_stack: bool,
    /// The thread's variable that points there, once all names are known.
    pub unsafe_stack: Option<SymbolId>,
    /// Its stack grows without probes (`no-stack-arg-probe`).
    pub no_probes: bool,
    /// It begins with a call of `__fentry__` (`fentry-call`).
    pub entry_call: bool,
    /// A jump can be written over its first instruction (`patchable-function`).
    pub redirectable: bool,
    /// It has no prologue (`naked`).
    pub naked: bool,
    /// Of a variable: the sections for it are named (`bss-section` and the like).
    pub names_section: bool,
    /// Its stack is split (`split-stack`).
    pub split_stack: bool,
    /// The exceptions that it handles (`interrupt`).
    pub interrupt: Option<Interrupt>,
    /// Places where tools can write calls, as bits ([`sleds`]), if the function has them.
    pub sleds: u32,
    /// It has none (`xray-skip-entry`, `xray-skip-exit`), as bits.
    pub no_sleds: u32,
    /// It has them if it has no fewer instructions.
    pub sled_threshold: Option<u32>,
    /// Name of the function that a trap is a call of.
    pub trap: Option<Vec<u8>>,
    /// Name of the function to call at the function's entry.
    pub on_entry: Option<Vec<u8>>,
    /// Name of the function to call at its returns.
    pub on_exit: Option<Vec<u8>>,
    /// The function to call at the entry, once all names are known.
    pub entry_profiler: Option<Profiler>,
    /// The function to call at returns, once all names are known.
    pub exit_profiler: Option<Profiler>,
    /// Name of the function that touches the stack.
    pub probe: Option<Vec<u8>>,
    /// That function, once all names are known.
    pub probe_function: Option<SymbolId>,
    /// Name of the variable with the stack limit.
    pub limit: Option<Vec<u8>>,
    /// Name of the function that is called when the stack is below it.
    pub limit_handler: Option<Vec<u8>>,
    /// Both, once all names are known.
    pub stack_limit: Option<[SymbolId; 2]>,
    /// Bytes of stack from which on it is called.
    pub probe_bytes: Option<u32>,
    /// `alignstack`, bytes.
    pub frame_align: Option<u32>,
    /// Position of an unsupported attribute, and the message about it.
    pub refused: Option<(usize, String)>,
}

impl Values {
    /// Adds those of a group.
    pub fn add(&mut self, group: &Values) {
        self.guarded_array = group.guarded_array.or(self.guarded_array);
        self.patchable_entry = group.patchable_entry.or(self.patchable_entry);
        self.zero_registers = group.zero_registers.or(self.zero_registers);
        self.patchable_prefix = group.patchable_prefix.or(self.patchable_prefix);
        self.shadow_call_stack |= group.shadow_call_stack;
        self.safe_stack |= group.safe_stack;
        self.split_stack |= group.split_stack;
        self.interrupt = group.interrupt.or(self.interrupt);
        self.naked |= group.naked;
        self.no_probes |= group.no_probes;
        self.entry_call |= group.entry_call;
        self.redirectable |= group.redirectable;
        self.names_section |= group.names_section;
        self.sleds |= group.sleds;
        self.no_sleds |= group.no_sleds;
        self.sled_threshold = group.sled_threshold.or(self.sled_threshold);
        self.trap = group.trap.clone().or(self.trap.take());
        self.on_entry = group.on_entry.clone().or(self.on_entry.take());
        self.on_exit = group.on_exit.clone().or(self.on_exit.take());
        self.probe = group.probe.clone().or(self.probe.take());
        self.limit = group.limit.clone().or(self.limit.take());
        self.limit_handler = group.limit_handler.clone().or(self.limit_handler.take());
        self.probe_bytes = group.probe_bytes.or(self.probe_bytes);
        self.frame_align = group.frame_align.or(self.frame_align);
        self.refused = self.refused.take().or_else(|| group.refused.clone());
    }

    /// Resolves the functions that attributes name.
    pub fn name_functions(&mut self, target: &AbiTarget, mut symbol: impl FnMut(&[u8]) -> SymbolId) -> Result<()> {
        let mut profiler = |name: &[u8]| {
            let informed = match name {
                b"mcount"
                | b".mcount"
                | b"llvm.arm.gnu.eabi.mcount"
                | b"\x01_mcount"
                | b"\x01mcount"
                | b"__mcount"
                | b"_mcount"
                | b"__cyg_profile_func_enter_bare" => false,
                b"__cyg_profile_func_enter" | b"__cyg_profile_func_exit" => true,
                _ => {
                    let name = String::from_utf8_lossy(name);
                    return Err(Refusal::new(format!("the function `{name}` for instrumentation is not known")));
                }
            };
            Ok(Profiler { symbol: symbol(name), informed })
        };
        let [entry, exit] =
            [self.on_entry.take(), self.on_exit.take()].map(|name| name.map(|n| profiler(&n)).transpose());
        (self.entry_profiler, self.exit_profiler) = (entry?, exit?);
        if self.safe_stack {
            let known = target.os == Os::Linux;
            refuse_if(!known, "the attribute `safestack` is not supported on this system")?;
            self.unsafe_stack = Some(symbol(b"__safestack_unsafe_stack_ptr"));
        }
        let has_pieces = target.os == Os::Linux;
        refuse_if(self.split_stack && !has_pieces, "the attribute `split-stack` is not supported on this system")?;
        if let Some(name) = self.probe.take() {
            // The function gets the size in a register that may carry an argument.
            let message = "stack probes by a function (`probe-stack`) are not supported on 32-bit x86";
            refuse_if(target.arch == Arch::X86, message)?;
            self.probe_function = Some(symbol(&name));
        }
        match (self.limit.take(), self.limit_handler.take()) {
            (Some(limit), Some(handler)) => self.stack_limit = Some([symbol(&limit), symbol(&handler)]),
            (None, None) => {}
            _ => return Err(Refusal::new("`stack-limit` and `stack-limit-handler` need each other")),
        }
        Ok(())
    }

    /// Records an attribute that definitions cannot have; declarations can.
    fn refuse(&mut self, place: usize, message: String) {
        self.refused.get_or_insert((place, message));
    }

    /// Records a function's attribute of this word, at `place`, if definitions cannot have it.
    pub fn refuse_word(&mut self, word: &[u8], place: usize) {
        if refusals::word(word) {
            self.refuse(place, refusals::unsupported(word));
        }
    }
}

/// Attributes of a parameter or result that have an effect here.
#[derive(Clone, Copy, Default, Debug)]
pub struct ParamAttrs {
    /// `signext`, `zeroext`.
    pub widen: Widen,
    /// `inreg`.
    pub in_reg: bool,
    /// `sret`, `byval` and so on.
    pub role: Role,
    /// `align`, in bytes; 0 if there is none.
    pub align: u32,
    /// `alignstack`, bytes.
    pub stack_align: Option<u32>,
    /// `elementtype`; `void` if there is none. Of a function type, the result.
    pub element_type: TypeId,
    /// `elementtype` is the type of a variadic function.
    pub variadic_element: bool,
}

impl ParamAttrs {
    /// Whether signatures that differ only in these attributes pass the value alike.
    #[inline]
    pub fn passes_like(&self, other: &ParamAttrs) -> bool {
        let all = |a: &ParamAttrs| (a.widen, a.in_reg, a.role, a.stack_align, a.element_type);
        all(self) == all(other) && (self.role == Role::Value || self.align == other.align)
    }
}

/// An attribute with a type, of a parameter that is the address of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryAttr {
    /// `sret`.
    StructReturn,
    /// `byval`.
    ByVal,
    /// `inalloca`.
    InAlloca,
    /// `preallocated`.
    Preallocated,
}

impl MemoryAttr {
    /// The role of a parameter with this attribute, whose type is `ty`.
    pub fn role(self, ty: TypeId, types: &TypeTable) -> Result<Role> {
        refuse_if(!types.is_sized(ty), "the type of this attribute has no size")?;
        let (size, align) = (types.get(ty).size, types.get(ty).align);
        Ok(match self {
            MemoryAttr::StructReturn => Role::StructReturn,
            MemoryAttr::ByVal => Role::ByVal { size, align },
            MemoryAttr::InAlloca => Role::InAlloca { size },
            MemoryAttr::Preallocated => Role::Preallocated { size, align },
        })
    }
}

impl ParamAttrs {
    /// The meaning of a list of attributes of a parameter or result.
    ///
    /// # Errors
    /// The attributes contradict each other, or a type has no size.
    pub fn of(list: &[Attribute], types: &TypeTable) -> Result<ParamAttrs> {
        let (mut attrs, mut read_only) = (ParamAttrs::default(), false);
        for Attribute { name, value } in list {
            let number = if let AttributeValue::Number(n) = value { (*n).min(1 << 31) as u32 } else { 0 };
            let ty = if let AttributeValue::Type(ty) = value { *ty } else { VOID };
            match &name[..] {
                b"signext" => attrs.widen = Widen::Sign,
                b"zeroext" => attrs.widen = Widen::Zero,
                b"inreg" => attrs.in_reg = true,
                b"readonly" => read_only = true,
                b"align" => attrs.align = number,
                b"alignstack" => attrs.stack_align = Some(number),
                b"elementtype" => attrs.element_type = ty,
                b"nest" => attrs.take_role(Role::Nest)?,
                b"swiftself" => attrs.take_role(Role::SwiftSelf)?,
                b"swifterror" => attrs.take_role(Role::SwiftError)?,
                b"swiftasync" => attrs.take_role(Role::SwiftAsync)?,
                b"sret" => attrs.take_role(MemoryAttr::StructReturn.role(ty, types)?)?,
                b"byval" => attrs.take_role(MemoryAttr::ByVal.role(ty, types)?)?,
                b"inalloca" => attrs.take_role(MemoryAttr::InAlloca.role(ty, types)?)?,
                b"preallocated" => attrs.take_role(MemoryAttr::Preallocated.role(ty, types)?)?,
                _ => {}
            }
        }
        attrs.complete(read_only)?;
        Ok(attrs)
    }

    /// Whether they affect how a value is passed.
    pub fn is_about_passing(&self) -> bool {
        self.role != Role::Value || self.widen != Widen::None || self.in_reg || self.stack_align.is_some()
    }

    /// Adds the callee's attributes of the parameter where the call's argument has none.
    pub fn take_from_callee(&mut self, callee: ParamAttrs) {
        if self.role == Role::Value {
            self.role = callee.role;
        }
        if self.widen == Widen::None {
            self.widen = callee.widen;
        }
        self.in_reg |= callee.in_reg;
        self.stack_align = self.stack_align.or(callee.stack_align);
    }

    /// Sets the role, if the present one permits it.
    pub fn take_role(&mut self, role: Role) -> Result<()> {
        let fits = match role {
            Role::Nest | Role::SwiftSelf | Role::SwiftError | Role::SwiftAsync => !self.in_block(),
            _ => self.role == Role::Value,
        };
        if !fits {
            return Err(conflict(role_name(self.role), role_name(role)));
        }
        self.role = role;
        Ok(())
    }

    /// Whether the parameter's memory is the arguments themselves.
    fn in_block(&self) -> bool {
        matches!(self.role, Role::InAlloca { .. } | Role::Preallocated { .. })
    }

    /// Completes and checks the attributes; `read_only` if `readonly` was among them. `byval`'s alignment is completed
    /// here, because `align` may follow it.
    pub fn complete(&mut self, read_only: bool) -> Result<()> {
        if let (Role::ByVal { align, .. } | Role::Preallocated { align, .. }, true) = (&mut self.role, self.align != 0)
        {
            *align = self.align;
        }
        // LLVM LangRef, "Parameter Attributes": the callee may change that memory.
        if self.in_block() && (self.in_reg || read_only && matches!(self.role, Role::InAlloca { .. })) {
            return Err(conflict(role_name(self.role), if self.in_reg { "inreg" } else { "readonly" }));
        }
        Ok(())
    }
}

/// The error that two attributes contradict each other.
pub fn conflict(one: &str, other: &str) -> Refusal {
    Refusal::new(format!("the attributes `{one}` and `{other}` do not go together"))
}

/// The spelling of a role's attribute.
pub fn role_name(role: Role) -> &'static str {
    match role {
        Role::Value => "",
        Role::StructReturn => "sret",
        Role::ByVal { .. } => "byval",
        Role::InAlloca { .. } => "inalloca",
        Role::Preallocated { .. } => "preallocated",
        Role::Nest => "nest",
        Role::SwiftSelf => "swiftself",
        Role::SwiftError => "swifterror",
        Role::SwiftAsync => "swiftasync",
    }
}
