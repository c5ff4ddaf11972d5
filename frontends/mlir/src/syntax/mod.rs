//! Syntax: the text of operations, which is read into [`op::Op`]s. Nothing here knows the meaning of an operation, or
//! what its operands are; and no file outside of this folder has a cursor.
//!
//! A [`Parser`] is a cursor with the tables that reading fills. It reads one operation into an `Op`: in the generic
//! form, or in the custom form by the tokens of the operation's row ([`op_table`]). Conversion holds the position where
//! reading goes on, asks the parser what comes next in a region, and sees only the `Op`. The few forms that tokens
//! cannot express are written by hand in [`forms`].
//!
//! [`module`] walks over a file and finds the operations outside of functions, and [`module_op`] reads one of them, for
//! code and for translation. [`op_span`] finds the end of an operation that is not read.
//!
//! # What an operation is
//!
//! An [`op::Op`] consists of flat vectors that are used again for the next operation; ranges of them are pairs of
//! indexes.
//!
//! - Operands are names (`refs`): a number of a value's name with the place where it stands. The parser does not know their types. It
//!   reads the types that the text gives (`types`, with a range for each letter of the form), and the operation's rule says which
//!   operand has which one (`Reader::find_operands`).
//! - `groups` has the ends of groups of operands, `lists` those of lists of numbers and operands.
//! - An attribute ([`attributes::NamedAttribute`]) is its name and its value. The value ([`attributes::AttributeRef`]) is the place of its
//!   text; accessors read it as a number, a symbol, a list, a type, and so on. Numbers of scalar types are read by [`numbers`], dense
//!   constants by [`dense`]. Conversion moves no cursor over attributes.
//! - Affine maps that stand among the operands (`%m[%i + 1]`) are read with them, as no attribute has their text (`maps`).
//! - A successor is the number of a block's name, with ranges of operands and of types.
//! - A region is the place of its opening brace. `arguments` has the names that the operation's header gives to the arguments of the
//!   first region's first block.
//!
//! # Regions
//!
//! The operation is read to its end before it is converted, so its regions are skipped. To avoid skipping nested
//! regions once for each level, the pairs of braces of the outermost region are recorded ([`braces`]), and inner
//! regions are looked up there.
//!
//! # Why there is no tree of a body
//!
//! Conversion reads an operation, converts it, and goes into its regions by the places of their braces. The operations of
//! a body are not stored as a tree, for these reasons:
//!
//! - Nothing goes back to an operation that has been converted: values are found by the numbers of their names, blocks by
//!   those of theirs. The parser gives the operations in order, which is all that conversion needs.
//! - A stored tree of the largest function would take several times the memory of its text, and each operation would be
//!   written and read once more, on the path on which most of the time is spent.
//! - Short names of operations depend on the dialect of the region around, and types are read into the thread's table in
//!   the order of the text, so that an error about a type is reported at its operation. Both follow from reading and
//!   converting in turns.
//!
//! What a tree would have saved is done otherwise: [`braces`] skips nested regions once, an operation that stays in a
//! partial translation is printed from its `Op`, and the search for all errors moves over an operation by its span.

pub(crate) mod assembly_format;
pub(crate) mod attributes;
pub(crate) mod braces;
pub(crate) mod dense;
mod float8;
pub(crate) mod forms;
pub(crate) mod generic;
pub(crate) mod header;
mod header_checks;
pub(crate) mod intrinsics;
pub(crate) mod keywords;
pub(crate) mod lexer;
pub(crate) mod locations;
pub(crate) mod module;
pub(crate) mod module_op;
pub(crate) mod numbers;
pub(crate) mod op;
pub(crate) mod op_span;
pub(crate) mod op_table;
mod parameters;
pub(crate) mod symbols;
pub(crate) mod types;

use gusset_program::TypeTable;
use gusset_text::{NameTable, Result, Source};

use crate::syntax::types::{Ty, Types};
use braces::Braces;
use header::Header;
use lexer::{Cursor, Tokens};
use op::{LocalRef, NAMED};

/// Tables that reading a body fills, used again for the next one.
#[derive(Default)]
pub(crate) struct Names {
    /// Names of values that are not numbers.
    pub values: NameTable,
    /// Names of blocks.
    pub blocks: NameTable,
    /// Bound on the numbers of values.
    limit: u32,
    pub braces: Braces,
}

impl Names {
    /// Removes all names. The next body has `bytes` bytes of text.
    pub fn clear(&mut self, bytes: usize) {
        self.values.clear(bytes);
        self.blocks.clear(0);
        self.limit = bytes as u32;
        self.braces.clear();
    }
}

