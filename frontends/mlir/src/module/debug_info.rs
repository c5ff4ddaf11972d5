//! Debug information of a module: what its attributes say, or what follows from locations alone.
//!
//! MLIR, "Passes", `-ensure-debug-info-scope-on-llvm-func`: what LLVM needs of a module that only has locations.

use std::collections::{HashMap, HashSet};

use gusset_codegen::debug::CompiledDebugInfo;
use gusset_codegen::ir::{Function, SymbolId};
use gusset_lower::debug_info::{DebugInfoError, DebugInfoUses, DebugInfoWithLoss, IN_PLACE};
use gusset_lower::{FunctionLowering, ModuleFlags};
use gusset_program::{Field, Metadata, Special};
use gusset_text::{ReadError, Result};

use crate::context::debug_info::ModuleDebugInfo;
use crate::context::{ModuleContext, ParsedModule};
use crate::convert::body::BodyReader;
use crate::convert::reader::Reader;
use crate::metadata::debug_values::ProgramNodes;
use crate::syntax::attributes::AttributeRef;
use crate::syntax::header::Header;
use crate::syntax::locations::Location;
use crate::syntax::symbols::Global;

/// The version of the metadata's form that is implied.
const VERSION: i64 = 3;

/// Where a module's symbols have debug information, collected while it is read.
#[derive(Default)]
pub(super) struct Described<'s> {
    /// Functions with their names and locations; which are defined.
    functions: Vec<(SymbolId, Vec<u8>, Option<AttributeRef<'s>>, bool)>,
    variables: Vec<(SymbolId, AttributeRef<'s>)>,
}

impl<'s> Described<'s> {
    /// None if the text has no location but unknown ones, and so no debug information.
    pub fn of(text: &'s [u8]) -> Option<Described<'s>> {
        has_locations(text).then(Described::default)
    }

    pub fn function(&mut self, symbol: SymbolId, h: &Header<'s>, tables: &ModuleContext<'s>) -> Result<()> {
        self.functions.push((symbol, h.name.clone(), h.location(tables.source)?, h.region.is_some()));
        Ok(())
    }

    pub fn variable(&mut self, symbol: SymbolId, g: &Global<'s>) {
        let values = ["dbg_expr", "dbg_exprs"].iter().filter_map(|name| g.attr(name));
        self.variables.extend(values.map(|value| (symbol, value)));
    }

    /// The module's debug information; `location` is that of the module. None if it is of another version.
    pub fn read(
        self,
        tables: &ModuleContext<'_>,
        location: Option<AttributeRef<'_>>,
        mut flags: ModuleFlags,
    ) -> Option<ModuleDebugInfo> {
        let attributes = memchr::memmem::find(tables.source.text, b"#llvm.di_").is_some();
        let (mut bodies, mut func) = (BodyReader::over(tables), Function::new());
        let mut r = bodies.reader(0, &mut func, 0);
        let mut info = ModuleDebugInfo::default();
        let read = match attributes {
            true => r.attributes(&self, &mut info.uses),
            false => r.plain_functions(&self, location, &mut info),
        };
        let mut found = info.found();
        found.nodes = std::mem::take(&mut r.s.metadata);
        if let Err(error) = read {
            found.fail(0, error);
        }
        drop(found);
        if flags.debug_info_version == 0 {
            flags.debug_info_version = VERSION;
        }
        flags.codeview |= tables.facts.target.has_microsoft_library();
        info.uses.take_flags(&flags);
        info.uses.other_version.is_none().then_some(info)
    }
}

/// Whether some location is known: one that is not `loc(unknown)`, a file or an alias.
fn has_locations(text: &[u8]) -> bool {
    memchr::memmem::find_iter(text, b"loc(").any(|at| {
        let rest = text[at + b"loc(".len()..].trim_ascii_start();
        let word = at.checked_sub(1).is_some_and(|before| text[before].is_ascii_alphanumeric() || text[before] == b'_');
        !word && !rest.starts_with(b"unknown") && !rest.starts_with(b"#") && !is_of_file(rest)
    })
}

/// Whether a location only says the file: `"f.c":0:0`.
fn is_of_file(location: &[u8]) -> bool {
    let Some(name) = location.strip_prefix(b"\"") else { return false };
    memchr::memchr(b'"', name).is_some_and(|end| name[end..].starts_with(b"\":0:0)"))
}

impl<'r> Reader<'r, FunctionLowering<'r>> {
    /// What attributes of the dialect `llvm` say.
    fn attributes(&mut self, described: &Described<'r>, uses: &mut DebugInfoUses) -> Result<()> {
        for &(symbol, value) in &described.variables {
            let nodes = self.variable_nodes(value)?;
            uses.variables.extend(nodes.iter().filter_map(Metadata::node).map(|node| (symbol, node | IN_PLACE)));
        }
        for (symbol, _, location, _) in &described.functions {
            let Some(location) = location else { continue };
            let node = self.subprogram(*location)?.and_then(|node| node.node());
            uses.functions.extend(node.map(|node| (*symbol, node | IN_PLACE)));
        }
        self.s.metadata.list_variables();
        uses.units = self.s.metadata.named(b"llvm.dbg.cu").iter().filter_map(Metadata::node).collect();
        uses.units.iter_mut().for_each(|unit| *unit |= IN_PLACE);
        Ok(())
    }

    /// A unit and functions for a module that has locations and no attributes.
    fn plain_functions(
        &mut self,
        described: &Described<'r>,
        location: Option<AttributeRef<'r>>,
        info: &mut ModuleDebugInfo,
    ) -> Result<()> {
        let mut functions = Vec::new();
        for (symbol, name, location, _) in described.functions.iter().filter(|function| function.3) {
            let position = location.map(|at| Location::read(at, self.t)).transpose()?;
            functions.push((*symbol, name, position.and_then(|location| position_of(&location))));
        }
        let module = location.map(|at| Location::read(at, self.t)).transpose()?;
        let module = module.and_then(|location| position_of(&location));
        let first = functions.iter().find_map(|function| function.2);
        let Some((name, _)) = module.or(first).or((!functions.is_empty()).then_some((b"", 0))) else { return Ok(()) };
        let words = |words: &str| Field::Words(words.as_bytes().to_vec());
        let file = self.s.metadata.file(name);
        let unit = [
            ("language", words("DW_LANG_C")),
            ("file", Field::Metadata(file.clone())),
            ("producer", Field::String(b"Gusset".to_vec())),
            ("isOptimized", words("true")),
            ("runtimeVersion", words("0")),
            ("emissionKind", words("FullDebug")),
        ];
        let unit = self.s.metadata.node(true, Metadata::Special(Special::new("DICompileUnit", unit)));
        info.uses.units.extend(unit.node().map(|unit| unit | IN_PLACE));
        let ty = self.s.metadata.node(
            false,
            Metadata::Special(Special::new("DISubroutineType", [("types", Field::Metadata(Metadata::Null))])),
        );
        let mut files = HashMap::new();
        for (symbol, name, position) in functions {
            let (file, line) = match position {
                Some((file, line)) => {
                    files.insert(symbol, file.to_vec());
                    (self.s.metadata.file(file), line.to_string())
                }
                None => (file.clone(), "0".to_string()),
            };
            let fields = [
                ("name", Field::String(name.clone())),
                ("scope", Field::Metadata(file.clone())),
                ("file", Field::Metadata(file)),
                ("line", words(&line)),
                ("type", Field::Metadata(ty.clone())),
                ("scopeLine", words(&line)),
                ("spFlags", words("DISPFlagDefinition | DISPFlagOptimized")),
                ("unit", Field::Metadata(unit.clone())),
            ];
            let node = self.s.metadata.node(true, Metadata::Special(Special::new("DISubprogram", fields)));
            info.uses.functions.extend(node.node().map(|node| (symbol, node | IN_PLACE)));
        }
        info.plain = Some(files);
        Ok(())
    }
}

/// The file and line of the first position that a location names.
fn position_of<'s>(location: &Location<'s>) -> Option<(&'s [u8], u64)> {
    match location {
        Location::Unknown => None,
        Location::File { name, line, .. } => Some((name, *line)),
        Location::CallSite { callee, caller } => position_of(callee).or_else(|| position_of(caller)),
        Location::Fused { parts, .. } => parts.iter().find_map(position_of),
    }
}

