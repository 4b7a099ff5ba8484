// A request, its values checked when they are asked for (PROTOCOL 2.4).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "fault.h"
#include "json_scanner.h"

namespace tare {
namespace detail {

/// Largest frame in bytes, without its line feed.
inline constexpr std::size_t longest_frame = 16777216;

class Request {
public:
    std::string kind;
    std::int64_t id = -1;

    /// Reads a line without its line feed. The fault is `bad-frame`, with the request's number where it is usable.
    static Fault read(const std::string &line, Request &request)
    {
        JsonScanner scanner(line);
        if (!scanner.read(request.members_)) {
            return Fault("bad-frame", "The line isn't a frame: " + scanner.why() + '.');
        }
        const std::string twice = request.twice();
        const Value *id = request.find("id");
        const bool is_usable = id != nullptr && id->kind == Value::integer && id->number >= 0 && twice != "id";
        Fault fault;
        if (!twice.empty()) {
            fault = Fault("bad-frame", "The key " + in_quotes(twice) + " stands more than once.");
        } else if (!is_usable) {
            fault = Fault("bad-frame", "The request has no `id` that is an integer from 0 to 2^53-1.");
        } else if (const Value *kind = request.find("frame"); kind == nullptr || kind->kind != Value::string) {
            fault = Fault("bad-frame", "The request has no string `frame`.");
        } else {
            request.kind = kind->text;
        }
        request.id = is_usable ? id->number : -1;
        fault.request = request.id;
        return fault;
    }

    bool has(const char *key) const { return find(key) != nullptr; }

    Fault string(const char *key, std::string &into) const
    {
        const Value *value = find(key);
        if (value == nullptr) {
            return lacks(key);
        }
        if (value->kind != Value::string) {
            return wrong(key, "a string");
        }
        into = value->text;
        return Fault();
    }

    Fault integer(const char *key, std::int64_t most, std::int64_t &into, std::int64_t least = 0) const
    {
        const Value *value = find(key);
        if (value == nullptr) {
            return lacks(key);
        }
        if (value->kind != Value::integer || value->number < least || value->number > most) {
            return wrong(key, "an integer from " + std::to_string(least) + " to " + std::to_string(most));
        }
        into = value->number;
        return Fault();
    }

    Fault strings(const char *key, std::vector<std::string> &into) const
    {
        const Value *value = find(key);
        if (value == nullptr) {
            return lacks(key);
        }
        if (value->kind != Value::strings) {
            return wrong(key, "an array of at least one string");
        }
        into = value->texts;
        return Fault();
    }

    Fault integers(const char *key, std::size_t longest, std::vector<std::int64_t> &into) const
    {
        const Value *value = find(key);
        if (value == nullptr) {
            return lacks(key);
        }
        bool is_fitting = value->kind == Value::integers && value->numbers.size() <= longest;
        for (const std::int64_t item : value->numbers) {
            is_fitting = is_fitting && item >= 0;
        }
        if (!is_fitting) {
            return wrong(key, "an array of 1 to " + std::to_string(longest) + " integers from 0 to 2^53-1");
        }
        into = value->numbers;
        return Fault();
    }

private:
    Members members_;

    const Value *find(const char *key) const
    {
        for (const auto &member : members_) {
            if (member.first == key) {
                return &member.second;
            }
        }
        return nullptr;
    }

    /// A key that stands twice, `id` before others; empty when none does.
    std::string twice() const
    {
        std::set<std::string> seen;
        std::string found;
        for (const auto &member : members_) {
            const std::string &key = member.first;
            if (!seen.insert(key).second && (found.empty() || key == "id")) {
                found = key.empty() ? "(empty)" : key;
            }
        }
        return found;
    }

    Fault lacks(const char *key) const
    {
        return Fault("bad-request", "The `" + kind + "` request lacks the key `" + key + "`.");
    }

    Fault wrong(const char *key, const std::string &wanted) const
    {
        return Fault("bad-request", "The key `" + std::string(key) + "` of the `" + kind + "` request wants " + wanted + '.');
    }
};

} // namespace detail
} // namespace tare
