	.def	@feat.00;
	.scl	3;
	.type	0;
	.endef
	.globl	@feat.00
.set @feat.00, 0
	.file	"windows_arm64.ll"
	.def	large_frame;
	.scl	2;
	.type	32;
	.endef
	.section	.text,"xr"
	.globl	large_frame
	.p2align	2
large_frame:
.seh_proc	large_frame
	str	x30, [sp, #-16]!
	.seh_save_reg_x	x30, 16
	movz	w15, #625, lsl #0
	.seh_nop
	bl	__chkstk
	.seh_nop
	sub	sp, sp, x15, uxtx #4
	.seh_stackalloc	10000
	.seh_endprologue
	movz	w9, #1, lsl #0
	strb	w9, [sp, #0]
	add	x9, sp, #0
	ldrb	w0, [x9, x0]
	.seh_startepilogue
	movz	w17, #10000, lsl #0
	.seh_nop
	add	sp, sp, x17, uxtx #0
	.seh_stackalloc	10000
	ldr	x30, [sp], #16
	.seh_save_reg_x	x30, 16
	.seh_endepilogue
	ret
	.seh_endproc
	.def	dynamic;
	.scl	2;
	.type	32;
	.endef
	.globl	dynamic
	.p2align	2
dynamic:
.seh_proc	dynamic
	str	x19, [sp, #-16]!
	.seh_save_reg_x	x19, 16
	stp	x29, x30, [sp, #-16]!
	.seh_save_regp_x	x29, 16
	add	x29, sp, #0
	.seh_set_fp
	.seh_endprologue
	mov	x19, x0
	sub	x17, sp, x19, uxtx #0
	and	x9, x17, #0xfffffffffffffff0
	add	x17, sp, #0
.LBB1_28:
	sub	x17, x17, #1, lsl #12
	subs	xzr, x17, x9
	b.ls	.LBB1_48
	str	x17, [x17, #0]
	b	.LBB1_28
.LBB1_48:
	add	sp, x9, #0
	mov	x0, x9
	bl	use
	mov	x0, x19
	.seh_startepilogue
	add	sp, x29, #0
	.seh_set_fp
	ldp	x29, x30, [sp], #16
	.seh_save_regp_x	x29, 16
	ldr	x19, [sp], #16
	.seh_save_reg_x	x19, 16
	.seh_endepilogue
	ret
	.seh_endproc
	.def	keeps_more;
	.scl	2;
	.type	32;
	.endef
	.globl	keeps_more
	.p2align	2
keeps_more:
.seh_proc	keeps_more
	stp	x9, x10, [sp, #-64]!
	.seh_stackalloc	64
	stp	x11, x12, [sp, #16]
	.seh_nop
	stp	x13, x14, [sp, #32]
	.seh_nop
	str	x15, [sp, #48]
	.seh_nop
	str	x30, [sp, #56]
	.seh_save_reg	x30, 56
	sub	sp, sp, #80
	.seh_stackalloc	80
	.seh_endprologue
	str	w0, [sp, #64]
	add	x0, sp, #0
	bl	use
	ldr	w0, [sp, #64]
	.seh_startepilogue
	add	sp, sp, #80
	.seh_stackalloc	80
	ldr	x30, [sp, #56]
	.seh_save_reg	x30, 56
	ldr	x15, [sp, #48]
	.seh_nop
	ldp	x13, x14, [sp, #32]
	.seh_nop
	ldp	x11, x12, [sp, #16]
	.seh_nop
	ldp	x9, x10, [sp], #64
	.seh_stackalloc	64
	.seh_endepilogue
	ret
	.seh_endproc
	.def	signed;
	.scl	2;
	.type	32;
	.endef
	.globl	signed
	.p2align	2
signed:
.seh_proc	signed
	pacibsp
	.seh_pac_sign_lr
	stp	x29, x30, [sp, #-16]!
	.seh_save_regp_x	x29, 16
	add	x29, sp, #0
	.seh_set_fp
	.seh_endprologue
	bl	use
	.seh_startepilogue
	add	sp, x29, #0
	.seh_set_fp
	ldp	x29, x30, [sp], #16
	.seh_save_regp_x	x29, 16
	autibsp
	.seh_pac_sign_lr
	.seh_endepilogue
	ret
	.seh_endproc
