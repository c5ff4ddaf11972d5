//! Types and operations that no machine has as they are: vectors of any shape, masks, integers of odd widths and over 128
//! bits, half precision. Programs of many small functions, whose output has to be that of the same programs by clang.

mod lanes;

use gusset_tests::build::{Level, Mode, Unit, by_clang, compile, compile_in, ir, judged_in};
use gusset_tests::corpus::drivers;
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, gusset, limited, same_lines, succeed, work_folder};

const LEVELS: &[Level] = &[Level::O0, Level::O1, Level::O2, Level::Os];

/// `least`: lines of output without which the program itself does not work.
fn check(name: &str, least: usize) {
    check_in(Mode::Bits64, name, least);
}

fn check_in(mode: Mode, name: &str, least: usize) {
    check_at(mode, LEVELS, name, least);
}

fn check_at(mode: Mode, levels: &[Level], name: &str, least: usize) {
    let mut flags = ["-fno-exceptions", "-Wno-c++11-narrowing", "-w"].map(String::from).to_vec();
    if let Mode::A32 | Mode::T32 = mode {
        flags.push("-mfpu=neon".into());
    }
    let unit = Unit { source: drivers().join(name), flags };
    let folder = work_folder(&format!("vectors/{mode:?}/{}", unit.stem()));
    let clang = folder.join("by-clang");
    mode.link(&[judged_in(mode, &unit).expect("clang compiles it")], &["-lm"], &clang).expect("it links");
    let expected = succeed(&mut mode.runner(20, &clang)).expect("it runs").text();
    assert!(expected.lines().count() >= least, "the judge's own program does not work: {expected}");
    let failures: Vec<Failure> = parallel::map(levels.len(), |i| -> Result<(), Failure> {
        let level = levels[i];
        let place = |f: Failure| f.at(format!("{name} {level}"));
        let (object, binary) = (folder.join(format!("{level}.o")), folder.join(format!("{level}")));
        compile_in(mode, &ir(&unit, level, mode.clang_flags())?, &object).map_err(place)?;
        mode.link(&[object], &["-lm"], &binary).map_err(place)?;
        let got = succeed(&mut mode.runner(20, &binary)).map_err(place)?.text();
        same_lines(&expected, &got).map_err(place)
    })
    .into_iter()
    .filter_map(Result::err)
    .collect();
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn vectors_of_8_to_64_bytes() {
    check("vectors.cpp", 50);
}

/// Operations that are others where an operand is a constant, or where more is known of one, on every machine.
#[test]
fn operations_with_constants() {
    const MODES: [Mode; 7] = [Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::A32, Mode::T32, Mode::Soft, Mode::V5];
    for mode in MODES {
        check_at(mode, &[Level::O2], "constants.c", 450);
    }
}

#[test]
fn masks_and_odd_lane_counts() {
    check("masks.cpp", 50);
}

#[test]
fn odd_integers_and_half_precision() {
    check("widths.cpp", 50);
}

#[test]
fn operations_of_the_machine() {
    check("sse.c", 4);
}

#[test]
fn integers_over_128_bits() {
    check("bit_fields.cpp", 1000);
}

/// Address spaces that are relative to a segment register.
#[test]
fn memory_in_segments() {
    check("segments.c", 15);
    check_in(Mode::Bits32, "segments.c", 15);
}

/// The same with registers of 32 bits, of which there are eight.
#[test]
fn vectors_in_32_bits() {
    check_in(Mode::Bits32, "vectors.cpp", 50);
}

/// In registers of their own, and where there are none.
#[test]
fn vectors_on_arm() {
    check_at(Mode::A32, &[Level::O0, Level::O2], "vectors.cpp", 50);
    check_at(Mode::T32, &[Level::O1], "vectors.cpp", 50);
    check_at(Mode::Soft, &[Level::O2], "vectors.cpp", 50);
}

/// Calls between objects of clang and of Gusset, which reads LLVM's text or MLIR's, in registers for vectors, without any, and without
/// those of numbers with a point.
#[test]
fn vectors_cross_calls_on_arm() -> Result<(), Failure> {
    for (mode, fpu) in [(Mode::A32, "-mfpu=neon"), (Mode::T32, "-mfpu=vfpv3-d16"), (Mode::Soft, "-msoft-float")] {
        let folder = work_folder(&format!("vectors/{mode:?}/calls"));
        let flags = [mode.clang_flags(), &["-w", fpu]].concat();
        let objects = ["CALLER", "CALLEE"].map(|role| {
            let unit = Unit { source: drivers().join("vector_calls.c"), flags: vec![format!("-D{role}")] };
            let ours = folder.join(format!("{role}.o"));
            let text = ir(&unit, Level::O1, &flags)?;
            compile_in(mode, &text, &ours)?;
            let (mlir, by_mlir) = (folder.join(format!("{role}.mlir")), folder.join(format!("{role}-mlir.o")));
            succeed(limited(60, gusset()?).arg("translate").arg(&text).arg("-o").arg(&mlir))?;
            compile_in(mode, &mlir, &by_mlir)?;
            Ok::<_, Failure>([by_clang(&unit, &flags)?, ours, by_mlir])
        });
        let [caller, callee] = objects;
        let (caller, callee) = (caller?, callee?);
        let run = |a: usize, b: usize| {
            let program = folder.join(format!("{a}{b}"));
            mode.link(&[caller[a].clone(), callee[b].clone()], &[], &program)?;
            Ok::<_, Failure>(succeed(&mut mode.runner(20, &program))?.text())
        };
        let expected = run(0, 0)?;
        for (a, b) in [(0, 1), (1, 0), (1, 1), (0, 2), (2, 0), (1, 2), (2, 1)] {
            same_lines(&expected, &run(a, b)?).map_err(|f| f.at(format!("{mode:?} {a}{b}")))?;
        }
    }
    Ok(())
}

/// By helpers of GNU's library, or by instructions.
#[test]
fn halves_on_arm() {
    for mode in [Mode::A32, Mode::T32, Mode::Soft] {
        check_at(mode, &[Level::O0, Level::O2], "halves.c", 500);
    }
}

/// Masks as arguments and results, of every kind of length: each side of the calls is made by `llc` and by Gusset.
#[test]
fn masks_cross_calls() -> Result<(), Failure> {
    const LENGTHS: [u32; 7] = [2, 3, 5, 16, 17, 32, 64];
    let (mut callees, mut callers) = (String::new(), String::new());
    let mut driver = String::from("#include <stdio.h>\ntypedef unsigned long long u64;\n");
    let mut calls = String::new();
    for n in LENGTHS {
        let mask = format!("<{n} x i1>");
        callees += &format!(
            "define {mask} @c{n}({mask} %x, i32 %k, {mask} %y) {{\n%r = xor {mask} %x, %y\nret {mask} %r\n}}\n"
        );
        callers += &format!("declare {mask} @c{n}({mask}, i32, {mask})\ndefine void @d{n}(ptr %p) {{\n");
        let slots =
            format!("%q = getelementptr i8, ptr %p, i32 8\n%x = load {mask}, ptr %p\n%y = load {mask}, ptr %q\n");
        callers += &format!(
            "{slots}%r = call {mask} @c{n}({mask} %x, i32 3, {mask} %y)\nstore {mask} %r, ptr %p\nret void\n}}\n"
        );
        driver += &format!("void d{n}(u64 *);\n");
        calls += &format!(
            "{{ u64 m = ~0ull >> (64 - {n}), v[2] = {{ a & m, b & m }}; d{n}(v); if ((v[0] & m) != ((a ^ b) & m)) \
             printf(\"{n}: %llx %llx gives %llx\\n\", a, b, v[0]); }}\n"
        );
    }
    driver += "int main(void) { u64 a = 0x9e3779b97f4a7c15, b = 0xd1342543de82ef95;\nfor (int i = 0; i < 20; i++) {\n";
    driver += &format!("{calls}a = a * 3 + 1; b ^= b << 7 ^ a; }} puts(\"done\"); return 0; }}\n");
    for mode in [Mode::Bits64, Mode::Bits32] {
        let folder = work_folder(&format!("vectors/{mode:?}/masks"));
        let file = |name: &str| folder.join(name);
        for (name, text) in [("callees", &callees), ("callers", &callers)] {
            let source = file(&format!("{name}.ll"));
            std::fs::write(&source, format!("target triple = \"{}\"\n{text}", mode.triple()))?;
            compile(&source, &file(&format!("{name}-gusset.o")))?;
            let mut llc = limited(60, gusset_tests::tools::llc());
            llc.args(["-O1", "-relocation-model=pic", "-mattr=+sse2", "-filetype=obj"]).arg(&source);
            succeed(llc.arg("-o").arg(file(&format!("{name}-llc.o"))))?;
        }
        std::fs::write(file("driver.c"), &driver)?;
        let mut clang = limited(60, gusset_tests::tools::clang());
        clang.arg(format!("--target={}", mode.triple())).args(["-w", "-O1", "-ffreestanding", "-c"]);
        succeed(clang.arg(file("driver.c")).arg("-o").arg(file("driver.o")))?;
        for pair in [["gusset", "gusset"], ["gusset", "llc"], ["llc", "gusset"]] {
            let objects = ["driver.o".to_string(), format!("callees-{}.o", pair[0]), format!("callers-{}.o", pair[1])];
            let program = file(&pair.join("-"));
            mode.link(&objects.map(|o| file(&o)), if mode == Mode::Bits32 { &["-static"] } else { &[] }, &program)?;
            same_lines("done\n", &succeed(&mut limited(20, &program))?.text())
                .map_err(|f| f.at(format!("{mode:?} {pair:?}")))?;
        }
    }
    Ok(())
}
