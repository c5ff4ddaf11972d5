//! Intrinsics as calls of their symbols, for translations: full names, and what operations with a form of their own
//! become.
//!
//! LLVM LangRef, "Intrinsic Functions": the types that a name says follow it.

use gusset_abi::Convention;
use gusset_program::{
    Argument, Attribute, AttributeValue, BF16, CallSite, CallTarget, F16, F32, F64, F80, F128, Flags, Foreign, I1,
    Kind, METADATA, Metadata, ParamAttrs, Sink, Special, TypeId, TypeTable, VOID, Val,
};
use gusset_text::{Placed, Result};

use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::syntax::attributes::{AttributeKind, AttributeRef, NamedAttribute};
use crate::syntax::op::Op;

/// The types that names contain: `r` the result's, digits those of arguments. Intrinsics that are not listed contain
/// none, or the result's if [`BY_RESULT`] lists them.
const SAID: &[(&str, &str)] = &[
    ("annotation", "r1"),
    ("coro.size", "r"),
    ("coro.align", "r"),
    ("eh.typeid.for", "0"),
    ("experimental.constrained.fptoui", "r0"),
    ("experimental.constrained.fptosi", "r0"),
    ("experimental.constrained.sitofp", "r0"),
    ("experimental.constrained.uitofp", "r0"),
    ("experimental.constrained.fptrunc", "r0"),
    ("experimental.constrained.fpext", "r0"),
    ("experimental.constrained.fcmp", "0"),
    ("experimental.constrained.fcmps", "0"),
    ("experimental.constrained.lrint", "r0"),
    ("experimental.constrained.llrint", "r0"),
    ("experimental.constrained.lround", "r0"),
    ("experimental.constrained.llround", "r0"),
    ("experimental.constrained.powi", "r"),
    ("experimental.vp.strided.load", "r01"),
    ("experimental.vp.strided.store", "012"),
    ("fptosi.sat", "r0"),
    ("fptoui.sat", "r0"),
    ("get.active.lane.mask", "r0"),
    ("invariant.end", "2"),
    ("invariant.start", "1"),
    ("is.constant", "0"),
    ("is.fpclass", "0"),
    ("launder.invariant.group", "r"),
    ("ldexp", "r1"),
    ("lifetime.end", "1"),
    ("lifetime.start", "1"),
    ("llrint", "r0"),
    ("llround", "r0"),
    ("lrint", "r0"),
    ("lround", "r0"),
    ("masked.compressstore", "0"),
    ("masked.expandload", "r"),
    ("masked.gather", "r0"),
    ("masked.load", "r0"),
    ("masked.scatter", "01"),
    ("masked.store", "01"),
    ("matrix.column.major.load", "r1"),
    ("matrix.column.major.store", "02"),
    ("matrix.multiply", "r01"),
    ("memcpy", "012"),
    ("memcpy.inline", "012"),
    ("memmove", "012"),
    ("memset", "02"),
    ("memset.inline", "02"),
    ("objectsize", "r0"),
    ("powi", "r1"),
    ("prefetch", "0"),
    ("ptr.annotation", "01"),
    ("ptrmask", "01"),
    ("sadd.with.overflow", "0"),
    ("smul.with.overflow", "0"),
    ("ssub.with.overflow", "0"),
    ("stackrestore", "0"),
    ("stacksave", "r"),
    ("strip.invariant.group", "r"),
    ("threadlocal.address", "0"),
    ("uadd.with.overflow", "0"),
    ("umul.with.overflow", "0"),
    ("usub.with.overflow", "0"),
    ("va_copy", "0"),
    ("va_end", "0"),
    ("va_start", "0"),
    ("var.annotation", "01"),
    ("vector.deinterleave2", "0"),
    ("vector.extract", "r0"),
    ("vector.insert", "r1"),
    ("vector.reduce.fadd", "1"),
    ("vector.reduce.fmul", "1"),
    ("vp.fpext", "r0"),
    ("vp.fptosi", "r0"),
    ("vp.fptoui", "r0"),
    ("vp.fptrunc", "r0"),
    ("vp.inttoptr", "r0"),
    ("vp.load", "r0"),
    ("vp.ptrtoint", "r0"),
    ("vp.sext", "r0"),
    ("vp.sitofp", "r0"),
    ("vp.store", "01"),
    ("vp.trunc", "r0"),
    ("vp.uitofp", "r0"),
    ("vp.zext", "r0"),
];

