//! Debug information, for translations: `#llvm.di_…` as LLVM's nodes, and locations.
//!
//! MLIR, "'llvm' Dialect", "Debug Info"; LLVM LangRef, "Specialized Metadata Nodes".

use gusset_lower::Sink;
use gusset_program::{Field, Metadata, Special};
use gusset_text::Result;

use crate::convert::reader::Reader;
use crate::metadata::debug_forms::{As, FORMS};
use crate::syntax::attributes::read_int;
use crate::syntax::lexer::{Cursor, Tokens, unescape};
use crate::syntax::parameters::{opened, parameter, parameters, skip_parameter};

/// Fields that LLVM requires, with the values that they have if MLIR does not give them.
const NEEDED: &[(&str, &str, &str)] = &[
    ("DIDerivedType", "baseType", "null"),
    ("DISubprogram", "spFlags", "0"),
    ("DICompositeType", "elements", "!{}"),
    ("DISubroutineType", "types", "!{}"),
    ("DIGlobalVariable", "isLocal", "false"),
    ("DIGlobalVariable", "isDefinition", "false"),
    ("DIGlobalVariable", "scope", "null"),
    ("DINamespace", "scope", "null"),
    ("DIModule", "scope", "null"),
    ("DILexicalBlock", "scope", "null"),
    ("DILabel", "line", "0"),
    ("DILabel", "file", "null"),
];

impl<'r, E: Sink> Reader<'r, E> {
    /// Reads a node of debug information: its word, its position, and the text in its brackets.
    pub fn debug_node(&mut self, word: &'r [u8], c: Cursor<'r>, inner: Cursor<'r>) -> Result<Metadata> {
        match word {
            b"di_null_type" => return Ok(Metadata::Null),
            b"di_expression" => return self.debug_expression(inner),
            b"di_file" => {
                let mut c = inner;
                let name = unescape(c.quoted()?);
                c.expect_word("in")?;
                let folder = unescape(c.quoted()?);
                let fields =
                    vec![(b"filename".to_vec(), Field::String(name)), (b"directory".to_vec(), Field::String(folder))];
                let special = Special { name: b"DIFile".to_vec(), fields };
                return Ok(self.s.metadata.node(false, Metadata::Special(special)));
            }
            _ => {}
        }
        let form = FORMS.iter().find(|f| f.word.as_bytes() == word);
        let form = form.ok_or_else(|| c.error("this debug information is not supported"))?;
        let all = parameters(inner)?;
        let is = |name: &str, word: &[u8]| {
            parameter(&all, name).is_some_and(|at| Cursor::new(c.src, at).peek_word() == word)
        };
        let identity = |name: &str| -> Result<Option<Vec<u8>>> {
            let Some(at) = parameter(&all, name) else { return Ok(None) };
            let mut end = Cursor::new(c.src, at);
            end.skip_value()?;
            Ok(Some([name.as_bytes(), c.src[at..end.pos].trim_ascii_end()].concat()))
        };
        let recursion = identity("recId")?;
        if (is("isRecSelf", b"true") || is("tag", b"DW_TAG_null"))
            && let Some(id) = &recursion
        {
            let known = self.s.metadata.recursive.get(id).copied();
            return known.map(Metadata::Node).ok_or_else(|| c.error("what this stands for is not around it"));
        }
        // A subprogram may be named by other words inside its own type.
        let own = if word == b"di_subprogram" { identity("id")? } else { None };
        if let Some(&known) = own.as_ref().and_then(|id| self.s.metadata.recursive.get(id)) {
            return Ok(Metadata::Node(known));
        }
        let number = self.s.metadata.reserve();
        let recursive = recursion.is_some();
        for id in [recursion, own].into_iter().flatten() {
            self.s.metadata.recursive.insert(id, number);
        }
        let mut fields = Vec::new();
        for &(key, field, how) in form.fields {
            if let Some(at) = parameter(&all, key) {
                let value = self.debug_field(Cursor::new(c.src, at), how)?;
                fields.extend(value.map(|value| (field.as_bytes().to_vec(), value)));
            }
            let missing = fields.iter().all(|f| f.0 != field.as_bytes());
            if let Some(needed) = NEEDED.iter().find(|n| missing && n.0 == form.name && n.1 == field) {
                fields.push((field.as_bytes().to_vec(), Field::Words(needed.2.as_bytes().to_vec())));
            }
        }
        if form.name == "DIGlobalVariableExpression" && parameter(&all, "expr").is_none() {
            let nothing = Special { name: b"DIExpression".to_vec(), fields: Vec::new() };
            fields.push((b"expr".to_vec(), Field::Metadata(Metadata::Special(nothing))));
        }
        if form.name == "DICompileUnit" {
            fields.push((b"runtimeVersion".to_vec(), Field::Words(b"0".to_vec())));
            self.s.metadata.add_named(b"llvm.dbg.cu", Metadata::Node(number));
        }
        let flags = fields.iter().find(|f| f.0 == b"spFlags");
        let defines = matches!(flags, Some((_, Field::Words(words))) if memchr::memmem::find(words, b"DISPFlagDefinition").is_some());
        let special = Special { name: form.name.as_bytes().to_vec(), fields };
        // Types that most languages tell apart by name are distinct.
        let nominal =
            [&b"DW_TAG_class_type"[..], b"DW_TAG_enumeration_type", b"DW_TAG_structure_type", b"DW_TAG_union_type"];
        let nominal = form.name == "DICompositeType" && nominal.iter().any(|tag| is("tag", tag));
        let distinct = form.distinct || defines || recursive || nominal;
        self.s.metadata.fill(number, distinct, Metadata::Special(special));
        Ok(Metadata::Node(number))
    }

