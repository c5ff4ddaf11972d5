//! The pieces of which operations are written.

use gusset_codegen::ir::Edge;
use gusset_program::{Function, Result, TypeId, TypeTable, Val};

use super::Writer;
use Piece::*;

/// The types, and the function to which values belong. The module's constants are such a function, too.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub types: &'a TypeTable,
    pub f: &'a Function,
}

/// A piece of an operation's text.
#[derive(Clone, Copy)]
pub(super) enum Piece<'a> {
    Text(&'a str),
    Type(TypeId),
    /// A type inside the brackets of a type of the dialect, whose prefix is omitted there.
    Inner(TypeId),
    /// A value without its type.
    Value(Val),
    /// A value, and its type after a colon.
    Typed(Val),
    /// Values without types, separated by commas.
    Values(&'a [Val]),
    /// The types of values, separated by commas.
    TypesOf(&'a [Val]),
    /// The type of a result, `()` if there is none.
    ResultType(TypeId),
    /// The target block of an edge, with arguments for its parameters.
    Successor(Edge),
}

impl Writer<'_> {
    /// Writes a text, piece by piece.
    pub(super) fn pieces(&mut self, c: Context<'_>, pieces: &[Piece<'_>]) -> Result<()> {
        for piece in pieces {
            match *piece {
                Text(text) => self.put(text),
                Type(ty) => self.ty(c, ty)?,
                Inner(ty) => self.type_without(c, ty, b"!llvm.")?,
                Value(val) => self.value(c, val)?,
                Typed(val) => self.pieces(c, &[Value(val), Text(" : "), Type(c.f.value(val).ty)])?,
                Values(vals) => self.list(vals, |w, &val| w.value(c, val))?,
                TypesOf(vals) => self.list(vals, |w, &val| w.ty(c, c.f.value(val).ty))?,
                ResultType(gusset_program::VOID) => self.put("()"),
                ResultType(ty) => self.ty(c, ty)?,
                Successor(edge) => {
                    let edge = &c.f.edges[edge.index()];
                    self.block_name(c.f, edge.to);
                    if !edge.args.is_empty() {
                        self.pieces(c, &[Text("("), Values(&edge.args), Text(" : "), TypesOf(&edge.args), Text(")")])?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes the beginning of a dictionary's entry: a comma, unless it is the first entry, and a text.
    pub(super) fn entry(&mut self, text: &str) {
        self.put(if self.out.last() == Some(&b'{') { "" } else { ", " });
        self.put(text);
    }

    /// Writes what ends a dictionary. If it is empty, what it begins with is removed.
    pub(super) fn end_dictionary(&mut self, [begin, end]: [&str; 2]) {
        if self.out.ends_with(begin.as_bytes()) {
            self.out.truncate(self.out.len() - begin.len());
        } else {
            self.put(end);
        }
    }

    /// Writes the members of a list, separated by commas.
    pub(super) fn list<T>(
        &mut self,
        members: impl IntoIterator<Item = T>,
        mut one: impl FnMut(&mut Self, T) -> Result<()>,
    ) -> Result<()> {
        for (i, member) in members.into_iter().enumerate() {
            self.put(if i > 0 { ", " } else { "" });
            one(self, member)?;
        }
        Ok(())
    }
}
