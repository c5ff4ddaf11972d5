// The functions of shapes_tensor.mlir with memrefs in place of tensors. Behind a shape's name is what it is called with.

// ----- two_sums 1x8x8x3xf32=1.5 1x8x8x3xf32=2
func.func @two_sums(%x: memref<?x8x8x3xf32>, %y: memref<?x8x8x3xf32>) -> (memref<?x8x8x3xf32>, memref<?x8x8x3xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x8x8x3xf32>
  %once = memref.alloc(%n) : memref<?x8x8x3xf32>
  %twice = memref.alloc(%n) : memref<?x8x8x3xf32>
  affine.for %i0 = 0 to %n {
    affine.for %i1 = 0 to 8 {
      affine.for %i2 = 0 to 8 {
        affine.for %i3 = 0 to 3 {
          %a = affine.load %x[%i0, %i1, %i2, %i3] : memref<?x8x8x3xf32>
          %b = affine.load %y[%i0, %i1, %i2, %i3] : memref<?x8x8x3xf32>
          %s = arith.addf %a, %b : f32
          affine.store %s, %once[%i0, %i1, %i2, %i3] : memref<?x8x8x3xf32>
          %t = arith.addf %s, %b : f32
          affine.store %t, %twice[%i0, %i1, %i2, %i3] : memref<?x8x8x3xf32>
        }
      }
    }
  }
  return %once, %twice : memref<?x8x8x3xf32>, memref<?x8x8x3xf32>
}

// ----- reflected ()
func.func @reflected() attributes {iree.reflection = { maker.version = "4" }} {
  return
}

// ----- declared i32=7
func.func @declared(%x: memref<i32>) attributes {iree.abi.declaration = "def declared(x: int)"} {
  return
}

// ----- named 3xf32=1,2,3 3xf32=4,5,6
func.func @named(%x: memref<3xf32> {iree.abi.name = "left"}, %y: memref<3xf32>) -> (memref<3xf32> {iree.abi.name = "product"}, memref<3xf32>) {
  %product = memref.alloc() : memref<3xf32>
  %sum = memref.alloc() : memref<3xf32>
  affine.for %i0 = 0 to 3 {
    %a = affine.load %x[%i0] : memref<3xf32>
    %b = affine.load %y[%i0] : memref<3xf32>
    %p = arith.mulf %a, %b : f32
    affine.store %p, %product[%i0] : memref<3xf32>
    %s = arith.addf %a, %b : f32
    affine.store %s, %sum[%i0] : memref<3xf32>
  }
  return %product, %sum : memref<3xf32>, memref<3xf32>
}

// ----- encoded 1x8x8x3xi32=1065353216
func.func @encoded(%x: memref<?x8x8x3xf32> {iree.abi.encoding = tensor<?x8x8x3xi32>}) -> (memref<?x8x8x3xf32> {iree.abi.encoding = tensor<?x8x8x3xi32>}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x8x8x3xf32>
  %sum = memref.alloc(%n) : memref<?x8x8x3xf32>
  affine.for %i0 = 0 to %n {
    affine.for %i1 = 0 to 8 {
      affine.for %i2 = 0 to 8 {
        affine.for %i3 = 0 to 3 {
          %a = affine.load %x[%i0, %i1, %i2, %i3] : memref<?x8x8x3xf32>
          %s = arith.addf %a, %a : f32
          affine.store %s, %sum[%i0, %i1, %i2, %i3] : memref<?x8x8x3xf32>
        }
      }
    }
  }
  return %sum : memref<?x8x8x3xf32>
}

// ----- output_buffer 1x8x8x3xf32=3 &1x8x8x3xf32
func.func @output_buffer(%x: memref<?x8x8x3xf32>, %square: memref<?x8x8x3xf32> {iree.abi.output = 1 : index}) -> memref<?x8x8x3xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x8x8x3xf32>
  %double = memref.alloc(%n) : memref<?x8x8x3xf32>
  affine.for %i0 = 0 to %n {
    affine.for %i1 = 0 to 8 {
      affine.for %i2 = 0 to 8 {
        affine.for %i3 = 0 to 3 {
          %a = affine.load %x[%i0, %i1, %i2, %i3] : memref<?x8x8x3xf32>
          %s = arith.addf %a, %a : f32
          affine.store %s, %double[%i0, %i1, %i2, %i3] : memref<?x8x8x3xf32>
          %t = arith.mulf %a, %a : f32
          affine.store %t, %square[%i0, %i1, %i2, %i3] : memref<?x8x8x3xf32>
        }
      }
    }
  }
  return %double : memref<?x8x8x3xf32>
}

