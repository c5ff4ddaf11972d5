; Every instruction, with every flag.
source_filename = "instructions.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%pair = type { i32, ptr }
%"odd name" = type <{ i8, %pair, [2 x <4 x float>] }>

@g = global i32 1
@space = addrspace(1) global i32 1

declare void @take(ptr, ...)
declare i32 @give()
declare i32 @__gxx_personality_v0(...)
declare void @llvm.assume(i1)
declare token @llvm.call.preallocated.setup(i32)
declare double @llvm.experimental.constrained.fadd.f64(double, double, metadata, metadata)

define i64 @integers(i32 %a, i32 %b, i64 %0) {
  %2 = add nuw nsw i32 %a, %b
  %3 = sub nsw i32 %2, -7
  %4 = mul nuw i32 %3, %a
  %5 = udiv exact i32 %4, 3
  %6 = sdiv i32 %5, %b
  %7 = urem i32 %6, %b
  %8 = srem i32 %7, %b
  %9 = shl nuw nsw i32 %8, 2
  %10 = lshr exact i32 %9, 1
  %11 = ashr i32 %10, 1
  %12 = and i32 %11, 255
  %13 = or disjoint i32 %12, 256
  %14 = xor i32 %13, -1
  %15 = zext nneg i32 %14 to i64
  %16 = sext i32 %14 to i64
  %17 = trunc nuw nsw i64 %16 to i8
  %18 = icmp ult i8 %17, 3
  %19 = select i1 %18, i64 %15, i64 %0
  %20 = freeze i64 %19
  %21 = uitofp nneg i64 %20 to double
  %22 = sitofp i64 %20 to float
  %23 = fptoui double %21 to i64
  %24 = fptosi float %22 to i64
  %25 = add i64 %23, %24
  ret i64 %25
}

define float @floats(float %x, half %h, bfloat %r, x86_fp80 %l, fp128 %q) {
entry:
  %a = fadd fast float %x, 1.0
  %b = fsub nnan ninf float %a, 0x7FF8000000000000
  %c = fmul nsz arcp contract float %b, 0xFFF0000000000000
  %d = fdiv afn reassoc float %c, -0.0
  %e = frem float %d, 0x36A0000000000000
  %f = fneg fast float %e
  %cmp = fcmp nnan olt float %f, 0x7FF4000000000000
  %s = select nsz i1 %cmp, float %f, float poison
  %h2 = fadd half %h, 0xH3C00
  %r2 = fadd bfloat %r, 0xR3F80
  %l2 = fadd x86_fp80 %l, 0xK3FFF8000000000000000
  %q2 = fadd fp128 %q, 0xL00000000000000003FFF000000000000
  %w = fpext half %h2 to double
  %n = fptrunc fp128 %q2 to float
  %always = fcmp true float %n, %s
  br i1 %always, label %yes, label %no
yes:
  br label %end
no:
  br label %end
end:
  %phi = phi fast float [ %s, %no ], [ 0.0, %yes ], [ undef, %never ]
  br label %last
last:
  %one = phi float [ %phi, %end ]
  ret float %one
never:
  br label %end
}

define void @memory(ptr %p, i64 %n, ptr swifterror %err) {
  %a = alloca i32
  %b = alloca %pair, align 32
  %c = alloca i8, i64 %n, align 1
  %e = alloca swifterror ptr, align 8
  %v = load volatile i32, ptr %a, align 2
  store volatile i32 %v, ptr %a, align 1
  store i64 zeroinitializer, ptr %c
  %at = load atomic i32, ptr %a syncscope("singlethread") acquire, align 4
  %am = load atomic volatile i64, ptr %p monotonic, align 8
  store atomic ptr %p, ptr %b release, align 8
  store atomic float 1.5, ptr %a unordered, align 4
  fence seq_cst
  fence syncscope("singlethread") acq_rel
  %x = cmpxchg weak volatile ptr %p, i64 1, i64 2 syncscope("agent") acq_rel monotonic, align 16
  %y = cmpxchg ptr %p, ptr null, ptr %a seq_cst acquire
  %r1 = atomicrmw xchg ptr %p, float 1.0 seq_cst
  %r2 = atomicrmw volatile nand ptr %p, i32 3 syncscope("one") monotonic, align 4
  %r3 = atomicrmw fmax ptr %p, double 1.0 acquire
  %r4 = atomicrmw uinc_wrap ptr %p, i8 1 release, align 1
  %g1 = getelementptr inbounds %pair, ptr %p, i64 1, i32 1
  %g2 = getelementptr nusw nuw i8, ptr %p, i64 %n
  %g3 = getelementptr i32, ptr %p, <2 x i64> <i64 1, i64 2>
  %g4 = getelementptr inbounds [0 x %"odd name"], ptr %p, i32 0, i8 -1, i32 2, i1 true, i64 3
  %s = load i32, ptr addrspace(1) @space, align 4, !nontemporal !0, !invariant.load !1
  %va = va_arg ptr %p, i64
  ret void
}

