// What a module and the runtime that loads it share, as C has it.
#include <stddef.h>
#include <stdint.h>

typedef void (*Code)(void);

struct View { const void *data; size_t len; };
struct Pair { struct View key, value; };
struct Allocator { void *this; Code ctl; };
struct Reference { void *object; uintptr_t ty; };
struct Descriptor { Code destroy; struct View name; };
struct FunctionRef { void *module; uint16_t linkage, ordinal; };
struct ModuleSignature { uint32_t version; size_t attrs, imports, exports, internals; };
struct Dependency { struct View name; uint32_t version, flags; };
struct Call { struct FunctionRef function; struct View args, results; };
struct Interface {
  void *this;
  int32_t count;
  Code destroy, name, signature, enumerate_dependencies, get_module_attr, lookup_function, get_function, get_function_attr,
      resolve_source_location, alloc_state, free_state, fork_state, resolve_import, notify, begin_call, resume_call;
};
struct Status { void *head, *tail; const char *file; uint32_t line; struct View message; };
struct Stack {
  void *top;
  size_t used, capacity;
  void *storage;
  _Bool owned;
  uint32_t flags;
  void *resolver;
  Code query;
  struct Allocator allocator;
};
struct Buffer { int32_t count; const void *table; void *root; uint64_t allocation, offset, len; };
struct BufferTable { Code recycle, destroy, map_range; };
struct Memory { int32_t count; uint32_t access; struct View data; };
struct List {
  int32_t count;
  struct Allocator allocator;
  size_t capacity, len, ty, item;
  uint32_t mode;
  void *items;
};
struct Variant { uintptr_t ty; union { uint64_t number; double real; struct Reference reference; } payload; };
