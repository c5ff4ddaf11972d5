//! Functions by IREE's type records: how its virtual machine calls them, and the C functions that implement them.

use std::path::PathBuf;

use clap::{Arg, ArgMatches};
use gusset::abi::AbiError;
use gusset::abi::memref::TypeConverter;
use gusset::iree::{Convention, Entry, Letter, Record, Reflection};
use gusset_mlir::{Declaration, DeclaredValue};
use gusset_text::Excerpt;

use crate::options::option;

use super::Source;
use super::mlir::Shown;
use super::targets::Chosen;
use super::view::{Block, MachineCall, Slot, View};

/// The name of a function without one.
const NAME: &str = "f";

/// The options of `gusset abi` for such functions.
pub(crate) fn args() -> [Arg; 2] {
    [
        option("iree", "RECORDS")
            .conflicts_with_all(["file", "language", "mlir", "index-width", "bare-pointers", "function"])
            .help("A function's type records as IREE's modules have them (iree.abi), in JSON; `@FILE` is a file, `-` standard input"),
        option("iree-name", "NAME")
            .long("name")
            .requires("iree")
            // An option that conflicts with the required one does not replace it.
            .conflicts_with_all(["DECLARATIONS", "file", "mlir"])
            .help("What the function of these records is called [default: f]"),
    ]
}

/// The source of the records, if they are asked for.
pub(crate) fn source(matches: &ArgMatches) -> Option<Source> {
    let records = matches.get_one::<String>("iree")?;
    Some(match records.strip_prefix('@') {
        Some(file) => Source::File(PathBuf::from(file)),
        None if records == "-" => Source::File(PathBuf::from("-")),
        None => Source::Argument(records.clone()),
    })
}

/// The view of the C function for one of these records on a target, with the virtual machine's call.
///
/// # Errors
/// As text for the user, with the place in `file`.
pub(crate) fn view(text: &str, file: &str, target: &Chosen, name: Option<&str>) -> Result<View, String> {
    let error = |error: gusset::iree::Error| {
        let excerpt = Excerpt::new(text.as_bytes(), error.byte(text));
        format!("{file}:{}:{}: error: {}\n{excerpt}", excerpt.line(), excerpt.column(), error.message)
    };
    let reflection = Reflection::parse(text).map_err(error)?;
    let entry = Entry::new(name.unwrap_or(NAME), name.unwrap_or(NAME), reflection);
    let convention = entry.convention().map_err(error)?;
    let reflection = &entry.reflection;
    let function = Declaration {
        name: entry.symbol.clone(),
        ty: entry.function_type().map_err(error)?,
        args: reflection.args.iter().map(declared).collect(),
        results: Vec::new(),
        defined: true,
        public: true,
        attributes: Vec::new(),
        bare_pointers: false,
        c_interface: true,
        place: 0,
    };
    let place = |error: AbiError| format!("{file}: error: {error}");
    let shown = Shown { converter: TypeConverter::new(&target.abi), function: &function, target };
    let mut view = shown.c_function("called by IREE's modules").map_err(place)?;
    view.machine = Some(machine_call(&entry, &convention, target).map_err(place)?);
    if !reflection.python_takes() {
        view.notes.push("IREE's invoker for Python does not take these records".into());
    }
    Ok(view)
}

/// An argument with the name from its record.
fn declared(record: &Record) -> DeclaredValue {
    let name = match record {
        Record::Named { name, .. } => name.clone(),
        _ => String::new(),
    };
    DeclaredValue { name, ..DeclaredValue::default() }
}

fn machine_call(entry: &Entry, convention: &Convention, target: &Chosen) -> Result<MachineCall, AbiError> {
    let block = |letters: &[Letter], records: Vec<&Record>| -> Result<Block, AbiError> {
        let layout = gusset::iree::Block::new(letters, &target.abi)?;
        let slots = letters.iter().zip(&layout.offsets).zip(records);
        let slots = slots.map(|((letter, &offset), record)| Slot {
            letter: letter.letter(),
            offset,
            record: record.to_string(),
        });
        Ok(Block { slots: slots.collect(), layout })
    };
    Ok(MachineCall {
        records: entry.reflection.to_string(),
        convention: convention.to_string(),
        declaration: entry.declaration_text(),
        arguments: block(&convention.args, entry.reflection.args.iter().collect())?,
        results: block(&convention.results, entry.reflection.flat_results())?,
    })
}
