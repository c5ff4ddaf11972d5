//! What the shared selection for Arm's families asks of this family.

use gusset_abi::Env;
use gusset_abi::features::Hardening;
use gusset_codegen::buffer::{CodeBuffer, Label, RelocTarget};
use gusset_codegen::error::Result;
use gusset_codegen::ir::{
    ConstData, Function, InstData, IntCc, Module, Opcode, Ordering, RmwOp, SymbolId, Type, Value,
};
use gusset_codegen::machine::{Candidate, FrameAddr, PReg, PartKind};

use super::branch::{self};
use super::constant;
use super::operand::*;
use super::{atomic, float, int, machine, memory, system, tls, vector, wide};
use crate::arm::encode::Asm;
use crate::arm::encode::neon::*;
use crate::arm::encode::ops::*;
use crate::arm::machine::{Arm, Place};
use crate::arm::reg::{Cond, Flags, Gpr, IP, Lane, Mem, Operand, PC, SP, Shift, Vreg};
use crate::arm::registers::QTEMP;
use crate::arm::reloc;
use crate::shared::arm::atomic::order;
use crate::shared::arm::fold::masked_field;
use crate::shared::windows;

impl Family for Arm {
    const NAME: &'static str = "ARM";
    const WORD: Type = Type::I32;
    const TEMP: Gpr = IP;
    const STACK: Gpr = SP;
    const CHOOSES_IN_PLACE: bool = true;
    const BIT: Option<fn(Gpr, u32) -> Gpr> = None;
    type Width = ();
    type Tested = Gpr;
    type Vreg = Vreg;
    type Vop = Vop;
    type Asm<'b> = Asm<'b>;
    const PICK: Vop = V_BSL;
    const INSERT: Vop = V_BIT;
    const FUSED: Vop = V_FMA;
    const NOT: Vop = V_MVN;
    const PAIRS: Vop = V_PADDL_U;
    const OR: Vop = V_ORR;
    const COMPARES_NUMBERS: [Vop; 3] = [V_FCEQ, V_FCGT, V_FCGE];
    const REVERSES: [Vop; 3] = [V_REV16, V_REV32, V_REV64];
    const VECTOR_TEMP: PReg = QTEMP;
    type Mem = Mem;
    type Reach = Reach;

