; What later versions of LLVM write.
source_filename = "later.rs"
target triple = "x86_64-unknown-linux-gnu"

define i1 @f(ptr captures(none) dead_on_return %p, ptr captures(address, read_provenance) %q, i8 noext %c) #0 {
  call void @llvm.lifetime.start.p0(ptr %p)
  %x = icmp samesign ult i8 %c, 5
  call void @g(ptr captures(none) %p) nocreateundeforpoison
  call void @llvm.lifetime.end.p0(ptr nonnull %p)
  ret i1 %x
}

declare void @g(ptr captures(ret: address, provenance))
declare void @llvm.lifetime.start.p0(ptr captures(none))
declare void @llvm.lifetime.end.p0(ptr captures(none))

attributes #0 = { nounwind memory(argmem: readwrite, errnomem: write) sanitize_realtime }
