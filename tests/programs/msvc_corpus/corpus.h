/* What the files of the corpus share: functions that may do anything, and objects that are not taken apart. */
#ifdef __cplusplus
extern "C" {
#endif
void act(int);
int may(int);
double real(double);
long long wide(long long);
void take(void *);
#ifdef __cplusplus
}
typedef decltype(sizeof 0) size_t;
struct D {
    int v;
    D(int);
    D(const D &);
    D &operator=(const D &);
    ~D();
};
struct Base {
    virtual ~Base();
    virtual int kind();
    int k;
};
struct Derived : Base {
    D d;
    Derived(int);
    int kind() override;
};
#endif
