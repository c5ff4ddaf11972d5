	.file	"calls.ll"
	.section	.text,"ax",@progbits
	.p2align	4
	.type	local,@function
local:
	.cfi_startproc
	movl 4(%esp), %eax
	addl $1, %eax
	movl 8(%esp), %edx
	adcl $0, %edx
	retl
	.size	local, .-local
	.cfi_endproc
	.globl	across
	.p2align	4
	.type	across,@function
across:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	pushl %esi
	.cfi_def_cfa_offset 12
	.cfi_offset 6, -12
	subl $0x24, %esp
	.cfi_def_cfa_offset 48
	movl 0x30(%esp), %ebx
	movl 0x34(%esp), %esi
	movl %ebx, (%esp)
	movl %esi, 4(%esp)
	calll local
	movl %eax, 0x10(%esp)
	movl %edx, 0x18(%esp)
	movl 0x38(%esp), %ecx
	movl %ecx, (%esp)
	movl 0x3c(%esp), %edx
	movl %edx, 4(%esp)
	calll unknown@PLT
	addl 0x10(%esp), %eax
	adcl 0x18(%esp), %edx
	addl %ebx, %eax
	adcl %esi, %edx
	.cfi_remember_state
	addl $0x24, %esp
	.cfi_def_cfa_offset 12
	popl %esi
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	across, .-across
	.cfi_endproc
	.globl	tail
	.p2align	4
	.type	tail,@function
tail:
	.cfi_startproc
	subl $0x1c, %esp
	.cfi_def_cfa_offset 32
	movl 0x20(%esp), %eax
	addl $5, %eax
	movl 0x24(%esp), %ecx
	adcl $0, %ecx
	movl %eax, (%esp)
	movl %ecx, 4(%esp)
	calll unknown@PLT
	.cfi_remember_state
	addl $0x1c, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	tail, .-tail
	.cfi_endproc
	.globl	structs
	.p2align	4
	.type	structs,@function
structs:
	.cfi_startproc
	subl $0x3c, %esp
	.cfi_def_cfa_offset 64
	leal 0x20(%esp), %eax
	movl %eax, (%esp)
	calll give@PLT
	.cfi_def_cfa_offset 60
	subl $4, %esp
	.cfi_def_cfa_offset 64
	movups 0x20(%esp), %xmm0
	movups %xmm0, (%esp)
	movl 0x30(%esp), %eax
	movl %eax, 0x10(%esp)
	movl 0x34(%esp), %eax
	movl %eax, 0x14(%esp)
	calll take@PLT
	.cfi_remember_state
	addl $0x3c, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	structs, .-structs
	.cfi_endproc
	.globl	variadic
	.p2align	4
	.type	variadic,@function
variadic:
	.cfi_startproc
	subl $0x1c, %esp
	.cfi_def_cfa_offset 32
	movsd 0x20(%esp), %xmm6
	movl $.Lformat, %eax
	movl %eax, (%esp)
	movl $3, 4(%esp)
	movsd %xmm6, 8(%esp)
	calll printf@PLT
	.cfi_remember_state
	addl $0x1c, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	variadic, .-variadic
	.cfi_endproc
	.globl	pair
	.p2align	4
	.type	pair,@function
pair:
	.cfi_startproc
	subl $0xc, %esp
	.cfi_def_cfa_offset 16
	movsd 0x18(%esp), %xmm6
	movsd %xmm6, (%esp)
	fldl (%esp)
	movl 0x10(%esp), %eax
	movl 0x14(%esp), %edx
	.cfi_remember_state
	addl $0xc, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	pair, .-pair
	.cfi_endproc
	.globl	many
	.p2align	4
	.type	many,@function
many:
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
	subl $0x4c, %esp
	.cfi_def_cfa_offset 96
	movl 0x90(%esp), %ebx
	movl 0x94(%esp), %esi
	movl 0x98(%esp), %edi
	movl 0x9c(%esp), %ebp
	movl %ebx, %eax
	addl %edi, %eax
	movl %esi, %ecx
	adcl %ebp, %ecx
	movl %edi, (%esp)
	movl %ebp, 4(%esp)
	movl %ebx, 8(%esp)
	movl %esi, 0xc(%esp)
	movl 0x88(%esp), %edx
	movl %edx, 0x10(%esp)
	movl 0x8c(%esp), %edx
	movl %edx, 0x14(%esp)
	movl 0x80(%esp), %edx
	movl %edx, 0x18(%esp)
	movl 0x84(%esp), %edx
	movl %edx, 0x1c(%esp)
	movl 0x78(%esp), %edx
	movl %edx, 0x20(%esp)
	movl 0x7c(%esp), %edx
	movl %edx, 0x24(%esp)
	movl 0x70(%esp), %edx
	movl %edx, 0x28(%esp)
	movl 0x74(%esp), %edx
	movl %edx, 0x2c(%esp)
	movl 0x68(%esp), %edx
	movl %edx, 0x30(%esp)
	movl 0x6c(%esp), %edx
	movl %edx, 0x34(%esp)
	movl %eax, 0x38(%esp)
	movl %ecx, 0x3c(%esp)
	calll many
	.cfi_remember_state
	addl $0x4c, %esp
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
	.size	many, .-many
	.cfi_endproc
	.globl	calls_what_pops
	.p2align	4
	.type	calls_what_pops,@function
calls_what_pops:
	.cfi_startproc
	pushl %ebp
	.cfi_def_cfa_offset 8
	.cfi_offset 5, -8
	movl %esp, %ebp
	.cfi_def_cfa_register 5
	subl $0x18, %esp
	calll pops@PLT
	subl $0xc, %esp
	calll pops@PLT
	subl $0xc, %esp
	.cfi_remember_state
	leavel
	.cfi_def_cfa 4, 4
	retl
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
