//! Numbers of 16 bits with a point, `half` and `bfloat`: every operation and conversion, one by one and in vectors, on every machine and
//! system. The results are those of exact arithmetic, rounded once.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use gusset_tests::build::Mode;
use gusset_tests::tools::{Failure, clang, gusset, limited, succeed, work_folder};
use gusset_tests::wine;

mod cases;
mod exact;

use self::cases::{Case, Ty};
use self::exact::{Format, Number};

/// The text of a function that does the operation on so many lanes.
fn function(case: &Case, lanes: u32, name: &str, out: &mut String) {
    let wide = |ty: Ty| if lanes == 1 { ty.name() } else { format!("<{lanes} x {}>", ty.name()) };
    let mangled = |ty: Ty| if lanes == 1 { ty.mangled() } else { format!("v{lanes}{}", ty.mangled()) };
    let mut body = case.body.replace("@r", &wide(case.result)).replace("~r", &mangled(case.result));
    body = body.replace("@b", &wide(Ty::Int(1)));
    for (k, &ty) in case.operands.iter().enumerate() {
        body = body.replace(&format!("@{k}"), &wide(ty)).replace(&format!("~{k}"), &mangled(ty));
    }
    let _ = writeln!(out, "define void @{name}(ptr %i0, ptr %i1, ptr %i2, ptr %o) {{");
    for (k, &ty) in case.operands.iter().enumerate() {
        let _ = writeln!(out, "  %a{k} = load {}, ptr %i{k}, align 1", wide(ty));
    }
    let body = match body.split_once('\n') {
        Some((first, second)) => format!("  %c = {first}\n  %r = {second}"),
        None => format!("  %r = {body}"),
    };
    let _ = writeln!(out, "{body}\n  store {} %r, ptr %o, align 1\n  ret void\n}}", wide(case.result));
    for line in body.lines().filter(|line| line.contains(" = call ")) {
        // Its declaration has the arguments without their names.
        let call = line.split_once(" = call ").unwrap_or_default().1;
        let (head, arguments) = call.split_once('(').unwrap_or_default();
        let types: Vec<&str> = arguments
            .trim_end_matches(')')
            .split(", ")
            .map(|argument| argument.rsplit_once([' ']).unwrap_or_default().0)
            .collect();
        let declaration = format!("declare {head}({})\n", types.join(", "));
        if !out.contains(&declaration) {
            *out += &declaration;
        }
    }
}

/// So many rows are done at a time at least, whatever the number of lanes.
const STEP: usize = 24;

/// The rows of a case, some twice so that they are a multiple of [`STEP`].
fn rows(case: &Case) -> impl Iterator<Item = &Vec<u128>> {
    let count = case.rows.len().next_multiple_of(STEP);
    case.rows.iter().cycle().take(count)
}

/// A table of what is called with which operands, and their bytes.
fn table(jobs: &[(&Case, u32)]) -> String {
    let mut text = String::from(
        "struct job { void (*function)(const void *, const void *, const void *, void *); const unsigned char *in[3];\n\
         int strides[3], result, lanes, count; };\n",
    );
    let mut entries = String::new();
    for (k, (case, lanes)) in jobs.iter().enumerate() {
        let _ = writeln!(text, "void f{k}(const void *, const void *, const void *, void *);");
        let (mut names, mut strides) = (String::new(), String::new());
        for at in 0..3 {
            let Some(ty) = case.operands.get(at) else {
                (names, strides) = (names + "0, ", strides + "0, ");
                continue;
            };
            // The rows of all jobs on a case are the same.
            let first = jobs.iter().position(|job| std::ptr::eq(job.0, *case)).unwrap_or(k);
            if first == k {
                let _ = write!(text, "static const unsigned char in{k}_{at}[] = {{");
                for row in rows(case) {
                    let mut bytes = row[at].to_le_bytes().to_vec();
                    bytes.resize(ty.stride(), 0);
                    for byte in bytes {
                        let _ = write!(text, "{byte},");
                    }
                }
                text += "};\n";
            }
            names += &format!("in{first}_{at}, ");
            strides += &format!("{}, ", ty.stride());
        }
        let count = case.rows.len().next_multiple_of(STEP);
        let result = case.result.stride();
        let _ = writeln!(entries, "{{ f{k}, {{ {names} }}, {{ {strides} }}, {result}, {lanes}, {count} }},");
    }
    text + "const struct job jobs[] = {\n" + &entries + "};\n"
}

