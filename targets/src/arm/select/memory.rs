//! Loads, stores, block operations and dynamic stack.

use gusset_codegen::ir::{Function, InstData, MemFlags, Opcode, Value};
use gusset_codegen::machine::PartKind;

use super::operand::*;
use crate::arm::encode::Asm;
use crate::arm::encode::ops::*;
use crate::arm::machine::{Arm, vreg};
use crate::arm::reg::{Flags, Gpr, IP, Mem, Shift, Vreg};
use crate::shared::block::pieces;

/// The load of this many bytes.
pub(crate) fn load_op(bytes: u32, signed: bool) -> Access {
    match (bytes, signed) {
        (1, false) => LDRB,
        (1, true) => LDRSB,
        (2, false) => LDRH,
        (2, true) => LDRSH,
        _ => LDR,
    }
}

/// The store of this many bytes.
pub(crate) fn store_op(bytes: u32) -> Access {
    match bytes {
        1 => STRB,
        2 => STRH,
        _ => STR,
    }
}

/// Which addresses an access of this many bytes can have.
pub(crate) fn reach(target: &Arm, bytes: u32, signed: bool) -> Reach {
    match (target.features.thumb, bytes, signed) {
        (true, ..=4, _) => Reach::Index(3),
        (false, 4, _) | (false, 1, false) => Reach::Index(3),
        (false, ..=2, _) => Reach::Index(0),
        _ => Reach::Near,
    }
}

/// More bytes on.
fn on(m: Mem, bytes: u32) -> Mem {
    match m {
        Mem::Base(base, disp) => Mem::Base(base, disp.wrapping_add(bytes as i32)),
        m => m,
    }
}

/// A load.
pub(crate) fn load(cx: &mut Cx<'_>, d: &Node) -> Result {
    check_space(cx, d)?;
    let (kind, parts) = cx.target_parts(d.ty);
    let (bytes, align) = (d.ty.store_bytes(), MemFlags(d.flags).align());
    if kind.is_memory() {
        return not_yet(cx, d);
    }
    if parts == 1 && !kind.is_float() {
        let m = address(cx, d.a, d.b.0 as i32, reach(cx.target, bytes, false))?;
        return define(cx, d.r, |cx, dst| asm(cx).access(load_op(bytes, false), gpr(dst), m));
    }
    let m = address(cx, d.a, d.b.0 as i32, Reach::Near)?;
    if kind == PartKind::V128 {
        return define(cx, d.r, |cx, dst| vector_access(&mut asm(cx), true, vreg(dst, 16), m, align));
    }
    if parts == 2 {
        let dst = define_pair(cx, d.r)?;
        let endian = cx.target.facts.endian();
        for (part, to) in [gpr(dst.0), gpr(dst.1)].into_iter().enumerate() {
            asm(cx).access(LDR, to, on(m, endian.place(4 * part as u32, 4, 8)));
        }
        return set_pair(cx, d.r, dst.0, dst.1);
    }
    if bytes >= 4 && align >= 4 {
        return define(cx, d.r, |cx, dst| asm(cx).faccess(VLDR, vreg(dst, bytes), m));
    }
    // Floating-point registers are loaded as words.
    let dst = cx.def(d.r, 0)?;
    for k in 0..bytes.div_ceil(4) {
        let at = cx.target.facts.endian().place(4 * k, bytes.min(4), bytes);
        asm(cx).access(load_op(bytes, false), IP, on(m, at));
        asm(cx).from_gpr(Vreg::S(dst.num() + k as u8), IP);
    }
    cx.set(d.r, 0, dst)
}

/// Loads the lowest byte of what a load reads.
pub(crate) fn load_byte(cx: &mut Cx<'_>, load: &Node, to: Gpr) -> Result {
    let at = cx.target.facts.endian().place(0, 1, load.ty.store_bytes());
    let m = address(cx, load.a, load.b.0 as i32 + at as i32, reach(cx.target, 1, false))?;
    asm(cx).access(LDRB, to, m);
    Ok(())
}

/// A load that was deferred to its extension.
pub(crate) fn load_extended(cx: &mut Cx<'_>, r: Value, load: &Node, signed: bool) -> Result {
    let bytes = load.ty.store_bytes();
    let reach = reach(cx.target, bytes, signed);
    let m = cx.nested(|cx| address(cx, load.a, load.b.0 as i32, reach))?;
    define(cx, r, |cx, dst| asm(cx).access(load_op(bytes, signed), gpr(dst), m))
}

/// A load or store of a vector: as a whole, or by its halves, which can have a displacement if they are aligned.
pub(crate) fn vector_access(e: &mut Asm<'_>, load: bool, v: Vreg, m: Mem, align: u32) {
    let Mem::Base(base, given) = m else { unreachable!("the address of a vector has no index") };
    let disp = e.from_stack(base, given);
    if disp == 0 {
        e.vaccess(load, v, base);
    } else if align >= 4 && disp & 3 == 0 && disp.abs() < 1016 {
        let [low, high] = v.halves();
        let op = if load { VLDR } else { VSTR };
        e.faccess(op, low, m);
        e.faccess(op, high, Mem::Base(base, given + 8));
    } else {
        let t = e.temp();
        e.add_number(Flags::Keep, t, base, disp);
        e.vaccess(load, v, t);
    }
}

