double fabs(double), ldexp(double, int);
float fabsf(float), ldexpf(float, int);
