//! The judge's file: for every signature a caller that calls the stub, and a callee. They only copy between typed
//! variables and the arrays `given` and `seen`; the runtime compares.

use super::rows::Row;
use super::script::Script;
use super::signature::{Call, random_call};
use super::types::{Named, Types};
use gusset_abi::{AbiTarget, CType, Convention, Member};
use gusset_tests::machine::Machine;
use std::fmt::Write;
use std::path::Path;

/// A program of the judge's: its text, the tables, and per signature what messages say of it.
pub struct Program {
    pub text: String,
    pub tables: Vec<u8>,
    pub about: Vec<String>,
    /// Where each argument begins in what the judge's functions copy.
    pub images: Vec<Vec<usize>>,
}

/// A program of `count` signatures, its tables to be in the file `tables`.
///
/// # Errors
/// The layer has no ABI for signature after signature.
pub fn program(row: &Row, target: &AbiTarget, seed: u64, count: usize, tables: &Path) -> Result<Program, String> {
    let mut types = Types::new(seed, target, row.palette);
    let mut functions = String::new();
    let (mut script, mut thunks, mut about, mut images) = (Script::new(), Vec::new(), Vec::new(), Vec::new());
    let mut refused = 0;
    while about.len() < count {
        let call = match random_call(&mut types, target, row) {
            Ok(call) => call,
            Err(error) if refused > 20 * count + 100 => return Err(format!("no signature is accepted: {error}")),
            Err(_) => {
                refused += 1;
                continue;
            }
        };
        let layout = gusset_abi::DataLayout::new(target);
        if row.differs.iter().chain(row.differs_cxx).any(|differs| differs(&layout, &call)) {
            refused += 1;
            continue;
        }
        let n = about.len();
        let is_plain = row.plain_symbols || call.signature.modifiers.member != Member::None;
        let symbol = |name: String| if is_plain { name } else { call.abi.decoration.apply(&name) };
        thunks.push(symbol(format!("s{n}")));
        let symbols = [format!("{}c{n}", row.machine.prefix), symbol(format!("f{n}"))];
        script.call(n, &call.abi, &call.values, &call.result, symbols);
        about.push(format!("{}\n    {}", declarator(row, &call, &format!("f{n}")), call.abi));
        let offsets = offsets(&call);
        write_call(&mut functions, row, n, &call, &offsets);
        images.push(offsets);
    }
    for check in &types.checks {
        script.layout(about.len(), &check.image, &check.mask, format!("{}{}", row.machine.prefix, check.name));
        about.push(format!("bit-fields in {}", check.name));
    }
    let lines = assembly(row.machine, &script, &thunks, tables);
    let mut text = format!("{PRELUDE}{}{functions}", types.declarations);
    for line in lines {
        let _ = writeln!(text, "__asm__(\"{}\");", line.replace('\\', "\\\\").replace('"', "\\\""));
    }
    Ok(Program { text, tables: script.finish(), about, images })
}

const PRELUDE: &str = r#"
typedef unsigned char byte;
#define copy __builtin_memcpy
#ifdef __cplusplus
#define EXTERN extern "C"
#define CHECK static_assert
#else
#define EXTERN
#define CHECK _Static_assert
#endif
#ifdef __cplusplus
extern "C" {
#endif
extern byte given[], seen[];
#ifdef __cplusplus
}
#endif
"#;

/// What a program has beside its functions: a way into the stub for each callee the judge calls, the tables and the
/// addresses of its functions.
pub fn assembly(machine: &Machine, script: &Script, thunks: &[String], tables: &Path) -> Vec<String> {
    let mut lines = vec![".text".to_string()];
    for name in thunks {
        lines.push(format!(".globl \"{name}\""));
        machine.function_directives.iter().for_each(|d| lines.push(d.replace('#', name)));
        lines.push(format!("\"{name}\": {} stub", machine.jump));
    }
    let prefix = machine.prefix;
    let word = if machine.pointer_bytes == 8 { ".quad" } else { ".long" };
    lines.push(".data".into());
    lines.push(".p2align 4".into());
    lines.push(format!(".globl {prefix}tables, {prefix}functions"));
    lines.push(format!("{prefix}tables: .incbin \"{}\"", tables.display()));
    lines.push(".p2align 4".into());
    lines.push(format!("{prefix}functions:"));
    script.functions.iter().for_each(|name| lines.push(format!("{word} \"{name}\"")));
    lines.push(".text".into());
    lines
}

/// The declaration of the function with `name`.
fn declarator(row: &Row, call: &Call, name: &str) -> String {
    let first = usize::from(call.signature.modifiers.member != Member::None);
    let mut text = format!("{}{} {name}(", row.attribute, call.ret.name);
    for (i, named) in call.types.iter().enumerate().take(call.signature.named()).skip(first) {
        let _ = write!(text, "{}{} a{i}", if i > first { ", " } else { "" }, named.name);
    }
    text.push_str(match (call.signature.variadic, call.signature.named() - first) {
        (Some(_), 0) => "...)",
        (Some(_), _) => ", ...)",
        (None, 0) if !row.palette.cxx => "void)",
        _ => ")",
    });
    text
}

