//! Calls with LLVM signatures that no C compiler makes: first-class aggregates, odd integers, vectors of any shape, on
//! both sides by Gusset and by llc, which are mixed. Variadic callees fetch what is unnamed by the instruction `va_arg`;
//! llc has that for few types, so that those callees are Gusset's alone. On x86-64 Windows' conventions, in 32-bit mode other conventions than C's and `inreg`, too, and
//! on AArch64 those that LLVM has there.
//!
//! `GUSSET_LLVM_SIGNATURES` sets the number of signatures, `GUSSET_LLVM_SEED` the first seed.

use super::layer::llvm_types::{
    self, Make, Value, alignments, attributes, is_by_value, llc_differs, llc_differs_on_arm,
};
use fastrand::Rng;
use gusset_abi::{
    AbiError, AbiFeatures, AbiTarget, ArgAbi, Convention, DataLayout, LlvmScalar, LlvmType, Param, PassMode, Role,
    Signature, classify, va_arg,
};
use gusset_tests::build::{Mode, compile_in};
use gusset_tests::{parallel, tools};
use std::fmt::Write;
use std::path::Path;

/// Signatures per program.
const PER_PROGRAM: usize = 100;

const DRIVER: &str = r#"
#include <stdio.h>
typedef unsigned char byte;
static int failures;
static void compare(const char *what, const byte *a, const byte *b, const byte *mask, int size) {
    for (int i = 0; i < size; i++)
        if ((a[i] ^ b[i]) & mask[i]) {
            if (failures++ < 20) printf("%s\n", what);
            return;
        }
}
"#;

/// Conventions of functions without unnamed arguments.
fn conventions(mode: Mode) -> &'static [(Convention, &'static str)] {
    match mode {
        Mode::Bits64 => &[
            (Convention::C, ""),
            (Convention::C, ""),
            (Convention::C, ""),
            (Convention::Win64, "win64cc "),
            (Convention::Vectorcall, "x86_vectorcallcc "),
        ],
        Mode::Bits32 | Mode::X87 => &[
            (Convention::C, ""),
            (Convention::C, ""),
            (Convention::Thiscall, "x86_thiscallcc "),
            (Convention::Stdcall, "x86_stdcallcc "),
            (Convention::Fastcall, "x86_fastcallcc "),
            (Convention::Fast, "fastcc "),
        ],
        Mode::Aarch64 | Mode::Aarch64Be => &[
            (Convention::C, ""),
            (Convention::Fast, "fastcc "),
            (Convention::Tail, "tailcc "),
            (Convention::VectorPcs, "aarch64_vector_pcs "),
            (Convention::PreserveMost, "preserve_mostcc "),
            (Convention::PreserveAll, "preserve_allcc "),
            (Convention::PreserveNone, "preserve_nonecc "),
            (Convention::Swift, "swiftcc "),
            (Convention::SwiftTail, "swifttailcc "),
        ],
        Mode::A32 | Mode::T32 | Mode::A32Be | Mode::T32Be => &[
            (Convention::C, ""),
            (Convention::Fast, "fastcc "),
            (Convention::AapcsBase, "arm_aapcscc "),
            (Convention::AapcsVfp, "arm_aapcs_vfpcc "),
            (Convention::Tail, "tailcc "),
            (Convention::PreserveMost, "preserve_mostcc "),
            (Convention::PreserveAll, "preserve_allcc "),
            (Convention::Swift, "swiftcc "),
            (Convention::SwiftTail, "swifttailcc "),
        ],
        // Where code may use no registers for floating point that are there, llc keeps arrays of `fastcc` together as if it might.
        Mode::Soft => &[(Convention::C, ""), (Convention::Swift, "swiftcc ")],
        Mode::V5 => &[(Convention::C, ""), (Convention::Fast, "fastcc "), (Convention::Swift, "swiftcc ")],
    }
}

/// What i386 has beside the scalars of every target, save what LLVM 19 places otherwise than the releases after it.
const I386_SCALARS: &[(LlvmScalar, &str)] = &[(LlvmScalar::Half, "half"), (LlvmScalar::X86Fp80, "x86_fp80")];

