//! The functions of MLIR 19's own tests of conversions and translation (`test/Conversion`, `test/Target/LLVMIR`): made by Gusset,
//! and by MLIR's passes and llc, and called with the same random arguments, buffers by descriptors among them. Results, what is in the
//! buffers, what was allocated and which calls were made are the same. Functions about tensors, GPUs and scalable vectors are
//! left out; those that cannot be compared, or are not converted, are in `data/mlir_conversion.txt` with the reason.
//!
//! - `GUSSET_MLIR=all` takes all files, not a sample of them; with `BLESS=1` it writes the list.
//! - `GUSSET_MLIR_ONLY` restricts them to those whose names contain it.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use gusset_tests::build::Mode;
use gusset_tests::mlir::snapshots::wants_all;
use gusset_tests::mlir::{LOWERING, by_llvm, compile, opt};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, clang, limited, llc, root, run, succeed, unpacked, work_folder};

mod arguments;
mod parts;
mod signature;

use self::arguments::{arguments, leaf_table};
use self::parts::{Item, items};
use self::signature::{Signature, signatures};

/// Folders and files of tests about the dialects that are converted.
const TESTS: [&str; 38] = [
    "Conversion/AffineToStandard",
    "Conversion/ArithToLLVM",
    "Conversion/ComplexToLLVM",
    "Conversion/ComplexToLibm",
    "Conversion/ComplexToStandard",
    "Conversion/ControlFlowToLLVM",
    "Conversion/FuncToLLVM",
    "Conversion/IndexToLLVM",
    "Conversion/LLVMCommon",
    "Conversion/MathToFuncs",
    "Conversion/MathToLLVM",
    "Conversion/MathToLibm",
    "Conversion/MemRefToLLVM",
    "Conversion/ReconcileUnrealizedCasts",
    "Conversion/SCFToControlFlow",
    "Conversion/UBToLLVM",
    "Conversion/VectorToLLVM",
    "Conversion/VectorToSCF",
    "Target/LLVMIR/attribute-alias-scopes.mlir",
    "Target/LLVMIR/attribute-tbaa.mlir",
    "Target/LLVMIR/comdat.mlir",
    "Target/LLVMIR/data-layout.mlir",
    "Target/LLVMIR/external-func-dialect-attr.mlir",
    "Target/LLVMIR/fp-math-function-attributes.mlir",
    "Target/LLVMIR/frame-pointer.mlir",
    "Target/LLVMIR/llvmir-debug.mlir",
    "Target/LLVMIR/llvmir-intrinsics.mlir",
    "Target/LLVMIR/llvmir-le-specific.mlir",
    "Target/LLVMIR/llvmir-types.mlir",
    "Target/LLVMIR/llvmir.mlir",
    "Target/LLVMIR/loop-metadata.mlir",
    "Target/LLVMIR/nsw_nuw.mlir",
    "Target/LLVMIR/opaque-ptr.mlir",
    "Target/LLVMIR/target-cpu.mlir",
    "Target/LLVMIR/target-features.mlir",
    "Target/LLVMIR/test.mlir",
    "Target/LLVMIR/tune-cpu.mlir",
    "Target/LLVMIR/vector-to-llvm-ir.mlir",
];

/// What a usual run takes: the files that have the most of each dialect and are done soon.
const SAMPLE: [&str; 6] = [
    "convert-funcs",
    "lower-affine.",
    "arith-to-llvm",
    "convert-static-memref-ops",
    "convert-to-cfg",
    "vector-reduction",
];

