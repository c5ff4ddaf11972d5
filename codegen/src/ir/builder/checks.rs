//! What the builder does about calls that cannot be right, and what it checks of a complete function.

use super::FunctionBuilder;
use super::shape::Shape;
use crate::ir::entities::{Block, Edge, Inst, Value};
use crate::ir::inst::Opcode;
use crate::ir::types::Type;

impl FunctionBuilder<'_> {
    /// Keeps a mistake if it is the first.
    #[cold]
    pub fn mistake(&mut self, message: impl Into<String>) {
        if self.mistake.is_none() {
            self.mistake = Some((self.next_inst(), message.into()));
        }
    }

    /// The number that the next instruction had when the first mistake was made.
    pub fn place_of_mistake(&self) -> Option<Inst> {
        self.mistake.as_ref().map(|mistake| mistake.0)
    }

    /// Ends the construction.
    ///
    /// # Errors
    /// An error with the first mistake and what to do about it: one made on the way, or a block that is open, not
    /// filled or not sealed.
    pub fn finish(&mut self) -> Result<(), String> {
        match self.mistake.take() {
            Some((_, mistake)) => Err(mistake),
            None => {
                self.place_early_records();
                self.complete()
            }
        }
    }

    fn complete(&self) -> Result<(), String> {
        if let Some(open) = self.block {
            return Err(format!("block {open} has no terminator: end it by `jump`, `br`, `ret` or the like"));
        }
        // Where each edge was made. Edges made without the builder are the caller's business.
        let mut origin = vec![None; self.func.edges.len()];
        for (n, data) in self.ssa.iter().enumerate() {
            let to = Block::new(n);
            if !data.preds.is_empty() && self.func.blocks[n].first == u32::MAX {
                return Err(format!("control comes to block {to}, which is empty: fill it after `switch_to`"));
            }
            if !data.pending.is_empty() {
                return Err(format!("variables are read in block {to}, which is not sealed: call `seal` for {to}"));
            }
            for &(edge, from) in &data.preds {
                origin[edge.index()] = Some(from);
            }
        }
        for &b in &self.func.layout {
            let end = self.func.blocks[b.index()].end as usize;
            let Some(last) = end.checked_sub(1).and_then(|last| self.func.insts.get(last)) else { continue };
            if !self.func.has_edge_lists(last) {
                return Err(format!(
                    "block {b}: the targets of its terminator are not there: make it by its own method"
                ));
            }
            let mut wrong = None;
            self.func.for_each_edge(last, |edge: Edge| match origin.get_mut(edge.index()) {
                Some(from) if from.is_none_or(|from| from == b) => *from = Some(USED),
                _ => wrong = Some(edge),
            });
            if let Some(edge) = wrong {
                let message = "leaves it, but was made in another or serves twice: make each edge where it is used";
                return Err(format!("block {b}: the edge {edge} {message}"));
            }
        }
        Ok(())
    }

    /// Is it a block of this function?
    pub(super) fn has_block(&mut self, block: Block) -> bool {
        let known = block.index() < self.func.blocks.len();
        if !known {
            self.mistake(format!("there is no block {block} in this function"));
        }
        known
    }

    /// The type of a value; `None` if there is no such value.
    #[inline]
    pub(super) fn type_of(&mut self, v: Value) -> Type {
        match self.func.known_type(v) {
            Some(ty) => ty,
            None => {
                self.mistake(format!("there is no value {v} in this function"));
                Type::VOID
            }
        }
    }

    /// The type of a variable.
    pub(super) fn var_type(&mut self, var: super::Variable) -> Option<Type> {
        let ty = self.vars.get(var.index()).copied();
        if ty.is_none() {
            self.mistake(format!("there is no variable {var} in this function"));
        }
        ty
    }

    #[cold]
    pub(super) fn no_block(&mut self, what: &str) {
        self.mistake(format!("`{what}` stands in no block, after a terminator: `switch_to` a block first"));
    }

    /// Does the builder's `method` make instructions of this opcode?
    #[inline]
    pub(super) fn check_shape(&mut self, method: &str, op: Opcode, shape: Shape) {
        if Shape::of(op) != Some(shape) {
            self.mistake(format!("`{}` is no operation for the builder's `{method}`", op.name()));
        }
    }
}

/// An edge that a terminator has taken.
const USED: Block = Block(u32::MAX);
