//! The parts of symbols that are read when all names are known: types, constants, attached metadata.

use gusset_codegen::ir::SymbolId;
use gusset_lower::debug_info::IN_PLACE;
use gusset_program::{
    Attribute, AttributeValue, FnAttrs, Header, Metadata, Node, ProgramBuilder, Sink, Symbol, SymbolKind, TypeId, VOID,
    Values, refusals,
};

use super::{FunctionRest, Place, Rest, UNDEFINED_COMDAT, comdat_clause};
use crate::attribute_list::{Attributes, resolve_groups};
use crate::attributes::{convention_text, parse_align, parse_param};
use crate::body::reader::Reader;
use crate::body::values::{at_expression, at_next};
use crate::debug_nodes::node_number;
use crate::lexer::{Cursor, Name, Tokens, unescape};
use crate::tables::missing_node;
use gusset_text::Result;

impl<'r, E: Sink> Reader<'r, E> {
    /// Reads what follows a variable's contents, up to the next definition at `end`. For code, returns the symbol with
    /// whose section this variable's is discarded (`!associated`).
    pub(super) fn global_tail(&mut self, symbol: &mut Symbol, end: usize) -> Result<Option<SymbolId>> {
        let SymbolKind::Variable { code_model, sanitizers, .. } = &mut symbol.kind else { return Ok(None) };
        let (start, mut associated) = (self.c.pos, None);
        while self.c.eat(b',') {
            let at = self.c;
            if self.c.peek() == b'!' {
                let attached = self.global_attachment()?;
                match &attached.0[..] {
                    b"associated" if !E::PRESERVES_METADATA => associated = Some(self.associated(at)?),
                    b"absolute_symbol" if !E::PRESERVES_METADATA && self.m.facts.target.is_windows() => {
                        return Err(at.error(refusals::metadata(b"absolute_symbol")));
                    }
                    _ => {}
                }
                symbol.attached.push(attached);
                continue;
            }
            let word = self.c.peek_word();
            self.c.bump(word.len());
            match word {
                b"section" => symbol.section = Some(unescape(self.c.string()?)),
                b"partition" if !E::PRESERVES_METADATA => return Err(at.error(refusals::PARTITION)),
                b"partition" => symbol.partition = Some(unescape(self.c.string()?)),
                b"code_model" => {
                    let at = self.c;
                    let model = unescape(self.c.string()?);
                    let known = matches!(&model[..], b"tiny" | b"small" | b"kernel" | b"medium" | b"large");
                    at.unexpected_if(!known, at.pos, "the name of a code model")?;
                    *code_model = Some(model);
                }
                b"align" => symbol.align = Some(parse_align(&mut self.c)?.into()),
                b"comdat" => {
                    let own = symbol.name.as_deref().unwrap_or_default();
                    let group = comdat_clause(&mut self.c, Name::Text(own))?;
                    self.c.refuse_if(self.m.comdats.get(&group).is_none(), start, UNDEFINED_COMDAT)?;
                    symbol.comdat = Some(group);
                }
                b"sanitize_memtag" if !E::PRESERVES_METADATA => {
                    return Err(at.error("the attribute `sanitize_memtag` of variables is not supported"));
                }
                b"sanitize_memtag" => sanitizers.push("sanitize_memtag"),
                b"no_sanitize_address" => sanitizers.push("no_sanitize_address"),
                b"no_sanitize_hwaddress" => sanitizers.push("no_sanitize_hwaddress"),
                b"sanitize_address_dyninit" => sanitizers.push("sanitize_address_dyninit"),
                _ => return Err(at.expected("`section`, `comdat`, `align` or metadata")),
            }
        }
        let at = self.c;
        let mut all = Attributes { types: self.l.types_mut(), names: self.names };
        all.of_function(&mut self.c, &mut symbol.attrs)?;
        if !E::PRESERVES_METADATA {
            self.check_attributes(&symbol.attrs, at)?;
        }
        at_next(&self.c, end)?;
        Ok(associated)
    }

    /// Reads metadata that is attached to a variable. For code, debug information is not read: a node in place has its position
    /// as its number.
    fn global_attachment(&mut self) -> Result<(Vec<u8>, Metadata)> {
        let mut c = self.c;
        if E::PRESERVES_METADATA || c.attachment_name() != b"dbg" {
            return self.attachment();
        }
        let at = c;
        let number = node_number(&mut c)?;
        if number & IN_PLACE == 0 && self.m.node(number.into()).is_none() {
            return Err(at.error(missing_node(number.into())));
        }
        self.c = c;
        Ok((b"dbg".to_vec(), Metadata::Node(number)))
    }

