// Types, variables and scopes of all kinds, for debuggers. Nothing runs.
namespace ns { template<class T, int N> struct Box { T items[N]; T get(int i) const { return items[i]; } }; }
enum Color { RED = -1, GREEN = 5, BLUE = 70000 };
enum class Small : unsigned char { A, B = 200 };
struct Point { int x, y; unsigned bits : 3; signed more : 5; };
struct Wide { long long wide : 40; char after; } widest;
union Both { float f; int i; struct { short lo, hi; }; };
struct Base { virtual ~Base(); virtual int f(int) = 0; int b; static int counter; static const int limit = 77; protected: char c; };
struct Left : virtual Base { int l; }; struct Right : virtual Base { int r; };
class Both2 : public Left, Right {
public:
  Both2(int);
  int f(int) override;
  void over();
  void over(int) const;
  void lvalue() &;
  void rvalue() &&;
  static int st(double);
  struct Inner { int q; } inner;
  typedef int number;
  enum E2 { P, Q };
  int Point::*pm;
  int (Base::*pf)(int);
private:
  long double ld;
  bool flag;
  wchar_t w;
  char16_t c16;
  char8_t *c8;
};
Base::~Base() {}
int Base::counter = 3;
Both2::Both2(int k) { l = k; }
int Both2::f(int k) { return k + l + limit; }
int (*table[3])(int, char, ...);
thread_local int tls = 4;
static int hidden = 9;
const volatile int cv = 5; int *const volatile *pp; int &&rr = 5; 
typedef struct { int anon; } Unnamed; Unnamed un;
namespace { struct Hid { int h; } hid; }
static inline int twice(int v) { int w = v * 2; return w + hidden; }
extern "C" int use(int *);
int work(int n, Point *p, Point q) {
  static int calls; calls++;
  int s = 0;
  for (int i = 0; i < n; i++) { int t = i * p->x; s += t + use(&t); }
  ns::Box<int, 4> box = {{1,2,3,4}};
  struct Local { int z; } loc = { s };
  Both u = {1.5f}; Color c = GREEN; Small m = Small::B; decltype(nullptr) np = nullptr;
  s += twice(box.get(n & 3)) + loc.z + (int)u.f + c + (int)m + q.y + (np == nullptr);
  return s + use(&s);
}
