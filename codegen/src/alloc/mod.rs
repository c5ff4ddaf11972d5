//! Register allocation: homes by linear scan before emission ([`Assign`]), everything else during emission
//! ([`Emitter`]). `docs/allocation.md` explains it.

mod assign;
pub mod check;
mod emitter;
mod limits;
mod log;
mod moves;
mod splits;
mod units;
mod webs;

pub use assign::{Assign, Places};
pub use check::Location;
pub(crate) use emitter::{CurrentInst, FunctionState, RegisterState, StackGuard};
pub use emitter::{Emitter, Scratch, Selector, Where};
pub use limits::{IncomingPart, Limits};
pub use log::{Event, Loc, Log, Name, Transfer};
pub use moves::{MoveDst, MoveSrc, Moves, source};
pub use splits::{BlockHome, Splits};
pub use units::{UnitFlags, Units};
