//! The sink of translations: builds the program that a reader hands over.

mod constants;
mod sink;

use gusset_codegen::ir::{Block, Edge, Opcode, SymbolId};

use crate::attributes::ParamAttrs;
use crate::flags::Flags;
use crate::function::{BlockParam, Constant, Def, EdgeData, Function, Inst, NameSpan, ValueData};
use crate::op::{Op, Owned};
use crate::operators::Cast;
use crate::refusal::{Refusal, Result};
use crate::types::{TypeId, TypeTable, VOID};
use crate::value::Val;

/// The kind of what metadata is attached to.
enum Last {
    Inst(usize),
    Param(Block, usize),
}

/// Whether LLVM 19 has such a constant expression (LLVM LangRef 19, "Constant Expressions").
fn is_expression(op: &Op<Owned>) -> bool {
    match op {
        Op::Cast { cast, .. } => {
            matches!(cast, Cast::Trunc | Cast::Ptrtoint | Cast::Inttoptr | Cast::Bitcast | Cast::Addrspacecast)
        }
        Op::Binary { op, .. } => matches!(op, Opcode::Iadd | Opcode::Isub | Opcode::Imul | Opcode::Xor),
        Op::GetElementPtr { .. } | Op::ExtractElement { .. } | Op::InsertElement { .. } | Op::ShuffleVector { .. } => {
            true
        }
        _ => false,
    }
}

/// Stores a function, or a module's constants, as a [`Function`].
pub struct ProgramBuilder<'r> {
    types: &'r mut TypeTable,
    f: &'r mut Function,
    /// Flags of the instruction that comes next.
    ahead: Flags,
    /// The current block of the program, and the block to which instructions are appended.
    block: Block,
    current: Option<Block>,
    /// Blocks on edges, which come last.
    splits: Vec<Block>,
    last: Option<Last>,
    /// Where debug records go, if they come after the instruction that they stand before: a block and a position in it.
    before: Option<(Block, usize)>,
    /// The flags of the instructions around the constant expressions being read.
    expressions: Vec<Flags>,
    frozen: bool,
    refused: bool,
    /// Number of members of constants that may still be copied.
    copies: usize,
}

/// Most members that are copied, in all, for constants that are built member by member.
const MAX_COPIES: usize = 1 << 22;

/// A builder begins without instructions: it only takes constants until a function's body begins.
impl<'r> ProgramBuilder<'r> {
    /// Stores a function in `f`, which is cleared first.
    pub fn new(types: &'r mut TypeTable, f: &'r mut Function) -> ProgramBuilder<'r> {
        f.clear();
        ProgramBuilder::more(types, f)
    }

    /// Adds constants to those that `f` contains.
    pub fn more(types: &'r mut TypeTable, f: &'r mut Function) -> ProgramBuilder<'r> {
        ProgramBuilder {
            types,
            f,
            ahead: Flags::default(),
            block: Block(0),
            current: None,
            splits: Vec::new(),
            last: None,
            before: None,
            expressions: Vec::new(),
            frozen: true,
            refused: false,
            copies: MAX_COPIES,
        }
    }

    /// The constants that there are, with the types.
    pub fn constants(&self) -> (&TypeTable, &Function) {
        (self.types, self.f)
    }

    fn value(&mut self, ty: TypeId, def: Def) -> Val {
        self.f.values.push(ValueData { ty, def, name: None });
        Val(self.f.values.len() as u32 - 1)
    }

    fn keep_constant(&mut self, ty: TypeId, constant: Constant) -> Val {
        self.value(ty, Def::Const(constant))
    }

    fn type_of(&self, val: Val) -> TypeId {
        self.f.value(val).ty
    }

    fn take_flags(&mut self) -> Flags {
        std::mem::take(&mut self.ahead)
    }

    /// Appends an instruction, with a result unless its type is `void`.
    fn push(&mut self, op: Op<Owned>, ty: TypeId) -> Val {
        let id = self.f.insts.len() as u32;
        let result = (ty != VOID).then(|| self.value(ty, Def::Inst(id)));
        let flags = self.take_flags();
        self.f.insts.push(Inst { op, ty, result, flags, attached: Vec::new() });
        if let Some(block) = self.current {
            self.f.blocks[block.index()].insts.push(id);
        }
        self.last = Some(Last::Inst(id as usize));
        result.unwrap_or_default()
    }

    /// Appends an instruction, or a constant expression if one is being read and LLVM 19 has it.
    fn fold(&mut self, op: Op<Owned>, ty: TypeId) -> Result<Val> {
        if self.expressions.is_empty() {
            return Ok(self.push(op, ty));
        }
        if is_expression(&op) {
            let flags = self.take_flags();
            let inst = Inst { op, ty, result: None, flags, attached: Vec::new() };
            return Ok(self.keep_constant(ty, Constant::Expression(Box::new(inst))));
        }
        self.unfrozen()?;
        Ok(self.push(op, ty))
    }

    fn unfrozen(&mut self) -> Result<()> {
        if self.frozen {
            self.refused = true;
            return Err(Refusal::new("this constant expression is not supported here"));
        }
        Ok(())
    }

    fn new_name(&mut self, name: &[u8]) -> NameSpan {
        let start = self.f.names.len() as u32;
        self.f.names.extend_from_slice(name);
        Some((start, self.f.names.len() as u32))
    }

    fn new_edge(&mut self, to: Block) -> Edge {
        let at = self.current.unwrap_or(self.block);
        self.f.edges.push(EdgeData { from: self.block, at, to, args: Vec::new() });
        Edge(self.f.edges.len() as u32 - 1)
    }

    fn new_param(&mut self, block: Block, ty: TypeId) -> Val {
        let val = self.value(ty, Def::Param);
        let flags = self.take_flags();
        let params = &mut self.f.blocks[block.index()].params;
        params.push(BlockParam { val, flags, attached: Vec::new() });
        self.last = Some(Last::Param(block, params.len() - 1));
        val
    }

    /// The function's body begins.
    fn open_body(&mut self, symbol: SymbolId, params: &[(TypeId, ParamAttrs)]) -> Vec<Val> {
        self.frozen = false;
        self.f.symbol = symbol;
        self.f.blocks.push(Default::default());
        self.open_block(Block(0));
        self.block = Block(0);
        let params: Vec<Val> = params.iter().map(|&(ty, _)| self.value(ty, Def::Param)).collect();
        self.f.params.clone_from(&params);
        params
    }

    fn open_block(&mut self, block: Block) {
        self.f.blocks[block.index()].begun = true;
        self.f.order.push(block);
        self.current = Some(block);
    }
}
