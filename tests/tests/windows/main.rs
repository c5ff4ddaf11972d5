//! Windows: objects, programs, the unwinder, and Microsoft's exceptions (`msvc_…`), by Wine.

mod codeview;
mod codeview_text;
mod coff;
mod control_flow_guard;
mod debuggers;
mod msvc_builder;
mod msvc_corpus;
mod msvc_faults;
mod msvc_ir;
mod msvc_jumps;
mod msvc_own_tables;
mod msvc_programs;
mod msvc_random;
mod msvc_tables;
mod programs;
mod unwind;
