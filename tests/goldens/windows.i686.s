	.def	@feat.00;
	.scl	3;
	.type	0;
	.endef
	.globl	@feat.00
.set @feat.00, 1
	.file	"windows.ll"
	.def	_preserved;
	.scl	2;
	.type	32;
	.endef
	.section	.text,"xr"
	.globl	_preserved
	.p2align	4
_preserved:
	pushl %ebx
	pushl %esi
	subl $0x2c, %esp
	movl 0x40(%esp), %ebx
	movl 0x44(%esp), %esi
	movl %ebx, (%esp)
	movsd 0x38(%esp), %xmm0
	movsd %xmm0, 4(%esp)
	movl %esi, 0xc(%esp)
	movsd %xmm0, 0x10(%esp)
	movl %ebx, 0x18(%esp)
	calll _callee
	movl %eax, 0x1c(%esp)
	movl %esi, (%esp)
	movsd 0x38(%esp), %xmm0
	movsd %xmm0, 4(%esp)
	movl %ebx, 0xc(%esp)
	movsd %xmm0, 0x10(%esp)
	movl %esi, 0x18(%esp)
	calll _callee
	addl 0x1c(%esp), %ebx
	addl %esi, %eax
	xorps %xmm0, %xmm0
	cvtsi2sdl %ebx, %xmm0
	xorps %xmm1, %xmm1
	cvtsi2sdl %eax, %xmm1
	addsd 0x38(%esp), %xmm0
	addsd %xmm1, %xmm0
	movsd %xmm0, 0x24(%esp)
	fldl 0x24(%esp)
	addl $0x2c, %esp
	popl %esi
	popl %ebx
	retl
	.def	_walked;
	.scl	2;
	.type	32;
	.endef
	.globl	_walked
	.p2align	4
_walked:
	pushl %ebp
	movl %esp, %ebp
	pushl %ebx
	subl $0x2c, %esp
	movl 8(%ebp), %ebx
	leal -0x2c(%ebp), %eax
	movl %eax, (%esp)
	calll _use
	testl %ebx, %ebx
	jne LBB1_36
	movl $3, %eax
	leal -4(%ebp), %esp
	popl %ebx
	popl %ebp
	retl
LBB1_36:
	movl 0xc(%ebp), %eax
	movl %eax, (%esp)
	calll _take
	movl %ebx, %eax
	leal -4(%ebp), %esp
	popl %ebx
	popl %ebp
	retl
	.def	_variadic;
	.scl	2;
	.type	32;
	.endef
	.globl	_variadic
	.p2align	4
_variadic:
	subl $0xc, %esp
	movsd 0x14(%esp), %xmm6
	movl 0x10(%esp), %eax
	movl %eax, (%esp)
	movsd %xmm6, 4(%esp)
	calll _printf
	addl $0xc, %esp
	retl
	.def	_sum;
	.scl	2;
	.type	32;
	.endef
	.globl	_sum
	.p2align	4
_sum:
	subl $0x10, %esp
	leal 0x18(%esp), %eax
	movl %eax, (%esp)
	movl (%esp), %eax
	leal 8(%eax), %ecx
	movl %ecx, (%esp)
	movsd (%eax), %xmm0
	movsd %xmm0, 8(%esp)
	fldl 8(%esp)
	addl $0x10, %esp
	retl
	.def	_imports;
	.scl	2;
	.type	32;
	.endef
	.globl	_imports
	.p2align	4
_imports:
	subl $4, %esp
	movl 8(%esp), %eax
	movl %eax, (%esp)
	calll *__imp__imported
	movl __imp__imported_data, %ecx
	addl (%ecx), %eax
	movl %eax, (%esp)
	calll *.refptr._perhaps
	addl $4, %esp
	retl
	.def	_of_the_thread;
	.scl	2;
	.type	32;
	.endef
	.globl	_of_the_thread
	.p2align	4
_of_the_thread:
	movl __tls_index, %eax
	movl %fs:0x2c, %ecx
	movl (%ecx,%eax,4), %ecx
	leal _counter@SECREL32(%ecx), %ecx
	movl (%ecx), %eax
	retl
	.def	_guarded;
	.scl	2;
	.type	32;
	.endef
	.globl	_guarded
	.p2align	4
_guarded:
	subl $0x18, %esp
	movl ___security_cookie, %edx
	movl %edx, 0x14(%esp)
	xorl %esp, 0x14(%esp)
	leal 4(%esp), %eax
	movl %eax, (%esp)
	calll _use
	movl ___security_cookie, %eax
	xorl %esp, %eax
	cmpl 0x14(%esp), %eax
	jne LBB6_46
	addl $0x18, %esp
	retl
LBB6_46:
	movl 0x14(%esp), %ecx
	xorl %esp, %ecx
	calll @__security_check_cookie@4
	int3
	.def	_chain;
	.scl	2;
	.type	32;
	.endef
	.globl	_chain
	.p2align	4
_chain:
	pushl %eax
	leal -0x4000(%esp), %eax
LBB7_8:
	subl $0x1000, %esp
	orl $0, (%esp)
	cmpl %eax, %esp
	jne LBB7_8
	subl $0xe20, %esp
	movl 0x4e20(%esp), %eax
	movl %ecx, 4(%esp)
	leal 4(%esp), %eax
	movl %eax, (%esp)
	calll _use
	addl $0x4e24, %esp
	retl
	.section	.tls$,"dw"
	.globl	_counter
	.p2align	2
_counter:
	.long	0x5
	.section	.rdata$.refptr._perhaps,"dr",discard,.refptr._perhaps
	.p2align	2
	.globl	.refptr._perhaps
.refptr._perhaps:
	.long	_perhaps
	.weak	_perhaps
	.globl	__fltused
