// --target linux64
class Shape { int id; public: virtual double area() const; bool visible : 1; double scale; };
