//! Modules for IREE's runtime, by its stock tools.

mod abi;
mod blocks;
mod builder;
mod layouts;
mod modules;
mod python;
mod routes;
mod shapes;
mod source;
