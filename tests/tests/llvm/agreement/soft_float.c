#include <stdio.h>
#include <string.h>
#include <stdint.h>
// The functions of the library, which get and return numbers as integers.
typedef uint32_t F; typedef uint64_t D;
static float f_(F x){float r;memcpy(&r,&x,4);return r;} static F F_(float x){F r;memcpy(&r,&x,4);return r;}
static double d_(D x){double r;memcpy(&r,&x,8);return r;} static D D_(double x){D r;memcpy(&r,&x,8);return r;}
#define BIN(n,op) F n##sf3(F a,F b){return F_(f_(a) op f_(b));} D n##df3(D a,D b){return D_(d_(a) op d_(b));}
BIN(__add,+) BIN(__sub,-) BIN(__mul,*) BIN(__div,/)
#define C3(T,X,cv) \
 int __eq##X(T a,T b){return !(cv(a)==cv(b));} int __ne##X(T a,T b){return !(cv(a)==cv(b));} \
 int __lt##X(T a,T b){return cv(a)<cv(b)?-1:cv(a)==cv(b)?0:1;} int __le##X(T a,T b){return cv(a)<=cv(b)?(cv(a)<cv(b)?-1:0):1;} \
 int __gt##X(T a,T b){return cv(a)>cv(b)?1:cv(a)==cv(b)?0:-1;} int __ge##X(T a,T b){return cv(a)>=cv(b)?(cv(a)>cv(b)):-1;} \
 int __unord##X(T a,T b){return __builtin_isnan(cv(a))||__builtin_isnan(cv(b));}
C3(F,sf2,f_) C3(D,df2,d_)
D __extendsfdf2(F a){return D_(f_(a));} F __truncdfsf2(D a){return F_(d_(a));}
int64_t __fixdfdi(D a){return (int64_t)d_(a);} uint32_t __fixunssfsi(F a){return (uint32_t)f_(a);} int32_t __fixdfsi(D a){return d_(a);}
int64_t __fixsfdi(F a){return f_(a);} int32_t __fixsfsi(F a){return f_(a);} uint64_t __fixunssfdi(F a){return f_(a);}
F __floatdisf(int64_t a){return F_(a);} D __floatsidf(int32_t a){return D_(a);} F __floatsisf(int32_t a){return F_(a);} D __floatunsidf(uint32_t a){return D_(a);} F __floatunsisf(uint32_t a){return F_(a);} D __floatdidf(int64_t a){return D_(a);}D __floatundidf(uint64_t a){return D_(a);}
D soft_sqrt(D) __asm__("sqrt"); D soft_sqrt(D a){return D_(__builtin_elementwise_sqrt(d_(a)));}
typedef struct{D a,b;}D2;
F t_fadd(F,F); D t_dexpr(D,D,F); int t_cmp(D,D,F,F);
int64_t t_conv(D,F,int64_t,int32_t,_Bool); D t_phi(D,int32_t); D t_callvar(D,int32_t,D); D t_mem(D*,F); D t_var(int,...);
D2 t_vecd(D,D,D,D,F,F,F);
extern F t_h; double t_hard(double);
static uint64_t s=88172645463325252ull; static uint64_t rnd(){s^=s<<13;s^=s>>7;s^=s<<17;return s;}
static D rd(){ switch(rnd()%4){case 0:return rnd();case 1:return D_((double)(int32_t)rnd());default:return D_(((double)(int32_t)rnd())/1024);} }
static F rf(){ switch(rnd()%4){case 0:return rnd();case 1:return F_((float)(int16_t)rnd());default:return F_(((float)(int32_t)rnd())/1024);} }
int main(){ for(int i=0;i<500;i++){ D a=rd(),b=rd(); F c=rf(),d=rf(); if(i%5==0)b=a; if(i%7==0)d=c; D m=a;
 printf("%x %llx %x ",t_fadd(c,d),(long long)t_dexpr(a,b,c),t_cmp(a,b,c,d));
 D aa=D_((double)(int32_t)rnd()); F cc=F_((float)(rnd()&0xffffff));
 printf("%llx %llx %llx ",(long long)t_conv(aa,cc,rnd(),rnd(),rnd()&1),(long long)t_phi(a,rnd()),(long long)t_callvar(a,(int32_t)rnd(),b));
 printf("%llx %llx %x ",(long long)t_mem(&m,c),(long long)m,t_h);
 printf("%a ", t_hard(d_(aa)));
 printf("%llx\n",(long long)t_var(2,a,(int32_t)rnd(),b));
 #ifdef __x86_64__
 D2 v=t_vecd(a,b,aa,m,c,d,cc); printf("%llx %llx\n",(long long)v.a,(long long)v.b);
 #endif
 } }
