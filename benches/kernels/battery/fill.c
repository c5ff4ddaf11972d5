/* A few bytes of memory set to a value that is not known in advance. */
#include <stdint.h>
#include <string.h>

struct row {
    unsigned char cells[24];
    unsigned char more[40];
};
static struct row rows[64];

uint64_t run(int rounds) {
    uint64_t sum = 0;
    for (int k = 0; k < rounds * 600; k++)
        for (int i = 0; i < 64; i++) {
            struct row *r = &rows[i];
            memset(r->cells, k + i, 16);
            memset(r->cells + 16, (int)sum, 7);
            memset(r->more, i ^ k, 33);
            sum += r->cells[(k * 7 + i) & 15] + r->more[k & 31];
        }
    return sum;
}