/// What comes next in a region.
pub(crate) enum Next {
    /// The label of a block.
    Label,
    Operation,
    /// The region's closing brace.
    End,
}

/// The label of a block: `^bb1(%x: i32):`.
pub(crate) struct Label {
    /// The number of its name, and the name's position.
    pub id: usize,
    pub pos: usize,
    /// The names of its arguments, with their positions.
    pub names: Vec<(LocalRef, usize)>,
    pub types: Vec<Ty>,
}

/// Reads operations.
pub(crate) struct Parser<'a, 'r> {
    c: Cursor<'r>,
    pub types: &'a mut Types,
    pub llvm: &'a mut TypeTable,
    names: &'a mut Names,
}

impl<'a, 'r> Parser<'a, 'r> {
    /// A parser of the text from `pos` on.
    #[inline(always)]
    pub fn new(
        (src, pos): (Source<'r>, usize),
        types: &'a mut Types,
        llvm: &'a mut TypeTable,
        names: &'a mut Names,
    ) -> Parser<'a, 'r> {
        Parser { c: Cursor::new(src.text, pos), types, llvm, names }
    }

    /// The position where it goes on.
    #[inline(always)]
    pub fn pos(&self) -> usize {
        self.c.pos
    }

    /// Reads a type.
    #[inline]
    pub fn ty(&mut self) -> Result<Ty> {
        self.types.parse(self.llvm, &mut self.c)
    }

    // Regions and blocks.

    /// Finds what comes next in a region, and moves over its closing brace.
    #[inline(always)]
    pub fn next_in_region(&mut self) -> Result<Next> {
        match self.c.peek() {
            b'^' => Ok(Next::Label),
            b'}' => {
                self.c.bump(1);
                Ok(Next::End)
            }
            0 if self.c.at_end() => Err(self.c.expected("`}`")),
            _ => Ok(Next::Operation),
        }
    }

    /// Moves over the opening brace of a region.
    pub fn enter_region(&mut self) -> Result<()> {
        self.c.expect(b'{')
    }

    /// Returns an error if a label comes next, and the region's values have names already.
    pub fn no_label_if(&self, named: bool) -> Result<()> {
        let twice = named && self.is_at_label();
        self.c.refuse_if(twice, self.c.pos, "the region's values have names already: its first block has no header")
    }

    /// Checks that the operation whose region has been read ends at `end`.
    pub fn at_the_end(&mut self, end: usize) -> Result<()> {
        self.c.at_the_end(end)
    }

    pub fn is_at_label(&self) -> bool {
        self.c.peek() == b'^'
    }

    /// Whether the block's end comes next.
    pub fn is_at_block_end(&self) -> bool {
        matches!(self.c.peek(), b'}' | b'^')
    }

    /// Reads a label. `types`: whether its types are read, too.
    pub fn label(&mut self, types: bool) -> Result<Label> {
        let (id, pos) = self.block_name()?;
        let mut label = Label { id, pos, names: Vec::new(), types: Vec::new() };
        if self.c.eat(b'(') {
            let mut more = !self.c.eat(b')');
            while more {
                let pos = self.c.pos;
                label.names.push((self.local_ref()?, pos));
                self.c.expect(b':')?;
                match types {
                    true => label.types.push(self.ty()?),
                    false => self.c.skip_untyped()?,
                }
                self.c.skip_location()?;
                more = self.c.more(b')')?;
            }
        }
        self.c.expect_bracket(b':')?;
        Ok(label)
    }

    // Names.

    /// Reads the header of a function, up to its region.
    pub fn header(&mut self) -> Result<Header<'r>> {
        Header::parse(&mut self.c, self.types, self.llvm)
    }

    /// Reads the names of an operation's results, if it has some, with the number of values of each.
    #[inline(always)]
    pub fn result_names(&mut self, names: &mut Vec<(LocalRef, u32)>) -> Result<()> {
        if self.c.peek() != b'%' {
            return Ok(());
        }
        loop {
            let r = self.local_ref()?;
            let count = if self.c.eat(b':') { self.c.number32()? } else { 1 };
            names.push((r, count));
            if !self.c.eat(b',') {
                return self.c.expect(b'=');
            }
        }
    }

