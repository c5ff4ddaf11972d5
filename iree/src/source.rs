//! Reads the functions of an `.mlir` file as entries and imports of a module: their records from types, and IREE's
//! attributes.
//!
//! IREE, "Function ABI", "Reflection"; the attributes `iree.abi.*` as its compiler reads them on functions.

use std::collections::{HashMap, HashSet};

use crate::{Class, Detail, Dim, Entry, Model, Record, Reflection, Shape, Storage};
use gusset_abi::LlvmScalar;
use gusset_abi::memref::{BuiltinType, Lane, Memref};
use gusset_mlir::{Attribute, AttributeValue, Declaration, DeclaredValue, ReadError};

use super::module::{alike, has_arrays_of, known_bytes};
use gusset_compiler::{Error, Source, Target};

/// The functions that a module exports and imports.
#[derive(Clone, Debug, Default)]
pub(crate) struct IreeSource {
    /// The public functions that have a body.
    pub entries: Vec<Entry>,
    /// The external functions whose names contain a module: `module.function`.
    pub imports: Vec<Entry>,
    /// Bits of `index`.
    pub index_bits: u32,
    /// Position of each function in the text, by name, in bytes.
    pub places: HashMap<String, usize>,
}

/// The entries and imports of a file. `index_bits` is as in [`Options`](gusset_compiler::Options). With `names`,
/// records that are made from types also name arguments that have an `iree.abi.name`.
///
/// # Errors
/// The text is not MLIR, or a function has a type or an attribute that a module cannot have; the error says where.
pub(crate) fn entries(
    source: Source<'_>,
    target: &Target,
    index_bits: Option<u32>,
    names: bool,
) -> Result<IreeSource, Error> {
    let (converter, all) = gusset_mlir::declarations(source.text, source.name, target.abi(), index_bits)?;
    let mut found = IreeSource { index_bits: converter.index_bits(), ..IreeSource::default() };
    for function in &all {
        // LLVM's intrinsics have dots in their names, too; C's functions have none.
        let import = !function.defined && function.name.contains('.') && !function.name.starts_with("llvm.");
        let export = function.defined && function.public;
        if !(import || export) {
            continue;
        }
        let reading = Reading { source, function, index_bits: converter.index_bits(), names, import };
        let list = if import { &mut found.imports } else { &mut found.entries };
        list.push(reading.entry()?);
        found.places.insert(function.name.clone(), function.place);
    }
    Ok(found)
}

/// A function that is read.
struct Reading<'a> {
    source: Source<'a>,
    function: &'a Declaration,
    index_bits: u32,
    names: bool,
    /// It is a function of another module.
    import: bool,
}

