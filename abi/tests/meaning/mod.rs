//! Which bits of a value have meaning.

use gusset_abi::*;

/// Of a `long double` no more bytes than these have meaning, if it is x87's.
const X87_BYTES: u64 = 10;

/// Which bits of a value have meaning, byte by byte.
pub fn meaning(layout: &DataLayout, ty: &CType, at: u64, mask: &mut [u8]) {
    let size = layout.layout(ty).unwrap().size;
    match ty {
        CType::Scalar(Scalar::Float(FloatKind::Long)) => mask[at as usize..][..size.min(X87_BYTES) as usize].fill(0xff),
        CType::Complex(Scalar::Float(FloatKind::Long)) => {
            let each = size / 2;
            for part in [at, at + each] {
                mask[part as usize..][..each.min(X87_BYTES) as usize].fill(0xff);
            }
        }
        // What is above its width is not of the value.
        CType::BitInt { bits, .. } => mask[at as usize..][..bits.div_ceil(8) as usize].fill(0xff),
        CType::Array(array) => {
            let each = layout.layout(array.element()).unwrap().size;
            (0..array.len()).for_each(|i| meaning(layout, array.element(), at + i * each, mask));
        }
        CType::Record(record) => {
            let offsets = layout.record(record).unwrap().bit_offsets;
            for (field, offset) in record.fields().iter().zip(offsets) {
                match field.bits {
                    None => meaning(layout, &field.ty, at + offset / 8, mask),
                    Some(bits) if field.named => (offset..offset + u64::from(bits))
                        .for_each(|bit| mask[(at + bit / 8) as usize] |= 1 << (bit % 8)),
                    Some(_) => {}
                }
            }
        }
        _ => mask[at as usize..][..size as usize].fill(0xff),
    }
}
