/* Two tables: chains of entries for words, open addressing for numbers. */

#include "program.h"

enum { BUCKETS = 1024, WORDS = 3000, SLOTS = 1 << 14 };

struct entry { struct entry *next; uint32_t hash; int count; char word[12]; };

static struct entry *buckets[BUCKETS];
static struct entry entries[WORDS];
static int used;

static uint32_t hash_of(const char *word) {
    uint32_t h = 2166136261u;
    for (; *word; word++)
        h = (h ^ (uint8_t)*word) * 16777619u;
    return h;
}

static struct entry *find(const char *word) {
    uint32_t h = hash_of(word);
    struct entry **bucket = &buckets[h % BUCKETS];
    for (struct entry *e = *bucket; e; e = e->next)
        if (e->hash == h && strcmp(e->word, word) == 0)
            return e;
    struct entry *e = &entries[used++];
    e->next = *bucket;
    e->hash = h;
    e->count = 0;
    strcpy(e->word, word);
    return *bucket = e;
}

static uint64_t keys[SLOTS], values[SLOTS];

static uint64_t *slot(uint64_t key) {
    uint64_t h = key * 0x9e3779b97f4a7c15u;
    for (uint32_t at = h >> 50;; at = (at + 1) & (SLOTS - 1))
        if (keys[at] == key || !keys[at]) {
            keys[at] = key;
            return &values[at];
        }
}

static void spell(uint32_t n, char *word) {
    do {
        *word++ = (char)('a' + n % 26);
        n /= 26;
    } while (n);
    *word = 0;
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv), all = 0;
    uint32_t state = 77;
    uint64_t sum = 0, counted = 0;
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < 40000; i++) {
            char word[12];
            uint32_t n = next_random(&state) % WORDS;
            spell(n * 7919, word);
            find(word)->count++;
            *slot(n + 1u) += 1;
            all++;
        }
    for (int i = 0; i < used; i++)
        sum = mixed(sum, (uint64_t)entries[i].count);
    for (int i = 0; i < SLOTS; i++)
        counted += values[i];
    int words = 0;
    for (int i = 0; i < used; i++)
        words += entries[i].count;
    return finished("hashes", sum, words == all && counted == (uint64_t)all);
}
