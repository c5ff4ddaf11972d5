/* How long points of the plane stay near. The picture is the same above and below the axis. */

#include "program.h"

enum { SIZE = 96, MOST = 250 };

static uint16_t picture[2 * SIZE + 1][3 * SIZE];

static int steps(double cx, double cy) {
    double x = 0, y = 0, xx = 0, yy = 0;
    int n = 0;
    for (; n < MOST && xx + yy <= 4; n++) {
        y = 2 * x * y + cy;
        x = xx - yy + cx;
        xx = x * x;
        yy = y * y;
    }
    return n;
}

static void draw(double shift) {
    for (int row = 0; row <= 2 * SIZE; row += 4)
        for (int column = 0; column < 3 * SIZE; column += 2)
            picture[row][column] = (uint16_t)steps((double)(column - 2 * SIZE) / SIZE + shift, (double)(row - SIZE) / SIZE);
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv), good = 1;
    uint64_t sum = 0;
    for (int round = 0; round < rounds; round++) {
        draw(round * 0.001);
        for (int row = 0; row <= 2 * SIZE; row += 4)
            for (int column = 0; column < 3 * SIZE; column += 2) {
                good &= picture[row][column] == picture[2 * SIZE - row][column];
                sum = mixed(sum, picture[row][column]);
            }
    }
    return finished("mandelbrot", sum, good);
}
