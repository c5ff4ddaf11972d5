//! Sizes, alignments and offsets of LLVM's types.

use super::{DataLayout, MAX_INT_BITS};
use crate::error::AbiError;
use crate::measure::Layout;
use crate::target::{Arch, Env, Os};
use crate::types::{Aggregate, Form, Leaf, LlvmScalar, LlvmType};
use alloc::vec::Vec;

/// No first-class aggregate has more scalars than this.
const MAX_LEAVES: u64 = 1 << 16;

impl DataLayout {
    /// Allocation size and alignment of an LLVM scalar (LangRef, "Data Layout", and the target's own string).
    ///
    /// # Errors
    /// An integer of 0 or more than 2^23 bits.
    pub fn llvm_scalar(&self, scalar: LlvmScalar) -> Result<Layout, AbiError> {
        let pointer = self.target.pointer_bytes();
        Ok(match scalar {
            LlvmScalar::Int(bits) => {
                if bits == 0 || bits > MAX_INT_BITS {
                    return Err(AbiError::ty(alloc::format!("i{bits} does not exist")));
                }
                let bytes = bits.div_ceil(8);
                let align = match bytes.next_power_of_two() {
                    small @ 1..=4 => small,
                    8 => self.align_of_64(),
                    // The data layout of ARM knows no integers beyond 64 bits.
                    _ if self.target.arch == Arch::Arm => 8,
                    _ => 16,
                };
                Layout::new(bytes.next_multiple_of(align) as u64, align)
            }
            LlvmScalar::Half | LlvmScalar::BFloat => Layout::new(2, 2),
            LlvmScalar::Float => Layout::new(4, 4),
            LlvmScalar::Double => Layout::new(8, self.align_of_64()),
            LlvmScalar::X86Fp80 => match (self.target.arch, self.target.os, self.target.env) {
                (Arch::X86, Os::Linux | Os::Bsd | Os::NetBsd | Os::None, _)
                | (Arch::X86, Os::Windows, Env::Gnu | Env::Itanium | Env::Cygnus) => Layout::new(12, 4),
                _ => Layout::new(16, 16),
            },
            LlvmScalar::Fp128 => Layout::new(16, 16),
            LlvmScalar::Ptr => Layout::new(pointer as u64, pointer),
        })
    }

    /// Allocation size and alignment of an LLVM type.
    ///
    /// # Errors
    /// `void`, impossible widths, or a size over 2^31 bytes.
    pub fn llvm(&self, ty: &LlvmType) -> Result<Layout, AbiError> {
        match ty {
            LlvmType::Void => Err(AbiError::ty("void has no size")),
            LlvmType::Scalar(scalar) => self.llvm_scalar(*scalar),
            LlvmType::Vector { lane, lanes } => self.llvm_vector(*lane, *lanes),
            LlvmType::Aggregate(aggregate) => self.check(Layout::new(aggregate.size, aggregate.align)),
        }
    }

    /// The alignment that LLVM prefers for what it places itself: the second number of a specification in the target's string
    /// (LangRef, "Data Layout"). Of aggregates, what their members' alignment leaves to the struct.
    ///
    /// # Errors
    /// As [`DataLayout::llvm`].
    pub fn llvm_preferred_align(&self, ty: &LlvmType) -> Result<u32, AbiError> {
        let (arch, os) = (self.target.arch, self.target.os);
        let plain_elf = !matches!(os, Os::Windows | Os::Darwin);
        let least = match ty {
            // `i8:8:32-i16:16:32`.
            LlvmType::Scalar(LlvmScalar::Int(8 | 16)) if arch == Arch::Aarch64 && plain_elf => 4,
            // `i64:32:64`, `f64:32:64`.
            LlvmType::Scalar(LlvmScalar::Int(64) | LlvmScalar::Double) => 8,
            // `v128:64:128`.
            LlvmType::Vector { lane, lanes } if lane.bits(8 * self.target.pointer_bytes()) * lanes == 128 => 16,
            // `a:0:32`, or `a:0:64` where the string has none.
            LlvmType::Aggregate(_) if arch == Arch::Arm || arch == Arch::X86 && os == Os::Windows => 4,
            LlvmType::Aggregate(_) => 8,
            _ => 1,
        };
        Ok(self.llvm(ty)?.align.max(least))
    }

