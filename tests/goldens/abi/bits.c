// --target linux64
#pragma pack(push, 1)
struct header { unsigned version : 4, length : 12; char kind; int body; };
#pragma pack(pop)
union any { int i; float f; char c[6]; };
void send(struct header h, union any u, enum { LOW = 1, HIGH } level, _BitInt(17) n, int (*done)(struct header));
