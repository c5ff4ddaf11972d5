//! Types of LLVM IR as they are spelled.

use crate::error::AbiError;
use crate::layout::DataLayout;
use crate::measure::Layout;
use crate::types::{LlvmScalar, LlvmType, Record};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::{self, Write};

/// A type of LLVM IR as it is spelled. [`LlvmType`] is the same flattened, which is all that conventions ask about.
///
/// Children are shared: cloning is cheap. `Display` spells structs in full.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum IrType {
    /// `void`: only as a result.
    Void,
    /// A scalar: `iN`, a floating-point type or `ptr`.
    Scalar(LlvmScalar),
    /// A fixed vector.
    Vector {
        /// Type of a lane.
        lane: LlvmScalar,
        /// Number of lanes.
        lanes: u32,
    },
    /// An array.
    Array {
        /// Type of an element.
        element: Arc<IrType>,
        /// Number of elements.
        len: u64,
    },
    /// A struct.
    Struct(Arc<IrStruct>),
}

/// A struct type of LLVM IR.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct IrStruct {
    fields: Vec<(u64, IrType)>,
    packed: bool,
    size: u64,
    align: u32,
    record: Option<Arc<Record>>,
}

impl IrStruct {
    /// `{ fields… }`, or `<{ fields… }>` if `packed`.
    ///
    /// # Errors
    /// `void` among the fields, or a size over 2^31 bytes.
    pub fn new(layout: &DataLayout, fields: Vec<IrType>, packed: bool) -> Result<IrStruct, AbiError> {
        let mut whole = IrStruct { fields: Vec::with_capacity(fields.len()), packed, size: 0, align: 1, record: None };
        for field in fields {
            let Layout { size, align } = field.layout(layout)?;
            let align = if packed { 1 } else { align };
            let offset = whole.size.next_multiple_of(align as u64);
            whole.size = layout.check(Layout::new(offset + size, 1))?.size;
            whole.align = whole.align.max(align);
            whole.fields.push((offset, field));
        }
        whole.size = whole.size.next_multiple_of(whole.align as u64);
        Ok(whole)
    }

    pub(crate) fn of_record(self, record: &Arc<Record>) -> IrStruct {
        IrStruct { record: Some(record.clone()), ..self }
    }

    /// The fields in order, each with its offset in bytes.
    pub fn fields(&self) -> &[(u64, IrType)] {
        &self.fields
    }

    /// Whether no field is aligned (`<{…}>`).
    pub fn is_packed(&self) -> bool {
        self.packed
    }

    /// The C record that it is the body of: clang spells such a type by name. Other structs stand for themselves.
    pub fn record(&self) -> Option<&Arc<Record>> {
        self.record.as_ref()
    }

    /// The last field that starts at or before `offset`, as the field and its offset.
    pub(crate) fn at(&self, offset: u64) -> Option<&(u64, IrType)> {
        let after = self.fields.partition_point(|(start, _)| *start <= offset);
        after.checked_sub(1).map(|i| &self.fields[i])
    }
}

/// Names for structs that are the bodies of C records; without, such a struct is spelled in full.
pub(crate) type Names<'a> = dyn Fn(&Record) -> Option<String> + 'a;

impl IrType {
    /// `ptr`.
    pub const PTR: IrType = IrType::Scalar(LlvmScalar::Ptr);

    /// `iN`.
    pub const fn int(bits: u32) -> IrType {
        IrType::Scalar(LlvmScalar::Int(bits))
    }

    /// `[len x element]`.
    pub fn array(element: IrType, len: u64) -> IrType {
        IrType::Array { element: Arc::new(element), len }
    }

    /// `[len x i8]`, or `i8` if it is one byte.
    pub(crate) fn bytes(len: u64) -> IrType {
        if len == 1 { IrType::int(8) } else { IrType::array(IrType::int(8), len) }
    }

    /// The struct `{ fields… }`.
    ///
    /// # Errors
    /// As [`IrStruct::new`].
    pub fn structure(layout: &DataLayout, fields: impl Into<Vec<IrType>>) -> Result<IrType, AbiError> {
        Ok(IrType::Struct(Arc::new(IrStruct::new(layout, fields.into(), false)?)))
    }

