/* What runtime.c, the stubs and the judge's file share. */
typedef unsigned char byte;
typedef unsigned int u32;
typedef unsigned long long u64;

/* Offsets in a state: registers by hardware number, then the stack arguments. On ARM, s0 to s31 and d0 to d31 lie together */
/* from FLOATS on, four bytes to a number. tests/abi_layer/script.rs knows them too.                                       */
enum { INTS = 0, FLOATS = 256, X87 = 2304, STACK_POINTER = 2336, REGISTERS = 2304, STACK = 4096, STATE = 32768 };

/* Registers before and after a transfer of control. */
extern byte put[STATE], got[STATE];
/* The values that the judge's functions send, and what they got. */
extern byte given[65536], seen[65536];
