//! Functions whose basic blocks are in sections of their own (LLVM, "`-fbasic-block-sections`").

use std::borrow::Cow;
use std::ops::Range;

use super::{ObjectWriter, Result, SectionSpec};
use crate::block_sections::BlockSection;
use crate::compiled::CompiledFunction;
use crate::ir::{Module, SymbolId};

/// Where the code of a function is.
pub(crate) struct Places {
    /// The section and offset of its beginning.
    first: (u32, u64),
    /// Where the parts begin that are in sections of their own: an offset in the code, and where that is.
    rest: Vec<(u32, (u32, u64))>,
}

impl Places {
    /// The section and offset of an offset in the code.
    pub fn at(&self, at: u32) -> (u32, u64) {
        let part = self.rest.partition_point(|part| part.0 <= at);
        let (start, (section, offset)) = if part == 0 { (0, self.first) } else { self.rest[part - 1] };
        (section, offset + u64::from(at - start))
    }
}

/// The ranges of the parts of a function, of which most have one.
pub(crate) fn ranges(f: &CompiledFunction) -> impl Iterator<Item = Range<u32>> + '_ {
    let starts = std::iter::once(0).chain(f.parts.iter().copied());
    starts.zip(f.parts.iter().copied().chain([f.code.len() as u32])).map(|(start, end)| start..end)
}

/// The name of a part, which is in a section.
pub(crate) fn name(module: &Module, function: SymbolId, section: BlockSection) -> String {
    let function = &module.symbol(function).name;
    match section {
        BlockSection::Own => function.clone(),
        BlockSection::Part(number) => format!("{function}.__part.{number}"),
        BlockSection::Pads => format!("{function}.eh"),
        BlockSection::Cold => format!("{function}.cold"),
    }
}

/// The section of a part, given that of the function; `number` is that of the part among all of the object.
pub(crate) fn section(
    module: &Module,
    of_function: &SectionSpec,
    (function, kind): (SymbolId, BlockSection),
    number: u32,
) -> SectionSpec {
    let plain = of_function.name == ".text" || of_function.name.starts_with(".text.");
    let of = |prefix: &str| Cow::Owned(format!("{prefix}{}", module.symbol(function).name));
    let name = match kind {
        BlockSection::Pads if plain => of(".text.eh."),
        BlockSection::Cold if plain => of(".text.split."),
        _ if plain && module.named_block_sections => {
            let dot = if of_function.name.ends_with('.') { "" } else { "." };
            Cow::Owned(format!("{}{dot}{}", of_function.name, self::name(module, function, kind)))
        }
        _ => of_function.name.clone(),
    };
    SectionSpec { name, part: number, alone: None, ..of_function.clone() }
}

impl ObjectWriter<'_> {
    /// Writes the code of a function, of which the first part goes to `offset` of a section.
    pub(super) fn place_code(&mut self, f: &CompiledFunction, section: u32, offset: u64) -> Result<Places> {
        let mut places = Places { first: (section, offset), rest: Vec::new() };
        if f.parts.is_empty() {
            self.sections[section as usize].bytes.tail().extend_from_slice(&f.code);
            return Ok(places);
        }
        let spec = self.sections[section as usize].spec.clone();
        for (k, range) in ranges(f).enumerate() {
            let code = &f.code[range.start as usize..range.end as usize];
            if k == 0 {
                self.sections[section as usize].bytes.tail().extend_from_slice(code);
                continue;
            }
            let of = (f.symbol, f.part_sections[k - 1]);
            let name = name(self.module, of.0, of.1);
            self.part_count += 1;
            let section = self.section(self::section(self.module, &spec, of, self.part_count));
            self.sections[section as usize].bytes.tail().extend_from_slice(code);
            self.parts.push((name, section, code.len() as u64));
            places.rest.push((range.start, (section, 0)));
        }
        Ok(places)
    }
}
