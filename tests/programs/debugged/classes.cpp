#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
struct Base {
  int b = 1;
  virtual ~Base() {}
  virtual int area(int by) const { return b * by; }
};
struct Left : virtual Base { int l = 2; };
struct Right : virtual Base { int r = 3; unsigned flag : 3; Right() : flag(5) {} };
struct Both : Left, Right {
  static int count;
  enum class Kind : unsigned char { Small, Large = 7 } kind = Kind::Large;
  int area(int by) const override {
    int own = b + l + r;
    return own * by;
  }
};
int Both::count = 4;
thread_local int own_thread = 11;
namespace outer { namespace { int hidden = 6; } template <typename T, int N> struct Array {
  T data[N];
  T sum(const T &first) const {
    T total = first;
    for (const T &each : data)
      total += each;
    return total;
  }
}; }
struct Guard { int id; explicit Guard(int i) : id(i) {} ~Guard() { Both::count += id; } };
template <typename F> int apply(F f, int &&x) {
  int result = f(x);
  return result;
}
int thrower(int depth, const std::string &why) {
  Guard guard(depth);
  if (depth == 0)
    throw std::runtime_error(why);
  int below = thrower(depth - 1, why);
  return below + 1;
}
int catcher(int depth) {
  int seen = 0;
  try {
    seen = thrower(depth, "deep");
  } catch (const std::exception &e) {
    std::string text = e.what();
    seen = (int)text.size();
    return seen + depth;
  }
  return -1;
}
int main() {
  Both both;
  Base &base = both;
  std::vector<int> numbers{1, 2, 3};
  std::map<std::string, int> names{{"a", 1}, {"b", 2}};
  std::unique_ptr<Both> owner(new Both);
  outer::Array<double, 3> array{{0.5, 1.5, 2.5}};
  int captured = 9;
  auto closure = [&captured, both](int x) {
    int inside = captured + both.b + x;
    return inside;
  };
  int Both::*member = nullptr;
  int total = base.area(2);
  total += apply(closure, 3);
  total += (int)array.sum(0.25);
  total += catcher(3);
  auto [first, second] = std::pair<int, char>(5, 'x');
  total += first + second + own_thread + outer::hidden;
  long double wide = 1.25L;
  bool truth = total > 3;
  wchar_t letter = L'q';
  return truth && wide > 1 && letter ? total & 1 : (int)numbers.size();
}
