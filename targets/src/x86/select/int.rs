//! Integers of up to 64 bits.

use gusset_codegen::alloc::Where;
use gusset_codegen::analysis::Hint;
use gusset_codegen::error::Result;
use gusset_codegen::ir::{Inst, Opcode, Type, Value, ValueDef};
use gusset_codegen::machine::PReg;

use super::fold::{clears_upper, small_constant, whole_count};
use super::operand::*;
use crate::x86::encode::Asm;
use crate::x86::encode::ops::*;
use crate::x86::encode::vex::*;
use crate::x86::machine::{frame_mem, gpr};
use crate::x86::reg::{Cond, Gpr, Mem, Size};
use crate::x86::registers::{RAX, RCX, RDX};

/// Which operand of a commutative operation should be overwritten: the first, unless it is a constant or lives on while
/// the second dies.
pub(crate) fn order(cx: &Cx<'_>, r: Value, a: Value, b: Value) -> (Value, Value) {
    if cx.f.constant(a).is_some() && cx.f.constant(b).is_none() {
        return (b, a);
    }
    // A constant that is no immediate is made where the result will be.
    if cx.is_optimized() && cx.f.constant(b).is_some() && small_constant(cx.f, b).is_none() && !cx.dies(a) {
        return (b, a);
    }
    if cx.f.constant(b).is_some() || cx.deferred(b).is_some() && truncated(cx, b).is_none() {
        return (a, b);
    }
    if cx.is_optimized() && cx.deferred(a).is_some_and(|i| cx.f.inst(i).op == Opcode::Load) && in_reg(cx, b).is_some() {
        return (b, a);
    }
    let home = cx.units.home(r.0);
    if home.is_some() {
        return if in_reg(cx, b) == home && in_reg(cx, a) != home { (b, a) } else { (a, b) };
    }
    // If both die, the one in a register is overwritten, and the other is read from memory.
    let loads = |cx: &Cx<'_>, v: Value| in_reg(cx, v).is_none();
    if cx.dies(b) && (!cx.dies(a) || loads(cx, a) && !loads(cx, b)) { (b, a) } else { (a, b) }
}

/// The instruction of a sum, difference or bitwise operation.
pub(crate) fn alu_op(op: Opcode) -> Option<AluOp> {
    Some(match op {
        Opcode::Iadd => AluOp::Add,
        Opcode::Isub => AluOp::Sub,
        Opcode::And => AluOp::And,
        Opcode::Or => AluOp::Or,
        Opcode::Xor => AluOp::Xor,
        _ => return None,
    })
}

/// The instruction of a shift.
pub(crate) fn shift_op(op: Opcode) -> ShiftOp {
    match op {
        Opcode::Shl => ShiftOp::Shl,
        Opcode::Lshr => ShiftOp::Shr,
        _ => ShiftOp::Sar,
    }
}

/// Addition, subtraction and bitwise operations.
pub(crate) fn arithmetic(cx: &mut Cx<'_>, d: &Node) -> Result {
    let Some(op) = alu_op(d.op) else { return super::domain::not_yet(cx, d) };
    let r = d.r;
    let (mut a, mut b) = (d.a, d.b);
    // Modulo 2, sums and differences are the same, and stay 0 or 1.
    let op = if d.ty == Type::I1 && matches!(op, AluOp::Add | AluOp::Sub) { AluOp::Xor } else { op };
    if op != AluOp::Sub {
        (a, b) = order(cx, r, a, b);
    }
    let size = op_size(d.ty);
    if a != b && matches!(d.ty, Type::I32 | Type::I64) && cx.is_in_place(r, a) {
        let s = reg_or_imm(cx, b, size)?;
        let m = frame_mem(cx.def_in_place(r, a));
        asm(cx).alu_m(op, size, m, s);
        cx.set_flags_of(r);
        return Ok(());
    }
    if matches!(op, AluOp::Add | AluOp::Sub) && lea_add(cx, r, a, b, size, op == AluOp::Sub)? {
        return Ok(());
    }
    if op == AluOp::And
        && cx.is_optimized()
        && let Some(bits) = low_bits(cx, b).filter(|&bits| bits < d.ty.bits())
    {
        return keep_low(cx, r, a, bits);
    }
    let s = src(cx, b, matches!(d.ty, Type::I32 | Type::I64))?;
    change(cx, (r, a), |cx, dst| asm(cx).alu(op, size, gpr(dst), s))?;
    // A narrower value has bits above its width, unless a mask removes them.
    if matches!(d.ty, Type::I32 | Type::I64) || op == AluOp::And && matches!(s, Src::Imm(0..)) {
        cx.set_flags_of(r);
    }
    Ok(())
}

