//! The conversion of a foreign operation: what its dialect sees of it, and builds.

use gusset_abi::Target;
use gusset_abi::memref::{BuiltinType, TypeConverter};
use gusset_codegen::ir::{Block, Opcode};
use gusset_program::{Cast, Compare, Result, TypeId, TypeTable, Val};

use crate::dialect::descriptor::{ComplexParts, MemrefDescriptor, UnrankedDescriptor};

/// A value with its type of LLVM. It stays valid in the function where it was made.
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

/// An operation that its dialect converts or amends, and what builds the instructions that it becomes. Operands and results are
/// numbered from 0.
///
/// Instructions stand where the operation does, in the order in which they are built, also when the module is translated instead of
/// compiled. All methods that build some are errors where a terminator has ended the block.
pub trait Conversion {
    // The operation.

    /// Its name, with its dialect's.
    fn name(&self) -> &str;
    /// The number of operands.
    fn operand_count(&self) -> usize;
    /// What the text says that an operand is.
    ///
    /// # Errors
    /// There is none, or its type is not converted.
    fn operand_type(&self, i: usize) -> Result<BuiltinType>;
    /// An operand as one value: a memref is the struct of its descriptor.
    ///
    /// # Errors
    /// There is none.
    fn operand(&mut self, i: usize) -> Result<Typed>;
    /// An operand as the values that it dissolves into: the members of a descriptor, the rows of a vector of several dimensions,
    /// the parts of a complex number; else itself.
    ///
    /// # Errors
    /// There is none.
    fn operand_parts(&self, i: usize) -> Result<Vec<Typed>>;
    /// An operand that is a ranked memref. What its type says of sizes, strides and offset are constants.
    ///
    /// # Errors
    /// There is none, or it is not one.
    fn memref(&mut self, i: usize) -> Result<MemrefDescriptor<Typed>>;
    /// An operand that is an unranked memref.
    ///
    /// # Errors
    /// There is none, or it is not one.
    fn unranked(&self, i: usize) -> Result<UnrankedDescriptor<Typed>>;
    /// An operand that is a complex number.
    ///
    /// # Errors
    /// There is none, or it is not one.
    fn complex(&self, i: usize) -> Result<ComplexParts<Typed>>;
    /// The text of an attribute's value, aliases followed; empty of one without value.
    fn attribute(&self, name: &str) -> Option<&str>;
    /// An attribute that is an integer, or a truth; 1 of one without value.
    ///
    /// # Errors
    /// It is something else.
    fn integer_attribute(&self, name: &str) -> Result<Option<i64>>;
    /// The number of results.
    fn result_count(&self) -> usize;
    /// The type of LLVM that a result has as one value.
    ///
    /// # Errors
    /// There is none.
    fn result_type(&self, i: usize) -> Result<TypeId>;
    /// The types of the values that a result dissolves into, as [`operand_parts`](Self::operand_parts) has them.
    ///
    /// # Errors
    /// There is none.
    fn result_parts(&self, i: usize) -> Result<Vec<TypeId>>;
    /// A result of an operation that is amended, or one that has been given.
    ///
    /// # Errors
    /// There is none.
    fn result(&mut self, i: usize) -> Result<Typed>;

    // What it gives.

    /// Gives a result, or another one for it: from then on uses see this value.
    ///
    /// # Errors
    /// There is no such result, one before it is missing, or the value is not of its type.
    fn give(&mut self, i: usize, value: Typed) -> Result<()>;
    /// The same for a result by the values that it dissolves into.
    ///
    /// # Errors
    /// As [`give`](Self::give).
    fn give_parts(&mut self, i: usize, parts: &[Typed]) -> Result<()>;

    /// The descriptor of a memref result whose type says all but where it is: by the pointer that was allocated, and the aligned
    /// one.
    ///
    /// # Errors
    /// The result is no ranked memref of constant sizes, strides and offset, or these are no pointers.
    fn static_memref(&mut self, i: usize, allocated: Typed, aligned: Typed) -> Result<MemrefDescriptor<Typed>>;

    // Where it stands.

    /// What becomes of types and of functions' signatures.
    ///
    /// # Errors
    /// `index` has a width for which there are no descriptors.
    fn converter(&self) -> Result<TypeConverter>;
    /// The target.
    fn target(&self) -> &Target;
    /// The module is translated: an intrinsic stays a call of it, whatever machine has it.
    fn translates(&self) -> bool;
    /// The types of the module.
    fn types(&self) -> &TypeTable;
    /// The types of the module, to be added to.
    fn types_mut(&mut self) -> &mut TypeTable;
    /// What `index` is.
    fn index(&self) -> TypeId;

    // Constants.

