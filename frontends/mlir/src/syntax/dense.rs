//! Dense and sparse constants.
//!
//! MLIR, "Builtin Dialect", "DenseIntOrFPElementsAttr", "DenseResourceElementsAttr", "SparseElementsAttr".

use gusset_program::TypeTable;
use gusset_text::{ReadError, Result};

use super::attributes::{AttributeRef, hex, read_ints};
use super::lexer::{Cursor, Tokens, unescape};
use super::numbers::Scalars;
use crate::syntax::types::{Ty, Types};

/// How a constant gives its elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DenseKind {
    /// All elements, as numbers or bytes.
    Dense,
    /// The elements other than zero, with their positions.
    Sparse,
    /// As bytes at the end of the file, by a key.
    Resource,
}

/// `dense<…>`, `sparse<…>` or `dense_resource<…>`, and a type that may follow it.
#[derive(Clone, Copy)]
pub(crate) struct DenseRef<'s> {
    pub kind: DenseKind,
    /// The whole.
    pub at: AttributeRef<'s>,
    /// The text in the angle brackets, and the text after them.
    pub inner: AttributeRef<'s>,
    after: Cursor<'s>,
}

impl<'s> AttributeRef<'s> {
    /// The dense constant that is here, if there is one.
    pub fn dense(self) -> Result<Option<DenseRef<'s>>> {
        let word = self.word();
        let kind = match word {
            b"dense" => DenseKind::Dense,
            b"sparse" => DenseKind::Sparse,
            b"dense_resource" => DenseKind::Resource,
            _ => return Ok(None),
        };
        let mut after = self.cursor();
        after.bump(word.len());
        let mut inner = after;
        after.skip_group()?;
        inner.expect(b'<')?;
        Ok(Some(DenseRef { kind, at: self, inner: AttributeRef::at(&inner), after }))
    }
}

impl<'s> DenseRef<'s> {
    /// Bytes of its text, without its type.
    pub fn len(&self) -> usize {
        self.after.pos - self.at.pos()
    }

    /// The elements of a dense constant.
    pub fn scalars(&self) -> Scalars<'s> {
        Scalars(self.inner.cursor())
    }

    /// The elements of a dense constant as bytes, if they are given so.
    pub fn bytes(&self) -> Result<Option<Vec<u8>>> {
        let mut c = self.inner.cursor();
        if c.peek() != b'"' {
            return Ok(None);
        }
        let raw = c.quoted()?;
        c.expect(b'>')?;
        let Some(digits) = raw.strip_prefix(b"0x") else { return Ok(Some(unescape(raw))) };
        let wrong = || self.at.error("this is no hexadecimal number");
        hex(digits).map_err(|e| self.at.error(e.to_string()))?.ok_or_else(wrong).map(Some)
    }

    /// The key of a resource.
    pub fn key(&self) -> Result<&'s [u8]> {
        let mut c = self.inner.cursor();
        let key = c.name()?;
        c.expect(b'>')?;
        Ok(key)
    }

    /// For a sparse constant with this rank: the positions of its elements, and the elements, unless there are none.
    pub fn sparse(&self, rank: usize) -> Result<(Vec<i64>, Option<Scalars<'s>>)> {
        let mut c = self.inner.cursor();
        if c.peek() == b'>' {
            return Ok((Vec::new(), None));
        }
        let mut places = read_ints(&mut c)?;
        c.expect(b',')?;
        if places.len() == 1 {
            // One number is the position in all dimensions.
            places = vec![places[0]; rank];
        }
        Ok((places, Some(Scalars(c))))
    }

    /// The dimensions and the element type of the type after it, if there is one.
    pub fn shape(&self, types: &mut Types, llvm: &mut TypeTable) -> Result<Option<(Vec<u64>, Ty)>> {
        let mut c = self.after;
        if !c.eat(b':') {
            return Ok(None);
        }
        let pos = c.pos;
        let word = c.peek_word();
        if !matches!(word, b"vector" | b"tensor" | b"memref") {
            return Err(c.expected("a type with a shape"));
        }
        c.bump(word.len());
        c.expect(b'<')?;
        let sizes = types.dimensions(&mut c, &mut false)?;
        let element = types.parse(llvm, &mut c)?;
        while c.eat(b',') {
            c.skip_value()?;
        }
        c.expect(b'>')?;
        let sizes: Option<Vec<u64>> = sizes.iter().map(|&n| u64::try_from(n).ok()).collect();
        let sizes = sizes.ok_or_else(|| c.error_at(pos, "the shape of a constant has no `?`"))?;
        Ok(Some((sizes, element)))
    }

    /// The error that no type follows it.
    #[cold]
    pub fn untyped(&self) -> ReadError {
        self.after.expected("`:`")
    }
}
