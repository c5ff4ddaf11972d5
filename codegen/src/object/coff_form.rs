//! The two forms of a COFF object file: the plain one, and the one for more sections than plain symbols can name
//! (`/bigobj`; Microsoft, "/bigobj (Increase Number of Sections in .Obj file)"; LLVM, `BigObjHeader`). They differ in
//! the header and in the entries of the symbol table, which are two bytes longer.

use object::pe;
use object::write::coff::{AuxSymbolSection, AuxSymbolWeak, FileHeader, Symbol, Writer};

use super::file_buffer::Feed;
use super::{ObjectError, Result};

/// Section numbers above this would be taken for special ones.
const MAX_SECTIONS: usize = 0xfeff;

/// The form of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    Plain,
    Big,
}

/// Offset of the symbol table in the file, if the writer does not place it.
pub(super) struct Reserved {
    symbols_at: u32,
    sections: u32,
    symbols: u32,
}

/// An entry of the symbol table with a 32-bit section number.
pub(super) struct Numbered {
    /// Everything else.
    pub symbol: Symbol,
    /// The number of the section, or a special number.
    pub section: i32,
}

impl Form {
    /// The form for this many sections: the plain one if possible, as LLVM does.
    pub fn of(sections: usize) -> Form {
        if sections > MAX_SECTIONS { Form::Big } else { Form::Plain }
    }

    /// Bytes of an entry of the symbol table.
    pub fn entry(self) -> usize {
        pe::IMAGE_SIZEOF_SYMBOL + self.longer()
    }

    fn longer(self) -> usize {
        if self == Form::Big { 2 } else { 0 }
    }

    /// Makes room for the headers.
    pub fn reserve_headers(self, w: &mut Writer<'_>, sections: usize) -> Result {
        match self {
            Form::Plain => {
                w.reserve_file_header();
                w.reserve_section_headers(sections as u16);
            }
            Form::Big => {
                let sections = u32::try_from(sections).map_err(|_| ObjectError::TooLarge)?;
                w.reserve(HEADER_BYTES + sections as usize * pe::IMAGE_SIZEOF_SECTION_HEADER, 1);
            }
        }
        Ok(())
    }

    /// Reserves room for the symbol table and the names.
    pub fn reserve_symbols(self, w: &mut Writer<'_>, sections: usize, symbols: u32) -> Reserved {
        let symbols_at = match self {
            Form::Plain => {
                w.reserve_symbol_indices(symbols);
                0
            }
            Form::Big => w.reserve(symbols as usize * self.entry(), 1),
        };
        w.reserve_symtab_strtab();
        Reserved { symbols_at, sections: sections as u32, symbols }
    }

    /// Writes the file's header.
    pub fn write_header(self, w: &mut Writer<'_>, machine: u16, reserved: &Reserved, feed: &Feed<'_>) -> Result {
        if self == Form::Plain {
            let header = FileHeader { machine, time_date_stamp: 0, characteristics: 0 };
            return w.write_file_header(header).map_err(|e| feed.error(&e));
        }
        // No machine has this number, and no plain file this number of sections.
        let signature = [pe::IMAGE_FILE_MACHINE_UNKNOWN, 0xffff, 2, machine];
        signature.iter().for_each(|n| w.write(&n.to_le_bytes()));
        w.write(&[0; 4]);
        w.write(&CLASS);
        let numbers = [0, 0, 0, 0, reserved.sections, reserved.symbols_at, reserved.symbols];
        numbers.iter().for_each(|n: &u32| w.write(&n.to_le_bytes()));
        Ok(())
    }

    /// Writes an entry of the symbol table.
    pub fn write_symbol(self, w: &mut Writer<'_>, Numbered { symbol, section }: Numbered) {
        let [low, high] = [section as u16, (section >> 16) as u16];
        if self == Form::Plain {
            return w.write_symbol(Symbol { section_number: low, ..symbol });
        }
        // What follows the section number is two bytes further on.
        let last = [symbol.storage_class, symbol.number_of_aux_symbols];
        let [storage_class, number_of_aux_symbols] = symbol.typ.to_le_bytes();
        w.write_symbol(Symbol { section_number: low, typ: high, storage_class, number_of_aux_symbols, ..symbol });
        w.write(&last);
    }

    /// How many entries a file's name takes.
    pub fn entries_of(self, name: &[u8]) -> usize {
        name.len().div_ceil(self.entry())
    }

    /// Writes the name of a file, after the symbol's entry.
    pub fn write_file_name(self, w: &mut Writer<'_>, name: &[u8]) {
        w.write(name);
        w.write(&vec![0; self.entries_of(name) * self.entry() - name.len()]);
    }

    /// Writes the auxiliary record of a section's symbol.
    pub fn write_section(self, w: &mut Writer<'_>, section: AuxSymbolSection) {
        w.write_aux_section(section);
        w.write(&[0; 2][..self.longer()]);
    }

    /// Writes the auxiliary record that says what a weak symbol is if nobody defines it.
    pub fn write_default(self, w: &mut Writer<'_>, default: AuxSymbolWeak) {
        w.write_aux_weak_external(default);
        w.write(&[0; 2][..self.longer()]);
    }
}

const HEADER_BYTES: usize = 56;
/// {D1BAA1C7-BAEE-4BA9-AF20-FAF66AA4DCB8}.
const CLASS: [u8; 16] =
    [0xc7, 0xa1, 0xba, 0xd1, 0xee, 0xba, 0xa9, 0x4b, 0xaf, 0x20, 0xfa, 0xf6, 0x6a, 0xa4, 0xdc, 0xb8];
