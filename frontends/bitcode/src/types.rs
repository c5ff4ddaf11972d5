//! The table of types (LLVM, "LLVM Bitcode File Format", "TYPE_BLOCK Contents").
//!
//! Types that code cannot have are refused where they are used.

use gusset_program::{
    BF16, F16, F32, F64, F80, F128, Foreign, I64, Kind, LABEL, METADATA, PTR, Refusal, TOKEN, TypeId, TypeTable, VOID,
};
use std::collections::HashMap;

use gusset_text::Result;

use crate::bits::{Bits, Entry};
use crate::codes::{block, types as code};

/// The number of no type.
const NONE: TypeId = TypeId(u32::MAX);

/// A function type; the others are numbers of the table.
#[derive(Debug)]
pub struct FunctionType {
    /// The type of the result.
    pub ret: u32,
    /// The types of the parameters.
    pub params: Vec<u32>,
    /// It takes further arguments.
    pub variadic: bool,
}

/// A type that values do not have.
#[derive(Debug)]
enum Other {
    /// It is one of values.
    Value,
    Function(FunctionType),
    /// It cannot be used, for this reason.
    Refused(String),
}

/// Which constants that are numbers a type has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbers {
    /// It has none.
    None,
    /// Integers of this width, in bits.
    Integers {
        bits: u32,
    },
    Floats,
}

/// The types of a module by their numbers.
#[derive(Debug, Default)]
pub struct Types {
    ids: Vec<TypeId>,
    others: Vec<Other>,
    /// For translation: function types as types by their numbers.
    functions: HashMap<u64, TypeId>,
    /// By type, what numbers of it are.
    numbers: Vec<Numbers>,
    /// By type, what a pointer points to, and its address space, in files from before LLVM 15.
    pointees: Vec<(u32, u32)>,
    /// The numbers of vectors, with those of their lanes.
    lanes: HashMap<u64, u64>,
    /// Types are read for translation.
    pub carries: bool,
}

impl Types {
    /// The type with a number.
    #[inline(always)]
    pub fn get(&self, number: u64) -> std::result::Result<TypeId, Refusal> {
        match self.ids.get(number as usize) {
            Some(&id) if id != NONE => Ok(id),
            _ => Err(self.refusal(number)),
        }
    }

    #[cold]
    fn refusal(&self, number: u64) -> Refusal {
        Refusal::new(match self.others.get(number as usize) {
            Some(Other::Refused(why)) => why.clone(),
            Some(_) => "a function type cannot be the type of a value".into(),
            None if number == u32::MAX.into() => "the type that the pointer points to is not known".into(),
            None => format!("there is no type with the number {number}"),
        })
    }

    /// Which constants that are numbers the type with a number has.
    pub fn numbers(&self, number: u64) -> Numbers {
        self.numbers.get(number as usize).copied().unwrap_or(Numbers::None)
    }

    /// Whether a type is `void`.
    pub fn is_void(&self, number: u64) -> bool {
        self.get(number).is_ok_and(|ty| ty == VOID)
    }

    /// The function type with a number.
    #[inline]
    pub fn function(&self, number: u64) -> std::result::Result<&FunctionType, Refusal> {
        match self.others.get(number as usize) {
            Some(Other::Function(ty)) => Ok(ty),
            _ => Err(Refusal::new(format!("the type with the number {number} is not one of functions"))),
        }
    }

    /// For translation, the function type with a number as a type; any other type is itself.
    pub fn function_id(&self, number: u64) -> std::result::Result<TypeId, Refusal> {
        self.functions.get(&number).map_or_else(|| self.get(number), |&id| Ok(id))
    }

    /// The number of the type that pointers of the type with a number point to, and their address space.
    pub fn pointed(&self, number: u64) -> std::result::Result<(u64, u32), Refusal> {
        match self.pointees.get(number as usize) {
            Some(&(pointee, space)) if pointee != u32::MAX => Ok((pointee.into(), space)),
            _ => {
                Err(Refusal::new(format!("the type with the number {number} does not say what its pointers point to")))
            }
        }
    }

    /// The number of the type that pointers of the type with a number point to, or those in vectors of this type.
    pub fn pointed_lane(&self, number: u64) -> std::result::Result<u64, Refusal> {
        let lane = self.lanes.get(&number).copied().unwrap_or(number);
        self.pointed(lane).map(|pointee| pointee.0)
    }

