//! The interface of a virtual machine, as calls need it: lists and items, and the values of callers.

use crate::record::{Record, Shape};
use crate::strided::Strided;

/// Largest rank of an array of references.
pub(crate) const MAX_RANK: usize = 64;

/// A virtual machine, as far as calls need it: its lists, and the conversion of arrays. An example is at [the crate's page](crate).
pub trait Machine {
    /// A list of [items](Item).
    type List;
    /// A reference to anything else.
    type Reference;
    /// The caller's arrays.
    type Array;
    /// Why something cannot be done.
    type Error: std::fmt::Display;

    /// A new list with room for `capacity` items, all of type `element`, or of any types if that is none.
    ///
    /// # Errors
    /// The machine has no such list.
    fn new_list(&mut self, element: Option<&Record>, capacity: usize) -> Result<Self::List, Self::Error>;
    /// Appends an item.
    ///
    /// # Errors
    /// The list does not accept the item.
    fn push(&mut self, list: &mut Self::List, item: Item<Self>) -> Result<(), Self::Error>;
    /// Number of items in a list.
    fn len(&self, list: &Self::List) -> usize;
    /// Item `number` of a list, counted from 0.
    ///
    /// # Errors
    /// The item is not accessible.
    fn get(&mut self, list: &Self::List, number: usize) -> Result<Item<Self>, Self::Error>;
    /// The reference for an array. `wanted`: the elements and the shape that the function's record requires.
    ///
    /// # Errors
    /// The array does not match, or cannot be passed.
    fn pass(&mut self, array: Self::Array, wanted: Option<(&Record, &Shape)>) -> Result<Self::Reference, Self::Error>;
    /// The reference for a dense copy of a strided array, whose rank and sizes match the shape. [`Strided::gather`]
    /// copies bytes.
    ///
    /// # Errors
    /// The array cannot be copied, or has other elements.
    fn dense(
        &mut self,
        array: Strided<Self::Reference>,
        element: &Record,
        shape: &Shape,
    ) -> Result<Self::Reference, Self::Error>;
    /// The array of a reference. Without `wanted`, nothing is known of it: a reference that is no array is returned
    /// unchanged.
    ///
    /// # Errors
    /// The array does not match.
    fn take(
        &mut self,
        reference: Self::Reference,
        wanted: Option<(&Record, &Shape)>,
    ) -> Result<Value<Self>, Self::Error>;
}

/// An item of a virtual machine's list. An example is at [the crate's page](crate).
#[derive(Clone, PartialEq, Debug)]
pub enum Item<M: Machine + ?Sized> {
    /// A null reference.
    Null,
    /// An integer of 8 bits.
    I8(i8),
    /// An integer of 16 bits.
    I16(i16),
    /// An integer of 32 bits.
    I32(i32),
    /// An integer of 64 bits.
    I64(i64),
    /// A number of 32 bits.
    F32(f32),
    /// A floating-point number of 64 bits.
    F64(f64),
    /// A list.
    List(M::List),
    /// Any other reference.
    Reference(M::Reference),
}

/// A caller's value. An example is at [the crate's page](crate).
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
    /// A list, for callers that have tuples, too.
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
    /// Its kind, for messages.
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
    /// The strided array that a result with the [record](Strided::record) of one stands for.
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

    /// The bytes of a string, which as a result is a list of 8-bit integers.
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