    /// The symbol in the metadata node that is attached at a cursor.
    fn associated(&mut self, mut at: Cursor<'r>) -> Result<SymbolId> {
        at.attachment_name();
        let mut c = self.m.operands(at)?;
        self.names.parse(self.l.types_mut(), &mut c)?;
        let symbol = if c.eat(b'@') { self.m.lookup(c.name()?).and_then(|i| i.symbol) } else { None };
        symbol.ok_or_else(|| at.error("the metadata of `associated` names no symbol"))
    }

    /// Checks the attributes of a variable, which begin at a cursor.
    fn check_attributes(&self, list: &[Attribute], at: Cursor) -> Result<()> {
        let (mut attrs, mut values) = (FnAttrs::default(), Values::default());
        for attribute in list {
            match attribute.value {
                AttributeValue::Group(number) => {
                    values.names_section |= self.m.naming_sections.contains(&number.into());
                }
                _ => {
                    let place = (at.pos, self.m.facts.target.arch);
                    attrs.take(attribute, &mut values, place).map_err(|why| at.error(why))?;
                }
            }
        }
        at.refuse_if(values.names_section, at.pos, refusals::NAMED_SECTION)
    }
}

impl<'r> Reader<'r, ProgramBuilder<'r>> {
    /// Reads the part of a symbol that the walk has skipped.
    pub(super) fn symbol_rest(&mut self, symbol: &mut Symbol, place: &Place) -> Result<()> {
        match &place.rest {
            Rest::Undeclared => Ok(()),
            Rest::Global(span) => {
                self.c.pos = span.start;
                self.global_rest(symbol, span.end)
            }
            Rest::Function(rest) => self.function_rest(symbol, rest),
        }
    }

    fn global_rest(&mut self, symbol: &mut Symbol, end: usize) -> Result<()> {
        let own = self.ty()?;
        let own = self.names.function_type(self.l.types_mut(), &mut self.c, own)?;
        match &mut symbol.kind {
            SymbolKind::Alias { ty, target, .. } => {
                *ty = own;
                self.c.expect(b',')?;
                // `void` means whatever type the expression has.
                let ty = if at_expression(&self.c) { VOID } else { self.ty()? };
                *target = self.value(ty)?;
                if self.c.eat(b',') {
                    self.c.expect_word("partition")?;
                    symbol.partition = Some(unescape(self.c.string()?));
                }
                at_next(&self.c, end)
            }
            SymbolKind::Variable { ty, init, .. } => {
                *ty = own;
                let available = symbol.properties.linkage == gusset_program::Linkage::AvailableExternally;
                let there = available || gusset_lower::is_defined(&symbol.properties);
                if there && self.c.pos != end && self.c.peek() != b',' {
                    *init = Some(self.value(own)?);
                }
                self.global_tail(symbol, end)?;
                resolve_groups(&mut symbol.attrs, &self.m.group_indices);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Reads a node of the module.
    pub(super) fn node(&mut self, number: u32) -> Result<Node> {
        self.c.pos = self.m.node(number.into()).unwrap_or(self.c.src.len());
        let distinct = self.c.eat_word(b"distinct");
        self.c.eat_word(b"metadata");
        Ok(Node { distinct, content: self.metadata_operand()? })
    }

    fn function_rest(&mut self, symbol: &mut Symbol, rest: &FunctionRest) -> Result<()> {
        for &at in &rest.attached {
            self.c.pos = at;
            symbol.attached.push(self.attachment()?);
        }
        let SymbolKind::Function(header) = &mut symbol.kind else { return Ok(()) };
        self.full_header(header, rest.convention)?;
        for (place, val) in [
            (rest.prefix, &mut header.prefix),
            (rest.prologue, &mut header.prologue),
            (rest.personality, &mut header.personality),
        ] {
            if let Some(at) = place {
                self.c.pos = at;
                let ty = self.ty()?;
                *val = Some(self.value(ty)?);
            }
        }
        Ok(())
    }

    /// Reads a function's header from its convention, at `at`, to the end of the parameters.
    pub(super) fn full_header(&mut self, header: &mut Header, at: usize) -> Result<()> {
        self.c.pos = at;
        header.convention = String::from_utf8_lossy(&convention_text(&mut self.c)?).into();
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
                return self.c.expect(b')');
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
        Ok(())
    }

    fn parameter_attributes(&mut self, pointee: Option<TypeId>) -> Result<Vec<Attribute>> {
        let at = self.c;
        parse_param(&mut self.c, self.l.types_mut(), self.names)?;
        self.attributes_from(at, pointee)
    }
}
