//! Microsoft's exceptions: funclets, states, and the tables of Windows (`docs/microsoft-exceptions.md`).
//!
//! In the order of a function's life:
//!
//! - `prepare` copies blocks until each belongs to one funclet, and puts values that funclets share into slots of the
//!   frame.
//! - `states` numbers the `try` blocks, handlers and cleanups around each call; `faults` says the same of code that faults (`-EHa`).
//! - `registration` is the record by which 32-bit Windows finds the handlers of a running function; `funclet_frame`
//!   lays out the frames of funclets and of their hosts.
//! - `funclet_code` emits the start and the end of funclets; `state_stores` emits the stores of states on 32-bit
//!   Windows, with the knowledge in `stored_state`.
//! - `tables` makes what personality routines read. `asm` writes it as directives; `seh` and `safeseh` write it as
//!   bytes: `seh` where the frame's description refers to it, `safeseh` on 32-bit Windows, where code registers it.
//! - `seh` describes frames, on x86-64, AArch64 and ARM.

mod asm;
pub(crate) mod faults;
pub(crate) mod funclet_code;
pub(crate) mod funclet_frame;
pub(crate) mod prepare;
pub(crate) mod registration;
pub(crate) mod safeseh;
pub(crate) mod seh;
pub(crate) mod state_stores;
pub mod states;
pub(crate) mod stored_state;
pub(crate) mod tables;
