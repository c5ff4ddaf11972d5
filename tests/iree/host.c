/* A host for modules: as much of IREE's runtime as a module of natives.c sees of it. All that it hands out is counted, and any of its
   calls can be made to fail. */
#include "host.h"

/* Objects. Their counts stand at another place in each type, as the type says. */
typedef struct buffer {
    int32_t count;
    const struct table *table;
    struct buffer *root;
    uint64_t allocation, offset, len;
    char *data;
} buffer;
typedef struct table {
    void (*recycle)(buffer *);
    void (*destroy)(buffer *);
    status (*map_range)(buffer *, uint32_t mode, uint16_t access, uint64_t offset, uint64_t len, void **mapping);
} table;
typedef struct { int32_t before, count; reference buffer; uint32_t element; int rank; int64_t dims[32]; } buffer_view;
typedef struct { int32_t count; } plain;

static void release(reference *r);
static void free_object(void *object) {
    objects--;
    free(object);
}
static void free_buffer(void *object) {
    free(((buffer *)object)->data);
    free_object(object);
}
static void free_view(void *object) {
    release(&((buffer_view *)object)->buffer);
    free_object(object);
}
#define NAME(text) {text, sizeof text - 1}
/* Addresses of descriptors have three low bits to spare. */
static _Alignas(16) const descriptor buffer_type = {free_buffer, NAME("hal.buffer")};
static _Alignas(16) const descriptor view_type = {free_view, NAME("hal.buffer_view")};
static _Alignas(16) const descriptor device_type = {free_object, NAME("hal.device")};
static _Alignas(16) const descriptor allocator_type = {free_object, NAME("hal.allocator")};

static reference make(const descriptor *type, size_t bytes, size_t count_at) {
    reference r = {calloc(1, bytes), (uintptr_t)type | count_at / 4};
    *(int32_t *)((char *)r.object + count_at) = 1;
    objects++;
    return r;
}
static void retain(reference r) { ++*(int32_t *)((char *)r.object + 4 * (r.type & 7)); }
static void release(reference *r) {
    if (r->object && --*(int32_t *)((char *)r->object + 4 * (r->type & 7)) == 0)
        ((const descriptor *)(r->type & ~(uintptr_t)7))->destroy(r->object);
    *r = (reference){0};
}
static void *of_type(const reference *r, const descriptor *type) {
    CHECK(r->object && (r->type & ~(uintptr_t)7) == (uintptr_t)type);
    return r->object;
}

static status map_range(buffer *root, uint32_t mode, uint16_t access, uint64_t offset, uint64_t len, void **mapping) {
    CHECK(root == root->root && mode == 2 && access >= 1 && access <= 7 && offset + len <= root->allocation);
    for (int i = 0; i < 6; i++) CHECK(!mapping[i]);
    if (until_failure-- == 0) return 13;
    mapping[0] = root->data + offset;
    return 0;
}
static const table buffer_table = {0, 0, map_range};

static reference make_buffer(uint64_t bytes) {
    reference r = make(&buffer_type, sizeof(buffer), 0);
    buffer *b = r.object;
    /* Data stands after something else in its allocation. */
    *b = (buffer){1, &buffer_table, b, bytes + 24, 24, bytes, malloc(bytes + 24)};
    return r;
}
static reference make_view(reference buffer, uint32_t element, int rank, const int64_t *dims) {
    reference r = make(&view_type, sizeof(buffer_view), 4);
    buffer_view *v = r.object;
    v->buffer = buffer;
    retain(buffer);
    v->element = element;
    v->rank = rank;
    for (int i = 0; i < rank; i++) v->dims[i] = dims[i];
    return r;
}

