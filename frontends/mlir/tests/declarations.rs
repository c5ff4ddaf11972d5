//! The functions of modules as calling conventions see them.

use gusset_abi::memref::Pointers;
use gusset_abi::{AbiTarget, Arch};
use gusset_mlir::{CWrappers, Choices, all_errors, all_translation_errors, c_signature_notes, declarations};

const X64: AbiTarget = AbiTarget::X86_64_LINUX;
const ARM: AbiTarget = AbiTarget { arch: Arch::Arm, ..X64 };

/// Name, type and flags of each function, and the bits of `index`.
fn read(source: &str, target: &AbiTarget, index_bits: Option<u32>) -> Result<(Vec<String>, u32), String> {
    let found = declarations(source.as_bytes(), "t.mlir", target, index_bits).map_err(|error| error.to_string())?;
    let (converter, functions) = found;
    let flags = [(false, "c"), (false, "bare"), (false, "defined"), (false, "...")];
    let line = |f: &gusset_mlir::Declaration| {
        let set = [f.c_interface, f.bare_pointers, f.defined, f.ty.variadic];
        let words = set.iter().zip(flags).filter(|(set, _)| **set).map(|(_, (_, word))| word);
        let names = f.arg_names().join(" ");
        format!("{}{} [{names}] {}", f.name, f.ty, words.collect::<Vec<_>>().join(" ")).trim_end().to_string()
    };
    Ok((functions.iter().map(line).collect(), converter.index_bits()))
}

#[test]
fn types_names_and_attributes() {
    let source = "
        #map = affine_map<(d0, d1)[s0] -> (d0 * 8 + d1 + s0)>
        !line = memref<?xf32, strided<[?], offset: ?>>
        module @m attributes {foo.bar = \"func.func @no()\"} {
          func.func @one(%x: i32, %m: !line {llvm.noalias}) -> (index, complex<f64>) attributes {llvm.emit_c_interface} {
            %c = arith.constant 1 : index
            return %c, %z : index, complex<f64>
          }
          llvm.func @not_of_func(i32)
          memref.global \"private\" @g : memref<4xf32> = uninitialized
          func.func private @two(vector<2x4xf32>, vector<8xi16>, !llvm.struct<packed (i8, i32)>, () -> i32) attributes {llvm.bareptr}
          func.func private @\"a b\"(memref<*xi8, 1>, memref<4x?xbf16, #map>, memref<f16>) attributes {func.varargs = true}
          \"func.func\"() ({}) {sym_name = \"generic\", function_type = (f80, none_alias) -> ()} : () -> ()
        }
        !none_alias = i1
    ";
    let source = source.replace("none_alias", "!none_alias").replace("!!", "!");
    let (lines, bits) = read(&source, &X64, None).unwrap();
    let expected = [
        "one(i32, memref<?xf32, strided<[?], offset: ?>>) -> (index, complex<f64>) [x m] c defined",
        "two(vector<2x4xf32>, vector<8xi16>, !llvm.struct<packed (i8, i32)>, () -> ()) [   ] bare",
        "a b(memref<*xi8>, memref<4x?xbf16, strided<[8, 1], offset: ?>>, memref<f16>) [  ] ...",
        "generic(f80, i1) [ ]",
    ];
    assert_eq!(lines, expected);
    assert_eq!(bits, 64);
}

/// The choice, else the module's layout, else the target's pointers.
#[test]
fn the_width_of_index() {
    let plain = "func.func private @f(index)";
    let dlti =
        "module attributes {dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<index, 32>>} { func.func private @f(index) }";
    let width = |source, target: &AbiTarget, chosen| read(source, target, chosen).map(|(_, bits)| bits);
    assert_eq!(width(plain, &X64, None), Ok(64));
    assert_eq!(width(plain, &ARM, None), Ok(32));
    assert_eq!(width(dlti, &X64, None), Ok(32));
    assert_eq!(width(dlti, &X64, Some(16)), Ok(16));
}

