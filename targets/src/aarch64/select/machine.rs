//! Machine operations by the names of LLVM's intrinsics: what the functions of `arm_neon.h` and `arm_acle.h` become.

use gusset_codegen::error::{CompileError, Result};
use gusset_codegen::ir::{Opcode, Type, Value};

use super::atomic;
use super::operand::*;
use crate::aarch64::encode::neon::{Direction, Lane, Operands, ROWS, Row, Shape};
use crate::aarch64::encode::ops::*;
use crate::aarch64::machine::{gpr, vreg, width};
use crate::aarch64::reg::{Fp, Gpr, Lanes, Vreg, Width};
use crate::aarch64::registers::VTEMP;
use crate::shared::lanes::uniform_constant;

/// A result, or the reason why there is no code for an operation.
type Refused<T> = Result<T, &'static str>;

const UNKNOWN: &str = "it is not known on AArch64";
const TYPES: &str = "its operands or its result are of other types";
/// The bit of words for unsigned numbers.
const UNSIGNED: u32 = 1 << 29;
const RANGE: &str = "an operand is no constant within its range";

/// The code of an operation on vector registers.
struct Code {
    word: u32,
    operands: Operands,
    /// The operation is applied again to its own result, for the remaining lanes.
    again: bool,
    /// An integer narrower than its register: its lane, and whether it is signed.
    narrow: Option<(Lanes, bool)>,
}

/// Emits the operation.
pub(crate) fn select(cx: &mut Cx<'_>, d: &Node) -> Result {
    let module = cx.module;
    let name = module.machine_ops.get(d.flags as usize).map_or("", String::as_str);
    let text = name.strip_prefix("aarch64.").unwrap_or(name);
    let vectors = text.strip_prefix("neon.");
    if let Some(word) = to_integer(vectors.unwrap_or(text)).filter(|_| d.ty.is_int() && cx.ty(d.a).is_float()) {
        return convert(cx, d, word);
    }
    let refused = match vectors {
        _ if d.op == Opcode::MachineEffect => match effect(cx, text, d) {
            Ok(done) => return done,
            Err(why) => why,
        },
        None if text.starts_with("cls") || find(text).is_none() => match general(cx, d, text) {
            Ok(done) => return done,
            Err(why) => why,
        },
        vectors => match code(cx, d, vectors.unwrap_or(text)) {
            Ok(code) => return operate(cx, d, &code),
            Err(why) => why,
        },
    };
    // As far as names say which feature they belong to.
    let refused = match text.split('.').next() {
        Some("sve") => "the feature `sve` is not supported",
        Some("sme") => "the feature `sme` is not supported",
        _ => refused,
    };
    Err(CompileError::at(cx.f, d.inst, format!("the intrinsic `llvm.{name}` is not supported: {refused}")))
}

/// Emits an operation without a result.
fn effect(cx: &mut Cx<'_>, text: &str, d: &Node) -> Refused<Result> {
    let operand = d.a;
    let n = cx.f.int_constant(operand);
    // The word, the position of its number and the number's range.
    let (word, from, count) = match text {
        "hint" => (0xd503_201f, 5, 128),
        "dmb" => (0xd503_30bf, 8, 16),
        "dsb" => (0xd503_309f, 8, 16),
        "isb" => (0xd503_30df, 8, 16),
        "clrex" => (0xd503_3f5f, 0, u128::MAX),
        "break" => (0xd420_0000, 5, 1 << 16),
        "hlt" => (0xd440_0000, 5, 1 << 16),
        "set.fpcr" | "set.fpsr" if cx.ty(operand) == Type::I64 => {
            let to = if text == "set.fpcr" { WRITE_FPCR } else { WRITE_FPSR };
            return Ok(reg(cx, operand).map(|x| asm(cx).write_system(to, x)));
        }
        "stg" | "stgp" | "settag" | "settag.zero" => return store_tags(cx, text, d),
        _ => return Err(UNKNOWN),
    };
    let n = n.filter(|&n| n < count).ok_or(RANGE)? as u32;
    asm(cx).put(if from > 0 { word | n << from } else { word });
    Ok(Ok(()))
}

