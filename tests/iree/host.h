/* What a host of modules knows of them: IREE's declarations, written down anew. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uintptr_t status;
typedef struct { const char *data; size_t len; } view;
typedef struct { void *data; size_t len; } span;
typedef struct { view key, value; } pair;
typedef struct { void *self; status (*ctl)(void *self, uint32_t command, const size_t *bytes, void **inout); } allocator;
typedef struct { void (*destroy)(void *); view name; } descriptor;
typedef struct { void *object; uintptr_t type; } reference;
struct module;
typedef struct { struct module *module; uint16_t linkage, ordinal; } function;
typedef struct { uint32_t version; size_t attrs, imports, exports, internals; } module_signature;
typedef struct { view name; uint32_t version, flags; } dependency;
typedef struct { function function; span args, results; } call;
typedef struct {
    void *top;
    size_t used, capacity;
    void *storage;
    bool owned;
    uint32_t flags;
    void *resolver;
    status (*query)(void *resolver, struct module *, void **state);
    allocator allocator;
} stack;
typedef struct module {
    void *self;
    int32_t count;
    void (*destroy)(void *self);
    view (*name)(void *self);
    module_signature (*signature)(void *self);
    status (*enumerate_dependencies)(void *self, status (*each)(void *user, const dependency *), void *user);
    status (*get_module_attr)(void *self, size_t index, pair *out);
    status (*lookup_function)(void *self, uint32_t linkage, view name, const view *convention, function *out);
    status (*get_function)(void *self, uint32_t linkage, size_t ordinal, function *out, view *name, view *convention);
    status (*get_function_attr)(void *self, uint32_t linkage, size_t ordinal, size_t index, pair *out);
    void *resolve_source_location;
    status (*alloc_state)(void *self, allocator, void **out);
    void (*free_state)(void *self, void *state);
    status (*fork_state)(void *self, void *parent, allocator, void **out);
    status (*resolve_import)(void *self, void *state, size_t ordinal, const function *, const view *convention);
    status (*notify)(void *self, void *state, uint32_t signal);
    status (*begin_call)(void *self, stack *, call);
    status (*resume_call)(void *self, stack *, span);
} module;

status iree_vm_dynamic_module_create(uint32_t version, void *instance, size_t count, const pair *params, allocator, module **out);

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

/* Blocks and objects that are not given back yet. */
static int blocks, objects;
/* Calls of the host's that succeed before one fails; below zero none does. */
static int until_failure = -1;

static status control(void *self, uint32_t command, const size_t *bytes, void **inout) {
    CHECK(self == &blocks && (command == 1 || command == 3));
    if (command == 3) {
        free(*inout);
        blocks--;
        return 0;
    }
    if (until_failure-- == 0) return 8;
    *inout = calloc(1, *bytes);
    blocks++;
    return 0;
}
static const allocator memory = {&blocks, control};

static stack the_stack;
/* The module that is asked. */
static module *it;

static status invoke(const char *name, void *args, size_t args_len, void *results, size_t results_len) {
    function f;
    CHECK(!it->lookup_function(it->self, 2, (view){name, strlen(name)}, NULL, &f));
    memset(results, 0, results_len);
    return it->begin_call(it->self, &the_stack, (call){f, {args, args_len}, {results, results_len}});
}
#define INVOKE(name, args, results) invoke(name, &(args), sizeof(args), &(results), sizeof(results))

/* The code of a status, which is freed; its message is to have a text in it. */
static int code_of(status s, const char *text) {
    struct { void *head, *tail; const char *file; uint32_t line; view message; } *at = (void *)(s & ~(status)31);
    if (at) {
        CHECK(strlen(at->message.data) == at->message.len && !at->head && !at->tail);
        if (!strstr(at->message.data, text)) {
            printf("%s, not %s\n", at->message.data, text);
            exit(1);
        }
#ifdef _WIN32
        _aligned_free(at);
#else
        free(at);
#endif
    } else {
        CHECK(!*text);
    }
    return s & 31;
}
