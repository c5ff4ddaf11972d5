//! The C header of a module's functions that C can call.

use super::allocation::{Allocation, Allocator};
use super::convert::TypeConverter;
use super::spelling::{Speller, is_identifier, under};
use super::types::{BuiltinType, FunctionType};
use super::wrapper::{Source, wrapper_name};
use crate::error::AbiError;
use crate::to_llvm::to_llvm;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};

/// A function of a header. An example is at [`memref`](crate::memref).
#[derive(Clone, Copy, Debug)]
pub struct HeaderFunction<'a> {
    /// Its name in MLIR, without `@`.
    pub name: &'a str,
    /// Its type.
    pub ty: &'a FunctionType,
    /// The names of its arguments without `%`, as far as there are any; others are `arg0` and so on.
    pub arg_names: &'a [&'a str],
    /// Does the module define it? Otherwise C has to define its `_mlir_ciface_` function.
    pub defined: bool,
}

/// The C header of a module's `_mlir_ciface_` functions, to be displayed: descriptors as structs by rank and type, then
/// the functions. GCC and clang accept it as C and as C++.
///
/// A function that C cannot call is there as a comment that says why. A declaration that needs a type which not every
/// compiler has is conditional.
///
/// An example is at [`memref`](crate::memref).
#[derive(Clone, Copy, Debug)]
pub struct Header<'a> {
    /// The target with the width of `index`.
    pub converter: TypeConverter,
    /// Where the module's memory comes from.
    pub allocation: Allocation,
    /// Do the wrappers take complex numbers and vectors as C passes them? Otherwise as upstream does, which C cannot
    /// always call.
    pub c_values: bool,
    /// The functions that have wrappers, in order.
    pub functions: &'a [HeaderFunction<'a>],
}

impl fmt::Display for Header<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut speller = Speller::new(self.converter);
        let mut functions = String::new();
        for function in self.functions {
            functions.push('\n');
            functions.push_str(&self.function(&mut speller, function));
        }
        f.write_str("#pragma once\n\n")?;
        self.write_comment(f)?;
        f.write_str("\n#include <stdarg.h>\n#include <stdbool.h>\n#include <stdint.h>\n")?;
        if functions.contains("MLIR_SYMBOL(") {
            f.write_str(SYMBOL_MACRO)?;
        }
        f.write_str("\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n")?;
        f.write_str(&speller.definitions())?;
        f.write_str(&functions)?;
        if self.functions.is_empty() {
            f.write_str("\n/* No function of the module has a wrapper. */\n")?;
        }
        f.write_str("\n#ifdef __cplusplus\n}\n#endif\n")
    }
}

/// Names that are not valid in C are given to the assembler.
const SYMBOL_MACRO: &str = "\n#define MLIR_STRING_(x) #x\n#define MLIR_STRING(x) MLIR_STRING_(x)\n\
                            #define MLIR_SYMBOL(name) __asm__(MLIR_STRING(__USER_LABEL_PREFIX__) name)\n";

/// Words that cannot be names of parameters in C or C++. `bool` and the like are macros or types of the headers.
const KEYWORDS: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "compl",
    "concept",
    "const",
    "constexpr",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "linux",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "nullptr",
    "operator",
    "or",
    "private",
    "protected",
    "public",
    "register",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "template",
    "this",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "union",
    "unix",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "while",
    "xor",
];

/// A unique name for a parameter, as close to `wanted` as C allows.
fn parameter_name(wanted: Option<&str>, index: u32, taken: &[(String, String)]) -> String {
    let wanted = wanted.filter(|name| is_identifier(name) && !name.starts_with(|c: char| c.is_ascii_digit()));
    let mut name = wanted.map_or_else(|| format!("arg{index}"), String::from);
    // Names that begin with an underscore, and `int32_t` and the like, belong to others.
    if name.starts_with('_') || name.ends_with("_t") || KEYWORDS.contains(&name.as_str()) {
        name = format!("arg_{}", name.trim_start_matches('_'));
    }
    while taken.iter().any(|(_, other)| *other == name) {
        name.push('_');
    }
    name
}

/// Text that neither ends nor begins a comment.
fn in_comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").replace('\n', " ")
}

