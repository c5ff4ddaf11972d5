//! Structures of IREE's local devices (IREE, `runtime/src/iree/hal/local/executable_library.h` and
//! `executable_plugin.h`): libraries of functions that are dispatched, and plugins with functions that these call.
//! Sizes and offsets are those of a target's C.

use gusset_abi::CType;

use crate::structure::{Kinds, structure};

/// Symbol of a library's function, the only one that must be visible.
pub const LIBRARY_QUERY: &str = "iree_hal_executable_library_query";
/// The version of libraries that these structures describe.
pub const LIBRARY_VERSION: u32 = 6;
/// Most constants of a dispatched function.
pub const MAX_CONSTANTS: usize = 64;
/// Most bindings of a dispatched function.
pub const MAX_BINDINGS: usize = 64;

/// Symbol of a plugin's function, the only one that must be visible.
pub const PLUGIN_QUERY: &str = "iree_hal_executable_plugin_query";
/// The version of plugins that these structures describe.
pub const PLUGIN_VERSION: u32 = 1;
/// A plugin's feature: it needs nothing of the system.
pub const PLUGIN_STANDALONE: u32 = 1;
/// The status of a plugin that lacks some required function.
pub const NOT_FOUND: i64 = 5;
/// The answer of a plugin that lacks optional functions.
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
        /// The functions that it imports from plugins: a count, and an array of names.
        imports: Kinds::imports,
        /// Its functions ([`Exports`]).
        exports: Kinds::exports,
        /// Number of constants that it is given when it is loaded.
        constants: Kinds::u32,
        /// Its source files: a count, and an array.
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
        /// The features that it needs of the host.
        features: Kinds::u32,
        /// The sanitizer that it is made for.
        sanitizer: Kinds::u32,
    }
}
structure! {
    /// The functions of a library, as arrays indexed by function.
    Exports {
        /// How many.
        count: Kinds::u32,
        /// Their addresses.
        functions: Kinds::ptr,
        /// Their attributes ([`DispatchAttrs`]).
        attrs: Kinds::ptr,
        /// Their parameters.
        params: Kinds::ptr,
        /// How much of the device they occupy.
        occupancy: Kinds::ptr,
        /// Their names, by which programs find them.
        names: Kinds::ptr,
        /// Notes for people.
        tags: Kinds::ptr,
        /// Names of parameters.
        parameter_names: Kinds::ptr,
        /// Their positions in the source.
        source_locations: Kinds::ptr,
        /// Their positions in the texts of compilation stages.
        stage_locations: Kinds::ptr,
    }
}
structure! {
    /// The attributes of a dispatched function.
    DispatchAttrs {
        /// Flags.
        flags: Kinds::u64,
        /// Pages of local memory.
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
    /// The arguments of a dispatched function.
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
        /// Number of workgroups that run at a time.
        max_concurrency: Kinds::u8,
        /// How many bindings.
        binding_count: Kinds::u8,
        /// The constants, 32 bits each.
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
        /// A description for people.
        description: Kinds::ptr,
        /// The features that it needs of the host.
        features: Kinds::u32,
        /// The sanitizer that it is made for.
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
        /// Their names; `?` before a name means that it is optional.
        names: Kinds::ptr,
        /// Receives their addresses, except where one is set already.
        functions: Kinds::ptr,
        /// Receives their contexts.
        contexts: Kinds::ptr,
    }
}
