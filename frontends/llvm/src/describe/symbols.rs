//! Variables, aliases and the headers of functions, in full.

use gusset_lower::{Recorder, Sink};
use gusset_program::{Attribute, AttributeValue, Header, Properties, Symbol, SymbolKind, TypeId, VOID, Val};

use crate::attributes::{convention_text, parse_param};
use crate::body::reader::Reader;
use crate::carried::Attributes;
use crate::lexer::{Tokens, unescape};
use crate::types::TypeNames;
use crate::words as w;
use gusset_text::Result;

/// Words in front of symbols, by kind.
const LINKAGE: [&str; 11] = [
    "private",
    "internal",
    "available_externally",
    "linkonce",
    "linkonce_odr",
    "weak",
    "weak_odr",
    "common",
    "appending",
    "extern_weak",
    "external",
];
const PREEMPTION: [&str; 2] = ["dso_local", "dso_preemptable"];
const VISIBILITY: [&str; 3] = ["default", "hidden", "protected"];
const STORAGE: [&str; 2] = ["dllimport", "dllexport"];
const UNNAMED: [&str; 2] = ["unnamed_addr", "local_unnamed_addr"];
const SANITIZERS: [&str; 4] =
    ["no_sanitize_address", "no_sanitize_hwaddress", "sanitize_memtag", "sanitize_address_dyninit"];
const TLS_MODELS: [(&str, &str); 3] = [
    ("localdynamic", "thread_local(localdynamic)"),
    ("initialexec", "thread_local(initialexec)"),
    ("localexec", "thread_local(localexec)"),
];