    /// Allocation size and alignment.
    ///
    /// # Errors
    /// `void`, impossible widths, or a size over 2^31 bytes.
    pub fn layout(&self, layout: &DataLayout) -> Result<Layout, AbiError> {
        match self {
            IrType::Void => Err(AbiError::ty("void has no size")),
            IrType::Scalar(scalar) => layout.llvm_scalar(*scalar),
            IrType::Vector { lane, lanes } => layout.llvm(&LlvmType::Vector { lane: *lane, lanes: *lanes }),
            IrType::Array { element, len } => {
                let Layout { size, align } = element.layout(layout)?;
                layout.check(Layout::new(size.saturating_mul(*len), align))
            }
            IrType::Struct(body) => Ok(Layout::new(body.size, body.align)),
        }
    }

    /// The type as conventions see it.
    ///
    /// # Errors
    /// As [`IrType::layout`], or more than 65536 scalars.
    pub fn flatten(&self, layout: &DataLayout) -> Result<LlvmType, AbiError> {
        Ok(match self {
            IrType::Void => LlvmType::Void,
            IrType::Scalar(scalar) => LlvmType::Scalar(*scalar),
            IrType::Vector { lane, lanes } => LlvmType::Vector { lane: *lane, lanes: *lanes },
            IrType::Array { element, len } => layout.llvm_array(&element.flatten(layout)?, *len)?,
            IrType::Struct(body) => {
                let members = body.fields.iter().map(|(_, ty)| ty.flatten(layout));
                layout.llvm_struct(&members.collect::<Result<Vec<_>, _>>()?, body.packed)?
            }
        })
    }

    /// Writes the type, structs of C records by the names that `names` has for them.
    pub(crate) fn write(&self, f: &mut dyn Write, names: &Names) -> fmt::Result {
        match self {
            IrType::Void => f.write_str("void"),
            IrType::Scalar(scalar) => write!(f, "{}", Spelled(*scalar)),
            IrType::Vector { lane, lanes } => write!(f, "<{lanes} x {}>", Spelled(*lane)),
            IrType::Array { element, len } => {
                write!(f, "[{len} x ")?;
                element.write(f, names)?;
                f.write_char(']')
            }
            IrType::Struct(body) => match body.record().and_then(|record| names(record)) {
                Some(name) => write_name(f, '%', &name),
                None => body.write_body(f, names),
            },
        }
    }

    /// Calls `each` for every struct of a C record in the type, the inner before the outer.
    pub(crate) fn each_record(&self, each: &mut dyn FnMut(&IrStruct, &Record)) {
        match self {
            IrType::Array { element, .. } => element.each_record(each),
            IrType::Struct(body) => {
                body.fields.iter().for_each(|(_, ty)| ty.each_record(each));
                if let Some(record) = body.record() {
                    each(body, record);
                }
            }
            _ => {}
        }
    }
}

impl IrStruct {
    pub(crate) fn write_body(&self, f: &mut dyn Write, names: &Names) -> fmt::Result {
        let (open, close) = if self.packed { ("<{", "}>") } else { ("{", "}") };
        f.write_str(open)?;
        for (i, (_, ty)) in self.fields.iter().enumerate() {
            f.write_str(if i == 0 { " " } else { ", " })?;
            ty.write(f, names)?;
        }
        f.write_str(if self.fields.is_empty() { "" } else { " " })?;
        f.write_str(close)
    }
}

/// Writes a name of LLVM IR with its sigil, quoted where it must be (LangRef, "Identifiers").
pub(crate) fn write_name(f: &mut dyn Write, sigil: char, name: &str) -> fmt::Result {
    f.write_char(sigil)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '$' | '.' | '_');
    if !name.is_empty() && name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        return f.write_str(name);
    }
    f.write_char('"')?;
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' | 0..0x20 | 0x7f.. => write!(f, "\\{byte:02X}")?,
            _ => f.write_char(byte as char)?,
        }
    }
    f.write_char('"')
}

struct Spelled(LlvmScalar);

impl fmt::Display for Spelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            LlvmScalar::Int(bits) => return write!(f, "i{bits}"),
            LlvmScalar::Half => "half",
            LlvmScalar::BFloat => "bfloat",
            LlvmScalar::Float => "float",
            LlvmScalar::Double => "double",
            LlvmScalar::X86Fp80 => "x86_fp80",
            LlvmScalar::Fp128 => "fp128",
            LlvmScalar::Ptr => "ptr",
        })
    }
}

impl fmt::Display for IrType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &|_| None)
    }
}