/// How many of the lowest bits a mask keeps, if they can be moved alone: 8, 16 or 32.
fn low_bits(cx: &Cx<'_>, mask: Value) -> Option<u32> {
    match cx.f.int_constant(mask)? {
        0xff => Some(8),
        0xffff => Some(16),
        0xffff_ffff => Some(32),
        _ => None,
    }
}

/// The lowest bits of a number, with zeros above.
fn keep_low(cx: &mut Cx<'_>, r: Value, a: Value, bits: u32) -> Result {
    let s = reg_or_mem(cx, a, cx.deferred(a).is_none())?;
    define(cx, r, |cx, dst| match (s, bits) {
        (s, 32) => asm(cx).mov(Size::B4, gpr(dst), s),
        (Rm::Reg(x), 8) => asm(cx).extend_byte(Size::B4, gpr(dst), x, false),
        (Rm::Reg(x), _) => asm(cx).movzx(Size::B2, gpr(dst), x),
        (Rm::Mem(m), _) => asm(cx).movzx(if bits == 8 { Size::B1 } else { Size::B2 }, gpr(dst), m),
    })
}

/// Adds by `lea` if the first operand must survive or the result belongs in another register.
fn lea_add(cx: &mut Cx<'_>, r: Value, a: Value, b: Value, size: Size, negate: bool) -> Result<bool> {
    if let (Where::Slot(slot), Some(n), false) = (cx.whereabouts(a, 0), small_constant(cx.f, b), negate)
        && let Some(at) = cx.slot_addr(slot, n)
    {
        let dst = cx.def(r, 0)?;
        asm(cx).lea(size, gpr(dst), frame_mem(at));
        cx.set(r, 0, dst)?;
        return Ok(true);
    }
    let Some(ra) = in_reg(cx, a) else { return Ok(false) };
    let home = cx.units.home(r.0);
    // The result may be needed in another register.
    let moves_on = matches!(cx.live.hint(r), Hint::Reg(p) if p != ra);
    if home == Some(ra) || home.is_none() && cx.dies(a) && !moves_on {
        return Ok(false);
    }
    if let Some(n) = small_constant(cx.f, b) {
        let Some(n) = (if negate { n.checked_neg() } else { Some(n) }) else { return Ok(false) };
        let base = cx.use_reg(a)?;
        define(cx, r, |cx, dst| asm(cx).lea(size, gpr(dst), Mem::at(gpr(base), n)))?;
        return Ok(true);
    }
    let Some(rb) = in_reg(cx, b) else { return Ok(false) };
    if negate || home == Some(rb) {
        return Ok(false);
    }
    let (x, y) = (cx.use_reg(a)?, cx.use_reg(b)?);
    define(cx, r, |cx, dst| asm(cx).lea(size, gpr(dst), Mem::indexed(gpr(x), gpr(y), 1, 0)))?;
    Ok(true)
}

/// Multiplication.
pub(crate) fn multiply(cx: &mut Cx<'_>, d: &Node) -> Result {
    let r = d.r;
    let (a, b) = order(cx, r, d.a, d.b);
    let size = op_size(d.ty);
    if let Some(n) = small_constant(cx.f, b) {
        if n > 0 && (n as u32).is_power_of_two() {
            let dst = cx.def_reusing(r, a, 0)?;
            let shift = (n as u32).trailing_zeros() as u8;
            if shift > 0 {
                asm(cx).shift_ri(ShiftOp::Shl, size, gpr(dst), shift);
            }
            return cx.set(r, 0, dst);
        }
        let wide = matches!(d.ty, Type::I32 | Type::I64);
        let s = reg_or_mem(cx, a, wide)?;
        return define(cx, r, |cx, dst| match s {
            Rm::Reg(x) if matches!(n, 3 | 5 | 9) => {
                asm(cx).lea(size, gpr(dst), Mem::indexed(x, x, (n - 1) as u8, 0));
            }
            s => asm(cx).imul_imm(size, gpr(dst), s, n),
        });
    }
    let s = src(cx, b, matches!(d.ty, Type::I32 | Type::I64))?;
    change(cx, (r, a), |cx, dst| asm(cx).imul(size, gpr(dst), s))
}

