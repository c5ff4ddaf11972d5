//! CodeView in objects: types and symbols are those of LLVM, programs get a PDB in which tools find every line, and code does not change.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use gusset::abi::{CType, Signature};
use gusset::{BuilderOptions, DebugFunction, DebugOptions, Features, Linkage, ObjectBuilder, Target};
use gusset_tests::machine::{AARCH64_WINDOWS, ARM_WINDOWS, I386_WINDOWS, Machine, X86_64_WINDOWS};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, clang, gusset, limited, llc, root, succeed, work_folder};
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget};

const MACHINES: [Machine; 4] = [X86_64_WINDOWS, I386_WINDOWS, AARCH64_WINDOWS, ARM_WINDOWS];
const DEBUG: [&str; 3] = ["-g", "-gcodeview", "-w"];

/// The triple of a machine for Microsoft's tools.
fn triple(machine: &Machine) -> String {
    let architecture = machine.triple.split('-').next().unwrap_or_default();
    format!("{architecture}-pc-windows-msvc")
}

fn source(name: &str) -> PathBuf {
    root().join("tests/programs/codeview").join(name)
}

/// A program as LLVM IR.
fn ir(machine: &Machine, source: &Path, options: &[&str], text: &Path) -> Result<(), Failure> {
    let mut command = limited(60, clang());
    command.arg(format!("--target={}", triple(machine))).args(DEBUG).args(options);
    if source.extension().is_some_and(|end| end == "cpp") {
        command.arg("-std=c++20");
    }
    succeed(command.args(["-S", "-emit-llvm"]).arg(source).arg("-o").arg(text)).map(drop)
}

fn compile(text: &Path, object: &Path, options: &[&str]) -> Result<(), Failure> {
    succeed(limited(60, gusset()?).args(["compile", "--verify"]).args(options).arg(text).arg("-o").arg(object))
        .map(drop)
}

fn compile_by_llvm(text: &Path, object: &Path, level: &str) -> Result<(), Failure> {
    succeed(limited(60, llc()).args([level, "-filetype=obj"]).arg(text).arg("-o").arg(object)).map(drop)
}

/// What `llvm-readobj` says of an object.
struct Dump {
    /// Types without numbers: each mentions others by what these are.
    types: Vec<String>,
    /// Symbols without places in code and frames, by function or other heading.
    symbols: Vec<String>,
    /// The lines that each function has, with their files.
    lines: BTreeMap<String, BTreeSet<String>>,
}

/// Replaces the numbers of types in a line.
fn replaced(line: &str, known: &BTreeMap<u32, String>) -> String {
    let (mut out, mut rest) = (String::new(), line);
    while let Some(at) = rest.find("0x") {
        let digits = rest[at + 2..].bytes().take_while(u8::is_ascii_hexdigit).count();
        let (number, end) = (&rest[at + 2..at + 2 + digits], at + 2 + digits);
        let known = u32::from_str_radix(number, 16).ok().and_then(|number| known.get(&number));
        match known {
            Some(known) => out.extend([&rest[..at], known]),
            None => out.push_str(&rest[..end]),
        }
        rest = &rest[end..];
    }
    out + rest
}

/// A short text for a long one.
fn digest(text: &str) -> String {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("<{:08x}>", hasher.finish() as u32)
}

/// What says where something is in code or in a frame, or which tool wrote it.
const PLACES: [&str; 23] = [
    "Offset:",
    "OffsetStart:",
    "ISectStart:",
    "Range:",
    "CodeSize:",
    "TotalFrameBytes:",
    "BytesOfCalleeSavedRegisters:",
    "SubSectionSize:",
    "Section:",
    "ObjectName:",
    "BackendVersion:",
    "BasePointerOffset:",
    "BaseRegister:",
    "Register:",
    "CodeOffset:",
    "Len:",
    "LocalFramePtrReg:",
    "ParamFramePtrReg:",
    "HasFP",
    "BuildId:",
    "Value:",
    "GapStartOffset:",
    "]",
];