const DRIVER: &str = r#"
#include <stdio.h>
#include <string.h>
int main(void) {
    for (unsigned k = 0; k < sizeof jobs / sizeof *jobs; k++) {
        const struct job *j = &jobs[k];
        for (int at = 0; at < j->count; at += j->lanes) {
            unsigned char out[512] = { 0 };
            const unsigned char *in[3];
            for (int n = 0; n < 3; n++) in[n] = j->in[n] + j->strides[n] * at;
            j->function(in[0], in[1], in[2], out);
            for (int lane = 0; lane < j->lanes; lane++) {
                const unsigned char *p = out + lane * j->result;
                int n = j->result > 16 ? 16 : j->result;
                while (n--) printf("%02x", p[n]);
                printf(lane + 1 < j->lanes ? " " : "\n");
            }
        }
    }
}
"#;

/// Is the result right?
fn is_right(case: &Case, expected: u128, got: u128) -> bool {
    let ty = case.result;
    let mask = u128::MAX >> (128 - ty.bits().min(128));
    let of_sign = ["fneg", "fabs", "copysign"].iter().any(|name| case.name.ends_with(name));
    match ty {
        // Which NaN comes out is not told, but that it is quiet, save where a bfloat's bits are moved.
        Ty::Float(f) if f.decode(expected) == Number::Nan && !of_sign => {
            let quiet = case.name.contains("fpext") || got >> (f.fraction - 1) & 1 == 1;
            f.decode(got & mask) == Number::Nan && quiet
        }
        _ => (expected ^ got) & mask == 0,
    }
}

/// A machine and system, and what is left out there.
struct Place {
    name: &'static str,
    triple: &'static str,
    flags: &'static [&'static str],
    has: fn(&Case) -> bool,
    make: fn(&Path, &[PathBuf], &Path) -> Result<String, Failure>,
}

/// The driver of a mode's program, linked and run.
fn in_mode(mode: Mode, driver: &Path, objects: &[PathBuf], program: &Path) -> Result<String, Failure> {
    let object = driver.with_extension("o");
    succeed(
        limited(120, clang()).args(mode.clang_flags()).args(["-w", "-O1", "-c"]).arg(driver).arg("-o").arg(&object),
    )?;
    mode.link(&[objects, &[object]].concat(), &["-lm"], program)?;
    Ok(succeed(&mut mode.runner(120, program))?.text())
}

/// The same by MinGW and Wine.
fn on_windows(gcc: &str, driver: &Path, objects: &[PathBuf], program: &Path) -> Result<String, Failure> {
    succeed(limited(120, gcc).args(["-w", "-O1"]).arg(driver).args(objects).arg("-o").arg(program))?;
    Ok(succeed(wine::command(120)?.arg(program))?.text())
}

