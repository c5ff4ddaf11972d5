//! Assembly text: a rendering of compiled functions and a module's data for the GNU assembler and LLVM's.
//!
//! The text says what [`ObjectWriter`](crate::object::ObjectWriter) writes: the same sections in the same order, the
//! same bytes, the same references, so that assembling it gives the object's sections. Instructions are disassembled
//! from the bytes that an object would hold; the target decides how they are spelled ([`Disassembler`]).

mod coff;
mod data;
mod debug;
mod entry;
mod name;
mod parts;
mod record;

use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;

use object::elf;

use crate::buffer::{CfiOp, Referent, Reloc, RelocKind, RelocTarget};
use crate::compiled::{CompiledFunction, SplitStacks};
use crate::ir::{ComdatKind, Linkage, Module, Symbol, SymbolId, SymbolKind, Visibility};
use crate::libcall::LibCall;
use crate::names::bytes_of;
use crate::object::{
    Group, Guarded, ObjectError, ObjectFormat, ObjectOptions, Result, SectionSpec, SectionType, constant_section,
    escape_section, function_section, landing_section, part_ranges, personality_cell, symbol_name, table_section,
};
use crate::stack_map::section::StackMapTable;
use crate::unwind::itanium::lsda::Lsda;
use crate::unwind::microsoft::tables::{
    HandlerData, Stretch, continuation_name, handler_data, host, listed_continuations, stretches,
};
pub(crate) use name::quoted;
use record::{AsmDebug, LineMarks};

/// An instruction as a [`Disassembler`] decodes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decoded {
    /// Its length in bytes.
    pub len: u32,
    /// Code offset that a position-relative operand refers to. Without meaning if the operand is relocated.
    pub target: Option<i64>,
}

/// What the operands of an instruction refer to.
#[derive(Clone, Copy, Debug)]
pub struct Operands<'a> {
    /// Relocated fields: offset from the start of the instruction, and the expression to write.
    pub fields: &'a [(u32, String)],
    /// The label that a position-relative operand without relocation refers to.
    pub label: Option<&'a str>,
}

/// Directives that a target's assemblers want besides instructions.
#[derive(Clone, Copy, Debug)]
pub struct Directives {
    /// The character before the types of sections and symbols (`@` or `%`).
    pub sigil: char,
    /// Lines at the start of a file.
    pub file: &'static str,
    /// Lines before a function's name.
    pub function: &'static str,
}

impl Default for Directives {
    fn default() -> Directives {
        Directives { sigil: '@', file: "", function: "" }
    }
}

/// A target's assembly syntax.
pub trait Disassembler: Send {
    /// The directives that the target's assemblers want.
    fn directives(&self) -> Directives {
        Directives::default()
    }

    /// Lengths and targets of the instructions of a function, in order, appended to `out`.
    fn decode(&mut self, code: &[u8], out: &mut Vec<Decoded>);

    /// Appends the text of the instruction at `offset`, of `len` bytes, without indentation and line end. The text must
    /// assemble to the same bytes; an instruction without such a text is written as data.
    fn print(&mut self, code: &[u8], offset: u32, len: u32, operands: Operands<'_>, out: &mut String);

    /// The expression for a relocated field of an instruction that begins `before` bytes before the field and ends
    /// `after` bytes after the instruction's start.
    fn expression(&self, kind: RelocKind, symbol: &str, addend: i64, before: u32, after: u32) -> String;
}

/// A function whose text is written, its number in the module, and the numbers of its constants.
#[derive(Clone, Copy)]
struct Text<'a> {
    f: &'a CompiledFunction,
    number: u32,
    constants: &'a [u32],
}

/// Tables with names for places in a function's code.
#[derive(Clone, Copy)]
struct Tables<'a> {
    landing: Option<&'a Lsda>,
    handlers: Option<&'a HandlerData>,
}

impl Tables<'_> {
    /// The personality routine that a function's code has.
    fn routine(self, f: &CompiledFunction) -> Option<SymbolId> {
        f.exceptions.personality.filter(|_| self.landing.is_some() || self.handlers.is_some())
    }
}