fn offsets(call: &Call) -> Vec<usize> {
    let mut at = 0;
    let mut offsets = Vec::new();
    for value in &call.values {
        offsets.push(at);
        at += value.image.len();
    }
    offsets
}

fn write_call(out: &mut String, row: &Row, n: usize, call: &Call, offsets: &[usize]) {
    let is_member = call.signature.modifiers.member != Member::None;
    let result_at: usize = call.values.iter().map(|v| v.image.len()).sum();
    // LLVM decorates vectorcall's symbols, given ones too, unless they begin so, as clang has them where C symbols have a prefix.
    let is_vectorcall = call.signature.convention == Convention::Vectorcall;
    let verbatim = if is_vectorcall && row.machine.prefix.is_empty() { "\\001" } else { "" };
    // The judge calls, the stub notes what it finds.
    if is_member {
        let _ = writeln!(out, "struct S{n} {{ {} __asm__(\"{verbatim}s{n}\"); }};", declarator(row, call, "m"));
    } else {
        let _ = writeln!(out, "EXTERN {};", declarator(row, call, &format!("s{n}")));
    }
    let _ = writeln!(out, "EXTERN void c{n}(void) {{");
    for (i, named) in call.types.iter().enumerate() {
        let at = offsets[i];
        let _ = writeln!(out, "    {} copy(&b{i}, given + {at}, sizeof b{i});", variable(row, named, &format!("b{i}")));
    }
    let first = usize::from(is_member);
    let list: Vec<String> = (first..call.types.len()).map(|i| format!("b{i}")).collect();
    let list = list.join(", ");
    let called = if is_member { format!("((S{n} *)b0)->m({list})") } else { format!("s{n}({list})") };
    if call.ret.ty == CType::Void {
        let _ = writeln!(out, "    {called};\n}}");
    } else {
        // Widening shows whether the compiler relies on more than the layer promises.
        let ty = if is_widened(&call.ret.ty) { "long long" } else { &call.ret.name };
        let _ = writeln!(out, "    {ty} r = {called}; copy(seen + {result_at}, &r, sizeof r);\n}}");
    }
    // The stub calls, the judge's function copies what it gets.
    if is_member {
        let _ = writeln!(out, "struct F{n} {{ {} __asm__(\"{verbatim}f{n}\"); }};", declarator(row, call, "m"));
        let _ = writeln!(out, "{} {{", declarator(row, call, &format!("F{n}::m")));
        let _ = writeln!(out, "    F{n} *a0 = this;");
    } else {
        let _ = writeln!(out, "EXTERN {} {{", declarator(row, call, &format!("f{n}")));
    }
    let named_count = call.signature.named();
    let va = row.variadic.as_ref();
    if let (Some(_), Some(va)) = (call.signature.variadic, va) {
        let last = named_count - 1;
        let _ = writeln!(out, "    {} ap; {}(ap, a{last});", va.list, va.start);
    }
    for (i, named) in call.types.iter().enumerate() {
        let (name, at) = (&named.name, offsets[i]);
        if i >= named_count {
            let _ = writeln!(out, "    {name} a{i} = __builtin_va_arg(ap, {name});");
        }
        if is_widened(&named.ty) {
            let _ = writeln!(out, "    long long w{i} = a{i}; copy(seen + {at}, &w{i}, 8);");
        } else {
            let _ = writeln!(out, "    copy(seen + {at}, &a{i}, sizeof a{i});");
        }
    }
    if call.ret.ty == CType::Void {
        out.push_str("}\n");
    } else {
        let _ = writeln!(
            out,
            "    {} copy(&r, given + {result_at}, sizeof r); return r;\n}}",
            variable(row, &call.ret, "r")
        );
    }
}

/// A variable of the type, not yet initialized.
fn variable(row: &Row, named: &Named, variable: &str) -> String {
    let name = &named.name;
    if row.palette.cxx && matches!(named.ty, CType::Record(_)) {
        format!(
            "union U{variable} {{ {name} v; U{variable}() {{}} ~U{variable}() {{}} }} u{variable}; {name} &{variable} = u{variable}.v;"
        )
    } else {
        format!("{name} {variable};")
    }
}

/// Whether the type's image is widened to eight bytes.
fn is_widened(ty: &CType) -> bool {
    match ty {
        CType::Scalar(gusset_abi::Scalar::Bool) => true,
        CType::Scalar(gusset_abi::Scalar::Int { bits, .. }) => *bits <= 64,
        CType::BitInt { bits, .. } => *bits <= 64,
        _ => false,
    }
}
