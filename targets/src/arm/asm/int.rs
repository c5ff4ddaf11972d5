//! Everything with general-purpose registers but T32's instructions of 16 bits.

use super::super::encode::ops::*;
use super::insn::{CONDITIONS, Insn, SHIFTS, list, register};

impl Insn {
    pub(super) fn general(&self) -> Option<String> {
        self.control()
            .or_else(|| self.registers())
            .or_else(|| self.data())
            .or_else(|| self.fields())
            .or_else(|| self.access())
            .or_else(|| self.pairs())
    }

    /// Branches and what is about the processor.
    fn control(&self) -> Option<String> {
        let to = self.expression.as_deref().unwrap_or(".");
        let branch = match (self.t32, self.word >> 24 & 15) {
            (true, _) if self.word >> 27 == 0x1e => match self.word & 0xd000 {
                0xd000 => Some("bl".to_string()),
                0x9000 => Some("b.w".to_string()),
                0x8000 if self.bits(22, 4) < 14 => Some(format!("b{}.w", CONDITIONS[self.bits(22, 4) as usize])),
                _ => None,
            },
            (false, 10) if self.word >> 28 < 15 => Some("b".to_string()),
            (false, 11) if self.word >> 28 < 15 => Some("bl".to_string()),
            _ => None,
        };
        if let Some(name) = branch {
            return Some(self.line(&name, to));
        }
        let t = self.r(12, 12);
        let (hint, trap, to_register) = (&HINT, &TRAP, &RBRANCH);
        // T32 has these in 16 bits.
        let a32 = |table| if self.t32 { None } else { self.name(table) };
        if let Some(name) = a32(hint) {
            return Some(self.line(name, ""));
        }
        if let Some(name) = a32(trap) {
            return Some(format!("{name}\t#{}", self.bits(8, 12) << 4 | self.bits(0, 4)));
        }
        if let Some(name) = a32(to_register) {
            return Some(self.line(name, self.r(0, 3)));
        }
        if let Some(name) = self.name(&BARRIER) {
            return Some(self.line(name, format_args!("#{}", self.bits(0, 4))));
        }
        if let Some(name) = self.name(&COPROCESSOR)
            && self.bits(8, 4) > 11
        {
            let (p, n, m) = (self.bits(8, 4), self.bits(16, 4), self.bits(0, 4));
            let operands = format!("p{p}, #{}, {t}, c{n}, c{m}, #{}", self.bits(21, 3), self.bits(5, 3));
            return Some(self.line(name, operands));
        }
        Some(match (self.t32, self.word & 0x0fff_ffff) {
            (false, w) if w >> 24 == 15 && self.word >> 28 < 15 => self.line("svc", format_args!("#{}", w & 0xff_ffff)),
            (false, w) if self.word >> 28 == 15 && w & 0xff0_f000 == 0x5d0_f000 => self.prefetch(),
            (true, w) if w & 0xff0_f000 == 0x890_f000 => self.prefetch(),
            _ => return None,
        })
    }

    fn prefetch(&self) -> String {
        self.line("pld", format_args!("[{}, #{}]", self.r(16, 16), self.bits(0, 12)))
    }

    /// Instructions all of whose operands are registers.
    fn registers(&self) -> Option<String> {
        let plain = [&EXTEND_BYTES, &RRR, &RRRR, &LONG_PRODUCT, &PARALLEL, &SATURATING, &EXTEND, &RR];
        let memory = [&ORDERED, &CONDITIONAL, &CONDITIONAL_WORD];
        let tables = plain.into_iter().map(|table| (table, false)).chain(memory.map(|table| (table, true)));
        for (table, address) in tables {
            let Some(name) = self.name(table) else { continue };
            let places = table.places[usize::from(self.t32)].iter();
            let mut list: Vec<String> = places.map(|&p| register(self.bits(p.into(), 4)).to_string()).collect();
            // One that T32 names twice.
            if table.names.first() == RR.names.first() {
                list.pop();
            }
            if let (Some(last), true) = (list.last_mut(), address) {
                *last = format!("[{last}]");
            }
            return Some(self.line(name, list.join(", ")));
        }
        None
    }

    /// The number in data processing.
    fn modified(&self) -> u32 {
        let byte = self.bits(0, 8);
        if !self.t32 {
            return byte.rotate_right(2 * self.bits(8, 4));
        }
        let how = self.bits(26, 1) << 4 | self.bits(12, 3) << 1 | byte >> 7;
        match how >> 1 {
            0 => byte,
            1 => byte | byte << 16,
            2 => byte << 8 | byte << 24,
            3 => byte * 0x0101_0101,
            _ => (byte | 0x80).rotate_right(how),
        }
    }

