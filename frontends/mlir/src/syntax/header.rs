//! Headers of functions: `func.func` and `llvm.func` in both forms.
//!
//! MLIR, "'func' Dialect", `func.func`; "'llvm' Dialect", `llvm.func`.

use gusset_abi::{Arch, Convention, Role, Widen};
use gusset_program::{FnAttrs, MemoryAttr, ParamAttrs, TypeTable, VOID, Values};
use gusset_text::{Result, Source};

use crate::syntax::attributes::{AttributeKind, AttributeRef, NamedAttribute, dictionary, find, read_symbol};
use crate::syntax::generic::{Item, generic_operation, is_empty_region, no_types};
use crate::syntax::header_checks::check_attributes;
use crate::syntax::lexer::{Cursor, Tokens};
use crate::syntax::types::{Kind, Ty, Types};

/// A parameter or result.
#[derive(Clone, Copy)]
pub(crate) struct Slot<'s> {
    /// Position of its name, if it has one.
    pub name: Option<usize>,
    pub ty: Ty,
    pub pos: usize,
    /// Its dictionary of attributes.
    pub attrs: Option<AttributeRef<'s>>,
    /// What they mean for code.
    pub means: ParamAttrs,
}

impl<'s> Slot<'s> {
    fn new(name: Option<usize>, ty: Ty, pos: usize) -> Slot<'s> {
        Slot { name, ty, pos, attrs: None, means: ParamAttrs::default() }
    }

    /// Reads a type, and the dictionary of attributes and the location that may follow.
    fn parse(
        (name, result): (Option<usize>, bool),
        c: &mut Cursor<'s>,
        pos: usize,
        types: &mut Types,
        llvm: &mut TypeTable,
    ) -> Result<Slot<'s>> {
        let mut slot = Slot::new(name, types.parse(llvm, c)?, pos);
        if c.peek() == b'{' {
            let (attrs, mut all) = (AttributeRef::at(c), Vec::new());
            dictionary(c, &mut all)?;
            slot.take_attributes(attrs, (&all, result), types, llvm)?;
        }
        c.skip_location()?;
        Ok(slot)
    }

    /// Takes the attributes of the dictionary `attrs`.
    fn take_attributes(
        &mut self,
        attrs: AttributeRef<'s>,
        (all, result): (&[NamedAttribute<'s>], bool),
        types: &mut Types,
        llvm: &mut TypeTable,
    ) -> Result<()> {
        self.attrs = Some(attrs);
        check_attributes(attrs, all, (self.ty, result), llvm)?;
        // A translation keeps them as they are.
        if !llvm.carries() {
            self.means = meaning(attrs, all, types, llvm)?;
        }
        Ok(())
    }

    /// The number of values that a parameter is passed as.
    pub fn parts(&self, types: &Types, bare: bool) -> usize {
        let memref = matches!(types.own(self.ty), Some(Kind::Memref(_) | Kind::Unranked { .. }));
        if memref && !bare { types.count(self.ty) } else { 1 }
    }
}

/// The header of a function.
#[derive(Clone, Default)]
pub(crate) struct Header<'s> {
    /// Of the dialect `func`.
    pub upper: bool,
    pub name: Vec<u8>,
    pub params: Vec<Slot<'s>>,
    pub results: Vec<Slot<'s>>,
    pub variadic: bool,
    pub words: Vec<&'s [u8]>,
    pub attrs: Vec<NamedAttribute<'s>>,
    /// The text of the dictionary that they are read from; empty in the generic form.
    dictionary: &'s [u8],
    /// In the generic form.
    pub generic: bool,
    /// Where the region begins.
    pub region: Option<usize>,
    /// Behind the header.
    pub after: usize,
}

/// Reads LLVM's attributes of a function besides MLIR's own: `["key", ["key", "value"]]`.
pub(crate) fn passthrough<'s>(
    list: AttributeRef<'s>,
    mut each: impl FnMut(&[u8], Option<&[u8]>, AttributeRef<'s>) -> Result<()>,
) -> Result<()> {
    for value in list.array()? {
        let value = value?;
        match value.values()?[..] {
            [key] if value.kind() == AttributeKind::String => each(&key.bytes()?, None, key)?,
            [key, text] => each(&key.bytes()?, Some(&text.bytes()?), text)?,
            _ => return Err(value.expected("a string")),
        }
    }
    Ok(())
}

