declare swiftcc float @one(ptr swiftself, i32, ptr swifterror)
declare swiftcc { i64, i64, i64, i64 } @four(i64, ptr swifterror)
declare swiftcc { i64, i64, i64, i64, i64 } @five(i64, ptr swifterror, ptr swiftself)
declare float @inner(ptr swifterror, ptr, i32)
declare ghccc void @jump(i64, i64, i64, i64)

define i64 @errors(ptr %self, i32 %n) {
entry:
  %err = alloca swifterror ptr, align 8
  store ptr null, ptr %err
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %next ]
  %t = phi float [ 0.0, %entry ], [ %t1, %next ]
  %f = call swiftcc float @one(ptr swiftself %self, i32 %i, ptr swifterror %err)
  %now = load ptr, ptr %err
  %has = icmp ne ptr %now, null
  br i1 %has, label %handle, label %next
next:
  %i1 = add i32 %i, 1
  %t1 = fadd float %t, %f
  %d = icmp eq i32 %i1, %n
  br i1 %d, label %out, label %loop
out:
  %q = call swiftcc { i64, i64, i64, i64 } @four(i64 77, ptr swifterror %err)
  %q0 = extractvalue { i64, i64, i64, i64 } %q, 0
  %q3 = extractvalue { i64, i64, i64, i64 } %q, 3
  %g = call float @inner(ptr swifterror %err, ptr %self, i32 1)
  %p5 = call swiftcc { i64, i64, i64, i64, i64 } @five(i64 5000, ptr swifterror %err, ptr swiftself %self)
  %p50 = extractvalue { i64, i64, i64, i64, i64 } %p5, 0
  %p54 = extractvalue { i64, i64, i64, i64, i64 } %p5, 4
  %last = load ptr, ptr %err
  %l = ptrtoint ptr %last to i64
  %gi = fptosi float %g to i64
  %ti = fptosi float %t1 to i64
  %s = add i64 %q0, %q3
  %s1 = add i64 %s, %gi
  %s2 = add i64 %s1, %p50
  %s3 = add i64 %s2, %p54
  %s4 = add i64 %s3, %l
  %s5 = add i64 %s4, %ti
  ret i64 %s5
handle:
  %p = ptrtoint ptr %now to i64
  ret i64 %p
}

; Jumps by their convention: a million of them need no stack.
define swifttailcc void @down(ptr swiftasync %ctx, i64 %n, ptr swiftself %s) {
  %z = icmp eq i64 %n, 0
  br i1 %z, label %d, label %m
m:
  %k = sub i64 %n, 1
  %v = load i64, ptr %ctx
  %w = add i64 %v, 1
  store i64 %w, ptr %ctx
  musttail call swifttailcc void @down(ptr swiftasync %ctx, i64 %k, ptr swiftself %s)
  ret void
d:
  ret void
}

define tailcc i64 @around(i64 %n, i64 %acc, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f) {
  %z = icmp eq i64 %n, 0
  br i1 %z, label %x, label %m
m:
  %k = sub i64 %n, 1
  %v = add i64 %acc, %f
  %r = tail call tailcc i64 @around(i64 %k, i64 %v, i64 %a, i64 %b, i64 %c, i64 %d, i64 %f, i64 %e)
  ret i64 %r
x:
  ret i64 %acc
}

define i64 @deep(i64 %n) {
  %p = alloca i64
  store i64 100, ptr %p
  call swifttailcc void @down(ptr swiftasync %p, i64 %n, ptr swiftself null)
  %r = load i64, ptr %p
  %q = call tailcc i64 @around(i64 %n, i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6)
  %s = add i64 %r, %q
  ret i64 %s
}

define ghccc void @step(i64 %a, i64 %b, i64 %c, i64 %d) noreturn nounwind {
  tail call cc 10 void @jump(i64 %a, i64 %b, i64 %c, i64 %d) noreturn
  ret void
}

define void @start(i64 %n) {
  call ghccc void @step(i64 %n, i64 2, i64 3, i64 4)
  ret void
}
