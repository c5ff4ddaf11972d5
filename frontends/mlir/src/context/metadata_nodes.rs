//! Nodes of metadata, numbered in the order in which they are found.

use std::collections::HashMap;

use gusset_program::{Function, Late, Metadata, Node};

use crate::syntax::locations::LineCounter;

/// The metadata of a module, which is found where it is used.
#[derive(Default)]
pub(crate) struct MetadataNodes {
    /// Nodes by the text of their attributes.
    pub known: HashMap<Vec<u8>, u32>,
    nodes: Vec<(u32, Node)>,
    named: Vec<(Vec<u8>, Vec<Metadata>)>,
    /// Numbers in nodes.
    pub constants: Function,
    /// Recursive types, by what distinguishes them from others.
    pub recursive: HashMap<Vec<u8>, u32>,
    /// Variables of compile units, with the units' numbers.
    pub variables: Vec<(u32, Metadata)>,
    pub depth: u32,
    /// The scope of the current function.
    pub scope: Option<Metadata>,
    /// The lines of operations without a location.
    pub lines: LineCounter,
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

    /// Everything.
    pub fn take(&mut self) -> Late {
        let nodes = std::mem::take(&mut self.nodes);
        let (named, constants) = (std::mem::take(&mut self.named), std::mem::take(&mut self.constants));
        Late { declarations: Vec::new(), nodes, named, constants }
    }
}