/// Intrinsics whose names contain the result's type, by prefix.
const BY_RESULT: &[&str] = &[
    "abs",
    "acos",
    "arithmetic.fence",
    "asin",
    "atan",
    "atan2",
    "bitreverse",
    "bswap",
    "canonicalize",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "ctlz",
    "ctpop",
    "cttz",
    "exp",
    "exp10",
    "exp2",
    "expect",
    "expect.with.probability",
    "experimental.stepvector",
    "fabs",
    "floor",
    "fma",
    "fmuladd",
    "fshl",
    "fshr",
    "log",
    "log10",
    "log2",
    "matrix.transpose",
    "maximum",
    "maximumnum",
    "maxnum",
    "minimum",
    "minimumnum",
    "minnum",
    "nearbyint",
    "pow",
    "rint",
    "round",
    "roundeven",
    "sadd.sat",
    "sin",
    "sinh",
    "smax",
    "smin",
    "sqrt",
    "sshl.sat",
    "ssa.copy",
    "ssub.sat",
    "stepvector",
    "tan",
    "tanh",
    "trunc",
    "uadd.sat",
    "umax",
    "umin",
    "ushl.sat",
    "usub.sat",
    "vector.interleave2",
    "vector.reverse",
    "vector.splice",
    "vscale",
];

/// MLIR's two enumerations for rounding and exceptions have LLVM's words.
const CONSTRAINED: &str = "experimental.constrained.";

impl<'r, E: Sink> Reader<'r, E> {
    /// A type as names of intrinsics contain it.
    fn type_suffix(&self, ty: TypeId) -> Option<String> {
        let types = self.l.types();
        let words = [
            (F16, "f16"),
            (BF16, "bf16"),
            (F32, "f32"),
            (F64, "f64"),
            (F80, "f80"),
            (F128, "f128"),
            (METADATA, "Metadata"),
        ];
        if let Some((_, word)) = words.iter().find(|w| w.0 == ty) {
            return Some(word.to_string());
        }
        let scalable = matches!(types.foreign(ty), Some(Foreign::Scalable { .. }));
        Some(match types.get(ty).kind {
            Kind::Ptr => format!("p{}", types.address_space(ty)),
            Kind::Int => format!("i{}", types.bits(ty)),
            Kind::Vector { lane, len } => {
                format!("{}v{len}{}", if scalable { "nx" } else { "" }, self.type_suffix(lane)?)
            }
            _ => return None,
        })
    }

    /// The full name of an intrinsic, from the name without types. The reader of LLVM's text adds the types to a name
    /// that has none.
    fn whole_name(&self, name: &str, ret: TypeId, args: &[TypeId]) -> String {
        let mut full = format!("llvm.{name}");
        let reduction = name.starts_with("vector.reduce.");
        let by_vector = name.starts_with("vp.reduce.");
        let known = SAID.iter().find(|row| row.0 == name).map(|row| row.1);
        let said = match known {
            Some(said) => said,
            None if BY_RESULT.contains(&name) || name.starts_with("vp.") && !by_vector => "r",
            None if name.starts_with(CONSTRAINED) => "r",
            None if reduction => "0",
            None if by_vector => "1",
            None => "",
        };
        for which in said.bytes() {
            let ty = match which {
                b'r' => Some(ret),
                digit => args.get((digit - b'0') as usize).copied(),
            };
            match ty.and_then(|ty| self.type_suffix(ty)) {
                Some(suffix) => {
                    full.push('.');
                    full.push_str(&suffix);
                }
                None => return format!("llvm.{name}"),
            }
        }
        full
    }

    /// Calls an intrinsic by its name without types, for translations.
    pub fn carried_intrinsic(
        &mut self,
        (name, flags): (&str, Flags),
        ret: TypeId,
        args: &[(TypeId, Val)],
        pos: usize,
    ) -> Result<Val> {
        self.begin_intrinsic(ret, args, None)?;
        self.l.flags(flags);
        self.end_intrinsic(name, ret, args, pos)
    }

    /// Calls the intrinsic of an operation, which may have more: attributes for missing operands, and metadata.
    pub fn noted_intrinsic(
        &mut self,
        name: &str,
        ret: TypeId,
        mut args: Vec<(TypeId, Val)>,
        op: &Op<'r>,
    ) -> Result<Val> {
        if matches!(name, "masked.load" | "masked.gather") && args.len() == 3 {
            args.push((ret, self.l.poison_value(ret).at(self.src, op.pos)?));
        }
        self.begin_intrinsic(ret, &args, self.attr(op, "arg_attrs"))?;
        if name.starts_with(CONSTRAINED) {
            self.constrained_arguments(op)?;
        }
        self.tell_call(op)?;
        self.end_intrinsic(name, ret, &args, op.pos)
    }

