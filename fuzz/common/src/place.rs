//! An object's sections at their places in memory, with every address in them settled: what a linker and a loader do, for one
//! object that nothing is added to but the addresses of functions that are there already.

use std::collections::HashMap;

use gusset_codegen::libcall::LibCall;
use object::{
    Architecture, BinaryFormat, Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionFlags,
    SectionIndex, SectionKind, SymbolIndex,
};

/// An object in memory.
#[derive(Debug, Default)]
pub struct Placed {
    /// What belongs to the address that it was placed at, and after it.
    pub bytes: Vec<u8>,
    /// Offsets of the symbols that it defines.
    pub symbols: HashMap<String, u64>,
    /// Offset and size of sections by name.
    pub sections: HashMap<String, (u64, u64)>,
}

/// What a field holds. S is the symbol's address, A what is added, P the field's address, G that of a cell that holds the
/// symbol's address, and B that of the table of these cells.
#[derive(Clone, Copy)]
enum Field {
    /// S + A.
    Absolute,
    /// S + A - P.
    Relative,
    /// The same counted from the beginnings of the pages, of S + A and of P.
    Page,
    /// G + A.
    Cell,
    /// G + A - P.
    CellRelative,
    /// The same by pages.
    CellPage,
    /// G + A - B.
    CellInTable,
    /// S + A - B.
    InTable,
    /// B + A - P.
    Table,
    /// S + A - the address of the image, which is taken to begin at 0 and so has the libraries' functions too.
    InImage,
}

/// Where the value is.
#[derive(Clone, Copy)]
enum Form {
    /// In so many bytes.
    Bytes(usize),
    /// In an instruction of AArch64, without its lowest bits, which are `drop`: `bits` bits from bit `at` on.
    Bits { drop: u32, bits: u32, at: u32 },
    /// The same without what is above.
    Low { drop: u32 },
    /// In the two parts of `adr` and `adrp`.
    Near { drop: u32 },
    /// In a branch of A32, in words.
    A32Branch,
    /// In a branch of T32 with 24 bits, in half words.
    T32Branch,
    /// In the `movw` of A32, or, without the lowest 16 bits, in `movt`.
    A32Half { drop: u32 },
    /// The same in T32.
    T32Half { drop: u32 },
    /// In all bits of a word but the highest.
    Word31,
}

impl Form {
    fn size(self) -> usize {
        if let Form::Bytes(n) = self { n } else { 4 }
    }

    /// Is it a branch that a stub may take farther?
    fn is_arm_branch(self) -> bool {
        matches!(self, Form::A32Branch | Form::T32Branch)
    }

    /// What the field holds before it is settled, where that is what is added.
    fn addend(self, field: &[u8]) -> Option<i64> {
        let word = u32::from_le_bytes(*field.first_chunk()?);
        let signed = |value: u32, bits: u32| i64::from((value << (32 - bits)) as i32 >> (32 - bits));
        // T32's instructions are half words, the first one above.
        let insn = word.rotate_left(16);
        Some(match self {
            Form::Bytes(8) => i64::from_le_bytes(*field.first_chunk()?),
            Form::A32Branch => signed(word, 24) << 2,
            Form::T32Branch => {
                let sign = insn >> 26 & 1;
                let bit = |at: u32| insn >> at & 1 ^ sign ^ 1;
                let high = sign << 23 | bit(13) << 22 | bit(11) << 21;
                signed(high | (insn >> 16 & 0x3ff) << 11 | insn & 0x7ff, 24) << 1
            }
            Form::A32Half { .. } => signed(word >> 4 & 0xf000 | word & 0xfff, 16),
            Form::T32Half { .. } => {
                signed((insn >> 16 & 15) << 12 | (insn >> 26 & 1) << 11 | (insn >> 12 & 7) << 8 | insn & 0xff, 16)
            }
            Form::Word31 => signed(word, 31),
            _ => i64::from(word as i32),
        })
    }

