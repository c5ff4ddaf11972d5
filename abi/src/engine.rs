//! Hands out places: registers of a convention's banks, then stack slots.
//!
//! A convention says what it wants as *groups* of pieces that must be passed together, and what happens to a group that
//! does not fit. This file does the book-keeping, which is the same for all conventions.

use crate::prelude::*;

/// The registers of one class in the order in which a convention hands them out.
pub(crate) type Bank = &'static [u8];

/// The banks of a convention, indexed by [`RegClass`].
pub(crate) type Banks = [Bank; 3];

/// What happens to a group for which its classes have too few registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Overflow {
    /// The whole group goes to the stack, and the free registers stay free for later groups (System V x86-64).
    Revert,
    /// The whole group goes to the stack, and so does every later group that wants one of its classes (AAPCS64).
    Exhaust,
}

/// The registers that are still free, and the size of the stack argument area so far.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    banks: Banks,
    used: [u32; 3],
    stack: u64,
    stack_align: u32,
    slot: u32,
}

impl Engine {
    /// The state at the start of a call: every register is free, `slot` bytes is the smallest stack slot, and the stack
    /// pointer is aligned to `stack_align` bytes.
    pub(crate) fn new(banks: Banks, slot: u32, stack_align: u32) -> Engine {
        Engine { banks, used: [0; 3], stack: 0, stack_align, slot }
    }

    /// The next free register among the first `limit` of a class.
    #[inline]
    pub(crate) fn take(&mut self, class: RegClass, limit: usize) -> Option<Reg> {
        let bank = self.banks[class as usize];
        let next = (!self.used[class as usize]).trailing_zeros() as usize;
        if next >= bank.len().min(limit) {
            return None;
        }
        self.used[class as usize] |= 1 << next;
        Some(Reg { class, num: bank[next] })
    }

    /// The next free register among those at these positions of a class.
    pub(crate) fn take_among(&mut self, class: RegClass, mut positions: core::ops::Range<usize>) -> Option<Reg> {
        positions.find_map(|index| self.take_at(class, index))
    }

    /// The register at position `index` of a class, if it is free.
    pub(crate) fn take_at(&mut self, class: RegClass, index: usize) -> Option<Reg> {
        let num = *self.banks[class as usize].get(index)?;
        let bit = 1 << index;
        if self.used[class as usize] & bit != 0 {
            return None;
        }
        self.used[class as usize] |= bit;
        Some(Reg { class, num })
    }

    /// The place of an address that the convention itself adds: a general register or a stack slot of its size.
    #[inline]
    pub(crate) fn pointer(&mut self, bytes: u32) -> Result<Piece, AbiError> {
        let reg = self.take(RegClass::Int, usize::MAX);
        Ok(Piece::whole(bytes, self.place(reg, bytes.into(), bytes)?))
    }

    /// The register, or else `size` new bytes of stack arguments, see [`Engine::stack`].
    pub(crate) fn place(&mut self, reg: Option<Reg>, size: u64, align: u32) -> Result<Place, AbiError> {
        match reg {
            Some(reg) => Ok(Place::Reg(reg)),
            None => Ok(Place::Stack { offset: self.stack(size, align)? }),
        }
    }

    /// Skips a register if the number of taken registers is odd: pairs begin at even ones (AAPCS64, rule C.10; AAPCS32,
    /// rule C.3). Only for classes that are handed out in order.
    pub(crate) fn align_to_pair(&mut self, class: RegClass) {
        if self.taken(class) % 2 == 1 {
            self.take(class, usize::MAX);
        }
    }

    /// The first of `count` times `width` consecutive free registers that begin at a multiple of `width`, anywhere in
    /// the bank (AAPCS32, rule C.1.vfp).
    pub(crate) fn take_run(&mut self, class: RegClass, width: u32, count: u32) -> Option<Reg> {
        let bank = self.banks[class as usize];
        let len = width * count;
        if len == 0 || len as usize > bank.len() {
            return None;
        }
        let mask = ((1u64 << len) - 1) as u32;
        let mut starts = (0..=bank.len() as u32 - len).step_by(width as usize);
        let first = starts.find(|start| self.used[class as usize] & mask << start == 0)?;
        self.used[class as usize] |= mask << first;
        Some(Reg { class, num: bank[first as usize] })
    }

