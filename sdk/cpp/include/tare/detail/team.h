// The threads of a benchmark that asks for several. They are made once and wait between samples.
#pragma once

#include <vector>

#include <pthread.h>

#include "barrier.h"
#include "fault.h"

namespace tare {
namespace detail {

/// Runs one piece of work in several threads at once; the calling thread is number 0.
class Team {
public:
    /// What each thread does, by its number.
    struct Work {
        virtual void run(int thread) = 0;

    protected:
        ~Work() = default;
    };

    Team() = default;
    Team(const Team &) = delete;
    Team &operator=(const Team &) = delete;

    /// Makes the threads beside the calling one. They live as long as the process.
    Fault hire(int threads)
    {
        members_.resize(static_cast<std::size_t>(threads - 1));
        for (std::size_t i = 0; i < members_.size(); ++i) {
            members_[i] = {this, static_cast<int>(i) + 1};
            pthread_t thread;
            if (pthread_create(&thread, nullptr, serve, &members_[i]) != 0) {
                return Fault("load", "The system gives no " + std::to_string(threads) + " threads.", "Ask for fewer with Threads.");
            }
            pthread_detach(thread);
        }
        return Fault();
    }

    void run(Work &work)
    {
        pthread_mutex_lock(&mutex_);
        work_ = &work;
        left_ = members_.size();
        ++round_;
        pthread_cond_broadcast(&changed_);
        pthread_mutex_unlock(&mutex_);
        work.run(0);
        pthread_mutex_lock(&mutex_);
        while (left_ != 0) {
            pthread_cond_wait(&changed_, &mutex_);
        }
        pthread_mutex_unlock(&mutex_);
    }

private:
    struct Member {
        Team *team;
        int number;
    };

    pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
    std::vector<Member> members_;
    Work *work_ = nullptr;
    std::size_t left_ = 0;
    unsigned int round_ = 0;

    static void *serve(void *argument)
    {
        const Member member = *static_cast<Member *>(argument);
        Team &team = *member.team;
        unsigned int done = 0;
        pthread_mutex_lock(&team.mutex_);
        for (;;) {
            while (team.round_ == done) {
                pthread_cond_wait(&team.changed_, &team.mutex_);
            }
            done = team.round_;
            Work *work = team.work_;
            pthread_mutex_unlock(&team.mutex_);
            work->run(member.number);
            pthread_mutex_lock(&team.mutex_);
            if (--team.left_ == 0) {
                pthread_cond_broadcast(&team.changed_);
            }
        }
        return nullptr;
    }
};

} // namespace detail
} // namespace tare
