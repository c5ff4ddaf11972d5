// The exceptions of the standard library, and the library's code among the frames.
#include "common.h"
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

struct Shape {
    virtual ~Shape() {}
};
struct Circle : Shape {};
struct Square : Shape {};

struct Mine : std::runtime_error {
    int more;
    Mine(const std::string &what, int more) : std::runtime_error(what), more(more) {}
    const char *what() const noexcept override { return more > 5 ? "much more" : std::runtime_error::what(); }
};

// Throws when it is copied or compared too often.
struct Fragile {
    static int left;
    int value;
    Fragile(int v) : value(v) { ++alive; }
    Fragile(const Fragile &f) : value(f.value) {
        if (--left == 0) throw Mine("copy", value);
        ++alive;
    }
    Fragile &operator=(const Fragile &f) {
        if (--left == 0) throw Mine("assignment", f.value);
        value = f.value;
        return *this;
    }
    ~Fragile() { --alive; }
    bool operator<(const Fragile &f) const {
        if (--left == 0) throw std::logic_error("comparison");
        return value < f.value;
    }
};
int Fragile::left;

static void run(const char *name, const std::function<std::string()> &f) {
    try {
        say(" %s: %s\n", name, f().c_str());
    } catch (const Mine &e) {
        say(" %s: mine %s %d\n", name, e.what(), e.more);
    } catch (const std::out_of_range &) {
        say(" %s: out of range\n", name);
    } catch (const std::invalid_argument &) {
        say(" %s: invalid argument\n", name);
    } catch (const std::logic_error &e) {
        say(" %s: logic error %s\n", name, e.what());
    } catch (const std::runtime_error &e) {
        say(" %s: runtime error %s\n", name, e.what());
    } catch (const std::bad_alloc &) {
        say(" %s: no memory\n", name);
    } catch (const std::bad_cast &) {
        say(" %s: bad cast\n", name);
    } catch (const std::exception &e) {
        say(" %s: exception of %s\n", name, typeid(e).name());
    }
}

void library() {
    std::vector<int> numbers(10);
    std::iota(numbers.begin(), numbers.end(), 1);
    for (std::size_t i : {3, 30}) run("at", [&] { return std::to_string(numbers.at(i)); });
    for (const char *text : {"17", "x", "99999999999999999999"}) run("stoi", [=] { return std::to_string(std::stoi(text)); });
    std::map<std::string, int> map{{"one", 1}, {"two", 2}};
    for (const char *key : {"two", "three"}) run("map", [&] { return std::to_string(map.at(key)); });
    run("substr", [] { return std::string("abc").substr(7); });
    run("large", [] { std::vector<long> v; v.reserve(static_cast<std::size_t>(-1) / sizeof(long) + 1); return std::string("?"); });
    run("memory", [] { volatile std::size_t n = static_cast<std::size_t>(-1) / 2 - 64; return std::string(static_cast<char *>(::operator new(n)), 1); });
    run("function", [] { std::function<int()> f; return std::to_string(f()); });
    std::vector<std::unique_ptr<Shape>> shapes;
    shapes.emplace_back(new Circle);
    shapes.emplace_back(new Square);
    for (auto &shape : shapes)
        run("cast", [&] { Circle &c = dynamic_cast<Circle &>(*shape); return std::string(typeid(c).name()); });
    run("typeid", [] { Shape *volatile none = nullptr; return std::string(typeid(*none).name()); });
    run("mine", []() -> std::string { throw Mine("a long text that does not fit into the string itself", 3); });
    run("mine", []() -> std::string { throw Mine("more", 6); });
    for (int left = 1; left < 60; left += 6) {
        run("fragile", [=] {
            Fragile::left = 0;
            std::vector<Fragile> v;
            v.reserve(8);
            for (int i = 0; i < 8; i++) v.emplace_back((i * 5) % 8);
            Fragile::left = left;
            std::vector<Fragile> copy(v);
            std::sort(copy.begin(), copy.end());
            copy.push_back(Fragile(9));
            copy.insert(copy.begin(), copy[3]);
            std::string s;
            for (auto &f : copy) s += std::to_string(f.value);
            return s;
        });
        say(" alive %d\n", alive);
    }
    std::shared_ptr<Loud> shared;
    run("shared", [&] {
        auto local = std::make_shared<Loud>(5);
        shared = local;
        throws(0);
        std::unique_ptr<Loud[]> none;
        throw Mine("shared", static_cast<int>(shared.use_count()));
        return std::string();
    });
    say(" used %ld\n", shared.use_count());
    shared.reset();
    run("accumulate", [&] {
        long sum = std::accumulate(numbers.begin(), numbers.end(), 0L, [](long a, int b) {
            if (b == 8) throw std::range_error(std::to_string(a));
            return a + b;
        });
        return std::to_string(sum);
    });
}
