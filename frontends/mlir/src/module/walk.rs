//! The walk over a file, which finds the positions of a module's operations and its properties, and reads no operation.

use std::collections::HashMap;
use std::sync::Arc;

use gusset_abi::Target;
use gusset_abi::memref::Allocation;
use gusset_lower::Facts;
use gusset_program::{DataLayout, TypeTable};
use gusset_text::{NameTable, Placed, Result};

use crate::context::ModuleContext;
use crate::context::foreign::Foreign;
use crate::dialect::Dialects;
use crate::module::module_attributes::{self, Flag};
use crate::syntax::attributes::{AttributeRef, NamedAttribute, dictionary, find, read_int, read_ints, read_symbol};
use crate::syntax::generic::{generic_operation, no_types};
use crate::syntax::lexer::{Cursor, Tokens};
use crate::syntax::op_span::{self, Begins};
use crate::syntax::types::Types;

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

/// What the walk finds.
#[derive(Default)]
struct Found {
    /// Positions of the module's operations: from the name to the next operation.
    items: Vec<(usize, usize)>,
    /// Aliases with their sigils, and the positions of their values.
    aliases: Vec<(Vec<u8>, usize)>,
    resources: HashMap<Vec<u8>, usize>,
    /// Attributes of modules, beginning with the outermost.
    attrs: Vec<(Vec<u8>, usize)>,
    /// Modules, beginning with the outermost; the first one is the file.
    modules: Vec<Nested>,
    /// The ends of functions are found by lines.
    printed: bool,
    /// Position of the location after the outermost module.
    location: Option<usize>,
}

/// A module of the file.
#[derive(Clone, Copy, Default)]
struct Nested {
    /// Index of the module that contains it; none for the file.
    outer: Option<usize>,
    /// Position of its data layout (`dlti.dl_spec`).
    layout: Option<usize>,
    /// It has operations of its own that are no modules.
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

/// The state before operations are read, and the positions of the module's operations.
pub(crate) fn begin<'s>(
    source: &'s [u8],
    name: &str,
    target: &Target,
    (index_bits, dialects): (Option<u32>, &Dialects),
    (purpose, extents): (Purpose, Extents),
) -> Result<(ModuleContext<'s>, Items, Strings)> {
    let mut c = Cursor::new(source, 0);
    gusset_text::refuse_binary(source)?;
    c.ws();
    let mut found = Found { printed: extents == Extents::Printed, ..Found::default() };
    found.modules.push(Nested::default());
    walk(&mut c, &mut found, 0, 0)?;
    let mut layout = DataLayout::of(target);
    let mut strings = found.strings(source)?;
    if let (Some(text), Some(at)) = (&strings.layout, found.attr(b"llvm.data_layout")) {
        let applied = layout.apply(&String::from_utf8_lossy(text));
        // The layout of a machine without a code generator is preserved.
        if purpose == Purpose::Code {
            applied.at(source, at)?;
        }
    } else if purpose == Purpose::Anywhere {
        layout.apply(NO_LAYOUT).at(source, 0)?;
    }
    let mut llvm = TypeTable::new(layout);
    if purpose != Purpose::Code {
        llvm.carry();
    }
    llvm.complete().at(source, 0)?;
    let bits = match index_bits {
        Some(bits) => bits,
        None => found.index_bits(source)?.unwrap_or(llvm.layout.pointer_bytes * 8),
    };
    let index = llvm.integer(bits).at(source, 0)?;
    let mut types = Types::new(&mut llvm, index, Arc::new(dialects.clone())).at(source, 0)?;
    for (name, at) in &found.aliases {
        types.alias(name, *at);
    }
    let value = |at: usize| AttributeRef::new(source, at).resolve(&types);
    strings.source_name =
        found.location.and_then(|at| module_attributes::source_name(AttributeRef::new(source, at), &types));
    strings.flags =
        found.attr(b"llvm.module_flags").map(|at| module_attributes::flags(value(at), &types)).transpose()?;
    for (name, list) in [
        (&b"llvm.module_asm"[..], &mut strings.assembly),
        (b"llvm.ident", &mut strings.idents),
        (b"llvm.commandline", &mut strings.command_lines),
        (b"llvm.dependent_libraries", &mut strings.libraries),
    ] {
        *list = found.attr(name).map(|at| module_attributes::texts(value(at))).transpose()?.unwrap_or_default();
    }
    let tables = ModuleContext {
        source,
        file: name.to_string(),
        facts: Facts::new(*target),
        llvm,
        types,
        rows: crate::convert::dialects::rows(),
        older: crate::convert::dialects::older_rows(),
        foreign: Foreign::new(dialects.clone()),
        machine_ops: Vec::new(),
        conflicts: Vec::new(),
        allocation: Allocation::default(),
        c_values: false,
        bare_pointers: false,
        only: None,
        names: NameTable::default(),
        symbols: Vec::new(),
        slots: Vec::new(),
        library: HashMap::new(),
        failure: None,
        no_library: false,
        resources: found.resources,
        block_tags: HashMap::new(),
        texts: HashMap::new(),
    };
    Ok((tables, found.items, strings))
}

