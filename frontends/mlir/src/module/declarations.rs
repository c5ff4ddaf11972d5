//! The functions of a module in the terms of their conventions.

use gusset_abi::AbiTarget;
use gusset_abi::memref::{FunctionType, Pointers, TypeConverter, wrapper_name};
use gusset_text::{Note, ReadError, Result, Source};

use crate::dialect::Dialects;
use crate::module::choices::{CWrappers, Choices};
use crate::module::declared_attribute::{Attribute, AttributeReader};
use crate::module::walk::{Purpose, begin};
use crate::syntax::header::{Header, Slot};
use crate::syntax::module::Extents;
use crate::syntax::name_end;
use crate::syntax::types::builtin::builtin;

/// A function of the dialect `func`, or of IREE's `util`.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// Its name, without `@`.
    pub name: String,
    /// Its type.
    pub ty: FunctionType,
    /// Its arguments, apart from their types.
    pub args: Vec<DeclaredValue>,
    /// Its results, apart from their types.
    pub results: Vec<DeclaredValue>,
    /// Whether it has a body.
    pub defined: bool,
    /// Whether other modules may name it: its visibility is neither `private` nor `nested`.
    pub public: bool,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// It takes and returns pointers instead of memrefs (`llvm.bareptr`).
    pub bare_pointers: bool,
    /// It gets a function for C (`llvm.emit_c_interface`).
    pub c_interface: bool,
    /// Position of its operation in the text, in bytes.
    pub place: usize,
}

/// An argument or result of a function.
#[derive(Clone, Debug, Default)]
pub struct DeclaredValue {
    /// Its name, without `%`: empty if it has none.
    pub name: String,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// It is no ranked memref, or one whose type says that it is dense in row-major order, from the buffer's first
    /// element on.
    pub dense: bool,
    /// Its position in the text, in bytes.
    pub place: usize,
}

impl Declaration {
    /// The names of its arguments, without `%`; empty where there are none.
    pub fn arg_names(&self) -> Vec<&str> {
        self.args.iter().map(|arg| arg.name.as_str()).collect()
    }
}

/// The functions of the dialect `func`, or of IREE's `util`, in a module, in order, and the conversion of types there:
/// the width of `index` is `index_bits`, or else that of the module's data layout, or of the target's pointers. Bodies
/// are not read. `name` is for messages.
///
/// # Errors
/// The text is not MLIR; or a function has a type that cannot be converted.
pub fn declarations(
    source: &[u8],
    name: &str,
    target: &AbiTarget,
    index_bits: Option<u32>,
) -> std::result::Result<(TypeConverter, Vec<Declaration>), ReadError> {
    read(source, name, target, index_bits).map_err(|e| e.in_file(name))
}

fn read(
    source: &[u8],
    name: &str,
    target: &AbiTarget,
    index_bits: Option<u32>,
) -> Result<(TypeConverter, Vec<Declaration>)> {
    let (mut tables, items, _) =
        begin(source, name, target, (index_bits, &Dialects::default()), (Purpose::Code, Extents::Exact))?;
    let bits = tables.llvm.ir(tables.types.index).bits();
    let converter = TypeConverter::with_index_bits(target, bits).map_err(|e| tables.source.error(0, e.to_string()))?;
    let mut all = Vec::new();
    let functions: [&[u8]; 4] = [b"func.func", b"func", b"builtin.func", b"util.func"];
    for item in items.iter().filter(|item| functions.contains(&item.name)) {
        let header = Header::of(tables.source, item, &mut tables.types, &mut tables.llvm)?;
        let of = |slots: &[Slot]| {
            let one = |slot: &Slot| {
                let converted = builtin(&tables.types, &tables.llvm, slot.ty);
                converted.map_err(|why| tables.source.error(slot.pos, why))
            };
            slots.iter().map(one).collect::<Result<Vec<_>>>()
        };
        let (args, results) = (of(&header.params)?, of(&header.results)?);
        let mut reader = AttributeReader { types: &mut tables.types, llvm: &mut tables.llvm };
        let attributes = reader.attributes(source, &header.attrs);
        let mut values =
            |slots: &[Slot]| slots.iter().map(|slot| value(source, slot, &mut reader)).collect::<Result<Vec<_>>>();
        all.push(Declaration {
            attributes,
            args: values(&header.params)?,
            results: values(&header.results)?,
            public: !header.has_word("private") && !header.has_word("nested"),
            ty: FunctionType { args, results, variadic: header.variadic },
            defined: header.region.is_some(),
            bare_pointers: header.attr("llvm.bareptr").is_some(),
            c_interface: header.attr("llvm.emit_c_interface").is_some(),
            name: String::from_utf8_lossy(&header.name).into_owned(),
            place: item.pos,
        });
    }
    Ok((converter, all))
}

/// The details of an argument or result.
fn value(source: &[u8], slot: &Slot, reader: &mut AttributeReader<'_>) -> Result<DeclaredValue> {
    let name = match slot.name {
        Some(at) => String::from_utf8_lossy(&source[at + 1..name_end(Source::new(source), at)]).into_owned(),
        None => String::new(),
    };
    Ok(DeclaredValue {
        name,
        attributes: match slot.attrs {
            Some(attrs) => reader.attributes(source, &attrs.dictionary()?),
            None => Vec::new(),
        },
        dense: reader.types.memref(slot.ty).is_none_or(|memref| memref.is_gapless() && memref.offset == 0),
        place: slot.pos,
    })
}

/// Notes on the functions of a module that C cannot call directly, for example because LLVM returns structs
/// differently. Each gives the reason, and what C can call instead.
///
/// # Errors
/// As [`declarations`].
pub fn c_signature_notes(
    source: &[u8],
    name: &str,
    target: &AbiTarget,
    choices: &Choices,
) -> std::result::Result<Vec<Note>, ReadError> {
    let (converter, functions) = declarations(source, name, target, choices.index_bits)?;
    let note = |f: &Declaration| {
        let bare = choices.bare_pointers || f.bare_pointers;
        let pointers = if bare { Pointers::Bare } else { Pointers::Expanded };
        let why = converter.function_in_c(&f.ty, pointers).err()?;
        let wrapped = f.c_interface
            || match choices.c_wrappers {
                CWrappers::Attribute => false,
                CWrappers::Defined => f.defined,
                CWrappers::All => true,
            };
        let wrapper = wrapper_name(&f.name);
        let callable = if choices.c_values { Ok(()) } else { converter.wrapper_in_c(&f.ty) };
        let instead = match callable {
            _ if bare => "functions of bare pointers have no wrappers".into(),
            Ok(()) if wrapped => format!("it can call `{wrapper}`"),
            Ok(()) => format!("it can call `{wrapper}`, which `--c-wrappers` or `llvm.emit_c_interface` adds"),
            Err(why) => format!("nor can it call a wrapper: {why}"),
        };
        Some(Note::new(source, f.place, name, format!("C cannot call `@{}`: {why}; {instead}", f.name)))
    };
    Ok(functions.iter().filter_map(note).collect())
}
