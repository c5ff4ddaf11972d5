// --target armhf,armel
struct quad { double d[4]; };
struct five { int a[5]; };
double f(float a, double b, float c, struct quad q, long long l, struct five s, char t);
