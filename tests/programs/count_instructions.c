/* A plug-in of QEMU's user mode that counts the instructions that a program executes: `-plugin FILE.so,to=OUT` writes their number to
 * OUT when the program ends. QEMU, "TCG Plugins": what it is called for, and what it calls. The declarations are of version 1. */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct qemu_plugin_tb;
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*translated)(uint64_t id, struct qemu_plugin_tb *block));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, int operation, void *to, uint64_t number);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*ended)(uint64_t id, void *data), void *data);

#define ADD_TO_64_BITS 0

int qemu_plugin_version = 1;

static uint64_t count;
static char out[4096];

/* Each time that a block of instructions is executed, as many are added as it has. */
static void translated(uint64_t id, struct qemu_plugin_tb *block) {
    qemu_plugin_register_vcpu_tb_exec_inline(block, ADD_TO_64_BITS, &count, qemu_plugin_tb_n_insns(block));
}

static void ended(uint64_t id, void *data) {
    FILE *file = fopen(out, "w");
    if (file) {
        fprintf(file, "%llu\n", (unsigned long long)count);
        fclose(file);
    }
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv) {
    static const char key[] = "to=";
    if (argc != 1 || strncmp(argv[0], key, sizeof key - 1) || strlen(argv[0]) >= sizeof out)
        return 1;
    strcpy(out, argv[0] + sizeof key - 1);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
