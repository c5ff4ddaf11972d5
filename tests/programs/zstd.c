/* Real work for zstd: round trips at many levels, long-distance matching, streams, dictionaries, damaged input. */
#include "sample.h"
#define ZSTD_STATIC_LINKING_ONLY
#include "zdict.h"
#include "zstd.h"

static size_t check(const char *what, size_t code) {
    if (ZSTD_isError(code)) {
        printf("failed: %s: %s\n", what, ZSTD_getErrorName(code));
        exit(1);
    }
    return code;
}

static void one_shot(const unsigned char *data, size_t size, int level) {
    size_t room = ZSTD_compressBound(size);
    unsigned char *out = malloc(room), *back = malloc(size);
    size_t packed = check("compress", ZSTD_compress(out, room, data, size, level));
    size_t unpacked = check("decompress", ZSTD_decompress(back, size, out, packed));
    sample_check("zstd", data, size, back, unpacked);
    printf("level %d: %zu bytes, hash %016llx\n", level, packed, (unsigned long long)sample_hash(out, packed));
    free(out);
    free(back);
}

static void streamed(const unsigned char *data, size_t size, int level, int flags) {
    size_t room = ZSTD_compressBound(size) + 1000, piece = 1234, at = 0;
    unsigned char *packed = malloc(room), *back = malloc(size);
    ZSTD_CCtx *c = ZSTD_createCCtx();
    check("level", ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, level));
    check("checksum", ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1));
    check("long", ZSTD_CCtx_setParameter(c, ZSTD_c_enableLongDistanceMatching, flags & 1));
    if (flags & 2) check("target", ZSTD_CCtx_setParameter(c, ZSTD_c_targetCBlockSize, 2000));
    if (flags & 4) check("strategy", ZSTD_CCtx_setParameter(c, ZSTD_c_strategy, ZSTD_btultra2));
    ZSTD_outBuffer out = {packed, room, 0};
    while (at < size) {
        ZSTD_inBuffer in = {data + at, size - at < piece ? size - at : piece, 0};
        while (in.pos < in.size) check("stream", ZSTD_compressStream2(c, &out, &in, ZSTD_e_continue));
        at += in.size;
        piece = piece * 3 % 50021 + 1;
    }
    ZSTD_inBuffer none = {NULL, 0, 0};
    while (check("end", ZSTD_compressStream2(c, &out, &none, ZSTD_e_end))) {}
    ZSTD_freeCCtx(c);
    ZSTD_DCtx *d = ZSTD_createDCtx();
    ZSTD_inBuffer in = {packed, out.pos, 0};
    ZSTD_outBuffer whole = {back, 0, 0};
    size_t left = 1;
    while (left) {
        whole.size = whole.size + 7777 < size ? whole.size + 7777 : size;
        left = check("unstream", ZSTD_decompressStream(d, &whole, &in));
    }
    ZSTD_freeDCtx(d);
    sample_check("stream", data, size, back, whole.pos);
    printf("stream level %d flags %d: %zu bytes, hash %016llx\n", level, flags, out.pos, (unsigned long long)sample_hash(packed, out.pos));
    free(packed);
    free(back);
}

static void dictionary(const unsigned char *data, size_t size) {
    enum { samples = 200, each = 600 };
    size_t sizes[samples], room = 20000;
    unsigned char *dict = malloc(room), out[2000], back[each];
    for (int i = 0; i < samples; i++) sizes[i] = each;
    if (size < samples * each) return;
    size_t n = ZDICT_trainFromBuffer(dict, room, data, sizes, samples);
    if (ZDICT_isError(n)) {
        printf("no dictionary: %s\n", ZDICT_getErrorName(n));
        free(dict);
        return;
    }
    printf("dictionary of %zu bytes, hash %016llx\n", n, (unsigned long long)sample_hash(dict, n));
    ZSTD_CCtx *c = ZSTD_createCCtx();
    ZSTD_DCtx *d = ZSTD_createDCtx();
    size_t total = 0;
    for (int i = 0; i < samples; i++) {
        const unsigned char *from = data + (size_t)i * each;
        size_t packed = check("with dictionary", ZSTD_compress_usingDict(c, out, sizeof out, from, each, dict, n, 5));
        size_t unpacked = check("back", ZSTD_decompress_usingDict(d, back, sizeof back, out, packed, dict, n));
        sample_check("dictionary", from, each, back, unpacked);
        total += packed;
    }
    ZSTD_freeCCtx(c);
    ZSTD_freeDCtx(d);
    printf("with dictionary: %zu bytes\n", total);
    free(dict);
}

int main(int argc, char **argv) {
    static const int levels[] = {-5, 1, 2, 3, 5, 7, 9, 12, 16, 19};
    size_t size = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    unsigned char *data = sample(size);
    printf("zstd %s, data %016llx\n", ZSTD_versionString(), (unsigned long long)sample_hash(data, size));
    if (argc > 2) {
        one_shot(data, size, atoi(argv[2]));
        free(data);
        return 0;
    }
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) one_shot(data, levels[i] > 6 ? size / 4 : size, levels[i]);
    one_shot(data, 0, 3);
    one_shot(data, 1, 3);
    one_shot(data, 300, 19);
    for (int flags = 0; flags < 8; flags++) streamed(data, size / (flags & 4 ? 8 : 2), flags + 1, flags);
    dictionary(data, size);
    unsigned char small[4000], back[3000];
    size_t packed = ZSTD_compress(small, sizeof small, data, sizeof back, 3);
    int refused = 0;
    for (size_t i = 0; i < packed; i += 7) {
        small[i] ^= 0x10;
        size_t code = ZSTD_decompress(back, sizeof back, small, packed);
        refused += ZSTD_isError(code) != 0;
        small[i] ^= 0x10;
    }
    printf("damaged input refused %d times, truncated %d\n", refused, ZSTD_isError(ZSTD_decompress(back, sizeof back, small, packed / 2)) != 0);
    free(data);
    return 0;
}
