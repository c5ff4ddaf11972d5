// --target linux64,arm64,armhf,win64 --width 200 +json +svg
func.func @f(%m: memref<?x4xf32>, %c: complex<f32>, %n: index) -> (memref<*xf32>, i1) {
  return %u, %t : memref<*xf32>, i1
}
