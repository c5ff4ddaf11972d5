/* What COFF has of its own: imports, exports, COMDAT sections, weak symbols, thread-local storage, initializers. */
__declspec(dllimport) extern int imported;
__declspec(dllimport) int imported_function(int);
__declspec(dllexport) int exported = 3;
__declspec(dllexport) int exported_function(int x) { return imported_function(x) + imported; }
int (*imported_address(void))(int) { return imported_function; }

extern int plain;
static int local = 5, zeros[300];
extern int weak_reference __attribute__((weak));
extern int weak_function_reference(int) __attribute__((weak));
int weak_data __attribute__((weak)) = 4;
__attribute__((weak)) int weak_function(void) { return 1; }
__attribute__((selectany)) int selected = 7;
__attribute__((selectany)) extern const int selected_constant = 8;
inline int in_line(int x) { return x * 2; }
int (*pointer_to_function)(int) = in_line;
int *pointer_to_local = &local + 1;
const char text[] = "twelve bytes";
const double *constant_pointer = &(const double){2.5};
#ifdef _MSC_VER
__declspec(thread) int thread_local_data = 9;
#else
__thread int thread_local_data = 9;
#endif
__attribute__((section("named"))) int in_a_section = 12;
__attribute__((section("named$b"))) int in_code_section(void) { return in_a_section; }
int aliased(void) { return 2; }
int other_name(void) __attribute__((alias("aliased")));

static void start(void) __attribute__((constructor));
static void start(void) { zeros[1]++; }
static void start_early(void) __attribute__((constructor(200)));
static void start_early(void) { zeros[2]++; }

int external(void), takes(char *), variadic(int, ...);

int large_frame(int a, double d) {
    char room[5000];
    takes(room);
    thread_local_data++;
    if (&weak_reference) a += weak_reference;
    if (weak_function_reference) a += weak_function_reference(a);
    return plain + local + zeros[a] + selected + selected_constant + weak_data + weak_function() + a + (int)d;
}

double jumps(int x) {
    switch (x) {
    case 0: return 1.5;
    case 1: return external();
    case 2: return 5;
    case 3: return variadic(1, 2.0, 3LL);
    case 4: return external() + 1;
    case 5: return 9;
    }
    return 0;
}

inline double jumps_in_line(int x) {
    switch (x) {
    case 0: return 1.25;
    case 1: return external() * 3.5;
    case 2: return external() + 1;
    case 3: return external() + 2;
    case 4: return external() - 1;
    }
    return large_frame(x, 4.5);
}
double (*keeps)(int) = jumps_in_line;
