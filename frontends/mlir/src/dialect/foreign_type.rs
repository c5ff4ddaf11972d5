//! Types of foreign dialects.

use gusset_program::{Refusal, Result, TypeId, TypeTable};

use crate::syntax::lexer::Cursor;
use crate::syntax::types::Types;

/// A type of a dialect in its spelling: `!sat.fixed<8, i32>`.
pub struct ForeignType<'t> {
    name: &'t str,
    src: &'t [u8],
    /// Positions of the parameters.
    parameters: Vec<(usize, usize)>,
    types: &'t mut Types,
    llvm: &'t mut TypeTable,
}

impl<'t> ForeignType<'t> {
    /// The type whose parameters are between these bytes of the text.
    pub(crate) fn new(
        name: &'t str,
        c: &Cursor<'t>,
        (start, end): (usize, usize),
        (types, llvm): (&'t mut Types, &'t mut TypeTable),
    ) -> ForeignType<'t> {
        ForeignType { name, src: c.src, parameters: split(c.src, start, end), types, llvm }
    }

    /// Its name without that of the dialect: `fixed`.
    pub fn name(&self) -> &str {
        self.name
    }

    /// The number of parameters.
    pub fn parameter_count(&self) -> usize {
        self.parameters.len()
    }

    /// The text of a parameter.
    pub fn parameter(&self, i: usize) -> Option<&'t str> {
        let &(start, end) = self.parameters.get(i)?;
        std::str::from_utf8(&self.src[start..end]).ok()
    }

    /// The LLVM type of a parameter that is a type.
    ///
    /// # Errors
    /// The parameter is no type, or one that is not converted.
    pub fn parameter_type(&mut self, i: usize) -> Result<TypeId> {
        let &(start, end) = self.parameters.get(i).ok_or_else(|| Refusal::new("a parameter of the type is missing"))?;
        let mut c = Cursor::new(&self.src[..end], start);
        let plain = |e: gusset_text::ReadError| Refusal::new(e.message());
        let ty = self.types.parse(self.llvm, &mut c).map_err(plain)?;
        if c.pos < end {
            return Err(Refusal::new("a parameter of the type is no type"));
        }
        self.types.foreign(ty).map_or(Ok(self.types.whole(ty)), |(why, _)| Err(Refusal::new(why)))
    }

    /// LLVM's types, which may be extended.
    pub fn types(&mut self) -> &mut TypeTable {
        self.llvm
    }

    /// The integer type of `index`.
    pub fn index(&self) -> TypeId {
        self.types.index
    }
}

/// The texts between commas that are outside of brackets and strings.
fn split(src: &[u8], start: usize, end: usize) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    let (mut from, mut depth, mut at) = (start, 0usize, start);
    while at < end {
        match src[at] {
            b'"' => {
                at += 1;
                while at < end && src[at] != b'"' {
                    at += 1 + usize::from(src[at] == b'\\');
                }
            }
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' if src[at - 1] == b'-' => {}
            b'>' | b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                all.push((from, at));
                from = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    if !src[start..end].trim_ascii().is_empty() {
        all.push((from, end));
    }
    let trim = |&(from, to): &(usize, usize)| {
        let text = &src[from..to];
        let from = from + (text.len() - text.trim_ascii_start().len());
        (from, from + src[from..to].trim_ascii_end().len())
    };
    all.iter().map(trim).collect()
}
