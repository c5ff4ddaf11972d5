; Nested functions of conventions of 32-bit x86 whose arguments are in ecx: their chain is in eax.

declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare void @keep(ptr)

define internal x86_fastcallcc i32 @fast(ptr nest %chain, i32 inreg %x, i32 inreg %y) {
  %base = load i32, ptr %chain
  %difference = sub i32 %x, %y
  %sum = add i32 %base, %difference
  ret i32 %sum
}

define internal x86_thiscallcc i32 @this(ptr nest %chain, ptr %this, i32 %y) {
  %base = load i32, ptr %chain
  %x = load i32, ptr %this
  %difference = sub i32 %x, %y
  %sum = add i32 %base, %difference
  ret i32 %sum
}

define internal fastcc i32 @own(ptr nest %chain, i32 inreg %x, i32 inreg %y) {
  %base = load i32, ptr %chain
  %difference = sub i32 %x, %y
  %sum = add i32 %base, %difference
  ret i32 %sum
}

define i32 @through_fast(i32 %base) {
  %memory = alloca [32 x i8], align 8
  %variable = alloca i32
  store i32 %base, ptr %variable
  call void @llvm.init.trampoline(ptr %memory, ptr @fast, ptr %variable)
  %p = call ptr @llvm.adjust.trampoline(ptr %memory)
  call void @keep(ptr %p)
  %r = call x86_fastcallcc i32 %p(i32 inreg 50, i32 inreg 8)
  ret i32 %r
}

define i32 @through_this(i32 %base) {
  %memory = alloca [32 x i8], align 8
  %variable = alloca i32
  %object = alloca i32
  store i32 %base, ptr %variable
  store i32 50, ptr %object
  call void @llvm.init.trampoline(ptr %memory, ptr @this, ptr %variable)
  %p = call ptr @llvm.adjust.trampoline(ptr %memory)
  %r = call x86_thiscallcc i32 %p(ptr %object, i32 8)
  ret i32 %r
}

define i32 @through_own(i32 %base) {
  %memory = alloca [32 x i8], align 8
  %variable = alloca i32
  store i32 %base, ptr %variable
  call void @llvm.init.trampoline(ptr %memory, ptr @own, ptr %variable)
  %p = call ptr @llvm.adjust.trampoline(ptr %memory)
  %r = call fastcc i32 %p(i32 inreg 50, i32 inreg 8)
  ret i32 %r
}
