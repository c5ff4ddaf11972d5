; targets: x86_64-unknown-linux-gnu i686-unknown-linux-gnu aarch64-unknown-linux-gnu armv7-unknown-linux-gnueabihf thumbv7-unknown-linux-gnueabihf
source_filename = "floats.ll"

define double @arithmetic(double %a, double %b, float %c) {
  %1 = fmul double %a, %b
  %2 = fpext float %c to double
  %3 = fdiv double %1, %2
  %4 = fsub double %3, 2.5
  %5 = fneg double %4
  ret double %5
}

define i32 @compare(double %a, double %b) {
  %1 = fcmp olt double %a, %b
  br i1 %1, label %yes, label %no
yes:
  ret i32 1
no:
  %2 = fcmp une double %a, 0.0
  %3 = zext i1 %2 to i32
  ret i32 %3
}

define double @convert(i64 %a, i32 %b) {
  %1 = sitofp i64 %a to double
  %2 = uitofp i32 %b to double
  %3 = fadd double %1, %2
  ret double %3
}

define i64 @to_integer(double %a, float %b) {
  %1 = fptosi double %a to i64
  %2 = fptoui float %b to i32
  %3 = zext i32 %2 to i64
  %4 = add i64 %1, %3
  ret i64 %4
}
