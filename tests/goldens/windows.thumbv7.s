	.syntax	unified
	.file	"windows.ll"
	.def	preserved;
	.scl	2;
	.type	32;
	.endef
	.section	.text,"xr"
	.globl	preserved
	.p2align	2
	.thumb
	.thumb_func
preserved:
.seh_proc	preserved
	push	{r4, r5, lr}
	.seh_save_regs	{r4, r5, lr}
	vstmdb	sp!, {d8}
	.seh_save_fregs	{d8}
	sub	sp, #12
	.seh_stackalloc	12
	.seh_endprologue
	mov	r5, r1
	mov	r4, r0
	vmov.f64	d8, d0
	mov	r2, r4
	vmov.f64	d1, d8
	mov	r1, r5
	vmov.f64	d0, d8
	mov	r0, r4
	bl	callee
	str	r0, [sp, #0]
	mov	r2, r5
	vmov.f64	d1, d8
	mov	r1, r4
	vmov.f64	d0, d8
	mov	r0, r5
	bl	callee
	ldr	r1, [sp, #0]
	adds	r1, r1, r4
	adds	r0, r0, r5
	vmov	s14, r1
	vcvt.f64.s32	d0, s14
	vmov	s14, r0
	vcvt.f64.s32	d1, s14
	vadd.f64	d0, d8, d0
	vadd.f64	d0, d0, d1
	.seh_startepilogue
	add	sp, #12
	.seh_stackalloc	12
	vldmia	sp!, {d8}
	.seh_save_fregs	{d8}
	ldm	sp!, {r4, r5, pc}
	.seh_save_regs_w	{r4, r5, lr}
	.seh_endepilogue
	.seh_endproc
	.def	walked;
	.scl	2;
	.type	32;
	.endef
	.globl	walked
	.p2align	2
	.thumb
	.thumb_func
walked:
.seh_proc	walked
	stmdb	sp!, {r4, r11, lr}
	.seh_save_regs_w	{r4, r11, lr}
	add.w	r11, sp, #4
	.seh_nop_w
	sub	sp, #52
	.seh_stackalloc	52
	.seh_endprologue
	str	r1, [sp, #40]
	mov	r4, r0
	add	r0, sp, #0
	bl	use
	cbnz	r4, $MBB1_32
	mov.w	r0, #3
	.seh_startepilogue
	add	sp, #52
	.seh_stackalloc	52
	ldm	sp!, {r4, r11, pc}
	.seh_save_regs_w	{r4, r11, lr}
	.seh_endepilogue
$MBB1_32:
	ldr	r0, [sp, #40]
	bl	take
	mov	r0, r4
	.seh_startepilogue
	add	sp, #52
	.seh_stackalloc	52
	ldm	sp!, {r4, r11, pc}
	.seh_save_regs_w	{r4, r11, lr}
	.seh_endepilogue
	.seh_endproc
	.def	variadic;
	.scl	2;
	.type	32;
	.endef
	.globl	variadic
	.p2align	2
	.thumb
	.thumb_func
variadic:
.seh_proc	variadic
	push	{lr}
	.seh_save_regs	{lr}
	sub	sp, #12
	.seh_stackalloc	12
	.seh_endprologue
	vstr	d0, [sp, #0]
	ldr	r2, [sp, #0]
	ldr	r3, [sp, #4]
	bl	printf
	.seh_startepilogue
	add	sp, #12
	.seh_stackalloc	12
	ldr	pc, [sp], #4
	.seh_save_regs_w	{lr}
	.seh_endepilogue
	.seh_endproc
	.def	sum;
	.scl	2;
	.type	32;
	.endef
	.globl	sum
	.p2align	2
	.thumb
	.thumb_func
sum:
.seh_proc	sum
	sub	sp, #12
	.seh_stackalloc	12
	sub	sp, #20
	.seh_stackalloc	20
	.seh_endprologue
	str	r1, [sp, #20]
	str	r2, [sp, #24]
	str	r3, [sp, #28]
	add	r0, sp, #20
	str	r0, [sp, #0]
	ldr	r0, [sp, #0]
	adds	r0, r0, #7
	bic	r0, r0, #7
	add.w	r1, r0, #8
	str	r1, [sp, #0]
	ldr	r12, [r0, #0]
	vmov	s0, r12
	ldr	r12, [r0, #4]
	vmov	s1, r12
	vstr	d0, [sp, #8]
	ldr	r1, [sp, #12]
	ldr	r0, [sp, #8]
	.seh_startepilogue
	add	sp, #20
	.seh_stackalloc	20
	add	sp, #12
	.seh_stackalloc	12
	bx	lr
	.seh_nop
	.seh_endepilogue
	.seh_endproc
	.def	imports;
	.scl	2;
	.type	32;
	.endef
	.globl	imports
	.p2align	2
	.thumb
	.thumb_func
imports:
.seh_proc	imports
	push	{lr}
	.seh_save_regs	{lr}
	sub	sp, #4
	.seh_stackalloc	4
	.seh_endprologue
	movw	r12, :lower16:__imp_imported
	movt	r12, :upper16:__imp_imported
	ldr	r12, [r12, #0]
	blx	r12
	movw	r1, :lower16:__imp_imported_data
	movt	r1, :upper16:__imp_imported_data
	ldr	r1, [r1, #0]
	ldr	r1, [r1, #0]
	adds	r0, r0, r1
	movw	r12, :lower16:.refptr.perhaps
	movt	r12, :upper16:.refptr.perhaps
	ldr	r12, [r12, #0]
	blx	r12
	.seh_startepilogue
	add	sp, #4
	.seh_stackalloc	4
	ldr	pc, [sp], #4
	.seh_save_regs_w	{lr}
	.seh_endepilogue
	.seh_endproc
	.def	of_the_thread;
	.scl	2;
	.type	32;
	.endef
	.globl	of_the_thread
	.p2align	2
	.thumb
	.thumb_func
of_the_thread:
	movw	r12, :lower16:_tls_index
	movt	r12, :upper16:_tls_index
	ldr	r12, [r12, #0]
	mrc	p15, #0, r0, c13, c0, #2
	ldr	r0, [r0, #44]
	ldr	r0, [r0, r12, lsl #2]
	ldr.w	r12, [pc, #8]
	add	r0, r12
	ldr	r0, [r0, #0]
	bx	lr
	.secrel32	counter
	.def	guarded;
	.scl	2;
	.type	32;
	.endef
	.globl	guarded
	.p2align	2
	.thumb
	.thumb_func
guarded:
.seh_proc	guarded
	push	{lr}
	.seh_save_regs	{lr}
	sub	sp, #20
	.seh_stackalloc	20
	.seh_endprologue
	movw	r3, :lower16:__security_cookie
	movt	r3, :upper16:__security_cookie
	ldr	r3, [r3, #0]
	str	r3, [sp, #16]
	add	r0, sp, #0
	bl	use
	movw	r0, :lower16:__security_cookie
	movt	r0, :upper16:__security_cookie
	ldr	r0, [r0, #0]
	ldr	lr, [sp, #16]
	cmp	r0, lr
	bne.n	$MBB6_46
	.seh_startepilogue
	add	sp, #20
	.seh_stackalloc	20
	ldr	pc, [sp], #4
	.seh_save_regs_w	{lr}
	.seh_endepilogue
$MBB6_46:
	ldr	r0, [sp, #16]
	bl	__security_check_cookie
	udf	#254
	.seh_endproc
	.def	chain;
	.scl	2;
	.type	32;
	.endef
	.globl	chain
	.p2align	2
	.thumb
	.thumb_func
chain:
.seh_proc	chain
	push	{r4, lr}
	.seh_save_regs	{r4, lr}
	vmov	d16, r12, r12
	.seh_nop_w
	movw	r4, #5000
	.seh_nop_w
	bl	__chkstk
	.seh_nop_w
	vmov	r12, lr, d16
	.seh_nop_w
	sub	sp, sp, r4
	.seh_stackalloc_w	20000
	.seh_endprologue
	mov	r3, r12
	str	r3, [sp, #0]
	add	r0, sp, #0
	bl	use
	.seh_startepilogue
	movw	lr, #20000
	.seh_nop_w
	add	sp, lr
	.seh_stackalloc	20000
	ldm	sp!, {r4, pc}
	.seh_save_regs_w	{r4, lr}
	.seh_endepilogue
	.seh_endproc
	.section	.tls$,"dw"
	.globl	counter
	.p2align	2
counter:
	.long	0x5
	.section	.rdata$.refptr.perhaps,"dr",discard,.refptr.perhaps
	.p2align	2
	.globl	.refptr.perhaps
.refptr.perhaps:
	.long	perhaps
	.weak	perhaps
	.globl	_fltused
