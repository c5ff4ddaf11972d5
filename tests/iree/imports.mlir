// Functions that call those of another module, and one of C's.

func.func private @attributes.check(i32) -> i32
func.func private @attributes.tied(memref<?xi32>) -> memref<?xi32>
func.func private @attributes.sums(memref<?x?xi32>) -> (i32, index)
// Four numbers in a row to the other module, in two rows here.
func.func private @attributes.reshaped(memref<2x2xf32, strided<[?, ?], offset: ?>> {iree.abi.encoding = tensor<4xf32>})
    -> (memref<2x2xf32> {iree.abi.encoding = tensor<4x1xf32>})
func.func private @attributes.later(memref<4xi32>) -> i32 attributes {iree.abi.model = "coarse-fences"}
func.func private @abs(i32) -> i32

func.func @checked(%n: i32) -> i32 {
  %0 = call @abs(%n) : (i32) -> i32
  %1 = call @attributes.check(%0) : (i32) -> i32
  %2 = call @attributes.check(%1) : (i32) -> i32
  %3 = arith.addi %1, %2 : i32
  return %3 : i32
}

func.func @marked(%x: memref<?xi32>) -> memref<?xi32> {
  %0 = call @attributes.tied(%x) : (memref<?xi32>) -> memref<?xi32>
  return %0 : memref<?xi32>
}

func.func @doubled(%x: memref<?x?xi32>) -> i64 {
  %sum, %count = call @attributes.sums(%x) : (memref<?x?xi32>) -> (i32, index)
  %wide = arith.extsi %sum : i32 to i64
  %n = arith.index_cast %count : index to i64
  %all = arith.addi %wide, %n : i64
  return %all : i64
}

func.func @squared(%x: memref<2x2xf32>) -> (memref<2x2xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %turned = memref.transpose %x (i, j) -> (j, i) : memref<2x2xf32> to memref<2x2xf32, strided<[1, 2]>>
  %any = memref.cast %turned : memref<2x2xf32, strided<[1, 2]>> to memref<2x2xf32, strided<[?, ?], offset: ?>>
  %0 = call @attributes.reshaped(%any) : (memref<2x2xf32, strided<[?, ?], offset: ?>>) -> memref<2x2xf32>
  %1 = memref.load %0[%c1, %c0] : memref<2x2xf32>
  return %0, %1 : memref<2x2xf32>, f32
}

func.func @waiting(%x: memref<4xi32>) -> i32 {
  %0 = call @attributes.later(%x) : (memref<4xi32>) -> i32
  return %0 : i32
}
