//! What selection needs on every architecture, and knows of none.

mod node;
pub(crate) mod results;

pub(crate) use node::Node;
