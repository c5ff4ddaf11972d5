//! Nodes of metadata, numbered in the order in which they are found.

use std::collections::HashMap;

use gusset_program::{Field, Function, Late, Metadata, Node, Special};

use crate::syntax::lexer::unescape;

/// The metadata of a module, which is found where it is used.
#[derive(Default)]
pub(crate) struct MetadataNodes {
    /// Nodes by the text of their attributes.
    pub known: HashMap<Vec<u8>, u32>,
    nodes: Vec<(u32, Node)>,
    /// Nodes that are not distinct, by their contents.
    unique: HashMap<Special, u32>,
    named: Vec<(Vec<u8>, Vec<Metadata>)>,
    /// Numbers in nodes.
    pub constants: Function,
    /// Recursive types, by what distinguishes them from others.
    pub recursive: HashMap<Vec<u8>, u32>,
    /// Variables of compile units, with the units' numbers.
    pub variables: Vec<(u32, Metadata)>,
    pub depth: u32,
}

/// The location of an operation, from which a `DILocation` is made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub line: u64,
    pub column: u64,
    /// The number of the node of its scope.
    pub scope: u32,
    /// The call into which it is inlined.
    pub inlined_at: Option<Box<Place>>,
}

impl Place {
    /// `!DILocation(…)`.
    pub fn metadata(&self) -> Metadata {
        let number = |n: u64| Field::Words(n.to_string().into_bytes());
        let scope = Field::Metadata(Metadata::Node(self.scope));
        let at = self.inlined_at.as_ref().map(|at| ("inlinedAt", Field::Metadata(at.metadata())));
        let fields = [("line", number(self.line)), ("column", number(self.column)), ("scope", scope)];
        Metadata::Special(Special::new("DILocation", fields.into_iter().chain(at)))
    }

    /// Whether the code here was inlined at another place.
    pub fn is_inside(&self, other: &Place) -> bool {
        self.inlined_at.as_ref().is_some_and(|at| **at == *other || at.is_inside(other))
    }
}

impl MetadataNodes {
    /// Reserves a node; returns its number.
    pub fn reserve(&mut self) -> u32 {
        let number = self.nodes.len() as u32;
        self.nodes.push((number, Node { distinct: false, content: Metadata::Null }));
        number
    }

    /// Fills a node.
    pub fn fill(&mut self, number: u32, distinct: bool, content: Metadata) {
        self.nodes[number as usize].1 = Node { distinct, content };
    }

    /// Fills a node that is not distinct, unless another node has this content; the number of the node that has it.
    pub fn fill_unique(&mut self, number: u32, content: Special) -> u32 {
        *self.unique.entry(content).or_insert_with_key(|content| {
            self.nodes[number as usize].1 = Node { distinct: false, content: Metadata::Special(content.clone()) };
            number
        })
    }

    /// A new node.
    pub fn node(&mut self, distinct: bool, content: Metadata) -> Metadata {
        let number = self.reserve();
        self.fill(number, distinct, content);
        Metadata::Node(number)
    }

    /// The content of a node.
    pub fn content(&mut self, number: u32) -> &mut Metadata {
        &mut self.nodes[number as usize].1.content
    }

    /// Adds to named metadata.
    pub fn add_named(&mut self, name: &[u8], node: Metadata) {
        match self.named.iter_mut().find(|n| n.0 == name) {
            Some((_, list)) if list.contains(&node) => {}
            Some((_, list)) => list.push(node),
            None => self.named.push((name.to_vec(), vec![node])),
        }
    }

    /// The nodes in the order of their numbers.
    pub fn contents(&self) -> impl Iterator<Item = &Metadata> {
        self.nodes.iter().map(|(_, node)| &node.content)
    }

    /// Sorts nodes by the texts of their attributes.
    pub fn sort_by_text(&self, numbers: &mut [u32]) {
        let texts: HashMap<u32, &[u8]> = self.known.iter().map(|(text, &number)| (number, &text[..])).collect();
        numbers.sort_by_key(|number| texts.get(number));
    }

    /// The node of a file, whose name is as a location has it.
    pub fn file(&mut self, name: &[u8]) -> Metadata {
        let key = [b"loc \"", name].concat();
        if let Some(&known) = self.known.get(&key) {
            return Metadata::Node(known);
        }
        let path = unescape(name);
        let (folder, name) = match memchr::memrchr(b'/', &path) {
            Some(at) => (&path[..at.max(1)], &path[at + 1..]),
            None => (&b""[..], &path[..]),
        };
        let fields = [("filename", Field::String(name.to_vec())), ("directory", Field::String(folder.to_vec()))];
        let number = self.reserve();
        self.fill(number, false, Metadata::Special(Special::new("DIFile", fields)));
        self.known.insert(key, number);
        Metadata::Node(number)
    }

    /// Named metadata.
    pub fn named(&self, name: &[u8]) -> &[Metadata] {
        self.named.iter().find(|named| named.0 == name).map_or(&[], |named| &named.1)
    }

    /// Lists the variables that have been found in their compile units.
    pub fn list_variables(&mut self) {
        for (unit, node) in std::mem::take(&mut self.variables) {
            let Metadata::Special(special) = self.content(unit) else { continue };
            match special.fields.iter_mut().find(|f| f.0 == b"globals") {
                Some((_, Field::Metadata(Metadata::Tuple(list)))) => list.push(node),
                _ => special.fields.push((b"globals".to_vec(), Field::Metadata(Metadata::Tuple(vec![node])))),
            }
        }
    }

    /// Everything.
    pub fn take(&mut self) -> Late {
        let nodes = std::mem::take(&mut self.nodes);
        let (named, constants) = (std::mem::take(&mut self.named), std::mem::take(&mut self.constants));
        Late { declarations: Vec::new(), nodes, named, constants }
    }
}
