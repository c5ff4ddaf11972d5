//! Random functions of numbers in modules, called with random blocks of arguments. The model is C: a block is a struct of it, and
//! what a function gets and gives is what its own compiler passes. Integers smaller than 32 bits have anything above.
//!
//! `GUSSET_BLOCKS=N` makes N functions for each platform.

use std::fmt::Write;

use fastrand::Rng;
use gusset::iree::{Entry, Hal, ModuleBuilder, Reflection};
use gusset::{BuilderOptions, Features, ObjectBuilder, Relocation, Target};
use gusset_tests::parallel;
use gusset_tests::runtime::{AARCH64, ARM, ARM_SOFT, PLATFORMS, Platform, THUMB};
use gusset_tests::tools::{limited, root, run, succeed, work_folder};

/// Records with the types that C has of them, and those that blocks have.
const KINDS: [(&str, &str, &str); 7] = [
    ("i1", "bool", "int32_t"),
    ("i8", "int8_t", "int32_t"),
    ("i16", "int16_t", "int32_t"),
    ("i32", "int32_t", "int32_t"),
    ("i64", "int64_t", "int64_t"),
    ("f32", "float", "float"),
    ("f64", "double", "double"),
];

/// The numbers of kinds of a function's arguments and results.
type Function = (Vec<usize>, Vec<usize>);

fn functions(rng: &mut Rng, count: usize) -> Vec<Function> {
    let kinds = |rng: &mut Rng, most: usize| {
        // Often of one class, so that its registers run out.
        let range = [0..7, 0..7, 0..5, 5..7][rng.usize(0..4)].clone();
        (0..rng.usize(0..=most)).map(|_| rng.usize(range.clone())).collect()
    };
    (0..count).map(|_| (kinds(rng, 24), kinds(rng, 6))).collect()
}

/// The members of a struct: `column` 1 for what C has, 2 for blocks.
fn members(kinds: &[usize], column: usize) -> String {
    let of = |&kind: &usize| if column == 1 { KINDS[kind].1 } else { KINDS[kind].2 };
    kinds.iter().enumerate().map(|(i, kind)| format!("{} v{i}; ", of(kind))).collect()
}

/// The C program: the functions, and for each one that calls it through the module.
fn program(functions: &[Function]) -> Result<String, std::fmt::Error> {
    let mut c = String::from("#include \"host.h\"\n");
    c += "static uint64_t seed = 1;\nstatic uint64_t random64(void) {\n    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;\n    return seed;\n}\n";
    for (n, (args, results)) in functions.iter().enumerate() {
        // C has no empty structs.
        writeln!(c, "static struct {{ {}char none; }} got{n};", members(args, 1))?;
        writeln!(
            c,
            "struct r{n} {{ {}{} }};",
            members(results, 1),
            if results.is_empty() { "char none;" } else { "" }
        )?;
        writeln!(c, "static struct r{n} give{n};")?;
        let ret = match results[..] {
            [only] => KINDS[only].1,
            _ => "void",
        };
        let mut params: Vec<String> = (results.len() > 1).then(|| format!("struct r{n} *out")).into_iter().collect();
        params.extend(args.iter().enumerate().map(|(i, &kind)| format!("{} v{i}", KINDS[kind].1)));
        let list = if params.is_empty() { "void".into() } else { params.join(", ") };
        write!(c, "{ret} f{n}({list}) {{ ")?;
        for i in 0..args.len() {
            write!(c, "got{n}.v{i} = v{i}; ")?;
        }
        match results.len() {
            0 => writeln!(c, "}}")?,
            1 => writeln!(c, "return give{n}.v0; }}")?,
            _ => writeln!(c, "*out = give{n}; }}")?,
        }
        writeln!(c, "static void test{n}(void) {{")?;
        writeln!(c, "    struct {{ {}{} }} args;", members(args, 2), if args.is_empty() { "char none;" } else { "" })?;
        writeln!(
            c,
            "    struct {{ {}{} }} out;",
            members(results, 2),
            if results.is_empty() { "char none;" } else { "" }
        )?;
        for (which, kinds, column) in [("args", args, 2), (&*format!("give{n}"), results, 1)] {
            for (i, &kind) in kinds.iter().enumerate() {
                let ty = if column == 1 { KINDS[kind].1 } else { KINDS[kind].2 };
                let value = if kind >= 5 { "(int32_t)random64() / 8.0" } else { "random64()" };
                writeln!(c, "    {which}.v{i} = ({ty})({value});")?;
            }
        }
        let size = |kinds: &[usize], of: &str| if kinds.is_empty() { "0".into() } else { format!("sizeof {of}") };
        writeln!(c, "    CHECK(!invoke(\"f{n}\", &args, {}, &out, {}));", size(args, "args"), size(results, "out"))?;
        for (i, &kind) in args.iter().enumerate() {
            let expected = if kind == 0 { "args.v# & 1".into() } else { format!("({})args.v#", KINDS[kind].1) };
            writeln!(c, "    CHECK(got{n}.v{i} == ({}));", expected.replace('#', &i.to_string()))?;
        }
        for i in 0..results.len() {
            writeln!(c, "    CHECK(out.v{i} == give{n}.v{i});")?;
        }
        writeln!(c, "}}")?;
    }
    c += "int main(void) {\n    CHECK(!iree_vm_dynamic_module_create(1, NULL, 0, NULL, memory, &it));\n";
    c += "    CHECK(it->signature(it->self).imports == 0);\n    for (int round = 0; round < 20; round++) {\n";
    for n in 0..functions.len() {
        writeln!(c, "        test{n}();")?;
    }
    c += "    }\n    it->destroy(it->self);\n    CHECK(!blocks && !objects);\n    puts(\"done\");\n    return 0;\n}\n";
    Ok(c)
}

