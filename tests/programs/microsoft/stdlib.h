int atoi(const char *);
void abort(void), exit(int);
