//! The reader of Microsoft's exception tables, on what clang writes: each number against the text of its assembly, the same function for three
//! processors, states numbered otherwise, and functions that differ in one thing.

use gusset_tests::msvc_tables::{self, Rules, Tables, canonical, differences};
use gusset_tests::tools::{Failure, clang, limited, llc, opt, succeed, work_folder};
use std::collections::BTreeMap;
use std::path::PathBuf;

const X86_64: &str = "x86_64";
const ARM64: &str = "aarch64";
const I686: &str = "i686";
const PROCESSORS: [&str; 3] = [X86_64, ARM64, I686];

const DECLARATIONS: &str = "extern \"C\" void ext(int); extern \"C\" int may(int);
struct D { int v; D(int); D(const D &); ~D(); };
struct B { virtual ~B(); int k; };
struct E2 : B { D inner; E2(); };
";

/// Functions with everything: states within states, handlers of all kinds, handlers that throw and have objects of their own, blocks in handlers.
const FUNCTIONS: [&str; 6] = [
    "int nested(int n) {
  D a(n);
  try {
    D b(n + 1);
    try { D c(2); ext(3); may(4); }
    catch (int x) { D e(x); ext(x); throw; }
    catch (B &r) { ext(r.k); throw 5; }
    ext(9);
  } catch (D d) { ext(d.v); return 7; }
  catch (const char *s) { ext(*s); }
  catch (...) { ext(8); }
  return may(n);
}
",
    "int in_handler(int n) {
  try { ext(1); }
  catch (volatile long &l) {
    D d(n);
    try { may(2); } catch (short) { ext(3); try { may(4); } catch (...) { D f(5); throw; } }
  }
  return n;
}
",
    "int twice(int n) {
  try { ext(1); } catch (int) { D d(1); may(2); }
  try { may(3); } catch (unsigned) { ext(4); }
  return n;
}
",
    "D by_value(int n) { D a(n), b(n + 1); ext(a.v); return b; }
",
    "int two(D, D); int blocks(int n) { return two(D(n), D(n + 1)) + two(D(2), D(may(n))); }
",
    "void allocated(int n) { E2 *p = new E2[n]; ext(p->k); delete[] p; throw E2(*p); }
",
];

const SCOPES: &str = "void ext(int); int may(int); int filter(unsigned long, void *); unsigned long _exception_code(void);
int excepts(int n) {
  int r = n;
  __try { __try { r = may(n); } __finally { ext(r); } }
  __except (filter(_exception_code(), &r)) { r += 3; }
  __try { ext(1); __try { ext(2); may(n); } __except (1) { ext(3); } } __except (filter(7, &n)) { ext(4); }
  return r;
}
int last(int n) { __try { __try { may(n); } __finally { __try { ext(n); } __except (1) { may(3); } } } __finally { ext(5); } return n; }
";

/// Compiles text to an object, or to what these further arguments say; the file.
fn compile(folder: &str, name: &str, text: &str, processor: &str, flags: &[&str]) -> Result<PathBuf, Failure> {
    let stem = work_folder(&format!("msvc_tables/{folder}")).join(format!("{name}.{processor}"));
    let cxx = text.starts_with("extern");
    let source = stem.with_extension(format!("{processor}.{}", if cxx { "cpp" } else { "c" }));
    std::fs::write(&source, text)?;
    let out = stem.with_extension(format!("{processor}.out"));
    let mut command = limited(60, clang());
    command.arg(format!("--target={processor}-pc-windows-msvc")).args(["-O1", "-w", "-fms-extensions"]);
    command.args(cxx.then_some(["-fexceptions", "-fcxx-exceptions"]).iter().flatten()).args(flags);
    let output = flags.iter().any(|f| *f == "-S" || *f == "-c");
    succeed(command.args((!output).then_some("-c")).arg(&source).arg("-o").arg(&out))?;
    Ok(out)
}

