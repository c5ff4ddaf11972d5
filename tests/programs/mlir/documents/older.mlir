// The examples of "Built-in Function and MemRef Calling Convention", with functions of C for what uses and gives values there.

func private @seen_i32(i32)
func private @seen_i64(i64)
func private @seen_view(memref<?xf32>)
func private @seen_any(memref<*xf32>)
func private @made_view() -> memref<?xf32> attributes {llvm.emit_c_interface}
func private @made_any() -> memref<*xf32> attributes {llvm.emit_c_interface}

// Function Result Packing.
func @both(%a: i32, %b: i64) -> (i32, i64) {
  return %a, %b : i32, i64
}
func @use_both() {
  %0 = constant 42 : i32
  %1 = constant 17 : i64
  %2:2 = call @both(%0, %1) : (i32, i64) -> (i32, i64)
  call @seen_i32(%2#0) : (i32) -> ()
  call @seen_i64(%2#1) : (i64) -> ()
  return
}

// Calling Convention for Ranked `memref`.
func @take(%m: memref<?xf32>) -> () {
  call @seen_view(%m) : (memref<?xf32>) -> ()
  return
}
func @give() {
  %0 = call @made_view() : () -> (memref<?xf32>)
  call @take(%0) : (memref<?xf32>) -> ()
  return
}

// Calling Convention for Unranked `memref`.
func @take_any(%m: memref<*xf32>) -> () {
  call @seen_any(%m) : (memref<*xf32>) -> ()
  return
}
func @give_any() {
  %0 = call @made_any() : () -> (memref<*xf32>)
  call @take_any(%0) : (memref<*xf32>) -> ()
  return
}

// C-compatible wrapper emission.
func private @outside(%m: memref<?x?xf32>) attributes {llvm.emit_c_interface}
func @reach(%m: memref<?x?xf32>) {
  call @outside(%m) : (memref<?x?xf32>) -> ()
  return
}
func @nothing(%m: memref<?x?xf32>) attributes {llvm.emit_c_interface} {
  return
}
func @same(%m: memref<?x?xf32>) -> memref<?x?xf32> attributes {llvm.emit_c_interface} {
  return %m : memref<?x?xf32>
}

// Index Linearization.
func @element(%m: memref<?x?x4x8xf32, offset: ?, strides: [?, 32, 8, 1]>, %i: index, %j: index, %k: index, %l: index) -> f32 {
  %0 = load %m[%i, %j, %k, %l] : memref<?x?x4x8xf32, offset: ?, strides: [?, 32, 8, 1]>
  return %0 : f32
}