/// Copies an operand to `dst` extended to at least 32 bits.
pub(crate) fn extend_into(cx: &mut Cx<'_>, dst: PReg, v: Value, signed: bool) -> Result {
    let ty = cx.ty(v);
    cx.copy_into(dst, v, 0)?;
    if ty.bits() < 32 {
        cx.extend(dst, ty.bits() as u16, signed);
    }
    Ok(())
}

/// Shifts.
pub(crate) fn shift(cx: &mut Cx<'_>, d: &Node) -> Result {
    let op = shift_op(d.op);
    let Node { r, a, b, .. } = *d;
    let size = op_size(d.ty);
    let bits = d.ty.bits();
    if let Some(n) = cx.f.constant(b).and_then(|_| cx.f.int_constant(b).or(Some(0))) {
        let is_extended = op == ShiftOp::Shr && is_extended(cx, a);
        let dst = cx.def_reusing(r, a, 0)?;
        prepare_shift(cx, dst, if is_extended { 32 } else { bits }, op);
        let n = (n % bits.next_power_of_two().max(1) as u128) as u8;
        if n > 0 {
            asm(cx).shift_ri(op, size, gpr(dst), n);
        }
        return cx.set(r, 0, dst);
    }
    let b = whole(cx, d.inst, b);
    if cx.target.features.bmi2 && bits >= 32 {
        let (x, n) = (cx.use_reg(a)?, cx.use_reg(b)?);
        let op = match op {
            ShiftOp::Shl => SHLX,
            ShiftOp::Shr => SHRX,
            _ => SARX,
        };
        return define(cx, r, |cx, dst| asm(cx).bmi(op, size, gpr(dst), gpr(n), gpr(x)));
    }
    count_in_cl(cx, b, &[a])?;
    let is_extended = op == ShiftOp::Shr && is_extended(cx, a);
    let dst = cx.def_reusing(r, a, 0)?;
    prepare_shift(cx, dst, if is_extended { 32 } else { bits }, op);
    asm(cx).shift_rc(op, size, gpr(dst));
    cx.set(r, 0, dst)
}

/// The value that has the lowest bits of a count, of which a shift takes no more.
fn whole(cx: &Cx<'_>, shift: Inst, mut count: Value) -> Value {
    while let Some(mask) = cx.deferred(count).and_then(|i| whole_count(cx.f, cx.f.inst(shift), cx.f.inst(i))) {
        count = mask;
    }
    count
}

/// Loads a shift count into `cl`; other deferred operands are emitted before.
pub(crate) fn count_in_cl(cx: &mut Cx<'_>, count: Value, others: &[Value]) -> Result {
    emit_operands(cx, others)?;
    if in_reg(cx, count) == Some(RCX) {
        cx.use_reg(count)?;
        // If it is also changed, that happens in a copy: the count stays pinned.
        return Ok(());
    }
    cx.take(RCX)?;
    cx.copy_into(RCX, count, 0)
}

/// Does the register that holds a value have zeros above the value's bits?
pub(crate) fn is_extended(cx: &Cx<'_>, v: Value) -> bool {
    clears_upper(cx.f, v, cx.is_optimized()) && cx.deferred(v).is_none() && in_reg(cx, v).is_some()
}

fn prepare_shift(cx: &mut Cx<'_>, dst: PReg, bits: u32, op: ShiftOp) {
    if bits < 32 {
        match op {
            ShiftOp::Shr => cx.extend(dst, bits as u16, false),
            ShiftOp::Sar => cx.extend(dst, bits as u16, true),
            _ => {}
        }
    }
}

/// Zero extension.
pub(crate) fn zext(cx: &mut Cx<'_>, d: &Node) -> Result {
    let Node { r, a, .. } = *d;
    let from = cx.ty(a).bits();
    if is_extended(cx, a) {
        return change(cx, (r, a), |_, _| {});
    }
    if from == 32 {
        let s = src(cx, a, true)?;
        return define(cx, r, |cx, dst| match s {
            Src::Reg(x) => asm(cx).mov(Size::B4, gpr(dst), x),
            Src::Mem(m) => asm(cx).mov(Size::B4, gpr(dst), m),
            Src::Imm(n) => asm(cx).mov_ri(Size::B4, gpr(dst), n as u32 as i64),
        });
    }
    let size = if from <= 8 { Size::B1 } else { Size::B2 };
    let s = src(cx, a, true)?;
    define(cx, r, |cx, dst| match s {
        Src::Reg(x) if size == Size::B1 => asm(cx).extend_byte(Size::B4, gpr(dst), x, false),
        Src::Reg(x) => asm(cx).movzx(size, gpr(dst), x),
        Src::Mem(m) => asm(cx).movzx(size, gpr(dst), m),
        Src::Imm(n) => asm(cx).mov_ri(Size::B4, gpr(dst), (n as u32 & ((1u32 << from) - 1)) as i64),
    })
}

