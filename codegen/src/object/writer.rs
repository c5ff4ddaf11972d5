//! The parts of an object while functions and data are added: sections with their contents, definitions, unwind tables.

use std::collections::HashMap;

use super::error::{ObjectError, Result};
use super::format::{AddressForm, ObjectFormat, ObjectOptions};
use super::guard::Guarded;
use super::record::{Definition, Distance, MAX_SECTION, PlacedConstant, SafeHandler, Section, Stretch, SymbolPlace};
use super::spec::{SectionSpec, SectionType};
use crate::compiled::{CompiledFunction, SplitStacks};
use crate::debug::DebugFunction;
use crate::debug::sections::DebugSection;
use crate::ir::{Module, SymbolId};
use crate::sparse::SparseBytes;
use crate::stack_map::section::StackMapTable;
use crate::unwind::itanium::eh_frame::EhFrame;

/// Lays functions and data into an object file.
pub struct ObjectWriter<'m> {
    pub(crate) module: &'m Module,
    pub(crate) format: &'static ObjectFormat,
    pub(crate) options: ObjectOptions,
    pub(crate) sections: Vec<Section>,
    pub(crate) by_spec: HashMap<SectionSpec, u32>,
    /// The section of most functions, to save looking it up.
    pub(crate) text: Option<u32>,
    /// Rough number of bytes of code that are still to come.
    pub(crate) expected: usize,
    pub(crate) definitions: Vec<Definition>,
    pub(crate) distances: Vec<Distance>,
    pub(crate) constants: Vec<PlacedConstant>,
    /// What mapping symbols mark, in order for each section.
    pub(crate) stretches: Vec<Stretch>,
    pub(crate) constant_numbers: HashMap<(u8, u128), u32>,
    /// Numbers in the object of the current function's constants.
    pub(crate) function_constants: Vec<u32>,
    /// Offsets of the current function's jump tables.
    pub(crate) function_tables: Vec<u64>,
    pub(crate) eh_frame: EhFrame,
    /// Unwind tables for debuggers, if they are asked for.
    pub(crate) debug_frame: Option<EhFrame>,
    /// The form of addresses in tables of exceptions.
    pub(crate) form: AddressForm,
    /// The cells with pointers to types, by type.
    pub(crate) type_cells: HashMap<SymbolId, u64>,
    /// Personality routines, and the sections of the cells with their addresses (ELF).
    pub(crate) personality_cells: Vec<(SymbolId, u32)>,
    /// The sections of the index, by the sections of the code.
    pub(crate) index_sections: HashMap<u32, u32>,
    /// Funclets and similar code: their names and places.
    pub(crate) funclets: Vec<(String, u32, u64)>,
    /// Handlers that 32-bit Windows may call: symbols in `funclets` by number, and personality routines.
    pub(crate) safe_handlers: Vec<SafeHandler>,
    /// Where control may continue after handlers, if that is listed.
    pub(crate) continuations: Vec<(u32, u64)>,
    pub(crate) safe_routines: Vec<SymbolId>,
    /// What Control Flow Guard has the object list, and where its places are.
    pub(crate) guarded: Guarded,
    pub(crate) guarded_returns: Vec<(u32, u64)>,
    /// The stack maps of functions, and the number of their section.
    pub(crate) stack_maps: StackMapTable,
    pub(crate) split_stacks: SplitStacks,
    /// The parts of functions that are in sections of their own: names, sections, sizes.
    pub(crate) parts: Vec<(String, u32, u64)>,
    pub(crate) part_count: u32,
    /// By sections of code, the function that sections about them are linked with.
    pub(crate) described: HashMap<u32, SymbolId>,
    pub(crate) stack_map_section: Option<u32>,
    /// What became of the functions' debug information.
    pub(crate) debug_functions: Vec<DebugFunction>,
    /// Whether the last function in each section has debug information; sections without such functions need not be there.
    pub(crate) debug_ends: Vec<bool>,
    /// The finished sections of debug information.
    pub(crate) debug_sections: Vec<DebugSection>,
    pub(crate) retained: Vec<bool>,
    pub(crate) code_bytes: u64,
    /// Does some function compute with floating-point numbers?
    pub(crate) uses_float: bool,
}

