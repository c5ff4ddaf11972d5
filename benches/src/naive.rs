//! Kernels in a small language (`kernels/naive/`), whose front end hands them in the same way, without any care, to Gusset's builder at `-O2`
//! and to Cranelift's with `opt_level=speed`.

use std::path::Path;

use gusset_tests::build::{Mode, Unit, by_clang};
use gusset_tests::tools::{Failure, root, work_folder};

use crate::measure::Counter;
use crate::own::Linked;
use crate::table::{Ratios, Table, geometric_mean};

mod cranelift;
mod gusset;
mod parse;
mod syntax;
mod walk;

/// The first argument by which this program knows that it is to compile a kernel once or several times.
pub const CHILD: &str = "--naive-child";
const TRIPLE: &str = "x86_64-unknown-linux-gnu";
/// The function that the kernels' `main` calls.
const ENTRY: &str = "start";
/// How often a child compiles for the count; what it does else is counted by a child that compiles once.
const REPEATED: u32 = 11;

const KERNELS: [&str; 16] = [
    "base64",
    "bodies",
    "crc",
    "fft",
    "hashes",
    "interpreter",
    "mandelbrot",
    "matrix",
    "search",
    "sha256",
    "sieve",
    "sorting",
    "sparse",
    "spectral",
    "stencil",
    "trees",
];

const PEERS: [&str; 2] = ["gusset", "cranelift"];

fn folder_of_kernels() -> std::path::PathBuf {
    root().join("benches/kernels/naive")
}

fn read(kernel: &str) -> Result<syntax::Program, Failure> {
    let text = std::fs::read_to_string(folder_of_kernels().join(format!("{kernel}.txt")))?;
    parse::program(&text).map_err(|f| f.at(kernel))
}

fn compiled(by: &str, program: &syntax::Program) -> Result<Vec<u8>, Failure> {
    match by {
        "gusset" => gusset::object(program),
        "cranelift" => cranelift::object(program),
        _ => Err(Failure::new(format!("there is no peer {by}"))),
    }
}

/// The child's part: compiles a kernel by a peer as often as it is told.
pub fn child(words: &[String]) -> i32 {
    let [by, kernel, times] = words else { return 2 };
    let work = || {
        let program = read(kernel)?;
        (0..times.parse().unwrap_or(1)).try_for_each(|_| compiled(by, &program).map(drop))
    };
    match work() {
        Ok(()) => 0,
        Err(f) => {
            eprintln!("{f}");
            1
        }
    }
}

/// Instructions of compiling a kernel once, from its syntax tree to an object.
fn effort(by: &str, kernel: &str) -> Result<f64, Failure> {
    let exe = std::env::current_exe()?;
    let count = |times: u32| {
        let words = [CHILD, by, kernel, &times.to_string()].map(String::from);
        Counter::Qemu("qemu-x86_64").count(root(), &exe, &words).map(|counted| counted.0)
    };
    Ok((count(REPEATED)? - count(1)?) / f64::from(REPEATED - 1))
}

/// The kernel's program by a peer.
fn built(by: &str, kernel: &str, folder: &Path) -> Result<Linked, Failure> {
    let (object, program) = (folder.join(format!("{kernel}-{by}.o")), folder.join(format!("{kernel}-{by}")));
    std::fs::write(&object, compiled(by, &read(kernel)?)?)?;
    let main = Unit { source: folder_of_kernels().join("main.c"), flags: Vec::new() };
    Linked::new(Mode::Bits64, &[object], &[by_clang(&main, &["-O1"])?], &["-lm"], &program)
}

/// Compares the peers.
pub fn naive() -> Result<(), Failure> {
    let folder = work_folder("benches/naive");
    let heads = [
        "kernel",
        "gusset: millions",
        "Cranelift",
        "ratio",
        "gusset: bytes",
        "Cranelift",
        "ratio",
        "gusset: effort in thousands",
        "Cranelift",
        "ratio",
    ];
    let mut table = Table::new(
        "A naive front end's kernels by gusset -O2 and Cranelift opt_level=speed: instructions that they execute (QEMU), bytes of code, instructions of compiling",
        &heads,
    );
    let mut ratios = Ratios::new(&[1, 0, 0], [2; 2]);
    for kernel in KERNELS {
        let mut numbers = [[0.0; 2]; 3];
        let mut outputs = Vec::new();
        for (k, by) in PEERS.into_iter().enumerate() {
            let linked = built(by, kernel, &folder)?;
            let counted = linked.count(Mode::Bits64, &folder, &[])?;
            numbers[0][k] = counted.own as f64 / 1e6;
            numbers[1][k] = linked.bytes() as f64;
            numbers[2][k] = effort(by, kernel)? / 1e3;
            outputs.push(counted.output);
        }
        if outputs[0] != outputs[1] {
            return Err(Failure::new(format!("{kernel}: {outputs:?} are not the same")));
        }
        ratios.add(&numbers);
        table.row(ratios.row(kernel, &numbers));
    }
    table.row(ratios.last("geometric mean", geometric_mean));
    table.print();
    Ok(())
}
