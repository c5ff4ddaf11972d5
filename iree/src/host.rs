//! Structures that a module shares with the runtime that loads it (IREE, `runtime/src/iree/vm/module.h` and `ref.h`;
//! those marked as not public are the runtime's own, as in versions 3.10 to 3.13). Sizes and offsets are those of a
//! target's C.

use gusset_abi::{AbiTarget, CType};

use crate::structure::{ptr, structure, u8, u16, u32, u64, word};

/// A list's item: a number of 64 bits, or a reference.
fn payload(target: &AbiTarget) -> CType {
    CType::union([CType::U64, Reference::c_type(target)])
}

structure! {
    /// All of them for a target.
    struct Host;

    /// A string or a span of bytes.
    View as view {
        /// Its first byte.
        data: ptr,
        /// Its bytes.
        len: word,
    }

    /// A key and its value.
    Pair as pair {
        /// The key.
        key: View::c_type,
        /// The value.
        value: View::c_type,
    }

    /// An allocator of memory.
    Allocator as allocator {
        /// The first argument of its function.
        this: ptr,
        /// `status ctl(this, u32 command, const void *params, void **inout)`.
        ctl: ptr,
    }

    /// A reference to an object.
    Reference as reference {
        /// The object.
        object: ptr,
        /// The address of the type's [`Descriptor`], with the offset of the reference count divided by 4 in its low three bits.
        ty: word,
    }

    /// The description of a type.
    Descriptor as descriptor {
        /// `void destroy(object)`.
        destroy: ptr,
        /// The type's name.
        name: View::c_type,
    }

    /// A function, as modules refer to it to each other.
    FunctionRef as function {
        /// The [`Interface`] of its module.
        module: ptr,
        /// Its role there: [`linkage`].
        linkage: u16,
        /// Its index among those of the same role.
        ordinal: u16,
    }

    /// The contents of a module.
    ModuleSignature as signature {
        /// Its version.
        version: u32,
        /// Count of its attributes.
        attrs: word,
        /// Number of imported functions.
        imports: word,
        /// Number of exported functions.
        exports: word,
        /// Number of internal functions.
        internals: word,
    }

    /// A module that another one needs.
    Dependency as dependency {
        /// Its name.
        name: View::c_type,
        /// The oldest version that suffices.
        version: u32,
        /// 1: required; 2: optional.
        flags: u32,
    }

    /// A call.
    Call as call {
        /// The function to call.
        function: FunctionRef::c_type,
        /// The block of arguments.
        args: View::c_type,
        /// The block of results.
        results: View::c_type,
    }

    /// A module: every field but `this` and the count is a function.
    Interface as interface {
        /// The first argument of all functions.
        this: ptr,
        /// References to the module.
        count: u32,
        /// `void destroy(this)`.
        destroy: ptr,
        /// `view name(this)`.
        name: ptr,
        /// `module_signature signature(this)`.
        signature: ptr,
        /// `status enumerate_dependencies(this, callback, user)`; the callback gets `user` and a [`Dependency`].
        enumerate_dependencies: ptr,
        /// `status get_module_attr(this, index, pair *out)`.
        get_module_attr: ptr,
        /// `status lookup_function(this, u32 linkage, view name, const view *convention, function *out)`.
        lookup_function: ptr,
        /// `status get_function(this, u32 linkage, word ordinal, function *out, view *name, view *convention)`.
        get_function: ptr,
        /// `status get_function_attr(this, u32 linkage, word ordinal, word index, pair *out)`.
        get_function_attr: ptr,
        /// May be null.
        resolve_source_location: ptr,
        /// `status alloc_state(this, allocator, void **out)`.
        alloc_state: ptr,
        /// `void free_state(this, state)`.
        free_state: ptr,
        /// `status fork_state(this, parent, allocator, void **out)`.
        fork_state: ptr,
        /// `status resolve_import(this, state, word ordinal, const function *, const view *convention)`.
        resolve_import: ptr,
        /// `status notify(this, state, u32 signal)`.
        notify: ptr,
        /// `status begin_call(this, stack, call)`.
        begin_call: ptr,
        /// `status resume_call(this, stack, span results)`.
        resume_call: ptr,
    }

    /// A status with a message, allocated by C's `aligned_alloc` at a multiple of 32. A status is the address with the
    /// code in its low bits. The runtime's own, not public.
    Status as status {
        /// First of the payloads added to it.
        head: ptr,
        /// Last of that.
        tail: ptr,
        /// The file that raised it, or null.
        file: ptr,
        /// The line in that file.
        line: u32,
        /// The message.
        message: View::c_type,
    }

    /// The stack of an invocation. The runtime's own, not public.
    Stack as stack {
        /// The top frame.
        top: ptr,
        /// Bytes in use.
        used: word,
        /// Its capacity in bytes.
        capacity: word,
        /// The frames.
        storage: ptr,
        /// Whether it owns that memory.
        owned: u8,
        /// Flags of the invocation.
        flags: u32,
        /// The first argument of `query`.
        resolver: ptr,
        /// `status query(resolver, module, void **state)`: the state of a module in the invocation's context.
        query: ptr,
        /// The [`Allocator`] of the context.
        allocator: Allocator::c_type,
    }

    /// A buffer of a local device. The runtime's own, not public.
    Buffer as buffer {
        /// The reference count.
        count: u32,
        /// Its functions: [`BufferTable`].
        table: ptr,
        /// The buffer that contains it, or itself.
        root: ptr,
        /// Bytes of that.
        allocation: u64,
        /// Its offset in that buffer, in bytes.
        offset: u64,
        /// Its bytes.
        len: u64,
    }

    /// The functions of a buffer. The runtime's own, not public.
    BufferTable as buffer_table {
        /// `void recycle(buffer)`.
        recycle: ptr,
        /// `void destroy(buffer)`.
        destroy: ptr,
        /// `status map_range(root, u32 mode, u16 access, u64 offset, u64 length, mapping *)`; the first word of the mapping becomes
        /// the data's address.
        map_range: ptr,
    }

    /// `!util.buffer`, the virtual machine's memory (IREE, `vm/buffer.h`).
    Memory as memory {
        /// The reference count.
        count: u32,
        /// The allowed accesses.
        access: u32,
        /// Its bytes.
        data: View::c_type,
    }

    /// `!util.list`. The runtime's own, not public.
    List as list {
        /// The reference count.
        count: u32,
        /// Its [`Allocator`].
        allocator: Allocator::c_type,
        /// Number of items that it has room for.
        capacity: word,
        /// Items.
        len: word,
        /// The type of its items.
        ty: word,
        /// Bytes of an item.
        item: word,
        /// How items are stored: 0 numbers, 1 references, 2 [`Variant`]s.
        mode: u32,
        /// The items.
        items: ptr,
    }

    /// An item of a list that holds any types. The runtime's own, not public.
    Variant as variant {
        /// 0: null; 1 to 6: a number of 8, 16, 32 or 64 bits, or a floating-point number of 32 or 64 bits; otherwise
        /// the type of a reference.
        ty: word,
        /// The number or the reference.
        payload: payload,
    }
}

