	.file	"patterns.ll"
	.section	.text,"ax",@progbits
	.globl	little
	.p2align	4
	.type	little,@function
little:
	.cfi_startproc
	movl 4(%esp), %eax
	movl (%eax), %eax
	retl
	.size	little, .-little
	.cfi_endproc
	.globl	big
	.p2align	4
	.type	big,@function
big:
	.cfi_startproc
	movl 4(%esp), %eax
	movzwl (%eax), %eax
	rolw $8, %ax
	retl
	.size	big, .-big
	.cfi_endproc
	.globl	put_big
	.p2align	4
	.type	put_big,@function
put_big:
	.cfi_startproc
	movl 8(%esp), %eax
	bswapl %eax
	movl 4(%esp), %ecx
	movl %eax, (%ecx)
	retl
	.size	put_big, .-put_big
	.cfi_endproc
	.globl	apart
	.p2align	4
	.type	apart,@function
apart:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	movl 8(%esp), %ebx
	movzbl (%ebx), %eax
	movl 0xc(%esp), %ecx
	movb $1, (%ecx)
	movzbl %al, %eax
	movzbl 1(%ebx), %ecx
	shll $8, %ecx
	orl %ecx, %eax
	.cfi_remember_state
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	apart, .-apart
	.cfi_endproc
	.globl	volatile
	.p2align	4
	.type	volatile,@function
volatile:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	movl 8(%esp), %ebx
	movzbl (%ebx), %eax
	movzbl %al, %eax
	movzbl 1(%ebx), %ecx
	shll $8, %ecx
	orl %ecx, %eax
	.cfi_remember_state
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	volatile, .-volatile
	.cfi_endproc
	.globl	both
	.p2align	4
	.type	both,@function
both:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	movl 8(%esp), %ebx
	movl $-0x33333333, %eax
	mull %ebx
	shrl $3, %edx
	imull $0xa, %edx, %eax
	subl %eax, %ebx
	shll $4, %edx
	orl %ebx, %edx
	movl %edx, %eax
	.cfi_remember_state
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	both, .-both
	.cfi_endproc
	.globl	both_wide
	.p2align	4
	.type	both_wide,@function
both_wide:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	pushl %ebp
	.cfi_def_cfa_offset 12
	.cfi_offset 5, -12
	pushl %esi
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	pushl %edi
	.cfi_def_cfa_offset 20
	.cfi_offset 7, -20
	subl $0x1c, %esp
	.cfi_def_cfa_offset 48
	movl 0x30(%esp), %ebx
	movl 0x34(%esp), %esi
	movl 0x38(%esp), %edi
	movl 0x3c(%esp), %ebp
	movl %ebx, (%esp)
	movl %esi, 4(%esp)
	movl %edi, 8(%esp)
	movl %ebp, 0xc(%esp)
	calll __divdi3@PLT
	movl %edx, %ecx
	movl %eax, 0x10(%esp)
	movl 0x10(%esp), %eax
	mull %edi
	imull 0x10(%esp), %ebp
	addl %ebp, %edx
	imull %ecx, %edi
	addl %edi, %edx
	subl %eax, %ebx
	sbbl %edx, %esi
	xorl 0x10(%esp), %ebx
	xorl %esi, %ecx
	movl %ebx, %eax
	movl %ecx, %edx
	.cfi_remember_state
	addl $0x1c, %esp
	.cfi_def_cfa_offset 20
	popl %edi
	.cfi_def_cfa_offset 16
	popl %esi
	.cfi_def_cfa_offset 12
	popl %ebp
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	both_wide, .-both_wide
	.cfi_endproc
	.globl	power
	.p2align	4
	.type	power,@function
power:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	movl 0xc(%esp), %ebx
	movl %ebx, %eax
	sarl $0x1f, %eax
	shrl $0x1c, %eax
	addl 8(%esp), %eax
	adcl $0, %ebx
	movl %ebx, %ecx
	sarl $0x1f, %ecx
	shrdl $4, %ebx, %eax
	shrdl $4, %ecx, %ebx
	xorl %ecx, %ecx
	subl %eax, %ecx
	movl $0, %edx
	sbbl %ebx, %edx
	movl %ecx, %eax
	.cfi_remember_state
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	power, .-power
	.cfi_endproc
	.globl	product
	.p2align	4
	.type	product,@function
product:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	subl $0x18, %esp
	.cfi_def_cfa_offset 32
	movl 0x24(%esp), %ebx
	movl 0x20(%esp), %eax
	shrdl $3, %ebx, %eax
	shrl $3, %ebx
	movl %eax, %ecx
	movl %ecx, %eax
	movl %ebx, (%esp)
	movl $-0x1cac0831, %ebx
	mull %ebx
	movl %edx, %eax
	movl %eax, %ebx
	movl %ecx, %eax
	movl %ebx, 8(%esp)
	movl $0x20c49ba5, %ebx
	mull %ebx
	addl 8(%esp), %eax
	adcl $0, %edx
	movl %edx, %ecx
	movl %eax, %ebx
	movl (%esp), %eax
	movl %ecx, 0x10(%esp)
	movl $-0x1cac0831, %ecx
	mull %ecx
	addl %ebx, %eax
	adcl $0, %edx
	movl %edx, %eax
	movl %eax, %ecx
	movl (%esp), %eax
	movl $0x20c49ba5, %ebx
	mull %ebx
	addl 0x10(%esp), %eax
	adcl $0, %edx
	addl %ecx, %eax
	adcl $0, %edx
	shrdl $4, %edx, %eax
	shrl $4, %edx
	.cfi_remember_state
	addl $0x18, %esp
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	product, .-product
	.cfi_endproc
	.globl	bit
	.p2align	4
	.type	bit,@function
bit:
	.cfi_startproc
	testl $0x100, 8(%esp)
	movl 0x14(%esp), %eax
	cmovel 0xc(%esp), %eax
	movl 0x18(%esp), %ecx
	cmovel 0x10(%esp), %ecx
	movl %ecx, %edx
	retl
	.size	bit, .-bit
	.cfi_endproc
	.globl	variable_bit
	.p2align	4
	.type	variable_bit,@function
variable_bit:
	.cfi_startproc
	movl 0xc(%esp), %ecx
	movl $1, %eax
	xorl %edx, %edx
	shldl %cl, %eax, %edx
	shll %cl, %eax
	testb $0x20, %cl
	cmovnel %eax, %edx
	movl $0, %ecx
	cmovnel %ecx, %eax
	andl 4(%esp), %eax
	andl 8(%esp), %edx
	orl %edx, %eax
	movl 0x14(%esp), %ecx
	testl %eax, %eax
	movl 0x18(%esp), %edx
	cmovnel %ecx, %edx
	movl %edx, %eax
	retl
	.size	variable_bit, .-variable_bit
	.cfi_endproc
	.globl	shifted_bit
	.p2align	4
	.type	shifted_bit,@function
shifted_bit:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	pushl %esi
	.cfi_def_cfa_offset 12
	.cfi_offset 6, -12
	movl 0xc(%esp), %ebx
	movl 0x10(%esp), %esi
	btl %esi, %ebx
	jae .LBB11_20
	movl %ebx, %eax
	.cfi_remember_state
	popl %esi
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
.LBB11_20:
	movl %esi, %eax
	.cfi_remember_state
	popl %esi
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	shifted_bit, .-shifted_bit
	.cfi_endproc
	.globl	highest
	.p2align	4
	.type	highest,@function
highest:
	.cfi_startproc
	bsrl 4(%esp), %eax
	retl
	.size	highest, .-highest
	.cfi_endproc
	.globl	neighbours
	.p2align	4
	.type	neighbours,@function
neighbours:
	.cfi_startproc
	movl 4(%esp), %eax
	shll $1, %eax
	leal table(,%eax,4), %eax
	movl (%eax), %ecx
	subl 4(%eax), %ecx
	movl %ecx, %eax
	retl
	.size	neighbours, .-neighbours
	.cfi_endproc
	.globl	sum
	.p2align	4
	.type	sum,@function
