/* What 32-bit ARM has and other machines have not, or not so: numbers of two registers, halves of floating-point registers, arguments
   in core registers and on the stack, exclusive accesses, tables of jumps, addresses of every kind. Prints what it finds. */
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <stdarg.h>
#include <stdatomic.h>
typedef long long ll;
int fib(int n){ return n<2?n:fib(n-1)+fib(n-2); }
double avg(double *p, int n){ double s=0; for(int i=0;i<n;i++) s+=p[i]; return s/n; }
ll mul(ll a, ll b){ return a*b+ (a>>3) - (b<<5); }
float fadd(float a,float b,float c, double d, float e){ return a*b+c-(float)d+e; }
int sw(int x){ switch(x){case 0: return 5; case 1: return 9; case 2: return -4; case 3: return 77; case 4: return 12; case 5: return 1; case 6: return 33; default: return 0;} }
unsigned u64d(unsigned long long a, unsigned long long b){ return (unsigned)(a/b + a%b); }
struct S{int a; char b[20]; double d;};
struct S mk(int k){ struct S s; memset(&s,0,sizeof s); s.a=k; s.d=k*1.5; strcpy(s.b,"hello"); return s; }
static void words(int argc){
  printf("hi %d\n", fib(20));
  double v[4]={1,2,3,4.5};
  printf("%f %d\n", avg(v,4), 7);
  printf("%lld\n", mul(123456789012LL, -987654321LL));
  printf("%g\n", fadd(1.5f,2.f,3.f,4.25,5.f));
  for(int i=-1;i<9;i++) printf("%d ", sw(i)); puts("");
  printf("%u\n", u64d(1234567890123ULL, 1000007ULL));
  struct S s=mk(3); printf("%d %s %f\n", s.a,s.b,s.d);
  for(int k=0;k<64;k+=7){ ll x=0x123456789abcdef0LL; printf("%llx %llx %llx\n", x<<k, x>>k, (unsigned long long)x>>k);} 
  ll q = -5; printf("%d %d %d\n", q<3, q>3, (unsigned long long)q>3);
  printf("%f %d %u\n", (double)argc, (int)-3.7, (unsigned)3e9);
  printf("%lld %f\n", (ll)-3.7e12, (double)(ll)-123456789012345LL);
}

