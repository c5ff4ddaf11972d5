//! Positions: Windows x64 hands out registers in pairs, the general register and the vector register of a position (MS,
//! "x64 calling convention", "Parameter passing").

use crate::engine::{Banks, Engine};
use crate::families::vectorcall::Waiting;
use crate::prelude::*;

/// MS, "x64 calling convention", "Parameter passing": rcx, rdx, r8, r9; xmm0 to xmm3. "`__vectorcall`": xmm0 to xmm5.
pub(crate) const BANKS: Banks = [&[1, 2, 8, 9], &[0, 1, 2, 3], &[]];
pub(crate) const VECTORCALL_BANKS: Banks = [&[1, 2, 8, 9], &[0, 1, 2, 3, 4, 5], &[]];

/// A call, while its signature is classified.
pub(crate) struct Win64<'a> {
    pub(crate) target: &'a AbiTarget,
    pub(crate) layout: DataLayout,
    pub(crate) convention: Convention,
    pub(crate) engine: Engine,
    pub(crate) vectorcall: bool,
    /// The signature has a `...`.
    pub(crate) variadic: bool,
    pub(crate) member: Member,
    /// Homogeneous aggregates for which vector registers are set aside.
    pub(crate) waiting: Waiting,
    /// Vector registers that hold an argument; others are only taken because their position is.
    pub(crate) filled: u32,
    /// How many vector registers homogeneous aggregates may still ask for.
    pub(crate) unclaimed: u32,
}

impl Win64<'_> {
    /// The next general register or stack slot; the vector register of the same position is skipped.
    pub(crate) fn int(&mut self) -> Result<Place, AbiError> {
        let reg = self.engine.take(RegClass::Int, usize::MAX);
        let _ = self.engine.take(RegClass::Float, usize::MAX);
        self.engine.place(reg, 8, 8)
    }

    /// The next vector register; the general register of the same position is skipped, and after the fourth a stack
    /// slot.
    pub(crate) fn float_register(&mut self) -> Result<Option<Reg>, AbiError> {
        let _ = self.engine.take(RegClass::Int, usize::MAX);
        let reg = self.engine.take(RegClass::Float, usize::MAX);
        if reg.is_some_and(|reg| reg.num >= 4) {
            self.engine.stack(8, 8)?;
        }
        Ok(reg)
    }

    /// A piece that is the address of a copy or of the result.
    pub(crate) fn address(&mut self, size: u64, align: u32) -> Result<PassMode, AbiError> {
        Ok(PassMode::Indirect { pointer: Piece::whole(8, self.int()?), size, align })
    }

    /// A vector register that holds an argument.
    pub(crate) fn fill(&mut self, reg: Reg) -> Place {
        self.filled |= 1 << reg.num;
        Place::Reg(reg)
    }

    /// The vector register of the next position for a value. If the value is `doubled`, it is in the general register
    /// of the position too (MS, "x64 calling convention", "Varargs").
    pub(crate) fn float_place(&mut self, doubled: bool) -> Result<Option<Place>, AbiError> {
        let also = BANKS[RegClass::Int as usize].get(self.engine.taken(RegClass::Int));
        let Some(reg) = self.float_register()? else { return Ok(None) };
        let place = self.fill(reg);
        Ok(Some(match also {
            Some(also) if doubled => Place::RegPlus { reg, also: Reg::int(*also) },
            _ => place,
        }))
    }
}