    /// Reads a field; none if it has the default value.
    fn debug_field(&mut self, c: Cursor<'r>, how: As) -> Result<Option<Field>> {
        // The text of a list may begin with an alias.
        let c = if how == As::List { c } else { self.resolve(c) };
        Ok(Some(match how {
            As::Node(kind) => Field::Metadata(self.metadata_node(c, kind)?),
            As::Count if !matches!(c.peek(), b'#' | b'<') => {
                Field::Words(read_int(&mut c.clone())?.to_string().into_bytes())
            }
            As::Count => Field::Metadata(self.metadata_node(c, "di_expression")?),
            As::List => Field::Metadata(self.debug_list(c)?),
            As::Text => match unescape(c.clone().quoted()?) {
                text if text.is_empty() => return Ok(None),
                text => Field::String(text),
            },
            As::Number => match read_int(&mut c.clone())? {
                0 => return Ok(None),
                n => Field::Words(n.to_string().into_bytes()),
            },
            As::Plain if c.peek().is_ascii_digit() || c.peek() == b'-' => {
                Field::Words(read_int(&mut c.clone())?.to_string().into_bytes())
            }
            As::Word | As::Plain => Field::Words(self.debug_word(c)?),
            As::Kind => Field::Words(match &self.debug_word(c)?[..] {
                b"None" => b"NoDebug".to_vec(),
                b"Full" => b"FullDebug".to_vec(),
                word => word.to_vec(),
            }),
            As::Flags(prefix) => {
                let words = self.debug_word(c)?;
                let mut out = Vec::new();
                for word in words.split(|&b| b == b'|').map(<[u8]>::trim_ascii) {
                    if word.is_empty() || word == b"Zero" {
                        continue;
                    }
                    out.extend_from_slice(if out.is_empty() { b"" } else { b" | " });
                    out.extend_from_slice(prefix.as_bytes());
                    out.extend_from_slice(word);
                }
                if out.is_empty() {
                    return Ok(None);
                }
                Field::Words(out)
            }
        }))
    }

    /// A word, or the text in quotes.
    fn debug_word(&self, mut c: Cursor<'r>) -> Result<Vec<u8>> {
        if c.peek() == b'"' {
            return Ok(unescape(c.quoted()?));
        }
        let word = c.peek_word();
        c.unexpected_if(word.is_empty(), c.pos, "a word")?;
        Ok(word.to_vec())
    }

