//! Small programs that were slow once: processor time of the code, against `llc-19 -O0` from the same IR.

use gusset_tests::build::{Unit, link};
use gusset_tests::tools::{Failure, limited, root, succeed, work_folder};

use crate::inputs::{LEVELS, Maker, text};
use crate::measure::least;
use crate::table::Table;

const KERNELS: [&str; 2] = ["records", "results"];

/// Runs and prints.
pub fn kernels() -> Result<(), Failure> {
    let folder = work_folder("benches/kernels");
    let mut table = Table::new(
        "Kernels: processor time in ms, least of 7 runs in turn",
        &["kernel", "IR", "gusset", "llc -O0", "ratio"],
    );
    for kernel in KERNELS {
        let unit = Unit { source: root().join(format!("benches/kernels/{kernel}.c")), flags: Vec::new() };
        for level in LEVELS {
            let ir = text(&unit, level)?;
            let mut programs = Vec::new();
            for maker in [Maker::Gusset, Maker::Llc] {
                let program = folder.join(format!("{kernel}{level}-{maker:?}"));
                let object = program.with_extension("o");
                let words = maker.command(&ir, &object)?;
                succeed(limited(60, &words[0]).args(&words[1..]))?;
                link(&[object], &[], &program)?;
                programs.push(vec![program.display().to_string()]);
            }
            let [us, llc] = least(&folder, 7, &programs)?[..] else { unreachable!("two commands, two results") };
            table.row(vec![
                kernel.into(),
                level.to_string(),
                format!("{:.0}", us.cpu_ms),
                format!("{:.0}", llc.cpu_ms),
                format!("{:.2}", us.cpu_ms / llc.cpu_ms),
            ]);
        }
    }
    table.print();
    Ok(())
}