    /// A shift's amount.
    fn amount(&self) -> u32 {
        if self.t32 { self.bits(12, 3) << 2 | self.bits(6, 2) } else { self.bits(7, 5) }
    }

    /// The last operand of data processing.
    fn operand(&self, number: bool) -> String {
        let m = self.r(0, 0);
        let kind = self.bits(if self.t32 { 4 } else { 5 }, 2) as usize;
        match (self.amount(), kind) {
            _ if number => self.number(self.modified()),
            _ if !self.t32 && self.bit(4) => format!("{m}, {} {}", SHIFTS[kind], self.r(8, 8)),
            (0, 0) => m.to_string(),
            (0, 3) => format!("{m}, rrx"),
            (by, _) => format!("{m}, {} #{}", SHIFTS[kind], if by == 0 { 32 } else { by }),
        }
    }

    fn data(&self) -> Option<String> {
        let (d, n) = (self.r(12, 8), self.r(16, 16));
        let number = if self.t32 { self.word >> 27 == 0x1e } else { self.bit(25) };
        if self.t32 && number && self.word & 0x0300_8000 == 0x0200_0000 {
            return self.plain_number();
        }
        let right = match self.t32 {
            true => self.word & 0x8000 == 0 && (number && !self.bit(25) || self.word >> 25 == 0x75),
            false => self.bits(26, 2) == 0 && self.word >> 28 < 15 && (number || !(self.bit(4) && self.bit(7))),
        };
        // T32's form with a number is looked up as that with registers.
        let word = if self.t32 && number { (self.word & !(1 << 26)) ^ 0x1a00_0000 } else { self.word };
        let known = Insn { word, expression: None, ..*self };
        if !right {
            return self.shift_by_register();
        }
        let m = self.operand(number);
        let s = if self.bit(20) { "s" } else { "" };
        if let Some(name) = known.name(&COMPARE) {
            return Some(self.line(name, format_args!("{n}, {m}")));
        }
        // What else would have a number of another form.
        let wide = if self.t32 && number { ".w" } else { "" };
        if let Some(name) = known.name(&UNARY) {
            let shift = m.split_once(", ").filter(|_| name == "mov");
            return Some(match shift {
                Some((m, "rrx")) => self.line(&format!("rrx{s}"), format_args!("{d}, {m}")),
                Some((m, how)) => {
                    let (shift, by) = how.split_once(' ')?;
                    self.line(&format!("{shift}{s}"), format_args!("{d}, {m}, {by}"))
                }
                None => {
                    let wide = if name == "mov" { wide } else { "" };
                    self.line(&format!("{name}{s}{wide}"), format_args!("{d}, {m}"))
                }
            });
        }
        let name = known.name(&DATA)?;
        let wide = if matches!(name, "add" | "sub") { wide } else { "" };
        Some(self.line(&format!("{name}{s}{wide}"), format_args!("{d}, {n}, {m}")))
    }

    /// T32's `addw`, `subw`, `movw` and `movt`, and an address near the code.
    fn plain_number(&self) -> Option<String> {
        let d = self.r(12, 8);
        let low = self.bits(26, 1) << 11 | self.bits(12, 3) << 8 | self.bits(0, 8);
        match self.word & 0xfbff_8000 {
            _ if self.name(&WIDE).is_some() => return self.halves(self.bits(16, 4) << 12 | low),
            _ => {}
        }
        let name = match self.word & 0xfbf0_8000 {
            0xf200_0000 => "addw",
            0xf2a0_0000 => "subw",
            _ => return None,
        };
        Some(self.line(name, format_args!("{d}, {}, #{low}", self.r(16, 16))))
    }

    /// `movw` and `movt`.
    fn halves(&self, n: u32) -> Option<String> {
        self.name(&WIDE).map(|name| self.line(name, format_args!("{}, {}", self.r(12, 8), self.number(n))))
    }

    /// T32's shifts by a register; A32 has them as operands.
    fn shift_by_register(&self) -> Option<String> {
        if !self.t32 || self.word & 0xff80_f0f0 != 0xfa00_f000 {
            return None;
        }
        let name = format!("{}{}", SHIFTS[self.bits(21, 2) as usize], if self.bit(20) { "s" } else { "" });
        Some(self.line(&name, format_args!("{}, {}, {}", self.r(8, 8), self.r(16, 16), self.r(0, 0))))
    }

