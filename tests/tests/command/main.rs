//! The command: its options and errors, its places as llc and as clang, its assembly text, the examples, the guide, the dependencies.

mod assembly;
mod dependencies;
mod driver;
mod example;
mod guide;
mod levels;
mod link;
mod llc;
mod messages;
mod options;
mod run;
mod shell;
