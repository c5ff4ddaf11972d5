// Values that C passes otherwise than MLIR's conversion: complex numbers, vectors of one and of several dimensions, small integers.
func.func @conjugate(%a: complex<f32>, %b: complex<f64>, %k: i8) -> f64 attributes {llvm.emit_c_interface} {
  %0 = complex.re %a : complex<f32>
  %1 = complex.im %a : complex<f32>
  %2 = complex.re %b : complex<f64>
  %3 = complex.im %b : complex<f64>
  %4 = arith.extf %0 : f32 to f64
  %5 = arith.extf %1 : f32 to f64
  %6 = arith.mulf %4, %3 : f64
  %7 = arith.mulf %5, %2 : f64
  %8 = arith.subf %6, %7 : f64
  %9 = arith.sitofp %k : i8 to f64
  %10 = arith.addf %8, %9 : f64
  return %10 : f64
}
func.func @reversed(%v: vector<4xf32>, %m: memref<?xf32>, %w: vector<2x4xi32>) -> vector<4xf32> attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %x = memref.load %m[%c0] : memref<?xf32>
  %0 = vector.broadcast %x : f32 to vector<4xf32>
  %1 = vector.shuffle %v, %v [3, 2, 1, 0] : vector<4xf32>, vector<4xf32>
  %2 = arith.mulf %1, %0 : vector<4xf32>
  %3 = vector.extract %w[1] : vector<4xi32> from vector<2x4xi32>
  %4 = arith.sitofp %3 : vector<4xi32> to vector<4xf32>
  %5 = arith.addf %2, %4 : vector<4xf32>
  return %5 : vector<4xf32>
}
func.func @rows(%v: vector<4xi32>, %k: i32) -> vector<2x4xi32> attributes {llvm.emit_c_interface} {
  %0 = vector.broadcast %k : i32 to vector<4xi32>
  %1 = arith.addi %v, %0 : vector<4xi32>
  %2 = vector.broadcast %v : vector<4xi32> to vector<2x4xi32>
  %3 = vector.insert %1, %2[1] : vector<4xi32> into vector<2x4xi32>
  return %3 : vector<2x4xi32>
}
func.func @product(%a: complex<f32>, %b: complex<f64>) -> (complex<f64>, i16) attributes {llvm.emit_c_interface} {
  %0 = complex.re %a : complex<f32>
  %1 = complex.im %a : complex<f32>
  %2 = arith.extf %0 : f32 to f64
  %3 = arith.extf %1 : f32 to f64
  %4 = complex.create %2, %3 : complex<f64>
  %5 = complex.add %4, %b : complex<f64>
  %6 = arith.constant -3 : i16
  return %5, %6 : complex<f64>, i16
}
func.func @truth(%a: i1, %b: i8, %c: i16) -> i8 attributes {llvm.emit_c_interface} {
  %0 = arith.trunci %c : i16 to i8
  %1 = arith.select %a, %b, %0 : i8
  return %1 : i8
}

// C defines these.
func.func private @c_complex(complex<f32>, complex<f64>, i8) -> f64 attributes {llvm.emit_c_interface}
func.func private @c_vector(vector<4xf32>, memref<?xf32>, vector<2x4xi32>) -> vector<4xf32> attributes {llvm.emit_c_interface}
func.func private @c_rows(vector<4xi32>, i32) -> vector<2x4xi32> attributes {llvm.emit_c_interface}
func.func private @c_product(complex<f32>, complex<f64>) -> (complex<f64>, i16) attributes {llvm.emit_c_interface}
func.func private @c_truth(i1, i8, i16) -> i8 attributes {llvm.emit_c_interface}

// The same through them.
func.func @back(%a: complex<f32>, %b: complex<f64>, %k: i8, %v: vector<4xf32>, %m: memref<?xf32>, %w: vector<2x4xi32>) -> f64 attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %0 = func.call @c_complex(%a, %b, %k) : (complex<f32>, complex<f64>, i8) -> f64
  %1 = func.call @c_vector(%v, %m, %w) : (vector<4xf32>, memref<?xf32>, vector<2x4xi32>) -> vector<4xf32>
  %2 = vector.reduction <add>, %1 : vector<4xf32> into f32
  %3 = vector.extract %w[0] : vector<4xi32> from vector<2x4xi32>
  %kk = arith.extsi %k : i8 to i32
  %4 = func.call @c_rows(%3, %kk) : (vector<4xi32>, i32) -> vector<2x4xi32>
  %5 = vector.extract %4[1] : vector<4xi32> from vector<2x4xi32>
  %6 = vector.reduction <add>, %5 : vector<4xi32> into i32
  %7:2 = func.call @c_product(%a, %b) : (complex<f32>, complex<f64>) -> (complex<f64>, i16)
  %8 = complex.im %7#0 : complex<f64>
  %t = arith.constant true
  %9 = arith.addi %7#1, %7#1 : i16
  %10 = func.call @c_truth(%t, %k, %9) : (i1, i8, i16) -> i8
  %11 = arith.extf %2 : f32 to f64
  %12 = arith.sitofp %6 : i32 to f64
  %13 = arith.sitofp %10 : i8 to f64
  %14 = arith.addf %0, %11 : f64
  %15 = arith.addf %12, %8 : f64
  %16 = arith.addf %14, %15 : f64
  %17 = arith.addf %16, %13 : f64
  return %17 : f64
}
