// --target linux32 --type pair
typedef struct __attribute__((packed)) { char first; int second; long long third[2]; } pair;
struct other { int x; };
