//! Calls of functions by their records: what callers have becomes what the virtual machine passes, and back (IREE, "Function
//! ABI"; what its own invoker for Python does with it).

use crate::error::Error;
use crate::pack::pack;
use crate::record::{Record, Reflection, Shape};
use crate::strided::Strided;
use crate::unpack::{Root, unpack};

/// A virtual machine, as far as calls need it: its lists, and what stands for arrays.
pub trait Machine {
    /// A list of [items](Item).
    type List;
    /// A reference to anything else.
    type Reference;
    /// What callers have as arrays.
    type Array;
    /// Why something cannot be done.
    type Error: std::fmt::Display;

    /// A new list that so many items will be pushed to, all of type `element` if it is said, else of any.
    ///
    /// # Errors
    /// There can be no such list.
    fn new_list(&mut self, element: Option<&Record>, capacity: usize) -> Result<Self::List, Self::Error>;
    /// Appends an item.
    ///
    /// # Errors
    /// The list takes no such item.
    fn push(&mut self, list: &mut Self::List, item: Item<Self>) -> Result<(), Self::Error>;
    /// How many items a list has.
    fn len(&self, list: &Self::List) -> usize;
    /// The item of this number, from 0.
    ///
    /// # Errors
    /// It cannot be had.
    fn get(&mut self, list: &Self::List, number: usize) -> Result<Item<Self>, Self::Error>;
    /// What stands for an array. `wanted`: the elements and the shape that the function's record asks for.
    ///
    /// # Errors
    /// The array is another one, or cannot be passed.
    fn pass(&mut self, array: Self::Array, wanted: Option<(&Record, &Shape)>) -> Result<Self::Reference, Self::Error>;
    /// What stands for a dense copy of a strided array, of which the rank and the sizes fit the shape. [`Strided::gather`] copies
    /// bytes.
    ///
    /// # Errors
    /// It cannot be copied, or its elements are others.
    fn dense(
        &mut self,
        array: Strided<Self::Reference>,
        element: &Record,
        shape: &Shape,
    ) -> Result<Self::Reference, Self::Error>;
    /// The array that a reference stands for. Without `wanted` nothing is known of it: what is no array comes back as it is.
    ///
    /// # Errors
    /// It is another array than is wanted.
    fn take(
        &mut self,
        reference: Self::Reference,
        wanted: Option<(&Record, &Shape)>,
    ) -> Result<Value<Self>, Self::Error>;
}

/// An item of a virtual machine's list.
#[derive(Clone, PartialEq, Debug)]
pub enum Item<M: Machine + ?Sized> {
    /// A null reference.
    Null,
    /// An integer of 8 bits.
    I8(i8),
    /// One of 16.
    I16(i16),
    /// One of 32.
    I32(i32),
    /// One of 64.
    I64(i64),
    /// A number of 32 bits.
    F32(f32),
    /// One of 64.
    F64(f64),
    /// A list.
    List(M::List),
    /// Any other reference.
    Reference(M::Reference),
}

/// A value as callers have it.
#[derive(Clone, PartialEq, Debug)]
pub enum Value<M: Machine + ?Sized> {
    /// Nothing.
    Null,
    /// A truth.
    Bool(bool),
    /// An integer.
    Integer(i64),
    /// A number.
    Float(f64),
    /// A string's bytes.
    Bytes(Vec<u8>),
    /// A list.
    List(Vec<Value<M>>),
    /// The same, where callers have tuples, too.
    Tuple(Vec<Value<M>>),
    /// Values by their keys.
    Dict(Vec<(String, Value<M>)>),
    /// An array.
    Array(M::Array),
    /// An array with strides.
    Strided(Strided<M::Reference>),
    /// A reference of the machine's.
    Reference(M::Reference),
}

impl<M: Machine + ?Sized> Value<M> {
    /// What it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "a truth",
            Value::Integer(_) => "an integer",
            Value::Float(_) => "a floating-point number",
            Value::Bytes(_) => "a string",
            Value::List(_) => "a list",
            Value::Tuple(_) => "a tuple",
            Value::Dict(_) => "a dictionary",
            Value::Array(_) => "an array",
            Value::Strided(_) => "an array with strides",
            Value::Reference(_) => "a reference",
        }
    }
}

/// Calls a function by its records, or without them by what the values are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Invoker {
    reflection: Option<Reflection>,
}

/// Arrays of references are as deep as their rank, at most.
pub(crate) const MAX_RANK: usize = 64;

impl Invoker {
    /// One that goes by the values alone: integers have 64 bits then, and so have floating-point numbers; dictionaries are passed
    /// in the order of their keys.
    pub fn dynamic() -> Invoker {
        Invoker { reflection: None }
    }

    /// One for a function of these records.
    pub fn new(reflection: Reflection) -> Invoker {
        Invoker { reflection: Some(reflection) }
    }

    /// The list of arguments. Arguments are given in the order of the records, or by name behind those that are not.
    ///
    /// # Errors
    /// There are too few or too many, a name is unknown or given twice, or a value is not what its record says. The error points
    /// at the record.
    pub fn pack<M: Machine>(
        &self,
        machine: &mut M,
        args: Vec<Value<M>>,
        named: Vec<(String, Value<M>)>,
    ) -> Result<M::List, Error> {
        let Some(reflection) = &self.reflection else {
            if let Some((name, _)) = named.first() {
                return Err(Error::at("", format!("`{name}` is given by name, and the function says no names")));
            }
            return pack(machine, args.into_iter().map(|value| (value, None)).collect());
        };
        let (records, given) = (&reflection.args, args.len());
        if given > records.len() {
            return Err(Error::at("", format!("mismatched call arity: expected {} got {given}", records.len())));
        }
        let mut values: Vec<Option<Value<M>>> = args.into_iter().map(Some).collect();
        values.resize_with(records.len(), || None);
        for (name, value) in named {
            let is_it = |r: &Record| matches!(r, Record::Named { name: own, .. } if *own == name);
            let Some(i) = records.iter().position(is_it) else {
                return Err(Error::at("", format!("specified kwarg '{name}' is unknown")));
            };
            if values[i].replace(value).is_some() {
                return Err(Error::at(
                    &format!("/a/{i}"),
                    format!("mismatched call arity: duplicate keyword argument '{name}'"),
                ));
            }
        }
        if let Some(i) = values.iter().position(Option::is_none) {
            let message = format!("mismatched call arity: expected a value for argument {i}");
            return Err(Error::at(&format!("/a/{i}"), message));
        }
        let slots = values.into_iter().flatten().zip(records.iter().map(|record| Some(record.unnamed())));
        pack(machine, slots.collect())
    }

    /// The results that a list of them stands for. Those of a function whose only result is a list, tuple or dictionary are its
    /// slots.
    ///
    /// # Errors
    /// They are not what the records say. The error points at the record.
    pub fn unpack<M: Machine>(&self, machine: &mut M, results: &M::List) -> Result<Vec<Value<M>>, Error> {
        unpack(
            machine,
            results,
            match self.reflection.as_ref().map(|r| &r.results[..]) {
                None => Root::Dynamic,
                Some([only]) if only.slots().is_some() => Root::Only(only),
                Some(all) => Root::Each(all),
            },
        )
    }
}
