	.def	@feat.00;
	.scl	3;
	.type	0;
	.endef
	.globl	@feat.00
.set @feat.00, 0
	.file	"windows_64.ll"
	.section	.rdata,"dr"
	.p2align	3
.LCPI0:
	.quad	0x4010000000000000
	.def	home_space;
	.scl	2;
	.type	32;
	.endef
	.section	.text,"xr"
	.globl	home_space
	.p2align	4
home_space:
.seh_proc	home_space
	subq $0x38, %rsp
	.seh_stackalloc	56
	.seh_endprologue
	movl $5, 0x20(%rsp)
	movl $3, %r8d
	movsd .LCPI0(%rip), %xmm3
	callq callee
	addq $0x38, %rsp
	retq
	.seh_endproc
	.def	large_frame;
	.scl	2;
	.type	32;
	.endef
	.globl	large_frame
	.p2align	4
large_frame:
.seh_proc	large_frame
	movl $0x2738, %eax
	callq __chkstk
	subq %rax, %rsp
	.seh_stackalloc	10040
	.seh_endprologue
	leaq 0x20(%rsp), %rcx
	callq use
	addq $0x2738, %rsp
	retq
	.seh_endproc
	.def	dynamic;
	.scl	2;
	.type	32;
	.endef
	.globl	dynamic
	.p2align	4
dynamic:
.seh_proc	dynamic
	pushq %rbp
	.seh_pushreg	%rbp
	subq $0x20, %rsp
	.seh_stackalloc	32
	leaq 0x20(%rsp), %rbp
	.seh_setframe	%rbp, 32
	.seh_endprologue
	movq %rcx, %rax
	negq %rax
	leaq (%rsp,%rax), %rax
	andq $-0x10, %rax
.LBB2_24:
	leaq -0x1000(%rsp), %rdx
	cmpq %rax, %rdx
	jbe .LBB2_46
	movq %rdx, %rsp
	orl $0, (%rsp)
	jmp .LBB2_24
.LBB2_46:
	movq %rax, %rsp
	subq $0x20, %rsp
	movq %rax, %rcx
	callq use
	leaq (%rbp), %rsp
	popq %rbp
	retq
	.seh_endproc
	.def	"vectors@@24";
	.scl	2;
	.type	32;
	.endef
	.globl	"vectors@@24"
	.p2align	4
"vectors@@24":
.seh_proc	"vectors@@24"
	subq $0x38, %rsp
	.seh_stackalloc	56
	movups %xmm6, 0x20(%rsp)
	.seh_savexmm	%xmm6, 32
	.seh_endprologue
	movaps %xmm0, %xmm6
	movaps %xmm1, %xmm2
	movaps %xmm6, %xmm1
	movaps %xmm6, %xmm3
	movaps %xmm6, %xmm0
	callq "blend@@56"
	addps %xmm6, %xmm0
	movups 0x20(%rsp), %xmm6
	addq $0x38, %rsp
	retq
	.seh_endproc
	.globl	_fltused
