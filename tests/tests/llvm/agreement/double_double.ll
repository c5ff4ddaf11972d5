; `ppc_fp128`, which is moved and given to the library.
; modes: Bits64
%both = type { i8, ppc_fp128 }
define ppc_fp128 @pick(ppc_fp128 %a, i32 %n, ppc_fp128 %b, ptr %p) {
  %old = load ppc_fp128, ptr %p
  store ppc_fp128 %a, ptr %p
  %c = icmp slt i32 %n, 0
  br i1 %c, label %one, label %two
one:
  br label %done
two:
  %t = call ppc_fp128 @llvm.acos.ppcf128(ppc_fp128 %old)
  br label %done
done:
  %v = phi ppc_fp128 [ %b, %one ], [ %t, %two ]
  %s = select i1 %c, ppc_fp128 %v, ppc_fp128 %a
  %w = call ppc_fp128 @llvm.pow.ppcf128(ppc_fp128 %s, ppc_fp128 %v)
  ret ppc_fp128 %w
}
define i64 @place() {
  %p = getelementptr %both, ptr null, i32 1, i32 1
  %n = ptrtoint ptr %p to i64
  ret i64 %n
}
declare ppc_fp128 @llvm.acos.ppcf128(ppc_fp128)
declare ppc_fp128 @llvm.pow.ppcf128(ppc_fp128, ppc_fp128)
