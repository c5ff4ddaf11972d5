//! The lowering as a [`Sink`].

use gusset_codegen::debug::{DiLocalVariableId, DiLocationId, DiSubprogramId};
use gusset_codegen::ir::{
    Block, ConstData, DebugLocation, DebugRecord, Edge, Inst, SymbolId, Type, Value, check_unwinding,
};
use gusset_program::{
    Arguments, BranchEdges, CallSite, Called, Const, DebugSink, FnAttrs, FunctionStart, InstLocation, Known,
    MAX_SCALARS, MetadataSink, OpRef, Refusal, Result, Sink, TOKEN, TypeId, TypeTable, Val, VariableRecord, refuse_if,
};

use crate::aggregates::COMPUTED;
use crate::function::FunctionLowering;

impl MetadataSink for FunctionLowering<'_> {
    const PRESERVES_METADATA: bool = false;
}

impl DebugSink for FunctionLowering<'_> {
    fn debug_subprogram(&mut self, node: u32) {
        self.b.func.debug.subprogram = Some(DiSubprogramId(node));
        self.b.func.debug.keeps_variables = self.attrs.has(FnAttrs::OPTNONE);
    }

    #[inline(always)]
    fn debug_location(&mut self, location: Option<InstLocation>) {
        let next = self.b.func.insts.len();
        if self.located < next {
            let location = location.map(|InstLocation { node, line, inlined_at }| DebugLocation {
                id: DiLocationId(node),
                line,
                inlined_at: inlined_at.map(DiLocationId),
            });
            self.b.func.debug.set_location(Inst::new(self.located), location);
            self.located = next;
        }
    }

    fn inlined_call(&mut self, node: u32, inlined_at: Option<u32>) {
        self.b.func.debug.inlined_calls.push((DiLocationId(node), inlined_at.map(DiLocationId)));
    }

    fn begin_instruction(&mut self) {
        self.begun = Some(self.b.func.insts.len());
    }

    fn variable_record(&mut self, record: &VariableRecord<'_>) -> usize {
        let first = self.b.func.debug.operands.len();
        for operand in record.operands {
            let operand = operand.and_then(|(ty, val)| self.debug_operand(ty, val));
            self.b.func.debug.operands.push(operand);
        }
        let debug = &mut self.b.func.debug;
        let record = DebugRecord {
            before: Inst::new(self.begun.unwrap_or(self.b.func.insts.len())),
            kind: record.kind,
            variable: DiLocalVariableId(record.variable),
            inlined_at: None,
            expression: debug.expression(record.expression),
            operands: first as u32..debug.operands.len() as u32,
        };
        debug.records.push(record);
        first
    }

    fn set_record_operand(&mut self, index: usize, ty: TypeId, val: Val) {
        self.b.func.debug.operands[index] = self.debug_operand(ty, val);
    }

    fn set_debug_constants(&mut self, on: bool) {
        self.b.func.set_debug_constants(on);
    }

    fn set_inlined_at(&mut self, node: u32) {
        if let Some(record) = self.b.func.debug.records.last_mut() {
            record.inlined_at = Some(DiLocationId(node));
        }
    }
}

impl FunctionLowering<'_> {
    /// The operand of a debug record: a scalar, or an aggregate of one.
    fn debug_operand(&self, ty: TypeId, val: Val) -> Option<Value> {
        let apart = self.types.dissolves() && self.has_lanes(ty);
        (self.scalars(ty) == 1 && !apart).then(|| self.part(ty, val, 0))
    }
}

