//! A function of a module: its C signature, and how the virtual machine calls it.

use gusset_abi::memref::{BuiltinType, Float8, FunctionType, Lane, Memref};
use gusset_abi::{LlvmScalar, LlvmType};

use crate::convention::{Convention, Letter};
use crate::error::Error;
use crate::record::{Record, Reflection, Shape};

/// How callers and a function synchronize (`iree.abi.model`). An example is at [the crate's page](crate).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Model {
    /// The results are available when the call returns.
    #[default]
    Sync,
    /// The function gets two more arguments, fences: one to wait for, which may be null, and one to signal.
    CoarseFences,
}

/// A dimension's size of an array that is allocated before the function is called. An example is at [the crate's page](crate).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dim {
    /// A constant.
    Known(u64),
    /// The size of an argument's dimension; both are numbered from 0.
    Of {
        /// The argument.
        arg: usize,
        /// The dimension.
        dim: usize,
    },
}

/// Where the memory of a result that is an array comes from. An example is at [the crate's page](crate).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Storage {
    /// The function returns it. It is copied, and freed unless it is an argument's or a constant's.
    #[default]
    Returned,
    /// It is that of an argument, to which the function writes (`iree.abi.output`). The function itself has no such
    /// result.
    Argument(usize),
    /// It is that of an argument, to which the function writes and which it returns as this result (`iree.abi.tied`):
    /// the result's first element must be where the argument's is.
    Tied(usize),
    /// It is allocated before the call, and the function gets it as an argument after the others.
    Passed(Vec<Dim>),
}

/// What the runtime distinguishes in integers or elements with the same record. An example is at [the crate's page](crate).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Class {
    /// Integers with a sign: `si8`.
    Signed,
    /// Unsigned integers: `ui8`.
    Unsigned,
    /// Elements of eight bits, `i8` in the record, that are floating-point numbers.
    Float8(Float8),
}

/// What an entry says about an argument or a result beyond its record. An example is at [the crate's page](crate).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Detail {
    /// Its name in the declaration.
    pub name: Option<String>,
    /// The class of its integers or elements as callers see them. In arguments, integers of any class are accepted.
    pub class: Option<Class>,
    /// The array that the function sees or returns, if it is another one of the same number of bytes
    /// (`iree.abi.encoding`).
    pub seen_as: Option<Record>,
    /// Its type in the declaration, if that is not the type of what the function sees or returns: `index`,
    /// `!hal.buffer`.
    pub declared: Option<String>,
    /// What else its declaration says, keys with values as MLIR writes them: `iree.abi.affinity`, `"a"`.
    pub attributes: Vec<(String, String)>,
}

/// The detail of a value about which an entry says nothing.
static NO_DETAIL: Detail = Detail { name: None, class: None, seen_as: None, declared: None, attributes: Vec::new() };

impl Detail {
    /// The record of what the function sees or returns, for a value with this record.
    pub fn seen<'d>(&'d self, record: &'d Record) -> &'d Record {
        self.seen_as.as_ref().unwrap_or(record.unnamed())
    }
}

/// A function of a module with a C signature, or one of another module that C calls. An example is at [the crate's page](crate).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Entry {
    /// The name by which the virtual machine knows the function. That of an import begins with its module:
    /// `module.function`.
    pub name: String,
    /// The symbol of the C function.
    pub symbol: String,
    /// The records of its arguments and results.
    pub reflection: Reflection,
    /// Whether its attributes include the records, as `iree.abi`.
    pub reflected: bool,
    /// Details of its arguments, in order; arguments after the end have none.
    pub args: Vec<Detail>,
    /// Details of its results one by one ([`Reflection::flat_results`]); results after the end have none.
    pub results: Vec<Detail>,
    /// Where the memory of its results comes from; results after the end are [returned](Storage::Returned).
    pub storages: Vec<Storage>,
    /// How callers wait.
    pub model: Model,
    /// Its declaration, if it is not to be made from the records (`iree.abi.declaration`).
    pub declaration: Option<String>,
    /// Attributes beside the generated ones (`iree.reflection`), in order.
    pub attributes: Vec<(String, String)>,
}

impl Entry {
    /// A function with these records and no details. Its records are among its attributes.
    pub fn new(name: impl Into<String>, symbol: impl Into<String>, reflection: Reflection) -> Entry {
        Entry { name: name.into(), symbol: symbol.into(), reflection, reflected: true, ..Entry::default() }
    }

    /// The detail of an argument.
    pub fn arg(&self, number: usize) -> &Detail {
        self.args.get(number).unwrap_or(&NO_DETAIL)
    }

    /// The detail of a result.
    pub fn result(&self, number: usize) -> &Detail {
        self.results.get(number).unwrap_or(&NO_DETAIL)
    }

    /// Where the memory of result `i` comes from.
    pub fn storage(&self, result: usize) -> &Storage {
        self.storages.get(result).unwrap_or(&Storage::Returned)
    }

