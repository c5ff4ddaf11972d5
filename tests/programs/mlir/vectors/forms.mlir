// What MLIR 19's passes do not lower by themselves, and operations in the generic form.
func.func @reduced(%v: vector<2x3x4xf32>, %n: vector<2x3x4xi32>, %f: f32, %i: i32) {
  %a0 = arith.constant dense<[10.0, 20.0, 30.0]> : vector<3xf32>
  %0 = vector.multi_reduction <add>, %v, %a0 [0, 2] : vector<2x3x4xf32> to vector<3xf32>
  vector.print %0 : vector<3xf32>
  %1 = vector.multi_reduction <maxnumf>, %v, %f [0, 1, 2] : vector<2x3x4xf32> to f32
  vector.print %1 : f32
  %a2 = arith.constant dense<7> : vector<2x4xi32>
  %2 = vector.multi_reduction <mul>, %n, %a2 [1] : vector<2x3x4xi32> to vector<2x4xi32>
  vector.print %2 : vector<2x4xi32>
  %a3 = arith.constant dense<-1> : vector<2x3xi32>
  %3 = vector.multi_reduction <minsi>, %n, %a3 [2] : vector<2x3x4xi32> to vector<2x3xi32>
  vector.print %3 : vector<2x3xi32>
  %s0 = arith.constant dense<5> : vector<2x4xi32>
  %5:2 = vector.scan <add>, %n, %s0 {inclusive = true, reduction_dim = 1 : i64} : vector<2x3x4xi32>, vector<2x4xi32>
  vector.print %5#0 : vector<2x3x4xi32>
  vector.print %5#1 : vector<2x4xi32>
  %6:2 = vector.scan <add>, %n, %s0 {inclusive = false, reduction_dim = 1 : i64} : vector<2x3x4xi32>, vector<2x4xi32>
  vector.print %6#0 : vector<2x3x4xi32>
  vector.print %6#1 : vector<2x4xi32>
  %row = vector.extract %n[1, 2] : vector<4xi32> from vector<2x3x4xi32>
  %s1 = arith.constant dense<9> : vector<i32>
  %7:2 = vector.scan <mul>, %row, %s1 {inclusive = false, reduction_dim = 0 : i64} : vector<4xi32>, vector<i32>
  vector.print %7#0 : vector<4xi32>
  vector.print %7#1 : vector<i32>
  %m = arith.constant dense<[[true, false, true, false], [true, true, false, true]]> : vector<2x4xi1>
  %x = vector.extract %v[0] : vector<3x4xf32> from vector<2x3x4xf32>
  %y = vector.extract %x[0] : vector<4xf32> from vector<3x4xf32>
  %z = vector.extract_strided_slice %y {offsets = [1], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  %acc = arith.constant dense<1.0> : vector<2x4xf32>
  %8 = vector.mask %m { vector.outerproduct %z, %y, %acc {kind = #vector.kind<add>} : vector<2xf32>, vector<4xf32> } : vector<2x4xi1> -> vector<2x4xf32>
  vector.print %8 : vector<2x4xf32>
  %w = vector.extract_strided_slice %x {offsets = [0, 0], sizes = [2, 4], strides = [1, 1]} : vector<3x4xf32> to vector<2x4xf32>
  %acc2 = vector.extract_strided_slice %z {offsets = [0], sizes = [2], strides = [1]} : vector<2xf32> to vector<2xf32>
  %9 = vector.mask %m { vector.contract {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>} %w, %y, %acc2 : vector<2x4xf32>, vector<4xf32> into vector<2xf32> } : vector<2x4xi1> -> vector<2xf32>
  vector.print %9 : vector<2xf32>
  %10 = vector.mask %m { vector.multi_reduction <add>, %w, %acc2 [1] : vector<2x4xf32> to vector<2xf32> } : vector<2x4xi1> -> vector<2xf32>
  vector.print %10 : vector<2xf32>
  %11 = vector.mask %m { vector.multi_reduction <mul>, %w, %y [0] : vector<2x4xf32> to vector<4xf32> } : vector<2x4xi1> -> vector<4xf32>
  vector.print %11 : vector<4xf32>
  %cacc = arith.constant dense<0.25> : vector<2x3x3xf32>
  %12 = vector.contract {indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, j, k)>, affine_map<(b, i, j, k) -> (b, j, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"], kind = #vector.kind<add>} %v, %v, %cacc : vector<2x3x4xf32>, vector<2x3x4xf32> into vector<2x3x3xf32>
  vector.print %12 : vector<2x3x3xf32>
  %13 = vector.contract {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"], kind = #vector.kind<maxnumf>} %w, %w, %y : vector<2x4xf32>, vector<2x4xf32> into vector<4xf32>
  vector.print %13 : vector<4xf32>
  return
}
func.func @chosen(%i: index, %j: index, %v: vector<2x3x4xf32>, %x: f32) {
  %0 = vector.extract %v[%i] : vector<3x4xf32> from vector<2x3x4xf32>
  vector.print %0 : vector<3x4xf32>
  %1 = vector.extract %v[%i, %j] : vector<4xf32> from vector<2x3x4xf32>
  vector.print %1 : vector<4xf32>
  %2 = vector.extract %v[1, %j, 2] : f32 from vector<2x3x4xf32>
  vector.print %2 : f32
  %3 = vector.extract %v[%i, 1, %j] : f32 from vector<2x3x4xf32>
  vector.print %3 : f32
  %4 = vector.insert %x, %v[%i, 1, %j] : f32 into vector<2x3x4xf32>
  vector.print %4 : vector<2x3x4xf32>
  %5 = vector.insert %1, %v[0, %j] : vector<4xf32> into vector<2x3x4xf32>
  vector.print %5 : vector<2x3x4xf32>
  %6 = "vector.extract"(%v, %j) <{static_position = array<i64: 1, -9223372036854775808>}> : (vector<2x3x4xf32>, index) -> vector<4xf32>
  "vector.print"(%6) <{punctuation = #vector.punctuation<newline>}> : (vector<4xf32>) -> ()
  "vector.print"() <{punctuation = #vector.punctuation<newline>, stringLiteral = "text\0A"}> : () -> ()
  %7 = "vector.reduction"(%6, %x) <{fastmathFlags = #arith.fastmath<none>, kind = #vector.kind<add>}> : (vector<4xf32>, f32) -> f32
  "vector.print"(%7) <{punctuation = #vector.punctuation<comma>}> : (f32) -> ()
  %8 = "vector.shuffle"(%1, %6) <{mask = array<i64: 0, 4, 1>}> : (vector<4xf32>, vector<4xf32>) -> vector<3xf32>
  vector.print %8 : vector<3xf32>
  %10 = "vector.contract"(%0, %1, %8) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = [#vector.iterator_type<parallel>, #vector.iterator_type<reduction>], kind = #vector.kind<add>}> : (vector<3x4xf32>, vector<4xf32>, vector<3xf32>) -> vector<3xf32>
  vector.print %10 : vector<3xf32>
  %m = vector.create_mask %j : vector<4xi1>
  %11 = "vector.mask"(%m) ({
    %12 = "vector.reduction"(%1) <{kind = #vector.kind<add>}> : (vector<4xf32>) -> f32
    "vector.yield"(%12) : (f32) -> ()
  }) : (vector<4xi1>) -> f32
  vector.print %11 : f32
  %13 = vector.mask %m, %6 { vector.yield %1 : vector<4xf32> } : vector<4xi1> -> vector<4xf32>
  vector.print %13 : vector<4xf32>
  %a = memref.alloca() : memref<5xf32>
  "vector.transfer_write"(%1, %a, %j) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, in_bounds = [true], permutation_map = affine_map<(d0) -> (d0)>}> : (vector<4xf32>, memref<5xf32>, index) -> ()
  %14 = "vector.transfer_read"(%a, %j, %x) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, in_bounds = [false], permutation_map = affine_map<(d0) -> (d0)>}> : (memref<5xf32>, index, f32) -> vector<5xf32>
  vector.print %14 : vector<5xf32>
  return
}
func.func @matrices() {
  // Column by column: [1 3 5; 2 4 6] times [1 4; 2 5; 3 6].
  %a = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : vector<6xf64>
  %p = vector.matrix_multiply %a, %a {lhs_rows = 2 : i32, lhs_columns = 3 : i32, rhs_columns = 2 : i32} : (vector<6xf64>, vector<6xf64>) -> vector<4xf64>
  vector.print %p : vector<4xf64>
  %t = vector.flat_transpose %a {rows = 2 : i32, columns = 3 : i32} : vector<6xf64> -> vector<6xf64>
  vector.print %t : vector<6xf64>
  // Products of bytes, summed as words.
  %b = arith.constant dense<[[100, -100, 127], [1, 2, -128]]> : vector<2x3xi8>
  %s = arith.constant dense<[5, 7]> : vector<2xi32>
  %c = vector.contract {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>} %b, %b, %s : vector<2x3xi8>, vector<2x3xi8> into vector<2xi32>
  vector.print %c : vector<2xi32>
  // A mask over all but the last dimension's order.
  %m = arith.constant dense<[[true, false], [true, true], [false, true]]> : vector<3x2xi1>
  %x = memref.alloca() : memref<3x2xi8>
  %i0 = arith.constant 0 : index
  %pad = arith.constant 9 : i8
  %bt = vector.transpose %b, [1, 0] : vector<2x3xi8> to vector<3x2xi8>
  vector.transfer_write %bt, %x[%i0, %i0] {in_bounds = [true, true]} : vector<3x2xi8>, memref<3x2xi8>
  %r = vector.transfer_read %x[%i0, %i0], %pad, %m {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<3x2xi8>, vector<2x3xi8>
  vector.print %r : vector<2x3xi8>
  %w = vector.mask %m { vector.transfer_read %x[%i0, %i0], %pad : memref<3x2xi8>, vector<3x2xi8> } : vector<3x2xi1> -> vector<3x2xi8>
  vector.print %w : vector<3x2xi8>
  return
}
func.func @signs() {
  %b = arith.constant dense<[-1, 127]> : vector<2xi8>
  %u = vector.bitcast %b : vector<2xi8> to vector<2xui8>
  vector.print %u : vector<2xui8>
  vector.print
  %s = vector.bitcast %b : vector<2xi8> to vector<2xsi8>
  vector.print
  %e, %o = vector.deinterleave %s : vector<2xsi8> -> vector<1xsi8>
  vector.print
  %p:2 = vector.deinterleave %s : vector<2xsi8> -> vector<1xsi8>
  vector.print %s : vector<2xsi8>
  return
}
func.func @entry() {
  %v = arith.constant dense<[[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]], [[-1.0, -2.0, -3.0, -4.0], [-5.0, -6.0, -7.0, -8.0], [-9.0, -10.0, -11.0, -12.0]]]> : vector<2x3x4xf32>
  %n = arith.constant dense<[[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], [[-1, -2, -3, -4], [-5, -6, -7, -8], [-9, -10, -11, -12]]]> : vector<2x3x4xi32>
  %f = arith.constant 11.5 : f32
  %k = arith.constant 3 : i32
  %i = arith.constant 0 : index
  %j = arith.constant 1 : index
  call @reduced(%v, %n, %f, %k) : (vector<2x3x4xf32>, vector<2x3x4xi32>, f32, i32) -> ()
  call @chosen(%i, %j, %v, %f) : (index, index, vector<2x3x4xf32>, f32) -> ()
  call @chosen(%j, %j, %v, %f) : (index, index, vector<2x3x4xf32>, f32) -> ()
  call @matrices() : () -> ()
  call @signs() : () -> ()
  return
}
