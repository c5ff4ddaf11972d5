//! The passes over the IR of optimized functions: a list, in the order in which they run.

use crate::level::OptimizationLevel;
use crate::words;

words! {
    /// A pass over the IR of optimized functions. The file of that name in `codegen/src/passes` says what it does.
    ///
    /// ```
    /// use gusset_codegen::passes::Pass;
    ///
    /// assert_eq!(Pass::from_name("sink").map(Pass::name), Some("sink"));
    /// ```
    Pass {
        /// Calls of functions of the module become copies of their bodies.
        Inline "inline",
        /// What was computed, loaded or stored before is not computed or loaded again.
        Gvn "gvn",
        /// Parameters of blocks at a constant distance become one.
        Parameters "parameters",
        /// Saturating differences are computed in the type that they are truncated to.
        Saturate "saturate",
        /// Blocks that do the same become one.
        Merge "merge",
        /// Edges skip blocks that only jump.
        Thread "thread",
        /// Masks, extensions and comparisons without what known bits make needless.
        Simplify "simplify",
        /// A loaded number of which an extension is used is kept in that form alone.
        Widen "widen",
        /// Branches on two conditions become two branches.
        Conditions "conditions",
        /// Accesses, branches and selections get their own copies of the addresses, comparisons and truncations that they fold.
        Operands "operands",
        /// Symbols that are indexed in loops, and sums of bases and offsets beside indices, are computed before the loops.
        Hoist "hoist",
        /// What only one other block uses is computed there.
        Sink "sink",
        /// A loop's variable and its next value may share a register.
        Increments "increments",
    }
}

impl Pass {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Pass> {
        Pass::ALL.iter().copied()
    }
}

/// Where in a function's compilation passes run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Point {
    /// Before everything else.
    Read,
    /// When stack slots are values.
    Promoted,
    /// When every operation is one of the target's, and offsets are in accesses.
    Legal,
}

/// A place in the list.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// What runs.
    pub pass: Pass,
    /// When.
    pub point: Point,
    /// It costs too much for `-O1`.
    pub costly: bool,
    /// It changes where values are needed, so that functions with funclets, whose values are in the frame, do without it.
    pub moves: bool,
}

/// The passes in their order.
pub const PIPELINE: &[Step] = &[
    Step { costly: true, moves: true, ..step(Pass::Inline, Point::Read) },
    Step { costly: true, moves: true, ..step(Pass::Gvn, Point::Promoted) },
    Step { costly: true, moves: true, ..step(Pass::Parameters, Point::Promoted) },
    Step { costly: true, ..step(Pass::Saturate, Point::Promoted) },
    Step { moves: true, ..step(Pass::Merge, Point::Promoted) },
    Step { costly: true, moves: true, ..step(Pass::Thread, Point::Promoted) },
    step(Pass::Simplify, Point::Legal),
    Step { costly: true, moves: true, ..step(Pass::Widen, Point::Legal) },
    Step { moves: true, ..step(Pass::Conditions, Point::Legal) },
    Step { moves: true, ..step(Pass::Operands, Point::Legal) },
    Step { costly: true, moves: true, ..step(Pass::Hoist, Point::Legal) },
    Step { costly: true, moves: true, ..step(Pass::Sink, Point::Legal) },
    Step { costly: true, moves: true, ..step(Pass::Increments, Point::Legal) },
];

const fn step(pass: Pass, point: Point) -> Step {
    Step { pass, point, costly: false, moves: false }
}

impl Step {
    /// Does it run at this point and level?
    pub fn runs(&self, point: Point, level: OptimizationLevel) -> bool {
        self.point == point && (level > OptimizationLevel::O1 || !self.costly && level == OptimizationLevel::O1)
    }
}

/// Which passes run, for development: a list names them.
///
/// ```
/// use gusset_codegen::passes::{Pass, PassSet};
///
/// let some = PassSet::of(&[Pass::Sink]);
/// assert!(some.has(Pass::Sink) && !some.has(Pass::Simplify));
/// assert!(PassSet::default().has(Pass::Simplify));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PassSet(u32);

impl Default for PassSet {
    /// All of them.
    fn default() -> PassSet {
        PassSet(!0)
    }
}

impl PassSet {
    /// These.
    pub fn of(passes: &[Pass]) -> PassSet {
        PassSet(passes.iter().fold(0, |set, &pass| set | 1 << pass as u32))
    }

    /// Is the pass among them?
    pub fn has(self, pass: Pass) -> bool {
        self.0 >> pass as u32 & 1 != 0
    }
}
