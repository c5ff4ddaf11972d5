// Vectors of 8 to 32 bytes, alone and in records, and other arguments, as parameters, unnamed arguments and results: what is called,
// or who calls it.
#include <stdio.h>
#include <string.h>
#include <stdarg.h>
typedef signed char v16c __attribute__((vector_size(16))); typedef short v8s __attribute__((vector_size(16))); typedef int v4i __attribute__((vector_size(16))); typedef long long v2l __attribute__((vector_size(16))); typedef float v4f __attribute__((vector_size(16))); typedef double v2d __attribute__((vector_size(16)));
typedef signed char w8c __attribute__((vector_size(8))); typedef short w4s __attribute__((vector_size(8))); typedef int w2i __attribute__((vector_size(8))); typedef long long w1l __attribute__((vector_size(8))); typedef float w2f __attribute__((vector_size(8))); typedef int x32 __attribute__((vector_size(32)));
typedef struct {v4i a,b;} HV2; typedef struct {v4f a,b,c;} HV3; typedef struct {w2f a,b;} HW2; typedef struct {v4i a; int b;} S1;
static void fill(void*p,int n,int k){unsigned char*c=p;for(int i=0;i<n;i++)c[i]=(unsigned char)((k*37+i*11+5)&0x3f);}
static unsigned sum(const void*p,int n){const unsigned char*c=p;unsigned h=7;for(int i=0;i<n;i++)h=h*31+c[i];return h;}
S1 f0(w4s a0, HV2 a1, int a2);
v2l f1(double a0, v8s a1, long long a2, w4s a3, x32 a4, v2l a5);
long long f2(v2l a0, int a1, v4i a2, w1l a3, ...);
v8s f3(float a0, v16c a1, S1 a2, S1 a3, w2f a4, v16c a5, v16c a6, ...);
int f4(v4i a0, v8s a1);
v2d f5(v4i a0, HV3 a1, v4i a2, ...);
v4i f6(v2d a0, int a1, ...);
v4f f7(w8c a0);
S1 f8(int a0, S1 a1, w8c a2, float a3, v2d a4);
v2d f9(w8c a0, v8s a1, x32 a2, x32 a3);
double f10(int a0, w4s a1, ...);
w4s f11(HW2 a0, int a1, w2f a2, double a3);
S1 f12(long long a0, v2l a1);
w2f f13(HV2 a0, w4s a1, HV2 a2);
w2f f14(HW2 a0);
w4s f15(v2d a0, double a1, w1l a2, float a3, v4i a4, w8c a5, HV2 a6);
v16c f16(v4f a0, HV3 a1, float a2);
w8c f17(v8s a0, float a1, v16c a2);
v2d f18(v8s a0, double a1, float a2, S1 a3);
w2i f19(v2l a0);
w4s f20(v4f a0, w2f a1, w1l a2, v16c a3, double a4, double a5, x32 a6);
v4i f21(HW2 a0, v16c a1);
w1l f22(v8s a0);
v16c f23(w1l a0);
w2f f24(v8s a0, HV2 a1, w2f a2, x32 a3, w8c a4);
v2d f25(w2i a0, v16c a1, long long a2, w2i a3);
HV3 f26(x32 a0, w8c a1, ...);
v4f f27(HV3 a0, HV2 a1, w4s a2, float a3, w4s a4);
double f28(v2d a0, w4s a1, HV3 a2, v4f a3, x32 a4, v4f a5, v2d a6);
w8c f29(v8s a0, HW2 a1, int a2, x32 a3, HV3 a4, v4f a5);
v4f f30(v2d a0, HV2 a1, w4s a2, w4s a3);
w4s f31(w1l a0, w4s a1, v8s a2, w2f a3, w4s a4, w8c a5);
HV2 f32(v4i a0, w4s a1);
x32 f33(float a0, w1l a1, v8s a2);
HW2 f34(w1l a0, v2d a1, S1 a2, HV3 a3, v4f a4);
int f35(v8s a0, HW2 a1);
v8s f36(v8s a0, double a1);
v2l f37(double a0, ...);
x32 f38(HV3 a0, double a1);
w4s f39(S1 a0, float a1, HW2 a2, ...);
#ifdef CALLEE
S1 f0(w4s a0, HV2 a1, int a2) { unsigned h=0; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,sizeof a2); printf("0 %08x\n",h); S1 z; fill(&z,sizeof z,h); return z; }
v2l f1(double a0, v8s a1, long long a2, w4s a3, x32 a4, v2l a5) { unsigned h=1; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,sizeof a2); h=h*33+sum(&a3,sizeof a3); h=h*33+sum(&a4,sizeof a4); h=h*33+sum(&a5,sizeof a5); printf("1 %08x\n",h); v2l z; fill(&z,sizeof z,h); return z; }
long long f2(v2l a0, int a1, v4i a2, w1l a3, ...) { unsigned h=2; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,sizeof a2); h=h*33+sum(&a3,sizeof a3); va_list ap; va_start(ap,a3); { v4f x=va_arg(ap,v4f); h=h*33+sum(&x,sizeof x); } va_end(ap); printf("2 %08x\n",h); long long z; fill(&z,sizeof z,h); return z; }
v8s f3(float a0, v16c a1, S1 a2, S1 a3, w2f a4, v16c a5, v16c a6, ...) { unsigned h=3; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,20); h=h*33+sum(&a3,20); h=h*33+sum(&a4,sizeof a4); h=h*33+sum(&a5,sizeof a5); h=h*33+sum(&a6,sizeof a6); va_list ap; va_start(ap,a6); va_end(ap); printf("3 %08x\n",h); v8s z; fill(&z,sizeof z,h); return z; }
int f4(v4i a0, v8s a1) { unsigned h=4; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); printf("4 %08x\n",h); int z; fill(&z,sizeof z,h); return z; }
v2d f5(v4i a0, HV3 a1, v4i a2, ...) { unsigned h=5; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,sizeof a2); va_list ap; va_start(ap,a2); va_end(ap); printf("5 %08x\n",h); v2d z; fill(&z,sizeof z,h); return z; }
v4i f6(v2d a0, int a1, ...) { unsigned h=6; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); va_list ap; va_start(ap,a1); { w4s x=va_arg(ap,w4s); h=h*33+sum(&x,sizeof x); } { w1l x=va_arg(ap,w1l); h=h*33+sum(&x,sizeof x); } va_end(ap); printf("6 %08x\n",h); v4i z; fill(&z,sizeof z,h); return z; }
v4f f7(w8c a0) { unsigned h=7; h=h*33+sum(&a0,sizeof a0); printf("7 %08x\n",h); v4f z; fill(&z,sizeof z,h); return z; }
S1 f8(int a0, S1 a1, w8c a2, float a3, v2d a4) { unsigned h=8; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,20); h=h*33+sum(&a2,sizeof a2); h=h*33+sum(&a3,sizeof a3); h=h*33+sum(&a4,sizeof a4); printf("8 %08x\n",h); S1 z; fill(&z,sizeof z,h); return z; }
v2d f9(w8c a0, v8s a1, x32 a2, x32 a3) { unsigned h=9; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,sizeof a2); h=h*33+sum(&a3,sizeof a3); printf("9 %08x\n",h); v2d z; fill(&z,sizeof z,h); return z; }
double f10(int a0, w4s a1, ...) { unsigned h=10; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); va_list ap; va_start(ap,a1); { w2i x=va_arg(ap,w2i); h=h*33+sum(&x,sizeof x); } va_end(ap); printf("10 %08x\n",h); double z; fill(&z,sizeof z,h); return z; }
w4s f11(HW2 a0, int a1, w2f a2, double a3) { unsigned h=11; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,sizeof a2); h=h*33+sum(&a3,sizeof a3); printf("11 %08x\n",h); w4s z; fill(&z,sizeof z,h); return z; }
S1 f12(long long a0, v2l a1) { unsigned h=12; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); printf("12 %08x\n",h); S1 z; fill(&z,sizeof z,h); return z; }
w2f f13(HV2 a0, w4s a1, HV2 a2) { unsigned h=13; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,sizeof a2); printf("13 %08x\n",h); w2f z; fill(&z,sizeof z,h); return z; }
w2f f14(HW2 a0) { unsigned h=14; h=h*33+sum(&a0,sizeof a0); printf("14 %08x\n",h); w2f z; fill(&z,sizeof z,h); return z; }
w4s f15(v2d a0, double a1, w1l a2, float a3, v4i a4, w8c a5, HV2 a6) { unsigned h=15; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,sizeof a2); h=h*33+sum(&a3,sizeof a3); h=h*33+sum(&a4,sizeof a4); h=h*33+sum(&a5,sizeof a5); h=h*33+sum(&a6,sizeof a6); printf("15 %08x\n",h); w4s z; fill(&z,sizeof z,h); return z; }
v16c f16(v4f a0, HV3 a1, float a2) { unsigned h=16; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,sizeof a2); printf("16 %08x\n",h); v16c z; fill(&z,sizeof z,h); return z; }
w8c f17(v8s a0, float a1, v16c a2) { unsigned h=17; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,sizeof a2); printf("17 %08x\n",h); w8c z; fill(&z,sizeof z,h); return z; }
v2d f18(v8s a0, double a1, float a2, S1 a3) { unsigned h=18; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,sizeof a2); h=h*33+sum(&a3,20); printf("18 %08x\n",h); v2d z; fill(&z,sizeof z,h); return z; }
w2i f19(v2l a0) { unsigned h=19; h=h*33+sum(&a0,sizeof a0); printf("19 %08x\n",h); w2i z; fill(&z,sizeof z,h); return z; }
w4s f20(v4f a0, w2f a1, w1l a2, v16c a3, double a4, double a5, x32 a6) { unsigned h=20; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,sizeof a2); h=h*33+sum(&a3,sizeof a3); h=h*33+sum(&a4,sizeof a4); h=h*33+sum(&a5,sizeof a5); h=h*33+sum(&a6,sizeof a6); printf("20 %08x\n",h); w4s z; fill(&z,sizeof z,h); return z; }
v4i f21(HW2 a0, v16c a1) { unsigned h=21; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); printf("21 %08x\n",h); v4i z; fill(&z,sizeof z,h); return z; }
w1l f22(v8s a0) { unsigned h=22; h=h*33+sum(&a0,sizeof a0); printf("22 %08x\n",h); w1l z; fill(&z,sizeof z,h); return z; }
v16c f23(w1l a0) { unsigned h=23; h=h*33+sum(&a0,sizeof a0); printf("23 %08x\n",h); v16c z; fill(&z,sizeof z,h); return z; }
w2f f24(v8s a0, HV2 a1, w2f a2, x32 a3, w8c a4) { unsigned h=24; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,sizeof a2); h=h*33+sum(&a3,sizeof a3); h=h*33+sum(&a4,sizeof a4); printf("24 %08x\n",h); w2f z; fill(&z,sizeof z,h); return z; }
v2d f25(w2i a0, v16c a1, long long a2, w2i a3) { unsigned h=25; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,sizeof a2); h=h*33+sum(&a3,sizeof a3); printf("25 %08x\n",h); v2d z; fill(&z,sizeof z,h); return z; }
HV3 f26(x32 a0, w8c a1, ...) { unsigned h=26; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); va_list ap; va_start(ap,a1); va_end(ap); printf("26 %08x\n",h); HV3 z; fill(&z,sizeof z,h); return z; }
v4f f27(HV3 a0, HV2 a1, w4s a2, float a3, w4s a4) { unsigned h=27; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,sizeof a2); h=h*33+sum(&a3,sizeof a3); h=h*33+sum(&a4,sizeof a4); printf("27 %08x\n",h); v4f z; fill(&z,sizeof z,h); return z; }
double f28(v2d a0, w4s a1, HV3 a2, v4f a3, x32 a4, v4f a5, v2d a6) { unsigned h=28; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,sizeof a2); h=h*33+sum(&a3,sizeof a3); h=h*33+sum(&a4,sizeof a4); h=h*33+sum(&a5,sizeof a5); h=h*33+sum(&a6,sizeof a6); printf("28 %08x\n",h); double z; fill(&z,sizeof z,h); return z; }
w8c f29(v8s a0, HW2 a1, int a2, x32 a3, HV3 a4, v4f a5) { unsigned h=29; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,sizeof a2); h=h*33+sum(&a3,sizeof a3); h=h*33+sum(&a4,sizeof a4); h=h*33+sum(&a5,sizeof a5); printf("29 %08x\n",h); w8c z; fill(&z,sizeof z,h); return z; }
v4f f30(v2d a0, HV2 a1, w4s a2, w4s a3) { unsigned h=30; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,sizeof a2); h=h*33+sum(&a3,sizeof a3); printf("30 %08x\n",h); v4f z; fill(&z,sizeof z,h); return z; }
w4s f31(w1l a0, w4s a1, v8s a2, w2f a3, w4s a4, w8c a5) { unsigned h=31; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,sizeof a2); h=h*33+sum(&a3,sizeof a3); h=h*33+sum(&a4,sizeof a4); h=h*33+sum(&a5,sizeof a5); printf("31 %08x\n",h); w4s z; fill(&z,sizeof z,h); return z; }
HV2 f32(v4i a0, w4s a1) { unsigned h=32; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); printf("32 %08x\n",h); HV2 z; fill(&z,sizeof z,h); return z; }
x32 f33(float a0, w1l a1, v8s a2) { unsigned h=33; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,sizeof a2); printf("33 %08x\n",h); x32 z; fill(&z,sizeof z,h); return z; }
HW2 f34(w1l a0, v2d a1, S1 a2, HV3 a3, v4f a4) { unsigned h=34; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,20); h=h*33+sum(&a3,sizeof a3); h=h*33+sum(&a4,sizeof a4); printf("34 %08x\n",h); HW2 z; fill(&z,sizeof z,h); return z; }
int f35(v8s a0, HW2 a1) { unsigned h=35; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); printf("35 %08x\n",h); int z; fill(&z,sizeof z,h); return z; }
v8s f36(v8s a0, double a1) { unsigned h=36; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); printf("36 %08x\n",h); v8s z; fill(&z,sizeof z,h); return z; }
v2l f37(double a0, ...) { unsigned h=37; h=h*33+sum(&a0,sizeof a0); va_list ap; va_start(ap,a0); { v16c x=va_arg(ap,v16c); h=h*33+sum(&x,sizeof x); } va_end(ap); printf("37 %08x\n",h); v2l z; fill(&z,sizeof z,h); return z; }
x32 f38(HV3 a0, double a1) { unsigned h=38; h=h*33+sum(&a0,sizeof a0); h=h*33+sum(&a1,sizeof a1); printf("38 %08x\n",h); x32 z; fill(&z,sizeof z,h); return z; }
w4s f39(S1 a0, float a1, HW2 a2, ...) { unsigned h=39; h=h*33+sum(&a0,20); h=h*33+sum(&a1,sizeof a1); h=h*33+sum(&a2,sizeof a2); va_list ap; va_start(ap,a2); { v4i x=va_arg(ap,v4i); h=h*33+sum(&x,sizeof x); } va_end(ap); printf("39 %08x\n",h); w4s z; fill(&z,sizeof z,h); return z; }
#else
int main(void){
{ w4s a0; fill(&a0,sizeof a0,0); HV2 a1; fill(&a1,sizeof a1,1); int a2; fill(&a2,sizeof a2,2); S1 z=f0(a0, a1, a2); printf("r0 %08x\n",sum(&z,20)); }
{ double a0; fill(&a0,sizeof a0,13); v8s a1; fill(&a1,sizeof a1,14); long long a2; fill(&a2,sizeof a2,15); w4s a3; fill(&a3,sizeof a3,16); x32 a4; fill(&a4,sizeof a4,17); v2l a5; fill(&a5,sizeof a5,18); v2l z=f1(a0, a1, a2, a3, a4, a5); printf("r1 %08x\n",sum(&z,sizeof z)); }
{ v2l a0; fill(&a0,sizeof a0,26); int a1; fill(&a1,sizeof a1,27); v4i a2; fill(&a2,sizeof a2,28); w1l a3; fill(&a3,sizeof a3,29); v4f a4; fill(&a4,sizeof a4,30); long long z=f2(a0, a1, a2, a3, a4); printf("r2 %08x\n",sum(&z,sizeof z)); }
{ float a0; fill(&a0,sizeof a0,39); v16c a1; fill(&a1,sizeof a1,40); S1 a2; fill(&a2,sizeof a2,41); S1 a3; fill(&a3,sizeof a3,42); w2f a4; fill(&a4,sizeof a4,43); v16c a5; fill(&a5,sizeof a5,44); v16c a6; fill(&a6,sizeof a6,45); v8s z=f3(a0, a1, a2, a3, a4, a5, a6); printf("r3 %08x\n",sum(&z,sizeof z)); }
{ v4i a0; fill(&a0,sizeof a0,52); v8s a1; fill(&a1,sizeof a1,53); int z=f4(a0, a1); printf("r4 %08x\n",sum(&z,sizeof z)); }
{ v4i a0; fill(&a0,sizeof a0,65); HV3 a1; fill(&a1,sizeof a1,66); v4i a2; fill(&a2,sizeof a2,67); v2d z=f5(a0, a1, a2); printf("r5 %08x\n",sum(&z,sizeof z)); }
{ v2d a0; fill(&a0,sizeof a0,78); int a1; fill(&a1,sizeof a1,79); w4s a2; fill(&a2,sizeof a2,80); w1l a3; fill(&a3,sizeof a3,81); v4i z=f6(a0, a1, a2, a3); printf("r6 %08x\n",sum(&z,sizeof z)); }
{ w8c a0; fill(&a0,sizeof a0,91); v4f z=f7(a0); printf("r7 %08x\n",sum(&z,sizeof z)); }
{ int a0; fill(&a0,sizeof a0,104); S1 a1; fill(&a1,sizeof a1,105); w8c a2; fill(&a2,sizeof a2,106); float a3; fill(&a3,sizeof a3,107); v2d a4; fill(&a4,sizeof a4,108); S1 z=f8(a0, a1, a2, a3, a4); printf("r8 %08x\n",sum(&z,20)); }
{ w8c a0; fill(&a0,sizeof a0,117); v8s a1; fill(&a1,sizeof a1,118); x32 a2; fill(&a2,sizeof a2,119); x32 a3; fill(&a3,sizeof a3,120); v2d z=f9(a0, a1, a2, a3); printf("r9 %08x\n",sum(&z,sizeof z)); }
{ int a0; fill(&a0,sizeof a0,130); w4s a1; fill(&a1,sizeof a1,131); w2i a2; fill(&a2,sizeof a2,132); double z=f10(a0, a1, a2); printf("r10 %08x\n",sum(&z,sizeof z)); }
{ HW2 a0; fill(&a0,sizeof a0,143); int a1; fill(&a1,sizeof a1,144); w2f a2; fill(&a2,sizeof a2,145); double a3; fill(&a3,sizeof a3,146); w4s z=f11(a0, a1, a2, a3); printf("r11 %08x\n",sum(&z,sizeof z)); }
{ long long a0; fill(&a0,sizeof a0,156); v2l a1; fill(&a1,sizeof a1,157); S1 z=f12(a0, a1); printf("r12 %08x\n",sum(&z,20)); }
{ HV2 a0; fill(&a0,sizeof a0,169); w4s a1; fill(&a1,sizeof a1,170); HV2 a2; fill(&a2,sizeof a2,171); w2f z=f13(a0, a1, a2); printf("r13 %08x\n",sum(&z,sizeof z)); }
{ HW2 a0; fill(&a0,sizeof a0,182); w2f z=f14(a0); printf("r14 %08x\n",sum(&z,sizeof z)); }
{ v2d a0; fill(&a0,sizeof a0,195); double a1; fill(&a1,sizeof a1,196); w1l a2; fill(&a2,sizeof a2,197); float a3; fill(&a3,sizeof a3,198); v4i a4; fill(&a4,sizeof a4,199); w8c a5; fill(&a5,sizeof a5,200); HV2 a6; fill(&a6,sizeof a6,201); w4s z=f15(a0, a1, a2, a3, a4, a5, a6); printf("r15 %08x\n",sum(&z,sizeof z)); }
{ v4f a0; fill(&a0,sizeof a0,208); HV3 a1; fill(&a1,sizeof a1,209); float a2; fill(&a2,sizeof a2,210); v16c z=f16(a0, a1, a2); printf("r16 %08x\n",sum(&z,sizeof z)); }
{ v8s a0; fill(&a0,sizeof a0,221); float a1; fill(&a1,sizeof a1,222); v16c a2; fill(&a2,sizeof a2,223); w8c z=f17(a0, a1, a2); printf("r17 %08x\n",sum(&z,sizeof z)); }
{ v8s a0; fill(&a0,sizeof a0,234); double a1; fill(&a1,sizeof a1,235); float a2; fill(&a2,sizeof a2,236); S1 a3; fill(&a3,sizeof a3,237); v2d z=f18(a0, a1, a2, a3); printf("r18 %08x\n",sum(&z,sizeof z)); }
{ v2l a0; fill(&a0,sizeof a0,247); w2i z=f19(a0); printf("r19 %08x\n",sum(&z,sizeof z)); }
{ v4f a0; fill(&a0,sizeof a0,260); w2f a1; fill(&a1,sizeof a1,261); w1l a2; fill(&a2,sizeof a2,262); v16c a3; fill(&a3,sizeof a3,263); double a4; fill(&a4,sizeof a4,264); double a5; fill(&a5,sizeof a5,265); x32 a6; fill(&a6,sizeof a6,266); w4s z=f20(a0, a1, a2, a3, a4, a5, a6); printf("r20 %08x\n",sum(&z,sizeof z)); }
{ HW2 a0; fill(&a0,sizeof a0,273); v16c a1; fill(&a1,sizeof a1,274); v4i z=f21(a0, a1); printf("r21 %08x\n",sum(&z,sizeof z)); }
{ v8s a0; fill(&a0,sizeof a0,286); w1l z=f22(a0); printf("r22 %08x\n",sum(&z,sizeof z)); }
{ w1l a0; fill(&a0,sizeof a0,299); v16c z=f23(a0); printf("r23 %08x\n",sum(&z,sizeof z)); }
{ v8s a0; fill(&a0,sizeof a0,312); HV2 a1; fill(&a1,sizeof a1,313); w2f a2; fill(&a2,sizeof a2,314); x32 a3; fill(&a3,sizeof a3,315); w8c a4; fill(&a4,sizeof a4,316); w2f z=f24(a0, a1, a2, a3, a4); printf("r24 %08x\n",sum(&z,sizeof z)); }
{ w2i a0; fill(&a0,sizeof a0,325); v16c a1; fill(&a1,sizeof a1,326); long long a2; fill(&a2,sizeof a2,327); w2i a3; fill(&a3,sizeof a3,328); v2d z=f25(a0, a1, a2, a3); printf("r25 %08x\n",sum(&z,sizeof z)); }
{ x32 a0; fill(&a0,sizeof a0,338); w8c a1; fill(&a1,sizeof a1,339); HV3 z=f26(a0, a1); printf("r26 %08x\n",sum(&z,sizeof z)); }
{ HV3 a0; fill(&a0,sizeof a0,351); HV2 a1; fill(&a1,sizeof a1,352); w4s a2; fill(&a2,sizeof a2,353); float a3; fill(&a3,sizeof a3,354); w4s a4; fill(&a4,sizeof a4,355); v4f z=f27(a0, a1, a2, a3, a4); printf("r27 %08x\n",sum(&z,sizeof z)); }
{ v2d a0; fill(&a0,sizeof a0,364); w4s a1; fill(&a1,sizeof a1,365); HV3 a2; fill(&a2,sizeof a2,366); v4f a3; fill(&a3,sizeof a3,367); x32 a4; fill(&a4,sizeof a4,368); v4f a5; fill(&a5,sizeof a5,369); v2d a6; fill(&a6,sizeof a6,370); double z=f28(a0, a1, a2, a3, a4, a5, a6); printf("r28 %08x\n",sum(&z,sizeof z)); }
{ v8s a0; fill(&a0,sizeof a0,377); HW2 a1; fill(&a1,sizeof a1,378); int a2; fill(&a2,sizeof a2,379); x32 a3; fill(&a3,sizeof a3,380); HV3 a4; fill(&a4,sizeof a4,381); v4f a5; fill(&a5,sizeof a5,382); w8c z=f29(a0, a1, a2, a3, a4, a5); printf("r29 %08x\n",sum(&z,sizeof z)); }
{ v2d a0; fill(&a0,sizeof a0,390); HV2 a1; fill(&a1,sizeof a1,391); w4s a2; fill(&a2,sizeof a2,392); w4s a3; fill(&a3,sizeof a3,393); v4f z=f30(a0, a1, a2, a3); printf("r30 %08x\n",sum(&z,sizeof z)); }
{ w1l a0; fill(&a0,sizeof a0,403); w4s a1; fill(&a1,sizeof a1,404); v8s a2; fill(&a2,sizeof a2,405); w2f a3; fill(&a3,sizeof a3,406); w4s a4; fill(&a4,sizeof a4,407); w8c a5; fill(&a5,sizeof a5,408); w4s z=f31(a0, a1, a2, a3, a4, a5); printf("r31 %08x\n",sum(&z,sizeof z)); }
{ v4i a0; fill(&a0,sizeof a0,416); w4s a1; fill(&a1,sizeof a1,417); HV2 z=f32(a0, a1); printf("r32 %08x\n",sum(&z,sizeof z)); }
{ float a0; fill(&a0,sizeof a0,429); w1l a1; fill(&a1,sizeof a1,430); v8s a2; fill(&a2,sizeof a2,431); x32 z=f33(a0, a1, a2); printf("r33 %08x\n",sum(&z,sizeof z)); }
{ w1l a0; fill(&a0,sizeof a0,442); v2d a1; fill(&a1,sizeof a1,443); S1 a2; fill(&a2,sizeof a2,444); HV3 a3; fill(&a3,sizeof a3,445); v4f a4; fill(&a4,sizeof a4,446); HW2 z=f34(a0, a1, a2, a3, a4); printf("r34 %08x\n",sum(&z,sizeof z)); }
{ v8s a0; fill(&a0,sizeof a0,455); HW2 a1; fill(&a1,sizeof a1,456); int z=f35(a0, a1); printf("r35 %08x\n",sum(&z,sizeof z)); }
{ v8s a0; fill(&a0,sizeof a0,468); double a1; fill(&a1,sizeof a1,469); v8s z=f36(a0, a1); printf("r36 %08x\n",sum(&z,sizeof z)); }
{ double a0; fill(&a0,sizeof a0,481); v16c a1; fill(&a1,sizeof a1,482); v2l z=f37(a0, a1); printf("r37 %08x\n",sum(&z,sizeof z)); }
{ HV3 a0; fill(&a0,sizeof a0,494); double a1; fill(&a1,sizeof a1,495); x32 z=f38(a0, a1); printf("r38 %08x\n",sum(&z,sizeof z)); }
{ S1 a0; fill(&a0,sizeof a0,507); float a1; fill(&a1,sizeof a1,508); HW2 a2; fill(&a2,sizeof a2,509); v4i a3; fill(&a3,sizeof a3,510); w4s z=f39(a0, a1, a2, a3); printf("r39 %08x\n",sum(&z,sizeof z)); }
}
#endif
