//! `gusset abi`: tables, pictures and JSON are as recorded; errors say where and why.
//!
//! A golden begins with the options after `//`; `+json` and `+svg` ask for these forms beside the table.
//! `BLESS=1 cargo test -p gusset-tests --test abi command` writes all of them anew.

use std::path::Path;

use gusset_tests::tools::{Failure, Outcome, clang, gusset, limited, root, run, succeed, work_folder};
use gusset_tests::{parallel, recorded};

/// Compares a text with a recorded one, or records it.
fn emit(options: &[&str], form: &str, file: &Path) -> Result<String, Failure> {
    let mut command = limited(20, gusset()?);
    command.arg("abi").args(options).args(["--emit", form, "--file"]).arg(file).env_remove("COLUMNS");
    Ok(succeed(&mut command)?.text())
}

fn check(input: &Path, bless: bool) -> Result<(), Failure> {
    let source = std::fs::read_to_string(input)?;
    let head = source.lines().next().and_then(|line| line.strip_prefix("//")).unwrap_or_default();
    let (extra, options): (Vec<&str>, Vec<&str>) = head.split_whitespace().partition(|word| word.starts_with('+'));
    recorded::compare(&input.with_extension("txt"), &emit(&options, "table", input)?, bless)?;
    if extra.contains(&"+json") {
        let text = emit(&options, "json", input)?;
        serde_json::from_str::<serde_json::Value>(&text)
            .map_err(|e| Failure::new(format!("{}: not JSON: {e}", input.display())))?;
        recorded::compare(&input.with_extension("json"), &text, bless)?;
    }
    if extra.contains(&"+svg") {
        let text = emit(&options, "svg", input)?;
        well_formed(&text).map_err(|why| Failure::new(format!("{}: not XML: {why}", input.display())))?;
        recorded::compare(&input.with_extension("svg"), &text, bless)?;
    }
    Ok(())
}

/// Whether tags are closed in order and text has no bare `&`.
fn well_formed(text: &str) -> Result<(), String> {
    let mut open = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let end = rest[start..].find('>').ok_or("a tag has no end")? + start;
        let tag = &rest[start + 1..end];
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Err(format!("</{name}> closes nothing"));
            }
        } else if !tag.ends_with('/') {
            open.push(tag.split_whitespace().next().unwrap_or_default());
        }
        rest = &rest[end + 1..];
    }
    for (at, _) in text.match_indices('&') {
        if !["&amp;", "&lt;", "&gt;", "&quot;"].iter().any(|entity| text[at..].starts_with(entity)) {
            return Err(format!("`&` at byte {at}"));
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("{open:?} stay open")) }
}

#[test]
fn output_is_as_recorded() {
    recorded::each("tests/goldens/abi", &["c", "cc", "mlir"], check);
}

/// The README shows a command and what it prints, and the picture of the same call.
#[test]
fn the_readme_is_true() -> Result<(), Failure> {
    let bless = std::env::var_os("BLESS").is_some();
    let path = root().join("README.md");
    let readme = std::fs::read_to_string(&path)?;
    let start = readme.find("$ gusset abi ").ok_or_else(|| Failure::new("the README shows no command"))?;
    let line = readme[start..].lines().next().unwrap_or_default();
    let output = start + line.len() + 1;
    let end = output + readme[output..].find("```").ok_or_else(|| Failure::new("the README's example has no end"))?;
    let folder = gusset()?.parent().unwrap_or(Path::new("."));
    let print = |extra: &str| -> Result<String, Failure> {
        let script = format!("PATH=\"$1:$PATH\"; {}{extra}", line.trim_start_matches("$ "));
        let mut command = limited(20, "sh");
        command.args(["-c", &script, "sh"]).arg(folder).env_remove("COLUMNS");
        Ok(succeed(&mut command)?.text())
    };
    let text = print("")?;
    if bless {
        std::fs::write(&path, format!("{}{text}{}", &readme[..output], &readme[end..]))?;
    } else if readme[output..end] != text {
        return Err(Failure::new(format!("the README shows something else than\n{text}")));
    }
    recorded::compare(&root().join("docs/call.svg"), &print(" --emit svg")?, bless)
}

