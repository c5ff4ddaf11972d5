//! Functions of every shape that IREE's compiler wraps for callers from outside, with memrefs in place of tensors, as modules by Gusset:
//! conventions and attributes are those that `iree-dump-module` shows of the original, and calls give the same.
//!
//! `iree/shapes_tensor.mlir` has the originals, `iree/shapes_memref.mlir` the same for Gusset, or what Gusset says to it, and
//! `iree/shapes.txt` what stock IREE made of the originals; `BLESS=1` has it make them anew.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use gusset_tests::iree::{Iree, shared_object, stock};
use gusset_tests::recorded;
use gusset_tests::tools::{Failure, gusset, limited, root, run, succeed, work_folder};

/// A part of a file, between lines of dashes.
struct Shape {
    name: String,
    /// What stands after its name: the arguments of a call, or a refusal after an exclamation mark.
    note: String,
    text: String,
}

impl Shape {
    /// Does it call functions of another module?
    fn imports(&self) -> bool {
        self.text.contains("@host.")
    }

    /// What Gusset says to it.
    fn refusal(&self) -> Option<&str> {
        self.note.strip_prefix("! ")
    }

    /// The arguments that it is called with, if there are values for them. Buffers (`&`) are those of arrays for `ours`.
    fn arguments(&self, ours: bool) -> Option<Vec<String>> {
        if self.note.is_empty() || self.refusal().is_some() {
            return None;
        }
        let inputs = self.note.split(' ').filter(|word| *word != "()");
        let inputs = inputs.map(|input| if ours { input.trim_start_matches('&') } else { input });
        Some(inputs.map(|input| format!("--input={input}")).collect())
    }
}

fn shapes(file: &str) -> Vec<Shape> {
    let text = std::fs::read_to_string(root().join("tests/iree").join(file)).unwrap();
    let parts = text.split("// ----- ").skip(1).map(|part| {
        let (head, text) = part.split_once('\n').unwrap();
        let (name, note) = head.split_once(' ').unwrap_or((head, ""));
        Shape { name: name.into(), note: note.into(), text: text.into() }
    });
    parts.collect()
}

/// One file of these shapes.
fn together<'s>(name: &str, shapes: impl Iterator<Item = &'s Shape>) -> Result<PathBuf, Failure> {
    let file = work_folder("iree_shapes").join(name);
    std::fs::write(&file, shapes.map(|shape| shape.text.as_str()).collect::<String>())?;
    Ok(file)
}

/// What a module says of a function: its convention, and its attributes by their keys. Imports have no attributes.
type Functions = BTreeMap<String, (String, BTreeMap<String, String>)>;

/// The string for what `iree-dump-module` shows, as in `(i32, !vm.ref<?>) -> (i64)`.
fn convention(shown: &str) -> String {
    let (args, results) = shown.split_once(") -> (").expect("a function has results");
    let letters = |list: &str| {
        let list = list.trim_matches(['(', ')']);
        let letter = |word| match word {
            "i32" => 'i',
            "i64" => 'I',
            "f32" => 'f',
            "f64" => 'F',
            "!vm.ref<?>" => 'r',
            other => panic!("no letter for {other}"),
        };
        if list.is_empty() { "v".to_string() } else { list.split(", ").map(letter).collect() }
    };
    format!("0{}_{}", letters(args), letters(results))
}

/// The functions that a compiled module exports, and those it imports of the module `host`.
fn dumped(iree: &Iree, module: &Path) -> Result<Functions, Failure> {
    let text = succeed(iree.dump_module().arg(module))?.text();
    let functions = text.split("Imported Functions:").nth(1).and_then(|rest| rest.split("\n//===").next());
    let mut found = Functions::new();
    let mut last = None;
    for line in functions.ok_or_else(|| Failure::new("no functions"))?.lines() {
        if let Some((_, function)) = line.strip_prefix("  [").and_then(|line| line.split_once("] ")) {
            let at = function.find('(').unwrap_or(function.len());
            let (name, signature) = function.split_at(at);
            let ours = !name.starts_with("hal.") && name != "__init" && !name.ends_with("_transients_size");
            last = ours.then(|| name.to_string());
            if ours {
                found.insert(name.into(), (convention(signature), BTreeMap::new()));
            }
        } else if let (Some(name), Some((key, value))) = (&last, line.trim().split_once(": ")) {
            let attributes = &mut found.get_mut(name).expect("it was put there").1;
            attributes.insert(key.into(), value.into());
        }
    }
    Ok(found)
}

