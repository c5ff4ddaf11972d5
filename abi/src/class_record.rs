//! Records as C++ classes: bases, virtual functions, and what conventions ask of a class.

use crate::class::{Class, FieldRole, Virtuals};
use crate::types::{CType, Field, Language, Record};
use alloc::sync::Arc;

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
