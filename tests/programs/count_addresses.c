/* A plug-in of QEMU's user mode that counts how often the instruction at each address is executed: `-plugin FILE.so,to=OUT` writes pairs of
 * 64-bit numbers, address and count, to OUT when the program ends. An address may have several pairs. As `count_instructions.c`, which
 * counts all instructions together. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*translated)(uint64_t id, struct qemu_plugin_tb *block));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, int operation, void *to, uint64_t number);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*ended)(uint64_t id, void *data), void *data);

#define ADD_TO_64_BITS 0

int qemu_plugin_version = 1;

/* A translated block: how often it was executed, and where its instructions are. */
struct block {
    struct block *next;
    uint64_t executed;
    size_t length;
    uint64_t addresses[];
};

static struct block *blocks;
static char out[4096];

static void translated(uint64_t id, struct qemu_plugin_tb *of) {
    size_t length = qemu_plugin_tb_n_insns(of);
    struct block *block = calloc(1, sizeof *block + length * sizeof block->addresses[0]);
    if (!block)
        abort();
    block->length = length;
    for (size_t i = 0; i < length; i++)
        block->addresses[i] = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(of, i));
    block->next = blocks;
    blocks = block;
    qemu_plugin_register_vcpu_tb_exec_inline(of, ADD_TO_64_BITS, &block->executed, 1);
}

static void ended(uint64_t id, void *data) {
    FILE *file = fopen(out, "wb");
    if (!file)
        return;
    for (struct block *block = blocks; block; block = block->next)
        for (size_t i = 0; block->executed && i < block->length; i++) {
            uint64_t pair[2] = {block->addresses[i], block->executed};
            fwrite(pair, sizeof pair, 1, file);
        }
    fclose(file);
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
