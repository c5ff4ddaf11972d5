//! ELF objects: read back by an independent reader, linked by the system's linker, run.

use std::path::PathBuf;
use std::process::Command;

use goblin::elf::{Elf, section_header as sh, sym};
use gusset_codegen::ir::{Linkage, SymbolKind};
use gusset_codegen::object::{ObjectError, ObjectOptions, ObjectWriter};
use gusset_targets::x86::object::X86_64;

mod support;
use support::{Fixture, everything};

/// A program that exits with 0 if the code and data of `everything` are right.
const DRIVER: &str = r#"
#include <string.h>
int call_local(int), tail_local(int), call_weak(void), call_exported(void), call_hidden(void), call_apart(void);
unsigned long call_strlen(const char *); void *copy(void *, const void *, unsigned long); void *get_absent(void);
const char *get_hello(void); double constants(void), more_constants(void); int pick(unsigned); int shared(void);
extern int counter; extern struct { const char *a, *b; int (*twice)(int); char *block; void *strlen; } table;
extern int distance[3]; extern unsigned char bytes[40], alias[37], alias_of_alias[36]; extern int mine, in_group;
extern long common[3]; int get_tls(void), get_tls_ie(void), get_tls_gd(void), chosen(int), call_chosen(int); extern __thread int tls;
#define CHECK(x) do { if (!(x)) return __LINE__; } while (0)
int main(void) {
    CHECK(call_local(4) == 8); CHECK(tail_local(5) == 10); CHECK(call_weak() == 1); CHECK(call_exported() == 77);
    CHECK(call_hidden() == 78); CHECK(call_apart() == 79); CHECK(shared() == 80); CHECK(in_group == 9);
    CHECK(call_strlen("four") == 4);
    char to[4] = "abc"; CHECK(copy(to, "xyz", 3) == to && !strcmp(to, "xyz"));
    CHECK(get_absent() == 0); CHECK(!strcmp(get_hello(), "ello")); CHECK(constants() == 1.5);
    CHECK(more_constants() == 0.5);
    for (unsigned i = 0; i < 4; i++) CHECK(pick(i) == 10 + (int)i);
    CHECK(counter == 10); CHECK(!strcmp(table.a, "hello")); CHECK(!strcmp(table.b, "o")); CHECK(table.twice(8) == 16);
    CHECK(*(unsigned char *)table.block == 0xc3); CHECK(table.strlen == (void *)strlen); CHECK(distance[1] == -4);
    CHECK(bytes[3] == '"' && alias == bytes + 3 && alias_of_alias == bytes + 4); CHECK(mine == 0);
    CHECK((unsigned long)common % 8 == 0 && common[2] == 0);
    CHECK(get_tls() == 3); tls = 12; CHECK(get_tls() == 12 && get_tls_ie() == 12 && get_tls_gd() == 12);
    CHECK(chosen(3) == 6 && call_chosen(4) == 8);
    return 0;
}
"#;

fn write(f: &Fixture) -> Result<Vec<u8>, ObjectError> {
    let mut w = ObjectWriter::new(&X86_64, &f.module, ObjectOptions { pic: true, ..ObjectOptions::default() });
    for function in &f.functions {
        w.function(function)?;
    }
    w.finish()
}

fn scratch(name: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{text}", output.status);
}

