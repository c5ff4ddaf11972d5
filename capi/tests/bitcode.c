/* Compiles the bitcode in a file, which the library knows by its first bytes, and says whether that made an object. */
#include <stdio.h>
#include <string.h>

#include "gusset.h"

int main(int argc, char **argv) {
    static char text[1 << 16];
    gusset_error *error = NULL;
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file) return 2;
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    gusset_target *target = gusset_target_new("x86_64-linux-gnu", NULL, NULL, &error);
    gusset_buffer *object = target ? gusset_compile(target, NULL, argv[1], text, size, &error) : NULL;
    if (!object) {
        printf("%s\n", gusset_error_message(error));
        return 1;
    }
    printf("object: %d\n", memcmp(gusset_buffer_data(object), "\177ELF", 4) == 0);
    gusset_buffer_free(object);
    /* Half of it is an error that names the bit. */
    if (gusset_compile(target, NULL, argv[1], text, size / 2, &error)) return 1;
    printf("error: %d\n", strstr(gusset_error_message(error), "(bit ") != NULL);
    gusset_error_free(error);
    gusset_target_free(target);
    return 0;
}
