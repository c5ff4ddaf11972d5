//! Intrinsics: as operations that MLIR 19 has for them (`LLVMIntrinsicOps.td`), otherwise as `llvm.call_intrinsic`.

use super::calls::values_of;
use super::constants::integer;
use super::forms::Parts;
use super::pieces::Context;
use super::pieces::Piece::*;
use super::text::{list, quoted};
use super::{Writer, none};
use crate::syntax::intrinsics::{Form, with_types};
use gusset_program::{Argument, AttributeValue, Call, CallEnd, Def, Inst, Refusal, Result, Val};

impl Writer<'_> {
    pub(super) fn intrinsic(&mut self, c: Context<'_>, inst: &Inst, call: &Call, name: &[u8]) -> Result<()> {
        let text = std::str::from_utf8(name).map_err(|_| none("an intrinsic of this name"))?;
        let short = text.strip_prefix("llvm.").unwrap_or(text);
        if !matches!(call.end, CallEnd::None) {
            return Err(none(&format!("an `invoke` of `{text}`")));
        }
        let found = with_types(short);
        // The bundles of an assumption only inform optimizers.
        if !call.bundles.is_empty() && !matches!(found, Some(("assume", _))) {
            return Err(none(&format!("operand bundles of `{text}`")));
        }
        self.left_out.bundles |= !call.bundles.is_empty();
        let Some((known, row)) = found else { return self.unknown(c, inst, call, text) };
        match row.form {
            Form::None => self.unknown(c, inst, call, text),
            Form::Call => {
                let args = values_of(call)?;
                write!(self, "llvm.intr.{known}(");
                self.pieces(c, &[Values(&args), Text(")")])?;
                self.fast_math(inst.flags)?;
                self.put(" : ");
                self.functional(c, &args, call.ret)
            }
            Form::Generic => self.generic(c, inst, call, (known, row.attributes)),
            Form::Custom => self.custom(c, call, known, row.attributes),
            Form::Note => self.note(c, inst, call, known),
        }
    }

    /// Writes an intrinsic without an operation.
    fn unknown(&mut self, c: Context<'_>, inst: &Inst, call: &Call, text: &str) -> Result<()> {
        let typed = |argument: &Argument| match argument {
            Argument::Value(_, attributes) => attributes.iter().any(|a| matches!(a.value, AttributeValue::Type(_))),
            Argument::Metadata(_) => true,
        };
        if call.args.iter().any(typed) {
            return Err(none(&format!("metadata and types that are arguments of `{text}`")));
        }
        let (args, attributes) = (values_of(call)?, &[("intrin", quoted(text.as_bytes()))]);
        self.form(c, "llvm.call_intrinsic", &Parts { attributes, ..Parts::new(&args, call.ret) }, |w| {
            w.fast_math(inst.flags)
        })
    }

    /// Writes an intrinsic by the form of its operation.
    fn custom(
        &mut self,
        c: Context<'_>,
        call: &Call,
        known: &str,
        numbers: &[(usize, &'static str, u32)],
    ) -> Result<()> {
        let (mut operands, mut attributes, mut alignment) = (values_of(call)?, Vec::new(), None);
        match known {
            // Until LLVM 22 the size was the first operand.
            "lifetime.start" | "lifetime.end" | "invariant.start" if operands.len() == 1 => {
                attributes.push(("size", "-1".to_owned()));
            }
            "expect.with.probability" if operands.len() == 3 => {
                let start = self.out.len();
                let data = operands.pop().map(|probability| c.f.value(probability));
                if let Some((Def::Const(constant), ty)) = data.map(|data| (&data.def, data.ty)) {
                    self.constant_attribute(c, ty, constant)?;
                }
                attributes.push(("prob", String::from_utf8_lossy(&self.out.split_off(start)).into_owned()));
            }
            _ => {
                for &(i, name, _) in numbers {
                    let arg =
                        *operands.get(i).ok_or_else(|| Refusal::new("the intrinsic does not take these arguments"))?;
                    let wrong = || Refusal::new("an argument of the intrinsic is not a number");
                    let n = integer(c.f, arg).ok_or_else(wrong)?;
                    operands.remove(i);
                    match name {
                        "alignment" => alignment = Some(n),
                        "size" => attributes.push((name, (n as i64).to_string())),
                        _ => attributes.push((name, n.to_string())),
                    }
                }
            }
        }
        // Its operations have no underscore.
        let word = if known.starts_with("va_") { known.replace('_', "") } else { known.to_owned() };
        let parts = Parts { attributes: &attributes, ..Parts::new(&operands, call.ret) };
        self.form(c, &format!("llvm.intr.{word}"), &parts, |w| {
            alignment.iter().for_each(|n| write!(w, " {{alignment = {n} : i32}}"));
            Ok(())
        })
    }

    /// `"llvm.intr.x"(operands) <{attributes}> : type`.
    fn generic(
        &mut self,
        c: Context<'_>,
        inst: &Inst,
        call: &Call,
        (known, numbers): (&str, &[(usize, &str, u32)]),
    ) -> Result<()> {
        let args = values_of(call)?;
        let operands: Vec<Val> = (args.iter().enumerate())
            .filter(|(i, _)| !numbers.iter().any(|number| number.0 == *i))
            .map(|(_, &arg)| arg)
            .collect();
        write!(self, "\"llvm.intr.{known}\"(");
        self.pieces(c, &[Values(&operands), Text(") <{")])?;
        for &(i, name, _) in numbers {
            let arg = *args.get(i).ok_or_else(|| Refusal::new("the intrinsic does not take these arguments"))?;
            let data = c.f.value(arg);
            self.entry(&format!("{name} = "));
            let Def::Const(constant) = &data.def else { return Err(Refusal::new("an argument is not a number")) };
            self.constant_attribute(c, data.ty, constant)?;
        }
        self.fast_math_entry(inst.flags);
        if known.starts_with("mem") {
            self.memory_metadata(&inst.attached, false);
        }
        self.end_dictionary([" <{", "}>"]);
        if known.starts_with("mem") {
            self.alignments(call, operands.len());
        }
        self.put(" : ");
        self.functional(c, &operands, call.ret)
    }

    /// Writes the alignment of memory that is copied or set, as attributes of arguments, which MLIR 19 reads and
    /// ignores.
    fn alignments(&mut self, call: &Call, operands: usize) {
        let align = |arg: &Argument| match arg {
            Argument::Value(_, list) => list.iter().find_map(|a| match a.value {
                AttributeValue::Number(n) if a.name == b"align" => Some(n),
                _ => None,
            }),
            Argument::Metadata(_) => None,
        };
        let places = &call.args[..call.args.len().min(2)];
        if places.iter().any(|arg| align(arg).is_some()) {
            let one = |arg| align(arg).map_or("{}".to_owned(), |n| format!("{{llvm.align = {n} : i64}}"));
            let rest = (operands > places.len()).then(|| "{}".to_owned());
            write!(self, " {{arg_attrs = {}}}", list(places.iter().map(one).chain(rest)));
        }
    }

    /// Writes an intrinsic on metadata.
    fn note(&mut self, c: Context<'_>, inst: &Inst, call: &Call, known: &str) -> Result<()> {
        if let Some(kind) = known.strip_prefix("dbg.") {
            self.debug_call(c, inst, call, kind);
            return Ok(());
        }
        if let Some(Argument::Metadata(metadata)) = call.args.first()
            && let Some(scopes) = self.node_list("alias_scope", metadata)
        {
            write!(self, "llvm.intr.experimental.noalias.scope.decl {scopes}");
        }
        Ok(())
    }
}
