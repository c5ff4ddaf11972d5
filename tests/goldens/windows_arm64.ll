; targets: aarch64-pc-windows-msvc
source_filename = "windows_arm64.ll"

declare dso_local void @use(ptr)

; A function probes more than a page, for which the return address is kept.
define i8 @large_frame(i64 %n) uwtable {
  %1 = alloca [10000 x i8]
  store volatile i8 1, ptr %1
  %2 = getelementptr i8, ptr %1, i64 %n
  %3 = load volatile i8, ptr %2
  ret i8 %3
}

; A frame pointer, which the unwinder is told; the frame record is below the other registers.
define i64 @dynamic(i64 %n) uwtable {
  %1 = alloca i8, i64 %n
  call void @use(ptr %1)
  ret i64 %n
}

; Registers that others do not keep are stored, but have no codes. The static chain is where the size of a large frame goes.
define preserve_mostcc i32 @keeps_more(i32 %n) uwtable {
  %1 = alloca [64 x i8]
  call void @use(ptr %1)
  ret i32 %n
}

; A return address that is signed.
define void @signed(ptr %p) uwtable "sign-return-address"="non-leaf" "sign-return-address-key"="b_key" "frame-pointer"="all" {
  call void @use(ptr %p)
  ret void
}