    /// Reads the block of types whose head is at a bit.
    pub fn read(&mut self, c: &mut Bits<'_>, head: usize, types: &mut TypeTable) -> Result<()> {
        let raw = records(c, head)?;
        self.carries = types.carries();
        // Structs with names may be referred to before they are defined.
        let mut unnamed = 0;
        for record in &raw {
            let named = matches!(record.code, code::OPAQUE | code::STRUCT_NAMED);
            let id = if named { types.opaque() } else { NONE };
            match record.name.as_deref() {
                Some(name) if named => types.set_name(id, name),
                // LLVM's text gives them numbers.
                None if named && self.carries => {
                    types.set_name(id, format!("{unnamed}").as_bytes());
                    unnamed += 1;
                }
                _ => {}
            }
            self.ids.push(id);
            self.others.push(Other::Value);
            let word = |index: usize| record.fields.get(index).and_then(|&word| u32::try_from(word).ok());
            self.numbers.push(match record.code {
                code::INTEGER => Numbers::Integers { bits: word(0).unwrap_or(u32::MAX) },
                code::HALF | code::BFLOAT | code::FLOAT | code::DOUBLE => Numbers::Floats,
                code::X86_FP80 | code::FP128 | code::PPC_FP128 => Numbers::Floats,
                _ => Numbers::None,
            });
            if let (code::VECTOR, &[_, lane, ..]) = (record.code, &record.fields[..]) {
                self.lanes.insert(self.pointees.len() as u64, lane);
            }
            let pointee = word(0).filter(|_| record.code == code::POINTER).unwrap_or(u32::MAX);
            self.pointees.push((pointee, word(1).unwrap_or(0)));
        }
        for (number, record) in raw.iter().enumerate() {
            match self.made(record, types) {
                Ok(Some(id)) => self.ids[number] = id,
                Ok(None) => {}
                Err(why) => self.others[number] = Other::Refused(why.reason()),
            }
            if record.code == code::FUNCTION {
                self.others[number] = function(record).ok_or_else(|| c.error("a function type has no result"))?;
            }
        }
        for (number, record) in raw.iter().enumerate().filter(|(_, record)| record.code == code::STRUCT_NAMED) {
            let done = self.members(&record.fields).and_then(|members| {
                types.define(self.ids[number], &members, record.fields.first().is_some_and(|&packed| packed != 0))
            });
            if let Err(why) = done {
                (self.ids[number], self.others[number]) = (NONE, Other::Refused(why.reason()));
            }
        }
        for number in 0..if self.carries { raw.len() } else { 0 } {
            let Other::Function(function) = &self.others[number] else { continue };
            let types_of = |numbers: &[u32]| numbers.iter().map(|&number| self.get(number.into())).collect();
            let params: gusset_program::Result<Vec<TypeId>> = types_of(&function.params);
            if let (Ok(ret), Ok(params)) = (self.get(function.ret.into()), params) {
                let made = types.foreign_type(Foreign::Function { ret, params, variadic: function.variadic });
                self.functions.extend(made.map(|id| (number as u64, id)));
            }
        }
        Ok(())
    }

    /// A type that only translation takes; an error says its name else.
    fn foreign(types: &mut TypeTable, name: &'static str) -> gusset_program::Result<TypeId> {
        match types.carries() {
            true => types.foreign_type(Foreign::Named(name)),
            false => Err(Refusal::new(format!("the type `{name}` is not supported"))),
        }
    }

    /// The text of a target's type in its parentheses: its name, types and numbers.
    fn target_type(&self, record: &Record, types: &TypeTable) -> Option<Vec<u8>> {
        let (&count, fields) = record.fields.split_first()?;
        let (inner, numbers) = fields.split_at_checked(usize::try_from(count).ok()?)?;
        let mut text = format!("\"{}\"", String::from_utf8_lossy(record.name.as_deref()?));
        for &number in inner {
            text += &format!(", {}", plain_type(self.get(number).ok()?, types)?);
        }
        numbers.iter().for_each(|number| text += &format!(", {number}"));
        Some(text.into_bytes())
    }

    /// The types of a struct's members, whose record begins with another field.
    fn members(&self, fields: &[u64]) -> gusset_program::Result<Vec<TypeId>> {
        fields.iter().skip(1).map(|&number| self.get(number)).collect()
    }

