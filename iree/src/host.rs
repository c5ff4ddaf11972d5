//! Structures that a module shares with the runtime that loads it (IREE, `runtime/src/iree/vm/module.h` and `ref.h`;
//! those marked as not public are the runtime's own, as in versions 3.10 to 3.13). Sizes and offsets are those of a
//! target's C.

use gusset_abi::{AbiError, CType, Target};

use crate::structure::{Kinds, structure};

impl Kinds<'_> {
    fn view(&self) -> CType {
        View::c_type(self.target)
    }
    fn pair_of_pointers(&self) -> CType {
        CType::structure([CType::PTR, CType::PTR])
    }
    fn reference(&self) -> CType {
        Reference::c_type(self.target)
    }
    fn function(&self) -> CType {
        FunctionRef::c_type(self.target)
    }
    /// A list's item: a number of 64 bits, or a reference.
    fn payload(&self) -> CType {
        CType::union([self.u64(), self.reference()])
    }
}

structure! {
    /// A string or a span of bytes.
    View {
        /// Its first byte.
        data: Kinds::ptr,
        /// Its bytes.
        len: Kinds::word,
    }
}
structure! {
    /// A key and its value.
    Pair {
        /// The key.
        key: Kinds::view,
        /// The value.
        value: Kinds::view,
    }
}
structure! {
    /// An allocator of memory.
    Allocator {
        /// The first argument of its function.
        this: Kinds::ptr,
        /// `status ctl(this, u32 command, const void *params, void **inout)`.
        ctl: Kinds::ptr,
    }
}
structure! {
    /// A reference to an object.
    Reference {
        /// The object.
        object: Kinds::ptr,
        /// The address of the type's [`Descriptor`], with the offset of the reference count divided by 4 in its low three bits.
        ty: Kinds::word,
    }
}
structure! {
    /// The description of a type.
    Descriptor {
        /// `void destroy(object)`.
        destroy: Kinds::ptr,
        /// The type's name.
        name: Kinds::view,
    }
}
structure! {
    /// A function, as modules refer to it to each other.
    FunctionRef {
        /// The [`Interface`] of its module.
        module: Kinds::ptr,
        /// Its role there: [`linkage`].
        linkage: Kinds::u16,
        /// Its index among those of the same role.
        ordinal: Kinds::u16,
    }
}
structure! {
    /// The contents of a module.
    ModuleSignature {
        /// Its version.
        version: Kinds::u32,
        /// Count of its attributes.
        attrs: Kinds::word,
        /// Number of imported functions.
        imports: Kinds::word,
        /// Number of exported functions.
        exports: Kinds::word,
        /// Number of internal functions.
        internals: Kinds::word,
    }
}
structure! {
    /// A module that another one needs.
    Dependency {
        /// Its name.
        name: Kinds::view,
        /// The oldest version that suffices.
        version: Kinds::u32,
        /// 1: required; 2: optional.
        flags: Kinds::u32,
    }
}
structure! {
    /// A call.
    Call {
        /// The function to call.
        function: Kinds::function,
        /// The block of arguments.
        args: Kinds::view,
        /// The block of results.
        results: Kinds::view,
    }
}
structure! {
    /// A module: every field but `this` and the count is a function.
    Interface {
        /// The first argument of all functions.
        this: Kinds::ptr,
        /// References to the module.
        count: Kinds::u32,
        /// `void destroy(this)`.
        destroy: Kinds::ptr,
        /// `view name(this)`.
        name: Kinds::ptr,
        /// `module_signature signature(this)`.
        signature: Kinds::ptr,
        /// `status enumerate_dependencies(this, callback, user)`; the callback gets `user` and a [`Dependency`].
        enumerate_dependencies: Kinds::ptr,
        /// `status get_module_attr(this, index, pair *out)`.
        get_module_attr: Kinds::ptr,
        /// `status lookup_function(this, u32 linkage, view name, const view *convention, function *out)`.
        lookup_function: Kinds::ptr,
        /// `status get_function(this, u32 linkage, word ordinal, function *out, view *name, view *convention)`.
        get_function: Kinds::ptr,
        /// `status get_function_attr(this, u32 linkage, word ordinal, word index, pair *out)`.
        get_function_attr: Kinds::ptr,
        /// May be null.
        resolve_source_location: Kinds::ptr,
        /// `status alloc_state(this, allocator, void **out)`.
        alloc_state: Kinds::ptr,
        /// `void free_state(this, state)`.
        free_state: Kinds::ptr,
        /// `status fork_state(this, parent, allocator, void **out)`.
        fork_state: Kinds::ptr,
        /// `status resolve_import(this, state, word ordinal, const function *, const view *convention)`.
        resolve_import: Kinds::ptr,
        /// `status notify(this, state, u32 signal)`.
        notify: Kinds::ptr,
        /// `status begin_call(this, stack, call)`.
        begin_call: Kinds::ptr,
        /// `status resume_call(this, stack, span results)`.
        resume_call: Kinds::ptr,
    }
}
structure! {
    /// A status with a message, allocated by C's `aligned_alloc` at a multiple of 32. A status is the address with the
    /// code in its low bits. The runtime's own, not public.
    Status {
        /// First of the payloads added to it.
        head: Kinds::ptr,
        /// Last of that.
        tail: Kinds::ptr,
        /// The file that raised it, or null.
        file: Kinds::ptr,
        /// The line in that file.
        line: Kinds::u32,
        /// The message.
        message: Kinds::view,
    }
}
structure! {
    /// The stack of an invocation. The runtime's own, not public.
    Stack {
        /// The top frame.
        top: Kinds::ptr,
        /// Bytes in use.
        used: Kinds::word,
        /// Its capacity in bytes.
        capacity: Kinds::word,
        /// The frames.
        storage: Kinds::ptr,
        /// Whether it owns that memory.
        owned: Kinds::u8,
        /// Flags of the invocation.
        flags: Kinds::u32,
        /// The first argument of `query`.
        resolver: Kinds::ptr,
        /// `status query(resolver, module, void **state)`: the state of a module in the invocation's context.
        query: Kinds::ptr,
        /// The [`Allocator`] of the context.
        allocator: Kinds::pair_of_pointers,
    }
}
structure! {
    /// A buffer of a local device. The runtime's own, not public.
    Buffer {
        /// The reference count.
        count: Kinds::u32,
        /// Its functions: [`BufferTable`].
        table: Kinds::ptr,
        /// The buffer that contains it, or itself.
        root: Kinds::ptr,
        /// Bytes of that.
        allocation: Kinds::u64,
        /// Its offset in that buffer, in bytes.
        offset: Kinds::u64,
        /// Its bytes.
        len: Kinds::u64,
    }
}
structure! {
    /// The functions of a buffer. The runtime's own, not public.
    BufferTable {
        /// `void recycle(buffer)`.
        recycle: Kinds::ptr,
        /// `void destroy(buffer)`.
        destroy: Kinds::ptr,
        /// `status map_range(root, u32 mode, u16 access, u64 offset, u64 length, mapping *)`; the first word of the mapping becomes
        /// the data's address.
        map_range: Kinds::ptr,
    }
}
structure! {
    /// `!util.buffer`, the virtual machine's memory (IREE, `vm/buffer.h`).
    Memory {
        /// The reference count.
        count: Kinds::u32,
        /// The allowed accesses.
        access: Kinds::u32,
        /// Its bytes.
        data: Kinds::view,
    }
}
structure! {
    /// `!util.list`. The runtime's own, not public.
    List {
        /// The reference count.
        count: Kinds::u32,
        /// Its [`Allocator`].
        allocator: Kinds::pair_of_pointers,
        /// Number of items that it has room for.
        capacity: Kinds::word,
        /// Items.
        len: Kinds::word,
        /// The type of its items.
        ty: Kinds::word,
        /// Bytes of an item.
        item: Kinds::word,
        /// How items are stored: 0 numbers, 1 references, 2 [`Variant`]s.
        mode: Kinds::u32,
        /// The items.
        items: Kinds::ptr,
    }
}
structure! {
    /// An item of a list that holds any types. The runtime's own, not public.
    Variant {
        /// 0: null; 1 to 6: a number of 8, 16, 32 or 64 bits, or a floating-point number of 32 or 64 bits; otherwise
        /// the type of a reference.
        ty: Kinds::word,
        /// The number or the reference.
        payload: Kinds::payload,
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

/// All of them for a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // The structures say what they are.
pub struct Host {
    pub view: View,
    pub pair: Pair,
    pub allocator: Allocator,
    pub reference: Reference,
    pub descriptor: Descriptor,
    pub function: FunctionRef,
    pub signature: ModuleSignature,
    pub dependency: Dependency,
    pub call: Call,
    pub interface: Interface,
    pub status: Status,
    pub stack: Stack,
    pub buffer: Buffer,
    pub buffer_table: BufferTable,
    pub memory: Memory,
    pub list: List,
    pub variant: Variant,
}

impl Host {
    /// The structures on a target.
    ///
    /// # Errors
    /// The target has no such layouts.
    pub fn new(target: &Target) -> Result<Host, AbiError> {
        Ok(Host {
            view: View::new(target)?,
            pair: Pair::new(target)?,
            allocator: Allocator::new(target)?,
            reference: Reference::new(target)?,
            descriptor: Descriptor::new(target)?,
            function: FunctionRef::new(target)?,
            signature: ModuleSignature::new(target)?,
            dependency: Dependency::new(target)?,
            call: Call::new(target)?,
            interface: Interface::new(target)?,
            status: Status::new(target)?,
            stack: Stack::new(target)?,
            buffer: Buffer::new(target)?,
            buffer_table: BufferTable::new(target)?,
            memory: Memory::new(target)?,
            list: List::new(target)?,
            variant: Variant::new(target)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_of_64_bits() {
        let target = Target::from_triple("x86_64-unknown-linux-gnu", gusset_abi::Features::default()).unwrap();
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
