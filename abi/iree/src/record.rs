//! Type records: what a function tells its callers of its arguments and results.

/// A type record (IREE, "Function ABI", "Reflection").
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Record {
    /// `iN`: an integer of so many bits.
    Integer(u32),
    /// `fN`: an IEEE floating-point number of so many bits.
    Float(u32),
    /// `bf16`: a BFloat16.
    Bfloat,
    /// `complex<fN>`: a complex number of two floating-point numbers of so many bits each. The document does not have it; IREE's
    /// own callers take it as element of arrays.
    Complex(u32),
    /// `null`: a null reference; in a list, a gap.
    Null,
    /// `unknown`: a type that has no record.
    Unknown,
    /// `["named", name, of]`: an argument with a name, by which it can be passed.
    Named {
        /// The name.
        name: String,
        /// What it is.
        of: Box<Record>,
    },
    /// `["ndarray", element, rank, dimensions...]`: an array in row-major order. If its elements are no numbers, they are references,
    /// and the array travels as a list of two lists, that of the elements and that of the dimensions.
    Ndarray {
        /// Its elements.
        element: Box<Record>,
        /// Its rank and dimensions.
        shape: Shape,
    },
    /// `["slist", slots...]`: a list of so many slots.
    List(Vec<Record>),
    /// `["stuple", slots...]`: the same, for languages that have tuples, too.
    Tuple(Vec<Record>),
    /// `["sdict", [key, slot]...]`: slots with names, of which the values alone are passed, in this order.
    Dict(Vec<(String, Record)>),
    /// `["py_homogeneous_list", element]`: a list of any length, of elements of one type.
    Homogeneous(Box<Record>),
}

/// The rank of an array, and its dimensions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// The rank is not known.
    Unranked,
    /// The dimensions, of which some may not be known.
    Ranked(Vec<Option<u64>>),
}

/// The records of a function (the attribute `iree.abi`).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reflection {
    /// Those of its arguments (`a`).
    pub args: Vec<Record>,
    /// Those of its results (`r`).
    pub results: Vec<Record>,
}

impl Shape {
    /// Is an array of these sizes one of this shape?
    pub fn takes(&self, sizes: &[u64]) -> bool {
        match self {
            Shape::Unranked => true,
            Shape::Ranked(dims) => {
                dims.len() == sizes.len()
                    && dims.iter().zip(sizes).all(|(dim, size)| dim.is_none_or(|dim| dim == *size))
            }
        }
    }
}

impl Record {
    /// What an argument is besides its name.
    pub fn unnamed(&self) -> &Record {
        match self {
            Record::Named { of, .. } => of.unnamed(),
            record => record,
        }
    }

    /// The slots of a list, tuple or dictionary, in the order in which they are passed.
    pub fn slots(&self) -> Option<Vec<&Record>> {
        match self {
            Record::List(slots) | Record::Tuple(slots) => Some(slots.iter().collect()),
            Record::Dict(slots) => Some(slots.iter().map(|slot| &slot.1).collect()),
            _ => None,
        }
    }

    /// Is it a number, of which an array has the values, not references to them?
    pub fn is_number(&self) -> bool {
        matches!(self, Record::Integer(_) | Record::Float(_) | Record::Bfloat | Record::Complex(_))
    }
}

impl Reflection {
    /// The records of what the function gives back one by one: if it has a list, tuple or dictionary as only result, its slots are
    /// results of their own (IREE, `function.py`).
    pub fn flat_results(&self) -> Vec<&Record> {
        match &self.results[..] {
            [only] => only.slots().unwrap_or_else(|| vec![only]),
            all => all.iter().collect(),
        }
    }

    /// Where the record of result `i` of [`flat_results`](Self::flat_results) stands in the JSON, as RFC 6901 points at it.
    pub fn result_place(&self, i: usize) -> String {
        // The kind of the only result is number 0 of its record; a key is number 0 of its slot.
        match &self.results[..] {
            [Record::Dict(_)] => format!("/r/0/{}/1", i + 1),
            [Record::List(_) | Record::Tuple(_)] => format!("/r/0/{}", i + 1),
            _ => format!("/r/{i}"),
        }
    }
}