/// Why functions differ: parts of their names, and the reason. All are MLIR's or LLVM's, or nothing says what they mean.
const EXPLAINED: [(&str, &str); 11] = [
    ("@memref_dim_with_dyn_index ", "an index beyond the rank has no meaning"),
    ("@memref.reshape.dynamic.dim ", "the sizes in memory are not those that the type says"),
    ("@expand_shape_dynamic", "the sizes that are said are not those that are there; MLIR computes them anew"),
    ("@while_values ", "a loop without end and effects, which MLIR leaves out"),
    ("@masked_reduce_maximumf_f32 ", "MLIR 19 begins with the smallest number above zero, which is no neutral value"),
    ("@gather_op_index ", "llc 19 leaves a register free in front of `<3 x i64>`, later versions and Gusset do not"),
    ("@scatter_op_index ", "llc 19 leaves a register free in front of `<3 x i64>`, later versions and Gusset do not"),
    (
        "@expand_load_op_index ",
        "llc 19 leaves a register free in front of `<11 x i64>`, later versions and Gusset do not",
    ),
    ("@noreach ", "it goes on where nothing is reached"),
    ("@loopOptions ", "room for a negative number of elements"),
    ("@opaque_ptr_alloca ", "room for a negative number of elements"),
];

/// What the driver has instead of C's library.
const REPLACED: [&str; 6] = ["malloc", "free", "aligned_alloc", "abort", "puts", "printf"];

/// The files of tests.
fn files() -> Result<Vec<(String, PathBuf)>, Failure> {
    let tests = unpacked("GUSSET_MLIR_TESTS", "mlir-tests");
    let mut all = Vec::new();
    for test in TESTS {
        let path = tests.join(test);
        if path.is_file() {
            all.push((test.to_string(), path));
            continue;
        }
        let mut inner: Vec<PathBuf> = std::fs::read_dir(&path)
            .map_err(|e| Failure::new(format!("{}: {e}: run scripts/setup", path.display())))?
            .flatten()
            .map(|e| e.path())
            .filter(|p| p.extension().is_some_and(|e| e == "mlir"))
            .collect();
        inner.sort();
        all.extend(inner.into_iter().map(|p| {
            let name = p.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            (format!("{test}/{name}"), p)
        }));
    }
    let only = std::env::var("GUSSET_MLIR_ONLY").unwrap_or_default();
    all.retain(|(name, _)| {
        name.contains(&only) && (wants_all() || !only.is_empty() || SAMPLE.iter().any(|s| name.contains(s)))
    });
    Ok(all)
}

/// The functions of a file, those that are left out not among them.
fn functions(name: &str, path: &Path) -> Result<Vec<Item>, Failure> {
    let mut print = limited(60, opt());
    print.args(["--allow-unregistered-dialect", "--mlir-print-local-scope", "--split-input-file"]).arg(path);
    // Some parts of a file are wrong, which is what they test.
    let printed = run(&mut print)?.text();
    Ok(items(name, &printed).into_iter().filter(|i| !i.left_out()).collect())
}

/// Passes before [`LOWERING`] that make what it knows of the rest.
const BEFORE: [&str; 4] =
    ["--memref-expand", "--convert-math-to-funcs=convert-ctlz", "--lower-vector-mask", "--convert-vector-to-scf"];

/// By MLIR's and LLVM's own tools: objects with some of the functions each, with their LLVM IR, and the numbers of those that
/// they do not take, with what they say.
fn by_theirs(
    folder: &Path,
    items: &[&Item],
    made: &mut Vec<PathBuf>,
    failed: &mut BTreeMap<usize, String>,
) -> Result<(), Failure> {
    let Some(first) = items.first() else { return Ok(()) };
    let file = |extension: &str| folder.join(format!("l{}-{}.{extension}", first.number, items.len()));
    std::fs::write(file("mlir"), items.iter().map(|i| i.text("l")).collect::<String>())?;
    let mut lower = limited(60, opt());
    lower.args(BEFORE).args(LOWERING).arg(file("mlir")).arg("-o").arg(file("llvm.mlir"));
    let done = succeed(&mut lower).and_then(|_| by_llvm(&file("llvm.mlir"), &file("o")));
    match done {
        Ok(()) => made.push(file("o")),
        Err(e) if items.len() == 1 => {
            let text = e.to_string();
            let said = text.lines().find_map(|l| l.split_once("error: ")).map_or("crash", |e| e.1);
            failed.insert(first.number, format!("MLIR's tools: {said}"));
        }
        Err(_) => {
            let (left, right) = items.split_at(items.len() / 2);
            by_theirs(folder, left, made, failed)?;
            by_theirs(folder, right, made, failed)?;
        }
    }
    Ok(())
}

