	.file	"calls.ll"
	.section	.text,"ax",@progbits
	.p2align	4
	.type	local,@function
local:
	.cfi_startproc
	leaq 1(%rdi), %rax
	retq
	.size	local, .-local
	.cfi_endproc
	.globl	across
	.p2align	4
	.type	across,@function
across:
	.cfi_startproc
	pushq %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	subq $0x10, %rsp
	.cfi_def_cfa_offset 32
	movq %rsi, (%rsp)
	movq %rdi, %rbx
	movq %rbx, %rdi
	callq local
	movq %rax, 8(%rsp)
	movq (%rsp), %rdi
	callq unknown@PLT
	addq 8(%rsp), %rax
	addq %rbx, %rax
	.cfi_remember_state
	addq $0x10, %rsp
	.cfi_def_cfa_offset 16
	popq %rbx
	.cfi_def_cfa_offset 8
	retq
	.cfi_restore_state
	.size	across, .-across
	.cfi_endproc
	.globl	tail
	.p2align	4
	.type	tail,@function
tail:
	.cfi_startproc
	addq $5, %rdi
	{disp32} jmp unknown@PLT
	.size	tail, .-tail
	.cfi_endproc
	.globl	structs
	.p2align	4
	.type	structs,@function
structs:
	.cfi_startproc
	subq $0x38, %rsp
	.cfi_def_cfa_offset 64
	leaq 0x20(%rsp), %rdi
	callq give@PLT
	movups 0x20(%rsp), %xmm0
	movups %xmm0, (%rsp)
	movq 0x30(%rsp), %rax
	movq %rax, 0x10(%rsp)
	callq take@PLT
	.cfi_remember_state
	addq $0x38, %rsp
	.cfi_def_cfa_offset 8
	retq
	.cfi_restore_state
	.size	structs, .-structs
	.cfi_endproc
	.globl	variadic
	.p2align	4
	.type	variadic,@function
variadic:
	.cfi_startproc
	subq $8, %rsp
	.cfi_def_cfa_offset 16
	movl $.Lformat, %edi
	movl $3, %esi
	movl $1, %eax
	callq printf@PLT
	.cfi_remember_state
	addq $8, %rsp
	.cfi_def_cfa_offset 8
	retq
	.cfi_restore_state
	.size	variadic, .-variadic
	.cfi_endproc
	.globl	pair
	.p2align	4
	.type	pair,@function
pair:
	.cfi_startproc
	movq %rdi, %rax
	retq
	.size	pair, .-pair
	.cfi_endproc
	.globl	many
	.p2align	4
	.type	many,@function
many:
	.cfi_startproc
	pushq %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	pushq %rbp
	.cfi_def_cfa_offset 24
	.cfi_offset 6, -24
	subq $0x18, %rsp
	.cfi_def_cfa_offset 48
	movq %rcx, %r11
	movq %rdx, %r10
	movq %rsi, %rdi
	movq 0x30(%rsp), %rbx
	movq 0x38(%rsp), %rbp
	leaq (%rbx,%rbp), %rax
	movq %rdi, (%rsp)
	movq %rax, 8(%rsp)
	movq %r8, %rcx
	movq %r11, %r8
	movq %r9, %rdx
	movq %r10, %r9
	movq %rbx, %rsi
	movq %rbp, %rdi
	callq many@PLT
	.cfi_remember_state
	addq $0x18, %rsp
	.cfi_def_cfa_offset 24
	popq %rbp
	.cfi_def_cfa_offset 16
	popq %rbx
	.cfi_def_cfa_offset 8
	retq
	.cfi_restore_state
	.size	many, .-many
	.cfi_endproc
	.globl	calls_what_pops
	.p2align	4
	.type	calls_what_pops,@function
calls_what_pops:
	.cfi_startproc
	pushq %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq %rsp, %rbp
	.cfi_def_cfa_register 6
	subq $0x10, %rsp
	callq pops@PLT
	subq $8, %rsp
	callq pops@PLT
	subq $8, %rsp
	.cfi_remember_state
	leaveq
	.cfi_def_cfa 7, 8
	retq
	.cfi_restore_state
	.size	calls_what_pops, .-calls_what_pops
	.cfi_endproc
	.section	.rodata.str1.1,"aMS",@progbits,1
	.type	.Lformat,@object
.Lformat:
	.ascii	"%d %f\n\000"
	.size	.Lformat, 7
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
