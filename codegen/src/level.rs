//! Levels of optimization.

/// How much work is done for good code, as LLVM's levels. Functions that forbid it (`optimize_none`) have `O0`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum OptimizationLevel {
    /// Code is made in one walk.
    #[default]
    O0,
    /// Registers are given to the values that are used most, over live ranges with holes; addresses are computed where they are used.
    O1,
    /// Live ranges are split, and computations move between blocks.
    O2,
    /// The same as `O2`, so far. Functions that ask for it (`optimize_size`) have it at any level but `O0`.
    Os,
}
