; targets: x86_64-unknown-linux-gnu i686-unknown-linux-gnu aarch64-unknown-linux-gnu armv7-unknown-linux-gnueabihf thumbv7-unknown-linux-gnueabihf
source_filename = "threads.ll"

@general = external thread_local global i32
@local = internal thread_local global i32 5
@initial = external thread_local(initialexec) global i32
@exec = internal thread_local(localexec) global i32 0
declare ptr @llvm.threadlocal.address.p0(ptr)

define i32 @all() {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @general)
  %1 = load i32, ptr %p
  %q = call ptr @llvm.threadlocal.address.p0(ptr @local)
  %2 = load i32, ptr %q
  %r = call ptr @llvm.threadlocal.address.p0(ptr @initial)
  %3 = load i32, ptr %r
  %s = call ptr @llvm.threadlocal.address.p0(ptr @exec)
  %4 = load i32, ptr %s
  %5 = add i32 %1, %2
  %6 = add i32 %3, %4
  %7 = add i32 %5, %6
  ret i32 %7
}

define i64 @atomics(ptr %p, i64 %v) {
  %1 = atomicrmw add ptr %p, i64 %v seq_cst
  %2 = atomicrmw xchg ptr %p, i64 %v acq_rel
  %3 = cmpxchg ptr %p, i64 %1, i64 %2 seq_cst seq_cst
  %4 = extractvalue { i64, i1 } %3, 0
  store atomic i64 %4, ptr %p seq_cst, align 8
  fence seq_cst
  %5 = load atomic i64, ptr %p seq_cst, align 8
  ret i64 %5
}

!llvm.module.flags = !{!0}
!0 = !{i32 8, !"PIC Level", i32 2}
