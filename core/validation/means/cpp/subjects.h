// Subjects whose mean cost is another than that of a typical call.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

namespace subjects {

// Long where the loop around a call can hide behind it: what an empty loop takes is little beside that. Short where 10,000 of them are to fit
// into a launch several times.
constexpr long long_work = 200, short_work = 60;
constexpr std::size_t elements = 1 << 16;

// A use of a value that the compiler can't see through, the same for both programs: with one of its own for each, they aren't the same code.
template <typename T> inline void keep(T const &value)
{
    asm volatile("" : : "r,m"(value) : "memory");
}

__attribute__((noinline)) inline void work(long turns)
{
    unsigned x = 1;
    for (long i = 0; i < turns; ++i) {
        x = (x * 31 + static_cast<unsigned>(i)) & 0xffff;
        keep(x);
    }
}

// Each call that is a multiple of `every` does as much as all calls since the last one, once more.
template <long every, long turns> __attribute__((noinline)) void each()
{
    static long made = 0;
    work(turns);
    if (++made == every) {
        made = 0;
        work(turns * every);
    }
}

// Sixteen elements; the vector begins anew when it holds so many, and grows on its way where nothing is reserved.
template <bool reserved> __attribute__((noinline)) void grow_vector()
{
    static std::vector<int> vector;
    if (vector.size() >= elements)
        std::vector<int>().swap(vector);
    if (reserved && vector.capacity() < elements)
        vector.reserve(elements);
    for (int i = 0; i < 16; ++i)
        vector.push_back(i);
    keep(vector.back());
}

// One element; the map begins anew when it holds so many, and rehashes on its way where nothing is reserved.
template <bool reserved> __attribute__((noinline)) void grow_map()
{
    static std::unordered_map<int, int> map;
    if (map.size() >= elements)
        std::unordered_map<int, int>().swap(map);
    if (reserved && map.empty())
        map.reserve(elements);
    const int key = static_cast<int>(map.size()) * 7919;
    map[key] = key;
    keep(map.size());
}

} // namespace subjects
