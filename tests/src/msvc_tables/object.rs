//! A COFF object as tables refer to it: sections with their relocations, and the code between two symbols.

use std::collections::BTreeMap;

use goblin::pe::Coff;
use goblin::pe::section_table::{IMAGE_SCN_CNT_CODE, IMAGE_SCN_CNT_UNINITIALIZED_DATA, IMAGE_SCN_LNK_NRELOC_OVFL};

use super::{Machine, Place};
use crate::tools::Failure;

/// A section of an object.
pub(super) struct Section {
    pub name: String,
    pub code: bool,
    pub data: Vec<u8>,
    /// By offset: the symbol's place in the list of symbols.
    pub relocations: BTreeMap<u32, usize>,
}

/// A symbol of an object.
pub(super) struct Symbol {
    pub name: String,
    /// The number of its section, from zero; none when it is defined elsewhere.
    pub section: Option<usize>,
    pub value: u32,
    /// It is a function, not data nor a label.
    pub function: bool,
    /// It stands for a section.
    pub section_itself: bool,
}

/// A function or a funclet: a stretch of code.
pub(super) struct Region {
    pub name: String,
    pub section: usize,
    pub begin: u32,
    pub end: u32,
}

/// What a 32-bit field of a table holds.
pub(super) enum Field {
    Number(u32),
    /// An address in another object.
    External(String, i32),
    /// An address in a section of this one.
    Local(usize, u32),
}

/// All of an object.
pub(super) struct Object {
    pub machine: Machine,
    pub sections: Vec<Section>,
    pub symbols: BTreeMap<usize, Symbol>,
    pub regions: Vec<Region>,
}

impl Object {
    /// Reads an object. Its regions are not found yet.
    pub fn read(bytes: &[u8]) -> Result<Object, Failure> {
        let failed = |e: goblin::error::Error| Failure::new(e.to_string());
        let coff = Coff::parse(bytes).map_err(failed)?;
        let machine = match coff.header.machine {
            0x8664 => Machine::X86_64,
            0xaa64 => Machine::Arm64,
            0x14c => Machine::I686,
            other => return Err(Failure::new(format!("machine {other:#x} is none whose tables are read here"))),
        };
        let mut symbols = BTreeMap::new();
        if let (Some(table), Some(strings)) = (coff.symbols.as_ref(), coff.strings.as_ref()) {
            for (number, short, s) in table.iter() {
                let name = match short {
                    Some(name) => name,
                    // The length of the string table stands before its strings.
                    None if matches!(s.name, [0, 0, 0, 0, 0..4, 0, 0, 0]) => {
                        return Err(Failure::new(format!("symbol {number} has no name")));
                    }
                    None => s.name(strings).map_err(failed)?,
                };
                let symbol = Symbol {
                    name: name.to_string(),
                    section: usize::try_from(s.section_number).ok().and_then(|n| n.checked_sub(1)),
                    value: s.value,
                    function: s.typ >> 4 == 2,
                    section_itself: s.is_section_definition(),
                };
                symbols.insert(number, symbol);
            }
        }
        let mut sections = Vec::new();
        for section in &coff.sections {
            let name = section.name().map_err(failed)?.to_string();
            if section.characteristics & IMAGE_SCN_LNK_NRELOC_OVFL != 0 {
                return Err(Failure::new(format!("{name} has more than 65,534 relocations, which are not read here")));
            }
            let zeros = section.characteristics & IMAGE_SCN_CNT_UNINITIALIZED_DATA != 0;
            let data = if zeros { None } else { section.data(bytes).map_err(failed)? };
            let mut relocations = BTreeMap::new();
            for r in section.relocations(bytes).map_err(failed)? {
                relocations.insert(r.virtual_address, r.symbol_table_index as usize);
            }
            let code = section.characteristics & IMAGE_SCN_CNT_CODE != 0;
            sections.push(Section { name, code, data: data.unwrap_or_default().into_owned(), relocations });
        }
        Ok(Object { machine, sections, symbols, regions: Vec::new() })
    }

    /// The section with a number.
    pub fn section(&self, section: usize) -> Result<&Section, Failure> {
        self.sections.get(section).ok_or_else(|| Failure::new(format!("there is no section {section}")))
    }

    /// The four bytes at a place, as they stand there.
    pub fn word(&self, section: usize, offset: u32) -> Result<u32, Failure> {
        let from = self.section(section)?;
        let bytes = from.data.get(offset as usize..).and_then(|d| d.first_chunk::<4>());
        let outside = || Failure::new(format!("{}+{offset:#x} is outside of the section", from.name));
        Ok(u32::from_le_bytes(*bytes.ok_or_else(outside)?))
    }

    /// The field at a place, with the relocation that it has.
    pub fn field(&self, section: usize, offset: u32) -> Result<Field, Failure> {
        let word = self.word(section, offset)?;
        match self.section(section)?.relocations.get(&offset) {
            None => Ok(Field::Number(word)),
            Some(&symbol) => self.address(symbol, word.cast_signed()),
        }
    }

