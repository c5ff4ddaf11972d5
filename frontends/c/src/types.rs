//! Types as the source spells them, together with those of `gusset-abi`.

use std::rc::Rc;

use gusset_abi::{CType, Convention, Member};

use crate::fault::{Checked, Fault};

/// Deepest chain of pointers, arrays, functions and names.
const MAX_DEPTH: u32 = 400;

/// A type. It refers to structs and unions by number, so that types never form cycles.
#[derive(Clone, Debug)]
pub(crate) struct Type(Rc<Node>);

#[derive(Debug)]
struct Node {
    kind: TypeKind,
    quals: Quals,
    /// Alignment in bytes from a typedef with `aligned`; it may be less than the type's.
    align: Option<u32>,
    depth: u32,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Quals {
    pub constant: bool,
    pub volatile: bool,
    pub restrict: bool,
    /// The pointer is a C++ reference.
    pub reference: bool,
    /// Whether the pointer is one to a member of a class.
    pub member: OfMember,
}

/// Whether a pointer is one to a member of a C++ class.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum OfMember {
    #[default]
    No,
    /// Yes, of a class whose members are known.
    Known,
    /// Of another class.
    Unknown,
}

impl Quals {
    fn text(self) -> String {
        let words = [(self.constant, "const"), (self.volatile, "volatile"), (self.restrict, "restrict")];
        words.into_iter().filter(|(set, _)| *set).map(|(_, word)| word).collect::<Vec<_>>().join(" ")
    }
}

#[derive(Clone, Debug)]
pub(crate) enum TypeKind {
    Void,
    /// A type of values: a basic type or a vector, with its spelling.
    Basic(CType, Rc<str>),
    /// A typedef's name.
    Name(Rc<str>, Type),
    /// A struct or union, by number.
    Record(usize),
    /// An enumeration: its integer type, its spelling, and its constants.
    Enum(CType, Rc<str>, Rc<[(String, i128)]>),
    Pointer(Type),
    /// An array; without a length it is incomplete.
    Array(Type, Option<u64>),
    Function(Rc<Function>),
    /// A type by its tag or name, of which only pointers exist.
    Opaque(Rc<str>),
}

/// A function type.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub ret: Type,
    pub params: Vec<Param>,
    /// Index of the first unnamed argument, if there are dots.
    pub dots: Option<usize>,
    pub call: Call,
}

#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub name: Option<String>,
    pub ty: Type,
    /// Byte in the source.
    pub at: usize,
}

/// What attributes say about the calls of a function.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Call {
    pub convention: Option<Named>,
    pub regparm: Option<u8>,
    pub sse_regparm: bool,
    pub member: Member,
}

/// A convention with the word that asked for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Named {
    pub convention: Convention,
    pub word: &'static str,
}

impl Call {
    pub fn is_default(&self) -> bool {
        *self == Call::default()
    }

    /// These attributes; what they leave open is taken from `other`.
    pub fn or(self, other: Call) -> Call {
        Call {
            convention: self.convention.or(other.convention),
            regparm: self.regparm.or(other.regparm),
            sse_regparm: self.sse_regparm || other.sse_regparm,
            member: if self.member == Member::None { other.member } else { self.member },
        }
    }
}

impl Type {
    pub fn basic(ctype: CType, spelling: &str) -> Type {
        Type::leaf(TypeKind::Basic(ctype, spelling.into()))
    }

    /// A type that contains no other.
    pub fn leaf(kind: TypeKind) -> Type {
        Type(Rc::new(Node { kind, quals: Quals::default(), align: None, depth: 0 }))
    }

    /// A type built of others, at byte `at` of the source.
    pub fn above(kind: TypeKind, at: usize) -> Checked<Type> {
        let depth = 1 + match &kind {
            TypeKind::Name(_, of) | TypeKind::Pointer(of) | TypeKind::Array(of, _) => of.0.depth,
            TypeKind::Function(function) => {
                function.params.iter().map(|p| p.ty.0.depth).fold(function.ret.0.depth, u32::max)
            }
            _ => 0,
        };
        if depth > MAX_DEPTH {
            return Err(Fault::new(at, "this type is nested too deeply"));
        }
        Ok(Type(Rc::new(Node { kind, quals: Quals::default(), align: None, depth })))
    }

