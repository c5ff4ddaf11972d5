/* Definitions of every kind: where they go, what they hold, how they are seen. */
typedef struct { char c; int i; double d; char name[5]; } S;

/* Zero, initialized, constant, local, aligned. */
int zero;
int one = 1;
static int local = 5;
const int constant = 7;
static const char text[] = "static text";
char buffer[1000] __attribute__((aligned(64)));
char empty[0];
const char long_text[300] = "padding";
int array[10] = {1, 2, 3};
S s = {'x', 2, 3.5, "name"};
S s_zero;

/* Addresses. */
const char *strings[] = {"alpha", "beta", "a", "", text};
const char *const constant_strings[] = {"alpha", "gamma"};
const char *tail = "pha";
S *to_struct = &s;
int *to_member = &s.i;
const int *const beyond = &one + 3;
static int *to_local = &local;
int **to_that = &to_local;
void f(void);
void (*function)(void) = f;
void *self = &self;
char *const volatile inside = buffer + 10;
struct __attribute__((packed)) { char c; void *p; } packed = {1, &one};

/* Scalars and bits. */
const double d = 1.5;
const long double ld = 1.25L;
_Complex double cd = 1.0;
_Bool b = 1;
unsigned char uc = 255;
long long ll = -1;
#ifdef __SIZEOF_INT128__
__int128 wide = (__int128)1 << 100;
#endif
_BitInt(100) wide_bits = -((_BitInt(100))1 << 77);
float floats[3] = {1.0f, -2.0f};
const int int_text[] = {'w', 'i', 0};
const short short_text[] = {1, 0};
union { int i; float f; } u = {.f = 1.0f};
struct { unsigned a : 3, b : 7; int : 0; long long c : 40; } bits = {5, 100, -1};

/* Thread-local storage. */
__thread int tls = 9;
__thread int tls_zero;
static __thread char tls_char = 'c';
char *tls_user(void);
__thread int *tls_address = &zero;

/* Sections by name. */
int in_custom __attribute__((section("custom"))) = 3;
int in_custom_zero __attribute__((section("custom")));
const int in_read_only __attribute__((section("custom_ro"))) = 3;
int in_bss __attribute__((section(".bss.mine")));
void (*init)(void) __attribute__((section(".init_array.5"), used)) = f;
const int note __attribute__((section(".note.x"))) = 3;

/* Binding, visibility, retention. */
__attribute__((weak)) int weak = 4;
extern __attribute__((weak)) int weak_elsewhere;
int *to_weak = &weak_elsewhere;
__attribute__((visibility("hidden"))) int hidden = 3;
__attribute__((visibility("protected"))) int protected = 3;
extern __attribute__((visibility("hidden"))) int hidden_elsewhere;
int *to_hidden = &hidden_elsewhere;
extern int alias __attribute__((alias("one")));
extern int weak_alias __attribute__((weak, alias("array")));
static int kept __attribute__((used, retain)) = 1;
static const int kept_constant __attribute__((used, retain)) = 1;
static int used __attribute__((used)) = 1;
