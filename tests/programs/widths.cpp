// Integers of odd widths, and half precision, alone and in vectors.
#include <stdio.h>
#include <stdint.h>
#define NI __attribute__((noinline))
static uint64_t s=88172645463325252ull; static uint64_t rnd(void){s^=s<<13;s^=s>>7;s^=s<<17;return s;}
static void show(const char*w,unsigned __int128 x){printf("%s %016llx%016llx\n",w,(unsigned long long)(x>>64),(unsigned long long)x);}
#define B(N) typedef _BitInt(N) s##N; typedef unsigned _BitInt(N) u##N; struct m##N{char c; s##N v; char d;}; \
 NI s##N sa##N(s##N a,s##N b){return a+b*a-(b^a);} NI s##N sd##N(s##N a,s##N b){return a/(b|1)+a%(b|1);} NI u##N ud##N(u##N a,u##N b){return a/(b|1)^a%(b|1);}\
 NI s##N sh##N(s##N a,unsigned n){return (a>>(n%N))^(a<<((n*7)%N));} NI u##N uh##N(u##N a,unsigned n){return (a>>(n%N))|(a<<((N-n%N)%N));}\
 NI int lt##N(s##N a,s##N b){return (a<b)+2*(a>=b)+4*(a==b);} NI int ult##N(u##N a,u##N b){return (a<b)+2*(a>=b)+4*(a==b);}\
 NI double d##N(s##N a,u##N b){return (double)a+(double)b;} NI s##N fd##N(double x){return (s##N)x;} NI int ov##N(s##N a,s##N b,s##N*r){return __builtin_add_overflow(a,b,r)+2*__builtin_sub_overflow(a,b,r)+4*__builtin_mul_overflow((u##N)a,(u##N)b,(u##N*)r);}\
 NI void st##N(struct m##N*p,s##N a){p->v=a+1;p->c++;} NI int sw##N(u##N a){switch((int)(a&7)){case 0:return 5;case 3:return 9;case 7:return 1;}return 0;}\
 static void r##N(void){for(int i=0;i<40;i++){unsigned __int128 x=((unsigned __int128)rnd()<<64)|rnd(),y=((unsigned __int128)rnd()<<64)|rnd();if(i&1){x>>=120;}if(i%5==0)y=x;s##N a=(s##N)x,b=(s##N)y;\
 show("a" #N,sa##N(a,b));show("d",sd##N(a,b));show("u",ud##N(a,b));show("s",sh##N(a,i*13));show("h",uh##N(a,i*5));printf("%d %d %a\n",lt##N(a,b),ult##N(a,b),d##N(a,b));show("f",fd##N((double)(a/3)));s##N q=0;printf("%d ",ov##N(a,b,&q));show("o",q);struct m##N m={1,(s##N)1,3};st##N(&m,a);show("m",m.v+m.c+m.d);printf("%d\n",sw##N(a));}}
#define ALL(X) X(2)X(3)X(5)X(7)X(8)X(9)X(13)X(16)X(17)X(24)X(31)X(33)X(40)X(48)X(56)X(63)X(65)X(72)X(96)X(100)X(127)
ALL(B)
#define R(N) r##N();
typedef _Float16 h;
NI h h1(h a,h b){return a*b+a/b-b;} NI int h2(h a,h b){return (a<b)+2*(a==b)+4*(a!=a);} NI h h3(int x,double d){return (h)x+(h)d;} NI int h4(h a){return (int)a;} NI h h5(h a){return -a+__builtin_fabsf16(a)+__builtin_copysignf16(a,(h)-1)+__builtin_floorf16(a)+a;} 
typedef h h4v __attribute__((vector_size(8))); typedef h h8v __attribute__((vector_size(16)));typedef h h16v __attribute__((vector_size(32)));
NI h4v hv4(h4v a,h4v b){return a*b-a;} NI h8v hv8(h8v a,h8v b){return a+b/a;} NI h16v hv16(h16v a,h16v b){return a<b?a+b:a-b;}
int main(){ALL(R)
for(int i=0;i<50;i++){h a=(h)((int)(rnd()%4000)-2000)/8,b=(h)((int)(rnd()%400)-100)/4+(h).25;printf("%a %d %a %d %a\n",(double)h1(a,b),h2(a,b),(double)h3(i*37,i*.37),h4(a),(double)h5(b));

h4v v;h8v w;h16v z;for(int k=0;k<16;k++){if(k<4)v[k]=a+k;if(k<8)w[k]=b*k;z[k]=a-k*b;}h4v v2=hv4(v,v+1);h8v w2=hv8(w,w+1);h16v z2=hv16(z,z*-1);for(int k=0;k<16;k++)printf("%a %a %a,",(double)v2[k&3],(double)w2[k&7],(double)z2[k]);puts("");}
return 0;}