    /// An integer of an integer type, or in every lane of a vector of them.
    ///
    /// # Errors
    /// The type is another.
    fn integer(&mut self, ty: TypeId, n: i128) -> Result<Typed>;
    /// A number of a floating-point type, rounded, or in every lane of a vector of them.
    ///
    /// # Errors
    /// The type is another.
    fn float(&mut self, ty: TypeId, n: f64) -> Result<Typed>;
    /// Zeros of any type.
    ///
    /// # Errors
    /// There are no values of the type.
    fn zero(&mut self, ty: TypeId) -> Result<Typed>;
    /// A value that is not to be looked at.
    ///
    /// # Errors
    /// There are no values of the type.
    fn poison(&mut self, ty: TypeId) -> Result<Typed>;

    // Instructions.

    /// An operator on two values of a type: integers, floating-point numbers, or vectors of them.
    ///
    /// # Errors
    /// The operator is none of LLVM's binary ones or is not for such values.
    fn binary(&mut self, op: Opcode, a: Typed, b: Typed) -> Result<Typed>;
    /// A conversion.
    ///
    /// # Errors
    /// It is not one between these types.
    fn cast(&mut self, cast: Cast, v: Typed, to: TypeId) -> Result<Typed>;
    /// A comparison: an `i1`, or one for each lane.
    ///
    /// # Errors
    /// The operands are of different types, or not of those that it compares.
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
    /// A vector with another value in a lane.
    ///
    /// # Errors
    /// The operand is no vector of such values, or the index no integer.
    fn insert_element(&mut self, v: Typed, x: Typed, index: Typed) -> Result<Typed>;
    /// Lanes of two vectors by their numbers, those of the second one behind those of the first; `u32::MAX` is any.
    ///
    /// # Errors
    /// The operands are no vectors of one type, or have no such lane.
    fn shuffle(&mut self, a: Typed, b: Typed, lanes: &[u32]) -> Result<Typed>;
    /// A member of an aggregate, by the numbers on the way to it.
    ///
    /// # Errors
    /// There is none.
    fn extract_value(&mut self, v: Typed, path: &[u64]) -> Result<Typed>;
    /// An aggregate with another value in a member.
    ///
    /// # Errors
    /// There is no such member, or it is of another type.
    fn insert_value(&mut self, v: Typed, x: Typed, path: &[u64]) -> Result<Typed>;
    /// Room on the stack for so many values of a type: its address.
    ///
    /// # Errors
    /// The type has no size; the number is no integer.
    fn alloca(&mut self, ty: TypeId, count: Option<Typed>) -> Result<Typed>;
    /// A value in memory, aligned as its type is.
    ///
    /// # Errors
    /// The address is no pointer, or there are no values of the type.
    fn load(&mut self, ty: TypeId, address: Typed) -> Result<Typed>;
    /// Stores a value, aligned as its type is.
    ///
    /// # Errors
    /// The address is no pointer.
    fn store(&mut self, v: Typed, address: Typed) -> Result<()>;
    /// The address of an element behind that of the first one.
    ///
    /// # Errors
    /// The base is no pointer, the index no integer, or the type has no size.
    fn address(&mut self, element: TypeId, base: Typed, index: Typed) -> Result<Typed>;
    /// The address of an element of a memref, by an index for each dimension ("Address Computation").
    ///
    /// # Errors
    /// Operand `i` is no ranked memref, or there are not as many indices, of type `index`, as it has dimensions.
    fn element_address(&mut self, i: usize, indices: &[Typed]) -> Result<Typed>;
    /// Memory for so many elements, an index, from the function that was [chosen](gusset_abi::memref::Allocation), aligned as their
    /// type is, and at least so: the pointer that was allocated, and the aligned one.
    ///
    /// # Errors
    /// The type has no size, or the alignment is neither 0 nor a power of two.
    fn allocate(&mut self, element: TypeId, count: Typed, align: u32) -> Result<[Typed; 2]>;
    /// Gives such memory back, by the pointer that was allocated.
    ///
    /// # Errors
    /// It is no pointer.
    fn deallocate(&mut self, allocated: Typed) -> Result<()>;
    /// An intrinsic of LLVM's by its name without `llvm.` and without types: `sadd.sat`. Its result is of type `ret`, which may be
    /// [`VOID`]; then there is none.
    ///
    /// # Errors
    /// The intrinsic is not supported, or not for these operands.
    fn intrinsic(&mut self, name: &str, ret: TypeId, args: &[Typed]) -> Result<Option<Typed>>;
    /// A call of a function of the module or of one that the [dialect names](crate::dialect::Dialect::functions), in C's convention.
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
    /// Ends the block at hand: another one follows, with these arguments.
    ///
    /// # Errors
    /// The arguments are not those of the block.
    fn jump(&mut self, to: Block, args: &[Typed]) -> Result<()>;
    /// Ends the block at hand: the first of the two follows if an `i1` is true, else the second. They have no parameters.
    ///
    /// # Errors
    /// The condition is no `i1`.
    fn branch(&mut self, condition: Typed, then: Block, other: Block) -> Result<()>;
    /// Goes on in a block. What follows the operation stands in the one that is begun last.
    ///
    /// # Errors
    /// The block at hand has not ended, or this one was begun before.
    fn start(&mut self, block: Block) -> Result<()>;
}
