//! Collects what the attributes of a declaration say.

use gusset_abi::{Convention, Member};
use lang_c::ast::{Attribute, Constant, Expression, Extension};
use lang_c::span::Node;

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

/// How a class declares a copy or move constructor.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum Declared {
    /// Not at all.
    #[default]
    Implicit,
    Written,
    Defaulted,
    /// Deleted, or there is none.
    Deleted,
}

impl Declared {
    /// Its name in attributes; empty for an implicit constructor.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Declared::Implicit => None,
            Declared::Written => Some("written"),
            Declared::Defaulted => Some("defaulted"),
            Declared::Deleted => Some("deleted"),
        }
    }

    /// The reverse of `word`: the meaning of the text after `gusset_copy_` and the like.
    fn named(word: &str) -> Option<Declared> {
        [Declared::Written, Declared::Defaulted, Declared::Deleted].into_iter().find(|how| how.word() == Some(word))
    }
}

/// How a class declares its copy and move constructors (C++, [class.copy.ctor]).
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Constructors {
    /// The constructor from a constant reference, or the only copy constructor; `other_copy` is one from any other
    /// reference.
    pub copy: Declared,
    pub other_copy: Declared,
    pub moves: Declared,
    /// Members of other classes cannot call the copy constructor, or the move constructor.
    pub copy_hidden: bool,
    pub move_hidden: bool,
    /// There is no implicit move constructor.
    pub unmoved: bool,
    /// A member is an rvalue reference.
    pub moved_reference: bool,
    /// The class has virtual functions.
    pub virtuals: bool,
}

/// How a value is copied or moved.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Transfer {
    /// Its bits are copied.
    #[default]
    Trivial,
    /// A constructor is called.
    Called,
    /// Not at all.
    Gone,
}

impl Constructors {
    /// The special members of a class whose members are copied and moved as `members` says; in a union, they are its
    /// variants.
    pub fn special(&self, members: Special, union: bool) -> Special {
        // A union has no implicit constructor for a member that needs one (C++, [class.copy.ctor]).
        let whole = |found: Transfer| match found.max(if self.virtuals { Transfer::Called } else { Transfer::Trivial })
        {
            Transfer::Called if union => Transfer::Gone,
            found => found,
        };
        let gone = |is: bool| if is { Transfer::Gone } else { Transfer::Trivial };
        let as_declared = |declared, implicit| match declared {
            Declared::Implicit | Declared::Defaulted => implicit,
            Declared::Written => Transfer::Called,
            Declared::Deleted => Transfer::Gone,
        };
        let implicit = whole(members.copied).max(gone(self.moved_reference));
        let copy = as_declared(self.copy, implicit);
        let other = match self.other_copy {
            Declared::Implicit => Transfer::Gone,
            declared => as_declared(declared, implicit),
        };
        // If the move constructor is undeclared, or defaulted and impossible, the copy constructor does its work.
        let moves = match (self.moves, whole(members.moved)) {
            (Declared::Implicit, _) if self.unmoved => None,
            (Declared::Implicit | Declared::Defaulted, Transfer::Gone) => None,
            (declared, implicit) => Some(as_declared(declared, implicit)),
        };
        let all = [copy, other, moves.unwrap_or(Transfer::Gone)];
        Special {
            non_trivial: all.contains(&Transfer::Called) || all.iter().all(|found| *found == Transfer::Gone),
            uncopied: copy != Transfer::Trivial && other != Transfer::Trivial,
            copied: copy.max(gone(self.copy_hidden)),
            moved: moves.map_or(copy.max(gone(self.copy_hidden)), |found| found.max(gone(self.move_hidden))),
            ..members
        }
    }
}

