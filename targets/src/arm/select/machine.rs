//! Machine operations by the names of LLVM's intrinsics: what the functions of `arm_neon.h` and `arm_acle.h` become.

use gusset_codegen::error::{CompileError, Result};
use gusset_codegen::ir::{Opcode, Type, Value};

use super::operand::*;
use super::tls;
use super::vector::q;
use super::{atomic, custom, system};
use crate::arm::encode::Asm;
use crate::arm::encode::neon::*;
use crate::arm::encode::ops::*;
use crate::arm::machine::gpr;
use crate::arm::reg::{Gpr, Lane, Vreg};
use crate::arm::registers::QTEMP;
use crate::shared::lanes::uniform_constant;

const UNKNOWN: &str = "it is not known on ARM";
const TYPES: &str = "its operands or its result are of other types";
const RANGE: &str = "an operand is no constant within its range";

/// Emits the operation.
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Result {
    let module = cx.module;
    let name = module.machine_ops.get(d.flags as usize).map_or("", String::as_str);
    if name == "thread.pointer" {
        return tls::pointer(cx, d);
    }
    let done = match name.strip_prefix("arm.neon.").filter(|text| *text != "vcvtbfp2bf") {
        Some(text) if d.op == Opcode::Machine => operation(cx, d, text).map(|op| operate(cx, d, &op)),
        _ => general(cx, d, name.strip_prefix("arm.").unwrap_or("")),
    };
    done.unwrap_or_else(|refused| {
        let refused = if name.starts_with("arm.mve.") { "the feature `mve` is not supported" } else { refused };
        Err(CompileError::at(cx.f, d.inst, format!("the intrinsic `llvm.{name}` is not supported: {refused}")))
    })
}

/// Barriers and hints; clearing the mark of an exclusive load counts as a barrier.
fn system(cx: &mut Cx<'_>, d: &Node, text: &str) -> Refused<bool> {
    const CLREX: Barrier = Barrier(Words { a32: 0xf57f_f010, t32: 0xf3bf_8f20 });
    let n = if text == "clrex" { Some(15) } else { cx.f.int_constant(d.a).filter(|n| (0..16).contains(n)) };
    let barrier = match text {
        "dmb" => DMB,
        "dsb" => DSB,
        "isb" => ISB,
        "clrex" => CLREX,
        "hint" | "dbg" | "undefined" => return numbered(cx, d, text),
        _ => return Ok(false),
    };
    if cx.target.features.version < 7 {
        return Err("it takes version 7 (`-mattr=+v7`)");
    }
    let n = n.ok_or(RANGE)?;
    asm(cx).barrier(barrier, n as u32);
    Ok(true)
}

/// Hints and traps with a number.
fn numbered(cx: &mut Cx<'_>, d: &Node, text: &str) -> Refused<bool> {
    const HINT: Barrier = Barrier(Words { a32: 0xe320_f000, t32: 0xf3af_8000 });
    const DBG: Barrier = Barrier(Words { a32: 0xe320_f0f0, t32: 0xf3af_80f0 });
    let count = match text {
        "hint" | "dbg" => 16,
        _ if cx.target.features.thumb => 1 << 8,
        _ => 1 << 16,
    };
    let n = cx.f.int_constant(d.a).filter(|n| (0..count).contains(n)).ok_or(RANGE)? as u32;
    let short = [NOP, YIELD, WFE, WFI, SEV].get(n as usize).copied();
    let mut e = asm(cx);
    match (text, short) {
        ("hint", Some(hint)) => e.hint(hint),
        ("hint", None) => e.barrier(HINT, n),
        ("dbg", _) => e.barrier(DBG, n),
        _ => e.trap(UDF, n as u16),
    }
    Ok(true)
}

