//! The methods of the sink.

use gusset_abi::Convention;
use gusset_codegen::ir::{Block, Callee, Edge, Opcode, SymbolId, TailKind, Value};
use gusset_program::{
    Argument, Attribute, Call, CallEnd, Clause, Constant, Def, Flags, I1, I64, Index, Kind, LocalName, Metadata, Op,
    OpRef, OpaqueOp, Owned, PTR, Refusal, Result, TOKEN, Target, TypeId, TypeTable, VOID, Val, convention_name,
};

use super::constants::path;
use super::{Last, Open, Recorder};
use crate::aggregates::Element;
use crate::assembly::Assembly;
use crate::attributes::{FnAttrs, ParamAttrs, Values};
use crate::calls::{CallSite, Called};
use crate::intrinsics::Intrinsic;
use crate::signatures::Request;
use crate::sink::Sink;

impl Recorder<'_> {
    /// Makes the call whose arguments have been taken.
    fn take_call(&mut self, target: Target, variadic: Option<usize>, tail: TailKind) -> Val {
        let Open { convention, ret, ret_attrs, args, forwards } = std::mem::take(&mut self.call);
        let attrs = std::mem::take(&mut self.ahead.attributes);
        let bundles = std::mem::take(&mut self.ahead.bundles);
        let end = CallEnd::None;
        let call = Call { target, convention, ret, ret_attrs, args, forwards, variadic, attrs, bundles, tail, end };
        self.push(Op::Call(Box::new(call)), ret)
    }

    fn ordinary_call(&mut self, callee: Callee, ret: TypeId, args: &[(TypeId, Value)]) -> Val {
        self.call = Open::default();
        self.call.ret = ret;
        self.call.args = args.iter().map(|a| Argument::Value(Val(a.1.0), Vec::new())).collect();
        self.take_call(Target::Function(callee), None, TailKind::None)
    }

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
            Op::ExtractValue { of, path, .. } => Element::at_path(self.types, of, path)?.ty,
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

    fn pointer_taken(&mut self) -> TypeId {
        self.ahead.pointer.take().unwrap_or(PTR)
    }
}

/// Whether an instruction in a constant expression may be one of LLVM's constant expressions.
fn may_fold(op: &Op<Owned>) -> bool {
    matches!(
        op,
        Op::Cast { .. }
            | Op::Compare { .. }
            | Op::Select { .. }
            | Op::ExtractElement { .. }
            | Op::InsertElement { .. }
            | Op::ShuffleVector { .. }
            | Op::GetElementPtr { .. }
    )
}

/// What never comes, since calls of intrinsics are calls here.
fn no_intrinsic() -> Refusal {
    Refusal::new("an intrinsic is called by its symbol here")
}