/// Sign extension.
pub(crate) fn sext(cx: &mut Cx<'_>, d: &Node) -> Result {
    let Node { r, a, .. } = *d;
    let from = cx.ty(a).bits();
    let to = op_size(d.ty);
    if from == 1 {
        let x = cx.use_reg(a)?;
        cx.release();
        let dst = cx.def(r, 0)?;
        asm(cx).extend_byte(Size::B4, gpr(dst), gpr(x), false);
        asm(cx).unary(NEG, to, gpr(dst));
        return cx.set(r, 0, dst);
    }
    let size = match from {
        8 => Size::B1,
        16 => Size::B2,
        _ => Size::B4,
    };
    let s = src(cx, a, true)?;
    define(cx, r, |cx, dst| match s {
        Src::Reg(x) if size == Size::B1 => asm(cx).extend_byte(to, gpr(dst), x, true),
        Src::Reg(x) => asm(cx).movsx(to, size, gpr(dst), x),
        Src::Mem(m) => asm(cx).movsx(to, size, gpr(dst), m),
        Src::Imm(n) => asm(cx).mov_ri(to, gpr(dst), n as i64),
    })
}

/// Truncation.
pub(crate) fn trunc(cx: &mut Cx<'_>, d: &Node) -> Result {
    let dst = cx.def_reusing(d.r, d.a, 0)?;
    if d.ty == Type::I1 {
        asm(cx).alu(AluOp::And, Size::B4, gpr(dst), 1);
    }
    cx.set(d.r, 0, dst)
}

/// A value under another name, as for freeze.
pub(crate) fn copy(cx: &mut Cx<'_>, d: &Node) -> Result {
    let Node { r, a, .. } = *d;
    for part in 0..cx.units.parts(r) {
        let dst = cx.def_reusing(r, a, part)?;
        cx.set(r, part, dst)?;
    }
    Ok(())
}

/// Minimum and maximum by a compare and a conditional move.
pub(crate) fn min_max(cx: &mut Cx<'_>, d: &Node, keep: Cond) -> Result {
    let Node { r, mut a, mut b, .. } = *d;
    if cx.is_optimized() {
        (a, b) = order(cx, r, a, b);
    }
    let size = op_size(d.ty);
    let signed = matches!(keep, Cond::L | Cond::G);
    let (x, y) = if d.ty.bits() < 32 {
        let (x, y) = (cx.temp(false, None)?, cx.temp(false, None)?);
        extend_into(cx, x, a, signed)?;
        extend_into(cx, y, b, signed)?;
        (x, y)
    } else {
        let y = cx.use_reg(b)?;
        (cx.def_reusing(r, a, 0)?, y)
    };
    asm(cx).alu(AluOp::Cmp, size, gpr(x), gpr(y));
    asm(cx).cmov(keep.negate(), size, gpr(x), gpr(y));
    cx.set(r, 0, x)
}

/// Absolute value.
pub(crate) fn abs(cx: &mut Cx<'_>, d: &Node) -> Result {
    let size = op_size(d.ty);
    let x = cx.temp(false, None)?;
    extend_into(cx, x, d.a, true)?;
    let t = cx.temp(false, None)?;
    asm(cx).mov(size, gpr(t), gpr(x));
    asm(cx).unary(NEG, size, gpr(t));
    asm(cx).cmov(Cond::S, size, gpr(t), gpr(x));
    cx.set(d.r, 0, t)
}