/// The attributes of a function.
#[derive(Default)]
struct Annotation<'a> {
    /// The JSON, and its position.
    records: Option<(&'a str, usize)>,
    declaration: Option<(&'a str, usize)>,
    model: Option<(&'a str, usize)>,
    /// All pairs of its reflection.
    attributes: Vec<(String, String)>,
}

/// The attributes of an argument or result.
#[derive(Default)]
struct ValueSaid<'a> {
    name: Option<(&'a str, usize)>,
    /// The array that callers have.
    encoding: Option<(&'a BuiltinType, usize)>,
    /// The argument is the memory of a result.
    output: Option<(usize, usize)>,
    /// The result is in the memory of an argument.
    tied: Option<(usize, usize)>,
    /// The argument is memory that is allocated for a result.
    passed: Option<(&'a AttributeValue, usize)>,
}

/// An argument or result of the function.
struct Typed<'a> {
    ty: &'a BuiltinType,
    value: &'a DeclaredValue,
    said: &'a ValueSaid<'a>,
}

/// A value as callers see it.
struct Outer {
    /// Its record, or why it has none.
    record: Result<Record, String>,
    class: Option<Class>,
    /// The record that the function sees, if it differs.
    seen_as: Option<Record>,
}

/// A value of the function, and how callers see it.
type Seen<'t, 'a> = (&'t Typed<'a>, Outer);

impl<'a> Reading<'a> {
    fn error(&self, place: usize, message: impl Into<String>) -> Error {
        ReadError::new(self.source.text, place, message).in_file(self.source.name).into()
    }

    fn entry(&self) -> Result<Entry, Error> {
        let f = self.function;
        if f.bare_pointers || f.ty.variadic {
            let what = if f.ty.variadic { "variadic functions" } else { "functions of bare pointers" };
            return Err(self.error(f.place, format!("{what} cannot be called through IREE")));
        }
        let said = self.annotation()?;
        let of = |all: &'a [DeclaredValue], result| -> Result<Vec<ValueSaid<'a>>, Error> {
            all.iter().map(|value| self.value_said(value, result)).collect()
        };
        let (args, results) = (of(&f.args, false)?, of(&f.results, true)?);
        let typed = |(ty, (value, said))| Typed { ty, value, said };
        let args: Vec<Typed> = f.ty.args.iter().zip(f.args.iter().zip(&args)).map(typed).collect();
        let own: Vec<Typed> = f.ty.results.iter().zip(f.results.iter().zip(&results)).map(typed).collect();
        let count = args.iter().position(|arg| arg.said.passed.is_some()).unwrap_or(args.len());
        let (args, passed) = args.split_at(count);
        if let Some(late) = passed.iter().find(|arg| arg.said.passed.is_none() || arg.said.output.is_some()) {
            let m = "arguments with `gusset.result` are the last ones, and are nothing else";
            return Err(self.error(late.value.place, m));
        }
        let seen_args = args.iter().map(|arg| Ok((arg, self.outer(arg, self.import)?)));
        let seen_args = seen_args.collect::<Result<Vec<Seen>, Error>>()?;
        let outs = self.outs(args, &own, passed)?;
        let args = seen_args;
        let results = outs.iter().map(|(typed, storage)| Ok((*typed, self.outer_result(typed, storage, &args)?)));
        let results = results.collect::<Result<Vec<Seen>, Error>>()?;
        let reflection = match said.records {
            Some(given) => self.given(given, &args, &results)?,
            None => self.made(&args, &results)?,
        };
        let mut attributes = said.attributes;
        if let Some((text, _)) = said.records
            && attributes.iter().all(|pair| pair.0 != "iree.abi")
        {
            // The text is kept letter by letter.
            attributes.push(("iree.abi".into(), text.into()));
        }
        let classless = args.iter().chain(&results).all(|(_, outer)| outer.class.is_none());
        let detail = |(typed, outer): Seen| {
            let name = typed.said.name.map(|name| name.0.to_string());
            let Outer { class, seen_as, .. } = outer;
            Detail { name, class, seen_as, declared: declared(typed), ..Detail::default() }
        };
        let args = args.into_iter().map(detail).collect();
        let mut results: Vec<Detail> = results.into_iter().map(detail).collect();
        let storages: Vec<Storage> = outs.into_iter().map(|out| out.1).collect();
        for (result, storage) in results.iter_mut().zip(&storages) {
            // The name of an argument is not the name of the result in its memory.
            result.name.take_if(|_| matches!(storage, Storage::Argument(_)));
        }
        Ok(Entry {
            name: f.name.clone(),
            symbol: gusset_abi::memref::wrapper_name(&f.name),
            // By the records alone, integers would be signed.
            reflected: said.records.is_none() && reflection.python_takes() && classless,
            reflection,
            args,
            results,
            storages,
            model: self.model(said.model)?,
            declaration: said.declaration.map(|text| text.0.to_string()),
            attributes,
        })
    }

    // Attributes.

    fn text(&self, attribute: &'a Attribute) -> Result<(&'a str, usize), Error> {
        match &attribute.value {
            AttributeValue::Text(text) => Ok((text, attribute.place)),
            _ => Err(self.error(attribute.place, format!("`{}` is a string", attribute.name))),
        }
    }

    fn number(&self, attribute: &Attribute) -> Result<(usize, usize), Error> {
        let number = match attribute.value {
            AttributeValue::Integer(n) => usize::try_from(n).ok(),
            _ => None,
        };
        let number = number.map(|n| (n, attribute.place));
        number.ok_or_else(|| self.error(attribute.place, format!("`{}` is a number from 0", attribute.name)))
    }

    /// Takes an attribute that may occur once.
    fn once<T>(&self, slot: &mut Option<(T, usize)>, (said, place): (T, usize), what: &str) -> Result<(), Error> {
        if slot.is_some() {
            return Err(self.error(place, format!("`{what}` is said twice")));
        }
        *slot = Some((said, place));
        Ok(())
    }

    /// An error for an attribute that one might expect to have an effect here.
    fn unknown(&self, attribute: &Attribute, of: &str) -> Result<(), Error> {
        let name = attribute.name.as_str();
        match name {
            "iree.abi.affinity"
            | "iree.abi.consume"
            | "iree.abi.transients"
            | "iree.abi.streamable"
            | "iree.abi.stub" => {
                let m = format!("`{name}` asks for what IREE's compiler does with devices, and is not supported");
                Err(self.error(attribute.place, m))
            }
            _ if name.starts_with("iree.abi") || name.starts_with("gusset.") => {
                Err(self.error(attribute.place, format!("{of} have no attribute `{name}`")))
            }
            _ => Ok(()),
        }
    }

    fn annotation(&self) -> Result<Annotation<'a>, Error> {
        let mut said = Annotation::default();
        let mut reflections = None;
        for attribute in &self.function.attributes {
            let name = attribute.name.as_str();
            match name {
                "iree.abi" => self.once(&mut said.records, self.text(attribute)?, name)?,
                "iree.abi.declaration" => self.once(&mut said.declaration, self.text(attribute)?, name)?,
                "iree.abi.model" => self.once(&mut said.model, self.text(attribute)?, name)?,
                "iree.reflection" => {
                    let AttributeValue::Dictionary(pairs) = &attribute.value else {
                        return Err(self.error(attribute.place, "`iree.reflection` is a dictionary of strings"));
                    };
                    self.once(&mut reflections, (pairs, attribute.place), name)?;
                }
                _ => self.unknown(attribute, "functions")?,
            }
        }
        let mut known = HashSet::new();
        for pair in reflections.map_or(&[][..], |(pairs, _)| pairs) {
            let name = pair.name.as_str();
            let text = self.text(pair)?;
            if !known.insert(name) {
                return Err(self.error(pair.place, format!("`{name}` is said twice")));
            }
            match name {
                // The document has both names.
                "iree.abi" | "d" => self.once(&mut said.records, text, "iree.abi")?,
                "iree.abi.declaration" => self.once(&mut said.declaration, text, name)?,
                "iree.abi.model" => self.once(&mut said.model, text, name)?,
                _ => {}
            }
            said.attributes.push((name.into(), text.0.into()));
        }
        Ok(said)
    }

    fn value_said(&self, value: &'a DeclaredValue, result: bool) -> Result<ValueSaid<'a>, Error> {
        let mut said = ValueSaid::default();
        for attribute in &value.attributes {
            let (name, place) = (attribute.name.as_str(), attribute.place);
            match name {
                "iree.abi.name" => self.once(&mut said.name, self.text(attribute)?, name)?,
                "iree.abi.encoding" => match &attribute.value {
                    AttributeValue::Type(ty) => self.once(&mut said.encoding, (ty, place), name)?,
                    _ => return Err(self.error(place, "`iree.abi.encoding` is the type of an array")),
                },
                "iree.abi.output" if !result => self.once(&mut said.output, self.number(attribute)?, name)?,
                "iree.abi.tied" if result => self.once(&mut said.tied, self.number(attribute)?, name)?,
                "gusset.result" if !result => self.once(&mut said.passed, (&attribute.value, place), name)?,
                _ => self.unknown(attribute, if result { "results" } else { "arguments" })?,
            }
        }
        Ok(said)
    }

    fn model(&self, said: Option<(&str, usize)>) -> Result<Model, Error> {
        match said {
            None | Some(("sync", _)) => Ok(Model::Sync),
            Some(("coarse-fences", _)) => Ok(Model::CoarseFences),
            Some((other, place)) => {
                Err(self.error(place, format!("models are `sync` and `coarse-fences`, and not `{other}`")))
            }
        }
    }

    // Values and their records.

    /// The results as callers see them, with their storage: outputs have their given positions, and among the others
    /// the function's own results come before those that are passed.
    fn outs<'t>(
        &self,
        args: &'t [Typed<'a>],
        own: &'t [Typed<'a>],
        passed: &'t [Typed<'a>],
    ) -> Result<Vec<(&'t Typed<'a>, Storage)>, Error> {
        let outputs = args.iter().filter(|arg| arg.said.output.is_some()).count();
        let mut all: Vec<Option<(&Typed, Storage)>> = Vec::new();
        all.resize_with(outputs + own.len() + passed.len(), || None);
        let mut used = HashSet::new();
        for (i, arg) in args.iter().enumerate() {
            let Some((number, place)) = arg.said.output else { continue };
            let count = all.len();
            match all.get_mut(number) {
                Some(slot @ None) => *slot = Some((arg, Storage::Argument(i))),
                Some(_) => return Err(self.error(place, format!("result {number} is in another argument's memory"))),
                None => {
                    let m = format!("there is no result {number}: outputs and other results are {count}");
                    return Err(self.error(place, m));
                }
            }
            used.insert(i);
        }
        let mut others = Vec::with_capacity(own.len() + passed.len());
        for result in own {
            others.push((
                result,
                match result.said.tied {
                    Some((arg, place)) => {
                        if !args.get(arg).is_some_and(|arg| is_array(arg.ty)) {
                            return Err(self.error(place, format!("there is no memref that is argument {arg}")));
                        }
                        if !used.insert(arg) {
                            return Err(self.error(place, format!("another result is in the memory of argument {arg}")));
                        }
                        Storage::Tied(arg)
                    }
                    None => Storage::Returned,
                },
            ));
        }
        for arg in passed {
            others.push((arg, Storage::Passed(self.sizes(arg, args)?)));
        }
        let mut others = others.into_iter();
        Ok(all.into_iter().filter_map(|slot| slot.or_else(|| others.next())).collect())
    }

    /// The sizes of an array that is allocated for a result.
    fn sizes(&self, passed: &Typed<'a>, args: &[Typed<'a>]) -> Result<Vec<Dim>, Error> {
        let Some((value, place)) = passed.said.passed else { return Ok(Vec::new()) };
        let BuiltinType::Memref(memref) = passed.ty else {
            return Err(self.error(place, "a result that is passed as an argument is a memref of known rank"));
        };
        let said = match value {
            AttributeValue::Unit => &[][..],
            AttributeValue::List(list) => list,
            _ => return Err(self.error(place, "`gusset.result` has a list of strings or nothing")),
        };
        let open = memref.sizes().iter().filter(|size| size.is_none()).count();
        if said.len() != open {
            let m = format!("the memref has {open} sizes that its type leaves open, and {} are said", said.len());
            return Err(self.error(place, m));
        }
        let mut said = said.iter();
        let mut one = |size: &Option<u64>| match (size, size.is_none().then(|| said.next()).flatten()) {
            (Some(size), _) => Ok(Dim::Known(*size)),
            (None, Some(AttributeValue::Text(text))) => {
                let pair = text.split_once('.').and_then(|(arg, dim)| Some((arg.parse().ok()?, dim.parse().ok()?)));
                let rank = |arg: usize| match args.get(arg).map(|arg| arg.ty) {
                    Some(BuiltinType::Memref(memref)) => memref.rank() as usize,
                    _ => 0,
                };
                match pair {
                    Some((arg, dim)) if dim < rank(arg) => Ok(Dim::Of { arg, dim }),
                    _ => {
                        let m = format!(
                            "`{text}` is not the number of an argument and of one of its dimensions, as `0.1` is"
                        );
                        Err(self.error(place, m))
                    }
                }
            }
            _ => Err(self.error(place, "`gusset.result` has strings such as `0.1`: argument and dimension")),
        };
        memref.sizes().iter().map(&mut one).collect()
    }

    /// A value as callers see it; `packed`: its elements are copied to a dense array.
    fn outer(&self, typed: &Typed<'a>, packed: bool) -> Result<Outer, Error> {
        let own = self.record(typed.ty, packed);
        let Some((encoding, place)) = typed.said.encoding else {
            return Ok(Outer { record: own, class: class_of(typed.ty), seen_as: None });
        };
        let not = |why: &str| self.error(place, format!("`{}` is no encoding of `{}`: {why}", encoding, typed.ty));
        if !is_array(encoding) || !is_array(typed.ty) {
            return Err(not("encodings are those of arrays"));
        }
        if typed.said.passed.is_some() {
            return Err(not("memory that is allocated for a result has none of its own"));
        }
        let seen = own.map_err(|why| not(&why))?;
        let record = self.record(encoding, false).map_err(|why| not(&why))?;
        if !alike(&record, &seen) {
            as_many_bytes(&record, &seen).map_err(not)?;
        }
        Ok(Outer { record: Ok(record), class: class_of(encoding), seen_as: Some(seen) })
    }

    /// A result as callers see it, and whether its memory may be as its storage says.
    fn outer_result(&self, typed: &Typed<'a>, storage: &Storage, args: &[Seen<'_, 'a>]) -> Result<Outer, Error> {
        let place = typed.value.place;
        let outer = self.outer(typed, *storage == Storage::Returned && !self.import)?;
        match storage {
            Storage::Argument(_) if !is_array(typed.ty) => {
                Err(self.error(place, "results have the memory of arguments that are memrefs"))
            }
            // It is the argument, of which the function sees what it sees.
            Storage::Argument(_) => Ok(Outer { seen_as: None, ..outer }),
            Storage::Tied(_) if !typed.value.dense => {
                let m =
                    format!("it lies row by row without gaps, as the argument does, which `{}` does not say", typed.ty);
                Err(self.error(place, m))
            }
            Storage::Tied(arg) => match (&outer.record, &args[*arg].1.record) {
                (Ok(result @ Record::Ndarray { .. }), Ok(given @ Record::Ndarray { .. })) => {
                    let fits = as_many_bytes(result, given);
                    fits.map_err(|why| self.error(place, format!("it is not in the memory of argument {arg}: {why}")))?;
                    Ok(outer)
                }
                _ => Err(self.error(place, "results have the memory of arguments if they are memrefs")),
            },
            Storage::Returned | Storage::Passed(_) => Ok(outer),
        }
    }

    /// The record of a type; `packed` is as for [`outer`](Self::outer).
    fn record(&self, ty: &BuiltinType, packed: bool) -> Result<Record, String> {
        let element = |ty: &BuiltinType| match ty {
            BuiltinType::Lane(Lane::Float8(_)) => {
                let byte = Record::Integer(8);
                has_arrays_of(&byte, class_of(ty)).then_some(byte)
            }
            BuiltinType::Lane(lane) => self.number_record(*lane),
            BuiltinType::Complex(part) => match self.number_record(*part) {
                Some(Record::Float(bits @ (32 | 64))) => Some(Record::Complex(bits)),
                _ => None,
            },
            _ => None,
        };
        let none = |what: &str| format!("`{ty}` has no record: {what}");
        match ty {
            BuiltinType::Lane(Lane::Llvm(LlvmScalar::Ptr)) => {
                Err(none("`iree.abi` is to say what is behind the pointer"))
            }
            BuiltinType::Lane(lane) => self.number_record(*lane).ok_or_else(|| none("IREE has no such numbers")),
            BuiltinType::Memref(memref) => {
                if !packed && !takes_dense(memref) {
                    return Err(none("IREE's arrays lie row by row without gaps"));
                }
                let element = element(memref.element()).ok_or_else(|| none("IREE has no arrays of such elements"))?;
                let shape = Shape::Ranked(memref.sizes().to_vec());
                Ok(Record::Ndarray { element: Box::new(element), shape })
            }
            BuiltinType::Unranked(of) => {
                let element = element(of).ok_or_else(|| none("IREE has no arrays of such elements"))?;
                Ok(Record::Ndarray { element: Box::new(element), shape: Shape::Unranked })
            }
            BuiltinType::Complex(_) | BuiltinType::Vector { .. } => Err(none("pass it in a memref")),
            BuiltinType::Function | BuiltinType::Llvm(_) => Err(none("IREE has nothing like it")),
        }
    }

    fn number_record(&self, lane: Lane) -> Option<Record> {
        let integer = |bits| matches!(bits, 1 | 8 | 16 | 32 | 64).then_some(Record::Integer(bits));
        match lane {
            Lane::Llvm(LlvmScalar::Int(bits)) | Lane::Signed(bits) | Lane::Unsigned(bits) => integer(bits),
            Lane::Index => integer(self.index_bits),
            Lane::Llvm(LlvmScalar::Half) => Some(Record::Float(16)),
            Lane::Llvm(LlvmScalar::BFloat) => Some(Record::Bfloat),
            Lane::Llvm(LlvmScalar::Float) => Some(Record::Float(32)),
            Lane::Llvm(LlvmScalar::Double) => Some(Record::Float(64)),
            Lane::Llvm(_) | Lane::Float8(_) => None,
        }
    }

    /// The records that are made from the types.
    fn made(&self, args: &[Seen<'_, 'a>], results: &[Seen<'_, 'a>]) -> Result<Reflection, Error> {
        let mut reflection = Reflection::default();
        let mut known = HashSet::new();
        for (arg, outer) in args {
            let record = outer.record.clone().map_err(|why| self.error(arg.value.place, why))?;
            reflection.args.push(match arg.said.name.filter(|_| self.names) {
                Some((name, place)) if !known.insert(name) => {
                    return Err(self.error(place, format!("another argument is called `{name}`, too")));
                }
                Some((name, _)) => Record::Named { name: name.into(), of: Box::new(record) },
                None => record,
            });
        }
        for (result, outer) in results {
            reflection.results.push(outer.record.clone().map_err(|why| self.error(result.value.place, why))?);
        }
        Ok(reflection)
    }

    /// The records that the function gives, if they agree with the types.
    fn given(
        &self,
        (text, place): (&str, usize),
        args: &[Seen<'_, 'a>],
        results: &[Seen<'_, 'a>],
    ) -> Result<Reflection, Error> {
        let reflection = Reflection::parse(text).map_err(|e| self.error(place, format!("`iree.abi`: {e}")))?;
        let flat = reflection.flat_results();
        for (what, said, there) in
            [("arguments", reflection.args.len(), args.len()), ("results", flat.len(), results.len())]
        {
            if said != there {
                return Err(self.error(place, format!("`iree.abi` has {said} {what}, and the function {there}")));
            }
        }
        let args = reflection.args.iter().zip(args).enumerate();
        let args = args.map(|(i, (record, seen))| (format!("/a/{i}"), record, seen));
        let results = flat.into_iter().zip(results).enumerate();
        let results = results.map(|(i, (record, seen))| (reflection.result_place(i), record, seen));
        for (pointer, record, (typed, outer)) in args.chain(results) {
            agrees(record.unnamed(), outer, typed.ty).map_err(|why| {
                self.error(
                    place,
                    format!("`iree.abi`: at `{pointer}`: the record {record} is not one of `{}`: {why}", typed.ty),
                )
            })?;
        }
        Ok(reflection)
    }
}