    /// `attrs`: the list of the arguments' attributes.
    fn begin_intrinsic(&mut self, ret: TypeId, args: &[(TypeId, Val)], attrs: Option<AttributeRef<'r>>) -> Result<()> {
        self.s.call.begin(Convention::C, ret, ParamAttrs::default());
        let mut attrs = attrs.map(AttributeRef::array).transpose()?;
        for &(ty, v) in args {
            let own = attrs.as_mut().and_then(Iterator::next).transpose()?;
            let mut list = Vec::new();
            if let Some(own) = own.filter(|own| own.kind() == AttributeKind::Dictionary) {
                list = self.slot_attributes(Some(own))?;
            }
            self.pass(ty, ParamAttrs::default(), v, list);
        }
        Ok(())
    }

    fn end_intrinsic(&mut self, name: &str, ret: TypeId, args: &[(TypeId, Val)], pos: usize) -> Result<Val> {
        let types: Vec<TypeId> = args.iter().map(|a| a.0).collect();
        self.check_signature(name, ret, &types, pos)?;
        let full = self.whole_name(name, ret, &types);
        let m = self.m;
        // The module may have declared it.
        let target = match m.lookup(full.as_bytes()) {
            Some(s) => CallTarget::Function(gusset_codegen::ir::Callee::Symbol(s.symbol)),
            None => CallTarget::NamedIntrinsic(full.as_bytes()),
        };
        self.make_call(&CallSite::of(target), pos)
    }

    /// Hands over the attributes of a call.
    pub fn tell_call(&mut self, op: &Op<'r>) -> Result<()> {
        let mut list: Vec<Attribute> = Vec::new();
        for attribute in &op.attrs {
            let said = attribute.value.holds();
            let flag = |word: &[u8]| Attribute { name: word.to_vec(), value: AttributeValue::Flag };
            match attribute.name {
                b"no_unwind" if said => list.push(flag(b"nounwind")),
                b"will_return" if said => list.push(flag(b"willreturn")),
                b"convergent" if said => list.push(flag(b"convergent")),
                b"no_inline" if said => list.push(flag(b"noinline")),
                b"always_inline" if said => list.push(flag(b"alwaysinline")),
                b"inline_hint" if said => list.push(flag(b"inlinehint")),
                b"memory_effects" | b"memory" => list.push(self.memory_attribute(attribute.value)?),
                _ => {}
            }
        }
        if op.text.starts_with(b"llvm.intr.experimental.constrained.") {
            list.push(Attribute { name: b"strictfp".to_vec(), value: AttributeValue::Flag });
        }
        self.s.call.metadata.attrs = list;
        let flags = self.told_flags(op)?;
        self.l.flags(flags);
        Ok(())
    }

    /// Metadata as an argument, or as an operand of a debug record.
    fn expression_operand(&mut self, expression: Option<AttributeRef<'r>>) -> Result<Metadata> {
        match expression {
            Some(value) => self.metadata_node(value, "di_expression"),
            None => Ok(Metadata::Special(Special::new("DIExpression", []))),
        }
    }

    /// Operations with a form of their own: `llvm.intr.dbg.value #variable #expression = %v : T`, `llvm.intr.assume %c
    /// : i1` and the like.
    pub fn carried_note(&mut self, name: &str, op: &mut Op<'r>) -> Result<()> {
        match name {
            "dbg.value" | "dbg.declare" | "dbg.label" => self.debug_operation(name, op),
            "experimental.noalias.scope.decl" => {
                let scope = self.need(op, if op.generic { "scope" } else { "subject" })?;
                let scope = self.metadata_node(scope, "alias_scope")?;
                let list = self.s.metadata.node(false, Metadata::Tuple(vec![scope]));
                self.s.call.begin(Convention::C, VOID, ParamAttrs::default());
                self.s.call.metadata.args.push(Argument::Metadata(list));
                let target = CallTarget::NamedIntrinsic(b"llvm.experimental.noalias.scope.decl");
                self.make_call(&CallSite::of(target), op.pos).map(drop)
            }
            "assume" => {
                if let Some(list) = self.attr(op, "op_bundles").filter(|_| !op.generic) {
                    let some = list.array()?.next().is_some();
                    self.src.refuse_if(some, op.pos, "operand bundles are not supported here")?;
                }
                self.operands_are(op, 1)?;
                let (ty, v) = self.single(op.operands[0], op.pos)?;
                self.src.refuse_if(ty != I1, op.pos, "what is assumed is an `i1`")?;
                self.carried_intrinsic(("assume", Flags::default()), VOID, &[(ty, v)], op.pos).map(drop)
            }
            _ => Err(self.src.error(op.pos, format!("`llvm.intr.{name}` in this form is not translated"))),
        }
    }

