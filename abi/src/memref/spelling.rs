//! MLIR's types as C spells them, with the definitions that they need.

use super::convert::TypeConverter;
use super::types::{BuiltinType, Lane};
use crate::error::AbiError;
use crate::types::{CType, FloatKind, LlvmType, Scalar};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write;

/// The preprocessor condition under which a compiler has a type.
type Condition = &'static str;

/// Types of C that not every compiler has: their spelling, and the condition.
const FLOAT16: (&str, Condition) =
    ("_Float16", "defined(__FLT16_MAX__) && (!defined(__cplusplus) || defined(__clang__) || __GNUC__ > 12)");
const BFLOAT16: (&str, Condition) = ("__bf16", "defined(__clang__) || defined(__BFLT16_MAX__)");
const FLOAT128: (&str, Condition) = ("__float128", "defined(__SIZEOF_FLOAT128__)");
const INT128: Condition = "defined(__SIZEOF_INT128__)";
const BIT_INT: Condition = "defined(__BITINT_MAXWIDTH__)";

/// A definition, and the conditions that it needs.
struct Definition {
    name: String,
    text: String,
    conditions: Vec<Condition>,
}

/// Spells types, and keeps the definitions of those with names; each definition comes before its users.
pub(super) struct Speller {
    converter: TypeConverter,
    definitions: Vec<Definition>,
    /// The conditions of the types spelled since the last [`Speller::take_conditions`].
    conditions: Vec<Condition>,
    /// The names of functions and of their results' structs.
    taken: Vec<String>,
}

impl Speller {
    pub(super) fn new(converter: TypeConverter) -> Speller {
        Speller { converter, definitions: Vec::new(), conditions: Vec::new(), taken: Vec::new() }
    }

    /// Conditions under which a compiler has all types that were spelled since the last call.
    pub(super) fn take_conditions(&mut self) -> Vec<Condition> {
        core::mem::take(&mut self.conditions)
    }

    /// The definitions, in a form that allows a second header with the same ones to be included too.
    pub(super) fn definitions(&self) -> String {
        let mut text = String::new();
        for Definition { name, text: body, conditions } in &self.definitions {
            let body = format!("#ifndef {name}_defined\n#define {name}_defined\n{body}\n#endif\n");
            text.push('\n');
            text.push_str(&under(conditions, &body));
        }
        text
    }

    /// A name that no function and no result type has, as close to `name` as C allows.
    pub(super) fn unique(&mut self, name: &str) -> String {
        let mut name = identifier(name);
        while self.taken.contains(&name) {
            name.push('_');
        }
        self.taken.push(name.clone());
        name
    }

    fn require(&mut self, condition: Condition) {
        if !self.conditions.contains(&condition) {
            self.conditions.push(condition);
        }
    }

    /// The name of a type whose definition `define` writes, unless it is written already.
    fn defined(
        &mut self,
        name: String,
        define: impl FnOnce(&mut Speller, &str) -> Result<String, AbiError>,
    ) -> Result<String, AbiError> {
        let known = |speller: &Speller| speller.definitions.iter().position(|known| known.name == name);
        if known(self).is_none() {
            let outer = self.take_conditions();
            let text = define(self, &name);
            let conditions = core::mem::replace(&mut self.conditions, outer);
            self.definitions.push(Definition { name: name.clone(), text: text?, conditions });
        }
        let index = known(self).unwrap_or_default();
        for condition in self.definitions[index].conditions.clone() {
            self.require(condition);
        }
        Ok(name)
    }

    /// The type of `index`: the integer type as wide as a pointer, if that has its width.
    fn index(&self) -> String {
        let bits = self.converter.index_bits();
        if self.is_pointer_sized() { "intptr_t".into() } else { format!("int{bits}_t") }
    }

    fn is_pointer_sized(&self) -> bool {
        self.converter.index_bits() == 8 * self.converter.target().pointer_bytes()
    }