// ----- output_tensor 4xf32=1,2,3,4 4xf32=0
func.func @output_tensor(%x: memref<4xf32>, %out: memref<4xf32> {iree.abi.output = 0 : index}) {
  affine.for %i0 = 0 to 4 {
    %a = affine.load %x[%i0] : memref<4xf32>
    %s = arith.addf %a, %a : f32
    affine.store %s, %out[%i0] : memref<4xf32>
  }
  return
}

// ----- wrapped ! `iree.abi.stub` asks for
func.func @wrapped(%view: memref<4xf32>) -> memref<4xf32> attributes {iree.abi.stub} {
  return %view : memref<4xf32>
}

// ----- called 2x2xi32=1,2,3,4
func.func @called(%x: memref<?x?xi32>) -> memref<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xi32>
  %m = memref.dim %x, %c1 : memref<?x?xi32>
  %sum = memref.alloc(%n, %m) : memref<?x?xi32>
  affine.for %i0 = 0 to %n {
    affine.for %i1 = 0 to %m {
      %a = affine.load %x[%i0, %i1] : memref<?x?xi32>
      %s = arith.addi %a, %a : i32
      affine.store %s, %sum[%i0, %i1] : memref<?x?xi32>
    }
  }
  return %sum : memref<?x?xi32>
}
func.func @caller(%x: memref<?x?xi32>) -> memref<?x?xi32> {
  %sum = call @called(%x) : (memref<?x?xi32>) -> memref<?x?xi32>
  return %sum : memref<?x?xi32>
}

// ----- import 3x2xi32=1,2,3,4,5,6
func.func private @host.transpose(memref<?x2xi32>) -> memref<2x?xi32>
func.func @import(%a0: memref<?x2xi32>) -> memref<2x?xi32> {
  %r = call @host.transpose(%a0) : (memref<?x2xi32>) -> memref<2x?xi32>
  return %r : memref<2x?xi32>
}

// ----- import_affinity ! `iree.abi.affinity` asks for
func.func private @host.near(memref<2xi32> {iree.abi.affinity = "cpu"}) -> (memref<2xi32> {iree.abi.affinity = "cpu"})
func.func @import_affinity(%a0: memref<2xi32>) -> memref<2xi32> {
  %r = call @host.near(%a0) : (memref<2xi32>) -> memref<2xi32>
  return %r : memref<2xi32>
}

// ----- import_encoded 3x2xi32=1,2,3,4,5,6
func.func private @host.bits(memref<?x2xi32> {iree.abi.encoding = tensor<?x2xf32>}) -> (memref<2x?xi32> {iree.abi.encoding = tensor<2x?xf32>})
func.func @import_encoded(%a0: memref<?x2xi32>) -> memref<2x?xi32> {
  %r = call @host.bits(%a0) : (memref<?x2xi32>) -> memref<2x?xi32>
  return %r : memref<2x?xi32>
}

// ----- transients ! `iree.abi.transients` asks for
func.func @transients(%x: memref<?xf32>, %scratch: memref<?xi8> {iree.abi.transients}) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %sum = memref.alloc(%n) : memref<?xf32>
  affine.for %i0 = 0 to %n {
    %a = affine.load %x[%i0] : memref<?xf32>
    %s = arith.addf %a, %a : f32
    affine.store %s, %sum[%i0] : memref<?xf32>
  }
  return %sum : memref<?xf32>
}

// ----- transients_two ! `iree.abi.transients` asks for
func.func @transients_two(%x: memref<?xf32>, %scratch: memref<?xi8> {iree.abi.transients}) -> (memref<?xf32>, memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %sum = memref.alloc(%n) : memref<?xf32>
  affine.for %i0 = 0 to %n {
    %a = affine.load %x[%i0] : memref<?xf32>
    %s = arith.addf %a, %a : f32
    affine.store %s, %sum[%i0] : memref<?xf32>
  }
  return %sum, %x : memref<?xf32>, memref<?xf32>
}

// ----- transients_static ! `iree.abi.transients` asks for
func.func @transients_static(%x: memref<4xf32>, %scratch: memref<?xi8> {iree.abi.transients}) -> memref<4xf32> {
  %sum = memref.alloc() : memref<4xf32>
  affine.for %i0 = 0 to 4 {
    %a = affine.load %x[%i0] : memref<4xf32>
    %s = arith.addf %a, %a : f32
    affine.store %s, %sum[%i0] : memref<4xf32>
  }
  return %sum : memref<4xf32>
}

