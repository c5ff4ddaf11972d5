//! Nodes of debug information as LLVM prints them: the most frequent kinds are read in one go.

use gusset_lower::debug_info::{IN_PLACE, LexicalBlockFields, LocalVariableFields, LocationFields};
use gusset_text::decimal_number;

/// What is read at a time.
pub(crate) const WINDOW_BYTES: usize = 192;

/// What is read of it: no location or block with short numbers has more bytes, with the number of its node and what follows it on its line.
const MOST_BYTES: usize = 128;

/// A text as LLVM prints it, in which one thing after the other is expected.
#[derive(Clone, Copy)]
struct Printed<'t> {
    text: &'t [u8; WINDOW_BYTES],
    /// The position; what was read is of no use if it is [`MOST_BYTES`] or above.
    at: usize,
}

impl Printed<'_> {
    /// The next bytes. Their position is masked instead of being checked.
    #[inline(always)]
    fn chunk<const N: usize>(&self) -> &[u8; N] {
        const { assert!(N <= WINDOW_BYTES - MOST_BYTES) };
        self.text[self.at % MOST_BYTES..].first_chunk().unwrap_or(&[0; N])
    }

    /// Moves over a text; `None` if another one is next.
    #[inline(always)]
    fn expect<const N: usize>(&mut self, expected: &[u8; N]) -> Option<()> {
        let found = self.chunk() == expected;
        self.at += N;
        found.then_some(())
    }

    /// Moves over a text if it is next; returns whether it was.
    #[inline(always)]
    fn eat<const N: usize>(&mut self, expected: &[u8; N]) -> bool {
        let found = self.chunk() == expected;
        self.at += if found { N } else { 0 };
        found
    }

    /// Takes a number of at most 7 digits.
    #[inline(always)]
    fn number(&mut self) -> Option<u32> {
        let (number, len) = decimal_number(u64::from_le_bytes(*self.chunk()))?;
        self.at += len;
        Some(number)
    }

    /// Takes a number of 16 bits.
    #[inline(always)]
    fn short(&mut self) -> Option<u16> {
        self.number()?.try_into().ok()
    }

    /// Takes what follows `!DILocation`.
    #[inline(always)]
    fn location(&mut self) -> Option<LocationFields> {
        self.expect(b"(line: ")?;
        let line = self.number()?;
        let column = if self.eat(b", column: ") { self.short()? } else { 0 };
        self.expect(b", scope: !")?;
        let scope = self.number()?;
        let inlined_at = if self.eat(b", inlinedAt: !") { Some(self.number()?) } else { None };
        self.expect(b")")?;
        Some(LocationFields { line, column, scope, inlined_at })
    }

    /// Takes what follows `!DILexicalBlock`.
    #[inline(always)]
    fn lexical_block(&mut self) -> Option<LexicalBlockFields> {
        self.expect(b"(scope: !")?;
        let scope = self.number()?;
        let file = if self.eat(b", file: !") { Some(self.number()?) } else { None };
        let line = if self.eat(b", line: ") { self.number()? } else { 0 };
        let column = if self.eat(b", column: ") { self.short()? } else { 0 };
        self.expect(b")")?;
        Some(LexicalBlockFields { scope, file, line, column })
    }
}

/// The location at the beginning of a text. `None` if it is not as LLVM prints it.
pub(crate) fn printed_location(text: &[u8]) -> Option<LocationFields> {
    let read = |text| {
        let mut printed = Printed { text, at: 0 };
        printed.expect(b"!DILocation")?;
        printed.location().filter(|_| printed.at < MOST_BYTES)
    };
    match text.first_chunk() {
        Some(text) => read(text),
        None => {
            let mut padded = [0; WINDOW_BYTES];
            padded[..text.len()].copy_from_slice(text);
            read(&padded)
        }
    }
}

/// The local variable at the beginning of a text. `None` if it is not as LLVM prints most.
pub(crate) fn printed_local_variable(text: &[u8]) -> Option<LocalVariableFields<'_>> {
    let text = text.strip_prefix(b"!DILocalVariable(name: \"")?;
    let end = memchr::memchr2(b'"', b'\\', text).filter(|&end| text[end] == b'"')?;
    let (name, rest) = text.split_at(end);
    let mut printed = Printed { text: rest.first_chunk()?, at: 1 };
    let argument = if printed.eat(b", arg: ") { printed.short()? } else { 0 };
    printed.expect(b", scope: !")?;
    let scope = printed.number()?;
    printed.expect(b", file: !")?;
    let file = printed.number()?;
    printed.expect(b", line: ")?;
    let line = printed.number()?;
    printed.expect(b", type: !")?;
    let ty = printed.number()?;
    printed.expect(b")")?;
    (printed.at < MOST_BYTES).then_some(LocalVariableFields { name, argument, scope, file, line, ty })
}