    /// The C type of a value; for a memref, that of its descriptor.
    ///
    /// # Errors
    /// C has no such type.
    pub(super) fn value(&mut self, ty: &BuiltinType) -> Result<String, AbiError> {
        // Types that C does not have are refused there.
        let c = self.converter.c_type(ty)?;
        match ty {
            BuiltinType::Lane(Lane::Index) => Ok(self.index()),
            BuiltinType::Lane(_) => self.scalar(&c),
            BuiltinType::Complex(_) => self.scalar(&c),
            BuiltinType::Function => {
                self.defined("mlir_function".into(), |_, name| Ok(format!("typedef void (*{name})(void);")))
            }
            BuiltinType::Vector { shape, .. } if shape.len() <= 1 => self.vector(&c),
            BuiltinType::Vector { shape, .. } => {
                let CType::Record(record) = &c else { return Err(no_type(ty)) };
                let mut row = &record.fields()[0].ty;
                while let CType::Array(array) = row {
                    row = array.element();
                }
                let row = self.vector(row)?;
                let outer = shape.split_last().map_or(&[][..], |(_, outer)| outer);
                let extents: String = outer.iter().map(|extent| format!("[{extent}]")).collect();
                self.defined(fragment(ty), |_, name| Ok(format!("typedef struct {{ {row} rows{extents}; }} {name};")))
            }
            BuiltinType::Llvm(LlvmType::Vector { .. }) => self.vector(&c),
            BuiltinType::Llvm(LlvmType::Scalar(_)) => self.scalar(&c),
            BuiltinType::Llvm(llvm) => {
                let text = match llvm {
                    LlvmType::Array { .. } => format!(" {};", self.member(llvm, "elements")?),
                    LlvmType::Struct(body) => {
                        let mut text = String::new();
                        for (i, (_, member)) in body.fields.iter().enumerate() {
                            let _ = write!(text, " {};", self.member(member, &format!("field{i}"))?);
                        }
                        text
                    }
                    _ => return Err(no_type(ty)),
                };
                let packed = matches!(llvm, LlvmType::Struct(body) if body.packed);
                let packed = if packed { " __attribute__((packed))" } else { "" };
                self.defined(fragment(ty), |_, name| Ok(format!("typedef struct{packed} {{{text} }} {name};")))
            }
            BuiltinType::Memref(memref) => {
                let element = self.element(memref.element())?;
                let (index, rank) = (self.index(), memref.rank());
                let name = format!("memref_{rank}d_{}{}", fragment(memref.element()), self.suffix());
                let dimensions = match rank {
                    0 => String::new(),
                    _ => format!("\n  {index} sizes[{rank}];\n  {index} strides[{rank}];"),
                };
                self.defined(name, |_, name| {
                    let pointers = format!("  {element} *allocated;\n  {element} *aligned;");
                    Ok(format!("typedef struct {{\n{pointers}\n  {index} offset;{dimensions}\n}} {name};"))
                })
            }
            BuiltinType::Unranked(_) => {
                let index = self.index();
                let name = format!("unranked_memref{}", self.suffix());
                self.defined(name, |_, name| {
                    Ok(format!("typedef struct {{\n  {index} rank;\n  void *descriptor;\n}} {name};"))
                })
            }
        }
    }

    /// The suffix of names of descriptors, so that headers of modules with different widths of `index` can be used
    /// together.
    fn suffix(&self) -> String {
        if self.is_pointer_sized() { String::new() } else { format!("_index{}", self.converter.index_bits()) }
    }

    /// A member of an LLVM struct, as a declaration.
    fn member(&mut self, ty: &LlvmType, name: &str) -> Result<String, AbiError> {
        let (mut inner, mut extents) = (ty, String::new());
        while let LlvmType::Array { element, len } = inner {
            let _ = write!(extents, "[{len}]");
            inner = element;
        }
        Ok(format!("{} {name}{extents}", self.value(&BuiltinType::Llvm(inner.clone()))?))
    }

    /// The type that a memref's pointers point to: integers of the same size for floating-point types of two bytes,
    /// which not every compiler has; `void` for other types that C or some compilers lack.
    fn element(&mut self, ty: &BuiltinType) -> Result<String, AbiError> {
        let outer = self.take_conditions();
        let spelled = self.value(ty);
        let inner = core::mem::replace(&mut self.conditions, outer);
        Ok(match (spelled, self.converter.c_type(ty)) {
            (Ok(spelled), _) if inner.is_empty() => spelled,
            (_, Ok(CType::Scalar(Scalar::Float(FloatKind::F16 | FloatKind::BF16)))) => "uint16_t".into(),
            _ => "void".into(),
        })
    }