/// The same for AArch64; ARM has the first.
const AARCH64_SCALARS: &[(LlvmScalar, &str)] = &[(LlvmScalar::Half, "half"), (LlvmScalar::Fp128, "fp128")];

struct Call {
    /// The convention as text with a blank after it, if it is not C's.
    convention: &'static str,
    params: Vec<Value>,
    /// If it is variadic, the number of named parameters.
    named: Option<usize>,
    ret: Option<Value>,
}

fn setting(name: &str, default: usize) -> usize {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")),
        Err(_) => default,
    }
}

/// A random signature with values.
fn random_call(make: &mut Make, mode: Mode, target: &AbiTarget) -> Result<Call, AbiError> {
    let ret = if make.rng.u32(0..6) == 0 { None } else { Some(make.value(true)?) };
    let named = if make.rng.bool() { Some(make.rng.usize(0..4)) } else { None };
    let narrow = make.pointer_bits == 32;
    let conventions = conventions(mode);
    let (convention, spelled) = match named {
        None if conventions.len() > 1 => conventions[make.rng.usize(0..conventions.len())],
        _ => conventions[0],
    };
    let in_reg = narrow && make.rng.u32(0..3) == 0;
    let mut params = Vec::new();
    for i in 0..make.rng.usize(0..12).max(named.unwrap_or(0)) {
        let mut value = make.value(false)?;
        if in_reg && matches!(value.spelled.ty, LlvmType::Scalar(LlvmScalar::Int(..=64) | LlvmScalar::Ptr)) {
            value.attrs.in_reg = value.attrs.role == Role::Value && make.rng.bool();
        }
        // What stands after a `byval` pointer is no value that `va_arg` knows, nor are arrays that do not travel as they are in
        // memory, nor vectors of lanes that are no machine's.
        let has_va_arg = || {
            !llvm_types::has_odd_lanes(&value.spelled.ty)
                && va_arg(target, Convention::C, &value.spelled.ty.clone().into()).is_ok()
        };
        if named.is_none_or(|n| i < n) || value.attrs.role == Role::Value && has_va_arg() {
            params.push(value);
        }
    }
    let named = named.map(|n| n.min(params.len()));
    let param = |v: &Value| Param::llvm(v.spelled.ty.clone(), v.attrs);
    let result = ret.as_ref().map_or_else(|| Param::from(LlvmType::Void), param);
    let mut signature = Signature::c(result);
    signature.convention = convention;
    for (i, v) in params.iter().enumerate() {
        if named == Some(i) {
            signature = signature.ellipsis();
        }
        signature = signature.param(param(v));
    }
    if named == Some(params.len()) {
        signature = signature.ellipsis();
    }
    let abi = classify(target, &signature)?;
    // llc's callers take back what they have aligned, its callees pop what there is.
    let aligned = |arg: &ArgAbi| match &arg.mode {
        PassMode::StackCopy { align, .. } => *align > 4,
        mode => mode.pieces().iter().any(|p| p.reg().is_none() && p.size >= 16),
    };
    // On x86: LLVM 19 aligns no integer of several words on the stack of i386, and see there for 64 bits.
    let is_fp128 = |v: &Value| v.spelled.text.contains("fp128");
    // On Windows, LLVM 21 passes it as GCC does.
    let windows = mode == Mode::Bits64 && convention != Convention::C;
    let differs = match mode {
        _ if windows && params.iter().chain(&ret).any(is_fp128) => true,
        Mode::Bits64 | Mode::Bits32 | Mode::X87 => abi.args.iter().any(|arg| llc_differs(&arg.mode)),
        Mode::Aarch64 | Mode::Aarch64Be => false,
        Mode::A32 | Mode::T32 | Mode::A32Be | Mode::T32Be | Mode::Soft | Mode::V5 => {
            llc_differs_on_arm(&signature, &abi)
        }
    };
    let pops = abi.callee_pop_bytes > 0 && convention != Convention::C && abi.args.iter().any(aligned);
    if pops || differs {
        return random_call(make, mode, target);
    }
    Ok(Call { convention: spelled, params, named, ret })
}

