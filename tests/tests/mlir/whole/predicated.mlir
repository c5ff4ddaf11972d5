// Intrinsics with a mask and a length, and those that rearrange lanes. Lanes that are not set are zero in what is printed.

llvm.func @printI64(i64)
llvm.func @printF32(f32)
llvm.func @printNewline()

llvm.mlir.global internal @bytes(dense<[5, -7, 100, 3, 17, -20, 90, 41, 1, 2, 3, 4]> : tensor<12xi32>) : !llvm.array<12 x i32>
llvm.mlir.global internal @room(dense<0> : tensor<12xi32>) : !llvm.array<12 x i32>

// Three of the first five lanes.
llvm.func internal @mask() -> vector<8xi1> {
  %0 = llvm.mlir.constant(dense<[true, false, true, true, false, true, true, true]> : vector<8xi1>) : vector<8xi1>
  llvm.return %0 : vector<8xi1>
}

llvm.func internal @length() -> i32 {
  %0 = llvm.mlir.constant(5 : i32) : i32
  llvm.return %0 : i32
}

llvm.func internal @set() -> vector<8xi1> {
  %0 = llvm.mlir.constant(dense<[true, false, true, true, false, false, false, false]> : vector<8xi1>) : vector<8xi1>
  llvm.return %0 : vector<8xi1>
}

llvm.func internal @shown(%v: i64) {
  llvm.call @printI64(%v) : (i64) -> ()
  llvm.call @printNewline() : () -> ()
  llvm.return
}

llvm.func internal @ints(%all: vector<8xi32>) {
  %set = llvm.call @set() : () -> vector<8xi1>
  %zero = llvm.mlir.zero : vector<8xi32>
  %v = llvm.select %set, %all, %zero : vector<8xi1>, vector<8xi32>
  %i0 = llvm.mlir.constant(0 : i32) : i32
  %x0 = llvm.extractelement %v[%i0 : i32] : vector<8xi32>
  %y0 = llvm.sext %x0 : i32 to i64
  llvm.call @printI64(%y0) : (i64) -> ()
  %i1 = llvm.mlir.constant(1 : i32) : i32
  %x1 = llvm.extractelement %v[%i1 : i32] : vector<8xi32>
  %y1 = llvm.sext %x1 : i32 to i64
  llvm.call @printI64(%y1) : (i64) -> ()
  %i2 = llvm.mlir.constant(2 : i32) : i32
  %x2 = llvm.extractelement %v[%i2 : i32] : vector<8xi32>
  %y2 = llvm.sext %x2 : i32 to i64
  llvm.call @printI64(%y2) : (i64) -> ()
  %i3 = llvm.mlir.constant(3 : i32) : i32
  %x3 = llvm.extractelement %v[%i3 : i32] : vector<8xi32>
  %y3 = llvm.sext %x3 : i32 to i64
  llvm.call @printI64(%y3) : (i64) -> ()
  %i4 = llvm.mlir.constant(4 : i32) : i32
  %x4 = llvm.extractelement %v[%i4 : i32] : vector<8xi32>
  %y4 = llvm.sext %x4 : i32 to i64
  llvm.call @printI64(%y4) : (i64) -> ()
  %i5 = llvm.mlir.constant(5 : i32) : i32
  %x5 = llvm.extractelement %v[%i5 : i32] : vector<8xi32>
  %y5 = llvm.sext %x5 : i32 to i64
  llvm.call @printI64(%y5) : (i64) -> ()
  %i6 = llvm.mlir.constant(6 : i32) : i32
  %x6 = llvm.extractelement %v[%i6 : i32] : vector<8xi32>
  %y6 = llvm.sext %x6 : i32 to i64
  llvm.call @printI64(%y6) : (i64) -> ()
  %i7 = llvm.mlir.constant(7 : i32) : i32
  %x7 = llvm.extractelement %v[%i7 : i32] : vector<8xi32>
  %y7 = llvm.sext %x7 : i32 to i64
  llvm.call @printI64(%y7) : (i64) -> ()
  llvm.call @printNewline() : () -> ()
  llvm.return
}

llvm.func internal @floats(%all: vector<8xf32>) {
  %0 = llvm.bitcast %all : vector<8xf32> to vector<8xi32>
  llvm.call @ints(%0) : (vector<8xi32>) -> ()
  llvm.return
}