    /// Puts a value into the field; `None` if it does not fit.
    fn put(self, field: &mut [u8], value: i64) -> Option<()> {
        let word = u32::from_le_bytes(*field.first_chunk()?);
        let signed = |drop: u32, bits: u32| {
            let limit = 1i64 << (drop + bits - 1);
            ((-limit..limit).contains(&value) && value & ((1 << drop) - 1) == 0).then_some((value >> drop) as u32)
        };
        let word = match self {
            // Four bytes hold an address of either sign.
            Form::Bytes(n) => {
                let fits = n == 8 || i32::try_from(value).is_ok() || u32::try_from(value).is_ok();
                field.copy_from_slice(value.to_le_bytes().get(..n)?);
                return fits.then_some(());
            }
            Form::Bits { drop, bits, at } => word | (signed(drop, bits)? & ((1 << bits) - 1)) << at,
            Form::Low { drop } => {
                let low = value as u32 & 0xfff;
                word | (low & ((1 << drop) - 1) == 0).then_some(low >> drop)? << 10
            }
            Form::Near { drop } => {
                let pages = signed(drop, 21)?;
                word | (pages & 3) << 29 | (pages >> 2 & 0x7_ffff) << 5
            }
            Form::A32Branch => word & 0xff00_0000 | signed(2, 24)? & 0xff_ffff,
            Form::T32Branch => {
                // The lowest bit of the target says in which instruction set it is.
                let halves = value >> 1;
                ((-1 << 23)..1 << 23).contains(&halves).then_some(())?;
                let (v, sign) = (halves as u32, halves as u32 >> 23 & 1);
                let bit = |at: u32| v >> at & 1 ^ sign ^ 1;
                let insn = word.rotate_left(16) & 0xf800_d000;
                let high = sign << 26 | (v >> 11 & 0x3ff) << 16;
                (insn | high | bit(22) << 13 | bit(21) << 11 | v & 0x7ff).rotate_left(16)
            }
            Form::A32Half { drop } => {
                let n = (value >> drop) as u32 & 0xffff;
                word & 0xfff0_f000 | n >> 12 << 16 | n & 0xfff
            }
            Form::T32Half { drop } => {
                let n = (value >> drop) as u32 & 0xffff;
                let insn = word.rotate_left(16) & 0xfbf0_8f00;
                (insn | n >> 12 << 16 | (n >> 11 & 1) << 26 | (n >> 8 & 7) << 12 | n & 0xff).rotate_left(16)
            }
            Form::Word31 => {
                (-1 << 30..1 << 30).contains(&value).then_some(())?;
                word & 1 << 31 | value as u32 & !(1 << 31)
            }
        };
        field.copy_from_slice(&word.to_le_bytes());
        Some(())
    }
}

/// ELF's flag of sections that are in memory.
const SHF_ALLOC: u64 = 2;
/// The bits of an address within a page, as AArch64 counts them.
const PAGE: i64 = 0xfff;

fn is_in_memory(flags: SectionFlags) -> bool {
    match flags {
        SectionFlags::Elf { sh_flags } => sh_flags & SHF_ALLOC != 0,
        // IMAGE_SCN_LNK_INFO, IMAGE_SCN_LNK_REMOVE, IMAGE_SCN_MEM_DISCARDABLE.
        SectionFlags::Coff { characteristics } => characteristics & 0x0200_0a00 == 0,
        _ => false,
    }
}

