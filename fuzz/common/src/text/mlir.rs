//! MLIR, damaged or not.

use std::sync::OnceLock;

use gusset::{CWrappers, Features, MlirOptions, Options, Source as Input, Target};

use super::{text_of, with_what_they_name};

/// Modules to start from.
const MODULES: [&str; 9] = [
    include_str!("sample.mlir"),
    include_str!("../../../../tests/goldens/abi/bare.mlir"),
    include_str!("../../../../tests/goldens/abi/varargs.mlir"),
    include_str!("../../../../tests/programs/mlir/interface.mlir"),
    include_str!("../../../../tests/programs/mlir/tutorial.mlir"),
    include_str!("../../../../tests/programs/mlir/vectors/forms.mlir"),
    include_str!("../../../../tests/programs/mlir/vectors/lanes.mlir"),
    include_str!("../../../../tests/programs/mlir/vectors/memory.mlir"),
    include_str!("../../../../tests/programs/mlir/vectors/values.mlir"),
];

/// Words that come into texts beside those that are in them already.
const WORDS: [&str; 72] = [
    "0",
    "-1",
    "4294967296",
    "9223372036854775807",
    "18446744073709551616",
    "0x7FC00000",
    "1.0e+400",
    "i1",
    "i7",
    "i129",
    "i16777215",
    "si8",
    "f16",
    "bf16",
    "f80",
    "f8E4M3FN",
    "index",
    "none",
    "complex<f32>",
    "complex<index>",
    "tuple<i32, f32>",
    "tensor<?xf32>",
    "vector<4xi32>",
    "vector<3xi1>",
    "vector<[4]xf32>",
    "vector<2x0xf32>",
    "vector<4294967296xi8>",
    "vector<f32>",
    "memref<f32>",
    "memref<?x?xi8, strided<[?, ?], offset: ?>>",
    "memref<4xi8, affine_map<(d0) -> (d0 mod 3)>>",
    "memref<2x3xf32, affine_map<(d0, d1) -> (d1, d0)>, 3>",
    "memref<4294967295x4294967295x4294967295xf64>",
    "memref<*xf32>",
    "memref<0xf32>",
    "!llvm.ptr",
    "!llvm.void",
    "!llvm.struct<\"own\", (struct<\"own\">)>",
    "!llvm.array<4294967295 x array<4294967295 x i64>>",
    "!llvm.func<void (...)>",
    "!unknown.type<[1, {a}]>",
    "#unknown.attr<\"x\">",
    "affine_map<(d0)[s0] -> (d0 floordiv 0)>",
    "affine_map<(d0, d1) -> (d1, d0, 0)>",
    "affine_set<(d0) : (d0 == 0)>",
    "dense<1>",
    "dense<[]>",
    "dense<\"0x00\">",
    "array<i64: 1, -2>",
    "#a",
    "!t",
    "%0",
    "%0#1",
    "%arg9",
    "@f",
    "@none::@b",
    "^bb0",
    "^none",
    "loc(unknown)",
    "attributes",
    "step",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "->",
    "({",
    "})",
];

/// A module as many small ones: each of its functions, with the lines that say what it names. A module whose functions are within
/// an operation, or are only declared, stays whole.
fn pieces(text: &str) -> Vec<String> {
    let (mut functions, mut entries, mut items) = (Vec::new(), Vec::new(), Vec::<String>::new());
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with("//")) {
        let goes_on = line.starts_with([' ', '}', '^']) || line.starts_with("#-}");
        match items.last_mut().filter(|_| goes_on) {
            Some(item) => *item += &format!("\n{line}"),
            None => items.push(line.into()),
        }
    }
    for item in items {
        let begins = ["func.func @", "func.func private @", "llvm.func @", "\"func.func\""];
        let is_function = begins.iter().any(|b| item.starts_with(b)) && item.contains("{\n");
        if is_function {
            entries.extend(declaration(&item));
            functions.push(item + "\n");
        } else {
            entries.push(item);
        }
    }
    if functions.is_empty() {
        return vec![text.to_string()];
    }
    let resources = entries.iter().find(|entry| entry.starts_with("{-#")).cloned().unwrap_or_default();
    let mut pieces = with_what_they_name(&functions, &entries);
    pieces.iter_mut().filter(|piece| piece.contains("dense_resource")).for_each(|piece| *piece += &resources);
    pieces
}