// ----- transients_view ! `iree.abi.transients` asks for
func.func @transients_view(%x: memref<4xf32>, %scratch: memref<?xi8> {iree.abi.transients}) -> memref<4xf32> {
  %sum = memref.alloc() : memref<4xf32>
  affine.for %i0 = 0 to 4 {
    %a = affine.load %x[%i0] : memref<4xf32>
    %s = arith.addf %a, %a : f32
    affine.store %s, %sum[%i0] : memref<4xf32>
  }
  return %sum : memref<4xf32>
}

// ----- fences 4xf32=1,2,3,4 4xf32=4,3,2,1
func.func @fences(%x: memref<4xf32>, %y: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) attributes {iree.abi.model = "coarse-fences"} {
  %sum = memref.alloc() : memref<4xf32>
  %product = memref.alloc() : memref<4xf32>
  affine.for %i0 = 0 to 4 {
    %a = affine.load %x[%i0] : memref<4xf32>
    %b = affine.load %y[%i0] : memref<4xf32>
    %s = arith.addf %a, %b : f32
    affine.store %s, %sum[%i0] : memref<4xf32>
    %p = arith.mulf %a, %b : f32
    affine.store %p, %product[%i0] : memref<4xf32>
  }
  return %sum, %product : memref<4xf32>, memref<4xf32>
}

// ----- fences_nothing ()
func.func @fences_nothing() attributes {iree.abi.model = "coarse-fences"} {
  return
}

// ----- fences_number 5
func.func @fences_number(%n: i32) attributes {iree.abi.model = "coarse-fences"} {
  return
}

// ----- fences_argument 4xf32=1
func.func @fences_argument(%x: memref<4xf32>) attributes {iree.abi.model = "coarse-fences"} {
  return
}

// ----- fences_number_result ()
func.func @fences_number_result() -> i32 attributes {iree.abi.model = "coarse-fences"} {
  %seven = arith.constant 7 : i32
  return %seven : i32
}

// ----- fences_result ()
memref.global "private" constant @row : memref<4xf32> = dense<[4.0, 3.0, 2.0, 1.0]>
func.func @fences_result() -> memref<4xf32> attributes {iree.abi.model = "coarse-fences"} {
  %row = memref.get_global @row : memref<4xf32>
  return %row : memref<4xf32>
}

// ----- fences_output 4xf32=1,2,3,4 4xf32=4,3,2,1 &4xf32 &4xf32
func.func @fences_output(%x: memref<4xf32>, %y: memref<4xf32>, %sum: memref<4xf32> {iree.abi.output = 0 : index}, %product: memref<4xf32> {iree.abi.output = 1 : index}) attributes {iree.abi.model = "coarse-fences"} {
  affine.for %i0 = 0 to 4 {
    %a = affine.load %x[%i0] : memref<4xf32>
    %b = affine.load %y[%i0] : memref<4xf32>
    %s = arith.addf %a, %b : f32
    affine.store %s, %sum[%i0] : memref<4xf32>
    %p = arith.mulf %a, %b : f32
    affine.store %p, %product[%i0] : memref<4xf32>
  }
  return
}

// ----- fences_import 3x2xi32=1,2,3,4,5,6 1x3xi32=7,8,9
func.func private @host.pair(memref<?x2xi32>, memref<?x3xi32>) -> (memref<2x?xi32>, memref<3x?xi32>) attributes {iree.abi.model = "coarse-fences", nosideeffects}
func.func @fences_import(%a0: memref<?x2xi32>, %a1: memref<?x3xi32>) -> (memref<2x?xi32>, memref<3x?xi32>) attributes {iree.abi.model = "coarse-fences"} {
  %r:2 = call @host.pair(%a0, %a1) : (memref<?x2xi32>, memref<?x3xi32>) -> (memref<2x?xi32>, memref<3x?xi32>)
  return %r#0, %r#1 : memref<2x?xi32>, memref<3x?xi32>
}

// ----- fences_affinity ! `iree.abi.affinity` asks for
func.func private @host.far(memref<2xi32> {iree.abi.affinity = "cpu"}) -> (memref<2xi32> {iree.abi.affinity = "cpu"}) attributes {iree.abi.affinity = "cpu", iree.abi.model = "coarse-fences", nosideeffects}
func.func @fences_affinity(%a0: memref<2xi32>) -> memref<2xi32> attributes {iree.abi.model = "coarse-fences"} {
  %r = call @host.far(%a0) : (memref<2xi32>) -> memref<2xi32>
  return %r : memref<2xi32>
}

