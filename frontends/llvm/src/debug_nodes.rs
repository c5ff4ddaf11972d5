//! Nodes of debug information in LLVM's text, read where they stand (`DebugNodes`).

use std::borrow::Cow;
use std::cell::Cell;

use gusset_codegen::debug::DiConstant;
use gusset_codegen::ir::Type;
use gusset_lower::debug_info::{
    DebugField, DebugInfoError, DebugInfoReader, DebugNodes, FieldValue, IN_PLACE, LexicalBlockFields,
    LocalVariableFields, LocationFields,
};
use gusset_text::{ReadError, Result};

use crate::floats::parse_float;
use crate::lexer::{Cursor, Tokens, unescape};
use crate::printed_nodes::{printed_local_variable, printed_location};
use crate::tables::{ParsedModule, Tables, missing_node};

/// The nodes of a module. Those in place have their positions as numbers.
struct TextNodes<'t> {
    tables: &'t Tables<'t>,
    /// For each node in `tables.nodes`: its fields have been read, and what they refer to exists.
    read: Vec<Cell<bool>>,
}

impl TextNodes<'_> {
    /// Notes that the fields of a node have been read, and that what they refer to exists.
    fn note_read(&self, node: u32) {
        if let Some(read) = self.tables.node_index(node).and_then(|index| self.read.get(index)) {
            read.set(true);
        }
    }

    /// An error if a node refers to one that does not exist.
    #[cold]
    fn check_references(&self, start: usize) -> std::result::Result<(), DebugInfoError> {
        let missing = self.tables.missing_reference(start);
        missing.map_or(Ok(()), |(number, at)| Err(DebugInfoError::new(at, missing_node(number))))
    }
}

impl<'t> DebugNodes<'t> for TextNodes<'t> {
    fn kind(&self, node: u32) -> Option<&'t [u8]> {
        if self.tables.printed_nodes.lexical_block(node).is_some() {
            return Some(b"DILexicalBlock");
        }
        let mut c = self.tables.node_cursor(node);
        if c.peek() != b'!' {
            return None;
        }
        c.bump(1);
        match c.peek() {
            b'{' => Some(b""),
            _ => Some(c.peek_word()).filter(|word| !word.is_empty()),
        }
    }

    fn fields(&self, node: u32, fields: &mut Vec<DebugField<'t>>) -> std::result::Result<(), DebugInfoError> {
        let (mut c, before) = (self.tables.node_cursor(node), fields.len());
        let start = c.pos;
        read_fields(&mut c, fields).map_err(|error| DebugInfoError::new(c.pos, error.message()))?;
        let known = |field: &DebugField<'_>| match field.value {
            FieldValue::Node(node) => node < self.tables.first_missing_node,
            _ => true,
        };
        // What stands in place may refer to nodes, too.
        if !fields[before..].iter().all(known) {
            self.check_references(start)?;
        }
        self.note_read(node);
        Ok(())
    }

    fn location(&self, node: u32) -> Option<LocationFields> {
        self.tables.printed_nodes.location(node).or_else(|| printed_location(self.tables.node_text(node)))
    }

    fn lexical_block(&self, node: u32) -> Option<LexicalBlockFields> {
        self.tables.printed_nodes.lexical_block(node)
    }

    fn local_variable(&self, node: u32) -> Option<LocalVariableFields<'t>> {
        let fields = printed_local_variable(self.tables.node_text(node))?;
        if fields.scope.max(fields.file).max(fields.ty) >= self.tables.first_missing_node {
            return None;
        }
        self.note_read(node);
        Some(fields)
    }

    fn place(&self, node: u32) -> usize {
        self.tables.node_cursor(node).pos
    }

    fn check_unread(&self) -> std::result::Result<(), DebugInfoError> {
        // Those in the table were checked when they were found.
        let unread = |&(&(number, _), read): &(&(u64, usize), &Cell<bool>)| {
            !read.get() && !u32::try_from(number).is_ok_and(|number| self.tables.printed_nodes.has(number))
        };
        let unread = self.tables.nodes.iter().zip(&self.read).filter(unread);
        unread.map(|(node, _)| node.1).try_for_each(|start| self.check_references(start))
    }
}

impl ParsedModule<'_> {
    /// A reader of the module's debug information that has read the units with all that they list.
    ///
    /// # Errors
    /// The metadata is not LLVM's.
    pub fn debug_info_reader(&self) -> std::result::Result<DebugInfoReader<'_>, ReadError> {
        // Numbers may have gaps.
        let count = u32::try_from(self.tables.nodes.len()).unwrap_or(IN_PLACE).min(IN_PLACE);
        let nodes = TextNodes { tables: &self.tables, read: vec![Cell::new(false); self.tables.nodes.len()] };
        let reader = self.tables.debug_info_uses.reader(nodes, count);
        reader.map_err(|error| self.debug_info_error(&error))
    }

    /// The error of a reader of debug information, with its place in the text.
    pub fn debug_info_error(&self, error: &DebugInfoError) -> ReadError {
        ReadError::new(self.tables.source, error.place(), error.reason()).in_file(&self.tables.file)
    }
}