impl Sink for FunctionLowering<'_> {
    #[inline(always)]
    fn types(&self) -> &TypeTable {
        self.types
    }

    #[inline(always)]
    fn types_mut(&mut self) -> &mut TypeTable {
        self.types
    }

    fn begin(&mut self, start: &FunctionStart<'_>, parameters: &mut Box<Arguments>) -> Result<Vec<Val>> {
        std::mem::swap(&mut self.s.call, parameters);
        let begun = self.begin_with_call(start);
        std::mem::swap(&mut self.s.call, parameters);
        begun
    }

    fn close(&mut self) -> Result<()> {
        self.check_forwarded()?;
        self.write_cleanup()?;
        self.finish_preallocated();
        self.check_escapes()?;
        self.finish_stack_maps();
        Ok(())
    }

    fn personality(&mut self, routine: Val) -> Result<()> {
        match self.b.func.constant(routine.value()) {
            Some(ConstData::Symbol(symbol, 0)) => {
                self.b.func.exceptions.personality = Some(symbol);
                self.personality = self.m.personality(symbol);
            }
            // Null: exceptions pass through the function.
            Some(ConstData::Int(0) | ConstData::Poison) => self.passes = true,
            _ => return Err(Refusal::new("the personality routine must be a function's symbol")),
        }
        Ok(())
    }

    #[inline]
    fn start_block(&mut self, block: Block) {
        self.b.switch_to(block);
        self.block = block;
    }

    #[inline]
    fn edge(&mut self, to: Block) -> Edge {
        if !self.s.wide_phis.is_empty() {
            self.copy_phis();
        }
        self.s.edge_from.push(self.block);
        self.b.func.make_edge(to)
    }

    #[inline]
    fn edge_from(&self, edge: Edge) -> Block {
        self.s.edge_from[edge.index()]
    }

    fn split_edge(&mut self, edge: Edge, from: Block) {
        let new = self.b.create_block();
        self.b.func.edges[edge.index()].to = new;
        self.b.switch_to(new);
        self.block = from;
    }

    fn set_frozen(&mut self, frozen: bool) -> bool {
        self.frozen = frozen;
        std::mem::take(&mut self.refused)
    }

    #[inline]
    fn check_aggregate(&self, ty: TypeId) -> Result<()> {
        refuse_if(!self.types.is_sized(ty), "a value of this type is not possible here")?;
        let most = if self.contents { u32::MAX - 1 } else { MAX_SCALARS };
        if self.types.get(ty).scalars > most {
            return Err(Refusal::new(format!("values of more than {most} scalars are not supported")));
        }
        Ok(())
    }

    #[inline(always)]
    fn create_block(&mut self) -> Block {
        self.b.create_block()
    }

    #[inline(always)]
    fn current_block(&self) -> Option<Block> {
        self.b.current_block()
    }

    fn block_count(&self) -> usize {
        self.b.func.blocks.len()
    }

    #[inline]
    fn edge_targets(&self) -> impl ExactSizeIterator<Item = Block> + DoubleEndedIterator {
        self.b.func.edges.iter().map(|e| e.to)
    }

    fn append_param(&mut self, block: Block, ty: TypeId) -> (u32, Val) {
        let position = self.b.func.params(block).len() as u32;
        let val = match self.types.ir(ty) {
            Type::VOID => self.each_leaf(ty, |l, leaf| {
                let came = l.b.func.append_param(block, leaf.ir);
                l.wide_bits(leaf.ty).map_or(came, |bits| l.wide_phi(block, bits, came))
            }),
            ir => self.b.func.append_param(block, ir).into(),
        };
        (position, val)
    }

    #[inline]
    fn set_edge_arg(&mut self, edge: Edge, position: u32, ty: TypeId, val: Val) {
        for i in 0..self.scalars(ty) {
            let v = self.part(ty, val, i);
            self.b.func.set_edge_arg(edge, position as usize + i, v);
        }
    }

    fn set_branch_weights(&mut self, edges: BranchEdges, weights: &[u32]) {
        if weights.len() == edges.count {
            let skipped = usize::from(edges.default_is_last);
            for (k, &weight) in weights.iter().cycle().skip(skipped).take(edges.count).enumerate() {
                self.b.func.set_edge_weight(Edge::new(edges.first.index() + k), weight.max(1));
            }
        }
    }

    fn set_block_symbol(&mut self, block: Block, symbol: SymbolId) {
        self.b.func.block_symbols.push((block, symbol));
    }

    fn known_insertion(&mut self, ty: TypeId, val: Val, x: Val, index: u32) -> Option<Val> {
        if self.types.is_dissolved(ty) {
            let i = self.b.iconst(Type::I32, index.into());
            return Some(self.insert_into_lanes(ty, val, x, i.into()));
        }
        self.vector_with(ty, val.value(), x.value(), index)
    }

    fn make_pending(&mut self, ty: TypeId) -> Result<Val> {
        match self.types.ir(ty) {
            _ if ty == TOKEN => Ok(self.s.pending_token()),
            Type::VOID => {
                self.check_aggregate(ty)?;
                refuse_if(self.contents, COMPUTED)?;
                Ok(self.each_leaf(ty, |l, leaf| l.b.func.make_pending(leaf.ir)))
            }
            ir => Ok(self.b.func.make_pending(ir).into()),
        }
    }

    fn alias(&mut self, ty: TypeId, stand_in: Val, val: Val) {
        self.aliased = true;
        if ty == TOKEN {
            return self.s.meet_token(stand_in, val);
        }
        for i in 0..self.scalars(ty) {
            let (stand_in, value) = (self.part(ty, stand_in, i), self.part(ty, val, i));
            // Phis in unreachable code that only refer to each other leave the stand-in itself, which may have any
            // value.
            let value = if self.b.func.resolve(value) == stand_in {
                let ir = self.b.func.value_type(stand_in);
                self.b.poison(ir)
            } else {
                value
            };
            self.b.func.alias(stand_in, value);
        }
    }

    fn finish(&mut self) -> std::result::Result<(), (Block, Refusal)> {
        if self.aliased {
            self.b.func.resolve_operands();
        }
        self.resolve_pads().map_err(|why| (self.entry, why))?;
        if !self.unwinds {
            self.b.func.exceptions.personality = None;
            return Ok(());
        }
        check_unwinding(self.b.func)
            .map_err(|(block, _, why)| (block, Refusal::new(format!("exceptions in this block: {why}"))))
    }

    #[inline]
    fn known(&self, val: Val) -> Known {
        match self.b.func.constant(val.value()) {
            Some(ConstData::Int(n)) => Known::Number(n),
            Some(ConstData::Symbol(symbol, 0)) => Known::Symbol(symbol),
            Some(_) => Known::Constant,
            None => Known::Nothing,
        }
    }

    #[inline(always)]
    fn constant(&mut self, ty: TypeId, constant: Const<'_>) -> Result<Val> {
        self.make_constant(ty, constant)
    }

    fn begin_expression(&mut self, folds: bool) -> Result<()> {
        if folds { Ok(()) } else { self.check_unfrozen() }
    }

    fn holds_contents(&self) -> bool {
        self.contents
    }

    #[inline(always)]
    fn op(&mut self, op: OpRef<'_>) -> Result<(TypeId, Val)> {
        self.lower(op)
    }

    #[inline(always)]
    fn call(&mut self, site: &CallSite<'_>, arguments: &mut Box<Arguments>) -> Result<Called> {
        if !self.s.wide_phis.is_empty() {
            self.copy_phis();
        }
        std::mem::swap(&mut self.s.call, arguments);
        let called = self.make_call(site);
        std::mem::swap(&mut self.s.call, arguments);
        called
    }
}
