//! The command: its options and errors, its place as llc, its assembly text, the examples, the guide, the dependencies.

mod assembly;
mod dependencies;
mod example;
mod guide;
mod llc;
mod messages;
mod options;
mod run;
mod shell;
