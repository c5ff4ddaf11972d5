//! Rewrites the source into the language that the parser knows.
//!
//! The parser reads standard C with GNU attributes. Everything else in headers is rewritten token by token: a type
//! becomes a known type with an attribute, a calling convention an attribute, `#pragma pack` an attribute of each
//! struct and union, whose attributes move after its members, where the parser expects them. Whatever does not affect
//! an ABI is dropped: function bodies, initializers, harmless attributes. Each token keeps its position in the source.

use std::borrow::Cow;
use std::collections::BTreeSet;

use gusset_abi::{AbiTarget, Arch, Env, Language};

use crate::attribute::{self, Known};
use crate::class::ClassBody;
use crate::cxx::Cxx;
use crate::fault::{Checked, Fault};
use crate::lex::{Kind, Token};
use crate::names;
use crate::pack::Pack;

/// Deepest nesting of brackets in the parser's input, and most operators and brackets between two commas, semicolons or
/// braces. These bounds keep every recursion over the declarations shallow.
const MAX_NESTING: usize = 48;
const MAX_OPERATORS: usize = 64;

/// The name of the parameter that replaces the three dots.
pub(crate) const DOTS: &str = "__gusset_dots";

/// The parser's input, with the positions of its tokens in the source.
pub(crate) struct Rewritten {
    pub text: String,
    /// Number of declarations before the source's own, which tell the parser which names are types.
    pub prelude: usize,
    /// Names of functions that C cannot spell; see [`shown`](crate::cxx::shown).
    pub shown: Vec<String>,
    /// What the members of C++ classes say about them; attributes refer to them by number.
    pub classes: Vec<ClassBody>,
    /// Offsets of tokens in the text and in the source, ascending in the text.
    map: Vec<(usize, usize)>,
}

impl Rewritten {
    /// The position in the source of a byte in the text.
    pub fn source_of(&self, at: usize) -> usize {
        let after = self.map.partition_point(|(text, _)| *text <= at);
        self.map.get(after.saturating_sub(1)).map_or(0, |(_, source)| *source)
    }
}

/// Rewrites the tokens of a source of `length` bytes.
pub(crate) fn rewrite(
    tokens: &[Token<'_>],
    length: usize,
    target: &AbiTarget,
    language: Language,
) -> Checked<Rewritten> {
    let (pack, cxx) = (Pack::default(), Cxx::default());
    let mut rewriter = Rewriter { tokens, target, language, out: Vec::new(), pack, cxx, depth: 0 };
    rewriter.range(Context::File, 0, tokens.len())?;
    // The last semicolon may be missing, as it often is on a command line.
    if rewriter.out.last().is_some_and(|(last, _)| last != ";") {
        rewriter.emit(";", length);
    }
    rewriter.cxx_end();
    check_bounds(&rewriter.out)?;
    let words = tokens.iter().filter(|t| t.kind == Kind::Word).map(|t| t.text);
    let known: BTreeSet<&str> = words.filter(|word| names::meaning(word, target).is_some()).collect();
    let mut text: String = known.iter().map(|name| format!("typedef int {name}; ")).collect();
    let mut map = Vec::with_capacity(rewriter.out.len() + 1);
    for (token, at) in &rewriter.out {
        map.push((text.len(), *at));
        text.push_str(token);
        text.push(' ');
    }
    map.push((text.len().saturating_sub(1), length));
    let Cxx { shown, bodies: classes, .. } = rewriter.cxx;
    Ok(Rewritten { text, prelude: known.len(), shown, classes, map })
}

/// Checks the bounds on nesting and operators.
fn check_bounds(out: &[Placed<'_>]) -> Checked<()> {
    let (mut depth, mut operators) = (0usize, 0);
    for (token, at) in out {
        let first = token.bytes().next().unwrap_or(b' ');
        let prefix = matches!(token.as_ref(), "sizeof" | "_Alignof" | "__real__" | "__imag__");
        match token.as_ref() {
            "(" | "[" | "{" => depth += 1,
            "((" => depth += 2,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "))" => depth = depth.saturating_sub(2),
            _ if !prefix && (first.is_ascii_alphanumeric() || matches!(first, b'_' | b'"' | b'\'' | b'$')) => continue,
            _ => {}
        }
        if depth > MAX_NESTING {
            return Err(Fault::new(*at, format!("brackets are nested more than {MAX_NESTING} deep here")));
        }
        operators = if matches!(token.as_ref(), "," | ";" | "{" | "}") { 0 } else { operators + 1 };
        if operators > MAX_OPERATORS {
            let message = format!("more than {MAX_OPERATORS} operators and brackets without a comma or semicolon");
            return Err(Fault::new(*at, message));
        }
    }
    Ok(())
}

/// The construct that surrounds the tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Context {
    File,
    Record,
    Enum,
    Brackets,
    /// An array's length.
    Expression,
}

/// A token of the text and its position in the source.
pub(crate) type Placed<'a> = (Cow<'a, str>, usize);