/// Addition, subtraction and multiplication with overflow flag.
pub(crate) fn overflow(cx: &mut Cx<'_>, d: &Node) -> Result {
    use Opcode::*;
    let flag = Value(d.r.0 + 1);
    let (a, b) = (d.a, d.b);
    let size = exact_size(d.ty);
    if matches!(d.op, UmulOv) {
        emit_operands(cx, &[a, b])?;
        if size != Size::B1 {
            cx.take(RDX)?;
        }
        cx.take_copy(RAX, a, 0)?;
        // The register may have been the value's only one.
        let y = if a == b { RAX } else { cx.use_reg(b)? };
        let y = sized_reg(cx, size, gpr(y))?;
        asm(cx).unary(MUL, size, y);
        // The high half is not used: its register may take the flag.
        cx.unpin(RDX);
    } else {
        let t = sized_temp(cx, size)?;
        cx.copy_into(t, a, 0)?;
        let y = cx.use_reg(b)?;
        let y = PReg::int(sized_reg(cx, size, gpr(y))?.0);
        match d.op {
            UaddOv | SaddOv => asm(cx).alu(AluOp::Add, size, gpr(t), gpr(y)),
            UsubOv | SsubOv => asm(cx).alu(AluOp::Sub, size, gpr(t), gpr(y)),
            _ if size == Size::B1 => {
                // There is no two-operand form: at 32 bits the product is exact, and fits if it equals its extension.
                let u = byte_temp(cx)?;
                asm(cx).movsx(Size::B4, Size::B1, gpr(t), gpr(t));
                asm(cx).movsx(Size::B4, Size::B1, gpr(u), gpr(y));
                asm(cx).imul(Size::B4, gpr(t), gpr(u));
                asm(cx).movsx(Size::B4, Size::B1, gpr(u), gpr(t));
                asm(cx).alu(AluOp::Cmp, Size::B4, gpr(u), gpr(t));
                cx.unpin(u);
                return finish_overflow(cx, d.r, flag, t, Cond::NE);
            }
            _ => asm(cx).imul(size, gpr(t), gpr(y)),
        }
        let cond = match d.op {
            UaddOv | UsubOv => Cond::B,
            _ => Cond::O,
        };
        return finish_overflow(cx, d.r, flag, t, cond);
    }
    finish_overflow(cx, d.r, flag, RAX, Cond::O)
}

fn finish_overflow(cx: &mut Cx<'_>, r: Value, flag: Value, t: PReg, cond: Cond) -> Result {
    let w = cx.target.word_size();
    // Binding the result may move values, but moves do not change flags.
    cx.current.flags_live = true;
    if cx.live.count(flag) != 0 {
        // The sum is moved to its home first, so that the flag is not put there.
        let t = if cx.units.home(r.0).is_some_and(|h| h != t) {
            let home = cx.def(r, 0)?;
            asm(cx).mov(w, gpr(home), gpr(t));
            home
        } else {
            t
        };
        let f = byte_temp(cx)?;
        asm(cx).setcc(cond, gpr(f));
        cx.set(r, 0, t)?;
        return cx.set(flag, 0, f);
    }
    cx.set(r, 0, t)
}

/// Saturating addition and subtraction.
pub(crate) fn saturating(cx: &mut Cx<'_>, d: &Node) -> Result {
    use Opcode::*;
    let Node { r, a, b, .. } = *d;
    let bits = d.ty.bits();
    let size = exact_size(d.ty);
    let wide = op_size(d.ty);
    let t = sized_temp(cx, size)?;
    cx.copy_into(t, a, 0)?;
    let y = cx.use_reg(b)?;
    let y = PReg::int(sized_reg(cx, size, gpr(y))?.0);
    let u = cx.temp(false, None)?;
    let op = if matches!(d.op, UaddSat | SaddSat) { AluOp::Add } else { AluOp::Sub };
    let (limit, cond) = match d.op {
        UaddSat => (-1i64, Cond::B),
        UsubSat => (0, Cond::B),
        _ => (0, Cond::O),
    };
    if cond == Cond::B {
        asm(cx).mov_ri(wide, gpr(u), limit);
        asm(cx).alu(op, size, gpr(t), gpr(y));
    } else {
        // On overflow the result's sign is wrong: the limit is its sign in all bits, with the top bit flipped.
        let k = cx.temp(false, None)?;
        asm(cx).alu(op, size, gpr(t), gpr(y));
        // Moves and sign extension by moves do not change flags, but shifts do, so the sign is made by compare and
        // select.
        asm(cx).mov_ri(wide, gpr(u), if bits == 64 { i64::MIN } else { -(1i64 << (bits - 1)) });
        asm(cx).mov_ri(wide, gpr(k), if bits == 64 { i64::MAX } else { (1i64 << (bits - 1)) - 1 });
        // After an overflow the sign flag is that of the wrong result: if negative, the true one was too large.
        asm(cx).cmov(Cond::S, wide, gpr(u), gpr(k));
        cx.unpin(k);
    }
    asm(cx).cmov(cond, wide, gpr(t), gpr(u));
    cx.set(r, 0, t)
}