/* The functions of the host's, each with its blocks as structs of C. */
static status buffer_of(const reference *args, reference *out) {
    *out = ((buffer_view *)of_type(args, &view_type))->buffer;
    retain(*out);
    return 0;
}
static status rank_of(const reference *args, int32_t *out) {
    *out = ((buffer_view *)of_type(args, &view_type))->rank;
    return 0;
}
static status dim_of(const struct { reference r; int32_t i; } *args, int64_t *out) {
    *out = ((buffer_view *)of_type(&args->r, &view_type))->dims[args->i];
    return 0;
}
static status element_of(const reference *args, int32_t *out) {
    *out = ((buffer_view *)of_type(args, &view_type))->element;
    return 0;
}
struct create {
    reference buffer;
    int64_t offset, len;
    int32_t element, encoding;
    uint32_t count;
    int64_t dims[];
};
static status view_create(const struct create *args, reference *out) {
    buffer *b = of_type(&args->buffer, &buffer_type);
    CHECK(args->offset == 0 && args->encoding == 1 && args->len == (int64_t)b->len);
    *out = make_view(args->buffer, args->element, args->count, args->dims);
    return 0;
}
static status length_of(const reference *args, int64_t *out) {
    *out = ((buffer *)of_type(args, &buffer_type))->len;
    return 0;
}
static status devices_get(const int32_t *args, reference *out) {
    CHECK(*args == 0);
    *out = make(&device_type, sizeof(plain), 0);
    return 0;
}
static status device_allocator(const reference *args, reference *out) {
    of_type(args, &device_type);
    *out = make(&allocator_type, sizeof(plain), 0);
    return 0;
}
static status allocate(const struct { reference r; int64_t where; int32_t type, usage; int64_t bytes; } *args, reference *out) {
    of_type(&args->r, &allocator_type);
    CHECK(args->where == -1 && (args->type & 0x50) == 0x50 && args->usage);
    *out = make_buffer(args->bytes);
    return 0;
}
static const struct { const char *name, *convention; void *call; size_t args, results; } offered[] = {
    {"hal.buffer_view.buffer", "0r_r", buffer_of, sizeof(reference), sizeof(reference)},
    {"hal.buffer_view.rank", "0r_i", rank_of, sizeof(reference), 4},
    {"hal.buffer_view.dim", "0ri_I", dim_of, sizeof(struct { reference r; int32_t i; }), 8},
    {"hal.buffer_view.element_type", "0r_i", element_of, sizeof(reference), 4},
    {"hal.buffer_view.create", "0rIIiiCID_r", view_create, 0, sizeof(reference)},
    {"hal.buffer.length", "0r_I", length_of, sizeof(reference), 8},
    {"hal.devices.get", "0i_r", devices_get, 4, sizeof(reference)},
    {"hal.device.allocator", "0r_r", device_allocator, sizeof(reference), sizeof(reference)},
    {"hal.allocator.allocate", "0rIiiI_r", allocate,
     sizeof(struct { reference r; int64_t where; int32_t type, usage; int64_t bytes; }), sizeof(reference)},
};

static status host_call(void *self, stack *s, call c) {
    CHECK(self == &offered && s == &the_stack && c.function.linkage == 2 && c.args.data && c.results.data);
    int i = c.function.ordinal;
    CHECK(c.results.len == offered[i].results);
    for (size_t k = 0; k < c.results.len; k++) CHECK(!((char *)c.results.data)[k]);
    if (offered[i].args) CHECK(c.args.len == offered[i].args);
    else CHECK(c.args.len == sizeof(struct create) + 8 * ((struct create *)c.args.data)->count);
    if (until_failure-- == 0) return 13;
    return ((status(*)(const void *, void *))offered[i].call)(c.args.data, c.results.data);
}
static module hal = {.self = (void *)&offered, .begin_call = host_call};

