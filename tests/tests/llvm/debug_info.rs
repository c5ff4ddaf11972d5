//! Debug information that compilers write becomes nodes of the model: each node of the text is there once, and nothing is left out.

use std::path::{Path, PathBuf};

use gusset_abi::AbiTarget;
use gusset_codegen::debug::{DebugInfo, DiTypeKind};
use gusset_llvm::read_module;
use gusset_lower::debug_info::DebugInfoNotes;
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, clang, limited, root, succeed, work_folder};

/// What `types.c` does not have.
const C: &str = "\
typedef int number;
enum color { RED = -1, GREEN = 5 };
union both { float f; unsigned u : 5; };
struct list { struct list *next; const volatile number *restrict n; enum color c : 3; int a[3][4]; void (*call)(int, ...); };
static _Thread_local long counter;
_Complex double z;
_Atomic int shared;
int vectors __attribute__((vector_size(16)));
inline static int square(int x) { return x * x; }
int lengths(int n, union both b) {
  int a[n][n + 1];
  struct { int x, y; } place = {n, 2};
  static int calls;
  for (int i = 0; i < n; i++) { a[i][0] = square(i) + place.y; if (a[i][0] > 7) goto out; }
  calls++;
out:
  counter += a[0][0];
  return (int)b.f + calls;
}
struct list *first(struct list *l) { return l->next; }
";

/// What `classes.cpp` does not have.
const CPP: &str = "\
namespace outer { inline namespace inner { template <class T, int N> struct Array { T data[N]; static const int size = N; T &at(int i) & { return data[i]; } }; } }
namespace alias = outer::inner;
using namespace outer;
using outer::inner::Array;
struct Base { virtual ~Base(); virtual int f() = 0; int b : 3; mutable long c; };
struct Left : virtual Base { int f() override { return 1; } };
struct Right : virtual protected Base { explicit Right(int); Right(const Right &) = delete; };
struct Both final : Left, Right { Both() : Right(1) {} int f() override { return 2; } int Base::*pointer; int (Base::*method)(); };
enum class Shade : unsigned char { Dark = 200, Light };
template <template <class, int> class T, class... Rest> struct Pack { T<int, 2> value; };
template <int *P, bool B, char C = 'x'> int pick() { return *P + B + C; }
int global;
union Variant { int i; struct { char c; } s; };
auto lambda = [](auto x) noexcept { return x; };
int use(Both &b, Array<int, 3> &&a, Pack<Array, int, long> p, Shade s, decltype(nullptr) n) {
  using alias::Array;
  Variant v{1};
  int pair[2] = {a.data[0], p.value.data[1]};
  auto [x, y] = pair;
  try { if (s == Shade::Dark) throw 3; } catch (int e) { return e; }
  return b.f() + a.at(1) + v.s.c + lambda(x) + y + pick<&global, true>();
}
";

fn folder() -> PathBuf {
    work_folder("debug_info")
}

/// A program as LLVM IR.
fn compiled(source: &Path, options: &[&str]) -> Result<PathBuf, Failure> {
    let name = source.file_name().unwrap_or_default().to_string_lossy();
    // Compilers that run at the same time would have the same names for temporary files.
    let own = work_folder(&format!("debug_info/{name}{}", options.concat()));
    let output = own.join("output.ll");
    let mut command = match source.extension().and_then(|e| e.to_str()) {
        Some("rs") => limited(60, "rustc"),
        Some("f90") => limited(60, "flang-new-19"),
        _ => limited(60, clang()),
    };
    match source.extension().and_then(|e| e.to_str()) {
        Some("rs") => command.args(["--emit=llvm-ir", "--crate-type=lib"]).args(options),
        _ => command.args(["-S", "-emit-llvm"]).args(options),
    };
    succeed(command.arg(source).arg("-o").arg(&output).current_dir(&own))?;
    Ok(output)
}

/// Converts every node that something of a function may refer to.
fn converted(text: &str) -> Result<(DebugInfo, DebugInfoNotes), String> {
    let parsed = read_module(text.as_bytes(), "t.ll", &AbiTarget::X86_64_LINUX).map_err(|e| e.to_string())?;
    let mut reader = parsed.debug_info_reader().map_err(|e| e.to_string())?;
    for line in text.lines() {
        let Some((number, node)) = line.strip_prefix('!').and_then(|line| line.split_once(" = ")) else { continue };
        let Ok(number) = number.parse() else { continue };
        let node = node.trim_start_matches("distinct ");
        let done = match node.split('(').next().unwrap_or_default() {
            "!DILocation" => reader.location(number).map(|id| id.is_some()),
            "!DISubprogram" => reader.subprogram(number).map(|id| id.is_some()),
            "!DILocalVariable" => reader.local_variable(number).map(|id| id.is_some()),
            "!DILabel" => reader.label(number).map(|id| id.is_some()),
            "!DIExpression" => reader.expression(number).map(|expression| expression.is_some()),
            _ => continue,
        };
        assert!(done.map_err(|e| parsed.debug_info_error(&e).to_string())?, "{line}");
    }
    reader.finish().map_err(|e| parsed.debug_info_error(&e).to_string())
}

