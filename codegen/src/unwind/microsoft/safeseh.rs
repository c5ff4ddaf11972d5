//! Handlers that functions of 32-bit Windows register while they run: the tables of their personality routines, the
//! code that calls C++'s routine, and the list of handlers that the system may call (Microsoft, "PE Format", "The
//! .sxdata Section"). The list of places where control may continue after handlers, on all of Windows, is similar
//! (LLVM, `WinCFGuard.cpp`).

use crate::compiled::CompiledFunction;
use crate::ir::{Module, Personality};
use crate::object::{
    CONTINUATIONS, Fixup, FixupTarget, HandlerThunk, ObjectWriter, Result, SAFE_HANDLERS, SafeHandler, SectionSpec,
    UNWIND_INFO, associated,
};
use crate::unwind::microsoft::tables::{HandlerData, listed_continuations};

/// Data of a function that registers its handlers.
pub(crate) struct SafeSeh {
    /// Its tables.
    pub tables: (u32, u64),
    /// The place that its record refers to.
    pub handler: (u32, u64),
    /// The fields to be relocated after the function's own code.
    pub fixups: Vec<Fixup>,
}

/// The name of the code that calls C++'s personality routine for a function, as in LLVM.
pub(crate) fn thunk_name(module: &Module, f: &CompiledFunction) -> String {
    format!("__ehhandler${}", module.symbol(f.symbol).name)
}

impl ObjectWriter<'_> {
    /// Writes the tables of a function at this place, and the code that calls its routine.
    pub(crate) fn safeseh(
        &mut self,
        f: &CompiledFunction,
        data: &HandlerData,
        thunk: &HandlerThunk,
        code: (u32, u64),
    ) -> Result<SafeSeh> {
        let section = self.section(associated(self.module, f.symbol, UNWIND_INFO));
        self.pad(section, 4, false)?;
        let parts = self.put_parts(section, data, code);
        self.name_funclets(f, code);
        let table = (section, parts.first().copied().unwrap_or(0));
        if f.exceptions.routine != Personality::Cxx {
            if !self.safe_routines.contains(&data.routine) {
                self.safe_routines.push(data.routine);
                self.safe(SafeHandler::Symbol(data.routine));
            }
            return Ok(SafeSeh { tables: table, handler: table, fixups: Vec::new() });
        }
        let at = self.pad(code.0, self.format.code.align.into(), true)?;
        self.safe(SafeHandler::Own(self.funclets.len()));
        self.funclets.push((thunk_name(self.module, f), code.0, at));
        let section = &mut self.sections[code.0 as usize];
        section.bytes.tail().extend_from_slice(thunk.code);
        self.code_bytes += thunk.code.len() as u64;
        let (tables, routine) = (thunk.tables, thunk.routine);
        let fixups = [
            (tables.0, tables.1, FixupTarget::Section(table.0), table.1 as i64),
            (routine.0, routine.1, FixupTarget::Symbol(data.routine), routine.2),
        ];
        let fixup = |(field, kind, target, addend)| {
            let offset = at as u32 + field;
            Fixup { offset, addend, target, kind, in_data: false }
        };
        Ok(SafeSeh { tables: table, handler: (code.0, at), fixups: fixups.map(fixup).into() })
    }

    /// Adds a handler to the list, unless it is there already.
    fn safe(&mut self, handler: SafeHandler) {
        self.safe_handlers.push(handler);
        self.make_list(SAFE_HANDLERS, self.safe_handlers.len());
    }

    /// Adds the places of a function where control may continue after handlers to their list, if the module has one.
    pub(crate) fn list_continuations(&mut self, f: &CompiledFunction, code: (u32, u64)) {
        let places = listed_continuations(self.module, f);
        self.continuations.extend(places.iter().map(|&at| (code.0, code.1 + u64::from(at))));
        if !places.is_empty() {
            self.make_list(CONTINUATIONS, self.continuations.len());
        }
    }

    /// Makes a list of this many symbols, whose numbers are filled in later.
    pub(crate) fn make_list(&mut self, spec: SectionSpec, count: usize) {
        let number = self.section(spec);
        let section = &mut self.sections[number as usize];
        section.align = 4;
        section.bytes.tail().resize(4 * count, 0);
    }
}