/// Renders functions and data as text.
pub struct AsmWriter<'m> {
    pub(crate) module: &'m Module,
    pub(crate) format: &'static ObjectFormat,
    pub(crate) options: ObjectOptions,
    pub(crate) disassembler: Box<dyn Disassembler + 'm>,
    pub(crate) directives: Directives,
    pub(crate) out: String,
    /// The section in force.
    pub(crate) section: Option<SectionSpec>,
    pub(crate) constants: HashMap<(u8, u128), u32>,
    pub(crate) retained: Vec<bool>,
    pub(crate) referenced: Vec<bool>,
    /// Symbols whose addresses are read from cells (COFF), in order.
    pub(crate) cells: Vec<SymbolId>,
    pub(crate) has_cell: Vec<bool>,
    /// Personality routines, and types, that position-independent tables name by cells (ELF).
    pub(crate) personality_cells: Vec<SymbolId>,
    pub(crate) type_cells: HashMap<SymbolId, u32>,
    /// The handlers that 32-bit Windows may call.
    pub(crate) safe_handlers: Vec<String>,
    /// How many continuation places of handlers are listed so far.
    pub(crate) continuations: usize,
    /// What Control Flow Guard has the object list.
    pub(crate) guarded: Guarded,
    pub(crate) uses_float: bool,
    pub(crate) stack_maps: StackMapTable,
    pub(crate) split_stacks: SplitStacks,
    /// How many parts of functions are in sections of their own so far.
    pub(crate) parts: u32,
    /// By sections of code, the function that sections about them are linked with.
    pub(crate) described: HashMap<SectionSpec, SymbolId>,
    pub(crate) functions: u32,
    /// Bytes of each symbol's definition so far.
    pub(crate) sizes: Vec<u64>,
    pub(crate) libcalls: HashMap<LibCall, Option<SymbolId>>,
    pub(crate) instructions: Vec<Decoded>,
    /// Offsets at which instructions start.
    pub(crate) starts: Vec<u32>,
    pub(crate) debug: AsmDebug,
}