/// What a relocation means, and what the format adds to it without saying so.
fn field(architecture: Architecture, flags: RelocationFlags) -> Option<(Field, Form, i64)> {
    use Field::*;
    use Form::*;
    let plain = |field, form| Some((field, form, 0));
    match (architecture, flags) {
        (Architecture::X86_64, RelocationFlags::Elf { r_type }) => match r_type {
            1 => plain(Absolute, Bytes(8)),
            10 | 11 => plain(Absolute, Bytes(4)),
            2 | 4 => plain(Relative, Bytes(4)),
            24 => plain(Relative, Bytes(8)),
            9 | 41 | 42 => plain(CellRelative, Bytes(4)),
            _ => None,
        },
        (Architecture::I386, RelocationFlags::Elf { r_type }) => match r_type {
            1 => plain(Absolute, Bytes(4)),
            2 | 4 => plain(Relative, Bytes(4)),
            3 | 43 => plain(CellInTable, Bytes(4)),
            9 => plain(InTable, Bytes(4)),
            10 => plain(Table, Bytes(4)),
            _ => None,
        },
        // ELF for the Arm 64-bit Architecture, section "Relocation types".
        (Architecture::Aarch64, RelocationFlags::Elf { r_type }) => match r_type {
            257 => plain(Absolute, Bytes(8)),
            258 => plain(Absolute, Bytes(4)),
            260 => plain(Relative, Bytes(8)),
            261 | 314 => plain(Relative, Bytes(4)),
            273 => plain(Relative, Bits { drop: 2, bits: 19, at: 5 }),
            274 => plain(Relative, Near { drop: 0 }),
            275 => plain(Page, Near { drop: 12 }),
            277 | 278 => plain(Absolute, Low { drop: 0 }),
            284..=286 => plain(Absolute, Low { drop: r_type - 283 }),
            299 => plain(Absolute, Low { drop: 4 }),
            282 | 283 => plain(Relative, Bits { drop: 2, bits: 26, at: 0 }),
            311 => plain(CellPage, Near { drop: 12 }),
            312 => plain(Cell, Low { drop: 3 }),
            _ => None,
        },
        // ELF for the Arm Architecture, section "Relocation types"; `R_ARM_TARGET2` as on Linux.
        (Architecture::Arm, RelocationFlags::Elf { r_type }) => match r_type {
            2 | 38 => plain(Absolute, Bytes(4)),
            3 => plain(Relative, Bytes(4)),
            10 | 30 => plain(Relative, T32Branch),
            28 | 29 => plain(Relative, A32Branch),
            24 => plain(InTable, Bytes(4)),
            25 => plain(Table, Bytes(4)),
            26 => plain(CellInTable, Bytes(4)),
            41 | 96 => plain(CellRelative, Bytes(4)),
            42 => plain(Relative, Word31),
            43 | 44 => plain(Absolute, A32Half { drop: (r_type - 43) * 16 }),
            47 | 48 => plain(Absolute, T32Half { drop: (r_type - 47) * 16 }),
            _ => None,
        },
        (Architecture::X86_64, RelocationFlags::Coff { typ }) => match typ {
            1 => plain(Absolute, Bytes(8)),
            2 => plain(Absolute, Bytes(4)),
            3 => plain(InImage, Bytes(4)),
            // From the field's end.
            4 => Some((Relative, Bytes(4), -4)),
            _ => None,
        },
        (Architecture::I386, RelocationFlags::Coff { typ }) => match typ {
            6 => plain(Absolute, Bytes(4)),
            7 => plain(InImage, Bytes(4)),
            0x14 => Some((Relative, Bytes(4), -4)),
            _ => None,
        },
        _ => None,
    }
}

/// Places an object at `base`; `library` knows the addresses of functions that it does not define.
///
/// # Errors
/// What cannot be read or resolved.
pub fn place(bytes: &[u8], base: u64, library: impl Fn(&str) -> Option<u64>) -> Result<Placed, String> {
    let file = object::File::parse(bytes).map_err(|e| e.to_string())?;
    let mut places: HashMap<SectionIndex, u64> = HashMap::new();
    let mut placed = Placed::default();
    // Code first: what is written lies apart from it.
    let mut sections: Vec<_> = file.sections().filter(|s| is_in_memory(s.flags()) && s.size() > 0).collect();
    sections.sort_by_key(|s| s.kind() != SectionKind::Text);
    let mut code = true;
    for s in &sections {
        let align = if code && s.kind() != SectionKind::Text { 4096 } else { s.align().max(1) };
        code &= s.kind() == SectionKind::Text;
        let at = (placed.bytes.len() as u64).next_multiple_of(align);
        placed.bytes.resize(at as usize, 0);
        placed.bytes.extend_from_slice(s.data().map_err(|e| e.to_string())?);
        placed.bytes.resize((at + s.size()) as usize, 0);
        places.insert(s.index(), at);
        if s.name() == Ok(".eh_frame") {
            // Its end is a length of 0.
            placed.bytes.extend([0; 4]);
        }
        placed.sections.insert(s.name().unwrap_or_default().into(), (at, s.size()));
    }
    for symbol in file.symbols() {
        if let (Some(at), Ok(name)) = (symbol.section_index().and_then(|s| places.get(&s)), symbol.name()) {
            placed.symbols.insert(c_name(&file, name).into(), at + symbol.address());
        }
    }
    placed.bytes.resize(placed.bytes.len().next_multiple_of(8), 0);
    let table = placed.bytes.len() as u64;
    let (cells, stubs) = (HashMap::new(), HashMap::new());
    let mut linker = Linker { file: &file, places, library, base, table, cells, stubs };
    for s in &sections {
        let start = linker.places[&s.index()];
        for (at, r) in s.relocations() {
            if r.flags() == (RelocationFlags::Elf { r_type: 0 }) {
                // It says what else is wanted, and changes nothing.
                continue;
            }
            let at = (start + at) as usize;
            let what = || format!("{}: a relocation {:?} at {at:#x}", s.name().unwrap_or_default(), r.flags());
            let (field, form, extra) = field(file.architecture(), r.flags()).ok_or_else(what)?;
            let old = placed.bytes.get(at..at + form.size()).ok_or_else(what)?;
            let mut addend = extra;
            addend += match (file.format(), r.has_implicit_addend()) {
                (BinaryFormat::Elf, false) => r.addend(),
                _ => form.addend(old).ok_or_else(what)?,
            };
            let target = linker.target(r.target(), form, &mut placed.bytes)?;
            let value = linker.value(field, target, at as u64, addend, &mut placed.bytes);
            let field = &mut placed.bytes[at..at + form.size()];
            form.put(field, value).ok_or_else(|| format!("{}: {value:#x} does not fit", what()))?;
        }
    }
    Ok(placed)
}

