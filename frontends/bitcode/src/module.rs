//! The walk over a module's block: its records, and the places of its blocks. Types, attributes, constants and functions are read when
//! all of these are known (`module/compile.rs`).

mod bodies;
pub(crate) mod compile;
mod contents;
pub(crate) mod import;
mod nodes;
mod prepare;
pub(crate) mod records;

use gusset_codegen::ir::Visibility;
use gusset_program::{Linkage, Module, Selection, TypeId};
use gusset_text::{ReadError, Result};

use crate::bits::{Bits, Entry};
use crate::codes::{block, module as code};
use crate::container::Container;

/// The triple that a module names.
pub fn target_triple(source: &[u8]) -> Option<String> {
    let Container { mut bits, module, .. } = Container::of(source).ok()?;
    bits.enter_at(module, block::MODULE).ok()?;
    loop {
        match bits.next().ok()? {
            Entry::End => return None,
            Entry::Block(block::BLOCKINFO) => bits.block_info().ok()?,
            Entry::Block(_) => bits.pass_over().ok()?,
            Entry::Record if bits.code == code::TRIPLE => return String::from_utf8(bits.text(0)).ok(),
            Entry::Record => {}
        }
    }
}

/// A value that the module names, in the order of the numbers of values.
#[derive(Debug)]
pub struct Global {
    /// Its index in the class of its kind until the walk is over, then among the module's symbols.
    pub symbol: usize,
    /// Its class: variables, aliases, ifuncs, functions.
    class: usize,
    /// The number of its value's type.
    pub ty: u32,
    /// The file gives that number, not the type of the address.
    typed: bool,
    /// The number of its address space.
    pub space: u32,
    /// What it consists of.
    pub parts: Parts,
    /// The type of its address.
    pub pointer: TypeId,
    /// Where its record is, in bits.
    pub place: usize,
}

/// The parts of a global, by numbers of values.
#[derive(Debug)]
pub enum Parts {
    /// A variable.
    Variable {
        /// Its contents.
        init: Option<u32>,
        /// The number of its list of attributes; 0 for none.
        attributes: u32,
    },
    /// An alias or ifunc.
    Alias {
        /// What it stands for.
        target: u32,
    },
    /// A function.
    Function(Box<FunctionParts>),
}

/// The parts of a function.
#[derive(Debug)]
pub struct FunctionParts {
    /// LLVM's number of the convention.
    pub convention: u64,
    /// The number of its list of attributes; 0 for none.
    pub attributes: u32,
    /// It has a body.
    pub defined: bool,
    /// Data before it.
    pub prefix: Option<u32>,
    /// Data at its start.
    pub prologue: Option<u32>,
    /// Its personality routine.
    pub personality: Option<u32>,
}

/// The places of blocks, as their heads' bits.
#[derive(Debug, Default)]
pub struct Places {
    pub types: Option<usize>,
    pub groups: Option<usize>,
    pub lists: Option<usize>,
    pub constants: Vec<usize>,
    pub metadata: Vec<usize>,
    /// Heads and ends of functions.
    pub functions: Vec<(usize, usize)>,
    symtab: Option<usize>,
}

/// What the walk has found.
pub struct Walk<'s> {
    pub bits: Bits<'s>,
    strings: &'s [u8],
    /// The symbols are in `symbols` until the walk is over.
    pub module: Module,
    /// By class.
    symbols: [Vec<gusset_program::Symbol>; 4],
    pub globals: Vec<Global>,
    sections: Vec<Vec<u8>>,
    collectors: Vec<Vec<u8>>,
    pub places: Places,
    /// Names of metadata kinds by number.
    pub kinds: Vec<Vec<u8>>,
    /// Names of operand bundles and of scopes of synchronization, by number.
    pub bundles: Vec<Vec<u8>>,
    pub scopes: Vec<Vec<u8>>,
    version: u64,
    /// Classes and indices of symbols that are in a group of their own name, in files from before groups.
    implicit: Vec<(usize, usize)>,
    /// The file is from before LLVM 3.8.
    is_old: bool,
    /// The module is read for translation, which takes what code cannot have.
    imports: bool,
}

