//! Collects what the attributes of a declaration say.

use gusset_abi::{Convention, FieldRole, Member};
use lang_c::ast::{Attribute, Constant, Expression, Extension};
use lang_c::span::Node;

use crate::class::{Class, Special};
use crate::fault::{Checked, Fault};
use crate::reader::Reader;
use crate::types::{Call, Named, OfMember};

/// A type that replaces the basic type which carries the attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Base {
    Int128,
    BitInt(u32),
    Half,
    BFloat,
    Quad,
}

/// The attributes of one declaration.
#[derive(Clone, Default, Debug)]
pub(crate) struct Marks {
    pub packed: bool,
    /// The strictest of `aligned`, `_Alignas` and `__declspec(align)`, in bytes.
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
    pub class: Class,
    /// The class's number, if it has a body.
    pub class_number: Option<usize>,
    /// What the member is that carries the attribute.
    pub role: FieldRole,
    /// The pointer that carries the attribute is a C++ reference.
    pub reference: bool,
    /// Whether the pointer is one to a member of a class.
    pub of_member: OfMember,
    /// The symbol's name, if the source gives one.
    pub symbol: Option<String>,
    /// Position of the first attribute.
    pub at: Option<usize>,
}

impl Marks {
    /// Adds those attributes of the specifiers, `outer`, that apply to the declared thing itself.
    pub fn inherit(&mut self, outer: &Marks) {
        self.packed |= outer.packed;
        self.align = self.align.max(outer.align);
        if self.role == FieldRole::Member {
            self.role = outer.role;
        }
        self.symbol = self.symbol.take().or_else(|| outer.symbol.clone());
        self.at = self.at.or(outer.at);
    }
}

impl Reader<'_> {
    /// Adds the attributes `extensions` to `marks`.
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

    /// Handles an attribute of calls; false if it is none.
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
            // Clang ignores the attribute on Windows.
            "aarch64_vector_pcs" if self.target.is_windows() => {}
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

    /// Handles an attribute of a type or of a variable's alignment.
    fn type_attribute(&mut self, attribute: &Attribute, marks: &mut Marks, at: usize) -> Checked<()> {
        let name = attribute.name.node.as_str();
        let arguments = attribute.arguments.as_slice();
        let needed = || Fault::new(at, format!("the attribute `{name}` needs an argument"));
        match name {
            "packed" => marks.packed = true,
            "aligned" | "gusset_align" => {
                let bytes = match arguments.first() {
                    Some(argument) => self.number(argument, "an alignment", 1 << 28)?,
                    None => crate::data::biggest_align(&self.target).into(),
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
            "gusset_class" => {
                let number = self.number(arguments.first().ok_or_else(needed)?, "a class", u64::MAX)?;
                let members = self.text.classes.get(number as usize).map(|body| body.class).unwrap_or_default();
                marks.class = marks.class.with_members(members);
                marks.class_number = Some(number as usize);
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
    /// Handles an attribute of a class or of a pointer to one; false if it is none.
    fn class_attribute(&mut self, name: &str) -> bool {
        let class = &mut self.class;
        match name {
            "gusset_reference" => self.reference = true,
            "gusset_member" => self.of_member = OfMember::Known,
            "gusset_unknown_member" => self.of_member = OfMember::Unknown,
            "gusset_base" => self.role = FieldRole::Base,
            "gusset_virtual_base" => self.role = FieldRole::VirtualBase,
            "gusset_shares_address" => self.role = FieldRole::NoUniqueAddress,
            "trivial_abi" => (class.is_class, class.trivial_abi) = (true, true),
            "cxx_class" => class.is_class = true,
            "cxx_nontrivial" => (class.is_class, class.special) = (true, Special::NON_TRIVIAL),
            "cxx_nonaggregate" => (class.is_class, class.non_aggregate) = (true, true),
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
