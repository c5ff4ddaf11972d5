//! What the allocation of homes must respect besides live ranges.

use crate::analysis::Interval;
use crate::ir::Value;
use crate::machine::{FrameBase, FrameRules, PReg, RegisterFile};
use crate::plan::Clobbers;

/// A part of a parameter and the register that the convention passes it in.
#[derive(Clone, Copy, Debug)]
pub struct IncomingPart {
    /// The parameter.
    pub value: Value,
    /// Its part.
    pub part: u8,
    /// The part's unit.
    pub unit: u32,
    /// The register.
    pub reg: PReg,
    /// The part has no home: it stays in that register, a scratch one, until the emitter moves it.
    pub stays: bool,
}

/// What the scan must respect besides the ranges.
pub struct Limits<'l> {
    /// Registers that may hold values.
    pub allowed: u64,
    /// Registers that may be homes.
    pub homes: u64,
    /// The function may be re-entered at a call that returned before: nothing stays in a register across calls, and
    /// slots are not shared.
    pub returns_twice: bool,
    /// Registers that callees usually preserve, but that some callee of this function changes.
    pub lost: Clobbers,
    /// Registers that are saved in any case.
    pub saved: u64,
    /// Scratch registers may be homes where no instruction takes them by name.
    pub scratch_homes: bool,
    /// The link register, if it may be a home too where there are no calls.
    pub link: u64,
    /// The same, if it is saved for that alone.
    pub saved_link: u64,
    /// Ranges that find no register for their whole life are split.
    pub splits: bool,
    /// Stretches with instructions that need one more temporary than others.
    pub tight: &'l [Interval],
    /// How the frame saves registers, and those that it saves besides the homes.
    pub frame: (FrameRules, FrameBase, u64),
}

/// What a register has to be worth if it is saved for one range alone.
pub const PUSH_AND_POP: f32 = 2.0;
/// What a register has to be worth if an instruction that saves others saves it, too: while ranges choose that may weigh more, and after that.
pub const LEAST_SAVED: f32 = 1.2;
pub const LEAST_SHARED: f32 = 0.2;

impl Limits<'_> {
    /// Is a register worth being the home of a range of some weight, if preserved ones are used already? The first use of a preserved
    /// register costs a push and a pop, unless another one has the same push: then the range has to weigh `least`.
    pub fn is_worth_saving(&self, file: &RegisterFile, used: u64, p: PReg, (weight, least): (f32, f32)) -> bool {
        let preserved = file.preserved | self.saved_link;
        if preserved & p.mask() == 0 || used & p.mask() != 0 || weight >= PUSH_AND_POP {
            return true;
        }
        let (rules, base, others) = self.frame;
        let saved = used & preserved | others;
        weight >= least && rules.saves(saved, base) == rules.saves(saved | p.mask(), base)
    }
}
