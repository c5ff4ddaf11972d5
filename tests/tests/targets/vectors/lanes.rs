//! Random functions on vectors of integers of any width, by `llc` on one machine and by Gusset on all, from LLVM's text and from MLIR's.

use std::collections::BTreeSet;
use std::fmt::Write;

use fastrand::Rng;
use gusset_tests::build::{Mode, compile_in};
use gusset_tests::tools::{Failure, clang, gusset, limited, llc, same_lines, succeed, work_folder};

const WIDTHS: [u32; 21] = [2, 3, 4, 5, 6, 7, 12, 17, 20, 24, 31, 33, 40, 42, 48, 63, 65, 96, 100, 129, 192];
const LENGTHS: [u32; 8] = [1, 2, 3, 4, 5, 7, 8, 16];

/// Whether llc 19 has a vector in memory, and as bits, as LLVM's language reference says: not one whose lanes share bytes, if all of it
/// is a number of bytes that no register holds.
fn llc_has(len: u32, bits: u32) -> bool {
    let shares = !bits.is_multiple_of(8) && (len * bits).is_multiple_of(8);
    !shares || len.is_power_of_two() && len > 1 && len * bits.next_power_of_two().max(8) <= 128
}

fn vector(len: u32, bits: u32) -> String {
    format!("<{len} x i{bits}>")
}

/// A function that is written: `value` is the vector so far.
struct Body {
    rng: Rng,
    len: u32,
    bits: u32,
    text: String,
    next: u32,
    value: String,
    declared: BTreeSet<String>,
}

