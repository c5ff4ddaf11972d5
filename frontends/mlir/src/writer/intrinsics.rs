//! Intrinsics: as operations that MLIR 19 has for them (`LLVMIntrinsicOps.td`), otherwise as `llvm.call_intrinsic`.

use gusset_program::{
    Argument, AttributeValue, Call, CallEnd, Constant, Def, Function, Inst, Refusal, Result, TypeTable, Val,
};
use std::io::Write as _;

use super::calls::values_of;
use super::{Writer, none};

/// The textual form of an operation.
#[derive(Clone, Copy)]
enum Form {
    /// `llvm.intr.x(%a, %b) {…} : (types) -> type`.
    Call,
    /// `"llvm.intr.x"(%a, %b) <{name = 1 : i32}> : (types) -> type`: the arguments at these positions are attributes.
    Generic(&'static [(usize, &'static str)]),
    /// `llvm.intr.x %a : type`.
    One,
    /// `llvm.intr.x 16, %a : type`, with the number first.
    Sized,
    /// `llvm.intr.x : type`, with the result's type.
    Result,
    /// `llvm.intr.x %a, %b : type`, with the type of the first argument.
    Alike,
    /// `llvm.intr.x %a, %b : (types) -> type`.
    Operands,
    /// Something of its own.
    Special,
}