/// Each node of a text has its node in the model.
fn check(text: &str) -> Result<DebugInfo, String> {
    let (info, notes) = converted(text)?;
    if let Some(note) = notes.notes.iter().find(|note| note.reason != "macros are not described") {
        let line = text[note.place..].lines().next().unwrap_or_default();
        return Err(format!("{} of {notes:?}: {line}", note.reason));
    }
    let count = |kinds: &[&str]| {
        let is = |line: &str| {
            let node = line.split_once(" = ").map_or("", |(_, node)| node.trim_start_matches("distinct "));
            line.starts_with('!')
                && kinds.iter().any(|kind| node.strip_prefix(kind).is_some_and(|n| n.starts_with('(')))
        };
        text.lines().filter(|line| is(line)).count()
    };
    let types = ["!DIBasicType", "!DIDerivedType", "!DICompositeType", "!DISubroutineType", "!DIStringType"];
    let scopes = ["!DILexicalBlock", "!DILexicalBlockFile", "!DINamespace", "!DIModule", "!DICommonBlock"];
    let macros = count(&["!DIMacroFile"]) != 0;
    for (what, text, own) in [
        ("types", count(&types), info.types.len()),
        ("scopes", count(&scopes), info.scopes.len()),
        ("units", count(&["!DICompileUnit"]), info.units.len()),
        ("subprograms", count(&["!DISubprogram"]), info.subprograms.len()),
        ("variables", count(&["!DILocalVariable"]), info.variables.len()),
        ("labels", count(&["!DILabel"]), info.labels.len()),
        ("globals", count(&["!DIGlobalVariable"]), info.globals.len()),
        ("imports", count(&["!DIImportedEntity"]), info.imported.len()),
        ("locations", count(&["!DILocation"]), info.locations.len()),
        ("files", count(&["!DIFile"]), info.files.len()),
    ] {
        // Only macros have the others.
        if text != own && !(what == "files" && macros) {
            return Err(format!("{own} of {text} {what}"));
        }
    }
    Ok(info)
}

#[test]
fn compilers() -> Result<(), Failure> {
    let programs = root().join("tests/data/translate_debug");
    let (c, cpp) = (folder().join("own.c"), folder().join("own.cpp"));
    std::fs::write(&c, C)?;
    std::fs::write(&cpp, CPP)?;
    let options: [&[&str]; 6] = [
        &["-g", "-O0"],
        &["-g", "-O2"],
        &["-g", "-O1", "-gdwarf-4", "-fdebug-types-section"],
        &["-g", "-O0", "-gembed-source", "-gdwarf-5", "-fdebug-macro"],
        &["-gline-tables-only", "-O2"],
        // Without the headers of a C library.
        &["-g", "-O2", "--target=x86_64-pc-windows-msvc", "-gcodeview", "-fexceptions", "-fcxx-exceptions"],
    ];
    let mut all: Vec<(PathBuf, &[&str])> = Vec::new();
    for (source, count) in [(&c, 6), (&cpp, 6), (&programs.join("types.c"), 5), (&programs.join("classes.cpp"), 5)] {
        all.extend(options[..count].iter().map(|options| (source.clone(), *options)));
    }
    for options in [&["-g", "-O0"][..], &["-g", "-O2"]] {
        all.push((programs.join("module.f90"), options));
    }
    for options in [&["-Cdebuginfo=2", "-Copt-level=0"][..], &["-Cdebuginfo=2", "-Copt-level=2"]] {
        all.push((programs.join("shapes.rs"), options));
    }
    let done = parallel::map(all.len(), |i| -> Result<usize, Failure> {
        let (source, options) = &all[i];
        let text = std::fs::read_to_string(compiled(source, options)?)?;
        let info = check(&text).map_err(|why| Failure::new(format!("{} {options:?}: {why}", source.display())))?;
        Ok(info.types.iter().filter(|ty| matches!(ty.kind, DiTypeKind::Composite(_))).count())
    });
    let mut composites = 0;
    for done in done {
        composites += done?;
    }
    assert!(composites > 100, "{composites}");
    Ok(())
}
