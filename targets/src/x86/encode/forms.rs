//! The table of instructions: for each form its opcode and a template, from which its text and its effects follow.
//!
//! A template has a name and operands in the order of AT&T syntax, source first. In braces the name has fields: `{v}` is the letter
//! of the operand size, `{s}` the same or `b` if the opcode is even, `{y}` that of four or eight bytes, `{n}` that of a word, `{c}` a
//! condition. Other fields choose a word of [`CHOICES`], by bits of the opcode or, after a slash, by ModRM's field `reg`.
//!
//! An operand begins with `=` if the instruction changes it, with `~` if all but `cmp` do, with `-=` if it is changed
//! but not written. `*` is written before targets of indirect branches. Then a letter says where the operand is, mostly
//! as in Intel SDM volume 2, appendix A.2, and another one says its size:
//!
//! | letter | place |
//! |---|---|
//! | `E` `R` `M` | ModRM's `r/m`, a general register or memory, only a register, only memory |
//! | `D` | the same as `E`, left out if it is the register of `reg` |
//! | `G` `Z` `B` | a general register of ModRM's `reg`, of the opcode's lowest bits, of VEX's `vvvv` |
//! | `W` `U` | ModRM's `r/m`, a vector register or memory, only a register |
//! | `V` `H` | a vector register of ModRM's `reg`, of VEX's `vvvv` |
//! | `S` | an x87 register of the opcode's lowest bits |
//! | `O` | memory by its address alone, without ModRM |
//! | `I` `P` | an immediate, one that is part of the name if the name has a word for it |
//! | `J` | the target of a relative branch |
//! | `a` `c` `d` `f` | the accumulator, count, data or frame register |
//!
//! The sizes are `b` `w` `l` `q` for one to eight bytes, `x` for vectors and operands without a size, and `s`, `v`,
//! `y`, `n` as in names; immediates have `z` for two or four bytes, and `p` for a pair of bytes. What begins with `%` or `$` is text.

use super::opcode::Op;

/// Fields of names: the opcode bits with the number of the word, and the words.
#[cfg(feature = "asm")]
pub(crate) const CHOICES: [(&str, u32, &[&str]); 6] = [
    ("c", 0, &["o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"]),
    ("alu", 3, &["add", "or", "adc", "sbb", "and", "sub", "xor", "cmp"]),
    ("shift", 3, &["rol", "ror", "rcl", "rcr", "shl", "shr", "sal", "sar"]),
    ("x87", 3, &["add", "mul", "com", "comp", "sub", "subr", "div", "divr"]),
    ("fcmov", 3, &["b", "e", "be", "u"]),
    ("hint", 3, &["nta", "t0", "t1", "t2"]),
];

/// A template in a form for matching machine code.
struct Template {
    text: &'static str,
    /// Bits of the opcode's last byte that differ between forms.
    variable: u32,
    modrm: Modrm,
    /// Whether prefix 66, and whether REX.W, says the size of operands.
    has_words: bool,
    has_wide: bool,
}

/// The kind of ModRM byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Modrm {
    Missing,
    Any,
    Memory,
    Register,
}

impl Template {
    const fn new(text: &'static str) -> Template {
        let mut t = Template { text, variable: 0, modrm: Modrm::Missing, has_words: false, has_wide: false };
        let (bytes, mut at) = (text.as_bytes(), 0);
        while at < bytes.len() && bytes[at] != b' ' {
            if bytes[at] == b'{' {
                match bytes[at + 1] {
                    b'c' => t.variable |= 0x0f,
                    b'a' | b'x' => t.variable |= 0x38,
                    b'f' => t.variable |= 0x18,
                    b'/' => t.modrm = Modrm::Any,
                    size => t.sized(size),
                }
            }
            at += 1;
        }
        while at < bytes.len() {
            at += 1;
            while matches!(bytes[at], b'-' | b'=' | b'~' | b'*') {
                at += 1;
            }
            match bytes[at] {
                b'E' | b'D' | b'G' | b'W' | b'V' if matches!(t.modrm, Modrm::Missing) => t.modrm = Modrm::Any,
                b'M' => t.modrm = Modrm::Memory,
                b'R' | b'U' => t.modrm = Modrm::Register,
                b'Z' | b'S' => t.variable |= 7,
                _ => {}
            }
            if !matches!(bytes[at], b'%' | b'$') {
                t.sized(bytes[at + 1]);
            }
            while at < bytes.len() && bytes[at] != b' ' {
                at += 1;
            }
        }
        t
    }

