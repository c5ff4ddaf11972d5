// --target linux64 --features avx512
__m512 f(__m128 a, __m256d b, __m512i c, _Complex float d, _Float16 e, struct { __m256 v; } g);
