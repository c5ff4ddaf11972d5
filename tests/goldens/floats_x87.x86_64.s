	.file	"floats_x87.ll"
	.section	.text,"ax",@progbits
	.globl	long_double
	.p2align	4
	.type	long_double,@function
long_double:
	.cfi_startproc
	fldt 8(%rsp)
	fldt 0x18(%rsp)
	faddp
	fstpt -0x18(%rsp)
	fldt -0x18(%rsp)
	retq
	.size	long_double, .-long_double
	.cfi_endproc
	.globl	unused
	.p2align	4
	.type	unused,@function
unused:
	.cfi_startproc
	fldt (%rdi)
	fstpt -0x18(%rsp)
	retq
	.size	unused, .-unused
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
