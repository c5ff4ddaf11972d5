//! The dialect `llvm`: memory, aggregates, vectors, atomics, intrinsics.
//!
//! MLIR, "'llvm' Dialect".

use gusset_abi::Convention;
use gusset_codegen::ir::{Ordering, RmwOp};
use gusset_lower::find_intrinsic;
use gusset_program::{
    Atomic, CallSite, CallTarget, Const, F64, Flags, FnAttrs, I1, I32, Intrinsic, Kind, Known, PTR, ParamAttrs, Sink,
    TOKEN, TypeId, VOID, Val,
};
use gusset_program::{Index, Op as LlvmOp};
use gusset_text::{Placed, Result};

use super::intrinsics::{address_flags, float_suffix, space_of};
use crate::context::op_kind::Llvm;
use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::syntax::attributes::{AttributeKind, AttributeRef};
use crate::syntax::intrinsics;
use crate::syntax::keywords::rmw_of;
use crate::syntax::lexer::unescape;
use crate::syntax::op::{Mixed, Op, REFUSED, Value};
use crate::syntax::types::Ty;

/// What flags of a reduction mean for the call that it becomes.
fn of_reduction(flags: Flags) -> FnAttrs {
    FnAttrs(if flags.has(Flags::REASSOC) { FnAttrs::REASSOCIATES } else { 0 })
}

impl<'r, E: Sink> Reader<'r, E> {
    /// Converts an operation that only this dialect has.
    pub fn llvm(&mut self, kind: Llvm, op: &mut Op<'r>) -> Result<()> {
        let v = match kind {
            Llvm::Alloca => self.alloca(op),
            Llvm::Load => self.load(op),
            Llvm::Store => return self.store(op),
            Llvm::Gep => self.gep(op),
            Llvm::AddressOf => self.address_of(op),
            Llvm::BlockAddress => return self.block_address(op),
            Llvm::BlockTag => return self.block_tag(op),
            Llvm::IndirectBranch => return self.indirect_branch(op),
            Llvm::Call | Llvm::Invoke => return self.call(op, kind == Llvm::Invoke),
            Llvm::LandingPad => return self.landing_pad(op),
            Llvm::Resume => {
                let (ty, val) = self.whole(self.first_operand(op)?)?;
                return self.l.op(LlvmOp::Resume { ty, val }).map(drop).at(self.src, op.pos);
            }
            Llvm::ExtractValue | Llvm::InsertValue => self.member(op, kind == Llvm::InsertValue),
            Llvm::ExtractElement | Llvm::InsertElement | Llvm::Shuffle => self.lanes(kind, op),
            Llvm::Freeze => {
                let (ty, v) = self.single(self.first_operand(op)?, op.pos)?;
                let v = self.l.freeze(ty, v).at(self.src, op.pos)?;
                Ok(self.value(Ty::of(ty), &[v]))
            }
            Llvm::Fence => {
                let ordering = self.ordering(op, "ordering")?.unwrap_or(Ordering::SeqCst);
                let scope = self.sync_scope(op)?;
                return self.l.op(LlvmOp::Fence { ordering, scope: scope.as_deref() }).map(drop).at(self.src, op.pos);
            }
            Llvm::AtomicRmw => self.atomicrmw(op),
            Llvm::Cmpxchg => self.cmpxchg(op),
            Llvm::VaArg => {
                self.first_operand(op)?;
                let (_, list) = self.pointer(op, 0)?;
                let to = self.result_type(op, 0)?;
                let ty = self.t.whole(to);
                let (_, v) = self.l.op(LlvmOp::VaArg { ty, list }).at(self.src, op.pos)?;
                Ok(self.unpack(to, v))
            }
            Llvm::InlineAsm => return self.inline_asm(op),
            Llvm::CallIntrinsic => {
                let name = self.attr_word(op, "intrin")?.ok_or_else(|| self.missing(op, "intrin"))?;
                let known = name.starts_with(b"llvm.");
                self.src.refuse_if(!known, op.pos, "the name of an intrinsic begins with `llvm.`")?;
                let name = name.strip_prefix(b"llvm.").unwrap_or(name);
                let name = String::from_utf8_lossy(name).into_owned();
                if !op.generic {
                    op.results = op.slot_list(b'R').to_vec();
                }
                return self.intrinsic(&name, op);
            }
            Llvm::NoneToken => {
                let v = self.l.constant(TOKEN, Const::NoToken).at(self.src, op.pos)?;
                Ok(self.value(Ty::of(TOKEN), &[v]))
            }
            Llvm::Intrinsic => return self.named_intrinsic(op),
        }?;
        op.values.push(v);
        Ok(())
    }

