//! All errors of a module are found at once, each with its place; what follows from one of them is not said.

use gusset_abi::AbiTarget;
use gusset_mlir::{Choices, all_errors, all_translation_errors};

/// Lines and messages.
fn errors_with(source: &str, choices: Choices) -> Vec<(usize, String)> {
    let Some(first) = all_errors(source.as_bytes(), "t.mlir", &AbiTarget::X86_64_LINUX, choices) else {
        return Vec::new();
    };
    let all = std::iter::once(&first).chain(first.further());
    all.map(|e| (e.line(), e.message().to_string())).collect()
}

fn errors(source: &str) -> Vec<(usize, String)> {
    errors_with(source, Choices::default())
}

/// Fails unless a body has these errors: the lines, counted from 1, and a part of each message.
fn check(parameters: &str, body: &str, expected: &[(usize, &str)]) {
    let source = format!("func.func @f({parameters}) {{\n{body}\nreturn\n}}\n");
    let found = errors(&source);
    let fits =
        found.len() == expected.len() && found.iter().zip(expected).all(|(f, e)| f.0 == e.0 + 1 && f.1.contains(e.1));
    assert!(fits, "{source}\nhas the errors {found:#?}\nnot {expected:#?}");
}

/// OpKind cannot be converted, one operation each: parameters, the operation, and what is said.
const CASES: &[(&str, &str, &str)] = &[
    // Dialects that have to go first, and how.
    (
        "",
        "%0 = tensor.empty() : tensor<4xf32>",
        "`tensor.empty` of type `tensor<4xf32>` is not converted: tensors have no",
    ),
    ("", "%0 = bufferization.alloc_tensor() : tensor<4xf32>", "`one-shot-bufferize`, then"),
    (
        "",
        "%0 = \"tosa.const\"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>",
        "of type `() -> tensor<i32>` is not",
    ),
    ("", "%0 = stablehlo.constant dense<0> : tensor<i32>", "`stablehlo-legalize-to-linalg`"),
    ("%a: f32, %m: memref<4xf32>", "linalg.fill ins(%a : f32) outs(%m : memref<4xf32>)", "`convert-linalg-to-loops`"),
    ("%v: i64", "%0 = sparse_tensor.foo %v : i64 to i32", "`sparsification-and-bufferization`"),
    ("", "%0 = async.execute {\n  async.yield\n}", "`async-to-async-runtime`"),
    ("", "%0 = shape.const_shape [1, 2] : !shape.shape", "`convert-shape-to-std`"),
    ("", "%0 = gpu.thread_id x", "operations for GPUs"),
    (
        "%n: index",
        "gpu.launch blocks(%a, %b, %c) in (%d = %n, %e = %n, %g = %n) {\n %0 = x.y : i32\n gpu.terminator\n}",
        "for GPUs",
    ),
    ("", "nvvm.barrier0", "operations for GPUs"),
    ("", "spirv.Return", "operations for GPUs"),
    ("", "omp.parallel {\n omp.terminator\n}", "OpenMP"),
    ("", "%0 = fir.alloca i32", "have flang lower it first"),
    ("", "%0 = torch.constant.int 1", "torch-mlir"),
    ("", "%0 = mine.own : i32", "`mine.own` of type `i32` is not converted: convert its dialect first"),
    ("", "%0 = \"mine.own\"() : () -> i32", "`mine.own` of type `() -> i32`"),
    (
        "%n: index, %t: memref<1xi32>",
        "memref.dma_wait %t[%n], %n : memref<1xi32>",
        "`memref.dma_wait` of type `memref<1xi32>` is not converted: nothing copies in the background here",
    ),
    ("%v: vector<4xi32>", "%0 = vector.reshape %v, [], [], [4] : vector<4xi32> to vector<4xi32>", "no pass lowers it"),
    ("", "%0 = arith.more : i32", "`arith.more` of type `i32` is not converted: it is not among"),
    ("", "frob", "the operation `frob` is not converted"),
    // Types.
    (
        "",
        "%0 = arith.constant dense<1.0> : tensor<2xf32>",
        "`arith.constant` has the type `tensor<2xf32>`: tensors have no",
    ),
    ("", "%0 = memref.alloc() : memref<2xtuple<i32>>", "`memref.alloc` has the type `memref<2xtuple<i32>>`: tuples"),
    ("", "%0 = memref.alloc() : memref<2x!my.type>", "type of another dialect"),
    ("", "%0 = memref.alloc() : memref<8xf32, affine_map<(i) -> (i floordiv 2)>>", "`normalize-memrefs`"),
    (
        "",
        "%0 = memref.alloc() : memref<8x8xf32, affine_map<(i, j) -> (i, j mod 4)>>",
        "no sum of strides and an offset",
    ),
    ("", "%0 = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>", "its memory space is no number"),
    ("", "%0 = memref.alloc() : memref<8xf32, \"shared\">", "its memory space is no number"),
    ("", "%0 = ub.poison : vector<[4]xf32>", "scalable vectors"),
    ("%x: i32", "%0:2 = builtin.unrealized_conversion_cast %x : i32 to tensor<4xf32>, i32", "tensors have no memory"),
    // Casts that do not cancel.
    (
        "%x: i32",
        "%0 = builtin.unrealized_conversion_cast %x : i32 to f32",
        "`builtin.unrealized_conversion_cast %x : i32 to f32`",
    ),
    (
        "%m: memref<?xf32>",
        "%0 = builtin.unrealized_conversion_cast %m : memref<?xf32> to !llvm.ptr",
        "a pass is missing",
    ),
    (
        "%m: memref<?xf32>",
        "%0 = \"builtin.unrealized_conversion_cast\"(%m) : (memref<?xf32>) -> memref<?x?xf32>",
        "`\"builtin.unrealized_conversion_cast\"(%m) : (memref<?xf32>) -> memref<?x?xf32>`",
    ),
    // OpKind else is wrong with an operation.
    ("%x: i32, %y: i64", "%0 = arith.addi %x, %y : i32", "`%y` is a value of another type"),
    ("", "%0 = func.call @nobody() : () -> i32", "`@nobody`"),
];

