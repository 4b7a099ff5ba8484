// Takes samples. Between the first clock read and the last it does no I/O and allocates nothing: the buffers are filled in place.
#pragma once

#include <string>
#include <vector>

#include "facts.h"
#include "loops.h"
#include "registry.h"
#include "stretch.h"
#include "team.h"
#include "thrown.h"

namespace tare {
namespace detail {

/// What one thread's part of a sample came to.
struct Outcome {
    std::uint64_t started_at = 0;
    std::uint64_t ended_at = 0;
    std::uint64_t paused = 0;
    std::int64_t pairs = 0;
    double manual = 0.0;
    bool has_manual = false;
    Style style = Style::none;
    IterationCount batch = 1;
    /// Calls made, beyond those asked for where a batch doesn't fit.
    IterationCount made = 0;
    std::int64_t bytes = -1;
    std::int64_t items = -1;
    std::string label;
    UserCounters counters;
    Fault fault;
};

/// What is called in a sample.
struct Subject {
    /// The prepared case, with whose preparations it runs; null for what needs none.
    const Case *of = nullptr;
    /// Runs in the place of the case's own loop; null for the case itself.
    Loop loop = nullptr;
};

class Sampler final : private Team::Work {
public:
    std::vector<std::int64_t> elapsed;
    std::vector<std::int64_t> pauses;
    /// What the timed samples of the last run took together.
    Stretch stretch;

    Clock &clock() { return clock_; }
    /// The threads' outcomes of the last sample of the case.
    const std::vector<Outcome> &reported() const { return reported_; }
    /// Nanoseconds of that sample.
    std::int64_t reported_time() const { return reported_time_; }
    /// The CPUs that the process had for the case; 0 where that can't be known.
    int cpus() const { return cpus_; }

    /// Makes its threads, and takes one untimed sample of as few calls as may be, which shows how the case loops.
    Fault prepare(const Case &of)
    {
        // Before anything of the user's may give its threads CPUs of their own.
        cpus_ = allowed_cpus();
        outcomes_.resize(static_cast<std::size_t>(of.threads));
        reported_.resize(outcomes_.size());
        if (of.threads > 1) {
            const Fault fault = team_.hire(of.threads);
            if (fault) {
                return fault;
            }
        }
        const IterationCount calls = of.benchmark->settings().iterations;
        const Subject subject{&of, nullptr};
        Stretch whole, loop;
        loop_stretch_ = of.threads > 1 ? nullptr : &loop;
        whole.begin();
        const Fault fault = sample(subject, calls > 0 ? calls : 1, false);
        whole.end();
        loop_stretch_ = nullptr;
        is_prepared_for_ = of.threads == 1 && whole.is_known() && loop.is_known()
            && (whole.yields > loop.yields || whole.cpu > loop.cpu + least_preparation);
        style_ = outcomes_[0].style;
        batch_ = outcomes_[0].batch;
        for (const Outcome &outcome : outcomes_) {
            does_pause_ = does_pause_ || outcome.pairs > 0;
        }
        return fault;
    }

    Style style() const { return style_; }
    bool does_pause() const { return does_pause_; }
    /// Whether there was a pair in any sample of the last run.
    bool has_paused() const
    {
        for (const std::int64_t pairs : pauses) {
            if (pairs > 0) {
                return true;
            }
        }
        return false;
    }

    /// `warm` untimed samples, then one for each of `iterations`. What a benchmark does outside its loop belongs to no sample: if it does much there,
    /// the stretch consists of the loops. A set-up that sleeps would pass for a subject that waits.
    Fault run(const Subject &subject, const std::vector<std::int64_t> &iterations, std::int64_t warm)
    {
        elapsed.assign(iterations.size(), 0);
        pauses.assign(iterations.size(), 0);
        if (outcomes_.empty()) {
            outcomes_.resize(1);
        }
        for (std::int64_t i = -warm; i < static_cast<std::int64_t>(iterations.size()); ++i) {
            const bool is_timed = i >= 0;
            if (i == 0) {
                stretch = Stretch();
                if (is_prepared_for_) {
                    loop_stretch_ = &stretch;
                } else {
                    stretch.begin();
                }
            }
            const std::size_t place = static_cast<std::size_t>(is_timed ? i : (i + warm)) % iterations.size();
            const bool is_last = is_timed && place + 1 == iterations.size();
            // Without a loop of the worker's own, a bare call is the loop's only pass.
            const std::int64_t calls = iterations[place] > 0 ? iterations[place] : 1;
            const Fault fault = sample(subject, calls, is_last && subject.of != nullptr && subject.loop == nullptr);
            if (fault) {
                loop_stretch_ = nullptr;
                return fault;
            }
            elapsed[place] = time_;
            pauses[place] = pairs_;
        }
        if (!is_prepared_for_) {
            stretch.end();
        }
        loop_stretch_ = nullptr;
        return Fault();
    }

