//! A virtual machine as calls see it: its lists and items, and the values that callers have.

use crate::record::{Record, Shape};
use crate::strided::Strided;

/// Arrays of references are as deep as their rank, at most.
pub(crate) const MAX_RANK: usize = 64;

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

impl<M: Machine> Value<M> {
    /// The strided array that a result of its [record](Strided::record) is.
    pub fn strided(self) -> Option<Strided<M::Reference>> {
        let all = match self {
            Value::Strided(strided) => return Some(strided),
            Value::Tuple(all) | Value::List(all) => all,
            _ => return None,
        };
        let [Value::Reference(buffer), Value::Integer(offset), Value::List(sizes), Value::List(strides)] =
            <[Value<M>; 4]>::try_from(all).ok()?
        else {
            return None;
        };
        let number = |value: &Value<M>| if let Value::Integer(n) = value { Some(*n) } else { None };
        let sizes = sizes.iter().map(|size| u64::try_from(number(size)?).ok()).collect::<Option<Vec<_>>>()?;
        let strides = strides.iter().map(number).collect::<Option<Vec<_>>>()?;
        (sizes.len() == strides.len()).then_some(Strided { buffer, offset, sizes, strides })
    }

    /// The bytes of a string, which as a result is a list of integers of 8 bits.
    pub fn bytes(self) -> Option<Vec<u8>> {
        let byte = |value: Value<M>| match value {
            Value::Integer(n) => i8::try_from(n).ok().map(|n| n as u8),
            _ => None,
        };
        match self {
            Value::Bytes(bytes) => Some(bytes),
            Value::List(all) => all.into_iter().map(byte).collect(),
            _ => None,
        }
    }
}
