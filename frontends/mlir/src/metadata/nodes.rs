//! Metadata, for translations: attributes of the dialect `llvm` as nodes of LLVM's.
//!
//! MLIR, "'llvm' Dialect", "Attributes"; LLVM LangRef, "Metadata".

use gusset_program::{I1, I32, I64, MAX_DEPTH, Metadata, ProgramBuilder, Sink, TypeId};

use gusset_text::Result;

use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::metadata::loops::{LOOPS, Property};
use crate::syntax::attributes::{AttributeKind, AttributeRef, Values, find};
use crate::syntax::op::Op;

fn string(text: &str) -> Metadata {
    Metadata::String(text.as_bytes().to_vec())
}

impl<'r, E: Sink> Reader<'r, E> {
    /// A number in a node of the module.
    pub fn metadata_number(&mut self, ty: TypeId, n: i64) -> Metadata {
        let val = ProgramBuilder::more(self.l.types_mut(), &mut self.s.metadata.constants).integer(ty, n.into());
        Metadata::Value(ty, val)
    }

    /// A new node with these operands.
    fn tuple(&mut self, operands: Vec<Metadata>) -> Metadata {
        self.s.metadata.node(false, Metadata::Tuple(operands))
    }

    /// The node of an attribute of the dialect `llvm`; `kind` is its word if the text omits it.
    pub fn metadata_node(&mut self, value: AttributeRef<'r>, kind: &'static str) -> Result<Metadata> {
        let value = value.resolve(self.t);
        let (word, inner) = value.opened(kind);
        let inner = match inner {
            Some(inner) => value.span()?[inner.pos() - value.pos()..].trim_ascii_end(),
            None => b"",
        };
        let key = [word, inner].concat();
        if let Some(&number) = self.s.metadata.known.get(&key) {
            return Ok(Metadata::Node(number));
        }
        if self.s.metadata.depth >= MAX_DEPTH {
            return Err(value.error("metadata is nested too deeply"));
        }
        self.s.metadata.depth += 1;
        let made = self.new_metadata_node(word, value);
        self.s.metadata.depth -= 1;
        let made = made?;
        if let Metadata::Node(number) = made {
            self.s.metadata.known.insert(key, number);
        }
        Ok(made)
    }

    fn new_metadata_node(&mut self, word: &'r [u8], value: AttributeRef<'r>) -> Result<Metadata> {
        match word {
            b"tbaa_root" => {
                let id = find(&value.parameters()?, "id").map(AttributeRef::bytes).transpose()?;
                Ok(self.tuple(vec![Metadata::String(id.unwrap_or_default())]))
            }
            b"tbaa_type_desc" => self.tbaa_type(value),
            b"tbaa_tag" => {
                let all = value.parameters()?;
                let base = self.metadata_node(value.needed(&all, "base_type")?, "tbaa_type_desc")?;
                let access = self.metadata_node(value.needed(&all, "access_type")?, "tbaa_type_desc")?;
                let offset = value.needed(&all, "offset")?.integer()?;
                let mut list = vec![base, access, self.metadata_number(I64, offset)];
                if find(&all, "constant").map(AttributeRef::integer).transpose()?.is_some_and(|n| n != 0) {
                    list.push(self.metadata_number(I64, 1));
                }
                Ok(self.tuple(list))
            }
            b"access_group" => Ok(self.s.metadata.node(true, Metadata::Tuple(Vec::new()))),
            b"alias_scope_domain" | b"alias_scope" => {
                let all = value.parameters()?;
                let number = self.s.metadata.reserve();
                let mut list = vec![Metadata::Node(number)];
                if let Some(domain) = find(&all, "domain") {
                    list.push(self.metadata_node(domain, "alias_scope_domain")?);
                }
                if let Some(description) = find(&all, "description") {
                    list.push(Metadata::String(description.bytes()?));
                }
                self.s.metadata.fill(number, true, Metadata::Tuple(list));
                Ok(Metadata::Node(number))
            }
            b"loop_annotation" => self.loop_node(value),
            _ if word.starts_with(b"di_") => self.debug_node(word, value),
            _ => Err(value.error("this attribute is no metadata that is known")),
        }
    }

    /// `<id = "int", members = {<#type, 0>, …}>`.
    fn tbaa_type(&mut self, value: AttributeRef<'r>) -> Result<Metadata> {
        let all = value.parameters()?;
        let mut list = vec![Metadata::String(value.needed(&all, "id")?.bytes()?)];
        if let Some(members) = find(&all, "members") {
            for member in members.array()? {
                let member = member?;
                let [ty, offset] = member.parameters()?[..] else {
                    return Err(member.expected("a type and its offset"));
                };
                list.push(self.metadata_node(ty.value, "tbaa_type_desc")?);
                list.push(self.metadata_number(I64, offset.value.integer()?));
            }
        }
        Ok(self.tuple(list))
    }

