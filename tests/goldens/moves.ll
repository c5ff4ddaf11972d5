; targets: x86_64-unknown-linux-gnu i686-unknown-linux-gnu aarch64-unknown-linux-gnu armv7-unknown-linux-gnueabihf thumbv7-unknown-linux-gnueabihf
source_filename = "moves.ll"

; Three registers or more that change places go through a scratch register, and the moves of the way back stand in front of the loop.
define i32 @rotation(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a = phi i32 [ 1, %entry ], [ %b, %loop ]
  %b = phi i32 [ 2, %entry ], [ %c, %loop ]
  %c = phi i32 [ 3, %entry ], [ %d, %loop ]
  %d = phi i32 [ 4, %entry ], [ %a, %loop ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %x = xor i32 %a, %b
  %y = sub i32 %c, %d
  %z = mul i32 %x, %y
  ret i32 %z
}

; A loop whose first block decides is closed by that decision.
define i32 @while(ptr %p, i32 %n) {
entry:
  br label %test
test:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %s = phi i32 [ 0, %entry ], [ %sum, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %at = getelementptr i32, ptr %p, i32 %i
  %v = load i32, ptr %at
  %sum = add i32 %s, %v
  %next = add i32 %i, 1
  br label %test
end:
  ret i32 %s
}

; What goes on after the loop does not keep a value in it from changing where it is.
define i32 @used_behind(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ %n, %entry ], [ %next, %go ]
  %s = phi i32 [ 0, %entry ], [ %sum, %go ]
  %done = icmp ult i32 %i, 7
  br i1 %done, label %end, label %go
go:
  %sum = mul i32 %s, %i
  %next = sub i32 %i, 5
  br label %loop
end:
  %r = add i32 %s, %i
  ret i32 %r
}

; Arguments stay where they come, results are made where they go.
define i32 @choose(i32 %a, i32 %b, i32 %c) {
entry:
  %first = icmp eq i32 %a, 0
  br i1 %first, label %end, label %next
next:
  %second = icmp slt i32 %b, 9
  br i1 %second, label %end, label %last
last:
  %p = mul i32 %b, %c
  br label %end
end:
  %r = phi i32 [ 1, %entry ], [ %b, %next ], [ %p, %last ]
  ret i32 %r
}

define i32 @fib(i32 %n) {
entry:
  %small = icmp slt i32 %n, 2
  br i1 %small, label %end, label %more
more:
  %a = sub i32 %n, 1
  %x = call i32 @fib(i32 %a)
  %b = sub i32 %n, 2
  %y = call i32 @fib(i32 %b)
  %s = add i32 %x, %y
  br label %end
end:
  %r = phi i32 [ %n, %entry ], [ %s, %more ]
  ret i32 %r
}

; Calls that are marked are jumps: alone, through a pointer, with results or not, before a jump to the return.
declare i32 @callee(i32, i32)

declare zeroext i8 @byte(i32)
declare i8 @any_byte(i32)
declare void @nothing()
declare void @filled(ptr sret({ i32, i32, i32, i32, i32 }))
declare void @copied(ptr byval([20 x i8]))
declare i32 @many(i32, i32, i32, i32, i32, i32, i32, i32, i32)

define i32 @turned(i32 %a, i32 %b) {
  %r = tail call i32 @callee(i32 %b, i32 %a)
  ret i32 %r
}

define void @given(ptr %f) {
  tail call void %f()
  ret void
}

define i32 @both(i32 %a, i32 %b) {
entry:
  %zero = icmp eq i32 %a, 0
  br i1 %zero, label %end, label %go
go:
  %x = tail call i32 @callee(i32 %a, i32 7)
  br label %end
end:
  %r = phi i32 [ %b, %entry ], [ %x, %go ]
  ret i32 %r
}

define void @after_another() {
  call void @nothing()
  tail call void @nothing()
  ret void
}

define zeroext i8 @extended(i32 %a) {
  %r = tail call zeroext i8 @byte(i32 %a)
  ret i8 %r
}

; These stay calls: results that are to be extended, unmarked ones, forbidden ones, results and arguments in memory.
define zeroext i8 @widened(i32 %a) {
  %r = tail call i8 @any_byte(i32 %a)
  ret i8 %r
}

define i32 @unmarked(i32 %a) {
  %r = notail call i32 @callee(i32 %a, i32 %a)
  ret i32 %r
}

define i32 @forbidden(i32 %a) "disable-tail-calls"="true" {
  %r = tail call i32 @callee(i32 %a, i32 %a)
  ret i32 %r
}

define void @result(ptr %p) {
  tail call void @filled(ptr sret({ i32, i32, i32, i32, i32 }) %p)
  ret void
}

define void @argument(ptr %p) {
  tail call void @copied(ptr byval([20 x i8]) %p)
  ret void
}

define i32 @on_the_stack(i32 %a) {
  %r = tail call i32 @many(i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9)
  ret i32 %r
}

define i32 @changed(i32 %a) {
  %x = tail call i32 @callee(i32 %a, i32 %a)
  %r = add i32 %x, 1
  ret i32 %r
}