    fn debug_operation(&mut self, name: &str, op: &mut Op<'r>) -> Result<()> {
        let (kind, label) = (name.strip_prefix("dbg.").unwrap_or(name), name == "dbg.label");
        let subject = if label { "label" } else { "varInfo" };
        let note = self.need(op, if op.generic { subject } else { "subject" })?;
        let expression = self.attr(op, "locationExpr");
        let place = self.op_location(op.pos, self.here())?;
        // Without a location it has no meaning.
        let Some(place) = place else { return Ok(()) };
        let note = self.metadata_node(note, "")?;
        let mut operands = Vec::new();
        if !label {
            self.operands_are(op, 1)?;
            let (ty, v) = self.whole(op.operands[0])?;
            operands.push(Metadata::Value(ty, v));
        }
        operands.push(note);
        if !label {
            operands.push(self.expression_operand(expression)?);
        }
        operands.push(place);
        self.l.debug_record(kind.as_bytes(), operands);
        Ok(())
    }

    /// Metadata arguments of constrained operations.
    pub fn constrained_arguments(&mut self, op: &Op<'r>) -> Result<()> {
        let words = ["towardzero", "tonearest", "upward", "downward", "tonearestaway"];
        if let Some(value) = self.attr(op, "roundingmode") {
            let word = value.case(&words)?.map(|i| words[i]).ok_or_else(|| value.expected("a mode of rounding"))?;
            let mode = Metadata::String(format!("round.{word}").into_bytes());
            self.s.call.metadata.args.push(Argument::Metadata(mode));
        }
        if let Some(value) = self.attr(op, "fpExceptionBehavior") {
            let words = ["ignore", "maytrap", "strict"];
            let word = value.case(&words)?.map(|i| words[i]).ok_or_else(|| value.expected("what exceptions do"))?;
            let behavior = Metadata::String(format!("fpexcept.{word}").into_bytes());
            self.s.call.metadata.args.push(Argument::Metadata(behavior));
        }
        Ok(())
    }

    /// The words in front of the template of inline assembly.
    pub fn assembly_words(&self, op: &Op<'r>) -> Result<Vec<&'static str>> {
        let mut words: Vec<&'static str> = Vec::new();
        if op.has("has_side_effects") {
            words.push("sideeffect");
        }
        if op.has("is_align_stack") {
            words.push("alignstack");
        }
        if let Some(value) = self.attr(op, "asm_dialect")
            && value.case(&["att", "intel"])? == Some(1)
        {
            words.push("inteldialect");
        }
        Ok(words)
    }

    /// The pointee of operand `k` of inline assembly, if the operand gives it.
    pub fn assembly_operand(&mut self, op: &Op<'r>, k: usize) -> Result<Vec<Attribute>> {
        let Some(all) = self.attr(op, "operand_attrs") else { return Ok(Vec::new()) };
        let Some(own) = all.array()?.nth(k).transpose()? else { return Ok(Vec::new()) };
        let mut list = Vec::new();
        for NamedAttribute { name, value } in own.dictionary()? {
            let ty = match name {
                b"elementtype" | b"llvm.elementtype" => value.resolve(self.t).ty(self.t, self.l.types_mut())?,
                _ => return Err(value.error("this attribute of an operand is not supported")),
            };
            list.push(Attribute { name: b"elementtype".to_vec(), value: AttributeValue::Type(self.t.whole(ty)) });
        }
        Ok(list)
    }
}

/// The flags of `getelementptr`, from the attributes of its operation.
pub(super) fn address_flags(op: &Op) -> Result<Flags> {
    // The generic form has them as bits, of which the first two together are `inbounds`.
    if let Some(value) = op.attr("noWrapFlags") {
        let bits = value.integer()?;
        let all = [(3, Flags::INBOUNDS), (2, Flags::NUSW), (4, Flags::NUW)];
        return Ok(all.iter().filter(|f| bits & f.0 == f.0).fold(Flags::default(), |flags, f| flags.with(f.1)));
    }
    let all =
        [("inbounds", Flags::INBOUNDS), ("inbounds_flag", Flags::INBOUNDS), ("nusw", Flags::NUSW), ("nuw", Flags::NUW)];
    Ok(all.iter().filter(|f| op.has(f.0)).fold(Flags::default(), |flags, f| flags.with(f.1)))
}

/// The address space of a type of pointers.
pub(super) fn space_of(types: &TypeTable, ty: TypeId) -> Option<u8> {
    match TypeTable::space(ty) {
        None if types.carries() && types.get(ty).kind == Kind::Ptr => Some(0),
        space => space,
    }
}