fn object(folder: &str, name: &str, text: &str, processor: &str, flags: &[&str]) -> Result<Vec<u8>, Failure> {
    Ok(std::fs::read(compile(folder, name, text, processor, flags)?)?)
}

fn all_functions() -> String {
    DECLARATIONS.to_string() + &FUNCTIONS.concat()
}

/// What counts when two compilers' objects are compared: destructors do not throw.
fn may_throw(name: &str) -> bool {
    !name.starts_with("??1")
}

const MEANING: Rules<'static> = Rules { frames: false, positions: false, calls: &may_throw };

/// The numbers and symbols of the tables in LLVM's assembly, by the comment of each, for each function.
fn told_by_assembly(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut functions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut host, mut current) = (String::new(), String::new());
    for line in text.lines() {
        let plain = line.replace('"', "");
        host = plain.trim().strip_prefix(".seh_proc ").map_or(host, ToString::to_string);
        for front in ["$cppxdata$", "L__ehtable$"] {
            let name = plain.strip_prefix(front).and_then(|p| p.split_once(':'));
            current = name.map_or(current.clone(), |(name, _)| name.to_string());
        }
        let Some((data, comment)) = plain.split_once(" # ").or_else(|| plain.split_once(" // ")) else { continue };
        let Some(value) = data.trim().strip_prefix(".long\t").or_else(|| data.trim().strip_prefix(".word\t")) else {
            continue;
        };
        if comment == "Number of call sites" {
            current.clone_from(&host);
        }
        let value = value.trim().trim_end_matches("@IMGREL");
        match comment {
            "MagicNumber" | "MaxState" | "NumTryBlocks" | "IPMapEntries" | "UnwindHelp" | "EHFlags" | "ToState"
            | "Action" | "TryLow" | "TryHigh" | "CatchHigh" | "NumCatches" | "Adjectives" | "Type"
            | "CatchObjOffset" | "Handler" | "ParentFrameOffset" | "FilterFunction" | "CatchAll" | "Null"
            | "FinallyFunclet" | "GSCookieOffset" | "GSCookieXOROffset" | "EHCookieOffset" | "EHCookieXOROffset" => {
                functions.entry(current.clone()).or_default().push(format!("{comment} {value}"));
            }
            _ => {}
        }
    }
    functions
}

/// The same of what the reader says.
fn told_by_reader(tables: &Tables) -> BTreeMap<String, Vec<String>> {
    use msvc_tables::{Language, Place};
    let show = |p: &Place| match p {
        Place::None => "0".to_string(),
        Place::Constant(n) => n.to_string(),
        Place::Symbol(s) => s.clone(),
        Place::Code { region, .. } => tables.code[*region].name.clone(),
    };
    let mut functions = BTreeMap::new();
    for f in &tables.functions {
        let mut out: Vec<String> = Vec::new();
        let mut say = |what: &str, value: String| out.push(format!("{what} {value}"));
        match &f.language {
            Language::Cxx(info) => {
                say("MagicNumber", info.magic.to_string());
                say("MaxState", info.unwind.len().to_string());
                say("NumTryBlocks", info.tries.len().to_string());
                say("IPMapEntries", info.ip_to_state.len().to_string());
                info.unwind_help.iter().for_each(|n| say("UnwindHelp", n.to_string()));
                say("EHFlags", info.flags.to_string());
                for (to, action) in &info.unwind {
                    say("ToState", to.to_string());
                    say("Action", show(action));
                }
                for t in &info.tries {
                    say("TryLow", t.low.to_string());
                    say("TryHigh", t.high.to_string());
                    say("CatchHigh", t.catch_high.to_string());
                    say("NumCatches", t.handlers.len().to_string());
                }
                for h in info.tries.iter().flat_map(|t| &t.handlers) {
                    say("Adjectives", h.adjectives.to_string());
                    say("Type", show(&h.exception));
                    say("CatchObjOffset", h.object.to_string());
                    say("Handler", show(&h.funclet));
                    h.parent_frame.iter().for_each(|n| say("ParentFrameOffset", n.to_string()));
                }
                info.ip_to_state.iter().for_each(|(_, state)| say("ToState", state.to_string()));
            }
            Language::Scopes(scopes) => {
                for s in scopes {
                    match (&s.filter, &s.target) {
                        (finally, Place::None) => {
                            say("FinallyFunclet", show(finally));
                            say("Null", "0".into());
                        }
                        (Place::Constant(n), _) => say("CatchAll", n.to_string()),
                        (filter, _) => say("FilterFunction", show(filter)),
                    }
                }
            }
            Language::Levels { cookies, levels } => {
                let names = ["GSCookieOffset", "GSCookieXOROffset", "EHCookieOffset", "EHCookieXOROffset"];
                names.iter().zip(cookies.iter().flatten()).for_each(|(name, n)| say(name, n.to_string()));
                for l in levels {
                    say("ToState", l.enclosing.to_string());
                    if l.filter == Place::None {
                        say("Null", "0".into());
                        say("FinallyFunclet", show(&l.handler));
                    } else {
                        say("FilterFunction", show(&l.filter));
                    }
                }
            }
            Language::Other => {}
        }
        let name = &tables.code[f.host].name;
        let name =
            if tables.machine == msvc_tables::Machine::I686 { name.strip_prefix('_').unwrap_or(name) } else { name };
        functions.insert(name.to_string(), out);
    }
    functions
}

