; A processor without conditional moves, comparisons of the x87 that set the flags, and `cmpxchg8b`.
; modes: Bits32
; cpu: i386
; link: -lm
@words = global [2 x i64] zeroinitializer, align 8
define i8 @pick_i8(i8 %a, i8 %b) {
  %c = icmp slt i8 %a, %b
  %s = select i1 %c, i8 %b, i8 77
  %m = call i8 @llvm.umin.i8(i8 %s, i8 %a)
  %n = call i8 @llvm.smax.i8(i8 %m, i8 %b)
  %d = call i8 @llvm.abs.i8(i8 %n, i1 false)
  %l = call i8 @llvm.ctlz.i8(i8 %d, i1 false)
  %z = call i8 @llvm.cttz.i8(i8 %a, i1 false)
  %r = add i8 %l, %z
  %q = add i8 %r, %d
  %u = call i8 @llvm.usub.sat.i8(i8 %q, i8 %b)
  %v = call i8 @llvm.sadd.sat.i8(i8 %u, i8 %a)
  ret i8 %v
}
define i16 @pick_i16(i16 %a, i16 %b) {
  %c = icmp slt i16 %a, %b
  %s = select i1 %c, i16 %b, i16 77
  %m = call i16 @llvm.umin.i16(i16 %s, i16 %a)
  %n = call i16 @llvm.smax.i16(i16 %m, i16 %b)
  %d = call i16 @llvm.abs.i16(i16 %n, i1 false)
  %l = call i16 @llvm.ctlz.i16(i16 %d, i1 false)
  %z = call i16 @llvm.cttz.i16(i16 %a, i1 false)
  %r = add i16 %l, %z
  %q = add i16 %r, %d
  %u = call i16 @llvm.usub.sat.i16(i16 %q, i16 %b)
  %v = call i16 @llvm.sadd.sat.i16(i16 %u, i16 %a)
  ret i16 %v
}
define i32 @pick_i32(i32 %a, i32 %b) {
  %c = icmp slt i32 %a, %b
  %s = select i1 %c, i32 %b, i32 77
  %m = call i32 @llvm.umin.i32(i32 %s, i32 %a)
  %n = call i32 @llvm.smax.i32(i32 %m, i32 %b)
  %d = call i32 @llvm.abs.i32(i32 %n, i1 false)
  %l = call i32 @llvm.ctlz.i32(i32 %d, i1 false)
  %z = call i32 @llvm.cttz.i32(i32 %a, i1 false)
  %r = add i32 %l, %z
  %q = add i32 %r, %d
  %u = call i32 @llvm.usub.sat.i32(i32 %q, i32 %b)
  %v = call i32 @llvm.sadd.sat.i32(i32 %u, i32 %a)
  ret i32 %v
}
define i64 @pick_i64(i64 %a, i64 %b) {
  %c = icmp slt i64 %a, %b
  %s = select i1 %c, i64 %b, i64 77
  %m = call i64 @llvm.umin.i64(i64 %s, i64 %a)
  %n = call i64 @llvm.smax.i64(i64 %m, i64 %b)
  %d = call i64 @llvm.abs.i64(i64 %n, i1 false)
  %l = call i64 @llvm.ctlz.i64(i64 %d, i1 false)
  %z = call i64 @llvm.cttz.i64(i64 %a, i1 false)
  %r = add i64 %l, %z
  %q = add i64 %r, %d
  %u = call i64 @llvm.usub.sat.i64(i64 %q, i64 %b)
  %v = call i64 @llvm.sadd.sat.i64(i64 %u, i64 %a)
  ret i64 %v
}
define i32 @compare_f32(float %a, float %b) {
  %c0 = fcmp oeq float %a, %b
  %z0 = zext i1 %c0 to i32
  %s0 = shl i32 0, 1
  %o0 = or i32 %s0, %z0
  %c1 = fcmp ogt float %a, %b
  %z1 = zext i1 %c1 to i32
  %s1 = shl i32 %o0, 1
  %o1 = or i32 %s1, %z1
  %c2 = fcmp oge float %a, %b
  %z2 = zext i1 %c2 to i32
  %s2 = shl i32 %o1, 1
  %o2 = or i32 %s2, %z2
  %c3 = fcmp olt float %a, %b
  %z3 = zext i1 %c3 to i32
  %s3 = shl i32 %o2, 1
  %o3 = or i32 %s3, %z3
  %c4 = fcmp ole float %a, %b
  %z4 = zext i1 %c4 to i32
  %s4 = shl i32 %o3, 1
  %o4 = or i32 %s4, %z4
  %c5 = fcmp one float %a, %b
  %z5 = zext i1 %c5 to i32
  %s5 = shl i32 %o4, 1
  %o5 = or i32 %s5, %z5
  %c6 = fcmp ord float %a, %b
  %z6 = zext i1 %c6 to i32
  %s6 = shl i32 %o5, 1
  %o6 = or i32 %s6, %z6
  %c7 = fcmp ueq float %a, %b
  %z7 = zext i1 %c7 to i32
  %s7 = shl i32 %o6, 1
  %o7 = or i32 %s7, %z7
  %c8 = fcmp ugt float %a, %b
  %z8 = zext i1 %c8 to i32
  %s8 = shl i32 %o7, 1
  %o8 = or i32 %s8, %z8
  %c9 = fcmp uge float %a, %b
  %z9 = zext i1 %c9 to i32
  %s9 = shl i32 %o8, 1
  %o9 = or i32 %s9, %z9
  %c10 = fcmp ult float %a, %b
  %z10 = zext i1 %c10 to i32
  %s10 = shl i32 %o9, 1
  %o10 = or i32 %s10, %z10
  %c11 = fcmp ule float %a, %b
  %z11 = zext i1 %c11 to i32
  %s11 = shl i32 %o10, 1
  %o11 = or i32 %s11, %z11
  %c12 = fcmp une float %a, %b
  %z12 = zext i1 %c12 to i32
  %s12 = shl i32 %o11, 1
  %o12 = or i32 %s12, %z12
  %c13 = fcmp uno float %a, %b
  %z13 = zext i1 %c13 to i32
  %s13 = shl i32 %o12, 1
  %o13 = or i32 %s13, %z13
  ret i32 %o13
}
define i64 @least_f32(float %a, float %b) {
  %m = call float @llvm.minnum.f32(float %a, float %b)
  %n = call float @llvm.maxnum.f32(float %a, float 0.0)
  %c = fcmp olt float %m, %b
  %s = select i1 %c, float %m, float %n
  %p = call float @llvm.fabs.f32(float %s)
  %u = fptoui float %p to i64
  ret i64 %u
}
define i32 @compare_f64(double %a, double %b) {
  %c0 = fcmp oeq double %a, %b
  %z0 = zext i1 %c0 to i32
  %s0 = shl i32 0, 1
  %o0 = or i32 %s0, %z0
  %c1 = fcmp ogt double %a, %b
  %z1 = zext i1 %c1 to i32
  %s1 = shl i32 %o0, 1
  %o1 = or i32 %s1, %z1
  %c2 = fcmp oge double %a, %b
  %z2 = zext i1 %c2 to i32
  %s2 = shl i32 %o1, 1
  %o2 = or i32 %s2, %z2
  %c3 = fcmp olt double %a, %b
  %z3 = zext i1 %c3 to i32
  %s3 = shl i32 %o2, 1
  %o3 = or i32 %s3, %z3
  %c4 = fcmp ole double %a, %b
  %z4 = zext i1 %c4 to i32
  %s4 = shl i32 %o3, 1
  %o4 = or i32 %s4, %z4
  %c5 = fcmp one double %a, %b
  %z5 = zext i1 %c5 to i32
  %s5 = shl i32 %o4, 1
  %o5 = or i32 %s5, %z5
  %c6 = fcmp ord double %a, %b
  %z6 = zext i1 %c6 to i32
  %s6 = shl i32 %o5, 1
  %o6 = or i32 %s6, %z6
  %c7 = fcmp ueq double %a, %b
  %z7 = zext i1 %c7 to i32
  %s7 = shl i32 %o6, 1
  %o7 = or i32 %s7, %z7
  %c8 = fcmp ugt double %a, %b
  %z8 = zext i1 %c8 to i32
  %s8 = shl i32 %o7, 1
  %o8 = or i32 %s8, %z8
  %c9 = fcmp uge double %a, %b
  %z9 = zext i1 %c9 to i32
  %s9 = shl i32 %o8, 1
  %o9 = or i32 %s9, %z9
  %c10 = fcmp ult double %a, %b
  %z10 = zext i1 %c10 to i32
  %s10 = shl i32 %o9, 1
  %o10 = or i32 %s10, %z10
  %c11 = fcmp ule double %a, %b
  %z11 = zext i1 %c11 to i32
  %s11 = shl i32 %o10, 1
  %o11 = or i32 %s11, %z11
  %c12 = fcmp une double %a, %b
  %z12 = zext i1 %c12 to i32
  %s12 = shl i32 %o11, 1
  %o12 = or i32 %s12, %z12
  %c13 = fcmp uno double %a, %b
  %z13 = zext i1 %c13 to i32
  %s13 = shl i32 %o12, 1
  %o13 = or i32 %s13, %z13
  ret i32 %o13
}
define i64 @least_f64(double %a, double %b) {
  %m = call double @llvm.minnum.f64(double %a, double %b)
  %n = call double @llvm.maxnum.f64(double %a, double 0.0)
  %c = fcmp olt double %m, %b
  %s = select i1 %c, double %m, double %n
  %p = call double @llvm.fabs.f64(double %s)
  %u = fptoui double %p to i64
  ret i64 %u
}
define i32 @compare_f80(x86_fp80 %a, x86_fp80 %b) {
  %c0 = fcmp oeq x86_fp80 %a, %b
  %z0 = zext i1 %c0 to i32
  %s0 = shl i32 0, 1
  %o0 = or i32 %s0, %z0
  %c1 = fcmp ogt x86_fp80 %a, %b
  %z1 = zext i1 %c1 to i32
  %s1 = shl i32 %o0, 1
  %o1 = or i32 %s1, %z1
  %c2 = fcmp oge x86_fp80 %a, %b
  %z2 = zext i1 %c2 to i32
  %s2 = shl i32 %o1, 1
  %o2 = or i32 %s2, %z2
  %c3 = fcmp olt x86_fp80 %a, %b
  %z3 = zext i1 %c3 to i32
  %s3 = shl i32 %o2, 1
  %o3 = or i32 %s3, %z3
  %c4 = fcmp ole x86_fp80 %a, %b
  %z4 = zext i1 %c4 to i32
  %s4 = shl i32 %o3, 1
  %o4 = or i32 %s4, %z4
  %c5 = fcmp one x86_fp80 %a, %b
  %z5 = zext i1 %c5 to i32
  %s5 = shl i32 %o4, 1
  %o5 = or i32 %s5, %z5
  %c6 = fcmp ord x86_fp80 %a, %b
  %z6 = zext i1 %c6 to i32
  %s6 = shl i32 %o5, 1
  %o6 = or i32 %s6, %z6
  %c7 = fcmp ueq x86_fp80 %a, %b
  %z7 = zext i1 %c7 to i32
  %s7 = shl i32 %o6, 1
  %o7 = or i32 %s7, %z7
  %c8 = fcmp ugt x86_fp80 %a, %b
  %z8 = zext i1 %c8 to i32
  %s8 = shl i32 %o7, 1
  %o8 = or i32 %s8, %z8
  %c9 = fcmp uge x86_fp80 %a, %b
  %z9 = zext i1 %c9 to i32
  %s9 = shl i32 %o8, 1
  %o9 = or i32 %s9, %z9
  %c10 = fcmp ult x86_fp80 %a, %b
  %z10 = zext i1 %c10 to i32
  %s10 = shl i32 %o9, 1
  %o10 = or i32 %s10, %z10
  %c11 = fcmp ule x86_fp80 %a, %b
  %z11 = zext i1 %c11 to i32
  %s11 = shl i32 %o10, 1
  %o11 = or i32 %s11, %z11
  %c12 = fcmp une x86_fp80 %a, %b
  %z12 = zext i1 %c12 to i32
  %s12 = shl i32 %o11, 1
  %o12 = or i32 %s12, %z12
  %c13 = fcmp uno x86_fp80 %a, %b
  %z13 = zext i1 %c13 to i32
  %s13 = shl i32 %o12, 1
  %o13 = or i32 %s13, %z13
  ret i32 %o13
}
define i64 @least_f80(x86_fp80 %a, x86_fp80 %b) {
  %m = call x86_fp80 @llvm.minnum.f80(x86_fp80 %a, x86_fp80 %b)
  %n = call x86_fp80 @llvm.maxnum.f80(x86_fp80 %a, x86_fp80 0xK00000000000000000000)
  %c = fcmp olt x86_fp80 %m, %b
  %s = select i1 %c, x86_fp80 %m, x86_fp80 %n
  %p = call x86_fp80 @llvm.fabs.f80(x86_fp80 %s)
  %u = fptoui x86_fp80 %p to i64
  ret i64 %u
}
define i64 @atomics(i64 %a, i64 %b) {
  %o = atomicrmw max ptr @words, i64 %a seq_cst
  %p = cmpxchg ptr @words, i64 %b, i64 %a seq_cst seq_cst
  %q = extractvalue { i64, i1 } %p, 0
  %l = load atomic i64, ptr @words seq_cst, align 8
  %x = xor i64 %o, %q
  %y = xor i64 %x, %l
  store atomic i64 %y, ptr @words seq_cst, align 8
  ret i64 %y
}
define i64 @shifts(i64 %a, i64 %b) {
  %n = and i64 %b, 63
  %x = shl i64 %a, %n
  %y = ashr i64 %a, %n
  %z = lshr i64 %x, %n
  %w = call i64 @llvm.fshl.i64(i64 %y, i64 %z, i64 %b)
  ret i64 %w
}
