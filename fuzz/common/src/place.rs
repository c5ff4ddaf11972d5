//! An object's sections at their places in memory, with every address in them settled: what a linker and a loader do, for one
//! object that nothing is added to but the addresses of functions that are there already.

use std::collections::HashMap;

use object::{
    Architecture, BinaryFormat, Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionFlags,
    SectionIndex, SectionKind, SymbolIndex,
};

/// An object in memory.
#[derive(Debug, Default)]
pub struct Placed {
    /// What belongs to the address that it was placed at, and behind it.
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
    /// S + A, in so many bytes.
    Absolute(usize),
    /// S + A - P.
    Relative(usize),
    /// G + A - P.
    CellRelative,
    /// G + A - B.
    CellInTable,
    /// S + A - B.
    InTable,
    /// B + A - P.
    Table,
    /// S + A - the address of the image, which is taken to begin at 0 and so has the libraries' functions too.
    InImage,
}

/// ELF's flag of sections that are in memory.
const SHF_ALLOC: u64 = 2;

fn is_in_memory(flags: SectionFlags) -> bool {
    match flags {
        SectionFlags::Elf { sh_flags } => sh_flags & SHF_ALLOC != 0,
        // IMAGE_SCN_LNK_INFO, IMAGE_SCN_LNK_REMOVE, IMAGE_SCN_MEM_DISCARDABLE.
        SectionFlags::Coff { characteristics } => characteristics & 0x0200_0a00 == 0,
        _ => false,
    }
}

/// What a relocation means, and what the format adds to it without saying so.
fn field(architecture: Architecture, flags: RelocationFlags) -> Option<(Field, i64)> {
    use Field::*;
    let plain = |field| Some((field, 0));
    match (architecture, flags) {
        (Architecture::X86_64, RelocationFlags::Elf { r_type }) => match r_type {
            1 => plain(Absolute(8)),
            10 | 11 => plain(Absolute(4)),
            2 | 4 => plain(Relative(4)),
            24 => plain(Relative(8)),
            9 | 41 | 42 => plain(CellRelative),
            _ => None,
        },
        (Architecture::I386, RelocationFlags::Elf { r_type }) => match r_type {
            1 => plain(Absolute(4)),
            2 | 4 => plain(Relative(4)),
            3 | 43 => plain(CellInTable),
            9 => plain(InTable),
            10 => plain(Table),
            _ => None,
        },
        (Architecture::X86_64, RelocationFlags::Coff { typ }) => match typ {
            1 => plain(Absolute(8)),
            2 => plain(Absolute(4)),
            3 => plain(InImage),
            // From the field's end.
            4 => Some((Relative(4), -4)),
            _ => None,
        },
        (Architecture::I386, RelocationFlags::Coff { typ }) => match typ {
            6 => plain(Absolute(4)),
            7 => plain(InImage),
            0x14 => Some((Relative(4), -4)),
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
    let mut linker =
        Linker { file: &file, places, library, base, table: placed.bytes.len() as u64, cells: HashMap::new() };
    for s in &sections {
        let start = linker.places[&s.index()];
        for (at, r) in s.relocations() {
            let at = (start + at) as usize;
            let what = || format!("{}: a relocation {:?} at {at:#x}", s.name().unwrap_or_default(), r.flags());
            let (field, extra) = field(file.architecture(), r.flags()).ok_or_else(what)?;
            let size = if let Field::Absolute(n) | Field::Relative(n) = field { n } else { 4 };
            let old = placed.bytes.get(at..at + size).ok_or_else(what)?;
            let mut addend = extra;
            addend += match (file.format(), r.has_implicit_addend()) {
                (BinaryFormat::Elf, false) => r.addend(),
                _ if size == 8 => i64::from_le_bytes(old.try_into().map_err(|_| what())?),
                _ => i32::from_le_bytes(old.try_into().map_err(|_| what())?).into(),
            };
            let value = linker.value(field, r.target(), at as u64, addend, &mut placed.bytes)?;
            // Four bytes hold an address of either sign.
            let fits = size == 8 || i32::try_from(value).is_ok() || u32::try_from(value).is_ok();
            if !fits {
                return Err(format!("{}: {value:#x} does not fit", what()));
            }
            placed.bytes[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
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
}

impl<L: Fn(&str) -> Option<u64>> Linker<'_, L> {
    fn value(
        &mut self,
        field: Field,
        target: RelocationTarget,
        at: u64,
        addend: i64,
        bytes: &mut Vec<u8>,
    ) -> Result<i64, String> {
        let (place, table) = ((self.base + at) as i64, (self.base + self.table) as i64);
        if let Field::Table = field {
            return Ok(table + addend - place);
        }
        let symbol = match target {
            RelocationTarget::Symbol(index) => self.symbol(index)?,
            RelocationTarget::Section(index) => {
                self.base + self.places.get(&index).ok_or("a section that is left out")?
            }
            _ => return Err("a relocation against nothing".into()),
        };
        let s = symbol as i64;
        Ok(match field {
            Field::Absolute(_) => s.wrapping_add(addend),
            Field::Relative(_) => s + addend - place,
            Field::InTable => s + addend - table,
            Field::InImage => s + addend,
            Field::CellRelative => self.cell(symbol, bytes) as i64 + addend - place,
            Field::CellInTable => self.cell(symbol, bytes) as i64 + addend - table,
            Field::Table => unreachable!("it has no symbol"),
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
        // A module's own names are as objects have them.
        let known = (self.library)(name).or_else(|| (self.library)(c_name(self.file, name)));
        known.ok_or_else(|| format!("no library has `{name}`"))
    }
}
