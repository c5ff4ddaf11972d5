; targets: x86_64-w64-windows-gnu
source_filename = "windows_gnu.ll"

$inline = comdat any
@maybe_imported = external global i32
@mine = dllexport global i32 3
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @set_up, ptr @inline }]
declare i32 @maybe_imported_function(i32)
declare extern_weak i32 @perhaps(i32)

; Data of other images are found through cells that the linker fills.
define i32 @outside(i32 %x) {
  %1 = load i32, ptr @maybe_imported
  %2 = call i32 @maybe_imported_function(i32 %1)
  ret i32 %2
}

define i32 @weak(i32 %x) {
  %1 = icmp eq ptr @perhaps, null
  br i1 %1, label %none, label %some

some:
  %2 = call i32 @perhaps(i32 %x)
  ret i32 %2

none:
  ret i32 0
}

define linkonce_odr i32 @inline(i32 %x) comdat {
  %1 = mul i32 %x, 5
  ret i32 %1
}

define internal void @set_up() {
  %1 = call i32 @inline(i32 3)
  store i32 %1, ptr @mine
  ret void
}