/// Whether a value of a type may have a record.
fn agrees(record: &Record, outer: &Outer, ty: &BuiltinType) -> Result<(), String> {
    let array = |record: &Record| matches!(record, Record::Ndarray { element, .. } if element.is_number());
    let pointer = *ty == BuiltinType::scalar(LlvmScalar::Ptr);
    if !record.is_number() && !array(record) {
        return if pointer { Ok(()) } else { Err("it comes as an address, `!llvm.ptr`".into()) };
    }
    if pointer {
        return Err("what comes as an address is a list or a reference".into());
    }
    match (record, outer.record.as_ref()?) {
        (Record::Ndarray { element, shape }, Record::Ndarray { element: own, shape: own_shape }) => {
            if element != own {
                return Err(format!("its elements are {own}"));
            }
            match (shape, own_shape) {
                (Shape::Unranked, Shape::Unranked) => Ok(()),
                (Shape::Ranked(said), Shape::Ranked(sizes)) if said.len() == sizes.len() => {
                    // The record binds callers.
                    match said.iter().zip(sizes).position(|(said, size)| size.is_some() && said != size) {
                        Some(dim) => Err(format!("its type says what the size of dimension {dim} is")),
                        None => Ok(()),
                    }
                }
                _ => Err("its rank is another".into()),
            }
        }
        (record, own) if record == own => Ok(()),
        (_, own) => Err(format!("its record is {own}")),
    }
}

