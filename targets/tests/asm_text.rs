//! Assembly text: what the assembler makes of it is what the object holds.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use goblin::elf::{Elf, section_header as sh};
use gusset_codegen::asm::AsmWriter;
use gusset_codegen::object::{ObjectOptions, ObjectWriter};
use gusset_targets::x86::asm::AttPrinter;
use gusset_targets::x86::object::X86_64;

mod support;
use support::{Fixture, everything};

const OPTIONS: ObjectOptions = ObjectOptions { pic: true };

fn object(f: &Fixture) -> Vec<u8> {
    let mut w = ObjectWriter::new(&X86_64, &f.module, OPTIONS);
    f.functions.iter().for_each(|function| w.function(function).unwrap());
    w.finish().unwrap()
}

fn text(f: &Fixture) -> String {
    let mut w = AsmWriter::new(&X86_64, &f.module, OPTIONS, Box::new(AttPrinter::new()));
    f.functions.iter().for_each(|function| w.function(function).unwrap());
    w.finish().unwrap()
}

fn assemble(text: &str) -> Vec<u8> {
    let mut child = Command::new("llvm-mc-19")
        .args(["-triple", "x86_64-unknown-linux-gnu", "-filetype=obj", "-o", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("this test needs the program llvm-mc-19 (Debian and Ubuntu: package llvm-19)");
    let mut input = child.stdin.take().unwrap();
    let owned = text.to_string();
    let writer = std::thread::spawn(move || input.write_all(owned.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "llvm-mc-19 refuses:\n{text}");
    output.stdout
}

type Sections = BTreeMap<String, (u64, u64, u64, u64, Vec<u8>, Vec<String>)>;
type Symbols = Vec<(String, u8, u8, u64, u64, String)>;

/// All that matters of an object: sections by name with their bytes and relocations, and the symbols that others see.
fn contents(bytes: &[u8]) -> (Sections, Symbols) {
    let elf = Elf::parse(bytes).unwrap();
    let name = |i: usize| elf.shdr_strtab.get_at(elf.section_headers[i].sh_name).unwrap().to_string();
    let mut sections = Sections::new();
    for (i, s) in elf.section_headers.iter().enumerate() {
        let empty_default = s.sh_size == 0 && name(i) == ".text";
        if matches!(s.sh_type, sh::SHT_NULL | sh::SHT_STRTAB | sh::SHT_SYMTAB | sh::SHT_RELA | sh::SHT_GROUP)
            || empty_default
        {
            continue;
        }
        let range = s.file_range().unwrap_or(0..0);
        let mut relocs: Vec<String> = Vec::new();
        for (r, list) in elf.shdr_relocs.iter().filter(|(r, _)| elf.section_headers[*r].sh_info as usize == i) {
            assert!(name(*r).starts_with(".rela"));
            for r in list.iter() {
                let symbol = elf.syms.get(r.r_sym).unwrap();
                let mut addend = r.r_addend.unwrap();
                let local = symbol.st_bind() == 0 && symbol.st_shndx != 0;
                let target = if local {
                    addend += symbol.st_value as i64;
                    name(symbol.st_shndx)
                } else {
                    elf.strtab.get_at(symbol.st_name).unwrap().to_string()
                };
                relocs.push(format!("{:#x}: {} {target}{addend:+}", r.r_offset, r.r_type));
            }
        }
        relocs.sort();
        let entry = (s.sh_type as u64, s.sh_flags, s.sh_entsize, s.sh_addralign, bytes[range].to_vec(), relocs);
        assert!(sections.insert(name(i), entry).is_none(), "two sections {}", name(i));
    }
    let mut symbols = Symbols::new();
    for s in elf.syms.iter().filter(|s| s.st_bind() != 0) {
        let home = if s.st_shndx == 0 || s.st_shndx >= 0xff00 { s.st_shndx.to_string() } else { name(s.st_shndx) };
        let name = elf.strtab.get_at(s.st_name).unwrap().to_string();
        symbols.push((name, s.st_info, s.st_other, s.st_value, s.st_size, home));
    }
    symbols.sort();
    (sections, symbols)
}

fn check(f: &Fixture) {
    let text = text(f);
    let (ours, theirs) = (contents(&object(f)), contents(&assemble(&text)));
    for (name, section) in &ours.0 {
        let other =
            theirs.0.get(name).unwrap_or_else(|| panic!("no section {name} in the assembler's object:\n{text}"));
        let meta = |s: &(u64, u64, u64, u64, Vec<u8>, Vec<String>)| (s.0, s.1, s.2, s.3, s.4.len());
        assert_eq!(meta(section), meta(other), "{name}:\n{text}");
        let differ = section.4.iter().zip(&other.4).position(|(a, b)| a != b);
        assert_eq!(differ, None, "first different byte of {name}: {:02x?} {:02x?}\n{text}", section.4, other.4);
        assert_eq!(section.5, other.5, "relocations of {name}");
    }
    assert_eq!(ours.0.len(), theirs.0.len());
    assert_eq!(ours.1, theirs.1);
}

#[test]
fn assembles_to_the_object() {
    check(&everything());
}
