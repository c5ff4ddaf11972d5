// Globals as results of functions whose memrefs are bare pointers.

memref.global @table : memref<4xi32> = dense<[10, 20, 30, 40]>

func.func @whole() -> memref<4xi32> attributes {llvm.bareptr} {
  %0 = memref.get_global @table : memref<4xi32>
  return %0 : memref<4xi32>
}

func.func @part(%i: index) -> i32 {
  %0 = call @whole() : () -> memref<4xi32>
  %1 = memref.load %0[%i] : memref<4xi32>
  return %1 : i32
}
