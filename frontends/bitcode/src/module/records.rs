//! The records of a module: properties, groups, and its globals.

use gusset_codegen::ir::DllStorage;
use gusset_program::{
    Header, Linkage, PTR, Preemption, Properties, Selection, Symbol, SymbolKind, ThreadLocal, UnnamedAddress, VOID,
    Val, refusals,
};
use gusset_text::Result;

use super::{FunctionParts, Global, Parts, Walk, linkage, optional, visibility};
use crate::codes::module as code;

/// The classes of symbols, in the order in which LLVM's text has them.
const VARIABLE: usize = 0;
const ALIAS: usize = 1;
const IFUNC: usize = 2;
const FUNCTION: usize = 3;

/// The bits of a variable's sanitizers (`BitcodeReader.cpp`, `deserializeSanitizerMetadata`). Only that which tags memory has an effect on
/// code.
const SANITIZERS: [(u64, &str); 4] = [
    (1, "no_sanitize_address"),
    (2, "no_sanitize_hwaddress"),
    (MEMORY_TAG, "sanitize_memtag"),
    (8, "sanitize_address_dyninit"),
];
const MEMORY_TAG: u64 = 4;

impl Walk<'_> {
    /// Takes a record of the module.
    pub(super) fn record(&mut self) -> Result<()> {
        let c = &self.bits;
        match c.code {
            code::VERSION => {
                self.version = c.field(0);
                let known = (1..=2).contains(&self.version);
                c.refuse_if(!known, "modules of this version are not supported")?;
            }
            code::TRIPLE => self.module.triple = Some(c.text(0)),
            code::DATALAYOUT => self.module.layout = Some(c.text(0)),
            code::ASM => {
                let text = c.text(0);
                let text = text.strip_suffix(b"\n").unwrap_or(&text);
                self.module.assembly.extend(text.split(|&byte| byte == b'\n').map(<[u8]>::to_vec));
            }
            code::SECTIONNAME => self.sections.push(c.text(0)),
            code::GCNAME => self.collectors.push(c.text(0)),
            code::SOURCE_FILENAME => self.module.source_name = Some(c.text(0)),
            code::COMDAT => self.group()?,
            code::GLOBALVAR => self.variable()?,
            code::FUNCTION => self.function()?,
            code::ALIAS | code::IFUNC => self.alias()?,
            // The place of the table of symbols, a hash for linkers, and a number of values that is not used.
            code::VSTOFFSET | code::HASH | code::METADATA_VALUES_OLD => {}
            code::DEPLIB => return Err(c.error("lists of libraries from before LLVM 3.0 are not supported")),
            code::ALIAS_OLD => self.old_alias()?,
            other => return Err(c.error(format!("the record {other} of a module is not known"))),
        }
        Ok(())
    }

    /// The name with which a record begins, and the fields after it.
    fn name(&self) -> Result<(Option<Vec<u8>>, &[u64])> {
        let c = &self.bits;
        if self.version < 2 {
            return Ok((None, c.record()));
        }
        Ok((self.string(c.fields()?)?, &c.record()[2..]))
    }

    /// A string of the table, which begins at a byte and has a length; none if it is empty.
    fn string(&self, [start, length]: [u64; 2]) -> Result<Option<Vec<u8>>> {
        let text = usize::try_from(start).ok().and_then(|at| self.strings.get(at..));
        let text = text.zip(usize::try_from(length).ok()).and_then(|(text, length)| text.get(..length));
        let text = text.ok_or_else(|| self.bits.error("a name is beyond the end of the table of strings"))?;
        Ok(Some(text.to_vec()).filter(|text| !text.is_empty()))
    }

    fn group(&mut self) -> Result<()> {
        let c = &self.bits;
        let (name, kind) = match self.name()? {
            (Some(name), [kind, ..]) => (name, *kind),
            (None, [kind, _, name @ ..]) if self.version < 2 => (name.iter().map(|&b| b as u8).collect(), *kind),
            _ => return Err(c.error("a COMDAT group has no name")),
        };
        let selection = match kind {
            1 => Selection::Any,
            2 => Selection::ExactMatch,
            3 => Selection::Largest,
            4 => Selection::NoDeduplicate,
            5 => Selection::SameSize,
            _ => return Err(c.error("the kind of a COMDAT group is not known")),
        };
        self.module.comdats.push((name, selection));
        Ok(())
    }

    /// The section, group and partition of a symbol, by numbers from 1 on, and 0 for none.
    fn placed(&self, symbol: &mut Symbol, (section, group): (u64, u64), partition: [u64; 2]) -> Result<()> {
        let c = &self.bits;
        let index = |number: u64| usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        if section != 0 {
            let name = index(section).and_then(|i| self.sections.get(i));
            symbol.section = Some(name.ok_or_else(|| c.error("the section is not defined"))?.clone());
        }
        if group != 0 {
            let known = index(group).and_then(|i| self.module.comdats.get(i));
            symbol.comdat = Some(known.ok_or_else(|| c.error("the COMDAT is not defined"))?.0.clone());
        }
        if partition[1] != 0 {
            c.refuse_if(!self.imports, refusals::PARTITION)?;
            symbol.partition = self.string(partition)?;
        }
        Ok(())
    }

    fn add(
        &mut self,
        class: usize,
        symbol: Symbol,
        ((ty, typed), space): ((u64, bool), u32),
        parts: Parts,
    ) -> Result<()> {
        let c = &self.bits;
        let ty = u32::try_from(ty).map_err(|_| c.error("the number of a type is too large"))?;
        let function = class == FUNCTION;
        let p = &symbol.properties;
        let defined = match &parts {
            Parts::Variable { .. } => gusset_lower::is_defined(p),
            Parts::Alias { .. } => true,
            Parts::Function(function) => function.defined,
        };
        if let Some(why) = gusset_lower::contradiction(p, function, defined) {
            return Err(c.error(why));
        }
        let elsewhere = !defined && p.linkage != Linkage::AvailableExternally;
        c.refuse_if(elsewhere && symbol.comdat.is_some(), "a declaration cannot be in a COMDAT")?;
        let intrinsic = symbol.name.as_ref().is_some_and(|name| name.starts_with(b"llvm."));
        c.refuse_if(intrinsic && function && defined, "an intrinsic cannot be defined")?;
        let (symbol_number, pointer, place) = (self.symbols[class].len(), PTR, c.start);
        self.globals.push(Global { symbol: symbol_number, class, ty, typed, space, parts, pointer, place });
        self.symbols[class].push(symbol);
        Ok(())
    }

    /// The alignment of a symbol, from a field. Code cannot have 4 GB.
    fn align(&self, field: u64) -> Result<Option<u64>> {
        let align = align(field).map_err(|why| self.bits.error(why))?;
        Ok(align.map(|align| if self.imports { align } else { align.min(1 << 31) }))
    }

    /// The number of an address space.
    fn space(&self, number: u64) -> Result<u32> {
        u32::try_from(number).map_err(|_| self.bits.error("the number of an address space is too large"))
    }

    fn variable(&mut self) -> Result<()> {
        let c = &self.bits;
        let (name, r) = self.name()?;
        let field = |index: usize| r.get(index).copied().unwrap_or(0);
        c.refuse_if(r.len() < 6, "the record of a variable has too few fields")?;
        let flags = r[1];
        // Before LLVM 3.7 the type was that of the address.
        let typed = flags & 2 != 0;
        let space = self.space(if typed { flags >> 2 } else { 0 })?;
        let init = optional(r[2]).map_err(|why| c.error(why))?;
        let mut p = Properties { linkage: linkage(r[3]), ..Properties::default() };
        if init.is_none() && p.linkage == Linkage::Unsaid {
            p.linkage = Linkage::External;
        }
        let there = gusset_lower::is_defined(&p);
        c.refuse_if(there && init.is_none(), "a variable that is defined has no contents")?;
        p.visibility = visibility(field(6), p.linkage);
        p.thread_local = thread_local(field(7));
        more_properties(&mut p, (field(8), storage(field(10), r[3]), field(13)));
        let code_model = match field(17) {
            0 => None,
            1 => Some("tiny"),
            2 => Some("small"),
            3 => Some("kernel"),
            4 => Some("medium"),
            5 => Some("large"),
            _ => return Err(c.error("the code model of a variable is not known")),
        };
        let message = "the attribute `sanitize_memtag` of variables is not supported";
        c.refuse_if(field(16) & MEMORY_TAG != 0 && !self.imports, message)?;
        let sanitizers = SANITIZERS.into_iter().filter(|row| field(16) & row.0 != 0).map(|row| row.1);
        let kind = SymbolKind::Variable {
            ty: VOID,
            constant: flags & 1 != 0,
            externally_initialized: field(9) != 0,
            init: None,
            code_model: code_model.map(|model| model.into()),
            sanitizers: sanitizers.collect(),
        };
        let align = self.align(r[4])?;
        let attributes = u32::try_from(field(12)).unwrap_or(u32::MAX);
        let mut symbol = Symbol { name, properties: p, kind, space, align, ..Symbol::default() };
        self.placed(&mut symbol, (r[5], field(11)), [field(14), field(15)])?;
        let (ty, implicit) = ((r[0], typed), r.len() <= 11 && has_own_group(r[3]));
        if implicit {
            self.implicit.push((VARIABLE, self.symbols[VARIABLE].len()));
        }
        self.add(VARIABLE, symbol, (ty, space), Parts::Variable { init, attributes })
    }

    fn function(&mut self) -> Result<()> {
        let c = &self.bits;
        let (name, r) = self.name()?;
        let field = |index: usize| r.get(index).copied().unwrap_or(0);
        c.refuse_if(r.len() < 8, "the record of a function has too few fields")?;
        let value = |index: usize| optional(field(index)).map_err(|why| c.error(why));
        let mut p = Properties { linkage: linkage(r[3]), ..Properties::default() };
        p.visibility = visibility(r[7], p.linkage);
        more_properties(&mut p, (field(9), storage(field(11), r[3]), field(15)));
        let space = self.space(field(16))?;
        let defined = r[2] == 0;
        let mut header = Header { defined, ..Header::default() };
        if field(8) != 0 {
            let name = usize::try_from(field(8) - 1).ok().and_then(|index| self.collectors.get(index));
            let name = name.ok_or_else(|| c.error("the strategy of garbage collection is not defined"))?;
            let text = gusset_codegen::names::text_of(name);
            if let Some(why) = refusals::collector(&text).filter(|_| !self.imports) {
                return Err(c.error(why));
            }
            header.gc = Some(name.clone());
        }
        let parts = FunctionParts {
            convention: r[1],
            attributes: u32::try_from(r[4]).unwrap_or(u32::MAX),
            defined,
            prefix: value(13)?,
            prologue: value(10)?,
            personality: value(14)?,
        };
        let align = self.align(r[5])?;
        let kind = SymbolKind::Function(Box::new(header));
        let mut symbol = Symbol { name, properties: p, kind, space, align, ..Symbol::default() };
        self.placed(&mut symbol, (r[6], field(12)), [field(17), field(18)])?;
        let (ty, implicit) = ((r[0], true), r.len() <= 12 && has_own_group(r[3]) && defined);
        if implicit {
            self.implicit.push((FUNCTION, self.symbols[FUNCTION].len()));
        }
        self.add(FUNCTION, symbol, (ty, space), Parts::Function(Box::new(parts)))
    }

    fn alias(&mut self) -> Result<()> {
        let c = &self.bits;
        let ifunc = c.code == code::IFUNC;
        let (name, r) = self.name()?;
        let field = |index: usize| r.get(index).copied().unwrap_or(0);
        c.refuse_if(r.len() < 4, "the record of an alias has too few fields")?;
        let mut p = Properties { linkage: linkage(r[3]), ..Properties::default() };
        p.visibility = visibility(field(4), p.linkage);
        if !ifunc {
            p.thread_local = thread_local(field(6));
            more_properties(&mut p, (field(7), storage(field(5), r[3]), field(8)));
        } else {
            more_properties(&mut p, (0, 0, field(5)));
        }
        let space = self.space(r[1])?;
        let target = u32::try_from(r[2]).map_err(|_| c.error("the number of a value is too large"))?;
        let kind = SymbolKind::Alias { ty: VOID, target: Val(0), ifunc };
        let partition = if ifunc { [field(6), field(7)] } else { [field(9), field(10)] };
        let mut symbol = Symbol { name, properties: p, kind, space, ..Symbol::default() };
        self.placed(&mut symbol, (0, 0), partition)?;
        let ty = (r[0], true);
        self.add(if ifunc { IFUNC } else { ALIAS }, symbol, (ty, space), Parts::Alias { target })
    }
}

