/* Included before each file of zstd: turns off its inline assembly (cpuid, alignment of loops), which is all that the
   macro of the architecture is asked for once the system's headers have been read. */
#include <assert.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#undef __x86_64__
#undef __i386__
