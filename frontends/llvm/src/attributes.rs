//! Attributes of functions, calls, parameters and results, and calling conventions, as text.

use gusset_abi::{Arch, Convention, Role, Widen};
use gusset_program::{
    FnAttrs, MemoryAttr, ParamAttrs, TypeId, TypeTable, Values, convention, convention_of_number, is_convention,
};

use crate::lexer::{Cursor, Tokens};
use crate::tables::Tables;
use crate::types::TypeNames;
use crate::words as w;
use gusset_text::Result;

/// Takes one attribute if one is next: a known word with its arguments, or a string with its value. A word before a
/// colon is a label. `#n` is left to the caller.
pub(crate) fn parse_attribute(attrs: &mut FnAttrs, c: &mut Cursor, values: &mut Values, arch: Arch) -> Result<bool> {
    if c.peek() == b'"' {
        let at = *c;
        let name = c.string()?;
        let value = if c.eat(b'=') { c.string()? } else { b"" };
        attrs.string(name, value, values, (at.pos, arch)).map_err(|m| at.error(m))?;
        return Ok(true);
    }
    let (word, at) = (c.peek_word(), c.pos);
    let known = skip_attribute_word(c)?;
    if known {
        attrs.word(word, values, at);
    }
    Ok(known)
}

/// The name of the function that a call of `llvm.trap` or its like names to be called instead, if there is one. The name of the
/// intrinsic is at `pos`.
pub(crate) fn named_trap(t: &Tables<'_>, pos: usize) -> Option<Vec<u8>> {
    let (mut c, mut values) = (Cursor::new(t.source, pos + 1), Values::default());
    c.name().ok()?;
    c.skip_group().ok()?;
    loop {
        match c.peek() {
            b'#' => {
                c.pos += 1;
                values.trap = t.traps.get(&c.number().ok()?).cloned().or(values.trap);
            }
            b'[' => c.skip_group().ok()?,
            b'a'..=b'z' | b'"'
                if parse_attribute(&mut FnAttrs::default(), &mut c, &mut values, t.facts.target.arch).ok()? => {}
            _ => return values.trap,
        }
    }
}

/// Moves over one attribute of a function if a known word is next.
pub(crate) fn skip_attribute_word(c: &mut Cursor) -> Result<bool> {
    let (k, len) = c.peek_key();
    use w::*;
    let known = match k {
        UWTABLE | RETURNS_TWICE | NORETURN | OPTSIZE | MINSIZE | NONLAZYBIND | NOREDZONE | NOIMPLICITFLOAT
        | NOCF_CHECK | NOUNWIND | SSP | SSPSTRONG | SSPREQ | SANITIZE_MEMTAG | ALWAYSINLINE | BUILTIN | COLD
        | CONVERGENT | HOT | INLINEHINT | JUMPTABLE | NOBUILTIN | NODUPLICATE | NOINLINE | NOMERGE | OPTNONE
        | WILLRETURN | MUSTPROGRESS | MEMORY | ALLOCSIZE | ALLOCKIND | NOSYNC | NORECURSE | NOCALLBACK | NOPROFILE
        | SKIPPROFILE | SPECULATABLE | STRICTFP | NAKED | SAFESTACK | SHADOWCALLSTACK | ARGMEMONLY | VSCALE_RANGE
        | OPTFORFUZZING | OPTDEBUG | SANITIZE_ADDRESS | SANITIZE_THREAD | SANITIZE_MEMORY | HYBRID_PATCHABLE
        | NOFREE | READNONE | READONLY | WRITEONLY | DEAD_ON_UNWIND | ALIGNSTACK => true,
        0 if len > 16 => matches!(
            c.peek_word(),
            b"null_pointer_is_valid"
                | b"inaccessiblememonly"
                | b"speculative_load_hardening"
                | b"inaccessiblemem_or_argmemonly"
                | b"disable_sanitizer_instrumentation"
                | b"sanitize_hwaddress"
                | b"sanitize_realtime"
                | b"nosanitize_bounds"
                | b"nosanitize_coverage"
                | b"coro_elide_safe"
                | b"coro_only_destroy_when_complete"
                | b"fn_ret_thunk_extern"
                | b"presplitcoroutine"
                | b"nodivergencesource"
                | b"sanitize_numerical_stability"
                | b"sanitize_realtime_blocking"
                | b"nocreateundeforpoison"
                | b"sanitize_alloc_token"
        ),
        _ => false,
    };
    if !known || c.ahead(len) == b':' {
        return Ok(false);
    }
    c.bump(len);
    if k == ALIGNSTACK {
        parse_align(c)?;
    } else if c.peek() == b'(' {
        c.skip_group()?;
    } else if c.eat(b'=') {
        c.number()?;
    }
    Ok(true)
}

