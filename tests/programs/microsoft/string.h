#include <stddef.h>
void *memcpy(void *, const void *, size_t), *memmove(void *, const void *, size_t), *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t), strcmp(const char *, const char *);
size_t strlen(const char *);