impl<'s> Header<'s> {
    /// Reads the header of a function of the module.
    pub fn of(source: Source<'s>, item: &Item, types: &mut Types, llvm: &mut TypeTable) -> Result<Header<'s>> {
        Header::parse(&mut Cursor::new(source.text, item.pos), types, llvm)
    }

    /// Reads an LLVM function type, `!llvm.func<…>`, as the header of a function of this type.
    pub fn of_type(value: AttributeRef<'s>, types: &mut Types, llvm: &mut TypeTable) -> Result<Header<'s>> {
        let mut h = Header::default();
        h.llvm_type(&mut value.cursor(), types, llvm)?;
        Ok(h)
    }

    /// Reads a header; the cursor is at the operation's name, and is left at the region or at the end.
    pub fn parse(c: &mut Cursor<'s>, types: &mut Types, llvm: &mut TypeTable) -> Result<Header<'s>> {
        let (start, generic) = (c.pos, c.peek() == b'"');
        let name = if generic { Cursor::new(c.src, c.pos).quoted()? } else { c.peek_word() };
        let mut h = Header { upper: name != b"llvm.func", generic, ..Header::default() };
        if generic {
            h.as_attributes(c, types, llvm)?;
        } else {
            c.bump(name.len());
            h.custom(c, types, llvm)?;
        }
        h.after = c.pos;
        let several = !h.upper && h.results.len() > 1;
        c.refuse_if(several, start, "a function of the dialect `llvm` has one result at most")?;
        // Functions of `func` are not variadic in themselves.
        let more = h.attr("func.varargs").filter(|_| h.upper);
        h.variadic |= more.is_some_and(|value| value.word() == b"true");
        Ok(h)
    }

    /// Reads what follows the operation's name.
    fn custom(&mut self, c: &mut Cursor<'s>, types: &mut Types, llvm: &mut TypeTable) -> Result<()> {
        while c.peek() != b'@' {
            let word = c.peek_word();
            c.unexpected_if(word.is_empty(), c.pos, "the function's name")?;
            c.bump(word.len());
            self.words.push(word);
        }
        self.name = read_symbol(c)?.into_owned();
        self.parameters(c, types, llvm)?;
        if c.eat_arrow() {
            self.result_list(c, types, llvm)?;
        }
        loop {
            match c.peek_word() {
                b"attributes" => {
                    c.bump(b"attributes".len());
                    let (pos, first) = (c.pos, self.attrs.is_empty());
                    dictionary(c, &mut self.attrs)?;
                    self.dictionary = if first { &c.src[pos..c.pos] } else { b"" };
                }
                b"comdat" | b"vscale_range" => {
                    let word = c.peek_word();
                    c.bump(word.len());
                    c.unexpected_if(c.peek() != b'(', c.pos, "`(`")?;
                    // A group's name, or a list.
                    let pos = c.pos + usize::from(word == b"comdat");
                    self.attrs.push(NamedAttribute { name: word, value: AttributeRef::new(c.src, pos) });
                    c.skip_group()?;
                }
                _ => break,
            }
        }
        if c.peek() == b'{' && !c.starts_with(b"{-#") {
            self.region = Some(c.pos);
        }
        Ok(())
    }

    /// The location after the function.
    pub fn location(&self, source: Source<'s>) -> Result<Option<AttributeRef<'s>>> {
        let mut c = Cursor::new(source.text, self.after);
        if self.region == Some(self.after) {
            c.skip_region()?;
        }
        if self.generic {
            no_types(&mut c)?;
        }
        Ok((c.peek_word() == b"loc").then(|| AttributeRef::at(&c)))
    }

    /// The number of values passed for the named parameters of a variadic function.
    pub fn named(&self, types: &Types, bare: bool) -> Option<usize> {
        self.variadic.then(|| self.params.iter().map(|slot| slot.parts(types, bare)).sum())
    }

    /// Checks that the operation ends at `end`, where the next one begins; after a region, its reader checks that. The
    /// cursor is where the header ended.
    pub fn ends_at(&self, mut c: Cursor<'s>, end: usize) -> Result<()> {
        if self.generic {
            no_types(&mut c)?;
        } else if self.region.is_some() {
            return Ok(());
        }
        c.at_the_end(end)
    }

    fn parameters(&mut self, c: &mut Cursor<'s>, types: &mut Types, llvm: &mut TypeTable) -> Result<()> {
        c.expect(b'(')?;
        let mut more = !c.eat(b')');
        while more {
            if c.starts_with(b"...") {
                c.refuse_if(self.upper && !self.generic, c.pos, "functions of `func` have no variadic types")?;
                c.bump(3);
                self.variadic = true;
                return c.expect(b')');
            }
            let pos = c.pos;
            let mut name = None;
            let named = self.params.first().map(|first| first.name.is_some());
            let mixed = named.is_some_and(|named| named != (c.peek() == b'%'));
            c.refuse_if(mixed, pos, "either all parameters have names, or none")?;
            if c.peek() == b'%' {
                name = Some(pos);
                c.pos += 1;
                c.name()?;
                c.expect(b':')?;
            }
            self.params.push(Slot::parse((name, false), c, pos, types, llvm)?);
            more = c.more(b')')?;
        }
        Ok(())
    }

    fn result_list(&mut self, c: &mut Cursor<'s>, types: &mut Types, llvm: &mut TypeTable) -> Result<()> {
        if c.peek() != b'(' {
            let pos = c.pos;
            // Braces after a result are the body, and a location is that of the function: a result has attributes and a
            // location only in parentheses.
            self.results.push(Slot::new(None, types.parse(llvm, c)?, pos));
            self.results.retain(|slot| slot.ty != Ty::of(VOID));
            return Ok(());
        }
        // A result may be a function: `-> ((i32) -> i32)`.
        c.expect(b'(')?;
        let mut more = !c.eat(b')');
        while more {
            let pos = c.pos;
            self.results.push(Slot::parse((None, true), c, pos, types, llvm)?);
            more = c.more(b')')?;
        }
        self.results.retain(|slot| slot.ty != Ty::of(VOID));
        Ok(())
    }

    /// Reads the generic form, in which everything is an attribute.
    fn as_attributes(&mut self, c: &mut Cursor<'s>, types: &mut Types, llvm: &mut TypeTable) -> Result<()> {
        let start = c.pos;
        let region = generic_operation(c, &mut self.attrs)?;
        let missing = |name: &str| c.error_at(start, format!("the attribute `{name}` is missing"));
        self.name = self.attr("sym_name").ok_or_else(|| missing("sym_name"))?.bytes()?;
        let ty = self.attr("function_type").or(self.attr("type")).ok_or_else(|| missing("function_type"))?;
        let mut ty = ty.cursor();
        if ty.peek() == b'!' {
            self.llvm_type(&mut ty, types, llvm)?;
        } else {
            self.parameters(&mut ty, types, llvm)?;
            ty.expect_arrow()?;
            self.result_list(&mut ty, types, llvm)?;
        }
        for (list, results) in [("arg_attrs", false), ("res_attrs", true)] {
            let Some(list) = self.attr(list) else { continue };
            let mut list = list.array()?;
            for slot in if results { &mut self.results } else { &mut self.params } {
                let Some(attrs) = list.next().transpose()? else { break };
                slot.take_attributes(attrs, (&attrs.dictionary()?, results), types, llvm)?;
            }
        }
        for name in ["linkage", "CConv", "sym_visibility"] {
            if let Some(value) = self.attr(name) {
                self.words.push(value.keyword()?);
            }
        }
        self.region = region.filter(|&at| !is_empty_region(c.src, at));
        Ok(())
    }

    /// `!llvm.func<result (parameters)>`.
    fn llvm_type(&mut self, c: &mut Cursor<'s>, types: &mut Types, llvm: &mut TypeTable) -> Result<()> {
        c.pos += 1;
        let word = c.peek_word();
        c.unexpected_if(word != b"llvm.func", c.pos, "`!llvm.func`")?;
        c.bump(word.len());
        c.expect(b'<')?;
        let pos = c.pos;
        let ret = types.llvm_inner(llvm, c)?;
        if ret != VOID {
            self.results.push(Slot::new(None, Ty::of(ret), pos));
        }
        c.expect(b'(')?;
        let mut more = !c.eat(b')');
        while more {
            if c.starts_with(b"...") {
                c.bump(3);
                self.variadic = true;
                return c.expect(b')');
            }
            let pos = c.pos;
            let ty = Ty::of(types.llvm_inner(llvm, c)?);
            self.params.push(Slot::new(None, ty, pos));
            more = c.more(b')')?;
        }
        Ok(())
    }

    pub fn attr(&self, name: &str) -> Option<AttributeRef<'s>> {
        find(&self.attrs, name)
    }

    pub fn has_word(&self, word: &str) -> bool {
        self.words.contains(&word.as_bytes())
    }

    /// The calling convention; errors about it are at `place`.
    pub fn convention(&self, place: AttributeRef) -> Result<Convention> {
        for word in &self.words {
            let word = std::str::from_utf8(word).unwrap_or("");
            if word.ends_with("cc") || word.ends_with("pcs") {
                return gusset_llvm::convention(word)
                    .ok_or_else(|| place.error(format!("the calling convention `{word}` is not supported")));
            }
        }
        Ok(Convention::C)
    }

    /// The meaning of the attributes for the function's code. `known` is that of the last function whose attributes were
    /// read: most functions of a module have the same.
    pub fn function_attrs(&self, arch: Arch, known: &mut KnownAttributes<'s>) -> Result<(FnAttrs, Values)> {
        if !self.dictionary.is_empty() && self.dictionary == known.text {
            return Ok((known.attrs, known.values.clone()));
        }
        let (mut attrs, mut values) = (FnAttrs::default(), Values::default());
        let mut bits = 0;
        let mut take =
            |key: &[u8], text: &[u8], value| take_attribute(&mut attrs, &mut values, key, text, (value, arch));
        for &NamedAttribute { name, value } in &self.attrs {
            if let Some((key, text)) = text_attribute(name, value)? {
                take(key.as_bytes(), &text, value)?;
                continue;
            }
            match name {
                b"passthrough" => passthrough(value, |key, text, value| take(key, text.unwrap_or_default(), value))?,
                b"uwtable_kind" => bits |= FnAttrs::UWTABLE,
                b"garbageCollector" => {
                    if let Some(why) = gusset_program::refusals::collector(&value.text()?) {
                        return Err(value.error(why));
                    }
                }
                _ => {
                    let flag = flag_attribute(name).filter(|_| value.holds());
                    if let Some(key) = flag.or_else(|| unit_attribute(name)) {
                        take(key.as_bytes(), b"", value)?;
                    }
                }
            }
        }
        attrs.0 |= bits;
        // What is refused has a place, which is this function's own.
        if values.refused.is_none() {
            *known = KnownAttributes { text: self.dictionary, attrs, values: values.clone() };
        }
        Ok((attrs, values))
    }
}

/// The text of a function's attributes, and their meaning.
#[derive(Default)]
pub(crate) struct KnownAttributes<'s> {
    text: &'s [u8],
    attrs: FnAttrs,
    values: Values,
}

/// LLVM's function attributes without a value that are attributes of the operation.
pub(crate) const FLAGS: [(&str, &str); 6] = [
    ("alwaysinline", "always_inline"),
    ("convergent", "convergent"),
    ("noinline", "no_inline"),
    ("nounwind", "no_unwind"),
    ("optnone", "optimize_none"),
    ("willreturn", "will_return"),
];

/// The function attribute of LLVM that an attribute without a value is, of a function or a call.
pub(crate) fn flag_attribute(name: &[u8]) -> Option<&'static str> {
    let known = FLAGS.iter().find(|row| row.1.as_bytes() == name).map(|row| row.0);
    known.or((name == b"inline_hint").then_some("inlinehint"))
}

/// String attributes about floating-point numbers that are attributes of the operation, as texts and as booleans; LLVM's
/// names have hyphens.
pub(crate) const TEXTS: [&str; 3] = ["denormal_fp_math", "denormal_fp_math_f32", "fp_contract"];
pub(crate) const TRUTHS: [&str; 5] =
    ["approx_func_fp_math", "no_infs_fp_math", "no_nans_fp_math", "no_signed_zeros_fp_math", "unsafe_fp_math"];

/// Attributes of the dialect `llvm` without values, and the corresponding function attributes of LLVM.
const UNITS: [(&str, &str); 12] = [
    ("arm_streaming", "aarch64_pstate_sm_enabled"),
    ("arm_streaming_compatible", "aarch64_pstate_sm_compatible"),
    ("arm_locally_streaming", "aarch64_pstate_sm_body"),
    ("arm_new_za", "aarch64_new_za"),
    ("arm_in_za", "aarch64_in_za"),
    ("arm_out_za", "aarch64_out_za"),
    ("arm_inout_za", "aarch64_inout_za"),
    ("arm_preserves_za", "aarch64_preserves_za"),
    ("naked", "naked"),
    ("noreturn", "noreturn"),
    ("returns_twice", "returns_twice"),
    ("no_caller_saved_registers", "no_caller_saved_registers"),
];

/// The function attribute of LLVM that an attribute without a value is.
pub(crate) fn unit_attribute(name: &[u8]) -> Option<&'static str> {
    UNITS.iter().find(|unit| unit.0.as_bytes() == name).map(|unit| unit.1)
}