#[test]
fn what_is_not_converted() {
    for (parameters, op, message) in CASES {
        check(parameters, op, &[(1, message)]);
    }
}

#[test]
fn all_of_a_body() {
    // Uses of what failed are no errors of their own; unknown operations are.
    let body = "%0 = a.b : i32\n%1 = arith.addi %0, %0 : i32\n%2 = arith.muli %1, %x : i32\n%3 = c.d %2 : i32\n\
                %4 = arith.addi %x, %b : i32\n%5:2 = e.f %x : i32, i32\n%6 = arith.addi %5#0, %5#1 : i32\n\
                cf.br ^bb1(%6 : i32)\n^bb1(%7: i32):\n%8 = g.h %7 : i32";
    check("%x: i32, %b: i1", body, &[(1, "`a.b`"), (4, "`c.d`"), (5, "`%b`"), (6, "`e.f`"), (10, "`g.h`")]);
    // Regions of operations that are known are looked into, whatever is wrong with these; those of others are not.
    let body = "%0 = a.b : index\nscf.for %i = %0 to %n step %0 {\n %1 = c.d : i32\n %2 = arith.addi %i, %i : index\n\
                scf.if %b {\n  %3 = e.f : i32\n  %4 = arith.addi %3, %3 : i32\n } else {\n  g.h\n }\n}\n\
                i.j {\n ^bb0(%z: i32):\n k.l\n}\nm.n";
    let expected = [(1, "`a.b`"), (3, "`c.d`"), (6, "`e.f`"), (9, "`g.h`"), (12, "`i.j`"), (16, "`m.n`")];
    check("%n: index, %b: i1", body, &expected);
    // The generic form, and regions with values.
    let body = "%c = arith.constant 1 : index\n%0 = \"scf.for\"(%c, %n, %c, %t) ({\n^bb0(%i: index, %a: tensor<1xi8>):\n\
                %1 = \"a.b\"(%a) : (tensor<1xi8>) -> i8\n\"scf.yield\"(%a) : (tensor<1xi8>) -> ()\n}) : (index, index, index, tensor<1xi8>) -> tensor<1xi8>\n\
                %2 = \"c.d\"(%0) : (tensor<1xi8>) -> i8";
    let found = errors(&format!("func.func @f(%n: index, %t: tensor<1xi8>) {{\n{body}\nreturn\n}}"));
    let lines: Vec<usize> = found.iter().map(|e| e.0).collect();
    assert_eq!(lines, [1, 5, 8], "{found:#?}");
    // Terminators that fail.
    let source = "func.func @f(%b: i1) -> i32 {\n cf.cond_br %b, ^bb1, ^bb2\n^bb1:\n %0 = a.b : i32\n return %0 : i32\n^bb2:\n\
                  c.br ^bb1\n^bb3:\n return %b : i32\n}";
    let found = errors(source);
    let lines: Vec<usize> = found.iter().map(|e| e.0).collect();
    assert_eq!(lines, [4, 7, 9], "{found:#?}");
}

