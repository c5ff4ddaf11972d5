; Names without a leading byte 1 in conventions that show in names.
%pair = type { i8, i16 }
%large = type { i64, [3 x i32], i8 }

$merged = comdat any

define x86_stdcallcc void @nothing() {
  ret void
}

define x86_stdcallcc i32 @words(i32 %a, ptr %p, i16 signext %b, i64 %c, double %d) {
  call x86_stdcallcc void @nothing()
  %r = call x86_fastcallcc i32 @imported(i32 inreg %a, i32 inreg 3, i64 %c)
  call x86_stdcallcc void @storage(ptr byval(%large) %p, ptr %p)
  ret i32 %r
}

define x86_stdcallcc void @result(ptr sret(%large) %to, i32 %a) {
  store i32 %a, ptr %to
  ret void
}

define x86_fastcallcc i32 @fast(i32 inreg %a, ptr byval(%large) %l, float %f) {
  call x86_stdcallcc void @"\01as_it_is"(i32 1)
  call x86_stdcallcc void @"?of_cxx@@YGXH@Z"(i32 1)
  ret i32 %a
}

define x86_vectorcallcc float @vector(float %f, i32 %i, double %d) {
  %s = call x86_stdcallcc i32 @aliased(i32 %i)
  call x86_stdcallcc void @through(i32 %s, i8 3)
  %r = call x86_vectorcallcc float @vector_import(float %f)
  ret float %r
}

define x86_stdcallcc void @pieces(%pair %p, i8 %i) {
  ret void
}

define linkonce_odr x86_stdcallcc i32 @merged(i32 %a) comdat {
  ret i32 %a
}

define dllexport x86_stdcallcc i32 @exported(i32 %a) {
  %r = call x86_stdcallcc i32 @merged(i32 %a)
  %s = call x86_stdcallcc i32 @from_dll(i32 %r)
  ret i32 %s
}

define x86_thiscallcc i32 @this(ptr %t, i32 %a) {
  ret i32 %a
}

@aliased = alias i32 (i32), ptr @merged_too
@pointer = global ptr @through

define x86_stdcallcc i32 @merged_too(i32 %a) {
  ret i32 %a
}

declare x86_fastcallcc i32 @imported(i32 inreg, i32 inreg, i64)
declare x86_stdcallcc void @storage(ptr byval(%large), ptr)
declare x86_stdcallcc void @"\01as_it_is"(i32)
declare x86_stdcallcc void @"?of_cxx@@YGXH@Z"(i32)
declare x86_stdcallcc void @through(i32, i8)
declare x86_vectorcallcc float @vector_import(float)
declare dllimport x86_stdcallcc i32 @from_dll(i32)
