//! Attributes of functions, calls, parameters and results, and calling conventions.

use gusset_abi::{Convention, Role, Widen};
use gusset_codegen::ir::{FramePointer, FunctionAttrs, StackProtector, SymbolId, ZeroRegisters};

use crate::error::Result;
use crate::lexer::Cursor;
use crate::profile::Profiler;
use crate::refusals;
use crate::types::{Kind, TypeId, TypeTable};
use crate::words as w;

/// Attributes of a function or a call that have a meaning here, as bits.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct FnAttrs(pub u32);

impl FnAttrs {
    pub const FRAME_POINTER: u32 = 1;
    pub const UWTABLE: u32 = 1 << 1;
    pub const RETURNS_TWICE: u32 = 1 << 2;
    pub const NORETURN: u32 = 1 << 3;
    pub const OPTIMIZE_SIZE: u32 = 1 << 4;
    pub const NON_LAZY_BIND: u32 = 1 << 5;
    pub const NO_RED_ZONE: u32 = 1 << 6;
    pub const NO_IMPLICIT_FLOAT: u32 = 1 << 7;
    pub const NO_CF_CHECK: u32 = 1 << 8;
    /// Calls of it are errors.
    pub const NO_CALLS: u32 = 1 << 9;
    pub const NOUNWIND: u32 = 1 << 10;
    pub const AVX: u32 = 1 << 11;
    pub const SSP: u32 = 1 << 12;
    pub const SSPSTRONG: u32 = 1 << 13;
    pub const SSPREQ: u32 = 1 << 14;
    pub const FRAME_POINTER_NON_LEAF: u32 = 1 << 15;
    pub const ENTRY_CALL: u32 = 1 << 16;
    pub const REDIRECTABLE: u32 = 1 << 17;
    pub const NO_JUMP_TABLES: u32 = 1 << 20;
    pub const REALIGN: u32 = 1 << 18;
    /// The section of a variable is named.
    pub const NAMES_SECTION: u32 = 1 << 19;
    pub const NO_PROBES: u32 = 1 << 21;
    /// Traps call a function.
    pub const NAMES_TRAP: u32 = 1 << 22;

    pub fn has(self, bits: u32) -> bool {
        self.0 & bits != 0
    }

    /// Takes one attribute if one stands here: a known word with its arguments, or a string with its value. A word before
    /// a colon is a label. `#n` is left to the caller.
    pub fn parse_one(&mut self, c: &mut Cursor, values: &mut Values) -> Result<bool> {
        if c.peek() == b'"' {
            let at = *c;
            let name = c.string()?;
            let value = if c.eat(b'=') { c.string()? } else { b"" };
            self.string(name, value, values).map_err(|m| at.error(m))?;
            if let Some(message) = refusals::string(name, value) {
                values.refuse(&at, message);
            }
            return Ok(true);
        }
        let (k, len) = c.peek_key();
        let bits = match k {
            w::UWTABLE => FnAttrs::UWTABLE,
            w::RETURNS_TWICE => FnAttrs::RETURNS_TWICE,
            w::NORETURN => FnAttrs::NORETURN,
            w::OPTSIZE | w::MINSIZE => FnAttrs::OPTIMIZE_SIZE,
            w::NONLAZYBIND => FnAttrs::NON_LAZY_BIND,
            w::NOREDZONE => FnAttrs::NO_RED_ZONE,
            w::NOIMPLICITFLOAT => FnAttrs::NO_IMPLICIT_FLOAT,
            w::NOCF_CHECK => FnAttrs::NO_CF_CHECK,
            w::NOUNWIND => FnAttrs::NOUNWIND,
            w::ALWAYSINLINE | w::BUILTIN | w::COLD | w::CONVERGENT | w::HOT | w::INLINEHINT | w::JUMPTABLE => 0,
            w::NOBUILTIN | w::NODUPLICATE | w::NOINLINE | w::NOMERGE | w::OPTNONE | w::WILLRETURN => 0,
            w::MUSTPROGRESS | w::MEMORY | w::ALLOCSIZE | w::ALLOCKIND | w::NOSYNC | w::NORECURSE | w::NOCALLBACK => 0,
            w::SSP => FnAttrs::SSP,
            w::SSPSTRONG => FnAttrs::SSPSTRONG,
            w::SSPREQ => FnAttrs::SSPREQ,
            w::NOPROFILE | w::SKIPPROFILE | w::SPECULATABLE | w::STRICTFP => 0,
            w::NAKED | w::SAFESTACK | w::SHADOWCALLSTACK => 0,
            w::ARGMEMONLY | w::VSCALE_RANGE | w::OPTFORFUZZING | w::OPTDEBUG => 0,
            w::SANITIZE_ADDRESS
            | w::SANITIZE_THREAD
            | w::SANITIZE_MEMORY
            | w::SANITIZE_MEMTAG
            | w::HYBRID_PATCHABLE
            | w::NOFREE
            | w::READNONE
            | w::READONLY => 0,
            w::WRITEONLY | w::DEAD_ON_UNWIND | w::ALIGNSTACK => 0,
            0 if len > 16 => match c.peek_word() {
                b"null_pointer_is_valid" | b"inaccessiblememonly" | b"speculative_load_hardening" => 0,
                b"inaccessiblemem_or_argmemonly" | b"disable_sanitizer_instrumentation" => 0,
                b"sanitize_hwaddress" | b"sanitize_realtime" | b"nosanitize_bounds" => 0,
                b"nosanitize_coverage" | b"coro_elide_safe" | b"coro_only_destroy_when_complete" => 0,
                b"fn_ret_thunk_extern"
                | b"presplitcoroutine"
                | b"nodivergencesource"
                | b"sanitize_numerical_stability" => 0,
                b"sanitize_realtime_blocking" | b"nocreateundeforpoison" | b"sanitize_alloc_token" => 0,
                _ => return Ok(false),
            },
            _ => return Ok(false),
        };
        if c.ahead(len) == b':' {
            return Ok(false);
        }
        self.0 |= bits;
        let word = c.peek_word();
        if refusals::word(word) {
            values.refuse(c, refusals::unsupported(word));
        }
        if k == w::ALIGNSTACK {
            c.bump(len);
            self.align_stack(parse_align(c)?, c, values);
            return Ok(true);
        }
        c.bump(len);
        if c.peek() == b'(' {
            c.skip_group()?;
        } else if c.eat(b'=') {
            c.number()?;
        }
        Ok(true)
    }

