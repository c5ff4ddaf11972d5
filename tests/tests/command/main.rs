//! The command: its options and errors, its assembly text, the examples, the dependencies.

mod assembly;
mod dependencies;
mod example;
mod messages;
mod options;
mod shell;