    pub fn with_quals(&self, quals: Quals) -> Type {
        if quals == Quals::default() {
            return self.clone();
        }
        let old = self.0.quals;
        let quals = Quals {
            constant: old.constant || quals.constant,
            volatile: old.volatile || quals.volatile,
            restrict: old.restrict || quals.restrict,
            reference: old.reference || quals.reference,
            member: old.member.max(quals.member),
        };
        Type(Rc::new(Node { kind: self.0.kind.clone(), quals, ..*self.0 }))
    }

    pub fn with_align(&self, align: Option<u32>) -> Type {
        match align {
            None => self.clone(),
            Some(_) => Type(Rc::new(Node { kind: self.0.kind.clone(), align, ..*self.0 })),
        }
    }

    /// Whether the type is a pointer to a member.
    pub fn of_member(&self) -> OfMember {
        self.0.quals.member
    }

    /// The type with these qualifiers and no others.
    pub fn with_only(&self, quals: Quals) -> Type {
        Type(Rc::new(Node { kind: self.0.kind.clone(), quals, ..*self.0 }))
    }

    pub fn quals(&self) -> Quals {
        self.0.quals
    }

    /// What tells it apart from other types as long as it exists.
    pub fn address(&self) -> usize {
        Rc::as_ptr(&self.0).addr()
    }

    pub fn kind(&self) -> &TypeKind {
        &self.0.kind
    }

    /// The type with typedefs resolved.
    pub fn resolved(&self) -> &Type {
        let mut ty = self;
        while let TypeKind::Name(_, of) = ty.kind() {
            ty = of;
        }
        ty
    }

    /// The alignment of the outermost typedef that gives the type one.
    pub fn typedef_align(&self) -> Option<u32> {
        let mut ty = self;
        loop {
            match (ty.0.align, ty.kind()) {
                (Some(align), _) => return Some(align),
                (None, TypeKind::Name(_, of)) => ty = of,
                // An array has the alignment of its elements.
                (None, TypeKind::Array(of, _)) => ty = of,
                _ => return None,
            }
        }
    }

    /// The function, if the type with typedefs resolved is one.
    pub fn function(&self) -> Option<&Rc<Function>> {
        match self.resolved().kind() {
            TypeKind::Function(function) => Some(function),
            _ => None,
        }
    }

    /// The function that a chain of pointers leads to, if it does.
    pub fn pointed_function(&self) -> Option<&Rc<Function>> {
        let mut ty = self.resolved();
        while let TypeKind::Pointer(to) = ty.kind() {
            ty = to.resolved();
        }
        ty.function()
    }

    /// C's spelling of a declaration of `name` with this type; `record` returns the spelling of a struct or union.
    pub fn spell(&self, name: &str, record: &dyn Fn(usize) -> String) -> String {
        let quals = self.0.quals.text();
        let with = |base: &str| {
            let base = if quals.is_empty() { base.to_string() } else { format!("{quals} {base}") };
            if name.is_empty() { base } else { format!("{base} {name}") }
        };
        match self.kind() {
            TypeKind::Void => with("void"),
            TypeKind::Basic(_, text)
            | TypeKind::Enum(_, text, _)
            | TypeKind::Name(text, _)
            | TypeKind::Opaque(text) => with(text),
            TypeKind::Record(id) => with(&record(*id)),
            TypeKind::Pointer(to) => {
                let space = if quals.is_empty() || name.is_empty() { "" } else { " " };
                let star = match self.0.quals {
                    Quals { reference: true, .. } => "&",
                    Quals { member: OfMember::No, .. } => "*",
                    _ => "::*",
                };
                let inner = format!("{star}{quals}{space}{name}");
                let inner = match to.kind() {
                    TypeKind::Array(..) | TypeKind::Function(_) => format!("({inner})"),
                    _ => inner,
                };
                to.spell(&inner, record)
            }
            TypeKind::Array(of, len) => {
                let len = len.map_or(String::new(), |n| n.to_string());
                of.spell(&format!("{name}[{len}]"), record)
            }
            TypeKind::Function(function) => {
                let mut params: Vec<String> = function.params.iter().map(|param| param.ty.spell("", record)).collect();
                if let Some(dots) = function.dots {
                    params.insert(dots.min(params.len()), "...".into());
                } else if params.is_empty() {
                    params.push("void".into());
                }
                function.ret.spell(&format!("{name}({})", params.join(", ")), record)
            }
        }
    }
}
