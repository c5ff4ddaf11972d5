	.syntax	unified
	.file	"windows_arm.ll"
	.def	large_frame;
	.scl	2;
	.type	32;
	.endef
	.section	.text,"xr"
	.globl	large_frame
	.p2align	2
	.thumb
	.thumb_func
large_frame:
.seh_proc	large_frame
	push	{r4, lr}
	.seh_save_regs	{r4, lr}
	movw	r4, #2500
	.seh_nop_w
	bl	__chkstk
	.seh_nop_w
	sub	sp, sp, r4
	.seh_stackalloc_w	10000
	.seh_endprologue
	mov.w	r1, #1
	strb	r1, [sp, #0]
	add	r1, sp, #0
	ldrb	r0, [r1, r0]
	.seh_startepilogue
	movw	lr, #10000
	.seh_nop_w
	add	sp, lr
	.seh_stackalloc	10000
	ldm	sp!, {r4, pc}
	.seh_save_regs_w	{r4, lr}
	.seh_endepilogue
	.seh_endproc
	.def	dynamic;
	.scl	2;
	.type	32;
	.endef
	.globl	dynamic
	.p2align	2
	.thumb
	.thumb_func
dynamic:
.seh_proc	dynamic
	push	{r4}
	.seh_save_regs	{r4}
	stmdb	sp!, {r11, lr}
	.seh_save_regs_w	{r11, lr}
	mov	r11, sp
	.seh_save_sp	r11
	sub	sp, #20
	.seh_stackalloc	20
	.seh_endprologue
	str	r1, [r11, #-20]
	vstr	d0, [r11, #-12]
	mov	r4, r0
	sub	r12, sp, r4
	lsr	r0, r12, #3
	lsl	r0, r0, #3
	mov	r12, sp
$MBB1_34:
	sub.w	r12, r12, #4096
	cmp	r12, r0
	bls.n	$MBB1_48
	str	r12, [r12, #0]
	b.n	$MBB1_34
$MBB1_48:
	mov	sp, r0
	bl	use
	vldr	d0, [r11, #-12]
	ldr	r0, [r11, #-20]
	vstr	d0, [r0, #0]
	mov	r0, r4
	.seh_startepilogue
	mov	sp, r11
	.seh_save_sp	r11
	ldm	sp!, {r11, lr}
	.seh_save_regs_w	{r11, lr}
	pop	{r4}
	.seh_save_regs	{r4}
	bx	lr
	.seh_nop
	.seh_endepilogue
	.seh_endproc
	.def	packed;
	.scl	2;
	.type	32;
	.endef
	.globl	packed
	.p2align	2
	.thumb
	.thumb_func
packed:
.seh_proc	packed
	stmdb	sp!, {r11, lr}
	.seh_save_regs_w	{r11, lr}
	mov	r11, sp
	.seh_nop
	sub	sp, #40
	.seh_stackalloc	40
	.seh_endprologue
	str	r1, [sp, #32]
	str	r0, [sp, #24]
	add	r0, sp, #0
	bl	use
	ldr	r0, [sp, #24]
	ldr	r1, [sp, #32]
	adds	r0, r0, r1
	.seh_startepilogue
	add	sp, #40
	.seh_stackalloc	40
	ldm	sp!, {r11, pc}
	.seh_save_regs_w	{r11, lr}
	.seh_endepilogue
	.seh_endproc
	.def	packed_floats;
	.scl	2;
	.type	32;
	.endef
	.globl	packed_floats
	.p2align	2
	.thumb
	.thumb_func
packed_floats:
.seh_proc	packed_floats
	push	{lr}
	.seh_save_regs	{lr}
	sub	sp, #12
	.seh_stackalloc	12
	.seh_endprologue
	vstr	d0, [sp, #0]
	mov.w	r0, #0
	bl	use
	vldr	d0, [sp, #0]
	.seh_startepilogue
	add	sp, #12
	.seh_stackalloc	12
	ldr	pc, [sp], #4
	.seh_save_regs_w	{lr}
	.seh_endepilogue
	.seh_endproc
	.def	divide;
	.scl	2;
	.type	32;
	.endef
	.globl	divide
	.p2align	2
	.thumb
	.thumb_func
divide:
.seh_proc	divide
	push	{lr}
	.seh_save_regs	{lr}
	sub	sp, #4
	.seh_stackalloc	4
	.seh_endprologue
	mov	lr, r0
	mov	r0, r1
	mov	r1, lr
	cbnz	r0, $MBB4_14
	udf	#249
$MBB4_14:
	bl	__rt_sdiv
	.seh_startepilogue
	add	sp, #4
	.seh_stackalloc	4
	ldr	pc, [sp], #4
	.seh_save_regs_w	{lr}
	.seh_endepilogue
	.seh_endproc
	.def	rest;
	.scl	2;
	.type	32;
	.endef
	.globl	rest
	.p2align	2
	.thumb
	.thumb_func
rest:
.seh_proc	rest
	push	{r4, r5, r6, r7, lr}
	.seh_save_regs	{r4, r5, r6, r7, lr}
	sub	sp, #4
	.seh_stackalloc	4
	.seh_endprologue
	mov	r7, r3
	mov	r6, r2
	mov	r5, r1
	mov	r4, r0
	mov	r3, r5
	mov	r2, r4
	mov	r1, r7
	mov	r0, r6
	orrs	r12, r0, r1
	bne.n	$MBB5_28
	udf	#249
$MBB5_28:
	bl	__rt_udiv64
	umull	r2, r3, r0, r6
	mla	r0, r0, r7, r3
	mla	r0, r6, r1, r0
	subs	r1, r4, r2
	sbc	r0, r5, r0
	mov	lr, r1
	mov	r1, r0
	mov	r0, lr
	.seh_startepilogue
	add	sp, #4
	.seh_stackalloc	4
	ldm	sp!, {r4, r5, r6, r7, pc}
	.seh_save_regs_w	{r4, r5, r6, r7, lr}
	.seh_endepilogue
	.seh_endproc
	.def	convert;
	.scl	2;
	.type	32;
	.endef
	.globl	convert
	.p2align	2
	.thumb
	.thumb_func
convert:
.seh_proc	convert
	push	{lr}
	.seh_save_regs	{lr}
	sub	sp, #4
	.seh_stackalloc	4
	.seh_endprologue
	bl	__dtoi64
	.seh_startepilogue
	add	sp, #4
	.seh_stackalloc	4
	ldr	pc, [sp], #4
	.seh_save_regs_w	{lr}
	.seh_endepilogue
	.seh_endproc
	.def	leave;
	.scl	2;
	.type	32;
	.endef
	.globl	leave
	.p2align	2
	.thumb
	.thumb_func
leave:
.seh_proc	leave
	push	{lr}
	.seh_save_regs	{lr}
	sub	sp, #12
	.seh_stackalloc	12
	.seh_endprologue
	str	r0, [sp, #0]
	mov.w	r0, #0
	bl	use
	ldr	r0, [sp, #0]
	.seh_startepilogue
	add	sp, #12
	.seh_stackalloc	12
	ldr	lr, [sp], #4
	.seh_save_regs_w	{lr}
	movw	r12, :lower16:__imp_imported
	.seh_nop_w
	movt	r12, :upper16:__imp_imported
	.seh_nop_w
	ldr	r12, [r12, #0]
	.seh_nop_w
	bx	r12
	.seh_nop
	.seh_endepilogue
	.seh_endproc
	.globl	_fltused
