	.file	"calls.ll"
	.section	.text,"ax",@progbits
	.p2align	2
	.type	local,@function
local:
	.cfi_startproc
	add	x0, x0, #1
	ret
	.size	local, .-local
	.cfi_endproc
	.globl	across
	.p2align	2
	.type	across,@function
across:
	.cfi_startproc
	stp	x19, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 19, -16
	.cfi_offset 30, -8
	sub	sp, sp, #16
	.cfi_def_cfa_offset 32
	str	x1, [sp, #0]
	mov	x19, x0
	mov	x0, x19
	bl	local
	str	x0, [sp, #8]
	ldr	x0, [sp, #0]
	bl	unknown
	ldr	x9, [sp, #8]
	add	x0, x9, x0
	add	x0, x0, x19
	.cfi_remember_state
	add	sp, sp, #16
	.cfi_def_cfa_offset 16
	ldp	x19, x30, [sp], #16
	.cfi_def_cfa_offset 0
	ret
	.cfi_restore_state
	.size	across, .-across
	.cfi_endproc
	.globl	tail
	.p2align	2
	.type	tail,@function
tail:
	.cfi_startproc
	add	x0, x0, #5
	b	unknown
	.size	tail, .-tail
	.cfi_endproc
	.globl	structs
	.p2align	2
	.type	structs,@function
structs:
	.cfi_startproc
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	sub	sp, sp, #64
	.cfi_def_cfa_offset 80
	add	x8, sp, #32
	bl	give
	ldr	q16, [sp, #32]
	str	q16, [sp, #0]
	ldr	x9, [sp, #48]
	str	x9, [sp, #16]
	bl	take
	.cfi_remember_state
	add	sp, sp, #64
	.cfi_def_cfa_offset 16
	ldr	x30, [sp], #16
	.cfi_def_cfa_offset 0
	ret
	.cfi_restore_state
	.size	structs, .-structs
	.cfi_endproc
	.globl	variadic
	.p2align	2
	.type	variadic,@function
variadic:
	.cfi_startproc
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	adrp	x0, .Lformat
	add	x0, x0, :lo12:.Lformat
	movz	w1, #3, lsl #0
	bl	printf
	.cfi_remember_state
	ldr	x30, [sp], #16
	.cfi_def_cfa_offset 0
	ret
	.cfi_restore_state
	.size	variadic, .-variadic
	.cfi_endproc
	.globl	pair
	.p2align	2
	.type	pair,@function
pair:
	.cfi_startproc
	ret
	.size	pair, .-pair
	.cfi_endproc
	.globl	many
	.p2align	2
	.type	many,@function
many:
	.cfi_startproc
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	add	x9, x6, x7
	mov	x0, x7
	mov	x7, x9
	mov	x17, x1
	mov	x1, x6
	mov	x6, x17
	mov	x17, x2
	mov	x2, x5
	mov	x5, x17
	mov	x17, x3
	mov	x3, x4
	mov	x4, x17
	bl	many
	.cfi_remember_state
	ldr	x30, [sp], #16
	.cfi_def_cfa_offset 0
	ret
	.cfi_restore_state
	.size	many, .-many
	.cfi_endproc
	.globl	calls_what_pops
	.p2align	2
	.type	calls_what_pops,@function
calls_what_pops:
	.cfi_startproc
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 29, -16
	.cfi_offset 30, -8
	add	x29, sp, #0
	.cfi_def_cfa_register 29
	bl	pops
	bl	pops
	.cfi_remember_state
	add	sp, x29, #0
	ldp	x29, x30, [sp], #16
	.cfi_def_cfa 31, 0
	ret
	.cfi_restore_state
	.size	calls_what_pops, .-calls_what_pops
	.cfi_endproc
	.section	.rodata.str1.4,"aMS",@progbits,1
	.type	.Lformat,@object
	.p2align	2
.Lformat:
	.ascii	"%d %f\n\000"
	.size	.Lformat, 7
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
