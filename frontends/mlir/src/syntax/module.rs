//! The operations of a file outside of functions: where they are, and the properties of modules. None of them is read.

use std::collections::HashMap;

use gusset_text::{Result, Source};

use super::attributes::{AttributeRef, NamedAttribute, dictionary, find, read_int, read_ints, read_symbol};
use super::generic::{Item, generic_operation, no_types, peek_name};
use super::lexer::{Cursor, Tokens};
use super::op_span::{self, Begins};

/// Modules nested deeper than this are refused.
const MAX_NESTING: u32 = 64;

/// How the ends of functions are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extents {
    /// By their braces.
    Exact,
    /// By their lines, which the readers of bodies check.
    Printed,
}

/// The parts of a file outside of functions.
#[derive(Default)]
pub(crate) struct ModuleText<'s> {
    pub items: Vec<Item<'s>>,
    /// Aliases by their names with the sigil.
    pub aliases: Vec<NamedAttribute<'s>>,
    pub resources: HashMap<&'s [u8], AttributeRef<'s>>,
    /// Attributes of modules, beginning with the outermost.
    attrs: Vec<NamedAttribute<'s>>,
    /// Modules, beginning with the outermost; the first one is the file.
    modules: Vec<Nested<'s>>,
    /// The ends of functions are found by lines.
    printed: bool,
    /// The location after the outermost module.
    pub location: Option<AttributeRef<'s>>,
}

/// A module of the file.
#[derive(Clone, Copy, Default)]
struct Nested<'s> {
    /// Index of the module that contains it; none for the file.
    outer: Option<usize>,
    /// Its data layout (`dlti.dl_spec`).
    layout: Option<AttributeRef<'s>>,
    /// It contains operations other than modules.
    used: bool,
}

/// Where words begin operations of a module: several operations with a name and something after it may be in one line.
fn begins(word: &[u8]) -> Begins {
    match word {
        b"func.func" | b"llvm.func" | b"util.func" | b"llvm.mlir.global" | b"memref.global" | b"builtin.module" => {
            Begins::Anywhere
        }
        _ => Begins::short(matches!(word, b"module" | b"func" | b"global_memref")),
    }
}

impl<'s> ModuleText<'s> {
    /// Walks over a file.
    pub fn find(source: Source<'s>, extents: Extents) -> Result<ModuleText<'s>> {
        let mut c = Cursor::new(source.text, 0);
        c.ws();
        let mut found = ModuleText { printed: extents == Extents::Printed, ..ModuleText::default() };
        found.modules.push(Nested::default());
        found.walk(&mut c, 0, 0)?;
        Ok(found)
    }

    /// The value of the innermost module's attribute.
    pub fn attr(&self, name: &str) -> Option<AttributeRef<'s>> {
        self.attrs.iter().rev().find(|a| a.name == name.as_bytes()).map(|a| a.value)
    }