    fn address_of(&mut self, op: &Op<'r>) -> Result<Value> {
        let (name, pos) = self.attr_symbol(op, "global_name")?;
        let ty = self.result_type(op, 0)?;
        let whole = self.t.whole(ty);
        let pointer = if E::PRESERVES_METADATA { self.is_pointer(whole) } else { ty == Ty::of(PTR) };
        self.src.refuse_if(!pointer, op.pos, "the address of a symbol is a pointer")?;
        let v = self.symbol_as(whole, &name, pos)?;
        let (v, m) = (self.value(ty, &[v]), self.m);
        let noted = !E::PRESERVES_METADATA && !self.initializing;
        if let Some(variable) = m.lookup(&name).filter(|s| s.tls && noted) {
            self.note_thread_local(v, variable.symbol);
        }
        Ok(v)
    }

    // Memory.

    /// Operand `i`, a pointer, with its memory space.
    fn pointer(&mut self, op: &Op<'r>, i: usize) -> Result<(u8, Val)> {
        let v = op.operands[i];
        let space = v.ty.llvm().and_then(|ty| space_of(self.l.types(), ty));
        match space {
            Some(space) => Ok((space, self.one(v))),
            None => Err(self.src.error(op.pos, "a pointer must stand here")),
        }
    }

    /// The alignment that the operation gives.
    pub fn alignment(&self, op: &Op<'r>) -> Result<Option<u32>> {
        let Some(value) = self.attr(op, "alignment") else { return Ok(None) };
        let said = match value.kind() {
            // The dialect `ptr` has it in a list, which may be empty.
            AttributeKind::Array => value.integers()?.first().copied(),
            _ => Some(value.integer()?),
        };
        let Some(n) = said else { return Ok(None) };
        match u32::try_from(n).ok().filter(|n| n.is_power_of_two() || *n == 0) {
            Some(n) => Ok(Some(n).filter(|&n| n != 0)),
            None => Err(self.src.error(op.pos, "an alignment is a power of two")),
        }
    }

    /// The type of elements, which has a size.
    fn element_of(&mut self, op: &Op<'r>) -> Result<TypeId> {
        let ty = self.attr_type(op, "elem_type")?.or_else(|| op.slot(b'A'));
        let ty = ty.ok_or_else(|| self.missing(op, "elem_type"))?;
        self.check(ty, op.pos)?;
        let ty = self.t.whole(ty);
        self.src.refuse_if(!E::PRESERVES_METADATA && !self.l.types().is_sized(ty), op.pos, "the type has no size")?;
        Ok(ty)
    }

    fn alloca(&mut self, op: &Op<'r>) -> Result<Value> {
        self.operands_are(op, 1)?;
        let ty = self.element_of(op)?;
        let (count_ty, count) = self.single(op.operands[0], op.pos)?;
        let integer = matches!(self.l.types().get(count_ty).kind, Kind::Int);
        self.src.refuse_if(!integer, op.pos, "the number of elements must be an integer")?;
        let align = self.alignment(op)?.unwrap_or_else(|| self.l.types().preferred_align(ty));
        let to = self.result_type(op, 0)?;
        let pointer = self.t.whole(to);
        self.on_stack.stays = true;
        let in_block = op.has("inalloca");
        let alloca = LlvmOp::Alloca { ty: pointer, of: ty, count: Some(count), align, in_block };
        let (_, v) = self.l.op(alloca).at(self.src, op.pos)?;
        Ok(self.value(to, &[v]))
    }

