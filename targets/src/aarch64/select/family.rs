//! What the shared selection for Arm's families asks of this family.

use gusset_abi::Env;
use gusset_abi::features::Hardening;
use gusset_codegen::buffer::{CodeBuffer, Label, RelocTarget};
use gusset_codegen::error::Result;
use gusset_codegen::ir::{
    ConstData, Function, InstData, IntCc, Module, Opcode, Ordering, RmwOp, SymbolId, Type, Value,
};
use gusset_codegen::libcall::LibCall;
use gusset_codegen::machine::{Candidate, FrameAddr, PReg, PartKind};

use super::branch::{self, Tested, compare_number};
use super::constant;
use super::operand::*;
use super::vector::{Form, form};
use super::{atomic, float, int, machine, memory, tls, vector, wide};
use crate::aarch64::encode::ops::*;
use crate::aarch64::encode::{Asm, TEMP};
use crate::aarch64::machine::{Aarch64, Reach, vreg, width};
use crate::aarch64::reg::{Cond, Extend, Fp, Gpr, Mem, SP, Vreg, Width, ZR};
use crate::aarch64::registers::VTEMP;
use crate::aarch64::reloc;
use crate::shared::arm::atomic::order;
use crate::shared::arm::fold::other_is_variable;
use crate::shared::windows;

impl Family for Aarch64 {
    const NAME: &'static str = "AArch64";
    const WORD: Type = Type::I64;
    const TEMP: Gpr = TEMP;
    const STACK: Gpr = SP;
    const CHOOSES_IN_PLACE: bool = false;
    const BIT: Option<fn(Gpr, u32) -> Tested> = Some(Tested::Bit);
    type Width = Width;
    type Tested = Tested;
    type Vreg = Vreg;
    type Vop = Form;
    type Asm<'b> = Asm<'b>;
    const PICK: Form = Form::Bits(V_BSL);
    const INSERT: Form = Form::Bits(V_BIT);
    const FUSED: Form = Form::Floats(V_FMLA);
    const NOT: Form = Form::Bytes(V_NOT);
    const PAIRS: Form = Form::Pairs(V_UADDLP);
    const OR: Form = Form::Bits(V_ORR);
    const COMPARES_NUMBERS: [Form; 3] = [Form::Floats(V_FCMEQ), Form::Floats(V_FCMGT), Form::Floats(V_FCMGE)];
    const REVERSES: [Form; 3] = [Form::Int(V_REV16), Form::Int(V_REV32), Form::Int(V_REV64)];
    const VECTOR_TEMP: PReg = VTEMP;
    type Mem = Mem;
    /// The number of bytes accessed at once, or 0.
    type Reach = u32;

