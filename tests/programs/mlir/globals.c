#include <stdint.h>
#include <stdio.h>

extern int32_t table[4];
int32_t *whole(void);
int32_t part(intptr_t);

int main(void) {
    printf("%d %d %s\n", (int)whole()[2], (int)part(3), whole() == table ? "the same" : "another");
    return 0;
}