    /// A node of several nodes.
    fn debug_list(&mut self, mut c: Cursor<'r>) -> Result<Metadata> {
        let mut list = Vec::new();
        loop {
            list.push(self.metadata_node(c, "")?);
            skip_parameter(&mut c)?;
            let mut next = c;
            if !next.eat(b',') || next.peek() != b'#' {
                break;
            }
            c = next;
        }
        Ok(self.s.metadata.node(false, Metadata::Tuple(list)))
    }

    /// `<[DW_OP_plus_uconst(8), …]>`.
    fn debug_expression(&mut self, mut c: Cursor<'r>) -> Result<Metadata> {
        let mut fields = Vec::new();
        let mut word = |text: &[u8]| fields.push((Vec::new(), Field::Words(text.to_vec())));
        if c.eat(b'[') {
            let mut more = !c.eat(b']');
            while more {
                let name = c.peek_word();
                c.unexpected_if(name.is_empty(), c.pos, "an operation of DWARF")?;
                c.bump(name.len());
                word(name);
                if c.eat(b'(') {
                    let mut more = !c.eat(b')');
                    while more {
                        let start = c.pos;
                        c.skip_untyped()?;
                        word(c.src[start..c.pos].trim_ascii_end());
                        more = c.more(b')')?;
                    }
                }
                more = c.more(b']')?;
            }
        }
        Ok(Metadata::Special(Special { name: b"DIExpression".to_vec(), fields }))
    }

    // Locations.

    /// The location of an operation whose name is at `pos`; its text, if it has one, is at the cursor. None without a
    /// scope.
    pub fn op_location(&mut self, pos: usize) -> Result<Option<Metadata>> {
        let scope = self.s.metadata.scope.clone();
        if self.c.peek() == b'l' && self.c.peek_word() == b"loc" {
            return self.location(self.c, scope, None);
        }
        let Some(scope) = scope else { return Ok(None) };
        // The position in the text itself.
        let (mut from, mut line) = self.s.metadata.line;
        if pos < from {
            (from, line) = (0, 0);
        }
        line += memchr::memchr_iter(b'\n', &self.c.src[from..pos]).count() as u32;
        self.s.metadata.line = (pos, line);
        let begin = memchr::memrchr(b'\n', &self.c.src[..pos]).map_or(0, |at| at + 1);
        Ok(Some(place(u64::from(line) + 1, (pos - begin) as u64 + 1, scope, None)))
    }

    /// A location, whose text is at a cursor, in a scope; none if it gives no line, or there is no scope.
    pub fn location(
        &mut self,
        c: Cursor<'r>,
        scope: Option<Metadata>,
        inlined_at: Option<Metadata>,
    ) -> Result<Option<Metadata>> {
        let mut c = c;
        self.location_at(&mut c, scope, inlined_at, 0)
    }

