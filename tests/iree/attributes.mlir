// Functions whose attributes say how they are called.

func.func @passed(%x: memref<?xf32>, %twice: memref<?xf32> {gusset.result = ["0.0"], iree.abi.name = "doubled"},
                  %first: memref<f32> {gusset.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %none = arith.constant 0.0 : f32
  memref.store %none, %first[] : memref<f32>
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i] : memref<?xf32>
    %s = arith.addf %a, %a : f32
    memref.store %s, %twice[%i] : memref<?xf32>
    memref.store %a, %first[] : memref<f32>
  }
  return
}

func.func @tied(%x: memref<?xi32>) -> (memref<?xi32> {iree.abi.tied = 0 : i64}) {
  %c0 = arith.constant 0 : index
  %c = arith.constant 42 : i32
  memref.store %c, %x[%c0] : memref<?xi32>
  return %x : memref<?xi32>
}

func.func @untied(%x: memref<4xi32>) -> (memref<4xi32> {iree.abi.tied = 0 : i64}) {
  %r = memref.alloc() : memref<4xi32>
  return %r : memref<4xi32>
}

func.func @mixed(%n: i32, %a: memref<?xf32>, %o: memref<2xi32> {iree.abi.output = 2 : index},
                 %p: memref<?xf32> {gusset.result = ["1.0"]}, %q: memref<f64> {gusset.result})
    -> (i32, memref<?xf32> {iree.abi.tied = 1 : i64}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1.5 : f32
  %c2 = arith.constant 2.5 : f64
  memref.store %c1, %a[%c0] : memref<?xf32>
  memref.copy %a, %p : memref<?xf32> to memref<?xf32>
  memref.store %c2, %q[] : memref<f64>
  memref.store %n, %o[%c0] : memref<2xi32>
  return %n, %a : i32, memref<?xf32>
}

func.func @reshaped(%x: memref<2x2xi32> {iree.abi.encoding = memref<4xf32>})
    -> (memref<2xi64> {iree.abi.encoding = tensor<4x1xf32>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : i64
  %r = memref.alloc() : memref<2xi64>
  scf.for %i = %c0 to %c1 step %c1 {
    %a = memref.load %x[%c1, %i] : memref<2x2xi32>
    %b = memref.load %x[%c0, %i] : memref<2x2xi32>
    %wide = arith.extui %a : i32 to i64
    %low = arith.extui %b : i32 to i64
    %high = arith.shli %wide, %c32 : i64
    %both = arith.ori %high, %low : i64
    memref.store %both, %r[%c0] : memref<2xi64>
    memref.store %both, %r[%c1] : memref<2xi64>
  }
  return %r : memref<2xi64>
}

func.func @reinterpreted(%x: memref<2x?xf32> {iree.abi.encoding = tensor<2x?xi32>})
    -> (f32, index, memref<2x?xf32> {iree.abi.encoding = tensor<2x?xi32>}) {
  %c1 = arith.constant 1 : index
  %a = memref.load %x[%c1, %c1] : memref<2x?xf32>
  %n = memref.dim %x, %c1 : memref<2x?xf32>
  return %a, %n, %x : f32, index, memref<2x?xf32>
}

func.func @check(%n: i32) -> i32 attributes {iree.reflection = {hello = "there"}} {
  %c = arith.constant 10 : i32
  %ok = arith.cmpi slt, %n, %c : i32
  cf.assert %ok, "n is 100% not below \22ten\22"
  return %n : i32
}

util.func public @fences(%x: memref<4xi32> {iree.abi.name = "elements"}) -> (i32 {iree.abi.name = "first"})
    attributes {iree.abi.model = "coarse-fences"} {
  %c0 = arith.constant 0 : index
  %a = memref.load %x[%c0] : memref<4xi32>
  util.return %a : i32
}

util.func public @later(%x: memref<4xi32>) -> i32 attributes {iree.abi.model = "coarse-fences"} {
  %c0 = arith.constant 0 : index
  %c10 = arith.constant 10 : i32
  %a = memref.load %x[%c0] : memref<4xi32>
  %small = arith.cmpi slt, %a, %c10 : i32
  cf.assert %small, "too large, and too late"
  util.return %a : i32
}

// The records leave less open than the types.
func.func @sums(%x: memref<?x?xi32>) -> (i32, index) attributes {
    iree.abi = "{\"a\": [[\"ndarray\", \"i32\", 2, null, 3]], \"r\": [[\"sdict\", [\"sum\", \"i32\"], [\"count\", \"i64\"]]]}",
    iree.abi.declaration = "sums of rows of three"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %n = memref.dim %x, %c0 : memref<?x?xi32>
  %m = memref.dim %x, %c1 : memref<?x?xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %none) -> i32 {
    %row = scf.for %j = %c0 to %m step %c1 iter_args(%inner = %outer) -> i32 {
      %a = memref.load %x[%i, %j] : memref<?x?xi32>
      %next = arith.addi %inner, %a : i32
      scf.yield %next : i32
    }
    scf.yield %row : i32
  }
  %count = arith.muli %n, %m : index
  return %sum, %count : i32, index
}

// Nobody outside sees it.
func.func private @vector(%v: vector<4xf32>) -> vector<4xf32> {
  return %v : vector<4xf32>
}
