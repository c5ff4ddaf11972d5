//! Functions of memory that a module declares itself: those of the right type are called, others are said.

use gusset_abi::AbiTarget;
use gusset_abi::memref::Allocation;
use gusset_codegen::ir::{Function, Printer};
use gusset_mlir::{BodyReader, Choices, read_module};

/// The last function of a module as IR.
fn read(head: &str, allocation: Allocation) -> Result<String, String> {
    let body = "func.func @f(%n: index) {\n  %a = memref.alloc(%n) : memref<?xf32>\n  memref.dealloc %a : memref<?xf32>\n  return\n}\n";
    let (source, choices) = (format!("{head}\n{body}"), Choices { allocation, ..Choices::default() });
    let target = &AbiTarget::X86_64_LINUX;
    let module = read_module(source.as_bytes(), "t.mlir", target, choices).map_err(|e| e.to_string())?;
    let mut f = Function::default();
    let body = module.bodies.last().ok_or("no body")?;
    BodyReader::new(&module).read(body, &mut f).map_err(|e| e.to_string())?;
    let name = |name: &str| module.module.symbols.iter().filter(|s| s.name == name).count();
    assert!(["malloc", "free", "aligned_alloc"].into_iter().all(|n| name(n) == 1), "{head}");
    Ok(Printer::new(&module.module).function(&f))
}

#[test]
fn functions_of_the_module_are_reused() {
    let malloc = Allocation::default();
    for head in [
        "",
        "llvm.func @malloc(i64) -> !llvm.ptr\nllvm.func @free(!llvm.ptr)",
        "func.func private @malloc(index) -> !llvm.ptr",
        "llvm.func @aligned_alloc(i32) -> i32",
    ] {
        let text = read(head, malloc).unwrap();
        assert!(text.contains("@malloc") && text.contains("@free"), "{text}");
    }
}

#[test]
fn functions_of_other_types_are_said() {
    let (malloc, aligned, generic) = (
        Allocation::default(),
        Allocation { aligned: true, ..Allocation::default() },
        Allocation { generic: true, ..Allocation::default() },
    );
    for (head, allocation, name, line) in [
        ("llvm.func @malloc(i32) -> !llvm.ptr", malloc, "malloc", 3),
        ("llvm.func @malloc(i64)", malloc, "malloc", 3),
        ("llvm.func @malloc(i64, ...) -> !llvm.ptr", malloc, "malloc", 3),
        ("llvm.func @free(i64)", malloc, "free", 4),
        ("func.func private @free(memref<?xf32>)", malloc, "free", 4),
        ("llvm.func @aligned_alloc(i64) -> !llvm.ptr", aligned, "aligned_alloc", 3),
        ("llvm.func @_mlir_memref_to_llvm_alloc(!llvm.ptr) -> !llvm.ptr", generic, "_mlir_memref_to_llvm_alloc", 3),
    ] {
        let e = read(head, allocation).expect_err(head);
        let said = format!("memory comes from `{name}`, which the module has under another type in line 1");
        assert!(e.contains(&said) && e.contains(&format!("t.mlir:{line}:")), "{head}: {e}");
    }
}
