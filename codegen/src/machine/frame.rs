//! How a machine makes frames: its rules, and the steps of prologues and epilogues.

use super::registers::{FrameAddr, PReg};
use crate::ir::SymbolId;

/// How places in the frame are addressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FrameBase {
    /// From the frame pointer.
    Fp,
    /// From the stack pointer.
    #[default]
    Sp,
    /// From the stack pointer, with a frame pointer for those who walk from frame to frame.
    Walked,
    /// From the stack pointer, in the red zone: a leaf function that moves the stack pointer only by pushes.
    RedZone,
}

impl FrameBase {
    /// Does the frame pointer point to the frame?
    pub fn is_framed(self) -> bool {
        matches!(self, FrameBase::Fp | FrameBase::Walked)
    }
}

/// How a machine makes frames.
#[derive(Clone, Copy, Debug)]
pub struct FrameRules {
    /// The stack pointer.
    pub stack_pointer: PReg,
    /// The frame pointer.
    pub frame_pointer: PReg,
    /// Bytes that a call pushes.
    pub link: u32,
    /// The register in which a call leaves the return address, if it does not push it.
    pub link_register: Option<PReg>,
    /// Registers that are saved by pushes; others are stored in the frame.
    pub pushed: u64,
    /// Of the registers still to be saved, those that one instruction pushes next, lower numbers at lower addresses. If
    /// the frame has a frame pointer, that is one of them.
    pub next_push: fn(u64, FrameBase) -> u64,
    /// A push moves the stack pointer by a multiple of this many bytes.
    pub push_unit: u32,
    /// Bytes of a general-purpose register.
    pub word: u32,
    /// Bytes of a vector register that callees keep.
    pub vector: u32,
    /// The frame pointer points near the lower end of the fixed frame, at most this many bytes above it, so that short
    /// displacements reach the frame. `None`: it points to where its caller's value is saved.
    pub low_frame_pointer: Option<u32>,
    /// Displacements reach farther up than down: as long as the stack pointer stays where the prologue leaves it, a
    /// frame is addressed from it, even if it has a frame pointer.
    pub reaches_up: bool,
    /// If all functions are to have a frame pointer, leaf functions have one, too.
    pub leaf_frame_pointer: bool,
    /// One instruction, [`FrameOp::Leave`], takes away a frame that saves nothing but the frame pointer.
    pub has_leave: bool,
    /// Size of the pages that guard stacks, in bytes; each is touched as the stack grows.
    pub page: u32,
    /// Registers of callees, and the link register, that a call of the probe function changes; 0 if there is none.
    pub probe_changes: u64,
    /// How return addresses are signed.
    pub signing: Signing,
    /// How unwind tables describe it.
    pub unwinding: Unwinding,
    /// How funclets find the frame of their host; `None`: the machine's code has no funclets.
    pub funclets: Option<FuncletRules>,
}

/// How return addresses are signed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signing {
    /// Not at all.
    None,
    /// The signature is in the return address, and the instruction that signs is a valid target of indirect branches.
    InPlace,
    /// The signature is left in this register, which is pushed after the others.
    Apart(PReg),
}

impl Signing {
    /// The register of the signature.
    pub fn register(self) -> Option<PReg> {
        if let Signing::Apart(register) = self { Some(register) } else { None }
    }
}

/// How funclets find the frame of their host.
#[derive(Clone, Copy, Debug)]
pub struct FuncletRules {
    /// What tables count places of the host's frame from.
    pub places: FuncletPlaces,
    /// Alignment of the stack pointer when the personality routine calls a funclet, in bytes; the same as at calls of C
    /// functions.
    pub stack_align: u32,
}

/// What tables count places of a frame from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FuncletPlaces {
    /// From the stack pointer after the prologue. A handler keeps the address that it was called with in the last word
    /// but one of its caller's home space.
    StackPointer,
    /// From the stack pointer where the function found it. No place holds the address that a handler was called with;
    /// filters and blocks of `__finally` are called with the frame pointer.
    Cfa,
    /// From the end of the registration record, which is below the word that the frame pointer points to. The
    /// personality routine calls funclets with that frame pointer (32-bit Windows).
    Record,
}

impl FrameRules {
    /// How many instructions save the registers of a set.
    pub fn saves(&self, set: u64, base: FrameBase) -> u32 {
        let (mut pushed, mut count) = (set & self.pushed, (set & !self.pushed).count_ones());
        while pushed != 0 {
            pushed &= !(self.next_push)(pushed, base);
            count += 1;
        }
        count
    }

