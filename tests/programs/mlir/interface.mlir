// Functions that C calls, and that call C, through descriptors of memrefs: see interface.c.

memref.global "private" @table : memref<4xi32> = dense<[10, 20, 30, 40]>

func.func @nothing() attributes {llvm.emit_c_interface} {
  return
}

func.func @read0(%m: memref<f64>, %x: f64) -> f64 attributes {llvm.emit_c_interface} {
  %0 = memref.load %m[] : memref<f64>
  %1 = arith.mulf %0, %x : f64
  memref.store %x, %m[] : memref<f64>
  return %1 : f64
}

func.func @sum1(%k: i32, %m: memref<?xi32>, %l: i64) -> i64 attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %l) -> (i64) {
    %0 = memref.load %m[%i] : memref<?xi32>
    %1 = arith.muli %0, %k : i32
    %2 = arith.extsi %1 : i32 to i64
    %3 = arith.addi %s, %2 : i64
    scf.yield %3 : i64
  }
  return %sum : i64
}

// Two square buffers of different strides between numbers that travel in registers of both kinds.
func.func @dot2(%a: f32, %m: memref<?x?xf32>, %b: i32, %v: memref<?x?xf32, strided<[?, ?], offset: ?>>, %c: f64) -> f64
    attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %m, %c0 : memref<?x?xf32>
  %columns = memref.dim %v, %c1 : memref<?x?xf32, strided<[?, ?], offset: ?>>
  %start = arith.extf %a : f32 to f64
  %outer = scf.for %i = %c0 to %rows step %c1 iter_args(%s = %start) -> (f64) {
    %inner = scf.for %j = %c0 to %columns step %c1 iter_args(%t = %s) -> (f64) {
      %0 = memref.load %m[%i, %j] : memref<?x?xf32>
      %1 = memref.load %v[%i, %j] : memref<?x?xf32, strided<[?, ?], offset: ?>>
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.extf %2 : f32 to f64
      %4 = arith.addf %t, %3 : f64
      scf.yield %4 : f64
    }
    scf.yield %inner : f64
  }
  %d = arith.sitofp %b : i32 to f64
  %e = arith.mulf %outer, %d : f64
  %f = arith.addf %e, %c : f64
  return %f : f64
}

// Some sizes known, some not, and an offset that is not.
func.func @element4(%m: memref<?x?x4x8xf32, strided<[?, 32, 8, 1], offset: ?>>, %i: index, %j: index, %k: index, %l: index)
    -> f32 attributes {llvm.emit_c_interface} {
  %0 = memref.load %m[%i, %j, %k, %l] : memref<?x?x4x8xf32, strided<[?, 32, 8, 1], offset: ?>>
  return %0 : f32
}

func.func @same(%m: memref<?x?xf32>) -> memref<?x?xf32> attributes {llvm.emit_c_interface} {
  return %m : memref<?x?xf32>
}

func.func @made(%n: index, %x: f32) -> memref<?x3xf32> attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %m = memref.alloc(%n) {alignment = 64} : memref<?x3xf32>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      memref.store %x, %m[%i, %j] : memref<?x3xf32>
    }
  }
  return %m : memref<?x3xf32>
}

func.func @freed(%m: memref<?x3xf32>) attributes {llvm.emit_c_interface} {
  memref.dealloc %m : memref<?x3xf32>
  return
}

func.func @pair(%a: i32, %b: i64) -> (i64, i32) attributes {llvm.emit_c_interface} {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %b, %b : i64
  return %1, %0 : i64, i32
}

// A part of a buffer, all of it, and numbers: records in a record.
func.func @parts(%m: memref<8x?xi16>, %x: f64) -> (f64, memref<8x?xi16>, memref<2x3xi16, strided<[?, 2], offset: ?>>, i1)
    attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.subview %m[3, 1] [2, 3] [2, 2] : memref<8x?xi16> to memref<2x3xi16, strided<[?, 2], offset: ?>>
  %0 = memref.load %v[%c1, %c1] : memref<2x3xi16, strided<[?, 2], offset: ?>>
  %1 = arith.sitofp %0 : i16 to f64
  %2 = arith.cmpf olt, %x, %1 : f64
  %3 = arith.addf %x, %1 : f64
  return %3, %m, %v, %2 : f64, memref<8x?xi16>, memref<2x3xi16, strided<[?, 2], offset: ?>>, i1
}

