//! OpKind is wrong with operations on vectors is said, with its place.

mod refused;

use refused::refused;

const CASES: &[(&str, &str, &str)] = &[
    ("%v: vector<2x3xf32>", "%0 = vector.extract %v[2] : vector<3xf32> from vector<2x3xf32>", "outside of the vector"),
    ("%v: vector<2x3xf32>", "%0 = vector.extract %v[1, 1, 0] : f32 from vector<2x3xf32>", "more numbers"),
    (
        "%v: vector<2x3xf32>",
        "%0 = vector.extract %v[1] : vector<4xf32> from vector<2x3xf32>",
        "dimensions that the position",
    ),
    (
        "%v: vector<2x3xf32>, %x: f32",
        "%0 = vector.insert %x, %v[1] : f32 into vector<2x3xf32>",
        "dimensions that the position",
    ),
    ("%v: vector<2xf32>", "%0 = vector.shuffle %v, %v [0, 4] : vector<2xf32>, vector<2xf32>", "beyond both vectors"),
    ("%v: vector<2xf32>", "%0 = vector.broadcast %v : vector<2xf32> to vector<4xf32>", "cannot be broadcast"),
    ("%v: vector<2x3xf32>", "%0 = vector.shape_cast %v : vector<2x3xf32> to vector<5xf32>", "other elements"),
    ("%v: vector<2x3xf32>", "%0 = vector.transpose %v, [0, 0] : vector<2x3xf32> to vector<2x2xf32>", "in this order"),
    ("%v: vector<2x3xf32>", "%0 = vector.transpose %v, [0, 7] : vector<2x3xf32> to vector<2x3xf32>", "in this order"),
    (
        "%v: vector<4xf32>",
        "%0 = vector.extract_strided_slice %v {offsets = [2], sizes = [3], strides = [1]} : vector<4xf32> to vector<3xf32>",
        "not inside",
    ),
    (
        "%v: vector<4xf32>",
        "%0 = vector.extract_strided_slice %v {offsets = [0], sizes = [2], strides = [2]} : vector<4xf32> to vector<2xf32>",
        "strides of slices",
    ),
    ("%v: vector<4xf32>", "%0 = vector.reduction <minsi>, %v : vector<4xf32> into f32", "does not combine"),
    ("%v: vector<4xf32>", "%0 = vector.reduction <most>, %v : vector<4xf32> into f32", "`most` is not known"),
    (
        "%v: vector<4xf32>",
        "%0 = vector.matrix_multiply %v, %v {lhs_rows = 3 : i32, lhs_columns = 2 : i32, rhs_columns = 2 : i32} : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>",
        "of such matrices",
    ),
    (
        "%v: vector<4xf32>, %m: vector<4xi1>",
        "%0 = vector.mask %m { vector.fma %v, %v, %v : vector<4xf32> } : vector<4xi1> -> vector<4xf32>",
        "takes no mask",
    ),
    (
        "%v: vector<4xf32>, %m: vector<3xi1>",
        "%0 = vector.mask %m { vector.reduction <add>, %v : vector<4xf32> into f32 } : vector<3xi1> -> f32",
        "other dimensions",
    ),
    (
        "%v: vector<4xf32>",
        "%0 = vector.contract {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = [\"reduction\"]} %v, %v, %v : vector<4xf32>, vector<4xf32> into vector<4xf32>",
        "a map for each operand",
    ),
    ("%n: index", "%0 = vector.create_mask %n : vector<2x3xi1>", "a bound for each dimension"),
    (
        "%v: vector<512x512xf32>",
        "%0 = vector.transpose %v, [1, 0] : vector<512x512xf32> to vector<512x512xf32>",
        "more than 65536 elements",
    ),
    ("", "%0 = vector.vscale", "scalable vectors are not supported"),
    ("", "%0 = llvm.intr.coro.size : i64", "split by LLVM's passes first"),
    ("%v: vector<4xf80>", "vector.print %v : vector<4xf80>", "not printed"),
    ("%v: vector<4xf32>", "vector.print %v : vector<4xf32> punctuation <dot>", "not known"),
    (
        "%m: memref<4xf32>, %i: index",
        "%0 = vector.load %m[%i] : memref<4xf32>, vector<2x2xf32>",
        "more dimensions than the memref",
    ),
    (
        "%m: memref<4xf32>, %i: index",
        "%0 = vector.load %m[%i, %i] : memref<4xf32>, vector<2xf32>",
        "an index for each dimension",
    ),
    (
        "%m: memref<4xf32>, %i: index",
        "%0 = vector.load %m[%i] : memref<4xf32>, vector<2xf64>",
        "not the memref's elements",
    ),
    (
        "%m: memref<4xf32>, %i: index, %x: f32",
        "%0 = vector.transfer_read %m[%i], %x {permutation_map = affine_map<(d0, d1) -> (d1)>} : memref<4xf32>, vector<2xf32>",
        "permutation map",
    ),
    (
        "%m: memref<4x4xf32>, %i: index, %x: f32",
        "%0 = vector.transfer_read %m[%i, %i], %x {permutation_map = affine_map<(d0, d1) -> (d1, d1)>} : memref<4x4xf32>, vector<2x2xf32>",
        "permutation map",
    ),
    (
        "%m: memref<4xf32>, %i: index, %v: vector<2xf32>, %b: vector<3xi1>",
        "vector.maskedstore %m[%i], %b, %v : memref<4xf32>, vector<3xi1>, vector<2xf32>",
        "dimensions of the vector",
    ),
    (
        "%m: memref<vector<4xf32>>",
        "%0 = vector.type_cast %m : memref<vector<4xf32>> to memref<2xvector<3xf32>>",
        "same elements",
    ),
];

#[test]
fn what_is_wrong_is_said() {
    for (parameters, body, message) in CASES {
        let text = refused(parameters, body);
        assert!(text.contains(message), "{body}\nis refused with: {text}");
    }
}