// ----- fences_import_pure
func.func private @host.next(i32) -> i32 attributes {iree.abi.model = "coarse-fences", nosideeffects}
func.func @fences_import_pure(%a0: i32) -> i32 attributes {iree.abi.model = "coarse-fences"} {
  %r = call @host.next(%a0) : (i32) -> i32
  return %r : i32
}

// ----- fences_import_number 4xf32=1
func.func private @host.count(memref<4xf32>) -> i32 attributes {iree.abi.model = "coarse-fences"}
func.func @fences_import_number(%a0: memref<4xf32>) -> i32 attributes {iree.abi.model = "coarse-fences"} {
  %r = call @host.count(%a0) : (memref<4xf32>) -> i32
  return %r : i32
}

// ----- fences_import_effects 4xf32=1,2,3,4
func.func private @host.show(memref<4xf32>) -> memref<4xf32> attributes {iree.abi.model = "coarse-fences"}
func.func @fences_import_effects(%a0: memref<4xf32>) -> memref<4xf32> attributes {iree.abi.model = "coarse-fences"} {
  %r = call @host.show(%a0) : (memref<4xf32>) -> memref<4xf32>
  return %r : memref<4xf32>
}

// ----- fences_transients ! `iree.abi.transients` asks for
func.func @fences_transients(%x: memref<4xf32>, %scratch: memref<?xi8> {iree.abi.transients}) -> memref<4xf32> attributes {iree.abi.model = "coarse-fences"} {
  %sum = memref.alloc() : memref<4xf32>
  affine.for %i0 = 0 to 4 {
    %a = affine.load %x[%i0] : memref<4xf32>
    %s = arith.addf %a, %a : f32
    affine.store %s, %sum[%i0] : memref<4xf32>
  }
  return %sum : memref<4xf32>
}

// ----- fences_transients_dynamic ! `iree.abi.transients` asks for
func.func @fences_transients_dynamic(%x: memref<?xf32>, %scratch: memref<?xi8> {iree.abi.transients}) -> memref<?xf32> attributes {iree.abi.model = "coarse-fences"} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %sum = memref.alloc(%n) : memref<?xf32>
  affine.for %i0 = 0 to %n {
    %a = affine.load %x[%i0] : memref<?xf32>
    %s = arith.addf %a, %a : f32
    affine.store %s, %sum[%i0] : memref<?xf32>
  }
  return %sum : memref<?xf32>
}

// ----- fences_output_transients ! `iree.abi.transients` asks for
func.func @fences_output_transients(%x: memref<4xf32>, %y: memref<4xf32>, %sum: memref<4xf32> {iree.abi.output = 0 : index}, %product: memref<4xf32> {iree.abi.output = 1 : index}, %scratch: memref<?xi8> {iree.abi.transients}) attributes {iree.abi.model = "coarse-fences"} {
  affine.for %i0 = 0 to 4 {
    %a = affine.load %x[%i0] : memref<4xf32>
    %b = affine.load %y[%i0] : memref<4xf32>
    %s = arith.addf %a, %b : f32
    affine.store %s, %sum[%i0] : memref<4xf32>
    %p = arith.mulf %a, %b : f32
    affine.store %p, %product[%i0] : memref<4xf32>
  }
  return
}

// ----- fences_transients_two ! `iree.abi.transients` asks for
func.func @fences_transients_two(%x: memref<4xf32>, %scratch: memref<?xi8> {iree.abi.transients}) -> (memref<4xf32>, memref<4xf32>) attributes {iree.abi.model = "coarse-fences"} {
  %sum = memref.alloc() : memref<4xf32>
  affine.for %i0 = 0 to 4 {
    %a = affine.load %x[%i0] : memref<4xf32>
    %s = arith.addf %a, %a : f32
    affine.store %s, %sum[%i0] : memref<4xf32>
  }
  return %sum, %x : memref<4xf32>, memref<4xf32>
}

// ----- tied 4xf32=1,2,3,4
func.func @tied(%x: memref<4xf32>) -> (memref<4xf32> {iree.abi.tied = 0 : i64}) {
  affine.for %i0 = 0 to 4 {
    %a = affine.load %x[%i0] : memref<4xf32>
    %s = arith.addf %a, %a : f32
    affine.store %s, %x[%i0] : memref<4xf32>
  }
  return %x : memref<4xf32>
}

