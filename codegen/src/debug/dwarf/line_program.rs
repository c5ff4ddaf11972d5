//! Line programs (DWARF 5, section 6.2): their headers, and the instructions that make rows.

use foldhash::{HashMap, HashMapExt};

use gimli::{DwLne, DwLns, constants as dw};

use super::input::DwarfFacts;
use super::sections::{CodeAddress, DwarfWriter};
use super::strings::LineStrings;
use crate::debug::sections::DebugSectionId;

/// The number of the first opcode that is special.
const OPCODE_BASE: u8 = 13;
/// The least that a special opcode adds to the line.
const LINE_BASE: i8 = -5;
/// How many different numbers special opcodes add to the line.
const LINE_RANGE: u8 = 14;
/// The special opcode that adds nothing.
const NEUTRAL: u8 = OPCODE_BASE + LINE_BASE.unsigned_abs();

/// A file.
pub(super) struct LineFile {
    /// The place of its name in [`LineStrings`].
    pub name: u32,
    /// The index of its directory.
    pub directory: u32,
    pub md5: Option<[u8; 16]>,
    /// The place of its text.
    pub source: Option<u32>,
}

/// A row of the table.
#[derive(Clone, Copy)]
pub(super) struct LineRow {
    /// The number of the file.
    pub file: u32,
    pub line: u32,
    pub column: u32,
    pub discriminator: u32,
    pub is_stmt: bool,
    pub prologue_end: bool,
    pub epilogue_begin: bool,
}

/// A sequence begins with these registers of the state machine.
const INITIAL: LineRow = LineRow {
    file: 1,
    line: 1,
    column: 0,
    discriminator: 0,
    is_stmt: true,
    prologue_end: false,
    epilogue_begin: false,
};

/// The line program of a unit.
pub(super) struct LineProgram {
    facts: DwarfFacts,
    /// Places in [`LineStrings`]; the first is the unit's own.
    pub directories: Vec<u32>,
    pub files: Vec<LineFile>,
    /// Indices of files by name and directory.
    by_name: HashMap<(u32, u32), u32>,
    /// All files have a checksum.
    pub has_md5: bool,
    /// The instructions.
    out: DwarfWriter,
    /// The row before, and its offset in the sequence.
    last: (LineRow, u64),
}

impl LineProgram {
    pub fn new(facts: DwarfFacts, directory: u32) -> LineProgram {
        LineProgram {
            facts,
            directories: vec![directory],
            files: Vec::new(),
            by_name: HashMap::new(),
            has_md5: true,
            out: DwarfWriter::default(),
            last: (INITIAL, 0),
        }
    }

    /// The index of a directory, which is added if it is new.
    pub fn directory(&mut self, place: u32) -> u32 {
        let known = self.directories.iter().position(|&known| known == place);
        known.unwrap_or_else(|| {
            self.directories.push(place);
            self.directories.len() - 1
        }) as u32
    }

    /// The number of a file, which is added if it is new.
    pub fn file(&mut self, file: LineFile) -> u32 {
        let (new, files) = (self.files.len() as u32, &mut self.files);
        let index = *self.by_name.entry((file.name, file.directory)).or_insert_with(|| {
            files.push(file);
            new
        });
        index + self.first_file()
    }

    /// The number of the first file.
    pub fn first_file(&self) -> u32 {
        if self.facts.version >= 5 { 0 } else { 1 }
    }

    /// Is there a file whose text is known?
    pub fn has_source(&self) -> bool {
        self.files.iter().any(|file| file.source.is_some())
    }

    fn op(&mut self, code: DwLns) {
        self.out.u8(code.0);
    }

    /// Begins an instruction with an extended opcode and `len` bytes.
    fn extended(&mut self, code: DwLne, len: usize) {
        self.out.u8(0);
        self.out.uleb128(1 + len as u64);
        self.out.u8(code.0);
    }

    /// Begins a sequence of rows.
    pub fn begin_sequence(&mut self, start: CodeAddress) {
        let size = self.facts.address_bytes;
        self.extended(dw::DW_LNE_set_address, size.into());
        self.out.address(start, size);
    }

    /// Ends a sequence at an offset from its start.
    pub fn end_sequence(&mut self, offset: u64) {
        let advance = offset - self.last.1;
        if advance != 0 {
            self.op(dw::DW_LNS_advance_pc);
            self.out.uleb128(advance);
        }
        self.extended(dw::DW_LNE_end_sequence, 0);
        self.last = (INITIAL, 0);
    }

