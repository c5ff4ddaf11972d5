//! Older spellings mean what the present ones do: the same functions come of both.

mod as_ir;

use gusset_abi::AbiTarget;
use gusset_mlir::{Choices, read_module};

/// The module as Gusset's IR.
fn ir(source: &str) -> Result<String, String> {
    let text = as_ir::ir(read_module(source.as_bytes(), "t.mlir", &AbiTarget::X86_64_LINUX, Choices::default()))?;
    // Functions of the library are declared, whatever the module calls.
    Ok(text.lines().filter(|line| !line.contains(" = import function")).collect::<Vec<_>>().join("\n"))
}

/// Parameters, an operation of `std` or `loop` and what it is now, each without the result's name.
const STD: &[(&str, &str, &str)] = &[
    ("", "constant 42 : i32", "arith.constant 42 : i32"),
    ("", "constant -1.5 : f64", "arith.constant -1.5 : f64"),
    ("", "constant true", "arith.constant true"),
    ("", "constant dense<2> : vector<4xi32>", "arith.constant dense<2> : vector<4xi32>"),
    ("", "constant @f : (i32) -> i32", "func.constant @f : (i32) -> i32"),
    ("", "std.constant 7 : index", "arith.constant 7 : index"),
    ("%a: i32", "call @f(%a) : (i32) -> i32", "func.call @f(%a) : (i32) -> i32"),
    ("%a: i32", "std.call @f(%a) : (i32) -> i32", "func.call @f(%a) : (i32) -> i32"),
    ("%a: i32, %p: (i32) -> i32", "call_indirect %p(%a) : (i32) -> i32", "func.call_indirect %p(%a) : (i32) -> i32"),
    ("%a: i32", "addi %a, %a : i32", "arith.addi %a, %a : i32"),
    ("%a: i32", "std.addi %a, %a : i32", "arith.addi %a, %a : i32"),
    ("%a: i32", "\"std.addi\"(%a, %a) : (i32, i32) -> i32", "arith.addi %a, %a : i32"),
    ("%a: i32", "divi_signed %a, %a : i32", "arith.divsi %a, %a : i32"),
    ("%a: i32", "remi_unsigned %a, %a : i32", "arith.remui %a, %a : i32"),
    ("%a: i32", "shift_right_signed %a, %a : i32", "arith.shrsi %a, %a : i32"),
    ("%a: i32", "xor %a, %a : i32", "arith.xori %a, %a : i32"),
    ("%a: i32", "sexti %a : i32 to i64", "arith.extsi %a : i32 to i64"),
    ("%a: i32", "trunci %a : i32 to i8", "arith.trunci %a : i32 to i8"),
    ("%a: i32", "index_cast %a : i32 to index", "arith.index_cast %a : i32 to index"),
    ("%a: i32", "cmpi slt, %a, %a : i32", "arith.cmpi slt, %a, %a : i32"),
    ("%a: i32", "cmpi \"ule\", %a, %a : i32", "arith.cmpi ule, %a, %a : i32"),
    ("%a: f32", "cmpf \"olt\", %a, %a : f32", "arith.cmpf olt, %a, %a : f32"),
    ("%a: f32", "mulf %a, %a : f32", "arith.mulf %a, %a : f32"),
    ("%a: f32", "fpext %a : f32 to f64", "arith.extf %a : f32 to f64"),
    ("%a: f32", "exp %a : f32", "math.exp %a : f32"),
    ("%a: f32", "splat %a : vector<4xf32>", "vector.splat %a : vector<4xf32>"),
    ("%c: i1, %a: f32", "select %c, %a, %a : f32", "arith.select %c, %a, %a : f32"),
    ("%n: index", "alloc(%n) : memref<?xf32>", "memref.alloc(%n) : memref<?xf32>"),
    ("", "alloca() : memref<4xf32>", "memref.alloca() : memref<4xf32>"),
    ("%m: memref<?xf32>, %i: index", "load %m[%i] : memref<?xf32>", "memref.load %m[%i] : memref<?xf32>"),
    ("%m: memref<?xf32>, %i: index", "dim %m, %i : memref<?xf32>", "memref.dim %m, %i : memref<?xf32>"),
    (
        "%m: memref<4xf32>",
        "memref_cast %m : memref<4xf32> to memref<?xf32>",
        "memref.cast %m : memref<4xf32> to memref<?xf32>",
    ),
    ("%m: memref<*xf32>", "rank %m : memref<*xf32>", "memref.rank %m : memref<*xf32>"),
    (
        "%m: memref<8xf32>",
        "subview %m[2][4][1] : memref<8xf32> to memref<4xf32, offset: 2, strides: [1]>",
        "memref.subview %m[2][4][1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>>",
    ),
    (
        "%m: memref<?xf32>, %i: index, %x: f32",
        "atomic_rmw \"addf\" %x, %m[%i] : (f32, memref<?xf32>) -> f32",
        "memref.atomic_rmw addf %x, %m[%i] : (f32, memref<?xf32>) -> f32",
    ),
    (
        "%n: index, %a: i32",
        "loop.for %i = %n to %n step %n iter_args(%x = %a) -> (i32) {\n loop.yield %x : i32\n}",
        "scf.for %i = %n to %n step %n iter_args(%x = %a) -> (i32) {\n scf.yield %x : i32\n}",
    ),
];

