/* Runs a program for Windows on 32-bit ARM, for which there is no Wine, as a process of Linux: sections go where the file wants
   them, imports are functions of this program or of its C library, which are called in the same way, and the thread's block has what
   thread-local variables are found by. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void *get_handle(unsigned which) { return (void *)(uintptr_t)which; }

static int write_file(void *handle, const void *bytes, unsigned count, unsigned *written, void *overlapped) {
    fflush(stdout);
    *written = (unsigned)write(1, bytes, count);
    return 1;
}

static int count;
static char **arguments;

static int get_arguments(int *argc, char ***argv, char ***environment, int wild, int *mode) {
    static char *nothing;
    *argc = count;
    *argv = arguments;
    *environment = &nothing;
    return 0;
}

/* The divisor comes first. */
static int sdiv(int b, int a) { return a / b; }
static unsigned udiv(unsigned b, unsigned a) { return a / b; }
static long long sdiv64(long long b, long long a) { return a / b; }
static unsigned long long udiv64(unsigned long long b, unsigned long long a) { return a / b; }
static float i64tos(long long x) { return (float)x; }
static double i64tod(long long x) { return (double)x; }
static float u64tos(unsigned long long x) { return (float)x; }
static double u64tod(unsigned long long x) { return (double)x; }
static long long stoi64(float x) { return (long long)x; }
static long long dtoi64(double x) { return (long long)x; }
static unsigned long long stou64(float x) { return (unsigned long long)x; }
static unsigned long long dtou64(double x) { return (unsigned long long)x; }

/* Data of another library is no function to be imported. */
static void *stream(int which) { return which == 0 ? stdin : which == 1 ? stdout : stderr; }

static const struct { const char *name; void *function; } FUNCTIONS[] = {
    {"GetStdHandle", get_handle}, {"WriteFile", write_file}, {"ExitProcess", exit}, {"__getmainargs", get_arguments},
    {"stream", stream},
    {"__rt_sdiv", sdiv}, {"__rt_udiv", udiv}, {"__rt_sdiv64", sdiv64}, {"__rt_udiv64", udiv64},
    {"__i64tos", i64tos}, {"__i64tod", i64tod}, {"__u64tos", u64tos}, {"__u64tod", u64tod},
    {"__stoi64", stoi64}, {"__dtoi64", dtoi64}, {"__stou64", stou64}, {"__dtou64", dtou64},
};

static void *function(const char *name) {
    for (unsigned i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++)
        if (!strcmp(FUNCTIONS[i].name, name)) return FUNCTIONS[i].function;
    void *other = dlsym(0, name);
    if (!other) {
        fprintf(stderr, "there is no %s\n", name);
        exit(125);
    }
    return other;
}

int main(int argc, char **argv) {
    struct stat file;
    int open_file = open(argv[1], O_RDONLY);
    if (open_file < 0 || fstat(open_file, &file)) return 126;
    char *bytes = mmap(0, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, open_file, 0);
    char *header = bytes + *(uint32_t *)(bytes + 0x3c);
    char *optional = header + 24;
    char *base = *(char **)(optional + 28);
    unsigned entry = *(uint32_t *)(optional + 16), size = *(uint32_t *)(optional + 56);
    int all = PROT_READ | PROT_WRITE | PROT_EXEC;
    if (mmap(base, size, all, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != base) return 126;
    char *section = optional + *(uint16_t *)(header + 20);
    for (int i = 0; i < *(uint16_t *)(header + 6); i++, section += 40) {
        uint32_t *fields = (uint32_t *)section;
        unsigned here = fields[4] < fields[2] ? fields[4] : fields[2];
        memcpy(base + fields[3], bytes + fields[5], here);
    }
    uint32_t *folders = (uint32_t *)(optional + 96);
    if (folders[2])
        for (uint32_t *library = (uint32_t *)(base + folders[2]); library[4]; library += 5)
            for (uint32_t *cell = (uint32_t *)(base + library[4]); *cell; cell++)
                *cell = (uint32_t)function(base + *cell + 2);
    /* The thread's block has the list of the blocks of images at 2Ch. */
    static void *block[64], *blocks[1];
    block[0x2c / 4] = blocks;
    if (folders[18]) {
        uint32_t *data = (uint32_t *)(base + folders[18]);
        blocks[0] = calloc(1, data[1] - data[0] + data[4]);
        memcpy(blocks[0], (void *)data[0], data[1] - data[0]);
        *(uint32_t *)data[2] = 0;
    }
    __asm__ volatile("mcr p15, 0, %0, c13, c0, 2" : : "r"(block));
    __builtin___clear_cache(base, base + size);
    count = argc - 1;
    arguments = argv + 1;
    ((void (*)(void))(base + (entry | 1)))();
    fflush(stdout);
    return 0;
}