impl<'m> AsmWriter<'m> {
    /// A writer for the functions of `module`.
    pub fn new(
        format: &'static ObjectFormat,
        module: &'m Module,
        options: ObjectOptions,
        disassembler: Box<dyn Disassembler + 'm>,
    ) -> AsmWriter<'m> {
        let mut retained = vec![false; module.symbols.len()];
        module.used.iter().for_each(|s| retained[s.index()] = true);
        let mut writer = AsmWriter {
            module,
            format,
            options,
            directives: disassembler.directives(),
            disassembler,
            out: String::new(),
            section: None,
            constants: HashMap::new(),
            retained,
            referenced: vec![false; module.symbols.len()],
            cells: Vec::new(),
            has_cell: vec![false; module.symbols.len()],
            personality_cells: Vec::new(),
            type_cells: HashMap::new(),
            safe_handlers: Vec::new(),
            continuations: 0,
            guarded: Guarded::default(),
            uses_float: false,
            stack_maps: StackMapTable::new(format.endian()),
            split_stacks: SplitStacks::default(),
            parts: 0,
            described: HashMap::new(),
            functions: 0,
            sizes: vec![0; module.symbols.len()],
            libcalls: HashMap::new(),
            instructions: Vec::new(),
            starts: Vec::new(),
            debug: AsmDebug::default(),
        };
        if let Some(coff) = &format.coff {
            writer.coff_start(coff);
        }
        writer.out.push_str(writer.directives.file);
        writer.build_attributes();
        if writer.options.debug_frame {
            let others = if format.has_dwarf_tables() { ".eh_frame, " } else { "" };
            writer.line(format_args!("\t.cfi_sections\t{others}.debug_frame"));
        }
        if !module.source_name.is_empty() {
            writer.line(format_args!("\t.file\t{}", name::string(&bytes_of(&module.source_name))));
        }
        writer.debug_head();
        writer
    }

    /// Appends a function.
    ///
    /// # Errors
    /// As for the object writer.
    pub fn function(&mut self, f: &CompiledFunction) -> Result {
        let symbol = self.module.symbol(f.symbol);
        let name = self.name(f.symbol);
        let number = self.functions;
        let (coff, index) = (self.format.coff.is_some(), self.format.index.is_some());
        self.functions += 1;
        self.uses_float |= f.uses_float;
        self.stack_maps.add(f);
        self.split_stacks = self.split_stacks.and(f.split_stacks);
        self.sizes[f.symbol.index()] = f.code.len() as u64;
        let constants = self.constants(f);
        if coff {
            self.coff_define(f.symbol, &name);
        }
        self.switch(function_section(self.format, self.module, f.symbol, self.retained[f.symbol.index()])?);
        self.binding(f.symbol, &name);
        let align = u64::from(f.align.max(symbol.align).max(1));
        self.align(align);
        if !coff {
            self.typed(&name, "function");
        }
        let before = self.in_front(f, number)?;
        self.out.push_str(self.directives.function);
        self.line(format_args!("{name}:"));
        let mut lines = self.debug_start(f, before, align);
        let seh = f.has_function_table() && self.format.function_tables().is_some();
        let cfi = self.has_cfi(f);
        let handlers = if coff { handler_data(self.format, self.module, f)? } else { None };
        let handlers = handlers.as_ref();
        let table = match f.unwind || seh {
            true if f.parts.is_empty() => Lsda::of(f, index),
            true => Lsda::of_part(f, 0..f.parts[0]),
            false => None,
        };
        let tables = Tables { landing: table.as_ref(), handlers };
        if seh && f.limit_call.start == 0 {
            self.stretch_start(&name, tables.routine(f).filter(|_| f.limit_call.is_empty()));
        }
        if cfi {
            self.line(format_args!("\t.cfi_startproc"));
        }
        if index {
            self.line(format_args!("\t.fnstart"));
        } else if !seh {
            self.landing_start(f, table.as_ref(), number);
        }
        self.code(Text { f, number, constants: &constants }, tables, &mut lines)?;
        self.debug_frame(f, &lines)?;
        if !coff {
            self.end_part(f, f.parts.len());
        }
        if cfi {
            self.line(format_args!("\t.cfi_endproc"));
        }
        match &table {
            _ if index => self.index_end(f, table.as_ref(), number),
            _ if !f.parts.is_empty() => self.tables_of_parts(f, number),
            Some(table) if seh => self.seh_handler_data(f, table, number),
            Some(table) => {
                self.switch(landing_section(self.format, self.module, f.symbol));
                self.landing_table(f, table, number);
            }
            None => {}
        }
        if let Some(last) = stretches(f).last().filter(|_| seh) {
            self.stretch_end(last, handlers, number);
        }
        if let (Some(data), Some(thunk)) = (handlers, self.format.thunk()) {
            self.safeseh(f, data, thunk, number);
        }
        if !coff {
            self.patch_entry(f, number);
            self.type_traps(f, number);
            self.sleds(f, number);
            self.described(f, number)?;
        }
        self.tables(f, number);
        Ok(())
    }

    /// Adds the module's data and returns the text.
    ///
    /// # Errors
    /// As for the object writer.
    pub fn finish(mut self) -> Result<String> {
        self.module_data()?;
        self.debug_sections()?;
        self.listed();
        self.insert_lines();
        Ok(self.out)
    }

    pub(crate) fn line(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.out.write_fmt(text);
        self.out.push('\n');
    }

    /// Writes an aligned pointer to `to` after `head`.
    pub(crate) fn pointer(&mut self, head: &str, to: &str) {
        let directive = if self.format.pointer_bytes == 8 { ".quad" } else { ".long" };
        self.align(self.format.pointer_bytes.into());
        self.line(format_args!("{head}\t{directive}\t{to}"));
    }

    pub(crate) fn name(&self, id: SymbolId) -> String {
        quoted(&symbol_name(self.format, self.module, id))
    }

    pub(crate) fn align(&mut self, align: u64) {
        if align > 1 {
            self.line(format_args!("\t.p2align\t{}", align.trailing_zeros()));
        }
    }

    /// The type of a symbol of ELF.
    pub(crate) fn typed(&mut self, name: &str, ty: &str) {
        let sigil = self.directives.sigil;
        self.line(format_args!("\t.type\t{name},{sigil}{ty}"));
    }

    /// Binding and visibility of a symbol.
    pub(crate) fn binding(&mut self, id: SymbolId, name: &str) {
        let symbol = self.module.symbol(id);
        if self.module.is_local(id) {
            return;
        }
        match symbol.linkage {
            // A COMDAT section of COFF is weak by itself.
            Linkage::Weak if self.format.coff.is_some() && symbol.comdat.is_some() => {
                self.line(format_args!("\t.globl\t{name}"));
            }
            Linkage::Weak | Linkage::ImportWeak => self.line(format_args!("\t.weak\t{name}")),
            Linkage::Export => self.line(format_args!("\t.globl\t{name}")),
            _ => {}
        }
        if self.format.coff.is_some() {
            return;
        }
        if symbol.visibility != Visibility::Default {
            self.line(format_args!("\t.{}\t{name}", symbol.visibility.name()));
        }
    }

    /// Makes a section the current one.
    pub(crate) fn switch(&mut self, spec: SectionSpec) {
        if self.section.as_ref() == Some(&spec) {
            return;
        }
        if self.format.coff.is_some() {
            self.coff_switch(&spec);
            self.section = Some(spec);
            return;
        }
        let mut flags = String::new();
        let letters = [
            (elf::SHF_ALLOC, 'a'),
            (elf::SHF_WRITE, 'w'),
            (elf::SHF_EXECINSTR, 'x'),
            (elf::SHF_MERGE, 'M'),
            (elf::SHF_STRINGS, 'S'),
            (elf::SHF_TLS, 'T'),
            (elf::SHF_GNU_RETAIN, 'R'),
            (self.format.far_section_flag, 'l'),
            (self.format.code_section_flag, 'y'),
            (elf::SHF_LINK_ORDER, 'o'),
            (elf::SHF_EXCLUDE, 'e'),
        ];
        flags.extend(letters.iter().filter(|(flag, _)| spec.flags & flag != 0).map(|(_, letter)| letter));
        if spec.group.is_some() {
            flags.push('G');
        }
        let ty = match spec.ty {
            // Assemblers create the last two by directives of their own.
            SectionType::Bytes | SectionType::Index | SectionType::Attributes => "progbits",
            SectionType::Zeros => "nobits",
            SectionType::Note => "note",
            SectionType::Init => "init_array",
            SectionType::Fini => "fini_array",
            SectionType::Preinit => "preinit_array",
            SectionType::Unwind => "unwind",
            SectionType::LinkerOptions => "llvm_linker_options",
            SectionType::BlockMap => "llvm_bb_addr_map",
            SectionType::Libraries => "llvm_dependent_libraries",
        };
        let mut text =
            format!("\t.section\t{},\"{flags}\",{sigil}{ty}", quoted(&spec.name), sigil = self.directives.sigil);
        if spec.entsize != 0 {
            let _ = write!(text, ",{}", spec.entsize);
        }
        if let Some(linked) = spec.linked {
            let _ = write!(text, ",{}", self.name(linked));
        }
        let (group, kept_once) = match spec.group {
            Some(Group::Comdat(comdat)) => {
                let data = &self.module.comdats[comdat.index()];
                (quoted(&data.name), data.kind == ComdatKind::Any)
            }
            Some(Group::Cell(routine)) => (quoted(&personality_cell(self.module, routine)), true),
            None => (String::new(), false),
        };
        if spec.group.is_some() {
            let _ = write!(text, ",{group}{}", if kept_once { ",comdat" } else { "" });
        }
        if let Some(symbol) = spec.alone {
            let _ = write!(text, ",unique,{}", symbol.index() + 1);
        } else if spec.part > 0 {
            let _ = write!(text, ",unique,{}", self.module.symbols.len() + spec.part as usize);
        }
        self.line(format_args!("{text}"));
        self.section = Some(spec);
    }

    /// Defines the constants that no earlier function had. Returns the numbers of all the function's constants in the
    /// text.
    fn constants(&mut self, f: &CompiledFunction) -> Vec<u32> {
        let mut numbers = Vec::with_capacity(f.constants.len());
        for constant in &f.constants {
            let next = self.constants.len() as u32;
            let number = *self.constants.entry((constant.size, constant.bits)).or_insert(next);
            numbers.push(number);
            if number == next {
                self.switch(constant_section(self.format, constant.size));
                self.align(constant.size.into());
                let p = self.format.private_prefix();
                self.line(format_args!("{p}CPI{number}:"));
                let size = usize::from(constant.size);
                self.bytes(&self.format.endian().number(constant.bits, size)[..size]);
            }
        }
        numbers
    }

    fn tables(&mut self, f: &CompiledFunction, number: u32) {
        if let Some(table) = &f.escapes {
            self.switch(escape_section(self.format));
            self.align(4);
            let name = self.name(table.symbol);
            self.line(format_args!("{name}:"));
            table.words.iter().for_each(|word| self.line(format_args!("\t.long\t{word}")));
        }
        if f.table_ends.is_empty() {
            return;
        }
        self.switch(table_section(self.format, self.module, f.symbol));
        let name = self.name(f.symbol);
        let p = self.format.private_prefix();
        for (t, table) in f.jump_tables().enumerate() {
            self.align(4);
            self.line(format_args!("{p}JTI{number}_{t}:"));
            for entry in table {
                if self.starts.binary_search(entry).is_ok() {
                    self.line(format_args!("\t.long\t{p}BB{number}_{entry}-{p}JTI{number}_{t}"));
                } else {
                    self.line(format_args!("\t.long\t{name}+{entry}-{p}JTI{number}_{t}"));
                }
            }
        }
    }

    fn code(&mut self, text_of: Text<'_>, tables: Tables<'_>, lines: &mut LineMarks<'_>) -> Result {
        let Text { f, number, .. } = text_of;
        self.decode(f);
        let labels = self.labels(f, tables);
        let p = self.format.private_prefix();
        let (mut relocs, mut cfi, mut data) =
            (f.relocs.iter().peekable(), f.cfi.iter().peekable(), f.data.iter().peekable());
        let mut blocks = f.block_symbols.clone();
        blocks.sort_by_key(|&(_, at)| at);
        let mut blocks = blocks.into_iter().peekable();
        let mut labels = labels.into_iter().peekable();
        let mut continuations = listed_continuations(self.module, f).iter().peekable();
        let mut returns = self.guarded.add(self.format, self.module, f);
        let mut returns_twice = f.returns_twice.iter().peekable();
        let mut stretches = stretches(f).peekable();
        // What begins with the function has been begun.
        let mut stretch = stretches.next_if(|first| first.start == 0);
        let steps = match self.format.function_tables() {
            Some(_) => f.has_function_table(),
            None => f.unwind && self.format.index.is_some(),
        };
        let rules = self.has_cfi(f);
        let (mut offset, mut fields, mut text) = (0, Vec::new(), String::new());
        let mut parts = part_ranges(f).enumerate().skip(1).peekable();
        for i in 0..=self.instructions.len() {
            if let Some((part, range)) = parts.next_if(|(_, range)| range.start == offset) {
                self.begin_part(text_of, part, range, rules)?;
                // What held before has been said.
                while cfi.next_if(|mark| mark.offset <= offset).is_some() {}
            }
            loop {
                while let Some(mark) = cfi.next_if(|mark| mark.offset <= offset) {
                    if if matches!(mark.value, CfiOp::Seh { .. }) { steps } else { rules } {
                        self.cfi(mark.value);
                    }
                }
                let Some(range) = data.next_if(|range| range.start == offset) else { break };
                self.line_place(lines, offset);
                self.data_in_code(text_of, range.clone(), &mut relocs)?;
                offset = range.end;
            }
            if let Some(next) = stretches.next_if(|next| next.start <= offset) {
                let last = stretch.replace(next);
                match self.format.index.is_some() {
                    true if next == host(f) => {
                        self.index_end(f, None, number);
                        self.line(format_args!("\t.fnstart"));
                    }
                    true => {}
                    false => self.next_stretch(text_of, tables, last.filter(|_| steps), next),
                }
            }
            while let Some((symbol, _)) = blocks.next_if(|&(_, at)| at <= offset) {
                let name = self.name(symbol);
                self.line(format_args!("{name}:"));
            }
            if continuations.next_if_eq(&&offset).is_some() {
                self.line(format_args!("{}:", continuation_name(self.continuations)));
                self.continuations += 1;
            }
            if returns_twice.next_if_eq(&&offset).is_some() {
                let name = self.guarded.returns[returns].clone();
                self.line(format_args!("{name}:"));
                returns += 1;
            }
            if labels.next_if_eq(&offset).is_some() {
                self.line(format_args!("{p}BB{number}_{offset}:"));
            }
            let Some(&Decoded { len, target }) = self.instructions.get(i) else { break };
            self.line_place(lines, offset);
            let end = offset + len;
            fields.clear();
            while let Some(reloc) = relocs.next_if(|r| r.offset < end) {
                let field = self.field(text_of, reloc, offset..end)?;
                fields.push((reloc.offset - offset, field));
            }
            let label = target.filter(|_| fields.is_empty()).map(|at| match u32::try_from(at) {
                Ok(at) if self.starts.binary_search(&at).is_ok() => format!("{p}BB{number}_{at}"),
                _ => format!("{}{at:+}", self.name(f.symbol)),
            });
            text.clear();
            let operands = Operands { fields: &fields, label: label.as_deref() };
            self.disassembler.print(&f.code, offset, len, operands, &mut text);
            self.line(format_args!("\t{text}"));
            offset = end;
        }
        Ok(())
    }

    /// Ends a range with its own unwinding and begins the next one.
    fn next_stretch(&mut self, text_of: Text<'_>, tables: Tables<'_>, last: Option<Stretch>, next: Stretch) {
        let Text { f, number, .. } = text_of;
        let routine = tables.routine(f);
        match last {
            Some(last) if last.end == f.limit_call.end => self.limit_call_end(routine.is_some()),
            Some(last) => self.stretch_end(last, tables.handlers, number),
            None => {}
        }
        if next.pad.is_some() {
            self.funclet_start(f, next, tables.handlers);
        } else if f.has_function_table() && self.format.function_tables().is_some() {
            let name = self.name(f.symbol);
            self.stretch_start(&name, routine.filter(|_| next == host(f)));
        }
    }

    /// Decodes the instructions: all code but the ranges of data.
    fn decode(&mut self, f: &CompiledFunction) {
        self.instructions.clear();
        self.starts.clear();
        let (mut from, end) = (0, f.code.len() as u32);
        for data in f.data.iter().cloned().chain(std::iter::once(end..end)) {
            let known = self.instructions.len();
            self.disassembler.decode(&f.code[from as usize..data.start as usize], &mut self.instructions);
            let mut start = from;
            for instruction in &mut self.instructions[known..] {
                instruction.target = instruction.target.map(|at| at + i64::from(from));
                self.starts.push(start);
                start += instruction.len;
            }
            from = data.end;
        }
        self.starts.push(end);
    }

    /// The offsets that need a label, in order.
    fn labels(&self, f: &CompiledFunction, tables: Tables<'_>) -> Vec<u32> {
        let mut labels = f.table_entries.clone();
        labels.extend(&f.type_traps);
        labels.extend(f.sleds.iter().map(|sled| sled.0));
        labels.extend(f.sleds.first().map(|_| 0));
        labels.extend(f.stack_bytes.map(|_| 0));
        labels.extend(f.blocks.first().map(|_| 0));
        labels.extend(f.patch.filter(|patch| patch.before == 0).map(|patch| patch.at));
        labels.extend(tables.handlers.iter().flat_map(|data| data.code()));
        let places = f.relocs.iter().filter_map(|reloc| match reloc.target {
            RelocTarget::Place(at) => Some(at),
            _ => None,
        });
        labels.extend(places);
        if !f.parts.is_empty() {
            labels.extend(f.call_sites.iter().flat_map(|site| [site.start, site.end]));
            labels.extend(&f.parts);
        }
        let code = f.relocs.iter().filter(|reloc| reloc.target == RelocTarget::Code);
        labels.extend(code.filter_map(|reloc| u32::try_from(reloc.addend).ok()));
        for site in tables.landing.iter().flat_map(|t| &t.sites) {
            labels.extend([Some(site.start), Some(site.end), site.pad].into_iter().flatten());
        }
        labels.extend(tables.landing.map(|table| table.base).filter(|&base| base > 0));
        let mut relocs = f.relocs.iter().map(|r| r.offset).peekable();
        for (instruction, &start) in self.instructions.iter().zip(&self.starts) {
            let mut relocated = false;
            while let Some(field) = relocs.next_if(|&field| field < start + instruction.len) {
                relocated |= field >= start;
            }
            if let Some(Ok(target)) = instruction.target.map(u32::try_from)
                && !relocated
            {
                labels.push(target);
            }
        }
        labels.retain(|at| self.starts.binary_search(at).is_ok());
        labels.sort_unstable();
        labels.dedup();
        labels
    }

    /// The expression in a relocated field of an instruction; the field is at `place`.
    fn field(&mut self, text: Text<'_>, reloc: &Reloc, place: Range<u32>) -> Result<String> {
        let (symbol, kind) = self.referent(text, reloc)?;
        let (before, after) = (reloc.offset - place.start, place.end - reloc.offset);
        // The label stands where the code begins.
        let addend = if reloc.target == RelocTarget::Code { 0 } else { reloc.addend };
        Ok(self.disassembler.expression(kind, &symbol, addend, before, after))
    }

    /// The name that a relocation refers to, with the operator that the text wants for it.
    fn referent(&mut self, text: Text<'_>, reloc: &Reloc) -> Result<(String, RelocKind)> {
        let Text { f, number, constants } = text;
        let mut kind = reloc.kind;
        let p = self.format.private_prefix();
        let symbol = match reloc.target {
            RelocTarget::Place(at) => {
                kind.of = Referent::Address;
                format!("{p}BB{number}_{at}")
            }
            RelocTarget::Symbol(s) => {
                let symbol = SymbolId(s);
                self.referenced[symbol.index()] = true;
                if kind.of == Referent::Stub && self.module.is_local(symbol) {
                    kind.of = Referent::Address;
                }
                match self.format.coff {
                    Some(_) => self.coff_reference(symbol, &mut kind),
                    None => self.name(symbol),
                }
            }
            RelocTarget::LibCall(call) => {
                // COFF has no table of stubs.
                let near =
                    self.format.coff.is_some() || self.module_symbol(call).is_some_and(|s| self.module.is_local(s));
                if kind.of == Referent::Stub && near {
                    kind.of = Referent::Address;
                }
                self.format.library_name(call).into_owned()
            }
            RelocTarget::Constant(c) => format!("{p}CPI{}", constants[c.0 as usize]),
            RelocTarget::JumpTable(t) => format!("{p}JTI{number}_{}", t.0),
            RelocTarget::Code => format!("{p}BB{number}_{}", reloc.addend),
            RelocTarget::SafeSehHandler => self.safeseh_name(f, number),
            RelocTarget::HandlerTables => format!("{p}EH{number}_0"),
            RelocTarget::Label(_) => {
                return Err(ObjectError::LabelAddress { function: self.module.symbol(f.symbol).name.clone() });
            }
        };
        Ok((symbol, kind))
    }

    /// The module's symbol for a library function's name.
    fn module_symbol(&mut self, call: LibCall) -> Option<SymbolId> {
        let module = self.module;
        let name = self.format.library_name(call);
        *self.libcalls.entry(call).or_insert_with(|| {
            let named = |s: &Symbol| s.linkage != Linkage::Private && s.name == name;
            module.symbols.iter().position(named).map(SymbolId::new)
        })
    }

    /// Declares symbols that are referred to but not defined here, where the text must say more than the name.
    fn undefined(&mut self) {
        for i in 0..self.module.symbols.len() {
            let id = SymbolId::new(i);
            let symbol = self.module.symbol(id);
            if self.referenced[i] && !symbol.is_defined() && !matches!(symbol.kind, SymbolKind::Block(_)) {
                let name = self.name(id);
                self.binding(id, &name);
            }
        }
    }
}