#[test]
fn the_dialect_std() {
    for (parameters, older, present) in STD {
        let function = |keyword: &str, op: &str| {
            format!("{keyword} private @f(i32) -> i32\n{keyword} @g({parameters}) {{\n%0 = {op}\nreturn\n}}\n")
        };
        let expected = ir(&function("func.func", present)).unwrap_or_else(|e| panic!("{present}: {e}"));
        assert_eq!(ir(&function("func", older)), Ok(expected), "{older}");
    }
}

/// The generic form of `scf.forall`, as MLIR 19 prints it.
#[test]
fn forall() {
    let function =
        |text: &str| format!("func.func @f(%m: memref<?x?xf32>, %n: index, %x: f32) {{\n{text}\nreturn\n}}\n");
    let body = "memref.store %x, %m[%i, %j] : memref<?x?xf32>\n";
    let generic = "\"scf.forall.in_parallel\"() ({\n^bb0:\n}) : () -> ()\n}) :";
    let two = format!(
        "\"scf.forall\"(%n, %n) <{{operandSegmentSizes = array<i32: 1, 1, 0, 0>, staticLowerBound = array<i64: 0, -9223372036854775808>, \
         staticStep = array<i64: 1, 2>, staticUpperBound = array<i64: -9223372036854775808, 8>}}> ({{\n^bb0(%i: index, %j: index):\n\
         {body}{generic} (index, index) -> ()"
    );
    let custom = format!("scf.forall (%i, %j) = (0, %n) to (%n, 8) step (1, 2) {{\n{body}}}");
    assert_eq!(ir(&function(&two)).unwrap(), ir(&function(&custom)).unwrap());
    let body = body.replace("%j", "%i");
    let one = format!(
        "\"scf.forall\"(%n) <{{operandSegmentSizes = array<i32: 0, 1, 0, 0>, staticLowerBound = array<i64: 0>, \
         staticStep = array<i64: 1>, staticUpperBound = array<i64: -9223372036854775808>}}> ({{\n^bb0(%i: index):\n\
         {body}{generic} (index) -> ()"
    );
    assert_eq!(ir(&function(&one)).unwrap(), ir(&function(&format!("scf.forall (%i) in (%n) {{\n{body}}}"))).unwrap());
    let missing = one.replace("(%n)", "()").replace("(index) ->", "() ->").replace("0, 1, 0, 0", "0, 0, 0, 0");
    assert!(ir(&function(&missing)).is_err_and(|e| e.contains("a bound is missing")));
}