impl<'m> ObjectWriter<'m> {
    /// A writer for the functions of `module` on a machine.
    pub fn new(format: &'static ObjectFormat, module: &'m Module, options: ObjectOptions) -> ObjectWriter<'m> {
        let mut retained = vec![false; module.symbols.len()];
        for s in &module.used {
            retained[s.index()] = true;
        }
        let definitions = (0..module.symbols.len())
            .map(|i| Definition { place: SymbolPlace::Nowhere, size: 0, base: SymbolId::new(i) })
            .collect();
        let form = AddressForm::new(format, module, options.pic);
        ObjectWriter {
            module,
            format,
            sections: Vec::new(),
            by_spec: HashMap::new(),
            text: None,
            expected: 0,
            definitions,
            distances: Vec::new(),
            constants: Vec::new(),
            stretches: Vec::new(),
            constant_numbers: HashMap::new(),
            function_constants: Vec::new(),
            function_tables: Vec::new(),
            eh_frame: EhFrame::new(format, form, None),
            debug_frame: None,
            form,
            type_cells: HashMap::new(),
            personality_cells: Vec::new(),
            index_sections: HashMap::new(),
            funclets: Vec::new(),
            safe_handlers: Vec::new(),
            continuations: Vec::new(),
            safe_routines: Vec::new(),
            guarded: Guarded::default(),
            guarded_returns: Vec::new(),
            stack_maps: StackMapTable::new(format.endian()),
            split_stacks: SplitStacks::default(),
            parts: Vec::new(),
            part_count: 0,
            described: HashMap::new(),
            stack_map_section: None,
            debug_functions: Vec::new(),
            debug_ends: Vec::new(),
            debug_sections: Vec::new(),
            retained,
            code_bytes: 0,
            uses_float: false,
            options,
        }
    }

    /// Reserves memory for this many bytes of code, before the first function. It is no limit: sections that grow are
    /// copied.
    pub fn expect(&mut self, code: usize) {
        self.expected = code;
    }

    /// Bytes of code so far, without padding.
    pub fn code_bytes(&self) -> u64 {
        self.code_bytes
    }

    /// The section with that identity, which is made on its first use.
    pub(crate) fn section(&mut self, spec: SectionSpec) -> u32 {
        if let Some(&known) = self.by_spec.get(&spec) {
            return known;
        }
        let number = self.sections.len() as u32;
        self.by_spec.insert(spec.clone(), number);
        self.sections.push(Section {
            spec,
            align: 1,
            bytes: SparseBytes::new(),
            zeros: 0,
            fixups: Vec::new(),
            goes_on: None,
        });
        number
    }

    /// Aligns the end of a section and returns its offset.
    ///
    /// # Errors
    /// The section would be too large.
    pub(crate) fn pad(&mut self, section: u32, align: u64, code: bool) -> Result<u64> {
        let section = &mut self.sections[section as usize];
        section.align = section.align.max(align);
        let end = section.size().checked_next_multiple_of(align).ok_or(ObjectError::TooLarge)?;
        if section.spec.ty == SectionType::Zeros {
            section.zeros = end;
            return Ok(end);
        }
        if end > MAX_SECTION {
            return Err(ObjectError::TooLarge);
        }
        let gap = end - section.bytes.len();
        if code {
            (self.format.pad_code)(section.bytes.tail(), gap as usize);
        } else {
            section.bytes.fill(gap, &[0])?;
        }
        Ok(end)
    }

    /// Notes where a function's code and its data begin, if the format marks them.
    pub(crate) fn map(&mut self, f: &CompiledFunction, section: u32, offset: u64) {
        let mut from = 0;
        for data in &f.data {
            if from < data.start {
                self.begin(section, offset + u64::from(from), false);
            }
            self.begin(section, offset + u64::from(data.start), true);
            from = data.end;
        }
        if (from as usize) < f.code.len() {
            self.begin(section, offset + u64::from(from), false);
        }
    }

    /// Notes that a section continues with code or data.
    pub(crate) fn begin(&mut self, section: u32, offset: u64, data: bool) {
        let known = self.sections[section as usize].goes_on.replace(data);
        if self.format.mapping_symbols.is_some() && known != Some(data) {
            self.stretches.push(Stretch { section, offset, data });
        }
    }

    /// Gives instructions the order of bytes that the format wants for them.
    pub(crate) fn reverse_code(&mut self) {
        for (number, section) in (0..).zip(&mut self.sections) {
            let mut here = self.stretches.iter().filter(|s| s.section == number).peekable();
            while let Some(stretch) = here.next() {
                let end = here.peek().map_or(section.bytes.len(), |next| next.offset);
                if !stretch.data {
                    section.bytes.reverse_units(stretch.offset..end, self.format.reversed_code.into());
                }
            }
        }
    }

    pub(crate) fn define(&mut self, symbol: SymbolId, place: SymbolPlace, size: u64) -> Result {
        let definition = &mut self.definitions[symbol.index()];
        if definition.place != SymbolPlace::Nowhere {
            return Err(ObjectError::Redefined { symbol: self.module.symbol(symbol).name.clone() });
        }
        definition.place = place;
        definition.size = size;
        Ok(())
    }
}
