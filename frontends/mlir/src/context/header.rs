//! Headers of functions: `func.func` and `llvm.func` in both forms.
//!
//! MLIR, "'func' Dialect", `func.func`; "'llvm' Dialect", `llvm.func`.

use gusset_abi::{Arch, Convention, Role, Widen};
use gusset_lower::{FnAttrs, MemoryAttr, ParamAttrs, Values};
use gusset_program::TypeTable;
use gusset_text::{Placed, Result};

use crate::syntax::attributes::dictionary;
use crate::syntax::generic::{generic_operation, no_types};
use crate::syntax::lexer::{Cursor, Tokens, unescape};
use crate::syntax::types::{Kind, Ty, Types};

/// A parameter or result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// Where its name stands, if it has one.
    pub name: Option<usize>,
    pub ty: Ty,
    pub pos: usize,
    /// Where its dictionary of attributes stands.
    pub attrs: Option<usize>,
}

impl Slot {
    /// How many values a parameter travels as.
    pub fn parts(&self, types: &Types, bare: bool) -> usize {
        let memref = matches!(types.own(self.ty), Some(Kind::Memref(_) | Kind::Unranked { .. }));
        if memref && !bare { types.count(self.ty) } else { 1 }
    }
}

/// The header of a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Header<'s> {
    /// Of the dialect `func`.
    pub upper: bool,
    pub name: Vec<u8>,
    pub params: Vec<Slot>,
    pub results: Vec<Slot>,
    pub variadic: bool,
    pub words: Vec<&'s [u8]>,
    /// Names and places of attributes.
    pub attrs: Vec<(&'s [u8], usize)>,
    /// In the generic form.
    pub generic: bool,
    /// Where the region begins.
    pub region: Option<usize>,
    /// Behind the header.
    pub behind: usize,
}

/// Reads the attributes of LLVM's that a function has besides MLIR's own: `["key", ["key", "value"]]`.
pub(crate) fn passthrough<'s>(
    c: &mut Cursor<'s>,
    mut each: impl FnMut(&[u8], Option<&[u8]>, &Cursor<'s>) -> Result<()>,
) -> Result<()> {
    c.expect(b'[')?;
    let mut more = !c.eat(b']');
    while more {
        let pair = c.eat(b'[');
        let key = unescape(c.quoted()?);
        let mut value = None;
        if pair {
            c.expect(b',')?;
            value = Some(unescape(c.quoted()?));
            c.expect(b']')?;
        }
        each(&key, value.as_deref(), c)?;
        more = c.more(b']')?;
    }
    Ok(())
}

impl<'s> Header<'s> {
    /// Reads a header; the cursor stands on the operation's name, and is left on the region or behind.
    pub fn parse(c: &mut Cursor<'s>, types: &mut Types, llvm: &mut TypeTable) -> Result<Header<'s>> {
        let start = c.pos;
        let h = Header::parse_up_to(None, c, types, llvm)?;
        h.check(c, start, llvm)?;
        Ok(h)
    }

    /// The same; if it is known where the region begins, no attributes of LLVM's functions are read.
    pub fn parse_up_to(
        region: Option<usize>,
        c: &mut Cursor<'s>,
        types: &mut Types,
        llvm: &mut TypeTable,
    ) -> Result<Header<'s>> {
        let generic = c.peek() == b'"';
        let name = if generic { Cursor::new(c.src, c.pos).quoted()? } else { c.peek_word() };
        let mut h = Header { upper: name != b"llvm.func", generic, ..Header::default() };
        if generic {
            h.as_attributes(c, types, llvm)?;
        } else {
            c.bump(name.len());
            // Those of functions of `func` are few, and one of them says that there are more parameters.
            h.custom(region.filter(|_| !h.upper), c, types, llvm)?;
        }
        h.behind = c.pos;
        // Functions of `func` have no dots of their own.
        let more = h.attr("func.varargs").filter(|_| h.upper);
        h.variadic |= more.is_some_and(|at| Cursor::new(c.src, at).peek_word() == b"true");
        Ok(h)
    }

