// The mean cost of a call of two subjects, measured without Tare: CPU time of the process over many calls, in turns, less that of an empty
// function. Arguments: the subjects, the calls a turn (a multiple of what comes round), the turns. Prints nanoseconds, a line each.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

template <typename T> static inline void keep(T const &value)
{
    asm volatile("" : : "r,m"(value) : "memory");
}

#include "subjects.h"

static double cpu_ns()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

__attribute__((noinline)) static void empty()
{
    asm volatile("");
}

using Subject = void (*)();

static Subject named(const char *name)
{
    static const struct {
        const char *name;
        Subject subject;
    } all[] = {
        {"EachNone", subjects::each<(1L << 50)>},
        {"Each5", subjects::each<5>},
        {"Each100", subjects::each<100>},
        {"Each10000", subjects::each<10000>},
        {"PushBackReserved", subjects::push_back<true>},
        {"PushBack", subjects::push_back<false>},
        {"InsertReserved", subjects::insert<true>},
        {"Insert", subjects::insert<false>},
    };
    for (const auto &one : all) {
        if (std::strcmp(one.name, name) == 0)
            return one.subject;
    }
    std::fprintf(stderr, "there is no subject %s\n", name);
    std::exit(2);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    const long calls = std::atol(argv[3]), turns = std::atol(argv[4]);
    const Subject subjects[3] = {named(argv[1]), named(argv[2]), empty};
    double spent[3] = {0, 0, 0};
    // The first turn of each meets caches and a heap that aren't as they stay.
    for (long turn = 0; turn <= turns; ++turn) {
        for (int which = 0; which < 3; ++which) {
            const double begun = cpu_ns();
            for (long i = 0; i < calls; ++i)
                subjects[which]();
            if (turn > 0)
                spent[which] += cpu_ns() - begun;
        }
    }
    for (int which = 0; which < 2; ++which)
        std::printf("%.6f\n", (spent[which] - spent[2]) / static_cast<double>(calls) / static_cast<double>(turns));
    return 0;
}
