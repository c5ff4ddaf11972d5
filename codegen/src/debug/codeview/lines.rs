//! Lines of functions and of calls that were inlined in them.

use super::bytes::{MAX_RECORD, Output};
use super::files::Files;
use super::records::subsection;
use crate::debug::scopes::{ScopeTree, ScopeTrees};
use crate::debug::sections::DebugTarget;
use crate::debug::{DebugFunction, DebugInfo, DiLocation, DiScope};

/// Lines have columns.
const HAS_COLUMNS: u16 = 1;
/// The bits of a line's number; those with other numbers are not described, as with LLVM, which also leaves out the two last
/// numbers: they mean more than a line.
const MAX_LINE: u32 = 0xff_ffff;
const ALWAYS_STEP_INTO: u32 = 0xfeefee;
const NEVER_STEP_INTO: u32 = 0xf00f00;

/// From an offset of the code on, a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Row {
    offset: u32,
    file: u32,
    line: u32,
    column: u16,
}

/// The lines of a call that was inlined.
#[derive(Default)]
pub(super) struct SiteLines {
    /// Offsets with the file and line that begin there; `None` ends a stretch of code.
    rows: Vec<(u32, Option<(u32, u32)>)>,
    /// The number of the location after the last one that was taken.
    next: usize,
}

/// The lines of a function, and of the calls that were inlined in it, by number of scope.
pub(super) struct FunctionLines {
    rows: Vec<Row>,
    pub sites: Vec<SiteLines>,
}

/// A location that is described.
struct Located {
    offset: u32,
    scope: u32,
    row: Row,
}

