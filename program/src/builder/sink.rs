//! The builder as a [`Sink`].

use gusset_abi::Convention;
use gusset_codegen::ir::{Block, Edge, SymbolId, TailKind};

use super::{Last, ProgramBuilder};
use crate::arguments::{Arguments, CallMetadata, FunctionStart};
use crate::call::{CallSite, CallTarget, Called};
use crate::constant::Const;
use crate::debug_sink::DebugSink;
use crate::flags::Flags;
use crate::function::{Call, CallEnd, Constant, Def, Inst, Target};
use crate::module::{LocalName, Metadata};
use crate::op::{Clause, Index, Op, OpRef};
use crate::opaque::OpaqueOp;
use crate::refusal::{Refusal, Result};
use crate::sink::{MetadataSink, Sink};
use crate::types::{I1, Kind, TOKEN, TypeId, TypeTable, VOID};
use crate::value::{Known, Val};

impl ProgramBuilder<'_> {
    /// The type of an instruction's result, `void` if it has none.
    fn result_type(&mut self, op: &OpRef<'_>) -> Result<TypeId> {
        Ok(match *op {
            Op::Binary { ty, .. }
            | Op::Fneg { ty, .. }
            | Op::Freeze { ty, .. }
            | Op::Cast { ty, .. }
            | Op::Select { ty, .. }
            | Op::InsertValue { ty, .. }
            | Op::InsertElement { ty, .. }
            | Op::Alloca { ty, .. }
            | Op::Load { ty, .. }
            | Op::AtomicLoad { ty, .. }
            | Op::AtomicRmw { ty, .. }
            | Op::VaArg { ty, .. }
            | Op::LandingPad { ty, .. } => ty,
            Op::Compare { of, .. } => self.types.as_long_as(of, I1)?,
            Op::ExtractValue { of, path, .. } => self.member_type(of, path)?,
            Op::ExtractElement { of, .. } => match self.types.get(of).kind {
                Kind::Vector { lane, .. } => lane,
                _ => return Err(Refusal::new("an element is taken from no vector")),
            },
            Op::ShuffleVector { of, a, mask, .. } => {
                let whole = self.type_of(a);
                match (self.types.foreign(whole), self.types.get(of).kind) {
                    (Some(_), _) => whole,
                    (None, Kind::Vector { lane, .. }) => self.types.vector(lane, mask.len() as u32)?,
                    _ => return Err(Refusal::new("elements are taken from no vector")),
                }
            }
            Op::GetElementPtr { base: (ty, _), indices, .. } if self.types.get(ty).kind == Kind::Ptr => {
                let mut types = indices.iter().map(|&(Index::Number(ty, _) | Index::Value(ty, _))| ty);
                match types.find(|&ty| matches!(self.types.get(ty).kind, Kind::Vector { .. })) {
                    Some(like) => self.types.as_long_as(like, ty)?,
                    None => ty,
                }
            }
            Op::GetElementPtr { base: (ty, _), .. } => ty,
            Op::CmpXchg { of, .. } => self.types.structure(&[of, I1], false)?,
            Op::CatchPad { .. } | Op::CleanupPad { .. } | Op::CatchSwitch { .. } => TOKEN,
            _ => VOID,
        })
    }
}