/// Stores tags of memory, for every 16 bytes.
fn store_tags(cx: &mut Cx<'_>, text: &str, d: &Node) -> Refused<Result> {
    const STG: u32 = 0xd920_0800;
    const ZERO: u32 = 0x0040_0000;
    const TWO: u32 = 0x0080_0000;
    let zero = if text == "settag.zero" { ZERO } else { 0 };
    let bytes = match text {
        "settag" | "settag.zero" => cx.f.int_constant(d.b).filter(|n| n % 16 == 0 && *n <= 4096).ok_or(RANGE)? as u32,
        _ => 0,
    };
    Ok((|| {
        let x = reg(cx, d.a)?;
        if text == "stg" || text == "stgp" {
            let y = reg(cx, d.b)?;
            if text == "stg" {
                asm(cx).put_2(STG, x, y);
                return Ok(());
            }
            let z = reg(cx, d.c)?;
            asm(cx).put_2(0x6900_0000 | u32::from(z.0) << 10, y, x);
            return Ok(());
        }
        let mut at = 0;
        while at < bytes {
            let (two, step) = if at + 32 <= bytes { (TWO, 32) } else { (0, 16) };
            asm(cx).put_2(STG | zero | two | (at / 16) << 12, x, x);
            at += step;
        }
        Ok(())
    })())
}

/// Operations on pointers with tags or signatures; `None` if it is another.
fn of_pointers(cx: &mut Cx<'_>, d: &Node, text: &str) -> Refused<Option<Result>> {
    const SUBP: u32 = 0x9ac0_0000;
    const ADDG: u32 = 0x9180_0000;
    let number =
        |cx: &Cx<'_>, v: Value, below: u128| cx.f.int_constant(v).filter(|n| *n < below).map(|n| n as u32).ok_or(RANGE);
    if d.ty != Type::I64 || cx.ty(d.a) != Type::I64 {
        return Ok(None);
    }
    Ok(Some(match text {
        "irg.sp" => {
            reg(cx, d.a).and_then(|m| define(cx, d.r, |cx, dst| asm(cx).put_3(0x9ac0_1000, gpr(dst), Gpr(31), m)))
        }
        "addg" => {
            let word = ADDG | number(cx, d.b, 16)? << 10;
            reg(cx, d.a).and_then(|n| define(cx, d.r, |cx, dst| asm(cx).put_2(word, gpr(dst), n)))
        }
        "tagp.p0" => {
            let word = ADDG | number(cx, d.c, 16)? << 10;
            reg(cx, d.a).and_then(|n| {
                let (m, t) = (reg(cx, d.b)?, temp(cx)?);
                asm(cx).put_3(SUBP, t, n, m);
                asm(cx).add_rr(ADD, Width::X, t, t, m);
                define(cx, d.r, |cx, dst| asm(cx).put_2(word, gpr(dst), t))
            })
        }
        "ldg" | "ptrauth.blend" => {
            // The integer is the upper sixteen bits.
            let word = if text == "ldg" { 0xd960_0000 } else { 0xb350_3c00 };
            reg(cx, d.b).and_then(|n| change(cx, (d.r, d.a), |cx, dst| asm(cx).put_2(word, gpr(dst), n)))
        }
        "ptrauth.sign" | "ptrauth.auth" => {
            let auth = if text == "ptrauth.auth" { 0x1000 } else { 0 };
            let word = 0xdac1_0000 | auth | number(cx, d.b, 4)? << 10;
            reg(cx, d.c).and_then(|n| change(cx, (d.r, d.a), |cx, dst| asm(cx).put_2(word, gpr(dst), n)))
        }
        "ptrauth.strip" => {
            let word = 0xdac1_43e0 | number(cx, d.b, 4)? >> 1 << 10;
            change(cx, (d.r, d.a), |cx, dst| asm(cx).put(word | u32::from(dst.num())))
        }
        _ => return Ok(None),
    }))
}

