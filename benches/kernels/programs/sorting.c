/* The same numbers sorted by partition, by merging, by a heap and by digits. */

#include "program.h"

enum { N = 12000 };

static uint32_t from[N], a[N], b[N], c[N], d[N], scratch[N];

static void quick(uint32_t *v, long n) {
    while (n > 16) {
        uint32_t pivot = v[n / 2];
        long i = 0, j = n - 1;
        while (i <= j) {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i <= j) {
                uint32_t x = v[i];
                v[i++] = v[j];
                v[j--] = x;
            }
        }
        quick(v, j + 1);
        v += i;
        n -= i;
    }
    for (long i = 1; i < n; i++) {
        uint32_t x = v[i];
        long j = i;
        for (; j > 0 && v[j - 1] > x; j--)
            v[j] = v[j - 1];
        v[j] = x;
    }
}

static void merge(uint32_t *v, uint32_t *other, int n) {
    if (n < 2)
        return;
    int half = n / 2, i = 0, j = half, k = 0;
    merge(v, other, half);
    merge(v + half, other, n - half);
    memcpy(other, v, (size_t)half * sizeof *v);
    while (i < half && j < n)
        v[k++] = v[j] < other[i] ? v[j++] : other[i++];
    while (i < half)
        v[k++] = other[i++];
}

static void sift(uint32_t *v, int at, int n) {
    uint32_t x = v[at];
    for (int child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && v[child + 1] > v[child];
        if (v[child] <= x)
            break;
        v[at] = v[child];
    }
    v[at] = x;
}

static void heap(uint32_t *v, int n) {
    for (int i = n / 2; i-- > 0;)
        sift(v, i, n);
    while (--n > 0) {
        uint32_t x = v[0];
        v[0] = v[n];
        v[n] = x;
        sift(v, 0, n);
    }
}

static void digits(uint32_t *v, uint32_t *other, int n) {
    for (int shift = 0; shift < 32; shift += 8) {
        int places[257] = {0};
        for (int i = 0; i < n; i++)
            places[(v[i] >> shift & 255) + 1]++;
        for (int i = 0; i < 256; i++)
            places[i + 1] += places[i];
        for (int i = 0; i < n; i++)
            other[places[v[i] >> shift & 255]++] = v[i];
        memcpy(v, other, (size_t)n * sizeof *v);
    }
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv), good = 1;
    uint32_t state = 3;
    uint64_t sum = 0;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < N; i++)
            a[i] = b[i] = c[i] = d[i] = from[i] = next_random(&state);
        quick(a, N);
        merge(b, scratch, N);
        heap(c, N);
        digits(d, scratch, N);
        for (int i = 0; i < N; i++) {
            good &= a[i] == b[i] && a[i] == c[i] && a[i] == d[i] && (i == 0 || a[i - 1] <= a[i]);
            sum = mixed(sum, a[i]);
        }
    }
    return finished("sorting", sum, good);
}
