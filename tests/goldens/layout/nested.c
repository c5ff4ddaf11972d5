// --target linux64,win32 +json
struct P {
    char c;
    double d;
    struct I { int x : 3; unsigned y : 7; char z; } in[2];
    union { int a; double b; } u;
    struct Q { char k; short l; } q;
    union { char s; short t; };
    char last;
    int (*f)(int, char);
    long double wide;
};
