//! C++ classes: what a record has that records of C do not have.

use crate::types::{CType, Field, Language, Record};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// What a calling convention has to know about a C++ class besides its members. An example is at [`CType`].
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
}

impl Class {
    /// A class like a C struct.
    pub const PLAIN: Class = Class { non_trivial: false, aggregate: true, plain_data: true };
    /// A class with a copy constructor or destructor of its own.
    pub const NON_TRIVIAL: Class = Class { non_trivial: true, aggregate: false, plain_data: false };
}

/// The virtual functions that a class declares. An example is at [`ClassLayout`](crate::ClassLayout).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub struct Virtuals {
    /// Some of them override no function of a base.
    pub introduces: bool,
    /// The classes ([`Record::numbered`]) that introduced the functions which functions of this class override.
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

impl Field {
    /// A direct base class.
    pub fn base(class: Arc<Record>) -> Field {
        Field { role: FieldRole::Base, ..Field::new(CType::Record(class)) }
    }

    /// A direct virtual base class.
    pub fn virtual_base(class: Arc<Record>) -> Field {
        Field { role: FieldRole::VirtualBase, ..Field::new(CType::Record(class)) }
    }

    /// The member with `[[no_unique_address]]`, which changes nothing if its type is no class.
    pub fn no_unique_address(mut self) -> Field {
        if matches!(self.ty, CType::Record(_)) && self.bits.is_none() {
            self.role = FieldRole::NoUniqueAddress;
        }
        self
    }

    /// Whether it is a direct base class.
    pub fn is_base(&self) -> bool {
        matches!(self.role, FieldRole::Base | FieldRole::VirtualBase)
    }
}

impl Record {
    /// The record as a C++ class.
    pub fn cxx(mut self, class: Class) -> Record {
        self.language = Language::Cxx;
        self.memo = Default::default();
        self.class = class;
        self.class.non_trivial |= self.virtuals.is_some();
        self
    }

    /// The record as the class of this number. Classes with the same members and different numbers are different
    /// classes: two objects of one class are never at the same address, and a virtual base is shared by classes that
    /// have the same one.
    pub fn numbered(mut self, number: u32) -> Record {
        self.number = number;
        self.memo = Default::default();
        self
    }

    /// The record as a class that declares virtual functions. It is not trivial for calls.
    pub fn virtual_functions(mut self, virtuals: Virtuals) -> Record {
        self.virtuals = Some(Arc::new(virtuals));
        self.has_class_layout = true;
        self.class.non_trivial = true;
        self.memo = Default::default();
        self
    }

    /// The record as a class that Microsoft's conventions for ARM64 do not take as a homogeneous aggregate, whatever
    /// its members are: its default constructor, copy assignment or destructor is not trivial, it has default member
    /// initializers, or it is polymorphic (as in clang; Microsoft does not say). A record that contains such a class is
    /// treated like it.
    pub fn never_homogeneous(mut self) -> Record {
        self.never_homogeneous = true;
        self
    }

    /// Language of the declaration.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The C++ properties; [`Class::PLAIN`] for a C record.
    pub fn class(&self) -> Class {
        self.class
    }

    /// The number that [`Record::numbered`] gave it, or 0.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The virtual functions that the class declares.
    pub fn virtuals(&self) -> Option<&Virtuals> {
        self.virtuals.as_deref()
    }

    /// Was it marked by [`Record::never_homogeneous`]?
    pub fn is_never_homogeneous(&self) -> bool {
        self.never_homogeneous
    }

    /// Whether values cannot be copied bitwise ([`Class::non_trivial`]).
    pub fn is_non_trivial(&self) -> bool {
        self.class.non_trivial
    }

    /// The direct base classes, each with whether it is a virtual one.
    pub fn bases(&self) -> impl Iterator<Item = (&Arc<Record>, bool)> {
        self.fields().iter().filter_map(|field| match (&field.ty, field.role) {
            (CType::Record(base), FieldRole::Base) => Some((base, false)),
            (CType::Record(base), FieldRole::VirtualBase) => Some((base, true)),
            _ => None,
        })
    }
}
