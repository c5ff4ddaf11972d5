// The functions that driver.c calls. MLIR 19 made functions_64.ll and functions_32.ll of them:
//   mlir-opt-19 --convert-scf-to-cf --expand-strided-metadata --finalize-memref-to-llvm=index-bitwidth=BITS
//     --convert-index-to-llvm=index-bitwidth=BITS --convert-complex-to-llvm --convert-arith-to-llvm=index-bitwidth=BITS
//     --convert-cf-to-llvm=index-bitwidth=BITS --convert-func-to-llvm=index-bitwidth=BITS --reconcile-unrealized-casts
//     functions.mlir | mlir-translate-19 --mlir-to-llvmir

func.func @weigh(%m: memref<?x4xf32>, %by: f32, %column: index) -> f32 attributes {llvm.emit_c_interface} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = arith.constant 0.0 : f32
  %rows = memref.dim %m, %zero : memref<?x4xf32>
  %sum = scf.for %i = %zero to %rows step %one iter_args(%s = %start) -> f32 {
    %x = memref.load %m[%i, %column] : memref<?x4xf32>
    %y = arith.mulf %x, %by : f32
    memref.store %y, %m[%i, %column] : memref<?x4xf32>
    %t = arith.addf %s, %y : f32
    scf.yield %t : f32
  }
  return %sum : f32
}

func.func @transposed(%m: memref<?x?xf64>) -> memref<?x?xf64, strided<[1, ?], offset: ?>> attributes {llvm.emit_c_interface} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = memref.dim %m, %zero : memref<?x?xf64>
  %columns = memref.dim %m, %one : memref<?x?xf64>
  %t = memref.reinterpret_cast %m to offset: [%zero], sizes: [%columns, %rows], strides: [1, %columns]
    : memref<?x?xf64> to memref<?x?xf64, strided<[1, ?], offset: ?>>
  return %t : memref<?x?xf64, strided<[1, ?], offset: ?>>
}

func.func @filled(%value: memref<f32>, %count: i8) -> (i32, memref<*xf32>) attributes {llvm.emit_c_interface} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n32 = arith.extsi %count : i8 to i32
  %n = arith.index_cast %n32 : i32 to index
  %x = memref.load %value[] : memref<f32>
  %m = memref.alloc(%n) : memref<2x?xf32>
  scf.for %i = %zero to %n step %one {
    memref.store %x, %m[%zero, %i] : memref<2x?xf32>
    memref.store %x, %m[%one, %i] : memref<2x?xf32>
  }
  %u = memref.cast %m : memref<2x?xf32> to memref<*xf32>
  return %n32, %u : i32, memref<*xf32>
}

func.func @rank_of(%m: memref<*xf32>) -> index attributes {llvm.emit_c_interface} {
  %r = memref.rank %m : memref<*xf32>
  return %r : index
}

func.func @turned(%re: f32, %im: f32) -> complex<f32> attributes {llvm.emit_c_interface} {
  %c = complex.create %im, %re : complex<f32>
  return %c : complex<f32>
}

func.func private @doubled(memref<?xi32, strided<[?], offset: ?>>, i16) -> memref<?xi32, strided<[?], offset: ?>> attributes {llvm.emit_c_interface}

func.func @through_c(%m: memref<?xi32, strided<[?], offset: ?>>, %k: i16) -> i32 attributes {llvm.emit_c_interface} {
  %zero = arith.constant 0 : index
  %d = call @doubled(%m, %k) : (memref<?xi32, strided<[?], offset: ?>>, i16) -> memref<?xi32, strided<[?], offset: ?>>
  %last = memref.dim %d, %zero : memref<?xi32, strided<[?], offset: ?>>
  %one = arith.constant 1 : index
  %at = arith.subi %last, %one : index
  %x = memref.load %d[%at] : memref<?xi32, strided<[?], offset: ?>>
  return %x : i32
}
