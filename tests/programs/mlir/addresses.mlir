// Where elements are: see mlir_signatures.rs.

func.func @document(%m: memref<?x?x4x8xf32, strided<[?, 32, 8, 1], offset: ?>>, %i: index, %j: index, %k: index, %l: index) -> f32 {
  %0 = memref.load %m[%i, %j, %k, %l] : memref<?x?x4x8xf32, strided<[?, 32, 8, 1], offset: ?>>
  return %0 : f32
}
func.func @sizes_say_strides(%m: memref<?x4x8xi16>, %i: index, %j: index, %k: index, %x: i16) {
  memref.store %x, %m[%i, %j, %k] : memref<?x4x8xi16>
  return
}
func.func @size_unknown(%m: memref<4x?x3xf64>, %i: index, %j: index, %k: index, %x: f64) {
  memref.store %x, %m[%i, %j, %k] : memref<4x?x3xf64>
  return
}
func.func @offset_known(%m: memref<4xf32, strided<[3], offset: 7>>, %i: index, %x: f32) {
  memref.store %x, %m[%i] : memref<4xf32, strided<[3], offset: 7>>
  return
}
func.func @offset_unknown(%m: memref<4x5xi8, strided<[5, 1], offset: ?>>, %i: index, %j: index) -> i8 {
  %0 = memref.load %m[%i, %j] : memref<4x5xi8, strided<[5, 1], offset: ?>>
  return %0 : i8
}
func.func @all_unknown(%m: memref<?x?xf32, strided<[?, ?], offset: ?>>, %i: index, %j: index) -> f32 {
  %0 = memref.load %m[%i, %j] : memref<?x?xf32, strided<[?, ?], offset: ?>>
  return %0 : f32
}
func.func @column_major(%m: memref<4x8xi64, strided<[1, 4]>>, %i: index, %j: index) -> i64 {
  %0 = memref.load %m[%i, %j] : memref<4x8xi64, strided<[1, 4]>>
  return %0 : i64
}
func.func @no_dimension(%m: memref<f32>, %x: f32) {
  memref.store %x, %m[] : memref<f32>
  return
}
func.func @as_a_map(%m: memref<?x6xf32, affine_map<(d0, d1)[s0] -> (d0 * 13 + d1 * 2 + s0)>>, %i: index, %j: index) -> f32 {
  %0 = memref.load %m[%i, %j] : memref<?x6xf32, affine_map<(d0, d1)[s0] -> (d0 * 13 + d1 * 2 + s0)>>
  return %0 : f32
}
func.func @twice(%m: memref<?x?xf32>, %i: index, %j: index, %x: f32) -> f32 {
  memref.store %x, %m[%i, %j] : memref<?x?xf32>
  %0 = memref.load %m[%j, %i] : memref<?x?xf32>
  return %0 : f32
}
func.func @bare(%m: memref<2x4xf32, strided<[9, 2], offset: 5>>, %i: index, %j: index) -> f32 attributes {llvm.bareptr} {
  %0 = memref.load %m[%i, %j] : memref<2x4xf32, strided<[9, 2], offset: 5>>
  return %0 : f32
}