sum:
	.cfi_startproc
	subl $0xc, %esp
	.cfi_def_cfa_offset 16
	movsd 0x10(%esp), %xmm6
	movsd 0x18(%esp), %xmm5
	movsd 0x20(%esp), %xmm4
	mulsd %xmm5, %xmm6
	subsd %xmm6, %xmm4
	addsd %xmm4, %xmm6
	movsd %xmm6, (%esp)
	fldl (%esp)
	.cfi_remember_state
	addl $0xc, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	sum, .-sum
	.cfi_endproc
	.globl	difference
	.p2align	4
	.type	difference,@function
difference:
	.cfi_startproc
	subl $0xc, %esp
	.cfi_def_cfa_offset 16
	movsd 0x10(%esp), %xmm6
	movsd 0x18(%esp), %xmm5
	movsd 0x20(%esp), %xmm4
	mulsd %xmm5, %xmm6
	subsd %xmm6, %xmm4
	movsd %xmm4, (%esp)
	fldl (%esp)
	.cfi_remember_state
	addl $0xc, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	difference, .-difference
	.cfi_endproc
	.section	.rodata.cst16,"aM",@progbits,16
	.p2align	4
.LCPI0:
	.ascii	"UUUUUUUUUUUUUUUU"
	.p2align	4
.LCPI1:
	.ascii	"3333333333333333"
	.p2align	4
.LCPI2:
	.quad	0xf0f0f0f0f0f0f0f, 0xf0f0f0f0f0f0f0f
	.p2align	4
.LCPI3:
	.quad	0x3f0000003f, 0x3f0000003f
	.section	.text,"ax",@progbits
	.globl	population
	.p2align	4
	.type	population,@function
population:
	.cfi_startproc
	movaps %xmm0, %xmm1
	psrld $1, %xmm1
	pand .LCPI0, %xmm1
	psubd %xmm1, %xmm0
	movaps %xmm0, %xmm1
	psrld $2, %xmm1
	pand .LCPI1, %xmm0
	pand .LCPI1, %xmm1
	paddd %xmm1, %xmm0
	movaps %xmm0, %xmm1
	psrld $4, %xmm1
	paddd %xmm1, %xmm0
	pand .LCPI2, %xmm0
	movaps %xmm0, %xmm1
	psrld $0x10, %xmm1
	paddd %xmm1, %xmm0
	movaps %xmm0, %xmm1
	psrld $8, %xmm1
	paddd %xmm1, %xmm0
	pand .LCPI3, %xmm0
	retl
	.size	population, .-population
	.cfi_endproc
	.globl	widened
	.p2align	4
	.type	widened,@function
widened:
	.cfi_startproc
	movl 4(%esp), %eax
	addl 0xc(%esp), %eax
	movl 8(%esp), %edx
	adcl $0, %edx
	retl
	.size	widened, .-widened
	.cfi_endproc
	.globl	chosen
	.p2align	4
	.type	chosen,@function
chosen:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	movl 8(%esp), %ebx
	movl %ebx, %eax
	shrl $1, %eax
	movl %eax, %ecx
	xorl $-0x12477ce0, %ecx
	testb $1, %bl
	movl %ecx, %edx
	cmovel %eax, %edx
	movl %edx, %eax
	.cfi_remember_state
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	chosen, .-chosen
	.cfi_endproc
	.section	.rodata.cst16,"aM",@progbits,16
	.p2align	4
.LCPI4:
	.quad	0x8000000000000000, 0x8000000000000000
	.section	.text,"ax",@progbits
	.globl	negated
	.p2align	4
	.type	negated,@function
negated:
	.cfi_startproc
	subl $0xc, %esp
	.cfi_def_cfa_offset 16
	movsd 0x10(%esp), %xmm6
	movsd 0x18(%esp), %xmm5
	movsd 0x20(%esp), %xmm4
	xorps .LCPI4, %xmm6
	mulsd %xmm5, %xmm6
	addsd %xmm4, %xmm6
	movsd %xmm6, (%esp)
	fldl (%esp)
	.cfi_remember_state
	addl $0xc, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	negated, .-negated
	.cfi_endproc
	.globl	space
	.p2align	4
	.type	space,@function
space:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	movl 8(%esp), %ebx
	leal -9(%ebx), %eax
	cmpl $0x17, %eax
	ja .LBB20_29
	movl $0x800013, %ecx
	btl %eax, %ecx
	jb .LBB20_25
	jmp .LBB20_29
.LBB20_25:
	movl %ebx, %eax
	.cfi_remember_state
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
.LBB20_29:
	xorl %eax, %eax
	.cfi_remember_state
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	space, .-space
	.cfi_endproc
	.globl	far_bits
	.p2align	4
	.type	far_bits,@function
far_bits:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	pushl %esi
	.cfi_def_cfa_offset 12
	.cfi_offset 6, -12
	movl 0x10(%esp), %ebx
	movl 0xc(%esp), %eax
	movl 0x10000000(%eax), %esi
	testl %ebx, %esi
	je .LBB21_25
	movl %esi, %eax
	.cfi_remember_state
	popl %esi
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
.LBB21_25:
	movl %ebx, %eax
	.cfi_remember_state
	popl %esi
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	far_bits, .-far_bits
	.cfi_endproc
	.globl	far_word
	.p2align	4
	.type	far_word,@function
far_word:
	.cfi_startproc
	movl 4(%esp), %eax
	movl 0x10000000(%eax), %eax
	retl
	.size	far_word, .-far_word
	.cfi_endproc
	.globl	far_element
	.p2align	4
	.type	far_element,@function
far_element:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	movl 8(%esp), %ebx
	movl 0x10000000(%ebx), %eax
	movl %eax, %ecx
	orl $1, %ecx
	movzbl (%ebx,%eax,2), %eax
	movzbl (%ebx,%ecx,2), %ecx
	xorl %ecx, %eax
	.cfi_remember_state
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	far_element, .-far_element
	.cfi_endproc
	.globl	far_piece
	.p2align	4
	.type	far_piece,@function
far_piece:
	.cfi_startproc
	movl 4(%esp), %eax
	movzbl 0x10000000(%eax), %eax
	movl 8(%esp), %ecx
	movb %al, (%ecx)
	retl
	.size	far_piece, .-far_piece
	.cfi_endproc
	.globl	nested_sum
	.p2align	4
	.type	nested_sum,@function
nested_sum:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	pushl %ebp
	.cfi_def_cfa_offset 12
	.cfi_offset 5, -12
	pushl %esi
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	pushl %edi
	.cfi_def_cfa_offset 20
	.cfi_offset 7, -20
	subl $0x1c, %esp
	.cfi_def_cfa_offset 48
	movl $0, (%esp)
	movl $0, 8(%esp)
	xorl %edi, %edi
	xorl %ebx, %ebx
.LBB25_26:
	xorl %ebp, %ebp
	xorl %esi, %esi
.LBB25_30:
	movl 0x30(%esp), %eax
	movzwl (%eax,%ebp,2), %ecx
	leal (%ecx,%ecx,2), %ecx
	movzwl %cx, %ecx
	addl %ecx, %edi
	adcl $0, %ebx
	addl $1, %ebp
	adcl $0, %esi
	movl %ebp, %ecx
	movl 0x3c(%esp), %edx
	xorl %edx, %ecx
	movl %esi, %eax
	xorl 0x40(%esp), %eax
	orl %eax, %ecx
	jne .LBB25_30
	addl $1, (%esp)
	adcl $0, 8(%esp)
	movl (%esp), %eax
	xorl 0x34(%esp), %eax
	movl 8(%esp), %ecx
	xorl 0x38(%esp), %ecx
	orl %ecx, %eax
	jne .LBB25_26
	movl %edi, %eax
	movl %ebx, %edx
	.cfi_remember_state
	addl $0x1c, %esp
	.cfi_def_cfa_offset 20
	popl %edi
	.cfi_def_cfa_offset 16
	popl %esi
	.cfi_def_cfa_offset 12
	popl %ebp
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	nested_sum, .-nested_sum
	.cfi_endproc
	.globl	neighbours_32
	.p2align	4
	.type	neighbours_32,@function