/// Operations on two general-purpose registers: the name, the word, and whether their operands may have 32 bits, which its
/// upper bit says.
const GENERAL: &[(&str, u32, bool)] = &[
    ("sdiv", 0x1ac0_0c00, true),
    ("udiv", 0x1ac0_0800, true),
    ("irg", 0x9ac0_1000, false),
    ("gmi", 0x9ac0_1400, false),
    ("subp", 0x9ac0_0000, false),
    ("ptrauth.sign.generic", 0x9ac0_3000, false),
];

/// Emits an operation on general-purpose registers: checksums and leading bits, conversions to integers.
fn general(cx: &mut Cx<'_>, d: &Node, text: &str) -> Refused<Result> {
    let (x, y) = (cx.ty(d.a), cx.ty(d.b));
    let system = match text {
        "get.fpcr" => Some(READ_FPCR),
        "get.fpsr" => Some(READ_FPSR),
        "thread.pointer" => Some(cx.target.thread_register()),
        _ => None,
    };
    if let Some(register) = system.filter(|_| d.ty == Type::I64) {
        return Ok(define(cx, d.r, |cx, dst| asm(cx).read_system(register, gpr(dst))));
    }
    if let Some(done) = atomic::named(cx, d, text) {
        return Ok(done);
    }
    if let Some(done) = of_pointers(cx, d, text)? {
        return Ok(done);
    }
    let base = if text.ends_with("generic") { text } else { text.split('.').next().unwrap_or(text) };
    if let Some(&(_, word, both)) = GENERAL.iter().find(|row| row.0 == base) {
        if [x, y] != [d.ty; 2] || !(d.ty == Type::I64 || both && d.ty == Type::I32) {
            return Err(TYPES);
        }
        return Ok(reg(cx, d.a).and_then(|n| {
            let m = reg(cx, d.b)?;
            define(cx, d.r, |cx, dst| asm(cx).put_3(word | width(d.ty).sf(), gpr(dst), n, m))
        }));
    }
    let wide = match text {
        "cls" => x == Type::I32,
        "cls64" => x == Type::I64,
        _ => x == Type::I32 && (y == Type::I64) == text.ends_with('x') && matches!(y, Type::I32 | Type::I64),
    };
    if !wide || d.ty != Type::I32 {
        return Err(TYPES);
    }
    if text.starts_with("cls") {
        return Ok(reg(cx, d.a).and_then(|n| define(cx, d.r, |cx, dst| asm(cx).rr(CLS, width(x), gpr(dst), n))));
    }
    if !text.starts_with("crc32") {
        return Err(UNKNOWN);
    }
    let op = CRC.names.iter().chain(CRC_OF_DOUBLE.names).find(|row| row.1 == text).ok_or(UNKNOWN)?.0;
    Ok(reg(cx, d.a).and_then(|n| {
        let m = reg(cx, d.b)?;
        define(cx, d.r, |cx, dst| asm(cx).crc(Crc(op), gpr(dst), n, m))
    }))
}

/// The word of a conversion of a floating-point number to an integer register: the rounding is in the name.
fn to_integer(text: &str) -> Option<u32> {
    let name = text.split('.').next()?;
    if name == "fjcvtzs" {
        return Some(0x1e3e_0000);
    }
    let [mode, sign] = name.strip_prefix("fcvt")?.as_bytes().first_chunk()?;
    let mode = match mode {
        b'n' => 0,
        b'p' => 1 << 19,
        b'm' => 2 << 19,
        b'z' => 3 << 19,
        b'a' => 4 << 16,
        _ => return None,
    };
    let sign = b"su".iter().position(|s| s == sign)? as u32;
    (name.len() == 6).then_some(0x1e20_0000 | mode | sign << 16)
}

/// Converts a floating-point number to an integer register.
fn convert(cx: &mut Cx<'_>, d: &Node, word: u32) -> Result {
    let form = match cx.ty(d.a) {
        Type::F16 => 3,
        Type::F64 => 1,
        _ => 0,
    };
    let n = float(cx, d.a)?;
    let word = word | form << 22 | u32::from(d.ty.bits() > 32) << 31;
    define(cx, d.r, |cx, dst| asm(cx).put_2(word, gpr(dst), n))
}

