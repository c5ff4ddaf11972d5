//! What a file has around a module: the wrapper, identification, the table of strings (LLVM, "LLVM Bitcode File Format", "Bitcode
//! Wrapper Format", "Native Object File Wrapper Format", "IDENTIFICATION_BLOCK Contents", "STRTAB_BLOCK Contents").

use gusset_text::{ReadError, Result};

use crate::bits::{Bits, Entry};
use crate::codes::block;

/// The bytes with which bitcode begins.
const MAGIC: [u8; 4] = *b"BC\xc0\xde";

/// The bytes with which a wrapper begins.
const WRAPPER: [u8; 4] = [0xde, 0xc0, 0x17, 0x0b];

/// Whether these are the contents of a bitcode file, wrapped or not.
pub fn is_bitcode(source: &[u8]) -> bool {
    source.starts_with(&MAGIC) || source.starts_with(&WRAPPER)
}

/// A module in a file.
pub struct Container<'s> {
    /// A cursor in the stream.
    pub bits: Bits<'s>,
    /// The bit at which the module's block begins, after its number.
    pub module: usize,
    /// The table of strings.
    pub strings: &'s [u8],
}

impl<'s> Container<'s> {
    /// Finds the module of a file.
    pub fn of(source: &'s [u8]) -> Result<Container<'s>> {
        if source.len() >= (u32::MAX / 8) as usize {
            return Err(ReadError::of_file("bitcode files of 512 MB and more are not supported"));
        }
        let stream = unwrapped(source)?;
        let mut c = Bits::new(stream);
        c.pos = 8 * MAGIC.len();
        let (mut module, mut strings) = (None, None);
        // Files end with any number of zeros.
        while !c.at_end() && stream[c.pos / 8..].iter().any(|&byte| byte != 0) {
            match c.next()? {
                Entry::Block(block::IDENTIFICATION) => identification(&mut c)?,
                Entry::Block(block::MODULE) => {
                    let head = c.skip()?.start;
                    c.refuse_if(module.is_some(), "files of several modules are not supported yet")?;
                    module = Some(head);
                }
                Entry::Block(block::STRTAB) if strings.is_none() => strings = Some(table(&mut c)?),
                Entry::Block(_) => c.pass_over()?,
                _ => return Err(c.error("only blocks can stand here")),
            }
        }
        let module = module.ok_or_else(|| ReadError::of_file("there is no module in this file"))?;
        Ok(Container { bits: c, module, strings: strings.unwrap_or_default() })
    }
}

/// The stream in a file.
fn unwrapped(source: &[u8]) -> Result<&[u8]> {
    let stream = if source.starts_with(&WRAPPER) {
        // The magic number, the version, the offset and the size of the stream, the kind of processor.
        let word = |at: usize| source.get(at..).and_then(|rest| rest.first_chunk()).map(|raw| u32::from_le_bytes(*raw));
        let (offset, size) = word(8).zip(word(12)).unwrap_or_default();
        source.get(offset as usize..).and_then(|rest| rest.get(..size as usize)).unwrap_or_default()
    } else {
        source
    };
    if stream.starts_with(&MAGIC) { Ok(stream) } else { Err(ReadError::of_file("this is not LLVM bitcode")) }
}

/// Reads who has written the file, and the epoch of its format.
fn identification(c: &mut Bits<'_>) -> Result<()> {
    const EPOCH: u64 = 2;
    c.enter(block::IDENTIFICATION)?;
    loop {
        match c.next()? {
            Entry::End => return Ok(()),
            Entry::Block(_) => c.pass_over()?,
            Entry::Record if c.code == EPOCH && c.field(0) != 0 => {
                return Err(c.error(format!("bitcode of the epoch {} is not supported", c.field(0))));
            }
            Entry::Record => {}
        }
    }
}

/// Reads the table of strings.
fn table<'s>(c: &mut Bits<'s>) -> Result<&'s [u8]> {
    c.enter(block::STRTAB)?;
    let mut strings: &[u8] = &[];
    loop {
        match c.next()? {
            Entry::End => return Ok(strings),
            Entry::Block(_) => c.pass_over()?,
            Entry::Record => strings = c.blob(),
        }
    }
}
