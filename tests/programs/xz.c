/* Real work for xz: presets, each check, filters before the compression, the format of one stream alone, damaged input. */
#include "sample.h"
#include "lzma.h"

static uint8_t *data, *out, *back;
static size_t size, room;

static void decoded(const char *what, size_t n) {
    uint64_t memory = UINT64_MAX;
    size_t in = 0, m = 0;
    if (lzma_stream_buffer_decode(&memory, 0, NULL, out, &in, n, back, &m, size) != LZMA_OK) {
        printf("%s: not decoded\n", what);
        exit(1);
    }
    sample_check(what, data, size, back, m);
    printf("%s: %zu bytes, hash %016llx\n", what, n, (unsigned long long)sample_hash(out, n));
}

static void filtered(const char *what, lzma_vli id, void *options) {
    lzma_options_lzma lzma;
    size_t n = 0;
    if (lzma_lzma_preset(&lzma, 2)) exit(2);
    lzma_filter filters[] = {{id, options}, {LZMA_FILTER_LZMA2, &lzma}, {LZMA_VLI_UNKNOWN, NULL}};
    if (lzma_stream_buffer_encode(filters, LZMA_CHECK_CRC32, NULL, data, size, out, &n, room) != LZMA_OK) exit(3);
    decoded(what, n);
}

static void alone(void) {
    lzma_options_lzma lzma;
    lzma_stream stream = LZMA_STREAM_INIT;
    if (lzma_lzma_preset(&lzma, 4) || lzma_alone_encoder(&stream, &lzma) != LZMA_OK) exit(4);
    stream.next_in = data;
    stream.avail_in = size;
    stream.next_out = out;
    stream.avail_out = room;
    if (lzma_code(&stream, LZMA_FINISH) != LZMA_STREAM_END) exit(5);
    size_t n = (size_t)stream.total_out;
    lzma_end(&stream);
    if (lzma_alone_decoder(&stream, UINT64_MAX) != LZMA_OK) exit(6);
    stream.next_in = out;
    stream.next_out = back;
    lzma_ret code = LZMA_OK;
    /* In small pieces, so that the decoder stops and goes on everywhere. */
    while (code == LZMA_OK) {
        stream.avail_in = n - (size_t)stream.total_in < 777 ? n - (size_t)stream.total_in : 777;
        stream.avail_out = size - (size_t)stream.total_out < 3333 ? size - (size_t)stream.total_out : 3333;
        code = lzma_code(&stream, LZMA_RUN);
    }
    sample_check("alone", data, size, back, (size_t)stream.total_out);
    printf("alone: %zu bytes, code %d, hash %016llx\n", n, code, (unsigned long long)sample_hash(out, n));
    lzma_end(&stream);
}

int main(int argc, char **argv) {
    size = argc > 1 ? (size_t)atoi(argv[1]) : 300000;
    data = sample(size);
    room = lzma_stream_buffer_bound(size);
    out = malloc(room);
    back = malloc(size);
    printf("xz %s\n", lzma_version_string());
    static const struct { uint32_t preset; lzma_check check; const char *name; } runs[] = {
        {0, LZMA_CHECK_CRC32, "preset 0"},
        {3, LZMA_CHECK_CRC64, "preset 3"},
        {6, LZMA_CHECK_SHA256, "preset 6"},
        {9 | LZMA_PRESET_EXTREME, LZMA_CHECK_NONE, "preset 9e"},
    };
    size_t n = 0;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        n = 0;
        if (lzma_easy_buffer_encode(runs[i].preset, runs[i].check, NULL, data, size, out, &n, room) != LZMA_OK) return 7;
        decoded(runs[i].name, n);
    }
    lzma_options_delta delta = {.type = LZMA_DELTA_TYPE_BYTE, .dist = 4};
    filtered("differences", LZMA_FILTER_DELTA, &delta);
    filtered("x86", LZMA_FILTER_X86, NULL);
    alone();
    n = 0;
    if (lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, data, size, out, &n, room) != LZMA_OK) return 8;
    out[n / 2] ^= 4;
    uint64_t memory = UINT64_MAX;
    size_t in = 0, m = 0;
    printf("damaged: %d\n", lzma_stream_buffer_decode(&memory, 0, NULL, out, &in, n, back, &m, size) == LZMA_OK);
    free(out);
    free(back);
    free(data);
    return 0;
}
