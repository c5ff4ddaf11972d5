//! Types and operations that no machine has as they are: vectors of any shape, masks, integers of odd widths and over 128
//! bits, half precision. Programs of many small functions, whose output has to be that of the same programs by clang.

use gusset_tests::build::{Level, Mode, Unit, compile, ir, judged_in};
use gusset_tests::corpus::drivers;
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, limited, same_lines, succeed, work_folder};

const LEVELS: &[Level] = &[Level::O0, Level::O1, Level::O2, Level::Os];

/// `least`: lines of output without which the program itself does not work.
fn check(name: &str, least: usize) {
    check_in(Mode::Bits64, name, least);
}

fn check_in(mode: Mode, name: &str, least: usize) {
    let flags = ["-fno-exceptions", "-Wno-c++11-narrowing", "-w"].map(String::from).to_vec();
    let unit = Unit { source: drivers().join(name), flags };
    let folder = work_folder(&format!("vectors/{mode:?}/{}", unit.stem()));
    let clang = folder.join("by-clang");
    mode.link(&[judged_in(mode, &unit).expect("clang compiles it")], &["-lm"], &clang).expect("it links");
    let expected = succeed(&mut limited(20, &clang)).expect("it runs").text();
    assert!(expected.lines().count() >= least, "the judge's own program does not work: {expected}");
    let failures: Vec<Failure> = parallel::map(LEVELS.len(), |i| -> Result<(), Failure> {
        let level = LEVELS[i];
        let place = |f: Failure| f.at(format!("{name} {level}"));
        let (object, binary) = (folder.join(format!("{level}.o")), folder.join(format!("{level}")));
        compile(&ir(&unit, level, mode.clang_flags())?, &object).map_err(place)?;
        mode.link(&[object], &["-lm"], &binary).map_err(place)?;
        let got = succeed(&mut limited(20, &binary)).map_err(place)?.text();
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
