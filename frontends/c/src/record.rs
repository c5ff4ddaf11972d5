//! Structs, unions and enumerations.

use gusset_abi::{Arch, CType, Class, Env, Field, FieldRole, Record, RecordKind, Scalar};
use lang_c::ast::{EnumType, StructDeclaration, StructField, StructKind, StructType};
use lang_c::span::Span;

use crate::class::Special;
use crate::constant::Value;
use crate::fault::{Checked, Fault};
use crate::marks::Marks;
use crate::reader::{Body, MemberType, Reader, RecordType, Tag};
use crate::specifiers::Part;
use crate::types::{Type, TypeKind};

impl Reader<'_> {
    /// Reads a struct or union, defined here or not; `marks` are its attributes.
    pub fn record(&mut self, node: &StructType, marks: &Marks, span: Span) -> Checked<Type> {
        let kind = match node.kind.node {
            StructKind::Struct => RecordKind::Struct,
            StructKind::Union => RecordKind::Union,
        };
        let tag = node.identifier.as_ref().map(|name| name.node.name.clone());
        let id = match tag.as_ref().and_then(|tag| self.tags.get(tag)) {
            Some(Tag::Record(id)) if self.records[*id].kind == kind => *id,
            Some(_) => {
                let tag = tag.unwrap_or_default();
                return Err(self.fault(span, format!("`{tag}` is another kind of type already")));
            }
            None => {
                self.records.push(RecordType {
                    kind,
                    tag: tag.clone(),
                    typedef: None,
                    class: false,
                    special: Special::default(),
                    undefaulted: false,
                    body: None,
                });
                let id = self.records.len() - 1;
                if let Some(tag) = tag {
                    self.tags.insert(tag, Tag::Record(id));
                }
                id
            }
        };
        let ty = Type::leaf(TypeKind::Record(id));
        let Some(declarations) = &node.declarations else { return Ok(ty) };
        if self.records[id].body.is_some() {
            let name = self.spell(&ty, "");
            return Err(self.fault(span, format!("`{name}` is defined already")));
        }
        let mut fields = Vec::new();
        let mut members = Vec::new();
        for declaration in declarations {
            match &declaration.node {
                StructDeclaration::StaticAssert(assert) => self.static_assert(&assert.node.expression)?,
                StructDeclaration::Field(field) => {
                    if let Some(at) = self.flexible(&members)
                        && kind == RecordKind::Struct
                    {
                        return Err(Fault::new(at, "an array without a length has to be the last member"));
                    }
                    self.member_declaration(&field.node, declaration.span, marks.packed, &mut fields, &mut members)?;
                }
            }
        }
        if self.records[id].body.is_some() {
            return Err(self.fault(span, "a type is defined within itself"));
        }
        let mut record = match kind {
            RecordKind::Struct => Record::structure(fields),
            RecordKind::Union => Record::union(fields),
        };
        if marks.packed {
            record = record.packed();
        }
        if let Some(bytes) = marks.pack {
            record = record.pragma_pack(bytes);
        }
        if let Some(bytes) = marks.align {
            record = record.aligned(bytes);
        }
        let (record, special) = self.with_class(record, &members, marks);
        let class = &marks.class;
        self.records[id].undefaulted = class.undefaulted;
        self.records[id].class = class.keyword;
        self.records[id].special = special;
        let ctype = CType::record(record);
        if let Err(error) = self.layout.layout(&ctype) {
            return Err(self.abi_fault(self.at(span), &error));
        }
        let members = members.into_iter().map(|(member, _)| member).collect();
        self.records[id].body = Some(Body { ctype, members });
        Ok(ty)
    }

    /// A record with what the rules for C++ classes add to it, and which special members it has.
    fn with_class(&self, mut record: Record, members: &[(MemberType, usize)], marks: &Marks) -> (Record, Special) {
        // The class needs whatever one of its members needs to be copied.
        let roles = record.fields().iter().map(Field::is_base);
        let inherited = members.iter().zip(roles).map(|((member, _), is_base)| {
            let special = self.special(&member.ty);
            if is_base { special.of_base() } else { special }
        });
        let inherited = inherited.fold(Special::default(), Special::with);
        let class = &marks.class;
        let own = class.constructors.special(inherited, record.kind() == RecordKind::Union);
        // A class with virtual functions or bases is never trivial.
        let trivial_abi = class.trivial_abi && !class.constructors.virtuals;
        let special = if trivial_abi { Special::default() } else { own.with(class.special) };
        if let Some(number) = marks.class_number {
            record = record.numbered(number as u32 + 1);
        }
        if let Some(virtuals) = marks.class_number.and_then(|number| self.text.classes.get(number)?.virtuals.clone()) {
            record = record.virtual_functions(virtuals);
        }
        if class.is_class || special != Special::default() {
            let size = self.layout.layout(&CType::record(record.clone())).map_or(u64::MAX, |layout| layout.size);
            let non_trivial = self.is_non_trivial(special, size);
            // A special member that is not trivial was written by somebody.
            let aggregate = !class.non_aggregate && !special.is_written();
            record = record.cxx(Class {
                non_trivial,
                aggregate,
                plain_data: class.plain_data || marks.class_number.is_none(),
                c_like: class.c_like || (marks.class_number.is_none() && !class.non_aggregate),
            });
        }
        // A default constructor that cannot construct some member is not trivial.
        let unmade = class.defaulted && members.iter().any(|(member, _)| self.is_undefaulted(&member.ty));
        if class.uneven || unmade {
            record = record.never_homogeneous();
        }
        (record, special)
    }

    /// The type of a class that is the base of another.
    pub fn class_type(&self, class: &Record) -> Option<Type> {
        let is = |known: &RecordType| match &known.body {
            Some(Body { ctype: CType::Record(record), .. }) => record.number() == class.number(),
            _ => false,
        };
        Some(Type::leaf(TypeKind::Record(self.records.iter().position(is)?)))
    }

    /// The special members of a member's type.
    fn special(&self, ty: &Type) -> Special {
        match ty.resolved().kind() {
            TypeKind::Record(id) => self.records[*id].special,
            TypeKind::Array(of, _) => self.special(of),
            _ => Special::default(),
        }
    }

    /// Whether a member's type has constructors, but no default constructor.
    fn is_undefaulted(&self, ty: &Type) -> bool {
        match ty.resolved().kind() {
            TypeKind::Record(id) => self.records[*id].undefaulted,
            TypeKind::Array(of, _) => self.is_undefaulted(of),
            _ => false,
        }
    }

    /// Whether values of `size` bytes cannot be copied bitwise in calls. Microsoft's 64-bit compilers require a trivial
    /// copy constructor only, and pass a value with a destructor in registers if it fits into one (ARM64: two), as
    /// clang does.
    fn is_non_trivial(&self, special: Special, size: u64) -> bool {
        let target = &self.target;
        match target.arch {
            Arch::X86_64 | Arch::Aarch64 if target.is_windows() && target.env == Env::Msvc => {
                let most = if target.arch == Arch::Aarch64 { 16 } else { 8 };
                special.uncopied || (special.destroyed && size > most)
            }
            _ => special.non_trivial || special.destroyed,
        }
    }

    /// Position of the last member, if it is a flexible array.
    fn flexible(&self, members: &[(MemberType, usize)]) -> Option<usize> {
        let (last, at) = members.last()?;
        matches!(last.ty.resolved().kind(), TypeKind::Array(_, None)).then_some(*at)
    }

    fn member_declaration(
        &mut self,
        node: &StructField,
        span: Span,
        packed: bool,
        fields: &mut Vec<Field>,
        members: &mut Vec<(MemberType, usize)>,
    ) -> Checked<()> {
        let parts: Vec<Part<'_>> = node.specifiers.iter().map(|s| Part::of_member(&s.node)).collect();
        let specified = self.specifiers(&parts, span)?;
        if node.declarators.is_empty() {
            // Only an anonymous struct or union is a member without a declarator; other specifiers declare nothing.
            if let (TypeKind::Record(id), true) = (specified.ty.kind(), specified.defines_record)
                && self.records[*id].tag.is_none()
            {
                let at = self.at(span);
                let mut field = Field::new(self.value_type(&specified.ty, at)?);
                field.align = specified.marks.align;
                fields.push(field);
                members.push((MemberType { name: None, ty: specified.ty }, at));
            }
            return Ok(());
        }
        for declarator in &node.declarators {
            let inner = declarator.node.declarator.as_ref();
            let declared = self.declarator(&specified.ty, &specified.marks, inner, declarator.span, false)?;
            let at = declared.at;
            let ctype = match declared.ty.resolved().kind() {
                TypeKind::Array(of, None) => CType::flexible_array(self.value_type(of, at)?),
                TypeKind::Void => return Err(Fault::new(at, "a member cannot be void")),
                _ => self.value_type(&declared.ty, at)?,
            };
            let mut field = Field::new(ctype);
            field.named = declared.name.is_some();
            match declared.marks.role {
                FieldRole::NoUniqueAddress => field = field.no_unique_address(),
                role => field.role = role,
            }
            field.packed = declared.marks.packed;
            field.align = declared.marks.align;
            if let Some(width) = &declarator.node.bit_width {
                let bits = self.number(width, "a width", 1 << 23)? as u32;
                self.check_bit_field(&field, bits, declared.name.is_some(), self.at(width.span))?;
                field.bits = Some(bits);
            } else if declared.name.is_none() {
                return Err(Fault::new(at, "a member needs a name"));
            } else if let (Some(align), false) = (declared.ty.typedef_align(), packed) {
                // The typedef's alignment replaces the type's, be it stricter or not; Microsoft's rules only raise the
                // type's.
                field.packed = !self.target.is_windows();
                field.align = field.align.max(Some(align));
            }
            let name = declared.name.filter(|_| !field.is_base());
            fields.push(field);
            members.push((MemberType { name, ty: declared.ty }, at));
        }
        Ok(())
    }

    fn check_bit_field(&self, field: &Field, bits: u32, named: bool, at: usize) -> Checked<()> {
        let width = match &field.ty {
            CType::Scalar(Scalar::Bool) => 1,
            CType::Scalar(Scalar::Int { bits, .. }) => (*bits).into(),
            CType::BitInt { bits, .. } => *bits,
            _ => return Err(Fault::new(at, "a bit-field has an integer type")),
        };
        if bits > width {
            return Err(Fault::new(at, format!("a bit-field of {bits} bits in a type of {width}")));
        }
        if bits == 0 && named {
            return Err(Fault::new(at, "a bit-field with a name has at least one bit"));
        }
        Ok(())
    }

    /// Reads an enumeration, defined here or not.
    pub fn enumeration(&mut self, node: &EnumType, marks: &Marks, span: Span) -> Checked<Type> {
        let tag = node.identifier.as_ref().map(|name| name.node.name.clone());
        let text = tag.as_ref().map_or("enum {…}".to_string(), |tag| format!("enum {tag}"));
        if node.enumerators.is_empty() {
            return match tag.as_ref().and_then(|tag| self.tags.get(tag)) {
                Some(Tag::Enum(ty)) => Ok(ty.clone()),
                Some(Tag::Record(_)) => Err(self.fault(span, format!("`{text}` is another kind of type already"))),
                None => Ok(Type::leaf(TypeKind::Opaque(text.as_str().into()))),
            };
        }
        if tag.as_ref().is_some_and(|tag| self.tags.contains_key(tag)) {
            return Err(self.fault(span, format!("`{text}` is defined already")));
        }
        let (mut least, mut most, mut values) = (0i128, 0i128, Vec::new());
        let mut next = 0i128;
        for enumerator in &node.enumerators {
            let enumerator = &enumerator.node;
            if let Some(expression) = &enumerator.expression {
                next = self.constant(expression)?.value;
            }
            (least, most) = (least.min(next), most.max(next));
            let small = i32::try_from(next).is_ok();
            if i64::try_from(next).is_err() && u64::try_from(next).is_err() {
                return Err(self.fault(enumerator.identifier.span, "this value fits no integer type"));
            }
            let value = Value { value: next, bits: if small { 32 } else { 64 }, signed: next <= i64::MAX as i128 };
            let name = enumerator.identifier.node.name.clone();
            values.push((name.clone(), next));
            self.constants.insert(name, value);
            next += 1;
        }
        let (bits, signed) = match marks.enumeration {
            Some(fixed) => fixed,
            None => {
                // The compilers' choice (GCC, "Structures, unions, enumerations, and bit-fields"): unsigned without
                // negative values; as narrow as possible if packed, else at least as wide as `int`.
                let signed = least < 0;
                let first = if marks.packed { 8 } else { 32 };
                let fits = |bits: u16| {
                    if signed {
                        let half = 1i128 << (bits - 1);
                        least >= -half && most < half
                    } else {
                        most < 1i128 << bits
                    }
                };
                let bits = [8, 16, 32, 64].into_iter().find(|bits| *bits >= first && fits(*bits)).unwrap_or(64);
                // Microsoft's enumerations are `int` whatever their values.
                if self.target.env == Env::Msvc { (32, true) } else { (bits, signed) }
            }
        };
        let ty = Type::leaf(TypeKind::Enum(CType::int(bits, signed), text.as_str().into(), values.into()));
        if let Some(tag) = tag {
            self.tags.insert(tag, Tag::Enum(ty.clone()));
        }
        Ok(ty)
    }
}
