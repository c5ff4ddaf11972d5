//! What the writer of texts keeps of debug information until all functions are written.

use std::collections::HashMap;
use std::iter::Peekable;

use crate::buffer::{LineEntry, Mark};
use crate::debug::DebugFunction;
use crate::debug::dwarf::DwarfLines;
use crate::debug::sections::DebugSection;
use crate::object::SectionSpec;
use crate::unwind::itanium::eh_frame::EhFrame;

/// A section of code.
#[derive(Default)]
pub(crate) struct CodeSection {
    /// Bytes so far.
    pub size: u64,
    /// The last function in it is described.
    pub goes_on: bool,
    /// The offsets and numbers of the functions that are described.
    pub described: Vec<(u64, u32)>,
}

/// A place in the text at which lines may be written.
pub(crate) struct LinePlace {
    /// Bytes of the text before it.
    pub position: usize,
    pub section: u32,
    /// The offset of the code that follows.
    pub offset: u64,
    /// A function begins here.
    pub is_start: bool,
}

/// What is known of the functions so far.
#[derive(Default)]
pub(crate) struct AsmDebug {
    pub sections: Vec<CodeSection>,
    pub by_spec: HashMap<SectionSpec, u32>,
    pub functions: Vec<DebugFunction>,
    /// Where the files' directives belong.
    pub head: usize,
    pub places: Vec<LinePlace>,
    pub lines: DwarfLines,
    pub output: Vec<DebugSection>,
    pub frames: Option<EhFrame>,
}

/// The lines of a function that is being written.
pub(super) struct LineMarks<'f> {
    pub marks: Peekable<std::slice::Iter<'f, Mark<LineEntry>>>,
    pub section: u32,
    pub start: u64,
}
