	.file	"moves.ll"
	.section	.text,"ax",@progbits
	.globl	rotation
	.p2align	4
	.type	rotation,@function
rotation:
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
	xorl %esi, %esi
	movl $1, %edi
	movl $2, %ebp
	movl $3, %ebx
	movl $4, (%esp)
.LBB0_31:
	addl $1, %esi
	cmpl 0x20(%esp), %esi
	jae .LBB0_54
	xchgl %edi, %ebp
	xchgl %ebp, %ebx
	movl %ebx, %eax
	movl (%esp), %ebx
	movl %eax, (%esp)
	jmp .LBB0_31
.LBB0_54:
	xorl %ebp, %edi
	subl (%esp), %ebx
	imull %ebx, %edi
	movl %edi, %eax
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
	.size	rotation, .-rotation
	.cfi_endproc
	.globl	while
	.p2align	4
	.type	while,@function
while:
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
	movl 0x18(%esp), %esi
	xorl %edi, %edi
	xorl %ebp, %ebp
	jmp .LBB1_24
.LBB1_18:
	addl (%ebx,%edi,4), %ebp
	addl $1, %edi
.LBB1_24:
	cmpl %esi, %edi
	jl .LBB1_18
	movl %ebp, %eax
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
	.size	while, .-while
	.cfi_endproc
	.globl	used_behind
	.p2align	4
	.type	used_behind,@function
used_behind:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	pushl %esi
	.cfi_def_cfa_offset 12
	.cfi_offset 6, -12
	movl 0xc(%esp), %ebx
	xorl %esi, %esi
	jmp .LBB2_16
.LBB2_10:
	imull %ebx, %esi
	subl $5, %ebx
.LBB2_16:
	cmpl $7, %ebx
	jae .LBB2_10
	leal (%esi,%ebx), %eax
	.cfi_remember_state
	popl %esi
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	used_behind, .-used_behind
	.cfi_endproc
	.globl	choose
	.p2align	4
	.type	choose,@function
choose:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	movl 0xc(%esp), %ebx
	cmpl $0, 8(%esp)
	jne .LBB3_19
	movl $1, %eax
	jmp .LBB3_35
.LBB3_19:
	cmpl $9, %ebx
	jge .LBB3_28
	movl %ebx, %eax
	jmp .LBB3_35
.LBB3_28:
	imull 0x10(%esp), %ebx
	movl %ebx, %eax
	.cfi_remember_state
.LBB3_35:
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	choose, .-choose
	.cfi_endproc
	.globl	fib
	.p2align	4
	.type	fib,@function
fib:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	subl $0x18, %esp
	.cfi_def_cfa_offset 32
	movl 0x20(%esp), %ebx
	cmpl $2, %ebx
	jge .LBB4_17
	movl %ebx, %eax
	jmp .LBB4_47
.LBB4_17:
	leal -1(%ebx), %eax
	movl %eax, (%esp)
	calll fib
	movl %eax, 0x10(%esp)
	subl $2, %ebx
	movl %ebx, (%esp)
	calll fib
	addl 0x10(%esp), %eax
	.cfi_remember_state
.LBB4_47:
	addl $0x18, %esp
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	fib, .-fib
	.cfi_endproc
	.globl	turned
	.p2align	4
	.type	turned,@function
turned:
	.cfi_startproc
	subl $0x1c, %esp
	.cfi_def_cfa_offset 32
	movl 0x24(%esp), %eax
	movl %eax, (%esp)
	movl 0x20(%esp), %ecx
	movl %ecx, 4(%esp)
	calll callee@PLT
	.cfi_remember_state
	addl $0x1c, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	turned, .-turned
	.cfi_endproc
	.globl	given
	.p2align	4
	.type	given,@function
given:
	.cfi_startproc
	movl 4(%esp), %eax
	jmpl *%eax
	.size	given, .-given
	.cfi_endproc
	.globl	both
	.p2align	4
	.type	both,@function
both:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	subl $0x18, %esp
	.cfi_def_cfa_offset 32
	movl 0x20(%esp), %ebx
	testl %ebx, %ebx
	jne .LBB7_18
	movl 0x24(%esp), %eax
	jmp .LBB7_34
.LBB7_18:
	movl %ebx, (%esp)
	movl $7, 4(%esp)
	calll callee@PLT
	.cfi_remember_state
