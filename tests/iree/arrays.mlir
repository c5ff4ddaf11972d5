// Functions of arrays: what they read, what they make, and what they do when something is wrong.

func.func @saxpy(%k: f32, %x: memref<?xf32>, %y: memref<?xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %m = memref.dim %y, %c0 : memref<?xf32>
  %same = arith.cmpi eq, %n, %m : index
  cf.assert %same, "arrays of two lengths"
  %sum = memref.alloc(%n) : memref<?xf32>
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xf32>
    %b = affine.load %y[%i] : memref<?xf32>
    %p = arith.mulf %k, %a : f32
    %s = arith.addf %p, %b : f32
    affine.store %s, %sum[%i] : memref<?xf32>
  }
  return %sum : memref<?xf32>
}

// The same with a result that the caller has made.
func.func @saxpy_into(%k: f32, %x: memref<?xf32>, %y: memref<?xf32>, %sum: memref<?xf32> {gusset.result = ["1.0"]}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xf32>
    %b = affine.load %y[%i] : memref<?xf32>
    %p = arith.mulf %k, %a : f32
    %s = arith.addf %p, %b : f32
    affine.store %s, %sum[%i] : memref<?xf32>
  }
  return
}

func.func @table(%k: i64, %into: memref<2x3xi64> {gusset.result}) {
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 3 {
      affine.store %k, %into[%i, %j] : memref<2x3xi64>
    }
  }
  return
}

// A fixed number of rows, any number of columns.
func.func @columns(%x: memref<3x?xi32>) -> index {
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c1 : memref<3x?xi32>
  return %n : index
}

func.func @sum(%x: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  %sum = affine.for %i = 0 to %n iter_args(%s = %zero) -> f32 {
    %a = affine.load %x[%i] : memref<?xf32>
    %t = arith.addf %s, %a : f32
    affine.yield %t : f32
  }
  return %sum : f32
}

// The same under another name, by which callers may declare it with another type.
func.func @total(%x: memref<?xf32>) -> f32 {
  %sum = call @sum(%x) : (memref<?xf32>) -> f32
  return %sum : f32
}

func.func @rank(%x: memref<*xf64>) -> index {
  %rank = memref.rank %x : memref<*xf64>
  return %rank : index
}

// The argument itself, and twice.
func.func @twice(%x: memref<?xi16>) -> (memref<?xi16>, memref<?xi16>) {
  return %x, %x : memref<?xi16>, memref<?xi16>
}

memref.global "private" constant @primes : memref<4xi32> = dense<[2, 3, 5, 7]>
func.func @constants() -> memref<4xi32> {
  %primes = memref.get_global @primes : memref<4xi32>
  return %primes : memref<4xi32>
}

func.func @evens(%x: memref<?xi32>) -> memref<?xi32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %x, %c0 : memref<?xi32>
  %half = arith.ceildivui %n, %c2 : index
  %sum = memref.alloc(%half) : memref<?xi32>
  scf.for %i = %c0 to %n step %c2 {
    %j = arith.divui %i, %c2 : index
    %a = memref.load %x[%i] : memref<?xi32>
    memref.store %a, %sum[%j] : memref<?xi32>
  }
  return %sum : memref<?xi32>
}

func.func @scale(%x: memref<?xf64>, %k: f64) -> (memref<?xf64> {iree.abi.tied = 0 : i64}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xf64>
    %b = arith.mulf %a, %k : f64
    affine.store %b, %x[%i] : memref<?xf64>
  }
  return %x : memref<?xf64>
}

func.func @fill(%k: i8, %out: memref<?xi8> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %out, %c0 : memref<?xi8>
  affine.for %i = 0 to %n {
    affine.store %k, %out[%i] : memref<?xi8>
  }
  return
}

// Fails after it has made an array of its own and been given one.
func.func @late_failure(%x: memref<?xf32>, %fine: i1, %into: memref<4xf32> {gusset.result}) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  cf.assert %fine, "not today"
  %sum = memref.alloc(%n) : memref<?xf32>
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xf32>
    affine.store %a, %sum[%i] : memref<?xf32>
  }
  %one = arith.constant 1.0 : f32
  affine.for %i = 0 to 4 {
    affine.store %one, %into[%i] : memref<4xf32>
  }
  return %sum : memref<?xf32>
}