    /// The symbol that the relocation at a place names.
    pub fn symbol(&self, number: usize) -> Result<&Symbol, Failure> {
        self.symbols.get(&number).ok_or_else(|| Failure::new(format!("a relocation names symbol {number}: none")))
    }

    /// Some bytes after a symbol.
    pub fn address(&self, symbol: usize, addend: i32) -> Result<Field, Failure> {
        let symbol = self.symbol(symbol)?;
        let Some(section) = symbol.section else { return Ok(Field::External(symbol.name.clone(), addend)) };
        let (at, within) = (symbol.value.wrapping_add_signed(addend), self.section(section)?);
        // One byte after the end is where x86-64's last states begin.
        if within.data.is_empty() {
            Ok(Field::External(symbol.name.clone(), addend))
        } else if at as usize > within.data.len() + 1 {
            Err(Failure::new(format!("{}{addend:+#x} is outside of {}", symbol.name, within.name)))
        } else {
            Ok(Field::Local(section, at))
        }
    }

    /// The field at a place, which has to be the address of another table.
    pub fn table(&self, section: usize, offset: u32) -> Result<(usize, u32), Failure> {
        match self.field(section, offset)? {
            Field::Local(section, offset) => Ok((section, offset)),
            _ => {
                let name = &self.section(section)?.name;
                Err(Failure::new(format!("{name}+{offset:#x} is no address in this object")))
            }
        }
    }

    /// A name of a place: that of the symbol there that says most, or of the section.
    pub fn name(&self, section: usize, offset: u32) -> String {
        let here = |s: &&Symbol| s.section == Some(section) && s.value == offset && !s.section_itself;
        let best = self.symbols.values().filter(here).min_by_key(|s| (!s.function, s.name.starts_with('$')));
        match best {
            Some(s) => s.name.clone(),
            None => format!("{}+{offset:#x}", self.sections.get(section).map_or("?", |s| &s.name)),
        }
    }

    /// The number of the function or funclet that a place is in, with the offset from its begin.
    pub fn region(&self, section: usize, offset: u32) -> Option<(usize, u32)> {
        let inside = |r: &Region| r.section == section && (r.begin..r.end).contains(&offset);
        let number = self.regions.iter().position(inside)?;
        Some((number, offset - self.regions[number].begin))
    }

    /// What a field of a table refers to.
    pub fn place(&self, section: usize, offset: u32) -> Result<Place, Failure> {
        Ok(match self.field(section, offset)? {
            Field::Number(0) => Place::None,
            Field::Number(n) => Place::Constant(n),
            Field::External(name, 0) => Place::Symbol(name),
            Field::External(name, more) => Place::Symbol(format!("{name}{more:+#x}")),
            Field::Local(section, at) => match self.region(section, at) {
                Some((region, offset)) => Place::Code { region, offset },
                None => Place::Symbol(self.name(section, at)),
            },
        })
    }

    /// Where a state begins: in code, or right after the last byte of it, where only x86-64's 1 after a last call leads.
    pub fn position(&self, section: usize, offset: u32) -> Result<Place, Failure> {
        match self.place(section, offset)? {
            Place::Symbol(_) => self.end_place(section, offset),
            place => Ok(place),
        }
    }

    /// The end of a stretch of code, which lies in one function or funclet up to its last byte.
    pub fn end_place(&self, section: usize, offset: u32) -> Result<Place, Failure> {
        if let Field::Local(section, at) = self.field(section, offset)?
            && let Some((region, offset)) = at.checked_sub(1).and_then(|last| self.region(section, last))
        {
            return Ok(Place::Code { region, offset: offset + 1 });
        }
        self.place(section, offset)
    }

    /// Finds the functions and funclets of 32-bit x86, which no table lists: from a symbol that is a function to the next one.
    pub fn regions_by_symbols(&mut self) {
        for (number, section) in self.sections.iter().enumerate().filter(|(_, s)| s.code) {
            let own = |s: &&Symbol| s.section == Some(number) && s.function && !s.section_itself;
            let mut starts: Vec<u32> = self.symbols.values().filter(own).map(|s| s.value).collect();
            starts.sort_unstable();
            starts.dedup();
            let length = u32::try_from(section.data.len()).unwrap_or(u32::MAX);
            for (i, &begin) in starts.iter().enumerate().filter(|(_, begin)| **begin < length) {
                let end = starts.get(i + 1).copied().unwrap_or(length).min(length);
                self.regions.push(Region { name: String::new(), section: number, begin, end });
            }
        }
        self.name_regions();
    }

    /// Gives each region the name of the symbol at its begin.
    pub fn name_regions(&mut self) {
        let names: Vec<String> = self.regions.iter().map(|r| self.name(r.section, r.begin)).collect();
        for (region, name) in self.regions.iter_mut().zip(names) {
            region.name = name;
        }
    }
}