/// A line with a node that [`PrintedNodes`] has.
pub(crate) struct NodeLine {
    /// The node's number.
    pub number: u32,
    /// The position in the line at which its content begins.
    pub content: usize,
    /// The largest number of a node that it refers to.
    pub largest_reference: u32,
    /// The length of the line.
    pub bytes: usize,
    node: PackedNode,
}

impl NodeLine {
    /// Reads a line with the next line's first byte. `None` if another kind of line is next.
    #[inline(always)]
    pub fn read(text: &[u8; WINDOW_BYTES]) -> Option<NodeLine> {
        let mut printed = Printed { text, at: 0 };
        printed.expect(b"!")?;
        let number = printed.number()?;
        printed.expect(b" = ")?;
        let content = printed.at;
        printed.eat(b"distinct ");
        let node = if printed.eat(b"!DILocation") {
            PackedNode::of_location(printed.location()?)
        } else {
            printed.expect(b"!DILexicalBlock")?;
            PackedNode::of_block(printed.lexical_block()?)
        };
        let bytes = printed.at + 1;
        // A line that is indented would continue this one.
        printed.expect(b"\n!")?;
        let other = if node.other == IN_PLACE { 0 } else { node.other };
        let largest_reference = node.scope.max(other);
        (printed.at < MOST_BYTES).then_some(NodeLine { number, content, largest_reference, bytes, node })
    }
}

/// The locations and lexical blocks that a module defines in LLVM's own form, by the numbers of their nodes.
#[derive(Default)]
pub(crate) struct PrintedNodes(Vec<PackedNode>);

/// A node in 16 bytes. Nodes that other nodes can name have numbers below [`IN_PLACE`].
#[derive(Clone, Copy)]
struct PackedNode {
    kind: PackedKind,
    column: u16,
    line: u32,
    scope: u32,
    /// The call at which the code of a location was inlined, or the file of a block; [`IN_PLACE`] if there is none.
    other: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PackedKind {
    Other,
    Location,
    LexicalBlock,
}

impl PackedNode {
    const OTHER: PackedNode = PackedNode { kind: PackedKind::Other, column: 0, line: 0, scope: 0, other: 0 };

    fn of_location(fields: LocationFields) -> PackedNode {
        let LocationFields { line, column, scope, inlined_at } = fields;
        PackedNode { kind: PackedKind::Location, column, line, scope, other: inlined_at.unwrap_or(IN_PLACE) }
    }

    fn of_block(fields: LexicalBlockFields) -> PackedNode {
        let LexicalBlockFields { scope, file, line, column } = fields;
        PackedNode { kind: PackedKind::LexicalBlock, column, line, scope, other: file.unwrap_or(IN_PLACE) }
    }

    fn other(&self) -> Option<u32> {
        (self.other != IN_PLACE).then_some(self.other)
    }
}

impl PrintedNodes {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Makes room for nodes with numbers below `count`.
    pub fn reserve(&mut self, count: usize) {
        self.0.reserve(count);
    }

    /// Adds the node of a line. `place` is its place among the nodes in the text: one whose number is far above it is not kept.
    pub fn add(&mut self, line: &NodeLine, place: usize) {
        let number = line.number as usize;
        if number >= 2 * place + 1024 {
            return;
        }
        if number > self.0.len() {
            self.0.resize(number, PackedNode::OTHER);
        }
        match self.0.get_mut(number) {
            Some(place) => *place = line.node,
            None => self.0.push(line.node),
        }
    }

    fn get(&self, node: u32, kind: PackedKind) -> Option<&PackedNode> {
        self.0.get(node as usize).filter(|node| node.kind == kind)
    }

    /// A location by the number of its node.
    pub fn location(&self, node: u32) -> Option<LocationFields> {
        let node = self.get(node, PackedKind::Location)?;
        let &PackedNode { line, column, scope, .. } = node;
        Some(LocationFields { line, column, scope, inlined_at: node.other() })
    }

    /// A lexical block by the number of its node.
    pub fn lexical_block(&self, node: u32) -> Option<LexicalBlockFields> {
        let node = self.get(node, PackedKind::LexicalBlock)?;
        let &PackedNode { line, column, scope, .. } = node;
        Some(LexicalBlockFields { scope, file: node.other(), line, column })
    }

    /// Whether it has the node with a number.
    pub fn has(&self, node: u32) -> bool {
        self.0.get(node as usize).is_some_and(|node| node.kind != PackedKind::Other)
    }
}
