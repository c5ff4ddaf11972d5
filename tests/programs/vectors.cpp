// Vectors of 8 to 64 bytes: every operation that clang has on them, on random lanes. In C++, for `?:` on vectors.
#include <stdio.h>
#include <string.h>
#include <stdint.h>
#define V(T,N,name) typedef T name __attribute__((vector_size(N), aligned(1)))
V(int8_t,8,i8x8);V(int8_t,16,i8x16);V(int8_t,32,i8x32);V(uint8_t,16,u8x16);V(uint8_t,64,u8x64);
V(int16_t,8,i16x4);V(int16_t,16,i16x8);V(int16_t,32,i16x16);V(uint16_t,16,u16x8);
V(int32_t,8,i32x2);V(int32_t,16,i32x4);V(int32_t,32,i32x8);V(uint32_t,16,u32x4);V(uint32_t,64,u32x16);
V(int64_t,16,i64x2);V(int64_t,32,i64x4);V(uint64_t,64,u64x8);V(int64_t,8,i64x1);
V(float,8,f32x2);V(float,16,f32x4);V(float,32,f32x8);V(double,16,f64x2);V(double,32,f64x4);V(double,64,f64x8);
#define NI __attribute__((noinline))
static uint64_t s=88172645463325252ull; static uint64_t rnd(void){s^=s<<13;s^=s>>7;s^=s<<17;return s;}
static void fill(void*p,int n){unsigned char*c=(unsigned char*)p;for(int i=0;i<n;i++)c[i]=rnd();}
static void show(const char*w,const void*p,int n){const unsigned char*c=(const unsigned char*)p;printf("%s ",w);for(int i=0;i<n;i++)printf("%02x",c[i]);puts("");}
#define IOP(T,op,nm) NI T nm##_##T(T a,T b){return a op b;}
#define INT(T) IOP(T,+,add)IOP(T,-,sub)IOP(T,*,mul)IOP(T,&,and)IOP(T,<,lt)IOP(T,>=,ge)IOP(T,==,eq)IOP(T,!=,ne) \
 NI T div_##T(T a,T b){return a/(b|1);} NI T rem_##T(T a,T b){return a%(b|1);} NI T shl_##T(T a,T b){return a<<(b&7);} NI T shr_##T(T a,T b){return a>>(b&7);} \
 NI T shc_##T(T a,T b){return (a>>3)^(b<<5);} NI T sel_##T(T a,T b){return a<b?a:b;} NI T mx_##T(T a,T b){return __builtin_elementwise_max(a,b);}\
 NI T as_##T(T a,T b){return __builtin_elementwise_add_sat(a,b);} NI T ss_##T(T a,T b){return __builtin_elementwise_sub_sat(a,b);}\
 NI T pc_##T(T a,T b){return ~a+__builtin_elementwise_bitreverse(b);}\
 NI T red_##T(T a,T b){T r=b; r[0]=__builtin_reduce_add(a);r[0]^=__builtin_reduce_max(a);r[0]+=__builtin_reduce_xor(b)-__builtin_reduce_min(b);r[0]^=__builtin_reduce_and(a)+__builtin_reduce_or(b)*3+__builtin_reduce_mul(a);return r;}\
 NI T lane_##T(T a,T b){int k=((unsigned char)b[0])%(sizeof(T)/sizeof(a[0]));T r=a;r[k]=b[k];r[0]+=a[k];return r;}
