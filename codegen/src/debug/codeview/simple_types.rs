//! Types other than classes and enumerations.

use gimli::{DwTag, constants as dw};

use super::names::{parents, string};
use super::records::{leaf, pointer, simple};
use super::type_table::Record;
use super::types::{Key, Types};
use crate::debug::{
    DiBound, DiComposite, DiDerived, DiElement, DiScope, DiSubprogramId, DiSubrange, DiSubroutine, DiType, DiTypeId,
    DiTypeKind, di_flags,
};

/// How many qualifiers are put together. What has more of them, which only damaged metadata has, gets another record.
const MAX_QUALIFIERS: usize = 64;
/// The most arguments of a function that fit a record.
const MAX_ARGUMENTS: usize = 16_000;
/// Flags of qualifiers in `LF_MODIFIER`.
const CONST: u16 = 1;
const VOLATILE: u16 = 2;
/// Flags of a function's type (`CV_funcattr_t`): it returns a class by address, it is a constructor.
const RETURNS_CLASS: u8 = 1;
const CONSTRUCTOR: u8 = 2;
/// The name of the pointer that stands for the shape of a table of virtual functions.
pub(super) const VTABLE: &[u8] = b"__vtbl_ptr_type";

/// What the type of a method depends on besides its signature.
#[derive(Clone, Copy, Default)]
struct MethodFacts {
    /// It has no object.
    is_static: bool,
    /// What is added to the object's address.
    adjustment: i32,
    /// Flags of the type.
    options: u8,
}

impl<'a> Types<'a> {
    /// A type; of a class its declaration.
    pub fn plain_type(&mut self, id: DiTypeId) -> Option<u32> {
        let node = &self.info.types[id.index()];
        match (&node.kind, DwTag(node.tag)) {
            (DiTypeKind::Basic { .. }, dw::DW_TAG_unspecified_type) => {
                let is_null = string(self.info, node.name) == b"decltype(nullptr)";
                Some(if is_null { simple::NULLPTR } else { simple::NONE })
            }
            (DiTypeKind::Basic { encoding }, _) => {
                Some(basic(*encoding, node.size_bits / 8, string(self.info, node.name)))
            }
            (DiTypeKind::Derived(derived), dw::DW_TAG_typedef) => self.typedef(id, node, derived),
            (DiTypeKind::Derived(_), dw::DW_TAG_pointer_type) if string(self.info, node.name) == VTABLE => {
                Some(self.vtable_shape(node))
            }
            (
                DiTypeKind::Derived(derived),
                dw::DW_TAG_pointer_type | dw::DW_TAG_reference_type | dw::DW_TAG_rvalue_reference_type,
            ) => self.pointer(node, derived, 0),
            (DiTypeKind::Derived(derived), dw::DW_TAG_ptr_to_member_type) => self.member_pointer(node, derived, 0),
            (DiTypeKind::Derived(_), dw::DW_TAG_const_type | dw::DW_TAG_volatile_type | dw::DW_TAG_restrict_type) => {
                self.qualified_type(id)
            }
            (DiTypeKind::Composite(composite), dw::DW_TAG_array_type) => self.array(node, composite),
            (DiTypeKind::Composite(composite), dw::DW_TAG_enumeration_type) => self.enumeration(node, composite),
            (
                DiTypeKind::Composite(composite),
                dw::DW_TAG_class_type | dw::DW_TAG_structure_type | dw::DW_TAG_union_type,
            ) => self.class_declaration(id, node, composite),
            (DiTypeKind::Subroutine(function), _) => self.function_type(function),
            (DiTypeKind::String(_), _) => {
                let record = self.array_record(simple::CHAR, node.size_bits / 8, string(self.info, node.name));
                Some(self.table.add(record))
            }
            // Nothing in CodeView is like these.
            (DiTypeKind::Derived(_) | DiTypeKind::Composite(_) | DiTypeKind::Subrange(_), _) => Some(simple::NONE),
        }
    }

