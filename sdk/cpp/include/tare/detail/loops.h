// What is measured beside the subject: its loop without it, the loop with a pause in each call, and the kernels in it.
#pragma once

#include <cstring>

#include "kernels.h"
#include "state.h"

namespace tare {
namespace detail {

using Loop = void (*)(State &);

/// Each loop is a function of its own, so that the place of its code doesn't depend on what stands around it.
#define TARE_LOOP_FUNCTION static __attribute__((noinline, aligned(64))) void

struct Loops {
    TARE_LOOP_FUNCTION null_range(State &state)
    {
        for (auto _ : state) {
        }
    }

    /// The count stays in memory, as it does beside a body that lets the compiler assume nothing of memory: the most that the loop can weigh.
    TARE_LOOP_FUNCTION null_keep_running(State &state)
    {
        while (state.KeepRunning()) {
            ClobberMemory();
        }
    }

    TARE_LOOP_FUNCTION null_batch(State &state)
    {
        const IterationCount batch = state.batch_;
        while (state.KeepRunningBatch(batch)) {
            ClobberMemory();
        }
    }

    TARE_LOOP_FUNCTION null_unrolled(State &state)
    {
        state % [&]() __attribute__((always_inline)){};
    }

    TARE_LOOP_FUNCTION pause_range(State &state)
    {
        for (auto _ : state) {
            state.PauseTiming();
            state.ResumeTiming();
        }
    }

    TARE_LOOP_FUNCTION pause_keep_running(State &state)
    {
        while (state.KeepRunning()) {
            state.PauseTiming();
            state.ResumeTiming();
        }
    }

    TARE_LOOP_FUNCTION pause_batch(State &state)
    {
        const IterationCount batch = state.batch_;
        while (state.KeepRunningBatch(batch)) {
            // One pair in each call, as PROTOCOL §3 has it.
            for (IterationCount i = 0; i < batch; ++i) {
                state.PauseTiming();
                state.ResumeTiming();
            }
        }
    }

    TARE_LOOP_FUNCTION pause_unrolled(State &state)
    {
        state % [&]() __attribute__((always_inline)) {
            state.PauseTiming();
            state.ResumeTiming();
        };
    }

    template <void (*kernel)()> TARE_LOOP_FUNCTION of_kernel(State &state)
    {
        for (auto _ : state) {
            kernel();
        }
    }

    static Loop null(Style style)
    {
        return style == Style::unrolled ? null_unrolled
            : style == Style::batch     ? null_batch
            : style == Style::keep_running ? null_keep_running
                                           : null_range;
    }

    static Loop pause(Style style)
    {
        return style == Style::unrolled ? pause_unrolled
            : style == Style::batch     ? pause_batch
            : style == Style::keep_running ? pause_keep_running
                                           : pause_range;
    }

    struct Kernel {
        const char *name;
        Loop loop;
    };

    static constexpr int kernel_count = 4;

    static const Kernel &kernel(int number)
    {
        static constexpr Kernel kernels[kernel_count] = {
            {"arithmetic", of_kernel<arithmetic_kernel>},
            {"allocation", of_kernel<allocation_kernel>},
            {"text", of_kernel<text_kernel>},
            {"arrays", of_kernel<arrays_kernel>},
        };
        return kernels[number];
    }

    /// Null when there is none of this name.
    static Loop find_kernel(const char *name)
    {
        for (int number = 0; number < kernel_count; ++number) {
            if (std::strcmp(kernel(number).name, name) == 0) {
                return kernel(number).loop;
            }
        }
        return nullptr;
    }
};

#undef TARE_LOOP_FUNCTION

} // namespace detail
} // namespace tare