/// The same of a module by Gusset, without the records, which iree-compile does not write.
fn reflected(iree: &Iree, library: &Path) -> Result<Functions, Failure> {
    let native = root().join("tests/iree/native.py");
    let text = succeed(iree.python().arg(native).arg(library))?.text();
    let module: serde_json::Value = serde_json::from_str(&text).map_err(|e| Failure::new(format!("{e}: {text}")))?;
    let mut found = Functions::new();
    for kind in ["imports", "exports"] {
        for function in module[kind].as_array().into_iter().flatten() {
            let text = |key: &str| function[key].as_str().unwrap_or_default().to_string();
            let pairs = function["attributes"].as_object().into_iter().flatten();
            let pairs = pairs.filter(|(key, _)| *key != "iree.abi");
            let attributes = pairs.map(|(key, value)| (key.clone(), value.as_str().unwrap_or_default().to_string()));
            if !text("name").starts_with("hal.") {
                found.insert(text("name"), (text("convention"), attributes.collect()));
            }
        }
    }
    Ok(found)
}

/// A text of functions and of what calls give, in which each is found by its name.
fn record(functions: &Functions, calls: &[(String, String)]) -> String {
    let mut text = String::new();
    for (name, (convention, attributes)) in functions {
        writeln!(text, "{name} {convention}").unwrap();
        for (key, value) in attributes {
            writeln!(text, "  {key}: {value}").unwrap();
        }
    }
    for (name, printed) in calls {
        write!(text, "call {name}\n{printed}").unwrap();
    }
    text
}

/// Calls every shape that there are values for; the second module has them, the first those that they call.
fn calls(
    iree: &Iree,
    device: &str,
    modules: [&PathBuf; 2],
    shapes: &[Shape],
    imports: bool,
) -> Result<Vec<(String, String)>, Failure> {
    let mut all = Vec::new();
    let ours = modules[1].extension().is_some_and(|e| e == "so");
    for shape in shapes.iter().filter(|shape| shape.imports() == imports) {
        let Some(arguments) = shape.arguments(ours) else { continue };
        let mut command = iree.run_module();
        command
            .arg(format!("--device={device}"))
            .args(modules.iter().map(|module| format!("--module={}", module.display())));
        command.arg(format!("--function={}", shape.name)).args(arguments);
        all.push((shape.name.clone(), succeed(&mut command)?.text()));
    }
    Ok(all)
}

/// A file as stock IREE compiles it.
fn compiled(iree: &Iree, file: &Path) -> Result<PathBuf, Failure> {
    let module = work_folder("iree_shapes").join(file.file_name().unwrap_or_default()).with_extension("vmfb");
    let mut command = iree.compile()?;
    succeed(command.arg("--iree-input-demote-f64-to-f32=false").arg(file).arg("-o").arg(&module))?;
    Ok(module)
}

/// What stock IREE makes of the originals.
fn originals(iree: &Iree, memrefs: &[Shape]) -> Result<String, Failure> {
    let host = compiled(iree, &root().join("tests/iree/host_tensor.mlir"))?;
    let tensors = shapes("shapes_tensor.mlir");
    let mut functions = Functions::new();
    let mut results = Vec::new();
    for (name, imports) in [("plain.mlir", false), ("importing.mlir", true)] {
        let module = compiled(iree, &together(name, tensors.iter().filter(|shape| shape.imports() == imports))?)?;
        functions.extend(dumped(iree, &module)?);
        results.extend(calls(iree, "local-sync", [&host, &module], memrefs, imports)?);
    }
    Ok(record(&functions, &results))
}

/// Where Gusset's declarations are others: the memory of a result is an array, and not a buffer without a shape.
const DIFFERENT: [(&str, &str, &str); 3] = [
    ("output_buffer", "%input1: !hal.buffer", "%input1: tensor<?x8x8x3xf32>"),
    ("fences_output", "%input2: !hal.buffer", "%input2: tensor<4xf32>"),
    ("fences_output", "%input3: !hal.buffer", "%input3: tensor<4xf32>"),
];