    /// The scope of an atomic access, if it is not the whole system.
    fn sync_scope(&mut self, op: &Op<'r>) -> Result<Option<Vec<u8>>> {
        Ok(self.attr_word(op, "syncscope")?.filter(|scope| !scope.is_empty()).map(unescape))
    }

    fn ordering(&self, op: &Op<'r>, name: &str) -> Result<Option<Ordering>> {
        let Some(value) = self.attr(op, name) else { return Ok(None) };
        let ordering = if value.kind() == AttributeKind::Number {
            let all = ["not_atomic", "unordered", "monotonic", "", "acquire", "release", "acq_rel", "seq_cst"];
            let n = value.integer()? as usize;
            // The dialect `ptr` numbers all of them.
            let n = if n > 2 && op.name.starts_with("ptr.") { n + 1 } else { n };
            all.get(n).and_then(|name| Ordering::from_name(name))
        } else {
            let word = std::str::from_utf8(value.word()).unwrap_or("");
            Some(Ordering::from_name(word).ok_or_else(|| value.expected("a memory ordering"))?)
        };
        Ok(ordering.filter(|&o| o != Ordering::NotAtomic))
    }

    fn is_volatile(&self, op: &Op<'r>) -> bool {
        // The generic form of the dialect `ptr` also writes `false`.
        op.attr("volatile_").map_or(op.has("volatile"), AttributeRef::holds)
    }

    fn load(&mut self, op: &Op<'r>) -> Result<Value> {
        self.operands_are(op, 1)?;
        let (space, addr) = self.pointer(op, 0)?;
        let to = self.result_type(op, 0)?;
        self.check(to, op.pos)?;
        let ty = self.t.whole(to);
        let volatile = self.is_volatile(op);
        let align = self.alignment(op)?;
        let done = match self.ordering(op, "ordering")? {
            Some(ordering) => {
                let access = Atomic { ordering, align, volatile, space: 0 };
                let scope = self.sync_scope(op)?;
                self.l.op(LlvmOp::AtomicLoad { ty, addr, access, scope: scope.as_deref() })
            }
            None => {
                let align = align.unwrap_or_else(|| self.l.types().get(ty).align);
                self.l.op(LlvmOp::Load { ty, addr, align, volatile, space })
            }
        };
        let (_, v) = done.at(self.src, op.pos)?;
        Ok(self.unpack(to, v))
    }

    fn store(&mut self, op: &mut Op<'r>) -> Result<()> {
        self.operands_are(op, 2)?;
        let (space, addr) = self.pointer(op, 1)?;
        let (ty, val) = self.whole(op.operands[0])?;
        let volatile = self.is_volatile(op);
        let align = self.alignment(op)?;
        let done = match self.ordering(op, "ordering")? {
            Some(ordering) => {
                let access = Atomic { ordering, align, volatile, space: 0 };
                let scope = self.sync_scope(op)?;
                self.l.op(LlvmOp::AtomicStore { ty, val, addr, access, scope: scope.as_deref() })
            }
            None => {
                let align = align.unwrap_or_else(|| self.l.types().get(ty).align);
                self.l.op(LlvmOp::Store { ty, val, addr, align, volatile, space })
            }
        };
        done.map(drop).at(self.src, op.pos)
    }

