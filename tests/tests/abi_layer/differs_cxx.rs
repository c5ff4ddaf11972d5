//! What judges do otherwise with classes of C++: see the tables at the heads of the conventions' sources.

use crate::signature::Call;
use gusset_abi::{CType, DataLayout};

/// Whether a class has nothing but empty classes in it.
fn is_empty(ty: &CType) -> bool {
    match ty {
        CType::Record(record) => {
            record.fields().iter().all(|f| if f.bits.is_some() { !f.named } else { is_empty(&f.ty) })
        }
        CType::Array(array) => array.is_empty() || is_empty(array.element()),
        _ => false,
    }
}

/// GCC 12 on x86-64: an empty class aligned to more than 16 bytes does not travel.
pub fn gcc_large_empty(layout: &DataLayout, call: &Call) -> bool {
    call.all().any(|(named, _)| is_empty(&named.ty) && layout.layout(&named.ty).is_ok_and(|l| l.size > 16))
}

/// GCC 12 for Windows: no empty class travels, though Microsoft's does.
pub fn gcc_empty(_: &DataLayout, call: &Call) -> bool {
    call.all().any(|(named, _)| is_empty(&named.ty))
}