    /// Adds a row for the code from an offset of the sequence on.
    pub fn row(&mut self, row: LineRow, offset: u64) {
        let (last, last_offset) = std::mem::replace(&mut self.last, (row, offset));
        if row.discriminator != 0 {
            let mut bytes = DwarfWriter::default();
            bytes.uleb128(row.discriminator.into());
            self.extended(dw::DW_LNE_set_discriminator, bytes.len());
            self.out.append(&bytes);
        }
        if row.prologue_end {
            self.op(dw::DW_LNS_set_prologue_end);
        }
        if row.epilogue_begin {
            self.op(dw::DW_LNS_set_epilogue_begin);
        }
        if row.is_stmt != last.is_stmt {
            self.op(dw::DW_LNS_negate_stmt);
        }
        if row.file != last.file {
            self.op(dw::DW_LNS_set_file);
            self.out.uleb128(row.file.into());
        }
        if row.column != last.column {
            self.op(dw::DW_LNS_set_column);
            self.out.uleb128(row.column.into());
        }
        self.advance(i64::from(row.line) - i64::from(last.line), offset - last_offset);
    }

    /// Adds to the line and to the offset, and makes the row.
    fn advance(&mut self, lines: i64, bytes: u64) {
        let above_base = lines - i64::from(LINE_BASE);
        let special_line = (0..i64::from(LINE_RANGE)).contains(&above_base);
        if !special_line {
            self.op(dw::DW_LNS_advance_line);
            self.out.sleb128(lines);
        }
        // The special opcode that adds to the line, unless that is done.
        let opcode = if special_line { OPCODE_BASE + above_base as u8 } else { NEUTRAL };
        let most = u64::from((u8::MAX - opcode) / LINE_RANGE);
        // `DW_LNS_const_add_pc` adds as much as opcode 255.
        let constant = u64::from((u8::MAX - OPCODE_BASE) / LINE_RANGE);
        let rest = match bytes {
            _ if bytes <= most => bytes,
            _ if bytes >= constant && bytes - constant <= most => {
                self.op(dw::DW_LNS_const_add_pc);
                bytes - constant
            }
            _ => {
                self.op(dw::DW_LNS_advance_pc);
                self.out.uleb128(bytes);
                0
            }
        };
        match opcode + rest as u8 * LINE_RANGE {
            NEUTRAL => self.op(dw::DW_LNS_copy),
            opcode => self.out.u8(opcode),
        }
    }

    /// Appends the program to its section. Returns where it is there.
    pub fn finish(&self, section: &mut DwarfWriter, strings: &LineStrings) -> usize {
        let start = section.begin_length();
        section.u16(self.facts.version);
        if self.facts.version >= 5 {
            // No selector of a segment.
            section.bytes.extend([self.facts.address_bytes, 0]);
        }
        let header = section.begin_length();
        // Instructions are counted in bytes on every machine, have one operation, and begin statements.
        section.bytes.extend([1, 1, 1, LINE_BASE as u8, LINE_RANGE, OPCODE_BASE]);
        // The operands of the opcodes below `OPCODE_BASE`.
        section.bytes.extend([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]);
        match self.facts.version >= 5 {
            true => self.tables(section, strings),
            false => self.tables_of_version_4(section, strings),
        }
        section.end_length(header);
        section.append(&self.out);
        section.end_length(start);
        start
    }

    /// Directories and files. Those of the unit are not listed, except that a file may be.
    fn tables_of_version_4(&self, section: &mut DwarfWriter, strings: &LineStrings) {
        let text = |section: &mut DwarfWriter, place: u32| {
            section.bytes.extend_from_slice(strings.get(place));
            section.u8(0);
        };
        self.directories[1..].iter().for_each(|&directory| text(section, directory));
        section.u8(0);
        for file in &self.files {
            text(section, file.name);
            section.uleb128(file.directory.into());
            // Neither a time nor a length.
            section.u16(0);
        }
        section.u8(0);
    }

