//! MLIR's built-in types, as far as they can be arguments and results of functions that become LLVM's.

use crate::error::AbiError;
use crate::types::{LlvmScalar, LlvmType};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A scalar type, also of a vector's lane or a part of a complex number. An example is at [`memref`](crate::memref).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Lane {
    /// A scalar type that LLVM has, too. In C, integers without a sign (`i32`) are signed.
    Llvm(LlvmScalar),
    /// `siN`: `iN` of LLVM.
    Signed(u32),
    /// `uiN`: `iN` in LLVM, unsigned in C.
    Unsigned(u32),
    /// A floating-point number of eight bits: `i8` in LLVM, an unsigned integer in C.
    Float8(Float8),
    /// `index`.
    Index,
}

/// A floating-point format of eight bits, named by the bits of exponent and fraction. `Fn` has no infinities, `Uz` no
/// negative zero.
///
/// An example is at [`memref`](crate::memref).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Float8 {
    /// `f8E5M2`.
    E5M2,
    /// `f8E4M3`.
    E4M3,
    /// `f8E4M3FN`.
    E4M3Fn,
    /// `f8E5M2FNUZ`.
    E5M2FnUz,
    /// `f8E4M3FNUZ`.
    E4M3FnUz,
    /// `f8E4M3B11FNUZ`, whose exponent has the bias 11.
    E4M3B11FnUz,
    /// `f8E3M4`.
    E3M4,
    /// `f8E8M0FNU`: an exponent alone.
    E8M0FnU,
}

impl Float8 {
    /// All of them.
    pub const ALL: [Float8; 8] = [
        Float8::E5M2,
        Float8::E4M3,
        Float8::E4M3Fn,
        Float8::E5M2FnUz,
        Float8::E4M3FnUz,
        Float8::E4M3B11FnUz,
        Float8::E3M4,
        Float8::E8M0FnU,
    ];

    /// As MLIR has it.
    pub const fn name(self) -> &'static str {
        match self {
            Float8::E5M2 => "f8E5M2",
            Float8::E4M3 => "f8E4M3",
            Float8::E4M3Fn => "f8E4M3FN",
            Float8::E5M2FnUz => "f8E5M2FNUZ",
            Float8::E4M3FnUz => "f8E4M3FNUZ",
            Float8::E4M3B11FnUz => "f8E4M3B11FNUZ",
            Float8::E3M4 => "f8E3M4",
            Float8::E8M0FnU => "f8E8M0FNU",
        }
    }

    /// The one of a name.
    pub fn of(name: &str) -> Option<Float8> {
        Float8::ALL.into_iter().find(|known| known.name() == name)
    }
}

/// A type of MLIR's built-in dialect, or one of LLVM's.
///
/// Tensors, tuples and scalable vectors are missing: they cannot be converted.
///
/// An example is at [`memref`](crate::memref).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum BuiltinType {
    /// A number or pointer.
    Lane(Lane),
    /// `vector<…>`, with the sizes from the outermost dimension on. Without dimensions it has one lane.
    Vector {
        /// Type of a lane.
        lane: Lane,
        /// Extents.
        shape: Vec<u32>,
    },
    /// `complex<…>`.
    Complex(Lane),
    /// A function type: a pointer to such a function.
    Function,
    /// An LLVM type, such as `!llvm.struct<…>`.
    Llvm(LlvmType),
    /// A ranked memref.
    Memref(Arc<Memref>),
    /// `memref<*x…>` with these elements.
    Unranked(Arc<BuiltinType>),
}

impl BuiltinType {
    /// A scalar type that LLVM has, too.
    pub const fn scalar(scalar: LlvmScalar) -> BuiltinType {
        BuiltinType::Lane(Lane::Llvm(scalar))
    }

    /// `iN`.
    pub const fn int(bits: u32) -> BuiltinType {
        BuiltinType::scalar(LlvmScalar::Int(bits))
    }

    /// `index`.
    pub const INDEX: BuiltinType = BuiltinType::Lane(Lane::Index);

    /// A ranked memref.
    pub fn memref(memref: Memref) -> BuiltinType {
        BuiltinType::Memref(Arc::new(memref))
    }

    /// `memref<*x element>`.
    pub fn unranked(element: BuiltinType) -> BuiltinType {
        BuiltinType::Unranked(Arc::new(element))
    }
}

/// A ranked memref type in strided form. The memory space does not affect the convention. An example is at [`memref`](crate::memref).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Memref {
    element: BuiltinType,
    sizes: Vec<Option<u64>>,
    strides: Vec<Option<i64>>,
    offset: Option<i64>,
}

impl Memref {
    /// A memref without a layout: row-major, from the buffer's first element on. A size of `None` is dynamic (`?`), and
    /// so is a stride that does not fit 64 bits.
    pub fn identity(element: BuiltinType, sizes: Vec<Option<u64>>) -> Memref {
        let mut strides = alloc::vec![None; sizes.len()];
        let mut product = Some(1i64);
        for (stride, size) in strides.iter_mut().zip(&sizes).rev() {
            *stride = product;
            product = product.and_then(|n| n.checked_mul(i64::try_from((*size)?).ok()?));
        }
        Memref { element, sizes, strides, offset: Some(0) }
    }

    /// A memref with `strided<[strides], offset: offset>`, in elements; `None` is dynamic.
    ///
    /// # Errors
    /// A stride too many or too few.
    pub fn strided(
        element: BuiltinType,
        sizes: Vec<Option<u64>>,
        strides: Vec<Option<i64>>,
        offset: Option<i64>,
    ) -> Result<Memref, AbiError> {
        if sizes.len() != strides.len() {
            return Err(AbiError::ty(alloc::format!(
                "a memref of rank {} with {} strides",
                sizes.len(),
                strides.len()
            )));
        }
        Ok(Memref { element, sizes, strides, offset })
    }

    /// Type of an element.
    pub fn element(&self) -> &BuiltinType {
        &self.element
    }

    /// Number of dimensions.
    pub fn rank(&self) -> u32 {
        self.sizes.len() as u32
    }

    /// Sizes in elements, from the outermost dimension on; `None` is dynamic.
    pub fn sizes(&self) -> &[Option<u64>] {
        &self.sizes
    }

    /// Distances in elements between neighbours in each dimension; `None` is dynamic.
    pub fn strides(&self) -> &[Option<i64>] {
        &self.strides
    }

    /// Number of elements before the first; `None` is dynamic.
    pub fn offset(&self) -> Option<i64> {
        self.offset
    }

    /// The first thing that the type leaves to run time, as a phrase.
    pub(crate) fn dynamic(&self) -> Option<alloc::string::String> {
        let of = |what: &str, unknown: Option<usize>| unknown.map(|k| alloc::format!("{what} in dimension {k}"));
        of("size", self.sizes.iter().position(Option::is_none))
            .or_else(|| of("stride", self.strides.iter().position(Option::is_none)))
            .or_else(|| self.offset.is_none().then(|| "offset".into()))
    }
}

/// The type of a function: `func.func @f(args) -> (results)`. An example is at [`memref`](crate::memref).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct FunctionType {
    /// Types of the arguments in order.
    pub args: Vec<BuiltinType>,
    /// Types of the results in order.
    pub results: Vec<BuiltinType>,
    /// Whether more arguments may follow (`func.varargs`).
    pub variadic: bool,
}
