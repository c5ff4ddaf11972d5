//! Recorded texts: assembly of small inputs, and what the stages of the code generator make of them.

mod code;
mod stages;
