//! Debug information: the lines of code as `.file` and `.loc`, of which assemblers make `.debug_line`, and the other sections as data.
//!
//! Which lines there are is known when all functions are written, because only then files have their numbers: until then the writer
//! notes where in the text they belong. Fields with addresses are labels at the starts of functions with constant distances; these are
//! right because the text assembles to the bytes that it was made from.

use std::fmt::Write;
use std::sync::Arc;

use super::AsmWriter;
use super::name::string;
use super::record::{AsmDebug, CodeSection, LineMarks, LinePlace};
use crate::buffer::Field;
use crate::compiled::CompiledFunction;
use crate::debug::dwarf::{DwarfFile, DwarfLines, DwarfRow};
use crate::debug::sections::{DebugFixup, DebugFixupKind, DebugSection, DebugSectionId, DebugTarget};
use crate::debug::{CompiledDebugInfo, DebugInfo};
use crate::object::{
    DebugForm, FixupTarget, ObjectError, Result, SectionSpec, debug_function, debug_output, debug_section, thread_local,
};
use crate::unwind::itanium::eh_frame::{EhFrame, Entry};

/// The number of `.debug_frame` among the sections of code.
const FRAME_SECTION: u32 = u32::MAX;

impl AsmWriter<'_> {
    /// What the functions' code became of their debug information, for a front end that gives the nodes their final numbers.
    pub fn compiled_debug_info(&mut self) -> impl Iterator<Item = &mut CompiledDebugInfo> {
        self.debug.functions.iter_mut().map(|function| Arc::make_mut(&mut function.debug))
    }

    /// Describes the functions so far, and the variables of a module, for debuggers. Returns how many locations of variables could not
    /// be expressed.
    ///
    /// # Errors
    /// A section would be too large.
    pub fn debug_info(&mut self, info: &DebugInfo) -> Result<u32> {
        let functions = std::mem::take(&mut self.debug.functions);
        let form = DebugForm { aranges: self.options.debug_aranges, is_text: true };
        let output = debug_output(self.format, self.module, info, &functions, form)?;
        (self.debug.lines, self.debug.output) = (output.lines, output.sections);
        Ok(output.unexpressed)
    }

    /// Notes that the head of the text is written.
    pub(super) fn debug_head(&mut self) {
        self.debug.head = self.out.len();
    }

    /// Begins a function with `before` bytes in front of it; its section is the current one.
    pub(super) fn debug_start<'f>(&mut self, f: &'f CompiledFunction, before: u64, align: u64) -> LineMarks<'f> {
        let Some(spec) = &self.section else { return LineMarks { marks: [].iter().peekable(), section: 0, start: 0 } };
        let debug = &mut self.debug;
        let section = match debug.by_spec.get(spec) {
            Some(&known) => known,
            None => {
                debug.by_spec.insert(spec.clone(), debug.sections.len() as u32);
                debug.sections.push(CodeSection::default());
                debug.sections.len() as u32 - 1
            }
        };
        let state = &mut debug.sections[section as usize];
        let start = state.size.next_multiple_of(align) + before;
        let len = f.code.len() as u32;
        state.size = start + u64::from(len);
        let (described, follows) = (f.debug.as_ref(), state.goes_on);
        state.goes_on = described.is_some();
        if described.is_some() || follows {
            let position = self.out.len();
            debug.places.push(LinePlace { position, section, offset: start, is_start: true });
        }
        if let Some(described) = described {
            let number = self.functions - 1;
            state.described.push((start, number));
            debug.functions.push(debug_function(self.format, (f, described), (section, start), follows));
            let p = self.format.private_prefix();
            self.line(format_args!("{p}func_begin{number}:"));
        }
        let marks = described.map_or(&[][..], |debug| &debug.lines[..]);
        LineMarks { marks: marks.iter().peekable(), section, start }
    }

    /// Notes that the code at an offset of a function, which is written next, may have a line of its own.
    pub(super) fn line_place(&mut self, lines: &mut LineMarks<'_>, offset: u32) {
        let mut mark = None;
        while let Some(next) = lines.marks.next_if(|mark| mark.offset <= offset) {
            mark = Some(next.offset);
        }
        if let Some(offset) = mark {
            let (position, section, offset) = (self.out.len(), lines.section, lines.start + u64::from(offset));
            self.debug.places.push(LinePlace { position, section, offset, is_start: false });
        }
    }

    /// Describes the frame of a function for debuggers, which find it nowhere else.
    pub(super) fn debug_frame(&mut self, f: &CompiledFunction, lines: &LineMarks<'_>) -> Result {
        if f.debug.is_none() || self.has_cfi(f) || self.format.coff.is_some() {
            return Ok(());
        }
        let (len, code) = (f.code.len() as u32, (lines.section, lines.start));
        let entry = Entry { code, len, ops: &f.cfi, handler: None };
        let (format, form) = (self.format, self.form());
        let table = self.debug.frames.get_or_insert_with(|| EhFrame::new(format, form, Some(FRAME_SECTION)));
        table.function(&entry).map_err(|_| ObjectError::TooLarge)
    }

    /// Writes the sections of debug information.
    pub(super) fn debug_sections(&mut self) -> Result {
        let p = self.format.private_prefix();
        if let Some(table) = self.debug.frames.take() {
            let (bytes, fixups) = table.finish(self.module).map_err(|_| ObjectError::TooLarge)?;
            self.switch(SectionSpec::DEBUG_FRAME);
            self.align(self.format.pointer_bytes.into());
            self.line(format_args!("{p}debug_frame:"));
            let mut from = 0;
            for fixup in fixups {
                let field = match fixup.target {
                    FixupTarget::Section(FRAME_SECTION) => format!("{p}debug_frame{:+}", fixup.addend),
                    FixupTarget::Section(section) => self.code_label(section, fixup.addend),
                    _ => return Err(ObjectError::Relocation { section: ".debug_frame".into(), kind: fixup.kind }),
                };
                self.bytes(&bytes[from..fixup.offset as usize]);
                let size = if fixup.kind.field == Field::WORD8 { 8 } else { 4 };
                self.word(size, &field);
                from = fixup.offset as usize + usize::from(size);
            }
            self.bytes(&bytes[from..]);
        }
        let sections = std::mem::take(&mut self.debug.output);
        if sections.is_empty() {
            return Ok(());
        }
        if sections.iter().any(|section| section.id == DebugSectionId::Info) {
            self.switch(debug_section(self.format, self.module, DebugSectionId::Line));
            self.line(format_args!("{p}{}:", label(DebugSectionId::Line)));
        }
        // The places of strings that something refers to: linkers move each for itself.
        let to_strings = |fixup: &DebugFixup| fixup.target == DebugTarget::Debug(DebugSectionId::Str);
        let mut strings: Vec<i64> =
            sections.iter().flat_map(|s| &s.fixups).filter(|f| to_strings(f)).map(|f| f.addend).collect();
        strings.sort_unstable();
        strings.dedup();
        for section in &sections {
            self.switch(debug_section(self.format, self.module, section.id));
            match section.id {
                DebugSectionId::Str => self.strings(&section.bytes, &strings),
                // There are several of one name, and nothing refers to them.
                id @ (DebugSectionId::CodeViewSymbols(_) | DebugSectionId::CodeViewTypes) => {
                    self.align(id.align());
                    self.fields(section);
                }
                id => {
                    self.line(format_args!("{p}{}:", label(id)));
                    self.fields(section);
                }
            }
        }
        Ok(())
    }

    /// Writes strings with labels at these offsets.
    fn strings(&mut self, bytes: &[u8], labels: &[i64]) {
        let p = self.format.private_prefix();
        let mut from = 0;
        for &at in labels {
            self.bytes(&bytes[from..at as usize]);
            self.line(format_args!("{p}debug_str{at}:"));
            from = at as usize;
        }
        self.bytes(&bytes[from..]);
    }

    /// Writes the bytes and fields of a section.
    fn fields(&mut self, section: &DebugSection) {
        let p = self.format.private_prefix();
        let mut fixups: Vec<&DebugFixup> = section.fixups.iter().collect();
        fixups.sort_unstable_by_key(|fixup| fixup.offset);
        let mut from = 0;
        for &&DebugFixup { offset, size, target, kind, addend } in &fixups {
            self.bytes(&section.bytes[from..offset as usize]);
            from = offset as usize + usize::from(size);
            let add = if addend == 0 { String::new() } else { format!("{addend:+}") };
            let field = match target {
                DebugTarget::Debug(DebugSectionId::Str) => format!("{p}debug_str{addend}"),
                DebugTarget::Debug(id) => format!("{p}{}{add}", label(id)),
                // Its place in the section does not matter.
                DebugTarget::Section(number) if kind == DebugFixupKind::SectionNumber => {
                    let first = self.debug.sections[number as usize].described.first();
                    self.code_label(number, first.map_or(0, |&(start, _)| start as i64))
                }
                DebugTarget::Section(number) => self.code_label(number, addend),
                DebugTarget::Symbol(symbol) if kind == DebugFixupKind::ThreadLocal => {
                    self.disassembler.expression(thread_local(size), &self.name(symbol), addend, 0, size.into())
                }
                DebugTarget::Symbol(symbol) => format!("{}{add}", self.name(symbol)),
            };
            match kind {
                DebugFixupKind::InSection if self.format.coff.is_some() => {
                    self.line(format_args!("\t.secrel32\t{field}"));
                }
                DebugFixupKind::SectionNumber => self.line(format_args!("\t.secidx\t{field}")),
                DebugFixupKind::InImage => self.line(format_args!("\t.rva\t{field}")),
                _ => self.word(size, &field),
            }
        }
        self.bytes(&section.bytes[from..]);
    }

    fn word(&mut self, size: u8, field: &str) {
        self.line(format_args!("\t{}\t{field}", if size == 8 { ".quad" } else { ".long" }));
    }

    /// A place in a section of code, from the function that it is in or at the end of.
    fn code_label(&self, section: u32, offset: i64) -> String {
        let p = self.format.private_prefix();
        let described = &self.debug.sections[section as usize].described;
        // Only functions that are described have places.
        let function = described.partition_point(|&(start, _)| start as i64 <= offset).saturating_sub(1);
        let (start, number) = described.get(function).copied().unwrap_or_default();
        match offset - start as i64 {
            0 => format!("{p}func_begin{number}"),
            distance => format!("{p}func_begin{number}{distance:+}"),
        }
    }

    /// Puts the lines into the text.
    pub(super) fn insert_lines(&mut self) {
        let AsmDebug { lines: DwarfLines { files, rows }, places, head, sections, .. } = &mut self.debug;
        if files.is_empty() {
            return;
        }
        let mut out = String::with_capacity(self.out.len() + 64 * files.len() + 28 * rows.len());
        out.push_str(&self.out[..*head]);
        let mut from = *head;
        files.iter().for_each(|file| file_directive(&mut out, file));
        let (mut rows, mut is_stmt) = (rows.iter().peekable(), true);
        // The file of the last line in each section; `None` if its code has no lines.
        let mut last: Vec<Option<u32>> = vec![None; sections.len()];
        for place in places {
            out.push_str(&self.out[from..place.position]);
            from = place.position;
            let here = |row: &&DwarfRow| (row.section, row.offset) == (place.section, place.offset);
            let last = &mut last[place.section as usize];
            if place.is_start && !rows.peek().is_some_and(here) {
                // The lines of the function before would go on.
                if let Some(file) = last.take() {
                    let _ = writeln!(out, "\t.loc\t{file} 0 0");
                }
                continue;
            }
            while let Some(row) = rows.next_if(here) {
                *last = Some(row.file);
                loc_directive(&mut out, row, &mut is_stmt);
            }
        }
        out.push_str(&self.out[from..]);
        self.out = out;
    }
}

