//! Numbers of types.

use gusset_program::TypeId;

/// An interned type: one of LLVM's, or one of MLIR's own, which has this bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Ty(pub(super) u32);

pub(super) const OWN: u32 = 1 << 31;

/// `index`.
pub(crate) const INDEX: Ty = Ty(OWN);
/// `none`.
pub(crate) const NONE: Ty = Ty(OWN | 1);

impl Ty {
    /// An LLVM type.
    pub fn of(ty: TypeId) -> Ty {
        Ty(ty.0)
    }

    /// The LLVM type, if it is one.
    #[inline]
    pub fn llvm(self) -> Option<TypeId> {
        (self.0 & OWN == 0).then_some(TypeId(self.0))
    }
}

/// A size, stride or offset that is known only at run time.
pub(crate) const DYNAMIC: i64 = i64::MIN;