impl Sink for Recorder<'_> {
    const PRESERVES_METADATA: bool = true;

    fn types(&self) -> &TypeTable {
        self.types
    }

    fn types_mut(&mut self) -> &mut TypeTable {
        self.types
    }

    // The function, whose header is the module's.

    fn begin_header(&mut self, _: Convention, _: TypeId, _: ParamAttrs, _: bool) {
        self.ahead = Default::default();
        self.params.clear();
    }

    fn parameter(&mut self, ty: TypeId, _: ParamAttrs) -> Result<()> {
        self.ahead.attributes.clear();
        self.params.push(ty);
        Ok(())
    }

    fn variadic_parameters(&mut self) {}

    fn begin(&mut self, symbol: SymbolId, _: FnAttrs, _: Option<&Values>) -> Result<Vec<Val>> {
        Ok(self.open_body(symbol))
    }

    fn enter(&mut self, _: Option<&Values>, _: usize) -> Result<()> {
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        Ok(())
    }

    fn personality(&mut self, _: Val) -> Result<()> {
        Ok(())
    }

    fn settle_unwinding(&mut self) -> std::result::Result<(), (Block, Refusal)> {
        let splits = std::mem::take(&mut self.splits);
        self.f.order.extend(splits);
        Ok(())
    }

    fn is_scattered(&self) -> bool {
        false
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

    fn has_begun(&self, block: Block) -> bool {
        self.f.blocks[block.index()].begun
    }

    fn missing_block(&self) -> Option<Block> {
        self.f.blocks.iter().position(|b| !b.begun).map(Block::new)
    }

    fn block_count(&self) -> usize {
        self.f.blocks.len()
    }

    fn block(&self) -> Block {
        self.block
    }

    fn entry(&self) -> Block {
        Block(0)
    }

    fn edge(&mut self, to: Block) -> Edge {
        self.new_edge(to)
    }

    fn edge_count(&self) -> usize {
        self.f.edges.len()
    }

    fn edge_to(&self, edge: Edge) -> Block {
        self.f.edges[edge.index()].to
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

    fn param_count(&self, block: Block) -> u32 {
        self.f.blocks[block.index()].params.len() as u32
    }

    fn append_param(&mut self, block: Block, ty: TypeId) -> Val {
        self.new_param(block, ty)
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

    fn resolve_operands(&mut self) {}

    // Constants.

    fn set_frozen(&mut self, frozen: bool) {
        (self.frozen, self.refused) = (frozen, false);
        // A refused expression has not ended.
        if !self.expressions.is_empty() {
            self.expressions.truncate(1);
            self.end_expression();
        }
    }

    fn was_refused(&self) -> bool {
        self.refused
    }

    fn check_aggregate(&self, _: TypeId) -> Result<()> {
        Ok(())
    }

    fn check_scalar(&self, _: TypeId) -> Result<()> {
        Ok(())
    }

    fn check_instruction(&mut self) -> Result<()> {
        Ok(())
    }

    fn int_constant(&self, val: Val) -> Option<u128> {
        match &self.f.value(val).def {
            Def::Const(Constant::Integer(n)) => Some(*n),
            Def::Const(Constant::Wide(words)) => Some(u128::from(words[0]) | u128::from(words[1]) << 64),
            _ => None,
        }
    }

    fn callee(&self, val: Val) -> Callee {
        match self.f.value(val).def {
            Def::Const(Constant::Symbol(symbol)) => Callee::Symbol(symbol),
            _ => Callee::Value(val.value()),
        }
    }

    fn integer(&mut self, ty: TypeId, n: i128) -> Val {
        let bits = self.types.bits(ty);
        let n = if bits < 128 { n as u128 & ((1 << bits) - 1) } else { n as u128 };
        if bits <= 128 {
            return self.constant(ty, Constant::Integer(n));
        }
        self.wide(ty, &[n as u64, (n >> 64) as u64], (n as i128) < 0)
    }

    fn wide(&mut self, ty: TypeId, words: &[u64], negative: bool) -> Val {
        let bits = self.types.bits(ty) as usize;
        let above = if negative { u64::MAX } else { 0 };
        let mut all: Vec<u64> = words.to_vec();
        all.resize(bits.div_ceil(64).max(2), above);
        if bits <= 128 {
            return self.integer(ty, (u128::from(all[0]) | u128::from(all[1]) << 64) as i128);
        }
        if let (Some(last), false) = (all.last_mut(), bits.is_multiple_of(64)) {
            *last &= (1 << (bits % 64)) - 1;
        }
        self.constant(ty, Constant::Wide(all.into()))
    }

    fn float(&mut self, ty: TypeId, bits: u128) -> Val {
        self.constant(ty, Constant::Float(bits))
    }

    fn string(&mut self, ty: TypeId, bytes: &[u8]) -> Result<Val> {
        Ok(self.constant(ty, Constant::Bytes(bytes.into())))
    }

    fn null(&mut self, ty: TypeId) -> Val {
        self.constant(ty, Constant::Null)
    }

    fn symbol_address(&mut self, symbol: SymbolId, _: bool) -> Result<Val> {
        let ty = self.pointer_taken();
        Ok(self.constant(ty, Constant::Symbol(symbol)))
    }

    fn block_address(&mut self, function: SymbolId, block: LocalName<'_>, _: Option<SymbolId>) -> Result<Val> {
        let ty = self.pointer_taken();
        let block = match block {
            LocalName::Number(n) => Ok(n),
            LocalName::Text(text) => Err(text.into()),
        };
        Ok(self.constant(ty, Constant::BlockAddress(function, block)))
    }

    fn zero_value(&mut self, ty: TypeId) -> Result<Val> {
        Ok(self.constant(ty, Constant::Zero))
    }

    fn poison_value(&mut self, ty: TypeId) -> Result<Val> {
        Ok(self.constant(ty, Constant::Poison))
    }

    fn undef_value(&mut self, ty: TypeId) -> Result<Val> {
        Ok(self.constant(ty, Constant::Undef))
    }

    fn splat(&mut self, ty: TypeId, _: TypeId, lane: Val) -> Result<Val> {
        if self.is_known(lane) {
            return Ok(self.constant(ty, Constant::Splat(lane)));
        }
        let (any, first) = (self.constant(ty, Constant::Poison), self.integer(I64, 0));
        let single = self.push(Op::InsertElement { ty, val: any, element: lane, index: (I64, first) }, ty);
        let Kind::Vector { len, .. } = self.types.get(ty).kind else {
            return Err(Refusal::new("this is no vector"));
        };
        let mask = vec![0; len as usize].into();
        Ok(self.push(Op::ShuffleVector { of: ty, a: single, b: any, mask }, ty))
    }

    fn vector(&mut self, ty: TypeId, lanes: &[Value]) -> Result<Val> {
        let lanes: Vec<Val> = lanes.iter().map(|&v| v.into()).collect();
        let known: Vec<bool> = lanes.iter().map(|&v| self.is_known(v)).collect();
        if known.iter().all(|&known| known) {
            return Ok(self.constant(ty, Constant::Vector(lanes.into())));
        }
        let mut val = self.constant(ty, Constant::Poison);
        for (i, lane) in lanes.into_iter().enumerate() {
            let i = self.integer(I64, i as i128);
            val = self.push(Op::InsertElement { ty, val, element: lane, index: (I64, i) }, ty);
        }
        Ok(val)
    }

    fn begin_aggregate(&mut self, ty: TypeId) -> Result<Val> {
        Ok(self.constant(ty, Constant::Aggregate(Vec::new())))
    }

    fn set_member(&mut self, aggregate: Val, _: Element, x: Val) {
        if let Def::Const(Constant::Aggregate(members)) = &mut self.f.values[aggregate.0 as usize].def {
            members.push(x);
        }
    }

    fn binary_constant(&mut self, op: Opcode, ty: TypeId, a: Val, b: Val) -> Result<Val> {
        match self.known_number(op, ty, a, b) {
            Some(n) => Ok(self.integer(ty, n)),
            None => self.fold(Op::Binary { op, ty, a, b }, ty),
        }
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
        let val = if may_fold(&op) { self.fold(op, ty)? } else { self.push(op, ty) };
        if ends {
            self.current = None;
        }
        Ok((ty, val))
    }

    fn extract_value(&mut self, ty: TypeId, val: Val, element: Element) -> Val {
        let path = path(self.types, ty, element);
        if let Some(member) = self.known_member(val, &path) {
            return member;
        }
        self.push(Op::ExtractValue { of: ty, val, path: path.into() }, element.ty)
    }

    fn insert_value(&mut self, ty: TypeId, val: Val, element: Element, x: Val) -> Val {
        let path = path(self.types, ty, element);
        if let Some(whole) = self.frozen.then(|| self.insertion(ty, val, x, &path)).flatten() {
            return whole;
        }
        self.push(Op::InsertValue { ty, val, element: x, path: path.into() }, ty)
    }

    // Calls.

    fn begin_call(&mut self, convention: Convention, ret: TypeId, _: ParamAttrs) {
        let named = self.ahead.convention.take();
        let convention = named.unwrap_or_else(|| convention_name(convention).into());
        let ret_attrs = std::mem::take(&mut self.ahead.attributes);
        self.call = Open { convention, ret, ret_attrs, ..Open::default() };
    }

    fn begin_operation(&mut self) {
        self.call.args.clear();
    }

    fn arguments(&self) -> usize {
        self.call.args.len()
    }

    fn request(&self) -> &Request {
        &self.request
    }

    fn argument(&mut self, _: TypeId, _: ParamAttrs, val: Val) -> Result<()> {
        let attrs = std::mem::take(&mut self.ahead.attributes);
        self.call.args.push(Argument::Value(val, attrs));
        Ok(())
    }

    fn metadata_argument(&mut self, text: &[u8]) {
        self.metadata(Metadata::String(text.to_vec()));
    }

    fn forward_unnamed(&mut self) {
        self.call.forwards = true;
    }

    fn call(&mut self, site: &CallSite) -> Result<Called> {
        let val = self.take_call(Target::Function(site.callee), site.variadic, site.tail);
        Ok(Called { val, entry: None })
    }

    fn intrinsic(&mut self, _: Intrinsic, _: Option<SymbolId>, _: TypeId, _: FnAttrs) -> Result<Val> {
        Err(no_intrinsic())
    }

    fn nothing(&mut self, _: TypeId) -> Result<Val> {
        Err(no_intrinsic())
    }

    fn libcall(&mut self, symbol: SymbolId, ret: TypeId, args: &[(TypeId, Value)]) -> Result<Value> {
        Ok(self.ordinary_call(Callee::Symbol(symbol), ret, args).value())
    }

    fn inline_assembly(
        &mut self,
        ret: TypeId,
        _: Assembly,
        side_effect: bool,
        constraints: &str,
    ) -> Result<(Val, usize)> {
        let labels = constraints.split(',').filter(|c| c.starts_with('!')).count();
        let side_effect = if side_effect { vec!["sideeffect"] } else { Vec::new() };
        let (template, words) = self.ahead.assembly.take().unwrap_or((Vec::new(), side_effect));
        let target = Target::Assembly { template, constraints: constraints.into(), words };
        self.call.ret = ret;
        let tail = if self.ahead.flags.has(Flags::TAIL) { TailKind::Tail } else { TailKind::None };
        Ok((self.take_call(target, None, tail), labels))
    }

    fn setup_preallocated(&mut self, _: u32) -> Val {
        Val::default()
    }

    fn preallocated_argument(&mut self, _: usize, _: Option<u32>, _: ParamAttrs) -> Result<Val> {
        Err(no_intrinsic())
    }

    fn close_preallocated(&mut self, _: usize) {}

    // Terminators and exceptions.

    fn invoke(&mut self, normal: Edge, unwind: Edge, _: bool) {
        self.end_call(CallEnd::Invoke(normal, unwind));
    }

    fn end_callbr(&mut self, normal: Block, labels: &[Block]) {
        let normal = self.new_edge(normal);
        let labels = labels.iter().map(|&to| self.new_edge(to)).collect();
        self.end_call(CallEnd::CallBr(normal, labels));
    }

    // What is carried.

    fn flags(&mut self, flags: Flags) {
        self.ahead.flags = self.ahead.flags.with(flags);
    }

    fn attributes(&mut self, attributes: Vec<Attribute>) {
        self.ahead.attributes = attributes;
    }

    fn convention(&mut self, name: &[u8]) {
        self.ahead.convention = Some(String::from_utf8_lossy(name).into());
    }

    fn bundle(&mut self, tag: &[u8], operands: Vec<Argument>) {
        self.ahead.bundles.push((tag.to_vec(), operands));
    }

    fn pointer_type(&mut self, ty: TypeId) {
        self.ahead.pointer = Some(ty);
    }

    fn assembly(&mut self, template: &[u8], words: &[&'static str]) {
        self.ahead.assembly = Some((template.to_vec(), words.to_vec()));
    }

    fn begin_expression(&mut self) {
        let around = self.take_flags();
        self.expressions.push(around);
    }

    fn end_expression(&mut self) {
        if let Some(around) = self.expressions.pop() {
            self.ahead.flags = around;
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

    fn metadata(&mut self, operand: Metadata) {
        self.call.args.push(Argument::Metadata(operand));
    }

    fn debug_record(&mut self, kind: &[u8], operands: Vec<Metadata>) {
        self.push(Op::DebugRecord(Box::new((kind.to_vec(), operands))), VOID);
    }

    fn call_intrinsic(&mut self, name: &[u8]) -> Result<Val> {
        Ok(self.take_call(Target::Intrinsic(name.into()), None, TailKind::None))
    }

    fn is_constant(&self, val: Val) -> bool {
        self.is_known(val)
    }

    fn known_insertion(&mut self, ty: TypeId, val: Val, x: Val, index: u32) -> Option<Val> {
        self.insertion(ty, val, x, &[index])
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

    fn local_equivalent(&mut self, symbol: SymbolId) -> Result<Val> {
        let ty = self.pointer_taken();
        Ok(self.constant(ty, Constant::LocalEquivalent(symbol)))
    }

    fn no_cfi(&mut self, symbol: SymbolId) -> Result<Val> {
        let ty = self.pointer_taken();
        Ok(self.constant(ty, Constant::NoCfi(symbol)))
    }

    fn signed_pointer(&mut self, ty: TypeId, operands: Vec<Val>) -> Result<Val> {
        Ok(self.constant(ty, Constant::Signed(operands.into())))
    }

    fn none_token(&mut self) -> Result<Val> {
        Ok(self.constant(TOKEN, Constant::NoToken))
    }
}