    const fn sized(&mut self, size: u8) {
        self.has_words |= matches!(size, b's' | b'v');
        self.has_wide |= matches!(size, b's' | b'v' | b'y');
        self.variable |= (size == b's') as u32;
    }
}

/// Forms that share a template; it comes after their names.
pub(crate) struct Forms {
    template: Template,
    is_vex: bool,
    rows: &'static [Row],
}

/// A form, for matching machine code.
pub(super) struct Row {
    /// The opcode, and the opcode extension in ModRM, where bits of `mask` are set.
    code: u32,
    mask: u32,
    prefix: u8,
    is_wide: bool,
    /// The length of the opcode.
    len: u8,
    /// The name of the constant; empty if the template has the whole name.
    #[cfg_attr(not(feature = "asm"), expect(dead_code, reason = "it is of text alone"))]
    name: &'static str,
}

impl Row {
    /// With the opcode extension in ModRM, if it has one.
    pub(super) const fn new(template: &'static str, op: Op, extension: Option<u8>, name: &'static str) -> Row {
        let last = 8 * op.len as u32 - 8;
        let t = Template::new(template);
        let mut row = Row {
            code: op.code,
            mask: !0 >> (24 - last) & !(t.variable << last),
            prefix: op.prefix as u8,
            is_wide: op.is_wide(),
            len: op.len,
            name,
        };
        if let Some(extension) = extension {
            row.code |= (extension as u32) << (last + 11);
            row.mask |= 0x38 << (last + 8);
        }
        row
    }
}

impl Forms {
    pub(super) const fn new(template: &'static str, rows: &'static [Row]) -> Forms {
        Forms { template: Template::new(template), is_vex: false, rows }
    }

    pub(super) const fn vex(template: &'static str, rows: &'static [Row]) -> Forms {
        Forms { template: Template::new(template), is_vex: true, rows }
    }

    /// The forms that may have an opcode that begins with this many bytes, the lowest of a word.
    pub(crate) fn of_opcode(&'static self, word: u32, len: u8) -> impl Iterator<Item = Form> {
        let opcode = !0 >> (32 - 8 * u32::from(len));
        let rows = self.rows.iter().filter(move |row| row.len >= len && (word ^ row.code) & row.mask & opcode == 0);
        rows.map(|row| {
            let (template, is_vex) = (&self.template, self.is_vex);
            let operands: Box<[Operand]> = template.text.split(' ').skip(1).map(Operand::new).collect();
            let some = |has: fn(&Operand) -> bool| operands.iter().copied().filter(has).collect();
            let (fields, changed) = (some(Operand::is_field), some(|operand| operand.change != Change::Never));
            let Row { code, mask, .. } = *row;
            let mut form = Form { row, template, is_vex, code, mask, prefixes: 0, operands, fields, changed };
            let fitting = (0..64).filter(|&number| form.fits_prefixes(Prefixes::of_number(number)));
            form.prefixes = fitting.fold(0, |set, number| set | 1 << number);
            form
        })
    }
}

/// The prefixes of an opcode.
#[derive(Clone, Copy, Default)]
pub(crate) struct Prefixes {
    /// Prefix 66.
    pub has_66: bool,
    /// F2, F3, or zero.
    pub repeat: u8,
    /// The bits WRXB of a REX or VEX prefix, if there is one.
    pub rex: Option<u8>,
    pub is_vex: bool,
}

impl Prefixes {
    /// Numbers below 64 for prefixes between which forms distinguish.
    pub(crate) fn number(self) -> u32 {
        let rex = self.rex.unwrap_or(0);
        let bits = [self.has_66, rex & Op::W != 0, rex & 7 != 0, self.is_vex].map(u32::from);
        bits[0] | bits[1] << 1 | bits[2] << 2 | bits[3] << 3 | u32::from(self.repeat & 3) << 4
    }

    /// Prefixes with such a number.
    fn of_number(number: u32) -> Prefixes {
        let has = |bit: u32| number >> bit & 1 != 0;
        let rex = if has(1) { Op::W } else { 0 } | u8::from(has(2));
        Prefixes { has_66: has(0), repeat: [0, 0, 0xf2, 0xf3][number as usize >> 4], rex: Some(rex), is_vex: has(3) }
    }
}

/// A form of an instruction.
pub(crate) struct Form {
    row: &'static Row,
    template: &'static Template,
    is_vex: bool,
    code: u32,
    mask: u32,
    /// The numbers of the prefixes that it may have.
    prefixes: u64,
    #[cfg_attr(not(feature = "asm"), expect(dead_code, reason = "it is of text alone"))]
    pub operands: Box<[Operand]>,
    /// The operands that have bytes of their own or are targets of indirect branches.
    pub fields: Box<[Operand]>,
    /// The operands that the instruction may change.
    pub changed: Box<[Operand]>,
}

