/* Real work for bzip2: block sizes and work factors, small decompressor, damaged input. */
#include "sample.h"
#include "bzlib.h"

void bz_internal_error(int code) {
    printf("internal error %d\n", code);
    exit(1);
}

int main(int argc, char **argv) {
    unsigned size = argc > 1 ? (unsigned)atoi(argv[1]) : 400000;
    unsigned char *data = sample(size);
    unsigned room = size + size / 50 + 1000;
    char *out = malloc(room), *back = malloc(size);
    printf("bzip2 %s\n", BZ2_bzlibVersion());
    for (int level = 1; level <= 9; level += 4) {
        unsigned n = room, m = size;
        int code = BZ2_bzBuffToBuffCompress(out, &n, (char *)data, size, level, 0, level * 10);
        if (code != BZ_OK) return 1;
        if (BZ2_bzBuffToBuffDecompress(back, &m, out, n, level == 5, 0) != BZ_OK) return 2;
        sample_check("bzip2", data, size, back, m);
        printf("level %d: %u bytes, hash %016llx\n", level, n, (unsigned long long)sample_hash(out, n));
        out[n / 2] ^= 4;
        m = size;
        printf("damaged: %d\n", BZ2_bzBuffToBuffDecompress(back, &m, out, n, 0, 0) == BZ_OK);
    }
    memset(data, 'a', size);
    unsigned n = room;
    BZ2_bzBuffToBuffCompress(out, &n, (char *)data, size, 9, 0, 1);
    printf("one letter: %u bytes, hash %016llx\n", n, (unsigned long long)sample_hash(out, n));
    free(out);
    free(back);
    free(data);
    return 0;
}