impl Body {
    fn push(&mut self, instruction: &str) -> String {
        self.next += 1;
        let _ = writeln!(self.text, "  %t{} = {instruction}", self.next);
        format!("%t{}", self.next)
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.rng.usize(0..all.len())]
    }

    fn call(&mut self, result: &str, name: &str, args: &[(String, String)]) -> String {
        let types: Vec<&str> = args.iter().map(|a| a.0.as_str()).collect();
        self.declared.insert(format!("declare {result} @llvm.{name}({})\n", types.join(", ")));
        let args: Vec<String> = args.iter().map(|(ty, v)| format!("{ty} {v}")).collect();
        self.push(&format!("call {result} @llvm.{name}({})", args.join(", ")))
    }

    /// A step: the operands are `%x`, `%y` and the byte `%s`.
    fn step(&mut self) {
        let (n, m, value) = (self.len, self.bits, self.value.clone());
        let ty = vector(n, m);
        self.value = match self.rng.u32(0..11) {
            0 => {
                let op = self.one_of(&["add", "sub", "mul", "and", "or", "xor"]);
                self.push(&format!("{op} {ty} {value}, %y"))
            }
            1 => {
                let (op, by) = (self.one_of(&["shl", "lshr", "ashr"]), self.rng.u32(0..m));
                self.push(&format!("{op} {ty} {value}, splat (i{m} {by})"))
            }
            2 if m <= 64 => {
                let divisor = self.push(&format!("or {ty} %y, splat (i{m} 1)"));
                let op = self.one_of(&["udiv", "urem"]);
                self.push(&format!("{op} {ty} {value}, {divisor}"))
            }
            3 => {
                let cc = self.one_of(&["eq", "ne", "ult", "sgt", "sle", "uge"]);
                let mask = self.push(&format!("icmp {cc} {ty} {value}, %y"));
                let both = [
                    format!("select <{n} x i1> {mask}, {ty} %y, {ty} {value}"),
                    format!("sext <{n} x i1> {mask} to {ty}"),
                ];
                let which = self.rng.usize(0..2);
                self.push(&both[which])
            }
            4 => {
                // An index that is known, or is not.
                let (at, to) = if m.is_multiple_of(8) && self.rng.bool() {
                    let at = self.push(&format!("urem i8 %s, {n}"));
                    (at.clone(), at)
                } else {
                    (self.rng.u32(0..n).to_string(), self.rng.u32(0..n).to_string())
                };
                let lane = self.push(&format!("extractelement {ty} {value}, i8 {at}"));
                self.push(&format!("insertelement {ty} %y, i{m} {lane}, i8 {to}"))
            }
            5 => {
                let len = self.one_of(&LENGTHS);
                let mask = |rng: &mut Rng, count: u32, of: u32| {
                    let lanes: Vec<String> = (0..count).map(|_| format!("i32 {}", rng.u32(0..2 * of))).collect();
                    format!("<{count} x i32> <{}>", lanes.join(", "))
                };
                let (there, back) = (mask(&mut self.rng, len, n), mask(&mut self.rng, n, len));
                let other = vector(len, m);
                let moved = self.push(&format!("shufflevector {ty} {value}, {ty} %y, {there}"));
                self.push(&format!("shufflevector {other} {moved}, {other} {moved}, {back}"))
            }
            6 => {
                let other = self.one_of(&[4, 8, 17, 32, 64, 96, 130]);
                let extend = self.one_of(&["zext", "sext"]);
                let [there, back] = if other > m { [extend, "trunc"] } else { ["trunc", extend] };
                if other == m {
                    return;
                }
                let changed = self.push(&format!("{there} {ty} {value} to {}", vector(n, other)));
                self.push(&format!("{back} {} {changed} to {ty}", vector(n, other)))
            }
            7 => {
                let all = n * m;
                let fits = |d: &u32| all.is_multiple_of(*d) && all / d <= 64 && llc_has(all / d, *d);
                let widths: Vec<u32> = (2..=all.min(200)).filter(fits).collect();
                if widths.is_empty() || !llc_has(n, m) || all > 128 {
                    return;
                }
                let bits = self.one_of(&widths);
                let other = if bits == all && self.rng.bool() { format!("i{all}") } else { vector(all / bits, bits) };
                let cast = self.push(&format!("bitcast {ty} {value} to {other}"));
                let sum = self.push(&format!("add {other} {cast}, {cast}"));
                self.push(&format!("bitcast {other} {sum} to {ty}"))
            }
            8 => {
                let at = self.next;
                let taken = self.push("trunc i8 %s to i1");
                let _ = writeln!(self.text, "  br i1 {taken}, label %a{at}, label %b{at}\na{at}:");
                let sum = self.push(&format!("add {ty} {value}, %y"));
                let _ = writeln!(self.text, "  br label %c{at}\nb{at}:\n  br label %c{at}\nc{at}:");
                self.push(&format!("phi {ty} [ {sum}, %a{at} ], [ {value}, %b{at} ]"))
            }
            9 => self.intrinsic(&ty, &value),
            _ => {
                let lanes: Vec<String> =
                    (0..n).map(|_| format!("i{m} {}", self.rng.i64(..) >> 64u32.saturating_sub(m))).collect();
                self.push(&format!("xor {ty} {value}, <{}>", lanes.join(", ")))
            }
        };
    }

    fn intrinsic(&mut self, ty: &str, value: &str) -> String {
        let (n, m) = (self.len, self.bits);
        let name = self.one_of(&[
            "umin",
            "smax",
            "uadd.sat",
            "ctpop",
            "abs",
            "cttz",
            "fshl",
            "bitreverse",
            "reduce",
            "reverse",
            "sadd.with.overflow",
        ]);
        let name = if m > 64 && name != "reverse" { "umin" } else { name };
        let (own, other) = ((ty.to_string(), value.to_string()), (ty.to_string(), "%y".to_string()));
        let full = format!("{name}.v{n}i{m}");
        match name {
            "ctpop" | "bitreverse" => self.call(ty, &full, &[own]),
            "abs" | "cttz" => self.call(ty, &full, &[own, ("i1".into(), "false".into())]),
            "fshl" => self.call(ty, &full, &[own, other.clone(), other]),
            "reverse" => self.call(ty, &format!("vector.{full}"), &[own]),
            "reduce" => {
                let op = self.one_of(&["add", "mul", "and", "xor", "umin", "smax"]);
                let lane = self.call(&format!("i{m}"), &format!("vector.reduce.{op}.v{n}i{m}"), &[own]);
                self.push(&format!("insertelement {ty} {value}, i{m} {lane}, i32 0"))
            }
            "sadd.with.overflow" => {
                let pair = format!("{{ {ty}, <{n} x i1> }}");
                let both = self.call(&pair, &full, &[own, other]);
                let (sum, flags) = (
                    self.push(&format!("extractvalue {pair} {both}, 0")),
                    self.push(&format!("extractvalue {pair} {both}, 1")),
                );
                self.push(&format!("select <{n} x i1> {flags}, {ty} %y, {ty} {sum}"))
            }
            _ => self.call(ty, &full, &[own, other]),
        }
    }
}

/// The module, and the bits of each function's vectors.
fn module(count: usize) -> (String, Vec<u32>) {
    let (mut text, mut declared, mut sizes) = (String::new(), BTreeSet::new(), Vec::new());
    let mut rng = Rng::with_seed(29);
    while sizes.len() < count {
        let (len, bits) = (LENGTHS[rng.usize(0..LENGTHS.len())], WIDTHS[rng.usize(0..WIDTHS.len())]);
        if !llc_has(len, bits) {
            continue;
        }
        let (ty, k) = (vector(len, bits), sizes.len());
        let own = Rng::with_seed(rng.u64(..));
        let mut body = Body { rng: own, len, bits, text: String::new(), next: 0, value: "%x".into(), declared };
        (0..4).for_each(|_| body.step());
        // Between its neighbours in a variable with contents.
        let lanes: Vec<String> = (0..len)
            .map(|i| format!("i{bits} {}", (i64::from(i) - 1) << bits.min(60) >> 2 >> (60 - bits.min(60))))
            .collect();
        let record = format!("{{ i8, {ty}, i8 }}");
        let _ = write!(
            text,
            "@g{k} = global {record} {{ i8 1, {ty} <{}>, i8 2 }}\ndefine void @f{k}(ptr %o, ptr %a, ptr %b) {{\n  \
             %x = load {ty}, ptr %a, align 1\n  %y = load {ty}, ptr %b, align 1\n  %s = load i8, ptr %b\n{}  \
             %g = load {record}, ptr @g{k}\n  %c = extractvalue {record} %g, 1\n  %r = xor {ty} {}, %c\n  \
             store {ty} %r, ptr %o, align 1\n  ret void\n}}\n",
            lanes.join(", "),
            body.text,
            body.value
        );
        declared = body.declared;
        sizes.push(len * bits);
    }
    text.extend(declared);
    (text, sizes)
}