    /// Pairs of clock reads back to back. A time that the author sets has none in it, so beside it they are 0.
    void run_clock(const Case *of, std::size_t count, std::int64_t warm)
    {
        elapsed.assign(count, 0);
        pauses.clear();
        stretch = Stretch();
        if (of != nullptr && of->benchmark->settings().is_manual) {
            // All but one: set times are told in whole nanoseconds, and from nothing but zeros the core would take the clock for one of
            // a coarse step, and ask for very long samples. It takes off their median.
            elapsed.back() = count > 2 ? 1 : 0;
            stretch.begin();
            stretch.end();
            return;
        }
        for (std::int64_t i = -warm; i < static_cast<std::int64_t>(count); ++i) {
            if (i == 0) {
                stretch.begin();
            }
            const std::uint64_t begin = clock_.read();
            const std::uint64_t end = clock_.read();
            if (i >= 0) {
                elapsed[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(clock_.nanoseconds(end > begin ? end - begin : 0));
            }
        }
        stretch.end();
    }

private:
    /// Nanoseconds of CPU time: what the first call of any code takes beside its loop is less.
    static constexpr std::int64_t least_preparation = 100000;

    Clock clock_;
    Team team_;
    Barrier barrier_;
    std::vector<Outcome> outcomes_;
    std::vector<Outcome> reported_;
    std::int64_t reported_time_ = 0;
    int cpus_ = 0;
    Style style_ = Style::none;
    IterationCount batch_ = 1;
    bool does_pause_ = false;
    /// The benchmark does much outside its loop, or waits there.
    bool is_prepared_for_ = false;
    /// Read around the loops of the samples, which one thread makes then.
    Stretch *loop_stretch_ = nullptr;
    // The sample in progress.
    Subject subject_;
    IterationCount calls_ = 0;
    bool is_reported_ = false;
    std::int64_t time_ = 0;
    std::int64_t pairs_ = 0;

    Fault sample(const Subject &subject, IterationCount calls, bool is_reported)
    {
        subject_ = subject;
        calls_ = calls;
        is_reported_ = is_reported;
        const int threads = subject.of != nullptr ? subject.of->threads : 1;
        Fault fault = around(subject.of != nullptr ? subject.of->benchmark->settings().set_up : nullptr);
        if (!fault) {
            if (threads > 1) {
                barrier_.reset(threads);
                team_.run(*this);
            } else {
                run(0);
            }
            read_outcomes(static_cast<std::size_t>(threads));
            fault = outcomes_[0].fault;
            for (int thread = 1; thread < threads && !fault; ++thread) {
                fault = outcomes_[static_cast<std::size_t>(thread)].fault;
            }
            const Fault after = around(subject.of != nullptr ? subject.of->benchmark->settings().tear_down : nullptr);
            fault = fault ? fault : after;
        }
        if (is_reported && !fault) {
            reported_.swap(outcomes_);
            reported_time_ = time_;
        }
        return fault;
    }

    /// What the author wants done before or after each sample.
    Fault around(Hook *hook)
    {
        if (hook == nullptr) {
            return Fault();
        }
        return guarded("exception", [&] {
            const State state(calls_, clock_, 0, subject_.of->threads, nullptr, subject_.of->arguments, subject_.of->full_name);
            hook->call(state);
        });
    }

    /// One thread's part.
    void run(int thread) override
    {
        static const Arguments no_arguments;
        static const std::string no_name;
        Outcome &outcome = outcomes_[static_cast<std::size_t>(thread)];
        const Case *of = subject_.of;
        const int threads = of != nullptr ? of->threads : 1;
        State state(calls_, clock_, thread, threads, threads > 1 ? &barrier_ : nullptr, of != nullptr ? of->arguments : no_arguments,
            of != nullptr ? of->full_name : no_name);
        state.batch_ = batch_;
        state.stretch_ = loop_stretch_;
        Fault fault = guarded("exception", [&] {
            if (of == nullptr) {
                subject_.loop(state);
            } else if (subject_.loop == nullptr) {
                of->benchmark->Run(state);
            } else {
                of->benchmark->run_loop(state, subject_.loop);
            }
        });
        if (threads > 1) {
            barrier_.leave();
        }
        outcome.started_at = state.started_at_;
        outcome.ended_at = state.ended_at_;
        outcome.paused = state.paused_;
        outcome.pairs = state.pairs_;
        outcome.manual = state.manual_;
        outcome.has_manual = state.has_manual_;
        outcome.style = state.style_;
        outcome.batch = state.batch_;
        outcome.made = state.max_iterations + state.beyond_;
        if (!fault) {
            fault = fault_of(state);
        }
        outcome.fault = fault;
        if (is_reported_) {
            outcome.bytes = state.bytes_;
            outcome.items = state.items_;
            outcome.label.swap(state.label_);
            outcome.counters.swap(state.counters);
        }
    }

    Fault fault_of(const State &state) const
    {
        if (state.is_skipped_) {
            return state.is_error_
                ? Fault("exception", state.message_, "The benchmark itself says that it failed (SkipWithError).")
                : Fault("skipped", state.message_, "");
        }
        if (!state.is_finished_) {
            return Fault("exception",
                state.is_started_ ? "The benchmark left its loop before the loop was over."
                                  : "The benchmark returned without having looped over its state.",
                "Loop with `for (auto _ : state)` or `while (state.KeepRunning())` to the end, or call SkipWithError before leaving.");
        }
        const bool is_manual = subject_.of != nullptr && subject_.loop == nullptr && subject_.of->benchmark->settings().is_manual;
        if (state.never_resumed_ && !is_manual) {
            return Fault("exception", "The timer is still stopped when the loop ends, and the loop never started it.",
                "Call ResumeTiming in the loop, before what is to be measured.");
        }
        const bool lacks_time = is_manual && !state.has_manual_;
        return lacks_time ? Fault("exception", "The benchmark asks for UseManualTime and never calls SetIterationTime.",
                   "Call state.SetIterationTime(SECONDS) in each pass, or remove UseManualTime.")
                          : Fault();
    }

    /// Time and pairs of the sample. With threads it lasts from the first one's begin to the last one's end, less what they paused on
    /// average.
    void read_outcomes(std::size_t threads)
    {
        std::uint64_t begin = outcomes_[0].started_at, end = outcomes_[0].ended_at, paused = 0;
        std::int64_t pairs = 0;
        double manual = 0.0;
        for (std::size_t i = 0; i < threads; ++i) {
            const Outcome &outcome = outcomes_[i];
            begin = outcome.started_at < begin ? outcome.started_at : begin;
            end = outcome.ended_at > end ? outcome.ended_at : end;
            paused += outcome.paused;
            pairs += outcome.pairs;
            manual += outcome.manual;
        }
        const bool is_manual = subject_.of != nullptr && subject_.of->benchmark->settings().is_manual;
        pairs_ = is_manual ? 0 : (pairs + static_cast<std::int64_t>(threads) / 2) / static_cast<std::int64_t>(threads);
        if (is_manual) {
            // What the author times has neither loop nor clock of ours in it.
            const double nanoseconds = manual * 1e9 / static_cast<double>(threads);
            time_ = nanoseconds > 0.0 && nanoseconds < 9e15 ? static_cast<std::int64_t>(nanoseconds + 0.5) : 0;
            return;
        }
        const std::uint64_t whole = end > begin ? end - begin : 0;
        paused /= threads;
        time_ = static_cast<std::int64_t>(clock_.nanoseconds(whole > paused ? whole - paused : 0));
        const Outcome &first = outcomes_[0];
        if (first.made > calls_) {
            const double part = static_cast<double>(calls_) / static_cast<double>(first.made);
            time_ = static_cast<std::int64_t>(static_cast<double>(time_) * part);
            pairs_ = static_cast<std::int64_t>(static_cast<double>(pairs_) * part + 0.5);
        }
    }
};

} // namespace detail
} // namespace tare