fn dump(object: &Path) -> Result<Dump, Failure> {
    let text = succeed(limited(60, "llvm-readobj-19").arg("--codeview").arg(object))?.text();
    let (mut known, mut types) = (BTreeMap::new(), Vec::new());
    let of_types = text.split_once("CodeViewTypes [").map_or("", |after| after.1.split("\n]").next().unwrap_or(""));
    let mut record: Option<(u32, String)> = None;
    for line in of_types.lines() {
        let number = line.strip_suffix(") {").and_then(|start| start.rsplit_once(" (0x"));
        match (number, &mut record) {
            (Some((kind, number)), None) => {
                record = u32::from_str_radix(number, 16).ok().map(|number| (number, kind.trim().to_string()));
            }
            (_, Some(_)) if line == "  }" => {
                let Some((number, body)) = record.take() else { continue };
                known.insert(number, digest(&body));
                types.push(body);
            }
            (_, Some((_, body))) if !line.contains("TypeLeafKind") => {
                body.push('\n');
                body.push_str(&replaced(line, &known));
            }
            _ => {}
        }
    }
    types.sort();
    let mut out = Dump { types, symbols: Vec::new(), lines: BTreeMap::new() };
    let (mut function, mut file, mut in_lines, mut skipped) = (String::new(), String::new(), false, false);
    for line in text.split("CodeViewDebugInfo [").skip(1).flat_map(str::lines) {
        let trimmed = line.trim();
        // Frames of 32-bit code differ with the registers that are saved.
        skipped |= trimmed.starts_with("SubSectionType: FrameData");
        in_lines |= trimmed.starts_with("FunctionLineTable");
        let value = |key: &str| trimmed.strip_prefix(key).map(|value| value.trim().to_string());
        if in_lines {
            if let Some(name) = value("LinkageName:") {
                function = name;
            } else if let Some(name) = value("Filename:") {
                file = name.split(" (").next().unwrap_or_default().into();
            } else if let Some(number) = value("LineNumberStart:") {
                out.lines.entry(function.clone()).or_default().insert(format!("{file}:{number}"));
            }
        } else if !skipped && !PLACES.iter().any(|place| trimmed.starts_with(place)) {
            out.symbols.push(match trimmed {
                flags if flags.starts_with("Flags [") => "Flags [".into(),
                kind if kind.starts_with("Kind:") => kind.into(),
                line => replaced(line, &known),
            });
        }
        if line == "  ]" {
            (in_lines, skipped) = (false, false);
        }
    }
    Ok(out)
}

fn same(what: &str, own: &[String], judge: &[String]) -> Result<(), Failure> {
    let Some(at) = (0..own.len().max(judge.len())).find(|&at| own.get(at) != judge.get(at)) else { return Ok(()) };
    let around = |all: &[String]| all[at.saturating_sub(12).min(all.len())..(at + 6).min(all.len())].join("\n");
    Err(Failure::new(format!("{what} differ\n{}\n--- LLVM has ---\n{}", around(own), around(judge))))
}

/// Compares the lines of each function. Where a block ends there may be no code.
fn same_lines(
    source: &Path,
    own: &BTreeMap<String, BTreeSet<String>>,
    judge: &BTreeMap<String, BTreeSet<String>>,
) -> Result<(), Failure> {
    let text = std::fs::read_to_string(source)?;
    let ends_block = |line: &String| {
        let number = line.rsplit(':').next().and_then(|number| number.parse::<usize>().ok());
        number.and_then(|number| text.lines().nth(number - 1)).is_some_and(|line| line.trim() == "}")
    };
    for (function, lines) in judge {
        let Some(found) = own.get(function) else { return Err(Failure::new(format!("{function} has no lines"))) };
        let differ: Vec<&String> = found.symmetric_difference(lines).filter(|line| !ends_block(line)).collect();
        if !differ.is_empty() {
            return Err(Failure::new(format!("only one has these lines of {function}: {differ:?}")));
        }
    }
    if own.len() == judge.len() { Ok(()) } else { Err(Failure::new("further functions have lines")) }
}

