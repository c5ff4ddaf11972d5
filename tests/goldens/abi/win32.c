// --target win32,mingw32,linux32
struct pair { int a; float b; };
struct pair __fastcall f(short s, long long l, struct pair p, char c, int last);
