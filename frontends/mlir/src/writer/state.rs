//! State of the writer: names of values, attributes of nodes, omissions.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use gusset_program::{Flags, Val};

/// Tables of a function, or of a variable's contents.
#[derive(Default)]
pub(super) struct Locals {
    /// The number of each value plus one; 0 if it has none yet.
    pub numbers: Vec<u32>,
    /// The values that have a number.
    pub touched: Vec<u32>,
    pub next: u32,
    /// Numbers of constants, by their text.
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

/// The attributes of metadata nodes by the word of their kind, which is that of their aliases; none for nodes of another kind.
#[derive(Default)]
pub(super) struct MetadataAttributes {
    pub texts: HashMap<(&'static str, u32), Option<Box<str>>>,
    pub aliases: u32,
    pub distinct: u32,
}

/// An alias.
pub(super) type Alias = Rc<str>;

/// The attributes of debug information nodes.
#[derive(Default)]
pub(super) struct DebugAttributes {
    /// Aliases by their text.
    pub aliases: HashMap<Box<str>, Alias>,
    /// Number of aliases per word.
    pub counts: HashMap<&'static str, u32>,
    /// Nodes whose attribute has the same meaning everywhere.
    pub closed: HashMap<u32, Option<Alias>>,
    /// Nodes that contain an unfinished type, with the innermost frame of such a type.
    pub open: HashMap<u32, (Option<Alias>, usize)>,
    /// Frames of unfinished nodes.
    pub active: HashMap<u32, Vec<usize>>,
    /// The numbers that make units, subprograms and types distinct.
    pub ids: HashMap<u32, u32>,
    pub frames: usize,
    pub locations: HashMap<u32, Option<Alias>>,
    /// What cannot be expressed.
    pub left_out: BTreeSet<String>,
}

/// Records of a function that are moved.
#[derive(Default)]
pub(super) struct MovedRecords {
    pub all: HashSet<u32>,
    /// The instruction after which they are written, or the block at whose beginning.
    pub after: HashMap<u32, Vec<u32>>,
    pub at_start: HashMap<u32, Vec<u32>>,
}

/// What has been left out so far: information for optimizers and remarks that the dialect cannot express.
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
