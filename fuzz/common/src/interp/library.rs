//! Functions of the run-time library, which the code generator calls where the machine has no instruction.
//!
//! Integers of several registers come and go in as many values, the lowest first.

use gusset_codegen::ir::{FloatCc, Opcode, Type};
use gusset_codegen::libcall::LibCall;

use super::{Interpreter, Stop, Val, address, scalar, soft};

/// What a function computes.
#[derive(Clone, Copy)]
enum Computes {
    /// An operation on so many numbers of a type.
    Operation(Opcode, Type, usize),
    /// A conversion.
    Conversion(Opcode, Type, Type),
    /// A comparison: a number that compares with zero as the operands compare, and as the condition of the name if one is no number.
    Comparison(FloatCc, Type),
}

/// GCC's names of modes, in the names of functions.
const MODES: [(&str, Type); 8] = [
    ("si", Type::I32),
    ("di", Type::I64),
    ("ti", Type::I128),
    ("hf", Type::F16),
    ("sf", Type::F32),
    ("df", Type::F64),
    ("xf", Type::F80),
    ("tf", Type::F128),
];

/// A mode at the begin of a name, and the rest of the name.
fn mode(name: &str) -> Option<(Type, &str)> {
    MODES.iter().find_map(|&(mode, ty)| Some((ty, name.strip_prefix(mode)?)))
}

/// What a function of GCC's library computes ("The GCC low-level runtime library" in the GCC Internals manual).
fn of_gcc(name: &str) -> Option<Computes> {
    use Opcode::*;
    let name = name.strip_prefix("__")?;
    let conversions = [
        ("fixuns", Fptoui),
        ("fix", Fptosi),
        ("floatun", Uitofp),
        ("float", Sitofp),
        ("extend", Fpext),
        ("trunc", Fptrunc),
    ];
    for (start, op) in conversions {
        let types = name.strip_prefix(start).and_then(mode).and_then(|(from, rest)| Some((from, mode(rest)?)));
        if let Some((from, (to, "" | "2"))) = types {
            return Some(Computes::Conversion(op, from, to));
        }
    }
    let integers = [("udiv", Udiv), ("umod", Urem), ("div", Sdiv), ("mod", Srem)];
    let floats = [("add", Fadd), ("sub", Fsub), ("mul", Fmul), ("div", Fdiv)];
    for (start, op) in integers.into_iter().chain(floats) {
        if let Some((ty, "3")) = name.strip_prefix(start).and_then(mode)
            && ty.is_float() == (op >= Fadd)
        {
            return Some(Computes::Operation(op, ty, 2));
        }
    }
    let conditions = [
        ("eq", FloatCc::Oeq),
        ("ne", FloatCc::Une),
        ("lt", FloatCc::Olt),
        ("le", FloatCc::Ole),
        ("gt", FloatCc::Ogt),
        ("ge", FloatCc::Oge),
        ("unord", FloatCc::Uno),
    ];
    conditions.iter().find_map(|&(start, cc)| match mode(name.strip_prefix(start)?)? {
        (ty, "2") => Some(Computes::Comparison(cc, ty)),
        _ => None,
    })
}

/// What a function of the Run-time ABI for the Arm Architecture computes, and those of half precision.
fn of_arm(name: &str) -> Option<Computes> {
    use Opcode::*;
    let ty = |name: &str| match name {
        "f" => Some(Type::F32),
        "d" => Some(Type::F64),
        "h" => Some(Type::F16),
        "i" | "ui" | "iz" | "uiz" => Some(Type::I32),
        "l" | "ul" | "lz" | "ulz" => Some(Type::I64),
        _ => None,
    };
    if let Some(name) = name.strip_prefix("__gnu_").and_then(|name| name.strip_suffix("_ieee")) {
        let (from, to) = name.split_once('2')?;
        let op = if from == "h" { Fpext } else { Fptrunc };
        return Some(Computes::Conversion(op, ty(from)?, ty(to)?));
    }
    let name = name.strip_prefix("__aeabi_")?;
    let quotient = |op, ty| Some(Computes::Operation(op, ty, 2));
    match name {
        "idiv" => return quotient(Sdiv, Type::I32),
        "uidiv" => return quotient(Udiv, Type::I32),
        "ldivmod" => return quotient(Sdiv, Type::I64),
        "uldivmod" => return quotient(Udiv, Type::I64),
        _ => {}
    }
    if let Some((from_name, to_name)) = name.split_once('2') {
        let (from, to) = (ty(from_name)?, ty(to_name)?);
        let op = match (from.is_float(), to.is_float()) {
            (true, true) if from.bits() < to.bits() => Fpext,
            (true, true) => Fptrunc,
            (false, _) if from_name.starts_with('u') => Uitofp,
            (false, _) => Sitofp,
            _ if to_name.starts_with('u') => Fptoui,
            _ => Fptosi,
        };
        return Some(Computes::Conversion(op, from, to));
    }
    let (ty, op) = (ty(name.get(..1)?)?, name.get(1..)?);
    let op = [("add", Fadd), ("sub", Fsub), ("mul", Fmul), ("div", Fdiv)].into_iter().find(|o| o.0 == op)?.1;
    Some(Computes::Operation(op, ty, 2))
}

