//! The conversion of a foreign operation: what its dialect sees of the operation, and what it builds.

use gusset_abi::AbiTarget;
use gusset_abi::memref::{BuiltinType, TypeConverter};
use gusset_codegen::ir::{Block, Opcode};
use gusset_program::{Cast, Compare, Result, TypeId, TypeTable, Val};

use crate::dialect::descriptor::{ComplexParts, MemrefDescriptor, UnrankedDescriptor};

/// A value with its LLVM type. It is valid in the function where it was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Typed {
    pub(crate) ty: TypeId,
    pub(crate) val: Val,
}

impl Typed {
    /// Its type.
    pub fn ty(self) -> TypeId {
        self.ty
    }
}

/// An operation that its dialect converts or amends, with methods that build the instructions replacing it. Operands
/// and results are numbered from 0.
///
/// Instructions replace the operation, in the order in which they are built, also when the module is translated instead
/// of compiled. Methods that build instructions return an error after a terminator has ended the block.
pub trait Conversion {
    // The operation.

    /// Its name, with its dialect's.
    fn name(&self) -> &str;
    /// The number of operands.
    fn operand_count(&self) -> usize;
    /// The type of an operand in the text.
    ///
    /// # Errors
    /// There is no such operand, or its type is not converted.
    fn operand_type(&self, i: usize) -> Result<BuiltinType>;
    /// An operand as one value: a memref is the struct of its descriptor.
    ///
    /// # Errors
    /// There is no such operand.
    fn operand(&mut self, i: usize) -> Result<Typed>;
    /// An operand as the values of which it consists: the members of a descriptor, the rows of a multi-dimensional
    /// vector, the parts of a complex number; any other operand is a single value.
    ///
    /// # Errors
    /// There is no such operand.
    fn operand_parts(&self, i: usize) -> Result<Vec<Typed>>;
    /// An operand that is a ranked memref. Sizes, strides and the offset that its type knows are constants.
    ///
    /// # Errors
    /// There is no such operand, or it is no ranked memref.
    fn memref(&mut self, i: usize) -> Result<MemrefDescriptor<Typed>>;
    /// An operand that is an unranked memref.
    ///
    /// # Errors
    /// There is no such operand, or it is no unranked memref.
    fn unranked(&self, i: usize) -> Result<UnrankedDescriptor<Typed>>;
    /// An operand that is a complex number.
    ///
    /// # Errors
    /// There is no such operand, or it is no complex number.
    fn complex(&self, i: usize) -> Result<ComplexParts<Typed>>;
    /// The text of an attribute's value, with aliases resolved; empty for an attribute without value.
    fn attribute(&self, name: &str) -> Option<&str>;
    /// An attribute that is an integer or a boolean; 1 for an attribute without value.
    ///
    /// # Errors
    /// The value is something else.
    fn integer_attribute(&self, name: &str) -> Result<Option<i64>>;
    /// The number of results.
    fn result_count(&self) -> usize;
    /// The LLVM type of a result as one value.
    ///
    /// # Errors
    /// There is no such result.
    fn result_type(&self, i: usize) -> Result<TypeId>;
    /// The types of the values of which a result consists, in the order of [`operand_parts`](Self::operand_parts).
    ///
    /// # Errors
    /// There is no such result.
    fn result_parts(&self, i: usize) -> Result<Vec<TypeId>>;
    /// A result of an operation that is amended, or one that has been set.
    ///
    /// # Errors
    /// There is no such result.
    fn result(&mut self, i: usize) -> Result<Typed>;

    // Results.

    /// Sets a result, or replaces it: uses see this value from then on.
    ///
    /// # Errors
    /// There is no such result, an earlier one is missing, or the value does not have its type.
    fn give(&mut self, i: usize, value: Typed) -> Result<()>;
    /// Sets a result by the values of which it consists.
    ///
    /// # Errors
    /// As [`give`](Self::give).
    fn give_parts(&mut self, i: usize, parts: &[Typed]) -> Result<()>;

    /// The descriptor of a memref result whose type determines everything but its address: from the allocated pointer
    /// and the aligned one.
    ///
    /// # Errors
    /// The result is no ranked memref with constant sizes, strides and offset, or the values are no pointers.
    fn static_memref(&mut self, i: usize, allocated: Typed, aligned: Typed) -> Result<MemrefDescriptor<Typed>>;

    // Surroundings.

    /// The conversion of types and of functions' signatures.
    ///
    /// # Errors
    /// `index` has a width for which there are no descriptors.
    fn converter(&self) -> Result<TypeConverter>;
    /// The target.
    fn target(&self) -> &AbiTarget;
    /// The module is translated: calls of intrinsics stay, even of those of other machines.
    fn translates(&self) -> bool;
    /// The types of the module.
    fn types(&self) -> &TypeTable;
    /// The types of the module, which may be extended.
    fn types_mut(&mut self) -> &mut TypeTable;
    /// The integer type of `index`.
    fn index(&self) -> TypeId;

    // Constants.

    /// An integer of an integer type, or in every lane of a vector of integers.
    ///
    /// # Errors
    /// The type is another.
    fn integer(&mut self, ty: TypeId, n: i128) -> Result<Typed>;
    /// A number of a floating-point type, rounded to it, or in every lane of a vector of such numbers.
    ///
    /// # Errors
    /// The type is another.
    fn float(&mut self, ty: TypeId, n: f64) -> Result<Typed>;
    /// Zeros of any type.
    ///
    /// # Errors
    /// There are no values of the type.
    fn zero(&mut self, ty: TypeId) -> Result<Typed>;
    /// A value that must not be used.
    ///
    /// # Errors
    /// There are no values of the type.
    fn poison(&mut self, ty: TypeId) -> Result<Typed>;

