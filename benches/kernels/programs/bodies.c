/* Bodies that attract each other: the sum of impulses must stay what it was. */

#include <math.h>

#include "program.h"

enum { COUNT = 7, STEPS = 8000 };

struct vector { double x, y, z; };
struct body { struct vector at, speed; double mass; };

static struct vector difference(struct vector a, struct vector b) { return (struct vector){a.x - b.x, a.y - b.y, a.z - b.z}; }

static double square(struct vector a) { return a.x * a.x + a.y * a.y + a.z * a.z; }

static void add(struct vector *to, struct vector what, double times) {
    to->x += what.x * times;
    to->y += what.y * times;
    to->z += what.z * times;
}

static void advance(struct body *bodies, int count, double dt) {
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            struct vector d = difference(bodies[i].at, bodies[j].at);
            double distance = square(d) + 0.01;
            double force = dt / (distance * sqrt(distance));
            add(&bodies[i].speed, d, -bodies[j].mass * force);
            add(&bodies[j].speed, d, bodies[i].mass * force);
        }
    for (int i = 0; i < count; i++)
        add(&bodies[i].at, bodies[i].speed, dt);
}

static struct vector impulse(const struct body *bodies, int count) {
    struct vector sum = {0, 0, 0};
    for (int i = 0; i < count; i++)
        add(&sum, bodies[i].speed, bodies[i].mass);
    return sum;
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv);
    struct body bodies[COUNT];
    uint32_t state = 9;
    for (int i = 0; i < COUNT; i++) {
        double r[7];
        for (int k = 0; k < 7; k++)
            r[k] = (next_random(&state) & 0xffff) / 65536.0;
        bodies[i] = (struct body){{r[0] * 8, r[1] * 8, r[2] * 8}, {r[3] - 0.5, r[4] - 0.5, r[5] - 0.5}, 0.5 + r[6]};
    }
    struct vector before = impulse(bodies, COUNT);
    for (int round = 0; round < rounds; round++)
        for (int step = 0; step < STEPS; step++)
            advance(bodies, COUNT, 0.0005);
    struct vector after = impulse(bodies, COUNT);
    uint64_t sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum = mixed(mixed(sum, bits_of(bodies[i].at.x)), bits_of(bodies[i].speed.z));
    return finished("bodies", sum, square(difference(before, after)) < 1e-12);
}