    /// The sizes of memory that is [passed](Storage::Passed): those that the result's record knows are constants.
    ///
    /// # Errors
    /// A size differs from the record's, or belongs to a dimension that no argument has; as text.
    pub fn passed_sizes(&self, result: &Record, sizes: &[Dim]) -> Result<Vec<Dim>, String> {
        let Record::Ndarray { shape, .. } = result.unnamed() else { return Err("it is no array".into()) };
        let known: Vec<Option<u64>> = match shape {
            Shape::Unranked => vec![None; sizes.len()],
            Shape::Ranked(known) => known.clone(),
        };
        if known.len() != sizes.len() {
            return Err(format!("it has {} dimensions, and {} sizes are given", known.len(), sizes.len()));
        }
        let rank = |arg: usize| match self.reflection.args.get(arg).map(Record::unnamed) {
            Some(Record::Ndarray { element, shape: Shape::Ranked(sizes) }) if element.is_number() => sizes.len(),
            _ => 0,
        };
        let one = |(known, size): (Option<u64>, &Dim)| match (known, *size) {
            (Some(known), Dim::Known(size)) if known != size => {
                Err(format!("its size is {known}, and {size} is given"))
            }
            (_, Dim::Of { arg, dim }) if dim >= rank(arg) => {
                Err(format!("a size is that of dimension {dim} of argument {arg}, which there is not"))
            }
            (known, size) => Ok(known.map_or(size, Dim::Known)),
        };
        known.into_iter().zip(sizes).map(one).collect()
    }

    /// How the virtual machine calls the function: with two fences after the arguments if the model has them.
    ///
    /// # Errors
    /// As [`Convention::of`].
    pub fn convention(&self) -> Result<Convention, Error> {
        let mut convention = Convention::of(&self.reflection)?;
        if self.model == Model::CoarseFences {
            convention.args.extend([Letter::Ref; 2]);
        }
        Ok(convention)
    }

    /// The function's type in MLIR, for which `TypeConverter::c_interface` of `gusset-abi` makes the C signature:
    /// arrays by pointers to descriptors, lists and references by pointers ([`native_type`]); the arguments in order,
    /// then an array for each result that is [passed](Storage::Passed); the results are those that are
    /// [returned](Storage::Returned) or [tied](Storage::Tied).
    ///
    /// # Errors
    /// A record has no C type; the error points at the record.
    pub fn function_type(&self) -> Result<FunctionType, Error> {
        let args = self.reflection.args.iter().enumerate();
        let mut args: Vec<BuiltinType> = args
            .map(|(i, record)| native_type_of(self.arg(i), record, &format!("/a/{i}")))
            .collect::<Result<_, _>>()?;
        let mut results = Vec::new();
        for (i, record) in self.reflection.flat_results().into_iter().enumerate() {
            let ty = native_type_of(self.result(i), record, &self.reflection.result_place(i))?;
            match self.storage(i) {
                Storage::Returned | Storage::Tied(_) => results.push(ty),
                Storage::Passed(_) => args.push(ty),
                Storage::Argument(_) => {}
            }
        }
        Ok(FunctionType { args, results, variadic: false })
    }
}

/// The C value for a record: a number; a memref for an array; a pointer to a struct of the slots of a list, tuple or
/// dictionary, each as it would be by itself except that memrefs are in place; for a list of any length, a pointer to a
/// struct of a 64-bit count and a pointer to the elements; for anything else, a pointer to a reference of the virtual
/// machine, which is an object and its type.
///
/// # Errors
/// The number has no such type, or an array's elements are no numbers; the error is at `place`.
pub fn native_type(record: &Record, place: &str) -> Result<BuiltinType, Error> {
    if let Some(lane) = lane(record) {
        return Ok(BuiltinType::Lane(lane));
    }
    match record {
        Record::Named { .. } => native_type(record.unnamed(), place),
        Record::Ndarray { element, shape } if element.is_number() => {
            let element = match &**element {
                Record::Complex(bits) => lane(&Record::Float(*bits)).map(BuiltinType::Complex),
                number => lane(number).map(BuiltinType::Lane),
            };
            let element = element.ok_or_else(|| Error::at(place, format!("C has no arrays of `{record}`")))?;
            Ok(match shape {
                Shape::Unranked => BuiltinType::unranked(element),
                Shape::Ranked(sizes) => BuiltinType::memref(Memref::identity(element, sizes.clone())),
            })
        }
        Record::Integer(_) | Record::Float(_) | Record::Complex(_) => {
            Err(Error::at(place, format!("C has no numbers of type `{record}` here")))
        }
        _ => Ok(BuiltinType::Llvm(LlvmType::PTR)),
    }
}

/// The C value for a record with a detail: an unsigned integer is unsigned in C, too.
fn native_type_of(detail: &Detail, record: &Record, place: &str) -> Result<BuiltinType, Error> {
    Ok(match (native_type(detail.seen(record), place)?, detail.class) {
        (BuiltinType::Lane(Lane::Llvm(LlvmScalar::Int(bits))), Some(Class::Unsigned)) => {
            BuiltinType::Lane(Lane::Unsigned(bits))
        }
        (ty, _) => ty,
    })
}

/// The number that a record means, if C has it.
fn lane(record: &Record) -> Option<Lane> {
    let float = |kind| Some(Lane::Llvm(kind));
    match record {
        Record::Integer(bits @ (1 | 8 | 16 | 32 | 64)) => Some(Lane::Llvm(LlvmScalar::Int(*bits))),
        Record::Float(16) => float(LlvmScalar::Half),
        Record::Float(32) => float(LlvmScalar::Float),
        Record::Float(64) => float(LlvmScalar::Double),
        Record::Bfloat => float(LlvmScalar::BFloat),
        _ => None,
    }
}
