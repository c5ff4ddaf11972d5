//! Metadata as nodes of debug information (`DebugNodes`).

use std::borrow::Cow;

use gusset_lower::debug_info::{DebugField, DebugInfoError, DebugNodes, FieldValue, IN_PLACE, LocationFields};
use gusset_program::{Field, Metadata, Special};

/// A node of the module, or one that stands in another node.
#[derive(Clone, Copy)]
enum Content<'a> {
    Special(&'a Special),
    List(&'a [Metadata]),
    Other,
}

impl<'a> Content<'a> {
    fn of(metadata: &'a Metadata) -> Content<'a> {
        match metadata {
            Metadata::Special(special) => Content::Special(special),
            Metadata::Tuple(list) => Content::List(list),
            _ => Content::Other,
        }
    }

    /// The node that stands in a field.
    fn in_field(field: &'a Field) -> Content<'a> {
        match field {
            Field::Metadata(metadata) => Content::of(metadata),
            Field::List(list) => Content::List(list),
            Field::Words(_) | Field::String(_) => Content::Other,
        }
    }
}

/// The nodes of a module, with [`IN_PLACE`] in their numbers, and its locations without.
pub(crate) struct ProgramNodes<'a> {
    locations: &'a [LocationFields],
    /// With the number of the first node that stands in it; those follow each other.
    nodes: Vec<(Content<'a>, u32)>,
}

impl<'a> ProgramNodes<'a> {
    pub fn new(nodes: impl Iterator<Item = &'a Metadata>, locations: &'a [LocationFields]) -> ProgramNodes<'a> {
        let mut nodes: Vec<_> = nodes.map(|metadata| (Content::of(metadata), 0)).collect();
        let mut at = 0;
        while at < nodes.len() {
            nodes[at].1 = nodes.len() as u32;
            let inner: Vec<_> = match nodes[at].0 {
                Content::List(list) => list.iter().map(Content::of).collect(),
                Content::Special(special) => special.fields.iter().map(|field| Content::in_field(&field.1)).collect(),
                Content::Other => Vec::new(),
            };
            nodes.extend(inner.into_iter().filter(|content| !matches!(content, Content::Other)).map(|c| (c, 0)));
            at += 1;
        }
        ProgramNodes { locations, nodes }
    }

    fn node(&self, node: u32) -> Option<(Content<'a>, u32)> {
        self.nodes.get((node & !IN_PLACE) as usize).copied().filter(|_| node & IN_PLACE != 0)
    }
}

impl<'a> DebugNodes<'a> for ProgramNodes<'a> {
    fn kind(&self, node: u32) -> Option<&'a [u8]> {
        if node & IN_PLACE == 0 {
            return Some(b"DILocation");
        }
        match self.node(node)?.0 {
            Content::Special(special) => Some(&special.name),
            Content::List(_) => Some(b""),
            Content::Other => None,
        }
    }

    fn fields(&self, node: u32, fields: &mut Vec<DebugField<'a>>) -> Result<(), DebugInfoError> {
        let Some((content, next)) = self.node(node) else { return Ok(()) };
        let next = std::cell::Cell::new(next);
        let in_place = || FieldValue::Node(next.replace(next.get() + 1) | IN_PLACE);
        let value = |metadata: &'a Metadata| match metadata {
            Metadata::Null => FieldValue::Null,
            Metadata::Node(number) => FieldValue::Node(number | IN_PLACE),
            Metadata::String(text) => FieldValue::Text(Cow::Borrowed(text)),
            Metadata::Value(..) => FieldValue::Value,
            Metadata::Tuple(_) | Metadata::Special(_) => in_place(),
        };
        match content {
            Content::List(list) => {
                fields.extend(list.iter().map(|one| DebugField { name: b"", value: value(one), place: 0 }));
            }
            Content::Special(special) => {
                fields.extend(special.fields.iter().map(|(name, field)| {
                    let value = match field {
                        Field::Words(words) => words_value(words),
                        Field::String(text) => FieldValue::Text(Cow::Borrowed(text)),
                        Field::Metadata(metadata) => value(metadata),
                        Field::List(_) => in_place(),
                    };
                    DebugField { name, value, place: 0 }
                }));
            }
            Content::Other => {}
        }
        Ok(())
    }

    fn location(&self, node: u32) -> Option<LocationFields> {
        self.locations.get(node as usize).copied()
    }

    /// MLIR's errors in attributes are found when these are read.
    fn place(&self, _node: u32) -> usize {
        0
    }
}

/// The value of words as LLVM's text has them.
pub(crate) fn words_value(words: &[u8]) -> FieldValue<'_> {
    let (negative, digits) = match words {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let number = || std::str::from_utf8(digits).ok()?.parse().ok();
    match words {
        b"null" | b"!{}" => FieldValue::Null,
        _ if digits.first().is_some_and(u8::is_ascii_digit) => match number() {
            Some(magnitude) => FieldValue::Integer { magnitude, negative },
            None => FieldValue::Words(words),
        },
        _ => FieldValue::Words(words),
    }
}
