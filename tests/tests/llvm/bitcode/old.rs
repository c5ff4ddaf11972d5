//! Records of functions from before LLVM 3.7, which no clang here writes: a module of them, written bit by bit
//! (LLVM, "LLVM Bitcode File Format").

use super::{compare, printed};
use gusset::{Source, TranslateOptions};
use gusset_tests::tools::{limited, succeed, work_folder};

/// A stream of bits.
#[derive(Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
    used: u32,
    /// Widths of the numbers of abbreviations, and where the lengths of the open blocks are.
    open: Vec<(u32, usize)>,
}

impl Writer {
    /// A file with a module, whose block has these contents.
    pub(super) fn module(inside: impl FnOnce(&mut Writer)) -> Vec<u8> {
        let mut w = Writer { bytes: b"BC\xc0\xde".to_vec(), used: 32, open: Vec::new() };
        w.block(8, inside);
        w.bytes
    }

    fn fixed(&mut self, value: u64, bits: u32) {
        for at in 0..bits {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            let last = self.bytes.len() - 1;
            self.bytes[last] |= ((value >> at & 1) as u8) << (self.used % 8);
            self.used += 1;
        }
    }

    fn variable(&mut self, mut value: u64, bits: u32) {
        let more = 1u64 << (bits - 1);
        while value >= more {
            self.fixed(value & (more - 1) | more, bits);
            value >>= bits - 1;
        }
        self.fixed(value, bits);
    }

    fn align(&mut self) {
        let rest = self.used.next_multiple_of(32) - self.used;
        self.fixed(0, rest);
    }

    fn width(&self) -> u32 {
        self.open.last().map_or(2, |open| open.0)
    }

    pub(super) fn block(&mut self, number: u64, inside: impl FnOnce(&mut Writer)) {
        const WIDTH: u32 = 3;
        self.fixed(1, self.width());
        self.variable(number, 8);
        self.variable(WIDTH.into(), 4);
        self.align();
        self.open.push((WIDTH, self.bytes.len()));
        self.fixed(0, 32);
        inside(self);
        self.fixed(0, WIDTH);
        self.align();
        if let Some((_, at)) = self.open.pop() {
            let words = ((self.bytes.len() - at - 4) / 4) as u32;
            self.bytes[at..at + 4].copy_from_slice(&words.to_le_bytes());
        }
    }

    pub(super) fn record(&mut self, code: u64, fields: &[u64]) {
        self.fixed(3, self.width());
        self.variable(code, 6);
        self.variable(fields.len() as u64, 6);
        fields.iter().for_each(|&field| self.variable(field, 6));
    }

    pub(super) fn text(&mut self, code: u64, first: &[u64], text: &str) {
        let fields: Vec<u64> = first.iter().copied().chain(text.bytes().map(u64::from)).collect();
        self.record(code, &fields);
    }
}

// Types by their numbers.
const I32: u64 = 0;
const I8_PTR: u64 = 2;
const I32_PTR: u64 = 3;
const PAIR_PTR: u64 = 5;
const BODY: u64 = 6;
const CALLEE_PTR: u64 = 9;
const PERSONALITY_PTR: u64 = 11;
const EXCEPTION: u64 = 12;
const TABLE: u64 = 13;
const TABLE_PTR: u64 = 14;

fn types(w: &mut Writer) {
    w.record(1, &[15]);
    for (code, fields) in [
        (7, &[32][..]),
        (7, &[8]),
        (8, &[1, 0]),
        (8, &[I32, 0]),
        (18, &[0, I32, I32]),
        (8, &[4, 0]),
        (21, &[0, I32, I32_PTR, PAIR_PTR]),
        (8, &[BODY, 0]),
        (21, &[0, I32, I32]),
        (8, &[8, 0]),
        (21, &[1, I32]),
        (8, &[10, 0]),
        (18, &[0, I8_PTR, I32]),
        (11, &[4, I32]),
        (8, &[TABLE, 0]),
    ] {
        w.record(code, fields);
    }
}