/// The closest module that says it, for the functions in it.
#[test]
fn the_width_of_index_in_nested_modules() {
    let width = |source: &str| read(source, &X64, None).map(|(_, bits)| bits);
    let module = |bits: &str, inner: &str| {
        let spec = if bits.is_empty() {
            "#dlti.dl_entry<i64, dense<64> : vector<2xi64>>".into()
        } else {
            format!("#dlti.dl_entry<index, {bits}>")
        };
        format!("module attributes {{dlti.dl_spec = #dlti.dl_spec<{spec}>}} {{\n{inner}\n}}\n")
    };
    let f = "func.func private @f(index)\n";
    let g = "func.func private @g(index)\n";
    assert_eq!(width(&module("32", &module("16", f))), Ok(16));
    assert_eq!(width(&module("32", &format!("module @inner {{\n{f}}}\n"))), Ok(32));
    // A layout that says nothing of `index`.
    assert_eq!(width(&module("32", &module("", f))), Ok(32));
    assert_eq!(width(&module("", f)), Ok(64));
    // Modules beside the functions are none around them, and modules without functions say nothing.
    assert_eq!(width(&module("64", &format!("{}{f}", module("32", "")))), Ok(64));
    assert_eq!(width(&module("64", &format!("{f}{}", module("32", "")))), Ok(64));
    assert_eq!(
        width(&format!(
            "#spec = #dlti.dl_spec<#dlti.dl_entry<index, 32>>\nmodule attributes {{dlti.dl_spec = #spec}} {{\n{f}}}"
        )),
        Ok(32)
    );
    for source in [module("64", &format!("{f}{}", module("32", g))), format!("{}{}", module("32", f), module("16", g))]
    {
        assert!(width(&source).is_err_and(|e| e.contains("of another width in another module")), "{source}");
    }
    assert_eq!(width(&format!("{}{}", module("32", f), module("32", g))), Ok(32));
}

/// OpKind C cannot call, why, and what it can call instead.
#[test]
fn notes_on_signatures() {
    let source = "func.func @scalars(%a: i32, %b: f64, %m: memref<?xf32>) -> i64 {\n return %x : i64\n}\n\
                  func.func @two(%a: f32) -> (f32, f32) {\n return %a, %a : f32, f32\n}\n\
                  func.func @view() -> memref<f32> attributes {llvm.emit_c_interface} {\n return %x : memref<f32>\n}\n\
                  func.func private @bare(memref<4xf32>) -> (i32, i32) attributes {llvm.bareptr}\n";
    let notes = |choices: Choices| -> Vec<(usize, String)> {
        let notes = c_signature_notes(source.as_bytes(), "t.mlir", &X64, &choices).unwrap();
        notes.iter().map(|n| (n.line(), n.message().to_string())).collect()
    };
    let found = notes(Choices::default());
    let lines: Vec<usize> = found.iter().map(|n| n.0).collect();
    // Two integers of 32 bits are one register in C, and two in LLVM.
    assert_eq!(lines, [4, 7, 10], "{found:#?}");
    assert!(
        found[0].1.starts_with("C cannot call `@two`: ") && found[0].1.contains("which `--c-wrappers`"),
        "{found:#?}"
    );
    assert!(found[1].1.ends_with("; it can call `_mlir_ciface_view`"), "{found:#?}");
    assert!(found[2].1.ends_with("; functions of bare pointers have no wrappers"), "{found:#?}");
    let all = notes(Choices { c_wrappers: CWrappers::All, ..Choices::default() });
    assert!(all[0].1.ends_with("; it can call `_mlir_ciface_two`"), "{all:#?}");
    let text = c_signature_notes(source.as_bytes(), "t.mlir", &X64, &Choices::default()).unwrap()[0].to_string();
    assert!(text.starts_with("t.mlir:4:1: note: C cannot") && text.contains("\n 4 | func.func @two"), "{text}");
}

/// Bytecode is known by its first bytes, and how text is made of it is said.
#[test]
fn bytecode() {
    assert!(gusset_mlir::is_bytecode(b"ML\xefR\x06MLIR19"));
    let error = declarations(b"ML\xefR\x06MLIR19", "t.mlirbc", &X64, None).unwrap_err().to_string();
    assert!(error.contains("bytecode") && error.contains("mlir-opt"), "{error}");
}

#[test]
fn what_is_not_converted_has_its_place() {
    let error = |source: &str| read(source, &X64, None).unwrap_err();
    let said = error("func.func private @f(i32, tensor<4xf32>)");
    assert!(said.starts_with("t.mlir:1:27: error: tensors have no memory of their own"), "{said}");
    let said = error("func.func private @f() -> (i32, vector<[4]xf32>)");
    assert!(said.starts_with("t.mlir:1:33: error: scalable vectors are not supported"), "{said}");
    let said = error("func.func private @f(memref<4xtuple<i32>>)");
    assert!(said.starts_with("t.mlir:1:22: error: tuples are not converted"), "{said}");
    let said = error("func.func private @f(none)");
    assert!(said.starts_with("t.mlir:1:22: error: there are no values of type `none`"), "{said}");
}

