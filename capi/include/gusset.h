/* Gusset's C interface: LLVM IR (text or bitcode), MLIR and Gusset's own IR to objects, assembly, and functions in memory.

   - Every value is owned by whoever got it, and is freed by the function of its type: gusset_X_free. Freeing NULL does nothing.
   - A function that can fail takes a place for an error as its last argument, which may be NULL. When it fails it gives NULL, and an
     error at that place, which the caller frees. The place is not touched otherwise.
   - Texts that the library takes end with a zero byte and are UTF-8, unless a size stands beside them. Texts that it gives live as long
     as the value that they are asked of.
   - There is no global state. Different values may be used by different threads at once. One value may be used by several threads at
     once, if it is only passed as const and nobody frees it. */
#ifndef GUSSET_H
#define GUSSET_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gusset_error gusset_error;
typedef struct gusset_buffer gusset_buffer;
typedef struct gusset_target gusset_target;
typedef struct gusset_options gusset_options;
typedef struct gusset_memory gusset_memory;
typedef struct gusset_module gusset_module;

/* The version of the library, such as "0.1.0". */
const char *gusset_version(void);

/* Errors. */

enum gusset_error_kind {
    GUSSET_ERROR_USAGE = 1,    /* a function was called wrongly */
    GUSSET_ERROR_TARGET = 2,   /* an unknown target, processor or feature */
    GUSSET_ERROR_TEXT = 3,     /* the text is wrong, or has something that is not supported */
    GUSSET_ERROR_CODE = 4,     /* code that the target cannot have, or an object that its format cannot express */
    GUSSET_ERROR_MEMORY = 5,   /* a symbol that is defined nowhere; no executable memory */
    GUSSET_ERROR_INTERNAL = 6  /* a fault of the library */
};

int gusset_error_kind(const gusset_error *error);
/* What is wrong, in words. */
const char *gusset_error_message(const gusset_error *error);
/* The report with place and source line, as compilers print it. It may have several lines. */
const char *gusset_error_report(const gusset_error *error);
/* The name of the text with the error, and the place in it from 1. An empty name and 0 if the error has no place. */
const char *gusset_error_file(const gusset_error *error);
size_t gusset_error_line(const gusset_error *error);
size_t gusset_error_column(const gusset_error *error);
void gusset_error_free(gusset_error *error);

/* Bytes that the library gives. A zero byte follows them, which is not counted. */

const char *gusset_buffer_data(const gusset_buffer *buffer);
size_t gusset_buffer_size(const gusset_buffer *buffer);
void gusset_buffer_free(gusset_buffer *buffer);

/* Targets. */

/* The target of a triple, such as "aarch64-linux-gnu", or of a short name. The processor, such as "cortex-a72", and the features, such
   as "+avx2,-bmi", may be NULL. */
gusset_target *gusset_target_new(const char *triple, const char *cpu, const char *features, gusset_error **error);
/* The target of the machine that runs this, with the features that all such machines have. */
gusset_target *gusset_target_host(gusset_error **error);
void gusset_target_free(gusset_target *target);

/* Choices for a compilation. The functions that set one give 1, or 0 if there is no such choice. */

enum gusset_emit { GUSSET_EMIT_OBJECT = 0, GUSSET_EMIT_ASSEMBLY = 1, GUSSET_EMIT_IR = 2 };
enum gusset_level { GUSSET_LEVEL_O0 = 0, GUSSET_LEVEL_O1 = 1, GUSSET_LEVEL_O2 = 2, GUSSET_LEVEL_OS = 3 };
enum gusset_relocation { GUSSET_RELOCATION_MODULE = 0, GUSSET_RELOCATION_PIC = 1, GUSSET_RELOCATION_STATIC = 2 };

gusset_options *gusset_options_new(void);
/* The form of the result: by default an object. */
int gusset_options_set_emit(gusset_options *options, int emit);
/* How much work is done for good code: by default GUSSET_LEVEL_O0. Functions with `optnone` are not optimized. */
int gusset_options_set_level(gusset_options *options, int level);
/* Where the code may be loaded: by default as the module says. */
int gusset_options_set_relocation(gusset_options *options, int relocation);
/* How many threads compile functions: by default 1. The result does not depend on it. */
int gusset_options_set_threads(gusset_options *options, size_t threads);
/* Whether the intermediate representation and the allocation of registers are checked: by default not. */
int gusset_options_set_verify(gusset_options *options, int verify);
/* Whether the debug information of LLVM IR is left out: by default it becomes DWARF or CodeView, as the target's debuggers read it. The
   code is the same. */
int gusset_options_set_strip_debug(gusset_options *options, int strip);
void gusset_options_free(gusset_options *options);

/* Compiles a text of `size` bytes: LLVM IR (or its bitcode), MLIR, or Gusset's IR, which is found out from the text. The name is for messages. The options
   may be NULL. */
gusset_buffer *gusset_compile(const gusset_target *target, const gusset_options *options, const char *name, const char *text, size_t size,
                              gusset_error **error);

/* Functions in the memory of this process. Code refers to the symbols of modules that were added before, to those of
   gusset_memory_define, and to those of the process, in this order. */

gusset_memory *gusset_memory_new(void);
/* Says where a symbol is that no module defines. It holds for modules that are added later. Gives 1, or 0 if an argument is NULL. */
int gusset_memory_define(const gusset_memory *memory, const char *name, const void *address);
/* Compiles a text as gusset_compile does, for this machine (gusset_target_host), and adds it. Constructors run. */
gusset_module *gusset_memory_add(const gusset_memory *memory, const gusset_target *target, const gusset_options *options, const char *name,
                                 const char *text, size_t size, gusset_error **error);
/* The address of a function or variable of a module; NULL if it has none of this name. */
const void *gusset_module_address(const gusset_module *module, const char *name);
/* Frees a module. Its destructors run, and its memory is used again as soon as no other module refers to it. No thread may run its code
   any more. */
void gusset_module_free(gusset_module *module);
/* Frees the memory. What modules take stays until they are freed. */
void gusset_memory_free(gusset_memory *memory);

/* Calling conventions. */

enum gusset_language { GUSSET_LANGUAGE_C = 0, GUSSET_LANGUAGE_CXX = 1, GUSSET_LANGUAGE_LLVM = 2, GUSSET_LANGUAGE_MLIR = 3 };

/* Says as JSON how the last function of some declarations is called on a target: registers, stack, extensions. The form is that of the
   command `gusset abi --json`. */
gusset_buffer *gusset_classify(const char *triple, int language, const char *declarations, gusset_error **error);

#ifdef __cplusplus
}
#endif

#endif
