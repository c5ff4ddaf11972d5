/* A machine with registers and one with a stack; both look for the longest way to 1 that Collatz asked for. */

#include "program.h"

enum op { MOVE, SET, ADD, MULTIPLY, SHIFT, ODD, JUMP, JUMP_IF, LESS, STOP };
struct instruction { uint8_t op, to, a, b; int32_t number; };

static int64_t by_registers(const struct instruction *code, int64_t *r) {
    int64_t executed = 0;
    for (const struct instruction *at = code;; executed++) {
        const struct instruction i = *at++;
        switch (i.op) {
        case MOVE: r[i.to] = r[i.a]; break;
        case SET: r[i.to] = i.number; break;
        case ADD: r[i.to] = r[i.a] + r[i.b]; break;
        case MULTIPLY: r[i.to] = r[i.a] * r[i.b]; break;
        case SHIFT: r[i.to] = r[i.a] >> i.number; break;
        case ODD: r[i.to] = r[i.a] & 1; break;
        case JUMP: at = code + i.number; break;
        case JUMP_IF: if (r[i.a]) at = code + i.number; break;
        case LESS: r[i.to] = r[i.a] < r[i.b]; break;
        default: return executed;
        }
    }
}

/* r0: the number, r1: the way so far, r2: the longest, r3: its number, r4: the current one, r5: the end, r6: 1, r7: 3 */
static const struct instruction registers[] = {
    {SET, 0, 0, 0, 1},        {SET, 2, 0, 0, 0},      {SET, 6, 0, 0, 1},       {SET, 7, 0, 0, 3},
    /* 4: */ {MOVE, 4, 0, 0, 0}, {SET, 1, 0, 0, 0},
    /* 6: */ {LESS, 8, 6, 4, 0}, {JUMP_IF, 0, 8, 0, 9}, {JUMP, 0, 0, 0, 17},
    /* 9: */ {ADD, 1, 1, 6, 0},  {ODD, 8, 4, 0, 0},     {JUMP_IF, 0, 8, 0, 14}, {SHIFT, 4, 4, 0, 1}, {JUMP, 0, 0, 0, 6},
    /* 14: */ {MULTIPLY, 4, 4, 7, 0}, {ADD, 4, 4, 6, 0}, {JUMP, 0, 0, 0, 6},
    /* 17: */ {LESS, 8, 2, 1, 0}, {JUMP_IF, 0, 8, 0, 20}, {JUMP, 0, 0, 0, 22},
    /* 20: */ {MOVE, 2, 1, 0, 0}, {MOVE, 3, 0, 0, 0},
    /* 22: */ {ADD, 0, 0, 6, 0}, {LESS, 8, 0, 5, 0},    {JUMP_IF, 0, 8, 0, 4},  {STOP, 0, 0, 0, 0},
};

enum { PUSH, LOAD, STORE, PLUS, TIMES, HALF, IS_ODD, IF, GOTO, BELOW, END };

static int64_t by_stack(const int32_t *code, int64_t *variables) {
    int64_t stack[16], *top = stack;
    for (const int32_t *at = code;;)
        switch (*at++) {
        case PUSH: *++top = *at++; break;
        case LOAD: *++top = variables[*at++]; break;
        case STORE: variables[*at++] = *top--; break;
        case PLUS: top--; top[0] += top[1]; break;
        case TIMES: top--; top[0] *= top[1]; break;
        case HALF: top[0] >>= 1; break;
        case IS_ODD: top[0] &= 1; break;
        case IF: at = *top-- ? code + *at : at + 1; break;
        case GOTO: at = code + *at; break;
        case BELOW: top--; top[0] = top[0] < top[1]; break;
        default: return variables[1];
        }
}

/* The steps from variable 0 to 1, in variable 1. */
static const int32_t stacked[] = {
    PUSH, 0, STORE, 1,
    /* 4: */ PUSH, 1, LOAD, 0, BELOW, IF, 12, END,
    /* 12: */ LOAD, 1, PUSH, 1, PLUS, STORE, 1, LOAD, 0, IS_ODD, IF, 31, LOAD, 0, HALF, STORE, 0, GOTO, 4,
    /* 31: */ LOAD, 0, PUSH, 3, TIMES, PUSH, 1, PLUS, STORE, 0, GOTO, 4,
};

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv), good = 1;
    uint64_t sum = 0;
    for (int round = 0; round < rounds; round++) {
        int64_t r[16] = {0}, longest = 0, which = 0;
        r[5] = 1000 + round % 10;
        sum = mixed(sum, (uint64_t)by_registers(registers, r));
        for (int64_t n = 1; n < r[5]; n++) {
            int64_t variables[2] = {n, 0}, steps = by_stack(stacked, variables);
            if (steps > longest) {
                longest = steps;
                which = n;
            }
        }
        good &= r[2] == longest && r[3] == which && which == 871;
        sum = mixed(sum, (uint64_t)longest);
    }
    return finished("interpreter", sum, good);
}