// Results that lie otherwise than the arrays of callers.
func.func @turned(%x: memref<?x?xf32>) -> memref<?x?xf32, strided<[1, ?]>> {
  %0 = memref.transpose %x (i, j) -> (j, i) : memref<?x?xf32> to memref<?x?xf32, strided<[1, ?]>>
  return %0 : memref<?x?xf32, strided<[1, ?]>>
}

func.func @reversed(%x: memref<?xi16>) -> memref<?xi16, strided<[-1], offset: ?>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xi16>
  %last = arith.subi %n, %c1 : index
  %0 = memref.reinterpret_cast %x to offset: [%last], sizes: [%n], strides: [-1] : memref<?xi16> to memref<?xi16, strided<[-1], offset: ?>>
  return %0 : memref<?xi16, strided<[-1], offset: ?>>
}

// Sizes that the caller says, however large; only small ones have elements.
func.func @square(%n: index) -> memref<?x?xf64> {
  %c10 = arith.constant 10 : index
  %one = arith.constant 1.0 : f64
  %r = memref.alloc(%n, %n) : memref<?x?xf64>
  %small = arith.cmpi ult, %n, %c10 : index
  scf.if %small {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        affine.store %one, %r[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return %r : memref<?x?xf64>
}

func.func @wide(%x: memref<?xi8>, %r: memref<?x1000000000000x4xi64> {gusset.result = ["0.0"]}) {
  return
}

// More arrays and numbers than registers, and a mixture of results.
func.func @crowd(%x0: memref<?xf32>, %k0: f64, %x1: memref<?xf32>, %k1: f64, %x2: memref<?xf32>, %k2: f64, %x3: memref<?xf32>, %k3: f64, %x4: memref<?xf32>, %k4: f64, %x5: memref<?xf32>, %k5: f64, %x6: memref<?xf32>, %k6: f64, %x7: memref<?xf32>, %k7: f64, %x8: memref<?xf32>, %k8: f64) -> (f64, memref<?xf32>, i16, memref<?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x0, %c0 : memref<?xf32>
  %s0 = arith.constant 0.0 : f64
  %a0 = memref.load %x0[%c0] : memref<?xf32>
  %b0 = arith.extf %a0 : f32 to f64
  %p0 = arith.mulf %b0, %k0 : f64
  %s1 = arith.addf %s0, %p0 : f64
  %a1 = memref.load %x1[%c0] : memref<?xf32>
  %b1 = arith.extf %a1 : f32 to f64
  %p1 = arith.mulf %b1, %k1 : f64
  %s2 = arith.addf %s1, %p1 : f64
  %a2 = memref.load %x2[%c0] : memref<?xf32>
  %b2 = arith.extf %a2 : f32 to f64
  %p2 = arith.mulf %b2, %k2 : f64
  %s3 = arith.addf %s2, %p2 : f64
  %a3 = memref.load %x3[%c0] : memref<?xf32>
  %b3 = arith.extf %a3 : f32 to f64
  %p3 = arith.mulf %b3, %k3 : f64
  %s4 = arith.addf %s3, %p3 : f64
  %a4 = memref.load %x4[%c0] : memref<?xf32>
  %b4 = arith.extf %a4 : f32 to f64
  %p4 = arith.mulf %b4, %k4 : f64
  %s5 = arith.addf %s4, %p4 : f64
  %a5 = memref.load %x5[%c0] : memref<?xf32>
  %b5 = arith.extf %a5 : f32 to f64
  %p5 = arith.mulf %b5, %k5 : f64
  %s6 = arith.addf %s5, %p5 : f64
  %a6 = memref.load %x6[%c0] : memref<?xf32>
  %b6 = arith.extf %a6 : f32 to f64
  %p6 = arith.mulf %b6, %k6 : f64
  %s7 = arith.addf %s6, %p6 : f64
  %a7 = memref.load %x7[%c0] : memref<?xf32>
  %b7 = arith.extf %a7 : f32 to f64
  %p7 = arith.mulf %b7, %k7 : f64
  %s8 = arith.addf %s7, %p7 : f64
  %a8 = memref.load %x8[%c0] : memref<?xf32>
  %b8 = arith.extf %a8 : f32 to f64
  %p8 = arith.mulf %b8, %k8 : f64
  %s9 = arith.addf %s8, %p8 : f64
  %last = arith.constant -3 : i16
  return %s9, %x8, %last, %x1, %a2 : f64, memref<?xf32>, i16, memref<?xf32>, f32
}