impl<'s> Walk<'s> {
    /// Walks over the module of a file, for translation or for code.
    pub fn over(source: &'s [u8], imports: bool) -> Result<Walk<'s>> {
        let Container { bits, module, strings, is_old } = Container::of(source)?;
        let mut walk = Walk {
            bits,
            strings,
            module: Module::default(),
            symbols: Default::default(),
            globals: Vec::new(),
            sections: Vec::new(),
            collectors: Vec::new(),
            places: Places::default(),
            kinds: Vec::new(),
            bundles: Vec::new(),
            scopes: Vec::new(),
            version: 0,
            implicit: Vec::new(),
            is_old,
            imports,
        };
        walk.bits.enter_at(module, block::MODULE)?;
        while walk.entry()? {}
        walk.complete()?;
        Ok(walk)
    }

    /// Takes what is next in the module; returns whether it was not the end.
    fn entry(&mut self) -> Result<bool> {
        let c = &mut self.bits;
        match c.next()? {
            Entry::End => return Ok(false),
            Entry::Record => self.record()?,
            Entry::Block(number) => {
                let once = |place: &mut Option<usize>, c: &mut Bits<'_>| {
                    let head = c.skip()?.start;
                    c.refuse_if(place.replace(head).is_some(), "a module has one block of this kind")
                };
                match number {
                    block::BLOCKINFO => c.block_info()?,
                    block::TYPE => once(&mut self.places.types, c)?,
                    block::PARAMATTR_GROUP => once(&mut self.places.groups, c)?,
                    block::PARAMATTR => once(&mut self.places.lists, c)?,
                    block::VALUE_SYMTAB => once(&mut self.places.symtab, c)?,
                    block::CONSTANTS => self.places.constants.push(c.skip()?.start),
                    block::METADATA => self.places.metadata.push(c.skip()?.start),
                    block::FUNCTION => {
                        let range = c.skip()?;
                        self.places.functions.push((range.start, range.end));
                    }
                    block::METADATA_KIND => self.kinds = numbered_names(c)?,
                    block::OPERAND_BUNDLE_TAGS => self.bundles = names(c, number)?,
                    block::SYNC_SCOPE_NAMES => self.scopes = names(c, number)?,
                    // The order of uses, and summaries for linkers.
                    block::USELIST | block::GLOBALVAL_SUMMARY | block::FULL_LTO_SUMMARY | block::MODULE_STRTAB => {
                        c.pass_over()?;
                    }
                    _ => return Err(c.error(format!("the block {number} of a module is not known"))),
                }
            }
        }
        Ok(true)
    }

    /// Completes what is known of symbols only after all of them: their order, and groups of older versions.
    fn complete(&mut self) -> Result<()> {
        let mut first = [0; 4];
        for class in 1..4 {
            first[class] = first[class - 1] + self.symbols[class - 1].len();
        }
        for global in &mut self.globals {
            global.symbol += first[global.class];
        }
        self.old_names()?;
        let apple = self.module.triple.as_deref().is_some_and(|triple| {
            [b"darwin" as &[u8], b"macos", b"-ios", b"macho"]
                .iter()
                .any(|word| triple.windows(word.len()).any(|w| w == *word))
        });
        for &(class, index) in self.implicit.iter().filter(|_| !apple) {
            let symbol = &mut self.symbols[class][index];
            symbol.comdat = symbol.name.clone();
            self.module.comdats.extend(symbol.name.clone().map(|name| (name, Selection::Any)));
        }
        self.module.symbols = self.symbols.iter_mut().flat_map(std::mem::take).collect();
        // Groups are in the order in which LLVM's text has them: of functions first.
        let mut order: Vec<usize> = Vec::new();
        let groups = &self.module.comdats;
        let numbers: std::collections::HashMap<&[u8], usize> =
            groups.iter().enumerate().map(|(i, group)| (&group.0[..], i)).collect();
        let [variables, functions] = [0..first[1], first[3]..self.module.symbols.len()];
        let mut seen = vec![false; groups.len()];
        for symbol in functions.chain(variables) {
            let group = self.module.symbols[symbol].comdat.as_deref().and_then(|name| numbers.get(name));
            if let Some(&group) = group.filter(|group| !std::mem::replace(&mut seen[**group], true)) {
                order.push(group);
            }
        }
        self.module.comdats = order.into_iter().map(|group| groups[group].clone()).collect();
        Ok(())
    }

