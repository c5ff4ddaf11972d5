//! What is written: sections, and what assemblers make the table of lines of.

use crate::debug::sections::DebugSection;

/// The sections of a module, and how many locations could not be expressed.
pub(crate) struct DwarfOutput {
    pub sections: Vec<DebugSection>,
    /// What an assembler makes the table of lines of, if it does.
    pub lines: DwarfLines,
    pub unexpressed: u32,
}

/// A row for an assembler's table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DwarfRow {
    /// The number of the section of the code.
    pub section: u32,
    /// The offset there.
    pub offset: u64,
    /// The number of the file.
    pub file: u32,
    pub line: u32,
    pub column: u32,
    pub discriminator: u32,
    /// It begins a statement; a prologue ends; an epilogue begins.
    pub flags: [bool; 3],
}

/// A file for an assembler's table.
#[derive(Clone, Debug)]
pub(crate) struct DwarfFile {
    pub number: u32,
    /// The directory, unless it is that of the first unit, and the name. GNU's assembler wants one path before DWARF 5.
    pub names: Vec<Vec<u8>>,
    pub md5: Option<[u8; 16]>,
    pub source: Option<Vec<u8>>,
}

/// What an assembler makes the table of lines of.
#[derive(Clone, Debug, Default)]
pub(crate) struct DwarfLines {
    pub files: Vec<DwarfFile>,
    /// In the order of the functions.
    pub rows: Vec<DwarfRow>,
}
