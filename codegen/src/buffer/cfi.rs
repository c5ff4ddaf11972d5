//! Changes of the frame's description, as code records them for unwind tables.

/// A change of how the caller's frame is found (DWARF 5, section 6.4.2). Registers have DWARF numbers; offsets are bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CfiOp {
    /// The canonical frame address is `register + offset`.
    DefCfa {
        /// DWARF number of the register.
        register: u16,
        /// Bytes added to it.
        offset: i32,
    },
    /// The canonical frame address keeps its offset but has a new register.
    DefCfaRegister(u16),
    /// The canonical frame address keeps its register but has a new offset.
    DefCfaOffset(i32),
    /// The caller's value of a register is saved at the canonical frame address plus an offset.
    Offset {
        /// DWARF number of the register.
        register: u16,
        /// Bytes from the canonical frame address, usually negative.
        offset: i32,
    },
    /// The address that the function returns to is at the canonical frame address plus an offset.
    ReturnAt(i32),
    /// The caller's value of a register is in the register again.
    Restore(u16),
    /// The address that the function returns to is signed from here on, or no longer, by the second of the machine's keys or the first.
    NegateReturn {
        /// By the second.
        second_key: bool,
    },
    /// Saves the whole description on a stack.
    RememberState,
    /// Takes the description from that stack.
    RestoreState,
    /// A step of the prologue or an epilogue, for unwinders that take such steps back.
    Seh {
        /// What it does.
        op: SehOp,
        /// The length of its instruction, where tables describe each.
        bytes: u8,
    },
}

/// A step of a prologue as an unwinder takes it back, or of an epilogue (Microsoft, "x64 exception handling", "Unwind operation
/// code"; "ARM64 exception handling", "Unwind codes"; "Exception Handling ABI for the Arm Architecture"). Registers have the
/// machine's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SehOp {
    /// A general-purpose register is pushed.
    Push(u8),
    /// Registers are pushed at once, as a set: 16 general-purpose ones, above them those of eight bytes for floating point.
    PushSet(u32),
    /// So many bytes are taken from the stack.
    Allocate(u32),
    /// A register is made the frame pointer: so many bytes above the stack pointer.
    SetFrame {
        /// The register.
        register: u8,
        /// A multiple of 16, at most 240 on x86-64; of 8, at most 2040 on AArch64; of 4 on ARM.
        offset: u32,
    },
    /// A vector register is stored so many bytes above the stack pointer as it was when the frame pointer was set, or as it
    /// is.
    SaveVector {
        /// The register.
        register: u8,
        /// A multiple of 16.
        offset: u32,
    },
    /// An instruction stores a register, or two, so many bytes above the stack pointer. Vector registers count from 32.
    Save {
        /// The register.
        first: u8,
        /// The second, if there are two, or the same.
        last: u8,
        /// A multiple of 8.
        offset: u32,
    },
    /// An instruction lowers the stack pointer by so many bytes and stores registers there, the one with the lowest number first.
    SaveLowering {
        /// A bit for each.
        registers: u32,
        /// Are they vector registers?
        vectors: bool,
        /// By how many bytes.
        bytes: u32,
    },
    /// The return address is signed, or taken for what it was again.
    SignReturn,
    /// An instruction means nothing to unwinding.
    Nop,
    /// The frame is complete.
    EndPrologue,
    /// What follows takes the frame away, instruction by instruction as it was made.
    BeginEpilogue,
    /// It is gone: the next instruction leaves the function.
    EndEpilogue,
}

/// A canonical frame address: so many bytes above a register, which has its DWARF number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cfa {
    /// The register.
    pub register: u16,
    /// Bytes.
    pub offset: i32,
}

/// What unwinders know of it at the end of the code so far.
#[derive(Clone, Copy, Default)]
pub(super) struct KnownCfa {
    /// `None` where tables describe prologues alone: nothing is marked then.
    pub cfa: Option<Cfa>,
    /// It is found from a register that does not move with the stack pointer.
    pub held: bool,
}
