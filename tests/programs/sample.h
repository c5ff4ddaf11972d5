/* Data to compress, the same everywhere: text-like, numeric, repetitive and random stretches. */
#ifndef SAMPLE_H
#define SAMPLE_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline uint32_t sample_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static inline unsigned char *sample(size_t size) {
    static const char *const words[] = {"the ", "of ", "gusset ", "joins ", "beam ", "plate", "s, ", "and ", "rivet ", "to ", "a ", "truss.\n"};
    unsigned char *data = malloc(size ? size : 1);
    uint64_t state = 88172645463325252u;
    size_t at = 0;
    if (!data) exit(9);
    while (at < size) {
        uint32_t r = sample_random(&state);
        size_t length = 64 + r % 2000, end = at + length < size ? at + length : size;
        switch ((r >> 16) % 5) {
        case 0:
        case 1:
            while (at < end) {
                const char *w = words[sample_random(&state) % 12];
                while (*w && at < end) data[at++] = (unsigned char)*w++;
            }
            break;
        case 2:
            for (uint32_t v = r; at < end; at++) {
                data[at] = (unsigned char)(v >> (8 * (at & 3)));
                if ((at & 3) == 3) v += 3;
            }
            break;
        case 3:
            if (at > 4096) {
                size_t back = 1 + sample_random(&state) % 4000;
                for (; at < end; at++) data[at] = data[at - back];
            }
            break;
        default:
            for (length /= 4, end = at + length < size ? at + length : size; at < end; at++) data[at] = (unsigned char)sample_random(&state);
        }
    }
    return data;
}

static inline uint64_t sample_hash(const void *data, size_t n) {
    const unsigned char *p = data;
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

static inline void sample_check(const char *what, const void *a, size_t na, const void *b, size_t nb) {
    if (na != nb || memcmp(a, b, na)) {
        printf("%s: wrong round trip (%zu, %zu bytes)\n", what, na, nb);
        exit(1);
    }
}
#endif