impl Form {
    /// Does an opcode, in the lowest bytes of a word, that follows prefixes with this number have this form?
    #[inline]
    pub(crate) fn fits(&self, prefixes: u32, word: u32) -> bool {
        word & self.mask == self.code && self.prefixes >> prefixes & 1 != 0 && self.fits_mode(word)
    }

    fn fits_mode(&self, word: u32) -> bool {
        let mode = (u64::from(word) >> (8 * self.row.len + 6)) as u8 & 3;
        match self.template.modrm {
            Modrm::Missing | Modrm::Any => true,
            Modrm::Memory => mode != 3,
            Modrm::Register => mode == 3,
        }
    }

    fn fits_prefixes(&self, prefixes: Prefixes) -> bool {
        let (row, t) = (self.row, self.template);
        let rex = prefixes.rex.unwrap_or(0);
        let (repeat, is_66) = if row.prefix == 0x66 { (0, true) } else { (row.prefix, false) };
        // Nothing extends a register's number where there is none.
        (t.modrm != Modrm::Missing || t.variable & 7 != 0 || rex & 7 == 0)
            && self.is_vex == prefixes.is_vex
            && prefixes.repeat == repeat
            && (prefixes.has_66 == is_66 || prefixes.has_66 && t.has_words && rex & Op::W == 0)
            && (row.is_wide == (rex & Op::W != 0) || t.has_wide && !row.is_wide)
    }

    /// The length of the opcode.
    pub(crate) fn len(&self) -> usize {
        self.row.len.into()
    }

    pub(crate) fn has_modrm(&self) -> bool {
        self.template.modrm != Modrm::Missing
    }

    /// Does prefix 66 say that operands have two bytes?
    pub(crate) fn is_word(&self, prefixes: Prefixes) -> bool {
        prefixes.has_66 && self.row.prefix != 0x66
    }

    /// The constant's name in lower case, combined with the template's part of the name, which has fields in braces.
    #[cfg(feature = "asm")]
    pub(crate) fn name(&self) -> (impl Iterator<Item = char>, &'static str) {
        let name = self.row.name;
        let small = name[..name.find('_').unwrap_or(name.len())].chars().map(|c| c.to_ascii_lowercase());
        (small, self.template.text.split(' ').next().unwrap_or(""))
    }

    /// Is the arithmetic instruction with this opcode and ModRM byte the comparison?
    pub(crate) fn is_compare(&self, opcode: u8, modrm: u8) -> bool {
        let byte = if self.template.text.starts_with("{/") { modrm } else { opcode };
        byte >> 3 & 7 == 7
    }
}

/// When an instruction changes an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Never,
    Always,
    /// Unless it is the comparison of the arithmetic opcodes in a row.
    UnlessCompare,
}

/// An operand of a template.
#[derive(Clone, Copy)]
pub(crate) struct Operand {
    signs: &'static str,
    change: Change,
    /// The letters of position and size.
    letters: [u8; 2],
    /// The same letters, or text.
    pub text: &'static str,
}

impl Operand {
    fn new(text: &'static str) -> Operand {
        let (signs, text) = text.split_at(text.find(|c| !"-=~*".contains(c)).unwrap_or(0));
        let change = match signs {
            "~" => Change::UnlessCompare,
            _ if signs.ends_with('=') => Change::Always,
            _ => Change::Never,
        };
        let letter = |at| text.as_bytes().get(at).copied().unwrap_or(0);
        Operand { signs, change, letters: [letter(0), letter(1)], text }
    }

    pub(crate) fn place(self) -> u8 {
        self.letters[0]
    }

    pub(crate) fn size(self) -> u8 {
        self.letters[1]
    }

    #[cfg(feature = "asm")]
    pub(crate) fn is_hidden(self) -> bool {
        self.signs.starts_with('-')
    }

    fn is_field(&self) -> bool {
        matches!(self.place(), b'I' | b'P' | b'J' | b'O') || self.is_indirect()
    }

    pub(crate) fn is_indirect(self) -> bool {
        self.signs == "*"
    }

    /// Does the instruction change it? Of the arithmetic instructions in a row only the comparison does not.
    pub(crate) fn is_written(self, is_compare: impl FnOnce() -> bool) -> bool {
        self.change == Change::Always || self.change == Change::UnlessCompare && !is_compare()
    }
}
