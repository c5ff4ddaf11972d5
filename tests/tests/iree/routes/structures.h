// What IREE's local devices and their libraries and plugins share.
#include <stddef.h>
#include <stdint.h>
struct LibraryHeader {
    uint32_t version;
    const char *name;
    uint32_t features, sanitizer;
};
struct Exports {
    uint32_t count;
    void *functions, *attrs, *params, *occupancy, *names, *tags, *parameter_names, *source_locations, *stage_locations;
};
struct Library {
    void *header;
    struct {
        uint32_t count;
        void *names;
    } imports;
    struct Exports exports;
    struct {
        uint32_t count;
    } constants;
    struct {
        uint32_t count;
        void *files;
    } sources;
};
struct DispatchAttrs {
    uint64_t flags;
    uint16_t local_memory_pages;
    uint8_t constants, bindings;
    uint32_t workgroup_size_x, workgroup_size_y;
    uint16_t workgroup_size_z, parameters;
    uint64_t reserved[5];
};
struct DispatchState {
    uint32_t workgroup_size_x, workgroup_size_y;
    uint16_t workgroup_size_z, constant_count;
    uint32_t workgroup_count_x, workgroup_count_y;
    uint16_t workgroup_count_z;
    uint8_t max_concurrency, binding_count;
    const uint32_t *constants;
    void *const *bindings;
    const size_t *lengths;
};
struct Plugin {
    void *header;
    size_t (*load)(const void *, size_t, const void *, void **);
    void (*unload)(void *);
    size_t (*resolve)(void *, const void *, uint32_t *);
};
struct PluginHeader {
    uint32_t version;
    const char *name, *description;
    uint32_t features, sanitizer;
    uint64_t reserved[8];
};
struct Resolution {
    size_t count;
    const char *const *names;
    void **functions, **contexts;
};
