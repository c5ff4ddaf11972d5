//! Archives, which are static libraries, as GNU's tools write them (Debian's manual page `ar(5)`, System V's variant).

use std::io::{self, Write};

/// A member of an archive.
///
/// ```
/// use gusset_compiler::{ArchiveMember, write_archive};
///
/// let member = ArchiveMember::new(b"a.o", b"the object");
/// let mut library = Vec::new();
/// write_archive(&[ArchiveMember { symbols: vec![b"f"], ..member }], &mut library)?;
/// assert!(library.starts_with(b"!<arch>\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArchiveMember<'a> {
    /// Its name. Several members may have the same.
    pub name: &'a [u8],
    /// The symbols that it defines for others: linkers look for them in the archive's index.
    pub symbols: Vec<&'a [u8]>,
    /// What is in it.
    pub contents: &'a [u8],
    /// When the file was changed, in seconds since 1970.
    pub date: u64,
    /// The number of its user.
    pub user: u64,
    /// The number of its group.
    pub group: u64,
    /// Who may do what with the file, as on Unix.
    pub mode: u64,
}

impl<'a> ArchiveMember<'a> {
    /// A member without symbols, of nobody and no time.
    pub fn new(name: &'a [u8], contents: &'a [u8]) -> ArchiveMember<'a> {
        ArchiveMember { name, symbols: Vec::new(), contents, date: 0, user: 0, group: 0, mode: 0o644 }
    }

    /// The bytes that it takes up.
    fn bytes(&self) -> u64 {
        HEADER_BYTES + (self.contents.len() as u64).next_multiple_of(2)
    }
}

const MAGIC: &[u8] = b"!<arch>\n";
const HEADER_BYTES: u64 = 60;

/// The longest name that the header of a member holds, with a slash after it.
const SHORT_NAME: usize = 15;

/// Writes an archive with an index of its symbols. (`ar_archive_writer` would have to read each member to find its symbols, which its
/// maker may know, and brings readers of all formats for that.)
///
/// # Errors
/// Those of the writer.
pub fn write_archive(members: &[ArchiveMember<'_>], out: &mut dyn Write) -> io::Result<()> {
    let (heads, names) = heads(members);
    let index_and_names = |wide: bool| {
        let count: usize = members.iter().map(|member| member.symbols.len()).sum();
        let texts: usize = members.iter().flat_map(|member| &member.symbols).map(|symbol| symbol.len() + 1).sum();
        let index = (if wide { 8 } else { 4 } * (1 + count) + texts) as u64;
        let names_bytes = if names.is_empty() { 0 } else { HEADER_BYTES + (names.len() as u64).next_multiple_of(2) };
        (index, MAGIC.len() as u64 + HEADER_BYTES + index.next_multiple_of(2) + names_bytes)
    };
    let contents: u64 = members.iter().map(ArchiveMember::bytes).sum();
    // Places are 32 bits wide where those of all members are.
    let wide = u32::try_from(index_and_names(false).1 + contents).is_err();
    let (index_bytes, first) = index_and_names(wide);
    out.write_all(MAGIC)?;
    append(out, if wide { "/SYM64/" } else { "/" }, &index(members, wide, index_bytes, first), [0; 3], 0)?;
    if !names.is_empty() {
        append(out, "//", &names, [0; 3], 0)?;
    }
    members.iter().zip(heads).try_for_each(|(member, name)| {
        append(out, &name, member.contents, [member.date, member.user, member.group], member.mode)
    })
}

/// The names in the headers of members, and the table of those that are too long for that.
fn heads(members: &[ArchiveMember<'_>]) -> (Vec<String>, Vec<u8>) {
    let mut table = Vec::new();
    let head = |member: &ArchiveMember<'_>| match std::str::from_utf8(member.name) {
        Ok(name) if name.len() <= SHORT_NAME && !name.contains('/') && !name.is_empty() => format!("{name}/"),
        _ => {
            let at = table.len();
            table.extend_from_slice(member.name);
            table.extend(b"/\n");
            format!("/{at}")
        }
    };
    (members.iter().map(head).collect(), table)
}

/// The index, with numbers whose highest byte comes first: how many symbols there are, for each the place of the member that defines
/// it, then the symbols.
fn index(members: &[ArchiveMember<'_>], wide: bool, bytes: u64, first: u64) -> Vec<u8> {
    let mut index = Vec::with_capacity(bytes as usize);
    let mut number = |number: u64| match wide {
        true => index.extend(number.to_be_bytes()),
        false => index.extend((number as u32).to_be_bytes()),
    };
    number(members.iter().map(|member| member.symbols.len() as u64).sum());
    let mut at = first;
    for member in members {
        member.symbols.iter().for_each(|_| number(at));
        at += member.bytes();
    }
    for symbol in members.iter().flat_map(|member| &member.symbols) {
        index.extend_from_slice(symbol);
        index.push(0);
    }
    index
}

/// Appends a member, which begins at an even offset: name, time and owners, mode, size.
fn append(out: &mut dyn Write, name: &str, contents: &[u8], stamps: [u64; 3], mode: u64) -> io::Result<()> {
    let [date, user, group] = stamps;
    // What a field has no room for is of no use to linkers.
    let fit = |number: u64, digits: u32| if number < 10u64.pow(digits) { number } else { 0 };
    let (date, user, group) = (fit(date, 12), fit(user, 6), fit(group, 6));
    let mode = mode & 0o7_777_777;
    writeln!(out, "{name:<16}{date:<12}{user:<6}{group:<6}{mode:<8o}{:<10}`", contents.len())?;
    out.write_all(contents)?;
    match contents.len() % 2 {
        1 => out.write_all(b"\n"),
        _ => Ok(()),
    }
}