/// Attributes of a call's arguments stand in the generic form's list, or beside the types.
#[test]
fn attributes_of_arguments() {
    let function = |call: &str| {
        format!(
            "llvm.func @g(!llvm.ptr, i8)\nllvm.func @f(%p: !llvm.ptr, %x: i8, %q: !llvm.ptr) {{\n{call}\nllvm.return\n}}\n"
        )
    };
    let generic = "\"llvm.call\"(%p, %x) <{callee = @g, operandSegmentSizes = array<i32: 2, 0>, op_bundle_sizes = array<i32>, \
        arg_attrs = [{llvm.byval = !llvm.struct<(i64, i64, i64)>}, {llvm.signext}]}> : (!llvm.ptr, i8) -> ()";
    let custom =
        "llvm.call @g(%p, %x) : (!llvm.ptr {llvm.byval = !llvm.struct<(i64, i64, i64)>}, i8 {llvm.signext}) -> ()";
    let expected = ir(&function(generic)).unwrap();
    assert_eq!(ir(&function(custom)), Ok(expected.clone()));
    assert_ne!(ir(&function("llvm.call @g(%p, %x) : (!llvm.ptr, i8) -> ()")), Ok(expected));
    let generic = "\"llvm.call\"(%q, %x) <{operandSegmentSizes = array<i32: 2, 0>, arg_attrs = [{llvm.signext}]}> : (!llvm.ptr, i8) -> ()";
    let custom = "llvm.call %q(%x) : !llvm.ptr, (i8 {llvm.signext}) -> ()";
    assert_eq!(ir(&function(custom)), ir(&function(generic)));
}

/// Texts that are printed are data, each once, whichever form names them.
#[test]
fn texts_are_data() {
    let text = ir("func.func @f(%c: i1) {\n cf.assert %c, \"no \\22good\\22\"\n \"cf.assert\"(%c) <{msg = \"no \\22good\\22\"}> : (i1) -> ()\n\
                   assert %c, \"bad\"\n vector.print str \"bad\"\n vector.print punctuation <comma>\n return\n}\n").unwrap();
    let data: Vec<&str> = text.lines().filter(|line| line.starts_with("data ")).collect();
    assert_eq!(data.len(), 2, "{text}");
    assert!(data[0].contains("size 10 ") && data[1].contains("size 4 "), "{text}");
    assert!(!text.contains("stack_alloc") && !text.contains("store "), "{text}");
    // Names that only look like it make none.
    let text =
        ir("llvm.mlir.global private constant @s(\"assert me\")\nllvm.func @__assert_fail(!llvm.ptr)\n").unwrap();
    assert_eq!(text.lines().filter(|line| line.starts_with("data ")).count(), 1, "{text}");
}

#[test]
fn what_gives_nothing_and_branches() {
    let older = "global_memref \"private\" @t : memref<4xi32> = dense<[1, 2, 3, 4]>\n\
                 func @f(%m: memref<?xf32>, %c: i1, %n: index, %x: f32) -> index {\n\
                 store %x, %m[%n] : memref<?xf32>\n %d = dim %m, 0 : memref<?xf32>\n assert %c, \"no\"\n\
                 %t = get_global_memref @t : memref<4xi32>\n prefetch %m[%n], read, locality<3>, data : memref<?xf32>\n\
                 dealloc %m : memref<?xf32>\n cond_br %c, ^bb1(%d : index), ^bb2\n\
                 ^bb1(%r: index):\n br ^bb3(%r : index)\n^bb2:\n br ^bb3(%n : index)\n^bb3(%q: index):\n return %q : index\n}\n";
    let present = "memref.global \"private\" @t : memref<4xi32> = dense<[1, 2, 3, 4]>\n\
                 func.func @f(%m: memref<?xf32>, %c: i1, %n: index, %x: f32) -> index {\n\
                 memref.store %x, %m[%n] : memref<?xf32>\n %z = arith.constant 0 : index\n %d = memref.dim %m, %z : memref<?xf32>\n cf.assert %c, \"no\"\n\
                 %t = memref.get_global @t : memref<4xi32>\n memref.prefetch %m[%n], read, locality<3>, data : memref<?xf32>\n\
                 memref.dealloc %m : memref<?xf32>\n cf.cond_br %c, ^bb1(%d : index), ^bb2\n\
                 ^bb1(%r: index):\n cf.br ^bb3(%r : index)\n^bb2:\n cf.br ^bb3(%n : index)\n^bb3(%q: index):\n return %q : index\n}\n";
    assert_eq!(ir(older).unwrap(), ir(present).unwrap());
}

