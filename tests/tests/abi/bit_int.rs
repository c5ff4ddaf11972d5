//! `_BitInt` as argument and result, between Gusset's library and clang (GCC 12 has none): every width up to 128 as a
//! value, wider ones by address. What clang's side computes from a value shows whether its upper bits are as clang relies on.

use fastrand::Rng;
use gusset::abi::{CType, Signature};
use gusset::ir::{Type, Value};
use gusset::{Body, BuilderOptions, Data, Features, Func, Global, Linkage, ObjectBuilder, Target};
use gusset_tests::tools::{Failure, cc, clang, limited, run, succeed, work_folder};
use std::fmt::Write;

/// Bytes kept for a value.
const ROOM: usize = 48;

const HEAD: &str = r#"
#include <stdio.h>
#include <string.h>
typedef unsigned char byte;
static int failures;
static void wrong(const char *what) { if (failures++ < 20) printf("%s\n", what); }
"#;

#[derive(Clone, Copy)]
struct Int {
    bits: u32,
    signed: bool,
}

impl Int {
    fn random(rng: &mut Rng) -> Int {
        let signed = rng.bool();
        let least = if signed { 2 } else { 1 };
        let most = [8, 16, 32, 33, 65, 129, 300][rng.usize(0..7)];
        Int { bits: rng.u32(least..most), signed }
    }

    fn c(self) -> CType {
        CType::BitInt { bits: self.bits, signed: self.signed }
    }

    fn name(self) -> String {
        format!("{} _BitInt({})", if self.signed { "signed" } else { "unsigned" }, self.bits)
    }

    fn bytes(self, rng: &mut Rng) -> Vec<u8> {
        let used = |i: u32| 0xff_u8 >> (8 - (self.bits.saturating_sub(8 * i)).min(8)).min(7);
        let bytes = (0..ROOM as u32).map(|i| if 8 * i < self.bits { rng.u8(..) & used(i) } else { 0 });
        bytes.collect()
    }

    /// The value at an address, or the address.
    fn load(self, b: &mut Body<'_, '_>, at: Value) -> Value {
        match Type::int(self.bits) {
            Some(ty) if self.bits <= 128 => b.load(ty, at, 0),
            _ => at,
        }
    }

    fn store(self, b: &mut Body<'_, '_>, v: Value, at: Value) {
        if self.bits <= 128 { b.store(v, at, 0) } else { b.copy(at, v, &self.c()) }
    }
}

struct Case {
    params: Vec<Int>,
    ret: Int,
    /// Of the parameters and the result.
    values: Vec<Vec<u8>>,
}

impl Case {
    fn random(rng: &mut Rng) -> Case {
        let params: Vec<Int> = (0..rng.usize(0..12)).map(|_| Int::random(rng)).collect();
        let ret = Int::random(rng);
        let values = params.iter().chain([&ret]).map(|int| int.bytes(rng)).collect();
        Case { params, ret, values }
    }

    fn signature(&self) -> Signature {
        self.params.iter().fold(Signature::c(self.ret.c()), |s, int| s.param(int.c()))
    }

    fn prototype(&self, name: &str) -> String {
        let list: Vec<_> = self.params.iter().enumerate().map(|(i, int)| format!("{} a{i}", int.name())).collect();
        let list = if list.is_empty() { "void".into() } else { list.join(", ") };
        format!("{} {name}({list})", self.ret.name())
    }

    /// The library's sides: `ours_N` looks at nothing but keeps all in `kept_N`; `calls_N` calls clang's `theirs_N`.
    fn build(&self, object: &mut ObjectBuilder<'_>, n: usize) -> Result<(), gusset::Error> {
        let mut import = |name: String| object.data(&name, Linkage::Import, Data::default());
        let (values, kept): (Global, Global) = (import(format!("values_{n}"))?, import(format!("kept_{n}"))?);
        let ours = object.declare(&format!("ours_{n}"), self.signature(), Linkage::Export)?;
        let theirs: Func = object.declare(&format!("theirs_{n}"), self.signature(), Linkage::Import)?;
        let calls = object.declare(&format!("calls_{n}"), Signature::c(CType::Void), Linkage::Export)?;
        let place = |b: &mut Body<'_, '_>, of: Global, i: usize| {
            let base = b.address(of);
            b.offset(base, (i * ROOM) as i32)
        };
        let last = self.params.len();
        object.define(ours, |b| {
            for (i, int) in self.params.iter().enumerate() {
                let v = b.param(i);
                let to = place(b, kept, i);
                int.store(b, v, to);
            }
            let from = place(b, values, last);
            let result = self.ret.load(b, from);
            b.ret(Some(result));
        })?;
        object.define(calls, |b| {
            let mut arguments = Vec::new();
            for (i, int) in self.params.iter().enumerate() {
                let from = place(b, values, i);
                arguments.push(int.load(b, from));
            }
            if let Some(result) = b.call(theirs, &arguments) {
                let to = place(b, kept, last);
                self.ret.store(b, result, to);
            }
            b.ret(None);
        })
    }

