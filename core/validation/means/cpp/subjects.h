// Subjects whose mean cost is another than that of a typical call. The file that includes this defines `keep`: a use of a value that the
// compiler can't see through.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

namespace subjects {

constexpr long turns = 60;
constexpr std::size_t elements = 1 << 16;

__attribute__((noinline)) inline void work(long turns)
{
    unsigned x = 1;
    for (long i = 0; i < turns; ++i) {
        x = (x * 31 + static_cast<unsigned>(i)) & 0xffff;
        keep(x);
    }
}

// Each call that is a multiple of `every` does as much as all calls since the last one, once more.
template <long every> __attribute__((noinline)) void each()
{
    static long made = 0;
    work(turns);
    if (++made == every) {
        made = 0;
        work(turns * every);
    }
}

// Sixteen elements; the vector begins anew when it holds so many, and grows on its way where nothing is reserved.
template <bool reserved> __attribute__((noinline)) void push_back()
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
template <bool reserved> __attribute__((noinline)) void insert()
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
