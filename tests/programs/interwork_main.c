#include <stdio.h>
#include "interwork.h"

int main(void) {
    for (int i = 0; i < 9; i++) {
        printf("%d %d %d %d %d %d %d\n", a_call(i), a_tail(i), a_pointer(i, 5), a_callback(i), a_local(i), b_switch(i), b_choose(i & 1)(i));
        printf("%g\n", a_floating(i));
    }
    printf("%d\n", a_compare());
    return 0;
}
