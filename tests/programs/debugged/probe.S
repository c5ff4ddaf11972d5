// A function that a random program calls between its statements. It overwrites what any function may, so that a debugger that shows a
// register as if it still held a caller's variable shows something else.

	.globl probe, probe_done
	.text
#if defined(__x86_64__)
	.type probe, @function
probe:
	.cfi_startproc
	movabs $0x5a5a5a5a5a5a5a5a, %rax
	.irp r, rcx, rdx, rsi, rdi, r8, r9, r10, r11, xmm0, xmm1, xmm2, xmm3, xmm4, xmm5, xmm6, xmm7, xmm8, xmm9, xmm10, xmm11, xmm12, xmm13, xmm14, xmm15
	movq %rax, %\r
	.endr
probe_done:
	ret
	.cfi_endproc
#elif defined(__i386__)
	.type probe, @function
probe:
	.cfi_startproc
	movl $0x5a5a5a5a, %eax
	movl %eax, %ecx
	movl %eax, %edx
	.irp r, xmm0, xmm1, xmm2, xmm3, xmm4, xmm5, xmm6, xmm7
	movd %eax, %\r
	.endr
probe_done:
	ret
	.cfi_endproc
#elif defined(__aarch64__)
	.type probe, %function
probe:
	.cfi_startproc
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
	mov x\r, #0x5a5a
	.endr
probe_done:
	ret
	.cfi_endproc
#else
	.syntax unified
	.arm
	.cfi_sections .debug_frame
	.type probe, %function
	.type probe_done, %function
probe:
	.cfi_startproc
	.irp r, r0, r1, r2, r3, r12
	mov \r, #0x5a
	.endr
probe_done:
	bx lr
	.cfi_endproc
#endif
	.section .note.GNU-stack, "", %progbits
