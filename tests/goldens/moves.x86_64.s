	.file	"moves.ll"
	.section	.text,"ax",@progbits
	.globl	rotation
	.p2align	4
	.type	rotation,@function
rotation:
	.cfi_startproc
	pushq %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	xorl %r8d, %r8d
	movl $1, %r9d
	movl $2, %r10d
	movl $3, %r11d
	movl $4, %ebx
	jmp .LBB0_43
.LBB0_29:
	movl %r9d, %eax
	movl %r10d, %r9d
	movl %r11d, %r10d
	movl %ebx, %r11d
	movl %eax, %ebx
.LBB0_43:
	addl $1, %r8d
	cmpl %edi, %r8d
	jb .LBB0_29
	xorl %r10d, %r9d
	subl %ebx, %r11d
	imull %r11d, %r9d
	movl %r9d, %eax
	.cfi_remember_state
	popq %rbx
	.cfi_def_cfa_offset 8
	retq
	.cfi_restore_state
	.size	rotation, .-rotation
	.cfi_endproc
	.globl	while
	.p2align	4
	.type	while,@function
while:
	.cfi_startproc
	movl %esi, %r8d
	xorl %r9d, %r9d
	xorl %r10d, %r10d
	jmp .LBB1_22
.LBB1_11:
	movslq %r9d, %rax
	addl (%rdi,%rax,4), %r10d
	addl $1, %r9d
.LBB1_22:
	cmpl %r8d, %r9d
	jl .LBB1_11
	movl %r10d, %eax
	retq
	.size	while, .-while
	.cfi_endproc
	.globl	used_behind
	.p2align	4
	.type	used_behind,@function
used_behind:
	.cfi_startproc
	xorl %r8d, %r8d
	jmp .LBB2_12
.LBB2_5:
	imull %edi, %r8d
	subl $5, %edi
.LBB2_12:
	cmpl $7, %edi
	jae .LBB2_5
	leal (%r8,%rdi), %eax
	retq
	.size	used_behind, .-used_behind
	.cfi_endproc
	.globl	choose
	.p2align	4
	.type	choose,@function
choose:
	.cfi_startproc
	movl %edx, %r9d
	movl %esi, %r8d
	testl %edi, %edi
	jne .LBB3_16
	movl $1, %eax
	retq
.LBB3_16:
	cmpl $9, %r8d
	jge .LBB3_26
	movl %r8d, %eax
	retq
.LBB3_26:
	imull %r9d, %r8d
	movl %r8d, %eax
	retq
	.size	choose, .-choose
	.cfi_endproc
	.globl	fib
	.p2align	4
	.type	fib,@function
fib:
	.cfi_startproc
	pushq %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	subq $0x10, %rsp
	.cfi_def_cfa_offset 32
	movl %edi, %ebx
	cmpl $2, %ebx
	jge .LBB4_16
	movl %ebx, %eax
	jmp .LBB4_38
.LBB4_16:
	leal -1(%rbx), %edi
	callq fib@PLT
	movl %eax, (%rsp)
	leal -2(%rbx), %edi
	callq fib@PLT
	addl (%rsp), %eax
	.cfi_remember_state
.LBB4_38:
	addq $0x10, %rsp
	.cfi_def_cfa_offset 16
	popq %rbx
	.cfi_def_cfa_offset 8
	retq
	.cfi_restore_state
	.size	fib, .-fib
	.cfi_endproc
	.globl	turned
	.p2align	4
	.type	turned,@function
turned:
	.cfi_startproc
	xchgq %rdi, %rsi
	{disp32} jmp callee@PLT
	.size	turned, .-turned
	.cfi_endproc
	.globl	given
	.p2align	4
	.type	given,@function
given:
	.cfi_startproc
	movq %rdi, %r11
	jmpq *%r11
	.size	given, .-given
	.cfi_endproc
	.globl	both
	.p2align	4
	.type	both,@function
both:
	.cfi_startproc
	movl %esi, %r8d
	testl %edi, %edi
	jne .LBB7_11
	movl %r8d, %eax
	retq
