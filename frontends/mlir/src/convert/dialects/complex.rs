//! The dialect `complex`: real arithmetic on both parts.
//!
//! MLIR, "'complex' Dialect". Calculations are those of its conversion to real arithmetic
//! (`convert-complex-to-standard`), operation by operation, so that results agree to the last bit, including
//! infinities, NaNs and signs of zeros. They never call C's functions of complex numbers, which round differently.

use gusset_codegen::ir::{FloatCc, Opcode};
use gusset_program::{Cast, Compare, Flags, I1, Sink, TypeId, TypeTable, Val};
use gusset_text::{Placed, Result};

use crate::context::op_kind::Complex as Kind;
use crate::context::op_kind::OpKind::{self, *};
use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::syntax::op::{Op, Value};
use crate::syntax::op_table::Row;
use crate::syntax::types::{Kind as OwnKind, Ty};

use super::rows::row;

/// Its operations.
#[rustfmt::skip]
pub(super) const ROWS: &[Row<OpKind>] = &[
    row("complex.constant", "{} ~value : A", "-> A", Constant),
    row("complex.create", "% , % {} : A", "eA eA -> A | A complex", Complex(Kind::Create)),
    row("complex.re", "% & {} : A", "A -> eA | A complex", Complex(Kind::Part(0))),
    row("complex.im", "% & {} : A", "A -> eA | A complex", Complex(Kind::Part(1))),
    row("complex.bitcast", "% {} : A to B", "A -> B", Complex(Kind::Bitcast)),
    row("complex.add", "% , % & {} : A", "A A -> A | A complex", Complex(Kind::Calculate("add"))),
    row("complex.atan2", "% , % & {} : A", "A A -> A | A complex", Complex(Kind::Calculate("atan2"))),
    row("complex.div", "% , % & {} : A", "A A -> A | A complex", Complex(Kind::Calculate("div"))),
    row("complex.mul", "% , % & {} : A", "A A -> A | A complex", Complex(Kind::Calculate("mul"))),
    row("complex.pow", "% , % & {} : A", "A A -> A | A complex", Complex(Kind::Calculate("pow"))),
    row("complex.sub", "% , % & {} : A", "A A -> A | A complex", Complex(Kind::Calculate("sub"))),
    row("complex.conj", "% & {} : A", "A -> A | A complex", Complex(Kind::Calculate("conj"))),
    row("complex.cos", "% & {} : A", "A -> A | A complex", Complex(Kind::Calculate("cos"))),
    row("complex.exp", "% & {} : A", "A -> A | A complex", Complex(Kind::Calculate("exp"))),
    row("complex.expm1", "% & {} : A", "A -> A | A complex", Complex(Kind::Calculate("expm1"))),
    row("complex.log", "% & {} : A", "A -> A | A complex", Complex(Kind::Calculate("log"))),
    row("complex.log1p", "% & {} : A", "A -> A | A complex", Complex(Kind::Calculate("log1p"))),
    row("complex.neg", "% & {} : A", "A -> A | A complex", Complex(Kind::Calculate("neg"))),
    row("complex.rsqrt", "% & {} : A", "A -> A | A complex", Complex(Kind::Calculate("rsqrt"))),
    row("complex.sign", "% & {} : A", "A -> A | A complex", Complex(Kind::Calculate("sign"))),
    row("complex.sin", "% & {} : A", "A -> A | A complex", Complex(Kind::Calculate("sin"))),
    row("complex.sqrt", "% & {} : A", "A -> A | A complex", Complex(Kind::Calculate("sqrt"))),
    row("complex.tan", "% & {} : A", "A -> A | A complex", Complex(Kind::Calculate("tan"))),
    row("complex.tanh", "% & {} : A", "A -> A | A complex", Complex(Kind::Calculate("tanh"))),
    row("complex.abs", "% & {} : A", "A -> eA | A complex", Complex(Kind::Calculate("abs"))),
    row("complex.angle", "% & {} : A", "A -> eA | A complex", Complex(Kind::Calculate("angle"))),
    row("complex.eq", "% , % {} : A", "A A -> 1 | A complex", Complex(Kind::Calculate("eq"))),
    row("complex.neq", "% , % {} : A", "A A -> 1 | A complex", Complex(Kind::Calculate("neq"))),
];