    /// Clang's sides, and the check of what the library kept.
    fn write(&self, out: &mut String, n: usize) {
        let count = self.values.len();
        let lists = self.values.iter().map(|v| {
            let bytes: Vec<_> = v.iter().map(u8::to_string).collect();
            format!("{{{}}}", bytes.join(","))
        });
        let lists: Vec<_> = lists.collect();
        let _ =
            writeln!(out, "byte values_{n}[{count}][{ROOM}] = {{{}}}, kept_{n}[{count}][{ROOM}];", lists.join(",\n"));
        let _ = writeln!(
            out,
            "{};\nvoid calls_{n}(void);\n{} {{",
            self.prototype(&format!("ours_{n}")),
            self.prototype(&format!("theirs_{n}"))
        );
        let differ = |int: Int, i: usize, v: &str, what: &str| {
            let name = int.name();
            format!(
                "    {{ {name} w; memcpy(&w, values_{n}[{i}], sizeof w); if ({v} != w) wrong(\"{n}: {what}\"); }}\n"
            )
        };
        for (i, int) in self.params.iter().enumerate() {
            out.push_str(&differ(*int, i, &format!("a{i}"), &format!("argument {} of clang's function", i + 1)));
        }
        let last = self.params.len();
        let ret = self.ret.name();
        let _ = writeln!(out, "    {ret} r; memcpy(&r, values_{n}[{last}], sizeof r); return r;\n}}");
        let _ = writeln!(out, "static void test_{n}(void) {{");
        for (i, int) in self.params.iter().enumerate() {
            let _ = writeln!(out, "    {} b{i}; memcpy(&b{i}, values_{n}[{i}], sizeof b{i});", int.name());
        }
        let list: Vec<_> = (0..last).map(|i| format!("b{i}")).collect();
        let _ = writeln!(out, "    {ret} r = ours_{n}({});", list.join(", "));
        out.push_str(&differ(self.ret, last, "r", "result of our function"));
        let _ = writeln!(out, "    calls_{n}();");
        for (i, int) in self.params.iter().chain([&self.ret]).enumerate() {
            let what =
                if i == last { "result of clang's function".into() } else { format!("argument {} of ours", i + 1) };
            let _ = writeln!(out, "    {{ {} k; memcpy(&k, kept_{n}[{i}], sizeof k);", int.name());
            out.push_str(&differ(*int, i, "k", &what));
            out.push_str("    }\n");
        }
        out.push_str("}\n");
    }
}

fn check(seed: u64, level: &str) -> Result<(), Failure> {
    let failed = |e: gusset::Error| Failure::new(e.to_string());
    let mut rng = Rng::with_seed(seed);
    let cases: Vec<Case> = (0..150).map(|_| Case::random(&mut rng)).collect();
    let folder = work_folder(&format!("bit-int/{seed}"));
    let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default()).map_err(failed)?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let (mut text, mut main) = (String::from(HEAD), String::new());
    for (n, case) in cases.iter().enumerate() {
        case.build(&mut object, n).map_err(failed)?;
        case.write(&mut text, n);
        let _ = writeln!(main, "    test_{n}();");
    }
    let _ = writeln!(text, "int main(void) {{\n{main}    return failures != 0;\n}}");
    let file = |name: &str| folder.join(name);
    std::fs::write(file("ours.o"), object.finish().map_err(failed)?)?;
    std::fs::write(file("theirs.c"), text)?;
    let mut command = limited(120, clang());
    succeed(command.args(["-w", level, "-c"]).arg(file("theirs.c")).arg("-o").arg(file("theirs.o")))?;
    succeed(limited(60, cc()).arg(file("ours.o")).arg(file("theirs.o")).arg("-o").arg(file("program")))?;
    let outcome = run(&mut limited(20, file("program")))?;
    if outcome.code != 0 {
        let place = file("program");
        return Err(Failure::new(format!("{}: exit code {}\n{}", place.display(), outcome.code, outcome.text())));
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

#[test]
fn clang_agrees() -> Result<(), Failure> {
    check(1, "-O0")?;
    check(2, "-O1")
}
