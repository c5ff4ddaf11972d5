// --target linux64,linux32 --index-width 32
module {
  func.func private @other(memref<?xf32>)
  func.func @bare(memref<2x4xf32, strided<[8, 1], offset: 3>>, f64) -> memref<f32> attributes {llvm.bareptr}
}