    fn tables(&self, section: &mut DwarfWriter, strings: &LineStrings) {
        let text = |section: &mut DwarfWriter, place: u32| {
            section.offset_in(DebugSectionId::LineStr, place as usize);
        };
        section.u8(1);
        section.bytes.extend([dw::DW_LNCT_path.0 as u8, dw::DW_FORM_line_strp.0 as u8]);
        section.uleb128(self.directories.len() as u64);
        self.directories.iter().for_each(|&directory| text(section, directory));
        let mut fields =
            vec![(dw::DW_LNCT_path, dw::DW_FORM_line_strp), (dw::DW_LNCT_directory_index, dw::DW_FORM_udata)];
        if self.has_md5 {
            fields.push((dw::DW_LNCT_MD5, dw::DW_FORM_data16));
        }
        let has_source = self.has_source();
        if has_source {
            fields.push((dw::DW_LNCT_LLVM_source, dw::DW_FORM_line_strp));
        }
        section.u8(fields.len() as u8);
        for (name, form) in fields {
            section.uleb128(name.0.into());
            section.uleb128(form.0.into());
        }
        section.uleb128(self.files.len() as u64);
        for file in &self.files {
            text(section, file.name);
            section.uleb128(file.directory.into());
            if self.has_md5 {
                section.bytes.extend(file.md5.unwrap_or_default());
            }
            if has_source {
                text(section, file.source.unwrap_or_else(|| strings.empty()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gimli::LittleEndian;
    use gimli::write::{self, Address, EndianVec, LineString, LineStringTable, StringTable};
    use gimli::{Encoding, Format, LineEncoding};

    use super::*;

    const FACTS: DwarfFacts = DwarfFacts {
        version: 4,
        address_bytes: 8,
        endian: gusset_abi::Endian::Little,
        frame_by_cfa: true,
        thread_local: None,
        aranges: false,
        lines_by_assembler: false,
    };

    #[test]
    fn programs_are_those_of_gimli() {
        let encoding = Encoding { format: Format::Dwarf32, version: 4, address_size: 8 };
        let text = |text: &str| LineString::String(text.into());
        let mut theirs =
            write::LineProgram::new(encoding, LineEncoding::default(), text("/d"), None, text("a.c"), None);
        let directory = theirs.default_directory();
        let files = ["a.c", "b.c"].map(|name| theirs.add_file(text(name), directory, None));
        let mut strings = LineStrings::default();
        let mut ours = LineProgram::new(FACTS, strings.place(b"/d"));
        for name in ["a.c", "b.c"] {
            let name = strings.place(name.as_bytes());
            ours.file(LineFile { name, directory: 0, md5: None, source: None });
        }
        theirs.begin_sequence(Some(Address::Constant(0)));
        ours.begin_sequence(CodeAddress { section: 0, offset: 0 });
        let (mut offset, mut line) = (0, 1);
        for step in 0..40 * 60 {
            // All combinations of some steps of lines, up and down, and of bytes.
            (offset, line) = (offset + step % 40, (line + step / 40 * 7 % 60).max(30) - 30 + step % 3);
            let number = |n: u64| u32::try_from(n).unwrap();
            let row = LineRow {
                file: 1 + number(step / 5 % 2),
                line: number(line),
                column: number(step / 7),
                discriminator: number(step % 4 * 100),
                is_stmt: step % 2 == 0,
                prologue_end: step % 11 == 0,
                epilogue_begin: step % 13 == 0,
            };
            ours.row(row, offset);
            *theirs.row() = write::LineRow {
                address_offset: offset,
                file: files[row.file as usize - 1],
                line,
                column: row.column.into(),
                discriminator: row.discriminator.into(),
                is_statement: row.is_stmt,
                prologue_end: row.prologue_end,
                epilogue_begin: row.epilogue_begin,
                ..*theirs.row()
            };
            theirs.generate_row();
        }
        ours.end_sequence(offset + 9);
        theirs.end_sequence(offset + 9);
        let mut section = DwarfWriter::default();
        ours.finish(&mut section, &strings);
        let mut expected = write::DebugLine(EndianVec::new(LittleEndian));
        let line_strings = LineStringTable::default().write(&mut write::DebugLineStr(EndianVec::new(LittleEndian)));
        let all_strings = StringTable::default().write(&mut write::DebugStr(EndianVec::new(LittleEndian)));
        theirs.write(&mut expected, encoding, &line_strings.unwrap(), &all_strings.unwrap()).unwrap();
        assert!(section.bytes == expected.slice());
    }
}
