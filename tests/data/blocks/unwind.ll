; Argument blocks whose constructors and callees throw: the destructors run, the stack goes back to where it was, and what is
; still open stays open. (LLVM, "Design and Usage of the InAlloca Attribute", "Example".)
target datalayout = "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128"
target triple = "i686-unknown-linux-gnu"

%Foo = type { i32, i32 }
%Two = type <{ %Foo, %Foo }>
%One = type <{ %Foo }>
%Large = type <{ [3000 x i32], %Foo }>

declare void @construct(ptr, i32)
declare void @destroy(ptr)
declare i32 @take_two(ptr inalloca(%Two))
declare x86_stdcallcc i32 @take_two_popped(ptr inalloca(%Two))
declare x86_thiscallcc i32 @take_this(ptr, ptr inalloca(%One))
declare i32 @take_large(ptr inalloca(%Large))
declare i32 @many(i32, i32, i32, i32, i32, i32, i64)
declare void @depth(i32)
declare i32 @__gxx_personality_v0(...)
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)

; The example of the document, the caller of a function that leaves its arguments to its caller.
define i32 @two(i32 %a, i32 %b) uwtable personality ptr @__gxx_personality_v0 {
entry:
  %k = mul i32 %a, %b
  %save = call ptr @llvm.stacksave.p0()
  %args = alloca inalloca %Two
  %second = getelementptr %Two, ptr %args, i32 0, i32 1
  invoke void @construct(ptr %second, i32 %b) to label %first unwind label %nothing
first:
  invoke void @construct(ptr %args, i32 %a) to label %ready unwind label %one
ready:
  %r = invoke i32 @take_two(ptr inalloca(%Two) %args) to label %done unwind label %nothing
done:
  call void @llvm.stackrestore.p0(ptr %save)
  call void @depth(i32 0)
  %sum = add i32 %r, %k
  ret i32 %sum
one:
  %e1 = landingpad { ptr, i32 } cleanup
  call void @destroy(ptr %second)
  br label %unwind
nothing:
  %e0 = landingpad { ptr, i32 } cleanup
  br label %unwind
unwind:
  %e = phi { ptr, i32 } [ %e0, %nothing ], [ %e1, %one ]
  call void @llvm.stackrestore.p0(ptr %save)
  call void @depth(i32 %k)
  resume { ptr, i32 } %e
}

; In a loop, by a callee that removes its arguments; each exception is caught here.
define i32 @loop(i32 %n) uwtable personality ptr @__gxx_personality_v0 {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %again ]
  %sum = phi i32 [ 0, %entry ], [ %more, %again ]
  %save = call ptr @llvm.stacksave.p0()
  %args = alloca inalloca %Two
  %second = getelementptr %Two, ptr %args, i32 0, i32 1
  invoke void @construct(ptr %second, i32 %i) to label %first unwind label %caught0
first:
  %twice = mul i32 %i, 2
  invoke void @construct(ptr %args, i32 %twice) to label %ready unwind label %one
ready:
  %r = invoke x86_stdcallcc i32 @take_two_popped(ptr inalloca(%Two) %args) to label %good unwind label %caught1
good:
  call void @llvm.stackrestore.p0(ptr %save)
  br label %again
one:
  %e1 = landingpad { ptr, i32 } catch ptr null
  %x1 = extractvalue { ptr, i32 } %e1, 0
  call void @destroy(ptr %second)
  br label %caught
caught0:
  %e0 = landingpad { ptr, i32 } catch ptr null
  %x0 = extractvalue { ptr, i32 } %e0, 0
  br label %caught
caught1:
  %e2 = landingpad { ptr, i32 } catch ptr null
  %x2 = extractvalue { ptr, i32 } %e2, 0
  br label %caught
caught:
  %x = phi ptr [ %x0, %caught0 ], [ %x1, %one ], [ %x2, %caught1 ]
  %where = phi i32 [ 1000, %caught0 ], [ 10000, %one ], [ 100000, %caught1 ]
  call void @llvm.stackrestore.p0(ptr %save)
  %o = call ptr @__cxa_begin_catch(ptr %x)
  %v = load i32, ptr %o
  call void @__cxa_end_catch()
  %w = add i32 %v, %where
  br label %again
again:
  %add = phi i32 [ %r, %good ], [ %w, %caught ]
  call void @depth(i32 1)
  %more = add i32 %sum, %add
  %next = add i32 %i, 1
  %end = icmp eq i32 %next, %n
  br i1 %end, label %out, label %head
out:
  ret i32 %more
}

