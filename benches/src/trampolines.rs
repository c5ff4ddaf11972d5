//! Trampolines: the pool of the runtime library, libffi's closures, GCC's on the stack. The measuring is done in C.

use crate::table::Table;
use gusset_tests::runtime::PLATFORMS;
use gusset_tests::tools::{self, Failure};
use std::collections::HashMap;

/// Prints nanoseconds of making and freeing, and of calls.
pub fn trampolines() -> Result<(), Failure> {
    let platform = &PLATFORMS[0];
    let program = tools::work_folder("benches").join("trampolines");
    let mut compile = tools::limited(120, platform.compiler());
    // GCC's own trampolines need an executable stack; the linker would warn of it.
    compile.args(["-std=gnu17", "-O2", "-Wl,-z,execstack", "-o"]).arg(&program);
    compile.arg("-I").arg(platform.made()?);
    compile.arg(tools::root().join("benches/src/trampolines.c"));
    compile.arg(platform.library()?).args(["-lffi", "-pthread"]);
    tools::succeed(&mut compile).map_err(|failure| failure.at("is libffi-dev there?"))?;
    let printed = tools::succeed(&mut tools::limited(300, &program))?.text();
    let mut numbers: HashMap<(&str, &str), &str> = HashMap::new();
    for line in printed.lines() {
        if let [what, whose, number] = line.split(' ').collect::<Vec<_>>()[..] {
            numbers.insert((what, whose), number);
        }
    }
    let rows = [
        ("call", "call"),
        ("pair", "make and free, one at a time"),
        ("batch", "make 1,000, free 1,000; each"),
        ("once", "make, call once, free"),
        ("threads2", "make and free in 2 threads"),
        ("threads4", "in 4 threads"),
        ("threads8", "in 8 threads"),
    ];
    let mut table = Table::new(
        "Trampolines: processor time in ns, least of 5 runs",
        &["", "pool", "libffi", "GCC, on the stack", "direct"],
    );
    for (what, name) in rows {
        let cell = |whose| numbers.get(&(what, whose)).copied().unwrap_or("").to_string();
        table.row(vec![name.into(), cell("pool"), cell("libffi"), cell("stack"), cell("direct")]);
    }
    table.print();
    Ok(())
}
