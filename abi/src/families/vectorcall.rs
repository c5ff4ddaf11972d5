//! `__vectorcall` of both widths of x86: what a homogeneous aggregate is, and which vector registers it gets.

use crate::homogeneous::{Homogeneity, Homogeneous};
use crate::prelude::*;

/// MS, "`__vectorcall`", "Definitions": floating-point numbers and vectors.
pub(crate) fn is_member(ty: &CType, layout: Layout) -> bool {
    match ty {
        CType::Scalar(Scalar::Float(FloatKind::Long)) => layout.size == 8,
        CType::Scalar(Scalar::Float(_)) => true,
        CType::Vector { .. } => matches!(layout.size, 16 | 32 | 64),
        _ => false,
    }
}

/// The same of 32-bit x86.
pub(crate) fn is_short_member(ty: &CType, layout: Layout) -> bool {
    *ty != CType::F128 && is_member(ty, layout)
}

/// MS, "`__vectorcall`", "Definitions": aggregates of up to four equal ones, and single ones.
pub(crate) fn homogeneous(
    layout: &DataLayout,
    is_base: fn(&CType, Layout) -> bool,
    ty: &CType,
) -> Result<Option<Homogeneous>, AbiError> {
    // clang: in C++ they do not count.
    let zero_bit_fields = matches!(ty, CType::Record(record) if record.language() == Language::Cxx);
    let found = Homogeneity { layout, is_base, zero_bit_fields }.of(ty)?;
    if let Some(found) = found {
        check_vector(layout, found.size.into())?;
    }
    Ok(found)
}

/// Refuses a vector that no enabled register holds.
pub(crate) fn check_vector(layout: &DataLayout, size: u64) -> Result<(), AbiError> {
    if size > u64::from(layout.target().features.vector_bytes.max(16)) {
        return Err(AbiError::ty(alloc::format!("a vector of {size} bytes, wider than the enabled registers")));
    }
    Ok(())
}

/// Homogeneous aggregates with the indices of their parameters. They get the vector registers that all others leave
/// free.
#[derive(Default)]
pub(crate) struct Waiting(Vec<(usize, Pieces)>);

impl Waiting {
    pub(crate) fn push(&mut self, index: usize, pieces: Pieces) {
        self.0.push((index, pieces));
    }

    /// Gives them those of xmm0 to xmm5 that are not `filled`, in order.
    pub(crate) fn place(self, filled: u32, args: &mut [ArgAbi]) -> Result<(), AbiError> {
        let mut free = (0..6).filter(|num| filled >> num & 1 == 0);
        for (index, mut pieces) in self.0 {
            for piece in pieces.iter_mut() {
                let none = || AbiError::new(Subject::Param(index), "no vector registers are left for it");
                piece.place = Place::Reg(Reg::float(free.next().ok_or_else(none)?));
            }
            args[index].mode = PassMode::Direct(pieces);
        }
        Ok(())
    }
}
