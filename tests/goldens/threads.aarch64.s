	.file	"threads.ll"
	.section	.text,"ax",@progbits
	.globl	all
	.p2align	2
	.type	all,@function
all:
	.cfi_startproc
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	sub	sp, sp, #16
	.cfi_def_cfa_offset 32
	adrp	x0, :tlsdesc:general
	ldr	x1, [x0, :tlsdesc_lo12:general]
	add	x0, x0, :tlsdesc_lo12:general
	.tlsdesccall general
	blr	x1
	mrs	x17, tpidr_el0
	add	x0, x0, x17
	ldr	w0, [x0, #0]
	str	w0, [sp, #0]
	adrp	x0, :tlsdesc:local
	ldr	x1, [x0, :tlsdesc_lo12:local]
	add	x0, x0, :tlsdesc_lo12:local
	.tlsdesccall local
	blr	x1
	mrs	x17, tpidr_el0
	add	x0, x0, x17
	ldr	w9, [x0, #0]
	adrp	x10, :gottprel:initial
	ldr	x10, [x10, :gottprel_lo12:initial]
	mrs	x17, tpidr_el0
	add	x10, x10, x17
	ldr	w10, [x10, #0]
	mrs	x11, tpidr_el0
	add	x11, x11, :tprel_hi12:exec
	add	x11, x11, :tprel_lo12_nc:exec
	ldr	w11, [x11, #0]
	ldr	w8, [sp, #0]
	add	w0, w8, w9
	add	w9, w10, w11
	add	w0, w0, w9
	.cfi_remember_state
	add	sp, sp, #16
	.cfi_def_cfa_offset 16
	ldr	x30, [sp], #16
	.cfi_def_cfa_offset 0
	ret
	.cfi_restore_state
	.size	all, .-all
	.cfi_endproc
	.globl	atomics
	.p2align	2
	.type	atomics,@function
atomics:
	.cfi_startproc
.LBB1_0:
	ldaxr	x9, [x0]
	adds	x10, x9, x1
	stlxr	w16, x10, [x0]
	cbnz	w16, .LBB1_0
.LBB1_16:
	ldaxr	x10, [x0]
	stlxr	w16, x1, [x0]
	cbnz	w16, .LBB1_16
.LBB1_28:
	ldaxr	x11, [x0]
	subs	xzr, x11, x9
	b.ne	.LBB1_48
	stlxr	w16, x10, [x0]
	cbnz	w16, .LBB1_28
.LBB1_48:
	stlr	x11, [x0]
	dmb	ish
	ldar	x0, [x0]
	ret
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