fn check(platform: &Platform, count: usize, seed: u64) -> Result<(), Box<dyn std::error::Error>> {
    let functions = functions(&mut Rng::with_seed(seed), count);
    let target = Target::from_triple(platform.triple, &Features::default())?;
    let options = BuilderOptions::new().relocation(Relocation::Pic);
    let mut object = ObjectBuilder::new(&target, &options);
    let mut module = ModuleBuilder::new("blocks", Hal::Device)?;
    for (n, (args, results)) in functions.iter().enumerate() {
        let list = |kinds: &[usize]| kinds.iter().map(|&k| format!("\"{}\"", KINDS[k].0)).collect::<Vec<_>>().join(",");
        let records = format!(r#"{{"a":[{}],"r":[{}]}}"#, list(args), list(results));
        module.export(Entry::new(format!("f{n}"), format!("f{n}"), Reflection::parse(&records)?))?;
    }
    module.define(&mut object)?;
    let stem = work_folder("iree").join(format!("blocks-{}", platform.triple));
    let (source, path) = (stem.with_extension("c"), stem.with_extension("o"));
    std::fs::write(&path, object.finish()?)?;
    std::fs::write(&source, program(&functions)?)?;
    let program = stem.with_extension("exe");
    let mut link = limited(120, platform.compiler());
    link.args(["-O1", "-g0", "-w", "-ffloat-store", "-I"]).arg(root().join("tests/iree")).args(platform.options());
    link.arg(&source).arg(&path).args(platform.libraries()).arg("-o").arg(&program);
    succeed(&mut link)?;
    let outcome = run(&mut platform.run(60, &program)?)?;
    match (outcome.code, outcome.text().trim()) {
        (0, "done") => Ok(()),
        (code, said) => Err(format!("exit code {code}: {said} {}", outcome.errors()).into()),
    }
}

#[test]
fn blocks_are_structs_of_c() {
    let count = std::env::var("GUSSET_BLOCKS").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let platforms: Vec<_> = PLATFORMS.iter().chain([&AARCH64, &ARM, &THUMB, &ARM_SOFT]).collect();
    let results = parallel::map(platforms.len(), |number| {
        let platform = platforms[number];
        check(platform, count, 13 + number as u64).map_err(|e| format!("{}: {e}", platform.triple))
    });
    let failed: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
