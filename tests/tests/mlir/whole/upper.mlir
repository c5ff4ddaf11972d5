// Operations of the upper dialects that few programs have. Each function prints what it makes.

func.func private @row(%m: memref<4x6xi32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant -1 : i32
  %all = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<4x6xi32>, vector<4x6xi32>
  vector.print %all : vector<4x6xi32>
  return
}

// The numbers from `%first` on in a matrix.
func.func private @numbered(%first: i32) -> memref<4x6xi32> {
  %m = memref.alloc() : memref<4x6xi32>
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 6 {
      %n = affine.apply affine_map<(d0, d1) -> (d0 * 6 + d1)>(%i, %j)
      %k = arith.index_cast %n : index to i32
      %v = arith.addi %k, %first : i32
      affine.store %v, %m[%i, %j] : memref<4x6xi32>
    }
  }
  return %m : memref<4x6xi32>
}

func.func private @places(%i: index, %a: index, %b: index, %c: index) {
  %0:3 = affine.delinearize_index %i into (%a, %b, %c) : index, index, index
  vector.print %0#0 : index
  vector.print %0#1 : index
  vector.print %0#2 : index
  return
}

func.func private @vectors(%m: memref<4x6xi32>, %i: index) {
  %0 = affine.vector_load %m[%i + 1, symbol(%i) * 2 - 1] : memref<4x6xi32>, vector<3xi32>
  vector.print %0 : vector<3xi32>
  affine.vector_store %0, %m[%i - 1, 0] : memref<4x6xi32>, vector<3xi32>
  affine.prefetch %m[%i, %i + 1], write, locality<2>, data : memref<4x6xi32>
  affine.prefetch %m[%i, %i + 1], read, locality<0>, instr : memref<4x6xi32>
  call @row(%m) : (memref<4x6xi32>) -> ()
  return
}

func.func private @parallel(%m: memref<4x6xi32>, %n: index, %k: index) {
  %seven = arith.constant 7 : i32
  affine.parallel (%i, %j) = (0, max(1, %k - 3)) to (4, min(%n, 6)) step (2, 3) {
    affine.store %seven, %m[%i, %j] : memref<4x6xi32>
  }
  call @row(%m) : (memref<4x6xi32>) -> ()
  %0:4 = affine.parallel (%i, %j) = (0, 0) to (4, 6) reduce ("addi", "muli", "ori", "andi") -> (i32, i32, i32, i32) {
    %x = affine.load %m[%i, %j] : memref<4x6xi32>
    affine.yield %x, %x, %x, %x : i32, i32, i32, i32
  }
  vector.print %0#0 : i32
  vector.print %0#1 : i32
  vector.print %0#2 : i32
  vector.print %0#3 : i32
  %1:4 = affine.parallel (%i) = (1) to (5) reduce ("addf", "mulf", "maximumf", "minimumf") -> (f32, f32, f32, f32) {
    %x = arith.index_cast %i : index to i32
    %y = arith.sitofp %x : i32 to f32
    affine.yield %y, %y, %y, %y : f32, f32, f32, f32
  }
  vector.print %1#0 : f32
  vector.print %1#1 : f32
  vector.print %1#2 : f32
  vector.print %1#3 : f32
  // Of no steps, what changes nothing.
  %2:3 = affine.parallel (%i) = (5) to (%k) reduce ("muli", "andi", "addf") -> (i32, i32, f32) {
    %y = arith.constant 1.0 : f32
    affine.yield %seven, %seven, %y : i32, i32, f32
  }
  vector.print %2#0 : i32
  vector.print %2#1 : i32
  vector.print %2#2 : f32
  return
}

func.func private @shown(%u: memref<*xi32>) {
  %m = memref.cast %u : memref<*xi32> to memref<4x6xi32>
  call @row(%m) : (memref<4x6xi32>) -> ()
  return
}