impl Header<'_> {
    fn write_comment(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let free = self.allocation.name(Allocator::Free);
        write!(
            f,
            "/*\n * The functions of an MLIR module as C calls them.\n *\n \
             * A memref is passed by the address of its descriptor. Element (i, j) of a matrix m is\n \
             *   m.aligned[m.offset + i * m.strides[0] + j * m.strides[1]]\n \
             * with sizes and strides in elements. `allocated` is for {free} alone.\n \
             * Of an unranked memref, `descriptor` points to the descriptor of that rank.\n *\n \
             * Who frees what:\n \
             * - Descriptors of arguments are the caller's; they are only read, and not after the function's return.\n \
             * - Buffers belong to whom the program says: no wrapper allocates or frees one. What a function has allocated\n \
             *   and given back is freed by {free}(result->allocated), once, though several results may share it, and\n \
             *   it may be an argument's.\n \
             * - The descriptor of an unranked result is a copy of its own from malloc: the caller frees it by free,\n \
             *   beside the buffer. A function that C defines returns such a copy, too: the module frees it.\n */\n"
        )
    }

    /// Writes a function with its comment, or a comment alone if C cannot call it.
    fn function(&self, speller: &mut Speller, function: &HeaderFunction<'_>) -> String {
        let visibility = if function.defined { "" } else { "private " };
        let what = in_comment(&format!("func.func {visibility}@{}{}", function.name, function.ty));
        let possible = if self.c_values {
            self.converter.c_interface(function.ty).and_then(|c| to_llvm(self.converter.target(), &c)).map(drop)
        } else {
            self.converter.wrapper_in_c(function.ty)
        };
        match possible.and_then(|()| self.prototype(speller, function)) {
            Ok(prototype) => {
                let conditions = speller.take_conditions();
                let to_define = if function.defined { "" } else { "\n * To be defined in C." };
                let notes = self.notes(function);
                under(&conditions, &format!("{}/* {what}{to_define}{notes} */\n{prototype}\n", prototype.before))
            }
            Err(error) => {
                speller.take_conditions();
                let reason = in_comment(&format!("{error}"));
                format!("/* {what}\n * C cannot call its wrapper: {reason}. */\n")
            }
        }
    }

    /// Who frees which memory of this function, as lines of its comment.
    fn notes(&self, function: &HeaderFunction<'_>) -> String {
        let mut notes = String::new();
        let several = function.ty.results.len() > 1;
        for (index, _) in
            function.ty.results.iter().enumerate().filter(|(_, ty)| matches!(ty, BuiltinType::Unranked(_)))
        {
            let field = if several { format!("result->result{index}") } else { "result->".into() };
            let field = if several { format!("{field}.descriptor") } else { format!("{field}descriptor") };
            let who =
                if function.defined { "is from malloc: free it." } else { "must be from malloc: the module frees it." };
            let _ = write!(notes, "\n * {field} {who}");
        }
        notes
    }

    /// The definitions needed before the function, and its declaration.
    fn prototype(&self, speller: &mut Speller, function: &HeaderFunction<'_>) -> Result<CPrototype, AbiError> {
        let wrapper = self.converter.wrapper(function.ty)?;
        let symbol = wrapper_name(function.name);
        let name = speller.unique(&symbol);
        let mut before = String::new();
        let result = match &function.ty.results[..] {
            [] => "void".into(),
            [one] => speller.value(one)?,
            several => {
                let mut members = String::new();
                for (index, ty) in several.iter().enumerate() {
                    let _ = writeln!(members, "  {};", declaration(&speller.value(ty)?, &format!("result{index}")));
                }
                let name = speller.unique(&format!("{}_result", function.name));
                before = format!("typedef struct {{\n{members}}} {name};\n");
                name
            }
        };
        let mut params: Vec<(String, String)> = Vec::new();
        for param in &wrapper.params {
            let named = |arg: u32| parameter_name(function.arg_names.get(arg as usize).copied(), arg, &params);
            params.push(match param.source {
                Source::Result => (format!("{result} *"), "result".into()),
                Source::Argument(arg) => (speller.value(&function.ty.args[arg as usize])?, named(arg)),
                Source::Descriptor(arg) => {
                    (format!("{} *", speller.value(&function.ty.args[arg as usize])?), named(arg))
                }
                Source::VaList => ("va_list".into(), parameter_name(Some("more"), 0, &params)),
            });
        }
        let result = if wrapper.stored.is_some() { "void".into() } else { result };
        Ok(CPrototype { before, result, name, symbol, params })
    }

    /// The declaration of a function's wrapper.
    ///
    /// # Errors
    /// A type that C does not have ([`TypeConverter::c_type`]).
    pub fn prototype_of(&self, function: &HeaderFunction<'_>) -> Result<CPrototype, AbiError> {
        self.prototype(&mut Speller::new(self.converter), function)
    }
}

/// A wrapper as C declares it. Its `Display` form is the declaration with its semicolon. An example is at [`memref`](crate::memref).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CPrototype {
    /// The definition of the result's struct, if the function has its own.
    before: String,
    /// The type that it returns.
    pub result: String,
    /// Its name in C.
    pub name: String,
    /// Its symbol: the name, if that is valid in C.
    pub symbol: String,
    /// Types and names of the parameters, in order.
    pub params: Vec<(String, String)>,
}

impl fmt::Display for CPrototype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let params: Vec<String> = self.params.iter().map(|(ty, name)| declaration(ty, name)).collect();
        let params = if params.is_empty() { "void".into() } else { params.join(", ") };
        write!(f, "{}({params})", declaration(&self.result, &self.name))?;
        if self.name != self.symbol {
            write!(f, " MLIR_SYMBOL({})", string(&self.symbol))?;
        }
        f.write_str(";")
    }
}

/// `type name`, without a space after an asterisk.
fn declaration(ty: &str, name: &str) -> String {
    let space = if ty.ends_with('*') { "" } else { " " };
    format!("{ty}{space}{name}")
}

/// A string literal of C.
fn string(text: &str) -> String {
    let mut literal = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | ..0x20 | 0x7f.. => {
                let _ = write!(literal, "\\{byte:03o}");
            }
            _ => literal.push(byte.into()),
        }
    }
    literal.push('"');
    literal
}