fn check(place: &Place) -> Result<(), Failure> {
    let folder = work_folder(&format!("narrow-floats/{}", place.name));
    let all = cases::all();
    let mut jobs = Vec::new();
    for (k, case) in all.iter().filter(|case| (place.has)(case)).enumerate() {
        jobs.push((case, 1));
        if case.has_lanes() && !case.name.contains("strict") {
            jobs.push((case, [4, 8, 3, 2][k % 4]));
        }
    }
    let mut text = String::new();
    jobs.iter().enumerate().for_each(|(k, (case, lanes))| function(case, *lanes, &format!("f{k}"), &mut text));
    let [source, driver, object, program] =
        ["ours.ll", "driver.c", "ours.o", "program.exe"].map(|name| folder.join(name));
    std::fs::write(&source, text)?;
    std::fs::write(&driver, table(&jobs) + DRIVER)?;
    let mut command = limited(120, gusset()?);
    command.args(["compile", "--verify", "--target", place.triple]).args(place.flags);
    succeed(command.arg(&source).arg("-o").arg(&object))?;
    let said = (place.make)(&driver, &[object], &program)?;
    let mut values = said.split_whitespace().map(|word| u128::from_str_radix(word, 16).unwrap_or_default());
    let (mut wrong, mut report) = (0, String::new());
    for (case, lanes) in jobs {
        let mut shown = 0;
        for row in rows(case) {
            let got = values.next().ok_or_else(|| Failure::new("output is cut"))?;
            let Some(expected) = (case.compute)(row) else { continue };
            if !is_right(case, expected, got) {
                wrong += 1;
                shown += 1;
                if shown <= 2 {
                    let operands: Vec<_> = row.iter().map(|n| format!("{n:x}")).collect();
                    let operands = operands.join(", ");
                    let _ = writeln!(report, "{} x{lanes}: {operands} gives {got:x}, not {expected:x}", case.name);
                }
            }
        }
    }
    if wrong == 0 { Ok(()) } else { Err(Failure::new(format!("{} wrong on {}\n{report}", wrong, place.name))) }
}

/// Is the x87's format left out, and that of 128 bits?
fn without_extended(case: &Case) -> bool {
    !case.has(Ty::Float(Format::EXTENDED))
}

/// Without SSE, there is nothing of 128 bits, and a vector has no registers.
fn without_quad(case: &Case) -> bool {
    !case.has(Ty::Float(Format::QUAD))
}

fn without_wide(case: &Case) -> bool {
    without_extended(case) && !case.has(Ty::Float(Format::QUAD))
}

macro_rules! places {
    ($($name:ident $triple:literal $flags:tt $has:expr, $make:expr;)*) => {$(
        #[test]
        fn $name() -> Result<(), Failure> {
            check(&Place { name: stringify!($name), triple: $triple, flags: &$flags, has: $has, make: $make })
        }
    )*};
}

places! {
    x86_64 "x86_64-unknown-linux-gnu" [] |_| true, |d, o, p| in_mode(Mode::Bits64, d, o, p);
    i686 "i686-unknown-linux-gnu" ["--pic"] |_| true, |d, o, p| in_mode(Mode::Bits32, d, o, p);
    x87 "i686-unknown-linux-gnu" ["--pic", "--cpu", "i686"] without_quad, |d, o, p| in_mode(Mode::X87, d, o, p);
    aarch64 "aarch64-unknown-linux-gnu" [] without_extended, |d, o, p| in_mode(Mode::Aarch64, d, o, p);
    aarch64_half "aarch64-unknown-linux-gnu" ["--attr=+fullfp16"] without_extended, |d, o, p| in_mode(Mode::Aarch64, d, o, p);
    a32 "armv7-unknown-linux-gnueabihf" [] without_wide, |d, o, p| in_mode(Mode::A32, d, o, p);
    t32 "thumbv7-unknown-linux-gnueabihf" [] without_wide, |d, o, p| in_mode(Mode::T32, d, o, p);
    a32_v8 "armv8-unknown-linux-gnueabihf" [] without_wide, |d, o, p| in_mode(Mode::A32, d, o, p);
    soft "armv7-unknown-linux-gnueabi" ["--attr=+soft-float"] without_wide, |d, o, p| in_mode(Mode::Soft, d, o, p);
    v5 "armv5te-unknown-linux-gnueabi" [] without_wide, |d, o, p| in_mode(Mode::V5, d, o, p);
    mingw_x86_64 "x86_64-w64-mingw32" [] |_| true, |d, o, p| on_windows("x86_64-w64-mingw32-gcc", d, o, p);
    mingw_i686 "i686-w64-mingw32" [] |_| true, |d, o, p| on_windows("i686-w64-mingw32-gcc", d, o, p);
}
