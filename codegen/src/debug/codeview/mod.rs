//! Debug information as CodeView, for Microsoft's tools (Microsoft, "microsoft-pdb"; LLVM, "CodeView Type Records" and "CodeView Symbol
//! Records").
//!
//! [`write`] takes the nodes of a module and what its functions became, as the writer of DWARF does. There are two kinds of sections:
//! `.debug$T` has the types, records that refer to those before them, and `.debug$S` has symbols and lines. What belongs to a function
//! or variable that linkers may drop is in a section of its own. What is written follows LLVM.

mod bytes;
mod classes;
mod files;
mod frame_data;
mod functions;
mod globals;
mod grouped;
mod lines;
mod names;
mod places;
mod records;
mod simple_types;
mod type_table;
mod types;

use std::collections::{BTreeMap, HashMap};

use self::bytes::Output;
use self::files::Files;
use self::names::string;
use self::records::{SIGNATURE, subsection, symbol};
use self::type_table::Record;
use self::types::Types;
use super::scopes::ScopeTrees;
use super::sections::{DebugSection, DebugSectionId};
use super::{
    DebugFunction, DebugInfo, DiGlobalVariableExpression, DiScope, DiSubprogram, DiSubprogramId, EmissionKind,
};
use crate::ir::Module;
use crate::object::CodeViewFacts;

/// The section of what belongs to nothing that linkers may drop alone.
const PLAIN: DebugSectionId = DebugSectionId::CodeViewSymbols(None);

/// What is described.
#[derive(Clone, Copy)]
pub(crate) struct CodeViewInput<'a> {
    pub info: &'a DebugInfo,
    pub module: &'a Module,
    pub facts: &'a CodeViewFacts,
    pub pointer_bytes: u8,
    /// The functions in their order.
    pub functions: &'a [DebugFunction],
}

/// The sections of a module, and how many locations could not be expressed.
pub(crate) struct CodeViewOutput {
    pub sections: Vec<DebugSection>,
    pub unexpressed: u32,
}

/// Everything that is being written.
struct Builder<'a> {
    input: CodeViewInput<'a>,
    types: Types<'a>,
    files: Files<'a>,
    sections: Vec<(DebugSectionId, Output)>,
    section_numbers: HashMap<DebugSectionId, usize>,
    /// Functions that were inlined somewhere, with their numbers.
    inlined: BTreeMap<DiSubprogramId, u32>,
    /// Static variables of functions that are not described yet, by scope.
    static_variables: HashMap<DiScope, Vec<&'a DiGlobalVariableExpression>>,
    trees: ScopeTrees<'a>,
    /// How many locations could not be expressed.
    unexpressed: u32,
}

/// Writes the debug information of a module. `None` if a section is too large.
pub(crate) fn write(input: CodeViewInput<'_>) -> Option<CodeViewOutput> {
    let wanted = input.info.units.first().is_some_and(|unit| unit.emission != EmissionKind::None);
    if !wanted {
        return Some(CodeViewOutput { sections: Vec::new(), unexpressed: 0 });
    }
    let mut builder = Builder {
        input,
        types: Types::new(input.info, input.pointer_bytes),
        files: Files::new(input.info),
        sections: Vec::new(),
        section_numbers: HashMap::new(),
        inlined: BTreeMap::new(),
        static_variables: HashMap::new(),
        trees: ScopeTrees::new(input.info),
        unexpressed: 0,
    };
    builder.types.fortran = builder.language() == language::FORTRAN;
    builder.section(PLAIN);
    let mut globals = builder.find_globals();
    builder.static_variables = std::mem::take(&mut globals.of_scopes);
    for function in input.functions {
        if let Some(id) = function.debug.subprogram.filter(|id| builder.is_described(*id)) {
            builder.function(function, id);
        }
    }
    builder.globals(&globals);
    builder.finish()
}

impl<'a> Builder<'a> {
    /// A section of symbols, which is made on its first use.
    fn section(&mut self, id: DebugSectionId) -> &mut Output {
        let sections = &mut self.sections;
        let number = *self.section_numbers.entry(id).or_insert_with(|| {
            sections.push((id, Output::default()));
            sections.len() - 1
        });
        &mut self.sections[number].1
    }

    fn is_described(&self, id: DiSubprogramId) -> bool {
        let emission = self.emission(&self.input.info.subprograms[id.index()]);
        matches!(emission, Some(EmissionKind::Full | EmissionKind::LineTablesOnly))
    }

    /// Are variables and types of a function described?
    fn is_full(&self, node: &DiSubprogram) -> bool {
        self.emission(node) == Some(EmissionKind::Full)
    }

    fn emission(&self, node: &DiSubprogram) -> Option<EmissionKind> {
        node.unit.map(|unit| self.input.info.units[unit.index()].emission)
    }

    /// Puts everything together: what made the object, functions that were inlined, all symbols, files, and how it was made.
    fn finish(mut self) -> Option<CodeViewOutput> {
        let mut plain = Output::default();
        plain.subsection(subsection::SYMBOLS, self.producer());
        if !self.inlined.is_empty() {
            let lines = self.inlinee_lines();
            plain.subsection(subsection::INLINEE_LINES, lines);
        }
        let build = self.build_info();
        let mut sections = Vec::with_capacity(self.sections.len() + 1);
        let mut files = Some(self.files);
        for (id, output) in self.sections {
            let mut out = Output::default();
            out.bytes.u32(SIGNATURE);
            if id == PLAIN {
                out.append(std::mem::take(&mut plain));
            }
            out.append(output);
            if let Some(files) = files.take_if(|_| id == PLAIN) {
                files.write(&mut out);
                let mut symbols = Output::default();
                symbols.symbol(symbol::BUILDINFO, |out| out.bytes.u32(build));
                out.subsection(subsection::SYMBOLS, symbols);
            }
            sections.push(DebugSection { id, bytes: out.bytes.0, fixups: out.fixups });
        }
        if let Some(bytes) = self.types.table.finish() {
            sections.push(DebugSection { id: DebugSectionId::CodeViewTypes, bytes, fixups: Vec::new() });
        }
        let fits = sections.iter().all(|section| section.bytes.len() <= i32::MAX as usize);
        fits.then_some(CodeViewOutput { sections, unexpressed: self.unexpressed })
    }