/// The calculations, by the names of operations, as lines that give names to values. The operands are `x` + i`y` and
/// `u` + i`v`; the result is `re`, and `im` if it is complex. Operators precede their operands; parentheses are only
/// for readers. A word with a colon is another calculation, whose parts the line names.
const CALCULATIONS: &[(&str, &str)] = &[
    ("add", "re = add x u; im = add y v"),
    ("sub", "re = sub x u; im = sub y v"),
    ("neg", "re = neg x; im = neg y"),
    ("conj", "re = x; im = neg y"),
    ("eq", "re = and (oeq x u) (oeq y v)"),
    ("neq", "re = or (une x u) (une y v)"),
    (
        "mul",
        "xu = mul x u; yv = mul y v; yu = mul y u; xv = mul x v; r = sub xu yv; i = add yu xv;
         undefined = and (uno r r) (uno i i);
         xi = oeq (fabs x) inf; yi = oeq (fabs y) inf; first = or xi yi; un = uno u u; vn = uno v v;
         x1 = select first (copysign (select xi 1 0) x) x; y1 = select first (copysign (select yi 1 0) y) y;
         u1 = select (and first un) (copysign 0 u) u; v1 = select (and first vn) (copysign 0 v) v;
         ui = oeq (fabs u) inf; vi = oeq (fabs v) inf; second = or ui vi; xn = uno x1 x1; yn = uno y1 y1;
         u2 = select second (copysign (select ui 1 0) u1) u1; v2 = select second (copysign (select vi 1 0) v1) v1;
         x2 = select (and second xn) (copysign 0 x1) x1; y2 = select (and second yn) (copysign 0 y1) y1;
         some = or first second;
         large = or (or (oeq (fabs xu) inf) (oeq (fabs yv) inf)) (or (oeq (fabs xv) inf) (oeq (fabs yu) inf));
         over = and large (not some);
         x3 = select (and over xn) (copysign 0 x2) x2; y3 = select (and over yn) (copysign 0 y2) y2;
         u3 = select (and over un) (copysign 0 u2) u2; v3 = select (and over vn) (copysign 0 v2) v2;
         again = and undefined (or some over);
         re = select again (mul (sub (mul x3 u3) (mul y3 v3)) inf) r;
         im = select again (mul (add (mul y3 u3) (mul x3 v3)) inf) i",
    ),
    (
        // Smith's algorithm.
        "div",
        "p = div u v; d = add v (mul p u); r1 = div (add (mul x p) y) d; i1 = div (sub (mul y p) x) d;
         q = div v u; e = add u (mul q v); r2 = div (add x (mul y q)) e; i2 = div (sub y (mul x q)) e;
         less = olt (fabs u) (fabs v); r3 = select less r1 r2; i3 = select less i1 i2;
         ui = oeq (fabs u) inf; vi = oeq (fabs v) inf; xf = one (fabs x) inf; yf = one (fabs y) inf;
         u1 = copysign (select ui 1 0) u; v1 = copysign (select vi 1 0) v; vanishes = and (and xf yf) (or ui vi);
         r4 = select vanishes (mul (add (mul x u1) (mul y v1)) 0) r3;
         i4 = select vanishes (mul (sub (mul y u1) (mul x v1)) 0) i3;
         xi = oeq (fabs x) inf; yi = oeq (fabs y) inf; uf = one (fabs u) inf; vf = one (fabs v) inf;
         x1 = copysign (select xi 1 0) x; y1 = copysign (select yi 1 0) y; grows = and (or xi yi) (and uf vf);
         r5 = select grows (mul (add (mul x1 u) (mul y1 v)) inf) r4;
         i5 = select grows (mul (sub (mul y1 u) (mul x1 v)) inf) i4;
         pole = and (or (ord x 0) (ord y 0)) (and (oeq (fabs u) 0) (oeq (fabs v) 0)); k = copysign inf u;
         r6 = select pole (mul k x) r5; i6 = select pole (mul k y) i5;
         undefined = and (uno r3 0) (uno i3 0);
         re = select undefined r6 r3; im = select undefined i6 i3",
    ),
    (
        "abs",
        "m = maximum (fabs x) (fabs y); n = minimum (fabs x) (fabs y); q = div n m;
         r = mul m (sqrt (add (mul q q) 1)); re = select (uno r r) n r",
    ),
    ("angle", "re = atan2 y x"),
    (
        "sign",
        "m = :abs x y; zero = and (oeq x 0) (oeq y 0); re = select zero x (div x m); im = select zero y (div y m)",
    ),
    ("exp", "e = exp x; re = mul e (cos y); im = mul e (sin y)"),
    ("expm1", "r im = :exp x y; re = sub r 1"),
    ("log", "m = :abs x y; re = log m; im = atan2 y x"),
    (
        "log1p",
        "s = add x 1; m = maximum (fabs s) (fabs y); n = minimum (fabs s) (fabs y); q = div n m;
         w = select (ogt s (fabs y)) x (sub m 1); r = add (mul (log1p (mul q q)) 0.5) (log1p w);
         re = select (uno r r) n r; im = atan2 y s",
    ),
    ("sin", "e = exp y; h = mul e 0.5; g = div 0.5 e; re = mul (add h g) (sin x); im = mul (sub h g) (cos x)"),
    ("cos", "e = exp y; h = mul e 0.5; g = div 0.5 e; re = mul (add g h) (cos x); im = mul (sub g h) (sin x)"),
    (
        "tanh",
        "d = add x x; e = expm1 d; f = expm1 (mul d -1); c = cos y; p = mul (mul c c) 4; q = mul (mul c (sin y)) 4;
         s = add e f; w = add s p; t = select (oeq s inf) (copysign -1 x) (div (sub e f) w);
         xi = oeq (fabs x) inf; qn = uno q q; re = select (and qn (not xi)) nan t;
         im = select (or (oeq y 0) (and xi qn)) 0 (div q w)",
    ),
    ("tan", "p re = :tanh (mul y -1) x; im = mul p -1"),
    (
        "sqrt",
        "m = maximum (fabs x) (fabs y); n = minimum (fabs x) (fabs y); q = div n m;
         a = mul (sqrt m) (pow (add (mul q q) 1) 0.25); r = select (uno a a) n a;
         h = mul (atan2 y x) 0.5; s = sin h; i1 = select (oeq s 0) 0 (mul r s);
         yi = oeq (fabs y) inf; left = oeq x -inf;
         r1 = select (and left (one (fabs y) inf)) 0 (mul r (cos h)); r2 = select (or yi (oeq x inf)) inf r1;
         i2 = select (uno r r) nan i1; i3 = select (or yi left) (copysign inf y) i2;
         zero = oeq r 0; re = select zero 0 r2; im = select zero 0 i3",
    ),
    (
        "rsqrt",
        "m = maximum (fabs x) (fabs y); n = minimum (fabs x) (fabs y); q = div n m;
         a = mul (div 1 (sqrt m)) (sqrt (div 1 (sqrt (add (mul q q) 1)))); r = select (uno a a) (div 1 (sqrt n)) a;
         h = mul (atan2 y x) -0.5; far = or (and (oeq (fabs y) inf) (uno x x)) (oeq (fabs x) inf);
         r1 = select far (copysign 0 x) (mul r (cos h)); i1 = select far (mul (copysign 0 y) -1) (mul r (sin h));
         zero = and (oeq x 0) (oeq y 0); re = select zero inf r1; im = select zero nan i1",
    ),
    (
        "pow",
        "m = :abs x y; a = atan2 y x; p = mul (pow m u) (exp (mul (neg v) a)); t = add (mul u a) (mul v (log m));
         real = oeq v 0; none = oeq u 0; line = oeq y 0;
         zero = and (and (oeq m 0) real) (ole 0 u);
         r1 = select zero (select none 1 0) (mul p (cos t)); i1 = select zero 0 (mul p (sin t));
         r2 = select (and none real) 1 r1; i2 = select (and none real) 0 i1;
         unit = and (oeq x 1) line; r3 = select unit 1 r2; i3 = select unit 0 i2;
         far = and (and (oeq x inf) line) real; up = and far (ogt u 0); down = and far (olt u 0);
         r4 = select up inf r3; i4 = select up 0 i3; re = select down 0 r4; im = select down 0 i4",
    ),
    (
        "atan2",
        "b1 b2 = :mul u v u v; a1 a2 = :mul x y x y; s1 s2 = :sqrt (add b1 a1) (add b2 a2); p q = :mul x y 0 1;
         d e = :div (add u p) (add v q) s1 s2; l k = :log d e; re im = :mul l k 0 -1",
    ),
];

