//! The C headers of MLIR's functions: every compiler takes them as C and as C++, sizes and offsets are those of the descriptors,
//! and programs in C that know nothing else call what MLIR has made, compiled by Gusset and by clang.

use gusset_abi::memref::{
    Allocation, BuiltinType, FunctionType, Header, HeaderFunction, Lane, Memref, Part, TypeConverter,
};
use gusset_abi::{AbiFeatures, AbiTarget, LlvmScalar, LlvmType};
use gusset_tests::build::{Mode, Unit, by_clang, by_gcc, compile_in};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, clang, gusset, limited, root, succeed, work_folder};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const F32: BuiltinType = BuiltinType::scalar(LlvmScalar::Float);
const F64: BuiltinType = BuiltinType::scalar(LlvmScalar::Double);

fn memref(sizes: &[i64], element: BuiltinType) -> BuiltinType {
    BuiltinType::memref(Memref::identity(element, sizes.iter().map(|n| u64::try_from(*n).ok()).collect()))
}

fn vector(shape: &[u32], lane: LlvmScalar) -> BuiltinType {
    BuiltinType::Vector { lane: Lane::Llvm(lane), shape: shape.to_vec() }
}

/// A function with the names of its arguments; without defined in C.
type Function = (&'static str, Vec<BuiltinType>, Vec<BuiltinType>, &'static [&'static str], bool);

/// The header of such functions.
fn header(converter: TypeConverter, functions: &[Function], c_values: bool) -> String {
    let types: Vec<FunctionType> = functions
        .iter()
        .map(|(name, args, results, ..)| FunctionType {
            args: args.clone(),
            results: results.clone(),
            variadic: *name == "variadic",
        })
        .collect();
    let list: Vec<HeaderFunction> = functions
        .iter()
        .zip(&types)
        .map(|(&(name, .., arg_names, defined), ty)| HeaderFunction { name, ty, arg_names, defined })
        .collect();
    Header { converter, allocation: Allocation::default(), c_values, functions: &list }.to_string()
}

/// One of everything.
fn zoo() -> Vec<Function> {
    let int = BuiltinType::int;
    let scalar = BuiltinType::scalar;
    let complex = |part| BuiltinType::Complex(Lane::Llvm(part));
    let pair = || {
        let layout = gusset_abi::DataLayout::new(&AbiTarget::X86_64_LINUX);
        let bytes = LlvmType::array(LlvmType::int(8), 3);
        BuiltinType::Llvm(LlvmType::structure(layout.llvm_struct([LlvmType::int(32), bytes], false).unwrap()))
    };
    let float = LlvmScalar::Float;
    vec![
        ("nothing", vec![], vec![], &[], true),
        ("scalars", vec![int(1), int(8), int(16), int(64), F32, F64], vec![int(1)], &["a", "int", "c", "a"], true),
        (
            "unsigned",
            vec![BuiltinType::Lane(Lane::Unsigned(8)), BuiltinType::INDEX],
            vec![BuiltinType::INDEX],
            &[],
            true,
        ),
        ("ranks", vec![memref(&[], F32), memref(&[-1, 4], F32), memref(&[2, 2, 2], int(1))], vec![], &["x"], true),
        ("same", vec![memref(&[-1, -1], F32)], vec![memref(&[-1, 4], F32)], &["_input", "1"], true),
        ("unranked", vec![BuiltinType::unranked(F32)], vec![BuiltinType::unranked(F64)], &[], true),
        ("several", vec![], vec![int(32), memref(&[-1], F64), BuiltinType::unranked(F32)], &[], true),
        (
            "elements",
            [int(4), int(128), complex(float), vector(&[4], float), vector(&[3], float), vector(&[2, 4], float)]
                .into_iter()
                .map(|element| memref(&[-1], element))
                .collect(),
            vec![],
            &[],
            true,
        ),
        (
            "halves",
            vec![memref(&[-1], scalar(LlvmScalar::Half)), memref(&[-1], scalar(LlvmScalar::BFloat))],
            vec![],
            &[],
            true,
        ),
        (
            "inner",
            vec![memref(&[-1], memref(&[-1, -1], int(32))), memref(&[2], scalar(LlvmScalar::Ptr))],
            vec![],
            &[],
            true,
        ),
        ("records", vec![memref(&[-1], pair()), memref(&[-1], BuiltinType::INDEX)], vec![pair()], &[], true),
        ("half", vec![scalar(LlvmScalar::Half)], vec![scalar(LlvmScalar::Half)], &[], true),
        ("odd", vec![int(24)], vec![int(128)], &[], true),
        ("pointers", vec![BuiltinType::Function, scalar(LlvmScalar::Ptr)], vec![BuiltinType::Function], &[], true),
        ("complex", vec![complex(float)], vec![complex(LlvmScalar::Double), complex(LlvmScalar::Int(32))], &[], true),
        (
            "vectors",
            vec![vector(&[4], float), vector(&[2, 2, 4], float)],
            vec![vector(&[4], LlvmScalar::Int(32))],
            &[],
            true,
        ),
        ("dotted.name", vec![memref(&[-1], F32)], vec![int(32), int(32)], &[], true),
        ("dotted_name", vec![], vec![int(32), int(32)], &[], true),
        ("say \"*/ /*\"", vec![], vec![], &[], true),
        ("outside", vec![memref(&[-1], F32)], vec![BuiltinType::unranked(F32)], &[], false),
        ("variadic", vec![int(32)], vec![F32], &["more"], false),
    ]
}

/// Assertions that the struct of this name is the descriptor.
fn assertions(converter: &TypeConverter, rank: Option<u32>, name: &str) -> String {
    let descriptor = rank.map_or(converter.unranked(), |rank| converter.ranked(rank).unwrap());
    let mut text = String::new();
    for field in descriptor.fields() {
        let member = match field.part {
            Part::Allocated => "allocated".into(),
            Part::Aligned => "aligned".into(),
            Part::Offset => "offset".into(),
            Part::Size(k) => format!("sizes[{k}]"),
            Part::Stride(k) => format!("strides[{k}]"),
            Part::Rank => "rank".into(),
            _ => "descriptor".to_string(),
        };
        let _ = writeln!(text, "ASSERT(__builtin_offsetof({name}, {member}) == {});", field.offset);
    }
    let _ = writeln!(text, "ASSERT(sizeof({name}) == {});", descriptor.layout().size);
    text
}

/// Compilers with the target that they compile for; clang's for C++ is the same program.
const COMPILERS: &[(&str, &str, &str)] = &[
    ("gcc", "g++", "x86_64-unknown-linux-gnu"),
    ("i686-linux-gnu-gcc", "i686-linux-gnu-g++", "i686-unknown-linux-gnu"),
    ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++", "aarch64-unknown-linux-gnu"),
    ("arm-linux-gnueabihf-gcc", "arm-linux-gnueabihf-g++", "armv7-unknown-linux-gnueabihf"),
    ("x86_64-w64-mingw32-gcc", "x86_64-w64-mingw32-g++", "x86_64-pc-windows-gnu"),
    ("i686-w64-mingw32-gcc", "i686-w64-mingw32-g++", "i686-pc-windows-gnu"),
    ("", "", "x86_64-unknown-linux-gnu"),
    ("", "", "i686-unknown-linux-gnu"),
    ("", "", "aarch64-unknown-linux-gnu"),
    ("", "", "armv7-unknown-linux-gnueabihf"),
];

#[test]
fn compilers_take_the_headers() -> Result<(), Failure> {
    let outcomes = parallel::map(COMPILERS.len(), |index| {
        let (c, cxx, triple) = COMPILERS[index];
        let target = AbiTarget::from_triple(triple, AbiFeatures::default()).map_err(|e| Failure::new(e.to_string()))?;
        let folder = work_folder("memref_headers").join(format!("{c}-{triple}"));
        std::fs::create_dir_all(&folder)?;
        let narrow = TypeConverter::with_index_bits(&target, 16).map_err(|e| Failure::new(e.to_string()))?;
        let converter = TypeConverter::new(&target);
        for (name, c_values) in [("plain.h", false), ("c_values.h", true)] {
            std::fs::write(folder.join(name), header(converter, &zoo(), c_values))?;
        }
        // Headers of other modules: with the same descriptors, and with those of another index.
        let same = memref(&[-1, -1], F32);
        for (name, converter) in [("other", &converter), ("narrow", &narrow)] {
            let text = header(*converter, &[(name, vec![same.clone()], vec![], &[], true)], false);
            std::fs::write(folder.join(format!("{name}.h")), text)?;
        }
        let mut text = String::from(
            "#ifdef __cplusplus\n#define ASSERT(what) static_assert(what, \"\")\n#else\n#define ASSERT(what) \
             _Static_assert(what, \"\")\n#endif\n",
        );
        for (rank, name) in [
            (Some(0), "memref_0d_f32"),
            (Some(2), "memref_2d_f32"),
            (Some(3), "memref_3d_i1"),
            (Some(1), "memref_1d_memref_dxdxi32"),
            (None, "unranked_memref"),
        ] {
            text.push_str(&assertions(&converter, rank, name));
        }
        text.push_str(&assertions(&narrow, Some(2), "memref_2d_f32_index16"));
        for first in ["plain.h", "c_values.h"] {
            let headers = [first, first, "other.h", "narrow.h"].map(|name| format!("#include \"{name}\"\n")).concat();
            let source = headers + &text;
            for (language, standard, ending) in [("c", "-std=c11", "c"), ("c++", "-std=c++17", "cc")] {
                let file = folder.join(format!("{}.{ending}", first.trim_end_matches(".h")));
                std::fs::write(&file, &source)?;
                let mut compiler = match (c, language) {
                    ("", _) => {
                        let mut clang = limited(60, clang());
                        clang.args(["-target", triple]).args(triple.starts_with("i686").then_some("-msse2"));
                        clang
                    }
                    (_, "c") => limited(60, c),
                    _ => limited(60, cxx),
                };
                let options = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-psabi", standard, "-x", language];
                succeed(compiler.args(options).arg(&file))?;
            }
        }
        Ok(())
    });
    outcomes.into_iter().collect()
}

fn run(mode: Mode, folder: &Path) -> Result<(), Failure> {
    let sources = root().join("tests/tests/mlir/memref_headers");
    std::fs::create_dir_all(folder)?;
    let header = folder.join("functions.h");
    let mut translate = limited(20, gusset()?);
    translate.args(["translate", "--emit", "header", "--target", mode.triple()]).arg(sources.join("functions.mlir"));
    succeed(translate.arg("-o").arg(&header))?;
    let text = std::fs::read_to_string(sources.join(format!("functions_{}.ll", mode.bits())))?;
    let ir = folder.join("functions.ll");
    std::fs::write(&ir, format!("target triple = \"{}\"\n{text}", mode.triple()))?;
    let by_gusset = folder.join("functions.o");
    compile_in(mode, &ir, &by_gusset)?;
    let flags = vec!["-include".into(), header.to_string_lossy().into_owned()];
    let driver = Unit { source: sources.join("driver.c"), flags };
    let options = [mode.clang_flags(), &["-O1"]].concat();
    let by_llvm = by_clang(&Unit { source: ir, flags: vec![] }, &options)?;
    let drivers: [PathBuf; 2] = [by_clang(&driver, &options)?, by_gcc(mode, &driver)?];
    for (number, (driver, code)) in
        [(&drivers[0], &by_gusset), (&drivers[1], &by_gusset), (&drivers[0], &by_llvm)].into_iter().enumerate()
    {
        let program = folder.join(format!("program{number}"));
        // MLIR's code says nothing of where it is to lie.
        mode.link(&[driver.clone(), code.clone()], &["-no-pie"], &program)?;
        let outcome = gusset_tests::tools::run(&mut mode.runner(20, &program))?;
        if outcome.code != 0 {
            return Err(Failure::new(format!("{mode:?}, program {number}: {}{}", outcome.text(), outcome.errors())));
        }
    }
    Ok(())
}

#[test]
fn c_calls_what_mlir_has_made() -> Result<(), Failure> {
    let modes = [Mode::Bits64, Mode::Bits32, Mode::Aarch64, Mode::A32, Mode::Soft];
    let outcomes = parallel::map(modes.len(), |index| {
        run(modes[index], &work_folder("memref_headers").join(format!("{:?}", modes[index])))
    });
    outcomes.into_iter().collect()
}

/// Which functions are in the header, and what the options change in it.
#[test]
fn the_command_chooses_functions() -> Result<(), Failure> {
    let folder = work_folder("memref_headers");
    let module = folder.join("choice.mlir");
    let source = "module attributes {llvm.target_triple = \"i686-unknown-linux-gnu\"} {
  func.func @marked(%n: index) attributes {llvm.emit_c_interface} { return }
  func.func @defined(%z: complex<f32>) { return }
  func.func private @outside(memref<?xi8>)
  func.func @bare(memref<4xi8>) attributes {llvm.emit_c_interface, llvm.bareptr} { return }
}";
    std::fs::write(&module, source)?;
    let header = |options: &[&str]| -> Result<String, Failure> {
        let mut command = limited(20, gusset()?);
        Ok(succeed(command.args(["translate", "--emit", "header"]).args(options).arg(&module))?.text())
    };
    let has = |text: &str, names: [bool; 4]| {
        let found = ["marked", "defined", "outside", "bare"].map(|name| text.contains(&format!("@{name}(")));
        assert_eq!(found, names, "{text}");
    };
    let marked = header(&[])?;
    has(&marked, [true, false, false, false]);
    assert!(marked.contains("void _mlir_ciface_marked(intptr_t n);") && marked.contains("freed by free("), "{marked}");
    has(&header(&["--c-wrappers=attr"])?, [true, false, false, false]);
    has(&header(&["--c-wrappers=defined"])?, [true, true, false, false]);
    let all = header(&["--c-wrappers", "--index-width=16", "--allocation=generic"])?;
    has(&all, [true, true, true, false]);
    assert!(all.contains("_mlir_ciface_marked(int16_t n)") && all.contains("memref_1d_i8_index16 *arg0"), "{all}");
    assert!(all.contains("freed by _mlir_memref_to_llvm_free("), "{all}");
    // Both parts of a complex number are on the stack on 32-bit x86, in LLVM's convention and in C's; not on x86-64.
    assert!(all.contains("void _mlir_ciface_defined(float _Complex z);"), "{all}");
    let x64 = ["--c-wrappers=defined", "--target", "x86_64-unknown-linux-gnu"];
    assert!(header(&x64)?.contains("C cannot call its wrapper: argument 0: LLVM has byte 4"));
    assert!(header(&[&x64[..], &["--c-values"]].concat())?.contains("_mlir_ciface_defined(float _Complex z);"));
    // Signs are those of the text.
    std::fs::write(&module, "func.func @signs(%a: ui16, %b: si16, %c: i16, %d: memref<?xui8>) -> ui8 { return }")?;
    let signs = header(&["--c-wrappers=defined"])?;
    assert!(
        signs.contains("uint8_t _mlir_ciface_signs(uint16_t a, int16_t b, int16_t c, memref_1d_ui8 *d);"),
        "{signs}"
    );
    std::fs::write(&module, "func.func private @other(memref<?xi8>)")?;
    assert!(header(&[])?.contains("/* No function of the module has a wrapper. */"));
    let outcome = gusset_tests::tools::run(limited(20, gusset()?).args(["translate", "--c-values"]).arg(&module))?;
    assert_eq!(outcome.code, 2, "{}", outcome.errors());
    Ok(())
}