/// A store.
pub(crate) fn store(cx: &mut Cx<'_>, d: &Node) -> Result {
    check_space(cx, d)?;
    let (kind, parts) = cx.target_parts(d.ty);
    let (v, offset) = (d.b, d.c.0 as i32);
    let (bytes, align) = (d.ty.store_bytes(), MemFlags(d.flags).align());
    if kind.is_memory() {
        return not_yet(cx, d);
    }
    if parts == 1 && !kind.is_float() {
        let x = stored(cx, v)?;
        let m = address(cx, d.a, offset, reach(cx.target, bytes, false))?;
        asm(cx).access(store_op(bytes), x, m);
        return Ok(());
    }
    if parts == 2 {
        guard(cx, &[v])?;
        let m = address(cx, d.a, offset, Reach::Near)?;
        for part in 0..2 {
            let x = gpr(cx.use_part(v, part)?);
            let at = cx.target.facts.endian().place(4 * u32::from(part), 4, 8);
            asm(cx).access(STR, x, on(m, at));
            done(cx, v, part);
        }
        return Ok(());
    }
    // A constant that is in no register is stored through a general-purpose register.
    let number = cx.f.constant(v).filter(|_| kind != PartKind::V128).map(|c| c.bits());
    let x = if number.is_none() { Some(cx.use_reg(v)?) } else { None };
    let m = address(cx, d.a, offset, Reach::Near)?;
    match x {
        Some(x) if kind == PartKind::V128 => vector_access(&mut asm(cx), false, vreg(x, 16), m, align),
        Some(x) if bytes >= 4 && align >= 4 => asm(cx).faccess(VSTR, vreg(x, bytes), m),
        x => {
            let t = temp(cx)?;
            for k in 0..bytes.div_ceil(4) {
                match x {
                    Some(x) => asm(cx).to_gpr(t, Vreg::S(x.num() + k as u8)),
                    None => asm(cx).mov_number(Flags::Keep, t, (number.unwrap_or(0) >> (32 * k)) as u32),
                }
                let at = cx.target.facts.endian().place(4 * k, bytes.min(4), bytes);
                asm(cx).access(store_op(bytes), t, on(m, at));
            }
        }
    }
    Ok(())
}

/// Block operations up to this many bytes are done in place.
const INLINE: u128 = 64;

/// Is the block operation done without a library call?
pub(crate) fn is_inline(target: &Arm, f: &Function, d: &InstData) -> bool {
    let Some(n) = f.int_constant(Value(d.c)) else { return false };
    let in_place = target.facts.wanted_alignment(f.attrs.strict_alignment).general == 1 && n <= INLINE;
    match d.op {
        _ if n == 0 => true,
        // Everything is read before anything is written.
        Opcode::Memmove => in_place && n <= 8,
        _ => in_place,
    }
}

/// Copies, moves and fills.
pub(crate) fn block(cx: &mut Cx<'_>, d: &Node) -> Result {
    let n = cx.f.int_constant(d.c).unwrap_or(0) as u32;
    if n == 0 {
        return Ok(());
    }
    let to = address(cx, d.a, 0, Reach::Near)?;
    if d.op == Opcode::Memset {
        let constant = cx.f.constant(d.b).map(|_| cx.f.int_constant(d.b).unwrap_or(0) as u8);
        let x = if constant.is_none() { Some(reg(cx, d.b)?) } else { None };
        let t = temp(cx)?;
        let (target, mut e) = (cx.target, asm(cx));
        match x {
            Some(x) => {
                extend_bits(target, &mut e, false, t, x, 8);
                e.data(ORR, Flags::Keep, t, t, by(t, Shift::Lsl, 8));
                e.data(ORR, Flags::Keep, t, t, by(t, Shift::Lsl, 16));
            }
            None => e.mov_number(Flags::Keep, t, u32::from_le_bytes([constant.unwrap_or(0); 4])),
        }
        pieces(n, 4, true, |k, step| e.access(store_op(step), t, on(to, k)));
        return Ok(());
    }
    let from = address(cx, d.b, 0, Reach::Near)?;
    let second = temp(cx)?;
    let mut e = asm(cx);
    let mut held = None;
    let flush = |e: &mut crate::arm::encode::Asm<'_>, held: Option<(u32, u32)>| {
        if let Some((k, step)) = held {
            e.access(store_op(step), IP, on(to, k));
        }
    };
    // Two pieces at a time; a small move has no more.
    pieces(n, 4, true, |k, step| {
        if held.is_none() {
            e.access(load_op(step, false), IP, on(from, k));
            held = Some((k, step));
        } else {
            e.access(load_op(step, false), second, on(from, k));
            flush(&mut e, held.take());
            e.access(store_op(step), second, on(to, k));
        }
    });
    flush(&mut e, held);
    Ok(())
}

/// A hint that memory will be accessed.
pub(crate) fn prefetch(cx: &mut Cx<'_>, d: &Node) -> Result {
    let n = reg(cx, d.a)?;
    if cx.target.features.version >= 6 {
        asm(cx).prefetch(n, 0);
    }
    Ok(())
}

/// Copies a `va_list`, which is a pointer (AAPCS32, section "Additional types").
pub(crate) fn va_copy(cx: &mut Cx<'_>, d: &Node) -> Result {
    let (to, from) = (address(cx, d.a, 0, Reach::Near)?, address(cx, d.b, 0, Reach::Near)?);
    let mut e = asm(cx);
    e.access(LDR, IP, from);
    e.access(STR, IP, to);
    Ok(())
}
