// Draws anew in each launch where the heap's blocks lie.
//
// A program that is started again gets its blocks from malloc at the same places of their pages, and a change at its start moves all that
// come after it, in every process alike: that looks like an effect of the change. So, before anything of the user's is constructed, the heap is filled with
// blocks of random sizes, and a random half of them is freed (Curtsinger and Berger, STABILIZER: Statistically Sound Performance Evaluation,
// ASPLOS 2013). What the user allocates then lies in the holes, or behind them at a random distance. What malloc takes from the system
// (128 KiB and more) begins at a page, other threads of glibc have heaps of their own, and code lies where the linker put it: none of these is drawn.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "wire.h"

namespace tare {
namespace detail {

/// Numbers from a seed: splitmix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
class Lots {
public:
    explicit Lots(std::uint64_t seed)
        : state_(seed)
    {
    }

    /// A number from 0 to bound - 1.
    std::size_t below(std::size_t bound)
    {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return static_cast<std::size_t>((z ^ (z >> 31)) >> 33) % bound;
    }

private:
    std::uint64_t state_;
};

class Heap {
public:
    /// Bytes that are asked for, of which half stay. The same in each launch, so that the memory of the process is.
    static constexpr std::size_t shaken = 128 * 1024;

    /// Blocks of 16 bytes to 4 KiB, small ones as often as large ones.
    static void shake(std::uint64_t seed)
    {
        static constexpr std::size_t most = 1024;
        void *blocks[most];
        std::size_t count = 0;
        Lots lots(seed);
        for (std::size_t filled = 0; filled < shaken && count < most;) {
            const std::size_t size = 16 * (1 + lots.below(std::size_t(4) << (2 * lots.below(4))));
            void *const block = std::malloc(size);
            if (block == nullptr) {
                break;
            }
            filled += size;
            // Each at a random place among those before it.
            const std::size_t place = lots.below(count + 1);
            blocks[count++] = blocks[place];
            blocks[place] = block;
        }
        for (std::size_t i = 0; i < count; ++i) {
            if (i < count / 2) {
                std::free(blocks[i]);
            } else {
                // A list, so that a tool that looks for lost blocks finds them.
                std::memcpy(blocks[i], &kept_, sizeof kept_);
                kept_ = blocks[i];
            }
        }
    }

    /// Once in a process that the core has started, by the seed of its launch; `TARE_SHAKE=off` leaves the heap as it is.
    static void shake_once()
    {
        if (is_done_) {
            return;
        }
        is_done_ = true;
        const char *seed = std::getenv("TARE_SEED"), *whether = std::getenv("TARE_SHAKE");
        if (seed == nullptr || *seed < '0' || *seed > '9' || (whether != nullptr && std::strcmp(whether, "off") == 0) || !Wire::is_wanted()) {
            return;
        }
        char *end = nullptr;
        const int before = errno;
        errno = 0;
        const unsigned long long number = std::strtoull(seed, &end, 10);
        if (errno == 0 && *end == '\0') {
            shake(number);
        }
        errno = before;
    }

private:
    inline static bool is_done_ = false;
    inline static void *kept_ = nullptr;
};

/// Before any object of the program with static storage duration, where the order can be said; of several translation units the first one's
/// does it.
#if defined(__ELF__)
__attribute__((constructor(101)))
#else
__attribute__((constructor))
#endif
static void
shake_heap()
{
    Heap::shake_once();
}

} // namespace detail
} // namespace tare
