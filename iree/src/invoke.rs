//! Calls of functions by their records: what callers have becomes what the virtual machine passes, and back (IREE, "Function
//! ABI"; what its own invoker for Python does with it).

use crate::error::Error;
use crate::machine::{Machine, Value};
use crate::pack::pack;
use crate::record::{Record, Reflection};
use crate::unpack::{Root, unpack};

/// Calls a function by its records, or without them by what the values are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Invoker {
    reflection: Option<Reflection>,
}

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
