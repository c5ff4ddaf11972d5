// The examples of "LLVM IR Target", with functions of C for what uses and gives values there.

func.func private @seen_i32(i32)
func.func private @seen_i64(i64)
func.func private @seen_view(memref<?xf32>)
func.func private @seen_any(memref<*xf32>)
func.func private @made_view() -> memref<?xf32> attributes {llvm.emit_c_interface}
func.func private @made_any() -> memref<*xf32> attributes {llvm.emit_c_interface}

// Function Result Packing.
func.func @both(%a: i32, %b: i64) -> (i32, i64) {
  return %a, %b : i32, i64
}
func.func @use_both() {
  %0 = arith.constant 42 : i32
  %1 = arith.constant 17 : i64
  %2:2 = call @both(%0, %1) : (i32, i64) -> (i32, i64)
  call @seen_i32(%2#0) : (i32) -> ()
  call @seen_i64(%2#1) : (i64) -> ()
  return
}

// Calling Convention for Ranked `memref`.
func.func @take(%m: memref<?xf32>) -> () {
  call @seen_view(%m) : (memref<?xf32>) -> ()
  return
}
func.func @give() {
  %0 = call @made_view() : () -> (memref<?xf32>)
  call @take(%0) : (memref<?xf32>) -> ()
  return
}

// Calling Convention for Unranked `memref`.
func.func @take_any(%m: memref<*xf32>) -> () {
  call @seen_any(%m) : (memref<*xf32>) -> ()
  return
}
func.func @give_any() {
  %0 = call @made_any() : () -> (memref<*xf32>)
  call @take_any(%0) : (memref<*xf32>) -> ()
  return
}

// C-compatible wrapper emission.
func.func private @outside(%m: memref<?x?xf32>) attributes {llvm.emit_c_interface}
func.func @reach(%m: memref<?x?xf32>) {
  call @outside(%m) : (memref<?x?xf32>) -> ()
  return
}
func.func @nothing(%m: memref<?x?xf32>) attributes {llvm.emit_c_interface} {
  return
}
func.func @same(%m: memref<?x?xf32>) -> memref<?x?xf32> attributes {llvm.emit_c_interface} {
  return %m : memref<?x?xf32>
}

// Address Computation.
func.func @element(%m: memref<?x?x4x8xf32, strided<[?, 32, 8, 1], offset: ?>>, %i: index, %j: index, %k: index, %l: index) -> f32 {
  %0 = memref.load %m[%i, %j, %k, %l] : memref<?x?x4x8xf32, strided<[?, 32, 8, 1], offset: ?>>
  return %0 : f32
}
