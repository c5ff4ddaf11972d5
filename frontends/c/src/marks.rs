//! What the attributes of a declaration say.

use gusset_abi::{Convention, Member};
use lang_c::ast::{Attribute, Constant, Expression, Extension};
use lang_c::span::Node;

use crate::error::{Checked, Fault};
use crate::reader::Reader;
use crate::types::{Call, Named};

/// A type that stands in for the basic type beside which its mark is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Base {
    Int128,
    BitInt(u32),
    Half,
    BFloat,
    Quad,
}

/// What the special members of a class make of its values.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Special {
    /// A copy or move constructor is not trivial, or all are deleted (Itanium C++ ABI, "Definitions", but for destructors).
    pub non_trivial: bool,
    /// There is no trivial copy constructor.
    pub uncopied: bool,
    /// The destructor is not trivial.
    pub destroyed: bool,
    /// There is no trivial copy assignment.
    pub unassigned: bool,
}

impl Special {
    pub fn with(self, other: Special) -> Special {
        Special {
            non_trivial: self.non_trivial || other.non_trivial,
            uncopied: self.uncopied || other.uncopied,
            destroyed: self.destroyed || other.destroyed,
            unassigned: self.unassigned || other.unassigned,
        }
    }
}

/// The attributes of one declaration, collected.
#[derive(Clone, Default, Debug)]
pub(crate) struct Marks {
    pub packed: bool,
    /// `aligned`, `_Alignas` and `__declspec(align)` in bytes; the strictest.
    pub align: Option<u32>,
    pub vector_bytes: Option<u64>,
    pub lanes: Option<u64>,
    pub mode: Option<String>,
    pub base: Option<Base>,
    /// `#pragma pack` in bytes.
    pub pack: Option<u32>,
    /// Width in bits and sign of an enumeration's type.
    pub enumeration: Option<(u16, bool)>,
    pub call: Call,
    /// The record is a C++ class.
    pub class: bool,
    pub special: Special,
    /// It is declared with `class`.
    pub class_keyword: bool,
    /// The pointer that this belongs to is a C++ reference.
    pub reference: bool,
    /// Values are copied bitwise all the same.
    pub trivial_abi: bool,
    pub non_aggregate: bool,
    /// It is never a homogeneous aggregate on Windows for ARM64.
    pub uneven: bool,
    /// The compiler makes its default constructor.
    pub defaulted: bool,
    /// It has constructors, but no default constructor.
    pub undefaulted: bool,
    /// The symbol's name, if the source gives one.
    pub symbol: Option<String>,
    /// Where the first of them stands.
    pub at: Option<usize>,
}

impl Marks {
    /// Takes over what `outer`, the marks of the specifiers, say of the declared thing itself.
    pub fn inherit(&mut self, outer: &Marks) {
        self.packed |= outer.packed;
        self.align = self.align.max(outer.align);
        self.symbol = self.symbol.take().or_else(|| outer.symbol.clone());
        self.at = self.at.or(outer.at);
    }
}

