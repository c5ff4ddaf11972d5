// Structs, templates and virtual calls: shapes by their base class, a vector and a sort of our own, small matrices of a fixed size.

#include "program.h"

// As the header <new> has it, which not every machine here has.
inline void *operator new(size_t, void *place) noexcept { return place; }

namespace {

template <typename T> struct Point {
    T x, y;
    Point operator+(const Point &o) const { return {T(x + o.x), T(y + o.y)}; }
    Point operator-(const Point &o) const { return {T(x - o.x), T(y - o.y)}; }
    T cross(const Point &o) const { return T(x * o.y - y * o.x); }
};

template <typename T, int N> struct Matrix {
    T at[N][N];
    Matrix operator*(const Matrix &o) const {
        Matrix out{};
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                for (int k = 0; k < N; k++)
                    out.at[i][j] += at[i][k] * o.at[k][j];
        return out;
    }
};

template <typename T> class Vector {
    T *items = nullptr;
    int count = 0, room = 0;

public:
    Vector() = default;
    Vector(const Vector &) = delete;
    Vector &operator=(const Vector &) = delete;
    ~Vector() { free(items); }
    void push(const T &item) {
        if (count == room) {
            room = room ? room * 2 : 8;
            items = static_cast<T *>(realloc(static_cast<void *>(items), sizeof(T) * static_cast<size_t>(room)));
        }
        items[count++] = item;
    }
    T &operator[](int i) { return items[i]; }
    int size() const { return count; }
    T *begin() { return items; }
    T *end() { return items + count; }
};

template <typename T, typename Less> void sort(T *first, T *last, const Less &less) {
    while (last - first > 1) {
        T pivot = first[(last - first) / 2], *i = first, *j = last - 1;
        while (i <= j) {
            while (less(*i, pivot))
                i++;
            while (less(pivot, *j))
                j--;
            if (i <= j) {
                T x = *i;
                *i++ = *j;
                *j-- = x;
            }
        }
        sort(first, j + 1, less);
        first = i;
    }
}

struct Shape {
    Point<int> at;
    explicit Shape(Point<int> p) : at(p) {}
    virtual int64_t twice_area() const = 0;
    virtual void move(Point<int> by) { at = at + by; }
    virtual int corners() const { return 0; }
};

struct Box : Shape {
    Point<int> size;
    Box(Point<int> p, Point<int> s) : Shape(p), size(s) {}
    int64_t twice_area() const override { return 2LL * size.x * size.y; }
    int corners() const override { return 4; }
};

struct Triangle : Shape {
    Point<int> b, c;
    Triangle(Point<int> p, Point<int> q, Point<int> r) : Shape(p), b(q), c(r) {}
    int64_t twice_area() const override {
        int64_t area = (b - at).cross(c - at);
        return area < 0 ? -area : area;
    }
    void move(Point<int> by) override {
        Shape::move(by);
        b = b + by;
        c = c + by;
    }
    int corners() const override { return 3; }
};

alignas(16) char memory[4000 * sizeof(Triangle)];
size_t used;

template <typename T, typename... Args> T *made(Args... args) {
    void *place = memory + used;
    used += sizeof(T);
    return new (place) T(args...);
}

} // namespace

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv), good = 1;
    uint32_t state = 91;
    uint64_t sum = 0;
    for (int round = 0; round < rounds; round++) {
        used = 0;
        Vector<Shape *> shapes;
        auto point = [&] { return Point<int>{int(next_random(&state) & 255), int(next_random(&state) & 255)}; };
        for (int i = 0; i < 3000; i++) {
            Point<int> p = point(), q = point(), r = point();
            if (i % 3)
                shapes.push(made<Triangle>(p, q, r));
            else
                shapes.push(made<Box>(p, q));
        }
        int64_t before = 0, after = 0;
        for (Shape *s : shapes)
            before += s->twice_area() * s->corners();
        for (int k = 0; k < 5; k++)
            for (Shape *s : shapes)
                s->move({k - 1, round % 3});
        sort(shapes.begin(), shapes.end(), [](Shape *a, Shape *b) { return a->twice_area() < b->twice_area(); });
        for (int i = 0; i < shapes.size(); i++) {
            after += shapes[i]->twice_area() * shapes[i]->corners();
            good &= i == 0 || shapes[i - 1]->twice_area() <= shapes[i]->twice_area();
        }
        good &= before == after;
        Matrix<uint32_t, 4> m{{{1, 1, 0, 0}, {1, 0, 0, 0}, {0, 0, 1, 1}, {0, 0, 1, 0}}}, power = m;
        for (int k = 0; k < 2000; k++)
            power = power * m;
        good &= power.at[0][0] == power.at[2][2] && power.at[0][1] == power.at[3][2];
        sum = mixed(mixed(sum, uint64_t(after)), power.at[0][0]);
    }
    return finished("shapes", sum, good);
}
