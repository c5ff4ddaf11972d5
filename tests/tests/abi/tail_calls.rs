//! Chains of `musttail` calls between functions with stack arguments of different sizes, which replace each other's for ever: values,
//! and a stack that does not grow. Random shapes, on every machine; where llc makes such calls, both sides by it and by Gusset, which
//! are mixed. What comes out is known beforehand: the generator computes it.
//!
//! `GUSSET_TAIL_CALLS` is the number of modules for each machine.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use gusset_tests::build::Mode;
use gusset_tests::machine::{AARCH64_WINDOWS, ARM_WINDOWS, I386_WINDOWS, Machine, X86_64_WINDOWS};
use gusset_tests::tools::{Failure, clang, gusset, limited, llc, root, run, succeed, work_folder};
use gusset_tests::wine;

/// What a parameter is. Every value is made of a number and becomes one again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    I64,
    I32,
    Double,
    /// Three words in memory.
    ByVal,
}

/// A function of a chain.
struct Link {
    params: Vec<Kind>,
    next: [usize; 2],
    /// Has it a variable of a size that is not known, or one that is aligned beyond the stack?
    dynamic: bool,
    aligned: bool,
    /// Does it call a function that changes registers?
    noisy: bool,
}

struct Chain {
    convention: &'static str,
    /// Results come back in memory.
    sret: bool,
    /// The first parameter travels in the register of `swiftself`, another one in that of `swiftasync`.
    swift: bool,
    links: Vec<Link>,
}

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
/// So many calls: with 8 bytes for each the stack of a thread would not do.
const STEPS: u32 = 1_100_000;

/// A random chain. `by_val`: with aggregates in memory.
fn chain(seed: usize, by_val: bool) -> Chain {
    let (swift, random) = (seed % 4 >= 2, &mut fastrand::Rng::with_seed(seed as u64));
    let kinds = &[Kind::I64, Kind::I32, Kind::Double, Kind::ByVal][..if by_val { 4 } else { 3 }];
    let count = 5;
    let links = (0..count)
        .map(|_| {
            let length = [0, 1, 4, 9, 14, 25][random.usize(..6)];
            let most = if random.bool() { kinds.len() } else { 1 };
            let params = (0..length).map(|_| kinds[random.usize(..most)]).collect();
            let next = [random.usize(..count), random.usize(..count)];
            let [dynamic, aligned, noisy] = [(); 3].map(|()| random.u8(..3) == 0);
            Link { params, next, dynamic, aligned, noisy }
        })
        .collect();
    Chain { convention: if swift { "swifttailcc" } else { "tailcc" }, sret: random.bool(), swift, links }
}

impl Kind {
    fn ty(self) -> &'static str {
        match self {
            Kind::I64 => "i64",
            Kind::I32 => "i32",
            Kind::Double => "double",
            Kind::ByVal => "ptr byval([3 x i64]) align 4",
        }
    }

    /// The number that comes of the value made of `v`.
    fn digest(self, v: u64) -> u64 {
        match self {
            Kind::I64 => v,
            Kind::I32 => v & 0xffff_ffff,
            Kind::Double => v & 0xffff,
            Kind::ByVal => v.wrapping_add(v.wrapping_add(1).wrapping_mul(3)).wrapping_add((v ^ 5).wrapping_mul(5)),
        }
    }
}

/// The number of which argument `j` is made.
fn argument(sum: u64, j: usize, n: u32) -> u64 {
    sum.wrapping_mul(2 * j as u64 + 3) ^ u64::from(n)
}

impl Chain {
    /// What comes out of so many steps from the first function on.
    fn value(&self, steps: u32) -> u64 {
        let (mut at, mut sum, mut n) = (0, 1u64, steps);
        let mut values: Vec<u64> = (0..self.links[0].params.len()).map(|j| argument(1, j, steps)).collect();
        loop {
            let link = &self.links[at];
            sum = sum.wrapping_mul(FACTOR);
            for (j, (kind, v)) in link.params.iter().zip(&values).enumerate() {
                sum = sum.wrapping_add(kind.digest(*v).wrapping_mul(2 * j as u64 + 1));
            }
            sum ^= sum >> 29;
            if n == 0 {
                return sum;
            }
            n -= 1;
            at = link.next[usize::from(sum >> 17 & 1 != 0)];
            values = (0..self.links[at].params.len()).map(|j| argument(sum, j, n)).collect();
        }
    }