// Copies of unranked memrefs: without gaps, with gaps on either side, of a single element, of none.
func.func private @copies() {
  %c0 = arith.constant 0 : i32
  %c100 = arith.constant 100 : i32
  %a = call @numbered(%c0) : (i32) -> memref<4x6xi32>
  %b = call @numbered(%c100) : (i32) -> memref<4x6xi32>
  %ua = memref.cast %a : memref<4x6xi32> to memref<*xi32>
  %ub = memref.cast %b : memref<4x6xi32> to memref<*xi32>
  memref.copy %ua, %ub : memref<*xi32> to memref<*xi32>
  call @shown(%ub) : (memref<*xi32>) -> ()
  %d = call @numbered(%c100) : (i32) -> memref<4x6xi32>
  %sa = memref.subview %a[1, 1] [2, 3] [1, 2] : memref<4x6xi32> to memref<2x3xi32, strided<[6, 2], offset: 7>>
  %sd = memref.subview %d[0, 2] [2, 3] [2, 1] : memref<4x6xi32> to memref<2x3xi32, strided<[12, 1], offset: 2>>
  %usa = memref.cast %sa : memref<2x3xi32, strided<[6, 2], offset: 7>> to memref<*xi32>
  %usd = memref.cast %sd : memref<2x3xi32, strided<[12, 1], offset: 2>> to memref<*xi32>
  memref.copy %usa, %usd : memref<*xi32> to memref<*xi32>
  call @row(%d) : (memref<4x6xi32>) -> ()
  // One of them is ranked.
  %sb = memref.subview %b[0, 1] [2, 3] [1, 1] : memref<4x6xi32> to memref<2x3xi32, strided<[6, 1], offset: 1>>
  memref.copy %usa, %sb : memref<*xi32> to memref<2x3xi32, strided<[6, 1], offset: 1>>
  call @row(%b) : (memref<4x6xi32>) -> ()
  %point = memref.subview %d[3, 3] [1, 1] [1, 1] : memref<4x6xi32> to memref<i32, strided<[], offset: 21>>
  %from = memref.subview %a[0, 5] [1, 1] [1, 1] : memref<4x6xi32> to memref<i32, strided<[], offset: 5>>
  %upoint = memref.cast %point : memref<i32, strided<[], offset: 21>> to memref<*xi32>
  memref.copy %from, %upoint : memref<i32, strided<[], offset: 5>> to memref<*xi32>
  %i0 = arith.constant 0 : index
  %none = memref.subview %d[0, 0] [2, %i0] [2, 1] : memref<4x6xi32> to memref<2x?xi32, strided<[12, 1]>>
  %unone = memref.cast %none : memref<2x?xi32, strided<[12, 1]>> to memref<*xi32>
  memref.copy %unone, %unone : memref<*xi32> to memref<*xi32>
  call @row(%d) : (memref<4x6xi32>) -> ()
  memref.dealloc %a : memref<4x6xi32>
  memref.dealloc %b : memref<4x6xi32>
  memref.dealloc %d : memref<4x6xi32>
  return
}

// Unranked memrefs in other shapes; the pointer of one.
func.func private @reshapes() {
  %c0 = arith.constant 0 : index
  %first = arith.constant 0 : i32
  %a = call @numbered(%first) : (i32) -> memref<4x6xi32>
  %u = memref.cast %a : memref<4x6xi32> to memref<*xi32>
  %shape = memref.alloca() : memref<3xindex>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  memref.store %c2, %shape[%c0] : memref<3xindex>
  memref.store %c4, %shape[%c1] : memref<3xindex>
  memref.store %c3, %shape[%c2] : memref<3xindex>
  %r = memref.reshape %u(%shape) : (memref<*xi32>, memref<3xindex>) -> memref<?x?x?xi32>
  %v = vector.transfer_read %r[%c1, %c0, %c0], %first {in_bounds = [true, true]} : memref<?x?x?xi32>, vector<4x3xi32>
  vector.print %v : vector<4x3xi32>
  %open = memref.cast %shape : memref<3xindex> to memref<?xindex>
  %w = memref.reshape %u(%open) : (memref<*xi32>, memref<?xindex>) -> memref<*xi32>
  %rank = memref.rank %w : memref<*xi32>
  vector.print %rank : index
  affine.for %i = 0 to 3 {
    %d = memref.dim %w, %i : memref<*xi32>
    vector.print %d : index
  }
  %back = memref.cast %w : memref<*xi32> to memref<?x?x?xi32>
  %x = memref.load %back[%c1, %c2, %c1] : memref<?x?x?xi32>
  vector.print %x : i32
  %p = memref.extract_aligned_pointer_as_index %u : memref<*xi32> -> index
  %q = memref.extract_aligned_pointer_as_index %a : memref<4x6xi32> -> index
  %same = arith.cmpi eq, %p, %q : index
  vector.print %same : i1
  memref.dealloc %u : memref<*xi32>
  return
}