.LBB7_11:
	movl $7, %esi
	{disp32} jmp callee@PLT
	.size	both, .-both
	.cfi_endproc
	.globl	after_another
	.p2align	4
	.type	after_another,@function
after_another:
	.cfi_startproc
	subq $8, %rsp
	.cfi_def_cfa_offset 16
	callq nothing@PLT
	.cfi_remember_state
	addq $8, %rsp
	.cfi_def_cfa_offset 8
	{disp32} jmp nothing@PLT
	.cfi_restore_state
	.size	after_another, .-after_another
	.cfi_endproc
	.globl	extended
	.p2align	4
	.type	extended,@function
extended:
	.cfi_startproc
	{disp32} jmp byte@PLT
	.size	extended, .-extended
	.cfi_endproc
	.globl	widened
	.p2align	4
	.type	widened,@function
widened:
	.cfi_startproc
	{disp32} jmp any_byte@PLT
	.size	widened, .-widened
	.cfi_endproc
	.globl	unmarked
	.p2align	4
	.type	unmarked,@function
unmarked:
	.cfi_startproc
	subq $8, %rsp
	.cfi_def_cfa_offset 16
	movl %edi, %esi
	callq callee@PLT
	.cfi_remember_state
	addq $8, %rsp
	.cfi_def_cfa_offset 8
	retq
	.cfi_restore_state
	.size	unmarked, .-unmarked
	.cfi_endproc
	.globl	forbidden
	.p2align	4
	.type	forbidden,@function
forbidden:
	.cfi_startproc
	subq $8, %rsp
	.cfi_def_cfa_offset 16
	movl %edi, %esi
	callq callee@PLT
	.cfi_remember_state
	addq $8, %rsp
	.cfi_def_cfa_offset 8
	retq
	.cfi_restore_state
	.size	forbidden, .-forbidden
	.cfi_endproc
	.globl	result
	.p2align	4
	.type	result,@function
result:
	.cfi_startproc
	subq $8, %rsp
	.cfi_def_cfa_offset 16
	callq filled@PLT
	.cfi_remember_state
	addq $8, %rsp
	.cfi_def_cfa_offset 8
	retq
	.cfi_restore_state
	.size	result, .-result
	.cfi_endproc
	.globl	argument
	.p2align	4
	.type	argument,@function
argument:
	.cfi_startproc
	subq $0x28, %rsp
	.cfi_def_cfa_offset 48
	movups (%rdi), %xmm0
	movups %xmm0, (%rsp)
	movl 0x10(%rdi), %eax
	movl %eax, 0x10(%rsp)
	callq copied@PLT
	.cfi_remember_state
	addq $0x28, %rsp
	.cfi_def_cfa_offset 8
	retq
	.cfi_restore_state
	.size	argument, .-argument
	.cfi_endproc
	.globl	on_the_stack
	.p2align	4
	.type	on_the_stack,@function
on_the_stack:
	.cfi_startproc
	subq $0x28, %rsp
	.cfi_def_cfa_offset 48
	movl $7, (%rsp)
	movl $8, 8(%rsp)
	movl $9, 0x10(%rsp)
	movl $1, %edi
	movl $2, %esi
	movl $3, %edx
	movl $4, %ecx
	movl $5, %r8d
	movl $6, %r9d
	callq many@PLT
	.cfi_remember_state
	addq $0x28, %rsp
	.cfi_def_cfa_offset 8
	retq
	.cfi_restore_state
	.size	on_the_stack, .-on_the_stack
	.cfi_endproc
	.globl	changed
	.p2align	4
	.type	changed,@function
changed:
	.cfi_startproc
	subq $8, %rsp
	.cfi_def_cfa_offset 16
	movl %edi, %esi
	callq callee@PLT
	addl $1, %eax
	.cfi_remember_state
	addq $8, %rsp
	.cfi_def_cfa_offset 8
	retq
	.cfi_restore_state
	.size	changed, .-changed
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