/* The module's context. */
static void *state;
static int needed;
static status need(void *user, const dependency *d) {
    CHECK(user == &needed && d->name.len == 3 && !memcmp(d->name.data, "hal", 3) && d->flags == 1);
    needed++;
    return 0;
}
static void resolve(void *state) {
    module_signature s = it->signature(it->self);
    for (size_t i = 0; i < s.imports; i++) {
        view name, convention;
        CHECK(!it->get_function(it->self, 1, i, NULL, &name, &convention));
        size_t k = 0;
        while (k < sizeof offered / sizeof *offered &&
               (strlen(offered[k].name) != name.len || memcmp(offered[k].name, name.data, name.len)))
            k++;
        CHECK(k < sizeof offered / sizeof *offered);
        CHECK(strlen(offered[k].convention) == convention.len && !memcmp(offered[k].convention, convention.data, convention.len));
        function f = {&hal, 2, (uint16_t)k};
        CHECK(!it->resolve_import(it->self, state, i, &f, &convention));
    }
    CHECK(it->resolve_import(it->self, state, s.imports, &(function){0}, NULL) == 11);
}
static reference floats(int rank, const int64_t *dims, const float *values) {
    size_t total = 1;
    for (int i = 0; i < rank; i++) total *= dims[i];
    reference b = make_buffer(4 * total);
    memcpy(((buffer *)b.object)->data + 24, values, 4 * total);
    reference v = make_view(b, 0x21000020, rank, dims);
    release(&b);
    return v;
}
static void are(reference *r, int rank, const int64_t *dims, const float *values) {
    buffer_view *v = of_type(r, &view_type);
    CHECK(v->rank == rank && v->element == 0x21000020);
    size_t total = 1;
    for (int i = 0; i < rank; i++) {
        CHECK(v->dims[i] == dims[i]);
        total *= dims[i];
    }
    buffer *b = v->buffer.object;
    CHECK(b->len == 4 * total && !memcmp(b->data + b->offset, values, 4 * total));
    release(r);
}
#define DIMS(...) (int64_t[]){__VA_ARGS__}
#define VALUES(...) (float[]){__VA_ARGS__}

static void numbers(void) {
    struct { int32_t a, b; } two = {3, 4};
    int32_t sum;
    CHECK(!INVOKE("add", two, sum) && sum == 7);
    struct { int32_t a; int64_t b; float c; double d; } mixed = {1, 40, 0.5f, 2.25};
    struct { int64_t sum; double product; int32_t small; float half; } out;
    CHECK(!INVOKE("mix", mixed, out) && out.sum == 41 && out.product == 1.125 && out.small == 1 && out.half == 0.25);
    struct {
        int32_t a, b;
        int64_t c;
        int32_t d;
        int64_t e;
        int32_t f;
        int64_t g;
        int32_t h;
        float i;
        double j, k;
        float l;
        double m, n, o;
        float p;
        double q;
        float r;
    } many = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
    double total;
    CHECK(!INVOKE("many", many, total) && total == 2109);
    uint32_t bits = 0xABCDEF02;
    CHECK(!INVOKE("flip", bits, sum) && sum == 1);
    struct { uint32_t a, b; } bytes = {0xFFFFFF64, 0x12345664};
    CHECK(!INVOKE("add8", bytes, sum) && sum == -56);
    bits = 0x7FFF8001;
    CHECK(!INVOKE("neg16", bits, sum) && sum == 32767);
    char none;
    int32_t before, after;
    CHECK(!invoke("count", &none, 0, &before, 4) && !invoke("nothing", &none, 0, &none, 0));
    CHECK(!invoke("count", &none, 0, &after, 4) && after == before + 1);
    if (sizeof mixed != 24) CHECK(code_of(invoke("mix", &mixed, 24, &out, sizeof out), "before 3.10") == 18);
    CHECK(code_of(invoke("mix", &mixed, 7, &out, sizeof out), "a block of 7 bytes") == 3);
    CHECK(code_of(invoke("mix", &mixed, sizeof mixed, &out, 5), "a block of 5 bytes") == 3);
}