impl Sink for ProgramBuilder<'_> {
    fn types(&self) -> &TypeTable {
        self.types
    }

    fn types_mut(&mut self) -> &mut TypeTable {
        self.types
    }

    // The function, whose header is the module's.

    fn begin(&mut self, start: &FunctionStart<'_>, parameters: &mut Box<Arguments>) -> Result<Vec<Val>> {
        self.ahead = Flags::default();
        parameters.metadata = CallMetadata::default();
        Ok(self.open_body(start.symbol, &parameters.request.params))
    }

    fn close(&mut self) -> Result<()> {
        Ok(())
    }

    fn personality(&mut self, _: Val) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> std::result::Result<(), (Block, Refusal)> {
        let splits = std::mem::take(&mut self.splits);
        self.f.order.extend(splits);
        Ok(())
    }

    // Blocks and edges.

    fn create_block(&mut self) -> Block {
        self.f.blocks.push(Default::default());
        Block(self.f.blocks.len() as u32 - 1)
    }

    fn start_block(&mut self, block: Block) {
        self.open_block(block);
        self.block = block;
    }

    fn current_block(&self) -> Option<Block> {
        self.current
    }

    fn block_count(&self) -> usize {
        self.f.blocks.len()
    }

    fn edge(&mut self, to: Block) -> Edge {
        self.new_edge(to)
    }

    fn edge_targets(&self) -> impl ExactSizeIterator<Item = Block> + DoubleEndedIterator {
        self.f.edges.iter().map(|e| e.to)
    }

    fn edge_from(&self, edge: Edge) -> Block {
        self.f.edges[edge.index()].from
    }

    fn split_edge(&mut self, edge: Edge, from: Block) {
        let block = self.create_block();
        self.f.blocks[block.index()].begun = true;
        self.splits.push(block);
        self.f.edges[edge.index()].to = block;
        (self.current, self.block) = (Some(block), from);
    }

    fn append_param(&mut self, block: Block, ty: TypeId) -> (u32, Val) {
        let position = self.f.blocks[block.index()].params.len() as u32;
        (position, self.new_param(block, ty))
    }

    fn set_edge_arg(&mut self, edge: Edge, position: u32, _: TypeId, val: Val) {
        let args = &mut self.f.edges[edge.index()].args;
        let at = position as usize;
        if args.len() <= at {
            args.resize(at + 1, val);
        }
        args[at] = val;
    }

    fn set_block_symbol(&mut self, _: Block, _: SymbolId) {}

    // Values that are defined later.

    fn make_pending(&mut self, ty: TypeId) -> Result<Val> {
        Ok(self.value(ty, Def::Pending))
    }

    fn alias(&mut self, _: TypeId, stand_in: Val, val: Val) {
        if self.f.resolve(val) != stand_in {
            self.f.values[stand_in.0 as usize].def = Def::Alias(val);
        } else {
            self.f.values[stand_in.0 as usize].def = Def::Const(Constant::Poison);
        }
    }

    // Constants.

    fn set_frozen(&mut self, frozen: bool) -> bool {
        self.frozen = frozen;
        // A refused expression has not ended.
        if !self.expressions.is_empty() {
            self.expressions.truncate(1);
            self.end_expression();
        }
        std::mem::take(&mut self.refused)
    }

    fn check_aggregate(&self, _: TypeId) -> Result<()> {
        Ok(())
    }

    fn known(&self, val: Val) -> Known {
        match &self.f.value(val).def {
            Def::Const(Constant::Integer(n)) => Known::Number(*n),
            Def::Const(Constant::Wide(words)) => Known::Number(u128::from(words[0]) | u128::from(words[1]) << 64),
            Def::Const(Constant::Symbol(symbol)) => Known::Symbol(*symbol),
            Def::Const(_) => Known::Constant,
            _ => Known::Nothing,
        }
    }

    fn constant(&mut self, ty: TypeId, constant: Const<'_>) -> Result<Val> {
        let constant = match constant {
            Const::Integer(n) => return Ok(self.integer(ty, n)),
            Const::Wide { words, negative } => return Ok(self.wide(ty, words, negative)),
            Const::Splat(_, lane) if !self.is_known(lane) => return self.splat(ty, lane),
            Const::Vector(lanes) if !lanes.iter().all(|&lane| self.is_known(lane)) => return Ok(self.vector(ty, lanes)),
            Const::Binary(op, a, b) => {
                return match self.known_number(op, ty, a, b) {
                    Some(n) => Ok(self.integer(ty, n)),
                    None => self.fold(Op::Binary { op, ty, a, b }, ty),
                };
            }
            Const::Contents(_) => return Err(Refusal::new("a constant of bytes is not possible here")),
            Const::Float(bits) => Constant::Float(bits),
            Const::Bytes(bytes) => Constant::Bytes(bytes.into()),
            Const::Null => Constant::Null,
            Const::Zero => Constant::Zero,
            Const::Undef => Constant::Undef,
            Const::Poison => Constant::Poison,
            Const::NoToken => Constant::NoToken,
            Const::Splat(_, lane) => Constant::Splat(lane),
            Const::Vector(lanes) => Constant::Vector(lanes.into()),
            Const::Aggregate(members) => Constant::Aggregate(members.into()),
            Const::Symbol { symbol, .. } => Constant::Symbol(symbol),
            Const::BlockAddress { function, block, .. } => {
                let block = match block {
                    LocalName::Number(n) => Ok(n),
                    LocalName::Text(text) => Err(text.into()),
                };
                Constant::BlockAddress(function, block)
            }
            Const::LocalEquivalent(symbol) => Constant::LocalEquivalent(symbol),
            Const::NoCfi(symbol) => Constant::NoCfi(symbol),
            Const::Signed(operands) => Constant::Signed(operands.into()),
        };
        Ok(self.keep_constant(ty, constant))
    }

    // Instructions.

    fn op(&mut self, op: OpRef<'_>) -> Result<(TypeId, Val)> {
        match op {
            Op::Cast { cast, val, ty, .. } => {
                if let Some(n) = self.known_cast(cast, val, ty) {
                    return Ok((ty, self.integer(ty, n)));
                }
            }
            Op::ExtractValue { val, path, .. } => {
                if let Some(member) = self.known_member(val, path) {
                    return Ok((self.type_of(member), member));
                }
            }
            Op::InsertValue { ty, val, element, path } => {
                if let Some(whole) = self.frozen.then(|| self.insertion(ty, val, element, path)).flatten() {
                    return Ok((ty, whole));
                }
            }
            _ => {}
        }
        let ty = self.result_type(&op)?;
        let mut op = op.to_owned(|ty, n| self.integer(ty, n.into()));
        if let Op::LandingPad { clauses, .. } = &mut op {
            for clause in clauses {
                // LLVM's filters are constants, MLIR's are values.
                if let Clause::Filter(_, val) = clause {
                    *val = self.known_aggregate(*val).unwrap_or(*val);
                }
            }
        }
        let ends = op.is_terminator();
        let val = self.fold(op, ty)?;
        if ends {
            self.current = None;
        }
        Ok((ty, val))
    }

    fn call(&mut self, site: &CallSite<'_>, arguments: &mut Box<Arguments>) -> Result<Called> {
        let CallMetadata { convention, ret_attrs, args, attrs, bundles } = std::mem::take(&mut arguments.metadata);
        let request = &arguments.request;
        let mut tail = site.tail;
        let target = match site.target {
            CallTarget::Function(callee) => Target::Function(callee),
            CallTarget::Intrinsic(..) => return Err(Refusal::new("an intrinsic is called by its symbol here")),
            CallTarget::NamedIntrinsic(name) => Target::Intrinsic(name.into()),
            CallTarget::Assembly { template, constraints, words } => {
                tail = if self.ahead.has(Flags::TAIL) { TailKind::Tail } else { TailKind::None };
                Target::Assembly { template: template.into(), constraints: constraints.into(), words: words.into() }
            }
        };
        let convention = match &convention[..] {
            [] if request.convention == Convention::C => "".into(),
            [] => request.convention.llvm_keyword().into(),
            word => String::from_utf8_lossy(word).into(),
        };
        let (ret, forwards, variadic) = (arguments.ret(), arguments.forwards, site.variadic);
        let end = match site.end {
            CallEnd::None => CallEnd::None,
            CallEnd::Invoke(normal, unwind) => CallEnd::Invoke(normal, unwind),
            CallEnd::CallBr(normal, labels) => CallEnd::CallBr(normal, labels.into()),
        };
        let ends = !matches!(end, CallEnd::None);
        let call = Call { target, convention, ret, ret_attrs, args, forwards, variadic, attrs, bundles, tail, end };
        let val = self.push(Op::Call(Box::new(call)), ret);
        if ends {
            self.current = None;
        }
        Ok(Called { val, entry: None })
    }

    fn begin_expression(&mut self, _: bool) -> Result<()> {
        let around = self.take_flags();
        self.expressions.push(around);
        Ok(())
    }

    fn known_insertion(&mut self, ty: TypeId, val: Val, x: Val, index: u32) -> Option<Val> {
        self.insertion(ty, val, x, &[index])
    }
}

