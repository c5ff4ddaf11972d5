//! What selection needs on every architecture, and knows of none.

pub(crate) mod block;
pub(crate) mod constants;
pub(crate) mod lanes;
mod node;
pub(crate) mod results;
pub(crate) mod shuffle;
pub(crate) mod switch;
pub(crate) mod tls;

pub(crate) use node::Node;
