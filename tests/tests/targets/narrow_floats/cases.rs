//! Operations on `half` and `bfloat`, with what they compute and the operands that they are tried with.

use std::cmp::Ordering;

use super::exact::{Format, Number, Rounding};

/// The type of an operand or a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ty {
    /// A number with a point.
    Float(Format),
    /// An integer of so many bits.
    Int(u32),
}

impl Ty {
    /// Its name in LLVM IR.
    pub fn name(self) -> String {
        match self {
            Ty::Float(Format::HALF) => "half".into(),
            Ty::Float(Format::BFLOAT) => "bfloat".into(),
            Ty::Float(Format::SINGLE) => "float".into(),
            Ty::Float(Format::DOUBLE) => "double".into(),
            Ty::Float(Format::EXTENDED) => "x86_fp80".into(),
            Ty::Float(_) => "fp128".into(),
            Ty::Int(bits) => format!("i{bits}"),
        }
    }

    /// Its name in those of intrinsics.
    pub fn mangled(self) -> String {
        match self {
            Ty::Float(Format::BFLOAT) => "bf16".into(),
            Ty::Float(format) => format!("f{}", format.bits()),
            Ty::Int(bits) => format!("i{bits}"),
        }
    }

    /// How many bits it has.
    pub fn bits(self) -> u32 {
        match self {
            Ty::Float(format) => format.bits(),
            Ty::Int(bits) => bits,
        }
    }

    /// The distance between two of them in an array.
    pub fn stride(self) -> usize {
        (self.bits().div_ceil(8)).next_power_of_two() as usize
    }

    /// Do lanes of vectors in memory lie as elements of arrays do?
    fn is_lane(self) -> bool {
        self.bits() == 8 * self.stride() as u32
    }
}

/// What an operation makes of its operands' bits, if that is one value.
type Compute = dyn Fn(&[u128]) -> Option<u128> + Sync + Send;

/// An operation: an instruction or intrinsic, and what it makes of operands' bits, if that is one value.
pub struct Case {
    pub name: String,
    pub operands: Vec<Ty>,
    pub result: Ty,
    /// The instruction; `@0`, `@1`, `@r` are types, `@b` that of truth values, `~0`, `~r` these in names of intrinsics, `%a0`, … the
    /// operands. If there are two, `%c` is the first's result.
    pub body: String,
    pub compute: Box<Compute>,
    /// Operands, each in a row.
    pub rows: Vec<Vec<u128>>,
}

impl Case {
    /// May its operands and its result be vectors?
    pub fn has_lanes(&self) -> bool {
        self.operands.iter().chain([&self.result]).all(|ty| ty.is_lane())
    }

    /// Has it an operand or a result of this type?
    pub fn has(&self, ty: Ty) -> bool {
        self.result == ty || self.operands.contains(&ty)
    }
}

/// Random numbers (xorshift).
pub struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 11) % n
    }

    fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }
}

/// Numbers at the edges of a format.
fn edges(format: Format) -> Vec<u128> {
    let first = 1u128 << format.fraction;
    let (infinite, sign) = (format.infinite(false), 1u128 << (format.bits() - 1));
    let one = format.encode(Number::integer(false, 1));
    let positive = [
        0,
        1,
        2,
        3,
        first - 1,
        first,
        first + 1,
        one - 1,
        one,
        one + 1,
        infinite - 1,
        infinite,
        format.nan(),
        infinite | 1,
    ];
    positive.iter().flat_map(|&n| [n, n | sign]).collect()
}

fn number(format: Format, random: &mut Random) -> u128 {
    let bits = random.next() as u128 & ((1 << format.bits()) - 1);
    let all = edges(format);
    match random.below(4) {
        0 => all[random.below(all.len() as u64) as usize],
        // Of about the size of one.
        1 => {
            let one = format.encode(Number::integer(false, 1));
            let by = i128::from(random.below(8 << format.fraction)) - (4 << format.fraction);
            (one as i128 + by) as u128 | bits >> (format.bits() - 1) << (format.bits() - 1)
        }
        _ => bits,
    }
}