    /// The type of a function's parameters, with names if they are given.
    fn parameters(&self, k: usize, name: &dyn Fn(&str) -> String) -> String {
        let mut list: Vec<String> = Vec::new();
        let [context, own] = if self.swift { [" swiftasync", " swiftself"] } else { ["", ""] };
        list.extend(self.sret.then(|| format!("ptr sret([4 x i64]) {}", name("out"))));
        list.push(format!("ptr{own} {}", name("own")));
        list.push(format!("ptr{context} {}", name("context")));
        list.push(format!("i32 {}", name("n")));
        list.push(format!("i64 {}", name("sum")));
        let own = self.links[k].params.iter().enumerate();
        list.extend(own.map(|(j, kind)| format!("{} {}", kind.ty(), name(&format!("p{j}")))));
        list.join(", ")
    }

    fn result(&self) -> &'static str {
        if self.sret { "void" } else { "i64" }
    }

    fn declaration(&self, k: usize) -> String {
        let parameters = self.parameters(k, &|_| String::new());
        format!("declare {} {} @link{k}({parameters})\n", self.convention, self.result())
    }

    /// Code that makes the arguments of a call of function `k` of `%sum` and `%n`, and the list of them.
    fn arguments(&self, k: usize, tag: &str, text: &mut String) -> String {
        for (j, kind) in self.links[k].params.iter().enumerate() {
            let v = format!("%{tag}.a{j}");
            let _ = writeln!(text, "  {v}.m = mul i64 %{tag}.sum, {}", 2 * j + 3);
            let _ = writeln!(text, "  {v}.v = xor i64 {v}.m, %{tag}.wide");
            let _ = match kind {
                Kind::I64 => writeln!(text, "  {v} = add i64 {v}.v, 0"),
                Kind::I32 => writeln!(text, "  {v} = trunc i64 {v}.v to i32"),
                Kind::Double => {
                    writeln!(text, "  {v}.l = trunc i64 {v}.v to i16\n  {v} = uitofp i16 {v}.l to double")
                }
                Kind::ByVal => {
                    let _ = writeln!(text, "  {v}.1 = add i64 {v}.v, 1\n  {v}.2 = xor i64 {v}.v, 5");
                    // What came here goes on, changed.
                    let _ = writeln!(text, "  {v} = getelementptr i8, ptr %{tag}.room, i32 {}", 24 * j);
                    for (w, part) in ["v", "1", "2"].iter().enumerate() {
                        let _ = writeln!(text, "  {v}.q{w} = getelementptr i8, ptr {v}, i32 {}", 8 * w);
                        let _ = writeln!(text, "  store i64 {v}.{part}, ptr {v}.q{w}");
                    }
                    Ok(())
                }
            };
        }
        self.parameters(k, &|name| match name.strip_prefix('p') {
            Some(j) => format!("%{tag}.a{j}"),
            None if matches!(name, "n" | "sum") => format!("%{tag}.{name}"),
            None => format!("%{name}"),
        })
    }

    fn define(&self, k: usize, text: &mut String) {
        let link = &self.links[k];
        let parameters = self.parameters(k, &|name| format!("%{name}"));
        let (convention, result) = (self.convention, self.result());
        let _ = writeln!(text, "define {convention} {result} @link{k}({parameters}) uwtable {{");
        if link.aligned {
            text.push_str("  %over = alloca [3 x i64], align 64\n  store volatile i64 %sum, ptr %over\n");
        }
        if link.dynamic {
            text.push_str("  %odd = and i32 %n, 31\n  %more = alloca i8, i32 %odd\n");
            text.push_str("  store volatile ptr %more, ptr @kept\n");
        }
        text.push_str("  %room = alloca [640 x i8], align 8\n");
        if link.noisy {
            text.push_str("  call void @noise()\n");
        }
        let _ = writeln!(text, "  %s0 = mul i64 %sum, {FACTOR}");
        for (j, kind) in link.params.iter().enumerate() {
            let _ = match kind {
                Kind::I64 => writeln!(text, "  %d{j} = add i64 %p{j}, 0"),
                Kind::I32 => writeln!(text, "  %d{j} = zext i32 %p{j} to i64"),
                Kind::Double => {
                    writeln!(text, "  %d{j}.i = fptoui double %p{j} to i32\n  %d{j} = zext i32 %d{j}.i to i64")
                }
                Kind::ByVal => {
                    for w in 0..3 {
                        let _ = writeln!(text, "  %d{j}.q{w} = getelementptr i8, ptr %p{j}, i32 {}", 8 * w);
                        let _ = writeln!(text, "  %d{j}.w{w} = load i64, ptr %d{j}.q{w}, align 4");
                        let _ = writeln!(text, "  %d{j}.m{w} = mul i64 %d{j}.w{w}, {}", 2 * w + 1);
                    }
                    let _ = writeln!(text, "  %d{j}.s = add i64 %d{j}.m0, %d{j}.m1");
                    writeln!(text, "  %d{j} = add i64 %d{j}.s, %d{j}.m2")
                }
            };
            let _ = writeln!(text, "  %e{j} = mul i64 %d{j}, {}", 2 * j + 1);
            let _ = writeln!(text, "  %s{} = add i64 %s{j}, %e{j}", j + 1);
        }
        let last = link.params.len();
        let _ = writeln!(text, "  %up = lshr i64 %s{last}, 29\n  %whole = xor i64 %s{last}, %up");
        text.push_str("  %end = icmp eq i32 %n, 0\n  br i1 %end, label %out.now, label %on\nout.now:\n");
        if self.sret {
            text.push_str("  store i64 %whole, ptr %out\n  ret void\n");
        } else {
            text.push_str("  ret i64 %whole\n");
        }
        text.push_str("on:\n  %less = sub i32 %n, 1\n  %wide = zext i32 %less to i64\n");
        text.push_str("  %bits = lshr i64 %whole, 17\n  %bit = trunc i64 %bits to i1\n");
        text.push_str("  br i1 %bit, label %way1, label %way0\n");
        for (way, &to) in link.next.iter().enumerate() {
            let tag = format!("w{way}");
            let _ = writeln!(text, "way{way}:\n  %{tag}.sum = add i64 %whole, 0\n  %{tag}.n = add i32 %less, 0");
            let _ = writeln!(text, "  %{tag}.wide = add i64 %wide, 0");
            let _ = writeln!(text, "  %{tag}.room = getelementptr i8, ptr %room, i32 0");
            let list = self.arguments(to, &tag, text);
            if self.sret {
                let _ = writeln!(text, "  musttail call {convention} void @link{to}({list})\n  ret void");
            } else {
                let _ =
                    writeln!(text, "  %{tag}.r = musttail call {convention} i64 @link{to}({list})\n  ret i64 %{tag}.r");
            }
        }
        text.push_str("}\n");
    }

    /// Modules: functions with odd numbers, those with even ones, and who calls the first of them.
    fn modules(&self) -> [String; 3] {
        let head = "@kept = external global ptr\ndeclare void @noise()\n";
        let half = |odd: usize| {
            let mut text = String::from(head);
            for k in 0..self.links.len() {
                if k % 2 == odd { self.define(k, &mut text) } else { text.push_str(&self.declaration(k)) }
            }
            text
        };
        let mut caller = String::from("@kept = global ptr null\ndeclare void @noise()\n");
        caller.push_str(&self.declaration(0));
        caller.push_str(
            "define i32 @check() uwtable {\n  %out = alloca [4 x i64], align 8\n  %room = alloca [640 x i8], align 8\n",
        );
        caller
            .push_str("  %own = getelementptr i8, ptr %room, i32 0\n  %context = getelementptr i8, ptr %room, i32 0\n");
        let mut wrong = String::from("0");
        for (k, steps) in [STEPS, 0, 1, 7].into_iter().enumerate() {
            let tag = format!("c{k}");
            let _ = writeln!(caller, "  %{tag}.sum = add i64 1, 0\n  %{tag}.n = add i32 {steps}, 0");
            let _ = writeln!(
                caller,
                "  %{tag}.wide = zext i32 %{tag}.n to i64\n  %{tag}.room = getelementptr i8, ptr %room, i32 0"
            );
            let list = self.arguments(0, &tag, &mut caller);
            let call = format!("call {} {} @link0({list})", self.convention, self.result());
            let _ = match self.sret {
                true => writeln!(caller, "  {call}\n  %{tag}.r = load i64, ptr %out"),
                false => writeln!(caller, "  %{tag}.r = {call}"),
            };
            let _ = writeln!(caller, "  %{tag}.bad = icmp ne i64 %{tag}.r, {}", self.value(steps) as i64);
            let _ = writeln!(caller, "  %{tag}.bit = select i1 %{tag}.bad, i32 {}, i32 0", 1 << k);
            let _ = writeln!(caller, "  %{tag}.all = or i32 %{tag}.bit, {wrong}");
            wrong = format!("%{tag}.all");
        }
        let _ = writeln!(caller, "  ret i32 {wrong}\n}}");
        [half(0), half(1), caller]
    }
}

