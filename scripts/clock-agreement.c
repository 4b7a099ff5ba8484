/* The costs of clock reads by a plain loop: for each clock the median over blocks, less the same loop without a read.
   Prints NAME NANOSECONDS, a line a clock; a clock that the kernel refuses is left out. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#define BLOCKS 200
#define BLOCK_NS 50000.0

static const struct {
    const char *name;
    clockid_t id;
} clocks[] = {
    {"monotonic", CLOCK_MONOTONIC},
    {"monotonic_raw", CLOCK_MONOTONIC_RAW},
    {"monotonic_coarse", CLOCK_MONOTONIC_COARSE},
    {"boottime", CLOCK_BOOTTIME},
    {"realtime", CLOCK_REALTIME},
    {"realtime_coarse", CLOCK_REALTIME_COARSE},
    {"tai", CLOCK_TAI},
    {"process_cputime", CLOCK_PROCESS_CPUTIME_ID},
    {"thread_cputime", CLOCK_THREAD_CPUTIME_ID},
};

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int64_t block(int clock, long reads)
{
    const int64_t start = now();
    if (clock < 0) {
        for (long i = 0; i < reads; ++i) {
            struct timeval time;
            gettimeofday(&time, NULL);
            __asm__ volatile("" : : "r"(time.tv_usec));
        }
    } else {
        for (long i = 0; i < reads; ++i) {
            struct timespec time;
            clock_gettime(clocks[clock].id, &time);
            __asm__ volatile("" : : "r"(time.tv_nsec));
        }
    }
    return now() - start;
}

static int64_t empty(long reads)
{
    const int64_t start = now();
    for (long i = 0; i < reads; ++i) {
        __asm__ volatile("" : : "r"(i));
    }
    return now() - start;
}

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static double median(int64_t *values)
{
    qsort(values, BLOCKS, sizeof(values[0]), ascending);
    return (double)(values[BLOCKS / 2 - 1] + values[BLOCKS / 2]) / 2;
}

int main(void)
{
    static int64_t full[BLOCKS], loops[BLOCKS];
    const int count = (int)(sizeof(clocks) / sizeof(clocks[0]));
    for (int clock = -1; clock < count; ++clock) {
        struct timespec time;
        if (clock >= 0 && clock_gettime(clocks[clock].id, &time) != 0) {
            continue;
        }
        block(clock, 1000);
        long reads = (long)(BLOCK_NS / ((double)block(clock, 1000) / 1000));
        reads = reads < 1 ? 1 : reads;
        for (int i = 0; i < BLOCKS; ++i) {
            full[i] = block(clock, reads);
            loops[i] = empty(reads);
        }
        printf("%s %.3f\n", clock < 0 ? "gettimeofday" : clocks[clock].name, (median(full) - median(loops)) / (double)reads);
    }
    return 0;
}