/// Compiles the programs for each machine, and passes on the machine, the program's name, our object, its IR, and where an object by LLVM
/// may be.
fn for_each_program(
    folder: &str,
    level: &str,
    check: impl Fn(&Machine, &str, &Path, &Path, &Path) -> Result<(), Failure> + Sync,
) -> Result<(), Failure> {
    let folder = work_folder(&format!("codeview/{folder}"));
    let all: Vec<_> = MACHINES.iter().flat_map(|m| ["classes.cpp", "functions.c"].map(|name| (m, name))).collect();
    let done = parallel::map(all.len(), |i| {
        let (machine, name) = all[i];
        let stem = folder.join(format!("{}-{}.", &name[..4], machine.name));
        let [text, own, judge] = ["ll", "own.o", "llc.o"].map(|extension| stem.with_extension(extension));
        ir(machine, &source(name), &[level], &text)?;
        compile(&text, &own, &[])?;
        check(machine, name, &own, &text, &judge)
    });
    done.into_iter().collect()
}

/// Without optimization everything is as LLVM writes it, except where it is in code and frames.
#[test]
fn types_and_symbols_are_those_of_llvm() -> Result<(), Failure> {
    for_each_program("dump", "-O0", |machine, name, own, _, judge| {
        // Read from text, LLVM has negative numbers of enumerations in as few bits as they need.
        let mut command = limited(60, clang());
        command.arg(format!("--target={}", triple(machine))).args(DEBUG).args([
            "-O0",
            "-c",
            "-Xclang",
            "-gno-column-info",
        ]);
        if name.ends_with("cpp") {
            command.arg("-std=c++20");
        }
        succeed(command.arg(source(name)).arg("-o").arg(judge))?;
        let (own, judge) = (dump(own)?, dump(judge)?);
        let is_ours = |record: &&String| !record.starts_with("BuildInfo") && !record.starts_with("StringId");
        let list = |types: &[String]| types.iter().filter(is_ours).cloned().collect::<Vec<_>>();
        let at = |failure: Failure| failure.at(format!("{name} for {}", machine.name));
        same("types", &list(&own.types), &list(&judge.types)).map_err(at)?;
        same("symbols", &own.symbols, &judge.symbols).map_err(at)?;
        same_lines(&source(name), &own.lines, &judge.lines).map_err(at)
    })
}

/// With optimization all named types are as LLVM writes them, and every variable and inlined call is there.
#[test]
fn optimized_code_has_the_same_types_and_variables() -> Result<(), Failure> {
    for_each_program("optimized", "-O1", |machine, name, own, text, judge| {
        compile_by_llvm(text, judge, "-O1")?;
        let (own, judge) = (dump(own)?, dump(judge)?);
        let kinds = ["Class", "Struct", "Union", "Array", "Bitfield", "Modifier"];
        let named = |dump: &Dump| -> Vec<String> {
            let is_named = |record: &&String| {
                kinds.iter().any(|kind| record.starts_with(kind))
                    && !record.contains("Color")
                    && !record.contains("color")
            };
            dump.types.iter().filter(is_named).cloned().collect()
        };
        let at = |failure: Failure| failure.at(format!("{name} for {}", machine.name));
        same("types", &named(&own), &named(&judge)).map_err(at)?;
        let names = |dump: &Dump| -> BTreeSet<String> {
            let keys = ["VarName:", "Name:", "DisplayName:", "UDTName:", "Inlinee:"];
            let is_name = |line: &&String| keys.iter().any(|key| line.starts_with(key));
            let plain = |line: &String| line.split(" (<").next().unwrap_or_default().replace("VarName:", "Name:");
            dump.symbols.iter().filter(is_name).map(plain).collect()
        };
        let missing: Vec<String> = names(&judge).difference(&names(&own)).cloned().collect();
        // Calls of which no code is left.
        let gone = ["Inlinee: f", "Inlinee: ~Both2"];
        match missing.iter().all(|name| gone.contains(&name.as_str())) {
            true => Ok(()),
            false => Err(at(Failure::new(format!("missing: {missing:?}")))),
        }
    })
}