    fn location_at(
        &mut self,
        c: &mut Cursor<'r>,
        mut scope: Option<Metadata>,
        inlined_at: Option<Metadata>,
        depth: u32,
    ) -> Result<Option<Metadata>> {
        c.refuse_if(depth > gusset_program::MAX_DEPTH, c.pos, "the location is nested too deeply")?;
        match c.peek() {
            b'#' => {
                let mut there = self.resolve(*c);
                c.unexpected_if(there.peek() == b'#', c.pos, "a location")?;
                c.skip_untyped()?;
                self.location_at(&mut there, scope, inlined_at, depth + 1)
            }
            b'"' => {
                c.quoted()?;
                if c.eat(b':') {
                    let line = c.number()?;
                    c.expect(b':')?;
                    let column = c.number()?;
                    // Of a range, the start counts.
                    if c.eat_word(b"to") {
                        while c.peek() == b':' || c.peek().is_ascii_digit() {
                            c.pos += 1;
                            c.ws();
                        }
                    }
                    return Ok(scope.map(|scope| place(line, column, scope, inlined_at)));
                }
                if c.eat(b'(') {
                    let inner = self.location_at(c, scope, inlined_at, depth + 1)?;
                    c.expect(b')')?;
                    return Ok(inner);
                }
                Ok(None)
            }
            _ => {
                let word = c.peek_word();
                c.bump(word.len());
                match word {
                    b"loc" => {
                        c.expect(b'(')?;
                        let inner = self.location_at(c, scope, inlined_at, depth + 1)?;
                        c.expect(b')')?;
                        Ok(inner)
                    }
                    b"unknown" => Ok(None),
                    b"callsite" => {
                        c.expect(b'(')?;
                        let mut callee = *c;
                        self.location_at(c, None, None, depth + 1)?;
                        c.expect_word("at")?;
                        let caller = self.location_at(c, scope, inlined_at.clone(), depth + 1)?;
                        c.expect(b')')?;
                        // A call without a location has that of the outer call.
                        let Some(caller) = caller.or(inlined_at) else { return Ok(None) };
                        let callee = self.location_at(&mut callee, None, Some(caller.clone()), depth + 1)?;
                        Ok(Some(callee.unwrap_or(caller)))
                    }
                    b"fused" => {
                        if c.peek() == b'<' {
                            c.bump(1);
                            let at = self.resolve(*c);
                            let (word, _) = opened(at, "");
                            if matches!(word, b"di_subprogram" | b"di_lexical_block" | b"di_lexical_block_file") {
                                scope = Some(self.metadata_node(at, "")?);
                            }
                            c.skip_value()?;
                            c.expect(b'>')?;
                        }
                        c.expect(b'[')?;
                        let mut merged: Option<Option<Metadata>> = None;
                        let mut more = !c.eat(b']');
                        while more {
                            let next = self.location_at(c, scope.clone(), inlined_at.clone(), depth + 1)?;
                            merged = Some(match merged {
                                None => next,
                                Some(known) if known == next => known,
                                // One of the positions is the call at which the other was inlined.
                                Some(Some(known)) if next.as_ref().is_some_and(|next| is_inside(&known, next)) => next,
                                Some(Some(known)) if next.as_ref().is_some_and(|next| is_inside(next, &known)) => {
                                    Some(known)
                                }
                                // Code of several positions has line 0.
                                Some(Some(_)) if next.is_some() => {
                                    scope.clone().map(|scope| place(0, 0, scope, inlined_at.clone()))
                                }
                                Some(_) => None,
                            });
                            more = c.more(b']')?;
                        }
                        Ok(merged.flatten())
                    }
                    _ => Err(c.expected("a location")),
                }
            }
        }
    }

    /// The subprogram that the location at a cursor names, if any.
    pub fn subprogram(&mut self, mut c: Cursor<'r>) -> Result<Option<Metadata>> {
        for _ in 0..64 {
            c = self.resolve(c);
            if c.eat_word(b"loc") {
                c.expect(b'(')?;
                continue;
            }
            if c.eat_word(b"fused") && c.eat(b'<') {
                let at = self.resolve(c);
                let (word, _) = opened(at, "");
                return if word == b"di_subprogram" { self.metadata_node(at, "").map(Some) } else { Ok(None) };
            }
            if c.peek() != b'#' {
                break;
            }
        }
        Ok(None)
    }
}

/// Whether the code of a location was inlined at another location.
fn is_inside(location: &Metadata, other: &Metadata) -> bool {
    let Metadata::Special(special) = location else { return false };
    let at = special.fields.iter().find(|f| f.0 == b"inlinedAt");
    matches!(at, Some((_, Field::Metadata(at))) if at == other || is_inside(at, other))
}

/// `!DILocation(…)`.
fn place(line: u64, column: u64, scope: Metadata, inlined_at: Option<Metadata>) -> Metadata {
    let number = |n: u64| Field::Words(n.to_string().into_bytes());
    let mut fields = vec![
        (b"line".to_vec(), number(line)),
        (b"column".to_vec(), number(column)),
        (b"scope".to_vec(), Field::Metadata(scope)),
    ];
    fields.extend(inlined_at.map(|at| (b"inlinedAt".to_vec(), Field::Metadata(at))));
    Metadata::Special(Special { name: b"DILocation".to_vec(), fields })
}
