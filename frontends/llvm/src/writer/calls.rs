//! Calls, and attributes.

use std::io::Write as _;

use gusset_codegen::ir::{Callee, SymbolId, TailKind};
use gusset_program::{
    Argument, Attribute, AttributeValue, Call, CallEnd, Flags, Function, Inst, METADATA, Target, TypeTable, Val,
};

use super::Writer;
use super::instructions::Piece::{Label, Labels, Text, Unwind};

impl Writer<'_> {
    /// Writes an attribute; in a group, numbers follow `=`.
    fn attribute(&mut self, types: &TypeTable, attribute: &Attribute, in_group: bool) {
        let Some(name) = attribute.known_word() else { return };
        match &attribute.value {
            AttributeValue::Key | AttributeValue::String(_) => self.quoted(name),
            _ => self.out.extend_from_slice(name),
        }
        if name.len() != attribute.name.len() {
            return;
        }
        match &attribute.value {
            AttributeValue::Flag | AttributeValue::Key | AttributeValue::Group(_) => {}
            AttributeValue::Number(n) if in_group => {
                let _ = write!(self.out, "={n}");
            }
            AttributeValue::Number(n) if name == b"align" => {
                let _ = write!(self.out, " {n}");
            }
            AttributeValue::Number(n) => {
                let _ = write!(self.out, "({n})");
            }
            AttributeValue::Type(ty) => {
                self.put("(");
                self.ty(types, *ty);
                self.put(")");
            }
            AttributeValue::Words(words) => {
                self.put("(");
                self.out.extend_from_slice(words);
                self.put(")");
            }
            AttributeValue::String(value) => {
                self.put("=");
                self.quoted(value);
            }
        }
    }

    /// Writes attributes of a parameter, argument or result, each between `before` and `after`.
    pub(super) fn attributes(&mut self, types: &TypeTable, attributes: &[Attribute], [front, after]: [&str; 2]) {
        for attribute in attributes.iter().filter(|a| a.known_word().is_some()) {
            self.put(front);
            self.attribute(types, attribute, false);
            self.put(after);
        }
    }

    /// Writes a space and the number of the group of these attributes, if there are any.
    pub(super) fn group(&mut self, types: &TypeTable, attributes: &[Attribute]) {
        let single = match attributes {
            [] => return,
            [Attribute { value: AttributeValue::Group(i), .. }] => Some(*i as usize),
            _ => None,
        };
        if let Some(number) = single.and_then(|i| self.group_numbers[i]) {
            let _ = write!(self.out, " #{number}");
            return;
        }
        let (before, m) = (self.out.len(), self.module);
        for (i, attribute) in m.attributes(attributes).filter(|a| a.known_word().is_some()).enumerate() {
            self.put(if i > 0 { " " } else { "" });
            self.attribute(types, attribute, true);
        }
        let text = self.out.split_off(before);
        if text.is_empty() {
            return;
        }
        let number = match self.groups.get(&text) {
            Some(&known) => known,
            None => {
                self.group_texts.push(text.clone());
                self.groups.insert(text, self.group_texts.len() - 1);
                self.group_texts.len() - 1
            }
        };
        if let Some(i) = single {
            self.group_numbers[i] = Some(number);
        }
        let _ = write!(self.out, " #{number}");
    }

    /// Writes a convention and a space, if there is one.
    pub(super) fn convention(&mut self, convention: &str) {
        if !convention.is_empty() {
            self.put(convention);
            self.put(" ");
        }
    }

    pub(super) fn call(&mut self, types: &TypeTable, f: &Function, inst: &Inst, call: &Call) {
        let word = match (&call.end, call.tail) {
            (CallEnd::Invoke(..), _) => "invoke",
            (CallEnd::CallBr(..), _) => "callbr",
            (_, TailKind::Tail) => "tail call",
            (_, TailKind::Must) => "musttail call",
            _ if inst.flags.has(Flags::NOTAIL) => "notail call",
            _ => "call",
        };
        self.put(word);
        self.flags(inst.flags);
        self.put(" ");
        self.convention(&call.convention);
        self.attributes(types, &call.ret_attrs, ["", " "]);
        if let Target::Function(Callee::Value(v)) = call.target {
            let space = types.address_space(f.value(Val(v.0)).ty);
            if space != 0 {
                let _ = write!(self.out, "addrspace({space}) ");
            }
        }
        self.ty(types, call.ret);
        self.put(" ");
        if let Some(named) = call.variadic {
            let params = call.args.iter().take(named).map(|arg| match arg {
                Argument::Value(val, _) => f.value(*val).ty,
                Argument::Metadata(_) => METADATA,
            });
            self.parameter_types(types, params, true);
            self.put(" ");
        }
        self.callee(types, f, &call.target);
        self.put("(");
        if let (Target::Function(Callee::Symbol(symbol)), 1) = (&call.target, call.args.len())
            && self.is_lifetime(*symbol)
        {
            self.put("i64 -1, ");
        }
        self.arguments(types, f, &call.args);
        if call.forwards {
            self.comma(call.args.len());
            self.put("...");
        }
        self.put(")");
        self.group(types, &call.attrs);
        self.bundles(types, f, call);
        let begin = Text("\n          to ");
        match &call.end {
            CallEnd::None => {}
            CallEnd::Invoke(normal, unwind) => {
                self.pieces((types, f), &[begin, Label(*normal), Unwind(Some(*unwind))]);
            }
            CallEnd::CallBr(normal, labels) => {
                self.pieces((types, f), &[begin, Label(*normal), Text(" ["), Labels(labels), Text("]")]);
            }
        }
    }

    /// Whether it is an intrinsic whose first operand was the size of an object until LLVM 22.
    pub(super) fn is_lifetime(&self, symbol: SymbolId) -> bool {
        let name = &self.module.symbols[symbol.index()].name;
        name.as_ref().is_some_and(|name| name.starts_with(b"llvm.lifetime."))
    }

    fn callee(&mut self, types: &TypeTable, f: &Function, target: &Target) {
        match target {
            Target::Function(Callee::Symbol(symbol)) => self.symbol_name(*symbol),
            Target::Intrinsic(name) => {
                self.put("@");
                self.word(name);
            }
            Target::Function(Callee::Value(v)) => self.value(types, f, Val(v.0)),
            // The code generator's own.
            Target::Function(_) => {}
            Target::Assembly { template, constraints, words } => {
                self.put("asm ");
                for word in words {
                    self.put(word);
                    self.put(" ");
                }
                self.quoted(template);
                self.put(", ");
                self.quoted(constraints);
            }
        }
    }

    pub(super) fn arguments(&mut self, types: &TypeTable, f: &Function, arguments: &[Argument]) {
        for (i, argument) in arguments.iter().enumerate() {
            self.comma(i);
            match argument {
                Argument::Value(val, attributes) => {
                    self.ty(types, f.value(*val).ty);
                    self.attributes(types, attributes, [" ", ""]);
                    self.put(" ");
                    self.value(types, f, *val);
                }
                Argument::Metadata(metadata) => {
                    self.put("metadata ");
                    self.metadata(types, f, metadata);
                }
            }
        }
    }

    fn bundles(&mut self, types: &TypeTable, f: &Function, call: &Call) {
        for (i, (tag, operands)) in call.bundles.iter().enumerate() {
            self.put(if i > 0 { ", " } else { " [ " });
            self.quoted(tag);
            self.put("(");
            self.arguments(types, f, operands);
            self.put(")");
        }
        self.put(if call.bundles.is_empty() { "" } else { " ]" });
    }
}
