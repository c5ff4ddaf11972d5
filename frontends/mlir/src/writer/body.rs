//! Writes functions with their bodies: blocks, and instructions with their attachments.

use gusset_codegen::ir::Block;
use gusset_program::{Function, Inst, Op, Refusal, Result, SymbolKind, TypeTable};

use super::Writer;
use super::pieces::Context;
use super::pieces::Piece::*;
use super::places::{place_in, place_of};

impl Writer<'_> {
    /// Writes a function that is defined.
    ///
    /// # Errors
    /// The dialect cannot express something in the function; the error says in which instruction.
    pub fn body(&mut self, types: &TypeTable, f: &Function) -> Result<()> {
        let (c, m) = (Context { types, f }, self.module);
        let symbol = &m.symbols[f.symbol.index()];
        let SymbolKind::Function(header) = &symbol.kind else { return Ok(()) };
        self.locals.clear();
        self.nesting = 0;
        let place = self.function_location(&symbol.attached);
        self.in_subprogram = place.is_some();
        self.find_moved(f);
        self.begin_function(f.symbol, symbol, header)?;
        self.list(f.params.iter().zip(&header.params), |w, (&val, (ty, attrs))| {
            w.pieces(c, &[Value(val), Text(": "), Type(*ty)])?;
            w.parameter_attributes(c, attrs)
        })?;
        self.end_header(c, symbol, header)?;
        self.put(" {\n");
        let entry = self.out.len();
        for (i, &block) in f.order.iter().enumerate() {
            self.block(c, block, i == 0)?;
        }
        self.make_constants(entry);
        self.put("  }");
        if let Some(place) = place {
            self.at(&place);
        }
        self.put("\n");
        self.in_subprogram = false;
        Ok(())
    }

    /// Inserts the operations that make constants at `at`.
    pub(super) fn make_constants(&mut self, at: usize) {
        let rest = self.out.split_off(at);
        self.out.append(&mut self.locals.made);
        self.out.extend_from_slice(&rest);
    }

    fn block(&mut self, c: Context<'_>, block: Block, first: bool) -> Result<()> {
        let b = &c.f.blocks[block.index()];
        if !first {
            self.block_label(c, block)?;
        }
        let moved = self.moved.at_start.remove(&(block.index() as u32));
        self.write_moved(c, moved)?;
        let end = b.insts.last();
        for inst in &b.insts {
            if !self.moved.all.contains(inst) {
                self.instruction(c, &c.f.insts[*inst as usize])?;
            }
            match self.moved.after.remove(inst) {
                Some(_) if end == Some(inst) => self.leave_out("a record of a value that is not known there"),
                moved => self.write_moved(c, moved)?,
            }
        }
        Ok(())
    }

    /// Writes a block's label, with its parameters.
    pub(super) fn block_label(&mut self, c: Context<'_>, block: Block) -> Result<()> {
        let b = &c.f.blocks[block.index()];
        self.put("  ");
        self.block_name(c.f, block);
        if !b.params.is_empty() {
            self.put("(");
            self.list(&b.params, |w, param| {
                w.pieces(c, &[Value(param.val), Text(": "), Type(c.f.value(param.val).ty)])?;
                w.write_location(place_in(&param.attached));
                Ok(())
            })?;
            self.put(")");
        }
        self.put(":\n");
        Ok(())
    }

    pub(super) fn instruction(&mut self, c: Context<'_>, inst: &Inst) -> Result<()> {
        let before = self.out.len();
        self.note_instruction(inst);
        self.indent(&inst.op);
        if let Some(result) = inst.result {
            self.pieces(c, &[Value(result), Text(" = ")])?;
        }
        let start = self.out.len();
        self.operation(c, inst).map_err(|why| in_instruction(inst, why))?;
        if self.out.len() == start {
            // The operation has become nothing.
            self.out.truncate(before);
        } else {
            self.write_location(place_of(inst));
            self.put("\n");
        }
        Ok(())
    }
}

/// The refusal with the instruction that it is about.
#[cold]
fn in_instruction(inst: &Inst, why: Refusal) -> Refusal {
    let word = match &inst.op {
        Op::Call(_) => "a call",
        Op::Alloca { .. } => "`alloca`",
        Op::Load { .. } | Op::AtomicLoad { .. } => "`load`",
        Op::Store { .. } | Op::AtomicStore { .. } => "`store`",
        Op::AtomicRmw { .. } => "`atomicrmw`",
        Op::GetElementPtr { .. } => "`getelementptr`",
        Op::LandingPad { .. } => "`landingpad`",
        Op::Switch { .. } => "`switch`",
        Op::DebugRecord(_) => "a debug record",
        _ => return why,
    };
    Refusal::new(format!("{}, in {word}", why.reason()))
}