#[test]
fn links_and_runs() {
    let dir = scratch("links_and_runs");
    std::fs::write(dir.join("everything.o"), write(&everything()).unwrap()).unwrap();
    // The second object holds the shared function only: the linker keeps one of the two.
    let mut other = everything();
    let shared = other.module.symbols.iter().position(|s| s.name == "shared").unwrap();
    other.functions.retain(|f| f.symbol.index() == shared);
    for (i, symbol) in other.module.symbols.iter_mut().enumerate() {
        if i != shared && symbol.linkage != Linkage::ImportWeak {
            symbol.linkage = Linkage::Import;
            symbol.comdat = None;
        }
    }
    (other.module.data, other.module.aliases) = (Vec::new(), Vec::new());
    (other.module.ctors, other.module.dtors) = (Vec::new(), Vec::new());
    std::fs::write(dir.join("other.o"), write(&other).unwrap()).unwrap();
    std::fs::write(dir.join("driver.c"), DRIVER).unwrap();
    for (linker, pie) in [("bfd", "-pie"), ("bfd", "-no-pie"), ("lld-19", "-pie"), ("lld-19", "-no-pie")] {
        let exe = dir.join(format!("program{linker}{pie}"));
        let fuse = if linker == "bfd" { "-fuse-ld=bfd".to_string() } else { "-fuse-ld=lld".to_string() };
        let cc = if linker == "bfd" { "cc" } else { "clang-19" };
        let code = if pie == "-pie" { "-fPIE" } else { "-fno-pie" };
        let files = ["driver.c", "everything.o", "other.o"].map(|f| dir.join(f));
        // A linker that sees something odd in the object says so in a warning.
        run(Command::new(cc).args([&fuse, pie, code, "-Wl,--fatal-warnings", "-o"]).arg(&exe).args(files));
        let status = Command::new(&exe).status().unwrap();
        assert!(status.success(), "{linker} {pie}: the check in line {status} of the driver (modulo 256) failed");
    }
}

#[test]
fn sections_and_symbols() {
    let bytes = write(&everything()).unwrap();
    assert_eq!(bytes, write(&everything()).unwrap());
    let elf = Elf::parse(&bytes).unwrap();
    let section = |name: &str| {
        let find = |s: &&sh::SectionHeader| elf.shdr_strtab.get_at(s.sh_name) == Some(name);
        elf.section_headers.iter().find(find).unwrap_or_else(|| panic!("no section {name}"))
    };
    let flags = |name: &str| (section(name).sh_type, section(name).sh_flags as u32, section(name).sh_entsize);
    let (a, w, x, m, s) = (sh::SHF_ALLOC, sh::SHF_WRITE, sh::SHF_EXECINSTR, sh::SHF_MERGE, sh::SHF_STRINGS);
    let (tls, group) = (sh::SHF_TLS, sh::SHF_GROUP);
    assert_eq!(flags(".text"), (sh::SHT_PROGBITS, a | x, 0));
    assert_eq!(flags("apart_text"), (sh::SHT_PROGBITS, a | x, 0));
    assert_eq!(flags(".text.shared"), (sh::SHT_PROGBITS, a | x | group, 0));
    assert_eq!(flags(".rodata.shared"), (sh::SHT_PROGBITS, a | group, 0));
    assert_eq!(flags(".data.in_group"), (sh::SHT_PROGBITS, a | w | group, 0));
    assert_eq!(flags(".rodata.cst4"), (sh::SHT_PROGBITS, a | m, 4));
    assert_eq!(flags(".rodata.cst8"), (sh::SHT_PROGBITS, a | m, 8));
    assert_eq!(section(".rodata.cst8").sh_size, 8, "the same constant of two functions is one");
    assert_eq!(flags(".rodata.str1.1"), (sh::SHT_PROGBITS, a | m | s, 1));
    assert_eq!(flags(".data.rel.ro"), (sh::SHT_PROGBITS, a | w, 0));
    assert_eq!(flags(".bss"), (sh::SHT_NOBITS, a | w, 0));
    assert_eq!(flags(".tdata"), (sh::SHT_PROGBITS, a | w | tls, 0));
    assert_eq!(flags(".tbss"), (sh::SHT_NOBITS, a | w | tls, 0));
    assert_eq!(flags(".init_array"), (sh::SHT_INIT_ARRAY, a | w, 0));
    assert_eq!(flags(".init_array.200"), (sh::SHT_INIT_ARRAY, a | w, 0));
    assert_eq!(flags(".data.kept").1, a | w | 1 << 21, "SHF_GNU_RETAIN");
    assert_eq!(flags(".note.GNU-stack"), (sh::SHT_PROGBITS, 0, 0), "no executable stack");
    assert_eq!(section(".bss").sh_addralign, 32);
    assert_eq!(elf.section_headers.iter().filter(|s| s.sh_type == sh::SHT_GROUP).count(), 2);

    let symbol = |name: &str| {
        let find = |s: &sym::Sym| elf.strtab.get_at(s.st_name) == Some(name);
        elf.syms.iter().find(find).unwrap_or_else(|| panic!("no symbol {name}"))
    };
    let kind = |name: &str| (symbol(name).st_bind(), symbol(name).st_type(), symbol(name).st_visibility());
    assert_eq!(kind("everything.c"), (sym::STB_LOCAL, sym::STT_FILE, 0));
    assert_eq!(kind("twice"), (sym::STB_LOCAL, sym::STT_FUNC, 0));
    assert_eq!(kind("replaceable"), (sym::STB_WEAK, sym::STT_FUNC, 0));
    assert_eq!(kind("hidden"), (sym::STB_GLOBAL, sym::STT_FUNC, sym::STV_HIDDEN));
    assert_eq!(kind("memcpy"), (sym::STB_GLOBAL, sym::STT_NOTYPE, 0));
    assert_eq!(kind("absent"), (sym::STB_WEAK, sym::STT_NOTYPE, 0));
    assert_eq!(kind("tls"), (sym::STB_GLOBAL, sym::STT_TLS, 0));
    assert_eq!(kind("alias_of_alias"), (sym::STB_WEAK, sym::STT_OBJECT, 0));
    assert_eq!(kind("chosen"), (sym::STB_GLOBAL, sym::STT_GNU_IFUNC, 0));
    assert_eq!(symbol("alias").st_size, 37);
    assert_eq!(symbol("common").st_shndx as u32, sh::SHN_COMMON);
    assert_eq!((symbol("common").st_value, symbol("common").st_size), (8, 24));
    assert!(elf.syms.iter().all(|s| elf.strtab.get_at(s.st_name) != Some("numbers")), "private and unused");

    // What is local and in the same section needs no relocation; the rest does.
    let text = elf.section_headers.iter().position(|s| elf.shdr_strtab.get_at(s.sh_name) == Some(".text")).unwrap();
    let names: Vec<&str> = elf
        .shdr_relocs
        .iter()
        .filter(|(i, _)| elf.section_headers[*i].sh_info as usize == text)
        .flat_map(|(_, list)| list.iter())
        .map(|r| elf.strtab.get_at(elf.syms.get(r.r_sym).unwrap().st_name).unwrap())
        .collect();
    for absent in ["twice", "bump"] {
        assert!(!names.contains(&absent), "{absent} is in {names:?}");
    }
    for present in ["replaceable", "exported", "hidden", "strlen", "memcpy", "chosen", ".Lhello"] {
        assert!(names.contains(&present), "{present} is not in {names:?}");
    }
}

