//! Calls functions by their records: converts callers' values to those that the virtual machine passes, and back (IREE,
//! "Function ABI"; as IREE's own invoker for Python does).

use crate::error::Error;
use crate::machine::{Machine, Value};
use crate::pack::pack;
use crate::record::{Record, Reflection};
use crate::unpack::{Root, unpack};

/// Calls a function by its records, or, without records, by the values alone. An example is at [the crate's page](crate).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Invoker {
    reflection: Option<Reflection>,
}

impl Invoker {
    /// An invoker that goes by the values alone: integers and floating-point numbers have 64 bits, and dictionaries are
    /// passed in the order of their keys.
    pub fn dynamic() -> Invoker {
        Invoker { reflection: None }
    }

    /// An invoker for a function with these records.
    pub fn new(reflection: Reflection) -> Invoker {
        Invoker { reflection: Some(reflection) }
    }

    /// Makes the list of arguments. Arguments are given in the order of the records, or by name after those without
    /// one.
    ///
    /// # Errors
    /// There are too few or too many arguments, a name is unknown or given twice, or a value does not match its record.
    /// The error points at the record.
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

    /// The results in a list that the function returned. If the function's only result is a list, tuple or dictionary,
    /// the list holds its slots.
    ///
    /// # Errors
    /// The results do not match the records. The error points at the record.
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
