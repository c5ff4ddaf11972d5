//! A module as data: everything that its text says, except the bodies of its functions.

use gusset_codegen::ir::{DllStorage, SymbolId, Visibility};
use gusset_codegen::words;

use crate::function::{Attachments, Function};
use crate::types::TypeId;
use crate::value::Val;

/// The name of a local as a program gives it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocalName<'a> {
    /// It only has a number.
    Number(u32),
    /// Its name.
    Text(&'a [u8]),
}

/// An attribute of a function, call, parameter, argument or result (LLVM LangRef, "Parameter Attributes", "Function Attributes").
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Attribute {
    /// Its keyword, or the string.
    pub name: Vec<u8>,
    /// Its value.
    pub value: AttributeValue,
}

/// The value of an attribute.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum AttributeValue {
    /// Nothing more: `nounwind`.
    Flag,
    /// A number: `align 8`, `dereferenceable(8)`.
    Number(u64),
    /// A type: `byval(%t)`.
    Type(TypeId),
    /// The text in parentheses, as LLVM writes it: `memory(read)`. It contains no name of the module.
    Words(Vec<u8>),
    /// All attributes of one of the module's groups; the attribute has no name.
    Group(u32),
    /// A string without value: `"probe-stack"`.
    Key,
    /// A string with a value: `"frame-pointer"="all"`.
    String(Vec<u8>),
}

/// Metadata as an operand.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Metadata {
    /// `null`.
    Null,
    /// A node of the module, by its number.
    Node(u32),
    /// A string.
    String(Vec<u8>),
    /// A value of the current function, or a constant.
    Value(TypeId, Val),
    /// A node in place.
    Tuple(Vec<Metadata>),
    /// A named kind of node, in place: `!DIExpression()`.
    Special(Special),
}

impl Metadata {
    /// The number of the node, if it is one of the module's.
    pub fn node(&self) -> Option<u32> {
        match self {
            Metadata::Node(number) => Some(*number),
            _ => None,
        }
    }
}

/// A metadata node of a named kind (LLVM LangRef, "Specialized Metadata Nodes").
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Special {
    /// The name: `DILocation`.
    pub name: Vec<u8>,
    /// The fields with their names, which are empty for fields without a name.
    pub fields: Vec<(Vec<u8>, Field)>,
}

impl Special {
    /// A node with these fields.
    pub fn new<'a>(name: &str, fields: impl IntoIterator<Item = (&'a str, Field)>) -> Special {
        let fields = fields.into_iter().map(|(name, field)| (name.as_bytes().to_vec(), field)).collect();
        Special { name: name.as_bytes().to_vec(), fields }
    }

    /// The field with this name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.0 == name.as_bytes()).map(|field| &field.1)
    }

    /// The metadata in the field with this name, unless it is `null`.
    pub fn metadata(&self, name: &str) -> Option<&Metadata> {
        match self.field(name)? {
            Field::Metadata(metadata) => Some(metadata).filter(|metadata| **metadata != Metadata::Null),
            _ => None,
        }
    }
}

/// The value of a metadata node's field.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Field {
    /// A number, names of constants, `true`: as LLVM writes it.
    Words(Vec<u8>),
    /// A string.
    String(Vec<u8>),
    /// Metadata.
    Metadata(Metadata),
    /// Operands in braces.
    List(Vec<Metadata>),
}

/// A module without its functions' bodies.
#[derive(Default)]
pub struct Module {
    /// The name of its source.
    pub source_name: Option<Vec<u8>>,
    /// The triple of its target.
    pub triple: Option<Vec<u8>>,
    /// The data layout.
    pub layout: Option<Vec<u8>>,
    /// Lines of assembly.
    pub assembly: Vec<Vec<u8>>,
    /// COMDAT groups with their selection kinds.
    pub comdats: Vec<(Vec<u8>, Selection)>,
    /// Groups of attributes, which contain no groups.
    pub groups: Vec<Vec<Attribute>>,
    /// Variables, aliases, functions, by their `SymbolId`s, in order.
    pub symbols: Vec<Symbol>,
    /// The constants of symbols and metadata.
    pub constants: Function,
    /// Metadata nodes with their numbers.
    pub nodes: Vec<(u32, Node)>,
    /// Named metadata.
    pub named: Vec<(Vec<u8>, Vec<Metadata>)>,
}

impl Module {
    /// The attributes of a list, with those of its groups one by one.
    pub fn attributes<'a>(&'a self, list: &'a [Attribute]) -> impl Iterator<Item = &'a Attribute> {
        list.iter().flat_map(|attribute| match attribute.value {
            AttributeValue::Group(i) => self.groups[i as usize].iter(),
            _ => std::slice::from_ref(attribute).iter(),
        })
    }
}

/// What is known about a module only when its bodies have been read.
#[derive(Default)]
pub struct Late {
    /// Functions that are called although the module does not declare them.
    pub declarations: Vec<(SymbolId, Header)>,
    /// Metadata nodes with their numbers, which continue those of the module.
    pub nodes: Vec<(u32, Node)>,
    /// Named metadata.
    pub named: Vec<(Vec<u8>, Vec<Metadata>)>,
    /// The constants of this metadata.
    pub constants: Function,
}

/// A metadata node.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// It is distinct from all others, whatever its contents.
    pub distinct: bool,
    /// Its contents.
    pub content: Metadata,
}

