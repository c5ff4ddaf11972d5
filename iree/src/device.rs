//! Structures of what IREE's local devices run (IREE, `runtime/src/iree/hal/local/executable_library.h` and
//! `executable_plugin.h`): libraries of functions that are dispatched, and plugins with functions that these call. Sizes and offsets
//! are those of a target's C.

use gusset_abi::CType;

use crate::structure::{Kinds, structure};

/// The function that a library has, and the only one that need be seen from outside.
pub const LIBRARY_QUERY: &str = "iree_hal_executable_library_query";
/// The version of libraries that these structures are.
pub const LIBRARY_VERSION: u32 = 6;
/// A function that is dispatched has no more constants.
pub const MAX_CONSTANTS: usize = 64;
/// A function that is dispatched has no more bindings.
pub const MAX_BINDINGS: usize = 64;

/// The function that a plugin has, and the only one that need be seen from outside.
pub const PLUGIN_QUERY: &str = "iree_hal_executable_plugin_query";
/// The version of plugins that these structures are.
pub const PLUGIN_VERSION: u32 = 1;
/// A plugin's feature: it needs nothing of the system.
pub const PLUGIN_STANDALONE: u32 = 1;
/// The status of a plugin that does not have all functions that are asked for.
pub const NOT_FOUND: i64 = 5;
/// What a plugin answers where it lacks functions that may be missing.
pub const MISSING_OPTIONAL: i64 = 1;

impl Kinds<'_> {
    fn imports(&self) -> CType {
        CType::structure([self.u32(), self.ptr()])
    }
    fn exports(&self) -> CType {
        Exports::c_type(self.target)
    }
    fn reserved(&self) -> CType {
        CType::array(self.u64(), 5)
    }
    fn reserved_of_plugin(&self) -> CType {
        CType::array(self.u64(), 8)
    }
}

structure! {
    /// A library.
    Library {
        /// Its header's address.
        header: Kinds::ptr,
        /// What it wants of plugins: a count, and an array of names.
        imports: Kinds::imports,
        /// Its functions ([`Exports`]).
        exports: Kinds::exports,
        /// How many constants it is given when it is loaded.
        constants: Kinds::u32,
        /// What it was made of: a count, and an array.
        sources: Kinds::imports,
    }
}
structure! {
    /// The header of a library.
    LibraryHeader {
        /// [`LIBRARY_VERSION`].
        version: Kinds::u32,
        /// Its name.
        name: Kinds::ptr,
        /// What it needs of the host.
        features: Kinds::u32,
        /// Which sanitizer it is made for.
        sanitizer: Kinds::u32,
    }
}
structure! {
    /// The functions of a library, in arrays by number.
    Exports {
        /// How many.
        count: Kinds::u32,
        /// Their addresses.
        functions: Kinds::ptr,
        /// What they take ([`DispatchAttrs`]).
        attrs: Kinds::ptr,
        /// Their parameters.
        params: Kinds::ptr,
        /// How much of the device they use.
        occupancy: Kinds::ptr,
        /// Their names, by which programs find them.
        names: Kinds::ptr,
        /// Notes for people.
        tags: Kinds::ptr,
        /// Names of parameters.
        parameter_names: Kinds::ptr,
        /// Where they are in sources.
        source_locations: Kinds::ptr,
        /// Where they are at stages of their compilation.
        stage_locations: Kinds::ptr,
    }
}
structure! {
    /// What a function that is dispatched takes.
    DispatchAttrs {
        /// Flags.
        flags: Kinds::u64,
        /// Pages of memory of its own.
        local_memory_pages: Kinds::u16,
        /// Constants, of 32 bits each.
        constants: Kinds::u8,
        /// Bindings.
        bindings: Kinds::u8,
        /// Size of a workgroup.
        workgroup_size_x: Kinds::u32,
        /// Size of a workgroup.
        workgroup_size_y: Kinds::u32,
        /// Size of a workgroup.
        workgroup_size_z: Kinds::u16,
        /// Parameters that are described.
        parameters: Kinds::u16,
        /// Zero.
        reserved: Kinds::reserved,
    }
}
structure! {
    /// What a function that is dispatched gets.
    DispatchState {
        /// Size of a workgroup.
        workgroup_size_x: Kinds::u32,
        /// Size of a workgroup.
        workgroup_size_y: Kinds::u32,
        /// Size of a workgroup.
        workgroup_size_z: Kinds::u16,
        /// How many constants.
        constant_count: Kinds::u16,
        /// Number of workgroups.
        workgroup_count_x: Kinds::u32,
        /// Number of workgroups.
        workgroup_count_y: Kinds::u32,
        /// Number of workgroups.
        workgroup_count_z: Kinds::u16,
        /// How many workgroups run at a time.
        max_concurrency: Kinds::u8,
        /// How many bindings.
        binding_count: Kinds::u8,
        /// The constants, of 32 bits each.
        constants: Kinds::ptr,
        /// The addresses of the bindings.
        bindings: Kinds::ptr,
        /// Their lengths in bytes.
        lengths: Kinds::ptr,
    }
}
structure! {
    /// A plugin.
    Plugin {
        /// Its header's address.
        header: Kinds::ptr,
        /// `status load(const environment *, size_t n, const pair *params, void **self)`.
        load: Kinds::ptr,
        /// `void unload(void *self)`.
        unload: Kinds::ptr,
        /// `status resolve(void *self, const resolution *, u32 *missing)`, with a [`Resolution`].
        resolve: Kinds::ptr,
    }
}
structure! {
    /// The header of a plugin.
    PluginHeader {
        /// [`PLUGIN_VERSION`].
        version: Kinds::u32,
        /// Its name.
        name: Kinds::ptr,
        /// A word about it.
        description: Kinds::ptr,
        /// What it needs of the host.
        features: Kinds::u32,
        /// Which sanitizer it is made for.
        sanitizer: Kinds::u32,
        /// Zero.
        reserved: Kinds::reserved_of_plugin,
    }
}
structure! {
    /// The functions that a plugin is asked for.
    Resolution {
        /// How many.
        count: Kinds::word,
        /// Their names; one that may be missing has a `?` in front.
        names: Kinds::ptr,
        /// Where their addresses go, unless one is there.
        functions: Kinds::ptr,
        /// Where what they get as context goes.
        contexts: Kinds::ptr,
    }
}
