/*
 * Trampolines: function pointers to nested functions (internal procedures), without executable stacks.
 *
 * A nested function takes the address of its host's variables in the static chain register of C functions: r10 on
 * x86-64, ecx on 32-bit x86, r12 on 32-bit ARM (so does GCC's C, and LLVM's parameter attribute `nest`), and on AArch64 x15
 * (so does LLVM from version 21 on). A trampoline is a function pointer that sets this register and goes on to the nested
 * function, all arguments as they were.
 *
 * All functions may be called on any thread, and in the child of a fork; a trampoline may be freed on another thread
 * than the one that made it. They are not for signal handlers.
 */
#ifndef GUSSET_RUNTIME_H
#define GUSSET_RUNTIME_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that a trampoline in memory of one's own takes at most; the memory is aligned as pointers are. */
#define GUSSET_TRAMPOLINE_BYTES 32

/*
 * Makes a trampoline that calls `callee` with `chain`, and returns its handle.
 *
 * With `scratch` null it comes from a pool that grows as needed: its code is never writable, its data never executable.
 * Otherwise it is written to `scratch`: GUSSET_TRAMPOLINE_BYTES that are writable now and executable when it is called.
 *
 * Returns null if the system refuses memory, or `scratch` is not aligned; errno (GetLastError) is the system's reason, and
 * gusset_trampoline_error() says more.
 */
void *gusset_trampoline_init(void *scratch, const void *callee, const void *chain);

/* The same for functions of 32-bit x86 whose static chain is in eax: those of fastcall and thiscall. */
#if defined(__i386__) || defined(_M_IX86)
void *gusset_trampoline_init_eax(void *scratch, const void *callee, const void *chain);
#endif

/*
 * What compiled hosts call, under a name that says to whoever reads a linker's message what is missing. `host` is a
 * variable of the caller: null now, and the handle from then on until the caller ends. If the caller is left in another
 * way, as by longjmp, a later call on the thread frees the trampoline. So does the end of the thread.
 */
void *gusset_host_trampoline_init__link_with_libgusset_runtime(void *host, const void *callee, const void *chain);

/*
 * The address to call: cast it to the function pointer's type. Given null, where there was no memory, it ends the program
 * with a message.
 */
void *gusset_trampoline_adjust(const void *handle);

/*
 * Frees a trampoline: the host calls this wherever it ends. Null is nothing to free. A call through it from now on,
 * and a second free, end the program with a message, as long as the pool has not given it out again, which
 * takes a while. So does a pointer that is no trampoline's handle.
 */
void gusset_trampoline_free(void *handle);

/* Why this thread's last gusset_trampoline_init failed: a text that stays until the next failure; null if none did. */
const char *gusset_trampoline_error(void);

/*
 * The same under the names that Fortran compilers call: those that flang calls, and those that its design document
 * gives. Where there is no memory the Init functions end the program with a message.
 */
void *_FortranATrampolineInit(void *scratch, const void *callee, const void *chain);
void *_FortranATrampolineAdjust(const void *handle);
void _FortranATrampolineFree(void *handle);
void *_FortranAInitTrampoline(void *scratch, const void *callee, const void *chain);
void *_FortranAAdjustTrampoline(const void *handle);
void _FortranAFreeTrampoline(void *handle);

/*
 * Memory for MLIR's memrefs, where its conversion calls generic functions: C's malloc, aligned_alloc and free (on Windows, which
 * lacks the second, _aligned_malloc and _aligned_free for all three). A program may define any of them itself: in ELF they are
 * weak, on Windows members of the static library of their own.
 */
void *_mlir_memref_to_llvm_alloc(size_t size);
void *_mlir_memref_to_llvm_aligned_alloc(size_t alignment, size_t size);
void _mlir_memref_to_llvm_free(void *memory);

#ifdef __cplusplus
}
#endif

#endif
