//! Places where XRay writes calls: llc says where and how, tables are its tables, and programs run while they are written over.

use std::path::Path;

use gusset_tests::build::Mode;
use gusset_tests::tools::{Failure, gusset, limited, run, succeed, work_folder};
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionFlags};

use crate::forms::by_both;

const MODULE: &str = r#"
declare void @g()
define i32 @two_returns(i32 %a) nounwind "function-instrument"="xray-always" {
  call void @g()
  %c = icmp eq i32 %a, 0
  br i1 %c, label %x, label %y
x:
  ret i32 0
y:
  ret i32 1
}
define void @big(ptr %p) "xray-instruction-threshold"="3" {
  store volatile i32 0, ptr %p
  store volatile i32 1, ptr %p
  store volatile i32 2, ptr %p
  store volatile i32 3, ptr %p
  ret void
}
define void @small(ptr %p) "xray-instruction-threshold"="9" {
  store volatile i32 0, ptr %p
  ret void
}
define void @loops(ptr %p) "xray-instruction-threshold"="99" {
  br label %l
l:
  %n = load volatile i32, ptr %p
  %c = icmp eq i32 %n, 0
  br i1 %c, label %l, label %e
e:
  ret void
}
define void @loops_do_not_count(ptr %p) "xray-instruction-threshold"="99" "xray-ignore-loops" {
  br label %l
l:
  %n = load volatile i32, ptr %p
  %c = icmp eq i32 %n, 0
  br i1 %c, label %l, label %e
e:
  ret void
}
define void @never(ptr %p) "xray-instruction-threshold"="1" "function-instrument"="xray-never" {
  ret void
}
define void @leaves() "function-instrument"="xray-always" "xray-skip-entry" {
  call void @g()
  ret void
}
define void @enters() "function-instrument"="xray-always" "xray-skip-exit" {
  call void @g()
  ret void
}
$grouped = comdat any
define void @grouped(ptr %f) "function-instrument"="xray-always" "xray-log-args"="1" comdat {
  tail call void @g()
  ret void
}
define void @own() "function-instrument"="xray-always" section "mine" {
  ret void
}
"#;

const EVENTS: &str = r#"
define void @tells(ptr %p, i64 %n) "function-instrument"="xray-always" {
  call void @llvm.xray.customevent(ptr %p, i64 %n)
  call void @g()
  call void @llvm.xray.typedevent(i64 9, ptr %p, i64 %n)
  ret void
}
declare void @llvm.xray.customevent(ptr, i64)
declare void @llvm.xray.typedevent(i64, ptr, i64)
"#;

/// Each sled: its function and section, the bytes that the table has for it, its first instruction; and how many there are.
fn sleds(path: &Path, is_x86: bool) -> Result<String, Failure> {
    let bytes = std::fs::read(path)?;
    let file = object::File::parse(&bytes[..]).map_err(|e| Failure::new(e.to_string()))?;
    let word = if file.is_64() { 8 } else { 4 };
    let mut lines = Vec::new();
    for section in file.sections().filter(|section| section.name().is_ok_and(|name| name.starts_with("xray_"))) {
        let data = section.data().map_err(|e| Failure::new(e.to_string()))?;
        let SectionFlags::Elf { sh_flags } = section.flags() else { continue };
        let place = |at: u64| {
            let (_, reloc) = section.relocations().find(|(offset, _)| *offset == at)?;
            let own = data[at as usize..][..word].iter().rev().fold(0, |all, b| all << 8 | i64::from(*b));
            // The machines whose relocations have no addends have small ones in the fields.
            let addend = reloc.addend() + if reloc.has_implicit_addend() { own } else { 0 };
            let RelocationTarget::Symbol(symbol) = reloc.target() else { return None };
            let symbol = file.symbol_by_index(symbol).ok()?;
            let code = file.section_by_index(symbol.section_index()?).ok()?;
            Some((code, symbol.address().wrapping_add_signed(addend)))
        };
        let name = section.name().unwrap_or_default();
        if name == "xray_fn_idx" {
            let (map, _) = place(0).ok_or_else(|| Failure::new("no list"))?;
            let (map, count) = (map.name().unwrap_or_default().to_string(), data[word]);
            lines.push(format!("{name} flags {sh_flags:#x} align {} {map} {count}", section.align()));
            continue;
        }
        for at in (0..data.len()).step_by(4 * word) {
            let (Some((code, sled)), Some((_, start))) = (place(at as u64), place((at + word) as u64)) else {
                return Err(Failure::new("a sled without a place"));
            };
            let function = file.symbols().find(|symbol| {
                symbol.section_index() == Some(code.index()) && symbol.address() == start && symbol.is_definition()
            });
            let function = function.and_then(|symbol| symbol.name().ok().map(str::to_string)).unwrap_or_default();
            let text = code.data().map_err(|e| Failure::new(e.to_string()))?;
            let first = &text[sled as usize..][..if is_x86 && data[at + 2 * word] == 1 {
                1
            } else if is_x86 {
                2
            } else {
                4
            }];
            let code = code.name().unwrap_or_default();
            let aligned = sled % if is_x86 { 2 } else { 4 };
            let bytes = &data[at + 2 * word..at + 4 * word];
            lines.push(format!("{name} flags {sh_flags:#x} {function} of {code}: {bytes:?} {first:02x?} {aligned}"));
        }
    }
    Ok(lines.join("\n"))
}