impl<'t> Tables<'t> {
    /// The index of a node with a number.
    fn node_index(&self, node: u32) -> Option<usize> {
        match self.nodes.get(node as usize) {
            Some(&(number, _)) if number == node.into() => Some(node as usize),
            _ => self.nodes.binary_search_by_key(&node.into(), |node| node.0).ok(),
        }
    }

    /// A cursor at the `!` of a node.
    fn node_cursor(&self, node: u32) -> Cursor<'t> {
        let position = match node & IN_PLACE {
            0 => self.node_index(node).map(|index| self.nodes[index].1),
            _ => Some((node & !IN_PLACE) as usize),
        };
        let mut c = Cursor::new(self.source, position.unwrap_or(self.source.len()));
        if c.peek() != b'!' {
            c.ws();
            c.eat_word(b"distinct");
            c.eat_word(b"metadata");
        }
        c
    }

    /// The text from the `!` of a node on.
    fn node_text(&self, node: u32) -> &'t [u8] {
        self.source.get(self.node_cursor(node).pos..).unwrap_or(&[])
    }

    /// The line of the location that a node is, 0 if it is none, and the node at which the code was inlined.
    #[inline]
    pub fn line_and_call(&self, node: u32) -> (u32, Option<u32>) {
        match self.printed_nodes.location(node) {
            Some(LocationFields { line, inlined_at, .. }) => (line, inlined_at),
            None => self.unusual_line_and_call(node),
        }
    }

    #[cold]
    fn unusual_line_and_call(&self, node: u32) -> (u32, Option<u32>) {
        if let Some(LocationFields { line, inlined_at, .. }) = printed_location(self.node_text(node)) {
            return (line, inlined_at);
        }
        let mut fields = Vec::new();
        // What cannot be read is said when the module's debug information is.
        if read_fields(&mut self.node_cursor(node), &mut fields).is_err() {
            return (0, None);
        }
        let (mut line, mut call) = (0, None);
        for field in fields {
            match (field.name, field.value) {
                (b"line", FieldValue::Integer { magnitude, negative: false }) => {
                    line = u32::try_from(magnitude).unwrap_or(0);
                }
                (b"inlinedAt", FieldValue::Node(node)) => call = Some(node),
                _ => {}
            }
        }
        (line, call)
    }
}

/// The number of the metadata at a cursor, and moves over it: a node's own, or its position if it stands in place.
pub(crate) fn node_number(c: &mut Cursor<'_>) -> Result<u32> {
    let at = *c;
    let mut digits = at;
    digits.pos += 1;
    if let Some(number) = digits.short_number() {
        digits.ws_after_token();
        *c = digits;
        return Ok(number);
    }
    if at.ahead(1).is_ascii_digit() {
        c.pos += 1;
        let number = c.number32()?;
        at.refuse_if(number >= IN_PLACE, at.pos, "the number of the metadata is too large")?;
        return Ok(number);
    }
    c.skip_metadata()?;
    at.refuse_if(at.pos >= IN_PLACE as usize, at.pos, "metadata in place must be in the first 2 GB of the text")?;
    Ok(at.pos as u32 | IN_PLACE)
}

/// Reads the fields of the node at a cursor, or the elements of a tuple.
fn read_fields<'t>(c: &mut Cursor<'t>, fields: &mut Vec<DebugField<'t>>) -> Result<()> {
    c.expect_bracket(b'!')?;
    let mut close = b'}';
    if !c.eat(b'{') {
        let word = c.peek_word();
        c.unexpected_if(word.is_empty(), c.pos, "a node of metadata")?;
        c.bump(word.len());
        c.expect_bracket(b'(')?;
        close = b')';
    }
    let mut more = !c.eat(close);
    while more {
        let place = c.pos;
        let name = if close == b')' { field_name(c) } else { &[] };
        let value = match printed_value(c) {
            Some(value) => value,
            None => field_value(c)?,
        };
        fields.push(DebugField { name, value, place });
        // Nobody reads what follows the node.
        more = c.peek() != close && c.more(close)?;
    }
    Ok(())
}

/// Takes the name of a field with its colon, if one is next.
#[inline(always)]
fn field_name<'t>(c: &mut Cursor<'t>) -> &'t [u8] {
    if let Some([name @ .., b':']) = c.peek_to_blank()
        && name.first().is_some_and(u8::is_ascii_alphabetic)
    {
        c.bump(name.len() + 1);
        return name;
    }
    let (word, mut next) = (c.peek_word(), *c);
    next.bump(word.len());
    if word.is_empty() || !next.eat(b':') {
        return &[];
    }
    *c = next;
    word
}

