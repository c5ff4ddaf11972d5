//! Memory as a whole, the stack, and the machine: operations that are neither arithmetic nor control.

use super::FunctionBuilder;
use crate::ir::entities::Value;
use crate::ir::inst::{MemFlags, Opcode, Ordering};
use crate::ir::types::Type;

impl FunctionBuilder<'_> {
    /// Orders the memory accesses before and after it, as seen by other threads.
    pub fn fence(&mut self, ordering: Ordering) {
        self.push0(Opcode::Fence, 0, Type::VOID, [ordering as u32, 0, 0]);
    }

    /// The same as seen by signal handlers of this thread: it takes no instruction.
    pub fn compiler_fence(&mut self, ordering: Ordering) {
        self.push0(Opcode::Fence, 0, Type::VOID, [ordering as u32 | 1 << 3, 0, 0]);
    }

    /// A hint that memory will be read soon, or written.
    pub fn prefetch(&mut self, address: Value, write: bool) {
        // It is used often, and stays in all caches.
        let locality = 3;
        self.push0(Opcode::Prefetch, 0, Type::VOID, [address.0, u32::from(write) | locality << 1, 0]);
    }

    /// Copies `len` bytes, a number as wide as a pointer. The two places must be the same or must not overlap. They need
    /// not be aligned.
    pub fn memcpy(&mut self, to: Value, from: Value, len: Value) {
        self.mem_op(Opcode::Memcpy, to, from, len, MemFlags::new(1, false));
    }

    /// Copies `len` bytes between places that may overlap.
    pub fn memmove(&mut self, to: Value, from: Value, len: Value) {
        self.mem_op(Opcode::Memmove, to, from, len, MemFlags::new(1, false));
    }

    /// Sets `len` bytes to the `i8` `byte`.
    pub fn memset(&mut self, to: Value, byte: Value, len: Value) {
        self.mem_op(Opcode::Memset, to, byte, len, MemFlags::new(1, false));
    }

    /// The address of `bytes` new bytes of stack, which exist until the function returns or
    /// [`restore_stack`](Self::restore_stack) gives them back. The alignment is in bytes, a power of two.
    pub fn stack_alloc(&mut self, bytes: Value, align: u32) -> Value {
        let ptr = self.ptr_type();
        if !align.is_power_of_two() {
            self.mistake("an alignment is a power of two");
        }
        self.push1(Opcode::StackAlloc, 0, ptr, [bytes.0, align, 0], ptr)
    }

    /// The stack pointer, for [`restore_stack`](Self::restore_stack).
    pub fn stack_save(&mut self) -> Value {
        self.nullary(Opcode::StackSave)
    }

    /// The frame's address, `levels` callers up.
    pub fn frame_address(&mut self, levels: u32) -> Value {
        let ptr = self.ptr_type();
        self.push1(Opcode::FrameAddr, 0, ptr, [levels, 0, 0], ptr)
    }

    /// The return address, `levels` callers up.
    pub fn return_address(&mut self, levels: u32) -> Value {
        let ptr = self.ptr_type();
        self.push1(Opcode::ReturnAddr, 0, ptr, [levels, 0, 0], ptr)
    }

    /// The address of this function's frame above which the caller's begins: the stack pointer before the call.
    pub fn entry_stack_pointer(&mut self) -> Value {
        self.nullary(Opcode::EntrySp)
    }

    fn nullary(&mut self, op: Opcode) -> Value {
        let ptr = self.ptr_type();
        self.push1(op, 0, ptr, [0; 3], ptr)
    }

    /// A cycle counter of the machine, an `i64`. Programs on 32-bit ARM cannot read one.
    pub fn read_cycles(&mut self) -> Value {
        self.push1(Opcode::ReadCycles, 0, Type::I64, [0; 3], Type::I64)
    }

    /// Ends the program abnormally. A terminator must still follow, such as [`unreachable`](Self::unreachable).
    pub fn trap(&mut self) {
        self.push0(Opcode::Trap, 0, Type::VOID, [0; 3]);
    }

    /// Stops in a debugger.
    pub fn debug_trap(&mut self) {
        self.push0(Opcode::DebugTrap, 0, Type::VOID, [0; 3]);
    }
}
