/* Bodies that attract each other. */
#include <stdint.h>

struct body {
    double x, y, z, vx, vy, vz, mass;
};
static struct body bodies[5] = {
    {0, 0, 0, 0, 0, 0, 39.47},
    {4.84, -1.16, -0.10, 0.606, 2.81, -0.02, 0.037},
    {8.34, 4.12, -0.4, -1.01, 1.82, 0.008, 0.011},
    {12.89, -15.11, -0.22, 1.08, 0.868, -0.01, 0.0017},
    {15.37, -25.9, 0.179, 0.979, 0.594, -0.034, 0.002},
};

__attribute__((noinline)) static void advance(double dt) {
    for (int i = 0; i < 5; i++) {
        struct body *a = &bodies[i];
        for (int j = i + 1; j < 5; j++) {
            struct body *b = &bodies[j];
            double dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
            double square = dx * dx + dy * dy + dz * dz;
            double magnitude = dt / (square * __builtin_sqrt(square));
            a->vx -= dx * b->mass * magnitude;
            a->vy -= dy * b->mass * magnitude;
            a->vz -= dz * b->mass * magnitude;
            b->vx += dx * a->mass * magnitude;
            b->vy += dy * a->mass * magnitude;
            b->vz += dz * a->mass * magnitude;
        }
    }
    for (int i = 0; i < 5; i++) {
        struct body *a = &bodies[i];
        a->x += dt * a->vx;
        a->y += dt * a->vy;
        a->z += dt * a->vz;
    }
}

uint64_t run(int rounds) {
    for (int k = 0; k < rounds * 1000; k++)
        advance(0.001);
    return (uint64_t)(int64_t)(bodies[0].x * 1e6 + bodies[1].y * 1e6);
}
