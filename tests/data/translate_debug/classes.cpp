#include <stdexcept>
namespace outer { inline namespace v1 { namespace {
int hidden = 4;
}
template <class T, int N> class Stack {
  T items[N]; int n = 0;
public:
  enum class Kind { Small, Large };
  Stack() {}
  virtual ~Stack() {}
  void push(const T &x) { if (n == N) throw std::runtime_error("full"); items[n++] = x; }
  T &&pop() { return static_cast<T &&>(items[--n]); }
};
struct Base { virtual int f(int) = 0; int b : 5; protected: long l; };
struct Derived : Base { int f(int x) override { return x + b + hidden; } Derived *self; int Base::*p; };
}}
using namespace outer;
int run(int k) {
  Stack<int, 3> s; Derived d; d.b = 2; d.self = &d;
  auto add = [&s, k](int x) { s.push(x + k); return s.pop(); };
  try { for (int i = 0; i < k; i++) s.push(add(i)); }
  catch (const std::exception &e) { return -1; }
  return d.f(s.pop());
}
