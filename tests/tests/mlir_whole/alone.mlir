// What MLIR's own passes leave unconverted. Each function says what it prints.

func.func private @atomics() {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : i32
  %seven = arith.constant 7 : i32
  %x = arith.constant 2.5 : f32
  %y = arith.constant 9.0 : f32
  %i = memref.alloca() : memref<1xi32>
  %f = memref.alloca() : memref<1xf32>
  memref.store %three, %i[%c0] : memref<1xi32>
  memref.store %x, %f[%c0] : memref<1xf32>
  %0 = memref.atomic_rmw muli %seven, %i[%c0] : (i32, memref<1xi32>) -> i32
  vector.print %0 : i32 // 3
  %1 = memref.atomic_rmw mulf %x, %f[%c0] : (f32, memref<1xf32>) -> f32
  vector.print %1 : f32 // 2.5
  %2 = memref.atomic_rmw maximumf %y, %f[%c0] : (f32, memref<1xf32>) -> f32
  vector.print %2 : f32 // 6.25
  %3 = memref.generic_atomic_rmw %i[%c0] : memref<1xi32> {
  ^bb0(%old: i32):
    %new = arith.subi %three, %old : i32
    memref.atomic_yield %new : i32
  }
  vector.print %3 : i32 // 21
  %4 = memref.generic_atomic_rmw %f[%c0] : memref<1xf32> {
  ^bb0(%old: f32):
    %new = arith.divf %old, %x : f32
    memref.atomic_yield %new : f32
  }
  vector.print %4 : f32 // 9
  %5 = memref.load %i[%c0] : memref<1xi32>
  vector.print %5 : i32 // -18
  %6 = memref.load %f[%c0] : memref<1xf32>
  vector.print %6 : f32 // 3.6
  return
}

func.func private @grown(%n: index, %m: memref<?xi32>) {
  %c2 = arith.constant 2 : index
  %r = memref.realloc %m(%n) : memref<?xi32> to memref<?xi32>
  %0 = memref.load %r[%c2] : memref<?xi32>
  vector.print %0 : i32 // 42
  memref.dealloc %r : memref<?xi32>
  return
}

func.func private @chosen(%m: vector<4xi1>, %n: i32) {
  %a = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
  %b = arith.constant dense<[5, 6, 7, 8]> : vector<4xi32>
  %0 = "llvm.intr.vp.merge"(%m, %a, %b, %n) : (vector<4xi1>, vector<4xi32>, vector<4xi32>, i32) -> vector<4xi32>
  vector.print %0 : vector<4xi32> // ( 1, 6, 7, 8 )
  %four = arith.constant 4 : i32
  %1 = "llvm.intr.vp.select"(%m, %a, %b, %four) : (vector<4xi1>, vector<4xi32>, vector<4xi32>, i32) -> vector<4xi32>
  vector.print %1 : vector<4xi32> // ( 1, 6, 3, 8 )
  return
}

// Matrices, column by column: [1 3 5; 2 4 6].
func.func private @matrices() {
  %c0 = arith.constant 0 : index
  %stride = arith.constant 3 : i64
  %a = arith.constant dense<[1, 2, 3, 4, 5, 6]> : vector<6xi32>
  %t = llvm.intr.matrix.transpose %a {rows = 2 : i32, columns = 3 : i32} : vector<6xi32> into vector<6xi32>
  vector.print %t : vector<6xi32> // ( 1, 3, 5, 2, 4, 6 )
  %p = llvm.intr.matrix.multiply %a, %t {lhs_rows = 2 : i32, lhs_columns = 3 : i32, rhs_columns = 2 : i32}
    : (vector<6xi32>, vector<6xi32>) -> vector<4xi32>
  vector.print %p : vector<4xi32> // ( 35, 44, 44, 56 )
  %z = arith.constant dense<0> : vector<9xi32>
  %m = memref.alloca() : memref<9xi32>
  vector.store %z, %m[%c0] : memref<9xi32>, vector<9xi32>
  %i = memref.extract_aligned_pointer_as_index %m : memref<9xi32> -> index
  %j = arith.index_cast %i : index to i64
  %q = llvm.inttoptr %j : i64 to !llvm.ptr
  llvm.intr.matrix.column.major.store %a, %q, <stride = %stride> {isVolatile = false, rows = 2 : i32, columns = 3 : i32}
    : vector<6xi32> to !llvm.ptr stride i64
  %all = vector.load %m[%c0] : memref<9xi32>, vector<9xi32>
  vector.print %all : vector<9xi32> // ( 1, 2, 0, 3, 4, 0, 5, 6, 0 )
  %back = llvm.intr.matrix.column.major.load %q, <stride = %stride> {isVolatile = true, rows = 3 : i32, columns = 2 : i32}
    : vector<6xi32> from !llvm.ptr stride i64
  vector.print %back : vector<6xi32> // ( 1, 2, 0, 3, 4, 0 )
  return
}

// Lanes two elements apart.
func.func private @strided(%m: vector<4xi1>, %n: i32) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %bytes = arith.constant 8 : i64
  %b = memref.alloca() : memref<8xi32>
  %v = arith.constant dense<[10, 11, 12, 13, 14, 15, 16, 17]> : vector<8xi32>
  vector.store %v, %b[%c0] : memref<8xi32>, vector<8xi32>
  %i = memref.extract_aligned_pointer_as_index %b : memref<8xi32> -> index
  %j = arith.index_cast %i : index to i64
  %p = llvm.inttoptr %j : i64 to !llvm.ptr
  %0 = "llvm.intr.experimental.vp.strided.load"(%p, %bytes, %m, %n) : (!llvm.ptr, i64, vector<4xi1>, i32) -> vector<4xi32>
  %none = vector.broadcast %z : i32 to vector<4xi32>
  %set = arith.select %m, %0, %none : vector<4xi1>, vector<4xi32>
  vector.print %set : vector<4xi32> // ( 10, 0, 14, 0 )
  %twice = arith.addi %0, %0 : vector<4xi32>
  "llvm.intr.experimental.vp.strided.store"(%twice, %p, %bytes, %m, %n) : (vector<4xi32>, !llvm.ptr, i64, vector<4xi1>, i32) -> ()
  %w = vector.load %b[%c0] : memref<8xi32>, vector<8xi32>
  vector.print %w : vector<8xi32> // ( 20, 11, 12, 13, 28, 15, 16, 17 )
  return
}

memref.global "private" constant @truths : memref<2xvector<8xi1>> = dense<true>

func.func private @rows() {
  %c1 = arith.constant 1 : index
  %m = memref.get_global @truths : memref<2xvector<8xi1>>
  %0 = memref.load %m[%c1] : memref<2xvector<8xi1>>
  vector.print %0 : vector<8xi1> // ( 1, 1, 1, 1, 1, 1, 1, 1 )
  return
}

func.func @entry() {
  call @atomics() : () -> ()
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c100 = arith.constant 100 : index
  %v = arith.constant 42 : i32
  %m = memref.alloc(%c3) : memref<?xi32>
  memref.store %v, %m[%c2] : memref<?xi32>
  call @grown(%c100, %m) : (index, memref<?xi32>) -> ()
  %set = arith.constant dense<[true, false, true, false]> : vector<4xi1>
  %two = arith.constant 2 : i32
  call @chosen(%set, %two) : (vector<4xi1>, i32) -> ()
  call @matrices() : () -> ()
  %three = arith.constant 3 : i32
  call @strided(%set, %three) : (vector<4xi1>, i32) -> ()
  call @rows() : () -> ()
  return
}
