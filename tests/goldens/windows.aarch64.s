	.def	@feat.00;
	.scl	3;
	.type	0;
	.endef
	.globl	@feat.00
.set @feat.00, 0
	.file	"windows.ll"
	.def	preserved;
	.scl	2;
	.type	32;
	.endef
	.section	.text,"xr"
	.globl	preserved
	.p2align	2
preserved:
.seh_proc	preserved
	stp	x19, x20, [sp, #-32]!
	.seh_save_regp_x	x19, 32
	str	x30, [sp, #16]
	.seh_save_reg	x30, 16
	str	d8, [sp, #24]
	.seh_save_freg	d8, 24
	sub	sp, sp, #16
	.seh_stackalloc	16
	.seh_endprologue
	mov	w20, w1
	mov	w19, w0
	fmov	d8, d0
	mov	w2, w19
	fmov	d1, d8
	mov	w1, w20
	fmov	d0, d8
	mov	w0, w19
	bl	callee
	str	w0, [sp, #0]
	mov	w2, w20
	fmov	d1, d8
	mov	w1, w19
	fmov	d0, d8
	mov	w0, w20
	bl	callee
	ldr	w9, [sp, #0]
	add	w9, w9, w19
	add	w10, w0, w20
	scvtf	d16, w9
	scvtf	d17, w10
	fadd	d0, d8, d16
	fadd	d0, d0, d17
	.seh_startepilogue
	add	sp, sp, #16
	.seh_stackalloc	16
	ldr	d8, [sp, #24]
	.seh_save_freg	d8, 24
	ldr	x30, [sp, #16]
	.seh_save_reg	x30, 16
	ldp	x19, x20, [sp], #32
	.seh_save_regp_x	x19, 32
	.seh_endepilogue
	ret
	.seh_endproc
	.def	walked;
	.scl	2;
	.type	32;
	.endef
	.globl	walked
	.p2align	2
walked:
.seh_proc	walked
	str	x19, [sp, #-16]!
	.seh_save_reg_x	x19, 16
	stp	x29, x30, [sp, #-16]!
	.seh_save_regp_x	x29, 16
	add	x29, sp, #0
	.seh_set_fp
	sub	sp, sp, #48
	.seh_stackalloc	48
	.seh_endprologue
	str	x1, [sp, #40]
	mov	w19, w0
	add	x0, sp, #0
	bl	use
	cbnz	w19, .LBB1_56
	movz	w0, #3, lsl #0
	.seh_startepilogue
	add	sp, x29, #0
	.seh_set_fp
	ldp	x29, x30, [sp], #16
	.seh_save_regp_x	x29, 16
	ldr	x19, [sp], #16
	.seh_save_reg_x	x19, 16
	.seh_endepilogue
	ret
.LBB1_56:
	ldr	x0, [sp, #40]
	bl	take
	mov	w0, w19
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
	.def	variadic;
	.scl	2;
	.type	32;
	.endef
	.globl	variadic
	.p2align	2
variadic:
.seh_proc	variadic
	str	x30, [sp, #-16]!
	.seh_save_reg_x	x30, 16
	.seh_endprologue
	fmov	x1, d0
	bl	printf
	.seh_startepilogue
	ldr	x30, [sp], #16
	.seh_save_reg_x	x30, 16
	.seh_endepilogue
	ret
	.seh_endproc
	.def	sum;
	.scl	2;
	.type	32;
	.endef
	.globl	sum
	.p2align	2
sum:
.seh_proc	sum
	sub	sp, sp, #64
	.seh_stackalloc	64
	sub	sp, sp, #16
	.seh_stackalloc	16
	.seh_endprologue
	str	x1, [sp, #24]
	str	x2, [sp, #32]
	str	x3, [sp, #40]
	str	x4, [sp, #48]
	str	x5, [sp, #56]
	str	x6, [sp, #64]
	str	x7, [sp, #72]
	add	x9, sp, #24
	str	x9, [sp, #0]
	ldr	x9, [sp, #0]
	add	x10, x9, #8
	str	x10, [sp, #0]
	ldr	d0, [x9, #0]
	.seh_startepilogue
	add	sp, sp, #16
	.seh_stackalloc	16
	add	sp, sp, #64
	.seh_stackalloc	64
	.seh_endepilogue
	ret
	.seh_endproc
	.def	imports;
	.scl	2;
	.type	32;
	.endef
	.globl	imports
	.p2align	2
imports:
.seh_proc	imports
	str	x30, [sp, #-16]!
	.seh_save_reg_x	x30, 16
	.seh_endprologue
	adrp	x16, __imp_imported
	ldr	x16, [x16, :lo12:__imp_imported]
	blr	x16
	adrp	x9, __imp_imported_data
	ldr	x9, [x9, :lo12:__imp_imported_data]
	ldr	w9, [x9, #0]
	add	w0, w0, w9
	adrp	x16, .refptr.perhaps
	ldr	x16, [x16, :lo12:.refptr.perhaps]
	blr	x16
	.seh_startepilogue
	ldr	x30, [sp], #16
	.seh_save_reg_x	x30, 16
	.seh_endepilogue
	ret
	.seh_endproc
	.def	of_the_thread;
	.scl	2;
	.type	32;
	.endef
	.globl	of_the_thread
	.p2align	2
of_the_thread:
	adrp	x17, _tls_index
	ldr	w17, [x17, :lo12:_tls_index]
	ldr	x9, [x18, #88]
	ldr	x9, [x9, x17, lsl #3]
	add	x9, x9, :secrel_hi12:counter
	add	x9, x9, :secrel_lo12:counter
	ldr	w0, [x9, #0]
	ret
	.def	guarded;
	.scl	2;
	.type	32;
	.endef
	.globl	guarded
	.p2align	2
guarded:
.seh_proc	guarded
	str	x30, [sp, #-16]!
	.seh_save_reg_x	x30, 16
	sub	sp, sp, #32
	.seh_stackalloc	32
	.seh_endprologue
	adrp	x15, __security_cookie
	ldr	x15, [x15, :lo12:__security_cookie]
	str	x15, [sp, #24]
	add	x0, sp, #8
	bl	use
	adrp	x9, __security_cookie
	ldr	x9, [x9, :lo12:__security_cookie]
	ldr	x17, [sp, #24]
	subs	xzr, x9, x17
	b.ne	.LBB6_60
	.seh_startepilogue
	add	sp, sp, #32
	.seh_stackalloc	32
	ldr	x30, [sp], #16
	.seh_save_reg_x	x30, 16
	.seh_endepilogue
	ret
.LBB6_60:
	ldr	x0, [sp, #24]
	bl	__security_check_cookie
	brk	#1
	.seh_endproc
	.def	chain;
	.scl	2;
	.type	32;
	.endef
	.globl	chain
	.p2align	2
chain:
.seh_proc	chain
	str	x30, [sp, #-16]!
	.seh_save_reg_x	x30, 16
	mov	x9, x15
	.seh_nop
	movz	w15, #1250, lsl #0
	.seh_nop
	bl	__chkstk
	.seh_nop
	mov	x17, x15
	.seh_nop
	mov	x15, x9
	.seh_nop
	sub	sp, sp, x17, uxtx #4
	.seh_stackalloc	20000
	.seh_endprologue
	str	x15, [sp, #0]
	add	x0, sp, #0
	bl	use
	.seh_startepilogue
	movz	w17, #20000, lsl #0
	.seh_nop
	add	sp, sp, x17, uxtx #0
	.seh_stackalloc	20000
	ldr	x30, [sp], #16
	.seh_save_reg_x	x30, 16
	.seh_endepilogue
	ret
	.seh_endproc
	.section	.tls$,"dw"
	.globl	counter
	.p2align	2
counter:
	.long	0x5
	.section	.rdata$.refptr.perhaps,"dr",discard,.refptr.perhaps
	.p2align	3
	.globl	.refptr.perhaps
.refptr.perhaps:
	.quad	perhaps
	.weak	perhaps
	.globl	_fltused