    // Instructions.

    /// An operator on two values of a type: integers, floating-point numbers, or vectors of them.
    ///
    /// # Errors
    /// The operator is none of LLVM's binary ones, or does not accept such values.
    fn binary(&mut self, op: Opcode, a: Typed, b: Typed) -> Result<Typed>;
    /// A conversion.
    ///
    /// # Errors
    /// LLVM has no such conversion between these types.
    fn cast(&mut self, cast: Cast, v: Typed, to: TypeId) -> Result<Typed>;
    /// A comparison: an `i1`, or one for each lane.
    ///
    /// # Errors
    /// The operands have different types, or types that cannot be compared so.
    fn compare(&mut self, compare: Compare, a: Typed, b: Typed) -> Result<Typed>;
    /// `condition ? a : b`.
    ///
    /// # Errors
    /// The types do not fit.
    fn select(&mut self, condition: Typed, a: Typed, b: Typed) -> Result<Typed>;
    /// `freeze`.
    ///
    /// # Errors
    /// There are no values of the type.
    fn freeze(&mut self, v: Typed) -> Result<Typed>;
    /// A lane of a vector.
    ///
    /// # Errors
    /// The operand is no vector, or the index no integer.
    fn extract_element(&mut self, v: Typed, index: Typed) -> Result<Typed>;
    /// A vector with one lane replaced.
    ///
    /// # Errors
    /// The operand is no vector of such values, or the index no integer.
    fn insert_element(&mut self, v: Typed, x: Typed, index: Typed) -> Result<Typed>;
    /// Selects lanes of two vectors by number; those of the second are numbered after those of the first. `u32::MAX` is
    /// any lane.
    ///
    /// # Errors
    /// The operands are no vectors of one type, or have no such lane.
    fn shuffle(&mut self, a: Typed, b: Typed, lanes: &[u32]) -> Result<Typed>;
    /// A member of an aggregate, by its path of indexes.
    ///
    /// # Errors
    /// There is no such member.
    fn extract_value(&mut self, v: Typed, path: &[u64]) -> Result<Typed>;
    /// An aggregate with one member replaced.
    ///
    /// # Errors
    /// There is no such member, or it has another type.
    fn insert_value(&mut self, v: Typed, x: Typed, path: &[u64]) -> Result<Typed>;
    /// Allocates `count` values of a type on the stack; returns the address.
    ///
    /// # Errors
    /// The type has no size, or the count is no integer.
    fn alloca(&mut self, ty: TypeId, count: Option<Typed>) -> Result<Typed>;
    /// Loads a value with its type's alignment.
    ///
    /// # Errors
    /// The address is no pointer, or there are no values of the type.
    fn load(&mut self, ty: TypeId, address: Typed) -> Result<Typed>;
    /// Stores a value with its type's alignment.
    ///
    /// # Errors
    /// The address is no pointer.
    fn store(&mut self, v: Typed, address: Typed) -> Result<()>;
    /// The address of the element with an index, from that of the first element.
    ///
    /// # Errors
    /// The base is no pointer, the index no integer, or the type has no size.
    fn address(&mut self, element: TypeId, base: Typed, index: Typed) -> Result<Typed>;
    /// The address of an element of a memref, with one index for each dimension ("Address Computation").
    ///
    /// # Errors
    /// Operand `i` is no ranked memref, or the number of indexes, whose type must be `index`, is not its rank.
    fn element_address(&mut self, i: usize, indices: &[Typed]) -> Result<Typed>;
    /// Allocates `count` elements (an index) by the function that was [chosen](gusset_abi::memref::Allocation), with at
    /// least their type's alignment and `align`; returns the allocated pointer and the aligned one.
    ///
    /// # Errors
    /// The type has no size, or the alignment is neither 0 nor a power of two.
    fn allocate(&mut self, element: TypeId, count: Typed, align: u32) -> Result<[Typed; 2]>;
    /// Frees such memory by its allocated pointer.
    ///
    /// # Errors
    /// The value is no pointer.
    fn deallocate(&mut self, allocated: Typed) -> Result<()>;
    /// A call of LLVM's intrinsic by its name without `llvm.` and without types: `sadd.sat`. Its result has type `ret`;
    /// there is none if that is [`VOID`](gusset_program::VOID).
    ///
    /// # Errors
    /// The intrinsic is not supported, or does not accept these operands.
    fn intrinsic(&mut self, name: &str, ret: TypeId, args: &[Typed]) -> Result<Option<Typed>>;
    /// A call of a function of the module, or of one that the [dialect names](crate::dialect::Dialect::functions), in
    /// C's convention.
    ///
    /// # Errors
    /// There is no such function.
    fn call(&mut self, function: &str, ret: TypeId, args: &[Typed]) -> Result<Option<Typed>>;

    // Blocks.

    /// A new block with parameters of these types, and the parameters.
    ///
    /// # Errors
    /// There are no values of such a type.
    fn block(&mut self, params: &[TypeId]) -> Result<(Block, Vec<Typed>)>;
    /// Ends the current block by a jump to another one, with these arguments.
    ///
    /// # Errors
    /// The arguments do not match the block's parameters.
    fn jump(&mut self, to: Block, args: &[Typed]) -> Result<()>;
    /// Ends the current block by a branch on an `i1`: to the first block if it is true, otherwise to the second.
    /// Neither block may have parameters.
    ///
    /// # Errors
    /// The condition is no `i1`.
    fn branch(&mut self, condition: Typed, then: Block, other: Block) -> Result<()>;
    /// Continues in a block. The code after the operation is in the block that is begun last.
    ///
    /// # Errors
    /// The current block has not ended, or this one was begun before.
    fn start(&mut self, block: Block) -> Result<()>;
}
