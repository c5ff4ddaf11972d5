/* Both sides of a call that no compiler makes, for 32-bit ARM, in A32 and in Thumb; as x86_64.S. Registers r0 to r12 take */
/* eight bytes of a state each; s0 to s31 and d0 to d31 lie together, used or not.                              */
        .syntax unified
        .fpu    neon
        .macro  integers move, base, registers:vararg
        .irp    n, \registers
        \move   r\n, [\base, #8 * \n]
        .endr
        .endm

        /* Changes `base`. */
        .macro  floats move, base
        add     \base, \base, #256
        v\move\()ia \base!, {d0-d15}
        v\move\()ia \base!, {d16-d31}
        .endm

        .macro  address register, symbol
        movw    \register, #:lower16:\symbol
        movt    \register, #:upper16:\symbol
        .endm

        .macro  load register, symbol
        address \register, \symbol
        ldr     \register, [\register]
        .endm

        .macro  function name
        .globl  \name
        .type   \name, %function
#ifdef __thumb__
        .thumb_func
#endif
\name:
        .endm

        .text
        function stub
        /* lr is the only register that is free once it is noted. */
        str     lr, [sp, #-8]
        address lr, got
        integers str, lr, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
        ldr     r0, [sp, #-8]
        str     r0, [lr, #8 * 14]
        mov     r1, lr
        floats  stm, r1
        add     r1, lr, #2336
        mov     r0, sp
        str     r0, [r1]
        bic     r0, r0, #63
        mov     sp, r0
        bl      entered
        address lr, got
        add     r1, lr, #2336
        ldr     r0, [r1]
        load    r1, popped
        add     r0, r0, r1
        mov     sp, r0
        ldr     r2, [lr, #8 * 14]
        str     r2, [sp, #-8]
        address lr, put
        mov     r1, lr
        floats  ldm, r1
        integers ldr, lr, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
        ldr     lr, [sp, #-8]
        bx      lr

        function invoke
        push    {r4-r11, lr}
        sub     sp, sp, #4
        vpush   {d8-d15}
        address r4, own_stack
        mov     r5, sp
        str     r5, [r4]
        load    r0, stack_bytes
        load    r1, stack_align
        sub     r5, r5, r0
        sub     r5, r5, r1
        lsl     r2, r1, #1
        rsb     r2, r2, #0
        and     r5, r5, r2
        add     r5, r5, r1
        mov     sp, r5
        address r3, put
        add     r6, r3, #2336
        str     r5, [r6]
        add     r6, r3, #4096
1:      cmp     r0, #0
        beq     2f
        sub     r0, r0, #1
        ldrb    r7, [r6, r0]
        strb    r7, [r5, r0]
        b       1b
2:      mov     lr, r3
        floats  ldm, r3
        integers ldr, lr, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
        load    lr, callee
        blx     lr
        address lr, got
        integers str, lr, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
        mov     r1, lr
        floats  stm, r1
        add     r1, lr, #2336
        mov     r0, sp
        str     r0, [r1]
        load    r0, own_stack
        mov     sp, r0
        vpop    {d8-d15}
        add     sp, sp, #4
        pop     {r4-r11, pc}

        function _start
        mov     r11, #0
        mov     r0, sp
        bic     r0, r0, #63
        mov     sp, r0
        bl      start

        function system_write
        push    {r4, r7}
        mov     r2, r1
        mov     r1, r0
        mov     r0, #1
        mov     r7, #4
        svc     #0
        pop     {r4, r7}
        bx      lr

        function system_exit
        mov     r7, #248
        svc     #0

        /* Windows: a function with a large frame asks for its pages, r4 being its size in words; then for the bytes. */
        function __chkstk
        lsl     r4, r4, #2
        bx      lr
        .section .note.GNU-stack,"",%progbits
