//! Functions whose basic blocks are in sections of their own, as directives.

use std::ops::Range;

use super::{AsmWriter, Text};
use crate::compiled::CompiledFunction;
use crate::object::{Result, function_section, landing_section, part_name, part_ranges, part_section};
use crate::unwind::itanium::lsda::Lsda;
use crate::unwind::itanium::parts::of_part;

impl AsmWriter<'_> {
    /// Ends a part of a function and begins the next one, which has a number and a range.
    pub(super) fn begin_part(&mut self, text: Text<'_>, part: usize, range: Range<u32>, rules: bool) -> Result {
        let Text { f, number, .. } = text;
        self.end_part(f, part - 1);
        if rules {
            self.line(format_args!("\t.cfi_endproc"));
        }
        let whole = function_section(self.format, self.module, f.symbol, self.retained[f.symbol.index()])?;
        let of = (f.symbol, f.part_sections[part - 1]);
        let plain = part_name(self.module, of.0, of.1);
        self.parts += 1;
        self.switch(part_section(self.module, &whole, of, self.parts));
        self.line(format_args!("{}:", super::quoted(&plain)));
        if rules {
            self.line(format_args!("\t.cfi_startproc"));
            let table = if f.unwind { Lsda::of_part(f, range.clone()) } else { None };
            self.landing_start(f, table.as_ref(), number);
            let state = of_part(&f.cfi, range.start..range.start + 1);
            state.into_iter().for_each(|mark| self.cfi(mark.value));
        }
        Ok(())
    }

    /// Says how long a part is that ends here.
    pub(super) fn end_part(&mut self, f: &CompiledFunction, part: usize) {
        let name = match part {
            0 => self.name(f.symbol),
            _ => super::quoted(&part_name(self.module, f.symbol, f.part_sections[part - 1])),
        };
        self.line(format_args!("\t.size\t{name}, .-{name}"));
    }

    /// The tables of landing pads of all parts.
    pub(super) fn tables_of_parts(&mut self, f: &CompiledFunction, number: u32) {
        for range in part_ranges(f) {
            if let Some(table) = Lsda::of_part(f, range).filter(|_| f.unwind) {
                self.switch(landing_section(self.format, self.module, f.symbol));
                self.landing_table(f, &table, number);
            }
        }
    }
}
