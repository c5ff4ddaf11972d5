//! `gusset translate` from MLIR to LLVM IR: modules of the `llvm` dialect become what `mlir-translate --mlir-to-llvmir` makes of them,
//! metadata and debug information included, and `gusset compile` makes the same object of the module and of its translation.
//!
//! Judged are MLIR 19's own tests of its translation (`GUSSET_MLIR_TESTS`, "Target/LLVMIR"), module by module, and C programs that
//! `mlir-translate --import-llvm` imports. What upper dialects become is run by `mlir::programs`.
//!
//! `GUSSET_MLIR=all` takes every module, not a sample of them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use gusset_tests::build::{Level, ir};
use gusset_tests::corpus;
use gusset_tests::mlir::{snapshots, translate as mlir_translate};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, gusset, limited, opt, run, same_lines, succeed, work_folder};

/// Files of modules that agree but for those that are named: number in the file, and why.
const FILES: [(&str, &[(usize, &str)]); 22] = [
    ("attribute-alias-scopes.mlir", &[]),
    ("attribute-tbaa.mlir", &[]),
    ("comdat.mlir", &[]),
    (
        "data-layout.mlir",
        &[
            (0, "layouts of `dlti` are not written"),
            (1, "layouts of `dlti` are not written"),
            (2, "layouts of `dlti` are not checked"),
            (3, "layouts of `dlti` are not checked"),
            (4, "layouts of `dlti` are not checked"),
        ],
    ),
    ("fp-math-function-attributes.mlir", &[]),
    ("frame-pointer.mlir", &[]),
    ("invalid-module.mlir", &[]),
    ("llvmir-debug.mlir", &[(12, "one of the types that contain themselves stands twice")]),
    ("llvmir-intrinsics.mlir", &[(0, "matrices in memory have no alignment of their own")]),
    (
        "llvmir-invalid.mlir",
        &[(0, "`func` is converted"), (8, "a list as an array"), (45, "a resource of the type of a memref")],
    ),
    ("llvmir-le-specific.mlir", &[]),
    ("llvmir-types.mlir", &[]),
    ("llvmir.mlir", &[(0, "numbers of 8 bits")]),
    ("loop-metadata.mlir", &[]),
    ("nsw_nuw.mlir", &[]),
    ("opaque-ptr.mlir", &[(0, "matrices in memory have no alignment of their own")]),
    ("target-cpu.mlir", &[]),
    ("target-ext-type.mlir", &[]),
    ("target-features.mlir", &[]),
    ("tune-cpu.mlir", &[]),
    ("vscale.mlir", &[]),
    ("arm-neon.mlir", &[]),
];

fn folder() -> PathBuf {
    work_folder("mlir-translate")
}

/// LLVM IR without names of values, as LLVM prints it; with these passes if there are some.
fn printed(ir: &Path, passes: &[&str]) -> Result<String, Failure> {
    let bitcode = ir.with_extension("bc");
    succeed(limited(60, opt()).arg("-passes=verify").arg(ir).arg("-o").arg(&bitcode))?;
    Ok(succeed(limited(60, opt()).args(["-S", "-discard-value-names"]).args(passes).arg(&bitcode))?.text())
}

/// What `!7` stands for in a text, as far as eight nodes deep.
fn expanded(text: &str, nodes: &HashMap<&str, &str>, around: &mut Vec<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('!') {
        let digits = rest[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let (before, node) = (&rest[..at], &rest[at..at + 1 + digits]);
        out += before;
        rest = &rest[at + 1 + digits..];
        match around.iter().rposition(|n| n == node) {
            _ if digits == 0 => out.push('!'),
            Some(i) => out += &format!("!(around {})", around.len() - i),
            None if around.len() > 8 => out += "!(more)",
            None => {
                around.push(node.to_string());
                out += &expanded(nodes.get(node).copied().unwrap_or(""), nodes, around);
                around.pop();
            }
        }
    }
    out + rest
}

/// The text in an order of its own, attribute groups and metadata where they are used. Attributes of declarations, and functions
/// that are only declared, are left out: upstream writes fewer.
fn normal(text: &str) -> String {
    let mut groups: HashMap<String, String> = HashMap::new();
    let mut nodes: HashMap<&str, &str> = HashMap::new();
    for line in text.lines() {
        let Some((key, value)) = line.split_once(" = ") else { continue };
        if let Some(number) = key.strip_prefix("attributes #") {
            groups.insert(number.to_string(), value.to_string());
        } else if key.starts_with('!') && key[1..].bytes().all(|b| b.is_ascii_digit()) {
            nodes.insert(key, value);
        }
    }
    let mut chunks: Vec<String> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let key = line.split(" = ").next().unwrap_or("");
        let skipped = ["; ", "attributes #", "source_filename", "declare "].iter().any(|s| line.starts_with(s));
        let defined = key.starts_with('%') || key.starts_with('!') && nodes.contains_key(key);
        if line.is_empty() || skipped || !inside && defined {
            continue;
        }
        let line = line.split("; preds").next().unwrap_or(line).trim_end();
        let mut line = expanded(line, &nodes, &mut Vec::new());
        if let Some((head, list)) = line.split_once(" = phi ").and_then(|_| line.split_once(" [ ")) {
            let mut incoming: Vec<&str> = list.trim_end_matches(" ]").split(" ], [ ").collect();
            incoming.sort_unstable();
            line = format!("{head} [ {} ]", incoming.join(" ], [ "));
        }
        let words: Vec<&str> = line.split(' ').collect();
        let group = |w: &&str| w.strip_prefix('#').and_then(|n| groups.get(n.trim_end_matches(','))).cloned();
        let words: Vec<String> = words.iter().map(|w| group(w).unwrap_or_else(|| w.to_string())).collect();
        let line = words.join(" ");
        match chunks.last_mut().filter(|_| inside) {
            Some(chunk) => *chunk += &format!("\n{line}"),
            None => chunks.push(line.clone()),
        }
        inside = (inside || line.starts_with("define ")) && line != "}";
    }
    chunks.sort();
    chunks.join("\n")
}

