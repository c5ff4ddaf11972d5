//! LLVM IR that was printed after LLVM's preparation passes (`llc -stop-after`), as front ends print it that run these themselves.

use gusset_tests::parallel;
use gusset_tests::tools::{Failure, clang, gusset, limited, llc, succeed, work_folder};

const SOURCE: &str = r#"
#include <stdio.h>
#include <string.h>
#define NOINLINE __attribute__((noinline))
NOINLINE int bit(unsigned *p, unsigned n) { return __atomic_fetch_or(p, 1u << (n & 31), 5) >> (n & 31) & 1; }
NOINLINE unsigned clear(unsigned *p) { return __atomic_fetch_and(p, ~64u, 5) & 64u; }
NOINLINE unsigned long turn(unsigned long *p) { return __atomic_fetch_xor(p, 1ul << 40, 5) & 1ul << 40; }
NOINLINE int reset(unsigned long *p, unsigned n) {
    return (__atomic_fetch_and(p, ~(1ul << (n & 63)), 5) & 1ul << (n & 63)) != 0;
}
NOINLINE int zero(int *p, int v) { if (__atomic_add_fetch(p, v, 5) == 0) return 7; return 8; }
NOINLINE int negative(short *p, short v) { if (__atomic_sub_fetch(p, v, 5) < 0) return 7; return 8; }
NOINLINE int positive(char *p, char v) { if (__atomic_and_fetch(p, v, 5) >= 0) return 7; return 8; }
NOINLINE int some(long *p, long v) { if (__atomic_or_fetch(p, v, 5) != 0) return 7; return 8; }
NOINLINE unsigned copy(const char *text) {
    char buffer[32];
    strcpy(buffer, text);
    unsigned sum = 0;
    for (char *p = buffer; *p; p++) sum = 31 * sum + *p;
    return sum;
}
int main(void) {
    unsigned w = 0x40;
    unsigned long l = 5;
    for (int n = 0; n < 40; n += 13) printf("%d %u ", bit(&w, n), w);
    printf("%u %u %u ", clear(&w), clear(&w), w);
    for (int n = 0; n < 3; n++) printf("%lu %d %lu ", turn(&l), reset(&l, 2 * n), l);
    for (int v = -2; v < 3; v++) {
        int i = 1; short s = 1; char c = -1; long g = 0;
        printf("%d %d %d %d ", zero(&i, v), negative(&s, v), positive(&c, v), some(&g, v));
        printf("%d %d %d %ld\n", i, s, c, g);
    }
    printf("%u\n", copy("some text"));
}
"#;

/// The IR in what `llc -stop-after` prints.
fn module(text: &str) -> String {
    let lines = text.lines().skip_while(|line| *line != "--- |").skip(1).take_while(|line| *line != "...");
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn prepared_programs_run() -> Result<(), Failure> {
    let folder = work_folder("features/prepared");
    let path = |name: &str| folder.join(name);
    std::fs::write(path("p.c"), SOURCE)?;
    succeed(limited(60, clang()).args(["-O2", "-o"]).args([path("clang"), path("p.c")]))?;
    let expected = succeed(&mut limited(10, path("clang")))?.text();
    let cases: Vec<(&str, &str)> = ["codegenprepare", "stack-protector", "expand-ir-insts"]
        .into_iter()
        .flat_map(|pass| ["-fno-stack-protector", "-fstack-protector-strong"].map(|guard| (pass, guard)))
        .collect();
    let results = parallel::map(cases.len(), |i| -> Result<(), Failure> {
        let (pass, guard) = cases[i];
        let path = |end: &str| folder.join(format!("{i}.{end}"));
        let mut command = limited(60, clang());
        succeed(command.args(["-O2", guard, "-S", "-emit-llvm", "-o"]).arg(path("c.ll")).arg(folder.join("p.c")))?;
        let stop = format!("-stop-after={pass}");
        let Ok(printed) = succeed(limited(60, llc()).args([&stop, "-o", "-"]).arg(path("c.ll"))) else {
            // Not every release has every pass.
            return Ok(());
        };
        let text = module(&printed.text());
        assert!(text.contains("define"), "{pass}");
        if pass == "codegenprepare" {
            assert!(text.contains("@llvm.x86.atomic.btr.rm."), "{text}");
        }
        std::fs::write(path("ll"), text)?;
        succeed(limited(20, gusset()?).args(["compile", "-o"]).arg(path("o")).arg(path("ll")))?;
        succeed(limited(60, clang()).arg(path("o")).arg("-o").arg(path("program")))?;
        assert_eq!(succeed(&mut limited(10, path("program")))?.text(), expected, "{pass} {guard}");
        Ok(())
    });
    results.into_iter().collect()
}

/// The conditions of which there are more than compilers make today, and the store of a guard.
#[test]
fn operations_of_one_condition() -> Result<(), Failure> {
    let mut text = String::new();
    for (name, condition) in [("add", 4), ("sub", 8), ("and", 9), ("or", 5), ("xor", 4)] {
        for bits in [8, 16, 32, 64] {
            text += &format!(
                "define i8 @{name}{bits}(ptr %p, i{bits} %v) {{\n  %r = call i8 @llvm.x86.atomic.{name}.cc.i{bits}(ptr %p, i{bits} %v, \
                 i32 {condition})\n  ret i8 %r\n}}\n"
            );
        }
    }
    text += "define void @g(ptr %g) {\n  %slot = alloca ptr\n  call void @llvm.stackprotector(ptr %g, ptr %slot)\n  ret void\n}\n";
    const MAIN: &str = r#"
#include <stdio.h>
#define ALL(X) X(add) X(sub) X(and) X(or) X(xor)
#define DECLARE(N) char N##8(char *, char), N##16(short *, short), N##32(int *, int), N##64(long *, long);
ALL(DECLARE)
void g(void *);
static const int values[] = { 0, 1, -1, 100, -100, 127, -128 };
#define RUN(N) { char a = x; short b = x; int c = x; long d = x; printf("%d %d %d %d ", N##8(&a, y), N##16(&b, y), N##32(&c, y), \
    N##64(&d, y)); printf("%d %d %d %ld\n", a, b, c, d); }
int main(void) {
    for (int i = 0; i < 7; i++) for (int k = 0; k < 7; k++) { int x = values[i], y = values[k]; ALL(RUN) }
    g(&main);
}
"#;
    let folder = work_folder("features/conditions");
    let path = |name: &str| folder.join(name);
    std::fs::write(path("c.ll"), text)?;
    std::fs::write(path("main.c"), MAIN)?;
    succeed(limited(20, gusset()?).args(["compile", "-o"]).args([path("ours.o"), path("c.ll")]))?;
    succeed(
        limited(20, llc()).args(["-filetype=obj", "-relocation-model=pic", "-o"]).args([path("llc.o"), path("c.ll")]),
    )?;
    let run = |object: &str| {
        succeed(limited(60, clang()).args([path("main.c"), path(object)]).arg("-o").arg(path("program")))?;
        succeed(&mut limited(10, path("program"))).map(|outcome| outcome.text())
    };
    assert_eq!(run("ours.o")?, run("llc.o")?);
    Ok(())
}
