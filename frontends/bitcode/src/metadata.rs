//! Metadata as the file has it: strings, and the fields of nodes by their numbers.

use gusset_text::Result;

use crate::bits::{Bits, Entry};
use crate::codes::metadata as code;

/// A node: the code of its record, and its fields in the list of all fields.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The record's code; 0 for a string, whose bytes are the range.
    pub code: u32,
    start: u32,
    count: u32,
}

/// The code of a string's node.
pub const STRING: u32 = 0;

/// What is attached to a function or variable: numbers of kinds with nodes.
pub type Attached = Vec<(u64, u64)>;

/// The metadata of a module or function.
#[derive(Clone, Default, Debug)]
pub struct Metadata {
    /// Nodes and strings by number.
    pub nodes: Vec<Node>,
    fields: Vec<u64>,
    text: Vec<u8>,
    /// Named lists of nodes.
    pub named: Vec<(Vec<u8>, Vec<u64>)>,
    /// Numbers and names of kinds, of files where they have no block of their own.
    pub kinds: Vec<(u64, Vec<u8>)>,
    /// Numbers of values, with what is attached to them.
    pub attached: Vec<(u64, Attached)>,
}

impl Metadata {
    /// Removes all metadata.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.fields.clear();
        self.text.clear();
        self.named.clear();
        self.attached.clear();
        self.kinds.clear();
    }

    /// The fields of a node; a string has none.
    pub fn fields(&self, node: Node) -> &[u64] {
        if node.code == STRING { &[] } else { &self.fields[node.start as usize..][..node.count as usize] }
    }

    /// The string that a node is.
    pub fn string(&self, node: Node) -> Option<&[u8]> {
        (node.code == STRING).then(|| &self.text[node.start as usize..][..node.count as usize])
    }

    /// Reads the block that the cursor has entered.
    pub fn read(&mut self, c: &mut Bits<'_>) -> Result<()> {
        let mut name = None;
        loop {
            match c.next()? {
                Entry::End => return Ok(()),
                Entry::Block(_) => c.pass_over()?,
                Entry::Record => match c.code {
                    code::STRINGS => self.strings(c)?,
                    code::STRING_OLD => {
                        let start = self.text.len();
                        self.text.extend(c.record().iter().map(|&letter| letter as u8));
                        self.add_string(c, start)?;
                    }
                    code::NAME => name = Some(c.text(0)),
                    code::NAMED_NODE => {
                        let Some(name) = name.take() else { return Err(c.error("a list of metadata has no name")) };
                        self.named.push((name, c.record().to_vec()));
                    }
                    code::GLOBAL_DECL_ATTACHMENT => {
                        let Some((&value, pairs)) = c.record().split_first() else { return Err(c.short()) };
                        self.attached.push((value, pairs_of(c, pairs)?));
                    }
                    code::KIND => self.kinds.push((c.field(0), c.text(1))),
                    code::INDEX_OFFSET | code::INDEX => {}
                    code::ATTACHMENT => return Err(c.error("attachments have a block of their own")),
                    // A value of before LLVM 3.6.
                    code::VALUE_OLD if c.record().len() == 2 => self.node(c, code::VALUE)?,
                    // Lists of a function's values, which LLVM's reader empties (`MetadataLoader.cpp`, `METADATA_OLD_FN_NODE`).
                    code::VALUE_OLD => self.node_of(c, code::NODE, &[])?,
                    of => self.node(c, of)?,
                },
            }
        }
    }

    /// Adds a node.
    pub fn add(&mut self, of: u64, fields: &[u64]) {
        let start = self.fields.len() as u32;
        self.fields.extend_from_slice(fields);
        self.nodes.push(Node { code: of as u32, start, count: fields.len() as u32 });
    }

    /// Puts a node in the place of the one with a number.
    pub fn replace(&mut self, number: u64, of: u64, fields: &[u64]) {
        self.add(of, fields);
        if let (Some(node), Some(place)) = (self.nodes.pop(), self.nodes.get_mut(number as usize)) {
            *place = node;
        }
    }

    fn node(&mut self, c: &Bits<'_>, of: u64) -> Result<()> {
        self.node_of(c, of, c.record())
    }

    fn node_of(&mut self, c: &Bits<'_>, of: u64, fields: &[u64]) -> Result<()> {
        let (start, count) = (self.fields.len(), fields.len());
        // The number of strings is no code of a record.
        let code = u32::try_from(of).ok().filter(|&code| code != STRING);
        let code = code.ok_or_else(|| c.error(format!("the record {of} of metadata is not known")))?;
        c.refuse_if(start + count >= u32::MAX as usize, "the metadata take too much memory")?;
        self.fields.extend_from_slice(fields);
        self.nodes.push(Node { code, start: start as u32, count: count as u32 });
        Ok(())
    }

    fn add_string(&mut self, c: &Bits<'_>, start: usize) -> Result<()> {
        c.refuse_if(self.text.len() >= u32::MAX as usize, "the metadata take too much memory")?;
        let count = (self.text.len() - start) as u32;
        self.nodes.push(Node { code: STRING, start: start as u32, count });
        Ok(())
    }

    /// Takes a record of many strings: a blob of their lengths, in fields of six bits, and after these their bytes.
    fn strings(&mut self, c: &Bits<'_>) -> Result<()> {
        let [count, offset] = c.fields()?;
        let blob = c.blob();
        let Some((lengths, mut bytes)) = usize::try_from(offset).ok().and_then(|at| blob.split_at_checked(at)) else {
            return Err(c.error("the strings begin after their end"));
        };
        let mut lengths = Bits::new(lengths);
        for _ in 0..count {
            c.refuse_if(lengths.at_end(), "a string has no length")?;
            let length = lengths.variable(6);
            let Some((text, rest)) = usize::try_from(length).ok().and_then(|length| bytes.split_at_checked(length))
            else {
                return Err(c.error("a string is longer than all of them"));
            };
            let start = self.text.len();
            self.text.extend_from_slice(text);
            self.add_string(c, start)?;
            bytes = rest;
        }
        Ok(())
    }
}

