//! Classes of C++, and what their special members do to their values.

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

/// How a class declares its copy and move constructors (C++, [class.copy.ctor]).
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Constructors {
    /// The constructor from a constant reference, or the only copy constructor; `other_copy` is one from any other
    /// reference.
    pub copy: Declared,
    pub other_copy: Declared,
    pub moves: Declared,
    /// Members of other classes cannot call the copy constructor, or the move constructor.
    pub copy_hidden: bool,
    pub move_hidden: bool,
    /// There is no implicit move constructor.
    pub unmoved: bool,
    /// A member is an rvalue reference.
    pub moved_reference: bool,
    /// The class has virtual functions.
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
        Special {
            non_trivial: all.contains(&Transfer::Called) || all.iter().all(|found| *found == Transfer::Gone),
            uncopied: copy != Transfer::Trivial && other != Transfer::Trivial,
            copied: copy.max(gone(self.copy_hidden)),
            moved: moves.map_or(copy.max(gone(self.copy_hidden)), |found| found.max(gone(self.move_hidden))),
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
    };

    /// Whether some special member is not trivial.
    pub fn is_written(self) -> bool {
        self.non_trivial || self.uncopied || self.destroyed || self.unassigned
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
    /// The default constructor is implicit or defaulted.
    pub defaulted: bool,
    /// It has constructors, but no default constructor.
    pub undefaulted: bool,
}

impl Class {
    /// What its members say, together with what the attributes say that are `self`.
    pub fn with_members(self, members: Class) -> Class {
        Class {
            special: self.special.with(members.special),
            trivial_abi: self.trivial_abi,
            non_aggregate: self.non_aggregate || members.non_aggregate,
            ..members
        }
    }
}