neighbours_32:
	.cfi_startproc
	movl 4(%esp), %eax
	shll $1, %eax
	leal table(,%eax,4), %eax
	movl (%eax), %ecx
	subl 4(%eax), %ecx
	movl %ecx, %eax
	retl
	.size	neighbours_32, .-neighbours_32
	.cfi_endproc
	.globl	nested_sum_32
	.p2align	4
	.type	nested_sum_32,@function
nested_sum_32:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	pushl %ebp
	.cfi_def_cfa_offset 12
	.cfi_offset 5, -12
	pushl %esi
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	pushl %edi
	.cfi_def_cfa_offset 20
	.cfi_offset 7, -20
	subl $0xc, %esp
	.cfi_def_cfa_offset 32
	movl 0x28(%esp), %edi
	movl $0, (%esp)
	xorl %esi, %esi
	xorl %ebp, %ebp
.LBB27_22:
	xorl %ebx, %ebx
.LBB27_24:
	movl 0x20(%esp), %eax
	movzwl (%eax,%ebx,2), %ecx
	leal (%ecx,%ecx,2), %ecx
	movzwl %cx, %ecx
	addl %ecx, %esi
	adcl $0, %ebp
	addl $1, %ebx
	cmpl %edi, %ebx
	jne .LBB27_24
	addl $1, (%esp)
	movl (%esp), %ecx
	cmpl 0x24(%esp), %ecx
	jne .LBB27_22
	movl %esi, %eax
	movl %ebp, %edx
	.cfi_remember_state
	addl $0xc, %esp
	.cfi_def_cfa_offset 20
	popl %edi
	.cfi_def_cfa_offset 16
	popl %esi
	.cfi_def_cfa_offset 12
	popl %ebp
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	nested_sum_32, .-nested_sum_32
	.cfi_endproc
	.globl	chosen_sum
	.p2align	4
	.type	chosen_sum,@function
chosen_sum:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	pushl %ebp
	.cfi_def_cfa_offset 12
	.cfi_offset 5, -12
	pushl %esi
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	pushl %edi
	.cfi_def_cfa_offset 20
	.cfi_offset 7, -20
	movl 0x14(%esp), %ebx
	movl 0x1c(%esp), %ebp
	movl 0x18(%esp), %edi
	xorl %esi, %esi
.LBB28_18:
	movl numbers(,%esi,8), %eax
	movl %edi, %ecx
	addl $7, %ecx
	movl %ebp, %edx
	adcl $0, %edx
	testb $4, %al
	cmovel %edi, %ecx
	cmovel %ebp, %edx
	movl %ecx, %edi
	movl %edx, %ebp
	addl $1, %esi
	cmpl %ebx, %esi
	jne .LBB28_18
	movl %edi, %eax
	movl %ebp, %edx
	.cfi_remember_state
	popl %edi
	.cfi_def_cfa_offset 16
	popl %esi
	.cfi_def_cfa_offset 12
	popl %ebp
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	chosen_sum, .-chosen_sum
	.cfi_endproc
	.globl	changed_if
	.p2align	4
	.type	changed_if,@function
changed_if:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	pushl %esi
	.cfi_def_cfa_offset 12
	.cfi_offset 6, -12
	movl 0xc(%esp), %ebx
	movl 0x10(%esp), %esi
	movl %ebx, %eax
	shrl $1, %eax
	movl %eax, %ecx
	xorl $-0x12477ce0, %ecx
	testb $1, %bl
	movl %ecx, %edx
	cmovel %eax, %edx
	movl %edx, %eax
	subl %esi, %eax
	cmpw $0, 0x14(%esp)
	movl %edx, %ecx
	cmovll %eax, %ecx
	leal 1(%ecx), %eax
	cmpl %esi, %ecx
	movl %ecx, %edx
	cmovbl %eax, %edx
	movl %edx, %eax
	.cfi_remember_state
	popl %esi
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	changed_if, .-changed_if
	.cfi_endproc
	.section	.bss,"aw",@nobits
	.type	table,@object
	.globl	table
	.p2align	4
table:
	.zero	256
	.size	table, 256
	.type	numbers,@object
	.p2align	4
numbers:
	.zero	128
	.size	numbers, 128
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
