//! The read-only constants of a function, each kept once.

/// A read-only constant of the current function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConstantId(pub u32);

struct Constant {
    bits: u128,
    size: u8,
    slot: u32,
}

/// Constants of 1, 2, 4, 8 and 16 bytes, each aligned to its size, numbered in the order of their first use.
#[derive(Default)]
pub struct ConstantPool {
    constants: Vec<Constant>,
    /// Open addressing: 0 is free, else the number of a constant plus one. Its length is a power of two.
    slots: Vec<u32>,
}

impl ConstantPool {
    pub(super) fn clear(&mut self) {
        // Only the slots in use are touched: a function with many constants must not slow down those after it.
        for constant in self.constants.drain(..) {
            if let Some(slot) = self.slots.get_mut(constant.slot as usize) {
                *slot = 0;
            }
        }
    }

    /// The constants in the order of their numbers, as (size and alignment in bytes, bytes of which the first `size` count).
    pub fn iter(&self) -> impl Iterator<Item = (u8, [u8; 16])> + '_ {
        self.constants.iter().map(|constant| (constant.size, constant.bits.to_le_bytes()))
    }

    /// The size of a constant, and its bytes.
    pub(super) fn get(&self, id: ConstantId) -> (u8, [u8; 16]) {
        let constant = &self.constants[id.0 as usize];
        (constant.size, constant.bits.to_le_bytes())
    }

    pub(super) fn intern(&mut self, bytes: &[u8]) -> ConstantId {
        debug_assert!(bytes.len().is_power_of_two() && bytes.len() <= 16);
        let mut wide = [0; 16];
        let size = bytes.len().min(16);
        wide[..size].copy_from_slice(&bytes[..size]);
        let (bits, size) = (u128::from_le_bytes(wide), size as u8);
        if self.slots.len() < 2 * (self.constants.len() + 1) {
            self.grow();
        }
        let mut slot = home(bits, size, self.slots.len());
        loop {
            match self.slots[slot] {
                0 => {
                    self.constants.push(Constant { bits, size, slot: slot as u32 });
                    self.slots[slot] = self.constants.len() as u32;
                    return ConstantId(self.constants.len() as u32 - 1);
                }
                number => {
                    let known = &self.constants[number as usize - 1];
                    if known.bits == bits && known.size == size {
                        return ConstantId(number - 1);
                    }
                    slot = (slot + 1) & (self.slots.len() - 1);
                }
            }
        }
    }

    /// A constant of four bytes that equals no other.
    pub(super) fn add(&mut self) -> ConstantId {
        self.constants.push(Constant { bits: 0, size: 4, slot: u32::MAX });
        ConstantId(self.constants.len() as u32 - 1)
    }

    fn grow(&mut self) {
        let len = (self.slots.len() * 2).max(64);
        self.slots.clear();
        self.slots.resize(len, 0);
        for (i, constant) in self.constants.iter_mut().enumerate().filter(|(_, c)| c.slot != u32::MAX) {
            let mut slot = home(constant.bits, constant.size, len);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (len - 1);
            }
            self.slots[slot] = i as u32 + 1;
            constant.slot = slot as u32;
        }
    }
}

/// The first slot to look at: multiplicative hashing, upper bits of the product.
fn home(bits: u128, size: u8, slots: usize) -> usize {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let folded = (bits as u64).wrapping_mul(FACTOR).rotate_left(23) ^ ((bits >> 64) as u64) ^ u64::from(size);
    (folded.wrapping_mul(FACTOR) >> 32) as usize & (slots - 1)
}
