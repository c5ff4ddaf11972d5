//! Type records: what a function tells its callers of its arguments and results.

/// A type record (IREE, "Function ABI", "Reflection"). Records are nested as deep as one likes: none of what is done to them here
/// is recursive.
#[derive(Eq)]
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
        let mut record = self;
        while let Record::Named { of, .. } = record {
            record = of;
        }
        record
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

    /// How many records there are from this one to the innermost one, both included.
    pub fn depth(&self) -> usize {
        let (mut rest, mut deepest) = (vec![(self, 1)], 0);
        while let Some((record, depth)) = rest.pop() {
            deepest = deepest.max(depth);
            rest.extend(record.inner().into_iter().map(|inner| (inner, depth + 1)));
        }
        deepest
    }

    /// The records that stand in it, in their order.
    pub(crate) fn inner(&self) -> Vec<&Record> {
        match self {
            Record::Named { of, .. } => vec![of],
            Record::Ndarray { element, .. } | Record::Homogeneous(element) => vec![element],
            record => record.slots().unwrap_or_default(),
        }
    }

    /// The same with copies of the records that stand in it, of which there are as many.
    fn with(&self, inner: Vec<Record>) -> Record {
        let mut rest = inner.into_iter();
        let mut one = || Box::new(rest.next().unwrap_or(Record::Null));
        match self {
            Record::Integer(bits) => Record::Integer(*bits),
            Record::Float(bits) => Record::Float(*bits),
            Record::Bfloat => Record::Bfloat,
            Record::Complex(bits) => Record::Complex(*bits),
            Record::Null => Record::Null,
            Record::Unknown => Record::Unknown,
            Record::Named { name, .. } => Record::Named { name: name.clone(), of: one() },
            Record::Ndarray { shape, .. } => Record::Ndarray { element: one(), shape: shape.clone() },
            Record::Homogeneous(_) => Record::Homogeneous(one()),
            Record::List(_) => Record::List(rest.collect()),
            Record::Tuple(_) => Record::Tuple(rest.collect()),
            Record::Dict(slots) => Record::Dict(slots.iter().map(|slot| slot.0.clone()).zip(rest).collect()),
        }
    }

    /// Are they the same but for the records that stand in them?
    fn is_like(&self, other: &Record) -> bool {
        match (self, other) {
            (Record::Integer(a), Record::Integer(b))
            | (Record::Float(a), Record::Float(b))
            | (Record::Complex(a), Record::Complex(b)) => a == b,
            (Record::Named { name: a, .. }, Record::Named { name: b, .. }) => a == b,
            (Record::Ndarray { shape: a, .. }, Record::Ndarray { shape: b, .. }) => a == b,
            (Record::List(a), Record::List(b)) | (Record::Tuple(a), Record::Tuple(b)) => a.len() == b.len(),
            (Record::Dict(a), Record::Dict(b)) => a.iter().map(|slot| &slot.0).eq(b.iter().map(|slot| &slot.0)),
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        }
    }

    /// Moves the records that stand in it to a list.
    fn give_up(&mut self, all: &mut Vec<Record>) {
        match self {
            Record::Named { of: one, .. } | Record::Ndarray { element: one, .. } | Record::Homogeneous(one) => {
                all.push(std::mem::replace(one, Record::Null));
            }
            Record::List(slots) | Record::Tuple(slots) => all.append(slots),
            Record::Dict(slots) => all.extend(slots.drain(..).map(|slot| slot.1)),
            _ => {}
        }
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let mut all = Vec::new();
        self.give_up(&mut all);
        while let Some(mut record) = all.pop() {
            record.give_up(&mut all);
        }
    }
}

impl Clone for Record {
    fn clone(&self) -> Record {
        // A record comes twice: the second time copies of what stands in it are the last ones.
        let mut steps = vec![(self, false)];
        let mut copies = Vec::new();
        while let Some((record, seen)) = steps.pop() {
            let inner = record.inner();
            if seen || inner.is_empty() {
                let own = copies.split_off(copies.len() - inner.len());
                copies.push(record.with(own));
            } else {
                steps.push((record, true));
                steps.extend(inner.into_iter().rev().map(|inner| (inner, false)));
            }
        }
        copies.pop().unwrap_or(Record::Null)
    }
}

impl PartialEq for Record {
    fn eq(&self, other: &Record) -> bool {
        let mut pairs = vec![(self, other)];
        while let Some((a, b)) = pairs.pop() {
            if !a.is_like(b) {
                return false;
            }
            pairs.extend(a.inner().into_iter().zip(b.inner()));
        }
        true
    }
}

/// As JSON.
impl std::fmt::Debug for Record {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
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