/// Translates a module both ways, and compares: whether it is refused, and what comes out, as it is or simplified.
fn agree(module: &Path) -> Result<(), Failure> {
    let file = |ending: &str| module.with_extension(ending);
    let theirs = run(limited(60, mlir_translate()).arg("--mlir-to-llvmir").arg(module).arg("-o").arg(file("1.ll")))?;
    let ours = run(limited(60, gusset()?).arg("translate").arg(module).arg("-o").arg(file("2.ll")))?;
    if theirs.code != 0 || ours.code != 0 {
        return match (theirs.code != 0, ours.code) {
            (true, 1) => Ok(()),
            (true, 0) => Err(Failure::new(format!("is not refused as upstream does: {}", theirs.errors()))),
            _ => Err(Failure::new(format!("exit code {}: {}", ours.code, ours.errors()))),
        };
    }
    let compare = |passes: &[&str]| -> Result<(), Failure> {
        let (theirs, ours) = (printed(&file("1.ll"), passes)?, printed(&file("2.ll"), passes)?);
        same_lines(&normal(&theirs), &normal(&ours))
    };
    compare(&[]).or_else(|f| compare(&["-passes=instsimplify,simplifycfg"]).map_err(|_| f))
}

/// The modules of MLIR's tests agree, all but those that are named.
#[test]
fn upstream_tests() -> Result<(), Failure> {
    let tests = snapshots::tests()?.join("Target/LLVMIR");
    let mut modules = Vec::new();
    for (name, but) in FILES {
        let text = std::fs::read_to_string(tests.join(name)).map_err(|e| Failure::new(format!("{name}: {e}")))?;
        let mut module = String::new();
        let mut number = 0;
        for line in text.lines().chain(["// -----"]) {
            if !line.starts_with("// -----") {
                module += line;
                module.push('\n');
                continue;
            }
            let path = folder().join(format!("{}-{number}.mlir", name.trim_end_matches(".mlir")));
            std::fs::write(&path, std::mem::take(&mut module))?;
            modules.push((path, but.iter().any(|b| b.0 == number)));
            number += 1;
        }
    }
    assert!(modules.len() > 150, "{} modules", modules.len());
    let every = if snapshots::wants_all() { 1 } else { 8 };
    let modules: Vec<_> = modules.into_iter().step_by(every).collect();
    let done = parallel::map(modules.len(), |i| {
        let (path, but) = &modules[i];
        match (agree(path), but) {
            (Err(f), false) => Err(f.at(path.display())),
            (Ok(()), true) => Err(Failure::new("agrees now").at(path.display())),
            _ => Ok(()),
        }
    });
    let failures: Vec<String> = done.into_iter().filter_map(|d| d.err().map(|f| f.to_string())).collect();
    if failures.is_empty() { Ok(()) } else { Err(Failure::new(failures.join("\n"))) }
}

/// The objects of C programs are the same from MLIR and from what it is translated to.
#[test]
fn same_objects() -> Result<(), Failure> {
    let units = corpus::lua()?.units;
    let wanted = ["lapi.c", "lgc.c", "lparser.c", "lstrlib.c", "ltable.c"];
    let chosen = units.iter().filter(|u| wanted.iter().any(|name| u.source.ends_with(name)));
    let chosen: Vec<_> = chosen.flat_map(|u| [(u, Level::O0), (u, Level::O1)]).collect();
    assert_eq!(chosen.len(), 2 * wanted.len());
    let done = parallel::map(chosen.len(), |i| {
        let (unit, level) = chosen[i];
        let name = unit.source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let file = |ending: &str| folder().join(format!("{name}-{level:?}.{ending}"));
        let imported = file("mlir");
        let source = ir(unit, level, &[])?;
        succeed(limited(60, mlir_translate()).arg("--import-llvm").arg(source).arg("-o").arg(&imported))?;
        succeed(limited(60, gusset()?).arg("translate").arg(&imported).arg("-o").arg(file("ll")))?;
        let object = |input: PathBuf, ending: &str| -> Result<Vec<u8>, Failure> {
            let output = file(ending);
            succeed(limited(60, gusset()?).args(["compile", "--pic"]).arg(input).arg("-o").arg(&output))?;
            Ok(std::fs::read(output)?)
        };
        match object(imported, "1.o")? == object(file("ll"), "2.o")? {
            true => Ok(()),
            false => Err(Failure::new("the objects differ").at(file("ll").display())),
        }
    });
    done.into_iter().collect()
}