/// What came of each function of a file: `same`, or why not.
fn judged(name: &str, path: &Path) -> Result<Vec<(String, String)>, Failure> {
    let all = functions(name, path)?;
    let folder = work_folder(&format!("mlir/conversion/{}", name.replace(['/', '.'], "-")));
    let mut failed = BTreeMap::new();
    let mut objects = Vec::new();
    by_theirs(&folder, &all.iter().collect::<Vec<_>>(), &mut objects, &mut failed)?;
    let mut signed: HashMap<String, Signature> = HashMap::new();
    for object in &objects {
        let ir = std::fs::read_to_string(object.with_extension("ll"))?;
        signed.extend(signatures(&ir).into_iter().map(|s| (s.name.clone(), s)));
    }
    let mut table = String::new();
    let mut calls = "@there = external global [4096 x i8]\ndeclare void @told(i64)\n".to_string();
    let stands_for = |s: &&Signature| {
        !s.defined && s.name != "printf" && ["x", "_mlir_ciface_x", "print"].iter().any(|p| s.name.starts_with(p))
    };
    signed.values().filter(stands_for).for_each(|s| s.stub(&mut calls));
    let mut compared = 0;
    let (mut declared, mut leaves) = (String::new(), String::new());
    for item in &all {
        if failed.contains_key(&item.number) {
            continue;
        }
        let (file, object) =
            (folder.join(format!("g{}.mlir", item.number)), folder.join(format!("g{}.o", item.number)));
        std::fs::write(&file, item.text("g"))?;
        if let Err(e) = compile(Mode::Bits64, &file, &object) {
            let text = e.to_string();
            let said = text.lines().find_map(|l| l.split_once("error: ")).map_or(text.as_str(), |e| e.1);
            failed.insert(item.number, format!("Gusset: {said}"));
            continue;
        }
        let (ours, theirs) = (item.renamed("g"), item.renamed("l"));
        let caller = format!("call{}", item.number);
        let called = signed.get(&theirs).and_then(|s| s.caller(&caller, &mut calls).map(|()| s));
        let Some(signature) = called else {
            failed.insert(item.number, "the driver cannot call it: variadic, or with arguments in memory".into());
            continue;
        };
        objects.push(object);
        let (n, rough) = (item.number, i32::from(item.is_rough()));
        let (args, result) = arguments(item, signature);
        leaf_table(&format!("args{n}"), &args, &mut leaves);
        leaf_table(&format!("result{n}"), &result, &mut leaves);
        let (a, r) = (args.len(), result.len());
        writeln!(declared, "extern char {ours}[], {theirs}[]; void {caller}(void *, void *, void *);")
            .map_err(wrong)?;
        writeln!(table, "{{\"{n}\", {caller}, {ours}, {theirs}, args{n}, {a}, result{n}, {r}, {rough}}},")
            .map_err(wrong)?;
        compared += 1;
    }
    let driver = std::fs::read_to_string(root().join("tests/tests/mlir/conversion/driver.c"))?;
    let driver = format!(
        "{driver}{declared}{leaves}const struct function functions[] = {{{table}}};\nconst int count = {compared};\n"
    );
    let said = if compared == 0 { HashMap::new() } else { run_all(&folder, &driver, &calls, &objects)? };
    let outcome = |item: &Item| {
        let none = || "the driver ended before it".to_string();
        let what = failed.get(&item.number).or_else(|| said.get(&item.number)).cloned().unwrap_or_else(none);
        let name = format!("{} ", item.name);
        match EXPLAINED.iter().find(|(part, _)| name.contains(part)) {
            Some((_, why)) if what.starts_with("differs") => format!("{what}: {why}"),
            _ => what,
        }
    };
    Ok(all.iter().map(|item| (format!("{} ({})", item.name, item.number), outcome(item))).collect())
}

