//! Writes names of values and blocks, and the operations that make constants.

use std::io::Write as _;

use gusset_codegen::ir::Block;
use gusset_program::{Def, Function, Refusal, Result, TypeId, Val};

use super::Writer;
use super::pieces::Context;
use super::pieces::Piece::*;

/// Whether it can follow `%` or `^` (MLIR LangRef, `suffix-id`).
fn is_plain(name: &[u8]) -> bool {
    let letter = |b: &u8| b.is_ascii_alphabetic() || b"$._-".contains(b);
    name.first().is_some_and(letter) && name.iter().all(|b| letter(b) || b.is_ascii_digit())
}

impl Writer<'_> {
    /// Writes a local value's name, or that of a constant, which is made if it does not exist yet.
    pub(super) fn value(&mut self, c: Context<'_>, val: Val) -> Result<()> {
        let val = c.f.resolve(val);
        let data = &c.f.values[val.0 as usize];
        let name = c.f.name(data.name).filter(|name| is_plain(name));
        let number = match (self.locals.number(val), &data.def, name) {
            (Some(number), ..) => number,
            (None, Def::Param | Def::Inst(_), Some(name)) => {
                self.out.push(b'%');
                self.out.extend_from_slice(name);
                return Ok(());
            }
            (None, def, _) => {
                let number = match def {
                    Def::Const(constant) => self.constant(c, data.ty, constant)?,
                    Def::Param | Def::Inst(_) | Def::Opaque => self.locals.fresh(),
                    Def::Pending | Def::Alias(_) => return Err(Refusal::new("a value is not defined")),
                };
                self.locals.set(val, number);
                number
            }
        };
        write!(self, "%{number}");
        Ok(())
    }

    /// The number of the constant that an operation makes; the operation's text, from `start` on, is removed from the
    /// output.
    pub(super) fn made(&mut self, start: usize) -> u32 {
        let text = &self.out[start..];
        let number = match self.locals.constants.get(text) {
            Some(&number) => number,
            None => {
                let number = self.locals.fresh();
                let _ = write!(self.locals.made, "    %{number} = ");
                self.locals.made.extend_from_slice(text);
                self.locals.made.extend_from_slice(self.constant_location().as_bytes());
                self.locals.made.push(b'\n');
                self.locals.constants.insert(text.into(), number);
                number
            }
        };
        self.out.truncate(start);
        number
    }

    /// Writes `(types) -> type` of an operation.
    pub(super) fn functional(&mut self, c: Context<'_>, vals: &[Val], ret: TypeId) -> Result<()> {
        self.pieces(c, &[Text("("), TypesOf(vals), Text(") -> "), ResultType(ret)])
    }

    /// Writes a block's name.
    pub(super) fn block_name(&mut self, f: &Function, block: Block) {
        // `bb1` and the like are the names of unnamed blocks.
        let free = |name: &[u8]| {
            is_plain(name) && !name.strip_prefix(b"bb").is_some_and(|rest| rest.iter().all(u8::is_ascii_digit))
        };
        match f.name(f.blocks[block.index()].name).filter(|name| free(name)) {
            Some(name) => {
                self.out.push(b'^');
                self.out.extend_from_slice(name);
            }
            None => write!(self, "^bb{}", block.index()),
        }
    }
}