/// The label at the start of a section.
fn label(id: DebugSectionId) -> &'static str {
    id.name().trim_start_matches('.')
}

fn file_directive(out: &mut String, file: &DwarfFile) {
    let _ = write!(out, "\t.file\t{}", file.number);
    for text in &file.names {
        let _ = write!(out, " {}", string(text));
    }
    if let Some(md5) = file.md5 {
        let _ = write!(out, " md5 {:#034x}", u128::from_be_bytes(md5));
    }
    if let Some(source) = &file.source {
        let _ = write!(out, " source {}", string(source));
    }
    out.push('\n');
}

/// Writes a row; `is_stmt` is what the last one said of statements.
fn loc_directive(out: &mut String, row: &DwarfRow, is_stmt: &mut bool) {
    let _ = write!(out, "\t.loc\t{} {} {}", row.file, row.line, row.column);
    let [begins_statement, prologue_end, epilogue_begin] = row.flags;
    for (flag, text) in [(prologue_end, " prologue_end"), (epilogue_begin, " epilogue_begin")] {
        out.push_str(if flag { text } else { "" });
    }
    if begins_statement != std::mem::replace(is_stmt, begins_statement) {
        let _ = write!(out, " is_stmt {}", u8::from(begins_statement));
    }
    if row.discriminator != 0 {
        let _ = write!(out, " discriminator {}", row.discriminator);
    }
    out.push('\n');
}