/// What the special members of a class do to its values.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Special {
    /// A copy or move constructor is not trivial, or all are deleted (Itanium C++ ABI, "Definitions"; destructors are
    /// `destroyed`).
    pub non_trivial: bool,
    /// There is no trivial copy constructor.
    pub uncopied: bool,
    /// The destructor is not trivial.
    pub destroyed: bool,
    /// There is no trivial copy assignment.
    pub unassigned: bool,
    /// How a member of this class is copied, and moved, when its container is.
    pub copied: Transfer,
    pub moved: Transfer,
}

impl Special {
    /// The special members of a class whose values cannot be copied bitwise.
    const NON_TRIVIAL: Special = Special {
        non_trivial: true,
        uncopied: true,
        destroyed: true,
        unassigned: true,
        copied: Transfer::Called,
        moved: Transfer::Called,
    };

    /// Whether some special member is not trivial.
    pub fn is_written(self) -> bool {
        self.non_trivial || self.uncopied || self.destroyed || self.unassigned
    }

    /// The union of two members' properties.
    pub fn with(self, other: Special) -> Special {
        Special {
            non_trivial: self.non_trivial || other.non_trivial,
            uncopied: self.uncopied || other.uncopied,
            destroyed: self.destroyed || other.destroyed,
            unassigned: self.unassigned || other.unassigned,
            copied: self.copied.max(other.copied),
            moved: self.moved.max(other.moved),
        }
    }
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
    /// The struct is a C++ class.
    pub class: bool,
    pub special: Special,
    pub constructors: Constructors,
    /// It is declared with the keyword `class`.
    pub class_keyword: bool,
    /// The pointer that carries the attribute is a C++ reference.
    pub reference: bool,
    /// Whether the pointer is one to a member of a class.
    pub of_member: OfMember,
    /// Clang's `trivial_abi`: values are copied bitwise in calls even if they are not trivial.
    pub trivial_abi: bool,
    pub non_aggregate: bool,
    /// The struct is never a homogeneous aggregate on Windows for ARM64.
    pub uneven: bool,
    /// The default constructor is implicit or defaulted.
    pub defaulted: bool,
    /// The class has constructors, but no default constructor.
    pub undefaulted: bool,
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
    /// Handles an attribute of a class; false if it is none.
    fn class_attribute(&mut self, name: &str) -> bool {
        match name {
            "gusset_reference" => self.reference = true,
            "gusset_member" => self.of_member = OfMember::Known,
            "gusset_unknown_member" => self.of_member = OfMember::Unknown,
            "trivial_abi" => (self.class, self.trivial_abi) = (true, true),
            "cxx_class" => self.class = true,
            "gusset_class" => self.class_keyword = true,
            "gusset_virtual" => self.constructors.virtuals = true,
            "gusset_copy_hidden" => self.constructors.copy_hidden = true,
            "gusset_move_hidden" => self.constructors.move_hidden = true,
            "gusset_unmoved" => self.constructors.unmoved = true,
            "gusset_moved_reference" => self.constructors.moved_reference = true,
            "gusset_destroyed" => self.special.destroyed = true,
            "gusset_unassigned" => self.special.unassigned = true,
            "gusset_uneven" => self.uneven = true,
            "gusset_defaulted" => self.defaulted = true,
            "gusset_undefaulted" => self.undefaulted = true,
            "cxx_nontrivial" => {
                self.class = true;
                self.special = Special::NON_TRIVIAL;
            }
            "cxx_nonaggregate" => (self.class, self.non_aggregate) = (true, true),
            _ => return self.constructor_attribute(name),
        }
        true
    }

    /// Handles an attribute that describes a constructor; false if it is none.
    fn constructor_attribute(&mut self, name: &str) -> bool {
        let Some((which, how)) = name.rsplit_once('_') else { return false };
        let constructor = match which {
            "gusset_copy" => &mut self.constructors.copy,
            "gusset_other_copy" => &mut self.constructors.other_copy,
            "gusset_move" => &mut self.constructors.moves,
            _ => return false,
        };
        let Some(declared) = Declared::named(how) else { return false };
        *constructor = declared;
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
