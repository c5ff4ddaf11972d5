//! Calls of functions and inline assembly.

use gusset_codegen::ir::{Callee, TailKind};
use gusset_program::{
    Argument, Attribute, AttributeValue, Call, CallEnd, Constant, Flags, Function, Inst, PTR, Result, Target,
    TypeTable, Val,
};

use super::attributes::{call_flag, is_about_passing, keyword};
use super::forms::Parts;
use super::text::quoted;
use super::{Writer, none};

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
    pub(super) fn call(&mut self, types: &TypeTable, f: &Function, inst: &Inst, call: &Call) -> Result<()> {
        if !call.attrs.is_empty() {
            self.check_call(call)?;
        }
        let callee = match &call.target {
            Target::Assembly { template, constraints, words } => {
                return self.assembly(types, f, call, (template, constraints, words));
            }
            Target::Intrinsic(name) => return self.intrinsic(types, f, inst, call, name),
            Target::Function(callee) => *callee,
        };
        if let Callee::Symbol(symbol) = callee
            && let Some(name) = self.module.symbols[symbol.index()].name.as_deref()
            && name.starts_with(b"llvm.")
        {
            return self.intrinsic(types, f, inst, call, name);
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
        self.put(if matches!(call.end, CallEnd::None) { "llvm.call " } else { "llvm.invoke " });
        if !convention.is_empty() {
            self.put(convention);
            self.put(" ");
        }
        self.put(tail);
        let direct = self.is_direct(f, callee, call)?;
        match callee {
            Callee::Symbol(symbol) if direct => self.symbol_name(symbol),
            Callee::Symbol(symbol) => {
                let number = self.constant(types, f, PTR, &Constant::Symbol(symbol))?;
                self.put("%");
                self.number(number);
            }
            Callee::Value(v) => self.value(types, f, Val(v.0))?,
            _ => return Err(none("this callee")),
        }
        self.put("(");
        self.values(types, f, &args)?;
        self.put(")");
        match &call.end {
            CallEnd::None => {}
            CallEnd::Invoke(normal, unwind) => {
                self.put(" to ");
                self.successor(types, f, *normal)?;
                self.put(" unwind ");
                self.successor(types, f, *unwind)?;
            }
            CallEnd::CallBr(..) => return Err(none("`callbr`")),
        }
        if let Some(named) = call.variadic {
            self.put(" vararg(");
            let params = args.iter().take(named).map(|&arg| f.value(arg).ty);
            self.function_type(types, call.ret, params, true)?;
            self.put(")");
        }
        self.call_dictionary(types, inst, call)?;
        self.put(" : ");
        if !direct {
            match callee {
                Callee::Value(v) => self.type_of(types, f, Val(v.0))?,
                _ => self.put("!llvm.ptr"),
            }
            self.put(", ");
        }
        self.functional(types, f, &args, call.ret)
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

    fn call_dictionary(&mut self, types: &TypeTable, inst: &Inst, call: &Call) -> Result<()> {
        self.dictionary([" {", "}"], |w, first| {
            w.passing(types, call)?;
            w.promises(call, first);
            let returns = matches!(call.end, CallEnd::None);
            if let Some(weights) = w.branch_weights(&inst.attached, if returns { 1 } else { 2 }) {
                w.separate(first);
                w.put("branch_weights = ");
                w.weight_array(&weights);
            }
            if !returns {
                return Ok(());
            }
            w.fast_math_entry(inst.flags, first);
            w.memory_metadata(&inst.attached, first, false);
            Ok(())
        })
    }

    /// Writes how arguments and the result are passed, as attributes that MLIR knows of calls since version 21; MLIR 19
    /// uses those of the called function.
    fn passing(&mut self, types: &TypeTable, call: &Call) -> Result<()> {
        let first = self.out.len();
        if call.args.iter().any(|arg| attributes_of(arg).iter().any(is_about_passing)) {
            self.put("arg_attrs = [");
            for (i, arg) in call.args.iter().enumerate() {
                self.comma(i);
                self.passing_dictionary(types, attributes_of(arg))?;
            }
            self.put("]");
        }
        if call.ret_attrs.iter().any(is_about_passing) {
            self.separate(first);
            self.put("res_attrs = [");
            self.passing_dictionary(types, &call.ret_attrs)?;
            self.put("]");
        }
        Ok(())
    }

    /// Writes attributes of a call that later versions have; the others are recorded as left out.
    fn promises(&mut self, call: &Call, first: usize) {
        let m = self.module;
        for attribute in m.attributes(&call.attrs) {
            match call_flag(&attribute.name) {
                Some(word) if matches!(call.end, CallEnd::None) => {
                    self.separate(first);
                    self.put(word);
                }
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
    fn passing_dictionary(&mut self, types: &TypeTable, list: &[Attribute]) -> Result<()> {
        self.put("{");
        let first = self.out.len();
        for attribute in list.iter().filter(|attribute| says_passing(list, attribute)) {
            self.separate(first);
            self.parameter_attribute(types, attribute)?;
        }
        self.put("}");
        Ok(())
    }

    /// Writes `, ` unless nothing was written after `first`.
    pub(super) fn separate(&mut self, first: usize) {
        if self.out.len() > first {
            self.put(", ");
        }
    }

    /// Writes the beginning of an entry of a dictionary whose first entry is at `first`.
    pub(super) fn entry(&mut self, first: usize, text: &str) {
        self.separate(first);
        self.put(text);
    }

    /// Writes what ends a dictionary whose first entry is at `first`. If it is empty, what it begins with is removed.
    pub(super) fn end_dictionary(&mut self, begin: &str, first: usize, end: &str) {
        if self.out.len() == first {
            self.out.truncate(first - begin.len());
        } else {
            self.put(end);
        }
    }

    fn assembly(
        &mut self,
        types: &TypeTable,
        f: &Function,
        call: &Call,
        (template, constraints, words): (&[u8], &[u8], &[&'static str]),
    ) -> Result<()> {
        if !matches!(call.end, CallEnd::None) {
            return Err(none("inline assembly that ends a block"));
        }
        if !call.bundles.is_empty() {
            return Err(none("operand bundles of inline assembly"));
        }
        let args = values_of(call)?;
        if words.contains(&"unwind") {
            return Err(none("inline assembly that unwinds"));
        }
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
            for (i, arg) in call.args.iter().enumerate() {
                self.put(if i > 0 { ", {" } else { "[{" });
                for attribute in attributes_of(arg) {
                    if let (b"elementtype", AttributeValue::Type(ty)) = (&attribute.name[..], &attribute.value) {
                        self.put("elementtype = ");
                        self.ty(types, *ty)?;
                    }
                }
                self.put("}");
            }
            self.put("]");
            attributes.push(("operand_attrs", String::from_utf8_lossy(&self.out.split_off(start)).into_owned()));
        }
        let parts = Parts { attributes: &attributes, ..Parts::new(&args, call.ret) };
        self.form((types, f), "llvm.inline_asm", &parts, |_| Ok(()))
    }
}
