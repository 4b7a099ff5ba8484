// Reads the clocks of the standard library as a program does, and waits as it does (PROTOCOL 3, `read` and `wait`).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "clock.h"
#include "frame_writer.h"
#include "request.h"
#include "wire.h"

namespace tare {
namespace detail {

class ClockReader {
public:
    static std::vector<std::string> clocks() { return {"steady_clock", "system_clock", "high_resolution_clock"}; }
    static std::vector<std::string> waits() { return {"yield", "sleep"}; }

    Fault answer_read(const Request &request, Wire &wire)
    {
        std::string clock;
        std::int64_t pairs = 0, skip = 0, count = 0, reads = 0;
        Fault fault = request.string("clock", clock);
        fault = fault ? fault : request.integer("pairs", most_pairs, pairs, 1);
        fault = fault ? fault : request.integer("skip", most_reads, skip);
        fault = fault ? fault : request.integer("blocks", most_blocks, count);
        fault = fault ? fault : request.integer("reads", most_reads, reads, 1);
        if (!fault && !read(clock, pairs, skip, count, reads)) {
            fault = Fault("bad-request", "There is no clock " + in_quotes(clock) + " to read.");
        }
        if (!fault) {
            FrameWriter frame("readings", request.id);
            wire.send(frame.list("values", values_).list("blocks", blocks_).list("empty", empty_).line());
        }
        return fault;
    }

    Fault answer_wait(const Request &request, Wire &wire)
    {
        std::string call;
        std::int64_t requested = 0, times = 0;
        Fault fault = request.string("call", call);
        fault = fault ? fault : request.integer("requested", longest_wait, requested, -longest_wait);
        fault = fault ? fault : request.integer("times", most_waits, times, 1);
        if (!fault && !wait(call, requested, times)) {
            fault = Fault("bad-request", "There is no call " + in_quotes(call) + " to wait by.");
        }
        if (!fault) {
            wire.send(FrameWriter("waited", request.id).list("taken", taken_).line());
        }
        return fault;
    }

private:
    static constexpr std::int64_t most_pairs = 50000, most_reads = 1000000, most_blocks = 10000, most_waits = 10000;
    /// Nanoseconds of a wait, either way.
    static constexpr std::int64_t longest_wait = 10000000000;

    std::vector<std::int64_t> values_, blocks_, empty_, taken_;

    /// False where there is no clock of that name. Fills `values_`, `blocks_` and `empty_` with nanoseconds; they are made before
    /// anything is read.
    bool read(const std::string &clock, std::int64_t pairs, std::int64_t skip, std::int64_t count, std::int64_t reads)
    {
        values_.assign(static_cast<std::size_t>(2 * pairs), 0);
        blocks_.assign(static_cast<std::size_t>(count), 0);
        empty_.assign(static_cast<std::size_t>(count), 0);
        if (clock == "steady_clock") {
            read_clock<std::chrono::steady_clock>(skip, reads);
        } else if (clock == "system_clock") {
            read_clock<std::chrono::system_clock>(skip, reads);
        } else if (clock == "high_resolution_clock") {
            read_clock<std::chrono::high_resolution_clock>(skip, reads);
        } else {
            return false;
        }
        return true;
    }

    /// False where there is no call of that name. Fills `taken_`.
    bool wait(const std::string &call, std::int64_t requested, std::int64_t times)
    {
        taken_.assign(static_cast<std::size_t>(times), 0);
        const std::chrono::nanoseconds duration(requested);
        if (call != "yield" && call != "sleep") {
            return false;
        }
        const bool is_yield = call == "yield";
        for (std::int64_t &one : taken_) {
            const std::uint64_t start = now();
            if (is_yield) {
                std::this_thread::yield();
            } else {
                std::this_thread::sleep_for(duration);
            }
            one = static_cast<std::int64_t>(now() - start);
        }
        return true;
    }

    TARE_INLINE static std::uint64_t now() { return Clock().read(); }

    template <class C> static std::int64_t since(typename C::time_point moment, typename C::time_point origin)
    {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(moment - origin).count();
    }

    template <class C> void read_clock(std::int64_t skip, std::int64_t reads)
    {
        static const typename C::time_point origin = C::now();
        for (std::size_t i = 0; i < values_.size(); i += 2) {
            const auto first = C::now();
            const auto second = C::now();
            values_[i] = since<C>(first, origin);
            values_[i + 1] = since<C>(second, origin);
            for (std::int64_t k = 0; k < skip; ++k) {
                use(C::now().time_since_epoch().count());
            }
        }
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            std::uint64_t start = now();
            for (std::int64_t k = 0; k < reads; ++k) {
                use(C::now().time_since_epoch().count());
            }
            blocks_[i] = static_cast<std::int64_t>(now() - start);
            start = now();
            for (std::int64_t k = 0; k < reads; ++k) {
                use(k);
            }
            empty_[i] = static_cast<std::int64_t>(now() - start);
        }
    }

    /// The value must be there; nothing is done with it.
    template <class T> TARE_INLINE static void use(T value) { asm volatile("" : : "r"(value)); }
};

} // namespace detail
} // namespace tare