/// The function attribute of LLVM that an attribute with a text is: its key and the text.
pub(crate) fn text_attribute(name: &[u8], value: AttributeRef) -> Result<Option<(&'static str, Vec<u8>)>> {
    Ok(Some(match name {
        b"frame_pointer" => {
            let text = value.span()?;
            let kinds = [&b"all"[..], b"non-leaf-no-reserve", b"non-leaf", b"reserved", b"none"];
            let kind = kinds.into_iter().find(|kind| memchr::memmem::find(text, kind).is_some());
            ("frame-pointer", kind.unwrap_or(b"none").to_vec())
        }
        b"target_cpu" => ("target-cpu", value.bytes()?),
        b"tune_cpu" => ("tune-cpu", value.bytes()?),
        b"target_features" => {
            let list = value.opened("").1.unwrap_or(value).array()?;
            let all = list.map(|feature| feature?.bytes()).collect::<Result<Vec<_>>>()?;
            ("target-features", all.join(&b','))
        }
        _ => return Ok(None),
    }))
}

/// The name in LLVM's text of a calling convention, by MLIR's name.
pub(crate) fn convention_word(word: &[u8]) -> String {
    let text = String::from_utf8_lossy(word);
    match word {
        b"ccc" => String::new(),
        b"cc_10" => "ghccc".into(),
        b"cc_11" => "cc 11".into(),
        _ => {
            let short = ["ptx_", "spir_", "amdgpu_"].iter().any(|front| text.starts_with(front));
            let kept = if short { text.strip_suffix("cc").unwrap_or(&text) } else { &text };
            kept.to_string()
        }
    }
}

