//! Every function and macro of clang's `arm_neon.h` and `arm_acle.h` for the features that AArch64 and ARM have here, made by Gusset
//! and by clang, run on the same operands.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use gusset_tests::build::{Level, Mode, Unit, by_clang, ir};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, clang, gusset, limited, succeed, work_folder};

/// What the headers are for.
struct Machine {
    mode: Mode,
    flags: &'static [&'static str],
    /// What Gusset is told of the processor.
    attributes: &'static str,
    /// What functions may ask for by their attribute `target`.
    features: &'static [&'static str],
    /// Parts of the names of macros for others.
    others: &'static [&'static str],
    /// So many functions there are at least.
    least: usize,
}

const AARCH64: Machine = Machine {
    mode: Mode::Aarch64,
    flags: &["--target=aarch64-linux-gnu", "-march=armv8.5-a+crypto+sha3+sm4+fp16+fp16fml+i8mm+dotprod"],
    attributes: "--attr=+crc",
    features: &[
        "neon", "aes", "sha2", "sha3", "sm4", "dotprod", "i8mm", "fullfp16", "fp16fml", "crc", "v8.1a", "v8.3a",
        "v8.5a",
    ],
    others: &[],
    least: 3900,
};

const A32: Machine = Machine {
    mode: Mode::A32,
    flags: &["--target=armv7-linux-gnueabihf", "-mfpu=neon-vfpv4"],
    attributes: "--attr=+vfp4",
    features: &["neon"],
    others: &[
        "f16_s16",
        "f16_u16",
        "s16_f16",
        "u16_f16",
        "vdot",
        "_f16",
        "p64",
        "p128",
        "2q_dup_s64",
        "2q_dup_u64",
        "3q_dup_s64",
        "3q_dup_u64",
        "4q_dup_s64",
        "4q_dup_u64",
    ],
    least: 1900,
};

/// Of version 8.
const T32: Machine = Machine {
    mode: Mode::T32,
    flags: &["--target=armv8a-linux-gnueabihf", "-mthumb", "-march=armv8-a+crc+crypto"],
    attributes: "--attr=+crc",
    features: &["neon", "aes", "sha2", "crc"],
    ..A32
};

impl Machine {
    fn folder(&self) -> PathBuf {
        work_folder(&format!("neon/{:?}", self.mode))
    }

    fn flags(&self, more: &'static str) -> Vec<&'static str> {
        self.flags.iter().copied().chain([more]).collect()
    }
}

/// Macros that are for other features do not say so: parts of their names.
const OTHER_MACROS: [&str; 13] =
    ["bf16", "vbf", "vcmla", "vfml", "vusdot", "vsudot", "rdmla", "rdmls", "vxar", "vsm3", "vldap", "vstl", "mf8"];

/// Hints and accesses to registers of the system, which give nothing that could be compared.
const EFFECTS: [&str; 10] =
    ["__swp", "__chkfeat", "__rndr", "__gcs", "__arm_", "__sev", "__wf", "__yield", "__nop", "__noswap"];

/// As many functions in a file as have fewer kinds of operations than a module may.
const CHUNK: usize = 400;

const HEADERS: &str = "#include <arm_neon.h>\n#include <arm_acle.h>\n";

/// What a function is called with.
enum Argument {
    /// A value of this type.
    Value(String),
    /// An address to read or to write.
    Address,
    /// A number that must be a constant.
    Number(u32),
}

struct Function {
    name: String,
    result: String,
    arguments: Vec<Argument>,
}

/// What the preprocessor makes of the headers.
fn preprocessed(machine: &Machine, option: &str) -> Result<String, Failure> {
    let source = machine.folder().join("headers.c");
    std::fs::write(&source, HEADERS)?;
    Ok(succeed(limited(60, clang()).args(machine.flags).args(["-E", option]).arg(&source))?.text())
}

/// The text without attributes, and the features that these ask for.
fn without_attributes(mut text: &str) -> (String, Vec<&str>) {
    let (mut out, mut features) = (String::new(), Vec::new());
    while let Some((before, after)) = text.split_once("__attribute__((") {
        out.push_str(before);
        let end = after.find("))").unwrap_or(after.len());
        // That of a target has parentheses of its own.
        let end = if after[end..].starts_with(")))") { end + 1 } else { end };
        if let Some((_, target)) = after[..end].split_once("target(\"") {
            features.extend(target.split('"').next().into_iter().flat_map(|list| list.split(',')));
        }
        text = &after[(end + 2).min(after.len())..];
    }
    out.push_str(text);
    (out, features)
}

/// The inline functions.
fn functions(machine: &Machine) -> Result<Vec<Function>, Failure> {
    let text = preprocessed(machine, "-P")?.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.replace("__inline ", "__inline__ ");
    let mut all = Vec::new();
    for part in text.split("static __inline__ ").skip(1) {
        let (head, features) = without_attributes(part.split('{').next().unwrap_or(""));
        let Some((head, parameters)) = head.split_once('(') else { continue };
        let Some((result, name)) = head.trim().rsplit_once(' ') else { continue };
        let parameters = parameters.trim().trim_end_matches(')');
        let known = features.iter().all(|f| machine.features.contains(f));
        // Those on one `double` are in the header, but clang 19 has no code for them.
        let without_code = name.starts_with("vcmla_") && name.ends_with("_f64");
        let other = without_code
            || ["bf16", "splat"].iter().any(|part| name.contains(part))
            || EFFECTS.iter().any(|e| name.starts_with(e));
        if !known || other || !(name.starts_with('v') || name.starts_with("__")) {
            continue;
        }
        let types = parameters.split(',').map(str::trim).filter(|p| !p.is_empty() && *p != "void");
        let arguments = types.map(|p| match p.contains('*') {
            true => Argument::Address,
            false => Argument::Value(p.rsplit_once(' ').map_or(p, |(ty, _)| ty).to_string()),
        });
        all.push(Function { name: name.into(), result: result.trim().into(), arguments: arguments.collect() });
    }
    Ok(all)
}

/// The type that a macro's body declares one of its variables with: the word in front of `variable`.
fn declared<'a>(body: &'a str, variable: &str) -> Option<&'a str> {
    let before = body.split_once(variable)?.0.trim_end();
    before.rsplit([' ', ';', '{']).next()
}