/// An operator of calculations.
#[derive(Clone, Copy)]
enum Step<'t> {
    Binary(Opcode),
    /// On truths.
    Truths(Opcode),
    Compare(FloatCc),
    Intrinsic(&'t str),
    Library(&'t str),
    Negate,
    Not,
    Select,
}

/// The operator of a name, with the number of its operands.
fn step(word: &str) -> Option<(usize, Step<'_>)> {
    Some(match word {
        "add" => (2, Step::Binary(Opcode::Fadd)),
        "sub" => (2, Step::Binary(Opcode::Fsub)),
        "mul" => (2, Step::Binary(Opcode::Fmul)),
        "div" => (2, Step::Binary(Opcode::Fdiv)),
        "and" => (2, Step::Truths(Opcode::And)),
        "or" => (2, Step::Truths(Opcode::Or)),
        "fabs" | "sqrt" | "exp" | "log" | "sin" | "cos" => (1, Step::Intrinsic(word)),
        "pow" | "copysign" | "maximum" | "minimum" => (2, Step::Intrinsic(word)),
        "expm1" | "log1p" => (1, Step::Library(word)),
        "atan2" => (2, Step::Library(word)),
        "neg" => (1, Step::Negate),
        "not" => (1, Step::Not),
        "select" => (3, Step::Select),
        word => (2, Step::Compare(FloatCc::from_name(word)?)),
    })
}

/// Where a calculation is made, and with which values.
#[derive(Clone, Copy)]
struct Place {
    ty: TypeId,
    flags: Flags,
    pos: usize,
}

/// The words of a line, in order.
type Words<'t> = std::iter::Peekable<std::str::SplitWhitespace<'t>>;

impl<'r, E: Sink> Reader<'r, E> {
    /// Converts an operation of this dialect.
    pub fn complex(&mut self, kind: Kind, op: &mut Op<'r>) -> Result<()> {
        let to = self.result_type(op, 0)?;
        self.check(to, op.pos)?;
        let v = match kind {
            Kind::Create => {
                self.operands_are(op, 2)?;
                let lane = self.lane_of(to, op.pos)?;
                let (a, b) = (self.single(op.operands[0], op.pos)?, self.single(op.operands[1], op.pos)?);
                self.src.refuse_if(a.0 != lane || b.0 != lane, op.pos, "the parts are not of the number's type")?;
                self.value(to, &[a.1, b.1])
            }
            Kind::Part(i) => {
                let a = self.first_operand(op)?;
                let (lane, v) = (self.lane_of(a.ty, op.pos)?, self.part(a, i));
                self.value(Ty::of(lane), &[v])
            }
            Kind::Bitcast => self.complex_bitcast(to, op)?,
            Kind::Calculate(name) => self.calculation(name, to, op)?,
        };
        op.values.push(v);
        Ok(())
    }

    /// The type of the parts of a complex number.
    fn lane_of(&self, ty: Ty, pos: usize) -> Result<TypeId> {
        let complex = matches!(self.t.own(ty), Some(OwnKind::Complex(_)));
        self.src.refuse_if(!complex, pos, "the type must be that of complex numbers")?;
        Ok(self.t.part(ty, 0))
    }

    fn calculation(&mut self, name: &str, to: Ty, op: &Op<'r>) -> Result<Value> {
        let ty = op.operands.first().map_or(Ty::default(), |v| v.ty);
        let place = Place { ty: self.lane_of(ty, op.pos)?, flags: self.preserved_flags(op)?, pos: op.pos };
        let alike = op.operands.iter().all(|v| v.ty == ty);
        self.src.refuse_if(!alike, op.pos, "the operands are of different types")?;
        let args: Vec<Val> = op.operands.iter().flat_map(|&v| [self.part(v, 0), self.part(v, 1)]).collect();
        let parts = self.calculate(name, &args, place)?;
        self.src.refuse_if(parts.len() != self.t.count(to), op.pos, "the result should have another type")?;
        Ok(self.value(to, &parts))
    }

    /// The parts of a calculation's result, from the parts of the operands.
    fn calculate(&mut self, name: &str, args: &[Val], place: Place) -> Result<Vec<Val>> {
        let unknown = || unreachable!("`{name}` is in the table");
        let text = CALCULATIONS.iter().find(|row| row.0 == name).map_or_else(unknown, |row| row.1);
        let text = text.replace(['(', ')'], " ");
        let mut known: Vec<(&str, Val)> = ["x", "y", "u", "v"].into_iter().zip(args.iter().copied()).collect();
        for line in text.split(';') {
            let (names, value) = line.split_once('=').unwrap_or((line, ""));
            let mut words: Words = value.split_whitespace().peekable();
            let values = match words.peek().and_then(|w| w.strip_prefix(':')) {
                Some(other) => {
                    words.next();
                    let mut args = Vec::with_capacity(4);
                    while words.peek().is_some() {
                        args.push(self.expression(&mut words, &known, place)?);
                    }
                    self.calculate(other, &args, place)?
                }
                None => vec![self.expression(&mut words, &known, place)?],
            };
            known.extend(names.split_whitespace().zip(values));
        }
        let result = |name: &str| known.iter().rev().find(|k| k.0 == name).map(|k| k.1);
        Ok(["re", "im"].into_iter().filter_map(result).collect())
    }

    /// The value of the next expression in a line: a name, a number, or an operator and its operands.
    fn expression(&mut self, words: &mut Words<'_>, known: &[(&str, Val)], place: Place) -> Result<Val> {
        let word = words.next().unwrap_or("");
        if let Some(&(_, v)) = known.iter().rev().find(|k| k.0 == word) {
            return Ok(v);
        }
        if let Ok(x) = word.parse::<f64>() {
            return self.float_part(place.ty, x, place.pos);
        }
        let unknown = || unreachable!("`{word}` is an operator");
        let (arity, step) = step(word).unwrap_or_else(unknown);
        let mut args = Vec::with_capacity(arity);
        for _ in 0..arity {
            args.push(self.expression(words, known, place)?);
        }
        self.calculate_step(step, &args, place)
    }

    fn calculate_step(&mut self, step: Step<'_>, args: &[Val], Place { ty, flags, pos }: Place) -> Result<Val> {
        let src = self.src;
        if !matches!(step, Step::Truths(_) | Step::Library(_) | Step::Not) {
            self.l.flags(flags);
        }
        match step {
            Step::Binary(opcode) => self.l.binary(opcode, ty, args[0], args[1]).at(src, pos),
            Step::Truths(opcode) => self.l.binary(opcode, I1, args[0], args[1]).at(src, pos),
            Step::Compare(cc) => Ok(self.l.compare(Compare::Float(cc), ty, args[0], args[1]).at(src, pos)?.1),
            Step::Intrinsic(name) => {
                let args: Vec<(TypeId, Val)> = args.iter().map(|&v| (ty, v)).collect();
                self.call_intrinsic(name, ty, &args, pos)
            }
            Step::Library(name) => self.library_call(name, ty, args, pos),
            Step::Negate => self.l.fneg(ty, args[0]).at(src, pos),
            Step::Not => {
                let yes = self.l.integer(I1, 1);
                self.l.binary(Opcode::Xor, I1, args[0], yes).at(src, pos)
            }
            Step::Select => self.l.select((I1, args[0]), ty, args[1], args[2]).at(src, pos),
        }
    }

    /// The bits of a number as a number of another type: the real part is the lower half.
    fn complex_bitcast(&mut self, to: Ty, op: &Op<'r>) -> Result<Value> {
        let (a, pos, src) = (self.first_operand(op)?, op.pos, self.src);
        let n = self.t.count(a.ty);
        let mut parts = Vec::with_capacity(n);
        let width = |r: &Self, ty: Ty| r.l.types().ir(r.t.part(ty, 0)).bits() as usize * r.t.count(ty);
        let fits = width(self, a.ty) == width(self, to) && (1..=128).contains(&width(self, to));
        self.src.refuse_if(!fits, pos, "the types of the conversion have different widths")?;
        let complex = [a.ty, to].iter().any(|&ty| matches!(self.t.own(ty), Some(OwnKind::Complex(_))));
        self.src.refuse_if(!complex, pos, "neither type is that of complex numbers")?;
        for i in 0..n {
            let (ty, x) = (self.t.part(a.ty, i), self.part(a, i));
            let bits = TypeTable::int(self.l.types().ir(ty).bits());
            parts.push((bits, self.l.cast(Cast::Bitcast, ty, x, bits).at(src, pos)?));
        }
        let whole = TypeTable::int(width(self, to) as u32);
        let half = width(self, to) as i128 / 2;
        let parts = match (&parts[..], self.t.count(to)) {
            (&[(narrow, low), (_, high)], 1) => {
                let low = self.l.cast(Cast::Zext, narrow, low, whole).at(src, pos)?;
                let high = self.l.cast(Cast::Zext, narrow, high, whole).at(src, pos)?;
                let distance = self.l.integer(whole, half);
                let high = self.l.binary(Opcode::Shl, whole, high, distance).at(src, pos)?;
                vec![(whole, self.l.binary(Opcode::Or, whole, low, high).at(src, pos)?)]
            }
            (&[(_, bits)], 2) => {
                let narrow = TypeTable::int(half as u32);
                let distance = self.l.integer(whole, half);
                let high = self.l.binary(Opcode::Lshr, whole, bits, distance).at(src, pos)?;
                let low = self.l.cast(Cast::Trunc, whole, bits, narrow).at(src, pos)?;
                vec![(narrow, low), (narrow, self.l.cast(Cast::Trunc, whole, high, narrow).at(src, pos)?)]
            }
            _ => parts,
        };
        self.part_by_part(to, |r, i| r.l.cast(Cast::Bitcast, parts[i].0, parts[i].1, r.t.part(to, i)).at(src, pos))
    }
}