/// All functions of a text, as the assembly and as the reader have them.
fn same_as_assembly(name: &str, text: &str, processor: &str, functions: usize) -> Result<(), Failure> {
    let assembly = std::fs::read_to_string(compile("text", name, text, processor, &["-S"])?)?;
    let told = told_by_assembly(&assembly.replace("(\"", "\"").replace("\")", "\""));
    let read = told_by_reader(&msvc_tables::read(&object("objects", name, text, processor, &[])?)?);
    assert_eq!(told.keys().collect::<Vec<_>>(), read.keys().collect::<Vec<_>>(), "{name} on {processor}");
    assert!(read.len() >= functions, "{name} on {processor}");
    for (function, lines) in &read {
        assert_eq!(told.get(function), Some(lines), "{function} on {processor}");
    }
    Ok(())
}

#[test]
fn every_number_is_the_assemblys() -> Result<(), Failure> {
    for processor in PROCESSORS {
        same_as_assembly("cxx", &all_functions(), processor, FUNCTIONS.len())?;
        same_as_assembly("scopes", SCOPES, processor, 2)?;
    }
    Ok(())
}

#[test]
fn calls_are_in_the_states_of_their_blocks() -> Result<(), Failure> {
    let text = DECLARATIONS.to_string() + FUNCTIONS[0];
    for processor in PROCESSORS {
        let printed = msvc_tables::read(&object("states", "nested", &text, processor, &[])?)?.to_string();
        let (ext, may) = if processor == I686 { ("_ext", "_may") } else { ("ext", "may") };
        // States 1 and 3 are the blocks, 2 and 4 the objects in them, 5 and 7 the handlers, 6 and 8 the objects in those.
        for line in [
            format!("call {ext} in 4 until"),
            format!("call {may} in 4 until"),
            format!("call {ext} in 2 until"),
            format!("call {may} in 0 until"),
            format!("call {ext} in 6 until"),
            format!("call {ext} in 5 until"),
            format!("call {ext} in 8 until"),
            format!("call {ext} in 7 until"),
            "try 0: 3 to 4, handlers to 6".to_string(),
            "try 1: 1 to 6, handlers to 8".to_string(),
            "catch ??_R0?AUB@@@8 0x8 at".to_string(),
            "catch none 0x40 at 0".to_string(),
        ] {
            assert!(printed.contains(&line), "{line} on {processor}:\n{printed}");
        }
    }
    let scopes = msvc_tables::read(&object("states", "scopes", SCOPES, I686, &[])?)?.to_string();
    for line in ["level 1 in 0: none then", "call _may in 1 until", "call _ext in 2 until", "call _ext in -1 until"] {
        assert!(scopes.contains(line), "{line}:\n{scopes}");
    }
    assert!(scopes.contains("safe handler __except_handler3"), "{scopes}");
    Ok(())
}

