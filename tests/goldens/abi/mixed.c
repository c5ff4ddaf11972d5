// --target linux64,win64 +json +svg
struct mixed { long id; char tag; double weight[2]; };
struct pair { double x; long n; };
struct mixed f(char a, struct pair b, struct mixed c, __int128 d, short e, double *p, _Bool last);