/// Whether a word is an attribute of functions.
pub fn is_function_attribute(word: &[u8]) -> bool {
    let mut c = Cursor::new(word, 0);
    skip_attribute_word(&mut c).unwrap_or(false) && c.pos == word.len()
}

/// `noundef` and `nonnull` as printed.
const NOUNDEF_: u64 = u64::from_le_bytes(*b"noundef ");
const NONNULL_: u64 = u64::from_le_bytes(*b"nonnull ");

/// Reads the attributes of a parameter or result, up to the first thing that is none. `byval`'s alignment is completed
/// at the end, because `align` may follow it.
#[inline]
pub(crate) fn parse_param(c: &mut Cursor, types: &mut TypeTable, names: &mut TypeNames) -> Result<ParamAttrs> {
    let mut a = ParamAttrs::default();
    let none = |c: &Cursor| !c.peek().is_ascii_lowercase() && c.peek() != b'"';
    if none(c) {
        return Ok(a);
    }
    // Most often it is the only attribute, and it has no effect here.
    if c.eight() == Some(NOUNDEF_) {
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
    use w::*;
    loop {
        // The most frequent ones have no effect here.
        if matches!(c.eight(), Some(NOUNDEF_) | Some(NONNULL_)) {
            c.bump(7);
            continue;
        }
        let at = *c;
        if c.peek() == b'"' {
            c.string()?;
            if c.eat(b'=') {
                c.string()?;
            }
            continue;
        }
        let (k, len) = c.peek_key();
        c.bump(len);
        match k {
            NOUNDEF | NONNULL | NOALIAS | NOCAPTURE | READNONE | WRITEONLY | RETURNED | IMMARG | ALLOCALIGN
            | ALLOCPTR | NOFREE | WRITABLE | NOEXT => {}
            READONLY => read_only = true,
            SIGNEXT => a.widen = Widen::Sign,
            ZEROEXT => a.widen = Widen::Zero,
            INREG => a.in_reg = true,
            ALIGN => a.align = parse_align(c)?,
            ALIGNSTACK => a.stack_align = Some(parse_align(c)?),
            DEREFERENCEABLE | NOFPCLASS | RANGE | INITIALIZES | CAPTURES | BYREF | DEAD_ON_UNWIND | DEAD_ON_RETURN => {
                if c.peek() == b'(' {
                    c.skip_group()?;
                }
            }
            ELEMENTTYPE => {
                c.expect(b'(')?;
                a.element_type = names.parse(types, c)?;
                // In a function type, the parameters follow the result.
                if c.peek() == b'(' {
                    let start = c.pos;
                    c.skip_group()?;
                    a.variadic_element = c.src[start..c.pos].windows(3).any(|text| text == b"...");
                }
                c.expect(b')')?;
            }
            NEST => a.take_role(Role::Nest).map_err(|m| at.error(m))?,
            SWIFTSELF => a.take_role(Role::SwiftSelf).map_err(|m| at.error(m))?,
            SWIFTERROR => a.take_role(Role::SwiftError).map_err(|m| at.error(m))?,
            SWIFTASYNC => a.take_role(Role::SwiftAsync).map_err(|m| at.error(m))?,
            SRET | BYVAL | INALLOCA | PREALLOCATED => {
                let role = memory_role(k, at, c, types, names, pointee)?;
                a.take_role(role).map_err(|m| at.error(m))?;
            }
            0 if len > 16 && at.peek_word() == b"dereferenceable_or_null" => c.skip_group()?,
            _ => {
                *c = at;
                break;
            }
        }
    }
    a.complete(read_only).map_err(|m| start.error(m))
}

/// The role that `sret`, `byval`, `inalloca` or `preallocated` gives; the cursor is after that word, which is at `at`.
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
    attr.role(ty, types).map_err(|m| at.error(m))
}

