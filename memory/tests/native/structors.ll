@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 65535, ptr @second, ptr null },
  { i32, ptr, ptr } { i32 200, ptr @first, ptr null }]
@llvm.global_dtors = appending global [2 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 200, ptr @fourth, ptr null },
  { i32, ptr, ptr } { i32 65535, ptr @third, ptr null }]

declare void @note(i32)

define internal void @first() {
  call void @note(i32 1)
  ret void
}
define internal void @second() {
  call void @note(i32 2)
  ret void
}
define internal void @third() {
  call void @note(i32 3)
  ret void
}
define internal void @fourth() {
  call void @note(i32 4)
  ret void
}