func.func @rank_of(%m: memref<*xf32>, %k: i64) -> index attributes {llvm.emit_c_interface} {
  %0 = memref.rank %m : memref<*xf32>
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c1 : memref<*xf32>
  %1 = arith.index_cast %k : i64 to index
  %2 = arith.muli %n, %1 : index
  %3 = arith.addi %0, %2 : index
  return %3 : index
}

// Whoever calls this from outside frees the descriptor.
func.func @to_unranked(%m: memref<?x?xf32>) -> memref<*xf32> attributes {llvm.emit_c_interface} {
  %0 = memref.cast %m : memref<?x?xf32> to memref<*xf32>
  return %0 : memref<*xf32>
}

// Each result has a descriptor of its own.
func.func @twice_unranked(%m: memref<?x?xf32>) -> (memref<*xf32>, memref<*xf32>) attributes {llvm.emit_c_interface} {
  %0 = memref.cast %m : memref<?x?xf32> to memref<*xf32>
  return %0, %0 : memref<*xf32>, memref<*xf32>
}

// Calls in a loop: what they give is freed as often as they are called.
func.func @sum_unranked(%m: memref<?x?xf32>, %n: index) -> index attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
    %0 = func.call @to_unranked(%m) : (memref<?x?xf32>) -> memref<*xf32>
    %1:2 = func.call @twice_unranked(%m) : (memref<?x?xf32>) -> (memref<*xf32>, memref<*xf32>)
    %2 = memref.cast %1#1 : memref<*xf32> to memref<?x?xf32>
    %3 = memref.dim %2, %c1 : memref<?x?xf32>
    %4 = memref.dim %0, %c0 : memref<*xf32>
    %5 = arith.addi %3, %4 : index
    %6 = arith.addi %s, %5 : index
    scf.yield %6 : index
  }
  return %sum : index
}

// The same through a function's value.
func.func @indirectly(%m: memref<?x?xf32>) -> index attributes {llvm.emit_c_interface} {
  %f = func.constant @to_unranked : (memref<?x?xf32>) -> memref<*xf32>
  %0 = func.call_indirect %f(%m) : (memref<?x?xf32>) -> memref<*xf32>
  %1 = memref.cast %0 : memref<*xf32> to memref<?x?xf32>
  %c0 = arith.constant 0 : index
  %2 = memref.dim %1, %c0 : memref<?x?xf32>
  return %2 : index
}

// Numbers, unranked memrefs of different ranks and a ranked one.
func.func @mixed(%a: memref<f64>, %m: memref<?x?xf32>, %k: i32) -> (i32, memref<*xf64>, memref<?x?xf32>, memref<*xf32>)
    attributes {llvm.emit_c_interface} {
  %0 = memref.cast %a : memref<f64> to memref<*xf64>
  %1 = memref.cast %m : memref<?x?xf32> to memref<*xf32>
  return %k, %0, %m, %1 : i32, memref<*xf64>, memref<?x?xf32>, memref<*xf32>
}

// The descriptor is one of this function's, or the caller's, which stays the caller's.
func.func @either(%own: i1, %m: memref<?x?xf32>, %u: memref<*xf32>) -> memref<*xf32> attributes {llvm.emit_c_interface} {
  cf.cond_br %own, ^own, ^other
^own:
  %0 = memref.cast %m : memref<?x?xf32> to memref<*xf32>
  return %0 : memref<*xf32>
^other:
  return %u : memref<*xf32>
}

// What several functions give in a loop, some of it of C's.
func.func @sum_mixed(%a: memref<f64>, %m: memref<?x?xf32>, %n: index) -> index attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 3 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
    %0:4 = func.call @mixed(%a, %m, %k) : (memref<f64>, memref<?x?xf32>, i32) -> (i32, memref<*xf64>, memref<?x?xf32>, memref<*xf32>)
    %odd = arith.trunci %0#0 : i32 to i1
    %1 = func.call @either(%odd, %0#2, %0#3) : (i1, memref<?x?xf32>, memref<*xf32>) -> memref<*xf32>
    %2:3 = func.call @c_mixed(%0#1, %i) : (memref<*xf64>, index) -> (memref<*xf64>, i16, memref<*xf32>)
    %3 = memref.rank %0#1 : memref<*xf64>
    %4 = memref.dim %1, %c1 : memref<*xf32>
    %5 = memref.rank %2#0 : memref<*xf64>
    %6 = memref.dim %2#2, %c0 : memref<*xf32>
    %7 = arith.index_cast %2#1 : i16 to index
    %8 = arith.addi %s, %3 : index
    %9 = arith.addi %8, %4 : index
    %10 = arith.addi %9, %5 : index
    %11 = arith.addi %10, %6 : index
    %12 = arith.addi %11, %7 : index
    scf.yield %12 : index
  }
  return %sum : index
}

