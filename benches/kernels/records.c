/* Structs of two words, passed, returned and copied by value: written by two stores and copied as a whole. */
struct value {
    long i;
    long tag;
};

__attribute__((noinline)) static struct value make(long i, long tag) {
    struct value v;
    v.i = i;
    v.tag = tag;
    return v;
}

__attribute__((noinline)) static struct value next(struct value v) { return make(v.i + 1, v.tag ^ v.i); }

__attribute__((noinline)) static long tag(struct value v) { return v.tag; }

int main(void) {
    struct value stack[4], v = make(0, 1);
    long sum = 0;
    for (int k = 0; k < 4; k++)
        stack[k] = v;
    for (long n = 0; n < 50000000; n++) {
        struct value w = next(v);
        stack[n & 3] = w;
        v = stack[n & 3];
        sum += tag(stack[(n + 1) & 3]);
    }
    return sum + v.tag == 42;
}
