//! What modules of LLVM IR say about code, data and symbols, and translation of LLVM IR to LLVM IR.

mod attributes;
mod builder;
mod code_models;
mod data;
mod debug_builder;
mod debug_calls;
mod debug_info;
mod debug_judges;
mod debug_languages;
mod debug_limits;
mod debug_lines;
mod debug_lldb;
mod debug_memory;
mod debug_objects;
mod debug_panics;
mod debug_text;
mod debug_tools;
mod features;
mod intrinsics_by_name;
mod libraries;
mod protection;
mod stack_limit;
mod stack_maps;
mod tls;
mod translate;
mod translate_debug;