// Functions as arguments and results take memrefs as those do that have a name.
func.func @given(%k: i64) -> (i64, (memref<?x?xf32>) -> memref<*xf32>) attributes {llvm.emit_c_interface} {
  %f = func.constant @to_unranked : (memref<?x?xf32>) -> memref<*xf32>
  return %k, %f : i64, (memref<?x?xf32>) -> memref<*xf32>
}
func.func @apply(%f: (memref<?x?xf32>, f32) -> f32, %g: (memref<?x?xf32>) -> memref<*xf32>, %m: memref<?x?xf32>, %x: f32)
    -> (index, f32) attributes {llvm.emit_c_interface} {
  %0 = func.call_indirect %f(%m, %x) : (memref<?x?xf32>, f32) -> f32
  %1 = func.call_indirect %g(%m) : (memref<?x?xf32>) -> memref<*xf32>
  %c0 = arith.constant 0 : index
  %2 = memref.dim %1, %c0 : memref<*xf32>
  return %2, %0 : index, f32
}
func.func @through(%h: ((memref<?x?xf32>, f32) -> f32, memref<?x?xf32>) -> f32, %f: (memref<?x?xf32>, f32) -> f32, %m: memref<?x?xf32>)
    -> f32 attributes {llvm.emit_c_interface} {
  %0 = func.call_indirect %h(%f, %m) : ((memref<?x?xf32>, f32) -> f32, memref<?x?xf32>) -> f32
  return %0 : f32
}

func.func @of_table(%i: index) -> (memref<4xi32>, i32) attributes {llvm.emit_c_interface} {
  %0 = memref.get_global @table : memref<4xi32>
  %1 = memref.load %0[%i] : memref<4xi32>
  return %0, %1 : memref<4xi32>, i32
}

// What C defines.
func.func private @c_fill(memref<?x?xf32>, f32) attributes {llvm.emit_c_interface}
func.func private @c_sum(i32, memref<?xi32>, i64) -> i64 attributes {llvm.emit_c_interface}
func.func private @c_make(index, i32) -> memref<?xi32> attributes {llvm.emit_c_interface}
func.func private @c_pair(memref<*xf32>, index) -> (index, f64) attributes {llvm.emit_c_interface}
func.func private @c_mixed(memref<*xf64>, index) -> (memref<*xf64>, i16, memref<*xf32>) attributes {llvm.emit_c_interface}
func.func private @c_fixed() -> memref<3xi32> attributes {llvm.emit_c_interface}
func.func private @c_bare(memref<3xi32>, f64) -> i32 attributes {llvm.bareptr}
func.func private @c_unranked(memref<?x?xf32>) -> memref<*xf32> attributes {llvm.emit_c_interface}

func.func @calls(%m: memref<?x?xf32>, %n: index) -> (i64, f64) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i32
  %wide = arith.constant 1000000000000 : i64
  %zero = arith.constant 0.0 : f64
  %x = arith.constant 1.5 : f32
  call @c_fill(%m, %x) : (memref<?x?xf32>, f32) -> ()
  %u = memref.cast %m : memref<?x?xf32> to memref<*xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %wide, %t = %zero) -> (i64, f64) {
    %b = func.call @c_make(%i, %two) : (index, i32) -> memref<?xi32>
    %0 = func.call @c_sum(%two, %b, %s) : (i32, memref<?xi32>, i64) -> i64
    memref.dealloc %b : memref<?xi32>
    %1:2 = func.call @c_pair(%u, %i) : (memref<*xf32>, index) -> (index, f64)
    %2 = arith.index_cast %1#0 : index to i64
    %3 = arith.addi %0, %2 : i64
    %4 = arith.addf %t, %1#1 : f64
    scf.yield %3, %4 : i64, f64
  }
  return %r#0, %r#1 : i64, f64
}