#[test]
fn sleds_are_llcs() -> Result<(), Failure> {
    let folder = work_folder("xray");
    for triple in ["x86_64-linux-gnu", "aarch64-linux-gnu", "armv7-linux-gnueabihf"] {
        let module = if triple.starts_with("arm") { MODULE.to_string() } else { MODULE.to_string() + EVENTS };
        let [by_llc, object] = by_both(&folder, triple, triple, &module)?;
        let is_x86 = triple.starts_with("x86");
        let (expected, got) = (sleds(&by_llc, is_x86)?, sleds(&object, is_x86)?);
        assert!(expected.lines().count() > 18, "{triple}: {expected}");
        assert_eq!(got, expected, "{triple}");
    }
    Ok(())
}

/// Writes over the sleds of events, so that they are told, and jumps over those of functions.
const TOOL: &str = r#"
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
struct sled { intptr_t at, function; unsigned char kind, always, version, rest[13]; };
struct index { intptr_t sleds; uintptr_t count; };
extern struct index __start_xray_fn_idx[] __attribute__((weak, visibility("hidden")));
extern struct index __stop_xray_fn_idx[] __attribute__((weak, visibility("hidden")));
int kinds[6], told;
static unsigned char copy[2];
void custom_event(const char *p, uintptr_t n) { told += p[0] + n; }
void typed_event(uintptr_t type, const char *p, uintptr_t n) { told += 100 * type + p[0] + n; }
void enable(void) {
  for (struct index *i = __start_xray_fn_idx; i < __stop_xray_fn_idx; i++)
    for (uintptr_t k = 0; k < i->count; k++) {
      struct sled *s = (struct sled *)((intptr_t)&i->sleds + i->sleds) + k;
      char *at = (char *)((intptr_t)&s->at + s->at);
      kinds[s->kind]++;
      if (s->kind < 4)
        continue;
      mprotect((void *)((uintptr_t)at & -65536), 131072, PROT_READ | PROT_WRITE | PROT_EXEC);
#ifdef __x86_64__
      memcpy(at, "\x66\x90", 2);
#else
      memcpy(at, "\x1f\x20\x03\xd5", 4);
#endif
      __builtin___clear_cache(at, at + 4);
    }
}
void work(const char *, uintptr_t);
int main(void) {
  work("A", 3);
  if (told != 0)
    return 1;
  enable();
  work("A", 3);
  if (told != 65 + 3 + 700 + 65 + 3)
    return 2;
  return kinds[0] == 2 && kinds[1] + kinds[2] == 3 && kinds[4] == 1 && kinds[5] == 1 ? 0 : 3;
}
"#;

const WORK: &str = r#"
define i64 @choose(i64 %n) "function-instrument"="xray-always" noinline {
  %c = icmp eq i64 %n, 3
  br i1 %c, label %a, label %b
a:
  ret i64 %n
b:
  ret i64 0
}
define void @work(ptr %p, i64 %n) "function-instrument"="xray-always" {
  %m = call i64 @choose(i64 %n)
  call void @llvm.xray.customevent(ptr %p, i64 %m)
  call void @llvm.xray.typedevent(i64 7, ptr %p, i64 %n)
  ret void
}
define void @__xray_CustomEvent(ptr %p, i64 %n) {
  call void @custom_event(ptr %p, i64 %n)
  ret void
}
define void @__xray_TypedEvent(i64 %t, ptr %p, i64 %n) {
  call void @typed_event(i64 %t, ptr %p, i64 %n)
  ret void
}
declare void @custom_event(ptr, i64)
declare void @typed_event(i64, ptr, i64)
declare void @llvm.xray.customevent(ptr, i64)
declare void @llvm.xray.typedevent(i64, ptr, i64)
"#;

#[test]
fn events_are_told_once_enabled() -> Result<(), Failure> {
    let folder = work_folder("xray");
    for mode in [Mode::Bits64, Mode::Aarch64] {
        let path = |end: &str| folder.join(format!("tool{mode:?}.{end}"));
        let (ir, object, tool, program) = (path("ll"), path("o"), path("c"), path("exe"));
        std::fs::write(&ir, WORK)?;
        std::fs::write(&tool, TOOL)?;
        let mut compile = limited(20, gusset()?);
        succeed(compile.args(["compile", "--target", mode.triple()]).arg(&ir).arg("-o").arg(&object))?;
        mode.link(&[object, tool], &["-no-pie"], &program)?;
        succeed(&mut mode.runner(20, &program))?;
    }
    Ok(())
}

/// Machines without sleds say so, in all forms.
#[test]
fn elsewhere_it_is_refused() -> Result<(), Failure> {
    let folder = work_folder("xray");
    let (ir, bitcode, mlir) = (folder.join("refused.ll"), folder.join("refused.bc"), folder.join("refused.mlir"));
    std::fs::write(&ir, "define void @f() \"function-instrument\"=\"xray-always\" {\n  ret void\n}\n")?;
    succeed(limited(20, "llvm-as-19").arg(&ir).arg("-o").arg(&bitcode))?;
    let attribute = "passthrough = [[\"function-instrument\", \"xray-always\"]]";
    std::fs::write(&mlir, format!("llvm.func @f() attributes {{{attribute}}} {{\n  llvm.return\n}}\n"))?;
    for triple in ["i686-linux-gnu", "x86_64-windows-msvc", "aarch64-windows-msvc", "thumbv7-linux-gnueabihf"] {
        for input in [&ir, &bitcode, &mlir] {
            let mut compile = limited(20, gusset()?);
            let outcome =
                run(compile.args(["compile", "--target", triple]).arg(input).arg("-o").arg(folder.join("o")))?;
            let named = outcome.errors().contains("`function-instrument`") && outcome.errors().contains("@f");
            assert!(outcome.code == 1 && named, "{triple} {}: {}", input.display(), outcome.errors());
        }
    }
    Ok(())
}