    fn llvm_vector(&self, lane: LlvmScalar, lanes: u32) -> Result<Layout, AbiError> {
        if lanes == 0 || lanes > 1 << 16 {
            return Err(AbiError::ty(alloc::format!("a vector of {lanes} lanes")));
        }
        let bits = lane.bits(8 * self.target.pointer_bytes()) as u64 * lanes as u64;
        let bytes = bits.div_ceil(8);
        let align = bytes.next_power_of_two();
        // ARM's data layout says `v128:64:128`.
        let align = if self.target.arch == Arch::Arm && bits == 128 { 8 } else { align };
        self.check(Layout::new(bytes.next_multiple_of(align), align.min(1 << 31) as u32))
    }

    /// The LLVM struct `{ members… }`, or `<{ members… }>` if `packed`, flattened.
    ///
    /// # Errors
    /// As [`DataLayout::llvm`], or more than 65536 scalars.
    pub fn llvm_struct(&self, members: &[LlvmType], packed: bool) -> Result<LlvmType, AbiError> {
        let form = Form { array: false, flat: true, structs: true, hollow: members.is_empty() };
        let mut whole = Aggregate { leaves: Vec::new(), size: 0, align: 1, form };
        for member in members {
            whole.form.contain(member);
            let layout = self.llvm(member)?;
            let align = if packed { 1 } else { layout.align };
            let offset = whole.size.next_multiple_of(align as u64);
            push_leaves(&mut whole.leaves, member, offset)?;
            whole.size = self.check(Layout::new(offset + layout.size, 1))?.size;
            whole.align = whole.align.max(align);
        }
        whole.size = whole.size.next_multiple_of(whole.align as u64);
        Ok(LlvmType::Aggregate(alloc::sync::Arc::new(whole)))
    }

    /// The LLVM array `[len x element]`, flattened.
    ///
    /// # Errors
    /// As [`DataLayout::llvm`], or more than 65536 scalars.
    pub fn llvm_array(&self, element: &LlvmType, len: u64) -> Result<LlvmType, AbiError> {
        let layout = self.llvm(element)?;
        let size = self.check(Layout::new(layout.size.saturating_mul(len), layout.align))?.size;
        let mut form = Form { array: true, flat: true, structs: false, hollow: len == 0 };
        form.contain(element);
        let mut whole = Aggregate { leaves: Vec::new(), size, align: layout.align, form };
        let empty = matches!(element, LlvmType::Aggregate(a) if a.leaves.is_empty());
        for i in 0..if empty { 0 } else { len } {
            push_leaves(&mut whole.leaves, element, i * layout.size)?;
        }
        Ok(LlvmType::Aggregate(alloc::sync::Arc::new(whole)))
    }
}

impl Form {
    fn contain(&mut self, member: &LlvmType) {
        if let LlvmType::Aggregate(inner) = member {
            self.flat = false;
            self.hollow |= inner.form.hollow;
            self.structs |= inner.form.structs;
        }
    }
}

fn push_leaves(leaves: &mut Vec<Leaf>, ty: &LlvmType, offset: u64) -> Result<(), AbiError> {
    match ty {
        LlvmType::Void => {}
        LlvmType::Scalar(lane) => leaves.push(Leaf { lane: *lane, lanes: None, offset }),
        LlvmType::Vector { lane, lanes } => leaves.push(Leaf { lane: *lane, lanes: Some(*lanes), offset }),
        LlvmType::Aggregate(inner) => {
            leaves.extend(inner.leaves.iter().map(|leaf| Leaf { offset: offset + leaf.offset, ..*leaf }));
        }
    }
    if leaves.len() as u64 > MAX_LEAVES {
        return Err(AbiError::ty("a first-class aggregate of more than 65536 scalars"));
    }
    Ok(())
}