    /// Reads the name of an operation in the generic form, if it is in that form.
    #[inline(always)]
    pub fn generic_name(&mut self) -> Result<Option<&'r [u8]>> {
        if self.c.peek() == b'"' { self.c.quoted().map(Some) } else { Ok(None) }
    }

    /// Reads the name of an operation in the custom form, if `known` or `other` knows it: `other` is asked about names
    /// that no space follows, and those that `known` does not know.
    #[inline(always)]
    pub fn custom_name<T>(
        &mut self,
        known: impl FnOnce(&[u8]) -> Option<T>,
        other: impl FnOnce(&'r [u8]) -> Result<T>,
    ) -> Result<(&'r [u8], T)> {
        let (word, found) = match self.c.peek_to_blank().and_then(|word| Some((word, known(word)?))) {
            Some(found) => found,
            None => {
                let word = self.word()?;
                (word, other(word)?)
            }
        };
        self.c.bump(word.len());
        Ok((word, found))
    }

    /// The word that comes next: the name of an operation in the custom form.
    #[inline(never)]
    fn word(&self) -> Result<&'r [u8]> {
        let word = self.c.peek_word();
        self.c.unexpected_if(word.is_empty(), self.c.pos, "an operation")?;
        Ok(word)
    }

    /// The name of the operation that comes next, and whether it is in the generic form.
    pub fn peek_name(&self) -> Result<(&'r [u8], bool)> {
        generic::peek_name(&self.c)
    }

    /// Moves over the location after an operation, if there is one.
    #[inline(always)]
    pub fn skip_location(&mut self) -> Result<()> {
        self.c.skip_location()
    }

    /// Reads the name of a value; the cursor is at `%`.
    #[inline(always)]
    pub fn local_ref(&mut self) -> Result<LocalRef> {
        // As printed.
        match self.c.numbered(b'%', self.names.limit, &lexer::REFERENCES) {
            Some(name) => Ok(LocalRef { name, result: 0 }),
            None => self.any_local_ref(),
        }
    }

    #[inline(never)]
    fn any_local_ref(&mut self) -> Result<LocalRef> {
        self.c.unexpected_if(self.c.peek() != b'%', self.c.pos, "a value")?;
        self.c.pos += 1;
        let name = self.c.name()?;
        let name = number_of(name, self.names.limit).unwrap_or_else(|| self.names.values.intern(name) | NAMED);
        let result = match self.c.peek() {
            b'#' => {
                self.c.pos += 1;
                self.c.number32()?
            }
            _ => 0,
        };
        Ok(LocalRef { name, result })
    }

    /// Reads the name of a block; the cursor is at `^`. Returns its number and its position.
    pub fn block_name(&mut self) -> Result<(usize, usize)> {
        let pos = self.c.pos;
        self.c.unexpected_if(self.c.peek() != b'^', pos, "a block")?;
        // Printers number the blocks: `^bb1`. These have even numbers here, other names have odd ones. A block has at
        // least eight bytes of text.
        let limit = self.names.limit / 8;
        if let Some(b"^bb") = self.c.chunk() {
            let mut digits = Cursor::new(self.c.src, pos + 2);
            if let Some(n) = digits.numbered(b'b', limit, &lexer::NAMES) {
                self.c = digits;
                return Ok((2 * n as usize, pos));
            }
        }
        self.c.pos += 1;
        let name = self.c.name()?;
        let id = match name.strip_prefix(b"bb").and_then(|digits| number_of(digits, limit)) {
            Some(n) => 2 * n,
            None => 2 * self.names.blocks.intern(name) + 1,
        };
        Ok((id as usize, pos))
    }
}

/// Whether the location of an operation may come next.
#[inline(always)]
pub(crate) fn location_ahead(src: Source, pos: usize) -> bool {
    src.text.get(pos..).is_some_and(|rest| rest.starts_with(b"loc"))
}

/// The number that a name is, if it has at most seven digits and is at most `limit`. `%01` is another name than `%1`.
fn number_of(name: &[u8], limit: u32) -> Option<u32> {
    let digits = name.first().is_some_and(u8::is_ascii_digit) && name.iter().all(u8::is_ascii_digit);
    let padded = name.len() > 1 && name.first() == Some(&b'0');
    let text = std::str::from_utf8(name).ok().filter(|text| digits && !padded && text.len() <= 7)?;
    text.parse().ok().filter(|&n: &u32| n <= limit)
}

/// The end of the name of a value whose sigil is at a position, with the number of a result.
pub(crate) fn name_end(src: Source, pos: usize) -> usize {
    let rest = &src.text[pos + 1..];
    let len = rest.iter().take_while(|&&b| lexer::goes_on(b)).count();
    let digits = rest[len..].strip_prefix(b"#").map(|rest| 1 + rest.iter().take_while(|b| b.is_ascii_digit()).count());
    pos + 1 + len + digits.unwrap_or(0)
}