/// A variable, alias or function.
#[derive(Clone, Debug, Default)]
pub struct Symbol {
    /// Its name; `None` if it has a number, in the order of such symbols.
    pub name: Option<Vec<u8>>,
    /// Linkage, visibility and the other properties that LLVM writes before the type.
    pub properties: Properties,
    /// The address space.
    pub space: u32,
    /// Its kind.
    pub kind: SymbolKind,
    /// The section.
    pub section: Option<Vec<u8>>,
    /// The partition.
    pub partition: Option<Vec<u8>>,
    /// The COMDAT group.
    pub comdat: Option<Vec<u8>>,
    /// The alignment, if it is given.
    pub align: Option<u64>,
    /// Attributes.
    pub attrs: Vec<Attribute>,
    /// Attached metadata.
    pub attached: Attachments,
}

words! {
    /// How a symbol binds, by LLVM's words (LLVM LangRef, "Linkage Types").
    #[derive(Default)]
    Linkage {
        /// Nothing is said: as `external`.
        #[default]
        Unsaid "",
        /// Seen in this object only, by no name.
        Private "private",
        /// Seen in this object only.
        Internal "internal",
        /// Defined elsewhere, too, and here only to be read.
        AvailableExternally "available_externally",
        /// Another definition may win; none is needed if nobody uses it.
        LinkOnce "linkonce",
        /// The same, and all definitions are alike.
        LinkOnceOdr "linkonce_odr",
        /// Another definition may win.
        Weak "weak",
        /// The same, and all definitions are alike.
        WeakOdr "weak_odr",
        /// A tentative definition of C.
        Common "common",
        /// Arrays of this name are joined.
        Appending "appending",
        /// Defined elsewhere, or nowhere.
        ExternWeak "extern_weak",
        /// Seen from everywhere.
        External "external",
    }
}

words! {
    /// Whether a definition elsewhere may take a symbol's place when the program is loaded (LLVM LangRef, "Runtime Preemption Specifiers").
    #[derive(Default)]
    Preemption {
        /// Nothing is said.
        #[default]
        Unsaid "",
        /// None can.
        DsoLocal "dso_local",
        /// One can.
        DsoPreemptable "dso_preemptable",
    }
}

words! {
    /// Whether a symbol is thread-local, and its model (LLVM LangRef, "Thread Local Storage Models").
    #[derive(Default)]
    ThreadLocal {
        /// It is not.
        #[default]
        No "",
        /// Of any module.
        GeneralDynamic "thread_local",
        /// Of this module.
        LocalDynamic "thread_local(localdynamic)",
        /// Of a module that is loaded at start.
        InitialExec "thread_local(initialexec)",
        /// Of the executable.
        LocalExec "thread_local(localexec)",
    }
}

words! {
    /// Whether a symbol's address may be that of another one (LLVM LangRef, "Global Variables").
    #[derive(Default)]
    UnnamedAddress {
        /// It may not.
        #[default]
        No "",
        /// Within the module it may.
        Local "local_unnamed_addr",
        /// It may.
        Global "unnamed_addr",
    }
}

words! {
    /// Which definition of a COMDAT group linkers take (LLVM LangRef, "Comdats").
    Selection {
        /// Any.
        Any "any",
        /// Any, and all must be alike.
        ExactMatch "exactmatch",
        /// The largest.
        Largest "largest",
        /// All, which are no group then.
        NoDeduplicate "nodeduplicate",
        /// Any, and all must be of one size.
        SameSize "samesize",
    }
}

/// What is said of a symbol besides its type and contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Properties {
    /// How it binds.
    pub linkage: Linkage,
    /// Whether it may be replaced when the program is loaded.
    pub preemption: Preemption,
    /// How other components see it.
    pub visibility: Visibility,
    /// Whether it crosses the border of an image.
    pub storage: DllStorage,
    /// Whether each thread has its own.
    pub thread_local: ThreadLocal,
    /// Whether its address matters.
    pub unnamed: UnnamedAddress,
}

/// The kind of a symbol.
#[derive(Clone, Debug, Default)]
pub enum SymbolKind {
    /// Not written: an intrinsic that LLVM declares itself.
    #[default]
    Unknown,
    /// A variable.
    Variable {
        /// Its type.
        ty: TypeId,
        /// It never changes.
        constant: bool,
        /// It may have other contents when the program begins.
        externally_initialized: bool,
        /// Its contents, a constant of the module.
        init: Option<Val>,
        /// The code model.
        code_model: Option<Vec<u8>>,
        /// `no_sanitize_address` and the like.
        sanitizers: Vec<&'static str>,
    },
    /// An alias or ifunc.
    Alias {
        /// The type of its target.
        ty: TypeId,
        /// Its target, a constant of the module.
        target: Val,
        /// The target returns the address.
        ifunc: bool,
    },
    /// A function.
    Function(Box<Header>),
}

/// A function's header, besides what all symbols have.
#[derive(Clone, Debug, Default)]
pub struct Header {
    /// It has a body.
    pub defined: bool,
    /// The calling convention's name in LLVM; empty for C's.
    pub convention: Box<str>,
    /// The type of the result.
    pub ret: TypeId,
    /// Attributes of the result.
    pub ret_attrs: Vec<Attribute>,
    /// Types and attributes of the parameters.
    pub params: Vec<(TypeId, Vec<Attribute>)>,
    /// It takes further arguments.
    pub variadic: bool,
    /// The strategy of garbage collection.
    pub gc: Option<Vec<u8>>,
    /// Data before the function, a constant of the module like the following ones.
    pub prefix: Option<Val>,
    /// Data at its start.
    pub prologue: Option<Val>,
    /// The personality routine.
    pub personality: Option<Val>,
}
