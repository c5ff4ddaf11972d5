// Every thread has its exceptions, and they travel between threads.
#include "common.h"
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

static thread_local int mine;
static std::mutex mutex;

struct Restored {
    int before = mine;
    ~Restored() { mine = before; }
};

static int work(int seed, int depth) {
    Restored restored;
    mine += depth;
    if (depth == 0) {
        if (seed % 3 == 0) throw seed;
        if (seed % 3 == 1) throw std::exception();
        return mine;
    }
    try {
        return work(seed + 1, depth - 1);
    } catch (int n) {
        std::lock_guard<std::mutex> lock(mutex);
        if (depth % 4 == 0) throw;
        return n + mine;
    } catch (std::exception &) {
        if (depth % 2) throw seed * 2;
        return mine;
    }
}

void threads() {
    std::vector<std::thread> all;
    std::vector<long> sums(8);
    std::vector<std::exception_ptr> kept(8);
    for (int t = 0; t < 8; t++) {
        all.emplace_back([t, &sums, &kept] {
            for (int i = 0; i < 300; i++) {
                try {
                    sums[t] += work(t + i, i % 9);
                } catch (int n) {
                    sums[t] += n * 3;
                    kept[t] = std::current_exception();
                } catch (...) {
                    sums[t] += 7;
                }
            }
            sums[t] += mine;
        });
    }
    for (auto &thread : all) thread.join();
    for (int t = 0; t < 8; t++) {
        try {
            if (kept[t]) std::rethrow_exception(kept[t]);
            say(" thread %d: %ld\n", t, sums[t]);
        } catch (int n) {
            say(" thread %d: %ld, last %d\n", t, sums[t], n);
        }
    }
}
