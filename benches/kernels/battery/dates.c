/* Days as years, months and days of the civil calendar, and back: signed quotients by several constants. */
#include <stdint.h>

static int days_from_civil(int y, int m, int d) {
    y -= m <= 2;
    int era = (y >= 0 ? y : y - 399) / 400;
    int yoe = y - era * 400;
    int doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
    return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

uint64_t run(int rounds) {
    uint64_t sum = 0;
    for (int k = 0; k < rounds * 20000; k++) {
        int z = (int)(k * 2654435761u >> 12) - 400000 + 719468;
        int era = (z >= 0 ? z : z - 146096) / 146097;
        int doe = z - era * 146097;
        int yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
        int doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
        int mp = (5 * doy + 2) / 153;
        int d = doy - (153 * mp + 2) / 5 + 1, m = mp < 10 ? mp + 3 : mp - 9;
        int y = yoe + era * 400 + (m <= 2);
        sum += (uint64_t)(y * 372 + m * 31 + d) ^ (uint64_t)(days_from_civil(y, m, d) + k % 7);
    }
    return sum;
}