    /// Reads the names of symbols of files without a table of strings.
    fn old_names(&mut self) -> Result<()> {
        let Some(head) = self.places.symtab.filter(|_| self.version < 2) else { return Ok(()) };
        const ENTRY: u64 = 1;
        const FUNCTION_ENTRY: u64 = 3;
        let c = &mut self.bits;
        c.enter_at(head, block::VALUE_SYMTAB)?;
        let mut first = [0; 4];
        for class in 1..4 {
            first[class] = first[class - 1] + self.symbols[class - 1].len();
        }
        loop {
            match c.next()? {
                Entry::End => return Ok(()),
                Entry::Block(_) => c.pass_over()?,
                Entry::Record => {
                    let from = match c.code {
                        ENTRY => 1,
                        FUNCTION_ENTRY => 2,
                        _ => continue,
                    };
                    let name = c.text(from);
                    let global = usize::try_from(c.field(0)).ok().and_then(|number| self.globals.get(number));
                    let global = global.ok_or_else(|| c.error("a name is that of no symbol"))?;
                    self.symbols[global.class][global.symbol - first[global.class]].name = Some(name);
                }
            }
        }
    }
}

/// Reads a block whose records are names, in order.
fn names(c: &mut Bits<'_>, number: u32) -> Result<Vec<Vec<u8>>> {
    c.enter(number)?;
    let mut all = Vec::new();
    loop {
        match c.next()? {
            Entry::End => return Ok(all),
            Entry::Block(_) => c.pass_over()?,
            Entry::Record => all.push(c.text(0)),
        }
    }
}

/// Reads a block whose records are numbers with names.
fn numbered_names(c: &mut Bits<'_>) -> Result<Vec<Vec<u8>>> {
    c.enter(block::METADATA_KIND)?;
    let mut all = Vec::new();
    loop {
        match c.next()? {
            Entry::End => return Ok(all),
            Entry::Block(_) => c.pass_over()?,
            Entry::Record => {
                add_kind(&mut all, c.field(0), c.text(1)).map_err(|why| c.error(why))?;
            }
        }
    }
}

/// Gives a kind of metadata its name.
fn add_kind(all: &mut Vec<Vec<u8>>, number: u64, name: Vec<u8>) -> std::result::Result<(), &'static str> {
    let number = usize::try_from(number).unwrap_or(usize::MAX);
    if number > all.len() + 1024 {
        return Err("the number of a kind of metadata is too large");
    }
    if all.len() <= number {
        all.resize(number + 1, Vec::new());
    }
    all[number] = name;
    Ok(())
}

/// The linkage with a number (`LLVMBitCodes.h` has none of these; `BitcodeReader.cpp`, `getDecodedLinkage`).
fn linkage(number: u64) -> Linkage {
    match number {
        2 => Linkage::Appending,
        3 => Linkage::Internal,
        7 => Linkage::ExternWeak,
        8 => Linkage::Common,
        9 | 13 | 14 => Linkage::Private,
        12 => Linkage::AvailableExternally,
        1 | 16 => Linkage::Weak,
        10 | 17 => Linkage::WeakOdr,
        4 | 18 => Linkage::LinkOnce,
        11 | 19 => Linkage::LinkOnceOdr,
        // The other numbers were kinds of external linkage.
        _ => Linkage::Unsaid,
    }
}

/// The visibility with a number; what other modules do not see has none.
fn visibility(number: u64, linkage: Linkage) -> Visibility {
    match number {
        _ if matches!(linkage, Linkage::Internal | Linkage::Private) => Visibility::Default,
        1 => Visibility::Hidden,
        2 => Visibility::Protected,
        _ => Visibility::Default,
    }
}

/// The number of a value that a field gives plus one; 0 for none.
fn optional(field: u64) -> std::result::Result<Option<u32>, &'static str> {
    match field.checked_sub(1) {
        None => Ok(None),
        Some(number) => u32::try_from(number).map(Some).map_err(|_| "the number of a value is too large"),
    }
}

/// An error without a place.
#[cold]
pub fn of_module(message: impl Into<String>) -> ReadError {
    ReadError::of_file(&message.into())
}