impl DebugSink for ProgramBuilder<'_> {
    fn begin_instruction(&mut self) {
        self.before = self.current.map(|block| (block, self.f.blocks[block.index()].insts.len()));
    }
}

impl MetadataSink for ProgramBuilder<'_> {
    const PRESERVES_METADATA: bool = true;

    fn flags(&mut self, flags: Flags) {
        self.ahead = self.ahead.with(flags);
    }

    fn end_expression(&mut self) {
        if let Some(around) = self.expressions.pop() {
            self.ahead = around;
        }
    }

    fn name_value(&mut self, val: Val, name: &[u8]) {
        let name = self.new_name(name);
        self.f.values[val.0 as usize].name = name;
    }

    fn name_block(&mut self, block: Block, name: &[u8]) {
        let name = self.new_name(name);
        self.f.blocks[block.index()].name = name;
    }

    fn attach(&mut self, kind: &[u8], node: Metadata) {
        let attached = match self.last {
            Some(Last::Inst(i)) => &mut self.f.insts[i].attached,
            Some(Last::Param(block, i)) => &mut self.f.blocks[block.index()].params[i].attached,
            None => return,
        };
        attached.push((kind.to_vec(), node));
    }

    fn debug_record(&mut self, kind: &[u8], operands: Vec<Metadata>) {
        let op = Op::DebugRecord(Box::new((kind.to_vec(), operands)));
        let Some((block, at)) = &mut self.before else {
            self.push(op, VOID);
            return;
        };
        let id = self.f.insts.len() as u32;
        self.f.insts.push(Inst { op, ty: VOID, result: None, flags: Flags::default(), attached: Vec::new() });
        self.f.blocks[block.index()].insts.insert(*at, id);
        *at += 1;
    }

    fn instructions(&self) -> usize {
        self.f.insts.len()
    }

    fn attach_from(&mut self, first: usize, kind: &[u8], node: &Metadata) {
        for inst in self.f.insts.iter_mut().skip(first) {
            let takes = !matches!(inst.op, Op::DebugRecord(..)) && inst.attached.iter().all(|a| a.0 != kind);
            if takes {
                inst.attached.push((kind.to_vec(), node.clone()));
            }
        }
    }

    fn opaque_value(&mut self, ty: TypeId) -> Val {
        self.value(ty, Def::Opaque)
    }

    fn opaque(&mut self, op: OpaqueOp) {
        let ends = op.ends;
        self.push(Op::Opaque(Box::new(op)), VOID);
        if ends {
            self.current = None;
        }
    }
}
