//! C++ classes: what a record has that records of C do not have.

use alloc::vec::Vec;

/// What a calling convention has to know about a C++ class besides its members. An example is at [`CType`](crate::CType).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Class {
    /// Values cannot be copied bitwise: a copy constructor, move constructor or the destructor is not trivial, or all
    /// copy and move constructors are deleted (Itanium C++ ABI, "Definitions": non-trivial for the purposes of calls).
    pub non_trivial: bool,
    /// Microsoft's conventions may return values in registers: the class has no base classes, virtual functions,
    /// private or protected data, or constructors written by the user, and no non-trivial copy assignment or destructor
    /// (MS, "x64 calling convention", "Return values").
    pub aggregate: bool,
    /// The class has nothing that keeps it from being plain old data of C++98, apart from its members' types and its
    /// bases: no constructor, destructor or copy assignment written by the user, private or protected data, references,
    /// initializers of members, or virtual functions. Other classes put their members into the padding at the end of a
    /// base that is not plain old data (Itanium C++ ABI, "POD for the purpose of layout").
    pub plain_data: bool,
    /// The class is declared as C does it: with the keyword `struct` or `union`, and with data and types in it only, no
    /// access specifiers, functions, static members or friends. Only the IR depends on it that clang makes for 32-bit
    /// System V, not what is passed (clang, `CXXRecordDecl::isCLike`).
    pub c_like: bool,
}

impl Class {
    /// A class like a C struct.
    pub const PLAIN: Class = Class { non_trivial: false, aggregate: true, plain_data: true, c_like: true };
    /// A class with a copy constructor or destructor of its own.
    pub const NON_TRIVIAL: Class = Class { non_trivial: true, aggregate: false, plain_data: false, c_like: false };
}

/// The virtual functions that a class declares. An example is at [`ClassLayout`](crate::ClassLayout).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub struct Virtuals {
    /// Some of them override no function of a base.
    pub introduces: bool,
    /// The classes ([`Record::numbered`](crate::Record::numbered)) that introduced the functions which functions of this class override.
    /// Destructors and pure functions do not count. Microsoft's layout depends on it.
    pub overridden: Vec<u32>,
    /// The class declares a constructor or a destructor. Microsoft's layout depends on it.
    pub constructed: bool,
}

impl Virtuals {
    /// Virtual functions of which some override none.
    pub fn introduced() -> Virtuals {
        Virtuals { introduces: true, ..Virtuals::default() }
    }

    /// These functions, which override functions that the classes with these numbers introduced.
    pub fn overriding(mut self, classes: impl IntoIterator<Item = u32>) -> Virtuals {
        self.overridden.extend(classes);
        self
    }

    /// These functions, in a class that declares a constructor or a destructor.
    pub fn constructed(mut self) -> Virtuals {
        self.constructed = true;
        self
    }
}

/// What a field of a record is. An example is at [`ClassLayout`](crate::ClassLayout).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum FieldRole {
    /// A member.
    #[default]
    Member,
    /// A member with `[[no_unique_address]]`: other members may lie in its padding, and if its class is empty, it
    /// shares its address with others.
    NoUniqueAddress,
    /// A direct base class.
    Base,
    /// A direct virtual base class. Only classes that are not trivial for calls have any.
    VirtualBase,
}