    /// The type of a record, unless it is a function's or a struct with a name.
    fn made(&self, record: &Record, types: &mut TypeTable) -> gusset_program::Result<Option<TypeId>> {
        let field = |index: usize| record.fields.get(index).copied().unwrap_or(0);
        let word = |index: usize| u32::try_from(field(index)).unwrap_or(u32::MAX);
        Ok(Some(match record.code {
            code::VOID => VOID,
            code::FLOAT => F32,
            code::DOUBLE => F64,
            code::LABEL => LABEL,
            code::HALF => F16,
            code::BFLOAT => BF16,
            code::X86_FP80 => F80,
            code::FP128 => F128,
            code::METADATA => METADATA,
            code::TOKEN => TOKEN,
            code::INTEGER => types.integer(word(0))?,
            // A pointer to a type is what a pointer is.
            code::POINTER if field(1) == 0 => PTR,
            code::POINTER => types.pointer_into(word(1))?,
            code::OPAQUE_POINTER if field(0) == 0 => PTR,
            code::OPAQUE_POINTER => types.pointer_into(word(0))?,
            code::ARRAY => {
                let element = self.get(field(1))?;
                types.array(element, field(0))?
            }
            code::VECTOR if field(2) != 0 && types.carries() => {
                let lane = self.get(field(1))?;
                types.foreign_type(Foreign::Scalable { lane, len: word(0) })?
            }
            code::VECTOR if field(2) != 0 => return Err(Refusal::new(gusset_program::refusals::SCALABLE)),
            code::VECTOR => {
                let lane = self.get(field(1))?;
                types.vector(lane, word(0))?
            }
            code::STRUCT_ANON => {
                let members = self.members(&record.fields)?;
                types.structure(&members, field(0) != 0)?
            }
            code::X86_MMX if types.carries() => Self::foreign(types, "x86_mmx")?,
            // As LLVM 20 reads it.
            code::X86_MMX => types.vector(I64, 1)?,
            code::PPC_FP128 => types.double_double()?,
            code::X86_AMX => Self::foreign(types, "x86_amx")?,
            code::TARGET_TYPE if types.carries() => match self.target_type(record, types) {
                Some(text) => types.foreign_type(Foreign::Target(text))?,
                None => return Err(Refusal::new("this type of a target cannot be translated")),
            },
            code::TARGET_TYPE => Self::foreign(types, "target")?,
            code::OPAQUE | code::STRUCT_NAMED | code::FUNCTION => return Ok(None),
            other => return Err(Refusal::new(format!("types with the code {other} are not supported"))),
        }))
    }
}

/// The text of a type without members, or of a vector of such.
fn plain_type(id: TypeId, types: &TypeTable) -> Option<String> {
    Some(match (id, types.foreign(id), types.get(id).kind) {
        (VOID, ..) => "void".into(),
        (PTR, ..) => "ptr".into(),
        (F16, ..) => "half".into(),
        (BF16, ..) => "bfloat".into(),
        (F32, ..) => "float".into(),
        (F64, ..) => "double".into(),
        (_, Some(Foreign::Pointer(space)), _) => format!("ptr addrspace({space})"),
        (_, Some(Foreign::Scalable { lane, len }), _) => format!("<vscale x {len} x {}>", plain_type(*lane, types)?),
        (_, Some(Foreign::Target(text)), _) => format!("target({})", String::from_utf8_lossy(text)),
        (_, None, Kind::Array { element, len }) => format!("[{len} x {}]", plain_type(element, types)?),
        (_, None, Kind::Int) => format!("i{}", types.bits(id)),
        (_, None, Kind::Struct { start, len, packed }) if types.name(id).is_none() => {
            let members = types.members(start, len).iter().map(|member| plain_type(member.ty, types));
            let members = members.collect::<Option<Vec<_>>>()?.join(", ");
            let (open, close) = if packed { ("<{ ", " }>") } else { ("{ ", " }") };
            format!("{open}{members}{close}")
        }
        (_, None, Kind::Vector { lane, len }) => format!("<{len} x {}>", plain_type(lane, types)?),
        _ => return None,
    })
}

/// A record of the table that defines a type.
#[derive(Debug)]
pub struct Record {
    pub code: u64,
    pub fields: Vec<u64>,
    name: Option<Vec<u8>>,
}

fn function(record: &Record) -> Option<Other> {
    let (&variadic, rest) = record.fields.split_first()?;
    let (&ret, params) = rest.split_first()?;
    let number = |&number: &u64| u32::try_from(number).unwrap_or(u32::MAX);
    let params = params.iter().map(number).collect();
    Some(Other::Function(FunctionType { ret: number(&ret), params, variadic: variadic != 0 }))
}

/// The records of the block whose head is at a bit.
pub fn records(c: &mut Bits<'_>, head: usize) -> Result<Vec<Record>> {
    c.enter_at(head, block::TYPE)?;
    let (mut all, mut name) = (Vec::new(), None);
    loop {
        match c.next()? {
            Entry::End => return Ok(all),
            Entry::Block(_) => c.pass_over()?,
            Entry::Record => match c.code {
                code::NUMENTRY => {}
                code::STRUCT_NAME => name = Some(c.text(0)),
                code::FUNCTION_OLD => return Err(c.error("function types from before LLVM 3.0 are not supported")),
                of => {
                    let named = matches!(of, code::OPAQUE | code::STRUCT_NAMED | code::TARGET_TYPE);
                    let name = if named { name.take() } else { None };
                    all.push(Record { code: of, fields: c.record().to_vec(), name });
                }
            },
        }
    }
}