    /// Adds a module inside another, with these attributes; returns its index.
    fn nested(&mut self, outer: usize, attrs: &[NamedAttribute<'s>]) -> usize {
        self.attrs.extend_from_slice(attrs);
        let layout = find(attrs, "dlti.dl_spec");
        self.modules.push(Nested { outer: Some(outer), layout, used: false });
        self.modules.len() - 1
    }

    /// The width of `index` in data layouts, which is the same for all functions.
    pub fn index_bits(&self, source: Source) -> Result<Option<u32>> {
        let mut common: Option<Option<u32>> = None;
        for module in self.modules.iter().filter(|m| m.used) {
            let bits = self.closest_index_bits(*module)?;
            if *common.get_or_insert(bits) != bits {
                // The position of the layout that gives it: that of this module, or of an earlier one.
                let at = module.layout.or(self.modules.iter().find_map(|m| m.layout)).map_or(0, AttributeRef::pos);
                let m = "`index` is of another width in another module of the file, which is not supported: compile them one by one";
                return Err(source.error(at, m));
            }
        }
        Ok(common.flatten())
    }

    /// The width of `index` in a module: its own, or that of the closest surrounding module that gives one.
    fn closest_index_bits(&self, mut module: Nested<'s>) -> Result<Option<u32>> {
        loop {
            if let Some(layout) = module.layout
                && let Some(bits) = self.index_entry(layout)?
            {
                return Ok(Some(bits));
            }
            match module.outer {
                Some(outer) => module = self.modules[outer],
                None => return Ok(None),
            }
        }
    }

    /// The entry for `index` of a data layout (`dlti.dl_spec`), or of its alias's.
    fn index_entry(&self, mut layout: AttributeRef<'s>) -> Result<Option<u32>> {
        let mut c = layout.cursor();
        if c.peek() == b'#' && !c.starts_with(b"#dlti.") {
            c.pos += 1;
            let name = &c.src[layout.pos()..c.pos + c.word_len()];
            let Some(known) = self.aliases.iter().find(|a| a.name == name) else { return Ok(None) };
            layout = known.value;
        }
        let text = layout.span()?;
        for key in [&b"<index,"[..], b"<index =", b" index =", b",index =", b" index="] {
            if let Some(found) = memchr::memmem::find(text, key) {
                let mut c = Cursor::new(c.src, layout.pos() + found + key.len());
                c.ws();
                let pos = c.pos;
                let bits = match c.peek().is_ascii_digit() {
                    true => read_int(&mut c)?,
                    false => read_ints(&mut c)?.first().copied().unwrap_or(0),
                };
                return match u32::try_from(bits) {
                    Ok(bits @ 8..=64) => Ok(Some(bits)),
                    _ => Err(c.error_at(pos, "`index` has 8 to 64 bits")),
                };
            }
        }
        Ok(None)
    }

    /// Walks over the operations of a module to its end.
    fn walk(&mut self, c: &mut Cursor<'s>, depth: u32, module: usize) -> Result<()> {
        c.refuse_if(depth > MAX_NESTING, c.pos, "modules are nested too deeply")?;
        loop {
            let pos = c.pos;
            match c.peek() {
                0 if c.at_end() => {
                    return if depth == 0 { Ok(()) } else { Err(c.expected("`}`")) };
                }
                b'}' if depth > 0 => {
                    c.bump(1);
                    return Ok(());
                }
                b'#' | b'!' => {
                    c.pos += 1;
                    let len = c.word_len();
                    c.unexpected_if(len == 0, pos, "an alias or an operation")?;
                    c.bump(len);
                    c.expect(b'=')?;
                    c.eat_word(b"type");
                    let name = &c.src[pos..pos + 1 + len];
                    self.aliases.push(NamedAttribute { name, value: AttributeRef::at(c) });
                    // `distinct[0]<…>`, `loc(…)`, `affine_map<…>` and everything else are values.
                    c.skip_value()?;
                }
                b'{' if c.starts_with(b"{-#") => self.resources(c)?,
                b'%' => unused_constant(c)?,
                _ => {
                    let (name, quoted) = peek_name(c)?;
                    c.unexpected_if(name.is_empty(), pos, "an operation")?;
                    if !matches!(name, b"module" | b"builtin.module") {
                        let function = !quoted && matches!(name, b"llvm.func" | b"func.func" | b"util.func" | b"func");
                        let printed = if function { &mut self.printed } else { &mut false };
                        op_span::skip(c, &begins, printed, &mut |_, _| {})?;
                        self.items.push(Item { name, pos, end: c.pos });
                        self.modules[module].used = true;
                        continue;
                    }
                    c.bump(name.len() + if quoted { 2 } else { 0 });
                    let mut attrs = Vec::new();
                    if quoted {
                        // The attributes may follow the region.
                        let mut after = Cursor::new(c.src, pos);
                        let open = generic_operation(&mut after, &mut attrs)?;
                        let open = open.ok_or_else(|| c.expected("a region"))?;
                        no_types(&mut after)?;
                        self.location = (depth == 0).then_some(AttributeRef::at(&after));
                        after.skip_location()?;
                        c.pos = open;
                        let inner = self.nested(module, &attrs);
                        c.bump(1);
                        if c.peek() == b'^' {
                            c.pos += 1;
                            c.name()?;
                            c.expect(b':')?;
                        }
                        self.walk(c, depth + 1, inner)?;
                        *c = after;
                        continue;
                    }
                    if c.peek() == b'@' {
                        read_symbol(c)?;
                    }
                    if c.eat_word(b"attributes") {
                        dictionary(c, &mut attrs)?;
                    }
                    let inner = self.nested(module, &attrs);
                    c.expect(b'{')?;
                    self.walk(c, depth + 1, inner)?;
                    self.location = (depth == 0).then_some(AttributeRef::at(c));
                    c.skip_location()?;
                }
            }
        }
    }

    /// Finds the bytes of resources: `{-# dialect_resources: { builtin: { key: "0x…" } } #-}`.
    fn resources(&mut self, c: &mut Cursor<'s>) -> Result<()> {
        let start = c.pos;
        c.bump(3);
        let mut depth = 0usize;
        loop {
            match c.peek() {
                b'#' if c.starts_with(b"#-}") => {
                    c.bump(3);
                    return Ok(());
                }
                b'{' => {
                    depth += 1;
                    c.bump(1);
                }
                b'}' => {
                    depth = depth.saturating_sub(1);
                    c.bump(1);
                }
                b',' => c.bump(1),
                0 if c.at_end() => return Err(c.error_at(start, "the list of resources is not closed")),
                _ => {
                    let key = c.name()?;
                    c.expect(b':')?;
                    if c.peek() == b'"' {
                        self.resources.insert(key, AttributeRef::at(c));
                        c.quoted()?;
                    } else if c.peek() != b'{' {
                        c.skip_value()?;
                    }
                }
            }
        }
    }
}

/// Constants that may be directly in a module. Functions cannot use values from outside, so nothing uses them.
const CONSTANTS: [&[u8]; 8] = [
    b"arith.constant",
    b"complex.constant",
    b"index.constant",
    b"llvm.mlir.constant",
    b"llvm.mlir.poison",
    b"llvm.mlir.undef",
    b"llvm.mlir.zero",
    b"ub.poison",
];

/// Moves over a constant in a module.
fn unused_constant(c: &mut Cursor) -> Result<()> {
    let start = c.pos;
    c.unexpected_if(!op_span::results_ahead(*c), start, "an operation")?;
    while c.peek() != b'=' {
        c.pos += 1;
    }
    c.bump(1);
    let (name, _) = peek_name(c)?;
    if !CONSTANTS.contains(&name) {
        let name = String::from_utf8_lossy(name);
        let m =
            format!("`{name}` stands outside of functions, where nothing is computed: only constants may stand there");
        return Err(c.error_at(start, m));
    }
    op_span::skip(c, &begins, &mut false, &mut |_, _| {})?;
    c.skip_location()
}

/// Whether a file is MLIR's bytecode.
pub fn is_bytecode(source: &[u8]) -> bool {
    source.starts_with(b"ML\xefR")
}

/// Whether a text is MLIR, judging by its first words. LLVM IR begins differently.
pub fn is_mlir(source: &[u8]) -> bool {
    if is_bytecode(source) {
        return true;
    }
    let mut c = Cursor::new(source, 0);
    c.ws();
    match c.peek() {
        b'#' | b'{' => true,
        // Metadata of LLVM IR has numbers; the names of its lists precede ` = !{`.
        b'!' => {
            c.pos += 1;
            let (len, number) = (c.word_len(), c.peek().is_ascii_digit());
            c.bump(len);
            let alias = len > 0 && c.eat(b'=') && !c.starts_with(b"distinct");
            alias && (c.peek() != b'!' || !number && c.ahead(1) != b'{')
        }
        b'"' => c.quoted().is_ok() && c.peek() == b'(',
        _ => match c.peek_word() {
            b"module" => {
                c.bump(b"module".len());
                matches!(c.peek(), b'{' | b'@') || c.peek_word() == b"attributes"
            }
            word => word.contains(&b'.') || matches!(word, b"func" | b"global_memref"),
        },
    }
}

/// The triple that a module names (`llvm.target_triple`).
pub fn target_triple(source: &[u8]) -> Option<String> {
    const NAME: &[u8] = b"llvm.target_triple";
    // It is before the first function.
    let end = memchr::memmem::find(source, b"func ").unwrap_or(source.len());
    let head = &source[..end];
    let at = match memchr::memmem::find(head, NAME) {
        Some(at) => at,
        // In the generic form the module's attributes are at its end.
        None if memchr::memmem::find(head, b"\"builtin.module\"").is_some() => memchr::memmem::rfind(source, NAME)?,
        None => return None,
    };
    let mut c = Cursor::new(source, at + NAME.len());
    c.ws();
    c.eat(b'=').then(|| c.text().ok()).flatten()
}