impl FunctionLines {
    /// The lines of a function; `None` if it has none.
    pub fn new(
        info: &DebugInfo,
        function: &DebugFunction,
        (trees, tree): (&ScopeTrees<'_>, &ScopeTree),
        files: &mut Files<'_>,
    ) -> Option<FunctionLines> {
        let located = locations(info, function, trees, files);
        if located.is_empty() {
            return None;
        }
        let sites = tree.nodes.iter().map(|_| SiteLines::default()).collect();
        let mut lines = FunctionLines { rows: Vec::with_capacity(located.len()), sites };
        for number in 0..located.len() {
            lines.add(info, tree, files, (&located, number));
        }
        let end = |number: usize| located.get(number).map_or(function.len, |next| next.offset);
        for site in &mut lines.sites {
            if !site.rows.is_empty() {
                site.rows.push((end(site.next), None));
            }
        }
        Some(lines)
    }

    /// Adds a location to the lines of the function and of the calls that it is in.
    fn add(
        &mut self,
        info: &DebugInfo,
        tree: &ScopeTree,
        files: &mut Files<'_>,
        (located, number): (&[Located], usize),
    ) {
        let location = &located[number];
        let (mut row, mut at, mut is_inlined) = (location.row, location.scope, false);
        while at != 0 {
            let node = &tree.nodes[at as usize];
            if node.inlined_function().is_some() {
                let site = &mut self.sites[at as usize];
                if site.next != number && !site.rows.is_empty() {
                    site.rows.push((located[site.next].offset, None));
                }
                let here = (row.file, row.line);
                if site.rows.last().is_none_or(|last| last.1 != Some(here)) {
                    site.rows.push((location.offset, Some(here)));
                }
                site.next = number + 1;
                // Around the call, the code belongs to the line of the call.
                if let Some(call) = node.inlined_at.map(|call| &info.locations[call.index()]) {
                    row = row_of(info, call, location.offset, files);
                }
                is_inlined = true;
            }
            at = node.parent;
        }
        let same = |last: &Row| Row { offset: row.offset, ..*last } == row;
        if !is_inlined || !self.rows.last().is_some_and(same) {
            self.rows.push(row);
        }
    }

    /// Writes the lines of the function itself, whose code is at `target`.
    pub fn write(&self, out: &mut Output, function: &DebugFunction, target: DebugTarget) {
        let mut lines = Output::default();
        lines.place(target, 0);
        let has_columns = self.rows.iter().any(|row| row.column != 0);
        lines.bytes.u16(if has_columns { HAS_COLUMNS } else { 0 });
        lines.bytes.u32(function.len);
        for rows in self.rows.chunk_by(|a, b| a.file == b.file) {
            lines.bytes.u32(rows[0].file);
            lines.bytes.u32(rows.len() as u32);
            let each = if has_columns { 12 } else { 8 };
            lines.bytes.u32(12 + each * rows.len() as u32);
            for row in rows {
                lines.bytes.u32(row.offset);
                lines.bytes.u32(row.line);
            }
            for row in rows.iter().filter(|_| has_columns) {
                lines.bytes.u16(row.column);
                lines.bytes.u16(0);
            }
        }
        out.subsection(subsection::LINES, lines);
    }
}

/// The locations of a function that can be described, in the order of the code.
fn locations(
    info: &DebugInfo,
    function: &DebugFunction,
    trees: &ScopeTrees<'_>,
    files: &mut Files<'_>,
) -> Vec<Located> {
    let mut all = Vec::with_capacity(function.debug.lines.len() + 1);
    let described = function.debug.lines.iter().filter(|mark| mark.offset < function.len);
    let mut marks =
        described.filter_map(|mark| Some((mark.offset, info.locations[mark.value.location?.index()]))).peekable();
    // Code that makes the frame belongs to the line at which the function begins.
    let has_prologue = marks.peek().is_some_and(|mark| mark.0 > 0);
    let start = function.debug.subprogram.filter(|_| has_prologue).map(|id| DiLocation {
        line: info.subprograms[id.index()].scope_line,
        scope: Some(DiScope::Subprogram(id)),
        ..DiLocation::default()
    });
    let mut last = None;
    for (offset, location) in start.map(|start| (0, start)).into_iter().chain(marks) {
        if last == Some(location) {
            continue;
        }
        let fits = (1..=MAX_LINE).contains(&location.line) && location.column <= u16::MAX.into();
        if !fits || matches!(location.line, ALWAYS_STEP_INTO | NEVER_STEP_INTO) {
            continue;
        }
        let Some(scope) = location.scope.and_then(|scope| trees.find(scope, location.inlined_at)) else {
            continue;
        };
        last = Some(location);
        all.push(Located { offset, scope, row: row_of(info, &location, offset, files) });
    }
    all
}

fn row_of(info: &DebugInfo, location: &DiLocation, offset: u32, files: &mut Files<'_>) -> Row {
    let file = files.file(location.scope.and_then(|scope| info.file_of(scope)));
    Row { offset, file, line: location.line.min(MAX_LINE), column: location.column.try_into().unwrap_or(0) }
}

/// Operations of the lines of an inlined call (`BinaryAnnotationOpcode`).
mod annotation {
    pub const CHANGE_CODE_OFFSET: u32 = 3;
    pub const CHANGE_CODE_LENGTH: u32 = 4;
    pub const CHANGE_FILE: u32 = 5;
    pub const CHANGE_LINE_OFFSET: u32 = 6;
    pub const CHANGE_CODE_AND_LINE: u32 = 11;
}

impl SiteLines {
    /// Is there no code?
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Writes the lines relative to the function around the call, and to the file and line at which the inlined one begins.
    pub fn write(&self, out: &mut Output, (mut file, mut line): (u32, u32)) {
        // What a record has besides, and the most that one row takes.
        const RESERVE: usize = 64;
        let (start, mut at, mut is_open) = (out.len(), 0, false);
        for &(offset, begins) in &self.rows {
            let is_full = out.len() - start > MAX_RECORD - RESERVE;
            let Some((own_file, own_line)) = begins.filter(|_| !is_full) else {
                if is_open {
                    compress(out, annotation::CHANGE_CODE_LENGTH);
                    compress(out, offset - at);
                    at = offset;
                }
                if is_full {
                    return;
                }
                is_open = false;
                continue;
            };
            if file != own_file {
                compress(out, annotation::CHANGE_FILE);
                compress(out, own_file);
            }
            let by = encode_sign(own_line.wrapping_sub(line) as i32);
            let code = offset - at;
            if by < 8 && code <= 0xf {
                compress(out, annotation::CHANGE_CODE_AND_LINE);
                compress(out, by << 4 | code);
            } else {
                if by != 0 {
                    compress(out, annotation::CHANGE_LINE_OFFSET);
                    compress(out, by);
                }
                compress(out, annotation::CHANGE_CODE_OFFSET);
                compress(out, code);
            }
            (file, line, at, is_open) = (own_file, own_line, offset, true);
        }
    }
}

/// A number with its sign in the lowest bit.
fn encode_sign(value: i32) -> u32 {
    value.unsigned_abs() << 1 | u32::from(value < 0)
}

/// A number of at most 29 bits, which lines and code have (`CVCompressData`).
fn compress(out: &mut Output, value: u32) {
    let [_, third, second, first] = value.to_be_bytes();
    match value {
        0..0x80 => out.bytes.u8(first),
        0x80..0x4000 => out.bytes.0.extend([second | 0x80, first]),
        _ => {
            let highest = (value >> 24) as u8 & 0x1f | 0xc0;
            out.bytes.0.extend([highest, third, second, first]);
        }
    }
}
