//! Stack maps: the records of statepoints, `stackmap` and `patchpoint` say what llc's say, and a collector that moves every
//! object finds the references of a running program by them.

use std::path::{Path, PathBuf};

use gusset_tests::build::{Mode, Unit, by_clang, compile_in};
use gusset_tests::objects::{by_text, differences};
use gusset_tests::stack_maps::{Function, Location, read};
use gusset_tests::tools::{Failure, limited, llc, run, succeed, work_folder};

const RECORDS: &str = include_str!("stack_maps/records.ll");
const MUTATOR: &str = include_str!("stack_maps/mutator.ll");
const COLLECTOR: &str = include_str!("stack_maps/collector.c");

fn write(folder: &Path, name: &str, text: &str) -> Result<PathBuf, Failure> {
    let path = folder.join(name);
    std::fs::write(&path, text)?;
    Ok(path)
}

/// The numbers of a record, and for each location the constant if it is one.
fn summary(functions: &[Function]) -> Vec<Vec<(u64, Vec<Option<i64>>)>> {
    let constant = |&(location, _): &(Location, u16)| match location {
        Location::Constant(n) => Some(n),
        _ => None,
    };
    let records = |f: &Function| f.records.iter().map(|r| (r.id, r.locations.iter().map(constant).collect())).collect();
    functions.iter().map(records).collect()
}

#[test]
fn records_are_those_of_llc() -> Result<(), Failure> {
    for triple in ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"] {
        let folder = work_folder(&format!("stack_maps/{triple}"));
        let ir = write(&folder, "records.ll", &format!("target triple = \"{triple}\"\n{RECORDS}"))?;
        let (ours, judge) = (folder.join("ours.o"), folder.join("judge.o"));
        compile_in(Mode::Bits64, &ir, &ours)?;
        succeed(limited(60, llc()).arg("-filetype=obj").arg(&ir).arg("-o").arg(&judge))?;
        let (ours_read, judge_read) = (read(&std::fs::read(&ours)?)?, read(&std::fs::read(&judge)?)?);
        assert_eq!(summary(&ours_read), summary(&judge_read), "{triple}");
        for (a, b) in ours_read.iter().zip(&judge_read) {
            assert_eq!(a.size == u64::MAX, b.size == u64::MAX, "{triple}: {a:?} {b:?}");
            for (a, b) in a.records.iter().zip(&b.records) {
                assert_eq!(a.live_outs == 0, b.live_outs == 0, "{triple}: {a:?} {b:?}");
            }
        }
        // LLVM's own reader takes it, too.
        let tool = llc().replace("llc", "llvm-readobj");
        let text = succeed(limited(60, tool).arg("--stackmap").arg(&ours))?.text();
        assert!(text.contains("Num Functions: 6") && text.contains("Record ID: 10"), "{text}");
    }
    Ok(())
}

#[test]
fn text_has_them_too() -> Result<(), Failure> {
    for triple in [
        "x86_64-unknown-linux-gnu",
        "i686-unknown-linux-gnu",
        "aarch64-unknown-linux-gnu",
        "armv7-unknown-linux-gnueabihf",
        "thumbv7-unknown-linux-gnueabihf",
    ] {
        let folder = work_folder(&format!("stack_maps/text-{triple}"));
        let ir = write(&folder, "records.ll", &format!("target triple = \"{triple}\"\n{RECORDS}"))?;
        let object = folder.join("ours.o");
        compile_in(Mode::Bits64, &ir, &object)?;
        let found = differences(&std::fs::read(&object)?, &std::fs::read(by_text(triple, &ir)?)?)?;
        assert!(found.is_empty(), "{triple}: {found:?}");
    }
    Ok(())
}

/// What the mutator computes: the sum of a tree's keys times 1000, and the sum of the list's keys with that.
fn expected() -> i64 {
    let tree: i64 = (0..6).map(|d| (6 - d) << d).sum();
    let list: i64 = (0..40).map(|k| 8 + k + 2).sum();
    tree * 1000 + list + tree
}

fn collects(mode: Mode, by_size: bool) -> Result<(), Failure> {
    let folder = work_folder(&format!("stack_maps/{mode:?}-{by_size}"));
    let frame = if by_size { "" } else { "\"frame-pointer\"=\"all\"" };
    let text = MUTATOR.replace("FRAME", frame);
    let ir = write(&folder, "mutator.ll", &format!("target triple = \"{}\"\n{text}", mode.triple()))?;
    let source = write(&folder, "collector.c", COLLECTOR)?;
    let object = folder.join("mutator.o");
    compile_in(mode, &ir, &object)?;
    let how = [mode.clang_flags(), &["-O1", "-fno-omit-frame-pointer", "-fno-pic"]].concat();
    let how = if by_size { [&how[..], &["-DBY_SIZE"]].concat() } else { how };
    let collector = by_clang(&Unit { source, flags: Vec::new() }, &how)?;
    let program = folder.join("program");
    mode.link(&[object, collector], &["-no-pie"], &program)?;
    let outcome = run(&mut mode.runner(60, &program))?;
    let text = outcome.text();
    let numbers: Vec<i64> = text.split_whitespace().filter_map(|n| n.parse().ok()).collect();
    assert!(outcome.code == 0 && numbers.len() == 3, "{mode:?} {by_size}: {} {text}", outcome.code);
    // One collection for each object, and one for each node that is summed: the tree's twice, the list's once.
    let (made, summed) = (63 + 40, 2 * 63 + 40);
    assert_eq!(numbers[..2], [expected(), made + summed], "{mode:?} {by_size}");
    assert!(numbers[2] > 1000, "{mode:?} {by_size}: {text}");
    Ok(())
}

#[test]
fn a_collector_moves_objects_found_by_frame_pointers() -> Result<(), Failure> {
    [Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::A32, Mode::T32]
        .into_iter()
        .try_for_each(|mode| collects(mode, false))
}

#[test]
fn a_collector_moves_objects_found_by_sizes_of_frames() -> Result<(), Failure> {
    [Mode::Bits64, Mode::Bits32].into_iter().try_for_each(|mode| collects(mode, true))
}