/// Typed pointers, as MLIR 11 to 16 print them, as LLVM's text spelled them before, and what they are now: the types `float*`,
/// `{ i32, float* }*` and so on by the letters that stand for them.
#[test]
fn typed_pointers() {
    const MLIR: [(&str, &str); 9] = [
        ("FP", "!llvm.ptr<f32>"),
        ("BP", "!llvm.ptr<i8>"),
        ("SP", "!llvm.ptr<struct<(i32, ptr<f32>)>>"),
        ("PP", "!llvm.ptr<ptr<f32>>"),
        ("VP", "!llvm.ptr<vector<4xf32>>"),
        ("CP", "!llvm.ptr<func<f32 (ptr<f32>, i64)>>"),
        ("ST", "!llvm.struct<(i32, ptr<f32>)>"),
        ("I64", "i64"),
        ("F32", "f32"),
    ];
    const TEXT: [(&str, &str); 9] = [
        ("FP", "!llvm<\"float*\">"),
        ("BP", "!llvm<\"i8*\">"),
        ("SP", "!llvm<\"{ i32, float* }*\">"),
        ("PP", "!llvm<\"float**\">"),
        ("VP", "!llvm<\"<4 x float>*\">"),
        ("CP", "!llvm<\"float (float*, i64)*\">"),
        ("ST", "!llvm<\"{ i32, float* }\">"),
        ("I64", "!llvm.i64"),
        ("F32", "!llvm.float"),
    ];
    let older = "llvm.mlir.global internal @v(dense<0.0> : vector<4xf32>) : vector<4xf32>\n\
        llvm.func @f(%p: $FP, %n: $I64, %i: i32) -> $F32 {\n\
        %0 = llvm.getelementptr %p[%n] : ($FP, $I64) -> $FP\n %1 = llvm.load %0 {alignment = 8 : i64} : $FP\n\
        %2 = llvm.fadd %1, %1 : $F32\n llvm.store volatile %2, %0 : $FP\n\
        %3 = llvm.mlir.addressof @v : $VP\n %4 = llvm.load %3 : $VP\n\
        %5 = llvm.bitcast %3 : $VP to $BP\n %6 = llvm.mlir.null : $BP\n %7 = llvm.icmp \"eq\" %5, %6 : $BP\n\
        %8 = llvm.alloca %n x $ST : ($I64) -> $SP\n %9 = llvm.mlir.constant(1 : i32) : i32\n\
        %10 = llvm.getelementptr %8[%n, 1] : ($SP, $I64) -> $PP\n llvm.store %p, %10 : $PP\n\
        %11 = llvm.load %10 : $PP\n %12 = llvm.load %11 : $FP\n %13 = llvm.load %8 : $SP\n\
        %14 = llvm.extractvalue %13[1] : $ST\n\
        %15 = llvm.mlir.addressof @f : $CP\n %16 = llvm.call %15(%14, %n, %i) : ($FP, $I64, i32) -> $F32\n\
        %17 = llvm.getelementptr inbounds %8[0, 0] : ($SP) -> !llvm.ptr<i32>\n\
        %18 = llvm.atomicrmw add %17, %i acq_rel : i32\n\
        %19 = llvm.cmpxchg %17, %i, %18 acq_rel monotonic : i32\n\
        %20 = llvm.shufflevector %4, %4 [0 : i32, 4 : i32] : vector<4xf32>, vector<4xf32>\n\
        llvm.return %16 : $F32\n}\n";
    let present = "llvm.mlir.global internal @v(dense<0.0> : vector<4xf32>) : vector<4xf32>\n\
        llvm.func @f(%p: !llvm.ptr, %n: i64, %i: i32) -> f32 {\n\
        %0 = llvm.getelementptr %p[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32\n %1 = llvm.load %0 {alignment = 8 : i64} : !llvm.ptr -> f32\n\
        %2 = llvm.fadd %1, %1 : f32\n llvm.store volatile %2, %0 : f32, !llvm.ptr\n\
        %3 = llvm.mlir.addressof @v : !llvm.ptr\n %4 = llvm.load %3 : !llvm.ptr -> vector<4xf32>\n\
        %5 = llvm.bitcast %3 : !llvm.ptr to !llvm.ptr\n %6 = llvm.mlir.zero : !llvm.ptr\n %7 = llvm.icmp \"eq\" %5, %6 : !llvm.ptr\n\
        %8 = llvm.alloca %n x !llvm.struct<(i32, ptr)> : (i64) -> !llvm.ptr\n %9 = llvm.mlir.constant(1 : i32) : i32\n\
        %10 = llvm.getelementptr %8[%n, 1] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.struct<(i32, ptr)>\n llvm.store %p, %10 : !llvm.ptr, !llvm.ptr\n\
        %11 = llvm.load %10 : !llvm.ptr -> !llvm.ptr\n %12 = llvm.load %11 : !llvm.ptr -> f32\n %13 = llvm.load %8 : !llvm.ptr -> !llvm.struct<(i32, ptr)>\n\
        %14 = llvm.extractvalue %13[1] : !llvm.struct<(i32, ptr)>\n\
        %15 = llvm.mlir.addressof @f : !llvm.ptr\n %16 = llvm.call %15(%14, %n, %i) : !llvm.ptr, (!llvm.ptr, i64, i32) -> f32\n\
        %17 = llvm.getelementptr inbounds %8[0, 0] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(i32, ptr)>\n\
        %18 = llvm.atomicrmw add %17, %i acq_rel : !llvm.ptr, i32\n\
        %19 = llvm.cmpxchg %17, %i, %18 acq_rel monotonic : !llvm.ptr, i32\n\
        %20 = llvm.shufflevector %4, %4 [0, 4] : vector<4xf32>\n\
        llvm.return %16 : f32\n}\n";
    let expected = ir(present).unwrap();
    for spelling in [MLIR, TEXT] {
        let text =
            spelling.iter().fold(older.to_string(), |text, (letters, ty)| text.replace(&format!("${letters}"), ty));
        assert_eq!(ir(&text), Ok(expected.clone()), "{text}");
    }
}