/// A symbol's name in C.
fn c_name<'n>(file: &object::File<'_>, name: &'n str) -> &'n str {
    let underscores = file.format() == BinaryFormat::Coff && file.architecture() == Architecture::I386;
    if underscores { name.strip_prefix('_').unwrap_or(name) } else { name }
}

struct Linker<'f, L> {
    file: &'f object::File<'f>,
    places: HashMap<SectionIndex, u64>,
    library: L,
    base: u64,
    /// Offset of the table of addresses, which comes last and grows.
    table: u64,
    cells: HashMap<u64, u64>,
    /// Stubs of branches, by where they lead.
    stubs: HashMap<u64, u64>,
}

impl<L: Fn(&str) -> Option<u64>> Linker<'_, L> {
    fn value(&mut self, field: Field, symbol: u64, at: u64, addend: i64, bytes: &mut Vec<u8>) -> i64 {
        let (place, table) = ((self.base + at) as i64, (self.base + self.table) as i64);
        let s = symbol as i64;
        match field {
            Field::Absolute => s.wrapping_add(addend),
            Field::Relative => s + addend - place,
            Field::Page => ((s + addend) & !PAGE) - (place & !PAGE),
            Field::Cell => self.cell(symbol, bytes) as i64 + addend,
            Field::CellPage => ((self.cell(symbol, bytes) as i64 + addend) & !PAGE) - (place & !PAGE),
            Field::InTable => s + addend - table,
            Field::InImage => s + addend,
            Field::CellRelative => self.cell(symbol, bytes) as i64 + addend - place,
            Field::CellInTable => self.cell(symbol, bytes) as i64 + addend - table,
            Field::Table => table + addend - place,
        }
    }

    /// The address that a relocation is about.
    fn target(&mut self, target: RelocationTarget, form: Form, bytes: &mut Vec<u8>) -> Result<u64, String> {
        match target {
            RelocationTarget::Symbol(index) => {
                let address = self.symbol(index)?;
                let own = self.file.symbol_by_index(index).is_ok_and(|s| s.section_index().is_some());
                Ok(if form.is_arm_branch() && !own { self.stub(address, form, bytes) } else { address })
            }
            RelocationTarget::Section(index) => {
                Ok(self.base + self.places.get(&index).ok_or("a section that is left out")?)
            }
            _ => Err("a relocation against nothing".into()),
        }
    }

    /// The address of code that jumps to an address, whatever instruction set is there: `ldr pc, [pc, #-4]`, `ldr.w pc, [pc]`.
    fn stub(&mut self, address: u64, form: Form, bytes: &mut Vec<u8>) -> u64 {
        let base = self.base;
        *self.stubs.entry(address).or_insert_with(|| {
            let at = base + bytes.len() as u64;
            let jump: u32 = if matches!(form, Form::A32Branch) { 0xe51f_f004 } else { 0xf000_f8df };
            bytes.extend_from_slice(&jump.to_le_bytes());
            bytes.extend_from_slice(&(address as u32).to_le_bytes());
            at
        })
    }

    /// The address of a cell that holds an address.
    fn cell(&mut self, address: u64, bytes: &mut Vec<u8>) -> u64 {
        let base = self.base;
        *self.cells.entry(address).or_insert_with(|| {
            let at = base + bytes.len() as u64;
            bytes.extend_from_slice(&address.to_le_bytes());
            at
        })
    }

    fn symbol(&self, index: SymbolIndex) -> Result<u64, String> {
        let symbol = self.file.symbol_by_index(index).map_err(|e| e.to_string())?;
        if let Some(section) = symbol.section_index() {
            let place = self.places.get(&section).ok_or("a symbol in a section that is left out")?;
            return Ok(self.base + place + symbol.address());
        }
        let name = symbol.name().map_err(|e| e.to_string())?;
        if name == LibCall::GlobalOffsetTable.symbol() {
            return Ok(self.base + self.table);
        }
        // A module's own names are as objects have them.
        let known = (self.library)(name).or_else(|| (self.library)(c_name(self.file, name)));
        known.ok_or_else(|| format!("no library has `{name}`"))
    }
}