    /// The tools that made the object.
    fn producer(&self) -> Output {
        /// The function can be replaced at run time.
        const HOT_PATCH: u32 = 1 << 14;
        let (info, facts) = (self.input.info, self.input.facts);
        let producer = info.units.first().map_or(&b""[..], |unit| string(info, unit.producer));
        let mut out = Output::default();
        out.symbol(symbol::OBJNAME, |out| {
            out.bytes.u32(0);
            out.name(b"");
        });
        out.symbol(symbol::COMPILE3, |out| {
            out.bytes.u32(self.language() | if facts.hot_patch { HOT_PATCH } else { 0 });
            out.bytes.u16(facts.cpu);
            front_end_version(producer).into_iter().for_each(|part| out.bytes.u16(part));
            [back_end_version(), 0, 0, 0].into_iter().for_each(|part| out.bytes.u16(part));
            out.name(producer);
        });
        out
    }

    /// The number of the first unit's language (`CV_CFL_LANG`).
    fn language(&self) -> u32 {
        let language = self.input.info.units.first().map_or(0, |unit| unit.language);
        language::of(language)
    }

    /// The files and lines at which functions begin that were inlined.
    fn inlinee_lines(&mut self) -> Output {
        let mut out = Output::default();
        // Without further files.
        out.bytes.u32(0);
        for (&function, &ty) in &self.inlined {
            let node = &self.input.info.subprograms[function.index()];
            let file = self.files.file(node.file);
            [ty, file, node.line].into_iter().for_each(|word| out.bytes.u32(word));
        }
        out
    }

    /// The record of how the object was made: folder, compiler, file, type server and command line. The compiler is the front end,
    /// of which only the folder and the file are known.
    fn build_info(&mut self) -> u32 {
        let info = self.input.info;
        let file = info.units.first().and_then(|unit| unit.file).map(|file| &info.files[file.index()]);
        let (directory, name) =
            file.map_or((&b""[..], &b""[..]), |file| (string(info, file.directory), string(info, file.name)));
        let [directory, name, server] = [directory, name, b""].map(|text| self.types.table.string(text));
        let parts = [directory, records::simple::NONE, name, server, records::simple::NONE];
        let record = Record::new(records::leaf::BUILDINFO).u16(parts.len() as u16);
        self.types.table.add(parts.into_iter().fold(record, Record::u32))
    }
}

/// The version in a producer's name.
fn front_end_version(producer: &[u8]) -> [u16; 4] {
    let (mut parts, mut at) = ([0u16; 4], 0);
    for &byte in producer {
        match byte {
            b'0'..=b'9' => parts[at] = parts[at].saturating_mul(10).saturating_add((byte - b'0').into()),
            b'.' if at == 3 => break,
            b'.' => at += 1,
            _ if at > 0 => break,
            _ => {}
        }
    }
    parts
}

/// The version of Gusset as one number, as LLVM writes its own. Some tools of Microsoft want at least 8.
fn back_end_version() -> u16 {
    let mut parts = env!("CARGO_PKG_VERSION").split('.').map(|part| part.parse::<u16>().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0);
    let (major, minor, patch) = (next(), next(), next());
    8u16.max(major.saturating_mul(1000).saturating_add(minor.saturating_mul(10)).saturating_add(patch))
}

/// Languages by CodeView's numbers.
mod language {
    use gimli::constants as dw;

    pub const FORTRAN: u32 = 2;
    /// Stands for all languages without a number.
    const MASM: u32 = 3;

    /// The number of a language by DWARF's.
    pub fn of(language: u16) -> u32 {
        match gimli::DwLang(language) {
            dw::DW_LANG_C | dw::DW_LANG_C89 | dw::DW_LANG_C99 | dw::DW_LANG_C11 | dw::DW_LANG_C17 => 0,
            dw::DW_LANG_C_plus_plus
            | dw::DW_LANG_C_plus_plus_03
            | dw::DW_LANG_C_plus_plus_11
            | dw::DW_LANG_C_plus_plus_14
            | dw::DW_LANG_C_plus_plus_17
            | dw::DW_LANG_C_plus_plus_20 => 1,
            dw::DW_LANG_Fortran77
            | dw::DW_LANG_Fortran90
            | dw::DW_LANG_Fortran95
            | dw::DW_LANG_Fortran03
            | dw::DW_LANG_Fortran08
            | dw::DW_LANG_Fortran18 => FORTRAN,
            dw::DW_LANG_Pascal83 => 4,
            dw::DW_LANG_Cobol74 | dw::DW_LANG_Cobol85 => 6,
            dw::DW_LANG_Java => 0xd,
            dw::DW_LANG_ObjC => 0x11,
            dw::DW_LANG_ObjC_plus_plus => 0x12,
            dw::DW_LANG_Swift => 0x13,
            dw::DW_LANG_Rust => 0x15,
            dw::DW_LANG_D => b'D'.into(),
            _ => MASM,
        }
    }
}
