@text = private constant [6 x i8] c"hello\00"
@table = constant [2 x ptr] [ptr @seven, ptr @eight]
@counter = internal global i32 0
@pointer = global ptr @counter
@one.and.a.quarter = private constant double 1.25

declare i64 @strlen(ptr)
declare extern_weak i32 @missing_function()

define internal i32 @seven() { ret i32 7 }
define i32 @eight() { ret i32 8 }
define hidden i32 @hidden() { ret i32 9 }

define double @scale(double %x) {
  %k = load double, ptr @one.and.a.quarter
  %m = fmul double %x, %k
  %r = fadd double %m, 3.0
  ret double %r
}

define i32 @pick(i32 %n) {
  switch i32 %n, label %other [
    i32 0, label %a
    i32 1, label %b
    i32 2, label %c
    i32 3, label %d
    i32 4, label %e
    i32 5, label %f
  ]
a: ret i32 10
b: ret i32 21
c: ret i32 32
d: ret i32 43
e: ret i32 54
f: ret i32 65
other: ret i32 -1
}

define i64 @length64() {
  %n = call i64 @strlen(ptr @text)
  ret i64 %n
}

define ptr @length() {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %p = getelementptr i8, ptr @text, i32 %i
  %c = load i8, ptr %p
  %z = icmp eq i8 %c, 0
  %next = add i32 %i, 1
  br i1 %z, label %end, label %loop
end:
  %r = inttoptr i32 %i to ptr
  ret ptr %r
}

define i32 @indirect(i32 %n) {
  %p = getelementptr [2 x ptr], ptr @table, i32 0, i32 %n
  %f = load ptr, ptr %p
  %r = call i32 %f()
  ret i32 %r
}

define i32 @count() {
  %p = load ptr, ptr @pointer
  %v = load i32, ptr %p
  %n = add i32 %v, 1
  store i32 %n, ptr @counter
  ret i32 %n
}

define i64 @divide(i64 %a, i64 %b) {
  %q = udiv i64 %a, %b
  ret i64 %q
}

define i32 @has_missing() {
  %c = icmp ne ptr @missing_function, null
  %r = zext i1 %c to i32
  ret i32 %r
}