/// Takes one of LLVM's function attributes by its name.
pub(crate) fn take_attribute(
    attrs: &mut FnAttrs,
    values: &mut Values,
    key: &[u8],
    value: &[u8],
    (at, arch): (AttributeRef, Arch),
) -> Result<()> {
    attrs.word(key, values, at.pos());
    if key == b"alignstack" {
        let bytes = std::str::from_utf8(value).ok().and_then(|n| n.parse::<u32>().ok()).filter(|n| n.is_power_of_two());
        let bytes = bytes.ok_or_else(|| at.error("an alignment is a power of two"))?;
        attrs.align_stack(bytes, values, at.pos());
    }
    attrs.string(key, value, values, (at.pos(), arch)).map_err(|why| at.error(why))
}

/// The meaning for code of the attributes of an argument or result, which are in this dictionary.
pub(crate) fn param_attrs(attrs: AttributeRef, types: &mut Types, llvm: &mut TypeTable) -> Result<ParamAttrs> {
    meaning(attrs, &attrs.dictionary()?, types, llvm)
}

fn meaning(attrs: AttributeRef, all: &[NamedAttribute], types: &mut Types, llvm: &mut TypeTable) -> Result<ParamAttrs> {
    let mut out = ParamAttrs::default();
    let mut read_only = false;
    for &NamedAttribute { name, value } in all {
        let mut role = None;
        match name.strip_prefix(b"llvm.").unwrap_or(b"") {
            b"signext" => out.widen = Widen::Sign,
            b"zeroext" => out.widen = Widen::Zero,
            b"inreg" => out.in_reg = true,
            b"readonly" => read_only = true,
            b"align" => out.align = value.power_of_two()?,
            b"alignstack" => out.stack_align = Some(value.power_of_two()?),
            b"nest" => role = Some(Role::Nest),
            b"swiftself" => role = Some(Role::SwiftSelf),
            b"swifterror" => role = Some(Role::SwiftError),
            b"swiftasync" => role = Some(Role::SwiftAsync),
            b"elementtype" => {
                let ty = value.ty(types, llvm)?;
                out.element_type = types.whole(ty);
            }
            word @ (b"sret" | b"byval" | b"inalloca" | b"preallocated") => {
                let ty = value.ty(types, llvm)?;
                let attr = match word {
                    b"sret" => MemoryAttr::StructReturn,
                    b"byval" => MemoryAttr::ByVal,
                    b"inalloca" => MemoryAttr::InAlloca,
                    _ => MemoryAttr::Preallocated,
                };
                role = Some(attr.role(types.whole(ty), llvm).map_err(|why| value.error(why))?);
            }
            _ => {}
        }
        if let Some(role) = role {
            out.take_role(role).map_err(|why| value.error(why))?;
        }
    }
    out.complete(read_only).map_err(|why| attrs.error(why))?;
    Ok(out)
}
