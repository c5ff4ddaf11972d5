	.file	"threads.ll"
	.section	.text,"ax",@progbits
	.globl	all
	.p2align	4
	.type	all,@function
all:
	.cfi_startproc
	subq $8, %rsp
	.cfi_def_cfa_offset 16
	.byte	0x66
	leaq general@TLSGD(%rip), %rdi
	.byte	0x66,0x66,0x48
	callq __tls_get_addr@PLT
	movl (%rax), %eax
	movl %eax, (%rsp)
	leaq local@TLSLD(%rip), %rdi
	callq __tls_get_addr@PLT
	leaq local@DTPOFF(%rax), %rax
	movq %fs:0, %rcx
	addq initial@GOTTPOFF(%rip), %rcx
	movl (%rcx), %ecx
	movq %fs:0, %rdx
	leaq exec@TPOFF(%rdx), %rdx
	movl (%rsp), %esi
	addl (%rax), %esi
	addl (%rdx), %ecx
	leal (%rsi,%rcx), %eax
	.cfi_remember_state
	addq $8, %rsp
	.cfi_def_cfa_offset 8
	retq
	.cfi_restore_state
	.size	all, .-all
	.cfi_endproc
	.globl	atomics
	.p2align	4
	.type	atomics,@function
atomics:
	.cfi_startproc
	movq %rsi, %rax
	lock xaddq %rax, (%rdi)
	movq %rsi, %rcx
	xchgq %rcx, (%rdi)
	movq %rax, %rdx
	movq %rdx, %rax
	lock cmpxchgq %rcx, (%rdi)
	movq %rax, %rcx
	xchgq %rcx, (%rdi)
	mfence
	movq (%rdi), %rax
	retq
	.size	atomics, .-atomics
	.cfi_endproc
	.section	.tdata,"awT",@progbits
	.type	local,@tls_object
	.p2align	2
local:
	.long	0x5
	.size	local, 4
	.section	.tbss,"awT",@nobits
	.type	exec,@tls_object
	.p2align	2
exec:
	.zero	4
	.size	exec, 4
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
