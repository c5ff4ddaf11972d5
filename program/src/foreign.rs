//! Types that only translation needs, and names of types.

use std::collections::HashMap;

use crate::refusal::Result;
use crate::types::{Kind, PTR, TypeId, TypeTable};

/// A type for which no code is generated.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Foreign {
    /// `<vscale x len x lane>`.
    Scalable {
        /// The type of the lanes.
        lane: TypeId,
        /// How many there are at least.
        len: u32,
    },
    /// A pointer into this address space, which is not 0.
    Pointer(u32),
    /// An integer with more bits than values have here.
    Integer(u32),
    /// `x86_amx`, `x86_mmx`, `ppc_fp128`.
    Named(&'static str),
    /// `target("…", …)`: the text in the parentheses.
    Target(Vec<u8>),
    /// The type of a function.
    Function {
        /// The result's type.
        ret: TypeId,
        /// The parameters' types.
        params: Vec<TypeId>,
        /// It takes further arguments.
        variadic: bool,
    },
}

/// What a table of types has for translation only.
#[derive(Clone, Default)]
pub struct Carried {
    names: HashMap<TypeId, Vec<u8>>,
    named: Vec<TypeId>,
    by_type: HashMap<Foreign, TypeId>,
    foreign: HashMap<TypeId, Foreign>,
}

impl TypeTable {
    /// Makes the table take types without code, and names.
    pub fn carry(&mut self) {
        self.carried.get_or_insert_default();
    }

    /// Does the table take types without code?
    #[inline]
    pub fn carries(&self) -> bool {
        self.carried.is_some()
    }

    /// The type without code, if it is one.
    pub fn foreign(&self, id: TypeId) -> Option<&Foreign> {
        self.carried.as_ref()?.foreign.get(&id)
    }

    /// The number of such a type, in a table that [takes](Self::carry) them.
    pub fn foreign_type(&mut self, ty: Foreign) -> Result<TypeId> {
        if let Some(&id) = self.carried.as_ref().and_then(|c| c.by_type.get(&ty)) {
            return Ok(id);
        }
        let id = self.add(match ty {
            Foreign::Scalable { lane, len } => Kind::Vector { lane, len },
            Foreign::Pointer(_) => Kind::Ptr,
            _ => Kind::Special,
        });
        if let Some(carried) = &mut self.carried {
            carried.by_type.insert(ty.clone(), id);
            carried.foreign.insert(id, ty);
        }
        self.finish(id)
    }

    /// The type of pointers into an address space, in a table that takes them.
    pub fn pointer_in(&mut self, space: u32) -> Result<TypeId> {
        if space == 0 { Ok(PTR) } else { self.foreign_type(Foreign::Pointer(space)) }
    }

    /// The address space of a type of pointers.
    pub fn address_space(&self, id: TypeId) -> u32 {
        match self.foreign(id) {
            Some(&Foreign::Pointer(space)) => space,
            _ => 0,
        }
    }

    /// A vector of other lanes with the length of `like`, or a scalar if that is no vector.
    pub fn as_long_as(&mut self, like: TypeId, lane: TypeId) -> Result<TypeId> {
        match (self.foreign(like), self.get(like).kind) {
            (Some(&Foreign::Scalable { len, .. }), _) => self.foreign_type(Foreign::Scalable { lane, len }),
            (_, Kind::Vector { len, .. }) => self.vector(lane, len),
            _ => Ok(lane),
        }
    }

    /// Gives a struct its name.
    pub fn set_name(&mut self, id: TypeId, name: &[u8]) {
        if let Some(carried) = &mut self.carried
            && carried.names.insert(id, name.to_vec()).is_none()
        {
            carried.named.push(id);
        }
    }

    /// The name of a struct that has one.
    pub fn name(&self, id: TypeId) -> Option<&[u8]> {
        self.carried.as_ref()?.names.get(&id).map(Vec::as_slice)
    }

    /// Structs with names, in the order in which these were given.
    pub fn named(&self) -> &[TypeId] {
        self.carried.as_ref().map_or(&[], |c| &c.named)
    }
}
