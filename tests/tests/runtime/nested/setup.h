/* What LLVM 19 calls to write a trampoline on AArch64: the function of LLVM's run-time library, but with the 32 bytes that flang
 * has for it, where that one takes 36. */

void __trampoline_setup(unsigned *memory, int bytes, void *callee, void *chain) {
    (void)bytes;
    memory[0] = 0x58000092; /* ldr x18, memory + 16 */
    memory[1] = 0x580000b1; /* ldr x17, memory + 24 */
    memory[2] = 0xd61f0220; /* br x17 */
    *(void **)(memory + 4) = chain;
    *(void **)(memory + 6) = callee;
    __builtin___clear_cache((char *)memory, (char *)(memory + 8));
}
