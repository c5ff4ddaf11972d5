//! Writes instructions, most of which are operations of the same names.

use gusset_codegen::ir::{self, Edge};
use gusset_program::{
    Atomic, Attachments, Clause, Compare, Constant, Def, Flags, Function, I32, Inst, Kind, Op, Owned, Refusal, Result,
    Scope, TypeId, VOID, Val, binary_word, cast_word,
};

use super::constants::integer;
use super::forms::Parts;
use super::metadata::weight_array;
use super::pieces::Context;
use super::pieces::Piece::*;
use super::text::quoted;
use super::{Writer, none, none_if};
use crate::syntax::keywords::rmw_word;
use crate::syntax::op::Mixed;

/// Fast-math flags in the order in which MLIR prints them.
const FAST_MATH: [(Flags, &str); 7] = [
    (Flags::NNAN, "nnan"),
    (Flags::NINF, "ninf"),
    (Flags::NSZ, "nsz"),
    (Flags::ARCP, "arcp"),
    (Flags::CONTRACT, "contract"),
    (Flags::AFN, "afn"),
    (Flags::REASSOC, "reassoc"),
];

impl Writer<'_> {
    /// Writes an operation without its result; nothing if the operation becomes nothing.
    pub(super) fn operation(&mut self, c: Context<'_>, inst: &Inst) -> Result<()> {
        let mut attributes = Vec::new();
        let (name, operands) = match &inst.op {
            Op::Binary { op, a, b, .. } => {
                let words = [(Flags::NSW, "nsw"), (Flags::NUW, "nuw")];
                let words: Vec<&str> = words.iter().filter(|w| inst.flags.has(w.0)).map(|w| w.1).collect();
                if !words.is_empty() {
                    attributes.push(("overflow", format!("overflow<{}>", words.join(", "))));
                }
                (binary_word(*op), vec![*a, *b])
            }
            Op::Fneg { val, .. } => ("fneg", vec![*val]),
            Op::Freeze { val, .. } => ("freeze", vec![*val]),
            Op::Cast { cast, val, .. } => (cast_word(*cast), vec![*val]),
            Op::Compare { compare, a, b, .. } => {
                let (name, condition) = match compare {
                    Compare::Int(cc) => ("icmp", cc.name()),
                    Compare::Float(cc) => ("fcmp", cc.name()),
                };
                // Words of the language itself.
                let underscore = if matches!(condition, "true" | "false") { "_" } else { "" };
                attributes.push(("predicate", format!("\"{underscore}{condition}\"")));
                (name, vec![*a, *b])
            }
            Op::Select { condition: (_, condition), a, b, .. } => ("select", vec![*condition, *a, *b]),
            Op::ExtractValue { val, path, .. } => {
                attributes.push(("position", format!("{path:?}")));
                ("extractvalue", vec![*val])
            }
            Op::InsertValue { val, element, path, .. } => {
                attributes.push(("position", format!("{path:?}")));
                ("insertvalue", vec![*val, *element])
            }
            Op::ExtractElement { val, index: (_, i), .. } => ("extractelement", vec![*val, *i]),
            Op::InsertElement { val, element, index: (_, i), .. } => ("insertelement", vec![*val, *element, *i]),
            Op::ShuffleVector { a, b, mask, .. } => {
                // The mask of a scalable vector has as many lanes as there are at least, all the same.
                let lanes = match (c.types.foreign(inst.ty), c.types.get(inst.ty).kind) {
                    (Some(_), Kind::Vector { len, .. }) => len as usize,
                    _ => mask.len(),
                };
                let mask: Vec<i32> = mask.iter().cycle().take(lanes).map(|&lane| lane as i32).collect();
                attributes.push(("mask", format!(" {mask:?}")));
                ("shufflevector", vec![*a, *b])
            }
            _ => return self.other_operation(c, inst),
        };
        let parts = Parts { attributes: &attributes, ..Parts::new(&operands, inst.ty) };
        let flags = if matches!(inst.op, Op::Cast { .. }) { Flags::default() } else { inst.flags };
        self.form(c, &format!("llvm.{name}"), &parts, |w| w.fast_math(flags))
    }

    /// Writes an operation that is no operator and has its own form.
    fn other_operation(&mut self, c: Context<'_>, inst: &Inst) -> Result<()> {
        match &inst.op {
            Op::Call(call) => self.call(c, inst, call),
            Op::LandingPad { cleanup, clauses, .. } => self.landing_pad(c, inst.ty, *cleanup, clauses),
            Op::DebugRecord(record) => {
                self.debug_record(c, &record.0, &record.1);
                Ok(())
            }
            Op::Alloca { of, count, align, in_block, .. } => self.alloca(c, inst, (*of, *count, *align, *in_block)),
            Op::Load { .. }
            | Op::Store { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::Fence { .. }
            | Op::CmpXchg { .. }
            | Op::AtomicRmw { .. } => self.memory(c, inst),
            Op::GetElementPtr { of, base: (_, base), indices, .. } => self.address(c, inst, *of, (*base, indices)),
            Op::Opaque(op) => self.opaque(c, op),
            Op::VaArg { .. } => Err(none("`va_arg`")),
            Op::CatchPad { .. } => Err(none("`catchpad`")),
            Op::CleanupPad { .. } => Err(none("`cleanuppad`")),
            _ => self.terminator(c, inst),
        }
    }

    /// Writes ` {fastmathFlags = …}`, if there are such flags.
    pub(super) fn fast_math(&mut self, flags: Flags) -> Result<()> {
        self.put(" {");
        self.fast_math_entry(flags);
        self.end_dictionary([" {", "}"]);
        Ok(())
    }

    /// Writes the entry `fastmathFlags = …` of a dictionary, if there are such flags.
    pub(super) fn fast_math_entry(&mut self, flags: Flags) {
        if flags.0 & Flags::FAST.0 != 0 {
            let words = FAST_MATH.iter().filter(|(flag, _)| flags.has(*flag)).map(|(_, word)| *word);
            let words = if flags.has(Flags::FAST) { vec!["fast"] } else { words.collect() };
            self.entry(&format!("fastmathFlags = #llvm.fastmath<{}>", words.join(", ")));
        }
    }

    fn landing_pad(&mut self, c: Context<'_>, ty: TypeId, cleanup: bool, clauses: &[Clause]) -> Result<()> {
        self.put(if cleanup { "llvm.landingpad cleanup " } else { "llvm.landingpad " });
        for clause in clauses {
            let (word, val) = match clause {
                Clause::Catch(val) => ("(catch ", val),
                Clause::Filter(_, val) => ("(filter ", val),
            };
            self.pieces(c, &[Text(word), Typed(*val), Text(") ")])?;
        }
        self.pieces(c, &[Text(": "), Type(ty)])
    }

    // Memory.

    /// Writes the dictionary of an access to memory.
    fn access_attributes(&mut self, align: u32, attached: &Attachments) -> Result<()> {
        self.put(" {");
        if align > 0 {
            write!(self, "alignment = {align} : i64");
        }
        self.memory_metadata(attached, true);
        self.end_dictionary([" {", "}"]);
        Ok(())
    }

    fn alloca(
        &mut self,
        c: Context<'_>,
        inst: &Inst,
        (of, count, align, in_block): (TypeId, Option<Val>, u32, bool),
    ) -> Result<()> {
        none_if(inst.flags.has(Flags::SWIFTERROR), "`swifterror`")?;
        self.put(if in_block { "llvm.alloca inalloca " } else { "llvm.alloca " });
        let count = match count {
            Some(count) => {
                self.value(c, count)?;
                c.f.value(count).ty
            }
            None => {
                let one = self.constant(c, I32, &Constant::Integer(1))?;
                write!(self, "%{one}");
                I32
            }
        };
        self.pieces(c, &[Text(" x "), Type(of)])?;
        if align > 0 {
            write!(self, " {{alignment = {align} : i64}}");
        }
        self.pieces(c, &[Text(" : ("), Type(count), Text(") -> "), Type(inst.ty)])
    }

    fn memory(&mut self, c: Context<'_>, inst: &Inst) -> Result<()> {
        let natural = |ty: TypeId| c.types.get(ty).size.next_power_of_two() as u32;
        let (mut attributes, fence) = (Vec::new(), matches!(inst.op, Op::Fence { .. }));
        let mut atomic = |name, access: &Atomic, scope: &Scope<Owned>, ty| {
            attributes.extend(access.volatile.then(|| ("volatile", "volatile".to_owned())));
            attributes.extend(scope.as_ref().map(|scope| ("syncscope", quoted(scope))));
            attributes.push((name, access.ordering.name().to_owned()));
            access.align.unwrap_or_else(|| natural(ty))
        };
        let (name, operands, align) = match &inst.op {
            Op::Load { addr, align, volatile, .. } => {
                attributes.extend(volatile.then(|| ("volatile", "volatile".to_owned())));
                ("llvm.load", vec![*addr], *align)
            }
            Op::Store { val, addr, align, volatile, .. } => {
                attributes.extend(volatile.then(|| ("volatile", "volatile".to_owned())));
                ("llvm.store", vec![*val, *addr], *align)
            }
            Op::AtomicLoad { addr, access, scope, .. } => {
                ("llvm.load", vec![*addr], atomic("ordering", access, scope, inst.ty))
            }
            Op::AtomicStore { val, addr, access, scope, .. } => {
                ("llvm.store", vec![*val, *addr], atomic("ordering", access, scope, c.f.value(*val).ty))
            }
            Op::Fence { ordering, scope } => {
                let access = Atomic { ordering: *ordering, align: None, volatile: false, space: 0 };
                ("llvm.fence", Vec::new(), atomic("ordering", &access, scope, VOID))
            }
            Op::CmpXchg { addr, expected, new, access, failure, scope, .. } => {
                let align = atomic("success_ordering", access, scope, c.f.value(*new).ty);
                attributes.push(("failure_ordering", failure.name().to_owned()));
                attributes.extend(inst.flags.has(Flags::WEAK).then(|| ("weak", "weak".to_owned())));
                ("llvm.cmpxchg", vec![*addr, *expected, *new], align)
            }
            Op::AtomicRmw { op, addr, val, access, scope, .. } => {
                let (ty, (underscore, word)) = (c.f.value(*val).ty, rmw_word(*op));
                let vector = matches!(c.types.get(ty).kind, Kind::Vector { .. });
                if vector || matches!(word, "usub_cond" | "usub_sat") {
                    return Err(none(&format!("`atomicrmw {word}` of this type")));
                }
                let align = atomic("ordering", access, scope, ty);
                attributes.push(("bin_op", format!("{underscore}{word}")));
                ("llvm.atomicrmw", vec![*addr, *val], align)
            }
            _ => return Ok(()),
        };
        if name == "llvm.load" && inst.attached.iter().any(|(kind, _)| kind == b"invariant.load") {
            attributes.push(("invariant", "invariant".to_owned()));
        }
        let parts = Parts { attributes: &attributes, ..Parts::new(&operands, inst.ty) };
        self.form(c, name, &parts, |w| if fence { Ok(()) } else { w.access_attributes(align, &inst.attached) })
    }

    /// Indexes are operands, except those into structs.
    fn address(&mut self, c: Context<'_>, inst: &Inst, element: TypeId, (base, indices): (Val, &[Val])) -> Result<()> {
        let (mut inner, mut operands, mut list) = (element, vec![base], Vec::new());
        for (i, &index) in indices.iter().enumerate() {
            match c.types.get(inner).kind {
                Kind::Struct { start, len, .. } if i > 0 => {
                    let n = member_number(c.f, index)?;
                    let member = usize::try_from(n).ok().and_then(|n| c.types.members(start, len).get(n));
                    inner = member.ok_or_else(|| Refusal::new("an index is outside of the struct"))?.ty;
                    list.push(Mixed::Number(n as i64));
                    continue;
                }
                Kind::Array { element, .. } if i > 0 => inner = element,
                Kind::Vector { lane, .. } if i > 0 => inner = lane,
                _ => {}
            }
            list.push(Mixed::Operand(operands.len()));
            operands.push(index);
        }
        let inbounds = [("inbounds", "inbounds".to_owned())];
        let attributes = if inst.flags.has(Flags::INBOUNDS) { &inbounds[..] } else { &[] };
        let parts = Parts { attributes, list: &list, element, ..Parts::new(&operands, inst.ty) };
        self.form(c, "llvm.getelementptr", &parts, |_| Ok(()))
    }

    // Terminators.

    fn terminator(&mut self, c: Context<'_>, inst: &Inst) -> Result<()> {
        match &inst.op {
            Op::Jump(to) => {
                self.pieces(c, &[Text(self.branches), Text(".br "), Successor(*to)])?;
                self.loop_dictionary(&inst.attached);
            }
            Op::Br { condition: cond, then, other } => {
                self.pieces(c, &[Text(self.branches), Text(".cond_br "), Value(*cond)])?;
                if let Some(weights) = self.branch_weights(&inst.attached, 2) {
                    write!(self, " weights({weights:?})");
                }
                self.pieces(c, &[Text(", "), Successor(*then), Text(", "), Successor(*other)])?;
                self.loop_dictionary(&inst.attached);
            }
            Op::Switch { val, cases, default } => self.switch(c, inst, (*val, cases, *default))?,
            Op::Ret { ty: VOID, .. } => self.put("llvm.return"),
            Op::Ret { val, .. } => self.pieces(c, &[Text("llvm.return "), Typed(*val)])?,
            Op::Unreachable => self.put("llvm.unreachable"),
            Op::Resume { val, .. } => {
                return self.form(c, "llvm.resume", &Parts::new(&[*val], VOID), |_| Ok(()));
            }
            Op::IndirectBr { .. } => return Err(none("`indirectbr`")),
            Op::CatchSwitch { .. } => return Err(none("`catchswitch`")),
            Op::CatchRet { .. } => return Err(none("`catchret`")),
            Op::CleanupRet { .. } => return Err(none("`cleanupret`")),
            // All others are written elsewhere.
            _ => {}
        }
        Ok(())
    }

    fn switch(
        &mut self,
        c: Context<'_>,
        inst: &Inst,
        (val, cases, default): (Val, &[(ir::Value, Edge)], Edge),
    ) -> Result<()> {
        // The default case has a word in the brackets of `cf`.
        let in_cf = self.branches == "cf";
        let (before, after) = if in_cf { (", [\n      default: ", "") } else { (", ", " [\n") };
        self.pieces(c, &[Text(self.branches), Text(".switch "), Typed(val), Text(before), Successor(default)])?;
        self.put(after);
        for (i, (case, edge)) in cases.iter().enumerate() {
            self.put(if i > 0 || in_cf { ",\n" } else { "" });
            write!(self, "      {}: ", case_number(c, Val::from(*case))?);
            self.pieces(c, &[Successor(*edge)])?;
        }
        self.put("\n    ]");
        if let Some(weights) = self.branch_weights(&inst.attached, cases.len() + 1) {
            write!(self, " {{branch_weights = {}}}", weight_array(&weights));
        }
        Ok(())
    }
}

/// The number of a struct's member: an index, or the same index in every lane.
fn member_number(f: &Function, index: Val) -> Result<u128> {
    match &f.value(index).def {
        Def::Const(Constant::Splat(lane)) => member_number(f, *lane),
        Def::Const(Constant::Vector(lanes)) if !lanes.is_empty() => member_number(f, lanes[0]),
        _ => integer(f, index).ok_or_else(|| Refusal::new("an index into a struct is not a number")),
    }
}

/// The number of a case, for which the text has 64 bits.
fn case_number(c: Context<'_>, case: Val) -> Result<i64> {
    let n = integer(c.f, case).ok_or_else(|| none("a case of so many bits"))?;
    let bits = c.types.bits(c.f.value(case).ty);
    if bits > 64 {
        return i64::try_from(n).map_err(|_| none("a case of so many bits"));
    }
    let shift = 64 - bits.clamp(1, 64);
    Ok((n as i64) << shift >> shift)
}