/// What a record does not tell about a number or about an array's elements.
fn class_of(ty: &BuiltinType) -> Option<Class> {
    match ty {
        BuiltinType::Lane(Lane::Signed(_)) => Some(Class::Signed),
        BuiltinType::Lane(Lane::Unsigned(_)) => Some(Class::Unsigned),
        BuiltinType::Lane(Lane::Float8(format)) => Some(Class::Float8(*format)),
        BuiltinType::Memref(memref) => class_of(memref.element()),
        BuiltinType::Unranked(element) => class_of(element),
        _ => None,
    }
}

/// The type of a value for its declaration, if the record of what the function sees does not tell it.
fn declared(typed: &Typed<'_>) -> Option<String> {
    let element = |ty: &BuiltinType| match ty {
        BuiltinType::Memref(memref) => memref.element().clone(),
        BuiltinType::Unranked(element) => (**element).clone(),
        other => other.clone(),
    };
    let of = element(typed.ty);
    let told = of != BuiltinType::INDEX && (typed.said.encoding.is_none() || class_of(&of).is_none());
    let size = |size: &Option<u64>| size.map_or("?x".to_string(), |size| format!("{size}x"));
    (!told).then(|| match typed.ty {
        BuiltinType::Memref(memref) => {
            format!("tensor<{}{of}>", memref.sizes().iter().map(size).collect::<String>())
        }
        BuiltinType::Unranked(_) => format!("tensor<*x{of}>"),
        ty => ty.to_string(),
    })
}

fn is_array(ty: &BuiltinType) -> bool {
    matches!(ty, BuiltinType::Memref(_) | BuiltinType::Unranked(_))
}

/// Whether an array that is dense in row-major order may have this type.
fn takes_dense(memref: &Memref) -> bool {
    let natural = Memref::identity(memref.element().clone(), memref.sizes().to_vec());
    let fits = |(own, natural): (&Option<i64>, &Option<i64>)| own.is_none() || own == natural;
    memref.offset().is_none_or(|offset| offset == 0) && memref.strides().iter().zip(natural.strides()).all(fits)
}

/// Whether an array of one record may be seen as one of another, by the number of bytes.
fn as_many_bytes(a: &Record, b: &Record) -> Result<(), &'static str> {
    match (known_bytes(a), known_bytes(b)) {
        _ if a == b => Ok(()),
        (Some(a), Some(b)) if a == b => Ok(()),
        (Some(_), Some(_)) => Err("they have not as many bytes"),
        _ => Err("their sizes are not all known"),
    }
}

#[cfg(test)]
mod tests;