typedef unsigned long long ull;
struct P{float x,y;}; struct Q{double a,b;}; struct B{int a[7];}; struct O{char c[3];};
__attribute__((noinline)) struct P pf(struct P a, float z, struct P b){ struct P r={a.x+b.y*z, a.y-b.x}; return r; }
__attribute__((noinline)) struct Q qf(struct Q a, double z, float w, float v, struct Q b){ struct Q r={a.a+b.b*z+w, a.b-b.a-v}; return r; }
__attribute__((noinline)) int bf(int k, struct B b, struct O o){ int s=k; for(int i=0;i<7;i++) s=s*3+b.a[i]; return s+o.c[0]+o.c[2]; }
__attribute__((noinline)) double va(int n, ...){ va_list ap; va_start(ap,n); double s=0; for(int i=0;i<n;i++){ s+=va_arg(ap,double); s+=va_arg(ap,int); s+= va_arg(ap,ll);} va_end(ap); return s; }
__attribute__((noinline)) float many(float a,float b,float c,float d,float e,float f,float g,float h,float i,float j,float k,float l,float m,float n,float o,float p,float q,double r){ return a+2*b+3*c+4*d+5*e+6*f+7*g+8*h+9*i+10*j+11*k+12*l+13*m+14*n+15*o+16*p+17*q+r; }
_Atomic int ai; _Atomic ll al; _Atomic char ac; _Atomic short as;
int cmp(const void*a,const void*b){ return *(int*)a-*(int*)b; }
ull mulhi(ull a, unsigned b){ return a*b; }
static void calls(void){
  struct P p={1,2}, q={3,4}; p=pf(p,1.5f,q); printf("%g %g\n", p.x,p.y);
  struct Q a={1,2}, b={3,4}; a=qf(a,2.5,1.f,2.f,b); printf("%g %g\n", a.a,a.b);
  struct B bb={{1,2,3,4,5,6,7}}; struct O o={"ab"}; printf("%d\n", bf(3,bb,o));
  printf("%g\n", va(3, 1.5, 2, 3LL, 2.5, 3, 4LL, 3.5, 4, 5LL));
  printf("%g\n", many(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18.));
  ai=5; ai+=3; atomic_fetch_or(&ai, 0x100); int e=0x108; printf("%d %d\n", atomic_compare_exchange_strong(&ai,&e,77), ai);
  al=0x1234567890LL; al-=5; ll el=0x123456788bLL; printf("%d %llx\n", atomic_compare_exchange_strong(&al,&el,-1LL), al); al ^= 0xff00ff00ff00LL; printf("%llx\n", al); atomic_exchange(&al, 9); printf("%lld\n", al);
  ac=3; ac+=200; as=-5; as*=3; printf("%d %d\n", ac, as);
  int v[10]={5,3,9,1,7,2,8,0,6,4}; qsort(v,10,4,cmp); for(int i=0;i<10;i++) printf("%d ",v[i]); puts("");
  ull x=0xfedcba9876543210ull; printf("%d %d %d %llx %llx\n", __builtin_clzll(x>>7), __builtin_ctzll(x), __builtin_popcountll(x), __builtin_bswap64(x), (x<<13)|(x>>51));
  for(int i=0;i<64;i+=9) printf("%llx ", (x<<i)|(x>>((64-i)&63))); puts("");
  ll r; printf("%d %d %d\n", __builtin_add_overflow((ll)x,(ll)x,&r), __builtin_sub_overflow(5ll,7ll,&r), __builtin_mul_overflow((ull)x,3ull,(ull*)&r));
  printf("%d %u %d %d\n", -7/3, 4000000000u/7, -7%3, (short)-300/(short)7);
  char buf[100]; memset(buf,'x',37); buf[37]=0; memcpy(buf+3,"hello world this is",19); printf("%s\n", buf);
  double z=-0.0; printf("%g %g %g %d\n", __builtin_copysign(3.0,z), __builtin_fabs(-4.5), -z, z==0);
  int n=5; int vla[n]; for(int i=0;i<n;i++) vla[i]=i*i; printf("%d\n", vla[4]+(int)sizeof vla);
}

__thread int ta = 5; static __thread long long tb = 7; extern __thread int errno_like;
__thread int errno_like = 3;
int (*fp)(const char*,...) = printf; static int loc(int x){ return x*2; } int (*lp)(int) = loc;
static const char *names[] = {"x","y","z"}; static int big[10000]; int arr[300];
__attribute__((noinline)) int ind(int (*f)(int), int x){ return f(x)+1; }
__attribute__((noinline)) int table(int x){ switch(x){ case 0: return arr[1]; case 1: return arr[2]+big[9000]; case 2: return 7; case 3: return -1; case 4: return 99; case 5: return 1234567; case 6: return 3; case 7: return x*x; default: return -5; } }
__attribute__((noinline)) double d(int i){ static double t[] = {1.5,2.5,3.7}; return t[i] + 0.1; }
static void addresses(void){ ta += 2; tb *= 3; errno_like++; fp("%d %lld %d\n", ta, tb, errno_like); fp("%d %d %s\n", ind(lp, 4), ind(loc,5), names[2]);
 arr[1]=4; arr[2]=8; big[9000]=11; for(int i=-1;i<10;i++) fp("%d ", table(i)); fp("\n%f\n", d(1)); 
 void *l[] = {&&p,&&q,&&r}; int i=0; goto *l[i]; p: fp("p"); i=2; goto *l[i]; q: fp("q\n"); return; r: fp("r"); i=1; goto *l[i]; }

int main(int argc, char **argv) {
    (void)argv;
    words(argc);
    calls();
    addresses();
    return 0;
}