impl ParsedModule<'_> {
    /// The module's debug information, when its functions have been compiled; in these, numbers of nodes become those of the result. None
    /// if there is none. With it comes the first thing that was left out, and the number of the others.
    ///
    /// # Errors
    /// An attribute is not MLIR's.
    pub fn debug_info(
        &self,
        compiled: &mut dyn Iterator<Item = &mut CompiledDebugInfo>,
    ) -> std::result::Result<Option<DebugInfoWithLoss<ReadError>>, ReadError> {
        let Some(info) = &self.tables.debug_info else { return Ok(None) };
        let found = info.found();
        if let Some(error) = found.error() {
            return Err(error.clone().in_file(&self.tables.file));
        }
        let mut uses = info.uses.clone();
        // Units that only locations name were found in any order.
        let units = found.nodes.named(b"llvm.dbg.cu").iter().filter_map(Metadata::node);
        let known: HashSet<u32> = uses.units.iter().copied().collect();
        let mut late: Vec<u32> = units.filter(|unit| !known.contains(&(unit | IN_PLACE))).collect();
        if !late.is_empty() {
            found.nodes.sort_by_text(&mut late);
            uses.units.extend(late.iter().map(|unit| unit | IN_PLACE));
        }
        let wrong = |error: DebugInfoError| {
            let source = self.tables.source;
            source.error(error.place(), error.reason().to_string()).in_file(&self.tables.file)
        };
        let nodes = ProgramNodes::new(found.nodes.contents(), &found.locations);
        let mut reader = uses.reader(nodes, found.locations.len() as u32).map_err(wrong)?;
        for function in compiled {
            reader.renumber(function).map_err(wrong)?;
        }
        let (info, notes) = reader.finish().map_err(wrong)?;
        Ok(Some((info, notes.first().map(|(first, more)| (wrong(first), more)))))
    }
}
