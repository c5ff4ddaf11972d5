//! The classes of the psABI's x86-64 supplement (section 3.2.3, "Classification"), as in the document and as in clang.

use crate::layout::Placed;
use crate::prelude::*;

/// psABI, section 3.2.3: the classes of an eightbyte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    None,
    Integer,
    Sse,
    SseUp,
    X87,
    X87Up,
    ComplexX87,
    Memory,
}

const CLASSES: [Class; 8] =
    [Class::None, Class::Integer, Class::Sse, Class::SseUp, Class::X87, Class::X87Up, Class::ComplexX87, Class::Memory];

/// The classes of a value's first eightbyte and of the rest: only single vectors have more than two eightbytes.
pub(crate) type Classes = [Class; 2];

const MEMORY: Classes = [Class::Memory, Class::None];

/// psABI, section 3.2.3, "Classification", rule 4.
fn merge(a: Class, b: Class) -> Class {
    match (a, b) {
        _ if a == b => a,
        (Class::None, other) | (other, Class::None) => other,
        (Class::Memory, _) | (_, Class::Memory) => Class::Memory,
        (Class::Integer, _) | (_, Class::Integer) => Class::Integer,
        (Class::X87 | Class::X87Up | Class::ComplexX87, _) | (_, Class::X87 | Class::X87Up | Class::ComplexX87) => {
            Class::Memory
        }
        _ => Class::Sse,
    }
}

/// Where compilers and revisions of the document classify differently: one value for each of them.
#[derive(Clone, Copy)]
pub(crate) struct Dialect {
    /// The number of the dialect in what a record caches; 1 is added for named arguments.
    number: u8,
    /// Records with a flexible array are in memory.
    flexible_in_memory: bool,
    /// Members and elements of size zero have a class, and keep a vector from filling a record.
    sizeless_count: bool,
    /// An array wider than a register leaves the class to a union's other members; otherwise it is in memory.
    wide_arrays_yield: bool,
    /// Unions of more than 16 bytes are in memory if no member fills them.
    unfilled_in_memory: bool,
    /// Vectors of one 64-bit integer are integers.
    pub(crate) lone_long_is_integer: bool,
    /// Vectors of 128-bit integers wider than 16 bytes are in memory.
    pub(crate) wide_int_vectors_in_memory: bool,
    /// X87UP after another class does not put a value into memory.
    x87_up_anywhere: bool,
}

impl Dialect {
    /// The document, read as the table at the head of [`sysv`](super::sysv) says.
    pub(crate) const PSABI: Dialect = Dialect {
        number: 0,
        flexible_in_memory: false,
        sizeless_count: false,
        wide_arrays_yield: false,
        unfilled_in_memory: true,
        lone_long_is_integer: false,
        wide_int_vectors_in_memory: false,
        x87_up_anywhere: false,
    };

    /// clang's.
    const CLANG: Dialect = Dialect {
        number: 4,
        flexible_in_memory: true,
        sizeless_count: true,
        wide_arrays_yield: true,
        unfilled_in_memory: false,
        ..Dialect::PSABI
    };

    /// clang's dialect on a system. Linux and NetBSD keep wide vectors of 128-bit integers in memory, as GCC does;
    /// Darwin and FreeBSD pass `<1 x long long>` as old versions of clang did; Darwin follows an older revision of the
    /// document.
    pub(crate) fn clang(os: Os) -> Dialect {
        Dialect {
            lone_long_is_integer: matches!(os, Os::Darwin | Os::Bsd),
            wide_int_vectors_in_memory: matches!(os, Os::Linux | Os::NetBsd),
            x87_up_anywhere: os == Os::Darwin,
            ..Dialect::CLANG
        }
    }
}

/// psABI, section 3.2.3, "Classification".
pub(crate) struct Classifier {
    pub(crate) layout: DataLayout,
    pub(crate) dialect: Dialect,
    /// Widest vector register in bytes.
    pub(crate) vector_bytes: u64,
    /// Unnamed arguments of variadic calls never use ymm or zmm (psABI, section 3.2.3, "Passing", note on `...`).
    pub(crate) named: bool,
}