/// The macros, whose arguments are lanes, amounts of shifts, addresses and vectors.
fn macros(machine: &Machine) -> Result<Vec<Function>, Failure> {
    let mut all = Vec::new();
    for line in preprocessed(machine, "-dM")?.lines() {
        let Some((head, body)) = line.split_once(" __extension__ ({ ") else { continue };
        let Some((name, parameters)) = head.trim_start_matches("#define ").split_once('(') else { continue };
        if !name.starts_with('v') || OTHER_MACROS.iter().chain(machine.others).any(|m| name.contains(m)) {
            continue;
        }
        let result = declared(body, " __ret").unwrap_or("void");
        let parameters: Vec<&str> = parameters.trim_end_matches(')').split(',').collect();
        let types: Vec<Option<&str>> = parameters
            .iter()
            .map(|p| {
                let value = body.split_once(&format!(" = {p};"))?.0;
                value.rsplit(';').next()?.split_whitespace().next()
            })
            .collect();
        let single = |ty: &&str| ty.contains("64x1");
        let one = types.iter().flatten().any(single) || single(&result);
        let access = name.starts_with("vld") || name.starts_with("vst");
        let arguments = types.iter().enumerate().map(|(k, ty)| match ty {
            Some(ty) => Argument::Value(ty.to_string()),
            None if access && k == 0 => Argument::Address,
            // Shifts are by one or more; of a single lane there is but the first.
            None => Argument::Number(u32::from(name.contains("_n_") || !one)),
        });
        all.push(Function { name: name.into(), result: result.into(), arguments: arguments.collect() });
    }
    Ok(all)
}

/// A function of C that calls it on what is at `i` and leaves the result at `o`.
fn wrapper(f: &Function) -> String {
    let mut out = format!("void P({})(char *i, char *o) {{ ", f.name);
    let mut arguments = Vec::new();
    for (k, argument) in f.arguments.iter().enumerate() {
        let at = 64 * k;
        arguments.push(match argument {
            Argument::Number(n) => n.to_string(),
            Argument::Address if f.name.starts_with("vst") => "(void *)o".into(),
            Argument::Address => format!("(void *)(i + {at})"),
            Argument::Value(ty) => {
                let _ = write!(out, "{ty} a{k}; __builtin_memcpy(&a{k}, i + {at}, sizeof a{k}); ");
                format!("a{k}")
            }
        });
    }
    let call = format!("{}({})", f.name, arguments.join(", "));
    if f.result == "void" {
        return out + &call + "; }\n";
    }
    out + &format!("{} r = {call}; __builtin_memcpy(o, &r, sizeof r); }}\n", f.result)
}

