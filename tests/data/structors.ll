; Constructors of what may be defined in several objects go away with the copy that linkers drop.
$inline_data = comdat any
$other = comdat any

@llvm.global_ctors = appending global [4 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 65535, ptr @first, ptr @inline_data },
  { i32, ptr, ptr } { i32 65535, ptr @plain, ptr null },
  { i32, ptr, ptr } { i32 101, ptr @early, ptr @other },
  { i32, ptr, ptr } { i32 65535, ptr @elsewhere, ptr @declared }
]
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @last, ptr @other }]

@inline_data = linkonce_odr global i32 0, comdat, align 4
@other = linkonce_odr global i32 7, comdat, align 4
@declared = external dso_local global i32

define internal void @first() {
  store i32 1, ptr @inline_data
  ret void
}

define internal void @plain() {
  ret void
}

define internal void @early() {
  store i32 2, ptr @other
  ret void
}

define internal void @elsewhere() {
  store i32 2, ptr @declared
  ret void
}

define internal void @last() {
  ret void
}
