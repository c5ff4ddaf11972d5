#reversed = affine_map<(d0, d1) -> (d1, d0)>
#near = affine_map<(d0)[s0] -> (d0 floordiv 4 + s0 mod 3 - 1, d0 * 2 ceildiv 5)>
#inside = affine_set<(d0)[s0] : (d0 - 1 >= 0, -d0 + s0 >= 0)>
!pair = !llvm.struct<"pair", (i32, array<2 x f64>)>

memref.global "private" constant @numbers : memref<2x3xi32> = dense<[[1, 2, 3], [4, -5, 6]]>
memref.global @blob : memref<2xf32> = dense<"0x0000803F00000040">
memref.global "private" @resource : memref<2xi16> = dense_resource<words>
memref.global @plain : memref<4xf64>
llvm.mlir.global internal constant @text("hello\00") {addr_space = 0 : i32, alignment = 1 : i64}
llvm.mlir.global external @made(0 : i32) : i32
llvm.mlir.global private @region() : !pair {
  %0 = llvm.mlir.undef : !pair
  %1 = llvm.mlir.constant(7 : i32) : i32
  %2 = llvm.insertvalue %1, %0[0] : !pair
  llvm.return %2 : !pair
}
func.func private @external(i32, memref<*xf32>) -> memref<?xi32> attributes {llvm.emit_c_interface}
llvm.func @printf(!llvm.ptr, ...) -> i32
llvm.func @personality(...) -> i32