    fn gep(&mut self, op: &Op<'r>) -> Result<Value> {
        self.operands_are(op, 1)?;
        let element = self.element_of(op)?;
        let (base, v) = self.single(op.operands[0], op.pos)?;
        let is_pointer = self.l.types().is_pointer_or_vector(base);
        self.src.refuse_if(!is_pointer, op.pos, "addresses are counted from pointers")?;
        let (from, to) = op.lists.first().copied().unwrap_or((0, 0));
        let mut indices = std::mem::take(&mut self.indices);
        indices.clear();
        for k in from..to {
            indices.push(match op.mixed[k] {
                Mixed::Number(n) => Index::Number(I32, n),
                Mixed::Operand(i) => {
                    let (ty, v) = self.single(op.operands[i], op.pos)?;
                    Index::Value(ty, v)
                }
            });
        }
        // An address in a variable is a constant, as with MLIR's own export.
        let known = E::PRESERVES_METADATA && op.operands.iter().all(|v| self.l.known(self.one(*v)) != Known::Nothing);
        if known {
            self.l.begin_expression(true).at(self.src, op.pos)?;
        }
        self.l.flags(address_flags(op)?);
        let address = LlvmOp::GetElementPtr { of: element, base: (base, v), indices: &indices[..], in_range: None };
        let done = self.l.op(address).at(self.src, op.pos);
        self.indices = indices;
        if known {
            self.l.end_expression();
        }
        let (ty, v) = done?;
        Ok(self.value(Ty::of(ty), &[v]))
    }

    fn atomicrmw(&mut self, op: &Op<'r>) -> Result<Value> {
        self.operands_are(op, 2)?;
        let value = self.need(op, "bin_op")?;
        let rmw = match value.kind() {
            AttributeKind::Number => {
                let number = value.integer()?;
                let rmw = u8::try_from(number).ok().and_then(RmwOp::from_u8);
                rmw.ok_or_else(|| value.error(format!("the operation {number} of `llvm.atomicrmw` is not supported")))?
            }
            _ => {
                let word = value.keyword()?;
                rmw_of(word).ok_or_else(|| {
                    let word = String::from_utf8_lossy(word);
                    value.error(format!("the operation `{word}` of `llvm.atomicrmw` is not supported"))
                })?
            }
        };
        let (_, addr) = self.pointer(op, 0)?;
        let (ty, val) = self.single(op.operands[1], op.pos)?;
        let ordering = self.ordering(op, "ordering")?.ok_or_else(|| self.missing(op, "ordering"))?;
        let access = Atomic { ordering, align: self.alignment(op)?, volatile: self.is_volatile(op), space: 0 };
        let scope = self.sync_scope(op)?;
        let rmw = LlvmOp::AtomicRmw { op: rmw, ty, addr, val, access, scope: scope.as_deref() };
        let (_, v) = self.l.op(rmw).at(self.src, op.pos)?;
        Ok(self.value(Ty::of(ty), &[v]))
    }

    fn cmpxchg(&mut self, op: &Op<'r>) -> Result<Value> {
        self.operands_are(op, 3)?;
        let (_, addr) = self.pointer(op, 0)?;
        let (of, expected) = self.single(op.operands[1], op.pos)?;
        let (other, new) = self.single(op.operands[2], op.pos)?;
        self.src.refuse_if(of != other, op.pos, "the operands are of different types")?;
        let ordering = self.ordering(op, "success_ordering")?.ok_or_else(|| self.missing(op, "success_ordering"))?;
        let failure = self.ordering(op, "failure_ordering")?.ok_or_else(|| self.missing(op, "failure_ordering"))?;
        let access = Atomic { ordering, align: self.alignment(op)?, volatile: self.is_volatile(op), space: 0 };
        let scope = self.sync_scope(op)?;
        self.l.flags(if op.has("weak") { Flags::WEAK } else { Flags::default() });
        let exchange = LlvmOp::CmpXchg { of, addr, expected, new, access, failure, scope: scope.as_deref() };
        let (pair, v) = self.l.op(exchange).at(self.src, op.pos)?;
        Ok(self.value(Ty::of(pair), &[v]))
    }

    // Aggregates and vectors.

