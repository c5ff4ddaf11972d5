//! The programs on Windows, under Wine: a batch of them in one file, since Wine takes its time to begin.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gusset_tests::build::{Level, compile};
use gusset_tests::machine::{I386_WINDOWS, Machine, X86_64_WINDOWS};
use gusset_tests::tools::{Failure, clang, limited, run, succeed, work_folder};
use gusset_tests::{microsoft, parallel, wine};

use super::{Verdict, check_all, generate, number};

/// Programs in one file.
const BATCH: usize = 25;

/// Milliseconds that a program by clang may take, and one by Gusset, which is not to be called wrong for a busy machine.
const LIMITS: [u32; 2] = [1000, 10_000];

struct Target {
    triple: &'static str,
    flags: &'static [&'static str],
    /// Linked by `lld-link` without MinGW's C library.
    microsoft: Option<&'static Machine>,
    gcc: &'static str,
}

impl Target {
    fn clang(&self) -> std::process::Command {
        let mut command = limited(60, clang());
        command.arg(format!("--target={}", self.triple)).args(self.flags).arg("-w");
        if self.microsoft.is_some() {
            // Csmith has a file of its own in place of this header for compilers that once lacked it.
            command
                .args(["-ffreestanding", "-include", "stdint.h", "-D_MSC_STDINT_H_"])
                .arg(format!("-I{}", microsoft::headers().display()));
        }
        command.arg("-I/usr/include/csmith");
        command
    }

    /// The program's IR at this level.
    fn ir(&self, folder: &Path, seed: usize, level: Level) -> Result<PathBuf, Failure> {
        let path = folder.join(format!("{seed}{level}.ll"));
        let mut command = self.clang();
        command.args(["-S", "-emit-llvm"]).arg(format!("-Dmain=main_{seed}"));
        match level {
            Level::O0 => command.args(["-O0", "-Xclang", "-disable-O0-optnone"]),
            level => command.arg(level.to_string()),
        };
        succeed(command.arg(folder.join(format!("{seed}.c"))).arg("-o").arg(&path))?;
        Ok(path)
    }

    /// The object that clang makes of IR.
    fn judged(&self, level: &str, ir: &Path) -> Result<PathBuf, Failure> {
        let object = ir.with_extension(format!("clang{level}.o"));
        let flags = [level, "-c", "-Wno-unused-command-line-argument"];
        succeed(self.clang().args(flags).arg(ir).arg("-o").arg(&object))?;
        Ok(object)
    }

    /// Links programs to one file.
    fn link(&self, folder: &Path, name: &str, programs: &[(usize, PathBuf)]) -> Result<PathBuf, Failure> {
        let (driver, object) = (folder.join(format!("{name}.c")), folder.join(format!("{name}.o")));
        let seeds: Vec<usize> = programs.iter().map(|p| p.0).collect();
        std::fs::write(&driver, driver_source(&seeds))?;
        succeed(self.clang().args(["-O1", "-c"]).arg(&driver).arg("-o").arg(&object))?;
        let binary = folder.join(format!("{name}.exe"));
        let objects: Vec<PathBuf> = programs.iter().map(|p| p.1.clone()).chain([object]).collect();
        match self.microsoft {
            Some(machine) => microsoft::link(machine, &objects, &binary)?,
            None => drop(succeed(limited(120, self.gcc).args(&objects).arg("-o").arg(&binary))?),
        }
        Ok(binary)
    }