impl Reader<'_> {
    /// Adds what `extensions` say to `marks`.
    pub fn extensions(&mut self, extensions: &[Node<Extension>], marks: &mut Marks) -> Checked<()> {
        for extension in extensions {
            let at = self.at(extension.span);
            marks.at.get_or_insert(at);
            match &extension.node {
                Extension::Attribute(attribute) => self.attribute(attribute, marks, at)?,
                Extension::AsmLabel(label) => {
                    let text: String = label.node.iter().map(|part| part.trim_matches('"')).collect();
                    marks.symbol = Some(text);
                }
                Extension::AvailabilityAttribute(_) => {}
            }
        }
        Ok(())
    }

    fn attribute(&mut self, attribute: &Attribute, marks: &mut Marks, at: usize) -> Checked<()> {
        let name = attribute.name.node.as_str();
        if marks.class_attribute(name) {
            return Ok(());
        }
        let Some(call) = self.call_attribute(attribute, at)? else {
            return self.type_attribute(attribute, marks, at);
        };
        if let (Some(one), Some(other)) = (call.convention, marks.call.convention)
            && one != other
        {
            let message = format!("`{}` and `{}` are different conventions", other.word, one.word);
            return Err(Fault::new(at, message));
        }
        marks.call = call.or(marks.call);
        Ok(())
    }

    /// What an attribute says of calls, if it is one of those.
    fn call_attribute(&mut self, attribute: &Attribute, at: usize) -> Checked<Option<Call>> {
        let name = attribute.name.node.as_str();
        let arguments = attribute.arguments.as_slice();
        let needed = || Fault::new(at, format!("the attribute `{name}` needs an argument"));
        let convention = |convention, word| Call { convention: Some(Named { convention, word }), ..Call::default() };
        let mut call = Call::default();
        match name {
            "cdecl" => call = convention(Convention::C, "cdecl"),
            "stdcall" => call = convention(Convention::Stdcall, "stdcall"),
            "fastcall" => call = convention(Convention::Fastcall, "fastcall"),
            "thiscall" => call = convention(Convention::Thiscall, "thiscall"),
            "vectorcall" => call = convention(Convention::Vectorcall, "vectorcall"),
            "ms_abi" => call = convention(Convention::Win64, "ms_abi"),
            "sysv_abi" => call = convention(Convention::SysV64, "sysv_abi"),
            // Clang ignores it there.
            "aarch64_vector_pcs" if self.target().is_windows() => {}
            "aarch64_vector_pcs" => call = convention(Convention::VectorPcs, "aarch64_vector_pcs"),
            "preserve_most" => call = convention(Convention::PreserveMost, "preserve_most"),
            "preserve_all" => call = convention(Convention::PreserveAll, "preserve_all"),
            "preserve_none" => call = convention(Convention::PreserveNone, "preserve_none"),
            "swiftcall" => call = convention(Convention::Swift, "swiftcall"),
            "swiftasynccall" => call = convention(Convention::SwiftTail, "swiftasynccall"),
            "pcs" => match arguments.first().and_then(string) {
                Some("aapcs") => call = convention(Convention::AapcsBase, "pcs(\"aapcs\")"),
                Some("aapcs-vfp") => call = convention(Convention::AapcsVfp, "pcs(\"aapcs-vfp\")"),
                _ => return Err(Fault::new(at, "`pcs` is \"aapcs\" or \"aapcs-vfp\"")),
            },
            "regparm" => {
                let registers = self.number(arguments.first().ok_or_else(needed)?, "a number of registers", 3)?;
                call.regparm = Some(registers as u8);
            }
            "sseregparm" => call.sse_regparm = true,
            "cxx_method" => call.member = Member::Method,
            "cxx_constructor" => call.member = Member::Constructor,
            "cxx_destructor" => call.member = Member::Destructor,
            _ => return Ok(None),
        }
        Ok(Some(call))
    }

    /// Takes what an attribute says of a type or of a variable's place.
    fn type_attribute(&mut self, attribute: &Attribute, marks: &mut Marks, at: usize) -> Checked<()> {
        let name = attribute.name.node.as_str();
        let arguments = attribute.arguments.as_slice();
        let needed = || Fault::new(at, format!("the attribute `{name}` needs an argument"));
        match name {
            "packed" => marks.packed = true,
            "aligned" | "gusset_align" => {
                let bytes = match arguments.first() {
                    Some(argument) => self.number(argument, "an alignment", 1 << 28)?,
                    None => self.model().biggest_align().into(),
                };
                self.add_align(marks, bytes, at)?;
            }
            "gusset_alignas" => {
                let argument = arguments.first().ok_or_else(needed)?;
                let bytes = match &argument.node {
                    Expression::SizeOfTy(ty) => {
                        let ty = self.type_name(&ty.node.0)?;
                        self.align_of(&ty, argument.span)?.into()
                    }
                    Expression::SizeOfVal(value) => self.number(&value.node.0, "an alignment", 1 << 28)?,
                    _ => return Err(needed()),
                };
                // C11, 6.7.5: zero has no effect.
                if bytes != 0 {
                    self.add_align(marks, bytes, at)?;
                }
            }
            "gusset_pack" => {
                marks.pack = Some(self.number(arguments.first().ok_or_else(needed)?, "a limit", 16)? as u32)
            }
            "gusset_enum" => {
                let argument = arguments.first().ok_or_else(needed)?;
                let Expression::SizeOfTy(ty) = &argument.node else { return Err(needed()) };
                let ty = self.type_name(&ty.node.0)?;
                marks.enumeration = match self.value_type(&ty, at)? {
                    gusset_abi::CType::Scalar(gusset_abi::Scalar::Int { bits, signed }) => Some((bits, signed)),
                    gusset_abi::CType::BOOL => Some((8, false)),
                    _ => return Err(Fault::new(at, "an enumeration has an integer type")),
                };
            }
            "vector_size" => {
                let bytes = self.number(arguments.first().ok_or_else(needed)?, "a vector size", 1 << 20)?;
                marks.vector_bytes = Some(bytes);
            }
            "ext_vector_type" | "neon_vector_type" | "neon_polyvector_type" => {
                let lanes = self.number(arguments.first().ok_or_else(needed)?, "a number of lanes", 1 << 16)?;
                marks.lanes = Some(lanes);
            }
            "mode" => match arguments.first().map(|a| &a.node) {
                Some(Expression::Identifier(mode)) => {
                    marks.mode = Some(crate::attribute::plain(&mode.node.name).to_string());
                }
                _ => return Err(needed()),
            },
            "gusset_int128" => marks.base = Some(Base::Int128),
            "gusset_bitint" => {
                let bits = self.number(arguments.first().ok_or_else(needed)?, "a width", 1 << 23)?;
                marks.base = Some(Base::BitInt(bits as u32));
            }
            "gusset_f16" => marks.base = Some(Base::Half),
            "gusset_bf16" => marks.base = Some(Base::BFloat),
            "gusset_f128" => marks.base = Some(Base::Quad),
            _ => return Err(Fault::new(at, format!("the attribute `{name}` is not supported"))),
        }
        Ok(())
    }

    fn add_align(&self, marks: &mut Marks, bytes: u64, at: usize) -> Checked<()> {
        if !bytes.is_power_of_two() {
            return Err(Fault::new(at, format!("an alignment of {bytes} is no power of two")));
        }
        marks.align = marks.align.max(Some(bytes as u32));
        Ok(())
    }
}