/// The result and parameters of a line of LLVM IR, without names and the attributes that do not change calls, the words of each
/// sorted.
fn essential(line: &str) -> Option<Vec<String>> {
    const NOISE: [&str; 12] = [
        "declare",
        "define",
        "noundef",
        "nonnull",
        "dso_local",
        "noalias",
        "writable",
        "dead_on_unwind",
        "nocapture",
        "linkonce_odr",
        "weak_odr",
        "comdat",
    ];
    let at = line.find('@')?;
    // The name may have brackets in quotes.
    let name = if line[at + 1..].starts_with('"') { line[at + 2..].find('"')? + at + 3 } else { at };
    let open = line[name..].find('(')? + name;
    let mut parts = vec![line[..at].to_string()];
    let (mut depth, mut start) = (0, open + 1);
    for (i, c) in line.char_indices().skip_while(|(i, _)| *i < open) {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if (c == ',' && depth == 1) || depth == 0 {
            parts.push(line[start..i].to_string());
            start = i + 1;
        }
        if depth == 0 {
            break;
        }
    }
    let clean = |part: &String| {
        let memory = part.contains("sret(") || part.contains("byval(");
        let mut words: Vec<&str> = part.split(' ').filter(|word| !word.is_empty() && !NOISE.contains(word)).collect();
        words.retain(|word| !word.starts_with("dereferenceable") && !is_local(word));
        if let (Some(at), false) = (words.iter().position(|word| *word == "align"), memory) {
            words.drain(at..(at + 2).min(words.len()));
        }
        words.sort_unstable();
        words.join(" ")
    };
    Some(parts.iter().map(clean).collect())
}

/// Whether a word is a parameter's name: a type's has a dot.
fn is_local(word: &str) -> bool {
    word.starts_with('%') && !word.contains('.') || word.starts_with("%agg.result") || word.starts_with("%this.")
}

/// C++ by what clang makes of the only function that is defined.
#[test]
fn cxx_signatures_are_as_by_clang() -> Result<(), Failure> {
    let sources = [
        "struct S { S(const S &); int x; }; S f(S a, int b) { __builtin_trap(); }",
        "struct S { ~S(); int x; }; void f(S a, const S &b, S &&c) { }",
        "struct S { S(const S &) = default; S(int); int x, y; }; S f(S a) { return a; }",
        "struct S { S(const S &) = delete; S(S &&) = delete; int x; }; void f(S a) { }",
        "struct S { S(const S &) = delete; S(S &&) = default; int x; }; void f(S a) { }",
        "struct E { }; void f(E a, int b, E c) { }",
        "class C { int x; public: int y; }; C f(C c) { return c; }",
        "struct V { virtual int g(); int x; }; V f(V v, int n) { __builtin_trap(); }",
        "struct S { int x, y; S f(int); }; S S::f(int n) { return *this; }",
        "struct S { int x; int f(signed char) const; }; int S::f(signed char c) const { return c; }",
        "struct N { N(const N &); char c[5]; }; struct H { int i; N n; }; H f(H h, bool b) { __builtin_trap(); }",
        "struct P { double x, y; P &operator+=(const P &); }; P operator+(P a, const P &b) { return a; }",
        "enum class K : unsigned char { a }; using I = short; namespace m { struct Q { long long v; }; } I f(K k, m::Q q) { return 0; }",
        // Members that can be copied by their own class alone, or not at all.
        "struct M { private: M(const M &); public: int x; }; struct S { M m; int y; }; void f(S a) { }",
        "struct M { int x; protected: M(const M &) = default; }; struct S { M m; }; void f(S a) { }",
        "class M { M(const M &) = default; int x; }; void f(M a) { }",
        "struct M { M(M &&) = default; int x; }; struct S { M m; int y; }; void f(S a) { }",
        "struct S { int &&r; }; void f(S a) { }",
        // More than one constructor that copies or moves.
        "struct S { S(const S &) = default; S(S &); int x; }; void f(S a) { }",
        "struct M { M(const M &) = default; M(M &); int x; }; struct S { M m; }; void f(S a) { }",
        "struct M { M(const M &); M(M &&) = default; int x; }; struct S { M m; }; void f(S a) { }",
        "struct M { M(const M &) = default; M(M &&); int x; }; struct S { M m; S(const S &) = default; }; void f(S a) { }",
        "struct M { M(const M &); int x; }; union U { M m; int y; }; void f(U a) { }",
        "struct S { int n; char d[]; }; int f(S s, int b) { return b; }",
        // Pointers to functions and to members, conversions.
        "struct S { int (*f)(int, const char *); int (*g[2])(void); }; int f(S s) { return 0; }",
        "struct S { int x; explicit operator int() const; operator S *(); }; S f(S s) { return s; }",
        "decltype(nullptr) f(decltype(nullptr) a, int b) { return a; }",
        "struct S { S(int, ...); S(const S &); int x; int f(int, ...); }; int S::f(int n, ...) { return n; }",
    ];
    let targets = [
        "x86_64-unknown-linux-gnu",
        "x86_64-pc-windows-msvc",
        "i686-unknown-linux-gnu",
        "i686-pc-windows-msvc",
        "i686-pc-windows-gnu",
        "i686-pc-windows-itanium",
        "x86_64-pc-windows-cygnus",
        "aarch64-unknown-linux-gnu",
        "aarch64-pc-windows-msvc",
        "armv7-unknown-linux-gnueabihf",
    ];
    let mut cases: Vec<_> =
        sources.iter().flat_map(|source| targets.map(|target| (source.to_string(), target))).collect();
    // Elsewhere clang has the same bytes in other words.
    let members = "struct C { int x; }; struct S { int C::*p; int (C::*q)(int, char); }; \
                   S f(S s, int C::*p, int (C::*q)(int)) { return s; }";
    let alike = ["x86_64-unknown-linux-gnu", "x86_64-pc-windows-msvc", "i686-unknown-linux-gnu", "i686-pc-windows-gnu"];
    let alike = alike.into_iter().chain(["aarch64-unknown-linux-gnu", "armv7-unknown-linux-gnueabihf"]);
    cases.extend(alike.map(|target| (members.to_string(), target)));
    cxx_is_as_by_clang("cxx", &cases)
}

