// Numbers of 16 bits with a point, alone and in vectors. Which NaN comes out is not told.
#include <stdio.h>
#include <string.h>
#include <stdint.h>
typedef __fp16 H; typedef H h4 __attribute__((vector_size(8))); typedef H h8 __attribute__((vector_size(16)));
#define NI __attribute__((noinline))
static uint64_t s=88172645463325252ull; static uint64_t rnd(void){s^=s<<13;s^=s>>7;s^=s<<17;return s;}
static void show(const char*w,const void*p,int n){const unsigned char*c=p;printf("%s ",w);for(int i=0;i<n;i++)printf("%02x",c[n-1-i]);puts("");}
NI void add(H*r,const H*a,const H*b){*r=*a+*b;} NI void mul(H*r,const H*a,const H*b){*r=*a**b;} NI void divi(H*r,const H*a,const H*b){*r=*a/ *b;}
NI void neg(H*r,const H*a){*r=-*a;} NI int lt(const H*a,const H*b){return *a<*b;} NI int eq(const H*a,const H*b){return *a==*b;}
NI double tod(const H*a){return *a;} NI float tof(const H*a){return *a;} NI void fromf(H*r,float d){*r=d;}
NI int toi(const H*a){return *a;} NI long long toll(const H*a){return *a;} NI unsigned tou(const H*a){return *a;} NI void fromi(H*r,int a){*r=a;} NI void fromll(H*r,long long a){*r=a;} NI void fromu(H*r,unsigned char a){*r=a;}
NI void v4(h4*r,const h4*a,const h4*b){*r=*a**b+*a;} NI void v8(h8*r,const h8*a,const h8*b){*r=*a-*b;}
int main(){ for(int i=0;i<300;i++){ uint64_t q[4]; for(int k=0;k<4;k++)q[k]=rnd(); if(i&1)for(int k=0;k<4;k++)q[k]=(q[k]&0x8fff8fff8fff8fffull)|0x3000300030003000ull; H a,b,r; memcpy(&a,q,2);memcpy(&b,(char*)q+2,2);
#define T(f) f(&r,&a,&b); if(r==r) show(#f,&r,2); else puts(#f" nan");
T(add)T(mul)T(divi) neg(&r,&a); if(a==a)show("neg",&r,2); printf("%d %d\n",lt(&a,&b),eq(&a,&a)); double d=tod(&a); if(d==d)show("d",&d,8); float f=tof(&a); if(f==f)show("f",&f,4);
double e=(double)(int64_t)q[1]/(1ull<<(40+i%24)); fromf(&r,(float)e);show("ff",&r,2); if(d==d&&d<60000&&d>-60000)printf("%d %lld\n",toi(&a),toll(&a)); if(d==d&&d>=0&&d<65000)printf("%u\n",tou(&a));
fromi(&r,(int)q[2]>>(i%20));show("fi",&r,2);fromll(&r,(long long)q[2]>>(30+i%30));show("fl",&r,2);fromu(&r,(unsigned char)q[2]);show("fu",&r,2);
h4 x,y,z; memcpy(&x,q,8);memcpy(&y,q+1,8); v4(&z,&x,&y); for(int k=0;k<4;k++) if(z[k]==z[k])show("v",(char*)&z+2*k,2); h8 X,Y,Z; memcpy(&X,q,16);memcpy(&Y,q+2,16);v8(&Z,&X,&Y); for(int k=0;k<8;k++) if(Z[k]==Z[k])show("w",(char*)&Z+2*k,2);
} }
