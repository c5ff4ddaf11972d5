	.file	"floats.ll"
	.section	.rodata.cst8,"aM",@progbits,8
	.p2align	3
.LCPI0:
	.quad	0x4004000000000000
	.section	.rodata.cst16,"aM",@progbits,16
	.p2align	4
.LCPI1:
	.quad	0x8000000000000000, 0x8000000000000000
	.section	.text,"ax",@progbits
	.globl	arithmetic
	.p2align	4
	.type	arithmetic,@function
arithmetic:
	.cfi_startproc
	mulsd %xmm1, %xmm0
	cvtss2sd %xmm2, %xmm1
	divsd %xmm1, %xmm0
	subsd .LCPI0(%rip), %xmm0
	xorps .LCPI1(%rip), %xmm0
	retq
	.size	arithmetic, .-arithmetic
	.cfi_endproc
	.globl	compare
	.p2align	4
	.type	compare,@function
compare:
	.cfi_startproc
	movaps %xmm0, %xmm7
	ucomisd %xmm7, %xmm1
	jbe .LBB1_15
	movl $1, %eax
	retq
.LBB1_15:
	xorps %xmm0, %xmm0
	ucomisd %xmm0, %xmm7
	setneb %al
	setpb %cl
	orb %cl, %al
	movzbl %al, %eax
	retq
	.size	compare, .-compare
	.cfi_endproc
	.globl	convert
	.p2align	4
	.type	convert,@function
convert:
	.cfi_startproc
	xorps %xmm0, %xmm0
	cvtsi2sdq %rdi, %xmm0
	movl %esi, %eax
	movl %eax, %eax
	xorps %xmm1, %xmm1
	cvtsi2sdq %rax, %xmm1
	addsd %xmm1, %xmm0
	retq
	.size	convert, .-convert
	.cfi_endproc
	.globl	to_integer
	.p2align	4
	.type	to_integer,@function
to_integer:
	.cfi_startproc
	cvttsd2si %xmm0, %rax
	cvttss2si %xmm1, %rcx
	movl %ecx, %ecx
	addq %rcx, %rax
	retq
	.size	to_integer, .-to_integer
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