/// What Windows on ARM64 takes as a homogeneous aggregate depends on the special members of a class and of what it holds.
#[test]
fn homogeneous_classes_are_clangs() -> Result<(), Failure> {
    let inner = [
        "",
        "I(int);",
        "I();",
        "I() = default;",
        "I() = delete;",
        "I(int); I() = default;",
        "I &operator=(const I &);",
        "I &operator=(const I &) = delete;",
        "I &operator=(I &&) = default;",
        "I(I &&) = default; I &operator=(I &&) = default;",
        "I(const I &) = default;",
        "I() = default; I(const I &) = default;",
        "I(const I &) = default; I &operator=(I &&) = default;",
        "float y = 1;",
        "~I();",
        "const float y;",
    ];
    let outer =
        ["I a; float z;", "I a[2];", "I a; O() = default;", "I a; O(int);", "struct M { I a; } m;", "I a; O();"];
    let target = "aarch64-pc-windows-msvc";
    let mut cases = Vec::new();
    for own in inner {
        let class = format!("struct I {{ float x; {own} }};");
        cases.push((format!("{class} void f(I a) {{ }}"), target));
        // A class with members that cannot be made is no result and no variable, but a parameter.
        cases.extend(outer.map(|rest| (format!("{class} struct O {{ {rest} }}; void f(O a) {{ }}"), target)));
    }
    cxx_is_as_by_clang("homogeneous", &cases)
}

