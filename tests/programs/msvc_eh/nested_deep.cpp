// A handler in a handler of one function is left by an exception that the outer handler catches.
//without i686: Wine's 32-bit frame handler (8.0) goes on with the inner handler's stack, and forgets the outer exception's object.
//
//> rethrown in a handler's handler: +7 outer 7 +8 inner 8 last 8 -8 still 7 -7 done, 0 alive
//> another there: +1 outer 1 +2 inner 2 +3 -2 last 3 -3 still 1 -1 done, 0 alive
#include "eh.h"

int main() {
    printf("rethrown in a handler's handler: ");
    try {
        throw Traced(7);
    } catch (Traced &t) {
        printf("outer %d ", t.id);
        try {
            try {
                throw Traced(8);
            } catch (Traced &u) {
                printf("inner %d ", u.id);
                throw;
            }
        } catch (Traced &u) {
            printf("last %d ", u.id);
        }
        printf("still %d ", t.id);
    }
    line("done");
    printf("another there: ");
    try {
        throw Traced(1);
    } catch (Traced &t) {
        printf("outer %d ", t.id);
        try {
            try {
                throw Traced(2);
            } catch (Traced &u) {
                printf("inner %d ", u.id);
                throw Traced(3);
            }
        } catch (Traced &u) {
            printf("last %d ", u.id);
        }
        printf("still %d ", t.id);
    }
    line("done");
}
