// Functions that call those of another module, and one of C's.

func.func private @attributes.check(i32) -> i32
func.func private @attributes.tied(memref<?xi32>) -> memref<?xi32>
func.func private @attributes.sums(memref<?x?xi32>) -> (i32, index)
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
