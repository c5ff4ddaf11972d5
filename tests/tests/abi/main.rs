//! Calling conventions and layouts, against compilers: calls that cross between their code and ours, and what `gusset abi` says.

mod bit_int;
mod blocks;
mod c_declarations;
mod calls;
mod classes;
mod command;
mod command_layout;
mod command_serve;
mod conventions;
mod layer;
mod layouts;
mod llvm;
mod tail_calls;
mod to_llvm;
mod va_lists;
