// The module `host`, whose functions those of the shapes call.

func.func @transpose(%x: memref<?x2xi32>) -> memref<2x?xi32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x2xi32>
  %turned = memref.alloc(%n) : memref<2x?xi32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 2 {
      %a = affine.load %x[%i, %j] : memref<?x2xi32>
      affine.store %a, %turned[%j, %i] : memref<2x?xi32>
    }
  }
  return %turned : memref<2x?xi32>
}

func.func @bits(%x: memref<?x2xf32>) -> memref<2x?xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x2xf32>
  %turned = memref.alloc(%n) : memref<2x?xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 2 {
      %a = affine.load %x[%i, %j] : memref<?x2xf32>
      affine.store %a, %turned[%j, %i] : memref<2x?xf32>
    }
  }
  return %turned : memref<2x?xf32>
}

func.func @near(%x: memref<2xi32>) -> memref<2xi32> {
  return %x : memref<2xi32>
}

func.func @pair(%x: memref<?x2xi32>, %y: memref<?x3xi32>) -> (memref<2x?xi32>, memref<3x?xi32>) attributes {iree.abi.model = "coarse-fences"} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x2xi32>
  %m = memref.dim %y, %c0 : memref<?x3xi32>
  %turned0 = memref.alloc(%n) : memref<2x?xi32>
  %turned1 = memref.alloc(%m) : memref<3x?xi32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 2 {
      %a = affine.load %x[%i, %j] : memref<?x2xi32>
      affine.store %a, %turned0[%j, %i] : memref<2x?xi32>
    }
  }
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 3 {
      %a = affine.load %y[%i, %j] : memref<?x3xi32>
      affine.store %a, %turned1[%j, %i] : memref<3x?xi32>
    }
  }
  return %turned0, %turned1 : memref<2x?xi32>, memref<3x?xi32>
}

func.func @next(%n: i32) -> i32 attributes {iree.abi.model = "coarse-fences"} {
  %one = arith.constant 1 : i32
  %next = arith.addi %n, %one : i32
  return %next : i32
}

func.func @count(%x: memref<4xf32>) -> i32 attributes {iree.abi.model = "coarse-fences"} {
  %four = arith.constant 4 : i32
  return %four : i32
}

func.func @show(%x: memref<4xf32>) -> memref<4xf32> attributes {iree.abi.model = "coarse-fences"} {
  %sum = memref.alloc() : memref<4xf32>
  affine.for %i = 0 to 4 {
    %a = affine.load %x[%i] : memref<4xf32>
    %b = arith.addf %a, %a : f32
    affine.store %b, %sum[%i] : memref<4xf32>
  }
  return %sum : memref<4xf32>
}
