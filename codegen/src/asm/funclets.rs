//! Stretches of code with an unwinding of their own, and what personality routines of Microsoft's are told, as directives.

use super::AsmWriter;
use super::name::quoted;
use crate::compiled::CompiledFunction;
use crate::handlers::{HandlerData, Stretch, Word, funclet_name};
use crate::ir::SymbolId;
use crate::object::{UNWIND_INFO, associated};

impl AsmWriter<'_> {
    /// The begin of a stretch, with its name: that of the function, or a funclet's own.
    pub(super) fn stretch_start(&mut self, name: &str, routine: Option<SymbolId>) {
        self.line(format_args!(".seh_proc\t{name}"));
        if let Some(routine) = routine {
            self.referenced[routine.index()] = true;
            let (routine, sigil) = (self.name(routine), self.directives.sigil);
            self.line(format_args!("\t.seh_handler\t{routine}, {sigil}unwind, {sigil}except"));
        }
    }

    /// The begin of a funclet.
    pub(super) fn funclet_start(&mut self, f: &CompiledFunction, stretch: Stretch, data: Option<&HandlerData>) {
        let Some(pad) = stretch.pad else { return };
        let name = quoted(&funclet_name(self.module, f, pad));
        self.line(format_args!("\t.def\t{name};\n\t.scl\t3;\n\t.type\t32;\n\t.endef"));
        self.line(format_args!("{name}:"));
        self.stretch_start(&name, data.filter(|_| stretch.handled).map(|data| data.routine));
    }

    /// The end of a stretch; `number` is the function's.
    pub(super) fn stretch_end(
        &mut self,
        f: &CompiledFunction,
        stretch: Stretch,
        data: Option<&HandlerData>,
        number: u32,
    ) {
        if let Some(data) = data.filter(|_| stretch.handled) {
            // The assembler changes to the section of the frame's description, and after it we back.
            self.line(format_args!("\t.seh_handlerdata"));
            let code = self.section.take();
            let own = if data.inline { data.parts.first().map_or(&[][..], Vec::as_slice) } else { &[Word::Part(0)] };
            self.words(f, own, number);
            if let Some(code) = code {
                self.switch(code);
            }
        }
        self.line(format_args!("\t.seh_endproc"));
    }

    /// What a personality routine is told, unless it has got it behind the frame's description.
    pub(super) fn handler_parts(&mut self, f: &CompiledFunction, data: &HandlerData, number: u32) {
        if data.inline {
            return;
        }
        self.switch(associated(self.module, f.symbol, UNWIND_INFO));
        self.align(4);
        let p = self.format.private_prefix();
        for (part, words) in data.parts.iter().enumerate() {
            self.line(format_args!("{p}EH{number}_{part}:"));
            self.words(f, words, number);
        }
    }

    fn words(&mut self, f: &CompiledFunction, words: &[Word], number: u32) {
        let p = self.format.private_prefix();
        for &word in words {
            let (name, behind) = match word {
                Word::Number(n) => {
                    self.line(format_args!("\t.long\t{}", n.cast_signed()));
                    continue;
                }
                Word::Code { at, behind } => (self.place(f, at, number), behind),
                Word::Symbol(symbol) => {
                    self.referenced[symbol.index()] = true;
                    (self.name(symbol), 0)
                }
                Word::Part(part) => (format!("{p}EH{number}_{part}"), 0),
            };
            let from = if self.format.is_64 { "@IMGREL" } else { "" };
            let behind = if behind == 0 { String::new() } else { format!("+{behind}") };
            self.line(format_args!("\t.long\t{name}{from}{behind}"));
        }
    }

    /// The name of a place in the code.
    fn place(&self, f: &CompiledFunction, at: u32, number: u32) -> String {
        match f.funclets.list.binary_search_by_key(&at, |funclet| funclet.start) {
            Ok(k) => quoted(&funclet_name(self.module, f, f.funclets.list[k].pad)),
            Err(_) if at == 0 => self.name(f.symbol),
            Err(_) => format!("{}BB{number}_{at}", self.format.private_prefix()),
        }
    }
}
