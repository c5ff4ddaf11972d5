//! How a machine makes frames: its rules, and the steps of prologues and epilogues.

use super::registers::{FLOATS, FrameAddr, PReg};
use crate::ir::SymbolId;

/// How places in the frame are addressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FrameBase {
    /// From the frame pointer.
    Fp,
    /// From the stack pointer.
    #[default]
    Sp,
    /// The same; that there is a frame pointer is for those who walk from frame to frame.
    Walked,
    /// From the stack pointer, in the red zone: a leaf function that moves the stack pointer by pushes only.
    RedZone,
}

impl FrameBase {
    /// Does the frame pointer point to the frame?
    pub fn is_framed(self) -> bool {
        matches!(self, FrameBase::Fp | FrameBase::Walked)
    }

    /// Is the frame addressed from the stack pointer, which the prologue lowers by its size?
    pub(crate) fn is_stack(self) -> bool {
        matches!(self, FrameBase::Sp | FrameBase::Walked)
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
    /// The register in which a call leaves the return address, where it pushes nothing.
    pub link_register: Option<PReg>,
    /// Registers that are saved by pushes; others are stored in the frame once it is there.
    pub pushed: u64,
    /// Of registers to be saved those that one instruction pushes next, lower numbers at lower addresses. Where the frame is framed,
    /// the frame pointer is one of them.
    pub next_push: fn(u64, FrameBase) -> u64,
    /// A push moves the stack pointer by a multiple of so many bytes.
    pub push_unit: u32,
    /// Bytes of a general-purpose register.
    pub word: u32,
    /// Bytes of a vector register that callees keep.
    pub vector: u32,
    /// The frame pointer points near the lower end of the fixed frame, at most so many bytes above it, rather than to where its
    /// caller's value is saved: what short displacements reach is around it.
    pub low_frame_pointer: Option<u32>,
    /// Displacements reach farther up than down: as long as the stack pointer stays where the prologue leaves it, a frame is addressed
    /// from there, whether it has a frame pointer or not.
    pub reaches_up: bool,
    /// Functions that call nothing have a frame pointer, too, where all functions are to have one.
    pub leaf_frame_pointer: bool,
    /// One instruction takes a frame away in which nothing but the frame pointer is saved: [`FrameOp::Leave`].
    pub has_leave: bool,
    /// Stacks are guarded by pages of so many bytes, each of which is touched as the stack grows.
    pub page: u32,
    /// Registers of callees and of the link that are changed by the function whose call touches them; 0 where none does.
    pub probe_changes: u64,
    /// How unwind tables describe it.
    pub unwinding: Unwinding,
    /// How funclets find the frame of their host; `None`: the machine's code has none.
    pub funclets: Option<FuncletRules>,
}

/// How funclets find the frame of their host.
#[derive(Clone, Copy, Debug)]
pub struct FuncletRules {
    /// From where tables count places of the host's frame.
    pub places: FuncletPlaces,
    /// Alignment of the stack pointer with which the personality routine calls them, as it is at calls of C functions, in bytes.
    pub stack_align: u32,
}

/// From where tables count places of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FuncletPlaces {
    /// From the stack pointer where the prologue leaves it. A handler keeps the address that it was called with in the first word of its
    /// caller's home space but one.
    StackPointer,
    /// From the stack pointer where the function found it. What a handler was called with is in no place; filters and blocks of `__finally`
    /// are called with the frame pointer.
    Cfa,
    /// From the end of the registration record, which lies below the word that the frame pointer points to: the personality routine calls
    /// funclets with that frame pointer (32-bit Windows).
    Record,
}

impl FrameRules {
    /// Bytes of what is saved of the registers of a set.
    pub fn bytes_of(&self, set: u64) -> u32 {
        let (ints, vectors) = (set as u32, (set >> 32) as u32);
        // Most pushes are of one register, and counting is a dozen instructions where the machine has none for it.
        if vectors == 0 && ints & ints.wrapping_sub(1) == 0 {
            return if ints == 0 { 0 } else { self.word };
        }
        ints.count_ones() * self.word + vectors.count_ones() * self.vector
    }

    /// The stores of registers that are pushed together: which, and how many bytes above the stack pointer.
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

    /// The rules of a function that keeps vector registers whole: pushes may be of less.
    pub fn with_whole_vectors(self) -> FrameRules {
        FrameRules { pushed: self.pushed & !FLOATS, vector: 16, ..self }
    }

    /// Bytes that the stack pointer moves by if they are pushed together.
    pub fn push_bytes(&self, set: u64) -> u32 {
        self.bytes_of(set).next_multiple_of(self.push_unit)
    }
}

/// What unwind tables say of frames.
#[derive(Clone, Copy, Debug)]
pub enum Unwinding {
    /// Nothing: functions that catch exceptions are errors.
    None,
    /// DWARF's rules hold at every instruction. Gives the number of a register, if they say where it is.
    Dwarf(fn(PReg) -> Option<u16>),
    /// An index of functions with opcodes that take prologues back step by step (ARM's EHABI); DWARF's rules are for debuggers. Gives
    /// DWARF's number of a register: core registers are 0 to 15, those of eight bytes for floating point 256 and following.
    Index(fn(PReg) -> Option<u16>),
    /// Windows' codes describe prologues step by step, and epilogues are recognized.
    WindowsSteps,
    /// Windows' codes describe every instruction of prologues and epilogues.
    WindowsInstructions {
        /// The length of the instruction that some bytes begin with.
        length: fn(&[u8]) -> u32,
        /// Codes describe the instruction that leaves the function, too, unless it belongs to the last step. In frames that are
        /// addressed from the stack pointer, they say nothing of the frame pointer.
        leaves: bool,
        /// Of registers that are pushed together (the first argument) and those that are still to be stored, gives the one or two that
        /// the next instruction stores.
        next_store: fn(u64, u64) -> u64,
        /// Registers for which there are codes; others that a function keeps are lost to unwinding.
        described: u64,
    },
}