    /// Takes a string attribute.
    fn string(&mut self, name: &[u8], value: &[u8], values: &mut Values) -> std::result::Result<(), String> {
        match (name, value) {
            (b"frame-pointer", b"all") => self.0 |= FnAttrs::FRAME_POINTER,
            (b"frame-pointer", b"non-leaf") => self.0 |= FnAttrs::FRAME_POINTER_NON_LEAF,
            // Features that imply this one are spelled out beside it.
            (b"patchable-function-entry", _) => values.patchable_entry = Some(number(name, value)?),
            (b"patchable-function-prefix", _) => values.patchable_prefix = Some(number(name, value)?),
            (b"patchable-function", b"prologue-short-redirect") => self.0 |= FnAttrs::REDIRECTABLE,
            (b"patchable-function", _) => return Err(unknown_value(name, value)),
            (b"fentry-call", b"true") => self.0 |= FnAttrs::ENTRY_CALL,
            (b"instrument-function-entry-inlined", _) => values.on_entry = Some(value.to_vec()),
            (b"instrument-function-exit-inlined", _) => values.on_exit = Some(value.to_vec()),
            (b"target-features", _) => {
                for feature in value.split(|&b| b == b',') {
                    match feature {
                        b"+avx" => self.0 |= FnAttrs::AVX,
                        // Kernels keep out of the registers of numbers with a point.
                        b"-sse" | b"-sse2" => self.0 |= FnAttrs::NO_IMPLICIT_FLOAT,
                        _ => {}
                    }
                }
            }
            (b"no-jump-tables", b"true") => self.0 |= FnAttrs::NO_JUMP_TABLES,
            // Stacks are touched as they grow in any case.
            (b"probe-stack", b"inline-asm") => {}
            (b"probe-stack", _) => values.probe = Some(value.to_vec()),
            (b"stack-probe-size", _) => values.probe_bytes = Some(number(name, value)?),
            (b"no-stack-arg-probe", _) => self.0 |= FnAttrs::NO_PROBES,
            (b"stackrealign", _) => self.0 |= FnAttrs::REALIGN,
            (b"dontcall-error", _) => self.0 |= FnAttrs::NO_CALLS,
            (b"trap-func-name", _) => self.0 |= FnAttrs::NAMES_TRAP,
            // What LLVM's reader makes of the spellings of before LLVM 8.
            (b"no-frame-pointer-elim", b"true") => self.0 |= FnAttrs::FRAME_POINTER,
            (b"no-frame-pointer-elim-non-leaf", _) => self.0 |= FnAttrs::FRAME_POINTER_NON_LEAF,
            (b"zero-call-used-regs", _) => {
                let kind = std::str::from_utf8(value).ok().and_then(ZeroRegisters::from_name);
                values.zero_registers = Some(kind.ok_or_else(|| unknown_value(name, value))?);
            }
            (b"stack-protector-buffer-size", _) => values.guarded_array = Some(number(name, value)?),
            _ if refusals::names_section(name) => self.0 |= FnAttrs::NAMES_SECTION,
            _ => {}
        }
        Ok(())
    }