    fn typedef(&mut self, id: DiTypeId, node: &DiType, derived: &DiDerived) -> Option<u32> {
        let target = self.need_type(derived.base);
        if !self.has_all() {
            return None;
        }
        self.list_name(id);
        Some(match (target, string(self.info, node.name)) {
            (simple::LONG, b"HRESULT") => simple::HRESULT,
            (simple::USHORT, b"wchar_t") => simple::WIDE_CHAR,
            _ => target,
        })
    }

    fn array_record(&self, element: u32, bytes: u64, name: &[u8]) -> Record {
        let index = if self.pointer_bytes == 8 { simple::UQUAD } else { simple::ULONG };
        Record::new(leaf::ARRAY).u32(element).u32(index).size(bytes).name(name)
    }

    fn array(&mut self, node: &DiType, composite: &DiComposite) -> Option<u32> {
        let mut element = self.need_type(composite.base);
        if !self.has_all() {
            return None;
        }
        let mut bytes =
            composite.base.map_or(0, |base| self.info.types[self.info.look_through(base).index()].size_bits / 8);
        for (number, dimension) in composite.elements.iter().enumerate().rev() {
            let count = match dimension {
                DiElement::Subrange(subrange) => self.element_count(subrange),
                _ => 0,
            };
            bytes = bytes.wrapping_mul(count);
            let whole = if number == 0 && bytes == 0 { node.size_bits / 8 } else { bytes };
            let name = if number == 0 { string(self.info, node.name) } else { b"" };
            let record = self.array_record(element, whole, name);
            element = self.table.add(record);
        }
        Some(element)
    }

    /// How many elements a dimension has; 0 if that is unknown, as Microsoft's compiler says.
    fn element_count(&self, subrange: &DiSubrange) -> u64 {
        let count = match (&subrange.count, &subrange.lower, &subrange.upper) {
            (Some(DiBound::Constant(count)), ..) => *count,
            (_, Some(DiBound::Constant(lower)), Some(DiBound::Constant(upper))) => {
                upper.wrapping_sub(*lower).wrapping_add(1)
            }
            (_, _, Some(DiBound::Constant(upper))) => upper.wrapping_sub(self.fortran.into()).wrapping_add(1),
            _ => -1,
        };
        if count == -1 { 0 } else { count as u64 }
    }

    fn pointer_kind(&self, size_bits: u64) -> u32 {
        if size_bits == 64 { pointer::NEAR64 } else { pointer::NEAR32 }
    }

    fn pointer(&mut self, node: &DiType, derived: &DiDerived, options: u32) -> Option<u32> {
        let to = self.need_type(derived.base);
        if !self.has_all() {
            return None;
        }
        let is_plain = DwTag(node.tag) == dw::DW_TAG_pointer_type;
        if is_plain && options == 0 && to < simple::FIRST_RECORD && to & simple::MODE == 0 {
            return Some(to | if node.size_bits == 64 { simple::POINTER64 } else { simple::POINTER32 });
        }
        let mode = match DwTag(node.tag) {
            dw::DW_TAG_reference_type => pointer::LVALUE_REFERENCE,
            dw::DW_TAG_rvalue_reference_type => pointer::RVALUE_REFERENCE,
            _ => 0,
        };
        let constant = if node.flags & di_flags::OBJECT_POINTER != 0 { pointer::CONST } else { 0 };
        let size = pointer_size(node) << pointer::SIZE;
        let attributes = self.pointer_kind(node.size_bits) | mode | options | constant | size;
        Some(self.table.add(Record::new(leaf::POINTER).u32(to).u32(attributes)))
    }

    /// A reference to a type, for variables that are found by their address.
    pub fn reference_to(&mut self, ty: DiTypeId) -> Option<u32> {
        let to = self.need(Key::Type(ty));
        let bytes = pointer_size(&self.info.types[ty.index()]);
        let kind = self.pointer_kind(8 * u64::from(self.pointer_bytes));
        let attributes = kind | pointer::LVALUE_REFERENCE | bytes << pointer::SIZE;
        let record = Record::new(leaf::POINTER).u32(to).u32(attributes);
        self.has_all().then(|| self.table.add(record))
    }

