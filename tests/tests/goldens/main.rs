//! Recorded texts: assembly of small inputs, and what the stages and passes of the code generator make of them.

mod code;
mod passes;
mod stages;
