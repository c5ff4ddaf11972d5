/* What catches and what cleans up, for tables of landing pads on systems where nothing throws in the tests. */
struct Held {
    int number;
    ~Held();
};
void may_throw(int);
int handle(int);

int catches(int n) {
    Held held{n};
    try {
        may_throw(n);
        may_throw(n + 1);
        return held.number;
    } catch (int i) {
        return handle(i);
    } catch (Held &) {
        return 7;
    }
}

void cleans_up(int n) {
    Held held{n};
    may_throw(held.number);
}

int on_a_moving_stack(int n) {
    char room[n];
    try {
        may_throw((int)(__INTPTR_TYPE__)room);
    } catch (...) {
        return room[1];
    }
    return 0;
}

void passes(int n) { may_throw(n); may_throw(n + 1); }
