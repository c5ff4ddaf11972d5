//! Calls of functions and inline assembly.

use gusset_codegen::ir::{Callee, TailKind};
use gusset_program::{
    Argument, Attribute, AttributeValue, Call, CallEnd, Constant, Flags, Function, Inst, PTR, Result, Target, Val,
};

use super::attributes::{call_flag, is_about_passing, keyword};
use super::forms::Parts;
use super::metadata::weight_array;
use super::pieces::Context;
use super::pieces::Piece::*;
use super::text::quoted;
use super::{Writer, none, none_if};

/// The arguments of a call, which are values.
pub(super) fn values_of(call: &Call) -> Result<Vec<Val>> {
    let value = |argument: &Argument| match argument {
        Argument::Value(val, _) => Ok(*val),
        Argument::Metadata(_) => Err(none("metadata as an argument")),
    };
    call.args.iter().map(value).collect()
}

/// The attributes of an argument.
fn attributes_of(argument: &Argument) -> &[Attribute] {
    match argument {
        Argument::Value(_, attributes) => attributes,
        Argument::Metadata(_) => &[],
    }
}

/// Whether an attribute of the list affects how a value is passed. So does the alignment of a value that is passed by
/// address.
fn says_passing(list: &[Attribute], attribute: &Attribute) -> bool {
    let by_address = || list.iter().any(|a| matches!(a.value, AttributeValue::Type(_)));
    is_about_passing(attribute) || attribute.name == b"align" && by_address()
}

