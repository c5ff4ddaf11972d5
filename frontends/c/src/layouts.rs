//! The layout of types, member by member.

use gusset_abi::{AbiTarget, CType, ClassLayout, Field, FieldRole, Language, Record, RecordKind};

use crate::fault::{Checked, Fault};
use crate::prototype::with_reader;
use crate::reader::{Reader, Tag};
use crate::types::{Type, TypeKind};

/// Most members that are listed of a type.
const MAX_MEMBERS: usize = 4096;

/// A type and its layout.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TypeLayout {
    /// C's spelling.
    pub spelling: String,
    /// The type for the ABI.
    pub ctype: CType,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// Whether it is a struct or union.
    pub record: Option<RecordKind>,
    /// The members of a struct or union; of a C++ class also its bases and pointers, in the order of their places.
    pub members: Vec<Member>,
    /// The sizes that a class derived from this C++ class sees.
    pub class: Option<ClassSizes>,
}

/// What a derived class sees of a C++ class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ClassSizes {
    /// Size in bytes without the padding at the end that other classes may use.
    pub data_size: u64,
    /// Size in bytes without virtual bases.
    pub non_virtual_size: u64,
    /// Alignment in bytes without virtual bases.
    pub non_virtual_align: u32,
}

/// What a member of a layout is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum MemberRole {
    /// A member.
    Member,
    /// A base class.
    Base,
    /// A virtual base class.
    VirtualBase,
    /// A pointer to a table of virtual functions.
    Vptr,
    /// A pointer to Microsoft's table of virtual bases.
    Vbptr,
    /// Microsoft's displacement of `this` in front of a virtual base.
    Vtordisp,
}

/// A member of a struct or union.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Member {
    /// Its declaration, such as `int a[3]`; of an anonymous struct or union, or of a base, its type.
    pub declaration: String,
    /// Offset in bits from the start of the outermost type.
    pub bit_offset: u64,
    /// Size in bits.
    pub bits: u64,
    /// Whether it is a bit-field.
    pub bit_field: bool,
    /// What it is.
    pub role: MemberRole,
    /// Whether its type is a struct or union.
    pub record: Option<RecordKind>,
    /// The members of that struct or union.
    pub members: Vec<Member>,
}

/// The layout of the type `name`, or of the last one of a source.
pub(crate) fn chosen(
    source: &str,
    target: &AbiTarget,
    language: gusset_abi::Language,
    name: Option<&str>,
) -> Checked<TypeLayout> {
    with_reader(source, target, language, |reader| {
        let (ty, at) = wanted(reader, source, name)?;
        laid_out(reader, &ty, at)
    })
}

/// The type `name`, or the last one of a source, and its place.
pub(crate) fn wanted(reader: &Reader<'_>, source: &str, name: Option<&str>) -> Checked<(Type, usize)> {
    let end = source.len();
    match name {
        Some(name) => Ok((named(reader, name).map_err(|message| Fault::new(end, message))?, end)),
        None => last(reader).ok_or_else(|| Fault::new(end, "there is no type, such as `struct P { char c; int i; }`")),
    }
}

/// The layouts of all structs and unions with names.
pub(crate) fn all(source: &str, target: &AbiTarget, language: gusset_abi::Language) -> Checked<Vec<TypeLayout>> {
    with_reader(source, target, language, |reader| {
        let records = reader.records.iter().enumerate();
        let named =
            records.filter(|(_, record)| record.body.is_some() && (record.tag.is_some() || record.typedef.is_some()));
        named.map(|(id, _)| laid_out(reader, &Type::leaf(TypeKind::Record(id)), source.len())).collect()
    })
}

/// The type of this name, which may begin with `struct` or another keyword.
fn named(reader: &Reader<'_>, name: &str) -> Result<Type, String> {
    let plain = name.rsplit(' ').next().unwrap_or(name);
    let tagged = reader.tags.get(plain).map(|tag| match tag {
        Tag::Record(id) => Type::leaf(TypeKind::Record(*id)),
        Tag::Enum(ty) => ty.clone(),
    });
    let typedef = if plain == name { reader.typedefs.get(name).cloned() } else { None };
    typedef.or(tagged).ok_or_else(|| {
        let known = reader.tags.keys().chain(reader.typedefs.keys()).map(String::as_str);
        format!("there is no type `{name}`{}", gusset_text::did_you_mean(plain, known))
    })
}

/// The type that was declared last, or else the struct that was.
fn last(reader: &Reader<'_>) -> Option<(Type, usize)> {
    let complete = || reader.records.iter().rposition(|record| record.body.is_some());
    reader.last_type.clone().or_else(|| Some((Type::leaf(TypeKind::Record(complete()?)), 0)))
}

pub(crate) fn laid_out(reader: &Reader<'_>, ty: &Type, at: usize) -> Checked<TypeLayout> {
    let ctype = reader.value_type(ty, at)?;
    if ctype == CType::Void {
        return Err(Fault::new(at, "`void` has no layout"));
    }
    let layout = reader.layout.layout(&ctype).map_err(|error| reader.abi_fault(at, &error))?;
    let mut lister = Lister { reader, at, count: 0 };
    let mut members = Vec::new();
    let record = lister.add(ty, 0, true, &mut members)?;
    let align = ty.typedef_align().unwrap_or(layout.align);
    let class = match &ctype {
        CType::Record(record) if record.language() == Language::Cxx => {
            let ClassLayout { data_size, non_virtual_size, non_virtual_align, .. } = lister.class(record)?;
            Some(ClassSizes { data_size, non_virtual_size, non_virtual_align })
        }
        _ => None,
    };
    Ok(TypeLayout { spelling: reader.spell(ty, ""), ctype, size: layout.size, align, record, members, class })
}

