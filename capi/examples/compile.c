/* Compiles LLVM IR to an object for another machine, runs a function in memory, and asks how a C function is called. */
#include <gusset.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(gusset_error *error) {
    fprintf(stderr, "%s\n", gusset_error_report(error));
    gusset_error_free(error);
    exit(1);
}

static int host_function(int x) { return x + 1; }

int main(void) {
    const char text[] = "declare i32 @next(i32)\n"
                        "define i32 @twice(i32 %x) {\n"
                        "  %y = call i32 @next(i32 %x)\n"
                        "  %z = add i32 %y, %y\n"
                        "  ret i32 %z\n"
                        "}\n";
    gusset_error *error = NULL;

    /* An object and assembly for 64-bit ARM. */
    gusset_target *arm = gusset_target_new("aarch64-linux-gnu", NULL, NULL, &error);
    if (!arm) fail(error);
    gusset_buffer *object = gusset_compile(arm, NULL, "twice.ll", text, strlen(text), &error);
    if (!object) fail(error);
    printf("object: %d\n", gusset_buffer_size(object) > 64 && memcmp(gusset_buffer_data(object), "\177ELF", 4) == 0);
    gusset_options *options = gusset_options_new();
    gusset_options_set_emit(options, GUSSET_EMIT_ASSEMBLY);
    gusset_buffer *assembly = gusset_compile(arm, options, "twice.ll", text, strlen(text), &error);
    if (!assembly) fail(error);
    printf("assembly: %d\n", strstr(gusset_buffer_data(assembly), "twice:") != NULL);

    /* Better code. */
    gusset_options_set_level(options, GUSSET_LEVEL_O2);
    gusset_buffer *better = gusset_compile(arm, options, "twice.ll", text, strlen(text), &error);
    if (!better) fail(error);
    printf("level: %d\n", strstr(gusset_buffer_data(better), "twice:") != NULL && !gusset_options_set_level(options, 4));

    /* With debug information, and without. */
    const char described[] = "define i32 @f() !dbg !3 { ret i32 1, !dbg !5 }\n"
                             "!llvm.dbg.cu = !{!0}\n"
                             "!llvm.module.flags = !{!2}\n"
                             "!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)\n"
                             "!1 = !DIFile(filename: \"f.c\", directory: \"/\")\n"
                             "!2 = !{i32 2, !\"Debug Info Version\", i32 3}\n"
                             "!3 = distinct !DISubprogram(name: \"f\", scope: !1, file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)\n"
                             "!4 = !DISubroutineType(types: !{null})\n"
                             "!5 = !DILocation(line: 2, column: 3, scope: !3)\n";
    gusset_buffer *lines = gusset_compile(arm, options, "f.ll", described, strlen(described), &error);
    if (!lines) fail(error);
    gusset_options_set_strip_debug(options, 1);
    gusset_buffer *stripped = gusset_compile(arm, options, "f.ll", described, strlen(described), &error);
    if (!stripped) fail(error);
    printf("lines: %d, stripped: %d\n", strstr(gusset_buffer_data(lines), ".loc") != NULL,
           strstr(gusset_buffer_data(stripped), ".loc") == NULL);

    /* The same in memory, for this machine. It calls a function of ours. */
    gusset_target *host = gusset_target_host(&error);
    if (!host) fail(error);
    gusset_memory *memory = gusset_memory_new();
    gusset_memory_define(memory, "next", (const void *)host_function);
    gusset_module *module = gusset_memory_add(memory, host, NULL, "twice.ll", text, strlen(text), &error);
    if (!module) fail(error);
    int (*twice)(int) = (int (*)(int))gusset_module_address(module, "twice");
    printf("twice: %d, nothing: %d\n", twice(20), gusset_module_address(module, "nothing") == NULL);

    /* How a function is called. */
    gusset_buffer *json = gusset_classify("x86_64-linux-gnu", GUSSET_LANGUAGE_C, "double f(int, struct P { double x, y; });", &error);
    if (!json) fail(error);
    printf("json: %d\n", strstr(gusset_buffer_data(json), "xmm0") != NULL);

    /* Errors have a place. */
    if (gusset_compile(arm, NULL, "wrong.ll", "define i32 @f( {", 16, &error)) return 1;
    printf("error %d at %s:%zu:%zu\n", gusset_error_kind(error), gusset_error_file(error), gusset_error_line(error),
           gusset_error_column(error));
    gusset_error_free(error);
    if (gusset_compile(NULL, NULL, NULL, NULL, 5, NULL)) return 1;

    gusset_buffer_free(json);
    gusset_buffer_free(stripped);
    gusset_buffer_free(lines);
    gusset_module_free(module);
    gusset_memory_free(memory);
    gusset_buffer_free(better);
    gusset_buffer_free(assembly);
    gusset_buffer_free(object);
    gusset_options_free(options);
    gusset_target_free(arm);
    gusset_target_free(host);
    gusset_error_free(NULL);
    return 0;
}