#[test]
fn shapes_of_wrapped_functions() -> Result<(), Failure> {
    let Some(iree) = stock() else { return Ok(()) };
    let memrefs = shapes("shapes_memref.mlir");
    let names = |shapes: &[Shape]| shapes.iter().map(|shape| shape.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&memrefs), names(&shapes("shapes_tensor.mlir")), "the files have the same shapes");
    let table = root().join("tests/iree/shapes.txt");
    if std::env::var_os("BLESS").is_some() {
        recorded::compare(&table, &originals(iree, &memrefs)?, true)?;
    }

    let host = shared_object("iree_shapes", &root().join("tests/iree/host_memref.mlir"), "host", &[])?;
    let mut functions = Functions::new();
    let mut results = Vec::new();
    for (name, imports) in [("plain_memref.mlir", false), ("importing_memref.mlir", true)] {
        let accepted = memrefs.iter().filter(|shape| shape.imports() == imports && shape.refusal().is_none());
        let library = shared_object("iree_shapes", &together(name, accepted)?, "shapes", &[])?;
        functions.extend(reflected(iree, &library)?);
        results.extend(calls(iree, "local-sync", [&host, &library], &memrefs, imports)?);
    }
    let mut wanted = without_refused(&std::fs::read_to_string(table)?, &memrefs);
    for (name, theirs, ours) in DIFFERENT {
        let at = wanted.find(&format!("@{name}(")).expect("the function has a declaration");
        let (head, tail) = wanted.split_at(at);
        assert!(tail.lines().next().is_some_and(|line| line.contains(theirs)), "{name} {theirs}");
        wanted = format!("{head}{}", tail.replacen(theirs, ours, 1));
    }
    let got = record(&functions, &results);
    let difference = wanted.lines().zip(got.lines()).find(|(a, b)| a != b);
    assert_eq!(difference, None, "stock IREE on the left, Gusset on the right");
    assert_eq!(wanted.lines().count(), got.lines().count());
    Ok(())
}

/// Functions of compiled modules are called and waited for: their results are there later than the call returns.
#[test]
fn imports_from_a_compiled_module() -> Result<(), Failure> {
    let Some(iree) = stock() else { return Ok(()) };
    if iree.compile().is_err() {
        eprintln!("left out: this version of IREE has no compiler");
        return Ok(());
    }
    let memrefs = shapes("shapes_memref.mlir");
    let importing = memrefs.iter().filter(|shape| shape.imports() && shape.refusal().is_none());
    let library = shared_object("iree_shapes_waiting", &together("waiting.mlir", importing)?, "shapes", &[])?;
    let hosts = [
        shared_object("iree_shapes_waiting", &root().join("tests/iree/host_memref.mlir"), "host", &[])?,
        compiled(iree, &root().join("tests/iree/host_tensor.mlir"))?,
    ];
    let mut all = Vec::new();
    for host in &hosts {
        for device in ["local-sync", "local-task"] {
            all.push(calls(iree, device, [host, &library], &memrefs, true)?);
            // Stock IREE passes no fence here, which its own function refuses.
            let mut next = iree.run_module();
            next.arg(format!("--device={device}")).args([host, &library].map(|m| format!("--module={}", m.display())));
            let said = succeed(next.args(["--function=fences_import_pure", "--input=41"]))?.text();
            assert!(said.contains("i32=42"), "{said}");
        }
    }
    assert!(all[0].len() >= 5 && all.iter().all(|calls| *calls == all[0]), "{all:#?}");
    Ok(())
}

/// The lines of the table for shapes that Gusset accepts, without what sizes of scratch memory are known by.
fn without_refused(table: &str, shapes: &[Shape]) -> String {
    let refused = |name: &str| {
        let of = |shape: &&Shape| shape.text.contains(&format!("@{name}("));
        shapes.iter().filter(of).any(|shape| shape.refusal().is_some())
    };
    let mut keep = true;
    let mut kept = String::new();
    for line in table.lines() {
        if line.starts_with("call ") {
            keep = true;
        } else if !line.starts_with("  ") && line.contains(" 0") {
            keep = !refused(line.split(' ').next().unwrap_or(line));
        }
        if keep {
            writeln!(kept, "{line}").unwrap();
        }
    }
    kept
}

#[test]
fn what_is_refused_is_named() -> Result<(), Failure> {
    for shape in shapes("shapes_memref.mlir") {
        let Some(refusal) = shape.refusal() else { continue };
        let file = together(&format!("{}.mlir", shape.name), std::iter::once(&shape))?;
        let mut command = limited(60, gusset()?);
        let object = file.with_extension("o");
        let said = run(command.arg("compile").arg(&file).args(["--iree-module", "shapes", "-o"]).arg(object))?;
        let errors = said.errors();
        assert!(
            said.code == 1 && errors.contains(refusal),
            "{}: not `{refusal}`, but {}: {errors}",
            shape.name,
            said.code
        );
    }
    Ok(())
}