/// Emits an operation on general-purpose registers: products, saturating sums, parallel bytes, checksums.
fn general(cx: &mut Cx<'_>, d: &Node, text: &str) -> Refused<Result> {
    let find = |table: &Names| table.names.iter().find(|row| row.1 == text).map(|row| row.0);
    if d.op == Opcode::MachineEffect && system(cx, d, text)? {
        return Ok(Ok(()));
    }
    if let Some(done) = atomic::named(cx, d, text).or_else(|| custom::select(cx, d, text)) {
        return done;
    }
    if let Some(done) = system::select(cx, d, text) {
        return done;
    }
    let words = [d.a, d.b, d.c].map(|v| cx.ty(v));
    if let Some(op) = find(&LONG_PRODUCT).filter(|_| words == [Type::I32, Type::I32, Type::I64] && d.ty == Type::I64) {
        return Ok(accumulate(cx, d, LongProduct(op)));
    }
    if matches!(text, "get.fpscr" | "set.fpscr") && !cx.target.features.float_registers {
        return Err("it takes floating-point registers (`-mattr=+vfp2`)");
    }
    if d.op == Opcode::MachineEffect && text == "set.fpscr" && words[0] == Type::I32 {
        return Ok(reg(cx, d.a).map(|x| asm(cx).write_fpscr(x)));
    }
    if d.ty == Type::I32 && text == "get.fpscr" {
        return Ok(define(cx, d.r, |cx, dst| asm(cx).read_fpscr(gpr(dst))));
    }
    if d.ty != Type::I32 || words != [Type::I32; 3] {
        return Err(if text.is_empty() { UNKNOWN } else { TYPES });
    }
    if let Some((op, from, count)) = match text {
        "ssat" => Some((SSAT, 1, 32)),
        "usat" => Some((USAT, 0, 32)),
        "ssat16" => Some((SSAT16, 1, 16)),
        "usat16" => Some((USAT16, 0, 16)),
        _ => None,
    } {
        let n = cx.f.int_constant(d.b).filter(|n| (from..from + count).contains(n)).ok_or(RANGE)? as u32;
        return Ok(reg(cx, d.a).and_then(|x| define(cx, d.r, |cx, dst| asm(cx).saturate(op, gpr(dst), n, (x, 0)))));
    }
    let done = |cx: &mut Cx<'_>, put: &dyn Fn(&mut Asm<'_>, Gpr, [Gpr; 3])| {
        let operands = [reg(cx, d.a)?, reg(cx, d.b)?, reg(cx, d.c)?];
        define(cx, d.r, |cx, dst| put(&mut asm(cx), gpr(dst), operands))
    };
    Ok(if let Some(op) = find(&RRR).filter(|_| text.starts_with("sm") || text.starts_with("us")) {
        done(cx, &|e, d, [x, y, _]| e.registers(Rrr(op), [d, x, y]))
    } else if let Some(op) = Parallel::named(text).next() {
        done(cx, &|e, d, [x, y, _]| e.registers(op, [d, x, y]))
    } else if let Some(op) = find(&SATURATING) {
        done(cx, &|e, d, [x, y, _]| e.registers(Saturating(op), [d, x, y]))
    } else if let Some(op) = find(&RRRR) {
        done(cx, &|e, d, [x, y, z]| e.registers(Rrrr(op), [d, x, y, z]))
    } else if let Some(op) = find(&EXTEND_BYTES) {
        done(cx, &|e, d, [x, ..]| e.registers(ExtendBytes(op), [d, x]))
    } else {
        return Err(UNKNOWN);
    })
}

/// A sum of 64 bits to which products are added.
fn accumulate(cx: &mut Cx<'_>, d: &Node, op: LongProduct) -> Result {
    let (x, y) = (reg(cx, d.a)?, reg(cx, d.b)?);
    guard(cx, &[d.c])?;
    let (low, high) = (cx.def_reusing(d.r, d.c, 0)?, cx.def_reusing(d.r, d.c, 1)?);
    asm(cx).registers(op, [gpr(low), gpr(high), x, y]);
    set_pair(cx, d.r, low, high)
}

/// An operation on vectors.
struct Operation {
    op: Vop,
    lane: Lane,
    /// On all 16 bytes.
    whole: bool,
    /// The first operand is changed.
    changes: bool,
    /// The number of bits of a shift.
    by: u32,
}

/// Lanes as names spell types, such as `v8i16`: their width, the size of all in bytes, and whether they are
/// floating-point numbers.
fn lanes(ty: &str) -> Option<(Lane, u32, bool)> {
    let (count, lane) = ty.strip_prefix('v')?.split_once(['i', 'f'])?;
    // `bf16` is a floating-point number, too.
    let count = count.strip_suffix('b').unwrap_or(count);
    let lane = *Lane::ALL.iter().find(|l| lane.parse() == Ok(l.bits()))?;
    Some((lane, count.parse::<u32>().ok()?.checked_mul(lane.bits() / 8)?, ty.contains('f')))
}