    /// Marks all registers of a class as taken.
    pub(crate) fn exhaust(&mut self, class: RegClass) {
        self.used[class as usize] = (1u64 << self.banks[class as usize].len()).wrapping_sub(1) as u32;
    }

    /// How many registers of a class are free.
    pub(crate) fn free(&self, class: RegClass) -> usize {
        self.banks[class as usize].len() - self.taken(class)
    }

    /// How many registers of a class are taken.
    pub(crate) fn taken(&self, class: RegClass) -> usize {
        self.used[class as usize].count_ones() as usize
    }

    /// The registers of a class that are free, with their positions in the bank.
    pub(crate) fn rest(&self, class: RegClass) -> impl Iterator<Item = (u32, Reg)> + use<> {
        let used = self.used[class as usize];
        let bank = self.banks[class as usize];
        (0..bank.len() as u32)
            .filter(move |i| used >> i & 1 == 0)
            .map(move |i| (i, Reg { class, num: bank[i as usize] }))
    }

    /// Gives a register to each piece of a group; so far their places only name classes. If `policy` sends the group to
    /// the stack, returns false and leaves the group unchanged.
    pub(crate) fn group(&mut self, pieces: &mut [Piece], policy: Overflow) -> bool {
        let before = self.used;
        for index in 0..pieces.len() {
            let Some(Reg { class, .. }) = pieces[index].reg() else { continue };
            let Some(reg) = self.take(class, usize::MAX) else {
                self.used = before;
                for piece in pieces.iter_mut() {
                    let Some(Reg { class, .. }) = piece.reg() else { continue };
                    piece.place = wanted(class);
                    if policy == Overflow::Exhaust {
                        self.exhaust(class);
                    }
                }
                return false;
            };
            pieces[index].place = Place::Reg(reg);
        }
        true
    }

    /// The offset of `size` new bytes of stack arguments, aligned to `align` bytes and at least to a slot.
    pub(crate) fn stack(&mut self, size: u64, align: u32) -> Result<u32, AbiError> {
        if size > i32::MAX as u64 {
            return Err(AbiError::ty("the value is larger than 2^31 bytes"));
        }
        let align = align.max(self.slot);
        self.stack_align = self.stack_align.max(align);
        let offset = aligned(self.stack, align);
        self.stack = offset + aligned(size, self.slot);
        if self.stack > i32::MAX as u64 {
            return Err(AbiError::ty("the stack arguments are larger than 2^31 bytes"));
        }
        Ok(offset as u32)
    }

    /// The recipe of conventions whose `va_list` is a pointer into an array of words of `word` bytes: the free general
    /// registers, which the callee stores right below the stack arguments, followed by these.
    pub(crate) fn array_with_stack(&self, word: u32) -> VarArea {
        let first = self.taken(RegClass::Int) as u32;
        let slot = |(i, reg)| SaveSlot { offset: word * (i - first), size: word, reg };
        let slots: Vec<SaveSlot> = self.rest(RegClass::Int).map(slot).collect();
        let size = word * slots.len() as u32;
        let mut area = VarArea::pointer(word, self.stack_bytes());
        if size > 0 {
            area.fields[0].init = VaInit::SaveArea { offset: 0 };
            let place = SaveAreaPlace::BelowStackArgs;
            area.save_area = Some(SaveArea { place, size, align: word, slots, float_guard: None });
        }
        area
    }

    /// A save area of `size` bytes in the frame for the free registers: general ones in words of 8 bytes, and vector
    /// registers from byte `floats` on.
    pub(crate) fn save_area(&self, floats: u32, size: u32) -> SaveArea {
        let ints = self.rest(RegClass::Int).map(|(i, reg)| SaveSlot { offset: 8 * i, size: 8, reg });
        let floats = self.rest(RegClass::Float).map(|(i, reg)| SaveSlot { offset: floats + 16 * i, size: 16, reg });
        let slots = ints.chain(floats).collect();
        SaveArea { place: SaveAreaPlace::Frame, size, align: 16, slots, float_guard: None }
    }