/// The operation with a name and the types in it.
fn find(text: &str) -> Option<(&'static Row, bool, Vec<Lane>)> {
    ROWS.iter().find_map(|row| {
        let (before, after) = row.0.split_once('*').unwrap_or((row.0, ""));
        let rest = text.strip_prefix(before)?;
        let unsigned = before.len() < row.0.len() && rest.starts_with('u');
        let rest =
            if before.len() < row.0.len() { rest.strip_prefix(['s', 'u'])? } else { rest }.strip_prefix(after)?;
        if !rest.is_empty() && !rest.starts_with('.') {
            return None;
        }
        let types = rest.split('.').skip(1).map(Lane::parse).collect::<Option<Vec<Lane>>>()?;
        if matches!(row.2, Shape::Scalar(_)) && !types.first().is_some_and(|lane| lane.single) {
            return None;
        }
        Some((row, unsigned, types))
    })
}

/// The code of an operation on vector registers.
fn code(cx: &Cx<'_>, d: &Node, text: &str) -> Refused<Code> {
    let (&(name, word, shape, lanes), unsigned, types) = find(text).ok_or(UNKNOWN)?;
    let sign = if unsigned { UNSIGNED } else { 0 };
    let word = word | sign;
    let in_register = |ty: Type| if ty.is_vector() { ty.bits() == 128 } else { ty.bits() <= 64 };
    if ![cx.ty(d.a), cx.ty(d.b), cx.ty(d.c), d.ty].into_iter().all(in_register) {
        return Err(TYPES);
    }
    let lane = match shape {
        Shape::Fixed(operands) => return Ok(Code { word, operands, again: false, narrow: None }),
        Shape::Number(operands, from, count) => {
            let n = cx.f.int_constant(d.c).filter(|&n| n < count.into()).ok_or(RANGE)? as u32;
            return Ok(Code { word: word | n << from, operands, again: false, narrow: None });
        }
        // Of halves and integers, the halves: the others are registers around them.
        Shape::Floats(_) | Shape::Shift(_, Direction::Right) if types.iter().all(|lane| lane.single) => {
            types.iter().min_by_key(|lane| lane.size)
        }
        Shape::Pairs | Shape::Across(..) => types.last(),
        _ => types.first(),
    };
    let mut lane = *lane.ok_or(UNKNOWN)?;
    let fits = match shape {
        Shape::Pairs | Shape::Across(..) => true,
        Shape::Floats(_) | Shape::Shift(_, Direction::Right) if types.iter().any(|l| l.size != lane.size) => {
            lane.size == 1 && lane.single
        }
        _ => !d.ty.is_vector() || d.ty.lane_bits() == 8 << lane.size,
    };
    if shape == Shape::Long {
        lane = Lane { size: lane.size.wrapping_sub(1), whole: false, ..lane };
    }
    if !fits || lane.size > 3 {
        return Err(TYPES);
    }
    let lane = lane.among(lanes).ok_or(TYPES)?;
    let plain = |word, operands| Ok(Code { word, operands, again: false, narrow: None });
    match shape {
        Shape::Fixed(operands) | Shape::Number(operands, ..) => plain(word, operands),
        Shape::Scalar(operands) => plain(word | [0, 3, 0, 1][lane.size as usize] << 22, operands),
        Shape::Whole(operands) => plain(Lane { size: 0, ..lane }.ints(word), operands),
        Shape::Ints(operands) => plain(lane.ints(word), operands),
        Shape::Floats(operands) => plain(lane.floats(word), operands),
        Shape::Narrow(operands) => plain(Lane { whole: false, ..lane }.ints(word), operands),
        Shape::Long => plain(lane.ints(word), Operands::Two),
        Shape::Pairs => plain(lane.ints(word), Operands::One),
        Shape::Across(pairs, long) => Ok(across(d, (name, word, pairs | sign), lane, long)),
        Shape::Shift(operands, direction) => {
            let by = if operands.changes() { d.c } else { d.b };
            let by = uniform_constant(cx.f, by).or(cx.f.int_constant(by)).ok_or(RANGE)?;
            let lane = if direction == Direction::RightNarrow { Lane { whole: false, ..lane } } else { lane };
            let by = u32::try_from(by).map_err(|_| RANGE)?;
            plain(lane.shift(word, by, direction == Direction::Left).ok_or(RANGE)?, operands)
        }
    }
}