impl Marks {
    /// Takes what an attribute says of a class; false if it says nothing of any.
    fn class_attribute(&mut self, name: &str) -> bool {
        match name {
            "gusset_reference" => self.reference = true,
            "trivial_abi" => (self.class, self.trivial_abi) = (true, true),
            "cxx_class" => self.class = true,
            "gusset_class" => self.class_keyword = true,
            "gusset_nontrivial" => self.special.non_trivial = true,
            "gusset_uncopied" => self.special.uncopied = true,
            "gusset_destroyed" => self.special.destroyed = true,
            "gusset_unassigned" => self.special.unassigned = true,
            "gusset_uneven" => self.uneven = true,
            "gusset_defaulted" => self.defaulted = true,
            "gusset_undefaulted" => self.undefaulted = true,
            "cxx_nontrivial" => {
                self.class = true;
                self.special = Special { non_trivial: true, uncopied: true, destroyed: true, unassigned: true };
            }
            "cxx_nonaggregate" => (self.class, self.non_aggregate) = (true, true),
            _ => return false,
        }
        true
    }
}

/// The text of a string literal.
fn string(node: &Node<Expression>) -> Option<&str> {
    match &node.node {
        Expression::StringLiteral(literal) => match literal.node.as_slice() {
            [only] => only.strip_prefix('"')?.strip_suffix('"'),
            _ => None,
        },
        Expression::Constant(constant) => match &constant.node {
            Constant::Character(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}
