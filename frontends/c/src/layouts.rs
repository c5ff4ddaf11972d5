//! The layout of types, member by member.

use gusset_abi::{AbiTarget, CType, RecordKind};

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
    /// The members of a struct or union.
    pub members: Vec<Member>,
}

/// A member of a struct or union.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Member {
    /// Its declaration, such as `int a[3]`; of an anonymous struct or union, its type.
    pub declaration: String,
    /// Offset in bits from the start of the outermost type.
    pub bit_offset: u64,
    /// Size in bits.
    pub bits: u64,
    /// Whether it is a bit-field.
    pub bit_field: bool,
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
        let end = source.len();
        let (ty, at) = match name {
            Some(name) => (named(reader, name).map_err(|message| Fault::new(end, message))?, end),
            None => last(reader)
                .ok_or_else(|| Fault::new(end, "there is no type, such as `struct P { char c; int i; }`"))?,
        };
        laid_out(reader, &ty, at)
    })
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

fn laid_out(reader: &Reader<'_>, ty: &Type, at: usize) -> Checked<TypeLayout> {
    let ctype = reader.value_type(ty, at)?;
    if ctype == CType::Void {
        return Err(Fault::new(at, "`void` has no layout"));
    }
    let layout = reader.layout.layout(&ctype).map_err(|error| reader.abi_fault(at, &error))?;
    let mut members = Vec::new();
    let record = add_members(reader, ty, at, 0, &mut 0, &mut members)?;
    let align = ty.typedef_align().unwrap_or(layout.align);
    Ok(TypeLayout { spelling: reader.spell(ty, ""), ctype, size: layout.size, align, record, members })
}

/// Adds the members of a struct or union that begins at a bit; `count` is the number of members that are listed.
fn add_members(
    reader: &Reader<'_>,
    ty: &Type,
    at: usize,
    start: u64,
    count: &mut usize,
    members: &mut Vec<Member>,
) -> Checked<Option<RecordKind>> {
    let TypeKind::Record(id) = ty.resolved().kind() else { return Ok(None) };
    let record = &reader.records[*id];
    let Some(body) = &record.body else { return Ok(None) };
    let CType::Record(fields) = &body.ctype else { return Ok(None) };
    let placed = reader.layout.record(fields).map_err(|error| reader.abi_fault(at, &error))?;
    for ((member, field), offset) in body.members.iter().zip(fields.fields()).zip(&placed.bit_offsets) {
        if *count >= MAX_MEMBERS {
            break;
        }
        *count += 1;
        let declaration = reader.spell(&member.ty, member.name.as_deref().unwrap_or(""));
        let (declaration, bits) = match field.bits {
            Some(bits) => (format!("{declaration}:{bits}"), bits.into()),
            None => {
                let size = |ty: &CType| reader.layout.layout(ty).map(|layout| layout.size);
                (declaration, 8 * size(&field.ty).map_err(|error| reader.abi_fault(at, &error))?)
            }
        };
        let bit_offset = start + offset;
        let mut inner = Vec::new();
        let record = add_members(reader, &member.ty, at, bit_offset, count, &mut inner)?;
        let bit_field = field.bits.is_some();
        members.push(Member { declaration, bit_offset, bits, bit_field, record, members: inner });
    }
    Ok(Some(record.kind))
}