    /// `extractvalue`, or `insertvalue`, whose second operand is inserted into the first.
    fn member(&mut self, op: &Op<'r>, insert: bool) -> Result<Value> {
        self.operands_are(op, if insert { 2 } else { 1 })?;
        if insert && let Some(large) = op.operands.iter().find(|v| v.at == REFUSED) {
            // The first operand is the aggregate, which is at least as large as the inserted value.
            return Ok(Value { ty: op.operands[0].ty, ..*large });
        }
        let at = self.need(op, "position")?;
        let (ty, val) = self.whole(op.operands[0])?;
        self.l.check_aggregate(ty).at(self.src, op.pos)?;
        let (mut element, mut path) = (ty, Vec::new());
        at.path(|i| {
            let number = u32::try_from(i).ok();
            let member = number.and_then(|i| Some((i, self.l.types().element(element, i.into())?.0)));
            let (i, inner) = member.ok_or_else(|| self.src.error(op.pos, "the aggregate has no such member"))?;
            path.push(i);
            element = inner;
            Ok(())
        })?;
        if insert {
            let (own, x) = self.whole(op.operands[1])?;
            self.src.refuse_if(own != element, op.pos, "the value is not of the member's type")?;
            let v = self.l.insert_value(ty, val, &path, x).at(self.src, op.pos)?;
            return Ok(self.value(Ty::of(ty), &[v]));
        }
        let (ty, v) = self.l.extract_value(ty, val, &path).at(self.src, op.pos)?;
        Ok(self.value(Ty::of(ty), &[v]))
    }

    fn lanes(&mut self, kind: Llvm, op: &Op<'r>) -> Result<Value> {
        self.operands_are(op, 2)?;
        let (ty, v) = self.single(op.operands[0], op.pos)?;
        let Kind::Vector { lane, len } = self.l.types().get(ty).kind else {
            return Err(self.src.error(op.pos, "the operand must be a vector"));
        };
        match kind {
            Llvm::Shuffle => {
                let (other, b) = self.single(op.operands[1], op.pos)?;
                self.src.refuse_if(other != ty, op.pos, "the operands are of different types")?;
                let mask = self.attr_ints(op, "mask")?.ok_or_else(|| self.missing(op, "mask"))?;
                let limit = 2 * i64::from(len);
                let fits = mask.iter().all(|&n| n < limit) && !mask.is_empty();
                self.src.refuse_if(!fits, op.pos, "the mask names a lane beyond both vectors")?;
                let mask: Vec<u32> = mask.iter().map(|&n| u32::try_from(n).unwrap_or(u32::MAX)).collect();
                let (ty, v) = self.l.shuffle(ty, v, b, &mask).at(self.src, op.pos)?;
                Ok(self.value(Ty::of(ty), &[v]))
            }
            Llvm::ExtractElement => {
                let index = self.single(op.operands[1], op.pos)?;
                let v = self.l.extract_element(ty, v, index).at(self.src, op.pos)?;
                Ok(self.value(Ty::of(lane), &[v]))
            }
            _ => {
                self.operands_are(op, 3)?;
                let (own, x) = self.single(op.operands[1], op.pos)?;
                self.src.refuse_if(own != lane, op.pos, "the value is not of the lanes' type")?;
                let index = self.single(op.operands[2], op.pos)?;
                // Different lanes make a constant in this way, even if some of them are undefined.
                let at = self.l.int_constant(index.1).filter(|&n| n < len.into());
                let v = match at.and_then(|n| self.l.known_insertion(ty, v, x, n as u32)) {
                    Some(v) => v,
                    None => self.l.insert_element(ty, v, x, index).at(self.src, op.pos)?,
                };
                Ok(self.value(Ty::of(ty), &[v]))
            }
        }
    }

    // Intrinsics and assembly.

    /// An operation `llvm.intr.NAME` in any form.
    fn named_intrinsic(&mut self, op: &mut Op<'r>) -> Result<()> {
        let name = op.text.strip_prefix(b"llvm.intr.").unwrap_or(op.text);
        let name = std::str::from_utf8(name).unwrap_or("");
        let generic_note =
            matches!(name, "dbg.value" | "dbg.declare" | "dbg.label" | "experimental.noalias.scope.decl");
        if E::PRESERVES_METADATA && (op.note || op.generic && generic_note) {
            return self.preserved_operation(name, op);
        }
        self.intrinsic(name, op)
    }