/// An older form has its pointer's type; without one, and where nothing fits, the error is of the present form.
#[test]
fn what_no_spelling_has() {
    for (op, why) in [
        ("%0 = llvm.load %p : !llvm.ptr", "expected `->`"),
        ("llvm.store %p, %p : !llvm.ptr", "expected `,`"),
        ("%0 = llvm.getelementptr %p[0] : (!llvm.ptr) -> !llvm.ptr", "expected `,`"),
        ("%0 = llvm.load %p : !llvm.ptr<wrong>", "wrong"),
        ("%0 = llvm.load %p : !llvm<\"wrong*\">", "this spelling of a type"),
        ("%0 = llvm.load %p : !llvm<\"{ i32, *\">", "this spelling of a type"),
        ("%0 = llvm.load %p : !llvm<\"[4 x i8]\">", "values of other types"),
    ] {
        let found = ir(&format!("llvm.func @f(%p: !llvm.ptr) {{\n{op}\nllvm.return\n}}\n"));
        let error = found.expect_err(op);
        assert!(error.contains("t.mlir:") && (error.contains(why) || why == "values of other types"), "{op}: {error}");
    }
    assert!(
        ir("func @f() {\n%0 = addq %0, %0 : i32\nreturn\n}\n").is_err_and(|e| e.contains("`addq` is not converted"))
    );
}

