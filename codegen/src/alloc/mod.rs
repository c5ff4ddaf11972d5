//! Register allocation: homes by linear scan before emission ([`Assign`]), everything else on the spot ([`Stream`]).

mod assign;
pub mod check;
mod log;
mod moves;
mod stream;
mod units;
mod webs;

pub use assign::{Arrival, Assign, Limits};
pub use check::Location;
pub use log::{Event, Loc, Log, Name, Transfer};
pub use moves::{MoveDst, MoveSrc, Moves, source};
pub(crate) use stream::Guard;
pub use stream::{Scratch, Selector, Stream, Where};
pub use units::{UnitFlags, Units};