/// The layout of modules that give none, if the target is unknown (LLVM LangRef, "Data Layout").
const NO_LAYOUT: &str = "i64:32:64-i128:32:64-f80:128";

/// What a module is read for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    Code,
    /// Translation for a target.
    Target,
    /// Translation for none.
    Anywhere,
}

/// Positions of a module's operations: from the name to the next operation.
pub(crate) type Items = Vec<(usize, usize)>;

/// Texts of a module for LLVM.
#[derive(Default)]
pub(crate) struct Strings {
    pub triple: Option<Vec<u8>>,
    pub layout: Option<Vec<u8>>,
    pub assembly: Vec<Vec<u8>>,
    /// The source file of the module.
    pub source_name: Option<Vec<u8>>,
    /// The producers of the module, and their command lines.
    pub idents: Vec<Vec<u8>>,
    pub command_lines: Vec<Vec<u8>>,
    /// Libraries that linkers look into.
    pub libraries: Vec<Vec<u8>>,
    pub flags: Option<Vec<Flag>>,
}

impl Found {
    /// Position of the value of the innermost module's attribute.
    fn attr(&self, name: &[u8]) -> Option<usize> {
        self.attrs.iter().rev().find(|a| a.0 == name).map(|a| a.1)
    }

    fn strings(&self, source: &[u8]) -> Result<Strings> {
        let text = |name: &[u8]| self.attr(name).map(|at| AttributeRef::new(source, at).bytes()).transpose();
        let layout = text(b"llvm.data_layout")?.filter(|text| !text.is_empty());
        let triple = text(b"llvm.target_triple")?.filter(|text| !text.is_empty());
        Ok(Strings { triple, layout, ..Strings::default() })
    }

    /// Adds a module inside another, with these attributes; returns its index.
    fn nested(&mut self, outer: usize, attrs: &[NamedAttribute]) -> usize {
        self.attrs.extend(attrs.iter().map(|a| (a.name.to_vec(), a.value.pos())));
        let layout = find(attrs, "dlti.dl_spec").map(AttributeRef::pos);
        self.modules.push(Nested { outer: Some(outer), layout, used: false });
        self.modules.len() - 1
    }

    /// The width of `index` in data layouts, which is the same for all functions.
    fn index_bits(&self, source: &[u8]) -> Result<Option<u32>> {
        let mut common: Option<Option<u32>> = None;
        for module in self.modules.iter().filter(|m| m.used) {
            let bits = self.closest_index_bits(*module, source)?;
            if *common.get_or_insert(bits) != bits {
                // The position of the layout that gives it: that of this module, or of an earlier one.
                let at = module.layout.or(self.modules.iter().find_map(|m| m.layout)).unwrap_or(0);
                let m = "`index` is of another width in another module of the file, which is not supported: compile them one by one";
                return Err(Cursor::new(source, at).error(m));
            }
        }
        Ok(common.flatten())
    }

    /// The width of `index` in a module: its own, or that of the closest surrounding module that gives one.
    fn closest_index_bits(&self, mut module: Nested, source: &[u8]) -> Result<Option<u32>> {
        loop {
            if let Some(at) = module.layout
                && let Some(bits) = self.index_entry(at, source)?
            {
                return Ok(Some(bits));
            }
            match module.outer {
                Some(outer) => module = self.modules[outer],
                None => return Ok(None),
            }
        }
    }