    fn encoder<'b>(&self, buf: &'b mut CodeBuffer) -> Asm<'b> {
        self.asm(buf)
    }

    fn width(_: Type) {}

    fn whole(_: (), x: Gpr) -> Gpr {
        x
    }

    fn truth(x: Gpr) -> Gpr {
        x
    }

    fn extend(&self, e: &mut Asm<'_>, _: (), signed: bool, d: Gpr, x: Gpr, bits: u32) {
        if signed && bits == 1 {
            // Truth values are 0 or 1.
            return e.data(RSB, Flags::Free, d, x, 0);
        }
        extend_bits(self, e, signed, d, x, bits);
    }

    fn vector_register(r: PReg) -> Vreg {
        vector::q(r)
    }

    fn compares(cc: IntCc) -> Vop {
        match cc {
            IntCc::Eq | IntCc::Ne => V_CEQ,
            IntCc::Ugt | IntCc::Sgt => V_CGT.sign(cc == IntCc::Ugt),
            _ => V_CGE.sign(cc == IntCc::Uge),
        }
    }

    fn shifts(unsigned: bool) -> Vop {
        V_SHL.sign(unsigned)
    }

    fn vector_op(&self, op: Opcode, ty: Type) -> Option<(Vop, bool)> {
        vector::form(self, op, ty).map(|op| (op, op.form.has_two()))
    }

    fn emit_trap(&self, e: &mut Asm<'_>) {
        // As LLVM, in A32 alone.
        if self.features.nacl_trap && !self.features.thumb { e.trap(UDF, 0xede0) } else { e.stop(Opcode::Trap) }
    }

    fn put_vector(&self, e: &mut Asm<'_>, d: Vreg, bits: u128) {
        constant::vector(self, e, d, bits);
    }

    fn compare_extension(&self, e: &mut Asm<'_>, x: Gpr, ty: Type, signed: bool) {
        extend_bits(self, e, signed, IP, x, ty.bits());
        e.compare(CMP, x, IP);
    }

    fn reverse(&self, e: &mut Asm<'_>, _: (), bytes: bool, d: Gpr, x: Gpr) {
        if bytes { swap_bytes(self, e, d, x) } else { swap_bits(self, e, d, x) }
    }

    fn barrier(&self, e: &mut Asm<'_>, wanted: bool) {
        if !wanted {
        } else if self.features.version >= 7 {
            e.barrier(DMB, 11);
        } else {
            // What was there before it: an operation of the system coprocessor.
            let t = e.temp();
            e.mov_number(Flags::Keep, t, 0);
            e.coprocessor(MCR, (15, 0), t, (7, 10), 5);
        }
    }

    fn load_ordered(&self, e: &mut Asm<'_>, bytes: u32, o: Ordering, t: Gpr, n: Gpr) {
        e.access(memory::load_op(bytes, false), t, Mem::Base(n, 0));
        self.barrier(e, order(o).0);
    }

    fn store_ordered(&self, e: &mut Asm<'_>, bytes: u32, o: Ordering, t: Gpr, n: Gpr) {
        self.barrier(e, order(o).1);
        e.access(memory::store_op(bytes), t, Mem::Base(n, 0));
        self.barrier(e, o == Ordering::SeqCst);
    }

    fn update_at_once(&self, _: &mut Asm<'_>, _: RmwOp, _: Type, _: (bool, bool), _: (Gpr, Gpr, Gpr)) -> bool {
        false
    }

    fn exchange_at_once(&self, _: &mut Asm<'_>, _: Type, _: (bool, bool), _: (Gpr, Gpr), _: (Gpr, Gpr)) -> bool {
        false
    }

    fn atomic_pair(cx: &mut Cx<'_>, d: &Node) -> Result {
        atomic::pair_access(cx, d)
    }

    fn load_guard(&self, e: &mut Asm<'_>, module: &Module, d: Gpr) {
        if let Some(register) = self.thread_register().filter(|_| module.stack_guard.of_thread) {
            e.thread_pointer(d, register);
            return e.load_word(d, d, module.stack_guard.offset.unwrap_or(0));
        }
        let guard = RelocTarget::LibCall(windows::guard(self.has_microsoft_library()));
        let place = match self.features.data_moves {
            true => Place::Based,
            false if self.pic => Place::Table,
            false => Place::Near,
        };
        constant::address(self, e, d, guard, 0, place);
        e.load_word(d, d, 0);
    }

    fn has_microsoft_library(&self) -> bool {
        self.windows == Some(Env::Msvc)
    }

    fn has_floats(&self, ty: Type) -> bool {
        match ty {
            Type::F32 => self.features.vfp,
            Type::F64 => self.features.double,
            Type::F16 => self.features.half,
            _ => false,
        }
    }

    fn has_product_sum(&self, user: &InstData) -> bool {
        // Before version 6, the sum must be in another register than the first factor.
        match user.op {
            Opcode::Iadd => self.features.version >= 6,
            Opcode::Isub => self.features.has_t2(),
            _ => false,
        }
    }

    fn can_fold_more(f: &Function, Candidate { user, arg, def, .. }: Candidate<'_>) -> bool {
        use Opcode::*;
        match def.op {
            // Whether both are zero.
            Or => {
                let of_zero = matches!(IntCc::from_u8(user.flags), Some(IntCc::Eq | IntCc::Ne));
                user.op == Icmp
                    && arg == 0
                    && def.ty == Type::I32
                    && of_zero
                    && f.int_constant(Value(user.b)) == Some(0)
            }
            Fmul => matches!(user.op, Fadd | Fsub) && matches!(def.ty, Type::F32 | Type::F64),
            Fneg => user.op == Fmul && matches!(def.ty, Type::F32 | Type::F64),
            _ => int::is_change(f, user, arg, def),
        }
    }

    fn change_if(cx: &mut Cx<'_>, d: &Node) -> Option<Result> {
        int::change_if(cx, d)
    }

    fn has_type(ty: Type) -> bool {
        !matches!(ty, Type::F80 | Type::F128)
    }

    fn select_own(cx: &mut Cx<'_>, d: &Node) -> Result {
        use Opcode::*;
        match d.op {
            Load => memory::load(cx, d),
            Store => memory::store(cx, d),
            Memcpy | Memmove | Memset => memory::block(cx, d),
            Fence => atomic::fence(cx, d),
            TlsAddr => tls::address(cx, d),
            Machine | MachineEffect => machine::select(cx, d),
            Prefetch => memory::prefetch(cx, d),
            VaCopy => memory::va_copy(cx, d),
            Index => int::index_address(cx, d),
            Bitcast => float::bitcast(cx, d),
            ExtractLane => vector::extract(cx, d),
            InsertLane => vector::insert(cx, d),
            Splat => vector::splat(cx, d),
            ReadCycles => system::read_cycles(cx, d),
            Fptosi | Fptoui if cx.ty(d.a) != Type::F16 => float::to_int(cx, d, d.op == Fptosi),
            Fptrunc => float::select(cx, d),
            _ if !matches!(d.ty, Type::F32 | Type::F64) => not_yet(cx, d),
            Sitofp | Uitofp => float::from_int(cx, d, d.op == Sitofp),
            _ => float::select(cx, d),
        }
    }

    fn compare_lanes(cx: &mut Cx<'_>, d: &Node) -> Option<Result> {
        (vector::lane(d.ty) == Lane::D).then(|| vector::compare_wide(cx, d))
    }

    fn copy_block(cx: &mut Cx<'_>, src: (PReg, i32), to: FrameAddr, size: u32, most: u32) -> Result {
        // The base may be needed for other arguments.
        let (from, into, end) = (cx.temp(false, None)?, cx.temp(false, None)?, IP);
        let (f, d): (Gpr, Gpr) = (gpr(from), gpr(into));
        let (load, store, step) = match most {
            1 => (LDRB, STRB, 1),
            2 => (LDRH, STRH, 2),
            _ => (LDR, STR, 4),
        };
        let whole = size / step * step;
        let mut e = cx.target.asm(cx.buf);
        e.address(f, gpr(src.0), src.1);
        e.address(d, gpr(to.base), to.disp);
        e.add_number(Flags::Keep, end, f, whole as i32);
        let temp = e.temp();
        let top = e.buf.new_label();
        e.buf.bind(top);
        e.access(load, temp, Mem::Post(f, step as i32));
        e.access(store, temp, Mem::Post(d, step as i32));
        e.compare(CMP, f, end);
        e.b_if(Cond::Ne, top);
        for k in 0..(size - whole) as i32 {
            e.access(LDRB, temp, Mem::Base(f, k));
            e.access(STRB, temp, Mem::Base(d, k));
        }
        cx.unpin(from);
        cx.unpin(into);
        Ok(())
    }

    fn select_int(cx: &mut Cx<'_>, d: &Node) -> Result {
        int::select(cx, d)
    }

    fn select_wide(cx: &mut Cx<'_>, d: &Node) -> Result {
        wide::select(cx, d)
    }

    fn has_field(&self, f: &Function, user: &InstData, arg: usize, def: &InstData) -> bool {
        self.features.has_t2() && masked_field(f, user, arg, def).is_some()
    }

    fn load_byte(cx: &mut Cx<'_>, load: &Node, to: Gpr) -> Result {
        memory::load_byte(cx, load, to)
    }

    fn load_extended(cx: &mut Cx<'_>, d: &Node, load: &Node, signed: bool) -> Result {
        memory::load_extended(cx, d.r, load, signed)
    }

    fn sum_with(cx: &mut Cx<'_>, (a, b): (Value, Value), adds: bool, signed: bool) -> Result<Gpr> {
        let op = if adds { ADD } else { SUB };
        let x = reg(cx, a)?;
        let y = match rhs(cx, op, b)? {
            // With the negated immediate the carry differs.
            Rhs::Negative(_) if !signed => Rhs::Op(reg(cx, b)?.into()),
            y => y,
        };
        let t = temp(cx)?;
        arith(cx, op, Flags::Set, t, x, y);
        Ok(t)
    }

    fn symbol_address(cx: &mut Cx<'_>, s: SymbolId, offset: i32, _: Reach) -> Result<Option<Mem>> {
        if !cx.target.is_near(cx.module, s) {
            return Ok(None);
        }
        let (t, target) = (temp(cx)?, cx.target);
        let place = target.place(cx.module, s);
        constant::address(target, &mut asm(cx), t, RelocTarget::Symbol(s.0), offset, place);
        Ok(Some(Mem::Base(t, 0)))
    }

    fn indexed(cx: &mut Cx<'_>, d: &Node, offset: i32, reach: Reach) -> Result<Mem> {
        let (base, index) = (reg(cx, d.a)?, reg(cx, d.b)?);
        let shift = d.c.0.trailing_zeros();
        if offset == 0 && reach.has_index(d.c.0) {
            return Ok(Mem::Index(base, index, shift as u8));
        }
        let t = temp(cx)?;
        asm(cx).data(ADD, Flags::Keep, t, base, by(index, Shift::Lsl, shift & 31));
        Ok(Mem::Base(t, offset))
    }

    fn compare_ints(cx: &mut Cx<'_>, operands: (Value, Value), signed: bool, n: Option<i64>) -> Result {
        branch::compare_ints(cx, operands, signed, n)
    }

    fn compare_after(cx: &mut Cx<'_>, a: Value, b: Value, order: bool) -> Result {
        wide::compare_after(cx, a, b, order)
    }

    fn test_either(cx: &mut Cx<'_>, d: &Node) -> Result {
        let (x, y) = (reg(cx, d.a)?, shifted(cx, d.b)?);
        asm(cx).data(ORR, Flags::Set, IP, x, y);
        Ok(())
    }

    fn compare_floats(cx: &mut Cx<'_>, d: &Node) -> Result {
        if !cx.target.has_floats(d.ty) {
            return not_yet(cx, d);
        }
        let x = float(cx, d.a)?;
        if matches!(cx.f.constant(d.b), Some(ConstData::Float(0))) {
            asm(cx).fzero(VCMP_ZERO, x);
        } else {
            let y = float(cx, d.b)?;
            asm(cx).frr(VCMP, x, y);
        }
        asm(cx).compared();
        Ok(())
    }

    fn define_tested(cx: &mut Cx<'_>, r: Value, x: Gpr, zero: bool) -> Result<bool> {
        let zero = zero && cx.target.features.version > 4;
        if zero {
            define(cx, r, |cx, dst| {
                let mut e = asm(cx);
                e.rr(CLZ, gpr(dst), x);
                e.unary(MOV, Flags::Free, gpr(dst), by(gpr(dst), Shift::Lsr, 5));
            })?;
        }
        Ok(zero)
    }

    fn chosen_part(cx: &mut Cx<'_>, v: Value, part: u8) -> Result<Gpr> {
        Ok(gpr(cx.use_part(v, part)?))
    }

    fn choose_float(cx: &mut Cx<'_>, kind: PartKind, d: PReg, (x, y): (PReg, PReg), c: Cond) {
        let (target, bytes) = (cx.target, kind.bytes());
        let moves = if bytes > 4 && !target.features.double { 2 } else { 1 };
        let mut e = asm(cx);
        if d != y {
            target.move_float(&mut e, d, y, bytes);
        }
        e.conditionals(c, &[true, true][..moves], |e| target.move_float(e, d, x, bytes));
    }

    fn jump_by_table(cx: &mut Cx<'_>, (_, x, t): ((), Gpr, Gpr), low: i64, labels: &[Label], default: Label) {
        let target = cx.target;
        let mut e = asm(cx);
        let mut index = x;
        if low != 0 {
            e.add_number(Flags::Keep, t, x, low.wrapping_neg() as i32);
            index = t;
        }
        compare_number(&mut e, index, labels.len() as u32 - 1);
        let stops = e.buf.hardening.has(Hardening::JUMP_BARRIERS);
        if !target.features.thumb && stops {
            e.b_if(Cond::Hi, default);
            // The program counter is that of the instruction after the next; four instructions are between this and the table.
            e.data(ADD, Flags::Keep, t, PC, Operand::Shifted(index, Shift::Lsl, 2));
            e.add_number(Flags::Keep, t, t, 12);
            e.mov(PC, t);
            e.stop_after(Hardening::JUMP_BARRIERS);
            labels.iter().for_each(|&label| e.b_in_table(label));
            return;
        }
        if !target.features.thumb {
            e.conditional(Cond::Ls, |e| e.data(ADD, Flags::Keep, PC, PC, Operand::Shifted(index, Shift::Lsl, 2)));
            // The program counter is that of the instruction after the next.
            e.b_in_table(default);
            labels.iter().for_each(|&label| e.b_in_table(label));
            return;
        }
        e.b_if(Cond::Hi, default);
        // Not of values: records of debug information may have some of their own.
        let size = 2 * cx.f.insts.len() + cx.f.pool.len();
        if size < SHORT
            && !stops
            && !target.features.execute_only
            && !labels.iter().any(|&label| cx.buf.is_bound(label))
        {
            asm(cx).jump_by_halves(index);
            return cx.put_data(|buf| distances(buf, labels));
        }
        let mut marked = labels.to_vec();
        let protected = cx.marks_branch_targets() && target.features.has_branch_targets();
        if protected {
            // The targets of such jumps must begin with a mark: a jump to the block, which has none.
            marked.fill_with(|| cx.buf.new_label());
        }
        let mut e = asm(cx);
        let id = RelocTarget::JumpTable(e.buf.jump_table(&marked));
        constant::address(target, &mut e, IP, id, 0, Place::Near);
        e.access(LDR, t, Mem::Index(IP, index, 2));
        e.data(ADD, Flags::Keep, t, t, IP);
        e.mov(PC, t);
        e.stop_after(Hardening::JUMP_BARRIERS);
        for (&mark, &label) in marked.iter().zip(labels).filter(|_| protected) {
            e.buf.bind(mark);
            e.protect(BTI);
            e.b(label);
        }
    }
}

/// The most list entries and twice the instructions of a function whose code is certainly within reach of tables of half words.
const SHORT: usize = 1000;

/// A table with the distances of labels, for T32's jump before it.
fn distances(buf: &mut CodeBuffer, labels: &[Label]) {
    let start = buf.offset();
    for (k, &label) in labels.iter().enumerate() {
        buf.reloc(buf.offset(), reloc::T32_TABLE, RelocTarget::Label(label), 2 * k as i64);
        buf.put_word(0, 2);
    }
    buf.mark_data(start);
}
