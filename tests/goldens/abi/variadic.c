// --target linux64,win64,arm64,winarm64,armhf +json
struct p { float x, y; };
int log_all(const char *format, struct p first, ..., float, long double, struct p, char);
