//! Sections of functions, variables and constructors by the options about them, against llc: objects, and objects of the text.

use gusset_tests::objects::{assemble, differences};
use gusset_tests::tools::{Failure, gusset, limited, llc, run, succeed, work_folder};

const MODULE: &str = r#"
target triple = "x86_64-unknown-linux-gnu"
@a = global i32 5
@b = global [1000 x i8] zeroinitializer
@c = constant [10 x i32] [i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10]
@asked = global i32 7, section "mine"
@thread = thread_local global i32 3
@kept = global i32 6
@llvm.used = appending global [1 x ptr] [ptr @kept], section "llvm.metadata"
$k = comdat any
@k = linkonce_odr constant i32 6, comdat
@llvm.global_ctors = appending global [4 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 65535, ptr @f, ptr null }, { i32, ptr, ptr } { i32 101, ptr @g, ptr null },
  { i32, ptr, ptr } { i32 65535, ptr @g, ptr @k }, { i32, ptr, ptr } { i32 65535, ptr @g, ptr null }]
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 7, ptr @f, ptr null }]
define void @f() { ret void }
define void @g() !section_prefix !0 { ret void }
!0 = !{!"function_section_prefix", !"hot"}
"#;

#[test]
fn options_about_sections_do_what_they_do_for_llc() -> Result<(), Failure> {
    let folder = work_folder("sections");
    let input = folder.join("input.ll");
    std::fs::write(&input, MODULE)?;
    for (number, line) in [
        "-use-ctors",
        "-use-ctors=false -function-sections",
        "-unique-section-names=false",
        "-unique-section-names=false -function-sections -data-sections",
        "-unique-section-names=false -function-sections -use-ctors -mtriple=aarch64-linux-gnu",
        "-unique-section-names=true -data-sections",
        "-code-model=medium",
        "-code-model=medium -large-data-threshold=999",
        "-code-model=medium -large-data-threshold=1000",
        "-code-model=medium -large-data-threshold 39",
        "-large-data-threshold=1",
    ]
    .into_iter()
    .enumerate()
    {
        let path = |name: &str| folder.join(format!("{number}{name}"));
        let make = |command: &mut std::process::Command, form: &str, name: &str| {
            let form = format!("-filetype={form}");
            succeed(
                command.args(line.split(' ')).args(["-relocation-model=pic", &form, "-o"]).arg(path(name)).arg(&input),
            )
        };
        make(&mut limited(20, llc()), "obj", "-llc.o")?;
        make(limited(20, gusset()?).arg("llc"), "obj", ".o")?;
        make(limited(20, gusset()?).arg("llc"), "asm", ".s")?;
        let ours = std::fs::read(path(".o"))?;
        let mut found = differences(&ours, &std::fs::read(path("-llc.o"))?)?;
        found.retain(|line| !line.starts_with(".comment:"));
        assert!(found.is_empty(), "{line}, gusset against llc:\n{}", found.join("\n"));
        let triple = if line.contains("aarch64") { "aarch64-linux-gnu" } else { "x86_64-unknown-linux-gnu" };
        let found = differences(&ours, &assemble(triple, &std::fs::read_to_string(path(".s"))?)?)?;
        assert!(found.is_empty(), "{line}, object against text:\n{}", found.join("\n"));
    }
    Ok(())
}

/// Code of `-mregparm=3`: library functions get their arguments in registers, as from llc. They are defined in C.
#[test]
fn library_functions_with_arguments_in_registers() -> Result<(), Failure> {
    let folder = work_folder("sections/regparm");
    let module = r#"
target triple = "i386-unknown-linux-gnu"
define i64 @quotient(i64 %a, i64 %b) { %q = udiv i64 %a, %b
  ret i64 %q }
define i32 @copied(ptr %to, ptr %from, i32 %n) { call void @llvm.memcpy.p0.p0.i32(ptr %to, ptr %from, i32 %n, i1 false)
  ret i32 %n }
define double @scaled(double %x, i32 %n) { %r = call double @llvm.ldexp.f64.i32(double %x, i32 %n)
  ret double %r }
define i64 @rounded(float %x) { %r = fptosi float %x to i64
  ret i64 %r }
declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)
declare double @llvm.ldexp.f64.i32(double, i32)
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"NumRegisterParameters", i32 REGISTERS}
"#;
    // `-mregparm` is not for the program's own functions here.
    let program = r#"
#define IN __attribute__((regparm(REGISTERS)))
static int calls;
IN unsigned long long my_udivdi3(unsigned long long a, unsigned long long b) __asm__("__udivdi3");
IN unsigned long long my_udivdi3(unsigned long long a, unsigned long long b) { calls++; return a - b; }
IN void *my_memcpy(void *to, const void *from, unsigned n) __asm__("memcpy");
IN void *my_memcpy(void *to, const void *from, unsigned n) { calls++; for (unsigned i = 0; i < n; i++) ((volatile char *)to)[i] = ((const char *)from)[i]; return to; }
IN double my_ldexp(double x, int n) __asm__("ldexp");
IN double my_ldexp(double x, int n) { calls++; return x + n; }
unsigned long long quotient(unsigned long long a, unsigned long long b);
int copied(char *to, const char *from, int n);
double scaled(double x, int n);
int main(void) {
  char from[] = "abcdef", to[8] = "........";
  if (quotient(0x500000007ull, 0x200000009ull) != 0x2fffffffeull) return 1;
  if (copied(to, from, 5) != 5 || to[0] != 'a' || to[4] != 'e' || to[5] != '.') return 2;
  if (scaled(1.5, 40) != 41.5) return 3;
  return calls == 3 ? 0 : 4;
}
"#;
    for registers in ["1", "2", "3"] {
        let (ir, c) = (folder.join("input.ll"), folder.join("main.c"));
        std::fs::write(&ir, module.replace("REGISTERS", registers))?;
        std::fs::write(&c, program.replace("REGISTERS", registers))?;
        for (by, words) in [(llc(), &[][..]), (gusset()?.display().to_string(), &["llc"])] {
            let object = folder.join("input.o");
            succeed(limited(20, by).args(words).args(["-filetype=obj", "-o"]).arg(&object).arg(&ir))?;
            let mut gcc = limited(60, gusset_tests::tools::cc_32());
            gcc.args(["-m32", "-fno-builtin", "-fno-pic", "-no-pie", "-O1", "-o"]).arg(folder.join("program"));
            succeed(gcc.arg(&c).arg(&object))?;
            assert_eq!(run(&mut limited(10, folder.join("program")))?.code, 0, "{registers} registers, {words:?}");
        }
    }
    Ok(())
}