/// Intrinsics that have an operation, without `llvm.` and the names of types.
const OPERATIONS: &[(&str, Form)] = &[
    ("abs", Form::Generic(&[(1, "is_int_min_poison")])),
    ("annotation", Form::Generic(&[])),
    ("assume", Form::Generic(&[])),
    ("bitreverse", Form::Call),
    ("bswap", Form::Call),
    ("ceil", Form::Call),
    ("copysign", Form::Call),
    ("coro.align", Form::Result),
    ("coro.begin", Form::Operands),
    ("coro.end", Form::Operands),
    ("coro.free", Form::Operands),
    ("coro.id", Form::Operands),
    ("coro.promise", Form::Operands),
    ("coro.resume", Form::One),
    ("coro.save", Form::Operands),
    ("coro.size", Form::Result),
    ("coro.suspend", Form::Special),
    ("cos", Form::Call),
    ("ctlz", Form::Generic(&[(1, "is_zero_poison")])),
    ("ctpop", Form::Call),
    ("cttz", Form::Generic(&[(1, "is_zero_poison")])),
    ("dbg.assign", Form::Special),
    ("dbg.declare", Form::Special),
    ("dbg.label", Form::Special),
    ("dbg.value", Form::Special),
    ("debugtrap", Form::Generic(&[])),
    ("eh.typeid.for", Form::Operands),
    ("exp", Form::Call),
    ("exp2", Form::Call),
    ("expect", Form::Alike),
    ("expect.with.probability", Form::Special),
    ("experimental.noalias.scope.decl", Form::Special),
    ("experimental.stepvector", Form::Result),
    ("fabs", Form::Call),
    ("floor", Form::Call),
    ("fma", Form::Call),
    ("fmuladd", Form::Call),
    ("fshl", Form::Call),
    ("fshr", Form::Call),
    ("get.active.lane.mask", Form::Special),
    ("invariant.end", Form::Generic(&[(1, "size")])),
    ("invariant.start", Form::Sized),
    ("is.constant", Form::Generic(&[])),
    ("is.fpclass", Form::Generic(&[(1, "bit")])),
    ("lifetime.end", Form::Sized),
    ("lifetime.start", Form::Sized),
    ("llrint", Form::Call),
    ("llround", Form::Call),
    ("log", Form::Call),
    ("log10", Form::Call),
    ("log2", Form::Call),
    ("lrint", Form::Call),
    ("lround", Form::Call),
    ("masked.compressstore", Form::Generic(&[])),
    ("masked.expandload", Form::Generic(&[])),
    ("masked.gather", Form::Special),
    ("masked.load", Form::Special),
    ("masked.scatter", Form::Special),
    ("masked.store", Form::Special),
    ("maximum", Form::Call),
    ("maxnum", Form::Call),
    ("memcpy", Form::Generic(&[(3, "isVolatile")])),
    ("memcpy.inline", Form::Generic(&[(2, "len"), (3, "isVolatile")])),
    ("memmove", Form::Generic(&[(3, "isVolatile")])),
    ("memset", Form::Generic(&[(3, "isVolatile")])),
    ("minimum", Form::Call),
    ("minnum", Form::Call),
    ("nearbyint", Form::Call),
    ("pow", Form::Call),
    ("powi", Form::Call),
    ("prefetch", Form::Generic(&[(1, "rw"), (2, "hint"), (3, "cache")])),
    ("ptr.annotation", Form::Generic(&[])),
    ("rint", Form::Call),
    ("round", Form::Call),
    ("roundeven", Form::Call),
    ("sadd.sat", Form::Call),
    ("sadd.with.overflow", Form::Generic(&[])),
    ("sin", Form::Call),
    ("smax", Form::Call),
    ("smin", Form::Call),
    ("smul.with.overflow", Form::Generic(&[])),
    ("sqrt", Form::Call),
    ("ssa.copy", Form::One),
    ("sshl.sat", Form::Call),
    ("ssub.sat", Form::Call),
    ("ssub.with.overflow", Form::Generic(&[])),
    ("stackrestore", Form::One),
    ("stacksave", Form::Result),
    ("threadlocal.address", Form::Generic(&[])),
    ("trap", Form::Generic(&[])),
    ("trunc", Form::Call),
    ("uadd.sat", Form::Call),
    ("uadd.with.overflow", Form::Generic(&[])),
    ("ubsantrap", Form::Generic(&[(0, "failureKind")])),
    ("umax", Form::Call),
    ("umin", Form::Call),
    ("umul.with.overflow", Form::Generic(&[])),
    ("ushl.sat", Form::Call),
    ("usub.sat", Form::Call),
    ("usub.with.overflow", Form::Generic(&[])),
    ("va_copy", Form::Special),
    ("va_end", Form::Special),
    ("va_start", Form::Special),
    ("var.annotation", Form::Generic(&[])),
    ("vector.deinterleave2", Form::Generic(&[])),
    ("vector.extract", Form::Special),
    ("vector.insert", Form::Special),
    ("vector.interleave2", Form::Generic(&[])),
    ("vector.reduce.add", Form::Generic(&[])),
    ("vector.reduce.and", Form::Generic(&[])),
    ("vector.reduce.fadd", Form::Generic(&[])),
    ("vector.reduce.fmax", Form::Call),
    ("vector.reduce.fmaximum", Form::Call),
    ("vector.reduce.fmin", Form::Call),
    ("vector.reduce.fminimum", Form::Call),
    ("vector.reduce.fmul", Form::Generic(&[])),
    ("vector.reduce.mul", Form::Generic(&[])),
    ("vector.reduce.or", Form::Generic(&[])),
    ("vector.reduce.smax", Form::Generic(&[])),
    ("vector.reduce.smin", Form::Generic(&[])),
    ("vector.reduce.umax", Form::Generic(&[])),
    ("vector.reduce.umin", Form::Generic(&[])),
    ("vector.reduce.xor", Form::Generic(&[])),
    ("vscale", Form::Generic(&[])),
];

/// The row of an intrinsic, by the longest known prefix of its name, and whether types may follow.
fn row(name: &str) -> Option<(&'static str, Form)> {
    let mut part = name;
    loop {
        if let Ok(i) = OPERATIONS.binary_search_by(|row| row.0.cmp(part)) {
            // The rest names types: `.i32`, `.v4f32`, `.p0`, `.nxv2i64`, `.sl_…`.
            return Some((OPERATIONS[i].0, OPERATIONS[i].1));
        }
        part = &part[..part.rfind('.')?];
    }
}