#define RUN(T) for(int i=0;i<20;i++){T a,b,r;fill(&a,sizeof a);fill(&b,sizeof b);if(i%3==0)memcpy(&a,&b,sizeof(a)/2);\
 const char*w=#T;r=add_##T(a,b);show(w,&r,sizeof r);r=sub_##T(a,b);show(w,&r,sizeof r);r=mul_##T(a,b);show(w,&r,sizeof r);r=and_##T(a,b);show(w,&r,sizeof r);\
 r=(T)lt_##T(a,b);show(w,&r,sizeof r);r=(T)ge_##T(a,b);show(w,&r,sizeof r);r=(T)eq_##T(a,b);show(w,&r,sizeof r);r=(T)ne_##T(a,b);show(w,&r,sizeof r);\
 r=div_##T(a,b);show(w,&r,sizeof r);r=rem_##T(a,b);show(w,&r,sizeof r);r=shl_##T(a,b);show(w,&r,sizeof r);r=shr_##T(a,b);show(w,&r,sizeof r);\
 r=shc_##T(a,b);show(w,&r,sizeof r);r=sel_##T(a,b);show(w,&r,sizeof r);r=mx_##T(a,b);show(w,&r,sizeof r);r=as_##T(a,b);show(w,&r,sizeof r);r=ss_##T(a,b);show(w,&r,sizeof r);\
 r=pc_##T(a,b);show(w,&r,sizeof r);r=red_##T(a,b);show(w,&r,sizeof r);r=lane_##T(a,b);show(w,&r,sizeof r);}
#define ALL(X) X(i8x8)X(i8x16)X(i8x32)X(u8x16)X(u8x64)X(i16x4)X(i16x8)X(i16x16)X(u16x8)X(i32x2)X(i32x4)X(i32x8)X(u32x4)X(u32x16)X(i64x2)X(i64x4)X(u64x8)X(i64x1)
ALL(INT)
#define FLT(T) NI T fadd_##T(T a,T b){return a+b*a-b/a;} NI T fsel_##T(T a,T b){return a<b?a:b;} NI T ffl_##T(T a,T b){return __builtin_elementwise_floor(a)+__builtin_elementwise_sqrt(__builtin_elementwise_abs(b));} NI T fcs_##T(T a,T b){return __builtin_elementwise_copysign(a,b)-__builtin_elementwise_max(a,b)+__builtin_elementwise_min(a,b);}
FLT(f32x2)FLT(f32x4)FLT(f32x8)FLT(f64x2)FLT(f64x4)FLT(f64x8)
#define C(A,B) NI B c_##A##_##B(A a){return __builtin_convertvector(a,B);}
#define CV(X) X(i32x4,f32x4)X(f32x4,i32x4)X(u32x4,f32x4)X(f32x4,u32x4)X(i32x2,f32x2)X(f32x2,f64x2)X(f64x2,f32x2)X(i32x4,f64x4)X(f64x4,i32x4)X(i8x8,i16x8)X(i8x8,i32x8)X(i16x8,i32x8)X(i32x8,i16x8)X(i32x8,i8x8)X(i8x8,f32x8)X(i64x4,i32x4)X(i32x4,i64x4)X(i64x4,f64x4)X(f64x4,i64x4)X(u8x64,u8x64)X(i64x4,i16x4)X(i16x4,i64x4)X(f32x8,i16x8)X(f32x8,i8x8)
CV(C)
#define FR(T,E) for(int i=0;i<20;i++){T a,b,r;for(int k=0;k<(int)(sizeof a/sizeof a[0]);k++){a[k]=(E)(int)rnd()/65536;b[k]=(E)(int)rnd()/1024+1;}r=fadd_##T(a,b);show(#T,&r,sizeof r);r=fsel_##T(a,b);show(#T,&r,sizeof r);r=ffl_##T(a,b);show(#T,&r,sizeof r);r=fcs_##T(a,b);show(#T,&r,sizeof r);}
#define CR(A,B) for(int i=0;i<10;i++){A a;B r;for(int k=0;k<(int)(sizeof a/sizeof a[0]);k++)a[k]=(int8_t)rnd()/2+64;r=c_##A##_##B(a);show(#A #B,&r,sizeof r);}
int main(){
ALL(RUN)
FR(f32x2,float)FR(f32x4,float)FR(f32x8,float)FR(f64x2,double)FR(f64x4,double)FR(f64x8,double)
CV(CR)
return 0;}