/// Compares sources with what clang makes of them for their targets.
fn cxx_is_as_by_clang(name: &str, cases: &[(String, &str)]) -> Result<(), Failure> {
    let folder = work_folder("abi_command");
    let compare = |case: usize| -> Result<(), Failure> {
        let (source, target) = (cases[case].0.as_str(), cases[case].1);
        let function = if source.contains("S::f(") {
            "S::f"
        } else if source.contains("operator+(") {
            "operator+"
        } else {
            "f"
        };
        let outcome = abi(&["--target", target, "-x", "c++", "--emit", "llvm", "--function", function, source])?;
        let text = outcome.text();
        let ours = text.lines().find(|line| line.starts_with("declare")).unwrap_or_default();
        let file = folder.join(format!("{name}{case}.cc"));
        std::fs::write(&file, source)?;
        let options = ["-S", "-emit-llvm", "-w", "-std=c++17", "-fno-exceptions", "-target", target, "-o", "-"];
        let ir = succeed(limited(60, clang()).args(options).arg(&file))?.text();
        let theirs = ir.lines().find(|line| line.starts_with("define dso_local")).unwrap_or_default();
        // Where scalars and the struct itself lie alike on the stack, clang says `byval` of a class with member functions.
        let stack = target.starts_with("i686") && target.ends_with("gnu") && theirs.contains("byval(");
        match (essential(ours), essential(theirs)) {
            (Some(a), Some(b)) if a == b || (stack && a[0] == b[0]) => Ok(()),
            _ => {
                let said = outcome.errors();
                Err(Failure::new(format!("{target}: {source}\n  clang: {theirs}\n  ours:  {ours}{said}")))
            }
        }
    };
    let found = parallel::map(cases.len(), compare);
    let problems: Vec<String> = found.into_iter().filter_map(|result| Some(result.err()?.to_string())).collect();
    if problems.is_empty() { Ok(()) } else { Err(Failure::new(problems.join("\n"))) }
}

/// The same declaration by clang, used so that it is printed.
#[test]
fn llvm_declarations_are_as_by_clang() -> Result<(), Failure> {
    let sources = [
        "struct p { float x, y; }; struct p f(signed char a, struct p b, double c, ...);",
        "struct big { long a; char b[20]; }; struct big f(struct big x, unsigned short y, long long z);",
        "typedef struct { double a, b, c; } hfa; hfa f(hfa x, hfa y, hfa z, float w);",
        "union u { int i; float f; char c[6]; }; void f(union u x, _Bool y, union u *z);",
        "#pragma pack(push, 1)\nstruct s { char c; int i; };\n#pragma pack(pop)\nint f(struct s x, struct s y);",
        "_Complex double f(_Complex float a, long double b, struct { int x[2]; } c);",
        "int __attribute__((stdcall)) f(int a, char b);",
        "int __attribute__((fastcall)) f(int a, char b, long long c, short d);",
    ];
    let targets = [
        "x86_64-unknown-linux-gnu",
        "x86_64-pc-windows-msvc",
        "i686-unknown-linux-gnu",
        "i686-pc-windows-msvc",
        "aarch64-unknown-linux-gnu",
        "aarch64-apple-darwin",
        "armv7-unknown-linux-gnueabihf",
    ];
    let folder = work_folder("abi_command");
    let compare = |case: usize| -> Result<(), Failure> {
        let (source, target) = (sources[case / targets.len()], targets[case % targets.len()]);
        let text = abi(&["--target", target, "--emit", "llvm", source])?.text();
        let ours = text.lines().find(|line| line.starts_with("declare")).unwrap_or_default();
        let file = folder.join(format!("{case}.c"));
        std::fs::write(&file, format!("{source}\nvoid *use(void) {{ return (void *)f; }}\n"))?;
        let options = ["-S", "-emit-llvm", "-w", "-target", target, "-o", "-"];
        let ir = succeed(limited(60, clang()).args(options).arg(&file))?.text();
        let theirs = ir.lines().find(|line| line.starts_with("declare")).unwrap_or_default();
        // The types that both name are the same.
        let missing = text.lines().find(|line| line.starts_with('%') && !ir.lines().any(|other| other == *line));
        match missing {
            _ if essential(ours).is_none() || essential(ours) != essential(theirs) => {
                Err(Failure::new(format!("{target}: {source}\n  clang: {theirs}\n  ours:  {ours}")))
            }
            Some(line) => Err(Failure::new(format!("{target}: {source}\n  clang does not have {line}"))),
            None => Ok(()),
        }
    };
    let found = parallel::map(sources.len() * targets.len(), compare);
    let problems: Vec<String> = found.into_iter().filter_map(|result| Some(result.err()?.to_string())).collect();
    if problems.is_empty() { Ok(()) } else { Err(Failure::new(problems.join("\n"))) }
}

fn abi(arguments: &[&str]) -> Result<Outcome, Failure> {
    run(limited(20, gusset()?).arg("abi").args(arguments))
}