    /// Size of the stack arguments so far, in bytes.
    pub(crate) fn stack_bytes(&self) -> u32 {
        self.stack as u32
    }

    /// Alignment of the stack pointer at the call, in bytes.
    pub(crate) fn stack_align(&self) -> u32 {
        self.stack_align
    }
}

/// The next multiple of a power of two. No number here is large enough to overflow.
fn aligned(bytes: u64, align: u32) -> u64 {
    debug_assert!(align.is_power_of_two());
    let mask = u64::from(align) - 1;
    (bytes + mask) & !mask
}

/// A place that names only a class, for [`Engine::group`] to fill in.
pub(crate) const fn wanted(class: RegClass) -> Place {
    Place::Reg(Reg { class, num: u8::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BANKS: Banks = [&[7, 6, 2], &[0, 1], &[]];

    fn piece(class: RegClass) -> Piece {
        Piece { place: wanted(class), ..Piece::default() }
    }

    #[test]
    fn a_group_that_does_not_fit_leaves_the_registers_free() {
        let mut engine = Engine::new(BANKS, 8, 16);
        let mut pair = [piece(RegClass::Int), piece(RegClass::Int)];
        assert!(engine.group(&mut pair, Overflow::Revert));
        assert_eq!(pair.map(|p| p.reg()), [Some(Reg::int(7)), Some(Reg::int(6))]);
        let mut late = [piece(RegClass::Int), piece(RegClass::Int)];
        assert!(!engine.group(&mut late, Overflow::Revert));
        let mut one = [piece(RegClass::Int), piece(RegClass::Float)];
        assert!(engine.group(&mut one, Overflow::Revert));
        assert_eq!(one.map(|p| p.reg()), [Some(Reg::int(2)), Some(Reg::float(0))]);
        assert_eq!((engine.free(RegClass::Int), engine.taken(RegClass::Float)), (0, 1));
        assert!(engine.rest(RegClass::Float).eq([(1, Reg::float(1))]));
        assert_eq!(engine.take(RegClass::Float, 1), None);
    }

    #[test]
    fn a_group_may_take_its_class_with_it() {
        let mut engine = Engine::new(BANKS, 8, 16);
        let mut four = [piece(RegClass::Int); 4];
        assert!(!engine.group(&mut four, Overflow::Exhaust));
        assert_eq!((engine.take(RegClass::Int, 9), engine.free(RegClass::Float)), (None, 2));
    }

    #[test]
    fn pairs_and_positions() {
        let mut engine = Engine::new(BANKS, 8, 16);
        assert_eq!(engine.take_at(RegClass::Int, 0), Some(Reg::int(7)));
        engine.align_to_pair(RegClass::Int);
        assert_eq!(engine.take_at(RegClass::Int, 1), None);
        assert_eq!((engine.take_at(RegClass::Int, 3), engine.free(RegClass::Int)), (None, 1));
    }

    #[test]
    fn runs_fill_gaps() {
        let mut engine = Engine::new([&[], &[0, 1, 2, 3, 4, 5, 6, 7], &[]], 4, 8);
        assert_eq!(engine.take_run(RegClass::Float, 1, 1), Some(Reg::float(0)));
        assert_eq!(engine.take_run(RegClass::Float, 2, 2), Some(Reg::float(2)));
        assert_eq!(engine.take_run(RegClass::Float, 1, 1), Some(Reg::float(1)));
        assert_eq!(engine.take_run(RegClass::Float, 1, 3), None);
        assert_eq!(engine.take_run(RegClass::Float, 2, 1), Some(Reg::float(6)));
        assert_eq!((engine.take_run(RegClass::Float, 4, 3), engine.free(RegClass::Float)), (None, 0));
    }

    #[test]
    fn stack_slots_are_aligned_and_bounded() {
        let mut engine = Engine::new(BANKS, 8, 16);
        assert_eq!(engine.stack(3, 1), Ok(0));
        assert_eq!(engine.stack(16, 64), Ok(64));
        assert_eq!((engine.stack_bytes(), engine.stack_align()), (80, 64));
        assert!(engine.stack(1 << 31, 8).is_err());
    }
}