/// Changes registers, as C functions may.
const SUPPORT: &str = "int check(void);
static volatile long a, b; static volatile double c = 1.5;
__attribute__((noinline)) void noise(void) {
    long x = a, y = b, z = x + y, w = x ^ z; double d = c, e = d * 2;
    for (int i = 0; i < 2; i++) { x += y; y ^= z; z -= w; w += x; d += e; }
    a = x + y + z + w; c = d > 1e9 ? 1.5 : d;
}
int main(void) { return check(); }
int start(void) { return check(); }
int _fltused;
void __chkstk(void);
";

fn modules() -> usize {
    std::env::var("GUSSET_TAIL_CALLS").ok().and_then(|n| n.parse().ok()).unwrap_or(4)
}

fn compile(triple: &str, flags: &[&str], input: &Path, object: &Path) -> Result<(), Failure> {
    let mut command = limited(60, gusset()?);
    command.args(["compile", "--verify", "--target", triple]).args(flags);
    succeed(command.arg(input).arg("-o").arg(object)).map(drop)
}

/// Writes the modules of a chain, and compiles them.
fn ours(folder: &Path, seed: usize, by_val: bool, triple: &str, flags: &[&str]) -> Result<Vec<PathBuf>, Failure> {
    let made = chain(seed, by_val).modules();
    let mut objects = Vec::new();
    for (name, text) in ["even", "odd", "caller"].iter().zip(made) {
        let input = folder.join(format!("{name}{seed}.ll"));
        std::fs::write(&input, text)?;
        objects.push(input.with_extension("o"));
        compile(triple, flags, &input, &objects[objects.len() - 1])?;
    }
    Ok(objects)
}