    /// Fields of bits.
    fn fields(&self) -> Option<String> {
        let (d, n) = (self.r(12, 8), self.r(0, 16));
        let by = self.amount();
        let last = if self.t32 { self.bits(0, 5) } else { self.bits(16, 5) };
        if let Some(name) = self.name(&BITFIELD) {
            let shift = if by == 0 { String::new() } else { format!(", lsl #{by}") };
            return Some(match name {
                "ssat" => self.line(name, format_args!("{d}, #{}, {n}{shift}", last + 1)),
                "usat" => self.line(name, format_args!("{d}, #{last}, {n}{shift}")),
                _ => self.line(name, format_args!("{d}, {n}, #{by}, #{}", last + 1)),
            });
        }
        if self.t32 { None } else { self.halves(self.bits(16, 4) << 12 | self.bits(0, 12)) }
    }

    /// Loads and stores of one register.
    fn access(&self) -> Option<String> {
        let t = self.r(12, 12);
        let (n, m) = (self.r(16, 16), self.r(0, 0));
        if self.t32 {
            let op = Insn { word: self.word | 1 << 23, expression: None, ..*self };
            let name = op.name(&ACCESS)?;
            let address = match (self.bit(23), self.bits(6, 6), self.bit(11)) {
                (true, ..) => self.address((true, false, true), self.bits(0, 12)),
                (_, 0, _) => match self.bits(4, 2) {
                    0 => format!("[{n}, {m}]"),
                    by => format!("[{n}, {m}, lsl #{by}]"),
                },
                (_, _, true) => self.address((self.bit(10), self.bit(8), self.bit(9)), self.bits(0, 8)),
                _ if n == "pc" => self.address((true, false, false), self.bits(0, 12)),
                _ => return None,
            };
            // Where a literal is, the short form could be, too.
            let wide = if n == "pc" { ".w" } else { "" };
            return Some(self.line(&format!("{name}{wide}"), format_args!("{t}, {address}")));
        }
        let mode = (self.bit(24), self.bit(21), self.bit(23));
        let extra = self.bits(25, 3) == 0 && self.word & 0x90 == 0x90;
        let (set, cleared) = if extra { (0x0140_0000, 0x0020_0f0f) } else { (0x0100_0000, 0x0220_0fff) };
        let op = Insn { word: (self.word | set | 1 << 23) & !cleared, expression: None, ..*self };
        let name = op.name(&ACCESS)?;
        let minus = if self.bit(23) { "" } else { "-" };
        let address = match (extra, self.bit(22), self.bit(25)) {
            (true, true, _) => self.address(mode, self.bits(8, 4) << 4 | self.bits(0, 4)),
            (true, false, _) => format!("[{n}, {minus}{m}]"),
            (_, _, false) => self.address(mode, self.bits(0, 12)),
            _ => match self.bits(7, 5) {
                0 => format!("[{n}, {minus}{m}]"),
                by => format!("[{n}, {minus}{m}, lsl #{by}]"),
            },
        };
        Some(self.line(name, format_args!("{t}, {address}")))
    }

    /// Loads and stores of more registers.
    fn pairs(&self) -> Option<String> {
        let (t, n) = (self.r(12, 12), self.r(16, 16));
        let u = if self.t32 { self.r(8, 8) } else { register((self.bits(12, 4) + 1) & 15) };
        if self.t32 && self.word & !15 == TBH {
            return Some(self.line("tbh", format_args!("[pc, {}, lsl #1]", self.r(0, 0))));
        }
        if let Some(name) = self.name(&MULTIPLE) {
            let back = if self.bit(21) { "!" } else { "" };
            return Some(self.line(name, format_args!("{n}{back}, {}", list(self.bits(0, 16)))));
        }
        if let Some(name) = self.name(&ORDERED_PAIR) {
            return Some(self.line(name, format_args!("{t}, {u}, [{n}]")));
        }
        let name = self.name(&CONDITIONAL_PAIR)?;
        let (d, t) = (self.r(12, 0), self.r(0, 12));
        let u = if self.t32 { u } else { register((self.bits(0, 4) + 1) & 15) };
        Some(self.line(name, format_args!("{d}, {t}, {u}, [{n}]")))
    }
}