/// Bit counting.
pub(crate) fn count_bits(cx: &mut Cx<'_>, d: &Node) -> Result {
    use Opcode::*;
    let Node { r, a, .. } = *d;
    let bits = d.ty.bits();
    let size = op_size(d.ty);
    let features = cx.target.features;
    if d.op == Ctpop && !features.popcnt {
        return population(cx, d);
    }
    if d.flags != 0 && !if d.op == Cttz { features.bmi1 } else { features.lzcnt } {
        return scan_bits(cx, d);
    }
    let x = cx.temp(false, None)?;
    cx.copy_into(x, a, 0)?;
    if bits < 32 && d.op != Cttz {
        cx.extend(x, bits as u16, false);
    }
    match d.op {
        Ctpop => asm(cx).gpr_op(POPCNT, size, gpr(x), gpr(x)),
        Cttz => {
            if bits < 32 {
                // A bit above the value stops the search.
                asm(cx).alu(AluOp::Or, Size::B4, gpr(x), 1 << bits);
            }
            if features.bmi1 {
                asm(cx).gpr_op(TZCNT, size, gpr(x), gpr(x));
            } else if bits < 32 {
                asm(cx).gpr_op(BSF, size, gpr(x), gpr(x));
            } else {
                let t = cx.temp(false, None)?;
                asm(cx).mov_ri(Size::B4, gpr(t), bits as i64);
                asm(cx).gpr_op(BSF, size, gpr(x), gpr(x));
                asm(cx).cmov(Cond::E, size, gpr(x), gpr(t));
            }
        }
        _ => {
            if features.lzcnt {
                asm(cx).gpr_op(LZCNT, size, gpr(x), gpr(x));
                if bits < 32 {
                    asm(cx).alu(AluOp::Sub, Size::B4, gpr(x), 32 - bits as i32);
                }
            } else {
                // bsr gives the index of the top bit: the count is width - 1 - index, and for zero the index is -1.
                let t = cx.temp(false, None)?;
                asm(cx).mov_ri(size, gpr(t), -1);
                asm(cx).gpr_op(BSR, size, gpr(x), gpr(x));
                asm(cx).cmov(Cond::E, size, gpr(x), gpr(t));
                asm(cx).mov_ri(Size::B4, gpr(t), bits as i64 - 1);
                asm(cx).alu(AluOp::Sub, Size::B4, gpr(t), gpr(x));
                return cx.set(r, 0, t);
            }
        }
    }
    cx.set(r, 0, x)
}

/// An exclusive or. If it flips a deferred count of leading zeros, it gives the number of the highest bit.
pub(crate) fn exclusive_or(cx: &mut Cx<'_>, d: &Node) -> Result {
    let Some(i) = cx.deferred(d.a).filter(|&i| cx.f.inst(i).op == Opcode::Ctlz) else { return arithmetic(cx, d) };
    let v = Value(cx.f.inst(i).a);
    let s = cx.nested(|cx| reg_or_mem(cx, v, true))?;
    define(cx, d.r, |cx, dst| asm(cx).gpr_op(BSR, op_size(d.ty), gpr(dst), s))
}

/// Counts zeros of a number that is not zero.
fn scan_bits(cx: &mut Cx<'_>, d: &Node) -> Result {
    let (bits, size, leading) = (d.ty.bits(), op_size(d.ty), d.op == Opcode::Ctlz);
    let mut s = reg_or_mem(cx, d.a, bits >= 32)?;
    if bits < 32 && leading {
        let t = cx.temp(false, None)?;
        cx.copy_into(t, d.a, 0)?;
        cx.extend(t, bits as u16, false);
        s = Rm::Reg(gpr(t));
    }
    define(cx, d.r, |cx, dst| {
        let mut e = asm(cx);
        // Processors with `tzcnt` do it faster than `bsf`, as which others execute it.
        if !leading {
            e.gpr_op(TZCNT, size, gpr(dst), s);
        } else {
            e.gpr_op(BSR, size, gpr(dst), s);
            // The count is the width minus one minus the index.
            e.alu(AluOp::Xor, Size::B4, gpr(dst), bits.next_power_of_two() as i32 - 1);
        }
    })
}