define { i32, ptr } @aggregates(%pair %p, <4 x i32> %v, { [2 x { i8, {} }], %"odd name" } %deep) {
  %a = extractvalue %pair %p, 0
  %b = insertvalue { i32, ptr } { i32 1, ptr undef }, i32 %a, 0
  %c = insertvalue { i32, ptr } %b, ptr @g, 1
  %d = extractvalue { [2 x { i8, {} }], %"odd name" } %deep, 0, 1, 0
  %e = insertvalue { [2 x { i8, {} }], %"odd name" } %deep, <4 x float> zeroinitializer, 1, 2, 1
  %f = extractvalue { [2 x { i8, {} }], %"odd name" } %e, 1, 1
  %x = extractelement <4 x i32> %v, i64 2
  %y = insertelement <4 x i32> %v, i32 %x, i8 0
  %z = shufflevector <4 x i32> %y, <4 x i32> <i32 1, i32 undef, i32 poison, i32 3>, <3 x i32> <i32 7, i32 poison, i32 0>
  %w = shufflevector <3 x i32> %z, <3 x i32> poison, <2 x i32> zeroinitializer
  %cmp = icmp eq <2 x i32> %w, splat (i32 5)
  %sel = select <2 x i1> %cmp, <2 x i32> %w, <2 x i32> zeroinitializer
  %i5 = bitcast <2 x i32> %sel to <16 x i4>
  ret { i32, ptr } %c
}

define i32 @control(i32 %n, ptr %where) {
start:
  switch i32 %n, label %other [
    i32 0, label %same
    i32 1, label %same
    i32 -2147483648, label %target
  ]
same:
  %same.value = phi i32 [ 4, %start ], [ 4, %start ]
  indirectbr ptr %where, [label %target, label %other]
target:
  callbr void asm sideeffect "# $0 ${1:l}", "r,!i,~{memory}"(i32 %n) #1
      to label %other [label %"in quotes, \22too\22"]
"in quotes, \22too\22":
  unreachable
other:
  %p = ptrtoint ptr blockaddress(@control, %target) to i64
  %q = inttoptr i64 %p to ptr
  ret i32 %n
}

define i32 @unnamed(i1 %0) {
  br i1 %0, label %2, label %3

2:
  br label %3

3:
  %4 = phi ptr [ blockaddress(@unnamed, %2), %1 ], [ null, %2 ]
  %5 = load i32, ptr %4
  ret i32 %5
}

define void @calls(ptr %f, { ptr, i32 } %e, ...) personality ptr @__gxx_personality_v0 {
  %r = tail call fastcc noundef range(i32 0, 10) i32 @give() nounwind memory(none) "key"="value" "alone"
  call void (ptr, ...) @take(ptr noundef nonnull align 8 dereferenceable(16) %f, i32 signext 1, ptr byval(%pair) align 4 %f, i8 zeroext inreg 3)
  notail call void (ptr, ...) @take(ptr nocapture readonly %f)
  %s = call nnan ninf nsz arcp contract afn reassoc double %f(double 1.0)
  call void asm sideeffect alignstack inteldialect unwind "nop; \09$$1", "=*m,r,~{cc}"(ptr elementtype(i32) %f, i32 %r) #1, !srcloc !2
  call void @llvm.assume(i1 true) [ "align"(ptr %f, i64 16), "nonnull"(ptr %f) ]
  %sum = call double @llvm.experimental.constrained.fadd.f64(double %s, double 2.0, metadata !"round.tonearest", metadata !"fpexcept.strict") #0
  %i = invoke coldcc i32 %f(i32 %r) #0 [ "deopt"(i32 1, ptr null), "funny"() ]
          to label %go unwind label %pad

go:
  invoke void @calls(ptr %f, { ptr, i32 } %e)
          to label %end unwind label %both

pad:
  %l = landingpad { ptr, i32 }
          cleanup
          catch ptr @g
          filter [2 x ptr] [ptr @g, ptr null]
  resume { ptr, i32 } %l

both:
  %k = landingpad { ptr, i32 }
          filter [0 x ptr] zeroinitializer
  resume { ptr, i32 } %e

end:
  musttail call void (ptr, { ptr, i32 }, ...) @calls(ptr %f, { ptr, i32 } %e, ...)
  ret void
}

attributes #0 = { strictfp nounwind }
attributes #1 = { nounwind memory(argmem: readwrite, inaccessiblemem: none) }

!0 = !{i32 1}
!1 = !{}
!2 = !{i64 12}