fn by_llc(mode: Mode, object: &Path) -> Result<PathBuf, Failure> {
    let made = object.with_extension("llc.o");
    let mut command = limited(60, llc());
    command.args(["-filetype=obj", "-O1", "-mtriple", mode.triple()]);
    if mode == Mode::Bits32 {
        command.arg("-mattr=+sse2");
    }
    succeed(command.arg(object.with_extension("ll")).arg("-o").arg(&made))?;
    Ok(made)
}

fn on_linux(mode: Mode, mixed: bool) -> Result<(), Failure> {
    let folder = work_folder(&format!("tail-calls/{mode:?}"));
    let (source, support) = (folder.join("support.c"), folder.join("support.o"));
    std::fs::write(&source, SUPPORT)?;
    let mut command = limited(60, clang());
    succeed(command.args(mode.clang_flags()).args(["-O1", "-c"]).arg(&source).arg("-o").arg(&support))?;
    for seed in 0..modules() {
        // llc does not make such jumps on AArch64 if an argument is `byval`, and some programs of its own on x86 crash.
        let by_val = seed % 2 == 0;
        let mixed = mixed && !by_val;
        let objects = ours(&folder, seed, by_val, mode.triple(), mode.gusset_flags())?;
        let [even, odd, caller] = &objects[..] else { unreachable!() };
        let works = |[even, odd]: [&Path; 2]| {
            let program = folder.join("program");
            let flags = if mode == Mode::Bits64 { &["-no-pie"][..] } else { &["-static"] };
            let objects = [&support, caller, even, odd].map(Path::to_path_buf);
            mode.link(&objects, flags, &program)?;
            Ok::<_, Failure>(run(&mut mode.runner(60, &program))?.code == 0)
        };
        assert!(works([even, odd])?, "{mode:?}, module {seed}");
        if mixed {
            let judged = [by_llc(mode, even)?, by_llc(mode, odd)?];
            if works([&judged[0], &judged[1]])? {
                assert!(works([&judged[0], odd])?, "{mode:?}, module {seed}, even functions by llc");
                assert!(works([even, &judged[1]])?, "{mode:?}, module {seed}, odd functions by llc");
            } else {
                assert!(seed >= 4, "{mode:?}, module {seed}: llc's own program fails");
            }
        }
    }
    Ok(())
}

