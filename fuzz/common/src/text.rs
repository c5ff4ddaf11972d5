//! Texts from bytes, and what has to hold of any text: readers accept or refuse it, and never panic.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::OnceLock;

use gusset::{Features, Options, Source as LlvmSource, Target, TranslateOptions};
use gusset_abi::Signature;
use gusset_codegen::compile::Compiler;
use gusset_codegen::compiled::CompiledFunction;
use gusset_codegen::ir::{Function, Module, parse, print};
use gusset_targets::x86::{Features as X86Features, X86};

use crate::source::Source;

mod bitcode;
mod metadata;
mod mlir;

pub use bitcode::{bitcode, read_bitcode, try_bitcode};
pub use metadata::{metadata, read_metadata, try_metadata};
pub use mlir::{compile_mlir, mlir, read_mlir, try_mlir};

/// LLVM IR to start from.
const LLVM: [&str; 7] = [
    include_str!("../../../tests/goldens/calls.ll"),
    include_str!("../../../tests/goldens/control.ll"),
    include_str!("../../../tests/goldens/floats.ll"),
    include_str!("../../../tests/goldens/integers.ll"),
    include_str!("../../../tests/goldens/memory.ll"),
    include_str!("../../../tests/goldens/threads.ll"),
    include_str!("../../../frontends/llvm/tests/sample.ll"),
];

/// LLVM IR to start from that is translated, but not all of it compiled: it is for every machine.
const TRANSLATED: [&str; 4] = [
    include_str!("../../../tests/data/translate/instructions.ll"),
    include_str!("../../../tests/data/translate/machines.ll"),
    include_str!("../../../tests/data/translate/metadata.ll"),
    include_str!("../../../tests/data/translate/symbols.ll"),
];

/// Modules in the IR's text form to start from.
const IR: [&str; 2] = [
    include_str!("../../../codegen/src/ir/sample.gir"),
    include_str!("../../../targets/tests/allocation/functions.gir"),
];

/// Words that come into texts beside those that are in them already.
const WORDS: [&str; 40] = [
    "0",
    "1",
    "-1",
    "18446744073709551616",
    "0x7FF8000000000000",
    "i1",
    "i7",
    "i64",
    "i128",
    "i129",
    "i8388607",
    "ptr",
    "void",
    "<4 x i32>",
    "<3 x i1>",
    "<0 x i8>",
    "[0 x i8]",
    "[4294967295 x [4294967295 x i64]]",
    "{ i8, i64 }",
    "<{ i8 }>",
    "poison",
    "undef",
    "zeroinitializer",
    "null",
    "%0",
    "%99",
    "@f",
    "@none",
    "label %0",
    "align 3",
    "align 4294967296",
    "nuw",
    "volatile",
    "(",
    ")",
    ",",
    "=",
    "}",
    "f80",
    "v0",
];

/// C declarations to start from, parted by empty lines.
const C: &str = concat!(
    include_str!("../../../tests/data/declarations.h"),
    "\n\n",
    include_str!("../../../tests/goldens/abi/class.cc"),
);

/// Words that come into C declarations beside those that are in them already.
const C_WORDS: [&str; 56] = [
    "class",
    "public:",
    "~S();",
    "S(const S &);",
    "virtual",
    "operator+",
    "S::f(",
    "&&",
    "namespace n {",
    "= default;",
    ": a(1) {",
    "using T =",
    "0",
    "-1",
    "0x7fffffff",
    "18446744073709551615ull",
    "'\\xff'",
    "sizeof",
    "sizeof(int)",
    "struct",
    "union S {",
    "enum",
    "enum E : short {",
    "typedef",
    "unsigned",
    "long",
    "__int128",
    "_BitInt(129)",
    "_BitInt(0)",
    "_Complex",
    "_Float16",
    "__m512",
    "float32x4x2_t",
    "va_list",
    "void",
    "*",
    "((((((((",
    "))",
    "[",
    "]",
    "{",
    "};",
    "...",
    ":",
    "__attribute__((aligned(1 << 20)))",
    "__attribute__((packed))",
    "__attribute__((vector_size(64)))",
    "__attribute__((cxx_nontrivial))",
    "__vectorcall",
    "__stdcall",
    "#pragma pack(2)\n",
    "_Alignas(long)",
    "[0x10000]",
    "1 / 0",
    "\\",
    "\u{e9}",
];

