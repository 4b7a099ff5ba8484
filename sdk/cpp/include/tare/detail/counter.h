// Figures that the author of a benchmark reports beside its time.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tare {

/// A figure, and how it is to be read.
class Counter {
public:
    enum Flags : std::uint32_t {
        kDefaults = 0,
        /// Divided by the seconds timed.
        kIsRate = 1u << 0,
        /// Divided by the number of threads.
        kAvgThreads = 1u << 1,
        kAvgThreadsRate = kIsRate | kAvgThreads,
        /// Multiplied by the number of calls: it is meant for each of them.
        kIsIterationInvariant = 1u << 2,
        kIsIterationInvariantRate = kIsRate | kIsIterationInvariant,
        /// Divided by the number of calls.
        kAvgIterations = 1u << 3,
        kAvgIterationsRate = kIsRate | kAvgIterations,
        /// Its reciprocal, after all else.
        kInvert = 1u << 31
    };
    enum OneK { kIs1000 = 1000, kIs1024 = 1024 };

    double value;
    Flags flags;
    OneK oneK;

    Counter(double figure = 0.0, Flags read_as = kDefaults, OneK one_k = kIs1000)
        : value(figure), flags(read_as), oneK(one_k)
    {
    }

    operator double const &() const { return value; }
    operator double &() { return value; }

    /// The figure of a sample of `calls` calls in all that took `seconds`.
    double of(double calls, double seconds, int threads) const
    {
        double figure = value;
        figure = (flags & kIsRate) != 0 ? figure / seconds : figure;
        figure = (flags & kAvgThreads) != 0 ? figure / threads : figure;
        figure = (flags & kIsIterationInvariant) != 0 ? figure * calls : figure;
        figure = (flags & kAvgIterations) != 0 ? figure / calls : figure;
        return (flags & kInvert) != 0 ? 1.0 / figure : figure;
    }
};

inline Counter::Flags operator|(Counter::Flags left, Counter::Flags right)
{
    return static_cast<Counter::Flags>(static_cast<std::uint32_t>(left) | static_cast<std::uint32_t>(right));
}

using UserCounters = std::map<std::string, Counter>;

} // namespace tare