.LBB7_34:
	addl $0x18, %esp
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	both, .-both
	.cfi_endproc
	.globl	after_another
	.p2align	4
	.type	after_another,@function
after_another:
	.cfi_startproc
	subl $0xc, %esp
	.cfi_def_cfa_offset 16
	calll nothing@PLT
	.cfi_remember_state
	addl $0xc, %esp
	.cfi_def_cfa_offset 4
	{disp32} jmp nothing@PLT
	.cfi_restore_state
	.size	after_another, .-after_another
	.cfi_endproc
	.globl	extended
	.p2align	4
	.type	extended,@function
extended:
	.cfi_startproc
	subl $0x1c, %esp
	.cfi_def_cfa_offset 32
	movl 0x20(%esp), %eax
	movl %eax, (%esp)
	calll byte@PLT
	.cfi_remember_state
	addl $0x1c, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	extended, .-extended
	.cfi_endproc
	.globl	widened
	.p2align	4
	.type	widened,@function
widened:
	.cfi_startproc
	subl $0x1c, %esp
	.cfi_def_cfa_offset 32
	movl 0x20(%esp), %eax
	movl %eax, (%esp)
	calll any_byte@PLT
	.cfi_remember_state
	addl $0x1c, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	widened, .-widened
	.cfi_endproc
	.globl	unmarked
	.p2align	4
	.type	unmarked,@function
unmarked:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	subl $0x18, %esp
	.cfi_def_cfa_offset 32
	movl 0x20(%esp), %ebx
	movl %ebx, (%esp)
	movl %ebx, 4(%esp)
	calll callee@PLT
	.cfi_remember_state
	addl $0x18, %esp
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	unmarked, .-unmarked
	.cfi_endproc
	.globl	forbidden
	.p2align	4
	.type	forbidden,@function
forbidden:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	subl $0x18, %esp
	.cfi_def_cfa_offset 32
	movl 0x20(%esp), %ebx
	movl %ebx, (%esp)
	movl %ebx, 4(%esp)
	calll callee@PLT
	.cfi_remember_state
	addl $0x18, %esp
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	forbidden, .-forbidden
	.cfi_endproc
	.globl	result
	.p2align	4
	.type	result,@function
result:
	.cfi_startproc
	subl $0x1c, %esp
	.cfi_def_cfa_offset 32
	movl 0x20(%esp), %eax
	movl %eax, (%esp)
	calll filled@PLT
	.cfi_def_cfa_offset 28
	subl $4, %esp
	.cfi_def_cfa_offset 32
	.cfi_remember_state
	addl $0x1c, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	result, .-result
	.cfi_endproc
	.globl	argument
	.p2align	4
	.type	argument,@function
argument:
	.cfi_startproc
	subl $0x2c, %esp
	.cfi_def_cfa_offset 48
	movl 0x30(%esp), %eax
	movups (%eax), %xmm0
	movups %xmm0, (%esp)
	movl 0x10(%eax), %ecx
	movl %ecx, 0x10(%esp)
	calll copied@PLT
	.cfi_remember_state
	addl $0x2c, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	argument, .-argument
	.cfi_endproc
	.globl	on_the_stack
	.p2align	4
	.type	on_the_stack,@function
on_the_stack:
	.cfi_startproc
	subl $0x3c, %esp
	.cfi_def_cfa_offset 64
	movl $1, (%esp)
	movl $2, 4(%esp)
	movl $3, 8(%esp)
	movl $4, 0xc(%esp)
	movl $5, 0x10(%esp)
	movl $6, 0x14(%esp)
	movl $7, 0x18(%esp)
	movl $8, 0x1c(%esp)
	movl $9, 0x20(%esp)
	calll many@PLT
	.cfi_remember_state
	addl $0x3c, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	on_the_stack, .-on_the_stack
	.cfi_endproc
	.globl	changed
	.p2align	4
	.type	changed,@function
changed:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	subl $0x18, %esp
	.cfi_def_cfa_offset 32
	movl 0x20(%esp), %ebx
	movl %ebx, (%esp)
	movl %ebx, 4(%esp)
	calll callee@PLT
	addl $1, %eax
	.cfi_remember_state
	addl $0x18, %esp
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	changed, .-changed
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
