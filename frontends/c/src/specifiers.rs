//! Declaration specifiers: the type that they name.

use gusset_abi::{CType, FloatKind, Scalar, c_types};
use lang_c::ast::{
    DeclarationSpecifier, Extension, SpecifierQualifier, StorageClassSpecifier, TypeOf, TypeQualifier, TypeSpecifier,
};
use lang_c::span::{Node, Span};

use crate::fault::{Checked, Fault};
use crate::marks::{Base, Marks};
use crate::names::{self, Meaning};
use crate::reader::Reader;
use crate::types::{Quals, Type, TypeKind};

/// A specifier of a declaration or of a member.
#[derive(Clone, Copy)]
pub(crate) enum Part<'a> {
    Typedef,
    Type(&'a Node<TypeSpecifier>),
    Qualifier(&'a TypeQualifier),
    Extension(&'a [Node<Extension>]),
    Other,
}

impl<'a> Part<'a> {
    pub fn of_declaration(specifier: &'a DeclarationSpecifier) -> Part<'a> {
        match specifier {
            DeclarationSpecifier::StorageClass(storage) if storage.node == StorageClassSpecifier::Typedef => {
                Part::Typedef
            }
            DeclarationSpecifier::TypeSpecifier(ty) => Part::Type(ty),
            DeclarationSpecifier::TypeQualifier(qualifier) => Part::Qualifier(&qualifier.node),
            DeclarationSpecifier::Extension(extensions) => Part::Extension(extensions),
            _ => Part::Other,
        }
    }

    pub fn of_member(specifier: &'a SpecifierQualifier) -> Part<'a> {
        match specifier {
            SpecifierQualifier::TypeSpecifier(ty) => Part::Type(ty),
            SpecifierQualifier::TypeQualifier(qualifier) => Part::Qualifier(&qualifier.node),
            SpecifierQualifier::Extension(extensions) => Part::Extension(extensions),
        }
    }
}

/// The meaning of a list of specifiers.
pub(crate) struct Specified {
    pub ty: Type,
    pub typedef: bool,
    /// The attributes, except those of a struct, union or enumeration defined here.
    pub marks: Marks,
    /// A struct or union is defined here, with a tag or without one.
    pub defines_record: bool,
}

impl Reader<'_> {
    /// The type that specifiers name, and what else they say; `span` is their position.
    pub fn specifiers(&mut self, parts: &[Part<'_>], span: Span) -> Checked<Specified> {
        let mut words = Vec::new();
        let mut whole: Option<Type> = None;
        let mut quals = Quals::default();
        let mut marks = Marks::default();
        let mut typedef = false;
        let mut atomic = None;
        let mut defines_record = false;
        let mut i = 0;
        while let Some(part) = parts.get(i) {
            i += 1;
            let specifier = match part {
                Part::Typedef => {
                    typedef = true;
                    continue;
                }
                Part::Qualifier(TypeQualifier::Atomic) => {
                    atomic = Some(span);
                    continue;
                }
                Part::Qualifier(qualifier) => {
                    quals.add(qualifier);
                    continue;
                }
                Part::Extension(extensions) => {
                    self.extensions(extensions, &mut marks)?;
                    continue;
                }
                Part::Other => continue,
                Part::Type(specifier) => *specifier,
            };
            let word = match &specifier.node {
                TypeSpecifier::Void => "void",
                TypeSpecifier::Char => "char",
                TypeSpecifier::Short => "short",
                TypeSpecifier::Int => "int",
                TypeSpecifier::Long => "long",
                TypeSpecifier::Float => "float",
                TypeSpecifier::Double => "double",
                TypeSpecifier::Signed => "signed",
                TypeSpecifier::Unsigned => "unsigned",
                TypeSpecifier::Bool => "bool",
                TypeSpecifier::Complex => "complex",
                other => {
                    let mut own = Marks::default();
                    let defined = matches!(other, TypeSpecifier::Struct(s) if s.node.declarations.is_some());
                    if defined || matches!(other, TypeSpecifier::Enum(e) if !e.node.enumerators.is_empty()) {
                        while let Some(Part::Extension(extensions)) = parts.get(i) {
                            self.extensions(extensions, &mut own)?;
                            i += 1;
                        }
                    }
                    defines_record |= matches!(other, TypeSpecifier::Struct(_));
                    if let TypeSpecifier::Atomic(_) = other {
                        atomic = Some(specifier.span);
                    }
                    if whole.replace(self.whole(specifier, own)?).is_some() {
                        return Err(self.fault(specifier.span, "two types in one declaration"));
                    }
                    continue;
                }
            };
            words.push(word);
            if words.iter().filter(|other| **other == word).count() > 2 {
                return Err(self.fault(specifier.span, "this type is not one of C's"));
            }
        }
        let at = self.at(span);
        let ty = match whole {
            Some(ty) if words.is_empty() => ty,
            Some(_) => return Err(self.fault(span, "this type is not one of C's")),
            None => {
                let (ctype, text) = self.basic(&words, marks.base, span)?;
                if ctype == CType::Void { Type::leaf(TypeKind::Void) } else { Type::basic(ctype, &text) }
            }
        };
        let ty = self.revalued(ty, &marks, at)?;
        if let Some(span) = atomic {
            // Wider types may have other alignments, or padding.
            let plain = match self.value_type(&ty, at)? {
                CType::Scalar(_) => self.layout_of(&ty, span)?.size <= self.target.pointer_bytes().into(),
                _ => false,
            };
            if !plain {
                return Err(self.fault(span, "`_Atomic` is supported for scalars no wider than a pointer"));
            }
        }
        Ok(Specified { ty: ty.with_quals(quals), typedef, marks, defines_record })
    }

    fn whole(&mut self, specifier: &Node<TypeSpecifier>, marks: Marks) -> Checked<Type> {
        match &specifier.node {
            TypeSpecifier::Struct(record) => self.record(&record.node, &marks, specifier.span),
            TypeSpecifier::Enum(enumeration) => self.enumeration(&enumeration.node, &marks, specifier.span),
            TypeSpecifier::TypedefName(name) => self.named(&name.node.name, name.span),
            TypeSpecifier::Atomic(name) => self.type_name(name),
            TypeSpecifier::TypeOf(of) => match &of.node {
                TypeOf::Type(name) => self.type_name(name),
                TypeOf::Expression(expression) => {
                    let value = self.constant(expression)?;
                    Ok(Type::basic(CType::int(value.bits as u16, value.signed), "int"))
                }
            },
            _ => Err(self.fault(specifier.span, "this type is not supported")),
        }
    }

    fn named(&mut self, name: &str, span: Span) -> Checked<Type> {
        if let Some(ty) = self.typedefs.get(name) {
            return Ok(ty.clone());
        }
        let at = self.at(span);
        let base = match names::meaning(name, &self.target) {
            Some(Meaning::Type(ctype)) => {
                self.check(&ctype, at)?;
                Type::basic(ctype, name)
            }
            Some(Meaning::ArrayOfOne(ctype)) => Type::above(TypeKind::Array(Type::basic(ctype, name), Some(1)), at)?,
            Some(Meaning::Opaque) => Type::leaf(TypeKind::Opaque(name.into())),
            None => return Err(Fault::new(at, format!("the type `{name}` is not known on this target"))),
        };
        Type::above(TypeKind::Name(name.into(), base), at)
    }

    /// Checks that the target has a type.
    fn check(&self, ctype: &CType, at: usize) -> Checked<()> {
        self.layout.layout(ctype).map(drop).map_err(|error| self.abi_fault(at, &error))
    }

    /// The type that the words name (C11, 6.7.2), with its spelling.
    fn basic(&self, words: &[&str], base: Option<Base>, span: Span) -> Checked<(CType, String)> {
        let wrong = || self.fault(span, "this type is not one of C's");
        // How often these words occur.
        let n = |of: &[&str]| words.iter().filter(|word| of.contains(word)).count();
        if words.is_empty() {
            return Err(self.fault(span, "a type is expected here"));
        }
        let signs = n(&["signed", "unsigned"]);
        let bases = n(&["void", "char", "short", "float", "double", "bool"]);
        if signs > 1 || n(&["complex"]) > 1 || bases > 1 {
            return Err(wrong());
        }
        let signed = n(&["unsigned"]) == 0;
        let sign = if signed { "" } else { "unsigned " };
        let at = self.at(span);
        let (scalar, text) = if let Some(base) = base {
            let float = |kind| Scalar::Float(kind);
            match base {
                Base::BitInt(bits) => {
                    let ctype = CType::BitInt { bits, signed };
                    self.check(&ctype, at)?;
                    return Ok((ctype, format!("{sign}_BitInt({bits})")));
                }
                Base::Int128 => (Scalar::Int { bits: 128, signed }, format!("{sign}__int128")),
                Base::Half => (float(FloatKind::F16), "_Float16".to_string()),
                Base::BFloat => (float(FloatKind::BF16), "__bf16".to_string()),
                Base::Quad => (float(FloatKind::F128), "__float128".to_string()),
            }
        } else if n(&["void"]) == 1 {
            if signs + n(&["complex", "int", "long"]) > 0 {
                return Err(wrong());
            }
            return Ok((CType::Void, "void".into()));
        } else if n(&["bool"]) == 1 {
            (Scalar::Bool, "_Bool".to_string())
        } else if n(&["float"]) == 1 {
            (Scalar::Float(FloatKind::F32), "float".to_string())
        } else if n(&["double"]) == 1 {
            let long = n(&["long"]) == 1;
            let kind = if long { FloatKind::Long } else { FloatKind::F64 };
            (Scalar::Float(kind), if long { "long double" } else { "double" }.to_string())
        } else if n(&["char"]) == 1 {
            let plain = signs == 0;
            let signed = if plain { c_types::char_is_signed(&self.target) } else { signed };
            let text = match (plain, signed) {
                (true, _) => "char",
                (false, true) => "signed char",
                (false, false) => "unsigned char",
            };
            (Scalar::Int { bits: 8, signed }, text.to_string())
        } else {
            let (bits, text) = match (n(&["short"]), n(&["long"])) {
                (1, 0) => (16, "short"),
                (0, 0) => (32, "int"),
                (0, 1) => (c_types::long_bits(&self.target), "long"),
                (0, 2) => (64, "long long"),
                _ => return Err(wrong()),
            };
            (Scalar::Int { bits, signed }, format!("{sign}{text}"))
        };
        let integral = matches!(scalar, Scalar::Int { .. });
        if (!integral && (signs > 0 || n(&["int"]) > 0 && base.is_none()))
            || (n(&["long"]) > 0 && n(&["char", "float", "bool"]) > 0)
            || (n(&["double"]) == 1 && (n(&["long"]) > 1 || n(&["short"]) > 0))
        {
            return Err(wrong());
        }
        if n(&["complex"]) == 1 {
            if scalar == Scalar::Bool {
                return Err(wrong());
            }
            let ctype = CType::Complex(scalar);
            self.check(&ctype, at)?;
            return Ok((ctype, format!("_Complex {text}")));
        }
        self.check(&CType::Scalar(scalar), at)?;
        Ok((CType::Scalar(scalar), text))
    }

    /// The type after `mode`, `vector_size` and similar attributes.
    pub fn revalued(&mut self, mut ty: Type, marks: &Marks, at: usize) -> Checked<Type> {
        let mut lanes = marks.lanes;
        if let Some(mode) = &marks.mode {
            let (scalar, count) = match mode.strip_prefix('V') {
                Some(vector) => {
                    let digits = vector.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
                    (&vector[digits..], vector[..digits].parse::<u64>().ok())
                }
                None => (mode.as_str(), None),
            };
            let signed = !matches!(self.value_type(&ty, at)?, CType::Scalar(Scalar::Int { signed: false, .. }));
            let word = 8 * self.target.pointer_bytes() as u16;
            let float80 = names::has_float80(&self.target);
            let int = |bits| CType::int(bits, signed);
            let sign = if signed { "" } else { "u" };
            let (ctype, text) = match scalar {
                "QI" | "byte" => (int(8), format!("{sign}int8_t")),
                "HI" => (int(16), format!("{sign}int16_t")),
                "SI" => (int(32), format!("{sign}int32_t")),
                "DI" => (int(64), format!("{sign}int64_t")),
                "TI" => (int(128), format!("__{sign}int128_t")),
                "word" | "pointer" => (int(word), format!("{sign}intptr_t")),
                "HF" => (CType::F16, "_Float16".into()),
                "BF" => (CType::BF16, "__bf16".into()),
                "SF" => (CType::F32, "float".into()),
                "DF" => (CType::F64, "double".into()),
                "XF" if float80 => (CType::LONG_DOUBLE, "__float80".into()),
                "TF" => (CType::F128, "__float128".into()),
                "SC" => (CType::complex(FloatKind::F32), "_Complex float".into()),
                "DC" => (CType::complex(FloatKind::F64), "_Complex double".into()),
                "XC" if float80 => (CType::complex(FloatKind::Long), "_Complex __float80".into()),
                "TC" => (CType::complex(FloatKind::F128), "_Complex __float128".into()),
                _ => return Err(Fault::new(at, format!("the mode `{mode}` is not known"))),
            };
            self.check(&ctype, at)?;
            ty = Type::basic(ctype, &text);
            lanes = lanes.or(count);
        }
        if marks.vector_bytes.is_none() && lanes.is_none() {
            return Ok(ty);
        }
        // On a pointer or array the attribute would apply to the innermost type.
        let (CType::Scalar(lane), true) =
            (self.value_type(&ty, at)?, matches!(ty.resolved().kind(), TypeKind::Basic(..) | TypeKind::Enum(..)))
        else {
            return Err(Fault::new(at, "a vector has lanes of an integer or floating-point type"));
        };
        if lane == Scalar::Bool {
            return Err(Fault::new(at, "vectors of `_Bool` are not supported"));
        }
        let size = self.layout.scalar(lane).map_err(|error| self.abi_fault(at, &error))?.size;
        let lanes = match (marks.vector_bytes, lanes) {
            (Some(bytes), _) if bytes == 0 || bytes % size != 0 => {
                return Err(Fault::new(at, format!("{bytes} bytes are no multiple of the lane's {size}")));
            }
            (Some(bytes), _) if !(bytes / size).is_power_of_two() => {
                return Err(Fault::new(at, "the number of lanes is no power of two"));
            }
            (Some(bytes), _) => bytes / size,
            (None, lanes) => lanes.unwrap_or(0),
        };
        let ctype = CType::Vector { lane, lanes: lanes as u32 };
        self.check(&ctype, at)?;
        let attribute = match marks.lanes {
            Some(lanes) => format!("ext_vector_type({lanes})"),
            None => format!("vector_size({})", lanes * size),
        };
        let text = format!("{} __attribute__(({attribute}))", self.spell(&ty, ""));
        Ok(Type::basic(ctype, &text))
    }
}
