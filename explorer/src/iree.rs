//! Functions by IREE's type records: how its virtual machine calls them, and the C functions that implement them.

use gusset_abi::AbiError;
use gusset_abi::memref::TypeConverter;
use gusset_iree::{Convention, Entry, Letter, Record, Reflection};
use gusset_mlir::{Declaration, DeclaredValue};
use gusset_text::ReadError;

use super::error::Error;
use super::mlir::Shown;
use super::targets::NamedTarget;
use super::view::{Block, MachineCall, Slot, View};
use crate::query::Query;

/// The name of a function without one.
const NAME: &str = "f";

/// The view of the C function for one of these records on a target, with the virtual machine's call.
pub(crate) fn view(query: &Query<'_>, target: &NamedTarget) -> Result<View, Error> {
    let (text, file) = (query.text, query.file);
    let error = |error: gusset_iree::Error| {
        Error::Read(ReadError::new(text.as_bytes(), error.byte(text), error.message).in_file(file))
    };
    let name = query.function.unwrap_or(NAME);
    let reflection = Reflection::parse(text).map_err(error)?;
    let entry = Entry::new(name, name, reflection);
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
    let place = |error: AbiError| Error::text(file, error.to_string());
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

fn machine_call(entry: &Entry, convention: &Convention, target: &NamedTarget) -> Result<MachineCall, AbiError> {
    let block = |letters: &[Letter], records: Vec<&Record>| -> Result<Block, AbiError> {
        let layout = gusset_iree::Block::new(letters, &target.abi)?;
        let slots = letters.iter().zip(&layout.offsets).zip(records);
        let slots = slots.map(|((letter, &offset), record)| Slot {
            letter: letter.letter(),
            offset,
            record: record.to_string(),
        });
        Ok(Block { slots: slots.collect(), size: layout.size, align: layout.align, packed_size: layout.packed_size })
    };
    Ok(MachineCall {
        records: entry.reflection.to_string(),
        convention: convention.to_string(),
        declaration: entry.declaration_text(),
        arguments: block(&convention.args, entry.reflection.args.iter().collect())?,
        results: block(&convention.results, entry.reflection.flat_results())?,
    })
}