/// The number of bits set.
fn population(cx: &mut Cx<'_>, d: &Node) -> Result {
    let size = op_size(d.ty);
    let (x, t) = (cx.temp(false, None)?, cx.temp(false, None)?);
    cx.copy_into(x, d.a, 0)?;
    if d.ty.bits() < 32 {
        cx.extend(x, d.ty.bits() as u16, false);
    }
    // Immediates never have eight bytes.
    let masks = if size == Size::B8 { Some(gpr(cx.temp(false, None)?)) } else { None };
    count_set(&mut asm(cx), size, gpr(x), gpr(t), masks);
    cx.set(d.r, 0, x)
}

/// The number of bits set in `x`: counts in pairs of bits, nibbles, then bytes, which a multiplication adds up in the
/// top byte. Masks go through a register if one is given.
pub(crate) fn count_set(e: &mut Asm<'_>, size: Size, x: Gpr, t: Gpr, masks: Option<Gpr>) {
    let mask = |e: &mut Asm<'_>, n: u64| match masks {
        Some(m) => {
            e.mov_ri(size, m, n as i64);
            Src::Reg(m)
        }
        None => Src::Imm(n as i32),
    };
    let moved = |e: &mut Asm<'_>, by| {
        e.mov(size, t, x);
        e.shift_ri(ShiftOp::Shr, size, t, by);
    };
    moved(e, 1);
    let m = mask(e, 0x5555_5555_5555_5555);
    e.alu(AluOp::And, size, t, m);
    e.alu(AluOp::Sub, size, x, t);
    let m = mask(e, 0x3333_3333_3333_3333);
    moved(e, 2);
    e.alu(AluOp::And, size, t, m);
    e.alu(AluOp::And, size, x, m);
    e.alu(AluOp::Add, size, x, t);
    moved(e, 4);
    e.alu(AluOp::Add, size, x, t);
    let m = mask(e, 0x0f0f_0f0f_0f0f_0f0f);
    e.alu(AluOp::And, size, x, m);
    let m = mask(e, 0x0101_0101_0101_0101);
    e.imul(size, x, m);
    e.shift_ri(ShiftOp::Shr, size, x, size.bits() as u8 - 8);
}

/// Byte reversal.
pub(crate) fn bswap(cx: &mut Cx<'_>, d: &Node) -> Result {
    change(cx, (d.r, d.a), |cx, dst| match d.ty.bits() {
        16 => asm(cx).shift_ri(ShiftOp::Rol, Size::B2, gpr(dst), 8),
        bits if bits > 16 => asm(cx).bswap(op_size(d.ty), gpr(dst)),
        _ => {}
    })
}

/// Reverses the bits of an operand.
pub(crate) fn bitreverse(cx: &mut Cx<'_>, d: &Node) -> Result {
    let bits = d.ty.bits();
    let (x, t, m) = (cx.temp(false, None)?, cx.temp(false, None)?, cx.temp(false, None)?);
    cx.copy_into(x, d.a, 0)?;
    reverse_bits(&mut asm(cx), op_size(d.ty), gpr(x), gpr(t), gpr(m));
    if bits < 32 {
        asm(cx).shift_ri(ShiftOp::Shr, Size::B4, gpr(x), 32 - bits as u8);
    }
    cx.set(d.r, 0, x)
}

/// Reverses the bits of `x`: bytes, then nibbles, pairs and bits in them.
pub(crate) fn reverse_bits(e: &mut Asm<'_>, size: Size, x: Gpr, t: Gpr, m: Gpr) {
    e.bswap(size, x);
    for (n, mask) in [(4, 0x0f0f_0f0f_0f0f_0f0f), (2, 0x3333_3333_3333_3333), (1, 0x5555_5555_5555_5555)] {
        e.mov_ri(size, m, mask);
        e.mov(size, t, x);
        e.alu(AluOp::And, size, t, m);
        e.shift_ri(ShiftOp::Shl, size, t, n);
        e.shift_ri(ShiftOp::Shr, size, x, n);
        e.alu(AluOp::And, size, x, m);
        e.alu(AluOp::Or, size, x, t);
    }
}