fn driver(sizes: &[u32]) -> String {
    let each = |f: &dyn Fn(usize) -> String| (0..sizes.len()).map(f).collect::<String>();
    let numbers = each(&|k| format!("{},", sizes[k]));
    format!(
        "#include <stdio.h>\ntypedef unsigned char byte;\ntypedef void F(byte *, byte *, byte *);\n{}\nstatic F *f[] = {{{}}};\n\
         static int bits[] = {{{numbers}}};\nstatic unsigned s = 1;\n\
         static byte next(void) {{ s = s * 1103515245 + 12345; return s >> 16; }}\n\
         int main(void) {{\n    for (unsigned k = 0; k < sizeof bits / sizeof *bits; k++) for (int j = 0; j < 3; j++) {{\n\
         byte o[600], v[2][600];\n        int n = (bits[k] + 7) / 8;\n        for (int i = 0; i < 600; i++) {{\n\
         o[i] = 0xa5;\n            for (int w = 0; w < 2; w++) v[w][i] = j < 2 ? next() : next() & 1 ? 255 : 0;\n        }}\n\
         for (int w = 0; w < 2; w++) if (bits[k] % 8) v[w][n - 1] &= (1 << bits[k] % 8) - 1;\n\
         f[k](o, v[0], v[1]);\n        printf(\"%u %d \", k, j);\n\
         for (int i = 0; i < n + 2; i++) printf(\"%02x\", o[i]);\n        puts(\"\");\n    }}\n    return 0;\n}}\n",
        each(&|k| format!("F f{k};")),
        each(&|k| format!("f{k},")),
    )
}

#[test]
fn lanes_of_any_width() -> Result<(), Failure> {
    let (text, sizes) = module(90);
    let source = driver(&sizes);
    let mut expected = None;
    for mode in [Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::A32, Mode::T32, Mode::Soft] {
        let folder = work_folder(&format!("vectors/{mode:?}/lanes"));
        let file = |name: &str| folder.join(name);
        let module = file("module.ll");
        std::fs::write(&module, format!("target triple = \"{}\"\n{text}", mode.triple()))?;
        std::fs::write(file("driver.c"), &source)?;
        let mut cc = limited(60, clang());
        cc.arg(format!("--target={}", mode.triple())).args(mode.clang_flags()).args(["-w", "-c"]);
        succeed(cc.arg(file("driver.c")).arg("-o").arg(file("driver.o")))?;
        let run = |object: &str| {
            mode.link(&[file("driver.o"), file(object)], &[], &file("program"))?;
            Ok::<_, Failure>(succeed(&mut mode.runner(30, &file("program")))?.text())
        };
        if expected.is_none() {
            let mut llc = limited(60, llc());
            llc.args(["-O1", "-relocation-model=pic", "-filetype=obj"]).arg(&module).arg("-o").arg(file("llc.o"));
            succeed(&mut llc)?;
            expected = Some(run("llc.o")?);
            let mlir = file("module.mlir");
            succeed(limited(60, gusset()?).arg("translate").arg(&module).arg("-o").arg(&mlir))?;
            compile_in(mode, &mlir, &file("mlir.o"))?;
            same_lines(expected.as_deref().unwrap_or(""), &run("mlir.o")?).map_err(|f| f.at("MLIR"))?;
        }
        compile_in(mode, &module, &file("gusset.o"))?;
        same_lines(expected.as_deref().unwrap_or(""), &run("gusset.o")?).map_err(|f| f.at(format!("{mode:?}")))?;
    }
    Ok(())
}

/// A `musttail` call hands on such vectors as they come, be it in wider lanes of a register.
#[test]
fn forwarded_lanes() -> Result<(), Failure> {
    let text = "declare <2 x i24> @k(<2 x i24>)\ndefine <2 x i24> @f(<2 x i24> %v) {\n  %r = musttail call <2 x i24> @k(<2 x i24> %v)\n  \
                ret <2 x i24> %r\n}\ndeclare { <2 x i24>, i32 } @l({ <2 x i24>, i32 }, <4 x i33>)\n\
                define { <2 x i24>, i32 } @g({ <2 x i24>, i32 } %v, <4 x i33> %w) {\n  \
                %r = musttail call { <2 x i24>, i32 } @l({ <2 x i24>, i32 } %v, <4 x i33> %w)\n  ret { <2 x i24>, i32 } %r\n}\n";
    for mode in [Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::A32, Mode::Soft] {
        let folder = work_folder(&format!("vectors/{mode:?}/forwarded"));
        let module = folder.join("module.ll");
        std::fs::write(&module, format!("target triple = \"{}\"\n{text}", mode.triple()))?;
        compile_in(mode, &module, &folder.join("module.o")).map_err(|f| f.at(format!("{mode:?}")))?;
    }
    Ok(())
}
