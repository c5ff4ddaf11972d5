/* Trees: full ones, built and left, and one that stays balanced by random weights. */

#include "program.h"

struct node { struct node *left, *right; uint32_t key, weight; };

enum { NODES = 1 << 15 };

static struct node pool[NODES];
static int used;

static struct node *made(struct node *left, struct node *right, uint32_t key) {
    struct node *n = &pool[used++];
    n->left = left;
    n->right = right;
    n->key = key;
    return n;
}

static struct node *full(int depth, uint32_t key) {
    return depth == 0 ? made(NULL, NULL, key) : made(full(depth - 1, 2 * key), full(depth - 1, 2 * key + 1), key);
}

static uint32_t sum_of(const struct node *n) { return n ? n->key + sum_of(n->left) - sum_of(n->right) : 0; }

static int count_of(const struct node *n) { return n ? 1 + count_of(n->left) + count_of(n->right) : 0; }

static struct node *insert(struct node *n, uint32_t key, uint32_t weight) {
    if (!n) {
        n = made(NULL, NULL, key);
        n->weight = weight;
        return n;
    }
    if (key < n->key) {
        struct node *l = n->left = insert(n->left, key, weight);
        if (l->weight > n->weight) {
            n->left = l->right;
            l->right = n;
            return l;
        }
    } else if (key > n->key) {
        struct node *r = n->right = insert(n->right, key, weight);
        if (r->weight > n->weight) {
            n->right = r->left;
            r->left = n;
            return r;
        }
    }
    return n;
}

static int contains(const struct node *n, uint32_t key) {
    while (n && n->key != key)
        n = key < n->key ? n->left : n->right;
    return n != NULL;
}

/* In order, with the last key at `last`. */
static int ordered(const struct node *n, uint32_t *last) {
    if (!n)
        return 1;
    if (!ordered(n->left, last) || n->key <= *last)
        return 0;
    *last = n->key;
    return ordered(n->right, last);
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv), good = 1;
    uint64_t sum = 0;
    uint32_t state = 21;
    for (int round = 0; round < rounds; round++) {
        used = 0;
        struct node *tree = full(13, (uint32_t)round + 1);
        good &= count_of(tree) == (1 << 14) - 1;
        sum = mixed(sum, sum_of(tree));
        used = 0;
        struct node *root = NULL;
        for (int i = 0; i < 6000; i++) {
            uint32_t key = next_random(&state) % 20000 + 1;
            root = insert(root, key, next_random(&state));
        }
        int found = 0;
        for (uint32_t key = 1; key <= 20000; key++)
            found += contains(root, key);
        uint32_t last = 0;
        good &= found == used && ordered(root, &last);
        sum = mixed(sum, (uint64_t)found);
    }
    return finished("trees", sum, good);
}