    fn loop_node(&mut self, value: AttributeRef<'r>) -> Result<Metadata> {
        let number = self.s.metadata.reserve();
        let mut list = vec![Metadata::Node(number)];
        let all = value.parameters()?;
        for place in ["startLoc", "endLoc"].iter().filter_map(|name| find(&all, name)) {
            list.extend(self.location(place)?.map(|place| place.metadata()));
        }
        for rows in LOOPS.chunk_by(|a, b| a.0 == b.0) {
            let group = match rows[0].0 {
                "" => all.clone(),
                group => match find(&all, group) {
                    Some(group) => group.resolve(self.t).parameters()?,
                    None => continue,
                },
            };
            for &(_, key, name, property) in rows {
                let Some(value) = find(&group, key) else { continue };
                let mut number =
                    |ty, of: fn(i64) -> i64| -> Result<_> { Ok(self.metadata_number(ty, of(value.integer()?))) };
                let operand = match property {
                    Property::Flag if value.integer()? == 0 => continue,
                    Property::Flag | Property::Either(_) => None,
                    Property::Bool | Property::FlagOrBool => Some(number(I1, |n| i64::from(n != 0))?),
                    Property::Not => Some(number(I1, |n| i64::from(n == 0))?),
                    Property::Number | Property::BoolAsNumber => Some(number(I32, |n| n)?),
                    Property::Followup => Some(self.metadata_node(value, "loop_annotation")?),
                };
                let name = match property {
                    Property::Either(other) if value.integer()? == 0 => other,
                    _ => name,
                };
                list.push(Metadata::Tuple([string(name)].into_iter().chain(operand).collect()));
            }
        }
        if let Some(groups) = find(&all, "parallelAccesses") {
            let groups = self.metadata_nodes(groups.bare_list(), "access_group")?;
            list.push(Metadata::Tuple([string("llvm.loop.parallel_accesses")].into_iter().chain(groups).collect()));
        }
        self.s.metadata.fill(number, true, Metadata::Tuple(list));
        Ok(Metadata::Node(number))
    }

    /// The nodes of the attributes in a list.
    pub(super) fn metadata_nodes(&mut self, list: Values<'r>, kind: &'static str) -> Result<Vec<Metadata>> {
        list.map(|value| self.metadata_node(value?, kind)).collect()
    }

    // Metadata of operations.

    /// Attaches the location of an operation, whose text may follow it, and the metadata that its attributes give, to its
    /// instructions, which are those from `first` on.
    pub fn attach_metadata(&mut self, op: &Op<'r>, location: AttributeRef<'r>, first: usize) -> Result<()> {
        for i in 0..op.attrs.len() {
            let value = op.attrs[i].value.resolve(self.t);
            let (kind, node): (&[u8], Metadata) = match op.attrs[i].name {
                b"tbaa" => (b"tbaa", self.metadata_list(value, "tbaa_tag", true)?),
                b"alias_scopes" => (b"alias.scope", self.metadata_list(value, "alias_scope", false)?),
                b"noalias_scopes" => (b"noalias", self.metadata_list(value, "alias_scope", false)?),
                b"access_groups" => (b"llvm.access.group", self.metadata_list(value, "access_group", true)?),
                b"loop_annotation" => (b"llvm.loop", self.metadata_node(value, "loop_annotation")?),
                b"branch_weights" => {
                    let mut list = vec![string("branch_weights")];
                    for n in value.integers()? {
                        list.push(self.metadata_number(I32, n));
                    }
                    (b"prof", self.tuple(list))
                }
                b"nontemporal" if value.holds() => {
                    let one = self.metadata_number(I32, 1);
                    (b"nontemporal", self.tuple(vec![one]))
                }
                b"invariant" if value.holds() => (b"invariant.load", Metadata::Tuple(Vec::new())),
                b"invariantGroup" | b"invariant_group" if value.holds() => {
                    (b"invariant.group", Metadata::Tuple(Vec::new()))
                }
                _ => continue,
            };
            self.l.attach_from(first, kind, &node);
        }
        if let Some(place) = self.op_location(op.pos, location)? {
            self.l.attach_from(first, b"dbg", &place.metadata());
        }
        Ok(())
    }

    /// Nodes in brackets: a single one that may stand for itself, or a node of all.
    fn metadata_list(&mut self, value: AttributeRef<'r>, kind: &'static str, single: bool) -> Result<Metadata> {
        if value.kind() != AttributeKind::Array {
            return self.metadata_node(value, kind);
        }
        let list = self.metadata_nodes(value.array()?, kind)?;
        match &list[..] {
            [one] if single => Ok(one.clone()),
            _ => Ok(self.tuple(list)),
        }
    }
}