    /// The pointer to the object of a method.
    pub fn this_pointer(&mut self, id: DiTypeId, function: DiTypeId) -> Option<u32> {
        let node = &self.info.types[id.index()];
        let DiTypeKind::Derived(derived) = &node.kind else { return Some(simple::NONE) };
        let options = match self.info.types[function.index()].flags {
            flags if flags & di_flags::LVALUE_REFERENCE != 0 => pointer::LVALUE_THIS,
            flags if flags & di_flags::RVALUE_REFERENCE != 0 => pointer::RVALUE_THIS,
            _ => 0,
        };
        self.pointer(node, derived, options)
    }

    fn member_pointer(&mut self, node: &DiType, derived: &DiDerived, options: u32) -> Option<u32> {
        let base = derived.base.map(|base| (base, &self.info.types[base.index()].kind));
        let is_function = matches!(base, Some((_, DiTypeKind::Subroutine(_))));
        let class = self.need_type(derived.class);
        let to = match (base, derived.class) {
            (Some((base, _)), Some(class)) if is_function => self.need(Key::MethodType(base, class)),
            (base, _) => self.need_type(base.map(|base| base.0)),
        };
        if !self.has_all() {
            return None;
        }
        let inheritance = (node.flags & di_flags::POINTER_TO_MEMBER) >> 16;
        let bytes = pointer_size(node);
        // For data single, multiple, virtual and any inheritance, then the same for functions; 0 is unknown.
        let representation = match (inheritance, bytes) {
            (0, 0) => 0,
            (0, _) => 4,
            (known, _) => known,
        };
        let representation = if is_function && representation != 0 { representation + 4 } else { representation };
        let mode = if is_function { pointer::MEMBER_FUNCTION } else { pointer::DATA_MEMBER };
        let kind = self.pointer_kind(8 * u64::from(self.pointer_bytes));
        let attributes = kind | mode | options | bytes << pointer::SIZE;
        let record = Record::new(leaf::POINTER).u32(to).u32(attributes).u32(class).u16(representation as u16);
        Some(self.table.add(record))
    }

    /// A type with qualifiers. Those of a pointer are among its attributes.
    fn qualified_type(&mut self, id: DiTypeId) -> Option<u32> {
        let (mut modifiers, mut options) = (0, 0);
        let mut base = Some(id);
        for _ in 0..MAX_QUALIFIERS {
            let Some(node) = base.map(|base| &self.info.types[base.index()]) else { break };
            match DwTag(node.tag) {
                dw::DW_TAG_const_type => (modifiers, options) = (modifiers | CONST, options | pointer::CONST),
                dw::DW_TAG_volatile_type => (modifiers, options) = (modifiers | VOLATILE, options | pointer::VOLATILE),
                // There is no such qualifier of other types.
                dw::DW_TAG_restrict_type => options |= pointer::RESTRICT,
                _ => break,
            }
            let DiTypeKind::Derived(derived) = &node.kind else { break };
            base = derived.base;
        }
        if let Some(node) = base.map(|base| &self.info.types[base.index()])
            && let DiTypeKind::Derived(derived) = &node.kind
        {
            match DwTag(node.tag) {
                dw::DW_TAG_pointer_type | dw::DW_TAG_reference_type | dw::DW_TAG_rvalue_reference_type => {
                    return self.pointer(node, derived, options);
                }
                dw::DW_TAG_ptr_to_member_type => return self.member_pointer(node, derived, options),
                _ => {}
            }
        }
        let of = self.need_type(base);
        if !self.has_all() || modifiers == 0 {
            return Some(of);
        }
        Some(self.table.add(Record::new(leaf::MODIFIER).u32(of).u16(modifiers)))
    }

    fn vtable_shape(&mut self, node: &DiType) -> u32 {
        // Half a byte for each function: a near pointer. Readers round the number up to an even one.
        const NEAR: u8 = 5;
        let count = (node.size_bits / (8 * u64::from(self.pointer_bytes))).min(0xfffe) as u16;
        let mut record = Record::new(leaf::VTSHAPE).u16(count);
        for at in (0..count).step_by(2) {
            record = record.u8(NEAR << 4 | if at + 1 < count { NEAR } else { 0 });
        }
        self.table.add(record)
    }

