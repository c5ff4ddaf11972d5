/* JSON: written from values, read to a tree, written again: both texts must be the same. */

#include "program.h"

enum kind { NOTHING, TRUTH, NUMBER, STRING, LIST, OBJECT };
struct value { enum kind kind; int count; int64_t number; const char *text; struct value *first, *next; };

enum { VALUES = 20000, LENGTH = 400000 };

static struct value pool[VALUES];
static int used;
static char written[LENGTH], again[LENGTH], strings[LENGTH];
static size_t string_bytes;

struct reader { const char *at; int bad; };

static void blanks(struct reader *r) {
    while (*r->at == ' ' || *r->at == '\n' || *r->at == '\t')
        r->at++;
}

static const char *string(struct reader *r) {
    char *out = strings + string_bytes, *start = out;
    for (r->at++; *r->at && *r->at != '"'; r->at++) {
        char c = *r->at;
        if (c == '\\') {
            c = *++r->at;
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
        }
        *out++ = c;
    }
    r->bad |= *r->at != '"';
    r->at += *r->at == '"';
    *out++ = 0;
    string_bytes += (size_t)(out - start);
    return start;
}

static struct value *read(struct reader *r) {
    struct value *v = &pool[used++];
    memset(v, 0, sizeof *v);
    blanks(r);
    char c = *r->at;
    if (c == '"') {
        v->kind = STRING;
        v->text = string(r);
    } else if (c == '[' || c == '{') {
        struct value **end = &v->first;
        v->kind = c == '[' ? LIST : OBJECT;
        char close = c == '[' ? ']' : '}';
        r->at++;
        blanks(r);
        while (!r->bad && *r->at != close) {
            const char *name = NULL;
            if (v->kind == OBJECT) {
                blanks(r);
                name = string(r);
                blanks(r);
                r->bad |= *r->at++ != ':';
            }
            struct value *item = read(r);
            if (name && item->kind != STRING)
                item->text = name;
            *end = item;
            end = &item->next;
            v->count++;
            blanks(r);
            if (*r->at == ',')
                r->at++;
            else
                r->bad |= *r->at != close;
        }
        r->at++;
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        int negative = c == '-';
        v->kind = NUMBER;
        for (r->at += negative; *r->at >= '0' && *r->at <= '9'; r->at++)
            v->number = v->number * 10 + (*r->at - '0');
        v->number = negative ? -v->number : v->number;
    } else if (!strncmp(r->at, "true", 4) || !strncmp(r->at, "null", 4)) {
        v->kind = c == 't' ? TRUTH : NOTHING;
        r->at += 4;
    } else
        r->bad = 1;
    return v;
}

static char *quoted(char *o, const char *s) {
    *o++ = '"';
    for (; *s; s++) {
        if (*s == '"' || *s == '\\' || *s == '\n' || *s == '\t')
            *o++ = '\\';
        *o++ = *s == '\n' ? 'n' : *s == '\t' ? 't' : *s;
    }
    *o++ = '"';
    return o;
}

static char *write(char *o, const struct value *v) {
    char digits[24], *d = digits;
    uint64_t n = (uint64_t)(v->number < 0 ? -v->number : v->number);
    switch (v->kind) {
    case NOTHING: return (char *)memcpy(o, "null", 4) + 4;
    case TRUTH: return (char *)memcpy(o, "true", 4) + 4;
    case STRING: return quoted(o, v->text);
    case NUMBER:
        do
            *d++ = (char)('0' + n % 10);
        while (n /= 10);
        if (v->number < 0)
            *o++ = '-';
        while (d > digits)
            *o++ = *--d;
        return o;
    default:
        *o++ = v->kind == LIST ? '[' : '{';
        for (const struct value *item = v->first; item; item = item->next) {
            if (v->kind == OBJECT) {
                o = quoted(o, item->kind == STRING ? "string" : item->text);
                *o++ = ':';
            }
            o = write(o, item);
            if (item->next)
                *o++ = ',';
        }
        *o++ = v->kind == LIST ? ']' : '}';
        return o;
    }
}

/* A random value, written as text. */
static char *generated(char *o, uint32_t *state, int depth) {
    uint32_t r = next_random(state) % (depth ? 7 : 4);
    if (r == 0)
        return (char *)memcpy(o, "null", 4) + 4;
    if (r == 1)
        return o + sprintf(o, "%d", (int)next_random(state) >> (next_random(state) & 31));
    if (r == 2)
        return quoted(o, "a \"word\"\nand\tmore");
    if (r == 3)
        return (char *)memcpy(o, "true", 4) + 4;
    int count = (int)(next_random(state) % 8) + 1;
    *o++ = r == 4 ? '[' : '{';
    for (int i = 0; i < count; i++) {
        char name[12], *item = o;
        sprintf(name, "\"k%d\":", i);
        size_t length = r == 4 ? 0 : strlen(name);
        o = generated(o + length, state, depth - 1);
        if (length && item[length] == '"') {
            /* The name of a string is not kept. */
            memmove(item + 9, item + length, (size_t)(o - item) - length);
            memcpy(item, "\"string\":", 9);
            o += 9 - length;
        } else
            memcpy(item, name, length);
        *o++ = i + 1 < count ? ',' : r == 4 ? ']' : '}';
    }
    return o;
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv), good = 1;
    uint32_t state = 61;
    uint64_t sum = 0;
    for (int round = 0; round < rounds; round++) {
        char *o = written;
        *o++ = '[';
        for (int i = 0; i < 40; i++) {
            o = generated(o, &state, 4);
            *o++ = i < 39 ? ',' : ']';
        }
        *o = 0;
        for (int k = 0; k < 4; k++) {
            used = 0;
            string_bytes = 0;
            struct reader r = {written, 0};
            struct value *v = read(&r);
            char *end = write(again, v);
            *end = 0;
            good &= !r.bad && strcmp(written, again) == 0;
            sum = mixed(sum, (uint64_t)used + (uint64_t)(end - again));
        }
    }
    return finished("json", sum, good);
}
