//! What object writing has to know about a machine: plain data that a target provides.

use gimli::constants as dw;
use gusset_abi::{Endian, Env};

use crate::buffer::{CfiOp, CodeFacts, Origin, RelocKind};
use crate::compiled::Patch;
use crate::ir::{CodeModel, Module};

/// Choices of the compilation rather than of the module.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ObjectOptions {
    /// The code runs wherever it is loaded: read-only data with addresses stay writable until they are relocated.
    pub pic: bool,
    /// Every function also has an entry in `.debug_frame` (ELF).
    pub debug_frame: bool,
    /// Debug information has a table of the addresses of code.
    pub debug_aranges: bool,
    /// Sections of debug information are compressed where that makes them smaller (ELF).
    #[cfg(feature = "compression")]
    pub compress_debug_sections: bool,
    /// Attributes that say which processor the object is for and how it calls, by number.
    pub attributes: Vec<(u8, Attribute)>,
    /// The name of its floating-point unit, which assemblers need to accept the instructions.
    pub fpu: Option<&'static str>,
}

/// The value of an attribute of an object (Addenda to the ABI for the Arm Architecture, "Build attributes").
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Attribute {
    /// A number.
    Number(u8),
    /// A text.
    Text(String),
}

/// Facts about a machine and its object format.
#[derive(Clone, Copy, Debug)]
pub struct ObjectFormat {
    /// ELF's number of the machine (`e_machine`).
    pub elf_machine: u16,
    /// ELF's processor-specific flags (`e_flags`).
    pub elf_flags: u32,
    /// The opcode of an instruction of which the number of a function's type is made the operand.
    pub type_id_opcode: Option<u8>,
    /// Whether files are of the 64-bit class.
    pub is_64: bool,
    /// Whether relocations contain addends; otherwise these are in the field (ELF gABI, "Relocation").
    pub explicit_addends: bool,
    /// Bytes of a pointer.
    pub pointer_bytes: u8,
    /// ELF section type of `.eh_frame`.
    pub unwind_section_type: u32,
    /// ELF flag of sections that may be far from the others; 0 if there is none.
    pub far_section_flag: u32,
    /// ELF flag of sections of code that are never read; 0 for other code.
    pub code_section_flag: u32,
    /// The program property with the features that all of the code supports, and the bits for protected branches,
    /// protected returns and guarded control stacks; 0 for missing ones.
    pub features_property: Option<(u32, [u32; 3])>,
    /// ELF's number of a relocation, from the machine's psABI; `None` if the machine has no such relocation.
    pub elf_relocation: fn(RelocKind) -> Option<u32>,
    /// The kinds of relocations that the machine has, the most common first of those with one number.
    pub relocations: &'static [RelocKind],
    /// Code that jumps to the address in a cell.
    pub cell_jump: CellJump,
    /// Bytes of the units of instructions, if their bytes are stored in reverse order; 0: they are stored as they are.
    pub reversed_code: u8,
    /// ELF symbols that mark where code and where data begins, for example `$x` and `$d` (ELF for the Arm 64-bit
    /// Architecture, "Mapping symbols").
    pub mapping_symbols: Option<[&'static str; 2]>,
    /// Relocations refer to symbols, even local ones: fields hold little of a large addend, or linkers have to know
    /// what is at the address.
    pub names_symbols: bool,
    /// Added to the address of a function to say which of two instruction sets it is in (ELF for the Arm Architecture).
    pub function_bit: u8,
    /// How fields are written.
    pub code: &'static CodeFacts,
    /// Appends this many bytes of instructions without effect.
    pub pad_code: fn(&mut Vec<u8>, usize),
    /// What unwind tables say about every function.
    pub unwind: UnwindFacts,
    /// Functions are unwound by an index of functions rather than by `.eh_frame`.
    pub index: Option<IndexFacts>,
    /// The ELF type of the section with attributes, its name, and the name of the vendor that defines the attributes.
    pub attributes: Option<(u32, &'static str, &'static str)>,
    /// Files are COFF rather than ELF, with these facts.
    pub coff: Option<CoffFacts>,
}

/// Code that jumps to the address that a cell holds. It changes no register that may hold an argument or a result.
#[derive(Clone, Copy, Debug)]
pub struct CellJump {
    /// The code. Its size is a multiple of its alignment, 4.
    pub code: &'static [u8],
    /// Its fields: offset, form, and addend. They refer to the cell.
    pub fields: &'static [(u32, RelocKind, i64)],
}

/// The format of the tables by which Windows unwinds functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FunctionTables {
    /// As on x86-64.
    X64,
    /// As on AArch64.
    Arm64,
    /// As on ARM, of which Windows only has T32.
    Thumb,
}

impl FunctionTables {
    /// How the personality routines of Microsoft's library find the state of code; `None` where LLVM has no funclets.
    pub(crate) fn finding(self) -> Option<Finding> {
        match self {
            FunctionTables::X64 => Some(Finding::Address { addend: 1 }),
            FunctionTables::Arm64 => Some(Finding::Address { addend: 0 }),
            FunctionTables::Thumb => None,
        }
    }
}