impl Walk<'_> {
    /// An alias of before LLVM 3.8: the type of its address, what it stands for, its linkage, and more as now.
    fn old_alias(&mut self) -> Result<()> {
        let c = &self.bits;
        let (name, r) = self.name()?;
        let &[ty, target, number, ref more @ ..] = r else { return Err(c.short()) };
        let field = |index: usize| more.get(index).copied().unwrap_or(0);
        let mut p = Properties { linkage: linkage(number), ..Properties::default() };
        p.visibility = visibility(field(0), p.linkage);
        p.thread_local = thread_local(field(2));
        more_properties(&mut p, (field(3), field(1), 0));
        let target = u32::try_from(target).map_err(|_| c.error("the number of a value is too large"))?;
        let kind = SymbolKind::Alias { ty: VOID, target: Val(0), ifunc: false };
        let symbol = Symbol { name, properties: p, kind, ..Symbol::default() };
        self.add(ALIAS, symbol, ((ty, false), 0), Parts::Alias { target })
    }
}

/// Sets whether the address matters, the storage class, and whether the symbol may be replaced, by their numbers.
fn more_properties(p: &mut Properties, (unnamed, storage, local): (u64, u64, u64)) {
    p.unnamed = match unnamed {
        0 => UnnamedAddress::No,
        2 => UnnamedAddress::Local,
        _ => UnnamedAddress::Global,
    };
    p.storage = match storage {
        1 => DllStorage::Import,
        2 => DllStorage::Export,
        _ => p.storage,
    };
    if local != 0 {
        p.preemption = Preemption::DsoLocal;
    }
}

/// The number of a storage class, which was a linkage before LLVM 3.5.
fn storage(number: u64, linkage: u64) -> u64 {
    match (number, linkage) {
        (0, 5) => 1,
        (0, 6) => 2,
        _ => number,
    }
}

/// Whether symbols of a linkage of before LLVM 3.6 were in a group of their own name.
fn has_own_group(linkage: u64) -> bool {
    matches!(linkage, 1 | 4 | 10 | 11)
}

fn thread_local(number: u64) -> ThreadLocal {
    match number {
        0 => ThreadLocal::No,
        2 => ThreadLocal::LocalDynamic,
        3 => ThreadLocal::InitialExec,
        4 => ThreadLocal::LocalExec,
        _ => ThreadLocal::GeneralDynamic,
    }
}

/// The alignment whose binary logarithm is one less than a number; none for 0.
pub fn align(number: u64) -> std::result::Result<Option<u64>, &'static str> {
    match number {
        0 => Ok(None),
        1..=33 => Ok(Some(1u64 << (number - 1))),
        _ => Err("the alignment is too large"),
    }
}