impl Classifier {
    pub(crate) fn new(target: &AbiTarget, dialect: Dialect, named: bool) -> Classifier {
        let vector_bytes = target.features.vector_bytes.max(16) as u64;
        Classifier { layout: DataLayout::new(target), dialect, vector_bytes, named }
    }

    /// The classes of a whole argument or result of `size` bytes; those of a record are cached in it.
    pub(crate) fn whole(&self, ty: &CType, size: u64) -> Result<Classes, AbiError> {
        let CType::Record(record) = ty else { return self.classify(ty, size, 0) };
        let (key, rules) = (self.layout.key(), self.dialect.number + u8::from(self.named));
        if let Some(known) = record.memo().classes(key, rules) {
            return Ok([CLASSES[known as usize & 7], CLASSES[known as usize >> 3 & 7]]);
        }
        let classes = self.record(ty, record, 0, size)?;
        record.memo().set_classes(key, rules, classes[0] as u16 | (classes[1] as u16) << 3);
        Ok(classes)
    }

    /// The classes of `ty`, of `size` bytes, found at `offset` bytes into the argument.
    fn classify(&self, ty: &CType, size: u64, offset: u64) -> Result<Classes, AbiError> {
        // One class for all eightbytes that `bytes` at `offset` touch.
        let spread = |class: Class, bytes: u64| {
            let (first, last) = (offset / 8, (offset + bytes - 1) / 8);
            match (first, last) {
                (0, 0) => [class, Class::None],
                (0, _) => [class, class],
                _ => [Class::None, class],
            }
        };
        Ok(match ty {
            CType::Void => [Class::None; 2],
            CType::Scalar(scalar) => self.scalar(*scalar, size, &spread),
            CType::BitInt { bits, .. } if *bits > 128 => MEMORY,
            CType::BitInt { .. } => spread(Class::Integer, size),
            CType::Complex(Scalar::Float(FloatKind::Long)) if size == 32 => [Class::ComplexX87, Class::None],
            CType::Complex(Scalar::Float(FloatKind::F128)) => MEMORY,
            // psABI, section 3.2.3: classified like a struct of its two parts.
            CType::Complex(Scalar::Float(_)) => spread(Class::Sse, size),
            CType::Complex(_) if size > 16 => MEMORY,
            CType::Complex(_) => spread(Class::Integer, size),
            CType::Vector { lane, .. } => match size {
                // MMX-sized and smaller vectors as the compilers pass them; psABI, section 3.2.3, on __m64.
                1 | 2 | 4 => spread(Class::Integer, size),
                8 if *lane == Scalar::Float(FloatKind::F64) => MEMORY,
                8 if self.dialect.lone_long_is_integer && matches!(lane, Scalar::Int { bits: 64, .. }) => {
                    spread(Class::Integer, size)
                }
                8 => spread(Class::Sse, size),
                16 => [Class::Sse, Class::SseUp],
                _ if self.wide_int_in_memory(*lane) => MEMORY,
                _ if self.named && size <= self.vector_bytes => [Class::Sse, Class::SseUp],
                _ => MEMORY,
            },
            CType::Array(array) => self.array(array.element(), array.len(), offset, size)?,
            CType::Record(record) => self.record(ty, record, offset, size)?,
        })
    }

    /// Are wide vectors of these lanes in memory, whatever registers there are?
    pub(crate) fn wide_int_in_memory(&self, lane: Scalar) -> bool {
        self.dialect.wide_int_vectors_in_memory && matches!(lane, Scalar::Int { bits: 128, .. })
    }