/// A program with its PDB, and where its functions are.
struct Linked {
    program: PathBuf,
    pdb: PathBuf,
    functions: BTreeMap<String, u64>,
}

/// Links an object to a program without a C library.
fn link(machine: &Machine, object: &Path) -> Result<Linked, Failure> {
    let (program, map) = (object.with_extension("exe"), object.with_extension("map"));
    let pdb = object.with_extension("pdb");
    let mut command = limited(60, "lld-link-19");
    command.args(["/nologo", "/debug", "/nodefaultlib", "/entry:mainCRTStartup", "/subsystem:console", "/opt:noref"]);
    command.args(["/safeseh:no"].iter().filter(|_| machine.pointer_bytes == 4));
    command.arg(format!("/out:{}", program.display())).arg(format!("/map:{}", map.display()));
    command.arg(format!("/pdb:{}", pdb.display())).arg(object);
    let outcome = succeed(&mut command)?;
    let said = outcome.text() + &outcome.errors();
    if !said.trim().is_empty() {
        return Err(Failure::new(format!("the linker warns: {said}")));
    }
    let mut functions = BTreeMap::new();
    for line in std::fs::read_to_string(map)?.lines() {
        let parts: Vec<&str> = line.split_whitespace().collect();
        if let [place, name, address, ..] = parts[..]
            && place.contains(':')
            && let Ok(address) = u64::from_str_radix(address, 16)
        {
            functions.insert(name.to_string(), address);
        }
    }
    Ok(Linked { program, pdb, functions })
}

/// The calls of an object's functions: what is called, and the address in the program.
fn calls(object: &Path, linked: &Linked) -> Result<Vec<(String, u64)>, Failure> {
    let bytes = std::fs::read(object)?;
    let failure = |error: object::Error| Failure::new(format!("{}: {error}", object.display()));
    let file = object::File::parse(&*bytes).map_err(failure)?;
    let is_function = |symbol: &object::Symbol<'_, '_>| symbol.kind() == object::SymbolKind::Text;
    let mut functions: Vec<_> = file.symbols().filter(is_function).filter(|symbol| symbol.is_definition()).collect();
    functions.sort_by_key(|symbol| (symbol.section_index().map(|section| section.0), symbol.address()));
    let mut all = Vec::new();
    for (number, function) in functions.iter().enumerate() {
        let (Some(section), Ok(name)) = (function.section_index(), function.name()) else { continue };
        let next = functions.get(number + 1).filter(|next| next.section_index() == Some(section));
        let code = function.address()..next.map_or(u64::MAX, |next| next.address());
        let Some(&address) = linked.functions.get(name) else { continue };
        for (offset, relocation) in file.section_by_index(section).map_err(failure)?.relocations() {
            let RelocationTarget::Symbol(target) = relocation.target() else { continue };
            let target = file.symbol_by_index(target).map_err(failure)?;
            if code.contains(&offset) && is_function(&target) {
                all.push((target.name().unwrap_or_default().to_string(), address + offset - code.start));
            }
        }
    }
    Ok(all)
}

/// What `llvm-symbolizer` says of the calls of a program: callees with the function, file and line of the call.
fn symbolized(object: &Path, linked: &Linked) -> Result<Vec<String>, Failure> {
    let calls = calls(object, linked)?;
    let mut command = limited(60, "llvm-symbolizer-19");
    command.args(["--output-style=GNU", "--no-inlines", "--obj"]).arg(&linked.program);
    command.args(calls.iter().map(|call| format!("{:#x}", call.1)));
    let text = succeed(&mut command)?.text();
    let lines: Vec<&str> = text.lines().collect();
    let mut all: Vec<String> =
        calls.iter().zip(lines.chunks(2)).map(|(call, at)| format!("{} from {}", call.0, at.join(" "))).collect();
    all.sort();
    Ok(all)
}

