//! Line programs: files and directories, and the rows of each function.

use foldhash::{HashMap, HashMapExt};

use super::line_program::{LineFile, LineProgram, LineRow};
use super::output::{DwarfFile, DwarfLines, DwarfRow};
use super::sections::CodeAddress;
use super::units::Builder;
use crate::debug::{
    ChecksumKind, DebugFunction, DebugInfo, DiCompileUnit, DiFile, DiFileId, DiLexicalScopeKind, DiScope, to_zero,
};

/// The name of a file without one: no name may be empty.
const UNKNOWN: &[u8] = b"<unknown>";

/// What the rows of a stretch of code have in common.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Row {
    file: u32,
    line: u32,
    column: u32,
    discriminator: u32,
}

impl Builder<'_> {
    /// The line program of a new unit, with the unit's own file.
    pub fn line_program(&mut self, unit: &DiCompileUnit) -> (LineProgram, HashMap<DiFileId, u32>) {
        let info = self.info;
        let unknown = DiFile::default();
        let main = unit.file.map_or(&unknown, |file| &info.files[file.index()]);
        let directory = match to_zero(info.strings.get(main.directory)) {
            [] => b".",
            directory => directory,
        };
        let directory = self.line_strings.place(directory);
        let mut program = LineProgram::new(self.facts, directory);
        let mut files = HashMap::new();
        if unit.file.is_some() || self.facts.version >= 5 {
            let own = self.line_file(main, 0);
            program.has_md5 = own.md5.is_some() || unit.file.is_none();
            let number = program.file(own);
            files.extend(unit.file.map(|file| (file, number)));
        }
        (program, files)
    }

    /// A file in a directory with this index.
    fn line_file(&mut self, file: &DiFile, directory: u32) -> LineFile {
        let strings = &self.info.strings;
        let name = match to_zero(strings.get(file.name)) {
            [] => UNKNOWN,
            name => name,
        };
        let name = self.line_strings.place(name);
        let source = file.source.map(|text| self.line_strings.place(to_zero(strings.get(text))));
        LineFile { name, directory, md5: md5(file), source }
    }

    /// The number of a file in a unit.
    pub fn file(&mut self, unit: u32, node: DiFileId) -> u32 {
        let unit = self.unit_of_files(unit) as usize;
        let number = match self.units[unit].last_file {
            Some((last, number)) if last == node => return number,
            _ => self.units[unit].files.get(&node).copied(),
        };
        let number = number.unwrap_or_else(|| self.new_file(unit, node));
        self.units[unit].last_file = Some((node, number));
        number
    }

    fn new_file(&mut self, unit: usize, node: DiFileId) -> u32 {
        let info = self.info;
        let file = &info.files[node.index()];
        let main = info.units[self.units[unit].node.index()].file;
        let own = main.is_some_and(|main| info.files[main.index()].directory == file.directory);
        let directory = match to_zero(info.strings.get(file.directory)) {
            [] => 0,
            _ if own => 0,
            directory => {
                let place = self.line_strings.place(directory);
                self.units[unit].lines.directory(place)
            }
        };
        let file = self.line_file(file, directory);
        let unit = &mut self.units[unit];
        unit.lines.has_md5 &= file.md5.is_some();
        let number = unit.lines.file(file);
        unit.files.insert(node, number);
        number
    }

    /// A file without a name.
    fn unknown_file(&mut self, unit: u32) -> u32 {
        let file = self.line_file(&DiFile::default(), 0);
        let unit = self.unit_of_files(unit) as usize;
        self.units[unit].lines.file(file)
    }

    /// Adds the rows of a function. It continues the sequence of the function before it if nothing lies between them.
    pub fn function_lines(&mut self, unit: u32, function: &DebugFunction) {
        let Some(subprogram) = function.debug.subprogram else { return };
        let node = &self.info.subprograms[subprogram.index()];
        let main = self.info.units[self.units[unit as usize].node.index()].file;
        let file = match node.file.or(main) {
            Some(file) => self.file(unit, file),
            None => self.unknown_file(unit),
        };
        let start = self.begin_rows(unit, function);
        let line = if node.scope_line != 0 { node.scope_line } else { node.line };
        let mut row = Row { file, line, column: 0, discriminator: 0 };
        self.row(unit, (start, function, 0), row, [true, false, false]);
        let (mut in_prologue, mut last_line) = (true, line);
        // The scope of the last location, which the next most often has, too.
        let mut scope = None;
        for mark in &function.debug.lines {
            let location = mark.value.location.map(|location| self.info.locations[location.index()]);
            let next = match location {
                Some(location) if location.line != 0 => {
                    let (file, discriminator) = match scope {
                        Some((known, file, discriminator)) if known == location.scope => (file, discriminator),
                        _ => self.scope_of_row(unit, row.file, location.scope),
                    };
                    scope = Some((location.scope, file, discriminator));
                    Row { file, line: location.line, column: location.column, discriminator }
                }
                _ => Row { line: 0, column: 0, discriminator: 0, ..row },
            };
            let prologue_end = in_prologue && next.line != 0;
            let same = next == row && !mark.value.epilogue_begin && !prologue_end;
            if same || u64::from(mark.offset) >= u64::from(function.len) {
                continue;
            }
            // Code of a line that was left for line 0 only, or that has another column, begins no statement.
            let is_stmt = prologue_end || next.line != 0 && next.line != last_line;
            let flags = [is_stmt, prologue_end, mark.value.epilogue_begin];
            self.row(unit, (start, function, mark.offset), next, flags);
            in_prologue &= !prologue_end;
            if next.line != 0 {
                last_line = next.line;
            }
            row = next;
        }
    }

    /// Continues the sequence of the function before, or begins one. Returns the offset in the sequence.
    fn begin_rows(&mut self, unit: u32, function: &DebugFunction) -> u64 {
        let end = function.offset + u64::from(function.len);
        let state = &mut self.units[unit as usize];
        if let Some(last) = state.code.last_mut()
            && function.follows
            && last.0 == function.section
            && last.2 <= function.offset
        {
            last.2 = end;
            return function.offset - last.1;
        }
        let before = state.code.last().map(|last| last.2 - last.1);
        state.code.push((function.section, function.offset, end));
        if !self.facts.lines_by_assembler {
            if let Some(len) = before {
                state.lines.end_sequence(len);
            }
            state.lines.begin_sequence(CodeAddress { section: function.section, offset: function.offset });
        }
        state.uses_lines = true;
        0
    }

    /// Adds a row for the code at `offset` of a function, which is at `start` of its sequence.
    fn row(
        &mut self,
        unit: u32,
        (start, function, offset): (u64, &DebugFunction, u32),
        row: Row,
        [is_stmt, prologue_end, epilogue_begin]: [bool; 3],
    ) {
        let Row { file, line, column, discriminator } = row;
        if self.facts.lines_by_assembler {
            let (section, offset) = (function.section, function.offset + u64::from(offset));
            let flags = [is_stmt, prologue_end, epilogue_begin];
            self.rows.push(DwarfRow { section, offset, file, line, column, discriminator, flags });
        } else {
            let row = LineRow { file, line, column, discriminator, is_stmt, prologue_end, epilogue_begin };
            self.units[unit as usize].lines.row(row, start + u64::from(offset));
        }
    }

    /// The file and discriminator of a scope.
    fn scope_of_row(&mut self, unit: u32, before: u32, scope: Option<DiScope>) -> (u32, u32) {
        let Some(scope) = scope else { return (before, 0) };
        let file = self.info.file_of(scope).map_or(before, |file| self.file(unit, file));
        (file, discriminator_of(self.info, scope))
    }

    /// What an assembler makes the table of.
    pub fn assembler_lines(&mut self) -> DwarfLines {
        let Some(unit) = self.units.first() else { return DwarfLines::default() };
        let (program, strings) = (&unit.lines, &self.line_strings);
        let text = |place: u32| strings.get(place).to_vec();
        let files = (program.first_file()..).zip(&program.files).map(|(number, file)| {
            let named = file.directory != 0 || number == 0;
            let mut names = vec![text(program.directories[file.directory as usize]), text(file.name)];
            if self.facts.version < 5 && named && !is_absolute(&names[1]) {
                names = vec![names.join(&b'/')];
            } else if self.facts.version < 5 || !named {
                names.remove(0);
            }
            DwarfFile {
                number,
                names,
                // Tables of DWARF 4 have neither.
                md5: (self.facts.version >= 5 && program.has_md5).then(|| file.md5.unwrap_or_default()),
                source: file.source.filter(|_| self.facts.version >= 5).map(text),
            }
        });
        DwarfLines { files: files.collect(), rows: std::mem::take(&mut self.rows) }
    }

    /// Ends the last sequence of a unit.
    pub fn finish_line_program(&mut self, unit: usize) {
        let unit = &mut self.units[unit];
        if let Some(last) = unit.code.last().filter(|_| !self.facts.lines_by_assembler) {
            unit.lines.end_sequence(last.2 - last.1);
        }
    }
}

/// Does a path begin at a root, of Unix or of a drive?
fn is_absolute(path: &[u8]) -> bool {
    matches!(path, [b'/' | b'\\', ..] | [_, b':', ..])
}

fn discriminator_of(info: &DebugInfo, scope: DiScope) -> u32 {
    match scope {
        DiScope::Lexical(scope) => match info.scopes[scope.index()].kind {
            DiLexicalScopeKind::BlockFile { discriminator } => discriminator,
            _ => 0,
        },
        _ => 0,
    }
}

fn md5(file: &DiFile) -> Option<[u8; 16]> {
    let checksum = file.checksum.as_ref().filter(|checksum| checksum.kind == ChecksumKind::Md5)?;
    (*checksum.bytes).try_into().ok()
}