llvm.func @entry() {
  %m = llvm.call @mask() : () -> vector<8xi1>
  %n = llvm.call @length() : () -> i32
  %p = llvm.mlir.addressof @bytes : !llvm.ptr
  %q = llvm.mlir.addressof @room : !llvm.ptr
  %a = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xi32>
  %b = llvm.mlir.constant(dense<[3, 0, 7, -2, 0, 0, 5, 6]> : vector<8xi32>) : vector<8xi32>
  %c = llvm.mlir.constant(dense<[1, 99, 2, 31, 99, 99, 99, 99]> : vector<8xi32>) : vector<8xi32>
  %x = llvm.sitofp %a : vector<8xi32> to vector<8xf32>
  %y = llvm.mlir.constant(dense<[1.5, -2.0, 0.25, 8.0, 3.0, 1.0, 0.0, 2.5]> : vector<8xf32>) : vector<8xf32>
  %start = llvm.mlir.constant(2 : i32) : i32
  %half = llvm.mlir.constant(0.5 : f32) : f32
  %r1 = "llvm.intr.vp.add"(%a, %b, %m, %n) : (vector<8xi32>, vector<8xi32>, vector<8xi1>, i32) -> vector<8xi32>
  llvm.call @ints(%r1) : (vector<8xi32>) -> ()
  %r2 = "llvm.intr.vp.sub"(%a, %b, %m, %n) : (vector<8xi32>, vector<8xi32>, vector<8xi1>, i32) -> vector<8xi32>
  llvm.call @ints(%r2) : (vector<8xi32>) -> ()
  %r3 = "llvm.intr.vp.mul"(%a, %b, %m, %n) : (vector<8xi32>, vector<8xi32>, vector<8xi1>, i32) -> vector<8xi32>
  llvm.call @ints(%r3) : (vector<8xi32>) -> ()
  %r4 = "llvm.intr.vp.and"(%a, %b, %m, %n) : (vector<8xi32>, vector<8xi32>, vector<8xi1>, i32) -> vector<8xi32>
  llvm.call @ints(%r4) : (vector<8xi32>) -> ()
  %r5 = "llvm.intr.vp.or"(%a, %b, %m, %n) : (vector<8xi32>, vector<8xi32>, vector<8xi1>, i32) -> vector<8xi32>
  llvm.call @ints(%r5) : (vector<8xi32>) -> ()
  %r6 = "llvm.intr.vp.xor"(%a, %b, %m, %n) : (vector<8xi32>, vector<8xi32>, vector<8xi1>, i32) -> vector<8xi32>
  llvm.call @ints(%r6) : (vector<8xi32>) -> ()
  %r7 = "llvm.intr.vp.sdiv"(%a, %b, %m, %n) : (vector<8xi32>, vector<8xi32>, vector<8xi1>, i32) -> vector<8xi32>
  llvm.call @ints(%r7) : (vector<8xi32>) -> ()
  %r8 = "llvm.intr.vp.srem"(%a, %b, %m, %n) : (vector<8xi32>, vector<8xi32>, vector<8xi1>, i32) -> vector<8xi32>
  llvm.call @ints(%r8) : (vector<8xi32>) -> ()
  %r9 = "llvm.intr.vp.udiv"(%a, %b, %m, %n) : (vector<8xi32>, vector<8xi32>, vector<8xi1>, i32) -> vector<8xi32>
  llvm.call @ints(%r9) : (vector<8xi32>) -> ()
  %r10 = "llvm.intr.vp.urem"(%a, %b, %m, %n) : (vector<8xi32>, vector<8xi32>, vector<8xi1>, i32) -> vector<8xi32>
  llvm.call @ints(%r10) : (vector<8xi32>) -> ()
  %r11 = "llvm.intr.vp.shl"(%a, %c, %m, %n) : (vector<8xi32>, vector<8xi32>, vector<8xi1>, i32) -> vector<8xi32>
  llvm.call @ints(%r11) : (vector<8xi32>) -> ()
  %r12 = "llvm.intr.vp.lshr"(%a, %c, %m, %n) : (vector<8xi32>, vector<8xi32>, vector<8xi1>, i32) -> vector<8xi32>
  llvm.call @ints(%r12) : (vector<8xi32>) -> ()
  %r13 = "llvm.intr.vp.ashr"(%a, %c, %m, %n) : (vector<8xi32>, vector<8xi32>, vector<8xi1>, i32) -> vector<8xi32>
  llvm.call @ints(%r13) : (vector<8xi32>) -> ()
  %r14 = "llvm.intr.vp.fadd"(%x, %y, %m, %n) : (vector<8xf32>, vector<8xf32>, vector<8xi1>, i32) -> vector<8xf32>
  llvm.call @floats(%r14) : (vector<8xf32>) -> ()
  %r15 = "llvm.intr.vp.fsub"(%x, %y, %m, %n) : (vector<8xf32>, vector<8xf32>, vector<8xi1>, i32) -> vector<8xf32>
  llvm.call @floats(%r15) : (vector<8xf32>) -> ()
  %r16 = "llvm.intr.vp.fmul"(%x, %y, %m, %n) : (vector<8xf32>, vector<8xf32>, vector<8xi1>, i32) -> vector<8xf32>
  llvm.call @floats(%r16) : (vector<8xf32>) -> ()
  %r17 = "llvm.intr.vp.fdiv"(%x, %y, %m, %n) : (vector<8xf32>, vector<8xf32>, vector<8xi1>, i32) -> vector<8xf32>
  llvm.call @floats(%r17) : (vector<8xf32>) -> ()
  %r18 = "llvm.intr.vp.frem"(%x, %y, %m, %n) : (vector<8xf32>, vector<8xf32>, vector<8xi1>, i32) -> vector<8xf32>
  llvm.call @floats(%r18) : (vector<8xf32>) -> ()
  %r19 = "llvm.intr.vp.fneg"(%x, %m, %n) : (vector<8xf32>, vector<8xi1>, i32) -> vector<8xf32>
  llvm.call @floats(%r19) : (vector<8xf32>) -> ()
  %r20 = "llvm.intr.vp.fma"(%x, %y, %x, %m, %n) : (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xi1>, i32) -> vector<8xf32>
  llvm.call @floats(%r20) : (vector<8xf32>) -> ()
  %r21 = "llvm.intr.vp.fmuladd"(%x, %y, %x, %m, %n) : (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xi1>, i32) -> vector<8xf32>
  llvm.call @floats(%r21) : (vector<8xf32>) -> ()
  %r22 = "llvm.intr.vp.trunc"(%a, %m, %n) : (vector<8xi32>, vector<8xi1>, i32) -> vector<8xi16>
  %r23 = "llvm.intr.vp.sext"(%r22, %m, %n) : (vector<8xi16>, vector<8xi1>, i32) -> vector<8xi32>
  llvm.call @ints(%r23) : (vector<8xi32>) -> ()
  %r24 = "llvm.intr.vp.zext"(%r22, %m, %n) : (vector<8xi16>, vector<8xi1>, i32) -> vector<8xi32>
  llvm.call @ints(%r24) : (vector<8xi32>) -> ()
  %r25 = "llvm.intr.vp.fpext"(%x, %m, %n) : (vector<8xf32>, vector<8xi1>, i32) -> vector<8xf64>
  %r26 = "llvm.intr.vp.fptrunc"(%r25, %m, %n) : (vector<8xf64>, vector<8xi1>, i32) -> vector<8xf32>
  llvm.call @floats(%r26) : (vector<8xf32>) -> ()
  %r27 = "llvm.intr.vp.fptosi"(%x, %m, %n) : (vector<8xf32>, vector<8xi1>, i32) -> vector<8xi32>
  llvm.call @ints(%r27) : (vector<8xi32>) -> ()
  %r28 = llvm.intr.fabs(%x) : (vector<8xf32>) -> vector<8xf32>
  %r29 = "llvm.intr.vp.fptoui"(%r28, %m, %n) : (vector<8xf32>, vector<8xi1>, i32) -> vector<8xi32>
  llvm.call @ints(%r29) : (vector<8xi32>) -> ()
  %r30 = "llvm.intr.vp.sitofp"(%a, %m, %n) : (vector<8xi32>, vector<8xi1>, i32) -> vector<8xf32>
  llvm.call @floats(%r30) : (vector<8xf32>) -> ()
  %r31 = "llvm.intr.vp.uitofp"(%a, %m, %n) : (vector<8xi32>, vector<8xi1>, i32) -> vector<8xf32>
  llvm.call @floats(%r31) : (vector<8xf32>) -> ()
  %r32 = llvm.sext %a : vector<8xi32> to vector<8xi64>
  %r33 = "llvm.intr.vp.inttoptr"(%r32, %m, %n) : (vector<8xi64>, vector<8xi1>, i32) -> !llvm.vec<8 x ptr>
  %r34 = "llvm.intr.vp.ptrtoint"(%r33, %m, %n) : (!llvm.vec<8 x ptr>, vector<8xi1>, i32) -> vector<8xi64>
  %r35 = llvm.trunc %r34 : vector<8xi64> to vector<8xi32>
  llvm.call @ints(%r35) : (vector<8xi32>) -> ()
  %r36 = "llvm.intr.vp.reduce.add"(%start, %a, %m, %n) : (i32, vector<8xi32>, vector<8xi1>, i32) -> i32
  %r37 = llvm.sext %r36 : i32 to i64
  llvm.call @shown(%r37) : (i64) -> ()
  %r38 = "llvm.intr.vp.reduce.mul"(%start, %a, %m, %n) : (i32, vector<8xi32>, vector<8xi1>, i32) -> i32
  %r39 = llvm.sext %r38 : i32 to i64
  llvm.call @shown(%r39) : (i64) -> ()
  %r40 = "llvm.intr.vp.reduce.and"(%start, %a, %m, %n) : (i32, vector<8xi32>, vector<8xi1>, i32) -> i32
  %r41 = llvm.sext %r40 : i32 to i64
  llvm.call @shown(%r41) : (i64) -> ()
  %r42 = "llvm.intr.vp.reduce.or"(%start, %a, %m, %n) : (i32, vector<8xi32>, vector<8xi1>, i32) -> i32
  %r43 = llvm.sext %r42 : i32 to i64
  llvm.call @shown(%r43) : (i64) -> ()
  %r44 = "llvm.intr.vp.reduce.xor"(%start, %a, %m, %n) : (i32, vector<8xi32>, vector<8xi1>, i32) -> i32
  %r45 = llvm.sext %r44 : i32 to i64
  llvm.call @shown(%r45) : (i64) -> ()
  %r46 = "llvm.intr.vp.reduce.smax"(%start, %a, %m, %n) : (i32, vector<8xi32>, vector<8xi1>, i32) -> i32
  %r47 = llvm.sext %r46 : i32 to i64
  llvm.call @shown(%r47) : (i64) -> ()
  %r48 = "llvm.intr.vp.reduce.smin"(%start, %a, %m, %n) : (i32, vector<8xi32>, vector<8xi1>, i32) -> i32
  %r49 = llvm.sext %r48 : i32 to i64
  llvm.call @shown(%r49) : (i64) -> ()
  %r50 = "llvm.intr.vp.reduce.umax"(%start, %a, %m, %n) : (i32, vector<8xi32>, vector<8xi1>, i32) -> i32
  %r51 = llvm.sext %r50 : i32 to i64
  llvm.call @shown(%r51) : (i64) -> ()
  %r52 = "llvm.intr.vp.reduce.umin"(%start, %a, %m, %n) : (i32, vector<8xi32>, vector<8xi1>, i32) -> i32
  %r53 = llvm.sext %r52 : i32 to i64
  llvm.call @shown(%r53) : (i64) -> ()
  %r54 = "llvm.intr.vp.reduce.fadd"(%half, %x, %m, %n) : (f32, vector<8xf32>, vector<8xi1>, i32) -> f32
  llvm.call @printF32(%r54) : (f32) -> ()
  llvm.call @printNewline() : () -> ()
  %r55 = "llvm.intr.vp.reduce.fmul"(%half, %x, %m, %n) : (f32, vector<8xf32>, vector<8xi1>, i32) -> f32
  llvm.call @printF32(%r55) : (f32) -> ()
  llvm.call @printNewline() : () -> ()
  %r56 = "llvm.intr.vp.reduce.fmax"(%half, %x, %m, %n) : (f32, vector<8xf32>, vector<8xi1>, i32) -> f32
  llvm.call @printF32(%r56) : (f32) -> ()
  llvm.call @printNewline() : () -> ()
  %r57 = "llvm.intr.vp.reduce.fmin"(%half, %x, %m, %n) : (f32, vector<8xf32>, vector<8xi1>, i32) -> f32
  llvm.call @printF32(%r57) : (f32) -> ()
  llvm.call @printNewline() : () -> ()
  %r58 = "llvm.intr.vp.load"(%p, %m, %n) : (!llvm.ptr, vector<8xi1>, i32) -> vector<8xi32>
  llvm.call @ints(%r58) : (vector<8xi32>) -> ()
  "llvm.intr.vp.store"(%a, %q, %m, %n) : (vector<8xi32>, !llvm.ptr, vector<8xi1>, i32) -> ()
  %r59 = llvm.load %q {alignment = 4 : i64} : !llvm.ptr -> vector<8xi32>
  llvm.call @ints(%r59) : (vector<8xi32>) -> ()
  %even = llvm.shufflevector %a, %a [0, 1, 2, 3] : vector<8xi32>
  %odd = llvm.shufflevector %b, %b [0, 1, 2, 3] : vector<8xi32>
  %both = "llvm.intr.vector.interleave2"(%even, %odd) : (vector<4xi32>, vector<4xi32>) -> vector<8xi32>
  llvm.call @ints(%both) : (vector<8xi32>) -> ()
  %apart = "llvm.intr.vector.deinterleave2"(%both) : (vector<8xi32>) -> !llvm.struct<(vector<4xi32>, vector<4xi32>)>
  %second = llvm.extractvalue %apart[1] : !llvm.struct<(vector<4xi32>, vector<4xi32>)>
  %wide = llvm.shufflevector %second, %second [0, 1, 2, 3, 0, 1, 2, 3] : vector<4xi32>
  llvm.call @ints(%wide) : (vector<8xi32>) -> ()
  %steps = llvm.intr.experimental.stepvector : vector<8xi32>
  llvm.call @ints(%steps) : (vector<8xi32>) -> ()
  %back = llvm.call_intrinsic "llvm.vector.reverse.v8i32"(%a) : (vector<8xi32>) -> vector<8xi32>
  llvm.call @ints(%back) : (vector<8xi32>) -> ()
  llvm.return
}