/// A PDB is made of objects without complaints, and what tools find by it for each call is what they find in LLVM's program.
#[test]
fn tools_find_functions_and_lines_in_programs() -> Result<(), Failure> {
    let folder = work_folder("codeview/programs");
    let done = parallel::map(MACHINES.len(), |i| -> Result<(), Failure> {
        let machine = &MACHINES[i];
        let file = |end: &str| folder.join(format!("{}.{end}", machine.name));
        let (text, own, judge) = (file("ll"), file("own.o"), file("llc.o"));
        ir(machine, &source("functions.c"), &["-O0"], &text)?;
        compile(&text, &own, &[])?;
        succeed(
            limited(60, llc()).args(["-O0", "-filetype=obj", "-function-sections"]).arg(&text).arg("-o").arg(&judge),
        )?;
        let mut said = Vec::new();
        for object in [&own, &judge] {
            let linked = link(machine, object)?;
            let dump = succeed(limited(60, "llvm-pdbutil-19").args(["dump", "--all"]).arg(&linked.pdb))?;
            if !dump.errors().is_empty() || !dump.text().contains("S_GPROC32") {
                return Err(Failure::new(format!("{}: {}", machine.name, dump.errors())));
            }
            said.push(symbolized(object, &linked)?);
        }
        let at = |failure: Failure| failure.at(machine.name);
        same("calls", &said[0], &said[1]).map_err(at)?;
        let known = said[0].iter().filter(|line| line.contains("functions.c:")).count();
        if known < 6 { Err(at(Failure::new(format!("too few calls have lines: {:?}", said[0])))) } else { Ok(()) }
    });
    done.into_iter().collect()
}

/// A debugger finds functions, blocks, variables, types and lines by a program's PDB as it does for LLVM's program.
#[test]
fn lldb_finds_what_it_does_for_llvm() -> Result<(), Failure> {
    let folder = work_folder("codeview/lldb");
    let machine = &X86_64_WINDOWS;
    let (text, own, judge) = (folder.join("program.ll"), folder.join("own.o"), folder.join("llc.o"));
    ir(machine, &source("functions.c"), &["-O0"], &text)?;
    compile(&text, &own, &[])?;
    compile_by_llvm(&text, &judge, "-O0")?;
    let mut said = Vec::new();
    for object in [&own, &judge] {
        let linked = link(machine, object)?;
        let all = calls(object, &linked)?;
        let Some(call) = all.iter().find(|call| call.0 == "add") else { return Err(Failure::new("nothing calls add")) };
        let commands = [
            "settings set symbols.enable-external-lookup false".to_string(),
            "image lookup -v -n walk".into(),
            format!("image lookup -v -a {:#x}", call.1),
            "image lookup -v -n add".into(),
            "image lookup -t node".into(),
            "image lookup -t number".into(),
            "breakpoint set -f functions.c -l 31".into(),
            "breakpoint set -n recurse".into(),
            "target variable counter table".into(),
        ];
        let mut command = limited(120, "lldb-19");
        command.args(["--no-lldbinit", "--batch"]);
        commands.iter().for_each(|one| _ = command.args(["-o", one]));
        let text = succeed(command.arg(&linked.program))?.text();
        said.push(text.lines().filter_map(without_places).collect::<Vec<String>>());
    }
    same("what lldb says", &said[0], &said[1])?;
    let variables = said[0].iter().filter(|line| line.starts_with("Variable:")).count();
    if variables < 5 { Err(Failure::new(said[0].join("\n"))) } else { Ok(()) }
}

