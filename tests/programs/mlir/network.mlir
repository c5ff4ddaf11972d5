// A small network of this project's own (convolution, normalization, rectifier, pooling, two layers with tanh between them,
// softmax) as torch-mlir, with MLIR 24, lowers it to loops; @entry was added.

#map = affine_map<(d0, d1) -> (d0 + d1)>
#map1 = affine_map<(d0, d1) -> (d0 * 2 + d1)>
module {
  memref.global "private" constant @__constant_1x4x1x1xf32_2 : memref<1x4x1x1xf32> = dense<[[[[0.000000e+00]], [[2.500000e-01]], [[-2.500000e-01]], [[5.000000e-01]]]]> {alignment = 64 : i64}
  memref.global "private" constant @__constant_1x4x1x1xf32_1 : memref<1x4x1x1xf32> = dense<[[[[1.000000e+00]], [[5.000000e-01]], [[1.500000e+00]], [[7.500000e-01]]]]> {alignment = 64 : i64}
  memref.global "private" constant @__constant_1x4x1x1xf32_0 : memref<1x4x1x1xf32> = dense<[[[[1.000000e+00]], [[5.000000e-01]], [[2.000000e+00]], [[2.500000e-01]]]]> {alignment = 64 : i64}
  memref.global "private" constant @__constant_1x4x1x1xf32 : memref<1x4x1x1xf32> = dense<[[[[1.000000e-01]], [[-1.000000e-01]], [[2.000000e-01]], [[0.000000e+00]]]]> {alignment = 64 : i64}
  memref.global "private" constant @__constant_3xf32 : memref<3xf32> = dense<[-3.750000e-01, 1.250000e-01, 6.250000e-01]> {alignment = 64 : i64}
  memref.global "private" constant @__constant_3x6xf32 : memref<3x6xf32> = dense<[[7.500000e-01, -5.625000e-01, -6.250000e-02, 4.375000e-01, -8.750000e-01, -3.750000e-01], [1.250000e-01, 6.250000e-01, -6.875000e-01, -1.875000e-01, 3.125000e-01, 8.125000e-01], [-5.000000e-01, 0.000000e+00, 5.000000e-01, -8.125000e-01, -3.125000e-01, 1.875000e-01]]> {alignment = 64 : i64}
  memref.global "private" constant @__constant_6xf32 : memref<6xf32> = dense<[6.250000e-02, 5.625000e-01, -7.500000e-01, -2.500000e-01, 2.500000e-01, 7.500000e-01]> {alignment = 64 : i64}
  memref.global "private" constant @__constant_6x64xf32 : memref<6x64xf32> = dense<"0x000020BF000000BE0000C03E0000603F0000E0BE0000803D0000103F000040BF000080BE0000803E0000403F000010BF000080BD0000E03E000060BF0000C0BE0000003E0000203F000030BF000040BE0000A03E0000503F000000BF000000000000003F000050BF0000A0BE0000403E0000303F000020BF000000BE0000C03E0000603F0000E0BE0000803D0000103F000040BF000080BE0000803E0000403F000010BF000080BD0000E03E000060BF0000C0BE0000003E0000203F000030BF000040BE0000A03E0000503F000000BF000000000000003F000050BF0000A0BE0000403E0000303F000020BF000000BE0000C03E0000603F0000E0BE0000803D0000103F000040BF000080BE0000803E0000403F000010BF000080BD0000E03E000060BF0000C0BE0000003E0000203F000030BF000040BE0000A03E0000503F000000BF000000000000003F000050BF0000A0BE0000403E0000303F000020BF000000BE0000C03E0000603F0000E0BE0000803D0000103F000040BF000080BE0000803E0000403F000010BF000080BD0000E03E000060BF0000C0BE0000003E0000203F000030BF000040BE0000A03E0000503F000000BF000000000000003F000050BF0000A0BE0000403E0000303F000020BF000000BE0000C03E0000603F0000E0BE0000803D0000103F000040BF000080BE0000803E0000403F000010BF000080BD0000E03E000060BF0000C0BE0000003E0000203F000030BF000040BE0000A03E0000503F000000BF000000000000003F000050BF0000A0BE0000403E0000303F000020BF000000BE0000C03E0000603F0000E0BE0000803D0000103F000040BF000080BE0000803E0000403F000010BF000080BD0000E03E000060BF0000C0BE0000003E0000203F000030BF000040BE0000A03E0000503F000000BF000000000000003F000050BF0000A0BE0000403E0000303F000020BF000000BE0000C03E0000603F0000E0BE0000803D0000103F000040BF000080BE0000803E0000403F000010BF000080BD0000E03E000060BF0000C0BE0000003E0000203F000030BF000040BE0000A03E0000503F000000BF000000000000003F000050BF0000A0BE0000403E0000303F000020BF000000BE0000C03E0000603F0000E0BE0000803D0000103F000040BF000080BE0000803E0000403F000010BF000080BD0000E03E000060BF0000C0BE0000003E0000203F000030BF000040BE0000A03E0000503F000000BF000000000000003F000050BF0000A0BE0000403E0000303F000020BF000000BE0000C03E0000603F0000E0BE0000803D0000103F000040BF000080BE0000803E0000403F000010BF000080BD0000E03E000060BF0000C0BE0000003E0000203F000030BF000040BE0000A03E0000503F000000BF000000000000003F000050BF0000A0BE0000403E0000303F000020BF000000BE0000C03E0000603F0000E0BE0000803D0000103F000040BF000080BE0000803E0000403F000010BF000080BD0000E03E000060BF0000C0BE0000003E0000203F000030BF000040BE0000A03E0000503F000000BF000000000000003F000050BF0000A0BE0000403E0000303F000020BF000000BE0000C03E0000603F0000E0BE0000803D0000103F000040BF000080BE0000803E0000403F000010BF000080BD0000E03E000060BF0000C0BE0000003E0000203F000030BF000040BE0000A03E0000503F000000BF000000000000003F000050BF0000A0BE0000403E0000303F000020BF000000BE0000C03E0000603F0000E0BE0000803D0000103F000040BF000080BE0000803E0000403F000010BF000080BD0000E03E000060BF0000C0BE0000003E0000203F000030BF000040BE0000A03E0000503F000000BF000000000000003F000050BF0000A0BE0000403E0000303F000020BF000000BE0000C03E0000603F0000E0BE0000803D0000103F000040BF000080BE0000803E0000403F000010BF000080BD0000E03E000060BF0000C0BE0000003E0000203F000030BF000040BE0000A03E0000503F000000BF000000000000003F000050BF0000A0BE0000403E0000303F000020BF000000BE0000C03E0000603F0000E0BE0000803D0000103F"> {alignment = 64 : i64}
  memref.global "private" constant @__constant_4xf32 : memref<4xf32> = dense<[5.000000e-01, -8.125000e-01, -3.125000e-01, 1.875000e-01]> {alignment = 64 : i64}
  memref.global "private" constant @__constant_4x1x3x3xf32 : memref<4x1x3x3xf32> = dense<[[[[-1.875000e-01, 3.125000e-01, 8.125000e-01], [-5.000000e-01, 0.000000e+00, 5.000000e-01], [-8.125000e-01, -3.125000e-01, 1.875000e-01]]], [[[6.875000e-01, -6.250000e-01, -1.250000e-01], [3.750000e-01, 8.750000e-01, -4.375000e-01], [6.250000e-02, 5.625000e-01, -7.500000e-01]]], [[[-2.500000e-01, 2.500000e-01, 7.500000e-01], [-5.625000e-01, -6.250000e-02, 4.375000e-01], [-8.750000e-01, -3.750000e-01, 1.250000e-01]]], [[[6.250000e-01, -6.875000e-01, -1.875000e-01], [3.125000e-01, 8.125000e-01, -5.000000e-01], [0.000000e+00, 5.000000e-01, -8.125000e-01]]]]> {alignment = 64 : i64}
  func.func @forward(%arg0: memref<1x1x8x8xf32, strided<[?, ?, ?, ?], offset: ?>>) -> memref<1x3xf32> {
    %c6 = arith.constant 6 : index
    %c64 = arith.constant 64 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %c4 = arith.constant 4 : index
    %c10 = arith.constant 10 : index
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %cst = arith.constant 1.000000e-05 : f64
    %cst_0 = arith.constant 0.000000e+00 : f32
    %c0_i64 = arith.constant 0 : i64
    %cst_1 = arith.constant 0xFF800000 : f32
    %0 = memref.get_global @__constant_4x1x3x3xf32 : memref<4x1x3x3xf32>
    %1 = memref.get_global @__constant_4xf32 : memref<4xf32>
    %2 = memref.get_global @__constant_6x64xf32 : memref<6x64xf32>
    %3 = memref.get_global @__constant_6xf32 : memref<6xf32>
    %4 = memref.get_global @__constant_3x6xf32 : memref<3x6xf32>
    %5 = memref.get_global @__constant_3xf32 : memref<3xf32>
    %6 = memref.get_global @__constant_1x4x1x1xf32 : memref<1x4x1x1xf32>
    %7 = memref.get_global @__constant_1x4x1x1xf32_0 : memref<1x4x1x1xf32>
    %8 = memref.get_global @__constant_1x4x1x1xf32_1 : memref<1x4x1x1xf32>
    %9 = memref.get_global @__constant_1x4x1x1xf32_2 : memref<1x4x1x1xf32>
    %alloc = memref.alloc() {alignment = 64 : i64} : memref<1x1x10x10xf32>
    scf.for %arg1 = %c0 to %c10 step %c1 {
      scf.for %arg2 = %c0 to %c10 step %c1 {
        memref.store %cst_0, %alloc[%c0, %c0, %arg1, %arg2] : memref<1x1x10x10xf32>
      }
    }
    %subview = memref.subview %alloc[0, 0, 1, 1] [1, 1, 8, 8] [1, 1, 1, 1] : memref<1x1x10x10xf32> to memref<1x1x8x8xf32, strided<[100, 100, 10, 1], offset: 11>>
    memref.copy %arg0, %subview : memref<1x1x8x8xf32, strided<[?, ?, ?, ?], offset: ?>> to memref<1x1x8x8xf32, strided<[100, 100, 10, 1], offset: 11>>
    %alloc_2 = memref.alloc() {alignment = 64 : i64} : memref<1x4x8x8xf32>
    scf.for %arg1 = %c0 to %c4 step %c1 {
      scf.for %arg2 = %c0 to %c8 step %c1 {
        scf.for %arg3 = %c0 to %c8 step %c1 {
          %10 = memref.load %1[%arg1] : memref<4xf32>
          memref.store %10, %alloc_2[%c0, %arg1, %arg2, %arg3] : memref<1x4x8x8xf32>
        }
      }
    }
    scf.for %arg1 = %c0 to %c4 step %c1 {
      scf.for %arg2 = %c0 to %c8 step %c1 {
        scf.for %arg3 = %c0 to %c8 step %c1 {
          scf.for %arg4 = %c0 to %c3 step %c1 {
            scf.for %arg5 = %c0 to %c3 step %c1 {
              %10 = affine.apply #map(%arg2, %arg4)
              %11 = affine.apply #map(%arg3, %arg5)
              %12 = memref.load %alloc[%c0, %c0, %10, %11] : memref<1x1x10x10xf32>
              %13 = memref.load %0[%arg1, %c0, %arg4, %arg5] : memref<4x1x3x3xf32>
              %14 = memref.load %alloc_2[%c0, %arg1, %arg2, %arg3] : memref<1x4x8x8xf32>
              %15 = arith.mulf %12, %13 : f32
              %16 = arith.addf %14, %15 : f32
              memref.store %16, %alloc_2[%c0, %arg1, %arg2, %arg3] : memref<1x4x8x8xf32>
            }
          }
        }
      }
    }
    %alloc_3 = memref.alloc() {alignment = 64 : i64} : memref<1x4x1x1xf32>
    scf.for %arg1 = %c0 to %c4 step %c1 {
      %10 = memref.load %7[%c0, %arg1, %c0, %c0] : memref<1x4x1x1xf32>
      %11 = arith.truncf %cst : f64 to f32
      %12 = arith.addf %10, %11 : f32
      memref.store %12, %alloc_3[%c0, %arg1, %c0, %c0] : memref<1x4x1x1xf32>
    }
    scf.for %arg1 = %c0 to %c4 step %c1 {
      %10 = memref.load %alloc_3[%c0, %arg1, %c0, %c0] : memref<1x4x1x1xf32>
      %11 = math.rsqrt %10 : f32
      memref.store %11, %alloc_3[%c0, %arg1, %c0, %c0] : memref<1x4x1x1xf32>
    }
    scf.for %arg1 = %c0 to %c4 step %c1 {
      scf.for %arg2 = %c0 to %c8 step %c1 {
        scf.for %arg3 = %c0 to %c8 step %c1 {
          %10 = memref.load %alloc_2[%c0, %arg1, %arg2, %arg3] : memref<1x4x8x8xf32>
          %11 = memref.load %6[%c0, %arg1, %c0, %c0] : memref<1x4x1x1xf32>
          %12 = arith.subf %10, %11 : f32
          memref.store %12, %alloc_2[%c0, %arg1, %arg2, %arg3] : memref<1x4x8x8xf32>
        }
      }
    }
    scf.for %arg1 = %c0 to %c4 step %c1 {
      scf.for %arg2 = %c0 to %c8 step %c1 {
        scf.for %arg3 = %c0 to %c8 step %c1 {
          %10 = memref.load %alloc_2[%c0, %arg1, %arg2, %arg3] : memref<1x4x8x8xf32>
          %11 = memref.load %alloc_3[%c0, %arg1, %c0, %c0] : memref<1x4x1x1xf32>
          %12 = arith.mulf %10, %11 : f32
          memref.store %12, %alloc_2[%c0, %arg1, %arg2, %arg3] : memref<1x4x8x8xf32>
        }
      }
    }
    scf.for %arg1 = %c0 to %c4 step %c1 {
      scf.for %arg2 = %c0 to %c8 step %c1 {
        scf.for %arg3 = %c0 to %c8 step %c1 {
          %10 = memref.load %alloc_2[%c0, %arg1, %arg2, %arg3] : memref<1x4x8x8xf32>
          %11 = memref.load %8[%c0, %arg1, %c0, %c0] : memref<1x4x1x1xf32>
          %12 = arith.mulf %10, %11 : f32
          memref.store %12, %alloc_2[%c0, %arg1, %arg2, %arg3] : memref<1x4x8x8xf32>
        }
      }
    }
    scf.for %arg1 = %c0 to %c4 step %c1 {
      scf.for %arg2 = %c0 to %c8 step %c1 {
        scf.for %arg3 = %c0 to %c8 step %c1 {
          %10 = memref.load %alloc_2[%c0, %arg1, %arg2, %arg3] : memref<1x4x8x8xf32>
          %11 = memref.load %9[%c0, %arg1, %c0, %c0] : memref<1x4x1x1xf32>
          %12 = arith.addf %10, %11 : f32
          memref.store %12, %alloc_2[%c0, %arg1, %arg2, %arg3] : memref<1x4x8x8xf32>
        }
      }
    }
    scf.for %arg1 = %c0 to %c4 step %c1 {
      scf.for %arg2 = %c0 to %c8 step %c1 {
        scf.for %arg3 = %c0 to %c8 step %c1 {
          %10 = memref.load %alloc_2[%c0, %arg1, %arg2, %arg3] : memref<1x4x8x8xf32>
          %11 = arith.cmpf ugt, %10, %cst_0 : f32
          %12 = arith.select %11, %10, %cst_0 : f32
          memref.store %12, %alloc_2[%c0, %arg1, %arg2, %arg3] : memref<1x4x8x8xf32>
        }
      }
    }
    %alloc_4 = memref.alloc() {alignment = 64 : i64} : memref<1x4x4x4xf32>
    scf.for %arg1 = %c0 to %c4 step %c1 {
      scf.for %arg2 = %c0 to %c4 step %c1 {
        scf.for %arg3 = %c0 to %c4 step %c1 {
          memref.store %cst_1, %alloc_4[%c0, %arg1, %arg2, %arg3] : memref<1x4x4x4xf32>
        }
      }
    }
    scf.for %arg1 = %c0 to %c4 step %c1 {
      scf.for %arg2 = %c0 to %c4 step %c1 {
        scf.for %arg3 = %c0 to %c4 step %c1 {
          scf.for %arg4 = %c0 to %c2 step %c1 {
            scf.for %arg5 = %c0 to %c2 step %c1 {
              %10 = affine.apply #map1(%arg2, %arg4)
              %11 = affine.apply #map1(%arg3, %arg5)
              %12 = memref.load %alloc_2[%c0, %arg1, %10, %11] : memref<1x4x8x8xf32>
              %13 = memref.load %alloc_4[%c0, %arg1, %arg2, %arg3] : memref<1x4x4x4xf32>
              %14 = arith.maximumf %13, %12 : f32
              memref.store %14, %alloc_4[%c0, %arg1, %arg2, %arg3] : memref<1x4x4x4xf32>
            }
          }
        }
      }
    }
    %collapse_shape = memref.collapse_shape %alloc_4 [[0], [1, 2, 3]] : memref<1x4x4x4xf32> into memref<1x64xf32>
    %alloc_5 = memref.alloc() {alignment = 64 : i64} : memref<64x6xf32>
    scf.for %arg1 = %c0 to %c64 step %c1 {
      scf.for %arg2 = %c0 to %c6 step %c1 {
        %10 = memref.load %2[%arg2, %arg1] : memref<6x64xf32>
        memref.store %10, %alloc_5[%arg1, %arg2] : memref<64x6xf32>
      }
    }
    %alloc_6 = memref.alloc() {alignment = 64 : i64} : memref<1x6xf32>
    scf.for %arg1 = %c0 to %c6 step %c1 {
      memref.store %cst_0, %alloc_6[%c0, %arg1] : memref<1x6xf32>
    }
    scf.for %arg1 = %c0 to %c6 step %c1 {
      scf.for %arg2 = %c0 to %c64 step %c1 {
        %10 = memref.load %collapse_shape[%c0, %arg2] : memref<1x64xf32>
        %11 = memref.load %alloc_5[%arg2, %arg1] : memref<64x6xf32>
        %12 = memref.load %alloc_6[%c0, %arg1] : memref<1x6xf32>
        %13 = arith.mulf %10, %11 : f32
        %14 = arith.addf %12, %13 : f32
        memref.store %14, %alloc_6[%c0, %arg1] : memref<1x6xf32>
      }
    }
    scf.for %arg1 = %c0 to %c6 step %c1 {
      %10 = memref.load %alloc_6[%c0, %arg1] : memref<1x6xf32>
      %11 = memref.load %3[%arg1] : memref<6xf32>
      %12 = arith.addf %10, %11 : f32
      memref.store %12, %alloc_6[%c0, %arg1] : memref<1x6xf32>
    }
    scf.for %arg1 = %c0 to %c6 step %c1 {
      %10 = memref.load %alloc_6[%c0, %arg1] : memref<1x6xf32>
      %11 = math.tanh %10 : f32
      memref.store %11, %alloc_6[%c0, %arg1] : memref<1x6xf32>
    }
    %alloc_7 = memref.alloc() {alignment = 64 : i64} : memref<6x3xf32>
    scf.for %arg1 = %c0 to %c6 step %c1 {
      scf.for %arg2 = %c0 to %c3 step %c1 {
        %10 = memref.load %4[%arg2, %arg1] : memref<3x6xf32>
        memref.store %10, %alloc_7[%arg1, %arg2] : memref<6x3xf32>
      }
    }
    %alloc_8 = memref.alloc() {alignment = 64 : i64} : memref<1x3xf32>
    scf.for %arg1 = %c0 to %c3 step %c1 {
      memref.store %cst_0, %alloc_8[%c0, %arg1] : memref<1x3xf32>
    }
    scf.for %arg1 = %c0 to %c3 step %c1 {
      scf.for %arg2 = %c0 to %c6 step %c1 {
        %10 = memref.load %alloc_6[%c0, %arg2] : memref<1x6xf32>
        %11 = memref.load %alloc_7[%arg2, %arg1] : memref<6x3xf32>
        %12 = memref.load %alloc_8[%c0, %arg1] : memref<1x3xf32>
        %13 = arith.mulf %10, %11 : f32
        %14 = arith.addf %12, %13 : f32
        memref.store %14, %alloc_8[%c0, %arg1] : memref<1x3xf32>
      }
    }
    scf.for %arg1 = %c0 to %c3 step %c1 {
      %10 = memref.load %alloc_8[%c0, %arg1] : memref<1x3xf32>
      %11 = memref.load %5[%arg1] : memref<3xf32>
      %12 = arith.addf %10, %11 : f32
      memref.store %12, %alloc_8[%c0, %arg1] : memref<1x3xf32>
    }
    %alloc_9 = memref.alloc() {alignment = 64 : i64} : memref<1xi64>
    memref.store %c0_i64, %alloc_9[%c0] : memref<1xi64>
    %alloc_10 = memref.alloc() {alignment = 64 : i64} : memref<1xf32>
    memref.store %cst_1, %alloc_10[%c0] : memref<1xf32>
    scf.for %arg1 = %c0 to %c3 step %c1 {
      %10 = memref.load %alloc_8[%c0, %arg1] : memref<1x3xf32>
      %11 = memref.load %alloc_10[%c0] : memref<1xf32>
      %12 = memref.load %alloc_9[%c0] : memref<1xi64>
      %13 = arith.index_cast %arg1 : index to i64
      %14 = arith.maximumf %10, %11 : f32
      %15 = arith.cmpf ogt, %10, %11 : f32
      %16 = arith.select %15, %13, %12 : i64
      memref.store %14, %alloc_10[%c0] : memref<1xf32>
      memref.store %16, %alloc_9[%c0] : memref<1xi64>
    }
    %expand_shape = memref.expand_shape %alloc_10 [[0, 1]] output_shape [1, 1] : memref<1xf32> into memref<1x1xf32>
    scf.for %arg1 = %c0 to %c3 step %c1 {
      %10 = memref.load %alloc_8[%c0, %arg1] : memref<1x3xf32>
      %11 = memref.load %expand_shape[%c0, %c0] : memref<1x1xf32>
      %12 = arith.subf %10, %11 : f32
      memref.store %12, %alloc_8[%c0, %arg1] : memref<1x3xf32>
    }
    scf.for %arg1 = %c0 to %c3 step %c1 {
      %10 = memref.load %alloc_8[%c0, %arg1] : memref<1x3xf32>
      %11 = math.exp %10 : f32
      memref.store %11, %alloc_8[%c0, %arg1] : memref<1x3xf32>
    }
    %alloc_11 = memref.alloc() {alignment = 64 : i64} : memref<1x1xf32>
    memref.store %cst_0, %alloc_11[%c0, %c0] : memref<1x1xf32>
    scf.for %arg1 = %c0 to %c3 step %c1 {
      %10 = memref.load %alloc_8[%c0, %arg1] : memref<1x3xf32>
      %11 = memref.load %alloc_11[%c0, %c0] : memref<1x1xf32>
      %12 = arith.addf %10, %11 : f32
      memref.store %12, %alloc_11[%c0, %c0] : memref<1x1xf32>
    }
    scf.for %arg1 = %c0 to %c3 step %c1 {
      %10 = memref.load %alloc_8[%c0, %arg1] : memref<1x3xf32>
      %11 = memref.load %alloc_11[%c0, %c0] : memref<1x1xf32>
      %12 = arith.divf %10, %11 : f32
      memref.store %12, %alloc_8[%c0, %arg1] : memref<1x3xf32>
    }
    return %alloc_8 : memref<1x3xf32>
  }
  func.func private @printMemrefF32(memref<*xf32>)
  func.func @entry() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %eighth = arith.constant 1.250000e-01 : f32
    %image = memref.alloc() : memref<1x1x8x8xf32>
    scf.for %i = %c0 to %c8 step %c1 {
      scf.for %j = %c0 to %c8 step %c1 {
        %0 = arith.muli %i, %j : index
        %1 = arith.xori %0, %i : index
        %2 = arith.index_cast %1 : index to i32
        %3 = arith.sitofp %2 : i32 to f32
        %4 = arith.mulf %3, %eighth : f32
        memref.store %4, %image[%c0, %c0, %i, %j] : memref<1x1x8x8xf32>
      }
    }
    %any = memref.cast %image : memref<1x1x8x8xf32> to memref<1x1x8x8xf32, strided<[?, ?, ?, ?], offset: ?>>
    %result = call @forward(%any) : (memref<1x1x8x8xf32, strided<[?, ?, ?, ?], offset: ?>>) -> memref<1x3xf32>
    %shown = memref.cast %result : memref<1x3xf32> to memref<*xf32>
    call @printMemrefF32(%shown) : (memref<*xf32>) -> ()
    memref.dealloc %result : memref<1x3xf32>
    memref.dealloc %image : memref<1x1x8x8xf32>
    return
  }
}