memref.global "private" constant @few : memref<3x4xf32> = sparse<[[0, 1], [2, 3]], [1.5, -2.0]>

func.func private @sparse() {
  %0 = arith.constant sparse<[[0, 0], [1, 2]], [1.0, 5.0]> : vector<2x3xf32>
  vector.print %0 : vector<2x3xf32>
  %1 = arith.constant sparse<[[3], [0]], 7> : vector<4xi16>
  vector.print %1 : vector<4xi16>
  %2 = arith.constant sparse<2, 9> : vector<4xindex>
  vector.print %2 : vector<4xindex>
  %m = memref.get_global @few : memref<3x4xf32>
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %v = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<3x4xf32>, vector<3x4xf32>
  vector.print %v : vector<3x4xf32>
  return
}

// Kinds of atomic operations.
func.func private @atomics() {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : i32
  %x = arith.constant 2.5 : f32
  %i = memref.alloca() : memref<1xi32>
  %f = memref.alloca() : memref<1xf32>
  memref.store %three, %i[%c0] : memref<1xi32>
  memref.store %x, %f[%c0] : memref<1xf32>
  %0 = memref.atomic_rmw addi %three, %i[%c0] : (i32, memref<1xi32>) -> i32
  %1 = memref.atomic_rmw ori %three, %i[%c0] : (i32, memref<1xi32>) -> i32
  %2 = memref.atomic_rmw addf %x, %f[%c0] : (f32, memref<1xf32>) -> f32
  %3 = memref.atomic_rmw addf %x, %f[%c0] : (f32, memref<1xf32>) -> f32
  vector.print %0 : i32
  vector.print %1 : i32
  vector.print %2 : f32
  vector.print %3 : f32
  %6 = memref.load %i[%c0] : memref<1xi32>
  vector.print %6 : i32
  return
}

// One bit is printed as 0 or 1, whatever its sign.
func.func private @bits(%v: vector<2xi1>, %t: i1) {
  vector.print %v : vector<2xi1>
  %0 = builtin.unrealized_conversion_cast %v : vector<2xi1> to vector<2xsi1>
  vector.print %0 : vector<2xsi1>
  %1 = builtin.unrealized_conversion_cast %v : vector<2xi1> to vector<2xui1>
  vector.print %1 : vector<2xui1>
  vector.print %t : i1
  return
}

func.func @entry() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c23 = arith.constant 23 : index
  %first = arith.constant 10 : i32
  call @places(%c23, %c3, %c4, %c5) : (index, index, index, index) -> ()
  %m = call @numbered(%first) : (i32) -> memref<4x6xi32>
  call @vectors(%m, %c1) : (memref<4x6xi32>, index) -> ()
  call @parallel(%m, %c5, %c4) : (memref<4x6xi32>, index, index) -> ()
  memref.dealloc %m : memref<4x6xi32>
  call @copies() : () -> ()
  call @reshapes() : () -> ()
  call @sparse() : () -> ()
  call @atomics() : () -> ()
  %truths = arith.constant dense<[true, false]> : vector<2xi1>
  %true = arith.constant true
  call @bits(%truths, %true) : (vector<2xi1>, i1) -> ()
  return
}