/// The function of `gusset_abi::memref` on what was read.
#[test]
fn conversion() {
    let source = "func.func @f(%a: memref<?x4xf32>, %b: memref<*xf32>) -> (i32, memref<f32>)";
    let (converter, functions) = declarations(source.as_bytes(), "t.mlir", &X64, None).unwrap();
    let converted = converter.function(&functions[0].ty, Pointers::Expanded).unwrap();
    assert_eq!(converted.to_string(), "{ i32, { ptr, ptr, i64 } } (ptr, ptr, i64, i64, i64, i64, i64, i64, ptr)");
}

/// Variadic functions have no wrappers for C, whoever defines them: an error for each, where it stands, as MLIR 19 says it.
#[test]
fn variadic_functions_have_no_wrappers() {
    let module = |attributes: &str| {
        format!(
            "func.func private @ext(i32, memref<?xf32>) attributes {{func.varargs = true{attributes}}}\n\
             func.func @own(%a: i32) -> i32 attributes {{func.varargs = true{attributes}}} {{\n  return %a : i32\n}}\n\
             func.func @plain(%a: i32) -> i32 attributes {{func.varargs = false, llvm.emit_c_interface}} {{\n  return %a : i32\n}}\n\
             func.func @bare(%a: i32) attributes {{func.varargs = true, llvm.bareptr, llvm.emit_c_interface}} {{\n  return\n}}\n"
        )
    };
    let lines = |source: &str, c_wrappers: CWrappers| {
        let choices = || Choices { c_wrappers, ..Choices::default() };
        let found = [
            all_errors(source.as_bytes(), "t.mlir", &X64, choices()),
            all_translation_errors(source.as_bytes(), "t.mlir", Some(&X64), choices()),
        ];
        let [compiled, translated] = found.map(|first| -> Vec<usize> {
            let all = first.iter().flat_map(|e| std::iter::once(e).chain(e.further()));
            all.map(|e| {
                assert!(e.message().starts_with("C interface for variadic functions is not supported"), "{e}");
                e.line()
            })
            .collect()
        });
        assert_eq!(compiled, translated);
        compiled
    };
    let (plain, asking) = (module(""), module(", llvm.emit_c_interface"));
    assert_eq!(lines(&plain, CWrappers::Attribute), []);
    assert_eq!(lines(&asking, CWrappers::Attribute), [1, 2]);
    assert_eq!(lines(&plain, CWrappers::All), [1, 2]);
    assert_eq!(lines(&plain, CWrappers::Defined), [2]);
    let (_, functions) = declarations(plain.as_bytes(), "t.mlir", &X64, None).unwrap();
    assert_eq!(functions.iter().map(|f| f.ty.variadic).collect::<Vec<_>>(), [true, true, false, true]);
}

/// LLVM's structs of types that are not LLVM's: with a name they become others, whose name is nobody else's.
#[test]
fn structs_with_types_of_mlirs_own() {
    let says = |source: &str| {
        let first = all_errors(source.as_bytes(), "t.mlir", &X64, Choices::default());
        first.map(|e| (e.line(), e.message().to_string()))
    };
    let cast = |name: &str, of: &str| {
        format!(
            "func.func @f(%s: !llvm.struct<\"one\", (index, array<2 x memref<f32>>)>) -> i64 {{\n  \
             %0 = builtin.unrealized_conversion_cast %s : !llvm.struct<\"one\", (index, array<2 x memref<f32>>)> to \
             !llvm.struct<\"{name}\", ({of}, array<2 x struct<(ptr, ptr, i64)>>)>\n  \
             %1 = llvm.extractvalue %0[0] : !llvm.struct<\"{name}\", ({of}, array<2 x struct<(ptr, ptr, i64)>>)>\n  \
             return %1 : i64\n}}\n"
        )
    };
    assert_eq!(says(&cast("_Converted.one", "i64")), None);
    assert!(says(&cast("one", "i64")).is_some_and(|e| e.0 == 2 && e.1.contains("not conversions of each other")));
    let taken = format!("llvm.func @g(!llvm.struct<\"_Converted.one\", (i8)>)\n{}", cast("_Converted.one", "i64"));
    assert!(
        says(&taken).is_some_and(|e| e.0 == 2 && e.1.contains("has other members elsewhere")),
        "{:?}",
        says(&taken)
    );
    let nested = "func.func private @f(!llvm.struct<\"a\", (struct<\"b\", (index)>)>, !llvm.struct<\"c\", (struct<\"d\", (i64)>)>)\n\
                  llvm.func @g(!llvm.struct<\"_Converted.a\", (struct<\"_Converted.b\", (i64)>)>, !llvm.struct<\"c\", (struct<\"d\", (i64)>)>)\n";
    assert_eq!(says(nested), None);
}