#[test]
fn all_of_a_module() {
    let source = "module {\n gpu.module @k {\n  gpu.func @g() { gpu.return }\n }\n\
                  func.func private @ext(i32, tensor<4xf32>) -> tuple<i32>\n\
                  memref.global \"private\" @t : memref<2xtuple<i32>> = uninitialized\n\
                  func.func @one(%a: tensor<4xf32>, %n: i32) -> tensor<4xf32> {\n\
                   %0 = func.call @ext(%n, %a) : (i32, tensor<4xf32>) -> tuple<i32>\n\
                   %1 = arith.addi %n, %n : i32\n %2 = a.b %1 : i32\n return %a : tensor<4xf32>\n}\n\
                  func.func @two() {\n %0 = arith.constant : i32\n %1 = c.d : i32\n return\n}\n\
                  func.func @three() {\n %m = memref.get_global @t : memref<2xtuple<i32>>\n e.f\n return\n}\n\
                  func.func @fine(%a: i32) -> i32 {\n return %a : i32\n}\n}";
    let found = errors(source);
    let lines: Vec<usize> = found.iter().map(|e| e.0).collect();
    // The call's types and the global's are wrong where they are declared. Bad syntax ends its function.
    assert_eq!(lines, [2, 5, 6, 7, 7, 10, 14, 20], "{found:#?}");
    assert!(found[6].1.starts_with("expected "), "{found:#?}");
}

/// OpKind bare pointers cannot say.
#[test]
fn bare_pointers() {
    let source = "func.func @f(%a: memref<?xf32>, %b: memref<4xf32>, %c: memref<*xf32>) -> memref<2x?xi8> {\n %0 = a.b : memref<2x?xi8>\n return %0 : memref<2x?xi8>\n}\n\
                  func.func @g(%a: memref<4xf32>) {\n return\n}";
    let found = errors_with(source, Choices { bare_pointers: true, ..Choices::default() });
    let lines: Vec<usize> = found.iter().map(|e| e.0).collect();
    assert_eq!(lines, [1, 1, 1, 2], "{found:#?}");
    assert!(found[..3].iter().all(|e| e.1.contains("bare pointer")), "{found:#?}");
    assert_eq!(errors("func.func @g(%a: memref<4xf32>) attributes {llvm.bareptr} {\n return\n}"), []);
}

/// Casts that cancel are no errors, in either form.
#[test]
fn casts_that_cancel() {
    let descriptor = "!llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>";
    for cast in [
        format!("%0 = builtin.unrealized_conversion_cast %m : memref<?xf32> to {descriptor}"),
        format!("%0 = \"builtin.unrealized_conversion_cast\"(%m) : (memref<?xf32>) -> {descriptor}"),
    ] {
        let back = format!("%1 = builtin.unrealized_conversion_cast %0 : {descriptor} to memref<?xf32>");
        let field = format!("%2 = llvm.extractvalue %0[1] : {descriptor}");
        check(
            "%m: memref<?xf32>, %i: index",
            &format!("{cast}\n{back}\n{field}\n%3 = memref.load %1[%i] : memref<?xf32>"),
            &[],
        );
    }
    for (from, to) in [
        ("index", "i64"),
        ("complex<f32>", "!llvm.struct<(f32, f32)>"),
        ("vector<2x3xf32>", "!llvm.array<2 x vector<3xf32>>"),
        ("memref<*xf32>", "!llvm.struct<(i64, ptr)>"),
        ("si8", "i8"),
        ("() -> ()", "!llvm.ptr"),
    ] {
        let there = format!("%0 = builtin.unrealized_conversion_cast %x : {from} to {to}");
        let back = format!("%1 = builtin.unrealized_conversion_cast %0 : {to} to {from}");
        check(&format!("%x: {from}"), &format!("{there}\n{back}"), &[]);
    }
}

/// Errors are kept up to a bound, and counted beyond it.
#[test]
fn a_bound() {
    let body: String = (0..130).map(|i| format!("%{i} = a.b : i32\n")).collect();
    let source = format!("func.func @f() {{\n{body}return\n}}");
    let all = all_errors(source.as_bytes(), "t.mlir", &AbiTarget::X86_64_LINUX, Choices::default()).unwrap();
    assert_eq!(all.further().len(), 99);
    let text = all.to_string();
    assert!(text.starts_with("t.mlir:2:6: error: ") && text.ends_with("\nt.mlir: and 30 more errors"), "{text}");
}

