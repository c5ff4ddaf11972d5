/* Words in a text: letter by letter, by a table of distances, by the word's own prefixes, and by a sum that rolls. */

#include "program.h"

enum { LENGTH = 60000 };

static char text[LENGTH + 1];

static int plain(const char *t, int n, const char *w, int m) {
    int found = 0;
    for (int i = 0; i + m <= n; i++) {
        int k = 0;
        while (k < m && t[i + k] == w[k])
            k++;
        found += k == m;
    }
    return found;
}

static int skipping(const char *t, int n, const char *w, int m) {
    int distance[256], found = 0;
    for (int c = 0; c < 256; c++)
        distance[c] = m;
    for (int i = 0; i + 1 < m; i++)
        distance[(uint8_t)w[i]] = m - 1 - i;
    for (int at = 0; at + m <= n; at += distance[(uint8_t)t[at + m - 1]]) {
        int k = m - 1;
        while (k >= 0 && t[at + k] == w[k])
            k--;
        found += k < 0;
    }
    return found;
}

static int prefixes(const char *t, int n, const char *w, int m) {
    int fall[32], found = 0, k = 0;
    fall[0] = 0;
    for (int i = 1; i < m; i++) {
        while (k > 0 && w[i] != w[k])
            k = fall[k - 1];
        k += w[i] == w[k];
        fall[i] = k;
    }
    k = 0;
    for (int i = 0; i < n; i++) {
        while (k > 0 && (k == m || t[i] != w[k]))
            k = fall[k - 1];
        k += t[i] == w[k];
        found += k == m;
    }
    return found;
}

static int rolling(const char *t, int n, const char *w, int m) {
    uint32_t own = 0, sum = 0, high = 1;
    int found = 0;
    for (int i = 0; i < m; i++) {
        own = own * 257 + (uint8_t)w[i];
        sum = sum * 257 + (uint8_t)t[i];
        if (i)
            high *= 257;
    }
    for (int i = 0;; i++) {
        found += sum == own && memcmp(t + i, w, (size_t)m) == 0;
        if (i + m >= n)
            return found;
        sum = (sum - (uint8_t)t[i] * high) * 257 + (uint8_t)t[i + m];
    }
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv), good = 1;
    uint32_t state = 5;
    uint64_t sum = 0;
    for (int i = 0; i < LENGTH; i++)
        text[i] = (char)('a' + (next_random(&state) >> 9) % 3);
    for (int round = 0; round < rounds; round++)
        for (int m = 1; m <= 9; m += 2) {
            const char *w = text + 100 + round * 7 % 1000;
            int found = plain(text, LENGTH, w, m);
            good &= found > 0 && found == skipping(text, LENGTH, w, m);
            good &= found == prefixes(text, LENGTH, w, m) && found == rolling(text, LENGTH, w, m);
            sum = mixed(sum, (uint64_t)found);
        }
    return finished("search", sum, good);
}
