// --target win32 +json +svg
struct __attribute__((cxx_nontrivial)) text { char *start; int length; };
__attribute__((cxx_method)) struct text __thiscall join(void *self, struct text first, char between, struct text second, double scale);