    /// The entry for `index` of the data layout at a position (`dlti.dl_spec`), or of its alias's.
    fn index_entry(&self, mut at: usize, source: &[u8]) -> Result<Option<u32>> {
        let start = Cursor::new(source, at);
        if start.peek() == b'#' && !start.starts_with(b"#dlti.") {
            let len = Cursor::new(source, at + 1).word_len();
            let name = &source[at..at + 1 + len];
            let Some(known) = self.aliases.iter().find(|a| a.0 == name) else { return Ok(None) };
            at = known.1;
        }
        let mut c = Cursor::new(source, at);
        c.skip_untyped()?;
        let text = &source[at..c.pos];
        for key in [&b"<index,"[..], b"<index =", b" index =", b",index =", b" index="] {
            if let Some(found) = memchr::memmem::find(text, key) {
                let mut c = Cursor::new(source, at + found + key.len());
                c.ws();
                let pos = c.pos;
                let bits = if c.peek().is_ascii_digit() {
                    read_int(&mut c)?
                } else {
                    read_ints(&mut c)?.first().copied().unwrap_or(0)
                };
                return match u32::try_from(bits) {
                    Ok(bits @ 8..=64) => Ok(Some(bits)),
                    _ => Err(c.error_at(pos, "`index` has 8 to 64 bits")),
                };
            }
        }
        Ok(None)
    }
}

/// Walks over the operations of a module to its end.
fn walk<'s>(c: &mut Cursor<'s>, found: &mut Found, depth: u32, module: usize) -> Result<()> {
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
                let name = c.src[pos..pos + 1 + len].to_vec();
                c.expect(b'=')?;
                c.eat_word(b"type");
                found.aliases.push((name, c.pos));
                skip_alias(c)?;
            }
            b'{' if c.starts_with(b"{-#") => resources(c, found)?,
            b'%' => unused_constant(c)?,
            _ => {
                let quoted = c.peek() == b'"';
                let name = if quoted { Cursor::new(c.src, c.pos).quoted()? } else { c.peek_word() };
                c.unexpected_if(name.is_empty(), pos, "an operation")?;
                if !matches!(name, b"module" | b"builtin.module") {
                    let function = !quoted && matches!(name, b"llvm.func" | b"func.func" | b"util.func" | b"func");
                    let printed = if function { &mut found.printed } else { &mut false };
                    op_span::skip(c, &begins, printed, &mut |_, _| {})?;
                    found.items.push((pos, c.pos));
                    found.modules[module].used = true;
                    continue;
                }
                c.bump(name.len() + if quoted { 2 } else { 0 });
                let mut attrs = Vec::new();
                if quoted {
                    // The attributes may follow the region.
                    let mut behind = Cursor::new(c.src, pos);
                    let open = generic_operation(&mut behind, &mut attrs)?;
                    let open = open.ok_or_else(|| c.expected("a region"))?;
                    no_types(&mut behind)?;
                    found.location = (depth == 0).then_some(behind.pos);
                    behind.skip_location()?;
                    c.pos = open;
                    let inner = found.nested(module, &attrs);
                    c.bump(1);
                    if c.peek() == b'^' {
                        c.pos += 1;
                        c.name()?;
                        c.expect(b':')?;
                    }
                    walk(c, found, depth + 1, inner)?;
                    *c = behind;
                    continue;
                }
                if c.peek() == b'@' {
                    read_symbol(c)?;
                }
                if c.eat_word(b"attributes") {
                    dictionary(c, &mut attrs)?;
                }
                let inner = found.nested(module, &attrs);
                c.expect(b'{')?;
                walk(c, found, depth + 1, inner)?;
                found.location = (depth == 0).then_some(c.pos);
                c.skip_location()?;
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
    let name = if c.peek() == b'"' { Cursor::new(c.src, c.pos).quoted()? } else { c.peek_word() };
    if !CONSTANTS.contains(&name) {
        let name = String::from_utf8_lossy(name);
        let m =
            format!("`{name}` stands outside of functions, where nothing is computed: only constants may stand there");
        return Err(c.error_at(start, m));
    }
    op_span::skip(c, &begins, &mut false, &mut |_, _| {})?;
    c.skip_location()
}

/// Moves over the value of an alias: an attribute, type or location.
fn skip_alias(c: &mut Cursor) -> Result<()> {
    // `distinct[0]<…>`, `loc(…)`, `affine_map<…>` and everything else are values.
    c.skip_value()
}

/// Reads the bytes of resources: `{-# dialect_resources: { builtin: { key: "0x…" } } #-}`.
fn resources(c: &mut Cursor, found: &mut Found) -> Result<()> {
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
                let key = c.name()?.to_vec();
                c.expect(b':')?;
                if c.peek() == b'"' {
                    found.resources.insert(key, c.pos);
                    c.quoted()?;
                } else if c.peek() != b'{' {
                    c.skip_value()?;
                }
            }
        }
    }
}
