/* Both sides of a call that no compiler makes, for 64-bit ARM; as x86_64.S. x16 and x17 carry nothing from one side to the */
/* other.                                                                                                                 */
        .macro  floats move, state
        add     x17, x16, #256
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        \move   q\n, [x17, #64 * \n]
        .endr
        add     x17, x17, #1024
        .irp    n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        \move   q\n, [x17, #64 * (\n - 16)]
        .endr
        .endm

        .macro  integers move
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
        \move   x\n, [x16, #8 * \n]
        .endr
        .endm

        .macro  address register, symbol
        adrp    \register, \symbol
        add     \register, \register, :lo12:\symbol
        .endm

        .macro  load register, symbol
        adrp    \register, \symbol
        ldr     \register, [\register, :lo12:\symbol]
        .endm

        .text
        .globl  stub, invoke, _start, system_write, system_exit

stub:
        address x16, got
        integers str
        str     x30, [x16, #8 * 30]
        floats  str
        mov     x17, sp
        str     x17, [x16, #2336]
        and     sp, x17, #-64
        bl      entered
        address x16, got
        ldr     x17, [x16, #2336]
        load    x0, popped
        add     sp, x17, x0
        ldr     x30, [x16, #8 * 30]
        address x16, put
        floats  ldr
        integers ldr
        ret

invoke:
        stp     x29, x30, [sp, #-176]!
        stp     x19, x20, [sp, #16]
        stp     x21, x22, [sp, #32]
        stp     x23, x24, [sp, #48]
        stp     x25, x26, [sp, #64]
        stp     x27, x28, [sp, #80]
        stp     d8, d9, [sp, #96]
        stp     d10, d11, [sp, #112]
        stp     d12, d13, [sp, #128]
        stp     d14, d15, [sp, #144]
        address x16, own_stack
        mov     x17, sp
        str     x17, [x16]
        load    x0, stack_bytes
        load    x1, stack_align
        sub     x17, x17, x0
        sub     x17, x17, x1
        neg     x2, x1, lsl #1
        and     x17, x17, x2
        add     x17, x17, x1
        mov     sp, x17
        address x16, put
        str     x17, [x16, #2336]
        add     x3, x16, #4096
1:      cbz     x0, 2f
        sub     x0, x0, #1
        ldrb    w4, [x3, x0]
        strb    w4, [x17, x0]
        b       1b
2:      floats  ldr
        integers ldr
        load    x17, callee
        blr     x17
        address x16, got
        integers str
        floats  str
        mov     x17, sp
        str     x17, [x16, #2336]
        load    x17, own_stack
        mov     sp, x17
        ldp     x19, x20, [sp, #16]
        ldp     x21, x22, [sp, #32]
        ldp     x23, x24, [sp, #48]
        ldp     x25, x26, [sp, #64]
        ldp     x27, x28, [sp, #80]
        ldp     d8, d9, [sp, #96]
        ldp     d10, d11, [sp, #112]
        ldp     d12, d13, [sp, #128]
        ldp     d14, d15, [sp, #144]
        ldp     x29, x30, [sp], #176
        ret

_start:
        mov     x29, #0
        bl      start

system_write:
        mov     x2, x1
        mov     x1, x0
        mov     x0, #1
        mov     x8, #64
        svc     #0
        ret
system_exit:
        mov     x8, #94
        svc     #0

        /* Windows: a function with a large frame asks for its pages, x15 being its size in units of 16 bytes. */
        .globl  __chkstk
__chkstk:
        ret
        .section .note.GNU-stack,"",%progbits
