//! The data layout: sizes and alignments of LLVM's scalar types (LangRef, "Data Layout").

use gusset_abi::{AbiTarget, Arch, Env, LlvmScalar, LlvmType};

use crate::refusal::{Refusal, Result, refuse_if};

/// The alignment that a type must have, and the one that LLVM prefers for what it places itself, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alignment {
    /// The required alignment.
    pub abi: u32,
    /// The preferred alignment.
    pub preferred: u32,
}

const fn both(bytes: u32) -> Alignment {
    Alignment { abi: bytes, preferred: bytes }
}

const fn between(abi: u32, preferred: u32) -> Alignment {
    Alignment { abi, preferred }
}

/// Alignments of types.
#[derive(Clone, Debug)]
pub struct DataLayout {
    /// Bytes of a pointer.
    pub pointer_bytes: u32,
    pointer: Alignment,
    /// Width in bits and alignment, in order of width.
    ints: Vec<(u32, Alignment)>,
    floats: Vec<(u32, Alignment)>,
    vectors: Vec<(u32, Alignment)>,
    aggregate: Alignment,
    /// Address spaces whose pointers have another width.
    other_spaces: Vec<u32>,
    target: AbiTarget,
}

impl DataLayout {
    /// The layout that clang gives modules for `target`.
    pub fn of(target: &AbiTarget) -> DataLayout {
        let rules = gusset_abi::DataLayout::new(target);
        let of = |ty: LlvmType| match (rules.llvm(&ty), rules.llvm_preferred_align(&ty)) {
            (Ok(layout), Ok(preferred)) => between(layout.align, preferred),
            (Err(e), _) | (_, Err(e)) => unreachable!("types that every target has: {e}"),
        };
        let float = |bits, scalar| (bits, of(LlvmType::Scalar(scalar)));
        let bytes = |bits| (bits, of(LlvmType::Vector { lane: LlvmScalar::Int(8), lanes: bits / 8 }));
        DataLayout {
            pointer: of(LlvmType::PTR),
            ints: [1, 8, 16, 32, 64, 128].map(|bits| (bits, of(LlvmType::int(bits)))).into(),
            floats: vec![
                float(16, LlvmScalar::Half),
                float(32, LlvmScalar::Float),
                float(64, LlvmScalar::Double),
                float(80, LlvmScalar::X86Fp80),
                float(128, LlvmScalar::Fp128),
            ],
            vectors: vec![bytes(64), bytes(128)],
            aggregate: of(LlvmType::array(LlvmType::int(8), 0)),
            ..DataLayout::plain(target)
        }
    }

    /// The defaults for what a string does not say (LangRef, "Data Layout").
    fn plain(target: &AbiTarget) -> DataLayout {
        let pointer_bytes = target.pointer_bytes();
        DataLayout {
            pointer_bytes,
            pointer: both(pointer_bytes),
            ints: vec![(1, both(1)), (8, both(1)), (16, both(2)), (32, both(4)), (64, between(4, 8))],
            floats: vec![(16, both(2)), (32, both(4)), (64, both(8)), (128, both(16))],
            vectors: vec![(64, both(8)), (128, both(16))],
            aggregate: between(1, 8),
            other_spaces: Vec::new(),
            target: *target,
        }
    }

    /// The segment register that pointers into an address space are relative to, counted from 1, if there is one: 256
    /// is `gs`, 257 `fs`, 258 `ss` (LLVM, "The X86 Backend", "X86 address spaces").
    pub fn segment(&self, space: u32) -> Option<u32> {
        let x86 = matches!(self.target.arch, Arch::X86 | Arch::X86_64);
        (x86 && matches!(space, 256..=258)).then(|| space - 255)
    }

    /// Do pointers into an address space have another width than those into space 0? On x86, 270 and 271 have 32 bits
    /// and 272 has 64.
    pub fn is_other_space(&self, space: u32) -> bool {
        let x86 = matches!(self.target.arch, Arch::X86 | Arch::X86_64);
        let other = if self.pointer_bytes == 8 { matches!(space, 270 | 271) } else { space == 272 };
        x86 && other || self.other_spaces.contains(&space)
    }