    /// `alignstack`: the function trusts nobody's alignment but its own.
    fn align_stack(&mut self, bytes: u32, c: &Cursor, values: &mut Values) {
        self.0 |= FnAttrs::REALIGN;
        if bytes > 16 {
            values.refuse(c, format!("frames aligned to {bytes} bytes (`alignstack`) are not supported"));
        }
    }

    /// Whether a function gets a stack guard.
    fn stack_protector(self) -> StackProtector {
        match () {
            () if self.has(FnAttrs::SSPREQ) => StackProtector::Always,
            () if self.has(FnAttrs::SSPSTRONG) => StackProtector::Strong,
            () if self.has(FnAttrs::SSP) => StackProtector::Arrays,
            () => StackProtector::None,
        }
    }

    /// A function's attributes in the IR's terms.
    pub fn of_function(self, values: Option<&Values>) -> FunctionAttrs {
        FunctionAttrs {
            frame_pointer: match () {
                () if self.has(FnAttrs::FRAME_POINTER) => FramePointer::Keep,
                () if self.has(FnAttrs::FRAME_POINTER_NON_LEAF) => FramePointer::NonLeaf,
                () => FramePointer::Omit,
            },
            stack_protector: self.stack_protector(),
            calls_returns_twice: false,
            // What an exception may pass through has an entry whether or not it is asked for.
            unwind_tables: self.has(FnAttrs::UWTABLE) || !self.has(FnAttrs::NOUNWIND),
            noreturn: self.has(FnAttrs::NORETURN),
            optimize_size: self.has(FnAttrs::OPTIMIZE_SIZE),
            no_red_zone: self.has(FnAttrs::NO_RED_ZONE),
            no_implicit_float: self.has(FnAttrs::NO_IMPLICIT_FLOAT),
            indirect_branch_marker: false,
            zero_registers: values.and_then(|v| v.zero_registers).unwrap_or_default(),
            entry_call: self.has(FnAttrs::ENTRY_CALL),
            redirectable: self.has(FnAttrs::REDIRECTABLE),
            patchable_entry: values.and_then(|v| v.patchable_entry).unwrap_or(0),
            patchable_prefix: values.and_then(|v| v.patchable_prefix).unwrap_or(0),
            no_stack_probes: self.has(FnAttrs::NO_PROBES),
            probe_bytes: values.and_then(|v| v.probe_bytes).unwrap_or(0),
            probe_function: values.and_then(|v| v.probe_function),
            realign_stack: self.has(FnAttrs::REALIGN),
            no_jump_tables: self.has(FnAttrs::NO_JUMP_TABLES),
        }
    }
}

fn unknown_value(name: &[u8], value: &[u8]) -> String {
    let [name, value] = [name, value].map(String::from_utf8_lossy);
    format!("the value `{value}` of `{name}` is not known")
}

/// The number that a string attribute has for its value.
fn number(name: &[u8], value: &[u8]) -> std::result::Result<u32, String> {
    let number = std::str::from_utf8(value).ok().and_then(|v| v.parse().ok());
    number.ok_or_else(|| format!("the value of `{}` must be a number", String::from_utf8_lossy(name)))
}

/// What attributes say by their values, which matters to definitions alone.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Values {
    /// Bytes from which on an array asks for a stack guard.
    pub guarded_array: Option<u32>,
    /// Bytes of room for patches at the start of the function, and in front of it.
    pub patchable_entry: Option<u32>,
    pub patchable_prefix: Option<u32>,
    /// Registers that are zero when the function returns.
    pub zero_registers: Option<ZeroRegisters>,
    /// Functions that are called where the function begins and where it returns.
    pub on_entry: Option<Vec<u8>>,
    pub on_exit: Option<Vec<u8>>,
    /// What these are, once all names are known.
    pub entry_profiler: Option<Profiler>,
    pub exit_profiler: Option<Profiler>,
    /// The function that touches the stack, by name and once all names are known, and from how many bytes on.
    pub probe: Option<Vec<u8>>,
    pub probe_function: Option<SymbolId>,
    pub probe_bytes: Option<u32>,
    /// Where something stands that is not supported, and what is to be said of it.
    pub refused: Option<(usize, String)>,
}

