//! Types as the source spells them, with all names, for debug information.

use std::collections::HashMap;
use std::rc::Rc;

use gusset_abi::{AbiTarget, CType, Language, RecordKind};

use crate::fault::Checked;
use crate::layouts::{self, TypeLayout};
use crate::prototype::{self, Declared, Prototype, with_reader};
use crate::reader::Reader;
use crate::types::{OfMember, Quals, Type, TypeKind};

/// The types that something consists of. A type refers to earlier ones by number, and to records, which may refer to each other.
#[derive(Clone, Debug, Default)]
pub struct SourceTypes {
    /// The types.
    pub types: Vec<SourceType>,
    /// The structs and unions.
    pub records: Vec<SourceRecord>,
}

/// A type as the source spells it. Numbers are those of [`SourceTypes::types`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SourceType {
    /// `void`.
    Void,
    /// A type of values: a basic type or a vector.
    Basic {
        /// Its spelling.
        name: String,
        /// The type for the ABI.
        ctype: CType,
    },
    /// A name for a type.
    Typedef {
        /// The name.
        name: String,
        /// The type.
        of: usize,
    },
    /// A struct or union, by its number in [`SourceTypes::records`].
    Record(usize),
    /// An enumeration.
    Enum {
        /// The tag, if it has one.
        tag: Option<String>,
        /// Its integer type.
        ctype: CType,
        /// The constants with their values.
        values: Vec<(String, i128)>,
    },
    /// A pointer, or a C++ reference.
    Pointer {
        /// What it points to.
        to: usize,
        /// It is a reference.
        reference: bool,
    },
    /// An array; without a length it is incomplete.
    Array {
        /// The type of an element.
        of: usize,
        /// The number of elements.
        len: Option<u64>,
    },
    /// A function.
    Function {
        /// The type of its result.
        ret: usize,
        /// The types of its parameters.
        params: Vec<usize>,
        /// It takes unnamed arguments, too.
        variadic: bool,
    },
    /// A type with qualifiers.
    Qualified {
        /// `const`.
        constant: bool,
        /// `volatile`.
        volatile: bool,
        /// `restrict`.
        restrict: bool,
        /// The type without.
        of: usize,
    },
    /// A type of which only the name is known, such as `enum color`.
    Opaque(String),
}

/// A struct or union as the source spells it.
#[derive(Clone, Debug)]
pub struct SourceRecord {
    /// Struct or union.
    pub kind: RecordKind,
    /// The tag, if it has one.
    pub tag: Option<String>,
    /// The type for the ABI; `None` if the source does not define it.
    pub ctype: Option<CType>,
    /// The names of members, and their types. There is one for each field of the ABI's type; anonymous ones have no name.
    pub members: Vec<(Option<String>, usize)>,
}

/// What was asked of a source, with the types that it consists of.
#[derive(Clone, Debug)]
pub struct WithTypes<T> {
    /// What was asked.
    pub found: T,
    /// All types that follow.
    pub types: SourceTypes,
    /// Of a type its number; of each function those of its result and parameters.
    pub roots: Vec<Vec<usize>>,
}

/// All functions of a source.
pub(crate) fn functions(source: &str, target: &AbiTarget) -> Checked<WithTypes<Vec<Prototype>>> {
    with_reader(source, target, Language::C, |reader| {
        let declared = std::mem::take(&mut reader.prototypes);
        let (mut found, mut functions) = (Vec::new(), Vec::new());
        for one in declared.iter().filter(|one| one.declared == Declared::Function) {
            found.push(prototype::finish(reader, one, Language::C)?);
            functions.push(Rc::clone(&one.function));
        }
        let mut numbering = Numbering::new(reader);
        let mut roots = Vec::new();
        for (function, found) in functions.iter().zip(&found) {
            // What follows the dots is no parameter.
            let params = function.params.iter().take(function.dots.unwrap_or(found.params.len()));
            let types = std::iter::once(&function.ret).chain(params.map(|param| &param.ty));
            roots.push(types.map(|ty| numbering.number(ty)).collect::<Checked<_>>()?);
        }
        Ok(WithTypes { found, types: numbering.finish()?, roots })
    })
}

