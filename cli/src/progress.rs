//! A line on the terminal during a long compilation.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(1);
const INTERVAL: Duration = Duration::from_millis(100);

pub(crate) struct Line {
    name: String,
    next: Instant,
    terminal: bool,
    shown: bool,
}

impl Line {
    pub fn new(name: &str) -> Line {
        let terminal = std::io::stderr().is_terminal();
        Line { name: name.to_string(), next: Instant::now() + PATIENCE, terminal, shown: false }
    }

    /// Shows the fraction done, from 0 to 1, if it is time to.
    pub fn update(&mut self, part: f64) {
        if !self.terminal || Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + INTERVAL;
        self.shown = true;
        // A terminal that cannot be written to is no reason to stop.
        let _ = write!(std::io::stderr(), "\r\x1b[K{}: {:3.0} %", self.name, part * 100.0);
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
