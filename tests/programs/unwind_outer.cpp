// Calls the C functions under test, which call back into C++ code that throws: exceptions have to pass through them, with
// every register that this side keeps values in restored on the way.
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <unwind.h>

struct big {
    long v[9];
};
struct pair {
    double x;
    long y;
};

extern "C" {
int mid_plain(int (*f)(int), int n);
int mid_registers(int (*f)(int), const long *in);
int mid_recursive(int (*f)(int), int depth);
int mid_dynamic(int (*f)(int), int n);
int mid_large(int (*f)(int), int n);
int mid_arguments(int (*f)(int), struct big a, struct pair b, int c, int d, int e, int g, int h, int i);
struct big mid_returns(int (*f)(int), int n);
int mid_variadic(int (*f)(int), int n, ...);
int mid_aligned(int (*f)(int), int n);
double mid_floats(int (*f)(int), double x);
int mid_loops(int (*f)(int), int n);

int throws(int n) {
    if (n % 3 == 0) throw n;
    if (n % 3 == 1) throw std::runtime_error("message " + std::to_string(n));
    return n * 2;
}

// Counts the frames above by the unwinder alone.
static _Unwind_Reason_Code count_frame(struct _Unwind_Context *context, void *data) {
    if (_Unwind_GetIP(context)) ++*static_cast<int *>(data);
    return _URC_NO_REASON;
}
int frames(int) {
    int count = 0;
    _Unwind_Backtrace(count_frame, &count);
    return count;
}
}

// Runs `work` with as many values in callee-saved registers as the optimizer likes, and says what came of it.
template <class F> static void attempt(const char *name, long seed, F work) {
    volatile long source = seed;
    long a = source * 3, b = source * 5, c = source * 7, d = source * 11, e = source * 13, f = source * 17;
    double x = static_cast<double>(source) * 0.5;
    for (int round = 0; round < 3; round++) {
        try {
            long r = work(static_cast<int>(seed) + round);
            std::printf("%s %d: returns %ld", name, round, r);
        } catch (int n) {
            std::printf("%s %d: caught %d", name, round, n);
        } catch (const std::exception &error) {
            std::printf("%s %d: caught %s", name, round, error.what());
        }
        a += b ^ round, b += c, c += d, d += e, e += f, f += a;
        x = x * 1.5 + static_cast<double>(round);
        std::printf(" (%ld %ld %ld %ld %ld %ld %.3f)\n", a, b, c, d, e, f, x);
    }
}

int main() {
    const long in[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    struct big big = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
    struct pair pair = {2.5, 7};
    attempt("plain", 30, [](int n) { return mid_plain(throws, n); });
    attempt("registers", 40, [&](int n) { long copy[12]; for (int i = 0; i < 12; i++) copy[i] = in[i] * n; return mid_registers(throws, copy); });
    attempt("recursive", 5, [](int n) { return mid_recursive(throws, 20 * n); });
    attempt("dynamic", 33, [](int n) { return mid_dynamic(throws, n); });
    attempt("large", 34, [](int n) { return mid_large(throws, n); });
    attempt("arguments", 35, [&](int n) { return mid_arguments(throws, big, pair, n, 2, 3, 4, 5, 6); });
    attempt("returns", 36, [](int n) { return mid_returns(throws, n).v[3]; });
    attempt("variadic", 37, [](int n) { return mid_variadic(throws, n, 1, 2.5, 3L, 4, 5, 6, 7.5, 8); });
    attempt("aligned", 38, [](int n) { return mid_aligned(throws, n); });
    attempt("floats", 39, [](int n) { return static_cast<long>(mid_floats(throws, n * 1.25)); });
    attempt("loops", 40, [](int n) { return mid_loops(throws, n); });
    int base = mid_recursive(frames, 0);
    std::printf("frames of recursion: %d %d %d\n", mid_recursive(frames, 1) - base, mid_recursive(frames, 10) - base, mid_recursive(frames, 500) - base);
    std::printf("frames after a dynamic stack: %d\n", mid_dynamic(frames, 1000) - mid_plain(frames, 0));
    return 0;
}