    /// Calls one of LLVM's intrinsics with an operation's operands.
    pub fn intrinsic(&mut self, name: &str, op: &mut Op<'r>) -> Result<()> {
        if !E::PRESERVES_METADATA && op.name.starts_with("llvm.intr.matrix.") {
            return self.matrix(name, op);
        }
        if !E::PRESERVES_METADATA && name.starts_with("coro.") {
            let m = "coroutines are split by LLVM's passes first: translate the module to LLVM IR and run \
                     `opt -passes='coro-early,cgscc(coro-split),coro-cleanup,globaldce'`";
            return Err(self.src.error(op.pos, m));
        }
        let pos = op.pos;
        let mut args = Vec::with_capacity(op.operands.len() + 2);
        for k in 0..op.operands.len() {
            args.push(self.whole(op.operands[k])?);
        }
        if args.len() == 2 && matches!(name, "masked.load" | "masked.gather") {
            // The content of masked lanes is not specified.
            let ty = self.result_type(op, 0).map(|ty| self.t.whole(ty))?;
            args.push((ty, self.l.poison_value(ty).at(self.src, pos)?));
        }
        for &(at, attribute, bits) in intrinsics::find(name).map_or(&[][..], |row| row.attributes) {
            let n = match attribute {
                "alignment" => Some(self.alignment(op)?.unwrap_or(1).into()),
                _ => self.attr_int(op, attribute)?,
            };
            let Some(n) = n else { continue };
            let ty = gusset_program::TypeTable::int(bits);
            let v = self.l.integer(ty, n.into());
            args.insert(at.min(args.len()), (ty, v));
        }
        let m = self.m;
        let shape = m.rows.find(op.name.as_bytes()).and_then(|s| s.results.as_ref());
        let gives = !op.results.is_empty() || shape.is_some_and(|results| !results.is_empty());
        let to = if gives { Some(self.result_type(op, 0)?) } else { op.slot(b'R') }.filter(|&ty| ty != Ty::of(VOID));
        let ret = to.map_or(VOID, |ty| self.t.whole(ty));
        if E::PRESERVES_METADATA
            && let ("expect.with.probability", Some(value)) = (name, self.attr(op, "prob"))
        {
            let bits = value.bits(self.l.types().ir(F64))?;
            args.push((F64, self.l.float(F64, bits)));
        }
        let val = match E::PRESERVES_METADATA {
            true => self.noted_intrinsic(name, ret, args, op)?,
            false => {
                let attrs = self.argument_attributes(op)?;
                let reduces = name.starts_with("vector.reduce.f");
                let of_call = of_reduction(if reduces { self.operation_flags(op)? } else { Flags::default() });
                self.attributed_intrinsic((name, of_call), ret, (&args, &attrs), pos)?
            }
        };
        if let Some(to) = to {
            let v = self.unpack(to, val);
            op.values.push(v);
        }
        Ok(())
    }

    /// Calls one of LLVM's intrinsics, named without types.
    pub fn call_intrinsic(&mut self, name: &str, ret: TypeId, args: &[(TypeId, Val)], pos: usize) -> Result<Val> {
        self.call_reduction((name, Flags::default()), ret, args, pos)
    }

    /// Calls an intrinsic with flags; those of a reduction may allow any order.
    pub fn call_reduction(
        &mut self,
        (name, flags): (&str, Flags),
        ret: TypeId,
        args: &[(TypeId, Val)],
        pos: usize,
    ) -> Result<Val> {
        if E::PRESERVES_METADATA {
            return self.preserved_intrinsic((name, flags), ret, args, pos);
        }
        self.attributed_intrinsic((name, of_reduction(flags)), ret, (args, &[]), pos)
    }

