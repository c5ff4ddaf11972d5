//! Bitcode in object files: the sections that `-fembed-bitcode` and `-ffat-lto-objects` make, in ELF, COFF and Mach-O files (LLVM,
//! `IRObjectFile::findBitcodeInObject`; `.llvm.lto` is that of fat objects).

/// Names of sections with bitcode, those of fat objects first.
const SECTIONS: [&[u8]; 2] = [b".llvm.lto", b".llvmbc"];

/// The contents of the section with bitcode of an object file.
pub fn section(file: &[u8]) -> Option<&[u8]> {
    match file {
        [0x7f, b'E', b'L', b'F', ..] => elf(file),
        [0xcf | 0xce, 0xfa, 0xed, 0xfe, ..] => mach_o(file),
        _ => coff(file),
    }
}

fn half(file: &[u8], at: usize) -> Option<usize> {
    Some(u16::from_le_bytes(*file.get(at..)?.first_chunk()?).into())
}

fn word(file: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(*file.get(at..)?.first_chunk()?)).ok()
}

/// A number of 64 bits, or of 32 if the file is one of 32 bits.
fn wide(file: &[u8], at: usize, is_wide: bool) -> Option<usize> {
    match is_wide {
        true => usize::try_from(u64::from_le_bytes(*file.get(at..)?.first_chunk()?)).ok(),
        false => word(file, at),
    }
}

fn part(file: &[u8], start: usize, size: usize) -> Option<&[u8]> {
    file.get(start..)?.get(..size)
}

/// The text at a place, up to a zero.
fn text(file: &[u8], at: usize) -> Option<&[u8]> {
    file.get(at..)?.split(|&byte| byte == 0).next()
}

/// The first section with one of the names, of sections with their names.
fn first<'f>(all: impl Iterator<Item = Option<(&'f [u8], &'f [u8])>> + Clone) -> Option<&'f [u8]> {
    SECTIONS
        .iter()
        .find_map(|wanted| all.clone().flatten().find(|section| section.0 == *wanted).map(|section| section.1))
}

/// gABI, "ELF Header", "Section Header".
fn elf(file: &[u8]) -> Option<&[u8]> {
    // Big-endian files are not for machines here.
    let is_wide = file.get(4..6)? == [2, 1];
    if !is_wide && file.get(4..6)? != [1, 1] {
        return None;
    }
    let (start, size, count, names) = match is_wide {
        true => (wide(file, 0x28, true)?, half(file, 0x3a)?, half(file, 0x3c)?, half(file, 0x3e)?),
        false => (word(file, 0x20)?, half(file, 0x2e)?, half(file, 0x30)?, half(file, 0x32)?),
    };
    let head = |number: usize| start.checked_add(number.checked_mul(size)?);
    // Very many sections are counted in the first one.
    let count = if count == 0 { wide(file, head(0)? + if is_wide { 0x20 } else { 0x14 }, is_wide)? } else { count };
    let names = if names == 0xffff { word(file, head(0)? + if is_wide { 0x28 } else { 0x18 })? } else { names };
    let contents = |number: usize| {
        let at = head(number)?;
        let (offset, size) = if is_wide { (at + 0x18, at + 0x20) } else { (at + 0x10, at + 0x14) };
        part(file, wide(file, offset, is_wide)?, wide(file, size, is_wide)?)
    };
    let names = contents(names)?;
    // A table that is longer than the file has damaged entries.
    let all =
        (0..count.min(file.len())).map(|number| Some((text(names, word(file, head(number)?)?)?, contents(number)?)));
    first(all)
}

/// PE/COFF specification, "COFF File Header", "Section Table"; with more than 65,279 sections the header is `ANON_OBJECT_HEADER_BIGOBJ`.
fn coff(file: &[u8]) -> Option<&[u8]> {
    const MACHINES: [usize; 6] = [0x14c, 0x8664, 0xaa64, 0xa641, 0xa64e, 0x1c4];
    let is_big = half(file, 0)? == 0 && half(file, 2)? == 0xffff && half(file, 4)? >= 2;
    let (machine, header, count, symbols, symbol) = match is_big {
        true => (half(file, 6)?, 56, word(file, 44)?, (word(file, 48)?, word(file, 52)?), 20),
        false => (half(file, 0)?, 20 + half(file, 16)?, half(file, 2)?, (word(file, 8)?, word(file, 12)?), 18),
    };
    if !MACHINES.contains(&machine) {
        return None;
    }
    let strings = symbols.0.checked_add(symbols.1.checked_mul(symbol)?)?;
    let all = (0..count.min(file.len() / 40)).map(|number| {
        let head = part(file, header + 40 * number, 40)?;
        let short = text(&head[..8], 0)?;
        let name = match short.strip_prefix(b"/") {
            Some(digits) => text(file, strings.checked_add(std::str::from_utf8(digits).ok()?.parse().ok()?)?)?,
            None => short,
        };
        Some((name, part(file, word(head, 20)?, word(head, 16)?)?))
    });
    first(all)
}

/// Mach-O's section `__LLVM,__bitcode` (`loader.h`, `segment_command`, `section`).
fn mach_o(file: &[u8]) -> Option<&[u8]> {
    let is_wide = file[0] == 0xcf;
    let (mut at, count) = (if is_wide { 32 } else { 28 }, word(file, 16)?);
    let (segment, sections, size) = if is_wide { (0x19, 72, 80) } else { (1, 56, 68) };
    for _ in 0..count.min(file.len() / 8) {
        let (kind, length) = (word(file, at)?, word(file, at + 4)?);
        if kind == segment {
            for number in 0..word(file, at + sections - 8)?.min(file.len() / size) {
                let head = part(file, at + sections + size * number, size)?;
                if text(&head[..16], 0)? == b"__bitcode" && text(&head[16..32], 0)? == b"__LLVM" {
                    let (length, place) = if is_wide { (0x28, 0x30) } else { (0x24, 0x28) };
                    return part(file, word(head, place)?, wide(head, length, is_wide)?);
                }
            }
        }
        at = at.checked_add(length.max(8))?;
    }
    None
}
