//! Finds bitcode in objects and static libraries, and writes them again with machine code in its place.

use std::collections::HashMap;
use std::fs;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use gusset::{ArchiveMember, write_archive};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSymbol};

use super::super::input::Input;

/// A file with bitcode in it.
pub(super) struct Holder {
    /// Its name in messages.
    name: String,
    bytes: Input,
    /// Those of a static library; an object is one member.
    members: Vec<Member>,
    library: bool,
}

/// A member of a static library, or an object.
struct Member {
    name: Vec<u8>,
    /// Its date, user, group and mode.
    stamps: [u64; 4],
    contents: Contents,
    /// There is bitcode in it that is to be compiled.
    bitcode: Option<BesideCode>,
}

enum Contents {
    /// A part of the archive: its offset and its length in bytes.
    Within(usize, usize),
    /// A separate file, which a thin archive names.
    Apart(Input),
}

/// Whether there is machine code beside bitcode.
#[derive(Clone, Copy)]
struct BesideCode(bool);

/// Bitcode that is to be compiled.
#[derive(Clone)]
pub(super) struct Module<'h> {
    /// The file, and the member if there is one.
    pub name: String,
    /// A file with bitcode.
    pub bitcode: &'h [u8],
    /// There is machine code of it, too.
    pub beside_code: bool,
}

const ARCHIVE: &[u8] = b"!<arch>\n";
const THIN_ARCHIVE: &[u8] = b"!<thin>\n";
const ELF: &[u8] = b"\x7fELF";

/// Whether a file is bitcode, and no object with it.
fn starts_as_bitcode(bytes: &[u8]) -> bool {
    gusset::is_bitcode(&bytes[..bytes.len().min(4)])
}

/// Whether an object holds bitcode that is to be compiled, and machine code beside it.
fn bitcode_of(bytes: &[u8], fat: bool) -> Option<BesideCode> {
    if starts_as_bitcode(bytes) {
        return Some(BesideCode(false));
    }
    // The type of an object (gABI, "ELF Header").
    let is_object = !bytes.starts_with(ELF) || bytes.get(16) == Some(&1);
    (fat && is_object && gusset::is_bitcode(bytes)).then_some(BesideCode(true))
}

impl Holder {
    /// Looks into a file. `None`: there is nothing to compile in it, or it is for the linker to say what is wrong with it. With `fat`,
    /// objects are compiled that hold bitcode beside their machine code.
    pub fn open(path: &Path, fat: bool) -> Option<Holder> {
        let mut begin = [0; 8];
        let mut file = fs::File::open(path).ok().filter(|file| file.metadata().is_ok_and(|meta| meta.is_file()))?;
        file.read_exact(&mut begin).ok()?;
        let library = begin == ARCHIVE || begin == THIN_ARCHIVE;
        if !(library || fat || starts_as_bitcode(&begin)) {
            return None;
        }
        let bytes = Input::file(path).ok()?;
        let members = match library {
            true => members(&bytes, path, fat)?,
            false => vec![Member {
                name: Vec::new(),
                stamps: [0; 4],
                contents: Contents::Within(0, bytes.len()),
                bitcode: bitcode_of(&bytes, fat),
            }],
        };
        let any = members.iter().any(|member| member.bitcode.is_some());
        any.then(|| Holder { name: path.display().to_string(), bytes, members, library })
    }

    fn contents<'h>(&'h self, member: &'h Member) -> &'h [u8] {
        match &member.contents {
            Contents::Within(start, bytes) => &self.bytes[*start..start + bytes],
            Contents::Apart(file) => file,
        }
    }