    /// What each of the programs prints; nothing for one that crashes or does not end in time.
    fn outputs(&self, binary: &Path, seeds: &[usize], limit: u32) -> Result<BTreeMap<usize, String>, Failure> {
        let (mut outputs, mut rest) = (BTreeMap::new(), seeds);
        while !rest.is_empty() {
            let mut command = wine::command(30 + limit / 1000 * rest.len() as u32)?;
            let outcome = run(command.arg(binary).arg(limit.to_string()).args(rest.iter().map(usize::to_string)))?;
            let text = outcome.text().replace('\r', "");
            let mut begun = 0;
            for part in text.split("program ").skip(1) {
                begun += 1;
                if let Some((seed, printed)) = part.split_once('\n')
                    && let Some(printed) = printed.strip_suffix("end\n")
                {
                    outputs.insert(seed.parse().map_err(|_| Failure::new(format!("what is {part}?")))?, printed.into());
                }
            }
            if begun == 0 {
                return Err(Failure::new(format!("{}: exit code {}: {text}", binary.display(), outcome.code)));
            }
            rest = &rest[begun..];
        }
        Ok(outputs)
    }

    /// The verdicts on as many programs.
    fn check(&self, first: usize, count: usize) -> Result<Vec<Verdict>, Failure> {
        let folder = work_folder(&format!("csmith/{}/{first}", self.triple));
        // The judge makes its code from the optimized IR.
        let made = parallel::map(count, |i| -> Result<Option<(PathBuf, PathBuf)>, Failure> {
            let seed = first + i;
            if !generate(seed, &folder.join(format!("{seed}.c")))? {
                return Ok(None);
            }
            let ir = self.ir(&folder, seed, Level::O2)?;
            Ok(Some((self.judged("-O1", &ir)?, ir)))
        });
        let mut by_clang = Vec::new();
        for (i, made) in made.into_iter().enumerate() {
            by_clang.extend(made?.map(|(object, ir)| (first + i, object, ir)));
        }
        let objects: Vec<_> = by_clang.iter().map(|(seed, object, _)| (*seed, object.clone())).collect();
        let seeds: Vec<usize> = by_clang.iter().map(|p| p.0).collect();
        let binary = self.link(&folder, "by-clang", &objects)?;
        let mut expected = self.outputs(&binary, &seeds, LIMITS[0])?;
        expected.retain(|_, text| text.starts_with("checksum"));
        by_clang.retain(|p| expected.contains_key(&p.0));

        let mut failures: BTreeMap<usize, String> = BTreeMap::new();
        for level in [Level::O2, Level::O0] {
            let made = parallel::map(by_clang.len(), |i| -> Result<_, Failure> {
                let (seed, _, optimized) = &by_clang[i];
                let ir = if level == Level::O2 { optimized.clone() } else { self.ir(&folder, *seed, level)? };
                let object = ir.with_extension("o");
                Ok((*seed, compile(&ir, &object).map(|()| object), ir))
            });
            let (mut ours, mut irs) = (Vec::new(), BTreeMap::new());
            for made in made {
                let (seed, object, ir) = made?;
                match object {
                    Ok(object) => {
                        ours.push((seed, object));
                        irs.insert(seed, ir);
                    }
                    Err(f) => drop(failures.entry(seed).or_insert(format!("seed {seed} at {level}: {f}"))),
                }
            }
            let seeds: Vec<usize> = ours.iter().map(|p| p.0).collect();
            let binary = self.link(&folder, &format!("by-gusset{level}"), &ours)?;
            let mut got = self.outputs(&binary, &seeds, LIMITS[1])?;
            // What did not end is tried once more: a thread that was ended may have held a lock of the C library.
            let without_end: Vec<usize> = seeds.iter().copied().filter(|seed| !got.contains_key(seed)).collect();
            got.extend(self.outputs(&binary, &without_end, LIMITS[1])?);
            for seed in seeds {
                if got.get(&seed) == expected.get(&seed) {
                    continue;
                }
                // Optimization may remove a loop without end. What clang itself does not do with this very IR, nobody need.
                let object = self.judged("-O0", &irs[&seed])?;
                let alone = self.link(&folder, &format!("{seed}-by-clang"), &[(seed, object)])?;
                if self.outputs(&alone, &[seed], LIMITS[1])?.get(&seed) != expected.get(&seed) {
                    expected.remove(&seed);
                    continue;
                }
                let given = got.get(&seed).map_or("no end", String::as_str).trim();
                let wanted = expected[&seed].trim();
                let message = format!("seed {seed} at {level}: {given} instead of {wanted}; see {}", folder.display());
                failures.entry(seed).or_insert(message);
            }
        }
        let verdicts =
            (first..first + count).map(|seed| match (failures.remove(&seed), expected.contains_key(&seed)) {
                (Some(message), true) => Verdict::Fails(format!("{}: {message}", self.triple)),
                (None, true) => Verdict::Agrees,
                (_, false) => Verdict::LeftOut,
            });
        let verdicts: Vec<Verdict> = verdicts.collect();
        if !verdicts.iter().any(|v| matches!(v, Verdict::Fails(_))) {
            std::fs::remove_dir_all(&folder)?;
        }
        Ok(verdicts)
    }

