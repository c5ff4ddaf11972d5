/* Results in two registers that are used at once. */
struct pair {
    unsigned long low;
    unsigned long high;
};

__attribute__((noinline)) static struct pair step(unsigned long low, unsigned long high) {
    struct pair p = {low * 5 + high, high ^ low >> 7};
    return p;
}

int main(void) {
    struct pair p = {1, 2};
    for (long n = 0; n < 100000000; n++)
        p = step(p.low, p.high);
    return p.low == 42;
}
