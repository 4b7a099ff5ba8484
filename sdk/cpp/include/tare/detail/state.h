// What a benchmark function is given: it says how often to run, and takes what the function reports.
#pragma once

#include <string>
#include <vector>

#include "barrier.h"
#include "clock.h"
#include "counter.h"
#include "platform.h"
#include "stretch.h"

namespace tare {

namespace detail {
struct Loops;
class Sampler;

/// How a benchmark loops; its null loops alike.
enum class Style { none, range, keep_running, batch, unrolled };
} // namespace detail

/// One sample of a benchmark, in one of its threads.
class State {
public:
    class Iterator;
    using StateIterator = Iterator;

    /// Calls that this sample makes, in this thread.
    const IterationCount max_iterations;

    /// Figures to report; they are read as their flags say.
    UserCounters counters;

    State(const State &) = delete;
    State &operator=(const State &) = delete;

    /// `for (auto _ : state) { … }`: the time from the first pass to the end of the last is the sample's.
    Iterator begin();
    Iterator end();

    /// `while (state.KeepRunning()) { … }`: the same.
    TARE_INLINE bool KeepRunning()
    {
        if (TARE_LIKELY(left_ != 0)) {
            --left_;
            return true;
        }
        return keep_running(1, detail::Style::keep_running);
    }

    /// The same where each pass makes `calls` calls itself.
    TARE_INLINE bool KeepRunningBatch(IterationCount calls)
    {
        if (TARE_LIKELY(left_ >= calls)) {
            left_ -= calls;
            return true;
        }
        return keep_running(calls, detail::Style::batch);
    }

    /// Makes the sample's calls, eight to a pass of the loop; use it by TARE_LOOP, which makes `body` inline.
    template <class Body> TARE_INLINE void operator%(Body &&body)
    {
        const std::uint64_t calls = is_skipped_ ? 0 : static_cast<std::uint64_t>(max_iterations);
        std::uint64_t rest = calls % 8;
        std::uint64_t blocks = calls / 8;
        start(detail::Style::unrolled);
        // The compiler mustn't know how many passes there are, nor leave them out.
        for (; blocks != 0; --blocks) {
            asm volatile("" : "+r"(blocks));
            body();
            body();
            body();
            body();
            body();
            body();
            body();
            body();
        }
        for (; rest != 0; --rest) {
            asm volatile("" : "+r"(rest));
            body();
        }
        finish();
    }

    /// Leaves what follows out of the time, up to ResumeTiming. What the pair itself costs is weighed and taken off.
    /// Before and after the loop there is no time to leave out; a timer that is stopped as the loop begins stays so until ResumeTiming.
    TARE_NOINLINE void PauseTiming()
    {
        const std::uint64_t now = clock_->read();
        if (!is_paused_) {
            is_paused_ = true;
            paused_at_ = now;
        }
    }
    TARE_NOINLINE void ResumeTiming()
    {
        if (!is_paused_) {
            return;
        }
        is_paused_ = false;
        if (is_started_ && !is_finished_) {
            ++pairs_;
            paused_ += clock_->read() - paused_at_;
        }
    }

    /// With UseManualTime: what the author measured for this pass, in seconds.
    void SetIterationTime(double seconds)
    {
        manual_ += seconds;
        has_manual_ = true;
    }

    /// Ends the benchmark as failed; leave the loop after it.
    void SkipWithError(const std::string &message) { skip(message, true); }
    /// Leaves the case out; leave the loop after it.
    void SkipWithMessage(const std::string &message) { skip(message, false); }
    bool skipped() const { return is_skipped_; }
    bool error_occurred() const { return is_skipped_ && is_error_; }

    /// What all calls of the sample processed together.
    void SetBytesProcessed(std::int64_t bytes) { bytes_ = bytes; }
    std::int64_t bytes_processed() const { return bytes_ < 0 ? 0 : bytes_; }
    void SetItemsProcessed(std::int64_t items) { items_ = items; }
    std::int64_t items_processed() const { return items_ < 0 ? 0 : items_; }

    /// What a reader must know of how it ran.
    void SetLabel(const std::string &label) { label_ = label; }

    /// Accepted and kept; complexity isn't fitted.
    using ComplexityN = std::int64_t;
    void SetComplexityN(ComplexityN n) { complexity_ = n; }
    ComplexityN complexity_length_n() const { return complexity_; }

    /// An argument, by its place.
    std::int64_t range(std::size_t place = 0) const { return place < arguments_->size() ? (*arguments_)[place] : 0; }
    std::int64_t range_x() const { return range(0); }
    std::int64_t range_y() const { return range(1); }

    int threads() const { return threads_; }
    int thread_index() const { return thread_; }

    /// Calls made so far.
    IterationCount iterations() const { return is_started_ ? max_iterations - left_ + beyond_ : 0; }

    const std::string &name() const { return *name_; }

private:
    friend struct detail::Loops;
    friend class detail::Sampler;

