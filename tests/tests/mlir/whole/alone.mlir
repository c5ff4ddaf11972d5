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

// What `memref.alloca` allocates in a loop's body is released at the end of an iteration: 20,000 iterations with 800 bytes each would
// fill a stack of 8 MiB.
func.func private @filled(%m: memref<?xi64>, %i: index) -> i64 {
  %c0 = arith.constant 0 : index
  %v = arith.index_cast %i : index to i64
  memref.store %v, %m[%c0] : memref<?xi64>
  %r = memref.load %m[%c0] : memref<?xi64>
  return %r : i64
}

func.func private @iterations(%n: index, %size: index, %t: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i64
  %outer = memref.alloca(%size) : memref<?xi64>
  // In a branch, whose end is no end of an iteration, and beside memrefs that are handed on.
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z, %b = %outer) -> (i64, memref<?xi64>) {
    %x = scf.if %t -> i64 {
      %m = memref.alloca(%size) : memref<?xi64>
      %r = func.call @filled(%m, %i) : (memref<?xi64>, index) -> i64
      scf.yield %r : i64
    } else {
      scf.yield %z : i64
    }
    %y = arith.addi %a, %x : i64
    scf.yield %y, %b : i64, memref<?xi64>
  }
  vector.print %0#0 : i64 // 199990000
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> i64 {
    %s = affine.for %j = 0 to 2 iter_args(%b = %a) -> i64 {
      %fixed = memref.alloca() {alignment = 64} : memref<100xi64>
      %m = memref.cast %fixed : memref<100xi64> to memref<?xi64>
      %r = func.call @filled(%m, %i) : (memref<?xi64>, index) -> i64
      %y = arith.addi %b, %r : i64
      affine.yield %y : i64
    }
    %m = "memref.alloca"(%size) <{operandSegmentSizes = array<i32: 1, 0>}> : (index) -> memref<?xi64>
    scf.yield %s : i64
  }
  vector.print %1 : i64 // 399980000
  %2 = scf.parallel (%i, %j) = (%c0, %c0) to (%n, %c2) step (%c1, %c1) init (%z) -> i64 {
    %m = memref.alloca(%size) : memref<?xi64>
    %r = func.call @filled(%m, %i) : (memref<?xi64>, index) -> i64
    scf.reduce(%r : i64) {
    ^bb0(%a: i64, %b: i64):
      %y = arith.addi %a, %b : i64
      scf.reduce.return %y : i64
    }
  }
  vector.print %2 : i64 // 399980000
  scf.forall (%i) in (%n) {
    %m = memref.alloca(%size) : memref<?xi64>
    memref.store %2, %m[%c0] : memref<?xi64>
  }
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %m = memref.alloca(%size) : memref<?xi64>
    memref.store %2, %m[%c0] : memref<?xi64>
    memref.alloca_scope {
      %k = memref.alloca(%size) : memref<?xi64>
      memref.store %2, %k[%c0] : memref<?xi64>
    }
  }
  // No scope of its own: what one iteration of `scf.while` allocates is there in the next.
  %3:2 = scf.while (%i = %c0, %m = %outer) : (index, memref<?xi64>) -> (index, memref<?xi64>) {
    %more = arith.cmpi slt, %i, %c2 : index
    scf.condition(%more) %i, %m : index, memref<?xi64>
  } do {
  ^bb0(%i: index, %m: memref<?xi64>):
    %k = memref.alloca(%size) : memref<?xi64>
    %r = func.call @filled(%k, %i) : (memref<?xi64>, index) -> i64
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %k : index, memref<?xi64>
  }
  %last = memref.load %3#1[%c0] : memref<?xi64>
  vector.print %last : i64 // 1
  return
}

// A lane is read or written if both masks have it.
func.func private @masked_twice(%m: memref<?xi32>, %a: vector<4xi1>, %b: vector<4xi1>, %p: i32) {
  %c0 = arith.constant 0 : index
  %0 = vector.mask %a { vector.transfer_read %m[%c0], %p, %b : memref<?xi32>, vector<4xi32> } : vector<4xi1> -> vector<4xi32>
  vector.print %0 : vector<4xi32> // ( 5, 42, 42, 42 )
  %1 = arith.addi %0, %0 : vector<4xi32>
  vector.mask %b { vector.transfer_write %1, %m[%c0], %a : vector<4xi32>, memref<?xi32> } : vector<4xi1>
  %2 = vector.transfer_read %m[%c0], %p : memref<?xi32>, vector<4xi32>
  vector.print %2 : vector<4xi32> // ( 10, 6, 7, 42 )
  return
}