    /// May programs have pointers of 32 and 64 bits side by side?
    pub fn has_mixed_pointers(&self) -> bool {
        matches!(self.target.arch, Arch::X86 | Arch::X86_64)
    }

    /// Takes a `target datalayout` string, which replaces the defaults unless it is empty, or for a machine whose pointers
    /// have another width, or whose bytes have another order: llc replaces every module's layout by its target's. The error says what is
    /// not supported.
    pub fn apply(&mut self, text: &str) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let mut layout = DataLayout::plain(&self.target);
        if !layout.apply_specs(text)? {
            return Ok(());
        }
        // LLVM upgrades strings of older versions (`UpgradeDataLayoutString`).
        if matches!(self.target.arch, Arch::X86 | Arch::X86_64) {
            if layout.ints.iter().all(|e| e.0 != 128) {
                layout.ints.push((128, both(16)));
            }
            if self.target.arch == Arch::X86 && self.target.env == Env::Msvc && text.contains("-f80:32-") {
                layout.apply_specs("f80:128")?;
            }
        }
        *self = layout;
        Ok(())
    }

    /// Whether the pointers have the target's width and the bytes its order.
    fn apply_specs(&mut self, text: &str) -> Result<bool> {
        let mut fits = true;
        for spec in text.split('-').filter(|s| !s.is_empty()) {
            let mut rest = spec.chars();
            let kind = rest.next().unwrap_or(' ');
            let mut parts = rest.as_str().split(':');
            let head = parts.next().unwrap_or("");
            let number = |s: Option<&str>| s.and_then(|s| s.parse::<u32>().ok());
            match kind {
                'e' | 'E' if spec.len() == 1 => fits &= (kind == 'E') == self.target.endian.is_big(),
                'p' if head.is_empty() || head == "0" => {
                    let bits = number(parts.next()).filter(|bits| (1..1 << 24).contains(bits));
                    let bits = bits.ok_or_else(|| unknown_spec(spec))?;
                    fits &= bits == self.pointer_bytes * 8;
                    self.pointer = alignment(spec, parts.next(), parts.next())?;
                    // The width of indices.
                    let wide = parts.next().is_some_and(|index| number(Some(index)).is_none_or(|index| index > bits));
                    refuse_if(wide, "an index of a data layout cannot be wider than its pointer")?;
                }
                'p' => {
                    check_number(spec, head)?;
                    if let (Ok(space), Some(bits)) = (head.parse(), number(parts.next()))
                        && bits != self.pointer_bytes * 8
                    {
                        self.other_spaces.push(space);
                    }
                }
                'i' | 'f' | 'v' => {
                    let Ok(bits) = head.parse::<u32>() else {
                        return Err(Refusal::new(format!("`{spec}` is not a layout of a type")));
                    };
                    refuse_if(!(1..1 << 24).contains(&bits), "a width in a data layout is a number of 24 bits")?;
                    let align = alignment(spec, parts.next(), parts.next())?;
                    let bytes = kind == 'i' && bits == 8 && align.abi != 1;
                    refuse_if(bytes, "a data layout aligns an `i8` to one byte")?;
                    let table = match kind {
                        'i' => &mut self.ints,
                        'f' => &mut self.floats,
                        _ => &mut self.vectors,
                    };
                    match table.binary_search_by_key(&bits, |e| e.0) {
                        Ok(at) => table[at].1 = align,
                        Err(at) => table.insert(at, (bits, align)),
                    }
                }
                'a' if head.is_empty() || head == "0" => self.aggregate = alignment(spec, parts.next(), parts.next())?,
                _ => check_spec(spec, kind, head)?,
            }
        }
        Ok(fits)
    }

    /// Alignment of pointers.
    pub fn pointer_align(&self) -> Alignment {
        self.pointer
    }

    /// Alignment of `iN`: that of the next wider type in the table, or of the widest.
    pub fn int_align(&self, bits: u32) -> Alignment {
        let at = self.ints.partition_point(|e| e.0 < bits).min(self.ints.len() - 1);
        self.ints[at].1
    }

    /// Alignment of a floating-point type: the table's, else its size rounded up to a power of two.
    pub fn float_align(&self, bits: u32) -> Alignment {
        listed(&self.floats, bits)
    }

    /// Alignment of a vector, likewise.
    pub fn vector_align(&self, bits: u32) -> Alignment {
        listed(&self.vectors, bits)
    }

    /// Least alignment of a struct.
    pub fn aggregate_align(&self) -> Alignment {
        self.aggregate
    }
}

