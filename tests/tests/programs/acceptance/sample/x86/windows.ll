; RUN: llc -mtriple=x86_64-pc-windows-msvc
target triple = "x86_64-pc-windows-msvc"

define dso_local i32 @first(ptr byval({ i64, i64 }) %pair, i32 %a) {
  %b = load i32, ptr %pair
  %r = add i32 %a, %b
  ret i32 %r
}

define dso_local i64 @second(i64 %a, double %b, i64 %c, float %d, i64 %e) {
  %x = fptosi double %b to i64
  %y = add i64 %a, %c
  %z = sub i64 %y, %e
  %r = xor i64 %x, %z
  ret i64 %r
}
