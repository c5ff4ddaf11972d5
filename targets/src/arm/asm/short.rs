//! T32's instructions of 16 bits.

use super::super::encode::ops::*;
use super::insn::{CONDITIONS, Insn, SHIFTS, list, register};

const ALU: [&str; 16] =
    ["and", "eor", "lsl", "lsr", "asr", "adc", "sbc", "ror", "tst", "rsb", "cmp", "cmn", "orr", "mul", "bic", "mvn"];
const INDEXED: [&str; 8] = ["str", "strh", "strb", "ldrsb", "ldr", "ldrh", "ldrb", "ldrsh"];

impl Insn {
    /// A low register.
    fn low(&self, from: u32) -> &'static str {
        register(self.bits(from, 3))
    }

    /// A name of what sets the flags, save under a condition.
    fn sets(&self, name: &str) -> String {
        if self.condition == 14 { format!("{name}s") } else { name.to_string() }
    }

    pub(super) fn short(&self) -> Option<String> {
        let word = self.word;
        let (d, n, m) = (self.low(0), self.low(3), self.low(6));
        let (eight, middle) = (self.bits(0, 8), self.low(8));
        Some(match word >> 11 {
            0 if self.bits(6, 5) == 0 => self.line(&self.sets("mov"), format_args!("{d}, {n}")),
            0..3 => {
                let shift = (word >> 11) as usize;
                let by = if shift > 0 && self.bits(6, 5) == 0 { 32 } else { self.bits(6, 5) };
                self.line(&self.sets(SHIFTS[shift]), format_args!("{d}, {n}, #{by}"))
            }
            3 => {
                let name = self.sets(if self.bit(9) { "sub" } else { "add" });
                let last = if self.bit(10) { format!("#{}", self.bits(6, 3)) } else { m.to_string() };
                self.line(&name, format_args!("{d}, {n}, {last}"))
            }
            5 => self.line("cmp", format_args!("{middle}, #{eight}")),
            4..8 => {
                let name = self.sets(["mov", "", "add", "sub"][(word >> 11 & 3) as usize]);
                self.line(&name, format_args!("{middle}, #{eight}"))
            }
            8 if !self.bit(10) => match ALU[self.bits(6, 4) as usize] {
                name @ ("tst" | "cmp" | "cmn") => self.line(name, format_args!("{d}, {n}")),
                name @ "rsb" => self.line(&self.sets(name), format_args!("{d}, {n}, #0")),
                name @ "mul" => self.line(&self.sets(name), format_args!("{d}, {n}, {d}")),
                name => self.line(&self.sets(name), format_args!("{d}, {n}")),
            },
            8 => {
                let (d, m) = (register(self.bits(7, 1) << 3 | self.bits(0, 3)), register(self.bits(3, 4)));
                match self.bits(8, 2) {
                    3 => self.line(if self.bit(7) { "blx" } else { "bx" }, m),
                    k => self.line(["add", "cmp", "mov"][k as usize], format_args!("{d}, {m}")),
                }
            }
            10 | 11 => self.line(INDEXED[self.bits(9, 3) as usize], format_args!("{d}, [{n}, {m}]")),
            12..18 => {
                let (size, suffix) = [(4, ""), (1, "b"), (2, "h")][(word >> 12) as usize - 6];
                let name = format!("{}{suffix}", if self.bit(11) { "ldr" } else { "str" });
                self.line(&name, format_args!("{d}, [{n}, #{}]", self.bits(6, 5) * size))
            }
            18 => self.line("str", format_args!("{middle}, [sp, #{}]", 4 * eight)),
            19 => self.line("ldr", format_args!("{middle}, [sp, #{}]", 4 * eight)),
            21 => self.line("add", format_args!("{middle}, sp, #{}", 4 * eight)),
            22 | 23 => return self.miscellaneous(),
            24 => self.line("stm", format_args!("{middle}!, {}", list(eight))),
            25 => {
                let back = if eight >> self.bits(8, 3) & 1 != 0 { "" } else { "!" };
                self.line("ldm", format_args!("{middle}{back}, {}", list(eight)))
            }
            26 | 27 => match self.bits(8, 4) {
                14 => format!("udf\t#{eight}"),
                15 => self.line("svc", format_args!("#{eight}")),
                c => format!("b{}.n\t{}", CONDITIONS[c as usize], self.expression.as_deref()?),
            },
            28 => self.line("b.n", self.expression.as_deref()?),
            _ => return None,
        })
    }

    fn miscellaneous(&self) -> Option<String> {
        let (d, m, eight) = (self.low(0), self.low(3), self.bits(0, 8));
        let more = |n: u32| self.bits(8, 1) << n | eight;
        Some(match self.word >> 8 & 15 {
            0 => {
                let name = if self.bit(7) { "sub" } else { "add" };
                self.line(name, format_args!("sp, #{}", 4 * self.bits(0, 7)))
            }
            1 | 3 | 9 | 11 => {
                let name = if self.bit(11) { "cbnz" } else { "cbz" };
                format!("{name}\t{d}, {}", self.expression.as_deref()?)
            }
            2 => {
                let name = ["sxth", "sxtb", "uxth", "uxtb"][self.bits(6, 2) as usize];
                self.line(name, format_args!("{d}, {m}"))
            }
            4 | 5 => self.line("push", list(more(14))),
            10 => {
                let name = ["rev", "rev16", "", "revsh"][self.bits(6, 2) as usize];
                self.line(name, format_args!("{d}, {m}"))
            }
            12 | 13 => self.line("pop", list(more(15))),
            14 => format!("bkpt\t#{eight}"),
            15 if self.bits(0, 4) != 0 => {
                let (condition, mask) = (self.bits(4, 4), self.bits(0, 4));
                // A letter for each bit above the lowest that is one.
                let count = 3 - mask.trailing_zeros();
                let letter = |k: u32| if (mask >> (3 - k) ^ condition) & 1 == 0 { 't' } else { 'e' };
                let letters: String = (0..count).map(letter).collect();
                format!("it{letters}\t{}", CONDITIONS.get(condition as usize)?)
            }
            15 => {
                let (_, name) = HINT.names.iter().find(|(words, _)| words.t32 == self.word)?;
                self.line(name, "")
            }
            _ => return None,
        })
    }
}
