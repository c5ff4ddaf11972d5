//! Modules that IREE's runtime loads.

// What makes the modules is not here yet.
#[allow(dead_code)]
mod compile;
#[allow(dead_code)]
mod source;