#[test]
fn two_processors_have_the_same_maps() -> Result<(), Failure> {
    for (name, text) in [("cxx", all_functions()), ("scopes", SCOPES.to_string())] {
        let mut all = Vec::new();
        for processor in [X86_64, ARM64] {
            all.push(canonical(&msvc_tables::read(&object("processors", name, &text, processor, &[])?)?, MEANING));
        }
        assert_eq!(all[0], all[1], "{name}");
    }
    Ok(())
}

#[test]
fn the_order_of_functions_does_not_matter() -> Result<(), Failure> {
    let mut reversed = FUNCTIONS;
    reversed.reverse();
    let reversed = DECLARATIONS.to_string() + &reversed.concat();
    for processor in PROCESSORS {
        let one = object("order", "forward", &all_functions(), processor, &[])?;
        let other = object("order", "backward", &reversed, processor, &[])?;
        assert_eq!(differences(&one, &other, Rules::EVERYTHING)?, Vec::<String>::new(), "{processor}");
    }
    Ok(())
}

/// LLVM IR with all blocks of each function but the first in reverse order.
fn reversed_blocks(text: &str) -> String {
    let mut out = String::new();
    for (i, piece) in text.split("\ndefine ").enumerate() {
        if i == 0 {
            out.push_str(piece);
            continue;
        }
        let (body, rest) = piece.split_once("\n}").unwrap_or((piece, ""));
        let mut blocks: Vec<&str> = body.split("\n\n").collect();
        blocks[1..].reverse();
        out.push_str(&format!("\ndefine {}\n}}{rest}", blocks.join("\n\n")));
    }
    out
}

#[test]
fn states_numbered_otherwise_are_the_same() -> Result<(), Failure> {
    let mut renumbered = 0;
    for processor in PROCESSORS {
        for (name, text) in [("cxx", all_functions()), ("scopes", SCOPES.to_string())] {
            let ir = compile("blocks", name, &text, processor, &["-S", "-emit-llvm"])?;
            let named = succeed(limited(60, opt()).args(["-passes=instnamer", "-S"]).arg(&ir))?.text();
            let mut objects = Vec::new();
            for (i, text) in [named.clone(), reversed_blocks(&named)].iter().enumerate() {
                let (file, out) = (ir.with_extension(format!("{i}.ll")), ir.with_extension(format!("{i}.o")));
                std::fs::write(&file, text)?;
                succeed(limited(60, llc()).args(["-O1", "-filetype=obj"]).arg(&file).arg("-o").arg(&out))?;
                objects.push(std::fs::read(out)?);
            }
            let found = differences(&objects[0], &objects[1], MEANING)?;
            assert!(found.is_empty(), "{name} on {processor}: {}", found.join("\n"));
            let read = |o: &[u8]| Ok::<_, Failure>(told_by_reader(&msvc_tables::read(o)?));
            renumbered += usize::from(read(&objects[0])? != read(&objects[1])?);
        }
    }
    assert!(renumbered >= 3, "only {renumbered} objects have other numbers");
    Ok(())
}

