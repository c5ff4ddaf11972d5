; Jumps by `llvm.eh.sjlj`, with values, variables, dynamic and aligned stack memory before and after.
; modes: Bits64 Bits32 A32 T32
; link: -no-pie
declare ptr @llvm.frameaddress(i32)
declare ptr @llvm.stacksave()
declare i32 @llvm.eh.sjlj.setjmp(ptr)
declare void @llvm.eh.sjlj.longjmp(ptr)
declare void @work(i32, ptr)
declare void @fill(ptr, i32)
@buffer = internal global [5 x ptr] zeroinitializer

define void @jump() {
  call void @llvm.eh.sjlj.longjmp(ptr @buffer)
  unreachable
}

define i32 @plain(i32 %a, i32 %b, i32 %c) {
  %x = mul i32 %a, 3
  %y = xor i32 %b, %c
  %v = alloca i32
  store volatile i32 %a, ptr %v
  %fp = call ptr @llvm.frameaddress(i32 0)
  store ptr %fp, ptr @buffer
  %sp = call ptr @llvm.stacksave()
  %at = getelementptr ptr, ptr @buffer, i32 2
  store ptr %sp, ptr %at
  %r = call i32 @llvm.eh.sjlj.setjmp(ptr @buffer)
  %again = icmp ne i32 %r, 0
  br i1 %again, label %back, label %first
first:
  store volatile i32 %y, ptr %v
  call void @work(i32 %x, ptr %v)
  ret i32 -1
back:
  %w = load volatile i32, ptr %v
  %s = add i32 %w, %x
  %t = sub i32 %s, %y
  %u = add i32 %t, %b
  ret i32 %u
}

define i32 @dynamic(i32 %a, i32 %n) {
  %m = and i32 %n, 63
  %k = add i32 %m, 4
  %big = alloca i32, i32 %k
  %aligned = alloca [8 x i32], align 64
  call void @fill(ptr %big, i32 %k)
  call void @fill(ptr %aligned, i32 8)
  %fp = call ptr @llvm.frameaddress(i32 0)
  store ptr %fp, ptr @buffer
  %sp = call ptr @llvm.stacksave()
  %at = getelementptr ptr, ptr @buffer, i32 2
  store ptr %sp, ptr %at
  %r = call i32 @llvm.eh.sjlj.setjmp(ptr @buffer)
  %again = icmp ne i32 %r, 0
  br i1 %again, label %back, label %first
first:
  call void @work(i32 %a, ptr %big)
  br label %back
back:
  %w = load i32, ptr %big
  %p = getelementptr i32, ptr %aligned, i32 3
  %q = load i32, ptr %p
  %l = ptrtoint ptr %aligned to i32
  %low = and i32 %l, 63
  %s = add i32 %w, %q
  %t = mul i32 %s, %a
  %u = add i32 %t, %low
  ret i32 %u
}