/// The meaning of a name and the types in it.
fn operation(cx: &Cx<'_>, d: &Node, text: &str) -> Refused<Operation> {
    let turned = ["vcadd.rot90", "vcadd.rot270"].into_iter().find(|name| text.starts_with(name));
    let base = turned.or(text.split('.').next()).unwrap_or("");
    let words = text[base.len()..].split('.').skip(1);
    let types: Vec<_> = words.map(lanes).collect::<Option<_>>().ok_or(UNKNOWN)?;
    let number = types.iter().any(|ty| ty.2);
    let halves = types.iter().any(|ty| ty.2 && ty.0 == Lane::H);
    let named = ROWS.iter().filter_map(|row| {
        let name = row.llvm.trim_start_matches('+');
        let unsigned = match name.split_once('*') {
            Some((front, back)) => match base.strip_prefix(front)?.strip_suffix(back)? {
                "s" => false,
                "u" => true,
                _ => return None,
            },
            None => (name == base && !base.is_empty()).then_some(false)?,
        };
        Some((row, unsigned))
    });
    // A name may stand for operations on other numbers and on 16-bit floating-point numbers.
    let alone = named.clone().all(|(row, _)| row.is_half() != halves);
    let mut rows = named.filter(|(row, _)| alone || row.is_half() == halves);
    let (mut row, unsigned) = rows.next().ok_or(UNKNOWN)?;
    let changes = row.llvm.starts_with('+');
    let fits = |ty: Type| if ty.is_vector() { ty.bits() == 128 } else { ty == Type::I32 };
    if ![cx.ty(d.a), cx.ty(d.b), cx.ty(d.c), d.ty].into_iter().all(fits) || !cx.target.features.neon {
        return Err(TYPES);
    }
    let amount = if changes { d.c } else { d.b };
    let mut by = 0;
    if let Some((other, _)) = rows.next() {
        // Of two rows, the second is for floating-point numbers, or for shifts to the right, which have negative
        // amounts.
        let second = if row.op.form.is_shift() { shift(cx, amount) >= Some(0) } else { number };
        row = if second { other } else { row };
    }
    let form = row.op.form;
    let lane = match form {
        // Operands have another width than the result.
        Form::Two => types.last(),
        _ => types.first(),
    };
    let (mut lane, bytes, _) = lane.copied().unwrap_or((Lane::S, 16, false));
    if form == Form::Fraction {
        // The number of bits is encoded as that of wider lanes.
        lane = Lane::S;
    }
    if form == Form::Long {
        lane = Lane::ALL[(lane as usize).saturating_sub(1)];
    }
    if !types.is_empty() && row.lanes >> lane as u32 & 1 == 0 || !matches!(bytes, 8 | 16) {
        return Err(TYPES);
    }
    if form.is_shift() {
        let n = shift(cx, amount).ok_or(RANGE)?;
        let n = if matches!(form, Form::NarrowRight) || form == Form::Right && n < 0 { -n } else { n };
        let range = if form == Form::Fraction {
            1..17
        } else if form == Form::Left {
            0..i64::from(lane.bits())
        } else {
            1..i64::from(lane.bits()) + 1
        };
        by = if range.contains(&n) { n as u32 } else { return Err(RANGE) };
    }
    Ok(Operation { op: row.op.sign(unsigned), lane, whole: bytes == 16, changes, by })
}

/// The constant number of bits of a shift, in all lanes or alone.
fn shift(cx: &Cx<'_>, v: Value) -> Option<i64> {
    let n = uniform_constant(cx.f, v).or(cx.f.int_constant(v))?;
    let unused = 128 - cx.ty(v).lane_bits();
    Some(((n << unused) as i128 >> unused) as i64)
}

/// An operand in a vector register; integers are moved there.
fn in_vector(cx: &mut Cx<'_>, v: Value) -> Result<Vreg> {
    if cx.ty(v).is_vector() {
        return float(cx, v);
    }
    let x = reg(cx, v)?;
    let t = q(QTEMP);
    asm(cx).set_lane(Lane::S, t.halves()[0], 0, x);
    Ok(t)
}

fn operate(cx: &mut Cx<'_>, d: &Node, o: &Operation) -> Result {
    let form = o.op.form;
    let operands = &[d.a, d.b, d.c][usize::from(o.changes)..];
    let first = in_vector(cx, operands[0])?;
    let second = if form.has_two() { in_vector(cx, operands[1])? } else { first };
    let [to, from] = match o.whole {
        true if form.is_sized() => ['q', 'q'],
        _ => form.sizes(),
    };
    let view = |v: Vreg, size: char| if size == 'q' { v } else { v.halves()[0] };
    let put = |cx: &mut Cx<'_>, g: Vreg| {
        let (g, n, m) = (view(g, to), view(first, from), view(second, from));
        let copies = matches!(o.op, AESE | AESD) && cx.target.features.copies_for_ciphers;
        let mut e = asm(cx);
        let m = match copies {
            true => {
                e.vmov(g, g);
                e.vmov(q(QTEMP), m);
                q(QTEMP)
            }
            false => m,
        };
        match form {
            _ if form.is_shift() => e.vshift(o.op, o.lane, g, m, o.by),
            Form::Table => e.vtable(o.op, g, n, 1, m),
            _ => e.vector(o.op, o.lane, g, n, m),
        }
    };
    if d.ty.is_int() {
        put(cx, q(QTEMP));
        return define(cx, d.r, |cx, dst| asm(cx).get_lane(Lane::S, true, gpr(dst), q(QTEMP).halves()[0], 0));
    }
    match o.changes {
        true => change(cx, (d.r, d.a), |cx, dst| put(cx, q(dst))),
        false => define(cx, d.r, |cx, dst| put(cx, q(dst))),
    }
}