/// Parameters, an operation of the dialect `ptr`, in its custom form or the generic one, and the one of LLVM's that does the same.
const PTR: &[(&str, &str, &str)] = &[
    (
        "%p: !ptr.ptr<#ptr.generic_space>, %i: i64",
        "ptr.ptr_add inbounds %p, %i : !ptr.ptr<#ptr.generic_space>, i64",
        "llvm.getelementptr inbounds %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i8",
    ),
    ("", "ptr.type_offset f32 : i64", "llvm.mlir.constant(4 : i64) : i64"),
    ("", "\"ptr.type_offset\"() <{elementType = vector<3xf32>}> : () -> i64", "llvm.mlir.constant(16 : i64) : i64"),
    ("", "ptr.constant #ptr.null : !ptr.ptr<#ptr.generic_space>", "llvm.mlir.zero : !llvm.ptr"),
    (
        "%p: !ptr.ptr",
        "ptr.load volatile %p nontemporal alignment = 2 : !ptr.ptr -> f32",
        "llvm.load volatile %p {alignment = 2 : i64} : !llvm.ptr -> f32",
    ),
    (
        "%p: !ptr.ptr<#ptr.generic_space>",
        "\"ptr.load\"(%p) <{alignment = [], ordering = 0 : i32, volatile_ = false}> : (!ptr.ptr<#ptr.generic_space>) -> f32",
        "llvm.load %p : !llvm.ptr -> f32",
    ),
    (
        "%p: !llvm.ptr",
        "\"ptr.load\"(%p) <{alignment = [8], ordering = 3 : i32}> : (!ptr.ptr<#ptr.generic_space>) -> i64",
        "llvm.load %p atomic acquire {alignment = 8 : i64} : !llvm.ptr -> i64",
    ),
    (
        "%v: vector<4x!ptr.ptr<#ptr.generic_space>>, %m: vector<4xi1>, %x: vector<4xf32>",
        "ptr.gather %v, %m, %x alignment = 4 : vector<4x!ptr.ptr<#ptr.generic_space>> -> vector<4xf32>",
        "llvm.intr.masked.gather %v, %m, %x {alignment = 4 : i32} : (!llvm.vec<4 x ptr>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>",
    ),
    (
        "%p: !llvm.ptr, %m: vector<4xi1>, %x: vector<4xf32>",
        "\"ptr.masked_load\"(%p, %m, %x) <{alignment = [4]}> : (!ptr.ptr<#ptr.generic_space>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>",
        "llvm.intr.masked.load %p, %m, %x {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>",
    ),
];

