/* Included before each file of QuickJS: turns off its inline assembly (the precision of the x87 unit, which does nothing
   where numbers are in SSE2's registers), which is all that the macro of the architecture is asked for once the system's
   headers have been read. */
#include <alloca.h>
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fenv.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#undef __i386__
