//! Calls of functions through IREE's stock runtime, in modules by Gusset and by IREE's compiler.

use std::path::{Path, PathBuf};

use gusset_tests::iree::{Iree, stock};
use gusset_tests::tools::{Failure, cc, gusset, limited, root, succeed, work_folder};

use crate::table::Table;

/// The processor that both compile for: the highest level with vectors of 128 bits, which is the highest that Gusset has.
const CPU: &str = "x86-64-v2";
/// Runs of each, in turn.
const RUNS: usize = 5;

/// The module of the file of kernels by Gusset.
fn ours(folder: &Path) -> Result<PathBuf, Failure> {
    let (object, library) = (folder.join("kernels.o"), folder.join("kernels.so"));
    let mut command = limited(60, gusset()?);
    command.arg("compile").arg(root().join("benches/kernels/iree_gusset.mlir"));
    succeed(command.args(["--iree-module", "kernels", "--cpu", CPU, "-o"]).arg(&object))?;
    succeed(limited(60, cc()).arg("-shared").arg(object).arg("-o").arg(&library))?;
    Ok(library)
}

fn theirs(iree: &Iree, folder: &Path) -> Result<PathBuf, Failure> {
    let module = folder.join("kernels.vmfb");
    let file = root().join("benches/kernels/iree_compiler.mlir");
    succeed(iree.compile_for(CPU)?.arg(file).arg("-o").arg(&module))?;
    Ok(module)
}

/// Nanoseconds of processor time that one call takes.
fn call(iree: &Iree, module: &Path, function: &str, inputs: &[String]) -> Result<f64, Failure> {
    let mut command = iree.benchmark_module();
    command.args(["--device=local-sync", "--benchmark_format=json", "--benchmark_min_time=0.3s"]);
    command.arg(format!("--module={}", module.display())).arg(format!("--function={function}"));
    let text = succeed(command.args(inputs.iter().map(|input| format!("--input={input}"))))?.text();
    // One benchmark, whose times are in milliseconds.
    let value = |key: &str| text.split(&format!("\"{key}\": ")).nth(1)?.split([',', '\n']).next();
    let time = value("cpu_time").and_then(|time| time.parse::<f64>().ok());
    match (time, value("time_unit")) {
        (Some(time), Some("\"ms\"")) => Ok(time * 1e6),
        _ => Err(Failure::new(format!("no time in {text}"))),
    }
}

/// A function of two numbers, and one that adds a multiple of an array to another.
pub fn calls() -> Result<(), Failure> {
    let iree = stock().ok_or_else(|| Failure::new("no IREE"))?;
    let folder = work_folder("benches/iree");
    let modules = [ours(&folder)?, theirs(iree, &folder)?];
    let arrays = |n: usize| vec!["2".to_string(), format!("{n}xf32=1"), format!("{n}xf32=2")];
    let printed = |module: &PathBuf| {
        let mut command = iree.run_module();
        command
            .args(["--device=local-sync", "--function=saxpy", "--input=3"])
            .arg(format!("--module={}", module.display()));
        let inputs = [37, 37]
            .map(|n| format!("--input={n}xf32={}", (0..n).map(|i| i.to_string()).collect::<Vec<_>>().join(",")));
        Ok::<_, Failure>(succeed(command.args(inputs))?.text())
    };
    if printed(&modules[0])? != printed(&modules[1])? {
        return Err(Failure::new("the modules do not give the same"));
    }
    let mut rows = vec![("add", "two i32".to_string(), vec!["2".to_string(), "3".to_string()])];
    rows.extend([4, 10_000, 1_000_000].map(|n| ("saxpy", format!("{n} f32"), arrays(n))));
    let heads = ["function", "of", "gusset ns", "iree-compile ns", "ratio"];
    let mut table = Table::new(
        &format!("A call through iree-benchmark-module, local-sync, both for {CPU} (least of {RUNS})"),
        &heads,
    );
    for (function, of, inputs) in rows {
        let mut least = [f64::INFINITY; 2];
        for _ in 0..RUNS {
            for (least, module) in least.iter_mut().zip(&modules) {
                *least = least.min(call(iree, module, function, &inputs)?);
            }
        }
        let ratio = format!("{:.2}", least[0] / least[1]);
        table.row(vec![function.into(), of, format!("{:.0}", least[0]), format!("{:.0}", least[1]), ratio]);
    }
    table.print();
    Ok(())
}
