//! How much of the code of `-O2` debuggers find the variables in, beside `llc -O2`'s from the same IR.
//!
//! `llvm-dwarfdump --statistics` counts variables that have locations, and the bytes of the variables' scopes in which they have. Both are
//! shares, since neither compiler has the other's code. That the locations are right is for `debug_judges`.

use std::path::Path;

use gusset_tests::build::{Level, Mode, Unit, compile_with, ir};
use gusset_tests::tools::{Failure, limited, llc, succeed, work_folder};
use gusset_tests::{corpus, parallel};

/// What the statistics say, over all files.
#[derive(Default, Clone, Copy)]
struct Coverage {
    variables: f64,
    located: f64,
    bytes: f64,
    covered: f64,
}

impl Coverage {
    fn of(object: &Path) -> Result<Coverage, Failure> {
        let said = succeed(limited(60, "llvm-dwarfdump-19").arg("--statistics").arg(object))?;
        let said: serde_json::Value =
            serde_json::from_slice(&said.stdout).map_err(|e| Failure::new(format!("{}: {e}", object.display())))?;
        let number = |name: &str| {
            said[name].as_f64().ok_or_else(|| Failure::new(format!("no {name:?} in the statistics: {said}")))
        };
        Ok(Coverage {
            variables: number("#source variables")?,
            located: number("#source variables with location")?,
            bytes: number("sum_all_variables(#bytes in parent scope)")?,
            covered: number("sum_all_variables(#bytes in parent scope covered by DW_AT_location)")?,
        })
    }

    fn add(&mut self, other: Coverage) {
        self.variables += other.variables;
        self.located += other.located;
        self.bytes += other.bytes;
        self.covered += other.covered;
    }
}

/// The files: all of zlib and bzip2, a third of Lua.
fn units() -> Result<Vec<Unit>, Failure> {
    let mut units = [corpus::zlib()?.units, corpus::bzip2()?.units].concat();
    units.extend(corpus::lua()?.units.into_iter().step_by(3));
    Ok(units)
}

/// Gusset's shares are at least these parts of llc's: of the variables with locations, of the bytes.
fn check(mode: Mode, least: [f64; 2]) -> Result<(), Failure> {
    let (folder, units) = (work_folder(&format!("debug_coverage/{mode:?}")), units()?);
    let done = parallel::map(units.len(), |i| -> Result<[Coverage; 2], Failure> {
        let text = ir(&units[i], Level::O2, &[mode.clang_flags(), &["-g"]].concat())?;
        let [own, judge] = ["gusset", "llc"].map(|by| folder.join(format!("{}{i}.{by}.o", units[i].stem())));
        compile_with(mode, &["-O2"], &text, &own)?;
        succeed(limited(120, llc()).args(["-O2", "-filetype=obj"]).arg(&text).arg("-o").arg(&judge))?;
        Ok([Coverage::of(&own)?, Coverage::of(&judge)?])
    });
    let mut sums = [Coverage::default(); 2];
    for both in done {
        both?.into_iter().zip(&mut sums).for_each(|(one, sum)| sum.add(one));
    }
    let [own, judge] = sums.map(|sum| [sum.located / sum.variables, sum.covered / sum.bytes]);
    let ratios = [own[0] / judge[0], own[1] / judge[1]];
    eprintln!("{mode:?}: variables, bytes {own:.3?}, llc's {judge:.3?}, ratios {ratios:.3?}");
    assert!(ratios[0] >= least[0] && ratios[1] >= least[1], "{mode:?}: {ratios:.3?}, not {least:?}");
    Ok(())
}

#[test]
fn variables_are_located_as_by_llc() -> Result<(), Failure> {
    check(Mode::Bits64, [0.95, 0.9])?;
    check(Mode::Aarch64, [0.95, 0.9])
}
