//! Writes instructions, most of which are operations of the same names.

use std::io::Write as _;

use gusset_codegen::ir::{Edge, Opcode, Value};
use gusset_program::{
    Atomic, Attachments, Cast, Clause, Compare, Constant, Def, Flags, Function, I32, Inst, Kind, Op, Owned, Refusal,
    Result, Scope, TypeId, TypeTable, VOID, Val, binary_word, cast_word,
};

use super::{Writer, none};

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
        match &inst.op {
            Op::Binary { op, a, b, .. } => self.binary(types, f, inst, *op, [*a, *b]),
            Op::Fneg { val: v, .. } => self.unary(types, f, inst, "llvm.fneg ", *v),
            Op::Freeze { val: v, .. } => self.unary(types, f, inst, "llvm.freeze ", *v),
            Op::Cast { cast, val: v, .. } => self.cast(types, f, inst, *cast, *v),
            Op::Compare { compare, a, b, .. } => {
                let (word, condition) = match compare {
                    Compare::Int(cc) => ("llvm.icmp", cc.name()),
                    Compare::Float(cc) => ("llvm.fcmp", cc.name()),
                };
                self.put(word);
                // Words of the language itself.
                self.put(if matches!(condition, "true" | "false") { " \"_" } else { " \"" });
                self.put(condition);
                self.put("\" ");
                self.values(types, f, &[*a, *b])?;
                self.fast_math(inst.flags);
                self.put(" : ");
                self.type_of(types, f, *a)
            }
            Op::Select { condition: (_, c), a, b, .. } => {
                self.put("llvm.select ");
                self.values(types, f, &[*c, *a, *b])?;
                self.fast_math(inst.flags);
                self.put(" : ");
                self.type_of(types, f, *c)?;
                self.put(", ");
                self.ty(types, inst.ty)
            }
            Op::ExtractValue { .. }
            | Op::InsertValue { .. }
            | Op::ExtractElement { .. }
            | Op::InsertElement { .. }
            | Op::ShuffleVector { .. } => self.parts(types, f, inst),
            Op::Call(call) => self.call(types, f, inst, call),
            Op::LandingPad { cleanup, clauses, .. } => self.landing_pad(types, f, inst.ty, *cleanup, clauses),
            Op::DebugRecord(record) => {
                self.debug_record(types, f, &record.0, &record.1);
                Ok(())
            }
            Op::Alloca { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::Fence { .. }
            | Op::CmpXchg { .. }
            | Op::AtomicRmw { .. } => self.memory(types, f, inst),
            Op::GetElementPtr { .. } => self.address(types, f, inst),
            Op::Opaque(op) => self.opaque(types, f, op),
            Op::VaArg { .. } => Err(none("`va_arg`")),
            Op::CatchPad { .. } => Err(none("`catchpad`")),
            Op::CleanupPad { .. } => Err(none("`cleanuppad`")),
            _ => self.terminator(types, f, inst),
        }
    }

    /// Writes ` {fastmathFlags = …}`, if there are such flags.
    pub(super) fn fast_math(&mut self, flags: Flags) {
        let before = self.out.len();
        self.put(" {");
        if self.fast_math_entry(flags) {
            self.put("}");
        } else {
            self.out.truncate(before);
        }
    }

    /// Writes `fastmathFlags = …`, if there are such flags; returns whether there are.
    pub(super) fn fast_math_entry(&mut self, flags: Flags) -> bool {
        if flags.0 & Flags::FAST.0 == 0 {
            return false;
        }
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
        true
    }

    fn binary(&mut self, types: &TypeTable, f: &Function, inst: &Inst, op: Opcode, operands: [Val; 2]) -> Result<()> {
        self.put("llvm.");
        self.put(binary_word(op));
        self.put(" ");
        self.values(types, f, &operands)?;
        let flags = match (inst.flags.has(Flags::NSW), inst.flags.has(Flags::NUW)) {
            (true, true) => " overflow<nsw, nuw>",
            (true, false) => " overflow<nsw>",
            (false, true) => " overflow<nuw>",
            (false, false) => "",
        };
        self.put(flags);
        self.fast_math(inst.flags);
        self.put(" : ");
        self.ty(types, inst.ty)
    }

    fn unary(&mut self, types: &TypeTable, f: &Function, inst: &Inst, word: &str, v: Val) -> Result<()> {
        self.put(word);
        self.value(types, f, v)?;
        self.fast_math(inst.flags);
        self.put(" : ");
        self.ty(types, inst.ty)
    }

    fn cast(&mut self, types: &TypeTable, f: &Function, inst: &Inst, cast: Cast, v: Val) -> Result<()> {
        self.put("llvm.");
        self.put(cast_word(cast));
        self.put(" ");
        self.value(types, f, v)?;
        self.put(" : ");
        self.type_of(types, f, v)?;
        self.put(" to ");
        self.ty(types, inst.ty)
    }

    fn path(&mut self, path: &[u32]) {
        self.put("[");
        for (i, index) in path.iter().enumerate() {
            self.comma(i);
            self.number(index);
        }
        self.put("] : ");
    }

    /// Parts of aggregates and vectors.
    fn parts(&mut self, types: &TypeTable, f: &Function, inst: &Inst) -> Result<()> {
        match &inst.op {
            Op::ExtractValue { val: v, path, .. } => {
                self.put("llvm.extractvalue ");
                self.value(types, f, *v)?;
                self.path(path);
                self.type_of(types, f, *v)
            }
            Op::InsertValue { val: v, element: x, path, .. } => {
                self.put("llvm.insertvalue ");
                self.values(types, f, &[*x, *v])?;
                self.path(path);
                self.ty(types, inst.ty)
            }
            Op::ExtractElement { val: v, index: (_, i), .. } => {
                self.put("llvm.extractelement ");
                self.value(types, f, *v)?;
                self.lane(types, f, *i)?;
                self.type_of(types, f, *v)
            }
            Op::InsertElement { val: v, element: x, index: (_, i), .. } => {
                self.put("llvm.insertelement ");
                self.values(types, f, &[*x, *v])?;
                self.lane(types, f, *i)?;
                self.ty(types, inst.ty)
            }
            Op::ShuffleVector { a, b, mask, .. } => {
                self.put("llvm.shufflevector ");
                self.values(types, f, &[*a, *b])?;
                self.put(" [");
                // The mask of a scalable vector has as many lanes as there are at least, all the same.
                let lanes = match (types.foreign(inst.ty), types.get(inst.ty).kind) {
                    (Some(_), Kind::Vector { len, .. }) => len as usize,
                    _ => mask.len(),
                };
                for (i, lane) in mask.iter().cycle().take(lanes).enumerate() {
                    self.comma(i);
                    self.number(*lane as i32);
                }
                self.put("] : ");
                self.type_of(types, f, *a)
            }
            _ => Ok(()),
        }
    }

    fn lane(&mut self, types: &TypeTable, f: &Function, i: Val) -> Result<()> {
        self.put("[");
        self.value(types, f, i)?;
        self.put(" : ");
        self.type_of(types, f, i)?;
        self.put("] : ");
        Ok(())
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

    fn scope(&mut self, scope: &Scope<Owned>) {
        if let Some(scope) = scope {
            self.put(" syncscope(");
            self.quoted(scope);
            self.put(")");
        }
    }

    /// Writes the dictionary of an access to memory.
    fn access_attributes(&mut self, align: u32, attached: &Attachments) -> Result<()> {
        let before = self.out.len();
        self.put(" {");
        let first = self.out.len();
        if align > 0 {
            let _ = write!(self.out, "alignment = {align} : i64");
        }
        self.memory_metadata(attached, first, true);
        if self.out.len() == first {
            self.out.truncate(before);
        } else {
            self.put("}");
        }
        Ok(())
    }

    fn memory(&mut self, types: &TypeTable, f: &Function, inst: &Inst) -> Result<()> {
        let volatile = |is: bool| if is { "volatile " } else { "" };
        match &inst.op {
            Op::Alloca { of: ty, count, align, in_block, .. } => {
                if inst.flags.has(Flags::SWIFTERROR) {
                    return Err(none("`swifterror`"));
                }
                self.put("llvm.alloca ");
                self.put(if *in_block { "inalloca " } else { "" });
                let count = match count {
                    Some(count) => {
                        self.value(types, f, *count)?;
                        f.value(*count).ty
                    }
                    None => {
                        let one = self.constant(types, f, I32, &Constant::Integer(1))?;
                        let _ = write!(self.out, "%{one}");
                        I32
                    }
                };
                self.put(" x ");
                self.ty(types, *ty)?;
                if *align > 0 {
                    let _ = write!(self.out, " {{alignment = {align} : i64}}");
                }
                self.put(" : (");
                self.ty(types, count)?;
                self.put(") -> ");
                self.ty(types, inst.ty)
            }
            Op::Load { addr, align, volatile: v, .. } => {
                self.put("llvm.load ");
                self.put(volatile(*v));
                self.value(types, f, *addr)?;
                let invariant = inst.attached.iter().any(|(kind, _)| kind == b"invariant.load");
                self.put(if invariant { " invariant" } else { "" });
                self.access_attributes(*align, &inst.attached)?;
                self.put(" : ");
                self.type_of(types, f, *addr)?;
                self.put(" -> ");
                self.ty(types, inst.ty)
            }
            Op::Store { val, addr, align, volatile: v, .. } => {
                self.put("llvm.store ");
                self.put(volatile(*v));
                self.values(types, f, &[*val, *addr])?;
                self.access_attributes(*align, &inst.attached)?;
                self.put(" : ");
                self.type_of(types, f, *val)?;
                self.put(", ");
                self.type_of(types, f, *addr)
            }
            _ => self.atomic(types, f, inst),
        }
    }

    fn atomic(&mut self, types: &TypeTable, f: &Function, inst: &Inst) -> Result<()> {
        let volatile = |is: bool| if is { "volatile " } else { "" };
        let align = |access: &Atomic, ty| access.align.unwrap_or(types.get(ty).size.next_power_of_two() as u32);
        match &inst.op {
            Op::AtomicLoad { addr, access, scope, .. } => {
                self.put("llvm.load ");
                self.put(volatile(access.volatile));
                self.value(types, f, *addr)?;
                self.put(" atomic");
                self.scope(scope);
                self.put(" ");
                self.put(access.ordering.name());
                let invariant = inst.attached.iter().any(|(kind, _)| kind == b"invariant.load");
                self.put(if invariant { " invariant" } else { "" });
                self.access_attributes(align(access, inst.ty), &inst.attached)?;
                self.put(" : ");
                self.type_of(types, f, *addr)?;
                self.put(" -> ");
                self.ty(types, inst.ty)
            }
            Op::AtomicStore { val, addr, access, scope, .. } => {
                self.put("llvm.store ");
                self.put(volatile(access.volatile));
                self.values(types, f, &[*val, *addr])?;
                self.put(" atomic");
                self.scope(scope);
                self.put(" ");
                self.put(access.ordering.name());
                let ty = f.value(*val).ty;
                self.access_attributes(align(access, ty), &inst.attached)?;
                self.put(" : ");
                self.ty(types, ty)?;
                self.put(", ");
                self.type_of(types, f, *addr)
            }
            Op::Fence { ordering, scope } => {
                self.put("llvm.fence");
                self.scope(scope);
                self.put(" ");
                self.put(ordering.name());
                Ok(())
            }
            Op::CmpXchg { addr, expected, new, access, failure, scope, .. } => {
                self.put("llvm.cmpxchg ");
                self.put(if inst.flags.has(Flags::WEAK) { "weak " } else { "" });
                self.put(volatile(access.volatile));
                self.values(types, f, &[*addr, *expected, *new])?;
                self.scope(scope);
                let _ = write!(self.out, " {} {}", access.ordering.name(), failure.name());
                let ty = f.value(*new).ty;
                self.access_attributes(align(access, ty), &inst.attached)?;
                self.put(" : ");
                self.type_of(types, f, *addr)?;
                self.put(", ");
                self.ty(types, ty)
            }
            Op::AtomicRmw { op, addr, val, access, scope, .. } => {
                let ty = f.value(*val).ty;
                let vector = matches!(types.get(ty).kind, Kind::Vector { .. });
                let word = op.name();
                if vector || matches!(word, "usub_cond" | "usub_sat") {
                    return Err(none(&format!("`atomicrmw {word}` of this type")));
                }
                self.put("llvm.atomicrmw ");
                self.put(volatile(access.volatile));
                // Words of C++.
                self.put(if matches!(word, "and" | "or" | "xor") { "_" } else { "" });
                self.put(word);
                self.put(" ");
                self.values(types, f, &[*addr, *val])?;
                self.scope(scope);
                self.put(" ");
                self.put(access.ordering.name());
                self.access_attributes(align(access, ty), &inst.attached)?;
                self.put(" : ");
                self.type_of(types, f, *addr)?;
                self.put(", ");
                self.ty(types, ty)
            }
            _ => Ok(()),
        }
    }

    /// Indexes are operands, except those into structs.
    fn address(&mut self, types: &TypeTable, f: &Function, inst: &Inst) -> Result<()> {
        let Op::GetElementPtr { of: ty, base: (_, base), indices, .. } = &inst.op else { return Ok(()) };
        self.put("llvm.getelementptr ");
        self.put(if inst.flags.has(Flags::INBOUNDS) { "inbounds " } else { "" });
        self.value(types, f, *base)?;
        self.put("[");
        let (mut at, mut operands) = (*ty, vec![*base]);
        for (i, &index) in indices.iter().enumerate() {
            self.comma(i);
            match types.get(at).kind {
                Kind::Struct { start, len, .. } if i > 0 => {
                    let n = member_number(f, index)?;
                    self.number(n);
                    let members = types.members(start, len);
                    let member = usize::try_from(n).ok().and_then(|n| members.get(n));
                    at = member.ok_or_else(|| Refusal::new("an index is outside of the struct"))?.ty;
                    continue;
                }
                Kind::Array { element, .. } if i > 0 => at = element,
                Kind::Vector { lane, .. } if i > 0 => at = lane,
                _ => {}
            }
            self.value(types, f, index)?;
            operands.push(index);
        }
        self.put("] : ");
        self.functional(types, f, &operands, inst.ty)?;
        self.put(", ");
        self.ty(types, *ty)
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
                self.put("llvm.resume ");
                self.value(types, f, *val)?;
                self.put(" : ");
                self.type_of(types, f, *val)?;
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