    /// Bytes that saving the registers of a set takes.
    pub fn bytes_of(&self, set: u64) -> u32 {
        let (ints, vectors) = (set as u32, (set >> 32) as u32);
        // Most pushes have one register, and counting bits takes a dozen instructions on some machines.
        if vectors == 0 && ints & ints.wrapping_sub(1) == 0 {
            return if ints == 0 { 0 } else { self.word };
        }
        ints.count_ones() * self.word + vectors.count_ones() * self.vector
    }

    /// The stores for registers that are pushed together: the register, and its offset in bytes from the stack pointer.
    pub fn stores(&self, set: u64) -> impl DoubleEndedIterator<Item = (u64, u32)> + use<> {
        let (mut rest, mut offset, mut stores) = (set, 0, Vec::new());
        while rest != 0 {
            let group = match self.unwinding {
                Unwinding::WindowsInstructions { next_store, .. } => next_store(set, rest),
                _ => rest,
            };
            stores.push((group, offset));
            offset += self.bytes_of(group);
            rest &= !group;
        }
        stores.into_iter()
    }

    /// Bytes that the stack pointer moves by when they are pushed together.
    pub fn push_bytes(&self, set: u64) -> u32 {
        self.bytes_of(set).next_multiple_of(self.push_unit)
    }
}

/// What unwind tables say about frames.
#[derive(Clone, Copy, Debug)]
pub enum Unwinding {
    /// DWARF's rules hold at every instruction. The function gives the number of a register, if the rules describe it.
    Dwarf(fn(PReg) -> Option<u16>),
    /// An index of functions with opcodes that undo prologues step by step (ARM's EHABI); DWARF's rules are for
    /// debuggers. The function gives DWARF's number of a register: core registers are 0 to 15, floating-point registers
    /// of eight bytes 256 and following.
    Index(fn(PReg) -> Option<u16>),
    /// Windows' codes describe prologues step by step; epilogues are recognized.
    WindowsSteps,
    /// Windows' codes describe every instruction of prologues and epilogues.
    WindowsInstructions {
        /// The length of the instruction at the start of some bytes.
        length: fn(&[u8]) -> u32,
        /// Codes also describe the instruction that leaves the function, unless it belongs to the last step. In frames
        /// that are addressed from the stack pointer, they do not mention the frame pointer.
        leaves: bool,
        /// Of registers that are pushed together (first argument) and those that remain to be stored (second), the one
        /// or two that the next instruction stores.
        next_store: fn(u64, u64) -> u64,
        /// Registers that have codes. Unwinding loses others that a function keeps.
        described: u64,
    },
}

impl Unwinding {
    /// Are they Windows'?
    pub fn is_windows(self) -> bool {
        matches!(self, Unwinding::WindowsSteps | Unwinding::WindowsInstructions { .. })
    }

    /// Do the tables use the frame pointer of such a frame?
    pub(crate) fn has_frame_pointer(self, base: FrameBase) -> bool {
        let walked = matches!(self, Unwinding::WindowsSteps | Unwinding::WindowsInstructions { leaves: false, .. });
        base == FrameBase::Fp || base == FrameBase::Walked && walked
    }
}

