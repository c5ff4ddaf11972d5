#include "common.h"

int main(int argc, char **argv) {
    struct { const char *name; void (*run)(); } all[] = {
        {"nested", nested}, {"destructors", destructors}, {"specifications", specifications}, {"recursion", recursion},
        {"values", values},
#ifndef _WIN32
        {"threads", threads},
#endif
        {"library", library}, {"frames", frames}, {"classes", classes}, {"stress", stress},
    };
    if (argc > 2 && !std::strcmp(argv[1], "doomed")) {
        doomed(std::atoi(argv[2]));
        say("still here\n");
        return 1;
    }
    int at_start = alive;
    for (auto &one : all) {
        if (argc > 1 && std::strcmp(argv[1], one.name)) continue;
        say("== %s\n", one.name);
        try {
            one.run();
        } catch (...) {
            char text[64];
            say("%s: left by %s\n", one.name, handled(text));
        }
        say("%s: alive %d, made %d\n", one.name, alive - at_start, made);
    }
}
