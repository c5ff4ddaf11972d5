//! Classes of C++, and what their special members do to their values.

use gusset_abi::Virtuals;

/// How a class declares a copy or move constructor.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum Declared {
    /// Not at all.
    #[default]
    Implicit,
    Written,
    Defaulted,
    /// Deleted, or there is none.
    Deleted,
}

/// Who can name a member of a class.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Access {
    #[default]
    Public,
    Protected,
    Private,
}

impl Access {
    /// The access that a label gives to the members after it.
    pub fn of(label: &str) -> Option<Access> {
        match label {
            "public" => Some(Access::Public),
            "protected" => Some(Access::Protected),
            "private" => Some(Access::Private),
            _ => None,
        }
    }
}

/// How a class declares its copy and move constructors (C++, [class.copy.ctor]).
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Constructors {
    /// The constructor from a constant reference, or the only copy constructor; `other_copy` is one from any other
    /// reference.
    pub copy: Declared,
    pub other_copy: Declared,
    pub moves: Declared,
    /// Who can call the copy constructor, and the move constructor.
    pub copy_access: Access,
    pub move_access: Access,
    /// There is no implicit move constructor.
    pub unmoved: bool,
    /// A member is an rvalue reference.
    pub moved_reference: bool,
    /// The class has virtual functions or virtual bases, of its own or inherited.
    pub virtuals: bool,
}

/// How a value is copied or moved.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Transfer {
    /// Its bits are copied.
    #[default]
    Trivial,
    /// A constructor is called.
    Called,
    /// Not at all.
    Gone,
}

impl Constructors {
    /// The special members of a class whose members are copied and moved as `members` says; in a union, they are its
    /// variants.
    pub fn special(&self, members: Special, union: bool) -> Special {
        // A union has no implicit constructor for a member that needs one (C++, [class.copy.ctor]).
        let whole = |found: Transfer| match found.max(if self.virtuals { Transfer::Called } else { Transfer::Trivial })
        {
            Transfer::Called if union => Transfer::Gone,
            found => found,
        };
        let gone = |is: bool| if is { Transfer::Gone } else { Transfer::Trivial };
        let as_declared = |declared, implicit| match declared {
            Declared::Implicit | Declared::Defaulted => implicit,
            Declared::Written => Transfer::Called,
            Declared::Deleted => Transfer::Gone,
        };
        let implicit = whole(members.copied).max(gone(self.moved_reference));
        let copy = as_declared(self.copy, implicit);
        let other = match self.other_copy {
            Declared::Implicit => Transfer::Gone,
            declared => as_declared(declared, implicit),
        };
        // If the move constructor is undeclared, or defaulted and impossible, the copy constructor does its work.
        let moves = match (self.moves, whole(members.moved)) {
            (Declared::Implicit, _) if self.unmoved => None,
            (Declared::Implicit | Declared::Defaulted, Transfer::Gone) => None,
            (declared, implicit) => Some(as_declared(declared, implicit)),
        };
        let all = [copy, other, moves.unwrap_or(Transfer::Gone)];
        // What others make of it who can call constructors up to `access`.
        let seen = |access: Access| {
            let copied = copy.max(gone(self.copy_access > access));
            (copied, moves.map_or(copied, |found| found.max(gone(self.move_access > access))))
        };
        let (copied, moved) = seen(Access::Public);
        let (base_copied, base_moved) = seen(Access::Protected);
        Special {
            non_trivial: all.contains(&Transfer::Called) || all.iter().all(|found| *found == Transfer::Gone),
            uncopied: copy != Transfer::Trivial && other != Transfer::Trivial,
            copied,
            moved,
            base_copied,
            base_moved,
            ..members
        }
    }
}

/// What the special members of a class do to its values.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Special {
    /// A copy or move constructor is not trivial, or all are deleted (Itanium C++ ABI, "Definitions"; destructors are
    /// `destroyed`).
    pub non_trivial: bool,
    /// There is no trivial copy constructor.
    pub uncopied: bool,
    /// The destructor is not trivial.
    pub destroyed: bool,
    /// There is no trivial copy assignment.
    pub unassigned: bool,
    /// How a member of this class is copied, and moved, when its container is.
    pub copied: Transfer,
    pub moved: Transfer,
    /// How a base of this class is copied, and moved: a derived class can call protected constructors, too.
    pub base_copied: Transfer,
    pub base_moved: Transfer,
}

impl Special {
    /// The special members of a class whose values cannot be copied bitwise.
    pub const NON_TRIVIAL: Special = Special {
        non_trivial: true,
        uncopied: true,
        destroyed: true,
        unassigned: true,
        copied: Transfer::Called,
        moved: Transfer::Called,
        base_copied: Transfer::Called,
        base_moved: Transfer::Called,
    };

    /// Whether some special member is not trivial.
    pub fn is_written(self) -> bool {
        self.non_trivial || self.uncopied || self.destroyed || self.unassigned
    }

    /// What these properties mean to a derived class.
    pub fn of_base(self) -> Special {
        Special { copied: self.base_copied, moved: self.base_moved, ..self }
    }

    /// The union of two members' properties.
    pub fn with(self, other: Special) -> Special {
        Special {
            non_trivial: self.non_trivial || other.non_trivial,
            uncopied: self.uncopied || other.uncopied,
            destroyed: self.destroyed || other.destroyed,
            unassigned: self.unassigned || other.unassigned,
            copied: self.copied.max(other.copied),
            moved: self.moved.max(other.moved),
            base_copied: self.base_copied.max(other.base_copied),
            base_moved: self.base_moved.max(other.base_moved),
        }
    }
}

/// What the attributes or the members of a class say about it.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Class {
    /// It is a C++ class.
    pub is_class: bool,
    /// It is declared with the keyword `class`.
    pub keyword: bool,
    pub special: Special,
    pub constructors: Constructors,
    /// Clang's `trivial_abi`: values are copied bitwise in calls even if they are not trivial.
    pub trivial_abi: bool,
    pub non_aggregate: bool,
    /// It is never a homogeneous aggregate on Windows for ARM64.
    pub uneven: bool,
    /// Nothing is declared that keeps it from being plain old data ([`gusset_abi::Class::plain_data`]).
    pub plain_data: bool,
    /// It is declared as C does it ([`gusset_abi::Class::c_like`]).
    pub c_like: bool,
    /// The default constructor is implicit or defaulted.
    pub defaulted: bool,
    /// It has constructors, but no default constructor.
    pub undefaulted: bool,
}

/// What the body of a class says about it.
#[derive(Clone, Default, Debug)]
pub(crate) struct ClassBody {
    pub class: Class,
    /// The virtual functions that it declares.
    pub virtuals: Option<Virtuals>,
}

impl Class {
    /// What its members say, together with what the attributes say that are `self`.
    pub fn with_members(self, members: Class) -> Class {
        Class {
            special: self.special.with(members.special),
            trivial_abi: self.trivial_abi,
            non_aggregate: self.non_aggregate || members.non_aggregate,
            c_like: members.c_like && !self.non_aggregate,
            ..members
        }
    }
}
