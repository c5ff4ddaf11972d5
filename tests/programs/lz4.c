/* Real work for lz4: fast and high compression, frames, partial decoding. */
#include "sample.h"
#include "lz4.h"
#include "lz4frame.h"
#include "lz4hc.h"

int main(int argc, char **argv) {
    int size = argc > 1 ? atoi(argv[1]) : 1000000;
    unsigned char *data = sample((size_t)size);
    int room = LZ4_compressBound(size);
    char *out = malloc((size_t)room), *back = malloc((size_t)size);
    printf("lz4 %s\n", LZ4_versionString());
    for (int level = -3; level <= 12; level++) {
        int n = level < 1 ? LZ4_compress_fast((char *)data, out, size, room, 1 - level * 5) : LZ4_compress_HC((char *)data, out, size, room, level);
        int m = LZ4_decompress_safe(out, back, n, size);
        sample_check("lz4", data, (size_t)size, back, (size_t)m);
        int part = LZ4_decompress_safe_partial(out, back, n, size / 3, size);
        printf("level %d: %d bytes, hash %016llx, part %d\n", level, n, (unsigned long long)sample_hash(out, (size_t)n), part);
    }
    LZ4F_preferences_t p = LZ4F_INIT_PREFERENCES;
    p.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    p.frameInfo.blockMode = LZ4F_blockLinked;
    p.frameInfo.contentSize = (unsigned long long)size;
    size_t bound = LZ4F_compressFrameBound((size_t)size, &p);
    char *frame = malloc(bound);
    size_t n = LZ4F_compressFrame(frame, bound, data, (size_t)size, &p), at = 0, got = 0;
    LZ4F_dctx *d;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&d, LZ4F_VERSION))) return 1;
    for (;;) {
        size_t in = n - at < 5000 ? n - at : 5000, to = (size_t)size - got;
        size_t code = LZ4F_decompress(d, back + got, &to, frame + at, &in, NULL);
        if (LZ4F_isError(code)) {
            printf("failed: %s\n", LZ4F_getErrorName(code));
            return 1;
        }
        at += in;
        got += to;
        if (!code) break;
    }
    LZ4F_freeDecompressionContext(d);
    sample_check("frame", data, (size_t)size, back, got);
    printf("frame: %zu bytes, hash %016llx\n", n, (unsigned long long)sample_hash(frame, n));
    free(frame);
    free(out);
    free(back);
    free(data);
    return 0;
}
