// --target linux64,win32 +json
struct Empty { };
struct Base { Base(); int i; char c; };
struct Shared { virtual void f(); long n; };
class Derived : Base, public virtual Shared, Empty {
public:
    Derived();
    void f();
    [[no_unique_address]] Empty empty;
    char d;
};