    /// Attributes of arguments, as later versions of MLIR write them.
    fn argument_attributes(&mut self, op: &Op<'r>) -> Result<Vec<ParamAttrs>> {
        let Some(list) = op.attr("arg_attrs") else { return Ok(Vec::new()) };
        list.array()?.map(|attrs| crate::syntax::header::param_attrs(attrs?, self.t, self.l.types_mut())).collect()
    }

    /// Calls an intrinsic with attributes, of the call and of the first arguments.
    fn attributed_intrinsic(
        &mut self,
        (name, of_call): (&str, FnAttrs),
        ret: TypeId,
        (args, attrs): (&[(TypeId, Val)], &[ParamAttrs]),
        pos: usize,
    ) -> Result<Val> {
        // Functions of the C library are selected by the type of their numbers.
        let lane = args.first().map_or(ret, |a| a.0);
        let lane = if let Kind::Vector { lane, .. } = self.l.types().get(lane).kind { lane } else { lane };
        // Machine intrinsics have their types in their names.
        let machine = ["x86.", "aarch64.", "arm."].iter().any(|prefix| name.starts_with(prefix));
        let suffix = float_suffix(lane).filter(|_| !machine).map_or(String::new(), |word| format!(".{word}"));
        let full = format!("{name}{suffix}");
        let target = self.m.facts.target;
        let (intrinsic, function) = find_intrinsic(full.as_bytes(), &target, |op| self.m.machine_op(op));
        if matches!(intrinsic, Intrinsic::Unsupported) {
            return Err(self.src.error(pos, format!("the intrinsic `llvm.{name}` is not supported")));
        }
        let libcall = function.and_then(|f| self.m.library_function(&f));
        if libcall.is_none()
            && matches!(
                intrinsic,
                Intrinsic::Libm(_) | Intrinsic::Powi | Intrinsic::Frexp | Intrinsic::Modf | Intrinsic::Sincos
            )
        {
            return Err(self.src.error(pos, format!("C's library has no function `{name}` for this type")));
        }
        if name == "assume" {
            let fits = args.first().is_some_and(|a| a.0 == I1);
            self.src.refuse_if(!fits, pos, "`llvm.intr.assume` takes an `i1`")?;
        }
        if let (Intrinsic::Powi, &[(base, _), (exponent, _)]) = (intrinsic, args) {
            let fits = base == ret && self.l.types().get(exponent).kind == Kind::Int;
            self.src.refuse_if(
                !fits,
                pos,
                "`llvm.intr.powi` takes an integer as exponent, and gives what its base is",
            )?;
        }
        self.s.call.begin(Convention::C, ret, ParamAttrs::default());
        for (i, &(ty, v)) in args.iter().enumerate() {
            self.pass(ty, attrs.get(i).copied().unwrap_or_default(), v, Vec::new());
        }
        let target = CallTarget::Intrinsic(intrinsic, libcall);
        self.make_call(&CallSite { attrs: of_call, ..CallSite::of(target) }, pos)
    }

    fn inline_asm(&mut self, op: &mut Op<'r>) -> Result<()> {
        let template = self.need(op, "asm_string")?.quoted()?;
        let template = &unescape(template)[..];
        let constraints = &self.need(op, "constraints")?.text()?;
        let to = op.results.first().copied().or_else(|| op.slot(b'R')).filter(|&ty| ty != Ty::of(VOID));
        let ret = to.map_or(VOID, |ty| self.t.whole(ty));
        self.s.call.begin(Convention::C, ret, ParamAttrs::default());
        for k in 0..op.operands.len() {
            let (ty, v) = self.whole(op.operands[k])?;
            let list = if E::PRESERVES_METADATA { self.assembly_operand(op, k)? } else { Vec::new() };
            self.pass(ty, ParamAttrs::default(), v, list);
        }
        let words = &self.assembly_words(op)?[..];
        let target = CallTarget::Assembly { template, constraints, words };
        let val = self.make_call(&CallSite::of(target), op.pos)?;
        if let Some(to) = to {
            let v = self.unpack(to, val);
            op.values.push(v);
        }
        Ok(())
    }
}
