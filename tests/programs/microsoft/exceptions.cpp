/* What Microsoft's compilers expect of the static part of their C++ library: where a program begins, what is initialized before `main`,
   and the names that no DLL exports. */
extern "C" {
void *malloc(decltype(sizeof 0));
void free(void *);
[[noreturn]] void exit(int);
int __getmainargs(int *, char ***, char ***, int, int *);
int main(int, char **);
void *_onexit(void *);

[[noreturn]] void abort();

/* Any value will do: nothing here is attacked. */
__UINTPTR_TYPE__ __security_cookie = (__UINTPTR_TYPE__)0x2B992DDFA232u;
void __fastcall __security_check_cookie(__UINTPTR_TYPE__ cookie) {
    if (cookie != __security_cookie) abort();
}

/* Variables of threads: the linker makes the directory of this record, and the parts of `.tls` are sorted by name. */
unsigned _tls_index;
__attribute__((section(".tls"))) char _tls_start = 0;
__attribute__((section(".tls$ZZZ"))) char _tls_end = 0;
typedef void (*Function)();
__attribute__((section(".CRT$XLA"))) Function _tls_callbacks = 0;
__attribute__((section(".CRT$XLZ"))) Function _tls_callbacks_end = 0;
struct TlsDirectory {
    const void *start, *end, *index, *callbacks;
    unsigned zeros, flags;
};
extern const TlsDirectory _tls_used;
const TlsDirectory _tls_used = {&_tls_start, &_tls_end, &_tls_index, &_tls_callbacks + 1, 0, 0};

/* Static variables of functions: a thread looks at the guard again when it is newer than what the thread knows. Here one thread alone
   initializes. */
__thread int _Init_thread_epoch = -2147483647 - 1;
static int epoch = -2147483647 - 1;
void _Init_thread_header(int *guard) {
    if (*guard == 0) *guard = -1;
}
void _Init_thread_footer(int *guard) { *guard = _Init_thread_epoch = ++epoch; }
void _Init_thread_abort(int *guard) { *guard = 0; }

int atexit(void (*function)()) { return _onexit((void *)function) ? 0 : -1; }

#if defined(__i386__)
/* Where a thread's block has the variables of modules. */
asm(".globl __tls_array\n.set __tls_array, 44\n");

/* The table of handlers that `lld-link` makes of the objects' `.sxdata`: the system calls no other. */
extern char __safe_se_handler_table[], __safe_se_handler_count[];
struct LoadConfig {
    unsigned size, time, versions, before[12];
    const void *cookie, *handlers, *count;
};
extern const LoadConfig _load_config_used;
const LoadConfig _load_config_used = {sizeof(LoadConfig), 0, 0, {}, &__security_cookie, __safe_se_handler_table, __safe_se_handler_count};

int __cdecl _except_handler4_common(void *cookie, void (__fastcall *check)(__UINTPTR_TYPE__), void *record, void *frame, void *context, void *dispatcher);
int __cdecl _except_handler4(void *record, void *frame, void *context, void *dispatcher) {
    return _except_handler4_common(&__security_cookie, __security_check_cookie, record, frame, context, dispatcher);
}

#include "keep_stack.h"

/* Is it a function of this program's? */
extern const char __ImageBase;
int is_own(const void *function) {
    const char *base = &__ImageBase;
    unsigned header = *(const unsigned *)(base + 0x3c), size = *(const unsigned *)(base + header + 0x50);
    return (const char *)function - base < size;
}
asm(".section .sxdata,\"\"\n.safeseh __except_handler4\n.text\n");
#endif

/* Variables of threads that are made by code: all of a thread's, when it first asks for one. They end with the program, which has one
   thread. */
__attribute__((section(".CRT$XDA"))) Function first_of_thread = 0;
__attribute__((section(".CRT$XDZ"))) Function last_of_thread = 0;
__thread char __tls_guard = 0;
void __dyn_tls_on_demand_init() {
    if (__tls_guard) return;
    __tls_guard = 1;
    for (Function *f = &first_of_thread; ++f < &last_of_thread;)
        if (*f) (*f)();
}
int __tlregdtor(Function function) { return atexit(function); }

__attribute__((section(".CRT$XCA"))) Function first_initializer = 0;
__attribute__((section(".CRT$XCZ"))) Function last_initializer = 0;

[[noreturn]] void start() {
    int count, mode = 0;
    char **arguments, **environment;
    __getmainargs(&count, &arguments, &environment, 0, &mode);
    for (Function *f = &first_initializer; ++f < &last_initializer;)
        if (*f) (*f)();
    exit(main(count, arguments));
}
}

/* What every description of a type begins with the address of: the functions of the class `type_info`, which nothing here calls. */
extern const Function type_info_functions[] asm("??_7type_info@@6B@");
const Function type_info_functions[1] = {(Function)abort};

void *operator new(decltype(sizeof 0) size) { return malloc(size); }
void *operator new[](decltype(sizeof 0) size) { return malloc(size); }
void operator delete(void *p) noexcept { free(p); }
void operator delete[](void *p) noexcept { free(p); }
void operator delete(void *p, decltype(sizeof 0)) noexcept { free(p); }
void operator delete[](void *p, decltype(sizeof 0)) noexcept { free(p); }
