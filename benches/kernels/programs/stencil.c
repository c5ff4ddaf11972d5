/* Heat that spreads over a plate, by floats, and life on a torus, by bytes. What flows out of nowhere stays: the sum of the heat does not change. */

#include <math.h>

#include "program.h"

enum { SIDE = 96, PADDED = SIDE + 2 };

static float plate[2][PADDED][PADDED];
static uint8_t life[2][SIDE][SIDE];

static void spread(float (*to)[PADDED], float (*from)[PADDED]) {
    /* The edges are mirrors. */
    for (int i = 1; i <= SIDE; i++) {
        from[i][0] = from[i][1];
        from[i][SIDE + 1] = from[i][SIDE];
        from[0][i] = from[1][i];
        from[SIDE + 1][i] = from[SIDE][i];
    }
    for (int i = 1; i <= SIDE; i++)
        for (int j = 1; j <= SIDE; j++)
            to[i][j] = from[i][j] * 0.5f + (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]) * 0.125f;
}

static int live(uint8_t (*to)[SIDE], uint8_t (*from)[SIDE]) {
    int alive = 0;
    for (int i = 0; i < SIDE; i++) {
        const uint8_t *above = from[(i + SIDE - 1) % SIDE], *own = from[i], *below = from[(i + 1) % SIDE];
        for (int j = 0; j < SIDE; j++) {
            int left = j ? j - 1 : SIDE - 1, right = j + 1 < SIDE ? j + 1 : 0;
            int n = above[left] + above[j] + above[right] + own[left] + own[right] + below[left] + below[j] + below[right];
            to[i][j] = n == 3 || (n == 2 && own[j]);
            alive += to[i][j];
        }
    }
    return alive;
}

static double heat(float (*of)[PADDED]) {
    double sum = 0;
    for (int i = 1; i <= SIDE; i++)
        for (int j = 1; j <= SIDE; j++)
            sum += of[i][j];
    return sum;
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv);
    uint32_t state = 81;
    uint64_t sum = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            plate[0][i + 1][j + 1] = (float)(next_random(&state) & 127);
            life[0][i][j] = next_random(&state) >> 7 & 1;
        }
    double before = heat(plate[0]);
    for (int round = 0; round < rounds * 20; round++) {
        spread(plate[1], plate[0]);
        spread(plate[0], plate[1]);
        sum = mixed(sum, (uint64_t)live(life[1], life[0]));
        sum = mixed(sum, (uint64_t)live(life[0], life[1]));
    }
    double after = heat(plate[0]);
    sum = mixed(sum, (uint64_t)(int64_t)after);
    return finished("stencil", sum, fabs(after - before) < before * 1e-3);
}
