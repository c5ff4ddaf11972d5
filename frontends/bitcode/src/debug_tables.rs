//! What a module keeps of its debug information, by numbers of nodes.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gusset_lower::debug_info::{DebugInfoUses, IN_PLACE, LocationFields};

use crate::metadata::Metadata;

/// The metadata of a function, and the number of its first node.
#[derive(Debug)]
pub(crate) struct FunctionNodes {
    /// The number of the function's value.
    pub value: u32,
    pub first: u32,
    pub metadata: Metadata,
    /// Instructions by number, with the nodes that tell their assignments apart.
    pub assignments: HashMap<u64, u64>,
}

/// The debug information of a module.
#[derive(Default)]
pub(crate) struct DebugTables {
    /// Functions keep their debug information.
    pub keeps: bool,
    /// Where the module refers to it.
    pub uses: DebugInfoUses,
    /// Functions with their nodes, in the order of numbers.
    pub functions: Vec<FunctionNodes>,
    /// The number of all nodes.
    pub count: u32,
    /// Subprograms of before LLVM 3.9, with the units that list them.
    pub units: HashMap<u32, u32>,
    /// Types by the identifiers with which nodes of before LLVM 3.9 refer to them.
    pub identifiers: HashMap<Vec<u8>, u32>,
    /// Values of the module's with the nodes of debug information that older versions have said otherwise than by attaching them.
    pub upgraded: Vec<(u32, u32)>,
    /// The locations of instructions.
    locations: Mutex<Vec<LocationFields>>,
    /// Intrinsics for debug records, by the numbers of their values, with the rest of their names.
    pub intrinsics: HashMap<u32, Vec<u8>>,
}

impl DebugTables {
    /// Tables of functions whose nodes come after so many of the module's.
    pub fn after(nodes: usize) -> DebugTables {
        let count = u32::try_from(nodes).unwrap_or(IN_PLACE).min(IN_PLACE);
        DebugTables { count, ..DebugTables::default() }
    }

    /// Keeps the nodes of a function whose value has a number, after those of the functions before it.
    pub fn add_nodes(&mut self, value: u32, metadata: Metadata, assignments: HashMap<u64, u64>) {
        let first = self.count;
        self.count = first.saturating_add(metadata.nodes.len() as u32).min(IN_PLACE);
        self.functions.push(FunctionNodes { value, first, metadata, assignments });
    }

    /// The locations of instructions so far.
    pub fn locations(&self) -> MutexGuard<'_, Vec<LocationFields>> {
        self.locations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a number to a location.
    pub fn add_location(&self, location: LocationFields) -> u32 {
        let mut all = self.locations();
        all.push(location);
        (all.len() as u32 - 1) | IN_PLACE
    }

    /// The nodes of the function whose value has a number.
    pub fn of_function(&self, value: u32) -> Option<&FunctionNodes> {
        let at = self.functions.binary_search_by_key(&value, |function| function.value).ok()?;
        Some(&self.functions[at])
    }
}