impl Writer<'_> {
    pub(super) fn call(&mut self, c: Context<'_>, inst: &Inst, call: &Call) -> Result<()> {
        if !call.attrs.is_empty() {
            self.check_call(call)?;
        }
        let callee = match &call.target {
            Target::Assembly { template, constraints, words } => {
                return self.assembly(c, call, (template, constraints, words));
            }
            Target::Intrinsic(name) => return self.intrinsic(c, inst, call, name),
            Target::Function(callee) => *callee,
        };
        if let Callee::Symbol(symbol) = callee
            && let Some(name) = self.module.symbols[symbol.index()].name.as_deref()
            && name.starts_with(b"llvm.")
        {
            return self.intrinsic(c, inst, call, name);
        }
        if let Some((tag, _)) = call.bundles.first() {
            let tag = String::from_utf8_lossy(tag);
            return Err(none(&format!("the operand bundle `{}`", tag.escape_debug())));
        }
        let args = values_of(call)?;
        let tail = match call.tail {
            TailKind::Tail => "tail ",
            TailKind::Must => "musttail ",
            _ if inst.flags.has(Flags::NOTAIL) => "notail ",
            _ => "",
        };
        let convention = keyword(&call.convention)?;
        let word = if matches!(call.end, CallEnd::None) { "llvm.call" } else { "llvm.invoke" };
        write!(self, "{word} {convention}{}{tail}", if convention.is_empty() { "" } else { " " });
        let direct = self.is_direct(c.f, callee, call)?;
        let mut ty = None;
        match callee {
            Callee::Symbol(symbol) if direct => write!(self, "{}", self.symbol_name(symbol)),
            Callee::Symbol(symbol) => {
                let number = self.constant(c, PTR, &Constant::Symbol(symbol))?;
                write!(self, "%{number}");
                ty = Some(PTR);
            }
            Callee::Value(v) => {
                self.value(c, Val(v.0))?;
                ty = Some(c.f.value(Val(v.0)).ty);
            }
            _ => return Err(none("this callee")),
        }
        self.pieces(c, &[Text("("), Values(&args), Text(")")])?;
        match call.end {
            CallEnd::None => {}
            CallEnd::Invoke(normal, unwind) => {
                self.pieces(c, &[Text(" to "), Successor(normal), Text(" unwind "), Successor(unwind)])?;
            }
            CallEnd::CallBr(..) => return Err(none("`callbr`")),
        }
        if let Some(named) = call.variadic {
            self.put(" vararg(");
            let params: Vec<_> = args.iter().take(named).map(|&arg| c.f.value(arg).ty).collect();
            self.function_type(c, call.ret, &params, true)?;
            self.put(")");
        }
        self.call_dictionary(c, inst, call)?;
        self.put(" : ");
        if let Some(ty) = ty {
            self.pieces(c, &[Type(ty), Text(", ")])?;
        }
        self.functional(c, &args, call.ret)
    }

    /// Whether it is a function of the call's type.
    fn is_direct(&self, f: &Function, callee: Callee, call: &Call) -> Result<bool> {
        let Callee::Symbol(symbol) = callee else { return Ok(false) };
        self.check_symbol(symbol)?;
        let Some(header) = self.header(symbol) else { return Ok(false) };
        let named = call.variadic.unwrap_or(call.args.len());
        Ok(header.ret == call.ret
            && header.variadic == call.variadic.is_some()
            && header.params.len() == named
            && header.params.iter().zip(&call.args).all(|((ty, _), arg)| match arg {
                Argument::Value(val, _) => f.value(*val).ty == *ty,
                Argument::Metadata(_) => false,
            }))
    }

    /// Checks for attributes of a call that change its meaning and that the function does not have.
    fn check_call(&self, call: &Call) -> Result<()> {
        let callee = match call.target {
            Target::Function(Callee::Symbol(symbol)) => Some(&self.module.symbols[symbol.index()]),
            _ => None,
        };
        let known = |name: &[u8]| {
            callee.is_some_and(|callee| self.module.attributes(&callee.attrs).any(|attribute| attribute.name == name))
        };
        for attribute in self.module.attributes(&call.attrs) {
            let typed = matches!(attribute.value, AttributeValue::Type(_));
            if typed || attribute.name == b"returns_twice" && !known(b"returns_twice") {
                return Err(none(&format!("`{}` of a call", String::from_utf8_lossy(&attribute.name).escape_debug())));
            }
        }
        Ok(())
    }

    fn call_dictionary(&mut self, c: Context<'_>, inst: &Inst, call: &Call) -> Result<()> {
        self.put(" {");
        self.passing(c, call)?;
        self.promises(call);
        let returns = matches!(call.end, CallEnd::None);
        if let Some(weights) = self.branch_weights(&inst.attached, if returns { 1 } else { 2 }) {
            self.entry(&format!("branch_weights = {}", weight_array(&weights)));
        }
        if returns {
            self.fast_math_entry(inst.flags);
            self.memory_metadata(&inst.attached, false);
        }
        self.end_dictionary([" {", "}"]);
        Ok(())
    }

    /// Writes how arguments and the result are passed, as attributes that MLIR knows of calls since version 21; MLIR 19
    /// uses those of the called function.
    fn passing(&mut self, c: Context<'_>, call: &Call) -> Result<()> {
        let lists: Vec<&[Attribute]> = call.args.iter().map(attributes_of).collect();
        for (word, lists) in [("arg_attrs = [", &lists[..]), ("res_attrs = [", &[&call.ret_attrs[..]])] {
            if lists.iter().any(|list| list.iter().any(is_about_passing)) {
                self.entry(word);
                self.list(lists, |w, list| w.passing_dictionary(c, list))?;
                self.put("]");
            }
        }
        Ok(())
    }

    /// Writes attributes of a call that later versions have; the others are recorded as left out.
    fn promises(&mut self, call: &Call) {
        let m = self.module;
        for attribute in m.attributes(&call.attrs) {
            match call_flag(&attribute.name) {
                Some(word) if matches!(call.end, CallEnd::None) => self.entry(word),
                _ => self.note_of_call(attribute),
            }
        }
        for list in call.args.iter().map(attributes_of).chain([&call.ret_attrs[..]]) {
            for attribute in list.iter().filter(|attribute| !says_passing(list, attribute)) {
                self.note_of_call(attribute);
            }
        }
    }

    /// Writes those attributes that affect how a value is passed.
    fn passing_dictionary(&mut self, c: Context<'_>, list: &[Attribute]) -> Result<()> {
        self.put("{");
        for attribute in list.iter().filter(|attribute| says_passing(list, attribute)) {
            self.parameter_attribute(c, attribute)?;
        }
        self.put("}");
        Ok(())
    }

    fn assembly(
        &mut self,
        c: Context<'_>,
        call: &Call,
        (template, constraints, words): (&[u8], &[u8], &[&'static str]),
    ) -> Result<()> {
        none_if(!matches!(call.end, CallEnd::None), "inline assembly that ends a block")?;
        none_if(!call.bundles.is_empty(), "operand bundles of inline assembly")?;
        let args = values_of(call)?;
        none_if(words.contains(&"unwind"), "inline assembly that unwinds")?;
        let mut attributes = vec![("asm_string", quoted(template)), ("constraints", quoted(constraints))];
        for (word, name, text) in [
            ("sideeffect", "has_side_effects", "has_side_effects"),
            ("alignstack", "is_align_stack", "is_align_stack"),
            ("inteldialect", "asm_dialect", "intel"),
        ] {
            attributes.extend(words.contains(&word).then(|| (name, text.to_owned())));
        }
        if call.args.iter().any(|arg| !attributes_of(arg).is_empty()) {
            let start = self.out.len();
            self.put("[");
            self.list(&call.args, |w, arg| {
                w.put("{");
                for attribute in attributes_of(arg) {
                    if let (b"elementtype", AttributeValue::Type(ty)) = (&attribute.name[..], &attribute.value) {
                        w.pieces(c, &[Text("elementtype = "), Type(*ty)])?;
                    }
                }
                w.put("}");
                Ok(())
            })?;
            self.put("]");
            attributes.push(("operand_attrs", String::from_utf8_lossy(&self.out.split_off(start)).into_owned()));
        }
        let parts = Parts { attributes: &attributes, ..Parts::new(&args, call.ret) };
        self.form(c, "llvm.inline_asm", &parts, |_| Ok(()))
    }
}