/// The targets that declarations are read for.
const TARGETS: [&str; 5] = [
    "x86_64-unknown-linux-gnu",
    "i686-pc-windows-msvc",
    "x86_64-pc-windows-msvc",
    "aarch64-unknown-linux-gnu",
    "armv7-unknown-linux-gnueabihf",
];

/// A module of LLVM IR as many small ones: each of its functions, with the lines that say what it names.
fn llvm_pieces(text: &str) -> Vec<String> {
    // Functions, and everything else as entries, which may go on in lines that are indented.
    let (mut functions, mut entries) = (Vec::<String>::new(), Vec::<String>::new());
    let mut inside = false;
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with(';')) {
        if inside {
            let function = functions.last_mut().expect("it has begun");
            *function += line;
            *function += "\n";
            inside = line != "}";
        } else if line.starts_with("define") {
            functions.push(format!("{line}\n"));
            inside = !line.ends_with('}');
            entries.push(declaration(line));
        } else if line.starts_with([' ', '\t', ']', '}']) && !entries.is_empty() {
            let entry = entries.last_mut().expect("there is one");
            *entry += "\n";
            *entry += line;
        } else {
            entries.push(line.into());
        }
    }
    with_what_they_name(&functions, &entries)
}

/// Functions, each with those of the entries that it names, and that these name.
fn with_what_they_name(functions: &[String], entries: &[String]) -> Vec<String> {
    let entries: Vec<(Option<&str>, Vec<&str>, &str)> =
        entries.iter().map(|entry| (names(entry).first().copied(), names(entry), entry.as_str())).collect();
    let piece = |function: &String| {
        let own = names(function).first().copied();
        let mut wanted: HashSet<&str> = names(function).into_iter().collect();
        // What the entries name that the function names, and so on.
        loop {
            let before = wanted.len();
            for (name, all, _) in &entries {
                if name.is_some_and(|name| Some(name) != own && wanted.contains(name)) {
                    wanted.extend(all);
                }
            }
            if wanted.len() == before {
                break;
            }
        }
        let lines = entries.iter().filter(|(name, ..)| name.is_some_and(|n| Some(n) != own && wanted.contains(n)));
        let lines: String = lines.map(|(.., line)| format!("{line}\n")).collect();
        format!("{lines}{function}")
    };
    functions.iter().map(piece).collect()
}

/// The declaration of a function that begins with this line.
fn declaration(line: &str) -> String {
    let head = line.find('{').filter(|_| line.ends_with('}')).map_or(line, |at| &line[..at]);
    let head = head.trim_end_matches(['{', ' ']);
    let definition_only = ["define", "internal", "available_externally", "private", "comdat", "prefix", "personality"];
    let words = head.split(' ').filter(|w| !definition_only.contains(w) && !w.starts_with("comdat("));
    format!("declare {}", words.collect::<Vec<_>>().join(" "))
}

/// The names in a text of LLVM IR that lines at its outermost level give: of types, functions, data, attributes, metadata and
/// sections that linkers merge.
fn names(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['@', '%', '#', '!', '$']) {
        let from = &rest[at..];
        let end = match from[1..].strip_prefix('"') {
            Some(quoted) => quoted.find('"').map_or(from.len(), |n| n + 3),
            None => {
                let inside = |c: char| c.is_ascii_alphanumeric() || "._-$".contains(c);
                from[1..].find(|c| !inside(c)).map_or(from.len(), |n| n + 1)
            }
        };
        // What locals are called does not matter: some line that is not needed comes along.
        if end > 1 {
            names.push(&from[..end]);
        }
        rest = &from[end..];
    }
    names
}

/// A text of the IR as many small ones: what comes before its functions, with one of them.
fn ir_pieces(text: &str) -> Vec<String> {
    // The sample shows what the text form can say, not what one machine has.
    let text = text.replace(" regparm(2) sse_regparm method", "");
    let mut parts = text.split("\nfunction ");
    let head = parts.next().unwrap_or_default();
    parts.map(|function| format!("{head}\nfunction {function}")).collect()
}

