/* Where a program of Microsoft's targets begins. */
#include "stdlib.h"
int __getmainargs(int *, char ***, char ***, int, int *);
int main(int, char **);

void start(void) {
    int count, mode = 0;
    char **arguments, **environment;
    __getmainargs(&count, &arguments, &environment, 0, &mode);
    exit(main(count, arguments));
}