/// A step of a prologue or an epilogue. Sets are masks over [`PReg`] numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameOp {
    /// Lowers the stack pointer by the bytes of the registers and stores them there.
    Push(u64),
    /// Loads them and raises the stack pointer.
    Pop(u64),
    /// Lowers the stack pointer, and touches the stack if the probe says so.
    Allocate {
        /// By this many bytes.
        bytes: u32,
        /// How it is touched.
        probe: Probe,
    },
    /// Lowers the stack pointer by this many bytes, or raises it if the number is negative.
    MoveStack(i32),
    /// Lowers the stack pointer in the body, and touches the stack on the way. Changes flags.
    Touch {
        /// By this many bytes.
        bytes: u32,
        /// In steps of this many bytes.
        step: u32,
        /// With this register as a temporary.
        by: PReg,
    },
    /// Sets the frame pointer to an address above the stack pointer.
    SetFramePointer {
        /// By this many bytes.
        up: u32,
    },
    /// Sets the stack pointer to an address above the frame pointer, or below it if negative.
    RestoreStack {
        /// By this many bytes.
        disp: i32,
    },
    /// Sets the stack pointer to the frame pointer, and pops the latter.
    Leave,
    /// Stores the whole of a vector register.
    Store {
        /// The register.
        register: PReg,
        /// Where.
        at: FrameAddr,
    },
    /// Loads it.
    Load {
        /// The register.
        register: PReg,
        /// From where.
        at: FrameAddr,
    },
    /// Marks that all steps that unwinding undoes are done.
    EndPrologue,
    /// Marks the start of what unwinding takes for an epilogue.
    BeginEpilogue,
    /// Aligns the stack pointer down.
    Align(u32),
    /// Loads a register with its fixed contents.
    LoadFixed(PReg),
    /// At a funclet's first instruction: stores the address of the host's frame where the personality routine looks for
    /// it.
    KeepHost,
    /// Sets the frame pointer to the host's.
    FindHost {
        /// Bytes from the address that the personality routine passes up to where the host's frame pointer points.
        up: u32,
        /// The personality routine is that of Microsoft's C++.
        cxx: bool,
    },
    /// Stores a number of one word.
    StoreState {
        /// Where.
        at: FrameAddr,
        /// What.
        state: i32,
    },
    /// A step with the registration record, on machines whose funclets have [`FuncletPlaces::Record`].
    Record(RecordOp),
    /// Signs the return address with one of the machine's two keys. The stack pointer is where the function found it.
    SignReturn {
        /// With the second key.
        second_key: bool,
    },
    /// Authenticates the signed return address, which ends the program if the signature is wrong, and removes the
    /// signature.
    CheckReturn {
        /// With the second key.
        second_key: bool,
        /// The stack pointer is this many bytes below where the function found it.
        below: u32,
    },
    /// Stores the return address on the shadow call stack, and raises its pointer.
    PushReturn {
        /// The pointer.
        shadow: PReg,
    },
    /// Lowers the pointer, and loads the return address.
    PopReturn {
        /// The pointer.
        shadow: PReg,
    },
    /// Returns after an epilogue.
    Return {
        /// Pops this many bytes of arguments.
        pop: u32,
    },
    /// Returns to what the processor has interrupted, on machines that have [`Convention::Interrupt`](gusset_abi::Convention)
    /// or one like it.
    Resume {
        /// Pops this many bytes first, which the processor has pushed last; where a register has the address to return to, that
        /// is so many bytes too high.
        pop: u32,
    },
}

/// A step with the record by which a function of 32-bit Windows registers its handlers while it runs
/// (`unwind::microsoft::registration` says what is in it).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordOp {
    /// After the push of the frame pointer: pushes the record and makes it the head of the thread's list of handlers.
    Link {
        /// The personality routine of `__try`. `None`: that of C++, which is called by code of the function's own.
        routine: Option<SymbolId>,
        /// The state at first.
        state: i32,
    },
    /// Masks the addresses of the scope table and of the frame with the process's secret.
    Mask {
        /// Place of the table's address.
        table: FrameAddr,
        /// Place for the frame's address.
        guard: FrameAddr,
        /// Registers that must not be changed.
        live: u64,
    },
    /// Passes `_setjmp3` further arguments, which say how a jump back there leaves what has begun since.
    SetJump {
        /// Number of `__try`'s personality routine. `None`: that of C++.
        levels: Option<u8>,
        /// The place of the number of further arguments, which follow it.
        arguments: FrameAddr,
        /// The state, if it is known.
        state: Option<i32>,
        /// Where the state is stored.
        at: FrameAddr,
    },
    /// Makes the next record, whose address is there, the head of the list again. Changes no register.
    Unlink(FrameAddr),
    /// Stores the stack pointer.
    KeepStack(FrameAddr),
    /// Loads it.
    FindStack(FrameAddr),
}

/// How the stack is touched as it grows, so that no guard page is skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Probe {
    /// Bytes by which it may grow before it is touched; `None`: any number.
    pub bytes: Option<u32>,
    /// The largest distance between two touches, in bytes: at most a page.
    pub step: u32,
    /// The function that touches it, if not the target's usual one.
    pub function: Option<SymbolId>,
    /// Registers that hold arguments, or that the function may not use.
    pub live: u64,
}

impl Probe {
    /// A probe that touches the stack whenever it grows by `bytes`, on a machine with pages of `page` bytes.
    pub fn new(bytes: Option<u32>, page: u32) -> Probe {
        let step = bytes.map_or(i32::MAX as u32, |bytes| bytes.clamp(64, page).next_multiple_of(16));
        Probe { bytes, step, ..Probe::default() }
    }
}
