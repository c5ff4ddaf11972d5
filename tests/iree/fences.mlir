// Functions that callers wait for by fences.

func.func private @divide(%a: i32, %b: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %fine = arith.cmpi ne, %b, %zero : i32
  cf.assert %fine, "division by zero"
  %q = arith.divsi %a, %b : i32
  return %q : i32
}

func.func private @saxpy(%k: f32, %x: memref<?xf32>, %y: memref<?xf32>) -> memref<?xf32> {
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

func.func @next(%n: i32) -> i32 attributes {iree.abi.model = "coarse-fences"} {
  %one = arith.constant 1 : i32
  %next = arith.addi %n, %one : i32
  return %next : i32
}

func.func @divide_later(%a: i32, %b: i32) -> i32 attributes {iree.abi.model = "coarse-fences"} {
  %q = call @divide(%a, %b) : (i32, i32) -> i32
  return %q : i32
}

func.func @three(%x: memref<?xf32>) -> memref<?xf32> attributes {iree.abi.model = "coarse-fences"} {
  %two = arith.constant 2.0 : f32
  %sum = call @saxpy(%two, %x, %x) : (f32, memref<?xf32>, memref<?xf32>) -> memref<?xf32>
  return %sum : memref<?xf32>
}
