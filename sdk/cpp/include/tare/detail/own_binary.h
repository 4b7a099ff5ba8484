// Whether a file is the binary that runs.
#pragma once

#include <cstddef>
#include <stdlib.h>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include "fault.h"

namespace tare {
namespace detail {

/// The binary that runs. Where an instrument runs it (valgrind), only the link says so: what it opens is the instrument's.
inline bool own_binary(struct stat *own)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length > 0) {
        path[length] = '\0';
        if (stat(path, own) == 0) {
            return true;
        }
    }
    return stat("/proc/self/exe", own) == 0;
}

/// Whether a file is the one that this binary is a copy of: launches of a comparison are started from copies, whose pages lie elsewhere in memory.
inline bool copied_from(const struct stat &file)
{
    struct stat original;
    const char *path = getenv("TARE_COPY_OF");
    return path != nullptr && stat(path, &original) == 0 && file.st_dev == original.st_dev
        && file.st_ino == original.st_ino;
}

/// Whether the paths themselves say so. No file is looked at then: a process that looks at its own program depends on it, and the worker's own question would hide who else does.
inline bool named_as_own(const std::string &file)
{
    char own[4096];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own);
    if (length <= 0 || length == static_cast<ssize_t>(sizeof own)) {
        return false;
    }
    const char *original = getenv("TARE_COPY_OF");
    if (file == std::string(own, static_cast<std::size_t>(length)) || (original != nullptr && file == original)) {
        return true;
    }
    char *real = realpath(file.c_str(), nullptr);
    const bool same = real != nullptr && std::string(real) == std::string(own, static_cast<std::size_t>(length));
    free(real);
    return same;
}

/// The benchmarks are in this binary: it is the only file that can be loaded. Nothing where the file is it.
inline Fault not_this_binary(const std::string &file)
{
    struct stat asked, own;
    Fault fault;
    if (file.find('\0') == std::string::npos && named_as_own(file)) {
        fault.file = file;
        return fault;
    }
    if (file.find('\0') != std::string::npos || stat(file.c_str(), &asked) != 0) {
        fault = Fault("load", "The file doesn't exist.", "Check the path and its permissions.");
    } else if (own_binary(&own) && (asked.st_dev != own.st_dev || asked.st_ino != own.st_ino) && !copied_from(asked)) {
        fault = Fault("load", "The file isn't the binary that was started.",
            "C++ benchmarks are compiled: build them with tare/benchmark.h, and name the binary.");
    }
    fault.file = file;
    return fault;
}

} // namespace detail
} // namespace tare
