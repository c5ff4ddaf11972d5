	.def	@feat.00;
	.scl	3;
	.type	0;
	.endef
	.globl	@feat.00
.set @feat.00, 0
	.file	"windows.ll"
	.def	preserved;
	.scl	2;
	.type	32;
	.endef
	.section	.text,"xr"
	.globl	preserved
	.p2align	4
preserved:
.seh_proc	preserved
	pushq %rbx
	.seh_pushreg	%rbx
	pushq %rsi
	.seh_pushreg	%rsi
	subq $0x48, %rsp
	.seh_stackalloc	72
	movups %xmm6, 0x30(%rsp)
	.seh_savexmm	%xmm6, 48
	.seh_endprologue
	movl %r8d, %esi
	movl %edx, %ebx
	movaps %xmm0, %xmm6
	movl %ebx, 0x20(%rsp)
	movaps %xmm6, %xmm3
	movl %esi, %r8d
	movaps %xmm6, %xmm1
	movl %ebx, %ecx
	callq callee
	movl %eax, 0x40(%rsp)
	movl %esi, 0x20(%rsp)
	movaps %xmm6, %xmm3
	movl %ebx, %r8d
	movaps %xmm6, %xmm1
	movl %esi, %ecx
	callq callee
	addl 0x40(%rsp), %ebx
	addl %esi, %eax
	xorps %xmm0, %xmm0
	cvtsi2sdl %ebx, %xmm0
	xorps %xmm1, %xmm1
	cvtsi2sdl %eax, %xmm1
	addsd %xmm0, %xmm6
	addsd %xmm1, %xmm6
	movaps %xmm6, %xmm0
	movups 0x30(%rsp), %xmm6
	addq $0x48, %rsp
	popq %rsi
	popq %rbx
	retq
	.seh_endproc
	.def	walked;
	.scl	2;
	.type	32;
	.endef
	.globl	walked
	.p2align	4
walked:
.seh_proc	walked
	pushq %rbp
	.seh_pushreg	%rbp
	pushq %rbx
	.seh_pushreg	%rbx
	subq $0x58, %rsp
	.seh_stackalloc	88
	leaq 0x50(%rsp), %rbp
	.seh_setframe	%rbp, 80
	.seh_endprologue
	movq %rdx, -0x28(%rbp)
	movl %ecx, %ebx
	leaq -0x20(%rbp), %rcx
	callq use
	testl %ebx, %ebx
	jne .LBB1_42
	movl $3, %eax
	leaq 8(%rbp), %rsp
	popq %rbx
	popq %rbp
	retq
.LBB1_42:
	movq -0x28(%rbp), %rcx
	callq take
	movl %ebx, %eax
	leaq 8(%rbp), %rsp
	popq %rbx
	popq %rbp
	retq
	.seh_endproc
	.def	variadic;
	.scl	2;
	.type	32;
	.endef
	.globl	variadic
	.p2align	4
variadic:
.seh_proc	variadic
	subq $0x28, %rsp
	.seh_stackalloc	40
	.seh_endprologue
	movq %xmm1, %rdx
	callq printf
	addq $0x28, %rsp
	retq
	.seh_endproc
	.def	sum;
	.scl	2;
	.type	32;
	.endef
	.globl	sum
	.p2align	4
sum:
.seh_proc	sum
	subq $0x38, %rsp
	.seh_stackalloc	56
	.seh_endprologue
	movq %rdx, 0x48(%rsp)
	movq %r8, 0x50(%rsp)
	movq %r9, 0x58(%rsp)
	leaq 0x48(%rsp), %rax
	movq %rax, (%rsp)
	movq (%rsp), %rax
	leaq 8(%rax), %rcx
	movq %rcx, (%rsp)
	movsd (%rax), %xmm0
	addq $0x38, %rsp
	retq
	.seh_endproc
	.def	imports;
	.scl	2;
	.type	32;
	.endef
	.globl	imports
	.p2align	4
imports:
.seh_proc	imports
	subq $0x28, %rsp
	.seh_stackalloc	40
	.seh_endprologue
	callq *__imp_imported(%rip)
	movq __imp_imported_data(%rip), %rcx
	addl (%rcx), %eax
	movl %eax, %ecx
	callq *.refptr.perhaps(%rip)
	addq $0x28, %rsp
	retq
	.seh_endproc
	.def	of_the_thread;
	.scl	2;
	.type	32;
	.endef
	.globl	of_the_thread
	.p2align	4
of_the_thread:
	movl _tls_index(%rip), %eax
	movq %gs:0x58, %rcx
	movq (%rcx,%rax,8), %rcx
	leaq counter@SECREL32(%rcx), %rcx
	movl (%rcx), %eax
	retq
	.def	guarded;
	.scl	2;
	.type	32;
	.endef
	.globl	guarded
	.p2align	4
guarded:
.seh_proc	guarded
	subq $0x38, %rsp
	.seh_stackalloc	56
	.seh_endprologue
	movq __security_cookie(%rip), %r11
	movq %r11, 0x30(%rsp)
	xorq %rsp, 0x30(%rsp)
	leaq 0x20(%rsp), %rcx
	callq use
	movq __security_cookie(%rip), %rax
	xorq %rsp, %rax
	cmpq 0x30(%rsp), %rax
	jne .LBB6_53
	addq $0x38, %rsp
	retq
.LBB6_53:
	movq 0x30(%rsp), %rcx
	xorq %rsp, %rcx
	callq __security_check_cookie
	int3
	.seh_endproc
	.def	chain;
	.scl	2;
	.type	32;
	.endef
	.globl	chain
	.p2align	4
chain:
.seh_proc	chain
	movl $0x4e48, %eax
	callq __chkstk
	subq %rax, %rsp
	.seh_stackalloc	20040
	.seh_endprologue
	movq %r10, 0x20(%rsp)
	leaq 0x20(%rsp), %rcx
	callq use
	addq $0x4e48, %rsp
	retq
	.seh_endproc
	.section	.tls$,"dw"
	.globl	counter
	.p2align	2
counter:
	.long	0x5
	.section	.rdata$.refptr.perhaps,"dr",discard,.refptr.perhaps
	.p2align	3
	.globl	.refptr.perhaps
.refptr.perhaps:
	.quad	perhaps
	.weak	perhaps
	.globl	_fltused