/// A text from bytes: the bytes themselves, or one of the texts to start from with lines and words changed as the bytes
/// say.
fn text_of(bytes: &[u8], seeds: &[String], foreign: &[&str]) -> Vec<u8> {
    let mut src = Source::new(bytes);
    if src.below(8) == 0 {
        return bytes.get(1..).unwrap_or_default().to_vec();
    }
    let seed = &seeds[src.below(seeds.len() as u32) as usize];
    let mut lines: Vec<Cow<'_, str>> = seed.lines().map(Cow::from).collect();
    // A stretch of the seed is enough, and makes for more changes where something happens.
    let first = src.below(lines.len() as u32) as usize;
    let keep = 10 + src.below(120) as usize;
    if src.chance(2) {
        lines = lines.into_iter().skip(first).take(keep).collect();
    }
    for _ in 0..src.pick(&[1, 1, 2, 1, 3, 6, 12]) {
        if src.is_done() || lines.is_empty() {
            break;
        }
        let at = src.below(lines.len() as u32) as usize;
        let other = src.below(lines.len() as u32) as usize;
        match src.below(8) {
            0 => {
                lines.remove(at);
            }
            1 => {
                let line = lines[other].clone();
                lines.insert(at, line);
            }
            2 => lines.swap(at, other),
            3 => {
                let cut = src.below(lines[at].len() as u32 + 1) as usize;
                if lines[at].is_char_boundary(cut) {
                    lines[at].to_mut().truncate(cut);
                }
            }
            _ => {
                let mut words: Vec<&str> = lines[at].split(' ').collect();
                let k = src.below(words.len() as u32) as usize;
                words[k] = match src.below(3) {
                    0 => src.pick(foreign),
                    _ => {
                        let others: Vec<&str> = lines[other].split(' ').collect();
                        src.pick(&others)
                    }
                };
                lines[at] = words.join(" ").into();
            }
        }
    }
    lines.join("\n").into_bytes()
}

/// LLVM IR from bytes, for [`read_llvm`].
pub fn llvm(bytes: &[u8]) -> Vec<u8> {
    static PIECES: OnceLock<Vec<String>> = OnceLock::new();
    text_of(
        bytes,
        PIECES.get_or_init(|| LLVM.iter().chain(&TRANSLATED).flat_map(|text| llvm_pieces(text)).collect()),
        &WORDS,
    )
}

/// A text of the IR from bytes, for [`read_ir`].
pub fn ir(bytes: &[u8]) -> Vec<u8> {
    static PIECES: OnceLock<Vec<String>> = OnceLock::new();
    text_of(bytes, PIECES.get_or_init(|| IR.iter().flat_map(|text| ir_pieces(text)).collect()), &WORDS)
}

/// C declarations from bytes, for [`read_c`].
pub fn c(bytes: &[u8]) -> Vec<u8> {
    static PIECES: OnceLock<Vec<String>> = OnceLock::new();
    text_of(bytes, PIECES.get_or_init(|| C.split("\n\n").map(String::from).collect()), &C_WORDS)
}

/// What the target `llvm_reader` does with bytes; `said` gets the text. The last byte, which seldom matters for the text, says
/// whether the allocation is checked.
///
/// # Errors
/// As [`read_llvm`].
pub fn try_llvm(bytes: &[u8], said: impl FnOnce(&[u8])) -> Result<(), String> {
    let text = llvm(bytes);
    said(&text);
    match bytes.last().copied().unwrap_or(0) % 4 {
        3 => translate_llvm(&text).map(drop),
        way => compile_llvm(&text, way == 0).map(drop),
    }
}

/// What the target `ir_text` does with bytes; `said` gets the text. The last byte says what is looked at.
///
/// # Errors
/// As [`read_ir`].
pub fn try_ir(bytes: &[u8], said: impl FnOnce(&[u8])) -> Result<(), String> {
    let text = ir(bytes);
    said(&text);
    let outcome = match bytes.last().copied().unwrap_or(0) % 4 {
        0 => compile_ir(&text),
        _ => read_ir_form(&text),
    };
    outcome.map(drop)
}