func.func @integers(%a: i32, %b: i32, %w: i128, %v: vector<4xi32>) -> (i32, i1, vector<4xi32>) {
  %c = arith.constant 31 : i32
  %d = arith.constant dense<[1, -2, 3, 0x7F]> : vector<4xi32>
  %0 = arith.andi %b, %c : i32
  %1 = arith.shli %a, %0 overflow<nsw, nuw> : i32
  %2 = arith.floordivsi %1, %c : i32
  %3 = arith.ceildivui %2, %c : i32
  %4, %5 = arith.addui_extended %3, %b : i32, i1
  %6, %7 = arith.mulsi_extended %4, %a : i32
  %8 = arith.extsi %6 : i32 to i128
  %9 = arith.muli %8, %w : i128
  %10 = arith.trunci %9 : i128 to i32
  %11 = arith.cmpi ult, %10, %7 : i32
  %12 = arith.select %11, %10, %7 : i32
  %13 = arith.maxsi %v, %d : vector<4xi32>
  return %12, %5, %13 : i32, i1, vector<4xi32>
}
func.func @floats(%a: f32, %b: f64, %h: f16, %g: bf16, %v: vector<2x2xf32>) -> (f64, i32, vector<2x2xf32>) {
  %inf = arith.constant 0x7F800000 : f32
  %e = arith.constant -1.5e+00 : f64
  %0 = arith.addf %a, %inf fastmath<nnan,contract> : f32
  %1 = arith.extf %h : f16 to f32
  %2 = arith.extf %g : bf16 to f32
  %3 = arith.maximumf %1, %2 : f32
  %4 = arith.remf %3, %0 : f32
  %5 = arith.cmpf uno, %4, %a : f32
  %6 = arith.extf %4 : f32 to f64
  %7 = arith.select %5, %6, %e : f64
  %8 = math.fma %7, %b, %e : f64
  %9 = math.sqrt %8 : f64
  %10 = math.copysign %9, %b : f64
  %11 = arith.fptosi %a : f32 to i32
  %12 = arith.negf %v : vector<2x2xf32>
  %13 = math.floor %12 : vector<2x2xf32>
  %14 = math.tanh %a : f32
  %15 = arith.bitcast %14 : f32 to i32
  %16 = math.ctpop %15 : i32
  %17 = math.ipowi %16, %11 : i32
  return %10, %17, %13 : f64, i32, vector<2x2xf32>
}
func.func @complexes(%a: complex<f32>, %b: complex<f64>) -> (complex<f32>, f64, i1) {
  %c = complex.constant [1.0 : f32, -2.0 : f32] : complex<f32>
  %0 = complex.mul %a, %c : complex<f32>
  %1 = complex.div %0, %a : complex<f32>
  %re = complex.re %1 : complex<f32>
  %im = complex.im %1 : complex<f32>
  %2 = complex.create %im, %re : complex<f32>
  %3 = complex.abs %b : complex<f64>
  %4 = complex.eq %2, %c : complex<f32>
  %5 = complex.exp %2 : complex<f32>
  return %5, %3, %4 : complex<f32>, f64, i1
}
func.func @indices(%a: index, %b: i64) -> (index, i1) {
  %c = index.constant 7
  %0 = index.add %a, %c
  %1 = index.ceildivs %0, %c
  %2 = index.casts %b : i64 to index
  %3 = index.maxu %1, %2
  %4 = index.cmp ult(%3, %a)
  %5 = index.sizeof
  %6 = index.shrs %3, %5
  %t = index.bool.constant true
  %7 = arith.andi %4, %t : i1
  %8 = arith.index_cast %b : i64 to index
  %9 = affine.apply affine_map<(d0)[s0] -> (d0 mod 5 + s0)>(%8)[%6]
  %10 = affine.min #near(%9)[%a]
  return %10, %7 : index, i1
}
func.func @branches(%a: i32, %c: i1) -> i32 {
  %z = arith.constant 0 : i32
  cf.cond_br %c, ^one(%a : i32), ^two
^one(%x: i32):
  cf.switch %x : i32, [
    default: ^three(%x : i32),
    42: ^two,
    -3: ^three(%z : i32)
  ]
^two:
  cf.assert %c, "must be so"
  cf.br ^one(%z : i32)
^three(%y: i32):
  %f = func.constant @integer : (i32) -> i32
  %0 = func.call_indirect %f(%y) : (i32) -> i32
  %1 = call @integer(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @integer(%a: i32) -> i32 {
  return %a : i32
}
func.func @loops(%n: index, %m: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s0 = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %s0) -> (f32) {
    %v = memref.load %m[%i] : memref<?xf32>
    %big = arith.cmpf ogt, %v, %s0 : f32
    %t = scf.if %big -> (f32) {
      %u = arith.addf %s, %v : f32
      scf.yield %u : f32
    } else {
      scf.yield %s : f32
    }
    scf.yield %t : f32
  }
  %w:2 = scf.while (%k = %c0, %x = %sum) : (index, f32) -> (index, f32) {
    %go = arith.cmpi slt, %k, %n : index
    scf.condition(%go) %k, %x : index, f32
  } do {
  ^bb0(%k: index, %x: f32):
    %next = arith.addi %k, %c1 : index
    scf.yield %next, %x : index, f32
  }
  %sw = scf.index_switch %w#0 -> f32
  case 2 {
    scf.yield %s0 : f32
  }
  default {
    scf.yield %w#1 : f32
  }
  %par = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%sw) -> f32 {
    %v = memref.load %m[%i] : memref<?xf32>
    scf.reduce(%v : f32) {
    ^bb0(%l: f32, %r: f32):
      %o = arith.mulf %l, %r : f32
      scf.reduce.return %o : f32
    }
  }
  %ex = scf.execute_region -> f32 {
    cf.br ^end(%par : f32)
  ^end(%e: f32):
    scf.yield %e : f32
  }
  return %ex : f32
}
func.func @affine(%m: memref<8x9xf32>, %n: index) -> f32 {
  %z = arith.constant 0.0 : f32
  %r = affine.for %i = 0 to min affine_map<()[s0] -> (s0, 8)>()[%n] step 2 iter_args(%s = %z) -> (f32) {
    %v = affine.load %m[%i, symbol(%n) mod 9] : memref<8x9xf32>
    affine.if #inside(%i)[%n] {
      affine.store %v, %m[%i, %i] : memref<8x9xf32>
    }
    %t = arith.addf %s, %v : f32
    affine.yield %t : f32
  }
  return %r : f32
}
func.func @memory(%m: memref<4x?xf32, strided<[?, 1], offset: ?>>, %i: index, %u: memref<*xf32>) -> index {
  %c1 = arith.constant 1 : index
  %a = memref.alloc(%i) {alignment = 64 : i64} : memref<?x4xf32>
  %b = memref.alloca() : memref<8xi8>
  %n = memref.dim %m, %c1 : memref<4x?xf32, strided<[?, 1], offset: ?>>
  %s = memref.subview %m[1, %i] [2, %n] [1, 1] : memref<4x?xf32, strided<[?, 1], offset: ?>> to memref<2x?xf32, strided<[?, 1], offset: ?>>
  %v = memref.load %s[%c1, %i] : memref<2x?xf32, strided<[?, 1], offset: ?>>
  memref.store %v, %a[%i, %c1] : memref<?x4xf32>
  %t = memref.transpose %a (d0, d1) -> (d1, d0) : memref<?x4xf32> to memref<4x?xf32, strided<[1, 4]>>
  memref.copy %t, %m : memref<4x?xf32, strided<[1, 4]>> to memref<4x?xf32, strided<[?, 1], offset: ?>>
  %f = memref.collapse_shape %a [[0, 1]] : memref<?x4xf32> into memref<?xf32>
  %e = memref.expand_shape %f [[0, 1]] output_shape [%i, 4] : memref<?xf32> into memref<?x4xf32>
  %o = memref.atomic_rmw addf %v, %e[%i, %c1] : (f32, memref<?x4xf32>) -> f32
  %g = memref.generic_atomic_rmw %f[%i] : memref<?xf32> {
  ^bb0(%old: f32):
    %new = arith.mulf %old, %o : f32
    memref.atomic_yield %new : f32
  }
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %a : memref<?x4xf32> -> memref<f32>, index, index, index, index, index
  %r = memref.reinterpret_cast %base to offset: [%offset], sizes: [2, %sizes#1], strides: [%strides#0, 1] : memref<f32> to memref<2x?xf32, strided<[?, 1], offset: ?>>
  %q = memref.cast %r : memref<2x?xf32, strided<[?, 1], offset: ?>> to memref<*xf32>
  %rank = memref.rank %q : memref<*xf32>
  %d = memref.dim %u, %i : memref<*xf32>
  %p = memref.view %b[%c1][] : memref<8xi8> to memref<1xi32>
  memref.assume_alignment %a, 16 : memref<?x4xf32>
  memref.prefetch %a[%i, %c1], read, locality<3>, data : memref<?x4xf32>
  %x = memref.get_global @numbers : memref<2x3xi32>
  %y = memref.alloca_scope -> (index) {
    %k = memref.alloca(%i) : memref<?xi64>
    memref.alloca_scope.return %i : index
  }
  %z = memref.realloc %f(%i) : memref<?xf32> to memref<?xf32>
  %ptr = memref.extract_aligned_pointer_as_index %z : memref<?xf32> -> index
  memref.dealloc %z : memref<?xf32>
  %sum = arith.addi %rank, %d : index
  return %sum : index
}
func.func @vectors(%a: vector<4xf32>, %m: memref<?x?xf32>, %i: index, %k: vector<4xi1>, %l: vector<4xi32>) -> vector<2x4xf32> {
  %z = arith.constant 0.0 : f32
  %b = vector.broadcast %a : vector<4xf32> to vector<2x4xf32>
  %0 = vector.transfer_read %m[%i, %i], %z {permutation_map = #reversed} : memref<?x?xf32>, vector<2x4xf32>
  %1 = vector.fma %b, %0, %b : vector<2x4xf32>
  %2 = vector.extract %1[1] : vector<4xf32> from vector<2x4xf32>
  %3 = vector.insert %2, %1 [0] : vector<4xf32> into vector<2x4xf32>
  %4 = vector.shuffle %a, %2 [0, 5, 2, 7] : vector<4xf32>, vector<4xf32>
  %5 = vector.reduction <add>, %4, %z : vector<4xf32> into f32
  %6 = vector.multi_reduction <mul>, %3, %a [0] : vector<2x4xf32> to vector<4xf32>
  %7 = vector.transpose %3, [1, 0] : vector<2x4xf32> to vector<4x2xf32>
  %zz = arith.constant dense<0.0> : vector<2x2xf32>
  %8 = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %3, %7, %zz : vector<2x4xf32>, vector<4x2xf32> into vector<2x2xf32>
  %9 = vector.outerproduct %6, %a {kind = #vector.kind<maximumf>} : vector<4xf32>, vector<4xf32>
  %10 = vector.maskedload %m[%i, %i], %k, %a : memref<?x?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %11 = vector.gather %m[%i, %i] [%l], %k, %10 : memref<?x?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.compressstore %m[%i, %i], %k, %11 : memref<?x?xf32>, vector<4xi1>, vector<4xf32>
  %12 = vector.create_mask %i : vector<4xi1>
  %13 = vector.mask %12 { vector.reduction <maxnumf>, %11 : vector<4xf32> into f32 } : vector<4xi1> -> f32
  %14 = vector.extract_strided_slice %9 {offsets = [1], sizes = [2], strides = [1]} : vector<4x4xf32> to vector<2x4xf32>
  %15 = vector.shape_cast %14 : vector<2x4xf32> to vector<8xf32>
  %16 = vector.bitcast %15 : vector<8xf32> to vector<16xi16>
  %17 = vector.interleave %a, %11 : vector<4xf32> -> vector<8xf32>
  %18 = vector.splat %13 : vector<4xf32>
  vector.transfer_write %18, %m[%i, %i], %12 {in_bounds = [false]} : vector<4xf32>, memref<?x?xf32>
  %19, %20 = vector.scan <add>, %14, %a {inclusive = true, reduction_dim = 0 : i64} : vector<2x4xf32>, vector<4xf32>
  vector.print %16 : vector<16xi16>
  return %19 : vector<2x4xf32>
}
"func.func"() <{function_type = (i32, memref<?xi32>) -> i32, sym_name = "generic"}> ({
^bb0(%arg0: i32, %arg1: memref<?xi32>):
  %0 = "arith.constant"() <{value = 3 : index}> : () -> index
  %1 = "arith.constant"() <{value = dense<1> : vector<4xi32>}> : () -> vector<4xi32>
  %2 = "memref.load"(%arg1, %0) <{nontemporal = false}> : (memref<?xi32>, index) -> i32
  %3 = "arith.cmpi"(%2, %arg0) <{predicate = 2 : i64}> : (i32, i32) -> i1
  %4 = "scf.if"(%3) ({
    "scf.yield"(%2) : (i32) -> ()
  }, {
    "scf.yield"(%arg0) : (i32) -> ()
  }) : (i1) -> i32
  %5 = "scf.for"(%0, %0, %0, %4) ({
  ^bb0(%i: index, %s: i32):
    %6 = "memref.subview"(%arg1, %i, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: -9223372036854775808>, static_strides = array<i64: 2>}> : (memref<?xi32>, index, index) -> memref<?xi32, strided<[2], offset: ?>>
    %7 = "func.call"(%s, %arg1) <{callee = @generic}> : (i32, memref<?xi32>) -> i32
    "scf.yield"(%7) : (i32) -> ()
  }) : (index, index, index, i32) -> i32
  "cf.cond_br"(%3, %5)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (i1, i32) -> ()
^bb1:
  "func.return"(%4) : (i32) -> ()
^bb2(%r: i32 loc("f.mlir":1:2)):
  %8 = "builtin.unrealized_conversion_cast"(%r) : (i32) -> i32
  "func.return"(%8) : (i32) -> () loc(#place)
}) {note = [1, {a = "b"}, @generic::@x, i32, unit]} : () -> ()
llvm.func @lowered(%arg0: !llvm.ptr {llvm.nonnull, llvm.align = 8 : i64}, %arg1: i64, %arg2: !pair) -> i64 attributes {passthrough = ["nounwind", ["key", "value"]], personality = @personality} {
  %0 = llvm.mlir.constant(1 : i64) : i64
  %1 = llvm.mlir.addressof @text : !llvm.ptr
  %2 = llvm.call @printf(%1, %arg1) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i64) -> i32
  %3 = llvm.getelementptr inbounds %arg0[%arg1, 1, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !pair
  %4 = llvm.load %3 atomic acquire {alignment = 8 : i64} : !llvm.ptr -> i64
  %5 = llvm.icmp "slt" %4, %arg1 : i64
  %6 = llvm.extractvalue %arg2[1, 0] : !pair
  %7 = llvm.intr.fabs(%6) : (f64) -> f64
  %8 = llvm.alloca %0 x f64 {alignment = 16 : i64} : (i64) -> !llvm.ptr
  llvm.store volatile %7, %8 {alignment = 8 : i64} : f64, !llvm.ptr
  %9 = llvm.atomicrmw add %arg0, %4 seq_cst : !llvm.ptr, i64
  %10 = llvm.cmpxchg %arg0, %9, %4 acq_rel monotonic : !llvm.ptr, i64
  %11 = llvm.mlir.undef : vector<4xi32>
  %12 = llvm.shufflevector %11, %11 [0, 5, -1, 1] : vector<4xi32>
  %13 = llvm.call_intrinsic "llvm.vector.reduce.add.v4i32"(%12) : (vector<4xi32>) -> i32
  llvm.cond_br %5 weights([1, 2]), ^bb1(%9 : i64), ^bb2
^bb1(%14: i64):
  llvm.switch %14 : i64, ^bb2 [
    1: ^bb3(%14 : i64),
    -7: ^bb2
  ]
^bb2:
  %15 = llvm.invoke @lowered(%arg0, %4, %arg2) to ^bb3(%0 : i64) unwind ^bb4 : (!llvm.ptr, i64, !pair) -> i64
^bb3(%16: i64):
  llvm.return %16 : i64
^bb4:
  %17 = llvm.landingpad cleanup : !llvm.struct<(ptr, i32)>
  llvm.resume %17 : !llvm.struct<(ptr, i32)>
}
#place = loc(fused<"x">["a.mlir":1:2, callsite("f" at unknown)])
{-#
  dialect_resources: {
    builtin: {
      words: "0x0200000001000200"
    }
  }
#-}
