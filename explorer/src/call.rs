//! A call as LLVM IR.

use std::fmt::Write;

use gusset_abi::{InAllocaField, IrPart, IrRole, LlvmSignature, LlvmType, Lowered, LoweredResult, to_llvm};

use super::error::Error;
use super::llvm;
use super::view::{Declared, View};

/// A module in LLVM IR with a function `caller` that calls a view's function. The arguments are loaded from variables with
/// their names, and the result is stored to the variable `result`.
///
/// # Errors
/// clang does not lower such a signature, or the arguments are in a block whose type has no C declaration.
pub fn call(view: &View) -> Result<String, Error> {
    let (signature, name) = match &view.declared {
        Declared::Llvm(signature) => (signature.as_ref().clone(), view.name.clone()),
        Declared::C(prototype) => {
            let signature = to_llvm(&view.target, &prototype.signature).map_err(Error::target)?;
            (signature, llvm::name(view, prototype))
        }
    };
    let name = quoted(&name);
    let mut call =
        Call { view, taken: vec![name.clone()], variables: Vec::new(), arguments: Vec::new(), body: String::new() };
    call.variables = (0..view.values.len()).map(|value| call.variable(value)).collect();
    call.arguments = vec![None; signature.params.len()];
    call.prepare(&signature)?;
    Ok(call.module(&signature, &name))
}

/// A name with a sigil, in quotes.
fn quoted(name: &str) -> String {
    let mut out = String::from("@\"");
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' | 0..0x20 | 0x7f.. => out += &format!("\\{byte:02x}"),
            _ => out.push(byte.into()),
        }
    }
    out + "\""
}

/// The text of a call that is being written.
struct Call<'v> {
    view: &'v View,
    /// Names that are in use.
    taken: Vec<String>,
    /// The variable of each value, the result's first.
    variables: Vec<String>,
    /// The operand of each IR parameter.
    arguments: Vec<Option<String>>,
    /// The instructions before the call.
    body: String,
}