fn on_windows(machine: &Machine) -> Result<(), Failure> {
    let folder = work_folder(&format!("tail-calls/{}", machine.name));
    let source = folder.join("support.c");
    std::fs::write(&source, SUPPORT)?;
    let support = machine.support(&source, &[])?;
    // There they are addresses of copies, which would be lost.
    let by_val = machine != &X86_64_WINDOWS;
    for seed in (0..modules()).filter(|seed| seed % 4 % 3 == 0) {
        let mut objects = ours(&folder, seed, by_val, machine.triple, &[])?;
        objects.push(support.clone());
        let program = machine.program(&folder.join("program"));
        machine.link(&objects, &program)?;
        assert_eq!(machine.run(&program)?.code, 0, "{}, module {seed}: {}", machine.name, program.display());
    }
    Ok(())
}

#[test]
fn replace_areas_of_other_sizes_on_x86() -> Result<(), Failure> {
    on_linux(Mode::Bits64, true)?;
    on_linux(Mode::Bits32, true)?;
    on_linux(Mode::X87, false)
}

#[test]
fn replace_areas_of_other_sizes_on_arm() -> Result<(), Failure> {
    on_linux(Mode::Aarch64, true)?;
    for mode in [Mode::A32, Mode::T32] {
        on_linux(mode, true)?;
    }
    on_linux(Mode::Soft, false)?;
    on_linux(Mode::V5, false)
}

/// llc does not make jumps there whose arguments take more than the function's own.
#[test]
fn replace_areas_of_other_sizes_on_windows() -> Result<(), Failure> {
    for machine in [&X86_64_WINDOWS, &I386_WINDOWS, &AARCH64_WINDOWS, &ARM_WINDOWS] {
        on_windows(machine)?;
    }
    Ok(())
}

const THROWER: &str = r#"
#include <cstdio>
extern "C" void thrower(long long n) { throw (int)n; }
extern "C" long long caller(long long), caller2(long long), caller3(long long);
int main() {
    bool right = caller(5) == 506 && caller2(6) == 607 && caller3(9) == 2000 * 9 + 1999 * 1000 + 2000;
    try { caller(-1); } catch (int e) { return right && e == 0 ? 0 : 2; }
    return 1;
}
"#;

/// Exceptions find their way through functions that have replaced others.
#[test]
fn exceptions_leave_replaced_functions() -> Result<(), Failure> {
    let folder = work_folder("tail-calls/exceptions");
    let (input, source) = (root().join("tests/data/conventions/unwound.ll"), folder.join("thrower.cpp"));
    std::fs::write(&source, THROWER)?;
    for mode in [Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::A32, Mode::T32, Mode::Soft] {
        let (object, program) = (folder.join(format!("{mode:?}.o")), folder.join(format!("{mode:?}")));
        compile(mode.triple(), &[mode.gusset_flags(), &["--pic"]].concat(), &input, &object)?;
        let cxx = mode.cxx();
        let mut command = limited(60, cxx[0]);
        succeed(command.args(&cxx[1..]).args([&source, &object]).arg("-o").arg(&program))?;
        assert_eq!(run(&mut mode.runner(60, &program))?.code, 0, "{mode:?}: {}", program.display());
    }
    // By tables of another form.
    let text = std::fs::read_to_string(&input)?.replace("personality_v0", "personality_seh0");
    let (input, object, program) = (folder.join("seh.ll"), folder.join("seh.o"), folder.join("seh.exe"));
    std::fs::write(&input, text)?;
    compile("x86_64-w64-mingw32", &[], &input, &object)?;
    let mut command = limited(60, "x86_64-w64-mingw32-g++");
    succeed(command.arg("-static").args([&source, &object]).arg("-o").arg(&program))?;
    assert_eq!(run(wine::command(60)?.arg(&program))?.code, 0, "{}", program.display());
    Ok(())
}
