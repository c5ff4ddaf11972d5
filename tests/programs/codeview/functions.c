// Functions, blocks, inlined calls and variables of C, for debuggers. `mainCRTStartup` calls all of it.
typedef unsigned long ULONG;
typedef long HRESULT;
struct pair { int first, second; };
struct node { struct node *next; unsigned low : 3, high : 13; double weights[2][3]; void (*visit)(struct node *, int, ...); };
union number { float f; int i; char bytes[4]; };
enum color { RED, GREEN = 5, DARK = -3 };
static struct node list;
volatile int counter = 7;
_Thread_local long long own = 9;
int table[4] = {1, 2, 3, 4};
HRESULT result;

static int add(struct pair *pair, int k) {
  int sum = pair->first + k;
  {
    int inner = sum * 2;
    sum += inner + counter;
  }
  return sum;
}

__declspec(noinline) int walk(int n, struct pair p) {
  static int calls;
  ULONG product = 1;
  union number u = {1.5f};
  enum color c = n > 3 ? GREEN : DARK;
  calls++;
  for (int i = 0; i < n; i++) {
    int twice = i * p.second;
    product += twice + table[i & 3];
  }
  list.low = 5;
  return add(&p, (int)product) + u.i + (int)c + calls;
}

__declspec(noinline) int recurse(int n) {
  if (n <= 0)
    return counter;
  return recurse(n - 1) +
         recurse(n - 2);
}

int mainCRTStartup(void) {
  struct pair p = {3, 4};
  int r = walk(5, p);
  r += recurse(3);
  return r + walk(2, p);
}
