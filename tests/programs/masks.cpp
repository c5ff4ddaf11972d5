// Vectors of truth values, of three and five lanes, of 128-bit lanes; shuffles; lanes at run-time positions.
#include <stdio.h>
#include <string.h>
#define NI __attribute__((noinline))
typedef bool b4 __attribute__((ext_vector_type(4)));typedef bool b8 __attribute__((ext_vector_type(8)));typedef bool b16 __attribute__((ext_vector_type(16)));typedef bool b32 __attribute__((ext_vector_type(32)));typedef bool b3 __attribute__((ext_vector_type(3)));
typedef int i3 __attribute__((ext_vector_type(3)));typedef float f3 __attribute__((ext_vector_type(3)));typedef int i4 __attribute__((ext_vector_type(4)));typedef int i8v __attribute__((ext_vector_type(8)));typedef short s8v __attribute__((ext_vector_type(8)));typedef unsigned char u16v __attribute__((ext_vector_type(16)));typedef char c3 __attribute__((ext_vector_type(3)));typedef char c5 __attribute__((ext_vector_type(5)));
typedef __int128 q2 __attribute__((vector_size(32)));typedef long double ld;
NI b8 a8(i8v x,i8v y){return __builtin_convertvector(x<y,b8);} NI b8 x8(b8 x,b8 y){return (x&~y)|(x^y);} NI b16 a16(u16v x,u16v y){return __builtin_convertvector(x==y,b16);} NI b32 n32(b32 x,b32 y){return x&~y;}
NI int any(b8 x){return __builtin_reduce_or(x)+2*__builtin_reduce_and(x);} NI i8v s(b8 m,i8v x,i8v y){return (__builtin_convertvector(m,i8v)&1)==1?x:y;} NI i3 f(i3 x,f3 y){return x*3+__builtin_convertvector(y,i3);} NI f3 g(f3 x,f3 y){return x/y+y.zxy;} NI c3 h(c3 x,c3 y){return x*y-x;} NI c5 h5(c5 x,c5 y){return x*y-x;}
NI q2 qq(q2 a,q2 b){return a*b+a;} NI i4 sh(i4 a,i8v b){return __builtin_shufflevector(a,b.lo,7,0,5,2);} NI i8v sh8(i8v a,i8v b){return __builtin_shufflevector(a,b,15,0,8,7,3,3,12,1);} NI u16v sb(u16v a,u16v b){return __builtin_shufflevector(a,b,31,0,17,2,19,4,5,5,9,30,1,1,8,16,24,7);}
NI int bs(b8 x){unsigned char c;memcpy(&c,&x,1);return c;} NI b8 ins(b8 x,int k,bool v){x[k&7]=v;return x;} NI bool ext(b32 x,int k){return x[k&31];} NI i3 ld3(i3*p){return *p;} NI void st3(c3*p,c3 v){*p=v;}
struct S{char a;c3 v;char b;b4 m;char c;b3 n;};
int main(){unsigned z=12345;
#define R (int)((z=z*1103515245u+12345u)>>8)
for(int i=0;i<50;i++){i8v x,y;u16v u,w;for(int k=0;k<8;k++){x[k]=R%100;y[k]=R%100;}for(int k=0;k<16;k++){u[k]=R&3;w[k]=R&3;}
b8 m=a8(x,y);b8 m2=x8(m,a8(y,x+5));printf("%x %x %d %d ",bs(m),bs(m2),any(m),any(m2));b16 m16=a16(u,w);unsigned short us;memcpy(&us,&m16,2);printf("%x ",us);
b32 q,r;for(int k=0;k<32;k++){q[k]=R&1;r[k]=R&1;}b32 n=n32(q,r);unsigned nn;memcpy(&nn,&n,4);printf("%x %d ",nn,ext(n,i));printf("%x ",bs(ins(m,i,i&8)));
i8v e=s(m,x,y);for(int k=0;k<8;k++)printf("%d ",e[k]);i3 t={i,2,3};f3 ff={1.5f,i*2.f,-3};i3 t2=f(t,ff);f3 g2=g(ff,ff+1);printf("%d %d %d %a %a %a ",t2.x,t2.y,t2.z,g2.x,g2.y,g2.z);
c3 cc={1,(char)i,3};cc=h(cc,cc+(c3)2);c5 c55={1,2,3,4,(char)i};c55=h5(c55,c55+(c5)1);printf("%d %d %d %d %d ",cc.x,cc.y,cc.z,c55[4],c55[3]);q2 qa={x[0],-y[0]};qa=qq(qa,qa*qa);printf("%lld %lld ",(long long)qa[0],(long long)qa[1]);
i4 s4=sh(x.lo,y);e=sh8(x,y);u=sb(u,w);for(int k=0;k<16;k++)printf("%d ",s4[k&3]+e[k&7]*1000+u[k]*100000);struct S st;memset(&st,7,sizeof st);st3(&st.v,cc);b4 four={true,(bool)(i&1),false,true};b3 three={true,false,true};st.m=four;st.n=three;printf("%d%d%d%d%d%d%d %d %d %d %d ",st.m[0],st.m[1],st.m[2],st.m[3],st.n[0],st.n[1],st.n[2],st.v.x+st.v.y+st.v.z,st.a,st.b,st.c);printf("%d\n",ld3(&t).y);}
return 0;}
