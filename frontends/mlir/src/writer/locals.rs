//! Writes names of values and blocks, and the operations that make constants.

use std::io::Write as _;

use gusset_codegen::ir::{Block, Edge};
use gusset_program::{Def, Function, Refusal, Result, TypeId, TypeTable, Val};

use super::Writer;

/// Whether it can follow `%` or `^` (MLIR LangRef, `suffix-id`).
fn is_plain(name: &[u8]) -> bool {
    let letter = |b: &u8| b.is_ascii_alphabetic() || b"$._-".contains(b);
    name.first().is_some_and(letter) && name.iter().all(|b| letter(b) || b.is_ascii_digit())
}

impl Writer<'_> {
    /// Writes a local value's name, or that of a constant, which is made if it does not exist yet.
    pub(super) fn value(&mut self, types: &TypeTable, f: &Function, val: Val) -> Result<()> {
        let val = f.resolve(val);
        let data = &f.values[val.0 as usize];
        let number = match (&data.def, self.locals.number(val)) {
            (_, Some(number)) => number,
            (Def::Param | Def::Inst(_), None) => {
                if let Some(name) = f.name(data.name).filter(|name| is_plain(name)) {
                    self.out.push(b'%');
                    self.out.extend_from_slice(name);
                    return Ok(());
                }
                let number = self.locals.fresh();
                self.locals.set(val, number);
                number
            }
            (Def::Const(constant), None) => {
                let number = self.constant(types, f, data.ty, constant)?;
                self.locals.set(val, number);
                number
            }
            (Def::Opaque, None) => {
                let number = self.locals.fresh();
                self.locals.set(val, number);
                number
            }
            (Def::Pending | Def::Alias(_), None) => return Err(Refusal::new("a value is not defined")),
        };
        let _ = write!(self.out, "%{number}");
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

    /// Writes values separated by commas.
    pub(super) fn values(&mut self, types: &TypeTable, f: &Function, vals: &[Val]) -> Result<()> {
        for (i, &val) in vals.iter().enumerate() {
            self.comma(i);
            self.value(types, f, val)?;
        }
        Ok(())
    }

    /// Writes the type of a value.
    pub(super) fn type_of(&mut self, types: &TypeTable, f: &Function, val: Val) -> Result<()> {
        self.ty(types, f.value(val).ty)
    }

    /// Writes `(types) -> type` of an operation.
    pub(super) fn functional(&mut self, types: &TypeTable, f: &Function, vals: &[Val], ret: TypeId) -> Result<()> {
        self.put("(");
        for (i, &val) in vals.iter().enumerate() {
            self.comma(i);
            self.type_of(types, f, val)?;
        }
        self.put(") -> ");
        self.result_type(types, ret)
    }

    /// Writes the type of a result, `()` if there is none.
    pub(super) fn result_type(&mut self, types: &TypeTable, ret: TypeId) -> Result<()> {
        if ret == gusset_program::VOID {
            self.put("()");
            return Ok(());
        }
        self.ty(types, ret)
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
            None => {
                let _ = write!(self.out, "^bb{}", block.index());
            }
        }
    }

    /// Writes the target block of an edge, with arguments for its parameters.
    pub(super) fn successor(&mut self, types: &TypeTable, f: &Function, edge: Edge) -> Result<()> {
        let edge = &f.edges[edge.index()];
        self.block_name(f, edge.to);
        if edge.args.is_empty() {
            return Ok(());
        }
        self.put("(");
        self.values(types, f, &edge.args)?;
        self.put(" : ");
        for (i, &arg) in edge.args.iter().enumerate() {
            self.comma(i);
            self.type_of(types, f, arg)?;
        }
        self.put(")");
        Ok(())
    }
}
