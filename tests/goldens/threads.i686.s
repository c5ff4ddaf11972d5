	.file	"threads.ll"
	.section	.text,"ax",@progbits
	.globl	all
	.p2align	4
	.type	all,@function
all:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	subl $0x18, %esp
	.cfi_def_cfa_offset 32
	calll .LBB0_9
	.cfi_def_cfa_offset 36
.LBB0_9:
	popl %ebx
	.cfi_def_cfa_offset 32
	addl $_GLOBAL_OFFSET_TABLE_+1, %ebx
	leal general@TLSGD(,%ebx), %eax
	calll ___tls_get_addr@PLT
	movl (%eax), %eax
	movl %eax, (%esp)
	leal local@TLSLDM(%ebx), %eax
	calll ___tls_get_addr@PLT
	leal local@DTPOFF(%eax), %eax
	movl %gs:0, %ecx
	addl initial@GOTNTPOFF(%ebx), %ecx
	movl (%ecx), %ecx
	movl %gs:0, %edx
	leal exec@NTPOFF(%edx), %edx
	movl %ecx, 8(%esp)
	movl (%esp), %ecx
	addl (%eax), %ecx
	movl 8(%esp), %eax
	addl (%edx), %eax
	leal (%ecx,%eax), %eax
	.cfi_remember_state
	addl $0x18, %esp
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	all, .-all
	.cfi_endproc
	.globl	atomics
	.p2align	4
	.type	atomics,@function
atomics:
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
	subl $0x7c, %esp
	.cfi_def_cfa_offset 144
	movl 0x90(%esp), %ebx
	movl 0x94(%esp), %edi
	movl 0x98(%esp), %ebp
	movl %edi, %eax
	movl %ebp, %ecx
	movl %ecx, 0x18(%esp)
	movl %eax, 0x20(%esp)
	movl %ebx, %esi
	movl 0x20(%esp), %eax
	movl 0x18(%esp), %edx
	movl %eax, (%esp)
	movl %edx, 4(%esp)
	movl %ebx, 0x10(%esp)
	movl (%esi), %eax
	movl 4(%esi), %edx
.LBB1_66:
	movl %eax, %ebx
	movl %edx, %ecx
	addl (%esp), %ebx
	adcl 4(%esp), %ecx
	lock cmpxchg8b (%esi)
	jne .LBB1_66
	movl 0x10(%esp), %ebx
	movl %edx, %ecx
	movl %ecx, 0x48(%esp)
	movl %eax, 0x50(%esp)
	movl %ebx, %esi
	movl %edi, %eax
	movl %ebp, %edx
	movl %eax, 0x30(%esp)
	movl %edx, 0x34(%esp)
	movl %ebx, 0x40(%esp)
	movl (%esi), %eax
	movl 4(%esi), %edx
.LBB1_120:
	movl 0x30(%esp), %ebx
	movl 0x34(%esp), %ecx
	lock cmpxchg8b (%esi)
	jne .LBB1_120
	movl 0x40(%esp), %ebx
	movl 0x50(%esp), %ecx
	movl 0x48(%esp), %esi
	movl %esi, %edi
	movl %edx, %ebp
	movl %ecx, 0x60(%esp)
	movl %eax, 0x68(%esp)
	movl %ebx, %esi
	movl 0x60(%esp), %eax
	movl %edi, %edx
	movl %ebp, %ecx
	movl %ebx, 0x58(%esp)
	movl 0x68(%esp), %ebx
	lock cmpxchg8b (%esi)
	movl 0x58(%esp), %ebx
	seteb %cl
	movd %eax, %xmm0
	movd %edx, %xmm1
	punpckldq %xmm1, %xmm0
	movsd %xmm0, (%ebx)
	mfence
	mfence
	movsd (%ebx), %xmm0
	movd %xmm0, %eax
	pshufd $0x55, %xmm0, %xmm0
	movd %xmm0, %ecx
	movl %ecx, %edx
	.cfi_remember_state
	addl $0x7c, %esp
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