/// Facts about a machine in COFF (Microsoft, "PE Format").
#[derive(Clone, Copy, Debug)]
pub struct CoffFacts {
    /// The number of the machine.
    pub machine: u16,
    /// The number of a relocation, and the distance from the field to where linkers count from; `None` if the machine
    /// has no such relocation.
    pub relocation: fn(RelocKind) -> Option<(u16, i64)>,
    /// The largest addend that linkers find in a field; for more, a closer symbol is needed.
    pub addend_reach: fn(RelocKind) -> i64,
    /// Names of C functions and data begin with `_`.
    pub underscores: bool,
    /// The environment whose tools and libraries the files are for.
    pub env: Env,
    /// Further flags of sections with code.
    pub code_flags: u32,
    /// Value of the symbol `@feat.00`, if files have it.
    pub features: Option<u32>,
    /// Functions are unwound by `.pdata` and `.xdata` rather than by `.eh_frame`.
    pub function_tables: Option<FunctionTables>,
    /// Functions with handlers register them while they run; this code calls the personality routine of C++.
    pub thunk: Option<HandlerThunk>,
    /// How CodeView names the machine and its registers.
    pub codeview: CodeViewFacts,
}

/// Facts about a machine in CodeView (Microsoft, "microsoft-pdb", `cvinfo.h`, `cvconst.h`). Registers are CodeView's.
#[derive(Clone, Copy, Debug)]
pub struct CodeViewFacts {
    /// The number of the machine (`CV_CPU_TYPE_e`).
    pub cpu: u16,
    /// All functions begin so that they can be replaced at run time.
    pub hot_patch: bool,
    /// The number of a register by DWARF's number (`CV_HREG_e`), of the part that holds this many bytes; `None` if there is no number.
    pub register: fn(u16, u16) -> Option<u16>,
    /// The registers that a description of a frame can name: those of stack pointer, frame pointer and base pointer.
    pub frame_registers: Option<[u16; 3]>,
    /// Calls move the stack pointer, so frames are found by programs in `DEBUG_S_FRAMEDATA`.
    pub moving_stack: Option<MovingStack>,
}

/// A machine whose calls move the stack pointer (32-bit x86).
#[derive(Clone, Copy, Debug)]
pub struct MovingStack {
    /// The stack pointer.
    pub stack_pointer: u16,
    /// The register that stands for the start of the frame, just above which is the return address.
    pub frame: u16,
    /// The name of a register in those programs, by DWARF's number.
    pub name: fn(u16) -> Option<&'static str>,
}

/// Code that passes the address of a function's tables to a personality routine and jumps there.
#[derive(Clone, Copy, Debug)]
pub struct HandlerThunk {
    /// The code.
    pub code: &'static [u8],
    /// Offset of the field with the tables' address, and its form.
    pub tables: (u32, RelocKind),
    /// Offset of the field with the routine's address, its form, and the addend.
    pub routine: (u32, RelocKind, i64),
}

impl CoffFacts {
    /// Are files for Microsoft's own tools and library?
    pub(crate) fn is_microsoft(&self) -> bool {
        self.env == Env::Msvc
    }

    /// Are files linked by GNU's linker, which wants constructors in lists of its own, and names without an underscore
    /// in its options?
    pub(crate) fn is_gnu(&self) -> bool {
        matches!(self.env, Env::Gnu | Env::Cygnus)
    }

    /// Are there tables of landing pads? On 32-bit Windows only with those of GNU.
    pub(crate) fn has_landing_pads(&self) -> bool {
        self.is_gnu() || self.function_tables.is_some()
    }
}

impl ObjectFormat {
    /// The order of the bytes of numbers in data and in the file's own tables.
    pub(crate) fn endian(&self) -> Endian {
        self.code.endian
    }