    IterationCount left_ = 0;
    IterationCount beyond_ = 0;
    const detail::Clock *clock_;
    bool is_started_ = false;
    bool is_finished_ = false;
    bool is_paused_ = false;
    bool began_paused_ = false;
    bool never_resumed_ = false;
    bool is_skipped_ = false;
    bool is_error_ = false;
    bool has_manual_ = false;
    detail::Style style_ = detail::Style::none;
    std::uint64_t started_at_ = 0;
    std::uint64_t ended_at_ = 0;
    std::uint64_t paused_at_ = 0;
    std::uint64_t paused_ = 0;
    std::int64_t pairs_ = 0;
    double manual_ = 0.0;
    std::int64_t bytes_ = -1;
    std::int64_t items_ = -1;
    ComplexityN complexity_ = 0;
    IterationCount batch_ = 1;
    int thread_;
    int threads_;
    detail::Barrier *barrier_;
    /// Read around the loop; null where it is read around the samples of a turn.
    detail::Stretch *stretch_ = nullptr;
    const std::vector<std::int64_t> *arguments_;
    const std::string *name_;
    std::string label_;
    std::string message_;

    State(IterationCount calls, const detail::Clock &clock, int thread, int threads, detail::Barrier *barrier,
        const std::vector<std::int64_t> &arguments, const std::string &case_name)
        : max_iterations(calls), clock_(&clock), thread_(thread), threads_(threads), barrier_(barrier), arguments_(&arguments),
          name_(&case_name)
    {
    }

    TARE_NOINLINE void start(detail::Style style)
    {
        style_ = style;
        left_ = is_skipped_ ? 0 : max_iterations;
        is_started_ = true;
        if (barrier_ != nullptr) {
            barrier_->arrive();
        }
        if (stretch_ != nullptr) {
            stretch_->begin();
        }
        started_at_ = clock_->read();
        paused_at_ = started_at_;
        began_paused_ = is_paused_;
    }

    TARE_NOINLINE void finish()
    {
        ended_at_ = clock_->read();
        if (stretch_ != nullptr) {
            stretch_->end();
        }
        if (is_paused_) {
            paused_ += ended_at_ - paused_at_;
            never_resumed_ = pairs_ == 0;
            // Half a pair at the beginning and half of one here are one, which ResumeTiming has counted.
            pairs_ += began_paused_ ? 0 : 1;
        }
        left_ = 0;
        is_finished_ = true;
        if (barrier_ != nullptr) {
            barrier_->arrive();
        }
    }

    /// Out of the loop's way: the beginning, a last batch that is only begun, and the end.
    TARE_NOINLINE bool keep_running(IterationCount calls, detail::Style style)
    {
        if (!is_started_) {
            batch_ = calls;
            start(style);
            if (left_ >= calls) {
                left_ -= calls;
                return true;
            }
        }
        if (left_ != 0) {
            beyond_ = calls - left_;
            left_ = 0;
            return true;
        }
        if (!is_finished_) {
            finish();
        }
        return false;
    }

    void skip(const std::string &message, bool is_error)
    {
        if (!is_skipped_) {
            is_skipped_ = true;
            is_error_ = is_error;
            message_ = message;
        }
        left_ = 0;
    }
};

/// Counts the passes of a range-based loop in a register.
class State::Iterator {
public:
    struct [[maybe_unused]] Value {};
    using iterator_category = std::forward_iterator_tag;
    using value_type = Value;
    using reference = Value;
    using pointer = Value;
    using difference_type = std::ptrdiff_t;

    TARE_INLINE Iterator() : left_(0), state_(nullptr) {}
    TARE_INLINE explicit Iterator(State *state) : left_(state->left_), state_(state) {}

    TARE_INLINE Value operator*() const { return Value(); }

    TARE_INLINE Iterator &operator++()
    {
        // Passes can't be merged or left out; the null's empty loop is as real as the subject's.
        asm volatile("" : "+r"(left_));
        --left_;
        return *this;
    }

    TARE_INLINE bool operator!=(const Iterator &) const
    {
        if (TARE_LIKELY(left_ != 0)) {
            return true;
        }
        state_->finish();
        return false;
    }

private:
    IterationCount left_;
    State *state_;
};

TARE_INLINE State::Iterator State::begin()
{
    start(detail::Style::range);
    return Iterator(this);
}

TARE_INLINE State::Iterator State::end() { return Iterator(); }

/// Leaves out of the time what happens as long as it lives.
class ScopedPauseTiming {
public:
    explicit ScopedPauseTiming(State &state) : state_(state) { state_.PauseTiming(); }
    ~ScopedPauseTiming() { state_.ResumeTiming(); }
    ScopedPauseTiming(const ScopedPauseTiming &) = delete;
    ScopedPauseTiming &operator=(const ScopedPauseTiming &) = delete;

private:
    State &state_;
};

} // namespace tare