impl Call<'_> {
    /// A name for the variable of a value that is not in use.
    fn variable(&mut self, value: usize) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let name: String = self.view.values[value].name.trim_start_matches('#').chars().map(plain).collect();
        let unnamed = name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit());
        let mut name = if unnamed { format!("argument{value}") } else { name };
        while self.taken.contains(&quoted(&name)) {
            name.push('_');
        }
        self.taken.push(quoted(&name));
        quoted(&name)
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.body, "  {text}");
    }

    /// The address of a byte of a variable.
    fn address(&self, value: usize, offset: u64) -> String {
        let variable = &self.variables[value];
        if offset == 0 { variable.clone() } else { format!("getelementptr (i8, ptr {variable}, i64 {offset})") }
    }

    /// Loads a part of a value for an IR parameter.
    fn load(&mut self, param: usize, value: usize, offset: u64, ty: &LlvmType) {
        let address = self.address(value, offset);
        self.line(format_args!("%p{param} = load {ty}, ptr {address}"));
        self.arguments[param] = Some(format!("%p{param}"));
    }

    fn load_parts(&mut self, first: u32, value: usize, parts: &[IrPart]) {
        for (param, part) in (first as usize..).zip(parts) {
            self.load(param, value, part.offset, &part.ty);
        }
    }

    /// Makes the operands.
    fn prepare(&mut self, signature: &LlvmSignature) -> Result<(), Error> {
        let block = signature.params.iter().position(|param| matches!(param.attrs.role, IrRole::InAlloca(_)));
        if let Some(param) = block
            && let IrRole::InAlloca(ty) = &signature.params[param].attrs.role
        {
            if signature.args.is_empty() {
                return Err(Error::Target("a call with an argument block is shown of a C declaration only".into()));
            }
            self.line(format_args!("%block = alloca inalloca {ty}"));
            self.arguments[param] = Some("%block".into());
        }
        match &signature.result {
            LoweredResult::Indirect { param } => self.arguments[*param as usize] = Some(self.variables[0].clone()),
            LoweredResult::InAlloca(field) => self.fill(*field, 0),
            LoweredResult::Ignore | LoweredResult::Direct(_) => {}
        }
        for (lowered, value) in signature.args.iter().zip(1..) {
            match lowered {
                Lowered::Ignore => {}
                Lowered::Direct { first, parts } => self.load_parts(*first, value, parts),
                Lowered::Indirect { param, .. } => {
                    self.arguments[*param as usize] = Some(self.variables[value].clone());
                }
                Lowered::Expand { first, parts, .. } => self.load_parts(*first, value, parts),
                Lowered::InAlloca(field) => self.fill(*field, value),
            }
        }
        if signature.args.is_empty() {
            // The parameters are the values.
            for (param, value) in (0..signature.params.len()).zip(1..) {
                match signature.params[param].attrs.role {
                    IrRole::Value => self.load(param, value, 0, &signature.params[param].ty),
                    _ => self.arguments[param] = Some(self.variables[value].clone()),
                }
            }
        }
        Ok(())
    }

    /// Puts a value, or its address, into a field of the argument block.
    fn fill(&mut self, field: InAllocaField, value: usize) {
        let InAllocaField { index, offset, indirect } = field;
        self.line(format_args!("%f{index} = getelementptr i8, ptr %block, i32 {offset}"));
        let variable = self.variables[value].clone();
        if indirect || value == 0 {
            self.line(format_args!("store ptr {variable}, ptr %f{index}"));
        } else {
            let size = self.view.values[value].layout.map_or(0, |layout| layout.size);
            self.line(format_args!(
                "call void @llvm.memcpy.p0.p0.i32(ptr %f{index}, ptr {variable}, i32 {size}, i1 false)"
            ));
        }
    }

    fn module(&self, signature: &LlvmSignature, name: &str) -> String {
        let mut out = format!("target triple = \"{}\"\n\n", self.view.triple);
        let whole = signature.ret.ty != LlvmType::Void;
        let used = |variable: &String| {
            self.body.contains(variable.as_str())
                || self.arguments.iter().flatten().any(|argument| argument == variable)
        };
        for (i, variable) in self.variables.iter().enumerate() {
            if used(variable) || i == 0 && whole {
                let _ = writeln!(out, "{variable} = external dso_local global i8");
            }
        }
        let _ = writeln!(out, "\ndefine void @caller() {{\n{}", self.body.trim_end());
        let operands = signature.params.iter().zip(&self.arguments);
        // A parameter that only uses up a register has no value.
        let operands = operands.map(|(param, value)| format!("{param} {}", value.as_deref().unwrap_or("undef")));
        let operands = operands.collect::<Vec<_>>().join(", ");
        let types = |until: usize| -> String {
            let types = signature.params[..until].iter().map(|param| param.ty.to_string());
            types.collect::<Vec<_>>().join(", ")
        };
        let dots = |fixed: usize| if fixed == 0 { "..." } else { ", ..." };
        let function = signature.variadic.map_or(String::new(), |fixed| format!(" ({}{})", types(fixed), dots(fixed)));
        let keyword = signature.keyword.map_or(String::new(), |keyword| format!("{keyword} "));
        let result = if whole { "%result = " } else { "" };
        let ret = &signature.ret.ty;
        let _ = writeln!(out, "  {result}call {keyword}{ret}{function} {name}({operands})");
        if whole && !matches!(signature.result, LoweredResult::InAlloca(_)) {
            let _ = writeln!(out, "  store {ret} %result, ptr {}", self.variables[0]);
        }
        let parameters = signature.params[..signature.variadic.unwrap_or(signature.params.len())].iter();
        let parameters = parameters.map(|param| param.to_string()).collect::<Vec<_>>().join(", ");
        let dots = signature.variadic.map_or("", dots);
        let _ = write!(out, "  ret void\n}}\n\ndeclare {keyword}{ret} {name}({parameters}{dots})\n");
        if self.body.contains("@llvm.memcpy") {
            out += "declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)\n";
        }
        out
    }
}
