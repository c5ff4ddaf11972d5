//! OpKind is wrong with operations on numbers is said, with its place.

mod as_ir;
mod refused;

use refused::refused;

const CASES: &[(&str, &str, &str)] = &[
    ("%f: f32", "%0 = arith.addi %f, %f : f32", "is not for the type `f32`"),
    ("%i: i32", "%0 = arith.negf %i : i32", "is not for the type `i32`"),
    ("", "%0 = arith.constant dense<1> : tensor<2xi32>", "bufferize first"),
    ("", "%0 = arith.constant dense<[1, 2, 3]> : vector<2xi32>", "as many elements"),
    ("", "%0 = arith.constant 1.5 : i32", "an integer"),
    ("", "%0 = arith.constant 300 : i8", "does not fit 8 bits"),
    ("", "%0 = arith.constant -129 : i8", "does not fit 8 bits"),
    ("", "%0 = arith.constant 2 : i1", "does not fit 1 bits"),
    ("", "%0 = arith.constant 0x1ff : i8", "does not fit 8 bits"),
    ("", "%0 = arith.constant dense<300> : vector<2xi8>", "does not fit 8 bits"),
    ("", "%0 = arith.constant 4294967296 : i32", "does not fit 32 bits"),
    ("", "%0 = arith.constant 18446744073709551616 : i64", "does not fit 64 bits"),
    ("", "%0 = arith.constant 340282366920938463463374607431768211456 : i128", "does not fit 128 bits"),
    ("", "%0 = llvm.mlir.constant(-340282366920938463463374607431768211457 : i129) : i129", "does not fit 129 bits"),
    ("", "%0 = arith.constant 1 : f32", "with a point"),
    ("", "%0 = arith.constant dense<1> : vector<2xf32>", "with a point"),
    ("%n: none", "%0 = arith.cmpi eq, %n, %n : none", "is not for the type `none`"),
    ("%n: none", "%0 = math.isnan %n : none", "is not for the type `none`"),
    ("%i: i32", "%0 = arith.cmpi less, %i, %i : i32", "a comparison"),
    ("%f: f32", "%0 = arith.cmpf slt, %f, %f : f32", "a comparison"),
    (
        "%c: vector<3xi1>, %v: vector<4xi32>",
        "%0 = arith.select %c, %v, %v : vector<3xi1>, vector<4xi32>",
        "another shape",
    ),
    (
        "%m: memref<4xindex>",
        "%0 = arith.index_cast %m : memref<4xindex> to memref<4xi32>",
        "is not for the type `memref<4xindex>`",
    ),
    ("%v: vector<2x2xi8>", "%0 = arith.extui %v : vector<2x2xi8> to vector<2xi32>", "different shapes"),
    ("%i: i32", "%0, %1 = arith.addui_extended %i, %i : i32, i32", "`i1`"),
    ("%i: i32", "%0 = math.sin %i : i32", "wants a floating-point number"),
    ("%q: f128", "%0 = math.tan %q : f128", "no function `tan`"),
    ("%f: f32", "%0 = math.ipowi %f, %f : f32", "wants an integer without a sign"),
    ("%f: f32", "%0 = index.casts %f : f32 to index", "wants an integer without a sign"),
    ("%f: f32", "%0 = complex.abs %f : f32", "wants a complex number"),
    ("%z: complex<i32>", "%0 = complex.mul %z, %z : complex<i32>", "is not for the type `complex<i32>`"),
    ("%z: complex<f32>", "%0 = complex.bitcast %z : complex<f32> to i32", "different widths"),
    ("%z: complex<f32>", "%0 = \"complex.mul\"(%z) : (complex<f32>) -> complex<f32>", "operands"),
    ("%z: complex<f32>", "%0 = \"complex.re\"(%z) : (complex<f32>) -> f64", "another type"),
];

#[test]
fn what_is_wrong() {
    for (parameters, body, expected) in CASES {
        let text = refused(parameters, body);
        assert!(text.contains(expected), "{body}\n{text}");
    }
}

/// Reductions that may be in any order are those of LLVM: by halves. Elsewhere the order is that of the lanes.
#[test]
fn reductions_in_any_order() {
    let text = |flags: &str| {
        let source = format!(
            "func.func @f(%v: vector<8xf32>, %x: f32) -> f32 {{\n%0 = vector.reduction <add>, %v, %x{flags} : vector<8xf32> into f32\nreturn %0 : f32\n}}"
        );
        as_ir::ir(gusset_mlir::read_module(
            source.as_bytes(),
            "t",
            &gusset_abi::AbiTarget::X86_64_LINUX,
            Default::default(),
        ))
    };
    for (flags, halves) in
        [("", false), (" fastmath<nnan>", false), (" fastmath<reassoc>", true), (" fastmath<fast>", true)]
    {
        let text = text(flags).unwrap();
        assert_eq!((text.contains("shuffle"), text.contains("reduce")), (halves, !halves), "{flags}: {text}");
    }
}