    /// A GNU vector.
    fn vector(&mut self, c: &CType) -> Result<String, AbiError> {
        let CType::Vector { lane, lanes } = c else { return Err(AbiError::ty("no vector of C")) };
        let bytes = self.converter.layout().scalar(*lane)?.size * u64::from(*lanes);
        let lane = self.scalar(&CType::Scalar(*lane))?;
        let letters: String = lane.chars().filter(|c| *c != ' ').collect();
        self.defined(format!("vector_{lanes}x{letters}"), |_, name| {
            Ok(format!("typedef {lane} {name} __attribute__((vector_size({bytes})));"))
        })
    }

    /// A number, complex number or pointer.
    fn scalar(&mut self, c: &CType) -> Result<String, AbiError> {
        let mut with = |(name, condition): (&str, Condition)| {
            self.require(condition);
            String::from(name)
        };
        Ok(match c {
            CType::Scalar(Scalar::Bool) => "bool".into(),
            CType::Scalar(Scalar::Pointer) => "void *".into(),
            CType::Scalar(Scalar::Int { bits: 128, signed: true }) => with(("__int128", INT128)),
            CType::Scalar(Scalar::Int { bits: 128, signed: false }) => with(("unsigned __int128", INT128)),
            CType::Scalar(Scalar::Int { bits, signed: true }) => format!("int{bits}_t"),
            CType::Scalar(Scalar::Int { bits, signed: false }) => format!("uint{bits}_t"),
            CType::Scalar(Scalar::Float(kind)) => match kind {
                FloatKind::F16 => with(FLOAT16),
                FloatKind::BF16 => with(BFLOAT16),
                FloatKind::F32 => "float".into(),
                FloatKind::F64 => "double".into(),
                FloatKind::Long => "long double".into(),
                FloatKind::F128 => with(FLOAT128),
            },
            CType::BitInt { bits, signed: true } => with((&format!("_BitInt({bits})"), BIT_INT)),
            CType::BitInt { bits, signed: false } => with((&format!("unsigned _BitInt({bits})"), BIT_INT)),
            // `_Complex` cannot be combined with the name of a `typedef`.
            CType::Complex(Scalar::Int { bits, .. }) => {
                let name = [(8, "signed char"), (16, "short"), (32, "int"), (64, "long long")];
                let name = name.into_iter().find(|(width, _)| width == bits);
                let (_, name) = name.ok_or_else(|| AbiError::ty("C has no complex numbers of such parts"))?;
                format!("{name} _Complex")
            }
            CType::Complex(part) => format!("{} _Complex", self.scalar(&CType::Scalar(*part))?),
            _ => return Err(AbiError::ty("no scalar of C")),
        })
    }
}

fn no_type(ty: &BuiltinType) -> AbiError {
    AbiError::ty(format!("C has no type for {ty}"))
}

/// Text for compilers that fulfil all conditions only.
pub(super) fn under(conditions: &[Condition], text: &str) -> String {
    if conditions.is_empty() {
        return text.into();
    }
    let all: Vec<String> = conditions.iter().map(|condition| format!("({condition})")).collect();
    format!("#if {}\n{text}#endif\n", all.join(" && "))
}

/// Is the name valid in C, apart from C's own words?
pub(super) fn is_identifier(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
}

/// A valid C name that is similar to this one.
fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// A type as part of a name.
fn fragment(ty: &BuiltinType) -> String {
    let mut name = String::new();
    // The end of a nested type gets a letter, so that types with different members have different names.
    for c in ty.to_string().chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' => name.push(c),
            '?' => name.push('d'),
            '>' if !name.is_empty() => name.push('e'),
            '*' => name.push('u'),
            '-' => name.push('m'),
            _ if !name.ends_with('_') && !name.is_empty() => name.push('_'),
            _ => {}
        }
    }
    // A single type at the end of the name needs no end.
    name.trim_end_matches(['e', '_']).into()
}