/// The type `name`, or the last one of a source.
pub(crate) fn of_type(source: &str, target: &AbiTarget, name: Option<&str>) -> Checked<WithTypes<TypeLayout>> {
    with_reader(source, target, Language::C, |reader| {
        let (ty, at) = layouts::wanted(reader, source, name)?;
        let found = layouts::laid_out(reader, &ty, at)?;
        let mut numbering = Numbering::new(reader);
        let root = numbering.number(&ty)?;
        Ok(WithTypes { found, types: numbering.finish()?, roots: vec![vec![root]] })
    })
}

/// Gives types numbers.
struct Numbering<'r, 'a> {
    reader: &'r Reader<'a>,
    out: SourceTypes,
    /// By the address of a node, its number. The reader keeps the nodes.
    known: HashMap<usize, usize>,
    /// By number of the reader's.
    records: HashMap<usize, usize>,
    /// Records whose members are to be numbered: the reader's number.
    pending: Vec<usize>,
    /// Types that were made here, which keep their addresses.
    kept: Vec<Type>,
}

impl<'r, 'a> Numbering<'r, 'a> {
    fn new(reader: &'r Reader<'a>) -> Numbering<'r, 'a> {
        let (known, records) = Default::default();
        Numbering { reader, out: SourceTypes::default(), known, records, pending: Vec::new(), kept: Vec::new() }
    }

    fn number(&mut self, ty: &Type) -> Checked<usize> {
        if let Some(&known) = self.known.get(&ty.address()) {
            return Ok(known);
        }
        let quals = ty.quals();
        let plain = Quals { constant: false, volatile: false, restrict: false, ..quals };
        let made = if quals == plain {
            self.plain(ty)?
        } else {
            let inner = ty.with_only(plain);
            let of = self.number(&inner)?;
            self.kept.push(inner);
            let Quals { constant, volatile, restrict, .. } = quals;
            SourceType::Qualified { constant, volatile, restrict, of }
        };
        self.kept.push(ty.clone());
        self.out.types.push(made);
        let number = self.out.types.len() - 1;
        self.known.insert(ty.address(), number);
        Ok(number)
    }

    /// A type without qualifiers.
    fn plain(&mut self, ty: &Type) -> Checked<SourceType> {
        Ok(match ty.kind() {
            TypeKind::Void => SourceType::Void,
            TypeKind::Basic(ctype, name) => SourceType::Basic { name: name.to_string(), ctype: ctype.clone() },
            TypeKind::Name(name, of) => SourceType::Typedef { name: name.to_string(), of: self.number(of)? },
            TypeKind::Record(id) => SourceType::Record(self.record(*id)),
            TypeKind::Enum(ctype, text, values) => {
                let tag = text.strip_prefix("enum ").filter(|tag| !tag.starts_with('{')).map(str::to_string);
                SourceType::Enum { tag, ctype: ctype.clone(), values: values.to_vec() }
            }
            TypeKind::Pointer(_) if ty.of_member() != OfMember::No => {
                SourceType::Basic { name: self.reader.spell(ty, ""), ctype: self.reader.value_type(ty, 0)? }
            }
            TypeKind::Pointer(to) => SourceType::Pointer { to: self.number(to)?, reference: ty.quals().reference },
            TypeKind::Array(of, len) => SourceType::Array { of: self.number(of)?, len: *len },
            TypeKind::Function(function) => {
                let ret = self.number(&function.ret)?;
                let named = function.params.iter().take(function.dots.unwrap_or(function.params.len()));
                let params = named.map(|param| self.number(&param.ty)).collect::<Checked<_>>()?;
                SourceType::Function { ret, params, variadic: function.dots.is_some() }
            }
            TypeKind::Opaque(name) => SourceType::Opaque(name.to_string()),
        })
    }

    fn record(&mut self, id: usize) -> usize {
        if let Some(&known) = self.records.get(&id) {
            return known;
        }
        let record = &self.reader.records[id];
        let ctype = record.body.as_ref().map(|body| body.ctype.clone());
        self.out.records.push(SourceRecord { kind: record.kind, tag: record.tag.clone(), ctype, members: Vec::new() });
        let number = self.out.records.len() - 1;
        self.records.insert(id, number);
        self.pending.push(id);
        number
    }

    /// All types, with the members of records.
    fn finish(mut self) -> Checked<SourceTypes> {
        while let Some(id) = self.pending.pop() {
            let Some(body) = &self.reader.records[id].body else { continue };
            let members = body.members.iter().map(|member| Ok((member.name.clone(), self.number(&member.ty)?)));
            let members = members.collect::<Checked<_>>()?;
            self.out.records[self.records[&id]].members = members;
        }
        Ok(self.out)
    }
}
