/* C++'s personality routine of 32-bit Windows, as Wine (8.0) has it and with what is wrong there put right. Both as C and as C++; who includes
   it says which functions are the program's. */

int is_own(const void *function);
void abort(void);

/* The registration record of a function that catches; in front of it is the stack pointer with which it goes on after a handler. Wine's own
   record while it runs a handler has for which record, and the function's description; newer versions have one more member before these. */
struct Registration {
    struct Registration *next;
    void *handler;
    void *members[3];
};
static struct Kept {
    struct Registration *frame;
    void *stack;
} kept[256];

/* A handler that runs writes its own stack pointer in front of the record. When it is left by an exception that the same function
   catches farther out, Microsoft's library puts the former one back; Wine's does not, and goes on with a wrong stack. So it is
   put back here, before Wine looks. */
void keep_stack(struct Registration *frame) {
    struct Registration *record;
    __asm__("movl %%fs:0, %0" : "=r"(record));
    int handling = 0;
    for (; record != frame && record != (struct Registration *)-1; record = record->next) {
        void **members = record->members;
        if (is_own(record->handler)) continue;
        handling |= (members[0] == frame && is_own(members[1])) || (members[1] == frame && is_own(members[2]));
    }
    struct Kept *place = 0;
    for (struct Kept *one = kept; one < kept + 256; one++) {
        if (one->frame == frame) {
            place = one;
            break;
        }
        /* Of a frame that is gone: the programs have one thread, whose frames are above this function's. */
        if (!place && (char *)one->frame < (char *)&record) place = one;
    }
    if (!place) abort();
    void **stack = (void **)frame - 1;
    if (handling && place->frame == frame) {
        *stack = place->stack;
    } else {
        place->frame = frame;
        place->stack = *stack;
    }
}
__asm__(".text\n.globl ___CxxFrameHandler3\n___CxxFrameHandler3:\n"
        "pushl %eax\npushl 12(%esp)\ncall _keep_stack\naddl $4, %esp\npopl %eax\n"
        "jmp *__imp____CxxFrameHandler\n");
