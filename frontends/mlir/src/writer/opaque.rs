//! Writes what stays as it is in a partial translation.

use super::Writer;
use super::pieces::Context;
use super::pieces::Piece::*;
use gusset_program::{Function, Late, Module, Op, OpaqueOp, OpaquePart, Owned, Result, TypeTable};

impl<'m> Writer<'m> {
    /// A writer for a part of a module: branches are those of the dialect `cf`, unless that is converted.
    pub fn in_part(module: &'m Module, late: &'m Late, converts_branches: bool) -> Writer<'m> {
        let mut writer = Writer::new(module, late);
        writer.branches = if converts_branches { "llvm" } else { "cf" };
        // Aliases of the module's own might have the same names.
        writer.has_front = false;
        writer
    }

    /// Writes text of the module unchanged, on lines of its own.
    pub fn text(&mut self, text: &[u8]) {
        let text = text.trim_ascii_end();
        let indented = text.iter().position(|&b| !matches!(b, b'\n' | b'\r')).unwrap_or(text.len());
        if indented < text.len() {
            self.out.extend_from_slice(&text[indented..]);
            self.out.push(b'\n');
        }
    }

    /// Writes a function that stays, without its closing brace and what follows that.
    ///
    /// # Errors
    /// As [`head`](Writer::head).
    pub fn opaque_function(&mut self, types: &TypeTable, f: &Function) -> Result<()> {
        let c = Context { types, f };
        self.locals.clear();
        self.nesting = 0;
        let mut header = None;
        for (i, &block) in f.order.iter().enumerate() {
            if i > 0 {
                self.block_label(c, block)?;
            }
            for &inst in &f.blocks[block.index()].insts {
                let inst = &f.insts[inst as usize];
                match &inst.op {
                    Op::Opaque(op) if header.is_none() => {
                        self.put("  ");
                        self.opaque(c, op)?;
                        self.put("\n");
                        self.nesting = 0;
                        header = Some(self.out.len());
                    }
                    _ => self.instruction(c, inst)?,
                }
            }
        }
        if let Some(after) = header {
            self.make_constants(after);
        }
        self.put("  ");
        Ok(())
    }

    /// Writes the end of the module, which is its original text after `text`; returns the whole text.
    ///
    /// # Errors
    /// As [`head`](Writer::head).
    pub fn tail_in_part(mut self, types: &TypeTable, text: &[u8]) -> Result<Vec<u8>> {
        self.late_declarations(types)?;
        self.text(text);
        Ok(self.out)
    }

    /// Writes an operation that stays, or the part of one between two regions.
    pub(super) fn opaque(&mut self, c: Context<'_>, op: &OpaqueOp) -> Result<()> {
        self.pieces(c, &[Values(&op.results), Text(if op.results.is_empty() { "" } else { " = " })])?;
        for part in &op.parts {
            match part {
                OpaquePart::Text(text) => self.out.extend_from_slice(text),
                OpaquePart::Value(val) => self.value(c, *val)?,
                OpaquePart::Type(ty) => self.ty(c, *ty)?,
            }
        }
        Ok(())
    }

    /// The indentation of an instruction, which may open or close a region.
    pub(super) fn indent(&mut self, op: &Op<Owned>) {
        let (opens, closes) = match op {
            Op::Opaque(op) => (op.opens, op.closes),
            _ => (false, false),
        };
        self.nesting -= usize::from(closes && self.nesting > 0);
        self.put(&"  ".repeat(self.nesting + 2));
        self.nesting += usize::from(opens);
    }
}
