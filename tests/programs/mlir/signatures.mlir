// Functions of every kind of signature: what becomes of their headers is what MLIR's passes write.

// "Function Types".
func.func private @t0()
func.func private @t1(i32) -> i64
func.func private @t2(i32, f32) -> i64
func.func private @t3(i32, f32) -> (i64, f64)
func.func private @t4(() -> ()) -> (() -> ())
func.func private @t5(memref<f32>)
func.func private @t6(memref<f32>, f32)
func.func private @t7(memref<?x?xf32>)
func.func private @t8(memref<*xf32>)
func.func private @t9() -> memref<?xf32>
func.func private @t10() -> (memref<f32>, memref<f64>)
func.func private @t11(i32) attributes {func.varargs = true}
func.func private @t12(i32) attributes {func.varargs = false}
func.func private @t13(memref<?xf32>, index) -> memref<*xf32> attributes {func.varargs = true}
func.func private @t14((memref<?xf32>, (index) -> memref<*xf32>) -> (i32, f32), i32) -> ((memref<?xf32>) -> i8, index)

// "Conversion of Built-in Types".
func.func private @c1(complex<f32>, complex<f64>) -> complex<f32>
func.func private @c2(vector<4xf32>, vector<2x3x4xf32>, vector<f32>, vector<2x3xindex>) -> vector<2x4xi8>
func.func private @c3(memref<2xvector<4xf32>>, memref<*xcomplex<f32>>, memref<2x?x3xindex, strided<[?, ?, 1], offset: 3>>)
func.func private @c4(!llvm.ptr, !llvm.struct<(i8, array<3 x i16>)>, !llvm.struct<packed (i8, i32)>) -> !llvm.struct<(i32, ptr)>
func.func private @c5(vector<[4]xf32>, vector<[8]xi16>)
func.func private @c6(si8, ui16, f16, bf16, f128, i1, i7)

// Types of LLVM with others in them; named ones get another name.
func.func private @n1(!llvm.struct<(index)>, !llvm.array<2 x index>, !llvm.array<2 x memref<?xf32>>) -> !llvm.struct<(index, i32)>
func.func private @n2(!llvm.struct<(complex<f32>, vector<2x2xf32>)>, !llvm.array<2 x array<3 x index>>)
func.func private @n3(!llvm.struct<"one", (index, f32)>) -> !llvm.struct<"one", (index, f32)>
func.func private @n4(!llvm.struct<"two", (struct<"three", packed (index)>, ptr)>, !llvm.struct<"three", packed (index)>)
func.func private @n5(!llvm.struct<"four", (i32, ptr)>, !llvm.struct<"five", opaque>, !llvm.struct<"six", (struct<"four", (i32, ptr)>)>)
func.func private @n6(!llvm.struct<"seven", (struct<(i8, index)>)>, !llvm.struct<"eight", (struct<(i8, i64)>)>)

// "C-compatible wrapper emission": of functions that the module has, and that C has.
func.func @w1() attributes {llvm.emit_c_interface} {
  return
}
func.func @w2(%a: memref<?x?xf32>, %b: i8, %c: memref<*xf32>) -> i32 attributes {llvm.emit_c_interface} {
  %0 = arith.constant 1 : i32
  return %0 : i32
}
func.func @w3(%a: memref<?x?xf32>) -> memref<?x?xf32> attributes {llvm.emit_c_interface} {
  return %a : memref<?x?xf32>
}
func.func @w4(%a: complex<f32>, %b: vector<2x4xf32>) -> (complex<f32>, vector<2x4xf32>) attributes {llvm.emit_c_interface} {
  return %a, %b : complex<f32>, vector<2x4xf32>
}
func.func @w5(%a: complex<f32>, %b: () -> ()) -> complex<f32> attributes {llvm.emit_c_interface} {
  return %a : complex<f32>
}
func.func private @w6() attributes {llvm.emit_c_interface}
func.func private @w7(memref<?x?xf32>, index, memref<*xf32>) -> f64 attributes {llvm.emit_c_interface}
func.func private @w8(memref<f32>, vector<2x4xf32>) -> (memref<*xf32>, i32) attributes {llvm.emit_c_interface}
func.func private @w9(i32) -> memref<2x3xf32> attributes {llvm.emit_c_interface}

// "Bare Pointer Calling Convention for Ranked MemRef": no wrappers.
func.func @b1(%a: memref<2x4xf32>, %b: i32) -> memref<2x4xf32> attributes {llvm.bareptr, llvm.emit_c_interface} {
  return %a : memref<2x4xf32>
}
func.func private @b2(memref<f32>, memref<4xi32, strided<[2], offset: 1>>) -> (memref<f32>, f32) attributes {llvm.bareptr}

// Attributes: those of a memref are for a bare pointer alone.
func.func @a1(%m: memref<4xf32> {llvm.noalias, llvm.nofree}, %x: i32 {llvm.noundef}, %p: !llvm.ptr {llvm.noalias})
    -> (memref<4xf32> {llvm.noalias}) attributes {llvm.bareptr} {
  return %m : memref<4xf32>
}
func.func @a2(%m: memref<4xf32> {llvm.noalias}, %x: i32 {llvm.noundef}, %u: memref<*xf32> {llvm.noalias}, %p: !llvm.ptr {llvm.noalias}) -> (i32 {llvm.noundef}) {
  return %x : i32
}
func.func @a3(%m: memref<4xf32> {llvm.noalias}) -> memref<4xf32>
    attributes {llvm.emit_c_interface, llvm.linkage = #llvm.linkage<weak>} {
  return %m : memref<4xf32>
}
func.func @a4(%x: i32) -> (i32 {llvm.noundef}, f32 {llvm.noundef}) attributes {llvm.emit_c_interface} {
  %f = arith.constant 1.0 : f32
  return %x, %f : i32, f32
}
func.func @a5(%m: memref<f32> {llvm.noalias}, %p: !llvm.ptr {llvm.nonnull}) -> (i32 {llvm.noundef}) attributes {llvm.emit_c_interface} {
  %x = arith.constant 1 : i32
  return %x : i32
}
