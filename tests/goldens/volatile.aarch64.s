	.file	"volatile.ll"
	.section	.text,"ax",@progbits
	.globl	unused
	.p2align	2
	.type	unused,@function
unused:
	.cfi_startproc
	ldrb	w9, [x0, #0]
	ldr	x9, [x0, #0]
	ldp	x9, x10, [x0, #0]
	ldr	s16, [x0, #0]
	ldr	q16, [x0, #0]
	ldr	w9, [x0, #0]
	ldr	x9, [x0, #8]
	ret
	.size	unused, .-unused
	.cfi_endproc
	.globl	used_in_vain
	.p2align	2
	.type	used_in_vain,@function
used_in_vain:
	.cfi_startproc
	ldr	x9, [x0, #0]
	ldr	x9, [x0, #0]
	ldr	x0, [x0, #0]
	add	x0, x0, x9
	ret
	.size	used_in_vain, .-used_in_vain
	.cfi_endproc
	.globl	bit_field
	.p2align	2
	.type	bit_field,@function
bit_field:
	.cfi_startproc
	ldr	x9, [x0, #0]
	ldr	x9, [x0, #8]
	ldr	w10, [x0, #16]
	ldrb	w11, [x0, #20]
	orr	x10, x10, x11, lsl #32
	and	x10, x10, #0xffffffffff
	extr	x0, x10, x9, #21
	and	x0, x0, #0x1ffffffff
	ret
	.size	bit_field, .-bit_field
	.cfi_endproc
	.globl	set_bit_field
	.p2align	2
	.type	set_bit_field,@function
set_bit_field:
	.cfi_startproc
	ldr	x9, [x0, #0]
	ldr	x10, [x0, #8]
	ldr	w11, [x0, #16]
	ldrb	w8, [x0, #20]
	orr	x11, x11, x8, lsl #32
	and	x8, x1, #0x1ffffffff
	movz	w1, #0, lsl #0
	extr	x1, x1, x8, #43
	and	x10, x10, #0xffc00000001fffff
	orr	x10, x10, x8, lsl #21
	orr	x11, x11, x1
	str	x9, [x0, #0]
	str	x10, [x0, #8]
	str	w11, [x0, #16]
	ubfm	x9, x11, #32, #63
	strb	w9, [x0, #20]
	ret
	.size	set_bit_field, .-set_bit_field
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
