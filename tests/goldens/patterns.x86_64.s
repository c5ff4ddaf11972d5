	.file	"patterns.ll"
	.section	.text,"ax",@progbits
	.globl	little
	.p2align	4
	.type	little,@function
little:
	.cfi_startproc
	movl (%rdi), %eax
	retq
	.size	little, .-little
	.cfi_endproc
	.globl	big
	.p2align	4
	.type	big,@function
big:
	.cfi_startproc
	movzwl (%rdi), %eax
	rolw $8, %ax
	retq
	.size	big, .-big
	.cfi_endproc
	.globl	put_big
	.p2align	4
	.type	put_big,@function
put_big:
	.cfi_startproc
	bswapl %esi
	movl %esi, (%rdi)
	retq
	.size	put_big, .-put_big
	.cfi_endproc
	.globl	apart
	.p2align	4
	.type	apart,@function
apart:
	.cfi_startproc
	movzbl (%rdi), %eax
	movb $1, (%rsi)
	movzbl %al, %eax
	movzbl 1(%rdi), %ecx
	shll $8, %ecx
	orl %ecx, %eax
	retq
	.size	apart, .-apart
	.cfi_endproc
	.globl	volatile
	.p2align	4
	.type	volatile,@function
volatile:
	.cfi_startproc
	movzbl (%rdi), %eax
	movzbl %al, %eax
	movzbl 1(%rdi), %ecx
	shll $8, %ecx
	orl %ecx, %eax
	retq
	.size	volatile, .-volatile
	.cfi_endproc
	.globl	both
	.p2align	4
	.type	both,@function
both:
	.cfi_startproc
	movl %edi, %eax
	movl $-0x33333333, %ecx
	imulq %rcx, %rax
	shrq $0x23, %rax
	imull $0xa, %eax, %ecx
	subl %ecx, %edi
	shll $4, %eax
	orl %edi, %eax
	retq
	.size	both, .-both
	.cfi_endproc
	.globl	both_wide
	.p2align	4
	.type	both_wide,@function
both_wide:
	.cfi_startproc
	movq %rdi, %rax
	cqto
	idivq %rsi
	imulq %rax, %rsi
	subq %rsi, %rdi
	xorq %rdi, %rax
	retq
	.size	both_wide, .-both_wide
	.cfi_endproc
	.globl	power
	.p2align	4
	.type	power,@function
power:
	.cfi_startproc
	movq %rdi, %rax
	sarq $0x3f, %rax
	shrq $0x3c, %rax
	addq %rdi, %rax
	sarq $4, %rax
	negq %rax
	retq
	.size	power, .-power
	.cfi_endproc
	.globl	product
	.p2align	4
	.type	product,@function
product:
	.cfi_startproc
	movq %rdi, %rax
	shrq $3, %rax
	movabsq $0x20c49ba5e353f7cf, %rdx
	mulq %rdx
	shrq $4, %rdx
	movq %rdx, %rax
	retq
	.size	product, .-product
	.cfi_endproc
	.globl	bit
	.p2align	4
	.type	bit,@function
bit:
	.cfi_startproc
	btq $0x28, %rdi
	movq %rdx, %rax
	cmovaeq %rsi, %rax
	retq
	.size	bit, .-bit
	.cfi_endproc
	.globl	variable_bit
	.p2align	4
	.type	variable_bit,@function
variable_bit:
	.cfi_startproc
	btq %rsi, %rdi
	movl %ecx, %eax
	cmovbl %edx, %eax
	retq
	.size	variable_bit, .-variable_bit
	.cfi_endproc
	.globl	shifted_bit
	.p2align	4
	.type	shifted_bit,@function
shifted_bit:
	.cfi_startproc
	movl %esi, %r8d
	btl %r8d, %edi
	jae .LBB11_12
	movl %edi, %eax
	retq
.LBB11_12:
	movl %r8d, %eax
	retq
	.size	shifted_bit, .-shifted_bit
	.cfi_endproc
	.globl	highest
	.p2align	4
	.type	highest,@function
highest:
	.cfi_startproc
	bsrl %edi, %eax
	retq
	.size	highest, .-highest
	.cfi_endproc
	.globl	neighbours
	.p2align	4
	.type	neighbours,@function