/// What a line of the debugger says besides addresses and places; nothing, if it is about the program as a whole.
fn without_places(line: &str) -> Option<String> {
    const KEPT: [&str; 8] =
        ["Function:", "FuncType:", "LineEntry:", "Variable:", "compiler_type", "Breakpoint", "(int", "="];
    if !KEPT.iter().any(|kept| line.contains(kept))
        || ["Address:", "Module:", "Symbol:"].iter().any(|no| line.contains(no))
    {
        return None;
    }
    let is_place = |word: &&str| {
        let word = word.trim_start_matches(['[', '-', '+', '(', '{']);
        word.starts_with(|c: char| c.is_ascii_digit())
            || ["0x", "own", "llc", "R"].iter().any(|start| word.starts_with(start))
    };
    Some(line.split([' ', ',']).filter(|word| !word.is_empty() && !is_place(word)).collect::<Vec<_>>().join(" "))
}

/// Sections that have nothing to do with debug information. Some are lists of symbols by number, of which there are more with it.
fn code(file: &Path) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let bytes = std::fs::read(file)?;
    let parsed = object::File::parse(&*bytes).map_err(|e| Failure::new(format!("{}: {e}", file.display())))?;
    let sections = parsed
        .sections()
        .map(|section| (section.name().unwrap_or_default().to_string(), section.data().unwrap_or_default().to_vec()));
    let others = [".debug", ".sxdata", ".gehcont"];
    Ok(sections.filter(|section| !others.iter().any(|other| section.0.starts_with(other))).collect())
}

/// Debug information does not change code, tables of exceptions or data; and linkers take it where there are funclets.
#[test]
fn code_is_that_of_stripped_modules() -> Result<(), Failure> {
    let folder = work_folder("codeview/same");
    let mut programs = gusset_tests::tools::files_below(&root().join("tests/programs/msvc_eh"), "cpp")?;
    programs.extend([source("classes.cpp"), source("functions.c")]);
    programs.sort();
    let all: Vec<_> =
        programs.iter().enumerate().flat_map(|(i, program)| ["-O0", "-O1"].map(|level| (i, program, level))).collect();
    let done = parallel::map(all.len(), |n| -> Result<(), Failure> {
        let (i, program, level) = all[n];
        let machine = &MACHINES[(i + usize::from(level == "-O1")) % 3];
        let name = format!("{}{level}-{}", program.file_stem().unwrap_or_default().to_string_lossy(), machine.name);
        let file = |end: &str| folder.join(format!("{name}.{end}"));
        let (text, with, without) = (file("ll"), file("g.o"), file("o"));
        // Functions with `optnone` keep their variables in memory for debuggers.
        let mut options = vec![level, "-fms-extensions", "-Xclang", "-disable-O0-optnone"];
        if program.extension().is_some_and(|end| end == "cpp") {
            options.extend(["-fexceptions", "-fcxx-exceptions"]);
        }
        ir(machine, program, &options, &text)?;
        compile(&text, &with, &[])?;
        compile(&text, &without, &["--strip-debug"])?;
        let at = |failure: Failure| failure.at(&name);
        if code(&with)? != code(&without)? {
            return Err(at(Failure::new("the code depends on debug information")));
        }
        let dump = succeed(limited(60, "llvm-readobj-19").arg("--codeview").arg(&with)).map_err(at)?;
        match dump.errors().is_empty() && dump.text().contains("CodeViewTypes [") {
            true => Ok(()),
            false => Err(at(Failure::new(dump.errors()))),
        }
    });
    done.into_iter().collect()
}

