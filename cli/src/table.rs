//! The table of `--time`.

use std::fmt::Write;
use std::time::Duration;

use gusset::Statistics;

pub(crate) struct Facts<'a> {
    pub name: &'a str,
    pub input: &'a [u8],
    pub output_bytes: u64,
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
    let megabytes = facts.input.len() as f64 / 1e6 / s.parse.as_secs_f64().max(1e-9);
    // Bitcode has no lines to count.
    let instructions = (!gusset::is_bitcode(facts.input)).then(|| instructions(facts.input));
    let mut row = |name: &str, value: String, unit: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  {name:<32} {value:>12} {unit}");
    };
    row("load file", format!("{:.2}", ms(facts.read)), "ms");
    row("parse", format!("{:.2}", ms(s.parse)), &format!("ms ({megabytes:.0} MB/s)"));
    row("compile", format!("{:.2}", ms(s.compile)), "ms");
    row("write", format!("{:.2}", ms(s.write)), "ms");
    row("store file", format!("{:.2}", ms(facts.stored)), "ms");
    row("wall", format!("{:.2}", ms(facts.wall)), &format!("ms ({} threads)", facts.threads));
    row("functions", s.functions.to_string(), "");
    if let Some(count) = instructions {
        row("LLVM IR instructions", count.to_string(), "");
    }
    row("after reading", s.instructions.to_string(), "");
    if let Some(count) = instructions {
        row("compile per LLVM IR instruction", format!("{:.1}", per(s.compile, count)), "ns");
    }
    row("bytes in", facts.input.len().to_string(), "");
    row("bytes of code", s.code_bytes.to_string(), "");
    row("bytes out", facts.output_bytes.to_string(), "");
    format!("{}:\n{out}", facts.name)
}

/// Counts instructions in the text: LLVM's printer puts each on a line, indented by two spaces.
fn instructions(text: &[u8]) -> u64 {
    let is_one = |line: &&[u8]| {
        line.strip_prefix(b"  ").is_some_and(|rest| rest.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'%'))
    };
    text.split(|&b| b == b'\n').filter(is_one).count() as u64
}

#[cfg(test)]
mod tests {
    #[test]
    fn instructions_are_counted_by_lines() {
        let text = b"@x = global i32 0\ndefine i32 @f() {\n1:\n  %2 = add i32 1, 2, !dbg !3\n  switch i32 %2, label %4 [\n    \
                     i32 0, label %4\n  ]\n    #dbg_value(i32 0)\n\n4:\n  ret i32 0\n}\n";
        assert_eq!(super::instructions(text), 3);
    }
}
