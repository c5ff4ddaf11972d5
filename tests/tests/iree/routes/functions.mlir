// Compiled by the command, with the program around the functions.
module {
  memref.global "private" constant @weights : memref<3xf32> = dense<[0.5, 2.0, 4.0]>
  func.func @weigh(%x: memref<?x3xf32>, %r: memref<?x3xf32> {gusset.result = ["0.0"]}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %n = memref.dim %x, %c0 : memref<?x3xf32>
    %w = memref.get_global @weights : memref<3xf32>
    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %c3 step %c1 {
        %a = memref.load %x[%i, %j] : memref<?x3xf32>
        %b = memref.load %w[%j] : memref<3xf32>
        %c = arith.mulf %a, %b : f32
        memref.store %c, %r[%i, %j] : memref<?x3xf32>
      }
    }
    return
  }
  func.func @later(%a: i32 {iree.abi.name = "first"}, %b: i32) -> i32 attributes {
    iree.abi.model = "coarse-fences", iree.reflection = {note = "a \"quoted\" note"}
  } {
    %0 = arith.addi %a, %b : i32
    return %0 : i32
  }
  func.func @bump(%x: memref<4xi64> {iree.abi.output = 0 : index}) {
    %c0 = arith.constant 0 : index
    %k = arith.constant 7 : i64
    memref.store %k, %x[%c0] : memref<4xi64>
    return
  }
  // Their bits, in integers of the virtual machine's.
  func.func @halves(%a: f16, %b: bf16) -> (bf16, f16) {
    return %b, %a : bf16, f16
  }
  // Without a library, which IREE's own loader has not.
  func.func @narrow(%x: memref<3xf16>, %y: memref<3xbf16>, %n: i32, %p: memref<3xf16> {gusset.result},
                    %q: memref<3xbf16> {gusset.result}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %three = arith.constant 3.0 : f32
    %h = arith.sitofp %n : i32 to f16
    %b = arith.sitofp %n : i32 to bf16
    scf.for %i = %c0 to %c3 step %c1 {
      %a = memref.load %x[%i] : memref<3xf16>
      %a2 = arith.divf %a, %h : f16
      %a3 = math.fma %a, %a, %a2 : f16
      %a4 = math.floor %a3 : f16
      %k = arith.fptosi %a4 : f16 to i64
      %a5 = arith.uitofp %k : i64 to f16
      %a6 = arith.addf %a3, %a5 : f16
      memref.store %a6, %p[%i] : memref<3xf16>
      %c = memref.load %y[%i] : memref<3xbf16>
      %c2 = arith.addf %c, %b : bf16
      %d = arith.extf %c2 : bf16 to f32
      %d2 = arith.mulf %d, %three : f32
      %d3 = arith.truncf %d2 : f32 to bf16
      memref.store %d3, %q[%i] : memref<3xbf16>
    }
    return
  }
  // Elements that records do not tell from others.
  func.func @classes(%x: memref<?xui8>, %y: memref<2xf8E4M3FN>, %n: ui16, %p: memref<?xui8> {gusset.result = ["0.0"]},
                     %q: memref<2xf8E4M3FN> {gusset.result}) -> ui16 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %size = memref.dim %x, %c0 : memref<?xui8>
    scf.for %i = %c0 to %size step %c1 {
      %a = memref.load %x[%i] : memref<?xui8>
      memref.store %a, %p[%i] : memref<?xui8>
    }
    scf.for %i = %c0 to %c2 step %c1 {
      %a = memref.load %y[%i] : memref<2xf8E4M3FN>
      memref.store %a, %q[%i] : memref<2xf8E4M3FN>
    }
    return %n : ui16
  }
  func.func @checked(%a: i32) -> i32 {
    %c0 = arith.constant 0 : i32
    %ok = arith.cmpi sgt, %a, %c0 : i32
    cf.assert %ok, "a number above zero is wanted"
    return %a : i32
  }
}
