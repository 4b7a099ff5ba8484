// Requests from standard input, replies to TARE_WIRE (PROTOCOL 1.1).
#pragma once

#include <cerrno>
#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "fault.h"
#include "request.h"

namespace tare {
namespace detail {

class Wire {
public:
    /// Whether the core, or somebody in its place, has started this process.
    static bool is_wanted()
    {
        const char *path = std::getenv("TARE_WIRE");
        const char *asked = std::getenv("TARE_WORKER");
        return (path != nullptr && *path != '\0') || (asked != nullptr && std::string(asked) == "1");
    }

    /// Blocks until the core has opened the other end of the FIFO. False when a side can't be opened.
    bool open()
    {
        const char *path = std::getenv("TARE_WIRE");
        // Without O_CREAT: what doesn't exist has no reader.
        out_ = path != nullptr && *path != '\0' ? ::open(path, O_WRONLY | O_CLOEXEC) : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        in_ = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
        if (out_ < 0 || in_ < 0) {
            return false;
        }
        // A subject that reads standard input would take the core's requests, and wait for ever.
        const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (nothing >= 0) {
            dup2(nothing, STDIN_FILENO);
            close(nothing);
        }
        return true;
    }

    /// The next line that isn't empty, without its end. False at the end of input; a last line without a line feed was cut off and
    /// doesn't count. A fault when the line is longer than a frame may be.
    bool read(std::string &line, Fault &fault)
    {
        for (;;) {
            bool is_too_long = false;
            line.clear();
            for (;;) {
                if (begin_ == end_ && !fill()) {
                    return false;
                }
                std::size_t stop = begin_;
                while (stop < end_ && buffer_[stop] != '\n') {
                    ++stop;
                }
                // Of a line that is too long anyhow only the end matters.
                if (line.size() + (stop - begin_) <= longest_frame + 1) {
                    line.append(buffer_ + begin_, stop - begin_);
                } else {
                    is_too_long = true;
                }
                const bool is_complete = stop < end_;
                begin_ = is_complete ? stop + 1 : stop;
                if (is_complete) {
                    break;
                }
            }
            if (!line.empty() && line.back() == '\r') {
                line.pop_back();
            }
            if (is_too_long || line.size() > longest_frame) {
                fault = Fault("bad-frame", "The line is longer than " + std::to_string(longest_frame) + " bytes.");
                return true;
            }
            if (!line.empty()) {
                return true;
            }
        }
    }

    void send(const std::string &line)
    {
        std::size_t at = 0;
        while (at < line.size() && !is_closed_) {
            const ssize_t written = write(out_, line.data() + at, line.size() - at);
            if (written > 0) {
                at += static_cast<std::size_t>(written);
            } else if (written == 0 || errno != EINTR) {
                is_closed_ = true;
            }
        }
    }

    /// Whether the core has closed its end: there is nobody left to work for.
    bool is_closed() const { return is_closed_; }

private:
    int in_ = -1;
    int out_ = -1;
    bool is_closed_ = false;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    char buffer_[65536];

    bool fill()
    {
        ssize_t count;
        do {
            count = ::read(in_, buffer_, sizeof(buffer_));
        } while (count < 0 && errno == EINTR);
        begin_ = 0;
        end_ = count > 0 ? static_cast<std::size_t>(count) : 0;
        return count > 0;
    }
};

} // namespace detail
} // namespace tare