/// A module with a global variable of type `!6`, whose type and what it needs are given.
fn module_with_types(types: &str) -> String {
    format!(
        "target triple = \"x86_64-pc-windows-msvc\"\n@v = global i32 0, !dbg !4\n\
         !llvm.dbg.cu = !{{!1}}\n!llvm.module.flags = !{{!2, !3}}\n\
         !0 = !DIFile(filename: \"a.c\", directory: \"C:\\5Cs\")\n\
         !1 = distinct !DICompileUnit(language: DW_LANG_C11, file: !0, emissionKind: FullDebug, globals: !5)\n\
         !2 = !{{i32 2, !\"CodeView\", i32 1}}\n!3 = !{{i32 2, !\"Debug Info Version\", i32 3}}\n\
         !4 = !DIGlobalVariableExpression(var: !7, expr: !DIExpression())\n!5 = !{{!4}}\n\
         !7 = distinct !DIGlobalVariable(name: \"v\", scope: !1, file: !0, line: 1, type: !6, isLocal: false, isDefinition: true)\n{types}"
    )
}

/// Types may be nested very deep, and damaged ones may contain themselves: neither costs stack or time.
#[test]
fn deep_and_damaged_types_are_described() -> Result<(), Failure> {
    const DEEP: usize = 100_000;
    let folder = work_folder("codeview/deep");
    // Each of many scopes is named by those around it.
    const SCOPES: usize = 20_000;
    let chain = |deep: usize, each: &dyn Fn(usize, usize) -> String| -> String {
        (0..deep).map(|n| each(if n == 0 { 6 } else { 7 + n }, 8 + n)).collect::<String>()
            + &format!("!{} = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)\n", 7 + deep)
    };
    let pointers = chain(DEEP, &|own, next| {
        format!("!{own} = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !{next}, size: 64)\n")
    });
    let names = chain(DEEP, &|own, next| {
        format!("!{own} = !DIDerivedType(tag: DW_TAG_typedef, name: \"t{own}\", file: !0, baseType: !{next})\n")
    });
    let scopes = chain(SCOPES, &|own, next| {
        format!(
            "!{own} = !DICompositeType(tag: DW_TAG_structure_type, name: \"s\", scope: !{next}, file: !0, size: 32, identifier: \"i{own}\")\n"
        )
    });
    let cycles = "!6 = distinct !DIDerivedType(tag: DW_TAG_typedef, name: \"t\", baseType: !8)\n\
        !8 = distinct !DIDerivedType(tag: DW_TAG_const_type, baseType: !9)\n\
        !9 = distinct !DICompositeType(tag: DW_TAG_structure_type, size: 32, elements: !10, scope: !9)\n\
        !10 = !{!11, !6}\n!11 = !DIDerivedType(tag: DW_TAG_member, scope: !9, baseType: !9, size: 32)\n";
    let long = format!(
        "!6 = !DICompositeType(tag: DW_TAG_structure_type, name: \"{}\", file: !0, size: 32, identifier: \"{}\")\n",
        "n".repeat(40_000),
        "i".repeat(40_000)
    );
    for (name, types) in
        [("pointers", &*pointers), ("names", &names), ("scopes", &scopes), ("cycles", cycles), ("long", &long)]
    {
        let (text, object) = (folder.join(format!("{name}.ll")), folder.join(format!("{name}.o")));
        std::fs::write(&text, module_with_types(types))?;
        compile(&text, &object, &[])?;
        let bytes = std::fs::read(&object)?;
        let file = object::File::parse(&*bytes).map_err(|error| Failure::new(format!("{name}: {error}")))?;
        let types = file.section_by_name(".debug$T").and_then(|section| section.data().ok()).unwrap_or_default();
        // Every record has an even length and the next one after it.
        let (mut at, mut count) = (4, 0);
        while let Some(&[low, high]) = types.get(at..at + 2) {
            (at, count) = (at + 2 + usize::from(u16::from_le_bytes([low, high])), count + 1);
        }
        let least = match name {
            "pointers" => DEEP - 1,
            "scopes" => SCOPES,
            _ => 2,
        };
        if at != types.len() || count < least {
            return Err(Failure::new(format!("{name}: {count} types in {at} of {} bytes", types.len())));
        }
    }
    let long = succeed(limited(60, "llvm-readobj-19").arg("--codeview").arg(folder.join("long.o")))?.text();
    // LLVM's name and hashes.
    let (cut, hash) = ("n".repeat(4064), "LinkageName: ??@");
    if long.contains(&cut) && long.contains(hash) { Ok(()) } else { Err(Failure::new("a long name is not cut")) }
}