/* Each of these gives its status; what it makes it releases. */
static status saxpy(void) {
    struct { float k; reference x, y; } args = {2, floats(1, DIMS(4), VALUES(1, 2, 3, 4)), floats(1, DIMS(4), VALUES(10, 20, 30, 40))};
    reference out;
    status s = INVOKE("saxpy", args, out);
    release(&args.x);
    release(&args.y);
    if (!s) are(&out, 1, DIMS(4), VALUES(12, 24, 36, 48));
    return s;
}
static status transpose(void) {
    reference a = floats(2, DIMS(2, 3), VALUES(1, 2, 3, 4, 5, 6)), out;
    status s = INVOKE("transpose", a, out);
    release(&a);
    if (!s) are(&out, 2, DIMS(3, 2), VALUES(1, 4, 2, 5, 3, 6));
    return s;
}
static status twice(void) {
    int32_t n = 3;
    struct { reference a; int32_t n; reference b; } out;
    status s = INVOKE("twice", n, out);
    if (!s) {
        CHECK(out.n == 3);
        are(&out.a, 1, DIMS(3), VALUES(0, 1, 2));
        are(&out.b, 1, DIMS(3), VALUES(0, 1, 2));
    }
    return s;
}
static status scale(void) {
    struct { reference x; float k; } args = {floats(1, DIMS(2), VALUES(3, 4)), 5};
    reference out;
    status s = INVOKE("scale", args, out);
    if (!s) {
        CHECK(out.object == args.x.object);
        are(&out, 1, DIMS(2), VALUES(15, 20));
    }
    release(&args.x);
    return s;
}
static status sum_any(void) {
    reference a = floats(3, DIMS(1, 2, 2), VALUES(1, 2, 3, 4));
    float out;
    status s = INVOKE("sum_any", a, out);
    release(&a);
    if (!s) CHECK(out == 10);
    return s;
}
static status nothing_in_it(void) {
    reference a = floats(2, DIMS(0, 3), VALUES(0)), out;
    status s = INVOKE("transpose", a, out);
    release(&a);
    if (!s) are(&out, 2, DIMS(3, 0), VALUES(0));
    return s;
}

/* Every call of the host's fails once, and nothing is left of it. */
static void with_failures(status (*function)(void)) {
    for (int n = 0;; n++) {
        CHECK(n < 200);
        int before = objects, blocks_before = blocks;
        until_failure = n;
        status s = function();
        bool all = until_failure >= 0;
        until_failure = -1;
        CHECK(objects == before && blocks == blocks_before);
        if (all) {
            CHECK(!s);
            return;
        }
        CHECK(code_of(s, "") == 13);
    }
}

static void wrong(void) {
    reference a = floats(1, DIMS(6), VALUES(1, 2, 3, 4, 5, 6)), out, null = {0};
    CHECK(code_of(INVOKE("transpose", a, out), "argument 0 has rank 1, not 2") == 3);
    CHECK(code_of(INVOKE("transpose", null, out), "transpose: argument 0 is null") == 3);
    ((buffer_view *)a.object)->element = 0x10000020;
    float sum;
    CHECK(code_of(INVOKE("sum_any", a, sum), "elements of type 0x10000020, not 0x21000020") == 3);
    ((buffer_view *)a.object)->element = 0x21000020;
    ((buffer_view *)a.object)->dims[0] = 7;
    CHECK(code_of(INVOKE("sum_any", a, sum), "a buffer of 24 bytes, not 28") == 3);
    release(&a);
    int32_t n = 4;
    CHECK(code_of(INVOKE("iota3", n, out), "result 0 has size 4 in dimension 0, not 3") == 3);
#ifndef NO_FAIL
    struct { int32_t a, b; } by = {7, 0};
    int32_t quotient;
    CHECK(code_of(INVOKE("checked", by, quotient), "division by zero, 100%") == 9);
    by.b = 2;
    CHECK(!INVOKE("checked", by, quotient) && quotient == 3);
    struct { int32_t a; reference b; } failing;
    a = floats(1, DIMS(1), VALUES(1));
    CHECK(code_of(INVOKE("failing", a, failing), "it always fails") == 9);
    release(&a);
#endif
}