// Of later versions.
llvm.func internal @blocks(%c: i1, %n: i32) -> i32 {
  %a = llvm.blockaddress <function = @blocks, tag = <id = 1>> : !llvm.ptr
  %b = llvm.blockaddress <function = @blocks, tag = <id = 2>> : !llvm.ptr
  %t = llvm.select %c, %a, %b : i1, !llvm.ptr
  llvm.indirectbr %t : !llvm.ptr, [
  ^bb1(%n : i32),
  ^bb2
  ]
^bb1(%m: i32):
  llvm.blocktag <id = 1>
  %1 = llvm.add %m, %m : i32
  llvm.return %1 : i32
^bb2:
  llvm.blocktag <id = 2>
  %2 = llvm.mlir.constant(2 : i32) : i32
  llvm.return %2 : i32
}

llvm.mlir.global internal @numbers(dense<[5, 6]> : tensor<2xi32>) : !llvm.array<2 x i32>
llvm.mlir.alias internal @second : i32 {
  %0 = llvm.mlir.addressof @numbers : !llvm.ptr
  %1 = llvm.getelementptr inbounds|nuw %0[1] : (!llvm.ptr) -> !llvm.ptr, i32
  llvm.return %1 : !llvm.ptr
}

func.func private @later(%c: i1, %m: memref<?xi32>, %x: f32) {
  %c1 = arith.constant 1 : index
  %n = arith.constant 21 : i32
  %0 = llvm.call @blocks(%c, %n) : (i1, i32) -> (i32 {llvm.signext})
  vector.print %0 : i32 // 42
  %p = llvm.mlir.addressof @second : !llvm.ptr
  %1 = llvm.load %p : !llvm.ptr -> i32
  vector.print %1 : i32 // 6
  %2 = memref.assume_alignment %m, 4 : memref<?xi32>
  %3, %4 = memref.distinct_objects %2, %m : memref<?xi32>, memref<?xi32>
  %5 = memref.load %3[%c1] : memref<?xi32>
  vector.print %5 : i32 // 6
  %sin, %cos = math.sincos %x : f32
  vector.print %sin : f32 // 0
  vector.print %cos : f32 // 1
  return
}

// A mask of one lane before a memref without dimensions, and attributes in front of what is returned.
func.func private @without_dimensions(%m: memref<f32>, %k: vector<1xi1>, %p: vector<1xf32>) -> vector<1xf32> {
  vector.maskedstore %m[], %k, %p : memref<f32>, vector<1xi1>, vector<1xf32>
  %0 = vector.maskedload %m[], %k, %p : memref<f32>, vector<1xi1>, vector<1xf32> into vector<1xf32>
  vector.print %0 : vector<1xf32> // ( 2.5 )
  return {my.note} %0 : vector<1xf32>
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
  %n = arith.constant 20000 : index
  %true = arith.constant true
  call @iterations(%n, %c100, %true) : (index, index, i1) -> ()
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %5 = arith.constant 5 : i32
  %6 = arith.constant 6 : i32
  %7 = arith.constant 7 : i32
  %three_long = memref.alloca(%c3) : memref<?xi32>
  memref.store %5, %three_long[%c0] : memref<?xi32>
  memref.store %6, %three_long[%c1] : memref<?xi32>
  memref.store %7, %three_long[%c2] : memref<?xi32>
  %first = arith.constant dense<[true, true, false, true]> : vector<4xi1>
  call @masked_twice(%three_long, %set, %first, %v) : (memref<?xi32>, vector<4xi1>, vector<4xi1>, i32) -> ()
  %zero = arith.constant 0.0 : f32
  call @later(%true, %three_long, %zero) : (i1, memref<?xi32>, f32) -> ()
  %one = memref.alloca() : memref<f32>
  %lane = arith.constant dense<true> : vector<1xi1>
  %number = arith.constant dense<2.5> : vector<1xf32>
  %same = call @without_dimensions(%one, %lane, %number) : (memref<f32>, vector<1xi1>, vector<1xf32>) -> vector<1xf32>
  return
}
