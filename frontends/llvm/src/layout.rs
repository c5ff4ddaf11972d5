//! The data layout: sizes and alignments of LLVM's scalar types (LangRef, "Data Layout").

use gusset_abi::{Arch, Os, Target};

/// Alignments in bytes.
#[derive(Clone, Debug)]
pub(crate) struct DataLayout {
    pub pointer_bytes: u32,
    /// Width in bits and alignment, in order of width.
    ints: Vec<(u32, u32)>,
    floats: Vec<(u32, u32)>,
    vectors: Vec<(u32, u32)>,
    aggregate: u32,
    x86: bool,
    /// Width of an integer register. The IR has integers of twice that; wider ones dissolve into limbs of this width.
    pub limb_bits: u32,
}

impl DataLayout {
    /// The layout that clang gives modules for `target`.
    pub fn of(target: &Target) -> DataLayout {
        let pointer_bytes = target.pointer_bytes();
        let i386 = target.arch == Arch::X86;
        let windows = target.os == Os::Windows;
        let wide = if i386 && !windows { 4 } else { 8 };
        let i128 = if target.arch == Arch::Arm { 8 } else { 16 };
        let mut ints = vec![(1, 1), (8, 1), (16, 2), (32, 4), (64, wide)];
        if target.arch != Arch::Arm {
            ints.push((128, i128));
        }
        let f80 = if i386 && !(windows && target.env == gusset_abi::Env::Msvc) { 4 } else { 16 };
        let floats = vec![(16, 2), (32, 4), (64, wide), (80, f80), (128, 16)];
        let vectors = if target.arch == Arch::Arm { vec![(64, 8), (128, 8)] } else { vec![(64, 8), (128, 16)] };
        let x86 = matches!(target.arch, Arch::X86 | Arch::X86_64);
        DataLayout { pointer_bytes, ints, floats, vectors, aggregate: 1, x86, limb_bits: pointer_bytes * 8 }
    }

    /// Applies a `target datalayout` string; the error says what is not supported.
    pub fn apply(&mut self, text: &str) -> Result<(), String> {
        let mut i128 = false;
        for spec in text.split('-').filter(|s| !s.is_empty()) {
            let mut rest = spec.chars();
            let kind = rest.next().unwrap_or(' ');
            let mut parts = rest.as_str().split(':');
            let head = parts.next().unwrap_or("");
            let number = |s: Option<&str>| s.and_then(|s| s.parse::<u32>().ok());
            match kind {
                'E' if spec.len() == 1 => return Err("big-endian modules are not supported".into()),
                'p' if (head.is_empty() || head == "0") && number(parts.next()) != Some(self.pointer_bytes * 8) => {
                    let bits = self.pointer_bytes * 8;
                    return Err(format!("`{spec}` is not the pointer of the target, which has {bits} bits"));
                }
                'i' | 'f' | 'v' => {
                    let align = number(parts.next());
                    let (Ok(bits), Some(align)) = (head.parse::<u32>(), align) else {
                        return Err(format!("`{spec}` is not a layout of a type"));
                    };
                    let bytes = (align / 8).max(1);
                    if !bytes.is_power_of_two() || bytes > 1 << 16 {
                        return Err(format!("the alignment in `{spec}` is not a power of two"));
                    }
                    i128 |= kind == 'i' && bits == 128;
                    let table = match kind {
                        'i' => &mut self.ints,
                        'f' => &mut self.floats,
                        _ => &mut self.vectors,
                    };
                    match table.binary_search_by_key(&bits, |e| e.0) {
                        Ok(at) => table[at].1 = bytes,
                        Err(at) => table.insert(at, (bits, bytes)),
                    }
                }
                'a' => self.aggregate = number(parts.next()).map_or(1, |n| (n / 8).clamp(1, 1 << 16)),
                _ => {}
            }
        }
        // Strings of before LLVM 18 lack it; LLVM upgrades them (release notes of 18, "X86 backend").
        if self.x86 && !i128 {
            self.ints.retain(|e| e.0 != 128);
            self.ints.push((128, 16));
        }
        Ok(())
    }

    /// Alignment of `iN`: the next wider type's in the table, the widest's beyond it.
    pub fn int_align(&self, bits: u32) -> u32 {
        let at = self.ints.partition_point(|e| e.0 < bits).min(self.ints.len() - 1);
        self.ints[at].1
    }

    /// Alignment of a floating-point type.
    pub fn float_align(&self, bits: u32) -> u32 {
        self.floats.iter().find(|e| e.0 == bits).map_or(16, |e| e.1)
    }

    /// Alignment of a vector: the table's, else its size rounded up to a power of two.
    pub fn vector_align(&self, bits: u32) -> u32 {
        match self.vectors.iter().find(|e| e.0 == bits) {
            Some(e) => e.1,
            None => bits.div_ceil(8).next_power_of_two(),
        }
    }

    /// Least alignment of a struct or array.
    pub fn aggregate_align(&self) -> u32 {
        self.aggregate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x86_64_as_clang_writes_it() {
        let mut l = DataLayout::of(&Target::X86_64_LINUX);
        let text = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128";
        l.apply(text).unwrap();
        assert_eq!([1, 8, 24, 33, 64, 65, 128].map(|b| l.int_align(b)), [1, 1, 4, 8, 8, 16, 16]);
        assert_eq!([16, 32, 64, 80, 128].map(|b| l.float_align(b)), [2, 4, 8, 16, 16]);
        assert_eq!([32, 64, 96, 128, 256].map(|b| l.vector_align(b)), [4, 8, 16, 16, 32]);
        assert!(l.apply("E").is_err());
        assert!(l.apply("p:32:32").is_err());
        assert!(l.apply("i64:").is_err());
    }

    #[test]
    fn i386_as_clang_writes_it() {
        let target = |triple| Target::from_triple(triple, gusset_abi::Features::default()).unwrap();
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
                assert_eq!([64, 128].map(|b| l.int_align(b)), ints, "{triple}");
                assert_eq!([64, 80].map(|b| l.float_align(b)), floats, "{triple}");
                assert_eq!([8, 32].map(|b| l.int_align(b)), [1, 4], "{triple}");
                l.apply(text).unwrap();
            }
        }
    }
}