impl<'r> Reader<'r, Recorder<'r>> {
    /// Takes one of these words, if it stands here.
    fn one_of(&mut self, words: &[&'static str]) -> Option<&'static str> {
        words.iter().copied().find(|word| self.c.eat_word(word.as_bytes()))
    }

    /// Reads properties in any order.
    fn properties(&mut self) -> Result<Properties> {
        let mut p = Properties::default();
        loop {
            if let Some(word) = self.one_of(&LINKAGE) {
                p.linkage = word;
            } else if let Some(word) = self.one_of(&PREEMPTION) {
                p.preemption = word;
            } else if let Some(word) = self.one_of(&VISIBILITY) {
                p.visibility = if word == "default" { "" } else { word };
            } else if let Some(word) = self.one_of(&STORAGE) {
                p.storage = word;
            } else if let Some(word) = self.one_of(&UNNAMED) {
                p.unnamed = word;
            } else if self.c.eat_word(b"thread_local") {
                p.thread_local = "thread_local";
                if self.c.eat(b'(') {
                    let word = self.c.peek_word();
                    let Some(model) = TLS_MODELS.iter().find(|m| m.0.as_bytes() == word) else {
                        return Err(self.c.expected("`localdynamic`, `initialexec` or `localexec`"));
                    };
                    p.thread_local = model.1;
                    self.c.bump(word.len());
                    self.c.expect(b')')?;
                }
            } else {
                return Ok(p);
            }
        }
    }

    fn space(&mut self) -> Result<u32> {
        let ty = TypeNames::address_space(self.l.types_mut(), &mut self.c)?;
        Ok(self.l.types().address_space(ty))
    }

    fn text(&mut self) -> Result<Option<Vec<u8>>> {
        Ok(Some(unescape(self.c.string()?)))
    }

    /// Reads what a COMDAT clause says behind its word, of a symbol of this name.
    fn comdat_clause(&mut self, own: &Option<Vec<u8>>) -> Result<Option<Vec<u8>>> {
        if !self.c.eat(b'(') {
            return Ok(own.clone());
        }
        self.c.expect(b'$')?;
        let name = self.c.name()?.bytes().into_owned();
        self.c.expect(b')')?;
        Ok(Some(name))
    }

    /// Reads a number, in parentheses or not.
    fn alignment(&mut self) -> Result<Option<u64>> {
        let open = self.c.eat(b'(');
        let n = self.c.number()?;
        if open {
            self.c.expect(b')')?;
        }
        Ok(Some(n))
    }

    fn function_attributes(&mut self, list: &mut Vec<Attribute>) -> Result<()> {
        let m = self.m;
        let mut all = Attributes { types: self.l.types_mut(), names: self.names, groups: &m.carried_groups };
        all.of_function(&mut self.c, list)
    }

    /// Reads a variable, alias or ifunc behind its `=`.
    pub(super) fn global_symbol(&mut self, symbol: &mut Symbol, start: usize, end: usize) -> Result<()> {
        self.c.pos = start;
        symbol.properties = self.properties()?;
        let mut externally_initialized = false;
        loop {
            if self.c.eat_word(b"addrspace") {
                symbol.space = self.space()?;
            } else if self.c.eat_word(b"externally_initialized") {
                externally_initialized = true;
            } else if let Some(word) = self.one_of(&UNNAMED) {
                symbol.properties.unnamed = word;
            } else {
                break;
            }
        }
        let (key, len) = self.c.peek_key();
        self.c.bump(len);
        let alias = matches!(key, w::ALIAS | w::IFUNC);
        self.c.unexpected_if(
            !alias && !matches!(key, w::GLOBAL | w::CONSTANT),
            start,
            "`global`, `constant`, `alias` or `ifunc`",
        )?;
        let ty = self.value_type()?;
        if alias {
            self.c.expect(b',')?;
            let target = self.aliased_constant()?;
            symbol.kind = SymbolKind::Alias { ty, target, ifunc: key == w::IFUNC };
            if self.c.eat(b',') {
                self.c.expect_word("partition")?;
                symbol.partition = self.text()?;
            }
            return self.at(end);
        }
        let p = &symbol.properties;
        let outside = matches!(p.linkage, "external" | "extern_weak");
        let init = if outside || self.c.pos == end || self.c.peek() == b',' { None } else { Some(self.value(ty)?) };
        let (mut code_model, mut sanitizers) = (None, Vec::new());
        while self.c.eat(b',') {
            if self.c.peek() == b'!' {
                symbol.attached.push(self.attachment()?);
                continue;
            }
            if let Some(word) = self.one_of(&SANITIZERS) {
                sanitizers.push(word);
                continue;
            }
            let word = self.c.peek_word();
            self.c.bump(word.len());
            match word {
                b"section" => symbol.section = self.text()?,
                b"partition" => symbol.partition = self.text()?,
                b"comdat" => symbol.comdat = self.comdat_clause(&symbol.name)?,
                b"align" => symbol.align = self.alignment()?,
                b"code_model" => code_model = self.text()?,
                _ => return Err(self.c.expected("`section`, `comdat`, `align` or metadata")),
            }
        }
        self.function_attributes(&mut symbol.attrs)?;
        let constant = key == w::CONSTANT;
        symbol.kind = SymbolKind::Variable { ty, constant, externally_initialized, init, code_model, sanitizers };
        self.at(end)
    }

    /// Reads a type, which may be that of functions.
    fn value_type(&mut self) -> Result<TypeId> {
        let ty = self.ty()?;
        self.names.function_type(self.l.types_mut(), &mut self.c, ty)
    }

    /// Reads what an alias stands for: a constant with its type, or an expression without.
    fn aliased_constant(&mut self) -> Result<Val> {
        let expression = [w::GETELEMENTPTR, w::BITCAST, w::ADDRSPACECAST, w::INTTOPTR].contains(&self.c.peek_key().0);
        // `void` stands for whatever type it has.
        let ty = if expression { VOID } else { self.ty()? };
        self.value(ty)
    }

    fn at(&self, end: usize) -> Result<()> {
        if self.c.pos == end { Ok(()) } else { Err(self.c.expected("`,` or the next definition")) }
    }

    /// Reads the header of a function behind `define` or `declare`; where its convention stands, and what follows the header.
    pub(super) fn function_symbol(
        &mut self,
        symbol: &mut Symbol,
        start: usize,
        defined: bool,
    ) -> Result<(usize, usize)> {
        self.c.pos = start;
        while self.c.peek() == b'!' {
            symbol.attached.push(self.attachment()?);
        }
        symbol.properties = self.properties()?;
        let convention = self.c.pos;
        let name = String::from_utf8_lossy(&convention_text(&mut self.c)?).into();
        let mut header = Header { defined, convention: name, ..Header::default() };
        header.ret_attrs = self.parameter_attributes(None)?;
        header.ret = self.ty()?;
        self.c.unexpected_if(self.c.peek() != b'@', self.c.pos, "the function's name")?;
        self.c.pos += 1;
        self.c.name()?;
        self.c.expect(b'(')?;
        let mut more = !self.c.eat(b')');
        while more {
            if self.c.starts_with(b"...") {
                self.c.bump(3);
                header.variadic = true;
                self.c.expect(b')')?;
                break;
            }
            let ty = self.ty()?;
            let pointee = self.names.pointee(&self.c);
            let attrs = self.parameter_attributes(pointee)?;
            header.params.push((ty, attrs));
            if self.c.peek() == b'%' {
                self.c.pos += 1;
                self.c.name()?;
            }
            more = self.c.more(b')')?;
        }
        self.function_tail(symbol, &mut header)?;
        symbol.kind = SymbolKind::Function(Box::new(header));
        Ok((convention, self.c.pos))
    }

    fn parameter_attributes(&mut self, pointee: Option<TypeId>) -> Result<Vec<Attribute>> {
        let at = self.c;
        parse_param(&mut self.c, self.l.types_mut(), self.names)?;
        self.attributes_from(at, pointee)
    }

    /// Reads what stands behind the parameters.
    fn function_tail(&mut self, symbol: &mut Symbol, header: &mut Header) -> Result<()> {
        loop {
            let line_start = self.c.src[self.c.pos - 1] == b'\n';
            if !header.defined && (line_start || self.c.at_end()) || self.c.peek() == b'{' {
                return Ok(());
            }
            if self.c.peek() == b'!' {
                symbol.attached.push(self.attachment()?);
                continue;
            }
            if let Some(word) = self.one_of(&UNNAMED) {
                symbol.properties.unnamed = word;
                continue;
            }
            let at = self.c;
            let word = self.c.peek_word();
            self.c.bump(word.len());
            match word {
                b"addrspace" => symbol.space = self.space()?,
                b"section" => symbol.section = self.text()?,
                b"partition" => symbol.partition = self.text()?,
                b"comdat" => symbol.comdat = self.comdat_clause(&symbol.name)?,
                b"align" => symbol.align = self.alignment()?,
                b"gc" => header.gc = self.text()?,
                b"prefix" => header.prefix = Some(self.typed_constant()?),
                b"prologue" => header.prologue = Some(self.typed_constant()?),
                b"personality" => header.personality = Some(self.typed_constant()?),
                _ => {
                    self.c = at;
                    let count = symbol.attrs.len();
                    self.function_attributes(&mut symbol.attrs)?;
                    // An empty group is one, too.
                    self.c.unexpected_if(self.c.pos == at.pos, at.pos, "an attribute or `{`")?;
                    // Of functions `align` as an attribute is their alignment.
                    let aligned = symbol.attrs[count..].iter().find(|a| a.name == b"align");
                    if let Some(Attribute { value: AttributeValue::Number(n), .. }) = aligned {
                        symbol.align = Some(*n);
                    }
                }
            }
        }
    }

    fn typed_constant(&mut self) -> Result<Val> {
        let ty = self.ty()?;
        self.value(ty)
    }
}