    fn function_type(&mut self, function: &DiSubroutine) -> Option<u32> {
        let mut types: Vec<u32> = function.types.iter().map(|&ty| self.need_type(ty)).collect();
        if !self.has_all() {
            return None;
        }
        // Further arguments.
        if types.len() > 1
            && let Some(last @ &mut simple::VOID) = types.last_mut()
        {
            *last = simple::NONE;
        }
        let (result, arguments) = match types.split_first() {
            Some((&result, arguments)) => (result, arguments),
            None => (simple::VOID, &[][..]),
        };
        let list = self.argument_list(arguments);
        let options = self.returns_class(function, false);
        let record = Record::new(leaf::PROCEDURE)
            .u32(result)
            .u8(convention(function.convention))
            .u8(options)
            .u16(arguments.len().min(MAX_ARGUMENTS) as u16)
            .u32(list);
        Some(self.table.add(record))
    }

    /// The list of arguments, of which a record takes no more.
    fn argument_list(&mut self, arguments: &[u32]) -> u32 {
        let arguments = &arguments[..arguments.len().min(MAX_ARGUMENTS)];
        let record = Record::new(leaf::ARGLIST).u32(arguments.len() as u32);
        self.table.add(arguments.iter().fold(record, |record, &ty| record.u32(ty)))
    }

    /// The flag of functions that return a class which is not trivial, and of methods that return any.
    fn returns_class(&self, function: &DiSubroutine, is_method: bool) -> u8 {
        let result = function.types.first().copied().flatten().map(|ty| &self.info.types[ty.index()]);
        let returns = result.is_some_and(|ty| {
            matches!(ty.kind, DiTypeKind::Composite(_)) && (is_method || ty.flags & di_flags::NON_TRIVIAL != 0)
        });
        if returns { RETURNS_CLASS } else { 0 }
    }

    /// The type of a method of a class.
    pub fn method(&mut self, id: DiSubprogramId, class: DiTypeId) -> Option<u32> {
        let node = &self.info.subprograms[id.index()];
        let (owner, ty) = (&self.info.types[class.index()], node.ty);
        let Some((ty, DiTypeKind::Subroutine(function))) = ty.map(|ty| (ty, &self.info.types[ty.index()].kind)) else {
            return Some(simple::NONE);
        };
        let names_class = string(self.info, node.name) == string(self.info, owner.name);
        let is_constructor = owner.flags & di_flags::NON_TRIVIAL != 0 && names_class;
        let options = self.returns_class(function, true) | if is_constructor { CONSTRUCTOR } else { 0 };
        let is_static = node.flags & di_flags::STATIC_MEMBER != 0;
        self.method_type(ty, class, MethodFacts { is_static, adjustment: node.this_adjustment, options })
    }

    /// The type of a function as that of a method of a class of which nothing else is known.
    pub fn plain_method_type(&mut self, ty: DiTypeId, class: DiTypeId) -> Option<u32> {
        self.method_type(ty, class, MethodFacts::default())
    }

    /// The same for a method.
    fn method_type(&mut self, ty: DiTypeId, class: DiTypeId, facts: MethodFacts) -> Option<u32> {
        let DiTypeKind::Subroutine(function) = &self.info.types[ty.index()].kind else { return Some(simple::NONE) };
        let owner = self.need(Key::Type(class));
        let (result, mut arguments) = match function.types.split_first() {
            Some((&result, arguments)) => (self.need_type(result), arguments),
            None => (simple::VOID, &[][..]),
        };
        let mut this = simple::NONE;
        if !facts.is_static
            && let Some((&Some(first), rest)) = arguments.split_first()
            && DwTag(self.info.types[first.index()].tag) == dw::DW_TAG_pointer_type
        {
            this = self.need(Key::This(first, ty));
            arguments = rest;
        }
        let mut arguments: Vec<u32> = arguments.iter().map(|&ty| self.need_type(ty)).collect();
        if !self.has_all() {
            return None;
        }
        if let Some(last @ &mut simple::VOID) = arguments.last_mut() {
            *last = simple::NONE;
        }
        let list = self.argument_list(&arguments);
        let record = Record::new(leaf::MFUNCTION)
            .u32(result)
            .u32(owner)
            .u32(this)
            .u8(convention(function.convention))
            .u8(facts.options)
            .u16(arguments.len().min(MAX_ARGUMENTS) as u16)
            .u32(list)
            .u32(facts.adjustment as u32);
        Some(self.table.add(record))
    }

