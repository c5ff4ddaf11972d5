// Memory of memrefs: with alignments and without, of elements of several sizes, given back and grown.
func.func @fill(%n: index, %x: f32) -> f32 attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %a[%i] : memref<?xf32>
  }
  %b = memref.alloc(%n) {alignment = 64 : i64} : memref<?x3xf32>
  %c = memref.alloc() {alignment = 32 : i64} : memref<5xi8>
  %last = arith.subi %n, %c1 : index
  %y = memref.load %a[%last] : memref<?xf32>
  memref.store %y, %b[%last, %c1] : memref<?x3xf32>
  %z = memref.load %b[%last, %c1] : memref<?x3xf32>
  memref.dealloc %c : memref<5xi8>
  memref.dealloc %b : memref<?x3xf32>
  memref.dealloc %a : memref<?xf32>
  return %z : f32
}
// Whose alignment has the function for memory to see to: the sum of what the addresses have beyond it.
func.func @aligned(%n: index) -> index attributes {llvm.emit_c_interface} {
  %a = memref.alloc(%n) : memref<?xvector<8xf32>>
  %b = memref.alloc(%n) {alignment = 256 : i64} : memref<?xi16>
  %p = memref.extract_aligned_pointer_as_index %a : memref<?xvector<8xf32>> -> index
  %q = memref.extract_aligned_pointer_as_index %b : memref<?xi16> -> index
  %m = arith.constant 31 : index
  %k = arith.constant 255 : index
  %r = arith.andi %p, %m : index
  %s = arith.andi %q, %k : index
  %t = arith.addi %r, %s : index
  memref.dealloc %b : memref<?xi16>
  memref.dealloc %a : memref<?xvector<8xf32>>
  return %t : index
}
// The descriptor of an unranked result is from `malloc`, whatever the memory is from.
func.func @unranked(%n: index) -> memref<*xi32> attributes {llvm.emit_c_interface} {
  %a = memref.alloc(%n) : memref<?xi32>
  %u = memref.cast %a : memref<?xi32> to memref<*xi32>
  return %u : memref<*xi32>
}
func.func @adopt(%n: index) attributes {llvm.emit_c_interface} {
  %u = func.call @unranked(%n) : (index) -> memref<*xi32>
  memref.dealloc %u : memref<*xi32>
  return
}
