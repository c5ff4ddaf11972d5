//! What MLIR's upper dialects become is what MLIR's own passes make of them: headers of functions and of their wrappers, which memory
//! the wrappers load, store and have on the stack, and how addresses of elements are computed.

use std::path::{Path, PathBuf};

use gusset_tests::build::Mode;
use gusset_tests::mlir::{accepted, opt, translate, translated};
use gusset_tests::tools::{self, Failure, limited, root, same_lines, succeed, work_folder};

fn file(name: &str) -> PathBuf {
    root().join(format!("tests/programs/mlir/{name}.mlir"))
}

/// A module lowered by MLIR's passes, for an index of so many bits.
fn lowered(name: &str, bits: &str, output: &Path) -> Result<(), Failure> {
    let mut command = limited(120, opt());
    for pass in ["convert-arith-to-llvm", "finalize-memref-to-llvm", "convert-func-to-llvm"] {
        command.arg(format!("--{pass}=index-bitwidth={bits}"));
    }
    command.args(["--convert-vector-to-llvm", "--reconcile-unrealized-casts"]);
    succeed(command.arg(file(name)).arg("-o").arg(output)).map(drop)
}

/// The function that a line of the dialect `llvm` begins, without names of values, and what MLIR keeps of the upper dialects: its
/// attributes, and visibility. Wrappers are without attributes of parameters, too: here they promise nothing.
fn header(line: &str) -> Option<String> {
    let mut rest = line.trim().strip_prefix("llvm.func ")?;
    for word in ["private ", "internal ", "weak "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let defined = rest.ends_with('{');
    rest = rest.split(" attributes {").next().unwrap_or(rest).trim_end_matches('{').trim_end();
    let mut out = String::new();
    for (i, piece) in rest.split('%').enumerate() {
        out += if i == 0 { piece } else { piece.split_once(": ").map_or(piece, |p| p.1) };
    }
    if out.starts_with("@_mlir_ciface_") {
        while let Some((before, after)) = out.split_once(" {") {
            out = before.to_string() + after.split_once('}').map_or("", |p| p.1);
        }
        out = out.replace("-> (i32)", "-> i32");
    }
    Some(out + if defined { " {" } else { "" })
}

/// The headers of a module, each with how often its function does what with memory.
fn functions(text: &str) -> Vec<String> {
    let mut all: Vec<(String, [usize; 4])> = Vec::new();
    for line in text.lines() {
        if let Some(header) = header(line) {
            all.push((header, [0; 4]));
            continue;
        }
        let Some((_, counts)) = all.last_mut() else { continue };
        for (count, op) in counts.iter_mut().zip(["llvm.load ", "llvm.store ", "llvm.alloca ", "llvm.call "]) {
            *count += usize::from(line.contains(op));
        }
    }
    let mut all: Vec<String> = all
        .into_iter()
        .map(|(header, [l, s, a, c])| format!("{header} loads {l}, stores {s}, alloca {a}, calls {c}"))
        .collect();
    all.sort();
    all
}

#[test]
fn headers_and_wrappers() -> Result<(), Failure> {
    let folder = work_folder("mlir/signatures");
    for bits in ["64", "32", "16"] {
        let [theirs, ours] = ["theirs", "ours"].map(|side| folder.join(format!("{side}-{bits}.mlir")));
        lowered("signatures", bits, &theirs)?;
        translated(Mode::Bits64, &["--index-width", bits], &file("signatures"), &ours)?;
        accepted(&ours)?;
        let [theirs, ours] = [theirs, ours].map(std::fs::read_to_string);
        let (theirs, ours) = (functions(&theirs?), functions(&ours?));
        assert!(ours.len() > 50 && ours.iter().filter(|f| f.starts_with("@_mlir_ciface_")).count() == 12, "{ours:#?}");
        same_lines(&theirs.join("\n"), &ours.join("\n")).map_err(|f| f.at(bits))?;
    }
    Ok(())
}

/// A function's loads and stores, and which values are multiplied, as LLVM IR has them that names values by numbers.
fn computed(function: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for line in function.lines() {
        let words: Vec<&str> = line.split_whitespace().map(|w| w.trim_end_matches(',')).collect();
        match words[..] {
            [_, "=", "mul", .., a, b] => {
                let mut pair = [a, b];
                pair.sort_unstable();
                all.push(format!("{} * {}", pair[0], pair[1]));
            }
            [_, "=", "load", ..] => all.push("load".into()),
            ["store", ..] => all.push("store".into()),
            _ => {}
        }
    }
    all.sort();
    all
}

/// LLVM IR without the making of descriptors that nobody uses.
fn simplified(ir: &Path) -> Result<String, Failure> {
    let passes = "-passes=instsimplify,dce";
    // Text cannot be read without names.
    let bitcode = ir.with_extension("bc");
    succeed(limited(60, tools::opt()).arg("-passes=verify").arg(ir).arg("-o").arg(&bitcode))?;
    let text = succeed(limited(60, tools::opt()).args(["-S", "-discard-value-names", passes]).arg(&bitcode))?.text();
    Ok(text.replace("nsw ", "").replace("nuw ", ""))
}

/// Is a value among the operands of the function's additions and addresses?
fn adds(function: &str, value: &str) -> bool {
    let adding = |line: &&str| line.contains(" = add ") || line.contains("getelementptr");
    function.lines().filter(adding).any(|line| line.split([' ', ',']).any(|word| word == value))
}

/// The same multiplications as MLIR's passes have: by constants where types say strides, by none where the stride is 1; the offset is
/// added where it is unknown, as a constant where it is not 0; and it is the aligned pointer that all start from.
#[test]
fn addresses() -> Result<(), Failure> {
    let folder = work_folder("mlir/addresses");
    let [mlir, theirs, ours] = ["theirs.mlir", "theirs.ll", "ours.ll"].map(|name| folder.join(name));
    lowered("addresses", "64", &mlir)?;
    succeed(limited(60, translate()).arg("--mlir-to-llvmir").arg(&mlir).arg("-o").arg(&theirs))?;
    translated(Mode::Bits64, &[], &file("addresses"), &ours)?;
    let (theirs, ours) = (simplified(&theirs)?, simplified(&ours)?);
    let function = |text: &str, name: &str| -> Result<String, Failure> {
        let at = text.find(&format!("@{name}(")).ok_or_else(|| Failure::new(format!("`{name}` is missing")))?;
        Ok(text[at..].split("\n}").next().unwrap_or_default().to_string())
    };
    // The function, its products, the offset that is added, if any.
    let cases: [(&str, &[&str], Option<&str>); 11] = [
        ("document", &["%11 * %7", "%12 * 32", "%13 * 8", "load"], Some("%2")),
        ("sizes_say_strides", &["%10 * 8", "%9 * 32", "store"], None),
        ("size_unknown", &["%10 * 3", "%6 * %9", "store"], None),
        ("offset_known", &["%5 * 3", "store"], Some("7")),
        ("offset_unknown", &["%7 * 5", "load"], Some("%2")),
        ("all_unknown", &["%5 * %7", "%6 * %8", "load"], Some("%2")),
        ("column_major", &["%8 * 4", "load"], None),
        ("no_dimension", &["store"], None),
        ("as_a_map", &["%7 * 13", "%8 * 2", "load"], Some("%2")),
        ("twice", &["%5 * %7", "%5 * %8", "load", "store"], None),
        ("bare", &["%1 * 9", "%2 * 2", "load"], Some("5")),
    ];
    for (name, products, offset) in cases {
        let (theirs, ours) = (function(&theirs, name)?, function(&ours, name)?);
        let (said, mine) = (computed(&theirs), computed(&ours));
        assert!(mine == said && mine == products, "{name}: {mine:?}, not {said:?} nor {products:?}\n{ours}");
        let body = ours.split_once('\n').map_or("", |p| p.1);
        let (allocated, aligned) = if name == "bare" { ("%99", "%0") } else { ("%0", "%1") };
        let uses = |value: &str| body.split([' ', ',', '\n']).any(|word| word == value);
        assert!(uses(aligned) && !uses(allocated), "{name}: {ours}");
        if name != "bare" {
            assert_eq!(
                (adds(&theirs, "%2"), adds(&ours, "%2")),
                (offset == Some("%2"), offset == Some("%2")),
                "{ours}"
            );
        }
        assert!(offset.is_none_or(|value| adds(&ours, value)), "{name}: {ours}");
    }
    Ok(())
}
