//! Descriptors of memrefs as values: their members, their construction, addresses of elements.
//!
//! "LLVM IR Target", "Ranked MemRef Types", "Address Computation".

use gusset_abi::memref::TypeConverter;
use gusset_codegen::ir::Opcode;
use gusset_program::{Index, PTR, Sink, TypeId, Val};
use gusset_text::{Placed, Result};

use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::dialect::{MemrefDescriptor, UnrankedDescriptor};
use crate::syntax::op::Value;
use crate::syntax::types::layout::Memref as MemrefType;
use crate::syntax::types::{DYNAMIC, INDEX, Ty};

const RANKED: &str = "a ranked memref must stand here";

/// The members of a ranked memref's descriptor.
pub(crate) type Fields = MemrefDescriptor<Val>;

impl<'r, E: Sink> Reader<'r, E> {
    /// The memref type of a value.
    pub fn memref_type(&self, v: Value, pos: usize) -> Result<MemrefType> {
        let m = self.t.memref(v.ty).cloned();
        m.ok_or_else(|| self.src.error(pos, RANKED))
    }

    /// The descriptor of a value; members that its type knows are constants.
    pub fn fields(&mut self, v: Value, pos: usize) -> Result<Fields> {
        let m = self.memref_type(v, pos)?;
        let found = MemrefDescriptor::unpack(self.parts(v)).ok_or_else(|| self.src.error(pos, RANKED))?;
        Ok(self.known_fields(&m, found))
    }

    /// A descriptor in which members that a type knows are constants.
    fn known_fields(&mut self, m: &MemrefType, mut d: Fields) -> Fields {
        let numbers = [m.offset].into_iter().chain(m.sizes.iter().copied()).chain(m.strides.iter().copied());
        let values = [&mut d.offset].into_iter().chain(&mut d.sizes).chain(&mut d.strides);
        for (n, v) in numbers.zip(values).filter(|member| member.0 != DYNAMIC) {
            *v = self.index(n);
        }
        d
    }

    /// The descriptor of a memref whose type determines everything but its address ("fromStaticShape" of MLIR's
    /// `MemRefDescriptor`).
    pub fn static_fields(&mut self, ty: Ty, [allocated, aligned]: [Val; 2], pos: usize) -> Result<Fields> {
        let m = self.t.memref(ty).filter(|m| m.is_static()).cloned();
        let m = m.ok_or_else(|| self.src.error(pos, "sizes and strides of this memref are not all in its type"))?;
        let (sizes, strides) = (vec![aligned; m.rank()], vec![aligned; m.rank()]);
        Ok(self.known_fields(&m, Fields { allocated, aligned, offset: aligned, sizes, strides }))
    }

    /// A value of a memref type with these fields, except those that the type knows.
    pub fn describe(&mut self, ty: Ty, f: &Fields, pos: usize) -> Result<Value> {
        let m = self.t.memref(ty).cloned().ok_or_else(|| self.src.error(pos, RANKED))?;
        let fits = f.sizes.len() == m.rank() && f.strides.len() == m.rank();
        self.src.refuse_if(!fits, pos, "the memref's type has another number of dimensions")?;
        let known = self.known_fields(&m, f.clone());
        Ok(self.value(ty, &known.pack()))
    }

    /// The type of elements in memory, and their memory space.
    pub fn element_type(&self, m: &MemrefType, pos: usize) -> Result<TypeId> {
        self.check(m.element, pos)?;
        Ok(self.t.whole(m.element))
    }

    /// The address of an element: the aligned pointer, the offset, and each index multiplied by its stride (in
    /// row-major order).
    pub fn element_address(&mut self, v: Value, indices: &[Value], pos: usize) -> Result<(Ty, Val)> {
        let m = self.t.memref(v.ty).ok_or_else(|| self.src.error(pos, RANKED))?;
        let (rank, element, offset) = (m.rank(), m.element, m.offset);
        self.src.refuse_if(indices.len() != rank, pos, "there are not as many indices as dimensions")?;
        let known = |r: &mut Self, n: i64, part: usize| if n == DYNAMIC { r.part(v, part) } else { r.index(n) };
        let mut sum = known(self, offset, Fields::OFFSET);
        for (k, &i) in indices.iter().enumerate() {
            self.src.refuse_if(i.ty != INDEX, pos, "an index must be of type `index`")?;
            let stride = self.t.memref(v.ty).map_or(DYNAMIC, |m| m.strides[k]);
            let (i, stride) = (self.one(i), known(self, stride, Fields::stride_member(rank, k)));
            let step = self.index_op(Opcode::Imul, i, stride, pos)?;
            sum = self.index_op(Opcode::Iadd, sum, step, pos)?;
        }
        self.check(element, pos)?;
        let (aligned, id) = (self.part(v, Fields::ALIGNED), self.t.whole(element));
        Ok((element, self.at_index(aligned, id, sum, pos)?))
    }

    /// `pointer + index` elements.
    pub fn at_index(&mut self, pointer: Val, element: TypeId, index: Val, pos: usize) -> Result<Val> {
        if self.l.int_constant(index) == Some(0) {
            return Ok(pointer);
        }
        let ty = self.t.index;
        let index = Index::Value(ty, index);
        Ok(self.l.element_address(element, (PTR, pointer), index).at(self.src, pos)?.1)
    }

    /// The memref type of a type.
    pub fn memref_of(&self, ty: Ty, pos: usize) -> Result<MemrefType> {
        let m = self.t.memref(ty).cloned();
        m.ok_or_else(|| self.src.error(pos, "the type must be that of a ranked memref"))
    }

    /// The members of an unranked memref.
    pub fn unranked_fields(&self, v: Value) -> UnrankedDescriptor<Val> {
        UnrankedDescriptor { rank: self.part(v, 0), descriptor: self.part(v, 1) }
    }

    /// Bytes of a descriptor with this number of dimensions: two pointers, the offset, sizes and strides.
    pub fn descriptor_bytes(&mut self, rank: Val, pos: usize) -> Result<Val> {
        let index_bits = self.l.types().ir(self.t.index).bits();
        let converter = TypeConverter::with_index_bits(&self.m.facts.target, index_bits);
        let size = converter.map_err(|e| self.src.error(pos, e.to_string()))?.unranked().copy_size();
        let (each, fixed) = (self.index(size.per_rank as i64), self.index(size.base as i64));
        let lists = self.index_op(Opcode::Imul, rank, each, pos)?;
        self.index_op(Opcode::Iadd, lists, fixed, pos)
    }
}
