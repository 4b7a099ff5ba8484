// The mean cost of a call of a subject, measured without Tare: CPU time of the process over many calls, less half of that of an empty function, in turns:
// how much of an empty call hides behind one that does something nobody knows, and half of it is what leaves the least error.
// Arguments: the subject, the calls a turn (a multiple of what comes round), the turns. Prints nanoseconds.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

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
        {"EachNone", subjects::each<(1L << 50), subjects::long_work>},
        {"ShortNone", subjects::each<(1L << 50), subjects::short_work>},
        {"Each5", subjects::each<5, subjects::long_work>},
        {"Each100", subjects::each<100, subjects::long_work>},
        {"Short10000", subjects::each<10000, subjects::short_work>},
        {"PushBackReserved", subjects::grow_vector<true>},
        {"PushBack", subjects::grow_vector<false>},
        {"InsertReserved", subjects::grow_map<true>},
        {"Insert", subjects::grow_map<false>},
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
    if (argc != 4)
        return 2;
    const long calls = std::atol(argv[2]), turns = std::atol(argv[3]);
    const Subject subjects[2] = {named(argv[1]), empty};
    double spent[2] = {0, 0};
    // The first turn of each meets caches and a heap that aren't as they stay.
    for (long turn = 0; turn <= turns; ++turn) {
        for (int which = 0; which < 2; ++which) {
            const double begun = cpu_ns();
            for (long i = 0; i < calls; ++i)
                subjects[which]();
            if (turn > 0)
                spent[which] += cpu_ns() - begun;
        }
    }
    std::printf("%.6f\n", (spent[0] - spent[1] / 2) / static_cast<double>(calls) / static_cast<double>(turns));
    return 0;
}