neighbours:
	.cfi_startproc
	shlq $1, %rdi
	leaq table(%rip), %rax
	leaq (%rax,%rdi,4), %rax
	movl (%rax), %ecx
	subl 4(%rax), %ecx
	movl %ecx, %eax
	retq
	.size	neighbours, .-neighbours
	.cfi_endproc
	.globl	sum
	.p2align	4
	.type	sum,@function
sum:
	.cfi_startproc
	mulsd %xmm1, %xmm0
	subsd %xmm0, %xmm2
	addsd %xmm2, %xmm0
	retq
	.size	sum, .-sum
	.cfi_endproc
	.globl	difference
	.p2align	4
	.type	difference,@function
difference:
	.cfi_startproc
	mulsd %xmm1, %xmm0
	subsd %xmm0, %xmm2
	movaps %xmm2, %xmm0
	retq
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
	pand .LCPI0(%rip), %xmm1
	psubd %xmm1, %xmm0
	movaps %xmm0, %xmm1
	psrld $2, %xmm1
	pand .LCPI1(%rip), %xmm0
	pand .LCPI1(%rip), %xmm1
	paddd %xmm1, %xmm0
	movaps %xmm0, %xmm1
	psrld $4, %xmm1
	paddd %xmm1, %xmm0
	pand .LCPI2(%rip), %xmm0
	movaps %xmm0, %xmm1
	psrld $0x10, %xmm1
	paddd %xmm1, %xmm0
	movaps %xmm0, %xmm1
	psrld $8, %xmm1
	paddd %xmm1, %xmm0
	pand .LCPI3(%rip), %xmm0
	retq
	.size	population, .-population
	.cfi_endproc
	.globl	widened
	.p2align	4
	.type	widened,@function
widened:
	.cfi_startproc
	movl %esi, %eax
	leaq (%rdi,%rax), %rax
	retq
	.size	widened, .-widened
	.cfi_endproc
	.globl	chosen
	.p2align	4
	.type	chosen,@function
chosen:
	.cfi_startproc
	movl %edi, %eax
	shrl $1, %eax
	movl %eax, %ecx
	xorl $-0x12477ce0, %ecx
	testb $1, %dil
	movl %ecx, %edx
	cmovel %eax, %edx
	movl %edx, %eax
	retq
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
	xorps .LCPI4(%rip), %xmm0
	mulsd %xmm1, %xmm0
	addsd %xmm2, %xmm0
	retq
	.size	negated, .-negated
	.cfi_endproc
	.globl	space
	.p2align	4
	.type	space,@function
space:
	.cfi_startproc
	leal -9(%rdi), %eax
	cmpl $0x17, %eax
	ja .LBB20_23
	movl $0x800013, %ecx
	btl %eax, %ecx
	jb .LBB20_20
	jmp .LBB20_23
.LBB20_20:
	movl %edi, %eax
	retq
.LBB20_23:
	xorl %eax, %eax
	retq
	.size	space, .-space
	.cfi_endproc
	.globl	far_bits
	.p2align	4
	.type	far_bits,@function
far_bits:
	.cfi_startproc
	movl %esi, %r8d
	movl 0x10000000(%rdi), %edi
	testl %r8d, %edi
	je .LBB21_17
	movl %edi, %eax
	retq
.LBB21_17:
	movl %r8d, %eax
	retq
	.size	far_bits, .-far_bits
	.cfi_endproc
	.globl	far_word
	.p2align	4
	.type	far_word,@function
far_word:
	.cfi_startproc
	movq 0x10000000(%rdi), %rax
	retq
	.size	far_word, .-far_word
	.cfi_endproc
	.globl	far_element
	.p2align	4
	.type	far_element,@function
far_element:
	.cfi_startproc
	movl 0x10000000(%rdi), %eax
	movl %eax, %ecx
	orl $1, %ecx
	movslq %eax, %rax
	movslq %ecx, %rcx
	movzbl (%rdi,%rax,2), %eax
	movzbl (%rdi,%rcx,2), %ecx
	xorl %ecx, %eax
	retq
	.size	far_element, .-far_element
	.cfi_endproc
	.globl	far_piece
	.p2align	4
	.type	far_piece,@function