    fn check_all(&self) {
        check_all(number("GUSSET_CSMITH_WINDOWS", 8), |first, count| {
            let count = count.min(BATCH);
            match self.check(first, count) {
                Ok(verdicts) => verdicts.into_iter().map(Ok).collect(),
                Err(f) => (0..count).map(|_| Err(Failure::new(format!("{}: {f}", self.triple)))).collect(),
            }
        });
    }
}

/// A program that runs those that it is told, each in a thread that ends when its time is up.
fn driver_source(seeds: &[usize]) -> String {
    let declared: String = seeds.iter().map(|s| format!("int main_{s}(int, char **);\n")).collect();
    let listed: String = seeds.iter().map(|s| format!("    {{ {s}, main_{s} }},\n")).collect();
    format!(
        "#include <stdio.h>
#include <stdlib.h>
__declspec(dllimport) void *__stdcall CreateThread(void *, __SIZE_TYPE__, unsigned (__stdcall *)(void *), void *, unsigned, unsigned *);
__declspec(dllimport) unsigned __stdcall WaitForSingleObject(void *, unsigned);
__declspec(dllimport) int __stdcall TerminateThread(void *, unsigned);
{declared}
static const struct {{ int seed; int (*run)(int, char **); }} all[] = {{
{listed}}};
static unsigned __stdcall run(void *place) {{
    char *arguments[] = {{ 0, 0 }};
    return all[(__SIZE_TYPE__)place].run(1, arguments);
}}
int main(int count, char **words) {{
    for (int k = 2; k < count; k++)
        for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {{
            if (all[i].seed != atoi(words[k])) continue;
            printf(\"program %d\\n\", all[i].seed);
            fflush(stdout);
            void *thread = CreateThread(0, 0, run, (void *)(__SIZE_TYPE__)i, 0, 0);
            if (!thread) exit(3);
            if (WaitForSingleObject(thread, (unsigned)atoi(words[1]))) TerminateThread(thread, 1);
            else printf(\"end\\n\");
            fflush(stdout);
        }}
    return 0;
}}
"
    )
}

const MICROSOFT_64: Target =
    Target { triple: "x86_64-pc-windows-msvc", flags: &[], microsoft: Some(&X86_64_WINDOWS), gcc: "" };
const MICROSOFT_32: Target =
    Target { triple: "i686-pc-windows-msvc", flags: &["-march=pentium4"], microsoft: Some(&I386_WINDOWS), gcc: "" };
const MINGW_64: Target =
    Target { triple: "x86_64-w64-mingw32", flags: &[], microsoft: None, gcc: "x86_64-w64-mingw32-gcc" };
const MINGW_32: Target =
    Target { triple: "i686-w64-mingw32", flags: &["-march=pentium4"], microsoft: None, gcc: "i686-w64-mingw32-gcc" };

#[test]
fn microsoft_64() {
    MICROSOFT_64.check_all();
}

#[test]
fn microsoft_32() {
    MICROSOFT_32.check_all();
}

#[test]
fn mingw_64() {
    MINGW_64.check_all();
}

#[test]
fn mingw_32() {
    MINGW_32.check_all();
}
