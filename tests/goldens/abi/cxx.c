// --target linux64,win64
struct __attribute__((cxx_nontrivial)) text { char *start; };
struct __attribute__((cxx_class)) empty { };
__attribute__((cxx_method)) struct text cut(void *self, struct text whole, struct empty mode, int at);
