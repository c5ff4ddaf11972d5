//! A module as translation sees it: everything that its text says, in no form of text.

use gusset_codegen::ir::SymbolId;

use crate::function::{Attachments, Function};
use crate::types::TypeId;
use crate::value::Val;

/// The name of a local as a program gives it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocalName<'a> {
    /// It has none but its number.
    Number(u32),
    /// Its name.
    Text(&'a [u8]),
}

/// An attribute of a function, call, parameter, argument or result (LLVM LangRef, "Parameter Attributes", "Function Attributes").
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Attribute {
    /// Its word, or what stands in quotes.
    pub name: Vec<u8>,
    /// What it says.
    pub value: AttributeValue,
}

/// What an attribute says.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum AttributeValue {
    /// Nothing more: `nounwind`.
    Flag,
    /// A number: `align 8`, `dereferenceable(8)`.
    Number(u64),
    /// A type: `byval(%t)`.
    Type(TypeId),
    /// What stands in parentheses, as LLVM writes it: `memory(read)`. No name of the module is in it.
    Words(Vec<u8>),
    /// All that is in one of the module's groups; the attribute has no name.
    Group(u32),
    /// A string without value: `"probe-stack"`.
    Key,
    /// A string with a value: `"frame-pointer"="all"`.
    String(Vec<u8>),
}

/// Metadata as an operand.
#[derive(Clone, PartialEq, Debug)]
pub enum Metadata {
    /// `null`.
    Null,
    /// A node of the module by its number.
    Node(u32),
    /// A string.
    String(Vec<u8>),
    /// A value of the function at hand, or a constant.
    Value(TypeId, Val),
    /// A node in place.
    Tuple(Vec<Metadata>),
    /// A node of a kind that has a name, in place: `!DIExpression()`.
    Special(Special),
}

/// A metadata node of a kind that has a name (LLVM LangRef, "Specialized Metadata Nodes").
#[derive(Clone, PartialEq, Debug)]
pub struct Special {
    /// The name: `DILocation`.
    pub name: Vec<u8>,
    /// Names of the fields, empty if they have none, with what they are.
    pub fields: Vec<(Vec<u8>, Field)>,
}

/// What a field of a metadata node is.
#[derive(Clone, PartialEq, Debug)]
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

/// A module, whose functions' bodies are told one after the other.
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
    /// COMDAT groups with the words for what is selected.
    pub comdats: Vec<(Vec<u8>, Vec<u8>)>,
    /// Groups of attributes, which have no groups in them.
    pub groups: Vec<Vec<Attribute>>,
    /// Variables, aliases, functions, by their `SymbolId`s, in order.
    pub symbols: Vec<Symbol>,
    /// The constants that symbols and metadata have.
    pub constants: Function,
    /// Metadata nodes with their numbers.
    pub nodes: Vec<(u32, Node)>,
    /// Named metadata.
    pub named: Vec<(Vec<u8>, Vec<Metadata>)>,
}

impl Module {
    /// The attributes of a list, those of its groups one by one.
    pub fn attributes<'a>(&'a self, list: &'a [Attribute]) -> impl Iterator<Item = &'a Attribute> {
        list.iter().flat_map(|attribute| match attribute.value {
            AttributeValue::Group(i) => self.groups[i as usize].iter(),
            _ => std::slice::from_ref(attribute).iter(),
        })
    }
}

/// What is known of a module only when its bodies have been told.
#[derive(Default)]
pub struct Late {
    /// Functions that are called though the module does not declare them.
    pub declarations: Vec<(SymbolId, Header)>,
    /// Metadata nodes with their numbers, which go on behind those of the module.
    pub nodes: Vec<(u32, Node)>,
    /// Named metadata.
    pub named: Vec<(Vec<u8>, Vec<Metadata>)>,
    /// The constants that this metadata has.
    pub constants: Function,
}

/// A metadata node.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// It is no other, whatever is in it.
    pub distinct: bool,
    /// What it is.
    pub content: Metadata,
}

/// A variable, alias or function.
#[derive(Clone, Debug, Default)]
pub struct Symbol {
    /// Its name; none if it has a number, by the order of such symbols.
    pub name: Option<Vec<u8>>,
    /// Words in front of it, as LLVM writes them: linkage, `dso_local`, visibility, storage class, `thread_local(…)`,
    /// `unnamed_addr`.
    pub properties: Properties,
    /// The address space.
    pub space: u32,
    /// What it is.
    pub kind: SymbolKind,
    /// The section.
    pub section: Option<Vec<u8>>,
    /// The partition.
    pub partition: Option<Vec<u8>>,
    /// The COMDAT group.
    pub comdat: Option<Vec<u8>>,
    /// The alignment, if it is said.
    pub align: Option<u64>,
    /// Attributes.
    pub attrs: Vec<Attribute>,
    /// Attached metadata.
    pub attached: Attachments,
}

/// Properties of a symbol by LLVM's words for them, empty if there is none (LLVM LangRef, "Linkage Types", "Visibility Styles",
/// "DLL Storage Classes", "Thread Local Storage Models").
#[derive(Clone, Copy, Debug, Default)]
pub struct Properties {
    /// `internal`, `linkonce_odr` and so on.
    pub linkage: &'static str,
    /// `dso_local` or `dso_preemptable`.
    pub preemption: &'static str,
    /// `hidden`, `protected`.
    pub visibility: &'static str,
    /// `dllimport`, `dllexport`.
    pub storage: &'static str,
    /// `thread_local`, with its model in parentheses.
    pub thread_local: &'static str,
    /// `unnamed_addr`, `local_unnamed_addr`.
    pub unnamed: &'static str,
}

/// What a symbol is.
#[derive(Clone, Debug, Default)]
pub enum SymbolKind {
    /// Nothing that is written: an intrinsic that LLVM declares itself.
    #[default]
    Unknown,
    /// A variable.
    Variable {
        /// Its type.
        ty: TypeId,
        /// It never changes.
        constant: bool,
        /// It has other contents when the program begins.
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
        /// The type of what it stands for.
        ty: TypeId,
        /// What it stands for, a constant of the module.
        target: Val,
        /// What it stands for gives the address.
        ifunc: bool,
    },
    /// A function.
    Function(Box<Header>),
}

/// What stands in a function's header besides what symbols have.
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
    /// It takes more.
    pub variadic: bool,
    /// The strategy of garbage collection.
    pub gc: Option<Vec<u8>>,
    /// Data in front of the function, a constant of the module, as those that follow.
    pub prefix: Option<Val>,
    /// Data at its start.
    pub prologue: Option<Val>,
    /// The personality routine.
    pub personality: Option<Val>,
}