// As often as the stack would overflow if anything stayed there.
func.func @often(%m: memref<?x?xf32>, %n: index) -> index attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 2.5 : f32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
    func.call @c_fill(%m, %x) : (memref<?x?xf32>, f32) -> ()
    %0 = arith.addi %s, %c1 : index
    scf.yield %0 : index
  }
  return %sum : index
}

func.func @from_c(%m: memref<?x?xf32>) -> (index, index) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %0 = call @c_unranked(%m) : (memref<?x?xf32>) -> memref<*xf32>
  %1 = memref.rank %0 : memref<*xf32>
  %2 = memref.dim %0, %c0 : memref<*xf32>
  return %1, %2 : index, index
}

// Without a wrapper C passes the parts of a descriptor.
func.func @scale(%m: memref<?x?xf32>, %x: f32, %v: memref<?xf32, strided<[?], offset: ?>>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c1 : memref<?x?xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (f32) {
    %0 = memref.load %m[%c1, %i] : memref<?x?xf32>
    %1 = memref.load %v[%i] : memref<?xf32, strided<[?], offset: ?>>
    %2 = arith.mulf %0, %1 : f32
    memref.store %2, %m[%c1, %i] : memref<?x?xf32>
    %3 = arith.addf %s, %2 : f32
    scf.yield %3 : f32
  }
  return %sum : f32
}

// A memref is one pointer for these.
func.func @bare_sum(%m: memref<2x3xf32>, %k: f32, %v: memref<3xf32, strided<[2], offset: 1>>) -> f32
    attributes {llvm.bareptr} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %k) -> (f32) {
    %0 = memref.load %m[%c1, %i] : memref<2x3xf32>
    %1 = memref.load %v[%i] : memref<3xf32, strided<[2], offset: 1>>
    %2 = arith.mulf %0, %1 : f32
    memref.store %2, %m[%c0, %i] : memref<2x3xf32>
    %3 = arith.addf %s, %2 : f32
    scf.yield %3 : f32
  }
  return %sum : f32
}

func.func @bare_same(%m: memref<2x3xf32>) -> memref<2x3xf32> attributes {llvm.bareptr} {
  return %m : memref<2x3xf32>
}

// What is given back is what was allocated, what is passed is the aligned pointer.
func.func @bare_of_c() -> memref<3xi32> attributes {llvm.bareptr} {
  %0 = call @c_fixed() : () -> memref<3xi32>
  return %0 : memref<3xi32>
}
func.func @bare_passed(%x: f64) -> i32 {
  %0 = call @c_fixed() : () -> memref<3xi32>
  %1 = call @c_bare(%0, %x) : (memref<3xi32>, f64) -> i32
  memref.dealloc %0 : memref<3xi32>
  return %1 : i32
}

// Several results of bare pointers, a view with an offset among them.
func.func @bare_several(%m: memref<2x3xf32>, %v: memref<3xf32, strided<[2], offset: 1>>, %x: f64)
    -> (memref<3xf32, strided<[2], offset: 1>>, f64, memref<2x3xf32>) attributes {llvm.bareptr} {
  return %v, %x, %m : memref<3xf32, strided<[2], offset: 1>>, f64, memref<2x3xf32>
}
func.func @bare_results(%m: memref<2x3xf32>, %v: memref<3xf32, strided<[2], offset: 1>>) -> f64 attributes {llvm.bareptr} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = arith.constant 0.25 : f64
  %0:3 = call @bare_several(%m, %v, %x)
      : (memref<2x3xf32>, memref<3xf32, strided<[2], offset: 1>>, f64) -> (memref<3xf32, strided<[2], offset: 1>>, f64, memref<2x3xf32>)
  %1 = memref.load %0#0[%c2] : memref<3xf32, strided<[2], offset: 1>>
  %2 = memref.load %0#2[%c1, %c2] : memref<2x3xf32>
  %3 = arith.mulf %1, %2 : f32
  %4 = arith.extf %3 : f32 to f64
  %5 = arith.addf %4, %0#1 : f64
  return %5 : f64
}
