; targets: x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu
source_filename = "conventions.ll"

; Conventions whose callees keep more or fewer registers than C's.
define preserve_mostcc i64 @keeps_most(ptr %p, i64 %a, i64 %b) {
  %q = udiv i64 %a, %b
  store i64 %q, ptr %p
  ret i64 %q
}

define preserve_allcc void @keeps_all(ptr %p, double %a) {
  %x = fadd double %a, %a
  %y = fmul double %x, %a
  store double %y, ptr %p
  ret void
}

declare preserve_nonecc i64 @keeps_none(ptr, i64, i64)

define i64 @calls_what_keeps_none(ptr %p, i64 %a, i64 %b) {
  %q = call preserve_nonecc i64 @keeps_none(ptr %p, i64 %a, i64 %b)
  store i64 %a, ptr %p
  ret i64 %q
}
