// C that knows nothing of a module but its header: it calls functions with complex numbers and vectors, and defines some.
#include "c_values.h"

#include <complex.h>
#include <stdio.h>

static int wrong;
#define CHECK(condition)                                  \
  do {                                                    \
    if (!(condition)) wrong++, printf("%s\n", #condition); \
  } while (0)

double _mlir_ciface_c_complex(float _Complex a, double _Complex b, int8_t k) {
  CHECK(crealf(a) == 1.5f && cimagf(a) == -2 && creal(b) == 3 && cimag(b) == 0.25 && k == -7);
  return creal(b) * crealf(a) + k;
}

vector_4xfloat _mlir_ciface_c_vector(vector_4xfloat v, memref_1d_f32 *m, vector_2x4xi32 w) {
  CHECK(v[0] == 1 && v[3] == 4 && m->aligned[m->offset] == 10 && w.rows[1][2] == 70);
  return v * m->aligned[m->offset];
}

vector_2x4xi32 _mlir_ciface_c_rows(vector_4xint32_t v, int32_t k) {
  CHECK(v[0] == 10 && v[3] == 40 && k == -7);
  vector_2x4xi32 rows = {{v, v + k}};
  return rows;
}

void _mlir_ciface_c_product(c_product_result *result, float _Complex a, double _Complex b) {
  result->result0 = a * b;
  result->result1 = -5;
}

int8_t _mlir_ciface_c_truth(bool a, int8_t b, int16_t c) {
  // As wide as these become: whoever passes small integers has widened them, or this has to.
  CHECK(a == true && (int)b == -7 && (int)c == -10 && (long)c < 0);
  return b;
}

int main(void) {
  float _Complex a = 1.5f - 2 * I;
  double _Complex b = 3 + 0.25 * I;
  float data[1] = {10};
  memref_1d_f32 m = {data, data, 0, {1}, {1}};
  vector_4xfloat v = {1, 2, 3, 4};
  vector_2x4xi32 w = {{{10, 20, 30, 40}, {50, 60, 70, 80}}};

  CHECK(_mlir_ciface_conjugate(a, b, -7) == 1.5 * 0.25 + 2 * 3 - 7);
  vector_4xfloat r = _mlir_ciface_reversed(v, &m, w);
  CHECK(r[0] == 90 && r[1] == 90 && r[2] == 90 && r[3] == 90);
  vector_2x4xi32 rows = _mlir_ciface_rows(w.rows[0], 1000);
  CHECK(rows.rows[0][1] == 20 && rows.rows[1][1] == 1020 && rows.rows[1][3] == 1040);
  product_result p;
  _mlir_ciface_product(&p, a, b);
  CHECK(creal(p.result0) == 4.5 && cimag(p.result0) == -1.75 && p.result1 == -3);
  CHECK(_mlir_ciface_truth(1, -100, 3) == -100 && _mlir_ciface_truth(0, 1, -300) == (int8_t)-300);
  double sum = (1.5 * 3 - 7) + 100 + (100 - 28) + (1.5 * 0.25 - 2 * 3) - 7;
  CHECK(_mlir_ciface_back(a, b, -7, v, &m, w) == sum);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