/// The metadata that a function sees: the module's, and after these its own.
#[derive(Clone, Copy)]
pub struct Nodes<'a> {
    pub module: &'a Metadata,
    pub own: Option<&'a Metadata>,
}

impl<'a> Nodes<'a> {
    /// The node with a number, and the metadata that have it.
    pub fn get(self, number: u64) -> Option<(&'a Metadata, Node)> {
        let number = usize::try_from(number).ok()?;
        match number.checked_sub(self.module.nodes.len()) {
            None => Some((self.module, self.module.nodes[number])),
            Some(at) => self.own.and_then(|own| Some((own, *own.nodes.get(at)?))),
        }
    }

    /// The string with a number.
    pub fn string(self, number: u64) -> Option<&'a [u8]> {
        self.get(number).and_then(|(all, node)| all.string(node))
    }

    /// The operands of a tuple, by numbers; none for `null`.
    pub fn operands(self, number: u64) -> Option<impl Iterator<Item = Option<u64>> + 'a> {
        let (all, node) = self.get(number)?;
        let tuple = matches!(u64::from(node.code), code::NODE | code::DISTINCT_NODE);
        tuple.then(|| all.fields(node).iter().map(|field| field.checked_sub(1)))
    }

    /// Whether a tuple of the function's own, or of the module if there is none, may say something of the function or instruction that it is
    /// attached to, and not only of how code is optimized: it has a prefix for the function's section (`section_prefix`), a symbol
    /// (`func_sanitize`, `associated`), one number that is a type (`kcfi_type`), or it names sections (`pcsections`). What says something of types and
    /// loops looks otherwise. `is_size` tells the type of sizes and offsets, `i64`, by its number.
    pub fn may_matter_where_attached(self, is_size: impl Fn(u64) -> bool, is_pointer: impl Fn(u64) -> bool) -> bool {
        let (all, first) = self.own.map_or((self.module, 0), |own| (own, self.module.nodes.len()));
        let tuples =
            || (first..first + all.nodes.len()).filter_map(|n| Some((n - first, self.operands(n as u64)?.flatten())));
        let mut is_used = vec![false; all.nodes.len()];
        let listed = all.named.iter().flat_map(|(_, nodes)| nodes.iter().copied());
        for node in listed.chain(tuples().flat_map(|(_, operands)| operands)) {
            if let Some(is_used) = (node as usize).checked_sub(first).and_then(|at| is_used.get_mut(at)) {
                *is_used = true;
            }
        }
        tuples().any(|(at, operands)| {
            let operands: Vec<u64> = operands.collect();
            let type_of = |operand: &u64| self.value(*operand).map(|value| value.0);
            match operands[..] {
                [] => false,
                [only] if self.string(only).is_none() => type_of(&only).is_some_and(|ty| !is_size(ty)),
                [first, ..] => match self.string(first) {
                    Some(b"function_section_prefix") => true,
                    Some(text) => {
                        let names_loop = text.starts_with(b"llvm.loop.");
                        !names_loop && !is_used[at] && operands.iter().all(|operand| type_of(operand).is_none())
                    }
                    // Lists of functions that a call may reach begin with one.
                    None => {
                        !type_of(&first).is_some_and(&is_pointer)
                            && operands.iter().filter_map(type_of).any(&is_pointer)
                    }
                },
            }
        })
    }

    /// The type and the value of metadata that stand for a value.
    pub fn value(self, number: u64) -> Option<(u64, u64)> {
        let (all, node) = self.get(number)?;
        match (u64::from(node.code), all.fields(node)) {
            (code::VALUE, &[ty, value]) => Some((ty, value)),
            _ => None,
        }
    }
}

/// Goes on to what is attached to the next instruction, in a block of attachments; returns the instruction's number. What is attached to the
/// function itself is passed over.
pub fn next_attached(c: &mut Bits<'_>) -> Result<Option<u64>> {
    loop {
        match c.next()? {
            Entry::End => return Ok(None),
            Entry::Block(_) => c.pass_over()?,
            Entry::Record if c.record().len().is_multiple_of(2) => {}
            Entry::Record => return Ok(Some(c.field(0))),
        }
    }
}

/// Kinds and nodes, in turns.
pub fn pairs_of(c: &Bits<'_>, fields: &[u64]) -> Result<Attached> {
    let (pairs, rest) = fields.as_chunks::<2>();
    c.refuse_if(!rest.is_empty(), "an attachment has no node")?;
    Ok(pairs.iter().map(|&[kind, node]| (kind, node)).collect())
}
