// --target arm64,winarm64 +svg
struct hfa { float r, g, b; };
struct big { long a[3]; };
struct hfa blend(struct hfa front, struct big where, __int128 key, signed char level, float32x4_t weights, unsigned short x, int y, long z, int last);