    /// The prefix of names that assemblers keep out of symbol tables.
    pub(crate) fn private_prefix(&self) -> &'static str {
        match &self.coff {
            Some(coff) if coff.underscores => "L",
            Some(coff) if coff.is_microsoft() && coff.function_tables == Some(FunctionTables::Thumb) => "$M",
            _ => ".L",
        }
    }

    /// The bytes before a function that say its type: where that is to look like an instruction, this begins with others without
    /// effect, so that the function, which has room for patches in between, is aligned like those without a type.
    pub(crate) fn type_id_bytes(&self, id: u32, before: u32, align: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        if let Some(opcode) = self.type_id_opcode {
            let len = u64::from(before) + 5;
            (0..len.next_multiple_of(align) - len).for_each(|_| (self.pad_code)(&mut bytes, 1));
            bytes.push(opcode);
        }
        bytes.extend(self.endian().u32(id));
        bytes
    }

    /// Appends this many of the shortest instructions without effect.
    pub(crate) fn room_for_patches(&self, bytes: &mut Vec<u8>, patch: Patch) {
        (0..patch.before / patch.unit).for_each(|_| (self.pad_code)(bytes, patch.unit as usize));
    }

    /// The tables by which Windows unwinds functions, if it uses tables.
    pub(crate) fn function_tables(&self) -> Option<FunctionTables> {
        self.coff.as_ref().and_then(|coff| coff.function_tables)
    }

    /// How the personality routines of Microsoft's library find the state of code, for targets that have it.
    pub(crate) fn finding(&self) -> Option<Finding> {
        match self.function_tables() {
            Some(tables) => tables.finding(),
            None => self.thunk().map(|_| Finding::Stored),
        }
    }

    /// The code by which C++'s personality routine is called, where functions register it.
    pub(crate) fn thunk(&self) -> Option<&HandlerThunk> {
        self.coff.as_ref().and_then(|coff| coff.thunk.as_ref())
    }

    /// The format's number of a relocation, and the distance from the field to where linkers count from.
    pub(crate) fn relocation(&self, kind: RelocKind) -> Option<(u32, i64)> {
        match &self.coff {
            Some(coff) => (coff.relocation)(kind).map(|(number, place)| (number.into(), place)),
            None => (self.elf_relocation)(kind).map(|number| (number, 0)),
        }
    }
}

/// Facts about an index of functions for unwinding (Exception Handling ABI for the Arm Architecture).
#[derive(Clone, Copy, Debug)]
pub struct IndexFacts {
    /// ELF section type of the index.
    pub section_type: u32,
    /// How the place of code or of a description is stored.
    pub place: RelocKind,
    /// How tables of landing pads name a type.
    pub type_address: RelocKind,
    /// The relocation that says that a symbol is needed.
    pub need: RelocKind,
}

/// What the unwind table's common entry says (DWARF 5, section 6.4.1).
#[derive(Clone, Copy, Debug)]
pub struct UnwindFacts {
    /// Smallest unit of code offsets, bytes.
    pub code_align: u8,
    /// Unit of offsets of saved registers, bytes.
    pub data_align: i8,
    /// DWARF number of the register (or column) of the return address.
    pub return_address: u8,
    /// The rules at the first instruction of a function.
    pub initial: &'static [CfiOp],
    /// Tables of code that is not position-independent hold addresses in four bytes, however wide a pointer is.
    pub short_addresses: bool,
}

/// The form of addresses in tables of exceptions (Linux Standard Base, "DWARF Exception Header Encoding").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AddressForm {
    /// As a pointer.
    Pointer,
    /// In four bytes.
    Short,
    /// Four bytes relative to the field. For a symbol that may be in another image, the place of a pointer to it.
    Relative,
    /// Four bytes whose meaning linkers know.
    Platform(RelocKind),
}

impl AddressForm {
    /// The form in an object: no table may need changes when the program is loaded.
    pub fn new(format: &ObjectFormat, module: &Module, pic: bool) -> AddressForm {
        if let Some(index) = &format.index {
            return AddressForm::Platform(index.type_address);
        }
        match () {
            () if format.coff.is_some() => AddressForm::Pointer,
            () if pic => AddressForm::Relative,
            () if format.unwind.short_addresses && module.code_model == CodeModel::Small => AddressForm::Short,
            () => AddressForm::Pointer,
        }
    }

    /// `DW_EH_PE_*` for symbols in the same image.
    pub fn encoding(self) -> u8 {
        match self {
            AddressForm::Pointer | AddressForm::Platform(_) => dw::DW_EH_PE_absptr.0,
            AddressForm::Short => dw::DW_EH_PE_udata4.0,
            AddressForm::Relative => dw::DW_EH_PE_pcrel.0 | dw::DW_EH_PE_sdata4.0,
        }
    }

    /// `DW_EH_PE_*` for symbols that may be in another image.
    pub fn indirect_encoding(self) -> u8 {
        match self {
            AddressForm::Relative => dw::DW_EH_PE_indirect.0 | self.encoding(),
            _ => self.encoding(),
        }
    }

    /// Bytes of a field.
    pub fn size(self, format: &ObjectFormat) -> usize {
        if self == AddressForm::Pointer { format.pointer_bytes.into() } else { 4 }
    }

    /// How a field is relocated.
    pub fn kind(self, format: &ObjectFormat) -> RelocKind {
        match self {
            AddressForm::Pointer => RelocKind::word(format.pointer_bytes, Origin::Zero),
            AddressForm::Short => RelocKind::word(4, Origin::Zero),
            AddressForm::Relative => RelocKind::word(4, Origin::Field),
            AddressForm::Platform(kind) => kind,
        }
    }
}

/// How code finds its state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Finding {
    /// By the address. For a call, the routine looks up the return address, either as it is (then `addend` is 1) or
    /// minus an instruction (then it is 0).
    Address { addend: u32 },
    /// Code stores it.
    Stored,
}
