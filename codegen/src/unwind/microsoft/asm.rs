//! Writes as directives: ranges of code with their own unwinding, and the tables of Microsoft's personality routines.

use super::safeseh::thunk_name;
use crate::asm::{AsmWriter, Decoded, Operands, quoted};
use crate::compiled::CompiledFunction;
use crate::ir::{Personality, SymbolId};
use crate::object::{
    CONTINUATIONS, GUARDED, GUARDED_IMPORTS, GUARDED_RETURNS, HandlerThunk, SectionSpec, UNWIND_INFO, associated,
};
use crate::unwind::microsoft::tables::{HandlerData, Stretch, Word, continuation_name, funclet_name};

impl AsmWriter<'_> {
    /// Writes the start of a range, with the function's name or a funclet's own.
    pub(crate) fn stretch_start(&mut self, name: &str, routine: Option<SymbolId>) {
        self.line(format_args!(".seh_proc\t{name}"));
        if let Some(routine) = routine {
            self.referenced[routine.index()] = true;
            let (routine, sigil) = (self.name(routine), self.directives.sigil);
            self.line(format_args!("\t.seh_handler\t{routine}, {sigil}unwind, {sigil}except"));
        }
    }

    /// The begin of a funclet.
    pub(crate) fn funclet_start(&mut self, f: &CompiledFunction, stretch: Stretch, data: Option<&HandlerData>) {
        let Some(pad) = stretch.pad else { return };
        let name = quoted(&funclet_name(self.module, f, pad));
        self.line(format_args!("\t.def\t{name};\n\t.scl\t3;\n\t.type\t32;\n\t.endef"));
        self.line(format_args!("{name}:"));
        if self.format.function_tables().is_some() {
            self.stretch_start(&name, data.filter(|_| stretch.handled).map(|data| data.routine));
        }
    }

    /// Writes the end of a range; `number` is the function's.
    pub(crate) fn stretch_end(&mut self, stretch: Stretch, data: Option<&HandlerData>, number: u32) {
        if let Some(data) = data {
            // The directive makes the assembler change to the section of the frame's description and write it here
            // rather than at the end of the file; afterwards we change back.
            self.line(format_args!("\t.seh_handlerdata"));
            let code = self.section.take();
            if stretch.handled && !data.inline {
                self.words(&[Word::Part(0)], number);
            }
            if stretch.pad.is_none() {
                self.handler_parts(data, number);
            }
            if let Some(code) = code {
                self.switch(code);
            }
        }
        self.line(format_args!("\t.seh_endproc"));
    }

    /// Writes the end of the range that calls the handler of the stack limit; `handled`: the function has a personality
    /// routine, and the description of this range comes before its own.
    pub(crate) fn limit_call_end(&mut self, handled: bool) {
        if handled {
            self.line(format_args!("\t.seh_handlerdata"));
            if let Some(code) = self.section.take() {
                self.switch(code);
            }
        }
        self.line(format_args!("\t.seh_endproc"));
    }

    /// Writes the tables of a personality routine.
    fn handler_parts(&mut self, data: &HandlerData, number: u32) {
        let p = self.format.private_prefix();
        for (part, words) in data.parts.iter().enumerate() {
            self.line(format_args!("{p}EH{number}_{part}:"));
            self.words(words, number);
        }
    }

    /// The name of what the registration record refers to.
    pub(crate) fn safeseh_name(&self, f: &CompiledFunction, number: u32) -> String {
        let p = self.format.private_prefix();
        if f.exceptions.routine == Personality::Cxx { format!("{p}EHC{number}") } else { format!("{p}EH{number}_0") }
    }

    /// Writes what belongs to a function that registers its handlers: the routine's tables, and the code that calls
    /// C++'s routine. The handler is added to the list of those that may be called.
    pub(crate) fn safeseh(&mut self, f: &CompiledFunction, data: &HandlerData, thunk: &HandlerThunk, number: u32) {
        self.referenced[data.routine.index()] = true;
        let (routine, code) = (self.name(data.routine), self.section.clone());
        self.switch(associated(self.module, f.symbol, UNWIND_INFO));
        self.align(4);
        self.handler_parts(data, number);
        if let Some(code) = code {
            self.switch(code);
        }
        if f.exceptions.routine != Personality::Cxx {
            self.safe(&routine);
            return;
        }
        let (name, label) = (quoted(&thunk_name(self.module, f)), self.safeseh_name(f, number));
        self.line(format_args!("\t.def\t{name};\n\t.scl\t3;\n\t.type\t32;\n\t.endef"));
        self.align(self.format.code.align.into());
        self.line(format_args!("{name}:\n{label}:"));
        let table = format!("{}EH{number}_0", self.format.private_prefix());
        let fields = [
            (thunk.tables.0, thunk.tables.1, &table, 0),
            (thunk.routine.0, thunk.routine.1, &routine, thunk.routine.2),
        ];
        let (mut instructions, mut offset) = (Vec::new(), 0);
        self.disassembler.decode(thunk.code, &mut instructions);
        for Decoded { len, .. } in instructions {
            let end = offset + len;
            let within = fields.iter().filter(|field| (offset..end).contains(&field.0));
            let expressions: Vec<_> = within
                .map(|&(at, kind, name, addend)| {
                    (at - offset, self.disassembler.expression(kind, name, addend, at - offset, end - at))
                })
                .collect();
            let mut text = String::new();
            let operands = Operands { fields: &expressions, label: None };
            self.disassembler.print(thunk.code, offset, len, operands, &mut text);
            self.line(format_args!("\t{text}"));
            offset = end;
        }
        self.safe(&name);
    }

    /// Notes a handler that 32-bit Windows may call. LLVM's assembler changes to the section of their list, so that
    /// they come last.
    fn safe(&mut self, name: &str) {
        if !self.safe_handlers.iter().any(|known| known == name) {
            self.safe_handlers.push(name.to_string());
        }
    }

    /// Writes the lists of symbols: handlers that 32-bit Windows may call, and places where control may continue after
    /// handlers.
    pub(crate) fn listed(&mut self) {
        for name in std::mem::take(&mut self.safe_handlers) {
            self.line(format_args!("\t.safeseh\t{name}"));
        }
        if self.continuations > 0 {
            self.switch(CONTINUATIONS);
        }
        for number in 0..self.continuations {
            self.line(format_args!("\t.symidx\t{}", continuation_name(number)));
        }
        let mut guarded = std::mem::take(&mut self.guarded);
        guarded.finish(self.module);
        let taken = guarded.taken.iter().map(|&symbol| self.name(symbol)).collect();
        let imported = guarded.imported(self.module).map(|symbol| format!("__imp_{}", self.name(symbol))).collect();
        for (spec, names) in [(GUARDED, taken), (GUARDED_IMPORTS, imported), (GUARDED_RETURNS, guarded.returns)] {
            self.indices(spec, names);
        }
    }

    /// Writes a list of the numbers of symbols.
    fn indices(&mut self, spec: SectionSpec, names: Vec<String>) {
        if !names.is_empty() {
            self.switch(spec);
        }
        for name in names {
            self.line(format_args!("\t.symidx\t{name}"));
        }
    }

    fn words(&mut self, words: &[Word], number: u32) {
        let p = self.format.private_prefix();
        for &word in words {
            let (name, addend) = match word {
                Word::Number(n) => {
                    self.line(format_args!("\t.long\t{}", n.cast_signed()));
                    continue;
                }
                Word::Code { at, addend } => (format!("{p}BB{number}_{at}"), addend),
                Word::Symbol(symbol) => {
                    self.referenced[symbol.index()] = true;
                    (self.name(symbol), 0)
                }
                Word::Part(part) => (format!("{p}EH{number}_{part}"), 0),
            };
            let from = if self.format.is_64 { "@IMGREL" } else { "" };
            let addend = if addend == 0 { String::new() } else { format!("+{addend}") };
            self.line(format_args!("\t.long\t{name}{from}{addend}"));
        }
    }
}