fn listed(table: &[(u32, Alignment)], bits: u32) -> Alignment {
    match table.iter().find(|e| e.0 == bits) {
        Some(e) => e.1,
        None => both(bits.div_ceil(8).next_power_of_two()),
    }
}

/// The two alignments of a specification, in bits; without the second, the first is also preferred.
fn alignment(spec: &str, abi: Option<&str>, preferred: Option<&str>) -> Result<Alignment> {
    let bytes = |text: &str| match text.parse::<u32>() {
        Ok(0) if spec.starts_with('a') => Ok(1),
        Ok(bits) if bits % 8 == 0 && (bits / 8).is_power_of_two() && bits / 8 < 1 << 16 => Ok(bits / 8),
        Ok(_) => Err(Refusal::new(format!("an alignment in `{spec}` is not a power of two of bytes"))),
        Err(_) => Err(Refusal::new(format!("`{spec}` is not a layout of a type"))),
    };
    let abi = bytes(abi.unwrap_or(""))?;
    let preferred = preferred.map_or(Ok(abi), bytes)?;
    if preferred < abi {
        return Err(Refusal::new(format!("`{spec}` prefers less alignment than it demands")));
    }
    Ok(between(abi, preferred))
}

/// Checks a part of a data layout that has no effect here (LangRef, "Data Layout").
fn check_spec(spec: &str, kind: char, head: &str) -> Result<()> {
    let rest = &spec[kind.len_utf8()..];
    match (kind, rest) {
        // A mark of old versions.
        ('s', _) => Ok(()),
        ('m', ":e" | ":l" | ":o" | ":m" | ":x" | ":w" | ":a") => Ok(()),
        // The stack's natural alignment, and that of functions.
        ('S', "0") | ('F', "i0" | "n0") => Ok(()),
        ('S', bits) => alignment(spec, Some(bits), None).map(drop),
        ('F', bits) if bits.starts_with(['i', 'n']) => alignment(spec, Some(&bits[1..]), None).map(drop),
        // Address spaces of code, variables on the stack, and other data.
        ('P' | 'A' | 'G', space) => check_number(spec, space),
        // Address spaces whose pointers are no integers, and integers that the machine supports.
        ('n', _) if head == "i" => rest[1..].split(':').skip(1).try_for_each(|space| check_number(spec, space)),
        ('n', widths) => widths.split(':').try_for_each(|width| match width {
            "0" => Err(unknown_spec(spec)),
            _ => check_number(spec, width),
        }),
        _ => Err(unknown_spec(spec)),
    }
}

/// Checks a number of a data layout, of at most 24 bits.
fn check_number(spec: &str, number: &str) -> Result<()> {
    match number.parse::<u32>() {
        Ok(number) if number < 1 << 24 => Ok(()),
        _ => Err(unknown_spec(spec)),
    }
}

