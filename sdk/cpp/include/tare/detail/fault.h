// A request that can't be answered, or user code that failed: what happened, where, what to do.
#pragma once

#include <cstdint>
#include <string>

namespace tare {
namespace detail {

struct Fault {
    /// One of the protocol's (PROTOCOL §4).
    std::string kind;
    std::string message;
    std::string remedy;
    std::string file;
    std::int64_t line = 0;
    /// The request's, where a bad frame still shows it.
    std::int64_t request = -1;

    Fault(const char *of_kind, std::string what, std::string what_to_do = "")
        : kind(of_kind), message(std::move(what)), remedy(std::move(what_to_do))
    {
    }
    /// None.
    Fault() = default;

    bool is_some() const { return !kind.empty(); }
    explicit operator bool() const { return is_some(); }
};

/// Text as it stands in a message, of hostile length.
inline std::string in_quotes(const std::string &text)
{
    return '"' + (text.size() > 200 ? text.substr(0, 200) + "..." : text) + '"';
}

} // namespace detail
} // namespace tare