    /// Rule 5 of aggregates, for a value of `size` bytes.
    fn merge_whole(&self, [lo, hi]: Classes, size: u64) -> Classes {
        if lo == Class::Memory
            || hi == Class::Memory
            || (hi == Class::X87Up && lo != Class::X87 && !self.dialect.x87_up_anywhere)
            || (size > 16 && (lo != Class::Sse || hi != Class::SseUp))
        {
            return MEMORY;
        }
        [lo, if hi == Class::SseUp && lo != Class::Sse { Class::Sse } else { hi }]
    }

    fn scalar(&self, scalar: Scalar, size: u64, spread: &impl Fn(Class, u64) -> Classes) -> Classes {
        match scalar {
            Scalar::Bool | Scalar::Int { .. } | Scalar::Pointer => spread(Class::Integer, size),
            Scalar::Float(FloatKind::Long) if size == 16 => [Class::X87, Class::X87Up],
            Scalar::Float(FloatKind::F128) => [Class::Sse, Class::SseUp],
            Scalar::Float(_) => spread(Class::Sse, size),
        }
    }

    fn array(&self, element: &CType, len: u64, offset: u64, size: u64) -> Result<Classes, AbiError> {
        let each = self.layout.layout(element)?;
        if !offset.is_multiple_of(each.align as u64) || size > 64 {
            return Ok(MEMORY);
        }
        if size > 16 && (size != each.size || size > self.vector_bytes) {
            return Ok(if self.dialect.wide_arrays_yield { [Class::None; 2] } else { MEMORY });
        }
        let mut classes = [Class::None; 2];
        // Elements of size zero are all at the same place.
        let sizeless = if self.dialect.sizeless_count { len.min(1) } else { 0 };
        for i in 0..if each.size == 0 { sizeless } else { len } {
            let [lo, hi] = self.classify(element, each.size, offset + i * each.size)?;
            classes = [merge(classes[0], lo), merge(classes[1], hi)];
            if classes.contains(&Class::Memory) {
                break;
            }
        }
        Ok(self.merge_whole(classes, size))
    }

    /// Rules 1 to 5 of aggregates.
    fn record(&self, ty: &CType, record: &Record, offset: u64, size: u64) -> Result<Classes, AbiError> {
        let flexible = self.dialect.flexible_in_memory && ty.has_flexible_array();
        if size > 64 || record.is_non_trivial() || flexible {
            return Ok(MEMORY);
        }
        let mut classes = [Class::None; 2];
        // Rule 5 wants every eightbyte but the first to be SSEUP, if there are more than two: one vector has to fill
        // them all.
        let mut filled = size <= 16 || !self.dialect.unfilled_in_memory;
        for member in self.layout.members(record)? {
            let Placed { field, bit_offset, layout: member } = member?;
            let bit_offset = 8 * offset + bit_offset;
            let [lo, hi] = if let Some(bits) = field.bits {
                if !field.named || bits == 0 {
                    continue;
                }
                // A bit-field has the class of the eightbytes that its bits touch.
                let (first, last) = (bit_offset / 64, (bit_offset + bits as u64 - 1) / 64);
                [
                    if first == 0 { Class::Integer } else { Class::None },
                    if last != 0 { Class::Integer } else { Class::None },
                ]
            } else {
                filled |= member.size == size;
                let nothing = member.size == 0 && !self.dialect.sizeless_count;
                let fills = size <= self.vector_bytes && (record.kind() == RecordKind::Union || member.size == size);
                let fits = size <= 16 || nothing || fills;
                let at = bit_offset / 8;
                // clang looks into bases, wherever they are.
                if !field.is_base() && (!at.is_multiple_of(member.align as u64) || !fits) {
                    return Ok(MEMORY);
                }
                if nothing {
                    continue;
                }
                self.classify(&field.ty, member.size, at)?
            };
            classes = [merge(classes[0], lo), merge(classes[1], hi)];
            if classes.contains(&Class::Memory) {
                break;
            }
        }
        Ok(if filled { self.merge_whole(classes, size) } else { MEMORY })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_classes_name_them() {
        assert!(CLASSES.iter().enumerate().all(|(number, class)| *class as usize == number));
    }
}