; A call within the arguments of another throws; the outer block is still open, is filled otherwise and called.
define i32 @nested(ptr %this, i32 %a) uwtable personality ptr @__gxx_personality_v0 {
entry:
  %outer.save = call ptr @llvm.stacksave.p0()
  %outer = alloca inalloca %One
  %a1 = add i32 %a, 1
  %a2 = add i32 %a, 2
  %m = invoke i32 @many(i32 %a, i32 %a1, i32 %a2, i32 4, i32 5, i32 6, i64 7) to label %inner unwind label %early
inner:
  %inner.save = call ptr @llvm.stacksave.p0()
  %args = alloca inalloca %Two
  %second = getelementptr %Two, ptr %args, i32 0, i32 1
  invoke void @construct(ptr %second, i32 %m) to label %first unwind label %catch0
first:
  invoke void @construct(ptr %args, i32 %a) to label %ready unwind label %catch1
ready:
  %r = invoke i32 @take_two(ptr inalloca(%Two) %args) to label %call unwind label %catch0
call:
  call void @llvm.stackrestore.p0(ptr %inner.save)
  br label %last
catch1:
  %e1 = landingpad { ptr, i32 } catch ptr null
  %x1 = extractvalue { ptr, i32 } %e1, 0
  call void @destroy(ptr %second)
  br label %instead
catch0:
  %e0 = landingpad { ptr, i32 } catch ptr null
  %x0 = extractvalue { ptr, i32 } %e0, 0
  br label %instead
instead:
  %x = phi ptr [ %x0, %catch0 ], [ %x1, %catch1 ]
  call void @llvm.stackrestore.p0(ptr %inner.save)
  %o = call ptr @__cxa_begin_catch(ptr %x)
  %v = load i32, ptr %o
  call void @__cxa_end_catch()
  br label %last
last:
  %value = phi i32 [ %r, %call ], [ %v, %instead ]
  invoke void @construct(ptr %outer, i32 %value) to label %filled unwind label %late
filled:
  %res = invoke x86_thiscallcc i32 @take_this(ptr %this, ptr inalloca(%One) %outer) to label %done unwind label %late
done:
  call void @llvm.stackrestore.p0(ptr %outer.save)
  call void @depth(i32 2)
  %back = add i32 %res, %a
  ret i32 %back
early:
  %e3 = landingpad { ptr, i32 } cleanup
  br label %unwind
late:
  %e2 = landingpad { ptr, i32 } cleanup
  br label %unwind
unwind:
  %e = phi { ptr, i32 } [ %e2, %late ], [ %e3, %early ]
  call void @llvm.stackrestore.p0(ptr %outer.save)
  call void @depth(i32 %a)
  resume { ptr, i32 } %e
}

; Heights that are not known: a dynamic area before the block, which is of more than a page.
define i32 @dynamic(i32 %a, i32 %n) uwtable personality ptr @__gxx_personality_v0 {
entry:
  %area = alloca i32, i32 %n
  store i32 %a, ptr %area
  %save = call ptr @llvm.stacksave.p0()
  %args = alloca inalloca %Large
  %foo = getelementptr %Large, ptr %args, i32 0, i32 1
  store i32 5, ptr %args
  invoke void @construct(ptr %foo, i32 %a) to label %ready unwind label %nothing
ready:
  %r = invoke i32 @take_large(ptr inalloca(%Large) %args) to label %done unwind label %nothing
done:
  call void @llvm.stackrestore.p0(ptr %save)
  %x = load i32, ptr %area
  %sum = add i32 %r, %x
  ret i32 %sum
nothing:
  %e = landingpad { ptr, i32 } cleanup
  call void @llvm.stackrestore.p0(ptr %save)
  %y = load i32, ptr %area
  %k = call i32 @many(i32 10, i32 %y, i32 %y, i32 4, i32 5, i32 6, i64 7)
  call void @depth(i32 %k)
  resume { ptr, i32 } %e
}

; A large block at a known height.
define i32 @large(i32 %a) uwtable personality ptr @__gxx_personality_v0 {
entry:
  %save = call ptr @llvm.stacksave.p0()
  %args = alloca inalloca %Large
  %foo = getelementptr %Large, ptr %args, i32 0, i32 1
  store i32 7, ptr %args
  invoke void @construct(ptr %foo, i32 %a) to label %ready unwind label %nothing
ready:
  %r = invoke i32 @take_large(ptr inalloca(%Large) %args) to label %done unwind label %nothing
done:
  call void @llvm.stackrestore.p0(ptr %save)
  ret i32 %r
nothing:
  %e = landingpad { ptr, i32 } cleanup
  call void @llvm.stackrestore.p0(ptr %save)
  %k = call i32 @many(i32 10, i32 %a, i32 %a, i32 4, i32 5, i32 6, i64 7)
  call void @depth(i32 %k)
  resume { ptr, i32 } %e
}