// ----- consumed ! `iree.abi.consume` asks for
func.func @consumed(%x: memref<4xf32> {iree.abi.consume}) -> memref<4xf32> {
  %sum = memref.alloc() : memref<4xf32>
  affine.for %i0 = 0 to 4 {
    %a = affine.load %x[%i0] : memref<4xf32>
    %s = arith.addf %a, %a : f32
    affine.store %s, %sum[%i0] : memref<4xf32>
  }
  return %sum : memref<4xf32>
}

// ----- affinity ! `iree.abi.affinity` asks for
func.func @affinity(%x: memref<4xf32> {iree.abi.affinity = "cpu"}) -> (memref<4xf32> {iree.abi.affinity = "cpu"}) {
  %sum = memref.alloc() : memref<4xf32>
  affine.for %i0 = 0 to 4 {
    %a = affine.load %x[%i0] : memref<4xf32>
    %s = arith.addf %a, %a : f32
    affine.store %s, %sum[%i0] : memref<4xf32>
  }
  return %sum : memref<4xf32>
}

// ----- affinity_function ! `iree.abi.affinity` asks for
func.func @affinity_function(%x: memref<4xf32>) -> memref<4xf32> attributes {iree.abi.affinity = "cpu"} {
  %sum = memref.alloc() : memref<4xf32>
  affine.for %i0 = 0 to 4 {
    %a = affine.load %x[%i0] : memref<4xf32>
    %s = arith.addf %a, %a : f32
    affine.store %s, %sum[%i0] : memref<4xf32>
  }
  return %sum : memref<4xf32>
}

// ----- numbers -1 -2 -3 -4 1.5 2.5 1 8
func.func @numbers(%a: i8, %b: i16, %c: i32, %d: i64, %e: f32, %f: f64, %g: i1, %h: index) -> (i8, i16, i32, i64, f32, f64, i1, index) {
  return %a, %b, %c, %d, %e, %f, %g, %h : i8, i16, i32, i64, f32, f64, i1, index
}

// ----- ranks f64=2.5 0x2xi64= 1x1x1x1x1x1x1x1xi8=9
func.func @ranks(%a: memref<f64>, %b: memref<0x2xi64>, %c: memref<1x1x1x1x1x1x1x1xi8>) -> (memref<f64>, memref<0x2xi64>, memref<1x1x1x1x1x1x1x1xi8>) {
  return %a, %b, %c : memref<f64>, memref<0x2xi64>, memref<1x1x1x1x1x1x1x1xi8>
}

// ----- elements
func.func @elements(%a: memref<2xi1>, %b: memref<2xi16>, %c: memref<2xf16>, %d: memref<2xbf16>, %e: memref<2xcomplex<f32>>) -> (memref<2xi1>, memref<2xi16>, memref<2xf16>, memref<2xbf16>, memref<2xcomplex<f32>>) {
  return %a, %b, %c, %d, %e : memref<2xi1>, memref<2xi16>, memref<2xf16>, memref<2xbf16>, memref<2xcomplex<f32>>
}

// ----- named_fences 3xf64=1,2,3 2.5
func.func @named_fences(%x: memref<?xf64> {iree.abi.name = "row"}, %k: f64 {iree.abi.name = "factor"}) -> (memref<?xf64> {iree.abi.name = "scaled"}) attributes {iree.abi.model = "coarse-fences", iree.reflection = { unit = "metre" }} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  %scaled = memref.alloc(%n) : memref<?xf64>
  affine.for %i0 = 0 to %n {
    %a = affine.load %x[%i0] : memref<?xf64>
    %s = arith.mulf %a, %k : f64
    affine.store %s, %scaled[%i0] : memref<?xf64>
  }
  return %scaled : memref<?xf64>
}

// ----- classes 3xui8=1,2,200 2xsi16=1,-2 2xf8E4M3FN=1,-2 2xi64=3,4 2xui32=1,2
func.func @classes(%a: memref<?xui8>, %b: memref<2xsi16>, %c: memref<2xf8E4M3FN>, %d: memref<2xindex>, %e: memref<2xf32> {iree.abi.encoding = tensor<2xui32>}) -> (memref<?xui8>, memref<2xsi16>, memref<2xf8E4M3FN>, memref<2xindex>, memref<2xf32> {iree.abi.encoding = tensor<2xsi32>}) {
  return %a, %b, %c, %d, %e : memref<?xui8>, memref<2xsi16>, memref<2xf8E4M3FN>, memref<2xindex>, memref<2xf32>
}
