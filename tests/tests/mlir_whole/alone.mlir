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

func.func @entry() {
  call @atomics() : () -> ()
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c100 = arith.constant 100 : index
  %v = arith.constant 42 : i32
  %m = memref.alloc(%c3) : memref<?xi32>
  memref.store %v, %m[%c2] : memref<?xi32>
  call @grown(%c100, %m) : (index, memref<?xi32>) -> ()
  return
}
