// --target linux64,win64,arm64,macarm64
struct point { float x, y; };
struct point shifted(struct point p, float by, char tag, ...);
