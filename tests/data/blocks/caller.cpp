#include "objects.h"

static int through(int (Base::*method)(Foo, int), Base *b, Foo f) { return (b->*method)(f, 5); }

static int early(int k) {
    Foo kept(k);
    for (int i = 0; i < 4; i++) {
        // Arguments of a call that is sometimes not made.
        int t = two(Foo(i), coin() ? Foo(kept) : (k > 2 ? kept + Foo(1) : Foo(9)));
        if (t > 100 && coin()) return t;
        k += t;
    }
    return k;
}

int caller(Base *base, Other *other, int rounds) {
    int sum = 0;
    for (int i = 0; i < rounds; i++) {
        sum = sum * 31 + two(Foo(i), Foo());
        sum = sum * 31 + (int)bar(bar(bar(Foo(i))));
        sum = sum * 31 + mixed('c', Foo(i), -3, Wide(i * 1.5, 'w'), 2.5f, bar(Foo(4)), 0x500000007LL);
        sum = sum * 31 + large(Large(i), i + 1);
        sum = sum * 31 + variadic(Foo(i), 1, i, 2, 2.5, 1, two(Foo(1), Foo(2)), 0);
        sum = sum * 31 + standard(Foo(i), 3, Wide(8, 'x'));
        sum = sum * 31 + fast(1, bar(Foo(i)), i, two(Foo(i), Foo(5)));
        sum = sum * 31 + vector(1, Foo(i), 0.5, i * 0.25);
        sum = sum * 31 + deep(Foo(i), 6);
        sum = sum * 31 + base->weigh(Foo(i), 2);
        sum = sum * 31 + (int)base->make(i, base->make(2, Foo(1), 0.5), 3.5);
        sum = sum * 31 + other->judge('j', Foo(i), Foo(8) + Foo(i));
        sum = sum * 31 + (int)other->pick(Foo(i), 1, 2.5, 3);
        sum = sum * 31 + through(&Base::weigh, base, Foo(i + 1));
        sum = sum * 31 + grow(grow(Large(i), Foo(1)), bar(Foo(2))).middle[7];
        auto twice = [](Foo f, int k) { return f.a * k; };
        sum = sum * 31 + twice(Foo(i), 2) + apply(twice, Foo(i));
        Foo total(i);
        (total += Foo(1)) += bar(total);
        sum = sum * 31 + total.a + early(i);
        note(sum);
    }
    return sum;
}