impl Values {
    /// Adds those of a group.
    pub fn add(&mut self, group: &Values) {
        self.guarded_array = group.guarded_array.or(self.guarded_array);
        self.patchable_entry = group.patchable_entry.or(self.patchable_entry);
        self.zero_registers = group.zero_registers.or(self.zero_registers);
        self.patchable_prefix = group.patchable_prefix.or(self.patchable_prefix);
        self.on_entry = group.on_entry.clone().or(self.on_entry.take());
        self.on_exit = group.on_exit.clone().or(self.on_exit.take());
        self.probe = group.probe.clone().or(self.probe.take());
        self.probe_bytes = group.probe_bytes.or(self.probe_bytes);
        self.refused = self.refused.take().or_else(|| group.refused.clone());
    }

    /// Takes note of something that definitions cannot have; declarations can.
    fn refuse(&mut self, at: &Cursor, message: String) {
        self.refused.get_or_insert((at.pos, message));
    }
}

/// Attributes of a parameter or result that have a meaning here.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct ParamAttrs {
    pub widen: Widen,
    pub in_reg: bool,
    pub role: Role,
    /// `align`, bytes; 0 if there is none.
    pub align: u32,
    pub stack_align: Option<u32>,
    /// Size of `elementtype`'s type and so on are not kept; whether one was given is.
    pub element_type: bool,
}

/// Reads parameter or result attributes up to what is none. `byval`'s alignment is completed at the end, since `align`
/// may follow it.
#[inline]
pub(crate) fn parse_param(c: &mut Cursor, types: &mut TypeTable) -> Result<ParamAttrs> {
    let mut a = ParamAttrs::default();
    let none = |c: &Cursor| !c.peek().is_ascii_lowercase() && c.peek() != b'"';
    if none(c) {
        return Ok(a);
    }
    // Alone, most often: it says nothing to us.
    const NOUNDEF: u64 = u64::from_le_bytes(*b"noundef ");
    if c.eight() == Some(NOUNDEF) {
        let mut next = *c;
        next.bump(7);
        if none(&next) {
            *c = next;
            return Ok(a);
        }
    }
    parse_param_words(c, types, &mut a)?;
    Ok(a)
}

fn parse_param_words(c: &mut Cursor, types: &mut TypeTable, a: &mut ParamAttrs) -> Result<()> {
    let start = *c;
    let pointee = types.pointee(c);
    let mut read_only = false;
    loop {
        match c.peek() {
            b'a'..=b'z' => {}
            b'"' => {
                c.string()?;
                if c.eat(b'=') {
                    c.string()?;
                }
                continue;
            }
            _ => break,
        }
        let (k, len) = c.peek_key();
        match k {
            w::NOUNDEF | w::NONNULL | w::NOALIAS | w::NOCAPTURE | w::READNONE | w::WRITEONLY => c.bump(len),
            w::READONLY => {
                c.bump(len);
                read_only = true;
            }
            w::RETURNED | w::IMMARG | w::ALLOCALIGN | w::ALLOCPTR | w::NOFREE | w::WRITABLE | w::NOEXT => c.bump(len),
            w::SIGNEXT => {
                c.bump(len);
                a.widen = Widen::Sign;
            }
            w::ZEROEXT => {
                c.bump(len);
                a.widen = Widen::Zero;
            }
            w::INREG => {
                c.bump(len);
                a.in_reg = true;
            }
            w::ALIGN => {
                c.bump(len);
                a.align = parse_align(c)?;
            }
            w::ALIGNSTACK => {
                c.bump(len);
                a.stack_align = Some(parse_align(c)?);
            }
            w::DEREFERENCEABLE
            | w::NOFPCLASS
            | w::RANGE
            | w::INITIALIZES
            | w::CAPTURES
            | w::BYREF
            | w::DEAD_ON_UNWIND
            | w::DEAD_ON_RETURN => {
                c.bump(len);
                if c.peek() == b'(' {
                    c.skip_group()?;
                }
            }
            w::ELEMENTTYPE => {
                c.bump(len);
                c.skip_group()?;
                a.element_type = true;
            }
            w::NEST | w::SWIFTSELF | w::SWIFTERROR | w::SWIFTASYNC => {
                let role = match k {
                    w::NEST => Role::Nest,
                    w::SWIFTSELF => Role::SwiftSelf,
                    w::SWIFTERROR => Role::SwiftError,
                    _ => Role::SwiftAsync,
                };
                let keeps = !matches!(a.role, Role::InAlloca { .. } | Role::Preallocated { .. });
                a.take_role(role, keeps, c)?;
                c.bump(len);
            }
            w::SRET | w::BYVAL | w::INALLOCA | w::PREALLOCATED => {
                let at = *c;
                c.bump(len);
                let role = memory_role(k, at, c, types, pointee)?;
                a.take_role(role, a.role == Role::Value, &at)?;
            }
            0 if len > 16 && c.eat_word(b"dereferenceable_or_null") => c.skip_group()?,
            _ => break,
        }
    }
    a.finish(start, read_only)
}

