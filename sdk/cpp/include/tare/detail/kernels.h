// The reference subjects: fixed work of about 0.1 to 2 µs whose time shows how fast machine and build are at the moment. Stored
// runs are compared by them, so their bodies must never change; a new kernel gets a new name.
#pragma once

#include <cstdlib>
#include <cstring>
#include <string>

#include "keep.h"

namespace tare {
namespace detail {

/// Dependent integer and floating-point operations.
TARE_NOINLINE inline void arithmetic_kernel()
{
    std::uint32_t integer = opaque<std::uint32_t>(12345);
    double real = opaque(1.0);
    for (int i = 1; i < 256; ++i) {
        integer = (integer * 1103515245u + 12345u) & 0x7fffffffu;
        real = real * 1.0000001 + 1.0 / i;
    }
    keep(integer);
    keep(real);
}

/// Blocks of several sizes taken from the heap and given back.
TARE_NOINLINE inline void allocation_kernel()
{
    void *blocks[16];
    for (std::size_t i = 0; i < 16; ++i) {
        blocks[i] = std::malloc(16 + 24 * i);
        DoNotOptimize(blocks[i]);
    }
    for (std::size_t i = 0; i < 16; ++i) {
        // In another order than they were taken.
        std::free(blocks[(i * 7) % 16]);
    }
}

/// Text joined, searched and changed.
TARE_NOINLINE inline void text_kernel()
{
    const char *words = opaque("the quick brown fox jumps over the lazy dog");
    std::string joined;
    for (std::size_t i = 0; i < 16; ++i) {
        joined.append(words + i, 5);
        joined += ' ';
    }
    std::size_t found = joined.find("zz");
    for (char &character : joined) {
        character = character >= 'a' && character <= 'z' ? static_cast<char>(character - 32) : character;
    }
    found += joined.rfind("QUICK");
    keep(found);
    DoNotOptimize(joined);
}

/// An array filled, sorted and summed.
TARE_NOINLINE inline void arrays_kernel()
{
    int values[64];
    int value = opaque(17);
    for (int &place : values) {
        value = (value * 31 + 7) % 101;
        place = value;
    }
    // Written out: the library's own sort changes with its version.
    for (int gap = 32; gap > 0; gap /= 2) {
        for (int i = gap; i < 64; ++i) {
            const int moved = values[i];
            int place = i;
            for (; place >= gap && values[place - gap] > moved; place -= gap) {
                values[place] = values[place - gap];
            }
            values[place] = moved;
        }
    }
    int sum = 0;
    for (const int place : values) {
        sum += place;
    }
    keep(sum);
}

} // namespace detail
} // namespace tare