/// Whether the rest of an intrinsic's name only names types.
fn names_types(rest: &str) -> bool {
    rest.split('.').skip(1).all(|part| {
        let part = part.strip_prefix("nx").unwrap_or(part);
        let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let lane = |w: &str| matches!(w, "i" | "f" | "bf" | "p" | "isVoid");
        lane(word)
            || part.starts_with("sl_")
            || part.starts_with("s_")
            || word.strip_prefix('v').is_some_and(|w| lane(w.trim_start_matches(|c: char| c.is_ascii_digit())))
    })
}

impl Writer<'_> {
    pub(super) fn intrinsic(
        &mut self,
        types: &TypeTable,
        f: &Function,
        inst: &Inst,
        call: &Call,
        name: &[u8],
    ) -> Result<()> {
        let text = std::str::from_utf8(name).map_err(|_| none("an intrinsic of this name"))?;
        let short = text.strip_prefix("llvm.").unwrap_or(text);
        if !matches!(call.end, CallEnd::None) {
            return Err(none(&format!("an `invoke` of `{text}`")));
        }
        let found = row(short).filter(|(known, _)| names_types(&short[known.len()..]));
        // The bundles of an assumption only inform optimizers.
        if !call.bundles.is_empty() && !matches!(found, Some(("assume", _))) {
            return Err(none(&format!("operand bundles of `{text}`")));
        }
        self.left_out.bundles |= !call.bundles.is_empty();
        match found {
            Some((known, Form::Special)) => self.special(types, f, (inst, call), known),
            Some((known, form)) => self.ordinary(types, f, inst, call, (known, form)),
            None => self.unknown(types, f, inst, call, text),
        }
    }

    /// Writes an intrinsic without an operation.
    fn unknown(&mut self, types: &TypeTable, f: &Function, inst: &Inst, call: &Call, text: &str) -> Result<()> {
        let typed = |argument: &Argument| match argument {
            Argument::Value(_, attributes) => attributes.iter().any(|a| matches!(a.value, AttributeValue::Type(_))),
            Argument::Metadata(_) => true,
        };
        if call.args.iter().any(typed) {
            return Err(none(&format!("metadata and types that are arguments of `{text}`")));
        }
        let args = values_of(call)?;
        self.put("llvm.call_intrinsic ");
        self.quoted(text.as_bytes());
        self.put("(");
        self.values(types, f, &args)?;
        self.put(") : ");
        self.functional(types, f, &args, call.ret)?;
        self.fast_math(inst.flags);
        Ok(())
    }

    fn ordinary(
        &mut self,
        types: &TypeTable,
        f: &Function,
        inst: &Inst,
        call: &Call,
        (known, form): (&str, Form),
    ) -> Result<()> {
        let args = values_of(call)?;
        if let Form::Generic(numbers) = form {
            return self.generic(types, f, inst, call, (known, numbers));
        }
        self.put("llvm.intr.");
        self.put(known);
        match form {
            Form::Call => {
                self.put("(");
                self.values(types, f, &args)?;
                self.put(")");
                self.fast_math(inst.flags);
                self.put(" : ");
                self.functional(types, f, &args, call.ret)
            }
            Form::One | Form::Alike => {
                self.put(" ");
                self.values(types, f, &args)?;
                self.put(" : ");
                args.first().map_or(Ok(()), |&arg| self.type_of(types, f, arg))
            }
            Form::Sized => {
                // Until LLVM 22 the size was the first operand.
                let (size, place) = match args[..] {
                    [size, place] => (number_of(f, size)? as i64, place),
                    [place] => (-1, place),
                    _ => return Err(Refusal::new("the intrinsic does not take these arguments")),
                };
                let _ = write!(self.out, " {size}, ");
                self.value(types, f, place)?;
                self.put(" : ");
                self.type_of(types, f, place)
            }
            Form::Result => {
                self.put(" : ");
                self.ty(types, call.ret)
            }
            _ => {
                self.put(" ");
                self.values(types, f, &args)?;
                self.put(" : ");
                self.functional(types, f, &args, call.ret)
            }
        }
    }

    /// `"llvm.intr.x"(operands) <{attributes}> : type`.
    fn generic(
        &mut self,
        types: &TypeTable,
        f: &Function,
        inst: &Inst,
        call: &Call,
        (known, numbers): (&str, &[(usize, &str)]),
    ) -> Result<()> {
        let args = values_of(call)?;
        let operands: Vec<Val> = (args.iter().enumerate())
            .filter(|(i, _)| !numbers.iter().any(|number| number.0 == *i))
            .map(|(_, &arg)| arg)
            .collect();
        let _ = write!(self.out, "\"llvm.intr.{known}\"(");
        self.values(types, f, &operands)?;
        self.put(")");
        let before = self.out.len();
        self.put(" <{");
        let first = self.out.len();
        for &(i, name) in numbers {
            let arg = *args.get(i).ok_or_else(|| Refusal::new("the intrinsic does not take these arguments"))?;
            let data = f.value(arg);
            self.separate(first);
            self.put(name);
            self.put(" = ");
            let Def::Const(constant) = &data.def else { return Err(Refusal::new("an argument is not a number")) };
            self.constant_attribute(types, f, data.ty, constant)?;
        }
        let at = self.out.len();
        self.separate(first);
        if !self.fast_math_entry(inst.flags) {
            self.out.truncate(at);
        }
        if known.starts_with("mem") {
            self.memory_metadata(&inst.attached, first, false);
        }
        if self.out.len() == first {
            self.out.truncate(before);
        } else {
            self.put("}>");
        }
        if known.starts_with("mem") {
            self.alignments(call, operands.len())?;
        }
        self.put(" : ");
        self.functional(types, f, &operands, call.ret)
    }

    /// Writes the alignment of memory that is copied or set, as attributes of arguments, which MLIR 19 reads and
    /// ignores.
    fn alignments(&mut self, call: &Call, operands: usize) -> Result<()> {
        let align = |arg: &Argument| match arg {
            Argument::Value(_, list) => list.iter().find_map(|a| match a.value {
                AttributeValue::Number(n) if a.name == b"align" => Some(n),
                _ => None,
            }),
            Argument::Metadata(_) => None,
        };
        let places = &call.args[..call.args.len().min(2)];
        if places.iter().any(|arg| align(arg).is_some()) {
            self.put(" {arg_attrs = [");
            for (i, arg) in places.iter().enumerate() {
                self.comma(i);
                let _ = match align(arg) {
                    Some(n) => write!(self.out, "{{llvm.align = {n} : i64}}"),
                    None => write!(self.out, "{{}}"),
                };
            }
            self.put(if operands > places.len() { ", {}]}" } else { "]}" });
        }
        Ok(())
    }

    fn special(&mut self, types: &TypeTable, f: &Function, (inst, call): (&Inst, &Call), known: &str) -> Result<()> {
        if let Some(kind) = known.strip_prefix("dbg.") {
            self.debug_call(types, f, inst, call, kind);
            return Ok(());
        }
        if known == "experimental.noalias.scope.decl" {
            if let Some(Argument::Metadata(metadata)) = call.args.first()
                && let Some(scopes) = self.list("alias_scope", metadata)
            {
                self.put("llvm.intr.experimental.noalias.scope.decl ");
                self.put(&scopes);
            }
            return Ok(());
        }
        let args = values_of(call)?;
        let word = match known {
            "va_start" => "vastart",
            "va_end" => "vaend",
            "va_copy" => "vacopy",
            other => other,
        };
        let _ = write!(self.out, "llvm.intr.{word} ");
        match (known, &args[..]) {
            ("va_start" | "va_end", [list]) => {
                self.value(types, f, *list)?;
                self.put(" : ");
                self.type_of(types, f, *list)
            }
            ("va_copy", [to, from]) => {
                self.value(types, f, *from)?;
                self.put(" to ");
                self.value(types, f, *to)?;
                self.put(" : ");
                self.type_of(types, f, *to)?;
                self.put(", ");
                self.type_of(types, f, *from)
            }
            ("coro.suspend", [..]) => {
                self.values(types, f, &args)?;
                self.put(" : ");
                self.ty(types, call.ret)
            }
            ("get.active.lane.mask", [base, n]) => {
                self.values(types, f, &args)?;
                self.put(" : ");
                self.type_of(types, f, *base)?;
                self.put(", ");
                self.type_of(types, f, *n)?;
                self.put(" to ");
                self.ty(types, call.ret)
            }
            ("expect.with.probability", [val, expected, probability]) => {
                self.values(types, f, &[*val, *expected])?;
                self.put(", ");
                let data = f.value(*probability);
                if let Def::Const(constant) = &data.def {
                    self.constant_attribute(types, f, data.ty, constant)?;
                }
                self.put(" : ");
                self.type_of(types, f, *val)
            }
            ("vector.extract", [vector, at]) => {
                self.value(types, f, *vector)?;
                let _ = write!(self.out, "[{}] : ", number_of(f, *at)?);
                self.ty(types, call.ret)?;
                self.put(" from ");
                self.type_of(types, f, *vector)
            }
            ("vector.insert", [vector, part, at]) => {
                self.values(types, f, &[*part, *vector])?;
                let _ = write!(self.out, "[{}] : ", number_of(f, *at)?);
                self.type_of(types, f, *part)?;
                self.put(" into ");
                self.ty(types, call.ret)
            }
            ("masked.load" | "masked.gather", [at, align, mask, passed]) => {
                let operands = [*at, *mask, *passed];
                self.values(types, f, &operands)?;
                let _ = write!(self.out, " {{alignment = {} : i32}} : ", number_of(f, *align)?);
                self.functional(types, f, &operands, call.ret)
            }
            ("masked.store" | "masked.scatter", [val, at, align, mask]) => {
                self.values(types, f, &[*val, *at, *mask])?;
                let _ = write!(self.out, " {{alignment = {} : i32}} : ", number_of(f, *align)?);
                self.type_of(types, f, *val)?;
                self.put(", ");
                self.type_of(types, f, *mask)?;
                self.put(" into ");
                self.type_of(types, f, *at)
            }
            _ => Err(Refusal::new("the intrinsic does not take these arguments")),
        }
    }
}

/// The number that an argument is.
fn number_of(f: &Function, val: Val) -> Result<u128> {
    match &f.value(val).def {
        Def::Const(Constant::Integer(n)) => Ok(*n),
        Def::Const(Constant::Zero) => Ok(0),
        _ => Err(Refusal::new("an argument of the intrinsic is not a number")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_order() {
        assert!(OPERATIONS.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn names() {
        let known = |name| row(name).filter(|(known, _)| names_types(&name[known.len()..])).map(|r| r.0);
        assert_eq!(known("memcpy.p0.p0.i64"), Some("memcpy"));
        assert_eq!(known("memcpy.inline.p0.p0.i64"), Some("memcpy.inline"));
        assert_eq!(known("memcpy.element.unordered.atomic.p0.p0.i32"), None);
        assert_eq!(known("vector.reduce.fadd.nxv4f32"), Some("vector.reduce.fadd"));
        assert_eq!(known("trap"), Some("trap"));
        assert_eq!(known("x86.sse2.packssdw.128"), None);
        assert_eq!(known("lifetime.start.p0"), Some("lifetime.start"));
        assert_eq!(known("fma.v2bf16"), Some("fma"));
        assert_eq!(known("expect.with.probability.i64"), Some("expect.with.probability"));
    }
}
