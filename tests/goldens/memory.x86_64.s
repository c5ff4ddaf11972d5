	.file	"memory.ll"
	.section	.text,"ax",@progbits
	.globl	globals
	.p2align	4
	.type	globals,@function
globals:
	.cfi_startproc
	movl counter(%rip), %eax
	movq elsewhere@GOTPCREL(%rip), %rcx
	addl (%rcx), %eax
	leaq table(%rip), %rcx
	addl (%rcx,%rdi,4), %eax
	movl %eax, counter(%rip)
	retq
	.size	globals, .-globals
	.cfi_endproc
	.globl	index
	.p2align	4
	.type	index,@function
index:
	.cfi_startproc
	movq 0x18(%rdi,%rsi,8), %rax
	imulq $0x18, %rsi, %rcx
	leaq (%rdi,%rcx), %rcx
	movslq %edx, %rdx
	movswq 4(%rcx,%rdx,2), %rcx
	addq %rcx, %rax
	retq
	.size	index, .-index
	.cfi_endproc
	.globl	blocks
	.p2align	4
	.type	blocks,@function
blocks:
	.cfi_startproc
	subq $0x28, %rsp
	.cfi_def_cfa_offset 48
	movups (%rdi), %xmm0
	movups %xmm0, (%rsp)
	movups 0x10(%rdi), %xmm0
	movups %xmm0, 0x10(%rsp)
	movq 0x20(%rdi), %rax
	movq %rax, 0x20(%rsp)
	movq %rsi, %rdx
	xorl %esi, %esi
	callq memset@PLT
	movq 0x10(%rsp), %rax
	.cfi_remember_state
	addq $0x28, %rsp
	.cfi_def_cfa_offset 8
	retq
	.cfi_restore_state
	.size	blocks, .-blocks
	.cfi_endproc
	.globl	updates
	.p2align	4
	.type	updates,@function
updates:
	.cfi_startproc
	subq %rsi, (%rdi)
	orb %dl, 8(%rdi)
	subq (%rdi), %rsi
	movq %rsi, (%rdi)
	retq
	.size	updates, .-updates
	.cfi_endproc
	.globl	rows
	.p2align	4
	.type	rows,@function
rows:
	.cfi_startproc
	movq %rsi, %r8
	andl $1, %edx
	testb %dl, %dl
	je .LBB4_16
	movl 0x20(%rdi,%r8,4), %eax
	retq
.LBB4_16:
	xorl %eax, %eax
	retq
	.size	rows, .-rows
	.cfi_endproc
	.section	.bss,"aw",@nobits
	.type	counter,@object
	.p2align	2
counter:
	.zero	4
	.size	counter, 4
	.section	.rodata,"a",@progbits
	.type	table,@object
	.globl	table
	.p2align	2
table:
	.quad	0x200000001, 0x400000003
	.size	table, 16
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
