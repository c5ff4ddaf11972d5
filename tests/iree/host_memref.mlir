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