/// How parameters are spelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// Types alone, as calls of variadic functions have them.
    Type,
    /// With attributes.
    Declaration,
    /// With names, too.
    Definition,
}

impl Call {
    fn types(&self) -> Vec<&str> {
        self.params.iter().map(|v| if is_by_value(v) { "ptr" } else { v.spelled.text.as_str() }).collect()
    }

    /// The parameters in parentheses.
    fn parameters(&self, form: Form) -> String {
        let named = self.named.unwrap_or(self.params.len());
        let each = self.types().into_iter().zip(&self.params).take(named).enumerate().map(|(i, (ty, v))| match form {
            Form::Type => ty.to_string(),
            Form::Declaration => format!("{ty}{}", attributes(v)),
            Form::Definition => format!("{ty}{} %x{i}", attributes(v)),
        });
        each.chain(self.named.map(|_| "...".into())).collect::<Vec<_>>().join(", ")
    }

    fn result(&self) -> (String, &str) {
        self.ret.as_ref().map_or((String::new(), "void"), |v| (attributes(v), &v.spelled.text))
    }

    fn names(&self, n: usize) -> Vec<(String, &Value)> {
        let params = self.params.iter().enumerate().map(|(i, v)| (format!("{n}_{i}"), v));
        params.chain(self.ret.iter().map(|v| (format!("{n}_r"), v))).collect()
    }

    fn write_callee(&self, out: &mut String, n: usize) {
        let (attrs, ret) = self.result();
        let _ =
            writeln!(out, "define {}{attrs} {ret} @f{n}({}) {{", self.convention, self.parameters(Form::Definition));
        let named = self.named.unwrap_or(self.params.len());
        if self.named.is_some() {
            let _ = writeln!(out, "  %list = alloca [32 x i8], align 8\n  call void @llvm.va_start.p0(ptr %list)");
        }
        for (i, v) in self.params.iter().enumerate() {
            let text = &v.spelled.text;
            match i < named {
                true if is_by_value(v) => {
                    let _ = writeln!(out, "  %y{i} = load {text}, ptr %x{i}\n  store {text} %y{i}, ptr @a{n}_{i}");
                }
                true => {
                    let _ = writeln!(out, "  store {text} %x{i}, ptr @a{n}_{i}");
                }
                false => {
                    let _ = writeln!(out, "  %y{i} = va_arg ptr %list, {text}\n  store {text} %y{i}, ptr @a{n}_{i}");
                }
            }
        }
        let _ = match &self.ret {
            None => writeln!(out, "  ret void\n}}"),
            Some(_) => writeln!(out, "  %r = load {ret}, ptr @v{n}_r\n  ret {ret} %r\n}}"),
        };
    }

    fn write_caller(&self, out: &mut String, n: usize) {
        let _ = writeln!(out, "define void @c{n}() {{");
        let mut arguments = Vec::new();
        // Some calls leave it to the declaration to say how named arguments are passed.
        let (says, named) = (!n.is_multiple_of(3), self.named.unwrap_or(self.params.len()));
        let said = |i: usize, v: &Value| if says || i >= named { attributes(v) } else { alignments(v) };
        for (i, (ty, v)) in self.types().into_iter().zip(&self.params).enumerate() {
            if is_by_value(v) {
                arguments.push(format!("{ty}{} @v{n}_{i}", said(i, v)));
            } else {
                let _ = writeln!(out, "  %y{i} = load {ty}, ptr @v{n}_{i}");
                arguments.push(format!("{ty}{} %y{i}", said(i, v)));
            }
        }
        let (attrs, ret) = self.result();
        let attrs = if says { attrs } else { String::new() };
        let set = if self.ret.is_some() { "%r = " } else { "" };
        let kind = if self.named.is_some() { format!(" ({})", self.parameters(Form::Type)) } else { String::new() };
        let _ = writeln!(out, "  {set}call {}{attrs} {ret}{kind} @f{n}({})", self.convention, arguments.join(", "));
        if self.ret.is_some() {
            let _ = writeln!(out, "  store {ret} %r, ptr @a{n}_r");
        }
        let _ = writeln!(out, "  ret void\n}}\n");
    }