/// Combines all lanes to one.
fn across(d: &Node, (name, word, pairs): (&str, u32, u32), lane: Lane, long: bool) -> Code {
    let float = name.starts_with('f');
    let two = lane.size == 3 || lane.size == 2 && !lane.whole;
    let operands = if long { Operands::One } else { Operands::Two };
    let narrow = (lane.size + u32::from(long) < 2 && d.ty.is_int()).then(|| {
        let lanes = if lane.size + u32::from(long) == 0 { Lanes::B16 } else { Lanes::H8 };
        (lanes, name.starts_with('s') || name.starts_with('*') && word & UNSIGNED == 0)
    });
    if word == 0 || two {
        let word = if float { lane.floats(pairs) } else { lane.ints(pairs) };
        return Code { word, operands, again: !two, narrow };
    }
    // For halves, the bit differs that means unsigned integers elsewhere.
    let word = match (float, lane.size) {
        (true, 1) => (word & !0x2000_0000) | u32::from(lane.whole) << 30,
        (true, _) => word | 1 << 30,
        _ => lane.ints(word),
    };
    Code { word, operands: Operands::One, again: false, narrow }
}

/// An operand in a vector register; integers are moved there.
fn in_vector(cx: &mut Cx<'_>, v: Value) -> Result<Vreg> {
    if !cx.ty(v).is_int() {
        return float(cx, v);
    }
    let x = reg(cx, v)?;
    let t = vreg(cx.temp(true, None)?);
    move_in(cx, t, x, cx.ty(v));
    Ok(t)
}

fn move_in(cx: &mut Cx<'_>, t: Vreg, x: Gpr, ty: Type) {
    let fp = if ty.bits() > 32 { Fp::D } else { Fp::S };
    asm(cx).from_int(FMOV_FROM_INT, width(ty), fp, t, x);
}

/// Emits code on vector registers.
fn operate(cx: &mut Cx<'_>, d: &Node, code: &Code) -> Result {
    let (count, changes) = (code.operands.count(), code.operands.changes());
    let mut x = [vreg(VTEMP); 3];
    for k in usize::from(changes)..count {
        x[k] = in_vector(cx, [d.a, d.b, d.c][k])?;
    }
    // The last operand comes after the first two in the word, unless there are only two registers.
    let [n, m] = if changes { [x[1], x[2]] } else { [x[0], x[1]] };
    let registers = count - usize::from(changes);
    let put = |cx: &mut Cx<'_>, g: Vreg| {
        let mut e = asm(cx);
        match registers {
            1 => e.put_2(code.word, g, n),
            2 => e.put_3(code.word, g, n, m),
            _ => e.put_3(code.word | u32::from(x[2].0) << 10, g, n, m),
        }
        if code.again {
            e.put_3(code.word, g, g, g);
        }
    };
    if !d.ty.is_int() {
        return match changes {
            true => change(cx, (d.r, d.a), |cx, dst| put(cx, vreg(dst))),
            false => define(cx, d.r, |cx, dst| put(cx, vreg(dst))),
        };
    }
    let t = vreg(VTEMP);
    if changes {
        let first = reg(cx, d.a)?;
        move_in(cx, t, first, d.ty);
    }
    put(cx, t);
    let (w, fp) = if d.ty.bits() > 32 { (Width::X, Fp::D) } else { (Width::W, Fp::S) };
    define(cx, d.r, |cx, dst| {
        let mut e = asm(cx);
        match code.narrow {
            Some((lanes, true)) => e.smov(w, lanes, gpr(dst), t, 0),
            Some((lanes, false)) => e.umov(lanes, gpr(dst), t, 0),
            None => e.to_int(FMOV_TO_INT, w, fp, gpr(dst), t),
        }
    })
}
