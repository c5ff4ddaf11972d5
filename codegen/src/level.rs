//! Levels of optimization.

/// How much work is done for good code, as LLVM's levels.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum OptimizationLevel {
    /// Code is made in one walk.
    #[default]
    O0,
    /// Registers are given to the values that are used most, over live ranges with holes; computations sink to their uses.
    O1,
    /// The same as `O1`, so far.
    O2,
    /// The same as `O1`, so far.
    Os,
}
