//! A function of a module: how C has it, and how the virtual machine calls it.

use gusset_abi::memref::{BuiltinType, Float8, FunctionType, Lane, Memref};
use gusset_abi::{LlvmScalar, LlvmType};

use crate::convention::{Convention, Letter};
use crate::error::Error;
use crate::record::{Record, Reflection, Shape};

/// How callers and a function agree on time (`iree.abi.model`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Model {
    /// The results are there when the call returns.
    #[default]
    Sync,
    /// The function gets two fences more: one that it waits for, which may be null, and one that it signals.
    CoarseFences,
}

/// A size of a dimension of an array that is made before the function is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dim {
    /// It is this.
    Known(u64),
    /// That of a dimension of an argument, both by number from 0.
    Of {
        /// The argument.
        arg: usize,
        /// The dimension.
        dim: usize,
    },
}

/// Where the memory of a result that is an array comes from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Storage {
    /// The function gives it. It is copied, and freed unless it is an argument's or a constant's.
    #[default]
    Returned,
    /// It is that of an argument, which the function writes to (`iree.abi.output`). The function has no such result of its own.
    Argument(usize),
    /// It is that of an argument, which the function writes to and gives back as this result (`iree.abi.tied`): where its elements
    /// begin must be where the argument's do.
    Tied(usize),
    /// It is allocated before, and the function gets it as one more argument behind the others.
    Passed(Vec<Dim>),
}

/// What the runtime has of integers or of the elements of an array that records do not tell from each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Class {
    /// Integers with a sign: `si8`.
    Signed,
    /// Integers without one: `ui8`.
    Unsigned,
    /// Elements of eight bits, `i8` in the record, that are floating-point numbers.
    Float8(Float8),
}

/// What an entry says of an argument beyond its record.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ArgDetail {
    /// Its name in the declaration.
    pub name: Option<String>,
    /// What its integers or elements are, as callers have them. Integers of any class are taken.
    pub class: Option<Class>,
    /// The array that the function sees, if it is another one of as many bytes (`iree.abi.encoding`).
    pub seen_as: Option<Record>,
    /// Its type in the declaration, if it is not that of what the function sees: `index`, `!hal.buffer`.
    pub declared: Option<String>,
    /// What else its declaration says, keys with values as MLIR writes them: `iree.abi.affinity`, `"a"`.
    pub attributes: Vec<(String, String)>,
}

/// What an entry says of a result beyond its record.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ResultDetail {
    /// Its name in the declaration.
    pub name: Option<String>,
    /// What its integers or elements are, as callers have them.
    pub class: Option<Class>,
    /// The array that the function gives, if it is another one of as many bytes (`iree.abi.encoding`).
    pub seen_as: Option<Record>,
    /// Its type in the declaration, if it is not that of what the function gives.
    pub declared: Option<String>,
    /// What else its declaration says, keys with values as MLIR writes them.
    pub attributes: Vec<(String, String)>,
    /// Where its memory comes from.
    pub storage: Storage,
}

/// A function of a module with a C signature, or one of another module that C calls.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Entry {
    /// The name by which the virtual machine knows it. An import has its module's in front: `module.function`.
    pub name: String,
    /// The symbol of the C function.
    pub symbol: String,
    /// The records of its arguments and results.
    pub reflection: Reflection,
    /// Whether its attributes have the records, as `iree.abi`.
    pub reflected: bool,
    /// Of its arguments, in order; those beyond the end have nothing to say.
    pub args: Vec<ArgDetail>,
    /// Of its results one by one ([`Reflection::flat_results`]); those beyond the end have nothing to say.
    pub results: Vec<ResultDetail>,
    /// How callers wait.
    pub model: Model,
    /// Its declaration, if it is not to be made of the records (`iree.abi.declaration`).
    pub declaration: Option<String>,
    /// Attributes beside those that are made (`iree.reflection`), in order.
    pub attributes: Vec<(String, String)>,
}

