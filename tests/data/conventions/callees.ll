declare ptr @make(i32)

; The object in r13, the error in and out in r12.
define swiftcc float @one(ptr swiftself %self, i32 %n, ptr swifterror %e) {
entry:
  %c = icmp sgt i32 %n, 3
  br i1 %c, label %bad, label %ok
bad:
  %x = call ptr @make(i32 %n)
  store ptr %x, ptr %e
  ret float 2.0
ok:
  %v = load float, ptr %self
  ret float %v
}

; Four results and the error.
define swiftcc { i64, i64, i64, i64 } @four(i64 %a, ptr swifterror %e) {
  %r0 = insertvalue { i64, i64, i64, i64 } undef, i64 %a, 0
  %r1 = insertvalue { i64, i64, i64, i64 } %r0, i64 2, 1
  %r2 = insertvalue { i64, i64, i64, i64 } %r1, i64 3, 2
  %r3 = insertvalue { i64, i64, i64, i64 } %r2, i64 4, 3
  ret { i64, i64, i64, i64 } %r3
}

; Too many results: their place is in rax.
define swiftcc { i64, i64, i64, i64, i64 } @five(i64 %a, ptr swifterror %e, ptr swiftself %s) {
  %error = call ptr @make(i32 70)
  store ptr %error, ptr %e
  %v = load i32, ptr %s
  %w = zext i32 %v to i64
  %r0 = insertvalue { i64, i64, i64, i64, i64 } undef, i64 %a, 0
  %r4 = insertvalue { i64, i64, i64, i64, i64 } %r0, i64 %w, 4
  ret { i64, i64, i64, i64, i64 } %r4
}

; C's convention may have one too.
define float @inner(ptr swifterror %e, ptr %self, i32 %n) {
  %old = load ptr, ptr %e
  %y = call swiftcc float @one(ptr swiftself %self, i32 %n, ptr swifterror %e)
  ret float %y
}

define ghccc void @jump(i64 %a, i64 %b, i64 %c, i64 %d) noreturn nounwind {
  %k = sub i64 %a, 1
  %s = add i64 %b, %d
  %end = icmp eq i64 %k, 0
  br i1 %end, label %out, label %on
on:
  tail call ghccc void @step(i64 %k, i64 %s, i64 %d, i64 %c) noreturn
  ret void
out:
  store i64 %s, ptr @sum
  call void @leave()
  unreachable
}
@sum = external global i64
declare ghccc void @step(i64, i64, i64, i64)
declare void @leave()