/// What a function of the C library computes. `ty` is the type of its first argument.
fn of_c(name: &str, ty: Type) -> Option<Computes> {
    use Opcode::*;
    let functions = [
        ("fmod", Frem, 2),
        ("fma", Fma, 3),
        ("sqrt", Fsqrt, 1),
        ("fmin", Fminnum, 2),
        ("fmax", Fmaxnum, 2),
        ("floor", Ffloor, 1),
        ("ceil", Fceil, 1),
        ("trunc", Ftrunc, 1),
        ("rint", Frint, 1),
        ("nearbyint", Fnearbyint, 1),
        ("roundeven", Froundeven, 1),
        ("round", Fround, 1),
    ];
    let ends = ["", "f", "l", "f128"];
    let is = |start: &str| name.strip_prefix(start).is_some_and(|end| ends.contains(&end));
    let &(_, op, count) = functions.iter().find(|f| is(f.0)).filter(|_| ty.is_float())?;
    Some(Computes::Operation(op, ty, count))
}

impl Computes {
    /// The type of the result.
    fn result(self) -> Type {
        match self {
            Computes::Operation(_, ty, _) | Computes::Conversion(.., ty) => ty,
            Computes::Comparison(..) => Type::I32,
        }
    }

    /// The type of the operands, and their number.
    fn operands(self) -> (Type, usize) {
        match self {
            Computes::Operation(_, ty, count) => (ty, count),
            Computes::Conversion(_, from, _) => (from, 1),
            Computes::Comparison(_, ty) => (ty, 2),
        }
    }

    fn compute(self, x: &[u128]) -> Result<Option<u128>, Stop> {
        let of = |k: usize| x.get(k).copied().unwrap_or(0);
        match self {
            Computes::Operation(op, ty, _) if ty.is_float() => scalar::float_op(op, ty, of(0), of(1), of(2)).map(Some),
            Computes::Operation(op, ty, _) => scalar::binary(op, ty.bits(), of(0), of(1)),
            Computes::Conversion(op, from, to) => scalar::convert(op, from, to, of(0)),
            Computes::Comparison(cc, ty) => {
                let holds = |cc| soft::compare(cc, ty, of(0), of(1));
                let unordered = match cc {
                    FloatCc::Ogt | FloatCc::Oge => -1i32,
                    _ => 1,
                };
                let compares = || {
                    Some(match () {
                        _ if cc == FloatCc::Uno => i32::from(holds(FloatCc::Uno)?),
                        _ if holds(FloatCc::Uno)? => unordered,
                        _ if holds(FloatCc::Oeq)? => 0,
                        _ => {
                            if holds(FloatCc::Olt)? {
                                -1
                            } else {
                                1
                            }
                        }
                    })
                };
                let n = compares().ok_or_else(|| Stop::Unsupported(format!("comparison of {ty}")))?;
                Ok(Some(n as u32 as u128))
            }
        }
    }
}

