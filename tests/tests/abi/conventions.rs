//! Conventions of other languages: Swift's with its errors, GHC's; jumps where a convention promises them. Both sides by Gusset
//! and by llc, which are mixed.

use gusset_tests::tools::{Failure, cc, gusset, limited, llc, root, run, succeed, work_folder};

const MAIN: &str = r#"
#include <setjmp.h>
#include <stdio.h>
static jmp_buf out;
long sum;
void *make(int n) { return (void *)(long)(n + 1000); }
void leave(void) { longjmp(out, 1); }
long errors(float *, int), deep(long);
void start(long);
int main(void) {
    float v = 3.5;
    printf("%ld %ld %ld\n", errors(&v, 3), errors(&v, 10), deep(1000000));
    if (!setjmp(out)) start(1000000);
    printf("%ld\n", sum);
    return 0;
}
"#;

#[test]
fn of_swift_and_ghc_meet_llvm() -> Result<(), Failure> {
    let folder = work_folder("conventions");
    let main = folder.join("main.c");
    std::fs::write(&main, MAIN)?;
    for file in ["callees", "callers"] {
        let input = root().join(format!("tests/data/conventions/{file}.ll"));
        let object = |by: &str| folder.join(format!("{file}-{by}.o"));
        let options = ["compile", "--verify", "--pic"];
        succeed(limited(20, gusset()?).args(options).arg(&input).arg("-o").arg(object("gusset")))?;
        let options = ["-filetype=obj", "-O2", "-relocation-model=pic"];
        succeed(limited(20, llc()).args(options).arg(&input).arg("-o").arg(object("llc")))?;
    }
    let output = |callees: &str, callers: &str| {
        let program = folder.join(format!("{callees}-{callers}"));
        let object = |file: &str, by: &str| folder.join(format!("{file}-{by}.o"));
        let (callees, callers) = (object("callees", callees), object("callers", callers));
        succeed(limited(20, cc()).args([&main, &callees, &callers]).arg("-o").arg(&program))?;
        let outcome = run(&mut limited(10, &program))?;
        Ok::<_, Failure>((outcome.code, outcome.text()))
    };
    let expected = output("llc", "llc")?;
    assert_eq!(expected.0, 0);
    for (callees, callers) in [("gusset", "llc"), ("llc", "gusset"), ("gusset", "gusset")] {
        assert_eq!(output(callees, callers)?, expected, "callees by {callees}, callers by {callers}");
    }
    Ok(())
}