impl Unwinding {
    /// Are they Windows'?
    pub fn is_windows(self) -> bool {
        matches!(self, Unwinding::WindowsSteps | Unwinding::WindowsInstructions { .. })
    }

    /// Do the tables know prologues alone? Where the stack pointer moves in the body, the frame has a frame pointer then.
    pub fn knows_prologues_only(self) -> bool {
        self.is_windows() || matches!(self, Unwinding::Index(_))
    }

    /// Do the tables go by the frame pointer of such a frame?
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
        /// By so many bytes.
        bytes: u32,
        /// How it is touched.
        probe: Probe,
    },
    /// Lowers the stack pointer by so many bytes, or raises it if they are negative.
    MoveStack(i32),
    /// Lowers the stack pointer in the body and touches the stack on the way. Flags are lost.
    Touch {
        /// By so many bytes.
        bytes: u32,
        /// In steps of so many.
        step: u32,
        /// By way of a register.
        by: PReg,
    },
    /// Makes the frame pointer point above the stack pointer.
    SetFramePointer {
        /// By so many bytes.
        up: u32,
    },
    /// Makes the stack pointer point above the frame pointer, or below if negative.
    RestoreStack {
        /// By so many bytes.
        disp: i32,
    },
    /// Makes the stack pointer what the frame pointer is, and pops this.
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
    /// All that unwinding takes back is done.
    EndPrologue,
    /// What follows unwinding takes for an epilogue.
    BeginEpilogue,
    /// Aligns the stack pointer down.
    Align(u32),
    /// Fills a register with what the target keeps in it.
    LoadFixed(PReg),
    /// At a funclet's first instruction: keeps the address of the host's frame where the personality routine looks for it.
    KeepHost,
    /// Makes the frame pointer the host's.
    FindHost {
        /// Bytes from what the personality routine passes up to where the host's frame pointer points.
        up: u32,
        /// The personality routine is that of Microsoft's C++.
        cxx: bool,
    },
    /// Stores a number, of a word.
    StoreState {
        /// Where.
        at: FrameAddr,
        /// What.
        state: i32,
    },
    /// A step with the registration record, on machines whose funclets have [`FuncletPlaces::Record`].
    Record(RecordOp),
    /// Signs the address that the function returns to, by the second of the machine's keys or the first. The stack pointer is where
    /// the function found it.
    SignReturn {
        /// By the second.
        second_key: bool,
    },
    /// Looks at that signature, which ends the program if it is another's, and takes it away.
    CheckReturn {
        /// By the second.
        second_key: bool,
        /// The stack pointer is so many bytes below the place where the function found it.
        below: u32,
    },
    /// Returns after an epilogue.
    Return {
        /// With so many bytes of arguments popped.
        pop: u32,
    },
}

/// A step with the record by which a function of 32-bit Windows registers its handlers while it runs (`frame::record` says what is in it).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordOp {
    /// After the push of the frame pointer: pushes the record, with which the thread's list of handlers begins then.
    Link {
        /// The personality routine of `__try`; none: C++'s, which is called by code of the function's own.
        routine: Option<SymbolId>,
        /// The state at first.
        state: i32,
    },
    /// Makes the address of the scope table, and that of the frame, known to those only who know the process's secret.
    Mask {
        /// Where the table's address is.
        table: FrameAddr,
        /// Where the frame's goes.
        guard: FrameAddr,
        /// Registers that must not be changed.
        live: u64,
    },
    /// Tells `_setjmp3`, in further arguments, how a jump back there leaves what has begun since.
    SetJump {
        /// Which of `__try`'s personality routines it is; none: C++'s.
        levels: Option<u8>,
        /// The register or place of the number of further arguments, which follow it.
        arguments: FrameAddr,
        /// The state, if it is known...
        state: Option<i32>,
        /// ...and where it is stored.
        at: FrameAddr,
    },
    /// Has the list begin with the next record again, whose address is there. Changes no register.
    Unlink(FrameAddr),
    /// Stores the stack pointer.
    KeepStack(FrameAddr),
    /// Loads it.
    FindStack(FrameAddr),
}

/// How the stack is touched as it grows, so that a guard page is not stepped over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Probe {
    /// Bytes by which it may grow before it is touched; `None`: any number.
    pub bytes: Option<u32>,
    /// The steps in which it is touched then: no more than a page.
    pub step: u32,
    /// The function that touches it, where that is not the target's usual way.
    pub function: Option<SymbolId>,
    /// Registers that bring something to the function, or are not its own.
    pub live: u64,
}

impl Probe {
    /// One that touches the stack as it grows by so many bytes, on a machine with pages of so many.
    pub fn new(bytes: Option<u32>, page: u32) -> Probe {
        let step = bytes.map_or(i32::MAX as u32, |bytes| bytes.clamp(64, page).next_multiple_of(16));
        Probe { bytes, step, ..Probe::default() }
    }
}
