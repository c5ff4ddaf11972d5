//! Metadata about aliasing, loops and profiles, as attributes.

use gusset_program::{Attachments, Metadata, Special};
use std::fmt::Write as _;

use super::Writer;
use super::constants::integer;
use super::state::MetadataAttributes;
use super::text::quoted;
use crate::metadata::loops::{LOOPS, LoopProperty, Property};

/// Longest chain of nodes that is followed; deeper metadata may be omitted, as it only informs optimizers.
const MAX_DEPTH: u32 = 64;

/// The attribute of branch weights.
pub(super) fn weight_array(weights: &[i32]) -> String {
    format!("array<i32: {}>", format!("{weights:?}").trim_matches(['[', ']']))
}

impl<'m> Writer<'m> {
    /// The node itself that metadata is or has the number of.
    fn content<'a>(&self, metadata: &'a Metadata) -> &'a Metadata
    where
        'm: 'a,
    {
        match metadata {
            Metadata::Node(number) => self.nodes.get(number).map_or(&Metadata::Null, |node| &node.content),
            _ => metadata,
        }
    }

    /// The operands of a node of the module, or of a node in place.
    pub(super) fn operands_of<'a>(&self, metadata: &'a Metadata) -> Option<&'a [Metadata]>
    where
        'm: 'a,
    {
        match self.content(metadata) {
            Metadata::Tuple(operands) => Some(operands),
            _ => None,
        }
    }

    /// The node of a named kind that a metadata operand is.
    pub(super) fn special_of<'a>(&self, metadata: &'a Metadata) -> Option<&'a Special>
    where
        'm: 'a,
    {
        match self.content(metadata) {
            Metadata::Special(special) => Some(special),
            _ => None,
        }
    }

    /// The number that is an operand of a node of the module.
    pub(super) fn number_in(&self, metadata: &Metadata) -> Option<u128> {
        let Metadata::Value(_, val) = metadata else { return None };
        // Only readers of MLIR have constants in the metadata that is known late.
        let late = !self.late.constants.values.is_empty();
        integer(if late { &self.late.constants } else { &self.module.constants }, *val)
    }

    fn attached<'a>(attached: &'a Attachments, kind: &str) -> Option<&'a Metadata> {
        attached.iter().find(|(name, _)| name == kind.as_bytes()).map(|(_, node)| node)
    }

    // Profiles.

    /// The weights of `count` branches.
    pub(super) fn branch_weights(&self, attached: &Attachments, count: usize) -> Option<Vec<i32>> {
        let operands = self.operands_of(Self::attached(attached, "prof")?)?;
        let [Metadata::String(name), rest @ ..] = operands else { return None };
        let rest = match rest {
            [Metadata::String(_), rest @ ..] => rest,
            _ => rest,
        };
        if name != b"branch_weights" || rest.len() != count {
            return None;
        }
        rest.iter().map(|weight| self.number_in(weight).map(|n| n as i32)).collect()
    }

    /// How often a function is entered.
    pub(super) fn entry_count(&self, attached: &Attachments) -> Option<i64> {
        match self.operands_of(Self::attached(attached, "prof")?)? {
            [Metadata::String(name), count, ..] if name == b"function_entry_count" => {
                self.number_in(count).map(|n| n as i64)
            }
            _ => None,
        }
    }

    // Memory.

    /// Writes entries of an operation's dictionary about its access to memory.
    pub(super) fn memory_metadata(&mut self, attached: &Attachments, access: bool) {
        for (kind, node) in attached {
            let (name, list) = match &kind[..] {
                b"tbaa" => ("tbaa", self.node("tbaa_tag", node, 0)),
                b"llvm.access.group" => ("access_groups", self.node_list("access_group", node)),
                b"alias.scope" => ("alias_scopes", self.node_list("alias_scope", node)),
                b"noalias" => ("noalias_scopes", self.node_list("alias_scope", node)),
                b"nontemporal" if access => {
                    self.entry("nontemporal");
                    continue;
                }
                _ => continue,
            };
            if let Some(list) = list {
                self.entry(&format!("{name} = [{list}]"));
            }
        }
    }

    /// The nodes of a list, or a single node, as attributes separated by commas.
    pub(super) fn node_list(&mut self, kind: &'static str, metadata: &Metadata) -> Option<String> {
        let operands = self.operands_of(metadata)?;
        if kind == "access_group" && operands.is_empty() {
            return self.node(kind, metadata, 0);
        }
        let all = operands.iter().map(|operand| self.node(kind, operand, 0)).collect::<Option<Vec<_>>>()?;
        (!all.is_empty()).then(|| all.join(", "))
    }

    /// The attribute of a node.
    fn node(&mut self, kind: &'static str, metadata: &Metadata, depth: u32) -> Option<String> {
        let &Metadata::Node(number) = metadata else { return None };
        if let Some(known) = self.metadata.texts.get(&(kind, number)) {
            return known.as_deref().map(String::from);
        }
        // The attribute of a node that refers to itself is not known.
        self.metadata.texts.insert((kind, number), None);
        let definition = if depth < MAX_DEPTH { self.definition(kind, number, depth + 1) } else { None };
        let alias = definition.map(|definition| {
            let alias = format!("#{kind}{}", self.metadata.aliases);
            self.metadata.aliases += 1;
            self.front.extend_from_slice(format!("{alias} = {definition}\n").as_bytes());
            alias
        });
        self.metadata.texts.insert((kind, number), alias.as_deref().map(Box::from));
        alias
    }

    /// The definition of the attribute of a node; aliases of kind `tbaa` are types or roots of types.
    fn definition(&mut self, kind: &'static str, number: u32, depth: u32) -> Option<String> {
        let own = Metadata::Node(number);
        let node = *self.nodes.get(&number)?;
        let Metadata::Tuple(operands) = &node.content else { return None };
        match kind {
            "tbaa" => self.type_node(operands, depth),
            "tbaa_tag" => self.tag(operands, depth),
            "access_group" => {
                operands.is_empty().then(|| format!("#llvm.access_group<id = {}>", self.metadata.fresh()))
            }
            "alias_scope_domain" | "alias_scope" => {
                let rest = match operands.split_first()? {
                    (first, rest) if *first == own || matches!(first, Metadata::String(_)) => rest,
                    _ => return None,
                };
                let (domain, rest) = match (kind, rest) {
                    ("alias_scope", [domain, rest @ ..]) => {
                        (Some(self.node("alias_scope_domain", domain, depth)?), rest)
                    }
                    ("alias_scope", []) => return None,
                    (_, rest) => (None, rest),
                };
                let mut text = format!("#llvm.{kind}<id = {}", self.metadata.fresh());
                if let Some(domain) = domain {
                    let _ = write!(text, ", domain = {domain}");
                }
                if let Some(Metadata::String(name)) = rest.first() {
                    let _ = write!(text, ", description = {}", quoted(name));
                }
                text.push('>');
                Some(text)
            }
            _ => self.loop_node(operands, own, depth),
        }
    }

    /// A type in the tree of type-based alias analysis (LLVM LangRef, "'tbaa' Metadata"), or its root.
    fn type_node(&mut self, operands: &[Metadata], depth: u32) -> Option<String> {
        match operands {
            [] => return Some("#llvm.tbaa_root".into()),
            [Metadata::String(name)] => return Some(format!("#llvm.tbaa_root<id = {}>", quoted(name))),
            _ => {}
        }
        let [Metadata::String(name), members @ ..] = operands else { return None };
        let mut all = Vec::new();
        for member in members.chunks(2) {
            let offset = match member {
                [_, offset] => self.number_in(offset)?,
                _ if members.len() == 1 => 0,
                _ => break,
            };
            all.push(format!("<{}, {offset}>", self.node("tbaa", &member[0], depth)?));
        }
        Some(format!("#llvm.tbaa_type_desc<id = {}, members = {{{}}}>", quoted(name), all.join(", ")))
    }

    fn tag(&mut self, operands: &[Metadata], depth: u32) -> Option<String> {
        let (base, access, offset, constant) = match operands {
            [base, access, offset] => (base, access, offset, false),
            [base, access, offset, constant] => (base, access, offset, self.number_in(constant)? & 1 != 0),
            _ => return None,
        };
        let offset = self.number_in(offset)?;
        // A root is no type.
        if [base, access].iter().any(|ty| self.operands_of(ty).is_none_or(|operands| operands.len() < 2)) {
            return None;
        }
        let base = self.node("tbaa", base, depth)?;
        let access = self.node("tbaa", access, depth)?;
        let constant = if constant { ", constant = true" } else { "" };
        Some(format!("#llvm.tbaa_tag<base_type = {base}, access_type = {access}, offset = {offset}{constant}>"))
    }

    // Loops.

    /// Writes ` {loop_annotation = …}` of a branch, if there is one.
    pub(super) fn loop_dictionary(&mut self, attached: &Attachments) {
        let annotation = Self::attached(attached, "llvm.loop").and_then(|node| self.node("loop", node, 0));
        if let Some(annotation) = annotation {
            write!(self, " {{loop_annotation = {annotation}}}");
        }
    }

    fn loop_node(&mut self, operands: &[Metadata], own: Metadata, depth: u32) -> Option<String> {
        let (first, properties) = operands.split_first()?;
        if *first != own {
            return None;
        }
        let (mut fields, mut own_flags) = (Vec::new(), Vec::new());
        for rows in LOOPS.chunk_by(|a, b| a.0 == b.0) {
            let values = rows.iter().filter_map(|row| Some((row.1, self.property(properties, row, depth)?)));
            let values: Vec<String> = values.map(|(key, value)| format!("{key} = {value}")).collect();
            match rows[0].0 {
                "" => own_flags = values,
                _ if values.is_empty() => {}
                group => {
                    let word = if group == "unrollAndJam" { "unroll_and_jam" } else { group };
                    fields.push(format!("{group} = #llvm.loop_{word}<{}>", values.join(", ")));
                }
            }
        }
        // MLIR's order.
        let first = own_flags.iter().take_while(|flag| flag.starts_with("disableNonforced")).count();
        fields.splice(0..0, own_flags.drain(..first));
        fields.append(&mut own_flags);
        let places: Vec<_> = properties.iter().filter(|p| self.is_location(p)).collect();
        for (place, field) in places.into_iter().zip(["startLoc", "endLoc"]) {
            // An inlined loop cannot be expressed.
            if self.is_inlined(place) {
                self.leave_out("places of loops that were inlined");
            } else if let Some(place) = self.location(place) {
                fields.push(format!("{field} = {place}"));
            }
        }
        if let Some(rest) = self.property_operands(properties, "llvm.loop.parallel_accesses") {
            let groups: Option<Vec<String>> = rest.iter().map(|group| self.node_list("access_group", group)).collect();
            fields.push(format!("parallelAccesses = {}", groups?.join(", ")));
        }
        (!fields.is_empty()).then(|| format!("#llvm.loop_annotation<{}>", fields.join(", ")))
    }

    /// The operands after the name of a property.
    fn property_operands<'a>(&self, properties: &'a [Metadata], name: &str) -> Option<&'a [Metadata]>
    where
        'm: 'a,
    {
        properties.iter().find_map(|property| match self.operands_of(property)? {
            [Metadata::String(text), rest @ ..] if text == name.as_bytes() => Some(rest),
            _ => None,
        })
    }

    fn property(
        &mut self,
        properties: &[Metadata],
        &(_, _, name, property): &LoopProperty,
        depth: u32,
    ) -> Option<String> {
        let operands = self.property_operands(properties, name);
        if let (None, Property::Either(other)) = (operands, property) {
            return self.property_operands(properties, other).map(|_| "false".into());
        }
        let operand = operands?.first();
        let number = operand.and_then(|operand| self.number_in(operand));
        match property {
            Property::Flag | Property::Either(_) | Property::FlagOrBool => Some("true".into()),
            Property::Bool | Property::BoolAsNumber => number.map(|n| (n != 0).to_string()),
            Property::Not => number.map(|n| (n == 0).to_string()),
            Property::Number => number.map(|n| format!("{} : i32", n as i32)),
            Property::Followup => self.node("loop", operand?, depth),
        }
    }
}

impl MetadataAttributes {
    /// A distinct attribute.
    fn fresh(&mut self) -> String {
        format!("distinct[{}]<>", self.fresh_number())
    }

    /// The number of a distinct attribute.
    pub fn fresh_number(&mut self) -> u32 {
        self.distinct += 1;
        self.distinct - 1
    }
}