/// The tokens of a text that separates them by spaces, at one position.
pub(crate) fn placed<'a>(text: &str, at: usize) -> impl Iterator<Item = Placed<'a>> {
    text.split(' ').map(move |word| (Cow::Owned(word.to_string()), at))
}

pub(crate) struct Rewriter<'a> {
    pub(crate) tokens: &'a [Token<'a>],
    pub(crate) target: &'a AbiTarget,
    pub(crate) out: Vec<Placed<'a>>,
    pack: Pack,
    language: Language,
    pub(crate) cxx: Cxx<'a>,
    /// How many brackets are open.
    depth: usize,
}

impl<'a> Rewriter<'a> {
    pub(crate) fn is_cxx(&self) -> bool {
        self.language == Language::Cxx
    }

    pub(crate) fn is(&self, i: usize, text: &str) -> bool {
        self.tokens.get(i).is_some_and(|t| t.is(text))
    }

    /// The index of the first of `stops` outside of brackets from token `i` on, or an index of at least `to`.
    pub(crate) fn end_of(&self, mut i: usize, to: usize, stops: &[&str]) -> usize {
        while i < to && !stops.iter().any(|stop| self.is(i, stop)) {
            i = self.tokens[i].partner.max(i) + 1;
        }
        i
    }

    pub(crate) fn emit(&mut self, text: &'a str, at: usize) {
        self.out.push((Cow::Borrowed(text), at));
    }

    pub(crate) fn emit_all(&mut self, text: &str, at: usize) {
        self.out.extend(placed(text, at));
    }

    /// Runs `emit`, and returns the tokens it would emit instead of emitting them.
    pub(crate) fn aside(
        &mut self,
        emit: impl FnOnce(&mut Self) -> Checked<usize>,
    ) -> Checked<(usize, Vec<Placed<'a>>)> {
        let kept = std::mem::take(&mut self.out);
        let next = emit(self);
        let aside = std::mem::replace(&mut self.out, kept);
        Ok((next?, aside))
    }