#[test]
fn errors_point_into_the_source() -> Result<(), Failure> {
    let cases: [(&[&str], &str); 28] = [
        (&["int f(foo x)"], "1:7: error: `foo` is no type that is known here"),
        (&["int f(int x"], "1:6: error: this `(` is never closed"),
        (&["int f(int x]"], "1:12: error: `]` does not close the `(` of line 1"),
        (&["int x;"], "there is no function declaration"),
        (&[""], "there is no function declaration"),
        (&["--function", "g", "int f(int)"], "there is no function `g`"),
        (&["#include <a.h>\nint f(int);"], "1:1: error: `#include` is for the preprocessor"),
        (&["struct S;\nint f(struct S x);"], "2:16: error: `struct S` is not complete here"),
        (&["struct S { int a; };\nstruct S { int b; };\nint f(void);"], "2:1: error: `struct S` is defined already"),
        (&["struct S { int a : 33; }; int f(struct S);"], "1:20: error: a bit-field of 33 bits in a type of 32"),
        (&["int a[1 / 0]; int f(int);"], "1:9: error: this divides by zero"),
        (&["int f(int __attribute__((wibble)) x)"], "1:26: error: the attribute `wibble` is not known"),
        (&["int f(void) __attribute__((regcall))"], "the attribute `regcall` is not supported"),
        (&["int __attribute__((stdcall)) __fastcall f(int)"], "are different conventions"),
        (&["void f(struct { int a[]; int b; } x)"], "1:21: error: an array without a length has to be the last member"),
        (&["_Static_assert(sizeof(long) == 1); int f(int);"], "this static assertion fails"),
        (&["struct S { char a[0x90000000]; }; void f(struct S)"], "an array length of 2415919104 is not possible"),
        (&["int f(int a; int b)"], "1:12: error: `;` is not expected here"),
        (&["/* int f(int);"], "1:1: error: this comment has no end"),
        (&["--target", "linux64,mars", "int f(int)"], "error: target: triple `mars`"),
        (&["--features", "mmx7", "int f(int)"], "error: feature `mmx7` is not known"),
        (&["--file", "/nowhere/at/all.h"], "/nowhere/at/all.h: error: cannot read: No such file"),
        (
            &["--mlir", "func.func @f(%t: tensor<4xf32>)"],
            "<declarations>:1:14: error: tensors have no memory of their own",
        ),
        (&["--mlir", "func.func @f(%m: memref<4xf32)"], "<declarations>:1:13: error: the bracket is not closed"),
        (&["--mlir", "module {}"], "<declarations>: error: there is no `func.func`"),
        (&["--function", "g", "--mlir", "func.func @f()"], "<declarations>: error: there is no function `@g`"),
        (
            &["--bare-pointers", "--mlir", "func.func @f(i32, memref<2x?xf32>)"],
            "error: `@f`: argument 1: a memref of dynamic size in dimension 1 cannot be a bare pointer",
        ),
        (&["--index-width", "24", "--mlir", "func.func @f(index)"], "an index of 24 bits; it has 8, 16, 32 or 64"),
    ];
    for (arguments, expected) in cases {
        let outcome = abi(arguments)?;
        let errors = outcome.errors();
        assert!(outcome.code == 1 && errors.contains(expected), "{arguments:?}: exit code {}\n{errors}", outcome.code);
        assert!(outcome.stdout.is_empty(), "{arguments:?} prints something");
    }
    assert_eq!(abi(&[])?.code, 2);
    assert_eq!(abi(&["--emit", "poem", "int f(int)"])?.code, 2);
    Ok(())
}

#[test]
fn an_argument_without_an_abi_is_named() -> Result<(), Failure> {
    let outcome = abi(&["--target", "linux64", "int f(int a,\n  struct { char c[0x7fffffff]; int d[9]; } big);"])?;
    let errors = outcome.errors();
    assert!(outcome.code == 1 && errors.contains("2:3: error: the type is larger than 2^31 bytes"), "{errors}");
    let outcome = abi(&["--target", "arm64", "int __vectorcall f(int a)"])?;
    assert!(outcome.code == 1 && outcome.errors().contains("1:18: error: signature:"), "{}", outcome.errors());
    Ok(())
}