/// Funnel shifts; a rotation if both values are one.
pub(crate) fn funnel(cx: &mut Cx<'_>, d: &Node, left: bool) -> Result {
    let (a, b, n) = (d.a, d.b, d.c);
    let bits = d.ty.bits();
    let size = exact_size(d.ty);
    let constant = cx.f.int_constant(n).map(|n| (n % bits as u128) as u8);
    if constant.is_none() {
        if bits < 32 && a != b {
            // The count is reduced below, so it must be a copy.
            emit_operands(cx, &[a, b])?;
            cx.take(RCX)?;
            cx.copy_into(RCX, n, 0)?;
        } else {
            count_in_cl(cx, n, &[a, b])?;
        }
    }
    if a == b {
        let op = if left { ShiftOp::Rol } else { ShiftOp::Ror };
        let dst = if size == Size::B1 && cx.target.is_32() {
            let t = byte_temp(cx)?;
            cx.copy_into(t, a, 0)?;
            t
        } else {
            cx.def_reusing(d.r, a, 0)?
        };
        match constant {
            Some(0) => {}
            Some(n) => asm(cx).shift_ri(op, size, gpr(dst), n),
            None => asm(cx).shift_rc(op, size, gpr(dst)),
        }
        return cx.set(d.r, 0, dst);
    }
    if bits >= 32 {
        // shld d, s shifts d left and fills it from s's top; shrd shifts right.
        let (change, fill) = if left { (a, b) } else { (b, a) };
        let s = cx.use_reg(fill)?;
        let dst = cx.def_reusing(d.r, change, 0)?;
        let (x, s) = (gpr(dst), gpr(s));
        if constant != Some(0) {
            asm(cx).double_shift(left, size, x, s, constant);
        }
        return cx.set(d.r, 0, dst);
    }
    // Narrow: both are put side by side in 32 bits.
    let (x, y) = (cx.temp(false, None)?, cx.temp(false, None)?);
    cx.copy_into(x, a, 0)?;
    cx.copy_into(y, b, 0)?;
    asm(cx).shift_ri(ShiftOp::Shl, Size::B4, gpr(x), bits as u8);
    cx.extend(y, bits as u16, false);
    asm(cx).alu(AluOp::Or, Size::B4, gpr(x), gpr(y));
    let op = if left { ShiftOp::Shl } else { ShiftOp::Shr };
    match constant {
        Some(n) => {
            if n > 0 {
                asm(cx).shift_ri(op, Size::B4, gpr(x), n);
            }
        }
        None => {
            asm(cx).alu(AluOp::And, Size::B4, gpr(RCX), bits as i32 - 1);
            asm(cx).shift_rc(op, Size::B4, gpr(x));
        }
    }
    if left {
        asm(cx).shift_ri(ShiftOp::Shr, Size::B4, gpr(x), bits as u8);
    }
    cx.set(d.r, 0, x)
}

/// Address arithmetic: base plus scaled index.
pub(crate) fn index(cx: &mut Cx<'_>, d: &Node) -> Result {
    let w = cx.target.word_size();
    let r = d.r;
    let scale = d.c.0 as i32;
    if matches!(scale, 1 | 2 | 4 | 8) {
        let m = indexed(cx, d, 0)?;
        return define(cx, r, |cx, dst| asm(cx).lea(w, gpr(dst), m));
    }
    let (a, b) = (d.a, d.b);
    if let Some(n) = small_constant(cx.f, b).and_then(|n| n.checked_mul(scale)) {
        let m = address(cx, a, n)?;
        return define(cx, r, |cx, dst| asm(cx).lea(w, gpr(dst), m));
    }
    let computed = matches!(cx.f.value_def(a), ValueDef::Inst(_) | ValueDef::Param(_));
    if (scale as u32).is_power_of_two() && computed && a != b {
        // The index may die here and become the result.
        let base = src(cx, a, true)?;
        let dst = cx.def_reusing(r, b, 0)?;
        asm(cx).shift_ri(ShiftOp::Shl, w, gpr(dst), (scale as u32).trailing_zeros() as u8);
        asm(cx).alu(AluOp::Add, w, gpr(dst), base);
        return cx.set(r, 0, dst);
    }
    let t = cx.temp(false, None)?;
    if (scale as u32).is_power_of_two() {
        cx.copy_into(t, b, 0)?;
        asm(cx).shift_ri(ShiftOp::Shl, w, gpr(t), (scale as u32).trailing_zeros() as u8);
    } else {
        let y = cx.use_reg(b)?;
        asm(cx).imul_imm(w, gpr(t), gpr(y), scale);
    }
    let base = address(cx, a, 0)?;
    let m = match (base.base(), base.index()) {
        (Some(g), None) => Mem::indexed(g, gpr(t), 1, base.disp()),
        _ => {
            let u = cx.temp(false, None)?;
            asm(cx).lea(w, gpr(u), base);
            Mem::indexed(gpr(u), gpr(t), 1, 0)
        }
    };
    define(cx, r, |cx, dst| asm(cx).lea(w, gpr(dst), m))
}
