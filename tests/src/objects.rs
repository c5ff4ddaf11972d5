//! Whether two ELF objects say the same, section by section, read by an independent reader.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use goblin::elf::header::EM_ARM;
use goblin::elf::reloc::{R_ARM_CALL, R_ARM_JUMP24, R_ARM_REL32, R_ARM_THM_JUMP24, R_ARM_THM_PC22 as R_ARM_THM_CALL};
use goblin::elf::{Elf, section_header as sh};
use object::{Object, ObjectSection};

use crate::tools::{Failure, gusset, limited, succeed};

/// The object that LLVM's assembler makes of a text.
///
/// # Errors
/// The assembler is not there or refuses the text.
pub fn assemble(triple: &str, text: &str) -> Result<Vec<u8>, Failure> {
    let mut child = Command::new("llvm-mc-19")
        .args(["-triple", triple, "-filetype=obj", "-o", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| Failure::new(format!("llvm-mc-19 (Debian and Ubuntu: package llvm-19): {e}")))?;
    let input = child.stdin.take();
    // Both ends at once: a pipe holds only so much.
    let (written, output) = std::thread::scope(|scope| {
        let writer = scope.spawn(move || input.map_or(Ok(()), |mut input| input.write_all(text.as_bytes())));
        let output = child.wait_with_output();
        (writer.join(), output)
    });
    let output = output?;
    match written {
        Ok(Ok(())) if output.status.success() => Ok(output.stdout),
        _ => Err(Failure::new(format!("llvm-mc-19 refuses:\n{text}"))),
    }
}

/// The object that LLVM's assembler makes of Gusset's text of a module of LLVM IR for a target; it lies beside the IR, as the text does.
///
/// # Errors
/// What Gusset or the assembler says.
pub fn by_text(triple: &str, ir: &Path) -> Result<PathBuf, Failure> {
    let (text, object) = (ir.with_extension("s"), ir.with_extension("s.o"));
    let mut compile = limited(60, gusset()?);
    succeed(compile.args(["compile", "--emit", "asm", "--target", triple]).arg(ir).arg("-o").arg(&text))?;
    let assembler = ["-triple", triple, "-filetype=obj", "-o"];
    succeed(limited(60, "llvm-mc-19").args(assembler).arg(&object).arg(&text))?;
    Ok(object)
}

/// A section as far as it matters: type, flags, size of an element, alignment, size, bytes, relocations.
#[derive(PartialEq, Eq, Debug)]
struct Section {
    header: (u32, u64, u64, u64, u64),
    bytes: Vec<u8>,
    relocations: Vec<String>,
}

/// All that linkers see of an object: the sections by name, and the symbols that other objects see.
struct Contents {
    sections: BTreeMap<String, Section>,
    symbols: Vec<String>,
    /// Functions by section: start and name.
    functions: BTreeMap<String, Vec<(u64, String)>>,
}

/// Settles what refers to its own section on 32-bit ARM: of these, LLVM's assembler leaves calls and jumps to the linker, and Gusset
/// distances in data.
fn settled(bytes: &mut [u8], offset: u64, kind: u32, symbol: u64) -> bool {
    let at = offset as usize;
    let distance = |ahead: u64| (symbol & !1).wrapping_sub(offset + ahead) as u32;
    match kind {
        R_ARM_REL32 => {
            let addend = u32::from_le_bytes(std::array::from_fn(|k| bytes[at + k]));
            // The lowest bit says that a function is in T32; what is added to its address is even.
            let value = distance(0).wrapping_add(addend).wrapping_add(symbol as u32 & 1);
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        R_ARM_CALL | R_ARM_JUMP24 => {
            let field = distance(8) >> 2;
            bytes[at..at + 3].copy_from_slice(&field.to_le_bytes()[..3]);
        }
        R_ARM_THM_CALL | R_ARM_THM_JUMP24 => {
            // Two bits of the distance are stored as their difference from the sign.
            let d = distance(4);
            let sign = d >> 24 & 1;
            let [j1, j2] = [23, 22].map(|bit| (d >> bit & 1) ^ sign ^ 1);
            let upper = 0xf000 | sign << 10 | d >> 12 & 0x3ff;
            let form = u32::from(bytes[at + 3] & 0xd0) << 8;
            let lower = form | j1 << 13 | j2 << 11 | d >> 1 & 0x7ff;
            bytes[at..at + 2].copy_from_slice(&(upper as u16).to_le_bytes());
            bytes[at + 2..at + 4].copy_from_slice(&(lower as u16).to_le_bytes());
        }
        _ => return false,
    }
    true
}

fn contents(bytes: &[u8]) -> Result<Contents, Failure> {
    let elf = Elf::parse(bytes).map_err(|e| Failure::new(e.to_string()))?;
    let text = |i: usize| elf.section_headers.get(i).and_then(|s| elf.shdr_strtab.get_at(s.sh_name)).unwrap_or("");
    let name = |i: usize| text(i).to_string();
    let mut sections = BTreeMap::new();
    for (i, s) in elf.section_headers.iter().enumerate() {
        let bookkeeping = matches!(
            s.sh_type,
            sh::SHT_NULL | sh::SHT_STRTAB | sh::SHT_SYMTAB | sh::SHT_RELA | sh::SHT_REL | sh::SHT_GROUP
        );
        // Assemblers make an empty `.text` in any case.
        if bookkeeping || (s.sh_size == 0 && text(i) == ".text") {
            continue;
        }
        let mut bytes = s.file_range().and_then(|range| bytes.get(range)).unwrap_or_default().to_vec();
        let mut relocations = Vec::new();
        for (_, list) in elf.shdr_relocs.iter().filter(|(r, _)| elf.section_headers[*r].sh_info as usize == i) {
            for r in list.iter() {
                let symbol = elf.syms.get(r.r_sym).ok_or_else(|| Failure::new("a relocation without symbol"))?;
                let own = symbol.st_shndx == i && (symbol.st_bind() == 0 || r.r_type == R_ARM_REL32);
                if own && elf.header.e_machine == EM_ARM && settled(&mut bytes, r.r_offset, r.r_type, symbol.st_value) {
                    continue;
                }
                let mut addend = match r.r_addend {
                    Some(addend) => addend,
                    // It stands in the field, which has no other meaning.
                    None => {
                        let field = bytes.get_mut(r.r_offset as usize..r.r_offset as usize + 4);
                        let field = field.ok_or_else(|| Failure::new("a relocation outside of its section"))?;
                        let value = i32::from_le_bytes(std::array::from_fn(|k| field[k]));
                        field.fill(0);
                        value.into()
                    }
                };
                // A local symbol and its section with an offset mean the same.
                let target = if symbol.st_bind() == 0 && symbol.st_shndx != 0 {
                    addend += symbol.st_value as i64;
                    text(symbol.st_shndx)
                } else {
                    elf.strtab.get_at(symbol.st_name).unwrap_or("")
                };
                relocations.push(format!("{:#x}: type {} {target}{addend:+}", r.r_offset, r.r_type));
            }
        }
        relocations.sort();
        let header = (s.sh_type, s.sh_flags, s.sh_entsize, s.sh_addralign, s.sh_size);
        // Sections of one name go by their order.
        let earlier = (1..).map(|k| format!("{}#{k}", text(i))).find(|n| !sections.contains_key(n));
        let key = if sections.contains_key(text(i)) { earlier.unwrap_or_default() } else { name(i) };
        sections.insert(key, Section { header, bytes, relocations });
    }
    let mut symbols = Vec::new();
    let mut functions: BTreeMap<String, Vec<(u64, String)>> = BTreeMap::new();
    for s in elf.syms.iter() {
        let symbol = elf.strtab.get_at(s.st_name).unwrap_or("");
        let home = if s.st_shndx == 0 || s.st_shndx >= 0xff00 { s.st_shndx.to_string() } else { name(s.st_shndx) };
        if s.is_function() {
            functions.entry(home.clone()).or_default().push((s.st_value, symbol.to_string()));
        }
        if s.st_bind() != 0 {
            let facts = (s.st_info, s.st_other, s.st_value, s.st_size);
            symbols.push(format!("{symbol} in {home}: info, other, value, size {facts:?}"));
        }
    }
    symbols.sort();
    Ok(Contents { sections, symbols, functions })
}

/// What is different between two objects, a line for each difference, the first ones only.
pub fn differences(a: &[u8], b: &[u8]) -> Result<Vec<String>, Failure> {
    const MOST: usize = 20;
    let (a, b) = (contents(a)?, contents(b)?);
    let mut found = Vec::new();
    for (name, x) in &a.sections {
        let Some(y) = b.sections.get(name) else {
            found.push(format!("{name}: only in the first"));
            continue;
        };
        if x.header != y.header {
            let (x, y) = (x.header, y.header);
            found.push(format!("{name}: type, flags, element size, alignment, size: {x:?} against {y:?}"));
        }
        if let Some(at) = x.bytes.iter().zip(&y.bytes).position(|(x, y)| x != y) {
            let function = a
                .functions
                .get(name)
                .and_then(|list| list.iter().filter(|(start, _)| *start <= at as u64).max_by_key(|(start, _)| *start));
            let place = function.map_or(String::new(), |(start, f)| format!(" ({f}+{:#x})", at as u64 - start));
            let show = |bytes: &[u8]| format!("{:02x?}", &bytes[at.saturating_sub(8)..bytes.len().min(at + 12)]);
            found.push(format!(
                "{name}: bytes differ at {at:#x}{place}; from 8 bytes before: {} against {}",
                show(&x.bytes),
                show(&y.bytes)
            ));
        }
        found.extend(unequal(&x.relocations, &y.relocations).into_iter().map(|line| format!("{name}: {line}")));
    }
    found
        .extend(b.sections.keys().filter(|n| !a.sections.contains_key(*n)).map(|n| format!("{n}: only in the second")));
    found.extend(unequal(&a.symbols, &b.symbols));
    found.truncate(MOST);
    Ok(found)
}

/// The sections of an object that have nothing to do with debug information or with names.
///
/// # Errors
/// The file is no object.
pub fn code_sections(file: &Path) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let bytes = std::fs::read(file)?;
    let parsed = object::File::parse(&*bytes).map_err(|e| Failure::new(format!("{}: {e}", file.display())))?;
    let mut all = Vec::new();
    for section in parsed.sections() {
        let name = section.name().unwrap_or_default();
        // Relocations and groups name symbols and sections by numbers, and there are more of them.
        let other = [".debug", ".rel", ".group", ".symtab", ".strtab", ".shstrtab"];
        if !other.iter().any(|other| name.starts_with(other)) {
            all.push((name.to_string(), section.data().unwrap_or_default().to_vec()));
        }
    }
    Ok(all)
}

/// Lines that only one of two sorted lists has.
pub fn unequal(a: &[String], b: &[String]) -> Vec<String> {
    let only = |a: &[String], b: &[String], which: &str| -> Vec<String> {
        a.iter().filter(|x| b.binary_search(x).is_err()).map(|x| format!("{x}: only in the {which}")).collect()
    };
    let mut found = only(a, b, "first");
    found.extend(only(b, a, "second"));
    if found.is_empty() && a.len() != b.len() {
        found.push(format!("{} entries against {}", a.len(), b.len()));
    }
    found
}