#[test]
fn errors_name_the_symbol() {
    let mut f = everything();
    f.functions.pop();
    assert!(write(&f).unwrap_err().to_string().contains("`call_chosen`"));
    let mut f = everything();
    let twin = f.functions[0].clone();
    f.functions.push(twin);
    assert!(write(&f).unwrap_err().to_string().contains("`twice` is defined twice"));
    let mut f = everything();
    f.module.aliases[0].target = f.module.aliases[1].symbol;
    assert!(write(&f).unwrap_err().to_string().contains("stands for itself"));
    let mut f = everything();
    let nul = f.symbol("a\0b", SymbolKind::Data, Linkage::Export);
    f.data(nul, &[1], 1, 1);
    assert!(matches!(write(&f), Err(ObjectError::Name { .. })));
    let mut f = everything();
    let far = f.symbol("far", SymbolKind::Data, Linkage::Export);
    f.module.symbols[far.index()].section = Some("mine_data".into());
    f.data(far, &[1], 1, 1 << 40);
    assert_eq!(write(&f).map(|_| ()), Err(ObjectError::TooLarge));
    let mut f = everything();
    let huge = f.symbol("huge", SymbolKind::Data, Linkage::Export);
    f.data(huge, &[], u64::MAX - 4, 1 << 63);
    assert_eq!(write(&f), Err(ObjectError::TooLarge));
    let mut f = everything();
    f.module.module_asm = "nop".into();
    assert_eq!(write(&f), Err(ObjectError::ModuleAssembly));
}
