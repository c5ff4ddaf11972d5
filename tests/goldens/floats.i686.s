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
	subl $0xc, %esp
	.cfi_def_cfa_offset 16
	movsd 0x10(%esp), %xmm6
	movsd 0x18(%esp), %xmm5
	movss 0x20(%esp), %xmm4
	mulsd %xmm5, %xmm6
	cvtss2sd %xmm4, %xmm0
	divsd %xmm0, %xmm6
	subsd .LCPI0, %xmm6
	xorps .LCPI1, %xmm6
	movsd %xmm6, (%esp)
	fldl (%esp)
	.cfi_remember_state
	addl $0xc, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	arithmetic, .-arithmetic
	.cfi_endproc
	.globl	compare
	.p2align	4
	.type	compare,@function
compare:
	.cfi_startproc
	movsd 4(%esp), %xmm6
	movsd 0xc(%esp), %xmm5
	ucomisd %xmm6, %xmm5
	jbe .LBB1_24
	movl $1, %eax
	retl
.LBB1_24:
	xorps %xmm0, %xmm0
	ucomisd %xmm0, %xmm6
	setneb %al
	setpb %cl
	orl %ecx, %eax
	movzbl %al, %eax
	retl
	.size	compare, .-compare
	.cfi_endproc
	.section	.rodata.cst16,"aM",@progbits,16
	.p2align	4
.LCPI2:
	.quad	0x4330000000000000, 0x4330000000000000
	.section	.text,"ax",@progbits
	.globl	convert
	.p2align	4
	.type	convert,@function
convert:
	.cfi_startproc
	subl $0x1c, %esp
	.cfi_def_cfa_offset 32
	movl 0x20(%esp), %eax
	movl %eax, (%esp)
	movl 0x24(%esp), %ecx
	movl %ecx, 4(%esp)
	fildll (%esp)
	fstpl 8(%esp)
	movsd 8(%esp), %xmm0
	movl 0x28(%esp), %eax
	movd %eax, %xmm1
	orps .LCPI2, %xmm1
	subsd .LCPI2, %xmm1
	addsd %xmm1, %xmm0
	movsd %xmm0, 0x10(%esp)
	fldl 0x10(%esp)
	.cfi_remember_state
	addl $0x1c, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	convert, .-convert
	.cfi_endproc
	.section	.rodata.cst4,"aM",@progbits,4
	.p2align	2
.LCPI3:
	.long	0x4f000000
	.section	.text,"ax",@progbits
	.globl	to_integer
	.p2align	4
	.type	to_integer,@function
to_integer:
	.cfi_startproc
	subl $0x2c, %esp
	.cfi_def_cfa_offset 48
	movsd 0x30(%esp), %xmm6
	movss 0x38(%esp), %xmm5
	movsd %xmm6, (%esp)
	fldl (%esp)
	fnstcww 0x10(%esp)
	movzwl 0x10(%esp), %ecx
	orl $0xc00, %ecx
	movw %cx, 0x12(%esp)
	fldcww 0x12(%esp)
	fistpll 8(%esp)
	fldcww 0x10(%esp)
	movl 0xc(%esp), %eax
	movl 8(%esp), %ecx
	movl %eax, 0x18(%esp)
	cvttss2si %xmm5, %edx
	movaps %xmm5, %xmm0
	subss .LCPI3, %xmm0
	cvttss2si %xmm0, %eax
	movl %ecx, 0x20(%esp)
	movl %edx, %ecx
	sarl $0x1f, %ecx
	andl %ecx, %eax
	orl %eax, %edx
	addl 0x20(%esp), %edx
	movl 0x18(%esp), %eax
	adcl $0, %eax
	xchgl %eax, %edx
	.cfi_remember_state
	addl $0x2c, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	to_integer, .-to_integer
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
