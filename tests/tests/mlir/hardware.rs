//! The dialects `x86vector` and `arm_neon`, which come through the interface for foreign dialects: programs by Gusset print what
//! those print that MLIR's passes and llc make, bit by bit.

use std::path::{Path, PathBuf};

use gusset::dialect::{Amendment, Conversion, Dialect, Operation, Refusal, VOID};
use gusset::ir::Opcode;
use gusset::{Source, TranslateOptions, translate_mlir};
use gusset_tests::build::{Mode, Unit, by_clang};
use gusset_tests::mlir::{LOWERING, compile, opt, translate};
use gusset_tests::tools::{Failure, gusset, limited, llc, root, same_lines, succeed, work_folder};

/// The module of a dialect as LLVM IR, by MLIR's passes.
fn lowered(file: &Path, ir: &Path) -> Result<(), Failure> {
    let mlir = ir.with_extension("llvm.mlir");
    let passes = LOWERING.iter().map(|pass| match *pass {
        "--convert-vector-to-llvm" => "--convert-vector-to-llvm=enable-x86vector enable-arm-neon",
        pass => pass,
    });
    let mut command = limited(120, opt());
    command.args(["--llvm-request-c-wrappers", "--arm-neon-2d-to-intr"]).args(passes);
    succeed(command.arg(file).arg("-o").arg(&mlir))?;
    succeed(limited(120, translate()).arg("--mlir-to-llvmir").arg(&mlir).arg("-o").arg(ir)).map(drop)
}

/// What the driver prints of a module's two functions.
fn said(mode: Mode, object: PathBuf, [one, two]: [&str; 2], floats: bool) -> Result<String, Failure> {
    let names = [format!("-DONE=_mlir_ciface_{one}"), format!("-DTWO=_mlir_ciface_{two}")];
    let floats = if floats { "-DFLOATS=1" } else { "-DFLOATS=0" };
    let unit = Unit { source: root().join("tests/programs/mlir/hardware/driver.c"), flags: Vec::new() };
    let options: Vec<&str> = [mode.clang_flags(), &["-O1", floats, &names[0], &names[1]]].concat();
    let (driver, program) = (by_clang(&unit, &options)?, object.with_extension(""));
    mode.link(&[object, driver], &[], &program)?;
    Ok(succeed(&mut mode.runner(60, &program))?.text())
}

/// Whether a module's functions do on all of these machines, the first the judge's, what MLIR and llc say, with features of theirs.
fn agrees(name: &str, modes: &[Mode], attrs: &str, functions: [&str; 2], floats: bool) -> Result<(), Failure> {
    let (folder, file) =
        (work_folder("mlir/hardware"), root().join(format!("tests/programs/mlir/hardware/{name}.mlir")));
    let [ir, judged] = ["ll", "judged.o"].map(|ending| folder.join(format!("{name}.{ending}")));
    lowered(&file, &ir)?;
    by_llc(modes[0], attrs, &ir, &judged)?;
    let expected = said(modes[0], judged, functions, floats)?;
    assert_eq!(expected.lines().count(), 200);
    for &mode in modes {
        let object = folder.join(format!("{name}-{}.o", mode.triple()));
        compile(mode, &file, &object)?;
        same_lines(&expected, &said(mode, object, functions, floats)?).map_err(|f| f.at(mode.triple()))?;
    }
    // Translated, the operations are calls of the machine's intrinsics, as MLIR's passes have them.
    let [ir, object] = ["translated.ll", "translated.o"].map(|ending| folder.join(format!("{name}.{ending}")));
    succeed(limited(60, gusset()?).arg("translate").arg(&file).arg("-o").arg(&ir))?;
    by_llc(modes[0], attrs, &ir, &object)?;
    same_lines(&expected, &said(modes[0], object, functions, floats)?).map_err(|f| f.at("translated"))
}

fn by_llc(mode: Mode, attrs: &str, ir: &Path, object: &Path) -> Result<(), Failure> {
    let mut command = limited(120, llc());
    command.args(["-O0", "-filetype=obj", "-relocation-model=pic", attrs]).arg(format!("-mtriple={}", mode.triple()));
    succeed(command.arg(ir).arg("-o").arg(object)).map(drop)
}

#[test]
fn x86vector_is_what_avx_does() -> Result<(), Failure> {
    if !std::fs::read_to_string("/proc/cpuinfo").is_ok_and(|text| text.contains(" avx ")) {
        eprintln!("this machine has no AVX, which the judge's code needs");
        return Ok(());
    }
    agrees("x86vector", &[Mode::Bits64, Mode::Bits32], "-mattr=+avx", ["rsqrt", "dot"], true)
}

