//! Structures of IREE's local devices (IREE, `runtime/src/iree/hal/local/executable_library.h` and
//! `executable_plugin.h`): libraries of functions that are dispatched, and plugins with functions that these call.
//! Sizes and offsets are those of a target's C.

use gusset_abi::{AbiTarget, CType};

use crate::structure::{ptr, structure, u8, u16, u32, u64, word};

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

/// A count, and an array.
fn list(target: &AbiTarget) -> CType {
    CType::structure([u32(target), ptr(target)])
}

fn reserved(_: &AbiTarget) -> CType {
    CType::array(CType::U64, 5)
}

fn reserved_of_plugin(_: &AbiTarget) -> CType {
    CType::array(CType::U64, 8)
}

structure! {
    /// A library.
    Library {
        /// Its header's address.
        header: ptr,
        /// The functions that it imports from plugins: a count, and an array of names.
        imports: list,
        /// Its functions ([`Exports`]).
        exports: Exports::c_type,
        /// Number of constants that it is given when it is loaded.
        constants: u32,
        /// Its source files: a count, and an array.
        sources: list,
    }

    /// The header of a library.
    LibraryHeader {
        /// [`LIBRARY_VERSION`].
        version: u32,
        /// Its name.
        name: ptr,
        /// The features that it needs of the host.
        features: u32,
        /// The sanitizer that it is made for.
        sanitizer: u32,
    }

    /// The functions of a library, as arrays indexed by function.
    Exports {
        /// How many.
        count: u32,
        /// Their addresses.
        functions: ptr,
        /// Their attributes ([`DispatchAttrs`]).
        attrs: ptr,
        /// Their parameters.
        params: ptr,
        /// How much of the device they occupy.
        occupancy: ptr,
        /// Their names, by which programs find them.
        names: ptr,
        /// Notes for people.
        tags: ptr,
        /// Names of parameters.
        parameter_names: ptr,
        /// Their positions in the source.
        source_locations: ptr,
        /// Their positions in the texts of compilation stages.
        stage_locations: ptr,
    }

    /// The attributes of a dispatched function.
    DispatchAttrs {
        /// Flags.
        flags: u64,
        /// Pages of local memory.
        local_memory_pages: u16,
        /// Constants, of 32 bits each.
        constants: u8,
        /// Bindings.
        bindings: u8,
        /// Size of a workgroup.
        workgroup_size_x: u32,
        /// Size of a workgroup.
        workgroup_size_y: u32,
        /// Size of a workgroup.
        workgroup_size_z: u16,
        /// Parameters that are described.
        parameters: u16,
        /// Zero.
        reserved: reserved,
    }

    /// The arguments of a dispatched function.
    DispatchState {
        /// Size of a workgroup.
        workgroup_size_x: u32,
        /// Size of a workgroup.
        workgroup_size_y: u32,
        /// Size of a workgroup.
        workgroup_size_z: u16,
        /// How many constants.
        constant_count: u16,
        /// Number of workgroups.
        workgroup_count_x: u32,
        /// Number of workgroups.
        workgroup_count_y: u32,
        /// Number of workgroups.
        workgroup_count_z: u16,
        /// Number of workgroups that run at a time.
        max_concurrency: u8,
        /// How many bindings.
        binding_count: u8,
        /// The constants, 32 bits each.
        constants: ptr,
        /// The addresses of the bindings.
        bindings: ptr,
        /// Their lengths in bytes.
        lengths: ptr,
    }

    /// A plugin.
    Plugin {
        /// Its header's address.
        header: ptr,
        /// `status load(const environment *, size_t n, const pair *params, void **self)`.
        load: ptr,
        /// `void unload(void *self)`.
        unload: ptr,
        /// `status resolve(void *self, const resolution *, u32 *missing)`, with a [`Resolution`].
        resolve: ptr,
    }

    /// The header of a plugin.
    PluginHeader {
        /// [`PLUGIN_VERSION`].
        version: u32,
        /// Its name.
        name: ptr,
        /// A description for people.
        description: ptr,
        /// The features that it needs of the host.
        features: u32,
        /// The sanitizer that it is made for.
        sanitizer: u32,
        /// Zero.
        reserved: reserved_of_plugin,
    }

    /// The functions that a plugin is asked for.
    Resolution {
        /// How many.
        count: word,
        /// Their names; `?` before a name means that it is optional.
        names: ptr,
        /// Receives their addresses, except where one is set already.
        functions: ptr,
        /// Receives their contexts.
        contexts: ptr,
    }
}