    /// Is something in a function?
    pub fn is_in_function(&self, scope: Option<DiScope>) -> bool {
        parents(self.info, scope).function.is_some()
    }
}

/// The size of a pointer in bytes, which has six bits.
fn pointer_size(node: &DiType) -> u32 {
    (node.size_bits / 8) as u32 & 0x3f
}

/// The number of a calling convention (`CV_call_e`), by those of Borland and LLVM in DWARF (LLVM, `Dwarf.def`, `DW_CC_…`).
fn convention(dwarf: u8) -> u8 {
    match dwarf {
        // Pascal, `__fastcall`, `__stdcall`, `__thiscall` and `__vectorcall`.
        0xb2 => 2,
        0xb3 => 4,
        0xb1 => 7,
        0xb5 => 0xb,
        0xc0 => 0x18,
        _ => 0,
    }
}

/// The number of a basic type.
fn basic(encoding: u8, bytes: u64, name: &[u8]) -> u32 {
    let known = match (gimli::DwAte(encoding), bytes) {
        (dw::DW_ATE_boolean, 1 | 2 | 4 | 8 | 16) => simple::BOOL8 + bytes.trailing_zeros(),
        (dw::DW_ATE_complex_float, 4) => simple::COMPLEX16,
        (dw::DW_ATE_complex_float, 8) => simple::COMPLEX32,
        (dw::DW_ATE_complex_float, 16) => simple::COMPLEX64,
        (dw::DW_ATE_complex_float, 20) => simple::COMPLEX80,
        (dw::DW_ATE_complex_float, 32) => simple::COMPLEX128,
        (dw::DW_ATE_float, 2) => simple::FLOAT16,
        (dw::DW_ATE_float, 4) => simple::FLOAT32,
        (dw::DW_ATE_float, 6) => simple::FLOAT48,
        (dw::DW_ATE_float, 8) => simple::FLOAT64,
        (dw::DW_ATE_float, 10) => simple::FLOAT80,
        (dw::DW_ATE_float, 16) => simple::FLOAT128,
        (dw::DW_ATE_signed | dw::DW_ATE_signed_char, 1) => simple::SIGNED_CHAR,
        (dw::DW_ATE_signed, 2) => simple::SHORT,
        (dw::DW_ATE_signed, 4) => simple::INT,
        (dw::DW_ATE_signed, 8) => simple::QUAD,
        (dw::DW_ATE_signed, 16) => simple::OCT,
        (dw::DW_ATE_unsigned | dw::DW_ATE_unsigned_char, 1) => simple::UNSIGNED_CHAR,
        (dw::DW_ATE_unsigned, 2) => simple::USHORT,
        (dw::DW_ATE_unsigned, 4) => simple::UINT,
        (dw::DW_ATE_unsigned, 8) => simple::UQUAD,
        (dw::DW_ATE_unsigned, 16) => simple::UOCT,
        (dw::DW_ATE_UTF, 1) => simple::CHAR8,
        (dw::DW_ATE_UTF, 2) => simple::CHAR16,
        (dw::DW_ATE_UTF, 4) => simple::CHAR32,
        _ => simple::NONE,
    };
    match (known, name) {
        (simple::INT, b"long int" | b"long") => simple::LONG,
        (simple::UINT, b"long unsigned int" | b"unsigned long") => simple::ULONG,
        (simple::USHORT, b"wchar_t" | b"__wchar_t") => simple::WIDE_CHAR,
        (simple::SIGNED_CHAR | simple::UNSIGNED_CHAR, b"char") => simple::CHAR,
        _ => known,
    }
}