/// Roles of a function in a module.
pub mod linkage {
    /// The module imports the function.
    pub const IMPORT: u32 = 1;
    /// The module exports the function.
    pub const EXPORT: u32 = 2;
}

/// Codes of statuses.
pub mod code {
    /// An argument is wrong.
    pub const INVALID_ARGUMENT: u32 = 3;
    /// Not found.
    pub const NOT_FOUND: u32 = 5;
    /// No memory is left.
    pub const RESOURCE_EXHAUSTED: u32 = 8;
    /// A precondition does not hold.
    pub const FAILED_PRECONDITION: u32 = 9;
    /// An index is out of range.
    pub const OUT_OF_RANGE: u32 = 11;
    /// This is not done.
    pub const UNIMPLEMENTED: u32 = 12;
    /// Not available at present.
    pub const UNAVAILABLE: u32 = 14;
    /// The call waits for something.
    pub const DEFERRED: u32 = 17;
    /// Versions do not fit.
    pub const INCOMPATIBLE: u32 = 18;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_of_64_bits() {
        let target = AbiTarget::from_triple("x86_64-unknown-linux-gnu", gusset_abi::AbiFeatures::default()).unwrap();
        let host = Host::new(&target).unwrap();
        let sizes =
            [host.view.size, host.pair.size, host.call.size, host.interface.size, host.list.size, host.variant.size];
        assert_eq!(sizes, [16, 32, 48, 144, 72, 24]);
        let interface: Vec<i32> = host.interface.fields().iter().map(|f| f.1).collect();
        assert_eq!(interface, (0..18).map(|i| 8 * i).collect::<Vec<_>>());
        assert_eq!([host.stack.resolver, host.stack.query, host.stack.allocator], [40, 48, 56]);
        assert_eq!([host.buffer.table, host.buffer.root, host.buffer.offset, host.buffer.len], [8, 16, 32, 40]);
        assert_eq!([host.list.len, host.list.mode, host.list.items], [32, 56, 64]);
    }
}