/// The role that `sret`, `byval`, `inalloca` or `preallocated` gives, the cursor being behind that word, which is at `at`.
fn memory_role(word: u128, at: Cursor, c: &mut Cursor, types: &mut TypeTable, pointee: Option<TypeId>) -> Result<Role> {
    let ty = if c.eat(b'(') {
        let ty = types.parse(c)?;
        c.expect(b')')?;
        ty
    } else {
        let word = String::from_utf8_lossy(at.peek_word());
        pointee.ok_or_else(|| at.error(format!("`{word}` needs a type in parentheses: `{word}(…)`")))?
    };
    if !types.is_sized(ty) || types.get(ty).kind == Kind::Opaque {
        return Err(at.error("the type of this attribute has no size"));
    }
    let (size, align) = (types.get(ty).size, types.get(ty).align);
    Ok(match word {
        w::SRET => Role::StructReturn,
        w::BYVAL => Role::ByVal { size, align },
        w::INALLOCA => Role::InAlloca { size },
        _ => Role::Preallocated { size, align },
    })
}

impl ParamAttrs {
    /// Takes a role, if it goes together with the one that there is; `at` is where its word stands.
    fn take_role(&mut self, role: Role, fits: bool, at: &Cursor) -> Result<()> {
        if !fits {
            let (one, other) = (role_name(self.role), String::from_utf8_lossy(at.peek_word()).into_owned());
            return Err(at.error(format!("the attributes `{one}` and `{other}` do not go together")));
        }
        self.role = role;
        Ok(())
    }

    /// Completes and checks what has been read from `start` on.
    fn finish(&mut self, start: Cursor, read_only: bool) -> Result<()> {
        if let (Role::ByVal { align, .. } | Role::Preallocated { align, .. }, true) = (&mut self.role, self.align != 0)
        {
            *align = self.align;
        }
        // LLVM LangRef, "Parameter Attributes": the memory is the arguments themselves, which the callee may change.
        let block = matches!(self.role, Role::InAlloca { .. } | Role::Preallocated { .. });
        if block && (self.in_reg || read_only && matches!(self.role, Role::InAlloca { .. })) {
            let other = if self.in_reg { "inreg" } else { "readonly" };
            let one = role_name(self.role);
            return Err(start.error(format!("the attributes `{one}` and `{other}` do not go together")));
        }
        Ok(())
    }
}

/// The spelling of the attribute behind a role.
fn role_name(role: Role) -> &'static str {
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

/// Reads the number of an `align` or `alignstack`, with or without parentheses, or behind `=`.
pub(crate) fn parse_align(c: &mut Cursor) -> Result<u32> {
    let open = c.eat(b'(');
    if !open {
        c.eat(b'=');
    }
    let at = *c;
    let n = c.number()?;
    if !n.is_power_of_two() || n > 1 << 32 {
        return Err(at.expected("a power of two up to 2^32"));
    }
    if open {
        c.expect(b')')?;
    }
    Ok(n.min(1 << 31) as u32)
}