#[test]
fn arm_neon_is_what_llc_makes_of_it() -> Result<(), Failure> {
    agrees("arm_neon", &[Mode::Aarch64], "-mattr=+dotprod,+i8mm", ["smull", "sdot"], false)
}

#[test]
fn what_a_machine_does_not_have_is_said() -> Result<(), Failure> {
    let file = root().join("tests/programs/mlir/hardware/arm_neon.mlir");
    let mut command = limited(60, gusset()?);
    command
        .args(["compile", "--target", Mode::Bits64.triple()])
        .arg(&file)
        .arg("-o")
        .arg(work_folder("mlir/hardware").join("none.o"));
    let failure = succeed(&mut command).err().map(|f| f.to_string()).unwrap_or_default();
    assert!(failure.contains("arm_neon.mlir:7:8") && failure.contains("an operation of AArch64"), "{failure}");
    Ok(())
}

/// A dialect of one's own.
struct Own;

impl Dialect for Own {
    fn name(&self) -> &'static str {
        "own"
    }

    fn operations(&self) -> &'static [Operation] {
        &[Operation { name: "own.clamp", form: "% , % {} : A", rule: "A A -> A" }]
    }

    fn attributes(&self) -> &'static [&'static str] {
        &["own.place", "own.less"]
    }

    fn functions(&self) -> &'static [&'static str] {
        &["own_note"]
    }

    fn convert(&self, op: &mut dyn Conversion) -> gusset::dialect::Result<()> {
        let (a, b) = (op.operand(0)?, op.operand(1)?);
        op.call("own_note", VOID, &[a])?;
        let least = op.intrinsic("smin", a.ty(), &[a, b])?.ok_or_else(|| Refusal::new("no minimum"))?;
        op.give(0, least)
    }

    fn amend(&self, attribute: &str, op: &mut dyn Conversion) -> gusset::dialect::Result<()> {
        let (v, n) = (op.result(0)?, op.integer_attribute(attribute)?.unwrap_or(0));
        let n = op.integer(v.ty(), n.into())?;
        let v = op.binary(Opcode::Isub, v, n)?;
        op.give(0, v)
    }

    fn amend_symbol(&self, _: &str, value: &str, symbol: &mut Amendment) -> gusset::dialect::Result<()> {
        symbol.section = Some(value.trim_matches('"').into());
        symbol.align = Some(128);
        symbol.visibility = Some(gusset::Visibility::Hidden);
        symbol.attributes = vec![("noredzone".into(), String::new()), ("own-key".into(), "a value".into())];
        Ok(())
    }
}

const OWN: &str = "func.func @f(%a: i32, %b: i32) -> i32 attributes {own.place = \".text.own\"} {
  %0 = own.clamp %a, %b : i32
  %1 = arith.muli %0, %b {own.less = 7 : i32} : i32
  return %1 : i32
}
memref.global @g : memref<2xi32> = dense<5> {own.place = \".data.own\"}
";

/// What a dialect builds is written as what upstream's would: calls, attributes, sections.
#[test]
fn dialects_of_ones_own_are_translated() -> Result<(), Failure> {
    let mut options = TranslateOptions::default();
    options.mlir.dialects.add(Own).map_err(|why| Failure::new(why.reason()))?;
    let text = translate_mlir(Source { name: "own.mlir", text: OWN.as_bytes() }, &options);
    let text = text.map_err(|e| Failure::new(e.to_string()))?.text;
    let ir = work_folder("mlir/hardware").join("own.ll");
    std::fs::write(&ir, &text).map_err(|e| Failure::new(e.to_string()))?;
    succeed(limited(60, "llvm-as-19").arg(&ir).args(["-o", "/dev/null"]))?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let wanted = [
        "call void @own_note(i32 %a)",
        "call i32 @llvm.smin.i32(i32 %a, i32 %b)",
        "sub i32",
        "section \".text.own\"",
        "section \".data.own\"",
        "align 128",
        "hidden",
        "noredzone",
        "\"own-key\"=\"a value\"",
    ];
    let missing: Vec<&str> = wanted.into_iter().filter(|part| !text.contains(part)).collect();
    assert!(missing.is_empty(), "{missing:?} in {text}");
    Ok(())
}