const DRIVER: &str = r#"
#include <stdio.h>
#include <stdint.h>
#include <string.h>
struct entry { const char *name; void (*ours)(char *, char *), (*theirs)(char *, char *); };
static struct entry all[];
static uint64_t state = 88172645463325252u;
static uint64_t next(void) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state * 2685821657736338717u; }
static uint64_t word(int kind) {
    uint64_t x = next();
    switch (kind) {
    case 1: return x >> (next() % 64);
    case 2: { float f[2] = { (float)(int64_t)x / (1ull << (next() % 64)), (int)(next() % 2000) - 1000 }; memcpy(&x, f, 8); return x; }
    case 3: { double d = (double)(int64_t)x / (1ull << (next() % 64)); memcpy(&x, &d, 8); return x; }
    case 4: {
        _Float16 h[4];
        for (int k = 0; k < 4; k++) h[k] = (_Float16)(((int)(next() % 4000) - 2000) / (float)(1 << next() % 12));
        memcpy(&x, h, 8);
        return x; }
    }
    return x;
}
int main(void) {
    static uint64_t in[40], got[32], wanted[32];
    int bad = 0;
    for (struct entry *e = all; e->name; e++) {
        /* Which of two NaNs comes out of arithmetic on halves by way of a wider format is not told. */
        int half = strstr(e->name, "f16") != 0;
        /* Nor what sign one has where a product is subtracted. */
        int fused = strstr(e->name, "mls") || strstr(e->name, "fms");
        int number = half ? 4 : !fused ? 0 : strstr(e->name, "f32") ? 2 : strstr(e->name, "f64") ? 3 : 0;
        for (int round = 0; round < 40; round++) {
            for (int k = 0; k < 40; k++) in[k] = word(number ? number : round % 5);
            memset(got, 0x5a, sizeof got);
            memset(wanted, 0x5a, sizeof wanted);
            e->ours((char *)in, (char *)got);
            e->theirs((char *)in, (char *)wanted);
            if (memcmp(got, wanted, sizeof got)) {
                printf("%s, round %d: %016llx %016llx instead of %016llx %016llx\n", e->name, round,
                    (unsigned long long)got[1], (unsigned long long)got[0], (unsigned long long)wanted[1], (unsigned long long)wanted[0]);
                bad = 1;
                break;
            }
        }
    }
    return bad;
}
"#;

/// The functions with their wrappers in files, and a driver for all.
fn sources(machine: &Machine) -> Result<(Vec<Unit>, Unit), Failure> {
    let folder = machine.folder();
    let all: BTreeMap<String, Function> =
        functions(machine)?.into_iter().chain(macros(machine)?).map(|f| (f.name.clone(), f)).collect();
    assert!(all.len() > machine.least, "clang's headers have but {} functions", all.len());
    let all: Vec<Function> = all.into_values().collect();
    let unit = |name: String, text: &str| -> Result<Unit, Failure> {
        let source: PathBuf = folder.join(name);
        std::fs::write(&source, text)?;
        Ok(Unit { source, flags: Vec::new() })
    };
    let mut units = Vec::new();
    let (mut declarations, mut table) = (String::new(), String::from("static struct entry all[] = {\n"));
    for (k, chunk) in all.chunks(CHUNK).enumerate() {
        let text: String = chunk.iter().map(wrapper).collect();
        let prefix = "#define P__(p, n) p##n\n#define P_(p, n) P__(p, n)\n#define P(n) P_(PREFIX, n)\n";
        units.push(unit(format!("chunk{k}.c"), &format!("{HEADERS}{prefix}{text}"))?);
        for f in chunk {
            let name = &f.name;
            let _ = writeln!(declarations, "void ours_{name}(char *, char *), theirs_{name}(char *, char *);");
            let _ = writeln!(table, "    {{ \"{name}\", ours_{name}, theirs_{name} }},");
        }
    }
    let driver = unit("driver.c".into(), &format!("{DRIVER}{declarations}{table}    {{ 0 }}\n}};\n"))?;
    Ok((units, driver))
}

fn check(machine: &Machine, level: Level) -> Result<(), Failure> {
    let (units, driver) = sources(machine)?;
    let (folder, mode) = (machine.folder(), machine.mode);
    let made = parallel::map(units.len(), |k| -> Result<[PathBuf; 2], Failure> {
        let ours = folder.join(format!("{level}-{k}.o"));
        let ir = ir(&units[k], level, &machine.flags("-DPREFIX=ours_"))?;
        let mut gusset = limited(120, gusset()?);
        succeed(gusset.args(["compile", "--verify", machine.attributes]).arg(&ir).arg("-o").arg(&ours))?;
        Ok([ours, by_clang(&units[k], &machine.flags("-DPREFIX=theirs_"))?])
    });
    let mut objects = vec![by_clang(&driver, &machine.flags("-O1"))?];
    for pair in made {
        objects.extend(pair?);
    }
    let program = folder.join(format!("{level}"));
    mode.link(&objects, &["-static", "-lm"], &program)?;
    let outcome = gusset_tests::tools::run(&mut mode.runner(60, &program))?;
    if outcome.text().is_empty() && outcome.code == 0 { Ok(()) } else { Err(Failure::new(outcome.text())) }
}

#[test]
fn unoptimized() -> Result<(), Failure> {
    check(&AARCH64, Level::O0)
}

#[test]
fn optimized() -> Result<(), Failure> {
    check(&AARCH64, Level::O2)
}

#[test]
fn a32_unoptimized() -> Result<(), Failure> {
    check(&A32, Level::O0)
}

#[test]
fn t32_optimized() -> Result<(), Failure> {
    check(&T32, Level::O2)
}