/// Reads a calling convention, if one stands here.
#[inline]
pub(crate) fn parse_convention(c: &mut Cursor) -> Result<Convention> {
    match c.peek() {
        b'c' | b'f' | b't' | b'p' | b'x' | b'w' | b'a' | b'g' | b's' | b'i' => {}
        _ => return Ok(Convention::C),
    }
    let (k, len) = c.peek_key();
    let convention = match k {
        w::CCC => Convention::C,
        w::FASTCC => Convention::Fast,
        w::COLDCC => Convention::Cold,
        w::TAILCC => Convention::Tail,
        w::PRESERVE_MOSTCC => Convention::PreserveMost,
        w::PRESERVE_ALLCC => Convention::PreserveAll,
        w::PRESERVE_NONECC => Convention::PreserveNone,
        w::X86_64_SYSVCC => Convention::SysV64,
        w::WIN64CC => Convention::Win64,
        w::X86_STDCALLCC => Convention::Stdcall,
        w::X86_FASTCALLCC => Convention::Fastcall,
        w::X86_THISCALLCC => Convention::Thiscall,
        w::SWIFTCC => Convention::Swift,
        w::SWIFTTAILCC => Convention::SwiftTail,
        w::GHCCC => Convention::Ghc,
        w::CC => {
            let at = *c;
            c.bump(len);
            return convention_by_number(c.number()?).map_err(|m| at.error(m));
        }
        w::ARM_AAPCSCC | w::ARM_AAPCS_VFPCC | w::ANYREGCC | w::CFGUARD_CHECKCC | w::GRAALCC => {
            return Err(unsupported(c));
        }
        w::INTEL_OCL_BICC | w::X86_REGCALLCC | w::X86_INTRCC | w::CXX_FAST_TLSCC | w::WEBKIT_JSCC => {
            return Err(unsupported(c));
        }
        0 if len > 16 => match c.peek_word() {
            b"x86_vectorcallcc" => Convention::Vectorcall,
            b"aarch64_vector_pcs" | b"aarch64_sve_vector_pcs" => return Err(unsupported(c)),
            _ => return Ok(Convention::C),
        },
        _ if len == 16 && c.peek_word() == b"x86_vectorcallcc" => Convention::Vectorcall,
        _ => return Ok(Convention::C),
    };
    c.bump(len);
    Ok(convention)
}

/// A convention by LLVM's number (`CallingConv.h`).
fn convention_by_number(n: u64) -> std::result::Result<Convention, String> {
    let name = match n {
        0 => return Ok(Convention::C),
        8 => return Ok(Convention::Fast),
        9 => return Ok(Convention::Cold),
        10 => return Ok(Convention::Ghc),
        14 => return Ok(Convention::PreserveMost),
        15 => return Ok(Convention::PreserveAll),
        16 => return Ok(Convention::Swift),
        18 => return Ok(Convention::Tail),
        20 => return Ok(Convention::SwiftTail),
        21 => return Ok(Convention::PreserveNone),
        64 => return Ok(Convention::Stdcall),
        65 => return Ok(Convention::Fastcall),
        70 => return Ok(Convention::Thiscall),
        78 => return Ok(Convention::SysV64),
        79 => return Ok(Convention::Win64),
        80 => return Ok(Convention::Vectorcall),
        11 => "HiPE's",
        13 => "anyregcc",
        17 => "cxx_fast_tlscc",
        19 => "cfguard_checkcc",
        66 => "arm_apcscc",
        67 => "arm_aapcscc",
        68 => "arm_aapcs_vfpcc",
        77 => "intel_ocl_bicc",
        81 => "HHVM's",
        82 => "HHVM's for C",
        83 => "x86_intrcc",
        92 => "x86_regcallcc",
        97 => "aarch64_vector_pcs",
        _ => return Err(format!("calling convention {n} is not supported")),
    };
    Err(format!("calling convention {n} ({name}) is not supported"))
}

#[cold]
fn unsupported(c: &Cursor) -> crate::error::ReadError {
    let word = String::from_utf8_lossy(c.peek_word()).into_owned();
    c.error(format!("the calling convention `{word}` is not supported"))
}

/// Moves over fast-math flags.
#[inline]
pub(crate) fn skip_fast_math(c: &mut Cursor) {
    loop {
        match c.peek() {
            b'n' | b'r' | b'a' | b'c' => {}
            b'f' if c.ahead(1) == b'a' => {}
            _ => return,
        }
        let (key, len) = c.peek_key();
        match key {
            w::NNAN | w::NINF | w::NSZ | w::ARCP | w::CONTRACT | w::AFN | w::REASSOC | w::FAST => c.bump(len),
            _ => return,
        }
    }
}
