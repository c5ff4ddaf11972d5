/* Every inline function of clang's headers for the extensions that are supported. */
#include <stdint.h>
#include <nmmintrin.h>
#include <wmmintrin.h>
/* The next headers are parts of these, of which the rest needs AVX. */
#define __IMMINTRIN_H
#define __X86INTRIN_H
#include <adcintrin.h>
#include <bmi2intrin.h>
#include <bmiintrin.h>
#include <clflushoptintrin.h>
#include <clwbintrin.h>
#include <crc32intrin.h>
#include <fxsrintrin.h>
#include <ia32intrin.h>
#include <lzcntintrin.h>
#include <popcntintrin.h>
#include <shaintrin.h>
#include <xsavecintrin.h>
#include <xsaveintrin.h>
#include <xsaveoptintrin.h>
#include <xsavesintrin.h>
