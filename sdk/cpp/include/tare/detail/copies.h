// Copies of the process for cases, where the core counts what they execute (PROTOCOL 1.13).
#pragma once

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <sys/wait.h>
#include <unistd.h>

namespace tare {
namespace detail {

class Copies {
public:
    /// Whether the core asks for them.
    static bool are_asked()
    {
        const char *const count = std::getenv("TARE_COUNT");
        return count != nullptr && std::strcmp(count, "1") == 0;
    }

    /// This process is the copy for one case.
    bool is_copy() const { return is_copy_; }

    /// Copies the process for a case that is about to be prepared. True in the first process, when the copy has answered everything up to its
    /// `finish`; false where this process goes on: in the copy, and where it can't be copied. A copy that failed takes this process with it.
    bool serve()
    {
        if (is_copy_ || !are_asked() || has_other_threads()) {
            return false;
        }
        const pid_t process = fork();
        if (process <= 0) {
            is_copy_ = process == 0;
            return false;
        }
        int status = 0;
        while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
        }
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
            return true;
        }
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    }

    /// The case is finished: its copy ends. A counter would write all that it knows of a process that ends by itself, which takes longer than most cases.
    void finished() const
    {
        if (is_copy_) {
            kill(getpid(), SIGKILL);
        }
    }

private:
    bool is_copy_ = false;

    static bool has_other_threads()
    {
        int threads = 0;
        std::error_code failed;
        for (auto at = std::filesystem::directory_iterator("/proc/self/task", failed); !failed && at != std::filesystem::directory_iterator(); at.increment(failed)) {
            ++threads;
        }
        return threads != 1;
    }
};

} // namespace detail
} // namespace tare
