/* Real work for zlib: several levels and strategies, streams in odd pieces, dictionaries, checksums, gzip files. */
#include "sample.h"
#include "zlib.h"

static void die(const char *what, int code) {
    printf("failed: %s: %d\n", what, code);
    exit(1);
}

static void round_trip(const unsigned char *data, size_t size, int level, int strategy, int bits, size_t piece) {
    size_t room = compressBound(size) + 1000, packed, done = 0;
    unsigned char *out = malloc(room), *back = malloc(size + 1);
    z_stream s = {0};
    int code = deflateInit2(&s, level, Z_DEFLATED, bits, 8, strategy);
    if (code != Z_OK) die("deflateInit2", code);
    s.next_out = out;
    while (done < size || code != Z_STREAM_END) {
        size_t in = size - done < piece ? size - done : piece;
        s.next_in = (unsigned char *)data + done;
        s.avail_in = (unsigned)in;
        s.avail_out = (unsigned)(room - s.total_out);
        done += in;
        code = deflate(&s, done == size ? Z_FINISH : (done / piece) % 5 == 4 ? Z_SYNC_FLUSH : Z_NO_FLUSH);
        if (code != Z_OK && code != Z_STREAM_END) die("deflate", code);
    }
    packed = s.total_out;
    deflateEnd(&s);
    memset(&s, 0, sizeof s);
    if ((code = inflateInit2(&s, bits)) != Z_OK) die("inflateInit2", code);
    s.next_out = back;
    for (done = 0; code != Z_STREAM_END;) {
        size_t in = packed - done < piece / 3 + 1 ? packed - done : piece / 3 + 1;
        s.next_in = out + done;
        s.avail_in = (unsigned)in;
        s.avail_out = (unsigned)(size + 1 - s.total_out);
        code = inflate(&s, Z_NO_FLUSH);
        if (code != Z_OK && code != Z_STREAM_END) die("inflate", code);
        done += in - s.avail_in;
    }
    sample_check("zlib", data, size, back, s.total_out);
    inflateEnd(&s);
    printf("level %d strategy %d bits %d: %zu bytes, hash %016llx\n", level, strategy, bits, packed, (unsigned long long)sample_hash(out, packed));
    free(out);
    free(back);
}

static void dictionary(const unsigned char *data, size_t size) {
    unsigned char out[8192], back[4096];
    z_stream s = {0};
    deflateInit(&s, 9);
    deflateSetDictionary(&s, data, 3000);
    s.next_in = (unsigned char *)data + size / 2;
    s.avail_in = 4000;
    s.next_out = out;
    s.avail_out = sizeof out;
    int code = deflate(&s, Z_FINISH);
    size_t packed = s.total_out;
    deflateEnd(&s);
    if (code != Z_STREAM_END) die("dictionary", code);
    memset(&s, 0, sizeof s);
    inflateInit(&s);
    s.next_in = out;
    s.avail_in = (unsigned)packed;
    s.next_out = back;
    s.avail_out = sizeof back;
    code = inflate(&s, Z_FINISH);
    if (code != Z_NEED_DICT) die("expected a dictionary", code);
    inflateSetDictionary(&s, data, 3000);
    code = inflate(&s, Z_FINISH);
    if (code != Z_STREAM_END) die("inflate with dictionary", code);
    sample_check("dictionary", data + size / 2, 4000, back, s.total_out);
    inflateEnd(&s);
    printf("dictionary: %zu bytes\n", packed);
}

int main(int argc, char **argv) {
    size_t size = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    unsigned char *data = sample(size);
    printf("zlib %s, crc %08lx, adler %08lx\n", zlibVersion(), crc32(0, data, (unsigned)size), adler32(1, data, (unsigned)size));
    if (argc > 2) {
        round_trip(data, size, atoi(argv[2]), 0, 15, 1 << 20);
        free(data);
        return 0;
    }
    printf("combined %08lx\n", crc32_combine(crc32(0, data, 1000), crc32(0, data + 1000, (unsigned)size - 1000), (z_off_t)size - 1000));
    for (int level = 0; level <= 9; level++) round_trip(data, size / (level > 6 ? 4 : 1), level, level % 4 == 3 ? Z_FILTERED : Z_DEFAULT_STRATEGY, 15, 10007 * (size_t)(level + 1));
    round_trip(data, size, 6, Z_HUFFMAN_ONLY, -15, 65536);
    round_trip(data, size, 6, Z_RLE, 31, 4096);
    round_trip(data, size / 2, 6, Z_FIXED, 12, 511);
    dictionary(data, size);
    /* A damaged stream has to be refused. */
    uLongf packed = compressBound(size), unpacked = size;
    unsigned char *out = malloc(packed), *back = malloc(size);
    compress(out, &packed, data, size);
    out[packed / 2] ^= 0x55;
    printf("damaged: %d\n", uncompress(back, &unpacked, out, packed) == Z_OK);
    free(out);
    free(back);
    if (argc > 3) {
        gzFile f = gzopen(argv[3], "wb7");
        for (int i = 0; i < 2000; i++) gzprintf(f, "line %d of %s, %5.2f\n", i, "a file", i / 7.0);
        gzclose(f);
    }
    free(data);
    return 0;
}
