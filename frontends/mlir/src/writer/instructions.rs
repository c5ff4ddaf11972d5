//! Writes instructions, most of which are operations of the same names.

use std::io::Write as _;

use gusset_codegen::ir::{Edge, Value};
use gusset_program::{
    Atomic, Attachments, Clause, Compare, Constant, Def, Flags, Function, I32, Inst, Kind, Op, Owned, Refusal, Result,
    Scope, TypeId, TypeTable, VOID, Val, binary_word, cast_word,
};

use super::forms::Parts;
use super::text::quoted;
use super::{Writer, none};
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
    pub(super) fn operation(&mut self, types: &TypeTable, f: &Function, inst: &Inst) -> Result<()> {
        let fast = |w: &mut Self| w.fast_math(inst.flags);
        let (at, plain) = ((types, f), |_: &mut Self| Ok(()));
        match &inst.op {
            Op::Binary { op, a, b, .. } => {
                let words = [(Flags::NSW, "nsw"), (Flags::NUW, "nuw")];
                let words: Vec<&str> = words.iter().filter(|w| inst.flags.has(w.0)).map(|w| w.1).collect();
                let overflow = [("overflow", format!("overflow<{}>", words.join(", ")))];
                let attributes = if words.is_empty() { &[][..] } else { &overflow };
                let name = format!("llvm.{}", binary_word(*op));
                self.form(at, &name, &Parts { attributes, ..Parts::new(&[*a, *b], inst.ty) }, fast)
            }
            Op::Fneg { val: v, .. } => self.form(at, "llvm.fneg", &Parts::new(&[*v], inst.ty), fast),
            Op::Freeze { val: v, .. } => self.form(at, "llvm.freeze", &Parts::new(&[*v], inst.ty), fast),
            Op::Cast { cast, val: v, .. } => {
                self.form(at, &format!("llvm.{}", cast_word(*cast)), &Parts::new(&[*v], inst.ty), plain)
            }
            Op::Compare { compare, a, b, .. } => {
                let (name, condition) = match compare {
                    Compare::Int(cc) => ("llvm.icmp", cc.name()),
                    Compare::Float(cc) => ("llvm.fcmp", cc.name()),
                };
                // Words of the language itself.
                let underscore = if matches!(condition, "true" | "false") { "_" } else { "" };
                let attributes = &[("predicate", format!("\"{underscore}{condition}\""))];
                self.form(at, name, &Parts { attributes, ..Parts::new(&[*a, *b], inst.ty) }, fast)
            }
            Op::Select { condition: (_, c), a, b, .. } => {
                self.form(at, "llvm.select", &Parts::new(&[*c, *a, *b], inst.ty), fast)
            }
            Op::ExtractValue { val, path, .. } => {
                let attributes = &[("position", format!("{path:?}"))];
                self.form(at, "llvm.extractvalue", &Parts { attributes, ..Parts::new(&[*val], inst.ty) }, plain)
            }
            Op::InsertValue { val, element, path, .. } => {
                let attributes = &[("position", format!("{path:?}"))];
                self.form(
                    at,
                    "llvm.insertvalue",
                    &Parts { attributes, ..Parts::new(&[*val, *element], inst.ty) },
                    plain,
                )
            }
            Op::ExtractElement { val, index: (_, i), .. } => {
                self.form(at, "llvm.extractelement", &Parts::new(&[*val, *i], inst.ty), plain)
            }
            Op::InsertElement { val, element, index: (_, i), .. } => {
                self.form(at, "llvm.insertelement", &Parts::new(&[*val, *element, *i], inst.ty), plain)
            }
            Op::ShuffleVector { a, b, mask, .. } => {
                // The mask of a scalable vector has as many lanes as there are at least, all the same.
                let lanes = match (types.foreign(inst.ty), types.get(inst.ty).kind) {
                    (Some(_), Kind::Vector { len, .. }) => len as usize,
                    _ => mask.len(),
                };
                let mask: Vec<i32> = mask.iter().cycle().take(lanes).map(|&lane| lane as i32).collect();
                let attributes = &[("mask", format!(" {mask:?}"))];
                self.form(at, "llvm.shufflevector", &Parts { attributes, ..Parts::new(&[*a, *b], inst.ty) }, plain)
            }
            Op::Call(call) => self.call(types, f, inst, call),
            Op::LandingPad { cleanup, clauses, .. } => self.landing_pad(types, f, inst.ty, *cleanup, clauses),
            Op::DebugRecord(record) => {
                self.debug_record(types, f, &record.0, &record.1);
                Ok(())
            }
            Op::Alloca { of, count, align, in_block, .. } => self.alloca(at, inst, (*of, *count, *align, *in_block)),
            Op::Load { .. }
            | Op::Store { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::Fence { .. }
            | Op::CmpXchg { .. }
            | Op::AtomicRmw { .. } => self.memory(at, inst),
            Op::GetElementPtr { of, base: (_, base), indices, .. } => self.address(at, inst, *of, (*base, indices)),
            Op::Opaque(op) => self.opaque(types, f, op),
            Op::VaArg { .. } => Err(none("`va_arg`")),
            Op::CatchPad { .. } => Err(none("`catchpad`")),
            Op::CleanupPad { .. } => Err(none("`cleanuppad`")),
            _ => self.terminator(types, f, inst),
        }
    }

    /// Writes a dictionary between these brackets, unless it is empty. `entries` is given where they begin.
    pub(super) fn dictionary(
        &mut self,
        [open, close]: [&str; 2],
        entries: impl FnOnce(&mut Self, usize) -> Result<()>,
    ) -> Result<()> {
        self.put(open);
        let first = self.out.len();
        entries(self, first)?;
        self.end_dictionary(open, first, close);
        Ok(())
    }

    /// Writes ` {fastmathFlags = …}`, if there are such flags.
    pub(super) fn fast_math(&mut self, flags: Flags) -> Result<()> {
        self.dictionary([" {", "}"], |w, first| {
            w.fast_math_entry(flags, first);
            Ok(())
        })
    }

    /// Writes `fastmathFlags = …` into a dictionary whose entries begin at `first`, if there are such flags.
    pub(super) fn fast_math_entry(&mut self, flags: Flags, first: usize) {
        if flags.0 & Flags::FAST.0 == 0 {
            return;
        }
        self.separate(first);
        self.put("fastmathFlags = #llvm.fastmath<");
        if flags.has(Flags::FAST) {
            self.put("fast");
        } else {
            for (i, (_, word)) in FAST_MATH.iter().filter(|(flag, _)| flags.has(*flag)).enumerate() {
                self.comma(i);
                self.put(word);
            }
        }
        self.put(">");
    }

    fn landing_pad(
        &mut self,
        types: &TypeTable,
        f: &Function,
        ty: TypeId,
        cleanup: bool,
        clauses: &[Clause],
    ) -> Result<()> {
        self.put("llvm.landingpad ");
        self.put(if cleanup { "cleanup " } else { "" });
        for clause in clauses {
            let (word, val) = match clause {
                Clause::Catch(val) => ("(catch ", val),
                Clause::Filter(_, val) => ("(filter ", val),
            };
            self.put(word);
            self.value(types, f, *val)?;
            self.put(" : ");
            self.type_of(types, f, *val)?;
            self.put(") ");
        }
        self.put(": ");
        self.ty(types, ty)
    }

    // Memory.

    /// Writes the dictionary of an access to memory.
    fn access_attributes(&mut self, align: u32, attached: &Attachments) -> Result<()> {
        self.dictionary([" {", "}"], |w, first| {
            if align > 0 {
                let _ = write!(w.out, "alignment = {align} : i64");
            }
            w.memory_metadata(attached, first, true);
            Ok(())
        })
    }

    fn alloca(
        &mut self,
        (types, f): (&TypeTable, &Function),
        inst: &Inst,
        (of, count, align, in_block): (TypeId, Option<Val>, u32, bool),
    ) -> Result<()> {
        if inst.flags.has(Flags::SWIFTERROR) {
            return Err(none("`swifterror`"));
        }
        self.put(if in_block { "llvm.alloca inalloca " } else { "llvm.alloca " });
        let count = match count {
            Some(count) => {
                self.value(types, f, count)?;
                f.value(count).ty
            }
            None => {
                let one = self.constant(types, f, I32, &Constant::Integer(1))?;
                let _ = write!(self.out, "%{one}");
                I32
            }
        };
        self.put(" x ");
        self.ty(types, of)?;
        if align > 0 {
            let _ = write!(self.out, " {{alignment = {align} : i64}}");
        }
        self.put(" : (");
        self.ty(types, count)?;
        self.put(") -> ");
        self.ty(types, inst.ty)
    }

    fn memory(&mut self, at: (&TypeTable, &Function), inst: &Inst) -> Result<()> {
        let natural = |ty: TypeId| at.0.get(ty).size.next_power_of_two() as u32;
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
                ("llvm.store", vec![*val, *addr], atomic("ordering", access, scope, at.1.value(*val).ty))
            }
            Op::Fence { ordering, scope } => {
                let access = Atomic { ordering: *ordering, align: None, volatile: false };
                ("llvm.fence", Vec::new(), atomic("ordering", &access, scope, VOID))
            }
            Op::CmpXchg { addr, expected, new, access, failure, scope, .. } => {
                let align = atomic("success_ordering", access, scope, at.1.value(*new).ty);
                attributes.push(("failure_ordering", failure.name().to_owned()));
                attributes.extend(inst.flags.has(Flags::WEAK).then(|| ("weak", "weak".to_owned())));
                ("llvm.cmpxchg", vec![*addr, *expected, *new], align)
            }
            Op::AtomicRmw { op, addr, val, access, scope, .. } => {
                let (ty, (underscore, word)) = (at.1.value(*val).ty, rmw_word(*op));
                let vector = matches!(at.0.get(ty).kind, Kind::Vector { .. });
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
        self.form(at, name, &parts, |w| if fence { Ok(()) } else { w.access_attributes(align, &inst.attached) })
    }

    /// Indexes are operands, except those into structs.
    fn address(
        &mut self,
        at: (&TypeTable, &Function),
        inst: &Inst,
        element: TypeId,
        (base, indices): (Val, &[Val]),
    ) -> Result<()> {
        let ((types, f), mut inner, mut operands, mut list) = (at, element, vec![base], Vec::new());
        for (i, &index) in indices.iter().enumerate() {
            match types.get(inner).kind {
                Kind::Struct { start, len, .. } if i > 0 => {
                    let n = member_number(f, index)?;
                    let member = usize::try_from(n).ok().and_then(|n| types.members(start, len).get(n));
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
        self.form(at, "llvm.getelementptr", &parts, |_| Ok(()))
    }

    // Terminators.

    fn terminator(&mut self, types: &TypeTable, f: &Function, inst: &Inst) -> Result<()> {
        match &inst.op {
            Op::Jump(to) => {
                self.put(self.branches);
                self.put(".br ");
                self.successor(types, f, *to)?;
                self.loop_dictionary(&inst.attached);
            }
            Op::Br { condition: cond, then, other } => {
                self.put(self.branches);
                self.put(".cond_br ");
                self.value(types, f, *cond)?;
                if let Some(weights) = self.branch_weights(&inst.attached, 2) {
                    let _ = write!(self.out, " weights([{}, {}])", weights[0], weights[1]);
                }
                self.put(", ");
                self.successor(types, f, *then)?;
                self.put(", ");
                self.successor(types, f, *other)?;
                self.loop_dictionary(&inst.attached);
            }
            Op::Switch { val, cases, default } => self.switch(types, f, inst, (*val, cases, *default))?,
            Op::Ret { ty: VOID, .. } => self.put("llvm.return"),
            Op::Ret { val, .. } => {
                self.put("llvm.return ");
                self.value(types, f, *val)?;
                self.put(" : ");
                self.type_of(types, f, *val)?;
            }
            Op::Unreachable => self.put("llvm.unreachable"),
            Op::Resume { val, .. } => {
                return self.form((types, f), "llvm.resume", &Parts::new(&[*val], VOID), |_| Ok(()));
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
        types: &TypeTable,
        f: &Function,
        inst: &Inst,
        (val, cases, default): (Val, &[(Value, Edge)], Edge),
    ) -> Result<()> {
        self.put(self.branches);
        self.put(".switch ");
        self.value(types, f, val)?;
        self.put(" : ");
        self.type_of(types, f, val)?;
        // The default case has a word in the brackets of `cf`.
        self.put(if self.branches == "cf" { ", [\n      default: " } else { ", " });
        self.successor(types, f, default)?;
        self.put(if self.branches == "cf" { "" } else { " [\n" });
        for (i, (case, edge)) in cases.iter().enumerate() {
            self.put(if i > 0 || self.branches == "cf" { ",\n" } else { "" });
            let n = case_number(types, f, Val::from(*case))?;
            let _ = write!(self.out, "      {n}: ");
            self.successor(types, f, *edge)?;
        }
        self.put("\n    ]");
        if let Some(weights) = self.branch_weights(&inst.attached, cases.len() + 1) {
            self.put(" {branch_weights = ");
            self.weight_array(&weights);
            self.put("}");
        }
        Ok(())
    }
}

/// The number of a struct's member: an index, or the same index in every lane.
fn member_number(f: &Function, index: Val) -> Result<u128> {
    match &f.value(index).def {
        Def::Const(Constant::Integer(n)) => Ok(*n),
        Def::Const(Constant::Zero) => Ok(0),
        Def::Const(Constant::Splat(lane)) => member_number(f, *lane),
        Def::Const(Constant::Vector(lanes)) if !lanes.is_empty() => member_number(f, lanes[0]),
        _ => Err(Refusal::new("an index into a struct is not a number")),
    }
}

/// The number of a case, for which the text has 64 bits.
fn case_number(types: &TypeTable, f: &Function, case: Val) -> Result<i64> {
    let data = f.value(case);
    let n = match &data.def {
        Def::Const(Constant::Integer(n)) => *n,
        Def::Const(Constant::Zero) => 0,
        _ => return Err(none("a case of so many bits")),
    };
    let bits = types.bits(data.ty);
    if bits > 64 {
        return i64::try_from(n).map_err(|_| none("a case of so many bits"));
    }
    let shift = 64 - bits.clamp(1, 64);
    Ok((n as i64) << shift >> shift)
}