/// Lists members.
struct Lister<'r, 'a> {
    reader: &'r Reader<'a>,
    /// The place in the source that errors are about.
    at: usize,
    /// The number of members that are listed.
    count: usize,
}

impl Lister<'_, '_> {
    fn class(&self, record: &Record) -> Checked<ClassLayout> {
        self.reader.layout.class(record).map_err(|error| self.reader.abi_fault(self.at, &error))
    }

    /// Adds the members of a struct or union that begins at a bit. A `complete` object has its virtual bases.
    fn add(&mut self, ty: &Type, start: u64, complete: bool, members: &mut Vec<Member>) -> Checked<Option<RecordKind>> {
        let reader = self.reader;
        let TypeKind::Record(id) = ty.resolved().kind() else { return Ok(None) };
        let record = &reader.records[*id];
        let Some(body) = &record.body else { return Ok(None) };
        let CType::Record(fields) = &body.ctype else { return Ok(None) };
        let class = (fields.language() == Language::Cxx).then(|| self.class(fields)).transpose()?;
        let placed = match &class {
            Some(class) => class.bit_offsets.clone(),
            None => reader.layout.record(fields).map_err(|error| reader.abi_fault(self.at, &error))?.bit_offsets,
        };
        let first = members.len();
        for ((member, field), offset) in body.members.iter().zip(fields.fields()).zip(&placed) {
            if self.count >= MAX_MEMBERS {
                break;
            }
            if field.role != FieldRole::VirtualBase {
                let declaration = reader.spell(&member.ty, member.name.as_deref().unwrap_or(""));
                let role = if field.is_base() { MemberRole::Base } else { MemberRole::Member };
                let member = self.member(&member.ty, declaration, field, start + offset, role)?;
                members.push(member);
            }
        }
        if let Some(class) = class {
            self.add_pointers(&class, start, members);
            if complete {
                self.add_virtual_bases(&class, start, members)?;
            }
            members[first..].sort_by_key(|member| member.bit_offset);
        }
        Ok(Some(record.kind))
    }

    /// A member or base that begins at a bit.
    fn member(
        &mut self,
        ty: &Type,
        declaration: String,
        field: &Field,
        bit_offset: u64,
        role: MemberRole,
    ) -> Checked<Member> {
        self.count += 1;
        let complete = role == MemberRole::Member;
        let (declaration, bits) = match (field.bits, &field.ty) {
            (Some(bits), _) => (format!("{declaration}:{bits}"), bits.into()),
            (None, CType::Record(record)) if field.role != FieldRole::Member => {
                let class = self.class(record)?;
                let used = if complete { class.non_virtual_size.max(class.data_size) } else { class.non_virtual_size };
                (declaration, if class.is_empty { 0 } else { 8 * used })
            }
            (None, ty) => {
                let layout = self.reader.layout.layout(ty);
                (declaration, 8 * layout.map_err(|error| self.reader.abi_fault(self.at, &error))?.size)
            }
        };
        let mut members = Vec::new();
        let record = self.add(ty, bit_offset, complete, &mut members)?;
        Ok(Member { declaration, bit_offset, bits, bit_field: field.bits.is_some(), role, record, members })
    }

    /// Adds the pointers to tables that a class adds to those of its bases.
    fn add_pointers(&mut self, class: &ClassLayout, start: u64, members: &mut Vec<Member>) {
        let bits = 8 * u64::from(self.reader.target.pointer_bytes());
        for (offset, name, role) in
            [(class.vptr, "__vptr", MemberRole::Vptr), (class.vbptr, "__vbptr", MemberRole::Vbptr)]
        {
            if let Some(offset) = offset {
                members.push(own(format!("void *{name}"), start + 8 * offset, bits, role));
            }
        }
    }

    fn add_virtual_bases(&mut self, class: &ClassLayout, start: u64, members: &mut Vec<Member>) -> Checked<()> {
        for base in &class.virtual_bases {
            let bit_offset = start + 8 * base.offset;
            if base.vtordisp {
                members.push(own("int __vtordisp".into(), bit_offset - 32, 32, MemberRole::Vtordisp));
            }
            let Some(ty) = self.reader.class_type(&base.class) else { continue };
            if self.count < MAX_MEMBERS {
                let field = Field::virtual_base(base.class.clone());
                let declaration = self.reader.spell(&ty, "");
                let declaration = declaration.trim_start_matches("struct ").to_string();
                members.push(self.member(&ty, declaration, &field, bit_offset, MemberRole::VirtualBase)?);
            }
        }
        Ok(())
    }
}

/// A member that the source does not declare.
fn own(declaration: String, bit_offset: u64, bits: u64, role: MemberRole) -> Member {
    Member { declaration, bit_offset, bits, bit_field: false, role, record: None, members: Vec::new() }
}
