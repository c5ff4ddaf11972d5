// A program as one writes it by hand to learn: no module around it, names that say something, comments, affine loops,
// a variadic function of C.

#rows = affine_map<(i) -> (i * 2 + 1)>

llvm.mlir.global internal constant @line("%2d: %8.3f %8.3f\0A\00")
llvm.mlir.global internal constant @total("gcd %d, fib %lld, mean %.6f\0A\00")
llvm.func @printf(!llvm.ptr, ...) -> i32

memref.global "private" constant @weights : memref<3x2xf32> = dense<[[0.5, -1.0], [2.0, 0.25], [1.5, 3.0]]>

// C = A * B + C
func.func private @multiply(%A: memref<?x?xf32>, %B: memref<3x2xf32>, %C: memref<?x2xf32>) {
  %zero = arith.constant 0 : index
  %m = memref.dim %A, %zero : memref<?x?xf32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 2 {
      affine.for %k = 0 to 3 {
        %a = affine.load %A[%i, %k] : memref<?x?xf32>
        %b = affine.load %B[%k, %j] : memref<3x2xf32>
        %c = affine.load %C[%i, %j] : memref<?x2xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %p, %c : f32
        affine.store %s, %C[%i, %j] : memref<?x2xf32>
      }
    }
  }
  return
}

// Euclid's algorithm.
func.func private @gcd(%a: i32, %b: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %result:2 = scf.while (%x = %a, %y = %b) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi ne, %y, %zero : i32
    scf.condition(%more) %x, %y : i32, i32
  } do {
  ^bb0(%x: i32, %y: i32):
    %rest = arith.remsi %x, %y : i32
    scf.yield %y, %rest : i32, i32
  }
  return %result#0 : i32
}

func.func private @fib(%n: i64) -> i64 {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %small = arith.cmpi sle, %n, %one : i64
  cf.cond_br %small, ^done(%n : i64), ^again
^again:
  %n1 = arith.subi %n, %one : i64
  %n2 = arith.subi %n, %two : i64
  %f1 = call @fib(%n1) : (i64) -> i64
  %f2 = call @fib(%n2) : (i64) -> i64
  %f = arith.addi %f1, %f2 : i64
  cf.br ^done(%f : i64)
^done(%r: i64):
  return %r : i64
}

func.func @entry() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.constant 4 : index
  %k = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %A = memref.alloc(%m, %k) : memref<?x?xf32>
  %C = memref.alloc(%m) : memref<?x2xf32>
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 3 {
      %at = affine.apply #rows(%i)
      %sum = affine.apply affine_map<(i, j) -> (i + j floordiv 2 - (i mod 3))>(%at, %j)
      %int = arith.index_cast %sum : index to i32
      %val = arith.sitofp %int : i32 to f32
      affine.store %val, %A[%i, %j] : memref<?x?xf32>
    }
    affine.for %j = 0 to 2 {
      affine.store %zero, %C[%i, %j] : memref<?x2xf32>
    }
  }
  %B = memref.get_global @weights : memref<3x2xf32>
  call @multiply(%A, %B, %C) : (memref<?x?xf32>, memref<3x2xf32>, memref<?x2xf32>) -> ()

  %format = llvm.mlir.addressof @line : !llvm.ptr
  %sum = scf.for %i = %c0 to %m step %c1 iter_args(%acc = %zero) -> (f32) {
    %x = memref.load %C[%i, %c0] : memref<?x2xf32>
    %y = memref.load %C[%i, %c1] : memref<?x2xf32>
    %n = arith.index_cast %i : index to i32
    %xd = arith.extf %x : f32 to f64
    %yd = arith.extf %y : f32 to f64
    llvm.call @printf(%format, %n, %xd, %yd) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i32, f64, f64) -> i32
    %odd = arith.remui %i, %k : index
    %is = arith.cmpi eq, %odd, %c0 : index
    %next = scf.if %is -> (f32) {
      %more = arith.addf %acc, %x : f32
      scf.yield %more : f32
    } else {
      %less = arith.subf %acc, %y : f32
      scf.yield %less : f32
    }
    scf.yield %next : f32
  }
  memref.dealloc %C : memref<?x2xf32>
  memref.dealloc %A : memref<?x?xf32>

  %a = arith.constant 1071 : i32
  %b = arith.constant 462 : i32
  %g = call @gcd(%a, %b) : (i32, i32) -> i32
  %n = arith.constant 20 : i64
  %f = call @fib(%n) : (i64) -> i64
  %sumd = arith.extf %sum : f32 to f64
  %mean = math.sqrt %sumd : f64
  %f32 = arith.trunci %f : i64 to i32
  %f64 = arith.extsi %f32 : i32 to i64
  %text = llvm.mlir.addressof @total : !llvm.ptr
  %printed = llvm.call @printf(%text, %g, %f64, %mean) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i32, i64, f64) -> i32
  return %printed : i32
}
