//! Levels of optimization.

/// How much work is done for good code, as LLVM's levels. Functions that forbid it (`optimize_none`) have `O0`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum OptimizationLevel {
    /// Code is made in one walk.
    #[default]
    O0,
    /// Registers are given to the values that are used most, over live ranges with holes; addresses are computed where they are used.
    O1,
    /// Small functions of the module are inlined, what was computed, loaded or stored before is not computed or loaded again, live ranges are
    /// split, and computations move between blocks.
    O2,
    /// As `O2`, but only very small functions are inlined. Functions that ask for it (`optimize_size`) have it at `O2`.
    Os,
}