    fn encoder<'b>(&self, buf: &'b mut CodeBuffer) -> Asm<'b> {
        Asm::new(buf)
    }

    fn width(ty: Type) -> Width {
        width(ty)
    }

    fn whole(w: Width, x: Gpr) -> Tested {
        Tested::Whole(w, x)
    }

    fn truth(x: Gpr) -> Tested {
        Tested::Bit(x, 0)
    }

    fn extend(&self, e: &mut Asm<'_>, w: Width, signed: bool, d: Gpr, x: Gpr, bits: u32) {
        e.extend(signed, w, d, x, bits);
    }

    fn vector_register(r: PReg) -> Vreg {
        vreg(r)
    }

    fn compares(cc: IntCc) -> Form {
        Form::Ints(match cc {
            IntCc::Eq | IntCc::Ne => V_CMEQ,
            IntCc::Ugt => V_CMHI,
            IntCc::Sgt => V_CMGT,
            IntCc::Uge => V_CMHS,
            _ => V_CMGE,
        })
    }

    fn shifts(unsigned: bool) -> Form {
        Form::Ints(if unsigned { V_USHL } else { V_SSHL })
    }

    fn vector_op(&self, op: Opcode, ty: Type) -> Option<(Form, bool)> {
        form(op, ty).map(|op| (op, matches!(op, Form::Ints(_) | Form::Bits(_) | Form::Floats(_))))
    }

    fn put_vector(&self, e: &mut Asm<'_>, d: Vreg, bits: u128) {
        constant::vector(e, (self.reach, !self.features.no_neon), d, bits, 16);
    }

    fn compare_extension(&self, e: &mut Asm<'_>, x: Gpr, ty: Type, signed: bool) {
        e.add_extended(SUBS, Width::W, ZR, x, (x, extension(ty, signed), 0));
    }

    fn reverse(&self, e: &mut Asm<'_>, w: Width, bytes: bool, d: Gpr, x: Gpr) {
        e.rr(if bytes { REV } else { RBIT }, w, d, x);
    }

    fn barrier(&self, _: &mut Asm<'_>, _: bool) {}

    fn load_ordered(&self, e: &mut Asm<'_>, bytes: u32, o: Ordering, t: Gpr, n: Gpr) {
        let size = bytes.trailing_zeros();
        match order(o).0 {
            true => e.ordered(if self.features.rcpc && o == Ordering::Acquire { LDAPR } else { LDAR }, size, t, n),
            false => e.access(memory::load_op(false, bytes), t, Mem::Base(n, 0)),
        }
    }

    fn store_ordered(&self, e: &mut Asm<'_>, bytes: u32, o: Ordering, t: Gpr, n: Gpr) {
        match order(o).1 {
            true => e.ordered(STLR, bytes.trailing_zeros(), t, n),
            false => e.access(memory::store_op(false, bytes), t, Mem::Base(n, 0)),
        }
    }

    fn update_at_once(
        &self,
        e: &mut Asm<'_>,
        op: RmwOp,
        ty: Type,
        how: (bool, bool),
        operands: (Gpr, Gpr, Gpr),
    ) -> bool {
        self.features.lse && atomic::at_once(e, op, ty, how, operands)
    }

    fn exchange_at_once(
        &self,
        e: &mut Asm<'_>,
        ty: Type,
        how: (bool, bool),
        (expected, new): (Gpr, Gpr),
        (old, n): (Gpr, Gpr),
    ) -> bool {
        if self.features.lse {
            e.mov(width(ty), old, expected);
            e.compare_and_swap(ty.store_bytes().trailing_zeros(), how, old, new, n);
        }
        self.features.lse
    }

    fn atomic_pair(cx: &mut Cx<'_>, d: &Node) -> Result {
        atomic::pair_access(cx, d)
    }

    fn load_guard(&self, a: &mut Asm<'_>, module: &Module, d: Gpr) {
        if self.windows.is_some() {
            let guard = RelocTarget::LibCall(windows::guard(self.has_microsoft_library()));
            a.adrp(d, reloc::PAGE, guard, 0);
            return a.access(LDR_X, d, Mem::Page(d, reloc::low_access(3), guard, 0));
        }
        let (wish, usual) = (&module.stack_guard, self.features.thread_guard);
        let named = |name: &str| READ_SYSTEM.names.iter().find(|row| row.1 == name).map(|row| ReadSystem(row.0));
        let register = match &wish.register {
            Some(name) => named(name),
            None => usual.map(|_| self.thread_register()),
        };
        if let Some(register) = register.filter(|_| !wish.global) {
            a.read_system(register, d);
            return a.access(LDR_X, d, Mem::Base(d, wish.offset.or(usual).unwrap_or(0)));
        }
        constant::from_table(a, self.reach, d, RelocTarget::LibCall(LibCall::StackChkGuard));
        a.access(LDR_X, d, Mem::Base(d, 0));
    }

    fn has_microsoft_library(&self) -> bool {
        self.windows == Some(Env::Msvc)
    }

    fn has_floats(&self, _: Type) -> bool {
        true
    }

    fn has_product_sum(&self, user: &InstData) -> bool {
        matches!(user.op, Opcode::Iadd | Opcode::Isub)
    }

    fn can_fold_more(f: &Function, Candidate { user, arg, def, .. }: Candidate<'_>) -> bool {
        use Opcode::*;
        if !matches!(def.op, Sext | Zext) {
            return false;
        }
        let from = f.value_type(Value(def.a));
        let extends = matches!(from, Type::I8 | Type::I16 | Type::I32) && matches!(def.ty, Type::I32 | Type::I64);
        let second = arg == 1 || user.op.is_commutative();
        let added = matches!(user.op, Iadd | Isub) && second && user.ty == def.ty && other_is_variable(f, user, arg);
        extends && (added || user.op == Index && arg == 1 && from == Type::I32 && user.c.is_power_of_two())
    }

    fn has_type(ty: Type) -> bool {
        ty != Type::F80 && (!ty.is_vector() || ty.bits() == 128)
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
            ReadCycles => define(cx, d.r, |cx, dst| asm(cx).read_system(READ_CNTVCT, gpr(dst))),
            _ if d.ty == Type::F128 => float::soft(cx, d),
            Sitofp | Uitofp => float::from_int(cx, d, d.op == Sitofp),
            Fptosi | Fptoui => float::to_int(cx, d, d.op == Fptosi),
            Fptrunc => float::select(cx, d),
            _ if d.ty == Type::BF16 || d.ty == Type::F16 && !cx.target.features.half => not_yet(cx, d),
            _ => float::select(cx, d),
        }
    }

    fn compare_lanes(_: &mut Cx<'_>, _: &Node) -> Option<Result> {
        None
    }

    fn copy_block(cx: &mut Cx<'_>, src: (PReg, i32), to: FrameAddr, size: u32, _: u32) -> Result {
        // The base may be needed for other arguments.
        let (from, into, end) = (cx.temp(false, None)?, cx.temp(false, None)?, cx.temp(false, None)?);
        let t = cx.temp(true, None)?;
        let (f, d, e) = (gpr(from), gpr(into), gpr(end));
        let whole = size / 16 * 16;
        let mut a = Asm::new(cx.buf);
        a.address(f, gpr(src.0), src.1);
        a.address(d, gpr(to.base), to.disp);
        a.add_number(Width::X, e, f, whole.into());
        let top = a.buf.new_label();
        a.buf.bind(top);
        a.access(LDR_Q, vreg(t), Mem::Post(f, 16));
        a.access(STR_Q, vreg(t), Mem::Post(d, 16));
        a.add_extended(SUBS, Width::X, ZR, f, (e, Extend::Uxtx, 0));
        a.b_if(Cond::Ne, top);
        let mut done = 0;
        while done < size - whole {
            let step = 1 << (size - whole - done).min(8).ilog2();
            a.access(memory::load_op(false, step), e, Mem::Base(f, done as i32));
            a.access(memory::store_op(false, step), e, Mem::Base(d, done as i32));
            done += step;
        }
        [from, into, end, t].into_iter().for_each(|r| cx.unpin(r));
        Ok(())
    }

    fn select_int(cx: &mut Cx<'_>, d: &Node) -> Result {
        int::select(cx, d)
    }

    fn select_wide(cx: &mut Cx<'_>, d: &Node) -> Result {
        wide::select(cx, d)
    }

    fn has_field(&self, f: &Function, user: &InstData, arg: usize, def: &InstData) -> bool {
        int::field(f, user, arg, def).is_some()
    }

    fn load_byte(cx: &mut Cx<'_>, load: &Node, to: Gpr) -> Result {
        memory::load_byte(cx, load, to)
    }

    fn load_extended(cx: &mut Cx<'_>, d: &Node, load: &Node, signed: bool) -> Result {
        memory::load_extended(cx, d.r, load, signed, d.ty)
    }

    fn sum_with(cx: &mut Cx<'_>, (a, b): (Value, Value), adds: bool, signed: bool) -> Result<Gpr> {
        let x = reg(cx, a)?;
        let y = match add_rhs(cx, b)? {
            // With the negated immediate the carry differs, while overflow is the same.
            Rhs::Negative(_) if !signed => Rhs::Reg(reg(cx, b)?),
            y => y,
        };
        let (t, w) = (temp(cx)?, width(cx.ty(a)));
        add(cx, if adds { ADDS } else { SUBS }, w, t, x, y);
        Ok(t)
    }

    fn symbol_address(cx: &mut Cx<'_>, s: SymbolId, offset: i32, bytes: u32) -> Result<Option<Mem>> {
        // Relocations of accesses have no bits below the access size. The alignment that the access states may be
        // wrong.
        let fits = cx.target.is_addend(offset) && is_multiple(cx.module.symbol(s).align, offset, bytes);
        if !fits || cx.target.reach != Reach::Pages || !cx.target.is_near(cx.module, s) {
            return Ok(None);
        }
        let (t, target) = (temp(cx)?, RelocTarget::Symbol(s.0));
        asm(cx).adrp(t, reloc::PAGE, target, offset.into());
        Ok(Some(Mem::Page(t, reloc::low_access(bytes.trailing_zeros() as u8), target, offset)))
    }

    fn indexed(cx: &mut Cx<'_>, d: &Node, offset: i32, bytes: u32) -> Result<Mem> {
        let (a, b) = (d.a, d.b);
        let base = reg(cx, a)?;
        let (index, extend) = index(cx, b)?;
        let scale = d.c.0;
        if offset == 0 && (scale == 1 || scale == bytes) {
            return Ok(Mem::Index(base, index, extend, scale > 1));
        }
        let t = temp(cx)?;
        add_scaled(cx, t, base, (index, extend), scale);
        Ok(Mem::Base(t, offset))
    }

    fn compare_ints(cx: &mut Cx<'_>, operands: (Value, Value), signed: bool, n: Option<i64>) -> Result {
        branch::compare_ints(cx, operands, signed, n)
    }

    fn test_either(cx: &mut Cx<'_>, d: &Node) -> Result {
        not_yet(cx, d)
    }

    fn compare_after(cx: &mut Cx<'_>, a: Value, b: Value, order: bool) -> Result {
        wide::compare_after(cx, a, b, order)
    }

    fn compare_floats(cx: &mut Cx<'_>, d: &Node) -> Result {
        let ty = format(d.ty);
        let x = float(cx, d.a)?;
        if matches!(cx.f.constant(d.b), Some(ConstData::Float(0))) {
            asm(cx).fcompare_zero(FCMP, ty, x);
        } else {
            let y = float(cx, d.b)?;
            asm(cx).fcompare(FCMP, ty, x, y);
        }
        Ok(())
    }

    fn define_tested(cx: &mut Cx<'_>, r: Value, tested: Tested, zero: bool) -> Result<bool> {
        let Tested::Bit(x, bit) = tested else { return Ok(false) };
        define(cx, r, |cx, dst| {
            let g = gpr(dst);
            let mut e = asm(cx);
            e.bitfield(UBFM, Width::X, g, x, (bit, bit));
            if zero {
                e.logic_ri(EOR, Width::W, g, g, 0);
            }
        })?;
        Ok(true)
    }

    fn chosen_part(cx: &mut Cx<'_>, v: Value, part: u8) -> Result<Gpr> {
        let (v, part) = cx.halves(v).map_or((v, part), |halves| (halves[part as usize], 0));
        if is_zero(cx, v) { Ok(ZR) } else { Ok(gpr(cx.use_part(v, part)?)) }
    }

    fn choose_float(cx: &mut Cx<'_>, kind: PartKind, d: PReg, (x, y): (PReg, PReg), c: Cond) {
        let ty = if kind == PartKind::F64 { Fp::D } else { Fp::S };
        asm(cx).fchoice(ty, vreg(d), (vreg(x), vreg(y)), c);
    }

    fn jump_by_table(cx: &mut Cx<'_>, (w, x, t): (Width, Gpr, Gpr), low: i64, labels: &[Label], default: Label) {
        let mut marked = labels.to_vec();
        let protected = cx.marks_branch_targets();
        if protected {
            // The targets of such jumps must begin with a mark: a jump to the block, which has none.
            marked.fill_with(|| cx.buf.new_label());
        }
        let id = RelocTarget::JumpTable(cx.buf.jump_table(&marked));
        asm(cx).add_number(w, t, x, low.wrapping_neg());
        let reach = cx.target.reach;
        let mut e = asm(cx);
        compare_number(&mut e, w, t, labels.len() as i64 - 1);
        e.b_if(Cond::Hi, default);
        constant::near(&mut e, reach, TEMP, id, 0);
        e.access(LDRSW, t, Mem::Index(TEMP, t, if w == Width::X { Extend::Uxtx } else { Extend::Uxtw }, true));
        e.add_rr(ADD, Width::X, t, t, TEMP);
        e.leave_to(BR, t, Hardening::JUMP_BARRIERS);
        for (&mark, &label) in marked.iter().zip(labels).filter(|_| protected) {
            e.buf.bind(mark);
            e.plain(BTI_J);
            e.b(label);
        }
    }
}
