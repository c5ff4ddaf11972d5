/* The program that is debugged: its chain of functions is under test, this file is not. */
int first(int, int, int, int, int, int, int, int);

__attribute__((noinline)) void reached(int n) {
    __asm__ volatile("" : : "r"(n) : "memory");
}

int main(void) {
    return first(1, 2, 3, 4, 5, 6, 7, 8) == 12345;
}
