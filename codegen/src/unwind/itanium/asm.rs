//! Tables of landing pads as directives, and the cells that they refer to.

use crate::asm::{AsmWriter, quoted};
use crate::buffer::CfiOp;
use crate::compiled::CompiledFunction;
use crate::ir::SymbolId;
use crate::object::{AddressForm, SectionSpec, TYPE_CELLS, personality_cell, personality_section};
use crate::unwind::itanium::eh_frame::moved;
use crate::unwind::itanium::lsda::Lsda;

/// The end of the names of a part's labels.
fn tag(number: u32, part: usize) -> String {
    if part == 0 { number.to_string() } else { format!("{number}_{part}") }
}

impl AsmWriter<'_> {
    /// Does the function's frame have a description by DWARF's rules?
    pub(crate) fn has_cfi(&self, f: &CompiledFunction) -> bool {
        f.unwind && self.format.has_dwarf_tables() || self.options.debug_frame
    }

    pub(crate) fn cfi(&mut self, op: CfiOp) {
        match op {
            CfiOp::DefCfa { register, offset } => self.line(format_args!("\t.cfi_def_cfa {register}, {offset}")),
            CfiOp::DefCfaRegister(register) => self.line(format_args!("\t.cfi_def_cfa_register {register}")),
            CfiOp::DefCfaOffset(offset) => self.line(format_args!("\t.cfi_def_cfa_offset {offset}")),
            CfiOp::Offset { register, offset } => self.line(format_args!("\t.cfi_offset {register}, {offset}")),
            CfiOp::ReturnAt(offset) => {
                self.line(format_args!("\t.cfi_offset {}, {offset}", self.format.unwind.return_address))
            }
            CfiOp::NegateReturn { second_key } => {
                if second_key {
                    self.line(format_args!("\t.cfi_b_key_frame"));
                }
                self.line(format_args!("\t.cfi_negate_ra_state"));
            }
            CfiOp::Moved { register, by } => {
                let bytes = moved(register, by).map(|byte| format!("{byte:#04x}"));
                self.line(format_args!("\t.cfi_escape {}", bytes.join(", ")));
            }
            CfiOp::Restored(register) => self.line(format_args!("\t.cfi_restore {register}")),
            CfiOp::RememberState => self.line(format_args!("\t.cfi_remember_state")),
            CfiOp::RestoreState => self.line(format_args!("\t.cfi_restore_state")),
            CfiOp::Seh { op, .. } if self.format.index.is_some() => self.index_step(op),
            CfiOp::Seh { op, bytes } => self.seh(op, bytes),
        }
    }

    pub(crate) fn form(&self) -> AddressForm {
        AddressForm::new(self.format, self.module, self.options.pic)
    }

    /// Writes what precedes a function whose table is in a section of its own.
    pub(crate) fn landing_start(&mut self, f: &CompiledFunction, table: Option<&Lsda>, number: u32) {
        let (Some(routine), Some(table)) = (f.exceptions.personality, table) else { return };
        let tag = tag(number, table.part);
        self.referenced[routine.index()] = true;
        let (form, p) = (self.form(), self.format.private_prefix());
        let name = if form == AddressForm::Relative {
            if !self.personality_cells.contains(&routine) {
                self.personality_cells.push(routine);
            }
            quoted(&personality_cell(self.module, routine))
        } else {
            self.name(routine)
        };
        self.line(format_args!("\t.cfi_personality {}, {name}", form.indirect_encoding()));
        self.line(format_args!("\t.cfi_lsda {}, {p}LSDA{tag}", form.encoding()));
    }

    /// Writes the table of a function; the function's code has labels where the table refers to it.
    pub(crate) fn landing_table(&mut self, f: &CompiledFunction, table: &Lsda, number: u32) {
        let tag = tag(number, table.part);
        let (form, p) = (self.form(), self.format.private_prefix());
        let start = self.name(f.symbol);
        // Cells are written before the table, so that the section only changes here.
        let current = self.section.clone();
        let types = if table.typed { f.exceptions.types() } else { &[] };
        let names: Vec<Option<String>> = types.iter().map(|&t| t.map(|t| self.type_name(t))).collect();
        if let Some(current) = current {
            self.switch(current);
        }
        self.line(format_args!("\t.p2align\t2\n{p}LSDA{tag}:"));
        match table.pads {
            None => self.line(format_args!("\t.byte\t255")),
            Some(pads) => {
                self.line(format_args!("\t.byte\t{}", form.encoding()));
                let pads = if pads == 0 { start.clone() } else { format!("{p}BB{number}_{pads}") };
                self.address_of_type(Some(&format!("{pads}-1")));
            }
        }
        if table.typed {
            self.line(format_args!("\t.byte\t{}", form.indirect_encoding()));
            self.line(format_args!("\t.uleb128\t{p}LTT{tag}-{p}LTR{tag}\n{p}LTR{tag}:"));
        } else {
            self.line(format_args!("\t.byte\t255"));
        }
        self.line(format_args!("\t.byte\t1\n\t.uleb128\t{}", table.sites_len()));
        let start = if table.base == 0 { start } else { format!("{p}BB{number}_{}", table.base) };
        let code = |at: u32| {
            if at == table.base { "0".to_string() } else { format!("{p}BB{number}_{at}-{start}") }
        };
        for site in &table.sites {
            let (from, to) = (site.start, site.end);
            self.line(format_args!("\t.uleb128\t{}", code(from)));
            self.line(format_args!("\t.uleb128\t{p}BB{number}_{to}-{p}BB{number}_{from}"));
            match site.pad.filter(|_| table.pads.is_some()) {
                Some(pad) => self.line(format_args!("\t.uleb128\t{}", table.pad_number(pad))),
                None => self.line(format_args!("\t.uleb128\t{}", code(site.pad.unwrap_or(table.base)))),
            }
            self.line(format_args!("\t.uleb128\t{}", site.action));
        }
        for action in &table.actions {
            self.line(format_args!("\t.sleb128\t{}, {}", action.value, action.next));
        }
        if !table.typed {
            return;
        }
        self.line(format_args!("\t.p2align\t2"));
        names.iter().rev().for_each(|name| self.address_of_type(name.as_deref()));
        self.line(format_args!("{p}LTT{tag}:"));
        if table.addressed {
            for &t in &table.filters {
                let name = t.checked_sub(1).and_then(|t| names[t as usize].as_deref());
                self.address_of_type(name);
            }
        } else if !table.filters.is_empty() {
            let numbers: Vec<String> = table.filter_bytes().iter().map(u8::to_string).collect();
            self.line(format_args!("\t.byte\t{}", numbers.join(", ")));
        }
    }

    /// The address of a type in a table.
    fn address_of_type(&mut self, name: Option<&str>) {
        let form = self.form();
        let directive = if form.size(self.format) == 8 { ".quad" } else { ".long" };
        match (name, form) {
            (None, _) => self.line(format_args!("\t{directive}\t0")),
            (Some(name), AddressForm::Relative) => self.line(format_args!("\t{directive}\t{name}-.")),
            (Some(name), AddressForm::Platform(kind)) => {
                let name = self.disassembler.expression(kind, name, 0, 0, 0);
                self.line(format_args!("\t{directive}\t{name}"));
            }
            (Some(name), _) => self.line(format_args!("\t{directive}\t{name}")),
        }
    }

    /// The name by which a table refers to a type. If a pointer to it is needed, it is made on its first use.
    fn type_name(&mut self, id: SymbolId) -> String {
        self.referenced[id.index()] = true;
        let name = self.name(id);
        if self.form() != AddressForm::Relative {
            return name;
        }
        let p = self.format.private_prefix();
        let next = self.type_cells.len() as u32;
        let number = *self.type_cells.entry(id).or_insert(next);
        let cell = format!("{p}TI{number}");
        if number == next {
            self.switch(TYPE_CELLS);
            self.pointer(&format!("{cell}:\n"), &name);
        }
        cell
    }

    /// The cells with the addresses of personality routines.
    pub(crate) fn personality_pointers(&mut self) {
        for routine in std::mem::take(&mut self.personality_cells) {
            let (cell, name) = (quoted(&personality_cell(self.module, routine)), self.name(routine));
            let spec: SectionSpec = personality_section(self.module, routine);
            self.switch(spec);
            let (size, sigil) = (self.format.pointer_bytes, self.directives.sigil);
            self.line(format_args!(
                "\t.hidden\t{cell}\n\t.weak\t{cell}\n\t.type\t{cell},{sigil}object\n\t.size\t{cell}, {size}"
            ));
            self.pointer(&format!("{cell}:\n"), &name);
        }
    }
}