impl Entry {
    /// A function of these records, with nothing else to say. Its records are among its attributes.
    pub fn new(name: impl Into<String>, symbol: impl Into<String>, reflection: Reflection) -> Entry {
        Entry { name: name.into(), symbol: symbol.into(), reflection, reflected: true, ..Entry::default() }
    }

    /// The class of an argument.
    pub fn class_of_arg(&self, number: usize) -> Option<Class> {
        self.args.get(number).and_then(|detail| detail.class)
    }

    /// The class of a result.
    pub fn class_of_result(&self, number: usize) -> Option<Class> {
        self.results.get(number).and_then(|detail| detail.class)
    }

    /// Where the memory of a result comes from.
    pub fn storage(&self, result: usize) -> &Storage {
        self.results.get(result).map_or(&Storage::Returned, |detail| &detail.storage)
    }

    /// The sizes of memory that is [passed](Storage::Passed): those that the record of the result has are known.
    ///
    /// # Errors
    /// Sizes are others than the record's, or of dimensions that no argument has; as text.
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

    /// What the function sees of an argument.
    pub fn seen_arg<'e>(&'e self, number: usize, record: &'e Record) -> &'e Record {
        self.args.get(number).and_then(|detail| detail.seen_as.as_ref()).unwrap_or(record.unnamed())
    }

    /// What the function gives as a result.
    pub fn seen_result<'e>(&'e self, number: usize, record: &'e Record) -> &'e Record {
        self.results.get(number).and_then(|detail| detail.seen_as.as_ref()).unwrap_or(record)
    }

    /// How the virtual machine calls it: with two fences behind the arguments where the model has them.
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

    /// Its type as MLIR has it, of which `TypeConverter::c_interface` of `gusset-abi` is the C signature: arrays by pointers to
    /// descriptors, lists and references by pointers ([`native_type`]); the arguments in order, then an array for each result that
    /// is [passed](Storage::Passed); as results those that are [returned](Storage::Returned) or [tied](Storage::Tied).
    ///
    /// # Errors
    /// A record has no C type; the error points at it.
    pub fn function_type(&self) -> Result<FunctionType, Error> {
        let args = self.reflection.args.iter().enumerate();
        let mut args: Vec<BuiltinType> = args
            .map(|(i, record)| {
                let ty = native_type(self.seen_arg(i, record), &format!("/a/{i}"))?;
                Ok(of_class(ty, self.class_of_arg(i)))
            })
            .collect::<Result<_, _>>()?;
        let mut results = Vec::new();
        for (i, record) in self.reflection.flat_results().into_iter().enumerate() {
            let ty = native_type(self.seen_result(i, record), &self.reflection.result_place(i))?;
            let ty = of_class(ty, self.class_of_result(i));
            match self.storage(i) {
                Storage::Returned | Storage::Tied(_) => results.push(ty),
                Storage::Passed(_) => args.push(ty),
                Storage::Argument(_) => {}
            }
        }
        Ok(FunctionType { args, results, variadic: false })
    }
}

/// What C has of a value: a number; a memref of an array; a pointer to a struct of the slots of a list, tuple or dictionary, each
/// as it would be by itself, memrefs in place; a pointer to a struct of a count of 64 bits and a pointer to the elements of a
/// list of any length; a pointer to a reference of the virtual machine's, an object and its type, of anything else.
///
/// # Errors
/// There are no such numbers, or an array's elements are none; the error is at `place`.
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

/// An integer without sign is one in C, too.
fn of_class(ty: BuiltinType, class: Option<Class>) -> BuiltinType {
    match (&ty, class) {
        (BuiltinType::Lane(Lane::Llvm(LlvmScalar::Int(bits))), Some(Class::Unsigned)) => {
            BuiltinType::Lane(Lane::Unsigned(*bits))
        }
        _ => ty,
    }
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
