//! Conventions of other languages: Swift's with its errors, GHC's; jumps where a convention promises them. Both sides by Gusset
//! and by llc, which are mixed.

use gusset_tests::tools::{Failure, cc, cc_32, gusset, limited, llc, root, run, succeed, work_folder};

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

/// 32-bit x86 has no register for errors: their parameters are the addresses that they look like.
#[test]
fn errors_of_32_bits_meet_llvm() -> Result<(), Failure> {
    const CALLEE: &str = "
define swiftcc i64 @callee(i32 %n, ptr swifterror %error, i32 %more) {
  %now = load ptr, ptr %error
  %there = icmp ne ptr %now, null
  br i1 %there, label %keep, label %set
set:
  %new = inttoptr i32 %n to ptr
  store ptr %new, ptr %error
  br label %keep
keep:
  %sum = add i32 %n, %more
  %r = zext i32 %sum to i64
  ret i64 %r
}
";
    const CALLER: &str = "
declare swiftcc i64 @callee(i32, ptr swifterror, i32)
define i64 @caller(i32 %n) {
  %error = alloca swifterror ptr
  store ptr null, ptr %error
  %a = call swiftcc i64 @callee(i32 %n, ptr swifterror %error, i32 7)
  %b = call swiftcc i64 @callee(i32 99, ptr swifterror %error, i32 1000)
  %last = load ptr, ptr %error
  %number = ptrtoint ptr %last to i64
  %c = mul i64 %number, 1000000
  %d = add i64 %a, %b
  %r = add i64 %c, %d
  ret i64 %r
}
";
    let folder = work_folder("conventions");
    let [main, program] = ["main32.c", "errors32"].map(|name| folder.join(name));
    std::fs::write(
        &main,
        "#include <stdio.h>\nlong long caller(int);\nint main(void) { printf(\"%lld\\n\", caller(5)); }\n",
    )?;
    for (name, text) in [("callee", CALLEE), ("caller", CALLER)] {
        let input = folder.join(format!("{name}32.ll"));
        std::fs::write(&input, format!("target triple = \"i686-linux-gnu\"\n{text}"))?;
        let object = |by: &str| folder.join(format!("{name}32-{by}.o"));
        let options = ["compile", "--verify", "--pic"];
        succeed(limited(20, gusset()?).args(options).arg(&input).arg("-o").arg(object("gusset")))?;
        let options = ["-filetype=obj", "-O2", "-relocation-model=pic"];
        succeed(limited(20, llc()).args(options).arg(&input).arg("-o").arg(object("llc")))?;
    }
    for (callee, caller) in [("gusset", "llc"), ("llc", "gusset"), ("gusset", "gusset")] {
        let objects =
            [("callee", callee), ("caller", caller)].map(|(name, by)| folder.join(format!("{name}32-{by}.o")));
        succeed(limited(20, cc_32()).arg(&main).args(&objects).arg("-o").arg(&program))?;
        let outcome = run(&mut limited(10, &program))?;
        assert_eq!(outcome.text(), "5001111\n", "callee by {callee}, caller by {caller}");
    }
    Ok(())
}
