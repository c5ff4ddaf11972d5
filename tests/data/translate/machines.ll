; Types and conventions of machines that no code is made for.
source_filename = "machines"
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p5:32:32-i64:64-A5-G1"

%held = type { target("spirv.Image", float, 1, 0), <vscale x 2 x i1> }

@lds = internal addrspace(3) global [4 x i32] undef, align 16
@table = addrspace(1) constant [2 x ptr addrspace(3)] [ptr addrspace(3) @lds, ptr addrspace(3) null]

define amdgpu_kernel void @kernel(ptr addrspace(1) noundef %a, ptr addrspace(4) inreg %c) {
  %t = alloca i32, align 4, addrspace(5)
  %v = load i32, ptr addrspace(4) %c, align 4
  store i32 %v, ptr addrspace(5) %t, align 4
  %e = getelementptr inbounds [4 x i32], ptr addrspace(3) @lds, i32 0, i32 %v
  %x = atomicrmw add ptr addrspace(1) %a, i32 1 syncscope("agent-one-as") monotonic, align 4
  %g = addrspacecast ptr addrspace(3) %e to ptr
  %n = icmp eq ptr addrspace(3) %e, null
  %vec = getelementptr i8, ptr addrspace(1) %a, <2 x i64> <i64 1, i64 2>
  ret void
}

define spir_func <vscale x 4 x float> @sve(<vscale x 4 x i1> %p, <vscale x 4 x float> %a, float %s) {
  %i = insertelement <vscale x 4 x float> poison, float %s, i64 0
  %b = shufflevector <vscale x 4 x float> %i, <vscale x 4 x float> poison, <vscale x 4 x i32> zeroinitializer
  %m = fmul fast <vscale x 4 x float> %a, %b
  %c = fcmp ogt <vscale x 4 x float> %m, zeroinitializer
  %and = and <vscale x 4 x i1> %c, %p
  %s2 = select <vscale x 4 x i1> %and, <vscale x 4 x float> %m, <vscale x 4 x float> %a
  %x = extractelement <vscale x 4 x float> %s2, i32 0
  %w = alloca <vscale x 4 x float>, align 16, addrspace(5)
  %ptrs = getelementptr float, <vscale x 4 x ptr> zeroinitializer, i64 1
  ret <vscale x 4 x float> %s2
}

define i32 @undeclared(i32 %x) {
  %n = call i32 @llvm.ctpop.i32(i32 %x)
  ret i32 %n
}

define void @others(ppc_fp128 %q, x86_mmx %m, target("aarch64.svcount") %c, i100000 %big) {
  %a = bitcast x86_mmx %m to i64
  ret void
}

declare x86_amx @llvm.x86.tilezero.internal(i16, i16)
declare target("dx.TypedBuffer", <4 x float>, 1, 0, 0) @typed(<3 x i5>)
