//! The nodes of a module's metadata, as a front end gives them.

use std::borrow::Cow;
use std::fmt;

use gusset_codegen::debug::DiConstant;

/// The bit of a node's number that says that the node has no number in the program, because it stands where it is used. The other
/// bits are the front end's: for a text, the node's position.
pub const IN_PLACE: u32 = 1 << 31;

/// The metadata of a module. A node is named by its number in the program, or by a number with [`IN_PLACE`].
pub trait DebugNodes<'a> {
    /// The name of a node's kind, such as `DISubprogram`; it is empty for a tuple, and `None` for anything else.
    fn kind(&self, node: u32) -> Option<&'a [u8]>;

    /// Appends the fields of a node, or the elements of a tuple, whose names are empty.
    ///
    /// # Errors
    /// The node cannot be read.
    fn fields(&self, node: u32, fields: &mut Vec<DebugField<'a>>) -> Result<(), DebugInfoError>;

    /// The fields of a `DILocation`, if the front end has a quick way to read them and the node is one. Locations are most of all
    /// nodes.
    fn location(&self, _node: u32) -> Option<LocationFields> {
        None
    }

    /// The fields of a `DILexicalBlock`, if the front end has a quick way to read them and the node is one.
    fn lexical_block(&self, _node: u32) -> Option<LexicalBlockFields> {
        None
    }

    /// The fields of a `DILocalVariable`, if the front end has a quick way to read them, the node is one, and has no other fields.
    fn local_variable(&self, _node: u32) -> Option<LocalVariableFields<'a>> {
        None
    }

    /// The place of a node, for messages: for a text, its position.
    fn place(&self, node: u32) -> usize;

    /// Checks the nodes whose fields nobody has asked for, when everything else has been read.
    ///
    /// # Errors
    /// A node refers to one that does not exist.
    fn check_unread(&self) -> Result<(), DebugInfoError> {
        Ok(())
    }
}

/// A field of a node, or an element of a tuple.
#[derive(Clone, Debug)]
pub struct DebugField<'a> {
    /// Its name; empty for elements of tuples and operations of expressions.
    pub name: &'a [u8],
    /// Its value.
    pub value: FieldValue<'a>,
    /// Its place, for messages.
    pub place: usize,
}

/// The value of a field.
#[derive(Clone, Debug)]
pub enum FieldValue<'a> {
    /// `null`.
    Null,
    /// Another node.
    Node(u32),
    /// A string.
    Text(Cow<'a, [u8]>),
    /// A number.
    Integer {
        /// The absolute value.
        magnitude: u128,
        /// Is it below zero?
        negative: bool,
    },
    /// Names as LLVM writes them: `DW_TAG_member`, `true`, `DIFlagPublic | DIFlagVirtual`.
    Words(&'a [u8]),
    /// A constant with its type.
    Constant(DiConstant),
    /// Another value with its type, such as the address of a symbol.
    Value,
}

/// The fields of a `DILocation`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LocationFields {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u16,
    /// The node of the scope.
    pub scope: u32,
    /// The node of the location at which the code was inlined.
    pub inlined_at: Option<u32>,
}

/// The fields of a `DILexicalBlock`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LexicalBlockFields {
    /// The node of the scope.
    pub scope: u32,
    /// The node of the file.
    pub file: Option<u32>,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u16,
}

/// The fields of most nodes `DILocalVariable`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalVariableFields<'a> {
    /// The name.
    pub name: &'a [u8],
    /// The number of the parameter, counted from 1; 0 if it is none.
    pub argument: u16,
    /// The node of the scope.
    pub scope: u32,
    /// The node of the file.
    pub file: u32,
    /// The line.
    pub line: u32,
    /// The node of the type.
    pub ty: u32,
}

/// Why debug information cannot be read: its text is not LLVM's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DebugInfoError(Box<(usize, String)>);

impl DebugInfoError {
    /// An error at a place.
    #[cold]
    pub fn new(place: usize, reason: impl Into<String>) -> DebugInfoError {
        DebugInfoError(Box::new((place, reason.into())))
    }

    /// The place, as [`DebugNodes`] gives it.
    pub fn place(&self) -> usize {
        self.0.0
    }

    /// The reason, a phrase without a full stop.
    pub fn reason(&self) -> &str {
        &self.0.1
    }
}

impl fmt::Display for DebugInfoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason())
    }
}

impl std::error::Error for DebugInfoError {}
