//! Random functions, free and methods, as the layer sees them and as C or C++ spells them.

use super::Row;
use super::types::{Named, Types};
use gusset_abi::{AbiTarget, Arch, CType, Convention, Env, FloatKind, Member, Scalar, Signature};
use std::fmt::Write;

/// A function of a program.
pub struct Function {
    /// How its symbol starts.
    pub symbol: String,
    /// Its signature.
    pub signature: Signature,
    /// Its first line.
    pub text: String,
}

/// A call of a variadic function, in a function of its own.
pub struct Call {
    /// The function that calls.
    pub caller: String,
    /// The symbol of the one that is called.
    pub callee: String,
    /// The signature with the unnamed arguments.
    pub signature: Signature,
}

/// A file of definitions.
pub struct Program {
    /// C++ instead of C.
    pub cxx: bool,
    /// The functions.
    pub functions: Vec<Function>,
    /// The calls, in C only: C++ does not pass its classes so.
    pub calls: Vec<Call>,
    /// The file.
    pub text: String,
}

impl Program {
    /// A program of `count` random functions for the target of `row`.
    pub fn new(row: &Row, target: AbiTarget, cxx: bool, seed: u64, count: usize) -> Program {
        let mut types = Types::new(seed, target, cxx);
        let mut text = String::new();
        let (mut functions, mut calls) = (Vec::new(), Vec::new());
        for i in 0..count {
            let function = if cxx && types.rng.u32(0..3) == 0 {
                method(&mut types, row, target, i)
            } else {
                free(&mut types, row, target, i)
            };
            text.push_str(&std::mem::take(&mut types.text));
            let _ = writeln!(text, "{} {{ __builtin_unreachable(); }}", function.text);
            if function.signature.variadic.is_some() && !cxx {
                let (call, definition) = call(&mut types, &function, i);
                text.push_str(&std::mem::take(&mut types.text));
                let _ = writeln!(text, "{definition}");
                calls.push(call);
            }
            functions.push(function);
        }
        Program { cxx, functions, calls, text }
    }
}

fn count(types: &mut Types) -> usize {
    let most = [4, 4, 8, 8, 12, 30][types.rng.usize(0..6)];
    types.rng.usize(0..most + 1)
}

/// Parameters: their types, and the text between the parentheses.
fn params(types: &mut Types, signature: &mut Signature, variadic: bool) -> String {
    let mut spelled = Vec::new();
    if signature.convention == Convention::Thiscall && signature.params.is_empty() {
        signature.params.push(CType::PTR.into());
        spelled.push("char *".into());
    }
    for _ in 0..count(types) {
        let Named { ty, name } = types.value();
        signature.params.push(ty.into());
        spelled.push(name);
    }
    if variadic {
        signature.variadic = Some(signature.params.len());
        spelled.push("...".into());
    }
    spelled.join(", ")
}

fn result(types: &mut Types) -> Named {
    if types.rng.u32(0..6) == 0 {
        return Named { ty: CType::Void, name: "void".into() };
    }
    types.value()
}

/// A convention with its attribute.
fn convention(types: &mut Types, row: &Row, variadic: bool, signature: &mut Signature) -> String {
    let i386 = row.target().arch == Arch::X86;
    match types.rng.u32(0..6) {
        0..2 if !row.conventions.is_empty() => {
            let (name, convention, has_variadic) = row.conventions[types.rng.usize(0..row.conventions.len())];
            if variadic && !has_variadic {
                return String::new();
            }
            signature.convention = convention;
            format!("__attribute__(({name}))")
        }
        2 if i386 => {
            // With `regparm(0)`, vectors of Windows lose their registers: the layer has no word for that.
            let registers = types.rng.u8(1..4);
            signature.modifiers.regparm = registers;
            format!("__attribute__((regparm({registers})))")
        }
        _ => String::new(),
    }
}

