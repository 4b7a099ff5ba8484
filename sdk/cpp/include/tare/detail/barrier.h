// Where the threads of a benchmark wait for each other.
#pragma once

#include <atomic>

#include <pthread.h>
#include <sched.h>

#include "platform.h"

namespace tare {
namespace detail {

/// Lets its threads go on once all of them have arrived. Waiting threads yield instead of sleeping: waking up takes as long as a
/// short sample.
class Barrier {
public:
    /// No thread may be waiting.
    void reset(int threads)
    {
        lock();
        expected_ = threads;
        arrived_ = 0;
        unlock();
    }

    /// Waits for the others.
    void arrive()
    {
        lock();
        const unsigned int round = round_.load(std::memory_order_relaxed);
        ++arrived_;
        release_if_complete();
        unlock();
        while (round_.load(std::memory_order_acquire) == round) {
            sched_yield();
        }
    }

    /// This thread comes no more: those that wait for it go on.
    void leave()
    {
        lock();
        --expected_;
        release_if_complete();
        unlock();
    }

private:
    pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
    int expected_ = 0;
    int arrived_ = 0;
    std::atomic<unsigned int> round_{0};

    void lock() { pthread_mutex_lock(&mutex_); }
    void unlock() { pthread_mutex_unlock(&mutex_); }

    void release_if_complete()
    {
        if (arrived_ > 0 && arrived_ >= expected_) {
            arrived_ = 0;
            round_.fetch_add(1, std::memory_order_release);
        }
    }
};

} // namespace detail
} // namespace tare