    /// What stands behind the operation's name.
    fn custom(
        &mut self,
        region: Option<usize>,
        c: &mut Cursor<'s>,
        types: &mut Types,
        llvm: &mut TypeTable,
    ) -> Result<()> {
        while c.peek() != b'@' {
            let word = c.peek_word();
            c.unexpected_if(word.is_empty(), c.pos, "the function's name")?;
            c.bump(word.len());
            self.words.push(word);
        }
        self.name = crate::syntax::attributes::read_symbol(c)?.into_owned();
        self.parameters(c, types, llvm)?;
        if c.eat_arrow() {
            self.result_list(c, types, llvm)?;
        }
        if let Some(open) = region {
            c.pos = open;
        }
        while region.is_none() {
            match c.peek_word() {
                b"attributes" => {
                    c.bump(b"attributes".len());
                    dictionary(c, &mut self.attrs)?;
                }
                b"comdat" | b"vscale_range" => {
                    let word = c.peek_word();
                    c.bump(word.len());
                    c.unexpected_if(c.peek() != b'(', c.pos, "`(`")?;
                    self.attrs.push((word, c.pos + 1));
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

    /// Of a variadic function, how many values travel by its named parameters.
    pub fn named(&self, types: &Types, bare: bool) -> Option<usize> {
        self.variadic.then(|| self.params.iter().map(|slot| slot.parts(types, bare)).sum())
    }

    /// An error unless the operation ends at `end`, where the next one stands. Behind a region, its reader sees to that. The cursor
    /// stands where reading the header left it.
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
            let slot = slot(c, types, llvm, name, pos)?;
            self.params.push(slot);
            more = c.more(b')')?;
        }
        Ok(())
    }

    fn result_list(&mut self, c: &mut Cursor<'s>, types: &mut Types, llvm: &mut TypeTable) -> Result<()> {
        if c.peek() != b'(' {
            let pos = c.pos;
            // What follows in braces is the body, and a location that of the function: attributes and locations are for results in
            // parentheses.
            let ty = types.parse(llvm, c)?;
            self.results.push(Slot { name: None, ty, pos, attrs: None });
            return Ok(());
        }
        // A result may be a function: `-> ((i32) -> i32)`.
        c.expect(b'(')?;
        let mut more = !c.eat(b')');
        while more {
            let pos = c.pos;
            self.results.push(slot(c, types, llvm, None, pos)?);
            more = c.more(b')')?;
        }
        Ok(())
    }

    /// The generic form: all is attributes.
    fn as_attributes(&mut self, c: &mut Cursor<'s>, types: &mut Types, llvm: &mut TypeTable) -> Result<()> {
        let start = c.pos;
        let region = generic_operation(c, &mut self.attrs)?;
        let at = |h: &Header, name: &[u8]| h.attrs.iter().find(|a| a.0 == name).map(|a| a.1);
        let needed = |pos: Option<usize>, name: &str| {
            pos.ok_or_else(|| Cursor::new(c.src, start).error(format!("the attribute `{name}` is missing")))
        };
        let mut name = Cursor::new(c.src, needed(at(self, b"sym_name"), "sym_name")?);
        self.name = unescape(name.quoted()?);
        let ty = needed(at(self, b"function_type").or(at(self, b"type")), "function_type")?;
        let mut ty = Cursor::new(c.src, ty);
        if ty.peek() == b'!' {
            self.llvm_type(&mut ty, types, llvm)?;
        } else {
            self.parameters(&mut ty, types, llvm)?;
            ty.expect_arrow()?;
            self.result_list(&mut ty, types, llvm)?;
        }
        for (list, results) in [(&b"arg_attrs"[..], false), (&b"res_attrs"[..], true)] {
            let Some(pos) = at(self, list) else { continue };
            let mut c = Cursor::new(c.src, pos);
            c.expect(b'[')?;
            let slots = if results { &mut self.results } else { &mut self.params };
            for slot in slots {
                slot.attrs = Some(c.pos);
                c.skip_value()?;
                c.eat(b',');
            }
        }
        let words = [(&b"linkage"[..], true), (b"CConv", true), (b"sym_visibility", false)];
        for (name, inner) in words {
            let Some(pos) = at(self, name) else { continue };
            let mut c = Cursor::new(c.src, pos);
            if inner {
                c.pos += 1;
                c.bump(c.word_len());
                c.expect(b'<')?;
                self.words.push(c.peek_word());
            } else if c.peek() == b'"' {
                self.words.push(c.quoted()?);
            }
        }
        self.region = region.filter(|&at| {
            let mut inner = Cursor::new(c.src, at);
            inner.bump(1);
            inner.peek() != b'}'
        });
        Ok(())
    }

    /// `!llvm.func<result (parameters)>`.
    pub fn llvm_type(&mut self, c: &mut Cursor<'s>, types: &mut Types, llvm: &mut TypeTable) -> Result<()> {
        c.pos += 1;
        let word = c.peek_word();
        c.unexpected_if(word != b"llvm.func", c.pos, "`!llvm.func`")?;
        c.bump(word.len());
        c.expect(b'<')?;
        let pos = c.pos;
        let ret = types.llvm_inner(llvm, c)?;
        if ret != gusset_program::VOID {
            self.results.push(Slot { name: None, ty: Ty::of(ret), pos, attrs: None });
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
            self.params.push(Slot { name: None, ty, pos, attrs: None });
            more = c.more(b')')?;
        }
        Ok(())
    }

    /// Where the value of an attribute stands.
    pub fn attr(&self, name: &str) -> Option<usize> {
        self.attrs.iter().find(|a| a.0 == name.as_bytes()).map(|a| a.1)
    }

    pub fn has_word(&self, word: &str) -> bool {
        self.words.contains(&word.as_bytes())
    }

    /// The calling convention.
    pub fn convention(&self, c: &Cursor) -> Result<Convention> {
        for word in &self.words {
            let word = std::str::from_utf8(word).unwrap_or("");
            if word.ends_with("cc") || word.ends_with("pcs") {
                return gusset_llvm::convention(word)
                    .ok_or_else(|| c.error(format!("the calling convention `{word}` is not supported")));
            }
        }
        Ok(Convention::C)
    }

    /// What the attributes mean for the function's code.
    pub fn function_attrs(&self, src: &'s [u8], arch: Arch) -> Result<(FnAttrs, Values)> {
        let (mut attrs, mut values) = (FnAttrs::default(), Values::default());
        for &(name, pos) in &self.attrs {
            let mut c = Cursor::new(src, pos);
            match name {
                b"passthrough" => passthrough(&mut c, |key, value, c| {
                    take_attribute(&mut attrs, &mut values, key, value.unwrap_or_default(), (c, arch))
                })?,
                b"no_unwind" => attrs.0 |= FnAttrs::NOUNWIND,
                b"frame_pointer" => {
                    c.skip_untyped()?;
                    let text = &src[pos..c.pos];
                    let kind = [&b"all"[..], b"non-leaf", b"none"]
                        .into_iter()
                        .find(|kind| memchr::memmem::find(text, kind).is_some());
                    take_attribute(&mut attrs, &mut values, b"frame-pointer", kind.unwrap_or(b"none"), (&c, arch))?;
                }
                b"target_cpu" | b"tune_cpu" => {
                    let value = unescape(c.quoted()?);
                    let key = if name == b"tune_cpu" { &b"tune-cpu"[..] } else { b"target-cpu" };
                    take_attribute(&mut attrs, &mut values, key, &value, (&c, arch))?;
                }
                b"target_features" => {
                    while !matches!(c.peek(), b'[' | b'"') && !c.at_end() {
                        c.pos += 1;
                    }
                    let mut all = Vec::new();
                    c.expect(b'[')?;
                    let mut more = !c.eat(b']');
                    while more {
                        if !all.is_empty() {
                            all.push(b',');
                        }
                        all.extend(unescape(c.quoted()?));
                        more = c.more(b']')?;
                    }
                    take_attribute(&mut attrs, &mut values, b"target-features", &all, (&c, arch))?;
                }
                b"uwtable_kind" => attrs.0 |= FnAttrs::UWTABLE,
                b"garbageCollector" => {
                    let name = c.text()?;
                    if let Some(why) = gusset_lower::refusals::collector(&name) {
                        return Err(c.error_at(pos, why));
                    }
                }
                _ => {
                    if let Some(&(_, key)) = UNITS.iter().find(|unit| unit.0.as_bytes() == name) {
                        take_attribute(&mut attrs, &mut values, key.as_bytes(), b"", (&c, arch))?;
                    }
                }
            }
        }
        Ok((attrs, values))
    }
}

/// Attributes of the dialect `llvm` without values, and what they are among those of LLVM's functions.
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

/// A calling convention's name in LLVM's text by MLIR's.
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

/// Takes an attribute of LLVM's functions by its name.
pub(crate) fn take_attribute(
    attrs: &mut FnAttrs,
    values: &mut Values,
    key: &[u8],
    value: &[u8],
    (c, arch): (&Cursor, Arch),
) -> Result<()> {
    attrs.word(key, values, c.pos);
    if key == b"alignstack" {
        let bytes = std::str::from_utf8(value).ok().and_then(|n| n.parse::<u32>().ok()).filter(|n| n.is_power_of_two());
        let bytes = bytes.ok_or_else(|| c.error("an alignment is a power of two"))?;
        attrs.align_stack(bytes, values, c.pos);
    }
    attrs.string(key, value, values, (c.pos, arch)).at(c.src, c.pos)
}

fn slot(c: &mut Cursor, types: &mut Types, llvm: &mut TypeTable, name: Option<usize>, pos: usize) -> Result<Slot> {
    let ty = types.parse(llvm, c)?;
    let attrs = (c.peek() == b'{').then_some(c.pos);
    if attrs.is_some() {
        c.skip_group()?;
    }
    c.skip_location()?;
    Ok(Slot { name, ty, pos, attrs })
}

/// What the attributes of a parameter or result mean; the cursor stands on their dictionary.
pub(crate) fn param_attrs(mut c: Cursor, types: &mut Types, llvm: &mut TypeTable) -> Result<ParamAttrs> {
    let mut all = Vec::new();
    dictionary(&mut c, &mut all)?;
    let mut out = ParamAttrs::default();
    let mut read_only = false;
    for (name, pos) in all {
        let mut v = Cursor::new(c.src, pos);
        let role = match name.strip_prefix(b"llvm.").unwrap_or(b"") {
            b"signext" => {
                out.widen = Widen::Sign;
                continue;
            }
            b"zeroext" => {
                out.widen = Widen::Zero;
                continue;
            }
            b"inreg" => {
                out.in_reg = true;
                continue;
            }
            b"readonly" => {
                read_only = true;
                continue;
            }
            b"align" | b"alignstack" => {
                let n = crate::syntax::attributes::read_int(&mut v)?;
                let n = u32::try_from(n).ok().filter(|n| n.is_power_of_two());
                let n = n.ok_or_else(|| v.error_at(pos, "an alignment is a power of two"))?;
                if name.ends_with(b"stack") {
                    out.stack_align = Some(n);
                } else {
                    out.align = n;
                }
                continue;
            }
            b"nest" => Role::Nest,
            b"swiftself" => Role::SwiftSelf,
            b"swifterror" => Role::SwiftError,
            b"swiftasync" => Role::SwiftAsync,
            b"elementtype" => {
                let ty = types.parse(llvm, &mut v)?;
                out.element_type = types.whole(ty);
                continue;
            }
            word @ (b"sret" | b"byval" | b"inalloca" | b"preallocated") => {
                let ty = types.parse(llvm, &mut v)?;
                let attr = match word {
                    b"sret" => MemoryAttr::StructReturn,
                    b"byval" => MemoryAttr::ByVal,
                    b"inalloca" => MemoryAttr::InAlloca,
                    _ => MemoryAttr::Preallocated,
                };
                attr.role(types.whole(ty), llvm).at(c.src, pos)?
            }
            _ => continue,
        };
        out.take_role(role).at(c.src, pos)?;
    }
    out.complete(read_only).at(c.src, c.pos)?;
    Ok(out)
}
