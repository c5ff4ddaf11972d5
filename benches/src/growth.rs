//! How compile time grows with the size of a function.

use gusset_tests::tools::{Failure, work_folder};

use crate::generate::{SHAPES, function, module};
use crate::inputs::{Maker, count_instructions};
use crate::measure::least;
use crate::table::Table;

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// Nanoseconds an instruction for files of equally many instructions, in few large functions or many small ones.
pub fn growth() -> Result<(), Failure> {
    let folder = work_folder("benches/growth");
    let empty = folder.join("empty.ll");
    std::fs::write(&empty, module(&[]))?;
    for (maker, total) in [(Maker::Gusset, 1_000_000), (Maker::Llc, 100_000)] {
        let mut table = Table::new(
            &format!(
                "Growth, {maker:?}: ns per instruction of the whole process, by instructions in one function ({total} in the file)"
            ),
            &["shape", "10^3", "10^4", "10^5", "10^6", "most / least"],
        );
        let object = folder.join("growth.o");
        let base = least(&folder, 5, &[maker.command(&empty, &object)?])?[0].cpu_ms;
        for shape in SHAPES {
            let mut cells = vec![format!("{shape:?}")];
            let mut each = Vec::new();
            for size in SIZES {
                if size > total {
                    cells.push("-".into());
                    continue;
                }
                let functions: Vec<_> = (0..total / size).map(|k| function(shape, size, k as u64)).collect();
                let path = folder.join(format!("{shape:?}-{size}.ll"));
                std::fs::write(&path, module(&functions))?;
                let instructions = count_instructions(&path)? as f64;
                match least(&folder, 2, &[maker.command(&path, &object)?]) {
                    Ok(usage) => {
                        let ns = (usage[0].cpu_ms - base) * 1e6 / instructions;
                        each.push(ns);
                        cells.push(format!("{ns:.0}"));
                    }
                    Err(f) => {
                        eprintln!("{shape:?} of {size}: {f}");
                        cells.push("fails".into());
                    }
                }
                std::fs::remove_file(&path)?;
            }
            let (most, least) =
                (each.iter().cloned().fold(0.0, f64::max), each.iter().cloned().fold(f64::MAX, f64::min));
            cells.push(format!("{:.2}", most / least));
            table.row(cells);
        }
        table.print();
    }
    Ok(())
}
