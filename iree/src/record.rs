//! Type records: what a function tells its callers about its arguments and results.

/// A type record (IREE, "Function ABI", "Reflection"). Records may be nested to any depth: no operation on them here is
/// recursive.
///
/// An example is at [the crate's page](crate).
#[derive(Eq)]
pub enum Record {
    /// `iN`: an integer of `N` bits.
    Integer(u32),
    /// `fN`: an IEEE floating-point number of `N` bits.
    Float(u32),
    /// `bf16`: a BFloat16.
    Bfloat,
    /// `complex<fN>`: a complex number of two floating-point numbers of `N` bits each. It is not in the document;
    /// IREE's own callers accept it as the element of arrays.
    Complex(u32),
    /// `null`: a null reference; in a list, a gap.
    Null,
    /// `unknown`: a type without a record.
    Unknown,
    /// `["named", name, of]`: an argument with a name, by which it can be passed.
    Named {
        /// The name.
        name: String,
        /// The record of the argument.
        of: Box<Record>,
    },
    /// `["ndarray", element, rank, dimensions...]`: an array in row-major order. If its elements are not numbers, they
    /// are references, and the array is passed as a list of two lists, that of the elements and that of the dimensions.
    Ndarray {
        /// Its elements.
        element: Box<Record>,
        /// Its rank and dimensions.
        shape: Shape,
    },
    /// `["slist", slots...]`: a list of these slots.
    List(Vec<Record>),
    /// `["stuple", slots...]`: a list, for languages that have tuples, too.
    Tuple(Vec<Record>),
    /// `["sdict", [key, slot]...]`: slots with names, of which only the values are passed, in this order.
    Dict(Vec<(String, Record)>),
    /// `["py_homogeneous_list", element]`: a list of any length, of elements of one type.
    Homogeneous(Box<Record>),
}

/// The rank and dimensions of an array. An example is at [the crate's page](crate).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// The rank is not known.
    Unranked,
    /// The dimensions, some of which may be unknown.
    Ranked(Vec<Option<u64>>),
}

/// The records of a function (the attribute `iree.abi`). An example is at [the crate's page](crate).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reflection {
    /// The records of its arguments (`a`).
    pub args: Vec<Record>,
    /// The records of its results (`r`).
    pub results: Vec<Record>,
}

impl Shape {
    /// Whether an array of these sizes has this shape.
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
    /// The record without an argument's name.
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

    /// Whether it is a number, so that an array contains values rather than references.
    pub fn is_number(&self) -> bool {
        matches!(self, Record::Integer(_) | Record::Float(_) | Record::Bfloat | Record::Complex(_))
    }

    /// Number of nested records from this one to the innermost one, both included.
    pub fn depth(&self) -> usize {
        let (mut rest, mut deepest) = (vec![(self, 1)], 0);
        while let Some((record, depth)) = rest.pop() {
            deepest = deepest.max(depth);
            rest.extend(record.inner().into_iter().map(|inner| (inner, depth + 1)));
        }
        deepest
    }

    /// The records that this one contains, in order.
    pub(crate) fn inner(&self) -> Vec<&Record> {
        match self {
            Record::Named { of, .. } => vec![of],
            Record::Ndarray { element, .. } | Record::Homogeneous(element) => vec![element],
            record => record.slots().unwrap_or_default(),
        }
    }

    /// A copy that contains copies of other records, as many as this one contains.
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

    /// Moves the contained records to a list.
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
        // Each record is visited twice: at the second visit, the copies of its contents are the last of the list.
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

/// Records are equal if their texts are.
impl PartialEq for Record {
    fn eq(&self, other: &Record) -> bool {
        self.to_string() == other.to_string()
    }
}

/// As JSON.
impl std::fmt::Debug for Record {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl Reflection {
    /// The records of what the function returns one by one: if the only result is a list, tuple or dictionary, its
    /// slots are separate results (IREE, `function.py`).
    pub fn flat_results(&self) -> Vec<&Record> {
        match &self.results[..] {
            [only] => only.slots().unwrap_or_else(|| vec![only]),
            all => all.iter().collect(),
        }
    }

    /// The RFC 6901 pointer in the JSON to the record of result `i` of [`flat_results`](Self::flat_results).
    pub fn result_place(&self, i: usize) -> String {
        // The kind of the only result is item 0 of its record; a key is item 0 of its slot.
        match &self.results[..] {
            [Record::Dict(_)] => format!("/r/0/{}/1", i + 1),
            [Record::List(_) | Record::Tuple(_)] => format!("/r/0/{}", i + 1),
            _ => format!("/r/{i}"),
        }
    }
}