/// A number between two neighbours of a narrow format: in the middle, or next to that by a digit that is far after.
fn between(narrow: Format, random: &mut Random) -> Number {
    let finite = |n| matches!(n, Number::Finite { .. });
    let near = (0..).map(|_| narrow.decode(number(narrow, random))).find(|&n| finite(n));
    let Some(Number::Finite { negative, digits, exponent }) = near else { return Number::Nan };
    let further = random.below(100) as i32;
    let middle = (digits * 2 + 1) << further;
    let digits = match random.below(3) {
        0 => middle,
        1 => middle - 1,
        _ => middle + 1,
    };
    Number::Finite { negative, digits, exponent: exponent - 1 - further }
}

/// Numbers of a wide format about the middles between those of a narrow one.
fn to_be_narrowed(wide: Format, narrow: Format, random: &mut Random) -> Vec<u128> {
    let mut all = edges(wide);
    if wide.explicit {
        // Of the x87's, those alone that it makes itself.
        let is_normal = |n: u128| n >> (wide.fraction + 1) & 0x7fff != 0;
        all.retain(|&n| (n >> wide.fraction & 1 == 1) == is_normal(n));
    }
    all.extend((0..220).map(|_| wide.encode(between(narrow, random))));
    if !wide.explicit {
        all.extend((0..40).map(|_| random.wide() & (u128::MAX >> (128 - wide.bits()))));
    }
    all
}

/// Integers about the middles between numbers of a format.
fn integers(bits: u32, narrow: Format, random: &mut Random) -> Vec<u128> {
    let mask = u128::MAX >> (128 - bits);
    let mut all = vec![0, 1, mask, mask >> 1, (mask >> 1) + 1, 16_842_753 & mask, 65_519 & mask, 65_520 & mask];
    for _ in 0..200 {
        let digits = random.below(2 << narrow.fraction) as u128 | 1 << narrow.fraction;
        let room = u64::from(bits.saturating_sub(narrow.fraction + 1));
        let middle = (digits * 2 + 1) << random.below(room + 1) & mask;
        let near = match random.below(5) {
            0 => middle,
            1 => middle.wrapping_add(1),
            2 => middle.wrapping_sub(1),
            3 => middle.wrapping_add(1 << random.below(bits.into())),
            _ => random.wide() >> random.below(128),
        };
        all.push(if random.below(2) == 0 { near } else { near.wrapping_neg() } & mask);
    }
    all
}

fn signed(n: u128, bits: u32) -> i128 {
    (n << (128 - bits)) as i128 >> (128 - bits)
}

/// Everything on one format.
struct Maker {
    format: Format,
    random: Random,
    all: Vec<Case>,
}

impl Maker {
    fn ty(&self) -> Ty {
        Ty::Float(self.format)
    }

    fn add(
        &mut self,
        name: &str,
        (operands, result): (&[Ty], Ty),
        body: &str,
        rows: Vec<Vec<u128>>,
        compute: impl Fn(&[u128]) -> Option<u128> + Sync + Send + 'static,
    ) {
        let name = format!("{}_{name}", self.ty().mangled());
        let (operands, body) = (operands.to_vec(), body.to_string());
        self.all.push(Case { name, operands, result, body, compute: Box::new(compute), rows });
    }

    fn numbers(&mut self, operands: usize, count: usize) -> Vec<Vec<u128>> {
        (0..count).map(|_| (0..operands).map(|_| number(self.format, &mut self.random)).collect()).collect()
    }

    /// An operation on two numbers, as an instruction and where rounding is told.
    fn arithmetic(&mut self) {
        type Two = fn(Number, Number) -> Number;
        let all: [(&str, Two); 5] = [
            ("fadd", Number::plus),
            ("fsub", |x, y| x.plus(y.negated())),
            ("fmul", Number::times),
            ("fdiv", Number::over),
            ("frem", Number::modulo),
        ];
        let (f, ty) = (self.format, self.ty());
        for (name, compute) in all {
            let constrained = format!(
                "call @r @llvm.experimental.constrained.{name}.~r(@0 %a0, @1 %a1, metadata !\"round.tonearest\", metadata !\"fpexcept.ignore\")"
            );
            for (name, body) in
                [(name.to_string(), format!("{name} @r %a0, %a1")), (format!("strict_{name}"), constrained)]
            {
                let rows = self.numbers(2, 240);
                self.add(&name, (&[ty; 2], ty), &body, rows, move |x| {
                    Some(f.encode(compute(f.decode(x[0]), f.decode(x[1]))))
                });
            }
        }
    }