/* Where a second context has other imports. */
static status query(void *resolver, module *m, void **out) {
    CHECK(m == it);
    *out = *(void **)resolver;
    return 0;
}
static void contexts(void) {
    void *second;
    CHECK(!it->alloc_state(it->self, memory, &second));
    resolve(second);
    CHECK(!code_of(saxpy(), ""));
    /* Its functions are those of another object: the module must ask whose turn it is. */
    module other = hal;
    module_signature s = it->signature(it->self);
    for (size_t i = 0; i < s.imports; i++) {
        function f = {&other, 2, 0};
        view name;
        CHECK(!it->get_function(it->self, 1, i, NULL, &name, NULL));
        for (size_t k = 0; k < sizeof offered / sizeof *offered; k++)
            if (strlen(offered[k].name) == name.len && !memcmp(offered[k].name, name.data, name.len)) f.ordinal = (uint16_t)k;
        CHECK(!it->resolve_import(it->self, second, i, &f, NULL));
    }
    the_stack.query = query;
    for (int turn = 0; turn < 4; turn++) {
        the_stack.resolver = turn % 2 ? &second : &state;
        CHECK(!code_of(saxpy(), ""));
    }
    the_stack.allocator.self = NULL;
    CHECK(code_of(saxpy(), "two contexts whose imports differ") == 9);
    the_stack.allocator = memory;
    void *forked;
    CHECK(!it->fork_state(it->self, second, memory, &forked));
    the_stack.resolver = &forked;
    CHECK(!code_of(saxpy(), ""));
    it->free_state(it->self, forked);
    it->free_state(it->self, second);
}

int main(void) {
    pair parameter = {NAME("a"), NAME("b")};
    CHECK(code_of(iree_vm_dynamic_module_create(0, NULL, 0, NULL, memory, &it), "up to version 0") == 18);
    CHECK(code_of(iree_vm_dynamic_module_create(1, NULL, 1, &parameter, memory, &it), "no parameters") == 3);
    until_failure = 0;
    CHECK(code_of(iree_vm_dynamic_module_create(1, NULL, 0, NULL, memory, &it), "") == 8 && !blocks);
    until_failure = -1;
    CHECK(!iree_vm_dynamic_module_create(1, NULL, 0, NULL, memory, &it));
    view name = it->name(it->self);
    CHECK(it->count == 1 && name.len == 7 && !memcmp(name.data, "natives", 7));
    CHECK(!it->enumerate_dependencies(it->self, need, &needed) && needed == 1);
    function f;
    CHECK(it->lookup_function(it->self, 2, (view)NAME("sax"), NULL, &f) == 5);
    CHECK(it->lookup_function(it->self, 4, (view)NAME("__init"), NULL, &f) == 5);
    pair attribute;
    CHECK(it->get_module_attr(it->self, 0, &attribute) == 11);
    CHECK(!it->get_function_attr(it->self, 2, 0, 0, &attribute));
    CHECK(attribute.key.len == 8 && !memcmp(attribute.key.data, "iree.abi", 8) && attribute.value.data[0] == '{');
    CHECK(it->get_function_attr(it->self, 2, 0, 9, &attribute) == 11);
    CHECK(it->get_function_attr(it->self, 2, it->signature(it->self).exports, 0, &attribute) == 11);
    CHECK(!it->alloc_state(it->self, memory, &state));
    the_stack.allocator = memory;
    reference unresolved = floats(1, DIMS(1), VALUES(1));
    float sum;
    CHECK(code_of(INVOKE("sum_any", unresolved, sum), "not resolved") == 9);
    release(&unresolved);
    resolve(state);
    numbers();
    status (*functions[])(void) = {saxpy, transpose, twice, scale, sum_any, nothing_in_it};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) with_failures(functions[i]);
    wrong();
    contexts();
    CHECK(!it->notify(it->self, state, 0) && it->resume_call(it->self, &the_stack, (span){0}) == 12);
    it->free_state(it->self, state);
    it->destroy(it->self);
    CHECK(!objects && !blocks);
    puts("done");
    return 0;
}