/// A call agrees with the function that it calls, and so does a function's address.
#[test]
fn callees() {
    let call = |called: &str, values: &str, call: &str, why: &str| {
        let source = format!("{called}\nfunc.func @f({values}) {{\n{call}\nreturn\n}}\n");
        let found = errors(&source);
        let fits = if why.is_empty() { found.is_empty() } else { found.len() == 1 && found[0].1.contains(why) };
        assert!(fits, "{source}\nhas the errors {found:?}");
    };
    let g = "func.func private @g(i32) -> i32";
    call(
        g,
        "%a: i64",
        "%0 = call @g(%a) : (i64) -> i32",
        "parameter 0 of the function `@g` is of type `i32`, not `i64`",
    );
    call(g, "%a: i32", "%0 = call @g(%a) : (i32) -> i64", "result 0 of the function `@g` is of type `i32`, not `i64`");
    call(g, "%a: i32", "%0 = call @g(%a, %a) : (i32, i32) -> i32", "parameters of the function `@g` is 1, not 2");
    call(g, "%a: i32", "call @g(%a) : (i32) -> ()", "results of the function `@g` is 1, not 0");
    call(g, "", "%0 = constant @g : (i64) -> i32", "parameter 0 of the function");
    call(g, "%a: i32", "%0 = call @g(%a) : (i32) -> i32", "");
    let g = "func.func private @g(memref<4xi32>)";
    call(g, "%m: memref<?xi32>", "call @g(%m) : (memref<?xi32>) -> ()", "not `memref<?xi32>`");
    call(g, "%m: memref<4x4xi32>", "call @g(%m) : (memref<4x4xi32>) -> ()", "not `memref<4x4xi32>`");
    call("func.func private @g(si32)", "%a: i32", "call @g(%a) : (i32) -> ()", "is of type `si32`, not `i32`");
    call("memref.global @g : memref<4xi32>", "", "call @g() : () -> ()", "`@g` is no function");
    let g = "llvm.func @g(i32, ...)";
    let dots = "vararg(!llvm.func<void (i32, ...)>)";
    call(g, "", &format!("llvm.call @g() {dots} : () -> ()"), "parameters of the function `@g` is 1, not 0");
    call(g, "%a: i32", &format!("llvm.call @g(%a, %a) {dots} : (i32, i32) -> ()"), "");
    let g = "llvm.func @g(i32)";
    call(g, "%a: i64", "llvm.call @g(%a) : (i64) -> ()", "parameter 0 of the function");
    call(g, "%a: i32", "%0 = llvm.call @g(%a) : (i32) -> i32", "results of the function `@g` is 0, not 1");
    call("llvm.mlir.global @g(1 : i32) : i32", "", "llvm.call @g() : () -> ()", "`@g` is no function");
    check(
        "%a: i32",
        "%0 = arith.addi %a, %a : i64",
        &[(1, "`%a` is a value of another type: of `i32`, not `i64`, defined at 1:")],
    );
}

/// A type that cannot be laid out is refused wherever it stands, not only where it is met first.
#[test]
fn types_without_layout() {
    for ty in ["vector<65537xi82>", "!llvm.struct<(i32, vector<65537xi82>)>", "!llvm.array<2 x vec<65537 x i82>>"] {
        let source = format!(
            "llvm.func @a(%x: i32) {{\n%0 = llvm.add %x, %x : i64\nllvm.return\n}}\n\
             llvm.func @b(%v: {ty}) -> {ty} {{\nllvm.return %v : {ty}\n}}\n\
             llvm.func @c(%p: !llvm.ptr) {{\n%v = llvm.load %p : !llvm.ptr -> {ty}\n\
             llvm.store %v, %p : {ty}, !llvm.ptr\nllvm.return\n}}\n",
        );
        let found = errors(&source);
        let lines: Vec<usize> = found.iter().map(|e| e.0).collect();
        assert_eq!(lines, [2, 5, 9], "{ty}: {found:?}");
        assert!(found[2].1.contains("vectors of this lane type"), "{ty}: {found:?}");
    }
    let named = "!llvm.struct<\"s\", (vector<65537xi82>)>";
    let found = errors(&format!("llvm.func @a(%p: {named})\nllvm.func @b(%p: {named})\n"));
    assert!(found.iter().all(|e| e.1.contains("vectors of this lane type")), "{found:?}");
}

/// Damaged texts give errors, or none; whatever stands in them.
#[test]
fn damaged() {
    let source = include_bytes!("recovery/damage.mlir");
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    for _ in 0..1500 {
        let mut text = source.to_vec();
        for _ in 0..=next(3) {
            let at = next(text.len());
            match next(4) {
                0 => drop(text.remove(at)),
                1 => text[at] = b"{}()<>[]%^@:,=\"x0 \n"[next(19)],
                2 => {
                    let end = (at + next(40)).min(text.len());
                    drop(text.drain(at..end));
                }
                _ => {
                    let end = (at + next(40)).min(text.len());
                    let piece = text[at..end].to_vec();
                    let to = next(text.len());
                    drop(text.splice(to..to, piece));
                }
            }
        }
        let _ = all_errors(&text, "t.mlir", &AbiTarget::X86_64_LINUX, Choices::default());
        let _ = all_translation_errors(&text, "t.mlir", None, Choices::default());
    }
}