    fn write_driver(&self, out: &mut String, n: usize) {
        let array = |bytes: &[u8]| bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
        let mut test = format!("void c{n}(void);\nstatic void test{n}(void) {{\n    c{n}();\n");
        for (name, v) in self.names(n) {
            let size = v.bytes.len().max(1);
            let aligned = "__attribute__((aligned(64)))";
            let _ = writeln!(out, "byte v{name}[{size}] {aligned} = {{{}}};", array(&v.bytes));
            let _ = writeln!(out, "static const byte m{name}[{size}] = {{{}}};", array(&v.mask));
            let _ = writeln!(out, "byte a{name}[{size}] {aligned};");
            let bytes = v.bytes.len();
            let _ = writeln!(test, "    compare(\"{name}: {}\", a{name}, v{name}, m{name}, {bytes});", v.spelled.text);
        }
        out.push_str(&test);
        out.push_str("}\n");
    }
}

/// The three modules (callers, plain callees, variadic callees) and the driver of `count` signatures.
fn program(mode: Mode, target: &AbiTarget, seed: u64, count: usize) -> ([String; 3], String) {
    let narrow = mode.bits() == 32;
    let mut make = Make {
        rng: Rng::with_seed(seed),
        layout: DataLayout::new(target),
        endian: target.endian,
        pointer_bits: if narrow { 32 } else { 64 },
        scalars: match mode {
            Mode::Bits64 => llvm_types::X86_64_SCALARS,
            Mode::Bits32 => I386_SCALARS,
            Mode::X87 => &I386_SCALARS[1..],
            Mode::Aarch64 | Mode::Aarch64Be => AARCH64_SCALARS,
            Mode::A32 | Mode::T32 | Mode::A32Be | Mode::T32Be | Mode::Soft | Mode::V5 => &AARCH64_SCALARS[..1],
        },
        // llc 19 fails at many vectors on the stack of big-endian machines, and takes lanes for others.
        vectors: mode != Mode::X87 && !mode.is_big_endian(),
        converts_half: false,
        lanes: match mode {
            Mode::X87 | Mode::Soft | Mode::V5 => llvm_types::BYTE_LANES,
            _ => llvm_types::ODD_LANES,
        },
    };
    let mut modules = [const { String::new() }; 3].map(|_| format!("target triple = \"{}\"\n", mode.triple()));
    let (mut driver, mut main) = (String::from(DRIVER), String::new());
    for n in 0..count {
        // Every type that is made can be passed, save a rare one that is too wide.
        let call = loop {
            if let Ok(call) = random_call(&mut make, mode, target) {
                break call;
            }
        };
        let callee = 1 + usize::from(call.named.is_some());
        for out in [0, callee] {
            for (name, _) in call.names(n) {
                let _ = writeln!(modules[out], "@a{name} = external global i8\n@v{name} = external global i8");
            }
        }
        let (attrs, ret) = call.result();
        let _ = writeln!(
            modules[0],
            "declare {}{attrs} {ret} @f{n}({})",
            call.convention,
            call.parameters(Form::Declaration)
        );
        call.write_caller(&mut modules[0], n);
        call.write_callee(&mut modules[callee], n);
        call.write_driver(&mut driver, n);
        let _ = writeln!(main, "    test{n}();");
    }
    modules[2].push_str("declare void @llvm.va_start.p0(ptr)\n");
    let _ = write!(driver, "int main(void) {{\n{main}    return failures != 0;\n}}\n");
    (modules, driver)
}

