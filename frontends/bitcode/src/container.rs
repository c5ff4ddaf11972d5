//! What a file has around a module: the wrapper, identification, the table of strings (LLVM, "LLVM Bitcode File Format", "Bitcode
//! Wrapper Format", "Native Object File Wrapper Format", "IDENTIFICATION_BLOCK Contents", "STRTAB_BLOCK Contents").

use std::borrow::Cow;
use std::ops::Range;

use gusset_text::{ReadError, Result};

use crate::bits::{Bits, Entry};
use crate::codes::block;
use crate::objects;

/// The bytes with which bitcode begins.
const MAGIC: [u8; 4] = *b"BC\xc0\xde";

/// The bytes with which a wrapper begins.
const WRAPPER: [u8; 4] = [0xde, 0xc0, 0x17, 0x0b];

/// Whether these are the contents of a file with bitcode: a bitcode file, wrapped or not, or an object file with a section of bitcode.
pub fn is_bitcode(source: &[u8]) -> bool {
    begins(source) || objects::section(source).is_some_and(begins)
}

fn begins(source: &[u8]) -> bool {
    source.starts_with(&MAGIC) || source.starts_with(&WRAPPER)
}

/// The modules of a file with bitcode, each as a file of its own, in order. A file that has one module is itself.
///
/// # Errors
/// The file is damaged, or no bitcode.
pub fn modules(source: &[u8]) -> Result<Vec<Cow<'_, [u8]>>> {
    let (bits, modules, _) = Container::blocks(source)?;
    if modules.len() < 2 {
        return Ok(vec![Cow::Borrowed(source)]);
    }
    let stream = bits.source();
    let own = |module: &ModuleBlocks| {
        let mut file = MAGIC.to_vec();
        for block in [&module.identification, &Some(module.whole.clone()), &module.strings].into_iter().flatten() {
            file.extend_from_slice(stream.get(block.clone()).unwrap_or_default());
        }
        Cow::Owned(file)
    };
    Ok(modules.iter().map(own).collect())
}

/// The blocks of a module, as bytes of the stream.
#[derive(Clone, Debug)]
struct ModuleBlocks {
    /// The bit after the block's number.
    head: usize,
    whole: Range<usize>,
    identification: Option<Range<usize>>,
    /// The table of strings that comes after it.
    strings: Option<Range<usize>>,
}

/// A module in a file.
pub struct Container<'s> {
    /// A cursor in the stream.
    pub bits: Bits<'s>,
    /// The bit at which the module's block begins, after its number.
    pub module: usize,
    /// The table of strings.
    pub strings: &'s [u8],
    /// Nothing says who has written it: it is from before LLVM 3.8.
    pub is_old: bool,
}

impl<'s> Container<'s> {
    /// Finds the module of a file, which must have one.
    pub fn of(source: &'s [u8]) -> Result<Container<'s>> {
        let (bits, mut modules, strings) = Container::blocks(source)?;
        let module = modules.pop().ok_or_else(|| ReadError::of_file("there is no module in this file"))?;
        match modules.len() {
            0 => Ok(Container { bits, module: module.head, strings, is_old: module.identification.is_none() }),
            more => Err(ReadError::of_file(&format!("the file has {} modules, of which one must be chosen", more + 1))),
        }
    }

    /// Finds the blocks of a file: those of its modules, and the last table of strings.
    fn blocks(source: &'s [u8]) -> Result<(Bits<'s>, Vec<ModuleBlocks>, &'s [u8])> {
        let stream = unwrapped(source)?;
        if stream.len() >= (u32::MAX / 8) as usize {
            return Err(ReadError::of_file("bitcode files of 512 MB and more are not supported"));
        }
        let mut c = Bits::new(stream);
        c.pos = 8 * MAGIC.len();
        let (mut modules, mut strings, mut last): (Vec<ModuleBlocks>, &[u8], _) = (Vec::new(), &[], None);
        // Files end with any number of zeros.
        while !c.at_end() && stream[c.pos / 8..].iter().any(|&byte| byte != 0) {
            // Files that were put behind each other, as linkers do it with sections.
            if c.pos.is_multiple_of(32) && stream[c.pos / 8..].starts_with(&MAGIC) {
                c.pos += 8 * MAGIC.len();
                continue;
            }
            let start = c.pos / 8;
            match c.next()? {
                Entry::Block(block::IDENTIFICATION) => {
                    identification(&mut c)?;
                    last = Some(start..c.pos / 8);
                }
                Entry::Block(block::MODULE) => {
                    let head = c.skip()?.start;
                    let whole = start..c.pos / 8;
                    modules.push(ModuleBlocks { head, whole, identification: last.clone(), strings: None });
                }
                Entry::Block(block::STRTAB) => {
                    strings = table(&mut c)?;
                    // It is that of the modules before it that have none.
                    let table = start..c.pos / 8;
                    let without = modules.iter_mut().rev().take_while(|module| module.strings.is_none());
                    without.for_each(|module| module.strings = Some(table.clone()));
                }
                Entry::Block(_) => c.pass_over()?,
                _ => return Err(c.error("only blocks can stand here")),
            }
        }
        Ok((c, modules, strings))
    }
}

/// The stream in a file.
fn unwrapped(source: &[u8]) -> Result<&[u8]> {
    // Apple's objects have a wrapper in their section.
    let source = if begins(source) { source } else { objects::section(source).unwrap_or_default() };
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
