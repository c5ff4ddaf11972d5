//! What the writer remembers: names of values, attributes of nodes, what was left out.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use gusset_program::{Flags, Val};

/// Tables of a function, or of the contents of a variable.
#[derive(Default)]
pub(super) struct Locals {
    /// The number of a value, and 1; 0 if it has none yet.
    pub numbers: Vec<u32>,
    /// The values that have one.
    pub touched: Vec<u32>,
    pub next: u32,
    /// Numbers of constants by what makes them.
    pub constants: HashMap<Box<[u8]>, u32>,
    /// Operations that make constants.
    pub made: Vec<u8>,
}

impl Locals {
    /// Forgets all names.
    pub fn clear(&mut self) {
        for &val in &self.touched {
            self.numbers[val as usize] = 0;
        }
        self.touched.clear();
        self.next = 0;
        self.constants.clear();
        self.made.clear();
    }

    pub fn number(&mut self, val: Val) -> Option<u32> {
        let i = val.0 as usize;
        if self.numbers.len() <= i {
            self.numbers.resize(i + 1, 0);
        }
        self.numbers[i].checked_sub(1)
    }

    pub fn set(&mut self, val: Val, number: u32) {
        self.numbers[val.0 as usize] = number + 1;
        self.touched.push(val.0);
    }

    pub fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }
}

/// What a node is taken for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Type,
    Tag,
    Domain,
    Scope,
    Group,
    Loop,
}

/// The attributes that nodes of metadata have become, none of those that are not of that kind.
#[derive(Default)]
pub(super) struct MetadataAttributes {
    pub texts: HashMap<(Kind, u32), Option<Box<str>>>,
    pub aliases: u32,
    pub distinct: u32,
}

/// An alias.
pub(super) type Alias = Rc<str>;

/// The attributes that nodes of debug information have become.
#[derive(Default)]
pub(super) struct DebugAttributes {
    /// Aliases by what they stand for.
    pub aliases: HashMap<Box<str>, Alias>,
    /// How many there are of a word.
    pub counts: HashMap<&'static str, u32>,
    /// Nodes that mean the same everywhere.
    pub closed: HashMap<u32, Option<Alias>>,
    /// Nodes in which there is a type that is not finished: the innermost frame of such a type.
    pub open: HashMap<u32, (Option<Alias>, usize)>,
    /// Frames of nodes that are not finished.
    pub active: HashMap<u32, Vec<usize>>,
    /// What makes units, subprograms and types different from all others.
    pub ids: HashMap<u32, u32>,
    pub frames: usize,
    pub locations: HashMap<u32, Option<Alias>>,
    /// What has no place.
    pub left_out: BTreeSet<String>,
}

/// Records of a function that do not stand where they did.
#[derive(Default)]
pub(super) struct MovedRecords {
    pub all: HashSet<u32>,
    /// Behind which instruction they go, or at the start of which block.
    pub behind: HashMap<u32, Vec<u32>>,
    pub at_start: HashMap<u32, Vec<u32>>,
}

/// What was left out so far: promises and remarks that the dialect has no place for.
#[derive(Default)]
pub(super) struct LeftOut {
    pub flags: Flags,
    pub instructions: BTreeSet<Vec<u8>>,
    pub symbols: BTreeSet<Vec<u8>>,
    pub calls: BTreeSet<Vec<u8>>,
    /// Models of thread-local variables.
    pub models: bool,
    pub module: BTreeSet<String>,
    pub bundles: bool,
}