fn wrong(e: std::fmt::Error) -> Failure {
    Failure::new(e.to_string())
}

/// Links everything and runs it: what the driver says of each function.
fn run_all(folder: &Path, driver: &str, calls: &str, objects: &[PathBuf]) -> Result<HashMap<usize, String>, Failure> {
    let file = |name: &str| folder.join(name);
    std::fs::write(file("driver.c"), driver)?;
    std::fs::write(file("calls.ll"), calls)?;
    succeed(limited(120, clang()).args(["-w", "-O1", "-c"]).arg(file("driver.c")).arg("-o").arg(file("driver.o")))?;
    let mut assemble = limited(120, llc());
    assemble.args(["-O0", "-filetype=obj", "-relocation-model=pic"]).arg(file("calls.ll"));
    succeed(assemble.arg("-o").arg(file("calls.o")))?;
    let together = file("all.o");
    succeed(limited(60, "ld").args(["-r", "-o"]).arg(&together).args(objects))?;
    let mut rename = limited(60, "llvm-objcopy-19");
    rename.args(REPLACED.iter().flat_map(|n| ["--redefine-sym".to_string(), format!("{n}=test_{n}")]));
    succeed(rename.arg(&together))?;
    let program = file("program");
    Mode::Bits64.link(&[file("driver.o"), file("calls.o"), together], &["-lm", "-lstdc++"], &program)?;
    let text = run(&mut limited(300, &program))?.text();
    let line = |l: &str| l.split_once('\t').and_then(|(n, what)| Some((n.parse().ok()?, what.to_string())));
    Ok(text.lines().filter_map(line).collect())
}

#[test]
fn functions_of_conversion_tests() -> Result<(), Failure> {
    let files = files()?;
    let done = parallel::map(files.len(), |i| judged(&files[i].0, &files[i].1).map_err(|f| f.at(&files[i].0)));
    let (mut all, mut broken) = (Vec::new(), Vec::new());
    for outcome in done {
        match outcome {
            Ok(outcome) => all.extend(outcome),
            Err(e) => broken.push(e.to_string()),
        }
    }
    if !broken.is_empty() {
        return Err(Failure::new(broken.join("\n")));
    }
    let same = all.iter().filter(|(_, what)| what == "same").count();
    let rest: Vec<String> = all.iter().filter(|(_, w)| w != "same").map(|(n, w)| format!("{n}: {w}")).collect();
    println!("{same} of {} functions do the same", all.len());
    let list = root().join("tests/data/mlir_conversion.txt");
    if wants_all() && std::env::var_os("BLESS").is_some() {
        std::fs::write(&list, rest.iter().map(|l| format!("{l}\n")).collect::<String>())?;
    }
    let known = std::fs::read_to_string(&list).unwrap_or_default();
    let ours = |line: &&str| files.iter().any(|(name, _)| line.starts_with(&format!("{name} ")));
    let known: Vec<&str> = known.lines().filter(ours).collect();
    // Words of messages may change.
    let name = |line: &str| line.split("): ").next().unwrap_or(line).to_string();
    let (known, now): (Vec<_>, Vec<_>) =
        (known.into_iter().map(name).collect(), rest.iter().map(|l| name(l)).collect());
    let news: Vec<&String> = rest.iter().zip(&now).filter(|(_, n)| !known.contains(n)).map(|(l, _)| l).collect();
    let gone: Vec<&String> = known.iter().filter(|n| !now.contains(n)).collect();
    if !news.is_empty() || !gone.is_empty() {
        return Err(Failure::new(format!("not in the list: {news:#?}\nno longer so: {gone:#?}")));
    }
    if wants_all() && same * 100 < all.len() * 80 {
        return Err(Failure::new(format!("{same} of {} functions do the same", all.len())));
    }
    Ok(())
}
