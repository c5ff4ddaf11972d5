// --target linux64,armhf,win64
unsigned long
