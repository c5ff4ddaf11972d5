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
use crate::syntax::intrinsics;
use crate::syntax::op::Op;

/// MLIR's two enumerations for rounding and exceptions have LLVM's words.
const CONSTRAINED: &str = "experimental.constrained.";

/// A floating-point type as names of intrinsics contain it.
pub(super) fn float_suffix(ty: TypeId) -> Option<&'static str> {
    let words = [(F16, "f16"), (BF16, "bf16"), (F32, "f32"), (F64, "f64"), (F80, "f80"), (F128, "f128")];
    words.iter().find(|w| w.0 == ty).map(|w| w.1)
}

impl<'r, E: Sink> Reader<'r, E> {
    /// A type as names of intrinsics contain it.
    fn type_suffix(&self, ty: TypeId) -> Option<String> {
        let types = self.l.types();
        if let Some(word) = float_suffix(ty).or_else(|| (ty == METADATA).then_some("Metadata")) {
            return Some(word.to_owned());
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
        for which in intrinsics::suffix_of(name).bytes() {
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
    pub fn preserved_intrinsic(
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
        self.emit_call_attributes(op)?;
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
    pub fn emit_call_attributes(&mut self, op: &Op<'r>) -> Result<()> {
        let mut list: Vec<Attribute> = Vec::new();
        for attribute in &op.attrs {
            let said = attribute.value.holds();
            match attribute.name {
                // Without underscores, these are LLVM's words.
                b"no_unwind" | b"will_return" | b"convergent" | b"no_inline" | b"always_inline" | b"inline_hint"
                    if said =>
                {
                    let name = attribute.name.iter().copied().filter(|&b| b != b'_').collect();
                    list.push(Attribute { name, value: AttributeValue::Flag });
                }
                b"memory_effects" | b"memory" => list.push(self.memory_attribute(attribute.value)?),
                _ => {}
            }
        }
        if op.text.starts_with(b"llvm.intr.experimental.constrained.") {
            list.push(Attribute { name: b"strictfp".to_vec(), value: AttributeValue::Flag });
        }
        self.s.call.metadata.attrs = list;
        let flags = self.preserved_flags(op)?;
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
    pub fn preserved_operation(&mut self, name: &str, op: &mut Op<'r>) -> Result<()> {
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
                let (ty, v) = self.single(self.first_operand(op)?, op.pos)?;
                self.src.refuse_if(ty != I1, op.pos, "what is assumed is an `i1`")?;
                self.preserved_intrinsic(("assume", Flags::default()), VOID, &[(ty, v)], op.pos).map(drop)
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
            let (ty, v) = self.whole(self.first_operand(op)?)?;
            operands.push(Metadata::Value(ty, v));
        }
        operands.push(note);
        if !label {
            operands.push(self.expression_operand(expression)?);
        }
        operands.push(place.metadata());
        self.l.debug_record(kind.as_bytes(), operands);
        Ok(())
    }

    /// Metadata arguments of constrained operations.
    pub fn constrained_arguments(&mut self, op: &Op<'r>) -> Result<()> {
        let modes: &[&str] = &["towardzero", "tonearest", "upward", "downward", "tonearestaway"];
        for (name, prefix, words, what) in [
            ("roundingmode", "round", modes, "a mode of rounding"),
            ("fpExceptionBehavior", "fpexcept", &["ignore", "maytrap", "strict"], "what exceptions do"),
        ] {
            let Some(value) = self.attr(op, name) else { continue };
            let word = value.case(words)?.map(|i| words[i]).ok_or_else(|| value.expected(what))?;
            let text = Metadata::String(format!("{prefix}.{word}").into_bytes());
            self.s.call.metadata.args.push(Argument::Metadata(text));
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