    /// Products that are in the middle between two numbers, with very little more or less; and any others.
    fn products(&mut self) -> Vec<Vec<u128>> {
        let (f, mut rows) = (self.format, self.numbers(3, 240));
        if f == Format::HALF {
            rows.push(vec![0x520b, 0x00e9, 0x2ff6]);
        }
        let (low, high) = (2u64 << f.fraction, 4u64 << f.fraction);
        while rows.len() < 480 {
            let random = &mut self.random;
            let (x, y) = (random.below(high / 2) | 1, random.below(high / 2) | 1);
            if !(low..high).contains(&(x * y)) {
                continue;
            }
            let range = (1u64 << f.exponent) / 4;
            let mut scaled = |digits: u64| {
                let exponent = random.below(range) as i32 - range as i32 / 2;
                f.encode(Number::Finite { negative: random.below(2) == 0, digits: digits.into(), exponent })
            };
            let row = vec![scaled(x), scaled(y), scaled(1)];
            // Far below the product.
            let little = row[2] & !(f.infinite(false) >> 1);
            rows.push(if self.random.below(3) == 0 { row } else { vec![row[0], row[1], little] });
        }
        rows
    }

    fn fused(&mut self) {
        let (f, ty) = (self.format, self.ty());
        let constrained = "call @r @llvm.experimental.constrained.fma.~r(@0 %a0, @1 %a1, @2 %a2, metadata !\"round.tonearest\", metadata !\"fpexcept.ignore\")";
        for (name, body) in [("fma", "call @r @llvm.fma.~r(@0 %a0, @1 %a1, @2 %a2)"), ("strict_fma", constrained)] {
            let rows = self.products();
            self.add(name, (&[ty; 3], ty), body, rows, move |x| {
                let [a, b, c] = [0, 1, 2].map(|k| f.decode(x[k]));
                Some(f.encode(a.times(b).plus(c)))
            });
        }
        // Rounded once, or twice: where that is the same.
        let rows = self.products();
        self.add("fmuladd", (&[ty; 3], ty), "call @r @llvm.fmuladd.~r(@0 %a0, @1 %a1, @2 %a2)", rows, move |x| {
            let [a, b, c] = [0, 1, 2].map(|k| f.decode(x[k]));
            let [once, twice] = [a.times(b), f.decode(f.encode(a.times(b)))].map(|p| f.encode(p.plus(c)));
            (once == twice).then_some(once)
        });
    }

    fn single_operands(&mut self) {
        let (f, ty) = (self.format, self.ty());
        let roundings = [
            ("floor", Rounding::Down),
            ("ceil", Rounding::Up),
            ("trunc", Rounding::Zero),
            ("rint", Rounding::NearestEven),
            ("nearbyint", Rounding::NearestEven),
            ("round", Rounding::NearestAway),
            ("roundeven", Rounding::NearestEven),
        ];
        for (name, how) in roundings {
            let rows = self.numbers(1, 240);
            let body = format!("call @r @llvm.{name}.~r(@0 %a0)");
            self.add(name, (&[ty], ty), &body, rows, move |x| Some(f.encode(f.decode(x[0]).to_integer(how))));
        }
        let rows = self.numbers(1, 240);
        self.add("sqrt", (&[ty], ty), "call @r @llvm.sqrt.~r(@0 %a0)", rows, move |x| {
            let number = f.decode(x[0]);
            Some(if number == Number::zero(true) { x[0] } else { f.encode(number.root()) })
        });
        let sign = 1u128 << (f.bits() - 1);
        let rows = self.numbers(1, 96);
        self.add("fneg", (&[ty], ty), "fneg @r %a0", rows, move |x| Some(x[0] ^ sign));
        let rows = self.numbers(1, 96);
        self.add("fabs", (&[ty], ty), "call @r @llvm.fabs.~r(@0 %a0)", rows, move |x| Some(x[0] & !sign));
        let rows = self.numbers(2, 96);
        let body = "call @r @llvm.copysign.~r(@0 %a0, @1 %a1)";
        self.add("copysign", (&[ty; 2], ty), body, rows, move |x| Some(x[0] & !sign | x[1] & sign));
    }