// Values by their numbers: those of the module, then those of the function.
const TABLE_ADDRESS: u64 = 0;
const CALLEE: u64 = 2;
const PERSONALITY: u64 = 3;
const ZEROS: u64 = 4;
const POINTER: u64 = 5;
const PAIR: u64 = 6;
const ZERO: u64 = 7;
const ONE: u64 = 8;
const ROUTINE: u64 = 9;
const SECOND: u64 = 10;
const FIRST_RESULT: u64 = 11;

/// Makes the fields of a record by a function that gives the number of a value as an operand.
type Fields<'a> = &'a dyn Fn(&dyn Fn(u64) -> u64) -> Vec<u64>;

/// The body: each instruction with its operands relative to the number of the next value.
fn body(w: &mut Writer) {
    const SEQ_CST: u64 = 6;
    const RANGES: u64 = 0x4b5 << 16;
    w.record(1, &[5]);
    w.block(11, |w| {
        w.record(1, &[I32]);
        w.record(4, &[0]);
        w.record(4, &[2]);
        w.record(1, &[I8_PTR]);
        w.record(11, &[11, PERSONALITY_PTR, PERSONALITY]);
        w.record(1, &[I32_PTR]);
        w.record(20, &[TABLE_PTR, TABLE_ADDRESS, I32, ZERO, I32, ONE]);
    });
    let mut next = FIRST_RESULT;
    let mut result = |w: &mut Writer, code: u64, make: Fields<'_>| {
        let fields = make(&|id| next - id);
        w.record(code, &fields);
        next += 1;
        next - 1
    };
    let address = result(w, 30, &|rel| vec![rel(PAIR), rel(ZERO), rel(ONE)]);
    let loaded = result(w, 20, &|rel| vec![rel(address), 3, 0]);
    // A `store` has no result.
    let at = loaded + 1;
    w.record(24, &[at - POINTER, at - loaded, 3, 0]);
    let other = result(w, 20, &|rel| vec![rel(SECOND), 3, 1]);
    let sum = result(w, 2, &|rel| vec![rel(loaded), rel(other), 0]);
    let before = result(w, 38, &|rel| vec![rel(POINTER), rel(sum), 1, 0, SEQ_CST, 1]);
    let exchanged = result(w, 37, &|rel| vec![rel(POINTER), rel(before), rel(sum), 0, SEQ_CST, 1]);
    let atomic = result(w, 41, &|rel| vec![rel(POINTER), 3, 0, SEQ_CST, 1]);
    w.record(42, &[atomic + 1 - POINTER, atomic + 1 - atomic, 3, 0, SEQ_CST, 1]);
    let called = result(w, 34, &|rel| vec![0, 0, rel(CALLEE), rel(exchanged)]);
    let invoked = result(w, 13, &|rel| vec![0, 0, 1, 2, rel(CALLEE), rel(called)]);
    // Two cases: from 1 to 3, and 7.
    w.record(12, &[RANGES, I32, 1, 3, 2, 1, 0, 2, 6, 4, 1, 1, 14, 4]);
    let pad = result(w, 40, &|rel| vec![EXCEPTION, rel(ROUTINE), 1, 0]);
    w.record(39, &[1]);
    w.record(10, &[pad + 1 - invoked]);
    w.record(10, &[pad + 1 - before]);
}

fn module() -> Vec<u8> {
    Writer::module(|w| {
        w.record(1, &[1]);
        w.block(9, |w| {
            // Of the body: the pair is passed by value, aligned to 8 bytes. Of the callee: `signext` and `noinline`. Bits from 21 on are eleven higher.
            w.record(1, &[2, 8 << 16 | 1 << 7, 0xffff_ffff, 1 << 41]);
            w.record(1, &[1, 1 << 1, 0xffff_ffff, 1 << 11]);
        });
        w.block(17, types);
        w.text(16, &[], "old");
        w.record(7, &[TABLE_PTR, 0, ZEROS + 1, 0, 0, 0]);
        w.record(8, &[7, 0, 0, 0, 1, 0, 0, 0]);
        w.record(8, &[CALLEE_PTR, 0, 1, 0, 2, 0, 0, 0]);
        w.record(8, &[PERSONALITY_PTR, 0, 1, 0, 0, 0, 0, 0]);
        w.block(11, |w| {
            w.record(1, &[TABLE]);
            w.record(2, &[]);
        });
        w.block(12, body);
        w.block(14, |w| {
            for (value, name) in ["table", "body", "callee", "__gxx_personality_v0"].into_iter().enumerate() {
                w.text(1, &[value as u64], name);
            }
        });
    })
}