impl Interpreter<'_> {
    /// Calls a function of the library with values of these types; its results have those types. With `to`, the result goes to that address.
    pub(super) fn run_time(
        &mut self,
        lib: LibCall,
        args: &[(Type, Val)],
        results: &[Type],
        to: Option<Val>,
    ) -> Result<Vec<Val>, Stop> {
        let name = lib.symbol();
        match (name, args) {
            ("memcpy" | "memmove" | "memset", _) => {
                let args: Vec<Val> = args.iter().map(|(_, v)| v.clone()).collect();
                return self.block_function(name, &args).map(|v| v.into_iter().take(results.len()).collect());
            }
            ("_Unwind_Resume", [(_, exception)]) => return Err(Stop::Raised(address(exception)?)),
            _ => {}
        }
        let ty = args.first().map_or(Type::VOID, |arg| arg.0);
        let computes = of_gcc(name).or_else(|| of_arm(name)).or_else(|| of_c(name, ty));
        let Some(computes) = computes.filter(|c| !args.is_empty() && args.len().is_multiple_of(c.operands().1)) else {
            return Err(Stop::Unsupported(format!("a call of `{name}`")));
        };
        let (ty, count) = computes.operands();
        let joined = |words: &[(Type, Val)]| {
            words
                .iter()
                .rev()
                .try_fold(0u128, |n, (ty, v)| Some(if words.len() > 1 { n << ty.bits() } else { 0 } | v.bits()?))
        };
        let operands: Option<Vec<u128>> =
            args.chunks(args.len() / count).map(|words| joined(words).map(|n| n & scalar::mask(ty.bits()))).collect();
        let value = match operands {
            Some(operands) => computes.compute(&operands)?,
            None => None,
        };
        if let Some(to) = to {
            self.store(computes.result(), address(&to)?, &Val::Scalar(value))?;
            return Ok(Vec::new());
        }
        let mut shift = 0;
        let split = results.iter().map(|ty| {
            let at = shift;
            shift += ty.bits();
            Val::Scalar(value.map(|n| n.checked_shr(at).unwrap_or(0) & scalar::mask(ty.bits())))
        });
        Ok(split.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gusset_codegen::libcall::LIBCALLS;

    #[test]
    fn arithmetic_of_the_libraries_is_known() {
        use LibCall::*;
        let ranges = [Divti3..=Truncdfsf2, AeabiIdiv..=GnuD2h, Floattisf..=Roundevenf128];
        for lib in LIBCALLS.iter().filter(|lib| ranges.iter().any(|range| range.contains(lib))) {
            let name = lib.symbol();
            let known = of_gcc(name).or_else(|| of_arm(name)).or_else(|| of_c(name, Type::F64));
            assert!(known.is_some(), "{name}");
        }
        assert!(of_gcc("__atomic_load_8").is_none() && of_c("memcpy", Type::F64).is_none());
    }

    #[test]
    fn functions_compute_what_their_names_say() {
        let result = |lib: LibCall, x: &[u128]| {
            let name = lib.symbol();
            let computes = of_gcc(name).or_else(|| of_arm(name)).or_else(|| of_c(name, Type::F64));
            computes.and_then(|c| c.compute(x).ok().flatten())
        };
        let bits = |x: f64| u128::from(x.to_bits());
        assert_eq!(result(LibCall::Divdi3, &[u128::from(-7i64 as u64), 2]), Some(u128::from(-3i64 as u64)));
        assert_eq!(result(LibCall::AeabiUldivmod, &[7, 2]), Some(3));
        assert_eq!(result(LibCall::Umodsi3, &[7, 4]), Some(3));
        assert_eq!(result(LibCall::Fixdfdi, &[bits(-2.5)]), Some(u128::from(-2i64 as u64)));
        assert_eq!(result(LibCall::AeabiUi2d, &[3]), Some(bits(3.0)));
        assert_eq!(result(LibCall::Fmod, &[bits(7.5), bits(2.0)]), Some(bits(1.5)));
        let compared = |lib, a, b| result(lib, &[bits(a), bits(b)]).map(|n| n as u32 as i32);
        assert_eq!(compared(LibCall::Ltdf2, 1.0, 2.0), Some(-1));
        assert_eq!([LibCall::Ltdf2, LibCall::Gedf2].map(|lib| compared(lib, f64::NAN, 2.0)), [Some(1), Some(-1)]);
        assert_eq!(compared(LibCall::Unorddf2, f64::NAN, 2.0), Some(1));
    }
}