#[test]
fn the_dialect_ptr() {
    for (params, ptr, llvm) in PTR {
        let [of_ptr, of_llvm] = [ptr, llvm].map(|op| ir(&format!("func.func @g({params}) {{\n%0 = {op}\nreturn\n}}")));
        assert_eq!(of_ptr, of_llvm, "{ptr}");
        assert!(of_ptr.is_ok(), "{ptr}: {of_ptr:?}");
    }
    let body = |body: &str| {
        ir(&format!("func.func @g(%p: !llvm.ptr, %q: !llvm.ptr, %m: memref<?xf32>, %x: f32) -> i64 {{\n{body}\n}}"))
    };
    let same = [
        (
            "%0 = ptr.ptr_diff nuw %p, %q : !ptr.ptr<#ptr.generic_space> -> i64\nreturn %0 : i64",
            "%1 = llvm.ptrtoint %p : !llvm.ptr to i64\n%2 = llvm.ptrtoint %q : !llvm.ptr to i64\n%0 = llvm.sub %1, %2 : i64\nreturn %0 : i64",
        ),
        (
            "%0 = ptr.to_ptr %m : memref<?xf32> -> <#ptr.generic_space>\nptr.store %x, %0 : f32, !ptr.ptr<#ptr.generic_space>\n\
             %2 = ptr.ptr_diff %0, %0 : <#ptr.generic_space> -> i64\nreturn %2 : i64",
            "%i = memref.extract_aligned_pointer_as_index %m : memref<?xf32> -> index\n%c = arith.index_cast %i : index to i64\n\
             %0 = llvm.inttoptr %c : i64 to !llvm.ptr\nllvm.store %x, %0 : f32, !llvm.ptr\n\
             %1 = llvm.ptrtoint %0 : !llvm.ptr to i64\n%2 = llvm.sub %1, %1 : i64\nreturn %2 : i64",
        ),
    ];
    assert_eq!(body(same[0].0), body(same[0].1));
    assert!(body(same[1].0).is_ok() && body(same[1].1).is_ok(), "{:?}", body(same[1].0));
    // OpKind it knows of itself comes from the memref that the metadata are of, all else from the type.
    let whole = "%0 = ptr.get_metadata %m : memref<?xf32>\n%1 = ptr.from_ptr %p metadata %0 : <#ptr.generic_space> -> memref<?xf32>\n\
                 %c0 = arith.constant 0 : index\n%d = memref.dim %1, %c0 : memref<?xf32>\nmemref.store %x, %1[%c0] : memref<?xf32>\n\
                 %2 = arith.index_cast %d : index to i64\nreturn %2 : i64";
    let plain = "%c0 = arith.constant 0 : index\n%d = memref.dim %m, %c0 : memref<?xf32>\nllvm.store %x, %p : f32, !llvm.ptr\n\
                 %2 = arith.index_cast %d : index to i64\nreturn %2 : i64";
    assert_eq!(body(whole), body(plain));
    let error = body("%1 = ptr.from_ptr %p : !ptr.ptr<#ptr.generic_space> -> memref<?xf32>").unwrap_err();
    assert!(error.contains("not all in its type"), "{error}");
}

/// Constants directly in a module are nothing; what computes may not stand there.
#[test]
fn constants_outside_of_functions() {
    let function = "func.func @g() {\nreturn\n}\n";
    let with = format!(
        "%0 = arith.constant 3 : i32\nmodule {{\n%a:1 = \"llvm.mlir.zero\"() : () -> !llvm.ptr\n{function}%c = llvm.mlir.constant(1 : i8) : i8 loc(unknown)\n}}\n"
    );
    assert_eq!(ir(&with), ir(function));
    let error = ir(&format!("%0 = llvm.call @g() : () -> i32\n{function}")).unwrap_err();
    assert!(error.contains("outside of functions"), "{error}");
}

/// `%01` is another name than `%1`. Names are the same whatever comes after them, and at the end of the text.
#[test]
fn numbers_as_names() {
    let plain = "func.func @f(%a: i32, %b: i32, %c: i1) -> i32 {
  cf.cond_br %c, ^x, ^y
^x:
  %d = arith.subi %a, %b : i32
  return %d : i32
^y:
  return %b : i32}";
    let numbered = "func.func @f(%1: i32, %01: i32, %001: i1) -> i32 {
  cf.cond_br %001,^bb1, ^bb01
^bb1:
  %1234567 = arith.subi %1,%01 : i32
  return %1234567 : i32
^bb01 :
  return %01: i32}";
    assert!(ir(plain).unwrap().contains("isub"));
    assert_eq!(ir(numbered).unwrap(), ir(plain).unwrap());
    let swapped = numbered.replace("%1,%01", "%01, %1");
    assert_ne!(ir(&swapped).unwrap(), ir(plain).unwrap());
    assert_eq!(ir("func.func @f(%7: i32) -> i32 { return %7:i32}").unwrap(), {
        ir("func.func @f(%seven: i32) -> i32 { return %seven : i32 }").unwrap()
    });
}