    /// What is to be compiled, in order.
    pub fn modules(&self) -> Vec<Module<'_>> {
        let mut seen = HashMap::new();
        let mut modules = Vec::new();
        for member in &self.members {
            let count = seen.entry(&member.name).and_modify(|count| *count += 1).or_insert(1);
            let Some(BesideCode(beside_code)) = member.bitcode else { continue };
            let of_library = String::from_utf8_lossy(&member.name);
            let name = match (self.library, *count) {
                (false, _) => self.name.clone(),
                (true, 1) => format!("{}({of_library})", self.name),
                // Another member of the same name.
                (true, count) => format!("{}({of_library}, number {count})", self.name),
            };
            modules.push(Module { name, bitcode: self.contents(member), beside_code });
        }
        modules
    }

    /// The symbols in the library's own index, by where their members begin.
    fn index(&self) -> Option<HashMap<usize, Vec<&[u8]>>> {
        let archive = ArchiveFile::parse(&*self.bytes).ok().filter(|archive| !archive.is_thin())?;
        let mut index: HashMap<usize, Vec<&[u8]>> = HashMap::new();
        for symbol in archive.symbols().ok()?? {
            let symbol = symbol.ok()?;
            let (start, _) = archive.member(symbol.offset()).ok()?.file_range();
            index.entry(usize::try_from(start).ok()?).or_default().push(symbol.name());
        }
        Some(index)
    }

    /// Writes the file anew with these objects in the places of its modules. `None` is a module whose machine code stays.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, objects: &[Option<Vec<u8>>], to: &Path) -> io::Result<()> {
        let mut objects = objects.iter();
        let mut out = BufWriter::new(fs::File::create(to)?);
        let index = self.index();
        let mut members = Vec::new();
        for member in &self.members {
            let object = member.bitcode.and_then(|_| objects.next()?.as_deref());
            let contents = object.unwrap_or_else(|| self.contents(member));
            let symbols = match (&index, &member.contents) {
                // Members that stay may be of kinds that linkers alone know.
                (Some(index), Contents::Within(start, _)) if object.is_none() => {
                    index.get(start).cloned().unwrap_or_default()
                }
                _ if self.library => symbols(contents),
                _ => Vec::new(),
            };
            let [date, user, group, mode] = member.stamps;
            members.push(ArchiveMember { name: &member.name, symbols, contents, date, user, group, mode });
        }
        match (self.library, &members[..]) {
            (false, [object]) => out.write_all(object.contents)?,
            _ => write_archive(&members, &mut out)?,
        }
        out.flush()
    }
}

/// The members of a static library, if it is one.
fn members(bytes: &[u8], path: &Path, fat: bool) -> Option<Vec<Member>> {
    let archive = ArchiveFile::parse(bytes).ok()?;
    let mut members = Vec::new();
    for member in archive.members() {
        let member = member.ok()?;
        let contents = match archive.is_thin() {
            true => {
                let name = std::str::from_utf8(member.name()).ok()?;
                Contents::Apart(Input::file(&path.with_file_name("").join(name)).ok()?)
            }
            false => {
                let (start, size) = member.file_range();
                let (start, size) = (usize::try_from(start).ok()?, usize::try_from(size).ok()?);
                bytes.get(start..start.checked_add(size)?)?;
                Contents::Within(start, size)
            }
        };
        let inside = match &contents {
            Contents::Within(start, size) => &bytes[*start..start + size],
            Contents::Apart(file) => file,
        };
        let stamps = [member.date(), member.uid(), member.gid(), member.mode()].map(Option::unwrap_or_default);
        let bitcode = bitcode_of(inside, fat);
        members.push(Member { name: member.name().to_vec(), stamps, contents, bitcode });
    }
    Some(members)
}

/// The symbols that an object defines for others. A member that is no object has none.
fn symbols(object: &[u8]) -> Vec<&[u8]> {
    let Ok(file) = object::File::parse(object) else { return Vec::new() };
    let defined = file.symbols().filter(|symbol| symbol.is_global() && !symbol.is_undefined());
    defined.filter_map(|symbol| symbol.name_bytes().ok()).filter(|name| !name.is_empty()).collect()
}
