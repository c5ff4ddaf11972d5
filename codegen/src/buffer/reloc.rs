//! What a buffer records beside bytes: relocations and changes of the frame's description.

use super::{ConstantId, JumpTableId, Label};
use crate::compiled::LibCall;

/// A field of the code that depends on an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reloc {
    /// Offset of the field in the code.
    pub offset: u32,
    /// How the value is computed and stored.
    pub kind: RelocKind,
    /// Whose address it is.
    pub target: RelocTarget,
    /// Added to the value: for position-relative kinds it includes the distance from the field to the end of the
    /// instruction, as ELF's explicit addends do.
    pub addend: i64,
}

/// Whose address a relocation means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RelocTarget {
    /// A symbol of the module, by its number.
    Symbol(u32),
    /// A constant of this function.
    Constant(ConstantId),
    /// A jump table of this function.
    JumpTable(JumpTableId),
    /// A label of this function.
    Label(Label),
    /// A function of a run-time library, whether or not the module names it.
    LibCall(LibCall),
}

/// How a relocated field is computed. The kinds that every machine has keep plain names; those whose meaning a machine's
/// psABI defines are named after it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RelocKind {
    /// The address, 8 bytes (`R_X86_64_64`).
    Abs64,
    /// The address, 4 bytes, zero-extended (`R_X86_64_32`).
    Abs32,
    /// The address, 4 bytes, sign-extended (`R_X86_64_32S`).
    Abs32S,
    /// The address less the field's own, 4 bytes (`R_X86_64_PC32`).
    Pc32,
    /// The address less the field's own, 8 bytes (`R_X86_64_PC64`).
    Pc64,
    /// The address of the function or of its stub in the procedure linkage table, less the field's own, 4 bytes (`R_X86_64_PLT32`).
    Plt32,
    /// The address of the symbol's entry in the global offset table, less the field's own, 4 bytes (`R_X86_64_GOTPCREL`).
    GotPcRel,
    /// The same in an instruction without REX prefix that the linker may relax (`R_X86_64_GOTPCRELX`).
    GotPcRelX,
    /// The same in an instruction with REX prefix that the linker may relax (`R_X86_64_REX_GOTPCRELX`).
    RexGotPcRelX,
    /// The thread-local descriptor pair of general-dynamic TLS, position-relative (`R_X86_64_TLSGD`).
    TlsGd,
    /// The descriptor pair of local-dynamic TLS, position-relative (`R_X86_64_TLSLD`).
    TlsLd,
    /// The offset in the module's own TLS block, 4 bytes (`R_X86_64_DTPOFF32`).
    DtpOff32,
    /// The offset in the module's own TLS block, 8 bytes (`R_X86_64_DTPOFF64`).
    DtpOff64,
    /// The position-relative address of the GOT entry that holds the offset from the thread pointer (`R_X86_64_GOTTPOFF`).
    GotTpOff,
    /// The offset from the thread pointer, 4 bytes, sign-extended (`R_X86_64_TPOFF32`).
    TpOff32,
    /// The offset from the thread pointer, 8 bytes (`R_X86_64_TPOFF64`).
    TpOff64,
    /// The address less that of the image, 4 bytes (COFF's `ADDR32NB`).
    ImageRel32,
    /// The offset in the section, 4 bytes (COFF's `SECREL`).
    SecRel32,
    /// The offset of the symbol's entry in the global offset table from the table (`R_386_GOT32`).
    Got32,
    /// The same in an instruction that the linker may relax (`R_386_GOT32X`).
    Got32X,
    /// The offset of the symbol from the global offset table (`R_386_GOTOFF`).
    GotOff,
    /// The address of the global offset table less the field's own; the target is
    /// [`LibCall::GlobalOffsetTable`] (`R_386_GOTPC`).
    GotPc,
    /// The offset of the descriptor pair of general-dynamic TLS from the global offset table (`R_386_TLS_GD`).
    GotTlsGd,
    /// The offset of the descriptor pair of local-dynamic TLS from the global offset table (`R_386_TLS_LDM`).
    GotTlsLd,
    /// The offset from the global offset table of the entry that holds the offset from the thread pointer
    /// (`R_386_TLS_GOTIE`).
    GotNtpOff,
    /// The address of the entry that holds the offset from the thread pointer (`R_386_TLS_IE`).
    IndNtpOff,
}

impl RelocKind {
    /// Bytes of the field.
    pub fn size(self) -> u8 {
        match self {
            Self::Abs64 | Self::Pc64 | Self::DtpOff64 | Self::TpOff64 => 8,
            _ => 4,
        }
    }
}

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
    /// The caller's value of a register is in the register again.
    Restore(u16),
    /// Saves the whole description on a stack.
    RememberState,
    /// Takes the description from that stack.
    RestoreState,
    /// A step of the prologue, for the unwinder of Windows.
    Seh(SehOp),
}

/// A step of a prologue as Windows' unwinder takes it back (Microsoft, "x64 exception handling", "Unwind operation
/// code"). Registers have the machine's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SehOp {
    /// A general-purpose register is pushed.
    Push(u8),
    /// So many bytes are taken from the stack.
    Allocate(u32),
    /// A register is made the frame pointer: so many bytes above the stack pointer.
    SetFrame {
        /// The register.
        register: u8,
        /// A multiple of 16, at most 240.
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
    /// The frame is complete.
    EndPrologue,
}