/// What front ends say through the library is CodeView on Microsoft's targets.
#[test]
fn objects_of_the_builder_have_codeview() -> Result<(), Failure> {
    let folder = work_folder("codeview/builder");
    for machine in &MACHINES {
        let made = || -> Result<Vec<u8>, gusset::Error> {
            let target = Target::from_triple(&triple(machine), &Features::default())?;
            let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
            let file = object.debug_info(&DebugOptions::new("numbers.tern").producer("tern 0.1"))?;
            let square = object.declare("square", Signature::c(CType::I32).param(CType::I32), Linkage::Export)?;
            object.describe(square, DebugFunction::new().at(file, 1).param("n"))?;
            object.define(square, |b| {
                b.set_location(2, 5);
                let n = b.param(0);
                let result = b.imul(n, n);
                let variable = b.debug_variable("result", &CType::I32);
                b.debug_value(variable, result);
                b.set_location(3, 5);
                b.ret(Some(result));
            })?;
            object.finish()
        };
        let object = folder.join(format!("{}.o", machine.name));
        std::fs::write(&object, made().map_err(|error| Failure::new(error.to_string()))?)?;
        let dump = dump(&object)?;
        let has = |line: &str| dump.symbols.iter().any(|known| known == line);
        let lines: Vec<&String> = dump.lines.values().flatten().collect();
        let known = ["DisplayName: square", "VarName: n", "VarName: result"].into_iter().all(has);
        if !known || lines.len() < 2 || lines.iter().any(|line| !line.contains("numbers.tern:")) {
            return Err(Failure::new(format!("{}: {lines:?}\n{}", machine.name, dump.symbols.join("\n"))));
        }
    }
    Ok(())
}

/// Flags of the module say whether there is CodeView, DWARF or both, as with LLVM.
#[test]
fn formats_are_those_that_llvm_picks() -> Result<(), Failure> {
    let folder = work_folder("codeview/formats");
    let rows = [
        ("x86_64-pc-windows-msvc", &["-gdwarf"][..], [false, true]),
        ("x86_64-pc-windows-msvc", &["-gcodeview"], [true, false]),
        ("i686-pc-windows-msvc", &["-gcodeview", "-gdwarf"], [true, true]),
        ("x86_64-w64-mingw32", &["-gcodeview"], [true, false]),
        ("x86_64-w64-mingw32", &["-gdwarf"], [false, true]),
        ("x86_64-unknown-linux-gnu", &["-gcodeview", "-gdwarf"], [false, true]),
    ];
    for (triple, options, expected) in rows {
        let at = |failure: Failure| failure.at(format!("{triple} {}", options.join(" ")));
        let (text, own, judge) = (folder.join("f.ll"), folder.join("own.o"), folder.join("llc.o"));
        let mut command = limited(60, clang());
        command
            .arg(format!("--target={triple}"))
            .args(["-g", "-w", "-fms-extensions", "-S", "-emit-llvm"])
            .args(options);
        succeed(command.arg(source("functions.c")).arg("-o").arg(&text)).map_err(at)?;
        compile(&text, &own, &[])?;
        compile_by_llvm(&text, &judge, "-O0")?;
        for object in [own, judge] {
            let bytes = std::fs::read(object)?;
            let file = object::File::parse(&*bytes).map_err(|error| at(Failure::new(error.to_string())))?;
            let has = [".debug$T", ".debug_info"].map(|name| file.section_by_name(name).is_some());
            if has != expected {
                return Err(at(Failure::new(format!("CodeView and DWARF: {has:?}"))));
            }
        }
    }
    Ok(())
}
