//! Attributes of functions, calls, parameters and results, and calling conventions, as text.

use gusset_abi::{Convention, Role, Widen};
use gusset_lower::{FnAttrs, MemoryAttr, ParamAttrs, TypeId, TypeTable, Values, convention_by_number};

use crate::error::Result;
use crate::lexer::Cursor;
use crate::types::TypeNames;
use crate::words as w;

/// Takes one attribute if one stands here: a known word with its arguments, or a string with its value. A word before
/// a colon is a label. `#n` is left to the caller.
pub(crate) fn parse_attribute(attrs: &mut FnAttrs, c: &mut Cursor, values: &mut Values) -> Result<bool> {
    if c.peek() == b'"' {
        let at = *c;
        let name = c.string()?;
        let value = if c.eat(b'=') { c.string()? } else { b"" };
        attrs.string(name, value, values, at.pos).map_err(|m| at.refused(m))?;
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
            b"fn_ret_thunk_extern" | b"presplitcoroutine" | b"nodivergencesource" | b"sanitize_numerical_stability" => {
                0
            }
            b"sanitize_realtime_blocking" | b"nocreateundeforpoison" | b"sanitize_alloc_token" => 0,
            _ => return Ok(false),
        },
        _ => return Ok(false),
    };
    if c.ahead(len) == b':' {
        return Ok(false);
    }
    attrs.0 |= bits;
    values.refuse_word(c.peek_word(), c.pos);
    if k == w::ALIGNSTACK {
        c.bump(len);
        let bytes = parse_align(c)?;
        attrs.align_stack(bytes, values, c.pos);
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

/// Reads parameter or result attributes up to what is none. `byval`'s alignment is completed at the end, since `align`
/// may follow it.
#[inline]
pub(crate) fn parse_param(c: &mut Cursor, types: &mut TypeTable, names: &mut TypeNames) -> Result<ParamAttrs> {
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
    parse_param_words(c, types, names, &mut a)?;
    Ok(a)
}

fn parse_param_words(c: &mut Cursor, types: &mut TypeTable, names: &mut TypeNames, a: &mut ParamAttrs) -> Result<()> {
    let start = *c;
    let pointee = names.pointee(c);
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
                c.expect(b'(')?;
                a.element_type = names.parse(types, c)?;
                // That of a function has its parameters behind the result.
                if c.peek() == b'(' {
                    c.skip_group()?;
                }
                c.expect(b')')?;
            }
            w::NEST | w::SWIFTSELF | w::SWIFTERROR | w::SWIFTASYNC => {
                let role = match k {
                    w::NEST => Role::Nest,
                    w::SWIFTSELF => Role::SwiftSelf,
                    w::SWIFTERROR => Role::SwiftError,
                    _ => Role::SwiftAsync,
                };
                a.take_role(role).map_err(|m| c.refused(m))?;
                c.bump(len);
            }
            w::SRET | w::BYVAL | w::INALLOCA | w::PREALLOCATED => {
                let at = *c;
                c.bump(len);
                let role = memory_role(k, at, c, types, names, pointee)?;
                a.take_role(role).map_err(|m| at.refused(m))?;
            }
            0 if len > 16 && c.eat_word(b"dereferenceable_or_null") => c.skip_group()?,
            _ => break,
        }
    }
    a.complete(read_only).map_err(|m| start.refused(m))
}

/// The role that `sret`, `byval`, `inalloca` or `preallocated` gives, the cursor being behind that word, which is at `at`.
fn memory_role(
    word: u128,
    at: Cursor,
    c: &mut Cursor,
    types: &mut TypeTable,
    names: &mut TypeNames,
    pointee: Option<TypeId>,
) -> Result<Role> {
    let ty = if c.eat(b'(') {
        let ty = names.parse(types, c)?;
        c.expect(b')')?;
        ty
    } else {
        let word = String::from_utf8_lossy(at.peek_word());
        pointee.ok_or_else(|| at.error(format!("`{word}` needs a type in parentheses: `{word}(…)`")))?
    };
    let attr = match word {
        w::SRET => MemoryAttr::StructReturn,
        w::BYVAL => MemoryAttr::ByVal,
        w::INALLOCA => MemoryAttr::InAlloca,
        _ => MemoryAttr::Preallocated,
    };
    attr.role(ty, types).map_err(|m| at.refused(m))
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
            return convention_by_number(c.number()?).map_err(|m| at.refused(m));
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