far_piece:
	.cfi_startproc
	movzbl 0x10000000(%rdi), %eax
	movb %al, (%rsi)
	retq
	.size	far_piece, .-far_piece
	.cfi_endproc
	.globl	nested_sum
	.p2align	4
	.type	nested_sum,@function
nested_sum:
	.cfi_startproc
	pushq %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	movq %rdx, %r9
	movq %rsi, %r8
	xorl %r10d, %r10d
	xorl %r11d, %r11d
.LBB25_13:
	xorl %ebx, %ebx
.LBB25_15:
	movzwl (%rdi,%rbx,2), %eax
	leal (%rax,%rax,2), %eax
	movzwl %ax, %eax
	addq %rax, %r11
	addq $1, %rbx
	cmpq %r9, %rbx
	jne .LBB25_15
	addq $1, %r10
	cmpq %r8, %r10
	jne .LBB25_13
	movq %r11, %rax
	.cfi_remember_state
	popq %rbx
	.cfi_def_cfa_offset 8
	retq
	.cfi_restore_state
	.size	nested_sum, .-nested_sum
	.cfi_endproc
	.globl	neighbours_32
	.p2align	4
	.type	neighbours_32,@function
neighbours_32:
	.cfi_startproc
	shll $1, %edi
	movslq %edi, %rax
	leaq table(%rip), %rcx
	movl (%rcx,%rax,4), %eax
	orl $1, %edi
	movslq %edi, %rcx
	leaq table(%rip), %rdx
	subl (%rdx,%rcx,4), %eax
	retq
	.size	neighbours_32, .-neighbours_32
	.cfi_endproc
	.globl	nested_sum_32
	.p2align	4
	.type	nested_sum_32,@function
nested_sum_32:
	.cfi_startproc
	pushq %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	movl %edx, %r9d
	movl %esi, %r8d
	xorl %r10d, %r10d
	xorl %r11d, %r11d
.LBB27_13:
	xorl %ebx, %ebx
.LBB27_15:
	movslq %ebx, %rax
	movzwl (%rdi,%rax,2), %eax
	leal (%rax,%rax,2), %eax
	movzwl %ax, %eax
	addq %rax, %r11
	addl $1, %ebx
	cmpl %r9d, %ebx
	jne .LBB27_15
	addl $1, %r10d
	cmpl %r8d, %r10d
	jne .LBB27_13
	movq %r11, %rax
	.cfi_remember_state
	popq %rbx
	.cfi_def_cfa_offset 8
	retq
	.cfi_restore_state
	.size	nested_sum_32, .-nested_sum_32
	.cfi_endproc
	.globl	chosen_sum
	.p2align	4
	.type	chosen_sum,@function
chosen_sum:
	.cfi_startproc
	movq %rsi, %r8
	movq %r8, %r9
	xorl %r8d, %r8d
.LBB28_9:
	movslq %r8d, %rax
	leaq numbers(%rip), %rcx
	movl (%rcx,%rax,8), %eax
	leaq 7(%r9), %rcx
	testb $4, %al
	movq %rcx, %rdx
	cmoveq %r9, %rdx
	movq %rdx, %r9
	addl $1, %r8d
	cmpl %edi, %r8d
	jne .LBB28_9
	movq %r9, %rax
	retq
	.size	chosen_sum, .-chosen_sum
	.cfi_endproc
	.globl	changed_if
	.p2align	4
	.type	changed_if,@function
changed_if:
	.cfi_startproc
	movl %edi, %eax
	shrl $1, %eax
	movl %eax, %ecx
	xorl $-0x12477ce0, %ecx
	testb $1, %dil
	movl %ecx, %r8d
	cmovel %eax, %r8d
	movl %r8d, %eax
	subl %esi, %eax
	testw %dx, %dx
	movl %r8d, %ecx
	cmovll %eax, %ecx
	leal 1(%rcx), %eax
	cmpl %esi, %ecx
	movl %ecx, %edx
	cmovbl %eax, %edx
	movl %edx, %eax
	retq
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
