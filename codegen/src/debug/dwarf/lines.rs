//! Line programs: files and directories, and the rows of each function.

use foldhash::{HashMap, HashMapExt};

use gimli::LineEncoding;
use gimli::write::{FileId, FileInfo, LineProgram, LineString};

use super::output::{DwarfFile, DwarfLines, DwarfRow};
use super::sections::code_address;
use super::units::Builder;
use crate::debug::{
    ChecksumKind, DebugFunction, DebugInfo, DiCompileUnit, DiFile, DiFileId, DiLexicalScopeKind, DiScope, to_zero,
};

/// The name of a file without one: no name may be empty.
const UNKNOWN: &[u8] = b"<unknown>";

/// A row of the table before it is written.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Row {
    file: FileId,
    line: u32,
    column: u32,
    discriminator: u32,
}

impl Builder<'_> {
    /// The line program of a new unit, with the unit's own file.
    pub fn line_program(&mut self, unit: &DiCompileUnit) -> (LineProgram, HashMap<DiFileId, FileId>) {
        let (encoding, info) = (self.encoding(), self.info);
        let unknown = DiFile::default();
        let main = unit.file.map_or(&unknown, |file| &info.files[file.index()]);
        let (mut directory, mut name) =
            (to_zero(info.strings.get(main.directory)), to_zero(info.strings.get(main.name)));
        if directory.is_empty() {
            directory = b".";
        }
        if name.is_empty() {
            name = UNKNOWN;
        }
        let directory = LineString::new(directory, encoding, &mut self.line_strings);
        let name = LineString::new(name, encoding, &mut self.line_strings);
        let file_info = self.file_info(main);
        // LLVM's assembler counts code in bytes on every machine.
        let mut program =
            LineProgram::new(encoding, LineEncoding::default(), directory, None, name.clone(), Some(file_info));
        program.file_has_md5 = true;
        program.file_has_source = main.source.is_some();
        let mut files = HashMap::new();
        if let Some(file) = unit.file {
            let of = program.default_directory();
            files.insert(file, program.add_file(name, of, None));
            program.file_has_md5 = md5(main).is_some();
        }
        (program, files)
    }

    fn file_info(&mut self, file: &DiFile) -> FileInfo {
        let encoding = self.encoding();
        let source = file
            .source
            .map(|text| LineString::new(to_zero(self.info.strings.get(text)), encoding, &mut self.line_strings));
        FileInfo { md5: md5(file).unwrap_or_default(), source, ..FileInfo::default() }
    }

    /// The number of a file in a unit.
    pub fn file(&mut self, unit: u32, node: DiFileId) -> FileId {
        let unit = self.unit_of_files(unit);
        if let Some(&known) = self.units[unit as usize].files.get(&node) {
            return known;
        }
        let (encoding, info) = (self.encoding(), self.info);
        let file = &info.files[node.index()];
        let (directory, name) = (to_zero(info.strings.get(file.directory)), to_zero(info.strings.get(file.name)));
        let name = if name.is_empty() { UNKNOWN } else { name };
        let main = info.units[self.units[unit as usize].node.index()].file;
        let own = main.is_some_and(|main| info.files[main.index()].directory == file.directory);
        let directory =
            (!own && !directory.is_empty()).then(|| LineString::new(directory, encoding, &mut self.line_strings));
        let name = LineString::new(name, encoding, &mut self.line_strings);
        let file_info = self.file_info(file);
        let program = self.lines(unit);
        program.file_has_md5 &= md5(file).is_some();
        program.file_has_source |= file.source.is_some();
        let of = match directory {
            Some(directory) => program.add_directory(directory),
            None => program.default_directory(),
        };
        let number = program.add_file(name, of, Some(file_info));
        self.units[unit as usize].files.insert(node, number);
        number
    }

    /// A file without a name.
    fn unknown_file(&mut self, unit: u32) -> FileId {
        let name = LineString::new(UNKNOWN, self.encoding(), &mut self.line_strings);
        let unit = self.unit_of_files(unit);
        let lines = self.lines(unit);
        let directory = lines.default_directory();
        lines.add_file(name, directory, None)
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
        let lines = self.lines(unit);
        if let Some(len) = before {
            lines.end_sequence(len);
        }
        lines.begin_sequence(Some(code_address(function.section, function.offset)));
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
        if self.facts.lines_by_assembler {
            let Row { line, column, discriminator, .. } = row;
            let (section, offset) = (function.section, function.offset + u64::from(offset));
            let flags = [is_stmt, prologue_end, epilogue_begin];
            self.rows.push((row.file, DwarfRow { section, offset, file: 0, line, column, discriminator, flags }));
        }
        let lines = self.lines(unit);
        let out = lines.row();
        out.address_offset = start + u64::from(offset);
        out.file = row.file;
        out.line = row.line.into();
        out.column = row.column.into();
        out.discriminator = row.discriminator.into();
        out.is_statement = is_stmt;
        out.prologue_end = prologue_end;
        out.epilogue_begin = epilogue_begin;
        lines.generate_row();
    }

    /// The file and discriminator of a scope.
    fn scope_of_row(&mut self, unit: u32, before: FileId, scope: Option<DiScope>) -> (FileId, u32) {
        let Some(scope) = scope else { return (before, 0) };
        let file = self.info.file_of(scope).map_or(before, |file| self.file(unit, file));
        (file, discriminator_of(self.info, scope))
    }

    /// What an assembler makes the table of.
    pub fn assembler_lines(&mut self) -> DwarfLines {
        let mut rows = std::mem::take(&mut self.rows);
        let Some(unit) = self.units.first() else { return DwarfLines::default() };
        let program = &self.table.get(unit.id).line_program;
        let text = |string: &LineString| string.get(&self.strings, &self.line_strings).to_vec();
        let first = if self.facts.version >= 5 { 0 } else { 1 };
        let numbers: HashMap<FileId, u32> = program.files().map(|file| file.0).zip(first..).collect();
        rows.iter_mut().for_each(|(file, row)| row.file = numbers[file]);
        let files = program.files().map(|(id, name, directory)| {
            let (number, info) = (numbers[&id], program.get_file_info(id));
            let named = directory != program.default_directory() || number == 0;
            let mut names = vec![text(program.get_directory(directory)), text(name)];
            if self.facts.version < 5 && named && !is_absolute(&names[1]) {
                names = vec![names.join(&b'/')];
            } else if self.facts.version < 5 || !named {
                names.remove(0);
            }
            DwarfFile {
                number,
                names,
                md5: program.file_has_md5.then_some(info.md5),
                source: info.source.as_ref().filter(|_| program.file_has_source).map(text),
            }
        });
        DwarfLines { files: files.collect(), rows: rows.into_iter().map(|(_, row)| row).collect() }
    }

    /// Ends the last sequence of a unit.
    pub fn finish_line_program(&mut self, unit: usize) {
        let len = self.units[unit].code.last().map(|last| last.2 - last.1);
        let lines = self.lines(unit as u32);
        if let Some(len) = len.filter(|_| lines.in_sequence()) {
            lines.end_sequence(len);
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
