//! Constants as readers hand them over.

use gusset_codegen::ir::{Opcode, SymbolId};
use gusset_codegen::sparse::SparseBytes;

use crate::module::LocalName;
use crate::types::TypeId;
use crate::value::Val;

/// A constant (LLVM LangRef, "Constants"), which is handed over with its type. Constant expressions are instructions, except
/// [`Binary`](Self::Binary).
///
/// Where code is made, [`Splat`](Self::Splat), [`Vector`](Self::Vector) and [`Aggregate`](Self::Aggregate) accept any values. For
/// values that are not constants they make instructions, or none where aggregates are split into their members.
#[derive(Clone, Copy, Debug)]
pub enum Const<'a> {
    /// An integer of at most 128 bits, truncated to its type. It never fails.
    Integer(i128),
    /// An integer of any width: words of 64 bits, the lowest first; the bits above are zeros, or ones if it is negative. It never fails.
    Wide {
        /// The words.
        words: &'a [u64],
        /// Its sign.
        negative: bool,
    },
    /// A floating-point number by its bits. It never fails.
    Float(u128),
    /// An array of bytes, as long as its type says.
    Bytes(&'a [u8]),
    /// What has these bytes in memory, and zeros after them. Only the contents of variables may be given like this.
    Contents(&'a SparseBytes),
    /// The null pointer. It never fails.
    Null,
    /// `zeroinitializer`.
    Zero,
    /// `undef`.
    Undef,
    /// `poison`.
    Poison,
    /// `none`, the token.
    NoToken,
    /// A vector with the same value in every lane; the type is that of the lane.
    Splat(TypeId, Val),
    /// A vector of these lanes.
    Vector(&'a [Val]),
    /// A struct or array of these members.
    Aggregate(&'a [Val]),
    /// The address of a symbol; of a thread-local one, in the thread that runs.
    Symbol {
        /// The symbol.
        symbol: SymbolId,
        /// It is thread-local.
        tls: bool,
    },
    /// The address of a block of a function.
    BlockAddress {
        /// The function.
        function: SymbolId,
        /// The block's name.
        block: LocalName<'a>,
        /// Its symbol, where code is made.
        symbol: Option<SymbolId>,
    },
    /// `dso_local_equivalent`.
    LocalEquivalent(SymbolId),
    /// `no_cfi`.
    NoCfi(SymbolId),
    /// `ptrauth`: a pointer with its key and whatever else it is signed with.
    Signed(&'a [Val]),
    /// An operator on two constants of the type.
    Binary(Opcode, Val, Val),
}