/// What the target `c_declarations` does with bytes; `said` gets the text. The last byte says in which way it is read. Needs a
/// large stack.
///
/// # Errors
/// As [`read_c`].
pub fn try_c(bytes: &[u8], said: impl FnOnce(&[u8])) -> Result<(), String> {
    let text = c(bytes);
    said(&text);
    read_c(&text, bytes.last().copied().unwrap_or(0) as usize).map(drop)
}

/// In how many ways [`read_c`] reads: for each target as C and as C++.
pub const C_WAYS: usize = 2 * TARGETS.len();

/// Reads C declarations, whatever they are, in one of the [`C_WAYS`], and classifies the functions in them. True if they are
/// accepted.
///
/// # Errors
/// An argument or result has no entry in the classification.
pub fn read_c(text: &[u8], way: usize) -> Result<bool, String> {
    let Ok(text) = std::str::from_utf8(text) else { return Ok(false) };
    let triple = TARGETS[way / 2 % TARGETS.len()];
    let target = gusset_abi::AbiTarget::from_triple(triple, Default::default()).map_err(|e| e.to_string())?;
    if way % 2 == 1 {
        // C++ shares everything after its own beginning; its functions are classified like others.
        let Ok(prototype) = gusset_c::prototype_in(gusset_abi::Language::Cxx, text, &target, None) else {
            return Ok(false);
        };
        let _ = gusset_abi::classify(&target, &prototype.signature);
        return Ok(true);
    }
    let Ok(prototypes) = gusset_c::prototypes(text, &target) else { return Ok(false) };
    for prototype in prototypes {
        if let Ok(abi) = gusset_abi::classify(&target, &prototype.signature)
            && abi.args.len() != prototype.params.len()
        {
            return Err(format!("{}: {} arguments of {}", prototype.text, abi.args.len(), prototype.params.len()));
        }
    }
    Ok(true)
}

/// As [`read_c`], in every way. True if one of them accepts it.
///
/// # Errors
/// As [`read_c`].
pub fn read_c_in_all_ways(text: &[u8]) -> Result<bool, String> {
    let ways = || (0..C_WAYS).try_fold(false, |accepted, way| Ok(read_c(text, way)? | accepted));
    gusset_c::on_a_large_stack(ways).unwrap_or_else(|e| Err(e.to_string()))
}

/// Compiles LLVM IR, whatever it is, and translates it. True if it was compiled.
///
/// # Errors
/// The IR that the reader made, or the allocation of registers, is not sound; or as [`translate_llvm`].
pub fn read_llvm(text: &[u8]) -> Result<bool, String> {
    translate_llvm(text)?;
    compile_llvm(text, true)
}

/// Compiles LLVM IR with a check of the allocation or without.
///
/// # Errors
/// The IR that the reader made, or the allocation of registers, is not sound.
pub fn compile_llvm(text: &[u8], verify: bool) -> Result<bool, String> {
    static TARGET: OnceLock<Target> = OnceLock::new();
    let target = TARGET.get_or_init(|| {
        Target::from_triple("x86_64-unknown-linux-gnu", &Features::default()).expect("it is one of the targets")
    });
    let options = Options::new().verify(verify);
    match gusset::compile_llvm(LlvmSource { name: "fuzz.ll", text }, target, &options, &mut |_| {}) {
        Ok(_) => Ok(true),
        Err(e) if e.to_string().contains("register allocation is wrong") => Err(e.to_string()),
        Err(_) => Ok(false),
    }
}

/// Translates LLVM IR, whatever it is, and what comes of that again. True if it is accepted.
///
/// # Errors
/// The translation is refused, or changes when it is translated.
pub fn translate_llvm(text: &[u8]) -> Result<bool, String> {
    let translate = |text: &[u8]| gusset::translate(LlvmSource { name: "fuzz.ll", text }, &TranslateOptions::default());
    let Ok(first) = translate(text) else { return Ok(false) };
    match translate(&first.text) {
        Ok(second) if second == first => Ok(true),
        Ok(_) => Err("a second translation says something else".into()),
        Err(e) => Err(format!("what was translated is refused: {e}")),
    }
}