fn unknown_spec(spec: &str) -> Refusal {
    Refusal::new(format!("`{spec}` is not a part of a data layout"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x86_64_as_clang_writes_it() {
        let mut l = DataLayout::of(&AbiTarget::X86_64_LINUX);
        let text = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128";
        l.apply(text).unwrap();
        assert_eq!([1, 8, 24, 33, 64, 65, 128].map(|b| l.int_align(b).abi), [1, 1, 4, 8, 8, 16, 16]);
        assert_eq!([16, 32, 64, 80, 128].map(|b| l.float_align(b).abi), [2, 4, 8, 16, 16]);
        assert_eq!([32, 64, 96, 128, 256].map(|b| l.vector_align(b).abi), [4, 8, 16, 16, 32]);
        // A layout for another machine is not this one's.
        l.apply("p:32:32-i64:32").unwrap();
        l.apply("E-i64:32").unwrap();
        assert_eq!((l.pointer_align(), l.int_align(64)), (both(8), both(8)));
        assert!(l.apply("p:x:32").is_err());
        assert!(l.apply("i64:").is_err());
    }

    #[test]
    fn i386_as_clang_writes_it() {
        let target = |triple| AbiTarget::from_triple(triple, gusset_abi::AbiFeatures::default()).unwrap();
        let linux = "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128";
        let msvc = "e-m:x-p:32:32-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32-a:0:32-S32";
        let mingw = "e-m:x-p:32:32-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:32-n8:16:32-a:0:32-S32";
        let cases = [
            ("i686-unknown-linux-gnu", linux, [4, 16], [4, 4]),
            ("i686-pc-windows-msvc", msvc, [8, 16], [8, 16]),
            ("i686-w64-windows-gnu", mingw, [8, 16], [8, 4]),
        ];
        for (triple, text, ints, floats) in cases {
            let mut l = DataLayout::of(&target(triple));
            for _ in 0..2 {
                assert_eq!([64, 128].map(|b| l.int_align(b).abi), ints, "{triple}");
                assert_eq!([64, 80].map(|b| l.float_align(b).abi), floats, "{triple}");
                assert_eq!([8, 32].map(|b| l.int_align(b).abi), [1, 4], "{triple}");
                l.apply(text).unwrap();
            }
        }
    }

    #[test]
    fn every_target_as_clang_writes_it() {
        let cases = [
            (
                "x86_64-unknown-linux-gnu",
                "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
            ),
            (
                "x86_64-pc-windows-msvc",
                "e-m:w-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
            ),
            (
                "i686-unknown-linux-gnu",
                "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128",
            ),
            (
                "i686-pc-windows-msvc",
                "e-m:x-p:32:32-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32-a:0:32-S32",
            ),
            (
                "i686-w64-windows-gnu",
                "e-m:x-p:32:32-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:32-n8:16:32-a:0:32-S32",
            ),
            ("aarch64-unknown-linux-gnu", "e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32"),
            ("aarch64_be-unknown-linux-gnu", "E-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32"),
            ("armeb-unknown-linux-gnueabi", "E-m:e-p:32:32-Fi8-i64:64-v128:64:128-a:0:32-n32-S64"),
            ("arm64-apple-macosx", "e-m:o-i64:64-i128:128-n32:64-S128-Fn32"),
            ("aarch64-pc-windows-msvc", "e-m:w-p:64:64-i32:32-i64:64-i128:128-n32:64-S128-Fn32"),
            ("armv7-unknown-linux-gnueabihf", "e-m:e-p:32:32-Fi8-i64:64-v128:64:128-a:0:32-n32-S64"),
        ];
        for (triple, text) in cases {
            let own = DataLayout::of(&AbiTarget::from_triple(triple, gusset_abi::AbiFeatures::default()).unwrap());
            let mut said = own.clone();
            said.apply(text).unwrap();
            let all = |l: &DataLayout| {
                let ints = [1, 8, 16, 24, 32, 64, 128].map(|bits| l.int_align(bits));
                let floats = [16, 32, 64, 128].map(|bits| l.float_align(bits));
                let vectors = [32, 64, 128, 256].map(|bits| l.vector_align(bits));
                (ints, floats, vectors, l.aggregate_align(), l.pointer_align())
            };
            assert_eq!(all(&own), all(&said), "{triple}");
        }
    }

    #[test]
    fn preferences() {
        let mut l = DataLayout::of(&AbiTarget::X86_64_LINUX);
        assert_eq!([l.int_align(64), l.aggregate_align(), l.pointer_align()], [both(8), between(1, 8), both(8)]);
        l.apply("e-p:64:64:128-i16:16:32-f32:32:64-v64:64:256-a:8:256").unwrap();
        assert_eq!(
            [l.pointer_align(), l.int_align(16), l.int_align(64)],
            [between(8, 16), between(2, 4), between(4, 8)]
        );
        assert_eq!([l.int_align(128), l.float_align(32), l.float_align(80)], [both(16), between(4, 8), both(16)]);
        assert_eq!([l.vector_align(64), l.vector_align(96)], [between(8, 32), both(16)]);
        assert_eq!(l.aggregate_align(), between(1, 32));
        // The last good one holds.
        for bad in ["i64:64:32", "i64:48", "p:64:12", "a:x", "v64:64:x"] {
            assert!(l.apply(bad).is_err(), "{bad}");
        }
        assert_eq!(l.aggregate_align(), between(1, 32));
    }
}
