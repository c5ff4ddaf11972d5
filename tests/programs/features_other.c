/* What the program of features.c takes from elsewhere. */
__thread int elsewhere = 11;
__thread int early = 13;
const char *const strings[] = {"none", "first", "second"};