/// A module of functions that do nothing, each with string attributes.
fn attributes(all: &[&[(&str, &str)]]) -> Vec<u8> {
    Writer::module(|w| {
        w.record(1, &[1]);
        w.block(10, |w| {
            for (number, list) in (1..).zip(all) {
                let mut fields = vec![number, 0xffff_ffff];
                for (name, value) in *list {
                    // A key with a value, or without one.
                    fields.push(if value.is_empty() { 3 } else { 4 });
                    for text in [name, value].into_iter().filter(|text| !text.is_empty()) {
                        fields.extend(text.bytes().map(u64::from).chain([0]));
                    }
                }
                w.record(3, &fields);
            }
        });
        w.block(9, |w| (1..).zip(all).for_each(|(number, _)| w.record(2, &[number])));
        w.block(17, |w| {
            w.record(1, &[3]);
            w.record(2, &[]);
            w.record(21, &[0, 0]);
            w.record(8, &[1, 0]);
        });
        w.text(16, &[], "old");
        (1..).zip(all).for_each(|(list, _)| w.record(8, &[2, 0, 0, 0, list, 0, 0, 0]));
        for _ in all {
            w.block(12, |w| {
                w.record(1, &[1]);
                w.record(10, &[]);
            });
        }
        w.block(14, |w| (0..all.len()).for_each(|value| w.text(1, &[value as u64], &format!("f{value}"))));
    })
}

/// Compares so many objects and the translation with what LLVM makes of a module; `parts` are in its text.
pub(super) fn check(module: Vec<u8>, (name, objects): (&str, usize), parts: &[&str]) {
    let folder = work_folder("bitcode");
    let [file, own] = ["bc", "translated.ll"].map(|ending| folder.join(format!("{name}.{ending}")));
    std::fs::write(&file, module).unwrap();
    let program = printed(&file).unwrap();
    let shown = String::from_utf8_lossy(&program.text).into_owned();
    for part in parts {
        assert!(shown.contains(part), "`{part}` is not in\n{shown}");
    }
    assert_eq!(compare(&program, name), objects);
    let source = Source { name: "old", text: &program.bitcode };
    std::fs::write(&own, gusset::translate(source, &TranslateOptions::new()).unwrap().text).unwrap();
    let [theirs, ours] = [&file, &own].map(|file| {
        let text = succeed(limited(60, "opt-19").arg("-S").arg(file)).unwrap().stdout;
        let lines = String::from_utf8_lossy(&text).into_owned();
        lines
            .lines()
            .filter(|line| !line.starts_with("; ModuleID") && !line.starts_with("source_filename"))
            .fold(String::new(), |all, line| all + line + "\n")
    });
    assert_eq!(ours, theirs);
}

#[test]
fn records_without_types_are_read() {
    let parts = ["byval({ i32, i32 })", "cmpxchg", "switch i32", "personality ptr @__gxx_personality_v0"];
    check(module(), ("old", 5), &parts);
}

/// Attributes that were strings of other names are those of now, for code and for translation.
#[test]
fn old_attributes_are_those_of_now() {
    const ELIM: &str = "no-frame-pointer-elim";
    const NON_LEAF: &str = "no-frame-pointer-elim-non-leaf";
    let lists: [&[(&str, &str)]; 6] = [
        &[(ELIM, "true")],
        &[(ELIM, "false")],
        &[(NON_LEAF, "")],
        &[(ELIM, "false"), (NON_LEAF, "")],
        &[(ELIM, "true"), (NON_LEAF, "")],
        &[("null-pointer-is-valid", "true"), ("other", "1")],
    ];
    check(attributes(&lists), ("old-attributes", 5), &["\"frame-pointer\"=\"all\"", "null_pointer_is_valid"]);
}
