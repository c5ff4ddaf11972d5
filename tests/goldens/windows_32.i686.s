	.def	@feat.00;
	.scl	3;
	.type	0;
	.endef
	.globl	@feat.00
.set @feat.00, 1
	.file	"windows_32.ll"
	.def	"_pops@12";
	.scl	2;
	.type	32;
	.endef
	.section	.text,"xr"
	.globl	"_pops@12"
	.p2align	4
"_pops@12":
	subl $0xc, %esp
	movl 0x10(%esp), %eax
	movl %eax, (%esp)
	movl 0x14(%esp), %ecx
	movl %ecx, 4(%esp)
	movl 0x18(%esp), %edx
	movl %edx, 8(%esp)
	calll "_callee@12"
	subl $0xc, %esp
	movl %eax, (%esp)
	calll *"__imp__imported@4"
	subl $4, %esp
	addl $0xc, %esp
	retl $0xc
	.def	"@fast@12";
	.scl	2;
	.type	32;
	.endef
	.globl	"@fast@12"
	.p2align	4
"@fast@12":
	subl $0x10, %esp
	movl %edx, 8(%esp)
	movl %ecx, (%esp)
	movl (%esp), %eax
	addl 8(%esp), %eax
	addl 0x14(%esp), %eax
	addl $0x10, %esp
	retl $4
	.def	_method;
	.scl	2;
	.type	32;
	.endef
	.globl	_method
	.p2align	4
_method:
	pushl %ebx
	subl $8, %esp
	movl %ecx, (%esp)
	movl 0x10(%esp), %ebx
	movl (%esp), %eax
	movl (%eax), %eax
	addl 0x14(%esp), %eax
	movl %eax, (%ebx)
	movl %ebx, %eax
	addl $8, %esp
	popl %ebx
	retl $8
	.def	_in_place;
	.scl	2;
	.type	32;
	.endef
	.globl	_in_place
	.p2align	4
_in_place:
	pushl %ebx
	subl $4, %esp
	movl 0xc(%esp), %ebx
	subl $0xc, %esp
	movl %ebx, (%esp)
	leal 4(%esp), %ecx
	calll _construct
	subl $4, %esp
	movl %ebx, 0xc(%esp)
	addl $4, %esp
	calll _take
	addl $8, %esp
	addl $4, %esp
	popl %ebx
	retl
	.def	_large_frame;
	.scl	2;
	.type	32;
	.endef
	.globl	_large_frame
	.p2align	4
_large_frame:
	pushl %eax
	leal -0x2000(%esp), %eax
LBB4_8:
	subl $0x1000, %esp
	orl $0, (%esp)
	cmpl %eax, %esp
	jne LBB4_8
	subl $0x710, %esp
	movl 0x2710(%esp), %eax
	leal 4(%esp), %eax
	movl %eax, (%esp)
	calll _use
	addl $0x2714, %esp
	retl
	.section	.rdata,"dr"
	.p2align	3
LCPI0:
	.quad	0x4000000000000000
	.def	"vectors@@12";
	.scl	2;
	.type	32;
	.endef
	.section	.text,"xr"
	.globl	"vectors@@12"
	.p2align	4
"vectors@@12":
	movaps %xmm0, %xmm1
	movsd LCPI0, %xmm2
	calll "sum@@24"
	retl
	.globl	__fltused