fn by_llc(mode: Mode, ir: &Path, object: &Path, seed: u64) -> Result<(), tools::Failure> {
    let llc = std::env::var("LLC").unwrap_or_else(|_| "llc-19".into());
    // Without optimization, llc 19 crashes at `preserve_nonecc` on AArch64, and `preserve_allcc` on ARM.
    let optimize = if seed.is_multiple_of(2) || mode.emulator().is_some() { "-O1" } else { "-O0" };
    let mut command = tools::limited(120, llc);
    match mode {
        Mode::Bits64 | Mode::Aarch64 | Mode::Aarch64Be | Mode::V5 => {}
        Mode::A32 | Mode::T32 | Mode::A32Be | Mode::T32Be => drop(command.arg("-mattr=+neon")),
        Mode::Soft => drop(command.arg("-mattr=+soft-float")),
        Mode::Bits32 => drop(command.arg("-mattr=+sse2")),
        Mode::X87 => drop(command.arg("-mcpu=i686")),
    }
    command.args([optimize, "-relocation-model=pic", "-filetype=obj", "-o"]).arg(object).arg(ir);
    tools::succeed(&mut command).map(drop)
}

fn check(mode: Mode, seed: u64) -> Result<(), tools::Failure> {
    let folder = tools::work_folder(&format!("abi-llvm/{mode:?}/{seed}"));
    let vector_bytes = if matches!(mode, Mode::X87 | Mode::Soft | Mode::V5) { 0 } else { 16 };
    let target = AbiTarget::from_triple(mode.triple(), AbiFeatures { vector_bytes, ..AbiFeatures::default() });
    let target = target.map_err(|e| tools::Failure::new(e.to_string()))?;
    let (modules, driver) = program(mode, &target, seed, PER_PROGRAM);
    let file = |name: &str| folder.join(name);
    std::fs::write(file("driver.c"), driver)?;
    let gcc = mode.gcc();
    let mut compiler = tools::limited(120, &gcc[0]);
    tools::succeed(
        compiler.args(&gcc[1..]).args(["-w", "-O1", "-c", "-o"]).arg(file("driver.o")).arg(file("driver.c")),
    )?;
    for (name, text) in ["callers", "plain", "variadic"].iter().zip(modules) {
        let ir = file(&format!("{name}.ll"));
        std::fs::write(&ir, text)?;
        compile_in(mode, &ir, &file(&format!("{name}-ours.o")))?;
        if *name != "variadic" {
            by_llc(mode, &ir, &file(&format!("{name}-llc.o")), seed)?;
        }
    }
    for [callers, plain] in [["llc", "ours"], ["ours", "llc"], ["ours", "ours"]] {
        let program = file(&format!("{callers}-calls-{plain}"));
        let objects = [format!("callers-{callers}.o"), format!("plain-{plain}.o"), "variadic-ours.o".into()];
        let objects: Vec<_> = std::iter::once("driver.o".to_string()).chain(objects).map(|name| file(&name)).collect();
        // The modules do not ask for code that runs anywhere, which in 32-bit mode is other code.
        let flags = if mode.bits() == 32 { &["-lm", "-no-pie"][..] } else { &["-lm"] };
        mode.link(&objects, flags, &program)?;
        let outcome = tools::run(&mut mode.runner(60, &program))?;
        if outcome.code != 0 {
            let place = format!("{}: exit code {}", program.display(), outcome.code);
            return Err(tools::Failure::new(format!("{place}\n{}", outcome.text())));
        }
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Lengths of masks. On 32-bit ARM, those of more than 32 begin at an even register.
const MASK_LENGTHS: [u32; 12] = [1, 2, 3, 5, 7, 8, 9, 16, 17, 32, 33, 63];

/// Callees and callers of masks of as many lanes as no register has, and those that one has. C has no such types.
fn mask_modules(mode: Mode) -> [String; 2] {
    let triple = format!("target triple = \"{}\"\n", mode.triple());
    let mut callees = triple.clone();
    let mut callers = triple + "@text = constant [6 x i8] c\"%llx\\0A\\00\"\ndeclare i32 @printf(ptr, ...)\n";
    let mut main = String::new();
    let mut rng = Rng::with_seed(5);
    for lanes in MASK_LENGTHS {
        let (mask, f) = (format!("<{lanes} x i1>"), format!("@f{lanes}"));
        let _ = write!(
            callees,
            "define {mask} {f}({mask} %a, i32 %n, {mask} %b) {{\n  %x = xor {mask} %a, %b\n  %l = trunc i32 %n to i1\n  \
             %r = insertelement {mask} %x, i1 %l, i32 {}\n  ret {mask} %r\n}}\n",
            lanes / 2
        );
        let _ = writeln!(callers, "declare {mask} {f}({mask}, i32, {mask})");
        let (a, b) = (rng.u64(..) >> (64 - lanes), rng.u64(..) >> (64 - lanes));
        let _ = write!(
            main,
            "  %a{lanes} = bitcast i{lanes} {a} to {mask}\n  %b{lanes} = bitcast i{lanes} {b} to {mask}\n  \
             %r{lanes} = call {mask} {f}({mask} %a{lanes}, i32 {}, {mask} %b{lanes})\n  \
             %i{lanes} = bitcast {mask} %r{lanes} to i{lanes}\n  %z{lanes} = zext i{lanes} %i{lanes} to i64\n  \
             call i32 (ptr, ...) @printf(ptr @text, i64 %z{lanes})\n",
            a & 0xffff
        );
    }
    let _ = write!(callers, "define i32 @main() {{\n{main}  ret i32 0\n}}\n");
    [callees, callers]
}

fn check_masks(mode: Mode) -> Result<(), tools::Failure> {
    let folder = tools::work_folder(&format!("abi-llvm/masks-{mode:?}"));
    let file = |name: &str| folder.join(name);
    for (name, text) in ["callees", "callers"].iter().zip(mask_modules(mode)) {
        let ir = file(&format!("{name}.ll"));
        std::fs::write(&ir, text)?;
        compile_in(mode, &ir, &file(&format!("{name}-ours.o")))?;
        by_llc(mode, &ir, &file(&format!("{name}-llc.o")), 0)?;
    }
    let mut texts = Vec::new();
    for [callees, callers] in [["llc", "llc"], ["ours", "llc"], ["llc", "ours"], ["ours", "ours"]] {
        let program = file(&format!("{callers}-calls-{callees}"));
        let objects = [file(&format!("callees-{callees}.o")), file(&format!("callers-{callers}.o"))];
        mode.link(&objects, &["-no-pie"], &program)?;
        texts.push(tools::succeed(&mut mode.runner(60, &program))?.text());
    }
    assert!(texts[0].lines().count() == MASK_LENGTHS.len() && texts.iter().all(|text| *text == texts[0]), "{texts:?}");
    Ok(())
}

#[test]
fn masks_of_any_length() -> Result<(), tools::Failure> {
    check_masks(Mode::Bits64)?;
    check_masks(Mode::Bits32)?;
    check_masks(Mode::Aarch64)?;
    check_masks(Mode::T32)?;
    check_masks(Mode::Soft)
}

fn check_all(mode: Mode, usual: usize) {
    let programs = setting("GUSSET_LLVM_SIGNATURES", usual).div_ceil(PER_PROGRAM);
    let first = setting("GUSSET_LLVM_SEED", 1) as u64;
    let results = parallel::map(programs, |i| check(mode, first + i as u64));
    let failures: String = results.into_iter().filter_map(|r| r.err().map(|f| format!("{f}\n"))).collect();
    assert!(failures.is_empty(), "Gusset and llc differ:\n{failures}");
}

#[test]
fn llc_agrees() {
    check_all(Mode::Bits64, 2000);
}

#[test]
fn llc_agrees_in_big_endian_code() {
    check_all(Mode::Aarch64Be, 200);
    check_all(Mode::A32Be, 100);
    check_all(Mode::T32Be, 100);
}

#[test]
fn llc_agrees_in_32_bits() {
    check_all(Mode::Bits32, 1000);
}

#[test]
fn llc_agrees_without_sse() {
    check_all(Mode::X87, 400);
}

#[test]
fn llc_agrees_on_aarch64() {
    check_all(Mode::Aarch64, 600);
}

/// A packed result in memory, which llc's callees store by `stm`.
#[test]
fn packed_results_on_arm() -> Result<(), tools::Failure> {
    check(Mode::A32, 7029)
}

#[test]
fn llc_agrees_on_arm() {
    check_all(Mode::A32, 200);
    check_all(Mode::T32, 200);
    check_all(Mode::Soft, 100);
    check_all(Mode::V5, 100);
}