/// Reads a text of the IR, whatever it is; one that is accepted is printed, read and printed again, and compiled. True if it
/// was accepted.
///
/// # Errors
/// It is read back as something else, or the allocation of registers is not sound.
pub fn read_ir(text: &[u8]) -> Result<bool, String> {
    Ok(read_ir_form(text)? && compile_ir(text)?)
}

/// The part of [`read_ir`] that is about the text form.
///
/// # Errors
/// It is read back as something else.
pub fn read_ir_form(text: &[u8]) -> Result<bool, String> {
    let Ok(text) = std::str::from_utf8(text) else { return Ok(false) };
    let abi = |s: &Signature| gusset_abi::classify(&gusset_abi::AbiTarget::X86_64_LINUX, s);
    let Ok((module, functions)) = parse(text, &mut |s| abi(s)) else { return Ok(false) };
    let once = print(&module, &functions);
    let (again, again_functions) = parse(&once, &mut |s| abi(s)).map_err(|e| format!("what was printed: {e}"))?;
    let twice = print(&again, &again_functions);
    if once != twice {
        let at = once.lines().zip(twice.lines()).find(|(a, b)| a != b);
        return Err(format!("printed, read and printed again it differs: {at:?}"));
    }
    Ok(true)
}

/// The part of [`read_ir`] that is about what comes of it.
///
/// # Errors
/// The allocation of registers is not sound.
pub fn compile_ir(text: &[u8]) -> Result<bool, String> {
    let Ok(text) = std::str::from_utf8(text) else { return Ok(false) };
    let abi = |s: &Signature| gusset_abi::classify(&gusset_abi::AbiTarget::X86_64_LINUX, s);
    let Ok((module, mut functions)) = parse(text, &mut |s| abi(s)) else { return Ok(false) };
    thread_local! {
        // Its tables are large, and nothing but memory stays in them from function to function.
        static COMPILER: RefCell<Compiler<'static, X86>> = RefCell::new({
            static TARGET: OnceLock<X86> = OnceLock::new();
            let mut compiler = Compiler::new(TARGET.get_or_init(|| X86::new(X86Features::default(), true)));
            compiler.check_allocation(true);
            compiler
        });
    }
    COMPILER.with_borrow_mut(|compiler| sound_allocation(compiler, &module, &mut functions))
}

/// True if the allocation of registers is sound in functions that were read.
fn sound_allocation(
    compiler: &mut Compiler<'_, X86>,
    module: &Module,
    functions: &mut [Function],
) -> Result<bool, String> {
    for f in functions {
        if let Err(e) = compiler.compile(module, f, &mut CompiledFunction::default())
            && e.message.contains("register allocation is wrong")
        {
            return Err(e.to_string());
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small texts are good for something only as long as nothing in them is missing.
    #[test]
    fn undamaged_pieces_are_accepted() {
        for piece in LLVM.iter().flat_map(|text| llvm_pieces(text)) {
            assert_eq!(read_llvm(piece.as_bytes()), Ok(true), "{piece}");
        }
        for piece in TRANSLATED.iter().flat_map(|text| llvm_pieces(text)) {
            assert_eq!(translate_llvm(piece.as_bytes()), Ok(true), "{piece}");
        }
        for text in IR {
            for piece in ir_pieces(text) {
                assert_eq!(read_ir(piece.as_bytes()), Ok(true), "{piece}");
            }
        }
    }

    /// The code generator would look for a second part of it.
    #[test]
    fn a_result_narrower_than_what_is_passed_is_refused() {
        let text = "module \"t\"\ns0 = export function @f\nfunction @f sig0 {\n  sig0 = (i8) -> (i8) = c (i8) -> i128\nb0(v0: i8):\n  return v0\n}\n";
        assert_eq!(compile_ir(text.as_bytes()), Ok(false));
        assert_eq!(compile_ir(text.replace("i128", "i8").as_bytes()), Ok(true));
    }
}