fn free(types: &mut Types, row: &Row, _target: AbiTarget, i: usize) -> Function {
    let ret = result(types);
    let variadic = types.rng.u32(0..8) == 0;
    let mut signature = Signature::c(ret.ty);
    let attribute = convention(types, row, variadic, &mut signature);
    let params = params(types, &mut signature, variadic);
    let symbol = format!("f{i}");
    // A label would not keep the decoration of Windows's conventions away, the byte 1 does.
    let text = format!("{attribute} {} NAME({params})", ret.name).replace("NAME", &format!("f{i}_"));
    let _ = writeln!(types.text, "{text} __asm__(\"\\1{symbol}\");");
    Function { symbol, signature, text }
}

fn method(types: &mut Types, row: &Row, target: AbiTarget, i: usize) -> Function {
    let member = [Member::Method, Member::Method, Member::Method, Member::Constructor, Member::Destructor]
        [types.rng.usize(0..5)];
    let variadic = member == Member::Method && types.rng.u32(0..8) == 0;
    let ret = match member {
        Member::Method => result(types),
        _ => Named { ty: CType::Void, name: String::new() },
    };
    let mut signature = Signature::c(ret.ty).param(CType::PTR).member(member);
    // Methods of 32-bit Windows are thiscall unless they say otherwise.
    let mut attribute = String::new();
    if target.arch == Arch::X86 && target.is_windows() && matches!(target.env, Env::Msvc | Env::Gnu) && !variadic {
        signature.convention = Convention::Thiscall;
    }
    if member == Member::Method {
        attribute = match types.rng.u32(0..4) {
            0 if target.arch == Arch::X86 && target.env == Env::Msvc => {
                signature.convention = Convention::C;
                "__attribute__((cdecl))".into()
            }
            1 => {
                let attribute = convention(types, row, variadic, &mut signature);
                if signature.modifiers.regparm > 0 && target.is_windows() {
                    signature.modifiers.regparm = 0;
                    String::new()
                } else {
                    attribute
                }
            }
            _ => String::new(),
        };
    }
    let params = if member == Member::Destructor { String::new() } else { params(types, &mut signature, variadic) };
    let class = format!("K{i}");
    let (name, symbol) = match (member, target.env) {
        (Member::Constructor, Env::Msvc) => (class.clone(), format!("??0{class}@@")),
        (Member::Destructor, Env::Msvc) => (format!("~{class}"), format!("??1{class}@@")),
        (Member::Constructor, _) => (class.clone(), format!("_ZN{}{class}C2E", class.len())),
        (Member::Destructor, _) => (format!("~{class}"), format!("_ZN{}{class}D2E", class.len())),
        _ => ("m".into(), format!("f{i}")),
    };
    let label = if name == "m" { format!(" __asm__(\"\\1{symbol}\")") } else { String::new() };
    let _ = writeln!(types.text, "struct {class} {{ int a; {attribute} {} {name}({params}){label}; }};", ret.name);
    let text = format!("{attribute} {} {class}::{name}({params})", ret.name);
    Function { symbol, signature, text }
}

/// Types that C promotes on the way to `...`.
fn is_promoted(ty: &CType) -> bool {
    match ty {
        CType::Scalar(Scalar::Bool | Scalar::Float(FloatKind::F32 | FloatKind::BF16)) => true,
        CType::Scalar(Scalar::Int { bits, .. }) => *bits < 32,
        _ => false,
    }
}

/// A function that calls a variadic one with unnamed arguments, which it gets as parameters itself.
fn call(types: &mut Types, function: &Function, i: usize) -> (Call, String) {
    let mut signature = function.signature.clone();
    let (_, list) = function.text.split_once(&format!("f{i}_(")).expect("the function's own text");
    let mut spelled: Vec<String> = list.trim_end_matches(')').split(", ").map(String::from).collect();
    spelled.pop();
    for _ in 0..types.rng.usize(0..6) {
        let Named { ty, name } = types.value();
        if !is_promoted(&ty) {
            signature.params.push(ty.into());
            spelled.push(name);
        }
    }
    let params: Vec<String> = spelled.iter().enumerate().map(|(n, name)| format!("{name} p{n}")).collect();
    let args: Vec<String> = (0..spelled.len()).map(|n| format!("p{n}")).collect();
    let definition = format!("void c{i}({}) {{ f{i}_({}); }}", params.join(", "), args.join(", "));
    (Call { caller: format!("c{i}"), callee: function.symbol.clone(), signature }, definition)
}