/// The declaration of a function in the custom form: its header without the parameters' names.
fn declaration(function: &str) -> Option<String> {
    let header = function.split(" {\n").next()?.replacen("func.func @", "func.func private @", 1);
    let mut parts = header.split('%');
    let first = parts.next().filter(|_| header.contains(".func ") && !header.starts_with('"'))?;
    Some(parts.fold(first.to_string(), |all, part| all + part.split_once(": ").map_or(part, |(_, ty)| ty)))
}

/// MLIR from bytes, for [`read_mlir`]. The folder `GUSSET_FUZZ_MLIR`, if there is one, has more files to start from.
pub fn mlir(bytes: &[u8]) -> Vec<u8> {
    static PIECES: OnceLock<Vec<String>> = OnceLock::new();
    let all = || match std::env::var_os("GUSSET_FUZZ_MLIR") {
        Some(folder) => files(folder.as_ref()),
        None => MODULES.iter().flat_map(|text| pieces(text)).collect(),
    };
    text_of(bytes, PIECES.get_or_init(all), &WORDS)
}

/// The parts of MLIR's files below a folder, in the order of their names.
fn files(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|e| e.path()).collect();
    paths.sort();
    let parts = paths.iter().flat_map(|path| {
        if path.is_dir() {
            return files(path);
        }
        let text = std::fs::read(path).ok().filter(|_| path.extension().is_some_and(|e| e == "mlir"));
        let text = text.map(|t| String::from_utf8_lossy(&t).into_owned()).unwrap_or_default();
        text.split("// -----").filter(|part| !part.trim().is_empty()).map(String::from).collect()
    });
    parts.collect()
}

/// What the target `mlir_reader` does with bytes; `said` gets the text. The last byte says whether the allocation is checked.
///
/// # Errors
/// As [`read_mlir`].
pub fn try_mlir(bytes: &[u8], said: impl FnOnce(&[u8])) -> Result<(), String> {
    let text = mlir(bytes);
    said(&text);
    compile_mlir(&text, bytes.last().copied().unwrap_or(0) % 2 == 0).map(drop)
}

/// Compiles MLIR, whatever it is, with a check of the allocation, and looks for its declarations. True if it was compiled.
///
/// # Errors
/// The IR that the reader made, or the allocation of registers, is not sound.
pub fn read_mlir(text: &[u8]) -> Result<bool, String> {
    compile_mlir(text, true)
}

/// Compiles MLIR with a check of the allocation or without, for a target and with choices that the text happens to say.
///
/// # Errors
/// The IR that the reader made, or the allocation of registers, is not sound.
pub fn compile_mlir(text: &[u8], verify: bool) -> Result<bool, String> {
    let sum = text.iter().fold(0u8, |sum, &b| sum.wrapping_mul(31).wrapping_add(b));
    let c_wrappers = if sum % 3 == 0 { CWrappers::All } else { CWrappers::Attribute };
    let mlir = MlirOptions::new().bare_pointers(sum % 8 == 0).c_wrappers(c_wrappers);
    let options = Options::new().verify(verify).mlir(mlir);
    let target = usize::from(sum % 4 == 3);
    let _ = gusset::mlir_header(Input { name: NAME, text }, targets()[target].abi(), &MlirOptions::default());
    match compile(text, target, &options) {
        Ok(()) => Ok(true),
        Err(e) if UNSOUND.iter().any(|words| e.contains(words)) => Err(e),
        Err(_) => Ok(false),
    }
}

/// What errors say that are the code generator's own.
const UNSOUND: [&str; 2] = ["register allocation is wrong", "`: block b"];

const NAME: &str = "fuzz.mlir";

/// Targets of both widths.
fn targets() -> &'static [Target; 2] {
    static TARGETS: OnceLock<[Target; 2]> = OnceLock::new();
    TARGETS.get_or_init(|| {
        ["x86_64-unknown-linux-gnu", "i686-unknown-linux-gnu"]
            .map(|triple| Target::from_triple(triple, &Features::default()).expect("it is one of the targets"))
    })
}

fn compile(text: &[u8], target: usize, options: &Options) -> Result<(), String> {
    let input = Input { name: NAME, text };
    gusset::compile_mlir(input, &targets()[target], options, &mut |_| {}).map(drop).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small texts are good for something only as long as nothing in them is missing.
    #[test]
    fn undamaged_pieces_are_accepted() {
        let options = Options::new().verify(true);
        for piece in MODULES.iter().flat_map(|text| pieces(text)) {
            for target in 0..targets().len() {
                assert_eq!(compile(piece.as_bytes(), target, &options), Ok(()), "{piece}");
            }
        }
    }
}