/// Takes a number or that of a node, if one is next, as LLVM prints it.
#[inline(always)]
fn printed_value<'t>(c: &mut Cursor<'t>) -> Option<FieldValue<'t>> {
    let is_node = c.peek() == b'!';
    let mut end = *c;
    end.pos += usize::from(is_node);
    let number = end.short_number()?;
    if !matches!(end.peek(), b',' | b')' | b'}') {
        return None;
    }
    *c = end;
    Some(if is_node {
        FieldValue::Node(number)
    } else {
        FieldValue::Integer { magnitude: number.into(), negative: false }
    })
}

fn field_value<'t>(c: &mut Cursor<'t>) -> Result<FieldValue<'t>> {
    match c.peek() {
        b'!' if c.ahead(1) != b'"' => node_number(c).map(FieldValue::Node),
        b'!' | b'"' => {
            c.eat(b'!');
            let raw = c.string()?;
            let plain = memchr::memchr(b'\\', raw).is_none();
            Ok(FieldValue::Text(if plain { Cow::Borrowed(raw) } else { Cow::Owned(unescape(raw)) }))
        }
        b'0'..=b'9' | b'-' => {
            let start = *c;
            let negative = c.peek() == b'-';
            c.pos += usize::from(negative);
            let magnitude = number(c)?;
            if c.peek() != b'|' {
                return Ok(FieldValue::Integer { magnitude, negative });
            }
            *c = start;
            words(c)
        }
        _ => {
            let word = c.peek_word();
            let mut next = *c;
            next.bump(word.len());
            match next.peek() {
                b',' | b')' | b'}' if word == b"null" => {
                    *c = next;
                    Ok(FieldValue::Null)
                }
                b',' | b')' | b'}' | b'|' if !word.is_empty() => words(c),
                _ => typed_value(c),
            }
        }
    }
}

/// An unsigned number of at most 128 bits.
fn number(c: &mut Cursor<'_>) -> Result<u128> {
    if let Some(n) = c.short_number() {
        c.ws_after_token();
        return Ok(n.into());
    }
    let start = c.pos;
    let digits = c.wide_digits(128, start)?;
    c.unexpected_if(c.pos == start, start, "a number")?;
    c.ws();
    Ok(u128::from(digits[1]) << 64 | u128::from(digits[0]))
}

/// Names with bars between them.
fn words<'t>(c: &mut Cursor<'t>) -> Result<FieldValue<'t>> {
    let start = c.pos;
    loop {
        let word = c.peek_word();
        c.unexpected_if(word.is_empty(), c.pos, "a name")?;
        let end = c.pos + word.len();
        c.bump(word.len());
        if !c.eat(b'|') {
            return Ok(FieldValue::Words(&c.src[start..end]));
        }
    }
}

/// A value with its type.
fn typed_value<'t>(c: &mut Cursor<'t>) -> Result<FieldValue<'t>> {
    let start = *c;
    let ty = c.peek_word();
    c.bump(ty.len());
    let float = |ty| Some((ty, true));
    let kind = match ty {
        b"half" => float(Type::F16),
        b"bfloat" => float(Type::BF16),
        b"float" => float(Type::F32),
        b"double" => float(Type::F64),
        b"fp128" => float(Type::F128),
        b"x86_fp80" => float(Type::F80),
        _ => None,
    };
    let width = ty.strip_prefix(b"i").and_then(|digits| std::str::from_utf8(digits).ok()?.parse::<u16>().ok());
    let constant = match (kind, width, c.peek()) {
        (Some((ty, float)), _, b'0'..=b'9' | b'-' | b'+') => {
            Some(DiConstant { bits: parse_float(c, ty)?, width: ty.bits() as u16, float })
        }
        (None, Some(width @ 1..=128), b'0'..=b'9' | b'-') => {
            let negative = c.eat(b'-');
            let magnitude = number(c)?;
            let bits = if negative { magnitude.wrapping_neg() } else { magnitude };
            Some(DiConstant { bits: bits & u128::MAX >> (128 - width), width, float: false })
        }
        (None, Some(1), b't' | b'f') => {
            let holds = c.eat_word(b"true");
            (holds || c.eat_word(b"false")).then_some(DiConstant { bits: holds.into(), width: 1, float: false })
        }
        _ => None,
    };
    if let Some(constant) = constant {
        return Ok(FieldValue::Constant(constant));
    }
    *c = start;
    loop {
        match c.peek() {
            b',' | b')' | b'}' if c.pos > start.pos => return Ok(FieldValue::Value),
            b'(' | b'[' | b'{' => c.skip_group()?,
            b'"' => drop(c.string()?),
            b',' | b')' | b'}' | b':' | b'|' => return Err(c.expected("a field of metadata")),
            _ if c.at_end() => return Err(c.expected("a field of metadata")),
            _ => c.bump(1),
        }
    }
}