/// Reads the number of an `align` or `alignstack`, with or without parentheses, or after `=`.
pub(crate) fn parse_align(c: &mut Cursor) -> Result<u32> {
    let open = c.eat(b'(');
    if !open {
        c.eat(b'=');
    }
    let at = *c;
    let n = c.number()?;
    at.unexpected_if(!n.is_power_of_two() || n > 1 << 32, at.pos, "a power of two up to 2^32")?;
    if open {
        c.expect(b')')?;
    }
    Ok(n.min(1 << 31) as u32)
}

/// Reads a calling convention, if one is next.
#[inline]
pub(crate) fn parse_convention(c: &mut Cursor) -> Result<Convention> {
    match c.peek() {
        b'c' | b'f' | b't' | b'p' | b'x' | b'w' | b'a' | b'g' | b's' | b'i' => {}
        _ => return Ok(Convention::C),
    }
    let word = c.peek_text();
    if !word.ends_with("cc") && !word.ends_with("pcs") {
        return Ok(Convention::C);
    }
    let at = *c;
    if word == "cc" {
        c.bump(word.len());
        return convention_of_number(c.number()?).map_err(|why| at.error(why));
    }
    if !is_convention(word) {
        return Ok(Convention::C);
    }
    c.bump(word.len());
    convention(word).ok_or_else(|| at.error(format!("the calling convention `{word}` is not supported")))
}

/// Reads a calling convention as text, if one is next: its word, or `cc` with its number.
pub(crate) fn convention_text(c: &mut Cursor) -> Result<Vec<u8>> {
    let word = c.peek_word();
    if word == b"cc" {
        c.bump(word.len());
        return Ok(format!("cc {}", c.number()?).into_bytes());
    }
    if let Some(number) = word.strip_prefix(b"cc").filter(|n| !n.is_empty() && n.iter().all(u8::is_ascii_digit)) {
        c.bump(word.len());
        return Ok([b"cc ", number].concat());
    }
    let known = word.starts_with(b"amdgpu_") || MORE_CONVENTIONS.iter().any(|more| more.as_bytes() == word);
    if !known && !std::str::from_utf8(word).is_ok_and(is_convention) {
        return Ok(Vec::new());
    }
    c.bump(word.len());
    Ok(word.to_vec())
}

/// LLVM's words for conventions of other machines (`LLToken.h`), except those of AMD's graphics processors.
const MORE_CONVENTIONS: [&str; 13] = [
    "ptx_kernel",
    "ptx_device",
    "spir_kernel",
    "spir_func",
    "msp430_intrcc",
    "avr_intrcc",
    "avr_signalcc",
    "hhvmcc",
    "hhvm_ccc",
    "riscv_vector_cc",
    "m68k_rtdcc",
    "aarch64_sme_preservemost_from_x0",
    "aarch64_sme_preservemost_from_x2",
];

/// Moves over fast-math flags, and, if `all` are possible here, over those of integers and their conversions. Returns
/// whether operations may be reassociated.
#[inline]
pub(crate) fn skip_flags(c: &mut Cursor, all: bool) -> bool {
    let mut reassociates = false;
    loop {
        match c.peek() {
            b'n' | b'e' | b'r' | b'a' | b'c' | b's' => {}
            b'd' if c.ahead(1) == b'i' => {}
            b'f' if c.ahead(1) == b'a' => {}
            _ => return reassociates,
        }
        let Some((more, len)) = c.keyword(|key| reassociation(key, all)) else { return reassociates };
        reassociates |= more;
        c.bump(len);
    }
}

/// Whether a flag of an operation permits reassociation; `None` if the word is no flag. `all`: flags of integers are possible.
#[inline(always)]
fn reassociation(key: u128, all: bool) -> Option<bool> {
    use w::*;
    match key {
        REASSOC | FAST => Some(true),
        NNAN | NINF | NSZ | ARCP | CONTRACT | AFN => Some(false),
        NUW | NSW | EXACT | DISJOINT | NNEG | SAMESIGN if all => Some(false),
        _ => None,
    }
}
