// Descriptors of unranked memrefs in loops: those that end with a turn leave the stack with it. What is allocated in a loop stays, and
// so do descriptors that a turn hands on.

func.func private @seen(memref<*xf32>) -> index attributes {llvm.emit_c_interface}

func.func @unranked(%m: memref<?xf32>) -> memref<*xf32> {
  %u = memref.cast %m : memref<?xf32> to memref<*xf32>
  return %u : memref<*xf32>
}

func.func @turns(%m: memref<?xf32>, %n: index) -> index attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
    %u = memref.cast %m : memref<?xf32> to memref<*xf32>
    %even = arith.remui %i, %c2 : index
    %is = arith.cmpi eq, %even, %c0 : index
    %k = scf.if %is -> (index) {
      %v = func.call @unranked(%m) : (memref<?xf32>) -> memref<*xf32>
      %0 = func.call @seen(%v) : (memref<*xf32>) -> index
      scf.yield %0 : index
    } else {
      %0 = func.call @seen(%u) : (memref<*xf32>) -> index
      scf.yield %0 : index
    }
    %t = arith.addi %s, %k : index
    scf.yield %t : index
  }
  return %sum : index
}

// The descriptor of one turn is used in the next, and the buffer of one in all.
func.func @handed_on(%m: memref<?xf32>, %n: index) -> index attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.cast %m : memref<?xf32> to memref<*xf32>
  %own = memref.alloca() : memref<2xf32>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %first, %b = %own, %s = %c0)
      -> (memref<*xf32>, memref<2xf32>, index) {
    %k = func.call @seen(%u) : (memref<*xf32>) -> index
    %new = memref.alloca() : memref<2xf32>
    %f = arith.index_cast %i : index to i32
    %x = arith.sitofp %f : i32 to f32
    memref.store %x, %new[%c0] : memref<2xf32>
    %wide = memref.cast %new : memref<2xf32> to memref<?xf32>
    %next = memref.cast %wide : memref<?xf32> to memref<*xf32>
    %t = arith.addi %s, %k : index
    scf.yield %next, %new, %t : memref<*xf32>, memref<2xf32>, index
  }
  %last = memref.load %r#1[%c0] : memref<2xf32>
  %whole = arith.fptosi %last : f32 to i32
  %l = arith.index_cast %whole : i32 to index
  %sum = arith.addi %r#2, %l : index
  return %sum : index
}