    pub(crate) fn range(&mut self, context: Context, from: usize, to: usize) -> Checked<()> {
        if self.depth > MAX_NESTING {
            let at = self.tokens.get(from).map_or(0, |token| token.at);
            return Err(Fault::new(at, format!("brackets are nested more than {MAX_NESTING} deep here")));
        }
        self.depth += 1;
        let mut i = from;
        while i < to {
            i = self.item(context, i, to)?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// Rewrites what begins at token `i`; returns the index after it.
    pub(crate) fn item(&mut self, context: Context, i: usize, to: usize) -> Checked<usize> {
        if let Some(next) = self.cxx_item(context, i, to)? {
            return Ok(next);
        }
        let token = self.tokens[i];
        match token.kind {
            Kind::Pragma => {
                self.pack.pragma(token.text, token.at)?;
                Ok(i + 1)
            }
            Kind::Word => self.word(context, i, to),
            Kind::Punct => self.punctuator(context, i, to),
            Kind::Number => {
                // Digit separators of C23.
                let digits: String = token.text.chars().filter(|c| *c != '\'').collect();
                self.out.push((Cow::Owned(digits), token.at));
                Ok(i + 1)
            }
            Kind::String | Kind::Char => {
                if !token.text.bytes().all(|b| (b' '..=b'~').contains(&b)) {
                    return Err(Fault::new(token.at, "only ASCII is supported in literals"));
                }
                self.emit(token.text, token.at);
                Ok(i + 1)
            }
        }
    }

    fn punctuator(&mut self, context: Context, i: usize, to: usize) -> Checked<usize> {
        let token = self.tokens[i];
        match token.text {
            "[" if self.is(i + 1, "[") && self.tokens[i + 1].partner + 1 == token.partner => {
                self.list(i + 2, token.partner - 1, true)?;
                Ok(token.partner + 1)
            }
            "{" if context == Context::File => {
                // The head of a function is all that matters; its body is dropped.
                self.emit(";", token.at);
                self.cxx_end();
                Ok(token.partner + 1)
            }
            "(" | "[" | "{" => {
                self.emit(token.text, token.at);
                let i = if token.text == "(" { self.pointer_attributes(i, token.partner)? } else { i };
                let inner = if token.text == "[" { Context::Expression } else { Context::Brackets };
                self.range(inner, i + 1, token.partner)?;
                let close = self.tokens[token.partner];
                self.emit(close.text, close.at);
                Ok(token.partner + 1)
            }
            "=" if matches!(context, Context::File | Context::Record) => Ok(self.end_of(i + 1, to, &[",", ";"])),
            ";" if matches!(context, Context::File | Context::Record) => {
                // The parser knows no empty declarations.
                if self.out.last().is_some_and(|(last, _)| last != ";" && last != "{") {
                    self.emit(";", token.at);
                }
                if context == Context::File {
                    self.cxx_end();
                }
                Ok(i + 1)
            }
            "..." => {
                let separate = self.out.last().is_some_and(|(last, _)| last != "," && last != "(");
                self.emit_all(if separate { ", int" } else { "int" }, token.at);
                self.emit(DOTS, token.at);
                Ok(i + 1)
            }
            _ => {
                self.emit(token.text, token.at);
                Ok(i + 1)
            }
        }
    }

    /// Drops the attribute in `(ATTRIBUTE *)` of a declarator without a name: the parser accepts none there, and it
    /// does not affect how the pointer is passed. Returns the index of the token before the star; otherwise `i`, the
    /// index of the bracket.
    fn pointer_attributes(&mut self, i: usize, close: usize) -> Checked<usize> {
        let mut star = i + 1;
        while star < close {
            let word = self.tokens[star];
            let convention = spelling(word.text).is_some_and(|text| text.starts_with("__attribute__ "));
            let (next, _) = self.aside(|this| this.attribute_word(star))?;
            if next == star && !(convention && word.kind == Kind::Word) {
                break;
            }
            star = next.max(star + 1);
        }
        let stars = |j: &usize| self.is(*j, "*") || self.is(*j, "const") || self.is(*j, "volatile");
        let end = (star..close).take_while(stars).count() + star;
        Ok(if star > i + 1 && end == close && end > star { star - 1 } else { i })
    }

    fn word(&mut self, context: Context, i: usize, to: usize) -> Checked<usize> {
        let token = self.tokens[i];
        let next = self.attribute_word(i)?;
        if next > i {
            return Ok(next);
        }
        let replacement = match token.text {
            "struct" | "union" | "enum" => return self.tag(context, i, to),
            "class" if self.is_cxx() => return self.tag(context, i, to),
            "extern" if self.tokens.get(i + 1).is_some_and(|t| t.kind == Kind::String) => {
                if !self.is(i + 2, "{") {
                    return Ok(i + 2);
                }
                let end = self.tokens[i + 2].partner;
                self.range(Context::File, i + 3, end)?;
                return Ok(end + 1);
            }
            "asm" | "__asm" | "__asm__" => {
                if context == Context::File && self.out.last().is_none_or(|(last, _)| last == ";") {
                    return Ok(self.parenthesized(i)?.1 + 1);
                }
                "__asm__"
            }
            "_Pragma" | "__pragma" => {
                let (from, end) = self.parenthesized(i)?;
                let words = &self.tokens[from..end];
                let text = match words.first() {
                    Some(first) if first.kind == Kind::String => first.text.trim_matches('"').to_string(),
                    _ => words.iter().map(|word| word.text).collect::<Vec<_>>().join(" "),
                };
                self.pack.pragma(&format!("#pragma {text}"), token.at)?;
                return Ok(end + 1);
            }
            "_BitInt" | "_ExtInt" => {
                let (from, end) = self.parenthesized(i)?;
                self.emit_all("int __attribute__ (( gusset_bitint (", token.at);
                self.range(Context::Brackets, from, end)?;
                self.emit_all(") ))", token.at);
                return Ok(end + 1);
            }
            "static_assert" | "_Static_assert" => {
                let (from, end) = self.parenthesized(i)?;
                self.emit_all("_Static_assert (", token.at);
                self.range(Context::Brackets, from, end)?;
                let at = self.end_of(from, end, &[","]);
                self.emit_all(if at < end { ")" } else { ", \"\" )" }, token.at);
                return Ok(end + 1);
            }
            "__ptr32" | "__ptr64" => {
                let bytes = if token.text == "__ptr32" { 4 } else { 8 };
                if bytes != self.target.pointer_bytes() {
                    return Err(Fault::new(token.at, format!("`{}` is not supported on this target", token.text)));
                }
                ""
            }
            "_Decimal32" | "_Decimal64" | "_Decimal128" | "_Imaginary" | "__auto_type" | "__ibm128" | "template" => {
                return Err(Fault::new(token.at, format!("`{}` is not supported", token.text)));
            }
            name if name.starts_with("_Float") && self.is(i + 1, ";") => {
                // A header defines the type itself.
                self.out.push((Cow::Owned(format!("__gusset{name}")), token.at));
                return Ok(i + 1);
            }
            "__fp16" if matches!(self.target.arch, Arch::Arm | Arch::Aarch64) => "float __attribute__ (( gusset_f16 ))",
            "class" | "namespace" => {
                let message = format!("`{}` is C++, and this is read as C", token.text);
                return Err(Fault::new(token.at, message));
            }
            "__float80" if !matches!(self.target.arch, Arch::X86 | Arch::X86_64) => {
                return Err(Fault::new(token.at, "the target has no __float80"));
            }
            text => spelling(text).unwrap_or(text),
        };
        if !replacement.is_empty() {
            self.emit_all(replacement, token.at);
        }
        Ok(i + 1)
    }

    /// The tokens in the brackets that follow token `i`: the first one's index, and the closing bracket's.
    fn parenthesized(&self, i: usize) -> Checked<(usize, usize)> {
        if !self.is(i + 1, "(") {
            return Err(Fault::new(self.tokens[i].at, format!("`(` is expected after `{}`", self.tokens[i].text)));
        }
        Ok((i + 2, self.tokens[i + 1].partner))
    }

    /// Rewrites an attribute, in any spelling, that begins at token `i`; returns the index after it, or `i` if there is
    /// none.
    fn attribute_word(&mut self, i: usize) -> Checked<usize> {
        let token = self.tokens[i];
        let double = self.is(i, "[") && self.is(i + 1, "[") && self.tokens[i + 1].partner + 1 == token.partner;
        if double {
            self.list(i + 2, token.partner - 1, true)?;
            return Ok(token.partner + 1);
        }
        match token.text {
            "__attribute__" | "__attribute" => {
                let (from, end) = self.parenthesized(i)?;
                if !self.is(from, "(") || self.tokens[from].partner + 1 != end {
                    return Err(Fault::new(token.at, "`((` is expected after `__attribute__`"));
                }
                self.list(from + 1, end - 1, false)?;
                Ok(end + 1)
            }
            "__declspec" | "_declspec" => {
                let (from, end) = self.parenthesized(i)?;
                self.list(from, end, false)?;
                Ok(end + 1)
            }
            "_Alignas" | "alignas" => {
                let (from, end) = self.parenthesized(i)?;
                // `sizeof` takes types and expressions, as `alignas` does; the reader of attributes takes the
                // alignment.
                self.emit_all("__attribute__ (( gusset_alignas ( sizeof (", token.at);
                self.range(Context::Brackets, from, end)?;
                self.emit_all(") ) ))", token.at);
                Ok(end + 1)
            }
            _ => Ok(i),
        }
    }

    /// The attributes of a list, in GNU's form or in C's (`scoped`, such as `gnu::packed`).
    fn list(&mut self, from: usize, end: usize, scoped: bool) -> Checked<()> {
        let mut i = from;
        while i < end {
            let token = self.tokens[i];
            if token.is(",") {
                i += 1;
                continue;
            }
            if token.kind != Kind::Word {
                return Err(Fault::new(token.at, format!("an attribute is expected, found `{}`", token.text)));
            }
            let mut name = token;
            let mut vendor = !scoped;
            if scoped && self.is(i + 1, "::") {
                if let Some(inner) = self.tokens.get(i + 2).filter(|t| t.kind == Kind::Word && i + 2 < end) {
                    name = *inner;
                    i += 2;
                }
                vendor = true;
            }
            i += 1;
            let arguments = if self.is(i, "(") && i < end { Some((i + 1, self.tokens[i].partner)) } else { None };
            if let Some((_, close)) = arguments {
                i = close + 1;
            }
            let plain = attribute::plain(name.text);
            let plain = if plain == "align" { "gusset_align" } else { plain };
            if plain == "no_unique_address" && self.is_cxx() && scoped {
                // Microsoft's targets have the attribute only in their own name space, others only in the common one.
                let microsoft = self.target.env == Env::Msvc;
                if microsoft == vendor && (!vendor || self.is(i - 3, "msvc")) {
                    self.emit_all("__attribute__ (( gusset_shares_address ))", name.at);
                }
                continue;
            }
            match attribute::known(plain) {
                Known::Harmless => continue,
                Known::Abi if vendor => {}
                _ if plain == "gusset_align" => {}
                Known::Unsupported => {
                    return Err(Fault::new(name.at, format!("the attribute `{}` is not supported", name.text)));
                }
                _ => {
                    return Err(Fault::new(
                        name.at,
                        format!(
                            "the attribute `{}` is not known{}",
                            name.text,
                            attribute::meant(attribute::plain(name.text))
                        ),
                    ));
                }
            }
            self.emit_all("__attribute__ ((", name.at);
            self.emit_all(plain, name.at);
            if let Some((from, close)) = arguments {
                self.emit_all("(", self.tokens[from - 1].at);
                self.range(Context::Brackets, from, close)?;
                self.emit_all(")", self.tokens[close].at);
            }
            self.emit_all("))", name.at);
        }
        Ok(())
    }

    /// Rewrites `struct`, `union` or `enum` at token `i`, to the end of its members if it has them.
    fn tag(&mut self, context: Context, i: usize, to: usize) -> Checked<usize> {
        let keyword = self.tokens[i];
        let spelled = match keyword.text {
            "union" => "union",
            "enum" => "enum",
            _ => "struct",
        };
        self.emit(spelled, keyword.at);
        let scoped = self.is_cxx() && spelled == "enum" && (self.is(i + 1, "class") || self.is(i + 1, "struct"));
        let i = if scoped { i + 1 } else { i };
        let (mut i, mut attributes) = self.aside(|this| {
            let mut i = i + 1;
            while i < to {
                let next = this.attribute_word(i)?;
                if next == i {
                    break;
                }
                i = next;
            }
            Ok(i)
        })?;
        let mut tag = "";
        let mut bases = Vec::new();
        if self.tokens.get(i).is_some_and(|t| t.kind == Kind::Word && i < to) {
            let name = self.tokens[i];
            tag = name.text;
            self.emit(name.text, name.at);
            i += 1;
            if self.is_cxx() {
                i += usize::from(self.is(i, "final"));
                self.cxx_name(spelled, name);
                let end = self.end_of(i, to, &["{", ";"]);
                if self.is(i, ":") && spelled != "enum" && self.is(end, "{") {
                    if spelled == "union" {
                        return Err(Fault::new(self.tokens[i].at, "a union has no bases"));
                    }
                    bases = self.bases(i + 1, end)?;
                    i = end;
                }
            }
        }
        let bit_field = context == Context::Record && self.tokens.get(i + 1).is_some_and(|t| t.kind == Kind::Number);
        if spelled == "enum" && self.is(i, ":") && !bit_field {
            let colon = self.tokens[i];
            let from = i + 1;
            while i < to && !self.is(i, "{") && !self.is(i, ";") {
                i += 1;
            }
            if !self.is(i, "{") {
                return Err(Fault::new(colon.at, "an enumeration with a type is supported only with its list"));
            }
            let end = i;
            let (_, underlying) = self.aside(|this| {
                this.emit_all("__attribute__ (( gusset_enum ( sizeof (", colon.at);
                this.range(Context::Brackets, from, end)?;
                this.emit_all(") ) ))", colon.at);
                Ok(end)
            })?;
            attributes.extend(underlying);
        }
        if !self.is(i, "{") || i >= to {
            return Ok(i);
        }
        let open = self.tokens[i];
        if let (Some(bytes), true) = (self.pack.bytes(), spelled != "enum") {
            attributes.extend(placed(&format!("__attribute__ (( gusset_pack ( {bytes} ) ))"), open.at));
        }
        self.emit("{", open.at);
        match spelled {
            "enum" => self.range(Context::Enum, i + 1, open.partner)?,
            _ if self.is_cxx() => {
                let own = self.class_body(keyword.text, tag, &bases, i)?;
                attributes.extend(own);
            }
            _ => self.range(Context::Record, i + 1, open.partner)?,
        }
        self.emit("}", self.tokens[open.partner].at);
        self.out.append(&mut attributes);
        Ok(open.partner + 1)
    }
}

/// The words that replace a word, separated by spaces; an empty text drops it.
fn spelling(word: &str) -> Option<&'static str> {
    Some(match word {
        "__int8" | "_int8" => "char",
        "__int16" | "_int16" => "short",
        "__int32" | "_int32" => "int",
        "__int64" | "_int64" => "long long",
        "__int128" => "int __attribute__ (( gusset_int128 ))",
        "_Float16" => "float __attribute__ (( gusset_f16 ))",
        "__bf16" => "float __attribute__ (( gusset_bf16 ))",
        "__float128" | "_Float128" => "float __attribute__ (( gusset_f128 ))",
        "_Float32" => "float",
        "_Float64" | "_Float32x" => "double",
        "_Float64x" | "__float80" => "long double",
        "__signed" | "__signed__" => "signed",
        "__complex__" | "__complex" => "_Complex",
        "__const" | "__const__" => "const",
        "__volatile__" | "__volatile" => "volatile",
        "__restrict" | "__restrict__" => "restrict",
        "__typeof" | "typeof" | "typeof_unqual" | "__typeof_unqual__" => "__typeof__",
        "alignof" | "__alignof" | "__alignof__" | "_alignof" => "_Alignof",
        "offsetof" => "__builtin_offsetof",
        "true" => "1",
        "false" => "0",
        "__cdecl" | "_cdecl" => "__attribute__ (( cdecl ))",
        "__stdcall" | "_stdcall" => "__attribute__ (( stdcall ))",
        "__fastcall" | "_fastcall" => "__attribute__ (( fastcall ))",
        "__thiscall" | "_thiscall" => "__attribute__ (( thiscall ))",
        "__vectorcall" | "_vectorcall" => "__attribute__ (( vectorcall ))",
        "__single_inheritance" | "__multiple_inheritance" | "__virtual_inheritance" | "__unspecified_inheritance" => "",
        "__extension__" | "__inline" | "__inline__" | "inline" | "__forceinline" | "_Noreturn" | "noreturn"
        | "__unaligned" | "__sptr" | "__uptr" | "__w64" | "_Thread_local" | "__thread" | "thread_local"
        | "constexpr" | "_Nonnull" | "_Nullable" | "_Null_unspecified" | "__nonnull" | "noexcept" => "",
        _ => return None,
    })
}
