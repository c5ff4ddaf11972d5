; Atomic accesses to more than two words, by the library's functions for objects of any size.
; modes: Bits64 Bits32 Aarch64 A32
define void @xchg_i128(ptr %p, ptr %v, ptr %r) {
  %a = load i128, ptr %v, align 8
  %o = atomicrmw xchg ptr %p, i128 %a acq_rel, align 16
  store i128 %o, ptr %r, align 8
  ret void
}
define void @add_i128(ptr %p, ptr %v, ptr %r) {
  %a = load i128, ptr %v, align 8
  %o = atomicrmw add ptr %p, i128 %a acq_rel, align 16
  store i128 %o, ptr %r, align 8
  ret void
}
define void @sub_i128(ptr %p, ptr %v, ptr %r) {
  %a = load i128, ptr %v, align 8
  %o = atomicrmw sub ptr %p, i128 %a acq_rel, align 16
  store i128 %o, ptr %r, align 8
  ret void
}
define void @and_i128(ptr %p, ptr %v, ptr %r) {
  %a = load i128, ptr %v, align 8
  %o = atomicrmw and ptr %p, i128 %a acq_rel, align 16
  store i128 %o, ptr %r, align 8
  ret void
}
define void @nand_i128(ptr %p, ptr %v, ptr %r) {
  %a = load i128, ptr %v, align 8
  %o = atomicrmw nand ptr %p, i128 %a acq_rel, align 16
  store i128 %o, ptr %r, align 8
  ret void
}
define void @or_i128(ptr %p, ptr %v, ptr %r) {
  %a = load i128, ptr %v, align 8
  %o = atomicrmw or ptr %p, i128 %a acq_rel, align 16
  store i128 %o, ptr %r, align 8
  ret void
}
define void @xor_i128(ptr %p, ptr %v, ptr %r) {
  %a = load i128, ptr %v, align 8
  %o = atomicrmw xor ptr %p, i128 %a acq_rel, align 16
  store i128 %o, ptr %r, align 8
  ret void
}
define void @max_i128(ptr %p, ptr %v, ptr %r) {
  %a = load i128, ptr %v, align 8
  %o = atomicrmw max ptr %p, i128 %a acq_rel, align 16
  store i128 %o, ptr %r, align 8
  ret void
}
define void @min_i128(ptr %p, ptr %v, ptr %r) {
  %a = load i128, ptr %v, align 8
  %o = atomicrmw min ptr %p, i128 %a acq_rel, align 16
  store i128 %o, ptr %r, align 8
  ret void
}
define void @umax_i128(ptr %p, ptr %v, ptr %r) {
  %a = load i128, ptr %v, align 8
  %o = atomicrmw umax ptr %p, i128 %a acq_rel, align 16
  store i128 %o, ptr %r, align 8
  ret void
}
define void @umin_i128(ptr %p, ptr %v, ptr %r) {
  %a = load i128, ptr %v, align 8
  %o = atomicrmw umin ptr %p, i128 %a acq_rel, align 16
  store i128 %o, ptr %r, align 8
  ret void
}
define void @uinc_wrap_i128(ptr %p, ptr %v, ptr %r) {
  %a = load i128, ptr %v, align 8
  %o = atomicrmw uinc_wrap ptr %p, i128 %a acq_rel, align 16
  store i128 %o, ptr %r, align 8
  ret void
}
define void @udec_wrap_i128(ptr %p, ptr %v, ptr %r) {
  %a = load i128, ptr %v, align 8
  %o = atomicrmw udec_wrap ptr %p, i128 %a acq_rel, align 16
  store i128 %o, ptr %r, align 8
  ret void
}
define i1 @cas_i128(ptr %p, ptr %v, ptr %r) {
  %a = load i128, ptr %v, align 8
  %e = load i128, ptr %r, align 8
  %o = cmpxchg ptr %p, i128 %e, i128 %a seq_cst monotonic, align 16
  %x = extractvalue { i128, i1 } %o, 0
  store i128 %x, ptr %r, align 8
  %ok = extractvalue { i128, i1 } %o, 1
  ret i1 %ok
}
define void @swap_i128(ptr %p, ptr %v, ptr %r) {
  %a = load i128, ptr %v, align 8
  %o = load atomic i128, ptr %p acquire, align 16
  store i128 %o, ptr %r, align 8
  store atomic i128 %a, ptr %p release, align 16
  ret void
}
define void @xchg_i256(ptr %p, ptr %v, ptr %r) {
  %a = load i256, ptr %v, align 8
  %o = atomicrmw xchg ptr %p, i256 %a acq_rel, align 32
  store i256 %o, ptr %r, align 8
  ret void
}
define void @add_i256(ptr %p, ptr %v, ptr %r) {
  %a = load i256, ptr %v, align 8
  %o = atomicrmw add ptr %p, i256 %a acq_rel, align 32
  store i256 %o, ptr %r, align 8
  ret void
}
define void @sub_i256(ptr %p, ptr %v, ptr %r) {
  %a = load i256, ptr %v, align 8
  %o = atomicrmw sub ptr %p, i256 %a acq_rel, align 32
  store i256 %o, ptr %r, align 8
  ret void
}
define void @and_i256(ptr %p, ptr %v, ptr %r) {
  %a = load i256, ptr %v, align 8
  %o = atomicrmw and ptr %p, i256 %a acq_rel, align 32
  store i256 %o, ptr %r, align 8
  ret void
}
define void @nand_i256(ptr %p, ptr %v, ptr %r) {
  %a = load i256, ptr %v, align 8
  %o = atomicrmw nand ptr %p, i256 %a acq_rel, align 32
  store i256 %o, ptr %r, align 8
  ret void
}
define void @or_i256(ptr %p, ptr %v, ptr %r) {
  %a = load i256, ptr %v, align 8
  %o = atomicrmw or ptr %p, i256 %a acq_rel, align 32
  store i256 %o, ptr %r, align 8
  ret void
}
define void @xor_i256(ptr %p, ptr %v, ptr %r) {
  %a = load i256, ptr %v, align 8
  %o = atomicrmw xor ptr %p, i256 %a acq_rel, align 32
  store i256 %o, ptr %r, align 8
  ret void
}
define void @max_i256(ptr %p, ptr %v, ptr %r) {
  %a = load i256, ptr %v, align 8
  %o = atomicrmw max ptr %p, i256 %a acq_rel, align 32
  store i256 %o, ptr %r, align 8
  ret void
}
define void @min_i256(ptr %p, ptr %v, ptr %r) {
  %a = load i256, ptr %v, align 8
  %o = atomicrmw min ptr %p, i256 %a acq_rel, align 32
  store i256 %o, ptr %r, align 8
  ret void
}
define void @umax_i256(ptr %p, ptr %v, ptr %r) {
  %a = load i256, ptr %v, align 8
  %o = atomicrmw umax ptr %p, i256 %a acq_rel, align 32
  store i256 %o, ptr %r, align 8
  ret void
}
define void @umin_i256(ptr %p, ptr %v, ptr %r) {
  %a = load i256, ptr %v, align 8
  %o = atomicrmw umin ptr %p, i256 %a acq_rel, align 32
  store i256 %o, ptr %r, align 8
  ret void
}
define void @uinc_wrap_i256(ptr %p, ptr %v, ptr %r) {
  %a = load i256, ptr %v, align 8
  %o = atomicrmw uinc_wrap ptr %p, i256 %a acq_rel, align 32
  store i256 %o, ptr %r, align 8
  ret void
}
define void @udec_wrap_i256(ptr %p, ptr %v, ptr %r) {
  %a = load i256, ptr %v, align 8
  %o = atomicrmw udec_wrap ptr %p, i256 %a acq_rel, align 32
  store i256 %o, ptr %r, align 8
  ret void
}
define i1 @cas_i256(ptr %p, ptr %v, ptr %r) {
  %a = load i256, ptr %v, align 8
  %e = load i256, ptr %r, align 8
  %o = cmpxchg ptr %p, i256 %e, i256 %a seq_cst monotonic, align 32
  %x = extractvalue { i256, i1 } %o, 0
  store i256 %x, ptr %r, align 8
  %ok = extractvalue { i256, i1 } %o, 1
  ret i1 %ok
}
define void @swap_i256(ptr %p, ptr %v, ptr %r) {
  %a = load i256, ptr %v, align 8
  %o = load atomic i256, ptr %p acquire, align 32
  store i256 %o, ptr %r, align 8
  store atomic i256 %a, ptr %p release, align 32
  ret void
}
define void @xchg_i512(ptr %p, ptr %v, ptr %r) {
  %a = load i512, ptr %v, align 8
  %o = atomicrmw xchg ptr %p, i512 %a acq_rel, align 64
  store i512 %o, ptr %r, align 8
  ret void
}
define void @add_i512(ptr %p, ptr %v, ptr %r) {
  %a = load i512, ptr %v, align 8
  %o = atomicrmw add ptr %p, i512 %a acq_rel, align 64
  store i512 %o, ptr %r, align 8
  ret void
}
define void @sub_i512(ptr %p, ptr %v, ptr %r) {
  %a = load i512, ptr %v, align 8
  %o = atomicrmw sub ptr %p, i512 %a acq_rel, align 64
  store i512 %o, ptr %r, align 8
  ret void
}
define void @and_i512(ptr %p, ptr %v, ptr %r) {
  %a = load i512, ptr %v, align 8
  %o = atomicrmw and ptr %p, i512 %a acq_rel, align 64
  store i512 %o, ptr %r, align 8
  ret void
}
define void @nand_i512(ptr %p, ptr %v, ptr %r) {
  %a = load i512, ptr %v, align 8
  %o = atomicrmw nand ptr %p, i512 %a acq_rel, align 64
  store i512 %o, ptr %r, align 8
  ret void
}
define void @or_i512(ptr %p, ptr %v, ptr %r) {
  %a = load i512, ptr %v, align 8
  %o = atomicrmw or ptr %p, i512 %a acq_rel, align 64
  store i512 %o, ptr %r, align 8
  ret void
}
define void @xor_i512(ptr %p, ptr %v, ptr %r) {
  %a = load i512, ptr %v, align 8
  %o = atomicrmw xor ptr %p, i512 %a acq_rel, align 64
  store i512 %o, ptr %r, align 8
  ret void
}
define void @max_i512(ptr %p, ptr %v, ptr %r) {
  %a = load i512, ptr %v, align 8
  %o = atomicrmw max ptr %p, i512 %a acq_rel, align 64
  store i512 %o, ptr %r, align 8
  ret void
}
define void @min_i512(ptr %p, ptr %v, ptr %r) {
  %a = load i512, ptr %v, align 8
  %o = atomicrmw min ptr %p, i512 %a acq_rel, align 64
  store i512 %o, ptr %r, align 8
  ret void
}
define void @umax_i512(ptr %p, ptr %v, ptr %r) {
  %a = load i512, ptr %v, align 8
  %o = atomicrmw umax ptr %p, i512 %a acq_rel, align 64
  store i512 %o, ptr %r, align 8
  ret void
}
define void @umin_i512(ptr %p, ptr %v, ptr %r) {
  %a = load i512, ptr %v, align 8
  %o = atomicrmw umin ptr %p, i512 %a acq_rel, align 64
  store i512 %o, ptr %r, align 8
  ret void
}
define void @uinc_wrap_i512(ptr %p, ptr %v, ptr %r) {
  %a = load i512, ptr %v, align 8
  %o = atomicrmw uinc_wrap ptr %p, i512 %a acq_rel, align 64
  store i512 %o, ptr %r, align 8
  ret void
}
define void @udec_wrap_i512(ptr %p, ptr %v, ptr %r) {
  %a = load i512, ptr %v, align 8
  %o = atomicrmw udec_wrap ptr %p, i512 %a acq_rel, align 64
  store i512 %o, ptr %r, align 8
  ret void
}
define i1 @cas_i512(ptr %p, ptr %v, ptr %r) {
  %a = load i512, ptr %v, align 8
  %e = load i512, ptr %r, align 8
  %o = cmpxchg ptr %p, i512 %e, i512 %a seq_cst monotonic, align 64
  %x = extractvalue { i512, i1 } %o, 0
  store i512 %x, ptr %r, align 8
  %ok = extractvalue { i512, i1 } %o, 1
  ret i1 %ok
}
define void @swap_i512(ptr %p, ptr %v, ptr %r) {
  %a = load i512, ptr %v, align 8
  %o = load atomic i512, ptr %p acquire, align 64
  store i512 %o, ptr %r, align 8
  store atomic i512 %a, ptr %p release, align 64
  ret void
}
define void @fadd_v4(ptr %p, ptr %v, ptr %r) {
  %a = load <4 x float>, ptr %v, align 8
  %o = atomicrmw fadd ptr %p, <4 x float> %a seq_cst, align 16
  store <4 x float> %o, ptr %r, align 8
  ret void
}
