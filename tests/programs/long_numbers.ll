; Numbers wider than a register in functions of the C library and of GCC's: results by address, and `powi` by either.
declare x86_fp80 @llvm.sin.f80(x86_fp80)
declare double @llvm.powi.f64.i32(double, i32)
declare x86_fp80 @llvm.powi.f80.i32(x86_fp80, i32)
declare {x86_fp80, i32} @llvm.frexp.f80.i32(x86_fp80)
declare i32 @printf(ptr, ...)
@f = constant [13 x i8] c"%d %d %d %d\0A\00"
define i32 @main() {
  %d = call double @up(double 3.0)
  %x = fpext double %d to x86_fp80
  %s = call x86_fp80 @llvm.sin.f80(x86_fp80 %x)
  %s1 = fmul x86_fp80 %s, 0xK40089C40000000000000
  %si = fptosi x86_fp80 %s1 to i32
  %p = call double @llvm.powi.f64.i32(double %d, i32 4)
  %pi = fptosi double %p to i32
  %fr = call {x86_fp80, i32} @llvm.frexp.f80.i32(x86_fp80 %x)
  %e = extractvalue {x86_fp80, i32} %fr, 1
  %q = fpext double %d to fp128
  %q2 = fmul fp128 %q, %q
  %q3 = fadd fp128 %q2, 0xL00000000000000003FFF000000000000
  %c = fcmp olt fp128 %q3, %q2
  %cz = zext i1 %c to i32
  %qd = fptosi fp128 %q3 to i32
  %qs = add i32 %cz, %qd
  %pp = call x86_fp80 @llvm.powi.f80.i32(x86_fp80 %x, i32 3)
  %ppi = fptosi x86_fp80 %pp to i32
  %all = add i32 %pi, %ppi
  %r = call i32 (ptr, ...) @printf(ptr @f, i32 %si, i32 %all, i32 %e, i32 %qs)
  ret i32 0
}
define double @up(double %x) noinline { ret double %x }
