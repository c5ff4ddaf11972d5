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
    /// From here on the return address is signed, or no longer signed, by one of the machine's two keys.
    NegateReturn {
        /// By the second key.
        second_key: bool,
    },
    /// The caller's value of a register is this many bytes from its present one.
    Moved {
        /// DWARF number of the register.
        register: u16,
        /// From -64 to 63.
        by: i32,
    },
    /// The caller's value of a register is its present one again.
    Restored(u16),
    /// Saves the whole description on a stack.
    RememberState,
    /// Takes the description from that stack.
    RestoreState,
    /// A step of the prologue or an epilogue, for unwinders that undo such steps.
    Seh {
        /// What it does.
        op: SehOp,
        /// Length of its instruction in bytes, where tables describe each instruction.
        bytes: u8,
    },
}

/// A step of a prologue as an unwinder undoes it, or of an epilogue (Microsoft, "x64 exception handling", "Unwind
/// operation code"; "ARM64 exception handling", "Unwind codes"; "Exception Handling ABI for the Arm Architecture").
/// Registers have the machine's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SehOp {
    /// A general-purpose register is pushed.
    Push(u8),
    /// Registers are pushed at once. The set has 16 general-purpose ones, and above them those of eight bytes for
    /// floating point.
    PushSet(u32),
    /// This many bytes are taken from the stack.
    Allocate(u32),
    /// A register becomes the frame pointer, this many bytes above the stack pointer.
    SetFrame {
        /// The register.
        register: u8,
        /// A multiple of 16, at most 240 on x86-64; of 8, at most 2040 on AArch64; of 4 on ARM.
        offset: u32,
    },
    /// A vector register is stored this many bytes above the stack pointer, as it was when the frame pointer was set,
    /// or as it is now if none was.
    SaveVector {
        /// The register.
        register: u8,
        /// A multiple of 16.
        offset: u32,
    },
    /// An instruction stores one register or two this many bytes above the stack pointer. Vector registers count from
    /// 32.
    Save {
        /// The register.
        first: u8,
        /// The second register; the same as the first if there is one only.
        last: u8,
        /// A multiple of 8.
        offset: u32,
    },
    /// An instruction lowers the stack pointer by this many bytes and stores registers there, the one with the lowest
    /// number first.
    SaveLowering {
        /// A bit for each.
        registers: u32,
        /// Are they vector registers?
        vectors: bool,
        /// Number of bytes.
        bytes: u32,
    },
    /// The return address is signed, or authenticated.
    SignReturn,
    /// An instruction that unwinding need not know.
    Nop,
    /// The frame is complete.
    EndPrologue,
    /// The following code takes the frame away, one instruction for each step.
    BeginEpilogue,
    /// The frame is gone: the next instruction leaves the function.
    EndEpilogue,
}

/// A canonical frame address: an offset in bytes from a register, which has its DWARF number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cfa {
    /// The register.
    pub register: u16,
    /// Bytes.
    pub offset: i32,
}

/// What unwinders know about the CFA at the end of the code so far.
#[derive(Clone, Copy, Default)]
pub(super) struct KnownCfa {
    /// `None` where tables describe prologues only: nothing is marked then.
    pub cfa: Option<Cfa>,
    /// The CFA is found from a register that does not move with the stack pointer.
    pub held: bool,
}
