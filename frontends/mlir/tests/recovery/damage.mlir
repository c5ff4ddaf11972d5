module {
  gpu.module @kernels {
    gpu.func @k() kernel { gpu.return }
  }
  func.func private @ext(tensor<4xf32>) -> i32
  memref.global "private" @tg : memref<2xtuple<i32>> = uninitialized
  func.func @f(%a: tensor<4xf32>, %n: index, %m: memref<4x4xf32, affine_map<(i, j) -> (i floordiv 2, j)>>) -> tensor<4xf32> {
    %0 = arith.addf %a, %a : tensor<4xf32>
    %1 = "tosa.add"(%0, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %1) -> (tensor<4xf32>) {
      %x = tensor.extract %acc[%i] : tensor<4xf32>
      %y = arith.addf %x, %x : f32
      %t = async.execute { async.yield }
      scf.yield %acc : tensor<4xf32>
    }
    linalg.fill ins(%n : index) outs(%m : memref<4x4xf32>)
    %3:2 = foo.bar %n, %n {
      %q = foo.baz : i32
    } : index
    %4 = arith.addi %3#0, %3#1 : index
    %5 = arith.constant dense<1.0> : tensor<4xf32>
    return %2 : tensor<4xf32>
  }
  func.func @g(%n: index, %b: i1, %p: memref<*xf32>) -> index {
    cf.cond_br %b, ^bb1(%n : index), ^bb2
  ^bb1(%x: index):
    %0 = gpu.thread_id x
    %1 = arith.addi %0, %x : index
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
      %zz = foo.bar : i32
      gpu.terminator
    }
    return %1 : index
  ^bb2:
    %2 = builtin.unrealized_conversion_cast %p : memref<*xf32> to memref<?xf32>
    %3 = memref.load %2[%n] : memref<?xf32>
    scf.if %b {
      %4 = shape.rank %n : index -> index
      scf.yield
    } else {
      %5 = arith.addi %n, %b : index
      %6 = memref.alloc() : memref<4x!foo.t>
    }
    return %n : index
  }
  func.func @bad() {
    %0 = arith.constant : i32
    %1 = foo.bar : i32
    return
  }
  func.func @fine(%n: i32) -> i32 {
    return %n : i32
  }
}
