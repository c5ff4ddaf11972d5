//! Lines of functions that keep their variables for debuggers: what one can stop at in clang's objects, one can in ours.

use std::collections::BTreeSet;
use std::path::Path;

use gusset_tests::build::Mode;
use gusset_tests::tools::{Failure, clang, gusset, limited, succeed, work_folder};
use gusset_tests::{corpus, parallel};

/// The lines of an object at which statements begin.
fn statements(object: &Path) -> Result<BTreeSet<u32>, Failure> {
    let text = succeed(limited(60, "llvm-dwarfdump-19").arg("--debug-line").arg(object))?;
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    let rows =
        text.lines().filter(|row| row.starts_with("0x") && row.contains(" is_stmt") && !row.contains("end_sequence"));
    Ok(rows.filter_map(|row| row.split_whitespace().nth(1)?.parse().ok()).collect())
}

#[test]
fn statements_are_clangs() -> Result<(), Failure> {
    let folder = work_folder("debug_lines");
    let units = corpus::lua()?.units;
    let modes = [Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::A32, Mode::T32];
    let done = parallel::map(units.len(), |i| -> Result<(usize, usize), Failure> {
        let (unit, mode) = (&units[i], modes[i % modes.len()]);
        let file = |kind: &str| folder.join(format!("{}.{kind}", unit.stem()));
        let (text, judge, own) = (file("ll"), file("judge.o"), file("own.o"));
        let mut by_clang = limited(60, clang());
        by_clang.args(["-w", "-O0", "-g", "-S", "-emit-llvm"]).args(mode.clang_flags()).args(&unit.flags);
        succeed(by_clang.arg(&unit.source).arg("-o").arg(&text))?;
        succeed(limited(60, "llc-19").args(["-O0", "-filetype=obj"]).arg(&text).arg("-o").arg(&judge))?;
        succeed(limited(60, gusset()?).arg("compile").arg(&text).arg("-o").arg(&own))?;
        let (judge, own) = (statements(&judge)?, statements(&own)?);
        let missing: Vec<u32> = judge.difference(&own).copied().collect();
        if !missing.is_empty() {
            return Err(Failure::new(format!("{} for {mode:?}: no statement in lines {missing:?}", unit.stem())));
        }
        Ok((judge.len(), own.difference(&judge).count()))
    });
    let counts: Vec<(usize, usize)> = done.into_iter().collect::<Result<_, _>>()?;
    let [all, more] = [counts.iter().map(|c| c.0).sum::<usize>(), counts.iter().map(|c| c.1).sum()];
    assert!(all > 5000 && more * 100 < all, "{more} lines more than clang's {all}");
    Ok(())
}
