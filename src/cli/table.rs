//! The table of `--time`.

use std::fmt::Write;
use std::time::Duration;

use gusset::Statistics;

pub(crate) struct Facts<'a> {
    pub name: &'a str,
    pub input_bytes: usize,
    pub output_bytes: usize,
    pub statistics: Statistics,
    /// Reading the input file.
    pub read: Duration,
    /// Storing the output file.
    pub stored: Duration,
    pub wall: Duration,
    pub threads: usize,
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

pub(crate) fn render(facts: &Facts<'_>) -> String {
    let s = &facts.statistics;
    let mut out = String::new();
    let per = |time: Duration, n: u64| if n == 0 { 0.0 } else { time.as_nanos() as f64 / n as f64 };
    let megabytes = facts.input_bytes as f64 / 1e6 / s.parse.as_secs_f64().max(1e-9);
    let mut row = |name: &str, value: String, unit: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  {name:<22} {value:>12} {unit}");
    };
    row("load file", format!("{:.2}", ms(facts.read)), "ms");
    row("parse", format!("{:.2}", ms(s.parse)), &format!("ms ({megabytes:.0} MB/s)"));
    row("compile", format!("{:.2}", ms(s.compile)), "ms");
    row("write", format!("{:.2}", ms(s.write)), "ms");
    row("store file", format!("{:.2}", ms(facts.stored)), "ms");
    row("wall", format!("{:.2}", ms(facts.wall)), &format!("ms ({} threads)", facts.threads));
    row("functions", s.functions.to_string(), "");
    row("IR instructions", s.instructions.to_string(), "");
    row("compile per instruction", format!("{:.1}", per(s.compile, s.instructions)), "ns");
    row("bytes in", facts.input_bytes.to_string(), "");
    row("bytes of code", s.code_bytes.to_string(), "");
    row("bytes out", facts.output_bytes.to_string(), "");
    format!("{}:\n{out}", facts.name)
}