#[test]
fn one_change_is_a_difference() -> Result<(), Failure> {
    let base = DECLARATIONS.to_string() + FUNCTIONS[0];
    let changes = [
        ("a handler by value", "catch (B &r)", "catch (B r)"),
        (
            "handlers in another order",
            "catch (const char *s) { ext(*s); }\n  catch",
            "catch (char *s) { ext(*s); }\n  catch",
        ),
        ("an object less", "D e(x); ext(x); throw;", "ext(x); throw;"),
        ("an object in another block", "D b(n + 1);\n    try {", "try { D b(n + 1);"),
        ("a call out of its block", "ext(9);\n  } catch", "} catch"),
        (
            "an exception that is copied",
            "catch (int x) { D e(x); ext(x); throw; }",
            "catch (int) { D e(n); ext(n); throw; }",
        ),
        ("another type", "catch (D d) { ext(d.v); return 7; }", "catch (E2 d) { ext(d.k); return 7; }"),
    ];
    for processor in PROCESSORS {
        let one = object("changes", "base", &base, processor, &[])?;
        assert!(differences(&one, &one, MEANING)?.is_empty());
        for (what, from, to) in changes {
            let text = base.replace(from, to);
            assert_ne!(text, base, "{what}");
            let other = object("changes", "changed", &text, processor, &[])?;
            assert!(!differences(&one, &other, MEANING)?.is_empty(), "{what} is not seen on {processor}");
        }
        if processor != I686 {
            let other = object("changes", "asynchronous", &base, processor, &["-fasync-exceptions"])?;
            let found = differences(&one, &other, MEANING)?;
            assert!(found.iter().any(|l| l.contains("flags 0")), "{found:?}");
        }
    }
    let scopes = [
        ("a filter less", "__except (filter(7, &n))", "__except (1)"),
        ("a call out of its block", "ext(2); may(n);", "ext(2);"),
        ("a block less", "__try { r = may(n); } __finally { ext(r); }", "r = may(n); ext(r);"),
    ];
    for processor in PROCESSORS {
        let one = object("changes", "scopes", SCOPES, processor, &[])?;
        // On 32-bit x86 `1` is a function, too, since it has to save the exception's code.
        for (what, from, to) in scopes.into_iter().skip(usize::from(processor == I686)) {
            let other = object("changes", "scopes_changed", &SCOPES.replace(from, to), processor, &[])?;
            assert!(!differences(&one, &other, MEANING)?.is_empty(), "{what} is not seen on {processor}");
        }
    }
    Ok(())
}

#[test]
fn cookies_of_the_newer_handler() -> Result<(), Failure> {
    let ir = compile("cookies", "scopes", SCOPES, I686, &["-S", "-emit-llvm"])?;
    let text = std::fs::read_to_string(&ir)?.replace("_except_handler3", "_except_handler4");
    std::fs::write(&ir, text)?;
    let (assembly, object) = (ir.with_extension("s"), ir.with_extension("o"));
    for (kind, out) in [("asm", &assembly), ("obj", &object)] {
        succeed(limited(60, llc()).arg(format!("-filetype={kind}")).arg("-x=ir").arg(&ir).arg("-o").arg(out))?;
    }
    let told = told_by_assembly(&std::fs::read_to_string(assembly)?);
    let tables = msvc_tables::read(&std::fs::read(object)?)?;
    assert_eq!(told, told_by_reader(&tables));
    let printed = tables.to_string();
    for line in ["cookies -2 xor 0, -", "level 0 in -2: ", "safe handler __except_handler4", "call _may in 1 until"] {
        assert!(printed.contains(line), "{line}:\n{printed}");
    }
    Ok(())
}

#[test]
fn damaged_objects_are_errors_or_other_tables() -> Result<(), Failure> {
    let mut errors = 0;
    for processor in PROCESSORS {
        for (name, text) in [("cxx", all_functions()), ("scopes", SCOPES.to_string())] {
            let whole = object("damaged", name, &text, processor, &[])?;
            for end in (0..whole.len()).step_by(499) {
                errors += usize::from(msvc_tables::read(&whole[..end]).is_err());
            }
            for at in (0..whole.len()).step_by(83) {
                let mut damaged = whole.clone();
                damaged[at] ^= [0xff, 0x01, 0x80][at % 3];
                errors += usize::from(msvc_tables::read(&damaged).is_err());
            }
        }
    }
    assert!(errors > 50, "only {errors}");
    Ok(())
}