    fn extremes(&mut self) {
        let (f, ty) = (self.format, self.ty());
        for (name, greater, passes_nan) in
            [("minnum", false, false), ("maxnum", true, false), ("minimum", false, true), ("maximum", true, true)]
        {
            let rows = self.numbers(2, 240);
            let body = format!("call @r @llvm.{name}.~r(@0 %a0, @1 %a1)");
            self.add(name, (&[ty; 2], ty), &body, rows, move |x| {
                let [a, b] = [f.decode(x[0]), f.decode(x[1])];
                let wanted = if greater { Ordering::Greater } else { Ordering::Less };
                let quiet = |bits: u128| bits & (1 << (f.fraction - 1)) != 0;
                match a.order(b) {
                    // What a signalling NaN does to the older two is not told.
                    None if !passes_nan && [(a, x[0]), (b, x[1])].iter().any(|n| n.0 == Number::Nan && !quiet(n.1)) => {
                        None
                    }
                    None if passes_nan || a == b => Some(f.nan()),
                    None => Some(if a == Number::Nan { x[1] } else { x[0] }),
                    // Of zeros, either, save that the newer two know which is less.
                    Some(Ordering::Equal) if x[0] == x[1] => Some(x[0]),
                    Some(Ordering::Equal) if passes_nan => Some(if greater { 0 } else { 1 << (f.bits() - 1) }),
                    Some(Ordering::Equal) => None,
                    Some(order) => Some(if order == wanted { x[0] } else { x[1] }),
                }
            });
        }
    }

    fn comparisons(&mut self) {
        let (f, ty) = (self.format, self.ty());
        let all = ["oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno"];
        for (k, name) in all.into_iter().enumerate() {
            let holds = move |x: &[u128]| {
                let order = f.decode(x[0]).order(f.decode(x[1]));
                let Some(order) = order else { return name.starts_with('u') };
                match &name[1..] {
                    "eq" => order == Ordering::Equal,
                    "gt" => order == Ordering::Greater,
                    "ge" => order != Ordering::Less,
                    "lt" => order == Ordering::Less,
                    "le" => order != Ordering::Greater,
                    "ne" => order != Ordering::Equal,
                    "rd" => true,
                    _ => false,
                }
            };
            let mut rows = self.numbers(2, 120);
            rows.extend(edges(f).into_iter().map(|n| vec![n, n]));
            let strict = if k % 2 == 0 { "fcmp" } else { "fcmps" };
            let constrained = format!(
                "call @b @llvm.experimental.constrained.{strict}.~0(@0 %a0, @1 %a1, metadata !\"{name}\", metadata !\"fpexcept.ignore\")"
            );
            let value = move |x: &[u128]| Some(u128::from(holds(x)));
            let plain = format!("fcmp {name} @0 %a0, %a1");
            for (name, body) in [(format!("fcmp_{name}"), plain), (format!("strict_fcmp_{name}"), constrained)] {
                let body = format!("{body}\nzext @b %c to @r");
                self.add(&name, (&[ty; 2], Ty::Int(8)), &body, rows.clone(), value);
            }
        }
    }

    /// To and from other formats.
    fn formats(&mut self) {
        let (f, ty) = (self.format, self.ty());
        for other in [Format::SINGLE, Format::DOUBLE, Format::EXTENDED, Format::QUAD] {
            let wide = Ty::Float(other);
            let name = wide.mangled();
            let numbers = to_be_narrowed(other, f, &mut self.random);
            let rows: Vec<_> = numbers.into_iter().map(|n| vec![n]).collect();
            let narrow = move |x: &[u128]| Some(f.encode(other.decode(x[0])));
            let strict = "call @r @llvm.experimental.constrained.fptrunc.~r.~0(@0 %a0, metadata !\"round.tonearest\", metadata !\"fpexcept.ignore\")";
            self.add(&format!("fptrunc_{name}"), (&[wide], ty), "fptrunc @0 %a0 to @r", rows.clone(), narrow);
            self.add(&format!("strict_fptrunc_{name}"), (&[wide], ty), strict, rows, narrow);
            let rows = self.numbers(1, 240);
            let widen = move |x: &[u128]| Some(other.encode(f.decode(x[0])));
            let strict = "call @r @llvm.experimental.constrained.fpext.~r.~0(@0 %a0, metadata !\"fpexcept.ignore\")";
            self.add(&format!("fpext_{name}"), (&[ty], wide), "fpext @0 %a0 to @r", rows.clone(), widen);
            self.add(&format!("strict_fpext_{name}"), (&[ty], wide), strict, rows, widen);
        }
    }

    /// To and from integers.
    fn integers(&mut self) {
        let (f, ty) = (self.format, self.ty());
        for bits in [1, 3, 8, 13, 16, 24, 25, 31, 32, 33, 47, 64, 65, 100, 128, 200] {
            // The reference ends at 128 bits.
            let known = bits <= 128;
            for is_signed in [true, false] {
                let letter = if is_signed { 's' } else { 'u' };
                let int = Ty::Int(bits);
                let numbers = integers(bits.min(128), f, &mut self.random);
                let rows: Vec<_> = numbers.into_iter().map(|n| vec![n]).collect();
                let from = move |x: &[u128]| {
                    let n = if is_signed && known { signed(x[0], bits) } else { x[0] as i128 };
                    let negative = is_signed && known && n < 0;
                    Some(f.encode(Number::integer(negative, if negative { n.unsigned_abs() } else { n as u128 })))
                };
                let strict = format!(
                    "call @r @llvm.experimental.constrained.{letter}itofp.~r.~0(@0 %a0, metadata !\"round.tonearest\", metadata !\"fpexcept.ignore\")"
                );
                let plain = format!("{letter}itofp @0 %a0 to @r");
                self.add(&format!("{letter}itofp_i{bits}"), (&[int], ty), &plain, rows.clone(), from);
                if bits.is_power_of_two() {
                    self.add(&format!("strict_{letter}itofp_i{bits}"), (&[int], ty), &strict, rows, from);
                }
                let rows = self.numbers(1, 240);
                let to = move |x: &[u128]| f.decode(x[0]).truncated(bits.min(128), is_signed).map(|n| n as u128);
                let plain = format!("fpto{letter}i @0 %a0 to @r");
                self.add(&format!("fpto{letter}i_i{bits}"), (&[ty], int), &plain, rows.clone(), to);
                if known {
                    let saturating = format!("call @r @llvm.fpto{letter}i.sat.~r.~0(@0 %a0)");
                    self.add(&format!("fpto{letter}i_sat_i{bits}"), (&[ty], int), &saturating, rows, move |x| {
                        let number = f.decode(x[0]);
                        let mask = u128::MAX >> (128 - bits);
                        let (most, least) = if is_signed { (mask >> 1, !(mask >> 1)) } else { (mask, 0) };
                        let below = number.order(Number::zero(false)) == Some(Ordering::Less);
                        let beyond = if below { least } else { most };
                        if number == Number::Nan {
                            return Some(0);
                        }
                        Some(number.truncated(bits, is_signed).map_or(beyond, |n| n as u128))
                    });
                }
            }
        }
    }
}

/// Every operation on both formats.
pub fn all() -> Vec<Case> {
    let mut all = Vec::new();
    for format in [Format::HALF, Format::BFLOAT] {
        let mut maker = Maker { format, random: Random(0x9e37_79b9_7f4a_7c15), all: Vec::new() };
        maker.arithmetic();
        maker.fused();
        maker.single_operands();
        maker.extremes();
        maker.comparisons();
        maker.formats();
        maker.integers();
        all.append(&mut maker.all);
    }
    all
}
